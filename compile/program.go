package compile

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// program is an incomplete code object: sections with bytes and relocations,
// and symbols, in the order of their creation, which the writers of objects and
// of text follow.
type program struct {
	target     *target.Target
	sections   []*section
	symbols    []*symbol
	byName     map[string]int // symbol numbers by name
	chunks     []chunk
	meta       []codeobject.Note // in their order
	metadata   *codeobject.Metadata
	metadataV2 *codeobject.MetadataV2
	pal        *palMetadata
	module     *ir.Module // its globals determine the bindings of symbols; nil for none

	limit uint64 // bytes of all sections with contents
	bytes uint64 // current size of these sections
}

// room returns an error if n more bytes exceed the limit of the sections.
func (p *program) room(n uint64) error {
	if n > p.limit || p.bytes > p.limit-n {
		return sizeError(p.limit)
	}
	return nil
}

// sizeError is the limit in bytes that the output exceeds.
type sizeError uint64

func (e sizeError) Error() string { return e.LimitError() }

// LimitError distinguishes limits from other errors.
func (e sizeError) LimitError() string {
	return fmt.Sprintf("output is larger than %d bytes", uint64(e))
}

// section is a section of the object.
type section struct {
	name    string
	typ     codeobject.SectionType
	flags   codeobject.SectionFlags
	entSize uint64
	align   uint64
	data    []byte
	size    uint64 // of SHT_NOBITS
	relocs  []reloc
	symbol  int // number of the section symbol
}

// symbol is a symbol of the object. Number 0 is none.
type symbol struct {
	name    string
	bind    codeobject.SymBind
	typ     codeobject.SymType
	vis     codeobject.SymVis
	section int // number of its section, 0 if it is undefined or common
	special codeobject.SectionIndex
	value   uint64
	size    uint64
	implied bool // the visibility follows from the kind of symbol and is not written
	private bool // a label without an entry in the symbol table
	used    bool // a relocation refers to it
	target  int  // of an alias: the aliased symbol
}

// reloc is a relocation. Its symbol may be local; the writers then name the section instead.
type reloc struct {
	offset uint64
	typ    codeobject.RelocType
	symbol int
	addend int64
}

// chunk is an item at one place of a section.
type chunk struct {
	kind    chunkKind
	section int
	from    uint64 // excluding the padding before it
	to      uint64
	align   uint64
	symbol  int
	fn      *function
	kernel  *kernel
}

type chunkKind uint8

const (
	chunkFunction chunkKind = iota
	chunkVariable
	chunkDescriptor
	chunkCommon
	chunkAlias
	chunkData    // bytes without a name
	chunkCodeEnd // padding after all code for the instruction prefetcher
)

func newProgram(t *target.Target, m *ir.Module) *program {
	p := &program{target: t, module: m, limit: dataLimit(0), symbols: make([]*symbol, 1), byName: map[string]int{}, sections: make([]*section, 1)}
	p.section(".text", codeobject.SHT_PROGBITS, codeobject.SHF_ALLOC|codeobject.SHF_EXECINSTR, 0)
	if t.COV == 2 {
		p.section(".note", codeobject.SHT_NOTE, codeobject.SHF_ALLOC, 0)
	}
	return p
}

const textSection = 1

// section returns the number of a section, which it creates if it does not
// exist.
func (p *program) section(name string, typ codeobject.SectionType, flags codeobject.SectionFlags, entSize uint64) int {
	for n := 1; n < len(p.sections); n++ {
		if s := p.sections[n]; s.name == name && s.flags == flags && s.typ == typ {
			return n
		}
	}
	align := uint64(1)
	if name == ".text" {
		align = 4
	}
	p.sections = append(p.sections, &section{name: name, typ: typ, flags: flags, entSize: entSize, align: align})
	n := len(p.sections) - 1
	p.sections[n].symbol = len(p.symbols)
	p.symbols = append(p.symbols, &symbol{typ: codeobject.STT_SECTION, section: n, private: true})
	return n
}

// symbolOf returns the number of the symbol of a name, which it creates if it
// does not exist.
func (p *program) symbolOf(name string) int {
	n, ok := p.byName[name]
	if !ok {
		n = len(p.symbols)
		p.byName[name] = n
		p.symbols = append(p.symbols, &symbol{name: name, bind: codeobject.STB_GLOBAL, private: strings.HasPrefix(name, privatePrefix)})
	}
	return n
}

// privatePrefix begins the names of labels that are not in the symbol table.
const privatePrefix = ".L"

// symbolName returns the name of a global's symbol.
func symbolName(g *ir.Global) string {
	name := strings.TrimPrefix(g.Name(), "\x01")
	if g.Linkage == ir.Private {
		return privatePrefix + name
	}
	return name
}

var bindings = [...]codeobject.SymBind{
	ir.External: codeobject.STB_GLOBAL, ir.AvailableExternally: codeobject.STB_GLOBAL, ir.Appending: codeobject.STB_GLOBAL, ir.Common: codeobject.STB_GLOBAL,
	ir.LinkOnceAny: codeobject.STB_WEAK, ir.LinkOnceODR: codeobject.STB_WEAK, ir.WeakAny: codeobject.STB_WEAK, ir.WeakODR: codeobject.STB_WEAK,
	ir.ExternWeak: codeobject.STB_WEAK, ir.Internal: codeobject.STB_LOCAL, ir.Private: codeobject.STB_LOCAL,
}

var visibilities = [...]codeobject.SymVis{ir.DefaultVisibility: codeobject.STV_DEFAULT, ir.Hidden: codeobject.STV_HIDDEN, ir.Protected: codeobject.STV_PROTECTED}

// bind returns the symbol of a name that code refers to, with the module's
// declaration.
func (p *program) bind(name string) int {
	if p.module != nil {
		if g := p.module.Global(name); g != nil {
			return p.global(g)
		}
	}
	return p.symbolOf(name)
}

// global returns the symbol of a global, with its binding and visibility.
func (p *program) global(g *ir.Global) int {
	n := p.symbolOf(symbolName(g))
	s := p.symbols[n]
	s.bind, s.vis = bindings[g.Linkage], visibilities[g.Vis]
	return n
}

// placeChunk appends bytes (or size bytes without contents) to a section, aligned,
// defines a symbol there, and records the chunk. It panics with a sizeError if
// the limit is exceeded.
func (p *program) placeChunk(sec int, c chunk, data []byte, size uint64) *chunk {
	s := p.sections[sec]
	s.align = max(s.align, c.align)
	if s.typ == codeobject.SHT_NOBITS {
		s.size = alignUp(s.size, c.align)
		c.from, c.to = s.size, s.size+size
		s.size = c.to
	} else {
		before := uint64(len(s.data))
		if err := p.room(alignUp(before, c.align) - before + uint64(len(data))); err != nil {
			panic(err)
		}
		s.pad(c.align)
		c.from = uint64(len(s.data))
		s.data = append(s.data, data...)
		c.to = uint64(len(s.data))
		p.bytes += c.to - before
	}
	c.section = sec
	if sym := p.symbols[c.symbol]; sym != nil {
		sym.section, sym.value, sym.size = sec, c.from, c.to-c.from
	}
	p.chunks = append(p.chunks, c)
	return &p.chunks[len(p.chunks)-1]
}

// sNop is s_nop 0, which fills code.
var sNop = [4]byte{0, 0, 0x80, 0xbf}

// pad pads a section to an alignment.
func (s *section) pad(align uint64) {
	for uint64(len(s.data))%align != 0 {
		if s.flags&codeobject.SHF_EXECINSTR != 0 && len(s.data)%4 == 0 {
			s.data = append(s.data, sNop[:]...)
		} else {
			s.data = append(s.data, 0)
		}
	}
}

func alignUp(n, align uint64) uint64 {
	if align == 0 {
		return n
	}
	return (n + align - 1) / align * align
}
