package link

import (
	"bytes"
	"hash/maphash"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// symKind is the state of a global symbol.
type symKind uint8

const (
	symNew symKind = iota // only its name is known
	symUndefined
	symLazy // an archive member defines it
	symCommon
	symDefined
)

// Sections of defined symbols that are not input sections; greater values are
// secIDs.
const (
	atAbs    = -1
	atLDS    = -2 // before layOutLDS
	atOutput = -3 // in an output section, symbol.out
)

// symbol is a global symbol.
type symbol struct {
	value  uint64
	size   uint64
	addr   uint64 // address in the output, valid after layout
	name   view
	file   int32 // file that defines it or first references it; -1 for the linker
	sec    int32
	out    int32 // for atOutput: index in linker.outs, -1 for the ELF header
	got    int32 // 1 + index in .got
	dyn    uint32
	symtab uint32 // index in .symtab of a relocatable output
	kind   symKind
	bind   co.SymBind
	typ    co.SymType
	other  uint8 // st_other; the visibility is the strictest one in all files

	used        bool // referenced by a linked object
	referenced  bool
	discarded   bool // defined only in discarded sections
	lds         bool
	atEnd       bool // for atOutput: value is relative to the end
	preemptible bool
	needsGot    bool
	reported    bool
	needed      bool // reached by garbage collection
}

func (s *symbol) vis() co.SymVis      { return co.SymVis(s.other & 3) }
func (s *symbol) undefinedWeak() bool { return s.kind == symUndefined && s.bind == co.STB_WEAK }

// local reports whether the symbol is local in the output.
func (s *symbol) local() bool {
	return s.bind == co.STB_LOCAL || s.vis() == co.STV_HIDDEN || s.vis() == co.STV_INTERNAL
}

// exported reports whether a defined symbol is in the dynamic symbol table.
func (s *symbol) exported() bool { return s.kind == symDefined && s.used && !s.local() }

// mergeVis makes the visibility at least as strict as v.
func (s *symbol) mergeVis(v co.SymVis) {
	if old := s.vis(); v != co.STV_DEFAULT && (old == co.STV_DEFAULT || v < old) {
		s.other = s.other&^3 | uint8(v)
	}
}

// nameTable is a hash table of symbol names.
type nameTable struct {
	seed  maphash.Seed
	slots []symID
	hash  []uint32 // of symbol names, by symID
}

func (t *nameTable) reserve(n int, room *tableRoom) {
	t.seed = maphash.MakeSeed()
	size := 64
	for size < 2*n {
		size *= 2
	}
	t.slots = table[symID](room, size)[:size]
	t.hash = table[uint32](room, n)[:1]
}

// symName returns a global symbol's name.
func (l *linker) symName(id symID) []byte { return l.bytes(l.syms[id].name) }

// intern returns the symbol with a name and its hash, creating it if necessary.
func (l *linker) intern(name view, h uint32) symID {
	t := &l.table
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if id := t.slots[i]; t.hash[id] == h && bytes.Equal(l.symName(id), l.bytes(name)) {
			return id
		}
	}
	id := symID(len(l.syms))
	t.slots[i] = id
	t.hash = append(t.hash, h)
	l.syms = append(l.syms, symbol{name: name, file: -1})
	if 2*len(l.syms) > len(t.slots) {
		t.grow()
	}
	return id
}

// internGlobal is like intern for the i-th global symbol of a file.
func (l *linker) internGlobal(f *file, i int, raw *rawSym) symID {
	name := view{size: f.infos[i].size}
	if name.size > 0 {
		name.blob, name.off = f.blob, f.strtabOff+raw.name
	}
	return l.intern(name, f.infos[i].hash)
}

// findSymbol returns the symbol with a name, or 0.
func (l *linker) findSymbol(name string) symID {
	t := &l.table
	h := uint32(maphash.String(t.seed, name))
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if id := t.slots[i]; t.hash[id] == h && string(l.symName(id)) == name {
			return id
		}
	}
	return 0
}

func (t *nameTable) grow() {
	t.slots = make([]symID, 2*len(t.slots))
	mask := uint32(len(t.slots) - 1)
	for id := 1; id < len(t.hash); id++ {
		i := t.hash[id] & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = symID(id)
	}
}

// internOwn is like intern for a name that is in no file.
func (l *linker) internOwn(name string) symID {
	if id := l.findSymbol(name); id != 0 {
		return id
	}
	return l.intern(l.ownBytes([]byte(name)), uint32(maphash.String(l.table.seed, name)))
}

// reference marks a name as referenced, so that an archive member that defines it
// is linked.
func (l *linker) reference(name string) {
	l.resolveUndefined(l.internOwn(name), -1, co.STB_GLOBAL, 0, 0)
}

// addLazy enters the symbols that an archive member defines.
func (l *linker) addLazy(f *file) {
	for i := 0; i < len(f.infos) && f.lazy; i++ {
		raw := readSym(f.symtab[(f.firstGlobal+i)*symSize:])
		if raw.shndx != shnUndef {
			l.resolveLazy(l.internGlobal(f, i, &raw), f)
		}
	}
}

func (l *linker) resolveLazy(id symID, f *file) {
	s := &l.syms[id]
	switch s.kind {
	case symNew:
		s.kind, s.file = symLazy, f.index
	case symUndefined:
		if s.bind != co.STB_WEAK {
			l.extract(f)
			return
		}
		s.kind, s.file = symLazy, f.index // a weak reference does not extract the member
	}
}

// extract links an archive member.
func (l *linker) extract(f *file) {
	if f.lazy {
		f.lazy = false
		l.load(f)
	}
}

// loadSymbols enters the global symbols of an object: first its definitions,
// then its references, which may extract archive members.
func (l *linker) loadSymbols(f *file) {
	f.globals = l.ids.takeEntries(len(f.infos))
	first := len(l.pending) // earlier entries belong to objects whose references extracted this one
	for k := range f.infos {
		i := f.firstGlobal + k
		raw := readSym(f.symtab[i*symSize:])
		at, err := f.sectionOf(&raw, i)
		if err != nil {
			l.errs.addError(err)
			return
		}
		id := l.internGlobal(f, k, &raw)
		f.globals[k] = id
		l.syms[id].used = true
		if at == inUndef || at > 0 && l.secs[l.secOf(f, at)].kind == secDiscarded {
			l.pending = append(l.pending, int32(i))
			continue
		}
		l.resolveDefined(id, f, &raw, at)
	}
	for _, i := range l.pending[first:] {
		raw := readSym(f.symtab[int(i)*symSize:])
		id := f.globals[int(i)-f.firstGlobal]
		bind := raw.bind()
		if raw.shndx != shnUndef {
			l.syms[id].discarded = true
			bind = co.STB_GLOBAL
		}
		l.resolveUndefined(id, f.index, bind, raw.typ(), raw.other)
	}
	l.pending = l.pending[:first]
}

func (l *linker) resolveUndefined(id symID, from int32, bind co.SymBind, typ co.SymType, other uint8) {
	s := &l.syms[id]
	s.mergeVis(co.SymVis(other & 3))
	switch s.kind {
	case symNew:
		s.kind, s.file, s.bind, s.typ = symUndefined, from, bind, typ
		s.other |= other &^ 3
	case symLazy:
		if bind == co.STB_WEAK {
			s.bind, s.typ = co.STB_WEAK, typ
			break
		}
		s.referenced = true
		l.extract(l.files[s.file])
		return
	case symUndefined:
		if bind != co.STB_WEAK || !s.referenced {
			s.bind = bind
		}
	}
	s.referenced = true
}

// resolveDefined enters a definition: in a section, absolute, common or in LDS.
func (l *linker) resolveDefined(id symID, f *file, raw *rawSym, at int) {
	s := &l.syms[id]
	s.mergeVis(raw.vis())
	def := symbol{file: f.index, value: raw.value, size: raw.size, bind: raw.bind(), typ: raw.typ(), other: raw.other &^ 3}
	switch at {
	case inCommon:
		l.resolveCommon(s, &def)
		return
	case inAbs:
		def.sec = atAbs
	case inLDS:
		def.sec, def.lds = atLDS, true
		if s.kind == symDefined && s.lds {
			shareLDS(s, &def)
			return
		}
	default:
		def.sec = int32(l.secOf(f, at))
	}
	strong := def.bind != co.STB_WEAK
	switch s.kind {
	case symDefined:
		if !strong || s.bind != co.STB_WEAK {
			l.checkDuplicate(s, &def)
			return
		}
	case symCommon:
		if !strong {
			return
		}
	}
	s.define(symDefined, &def)
}

// define replaces a symbol's definition, keeping its name and visibility.
func (s *symbol) define(kind symKind, def *symbol) {
	s.kind, s.file, s.sec, s.value, s.size = kind, def.file, def.sec, def.value, def.size
	s.bind, s.typ, s.lds = def.bind, def.typ, def.lds
	s.other = s.other&3 | def.other
}

// shareLDS unifies the storage of two definitions of one LDS symbol.
func shareLDS(s, def *symbol) {
	s.size, s.value = max(s.size, def.size), max(s.value, def.value)
	if def.bind != co.STB_WEAK {
		s.bind = def.bind
	}
}

// resolveCommon enters a common symbol, whose value is its alignment. The
// largest of several definitions applies, with the strictest alignment.
func (l *linker) resolveCommon(s, def *symbol) {
	if def.value == 0 || def.value&(def.value-1) != 0 || def.value > maxAlign {
		l.errs.errorf("%s: the common symbol %s has the alignment %d, expected a power of two up to %d",
			l.files[def.file].name, l.bytes(s.name), def.value, uint64(maxAlign))
		return
	}
	switch {
	case s.kind == symDefined && s.bind != co.STB_WEAK:
		return
	case s.kind == symCommon:
		align := max(s.value, def.value)
		if def.size > s.size {
			s.define(symCommon, def)
		}
		s.value = align
		return
	}
	s.define(symCommon, def)
}

// checkDuplicate reports a second strong definition. Absolute symbols with
// equal values are not duplicates.
func (l *linker) checkDuplicate(s, def *symbol) {
	if s.bind == co.STB_WEAK || def.bind == co.STB_WEAK {
		return
	}
	if s.sec == atAbs && def.sec == atAbs && s.value == def.value {
		return
	}
	l.errs.errorf("duplicate symbol: %s, defined in %s and in %s", l.bytes(s.name), l.describePlace(s.file, s.sec, s.value), l.describePlace(def.file, def.sec, def.value))
}
