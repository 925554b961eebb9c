// Command mlirgemm builds a kernel in MLIR with typed builders and runs it on a simulated
// GPU: C = A * B' of 16x16 matrices by one wave with MFMA instructions.
//
//	go run ./examples/mlirgemm
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/amdgpu"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/gpu"
	"github.com/gfx-toolchain/gfx/mlir/memref"
	"github.com/gfx-toolchain/gfx/mlir/scf"
	"github.com/gfx-toolchain/gfx/mlir/vector"
)

const n = 16 // rows and columns

func main() {
	ctx := context.Background()
	source := gfx.Source{Name: "gemm.mlir", Data: gemm()}
	code := must(gfx.Compile(ctx, source, gfx.CompileOptions{Target: "gfx90a", MLIRBarePointers: true}))
	device := must(gfx.NewDevice("gfx90a", gfx.DeviceOptions{Checks: gfx.CheckAll}))
	defer device.Close()
	kernel := must(must(device.Load(code)).Kernel("gemm"))
	x, y := make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i], y[i] = float32(i%n), float32(i/n)
	}
	a, b := must(gfx.NewBuffer(device, x)), must(gfx.NewBuffer(device, y))
	c := must(gfx.NewBuffer(device, make([]float32, n*n)))
	must(kernel.Run(ctx, gfx.Grid{Size: [3]uint32{64}, Group: [3]uint16{64}}, a, b, c))
	fmt.Println(c.Data()[:4], c.Data()[n*n-1])
}

// gemm returns the text of a module with the kernel.
func gemm() []byte {
	c := mlir.NewContext(mlir.Edition22, dialects.All()...)
	f32 := c.F32()
	matrix := c.MemRefType([]int64{n, n}, f32, nil, nil)
	module, kernels := c.NewModule(), mlir.NewRegion()
	body := mlir.NewRegion(matrix, matrix, matrix)
	gpu.NewModule(c.AtEnd(module.Body(0)), "kernels", kernels)
	gpu.NewFunc(c.AtEnd(kernels.Entry()), c.FunctionType([]*mlir.Type{matrix, matrix, matrix}, nil), body,
		mlir.NamedAttr{Name: "sym_name", Attr: c.String("gemm")}, mlir.NamedAttr{Name: "gpu.kernel", Attr: c.Unit()},
		mlir.NamedAttr{Name: "known_block_size", Attr: c.DenseI32Array(64, 1, 1)})

	b := c.AtEnd(body.Entry())
	index := func(v int64) *mlir.Value { return arith.NewConstant(b, c.IndexAttr(v)) }
	args := body.Entry().Args
	zero, four, end := index(0), index(4), index(n)
	lane := gpu.NewThreadId(b, "x")
	row := arith.NewRemui(b, lane, end)   // of A and B that a lane reads
	group := arith.NewDivui(b, lane, end) // four groups of lanes read different columns
	sum := c.Vector(f32, 4)
	start := vector.NewBroadcast(b, sum, arith.NewConstant(b, c.FloatAttr(f32, 0)))

	loop := mlir.NewRegion(c.Index(), sum)
	in := c.AtEnd(loop.Entry())
	column := arith.NewAddi(in, loop.Entry().Args[0], group)
	x := memref.NewLoad(in, args[0], []*mlir.Value{row, column})
	y := memref.NewLoad(in, args[1], []*mlir.Value{row, column})
	scf.NewYield(in, []*mlir.Value{amdgpu.NewMfma(in, x, y, loop.Entry().Args[1], n, n, 4)})
	result := scf.NewFor(b, []*mlir.Type{sum}, zero, end, four, []*mlir.Value{start}, loop).Result(0)

	first := arith.NewMuli(b, group, four) // row of C that a lane writes; its column is row
	for i := range int64(4) {
		elem := vector.NewExtract(b, f32, result, nil, []int64{i})
		memref.NewStore(b, elem, args[2], []*mlir.Value{arith.NewAddi(b, first, index(i)), row})
	}
	gpu.NewReturn(b, nil)
	if err := c.Verify(module); err != nil {
		log.Fatal(err)
	}
	return c.Print(module, mlir.PrintOptions{})
}

// must returns v unless there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
