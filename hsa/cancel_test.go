package hsa

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
)

// cancelKernels lists long-running kernels.
var cancelKernels = []struct {
	name, text string
	grid       Grid
}{
	{"endless loop", "again: s_branch again", oneGroup(1024)},
	{"sleeping loop", "again: s_sleep 1\ns_branch again", oneGroup(64)},
	{"vector loop", "again: v_add_f32_e32 v1, v2, v3\nv_mul_f32_e32 v2, v1, v3\ns_branch again", Grid{Size: [3]uint32{1 << 16}, Group: [3]uint16{1024}}},
	{"barriers", "again: s_barrier\ns_branch again", oneGroup(1024)},
	{"wave that others wait for", "v_readfirstlane_b32 s10, v0\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc1 again\ns_barrier\ns_endpgm\nagain: s_nop 0\ns_branch again", oneGroup(512)},
	{"many work-groups", "s_nop 0", Grid{Size: [3]uint32{1 << 30}, Group: [3]uint16{1}}},
}

// cancelTime cancels a running dispatch and returns the time until it ended.
func cancelTime(t *testing.T, q *Queue, k *Kernel, g Grid) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(ctxOf(t))
	var at time.Time
	timer := time.AfterFunc(20*time.Millisecond, func() { at = time.Now(); cancel() })
	defer timer.Stop()
	_, err := q.Dispatch(ctx, k, g)
	took := time.Since(at)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want that the context was cancelled", err)
	}
	return took
}

// TestCancelDispatch checks that cancelling the context of Queue.Dispatch stops
// the kernel within 100 ms, and that the queue remains active.
func TestCancelDispatch(t *testing.T) {
	for _, checks := range []device.Checks{0, device.CheckAll} {
		for _, c := range cancelKernels {
			name := c.name
			if checks != 0 {
				name += " with checks"
			}
			t.Run(name, func(t *testing.T) {
				_, a := simSystem(t, "gfx900", device.Options{Workers: 2, Checks: checks, Finding: func(*device.Finding) {}})
				q := newQueue(t, a, QueueOptions{})
				defer q.Destroy()
				k, after := simKernel{text: c.text}.load(t, a), simKernel{text: "s_nop 0"}.load(t, a)
				best := time.Hour
				for range 5 { // on a loaded host, the processor may be unavailable for long
					if best = min(best, cancelTime(t, q, k, c.grid)); best < 100*time.Millisecond {
						break
					}
				}
				if best >= 100*time.Millisecond {
					t.Errorf("the kernel went on for %v", best)
				}
				if _, err := q.Dispatch(ctxOf(t), after, oneGroup(64)); err != nil {
					t.Errorf("the next dispatch: %v", err)
				}
			})
		}
	}
}

// TestCancelWaiting checks that a cancelled dispatch that waits for an earlier
// one never runs, and that the earlier one continues.
func TestCancelWaiting(t *testing.T) {
	_, a := simSystem(t, "gfx900", device.Options{Workers: 1})
	ran := 0
	q := newQueue(t, a, QueueOptions{Dispatched: func(*device.Dispatch, *device.Stats, error) { ran++ }})
	defer q.Destroy()
	k := simKernel{text: "again: s_sleep 1\ns_branch again"}.load(t, a)
	enqueue := func() *Dispatch {
		args, err := k.NewArgs()
		if err != nil {
			t.Fatal(err)
		}
		d, err := q.Enqueue(ctxOf(t), k, oneGroup(64), args)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first, second := enqueue(), enqueue()
	second.Cancel()
	if _, err := second.Wait(ctxOf(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("second: %v", err)
	}
	select {
	case <-first.Done():
		t.Error("the first dispatch ended")
	default:
	}
	first.Cancel()
	first.Cancel()
	if _, err := first.Wait(ctxOf(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("first: %v", err)
	}
	q.Destroy()
	if ran > 1 || q.Err() == nil {
		t.Errorf("%d kernels ran, want the first at most", ran)
	}
}
