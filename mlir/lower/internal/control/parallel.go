package control

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// parallelToFor replaces scf.forall by scf.parallel, and scf.parallel by loops within each other.
func parallelToFor(c *mlir.Context, o *mlir.Op) error {
	for _, p := range collect(o, "scf") {
		if p.Name == "scf.forall" {
			if len(p.Results) > 0 {
				return c.OpDiagnostics(p, mlir.OpErrorf("has results, which are tensors: only scf.forall without results can be converted"))
			}
			forallToFor(c, p)
		}
		if p.Name == "scf.parallel" {
			parallelLoops(c, p)
		}
	}
	return nil
}

// A nest is a number of loops within each other while they are built.
type nest struct {
	*mlir.Builder
	ivs   []*mlir.Value // the induction variables
	carry []*mlir.Value // the carried values of the innermost loop
	loops []*mlir.Op
}

// buildNest creates loops before an operation. The builder then is in the innermost body.
func buildNest(c *mlir.Context, at *mlir.Op, lower, upper, step, inits []*mlir.Value) *nest {
	n := &nest{Builder: c.Before(at).From(at), carry: inits}
	for d := range lower {
		types := make([]*mlir.Type, len(inits))
		for i, v := range inits {
			types[i] = v.Type
		}
		r := &mlir.Region{}
		body := r.AddBlock()
		loop := n.Create(mlir.OpState{
			Name: "scf.for", Operands: append([]*mlir.Value{lower[d], upper[d], step[d]}, n.carry...), Types: types,
			Regions: []*mlir.Region{r},
		})
		n.loops = append(n.loops, loop)
		n.ivs = append(n.ivs, body.AddArg(lower[d].Type))
		n.carry = nil
		for _, t := range types {
			n.carry = append(n.carry, body.AddArg(t))
		}
		n.MoveToEnd(body)
	}
	return n
}

// finish ends the bodies: each loop carries on with the values that the one within
// it results in.
func (n *nest) finish(values []*mlir.Value) {
	for i := len(n.loops) - 1; i >= 0; i-- {
		n.MoveToEnd(n.loops[i].Body(0))
		n.Create(mlir.OpState{Name: "scf.yield", Operands: values})
		values = n.loops[i].Results
	}
}

func parallelLoops(c *mlir.Context, o *mlir.Op) {
	n := buildNest(c, o, o.Named("lowerBound"), o.Named("upperBound"), o.Named("step"), o.Named("initVals"))
	body := o.Body(0)
	for i, iv := range n.ivs {
		body.Args[i].ReplaceUses(iv)
	}
	n.Block().MoveOps(body)
	reduce := n.Block().Last()
	var values []*mlir.Value
	for i, r := range reduce.Regions {
		values = append(values, n.inlineReduction(reduce, r.Entry(), n.carry[i], reduce.Operand(i)))
	}
	reduce.Erase()
	n.finish(values)
	o.Replace(n.loops[0].Results...)
}

// inlineReduction moves the operations of a reduction before scf.reduce and returns the
// reduced value.
func (n *nest) inlineReduction(reduce *mlir.Op, b *mlir.Block, x, y *mlir.Value) *mlir.Value {
	b.Args[0].ReplaceUses(x)
	b.Args[1].ReplaceUses(y)
	last := b.Last()
	result := last.Operand(0)
	last.Erase()
	for p := range b.Ops {
		p.Unlink()
		p.InsertBefore(reduce)
	}
	return result
}

// forallToFor replaces a forall without results by loops.
func forallToFor(c *mlir.Context, o *mlir.Op) {
	b := c.Before(o).From(o)
	lower := bounds(b, o, "staticLowerBound", o.Named("dynamicLowerBound"))
	upper := bounds(b, o, "staticUpperBound", o.Named("dynamicUpperBound"))
	step := bounds(b, o, "staticStep", o.Named("dynamicStep"))
	n := buildNest(c, o, lower, upper, step, nil)
	body := o.Body(0)
	for i, iv := range n.ivs {
		body.Args[i].ReplaceUses(iv)
	}
	body.Last().Erase() // scf.forall.in_parallel, which is empty
	n.Block().MoveOps(body)
	n.finish(nil)
	o.Erase()
}

// bounds returns the values of a list of constants, of which those that are dynamic are
// operands.
func bounds(b *mlir.Builder, o *mlir.Op, static string, dynamic []*mlir.Value) []*mlir.Value {
	var list []*mlir.Value
	for _, v := range o.Attr(static).Int64s() {
		if v == mlir.Dynamic {
			list = append(list, dynamic[0])
			dynamic = dynamic[1:]
			continue
		}
		list = append(list, indexConstant(b, v))
	}
	return list
}

// indexConstant creates arith.constant of type index.
func indexConstant(b *mlir.Builder, v int64) *mlir.Value {
	return b.Create(mlir.OpState{
		Name: "arith.constant", Types: []*mlir.Type{b.Context.Index()},
		Attrs: []mlir.NamedAttr{{Name: "value", Attr: b.Context.IndexAttr(v)}},
	}).Result(0)
}
