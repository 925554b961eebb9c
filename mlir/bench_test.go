package mlir_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/mlir"
)

// largeModule returns a module of about n operations: functions with loads and
// stores of buffers, matrix products, barriers and arithmetic.
func largeModule(n int) []byte {
	var b bytes.Buffer
	const perFunc = 100
	for f := range n / perFunc {
		fmt.Fprintf(&b, "func.func @f%d(%%m: memref<64x64xf32>, %%o: memref<64xf32>, %%i: i32, %%j: i32, %%a: f32, %%c: vector<4xf32>) -> vector<4xf32> {\n", f)
		acc := "%c"
		for i := range perFunc / 10 {
			fmt.Fprintf(&b, "  %%k%d = arith.constant %d : i32\n", i, i*4)
			fmt.Fprintf(&b, "  %%x%d = arith.addi %%i, %%k%d : i32\n", i, i)
			fmt.Fprintf(&b, "  %%y%d = arith.muli %%x%d, %%j overflow<nsw> : i32\n", i, i)
			fmt.Fprintf(&b, "  %%l%d = amdgpu.raw_buffer_load {boundsCheck = false} %%m[%%x%d, %%y%d] : memref<64x64xf32>, i32, i32 -> f32\n", i, i, i)
			fmt.Fprintf(&b, "  %%p%d = arith.mulf %%l%d, %%a fastmath<contract> : f32\n", i, i)
			fmt.Fprintf(&b, "  amdgpu.lds_barrier\n")
			fmt.Fprintf(&b, "  %%d%d = amdgpu.mfma 16x16x4 %%p%d * %%l%d + %s blgp = none : f32, f32, vector<4xf32>\n", i, i, i, acc)
			acc = fmt.Sprintf("%%d%d", i)
			fmt.Fprintf(&b, "  %%e%d = vector.extract %%d%d[2] : f32 from vector<4xf32>\n", i, i)
			fmt.Fprintf(&b, "  amdgpu.raw_buffer_store %%e%d -> %%o[%%x%d] : f32 -> memref<64xf32>, i32\n", i, i)
			fmt.Fprintf(&b, "  %%z%d = arith.cmpi slt, %%x%d, %%y%d : i32\n", i, i, i)
		}
		fmt.Fprintf(&b, "  return %s : vector<4xf32>\n}\n", acc)
	}
	return b.Bytes()
}

func BenchmarkReadAndPrint(b *testing.B) {
	text := largeModule(100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		c := mlir.NewContext(mlir.Edition22, dialects...)
		top, err := c.Parse("bench.mlir", text)
		if err == nil {
			err = c.Verify(top)
		}
		if err != nil {
			b.Fatal(err)
		}
		c.Print(top, mlir.PrintOptions{})
	}
}

// BenchmarkPrintEach is BenchmarkReadAndPrint by functions.
func BenchmarkPrintEach(b *testing.B) {
	src := &diag.Source{Name: "bench.mlir", Text: largeModule(100_000)}
	b.SetBytes(int64(len(src.Text)))
	b.ReportAllocs()
	for b.Loop() {
		c := mlir.NewContext(mlir.Edition22, dialects...)
		if done, err := c.PrintEach(io.Discard, src, mlir.Part{End: len(src.Text)}, nil); !done || err != nil {
			b.Fatal(done, err)
		}
	}
}
