package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// VOPD pairs.

// assemblePair matches and encodes a VOPD pair.
func (m *Matcher) assemblePair() bool {
	s := m.stmt
	xs, ys := s.Ops[:s.NumFirst], s.Ops[s.NumFirst:s.NumOps]
	var bad *pairing
	var kept pairing
	for i := range s.Mnemonic.cands {
		x := &s.Mnemonic.cands[i]
		if !x.pair || len(x.specs) != len(xs) || !m.fitsAll(x, xs) {
			continue
		}
		for j := range s.Second.cands {
			y := &s.Second.cands[j]
			if y.form != x.form || len(y.specs) != len(ys) || s.Mods.Seen&^(x.mods|y.mods) != 0 || !m.fitsAll(y, ys) {
				continue
			}
			c := pairing{x: x, y: y}
			if m.pairUp(&c, xs, ys) {
				return true
			}
			// LLVM tries another encoding only if the results clash.
			if c.slot != slotDst && !(c.literal && beginsVOPD3(x.enc)) {
				return m.errorAt(c.at, "%s", c.problem)
			}
			kept = c
			bad = &kept
		}
	}
	if bad == nil {
		return m.explainPair(xs, ys)
	}
	return m.errorAt(bad.at, "%s", bad.problem)
}

// pairing is a pair of candidates that the operands fit.
type pairing struct {
	x, y    *candidate
	literal bool // the problem is a literal
	slot    int  // clashing operand of both halves: the result or a source
	at      int
	problem string
}

// Operands of a half.
const (
	slotDst = iota
	slotSrc0
	slotSrc1
	slotSrc2
	numSlots
)

// bankMasks list the bits of the register numbers that select the bank. Two
// halves must not use the same bank in the same slot.
var (
	bankMasksVOPD  = [numSlots]uint16{1, 3, 3, 1}
	bankMasksVOPD3 = [numSlots]uint16{0, 3, 3, 3}
)

// vregs returns the VGPRs of a half by slot; dwords is 0 for empty slots.
func vregs(c *candidate, ops []Operand) (r [numSlots]Address) {
	for i := range c.specs {
		if i < numSlots && c.specs[i].kind != specK && ops[i].Kind == KindReg && ops[i].File == isa.FileV {
			r[i] = Address{ops[i].Reg, ops[i].Dwords, isa.FileV}
		}
	}
	if c.traits.Any(isa.TraitTied) { // the result is also source 2
		r[slotSrc2] = r[slotDst]
	}
	return r
}

// findClash finds the slot in which two halves use the same bank.
func (m *Matcher) findClash(c *pairing, xs, ys []Operand) (slot int, is bool) {
	vopd3 := c.x.form == isa.VOPD3
	masks := &bankMasksVOPD
	if vopd3 {
		masks = &bankMasksVOPD3
	}
	xr, yr := vregs(c.x, xs), vregs(c.y, ys)
	if vopd3 && (beginsVOPD3(c.x.enc) || beginsVOPD3(c.y.enc)) {
		return clashMisread(c, &xr, &yr)
	}
	skip := m.set.Has(isa.PropDualMov) && isDualMove(c.x) && isDualMove(c.y)
	for i := range numSlots {
		x, y := xr[i], yr[i]
		if x.Dwords == 0 || y.Dwords == 0 || skip && i != slotDst {
			continue
		}
		if i == slotDst {
			if x.Reg < y.Reg+uint16(y.Dwords) && y.Reg < x.Reg+uint16(x.Dwords) {
				return i, true
			}
			if vopd3 {
				continue
			}
		}
		same := m.set.Has(isa.PropDualSame) && i != slotDst && x == y
		if !same && banksMeet(x, y, masks[i]) {
			return i, true
		}
	}
	return 0, false
}

// clashMisread is clash for VOPD3 pairs with v_dual_dot2acc_f32_bf16, as LLVM
// implements it. LLVM takes source 0 of that instruction for source 1 and
// checks no others. If it is the first half, LLVM uses for source 1 of the
// second half the second half's source 0 if it has modifiers, or else the first
// half's result.
func clashMisread(c *pairing, xr, yr *[numSlots]Address) (slot int, is bool) {
	x, y := xr[slotDst], yr[slotDst]
	if x.Reg < y.Reg+uint16(y.Dwords) && y.Reg < x.Reg+uint16(x.Dwords) {
		return slotDst, true
	}
	x, y = xr[slotSrc1], yr[slotSrc0]
	if beginsVOPD3(c.x.enc) {
		switch {
		case len(c.y.specs) < 3:
			return 0, false
		case c.y.srcMods != 0 && !beginsVOPD3(c.y.enc):
			x, y = xr[slotSrc0], yr[slotSrc0]
		default:
			x, y = xr[slotSrc0], xr[slotDst]
		}
	}
	return slotSrc1, x.Dwords != 0 && y.Dwords != 0 && x != y && banksMeet(x, y, bankMasksVOPD3[slotSrc1])
}

// beginsVOPD3 reports whether an instruction begins a VOPD3 pair rather than a
// VOPD pair.
func beginsVOPD3(e isa.Enc) bool { return e.Kinds().Any(isa.KindVopd3) }

// isDualMove reports whether a half of a pair copies its only source.
func isDualMove(c *candidate) bool { return len(c.specs) == 2 && c.enc.Kinds().Any(isa.KindCopy) }

// banksMeet reports whether two tuples use one bank.
func banksMeet(x, y Address, mask uint16) bool {
	meet := func(a, b uint16) bool { return a&mask == b&mask }
	return meet(x.Reg, y.Reg) || x.Dwords == 2 && meet(x.Reg+1, y.Reg) || y.Dwords == 2 && meet(x.Reg, y.Reg+1)
}

// pairUp checks a pair and encodes it.
func (m *Matcher) pairUp(c *pairing, xs, ys []Operand) bool {
	if slot, is := m.findClash(c, xs, ys); is {
		c.slot, c.at = slot, m.stmt.NumFirst+min(slot, len(ys)-1)
		switch {
		case slot != slotDst:
			c.problem = [...]string{"", "src0", "src1", "src2"}[slot] + " operands must use different VGPR banks"
		case c.x.form == isa.VOPD3:
			c.problem = "dst registers must be distinct"
		default:
			c.problem = "one dst register must be even and the other odd"
		}
		return false
	}
	e := &m.enc
	m.encodeCandidate(c.x, xs)
	in := m.Inst()
	in.SetField(isa.FieldOpY, uint32(c.y.enc.Code()))
	copy(e.Words[:], in.Words[:])
	m.encodeOperands(c.y, ys, m.stmt.NumFirst)
	m.dualBitOp3(c)
	return m.checkPair(c)
}

// dualBitOp3 writes the truth table of a pair's second half.
func (m *Matcher) dualBitOp3(c *pairing) {
	mods := &m.stmt.Mods
	if !mods.Seen.Has(ModBitOp3) {
		return
	}
	in := m.Inst()
	in.SetField(isa.FieldSrc2Y, uint32(mods.Val[ModBitOp3]))
	copy(m.enc.Words[:], in.Words[:])
}

// checkPair checks the literals and scalar registers of a pair.
func (m *Matcher) checkPair(c *pairing) bool {
	e := &m.enc
	bad := func(at int8, problem string) bool {
		c.slot, c.at, c.problem = numSlots, int(at), problem
		return false
	}
	if c.x.form == isa.VOPD3 && e.LiteralSize != 0 {
		c.literal = true
		return bad(e.litOp, "literal operands are not supported in VOPD3 instructions")
	}
	if e.litDiff >= 0 {
		return bad(e.litDiff, "only one unique literal operand is allowed")
	}
	n := int(e.nsgpr)
	if c.x.traits.Any(isa.TraitUseVcc) || c.y.traits.Any(isa.TraitUseVcc) {
		n++
	}
	if e.LiteralSize != 0 {
		n++
	}
	if n > 2 {
		return bad(max(e.litOp, e.lastS), "invalid operand (violates constant bus restrictions): the sources may read "+scalarCount(2))
	}
	return true
}
