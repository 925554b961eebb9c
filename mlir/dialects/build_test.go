package dialects_test

import (
	"reflect"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/amdgpu"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/cf"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/funcs"
	"github.com/gfx-toolchain/gfx/mlir/memref"
	"github.com/gfx-toolchain/gfx/mlir/scf"
)

// TestBuilders calls the builder of each operation with one value for each
// operand, and compares the operation's parts with its row.
func TestBuilders(t *testing.T) {
	for name, builder := range builders {
		c := mlir.NewContext(mlir.Edition22, dialects.All()...)
		if c.OpDef(name) == nil {
			c = mlir.NewContext(mlir.Edition19, dialects.All()...)
		}
		block := c.NewModule().Body(0)
		value := block.AddArg(c.Index())
		f := reflect.ValueOf(builder)
		args := []reflect.Value{reflect.ValueOf(c.AtEnd(block))}
		for i := 1; i < f.Type().NumIn()-1; i++ {
			args = append(args, argument(c, f.Type().In(i), value))
		}
		o := builtOp(f.Call(args)[0].Interface())
		def := c.OpDef(name)
		if o.Name != name || o.Def != def || o.Block != block {
			t.Errorf("%s: built %s", name, o.Name)
		}
		if len(o.Operands) != len(def.Operands) || len(o.Regions) != len(def.Regions) || len(o.Successors) != len(def.Successors) {
			t.Errorf("%s: %d operands, %d regions, %d successors", name, len(o.Operands), len(o.Regions), len(o.Successors))
		}
	}
}

func builtOp(v any) *mlir.Op {
	if v, ok := v.(*mlir.Value); ok {
		return v.Op
	}
	return v.(*mlir.Op)
}

// argument returns a value for a parameter of a builder.
func argument(c *mlir.Context, t reflect.Type, value *mlir.Value) reflect.Value {
	for _, v := range []any{
		value, []*mlir.Value{value}, [][]*mlir.Value{{value}}, c.Index(), []*mlir.Type{c.Index()}, mlir.NewRegion(), []*mlir.Region{mlir.NewRegion()},
		value.Block, []*mlir.Block{value.Block}, c.Unit(), "x", int64(1), []int64{1}, true,
		&mlir.AffineMap{Dims: 1, Results: []*mlir.Expr{mlir.Dim(0)}}, &mlir.IntegerSet{},
	} {
		if reflect.TypeOf(v) == t {
			return reflect.ValueOf(v)
		}
	}
	panic("no argument of type " + t.String())
}

// TestBuildFunction builds a function with a loop and branches, verifies it and compares its print in
// both editions.
func TestBuildFunction(t *testing.T) {
	const want = `module {
  func.func @sum(%arg0: memref<64xf32>, %arg1: i32) -> f32 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = scf.for %arg2 = %c0 to %c64 step %c1 iter_args(%arg3 = %cst) -> (f32) {
      %3 = memref.load %arg0[%arg2] : memref<64xf32>
      %4 = arith.addf %arg3, %3 : f32
      scf.yield %4 : f32
    }
    %1 = arith.cmpi slt, %arg1, %arg1 : i32
    cf.cond_br %1, ^bb1(%0 : f32), ^bb1(%cst : f32)
  ^bb1(%2: f32):  // 2 preds: ^bb0, ^bb0
    amdgpu.lds_barrier
    return %2 : f32
  }
}
`
	for _, edition := range []mlir.Edition{mlir.Edition19, mlir.Edition22} {
		c := mlir.NewContext(edition, dialects.All()...)
		module := c.NewModule()
		buildSum(c, module)
		if err := c.Verify(module); err != nil {
			t.Fatal(err)
		}
		if got := string(c.Print(module, mlir.PrintOptions{})); got != want {
			t.Errorf("built:\n%s", got)
		}
	}
}

func buildSum(c *mlir.Context, module *mlir.Op) {
	f32, i32 := c.F32(), c.Integer(32)
	t := c.MemRefType([]int64{64}, f32, nil, nil)
	body := mlir.NewRegion(t, i32)
	entry := body.Entry()
	funcs.NewFunc(c.AtEnd(module.Body(0)), "sum", c.FunctionType([]*mlir.Type{t, i32}, []*mlir.Type{f32}), body)
	b := c.AtEnd(entry)
	zero := arith.NewConstant(b, c.IndexAttr(0))
	end := arith.NewConstant(b, c.IndexAttr(64))
	one := arith.NewConstant(b, c.IndexAttr(1))
	start := arith.NewConstant(b, c.FloatAttr(f32, 0))
	loop := mlir.NewRegion(c.Index(), f32)
	in := c.AtEnd(loop.Entry())
	elem := memref.NewLoad(in, entry.Args[0], []*mlir.Value{loop.Entry().Args[0]})
	scf.NewYield(in, []*mlir.Value{arith.NewAddf(in, loop.Entry().Args[1], elem)})
	sum := scf.NewFor(b, []*mlir.Type{f32}, zero, end, one, []*mlir.Value{start}, loop).Result(0)
	less := arith.NewCmpi(b, entry.Args[1], entry.Args[1], "slt")
	exit := body.AddBlock()
	exit.AddArg(f32)
	cf.NewCondBr(b, less, []*mlir.Value{sum}, []*mlir.Value{start}, exit, exit)
	b.MoveToEnd(exit)
	amdgpu.NewLdsBarrier(b)
	funcs.NewReturn(b, exit.Args)
}
