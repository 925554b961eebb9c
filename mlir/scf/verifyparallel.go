package scf

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

// constantOf returns the value of a constant, if v is one.
func constantOf(v *mlir.Value) (n int64, ok bool) {
	if v.Op == nil || v.Op.Name != "arith.constant" {
		return 0, false
	}
	a := v.Op.Attr("value")
	if a == nil || a.Kind != mlir.IntegerAttr {
		return 0, false
	}
	return a.Int, true
}

// verifyParallel checks the induction variables, steps and reductions of a loop.
func verifyParallel(_ *mlir.Context, o *mlir.Op) error {
	steps, body := o.Named("step"), o.Body(0)
	if len(steps) == 0 {
		return errors.New("needs at least one tuple element for lowerBound, upperBound and step")
	}
	for _, v := range steps {
		if n, ok := constantOf(v); ok && n <= 0 {
			return errors.New("constant step operand must be positive")
		}
	}
	if len(body.Args) != len(steps) {
		return fmt.Errorf("expects the same number of induction variables: %d as bound and step values: %d", len(body.Args), len(steps))
	}
	for _, a := range body.Args {
		if a.Type.Kind != mlir.IndexKind {
			return errors.New("expects arguments for the induction variable to be of index type")
		}
	}
	last := body.Last()
	if last == nil || last.Name != "scf.reduce" {
		return errors.New("expects body to terminate with 'scf.reduce'")
	}
	results := len(o.Results)
	if n := len(last.Regions); n != results {
		return fmt.Errorf("expects number of results: %d to be the same as number of reductions: %d", results, n)
	}
	if n := o.CountNamed("initVals"); n != results {
		return fmt.Errorf("expects number of results: %d to be the same as number of initial values: %d", results, n)
	}
	return nil
}

// verifyReduce compares the operands with the results of the loop.
func verifyReduce(_ *mlir.Context, o *mlir.Op) error {
	p := o.Parent()
	for i, u := range o.Operands {
		if p != nil && i < len(p.Results) && p.Result(i).Type != u.Value.Type {
			return fmt.Errorf("expects type of %d-th reduction operand: '%s' to be the same as the %[1]d-th result type: '%[3]s'", i, u.Value.Type, p.Result(i).Type)
		}
	}
	return nil
}

// verifyReductions checks the region of each reduction.
func verifyReductions(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Regions) != len(o.Operands) {
		return fmt.Errorf("expects number of reduction regions: %d to be the same as number of reduction operands: %d", len(o.Regions), len(o.Operands))
	}
	for i, u := range o.Operands {
		b, t := o.Regions[i].Entry(), u.Value.Type
		if b == nil || b.Last() == nil {
			return fmt.Errorf("%d-th reduction has an empty body", i)
		}
		if len(b.Args) != 2 || b.Args[0].Type != t || b.Args[1].Type != t {
			return fmt.Errorf("expected two block arguments with type '%s' in the %d-th reduction region", t, i)
		}
		if b.Last().Name != "scf.reduce.return" {
			return errors.New("reduction bodies must be terminated with an 'scf.reduce.return' op")
		}
	}
	return nil
}

// verifyReduceReturn compares the result with the arguments of the reduction.
func verifyReduceReturn(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Block.Args) > 0 && o.Block.Args[0].Type != o.Operand(0).Type {
		return fmt.Errorf("must have type '%s' (the type of the reduction inputs)", o.Block.Args[0].Type)
	}
	return nil
}

// verifyForall checks the arguments of the body and the mapping to processors.
func verifyForall(_ *mlir.Context, o *mlir.Op) error {
	rank, args := len(o.Attr("staticUpperBound").Int64s()), o.Body(0).Args
	if n := rank + o.CountNamed("outputs"); len(args) != n {
		return fmt.Errorf("region expects %d arguments", n)
	}
	for i, a := range args[:rank] {
		if a.Type.Kind != mlir.IndexKind {
			return fmt.Errorf("expects %d-th block argument to be an index", i)
		}
	}
	if a := o.Attr("mapping"); a != nil && len(a.List) > 0 && len(a.List) != rank {
		return errors.New("mapping attribute size must match op rank")
	}
	return nil
}
