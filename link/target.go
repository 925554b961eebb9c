package link

import (
	co "github.com/gfx-toolchain/gfx/codeobject"
)

// refTarget is the target of a relocation.
type refTarget struct {
	sym   symID // global symbol, 0 for a local one
	sec   int32 // secID, atAbs or atOutput; 0 if undefined
	value uint64
	whole bool // a section symbol: the addend is an offset in the section
	typ   co.SymType
}

// targetOf returns the target that symbol index of a file represents. It checks
// the index.
func (l *linker) targetOf(f *file, index uint32) (refTarget, error) {
	i := int(index)
	if i >= f.numSyms() && i > 0 {
		return refTarget{}, f.errorf(0, "a relocation refers to symbol %d of %d", i, f.numSyms())
	}
	switch {
	case i == 0:
		return refTarget{sec: atAbs}, nil
	case i >= f.firstGlobal:
		id := f.globals[i-f.firstGlobal]
		s := &l.syms[id]
		t := refTarget{sym: id, typ: s.typ}
		if s.kind == symDefined {
			t.sec, t.value = s.sec, s.value
		}
		return t, nil
	}
	raw := readSym(f.symtab[i*symSize:])
	in, err := f.sectionOf(&raw, i)
	t := refTarget{value: raw.value, typ: raw.typ(), whole: raw.typ() == co.STT_SECTION}
	switch {
	case err != nil:
		return t, err
	case in > 0:
		t.sec = int32(l.secOf(f, in))
	case in == inAbs:
		t.sec = atAbs
	case in == inLDS:
		return t, f.errorf(0, "symbol %d in LDS is local; only global ones are laid out", i)
	case in == inCommon:
		return t, f.errorf(0, "common symbol %d is local", i)
	}
	return t, nil
}

// nameOf returns the name of a file's symbol for messages.
func (l *linker) nameOf(f *file, index uint32) string {
	if int(index) >= f.numSyms() {
		return "(no symbol)"
	}
	raw, name, err := f.symbol(int(index))
	if err == nil && len(name) == 0 && raw.typ() == co.STT_SECTION && int(raw.shndx) < f.numSecs() {
		name = l.bytes(l.secs[l.secOf(f, int(raw.shndx))].name)
	}
	if len(name) == 0 {
		return "(no name)"
	}
	return string(name)
}

// absolute reports whether a target's address is independent of the load
// address.
func (l *linker) absolute(t *refTarget) bool {
	return t.sec == atAbs || t.sec == 0 && t.sym != 0 && !l.syms[t.sym].preemptible
}

// dead reports whether a target is in a section that is not in the output.
func (l *linker) dead(t *refTarget) bool {
	if t.sec <= 0 {
		return false
	}
	s := &l.secs[t.sec]
	return s.out < 0
}

// address returns the address of a target plus an addend. An undefined target
// has address 0. It reports false if the output does not contain the place.
func (l *linker) address(t *refTarget, addend int64) (uint64, bool) {
	switch {
	case t.sec == atOutput:
		return l.outputAddress(&l.syms[t.sym]) + uint64(addend), true
	case t.sec <= 0:
		return t.value + uint64(addend), true
	}
	s := &l.secs[t.sec]
	off := t.value
	if t.whole {
		off, addend = off+uint64(addend), 0
	}
	if s.out < 0 {
		return 0, false
	}
	base := l.outs[s.out].addr
	if s.kind == secMerge {
		sec, at, ok := l.mergedOffset(s, off)
		return base + l.secs[sec].outOff + at + uint64(addend), ok
	}
	return base + s.outOff + off + uint64(addend), true
}

// outputAddress returns the address of a symbol that the linker defines.
func (l *linker) outputAddress(s *symbol) uint64 {
	if s.out < 0 {
		return s.value
	}
	o := l.outs[s.out]
	if s.atEnd {
		return o.addr + o.size
	}
	return o.addr + s.value
}
