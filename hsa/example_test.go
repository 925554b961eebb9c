package hsa_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// source is a kernel that writes 3*i to out[i], in work-groups of 64.
const source = `
	.globl	triple
	.p2align	8
	.type	triple,@function
triple:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_lshl_b32 s2, s2, 6
	v_add_u32_e32 v0, s2, v0
	v_mul_u32_u24_e32 v1, 3, v0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[4:5]
	s_endpgm

	.rodata
	.p2align	6
	.amdhsa_kernel triple
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 2
		.amdhsa_next_free_sgpr 6
	.end_amdhsa_kernel

	.amdgpu_metadata
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: triple
    .symbol: triple.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 6
    .vgpr_count: 2
    .max_flat_workgroup_size: 64
    .args:
      - { .name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
	.end_amdgpu_metadata
`

// Example assembles a kernel, runs it on a simulated GPU and reads its result.
func Example() {
	gpu, err := target.New("", "gfx900", "")
	check(err)
	object, found := asm.Assemble(&diag.Source{Name: "triple.s", Text: []byte(source)}, asm.Options{Target: gpu})
	if found.HasErrors() {
		log.Fatal(found)
	}
	code, err := link.Link([]link.Input{{Name: "triple.o", Data: object.Object}}, link.Options{})
	check(err)

	s := hsa.NewSystem(hsa.Options{})
	defer s.Shutdown()
	a, err := s.NewGPU(gpu)
	check(err)
	e, err := a.Load(code, "triple")
	check(err)
	k, err := e.Kernel("triple")
	check(err)
	out, err := a.Allocate(100 * 4)
	check(err)
	q, err := a.NewQueue(hsa.QueueOptions{})
	check(err)

	_, err = q.Dispatch(context.Background(), k, hsa.Grid{Size: [3]uint32{100}, Group: [3]uint16{64}}, out)
	check(err)
	fmt.Println(hsa.Slice[uint32](out)[95:])
	// Output: [285 288 291 294 297]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// ExampleKernel_Info prints the description of a kernel from its code object.
func ExampleKernel_Info() {
	s, _, k := tripleKernel()
	defer s.Shutdown()
	info := k.Info()
	fmt.Println(info.Name, info.KernargSegmentSize, info.WavefrontSize, info.MaxFlatWorkgroupSize)
	for _, a := range info.Args {
		fmt.Println(a.Offset, a.Name, a.Kind)
	}
	// Output:
	// triple 8 64 64
	// 0 out global_buffer
}

// ExampleQueue_Err runs a kernel that writes to an unmapped address. Its queue
// becomes inactive, and the program continues with another queue.
func ExampleQueue_Err() {
	s, a, k := tripleKernel()
	defer s.Shutdown()
	q, err := a.NewQueue(hsa.QueueOptions{Callback: func(_ *hsa.Queue, err error) { fmt.Println("callback:", hsa.StatusOf(err)) }})
	check(err)
	_, err = q.Dispatch(context.Background(), k, hsa.Grid{Size: [3]uint32{1}}, uint64(0xdead0000))
	fmt.Println("memory fault:", errors.Is(err, hsa.StatusErrorMemoryFault))
	fmt.Println("queue:", hsa.StatusOf(q.Err()))
	// Output:
	// callback: HSA_STATUS_ERROR_MEMORY_FAULT
	// memory fault: true
	// queue: HSA_STATUS_ERROR_MEMORY_FAULT
}

// ExampleSignal_Wait waits for an action of another goroutine.
func ExampleSignal_Wait() {
	s := hsa.NewSystem(hsa.Options{})
	defer s.Shutdown()
	ready, err := s.NewSignal(2)
	check(err)
	go func() {
		ready.Subtract(1, hsa.Screlease)
		ready.Subtract(1, hsa.Screlease)
	}()
	v, err := ready.Wait(context.Background(), hsa.ConditionLT, 1)
	fmt.Println(v, err)
	// Output: 0 <nil>
}

// ExampleQueue_Submit submits a packet that waits for a signal.
func ExampleQueue_Submit() {
	s, a, _ := tripleKernel()
	defer s.Shutdown()
	q, err := a.NewQueue(hsa.QueueOptions{Size: 16})
	check(err)
	ready, err := s.NewSignal(1)
	check(err)
	done, err := s.NewSignal(1)
	check(err)
	_, err = q.Submit(context.Background(), &hsa.BarrierPacket{
		Header:    hsa.Header(hsa.PacketBarrierAnd, false, hsa.FenceNone, hsa.FenceNone),
		DepSignal: [5]uint64{ready.Handle()}, CompletionSignal: done.Handle(),
	})
	check(err)
	fmt.Println("before:", done.Load(hsa.Scacquire))
	ready.Store(0, hsa.Screlease)
	_, err = done.Wait(context.Background(), hsa.ConditionEQ, 0)
	fmt.Println("after:", done.Load(hsa.Scacquire), err)
	// Output:
	// before: 1
	// after: 0 <nil>
}

// tripleKernel performs the steps of Example up to the kernel.
func tripleKernel() (*hsa.System, *hsa.Agent, *hsa.Kernel) {
	gpu, err := target.New("", "gfx900", "")
	check(err)
	object, found := asm.Assemble(&diag.Source{Name: "triple.s", Text: []byte(source)}, asm.Options{Target: gpu})
	if found.HasErrors() {
		log.Fatal(found)
	}
	code, err := link.Link([]link.Input{{Name: "triple.o", Data: object.Object}}, link.Options{})
	check(err)
	s := hsa.NewSystem(hsa.Options{})
	a, err := s.NewGPU(gpu)
	check(err)
	e, err := a.Load(code, "triple")
	check(err)
	k, err := e.Kernel("triple")
	check(err)
	return s, a, k
}
