package hazard

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Record is an instruction in the history.
type Record struct {
	ID    uint64 // chosen by the caller, not 0
	at    uint64 // wait states before it
	facts *Facts
	uses  []reguse.Use
	class class
}

// Cure is the kind of instruction that resolves a hazard when inserted before
// the second instruction.
type Cure uint8

const (
	CureNops     Cure = iota // wait states
	CureVmVsrc               // s_waitcnt_depctr depctr_vm_vsrc(0)
	CureSaSdst               // s_waitcnt_depctr depctr_sa_sdst(0)
	CureVaSdst               // s_waitcnt_depctr depctr_va_sdst(0) and depctr_va_vcc(0)
	CureVaVcc                // s_waitcnt_depctr depctr_va_vcc(0)
	CureVaVdst               // s_waitcnt_depctr depctr_va_vdst(0)
	CureIdle                 // s_waitcnt_depctr for all parts of the pipeline
	CureVscnt                // s_waitcnt_vscnt null, 0
	CureSALU                 // an SALU instruction that is not SOPP
	CureVALU                 // a VALU instruction that is not v_nop
	CureNop                  // v_nop, Missing times
	CureWaitVdst             // a field of lds_direct_load or lds_param_load that is at most Missing
)

// Found is a detected hazard.
type Found struct {
	Name    string
	Other   uint64 // ID of the other instruction
	Cure    Cure
	Missing int // number of missing wait states, for CureNops, or of v_nop, for CureNop; the field's value for CureWaitVdst

	reg  reguse.Reg
	what string // with %v for reg, if any
	fix  string
	need uint64
	some bool // reg is set
}

// Message returns a description of the hazard.
func (f *Found) Message() string {
	if f.Cure != CureNops {
		text := f.what
		if f.some {
			text = fmt.Sprintf(f.what, f.reg)
		}
		return fmt.Sprintf("%s: %s: needs %s in between", f.Name, text, f.fix)
	}
	s := f.Name
	if f.some {
		s += " (" + f.reg.String() + ")"
	}
	between := f.need - uint64(f.Missing)
	return fmt.Sprintf("%s: needs %d wait states, has %d: insert s_nop %d", s, f.need, between, f.Missing-1)
}

// Window is the maximum number of instructions that a Checker looks back.
const Window = 63

// Checker tracks the last instructions of a path and detects their hazards with
// the next one.
type Checker struct {
	Report func(*Found) // the argument is valid only during the call
	// AsLLVM selects what LLVM's passes assume: a matrix instruction does not wait
	// for the previous one, and SALU waits for results of VALU only when it reads an
	// SGPR that VALU has read.
	AsLLVM bool

	set    isa.Set
	lanes  int
	ring   [Window + 1]Record
	n      uint64 // number of instructions so far
	now    uint64 // number of wait states so far
	matrix uint64 // time at which the last matrix instruction has completed its passes
	before bool   // unknown instructions precede the history
	last   [numHazardClasses]uint64
	found  Found  // the hazard being reported
	step   Record // the instruction of State.Step
}

// farBack is greater than the reach of any hazard in wait states.
const farBack = 1000

// Reset clears the history.
func (c *Checker) Reset(s isa.Set, lanes int) {
	c.set, c.lanes, c.before = s, lanes, false
	c.n, c.now, c.matrix = 0, farBack, 0
	c.last = [numHazardClasses]uint64{}
}

// ResetUnknown clears the history. The next instruction follows unknown
// instructions at a distance of states wait states; their matrix instructions
// have completed.
func (c *Checker) ResetUnknown(s isa.Set, lanes, states int) {
	c.Reset(s, lanes)
	c.before = true
	c.now += uint64(states)
}

// known lists the classes that cannot occur before an unknown history: matrix
// instructions have completed, and VSKIP is off.
const known = hzMFMA | hzDGEMM | hzDot | hzSetVSkip

// Drain returns the number of wait states until the results of all matrix
// instructions can be used.
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

// Check reports the hazards of the next instruction. The caller must not modify
// f and uses while the instruction is in the history.
func (c *Checker) Check(id uint64, f *Facts, uses []reguse.Use) *Record {
	r := &c.ring[c.n%uint64(len(c.ring))] // not yet part of the history
	r.ID, r.at, r.facts, r.uses, r.class = id, c.now, f, uses, f.class
	if f.class&hzMFMA != 0 && !c.AsLLVM {
		r.at = max(r.at, c.matrix)
	}
	for _, row := range f.rows {
		if c.before || c.near(row, r.at) {
			c.checkRow(row, r)
		}
	}
	if f.class&(hzVALU|hzLDSDir) != 0 && c.set.Has(historySets) {
		for i := range historySteps {
			if s := &historySteps[i]; s.on(c.set, c.lanes) {
				s.step(c, r)
			}
		}
	}
	if c.set.Has(fromGFX125) {
		c.needsPipeline(r)
	}
	return r
}

// Enter adds an instruction to the history, whether or not it was checked.
func (c *Checker) Enter(id uint64, f *Facts, uses []reguse.Use) {
	r := &c.ring[c.n%uint64(len(c.ring))]
	r.ID, r.at, r.facts, r.uses, r.class = id, c.now, f, uses, f.class
	if f.class&hzMFMA != 0 && !c.AsLLVM {
		r.at = max(r.at, c.matrix)
		c.matrix = r.at + uint64(f.passes)
	}
	c.n++
	c.now = r.at + uint64(f.states)
	for k := f.class; k != 0; k &= k - 1 {
		c.last[bits.TrailingZeros64(uint64(k))] = r.at
	}
}

// report reports a hazard that wait states do not resolve. what contains %v for
// the register, if any.
func (c *Checker) report(name string, at reguse.Reg, what string, cure Cure, fix string, other uint64) {
	c.found = Found{Name: name, Other: other, Cure: cure, reg: at, some: strings.Contains(what, "%v"), what: what, fix: fix}
	c.Report(&c.found)
}

// near reports whether an instruction that can cause the hazard is close
// enough.
func (c *Checker) near(row *row, at uint64) bool {
	for k := row.prod; k != 0; k &= k - 1 {
		if l := c.last[bits.TrailingZeros64(uint64(k))]; l != 0 && at-l <= uint64(row.states) {
			return true
		}
	}
	return false
}

// back returns the instruction i positions before the previous instruction, or
// nil past the start of the history.
func (c *Checker) back(i uint64) *Record {
	if i >= c.n || i >= Window {
		return nil
	}
	return &c.ring[(c.n-1-i)%uint64(len(c.ring))]
}

// checkRow looks for a row's hazard between the current instruction and earlier
// ones.
func (c *Checker) checkRow(row *row, r *Record) {
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

// look searches for the last instruction that can cause a hazard with an
// operand and reports the hazard if it is too close.
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

// overwrites reports whether r writes all registers of u.
func (r *Record) overwrites(u *reguse.Use) bool {
	for i := range r.uses {
		if x := &r.uses[i]; x.How&reguse.Write != 0 && x.First <= u.First && x.First+reguse.Reg(x.N) >= u.First+reguse.Reg(u.N) {
			return true
		}
	}
	return false
}

// meets returns the operand of p that conflicts with u according to the row.
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

// judge reports a hazard if there are too few wait states.
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

// Reach is the distance to look back for hazards among instructions of given
// classes.
type Reach struct {
	States int  // wait states
	VALU   int  // vector ALU instructions; 0 if they are irrelevant
	State  bool // some hazards require a State
	WMMA   bool // the instructions include v_wmma
	Beside bool // units beside the vector ALU: only vector instructions shorten the distance
	past   bool // a vector ALU instruction has been passed
}

// Any reports whether any hazards are possible.
func (r Reach) Any() bool { return r.States > 0 || r.VALU > 0 || r.State }

// Classes is a set of instruction classes.
type Classes struct{ c class }

// Add adds the classes of an instruction.
func (k *Classes) Add(f *Facts) { k.c |= f.class }

// ReachOf returns the reach for an instruction set. unknown means that
// arbitrary instructions may precede the first one.
func ReachOf(s isa.Set, lanes int, k Classes, unknown bool) (r Reach) {
	for i := range rows.Get() {
		if x := &rows.Get()[i]; s.Has(x.sets) && k.c&x.cons != 0 && (k.c&x.prod != 0 || unknown && x.prod&^known != 0) {
			r.States = max(r.States, x.states)
		}
	}
	if s.Has(historySets) {
		for i := range historySteps {
			if historySteps[i].on(s, lanes) {
				r.VALU = 9
			}
		}
	}
	if k.c&hzReadsBase != 0 {
		r.States = max(r.States, scratchBaseStates)
	}
	r.State = HasState(s, lanes)
	r.WMMA = k.c&hzWMMA != 0
	if r.Beside = s.Has(fromGFX125); r.Beside && !r.WMMA {
		r.VALU = 1
	}
	return r
}

// Covers subtracts an instruction, walking backwards, from the remaining
// distance and reports whether the distance is covered.
func (r *Reach) Covers(f *Facts) bool {
	r.States -= int(f.states)
	if f.class&hzVALU != 0 {
		r.VALU--
		r.past = true
	}
	if r.Beside {
		return r.States < 0 && r.VALU <= 0
	}
	if f.class&(hzMemory|hzExport) != 0 || f.waitsVaVdst() { // only WMMAHazard reaches one further
		r.VALU = min(r.VALU, 1)
	}
	if r.past && r.VALU == 1 {
		r.VALU = 0
	}
	return r.States < 0 && r.VALU <= 0
}

// MayVanish marks a branch that may be removed later: it contributes no wait
// state.
func (f *Facts) MayVanish() { f.states = 0 }
