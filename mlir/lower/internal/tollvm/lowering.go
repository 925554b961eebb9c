package tollvm

import (
	"encoding/binary"
	"errors"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// A Row is the conversion of an operation.
type Row struct {
	Op string // the operation: "arith.addi"
	To string // the operation that replaces it, for functions that serve several rows
	// Run converts the operation: it creates others with the Lowering and ends
	// with Replace or Erase.
	Run func(l *Lowering, o *mlir.Op, to string) error
}

// A Lowering is a conversion to the LLVM dialect while it runs.
type Lowering struct {
	*rewrite.Conversion
	*Types

	// OneOfEach lets Constant create equal constants of a function once, at its start.
	OneOfEach bool

	declared  map[*mlir.Block]*mlir.Op // the last function that was declared in a symbol table
	constants functionConstants
}

// New returns a lowering by the rows of all lists. Of two rows for one operation the
// latter counts, unless it returns rewrite.ErrNoMatch.
func New(c *mlir.Context, o Options, lists ...[]Row) *Lowering {
	l := &Lowering{Conversion: rewrite.NewConversion(c), Types: NewTypes(c, o), declared: map[*mlir.Block]*mlir.Op{}}
	rules := map[string]func(*mlir.Op) error{}
	for _, list := range lists {
		for i := range list {
			row := &list[i]
			former := rules[row.Op]
			rules[row.Op] = func(o *mlir.Op) error {
				err := row.Run(l, o, row.To)
				if former != nil && errors.Is(err, rewrite.ErrNoMatch) {
					return former(o)
				}
				return err
			}
		}
	}
	l.ConvertType = l.Types.Convert
	l.Rule = func(name string) func(*mlir.Op) error { return rules[name] }
	return l
}

// Emit creates an operation with one result.
func (l *Lowering) Emit(name string, t *mlir.Type, operands []*mlir.Value, attrs ...mlir.NamedAttr) *mlir.Value {
	return l.Create(mlir.OpState{Name: name, Types: []*mlir.Type{t}, Operands: operands, Attrs: attrs}).Result(0)
}

// EmitVoid creates an operation without results.
func (l *Lowering) EmitVoid(name string, operands []*mlir.Value, attrs ...mlir.NamedAttr) *mlir.Op {
	return l.Create(mlir.OpState{Name: name, Operands: operands, Attrs: attrs})
}

// Values is the list of its arguments.
func Values(list ...*mlir.Value) []*mlir.Value { return list }

// Named returns an attribute with a name.
func Named(name string, a *mlir.Attr) mlir.NamedAttr { return mlir.NamedAttr{Name: name, Attr: a} }

// Binary creates an operation of two operands whose result has the type of the first.
func (l *Lowering) Binary(name string, x, y *mlir.Value, attrs ...mlir.NamedAttr) *mlir.Value {
	return l.Emit(name, x.Type, []*mlir.Value{x, y}, attrs...)
}

// Constant creates a constant of a type from an attribute.
func (l *Lowering) Constant(t *mlir.Type, a *mlir.Attr) *mlir.Value {
	if l.OneOfEach {
		if entry := entryOf(l.Block()); entry != nil {
			return l.constants.get(l.Context, entry, t, a)
		}
	}
	return l.Emit("llvm.mlir.constant", t, nil, Named("value", a))
}

// Int creates a constant of an integer type.
func (l *Lowering) Int(t *mlir.Type, v int64) *mlir.Value {
	return l.Constant(t, l.Context.IntAttr(t, v))
}

// I32 creates a constant of type i32.
func (l *Lowering) I32(v int64) *mlir.Value { return l.Int(l.Context.Integer(32), v) }

// IndexInt creates a constant of the type that replaces index.
func (l *Lowering) IndexInt(v int64) *mlir.Value {
	return l.Constant(l.Index(), l.Context.IndexAttr(v))
}

// Splat creates a constant of an integer type, or a vector whose elements all are.
func (l *Lowering) Splat(t *mlir.Type, v int64) *mlir.Value {
	if t.Kind != mlir.VectorKind {
		return l.Int(t, v)
	}
	one := l.Context.DenseInts(t.Elem, []int64{v})
	return l.Constant(t, l.Context.DenseElements(t, one.Raw, true))
}

// SplatFloat creates a constant of a float type, or a vector whose elements all are.
func (l *Lowering) SplatFloat(t *mlir.Type, v float64) *mlir.Value {
	return l.Constant(t, FloatAttr(l.Context, t, v))
}

// FloatAttr returns the attribute of a number in a float type, or of elements that
// all are the number, of a vector or tensor type.
func FloatAttr(c *mlir.Context, t *mlir.Type, v float64) *mlir.Attr {
	a := c.FloatAttr(t.ElementOrSelf(), v)
	if !t.IsShaped() {
		return a
	}
	raw := make([]byte, 16)
	binary.LittleEndian.PutUint64(raw, a.Bits[0])
	binary.LittleEndian.PutUint64(raw[8:], a.Bits[1])
	return c.DenseElements(t, raw[:(a.Type.Float.Bits+7)/8], true)
}

// Poison creates a value of a type that is any value: poison, and undef in edition 19.
func (l *Lowering) Poison(t *mlir.Type) *mlir.Value {
	if l.Context.Edition == mlir.Edition19 {
		return l.Emit("llvm.mlir.undef", t, nil)
	}
	return l.Emit("llvm.mlir.poison", t, nil)
}

// Extract creates llvm.extractvalue: the member of a structure or array at a position.
func (l *Lowering) Extract(v *mlir.Value, t *mlir.Type, position ...int64) *mlir.Value {
	return l.Emit("llvm.extractvalue", t, Values(v), Named("position", l.Context.DenseI64Array(position...)))
}

// Insert creates llvm.insertvalue: into, with a member replaced by v.
func (l *Lowering) Insert(into, v *mlir.Value, position ...int64) *mlir.Value {
	return l.Emit("llvm.insertvalue", into.Type, Values(into, v), Named("position", l.Context.DenseI64Array(position...)))
}

// A WrapFlag selects the guarantees of an address computation.
type WrapFlag uint8

// The guarantees of address computations. Edition 19 prints none but inbounds.
const (
	MayWrap     WrapFlag = 0
	Inbounds    WrapFlag = 3 // with the bit of nusw
	InboundsNUW WrapFlag = 7
)

// DynamicIndex is the constant index for which GEP takes the next dynamic one.
const DynamicIndex = -1 << 31

// GEP creates llvm.getelementptr with constant indices, of which those that are
// DynamicIndex are the values in dynamic.
func (l *Lowering) GEP(ptr *mlir.Value, elem *mlir.Type, flags WrapFlag, constants []int64, dynamic ...*mlir.Value) *mlir.Value {
	attrs := []mlir.NamedAttr{
		Named("elem_type", l.Context.TypeAttr(elem)),
		Named("rawConstantIndices", l.Context.DenseI32Array(constants...)),
	}
	switch {
	case l.Context.Edition != mlir.Edition19:
		attrs = append(attrs, Named("noWrapFlags", l.Context.I32Attr(int64(flags))))
	case flags == Inbounds:
		attrs = append(attrs, Named("inbounds", l.Context.Unit()))
	}
	return l.Emit("llvm.getelementptr", ptr.Type, append(Values(ptr), dynamic...), attrs...)
}

// GEPBy creates llvm.getelementptr that advances ptr by a number of elements.
func (l *Lowering) GEPBy(ptr *mlir.Value, elem *mlir.Type, flags WrapFlag, by *mlir.Value) *mlir.Value {
	return l.GEP(ptr, elem, flags, []int64{DynamicIndex}, by)
}
