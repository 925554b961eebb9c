package mlir_test

import (
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
)

// An opText describes an operation to build: types of operands and results by
// position, and attributes.
type opText struct {
	name    string
	ins     []*mlir.Type
	outs    []*mlir.Type
	attrs   []mlir.NamedAttr
	regions [][]int // how many arguments each block of each region has
	want    string  // the error, "" if there is none
}

func buildOp(c *mlir.Context, s *opText) *mlir.Op {
	o := &mlir.Op{Name: s.name, Def: c.OpDef(s.name)}
	b := (&mlir.Region{Parent: &mlir.Op{Name: "test.parent"}}).AddBlock()
	values := make([]*mlir.Value, len(s.ins))
	for i, t := range s.ins {
		values[i] = b.AddArg(t)
	}
	o.SetOperands(values...)
	for i, t := range s.outs {
		o.Results = append(o.Results, &mlir.Value{Type: t, Op: o, Index: i})
	}
	for _, a := range s.attrs {
		o.SetAttr(a.Name, a.Attr)
	}
	for _, blocks := range s.regions {
		r := &mlir.Region{Parent: o}
		for _, args := range blocks {
			rb := r.AddBlock()
			for range args {
				rb.AddArg(c.Index())
			}
		}
		o.Regions = append(o.Regions, r)
	}
	b.Append(o)
	return o
}

// TestVerifyRow has an error of each kind. The texts are mlir-opt's.
func TestVerifyRow(t *testing.T) {
	c := mlir.NewContext(mlir.Edition22, dialects...)
	i1, i32, i64, f32, index := c.Integer(1), c.Integer(32), c.Integer(64), c.F32(), c.Index()
	v4, v8, v4i1 := c.Vector(f32, 4), c.Vector(f32, 8), c.Vector(i1, 4)
	mem := c.MemRefType([]int64{4}, f32, nil, nil)
	types := func(list ...*mlir.Type) []*mlir.Type { return list }
	attrs := func(list ...any) (named []mlir.NamedAttr) {
		for i := 0; i < len(list); i += 2 {
			named = append(named, mlir.NamedAttr{Name: list[i].(string), Attr: list[i+1].(*mlir.Attr)})
		}
		return named
	}
	segments := func(n ...int64) *mlir.Attr { return c.DenseI32Array(n...) }
	for _, s := range []opText{
		{"arith.addf", types(v4, v4), types(v4), nil, nil, ""},
		{"arith.addf", types(f32), types(f32), nil, nil, "expected 2 operands, but found 1"},
		{"arith.addf", types(f32, f32), nil, nil, nil, "requires one result"},
		{"arith.negf", nil, types(f32), nil, nil, "requires a single operand"},
		{"gpu.barrier", types(f32), nil, nil, nil, "requires zero operands"},
		{"gpu.barrier", nil, types(f32), nil, nil, "requires zero results"},
		{"gpu.barrier", nil, nil, nil, [][]int{{}}, "requires zero regions"},
		{"memref.load", nil, types(f32), nil, nil, "expected 1 or more operands, but found 0"},
		{"scf.if", types(i1), nil, nil, nil, "expected 2 regions"},
		{"arith.addf", types(f32, i32), types(f32), nil, nil, "operand #1 must be floating-point-like, but got 'i32'"},
		{"arith.addf", types(v4, v4), types(v8), nil, nil, "requires the same type for all operands and results"},
		{"arith.addf", types(v4, v4), types(v4i1), nil, nil, "result #0 must be floating-point-like, but got 'vector<4xi1>'"},
		{"arith.cmpf", types(v4, v4), types(v4i1), attrs("predicate", c.I64Attr(1)), nil, ""},
		{"arith.cmpf", types(v4, v4), types(i1), attrs("predicate", c.I64Attr(1)), nil, "failed to verify that result type has i1 element type and same shape as operands"},
		{"arith.cmpf", types(v4, v4), types(v4i1), nil, nil, "requires attribute 'predicate'"},
		{"arith.cmpf", types(v4, v4), types(v4i1), attrs("predicate", c.I64Attr(16)), nil, "attribute 'predicate' failed to satisfy constraint: allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"},
		{"arith.extf", types(v4), types(c.Vector(c.FloatType(&mlir.Float64), 8)), nil, nil, "requires the same shape for all operands and results"},
		{"arith.select", types(i1, v4, v4), types(v4), nil, nil, ""},
		{"arith.select", types(v4i1, v4, v4), types(v4), nil, nil, ""},
		{"arith.select", types(v4i1, v8, v8), types(v8), nil, nil, "failed to verify that condition is signless i1 or has matching shape"},
		{"arith.select", types(i1, v4, v8), types(v8), nil, nil, "failed to verify that all of {true_value, false_value, result} have same type"},
		{"arith.constant", nil, types(i32), attrs("value", c.I64Attr(1)), nil, "failed to verify that all of {value, result} have same type"},
		{"memref.store", types(i32, mem, index), nil, nil, nil, "failed to verify that type of 'value' matches element type of 'memref'"},
		{"memref.load", types(mem, i64), types(f32), nil, nil, "operand #1 must be variadic of index, but got 'i64'"},
		{"memref.alloc", nil, types(mem), nil, nil, "requires dense i32 array attribute 'operandSegmentSizes'"},
		{"memref.alloc", nil, types(mem), attrs("operandSegmentSizes", segments(-1, 1)), nil, "'operandSegmentSizes' attribute cannot have negative elements"},
		{"memref.alloc", types(index, index), types(mem), attrs("operandSegmentSizes", segments(1, 2)), nil, "operand count (2) does not match with the total size (3) specified in attribute 'operandSegmentSizes'"},
		{"memref.alloc", types(index), types(mem), attrs("operandSegmentSizes", segments(1)), nil, "invalid properties {operandSegmentSizes = array<i32: 1>} for op memref.alloc: size mismatch in attribute conversion: 1 vs 2"},
		{"gpu.return", nil, nil, nil, nil, "expects parent op 'gpu.func'"},
		{"scf.yield", nil, nil, nil, nil, "expects parent op to be one of 'scf.execute_region, scf.for, scf.if, scf.index_switch, scf.while'"},
		{"scf.if", types(i1), nil, nil, [][]int{{0, 0}, {}}, "expects region #0 to have 0 or 1 blocks"},
		{"scf.if", types(i1), nil, nil, [][]int{{0}, {}}, "expects a non-empty block"},
		{"amdgpu.mfma", types(f32, f32, v4), types(v8), attrs("m", c.I32Attr(4), "n", c.I32Attr(4), "k", c.I32Attr(1)), nil, "result #0 must be 64-bit float or vector of 32-bit float values of length 4/16/32 or vector of 32-bit signless integer values of length 4/16/32 or vector of 64-bit float values of length 4, but got 'vector<8xf32>'"},
		{"vector.fma", types(v4, v4, v8), types(v8), nil, nil, "failed to verify that all of {lhs, rhs, acc, result} have same type"},
		{"vector.from_elements", types(f32, f32), types(v4), nil, nil, "failed to verify that shaped type 'dest' matches 'elements' element count and types"},
		{"math.absf", types(f32), types(f32), nil, nil, ""},
		{"memref.copy", types(mem, c.MemRefType([]int64{8}, f32, nil, nil)), nil, nil, nil, "requires the same shape for all operands"},
		{"memref.copy", types(mem, c.MemRefType([]int64{4}, i32, nil, nil)), nil, nil, nil, "requires the same element type for all operands"},
		{"cf.br", nil, nil, nil, nil, "requires 1 successor but found 0"},
		{"cf.cond_br", types(i1), nil, attrs("operandSegmentSizes", segments(1, 0, 0)), nil, "requires 2 successors but found 0"},
		{"ub.unreachable", nil, nil, nil, nil, ""},
	} {
		o := buildOp(c, &s)
		if o.Def == nil {
			t.Fatalf("%s: no row", s.name)
		}
		got := ""
		if err := o.Def.VerifyRow(c, o); err != nil {
			got = err.Error()
		}
		if got != s.want {
			t.Errorf("%s (%v) -> %v: %q, want %q", s.name, s.ins, s.outs, got, s.want)
		}
	}
}

// TestInferTypes fills unknown types from known ones.
func TestInferTypes(t *testing.T) {
	c := mlir.NewContext(mlir.Edition22, dialects...)
	f32, v4 := c.F32(), c.Vector(c.F32(), 4)
	mem := c.MemRefType([]int64{4}, f32, nil, nil)
	for _, s := range []struct {
		name    string
		known   string // the operand or result whose type is given
		given   *mlir.Type
		counts  []int
		ask     string
		want    []*mlir.Type
		wantErr string
	}{
		{"arith.addf", "result", v4, nil, "rhs", []*mlir.Type{v4}, ""},
		{"arith.cmpf", "lhs", v4, nil, "result", []*mlir.Type{c.Vector(c.Integer(1), 4)}, ""},
		{"memref.load", "memref", mem, []int{1, 1}, "result", []*mlir.Type{f32}, ""},
		{"memref.load", "memref", mem, []int{1, 2}, "indices", []*mlir.Type{c.Index(), c.Index()}, ""},
		{"memref.load", "memref", f32, []int{1, 1}, "result", nil, "'memref' must be memref of any type values, but got 'f32'"},
		{"amdgpu.mfma", "destC", v4, nil, "destD", []*mlir.Type{v4}, ""},
		{"vector.from_elements", "dest", v4, []int{4}, "elements", []*mlir.Type{f32, f32, f32, f32}, ""},
		{"vector.interleave", "lhs", v4, nil, "result", []*mlir.Type{c.Vector(f32, 8)}, ""},
		{"gpu.thread_id", "", nil, nil, "result0", []*mlir.Type{c.Index()}, ""},
		{"arith.select", "result", v4, nil, "condition", nil, ""},
	} {
		def := c.OpDef(s.name)
		g := def.NewGroupTypes()
		copy(g.Counts, s.counts)
		at := func(name string) *[]*mlir.Type {
			ref, ok := def.Value(name)
			if !ok {
				t.Fatalf("%s: no value %s", s.name, name)
			}
			if ref.Kind == mlir.ResultRef {
				return &g.Results[ref.Index]
			}
			return &g.Operands[ref.Index]
		}
		if s.known != "" {
			*at(s.known) = []*mlir.Type{s.given}
		}
		gotErr := ""
		if err := def.InferTypes(c, g); err != nil {
			gotErr = err.Error()
		}
		if got := *at(s.ask); !slices.Equal(got, s.want) || gotErr != s.wantErr {
			t.Errorf("%s: %s is %v, want %v; error %q, want %q", s.name, s.ask, got, s.want, gotErr, s.wantErr)
		}
	}
}
