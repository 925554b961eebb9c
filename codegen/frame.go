package codegen

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// The stack frame. Offsets are bytes of one lane. A kernel's frame begins at 0 of its private memory, that of a function at the
// stack pointer; the stack grows upwards. Arguments that do not fit into registers are at the start of the callee's frame.
//
// What the frame needs of registers is decided before register allocation (plan), when all objects but the slots
// of preserved registers are known; the rest is done afterwards (finish).

// frame is the stack frame of the function at hand.
type frame struct {
	f      *mir.Func
	t      *target.Target
	entry  *abi.Entry
	access abi.ScratchAccess
	scale  int64 // of the stack pointer
	farOff int64 // the largest offset that an access has in itself

	size     int64 // bytes of a lane, without those of functions that are called
	scratch  bool  // the function uses private memory, itself or in functions that it calls
	calls    bool
	changed  RegSet    // what calls change, set before plan
	dynamic  bool      // its stack grows by amounts that are not known
	framePtr bool      // a function whose frame does not begin at the stack pointer
	realign  int64     // the alignment of the frame pointer when it is larger than that of the stack
	base     mir.Reg   // what offsets are relative to; NoReg: they are all of the address
	spare    mir.Reg   // the first of eight scalar registers that callers expect nothing of, and no argument is in
	temp     mir.Reg   // two registers for addresses that are too far; NoReg when they are not needed
	lanes    []mir.Reg // those that are written without regard to EXEC: for scalar registers, then the pool of whole wave mode
	pool     mir.Reg   // where the pool begins
	accum    []mir.Reg // by object: the first of the AGPRs that hold it instead of memory, or NoReg
	accumAt  int       // the AGPRs that are free for that
	accumEnd int
	saves    saves
	keep     []regRange
	scc      bool      // the condition code is live at the place at hand
	at       mir.Instr // before which instructions are put
	flags    mir.Flags // of what is put
}

// hasNoAddress reports whether scratch instructions may have no register at all in their address: from gfx10.3 on, and on gfx940.
func hasNoAddress(t *target.Target) bool {
	return t.Processor.Is(target.GFX10_3) || t.Processor.Is(target.GFX940)
}

// hasBothAddresses reports whether scratch instructions may have a vector and a scalar register in their address.
func hasBothAddresses(t *target.Target) bool {
	return t.Processor.Is(target.GFX11) || t.Processor.Is(target.GFX940)
}

// maxFrameOffset gives the largest offset that accesses to private memory have (AMD's ISA documents, "Instruction offset").
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

// plan decides what the frame needs of registers. The lanes of scalar spills go to VGPRs from laneAt on.
func (x *frame) plan(f *mir.Func, entry *abi.Entry, t *target.Target, laneAt int) {
	*x = frame{f: f, t: t, entry: entry, access: entry.Access, scale: int64(abi.StackScale(t)), farOff: maxFrameOffset(t),
		changed: x.changed, accum: x.accum, lanes: x.lanes[:0], keep: x.keep[:0],
		saves: saves{moved: x.saves.moved[:0], sgprs: x.saves.sgprs[:0], vgprs: x.saves.vgprs[:0], hold: x.saves.hold[:0], busy: x.saves.busy[:0]}}
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

// look finds out what the function does with the frame: how many bytes its objects are about, and whether their addresses are taken.
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
			for _, o := range f.Defs(i) {
				x.dynamic = x.dynamic || o.Reg() == abi.StackPointer
			}
			for n := range f.Uses(i) {
				o := f.Use(i, n)
				if o.Kind != mir.KindFrame {
					continue
				}
				addresses = addresses || isMove(f.Op(i))
				if end := int64(f.Objects[o.Frame()].Size); o.Imm < 0 || o.Imm > end { // such code is never run
					size += x.farOff
				}
			}
		}
	}
	x.scratch = x.scratch || x.calls || x.dynamic
	return size, addresses
}

// Where spare registers are: usually from firstSpare on, and from secondSpare on when arguments are there.
const (
	firstSpare  = mir.SGPR0 + 16
	secondSpare = mir.SGPR0 + 40
)

// chooseSpare finds out whether the function gets or passes arguments in the registers that are usually spare.
func (x *frame) chooseSpare() {
	f := x.f
	x.spare = firstSpare
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

// isMove reports whether an instruction puts a constant into a register.
func isMove(op mir.Op) bool { return op == mir.SMovB32 || op == mir.VMovB32 }

// planLanes chooses the VGPRs that hold scalar registers: such that calls do not change, no arguments of functions.
func (x *frame) planLanes(laneAt int) {
	f := x.f
	n := 0
	for _, o := range f.Objects {
		if o.SGPR {
			n = max(n, int(o.Offset+int64(o.Size))/4)
		}
	}
	at := laneAt
	if !x.entry.Kernel {
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

// planBase chooses the registers that addresses are made with.
func (x *frame) planBase(far, addresses bool) {
	free := x.spare + 12 // of those that callees may change
	if x.spare != firstSpare {
		free = x.spare + 6
	}
	switch {
	case x.entry.Kernel && x.access == abi.ScratchFlat && x.scratch && !hasNoAddress(x.t):
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
	if far || addresses && !x.entry.Kernel {
		x.temp = free
	}
}

// reserve notes the registers that register allocation has to leave alone.
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

// finish lays the frame out and puts it into the code of a function in the stage StageAllocated whose copies are lowered.
func (x *frame) finish() {
	x.framePtr = x.framePtr && x.needsFramePtr()
	x.findSaves()
	x.useAGPRs()
	x.layOut()
	f := x.f
	for _, b := range f.Layout {
		x.scc = false // the condition code does not live across blocks
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
		if i := f.Last(b); i != 0 && f.Op(i) == mir.Return {
			x.epilogue(i)
		}
	}
}

// needsFramePtr reports whether anything is relative to the frame pointer: what is saved is accessed where the stack pointer is the same.
func (x *frame) needsFramePtr() bool {
	return x.dynamic || x.realign > 0 || slices.ContainsFunc(x.f.Objects[1:], func(o mir.FrameObject) bool { return !o.Out && !o.SGPR })
}

// useAGPRs lets AGPRs that are free hold what is spilled.
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

// layOut gives the objects their offsets: small ones first, so that more of them are near.
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

// objectBytes returns how many bytes of a lane the objects need that selection made, without padding between them.
func (x *frame) objectBytes() (size uint64) {
	for _, o := range x.f.Objects[1:] {
		if !o.Spill && !o.Out && !o.In && !o.SGPR {
			size = AddSizes(size, o.Size)
		}
	}
	return size
}

// layOutSpills gives what is spilled to memory its place from an offset on, and gives the next one. Offsets count from 0 so far.
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

// put puts an instruction before the place at hand.
func (x *frame) put(op mir.Op, defs int, operands ...mir.Operand) mir.Instr {
	i := x.f.NewInstr(op, defs, operands...)
	x.f.SetFlags(i, x.flags)
	x.f.InsertBefore(i, x.at)
	return i
}

// reg is an operand of one physical register.
func reg(r mir.Reg) mir.Operand { return mir.Phys(r, 1) }

// deadSCC is the condition code as a result that is not used.
func deadSCC() mir.Operand {
	o := mir.Phys(mir.SCC, 1)
	o.Flags = mir.Dead
	return o
}

// maskOp gives the operation on a lane mask for the wave size.
func maskOp(m *mir.Machine, op32, op64 mir.Op) mir.Op {
	if m.Wave == 32 {
		return op32
	}
	return op64
}

// scalarAdd puts d = a + n; the condition code is saved in a register when it is live.
func (x *frame) scalarAdd(d, a mir.Reg, n int64) {
	switch {
	case n == 0 && d == a:
	case n == 0:
		x.put(mir.SMovB32, 1, reg(d), reg(a))
	default:
		x.keepSCC(func() { x.put(mir.SAddCoI32, 2, reg(d), deadSCC(), reg(a), mir.Imm(n)) })
	}
}

// keepSCC puts what f puts, around which the condition code stays as it is when it is live.
func (x *frame) keepSCC(f func()) {
	if !x.scc {
		f()
		return
	}
	t := x.temp + 1
	x.put(mir.SCselectB32, 1, reg(t), mir.Imm(1), mir.Imm(0), mir.Phys(mir.SCC, 1))
	f()
	x.put(mir.SCmpLgU32, 1, mir.Phys(mir.SCC, 1), reg(t), mir.Imm(0))
}

// flatGen reports whether the set is of gfx9 or later.
func (x *frame) flatGen() bool { return x.f.M.Set.Gen() >= isa.Gen9 }
