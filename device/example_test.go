package device_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/target"
)

// hostDevice runs every kernel as a function on the host: it increments the
// dwords of the buffer that is the kernel's first argument.
type hostDevice struct{ mem *device.Memory }

func (h hostDevice) Run(ctx context.Context, d *device.Dispatch) (*device.Stats, error) {
	args, ok := h.mem.Bytes(d.Kernarg, 8)
	if !ok {
		return nil, &device.Fault{Kind: device.FaultMemory, Message: "no arguments", Kernel: d.Name, Lane: -1}
	}
	buffer := h.mem.Find(binary.LittleEndian.Uint64(args)).Bytes()
	for i := range d.GridSize[0] {
		word := buffer[4*i:]
		binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)+1)
	}
	return &device.Stats{Groups: uint64(d.GridSize[0] / uint32(d.GroupSize[0]))}, nil
}

// Run kernels on a device of one's own.
func Example() {
	ctx := context.Background()
	t, err := target.New("", "gfx900", "")
	if err != nil {
		log.Fatal(err)
	}
	system := hsa.NewSystem(hsa.Options{})
	defer system.Shutdown()
	gpu, err := system.AddAgent(t, hostDevice{system.Memory()})
	if err != nil {
		log.Fatal(err)
	}
	kernel := "define amdgpu_kernel void @increment(ptr addrspace(1) %p) {\n  ret void\n}\n"
	code, err := gfx.Compile(ctx, gfx.Source{Name: "increment.ll", Data: []byte(kernel)}, gfx.CompileOptions{Target: "gfx900"})
	if err != nil {
		log.Fatal(err)
	}
	executable, err := gpu.Load(code, "increment")
	if err != nil {
		log.Fatal(err)
	}
	increment, err := executable.Kernel("increment")
	if err != nil {
		log.Fatal(err)
	}
	queue, err := gpu.NewQueue(hsa.QueueOptions{})
	if err != nil {
		log.Fatal(err)
	}
	buffer, err := gpu.Allocate(16)
	if err != nil {
		log.Fatal(err)
	}
	copy(hsa.Slice[uint32](buffer), []uint32{1, 2, 3, 4})
	if _, err := queue.Dispatch(ctx, increment, hsa.Grid{Size: [3]uint32{4}, Group: [3]uint16{4}}, buffer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(hsa.Slice[uint32](buffer))
	// Output: [2 3 4 5]
}
