package hsa

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
)

func newQueue(t testing.TB, a *Agent, o QueueOptions) *Queue {
	t.Helper()
	q, err := a.NewQueue(o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// testKernel loads an empty kernel.
func testKernel(t testing.TB, a *Agent) *Kernel {
	t.Helper()
	e := load(t, a, build(t, a.Name(), `
	.globl k
	.p2align 8
	.type k,@function
k:	s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 64
		.amdhsa_private_segment_fixed_size 8
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 1
	.end_amdhsa_kernel
`, 0))
	k, err := e.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// dispatchPacket returns a packet for a kernel without arguments.
func dispatchPacket(k *Kernel, done *Signal) *KernelDispatchPacket {
	p := &KernelDispatchPacket{
		Header: Header(PacketKernelDispatch, false, FenceSystem, FenceSystem), Setup: 1,
		WorkgroupSizeX: 64, WorkgroupSizeY: 1, WorkgroupSizeZ: 1, GridSizeX: 100, GridSizeY: 1, GridSizeZ: 1,
		PrivateSegmentSize: 8, GroupSegmentSize: 64, KernelObject: k.object,
	}
	if done != nil {
		p.CompletionSignal = done.Handle()
	}
	return p
}

func TestQueueObject(t *testing.T) {
	s, a := testSystem(t, "gfx803", nil)
	q := newQueue(t, a, QueueOptions{Size: 16, Type: QueueSingle})
	b := view(t, a, q.Addr(), QueueObjectSize)
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	for _, f := range []struct {
		name      string
		got, want uint64
	}{
		{"type", uint64(u32(0)), 1}, {"features", uint64(u32(4)), 1}, {"base_address", u64(8), q.ringMem.Addr},
		{"doorbell_signal", u64(16), q.Doorbell().Handle()}, {"size", uint64(u32(24)), 16}, {"id", u64(32), q.ID()},
		{"group_segment_aperture_base_hi", uint64(u32(64)), 0x10000}, {"private_segment_aperture_base_hi", uint64(u32(68)), 0x20000},
		{"read_dispatch_id_field_base_byte_offset", uint64(u32(136)), 128}, {"queue_properties", uint64(u32(180)), 2},
		{"max_wave_id", uint64(u32(76)), 40}, {"scratch_resource_descriptor[1]", uint64(u32(148)), 0x80000000},
		{"doorbell kind", binary.LittleEndian.Uint64(view(t, a, u64(16), 8)), 1<<64 - 2},
		{"doorbell queue_ptr", binary.LittleEndian.Uint64(view(t, a, u64(16)+48, 8)), q.Addr()},
		{"inactive signal", binary.LittleEndian.Uint64(view(t, a, u64(192), 8)), 1},
	} {
		if f.got != f.want {
			t.Errorf("%s: %#x, want %#x", f.name, f.got, f.want)
		}
	}
	for _, o := range []QueueOptions{{Size: 3}, {Size: 1 << 20}, {Type: 7}} {
		_, err := a.NewQueue(o)
		wantStatus(t, err, StatusErrorInvalidArgument)
	}
	_, err := s.Host().NewQueue(QueueOptions{})
	wantStatus(t, err, StatusErrorInvalidQueueCreation)
}

// TestQueueOrder checks that packets of several producers, more than fit in the
// ring, are processed in order.
func TestQueueOrder(t *testing.T) {
	var mu sync.Mutex
	var ids []uint64
	s, a := testSystem(t, "gfx900", func(_ context.Context, d *device.Dispatch) (*device.Stats, error) {
		mu.Lock()
		defer mu.Unlock()
		ids = append(ids, d.ID)
		return &device.Stats{}, nil
	})
	k := testKernel(t, a)
	q := newQueue(t, a, QueueOptions{Size: 4})
	const producers, each = 4, 50
	done := newSignal(t, s, producers*each)
	var wg sync.WaitGroup
	for range producers {
		wg.Go(func() {
			for range each {
				if _, err := q.Submit(ctxOf(t), dispatchPacket(k, done)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if len(ids) != producers*each || !slices.IsSorted(ids) {
		t.Errorf("%d dispatches: %v", len(ids), ids)
	}
	if r, w := q.LoadReadIndex(Relaxed), q.LoadWriteIndex(Relaxed); r != producers*each || w != r {
		t.Errorf("read index %d, write index %d", r, w)
	}
}

// TestQueueByHand writes a packet as a C program does: bytes, then the header,
// then the doorbell.
func TestQueueByHand(t *testing.T) {
	var got device.Dispatch
	s, a := testSystem(t, "gfx1030", func(_ context.Context, d *device.Dispatch) (*device.Stats, error) {
		got = *d
		time.Sleep(time.Millisecond)
		return &device.Stats{}, nil
	})
	k := testKernel(t, a)
	q := newQueue(t, a, QueueOptions{Size: 8})
	q.SetProfiling(true)
	done := newSignal(t, s, 1)
	index := q.AddWriteIndex(1, Relaxed)
	ring := view(t, a, binary.LittleEndian.Uint64(view(t, a, q.Addr()+8, 8)), 8*64)
	slot := ring[index%8*64:][:64]
	le := binary.LittleEndian
	le.PutUint16(slot[4:], 32)
	le.PutUint16(slot[6:], 2)
	le.PutUint16(slot[8:], 1)
	le.PutUint32(slot[12:], 1000)
	le.PutUint32(slot[16:], 3)
	le.PutUint32(slot[20:], 1)
	le.PutUint32(slot[24:], 256)
	le.PutUint32(slot[28:], 1024)
	le.PutUint64(slot[32:], k.Object())
	le.PutUint64(slot[40:], 0xabc0)
	le.PutUint64(slot[56:], done.Handle())
	select {
	case <-time.After(2 * time.Millisecond):
	case <-q.Inactive():
		t.Fatal(q.Err())
	}
	if q.LoadReadIndex(Relaxed) != 0 {
		t.Error("the packet was processed before it had a header")
	}
	atomic.StoreUint32(q.header(index), uint32(Header(PacketKernelDispatch, true, FenceAgent, FenceSystem))|2<<16)
	q.Doorbell().Store(int64(index), Screlease)
	if _, err := done.Wait(ctxOf(t), ConditionLT, 1); err != nil {
		t.Fatal(err)
	}
	want := device.Dispatch{
		GroupSize: [3]uint16{32, 2, 1}, GridSize: [3]uint32{1000, 3, 1}, ClusterSize: [3]uint8{1, 1, 1}, KernelObject: k.Object(), Kernarg: 0xabc0,
		PrivateSize: 256, LDSSize: 1024, Packet: q.ringMem.Addr, Queue: q.Addr(), Name: "k",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("dispatch %+v, want %+v", got, want)
	}
	start, end, err := done.DispatchTime()
	if err != nil || end-start < uint64(time.Millisecond) || end > s.Timestamp() {
		t.Errorf("from %d to %d, %v", start, end, err)
	}
	if slot[0] != byte(PacketInvalid) {
		t.Errorf("header is %#x after processing", slot[0])
	}
}

func TestBarriers(t *testing.T) {
	s, a := testSystem(t, "gfx900", nil)
	q := newQueue(t, a, QueueOptions{})
	ctx := ctxOf(t)
	short := func(sig *Signal) error {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		defer cancel()
		_, err := sig.Wait(ctx, ConditionEQ, 0)
		return err
	}
	deps := []*Signal{newSignal(t, s, 1), newSignal(t, s, 2)}
	for _, c := range []struct {
		p     Packet
		done  *uint64
		steps []func() // the packet completes after the last step
	}{
		{&BarrierPacket{Header: Header(PacketBarrierAnd, true, 0, 0), DepSignal: [5]uint64{0, deps[0].Handle(), deps[1].Handle()}}, nil,
			[]func(){func() { deps[0].Store(0, Screlease) }, func() { deps[1].Store(0, Screlease) }}},
		{&BarrierPacket{Header: Header(PacketBarrierOr, false, 0, 0), DepSignal: [5]uint64{deps[0].Handle(), 0, deps[1].Handle()}}, nil,
			[]func(){func() { deps[1].Add(-2, Screlease) }}},
		{&BarrierValuePacket{Header: Header(PacketVendorSpecific, false, 0, 0), AMDFormat: 2, Signal: deps[0].Handle(), Mask: 0xf0, Value: 0x30, Cond: uint32(ConditionGTE)}, nil,
			[]func(){func() { deps[0].Store(0x20f, Screlease) }, func() { deps[0].Store(0x230, Screlease) }}},
	} {
		deps[0].Store(1, Relaxed)
		deps[1].Store(2, Relaxed)
		done := newSignal(t, s, 1)
		switch p := c.p.(type) {
		case *BarrierPacket:
			p.CompletionSignal = done.Handle()
		case *BarrierValuePacket:
			p.CompletionSignal = done.Handle()
		}
		if _, err := q.Submit(ctx, c.p); err != nil {
			t.Fatal(err)
		}
		for i, step := range c.steps {
			if err := short(done); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%T: complete before step %d: %v", c.p, i, err)
			}
			step()
		}
		if _, err := done.Wait(ctx, ConditionEQ, 0); err != nil {
			t.Errorf("%T: %v", c.p, err)
		}
	}
	for _, typ := range []PacketType{PacketBarrierAnd, PacketBarrierOr} { // without signals
		done := newSignal(t, s, 1)
		if _, err := q.Submit(ctx, &BarrierPacket{Header: Header(typ, false, 0, 0), CompletionSignal: done.Handle()}); err != nil {
			t.Fatal(err)
		}
		if _, err := done.Wait(ctx, ConditionEQ, 0); err != nil {
			t.Errorf("%v: %v", typ, err)
		}
	}
}

func TestAgentDispatch(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	q := newQueue(t, s.Host(), QueueOptions{AgentDispatch: func(_ context.Context, p *AgentDispatchPacket) (uint64, error) {
		if p.Type != 0x8001 {
			return 0, fmt.Errorf("no function %#x", p.Type)
		}
		return p.Arg[0] + p.Arg[3], nil
	}})
	out, err := s.Host().Allocate(8)
	if err != nil {
		t.Fatal(err)
	}
	done := newSignal(t, s, 2)
	p := &AgentDispatchPacket{Header: Header(PacketAgentDispatch, false, 0, 0), Type: 0x8001, ReturnAddress: out.Addr(), Arg: [4]uint64{40, 0, 0, 2}, CompletionSignal: done.Handle()}
	if _, err := q.Submit(ctxOf(t), p); err != nil {
		t.Fatal(err)
	}
	if _, err := done.Wait(ctxOf(t), ConditionEQ, 1); err != nil || Slice[uint64](out)[0] != 42 {
		t.Errorf("%v, %v", Slice[uint64](out), err)
	}
	p.Type = 1
	if _, err := q.Submit(ctxOf(t), p); err != nil {
		t.Fatal(err)
	}
	_, err = done.Wait(ctxOf(t), ConditionEQ, 0)
	wantStatus(t, err, StatusErrorException, "no function 0x1")
}

// TestPacketErrors checks that each kind of invalid packet makes its queue, but
// no other, inactive with the status defined by HSA.
func TestPacketErrors(t *testing.T) {
	s, a := testSystem(t, "gfx908", nil)
	other := func() *Agent {
		b, err := s.AddAgent(a.t, fakeDevice(nil))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}()
	k, foreign := testKernel(t, a), testKernel(t, other)
	barrier := func(f func(*BarrierPacket)) func(*KernelDispatchPacket) Packet {
		return func(d *KernelDispatchPacket) Packet {
			b := &BarrierPacket{Header: Header(PacketBarrierAnd, false, 0, 0), CompletionSignal: d.CompletionSignal}
			f(b)
			return b
		}
	}
	value := func(f func(*BarrierValuePacket)) func(*KernelDispatchPacket) Packet {
		return func(d *KernelDispatchPacket) Packet {
			b := &BarrierValuePacket{Header: Header(PacketVendorSpecific, false, 0, 0), AMDFormat: packetFormatValue, CompletionSignal: d.CompletionSignal}
			f(b)
			return b
		}
	}
	dispatch := func(f func(*KernelDispatchPacket)) func(*KernelDispatchPacket) Packet {
		return func(d *KernelDispatchPacket) Packet { f(d); return d }
	}
	for i, c := range []struct {
		change func(*KernelDispatchPacket) Packet
		status Status
		bits   int64
	}{
		{dispatch(func(p *KernelDispatchPacket) { p.Header |= 1 << 13 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Header |= 3 << 9 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Header = 9 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Setup |= 4 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Header |= 3 << 11 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Setup |= 1 << 15 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Reserved0 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Reserved2 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.CompletionSignal = 0xdead0000 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.CompletionSignal += 8 }), StatusErrorInvalidPacketFormat, 32},
		{dispatch(func(p *KernelDispatchPacket) { p.Setup = 0 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.GridSizeX = 0 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.WorkgroupSizeZ = 0 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.WorkgroupSizeX = 0 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.WorkgroupSizeY = 0 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.GridSizeY = 0 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.GridSizeZ = 0 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.GridSizeY = 2 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.Setup, p.WorkgroupSizeZ = 2, 2 }), StatusErrorIncompatibleArguments, 2},
		{dispatch(func(p *KernelDispatchPacket) { p.WorkgroupSizeX = 1025 }), StatusErrorInvalidArgument, 64},
		{dispatch(func(p *KernelDispatchPacket) { p.Setup, p.WorkgroupSizeY = 2, 17 }), StatusErrorInvalidArgument, 64},
		{dispatch(func(p *KernelDispatchPacket) { p.GroupSegmentSize = 63 }), StatusErrorInvalidAllocation, 4},
		{dispatch(func(p *KernelDispatchPacket) { p.GroupSegmentSize = 64<<10 + 1 }), StatusErrorInvalidAllocation, 4},
		{dispatch(func(p *KernelDispatchPacket) { p.PrivateSegmentSize = 7 }), StatusErrorInvalidAllocation, 4},
		{dispatch(func(p *KernelDispatchPacket) { p.PrivateSegmentSize = 1 << 30 }), StatusErrorOutOfResources, 1},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject = 0 }), StatusErrorInvalidCodeObject, 8},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject += 64 }), StatusErrorInvalidCodeObject, 8},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject++ }), StatusErrorInvalidCodeObject, 8},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject = 0xfff000 }), StatusErrorInvalidCodeObject, 8},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject = 1<<64 - 64 }), StatusErrorInvalidCodeObject, 8},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject = p.CompletionSignal }), StatusErrorInvalidCodeObject, 8},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject = k.exec.objects[0].Base + k.exec.objects[0].Size - 1 }), StatusErrorInvalidCodeObject, 8},
		{dispatch(func(p *KernelDispatchPacket) { p.KernelObject = foreign.object }), StatusErrorInvalidCodeObject, 8},
		{barrier(func(b *BarrierPacket) { b.Reserved1 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{barrier(func(b *BarrierPacket) { b.Reserved0 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{barrier(func(b *BarrierPacket) { b.Reserved2 = 1 << 63 }), StatusErrorInvalidPacketFormat, 32},
		{barrier(func(b *BarrierPacket) { b.DepSignal[4] = 64 }), StatusErrorInvalidPacketFormat, 32},
		{barrier(func(b *BarrierPacket) { b.Header, b.DepSignal[0] = Header(PacketBarrierOr, false, 0, 0), 1 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.AMDFormat = 1 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.Reserved = 1 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.Reserved0 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.Reserved1 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.Reserved2 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.Reserved3 = 1 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.Cond = 4 }), StatusErrorInvalidPacketFormat, 32},
		{value(func(b *BarrierValuePacket) { b.Signal = 1 << 40 }), StatusErrorInvalidPacketFormat, 32},
		{barrier(func(b *BarrierPacket) { b.Header = Header(PacketVendorSpecific, false, 0, 0) }), StatusErrorInvalidPacketFormat, 32},
		{barrier(func(b *BarrierPacket) { b.Header = Header(PacketAgentDispatch, false, 0, 0) }), StatusErrorInvalidPacketFormat, 32},
	} {
		called := 0
		q := newQueue(t, a, QueueOptions{Callback: func(_ *Queue, err error) { called++; wantStatus(t, err, c.status) }})
		done := newSignal(t, s, 2)
		if _, err := q.Submit(ctxOf(t), c.change(dispatchPacket(k, done))); err != nil {
			t.Fatal(err)
		}
		_, err := q.Submit(ctxOf(t), dispatchPacket(k, done))
		if err == nil {
			_, err = done.Wait(ctxOf(t), ConditionEQ, 0)
		}
		t.Logf("%d: %v", i, err)
		wantStatus(t, err, c.status)
		<-q.Inactive()
		if v := q.inactive.Load(Scacquire); called != 1 || v != c.bits || StatusOf(q.Err()) != c.status || done.Load(Relaxed) != 2 {
			t.Errorf("%d: callback called %d times, inactive signal %#x, %v, signal %d", i, called, v, q.Err(), done.Load(Relaxed))
		}
		_, err = q.Submit(ctxOf(t), dispatchPacket(k, done))
		wantStatus(t, err, c.status)
		q.Destroy()
	}
	done := newSignal(t, s, 1) // other queues continue
	q := newQueue(t, a, QueueOptions{})
	if _, err := q.Submit(ctxOf(t), dispatchPacket(k, done)); err != nil {
		t.Fatal(err)
	}
	if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Error(err)
	}
}

// TestFaults checks that a faulting kernel has the status of its fault kind,
// and that waits for later packets receive the error.
func TestFaults(t *testing.T) {
	var fault error
	s, a := testSystem(t, "gfx900", func(context.Context, *device.Dispatch) (*device.Stats, error) {
		if fault == nil {
			panic("device is broken")
		}
		return nil, fault
	})
	k := testKernel(t, a)
	for _, c := range []struct {
		err    error
		status Status
	}{
		{&device.Fault{Kind: device.FaultMemory, Lane: -1}, StatusErrorMemoryFault},
		{&device.Fault{Kind: device.FaultIllegal, Lane: -1}, StatusErrorIllegalInstruction},
		{&device.Fault{Kind: device.FaultTrap, Lane: -1}, StatusErrorException},
		{&device.Fault{Kind: device.FaultUnsupported, Lane: -1}, StatusErrorNotSupported},
		{errors.New("other"), StatusError},
		{nil, StatusErrorFatal},
	} {
		fault = c.err
		q := newQueue(t, a, QueueOptions{})
		_, err := q.Dispatch(ctxOf(t), k, Grid{Size: [3]uint32{1}})
		wantStatus(t, err, c.status, "kernel k")
		var f *device.Fault
		if _, ok := c.err.(*device.Fault); ok && !errors.As(err, &f) {
			t.Errorf("%v has no fault", err)
		}
		<-q.Inactive()
		done := newSignal(t, s, 1) // written without checking whether the queue is active
		q.WritePacket(q.AddWriteIndex(1, Relaxed), dispatchPacket(k, done))
		q.Doorbell().Store(1, Screlease)
		_, err = done.Wait(ctxOf(t), ConditionEQ, 0)
		wantStatus(t, err, c.status)
		done.Store(0, Relaxed)
		if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
			t.Errorf("signal that was set again: %v", err)
		}
	}
}

// TestDestroyRunning checks that destroying a queue ends its kernel and all
// waits for it.
func TestDestroyRunning(t *testing.T) {
	started := make(chan struct{}, 1)
	s, a := testSystem(t, "gfx900", func(ctx context.Context, _ *device.Dispatch) (*device.Stats, error) {
		started <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	k := testKernel(t, a)
	q := newQueue(t, a, QueueOptions{Callback: func(_ *Queue, err error) { t.Errorf("callback: %v", err) }})
	args, err := k.NewArgs()
	if err != nil {
		t.Fatal(err)
	}
	d, err := q.Enqueue(ctxOf(t), k, Grid{Size: [3]uint32{1}}, args)
	if err != nil {
		t.Fatal(err)
	}
	done := newSignal(t, s, 1)
	if _, err := q.Submit(ctxOf(t), dispatchPacket(k, done)); err != nil {
		t.Fatal(err)
	}
	<-started
	go q.Destroy()
	_, err = d.Wait(ctxOf(t))
	wantStatus(t, err, StatusErrorInvalidQueue)
	_, err = done.Wait(ctxOf(t), ConditionEQ, 0)
	wantStatus(t, err, StatusErrorInvalidQueue)
	q.Destroy()
}

// TestDoorbellKernel checks that a kernel can write a packet and ring the
// doorbell in memory.
func TestDoorbellKernel(t *testing.T) {
	for _, id := range []string{"gfx900", "gfx803"} {
		t.Run(id, func(t *testing.T) {
			var q, child *Queue
			var k *Kernel
			var done *Signal
			s, a := testSystem(t, id, func(_ context.Context, d *device.Dispatch) (*device.Stats, error) {
				if d.Queue == child.Addr() {
					return &device.Stats{}, nil
				}
				index := child.AddWriteIndex(1, Relaxed)
				child.WritePacket(index, dispatchPacket(k, done))
				sig := child.Doorbell().Handle()
				word := child.sys.word
				if atomic.LoadInt64(word(sig)) == kindLegacyDoorbell {
					queue := uint64(atomic.LoadInt64(word(sig + signalQueuePtr)))
					atomic.StoreInt64(word(queue+queueLegacyDispatchID), int64(index)+1)
				} else {
					atomic.StoreInt64(word(uint64(atomic.LoadInt64(word(sig+signalValue)))), int64(index))
				}
				return &device.Stats{}, nil
			})
			q, child, k, done = newQueue(t, a, QueueOptions{}), newQueue(t, a, QueueOptions{}), testKernel(t, a), newSignal(t, s, 1)
			if _, err := q.Dispatch(ctxOf(t), k, Grid{Size: [3]uint32{1}}); err != nil {
				t.Fatal(err)
			}
			if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
				t.Error(err)
			}
		})
	}
}
