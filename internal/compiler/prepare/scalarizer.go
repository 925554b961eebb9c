package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// vectorScalarizer replaces operations on vectors by operations on their
// elements.
//
// A vector has up to three forms: the whole value, a list of its elements, and,
// for half and i16 on processors with packed instructions, a list of pairs
// (vectors of two; the last element of an odd number is single). Operations
// request the form that they need. A form is derived from another one at the
// value's definition and shared by all users. Loads, calls and related
// operations use the whole form, all others elements or pairs.
type vectorScalarizer struct {
	emitter
	f         *ir.Function
	packed    bool // pairs have instructions
	forms     []vectorForms
	list      []ir.Value // elements and pairs
	phis      []ir.Value
	old       []ir.Value // instructions to erase
	made      []ir.Value // instructions that convert between forms
	hot       []bool     // phis and selects that are kept whole
	work      []ir.Value
	places    *analysis.Uniformity // uniformity of variable indices, nil if all are constant
	last      ir.Value             // constant with the elements lastElems
	lastElems []ir.Value
	sums      map[ir.Value][][]ir.Value // elements of the struct results of elementwise calls
	graph     analysis.Graph
}

// vectorForms holds the forms of a value, None or 0 if not created yet.
type vectorForms struct {
	whole        ir.Value
	elems, pairs uint32   // index in the list plus one
	kept         bool     // the value itself is kept
	last         ir.Value // last instruction of its forms; None if none exists or the value is removed
}

// scalarizer replaces operations on vectors by operations on their elements.
// The remaining vector operations are loads and stores of elements of 16, 32
// and 64 bits; operands and results of calls, and phis and selects between
// these; insertelement and extractelement with constant indices; bitcasts that
// preserve the contents of each 32 bits; and arithmetic on pairs of half and
// i16 if the processor supports it.
func scalarizer(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[vectorScalarizer](ctx)
	x.f, x.F, x.M = f, f, f.Module()
	x.packed = isGPU(ctx, target.GFX9)
	if changed := scalarizeMasked(ctx, f); !x.hasWork() {
		return changed
	}
	x.forms, x.hot = opt.Sized(x.forms, f.NumValues()), opt.Sized(x.hot, f.NumValues())
	x.list, x.phis, x.old, x.made = x.list[:0], x.phis[:0], x.old[:0], x.made[:0]
	x.sums, x.last = nil, ir.None
	x.graph.ResetCFG(f)
	x.findIndexed(ctx)
	x.findHot()
	definitionsFirst(f, &x.graph, x.block)
	x.fillPhis()
	eraseAll(f, x.old)
	for i := len(x.made) - 1; i >= 0; i-- {
		if v := x.made[i]; !f.HasUses(v) && f.FirstRecordUse(v) == 0 {
			f.Erase(v)
			x.made[i] = ir.None
		}
	}
	x.sinkExtracts()
	return true
}

// sinkExtracts extracts elements of whole vectors at their uses if these are
// outside the loop that defines the vector. The loop then has one live-out
// vector instead of one live-out per element.
func (x *vectorScalarizer) sinkExtracts() {
	f := x.f
	var loops *analysis.Loops
	for _, v := range x.made {
		if v == ir.None || f.Op(v) != ir.OpExtractElement {
			continue
		}
		if loops == nil {
			loops = analysis.NewLoops(analysis.NewDomTree(&x.graph))
		}
		loop := loops.Of(uint32(f.Parent(v)))
		if loop == 0 {
			continue
		}
		for u := f.FirstUse(v); u != 0; {
			next, user := f.NextUse(u), f.User(u)
			if f.Op(user) == ir.OpPhi {
				user = f.Terminator(f.Operand(user, f.UseIndex(u)+1).Block())
			}
			if !loops.Contains(loop, uint32(f.Parent(user))) {
				x.Before(user)
				f.SetUse(u, x.ExtractElement(f.Operand(v, 0), f.Operand(v, 1)))
			}
			u = next
		}
		if !f.HasUses(v) && f.FirstRecordUse(v) == 0 {
			f.Erase(v)
		}
	}
}

// concerns reports whether an instruction involves vectors, or a struct of
// vectors that an elementwise call returned.
func (x *vectorScalarizer) concerns(v ir.Value) bool {
	f, m := x.f, x.M
	if m.IsVector(f.TypeOf(v)) {
		return true
	}
	for _, o := range f.Operands(v) {
		if !o.Value.IsBlock() && !o.Value.IsMetadata() && m.IsVector(f.TypeOf(o.Value)) || x.sums[o.Value] != nil {
			return true
		}
	}
	return f.Op(v) == ir.OpCall && f.CalledIntrinsic(v) != ir.NoIntrinsic && x.M.IsAggregate(f.TypeOf(v))
}

func (x *vectorScalarizer) hasWork() bool {
	f := x.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if x.concerns(v) && f.Op(v) != ir.OpLoad && f.Op(v) != ir.OpRet || x.M.IsVector(f.TypeOf(v)) && !x.isFriendly(f.TypeOf(v)) {
				return true
			}
		}
	}
	return false
}

// isPair reports whether vectors with elements of type elem have pairs.
func (x *vectorScalarizer) isPair(elem ir.Type) bool {
	return x.packed && (elem == ir.Half || elem == ir.I16)
}

// isFriendly reports whether a vector consists of whole 32-bit registers: each
// element occupies whole registers, or two share one.
func (x *vectorScalarizer) isFriendly(t ir.Type) bool { return isFriendlyVector(x.M, t) }

func isFriendlyVector(m *ir.Module, t ir.Type) bool {
	n := m.NumElements(t)
	switch m.SizeInBits(m.Scalar(t)) {
	case 16:
		return n%2 == 0
	case 32, 64:
		return true
	}
	return false
}

// isLongPtr reports whether a type is a pointer of more than 64 bits: to or with
// a buffer.
func isLongPtr(m *ir.Module, t ir.Type) bool { return m.IsPtr(t) && m.SizeInBits(t) > wordBits }

// findIndexed determines which indices are uniform, if the function has
// variable indices.
func (x *vectorScalarizer) findIndexed(ctx *opt.Context) {
	f := x.f
	x.places = nil
	if !isGPU(ctx, target.GFX6) {
		return
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if op := f.Op(v); (op == ir.OpExtractElement || op == ir.OpInsertElement) && f.Operand(v, f.NumOperands(v)-1).IsLocal() {
				x.places = &analysis.Uniformity{ByWaves: true} // as in selection
				x.places.Reset(f, analysis.NewDomTree(&x.graph), analysis.NewCycles(&x.graph), ctx.Target.WaveSize())
				return
			}
		}
	}
}

// minIndexed and maxIndexed are the minimum number of elements and the maximum
// number of bits of a vector whose registers are indexed.
const (
	minIndexed = 5
	maxIndexed = 32 * 32
)

// indexed reports whether an insertelement or extractelement is kept, because a
// uniform index can index registers.
func (x *vectorScalarizer) indexed(v ir.Value) bool {
	f, m := x.f, x.M
	index := f.Operand(v, f.NumOperands(v)-1)
	if x.places == nil || !index.IsLocal() || x.places.Divergent(index) {
		return false
	}
	t := f.TypeOf(f.Operand(v, 0))
	bits := m.SizeInBits(m.Scalar(t))
	return (bits == 32 || bits == 64) && m.NumElements(t) >= minIndexed && m.SizeInBits(t) <= maxIndexed
}

// findHot marks the phis and selects between operands and results of calls, and
// around indexed vectors; they are kept whole.
func (x *vectorScalarizer) findHot() {
	f := x.f
	x.work = x.work[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch op := f.Op(v); {
			case (op == ir.OpExtractElement || op == ir.OpInsertElement) && x.indexed(v):
			case op != ir.OpCall || x.isElementwise(v) || vectorIntrinsics.From(makeVectorIntrinsics)[f.CalledIntrinsic(v)] != nil:
				continue
			}
			for _, o := range f.Operands(v) {
				x.heat(o.Value)
			}
			x.heatUsers(v)
		}
	}
	for len(x.work) > 0 {
		v := x.work[len(x.work)-1]
		x.work = x.work[:len(x.work)-1]
		for _, o := range f.Operands(v) {
			x.heat(o.Value)
		}
		x.heatUsers(v)
	}
}

func (x *vectorScalarizer) heatUsers(v ir.Value) {
	if !x.M.IsVector(x.f.TypeOf(v)) {
		return
	}
	for u := x.f.FirstUse(v); u != 0; u = x.f.NextUse(u) {
		x.heat(x.f.User(u))
	}
}

// heat marks a phi or select.
func (x *vectorScalarizer) heat(v ir.Value) {
	f := x.f
	if !v.IsLocal() || x.hot[v] || !x.M.IsVector(f.TypeOf(v)) || !x.isFriendly(f.TypeOf(v)) {
		return
	}
	if op := f.Op(v); op == ir.OpPhi || op == ir.OpSelect && !x.M.IsVector(f.TypeOf(f.Operand(v, 0))) {
		x.hot[v] = true
		x.work = append(x.work, v)
	}
}

func (x *vectorScalarizer) block(b ir.Block) {
	f := x.f
	for v := f.First(b); v != ir.None; {
		next := f.Next(v)
		if int(v) < len(x.hot) && x.concerns(v) {
			x.M.Guard().Check()
			x.instr(v)
		}
		v = next
	}
}

// instr scalarizes one instruction.
func (x *vectorScalarizer) instr(v ir.Value) {
	x.Before(v)
	x.Fast = 0
	if do := vectorOps[x.f.Op(v)]; do != nil && do(x, v) {
		x.old = append(x.old, v)
		return
	}
	x.keep(v)
}

// keep keeps an instruction, with whole vectors as operands.
func (x *vectorScalarizer) keep(v ir.Value) {
	f := x.f
	x.setWhole(v, v)
	x.forms[v].kept = true
	if f.Op(v) == ir.OpPhi {
		x.phis = append(x.phis, v)
		return
	}
	for i, o := range f.Operands(v) {
		switch {
		case o.Value.IsBlock() || o.Value.IsMetadata() || !o.Value.IsLocal():
		case x.M.IsVector(f.TypeOf(o.Value)):
			if n := x.whole(o.Value); n != o.Value {
				f.SetOperand(v, i, n)
			}
		case x.sums[o.Value] != nil:
			f.SetOperand(v, i, x.wholeSum(o.Value))
		}
	}
}

// form returns the forms of a value, including values created here.
func (x *vectorScalarizer) form(v ir.Value) *vectorForms {
	for int(v) >= len(x.forms) {
		x.forms = append(x.forms, vectorForms{})
	}
	return &x.forms[v]
}

func (x *vectorScalarizer) setWhole(v, whole ir.Value) { x.form(v).whole = whole }

func (x *vectorScalarizer) setElems(v ir.Value, elems []ir.Value) {
	x.form(v).elems = uint32(len(x.list)) + 1
	x.list = append(x.list, elems...)
}

// setElem records that v is vec with another element. The elements of an
// insertion without other uses are not copied, so the time of a chain of
// insertions is not quadratic in its length.
func (x *vectorScalarizer) setElem(v, vec ir.Value, index int, elem ir.Value) {
	f := x.f
	elems := x.elems(vec)
	if vec.IsLocal() && f.Op(vec) == ir.OpInsertElement && f.HasOneUse(vec) && f.FirstRecordUse(vec) == 0 && x.form(vec).elems != 0 {
		x.form(v).elems = x.form(vec).elems
		x.form(vec).elems = 0
	} else {
		x.setElems(v, elems)
	}
	x.elems(v)[index] = elem
}

func (x *vectorScalarizer) setPairs(v ir.Value, pairs []ir.Value) {
	x.form(v).pairs = uint32(len(x.list)) + 1
	x.list = append(x.list, pairs...)
}

// note records an instruction that only converts between forms, to be erased if
// unused.
func (x *vectorScalarizer) note(v ir.Value) ir.Value {
	if v.IsLocal() {
		x.made = append(x.made, v)
	}
	return v
}

// atDefinition creates a form of a value at its definition: before an
// instruction that is removed, otherwise after it and its other forms. For
// a terminator, it calls make at the builder's position and returns false.
func (x *vectorScalarizer) atDefinition(v ir.Value, make func()) bool {
	f := x.f
	at := v
	switch op, last := f.Op(v), x.form(v).last; {
	case last != ir.None:
		at = f.Next(last)
	case op == ir.OpArg:
		at = f.FirstNonPhi(f.Entry())
	case op == ir.OpPhi:
		at = f.FirstNonPhi(f.Parent(v))
	case op.IsTerminator():
		make()
		return false
	case x.form(v).kept || int(v) >= len(x.hot):
		at = f.Next(v)
	}
	saved := x.Builder
	x.Before(at)
	if f.Op(v) == ir.OpArg {
		x.Loc = 0
	}
	make()
	x.Builder = saved
	if last := f.Prev(at); at != v && last != v && last != ir.None {
		x.form(v).last = last
	}
	return true
}

// count returns the number of elements of a value.
func (x *vectorScalarizer) count(v ir.Value) int { return int(x.M.NumElements(x.f.TypeOf(v))) }

// index returns the constant index of an element.
func (x *vectorScalarizer) index(i int) ir.Value { return x.M.NewInt(ir.I32, uint64(i)) }

// elems returns the elements of a vector.
func (x *vectorScalarizer) elems(v ir.Value) []ir.Value {
	n := x.count(v)
	if v.IsConst() {
		return x.constElems(v, n)
	}
	fm := x.form(v)
	if fm.elems != 0 {
		return x.list[fm.elems-1 : int(fm.elems)-1+n : int(fm.elems)-1+n]
	}
	out := make([]ir.Value, 0, n)
	shared := x.atDefinition(v, func() {
		switch whole := x.wholeForm(v); {
		case fm.pairs != 0:
			for _, p := range x.pairs(v) {
				out = x.appendPair(out, p)
			}
		case whole != ir.None:
			for i := range n {
				out = append(out, x.note(x.ExtractElement(whole, x.index(i))))
			}
		default: // in unreachable code
			for range n {
				out = append(out, x.M.Poison(x.M.Scalar(x.f.TypeOf(v))))
			}
		}
	})
	if shared {
		x.setElems(v, out)
	}
	return out
}

// appendPair appends the elements of a pair.
func (x *vectorScalarizer) appendPair(to []ir.Value, p ir.Value) []ir.Value {
	switch {
	case !x.M.IsVector(x.f.TypeOf(p)):
		return append(to, p)
	case p.IsConst():
		return append(to, x.constElems(p, 2)...)
	}
	return append(to, x.note(x.ExtractElement(p, x.index(0))), x.note(x.ExtractElement(p, x.index(1))))
}

// wholeForm returns the whole value if it exists.
func (x *vectorScalarizer) wholeForm(v ir.Value) ir.Value {
	if w := x.form(v).whole; w != ir.None {
		return w
	}
	if op := x.f.Op(v); op == ir.OpArg || int(v) >= len(x.hot) {
		return v
	}
	return ir.None
}

func (x *vectorScalarizer) constElems(v ir.Value, n int) []ir.Value {
	if v == x.last && len(x.lastElems) == n {
		return x.lastElems
	}
	out := make([]ir.Value, n)
	known := true
	for i := range out {
		if out[i] = x.M.Element(v, uint64(i)); out[i] == ir.None {
			out[i], known = x.ExtractElement(v, x.index(i)), false
		}
	}
	if known {
		x.last, x.lastElems = v, out
	}
	return out
}

// pairs returns the pairs of a vector of half or i16.
func (x *vectorScalarizer) pairs(v ir.Value) []ir.Value {
	n := x.count(v)
	half := (n + 1) / 2
	if v.IsConst() {
		return x.pairUp(x.constElems(v, n))
	}
	fm := x.form(v)
	if fm.pairs != 0 {
		return x.list[fm.pairs-1 : int(fm.pairs)-1+half : int(fm.pairs)-1+half]
	}
	var out []ir.Value
	shared := x.atDefinition(v, func() {
		whole := x.wholeForm(v)
		switch {
		case fm.elems != 0 || whole == ir.None || n%2 != 0:
			out = x.pairUp(x.elems(v))
		case n == 2:
			out = []ir.Value{whole}
		default:
			t := x.M.VectorType(x.M.Scalar(x.f.TypeOf(v)), 2)
			for _, d := range x.wordsOfWhole(whole, half) {
				out = append(out, x.note(x.FoldCast(ir.OpBitCast, d, t)))
			}
		}
	})
	if shared {
		x.setPairs(v, out)
	}
	return out
}

// pairUp combines elements to pairs.
func (x *vectorScalarizer) pairUp(elems []ir.Value) []ir.Value {
	var out []ir.Value
	for i := 0; i+1 < len(elems); i += 2 {
		t := x.M.VectorType(x.f.TypeOf(elems[i]), 2)
		out = append(out, x.gather(t, elems[i:i+2]))
	}
	if len(elems)%2 != 0 {
		out = append(out, elems[len(elems)-1])
	}
	return out
}

// whole returns a vector as a single value.
func (x *vectorScalarizer) whole(v ir.Value) ir.Value {
	if v.IsConst() {
		return v
	}
	if w := x.wholeForm(v); w != ir.None {
		return w
	}
	var w ir.Value
	t := x.f.TypeOf(v)
	x.atDefinition(v, func() {
		switch fm := x.form(v); {
		case x.count(v) == 2 && x.isPair(x.M.Scalar(t)):
			w = x.pairs(v)[0]
		case fm.elems == 0 && fm.pairs != 0 && x.count(v)%2 == 0:
			words := make([]ir.Value, 0, 4)
			for _, p := range x.pairs(v) {
				words = append(words, x.note(x.FoldCast(ir.OpBitCast, p, ir.I32)))
			}
			w = x.note(x.FoldCast(ir.OpBitCast, x.gather(x.M.VectorType(ir.I32, uint64(len(words))), words), t))
		default:
			w = x.gather(t, x.elems(v))
		}
	})
	x.setWhole(v, w)
	return w
}

// gather builds a vector from its elements: a constant vector with the variable
// elements inserted.
func (x *vectorScalarizer) gather(t ir.Type, elems []ir.Value) ir.Value {
	if v := x.scattered(t, elems); v != ir.None {
		return v
	}
	base := make([]ir.Value, len(elems))
	for i, e := range elems {
		base[i] = e
		if !x.IsPlain(e) {
			base[i] = x.M.Poison(x.M.Scalar(t))
		}
	}
	v := x.M.NewAggregate(t, base)
	for i, e := range elems {
		if !x.IsPlain(e) {
			v = x.note(x.InsertElement(v, e, x.index(i)))
		}
	}
	return v
}

// scattered returns the vector of type t from which the elements were extracted
// in order, or None.
func (x *vectorScalarizer) scattered(t ir.Type, elems []ir.Value) ir.Value {
	f := x.f
	for i, e := range elems {
		if !e.IsLocal() || f.Op(e) != ir.OpExtractElement || f.TypeOf(f.Operand(e, 0)) != t ||
			f.Operand(e, 0) != f.Operand(elems[0], 0) || f.Operand(e, 1) != x.index(i) {
			return ir.None
		}
	}
	return f.Operand(elems[0], 0)
}

// fillPhis adds the incoming values of phis.
func (x *vectorScalarizer) fillPhis() {
	f := x.f
	for _, v := range x.phis {
		for i := range f.NumIncoming(v) {
			in, b := f.Incoming(v, i)
			x.Before(f.Terminator(b))
			fm := x.form(v)
			switch {
			case fm.kept:
				if n := x.whole(in); n != in {
					f.SetOperand(v, 2*i, n)
				}
			case fm.pairs != 0:
				x.addIncoming(x.pairs(v), x.pairs(in), b)
			default:
				x.addIncoming(x.elems(v), x.elems(in), b)
			}
		}
	}
}

func (x *vectorScalarizer) addIncoming(phis, in []ir.Value, b ir.Block) {
	for j, p := range in {
		x.f.AddIncoming(phis[j], p, b)
	}
}
