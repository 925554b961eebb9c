package inspect

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/target"
)

// Object builds the report of a relocatable object or code object. An error
// (codeobject.FormatError) means that data is not such an ELF file, and has the
// location. Errors inside the file, such as unreadable notes, are findings.
func Object(data []byte) (*Report, error) { return object(context.Background(), data, false) }

// ObjectContext is Object with a context. When ctx ends, ObjectContext stops and
// returns ctx's error.
func ObjectContext(ctx context.Context, data []byte) (*Report, error) {
	return object(ctx, data, false)
}

// object builds the report. A brief one has the target, the kernels and all
// findings, but neither the kernels' descriptors nor lists of the file's
// contents.
func object(ctx context.Context, data []byte, brief bool) (*Report, error) {
	o, err := codeobject.Read(data)
	if err != nil {
		return nil, err
	}
	b := builder{ctx: ctx, o: o, r: &Report{}, brief: brief}
	if isCatalyst(o) {
		return b.catalystObject(data)
	}
	if o.Machine != codeobject.EM_AMDGPU {
		return nil, &codeobject.FormatError{Offset: 18, Problem: fmt.Sprintf("ELF machine %d, expected %d, AMDGPU", o.Machine, codeobject.EM_AMDGPU)}
	}
	b.header(len(data))
	b.target()
	for _, part := range []func(){b.segments, b.sections, b.notes, b.symbols, b.relocations, b.kernels, b.sortFindings} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return b.r, nil
}

// builder builds a report.
type builder struct {
	ctx   context.Context
	o     *codeobject.Object
	r     *Report
	brief bool
	head  target.Header
	t     *target.Target // nil if the processor is unknown
	v2    *codeobject.MetadataV2
	meta  *codeobject.Metadata
	lookups
}

func (b *builder) header(size int) {
	o := b.o
	class := 64
	if o.Class == codeobject.ELFCLASS32 {
		class = 32
	}
	b.r.Header = Header{class, name(fileTypes.Get(), uint64(o.Type)), o.Machine, uint8(o.OSABI), o.ABIVersion, o.Flags, o.Entry, size}
}

// fileTypes, osABIs, segmentTypes and sectionTypes hold names without their
// prefixes.
var (
	fileTypes = lazy.Value[map[uint64]string]{Make: func() map[uint64]string { return map[uint64]string{0: "NONE", 1: "REL", 2: "EXEC", 3: "DYN"} }}
	osABIs    = lazy.Value[map[uint64]string]{Make: func() map[uint64]string {
		return map[uint64]string{0: "none", 3: "gnu", 64: "amdhsa", 65: "amdpal", 66: "mesa3d"}
	}}

	segmentTypes = lazy.Value[map[uint64]string]{Make: func() map[uint64]string {
		return map[uint64]string{
			codeobject.PT_NULL: "NULL", codeobject.PT_LOAD: "LOAD", codeobject.PT_DYNAMIC: "DYNAMIC", codeobject.PT_NOTE: "NOTE",
			codeobject.PT_PHDR: "PHDR", codeobject.PT_TLS: "TLS", codeobject.PT_GNU_STACK: "GNU_STACK", codeobject.PT_GNU_RELRO: "GNU_RELRO",
		}
	}}
	sectionTypes = lazy.Value[map[uint64]string]{Make: func() map[uint64]string {
		return map[uint64]string{
			0: "NULL", 1: "PROGBITS", 2: "SYMTAB", 3: "STRTAB", 4: "RELA", 5: "HASH", 6: "DYNAMIC", 7: "NOTE", 8: "NOBITS", 9: "REL",
			10: "SHLIB", 11: "DYNSYM", 14: "INIT_ARRAY", 15: "FINI_ARRAY", 16: "PREINIT_ARRAY", 17: "GROUP", 18: "SYMTAB_SHNDX", 19: "RELR",
			0x6fff4c00: "LLVM_ODRTAB", 0x6fff4c01: "LLVM_LINKER_OPTIONS", 0x6fff4c03: "LLVM_ADDRSIG", 0x6fff4c04: "LLVM_DEPENDENT_LIBRARIES",
			0x6fff4c05: "LLVM_SYMPART", 0x6fff4c09: "LLVM_CALL_GRAPH_PROFILE", 0x6fff4c0a: "LLVM_BB_ADDR_MAP", 0x6fff4c0b: "LLVM_OFFLOADING",
			0x6fff4c0c: "LLVM_LTO", 0x6fff4c0d: "LLVM_JT_SIZES",
			0x6ffffff6: "GNU_HASH", 0x6ffffffd: "GNU_verdef", 0x6ffffffe: "GNU_verneed", 0x6fffffff: "GNU_versym",
		}
	}}
)

// name returns the name of a number, or the number in hexadecimal.
func name(names map[uint64]string, n uint64) string {
	if s, ok := names[n]; ok {
		return s
	}
	return "0x" + strconv.FormatUint(n, 16)
}

func (b *builder) target() {
	h, err := b.o.Target()
	if err != nil {
		b.addf(badTarget, "", "ELF header", "%s", strings.TrimPrefix(problem(err), "ELF header: "))
	}
	b.head = h
	b.r.Target = Target{
		Triple: h.Triple.String(), CodeObjectVersion: h.COV, GenericVersion: int(h.Generic), OSABI: name(osABIs.Get(), uint64(b.o.OSABI)),
	}
	if h.Processor == nil {
		if err == nil {
			b.addf(noProcessor, "", "ELF header", "e_flags 0x%08x names no processor", b.o.Flags)
		}
		return
	}
	t := &b.r.Target
	t.Processor, t.Generation = h.Processor.Name, h.Processor.Gen.String()
	t.XNACK, t.SRAMECC = strings.ToLower(h.XNACK.String()), strings.ToLower(h.SRAMECC.String())
	cov := h.COV
	if cov == 0 {
		cov = target.DefaultCOV
	}
	if t.ID, err = h.ID.Format(cov); err != nil {
		t.ID = h.ID.String()
	}
	if b.t, err = h.ID.Target(""); err != nil {
		b.addf(badTarget, "", "ELF header", "%v", err)
		return
	}
	b.t.COV = cov
}

// problem returns the text of an error without a FormatError's location.
func problem(err error) string {
	if e, ok := err.(*codeobject.FormatError); ok {
		return e.Problem
	}
	return err.Error()
}

// flagLetters lists readelf's letters for the flags of sections.
var flagLetters = [...]struct {
	bit    codeobject.SectionFlags
	letter byte
}{
	{codeobject.SHF_WRITE, 'W'}, {codeobject.SHF_ALLOC, 'A'}, {codeobject.SHF_EXECINSTR, 'X'}, {codeobject.SHF_MERGE, 'M'},
	{codeobject.SHF_STRINGS, 'S'}, {codeobject.SHF_INFO_LINK, 'I'}, {codeobject.SHF_LINK_ORDER, 'L'}, {codeobject.SHF_GROUP, 'G'},
	{codeobject.SHF_TLS, 'T'}, {codeobject.SHF_COMPRESSED, 'C'}, {codeobject.SHF_GNU_RETAIN, 'R'}, {codeobject.SHF_EXCLUDE, 'E'},
}

func (b *builder) segments() {
	b.r.Segments = make([]Segment, 0, len(b.o.Segments))
	for _, s := range b.o.Segments {
		flags := ""
		for i, bit := range [...]uint32{codeobject.PF_R, codeobject.PF_W, codeobject.PF_X} {
			if s.Flags&bit != 0 {
				flags += "RWX"[i : i+1]
			}
		}
		b.r.Segments = append(b.r.Segments, Segment{name(segmentTypes.Get(), uint64(s.Type)), flags, s.Offset, s.VAddr, s.PAddr, s.FileSize, s.MemSize, s.Align})
	}
}

func (b *builder) sections() {
	b.r.Sections = make([]Section, 0, len(b.o.Sections))
	for i, s := range b.o.Sections {
		if i == 0 && s.Type == codeobject.SHT_NULL {
			continue
		}
		flags := []byte{}
		for _, f := range flagLetters {
			if s.Flags&f.bit != 0 {
				flags = append(flags, f.letter)
			}
		}
		b.r.Sections = append(b.r.Sections, Section{
			i, s.Name, name(sectionTypes.Get(), uint64(s.Type)), string(flags), s.Addr, s.Offset, s.Size, s.Link, s.Info, s.Align, s.EntSize})
	}
	if _, err := b.o.Atomics(); err != nil {
		b.addf(badAtomics, "", codeobject.AtomicsSection, "%v", err)
	}
}

func (b *builder) symbols() {
	if !b.brief {
		b.r.Symbols = make([]Symbol, 0, len(b.o.Symbols)+len(b.o.DynSymbols))
	}
	b.byAddr = make(map[place][]*codeobject.Symbol)
	for _, table := range [...]struct {
		name string
		list []codeobject.Symbol
	}{{".symtab", b.o.Symbols}, {".dynsym", b.o.DynSymbols}} {
		for i := range table.list {
			s := &table.list[i]
			b.noteCode(s)
			if !b.brief {
				b.r.Symbols = append(b.r.Symbols, Symbol{
					table.name, b.symbolName(s), s.Value, s.Size, s.Bind.String(), s.Type.String(), visibilities[s.Vis&3], s.Other, b.sectionOf(s)})
			}
		}
	}
}

var visibilities = [...]string{"DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"}

// symbolName returns a symbol's name, or its section's name for a section
// symbol.
func (b *builder) symbolName(s *codeobject.Symbol) string {
	if s.Name == "" && s.Type == codeobject.STT_SECTION {
		return b.sectionOf(s)
	}
	return s.Name
}

func (b *builder) sectionOf(s *codeobject.Symbol) string {
	if s.Section != codeobject.SHN_UNDEF && uint64(s.Section) < uint64(len(b.o.Sections)) {
		return b.o.Sections[s.Section].Name
	}
	return s.Section.String()
}

func (b *builder) relocations() {
	b.r.Relocations = []Relocation{}
	if b.brief {
		return
	}
	for _, sec := range b.o.Sections {
		for i := range sec.Relocs {
			r := &sec.Relocs[i]
			out := Relocation{Section: sec.Name, Offset: r.Offset, Type: r.Type.String(), Addend: r.Addend}
			if s := b.relocSymbol(sec, r); s != nil {
				out.Symbol = b.symbolName(s)
			}
			b.r.Relocations = append(b.r.Relocations, out)
		}
	}
}

// relocSymbol returns the symbol of a relocation, or nil if it has none.
func (b *builder) relocSymbol(sec *codeobject.Section, r *codeobject.Reloc) *codeobject.Symbol {
	symbols := b.o.Symbols
	if l := uint64(sec.Link); l < uint64(len(b.o.Sections)) && b.o.Sections[l].Type == codeobject.SHT_DYNSYM {
		symbols = b.o.DynSymbols
	}
	if r.Symbol == 0 || uint64(r.Symbol) > uint64(len(symbols)) {
		return nil
	}
	return &symbols[r.Symbol-1]
}
