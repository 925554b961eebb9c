package compile

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// program is a code object in the making: sections with bytes and relocations, symbols, and in which order they came to be.
// The writers of objects and of text both go by it.
type program struct {
	target     *target.Target
	sections   []*section
	symbols    []*symbol
	byName     map[string]int // symbol numbers by name
	chunks     []chunk
	meta       []codeobject.Note // in their order
	metadata   *codeobject.Metadata
	metadataV2 *codeobject.MetadataV2
	module     *ir.Module // whose globals give symbols their bindings, nil for none

	limit uint64 // bytes of all sections with contents
	bytes uint64 // of them so far
}

// room returns an error when the sections have no room for n more bytes.
func (p *program) room(n uint64) error {
	if n > p.limit || p.bytes > p.limit-n {
		return sizeError(p.limit)
	}
	return nil
}

// sizeError is the limit in bytes that the output exceeds.
type sizeError uint64

func (e sizeError) Error() string { return e.LimitError() }

// LimitError tells limits from other errors.
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
	symbol  int // number of the symbol that stands for it
}

// symbol is a symbol of the object. Number 0 is none.
type symbol struct {
	name    string
	bind    codeobject.SymBind
	typ     codeobject.SymType
	vis     codeobject.SymVis
	section int // number of its section, 0 when it is not defined here, or common
	special codeobject.SectionIndex
	value   uint64
	size    uint64
	implied bool // its visibility follows from what it is, and is not written
	private bool // it has no entry in the symbol table: a label
	used    bool // a relocation names it
	target  int  // of an alias: the symbol that it is another name of
}

// reloc is a relocation. Its symbol may be local; the writers then name the section instead.
type reloc struct {
	offset uint64
	typ    codeobject.RelocType
	symbol int
	addend int64
}

// chunk is something that stands at one place of a section.
type chunk struct {
	kind    chunkKind
	section int
	from    uint64 // without padding before it
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
	chunkCodeEnd // what stands behind all code for the instruction prefetcher
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

// section gives the number of a section, made when there is none.
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

// symbolOf gives the number of the symbol of a name, made when there is none.
func (p *program) symbolOf(name string) int {
	n, ok := p.byName[name]
	if !ok {
		n = len(p.symbols)
		p.byName[name] = n
		p.symbols = append(p.symbols, &symbol{name: name, bind: codeobject.STB_GLOBAL, private: strings.HasPrefix(name, privatePrefix)})
	}
	return n
}

// privatePrefix begins the names of labels that are in no symbol table.
const privatePrefix = ".L"

// symbolName gives the name of the symbol of a global.
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

// bind gives the symbol of a name that code refers to, as the module declares it.
func (p *program) bind(name string) int {
	if p.module != nil {
		if g := p.module.Global(name); g != nil {
			return p.global(g)
		}
	}
	return p.symbolOf(name)
}

// global gives the symbol of a global, with its binding and visibility.
func (p *program) global(g *ir.Global) int {
	n := p.symbolOf(symbolName(g))
	s := p.symbols[n]
	s.bind, s.vis = bindings[g.Linkage], visibilities[g.Vis]
	return n
}

// place puts bytes (or size bytes of nothing) at the end of a section, aligned, defines a symbol there, and notes the chunk. It panics with
// a sizeError when there is no room.
func (p *program) place(sec int, c chunk, data []byte, size uint64) *chunk {
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

// pad fills a section up to an alignment.
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
