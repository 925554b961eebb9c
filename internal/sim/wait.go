package sim

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Check wait reports registers that are read or overwritten while an
// outstanding memory operation may still write or read them.
//
// A memory instruction increments counters, which are decremented when it
// completes (package waitcnt). An instruction of an ordered stream is complete
// when the counter is at most the number of later instructions in its stream,
// another one only when the counter is 0.

// waitFacts holds the properties of an instruction that the check uses.
type waitFacts struct {
	counts [waitcnt.MaxEvents]waitcnt.Event // counters that it increments, with its stream in each
	n      uint8                            // number of elements of counts
	flat   bool                             // the counters depend on its addresses
	locks  bool                             // its sources are read by the time expcnt is decremented
	memory bool                             // vector memory
	// translates is set for instructions that count in xcnt, scalar for instructions of
	// scalar memory.
	translates, scalar bool
	waits              bool // it waits for counters
	wait               waitcnt.Wait
	across             laneReach
}

// laneReach describes which lanes of its VGPRs an instruction accesses.
type laneReach uint8

const (
	reachExec laneReach = iota // active lanes
	reachAll                   // all lanes
	reachOne                   // the lane selected by source 1
)

// waitFactsOf returns the facts of an instruction.
func waitFactsOf(in *isa.Inst) (f waitFacts) {
	f.across = reachOf(in)
	f.wait, f.waits = waitcnt.Of(in)
	o := waitcnt.OpOf(in)
	list, n := o.Events(in.Set)
	f.flat = o.Flat()
	f.memory = o.Traits.Any(isa.TraitVm)
	for _, e := range list[:n] {
		if e.Counter == waitcnt.Translation { // concerns sources only: see translationCheck
			f.translates, f.scalar = true, e.Stream == waitcnt.ScalarMemory
			continue
		}
		f.counts[f.n] = e
		f.n++
		f.locks = f.locks || e.Counter == waitcnt.Export && e.Stream != waitcnt.Direct
	}
	return f
}

// waitsForStores reports whether an instruction waits for stores. If it allows
// some operations to remain outstanding, those are assumed to be irrelevant.
func (f *waitFacts) waitsForStores(s isa.Set) bool {
	c := waitcnt.ForStores(s)
	n := f.wait.Limits[c]
	return f.waits && n != waitcnt.None && int(n) < waitcnt.Max(s, c)
}

// reachOf returns the lanes that an instruction accesses.
func reachOf(in *isa.Inst) laneReach {
	k := in.Enc.Kinds()
	switch {
	case k.Any(isa.KindReadlane | isa.KindWritelane):
		return reachOne
	case in.Enc.Variant().IsDPP(), in.Enc.Form() == isa.VINTERP, in.Enc.Traits().Any(isa.TraitMai | isa.TraitWmma),
		k.Any(isa.KindPermlane | isa.KindPermlaneSwap | isa.KindReadfirstlane):
		return reachAll
	}
	return reachExec
}

// pendingOp is an outstanding operation with registers to write or read.
type pendingOp struct {
	pc    uint64
	o     *op
	uses  []reguse.Use
	need  uint16 // counters that do not yet prove completion, one bit each
	begun [waitcnt.NumCounters]uint32
	in    [waitcnt.NumCounters]waitcnt.Stream
	lanes uint64
	locks bool   // it has not read its sources
	refs  uint16 // number of register halves and sources that it owns
	free  bool
}

// waitCheck tracks the operations of one wave.
type waitCheck struct {
	ops     []pendingOp
	live    int
	begun   [waitcnt.NumCounters][waitcnt.NumStreams]uint32 // number of operations issued
	written [reguse.NumRegs]halves                          // index plus 1 of the operation that writes a register
	locked  [reguse.NumRegs]uint16                          // index plus 1 of the operation that still reads a register
	segs    flatSegments
}

// halves refers to an operation for each half of a register.
type halves [2]uint16

func newWaitCheck(w *wave) waveChecker { return &waitCheck{} }

func (c *waitCheck) start(w *wave) { *c = waitCheck{ops: c.ops[:0]} }

func (c *waitCheck) end(w *wave) {}

func (c *waitCheck) before(w *wave, o *op, uses []reguse.Use) {
	f := &o.facts.wait
	if f.waits {
		c.wait(w, f)
	}
	if f.flat {
		c.segs = w.flatSegments(uses)
	}
	if c.live > 0 {
		lanes := w.reach(o, f.across)
		for _, how := range [...]reguse.How{reguse.Read, 0} { // report reads before writes
			for i := range uses {
				if u := &uses[i]; u.How&reguse.Read == how {
					c.use(w, o, u, lanes)
				}
			}
		}
	}
}

func (c *waitCheck) after(w *wave, o *op, uses []reguse.Use) {
	if f := &o.facts.wait; f.n > 0 && w.stop != faulted {
		c.begin(w, o, f, uses)
	}
}

// reach returns the lanes whose VGPRs an instruction accesses.
func (w *wave) reach(o *op, r laneReach) uint64 {
	switch {
	case r == reachAll:
		return w.all
	case r == reachOne && o.nsrc > 1:
		return 1 << (w.scalar(&o.src[1]) & uint64(w.lanes-1))
	}
	return w.exec()
}

// flatSegments describes the segments that the lanes of a FLAT instruction
// access.
type flatSegments struct{ lds, other bool }

func (w *wave) flatSegments(uses []reguse.Use) (s flatSegments) {
	for i := range uses {
		u := &uses[i]
		if u.Role != reguse.RoleAddr || u.N != 2 {
			continue
		}
		hi := w.register((int32(u.First)+1)*int32(w.lanes), 0)
		for rest := w.exec(); rest != 0; rest &= rest - 1 {
			if hi[bits.TrailingZeros64(rest)&63] == uint32(device.GroupAperture>>32) {
				s.lds = true
			} else {
				s.other = true
			}
		}
	}
	return s
}

// begin records an issued operation.
func (c *waitCheck) begin(w *wave, o *op, f *waitFacts, uses []reguse.Use) {
	p := pendingOp{pc: w.address(w.at), o: o, uses: uses, lanes: w.exec(), locks: f.locks}
	counts := f.counts[:f.n]
	if f.flat {
		counts = c.flatCounts(w, f)
	}
	for _, k := range counts {
		n := &c.begun[k.Counter][k.Stream.Queue()]
		*n++
		p.need |= 1 << k.Counter
		p.begun[k.Counter], p.in[k.Counter] = *n, k.Stream
		if k.Counter == waitcnt.Export {
			c.overflow(uint32(waitcnt.Max(w.dev.set, waitcnt.Export)))
		}
	}
	writes := false
	for i := range uses {
		u := &uses[i]
		writes = writes || u.How&reguse.Write != 0 && u.First != reguse.SCC || f.locks && f.locksUse(u)
	}
	if writes && (p.lanes != 0 || !f.memory) {
		c.keep(p)
	}
}

// flatCounts returns the events of a FLAT instruction according to its
// addresses: elsewhere than in LDS, in LDS, or both.
func (c *waitCheck) flatCounts(w *wave, f *waitFacts) []waitcnt.Event {
	vm, lds := f.counts[0], f.counts[1]
	switch {
	case !c.segs.lds:
		return []waitcnt.Event{vm}
	case !c.segs.other:
		return []waitcnt.Event{lds}
	case !waitcnt.FlatOrdered(w.dev.set):
		vm.Stream, lds.Stream = waitcnt.AnyOrder, waitcnt.AnyOrder
	}
	return []waitcnt.Event{vm, lds}
}

// locksUse reports whether a use prevents writes to its register while the
// instruction has not read its sources. This applies to VGPRs and EXEC; vector
// memory instructions read all but their data when they are issued.
func (f *waitFacts) locksUse(u *reguse.Use) bool {
	switch {
	case u.How&reguse.Read == 0:
		return false
	case f.memory:
		return u.Role == reguse.RoleData || u.Role == reguse.RoleResult
	}
	return u.First < reguse.Scalar || u.First == reguse.Exec
}

// keep adds an operation. An operation whose registers have all been taken by
// others is dropped, because it completes before them.
func (c *waitCheck) keep(p pendingOp) {
	i := 0
	for i < len(c.ops) && !c.ops[i].free {
		i++
	}
	if i == len(c.ops) {
		c.ops = append(c.ops, pendingOp{})
	}
	c.ops[i] = p
	c.live++
	for k := range p.uses {
		u := &p.uses[k]
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			if u.How&reguse.Write != 0 && u.First != reguse.SCC {
				for h := range c.written[r] {
					if u.Half == 0 || int(u.Half) == h+1 {
						c.assignReg(&c.written[r][h], i)
					}
				}
			}
			if p.locks && p.o.facts.wait.locksUse(u) {
				c.assignReg(&c.locked[r], i)
			}
		}
	}
}

// assignReg assigns a register to an operation.
func (c *waitCheck) assignReg(id *uint16, i int) {
	old := *id
	if *id = uint16(i + 1); old == *id {
		return
	}
	c.ops[i].refs++
	if old == 0 {
		return
	}
	if p := &c.ops[old-1]; p.refs > 1 {
		p.refs--
	} else {
		c.drop(int(old - 1))
	}
}

// drop removes an operation.
func (c *waitCheck) drop(i int) {
	p := &c.ops[i]
	id := uint16(i + 1)
	for k := range p.uses {
		u := &p.uses[k]
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			for h := range c.written[r] {
				if c.written[r][h] == id {
					c.written[r][h] = 0
				}
			}
			if c.locked[r] == id {
				c.locked[r] = 0
			}
		}
	}
	*p = pendingOp{free: true}
	c.live--
}

// later returns the number of operations issued after p in its stream. Once at
// most this many are outstanding, p is complete.
func (c *waitCheck) later(p *pendingOp, k waitcnt.Counter) uint32 {
	if !p.in[k].Ordered() {
		return 0
	}
	return c.begun[k][p.in[k].Queue()] - p.begun[k]
}

// wait updates the state for a wait instruction.
func (c *waitCheck) wait(w *wave, f *waitFacts) {
	for k, n := range f.wait.Limits {
		if n == waitcnt.None {
			continue
		}
		k, limit := waitcnt.Counter(k), uint32(n)
		if r := f.wait.SGPR; r >= 0 {
			limit += w.s[r]
		}
		for i := range c.ops {
			if p := &c.ops[i]; p.need>>k&1 != 0 && limit <= c.later(p, k) {
				if p.need &^= 1 << k; p.need == 1<<waitcnt.Export { // complete, so it has read its sources
					p.need = 0
				}
				if p.need == 0 || k == waitcnt.Export && p.locks {
					c.unlock(i, k)
				}
			}
		}
	}
}

// unlock releases the sources of an operation that has read them. It removes
// the operation if nothing remains outstanding.
func (c *waitCheck) unlock(i int, k waitcnt.Counter) {
	p := &c.ops[i]
	if p.need == 0 {
		c.drop(i)
		return
	}
	for r := range c.locked {
		if c.locked[r] == uint16(i+1) {
			c.locked[r] = 0
			p.refs--
		}
	}
	if p.locks = false; p.refs == 0 {
		c.drop(i)
	}
}

// overflow completes the oldest operations counted by expcnt: no more can be in
// flight than the counter can represent.
func (c *waitCheck) overflow(limit uint32) {
	for i := range c.ops {
		if p := &c.ops[i]; p.need>>waitcnt.Export&1 != 0 && p.in[waitcnt.Export].Ordered() && c.later(p, waitcnt.Export) >= limit {
			if p.need &^= 1 << waitcnt.Export; p.need == 0 || p.locks {
				c.unlock(i, waitcnt.Export)
			}
		}
	}
}

// use checks registers that the instruction reads or writes.
func (c *waitCheck) use(w *wave, o *op, u *reguse.Use, lanes uint64) {
	for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
		for h, id := range c.written[r] {
			if id == 0 || u.Half != 0 && int(u.Half) != h+1 {
				continue
			}
			p := &c.ops[id-1]
			if u.First < reguse.Scalar && p.lanes&lanes == 0 || c.ordered(w, o, u, p) {
				continue
			}
			c.found(w, r, u, int(id-1))
			break
		}
		if id := c.locked[r]; id != 0 && u.How&reguse.Write != 0 {
			if p := &c.ops[id-1]; u.First >= reguse.Scalar || p.lanes&lanes != 0 {
				c.foundLock(w, r, int(id-1))
			}
		}
	}
}

// ordered reports whether two operations that write a register do so in order.
func (c *waitCheck) ordered(w *wave, o *op, u *reguse.Use, p *pendingOp) bool {
	f := &o.facts.wait
	if u.Role != reguse.RoleResult || u.How&reguse.Read != 0 {
		return false
	}
	counts := f.counts[:f.n]
	if f.flat {
		counts = c.flatCounts(w, f)
	}
	for _, k := range counts {
		if k.Stream.Ordered() && p.need == 1<<k.Counter && p.in[k.Counter] == k.Stream {
			return true
		}
	}
	return false
}

// found reports a register that an operation may not have written yet.
func (c *waitCheck) found(w *wave, r reguse.Reg, u *reguse.Use, i int) {
	p := &c.ops[i]
	kind, verb := "read", "is read"
	if u.How&reguse.Read == 0 {
		kind, verb = "write", "is written"
	}
	counters := p.need
	if counters != 1<<waitcnt.Export { // the others imply that it has read its sources
		counters &^= 1 << waitcnt.Export
	}
	needs := c.needs(w, p, counters)
	w.report(found{check: device.CheckWait, kind: kind, other: p.pc, lane: -1, text: func() (string, string) {
		return fmt.Sprintf("%s %s, but %s may not have written it yet: needs %s", r, verb, p.o.in.Enc.Name(), needs), ""
	}})
	c.drop(i)
}

// foundLock reports a register that is overwritten before an operation may have
// read it.
func (c *waitCheck) foundLock(w *wave, r reguse.Reg, i int) {
	p := &c.ops[i]
	needs := c.needs(w, p, 1<<waitcnt.Export)
	w.report(found{check: device.CheckWait, kind: "lock", other: p.pc, lane: -1, text: func() (string, string) {
		return fmt.Sprintf("%s is written, but %s may not have read it yet: needs %s", r, p.o.in.Enc.Name(), needs), ""
	}})
	c.drop(i)
}

// needs returns a description of the required wait.
func (c *waitCheck) needs(w *wave, p *pendingOp, counters uint16) string {
	var out []string
	for k := range waitcnt.NumCounters {
		if counters>>k&1 == 0 {
			continue
		}
		if n := c.later(p, k); n > 0 {
			out = append(out, fmt.Sprintf("%s(%d) or lower", waitcnt.Name(w.dev.set, k), n))
		} else {
			out = append(out, waitcnt.Name(w.dev.set, k)+"(0)")
		}
	}
	return strings.Join(out, " and ")
}
