package compile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// assembly returns the program as text for LLVM's assembler and gfx's.
func (p *program) assembly() ([]byte, error) {
	w := &textWriter{p: p, section: -1}
	set, _ := isa.SetOf(p.target.Processor)
	w.decoder = isa.NewDecoder(set, p.target.WaveSize())
	if p.module != nil {
		w.printf("%s", p.module.ModuleAsm)
	}
	if err := w.header(); err != nil {
		return nil, err
	}
	for i := range p.chunks {
		if err := w.chunk(i); err != nil {
			return nil, err
		}
	}
	if p.metadataV2 != nil {
		err := w.footerV2()
		return w.out, err
	}
	if p.pal != nil {
		return p.pal.appendText(w.out)
	}
	if p.metadata != nil {
		text, err := p.metadata.AppendYAML([]byte("\t.amdgpu_metadata\n"))
		if err != nil {
			return nil, err
		}
		w.out = append(w.out, text...)
		w.printf("\n\t.end_amdgpu_metadata\n")
	}
	return w.out, nil
}

type textWriter struct {
	p       *program
	decoder *isa.Decoder
	out     []byte
	section int
	numFunc int
}

func (w *textWriter) printf(format string, args ...any) { w.out = fmt.Appendf(w.out, format, args...) }

func (w *textWriter) header() error {
	if w.p.target.COV == 2 && w.p.target.Triple.OS != target.Mesa3D {
		return w.headerV2()
	}
	id, err := targetID(w.p.target)
	if err != nil {
		return err
	}
	w.printf("\t.amdgcn_target \"%s\"\n", id)
	if w.p.target.Triple.OS == target.AMDHSA {
		w.printf("\t.amdhsa_code_object_version %d\n", w.p.target.COV)
	}
	return nil
}

// chunk writes a chunk.
func (w *textWriter) chunk(i int) error {
	c := &w.p.chunks[i]
	switch c.kind {
	case chunkFunction:
		return w.function(c)
	case chunkDescriptor:
		w.switchTo(c.section)
		w.align(c.align)
		w.descriptor(c.kernel)
	case chunkCodeEnd:
		f := w.p.codeFill()
		w.switchTo(c.section)
		w.printf("\t.p2alignl %d, %d\n\t.fill %d, 4, %d\n", log2(f.align), f.word, f.count, f.word)
	case chunkVariable:
		w.switchTo(c.section)
		w.variable(c)
	case chunkData:
		w.switchTo(c.section)
		w.align(c.align)
		w.data(w.p.sections[c.section], c.from, c.to)
	case chunkCommon:
		w.common(c)
	case chunkAlias:
		s := w.p.symbols[c.symbol]
		w.linkage(s)
		if s.typ == codeobject.STT_GNU_IFUNC {
			w.printf("\t.type\t%s,@gnu_indirect_function\n", quoted(s.name))
		}
		w.printf("\t.set %s, %s", quoted(s.name), quoted(w.p.symbols[s.target].name))
		if c.from != 0 {
			w.printf("%+d", int64(c.from))
		}
		w.printf("\n")
	}
	return nil
}

var sectionTypes = lazy.Value[map[codeobject.SectionType]string]{Make: func() map[codeobject.SectionType]string {
	return map[codeobject.SectionType]string{codeobject.SHT_PROGBITS: "@progbits", codeobject.SHT_NOBITS: "@nobits", codeobject.SHT_NOTE: "@note",
		codeobject.SHT_INIT_ARRAY: "@init_array", codeobject.SHT_FINI_ARRAY: "@fini_array"}
}}

// switchTo switches to a section.
func (w *textWriter) switchTo(n int) {
	if w.section == n {
		return
	}
	w.section = n
	s := w.p.sections[n]
	switch s.name {
	case ".text", ".data":
		w.printf("\t%s\n", s.name)
		return
	}
	flags := ""
	for _, f := range [...]struct {
		flag   codeobject.SectionFlags
		letter string
	}{{codeobject.SHF_ALLOC, "a"}, {codeobject.SHF_WRITE, "w"}, {codeobject.SHF_EXECINSTR, "x"}} {
		if s.flags&f.flag != 0 {
			flags += f.letter
		}
	}
	w.printf("\t.section\t%s,\"%s\",%s\n", quoted(s.name), flags, sectionTypes.Get()[s.typ])
}

func log2(n uint64) int {
	k := 0
	for ; n > 1; n >>= 1 {
		k++
	}
	return k
}

// align writes an alignment; code is padded with s_nop, data with zeros.
func (w *textWriter) align(n uint64) {
	if w.p.sections[w.section].flags&codeobject.SHF_EXECINSTR != 0 {
		w.printf("\t.p2align\t%d\n", log2(n))
	} else {
		w.printf("\t.p2align\t%d, 0x0\n", log2(n))
	}
}

// quoted returns a name in the assembler's syntax.
func quoted(name string) string {
	for i := range len(name) {
		c := name[i]
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '$' || i > 0 && (c >= '0' && c <= '9' || c == '@')
		if !ok {
			return strconv.Quote(name)
		}
	}
	return name
}

// linkage writes visibility and binding of a symbol.
func (w *textWriter) linkage(s *symbol) {
	name := quoted(s.name)
	switch {
	case s.vis == codeobject.STV_HIDDEN:
		w.printf("\t.hidden\t%s\n", name)
	case s.vis == codeobject.STV_PROTECTED && !s.implied:
		w.printf("\t.protected\t%s\n", name)
	}
	switch s.bind {
	case codeobject.STB_GLOBAL:
		w.printf("\t.globl\t%s\n", name)
	case codeobject.STB_WEAK:
		w.printf("\t.weak\t%s\n", name)
	}
}

// function writes the code of a function.
func (w *textWriter) function(c *chunk) error {
	w.switchTo(c.section)
	s := w.p.symbols[c.symbol]
	name := quoted(s.name)
	w.linkage(s)
	w.align(c.align)
	w.printf("\t.type\t%s,@function\n", name)
	v2 := c.fn.kernel != nil && w.p.target.COV == 2
	if v2 {
		w.printf("\t.amdgpu_hsa_kernel %s\n", name)
	}
	w.printf("%s:\n", name)
	if v2 {
		w.kernelCodeText(c.fn.kernel)
	}
	if c.fn.begin != "" {
		w.printf("%s:\n", c.fn.begin)
	}
	b := codeText{w: w, code: c.fn.code, fn: c.fn, number: w.numFunc}
	if err := b.write(); err != nil {
		return fmt.Errorf("function %s: %w", s.name, err)
	}
	w.printf(".Lfunc_end%d:\n\t.size\t%s, .Lfunc_end%d-%s\n", w.numFunc, name, w.numFunc, name)
	w.numFunc++
	return nil
}

// codeText writes the instructions of a function.
type codeText struct {
	w      *textWriter
	fn     *function
	code   []byte
	number int
	labels []int // offsets of branch targets, sorted
	fixup  int   // index of the next fixup
}

// decode returns the instruction at an offset.
func (b *codeText) decode(at int) (isa.Inst, int, error) {
	in, n, err := b.w.decoder.Decode(b.code[at:])
	if err != nil {
		return in, n, fmt.Errorf("BUG: the code at offset %#x is not an instruction: %w", at, err)
	}
	return in, n, nil
}

func (b *codeText) write() error {
	for at := 0; at < len(b.code); {
		in, n, err := b.decode(at)
		if err != nil {
			return err
		}
		if to, ok := branchTarget(&in, at); ok {
			b.labels = append(b.labels, to)
		}
		at += n
	}
	slices.Sort(b.labels)
	b.labels = slices.Compact(b.labels)
	for at := 0; at < len(b.code); {
		if k, ok := slices.BinarySearch(b.labels, at); ok {
			b.w.printf("%s:\n", b.label(k))
		}
		in, n, _ := b.decode(at)
		b.instr(&in, at, n)
		at += n
	}
	if k, ok := slices.BinarySearch(b.labels, len(b.code)); ok {
		b.w.printf("%s:\n", b.label(k))
	}
	return nil
}

func (b *codeText) label(k int) string { return fmt.Sprintf(".LBB%d_%d", b.number, k) }

// branchTarget returns the target offset of a branch at an offset.
func branchTarget(in *isa.Inst, at int) (int, bool) {
	if !isBranch(in) {
		return 0, false
	}
	return at + 4 + 4*int(int16(in.Words[0])), true
}

// isBranch reports whether an instruction has a label as its operand.
func isBranch(in *isa.Inst) bool {
	ops := in.Enc.Operands()
	return in.Enc.Form() == isa.SOPP && len(ops) == 1 && ops[0].Class == isa.ClassBr
}

// placeholder is a literal in place of the address of a symbol.
const placeholder = 0x7a5bc31d

var halfNames = [...]string{
	mir.SymbolAbs32Lo: "abs32@lo", mir.SymbolAbs32Hi: "abs32@hi", mir.SymbolRel32Lo: "rel32@lo", mir.SymbolRel32Hi: "rel32@hi",
	mir.SymbolGotRel32Lo: "gotpcrel32@lo", mir.SymbolGotRel32Hi: "gotpcrel32@hi",
}

// instr writes an instruction.
func (b *codeText) instr(in *isa.Inst, at, n int) {
	w := b.w
	expr := ""
	if b.fixup < len(b.fn.fixups) {
		if f := &b.fn.fixups[b.fixup]; int(f.Offset) < at+n {
			expr = quoted(w.p.symbols[w.p.bind(f.Symbol)].name) + "@" + halfNames[f.Half]
			if f.Addend != 0 {
				expr += fmt.Sprintf("%+d", f.Addend)
			}
			in.Words[(int(f.Offset)-at)/4] = placeholder
			b.fixup++
		}
	}
	text := string(disasm.Inst(nil, in))
	if expr != "" {
		text = strings.Replace(text, fmt.Sprintf("%#x", placeholder), expr, 1)
	}
	if to, ok := branchTarget(in, at); ok {
		k, _ := slices.BinarySearch(b.labels, to)
		text, _, _ = strings.Cut(text, " ")
		text += " " + b.label(k)
	}
	w.printf("\t%s\n", text)
}

// descriptor writes an .amdhsa_kernel.
func (w *textWriter) descriptor(k *kernel) {
	w.printf("\t.amdhsa_kernel %s\n", quoted(k.name))
	k.fields(func(f *codeobject.DescriptorField, v int) {
		if f.Directive == dirXNACK && !k.listsXNACK() || f.MinCOV > 0 && k.target.COV < int(f.MinCOV) {
			return
		}
		w.printf("\t\t%s %d\n", f.Directive, v)
	})
	w.printf("\t.end_amdhsa_kernel\n")
}
