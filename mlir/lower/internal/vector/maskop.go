package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	vectors "github.com/gfx-toolchain/gfx/mlir/vector"
)

// A Maskable is a set of operations that LowerMasks frees of a vector.mask around them.
type Maskable uint8

const (
	// MaskAccesses are transfers and vector.gather, which take the mask themselves.
	MaskAccesses Maskable = 1 << iota
	// MaskCombinations are reductions, contractions and outer products. They get vectors whose lanes outside the mask
	// have the value that changes no result.
	MaskCombinations
)

// LowerMasks replaces each vector.mask within o around one of some operations. One that has no form
// without it remains.
func LowerMasks(c *mlir.Context, o *mlir.Op, which Maskable) {
	var list []*mlir.Op
	o.Walk(func(p *mlir.Op) bool {
		if p.Name == "vector.mask" {
			list = append(list, p)
		}
		return true
	})
	for _, p := range list {
		m := masked{Builder: c.Before(p).From(p), o: p, mask: p.Operand(0)}
		if len(p.Operands) > 1 {
			m.other = p.Operand(1)
		}
		m.expand(which)
	}
}

// A masked expands a vector.mask.
type masked struct {
	*mlir.Builder
	o     *mlir.Op
	op    *mlir.Op // in the region
	mask  *mlir.Value
	other *mlir.Value // of lanes outside the mask, or nil; only of transfers and of values from outside the region
}

// maskExpansions are the operations that need no vector.mask.
var maskExpansions = [...]struct {
	op    string
	which Maskable
	run   func(*masked)
}{
	{"vector.transfer_read", MaskAccesses, (*masked).transfer},
	{"vector.transfer_write", MaskAccesses, (*masked).transfer},
	{"vector.gather", MaskAccesses, (*masked).gather},
	{"vector.yield", MaskAccesses, (*masked).empty},
	{"vector.reduction", MaskCombinations, (*masked).reduction},
	{"vector.multi_reduction", MaskCombinations, (*masked).reduction},
	{"vector.outerproduct", MaskCombinations, (*masked).outerProduct},
	{"vector.contract", MaskCombinations, (*masked).contract},
}

// expand replaces the operation if it has another form.
func (m *masked) expand(which Maskable) {
	m.op = m.o.Regions[0].Entry().First()
	for _, e := range maskExpansions {
		if m.op != nil && m.op.Name == e.op && which&e.which != 0 {
			e.run(m)
			return
		}
	}
}

// empty replaces an operation that yields values from outside.
func (m *masked) empty() {
	values := operandsOf(m.op)
	if m.other != nil && len(values) == 1 {
		values[0] = arith.NewSelect(m.Builder, m.mask, values[0], m.other)
	}
	m.o.Replace(values...)
}

// copy creates the masked operation with other operands.
func (m *masked) copy(operands []*mlir.Value) *mlir.Op {
	state := mlir.OpState{Name: m.op.Name, Operands: operands, Attrs: slices.Clone(m.op.Attrs)}
	for _, r := range m.op.Results {
		state.Types = append(state.Types, r.Type)
	}
	return m.Create(state)
}

func operandsOf(o *mlir.Op) []*mlir.Value {
	list := make([]*mlir.Value, len(o.Operands))
	for i, u := range o.Operands {
		list[i] = u.Value
	}
	return list
}

// transfer adds the mask to a transfer. One whose result has another shape than its mask keeps the
// vector of other elements.
func (m *masked) transfer() {
	mask := m.mask
	if m.other != nil && !slices.Equal(mask.Type.Shape, m.other.Type.Shape) {
		return
	}
	segments := m.op.Attr("operandSegmentSizes").Int64s()
	operands := operandsOf(m.op)
	last := len(segments) - 1
	if segments[last] > 0 {
		m.mask = arith.NewAndi(m.Builder, m.mask, operands[len(operands)-1])
		operands = operands[:len(operands)-1]
	}
	made := m.copy(append(operands, m.mask))
	segments[last] = 1
	made.SetAttr("operandSegmentSizes", m.Context.DenseI32Array(segments...))
	results := made.Results
	if m.other != nil {
		results = []*mlir.Value{arith.NewSelect(m.Builder, mask, results[0], m.other)}
	}
	m.o.Replace(results...)
}

// gather masks vector.gather. Lanes outside both masks get the element of the gather's own vector; if its own mask is true
// for all lanes, that vector is not needed.
func (m *masked) gather() {
	operands := operandsOf(m.op)
	n := len(operands)
	own, pass := &operands[n-2], &operands[n-1]
	if isAllTrue(*own) {
		*own, *pass = m.mask, arith.NewConstant(m.Builder, zeros(m.Context, m.op.Result(0).Type))
	} else {
		*own = arith.NewAndi(m.Builder, m.mask, *own)
	}
	m.o.Replace(m.copy(operands).Results...)
}

// isAllTrue reports whether a mask is a constant with all lanes.
func isAllTrue(v *mlir.Value) bool {
	if v.Op == nil {
		return false
	}
	switch v.Op.Name {
	case "arith.constant":
		a := v.Op.Attr("value")
		return a.Kind == mlir.DenseElementsAttr && a.Splat && a.Raw[0] != 0
	case "vector.constant_mask":
		return slices.Equal(v.Op.Attr("mask_dim_sizes").Int64s(), v.Type.Shape)
	}
	return false
}

// zeros returns the attribute of a vector of zeros.
func zeros(c *mlir.Context, t *mlir.Type) *mlir.Attr {
	if isFloat(t.Elem) {
		return tollvm.FloatAttr(c, t, 0)
	}
	return c.DenseElements(t, c.DenseInts(t.Elem, []int64{0}).Raw, true)
}

// selected returns v with the value that changes no result of a kind outside the mask, or nil.
func (m *masked) selected(v *mlir.Value, kind string) *mlir.Value {
	neutral := tollvm.Neutral(m.Context, kind, v.Type)
	if neutral == nil {
		return nil
	}
	return arith.NewSelect(m.Builder, m.mask, v, arith.NewConstant(m.Builder, neutral))
}

func (m *masked) reduction() {
	operands := operandsOf(m.op)
	if operands[0] = m.selected(operands[0], m.op.Attr("kind").Text); operands[0] != nil {
		m.o.Replace(m.copy(operands).Results...)
	}
}

// outerProduct combines the products with the accumulator within the mask alone.
func (m *masked) outerProduct() {
	operands := operandsOf(m.op)
	v := m.copy(operands).Result(0)
	if len(operands) > 2 {
		v = arith.NewSelect(m.Builder, m.mask, v, operands[2])
	}
	m.o.Replace(v)
}

// contract computes all products of a contraction as a vector with a dimension for each loop, and
// reduces it.
func (m *masked) contract() {
	maps := m.op.Attr("indexing_maps").List
	elem := m.op.Result(0).Type.ElementOrSelf()
	kind := m.op.Attr("kind").Text
	sizes, result := m.mask.Type.Shape, loopsOf(maps[2].Map)
	products, multiply := int64(1), "arith.muli"
	for _, n := range sizes {
		if n > maxElements/products {
			return
		}
		products *= max(n, 1)
	}
	if isFloat(elem) {
		multiply = "arith.mulf"
	}
	var reduced, rest []int64
	for loop := range int64(len(sizes)) {
		if slices.Contains(result, int(loop)) {
			rest = append(rest, loop)
		} else {
			reduced = append(reduced, loop)
		}
	}
	if tollvm.Neutral(m.Context, kind, elem) == nil || len(reduced) == 0 {
		return
	}
	x := m.overLoops(m.op.Operand(0), loopsOf(maps[0].Map), elem)
	y := m.overLoops(m.op.Operand(1), loopsOf(maps[1].Map), elem)
	p := m.Create(mlir.OpState{Name: multiply, Operands: []*mlir.Value{x, y}, Types: []*mlir.Type{x.Type}}).Result(0)
	// The accumulator is transposed to the order of the loops, and the result back.
	acc := m.op.Operand(2)
	order, back := make([]int64, len(rest)), make([]int64, len(rest))
	for i, loop := range rest {
		at := slices.Index(result, int(loop))
		order[i], back[at] = int64(at), int64(i)
	}
	sorted := slices.IsSorted(order)
	if !sorted {
		acc = m.transpose(acc, order)
	}
	v := vectors.NewMultiReduction(m.Builder, m.selected(p, kind), acc, kind, reduced)
	if !sorted {
		v = m.transpose(v, back)
	}
	m.o.Replace(v)
}

// overLoops returns a factor of a contraction as a vector of all loops.
func (m *masked) overLoops(v *mlir.Value, loops []int, elem *mlir.Type) *mlir.Value {
	if from := v.Type.Elem; from != elem {
		name := "arith.extsi"
		if isFloat(elem) {
			name = "arith.extf"
		}
		t := m.Context.Vector(elem, v.Type.Shape...)
		v = m.Create(mlir.OpState{Name: name, Operands: []*mlir.Value{v}, Types: []*mlir.Type{t}}).Result(0)
	}
	sizes := m.mask.Type.Shape
	var order []int // the loops that the factor lacks, and its own
	for loop := range sizes {
		if !slices.Contains(loops, loop) {
			order = append(order, loop)
		}
	}
	missing := len(order)
	order = append(order, loops...)
	if missing > 0 {
		shape := make([]int64, len(order))
		for i, loop := range order {
			shape[i] = sizes[loop]
		}
		v = vectors.NewBroadcast(m.Builder, m.Context.Vector(elem, shape...), v)
	}
	if slices.IsSorted(order) {
		return v
	}
	permutation := make([]int64, len(order))
	for i, loop := range order {
		permutation[loop] = int64(i)
	}
	return m.transpose(v, permutation)
}

func (m *masked) transpose(v *mlir.Value, permutation []int64) *mlir.Value {
	shape := make([]int64, len(permutation))
	for i, p := range permutation {
		shape[i] = v.Type.Shape[p]
	}
	return vectors.NewTranspose(m.Builder, m.Context.Vector(v.Type.Elem, shape...), v, permutation)
}
