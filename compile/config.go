package compile

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Code objects for unknown systems and Mesa state the contents of registers in
// the section .AMDGPU.config: for each function, in order, pairs of the address
// of a register and its contents. (LLVM: AMDGPUAsmPrinter::EmitProgramInfoSI;
// Mesa: ac_parse_shader_binary_config.)

// Addresses of registers in bytes, and keys of Mesa that look like them.
const (
	computeTmpringSize = 0xb860
	spiTmpringSize     = 0x286e8
	configSpilledSGPRs = 4
	configSpilledVGPRs = 8
)

// spiBlocks are the bits of PGM_RSRC1 with the numbers of blocks of VGPRs and
// SGPRs, all that Mesa reads of graphics shaders.
const spiBlocks = 1<<10 - 1

// config writes the registers of all functions into their section.
func (c *compiled) config(p *program) error {
	n := p.section(".AMDGPU.config", codeobject.SHT_PROGBITS, 0, 0)
	for _, fn := range c.fns {
		pairs, err := c.registersOf(fn)
		if err != nil {
			return err
		}
		var data []byte
		for _, x := range pairs {
			data = binary.LittleEndian.AppendUint32(data, x)
		}
		p.placeChunk(n, chunk{kind: chunkData, align: 1}, data, 0)
	}
	return nil
}

// registersOf returns the registers of a function. They are 0 for functions that
// are called.
func (c *compiled) registersOf(fn *function) (list []uint32, err error) {
	s, k := stageOf(ir.CCAMDGPUCS), fn.program()
	var rsrc1, rsrc2, ring uint32
	if k != nil {
		s = stageOf(fn.f.CC)
		rsrc1, err = k.rsrc1(s)
		rsrc2, ring = k.rsrc2(s), k.tmpring()
	}
	spills := []uint32{configSpilledSGPRs, uint32(fn.res.SpilledSGPRs), configSpilledVGPRs, uint32(fn.res.SpilledVGPRs)}
	if s.isCompute() {
		return append([]uint32{4 * s.rsrc1, rsrc1, 4 * (s.rsrc1 + 1), rsrc2, computeTmpringSize, ring}, spills...), err
	}
	list = []uint32{4 * s.rsrc1, rsrc1 & spiBlocks, spiTmpringSize, ring}
	if s.cc == ir.CCAMDGPUPS {
		in := c.pixelInputs(fn)
		list = append(list, 4*(s.rsrc1+1), uint32(k.extraLDS())<<rsrc2ExtraLDS, 4*spiPSInputEnable, in.Enable, 4*spiPSInputAddress, in.Address)
	}
	return append(list, spills...), err
}

// tmpring returns the register TMPRING_SIZE: the scratch memory of a wave from
// bit 12 on, in blocks of 1024 bytes, from gfx11 on of 256 bytes.
func (k *kernel) tmpring() uint32 {
	block := uint64(1024)
	if k.target.Processor.Is(target.GFX11) {
		block = 256
	}
	return uint32((k.res.ScratchBytes*uint64(k.target.WaveSize())+block-1)/block) << 12
}

// hasConfig reports whether code objects for a target contain the registers.
func hasConfig(t *target.Target) bool {
	return t.Triple.OS == target.UnknownOS || t.Triple.OS == target.Mesa3D
}

// kernelRsrc2 returns PGM_RSRC2 of a kernel.
func (k *kernel) kernelRsrc2() uint32 {
	word := k.entry.PgmRsrc2()&^rsrc2Scratch | uint32(k.ldsBlocks())<<rsrc2LDS
	if k.res.ScratchBytes > 0 || k.dynamicStack() {
		word |= rsrc2Scratch
	}
	return word
}
