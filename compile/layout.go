package compile

import (
	"encoding/binary"
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// program assembles the parts of the code object.
func (s *session) program() (*program, error) {
	p := newProgram(s.t, s.m)
	p.limit = dataLimit(s.input)
	var kernels []*kernel
	for _, fn := range s.fns {
		if err := p.room(uint64(len(fn.code) + kernelAlign)); err != nil {
			return nil, Errors{{Function: fn.f.Name(), Err: err, value: ir.None}}
		}
		p.function(fn)
		if fn.kernel == nil {
			continue
		}
		fn.kernel.res, fn.kernel.entry, fn.kernel.user = s.total(fn), *fn.entry, fn.entry.UserSGPRs()
		fn.kernel.name = fn.name
		fn.kernel.raiseInputs()
		if err := p.descriptor(fn); err != nil {
			return nil, err
		}
		kernels = append(kernels, fn.kernel)
	}
	p.codeEnd()
	if err := p.globals(s.m); err != nil {
		return nil, err
	}
	return p, s.notes(p, kernels)
}

// raiseInputs counts the registers that the hardware initializes before the
// kernel starts.
func (k *kernel) raiseInputs() {
	k.res.SGPRs = max(k.res.SGPRs, k.entry.InputSGPRs())
	k.res.VGPRs = max(k.res.VGPRs, k.entry.InputVGPRs())
}

// checkMemory returns errors for kernels whose stack, including their callees',
// exceeds a wave's maximum, and for kernels whose LDS exceeds a work-group's
// maximum.
func (s *session) checkMemory() {
	lds := uint64(s.t.Limits().LDS)
	for _, fn := range s.fns {
		if fn.err != nil || fn.kernel == nil || s.o.StopAfter != "" {
			continue
		}
		res := s.total(fn)
		if fn.err = codegen.CheckFrame(s.t, fn.f.Name(), res.ScratchBytes); fn.err == nil && res.LDSBytes > lds {
			fn.err = fmt.Errorf("function @%s: LDS of %d bytes exceeds limit (%d)", fn.f.Name(), res.LDSBytes, lds)
		}
	}
}

// total returns the resources of a function and all functions that it may call.
// An unknown function counts as the maximum over the module's functions.
func (s *session) total(fn *function) codegen.Resources {
	c := callSum{s: s, seen: map[*ir.Function]*codegen.Resources{}}
	r := c.sum(fn)
	set := attributes{s.m, s.m.AttrsAt(fn.f.Attributes, ir.AttrFunction)}
	r.LDSBytes = max(r.LDSBytes, set.number("amdgpu-lds-size", 0))
	return r
}

// callSum sums up the resources along calls.
type callSum struct {
	s    *session
	seen map[*ir.Function]*codegen.Resources // the sums, nil while a function is on the path of calls
}

// LLVM's estimates of a stack of unknown size, in bytes per lane, before code
// object V5 leaves the size to the runtime: for dynamic allocas, and for calls
// of unknown functions and recursion.
const (
	assumedObjects = 4 << 10
	assumedStack   = 16 << 10
)

func (c *callSum) sum(fn *function) codegen.Resources {
	r := fn.res
	c.seen[fn.f] = nil
	known, others := c.s.needs.Callees(fn.f)
	stack := r.CallArgBytes // a callee without uses of its arguments has no room for them in its frame
	add := func(x *function) {
		y, known := c.seen[x.f]
		switch {
		case known && y == nil:
			r.HasRecursion = true
			return
		case !known:
			sum := c.sum(x)
			y = &sum
		}
		stack = max(stack, y.ScratchBytes)
		r.SGPRs, r.VGPRs, r.AGPRs = max(r.SGPRs, y.SGPRs), max(r.VGPRs, y.VGPRs), max(r.AGPRs, y.AGPRs)
		r.UsesVCC = r.UsesVCC || y.UsesVCC
		r.UsesFlatScratch = r.UsesFlatScratch || y.UsesFlatScratch
		r.DynamicStack = r.DynamicStack || y.DynamicStack
		r.HasRecursion = r.HasRecursion || y.HasRecursion
		r.HasCalls = r.HasCalls || y.HasCalls
	}
	for _, f := range known {
		if x := c.s.byFunction[f]; x != nil {
			add(x)
		}
	}
	if others {
		r.HasCalls = true
		for _, x := range c.s.fns {
			if _, known := c.seen[x.f]; x.kernel == nil && !known {
				add(x)
			}
		}
	}
	if c.s.t.COV < 5 {
		if fn.res.DynamicStack {
			r.ScratchBytes = codegen.AddSizes(r.ScratchBytes, assumedObjects)
		}
		if others || r.HasRecursion {
			stack = max(stack, assumedStack)
		}
	}
	r.ScratchBytes = codegen.AddSizes(r.ScratchBytes, stack)
	c.seen[fn.f] = &r
	return r
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
	c := p.place(sec, chunk{kind: chunkFunction, align: max(align, uint64(g.Align)), symbol: n, fn: fn}, code, 0)
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
	c := p.place(sec, chunk{kind: chunkDescriptor, align: codeobject.KernelDescriptorSize, symbol: n, kernel: k}, d.Append(nil), 0)
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
func (s *session) notes(p *program, kernels []*kernel) error {
	if s.t.COV == 2 {
		return s.notesV2(p, kernels)
	}
	md, err := metadata(s.t, s.printf, kernels)
	if err != nil {
		return err
	}
	p.metadata = md
	p.meta = append(p.meta, codeobject.Note{Owner: codeobject.NoteOwner, Type: codeobject.NT_AMDGPU_METADATA, Desc: md.AppendMsgpack(nil)})
	return nil
}
