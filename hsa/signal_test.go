package hsa

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
)

func newSignal(t testing.TB, s *System, v int64) *Signal {
	t.Helper()
	sig, err := s.NewSignal(v)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

func TestSignalOperations(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	sig := newSignal(t, s, 12)
	b, _ := s.View(sig.Handle(), SignalSize)
	if sig.Handle()%64 != 0 || binary.LittleEndian.Uint64(b) != 1 || binary.LittleEndian.Uint64(b[8:]) != 12 {
		t.Errorf("amd_signal_t at %#x: % x", sig.Handle(), b)
	}
	want := func(op string, v int64) {
		t.Helper()
		if got := sig.Load(Scacquire); got != v {
			t.Errorf("%s: %d, want %d", op, got, v)
		}
	}
	sig.Add(5, ScacqScrel)
	want("add", 17)
	sig.Subtract(18, Relaxed)
	want("subtract", -1)
	sig.And(0xff, Relaxed)
	want("and", 0xff)
	sig.Or(0x100, Relaxed)
	want("or", 0x1ff)
	sig.Xor(0x0f, Relaxed)
	want("xor", 0x1f0)
	if old := sig.Exchange(3, ScacqScrel); old != 0x1f0 {
		t.Errorf("exchange returned %d", old)
	}
	if old := sig.CompareAndSwap(4, 9, ScacqScrel); old != 3 {
		t.Errorf("cas returned %d", old)
	}
	want("cas that fails", 3)
	if old := sig.CompareAndSwap(3, 9, ScacqScrel); old != 3 {
		t.Errorf("cas returned %d", old)
	}
	want("cas", 9)
	sig.Store(-4, Screlease)
	want("store", -4)
	if s.Signal(sig.Handle()) != sig {
		t.Error("handle leads to another signal")
	}
	if err := sig.Destroy(); err != nil {
		t.Error(err)
	}
	wantStatus(t, sig.Destroy(), StatusErrorInvalidSignal)
}

// TestSignalWait checks each condition with a change by another goroutine.
func TestSignalWait(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	for _, c := range []struct {
		cond          Condition
		from, to, cmp int64
	}{{ConditionEQ, 1, 0, 0}, {ConditionNE, 7, 8, 7}, {ConditionLT, 5, -1, 0}, {ConditionGTE, -1, 3, 3}} {
		sig := newSignal(t, s, c.from)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		if v, err := sig.Wait(ctx, c.cond, c.cmp); !errors.Is(err, context.DeadlineExceeded) || v != c.from {
			t.Errorf("condition %d: %d, %v before the change", c.cond, v, err)
		}
		cancel()
		time.AfterFunc(time.Millisecond, func() { sig.Store(c.to, Screlease) })
		if v, err := sig.Wait(ctxOf(t), c.cond, c.cmp); err != nil || v != c.to {
			t.Errorf("condition %d: %d, %v", c.cond, v, err)
		}
	}
}

func TestSignalWaitSeveral(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	a, b := newSignal(t, s, 1), newSignal(t, s, 1)
	waits := []Wait{{a, ConditionEQ, 0}, {b, ConditionEQ, 0}}
	time.AfterFunc(time.Millisecond, func() { b.Subtract(1, Screlease) })
	if i, v, err := s.WaitAny(ctxOf(t), waits...); i != 1 || v != 0 || err != nil {
		t.Errorf("any: %d, %d, %v", i, v, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if err := s.WaitAll(ctx, waits...); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("all: %v", err)
	}
	time.AfterFunc(time.Millisecond, func() { a.Store(0, Screlease) })
	if err := s.WaitAll(ctxOf(t), waits...); err != nil {
		t.Errorf("all: %v", err)
	}
	_, _, err := s.WaitAny(ctxOf(t))
	wantStatus(t, err, StatusErrorInvalidArgument)
}

// TestSignalContention checks that no wake-up is lost with many waiters and
// writers.
func TestSignalContention(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	const n, rounds = 8, 200
	ping, pong := newSignal(t, s, 0), newSignal(t, s, 0)
	ctx := ctxOf(t)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for r := range int64(rounds) {
				if _, err := ping.Wait(ctx, ConditionGTE, r+1); err != nil {
					t.Error(err)
					return
				}
				pong.Add(1, ScacqScrel)
			}
		})
	}
	for r := range int64(rounds) {
		ping.Add(1, Screlease)
		if _, err := pong.Wait(ctx, ConditionGTE, n*(r+1)); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

// TestSignalKernel checks that a kernel's atomic operation wakes waiters.
func TestSignalKernel(t *testing.T) {
	release := make(chan struct{})
	var sys *System
	s, a := testSystem(t, "gfx900", func(ctx context.Context, d *device.Dispatch) (*device.Stats, error) {
		atomic.AddInt64(sys.word(d.Kernarg), 41) // address of a signal's value
		<-release
		return &device.Stats{}, nil
	})
	sys = s
	sig := newSignal(t, s, 1)
	k := testKernel(t, a)
	q := newQueue(t, a, QueueOptions{})
	done := newSignal(t, s, 1)
	p := dispatchPacket(k, done)
	p.KernargAddress = sig.Handle() + signalValue
	if _, err := q.Submit(ctxOf(t), p); err != nil {
		t.Fatal(err)
	}
	if v, err := sig.Wait(ctxOf(t), ConditionNE, 1); v != 42 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	close(release)
	if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Error(err)
	}
}

// TestSignalMailbox checks that the event ID is stored in a signal's mailbox.
func TestSignalMailbox(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	sig := newSignal(t, s, 1)
	box, err := s.Host().Allocate(8)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := s.View(sig.Handle(), SignalSize)
	binary.LittleEndian.PutUint64(b[signalMailbox:], box.Addr())
	binary.LittleEndian.PutUint32(b[signalEventID:], 77)
	sig.Store(0, Screlease)
	if v := Slice[uint64](box)[0]; v != 77 {
		t.Errorf("mailbox has %d", v)
	}
}

func TestShutdownWakes(t *testing.T) {
	s, _ := testSystem(t, "gfx900", nil)
	sig := newSignal(t, s, 1)
	time.AfterFunc(time.Millisecond, s.Shutdown)
	_, err := sig.Wait(ctxOf(t), ConditionEQ, 0)
	wantStatus(t, err, StatusErrorNotInitialized)
	_, err = s.NewSignal(0)
	wantStatus(t, err, StatusErrorNotInitialized)
}
