package sim

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Check init reports undefined values that have an effect: as an address, as a
// branch condition, or when stored. Every register bit is tracked as defined or
// undefined. An instruction that reads undefined bits is executed several times
// on trial, with different values for these bits; result bits that differ
// between trials are undefined. A result that does not depend on undefined bits
// is therefore defined: x^x, x&0, masked lanes, the other half of a register.

// initCheck tracks the registers and the scratch memory of a wave.
type initCheck struct {
	lanes   int
	wide    bool                                   // no AGPRs, but 1024 VGPRs
	first   uint64                                 // lanes active at the start of the wave; other lanes are not tracked
	v       []uint32                               // undefined bits of VGPRs and AGPRs, in the order of wave.v
	s       [reguse.SCC - reguse.Scalar + 1]uint32 // undefined bits of scalar registers and SCC
	dirty   regSet                                 // registers with undefined bits
	fresh   regSet                                 // VGPRs still in their initial state, not stored in v
	origin  [reguse.NumRegs]origin                 // source of the undefined bits of each dirty register
	scratch []byte                                 // defined bits of the wave's scratch memory
	trial   trial                                  // buffers for trial executions
	pending []pendingBits                          // undefined bits to be written by the current memory instruction
	group   *groupInit
}

// regSet is a set of registers.
type regSet [(reguse.NumRegs + 63) / 64]uint64

func (s *regSet) has(r reguse.Reg) bool { return s[r>>6]>>(r&63)&1 != 0 }
func (s *regSet) addReg(r reguse.Reg)   { s[r>>6] |= 1 << (r & 63) }
func (s *regSet) drop(r reguse.Reg)     { s[r>>6] &^= 1 << (r & 63) }

// origin identifies the source of undefined bits.
type origin struct {
	kind     originKind
	computed bool // computed by an instruction other than a move
	at       uint32
}

type originKind uint8

const (
	originRegister originKind = iota
	originLDS
	originScratch
)

func (o origin) String() string {
	switch o.kind {
	case originLDS:
		return fmt.Sprintf("uninitialized LDS at address %#x", o.at)
	case originScratch:
		return fmt.Sprintf("uninitialized scratch memory at offset %#x", o.at)
	}
	return "uninitialized " + reguse.Reg(o.at).String()
}

// groupInit holds the defined bits of a work-group's LDS.
type groupInit struct{ lds []byte }

func newInitCheck(w *wave) waveChecker {
	return &initCheck{lanes: w.lanes, v: make([]uint32, w.vectorRegs()*w.lanes), wide: w.dev.set.Has(isa.PropVgprs1024)}
}

// start marks all registers as undefined, except those that the launch
// initializes.
func (c *initCheck) start(w *wave) {
	g := w.group
	if w.index == 0 {
		if g.init == nil {
			g.init = &groupInit{lds: make([]byte, len(g.lds))}
		}
		clear(g.init.lds)
	}
	c.group = g.init
	c.first = w.exec()
	c.dirty, c.fresh = regSet{}, regSet{}
	k := g.launch.kernel
	for i := w.setVGPRs(); i < w.vectorRegs(); i++ {
		r := vectorReg(i, c.wide)
		c.dirty.addReg(r)
		c.fresh.addReg(r)
	}
	c.s = [len(c.s)]uint32{}
	m0 := reguse.M0Code(w.dev.set)
	for i := range c.s {
		if i >= int(w.chk.sgprs) && i < w.plainSGPRs() || i == sVCC || i == sVCC+1 || i == int(m0) || i == int(reguse.SCC-reguse.Scalar) {
			r := reguse.Scalar + reguse.Reg(i)
			c.setUndefined(r, 0, ^uint32(0), origin{at: uint32(r)})
		}
	}
	c.s[reguse.SCC-reguse.Scalar] = 1
	if n := int(k.waveScratch); len(c.scratch) != n {
		c.scratch = make([]byte, n)
	} else {
		clear(c.scratch)
	}
}

// setVGPRs returns the number of VGPRs that the launch initializes.
func (w *wave) setVGPRs() int {
	k := w.group.launch.kernel
	if k.packedIDs {
		return 1
	}
	return int(k.ComputePgmRsrc2>>11&3) + 1
}

// plainSGPRs returns the number of SGPRs, excluding FLAT_SCRATCH and
// XNACK_MASK, which the launch initializes.
func (w *wave) plainSGPRs() int {
	if at := reguse.FlatScratchCode(w.dev.set); at >= 0 {
		return int(at)
	}
	return w.dev.set.NumSGPRs()
}

func (c *initCheck) end(*wave) {}

// bits returns the undefined bits of a register: one dword per lane, or one
// dword if it is scalar.
func (c *initCheck) bits(r reguse.Reg) []uint32 {
	if r >= reguse.Scalar {
		return c.s[r-reguse.Scalar:][:1]
	}
	b := c.v[vectorIndex(r)*c.lanes:][:c.lanes]
	if c.fresh.has(r) {
		c.fresh.drop(r)
		c.origin[r] = origin{at: uint32(r)}
		for l := range b {
			b[l] = -uint32(c.first >> l & 1)
		}
	} else if !c.dirty.has(r) {
		clear(b)
	}
	return b
}

// setUndefined sets the undefined bits of one lane of a register.
func (c *initCheck) setUndefined(r reguse.Reg, lane int, undefined uint32, o origin) {
	b := c.bits(r)
	b[lane] = undefined
	if undefined != 0 {
		c.dirty.addReg(r)
		c.origin[r] = o
	}
}

// define marks the mask's bits of a register as defined in the given lanes.
func (c *initCheck) define(r reguse.Reg, lanes uint64, mask uint32) {
	if !c.dirty.has(r) {
		return
	}
	if mask == ^uint32(0) && (r >= reguse.Scalar || lanes&c.first == c.first && c.fresh.has(r)) {
		c.dirty.drop(r)
		c.fresh.drop(r)
		if r >= reguse.Scalar {
			c.s[r-reguse.Scalar] = 0
		}
		return
	}
	any, b := uint32(0), c.bits(r)
	for l := range b {
		if r >= reguse.Scalar || lanes>>l&1 != 0 {
			b[l] &^= mask
		}
		any |= b[l]
	}
	if any == 0 {
		c.dirty.drop(r)
	}
}

// undefined reports whether a register has undefined bits in any of the given
// lanes, and returns the first such lane (-1 if the register is scalar).
func (c *initCheck) undefined(r reguse.Reg, lanes uint64) (lane int, ok bool) {
	if !c.dirty.has(r) {
		return 0, false
	}
	if r >= reguse.Scalar {
		return -1, c.s[r-reguse.Scalar] != 0
	}
	if c.fresh.has(r) {
		lanes &= c.first
		return bits.TrailingZeros64(lanes) & 63, lanes != 0
	}
	b := c.bits(r)
	for ; lanes != 0; lanes &= lanes - 1 {
		if l := bits.TrailingZeros64(lanes) & 63; b[l] != 0 {
			return l, true
		}
	}
	return 0, false
}

// originOf returns the source of a register's undefined bits.
func (c *initCheck) originOf(r reguse.Reg) origin {
	if c.fresh.has(r) {
		return origin{at: uint32(r)}
	}
	return c.origin[r]
}

// found reports the use of an undefined register. what names the value that
// depends on it.
func (c *initCheck) found(w *wave, r reguse.Reg, lane int, addr uint64, what string) {
	from := c.originOf(r)
	w.report(found{check: device.CheckInit, kind: what, lane: lane, addr: addr, text: func() (string, string) {
		s := fmt.Sprintf("%s depends on %s", what, from)
		if from.kind != originRegister || reguse.Reg(from.at) != r {
			s += " (through " + r.String() + ")"
		}
		return s, ""
	}})
}

// before checks an instruction that is about to execute.
func (c *initCheck) before(w *wave, o *op, uses []reguse.Use) {
	c.pending = c.pending[:0]
	if !c.anyDirty(uses) {
		return
	}
	if m0 := reguse.Scalar + reguse.Reg(reguse.M0Code(w.dev.set)); o.moved != nil && c.dirty.has(m0) {
		c.found(w, m0, -1, 0, "the register index")
		c.define(m0, w.all, ^uint32(0))
	}
	switch {
	case isMemory(o):
		c.memory(w, o, uses)
	case o.export != nil:
		c.exported(w, uses)
	case o.class == classBranch:
		c.branch(w, o, uses)
	case c.readsUndefined(w, o, uses) && canTry(w, o):
		c.try(w, o, uses)
	default:
		c.defineResults(w, o, uses)
	}
}

// after updates the defined bits of the registers that a memory instruction has
// loaded.
func (c *initCheck) after(w *wave, o *op, uses []reguse.Use) {
	if isMemory(o) && (len(c.pending) > 0 || c.anyDirty(uses)) {
		c.loaded(w, o, uses)
	}
}

func (c *initCheck) anyDirty(uses []reguse.Use) bool {
	for i := range uses {
		u := &uses[i]
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			if c.dirty.has(r) {
				return true
			}
		}
	}
	return false
}

// laneLocal reports whether each lane of an instruction's results depends only
// on the same lane of its sources, and inactive lanes are unchanged.
func laneLocal(o *op) bool {
	return o.class == classVALU && (o.row != nil || o.pair != nil) && o.dpp == nil && vectorSpecials.From(makeVectorSpecials)[o.in.Enc.Name()] == nil
}

// merges reports whether a result preserves part of its register's previous
// value.
func merges(o *op, u *reguse.Use) bool { return u.How&reguse.Merge != 0 || o.flags&flagKeepHalf != 0 }

// readsUndefined reports whether an instruction reads or preserves undefined
// bits.
func (c *initCheck) readsUndefined(w *wave, o *op, uses []reguse.Use) bool {
	lanes := w.all
	if o.facts.local {
		lanes = w.exec()
	}
	for i := range uses {
		u := &uses[i]
		if u.How&reguse.Read == 0 && !merges(o, u) {
			continue
		}
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			if _, ok := c.undefined(r, lanes); ok {
				return true
			}
		}
	}
	return false
}

// defineResults marks the results of an instruction as defined.
func (c *initCheck) defineResults(w *wave, o *op, uses []reguse.Use) {
	lanes := w.exec()
	if o.class == classMatrix {
		lanes = w.all
	}
	for i := range uses {
		u := &uses[i]
		if u.How&reguse.Write == 0 || merges(o, u) && u.How&reguse.Read == 0 {
			continue
		}
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			c.define(r, lanes, ^uint32(0))
		}
	}
}

// branch checks the condition or the target of a branch.
func (c *initCheck) branch(w *wave, o *op, uses []reguse.Use) {
	known := w.mask(sVCC)
	for i := range uses {
		u := &uses[i]
		if u.How&reguse.Read == 0 {
			continue
		}
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			if r == reguse.VCC || r == reguse.VCC+1 {
				known &^= uint64(c.s[r-reguse.Scalar]) << (32 * (r - reguse.VCC))
			}
		}
	}
	for i := range uses {
		u := &uses[i]
		if u.How&reguse.Read == 0 {
			continue
		}
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			switch _, ok := c.undefined(r, w.all); {
			case !ok, (r == reguse.VCC || r == reguse.VCC+1) && known != 0:
				continue
			case u.Role == reguse.RoleSrc0:
				c.found(w, r, -1, 0, "the jump target")
			default:
				c.found(w, r, -1, 0, "the branch condition")
			}
			c.define(r, w.all, ^uint32(0))
		}
	}
	c.defineResults(w, o, uses)
}
