package compile

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// stage describes a stage of the graphics pipeline.
type stage struct {
	cc    ir.CallConv
	name  string
	rsrc1 uint32 // number of the register PGM_RSRC1; PGM_RSRC2 follows
	key   uint32 // place in each list of keys of PAL's first format

	wgp, ordered int8   // bits of PGM_RSRC1 for WGP_MODE and MEM_ORDERED, or -1
	wave32       uint32 // register with the wave size, or 0
	wave32Bit    uint8
}

// The registers that contain a stage's wave size.
const (
	vgtShaderStagesEnable = 0xa2d5
	spiPSInControl        = 0xa1b6
	dispatchInitiator     = 0x2e00
)

// stages lists the stages in the order of PAL's keys. (LLVM: AMDGPUPALMetadata,
// SIProgramInfo.)
var stages = [...]stage{
	{cc: ir.CCAMDGPULS, name: "ls", rsrc1: 0x2d4a, key: 0, wgp: -1, ordered: -1},
	{cc: ir.CCAMDGPUHS, name: "hs", rsrc1: 0x2d0a, key: 1, wgp: 26, ordered: 24, wave32: vgtShaderStagesEnable, wave32Bit: 21},
	{cc: ir.CCAMDGPUES, name: "es", rsrc1: 0x2cca, key: 2, wgp: -1, ordered: -1},
	{cc: ir.CCAMDGPUGS, name: "gs", rsrc1: 0x2c8a, key: 3, wgp: 27, ordered: 25, wave32: vgtShaderStagesEnable, wave32Bit: 22},
	{cc: ir.CCAMDGPUVS, name: "vs", rsrc1: 0x2c4a, key: 4, wgp: -1, ordered: 27, wave32: vgtShaderStagesEnable, wave32Bit: 23},
	{cc: ir.CCAMDGPUPS, name: "ps", rsrc1: 0x2c0a, key: 5, wgp: -1, ordered: 25, wave32: spiPSInControl, wave32Bit: 15},
	{cc: ir.CCAMDGPUCS, name: "cs", rsrc1: 0x2e12, key: 6, wgp: 29, ordered: 30, wave32: dispatchInitiator, wave32Bit: 15},
}

// stageOf returns the stage of a shader's calling convention. Kernels are compute
// shaders.
func stageOf(cc ir.CallConv) *stage {
	if cc.IsKernel() {
		cc = ir.CCAMDGPUCS
	}
	return &stages[slices.IndexFunc(stages[:], func(s stage) bool { return s.cc == cc })]
}

func (s *stage) isCompute() bool { return s.cc == ir.CCAMDGPUCS }

// newShader reads the attributes of a shader, or of a function that shaders
// call.
func newShader(m *ir.Module, f *ir.Function, t *target.Target) *kernel {
	k := &kernel{name: f.Name(), target: t, maxGroup: defaultMaxGroup}
	k.readModes(attributes{m, m.AttrsAt(f.Attributes, ir.AttrFunction)}, !f.CC.IsShader())
	return k
}

// readModes reads the attributes for the modes of floating-point operations.
func (k *kernel) readModes(a attributes, ieee bool) {
	k.dx10Clamp = a.flag("amdgpu-dx10-clamp", true)
	k.ieee = a.flag("amdgpu-ieee", ieee)
	k.denorm16 = denormMode(a.text("denormal-fp-math"), denormAll)
	k.denorm32 = denormMode(a.text("denormal-fp-math-f32"), k.denorm16)
}

// Bits of COMPUTE_PGM_RSRC1 that other stages have elsewhere or not at all.
const (
	computeWGP      = 29
	computeOrdered  = 30
	computeProgress = 31
)

// rsrc1 returns the register PGM_RSRC1 of a stage.
func (k *kernel) rsrc1(s *stage) (uint32, error) {
	d, err := k.descriptor()
	if err != nil || s.isCompute() {
		return d.ComputePgmRsrc1, err
	}
	word := d.ComputePgmRsrc1 &^ (1<<computeWGP | 1<<computeOrdered | 1<<computeProgress)
	for _, x := range [...]struct{ from, to int8 }{{computeWGP, s.wgp}, {computeOrdered, s.ordered}} {
		if x.to >= 0 {
			word |= d.ComputePgmRsrc1 >> x.from & 1 << x.to
		}
	}
	return word, nil
}

// Fields of PGM_RSRC2.
const (
	rsrc2Scratch  = 1 << 0
	rsrc2GroupX   = 1 << 7
	rsrc2LDS      = 15 // of compute
	rsrc2ExtraLDS = 8  // of pixel shaders
)

// ldsBlock returns the unit of LDS_SIZE in bytes.
func (k *kernel) ldsBlock() uint64 {
	if k.target.Processor.Is(target.GFX7) {
		return 512
	}
	return 256
}

// ldsBlocks returns the size of the LDS in the hardware's unit.
func (k *kernel) ldsBlocks() uint64 { return (k.res.LDSBytes + k.ldsBlock() - 1) / k.ldsBlock() }

// extraLDS returns the size of a pixel shader's LDS in the hardware's unit.
func (k *kernel) extraLDS() uint64 {
	if k.target.Processor.Is(target.GFX11) {
		return (k.ldsBlocks() + 1) / 2
	}
	return k.ldsBlocks()
}

// extraLDSBlock returns the unit of a pixel shader's LDS in the metadata, in
// bytes.
func (k *kernel) extraLDSBlock() uint64 {
	if k.target.Processor.Is(target.GFX11) {
		return 1024
	}
	return 512
}

// rsrc2 returns the register PGM_RSRC2 of a stage.
func (k *kernel) rsrc2(s *stage) (word uint32) {
	switch {
	case k.entry.Shader == nil || k.entry.Shader.CC.IsKernel():
		return k.kernelRsrc2()
	case !s.isCompute():
		if k.res.ScratchBytes > 0 {
			word |= rsrc2Scratch
		}
		if s.cc == ir.CCAMDGPUPS {
			word |= uint32(k.extraLDS()) << rsrc2ExtraLDS
		}
		return word
	case k.res.ScratchBytes > 0 || k.dynamicStack():
		word |= rsrc2Scratch
	}
	for n, on := range k.groupIDs {
		if on {
			word |= rsrc2GroupX << n
		}
	}
	return word | uint32(k.ldsBlocks())<<rsrc2LDS
}

// noGroupIDs lists the attributes of functions without an ID of their work-group.
var noGroupIDs = [3]string{"amdgpu-no-workgroup-id-x", "amdgpu-no-workgroup-id-y", "amdgpu-no-workgroup-id-z"}

// shaders returns the functions that PAL's metadata describes, with their total
// resources.
func (c *compiled) shaders() (list []*function) {
	for _, fn := range c.fns {
		if fn.shader == nil {
			continue
		}
		k := fn.shader
		k.name, k.res, k.entry = fn.name, c.total(fn), *fn.entry
		k.raiseInputs()
		if a := (attributes{c.m, c.m.AttrsAt(fn.f.Attributes, ir.AttrFunction)}); c.t.Has(target.FeatureArchitectedSGPRs) {
			for n, name := range noGroupIDs {
				k.groupIDs[n] = !a.has(name)
			}
		}
		list = append(list, fn)
	}
	return list
}

// resolveCalls applies the relocations of distances between functions of a
// section. Objects for other systems than amdhsa keep addends in the code, where
// linkers expect none for these types.
func (p *program) resolveCalls() {
	for n, s := range p.sections[1:] {
		s.relocs = slices.DeleteFunc(s.relocs, func(r reloc) bool {
			to := p.symbols[r.symbol]
			if to.section != n+1 || to.bind == codeobject.STB_WEAK {
				return false
			}
			distance := uint64(int64(to.value) + r.addend - int64(r.offset))
			switch r.typ {
			case codeobject.R_AMDGPU_REL32_HI:
				distance >>= 32
			case codeobject.R_AMDGPU_REL32_LO:
			default:
				return false
			}
			binary.LittleEndian.PutUint32(s.data[r.offset:], uint32(distance))
			return true
		})
	}
}

// notesPAL builds the notes of a code object for amdpal.
func (c *compiled) notesPAL(p *program) error {
	name := c.t.ID.String()
	p.meta = append(p.meta, codeobject.Note{Owner: codeobject.NoteOwnerV2, Type: codeobject.NT_AMD_HSA_ISA_NAME, Desc: []byte(name)})
	pal, err := newPALMetadata(c)
	if err != nil {
		return err
	}
	p.pal = pal
	if pal.isEmpty() {
		return nil
	}
	p.meta = append(p.meta, pal.note())
	return nil
}

// pixelInputs returns the inputs of a pixel shader.
func (c *compiled) pixelInputs(fn *function) *abi.PixelInputs { return c.needs.PixelInputs(fn.f) }
