package link

import (
	"bytes"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// symbolTable holds the entries of .symtab before it is written.
type symbolTable struct {
	entries  []symEntry // local symbols first
	locals   int
	nameSize uint64 // size of .strtab
}

// symEntry is an entry of .symtab: a local symbol of a file, or a global one.
type symEntry struct {
	file int32 // -1 for the linker
	sym  int32 // index in the file's symbol table, or ^symID
	name uint32
}

// makeSymTab selects the symbols of .symtab. Local symbols are grouped by file.
// Hidden symbols are local and belong to the group of the file that defines
// them.
func (l *linker) makeSymTab() {
	y := &l.synth
	if y.symtab == 0 {
		return
	}
	t := &y.table
	t.nameSize = 1
	count := 0
	for _, f := range l.objs {
		count += f.firstGlobal
	}
	locals := make([]symEntry, 0, count+len(l.syms))
	for _, f := range l.objs {
		var err error
		if locals, err = l.keptLocals(locals, f); err != nil {
			l.errs.addError(err)
			return
		}
	}
	globals := make([]symEntry, 0, len(l.syms))
	for i := 1; i < len(l.syms); i++ {
		s := &l.syms[i]
		if !s.used || s.kind == symDefined && l.deadSymbol(s) || s.kind != symDefined && l.opt.GCSections && !s.needed {
			continue
		}
		e := symEntry{s.file, ^int32(i), l.strtabAdd(int(s.name.size))}
		if s.local() {
			e.file = s.file
			locals = append(locals, e)
		} else {
			globals = append(globals, e)
		}
	}
	t.locals = len(locals)
	t.entries = append(l.groupByFile(locals, len(globals)), globals...)
	l.secs[y.symtab].size = uint64(len(t.entries)+1) * symSize
	l.secs[y.strtab].size = t.nameSize
	if t.nameSize > 4*l.total+1<<22 {
		l.errs.errorf("the symbol names are longer than the inputs allow")
	}
}

// strtabAdd returns the offset of a new name in .strtab.
func (l *linker) strtabAdd(size int) uint32 {
	t := &l.synth.table
	if size == 0 {
		return 0
	}
	off := t.nameSize
	t.nameSize += uint64(size) + 1
	return uint32(off)
}

// keptLocals appends the local symbols of a file that are retained.
func (l *linker) keptLocals(list []symEntry, f *file) ([]symEntry, error) {
	for i := 1; i < f.firstGlobal; i++ {
		raw, name, err := f.symbol(i)
		if err != nil {
			return list, err
		}
		if raw.bind() != co.STB_LOCAL {
			return list, f.errorf(0, "symbol %d is global, but precedes symbol %d", i, f.firstGlobal)
		}
		if raw.typ() == co.STT_SECTION {
			continue
		}
		in, err := f.sectionOf(&raw, i)
		switch {
		case err != nil:
			return list, err
		case in == inUndef || in == inCommon || in == inLDS:
			continue
		case in > 0:
			s := &l.secs[l.secOf(f, in)]
			if s.out < 0 || s.flags&shfMerge != 0 && bytes.HasPrefix(name, []byte(".L")) {
				continue
			}
			if s.kind == secMerge {
				if p := l.synth.inputs[s.merge].at(raw.value, s.size); p == nil || p.entry == 0 {
					continue
				}
			}
		}
		list = append(list, symEntry{f.index, int32(i), l.strtabAdd(len(name))})
	}
	return list, nil
}

// groupByFile groups entries by file, in the order of each file's first entry.
// The result has capacity for more entries.
func (l *linker) groupByFile(list []symEntry, more int) []symEntry {
	rank := make([]int, len(l.files)+1) // 1 + rank, by 1 + file
	var start []int
	for _, e := range list {
		r := &rank[e.file+1]
		if *r == 0 {
			start = append(start, 0)
			*r = len(start)
		}
		start[*r-1]++
	}
	at := 0
	for i, n := range start {
		start[i], at = at, at+n
	}
	out := make([]symEntry, len(list), len(list)+more)
	for _, e := range list {
		p := &start[rank[e.file+1]-1]
		out[*p] = e
		*p++
	}
	return out
}

// placeSymbols computes the addresses of the defined global symbols.
func (l *linker) placeSymbols() {
	for i := range l.syms {
		s := &l.syms[i]
		switch {
		case s.kind != symDefined:
		case s.sec == atAbs:
			s.addr = s.value
		case s.sec == atOutput:
			s.addr = l.outputAddress(s)
		default:
			t := refTarget{sec: s.sec, value: s.value}
			s.addr, _ = l.address(&t, 0)
		}
	}
}

// outSymbol returns a global symbol's output entry without its name.
func (l *linker) outSymbol(s *symbol) rawSym {
	bind := s.bind
	if s.local() {
		bind = co.STB_LOCAL
	}
	raw := rawSym{info: uint8(bind)<<4 | uint8(s.typ), other: s.other}
	if s.kind != symDefined {
		return raw
	}
	raw.size = s.size
	switch {
	case s.sec == atAbs:
		raw.shndx, raw.value = shnAbs, s.value
	case s.sec == atOutput:
		raw.value, raw.shndx = s.addr, 1
		if s.out >= 0 {
			raw.shndx = uint16(l.outs[s.out].index)
		}
	default:
		raw.value = s.addr
		raw.shndx = uint16(l.outs[l.secs[s.sec].out].index)
	}
	return raw
}

// outLocal returns the output entry of a file's local symbol.
func (l *linker) outLocal(f *file, i int) rawSym {
	raw := readSym(f.symtab[i*symSize:])
	if in, _ := f.sectionOf(&raw, i); in > 0 {
		t := refTarget{sec: int32(l.secOf(f, in)), value: raw.value}
		raw.value, _ = l.address(&t, 0)
		raw.shndx = uint16(l.outs[l.secs[t.sec].out].index)
	}
	return raw
}

// writeSymTab writes .symtab and .strtab.
func (l *linker) writeSymTab(buf []byte) {
	names := l.contents(l.synth.strtab)
	for i, e := range l.synth.table.entries {
		var raw rawSym
		var name []byte
		if e.sym < 0 {
			s := &l.syms[^e.sym]
			raw, name = l.outSymbol(s), l.bytes(s.name)
		} else {
			f := l.files[e.file]
			raw = l.outLocal(f, int(e.sym))
			name, _ = stringAt(f.strtab, raw.name)
		}
		copy(names[e.name:], name)
		raw.name = e.name
		raw.encodeTo(buf[(i+1)*symSize:])
	}
}
