package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// fatParts holds the two parts of a pointer to a buffer.
type fatParts struct {
	resource ir.Value // ptr addrspace(8)
	offset   ir.Value // i32, in bytes
}

// fatPointers splits pointers to buffers into resources and offsets.
type fatPointers struct {
	emitter
	ctx   *opt.Context
	f     *ir.Function
	parts map[ir.Value]fatParts
	phis  []ir.Value
	old   []ir.Value // instructions to erase
	graph analysis.Graph
}

// lowerFatPointers splits each ptr addrspace(7) of a function into its buffer
// resource and its offset, and lowers the accesses through it to intrinsics of
// buffers. In memory the offset precedes the resource.
func lowerFatPointers(ctx *opt.Context, f *ir.Function) bool {
	if !isGPU(ctx, target.GFX6) {
		return false
	}
	x := opt.Scratch[fatPointers](ctx)
	x.ctx, x.f, x.F, x.M = ctx, f, f, f.Module()
	if !x.hasWork() {
		return false
	}
	x.parts, x.phis, x.old = map[ir.Value]fatParts{}, x.phis[:0], x.old[:0]
	x.graph.ResetCFG(f)
	definitionsFirst(f, &x.graph, x.block)
	x.fillPhis()
	eraseAll(f, x.old)
	return true
}

// isFat reports whether a type is a pointer to a buffer.
func isFat(m *ir.Module, t ir.Type) bool { return m.IsPtr(t) && m.AddrSpace(t) == addrspace.Buffer }

// hasWork reports whether the function has a pointer to a buffer.
func (x *fatPointers) hasWork() bool {
	f := x.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if x.concerns(v) {
				return true
			}
		}
	}
	return false
}

// concerns reports whether the result or an operand of an instruction is a
// pointer to a buffer.
func (x *fatPointers) concerns(v ir.Value) bool {
	f := x.f
	if isFat(x.M, f.TypeOf(v)) {
		return true
	}
	for _, o := range f.Operands(v) {
		if !o.Value.IsBlock() && !o.Value.IsMetadata() && isFat(x.M, f.TypeOf(o.Value)) {
			return true
		}
	}
	return false
}

func (x *fatPointers) block(b ir.Block) {
	f := x.f
	for v := f.First(b); v != ir.None; {
		next := f.Next(v)
		if x.concerns(v) {
			x.Before(v)
			x.instr(v)
		}
		v = next
	}
}

// fatOps holds the functions that split instructions. They return false if the
// instruction is kept.
var fatOps = [ir.NumOps]func(x *fatPointers, v ir.Value) bool{
	ir.OpGetElementPtr: fatGEP, ir.OpAddrSpaceCast: fatCast, ir.OpIntToPtr: fatFromInt, ir.OpPtrToInt: fatToInt, ir.OpPhi: fatPhi,
	ir.OpSelect: fatSelect, ir.OpFreeze: fatFreeze, ir.OpICmp: fatCompare, ir.OpCall: fatCall,
	ir.OpLoad: fatLoad, ir.OpStore: fatStore, ir.OpAtomicRMW: fatAtomic, ir.OpCmpXchg: fatCompareSwap,
}

// instr splits an instruction. The operands of an instruction that is kept
// become whole pointers again, which selection rejects.
func (x *fatPointers) instr(v ir.Value) {
	f := x.f
	if do := fatOps[f.Op(v)]; do != nil && do(x, v) {
		x.old = append(x.old, v)
		return
	}
	for i, o := range f.Operands(v) {
		if _, split := x.parts[o.Value]; split {
			f.SetOperand(v, i, x.whole(o.Value))
		}
	}
}

// whole builds a pointer from its parts.
func (x *fatPointers) whole(v ir.Value) ir.Value {
	p := x.split(v)
	return x.PtrAdd(x.Make(ir.OpAddrSpaceCast, x.f.TypeOf(v), p.resource), p.offset, 0)
}

// split returns the parts of a pointer.
func (x *fatPointers) split(v ir.Value) fatParts {
	m := x.M
	if p, ok := x.parts[v]; ok {
		return p
	}
	resource := m.PtrType(addrspace.Resource)
	if v.IsConst() {
		if p, ok := x.constant(v); ok {
			return p
		}
	}
	if v.IsConst() || x.f.Op(v) == ir.OpArg || x.graph.Reachable(uint32(x.f.Parent(v))) {
		return fatParts{x.Make(ir.OpAddrSpaceCast, resource, v), x.Make(ir.OpPtrToInt, ir.I32, v)} // selection rejects the cast
	}
	return fatParts{m.Poison(resource), m.Poison(ir.I32)}
}

// constant returns the parts of null, of poison, and of casts of them and of
// buffer resources.
func (x *fatPointers) constant(v ir.Value) (p fatParts, ok bool) {
	m := x.M
	resource := m.PtrType(addrspace.Resource)
	switch m.ConstKindOf(v) {
	case ir.ConstZero:
		return fatParts{m.Zero(resource), m.Zero(ir.I32)}, true
	case ir.ConstPoison, ir.ConstUndef:
		return fatParts{m.Poison(resource), m.Poison(ir.I32)}, true
	case ir.ConstExpr:
		if m.Const(v).Op != ir.OpAddrSpaceCast {
			return p, false
		}
		from := m.ConstOperands(v)[0]
		if m.AddrSpace(m.TypeOfConst(from)) == addrspace.Resource {
			return fatParts{from, m.Zero(ir.I32)}, true
		}
		return x.constant(from)
	}
	return p, false
}

func (x *fatPointers) setParts(v, resource, offset ir.Value) bool {
	x.parts[v] = fatParts{resource, offset}
	return true
}

func fatGEP(x *fatPointers, v ir.Value) bool {
	f, m := x.f, x.M
	p := x.split(f.Operand(v, 0))
	t, offset := f.GEPSource(v), p.offset
	for i, o := range f.Operands(v)[1:] {
		n := o.Value
		switch {
		case i == 0:
		case m.Kind(t) == ir.KindStruct:
			field, _ := m.IntValue(n)
			offset = x.Op(ir.OpAdd, offset, m.NewInt(ir.I32, m.FieldOffset(t, int(field))))
			t = m.ElementType(t, field)
			continue
		default:
			t = m.ElementType(t, 0)
		}
		offset = x.Op(ir.OpAdd, offset, x.Op(ir.OpMul, x.toOffset(n), m.NewInt(ir.I32, m.AllocSize(t)&(1<<32-1))))
	}
	return x.setParts(v, p.resource, offset)
}

// toOffset converts a signed integer to i32.
func (x *fatPointers) toOffset(n ir.Value) ir.Value {
	op := ir.OpTrunc
	if x.M.IntBits(x.f.TypeOf(n)) < 32 {
		op = ir.OpSExt
	}
	return x.FoldCast(op, n, ir.I32)
}

func fatCast(x *fatPointers, v ir.Value) bool {
	f, m := x.f, x.M
	from := f.Operand(v, 0)
	switch to := f.TypeOf(v); {
	case isFat(m, to) && m.AddrSpace(f.TypeOf(from)) == addrspace.Resource:
		return x.setParts(v, from, m.Zero(ir.I32))
	case isFat(m, f.TypeOf(from)) && m.AddrSpace(to) == addrspace.Resource:
		return x.replace(v, x.split(from).resource)
	case isFat(m, to) && from.IsConst():
		p, ok := x.constant(from)
		return ok && x.setParts(v, p.resource, p.offset)
	case isFat(m, f.TypeOf(from)) && from.IsConst():
		return x.replace(v, m.Poison(to))
	}
	return false
}

// resourceInt returns the integer type of the width of a resource.
func (x *fatPointers) resourceInt() ir.Type { return x.AddressInt(x.M.PtrType(addrspace.Resource)) }

func fatFromInt(x *fatPointers, v ir.Value) bool {
	resource, offset := x.fromInt(x.f.Operand(v, 0))
	return x.setParts(v, resource, offset)
}

// fromInt splits a pointer in an integer.
func (x *fatPointers) fromInt(n ir.Value) (resource, offset ir.Value) {
	m := x.M
	whole := m.IntType(int(m.Layout().Pointer(addrspace.Buffer).Bits))
	if m.IntBits(x.f.TypeOf(n)) > m.IntBits(whole) {
		n = x.FoldCast(ir.OpTrunc, n, whole)
	} else {
		n = x.FoldCast(ir.OpZExt, n, whole)
	}
	high := x.FoldCast(ir.OpTrunc, x.Shift(ir.OpLShr, n, 32), x.resourceInt())
	return x.FoldCast(ir.OpIntToPtr, high, m.PtrType(addrspace.Resource)), x.FoldCast(ir.OpTrunc, n, ir.I32)
}

func fatToInt(x *fatPointers, v ir.Value) bool {
	t := x.f.TypeOf(v)
	n := x.split(x.f.Operand(v, 0)).offset
	switch bits := x.M.IntBits(t); {
	case bits < 32:
		n = x.FoldCast(ir.OpTrunc, n, t)
	case bits > 32:
		n = x.toInt(x.f.Operand(v, 0))
		op := ir.OpTrunc
		if bits > x.M.IntBits(x.f.TypeOf(n)) {
			op = ir.OpZExt
		}
		n = x.FoldCast(op, n, t)
	}
	return x.replace(v, n)
}

// toInt returns a pointer as an integer.
func (x *fatPointers) toInt(v ir.Value) ir.Value {
	m := x.M
	p := x.split(v)
	whole := m.IntType(int(m.Layout().Pointer(addrspace.Buffer).Bits))
	high := x.FoldCast(ir.OpZExt, x.FoldCast(ir.OpPtrToInt, p.resource, x.resourceInt()), whole)
	return x.Op(ir.OpOr, x.Shift(ir.OpShl, high, 32), x.FoldCast(ir.OpZExt, p.offset, whole))
}

func fatPhi(x *fatPointers, v ir.Value) bool {
	x.phis = append(x.phis, v)
	resource := x.Phi(x.M.PtrType(addrspace.Resource))
	return x.setParts(v, resource, x.Phi(ir.I32))
}

// fillPhis adds the incoming values of the phis of parts.
func (x *fatPointers) fillPhis() {
	f := x.f
	for _, v := range x.phis {
		to := x.parts[v]
		for i := range f.NumIncoming(v) {
			in, b := f.Incoming(v, i)
			x.Before(f.Terminator(b))
			p := x.split(in)
			f.AddIncoming(to.resource, p.resource, b)
			f.AddIncoming(to.offset, p.offset, b)
		}
	}
}

func fatSelect(x *fatPointers, v ir.Value) bool {
	c := x.f.Operand(v, 0)
	a, b := x.split(x.f.Operand(v, 1)), x.split(x.f.Operand(v, 2))
	return x.setParts(v, x.Choose(c, a.resource, b.resource), x.Choose(c, a.offset, b.offset))
}

func fatFreeze(x *fatPointers, v ir.Value) bool {
	p := x.split(x.f.Operand(v, 0))
	resource := x.Freeze(p.resource)
	return x.setParts(v, resource, x.Freeze(p.offset))
}

// fatCompare compares both parts. Only pointers to the same buffer have an order,
// which their offsets determine.
func fatCompare(x *fatPointers, v ir.Value) bool {
	f := x.f
	p := f.Pred(v)
	a, b := x.split(f.Operand(v, 0)), x.split(f.Operand(v, 1))
	if p != ir.ICmpEQ && p != ir.ICmpNE {
		return x.replace(v, x.FoldCompare(p, a.offset, b.offset))
	}
	t := x.resourceInt()
	high := x.FoldCompare(p, x.FoldCast(ir.OpPtrToInt, a.resource, t), x.FoldCast(ir.OpPtrToInt, b.resource, t))
	op := ir.OpAnd
	if p == ir.ICmpNE {
		op = ir.OpOr
	}
	return x.replace(v, x.Op(op, high, x.FoldCompare(p, a.offset, b.offset)))
}

// fatCall splits calls of intrinsics.
func fatCall(x *fatPointers, v ir.Value) bool {
	f, m := x.f, x.M
	switch f.CalledIntrinsic(v) {
	case ir.IntrPtrmask:
		p := x.split(f.Operand(v, 0))
		return x.setParts(v, p.resource, x.Op(ir.OpAnd, p.offset, f.Operand(v, 1)))
	case ir.IntrAMDGCNMakeBufferRsrc:
		base := f.Operand(v, 0)
		if !isFat(m, f.TypeOf(v)) {
			return false
		}
		make := m.DeclareIntrinsic(ir.IntrAMDGCNMakeBufferRsrc, m.PtrType(addrspace.Resource), f.TypeOf(base))
		resource := x.Call(make, base, f.Operand(v, 1), f.Operand(v, 2), f.Operand(v, 3))
		return x.setParts(v, resource, m.Zero(ir.I32))
	case ir.IntrLaunderInvariantGroup, ir.IntrStripInvariantGroup, ir.IntrSsaCopy, ir.IntrPtrAnnotation:
		p := x.split(f.Operand(v, 0))
		return x.setParts(v, p.resource, p.offset)
	case ir.IntrInvariantStart, ir.IntrInvariantEnd, ir.IntrPrefetch:
		if f.HasUses(v) {
			f.ReplaceUses(v, m.Poison(f.TypeOf(v)))
		}
		return true
	}
	return false
}
