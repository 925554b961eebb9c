package prepare

import "github.com/gfx-toolchain/gfx/ir"

// argLeaves is the placeholder for a removed argument, and the leaves that
// replace it.
type argLeaves struct {
	old   ir.Value
	parts []ir.Value
}

// funcType returns the type of a function that takes and returns leaves. The
// parameters of a kernel keep their positions.
func (x *intExpander) funcType(t ir.Type, kernel bool) ir.Type {
	m := x.M
	info := m.TypeInfo(t)
	params := make([]ir.Type, 0, len(info.Elems))
	for _, p := range info.Elems {
		switch {
		case !x.isWide(p):
			params = append(params, p)
		case kernel:
			params = append(params, x.stored(p))
		default:
			for _, l := range x.leavesOf(p) {
				params = append(params, l.t)
			}
		}
	}
	return m.FuncType(x.resultType(info.Elem), params, info.VarArg)
}

// resultType returns the type of a result: a struct of leaves.
func (x *intExpander) resultType(t ir.Type) ir.Type {
	if !x.isWide(t) {
		return t
	}
	var fields []ir.Type
	for _, l := range x.leavesOf(t) {
		fields = append(fields, l.t)
	}
	return x.M.StructType(fields, false)
}

// stored returns a type with arrays of i64 instead of wide integers and the
// same memory layout.
func (x *intExpander) stored(t ir.Type) ir.Type {
	m := x.M
	if !x.isWide(t) {
		return t
	}
	info := m.TypeInfo(t)
	if x.isNumber(t) {
		return m.ArrayType(ir.I64, uint64(len(x.leavesOf(t))))
	}
	if info.Kind == ir.KindStruct {
		fields := make([]ir.Type, len(info.Elems))
		for i, e := range info.Elems {
			fields[i] = x.stored(e)
		}
		return m.StructType(fields, info.Packed)
	}
	return m.ArrayType(x.stored(info.Elem), info.N)
}

// attributes returns the attributes of a function or call whose parameters
// become leaves.
func (x *intExpander) attributes(l ir.AttrList, t ir.Type, kernel bool) ir.AttrList {
	m := x.M
	info := m.TypeInfo(t)
	old := m.AttrSets(l)
	sets := []ir.AttrSet{m.AttrsAt(l, ir.AttrFunction), m.AttrsAt(l, ir.AttrResult)}
	if x.isWide(info.Elem) {
		sets[ir.AttrResult] = 0
	}
	for i, p := range info.Elems {
		set := m.AttrsAt(l, ir.AttrParams+i)
		n := 1
		if x.isWide(p) {
			keep := ir.AttrSet(0)
			for _, k := range [...]ir.AttrKind{ir.AttrNoUndef, ir.AttrInReg} {
				if m.HasAttr(set, k) {
					keep = m.AddAttr(keep, ir.Attr{Kind: k})
				}
			}
			if set = keep; !kernel {
				n = len(x.leavesOf(p))
			}
		}
		for range n {
			sets = append(sets, set)
		}
	}
	if from := ir.AttrParams + len(info.Elems); from < len(old) {
		sets = append(sets, old[from:]...)
	}
	return m.AttrList(sets)
}

// signature replaces a function whose type has wide integers by a new function
// without them. f is nil if the type has none. args are the placeholders for
// the old arguments. A kernel whose wide parameters are unused, because they
// were lowered to loads, keeps its type, which determines where its caller
// places the arguments.
func (x *intExpander) signature(g *ir.Global) (f *ir.Function, args []argLeaves) {
	m, old := x.M, g.Func
	info := m.TypeInfo(g.Type)
	kernel := old.CC.IsEntry()
	wide := x.isWide(info.Elem)
	for i, p := range info.Elems {
		wide = wide || x.isWide(p) && (!kernel || old.HasUses(old.Arg(i)))
	}
	if !wide {
		return nil, nil
	}
	f = m.AddFunction("", x.funcType(g.Type, kernel), g.AddrSpace, ir.None)
	f.CC, f.GC, f.Personality, f.Prefix, f.Prologue = old.CC, old.GC, old.Personality, old.Prefix, old.Prologue
	f.Attributes = x.attributes(old.Attributes, g.Type, kernel)
	args = []argLeaves{}
	if !old.IsDeclaration() {
		args = x.moveBody(f, old, kernel)
	}
	made := f.Global
	g.Func, g.Type, f.Global = f, made.Type, g
	made.Func = nil
	m.RemoveGlobal(made)
	return f, args
}

// moveBody copies the body of a function to one with another signature.
func (x *intExpander) moveBody(f, old *ir.Function, kernel bool) []argLeaves {
	args := []argLeaves{}
	mp := ir.NewMapper(old)
	next := 0
	for i := range old.NumArgs() {
		a := old.Arg(i)
		t := old.TypeOf(a)
		n := 1
		if x.isWide(t) {
			if !kernel {
				n = len(x.leavesOf(t))
			}
			stand := f.NewInstr(ir.OpFreeze, t, x.M.Poison(t))
			mp.Values[a] = stand
			parts := make([]ir.Value, n)
			for j := range parts {
				parts[j] = f.Arg(next + j)
			}
			args = append(args, argLeaves{stand, parts})
		} else {
			mp.Values[a] = f.Arg(next)
		}
		if name := old.NameOf(a); name != nil {
			f.SetName(f.Arg(next), name)
		}
		next += n
	}
	f.CopyBody(old, mp)
	return args
}

// bindArgs records the leaves of the arguments.
func (x *intExpander) bindArgs(args []argLeaves) {
	for _, a := range args {
		t := x.f.TypeOf(a.old)
		if len(a.parts) == len(x.leavesOf(t)) {
			x.setLeaves(a.old, a.parts)
			continue
		}
		x.Before(x.f.FirstNonPhi(x.f.Entry()))
		x.Loc = 0
		var out []ir.Value
		for i, p := range x.unpack(nil, a.parts[0]) {
			if k := x.leavesOf(t)[i].bits; k%wordBits != 0 { // the memory above it is undefined
				p = x.Op(ir.OpAnd, p, x.i64(1<<k-1))
			}
			out = append(out, p)
		}
		x.setLeaves(a.old, out)
	}
}

// unpack appends the leaves of a value of a type returned by stored.
func (x *intExpander) unpack(to []ir.Value, v ir.Value) []ir.Value {
	t := x.f.TypeOf(v)
	if !x.M.IsAggregate(t) {
		return append(to, v)
	}
	for i := range x.M.NumElements(t) {
		to = x.unpack(to, x.ExtractValue(v, uint32(i)))
	}
	return to
}

func wideCall(x *intExpander, v ir.Value) bool {
	f, m := x.f, x.M
	if id := f.CalledIntrinsic(v); id != ir.NoIntrinsic {
		return x.intrinsic(id, v)
	}
	if m.Asm(f.Callee(v)) != nil {
		return x.assembly(v)
	}
	t := f.CallType(v)
	var ops []ir.Value
	args := f.Args(v)
	for _, o := range args {
		if !o.Value.IsMetadata() && x.isWide(f.TypeOf(o.Value)) {
			ops = append(ops, x.parts(o.Value)...)
		} else {
			ops = append(ops, o.Value)
		}
	}
	grown := uint32(len(ops) - len(args))
	bundles := append([]ir.Bundle(nil), f.Bundles(v)...)
	for i := range bundles {
		bundles[i].First += grown
	}
	for _, o := range f.Operands(v)[len(args):] {
		if o.Value != f.Callee(v) && x.isWide(f.TypeOf(o.Value)) {
			return false
		}
		ops = append(ops, o.Value)
	}
	kind := x.funcType(t, false)
	n := x.Make(ir.OpCall, m.TypeInfo(kind).Elem, ops...)
	in, old := f.Instr(n), f.Instr(v)
	in.Sub, in.Flags, in.X, in.Y = old.Sub&^4, old.Flags, uint32(kind), old.Y
	f.SetBundles(n, bundles)
	f.SetCallAttrs(n, x.attributes(f.CallAttrs(v), t, false))
	f.CopyAttachments(n, v)
	if !x.isWide(m.TypeInfo(t).Elem) {
		return m.TypeInfo(t).Elem == ir.Void || x.done(v, []ir.Value{n})
	}
	if f.TailKind(v) == ir.MustTail {
		ret := f.Next(v)
		x.Make(ir.OpRet, ir.Void, n)
		f.Erase(ret)
		return true
	}
	return x.done(v, x.unpack(nil, n))
}

// assembly replaces fp128 among the operands and results of inline assembly by
// i128, in whose registers they are. It returns false for assembly without fp128.
func (x *intExpander) assembly(v ir.Value) bool {
	f, m := x.f, x.M
	info := m.TypeInfo(f.CallType(v))
	changed := false
	plain := func(t ir.Type) ir.Type {
		if t == ir.FP128 {
			changed, t = true, ir.I128
		}
		return t
	}
	params := make([]ir.Type, len(info.Elems))
	for i, t := range info.Elems {
		params[i] = plain(t)
	}
	result := plain(info.Elem)
	if m.Kind(result) == ir.KindStruct {
		fields := make([]ir.Type, m.NumElements(result))
		for i := range fields {
			fields[i] = plain(m.ElementType(result, uint64(i)))
		}
		result = m.StructType(fields, false)
	}
	if !changed {
		return false
	}
	var ops []ir.Value
	for i, o := range f.Args(v) {
		if !x.isWide(f.TypeOf(o.Value)) {
			ops = append(ops, o.Value)
			continue
		}
		ops = append(ops, x.join(params[i], x.parts(o.Value)))
	}
	kind := m.FuncType(result, params, false)
	text := *m.Asm(f.Callee(v))
	text.Type = kind
	n := x.Make(ir.OpCall, result, append(ops, m.NewAsm(text))...)
	in, old := f.Instr(n), f.Instr(v)
	in.Sub, in.Flags, in.X, in.Y = old.Sub&^4, old.Flags, uint32(kind), old.Y
	f.SetCallAttrs(n, f.CallAttrs(v))
	f.CopyAttachments(n, v)
	if result == ir.Void {
		return true
	}
	return x.done(v, x.split(n))
}

// wideRet returns a struct of leaves.
func wideRet(x *intExpander, v ir.Value) bool {
	f := x.f
	t := f.TypeOf(f.Operand(v, 0))
	sum := x.M.Poison(x.resultType(t))
	for i, p := range x.parts(f.Operand(v, 0)) {
		sum = x.InsertValue(sum, p, uint32(i))
	}
	x.Ret(sum)
	return true
}
