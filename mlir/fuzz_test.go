package mlir_test

import (
	"bytes"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
)

// seeds are modules with all kinds of syntax.
var seeds = []string{
	"func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a overflow<nsw> : i32\n  return %0 : i32\n}\n",
	"#map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 2, d1 floordiv 3)>\n!t = memref<4x?xf32, #map, 3>\nfunc.func private @g(!t) attributes {a = #map, b = affine_set<(d0) : (d0 >= 0, d0 mod 2 == 0)>}\n",
	"\"builtin.module\"() ({\n  \"x.y\"() <{p = 1 : i8}> ({\n  ^bb0(%a: vector<2x[4]xi8>):\n    \"x.z\"(%a)[^bb1] : (vector<2x[4]xi8>) -> ()\n  ^bb1:\n    \"x.w\"() : () -> ()\n  }) {d = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, e = array<i1: true>} : () -> ()\n}) : () -> ()\n",
	"module @m attributes {a.b = [1, \"x\\0A\", 1.5, -0x7F : i8, @s::@t, loc(\"f\":1:2), strided<[4, 1], offset: ?>, distinct[0]<42>, unit]} {\n}\n",
	"func.func @d(%m: memref<64x64xf32>, %i: i32, %a: f32, %c: vector<4xf32>) {\n  %l = amdgpu.raw_buffer_load {boundsCheck = false} %m[%i, %i] sgprOffset %i : memref<64x64xf32>, i32, i32 -> f32\n  %d = amdgpu.mfma 16x16x4 %a * %l + %c blgp = none : f32, f32, vector<4xf32>\n  %e = amdgpu.mfma %a * %l + %c {m = 16 : i32, n = 16 : i32, k = 4 : i32} blgp = bcast_first_32 : f32, f32, vector<4xf32>\n  amdgpu.lds_barrier\n  return\n}\n",
	"func.func @s(%n: index, %c: i1) -> f32 {\n  %z = arith.constant 0.0 : f32\n  %r:2 = scf.while (%x = %z, %y = %n) : (f32, index) -> (f32, index) {\n    scf.condition(%c) %x, %y : f32, index\n  } do {\n  ^bb0(%x: f32, %y: index):\n    scf.yield %x, %y : f32, index\n  }\n  %s = scf.if %c -> (f32) {\n    scf.yield %r#0 : f32\n  } else {\n    scf.yield %z : f32\n  }\n  return %s : f32\n} loc(fused<\"m\">[\"x\", callsite(\"a\" at unknown)])\n",
	"{-#\n  dialect_resources: {\n    builtin: {\n      blob: \"0x08000000\"\n    }\n  }\n#-}\n",
}

// FuzzParse reads arbitrary texts. Every text that is read and valid is printed, and reading
// the print leads to the same text again, in both forms.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, new bool) {
		edition := mlir.Edition19
		if new {
			edition = mlir.Edition22
		}
		c := mlir.NewContext(edition, dialects...)
		c.AllowUnregistered = true
		top, err := c.Parse("fuzz.mlir", text)
		if err != nil || c.Verify(top) != nil {
			return
		}
		for _, generic := range []bool{true, false} {
			checkFixedPoint(t, c, top, mlir.PrintOptions{Generic: generic})
		}
	})
}

// checkFixedPoint prints a module, reads the print and prints again.
func checkFixedPoint(t *testing.T, c *mlir.Context, top *mlir.Op, options mlir.PrintOptions) {
	t.Helper()
	first := c.Print(top, options)
	c2 := mlir.NewContext(c.Edition, dialects...)
	c2.AllowUnregistered = true
	again, err := c2.Parse("print.mlir", first)
	if err != nil {
		t.Fatalf("reading the print: %v\n%s", err, first)
	}
	if second := c2.Print(again, options); !bytes.Equal(first, second) {
		t.Fatalf("the print is no fixed point:\n%s\nthen\n%s", first, second)
	}
}
