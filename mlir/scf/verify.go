package scf

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

func verifyIf(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Results) > 0 && len(o.Regions[1].Blocks) == 0 {
		return fmt.Errorf("must have an else block if defining values")
	}
	return nil
}

// parent is the place after an operation, to which a region passes results.
const parent = -1

// An edge is a path of control from a terminator in a region, or from the operation itself, to a
// region or the parent, with the values that it passes.
type edge struct {
	from   *mlir.Op // the terminator, nil for the operation itself
	region int      // of the terminator
	to     int      // the region, or parent
	passed []*mlir.Value
	wanted []*mlir.Value
}

// text describes an edge as the edition does.
func (e *edge) text(c *mlir.Context) string {
	from, to := "parent", fmt.Sprintf("Region #%d", e.to)
	is19 := c.Edition == mlir.Edition19
	switch {
	case is19 && e.from == nil:
		from = "parent operands"
	case is19:
		from = fmt.Sprintf("Region #%d", e.region)
	case e.from != nil:
		from = "Operation " + e.from.Name
	}
	if e.to == parent {
		to = "parent"
		if is19 {
			to = "parent results"
		}
	}
	return fmt.Sprintf("control flow edge from %s to %s: ", from, to)
}

// verify compares the types of the values passed with the ones that the target takes.
func (e *edge) verify(c *mlir.Context) error {
	is19 := c.Edition == mlir.Edition19
	if n, m := len(e.passed), len(e.wanted); n != m {
		if is19 {
			return fmt.Errorf(" region %ssource has %d operands, but target successor needs %d", e.text(c), n, m)
		}
		return fmt.Errorf("along %sregion branch point has %d operands, but region successor needs %d inputs", e.text(c), n, m)
	}
	for i, v := range e.passed {
		got, want := v.Type, e.wanted[i].Type
		switch {
		case got == want:
		case is19:
			return fmt.Errorf(" along %ssource type #%d '%s' should match input type #%[2]d '%[4]s'", e.text(c), i, got, want)
		default:
			return fmt.Errorf("along %ssuccessor operand type #%d '%s' should match successor input type #%[2]d '%[4]s'", e.text(c), i, got, want)
		}
	}
	return nil
}

func verifyEdges(c *mlir.Context, list ...edge) error {
	for i := range list {
		if err := list[i].verify(c); err != nil {
			return err
		}
	}
	return nil
}

// values returns the operands of an operation from a place on.
func values(o *mlir.Op, from int) []*mlir.Value {
	list := make([]*mlir.Value, 0, len(o.Operands))
	for _, u := range o.Operands[from:] {
		list = append(list, u.Value)
	}
	return list
}

// yields lists the edges from the yields in all regions to the parent.
func yields(o *mlir.Op) (list []edge) {
	for i, r := range o.Regions {
		for _, b := range r.Blocks {
			if last := b.Last(); last != nil && last.Name == "scf.yield" {
				list = append(list, edge{last, i, parent, values(last, 0), o.Results})
			}
		}
	}
	return list
}

// verifyYields checks scf.if and scf.execute_region.
func verifyYields(c *mlir.Context, o *mlir.Op) error { return verifyEdges(c, yields(o)...) }

func verifyFor(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Operands)-3 != len(o.Results) {
		return errors.New("mismatch in number of loop-carried values and defined values")
	}
	return nil
}

// verifyForBody checks the values that a loop carries.
func verifyForBody(c *mlir.Context, o *mlir.Op) error {
	body := o.Body(0)
	if body == nil || body.Last() == nil || len(body.Args) == 0 {
		return errors.New("expected induction variable to be same type as bounds and step")
	}
	inits, args, yielded := values(o, 3), body.Args[1:], values(body.Last(), 0)
	if len(inits) != len(args) {
		return fmt.Errorf("different number of inits and region iter_args: %d != %d", len(inits), len(args))
	}
	if len(yielded) != 0 && len(yielded) != len(args) {
		return fmt.Errorf("different number of region iter_args and yielded values: %d != %d", len(args), len(yielded))
	}
	for _, pair := range [...]struct {
		a, b         string
		first, other []*mlir.Value
	}{
		{"init", "region iter_arg", inits, args}, {"region iter_arg", "yielded value", args, yielded}, {"region iter_arg", "loop result", args, o.Results},
	} {
		for i, v := range pair.other {
			if t := pair.first[i].Type; t != v.Type {
				return fmt.Errorf("%d-th %s and %[1]d-th %[3]s have different type: '%[4]s' != '%[5]s'", i, pair.a, pair.b, t, v.Type)
			}
		}
	}
	if err := verifyEdges(c, edge{body.Last(), 0, 0, yielded, args}); err != nil {
		return err
	}
	if body.Args[0].Type != o.Operand(0).Type {
		return errors.New("expected induction variable to be same type as bounds and step")
	}
	return nil
}

// verifyWhileBody checks the values that pass between the regions.
func verifyWhileBody(c *mlir.Context, o *mlir.Op) error {
	before, after := o.Regions[0].Entry(), o.Regions[1].Entry()
	if before == nil || after == nil {
		return nil
	}
	edges := []edge{{nil, 0, 0, values(o, 0), before.Args}}
	if last := before.Last(); last != nil && last.Name == "scf.condition" {
		passed := values(last, 1)
		edges = append(edges, edge{last, 0, parent, passed, o.Results}, edge{last, 0, 1, passed, after.Args})
	}
	if last := after.Last(); last != nil && last.Name == "scf.yield" {
		edges = append(edges, edge{last, 1, 0, values(last, 0), before.Args})
	}
	return verifyEdges(c, edges...)
}

// verifySwitch checks the numbers of the cases, and what the regions yield.
func verifySwitch(_ *mlir.Context, o *mlir.Op) error {
	cases := o.Attr("cases").Int64s()
	if n := len(o.Regions) - 1; n != len(cases) {
		return fmt.Errorf("has %d case regions but %d case values", n, len(cases))
	}
	seen := map[int64]bool{}
	for _, v := range cases {
		if seen[v] {
			return fmt.Errorf("has duplicate case value: %d", v)
		}
		seen[v] = true
	}
	for i, r := range o.Regions {
		name := fmt.Sprintf("case region #%d", i-1)
		if i == 0 {
			name = "default region"
		}
		if b := r.Entry(); b != nil && b.Last() != nil {
			if err := verifyCase(o, b.Last(), name); err != nil {
				return err
			}
		}
	}
	return nil
}

func verifyCase(o, yield *mlir.Op, region string) error {
	if yield.Name != "scf.yield" {
		return fmt.Errorf("expected region to end with scf.yield, but got %s", yield.Name)
	}
	if n, m := len(yield.Operands), len(o.Results); n != m {
		return fmt.Errorf("expected each region to return %d values, but %s returns %d", m, region, n)
	}
	for i, r := range o.Results {
		if yield.Operand(i).Type != r.Type {
			return fmt.Errorf("expected result #%d of each region to be '%s'", i, r.Type)
		}
	}
	return nil
}
