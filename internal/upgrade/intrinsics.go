package upgrade

import (
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// rule upgrades intrinsic functions whose name is "llvm." and prefix,
// optionally followed by a dot and types or further words.
type rule struct {
	prefix string
	apply  func(u *Upgrader, f *ir.Function, r *rule) func(c call) // returns the upgrade for calls, or nil if they are current; nil if never old
	id     ir.Intrinsic                                            // replacement
	rmw    ir.RMWOp
}

// rules lists the intrinsic functions with a different form in LLVM 22. The
// first match applies.
var rules lazy.Value[[]rule]

func makeRules() []rule {
	return []rule{
		{prefix: "dbg.value", apply: (*Upgrader).debug},
		{prefix: "dbg.addr", apply: (*Upgrader).debug},
		{prefix: "dbg.declare", apply: (*Upgrader).debug},
		{prefix: "dbg.assign", apply: (*Upgrader).debug},
		{prefix: "dbg.label", apply: (*Upgrader).debug},
		{prefix: "amdgcn.alignbit", apply: (*Upgrader).renamed, id: ir.IntrFshr},
		{prefix: "amdgcn.ldexp", apply: (*Upgrader).renamed, id: ir.IntrLdexp},
		{prefix: "amdgcn.atomic.inc", apply: (*Upgrader).atomic, rmw: ir.RMWUIncWrap},
		{prefix: "amdgcn.atomic.dec", apply: (*Upgrader).atomic, rmw: ir.RMWUDecWrap},
		{prefix: "amdgcn.atomic.cond.sub.u32", apply: (*Upgrader).atomic, rmw: ir.RMWUSubCond},
		{prefix: "amdgcn.atomic.csub.u32", apply: (*Upgrader).atomic, rmw: ir.RMWUSubSat},
		{prefix: "amdgcn.ds.fadd", apply: (*Upgrader).atomic, rmw: ir.RMWFAdd},
		{prefix: "amdgcn.ds.fmin", apply: (*Upgrader).atomic, rmw: ir.RMWFMin},
		{prefix: "amdgcn.ds.fmax", apply: (*Upgrader).atomic, rmw: ir.RMWFMax},
		{prefix: "amdgcn.global.atomic.fmin.num"},
		{prefix: "amdgcn.global.atomic.fmax.num"},
		{prefix: "amdgcn.flat.atomic.fmin.num"},
		{prefix: "amdgcn.flat.atomic.fmax.num"},
		{prefix: "amdgcn.global.atomic.fadd", apply: (*Upgrader).atomic, rmw: ir.RMWFAdd},
		{prefix: "amdgcn.global.atomic.fmin", apply: (*Upgrader).atomic, rmw: ir.RMWFMin},
		{prefix: "amdgcn.global.atomic.fmax", apply: (*Upgrader).atomic, rmw: ir.RMWFMax},
		{prefix: "amdgcn.flat.atomic.fadd", apply: (*Upgrader).atomic, rmw: ir.RMWFAdd},
		{prefix: "amdgcn.flat.atomic.fmin", apply: (*Upgrader).atomic, rmw: ir.RMWFMin},
		{prefix: "amdgcn.flat.atomic.fmax", apply: (*Upgrader).atomic, rmw: ir.RMWFMax},
		{prefix: "memcpy", apply: (*Upgrader).memory, id: ir.IntrMemcpy},
		{prefix: "memmove", apply: (*Upgrader).memory, id: ir.IntrMemmove},
		{prefix: "memset", apply: (*Upgrader).memory, id: ir.IntrMemset},
		{prefix: "lifetime.start", apply: (*Upgrader).lifetime, id: ir.IntrLifetimeStart},
		{prefix: "lifetime.end", apply: (*Upgrader).lifetime, id: ir.IntrLifetimeEnd},
		{prefix: "objectsize", apply: (*Upgrader).objectSize, id: ir.IntrObjectsize},
		{prefix: "masked.load", apply: (*Upgrader).masked, id: ir.IntrMaskedLoad},
		{prefix: "masked.store", apply: (*Upgrader).masked, id: ir.IntrMaskedStore},
		{prefix: "masked.gather", apply: (*Upgrader).masked, id: ir.IntrMaskedGather},
		{prefix: "masked.scatter", apply: (*Upgrader).masked, id: ir.IntrMaskedScatter},
		{prefix: "experimental.vector.reduce", apply: (*Upgrader).reduce},
		{prefix: "experimental.vector.extract", apply: (*Upgrader).renamed, id: ir.IntrVectorExtract},
		{prefix: "experimental.vector.insert", apply: (*Upgrader).renamed, id: ir.IntrVectorInsert},
		{prefix: "experimental.vector.reverse", apply: (*Upgrader).renamed, id: ir.IntrVectorReverse},
		{prefix: "experimental.vector.interleave2", apply: (*Upgrader).renamed, id: ir.IntrVectorInterleave2},
		{prefix: "experimental.vector.deinterleave2", apply: (*Upgrader).renamed, id: ir.IntrVectorDeinterleave2},
		{prefix: "experimental.vector.splice", apply: (*Upgrader).splice},
		{prefix: "vector.splice", apply: (*Upgrader).splice},
		{prefix: "experimental.stepvector", apply: (*Upgrader).renamed, id: ir.IntrStepvector},
		{prefix: "invariant.group.barrier", apply: (*Upgrader).renamed, id: ir.IntrLaunderInvariantGroup},
		{prefix: "flt.rounds", apply: (*Upgrader).renamed, id: ir.IntrGetRounding},
		{prefix: "var.annotation", apply: (*Upgrader).annotation, id: ir.IntrVarAnnotation},
		{prefix: "coro.end", apply: (*Upgrader).coroEnd, id: ir.IntrCoroEnd},
		{prefix: "ptr.annotation", apply: (*Upgrader).annotation, id: ir.IntrPtrAnnotation},
	}
}

// Replaces reports whether an intrinsic function of older versions of LLVM has a
// successor.
func Replaces(name string) bool { return findRule(name) != nil }

// findRule returns the rule for the name of a function, or nil.
func findRule(name string) *rule {
	name = strings.TrimPrefix(name, "llvm.")
	list := rules.From(makeRules)
	for i := range list {
		p := list[i].prefix
		if strings.HasPrefix(name, p) && (len(name) == len(p) || name[len(p)] == '.') {
			if list[i].apply == nil {
				return nil
			}
			return &list[i]
		}
	}
	return nil
}

// renamed replaces a function by one with another name and the same type.
func (u *Upgrader) renamed(f *ir.Function, r *rule) func(c call) {
	over, ok := u.m.MatchIntrinsic(r.id, f.Global.Type)
	if !ok {
		return nil
	}
	return redirect(u.declare(r.id, over...))
}

// paramType returns the type of parameter i of f, or NoType if it does not
// exist.
func paramType(f *ir.Function, i int) ir.Type {
	if i >= f.NumArgs() {
		return ir.NoType
	}
	return f.TypeOf(f.Arg(i))
}

// memory upgrades memcpy, memmove and memset with an alignment argument (LLVM 6
// and earlier) to alignment attributes.
func (u *Upgrader) memory(f *ir.Function, r *rule) func(c call) {
	if f.NumArgs() != 5 || paramType(f, 3) != ir.I32 || f.Intrinsic != r.id {
		return nil
	}
	over := []ir.Type{paramType(f, 0), paramType(f, 1), paramType(f, 2)}
	pointers := 2
	if r.id == ir.IntrMemset {
		over, pointers = []ir.Type{paramType(f, 0), paramType(f, 2)}, 1
	}
	if u.m.IntrinsicType(r.id, over...) == ir.NoType {
		return nil
	}
	to := u.declare(r.id, over...)
	return u.replace(func(b *ir.Builder, c call) ir.Value {
		align, _ := u.m.IntValue(c.arg(3))
		v := u.newCall(b, c, to, []int{0, 1, 2, 4}, c.arg(0), c.arg(1), c.arg(2), c.arg(4))
		for i := range pointers {
			u.setAlign(c.f, v, i, align)
		}
		return v
	})
}

// setAlign sets the attribute align of a call argument, or removes it if align
// is 0. As in LLVM, the alignment is rounded down to a power of two.
func (u *Upgrader) setAlign(f *ir.Function, v ir.Value, arg int, align uint64) {
	list := f.CallAttrs(v)
	set := u.m.RemoveAttr(u.m.AttrsAt(list, ir.AttrParams+arg), ir.AttrAlign)
	if align != 0 {
		set = u.m.AddAttr(set, ir.Attr{Kind: ir.AttrAlign, Int: 1 << (bits.Len64(align) - 1)})
	}
	f.SetCallAttrs(v, u.m.WithAttrsAt(list, ir.AttrParams+arg, set))
}

// lifetime upgrades lifetime.start and lifetime.end with a size (before LLVM
// 22). Calls for pointers other than allocas are removed.
func (u *Upgrader) lifetime(f *ir.Function, r *rule) func(c call) {
	if f.NumArgs() != 2 || !u.m.IsPtr(paramType(f, 1)) {
		return nil
	}
	to := func(c call) *ir.Function {
		ptr := marked(c)
		if ptr == ir.None {
			return nil
		}
		return u.declare(r.id, c.f.TypeOf(ptr))
	}
	// like LLVM, declare the functions that known calls need here, before the
	// declarations for other functions
	u.eachCall(f, func(c call) { to(c) })
	return u.replace(func(b *ir.Builder, c call) ir.Value {
		if to := to(c); to != nil {
			return u.newCall(b, c, to, nil, marked(c))
		}
		return ir.None
	})
}

// marked returns the alloca whose lifetime a call of lifetime.start or
// lifetime.end with a size marks, or None for other calls.
func marked(c call) ir.Value {
	ptr := c.arg(1)
	for c.f.Op(ptr).IsCast() || c.f.Op(ptr) == ir.OpGetElementPtr && hasZeroIndices(c.f, ptr) {
		ptr = c.f.Operand(ptr, 0)
	}
	if c.f.Op(ptr) != ir.OpAlloca {
		return ir.None
	}
	return ptr
}

func hasZeroIndices(f *ir.Function, gep ir.Value) bool {
	for _, o := range f.Operands(gep)[1:] {
		if !o.Value.IsConst() || !f.Module().IsZero(o.Value) {
			return false
		}
	}
	return true
}

// eachCall calls found for the calls of f in existing bodies.
func (u *Upgrader) eachCall(f *ir.Function, found func(c call)) {
	for _, g := range u.m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		for b := g.Func.Entry(); b != 0; b = g.Func.NextBlock(b) {
			for v := g.Func.First(b); v != ir.None; v = g.Func.Next(v) {
				if g.Func.Op(v).IsCall() && g.Func.Callee(v) == f.Value() {
					found(call{g.Func, v})
				}
			}
		}
	}
}

// objectSize adds the arguments that older versions lack, all false.
func (u *Upgrader) objectSize(f *ir.Function, r *rule) func(c call) {
	n := f.NumArgs()
	if n < 2 || n > 3 {
		return nil
	}
	to := u.declare(r.id, f.ReturnType(), paramType(f, 0))
	return u.replace(func(b *ir.Builder, c call) ir.Value {
		args := []ir.Value{c.arg(0), c.arg(1), u.m.NewBool(false), u.m.NewBool(false)}
		if n == 3 {
			args[2] = c.arg(2)
		}
		return u.newCall(b, c, to, nil, args...)
	})
}

type maskedForm struct{ args, ptr, align, data int }

// maskedForms lists the argument indices of masked accesses with an alignment
// (before LLVM 22): pointer, alignment and data. A data index of -1 is the
// result.
var maskedForms = lazy.Value[map[ir.Intrinsic]maskedForm]{Make: func() map[ir.Intrinsic]maskedForm {
	return map[ir.Intrinsic]maskedForm{
		ir.IntrMaskedLoad:    {4, 0, 1, -1},
		ir.IntrMaskedStore:   {4, 1, 2, 0},
		ir.IntrMaskedGather:  {4, 0, 1, -1},
		ir.IntrMaskedScatter: {4, 1, 2, 0},
	}
}}

// masked upgrades masked accesses with an alignment argument to an alignment
// attribute.
func (u *Upgrader) masked(f *ir.Function, r *rule) func(c call) {
	form := maskedForms.Get()[r.id]
	if f.NumArgs() != form.args || paramType(f, form.align) != ir.I32 {
		return nil
	}
	data := f.ReturnType()
	if form.data >= 0 {
		data = paramType(f, form.data)
	}
	over := []ir.Type{data, paramType(f, form.ptr)}
	if u.m.IntrinsicType(r.id, over...) == ir.NoType {
		return nil
	}
	to := u.declare(r.id, over...)
	return u.replace(func(b *ir.Builder, c call) ir.Value {
		var args []ir.Value
		var keep []int
		for i := range form.args {
			if i != form.align {
				args, keep = append(args, c.arg(i)), append(keep, i)
			}
		}
		align, _ := u.m.IntValue(c.arg(form.align))
		v := u.newCall(b, c, to, keep, args...)
		u.setAlign(c.f, v, form.ptr, align)
		return v
	})
}

// reduce upgrades experimental.vector.reduce (LLVM 11 and earlier).
func (u *Upgrader) reduce(f *ir.Function, _ *rule) func(c call) {
	word := strings.TrimPrefix(f.Name(), "llvm.experimental.vector.reduce.")
	word = strings.TrimPrefix(word, "v2.")
	word, _, _ = strings.Cut(word, ".")
	id := ir.LookupIntrinsic("llvm.vector.reduce." + word + ".x")
	if id == ir.NoIntrinsic {
		return nil
	}
	over, ok := u.m.MatchIntrinsic(id, f.Global.Type)
	if !ok {
		return nil
	}
	return redirect(u.declare(id, over...))
}

// splice replaces vector.splice (LLVM 21 and earlier), whose negative offsets
// count from the end of the first vector, by vector.splice.left or .right.
func (u *Upgrader) splice(f *ir.Function, _ *rule) func(c call) {
	t := f.ReturnType()
	if f.Intrinsic != ir.NoIntrinsic || u.m.IntrinsicType(ir.IntrVectorSpliceLeft, t) != f.Global.Type {
		return nil
	}
	return u.replace(func(b *ir.Builder, c call) ir.Value {
		id, offset := ir.IntrVectorSpliceLeft, c.arg(2)
		if n, ok := u.m.SignedValue(offset); ok && n < 0 {
			id, offset = ir.IntrVectorSpliceRight, u.m.NewSigned(ir.I32, -n)
		}
		return b.Call(u.declare(id, t), c.arg(0), c.arg(1), offset)
	})
}

// annotation adds the argument that LLVM 11 and earlier lack.
func (u *Upgrader) annotation(f *ir.Function, r *rule) func(c call) {
	if f.NumArgs() != 4 {
		return nil
	}
	over := []ir.Type{paramType(f, 0), paramType(f, 1)}
	if u.m.IntrinsicType(r.id, over...) == ir.NoType {
		return nil
	}
	to := u.declare(r.id, over...)
	return u.replace(func(b *ir.Builder, c call) ir.Value {
		return u.newCall(b, c, to, nil, c.arg(0), c.arg(1), c.arg(2), c.arg(3), u.m.Zero(over[1]))
	})
}

// coroEnd adds the token that coro.end of LLVM 15 and earlier lacks, and drops
// the result that it had up to LLVM 21. Like LLVM 22, it cannot upgrade a call
// whose result is used. The verifier rejects such a call.
func (u *Upgrader) coroEnd(f *ir.Function, r *rule) func(c call) {
	if f.NumArgs() != 2 || f.ReturnType() != ir.I1 || !u.m.IsPtr(paramType(f, 0)) || paramType(f, 1) != ir.I1 {
		return nil
	}
	to := u.declare(r.id)
	rewrite := u.replace(func(b *ir.Builder, c call) ir.Value {
		return u.newCall(b, c, to, nil, c.arg(0), c.arg(1), u.m.Zero(ir.Token))
	})
	return func(c call) {
		if c.f.HasUses(c.v) {
			u.old[f.Value()].keep = true
			return
		}
		rewrite(c)
	}
}

// atomic rewrites AMDGPU's intrinsic functions for atomic operations, which
// LLVM 15 to 22 replaced, into atomicrmw.
func (u *Upgrader) atomic(f *ir.Function, r *rule) func(c call) {
	t := f.ReturnType()
	if f.NumArgs() < 2 || !u.m.IsPtr(paramType(f, 0)) || paramType(f, 1) != t {
		return nil
	}
	return u.replace(func(b *ir.Builder, c call) ir.Value {
		val, vt := c.arg(1), t
		if u.m.IsVector(t) && u.m.Scalar(t) == ir.I16 {
			vt = u.m.WithScalar(t, ir.BFloat)
			val = b.Cast(ir.OpBitCast, val, vt, 0)
		}
		v := b.Make(ir.OpAtomicRMW, vt, c.arg(0), val)
		c.f.Instr(v).Sub = uint8(r.rmw)
		mi := ir.MemInfo{Ordering: u.ordering(c), Scope: ir.Agent, Align: uint32(u.m.StoreSize(vt))}
		if n := c.f.NumOperands(c.v); n > 5 {
			volatile, ok := u.m.IntValue(c.arg(4))
			mi.Volatile = !ok || volatile != 0
		}
		c.f.SetMemInfo(v, mi)
		u.atomicMetadata(c.f, v, r.rmw)
		return b.Cast(ir.OpBitCast, v, t, 0)
	})
}

// ordering returns the ordering argument of an atomic intrinsic function.
func (u *Upgrader) ordering(c call) ir.Ordering {
	if c.f.NumOperands(c.v) > 3 {
		if n, ok := u.m.IntValue(c.arg(2)); ok && n >= uint64(ir.Monotonic) && n <= uint64(ir.SeqCst) && n != 3 {
			return ir.Ordering(n)
		}
	}
	return ir.SeqCst
}

// Address spaces of AMDGPU.
const (
	addrFlat    = 0
	addrLocal   = 3
	addrPrivate = 5
)

// atomicMetadata attaches the metadata that the intrinsic functions implied.
func (u *Upgrader) atomicMetadata(f *ir.Function, v ir.Value, rmw ir.RMWOp) {
	empty := u.m.NewTuple()
	as := u.m.AddrSpace(f.TypeOf(f.Operand(v, 0)))
	if as != addrLocal {
		f.SetAttachment(v, u.m.MDKind("amdgpu.no.fine.grained.memory"), empty)
		if rmw == ir.RMWFAdd && f.TypeOf(v) == ir.Float {
			f.SetAttachment(v, u.m.MDKind("amdgpu.ignore.denormal.mode"), empty)
		}
	}
	if as == addrFlat {
		bound := func(n uint64) ir.Metadata { return u.m.NewMDValue(u.m.NewInt(ir.I32, n)) }
		f.SetAttachment(v, ir.MDNoAliasAddrSpace, u.m.NewTuple(bound(addrPrivate), bound(addrPrivate+1)))
	}
}

// debug rewrites calls of llvm.dbg functions into debug records.
func (u *Upgrader) debug(f *ir.Function, r *rule) func(c call) {
	return func(c call) {
		if rec := u.debugRecord(c, r.prefix); rec != ir.None {
			c.f.AttachRecord(rec, c.v)
		}
		if c.f.HasUses(c.v) {
			u.old[f.Value()].keep = true
			return
		}
		c.f.Erase(c.v)
	}
}

// debugRecord creates the record for a call, or returns None if its arguments
// are invalid.
func (u *Upgrader) debugRecord(c call, name string) ir.Value {
	loc := c.f.Instr(c.v).Loc
	args := c.f.Args(c.v)
	node := func(i int) ir.Metadata {
		if i < len(args) && args[i].Value.IsMetadata() && u.m.IsNode(args[i].Value.Metadata()) {
			return args[i].Value.Metadata()
		}
		return 0
	}
	if name == "dbg.label" {
		if node(0) == 0 {
			return ir.None
		}
		return c.f.NewRecord(ir.OpDbgLabel, node(0), 0, loc)
	}
	variable := 1
	if name == "dbg.value" && len(args) == 4 { // with an offset, up to LLVM 5
		variable = 2
	}
	expr := node(variable + 1)
	if node(variable) == 0 || expr == 0 {
		return ir.None
	}
	switch name {
	case "dbg.assign":
		if len(args) < 6 {
			return ir.None
		}
		return c.f.NewAssignRecord(node(1), node(2), loc, node(3), node(5), u.recordValue(c.f, args[0].Value), u.recordValue(c.f, args[4].Value))
	case "dbg.declare":
		return u.variableRecord(c, ir.OpDbgDeclare, node(1), expr, loc, args[0].Value)
	case "dbg.addr": // variable's address: a value with a dereference
		const deref = 6 // DW_OP_deref
		expr = u.m.NewExpression(append([]uint64{deref}, u.m.MDInts(expr)...)...)
	}
	return u.variableRecord(c, ir.OpDbgValue, node(variable), expr, loc, args[0].Value)
}

func (u *Upgrader) variableRecord(c call, op ir.Op, variable, expr, loc ir.Metadata, v ir.Value) ir.Value {
	if c.f.Op(v) == ir.OpLocalMetadata && c.f.Instr(v).Sub != 0 {
		var ops []ir.Value
		for _, o := range c.f.Operands(v) {
			ops = append(ops, o.Value)
		}
		r := c.f.NewRecord(op, variable, expr, loc, ops...)
		c.f.Instr(r).Sub = 1
		return r
	}
	return c.f.NewRecord(op, variable, expr, loc, u.recordValue(c.f, v))
}

// recordValue returns the record operand for an argument of type metadata: the
// value itself if the metadata is a value.
func (u *Upgrader) recordValue(f *ir.Function, v ir.Value) ir.Value {
	if f.Op(v) == ir.OpLocalMetadata {
		return f.Operand(v, 0)
	}
	if v.IsMetadata() {
		if c := u.m.MDValue(v.Metadata()); c != ir.None {
			return c
		}
	}
	return v
}
