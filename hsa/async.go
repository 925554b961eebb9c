package hsa

import (
	"context"
	"sync/atomic"
)

// AsyncHandler registers a handler that is called when the signal's value meets
// a condition, hsa_amd_signal_async_handler. The handler runs on a goroutine of
// the system with a value that met the condition. It is called again for as
// long as it returns true and the condition is met.
//
// The handler is removed without a call when the system is shut down, when the
// signal is destroyed, or when a queue fails before processing the packet that
// would have completed the signal. The queue's callback reports such a failure.
func (s *Signal) AsyncHandler(c Condition, compare int64, handler func(value int64) bool) error {
	w, err := s.sys.newWaiter([]Wait{{s, c, compare}})
	if err != nil {
		return err
	}
	if handler == nil {
		return errorf(StatusErrorInvalidArgument, "no handler")
	}
	return s.sys.background(func() {
		for {
			_, v, err := s.sys.signals.wait(context.Background(), w)
			if err != nil || s.sys.down.Load() || s.sys.Signal(s.addr) != s || !handler(v) {
				return
			}
		}
	})
}

// background runs f on a goroutine that Shutdown waits for. f must return when
// Shutdown ends its waits.
func (s *System) background(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errShutDown()
	}
	s.async.Go(f)
	return nil
}

// CopyAsync copies memory once all signals in deps are 0, and then decrements
// the completion signal, which may be nil: hsa_amd_memory_async_copy. The areas
// may overlap. They may belong to any agents, since all agents share one
// memory. The error is StatusErrorInvalidAllocation if an area is not contained
// in one allocation. If a queue fails that a signal in deps depends on, waits
// for the completion signal return the queue's error.
//
// If profiling is enabled (SetCopyProfiling), DispatchTime returns the start
// and end of the copy.
func (s *System) CopyAsync(dst, src, size uint64, completion *Signal, deps ...*Signal) error {
	to, err := s.View(dst, size)
	if err != nil {
		return err
	}
	from, err := s.View(src, size)
	if err != nil {
		return err
	}
	if completion != nil && completion.sys != s {
		return errorf(StatusErrorInvalidSignal, "completion signal of another system")
	}
	waits := make([]Wait, len(deps))
	for i, d := range deps {
		waits[i] = Wait{d, ConditionEQ, 0}
	}
	return s.background(func() {
		if len(waits) > 0 {
			if err := s.WaitAll(context.Background(), waits...); err != nil {
				if completion != nil {
					s.signals.fail(causedBy(StatusOf(err), err, "copy from %#x to %#x", src, dst), completion.addr)
				}
				return
			}
		}
		start := s.Timestamp()
		copy(to, from)
		if completion != nil {
			s.complete(completion.addr, start, s.Timestamp(), s.copyProfiling.Load())
		}
	})
}

// SetCopyProfiling enables or disables timestamps in the completion signals of
// CopyAsync, hsa_amd_profiling_async_copy_enable.
func (s *System) SetCopyProfiling(on bool) { s.copyProfiling.Store(on) }

// complete decrements a completion signal, and stores timestamps if profiling
// is enabled. It has no effect if the address is unmapped.
func (s *System) complete(sig, start, end uint64, profiling bool) {
	w := s.word(sig + signalValue)
	if sig == 0 || w == nil {
		return
	}
	if profiling {
		atomic.StoreInt64(s.word(sig+signalStartTS), int64(start))
		atomic.StoreInt64(s.word(sig+signalEndTS), int64(max(end, 1)))
	}
	atomic.AddInt64(w, -1)
	s.interrupt(sig)
}
