package prepare

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// wideOps holds the functions that expand instructions; they return false if
// they cannot.
var wideOps = [ir.NumOps]func(x *intExpander, v ir.Value) bool{
	ir.OpAdd: wideArith, ir.OpSub: wideArith, ir.OpMul: wideArith,
	ir.OpAnd: wideArith, ir.OpOr: wideArith, ir.OpXor: wideArith,
	ir.OpShl: wideArith, ir.OpLShr: wideArith, ir.OpAShr: wideArith,
	ir.OpICmp: wideCompare, ir.OpSelect: wideSelect, ir.OpFreeze: wideFreeze,
	ir.OpTrunc: wideCast, ir.OpZExt: wideCast, ir.OpSExt: wideCast,
	ir.OpFPToUI: wideFromFloat, ir.OpFPToSI: wideFromFloat, ir.OpUIToFP: wideToFloat, ir.OpSIToFP: wideToFloat,
	ir.OpPtrToInt: widePtrToInt, ir.OpPtrToAddr: widePtrToInt, ir.OpIntToPtr: wideIntToPtr,
	ir.OpBitCast: wideBitCast, ir.OpLoad: wideLoad, ir.OpStore: wideStore, ir.OpGetElementPtr: wideGEP,
	ir.OpExtractValue: wideExtractValue, ir.OpInsertValue: wideInsertValue,
	ir.OpExtractElement: wideExtractElement, ir.OpInsertElement: wideInsertElement, ir.OpShuffleVector: wideShuffle,
	ir.OpCall: wideCall, ir.OpRet: wideRet, ir.OpFNeg: wideFNeg, ir.OpFPTrunc: wideFPTrunc,
}

// i64 returns an i64 constant.
func (x *intExpander) i64(n uint64) ir.Value { return x.M.NewInt(ir.I64, n) }

// bool64 extends an i1 to i64.
func (x *intExpander) bool64(c ir.Value) ir.Value { return x.FoldCast(ir.OpZExt, c, ir.I64) }

// scalar returns the width of an integer or long floating-point type or of a
// vector's elements of such a type, the number of parts of each, and the number of elements.
func (x *intExpander) scalar(t ir.Type) (width, n, elems int) {
	elems = 1
	if x.M.IsVector(t) {
		elems = int(x.M.NumElements(t))
	}
	width = x.M.IntBits(x.M.Scalar(t))
	if isLongFloat(x.M.Scalar(t)) {
		width = x.M.ScalarBits(t)
	}
	return width, (width + wordBits - 1) / wordBits, elems
}

// mask clears the bits of the last part above the width.
func (x *intExpander) mask(p []ir.Value, width int) []ir.Value {
	if k := width % wordBits; k != 0 {
		p[len(p)-1] = x.Op(ir.OpAnd, p[len(p)-1], x.i64(1<<k-1))
	}
	return p
}

// topSigned returns the last part with its sign in all bits above the width.
func (x *intExpander) topSigned(p []ir.Value, width int) ir.Value {
	top := p[len(p)-1]
	if k := width % wordBits; k != 0 {
		n := uint64(wordBits - k)
		top = x.Shift(ir.OpAShr, x.Shift(ir.OpShl, top, n), n)
	}
	return top
}

// wideArith expands an operation on two integers, element by element.
func wideArith(x *intExpander, v ir.Value) bool {
	f := x.f
	w, n, elems := x.scalar(f.TypeOf(v))
	a, b := x.parts(f.Operand(v, 0)), x.parts(f.Operand(v, 1))
	out := make([]ir.Value, 0, n*elems)
	for i := range elems {
		out = append(out, x.arith(f.Op(v), a[i*n:(i+1)*n], b[i*n:(i+1)*n], w)...)
	}
	return x.done(v, out)
}

func (x *intExpander) arith(op ir.Op, a, b []ir.Value, width int) []ir.Value {
	switch op {
	case ir.OpAdd:
		out, _ := x.addParts(a, b)
		return x.mask(out, width)
	case ir.OpSub:
		out, _ := x.sub(a, b)
		return x.mask(out, width)
	case ir.OpMul:
		return x.mask(x.mul(a, b, len(a)), width)
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		return x.shiftWide(op, a, b[0], width)
	}
	out := make([]ir.Value, len(a))
	for i := range a {
		out[i] = x.Op(op, a[i], b[i])
	}
	return out
}

// addParts returns the sum of parts and the carry out of the last one, an i1.
func (x *intExpander) addParts(a, b []ir.Value) (out []ir.Value, carry ir.Value) {
	carry = x.M.NewBool(false)
	for i := range a {
		s := x.Op(ir.OpAdd, a[i], b[i])
		c := x.FoldCompare(ir.ICmpULT, s, b[i])
		if i > 0 {
			t := x.Op(ir.OpAdd, s, x.bool64(carry))
			c = x.Op(ir.OpOr, c, x.FoldCompare(ir.ICmpULT, t, s))
			s = t
		}
		out, carry = append(out, s), c
	}
	return out, carry
}

// sub returns the difference of parts and the borrow out of the last one, an
// i1.
func (x *intExpander) sub(a, b []ir.Value) (out []ir.Value, borrow ir.Value) {
	borrow = x.M.NewBool(false)
	for i := range a {
		s := x.Op(ir.OpSub, a[i], b[i])
		c := x.FoldCompare(ir.ICmpULT, a[i], b[i])
		if i > 0 {
			in := x.bool64(borrow)
			c = x.Op(ir.OpOr, c, x.FoldCompare(ir.ICmpULT, s, in))
			s = x.Op(ir.OpSub, s, in)
		}
		out, borrow = append(out, s), c
	}
	return out, borrow
}

// mul returns the n lowest parts of a product.
func (x *intExpander) mul(a, b []ir.Value, n int) []ir.Value {
	out := make([]ir.Value, n)
	for i := range out {
		out[i] = x.i64(0)
	}
	for i, p := range a {
		carry := x.i64(0)
		for j, q := range b {
			if i+j >= n {
				break
			}
			low := x.Op(ir.OpMul, p, q)
			s := x.Op(ir.OpAdd, out[i+j], low)
			over := x.bool64(x.FoldCompare(ir.ICmpULT, s, low))
			t := x.Op(ir.OpAdd, s, carry)
			if i+j+1 < n { // the carry out of the last part is unused
				over = x.Op(ir.OpAdd, over, x.bool64(x.FoldCompare(ir.ICmpULT, t, s)))
				carry = x.Op(ir.OpAdd, x.mulHigh(p, q), over)
			}
			out[i+j] = t
		}
		if at := i + len(b); at < n {
			out[at] = carry
		}
	}
	return out
}

// mulHigh returns the upper half of the product of two parts.
func (x *intExpander) mulHigh(p, q ir.Value) ir.Value {
	for _, v := range [...]ir.Value{p, q} {
		if c, ok := x.M.IntValue(v); ok && c <= 1 {
			return x.i64(0)
		}
	}
	return x.mulHigh64(p, q)
}

// shiftWide shifts by a number of bits less than the width.
func (x *intExpander) shiftWide(op ir.Op, a []ir.Value, by ir.Value, width int) []ir.Value {
	fill := x.i64(0)
	if op == ir.OpAShr {
		a = append([]ir.Value(nil), a...)
		a[len(a)-1] = x.topSigned(a, width)
		fill = x.Shift(ir.OpAShr, a[len(a)-1], wordBits-1)
	}
	c, constant := x.M.IntValue(by)
	if constant {
		c = min(c, uint64(width-1)) // larger amounts are poison
		a = moveParts(a, int(c/wordBits), fill, op == ir.OpShl)
	} else {
		for stage := range bits.Len(uint(len(a) - 1)) {
			bit := x.Op(ir.OpAnd, by, x.i64(wordBits<<stage))
			on := x.FoldCompare(ir.ICmpNE, bit, x.i64(0))
			moved := moveParts(a, 1<<stage, fill, op == ir.OpShl)
			for i := range a {
				moved[i] = x.Choose(on, moved[i], a[i])
			}
			a = moved
		}
	}
	low := x.Op(ir.OpAnd, by, x.i64(wordBits-1))
	if constant {
		low = x.i64(c % wordBits)
	}
	return x.mask(x.shiftBits(op, a, low, fill), width)
}

// moveParts moves parts by a number of positions, up or down.
func moveParts(a []ir.Value, by int, fill ir.Value, up bool) []ir.Value {
	out := make([]ir.Value, len(a))
	for i := range out {
		from := i + by
		if up {
			from = i - by
		}
		out[i] = fill
		if from >= 0 && from < len(a) {
			out[i] = a[from]
		}
	}
	return out
}

// shiftBits shifts parts by less than 64 bits. The bits from the neighbour are
// shifted in two steps, because a shift by 64 is invalid.
func (x *intExpander) shiftBits(op ir.Op, a []ir.Value, by, fill ir.Value) []ir.Value {
	out := make([]ir.Value, len(a))
	if c, ok := x.M.IntValue(by); ok && c == 0 {
		copy(out, a)
		return out
	}
	rest := x.Op(ir.OpXor, by, x.i64(wordBits-1))
	for i := range a {
		if op == ir.OpShl {
			out[i] = x.Op(ir.OpShl, a[i], by)
			if i > 0 {
				out[i] = x.Op(ir.OpOr, out[i], x.Op(ir.OpLShr, x.Shift(ir.OpLShr, a[i-1], 1), rest))
			}
			continue
		}
		out[i] = x.Op(ir.OpLShr, a[i], by)
		next := fill
		if i+1 < len(a) {
			next = a[i+1]
		}
		out[i] = x.Op(ir.OpOr, out[i], x.Op(ir.OpShl, x.Op(ir.OpShl, next, x.i64(1)), rest))
	}
	return out
}

func wideCompare(x *intExpander, v ir.Value) bool {
	f := x.f
	t := f.TypeOf(f.Operand(v, 0))
	w, n, elems := x.scalar(t)
	if w == 0 {
		return false
	}
	a, b := x.parts(f.Operand(v, 0)), x.parts(f.Operand(v, 1))
	out := make([]ir.Value, 0, elems)
	for i := range elems {
		out = append(out, x.compareWide(f.Pred(v), a[i*n:(i+1)*n], b[i*n:(i+1)*n], w))
	}
	return x.done(v, out)
}

// compareWide compares two integers.
func (x *intExpander) compareWide(p ir.Pred, a, b []ir.Value, width int) ir.Value {
	if p.IsEquality() {
		diff := x.i64(0)
		for i := range a {
			diff = x.Op(ir.OpOr, diff, x.Op(ir.OpXor, a[i], b[i]))
		}
		return x.FoldCompare(p, diff, x.i64(0))
	}
	signed, inverse := p.IsSigned(), false
	switch p { // reduce to less than
	case ir.ICmpUGT, ir.ICmpSGT:
		a, b = b, a
	case ir.ICmpULE, ir.ICmpSLE:
		a, b, inverse = b, a, true
	case ir.ICmpUGE, ir.ICmpSGE:
		inverse = true
	}
	less := x.M.NewBool(false)
	for i := range a {
		p, q, pred := a[i], b[i], ir.ICmpULT
		if signed && i == len(a)-1 {
			p, q, pred = x.topSigned(a, width), x.topSigned(b, width), ir.ICmpSLT
		}
		less = x.Op(ir.OpOr, x.FoldCompare(pred, p, q), x.Op(ir.OpAnd, x.FoldCompare(ir.ICmpEQ, p, q), less))
	}
	if inverse {
		return x.Op(ir.OpXor, less, x.M.NewBool(true))
	}
	return less
}

func wideSelect(x *intExpander, v ir.Value) bool {
	f := x.f
	cond := f.Operand(v, 0)
	a, b := x.parts(f.Operand(v, 1)), x.parts(f.Operand(v, 2))
	out := make([]ir.Value, len(a))
	_, n, _ := x.scalar(f.TypeOf(v))
	vector := x.M.IsVector(f.TypeOf(cond))
	for i := range a {
		c := cond
		if vector {
			c = x.element(cond, i/n)
		}
		out[i] = x.Choose(c, a[i], b[i])
	}
	return x.done(v, out)
}

// element extracts an element of a vector whose elements are not wide.
func (x *intExpander) element(v ir.Value, i int) ir.Value {
	if v.IsConst() {
		return x.M.ExtractElementConst(v, x.i64(uint64(i)))
	}
	return x.ExtractElement(v, x.i64(uint64(i)))
}

func wideFreeze(x *intExpander, v ir.Value) bool {
	out := make([]ir.Value, 0, 4)
	list := x.leavesOf(x.f.TypeOf(v))
	for i, p := range x.parts(x.f.Operand(v, 0)) {
		if !p.IsConst() || !x.IsPlain(p) || x.M.ConstKindOf(p) != ir.ConstInt {
			p = x.Freeze(p)
			if k := list[i].bits; k%wordBits != 0 {
				p = x.Op(ir.OpAnd, p, x.i64(1<<k-1))
			}
		}
		out = append(out, p)
	}
	return x.done(v, out)
}

// wideCast expands trunc, zext and sext.
func wideCast(x *intExpander, v ir.Value) bool {
	f := x.f
	x0 := f.Operand(v, 0)
	from, nFrom, elems := x.scalar(f.TypeOf(x0))
	to, nTo, _ := x.scalar(f.TypeOf(v))
	t := x.M.Scalar(f.TypeOf(v))
	out := make([]ir.Value, 0, nTo*elems)
	for i := range elems {
		var p []ir.Value
		if x.isWide(f.TypeOf(x0)) {
			p = x.parts(x0)[i*nFrom : (i+1)*nFrom]
		} else if p = []ir.Value{x0}; x.M.IsVector(f.TypeOf(x0)) {
			p[0] = x.element(x0, i)
		}
		if to <= wordBits {
			out = append(out, x.FoldCast(ir.OpTrunc, p[0], t))
			continue
		}
		out = append(out, x.resizeParts(f.Op(v), p, from, to)...)
	}
	return x.done(v, out)
}

// resizeParts converts the parts of an integer from one width to another one
// above 64 bits. The source may be a narrow value of its own type.
func (x *intExpander) resizeParts(op ir.Op, p []ir.Value, from, to int) []ir.Value {
	n := (to + wordBits - 1) / wordBits
	out := make([]ir.Value, n)
	if from < wordBits {
		first := ir.OpZExt
		if op == ir.OpSExt {
			first = ir.OpSExt
		}
		p = []ir.Value{x.FoldCast(first, p[0], ir.I64)}
		from = wordBits
	} else {
		p = append([]ir.Value(nil), p...)
		if op == ir.OpSExt {
			p[len(p)-1] = x.topSigned(p, from)
		}
	}
	fill := x.i64(0)
	if op == ir.OpSExt && n > len(p) {
		fill = x.Shift(ir.OpAShr, p[len(p)-1], wordBits-1)
	}
	for i := range out {
		out[i] = fill
		if i < len(p) {
			out[i] = p[i]
		}
	}
	return x.mask(out, to)
}
