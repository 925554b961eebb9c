package hsa

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/target"
)

// TestDispatchState checks a kernel's initial registers, packet and queue.
func TestDispatchState(t *testing.T) {
	k := simKernel{args: "pointer", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x0
		s_load_dword s12, s[0:1], 0xc         // grid size x
		s_load_dword s13, s[0:1], 0x4         // group size x and y
		s_load_dwordx2 s[14:15], s[0:1], 0x20 // kernel object
		s_load_dword s16, s[2:3], 0x18        // size of the queue
		wait
		s_lshl_b32 s17, s8, 6                 // 64 bytes for a work-group
		s_add_u32 s10, s10, s17
		s_addc_u32 s11, s11, 0
		s_mov_b64 exec, 1
		.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16
		put 10, 11, \n
		.endr`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		out := fineBuffer(t, s, 256)
		kernel := k.load(t, a)
		q := newQueue(t, a, QueueOptions{Size: 32})
		for range 2 { // the second dispatch has another slot and dispatch ID
			if _, err := q.Dispatch(ctxOf(t), kernel, Grid{Size: [3]uint32{100}, Group: [3]uint16{64}}, out); err != nil {
				t.Fatal(err)
			}
		}
		w := Slice[uint32](out)
		packet, kernarg := q.ringMem.Addr+64, uint64(w[4])|uint64(w[5])<<32
		lo, hi := func(v uint64) uint32 { return uint32(v) }, func(v uint64) uint32 { return uint32(v >> 32) }
		for g := range uint32(2) {
			want := []uint32{lo(packet), hi(packet), lo(q.Addr()), hi(q.Addr()), lo(kernarg), hi(kernarg), 1, 0, g,
				100, 64 | 1<<16, lo(kernel.Object()), hi(kernel.Object()), 32}
			if got := w[16*g:][:14]; !slices.Equal(got, want) {
				t.Errorf("group %d: %#x, want %#x", g, got, want)
			}
		}
	})
}

// copyKernarg copies n dwords of the arguments to the address in the first
// argument.
const copyKernarg = `
	s_load_dwordx2 s[10:11], s[4:5], 0x0
	s_mov_b64 exec, 1
	s_movk_i32 s13, SIZE
loop:
	s_load_dword s12, s[4:5], 0x0
	wait
	put 10, 11, 12
	s_add_u32 s4, s4, 4
	s_addc_u32 s5, s5, 0
	s_sub_u32 s13, s13, 4
	s_cmp_lg_u32 s13, 0
	s_cbranch_scc1 loop
`

// TestHiddenArguments checks the hidden arguments of kernels V4 and V5.
func TestHiddenArguments(t *testing.T) {
	v4 := simKernel{version: 4, args: "pointer int global_offset_x:8 global_offset_y:8 global_offset_z:8 none:8 multigrid_sync_arg:8",
		text: ".set SIZE, 56\n" + copyKernarg}
	v5 := simKernel{version: 5, text: ".set SIZE, 80\n" + copyKernarg,
		args: "pointer long block_count_x:4 block_count_y:4 block_count_z:4 group_size_x:2 group_size_y:2 group_size_z:2 " +
			"remainder_x:2 remainder_y:2 remainder_z:2 global_offset_x:8 global_offset_y:8 grid_dims:2 dynamic_lds_size:4 private_base:4 shared_base:4 queue_ptr:8"}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		out := fineBuffer(t, s, 128)
		w := Slice[uint32](out)
		ptr := []uint32{uint32(out.Addr()), uint32(out.Addr() >> 32)}
		g := Grid{Size: [3]uint32{100, 3}, Group: [3]uint16{32, 2}, Offset: [3]uint64{5, 1 << 40, 7}, DynamicLDS: 512, Hidden: map[string]uint64{"hidden_multigrid_sync_arg": 99}}
		v4.must(t, a, g, out, 3)
		want := append(slices.Clone(ptr), 3, 0, 5, 0, 0, 1<<8, 7, 0, 0, 0, 99, 0)
		if got := w[:14]; !slices.Equal(got, want) {
			t.Errorf("V4: %#x, want %#x", got, want)
		}
		q := newQueue(t, a, QueueOptions{})
		if _, err := q.Dispatch(ctxOf(t), v5.load(t, a), g, out, int64(1)<<40); err != nil {
			t.Fatal(err)
		}
		want = append(slices.Clone(ptr), 0, 1<<8, 3, 1, 1, 32|2<<16, 1|4<<16, 1, 5, 0, 0, 1<<8, 2, 512, 0x20000, 0x10000, uint32(q.Addr()), uint32(q.Addr()>>32))
		if got := w[:20]; !slices.Equal(got, want) {
			t.Errorf("V5: %#x, want %#x", got, want)
		}
	})
}

// TestDynamicLDS checks that work-items exchange values through LDS of a size
// specified by the arguments.
func TestDynamicLDS(t *testing.T) {
	k := simKernel{lds: 24, args: "pointer lds lds", text: `
		s_load_dwordx4 s[12:15], s[4:5], 0x0
		s_mov_b32 m0, -1
		v_xor_b32_e32 v1, 127, v0
		v_mov_b32_e32 v2, 3
		v_mul_u32_u24_e32 v2, v0, v2
		wait
		v_mad_u32_u24 v3, v0, 4, s14
		ds_write_b32 v3, v2                // a[i] = 3*i
		wait
		s_barrier
		v_mad_u32_u24 v3, v1, 4, s14
		ds_read_b32 v4, v3
		v_mad_u32_u24 v3, v0, 4, s15
		wait
		ds_write_b32 v3, v4                // b[i] = a[127-i]
		wait
		s_barrier
		v_mad_u32_u24 v3, v1, 4, s15
		ds_read_b32 v4, v3
		v_lshlrev_b32_e32 v5, 2, v0
		laneaddr 6, 7, 12, 13, 5
		wait
		flat_store_dword v[6:7], v4        // out[i] = b[127-i]
		s_mov_b64 exec, 1
		s_add_u32 s12, s12, 512
		s_addc_u32 s13, s13, 0
		put 12, 13, 14
		put 12, 13, 15`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		out := fineBuffer(t, s, 130*4)
		stats := k.must(t, a, oneGroup(128), out, LDS(512), LDS(512))
		w := Slice[uint32](out)
		for i, v := range w[:128] {
			if v != uint32(3*i) {
				t.Fatalf("out[%d] = %d", i, v)
			}
		}
		if w[128] != 24 || w[129] != 24+512 || stats.LDS != 24+1024 {
			t.Errorf("in LDS at %d and %d, %d bytes", w[128], w[129], stats.LDS)
		}
	})
}

// scratchSetup returns the code that sets up flat scratch and the required
// directives. The work-group ID is in s10 with a setup, in s8 otherwise.
func scratchSetup(a *Agent) (text, directives string) {
	const init = ".amdhsa_user_sgpr_flat_scratch_init 1\n.amdhsa_system_sgpr_private_segment_wavefront_offset 1"
	switch a.Name() {
	case "gfx803":
		return `
		s_add_u32 s8, s8, s11
		s_lshr_b32 flat_scratch_hi, s8, 8
		s_mov_b32 flat_scratch_lo, s9`, init
	case "gfx900", "gfx90a":
		return `
		s_add_u32 flat_scratch_lo, s8, s11
		s_addc_u32 flat_scratch_hi, s9, 0`, init
	case "gfx1030":
		return `
		s_add_u32 s8, s8, s11
		s_addc_u32 s9, s9, 0
		s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s8
		s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s9`, init
	}
	return "\ts_mov_b32 s10, s8", ".amdhsa_enable_private_segment 1"
}

// TestScratch checks that every work-item has private scratch memory, accessed
// through the private aperture.
func TestScratch(t *testing.T) {
	const text = `
		s_load_dwordx2 s[12:13], s[4:5], 0x0
		s_load_dword s14, s[2:3], 0x44     // private aperture
		s_lshl_b32 s15, s10, 7             // 128 work-items in a group
		wait
		v_or_b32_e32 v0, s15, v0
		v_lshlrev_b32_e32 v1, 4, v0        // 16*i
		v_mov_b32_e32 v3, s14
		.irp n, 0, 4, 8, 12
		v_mov_b32_e32 v2, \n
		v_or_b32_e32 v4, \n, v1
		flat_store_dword v[2:3], v4
		.endr
		wait
		s_barrier
		v_mov_b32_e32 v2, 0
		flat_load_dwordx4 v[8:11], v[2:3]
		laneaddr 6, 7, 12, 13, 1
		wait
		flat_store_dwordx4 v[6:7], v[8:11]`
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		const items = 128 * 9
		setup, directives := scratchSetup(a)
		out := fineBuffer(t, s, items*16)
		k := simKernel{args: "pointer", text: setup + text, directives: directives, private: 16}
		stats := k.must(t, a, Grid{Size: [3]uint32{items}, Group: [3]uint16{128}}, out)
		for i, v := range Slice[uint32](out) {
			if v != uint32(4*i) {
				t.Fatalf("dword %d is %d", i, v)
			}
		}
		if stats.Scratch != 16 || stats.Groups != 9 {
			t.Errorf("%d bytes of scratch, %d groups", stats.Scratch, stats.Groups)
		}
	})
}

// TestGlobals checks that a kernel accesses variables relative to the program
// counter and through a relocated address, and that its writes are visible to
// the host and the next dispatch.
func TestGlobals(t *testing.T) {
	k := simKernel{
		text: `
		s_getpc_b64 s[10:11]
		s_add_u32 s10, s10, table@rel32@lo+4
		s_addc_u32 s11, s11, table@rel32@hi+12
		s_load_dwordx2 s[12:13], s[10:11], 0x8   // address of counter
		s_getpc_b64 s[10:11]
		s_add_u32 s10, s10, counter@gotpcrel32@lo+4
		s_addc_u32 s11, s11, counter@gotpcrel32@hi+12
		s_load_dwordx2 s[14:15], s[10:11], 0x0   // the same
		v_mov_b32_e32 v1, 1
		wait
		vaddr 2, 3, 12, 13
		flat_atomic_add v[2:3], v1
		vaddr 2, 3, 14, 15
		v_or_b32_e32 v2, 4, v2
		flat_atomic_add v[2:3], v1`,
		data: `
		.data
		.globl	counter
		.type	counter,@object
		.size	counter, 8
		.p2align 3
	counter: .long 1000, 5000
		.p2align 3
		.type	table,@object
		.size	table, 16
	table:	.quad 0
		.quad counter
	`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		kernel := k.load(t, a)
		q := newQueue(t, a, QueueOptions{})
		for range 2 {
			if _, err := q.Dispatch(ctxOf(t), kernel, Grid{Size: [3]uint32{300}, Group: [3]uint16{64}}); err != nil {
				t.Fatal(err)
			}
		}
		sym, err := kernel.exec.Symbol("counter", a)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := SliceAt[uint32](s, sym.Address, 2); err != nil || v[0] != 1600 || v[1] != 5600 {
			t.Errorf("counters %d, %v", v, err)
		}
	})
}

// TestKernelSignals checks that a kernel's atomic operation on a signal, as in
// the device library, wakes the host.
func TestKernelSignals(t *testing.T) {
	k := simKernel{args: "long", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x0
		v_mov_b32_e32 v4, -1
		v_mov_b32_e32 v5, -1
		wait
		s_add_u32 s10, s10, 8               // the value
		s_addc_u32 s11, s11, 0
		vaddr 2, 3, 10, 11
		flat_atomic_add_x2 v[2:3], v[4:5]`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		sig, q := newSignal(t, s, 1000), newQueue(t, a, QueueOptions{})
		kernel := k.load(t, a)
		args, err := kernel.NewArgs(sig)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := q.Enqueue(ctxOf(t), kernel, oneGroup(100), args); err != nil {
				t.Fatal(err)
			}
		}
		if v, err := sig.Wait(ctxOf(t), ConditionLT, 1); err != nil || v != 0 {
			t.Errorf("signal %d, %v", v, err)
		}
	})
}

// TestQueuesTogether checks that kernels of several queues run concurrently and
// are ordered by barriers on signals of other queues.
func TestQueuesTogether(t *testing.T) {
	k := simKernel{args: "pointer int", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x0
		s_load_dword s12, s[4:5], 0x8
		s_mov_b64 exec, 1
		wait
		s_load_dword s13, s[10:11], 0x0
		wait
		s_mul_i32 s13, s13, 3
		s_add_u32 s13, s13, s12
		put 10, 11, 13`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		const chain, queues = 40, 4
		ctx, kernel, out := ctxOf(t), k.load(t, a), fineBuffer(t, s, 4)
		var q [queues]*Queue
		for i := range q {
			q[i] = newQueue(t, a, QueueOptions{Size: 16})
		}
		first := newSignal(t, s, 1)
		before, never := first, newSignal(t, s, 1)
		want := uint32(0)
		for i := range chain { // in sequence, each in another queue
			want = want*3 + uint32(i)
			done := newSignal(t, s, 1)
			typ, deps := PacketBarrierAnd, [5]uint64{before.Handle()}
			if i%2 == 1 {
				typ, deps = PacketBarrierOr, [5]uint64{0, never.Handle(), before.Handle()}
			}
			if _, err := q[i%queues].Submit(ctx, &BarrierPacket{Header: Header(typ, true, 0, 0), DepSignal: deps}); err != nil {
				t.Fatal(err)
			}
			args, err := s.Host().Allocate(16)
			if err != nil {
				t.Fatal(err)
			}
			Slice[uint64](args)[0], Slice[uint64](args)[1] = out.Addr(), uint64(i)
			p := dispatchPacket(kernel, done)
			p.KernargAddress, p.WorkgroupSizeX, p.GridSizeX = args.Addr(), 32, 32
			if i == 4 {
				first.Store(0, Screlease) // everything so far had to wait for first
			}
			if _, err := q[i%queues].Submit(ctx, p); err != nil {
				t.Fatal(err)
			}
			before = done
		}
		if _, err := before.Wait(ctx, ConditionEQ, 0); err != nil {
			t.Fatal(err)
		}
		if v := Slice[uint32](out)[0]; v != want {
			t.Errorf("result %#x, want %#x", v, want)
		}
	})
}

// TestQueuesShare checks that dispatches from several goroutines in several
// queues add to one counter.
func TestQueuesShare(t *testing.T) {
	k := simKernel{args: "pointer", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x0
		v_mov_b32_e32 v1, 1
		wait
		vaddr 2, 3, 10, 11
		flat_atomic_add v[2:3], v1`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		ctx, kernel, out := ctxOf(t), k.load(t, a), fineBuffer(t, s, 4)
		var wg sync.WaitGroup
		for range 4 {
			q := newQueue(t, a, QueueOptions{Size: 4})
			wg.Go(func() {
				for range 25 {
					if _, err := q.Dispatch(ctx, kernel, Grid{Size: [3]uint32{333}, Group: [3]uint16{96}}, out); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if v := Slice[uint32](out)[0]; v != 4*25*333 {
			t.Errorf("%d work-items ran, want %d", v, 4*25*333)
		}
	})
}

// TestProfiling checks that the timestamps of consecutive dispatches do not
// overlap.
func TestProfiling(t *testing.T) {
	k := simKernel{text: `
		s_movk_i32 s10, 0x7fff
	loop:	s_sub_u32 s10, s10, 1
		s_cmp_lg_u32 s10, 0
		s_cbranch_scc1 loop`}
	s, a := simSystem(t, "gfx900", device.Options{})
	q, kernel := newQueue(t, a, QueueOptions{}), k.load(t, a)
	q.SetProfiling(true)
	last := s.Timestamp()
	var signals []*Signal
	for range 5 {
		done := newSignal(t, s, 1)
		if _, err := q.Submit(ctxOf(t), dispatchPacket(kernel, done)); err != nil {
			t.Fatal(err)
		}
		signals = append(signals, done)
	}
	for i, done := range signals {
		if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
			t.Fatal(err)
		}
		start, end, err := done.DispatchTime()
		if err != nil || start < last || end <= start || end > s.Timestamp() {
			t.Errorf("dispatch %d: from %d to %d, the one before ended at %d; %v", i, start, end, last, err)
		}
		last = end
	}
	q.SetProfiling(false)
	done := newSignal(t, s, 1)
	if _, err := q.Submit(ctxOf(t), dispatchPacket(kernel, done)); err != nil {
		t.Fatal(err)
	}
	if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Fatal(err)
	}
	_, _, err := done.DispatchTime()
	wantStatus(t, err, StatusErrorInvalidSignal)
}

// TestKernelV2 checks that a kernel of code object V2, with an
// amd_kernel_code_t, runs with its arguments.
func TestKernelV2(t *testing.T) {
	s, a := simSystem(t, "gfx803", device.Options{})
	text := strings.Replace(source(t, "kernelv2.s"), "\ts_endpgm\n", `
	s_load_dword s4, s[0:1], 0x0        // c, a byte
	s_load_dwordx2 s[2:3], s[0:1], 0x8
	s_load_dword s5, s[0:1], 0x10       // l, where it is in LDS
	s_load_dwordx2 s[6:7], s[0:1], 0x20 // offset y
	v_lshlrev_b32_e32 v2, 4, v0
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xff
	v_mov_b32_e32 v1, s3
	v_add_u32_e32 v0, vcc, s2, v2
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	v_mov_b32_e32 v2, s4
	v_mov_b32_e32 v3, s5
	flat_store_dwordx2 v[0:1], v[2:3]
	v_add_u32_e32 v0, vcc, 8, v0
	v_addc_u32_e32 v1, vcc, 0, v1, vcc
	v_mov_b32_e32 v2, s6
	v_mov_b32_e32 v3, s7
	flat_store_dwordx2 v[0:1], v[2:3]
	s_endpgm
`, 1)
	k, err := load(t, a, build(t, "gfx803", text, 2)).Kernel("test")
	if err != nil {
		t.Fatal(err)
	}
	out, q := fineBuffer(t, s, 8*16), newQueue(t, a, QueueOptions{})
	g := Grid{Size: [3]uint32{8}, Group: [3]uint16{8}, Offset: [3]uint64{0, 5 << 32}}
	if _, err := q.Dispatch(ctxOf(t), k, g, int8(-3), out, LDS(64)); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if got := Slice[uint32](out)[4*i:][:4]; !slices.Equal(got, []uint32{253, 16, 0, 5}) {
			t.Errorf("work-item %d: %d", i, got)
		}
	}
}

// TestTwoAgents checks that GPUs of different kinds pass a buffer to each other
// with signals.
func TestTwoAgents(t *testing.T) {
	k := simKernel{args: "pointer", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x0
		s_mov_b64 exec, 1
		wait
		s_load_dword s12, s[10:11], 0x0
		wait
		s_mul_i32 s12, s12, 3
		put 10, 11, 12`}
	s, a := simSystem(t, "gfx90a", device.Options{})
	tg, err := target.New("", "gfx1100", "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.NewGPU(tg)
	if err != nil {
		t.Fatal(err)
	}
	out, args := fineBuffer(t, s, 4), fineBuffer(t, s, 8)
	Slice[uint32](out)[0], Slice[uint64](args)[0] = 1, out.Addr()
	agents := []*Agent{a, b}
	kernels := []*Kernel{k.load(t, a), k.load(t, b)}
	queues := []*Queue{newQueue(t, a, QueueOptions{}), newQueue(t, b, QueueOptions{})}
	var before *Signal
	for i := range 10 {
		done, at := newSignal(t, s, 1), i%len(agents)
		if before != nil {
			if _, err := queues[at].Submit(ctxOf(t), &BarrierPacket{Header: Header(PacketBarrierAnd, true, 0, 0), DepSignal: [5]uint64{before.Handle()}}); err != nil {
				t.Fatal(err)
			}
		}
		p := dispatchPacket(kernels[at], done)
		p.KernargAddress, p.WorkgroupSizeX, p.GridSizeX = args.Addr(), 1, 1
		if _, err := queues[at].Submit(ctxOf(t), p); err != nil {
			t.Fatal(err)
		}
		before = done
	}
	if _, err := before.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Fatal(err)
	}
	if v := Slice[uint32](out)[0]; v != 59049 {
		t.Errorf("3^10 is %d", v)
	}
	_, err = queues[1].Dispatch(ctxOf(t), kernels[0], oneGroup(1), out)
	wantStatus(t, err, StatusErrorInvalidCodeObject, "loaded for another agent")
}

// TestEndRunning checks that an endless kernel ends with its queue, with its
// system, and with the context of Device.Run.
func TestEndRunning(t *testing.T) {
	k := simKernel{text: "again: s_sleep 1\ns_branch again"}
	for name, end := range map[string]func(*System, *Queue){
		"inactivate": func(_ *System, q *Queue) { q.Inactivate() },
		"destroy":    func(_ *System, q *Queue) { q.Destroy() },
		"shutdown":   func(s *System, _ *Queue) { s.Shutdown() },
	} {
		t.Run(name, func(t *testing.T) {
			s, a := simSystem(t, "gfx1030", device.Options{})
			kernel, q := k.load(t, a), newQueue(t, a, QueueOptions{Callback: func(_ *Queue, err error) { t.Errorf("callback: %v", err) }})
			args, err := kernel.NewArgs()
			if err != nil {
				t.Fatal(err)
			}
			d, err := q.Enqueue(ctxOf(t), kernel, Grid{Size: [3]uint32{1 << 30}, Group: [3]uint16{256}}, args)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Millisecond)
			begin := time.Now()
			end(s, q)
			_, err = d.Wait(ctxOf(t))
			wantStatus(t, err, StatusErrorInvalidQueue)
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestDispatchExtras runs a kernel with initial contents of GDS and a place for
// the resource of its scratch memory, and checks the errors about both.
func TestDispatchExtras(t *testing.T) {
	s, a := simSystem(t, "gfx803", device.Options{})
	k := simKernel{args: "pointer", private: 16, text: `
		s_mov_b32 m0, 0x40008                 // 8 bytes from byte 4 on
		v_lshlrev_b32_e32 v0, 2, v0
		v_mov_b32_e32 v1, 5
		ds_add_u32 v0, v1 gds
		s_waitcnt lgkmcnt(0)`}.load(t, a)
	q := newQueue(t, a, QueueOptions{})
	out := fineBuffer(t, s, 32)
	grid := oneGroup(3)
	grid.GDS, grid.ScratchResource = []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4}, out.Addr()+16
	if _, err := q.Dispatch(ctxOf(t), k, grid, out); err != nil {
		t.Fatal(err)
	}
	if want := []byte{1, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 4}; !slices.Equal(grid.GDS, want) {
		t.Errorf("GDS %v, want %v", grid.GDS, want)
	}
	w := Slice[uint32](out)
	if w[0]|w[1]|w[2]|w[3] != 0 || w[4] == 0 || w[5]>>31 != 1 || w[6] < 16*64 || w[7]>>23&1 != 1 {
		t.Errorf("resource of scratch memory %#x", w)
	}
	for want, change := range map[string]func(g *Grid){
		"65537 bytes of GDS exceed the limit of 65536":               func(g *Grid) { g.GDS = make([]byte, 65537) },
		"the address 0x10 for the resource of the scratch memory is": func(g *Grid) { g.ScratchResource = 0x10 },
	} {
		g := oneGroup(3)
		change(&g)
		q := newQueue(t, a, QueueOptions{})
		if _, err := q.Dispatch(ctxOf(t), k, g, out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestSimulatedAgents creates a GPU whose work-groups run on an agent that is out of range.
func TestSimulatedAgents(t *testing.T) {
	s := NewSystem(Options{Simulator: device.Options{Agents: []int{0, 16}}})
	t.Cleanup(s.Shutdown)
	tg, err := target.New("", "gfx90a", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.NewGPU(tg)
	wantStatus(t, err, StatusErrorInvalidArgument, "agent 16: expected 0 to 15")
}
