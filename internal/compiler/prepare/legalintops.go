package prepare

import "github.com/gfx-toolchain/gfx/ir"

// promoteFunc promotes an instruction. It returns false if the instruction is
// kept, with operands and result of their own widths.
type promoteFunc func(x *intPromoter, v ir.Value) bool

// promoteOps holds the functions for operations on odd integers. Operations
// without a function are kept.
var promoteOps = [ir.NumOps]promoteFunc{
	ir.OpAdd: promoteSum, ir.OpSub: promoteSum, ir.OpMul: promoteSum, ir.OpShl: promoteShl,
	ir.OpAnd: promoteBits, ir.OpOr: promoteBits, ir.OpXor: promoteBits,
	ir.OpLShr: promoteUnsigned, ir.OpUDiv: promoteUnsigned, ir.OpURem: promoteUnsigned,
	ir.OpAShr: promoteAShr, ir.OpSDiv: promoteSigned, ir.OpSRem: promoteSigned,
	ir.OpICmp: promoteICmp, ir.OpSelect: promoteSelect, ir.OpPhi: promotePhi, ir.OpFreeze: promoteFreeze,
	ir.OpTrunc: promoteTrunc, ir.OpZExt: promoteExt, ir.OpSExt: promoteExt,
	ir.OpFPToUI: promoteFromFloat, ir.OpFPToSI: promoteFromFloat, ir.OpUIToFP: promoteToFloat, ir.OpSIToFP: promoteToFloat,
	ir.OpPtrToInt: promotePtrToInt, ir.OpPtrToAddr: promotePtrToInt, ir.OpIntToPtr: promoteIntToPtr,
	ir.OpBitCast: promoteBitCast, ir.OpGetElementPtr: promoteGEP, ir.OpAlloca: promoteAlloca,
	ir.OpExtractElement: promoteIndex, ir.OpInsertElement: promoteIndex,
	ir.OpLoad: promoteLoad, ir.OpStore: promoteStore,
}

// flagged creates an operation with flags.
func (x *intPromoter) flagged(op ir.Op, a, b ir.Value, flags ir.Flags) ir.Value {
	n := x.Op(op, a, b)
	if n.IsLocal() && flags != 0 && n != a && n != b {
		x.f.Instr(n).Flags = flags
	}
	return n
}

// promoteSum promotes operations whose low bits depend only on low bits. If the
// flags exclude overflow, operands in one form produce a result in the same
// form.
func promoteSum(x *intPromoter, v ir.Value) bool {
	f := x.f
	op, flags := f.Op(v), f.Instr(v).Flags
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	switch {
	case flags&ir.NUW != 0 && x.isZero(a) && x.isZero(b):
		n := x.flagged(op, x.zeroOf(a), x.zeroOf(b), ir.NUW)
		x.setPlain(v, n)
		x.forms[v].zero = n
	case flags&ir.NSW != 0 && x.isSign(a) && x.isSign(b):
		n := x.flagged(op, x.signOf(a), x.signOf(b), ir.NSW)
		x.setPlain(v, n)
		x.forms[v].sign = n
	default:
		x.setPlain(v, x.Op(op, x.plainOf(a), x.plainOf(b)))
	}
	return true
}

func promoteBits(x *intPromoter, v ir.Value) bool {
	f := x.f
	op := f.Op(v)
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	if op == ir.OpAnd && (a.IsConst() || b.IsConst()) { // also clears the bits above
		if a.IsConst() {
			a, b = b, a
		}
		x.setPlain(v, x.Op(op, x.plainOf(a), x.zeroOf(b)))
		return true
	}
	x.setPlain(v, x.Op(op, x.plainOf(a), x.plainOf(b)))
	return true
}

func promoteShl(x *intPromoter, v ir.Value) bool {
	f := x.f
	x.setPlain(v, x.Op(ir.OpShl, x.plainOf(f.Operand(v, 0)), x.zeroOf(f.Operand(v, 1))))
	return true
}

// division creates a division, which x.op does not support.
func (x *intPromoter) division(op ir.Op, a, b ir.Value, flags ir.Flags) ir.Value {
	n := x.FoldBinary(op, a, b)
	if n.IsLocal() && n != a && n != b {
		x.f.Instr(n).Flags = flags
	}
	return n
}

func promoteUnsigned(x *intPromoter, v ir.Value) bool {
	f := x.f
	n := x.division(f.Op(v), x.zeroOf(f.Operand(v, 0)), x.zeroOf(f.Operand(v, 1)), f.Instr(v).Flags)
	x.setPlain(v, n)
	x.forms[v].zero = n
	return true
}

func promoteSigned(x *intPromoter, v ir.Value) bool {
	f := x.f
	x.setPlain(v, x.division(f.Op(v), x.signOf(f.Operand(v, 0)), x.signOf(f.Operand(v, 1)), f.Instr(v).Flags))
	return true
}

func promoteAShr(x *intPromoter, v ir.Value) bool {
	f := x.f
	n := x.division(ir.OpAShr, x.signOf(f.Operand(v, 0)), x.zeroOf(f.Operand(v, 1)), f.Instr(v).Flags)
	x.setPlain(v, n)
	x.forms[v].sign = n
	return true
}

func promoteICmp(x *intPromoter, v ir.Value) bool {
	f := x.f
	a, b, p := f.Operand(v, 0), f.Operand(v, 1), f.Pred(v)
	form := x.zeroOf
	if p.IsSigned() || p.IsEquality() && x.isSign(a) && x.isSign(b) && !(x.isZero(a) && x.isZero(b)) {
		form = x.signOf
	}
	return x.replace(v, x.FoldCompare(p, form(a), form(b)))
}

func promoteSelect(x *intPromoter, v ir.Value) bool {
	f := x.f
	x.setPlain(v, x.Choose(f.Operand(v, 0), x.plainOf(f.Operand(v, 1)), x.plainOf(f.Operand(v, 2))))
	return true
}

func promotePhi(x *intPromoter, v ir.Value) bool {
	n := x.Phi(x.registerType(x.f.TypeOf(v)))
	x.setPlain(v, n)
	x.phis = append(x.phis, v)
	return true
}

func promoteFreeze(x *intPromoter, v ir.Value) bool {
	x.setPlain(v, x.Freeze(x.plainOf(x.f.Operand(v, 0))))
	return true
}

func promoteTrunc(x *intPromoter, v ir.Value) bool {
	f := x.f
	from := x.plainOf(f.Operand(v, 0))
	t := f.TypeOf(v)
	if !x.isOdd(t) {
		return x.replace(v, x.FoldCast(ir.OpTrunc, from, t))
	}
	if r := x.registerType(t); f.TypeOf(from) != r {
		from = x.FoldCast(ir.OpTrunc, from, r)
	}
	x.setPlain(v, from)
	return true
}

// promoteExt promotes zext and sext, including extensions of i1.
func promoteExt(x *intPromoter, v ir.Value) bool {
	f := x.f
	op, from, t := f.Op(v), f.Operand(v, 0), f.TypeOf(v)
	if op == ir.OpZExt && f.Instr(v).Flags&ir.NNeg != 0 && f.TypeOf(from) != ir.I1 && !x.isZero(from) && x.isSign(from) {
		op = ir.OpSExt
	}
	n := x.zeroOf(from)
	if op == ir.OpSExt {
		n = x.signOf(from)
	}
	r := t
	if x.isOdd(t) {
		r = x.registerType(t)
	}
	n = x.FoldCast(op, n, r)
	if r == t {
		return x.replace(v, n)
	}
	x.setPlain(v, n)
	if op == ir.OpZExt {
		x.forms[v].zero = n
	} else {
		x.forms[v].sign = n
	}
	return true
}

// promoteFromFloat promotes conversions to integers: out-of-range values are
// poison.
func promoteFromFloat(x *intPromoter, v ir.Value) bool {
	f := x.f
	from := f.Operand(v, 0)
	n := x.FoldCast(f.Op(v), from, x.registerType(f.TypeOf(v)))
	x.setPlain(v, n)
	if f.Op(v) == ir.OpFPToUI {
		x.forms[v].zero = n
	} else {
		x.forms[v].sign = n
	}
	return true
}

func promoteToFloat(x *intPromoter, v ir.Value) bool {
	f := x.f
	from := f.Operand(v, 0)
	n := x.zeroOf(from)
	if f.Op(v) == ir.OpSIToFP {
		n = x.signOf(from)
	}
	return x.replace(v, x.FoldCast(f.Op(v), n, f.TypeOf(v)))
}

func promotePtrToInt(x *intPromoter, v ir.Value) bool {
	f := x.f
	p := f.Operand(v, 0)
	t := f.TypeOf(v)
	n := x.resized(x.FoldCast(f.Op(v), p, x.AddressInt(f.TypeOf(p))), x.registerType(t))
	if !x.isOdd(t) {
		return x.replace(v, n)
	}
	x.setPlain(v, n)
	return true
}

func promoteIntToPtr(x *intPromoter, v ir.Value) bool {
	f := x.f
	n := f.Operand(v, 0)
	if x.isOdd(f.TypeOf(n)) {
		n = x.zeroOf(n)
	}
	return x.replace(v, x.FoldCast(ir.OpIntToPtr, x.resized(n, x.AddressInt(f.TypeOf(v))), f.TypeOf(v)))
}

// resized extends an integer with zeros or truncates it.
func (x *intPromoter) resized(n ir.Value, t ir.Type) ir.Value {
	op := ir.OpZExt
	if x.M.IntBits(x.f.TypeOf(n)) > x.M.IntBits(t) {
		op = ir.OpTrunc
	}
	return x.FoldCast(op, n, t)
}

// resizesPtr reports whether an instruction converts between a pointer and an
// integer of another size.
func (x *intPromoter) resizesPtr(v ir.Value) bool {
	f := x.f
	switch p, n := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v); f.Op(v) {
	case ir.OpIntToPtr:
		return x.M.IsInt(p) && x.M.IsPtr(n) && p != x.AddressInt(n) && x.M.IntBits(p) <= wordBits
	case ir.OpPtrToInt, ir.OpPtrToAddr:
		return x.M.IsInt(n) && x.M.IsPtr(p) && n != x.AddressInt(p) && x.M.IntBits(n) <= wordBits
	}
	return false
}

// promoteBitCast keeps bitcasts, except those from a type to itself.
func promoteBitCast(x *intPromoter, v ir.Value) bool {
	f := x.f
	from := f.Operand(v, 0)
	if f.TypeOf(from) != f.TypeOf(v) {
		return false
	}
	x.setPlain(v, x.plainOf(from))
	return true
}

// promoteGEP widens indices.
func promoteGEP(x *intPromoter, v ir.Value) bool {
	f := x.f
	for i, o := range f.Operands(v) {
		t := f.TypeOf(o.Value)
		switch {
		case t == ir.I1:
			f.SetOperand(v, i, x.FoldCast(ir.OpSExt, o.Value, ir.I32))
		case x.isOdd(t):
			f.SetOperand(v, i, x.signOf(o.Value))
		}
	}
	return false
}

func promoteAlloca(x *intPromoter, v ir.Value) bool {
	f := x.f
	n := f.Operand(v, 0)
	if f.TypeOf(n) == ir.I1 {
		f.SetOperand(v, 0, x.FoldCast(ir.OpZExt, n, ir.I32))
	} else {
		f.SetOperand(v, 0, x.zeroOf(n))
	}
	return false
}

// promoteIndex widens the index of an element.
func promoteIndex(x *intPromoter, v ir.Value) bool {
	f := x.f
	last := f.NumOperands(v) - 1
	if index := f.Operand(v, last); x.isOdd(f.TypeOf(index)) {
		f.SetOperand(v, last, x.zeroOf(index))
	}
	return false
}

// boolOps holds the functions for operations that return i1. Arithmetic becomes
// and, or and xor.
var boolOps = [ir.NumOps]promoteFunc{
	ir.OpAdd: boolBits, ir.OpSub: boolBits, ir.OpMul: boolBits,
	ir.OpShl: boolFirst, ir.OpLShr: boolFirst, ir.OpAShr: boolFirst, ir.OpUDiv: boolFirst, ir.OpSDiv: boolFirst,
	ir.OpURem: boolFalse, ir.OpSRem: boolFalse,
	ir.OpFPToUI: boolFromFloat, ir.OpFPToSI: boolFromFloat, ir.OpPtrToInt: boolFromPtr, ir.OpPtrToAddr: boolFromPtr,
	ir.OpLoad: boolLoad,
}

// boolUses holds the functions for operations whose first operand is i1 but
// that are not operations on i1 themselves.
var boolUses = [ir.NumOps]promoteFunc{
	ir.OpICmp: boolICmp, ir.OpIntToPtr: boolToPtr, ir.OpStore: promoteStore,
	ir.OpGetElementPtr: promoteGEP, ir.OpAlloca: promoteAlloca,
}

func boolBits(x *intPromoter, v ir.Value) bool {
	f := x.f
	op := ir.OpXor
	if f.Op(v) == ir.OpMul {
		op = ir.OpAnd
	}
	return x.replace(v, x.Op(op, f.Operand(v, 0), f.Operand(v, 1)))
}

// boolFirst handles operations whose second operand can only be 0 (shifts) or 1
// (divisions).
func boolFirst(x *intPromoter, v ir.Value) bool { return x.replace(v, x.f.Operand(v, 0)) }

func boolFalse(x *intPromoter, v ir.Value) bool { return x.replace(v, x.M.NewBool(false)) }

func boolFromFloat(x *intPromoter, v ir.Value) bool {
	f := x.f
	return x.replace(v, x.FoldCast(ir.OpTrunc, x.FoldCast(f.Op(v), f.Operand(v, 0), ir.I32), ir.I1))
}

func boolFromPtr(x *intPromoter, v ir.Value) bool {
	f := x.f
	p := f.Operand(v, 0)
	return x.replace(v, x.FoldCast(ir.OpTrunc, x.FoldCast(f.Op(v), p, x.AddressInt(f.TypeOf(p))), ir.I1))
}

func boolToPtr(x *intPromoter, v ir.Value) bool {
	f := x.f
	t := f.TypeOf(v)
	return x.replace(v, x.FoldCast(ir.OpIntToPtr, x.FoldCast(ir.OpZExt, f.Operand(v, 0), x.AddressInt(t)), t))
}

// boolICmp compares bits: true is greater than false, or less if the comparison
// is signed.
func boolICmp(x *intPromoter, v ir.Value) bool {
	f := x.f
	a, b, p := f.Operand(v, 0), f.Operand(v, 1), f.Pred(v)
	one := x.M.NewBool(true)
	if p.IsSigned() {
		a, b = b, a
		p = map[ir.Pred]ir.Pred{ir.ICmpSGT: ir.ICmpUGT, ir.ICmpSGE: ir.ICmpUGE, ir.ICmpSLT: ir.ICmpULT, ir.ICmpSLE: ir.ICmpULE}[p]
	}
	if p == ir.ICmpULT || p == ir.ICmpULE {
		a, b, p = b, a, p.Swapped()
	}
	var n ir.Value
	switch p {
	case ir.ICmpEQ:
		n = x.Op(ir.OpXor, x.Op(ir.OpXor, a, b), one)
	case ir.ICmpNE:
		n = x.Op(ir.OpXor, a, b)
	case ir.ICmpUGT:
		n = x.Op(ir.OpAnd, a, x.Op(ir.OpXor, b, one))
	default:
		n = x.Op(ir.OpOr, a, x.Op(ir.OpXor, b, one))
	}
	return x.replace(v, n)
}

// boolLoad loads a byte.
func boolLoad(x *intPromoter, v ir.Value) bool {
	n := x.accessLike(x.Make(ir.OpLoad, ir.I8, x.f.Operand(v, 0)), v, 0)
	return x.replace(v, x.FoldCast(ir.OpTrunc, x.FoldCast(ir.OpZExt, n, ir.I32), ir.I1))
}
