package amdgpu

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// ocpNames are the names of small floats in operations that convert them.
var ocpNames = [...][2]string{
	{"f8E4M3FN", "fp8"}, {"f8E5M2", "bf8"}, {"f6E2M3FN", "fp6"}, {"f6E3M2FN", "bf6"}, {"f4E2M1FN", "fp4"},
}

// ocpName returns the name of a type's elements in operations that convert small floats.
func ocpName(t *mlir.Type) string {
	name := t.ElementOrSelf().String()
	for _, n := range ocpNames {
		if n[0] == name {
			return n[1]
		}
	}
	return name
}

// undef creates an undefined value.
func undef(l *tollvm.Lowering, t *mlir.Type) *mlir.Value { return l.Emit("llvm.mlir.undef", t, nil) }

// zero creates a value whose bits are 0.
func zero(l *tollvm.Lowering, t *mlir.Type) *mlir.Value { return l.Emit("llvm.mlir.zero", t, nil) }

// extract creates llvm.extractelement at a constant position.
func extract(l *tollvm.Lowering, v *mlir.Value, i int64) *mlir.Value {
	return l.Emit("llvm.extractelement", v.Type.Elem, tollvm.Values(v, l.I32(i)))
}

// insert creates llvm.insertelement at a constant position.
func insert(l *tollvm.Lowering, into, v *mlir.Value, i int64) *mlir.Value {
	return l.Emit("llvm.insertelement", into.Type, tollvm.Values(into, v, l.I32(i)))
}

// widened copies the elements of v, a vector or one value, to the start of a longer vector.
func widened(l *tollvm.Lowering, v, into *mlir.Value) *mlir.Value {
	if v.Type.Kind != mlir.VectorKind {
		return insert(l, into, v, 0)
	}
	for i := range v.Type.NumElements() {
		into = insert(l, into, extract(l, v, i), i)
	}
	return into
}

// convertsFloats reports whether a chipset has conversions of 8-bit floats.
func convertsFloats(l *tollvm.Lowering) bool {
	e := l.Context.Edition
	return hasFNUZ(e, l.Chipset) || hasOCP(e, l.Chipset)
}

// choice adds the selection of a part: a constant operand of a width in edition 19, an
// attribute in edition 22.
func choice(l *tollvm.Lowering, operands []*mlir.Value, name string, width int, v int64) ([]*mlir.Value, []mlir.NamedAttr) {
	t := l.Context.Integer(width)
	if edition19(l) {
		return append(operands, l.Int(t, v)), nil
	}
	return operands, []mlir.NamedAttr{tollvm.Named(name, l.Context.IntAttr(t, v))}
}

// extPacked converts the extension of one 8-bit float, or of two, of a word. An operation with floats
// that are not the chipset's stays.
func extPacked(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if !convertsFloats(l) {
		return rewrite.ErrNoMatch
	}
	c := l.Context
	t := o.Operand(0).Type
	kind := smallFloat(l, t)
	v := l.Operand(o, 0)
	switch {
	case kind == "":
		return rewrite.ErrKeep
	case v.Type.Kind == mlir.DialectKind && t.NumElements() < 4:
		return rewrite.ErrNoMatch // a vector of more dimensions
	case t.Kind != mlir.VectorKind || t.NumElements() < 4:
		v = widened(l, v, undef(l, c.Vector(c.Integer(8), 4)))
	}
	operands := tollvm.Values(bitcast(l, v, c.Integer(32)))
	index := intAttr(o, "index")
	op, name, width := "rocdl.cvt.f32."+kind, "byteSel", 32
	if o.Result(0).Type.Kind == mlir.VectorKind {
		op, name, width = "rocdl.cvt.pk.f32."+kind, "wordSel", 1
		index = min(index, 1)
	}
	operands, attrs := choice(l, operands, name, width, index)
	l.Replace(o, l.Emit(op, l.Convert(o.Result(0).Type), operands, attrs...))
	return nil
}

// existing returns the word into which results are put.
func existing(l *tollvm.Lowering, o *mlir.Op) *mlir.Value {
	i32 := l.Context.Integer(32)
	if v := one(o, "existing"); v != nil {
		return bitcast(l, l.Value(v), i32)
	}
	return undef(l, i32)
}

// truncPacked converts the rounding of two floats to two bytes of a word.
func truncPacked(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	kind := smallFloat(l, o.Result(0).Type)
	if kind == "" {
		return rewrite.ErrNoMatch
	}
	a := l.Value(one(o, "sourceA"))
	var b *mlir.Value
	if v := one(o, "sourceB"); v != nil {
		b = l.Value(v)
	} else {
		b = undef(l, a.Type)
	}
	operands, attrs := choice(l, tollvm.Values(a, b, existing(l, o)), "wordSel", 1, intAttr(o, "wordIndex"))
	replaceWord(l, o, "rocdl.cvt.pk."+kind+".f32", operands, attrs)
	return nil
}

// replaceWord replaces an operation by one whose result is a word.
func replaceWord(l *tollvm.Lowering, o *mlir.Op, op string, operands []*mlir.Value, attrs []mlir.NamedAttr) {
	l.Replace(o, bitcast(l, l.Emit(op, l.Context.Integer(32), operands, attrs...), l.Convert(o.Result(0).Type)))
}

// stochRound converts the stochastic rounding of a float to a byte of a word.
func stochRound(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	kind := smallFloat(l, o.Result(0).Type)
	if kind == "" {
		return rewrite.ErrNoMatch
	}
	operands, attrs := choice(l, tollvm.Values(l.Value(one(o, "source")), l.Value(one(o, "stochiasticParam")), existing(l, o)),
		"byteSel", 32, intAttr(o, "storeIndex"))
	replaceWord(l, o, "rocdl.cvt.sr."+kind+".f32", operands, attrs)
	return nil
}

// half returns the selection of a part of a word of small floats: a byte of 4-bit
// floats, or a half.
func half(l *tollvm.Lowering, kind, dir string, index int64) mlir.NamedAttr {
	if kind == "fp4" {
		return number(l, dir+"SelIndex", index)
	}
	return flag(l, dir+"LoHiSel", index != 0)
}

// scaledExt converts the extension of two small floats of a word with a scale.
func scaledExt(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if l.Chipset != gfx950 {
		return rewrite.ErrNoMatch
	}
	c := l.Context
	kind, t := ocpName(o.NamedType("source")), o.Result(0).Type
	full := c.Vector(c.Integer(8), 4)
	if kind == "fp4" {
		full = c.Vector(c.Integer(4), 8)
	}
	v := l.Value(one(o, "source"))
	if v.Type.NumElements() < full.NumElements() {
		v = widened(l, v, zero(l, full))
	}
	l.Replace(o, l.Emit("rocdl.cvt.scalef32.pk."+ocpName(t)+"."+kind, l.Convert(t),
		tollvm.Values(bitcast(l, v, c.Integer(32)), l.Value(one(o, "scale"))), half(l, kind, "src", intAttr(o, "index"))))
	return nil
}

// scaledTrunc converts the rounding of two floats with a scale to a part of a word.
func scaledTrunc(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if l.Chipset != gfx950 {
		return rewrite.ErrNoMatch
	}
	c := l.Context
	source, t := one(o, "source"), o.Result(0).Type
	kind := ocpName(t)
	word := c.Vector(c.Integer(16), 2)
	if kind == "fp4" {
		word = c.Integer(32)
	}
	var old *mlir.Value
	if v := one(o, "existing"); v != nil {
		old = bitcast(l, l.Value(v), word)
	} else {
		old = zero(l, word)
	}
	v := l.Value(source)
	if v.Type.NumElements() < 2 {
		v = widened(l, v, zero(l, c.Vector(v.Type.Elem, 2)))
	}
	operands := tollvm.Values(old, v)
	if v.Type.Elem.String() == "f32" {
		operands = tollvm.Values(old, extract(l, v, 0), extract(l, v, 1))
	}
	l.Replace(o, bitcast(l, l.Emit("rocdl.cvt.scalef32.pk."+kind+"."+ocpName(source.Type), word,
		append(operands, l.Value(one(o, "scale"))), half(l, kind, "dst", intAttr(o, "index"))), l.Convert(t)))
	return nil
}

// scaledExtMatrix converts the extension of 8 or 16 small floats with scales, of which
// a lane is selected.
func scaledExtMatrix(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if l.Chipset != gfx1250 {
		return rewrite.ErrNoMatch
	}
	c := l.Context
	source, t := one(o, "source"), o.Result(0).Type
	n := source.Type.NumElements()
	packed := c.Integer(32)
	if words := n * int64(source.Type.Elem.BitWidth()) / 32; words > 1 {
		packed = c.Vector(packed, words)
	}
	l.Replace(o, l.Emit("rocdl.cvt.scale.pk"+strconv.FormatInt(n, 10)+"."+ocpName(t)+"."+ocpName(source.Type), l.Convert(t),
		tollvm.Values(bitcast(l, l.Value(source), packed), bitcast(l, l.Value(one(o, "scale")), c.Integer(32))),
		number(l, "scaleSel", scaleSelect(source.Type.Elem.BitWidth(), intAttr(o, "blockSize"), intAttr(o, "firstScaleLane"), intAttr(o, "firstScaleByte")))))
	return nil
}

// scaleSelect encodes which scales are used: bit 0 is set for blocks of 16, the last bit for the
// upper half of a wave; between them is the first byte, of which floats of less than
// 8 bits have one bit: byte 2.
func scaleSelect(width int, block, lane, first int64) int64 {
	var sel int64
	if block == 16 {
		sel = 1
	}
	if width == 8 {
		return sel | first<<1 | lane/16<<3
	}
	if first == 2 {
		sel |= 1 << 1
	}
	return sel | lane/16<<2
}
