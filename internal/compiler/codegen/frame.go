package codegen

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/target"
)

// The stack frame. Offsets are in bytes per lane. A kernel's frame begins at
// offset 0 of private memory, a function's frame at the stack pointer. The
// stack grows upwards. Arguments that do not fit in registers are at the start
// of the callee's frame.
//
// plan reserves the frame's registers before register allocation, when all
// objects except the slots of preserved registers are known. finish does the
// rest after register allocation.

// frame is the stack frame of the current function.
type frame struct {
	f      *mir.Func
	t      *target.Target
	entry  *abi.Entry
	access abi.ScratchAccess
	scale  int64 // of the stack pointer
	farOff int64 // largest offset that an access can encode

	size     int64 // in bytes per lane, without the frames of callees
	scratch  bool  // the function or its callees use private memory
	calls    bool
	changed  RegSet    // registers clobbered by calls, set before plan
	dynamic  bool      // the stack grows by amounts unknown at compile time
	framePtr bool      // a function whose frame does not begin at the stack pointer
	realign  int64     // alignment of the frame pointer, if larger than the stack alignment
	base     mir.Reg   // base of offsets, or NoReg if offsets are whole addresses
	spare    mir.Reg   // first of eight scalar registers that are clobbered for callers and hold no argument
	temp     mir.Reg   // two registers for addresses with large offsets, or NoReg
	lanes    []mir.Reg // VGPRs written regardless of EXEC: for scalar registers, then the pool of whole wave mode
	pool     mir.Reg   // start of the pool
	accum    []mir.Reg // by object: first of the AGPRs that hold it instead of memory, or NoReg
	accumAt  int       // next free AGPR for spills
	accumEnd int
	saves    saves
	keep     []regRange
	scc      bool      // the condition code is live at the insertion point
	at       mir.Instr // insertion point
	flags    mir.Flags // for inserted instructions
}

// hasNoAddress reports whether the address of a scratch instruction may have no
// register: from gfx10.3 on, and on gfx940.
func hasNoAddress(t *target.Target) bool {
	return t.Processor.Is(target.GFX10_3) || t.Processor.Is(target.GFX940)
}

// hasBothAddresses reports whether the address of a scratch instruction may
// have a vector and a scalar register.
func hasBothAddresses(t *target.Target) bool {
	return t.Processor.Is(target.GFX11) || t.Processor.Is(target.GFX940)
}

// maxFrameOffset returns the largest offset that accesses to private memory can
// encode (AMD's ISA documents, "Instruction offset").
func maxFrameOffset(t *target.Target) int64 {
	switch {
	case t.Processor.Is(target.GFX12):
		return 1<<23 - 1
	case t.Processor.Is(target.GFX11):
		return 1<<12 - 1
	case t.Processor.Is(target.GFX10_1):
		return 1<<11 - 1
	}
	return 1<<12 - 1
}

// plan determines the registers that the frame needs. Lanes for scalar spills
// are in VGPRs from laneAt on.
func (x *frame) plan(f *mir.Func, entry *abi.Entry, t *target.Target, laneAt int) {
	*x = frame{f: f, t: t, entry: entry, access: entry.Access, scale: int64(abi.StackScale(t)), farOff: maxFrameOffset(t),
		changed: x.changed, accum: x.accum, lanes: x.lanes[:0], keep: x.keep[:0],
		saves: saves{moved: x.saves.moved[:0], sgprs: x.saves.sgprs[:0], vgprs: x.saves.vgprs[:0], idle: x.saves.idle[:0], hold: x.saves.hold[:0], busy: x.saves.busy[:0]}}
	size, addresses := x.look()
	x.chooseSpare()
	x.framePtr = !entry.Kernel && (x.calls || x.dynamic || x.realign > 0)
	if entry.Kernel {
		x.entry = entry.WithScratch(x.scratch)
	}
	x.planLanes(laneAt)
	x.planBase(size > x.farOff-512, addresses)
	x.reserve()
}

// look analyzes the function's uses of the frame. It returns the approximate
// size of its objects in bytes, and whether their addresses are taken.
func (x *frame) look() (size int64, addresses bool) {
	f := x.f
	for _, o := range f.Objects[1:] {
		if o.Align > abi.StackAlign && !x.entry.Kernel {
			x.realign = max(x.realign, int64(o.Align))
		}
		x.dynamic = x.dynamic || o.End
		if !o.SGPR {
			size += int64(o.Size) + int64(o.Align)
			x.scratch = x.scratch || o.Size > 0 && !o.Out
		}
	}
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			x.calls = x.calls || f.Op(i) == mir.Call
			x.scratch = x.scratch || f.Op(i) == mir.Return && x.entry.PassesScratch()
			for _, o := range f.Defs(i) {
				x.dynamic = x.dynamic || o.Reg() == abi.StackPointer
			}
			for n := range f.Uses(i) {
				o := f.Use(i, n)
				if o.Kind != mir.KindFrame {
					continue
				}
				addresses = addresses || isMove(f.Op(i))
				if end := int64(f.Objects[o.Frame()].Size); o.Imm < 0 || o.Imm > end { // such code is never executed
					size += x.farOff
				}
			}
		}
	}
	x.scratch = x.scratch || x.calls || x.dynamic
	return size, addresses
}

// Locations of spare registers: from firstSpare on, or from secondSpare on if
// arguments occupy those.
const (
	firstSpare  = mir.SGPR0 + 16
	secondSpare = mir.SGPR0 + 40
)

// chooseSpare determines whether the function receives or passes arguments in
// the usual spare registers.
func (x *frame) chooseSpare() {
	f := x.f
	x.spare = firstSpare
	if !x.entry.Kernel && x.preserves(firstSpare) {
		x.spare = secondSpare
		return
	}
	passes := func(list []mir.Operand) bool {
		return slices.ContainsFunc(list, func(o mir.Operand) bool {
			return o.Kind == mir.KindReg && o.Reg() >= firstSpare && o.Reg() < abi.ReturnAddress
		})
	}
	for n, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if (f.Op(i) == mir.Call || f.Op(i) == mir.Return) && passes(f.Uses(i)) || n == 0 && !x.entry.Kernel && f.Op(i) == mir.Copy && passes(f.Uses(i)) {
				x.spare = secondSpare
				return
			}
		}
	}
}

// isMove reports whether an operation moves a constant to a register.
func isMove(op mir.Op) bool { return op == mir.SMovB32 || op == mir.VMovB32 }

// planLanes selects the VGPRs that hold scalar registers. They must not be
// clobbered by calls or hold arguments.
func (x *frame) planLanes(laneAt int) {
	f := x.f
	n := 0
	for _, o := range f.Objects {
		if o.SGPR {
			n = max(n, int(o.Offset+int64(o.Size))/4)
		}
	}
	at := laneAt
	switch {
	case x.isChain():
		at = 0 // below the arguments: chain functions preserve the inactive lanes of all others
	case !x.entry.Kernel:
		at = max(at, 32)
	}
	for ; n > 0; n -= f.M.Wave {
		for x.changed.Has(mir.VGPR(at)) {
			at++
		}
		x.lanes = append(x.lanes, mir.VGPR(at))
		at++
	}
	x.planPool(at)
}

// planBase selects the registers for computing addresses.
func (x *frame) planBase(far, addresses bool) {
	free := x.spare + 12 // among the registers that callees may clobber
	if x.spare != firstSpare {
		free = x.spare + 6
	}
	switch {
	case x.entry.Kernel && x.scratch && (x.entry.Dynamic > 0 || x.access == abi.ScratchFlat && !hasNoAddress(x.t)):
		x.base = mir.SGPR(x.entry.InputSGPRs())
		if x.calls {
			x.base = abi.FramePointer
		}
	case x.framePtr:
		x.base = abi.FramePointer
	case !x.entry.Kernel:
		x.base = abi.StackPointer
	}
	if x.entry.Kernel && !x.calls {
		free = mir.SGPR(x.entry.InputSGPRs())
		if x.base != mir.NoReg {
			free++
		}
	}
	if far || addresses && (!x.entry.Kernel || x.entry.Dynamic > 0) {
		x.temp = free
	}
}

// reserve records the registers that register allocation must not use.
func (x *frame) reserve() {
	keep := func(r mir.Reg, n int) { x.keep = append(x.keep, regRange{r, n}) }
	if x.access == abi.ScratchBuffer && (x.scratch || !x.entry.Kernel) {
		keep(abi.ScratchResource, 4)
	}
	if !x.entry.Kernel || x.calls || x.dynamic {
		keep(abi.StackPointer, 1)
	}
	if x.base != mir.NoReg && x.base != abi.StackPointer {
		keep(x.base, 1)
	}
	if x.realign > 0 {
		keep(abi.BasePointer, 1)
	}
	if x.temp != mir.NoReg {
		keep(x.temp, 2)
	}
	for _, r := range x.lanes {
		keep(r, 1)
	}
}

// finish lays out the frame and inserts its code in a function in
// StageAllocated with lowered copies.
func (x *frame) finish() {
	x.framePtr = x.framePtr && x.needsFramePtr()
	x.findSaves()
	x.useAGPRs()
	x.layOut()
	f := x.f
	for _, b := range f.Layout {
		x.scc = false // the condition code is not live across blocks
		for i := f.Last(b); i != 0; {
			prev := f.Prev(i)
			live := sccBefore(f, i, x.scc)
			x.at = i
			x.instr(i)
			x.scc, i = live, prev
		}
	}
	x.prologue()
	for _, b := range f.Layout {
		switch i := f.Last(b); {
		case i == 0:
		case f.Op(i) == mir.Return && x.entry.Kernel:
			x.chainEpilogue(i)
		case f.Op(i) == mir.Return:
			x.epilogue(i)
		case f.Op(i) == mir.End && x.entry.Dynamic > 0: // other waves may use the registers
			x.at, x.flags = i, mir.FrameDestroy
			x.insertInstr(mir.SAllocVgpr, 1, deadSCC(), mir.Imm(0))
			x.flags = 0
		}
	}
}

// needsFramePtr reports whether any address is relative to the frame pointer.
// Saved registers are accessed where the stack pointer has the same value.
func (x *frame) needsFramePtr() bool {
	return x.dynamic || x.realign > 0 || slices.ContainsFunc(x.f.Objects[1:], func(o mir.FrameObject) bool { return !o.Out && !o.SGPR })
}

// useAGPRs assigns free AGPRs to spilled registers.
func (x *frame) useAGPRs() {
	f := x.f
	x.accum = zeroed(x.accum, len(f.Objects))
	for n, o := range f.Objects {
		at := x.accumAt + int(o.Offset)/4
		if o.Spill && !o.SGPR && at+int(o.Size)/4 <= x.accumEnd {
			x.accum[n] = mir.AGPR(at)
		}
	}
}

// layOut assigns offsets to objects, small ones first, so that more objects
// have small offsets.
func (x *frame) layOut() {
	f := x.f
	at := int64(0)
	order := make([]mir.Frame, 0, len(f.Objects))
	for n := 1; n < len(f.Objects); n++ {
		switch o := &f.Objects[n]; {
		case o.In:
			at = max(at, o.Offset+int64(o.Size))
		case !o.Spill && !o.Out && !o.End:
			order = append(order, mir.Frame(n))
		}
	}
	at = x.layOutSpills(x.saves.layOut(at))
	slices.SortStableFunc(order, func(p, q mir.Frame) int {
		return cmp.Compare(f.Objects[p].Size, f.Objects[q].Size)
	})
	for _, n := range order {
		o := &f.Objects[n]
		align := int64(max(o.Align, 4))
		o.Offset = (at + align - 1) &^ (align - 1)
		at = o.Offset + int64(o.Size)
	}
	if x.calls || x.dynamic {
		at = (at + abi.StackAlign - 1) &^ (abi.StackAlign - 1)
	}
	x.size = (at + 3) &^ 3
	for n := range f.Objects {
		if o := &f.Objects[n]; o.End {
			o.Offset = x.size
		}
	}
}

// stackBytes returns the number of bytes per lane from the stack pointer at
// entry to the end of the frame, with the most padding that its alignment takes.
func (x *frame) stackBytes() int64 { return x.size + max(x.realign-abi.StackAlign, 0) }

// objectBytes returns the number of bytes per lane of the objects that
// selection created, without padding.
func (x *frame) objectBytes() (size uint64) {
	for _, o := range x.f.Objects[1:] {
		if !o.Spill && !o.Out && !o.In && !o.SGPR {
			size = AddSizes(size, o.Size)
		}
	}
	return size
}

// layOutSpills assigns places from an offset on to registers spilled to memory,
// and returns the next free offset. Their offsets are relative to 0 before.
func (x *frame) layOutSpills(at int64) (end int64) {
	f := x.f
	inMemory := func(n int) bool {
		return f.Objects[n].Spill && !f.Objects[n].SGPR && x.accum[n] == mir.NoReg
	}
	first := int64(-1)
	for n := range f.Objects {
		if o := &f.Objects[n]; inMemory(n) && (first < 0 || o.Offset < first) {
			first = o.Offset
		}
	}
	end = at
	for n := range f.Objects {
		if o := &f.Objects[n]; inMemory(n) {
			o.Offset += at - first
			end = max(end, o.Offset+int64(o.Size))
		}
	}
	return end
}

// insertInstr inserts an instruction at the insertion point.
func (x *frame) insertInstr(op mir.Op, defs int, operands ...mir.Operand) mir.Instr {
	i := x.f.NewInstr(op, defs, operands...)
	x.f.SetFlags(i, x.flags)
	x.f.InsertBefore(i, x.at)
	return i
}

// reg returns an operand for one physical register.
func reg(r mir.Reg) mir.Operand { return mir.Phys(r, 1) }

// deadSCC returns the condition code as an unused result.
func deadSCC() mir.Operand {
	o := mir.Phys(mir.SCC, 1)
	o.Flags = mir.Dead
	return o
}

// maskOp returns the lane mask operation for the wave size.
func maskOp(m *mir.Machine, op32, op64 mir.Op) mir.Op {
	if m.Wave == 32 {
		return op32
	}
	return op64
}

// scalarAdd emits d = a + n. It saves the condition code in a register if it is
// live.
func (x *frame) scalarAdd(d, a mir.Reg, n int64) {
	switch {
	case n == 0 && d == a:
	case n == 0:
		x.insertInstr(mir.SMovB32, 1, reg(d), reg(a))
	default:
		x.keepSCC(func() { x.insertInstr(mir.SAddCoI32, 2, reg(d), deadSCC(), reg(a), mir.Imm(n)) })
	}
}

// keepSCC emits the instructions that f emits, and preserves the condition code
// around them if it is live.
func (x *frame) keepSCC(f func()) {
	if !x.scc {
		f()
		return
	}
	t := x.temp + 1
	x.insertInstr(mir.SCselectB32, 1, reg(t), mir.Imm(1), mir.Imm(0), mir.Phys(mir.SCC, 1))
	f()
	x.insertInstr(mir.SCmpLgU32, 1, mir.Phys(mir.SCC, 1), reg(t), mir.Imm(0))
}
