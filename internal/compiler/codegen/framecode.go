package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Prologues and epilogues.

// saves holds the registers that a function saves for its caller.
type saves struct {
	moved []savedMove // saved in other scalar registers
	sgprs []mir.Reg   // saved in lanes of hold
	vgprs []mir.Reg   // and AGPRs, saved in memory
	wide  []mir.Reg   // VGPRs with all lanes saved in memory, because their lanes hold scalar registers
	hold  []mir.Reg   // VGPRs that save sgprs
	busy  []mir.Reg   // VGPRs in hold that the function also uses: meanwhile their sgprs are in memory
	idle  []mir.Reg   // VGPRs and AGPRs with their inactive lanes saved in memory, because the function activates them
	at    int64       // offset of the registers saved in memory: wide, then vgprs, then the contents of busy, then idle
}

// savedMove is a scalar register saved in another one.
type savedMove struct{ reg, in mir.Reg }

// has reports whether a scalar register is saved.
func (s *saves) has(r mir.Reg) bool {
	return slices.Contains(s.sgprs, r) || slices.ContainsFunc(s.moved, func(m savedMove) bool { return m.reg == r })
}

// layOut assigns offsets to the registers saved in memory, and returns the
// offset after them.
func (s *saves) layOut(at int64) int64 {
	s.at = at
	return s.idleAt() + int64(4*len(s.idle))
}

// idleAt returns the offset of the inactive lanes of idle.
func (s *saves) idleAt() int64 { return s.busyAt() + int64(4*len(s.busy)) }

// busyAt returns the offset of the saved contents of busy.
func (s *saves) busyAt() int64 { return s.at + int64(4*(len(s.wide)+len(s.vgprs))) }

// shareVGPR returns a saved VGPR that can also save scalar registers, since it
// is unused before and after the function's own code.
func (s *saves) shareVGPR() mir.Reg {
	n := slices.IndexFunc(s.vgprs, func(r mir.Reg) bool { return r < mir.AGPR0 })
	r := s.vgprs[n]
	s.vgprs = slices.Delete(s.vgprs, n, n+1)
	s.busy = append(s.busy, r)
	return r
}

// findSaves determines the registers that a function saves: the preserved
// registers that it clobbers, and all lanes of VGPRs that it writes regardless
// of EXEC, because inactive lanes belong to code on other paths.
func (x *frame) findSaves() {
	x.saves.wide = append(x.saves.wide[:0], x.lanes...)
	if x.entry.Kernel {
		x.saves.wide = x.saves.wide[:0]
		x.findChainSaves()
		return
	}
	f := x.f
	var written [mir.NumPhys]bool // or read
	var defined, results RegSet
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) == mir.Return {
				results.addOperands(f.Uses(i)[1:])
			}
			defined.addOperands(f.Defs(i))
			for _, o := range f.Operands(i) {
				for k := range max(int(o.N), 1) {
					if r := o.Reg(); r.IsPhys() {
						written[int(r)+k] = true
					}
				}
			}
		}
	}
	for _, r := range x.lanes {
		written[r] = true
	}
	defined.addAll(&x.changed) // callees of another convention clobber registers that this one preserves
	if x.framePtr {
		written[abi.FramePointer] = true
		defined.addRegister(abi.FramePointer)
	}
	if x.realign > 0 {
		written[abi.BasePointer] = true
		defined.addRegister(abi.BasePointer)
	}
	for w := range results {
		defined[w] &^= results[w]
	}
	x.collectSaves(&written, &defined)
	x.collectIdle(&written)
	x.saves.hold, x.saves.busy = x.saves.hold[:0], x.saves.busy[:0]
	for n := len(x.saves.sgprs); n > 0; n -= f.M.Wave {
		r := x.freeVGPR(&written)
		if r == mir.NoReg {
			r = x.saves.shareVGPR()
		}
		written[r] = true
		x.saves.hold, x.saves.wide = append(x.saves.hold, r), append(x.saves.wide, r)
	}
	x.scratch = x.scratch || len(x.saves.wide)+len(x.saves.vgprs)+len(x.saves.idle) > 0
}

// collectIdle determines the registers whose inactive lanes a function saves
// that activates lanes at its start: all that it or its callees write.
func (x *frame) collectIdle(written *[mir.NumPhys]bool) {
	x.saves.idle = x.saves.idle[:0]
	f := x.f
	activates := false
	for i := f.First(f.Layout[0]); i != 0; i = f.Next(i) {
		activates = activates || f.Flags(i)&(mir.FrameSetup|mir.WholeWave) == mir.FrameSetup|mir.WholeWave
	}
	if !activates {
		return
	}
	for r := mir.VGPR0; int(r) < mir.NumPhys; r++ {
		if (written[r] || r < mir.VGPR(256) && x.changed.Has(r)) && !slices.Contains(x.lanes, r) {
			x.saves.idle = append(x.saves.idle, r)
		}
	}
}

// collectSaves determines the registers to save: those that the function or its
// callees write, except for results.
func (x *frame) collectSaves(written *[mir.NumPhys]bool, defined *RegSet) {
	for n := range mir.NumPhys {
		r := mir.Reg(n)
		if !x.preserves(r) || !defined.Has(r) {
			continue
		}
		switch {
		case r >= mir.VGPR0:
			if !slices.Contains(x.lanes, r) {
				x.saves.vgprs = append(x.saves.vgprs, r)
			}
		case r == abi.ReturnAddress || r == abi.ReturnAddress+1 || r == abi.StackPointer:
		case r < mir.VCC:
			if in := x.freeSGPR(written); in != mir.NoReg {
				written[in] = true
				x.saves.moved = append(x.saves.moved, savedMove{r, in})
				continue
			}
			x.saves.sgprs = append(x.saves.sgprs, r)
		}
	}
}

// lane returns the lane of a VGPR that saves the scalar register with a number.
func (s *saves) lane(n, wave int) (mir.Operand, mir.Operand) {
	return reg(s.hold[n/wave]), mir.Imm(int64(n % wave))
}

// freeSGPR returns a scalar register that the function does not write and
// callers do not expect to be preserved, or NoReg. It excludes the working
// registers of prologues and epilogues.
func (x *frame) freeSGPR(written *[mir.NumPhys]bool) mir.Reg {
	for r := mir.SGPR(0); r < mir.SGPR(leastForCalls); r++ {
		if !x.preserves(r) && !written[r] && !x.changed.Has(r) && !x.isSpare(r) && !x.keeps(r) {
			return r
		}
	}
	return mir.NoReg
}

// isSpare reports whether prologues, epilogues and calls may use a scalar
// register.
func (x *frame) isSpare(r mir.Reg) bool {
	return r >= firstSpare && r < firstSpare+12 || x.spare != firstSpare && r >= x.spare && r < x.spare+14
}

// preserves reports whether the function preserves a register for its callers.
func (x *frame) preserves(r mir.Reg) bool { return x.entry.Convention.Preserves(r) }

// keeps reports whether the frame uses a register.
func (x *frame) keeps(r mir.Reg) bool {
	return slices.ContainsFunc(x.keep, func(k regRange) bool { return r >= k.reg && r < k.reg+mir.Reg(k.n) })
}

// freeVGPR returns a VGPR that the function does not use, or NoReg. All its
// lanes are saved, so it may hold an unused argument.
func (x *frame) freeVGPR(written *[mir.NumPhys]bool) mir.Reg {
	for n := range 256 {
		if r := mir.VGPR(n); !written[r] && !x.changed.Has(r) {
			return r
		}
	}
	return mir.NoReg
}

// prologue inserts the code at the function's start.
func (x *frame) prologue() {
	f := x.f
	x.at, x.scc, x.flags = f.First(f.Layout[0]), false, mir.FrameSetup
	if x.entry.Kernel {
		x.kernelPrologue()
		x.saveChain(true, x.at)
	} else {
		x.functionPrologue()
	}
	x.flags = 0
}

// kernelPrologue makes scratch memory accessible and sets the stack pointer
// (user guide, "Kernel Prolog").
func (x *frame) kernelPrologue() {
	if !x.scratch {
		return
	}
	at := func(in abi.Input, k int) mir.Operand { return reg(x.entry.At[in].Reg + mir.Reg(k)) }
	scc := mir.Phys(mir.SCC, 1)
	if x.entry.Shader != nil {
		x.shaderScratch()
	}
	if x.entry.Inputs.Has(abi.PrivateSegmentBuffer) { // all waves share the resource
		lo, hi := reg(abi.ScratchResource), reg(abi.ScratchResource+1)
		x.insertInstr(mir.SAddCoU32, 2, lo, scc, lo, at(abi.PrivateSegmentWaveOffset, 0))
		x.insertInstr(mir.SAddCoCiU32, 2, hi, deadSCC(), hi, mir.Imm(0), scc)
	}
	if x.entry.Inputs.Has(abi.FlatScratchInit) {
		x.flatScratch(at(abi.FlatScratchInit, 0), at(abi.FlatScratchInit, 1), at(abi.PrivateSegmentWaveOffset, 0))
	}
	if x.entry.Dynamic > 0 {
		x.skipTrapArea()
		return
	}
	if x.calls || x.dynamic {
		x.insertInstr(mir.SMovB32, 1, reg(abi.StackPointer), mir.Imm(x.size*x.scale))
	}
	if x.base != mir.NoReg {
		x.insertInstr(mir.SMovB32, 1, reg(x.base), mir.Imm(0))
	}
}

// hwregMicroengine is the s_getreg operand for the number of the micro engine, 2
// bits from bit 8 of HW_ID2 on. It is 0 for graphics.
const hwregMicroengine = 24 | 8<<6 | (2-1)<<11

// skipTrapArea sets the base of the frame of a kernel with dynamic VGPRs, which
// begins after the memory of the trap handler, and the stack pointer.
func (x *frame) skipTrapArea() {
	scc := mir.Phys(mir.SCC, 1)
	x.insertInstr(mir.SGetregB32, 1, reg(x.base), mir.Imm(hwregMicroengine))
	x.insertInstr(mir.SCmpLgU32, 1, scc, reg(x.base), mir.Imm(0))
	x.insertInstr(mir.SCselectB32, 1, reg(x.base), mir.Imm(x.entry.TrapArea()), mir.Imm(0), scc)
	if x.calls || x.dynamic {
		x.insertInstr(mir.SAddCoI32, 2, reg(abi.StackPointer), deadSCC(), reg(x.base), mir.Imm(x.size))
	}
}

// flatScratch computes FLAT_SCRATCH from the kernel's inputs (user guide, "Flat
// Scratch"). From gfx9 on it is an address. Before, it is the size of a lane's
// memory and an offset in units of 256 bytes.
func (x *frame) flatScratch(lo, hi, offset mir.Operand) {
	scc := mir.Phys(mir.SCC, 1)
	set := x.f.M.Set
	if !set.Has(isa.PropFlatScratchAddress) {
		flat := mir.SGPR(102)
		if set.Has(isa.PropFlatScratch104) {
			flat = mir.SGPR(104)
		}
		x.insertInstr(mir.SAddCoU32, 2, lo, deadSCC(), lo, offset)
		x.insertInstr(mir.SLshrB32, 2, reg(flat+1), deadSCC(), lo, mir.Imm(8))
		x.insertInstr(mir.SMovB32, 1, reg(flat), hi)
		return
	}
	toLo, toHi := reg(mir.SGPR(102)), reg(mir.SGPR(103))
	if set.Has(isa.PropFlatScratchReg) {
		toLo, toHi = lo, hi
	}
	x.insertInstr(mir.SAddCoU32, 2, toLo, scc, lo, offset)
	x.insertInstr(mir.SAddCoCiU32, 2, toHi, deadSCC(), hi, mir.Imm(0), scc)
	if set.Has(isa.PropFlatScratchReg) {
		x.insertInstr(mir.SSetregB32, 0, mir.Imm(hwregFlatScratch), lo)
		x.insertInstr(mir.SSetregB32, 0, mir.Imm(hwregFlatScratch+1), hi)
	}
}

// hwregFlatScratch is the s_setreg operand for the low half of FLAT_SCRATCH:
// register 20, 32 bits from bit 0 on. The high half is register 21.
const hwregFlatScratch = 20 | 31<<11

func (x *frame) functionPrologue() {
	f := x.f
	base := abi.StackPointer
	if x.realign > 0 {
		base = x.spare + 2
		x.insertInstr(mir.SAddCoI32, 2, reg(base), deadSCC(), reg(abi.StackPointer), mir.Imm((x.realign-1)*x.scale))
		x.insertInstr(mir.SAndB32, 2, reg(base), deadSCC(), reg(base), mir.Imm(-x.realign*x.scale))
	}
	for _, m := range x.saves.moved {
		x.insertInstr(mir.SMovB32, 1, reg(m.in), reg(m.reg))
	}
	x.saveLanes(true, x.saves.wide, x.saves.at, base, x.spare)
	x.saveIdle(true, base, x.spare)
	for n, r := range x.saves.vgprs {
		x.memory(true, r, 1, base, x.saves.at+int64(4*(len(x.saves.wide)+n)))
	}
	for n, r := range x.saves.sgprs {
		hold, lane := x.saves.lane(n, f.M.Wave)
		x.insertInstr(mir.VWritelaneB32, 1, hold, reg(r), lane, hold)
	}
	x.saveLanes(true, x.saves.busy, x.saves.busyAt(), base, x.spare)
	if x.realign > 0 {
		x.insertInstr(mir.SMovB32, 1, reg(abi.BasePointer), reg(abi.StackPointer))
	}
	if x.framePtr {
		x.insertInstr(mir.SMovB32, 1, reg(abi.FramePointer), reg(base))
	}
	if x.calls || x.dynamic {
		x.scalarAdd(abi.StackPointer, base, x.size*x.scale)
	}
}

// saveLanes stores or loads all lanes of VGPRs at an offset. It needs scalar
// registers for a lane mask.
func (x *frame) saveLanes(store bool, list []mir.Reg, at int64, base, mask mir.Reg) {
	x.saveMasked(maskOp(x.f.M, mir.SOrSaveexecB32, mir.SOrSaveexecB64), store, list, at, base, mask)
}

// saveIdle stores or loads the inactive lanes of registers. It needs scalar
// registers for a lane mask.
func (x *frame) saveIdle(store bool, base, mask mir.Reg) {
	x.saveMasked(maskOp(x.f.M, mir.SXorSaveexecB32, mir.SXorSaveexecB64), store, x.saves.idle, x.saves.idleAt(), base, mask)
}

// saveMasked stores or loads the lanes of registers that op, which combines EXEC
// and -1, selects.
func (x *frame) saveMasked(op mir.Op, store bool, list []mir.Reg, at int64, base, mask mir.Reg) {
	m := x.f.M
	if len(list) == 0 {
		return
	}
	n := m.MaskDwords()
	exec, save := mir.Phys(mir.Exec, n), mir.Phys(mask, n)
	x.insertInstr(op, 2, save, deadSCC(), mir.Imm(-1))
	for k, r := range list {
		x.memory(store, r, 1, base, at+int64(4*k))
	}
	x.insertInstr(maskOp(m, mir.SMovB32, mir.SMovB64), 1, exec, save)
}

// epilogue restores the registers that the prologue changed, and replaces a
// return by a jump.
func (x *frame) epilogue(i mir.Instr) {
	f := x.f
	x.at, x.scc, x.flags = i, false, mir.FrameDestroy
	base := abi.StackPointer
	switch {
	case x.framePtr:
		base = abi.FramePointer
	case x.calls:
		x.scalarAdd(base, base, -x.size*x.scale)
	}
	free := x.epilogueRegs(i)
	x.saveIdle(false, base, free)
	address := *f.Use(i, 0)
	if x.saves.has(address.Reg()) || x.saves.has(address.Reg()+1) {
		for k := range mir.Reg(2) {
			x.insertInstr(mir.SMovB32, 1, reg(free+4+k), reg(address.Reg()+k))
		}
		address = mir.Phys(free+4, 2)
	}
	for n, r := range x.saves.vgprs {
		x.memory(false, r, 1, base, x.saves.at+int64(4*(len(x.saves.wide)+n)))
	}
	x.saveLanes(false, x.saves.busy, x.saves.busyAt(), base, free)
	later := map[mir.Reg]mir.Reg{abi.FramePointer: free + 2, abi.BasePointer: free + 3}
	for n, r := range x.saves.sgprs {
		to := r
		if t, ok := later[r]; ok && x.usesPointer(r) {
			to = t
		}
		hold, lane := x.saves.lane(n, f.M.Wave)
		x.insertInstr(mir.VReadlaneB32, 1, reg(to), hold, lane)
	}
	x.saveLanes(false, x.saves.wide, x.saves.at, base, free)
	switch {
	case x.realign > 0:
		x.insertInstr(mir.SMovB32, 1, reg(abi.StackPointer), reg(abi.BasePointer))
	case x.framePtr:
		x.insertInstr(mir.SMovB32, 1, reg(abi.StackPointer), reg(abi.FramePointer))
	}
	for _, r := range x.saves.sgprs {
		if t, ok := later[r]; ok && x.usesPointer(r) {
			x.insertInstr(mir.SMovB32, 1, reg(r), reg(t))
		}
	}
	for _, m := range x.saves.moved {
		x.insertInstr(mir.SMovB32, 1, reg(m.reg), reg(m.in))
	}
	f.SetOp(i, mir.SSetpcB64)
	f.SetOperands(i, 0, address)
	x.flags = 0
}

// usesPointer reports whether the epilogue still needs the frame pointer or the
// base pointer.
func (x *frame) usesPointer(r mir.Reg) bool {
	return r == abi.FramePointer && x.framePtr || r == abi.BasePointer && x.realign > 0
}

// epilogueRegs returns the first of six scalar registers, aligned to two, that
// callers do not expect to be preserved and that do not hold the return
// address.
func (x *frame) epilogueRegs(ret mir.Instr) mir.Reg {
	r := x.f.Use(ret, 0).Reg()
	switch {
	case r+2 <= x.spare || r >= x.spare+6:
		return x.spare
	case x.spare == firstSpare:
		return firstSpare + 6
	case x.preserves(firstSpare):
		return x.spare + 8
	}
	return firstSpare
}

// call lowers a call, whose first source is the function's address in
// registers, or its symbol.
func (x *frame) call(i mir.Instr) {
	f := x.f
	to := *f.Use(i, 0)
	ret := mir.Phys(abi.ReturnAddress, 2)
	if to.Kind == mir.KindSymbol {
		to = x.symbolAddress(to)
	}
	operands := []mir.Operand{ret, to}
	f.SetOp(i, mir.SSwappcB64)
	f.SetOperands(i, 1, operands...)
}

// symbolAddress computes the address of a symbol in spare registers, which hold
// no values across a call. The address is the program counter plus a distance,
// relative to the literals of the two additions at offsets 4 and 12. For a GOT
// entry, the distance locates the entry.
func (x *frame) symbolAddress(to mir.Operand) mir.Operand {
	lo, hi := reg(x.spare), reg(x.spare+1)
	pair, scc := mir.Phys(x.spare, 2), mir.Phys(mir.SCC, 1)
	first, second := mir.SymbolRel32Lo, mir.SymbolRel32Hi
	got := to.Half() == mir.SymbolGotRel32Lo
	if got {
		first, second = mir.SymbolGotRel32Lo, mir.SymbolGotRel32Hi
	}
	skip := int64(0)
	x.insertInstr(mir.SGetpcB64, 1, pair)
	if x.t.Processor.Is(target.GFX12) { // the program counter is not sign-extended
		x.insertInstr(mir.SSextI32I16, 1, hi, hi)
		skip = 4
	}
	addend := to.Imm
	x.insertInstr(mir.SAddCoU32, 2, lo, scc, lo, mir.SymbolAddr(to.Symbol(), first, addend+skip+4))
	x.insertInstr(mir.SAddCoCiU32, 2, hi, deadSCC(), hi, mir.SymbolAddr(to.Symbol(), second, addend+skip+12), scc)
	if got {
		x.f.SetMem(x.insertInstr(mir.SLoadB64, 1, pair, pair, mir.None, mir.Imm(0)), mir.Mem{Size: 8, Align: 8, AddrSpace: 4, Flags: mir.MemLoad | mir.MemInvariant})
	}
	return pair
}
