package hsa

import (
	"context"
	"sync/atomic"
)

// Condition is a comparison of a signal's value with another value,
// hsa_signal_condition_t.
type Condition uint8

// Conditions of waits: the signal's value is equal to, different from, less
// than, or greater than or equal to the other value. Values: hsa.h,
// hsa_signal_condition_t.
const (
	ConditionEQ  Condition = 0
	ConditionNE  Condition = 1
	ConditionLT  Condition = 2
	ConditionGTE Condition = 3
)

// holds reports whether v meets the condition.
func (c Condition) holds(v, compare int64) bool {
	switch c {
	case ConditionEQ:
		return v == compare
	case ConditionNE:
		return v != compare
	case ConditionLT:
		return v < compare
	}
	return v >= compare
}

// Wait is a signal and the condition to wait for.
type Wait struct {
	Signal    *Signal   // signal whose value is compared
	Condition Condition // comparison
	Compare   int64     // value to compare with
}

// Wait waits until the value meets a condition and returns such a value,
// hsa_signal_wait_scacquire. On failure it returns the current value and an
// error: the context's error; the error of a queue that became inactive before
// processing a packet with this completion signal; or StatusErrorNotInitialized
// if the system is shut down.
//
// Changes by the host and completed packets wake the waiter immediately,
// changes by a kernel's atomic operations within about a millisecond.
// SilentStore does not wake it.
func (s *Signal) Wait(ctx context.Context, c Condition, compare int64) (int64, error) {
	_, v, err := s.sys.WaitAny(ctx, Wait{s, c, compare})
	return v, err
}

// WaitAny waits until one of several signals meets its condition and returns
// its index and value, hsa_amd_signal_wait_any. It returns the same errors as
// Signal.Wait, with index -1.
func (s *System) WaitAny(ctx context.Context, waits ...Wait) (int, int64, error) {
	w, err := s.newWaiter(waits)
	if err != nil {
		return -1, 0, err
	}
	return s.signals.wait(ctx, w)
}

// WaitAll waits until all signals meet their conditions simultaneously,
// hsa_amd_signal_wait_all. It returns the same errors as Signal.Wait.
func (s *System) WaitAll(ctx context.Context, waits ...Wait) error {
	w, err := s.newWaiter(waits)
	if err != nil {
		return err
	}
	w.all = true
	_, _, err = s.signals.wait(ctx, w)
	return err
}

func (s *System) newWaiter(waits []Wait) (*waiter, error) {
	if len(waits) == 0 {
		return nil, errorf(StatusErrorInvalidArgument, "no signal to wait for")
	}
	w := &waiter{wake: make(chan struct{}, 1)}
	for _, x := range waits {
		if x.Signal == nil || x.Signal.sys != s || x.Condition > ConditionGTE {
			return nil, errorf(StatusErrorInvalidArgument, "wait for a signal of another system or an unknown condition")
		}
		w.terms = append(w.terms, term{x.Signal.addr, x.Signal.value, -1, x.Condition, x.Compare})
		w.sigs = append(w.sigs, x.Signal)
	}
	return w, nil
}

// term is a value in memory and the condition to wait for. addr is the address
// of its signal, or 0 if the value does not belong to a signal.
type term struct {
	addr    uint64
	value   *int64
	mask    int64
	cond    Condition
	compare int64
}

func (t *term) load() int64 { return atomic.LoadInt64(t.value) & t.mask }

// waiter waits for any or all of its terms.
type waiter struct {
	terms []term
	sigs  []*Signal // signals of the terms, for waits by the host
	all   bool
	queue *Queue // if not nil, the wait ends when the queue becomes inactive
	wake  chan struct{}
	dead  error // a signal has been destroyed; guarded by signalTable.mu
}

// registered ends the wait if a signal is already destroyed. The lock must be
// held.
func (w *waiter) registered(t *signalTable) {
	for _, s := range w.sigs {
		if t.live[s.addr] != s {
			w.gone(s.addr)
		}
	}
}

// gone ends the wait if the signal at addr, which is being destroyed, belongs
// to one of the terms.
func (w *waiter) gone(addr uint64) {
	for i := range w.terms {
		if w.terms[i].addr == addr {
			w.dead = errorf(StatusErrorInvalidSignal, "signal %#x was destroyed during a wait", addr)
			w.rouse()
		}
	}
}

// met returns the index and value of the term that ends the wait, or -1.
func (w *waiter) met() (int, int64) {
	for i := range w.terms {
		t := &w.terms[i]
		v := t.load()
		if ok := t.cond.holds(v, t.compare); ok != w.all {
			if w.all {
				return -1, v
			}
			return i, v
		}
	}
	if w.all {
		return 0, w.terms[0].load()
	}
	return -1, w.terms[0].load()
}

// over returns an error if the wait cannot succeed. The lock must be held.
func (t *signalTable) over(w *waiter) error {
	if t.sys.down.Load() {
		return errShutDown()
	}
	if w.queue != nil {
		if err := w.queue.Err(); err != nil {
			return err
		}
	}
	if w.dead != nil || len(t.failed) == 0 {
		return w.dead
	}
	var err error
	for i := range w.terms {
		x := &w.terms[i]
		e := t.failed[x.addr]
		switch {
		case !w.all && e == nil:
			return nil
		case w.all && x.cond.holds(x.load(), x.compare):
		case err == nil:
			err = e
		}
	}
	return err
}

// wait waits until the conditions of a waiter are met.
func (t *signalTable) wait(ctx context.Context, w *waiter) (int, int64, error) {
	if i, v := w.met(); i >= 0 {
		return i, v, nil
	}
	t.mu.Lock()
	t.waiters[w] = struct{}{}
	t.nwaiters.Add(1)
	w.registered(t)
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		delete(t.waiters, w)
		t.nwaiters.Add(-1)
		t.mu.Unlock()
	}()
	for {
		i, v := w.met()
		if i >= 0 {
			return i, v, nil
		}
		t.mu.Lock()
		err := t.over(w)
		t.mu.Unlock()
		if err != nil {
			// The signal may have been set before it failed.
			if i, v := w.met(); i >= 0 {
				return i, v, nil
			}
			return -1, v, err
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			if i, v := w.met(); i >= 0 {
				return i, v, nil
			}
			return -1, v, ctx.Err()
		}
	}
}

// recheck wakes the waiters whose waits have ended.
func (t *signalTable) recheck() {
	if t.nwaiters.Load() == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.waiters {
		if i, _ := w.met(); i >= 0 || t.over(w) != nil {
			w.rouse()
		}
	}
}

// wakeAll makes all waiters check their conditions.
func (t *signalTable) wakeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.waiters {
		w.rouse()
	}
}

func (w *waiter) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
