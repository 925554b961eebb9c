// Command aql runs a kernel like a runtime: it assembles and links
// kernel/saxpy.s, loads the code object, writes a kernel dispatch packet to a
// queue, rings the doorbell and waits for the completion signal.
//
//	go run ./examples/aql
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

//go:embed kernel/saxpy.s
var source []byte

const n = 1000

type arguments struct { // saxpy's kernarg segment
	x, y uint64
	a    float32
	n    uint32
}

func main() {
	gpu := must(target.New("", "gfx1030", ""))
	object, found := asm.Assemble(&diag.Source{Name: "saxpy.s", Text: source}, asm.Options{Target: gpu})
	if found.HasErrors() {
		log.Fatal(found)
	}
	code := must(link.Link([]link.Input{{Name: "saxpy.o", Data: object.Object}}, link.Options{}))

	system := hsa.NewSystem(hsa.Options{})
	defer system.Shutdown()
	agent := must(system.NewGPU(gpu))
	kernel := must(must(agent.Load(code, "saxpy")).Kernel("saxpy"))

	x, y, kernarg := must(agent.Allocate(4*n)), must(agent.Allocate(4*n)), must(system.Host().Pool(hsa.KernargInit).Allocate(24))
	for i := range n {
		hsa.Slice[float32](x)[i], hsa.Slice[float32](y)[i] = float32(i), 1
	}
	hsa.Slice[arguments](kernarg)[0] = arguments{x.Addr(), y.Addr(), 2, n}

	queue, done := must(agent.NewQueue(hsa.QueueOptions{})), must(system.NewSignal(1))
	index := queue.AddWriteIndex(1, hsa.Relaxed)
	queue.WritePacket(index, &hsa.KernelDispatchPacket{
		Header:         hsa.Header(hsa.PacketKernelDispatch, true, hsa.FenceSystem, hsa.FenceSystem),
		Setup:          1, // dimension
		WorkgroupSizeX: 256, WorkgroupSizeY: 1, WorkgroupSizeZ: 1,
		GridSizeX: 1024, GridSizeY: 1, GridSizeZ: 1,
		KernelObject: kernel.Object(), KernargAddress: kernarg.Addr(), CompletionSignal: done.Handle(),
	})
	queue.Doorbell().Store(int64(index), hsa.Screlease)
	must(done.Wait(context.Background(), hsa.ConditionLT, 1))

	fmt.Println("2*x + y =", hsa.Slice[float32](y)[:5], "…", hsa.Slice[float32](y)[n-2:])
}

// must returns v, or ends the program if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
