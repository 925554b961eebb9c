package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// wordBits is the width of the parts of wide integers.
const wordBits = 64

// intExpander lowers operations on wide integers to operations on i64, as the
// type legalizer of LLVM's SelectionDAG does.
//
// A value whose type is or contains a wide integer is a list of leaves. An
// integer of W bits is (W+63)/64 leaves of type i64, lowest first; the last one
// has zeros above bit W. A struct, array or vector is the concatenation of its
// elements' leaves. Any other type is a single leaf. The memory layout is
// unchanged: a load or store accesses each leaf.
type intExpander struct {
	emitter
	f   *ir.Function
	ctx *opt.Context

	at     []uint32 // by value: index of its leaves plus one, or 0
	leaves []ir.Value
	phis   []ir.Value
	old    []ir.Value // instructions to erase

	wide   map[ir.Type]bool // types that contain wide integers
	layout map[ir.Type][]leaf
	graph  analysis.Graph
}

// leaf is a leaf of a type.
type leaf struct {
	t      ir.Type
	offset uint64 // in memory, in bytes
	bits   int    // significant bits of a wide integer's part, 0 for other leaves
}

// expandLargeInts lowers all operations on integers wider than 64 bits, and the
// supported operations on fp128, to operations on i64. Functions take and return leaves instead of such integers:
// each leaf is a separate parameter, and a result is a struct of leaves. A
// kernel's parameter becomes an array of i64 at the same position. Unsupported
// operations (atomics, intrinsics without a row in wideIntrinsics) are kept,
// with conversions around them and a remark.
func expandLargeInts(ctx *opt.Context, m *ir.Module) bool {
	x := opt.Scratch[intExpander](ctx)
	x.ctx, x.M = ctx, m
	x.wide, x.layout = map[ir.Type]bool{}, map[ir.Type][]leaf{}
	changed := false
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.Func.Intrinsic != ir.NoIntrinsic {
			continue
		}
		f, args := x.signature(g)
		changed = changed || f != nil
		if f == nil {
			f = g.Func
		}
		if !f.IsDeclaration() {
			changed = x.function(f, args) || changed
		}
	}
	return changed
}

// isWide reports whether a type is or contains an integer or a floating-point
// number wider than 64 bits.
func (x *intExpander) isWide(t ir.Type) bool {
	if t < ir.Ptr+10 {
		return t == ir.I128 || isLongFloat(t)
	}
	w, known := x.wide[t]
	if !known {
		info := x.M.TypeInfo(t)
		switch info.Kind {
		case ir.KindInt:
			w = info.N > wordBits
		case ir.KindVector, ir.KindArray:
			w = x.isWide(info.Elem)
		case ir.KindStruct:
			for _, e := range info.Elems {
				w = w || x.isWide(e)
			}
		}
		x.wide[t] = w
	}
	return w
}

// isNumber reports whether a type is an integer or a long floating-point type.
func (x *intExpander) isNumber(t ir.Type) bool { return x.M.IsInt(t) || isLongFloat(t) }

// isLongFloat reports whether a type is fp128, x86_fp80 or ppc_fp128. The last two
// are only data.
func isLongFloat(t ir.Type) bool { return t == ir.FP128 || t == ir.X86FP80 || t == ir.PPCFP128 }

// leavesOf returns the leaves of a type.
func (x *intExpander) leavesOf(t ir.Type) []leaf {
	list, known := x.layout[t]
	if !known {
		list = x.addLeaves(nil, t, 0)
		x.layout[t] = list
	}
	return list
}

func (x *intExpander) addLeaves(list []leaf, t ir.Type, offset uint64) []leaf {
	m := x.M
	if !x.isWide(t) {
		return append(list, leaf{t, offset, 0})
	}
	info := m.TypeInfo(t)
	if x.isNumber(t) {
		n := int(m.SizeInBits(t))
		for bit := 0; bit < n; bit += wordBits {
			list = append(list, leaf{ir.I64, offset + uint64(bit/8), min(wordBits, n-bit)})
		}
		return list
	}
	if info.Kind == ir.KindStruct {
		for i, e := range info.Elems {
			list = x.addLeaves(list, e, offset+m.FieldOffset(t, i))
		}
		return list
	}
	size := m.AllocSize(info.Elem)
	if info.Kind == ir.KindVector {
		size = m.SizeInBits(info.Elem) / 8
	}
	for i := range info.N {
		list = x.addLeaves(list, info.Elem, offset+i*size)
	}
	return list
}

// parts returns the leaves of a value.
func (x *intExpander) parts(v ir.Value) []ir.Value {
	t := x.F.TypeOf(v)
	list := x.leavesOf(t)
	switch {
	case v.IsConst():
		return x.constParts(nil, v)
	case !x.isWide(t):
		return []ir.Value{v}
	case x.at[v] == 0: // in unreachable code
		out := make([]ir.Value, len(list))
		for i, l := range list {
			out[i] = x.M.Poison(l.t)
		}
		return out
	}
	at := x.at[v] - 1
	return x.leaves[at : at+uint32(len(list)) : at+uint32(len(list))]
}

// constParts appends the leaves of a constant.
func (x *intExpander) constParts(to []ir.Value, v ir.Value) []ir.Value {
	m := x.M
	t := m.TypeOfConst(v)
	if !x.isWide(t) {
		return append(to, v)
	}
	kind := m.ConstKindOf(v)
	if !x.isNumber(t) && m.Element(v, 0) != ir.None {
		for i := range m.NumElements(t) {
			to = x.constParts(to, m.Element(v, i))
		}
		return to
	}
	words := m.Words(v)
	for i, l := range x.leavesOf(t) {
		switch {
		case words != nil:
			to = append(to, m.NewInt(ir.I64, words[i]))
		case kind == ir.ConstPoison:
			to = append(to, m.Poison(l.t))
		case kind == ir.ConstExpr && x.isNumber(t):
			to = append(to, x.exprPart(v, i))
		default:
			to = append(to, m.Zero(l.t)) // undef may be anything
		}
	}
	return to
}

// exprPart returns part i of a constant expression; an address is in the lowest
// part.
func (x *intExpander) exprPart(v ir.Value, i int) ir.Value {
	m := x.M
	if c := m.Const(v); c.Op == ir.OpPtrToInt {
		if i == 0 {
			return m.Cast(ir.OpPtrToInt, m.ConstOperands(v)[0], ir.I64)
		}
		return m.NewInt(ir.I64, 0)
	}
	shifted := x.Make(ir.OpLShr, m.TypeOfConst(v), v, m.NewInt(m.TypeOfConst(v), uint64(i*wordBits)))
	return x.Make(ir.OpTrunc, ir.I64, shifted)
}

// setLeaves records the leaves of a value.
func (x *intExpander) setLeaves(v ir.Value, parts []ir.Value) {
	if len(parts) != len(x.leavesOf(x.f.TypeOf(v))) {
		panic("BUG: wrong number of leaves")
	}
	x.at[v] = uint32(len(x.leaves)) + 1
	x.leaves = append(x.leaves, parts...)
}

// function expands the body of a function. args are the placeholders for its
// old arguments, with their leaves.
func (x *intExpander) function(f *ir.Function, args []argLeaves) bool {
	if args == nil && !x.hasWide(f) {
		return false
	}
	lowerSwitch(x.ctx, f)
	expandIntrinsics(x.ctx, f)
	expandLargeDivRem(x.ctx, f)
	x.f, x.F = f, f
	x.expandSaturating()
	x.at, x.leaves = opt.Sized(x.at, f.NumValues()), x.leaves[:0]
	x.phis, x.old = x.phis[:0], x.old[:0]
	x.bindArgs(args)
	x.graph.ResetCFG(f)
	definitionsFirst(f, &x.graph, x.block)
	x.fillPhis()
	for i := len(x.old) - 1; i >= 0; i-- {
		if v := x.old[i]; f.HasUses(v) {
			f.ReplaceUses(v, x.M.Poison(f.TypeOf(v))) // only used by instructions that are erased too
		}
	}
	for _, v := range x.old {
		f.Erase(v)
	}
	for _, a := range args {
		if f.HasUses(a.old) {
			panic("BUG: use of a removed argument")
		}
		f.Erase(a.old)
	}
	return true
}

// hasWide reports whether a function contains wide integers.
func (x *intExpander) hasWide(f *ir.Function) bool {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if x.concerns(f, v) || isWideFix(f, v) {
				return true
			}
		}
	}
	return false
}

// concerns reports whether the result or an operand of an instruction is wide.
func (x *intExpander) concerns(f *ir.Function, v ir.Value) bool {
	if x.isWide(f.TypeOf(v)) {
		return true
	}
	for _, o := range f.Operands(v) {
		if !o.Value.IsBlock() && !o.Value.IsMetadata() && x.isWide(f.TypeOf(o.Value)) {
			return true
		}
	}
	return false
}

func (x *intExpander) block(b ir.Block) {
	f := x.f
	for v := f.First(b); v != ir.None; {
		next := f.Next(v)
		if int(v) < len(x.at) && x.concerns(f, v) {
			x.instr(v)
		}
		v = next
	}
}

// instr expands one instruction.
func (x *intExpander) instr(v ir.Value) {
	f := x.f
	x.Before(v)
	op := f.Op(v)
	if op == ir.OpPhi {
		x.phi(v)
		return
	}
	do := wideOps[op]
	if do == nil || !do(x, v) {
		x.keep(v)
		return
	}
	x.old = append(x.old, v)
}

// done records the leaves of an expanded instruction, or replaces the
// instruction if its type is not wide.
func (x *intExpander) done(v ir.Value, parts []ir.Value) bool {
	f := x.f
	if x.isWide(f.TypeOf(v)) {
		x.setLeaves(v, parts)
		return true
	}
	n := parts[0]
	if len(parts) > 1 || f.TypeOf(n) != f.TypeOf(v) {
		n = x.vectorOf(f.TypeOf(v), parts)
	}
	if name := f.NameOf(v); name != nil && n.IsLocal() && !f.HasName(n) {
		f.SetName(n, name)
	}
	if f.HasUses(v) || f.FirstRecordUse(v) != 0 {
		f.ReplaceUses(v, n)
	}
	return true
}

// vectorOf returns a vector with the given elements.
func (x *intExpander) vectorOf(t ir.Type, elems []ir.Value) ir.Value {
	v := x.M.Poison(t)
	for i, e := range elems {
		v = x.InsertElement(v, e, x.M.NewInt(ir.I64, uint64(i)))
	}
	return v
}

func (x *intExpander) phi(v ir.Value) {
	f := x.f
	list := x.leavesOf(f.TypeOf(v))
	parts := make([]ir.Value, len(list))
	for i, l := range list {
		parts[i] = f.NewInstr(ir.OpPhi, l.t)
		f.Instr(parts[i]).Loc = f.Instr(v).Loc
		f.InsertBefore(parts[i], v)
	}
	x.setLeaves(v, parts)
	x.phis = append(x.phis, v)
	x.old = append(x.old, v)
}

// fillPhis adds the incoming values of the phis of leaves.
func (x *intExpander) fillPhis() {
	f := x.f
	for _, v := range x.phis {
		for i := range f.NumIncoming(v) {
			in, b := f.Incoming(v, i)
			x.Before(f.Terminator(b))
			for j, p := range x.parts(in) {
				f.AddIncoming(x.parts(v)[j], p, b)
			}
		}
	}
}

// keep keeps an instruction that cannot be expanded, and converts its operands
// from leaves and its result to leaves.
func (x *intExpander) keep(v ir.Value) {
	f := x.f
	x.ctx.AddRemark(f, v, "wide integers of "+f.Op(v).String()+" are not expanded")
	for i, o := range f.Operands(v) {
		if o.Value.IsLocal() && x.isWide(f.TypeOf(o.Value)) {
			f.SetOperand(v, i, x.join(f.TypeOf(o.Value), x.parts(o.Value)))
		}
	}
	if x.isWide(f.TypeOf(v)) {
		x.Before(f.Next(v))
		x.setLeaves(v, x.split(v))
	}
}

// wordsOf returns the vector of i64 with the size of a wide integer, or void if
// its width is no multiple of 64.
func (x *intExpander) wordsOf(t ir.Type) ir.Type {
	n := x.M.SizeInBits(t)
	if n%wordBits != 0 {
		return ir.Void
	}
	return x.M.VectorType(ir.I64, n/wordBits)
}

// join combines leaves to one value.
func (x *intExpander) join(t ir.Type, parts []ir.Value) ir.Value {
	m := x.M
	info := m.TypeInfo(t)
	if x.isNumber(t) {
		if words := x.wordsOf(t); words != ir.Void {
			v := m.Poison(words)
			for i, p := range parts {
				v = x.InsertElement(v, p, m.NewInt(ir.I64, uint64(i)))
			}
			return x.Make(ir.OpBitCast, t, v)
		}
		v := x.Make(ir.OpZExt, t, parts[0])
		if info.N <= 128 && info.N < uint64(len(parts))*wordBits || len(parts) > 1 {
			for i, p := range parts[1:] {
				up := x.Make(ir.OpShl, t, x.Make(ir.OpZExt, t, p), m.NewInt(t, uint64((i+1)*wordBits)))
				v = x.Make(ir.OpOr, t, v, up)
			}
		}
		return v
	}
	v := m.Poison(t)
	for i := range m.NumElements(t) {
		e := m.ElementType(t, i)
		n := 1
		if x.isWide(e) {
			n = len(x.leavesOf(e))
		}
		elem := parts[0]
		if x.isWide(e) {
			elem = x.join(e, parts[:n])
		}
		parts = parts[n:]
		if info.Kind == ir.KindVector {
			v = x.InsertElement(v, elem, m.NewInt(ir.I64, i))
		} else {
			v = x.InsertValue(v, elem, uint32(i))
		}
	}
	return v
}

// split returns the leaves of a wide value that is kept.
func (x *intExpander) split(v ir.Value) []ir.Value {
	m := x.M
	t := x.f.TypeOf(v)
	if !x.isWide(t) {
		return []ir.Value{v}
	}
	var out []ir.Value
	info := m.TypeInfo(t)
	if x.isNumber(t) {
		if words := x.wordsOf(t); words != ir.Void {
			v = x.Make(ir.OpBitCast, words, v)
			for i := range x.leavesOf(t) {
				out = append(out, x.ExtractElement(v, m.NewInt(ir.I64, uint64(i))))
			}
			return out
		}
		for i := range x.leavesOf(t) {
			s := v
			if i > 0 {
				s = x.Make(ir.OpLShr, t, v, m.NewInt(t, uint64(i*wordBits)))
			}
			out = append(out, x.Make(ir.OpTrunc, ir.I64, s))
		}
		return out
	}
	for i := range m.NumElements(t) {
		if info.Kind == ir.KindVector {
			out = append(out, x.split(x.ExtractElement(v, m.NewInt(ir.I64, i)))...)
		} else {
			out = append(out, x.split(x.ExtractValue(v, uint32(i)))...)
		}
	}
	return out
}
