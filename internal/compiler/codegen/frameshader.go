package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/target"
)

// Prologues of shaders. PAL's driver passes the lower half of the address of its
// global information table, in which the scratch descriptor is. On other
// systems, the driver replaces the addresses of two symbols by the first two
// dwords of the descriptor.

// Symbols of the first two dwords of the scratch descriptor.
const (
	scratchLow  = "SCRATCH_RSRC_DWORD0"
	scratchHigh = "SCRATCH_RSRC_DWORD1"
)

// shaderScratch moves the arguments of a shader from the registers that the
// frame uses, and makes scratch memory accessible.
func (x *frame) shaderScratch() {
	e := x.entry
	for _, m := range e.Moved() {
		x.insertInstr(mir.SMovB32, 1, reg(m.To), reg(m.From))
	}
	if !e.Inputs.Has(abi.PrivateSegmentWaveOffset) {
		return
	}
	offset := reg(e.ArgumentReg(e.At[abi.PrivateSegmentWaveOffset].Reg))
	if e.Access == abi.ScratchFlat {
		lo, hi := reg(e.Descriptor), reg(e.Descriptor+1)
		x.loadDescriptor(e.Descriptor, 2)
		x.insertInstr(mir.SAndB32, 2, hi, deadSCC(), hi, mir.Imm(0xffff)) // the address only
		x.flatScratch(lo, hi, offset)
		return
	}
	lo, hi, scc := reg(abi.ScratchResource), reg(abi.ScratchResource+1), mir.Phys(mir.SCC, 1)
	x.loadDescriptor(abi.ScratchResource, 4)
	x.insertInstr(mir.SAddCoU32, 2, lo, scc, lo, offset)
	x.insertInstr(mir.SAddCoCiU32, 2, hi, deadSCC(), hi, mir.Imm(0), scc)
}

// loadDescriptor sets n registers to the first dwords of the scratch descriptor.
func (x *frame) loadDescriptor(to mir.Reg, n int) {
	e := x.entry
	if x.t.Triple.OS != target.AMDPAL {
		x.linkDescriptor(to, n)
		return
	}
	low := e.ArgumentReg(e.GITLow())
	if e.Shader.HasGIT {
		x.insertInstr(mir.SMovB32, 1, reg(to+1), mir.Imm(int64(int32(e.Shader.GIT))))
	} else {
		x.insertInstr(mir.SGetpcB64, 1, mir.Phys(to, 2))
	}
	x.insertInstr(mir.SMovB32, 1, reg(to), reg(low))
	load := mir.SLoadB64
	if n == 4 {
		load = mir.SLoadB128
	}
	x.f.SetMem(x.insertInstr(load, 1, mir.Phys(to, n), mir.Phys(to, 2), mir.None, mir.Imm(e.GITOffset())),
		mir.Mem{Size: uint64(4 * n), Align: 4, AddrSpace: 4, Flags: mir.MemLoad | mir.MemInvariant})
}

// linkDescriptor sets n registers to the first dwords of the scratch descriptor,
// the last two of which are constants: the size, and a format with the elements
// of a lane's dwords.
func (x *frame) linkDescriptor(to mir.Reg, n int) {
	x.insertInstr(mir.SMovB32, 1, reg(to), mir.SymbolAddr(x.f.Symbol(scratchLow), mir.SymbolAbs32Lo, 0))
	x.insertInstr(mir.SMovB32, 1, reg(to+1), mir.SymbolAddr(x.f.Symbol(scratchHigh), mir.SymbolAbs32Lo, 0))
	if n == 2 {
		return
	}
	x.insertInstr(mir.SMovB32, 1, reg(to+2), mir.Imm(-1))
	x.insertInstr(mir.SMovB32, 1, reg(to+3), mir.Imm(x.descriptorFormat()))
}

// descriptorFormat returns the last dword of the scratch descriptor before gfx9:
// elements of 4 bytes, swizzled by lanes.
func (x *frame) descriptorFormat() int64 {
	const format, stride64, addLane, elements4 = 0xf000, 3 << 21, 1 << 23, 1 << 19
	word := int64(stride64 | addLane | elements4)
	if !x.t.Processor.Is(target.GFX8) {
		word |= format
	}
	return word
}
