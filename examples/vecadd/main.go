// Command vecadd compiles examples/vecadd.ll and runs it on a simulated GPU, with
// package gfx.
//
//	go run ./examples/vecadd
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx"
)

func main() {
	ctx := context.Background()
	code := must(gfx.Compile(ctx, gfx.Source{Name: "examples/vecadd.ll"}, gfx.CompileOptions{Target: "gfx1100"}))
	device := must(gfx.NewDevice("gfx1100", gfx.DeviceOptions{Checks: gfx.CheckAll}))
	defer device.Close()
	kernel := must(must(device.Load(code)).Kernel("vecadd"))
	a := must(gfx.NewBuffer(device, []float32{63: 1}))
	b := must(gfx.NewBuffer(device, []float32{1, 2, 3, 63: 4}))
	c := must(gfx.NewBuffer(device, make([]float32, 64)))
	must(kernel.Run(ctx, gfx.Grid{Size: [3]uint32{64}}, a, b, c))
	fmt.Println(c.Data()[:3], c.Data()[63])
}

// must returns v unless there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
