package hsa

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
)

// TestAsyncHandler checks that a handler is called each time the value meets
// its condition until it returns false, and that it is removed when its signal
// is destroyed.
func TestAsyncHandler(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	sig := newSignal(t, s, 0)
	var seen []int64
	over := make(chan struct{})
	err := sig.AsyncHandler(ConditionGTE, 1, func(v int64) bool {
		seen = append(seen, v)
		if len(seen) == 3 {
			close(over)
			return false
		}
		sig.Store(0, Screlease)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		sig.Store(10*i+5, Screlease)
		if i < 2 {
			if _, err := sig.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	<-over
	if len(seen) != 3 || seen[0] != 5 || seen[1] != 15 || seen[2] != 25 {
		t.Errorf("values %d", seen)
	}
	sig.Store(7, Screlease)
	other := newSignal(t, s, 1)
	if err := other.AsyncHandler(ConditionEQ, 0, func(int64) bool { t.Error("called"); return false }); err != nil {
		t.Fatal(err)
	}
	if err := other.Destroy(); err != nil {
		t.Fatal(err)
	}
	again := newSignal(t, s, 0) // same address
	if again.addr != other.addr {
		t.Logf("another address: %#x, %#x", again.addr, other.addr)
	}
	time.Sleep(5 * time.Millisecond)
	wantStatus(t, sig.AsyncHandler(ConditionEQ, 0, nil), StatusErrorInvalidArgument)
	wantStatus(t, other.AsyncHandler(9, 0, func(int64) bool { return false }), StatusErrorInvalidArgument)
	_, err = other.Wait(ctxOf(t), ConditionEQ, 5)
	wantStatus(t, err, StatusErrorInvalidSignal, "destroyed")
	if len(seen) != 3 {
		t.Errorf("values %d", seen)
	}
	var calls atomic.Int64 // calls of a handler that always returns true
	if err := again.AsyncHandler(ConditionEQ, 0, func(int64) bool { calls.Add(1); return true }); err != nil {
		t.Fatal(err)
	}
	for calls.Load() < 10 {
		time.Sleep(time.Millisecond)
	}
	s.Shutdown()
	wantStatus(t, sig.AsyncHandler(ConditionEQ, 0, func(int64) bool { return false }), StatusErrorNotInitialized)
}

// TestAsyncHandlerKernel checks that a kernel's completion calls the handler of
// its completion signal, which starts the next kernel.
func TestAsyncHandlerKernel(t *testing.T) {
	s, a := simSystem(t, "gfx1030", device.Options{})
	k := simKernel{text: "s_nop 0"}.load(t, a)
	q, done, all := newQueue(t, a, QueueOptions{}), newSignal(t, s, 1), newSignal(t, s, 5)
	start := func() {
		if _, err := q.Submit(ctxOf(t), dispatchPacket(k, done)); err != nil {
			t.Error(err)
		}
	}
	err := done.AsyncHandler(ConditionLT, 1, func(int64) bool {
		done.Store(1, Relaxed)
		all.Subtract(1, Screlease)
		if all.Load(Scacquire) == 0 {
			return false
		}
		start()
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	start()
	if _, err := all.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Error(err)
	}
}

// TestCopyAsync checks that a copy waits for a kernel and a kernel for the
// copy.
func TestCopyAsync(t *testing.T) {
	k := simKernel{args: "pointer", text: loadArg + `
		v_lshlrev_b32_e32 v1, 2, v0
		laneaddr 4, 5, 10, 11, 1
		flat_load_dword v6, v[4:5]
		wait
		v_mul_u32_u24_e32 v6, 3, v6
		flat_store_dword v[4:5], v6`}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		s.SetCopyProfiling(true)
		x, y := fineBuffer(t, s, 256), fineBuffer(t, s, 256)
		for i := range Slice[uint32](x) {
			Slice[uint32](x)[i] = uint32(i)
		}
		kernel, q := k.load(t, a), newQueue(t, a, QueueOptions{})
		first, copied, second := newSignal(t, s, 1), newSignal(t, s, 1), newSignal(t, s, 1)
		packet := func(b *Buffer, done *Signal) *KernelDispatchPacket {
			args := fineBuffer(t, s, 8)
			Slice[uint64](args)[0] = b.Addr()
			p := dispatchPacket(kernel, done)
			p.GridSizeX, p.KernargAddress = 64, args.Addr()
			return p
		}
		if err := s.CopyAsync(y.Addr(), x.Addr(), 256, copied, first); err != nil {
			t.Fatal(err)
		}
		for _, p := range []Packet{packet(x, first),
			&BarrierPacket{Header: Header(PacketBarrierAnd, true, 0, 0), DepSignal: [5]uint64{copied.Handle()}}, packet(y, second)} {
			if _, err := q.Submit(ctxOf(t), p); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := second.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
			t.Fatal(err)
		}
		for i := range uint32(64) {
			if Slice[uint32](x)[i] != 3*i || Slice[uint32](y)[i] != 9*i {
				t.Fatalf("x[%d] = %d, y[%d] = %d", i, Slice[uint32](x)[i], i, Slice[uint32](y)[i])
			}
		}
		if start, end, err := copied.DispatchTime(); err != nil || end < start {
			t.Errorf("copy from %d to %d, %v", start, end, err)
		}
	})
}

// TestCopyAsyncErrors checks invalid areas and a failing dependency.
func TestCopyAsyncErrors(t *testing.T) {
	s, a := simSystem(t, "gfx900", device.Options{})
	x := fineBuffer(t, s, 256)
	done := newSignal(t, s, 1)
	wantStatus(t, s.CopyAsync(0x1000, x.Addr(), 8, done), StatusErrorInvalidAllocation)
	wantStatus(t, s.CopyAsync(x.Addr(), x.Addr()+4090, 8, done), StatusErrorInvalidAllocation)
	if err := s.CopyAsync(x.Addr()+8, x.Addr(), 8, nil); err != nil {
		t.Error(err)
	}
	k := simKernel{text: "s_trap 2"}.load(t, a)
	failed := newSignal(t, s, 1)
	if err := s.CopyAsync(x.Addr()+8, x.Addr(), 8, done, failed); err != nil {
		t.Fatal(err)
	}
	var handled atomic.Bool
	if err := done.AsyncHandler(ConditionEQ, 0, func(int64) bool { handled.Store(true); return false }); err != nil {
		t.Fatal(err)
	}
	if _, err := newQueue(t, a, QueueOptions{}).Submit(ctxOf(t), dispatchPacket(k, failed)); err != nil {
		t.Fatal(err)
	}
	_, err := done.Wait(ctxOf(t), ConditionEQ, 0)
	wantStatus(t, err, StatusErrorException, "copy from", "s_trap 2")
	if handled.Load() {
		t.Error("the handler was called")
	}
}
