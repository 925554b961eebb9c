package hsa

import "time"

// Intervals for polling signals that kernels may have changed in memory.
const (
	pollFirst = 20 * time.Microsecond
	pollLast  = time.Millisecond
)

// dispatchBegins records that a device is running a dispatch. Kernels change
// signals by atomic operations on memory, without notifying the host. A
// goroutine therefore polls the signals with waiters while any dispatch is
// running.
func (s *System) dispatchBegins() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running++; s.running > 1 {
		return
	}
	s.poll = make(chan struct{})
	s.polling.Add(1)
	go s.pollSignals(s.poll)
}

func (s *System) dispatchEnds() {
	s.mu.Lock()
	if s.running--; s.running == 0 {
		close(s.poll)
	}
	s.mu.Unlock()
	s.signals.recheck()
	s.ringAll()
}

func (s *System) pollSignals(stop <-chan struct{}) {
	defer s.polling.Done()
	t := time.NewTimer(pollFirst)
	defer t.Stop()
	for every := pollFirst; ; every = min(2*every, pollLast) {
		select {
		case <-stop:
			return
		case <-t.C:
		}
		s.signals.recheck()
		s.ringAll()
		t.Reset(every)
	}
}

// ringAll checks the doorbells that a kernel may have rung.
func (s *System) ringAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for q := range s.queues {
		q.checkDoorbell()
	}
}
