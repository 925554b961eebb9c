package amdgpu

import (
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// packed returns a matrix as the operand of an operation: vectors of up to eight
// bytes (maxInt) are one integer, longer ones vectors of words; bf16 is i16 unless
// the operation takes it.
func packed(l *tollvm.Lowering, v *mlir.Value, bf16 bool, maxInt int64) *mlir.Value {
	c, t := l.Context, v.Type
	if t.Kind != mlir.VectorKind {
		return v
	}
	n := t.NumElements()
	switch elem := t.Elem; {
	case elem.String() == "bf16" && !bf16:
		return bitcast(l, v, c.Vector(c.Integer(16), n))
	case elem.IsInteger(8) && n <= maxInt:
		return bitcast(l, v, c.Integer(int(8*n)))
	case elem.Kind == mlir.IntegerKind && elem.Width <= 8:
		return bitcast(l, v, c.Vector(c.Integer(32), (n*int64(elem.Width)+31)/32))
	}
	return v
}

// maxPacked is the number of bytes that MFMA takes as one integer.
const maxPacked = 8

// mfma converts a product of matrices of gfx9.
func mfma(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if generations(l)&anyMFMA == 0 {
		return mlir.OpErrorf("MFMA only supported on gfx908+")
	}
	blgp, err := blockFlags(l, o)
	if err != nil {
		return err
	}
	want := wanted(l, o)
	want.blocks = intAttr(o, "blocks")
	op := mfmaOp(l, o, want)
	if op == "" {
		return scaleless(l, o, want, blgp)
	}
	bf16 := strings.HasSuffix(op, ".bf16")
	l.Replace(o, l.Emit("rocdl."+op, l.Convert(o.Result(0).Type), tollvm.Values(
		packed(l, l.Operand(o, 0), bf16, maxPacked), packed(l, l.Operand(o, 1), bf16, maxPacked), l.Operand(o, 2),
		l.I32(intAttr(o, "cbsz")), l.I32(intAttr(o, "abid")), l.I32(blgp))))
	return nil
}

// mfmaOp returns the operation for a product, or "".
func mfmaOp(l *tollvm.Lowering, o *mlir.Op, want product) string {
	if edition19(l) && (want.a == "i32" || want.a == "i64") {
		want.a, want.b = "i8", "i8" // bytes in one integer
	}
	if o.Attr("reducePrecision") != nil {
		if op := findProduct(xf32Rows, want); op != "" {
			return op
		}
	}
	return findProduct(mfmaRows, want)
}

// blockFlags returns the permutation of B, or for f64 which matrices are negated.
func blockFlags(l *tollvm.Lowering, o *mlir.Op) (int64, error) {
	flags := o.Attr("blgp").Int
	negated := false
	for i, name := range [...]string{"negateA", "negateB", "negateC"} {
		if o.Attr(name) != nil {
			negated = true
			flags |= 1 << i
		}
	}
	if negated && generations(l)&since940 == 0 {
		if edition19(l) {
			return 0, mlir.OpErrorf("negation unsupported on older than gfx840")
		}
		return 0, mlir.OpErrorf("negation unsupported on older than gfx942")
	}
	return flags, nil
}

// scaleless converts a product that only exists with scales, with scales of 1.
func scaleless(l *tollvm.Lowering, o *mlir.Op, want product, blgp int64) error {
	a, b := smallFormat(o.NamedType("sourceA")), smallFormat(o.NamedType("sourceB"))
	want.a, want.b = "", ""
	op := findProduct(scaledRows, want)
	if op == "" || a < 0 || b < 0 {
		return mlir.OpErrorf("no intrinsic matching MFMA size on given chipset")
	}
	if intAttr(o, "abid") > 0 || blgp > 0 || intAttr(o, "cbsz") > 0 {
		return mlir.OpErrorf("non-default abid, blgp, and cbsz aren't supported on MFMAs that can be scaled as those fields are used for type information")
	}
	zero := l.I32(0)
	l.Replace(o, l.Emit("rocdl."+op, l.Convert(o.Result(0).Type), tollvm.Values(
		packed(l, l.Operand(o, 0), true, maxPacked), packed(l, l.Operand(o, 1), true, maxPacked), l.Operand(o, 2),
		l.I32(a), l.I32(b), zero, zero, zero, zero)))
	return nil
}

// scaledMFMA converts a product of small floats with scales of gfx950.
func scaledMFMA(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	want := wanted(l, o)
	if want.on&since950 == 0 {
		return mlir.OpErrorf("scaled MFMA only supported on gfx908+")
	}
	a, b := smallFormat(o.NamedType("sourceA")), smallFormat(o.NamedType("sourceB"))
	want.a, want.b = "", ""
	op := findProduct(scaledRows, want)
	if op == "" {
		return mlir.OpErrorf("no intrinsic matching scaled MFMA size on given chipset")
	}
	l.Replace(o, l.Emit("rocdl."+op, l.Convert(o.Result(0).Type), tollvm.Values(
		packed(l, l.Value(one(o, "sourceA")), true, maxPacked), packed(l, l.Value(one(o, "sourceB")), true, maxPacked),
		l.Value(one(o, "destC")), l.I32(a), l.I32(b),
		l.I32(intAttr(o, "scalesIdxA")), scale(l, one(o, "scalesA")),
		l.I32(intAttr(o, "scalesIdxB")), scale(l, one(o, "scalesB")))))
	return nil
}

// scale returns scales as one integer: a byte is extended.
func scale(l *tollvm.Lowering, v *mlir.Value) *mlir.Value {
	v = l.Value(v)
	if v.Type.Kind == mlir.IntegerKind {
		return resized(l, v, 32)
	}
	return bitcast(l, v, l.Context.Integer(int(8*v.Type.NumElements())))
}

// sparseMFMA converts a product with a matrix of which half is stored.
func sparseMFMA(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	want := wanted(l, o)
	if want.on&since940 == 0 {
		return mlir.OpErrorf("sparse MFMA (smfmac) only supported on gfx942+")
	}
	op := findProduct(sparseRows, want)
	if op == "" {
		return mlir.OpErrorf("no intrinsic matching sparse MFMA on the given chipset")
	}
	bf16 := want.on&since950 != 0 && op != "smfmac.f32.16x16x32.bf16" && op != "smfmac.f32.32x32x16.bf16"
	l.Replace(o, l.Emit("rocdl."+op, l.Convert(o.Result(0).Type), tollvm.Values(
		packed(l, l.Value(one(o, "sourceA")), bf16, 0), packed(l, l.Value(one(o, "sourceB")), bf16, 0), l.Value(one(o, "destC")),
		bitcast(l, l.Value(one(o, "sparseIdx")), l.Context.Integer(32)), l.I32(intAttr(o, "cbsz")), l.I32(intAttr(o, "abid")))))
	return nil
}

// wmma converts a product of matrices of gfx11 and gfx12.
func wmma(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	c := l.Chipset
	if c.Major != 11 && c.Major != 12 {
		if edition19(l) {
			return mlir.OpErrorf("WMMA only supported on gfx11")
		}
		return mlir.OpErrorf("WMMA only supported on gfx11 and gfx12")
	}
	want := wanted(l, o)
	if edition19(l) {
		want.m, want.n, want.k = 16, 16, 16
	}
	op := findProduct(wmmaRows, want)
	if op == "" {
		return mlir.OpErrorf("no intrinsic matching WMMA on the given chipset")
	}
	if c.Major >= 12 && !edition19(l) && intAttr(o, "subwordOffset") != 0 {
		return mlir.OpErrorf("subwordOffset not supported on gfx12+")
	}
	w := wmmaOperands{l: l}
	w.input(o, "A")
	w.input(o, "B")
	w.output(o)
	t := l.Convert(o.Result(0).Type)
	to := t
	if w.narrow(t) {
		to = l.Context.Vector(l.Context.Integer(16), t.NumElements())
	}
	l.Replace(o, bitcast(l, l.Emit("rocdl."+op, to, w.operands, w.attrs...), t))
	return nil
}

// wmmaOperands collects the operands of a WMMA operation, and its switches, which
// are operands in edition 19 and attributes in edition 22.
type wmmaOperands struct {
	l        *tollvm.Lowering
	operands []*mlir.Value
	attrs    []mlir.NamedAttr
}

// option adds a switch.
func (w *wmmaOperands) option(name string, v bool) {
	if edition19(w.l) {
		w.operands = append(w.operands, w.l.Constant(w.l.Context.Integer(1), w.l.Context.Bool(v)))
		return
	}
	w.attrs = append(w.attrs, flag(w.l, name, v))
}

// narrow reports whether a matrix of bf16 is passed as i16, which is so before gfx1250.
func (w *wmmaOperands) narrow(t *mlir.Type) bool {
	return t.Elem.String() == "bf16" && !w.l.Chipset.AtLeast(gfx1250)
}

// input adds a factor: integers with a switch that is set if they are signed,
// small types in words.
func (w *wmmaOperands) input(o *mlir.Op, name string) {
	l, c := w.l, w.l.Context
	v := one(o, "source"+name)
	in := l.Value(v)
	if v.Type.Elem.Kind == mlir.IntegerKind {
		w.option("sign"+name, o.Attr("unsigned"+name) == nil)
	}
	n := in.Type.NumElements()
	switch bits := n * int64(in.Type.Elem.BitWidth()); {
	case w.narrow(in.Type):
		in = bitcast(l, in, c.Vector(c.Integer(16), n))
	case in.Type.Elem.BitWidth() > 8:
	case bits <= 32:
		in = resized(l, bitcast(l, in, c.Integer(int(bits))), 32)
	default:
		in = bitcast(l, in, c.Vector(c.Integer(32), bits/32))
	}
	w.operands = append(w.operands, in)
}

// output adds the summand, with the half of a word that 16-bit results are in, or
// with the switch for saturation.
func (w *wmmaOperands) output(o *mlir.Op) {
	v := w.l.Value(one(o, "destC"))
	if w.narrow(v.Type) {
		v = bitcast(w.l, v, w.l.Context.Vector(w.l.Context.Integer(16), v.Type.NumElements()))
	}
	w.operands = append(w.operands, v)
	switch elem := v.Type.Elem; {
	case elem.BitWidth() == 16:
		w.option("opsel", intAttr(o, "subwordOffset") != 0)
	case elem.IsInteger(32):
		w.option("clamp", o.Attr("clamp") != nil)
	}
}

// scaleFormats are the codes of the formats of scales.
var scaleFormats = [...]string{0: "f8E8M0FNU", 2: "f8E4M3FN"}

func scaleFormat(t *mlir.Type) int64 {
	name := t.ElementOrSelf().String()
	for i, f := range scaleFormats {
		if f == name {
			return int64(i)
		}
	}
	return -1
}

// scaledWMMA converts a product of small floats with scales of gfx1250.
func scaledWMMA(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if !l.Chipset.AtLeast(gfx1250) {
		return mlir.OpErrorf("WMMA scale only supported on gfx1250+")
	}
	a, b := one(o, "scaleA"), one(o, "scaleB")
	if a.Type.NumElements() != b.Type.NumElements() {
		return mlir.OpErrorf("scaleA and scaleB must have equal vector length")
	}
	m, n, k := intAttr(o, "m"), intAttr(o, "n"), intAttr(o, "k")
	scales := [...]string{4: "4", 8: "8"}[a.Type.NumElements()]
	op := findProduct(scaledWMMARows, product{m: m, n: n, k: k, blocks: 1, a: scales, b: scales, c: "f32", on: only1250})
	if op == "" {
		return mlir.OpErrorf("unsupported scaled_wmma dimensions: %dx%dx%d", m, n, k)
	}
	sourceA, sourceB := one(o, "sourceA"), one(o, "sourceB")
	attrs := []mlir.NamedAttr{
		tollvm.Named("modC", l.Context.IntAttr(l.Context.Integer(16), 0)),
		number(l, "scaleAType", intAttr(o, "a_first_scale_lane")/16), number(l, "fmtScaleA", scaleFormat(a.Type)),
		number(l, "scaleBType", intAttr(o, "b_first_scale_lane")/16), number(l, "fmtScaleB", scaleFormat(b.Type)),
		flag(l, "reuseA", false), flag(l, "reuseB", false),
	}
	if m == 16 {
		attrs = append(attrs, number(l, "fmtA", smallFormat(sourceA.Type)), number(l, "fmtB", smallFormat(sourceB.Type)))
	}
	l.Replace(o, l.Emit("rocdl."+op, l.Convert(o.Result(0).Type), tollvm.Values(
		packed(l, l.Value(sourceA), true, maxPacked), packed(l, l.Value(sourceB), true, maxPacked), l.Value(one(o, "destC")),
		scale(l, a), scale(l, b)), attrs...))
	return nil
}
