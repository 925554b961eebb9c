package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Part of check wait: sources of memory instructions (gfx12.5). The hardware
// executes a memory instruction again if it cannot translate an address at
// once. Until xcnt proves that the addresses are translated, nothing may
// overwrite the registers that the instruction reads. Vector memory
// instructions translate in order; scalar ones do not. The hardware finishes the
// translations of one kind before it begins the translations of the other. Source: LLVM,
// SIInsertWaitcnts, which also relies on a vector memory instruction that
// overwrites a source of an earlier one: it assumes that the earlier one is
// translated then. It also lets a called function overwrite the caller's
// sources, so a call ends the check of the instructions before it.

// translation is a memory instruction whose addresses may not be translated.
type translation struct {
	pc    uint64
	o     *op
	lanes uint64
	begun [waitcnt.NumCounters]uint32 // its number among the instructions of each counter
	in    uint16                      // counters that it increments, one bit each
}

// translationCheck tracks the memory instructions of one wave. Instructions have
// numbers from 1 on.
type translationCheck struct {
	list   []translation // the instructions after number done
	done   uint32        // all instructions up to this number are translated
	scalar bool          // kind of the instructions in list
	begun  [waitcnt.NumCounters]uint32
	reads  [reguse.NumRegs]uint32 // number of the last instruction that reads a register
}

func newTranslationCheck(w *wave) waveChecker {
	if waitcnt.Max(w.dev.set, waitcnt.Translation) == 0 {
		return nil
	}
	return &translationCheck{}
}

func (c *translationCheck) start(*wave) { *c = translationCheck{list: c.list[:0]} }
func (c *translationCheck) end(*wave)   {}

func (c *translationCheck) before(w *wave, o *op, uses []reguse.Use) {
	f := &o.facts.wait
	if f.waits {
		c.wait(f)
	}
	if f.translates && f.scalar != c.scalar || isCall(o) {
		c.complete(len(c.list))
	}
	if len(c.list) == 0 {
		return
	}
	lanes := w.reach(o, f.across)
	for i := range uses {
		u := &uses[i]
		if u.How&reguse.Write == 0 || !mayReplay(u.First) {
			continue
		}
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			n := c.reads[r]
			if n <= c.done || u.First < reguse.Scalar && c.list[n-c.done-1].lanes&lanes == 0 {
				continue
			}
			if i := int(n - c.done - 1); f.translates && !c.scalar {
				c.complete(i + 1)
			} else {
				c.found(w, r, i)
			}
			return
		}
	}
}

// isCall reports whether an instruction jumps and saves the return address.
func isCall(o *op) bool {
	return o.class == classBranch && reguse.FindOperand(&o.in, isa.FieldSdst) != nil
}

// mayReplay reports whether the check concerns a register: VGPRs, SGPRs and VCC.
func mayReplay(r reguse.Reg) bool { return r < reguse.Scalar+endVCC }

func (c *translationCheck) after(w *wave, o *op, uses []reguse.Use) {
	f := &o.facts.wait
	t := translation{pc: w.address(w.at), o: o, lanes: w.exec()}
	for _, e := range f.counts[:f.n] {
		c.begun[e.Counter]++
		t.begun[e.Counter] = c.begun[e.Counter]
		t.in |= 1 << e.Counter
	}
	if !f.translates || w.stop == faulted || !f.scalar && t.lanes == 0 {
		return
	}
	if len(c.list) == waitcnt.Max(w.dev.set, waitcnt.Translation) {
		c.complete(1)
	}
	c.scalar = f.scalar
	c.list = append(c.list, t)
	number := c.done + uint32(len(c.list))
	for i := range uses {
		if u := &uses[i]; u.How&reguse.Read != 0 && mayReplay(u.First) {
			for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
				c.reads[r] = number
			}
		}
	}
}

// complete records that the first n instructions of the list are translated.
func (c *translationCheck) complete(n int) {
	if n <= 0 {
		return
	}
	c.done += uint32(n)
	c.list = c.list[:copy(c.list, c.list[n:])]
}

// wait updates the state for a wait instruction. A complete instruction is
// translated, as are vector memory instructions before it.
func (c *translationCheck) wait(f *waitFacts) {
	for k, n := range f.wait.Limits {
		k, n := waitcnt.Counter(k), int(n)
		switch {
		case n == waitcnt.None || c.scalar && n > 0:
		case k == waitcnt.Translation:
			c.complete(len(c.list) - n)
		default:
			last := 0
			for i := range c.list {
				if t := &c.list[i]; t.in>>k&1 != 0 && int(c.begun[k]-t.begun[k]) >= n {
					last = i + 1
				}
			}
			c.complete(last)
		}
	}
}

// found reports a register that an instruction may read again.
func (c *translationCheck) found(w *wave, r reguse.Reg, i int) {
	t, later := c.list[i], len(c.list)-1-i
	w.report(found{check: device.CheckWait, kind: "xcnt", other: t.pc, lane: -1, text: func() (string, string) {
		needs := waitcnt.Name(w.dev.set, waitcnt.Translation)
		if later > 0 && !c.scalar {
			needs = fmt.Sprintf("%s(%d) or lower", needs, later)
		} else {
			needs += "(0)"
		}
		return fmt.Sprintf("%s is written, but %s may execute again and read it: needs %s", r, t.o.in.Enc.Name(), needs), ""
	}})
	c.complete(i + 1)
}
