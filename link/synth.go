package link

import (
	co "github.com/gfx-toolchain/gfx/codeobject"
)

// synthetics holds the contents that the linker creates.
type synthetics struct {
	inputs []mergeInput
	merged []mergedSection
	pieces []piece // storage for the pieces of inputs

	buildID, dynsym, gnuHash, hash, dynamic, dynstr, rela, got, relro secID
	symtab, shstrtab, strtab                                          secID

	gotValues   []gotValue
	gotIndex    map[uint64]int32 // of local symbols: file<<32 | symbol → 1 + index
	gotSymbol   bool             // _GLOBAL_OFFSET_TABLE_ is referenced
	reserved    []reservedSym
	dynSyms     []symID // symbols of .dynsym without the null symbol
	dynNames    []uint32
	dynStrSize  uint64
	soName      uint64 // offset in .dynstr
	buckets     uint32 // number of buckets in .gnu.hash
	maskWords   uint32
	firstHashed uint32 // index in .dynsym of the first symbol in .gnu.hash
	relatives   int
	table       symbolTable
}

// gotValue is a .got entry with a known value.
type gotValue struct{ off, value uint64 }

// makeSynthetics adds the linker's own sections, in their order within a rank,
// and splits mergeable sections into pieces.
func (l *linker) makeSynthetics() {
	y := &l.synth
	comment := l.ownSection(".comment", co.SHT_PROGBITS, shfMerge|shfStrings, 1, 1)
	c := &l.secs[comment]
	c.data = l.ownBytes(append([]byte(l.opt.ident), 0))
	c.size, c.kind = uint64(c.data.size), secMerge
	l.order = append(l.order, comment)
	for _, id := range l.order {
		if l.secs[id].kind == secMerge && !l.split(id) {
			return
		}
	}
	add := func(to *secID, name string, typ co.SectionType, flags, align, entsize uint32) {
		*to = l.ownSection(name, typ, flags, align, entsize)
		l.order = append(l.order, *to)
	}
	if l.opt.BuildID != BuildIDNone {
		add(&y.buildID, ".note.gnu.build-id", co.SHT_NOTE, shfAlloc, 4, 0)
		l.secs[y.buildID].size = noteHeader + uint64(l.opt.buildIDSize())
	}
	add(&y.dynsym, ".dynsym", co.SHT_DYNSYM, shfAlloc, wordSize, symSize)
	if l.opt.HashStyle != HashSysV {
		add(&y.gnuHash, ".gnu.hash", co.SHT_GNU_HASH, shfAlloc, wordSize, 0)
	}
	if l.opt.HashStyle != HashGNU {
		add(&y.hash, ".hash", co.SHT_HASH, shfAlloc, 4, 4)
	}
	add(&y.dynamic, ".dynamic", co.SHT_DYNAMIC, shfAlloc|shfWrite, wordSize, dynSize)
	add(&y.dynstr, ".dynstr", co.SHT_STRTAB, shfAlloc, 1, 0)
	add(&y.rela, ".rela.dyn", co.SHT_RELA, shfAlloc, wordSize, relaSize)
	add(&y.got, ".got", co.SHT_PROGBITS, shfAlloc|shfWrite, wordSize, 0)
	add(&y.relro, ".relro_padding", co.SHT_NOBITS, shfAlloc|shfWrite, 1, 0)
	if l.opt.Strip != StripAll {
		add(&y.symtab, ".symtab", co.SHT_SYMTAB, 0, wordSize, symSize)
	}
	add(&y.shstrtab, ".shstrtab", co.SHT_STRTAB, 0, 1, 0)
	if l.opt.Strip != StripAll {
		add(&y.strtab, ".strtab", co.SHT_STRTAB, 0, 1, 0)
	}
	l.defineDynamic()
}

// unneeded reports whether a section is an empty section of the linker's own.
func (l *linker) unneeded(id secID) bool {
	switch id {
	case l.synth.rela:
		return len(l.dyns) == 0
	case l.synth.got:
		return l.secs[id].size == 0 && !l.synth.gotSymbol
	}
	return false
}

// reservedKind is the location of a symbol that the linker defines.
type reservedKind uint8

const (
	atHeader reservedKind = iota // the ELF header
	atGot
	atBss
	endOfText // end of the last executable section
	endOfData // end of the last section with contents
	endOfAll
	startOfName // start of the section named in reservedSyms
	endOfName
)

type reservedSym struct {
	id   symID
	kind reservedKind
	of   string
}

// reservedSyms lists the symbols that the linker defines if they are referenced
// but not defined.
var reservedSyms = []struct {
	name   string
	kind   reservedKind
	of     string
	hidden bool
}{
	{"_GLOBAL_OFFSET_TABLE_", atGot, "", true},
	{"__ehdr_start", atHeader, "", true},
	{"__executable_start", atHeader, "", true},
	{"__dso_handle", atHeader, "", true},
	{"__bss_start", atBss, "", false},
	{"end", endOfAll, "", false},
	{"_end", endOfAll, "", false},
	{"etext", endOfText, "", false},
	{"_etext", endOfText, "", false},
	{"edata", endOfData, "", false},
	{"_edata", endOfData, "", false},
	{"__preinit_array_start", startOfName, ".preinit_array", true},
	{"__preinit_array_end", endOfName, ".preinit_array", true},
	{"__init_array_start", startOfName, ".init_array", true},
	{"__init_array_end", endOfName, ".init_array", true},
	{"__fini_array_start", startOfName, ".fini_array", true},
	{"__fini_array_end", endOfName, ".fini_array", true},
}

// defineSymbols defines reserved symbols. Layout determines their addresses.
func (l *linker) defineSymbols() {
	for _, r := range reservedSyms {
		id := l.findSymbol(r.name)
		if id == 0 || !l.defineOwn(id, r.hidden) {
			continue
		}
		l.synth.reserved = append(l.synth.reserved, reservedSym{id, r.kind, r.of})
		l.synth.gotSymbol = l.synth.gotSymbol || r.kind == atGot
	}
}

// defineOwn defines a symbol in the linker unless an object defines it.
func (l *linker) defineOwn(id symID, hidden bool) bool {
	s := &l.syms[id]
	if s.kind == symDefined || s.kind == symCommon || !s.used {
		return false
	}
	s.define(symDefined, &symbol{file: -1, sec: atOutput, bind: co.STB_GLOBAL})
	s.out = -1
	if hidden {
		s.mergeVis(co.STV_HIDDEN)
	}
	return true
}

// defineDynamic defines _DYNAMIC.
func (l *linker) defineDynamic() {
	id := l.internOwn("_DYNAMIC")
	s := &l.syms[id]
	s.used = true
	if l.defineOwn(id, true) {
		s = &l.syms[id]
		s.sec, s.bind = int32(l.synth.dynamic), co.STB_WEAK
	}
}

// defineSectionSymbols defines __start_NAME and __stop_NAME for sections whose
// names are C identifiers.
func (l *linker) defineSectionSymbols(byName map[string]int32) {
	for _, out := range l.outs {
		if !isCIdentifier(out.name) {
			continue
		}
		for _, prefix := range []string{"__start_", "__stop_"} {
			id := l.findSymbol(prefix + out.name)
			if id == 0 || !l.defineOwn(id, false) {
				continue
			}
			s := &l.syms[id]
			s.mergeVis(co.STV_PROTECTED)
			s.out, s.atEnd = byName[out.name], prefix == "__stop_"
		}
	}
}

// placeReserved finds the output sections of reserved symbols in the sorted
// list.
func (l *linker) placeReserved() {
	for _, r := range l.synth.reserved {
		s := &l.syms[r.id]
		for i, out := range l.outs {
			fits := false
			switch alloc := out.flags&shfAlloc != 0; r.kind {
			case atGot:
				fits = out.name == ".got"
			case atBss:
				fits = out.name == ".bss"
			case endOfText:
				fits, s.atEnd = alloc && out.flags&shfExec != 0, true
			case endOfData:
				fits, s.atEnd = alloc && out.typ != co.SHT_NOBITS, true
			case endOfAll:
				fits, s.atEnd = alloc, true
			case startOfName:
				fits = out.name == r.of
			case endOfName:
				fits, s.atEnd = out.name == r.of, true
			}
			if fits {
				s.out = int32(i)
			}
		}
	}
}
