package sim

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Check wait reports registers that are read or overwritten while an
// outstanding memory operation may still write or read them.
//
// A memory instruction increments counters, which are decremented when it
// completes. The instructions of one stream complete in order: an instruction
// is complete when the counter is at most the number of later instructions in
// its stream. An instruction outside a stream is complete only when the counter
// is 0. Sources: AMD's ISA documents, "Data dependency resolution"; for the
// streams, LLVM's SIInsertWaitcnts and Mesa's aco_insert_waitcnt.

// counter is a counter of outstanding operations.
type counter uint8

const (
	cntVM   counter = iota // vector memory loads, and stores before gfx10; loadcnt since gfx12
	cntLGKM                // LDS, GDS, scalar memory, messages; dscnt since gfx12
	cntExp                 // exports and GDS operations that have not read their sources, LDS parameters
	cntVS                  // stores since gfx10; storecnt since gfx12
	numCounters
)

var counterNames = [numCounters]string{"vmcnt", "lgkmcnt", "expcnt", "vscnt"}

// stream is a kind of operation. The operations of a stream complete in issue
// order.
type stream uint8

const (
	streamNone stream = iota // complete in any order
	streamVMEM
	streamSampler // in order with other vector memory, except for register writes
	streamLDS
	streamGDS
	streamExport
	streamParam
	streamPosition
	streamLDSDirect
	numStreams
)

// waitFacts holds the properties of an instruction that the check uses.
type waitFacts struct {
	counts [2]waitCount       // counters that it increments, with its stream in each
	n      uint8              // number of elements of counts
	flat   bool               // the counters depend on its addresses
	locks  bool               // its sources are read by the time expcnt is decremented
	memory bool               // vector memory
	waits  bool               // s_waitcnt of any kind
	limits [numCounters]uint8 // counter values that it waits for; 255 for none
	sgpr   int16              // scalar register added to the limit; -1 for none
	across laneReach
}

type waitCount struct {
	counter counter
	stream  stream
}

// laneReach describes which lanes of its VGPRs an instruction accesses.
type laneReach uint8

const (
	reachExec laneReach = iota // active lanes
	reachAll                   // all lanes
	reachOne                   // the lane selected by source 1
)

const noWait = 255

// waitFactsOf returns the facts of an instruction.
func waitFactsOf(in *isa.Inst) (f waitFacts) {
	t, name := in.Enc.Traits(), in.Enc.Name()
	f.sgpr = -1
	f.across = reachOf(in)
	switch in.Enc.Form() {
	case isa.SOPP, isa.SOPK, isa.SOP1:
		if strings.HasPrefix(name, "s_sendmsg") {
			f.count(cntLGKM, streamNone)
			return f
		}
		f.bindWait(in, name)
	case isa.SMEM:
		if t.Any(isa.TraitLgkm) {
			f.count(cntLGKM, streamNone)
		}
	case isa.DS:
		if !t.Any(isa.TraitLgkm) {
			return f
		}
		if t.Any(isa.TraitGdsonly) || in.HasField(isa.FieldGds) && in.Field(isa.FieldGds) != 0 {
			f.count(cntLGKM, streamGDS)
			f.count(cntExp, streamGDS)
			f.locks = true
		} else {
			f.count(cntLGKM, streamLDS)
		}
	case isa.FLAT, isa.MUBUF, isa.MTBUF, isa.MIMG:
		f.vectorMemory(in, t)
	case isa.EXP:
		f.count(cntExp, exportStream(in.Field(isa.FieldTgt)))
		f.locks = true
	case isa.LDSDIR:
		f.count(cntExp, streamLDSDirect)
	case isa.VINTERP:
		f.waits = true
		f.limits = [numCounters]uint8{noWait, noWait, uint8(in.Field(isa.FieldWaitexp)), noWait}
	}
	return f
}

func (f *waitFacts) count(c counter, s stream) {
	f.counts[f.n] = waitCount{c, s}
	f.n++
}

// vectorMemory adds the counters of a vector memory instruction. Since gfx10,
// instructions without a result have a separate counter.
func (f *waitFacts) vectorMemory(in *isa.Inst, t isa.Traits) {
	if !t.Any(isa.TraitVm) {
		return
	}
	f.memory = true
	f.flat = in.Enc.Form() == isa.FLAT && !t.Any(isa.TraitGlobal|isa.TraitScratch)
	s := streamVMEM
	if in.Enc.Form() == isa.MIMG && reguse.FindOperand(in, isa.FieldSsamp) != nil {
		s = streamSampler
	}
	c := cntVM
	if in.Set.Gen() >= isa.Gen10 && t.Any(isa.TraitStore) && !t.Any(isa.TraitLds) && (!t.Any(isa.TraitLoad) || !reguse.GivesOld(in)) {
		c = cntVS
	}
	f.count(c, s)
}

// exportStream returns the stream of an export by target. Source: AMD's ISA
// documents, "EXP".
func exportStream(target uint32) stream {
	switch {
	case target >= 32:
		return streamParam
	case target >= 12 && target < 20:
		return streamPosition
	}
	return streamExport
}

// reachOf returns the lanes that an instruction accesses.
func reachOf(in *isa.Inst) laneReach {
	name := in.Enc.Name()
	switch {
	case name == "v_readlane_b32" || name == "v_writelane_b32":
		return reachOne
	case in.Enc.Variant().IsDPP(), in.Enc.Traits().Any(isa.TraitMai | isa.TraitWmma), strings.Contains(name, "permlane"), name == "v_readfirstlane_b32":
		return reachAll
	}
	return reachExec
}

// bindWait decodes a wait instruction.
func (f *waitFacts) bindWait(in *isa.Inst, name string) {
	f.limits = [numCounters]uint8{noWait, noWait, noWait, noWait}
	simm := in.Field(isa.FieldSimm16)
	single := map[string]counter{"s_waitcnt_vmcnt": cntVM, "s_waitcnt_lgkmcnt": cntLGKM, "s_waitcnt_expcnt": cntExp, "s_waitcnt_vscnt": cntVS}
	c, one := single[name]
	switch {
	case name == "s_waitcnt":
		for c, w := range [...]isa.WaitCounter{cntVM: isa.VMCnt, cntLGKM: isa.LGKMCnt, cntExp: isa.ExpCnt} {
			if v := isa.DecodeWaitcnt(in.Set, simm, w); v < isa.WaitcntMax(in.Set, w) {
				f.limits[c] = uint8(v)
			}
		}
	case name == "s_wait_idle":
		f.limits = [numCounters]uint8{}
	case one:
		f.limits[c] = uint8(min(simm, noWait))
		if r := in.Field(isa.FieldSdst); int(r) != reguse.NullCode(in.Set) {
			f.sgpr = int16(r)
		}
	default:
		return
	}
	f.waits = true
}

// pendingOp is an outstanding operation with registers to write or read.
type pendingOp struct {
	pc    uint64
	o     *op
	uses  []reguse.Use
	need  uint8 // counters that do not yet prove completion, one bit each
	begun [numCounters]uint32
	in    [numCounters]stream
	lanes uint64
	locks bool   // it has not read its sources
	refs  uint16 // number of register halves and sources that it owns
	free  bool
}

// waitCheck tracks the operations of one wave.
type waitCheck struct {
	ops     []pendingOp
	live    int
	begun   [numCounters][numStreams]uint32 // number of operations issued
	written [reguse.NumRegs]halves          // index plus 1 of the operation that writes a register
	locked  [reguse.NumRegs]uint16          // index plus 1 of the operation that still reads a register
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
		c.begun[k.counter][k.stream]++
		p.need |= 1 << k.counter
		p.begun[k.counter], p.in[k.counter] = c.begun[k.counter][k.stream], k.stream
		if k.counter == cntExp {
			c.overflow()
		}
	}
	writes := false
	for i := range uses {
		u := &uses[i]
		writes = writes || u.How&reguse.Write != 0 && u.First != reguse.SCC || f.locks && c.lockedBy(u)
	}
	if writes && (p.lanes != 0 || !f.memory) {
		c.keep(p)
	}
}

// flatCounts returns the counters of a FLAT instruction according to its
// addresses: LDS, elsewhere, or both. Before gfx10, an instruction that
// accesses both completes out of order.
func (c *waitCheck) flatCounts(w *wave, f *waitFacts) []waitCount {
	vm := f.counts[0]
	lds := waitCount{cntLGKM, streamLDS}
	switch {
	case !c.segs.lds:
		return []waitCount{vm}
	case !c.segs.other:
		return []waitCount{lds}
	case w.dev.set.Gen() < isa.Gen10:
		vm.stream, lds.stream = streamNone, streamNone
	}
	return []waitCount{vm, lds}
}

// lockedBy reports whether a use prevents writes to its register while the
// instruction has not read its sources. This applies to VGPRs and EXEC.
func (c *waitCheck) lockedBy(u *reguse.Use) bool {
	return u.How&reguse.Read != 0 && (u.First < reguse.Scalar || u.First == reguse.Exec)
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
			if p.locks && c.lockedBy(u) {
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
func (c *waitCheck) later(p *pendingOp, k counter) uint32 {
	if p.in[k] == streamNone {
		return 0
	}
	s := p.in[k]
	n := c.begun[k][s] - p.begun[k]
	return n
}

// wait updates the state for a wait instruction.
func (c *waitCheck) wait(w *wave, f *waitFacts) {
	for k := range numCounters {
		limit := uint32(f.limits[k])
		if f.limits[k] == noWait {
			continue
		}
		if f.sgpr >= 0 {
			limit += w.s[f.sgpr]
		}
		for i := range c.ops {
			if p := &c.ops[i]; p.need>>k&1 != 0 && limit <= c.later(p, k) {
				if p.need &^= 1 << k; p.need == 0 || k == cntExp && p.locks {
					c.unlock(i, k)
				}
			}
		}
	}
}

// unlock releases the sources of an operation that has read them. It removes
// the operation if nothing remains outstanding.
func (c *waitCheck) unlock(i int, k counter) {
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
func (c *waitCheck) overflow() {
	for i := range c.ops {
		if p := &c.ops[i]; p.need>>cntExp&1 != 0 && p.in[cntExp] != streamNone && c.later(p, cntExp) >= maxExpCnt {
			if p.need &^= 1 << cntExp; p.need == 0 || p.locks {
				c.unlock(i, cntExp)
			}
		}
	}
}

const maxExpCnt = 7

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
		if k.stream != streamNone && p.need == 1<<k.counter && p.in[k.counter] == k.stream {
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
	needs := c.needs(p, p.need)
	w.report(found{check: device.CheckWait, kind: kind, other: p.pc, lane: -1, text: func() (string, string) {
		return fmt.Sprintf("%s %s, but %s may not have written it yet: needs %s", r, verb, p.o.in.Enc.Name(), needs), ""
	}})
	c.drop(i)
}

// foundLock reports a register that is overwritten before an operation may have
// read it.
func (c *waitCheck) foundLock(w *wave, r reguse.Reg, i int) {
	p := &c.ops[i]
	needs := c.needs(p, 1<<cntExp)
	w.report(found{check: device.CheckWait, kind: "lock", other: p.pc, lane: -1, text: func() (string, string) {
		return fmt.Sprintf("%s is written, but %s may not have read it yet: needs %s", r, p.o.in.Enc.Name(), needs), ""
	}})
	c.drop(i)
}

// needs returns a description of the required wait.
func (c *waitCheck) needs(p *pendingOp, counters uint8) string {
	var out []string
	for k := range numCounters {
		if counters>>k&1 == 0 {
			continue
		}
		if n := c.later(p, k); n > 0 {
			out = append(out, fmt.Sprintf("%s(%d) or lower", counterNames[k], n))
		} else {
			out = append(out, counterNames[k]+"(0)")
		}
	}
	return strings.Join(out, " and ")
}
