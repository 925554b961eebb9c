package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// intPromoter replaces operations on integers of other widths, at most 64 bits,
// by operations on i32 and i64.
//
// A value of iN has up to three forms, each an i32 or i64: plain, whose bits
// above N are undefined; zero, where they are clear; sign, where they are
// copies of the highest bit. Operations request the form that they need. A form
// is created at the value's definition and shared by all users. Where a value
// has its own width (memory, arguments, vector elements), a conversion is
// inserted at that point.
type intPromoter struct {
	emitter
	f     *ir.Function
	forms []intForms // by value
	phis  []ir.Value
	old   []ir.Value // instructions to erase
	masks []madeForm // to be revisited
	space func(space, align uint32) uint64
	graph analysis.Graph
}

// intForms holds the forms of a value, None if not created yet.
type intForms struct {
	plain, zero, sign ir.Value
	kept              bool // the value itself is kept
}

// madeForm is a zero or sign form derived from a plain form by an instruction.
type madeForm struct {
	v, plain ir.Value
	bits     int
}

// legalizeInts converts integers to i1, i32 and i64. i8 and i16 remain in
// memory accesses, calls and vectors; other widths between 1 and 64 remain only
// as arguments and results of functions. Vectors are not processed.
func legalizeInts(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[intPromoter](ctx)
	x.f, x.F, x.M = f, f, f.Module()
	x.space = func(space, align uint32) uint64 { return accessBytes(ctx, space, align) }
	if !x.hasWork() {
		return false
	}
	lowerOddSwitches(ctx, f)
	x.forms = opt.Sized(x.forms, f.NumValues())
	x.phis, x.old, x.masks = x.phis[:0], x.old[:0], x.masks[:0]
	x.graph.ResetCFG(f)
	definitionsFirst(f, &x.graph, x.block)
	x.fillPhis()
	eraseAll(f, x.old)
	x.dropMasks()
	return true
}

// eraseAll erases instructions that may use each other.
func eraseAll(f *ir.Function, old []ir.Value) {
	for i := len(old) - 1; i >= 0; i-- {
		if v := old[i]; f.HasUses(v) || f.FirstRecordUse(v) != 0 {
			f.ReplaceUses(v, f.Module().Poison(f.TypeOf(v)))
		}
	}
	for _, v := range old {
		f.Erase(v)
	}
}

// lowerOddSwitches lowers switches to comparisons if the function has one on an
// integer other than i32 and i64.
func lowerOddSwitches(ctx *opt.Context, f *ir.Function) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if v := f.Terminator(b); f.Op(v) == ir.OpSwitch {
			if t := f.TypeOf(f.Operand(v, 0)); t != ir.I32 && t != ir.I64 {
				lowerSwitch(ctx, f)
				return
			}
		}
	}
}

// isOdd reports whether a type is an integer without operations of its own.
func (x *intPromoter) isOdd(t ir.Type) bool { return isOddInt(x.M, t) }

func isOddInt(m *ir.Module, t ir.Type) bool {
	switch t {
	case ir.I1, ir.I32, ir.I64, ir.I128:
		return false
	case ir.I8, ir.I16:
		return true
	}
	n := m.IntBits(t)
	return n > 1 && n < 64
}

// registerType returns the type of an integer's forms.
func (x *intPromoter) registerType(t ir.Type) ir.Type {
	if x.M.IntBits(t) <= 32 {
		return ir.I32
	}
	return ir.I64
}

// concerns reports whether an instruction must be examined.
func (x *intPromoter) concerns(v ir.Value) bool {
	f := x.f
	t := f.TypeOf(v)
	if x.isOdd(t) || t == ir.I1 && boolOps[f.Op(v)] != nil {
		return true
	}
	switch f.Op(v) {
	case ir.OpPtrToInt, ir.OpPtrToAddr, ir.OpIntToPtr:
		if x.resizesPtr(v) {
			return true
		}
	}
	for _, o := range f.Operands(v) {
		if o.Value.IsBlock() || o.Value.IsMetadata() {
			continue
		}
		if t := f.TypeOf(o.Value); x.isOdd(t) || t == ir.I1 && boolUses[f.Op(v)] != nil {
			return true
		}
	}
	return false
}

// hasWork reports whether an instruction will change.
func (x *intPromoter) hasWork() bool {
	f := x.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if x.concerns(v) && !x.isLegal(v) {
				return true
			}
		}
	}
	return false
}

// isLegal reports whether an instruction that involves odd integers is kept
// unchanged.
func (x *intPromoter) isLegal(v ir.Value) bool {
	f := x.f
	switch op := f.Op(v); op {
	case ir.OpLoad:
		return x.hasAccess(f.TypeOf(v))
	case ir.OpStore:
		return x.hasAccess(f.TypeOf(f.Operand(v, 0)))
	default:
		return promoteOps[op] == nil && boolOps[op] == nil && boolUses[op] == nil
	}
}

// hasAccess reports whether loads and stores of a type are kept.
func (x *intPromoter) hasAccess(t ir.Type) bool {
	return t == ir.I8 || t == ir.I16 || t != ir.I1 && !x.isOdd(t)
}

func (x *intPromoter) block(b ir.Block) {
	f := x.f
	for v := f.First(b); v != ir.None; {
		next := f.Next(v)
		if int(v) < len(x.forms) && x.concerns(v) {
			x.instr(v)
		}
		v = next
	}
}

// instr promotes one instruction.
func (x *intPromoter) instr(v ir.Value) {
	f := x.f
	x.Before(v)
	op := f.Op(v)
	do := promoteOps[op]
	if f.TypeOf(v) == ir.I1 && boolOps[op] != nil {
		do = boolOps[op]
	} else if do == nil || boolUses[op] != nil && f.TypeOf(f.Operand(v, 0)) == ir.I1 {
		do = boolUses[op]
	}
	if do != nil && do(x, v) {
		x.old = append(x.old, v)
		return
	}
	x.keep(v)
}

// keep keeps an instruction, with operands of their own widths.
func (x *intPromoter) keep(v ir.Value) {
	f := x.f
	for i, o := range f.Operands(v) {
		if !o.Value.IsBlock() && !o.Value.IsMetadata() && x.isOdd(f.TypeOf(o.Value)) {
			if n := x.narrow(o.Value); n != o.Value {
				f.SetOperand(v, i, n)
			}
		}
	}
	if x.isOdd(f.TypeOf(v)) {
		x.forms[v].kept = true
	}
}

// narrow returns a value with its own type, at the builder's position.
func (x *intPromoter) narrow(v ir.Value) ir.Value {
	if v.IsConst() || x.isKept(v) {
		return v
	}
	return x.FoldCast(ir.OpTrunc, x.plainOf(v), x.f.TypeOf(v))
}

func (x *intPromoter) isKept(v ir.Value) bool {
	return int(v) < len(x.forms) && x.forms[v].kept || x.f.Op(v) == ir.OpArg
}

// setPlain records the plain form of an odd integer.
func (x *intPromoter) setPlain(v, plain ir.Value) {
	x.forms[v].plain = plain
	x.nameFor(plain, v)
}

// nameFor transfers the name of a replaced value to the new one.
func (e *emitter) nameFor(n, v ir.Value) {
	if name := e.F.NameOf(v); name != nil && n.IsLocal() && !e.F.HasName(n) {
		e.F.SetName(n, name)
	}
}

// replace replaces the uses of an instruction whose type is not an odd integer.
func (e *emitter) replace(v, n ir.Value) bool {
	e.nameFor(n, v)
	if e.F.HasUses(v) || e.F.FirstRecordUse(v) != 0 {
		e.F.ReplaceUses(v, n)
	}
	return true
}

// atDefinition moves the builder to the definition of v and calls make: after an
// instruction that is kept, before one that is removed. It returns false for a
// terminator, whose value is available only in another block.
func (x *intPromoter) atDefinition(v ir.Value, make func()) bool {
	f := x.f
	saved := x.Builder
	switch op := f.Op(v); {
	case op == ir.OpArg:
		x.Before(f.FirstNonPhi(f.Entry()))
		x.Loc = 0
	case op == ir.OpPhi:
		x.Before(f.FirstNonPhi(f.Parent(v)))
	case op.IsTerminator():
		make()
		return false
	case x.forms[v].kept:
		x.Before(f.Next(v))
	default:
		x.Before(v)
	}
	make()
	x.Builder = saved
	return true
}

// plainOf returns the plain form of an odd integer, and other values unchanged.
func (x *intPromoter) plainOf(v ir.Value) ir.Value {
	t := x.f.TypeOf(v)
	if !x.isOdd(t) {
		return v
	}
	if v.IsConst() {
		return x.constForm(v, true)
	}
	fm := &x.forms[v]
	switch {
	case fm.plain != ir.None:
		return fm.plain
	case x.isKept(v):
		return x.zeroOf(v)
	}
	return x.M.Poison(x.registerType(t)) // in unreachable code
}

// constForm returns a constant whose bits above its width are clear or copies
// of the sign.
func (x *intPromoter) constForm(v ir.Value, signed bool) ir.Value {
	m := x.M
	r := x.registerType(m.TypeOfConst(v))
	switch m.ConstKindOf(v) {
	case ir.ConstPoison:
		return m.Poison(r)
	case ir.ConstUndef:
		return m.Zero(r)
	}
	op := ir.OpZExt
	if signed {
		op = ir.OpSExt
	}
	return x.FoldCast(op, v, r)
}

// zeroOf returns the form whose bits above the width are clear.
func (x *intPromoter) zeroOf(v ir.Value) ir.Value {
	t := x.f.TypeOf(v)
	switch {
	case !x.isOdd(t):
		return v
	case v.IsConst():
		return x.constForm(v, false)
	case x.forms[v].zero != ir.None:
		return x.forms[v].zero
	}
	var n ir.Value
	r, bits := x.registerType(t), uint(x.M.IntBits(t))
	shared := x.atDefinition(v, func() {
		if x.isKept(v) {
			n = x.Make(ir.OpZExt, r, v)
			return
		}
		n = x.plainOf(v)
		if !x.clearAbove(n, bits) {
			plain := n
			n = x.Op(ir.OpAnd, n, x.M.NewInt(r, 1<<bits-1))
			x.masks = append(x.masks, madeForm{n, plain, int(bits)})
		}
	})
	if shared {
		x.forms[v].zero = n
	}
	return n
}

// clearAbove reports whether the bits of a form above the width are clear.
func (x *intPromoter) clearAbove(v ir.Value, bits uint) bool {
	k := analysis.KnownBits(x.f, v)
	return k.Width > 0 && k.LeadingZeros() >= k.Width-int(bits)
}

// signOf returns the form whose bits above the width are copies of the sign.
func (x *intPromoter) signOf(v ir.Value) ir.Value {
	t := x.f.TypeOf(v)
	switch {
	case !x.isOdd(t):
		return v
	case v.IsConst():
		return x.constForm(v, true)
	case x.forms[v].sign != ir.None:
		return x.forms[v].sign
	}
	var n ir.Value
	r, bits := x.registerType(t), x.M.IntBits(t)
	shared := x.atDefinition(v, func() {
		if x.isKept(v) {
			n = x.Make(ir.OpSExt, r, v)
			return
		}
		n = x.plainOf(v)
		if w := x.M.IntBits(r); analysis.SignBits(x.f, n) <= w-bits {
			plain := n
			n = x.extendSign(n, t, uint64(w-bits))
			x.masks = append(x.masks, madeForm{n, plain, bits})
		}
	})
	if shared {
		x.forms[v].sign = n
	}
	return n
}

// extendSign derives the sign form from a plain form: by one conversion if the
// type has instructions for it, else by shifting up and down.
func (x *intPromoter) extendSign(v ir.Value, t ir.Type, up uint64) ir.Value {
	if t == ir.I8 || t == ir.I16 {
		return x.FoldCast(ir.OpSExt, x.FoldCast(ir.OpTrunc, v, t), x.f.TypeOf(v))
	}
	return x.Shift(ir.OpAShr, x.Shift(ir.OpShl, v, up), up)
}

// isZero and isSign report whether a form is free.
func (x *intPromoter) isZero(v ir.Value) bool {
	if v.IsConst() || x.isKept(v) || x.forms[v].zero != ir.None {
		return true
	}
	return x.clearAbove(x.plainOf(v), uint(x.M.IntBits(x.f.TypeOf(v))))
}

func (x *intPromoter) isSign(v ir.Value) bool {
	if v.IsConst() || x.isKept(v) || x.forms[v].sign != ir.None {
		return true
	}
	p := x.plainOf(v)
	return analysis.SignBits(x.f, p) > x.M.IntBits(x.f.TypeOf(p))-x.M.IntBits(x.f.TypeOf(v))
}

// fillPhis adds the incoming values of the new phis.
func (x *intPromoter) fillPhis() {
	f := x.f
	for _, v := range x.phis {
		for i := range f.NumIncoming(v) {
			in, b := f.Incoming(v, i)
			x.Before(f.Terminator(b))
			p := x.plainOf(in)
			f.AddIncoming(x.forms[v].plain, p, b)
		}
	}
}
