package prepare

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// StackBundle is the tag of the operand bundle that specifies where the stack
// of a callee starts. Calls without it are calls from functions whose stack
// size is static.
const StackBundle = "gfx.stack"

// dynamicStackAlign is the alignment of the stack in bytes.
const dynamicStackAlign = 16

// stackLowerer lowers allocas outside the static frame to arithmetic.
type stackLowerer struct {
	emitter
	f      *ir.Function
	ptr    ir.Type  // type of allocas
	begin  ir.Value // end of the static frame
	top    ir.Value // variable that holds the end of the stack
	bundle uint32
	todo   []ir.Value
}

// lowerDynamicStack represents the end of the stack as a value in functions
// with allocas of variable size or outside the entry block. Allocas add to it,
// llvm.stackrestore sets it, and calls receive it in an operand bundle. The
// only remaining llvm.stacksave is in the entry block and returns the end of
// the frame. Each lane has its own memory and may have its own end of the
// stack; only a call needs one that is valid for all lanes.
func lowerDynamicStack(ctx *opt.Context, f *ir.Function) bool {
	if ctx.Target == nil {
		return false
	}
	x := opt.Scratch[stackLowerer](ctx)
	x.M, x.f, x.F, x.Loc = f.Module(), f, f, 0
	allocas := x.collect()
	if len(x.todo) == 0 {
		return false
	}
	x.ptr = x.M.PtrType(x.M.Layout().AllocaAddrSpace)
	x.bundle = x.M.BundleTag(StackBundle)
	x.Before(f.FirstNonPhi(f.Entry()))
	x.begin = x.Call(x.M.DeclareIntrinsic(ir.IntrStacksave, x.ptr))
	if !allocas {
		for _, v := range x.todo {
			x.drop(v)
		}
		return true
	}
	x.top = x.Alloca(x.ptr, 0)
	x.Store(x.begin, x.top, 0)
	for _, v := range x.todo {
		x.lower(v)
	}
	opt.PromoteMemory(ctx, f, x.top)
	return true
}

// collect finds the instructions that use the stack and reports whether the
// function has dynamic allocas. Calls matter only in that case.
func (x *stackLowerer) collect() (allocas bool) {
	f := x.f
	x.todo = x.todo[:0]
	calls := 0
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch {
			case f.Op(v) == ir.OpAlloca:
				if isStaticAlloca(f, v) {
					continue
				}
				allocas = true
			case f.Op(v) != ir.OpCall || x.M.Asm(f.Callee(v)) != nil:
				continue
			case f.CalledIntrinsic(v) == ir.NoIntrinsic:
				calls++
			case f.CalledIntrinsic(v) != ir.IntrStacksave && f.CalledIntrinsic(v) != ir.IntrStackrestore:
				continue
			}
			x.todo = append(x.todo, v)
		}
	}
	if !allocas && calls > 0 {
		x.todo = slices.DeleteFunc(x.todo, func(v ir.Value) bool { return f.CalledIntrinsic(v) == ir.NoIntrinsic })
	}
	return allocas
}

// isStaticAlloca reports whether an alloca is in the static frame.
func isStaticAlloca(f *ir.Function, v ir.Value) bool {
	return f.Parent(v) == f.Entry() && f.Operand(v, 0).IsConst() && f.Module().ConstKindOf(f.Operand(v, 0)) == ir.ConstInt
}

// drop removes a llvm.stacksave or llvm.stackrestore from a function whose
// stack does not change.
func (x *stackLowerer) drop(v ir.Value) {
	if x.f.CalledIntrinsic(v) == ir.IntrStacksave {
		x.f.ReplaceUses(v, x.begin)
	}
	x.f.Erase(v)
}

func (x *stackLowerer) lower(v ir.Value) {
	f := x.f
	x.Before(v)
	x.Loc = f.Instr(v).Loc
	switch {
	case f.Op(v) == ir.OpAlloca:
		x.alloca(v)
	case f.CalledIntrinsic(v) == ir.IntrStacksave:
		f.ReplaceUses(v, x.Load(x.ptr, x.top, 0))
		f.Erase(v)
	case f.CalledIntrinsic(v) == ir.IntrStackrestore:
		x.Store(f.Operand(v, 0), x.top, 0)
		f.Erase(v)
	case f.TailKind(v) == ir.MustTail: // the callee then uses the caller's stack
	default:
		f.SetTailKind(v, ir.NoTail)
		x.addBundle(v, x.Load(x.ptr, x.top, 0))
	}
}

// alloca assigns an address to an object and moves the end of the stack past
// it.
func (x *stackLowerer) alloca(v ir.Value) {
	f, m := x.f, x.M
	for u := f.FirstUse(v); u != 0; { // markers refer to allocas only
		user := f.User(u)
		u = f.NextUse(u)
		if analysis.IsLifetime(f, user) {
			f.Erase(user)
		}
	}
	place := x.Load(x.ptr, x.top, 0)
	if align := uint64(f.Align(v)); align > dynamicStackAlign {
		place = x.aligned(place, align)
	}
	count := f.Operand(v, 0)
	if op := ir.OpZExt; f.TypeOf(count) != ir.I32 {
		if m.IntBits(f.TypeOf(count)) > 32 {
			op = ir.OpTrunc
		}
		count = x.FoldCast(op, count, ir.I32)
	}
	size := x.Op(ir.OpMul, count, m.NewInt(ir.I32, m.AllocSize(f.AllocatedType(v))))
	if c, known := m.IntValue(size); !known || c%dynamicStackAlign != 0 {
		size = x.Op(ir.OpAnd, x.Op(ir.OpAdd, size, m.NewInt(ir.I32, dynamicStackAlign-1)), m.NewInt(ir.I32, 1<<32-dynamicStackAlign))
	}
	x.Store(x.PtrAdd(place, size, 0), x.top, 0)
	f.ReplaceUses(v, place)
	f.Erase(v)
}

// aligned returns the next address with an alignment.
func (x *stackLowerer) aligned(place ir.Value, align uint64) ir.Value {
	m := x.M
	n := x.Op(ir.OpAdd, x.FoldCast(ir.OpPtrToInt, place, ir.I32), m.NewInt(ir.I32, align-1))
	return x.FoldCast(ir.OpIntToPtr, x.Op(ir.OpAnd, n, m.NewInt(ir.I32, 1<<32-align)), x.ptr)
}

// addBundle adds the stack bundle to a call.
func (x *stackLowerer) addBundle(v, end ir.Value) {
	f := x.f
	var ops []ir.Value
	for _, o := range f.Operands(v) {
		ops = append(ops, o.Value)
	}
	ops = slices.Insert(ops, len(ops)-1, end)
	bundles := append(slices.Clone(f.Bundles(v)), ir.Bundle{Tag: x.bundle, First: uint32(len(ops) - 2), N: 1})
	n := x.Make(ir.OpCall, f.TypeOf(v), ops...)
	in, old := f.Instr(n), f.Instr(v)
	in.Sub, in.Flags, in.X, in.Y = old.Sub, old.Flags, old.X, old.Y
	f.SetBundles(n, bundles)
	f.SetCallAttrs(n, f.CallAttrs(v))
	f.CopyAttachments(n, v)
	f.ReplaceUses(v, n)
	f.Erase(v)
}

// StackOf returns the operand of a call that specifies where the callee's stack
// starts, and its index. The operand is None if the stack size is static.
func StackOf(f *ir.Function, v ir.Value) (end ir.Value, index int) {
	for _, b := range f.Bundles(v) {
		if f.Module().BundleTagName(b.Tag) == StackBundle {
			return f.Operand(v, int(b.First)), int(b.First)
		}
	}
	return ir.None, 0
}

// uniteStacks sets a common end of the stack for all lanes in calls: the
// largest.
func uniteStacks(f *ir.Function, calls []ir.Value, uniform *analysis.Uniformity, wave int) (changed bool) {
	for _, v := range calls {
		if end, index := StackOf(f, v); end.IsLocal() && uniform.Divergent(end) {
			f.SetOperand(v, index, largest(f, v, end, wave))
			changed = true
		}
	}
	return changed
}

// largest inserts code before an instruction that computes the largest pointer
// of all lanes:
//
//	before: first = readfirstlane(p); br round
//	round:  most = phi first, next; more = ballot(p > most); br more == 0, after, again
//	again:  next = readlane(p, cttz(more)); br round
func largest(f *ir.Function, v, end ir.Value, wave int) ir.Value {
	m := f.Module()
	before := f.Parent(v)
	after := f.SplitBlock(v)
	round := f.NewBlockAfter(before)
	again := f.NewBlockAfter(round)
	b := emitter{emit.Emitter{Builder: *ir.NewBuilder(f, before), M: m}}
	b.Loc = f.Instr(v).Loc
	b.Before(f.Terminator(before))
	n := b.FoldCast(ir.OpPtrToInt, end, ir.I32)
	first := b.Call(m.DeclareIntrinsic(ir.IntrAMDGCNReadfirstlane, ir.I32), n)
	f.SetOperand(f.Terminator(before), 0, round.Value())

	mask := m.IntType(wave)
	b.AtEnd(round)
	most := b.Phi(ir.I32)
	more := b.Call(m.DeclareIntrinsic(ir.IntrAMDGCNBallot, mask), b.Compare(ir.ICmpUGT, n, most))
	b.CondBr(b.Compare(ir.ICmpEQ, more, m.NewInt(mask, 0)), after, again)

	b.AtEnd(again)
	lane := b.FoldCast(ir.OpTrunc, b.Call(m.DeclareIntrinsic(ir.IntrCttz, mask), more, m.NewBool(true)), ir.I32)
	next := b.Call(m.DeclareIntrinsic(ir.IntrAMDGCNReadlane, ir.I32), n, lane)
	b.Br(round)
	f.AddIncoming(most, first, before)
	f.AddIncoming(most, next, again)
	b.Before(v)
	return b.FoldCast(ir.OpIntToPtr, most, f.TypeOf(end))
}
