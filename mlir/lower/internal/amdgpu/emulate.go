package amdgpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// An emulation specifies that chipsets lack an atomic operation: those from the
// first up to the last, which has it.
type emulation struct {
	op, elem string
	editions mlir.EditionSet
	from, to tollvm.Chipset
}

var (
	noChipset = tollvm.Chipset{}
	gfx9      = tollvm.Chipset{Major: 9}
	gfx941    = tollvm.Chipset{Major: 9, Minor: 4, Stepping: 1}
	gfx10     = tollvm.Chipset{Major: 10}
	gfx11     = tollvm.Chipset{Major: 11}
	gfx12     = tollvm.Chipset{Major: 12}
)

// emulations are the operations that are emulated. gfx941 has no atomic operations but
// compare-and-swap whose effects other devices see.
var emulations = [...]emulation{
	{"amdgpu.raw_buffer_atomic_fadd", "f32", mlir.Only19, noChipset, gfx908},
	{"amdgpu.raw_buffer_atomic_fadd", "f32", mlir.Only19, gfx941, gfx942},
	{"amdgpu.raw_buffer_atomic_fadd", "f32", mlir.Only22, noChipset, gfx9},
	{"amdgpu.raw_buffer_atomic_fadd", "f32", mlir.EveryEdition, gfx10, gfx11},
	{"amdgpu.raw_buffer_atomic_fadd", "f16", mlir.EveryEdition, noChipset, gfx9},
	{"amdgpu.raw_buffer_atomic_fadd", "f16", mlir.EveryEdition, gfx10, gfx12},
	{"amdgpu.raw_buffer_atomic_fadd", "bf16", mlir.EveryEdition, noChipset, gfx950},
	{"amdgpu.raw_buffer_atomic_fadd", "bf16", mlir.EveryEdition, gfx10, gfx12},
	{"amdgpu.raw_buffer_atomic_fmax", "f32", mlir.EveryEdition, gfx9, gfx10},
	{"amdgpu.raw_buffer_atomic_fmax", "f64", mlir.EveryEdition, gfx9, gfx90a},
	{"amdgpu.raw_buffer_atomic_fmax", "f64", mlir.Only19, gfx941, gfx942},
	{"amdgpu.raw_buffer_atomic_smax", "i32", mlir.Only19, gfx941, gfx942},
	{"amdgpu.raw_buffer_atomic_umin", "i32", mlir.Only19, gfx941, gfx942},
}

// combinations are the operations that compute what the emulated ones store.
var combinations = [...]struct{ op, by string }{
	{"amdgpu.raw_buffer_atomic_fadd", "arith.addf"},
	{"amdgpu.raw_buffer_atomic_fmax", "arith.maximumf"},
	{"amdgpu.raw_buffer_atomic_smax", "arith.maxsi"},
	{"amdgpu.raw_buffer_atomic_umin", "arith.minui"},
}

// combination returns the operation that computes what an atomic one stores, or "".
func combination(op string) string {
	for _, c := range combinations {
		if c.op == op {
			return c.by
		}
	}
	return ""
}

// isEmulated reports whether a chipset lacks an operation.
func isEmulated(c *mlir.Context, o *mlir.Op, chip tollvm.Chipset) bool {
	if combination(o.Name) == "" {
		return false
	}
	elem := elemName(o.Operand(0).Type)
	for i := range emulations {
		if e := &emulations[i]; e.op == o.Name && e.elem == elem && e.editions.Has(c.Edition) && chip.AtLeast(e.from) && !chip.AtLeast(e.to) {
			return true
		}
	}
	return false
}

// EmulateAtomics replaces atomic operations on buffers that a chipset lacks by loops
// of compare-and-swap.
func EmulateAtomics(c *mlir.Context, top *mlir.Op, chip tollvm.Chipset) {
	var list []*mlir.Op
	top.Walk(func(o *mlir.Op) bool {
		if isEmulated(c, o, chip) {
			list = append(list, o)
		}
		return true
	})
	for _, o := range list {
		emulate(c, o)
	}
}

// emulate replaces an operation by a load and a loop that ends when the value that
// was compared is still in memory.
func emulate(c *mlir.Context, o *mlir.Op) {
	before := o.Block
	after := before.SplitBefore(o)
	loop := before.AddAfter()
	data := o.Operand(0)
	t := data.Type
	prev := loop.AddArg(t)
	rest := make([]*mlir.Value, 0, len(o.Operands)+1)
	for _, u := range o.Operands[1:] {
		rest = append(rest, u.Value)
	}
	sizes := o.Attr("operandSegmentSizes").Int64s()

	b := c.AtEnd(before).From(o)
	load := b.Create(mlir.OpState{Name: "amdgpu.raw_buffer_load", Types: []*mlir.Type{t}, Operands: rest, Attrs: withSizes(c, o, sizes[1:])})
	b.Create(mlir.OpState{Name: "cf.br", Operands: tollvm.Values(load.Result(0)), Successors: []mlir.Successor{{Block: loop}}})

	b.MoveToEnd(loop)
	e := emitter{b}
	sum := e.emit(combination(o.Name), t, data, prev)
	swap := b.Create(mlir.OpState{Name: "amdgpu.raw_buffer_atomic_cmpswap", Types: []*mlir.Type{t},
		Operands: append(tollvm.Values(sum, prev), rest...), Attrs: withSizes(c, o, append([]int64{sizes[0]}, sizes...))})
	was := swap.Result(0)
	same := e.with("predicate", c.I64Attr(0)).emit("arith.cmpi", c.Integer(1), e.bits(was), e.bits(prev))
	b.Create(mlir.OpState{Name: "cf.cond_br", Operands: tollvm.Values(same, was),
		Attrs:      []mlir.NamedAttr{{Name: "operandSegmentSizes", Attr: c.DenseI32Array(1, 0, 1)}},
		Successors: []mlir.Successor{{Block: after}, {Block: loop}}})
	o.Erase()
}

// withSizes returns the attributes of an operation with other sizes of the groups of
// operands.
func withSizes(c *mlir.Context, o *mlir.Op, sizes []int64) []mlir.NamedAttr {
	attrs := make([]mlir.NamedAttr, 0, len(o.Attrs))
	for _, a := range o.Attrs {
		if a.Name == "operandSegmentSizes" {
			a.Attr = c.DenseI32Array(sizes...)
		}
		attrs = append(attrs, a)
	}
	return attrs
}

// bits returns a value as an integer of the same width.
func (e emitter) bits(v *mlir.Value) *mlir.Value {
	c := e.Context
	i := c.Integer(bitsOf(v.Type))
	switch v.Type.Kind {
	case mlir.FloatKind:
		return e.emit("arith.bitcast", i, v)
	case mlir.VectorKind:
		one := e.emit("vector.bitcast", c.Vector(i, 1), v)
		return e.with("static_position", c.DenseI64Array(0)).emit("vector.extract", i, one)
	}
	return v
}
