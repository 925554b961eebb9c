package link

import (
	"fmt"
	"slices"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// localGot is a local symbol with an entry in .got.
type localGot struct {
	file, sym int32
}

func (e localGot) key() uint64 { return uint64(uint32(e.file))<<32 | uint64(uint32(e.sym)) }

// dynReloc is a relocation that the loader applies.
type dynReloc struct {
	typ    co.RelocType
	sec    secID // section of the relocated place
	off    uint64
	sym    symID // dynamic symbol, 0 for none
	target refTarget
	addend int64
}

// computePreemptible determines the symbols that another code object may
// define.
func (l *linker) computePreemptible() {
	for i := range l.syms {
		s := &l.syms[i]
		if s.kind == symLazy { // referenced only weakly
			s.kind, s.bind = symUndefined, co.STB_WEAK
		}
		switch {
		case s.vis() != co.STV_DEFAULT || !s.used:
		case s.kind == symDefined:
			s.preemptible = s.exported() && !l.opt.Bsymbolic
		case s.kind == symUndefined:
			s.preemptible = l.opt.AllowUndefined
		}
	}
}

// scanRelocations determines the table entries that relocations of loaded
// sections need, and reports the relocations that cannot be resolved.
func (l *linker) scanRelocations() {
	l.computePreemptible()
	for _, f := range l.objs {
		for id := f.first; id < f.end; id++ {
			s := &l.secs[id]
			if s.live && s.rela.size != 0 && s.flags&shfAlloc != 0 {
				l.scanSection(f, id)
			}
		}
	}
	l.makeGot()
}

func (l *linker) scanSection(f *file, id secID) {
	s := &l.secs[id]
	relas := l.bytes(s.rela)
	for at := 0; at < len(relas); at += relaSize {
		r := readRela(relas[at:])
		row := rowOf(r.typ)
		if row == nil || row.calc == calcBase {
			l.relocError(f, s, &r, "the relocation type is invalid in an object")
			continue
		}
		if row.calc == calcNone {
			continue
		}
		if r.off > s.size || s.size-r.off < uint64(row.size) {
			l.relocError(f, s, &r, "the offset is out of range: the section has %#x bytes", s.size)
			continue
		}
		if s.rel && !row.implicit {
			l.relocError(f, s, &r, noImplicit)
			continue
		}
		t, err := l.targetOf(f, r.sym)
		if err != nil {
			l.errs.addError(err)
			return
		}
		l.scanOne(f, id, &r, row, &t)
	}
}

// noImplicit is the error for an SHT_REL relocation whose addend is not read
// from the section contents.
const noImplicit = "the relocation has no addend (SHT_REL), which is supported for R_AMDGPU_ABS64 only"

// scanOne determines the treatment of one relocation.
func (l *linker) scanOne(f *file, id secID, r *rawRela, row *relocRow, t *refTarget) {
	s := &l.secs[id]
	preemptible := false
	if t.sym != 0 {
		if !l.checkDefined(f, s, r, t.sym) {
			return
		}
		preemptible = l.syms[t.sym].preemptible
	} else if t.sec == 0 {
		l.relocError(f, s, r, "the symbol is local and undefined")
		return
	}
	switch {
	case l.dead(t):
		if string(l.bytes(s.name)) != ".eh_frame" {
			l.relocError(f, s, r, "the symbol is in a discarded section")
		}
	case row.calc == calcGOT:
		l.needGot(f, r.sym, t)
	case row.calc == calcPC:
		switch {
		case preemptible:
			l.relocError(f, s, r, "the symbol may be defined elsewhere; set its visibility to hidden or protected, or use the GOT")
		case t.sec == atAbs:
			l.relocError(f, s, r, "the symbol is absolute, but the relocated place is not")
		}
	case preemptible || !l.absolute(t):
		l.scanAbsolute(f, id, r, row, t, preemptible)
	}
}

// scanAbsolute handles an address that only the loader knows.
func (l *linker) scanAbsolute(f *file, id secID, r *rawRela, row *relocRow, t *refTarget, preemptible bool) {
	s := &l.secs[id]
	dynamic := t.sym != 0 && (preemptible || l.syms[t.sym].exported())
	d := dynReloc{typ: r.typ, sec: id, off: r.off, sym: t.sym, addend: r.addend}
	switch {
	case s.flags&shfWrite == 0:
		l.relocError(f, s, r, "the address is known only when the code object is loaded, and the section is not writable")
		return
	case !preemptible && r.typ == co.R_AMDGPU_ABS64:
		d = dynReloc{typ: co.R_AMDGPU_RELATIVE64, sec: id, off: r.off, target: *t, addend: r.addend}
	case !row.dynamic || !dynamic:
		l.relocError(f, s, r, "the address is known only when the code object is loaded, and a loader cannot apply this relocation")
		return
	}
	l.dyns = append(l.dyns, d)
}

// checkDefined reports an undefined symbol once, at its first reference.
func (l *linker) checkDefined(f *file, s *section, r *rawRela, id symID) bool {
	sym := &l.syms[id]
	if sym.kind == symDefined || sym.preemptible || sym.undefinedWeak() {
		return true
	}
	if !sym.reported {
		sym.reported = true
		why := ""
		if sym.discarded {
			why = ", defined only in a discarded section,"
		}
		l.errs.errorf("undefined symbol: %s%s referenced by %s (%s)", l.bytes(sym.name), why, l.placeIn(s, r.off), r.typ)
	}
	return false
}

func (l *linker) relocError(f *file, s *section, r *rawRela, format string, args ...any) {
	l.errs.addError(l.relocErrorf(f, s, r, format, args...))
}

func (l *linker) relocErrorf(f *file, s *section, r *rawRela, format string, args ...any) error {
	args = append([]any{l.placeIn(s, r.off), r.typ, l.nameOf(f, r.sym)}, args...)
	return fmt.Errorf("%s: relocation %s against %s: "+format, args...)
}

// needGot ensures that a symbol has an entry in .got.
func (l *linker) needGot(f *file, index uint32, t *refTarget) {
	if t.sym != 0 {
		l.syms[t.sym].needsGot = true
		return
	}
	// Consecutive relocations often refer to the same symbol.
	want := localGot{file: f.index, sym: int32(index)}
	if n := len(l.locals); n == 0 || l.locals[n-1] != want {
		l.locals = append(l.locals, want)
	}
}

// makeGot assigns the entries of .got: global symbols in symbol table order,
// then local ones.
func (l *linker) makeGot() {
	n := int32(0)
	order := map[int32]int{}
	for i, f := range l.objs {
		order[f.index] = i
	}
	slices.SortFunc(l.locals, func(a, b localGot) int {
		if a.file != b.file {
			return order[a.file] - order[b.file]
		}
		return int(a.sym - b.sym)
	})
	l.locals = slices.Compact(l.locals)
	for i := range l.syms {
		if s := &l.syms[i]; s.needsGot {
			n++
			s.got = n
			l.gotReloc(n, refTarget{sym: symID(i), sec: s.sec, value: s.value})
		}
	}
	l.synth.gotIndex = make(map[uint64]int32, len(l.locals))
	for i := range l.locals {
		n++
		e := &l.locals[i]
		l.synth.gotIndex[e.key()] = n
		t, err := l.targetOf(l.files[e.file], uint32(e.sym))
		if err != nil {
			l.errs.addError(err)
			return
		}
		l.gotReloc(n, t)
	}
	l.secs[l.synth.got].size = uint64(n) * wordSize
}

// gotReloc creates the dynamic relocation of a .got entry, or records the
// entry's value if it is known.
func (l *linker) gotReloc(n int32, t refTarget) {
	d := dynReloc{sec: l.synth.got, off: uint64(n-1) * wordSize}
	switch {
	case t.sym != 0 && l.syms[t.sym].preemptible:
		d.typ, d.sym = co.R_AMDGPU_ABS64, t.sym
	case l.absolute(&t):
		l.synth.gotValues = append(l.synth.gotValues, gotValue{d.off, t.value})
		return
	default:
		d.typ, d.target = co.R_AMDGPU_RELATIVE64, t
	}
	l.dyns = append(l.dyns, d)
}

// gotOffset returns the offset in .got of a relocation's symbol.
func (l *linker) gotOffset(f *file, index uint32, t *refTarget) uint64 {
	if t.sym != 0 {
		return uint64(l.syms[t.sym].got-1) * wordSize
	}
	e := localGot{f.index, int32(index)}
	return uint64(l.synth.gotIndex[e.key()]-1) * wordSize
}
