package sim

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/isa/reguse"
)

// Check init: values that nobody has written and that decide something: an address, a branch, what is
// stored. For each bit of the registers it is known whether it is defined. An instruction that reads
// undefined bits is run on trial, several times with different values for them; the bits of its results
// that differ are undefined as well. So nothing that does not depend on undefined bits is called
// undefined: x^x, x&0, lanes that a mask leaves out, the other half of a register.

// initCheck follows the registers and the scratch memory of a wave.
type initCheck struct {
	lanes   int
	first   uint64                                 // lanes that were on when the wave began; the others are not followed
	v       []uint32                               // undefined bits of VGPRs and AGPRs, ordered as in wave.v
	s       [reguse.SCC - reguse.Scalar + 1]uint32 // those of scalar registers and SCC
	dirty   regSet                                 // registers with undefined bits
	fresh   regSet                                 // VGPRs that are as they were at the beginning: not in v
	origin  [reguse.NumRegs]origin                 // of undefined bits, where there are some
	scratch []byte                                 // defined bits of the wave's scratch memory
	trial   trial                                  // of instructions
	pending []pendingBits                          // of the registers that a memory instruction writes
	group   *groupInit
}

// regSet is a set of registers.
type regSet [(reguse.NumRegs + 63) / 64]uint64

func (s *regSet) has(r reguse.Reg) bool { return s[r>>6]>>(r&63)&1 != 0 }
func (s *regSet) add(r reguse.Reg)      { s[r>>6] |= 1 << (r & 63) }
func (s *regSet) drop(r reguse.Reg)     { s[r>>6] &^= 1 << (r & 63) }

// origin is where undefined bits come from.
type origin struct {
	kind     originKind
	computed bool // an instruction other than a move has made the value
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
		return fmt.Sprintf("LDS address %#x, which was not written", o.at)
	case originScratch:
		return fmt.Sprintf("scratch memory at offset %#x, which was not written", o.at)
	}
	return reguse.Reg(o.at).String() + ", which was not written"
}

// groupInit has the defined bits of a work-group's LDS.
type groupInit struct{ lds []byte }

func newInitCheck(w *wave) waveChecker {
	return &initCheck{lanes: w.lanes, v: make([]uint32, int(reguse.Scalar)*w.lanes)}
}

// start makes all registers undefined but those that the launch sets.
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
	for r := reguse.Reg(w.setVGPRs()); r < reguse.Scalar; r++ {
		c.dirty.add(r)
		c.fresh.add(r)
	}
	c.s = [len(c.s)]uint32{}
	m0 := reguse.M0Code(w.dev.set)
	for i := range c.s {
		if i >= int(w.chk.sgprs) && i < w.plainSGPRs() || i == sVCC || i == sVCC+1 || i == int(m0) || i == int(reguse.SCC-reguse.Scalar) {
			r := reguse.Scalar + reguse.Reg(i)
			c.set(r, 0, ^uint32(0), origin{at: uint32(r)})
		}
	}
	c.s[reguse.SCC-reguse.Scalar] = 1
	if n := int(k.waveScratch); len(c.scratch) != n {
		c.scratch = make([]byte, n)
	} else {
		clear(c.scratch)
	}
}

// setVGPRs gives how many VGPRs the launch sets.
func (w *wave) setVGPRs() int {
	k := w.group.launch.kernel
	if k.packedIDs {
		return 1
	}
	return int(k.ComputePgmRsrc2>>11&3) + 1
}

// plainSGPRs gives how many SGPRs there are without FLAT_SCRATCH and XNACK_MASK, which the
// launch sets.
func (w *wave) plainSGPRs() int {
	if w.dev.set.Gen() >= isa.Gen10 {
		return sVCC
	}
	return 102
}

func (c *initCheck) end(*wave) {}

// bits gives the undefined bits of a register: of each lane, or one dword.
func (c *initCheck) bits(r reguse.Reg) []uint32 {
	if r >= reguse.Scalar {
		return c.s[r-reguse.Scalar:][:1]
	}
	b := c.v[int(r)*c.lanes:][:c.lanes]
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

// set makes bits of a register's lane undefined.
func (c *initCheck) set(r reguse.Reg, lane int, undefined uint32, o origin) {
	b := c.bits(r)
	b[lane] = undefined
	if undefined != 0 {
		c.dirty.add(r)
		c.origin[r] = o
	}
}

// define makes bits of a register defined in some lanes.
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

// undefined reports whether a register has undefined bits in some lanes.
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

// originOf gives where the undefined bits of a register come from.
func (c *initCheck) originOf(r reguse.Reg) origin {
	if c.fresh.has(r) {
		return origin{at: uint32(r)}
	}
	return c.origin[r]
}

// found reports the use of an undefined register; what says what depends on it.
func (c *initCheck) found(w *wave, r reguse.Reg, lane int, addr uint64, what string) {
	from := c.originOf(r)
	w.report(found{check: CheckInit, kind: what, lane: lane, addr: addr, text: func() (string, string) {
		s := fmt.Sprintf("%s depends on %s", what, from)
		if from.kind != originRegister || reguse.Reg(from.at) != r {
			s += " (through " + r.String() + ")"
		}
		return s, ""
	}})
}

// before looks at an instruction that is about to run.
func (c *initCheck) before(w *wave, o *op, uses []reguse.Use) {
	c.pending = c.pending[:0]
	if !c.anyDirty(uses) {
		return
	}
	if m0 := reguse.Scalar + reguse.Reg(reguse.M0Code(w.dev.set)); o.facts.moved != nil && c.dirty.has(m0) {
		c.found(w, m0, -1, 0, "the number of a register")
		c.define(m0, w.all, ^uint32(0))
	}
	switch {
	case isMemory(o):
		c.memory(w, o, uses)
	case o.class == classBranch:
		c.branch(w, o, uses)
	case c.readsUndefined(w, o, uses) && canTry(w, o):
		c.try(w, o, uses)
	default:
		c.defineResults(w, o, uses)
	}
}

// after makes what a memory instruction has loaded defined or not.
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

// laneLocal reports whether a lane of an instruction's results depends on no other lane of its sources, and
// lanes that are off stay as they are.
func laneLocal(o *op) bool {
	return o.class == classVALU && (o.row != nil || o.pair != nil) && o.dpp == nil && vectorSpecials.From(makeVectorSpecials)[o.in.Enc.Name()] == nil
}

// merges reports whether a result keeps a part of what was in its register.
func merges(o *op, u *reguse.Use) bool { return u.How&reguse.Merge != 0 || o.flags&flagKeepHalf != 0 }

// readsUndefined reports whether an instruction reads something undefined, or keeps it.
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

// defineResults makes the results of an instruction defined.
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

// branch looks at the condition or the target of a branch.
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
				c.found(w, r, -1, 0, "the address of a jump")
			default:
				c.found(w, r, -1, 0, "the condition of a branch")
			}
			c.define(r, w.all, ^uint32(0))
		}
	}
	c.defineResults(w, o, uses)
}
