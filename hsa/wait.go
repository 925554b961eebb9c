package hsa

import (
	"context"
	"sync/atomic"
)

// Condition compares a signal's value with another, hsa_signal_condition_t.
type Condition uint8

const (
	ConditionEQ  Condition = 0
	ConditionNE  Condition = 1
	ConditionLT  Condition = 2
	ConditionGTE Condition = 3
)

// holds reports whether a value meets a condition.
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

// Wait is a signal and what its value is waited for to be.
type Wait struct {
	Signal    *Signal
	Condition Condition
	Compare   int64
}

// Wait waits until the value meets a condition, hsa_signal_wait_scacquire, and gives a
// value that did. Otherwise it gives the value and an error: the context's when
// that ends; that of a queue which became inactive before it processed a packet that
// has this completion signal; StatusErrorNotInitialized when the system is shut down.
//
// A change by the host or the end of a packet wakes at once, a change by a kernel's
// atomic within a millisecond or so. SilentStore does not wake.
func (s *Signal) Wait(ctx context.Context, c Condition, compare int64) (int64, error) {
	_, v, err := s.sys.WaitAny(ctx, Wait{s, c, compare})
	return v, err
}

// WaitAny waits until one of several signals meets its condition,
// hsa_amd_signal_wait_any, and gives its index and value. Errors are those of
// Signal.Wait; the index is then -1.
func (s *System) WaitAny(ctx context.Context, waits ...Wait) (int, int64, error) {
	w, err := s.newWaiter(waits)
	if err != nil {
		return -1, 0, err
	}
	return s.signals.wait(ctx, w)
}

// WaitAll waits until all signals meet their conditions at one time,
// hsa_amd_signal_wait_all. Errors are those of Signal.Wait.
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

// term is a value in memory that is waited for. Its signal's address is 0 when it
// is the value of none.
type term struct {
	addr    uint64
	value   *int64
	mask    int64
	cond    Condition
	compare int64
}

func (t *term) load() int64 { return atomic.LoadInt64(t.value) & t.mask }

// waiter is one who waits for any or for all of the terms.
type waiter struct {
	terms []term
	sigs  []*Signal // those of the terms that the host waits for
	all   bool
	queue *Queue // if not nil, waiting ends when it becomes inactive
	wake  chan struct{}
	dead  error // a signal is destroyed; under signalTable.mu
}

// registered ends waiting for a signal that is destroyed already. The lock is held.
func (w *waiter) registered(t *signalTable) {
	for _, s := range w.sigs {
		if t.live[s.addr] != s {
			w.gone(s.addr)
		}
	}
}

// gone ends waiting when one of the terms' signals is the one that is destroyed.
func (w *waiter) gone(addr uint64) {
	for i := range w.terms {
		if w.terms[i].addr == addr {
			w.dead = errorf(StatusErrorInvalidSignal, "signal %#x that is waited for is destroyed", addr)
			w.rouse()
		}
	}
}

// met gives the term that decided and its value, or -1.
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

// over tells why waiting is in vain. The lock is held.
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

// wait waits until a waiter's terms are met.
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
			// What failed the signal may have come after it was set.
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

// recheck wakes those whose waiting is at its end.
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

// wakeAll lets all who wait look anew.
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
