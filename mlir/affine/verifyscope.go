package affine

import (
	"errors"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// isScope reports whether all values of type index that are defined in the regions of an operation, but not in nested
// ones, are symbols.
func isScope(o *mlir.Op) bool { return o != nil && o.Def != nil && o.Def.Has(mlir.AffineScope) }

// scopeOf returns the innermost region of a scope around an operation, or nil.
func scopeOf(o *mlir.Op) *mlir.Region {
	for o.Block != nil && o.Block.Region != nil {
		r := o.Block.Region
		if r.Parent == nil || isScope(r.Parent) {
			return r
		}
		o = r.Parent
	}
	return nil
}

// regionOf returns the region in which a value is defined, or nil.
func regionOf(v *mlir.Value) *mlir.Region {
	if b := v.ParentBlock(); b != nil {
		return b.Region
	}
	return nil
}

// isTop reports whether a value is defined in a region of a scope.
func isTop(v *mlir.Value) bool {
	r := regionOf(v)
	return r != nil && isScope(r.Parent)
}

// outer returns the region around a region's operation, unless that is isolated or there is none.
func outer(r *mlir.Region) *mlir.Region {
	if r == nil || r.Parent == nil || r.Parent.Def != nil && r.Parent.Def.Has(mlir.IsolatedFromAbove) || r.Parent.Block == nil {
		return nil
	}
	return r.Parent.Block.Region
}

// isSymbol reports whether a value can be a symbol in the scope of a region.
func isSymbol(v *mlir.Value, r *mlir.Region) bool {
	if v.Type.Kind != mlir.IndexKind {
		return false
	}
	if r != nil && regionOf(v) == r {
		return true
	}
	if o := v.Op; o != nil {
		switch {
		case o.Def != nil && o.Def.Has(mlir.ConstantLike):
			return true
		case o.Name == "affine.apply":
			return all(o, func(x *mlir.Value) bool { return isSymbol(x, r) })
		case isDim(o):
			return isSymbolicSize(o, r)
		}
	}
	if r = outer(r); r != nil {
		return isSymbol(v, r)
	}
	return false
}

// isDimension reports whether a value can be a dimension in the scope of a region.
func isDimension(v *mlir.Value, r *mlir.Region) bool {
	if v.Type.Kind != mlir.IndexKind {
		return false
	}
	if isSymbol(v, r) {
		return true
	}
	o := v.Op
	switch {
	case o == nil:
		p := v.Block.Region.Parent
		return p != nil && (p.Name == "affine.for" || p.Name == "affine.parallel")
	case o.Name == "affine.apply", o.Name == "affine.delinearize_index", o.Name == "affine.linearize_index":
		return all(o, func(x *mlir.Value) bool { return isDimension(x, r) })
	case isDim(o):
		return isTop(o.Operand(0))
	}
	return false
}

func all(o *mlir.Op, f func(*mlir.Value) bool) bool {
	for _, u := range o.Operands {
		if !f(u.Value) {
			return false
		}
	}
	return true
}

// isDim reports whether an operation is the size of a memref's or tensor's dimension.
func isDim(o *mlir.Op) bool {
	return (o.Name == "memref.dim" || o.Name == "tensor.dim") && len(o.Operands) == 2
}

// isSymbolicSize reports whether the size of a dimension is a symbol: of a value at the top, or of a view or allocation
// whose size is one.
func isSymbolicSize(dim *mlir.Op, r *mlir.Region) bool {
	v := dim.Operand(0)
	if isTop(v) {
		return true
	}
	at := dim.Operand(1).Op
	for v.Op != nil && v.Op.Name == "memref.cast" {
		v = v.Op.Operand(0)
	}
	o := v.Op
	if o == nil || at == nil || at.Name != "arith.constant" || at.Attr("value") == nil {
		return false
	}
	group, ok := map[string]string{"memref.view": "sizes", "memref.subview": "sizes", "memref.alloc": "dynamicSizes"}[o.Name]
	i := at.Attr("value").Int
	if !ok || i < 0 || i >= int64(len(v.Type.Shape)) {
		return false
	}
	if v.Type.Shape[i] != mlir.Dynamic {
		return true
	}
	number := 0
	for _, n := range v.Type.Shape[:i] {
		if n == mlir.Dynamic {
			number++
		}
	}
	sizes := o.Named(group)
	return number < len(sizes) && isSymbol(sizes[number], r)
}

// verifyOperands checks the operands that an operation passes to a map or set: dims dimensions,
// then symbols.
func verifyOperands(o *mlir.Op, operands []*mlir.Value, dims int) error {
	r := scopeOf(o)
	for i, v := range operands {
		switch {
		case i < dims && !isDimension(v, r):
			return errors.New("operand cannot be used as a dimension id")
		case i >= dims && !isSymbol(v, r):
			return errors.New("operand cannot be used as a symbol")
		}
	}
	return nil
}

// verifyIndices checks the indices of an access.
func verifyIndices(c *mlir.Context, o *mlir.Op, indices []*mlir.Value, dims int) error {
	if c.Edition != mlir.Edition19 {
		return verifyOperands(o, indices, dims)
	}
	r := scopeOf(o)
	for _, v := range indices {
		if !isDimension(v, r) {
			return errors.New("index must be a valid dimension or symbol identifier")
		}
	}
	return nil
}

// verifyIf checks the operands of the set, and the results of the condition without an else region.
func verifyIf(_ *mlir.Context, o *mlir.Op) error {
	a := o.Attr("condition")
	if a == nil || a.Kind != mlir.IntegerSetAttr {
		return errors.New("requires an integer set attribute named 'condition'")
	}
	set := a.Set
	if len(o.Operands) != set.Dims+set.Symbols {
		return errors.New("operand count and condition integer set dimension and symbol count must match")
	}
	list := make([]*mlir.Value, len(o.Operands))
	for i, u := range o.Operands {
		list[i] = u.Value
	}
	return verifyOperands(o, list, set.Dims)
}

// verifyForBounds checks the operands of a loop's bounds.
func verifyForBounds(_ *mlir.Context, o *mlir.Op) error {
	for _, b := range [...]struct{ group, bound string }{{"lowerBoundOperands", "lowerBoundMap"}, {"upperBoundOperands", "upperBoundMap"}} {
		if m := o.Attr(b.bound).Map; m.Dims+m.Symbols > 0 {
			if err := verifyOperands(o, o.Named(b.group), m.Dims); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyYield compares the values that leave a region with the results of its operation.
func verifyYield(_ *mlir.Context, o *mlir.Op) error {
	p := o.Parent()
	if p == nil || p.Def == nil || p.Def.Dialect.Name != "affine" {
		return errors.New("only terminates affine.if/for/parallel regions")
	}
	if len(p.Results) != len(o.Operands) {
		return errors.New("parent of yield must have same number of results as the yield operands")
	}
	for i, r := range p.Results {
		if o.Operand(i).Type != r.Type {
			return errors.New("types mismatch between yield op and its parent")
		}
	}
	return nil
}

// verifyIfEdges checks that a condition with results has an else region.
func verifyIfEdges(c *mlir.Context, o *mlir.Op) error {
	n := len(o.Results)
	switch {
	case n == 0 || len(o.Regions) > 1 && len(o.Regions[1].Blocks) > 0:
		return nil
	case c.Edition == mlir.Edition19:
		return mlir.OpErrorf(" region control flow edge from parent operands to parent results: source has 0 operands, but target successor needs %d", n)
	}
	return mlir.OpErrorf("along control flow edge from parent to parent: region branch point has 0 operands, but region successor needs %d inputs", n)
}

// reductions are the kinds of reduction of affine.parallel, with the types whose values they combine.
var reductions = [...]struct {
	kinds []string
	fit   func(*mlir.Type) bool
}{
	{[]string{"addf", "mulf", "minimumf", "maximumf"}, isFloat},
	{[]string{"addi", "muli", "andi", "ori"}, isInteger},
	{[]string{"maxs", "mins"}, isSigned},
	{[]string{"maxu", "minu"}, isUnsigned},
	{[]string{"assign"}, isAny},
}

// reduces reports whether a reduction combines values of a type.
func reduces(kind string, t *mlir.Type) bool {
	for _, r := range reductions {
		if slices.Contains(r.kinds, kind) {
			return r.fit(t)
		}
	}
	return false
}

func isAny(*mlir.Type) bool        { return true }
func isFloat(t *mlir.Type) bool    { return t.Kind == mlir.FloatKind }
func isInteger(t *mlir.Type) bool  { return t.Kind == mlir.IntegerKind }
func isSigned(t *mlir.Type) bool   { return isInteger(t) && t.Sign == mlir.Signed }
func isUnsigned(t *mlir.Type) bool { return isInteger(t) && t.Sign == mlir.Unsigned }

// verifyParallel checks the bounds and reductions of a loop.
func verifyParallel(c *mlir.Context, o *mlir.Op) error {
	kinds := o.Attr("reductions").Int64s()
	if len(kinds) != len(o.Results) {
		return errors.New("a reduction must be specified for each output")
	}
	names := c.Enum("arith", "AtomicRMWKind")
	for i, v := range o.Results {
		if !reduces(names.Spelling(kinds[i]), v.Type) {
			return errors.New("result type cannot match reduction attribute")
		}
	}
	lower, upper := o.Attr("lowerBoundsMap").Map, o.Attr("upperBoundsMap").Map
	list := make([]*mlir.Value, len(o.Operands))
	for i, u := range o.Operands {
		list[i] = u.Value
	}
	low := lower.Dims + lower.Symbols
	if low+upper.Dims+upper.Symbols != len(list) {
		return errors.New("the operand count must match the inputs of the bounds")
	}
	if err := verifyOperands(o, list[:low], lower.Dims); err != nil {
		return err
	}
	return verifyOperands(o, list[low:], upper.Dims)
}
