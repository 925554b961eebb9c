package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// counter is a word that all work-items modify with one kind of atomic
// operation. The final value does not depend on the order. The results of the
// operations do, and are not used.
type counter struct {
	op ir.RMWOp
	t  ir.Type
}

// counters lists the words of buffer sum.
var counters = [...]counter{
	{ir.RMWAdd, ir.I32}, {ir.RMWAdd, ir.I64}, {ir.RMWSub, ir.I32}, {ir.RMWSub, ir.I64},
	{ir.RMWAnd, ir.I32}, {ir.RMWAnd, ir.I64}, {ir.RMWOr, ir.I32}, {ir.RMWOr, ir.I64},
	{ir.RMWXor, ir.I32}, {ir.RMWXor, ir.I64}, {ir.RMWMax, ir.I32}, {ir.RMWMax, ir.I64},
	{ir.RMWMin, ir.I32}, {ir.RMWMin, ir.I64}, {ir.RMWUMax, ir.I32}, {ir.RMWUMax, ir.I64},
	{ir.RMWUMin, ir.I32}, {ir.RMWUMin, ir.I64}, {ir.RMWUIncWrap, ir.I32}, {ir.RMWUIncWrap, ir.I64},
	{ir.RMWUDecWrap, ir.I32}, {ir.RMWUDecWrap, ir.I64}, {ir.RMWFAdd, ir.Float}, {ir.RMWFAdd, ir.Double},
	{ir.RMWFMax, ir.Float}, {ir.RMWFMin, ir.Double}, {ir.RMWAdd, ir.I8}, {ir.RMWXor, ir.I16}, {ir.RMWFAdd, ir.Half},
	{ir.RMWFSub, ir.Float}, {ir.RMWFAdd, ir.BFloat}, {ir.RMWUMax, ir.I16},
}

// counterSize is the distance between counters, in bytes.
const counterSize = 8

// fillCounters initializes integer counters. Floating-point counters start at
// zero.
func fillCounters(data []byte) {
	fillBytes(data, 0xc2b2ae35)
	for i, c := range counters {
		if floatFormats[c.t] != (floatFormat{}) {
			clear(data[i*counterSize:][:counterSize])
		}
	}
}

// wrapLimit is the operand of all operations on a wrapping counter. With a
// common limit the result does not depend on the order.
const wrapLimit = 5

// operand creates the operand for an operation on a counter.
func (b *body) operand(c counter) ir.Value {
	m := b.m
	switch {
	case c.op == ir.RMWUIncWrap || c.op == ir.RMWUDecWrap:
		return m.NewInt(c.t, wrapLimit)
	case m.IsFloat(c.t): // sums of a few small integers are exact in all formats
		return b.b.Cast(ir.OpUIToFP, b.b.And(b.pick(ir.I32), m.NewInt(ir.I32, 1)), c.t, 0)
	}
	return b.pick(c.t)
}

// scopes lists the synchronization scopes of atomic operations that include all
// work-items of the group.
var scopes = [...]ir.SyncScope{ir.System, ir.Agent, ir.Workgroup, ir.SystemOneAS, ir.AgentOneAS, ir.WorkgroupOneAS}

// orderings lists the orderings of atomic read-modify-write operations.
var orderings = [...]ir.Ordering{ir.Monotonic, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}

// rmw creates an atomicrmw.
func (b *body) rmw(op ir.RMWOp, p, x ir.Value) ir.Value {
	t := b.typeOf(x)
	v := b.b.Make(ir.OpAtomicRMW, t, p, x)
	b.f.Instr(v).Sub = uint8(op)
	scope := ir.System
	if b.o.Profile == AMDGPU {
		scope = scopes[b.IntN(len(scopes))]
	}
	b.f.SetMemInfo(v, ir.MemInfo{Align: uint32(b.m.StoreSize(t)), Ordering: orderings[b.IntN(len(orderings))], Scope: scope})
	b.cost += b.mult
	return v
}

// count modifies a counter in global memory. It may be in divergent code, and
// in loops whose trip counts keep floating-point sums exact.
func (b *body) count(int) {
	if b.sum == ir.None {
		return
	}
	i := b.IntN(len(counters))
	c := counters[i]
	if b.m.IsFloat(c.t) {
		if b.counted[i] += b.mult; b.counted[i] > exactTrips {
			return
		}
	}
	b.rmw(c.op, b.b.PtrAdd(b.sum, b.m.NewInt(ir.I64, uint64(i*counterSize-b.sumOffset)), 0), b.operand(c))
}

// exactTrips limits the operations of a work-item on a floating-point counter.
// The sums of all work-items must be integers that the format with the shortest
// significand represents exactly.
const exactTrips = 1 << 8 / lanes / 2

// countShared modifies counters in LDS between barriers, and reads them.
func (b *body) countShared(depth int) {
	if depth > 0 || !b.f.CC.IsKernel() || b.returns {
		return
	}
	m := b.m
	name := "counters." + b.f.Name()
	g := m.Global(name)
	if g == nil {
		g = m.NewGlobal(ir.GlobalVar, name, m.ArrayType(ir.I64, uint64(len(counters))), 3, ir.None)
		g.Init, g.Align, g.Linkage = m.Poison(g.Type), counterSize, ir.Internal
	}
	n := 1 + b.IntN(3)
	first := b.IntN(len(counters) - n)
	at := func(i int) ir.Value { return b.b.PtrAdd(g.Value(), m.NewInt(ir.I32, uint64(i*counterSize)), 0) }
	b.call(ir.IntrAMDGCNSBarrier, nil)
	b.onFirst(func() {
		for i := first; i < first+n; i++ {
			b.b.Store(m.NewInt(ir.I64, 0), at(i), counterSize)
		}
	})
	b.call(ir.IntrAMDGCNSBarrier, nil)
	for range 1 + b.IntN(4) {
		i := first + b.IntN(n)
		c, x := counters[i], ir.None
		x = b.operand(c)
		b.sometimes(func() { b.rmw(c.op, at(i), x) })
	}
	b.call(ir.IntrAMDGCNSBarrier, nil)
	for i := first; i < first+n; i++ {
		b.add(b.canonical(b.b.Load(counters[i].t, at(i), counterSize)))
	}
}

// onFirst creates code that only the first work-item executes.
func (b *body) onFirst(f func()) {
	id := b.call(ir.IntrAMDGCNWorkitemIdX, nil)
	b.under(b.b.Compare(ir.ICmpEQ, id, b.m.NewInt(ir.I32, 0)), f)
}

// sometimes creates code that executes always or under a condition.
func (b *body) sometimes(f func()) {
	if b.chance(2) {
		f()
		return
	}
	b.under(b.cond(), f)
}

// under creates code that executes if a condition holds.
func (b *body) under(c ir.Value, f func()) {
	yes, join := b.f.NewBlock(), b.f.NewBlock()
	b.b.CondBr(c, yes, join)
	b.b.AtEnd(yes)
	b.scope(nil, f)
	b.b.Br(join)
	b.b.AtEnd(join)
}

// sharedFence creates a fence.
func (b *body) sharedFence(int) {
	if b.o.Profile != AMDGPU {
		return
	}
	v := b.b.Make(ir.OpFence, ir.Void)
	b.f.SetMemInfo(v, ir.MemInfo{Ordering: orderings[1+b.IntN(len(orderings)-1)], Scope: scopes[b.IntN(len(scopes))]})
}
