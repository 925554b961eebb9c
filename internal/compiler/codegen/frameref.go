package codegen

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// References to the frame: spills, reloads, accesses with an object's offset,
// addresses of objects.

// instr replaces the frame references of an instruction.
func (x *frame) instr(i mir.Instr) {
	f := x.f
	switch f.Op(i) {
	case mir.Spill:
		x.spill(i)
		return
	case mir.Reload:
		x.reload(i)
		return
	case mir.Call:
		x.call(i)
		return
	}
	for n := range f.Uses(i) {
		if f.Use(i, n).Kind == mir.KindFrame {
			x.reference(i, n)
		}
	}
}

// where returns the location of a byte of an object: an offset from a register,
// or in all of private memory if base is NoReg.
func (x *frame) where(n mir.Frame, addend int64) (base mir.Reg, offset int64) {
	o := &x.f.Objects[n]
	switch {
	case o.Out && x.entry.Kernel && !x.dynamic:
		return x.base, x.size + addend
	case o.Out:
		return abi.StackPointer, addend
	case o.In && x.realign > 0:
		return abi.BasePointer, o.Offset + addend
	}
	return x.base, o.Offset + addend
}

// reference replaces operand n of an instruction, which refers to the frame.
func (x *frame) reference(i mir.Instr, n int) {
	f := x.f
	o := f.Use(i, n)
	base, offset := x.where(o.Frame(), o.Imm)
	info := f.Info(i)
	switch {
	case isMove(f.Op(i)):
		x.address(i, base, offset)
	case info.Traits.Any(isa.TraitScratch) && n == 2:
		x.scratchAccess(i, base, offset)
	case info.Form == isa.MUBUF && n == 3:
		x.bufferAccess(i, base, offset)
	default:
		panic(fmt.Sprintf("BUG: codegen: invalid frame reference in operand %d of %q", n, f.AppendInstr(nil, i)))
	}
}

// address replaces a move of an object's address.
func (x *frame) address(i mir.Instr, base mir.Reg, offset int64) {
	f := x.f
	d := f.Def(i, 0)
	switch {
	case x.entry.Kernel && base != abi.StackPointer && x.entry.Dynamic == 0:
		*f.Use(i, 0) = mir.Imm(offset)
		return
	case f.Op(i) == mir.SMovB32:
		x.scalarAddress(d, base, offset)
	case x.f.M.Set.Has(isa.PropFlatOffset):
		x.insertInstr(mir.VMovB32, 1, reg(d), reg(base))
		if offset != 0 {
			x.insertInstr(mir.VAddNcU32, 1, reg(d), mir.Imm(offset), reg(d))
		}
	default:
		x.scalarAddress(x.temp, base, offset)
		x.insertInstr(mir.VMovB32, 1, reg(d), reg(x.temp))
	}
	f.Erase(i)
}

// scalarAddress sets d to the address of a lane's byte at an offset from a
// register.
func (x *frame) scalarAddress(d, base mir.Reg, offset int64) {
	if x.scale == 1 {
		x.scalarAdd(d, base, offset)
		return
	}
	shift := int64(5)
	if x.f.M.Wave == 64 {
		shift = 6
	}
	x.keepSCC(func() {
		x.insertInstr(mir.SLshrB32, 2, reg(d), deadSCC(), reg(base), mir.Imm(shift))
		if offset != 0 {
			x.insertInstr(mir.SAddCoI32, 2, reg(d), deadSCC(), reg(d), mir.Imm(offset))
		}
	})
}

// near splits an offset into a part that an access can encode and a rest. It
// returns a register that contains the base plus the rest.
func (x *frame) near(base mir.Reg, offset int64) (mir.Reg, int64) {
	if offset >= 0 && offset <= x.farOff {
		return base, offset
	}
	if x.temp == mir.NoReg {
		panic(fmt.Sprintf("BUG: codegen: no register is reserved for offset %d in the frame of %s", offset, x.f.Name))
	}
	low := offset & x.farOff
	if rest := (offset - low) * x.scale; base == mir.NoReg || x.isZero(base) {
		x.insertInstr(mir.SMovB32, 1, reg(x.temp), mir.Imm(rest))
	} else {
		x.scalarAdd(x.temp, base, rest)
	}
	return x.temp, low
}

// isZero reports whether the base register of a kernel is 0.
func (x *frame) isZero(base mir.Reg) bool {
	return x.entry.Kernel && x.entry.Dynamic == 0 && base == x.base
}

// scratchAccess sets the address of a scratch instruction.
func (x *frame) scratchAccess(i mir.Instr, base mir.Reg, offset int64) {
	f := x.f
	hasVector := f.Use(i, 0).Kind == mir.KindReg
	if f.Use(i, 1).Kind == mir.KindReg {
		panic(fmt.Sprintf("BUG: codegen: scalar address in addition to a frame reference in %q", f.AppendInstr(nil, i)))
	}
	if hasVector && x.isZero(base) {
		base = mir.NoReg
	}
	base, offset = x.near(base, offset)
	switch {
	case base == mir.NoReg:
	case hasVector && !hasBothAddresses(x.t):
		x.throughVector(i, base)
	default:
		*f.Use(i, 1) = reg(base)
	}
	*f.Use(i, 2) = mir.Imm(offset)
}

// throughVector adds a scalar register to the vector address of an instruction,
// and subtracts it again afterwards.
func (x *frame) throughVector(i mir.Instr, base mir.Reg) {
	f := x.f
	v := *f.Use(i, 0)
	v.Flags = 0
	x.insertInstr(mir.VAddNcU32, 1, v, reg(base), v)
	for _, d := range f.Defs(i) {
		if d.Reg() <= v.Reg() && v.Reg() < d.Reg()+mir.Reg(max(int(d.N), 1)) {
			return
		}
	}
	f.InsertAfter(f.NewInstr(mir.VSubNcU32, 1, v, v, reg(base)), i)
}

// bufferAccess sets the address of a buffer instruction.
func (x *frame) bufferAccess(i mir.Instr, base mir.Reg, offset int64) {
	f := x.f
	base, offset = x.near(base, offset)
	if base != mir.NoReg {
		*f.Use(i, 2) = reg(base)
	}
	*f.Use(i, 3) = mir.Imm(offset)
}

// spill lowers a store of a register to the frame.
func (x *frame) spill(i mir.Instr) {
	f := x.f
	object, r := *f.Use(i, 0), *f.Use(i, 1)
	n := max(int(r.N), 1)
	if o := &f.Objects[object.Frame()]; o.SGPR {
		for k := range n {
			v, lane := x.lane(int(o.Offset+object.Imm)/4 + k)
			x.insertInstr(mir.VWritelaneB32, 1, reg(v), reg(r.Reg()+mir.Reg(k)), mir.Imm(lane), reg(v))
		}
	} else if a := x.accum[object.Frame()]; a != mir.NoReg {
		a += mir.Reg(object.Imm / 4)
		for k := range mir.Reg(n) {
			x.insertInstr(mir.VAccvgprWriteB32, 1, reg(a+k), reg(r.Reg()+k))
		}
	} else {
		base, offset := x.where(object.Frame(), object.Imm)
		x.memory(true, r.Reg(), n, base, offset)
	}
	f.Erase(i)
}

// reload lowers a load of a register from the frame.
func (x *frame) reload(i mir.Instr) {
	f := x.f
	object, r := *f.Use(i, 0), f.Defs(i)[0]
	n := max(int(r.N), 1)
	if o := &f.Objects[object.Frame()]; o.SGPR {
		for k := range n {
			v, lane := x.lane(int(o.Offset+object.Imm)/4 + k)
			x.insertInstr(mir.VReadlaneB32, 1, reg(r.Reg()+mir.Reg(k)), reg(v), mir.Imm(lane))
		}
	} else if a := x.accum[object.Frame()]; a != mir.NoReg {
		a += mir.Reg(object.Imm / 4)
		for k := range mir.Reg(n) {
			x.insertInstr(mir.VAccvgprReadB32, 1, reg(r.Reg()+k), reg(a+k))
		}
	} else {
		base, offset := x.where(object.Frame(), object.Imm)
		x.memory(false, r.Reg(), n, base, offset)
	}
	f.Erase(i)
}

// lane returns the VGPR and lane that hold the scalar register with a number.
func (x *frame) lane(n int) (mir.Reg, int64) { return x.lanes[n/x.f.M.Wave], int64(n % x.f.M.Wave) }

// scratchOps holds the private memory operations by dwords: load, store.
var scratchOps = [5][2]mir.Op{1: {mir.ScratchLoadB32, mir.ScratchStoreB32}, 2: {mir.ScratchLoadB64, mir.ScratchStoreB64},
	3: {mir.ScratchLoadB96, mir.ScratchStoreB96}, 4: {mir.ScratchLoadB128, mir.ScratchStoreB128}}

// memory emits the loads or stores of n vector registers from r on.
func (x *frame) memory(store bool, r mir.Reg, n int, base mir.Reg, offset int64) {
	for n > 0 {
		k := min(n, 4)
		if x.access == abi.ScratchBuffer {
			k = 1 // memory is interleaved by dwords
		}
		b, off := x.near(base, offset)
		x.access1(store, r, k, b, off)
		r, n, offset = r+mir.Reg(k), n-k, offset+int64(4*k)
	}
}

// access1 emits one load or store.
func (x *frame) access1(store bool, r mir.Reg, n int, base mir.Reg, offset int64) {
	saddr, soffset := mir.None, mir.Imm(0)
	if base != mir.NoReg {
		saddr, soffset = reg(base), reg(base)
	}
	address := []mir.Operand{mir.None, saddr, mir.Imm(offset)}
	load, st := scratchOps[n][0], scratchOps[n][1]
	if x.access == abi.ScratchBuffer {
		address = []mir.Operand{mir.None, mir.Phys(abi.ScratchResource, 4), soffset, mir.Imm(offset)}
		load, st = mir.BufferLoadB32, mir.BufferStoreB32
	}
	data := mir.Phys(r, n)
	m := mir.Mem{Size: uint64(4 * n), Align: 4, AddrSpace: 5, Flags: mir.MemLoad}
	var i mir.Instr
	if store {
		m.Flags = mir.MemStore
		i = x.insertInstr(st, 0, append(address, data)...)
	} else {
		i = x.insertInstr(load, 1, append([]mir.Operand{data}, address...)...)
	}
	x.f.SetMem(i, m)
}
