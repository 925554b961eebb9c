package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Trial executions of instructions with different values for undefined bits.

// trial holds the buffers of trial executions.
type trial struct {
	regs  []trialReg
	saved []uint32 // register values in sequence
	bits  []uint32 // undefined bits of these registers
	base  []uint32 // results of the first trial
	diff  []uint32 // bits that differ between trials
	now   []uint32
	other []uint32 // values of the second source of a two-source operation
}

// trialReg is a register of the instruction under trial, with the index of its
// values.
type trialReg struct {
	r       reguse.Reg
	at, n   int
	written bool
	role    reguse.Role
	dword   int // dword within its operand
}

// Values for undefined bits, one per trial. trialOther uses the values of
// another source, because a comparison may only detect equality.
const (
	trialZeros = iota
	trialOnes
	trialMixed
	trialMixed2
	trialOther
	numTrials
)

// canTry reports whether an instruction has no effect other than writing
// registers.
func canTry(w *wave, o *op) bool {
	if w.ctx.Track {
		return false
	}
	switch o.class {
	case classVALU, classMatrix:
		return true
	case classSALU:
		return o.row != nil || o.exec != nil
	case classLDS:
		return o.ds != nil && o.ds.kind == dsNone && o.ds.gws == nil && !o.ds.gds
	}
	return false
}

// try determines the undefined bits of an instruction's results.
func (c *initCheck) try(w *wave, o *op, uses []reguse.Use) {
	t := &c.trial
	c.gather(w, o, uses)
	exec, pc := w.exec(), w.pc
	w.chk.quiet = true
	for k := range numTrials {
		w.setMask(sExec, exec)
		c.substitute(w, k)
		w.runUntraced(o)
		t.compare(w, k == 0)
	}
	w.chk.quiet = false
	w.setMask(sExec, exec)
	w.pc = pc
	for i := range t.regs {
		x := &t.regs[i]
		w.putReg(x.r, t.saved[x.at:][:x.n])
	}
	w.stop, w.fault = running, nil
	c.results(w, o)
}

// gather lists the registers of an instruction without duplicates.
func (c *initCheck) gather(w *wave, o *op, uses []reguse.Use) {
	t := &c.trial
	t.regs, t.saved, t.bits, t.other = t.regs[:0], t.saved[:0], t.bits[:0], t.other[:0]
	var seen regSet
	for i := range uses {
		u := &uses[i]
		for d := range int(u.N) {
			r := u.First + reguse.Reg(d)
			if seen.has(r) {
				if u.How&reguse.Write != 0 {
					t.findReg(r).written = true
				}
				continue
			}
			seen.addReg(r)
			x := trialReg{r: r, at: len(t.saved), n: 1, written: u.How&reguse.Write != 0, role: u.Role, dword: d}
			t.saved = w.appendReg(t.saved, r)
			x.n = len(t.saved) - x.at
			if c.dirty.has(r) {
				t.bits = append(t.bits, c.bits(r)...)
			} else {
				t.bits = append(t.bits, make([]uint32, x.n)...)
			}
			t.regs = append(t.regs, x)
			t.other = w.appendOther(t.other, o, &x)
		}
	}
	n := len(t.saved)
	t.base, t.diff = append(t.base[:0], t.saved...), append(t.diff[:0], make([]uint32, n)...)
}

func (t *trial) findReg(r reguse.Reg) *trialReg {
	for i := range t.regs {
		if t.regs[i].r == r {
			return &t.regs[i]
		}
	}
	panic("BUG: register not gathered")
}

// appendReg appends the value of a register to b: one dword per lane, or one
// dword if it is scalar.
func (w *wave) appendReg(b []uint32, r reguse.Reg) []uint32 {
	switch {
	case r < reguse.Scalar:
		return append(b, w.v[vectorIndex(r)*w.lanes:][:w.lanes]...)
	case r == reguse.SCC && w.scc:
		return append(b, 1)
	case r == reguse.SCC:
		return append(b, 0)
	}
	return append(b, w.s[r-reguse.Scalar])
}

func (w *wave) putReg(r reguse.Reg, v []uint32) {
	switch {
	case r < reguse.Scalar:
		copy(w.v[vectorIndex(r)*w.lanes:][:w.lanes], v)
	case r == reguse.SCC:
		w.scc = v[0]&1 != 0
	default:
		w.s[r-reguse.Scalar] = v[0]
	}
}

// appendOther appends the value of the operation's other source if x is a
// source, and zeros otherwise.
func (w *wave) appendOther(b []uint32, o *op, x *trialReg) []uint32 {
	from := len(b)
	b = append(b, make([]uint32, x.n)...)
	if x.role < reguse.RoleSrc0 || x.role > reguse.RoleSrc2 || o.row == nil || o.nsrc < 2 {
		return b
	}
	i := 0
	if x.role == reguse.RoleSrc0 {
		i = 1
	}
	s := &o.src[i]
	for l := range b[from:] {
		switch s.kind {
		case inConst:
			b[from+l] = uint32(s.val >> (32 * x.dword))
		case inScalar:
			b[from+l] = w.s[int(s.off)+x.dword]
		case inVGPR:
			b[from+l] = w.v[int(s.off)+x.dword*w.lanes+l]
		}
	}
	return b
}

// substitute replaces undefined bits with their values for trial k.
func (c *initCheck) substitute(w *wave, k int) {
	t := &c.trial
	for i := range t.regs {
		x := &t.regs[i]
		if x.r == reguse.Exec || x.r == reguse.Exec+1 {
			continue
		}
		v := append(t.now[:0], t.saved[x.at:][:x.n]...)
		t.now = v
		if c.dirty.has(x.r) {
			for l := range v {
				b := t.bits[x.at+l]
				v[l] = v[l]&^b | t.pattern(k, x, l)&b
			}
		}
		w.putReg(x.r, v)
	}
}

// pattern returns the value of undefined bits for trial k.
func (t *trial) pattern(k int, x *trialReg, l int) uint32 {
	switch k {
	case trialZeros:
		return 0
	case trialOnes:
		return ^uint32(0)
	case trialOther:
		return t.other[x.at+l]
	}
	h := (uint32(x.r)*64 + uint32(l) + uint32(k)<<20 + 1) * 0x9e3779b1
	h ^= h >> 15
	h *= 0x85ebca77
	h ^= h >> 13
	if k == trialMixed2 { // moderate as an integer, normal as a float
		return h&0x3ff | bits.Reverse32(h)&0xc3ff0000
	}
	return h
}

// compare records the result bits that differ from the first trial.
func (t *trial) compare(w *wave, first bool) {
	for i := range t.regs {
		x := &t.regs[i]
		if !x.written {
			continue
		}
		if first {
			w.appendReg(t.base[:x.at], x.r)
			continue
		}
		t.now = w.appendReg(t.now[:0], x.r)
		for l, v := range t.now {
			t.diff[x.at+l] |= v ^ t.base[x.at+l]
		}
	}
}

// results marks the result bits that differ as undefined.
func (c *initCheck) results(w *wave, o *op) {
	t := &c.trial
	from, r := origin{}, reguse.Reg(0)
	for i := len(t.regs) - 1; i >= 0; i-- {
		if x := &t.regs[i]; c.dirty.has(x.r) && (!x.written || from == origin{}) {
			from, r = c.originOf(x.r), x.r
		}
	}
	from.computed = from.computed || !o.in.Enc.Kinds().Any(isa.KindCopy)
	for i := range t.regs {
		x := &t.regs[i]
		if !x.written {
			continue
		}
		diff := t.diff[x.at:][:x.n]
		any := uint32(0)
		for _, b := range diff {
			any |= b
		}
		switch {
		case x.r == reguse.Exec || x.r == reguse.Exec+1:
			if any != 0 {
				c.found(w, r, -1, 0, "EXEC")
			}
		case any == 0:
			c.define(x.r, ^uint64(0), ^uint32(0))
		default:
			was, had := c.originOf(x.r), c.dirty.has(x.r)
			copy(c.bits(x.r), diff)
			c.dirty.addReg(x.r)
			if c.origin[x.r] = from; had && x.r == r {
				was.computed = from.computed
				c.origin[x.r] = was
			}
		}
	}
}
