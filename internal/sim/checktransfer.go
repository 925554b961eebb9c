package sim

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Part of check wait: asynchronous and tensor transfers (gfx12.5). Until a wave
// has waited for a transfer, no wave of its work-group may access the bytes
// that the transfer writes, or overwrite the bytes that it reads. Transfers of
// a wave that count in one counter complete in order, so of these only a
// transfer that reads what an earlier one writes is an error.
//
// Arrivals at barriers in LDS follow the transfers. Other waves may wait for
// the barrier instead of the counter, so an arrival ends the check of the
// wave's transfers.

// transferSpan is a range of bytes that an outstanding transfer accesses.
type transferSpan struct {
	lo, hi  uint64
	pc      uint64
	o       *op
	number  uint32 // of the transfer, counting the transfers of its counter
	counter waitcnt.Counter
	space   space
	writes  bool
}

// transferCheck tracks the transfers of one wave.
type transferCheck struct {
	spans   []transferSpan
	begun   [waitcnt.NumCounters]uint32
	last    [spaceLDS + 1]int // index plus 1 of the current transfer's last span
	now     *op               // the current instruction, if it is a transfer
	counter waitcnt.Counter   // of the current transfer
	arrives bool              // the current transfer arrives at a barrier
}

func newTransferCheck(w *wave) waveChecker {
	if !w.dev.set.Has(isa.PropAsync) {
		return nil
	}
	w.transfers = &transferCheck{}
	return w.transfers
}

func (c *transferCheck) start(*wave) { *c = transferCheck{spans: c.spans[:0]} }
func (c *transferCheck) end(*wave)   { c.spans = c.spans[:0] }

func (c *transferCheck) before(w *wave, o *op, uses []reguse.Use) {
	f := &o.facts.wait
	if f.waits {
		c.wait(f)
	}
	if f.n == 0 {
		return
	}
	if k := f.counts[0].Counter; k == waitcnt.Async || k == waitcnt.Tensor {
		c.now, c.counter, c.last, c.arrives = o, k, [spaceLDS + 1]int{}, o.ds != nil
		c.begun[k]++
	}
}

func (c *transferCheck) after(*wave, *op, []reguse.Use) {
	if c.now != nil && c.arrives {
		c.complete(c.counter, 0)
	}
	c.now = nil
}

// wait updates the state for a wait instruction.
func (c *transferCheck) wait(f *waitFacts) {
	for _, k := range [...]waitcnt.Counter{waitcnt.Async, waitcnt.Tensor} {
		if n := f.wait.Limits[k]; n != waitcnt.None {
			c.complete(k, uint32(n))
		}
	}
}

// complete removes all but the last n transfers of a counter.
func (c *transferCheck) complete(k waitcnt.Counter, n uint32) {
	c.remove(func(s *transferSpan) bool { return s.counter == k && c.begun[k]-s.number >= n })
}

func (c *transferCheck) remove(gone func(s *transferSpan) bool) {
	kept := c.spans[:0]
	for i := range c.spans {
		if !gone(&c.spans[i]) {
			kept = append(kept, c.spans[i])
		}
	}
	c.spans, c.last = kept, [spaceLDS + 1]int{}
}

// access compares an access with the outstanding transfers of the work-group,
// and records it if it belongs to a transfer.
func (c *transferCheck) access(w *wave, a *memAccess) {
	if a.space > spaceLDS {
		return
	}
	for _, other := range w.group.waves[:w.group.begun] {
		if t := other.transfers; t != nil && len(t.spans) > 0 {
			t.compare(w, a, c, other.index)
		}
	}
	if c.now != nil && !(a.space == spaceLDS && c.now.ds != nil) {
		for rest := a.lanes; rest != 0; rest &= rest - 1 {
			c.record(w, a, a.addr[bits.TrailingZeros64(rest)&63])
		}
	}
}

// record adds the bytes of a lane to the current transfer.
func (c *transferCheck) record(w *wave, a *memAccess, addr uint64) {
	end := addr + uint64(a.bytes)
	if i := c.last[a.space]; i > 0 && c.spans[i-1].hi == addr {
		c.spans[i-1].hi = end
		return
	}
	c.spans = append(c.spans, transferSpan{lo: addr, hi: end, pc: w.address(w.at), o: c.now, number: c.begun[c.counter], counter: c.counter,
		space: a.space, writes: a.kind != accessLoad})
	c.last[a.space] = len(c.spans)
}

// compare reports an access by wave w, whose check is by, that an outstanding
// transfer of c's wave conflicts with.
func (c *transferCheck) compare(w *wave, a *memAccess, by *transferCheck, owner int) {
	for i := range c.spans {
		s := &c.spans[i]
		if s.space != a.space || !s.writes && a.kind == accessLoad || c.follows(s, a, by) {
			continue
		}
		for rest := a.lanes; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest) & 63
			if addr := a.addr[l]; addr < s.hi && s.lo < addr+uint64(a.bytes) {
				c.found(w, a, *s, l, owner)
				return
			}
		}
	}
}

// follows reports whether an access is part of the transfer of a span, or of
// another transfer that needs no wait.
func (c *transferCheck) follows(s *transferSpan, a *memAccess, by *transferCheck) bool {
	switch {
	case by.now == nil:
		return false
	case c != by: // two stores of transfers are left to check race
		return s.writes && a.kind != accessLoad
	case s.number == c.begun[s.counter] && s.counter == c.counter:
		return true
	}
	return s.counter == c.counter && !(s.writes && a.kind == accessLoad)
}

// found reports an access to bytes of an outstanding transfer.
func (c *transferCheck) found(w *wave, a *memAccess, s transferSpan, lane, owner int) {
	later := c.begun[s.counter] - s.number
	if a.scalar || w.exec()>>lane&1 == 0 {
		lane = -1
	}
	addr := max(a.addr[max(lane, 0)], s.lo)
	w.report(found{check: device.CheckWait, kind: "transfer", other: s.pc, lane: lane, addr: addr, text: func() (string, string) {
		where, verb, has := "memory", "read", "read"
		if s.space == spaceLDS {
			where = "LDS"
		}
		if a.kind != accessLoad {
			verb = "written"
		}
		if s.writes {
			has = "written"
		}
		needs := waitcnt.Name(w.dev.set, s.counter)
		if later > 0 {
			needs = fmt.Sprintf("%s(%d) or lower", needs, later)
		} else {
			needs += "(0)"
		}
		return fmt.Sprintf("%s at %#x is %s, but %s may not have %s it yet: needs %s", where, addr, verb, s.o.in.Enc.Name(), has, needs),
			fmt.Sprintf("transfer of wave %d", owner)
	}})
	c.remove(func(x *transferSpan) bool { return x.counter == s.counter && x.number == s.number })
}
