package compile

import (
	"encoding/binary"
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// layOutProgram places the code, the descriptors, the variables and the notes of the
// code object.
func layOutProgram(c *compiled) (*program, error) {
	p := newProgram(c.t, c.m)
	p.limit = dataLimit(c.input)
	var kernels []*kernel
	for _, fn := range c.fns {
		if err := p.room(uint64(len(fn.code) + kernelAlign)); err != nil {
			return nil, Errors{{Function: fn.f.Name(), Err: err, value: ir.None}}
		}
		p.function(fn)
		if fn.kernel == nil {
			continue
		}
		fn.kernel.res, fn.kernel.entry, fn.kernel.user = c.total(fn), *fn.entry, fn.entry.UserSGPRs()
		fn.kernel.name = fn.name
		fn.kernel.raiseInputs()
		if err := p.descriptor(fn); err != nil {
			return nil, err
		}
		kernels = append(kernels, fn.kernel)
	}
	p.codeEnd()
	if c.t.Triple.OS != target.AMDHSA {
		p.resolveCalls()
	}
	if hasConfig(c.t) {
		c.shaders()
		if err := c.config(p); err != nil {
			return nil, err
		}
	}
	if err := p.globals(c.m); err != nil {
		return nil, err
	}
	if err := p.checkIFuncs(); err != nil {
		return nil, err
	}
	p.atomics(c)
	return p, c.notes(p, kernels)
}

// checkIFuncs returns an error if the program refers to an ifunc, whose resolver
// no loader calls.
func (p *program) checkIFuncs() error {
	for _, s := range p.sections[1:] {
		for _, r := range s.relocs {
			if x := p.symbols[r.symbol]; x.typ == codeobject.STT_GNU_IFUNC {
				return Errors{{Function: x.name, Err: fmt.Errorf("ifunc %s: uses of ifuncs are not supported", x.name), value: ir.None}}
			}
		}
	}
	return nil
}

// raiseInputs counts the registers that the hardware initializes before the
// kernel starts.
func (k *kernel) raiseInputs() {
	k.res.SGPRs = max(k.res.SGPRs, k.entry.InputSGPRs())
	k.res.VGPRs = max(k.res.VGPRs, k.entry.InputVGPRs())
}

// Alignments of code, in bytes.
const (
	kernelAlign   = 256
	functionAlign = 4
)

// function writes the code of a function into its section.
func (p *program) function(fn *function) {
	g := fn.f.Global
	align := uint64(functionAlign)
	if fn.f.CC.IsEntry() {
		align = kernelAlign
	}
	sec := textSection
	if g.Section != "" {
		sec = p.section(g.Section, codeobject.SHT_PROGBITS, codeobject.SHF_ALLOC|codeobject.SHF_EXECINSTR, 0)
	}
	n := p.global(g)
	p.symbols[n].typ = codeobject.STT_FUNC
	if fn.kernel != nil {
		align = kernelAlign
		fn.kernel.symbol, fn.kernel.code = n, uint64(len(fn.code))
		if p.symbols[n].vis == codeobject.STV_DEFAULT && p.symbols[n].bind != codeobject.STB_LOCAL && p.target.COV > 2 {
			p.symbols[n].vis, p.symbols[n].implied = codeobject.STV_PROTECTED, true // the relocation of the entry must not be preempted
		}
	}
	code, before := fn.code, uint64(0)
	if fn.kernel != nil && p.target.COV == 2 {
		before = codeobject.KernelCodeSize
		code = append(make([]byte, before, int(before)+len(code)), code...)
		p.symbols[n].typ = codeobject.STT_AMDGPU_HSA_KERNEL
	}
	c := p.placeChunk(sec, chunk{kind: chunkFunction, align: max(align, uint64(g.Align)), symbol: n, fn: fn}, code, 0)
	for _, x := range fn.fixups {
		r := reloc{offset: c.from + before + uint64(x.Offset), typ: halfRelocs[x.Half], symbol: p.bind(x.Symbol), addend: x.Addend}
		p.sections[sec].relocs = append(p.sections[sec].relocs, r)
	}
}

var halfRelocs = [...]codeobject.RelocType{
	mir.SymbolAbs32Lo: codeobject.R_AMDGPU_ABS32_LO, mir.SymbolAbs32Hi: codeobject.R_AMDGPU_ABS32_HI,
	mir.SymbolRel32Lo: codeobject.R_AMDGPU_REL32_LO, mir.SymbolRel32Hi: codeobject.R_AMDGPU_REL32_HI,
	mir.SymbolGotRel32Lo: codeobject.R_AMDGPU_GOTPCREL32_LO, mir.SymbolGotRel32Hi: codeobject.R_AMDGPU_GOTPCREL32_HI,
}

// entryOffset is the offset of the code's offset in a kernel descriptor, in
// bytes.
const entryOffset = 16

// descriptor writes the descriptor of a kernel into .rodata.
func (p *program) descriptor(fn *function) error {
	k := fn.kernel
	d, err := k.descriptor()
	if err != nil {
		return err
	}
	if p.target.COV == 2 {
		return p.kernelCode(fn, &d)
	}
	sec := p.section(".rodata", codeobject.SHT_PROGBITS, codeobject.SHF_ALLOC, 0)
	n := p.symbolOf(k.name + ".kd")
	code, s := p.symbols[k.symbol], p.symbols[n]
	s.bind, s.typ, s.vis = code.bind, codeobject.STT_OBJECT, visibilities[fn.f.Vis]
	c := p.placeChunk(sec, chunk{kind: chunkDescriptor, align: codeobject.KernelDescriptorSize, symbol: n, kernel: k}, d.Append(nil), 0)
	p.sections[sec].relocs = append(p.sections[sec].relocs,
		reloc{offset: c.from + entryOffset, typ: codeobject.R_AMDGPU_REL64, symbol: k.symbol, addend: entryOffset})
	return nil
}

// codeFill is the padding after all code: the instruction prefetcher may only
// read instructions.
type codeFill struct {
	from  target.Generation
	align uint64 // in bytes
	count int    // dwords after the alignment
	word  uint32
}

const sCodeEnd = 0xbf9f0000

// codeFills lists LLVM's padding; the last row that a target descends from
// applies.
var codeFills = []codeFill{
	{target.GFX90A, 64, 256, 0xbf800000},
	{target.GFX10_1, 64, 48, sCodeEnd},
	{target.GFX11, 128, 96, sCodeEnd},
}

func (p *program) codeFill() *codeFill {
	var found *codeFill
	for i := range codeFills {
		if p.target.Processor.Gen.Is(codeFills[i].from) {
			found = &codeFills[i]
		}
	}
	return found
}

// codeEnd pads the end of the code section.
func (p *program) codeEnd() {
	fill := p.codeFill()
	s := p.sections[textSection]
	if fill == nil || len(s.data) == 0 {
		return
	}
	from := uint64(len(s.data))
	n := int(alignUp(from, fill.align)-from)/4 + fill.count
	for range n {
		s.data = binary.LittleEndian.AppendUint32(s.data, fill.word)
	}
	s.align = max(s.align, fill.align)
	p.chunks = append(p.chunks, chunk{kind: chunkCodeEnd, section: textSection, from: from, to: uint64(len(s.data))})
}

// notes builds the notes with metadata.
func (c *compiled) notes(p *program, kernels []*kernel) error {
	switch c.t.Triple.OS {
	case target.AMDPAL:
		return c.notesPAL(p)
	case target.UnknownOS, target.Mesa3D:
		p.meta = append(p.meta, codeobject.Note{Owner: codeobject.NoteOwnerV2, Type: codeobject.NT_AMD_HSA_ISA_NAME, Desc: []byte(c.t.ID.String())})
		return nil
	}
	if c.t.COV == 2 {
		return c.notesV2(p, kernels)
	}
	md, err := metadata(c.t, c.printf, kernels)
	if err != nil {
		return err
	}
	p.metadata = md
	p.meta = append(p.meta, codeobject.Note{Owner: codeobject.NoteOwner, Type: codeobject.NT_AMDGPU_METADATA, Desc: md.AppendMsgpack(nil)})
	return nil
}
