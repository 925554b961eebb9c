package text

import (
	"math"
	"math/big"
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// typed prints T v.
func (w *printer) typed(v ir.Value) {
	w.typ(w.typeOf(v))
	w.byte(' ')
	w.value(v)
}

// typeOf returns the type of a value of the module or of the current function.
func (w *printer) typeOf(v ir.Value) ir.Type {
	if v.IsConst() {
		return w.m.TypeOfConst(v)
	}
	return w.f.TypeOf(v)
}

// value prints a value without its type.
func (w *printer) value(v ir.Value) {
	switch {
	case v == ir.None:
		w.str("<null operand!>")
	case v.IsConst():
		w.constant(v)
	case v.IsMetadata():
		w.metadata(v.Metadata())
	case v.IsLocal() && w.f.Op(v) == ir.OpLocalMetadata:
		w.localMetadata(v)
	default:
		w.out = w.local.append(w.out, v)
	}
}

// constant prints a constant without its type.
func (w *printer) constant(v ir.Value) {
	m := w.m
	c := m.Const(v)
	switch c.Kind {
	case ir.ConstInt:
		w.intConst(v, c.Type)
	case ir.ConstFloat:
		w.out = appendFloat(w.out, c.Type, c.Bits())
	case ir.ConstWide:
		w.wideConst(v, c.Type)
	case ir.ConstZero:
		switch k := m.Kind(c.Type); k {
		case ir.KindPtr:
			w.str("null")
		case ir.KindToken:
			w.str("none")
		default:
			w.str("zeroinitializer")
		}
	case ir.ConstUndef:
		w.str("undef")
	case ir.ConstPoison:
		w.str("poison")
	case ir.ConstData, ir.ConstAggregate:
		w.aggregate(v, c)
	case ir.ConstExpr:
		w.expr(v, c)
	case ir.ConstGlobal:
		w.globalName(m.ConstGlobal(v))
	case ir.ConstAsm:
		w.inlineAsm(m.Asm(v))
	default:
		w.reference(v, c)
	}
}

// reference prints a constant that refers to a global with special syntax.
func (w *printer) reference(v ir.Value, c ir.Const) {
	ops := w.m.ConstOperands(v)
	switch c.Kind {
	case ir.ConstBlockAddress:
		w.str("blockaddress(")
		w.value(ops[0])
		w.str(", ")
		w.blockOf(w.m.ConstGlobal(ops[0]).Func, w.m.ConstBlock(v))
		w.byte(')')
	case ir.ConstDSOLocalEquivalent:
		w.str("dso_local_equivalent ")
		w.value(ops[0])
	case ir.ConstNoCFI:
		w.str("no_cfi ")
		w.value(ops[0])
	case ir.ConstPtrAuth:
		w.ptrAuth(ops)
	default:
		w.str("<placeholder or erroneous Constant>")
	}
}

// blockOf prints a block of a function, which may be the current one.
func (w *printer) blockOf(f *ir.Function, b ir.Block) {
	if w.f == f {
		w.out = w.local.append(w.out, b.Value())
		return
	}
	w.out = newNumbering(f).append(w.out, b.Value())
}

// ptrAuth prints ptrauth without trailing default operands.
func (w *printer) ptrAuth(ops []ir.Value) {
	w.str("ptrauth (")
	n := len(ops)
	for n > 2 && w.m.IsZero(ops[n-1]) {
		n--
	}
	for i, o := range ops[:n] {
		if i > 0 {
			w.str(", ")
		}
		w.typed(o)
	}
	w.byte(')')
}

func (w *printer) intConst(v ir.Value, t ir.Type) {
	x, _ := w.m.SignedValue(v)
	if t == ir.I1 {
		w.str([...]string{"false", "true"}[x&1])
		return
	}
	w.out = strconv.AppendInt(w.out, x, 10)
}

// wideConst prints an integer or floating-point number of more than 64 bits.
func (w *printer) wideConst(v ir.Value, t ir.Type) {
	words := w.m.Words(v)
	switch t {
	case ir.X86FP80:
		w.str("0xK")
		w.hex(words[1], 4)
		w.hex(words[0], 16)
	case ir.FP128, ir.PPCFP128:
		w.str(map[ir.Type]string{ir.FP128: "0xL", ir.PPCFP128: "0xM"}[t])
		w.hex(words[0], 16)
		w.hex(words[1], 16)
	default:
		n := new(big.Int)
		for i := len(words) - 1; i >= 0; i-- {
			n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(words[i]))
		}
		w.out = signed(n, w.m.IntBits(t)).Append(w.out, 10)
	}
}

// hex prints a number with the given count of hexadecimal digits.
func (w *printer) hex(n uint64, digits int) {
	for i := digits - 1; i >= 0; i-- {
		w.byte(upperHex[n>>(4*i)&15])
	}
}

// appendFloat appends a half, bfloat, float or double. A float or double is
// decimal if six digits represent it exactly, otherwise the bits of a double.
func appendFloat(out []byte, t ir.Type, bits uint64) []byte {
	if t == ir.Half || t == ir.BFloat {
		out = append(out, "0xH"...)
		if t == ir.BFloat {
			out[len(out)-1] = 'R'
		}
		for i := 3; i >= 0; i-- {
			out = append(out, upperHex[bits>>(4*i)&15])
		}
		return out
	}
	if t == ir.Float {
		bits = widen(uint32(bits))
	}
	x := math.Float64frombits(bits)
	if !math.IsInf(x, 0) && !math.IsNaN(x) {
		at := len(out)
		out = strconv.AppendFloat(out, x, 'e', 5, 64)
		if y, err := strconv.ParseFloat(str(out[at:]), 64); err == nil && y == x {
			return padFraction(out, at)
		}
		out = out[:at]
	}
	out = append(out, "0x"...)
	at := len(out)
	out = strconv.AppendUint(out, bits, 16)
	for i := at; i < len(out); i++ {
		if out[i] >= 'a' {
			out[i] -= 'a' - 'A'
		}
	}
	return out
}

// padFraction inserts the sixth fractional digit, a zero, before the exponent
// of the number at offset at.
func padFraction(out []byte, at int) []byte {
	out = append(out, 0)
	i := len(out) - 1
	for ; out[i-1] != 'e'; i-- {
		out[i] = out[i-1]
	}
	out[i], out[i-1] = 'e', '0'
	_ = at
	return out
}

// aggregate prints an array, vector or struct.
func (w *printer) aggregate(v ir.Value, c ir.Const) {
	info := w.m.TypeInfo(c.Type)
	if info.Kind == ir.KindStruct {
		w.structConst(v, info)
		return
	}
	if info.Kind == ir.KindVector {
		if s := w.m.SplatValue(v); s != ir.None && info.N > 0 && splatIsPrinted(w.m, s) {
			w.str("splat (")
			w.typed(s)
			w.byte(')')
			return
		}
	}
	data := w.m.ConstBytes(v)
	if data != nil && info.Kind == ir.KindArray && info.Elem == ir.I8 {
		w.str("c\"")
		w.out = appendEscaped(w.out, data)
		w.byte('"')
		return
	}
	brackets := "[]"
	if info.Kind == ir.KindVector {
		brackets = "<>"
	}
	w.byte(brackets[0])
	if data != nil {
		w.dataElements(data, info)
	} else {
		for i, e := range w.m.ConstOperands(v) {
			if i > 0 {
				w.str(", ")
			}
			w.typ(info.Elem)
			w.byte(' ')
			w.value(e)
		}
	}
	w.byte(brackets[1])
}

// splatIsPrinted reports whether LLVM prints a vector of equal elements as a
// splat, which it does for numbers.
func splatIsPrinted(m *ir.Module, elem ir.Value) bool {
	switch m.ConstKindOf(elem) {
	case ir.ConstInt, ir.ConstFloat, ir.ConstWide:
		return true
	}
	return false
}

// dataElements prints the elements of constant data.
func (w *printer) dataElements(data []byte, info *ir.TypeInfo) {
	size := len(data) / int(info.N)
	for i := 0; i < len(data); i += size {
		if i > 0 {
			w.str(", ")
		}
		w.typ(info.Elem)
		w.byte(' ')
		bits := uint64(0)
		for j := size - 1; j >= 0; j-- {
			bits = bits<<8 | uint64(data[i+j])
		}
		if w.m.IsFloat(info.Elem) {
			w.out = appendFloat(w.out, info.Elem, bits)
		} else {
			shift := 64 - 8*size
			w.out = strconv.AppendInt(w.out, int64(bits<<shift)>>shift, 10)
		}
	}
}

func (w *printer) structConst(v ir.Value, info *ir.TypeInfo) {
	if info.Packed {
		w.byte('<')
	}
	w.str("{ ")
	for i, e := range w.m.ConstOperands(v) {
		if i > 0 {
			w.str(", ")
		}
		w.typed(e)
	}
	w.str(" }")
	if info.Packed {
		w.byte('>')
	}
}

// expr prints a constant expression.
func (w *printer) expr(v ir.Value, c ir.Const) {
	w.str(c.Op.String())
	ops := w.m.ConstOperands(v)
	if c.Op == ir.OpGetElementPtr {
		source, flags, list, from, to := w.m.GEPExpr(v)
		w.flags(c.Op, flags)
		if from != ir.None {
			w.str(" inrange(")
			w.value(from)
			w.str(", ")
			w.value(to)
			w.byte(')')
		}
		w.str(" (")
		w.typ(source)
		w.str(", ")
		ops = list
	} else {
		w.flags(c.Op, c.Flags)
		if c.Op == ir.OpICmp || c.Op == ir.OpFCmp {
			w.str(" " + w.m.ExprPred(v).String())
		}
		w.str(" (")
	}
	for i, o := range ops {
		if i > 0 {
			w.str(", ")
		}
		w.typed(o)
	}
	if c.Op.IsCast() {
		w.str(" to ")
		w.typ(c.Type)
	}
	w.byte(')')
}

func (w *printer) inlineAsm(a *ir.InlineAsm) {
	w.str("asm ")
	for _, f := range [...]struct {
		on   bool
		word string
	}{{a.SideEffect, "sideeffect "}, {a.AlignStack, "alignstack "}, {a.IntelDialect, "inteldialect "}, {a.CanThrow, "unwind "}} {
		if f.on {
			w.str(f.word)
		}
	}
	w.quoted(a.Asm)
	w.str(", ")
	w.quoted(a.Constraints)
}

// flagWords lists the flags in printing order. Fast-math flags precede them.
var flagWords = [...]struct {
	bit  ir.Flags
	word string
}{
	{ir.InBounds, " inbounds"}, {ir.NUSW, " nusw"}, {ir.NUW, " nuw"}, {ir.NSW, " nsw"}, {ir.Exact, " exact"},
	{ir.Disjoint, " disjoint"}, {ir.NNeg, " nneg"}, {ir.SameSign, " samesign"},
}

// flags prints the flags of an operation.
func (w *printer) flags(op ir.Op, f ir.Flags) {
	if f == 0 {
		return
	}
	if fast := f & ir.FastMath; fast == ir.FastMath {
		w.str(" fast")
	} else if fast != 0 {
		for i, word := range ir.FastMathNames {
			if fast>>i&1 != 0 {
				w.str(" " + word)
			}
		}
	}
	if op == ir.OpGetElementPtr && f&ir.InBounds != 0 {
		f &^= ir.NUSW
	}
	for _, row := range flagWords {
		if f&row.bit != 0 {
			w.str(row.word)
		}
	}
}
