package memref

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

func verifyLoad(_ *mlir.Context, o *mlir.Op) error {
	rank, n := len(o.Operand(0).Type.Shape), len(o.Operands)-1
	if rank != n {
		return fmt.Errorf("incorrect number of indices for load, expected %d but got %d", rank, n)
	}
	return nil
}

func verifyStore(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Operand(1).Type.Shape) != len(o.Operands)-2 {
		return fmt.Errorf("store index operand count not equal to memref rank")
	}
	return nil
}

// dynamicDims counts the sizes that are not known.
func dynamicDims(t *mlir.Type) (n int) {
	for _, d := range t.Shape {
		if d == mlir.Dynamic {
			n++
		}
	}
	return n
}

// verifyDynamicSizes compares the number of sizes that an operation has with its type.
func verifyDynamicSizes(c *mlir.Context, t *mlir.Type, got int) error {
	switch want := dynamicDims(t); {
	case want == got:
		return nil
	case c.Edition == mlir.Edition19:
		return errors.New("dimension operand count does not equal memref dynamic dimension count")
	default:
		return fmt.Errorf("incorrect number of dynamic sizes, has %d, expected %d", got, want)
	}
}

func verifyAlloc(c *mlir.Context, o *mlir.Op) error {
	t := o.Result(0).Type
	if err := verifyDynamicSizes(c, t, o.CountNamed("dynamicSizes")); err != nil {
		return err
	}
	if want, got := mlir.LayoutSymbols(t), o.CountNamed("symbolOperands"); want != got {
		return fmt.Errorf("symbol operand count does not equal memref symbol count: expected %d, got %d", want, got)
	}
	return nil
}

func verifyAlloca(c *mlir.Context, o *mlir.Op) error {
	for p := o.Parent(); ; p = p.Parent() {
		if p == nil {
			return errors.New("requires an ancestor op with AutomaticAllocationScope trait")
		}
		if p.Def != nil && p.Def.Has(mlir.AutomaticAllocationScope) {
			return verifyAlloc(c, o)
		}
	}
}

func verifyAlignment(c *mlir.Context, o *mlir.Op) error {
	if n := o.Attr("alignment").Int; n&(n-1) != 0 && c.Edition == mlir.Edition19 {
		return errors.New("alignment must be power of 2")
	}
	if c.Edition != mlir.Edition19 {
		return mlir.VerifyInferred(o, o.Operand(0).Type)
	}
	return nil
}

func verifyPrefetch(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Operands) != 1+len(o.Operand(0).Type.Shape) {
		return errors.New("too few indices")
	}
	for _, u := range o.Operands[1:] {
		if u.Value.Type.Kind != mlir.IndexKind {
			return errors.New("index to prefetch must have 'index' type")
		}
	}
	return nil
}

// floatKinds and integerKinds are the kinds of atomic operations of floats and integers. The other
// ones apply to both.
var (
	floatKinds   = [...]string{"addf", "maximumf", "minimumf", "mulf"}
	integerKinds = [...]string{"addi", "maxs", "maxu", "mins", "minu", "muli", "ori", "andi"}
)

func verifyAtomic(c *mlir.Context, o *mlir.Op) error {
	if len(o.Operand(1).Type.Shape) != len(o.Operands)-2 {
		return errors.New("expects the number of subscripts to be equal to memref rank")
	}
	kind := c.Enum("arith", "AtomicRMWKind").Spelling(o.Attr("kind").Int)
	switch t := o.Operand(0).Type; {
	case slices.Contains(floatKinds[:], kind) && t.Kind != mlir.FloatKind:
		return fmt.Errorf("with kind '%s' expects a floating-point type", kind)
	case slices.Contains(integerKinds[:], kind) && t.Kind != mlir.IntegerKind:
		return fmt.Errorf("with kind '%s' expects an integer type", kind)
	}
	return nil
}

// verifyAtomicBody checks memref.generic_atomic_rmw.
func verifyAtomicBody(_ *mlir.Context, o *mlir.Op) error {
	entry, t := o.Regions[0].Entry(), o.Result(0).Type
	if entry == nil || len(entry.Args) != 1 {
		return errors.New("expected single number of entry block arguments")
	}
	if entry.Args[0].Type != t {
		return errors.New("expected block argument of the same type result type")
	}
	var bad error
	for p := range entry.Ops {
		p.Walk(func(q *mlir.Op) bool {
			if q.Name != "memref.atomic_yield" && q.Def != nil && !q.Def.Has(mlir.NoMemoryEffect) && len(q.Regions) == 0 {
				bad = mlir.ErrorAt(q, mlir.PlainErrorf("body of 'memref.generic_atomic_rmw' should contain only operations with no side effects"))
			}
			return bad == nil
		})
	}
	return bad
}

func verifyAtomicYield(_ *mlir.Context, o *mlir.Op) error {
	want, got := o.Parent().Result(0).Type, o.Operand(0).Type
	if want != got {
		return fmt.Errorf("types mismatch between yield op: '%s' and its parent: '%s'", got, want)
	}
	return nil
}

func verifyGlobal(c *mlir.Context, o *mlir.Op) error {
	t := o.Attr("type").Type
	if t.Kind != mlir.MemRefKind || !t.HasStaticShape() {
		return fmt.Errorf("type should be static shaped memref, but got '%s'", t)
	}
	if a := o.Attr("initial_value"); a != nil {
		if err := verifyInitial(a, t); err != nil {
			return err
		}
	}
	if a := o.Attr("alignment"); a != nil && c.Edition == mlir.Edition19 && (a.Int <= 0 || a.Int&(a.Int-1) != 0) {
		return fmt.Errorf("alignment attribute value %d is not a power of 2", a.Int)
	}
	return nil
}

// verifyInitial compares the elements of a variable with its type.
func verifyInitial(a *mlir.Attr, t *mlir.Type) error {
	switch a.Kind {
	case mlir.UnitAttr:
		return nil
	case mlir.DenseElementsAttr, mlir.DenseResourceAttr, mlir.SparseElementsAttr:
	default:
		return fmt.Errorf("initial value should be a unit or elements attribute, but got %s", a)
	}
	switch of := a.Type; {
	case of.Elem != t.Elem:
		return fmt.Errorf("initial value element expected to be of type '%s', but was of type '%s'", t.Elem, of.Elem)
	case !slices.Equal(of.Shape, t.Shape):
		return fmt.Errorf("initial value shape expected to be %s but was %s", numbers(t.Shape), numbers(of.Shape))
	}
	return nil
}

// numbers writes a list of numbers separated by commas.
func numbers(list []int64) string {
	text := ""
	for i, n := range list {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}

func verifyGetGlobal(c *mlir.Context, o *mlir.Op) error {
	name := o.Attr("name")
	global := c.LookupSymbol(o, name)
	if global == nil || global.Name != "memref.global" {
		return fmt.Errorf("'%s' does not reference a valid global memref", name.Text)
	}
	t, a := o.Result(0).Type, global.Attr("type")
	if a != nil && a.Type != t {
		return fmt.Errorf("result type '%s' does not match type '%s' of the global memref @%s", t, a.Type, name.Text)
	}
	return nil
}

func verifyRealloc(_ *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	switch {
	case !mlir.HasIdentityLayout(from):
		return mlir.PlainErrorf("unsupported layout for source memref type '%s'", from)
	case !mlir.HasIdentityLayout(to):
		return mlir.PlainErrorf("unsupported layout for result memref type '%s'", to)
	case from.Space != to.Space:
		return mlir.PlainErrorf("different memory spaces specified for source memref type '%s' and result memref type '%s'", from, to)
	case from.Elem != to.Elem:
		return mlir.PlainErrorf("different element types specified for source memref type '%s' and result memref type '%s'", from, to)
	}
	switch needs, has := dynamicDims(to) > 0, len(o.Operands) > 1; {
	case needs && !has:
		return mlir.PlainErrorf("missing dimension operand for result type '%s'", to)
	case has && !needs:
		return mlir.PlainErrorf("unnecessary dimension operand for result type '%s'", to)
	}
	return nil
}

// verifyDistinct compares the types of operands and results.
func verifyDistinct(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Operands) == 0 {
		return errors.New("expected at least one operand")
	}
	same := len(o.Operands) == len(o.Results)
	for i := range o.Results {
		same = same && o.Operand(i).Type == o.Result(i).Type
	}
	if !same {
		return errors.New("operand types and result types must match")
	}
	return nil
}
