package control

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// affineOps are the functions that replace operations of dialect affine.
var affineOps = [...]struct {
	name  string
	lower func(b *mlir.Builder, o *mlir.Op) error
}{
	{"affine.apply", affineApply},
	{"affine.min", affineMin},
	{"affine.max", affineMax},
	{"affine.load", affineLoad},
	{"affine.store", affineStore},
	{"affine.vector_load", affineLoad},
	{"affine.vector_store", affineStore},
	{"affine.prefetch", affinePrefetch},
	{"affine.for", affineFor},
	{"affine.if", affineIf},
	{"affine.parallel", affineParallel},
	{"affine.delinearize_index", delinearize},
	{"affine.linearize_index", linearize},
	{"affine.yield", func(*mlir.Builder, *mlir.Op) error { return nil }}, // the operation around it replaces it
}

// accessOps are the operations that access a memref at expanded indices.
var accessOps = [...]struct{ affine, plain string }{
	{"affine.load", "memref.load"}, {"affine.store", "memref.store"},
	{"affine.vector_load", "vector.load"}, {"affine.vector_store", "vector.store"},
}

// LowerAffine replaces the operations of dialect affine within o by operations of arith, memref,
// scf and vector.
func LowerAffine(c *mlir.Context, o *mlir.Op) error {
	for _, p := range collect(o, "affine") {
		if err := lowerAffine(c, p); err != nil {
			return c.OpDiagnostics(p, err)
		}
	}
	return nil
}

func lowerAffine(c *mlir.Context, o *mlir.Op) error {
	for _, row := range affineOps {
		if row.name == o.Name {
			return row.lower(c.Before(o).From(o), o)
		}
	}
	return fmt.Errorf("cannot be lowered")
}

// expandMap computes the results of a map attribute.
func expandMap(b *mlir.Builder, m *mlir.AffineMap, operands []*mlir.Value) ([]*mlir.Value, error) {
	return newExpander(b, m.Dims, operands).all(m.Results)
}

func affineApply(b *mlir.Builder, o *mlir.Op) error {
	list, err := expandMap(b, o.Attr("map").Map, operands(o))
	if err == nil {
		o.Replace(list...)
	}
	return err
}

func affineMin(b *mlir.Builder, o *mlir.Op) error { return reduceMap(b, o, "arith.minsi") }

func affineMax(b *mlir.Builder, o *mlir.Op) error { return reduceMap(b, o, "arith.maxsi") }

func reduceMap(b *mlir.Builder, o *mlir.Op, name string) error {
	m := o.Attr("map").Map
	v, err := newExpander(b, m.Dims, operands(o)).reduce(name, m.Results)
	if err == nil {
		o.Replace(v)
	}
	return err
}

func plainAccess(name string) string {
	for _, a := range accessOps {
		if a.affine == name {
			return a.plain
		}
	}
	return ""
}

// resultTypes returns the types of an operation's results.
func resultTypes(o *mlir.Op) []*mlir.Type {
	types := make([]*mlir.Type, len(o.Results))
	for i, r := range o.Results {
		types[i] = r.Type
	}
	return types
}

// access creates the operation that replaces one with a memref and a map: before are the
// operands before the indices, which are the last of the operands.
func access(b *mlir.Builder, o *mlir.Op, name string, before int, attrs ...mlir.NamedAttr) error {
	all := operands(o)
	indices, err := expandMap(b, o.Attr("map").Map, all[before:])
	if err != nil {
		return err
	}
	n := b.Create(mlir.OpState{
		Name: name, Operands: append(all[:before:before], indices...), Types: resultTypes(o), Attrs: attrs,
	})
	o.Replace(n.Results...)
	return nil
}

func affineLoad(b *mlir.Builder, o *mlir.Op) error { return access(b, o, plainAccess(o.Name), 1) }

func affineStore(b *mlir.Builder, o *mlir.Op) error { return access(b, o, plainAccess(o.Name), 2) }

func affinePrefetch(b *mlir.Builder, o *mlir.Op) error {
	var attrs []mlir.NamedAttr
	for _, name := range [...]string{"isWrite", "localityHint", "isDataCache"} {
		attrs = append(attrs, mlir.NamedAttr{Name: name, Attr: o.Attr(name)})
	}
	return access(b, o, "memref.prefetch", 1, attrs...)
}

// yieldInstead replaces affine.yield at the end of a region's block by another terminator.
func yieldInstead(b *mlir.Builder, body *mlir.Block, name string) {
	yield := body.Last()
	b.MoveBefore(yield)
	b.Create(mlir.OpState{Name: name, Operands: operands(yield)})
	yield.Erase()
}

func affineFor(b *mlir.Builder, o *mlir.Op) error {
	bound := func(attr, values, combine string) (*mlir.Value, error) {
		m := o.Attr(attr).Map
		return newExpander(b, m.Dims, o.Named(values)).reduce(combine, m.Results)
	}
	lower, err := bound("lowerBoundMap", "lowerBoundOperands", "arith.maxsi")
	if err != nil {
		return err
	}
	upper, err := bound("upperBoundMap", "upperBoundOperands", "arith.minsi")
	if err != nil {
		return err
	}
	step := indexConstant(b, o.Attr("step").Int)
	regions := o.Regions
	o.Regions = nil
	n := b.Create(mlir.OpState{
		Name: "scf.for", Operands: append([]*mlir.Value{lower, upper, step}, o.Named("inits")...),
		Types: resultTypes(o), Regions: regions,
	})
	yieldInstead(b, n.Body(0), "scf.yield")
	o.Replace(n.Results...)
	return nil
}

func affineIf(b *mlir.Builder, o *mlir.Op) error {
	set := o.Attr("condition").Set
	e := newExpander(b, set.Dims, operands(o))
	zero := indexConstant(b, 0)
	var cond *mlir.Value
	for i, x := range set.Constraints {
		v, err := e.expand(x)
		if err != nil {
			return err
		}
		predicate := int64(signedMoreEq)
		if set.Equalities[i] {
			predicate = equal
		}
		v = e.compare(predicate, v, zero)
		if cond != nil {
			v = e.binary("arith.andi", cond, v)
		}
		cond = v
	}
	if cond == nil {
		cond = constant(b, b.Context.Bool(true))
	}
	regions := o.Regions
	o.Regions = nil
	n := b.Create(mlir.OpState{Name: "scf.if", Operands: []*mlir.Value{cond}, Types: resultTypes(o), Regions: regions})
	for _, r := range regions {
		if len(r.Blocks) > 0 {
			yieldInstead(b, r.Entry(), "scf.yield")
		}
	}
	o.Replace(n.Results...)
	return nil
}

// constant creates arith.constant.
func constant(b *mlir.Builder, a *mlir.Attr) *mlir.Value {
	return b.Create(mlir.OpState{
		Name: "arith.constant", Types: []*mlir.Type{a.Type}, Attrs: []mlir.NamedAttr{{Name: "value", Attr: a}},
	}).Result(0)
}

// A reduction is a way to combine values: an operation, and the value that
// leaves others unchanged.
type reduction struct {
	word     string // of arith.AtomicRMWKind
	op       string
	identity func(c *mlir.Context, t *mlir.Type) *mlir.Attr
}

func number(v int64) func(*mlir.Context, *mlir.Type) *mlir.Attr {
	return func(c *mlir.Context, t *mlir.Type) *mlir.Attr {
		if t.Kind == mlir.FloatKind {
			return c.FloatAttr(t, float64(v))
		}
		return c.IntAttr(t, v)
	}
}

func float(v float64) func(*mlir.Context, *mlir.Type) *mlir.Attr {
	return func(c *mlir.Context, t *mlir.Type) *mlir.Attr { return c.FloatAttr(t, v) }
}

// smallest is the smallest signed integer of a type's width, which is 64 for index.
func smallest(c *mlir.Context, t *mlir.Type) *mlir.Attr {
	return c.BigIntAttr(t, new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), width(t)-1)))
}

// largest is the largest signed integer of a type's width.
func largest(c *mlir.Context, t *mlir.Type) *mlir.Attr {
	v := new(big.Int).Lsh(big.NewInt(1), width(t)-1)
	return c.BigIntAttr(t, v.Sub(v, big.NewInt(1)))
}

func width(t *mlir.Type) uint {
	if t.Kind == mlir.IndexKind {
		return 64
	}
	return uint(t.Width)
}

func reductions() []reduction {
	return []reduction{
		{"addf", "arith.addf", number(0)}, {"addi", "arith.addi", number(0)},
		{"andi", "arith.andi", number(-1)}, {"ori", "arith.ori", number(0)}, {"xori", "arith.xori", number(0)},
		{"maximumf", "arith.maximumf", float(math.Inf(-1))}, {"maxnumf", "arith.maxnumf", float(math.NaN())},
		{"minimumf", "arith.minimumf", float(math.Inf(1))}, {"minnumf", "arith.minnumf", float(math.NaN())},
		{"maxs", "arith.maxsi", smallest}, {"maxu", "arith.maxui", number(0)},
		{"mins", "arith.minsi", largest}, {"minu", "arith.minui", number(-1)},
		{"mulf", "arith.mulf", number(1)}, {"muli", "arith.muli", number(1)},
	}
}

// findReduction returns the reduction of a kind, or nil.
func findReduction(c *mlir.Context, kind int64) *reduction {
	word := c.Enum("arith", "AtomicRMWKind").Spelling(kind)
	for _, r := range reductions() {
		if r.word == word {
			return &r
		}
	}
	return nil
}

func affineParallel(b *mlir.Builder, o *mlir.Op) error {
	lower := o.Attr("lowerBoundsMap").Map
	all := operands(o)
	n := lower.Dims + lower.Symbols
	lowers, err := groups(newExpander(b, lower.Dims, all[:n]), lower, o.Attr("lowerBoundsGroups"), "arith.maxsi")
	if err != nil {
		return err
	}
	upper := o.Attr("upperBoundsMap").Map
	uppers, err := groups(newExpander(b, upper.Dims, all[n:]), upper, o.Attr("upperBoundsGroups"), "arith.minsi")
	if err != nil {
		return err
	}
	var steps []*mlir.Value
	for _, v := range o.Attr("steps").Int64s() {
		steps = append(steps, indexConstant(b, v))
	}
	kinds, inits, err := initialValues(b, o)
	if err != nil {
		return err
	}
	dims := int64(len(steps))
	s := mlir.OpState{
		Name: "scf.parallel", Operands: slices.Concat(lowers, uppers, steps, inits), Types: resultTypes(o), Regions: o.Regions,
		Attrs: []mlir.NamedAttr{{Name: "operandSegmentSizes", Attr: b.Context.DenseI32Array(dims, dims, dims, int64(len(inits)))}},
	}
	o.Regions = nil
	loop := b.Create(s)
	reduceInstead(b, loop.Body(0), kinds)
	o.Replace(loop.Results...)
	return nil
}

// groups computes a bound of each dimension from the results of a map.
func groups(e *expander, m *mlir.AffineMap, sizes *mlir.Attr, combine string) (list []*mlir.Value, err error) {
	rest := m.Results
	for i := range sizes.NumElements() {
		n := sizes.Element(i)
		v, err := e.reduce(combine, rest[:n])
		if err != nil {
			return nil, err
		}
		rest = rest[n:]
		list = append(list, v)
	}
	return list, nil
}

// initialValues returns the reductions of a loop and the values they begin with.
func initialValues(b *mlir.Builder, o *mlir.Op) (kinds []*reduction, inits []*mlir.Value, err error) {
	for i, r := range o.Results {
		kind := findReduction(b.Context, o.Attr("reductions").List[i].Int)
		if kind == nil {
			return nil, nil, mlir.OpErrorf("has a reduction that cannot be lowered: %s", o.Attr("reductions").List[i])
		}
		kinds = append(kinds, kind)
		inits = append(inits, constant(b, kind.identity(b.Context, r.Type)))
	}
	return kinds, inits, nil
}

// reduceInstead replaces affine.yield at the end of a loop by scf.reduce.
func reduceInstead(b *mlir.Builder, body *mlir.Block, kinds []*reduction) {
	yield := body.Last()
	s := mlir.OpState{Name: "scf.reduce", Operands: operands(yield)}
	for i, kind := range kinds {
		t := yield.Operand(i).Type
		r := &mlir.Region{}
		block := r.AddBlock()
		args := []*mlir.Value{block.AddArg(t), block.AddArg(t)}
		b.MoveToEnd(block)
		v := b.Create(mlir.OpState{Name: kind.op, Operands: args, Types: []*mlir.Type{t}})
		b.Create(mlir.OpState{Name: "scf.reduce.return", Operands: v.Results})
		s.Regions = append(s.Regions, r)
	}
	b.MoveBefore(yield)
	b.Create(s)
	yield.Erase()
}

// basis returns the values of a basis, of which constants are in an attribute in
// edition 22.
func basis(b *mlir.Builder, o *mlir.Op) []*mlir.Value {
	if o.Attr("static_basis") == nil {
		return o.Named("basis")
	}
	return bounds(b, o, "static_basis", o.Named("dynamic_basis"))
}

// delinearize computes the digits of an index: the first is rounded down, the others
// are remainders.
func delinearize(b *mlir.Builder, o *mlir.Op) error {
	sizes := basis(b, o)
	if len(sizes) == len(o.Results) {
		sizes = sizes[1:] // the size of the first dimension does not matter
	}
	e := &expander{Builder: b}
	rest := o.Operand(0)
	digits := make([]*mlir.Value, len(o.Results))
	for i := len(digits) - 1; i > 0; i-- {
		digits[i] = e.modulo(rest, sizes[i-1])
		rest = e.floorDiv(rest, sizes[i-1])
	}
	digits[0] = rest
	o.Replace(digits...)
	return nil
}

// linearize computes an index from its digits.
func linearize(b *mlir.Builder, o *mlir.Op) error {
	digits := o.Named("multi_index")
	sizes := basis(b, o)
	if len(digits) == 0 {
		o.Replace(indexConstant(b, 0))
		return nil
	}
	sizes = sizes[len(sizes)-(len(digits)-1):]
	e := &expander{Builder: b}
	v := digits[0]
	for i, d := range digits[1:] {
		v = e.binary("arith.addi", e.binary("arith.muli", v, sizes[i], e.nsw()...), d, e.nsw()...)
	}
	o.Replace(v)
	return nil
}
