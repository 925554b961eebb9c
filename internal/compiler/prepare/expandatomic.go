package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// atomicExpander lowers atomic operations that the hardware does not support.
type atomicExpander struct {
	emitter
	ctx *opt.Context
	f   *ir.Function

	list    []ir.Value
	changed bool
}

// expandAtomic lowers atomic operations that the processor does not support for
// a type, address space or memory to cmpxchg loops. Operations on i8 and i16
// become operations on words, and operations on private memory become
// non-atomic (LLVM's atomic-expand for AMDGPU). Operations wider than 64 bits
// are kept, with a remark.
func expandAtomic(ctx *opt.Context, f *ir.Function) bool {
	a := opt.Scratch[atomicExpander](ctx)
	a.ctx, a.f, a.F, a.M, a.changed = ctx, f, f, f.Module(), false
	a.list = a.list[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch op := f.Op(v); {
			case op == ir.OpAtomicRMW || op == ir.OpCmpXchg, (op == ir.OpLoad || op == ir.OpStore) && f.IsAtomic(v):
				a.list = append(a.list, v)
			}
		}
	}
	for i := 0; i < len(a.list); i++ { // expansions append to it
		a.expand(a.list[i])
	}
	return a.changed
}

func (a *atomicExpander) expand(v ir.Value) {
	f := a.f
	a.Before(v)
	plan := atomicKeep
	switch f.Op(v) {
	case ir.OpAtomicRMW:
		plan = a.planRMW(v)
	case ir.OpCmpXchg:
		plan = a.planCmpXchg(v)
	default:
		plan = a.planAccess(v)
	}
	if plan == atomicKeep {
		return
	}
	if plan == atomicRefused {
		a.ctx.AddRemark(f, v, "atomic "+f.Op(v).String()+" of more than 64 bits is not supported")
		return
	}
	a.changed = true
	switch op := f.Op(v); {
	case plan == atomicToFlat:
		i := 0
		if op == ir.OpStore {
			i = 1
		}
		f.SetOperand(v, i, a.Cast(ir.OpAddrSpaceCast, f.Operand(v, i), ir.Ptr, 0))
		a.list = append(a.list, v)
	case op == ir.OpLoad || op == ir.OpStore:
		mi := f.MemInfo(v)
		mi.Ordering, mi.Scope = ir.NotAtomic, 0
		f.SetMemInfo(v, mi)
	case op == ir.OpCmpXchg:
		a.cmpXchg(v, plan)
	default:
		a.rmw(v, plan)
	}
}

// planAccess selects the lowering of an atomic load or store.
func (a *atomicExpander) planAccess(v ir.Value) atomicPlan {
	f := a.f
	p, t := f.Operand(v, 0), f.TypeOf(v)
	if f.Op(v) == ir.OpStore {
		p, t = f.Operand(v, 1), f.TypeOf(f.Operand(v, 0))
	}
	switch {
	case a.M.AddrSpace(f.TypeOf(p)) == addrspace.Private:
		return planPrivate(a.ctx)
	case a.M.SizeInBits(t) > 64:
		return atomicRefused
	}
	return atomicKeep
}

func (a *atomicExpander) planCmpXchg(v ir.Value) atomicPlan {
	f := a.f
	space := a.M.AddrSpace(f.TypeOf(f.Operand(v, 0)))
	bits := a.M.SizeInBits(f.TypeOf(f.Operand(v, 2)))
	switch {
	case space == addrspace.Private:
		return planPrivate(a.ctx)
	case bits > 64:
		return atomicRefused
	case bits < 32:
		return atomicLoop
	case bits == 64 && space == addrspace.Flat && a.mayBePrivate(v):
		return atomicFlat64
	}
	return atomicKeep
}

// rmw expands an atomicrmw.
func (a *atomicExpander) rmw(v ir.Value, plan atomicPlan) {
	f := a.f
	p, x := f.Operand(v, 0), f.Operand(v, 1)
	t := f.TypeOf(v)
	switch plan {
	case atomicAddZero:
		f.Instr(v).Sub = uint8(ir.RMWAdd)
		a.list = append(a.list, v)
	case atomicPlain:
		a.replace(v, a.plain(v, p))
	case atomicFlat64:
		a.byAddress(v, false)
	case atomicFlatFAdd:
		a.byAddress(v, true)
	case atomicLoop:
		if a.M.SizeInBits(t) < 32 {
			a.small(v, p, x, t)
			return
		}
		mi := f.MemInfo(v)
		a.replace(v, a.loop(v, p, t, mi.Align, func(old ir.Value) ir.Value { return a.compute(f.RMWOp(v), old, x) }))
	}
}

// replace replaces the uses of an instruction and removes it.
func (a *atomicExpander) replace(v, n ir.Value) {
	f := a.f
	if name := f.NameOf(v); name != nil && n.IsLocal() && !f.HasName(n) {
		f.SetName(n, name)
	}
	if f.HasUses(v) || f.FirstRecordUse(v) != 0 {
		f.ReplaceUses(v, n)
	}
	f.Erase(v)
}

// rmwOps lists the operations that are one instruction.
var rmwOps = [ir.NumRMWOps]ir.Op{ir.RMWAdd: ir.OpAdd, ir.RMWSub: ir.OpSub, ir.RMWAnd: ir.OpAnd, ir.RMWOr: ir.OpOr, ir.RMWXor: ir.OpXor,
	ir.RMWFAdd: ir.OpFAdd, ir.RMWFSub: ir.OpFSub}

// rmwPreds lists the comparisons that select the old value if true and the
// operand otherwise.
var rmwPreds = [ir.NumRMWOps]ir.Pred{ir.RMWMax: ir.ICmpSGT, ir.RMWMin: ir.ICmpSLE, ir.RMWUMax: ir.ICmpUGT, ir.RMWUMin: ir.ICmpULE}

// rmwCalls lists the intrinsics that implement the remaining operations.
var rmwCalls = [ir.NumRMWOps]ir.Intrinsic{ir.RMWFMax: ir.IntrMaxnum, ir.RMWFMin: ir.IntrMinnum, ir.RMWFMaximum: ir.IntrMaximum,
	ir.RMWFMinimum: ir.IntrMinimum, ir.RMWUSubSat: ir.IntrUsubSat}

// compute returns the value that an operation stores.
func (a *atomicExpander) compute(op ir.RMWOp, old, x ir.Value) ir.Value {
	t := a.f.TypeOf(old)
	if rmwOps[op] != ir.OpNone {
		return a.Binary(rmwOps[op], old, x, 0)
	}
	if rmwPreds[op] != 0 {
		return a.Select(a.Compare(rmwPreds[op], old, x), old, x)
	}
	if rmwCalls[op] != ir.NoIntrinsic {
		return a.Call(a.M.DeclareIntrinsic(rmwCalls[op], t), old, x)
	}
	switch op {
	case ir.RMWNand:
		return a.Xor(a.And(old, x), a.M.NewSigned(t, -1))
	case ir.RMWUIncWrap:
		more := a.Add(old, a.M.NewInt(t, 1))
		return a.Select(a.Compare(ir.ICmpUGE, old, x), a.M.NewInt(t, 0), more)
	case ir.RMWUDecWrap:
		zero := a.Compare(ir.ICmpEQ, old, a.M.NewInt(t, 0))
		wraps := a.Or(zero, a.Compare(ir.ICmpUGT, old, x))
		return a.Select(wraps, x, a.Sub(old, a.M.NewInt(t, 1)))
	case ir.RMWUSubCond:
		return a.Select(a.Compare(ir.ICmpUGE, old, x), a.Sub(old, x), old)
	}
	return x // xchg
}

// plain performs an operation non-atomically and returns the old value.
func (a *atomicExpander) plain(v, p ir.Value) ir.Value {
	f := a.f
	mi := f.MemInfo(v)
	old := a.access(a.Make(ir.OpLoad, f.TypeOf(v), p), v, mi.Align)
	a.access(a.Make(ir.OpStore, ir.Void, a.compute(f.RMWOp(v), old, f.Operand(v, 1)), p), v, mi.Align)
	return old
}

// access completes a plain load or store that is part of v.
func (a *atomicExpander) access(n, v ir.Value, align uint32) ir.Value {
	a.f.SetMemInfo(n, ir.MemInfo{Align: align, Volatile: a.f.IsVolatile(v)})
	return n
}

// split moves v and all instructions after it to a new block. The builder then
// inserts at the end of the block before.
func (a *atomicExpander) split(v ir.Value) (end ir.Block) {
	f := a.f
	before := f.Parent(v)
	end = f.SplitBlock(v)
	loc := a.Loc
	f.Erase(f.Terminator(before))
	a.AtEnd(before)
	a.Loc = loc
	f.SetName(end.Value(), []byte("atomicrmw.end"))
	return end
}

// newBlock creates a block before another one.
func (a *atomicExpander) newBlock(before ir.Block, name string) ir.Block {
	b := a.f.NewBlockAfter(a.f.PrevBlock(before))
	a.f.SetName(b.Value(), []byte(name))
	return b
}

// failure returns the strongest valid ordering for a failed cmpxchg.
func failure(o ir.Ordering) ir.Ordering {
	switch o {
	case ir.Release:
		return ir.Monotonic
	case ir.AcqRel:
		return ir.Acquire
	}
	return max(o, ir.Monotonic)
}

// loop emits a loop that computes a new value from the old one until no other
// thread has changed it in between. It returns the old value and leaves the
// builder before v.
func (a *atomicExpander) loop(v, p ir.Value, t ir.Type, align uint32, compute func(old ir.Value) ir.Value) ir.Value {
	f, m := a.f, a.M
	end := a.split(v)
	before := a.Block()
	loop := a.newBlock(end, "atomicrmw.start")
	first := a.access(a.Make(ir.OpLoad, t, p), v, align)
	a.Br(loop)
	a.AtEnd(loop)
	old := a.Phi(t)
	f.SetName(old, []byte("loaded"))
	n := compute(old)
	work := t
	if !m.IsInt(t) {
		work = m.IntType(int(m.SizeInBits(t)))
	}
	mi := f.MemInfo(v)
	x := a.Make(ir.OpCmpXchg, m.StructType([]ir.Type{work, ir.I1}, false), p, a.Reinterpret(old, work), a.Reinterpret(n, work))
	f.SetMemInfo(x, ir.MemInfo{Align: align, Ordering: mi.Ordering, Failure: failure(mi.Ordering), Scope: mi.Scope, Volatile: mi.Volatile})
	a.copyMetadata(x, v)
	done := a.ExtractValue(x, 1)
	again := a.Reinterpret(a.ExtractValue(x, 0), t)
	a.CondBr(done, end, loop)
	f.AddIncoming(old, first, before)
	f.AddIncoming(old, again, loop)
	a.Before(v)
	return again
}

// copyMetadata copies the metadata that also applies to the new atomic
// operation.
func (a *atomicExpander) copyMetadata(to, from ir.Value) {
	for _, k := range [...]ir.MDKind{ir.MDAliasScope, ir.MDNoAlias, ir.MDAccessGroup, ir.MDMMRA, ir.MDNoAliasAddrSpace} {
		if md := a.f.Attachment(from, k); md != 0 {
			a.f.SetAttachment(to, k, md)
		}
	}
}

// byAddress performs an operation on a flat pointer by branching on its address
// space. Private memory is accessed non-atomically. With local, LDS and global
// memory have separate operations; otherwise both share one operation, which is
// marked as not accessing private memory.
func (a *atomicExpander) byAddress(v ir.Value, local bool) {
	f, m := a.f, a.M
	p := f.Operand(v, 0)
	end := a.split(v)
	phi := ir.None // not created for an unused result, whose operations may have no value
	if f.HasUses(v) {
		phi = f.NewInstr(ir.OpPhi, f.TypeOf(v))
	}
	check := func(id ir.Intrinsic, yes, no string) (ir.Block, ir.Block) {
		b, c := a.newBlock(end, yes), a.newBlock(end, no)
		a.CondBr(a.Call(m.DeclareIntrinsic(id), p), b, c)
		return b, c
	}
	arm := func(b ir.Block, result func() ir.Value) {
		a.AtEnd(b)
		r := result()
		if phi != ir.None {
			f.AddIncoming(phi, r, a.Block())
		}
		a.Br(end)
	}
	if local {
		shared, rest := check(ir.IntrAMDGCNIsShared, "atomicrmw.shared", "atomicrmw.check.private")
		arm(shared, func() ir.Value { return a.copyTo(v, m.PtrType(addrspace.Local)) })
		a.AtEnd(rest)
	}
	private, global := check(ir.IntrAMDGCNIsPrivate, "atomicrmw.private", "atomicrmw.global")
	arm(private, func() ir.Value {
		q := a.Cast(ir.OpAddrSpaceCast, p, m.PtrType(addrspace.Private), 0)
		if f.Op(v) == ir.OpCmpXchg {
			return a.plainCmpXchg(v, q)
		}
		return a.plain(v, q)
	})
	arm(global, func() ir.Value {
		if local {
			return a.copyTo(v, m.PtrType(addrspace.Global))
		}
		n := a.copyTo(v, f.TypeOf(p))
		five, six := m.NewMDValue(m.NewInt(ir.I32, addrspace.Private)), m.NewMDValue(m.NewInt(ir.I32, addrspace.Private+1))
		f.SetAttachment(n, ir.MDNoAliasAddrSpace, m.NewTuple(five, six))
		return n
	})
	if phi == ir.None {
		f.Erase(v)
		return
	}
	f.Prepend(end, phi)
	a.replace(v, phi)
}

// copyTo copies an atomic operation with its pointer converted to type t. The
// copy is examined again.
func (a *atomicExpander) copyTo(v ir.Value, t ir.Type) ir.Value {
	f := a.f
	p := a.Cast(ir.OpAddrSpaceCast, f.Operand(v, 0), t, 0)
	n := f.CopyInstr(f, v, &ir.Mapper{})
	f.SetOperand(n, 0, p)
	f.SetName(n, nil)
	f.Append(a.Block(), n)
	a.list = append(a.list, n)
	return n
}
