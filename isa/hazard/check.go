package hazard

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/isa/reguse"
)

// Record is an instruction in a history.
type Record struct {
	ID    uint64 // what the caller knows it by, not 0
	at    uint64 // wait states before it
	facts *Facts
	uses  []reguse.Use
	class class
}

// Cure is what has to stand before an instruction to resolve a hazard.
type Cure uint8

const (
	CureNops   Cure = iota // wait states
	CureVmVsrc             // s_waitcnt_depctr depctr_vm_vsrc(0)
	CureSaSdst             // s_waitcnt_depctr depctr_sa_sdst(0)
	CureVaSdst             // s_waitcnt_depctr depctr_va_sdst(0) and depctr_va_vcc(0)
	CureVaVdst             // s_waitcnt_depctr depctr_va_vdst(0)
	CureVscnt              // s_waitcnt_vscnt null, 0
	CureSALU               // an SALU instruction that is not SOPP
	CureVALU               // a VALU instruction that is not v_nop
	CureNop                // v_nop
)

// Found is a hazard.
type Found struct {
	Name    string
	Other   uint64 // the instruction that it is with
	Cure    Cure
	Missing int // wait states, for CureNops

	reg  reguse.Reg
	what string // with %v for reg; a row's name when it has none
	fix  string
	need uint64
	some bool // reg counts
}

// Message tells what is wrong.
func (f *Found) Message() string {
	if f.Cure != CureNops {
		what := f.what
		if f.some {
			what = fmt.Sprintf(f.what, f.reg)
		}
		return fmt.Sprintf("%s: %s: needs %s in between", f.Name, what, f.fix)
	}
	s := f.Name
	if f.some {
		s += " (" + f.reg.String() + ")"
	}
	between := f.need - uint64(f.Missing)
	return fmt.Sprintf("%s: needs %d wait states between them, there are %d: s_nop %d is missing", s, f.need, between, f.Missing-1)
}

// Window is how many instructions a Checker looks back at most.
const Window = 63

// Checker knows the last instructions of a path, and finds the hazards that the next one has with them.
type Checker struct {
	Report  func(*Found) // what it gets is valid until it returns
	NoStall bool         // a matrix instruction that has to wait for the one before counts as if it did not, as LLVM does

	set    isa.Set
	lanes  int
	ring   [Window + 1]Record
	n      uint64 // instructions so far
	now    uint64 // wait states so far
	matrix uint64 // when the last matrix instruction has done its passes
	before bool   // there were instructions before the history, one does not know which
	last   [numHazardClasses]uint64
	found  Found // the one that is reported
}

// farBack is further than any hazard reaches.
const farBack = 1000

// Reset forgets all instructions.
func (c *Checker) Reset(s isa.Set, lanes int) {
	c.set, c.lanes, c.before = s, lanes, false
	c.n, c.now, c.matrix = 0, farBack, 0
	c.last = [numHazardClasses]uint64{}
}

// ResetUnknown forgets all instructions; what comes is so many wait states behind any others, of which the matrix instructions are done.
func (c *Checker) ResetUnknown(s isa.Set, lanes, states int) {
	c.Reset(s, lanes)
	c.before = true
	c.now += uint64(states)
}

// known are the classes that instructions before an unknown history are not of: matrix instructions are done by then, and nobody leaves VSKIP on.
const known = hzMFMA | hzDGEMM | hzDot | hzSetVSkip

// Drain gives the wait states until the results of all matrix instructions may be used.
func (c *Checker) Drain() (states int) {
	for i := uint64(0); ; i++ {
		p := c.back(i)
		if p == nil {
			return states
		}
		if p.class&(hzMFMA|hzDot) != 0 {
			states = max(states, max(matrixResult(p, 9, 18), 3)+1-int(c.now-p.at))
		}
	}
}

// Check reports the hazards of the next instruction. The facts and uses must stay as they are while the
// instruction is in the history.
func (c *Checker) Check(id uint64, f *Facts, uses []reguse.Use) *Record {
	r := &c.ring[c.n%uint64(len(c.ring))] // its place, though back does not count it yet
	r.ID, r.at, r.facts, r.uses, r.class = id, c.now, f, uses, f.class
	if f.class&hzMFMA != 0 && !c.NoStall {
		r.at = max(r.at, c.matrix)
	}
	for _, row := range f.rows {
		if c.before || c.near(row, r.at) {
			c.check(row, r)
		}
	}
	if f.class&(hzVALU|hzLDSDir) != 0 && c.set.Gen() >= isa.Gen11 {
		for i := range historySteps {
			if s := &historySteps[i]; s.on(c.set, c.lanes) {
				s.step(c, r)
			}
		}
	}
	return r
}

// Enter adds an instruction to the history, whether or not it was checked.
func (c *Checker) Enter(id uint64, f *Facts, uses []reguse.Use) {
	r := &c.ring[c.n%uint64(len(c.ring))]
	r.ID, r.at, r.facts, r.uses, r.class = id, c.now, f, uses, f.class
	if f.class&hzMFMA != 0 && !c.NoStall {
		r.at = max(r.at, c.matrix)
		c.matrix = r.at + uint64(f.passes)
	}
	c.n++
	c.now = r.at + uint64(f.states)
	for k := f.class; k != 0; k &= k - 1 {
		c.last[bits.TrailingZeros64(uint64(k))] = r.at
	}
}

// report reports a hazard that no wait states resolve. what has %v for the register, if there is one.
func (c *Checker) report(name string, at reguse.Reg, what string, cure Cure, fix string, other uint64) {
	c.found = Found{Name: name, Other: other, Cure: cure, reg: at, some: strings.Contains(what, "%v"), what: what, fix: fix}
	c.Report(&c.found)
}

// near reports whether an instruction that can cause a hazard is near enough.
func (c *Checker) near(row *row, at uint64) bool {
	for k := row.prod; k != 0; k &= k - 1 {
		if l := c.last[bits.TrailingZeros64(uint64(k))]; l != 0 && at-l <= uint64(row.states) {
			return true
		}
	}
	return false
}

// back gives the instruction i before the one that runs, 0 for the one just before; nil when there
// is none so far back.
func (c *Checker) back(i uint64) *Record {
	if i >= c.n || i >= Window {
		return nil
	}
	return &c.ring[(c.n-1-i)%uint64(len(c.ring))]
}

// check looks for a hazard of a row between the instruction that runs and those before it.
func (c *Checker) check(row *row, r *Record) {
	if row.rd.how == 0 {
		c.look(row, r, nil)
		return
	}
	for i := range r.uses {
		if u := &r.uses[i]; row.rd.takes(u) {
			c.look(row, r, u)
		}
	}
}

// look goes back to the last instruction that can cause a hazard with a register, and reports it
// when it is too near.
func (c *Checker) look(row *row, r *Record, u *reguse.Use) {
	for i := uint64(0); ; i++ {
		p := c.back(i)
		if p == nil && c.before && i == c.n && row.prod&^known != 0 {
			c.unknown(row, r, u)
		}
		if p == nil || r.at-p.at > uint64(row.states) {
			return
		}
		if p.class&row.prod != 0 && p.class&row.not == 0 {
			if pu, ok := row.meets(p, u); ok {
				c.judge(row, r, p, u, pu)
				return
			}
		}
		if p.class&row.until != 0 || u != nil && row.wr.how == reguse.Write && p.overwrites(u) {
			return
		}
	}
}

// unknown reports a hazard with an instruction before the history.
func (c *Checker) unknown(row *row, r *Record, u *reguse.Use) {
	need, between := uint64(row.states), r.at-farBack
	if between >= need {
		return
	}
	c.found = Found{Name: row.name, Missing: int(need - between), need: need}
	if u != nil {
		c.found.reg, c.found.some = u.First, true
	}
	c.Report(&c.found)
}

// overwrites reports whether an instruction writes all of the registers of another one's operand.
func (r *Record) overwrites(u *reguse.Use) bool {
	for i := range r.uses {
		if x := &r.uses[i]; x.How&reguse.Write != 0 && x.First <= u.First && x.First+reguse.Reg(x.N) >= u.First+reguse.Reg(u.N) {
			return true
		}
	}
	return false
}

// meets finds the registers of an instruction that a row is about.
func (row *row) meets(p *Record, u *reguse.Use) (*reguse.Use, bool) {
	if u == nil {
		return nil, true
	}
	for i := range p.uses {
		if pu := &p.uses[i]; row.wr.takes(pu) {
			if _, ok := pu.Overlaps(u.First, int(u.N)); ok {
				return pu, true
			}
		}
	}
	return nil, false
}

// judge reports a hazard when there are too few wait states.
func (c *Checker) judge(row *row, r, p *Record, u, pu *reguse.Use) {
	need := uint64(row.states)
	if row.need != nil {
		need = uint64(row.need(p, r, pu, u))
	}
	between := r.at - p.at - 1
	if between >= need {
		return
	}
	c.found = Found{Name: row.name, Other: p.ID, Missing: int(need - between), need: need}
	if u != nil {
		c.found.reg, _ = pu.Overlaps(u.First, int(u.N))
		c.found.some = true
	}
	c.Report(&c.found)
}

// Reach says how far back one has to look for hazards among instructions of some classes.
type Reach struct {
	States int  // wait states
	VALU   int  // vector ALU instructions; 0: they do not count
	State  bool // there are hazards that need a State
	WMMA   bool // there are v_wmma
	past   bool // a vector ALU instruction was seen
}

// Any reports whether there is anything to look for.
func (r Reach) Any() bool { return r.States > 0 || r.VALU > 0 || r.State }

// Classes is a set of classes of instructions.
type Classes struct{ c class }

// Add adds those of an instruction.
func (k *Classes) Add(f *Facts) { k.c |= f.class }

// ReachOf says so for a set; unknown: any instruction may come before the first one.
func ReachOf(s isa.Set, lanes int, k Classes, unknown bool) (r Reach) {
	for i := range rows.Get() {
		if x := &rows.Get()[i]; x.sets(s) && k.c&x.cons != 0 && (k.c&x.prod != 0 || unknown && x.prod&^known != 0) {
			r.States = max(r.States, x.states)
		}
	}
	if s.Gen() >= isa.Gen11 {
		for i := range historySteps {
			if historySteps[i].on(s, lanes) {
				r.VALU = 9
			}
		}
	}
	r.State = HasState(s, lanes)
	r.WMMA = k.c&hzWMMA != 0
	return r
}

// Covers takes an instruction, going back, off what has to be looked at yet, and reports whether that is all.
func (r *Reach) Covers(f *Facts) bool {
	r.States -= int(f.states)
	if f.class&hzVALU != 0 {
		r.VALU--
		r.past = true
	}
	if f.class&(hzMemory|hzExport) != 0 || f.waitsVaVdst() { // only WMMAHazard goes further, to one more
		r.VALU = min(r.VALU, 1)
	}
	if r.past && r.VALU == 1 {
		r.VALU = 0
	}
	return r.States < 0 && r.VALU <= 0
}

// MayVanish says that the instruction, a branch, may be left out: it takes no wait state.
func (f *Facts) MayVanish() { f.states = 0 }
