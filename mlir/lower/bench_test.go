package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
)

// manyKernels returns a module of about n operations: buffer accesses, MFMA, arithmetic and barriers.
func manyKernels(n int) string {
	const groups = 100 // of six operations in each kernel
	var s strings.Builder
	s.WriteString("gpu.module @m {\n")
	for k := range max(n/(6*groups), 1) {
		fmt.Fprintf(&s, "gpu.func @k%d(%%a: memref<64x64xf32>, %%b: memref<64x64xf32>, %%i: i32, %%x: f32, %%acc: vector<4xf32>) kernel {\n", k)
		for i := range groups {
			fmt.Fprintf(&s, `%%l%[1]d = amdgpu.raw_buffer_load %%a[%%i, %%i] : memref<64x64xf32>, i32, i32 -> f32
%%s%[1]d = arith.addf %%l%[1]d, %%x : f32
%%m%[1]d = amdgpu.mfma 16x16x4 %%s%[1]d * %%x + %%acc blgp = none : f32, f32, vector<4xf32>
%%e%[1]d = vector.extract %%m%[1]d[0] : f32 from vector<4xf32>
amdgpu.raw_buffer_store %%e%[1]d -> %%b[%%i, %%i] : f32 -> memref<64x64xf32>, i32, i32
amdgpu.lds_barrier
`, i)
		}
		s.WriteString("gpu.return\n}\n")
	}
	return s.String() + "}\n"
}

// BenchmarkToLLVM lowers a module of 100,000 operations.
func BenchmarkToLLVM(b *testing.B) {
	text := []byte(manyKernels(100_000))
	for b.Loop() {
		b.StopTimer()
		c := mlir.NewContext(mlir.Edition22, dialects.All()...)
		top, err := c.Parse("kernels.mlir", text)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := lower.ToLLVM(c, top, lower.Options{Chipset: "gfx942"}); err != nil {
			b.Fatal(err)
		}
	}
}
