package translate

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// constant returns the constant of a type that an attribute describes.
func (t *translator) constant(u ir.Type, a *mlir.Attr) ir.Value {
	switch a.Kind {
	case mlir.IntegerAttr:
		return t.intConstant(u, a)
	case mlir.FloatAttr:
		return t.floatConstant(u, a)
	case mlir.DenseElementsAttr:
		return t.denseConstant(u, a)
	case mlir.StringAttr:
		if info := t.m.TypeInfo(u); info.Kind == ir.KindArray && info.Elem == ir.I8 && info.N == uint64(len(a.Text)) {
			return t.m.NewString([]byte(a.Text))
		}
	case mlir.ArrayAttr:
		return t.arrayConstant(u, a)
	case mlir.SymbolRefAttr:
		return t.address(a)
	case mlir.DialectAttr, mlir.OpaqueAttr:
		switch mnemonic(a.String()) {
		case "zero":
			return t.zero(u)
		case "undef":
			return t.m.Undef(u)
		case "poison":
			return t.m.Poison(u)
		}
	}
	t.refuse("has the value %s, which is no constant of its type in LLVM IR", a)
	return ir.None
}

func (t *translator) intConstant(u ir.Type, a *mlir.Attr) ir.Value {
	m := t.m
	switch {
	case m.IsIntOrIntVector(u) && a.Big == nil:
		return m.NewSigned(u, a.Int)
	case m.IsInt(u):
		return m.NewWide(u, bigWords(a.Big))
	case m.IsFloatOrFloatVector(u):
		v := m.NewWide(m.Scalar(u), bigWords(a.Integer()))
		if m.IsVector(u) {
			return m.Splat(u, v)
		}
		return v
	}
	t.refuse("has an integer for a type that is none")
	return ir.None
}

func (t *translator) floatConstant(u ir.Type, a *mlir.Attr) ir.Value {
	s := t.m.Scalar(u)
	if t.m.ScalarBits(s) != a.Type.Float.Bits || !t.m.IsFloat(s) && !t.m.IsInt(s) {
		t.refuse("has a floating point constant for a type of another width")
	}
	v := t.m.NewWide(s, a.Bits[:])
	if s != u {
		return t.m.Splat(u, v)
	}
	return v
}

// bigWords returns an integer in two's complement of 4096 bits or more.
func bigWords(n *big.Int) []uint64 {
	words := make([]uint64, max(64, (n.BitLen()+64)/64))
	abs := new(big.Int).Abs(n).Bits()
	for i, w := range abs {
		words[i] = uint64(w)
	}
	if n.Sign() >= 0 {
		return words
	}
	carry := true
	for i := range words {
		words[i] = ^words[i]
		if carry {
			words[i]++
			carry = words[i] == 0
		}
	}
	return words
}

// zero returns the zero of a type that has one.
func (t *translator) zero(u ir.Type) ir.Value {
	if !t.m.IsFirstClass(u) || u == ir.Label || u == ir.MD {
		t.refuse("has a type without a zero value")
	}
	return t.m.Zero(u)
}

// denseConstant distributes the elements of a tensor or vector to nested arrays
// and a vector.
func (t *translator) denseConstant(u ir.Type, a *mlir.Attr) ir.Value {
	if a.Type.NumElements() == 0 && t.isEmpty(u) {
		return t.m.Zero(u)
	}
	if a.Raw == nil || a.Type.Elem.Kind == mlir.ComplexKind {
		t.refuse("has elements that are neither integers nor floats")
	}
	d := denseReader{t: t, a: a, size: len(a.Raw)}
	if n := a.Type.NumElements(); n > 0 && !a.Splat {
		d.size = len(a.Raw) / int(n)
	}
	v := d.value(u)
	if !a.Splat && d.next != a.NumElements() {
		t.refuse("has %d elements for a type with fewer", a.NumElements())
	}
	return v
}

// isEmpty reports whether a type is an array without elements, or one of such arrays.
func (t *translator) isEmpty(u ir.Type) bool {
	info := t.m.TypeInfo(u)
	return info.Kind == ir.KindArray && (info.N == 0 || t.isEmpty(info.Elem))
}

// A denseReader takes elements in order.
type denseReader struct {
	t    *translator
	a    *mlir.Attr
	size int // of an element, in bytes
	next int
}

func (d *denseReader) value(u ir.Type) ir.Value {
	info := d.t.m.TypeInfo(u)
	if info.Kind != ir.KindArray && info.Kind != ir.KindVector {
		return d.scalar(u)
	}
	if d.a.Splat && info.N > 0 {
		return d.t.repeated(u, info.N, d.value(info.Elem))
	}
	if info.N > uint64(d.a.NumElements()) {
		d.t.refuse("has %d elements for a type with more", d.a.NumElements())
	}
	elems := make([]ir.Value, info.N)
	for i := range elems {
		elems[i] = d.value(info.Elem)
	}
	return d.t.m.NewAggregate(u, elems)
}

// maxSplat limits the number of elements of an array that one element fills.
const maxSplat = 1 << 24

// repeated returns an array or vector of n equal elements.
func (t *translator) repeated(u ir.Type, n uint64, elem ir.Value) ir.Value {
	switch {
	case t.m.IsVector(u):
		return t.m.Splat(u, elem)
	case t.m.IsZero(elem):
		return t.m.Zero(u)
	case n > maxSplat:
		t.refuse("has more than %d elements", maxSplat)
	}
	elems := make([]ir.Value, n)
	for i := range elems {
		elems[i] = elem
	}
	return t.m.NewAggregate(u, elems)
}

func (d *denseReader) scalar(u ir.Type) ir.Value {
	m, elem := d.t.m, d.a.Type.Elem
	fits := m.IsInt(u) && elem.IsIntOrIndex() || (m.IsFloat(u) || m.IsInt(u)) && elem.BitWidth() == m.ScalarBits(u)
	if !fits || !d.a.Splat && d.next >= d.a.NumElements() {
		d.t.refuse("has the value %s, which is no constant of its type in LLVM IR", d.a)
	}
	i := d.next
	if d.a.Splat {
		i = 0
	}
	d.next++
	if d.size <= 8 && m.IsInt(u) {
		return m.NewSigned(u, d.a.Element(i))
	}
	words := make([]uint64, (d.size+7)/8)
	for k, b := range d.a.Raw[i*d.size : (i+1)*d.size] {
		words[k/8] |= uint64(b) << (k % 8 * 8)
	}
	return m.NewWide(u, words)
}

// arrayConstant returns a struct or an array whose members are attributes.
func (t *translator) arrayConstant(u ir.Type, a *mlir.Attr) ir.Value {
	info := t.m.TypeInfo(u)
	if !t.m.IsAggregate(u) && info.Kind != ir.KindVector || t.m.NumElements(u) != uint64(len(a.List)) {
		t.refuse("has %d members for a type with %d", len(a.List), t.m.NumElements(u))
	}
	elems := make([]ir.Value, len(a.List))
	for i, e := range a.List {
		elems[i] = t.constant(t.m.ElementType(u, uint64(i)), e)
	}
	return t.m.NewAggregate(u, elems)
}

// address returns the address of a global or function.
func (t *translator) address(a *mlir.Attr) ir.Value { return t.global(a).Value() }

// global returns the global to which a reference points.
func (t *translator) global(a *mlir.Attr) *ir.Global {
	if a == nil || a.Kind != mlir.SymbolRefAttr {
		t.refuse("has no reference to a symbol")
	}
	g := t.m.Global(a.Text)
	if g == nil {
		t.refuse("refers to @%s, which is no function or global of the module", a.Text)
	}
	return g
}

// initializer returns the constant that a region of a global computes.
func (t *translator) initializer(o *mlir.Op) ir.Value {
	b := o.Body(0)
	if b == nil {
		t.refuse("has an initializer of more than one block")
	}
	defer func(outer *mlir.Op) { t.op = outer }(t.op)
	for p := range b.Ops {
		t.op = p
		if p.Name == "llvm.return" {
			return t.operand(p, 0)
		}
		row := t.rows[p.Name]
		if row == nil || row.fold == nil {
			t.refuse("cannot be translated in the initializer of a global")
		}
		v := row.fold(t, p, row)
		if v == ir.None || len(p.Results) != 1 {
			t.refuse("is no constant in LLVM IR")
		}
		t.setValue(p.Results[0], v)
	}
	t.refuse("has an initializer without a result")
	return ir.None
}

func foldBinary(t *translator, o *mlir.Op, row *opRow) ir.Value {
	return t.m.Binary(row.op, t.operand(o, 0), t.operand(o, 1), t.opFlags(o))
}

func foldCast(t *translator, o *mlir.Op, row *opRow) ir.Value {
	return t.m.CastFlags(row.op, t.operand(o, 0), t.theType(o), t.opFlags(o))
}

func foldGEP(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	source, flags := t.gep(o)
	return t.m.GEP(source, flags, t.ops...)
}

func foldInsertValue(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.m.InsertConst(t.operand(o, 0), t.operand(o, 1), t.path(o, t.m.TypeOfConst(t.operand(o, 0))))
}

func foldExtractValue(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.m.ExtractConst(t.operand(o, 0), t.path(o, t.m.TypeOfConst(t.operand(o, 0))))
}

func foldInsertElement(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.m.InsertElementConst(t.operand(o, 0), t.operand(o, 1), t.operand(o, 2))
}

func foldExtractElement(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.m.ExtractElementConst(t.operand(o, 0), t.operand(o, 1))
}
