package hsa

import (
	"context"
	"sync/atomic"
)

// AsyncHandler calls a function when the value meets a condition,
// hsa_amd_signal_async_handler; as long as the function gives true, and the condition
// is met, it is called again. It is called by a goroutine of the system, with a value that
// met the condition. The end of the system or of the signal ends the handler without a call, and so
// does the error of a queue for whose packet one would wait in vain; the queue's callback tells
// of that.
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

// background runs f on a goroutine that Shutdown waits for; f is to end with the waits that
// Shutdown ends.
func (s *System) background(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errShutDown()
	}
	s.async.Go(f)
	return nil
}

// CopyAsync copies memory when all of the deps are 0, and then decrements the completion
// signal, which may be nil: hsa_amd_memory_async_copy. The areas may overlap. Since all
// agents have one memory, it does not matter which of them the areas belong to. The error is
// StatusErrorInvalidAllocation for areas that are not in one allocation each. Who waits
// for the completion signal gets the error when a queue fails that a dependent signal waits
// for.
//
// With profiling on (SetCopyProfiling) DispatchTime gives when the copy began and ended.
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

// SetCopyProfiling switches timestamps in the completion signals of CopyAsync on or off,
// hsa_amd_profiling_async_copy_enable.
func (s *System) SetCopyProfiling(on bool) { s.copyProfiling.Store(on) }

// complete decrements a completion signal, with timestamps if there is profiling. It does nothing
// for an address where there is no memory.
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
