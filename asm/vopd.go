package asm

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// VOPD pairs: X :: Y.

// nextHalf reads :: and the mnemonic of a pair's second half.
func (d *dialect) nextHalf() bool {
	p, s := d.p, &d.stmt
	start := p.Pos
	p.Pos += 2
	at, end := p.Ident()
	switch {
	case at == end:
		p.Errorf(at, at+1, "expected a VOPDY instruction after ::")
		return false
	case !s.m.pairs:
		p.Errorf(start, start+2, "not a valid operand: %s cannot be the first half of a pair", s.m.text)
		return false
	case s.y != nil:
		p.Errorf(start, start+2, "invalid operand for instruction: a pair has two halves")
		return false
	}
	id, ok := lookup(d.names, p.Src[at:end])
	if !ok {
		p.Errorf(at, end, "invalid VOPDY instruction%s", d.suggest(p.Src[at:end]))
		return false
	}
	y := d.tab.mnemonic(id, true)
	if y == nil {
		p.Errorf(at, end, "invalid VOPDY instruction: %s cannot be the second half of a pair on %s", d.names.list[id].text, d.cpu())
		return false
	}
	s.y, s.nx, s.yStart, s.yEnd = y, s.n, at, end
	return true
}

// pair matches and encodes a VOPD pair.
func (d *dialect) pair() bool {
	s := &d.stmt
	xs, ys := s.ops[:s.nx], s.ops[s.nx:s.n]
	var bad *pairing
	var kept pairing
	for i := range s.m.cands {
		x := &s.m.cands[i]
		if !x.pair || len(x.specs) != len(xs) || !d.fitsAll(x, xs) {
			continue
		}
		for j := range s.y.cands {
			y := &s.y.cands[j]
			if y.form != x.form || len(y.specs) != len(ys) || s.mods.seen&^(x.mods|y.mods) != 0 || !d.fitsAll(y, ys) {
				continue
			}
			c := pairing{x: x, y: y}
			if d.pairUp(&c, xs, ys) {
				return true
			}
			// LLVM tries another encoding only if the results clash.
			if c.slot != slotDst && !(c.literal && vopd3First.has(s.m.text)) {
				return d.at(c.at, "%s", c.problem)
			}
			kept = c
			bad = &kept
		}
	}
	if bad == nil {
		return d.explainPair(xs, ys)
	}
	return d.at(bad.at, "%s", bad.problem)
}

// pairing is a pair of candidates that the operands fit.
type pairing struct {
	x, y    *cand
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
func vregs(c *cand, ops []operand) (r [numSlots]addr) {
	for i := range c.specs {
		if i < numSlots && c.specs[i].kind != specK && ops[i].kind == opReg && ops[i].file == isa.FileV {
			r[i] = addr{ops[i].reg, ops[i].dwords, isa.FileV}
		}
	}
	if c.traits.Any(isa.TraitTied) { // the result is also source 2
		r[slotSrc2] = r[slotDst]
	}
	return r
}

// clash finds the slot in which two halves use the same bank.
func (d *dialect) clash(c *pairing, xs, ys []operand) (slot int, is bool) {
	vopd3 := c.x.form == isa.VOPD3
	masks := &bankMasksVOPD
	if vopd3 {
		masks = &bankMasksVOPD3
	}
	xr, yr := vregs(c.x, xs), vregs(c.y, ys)
	g := d.set.Gen()
	if vopd3 && (vopd3First.has(c.x.enc.Name()) || vopd3First.has(c.y.enc.Name())) {
		return clashMisread(c, &xr, &yr)
	}
	skip := g >= isa.Gen12 && c.x.enc.Name() == dualMov && c.y.enc.Name() == dualMov
	for i := range numSlots {
		x, y := xr[i], yr[i]
		if x.dwords == 0 || y.dwords == 0 || skip && i != slotDst {
			continue
		}
		if i == slotDst {
			if x.reg < y.reg+uint16(y.dwords) && y.reg < x.reg+uint16(x.dwords) {
				return i, true
			}
			if vopd3 {
				continue
			}
		}
		same := g >= isa.Gen1250 && i != slotDst && x == y
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
func clashMisread(c *pairing, xr, yr *[numSlots]addr) (slot int, is bool) {
	x, y := xr[slotDst], yr[slotDst]
	if x.reg < y.reg+uint16(y.dwords) && y.reg < x.reg+uint16(x.dwords) {
		return slotDst, true
	}
	x, y = xr[slotSrc1], yr[slotSrc0]
	if vopd3First.has(c.x.enc.Name()) {
		switch {
		case len(c.y.specs) < 3:
			return 0, false
		case c.y.srcMods != 0 && !vopd3First.has(c.y.enc.Name()):
			x, y = xr[slotSrc0], yr[slotSrc0]
		default:
			x, y = xr[slotSrc0], xr[slotDst]
		}
	}
	return slotSrc1, x.dwords != 0 && y.dwords != 0 && x != y && banksMeet(x, y, bankMasksVOPD3[slotSrc1])
}

const dualMov = "v_dual_mov_b32"

// banksMeet reports whether two tuples use one bank.
func banksMeet(x, y addr, mask uint16) bool {
	meet := func(a, b uint16) bool { return a&mask == b&mask }
	return meet(x.reg, y.reg) || x.dwords == 2 && meet(x.reg+1, y.reg) || y.dwords == 2 && meet(x.reg, y.reg+1)
}

// pairUp checks a pair and encodes it.
func (d *dialect) pairUp(c *pairing, xs, ys []operand) bool {
	if slot, is := d.clash(c, xs, ys); is {
		c.slot, c.at = slot, d.stmt.nx+min(slot, len(ys)-1)
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
	d.cur = c.x
	e := &d.enc
	d.encode(c.x, xs)
	in := d.inst(c.x.enc)
	in.SetField(isa.FieldOpY, uint32(c.y.enc.Code()))
	copy(e.words[:], in.Words[:])
	d.encodeOperands(c.y, ys, d.stmt.nx)
	d.dualBitOp3(c)
	return d.checkPair(c)
}

// dualBitOp3 writes the truth table of a pair's second half.
func (d *dialect) dualBitOp3(c *pairing) {
	m := &d.stmt.mods
	if !m.seen.has(mBitOp3) {
		return
	}
	in := d.inst(c.x.enc)
	in.SetField(isa.FieldSrc2Y, uint32(m.val[mBitOp3]))
	copy(d.enc.words[:], in.Words[:])
}

// checkPair checks the literals and scalar registers of a pair.
func (d *dialect) checkPair(c *pairing) bool {
	e := &d.enc
	bad := func(at int8, problem string) bool {
		c.slot, c.at, c.problem = numSlots, int(at), problem
		return false
	}
	if c.x.form == isa.VOPD3 && e.litSize != 0 {
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
	if e.litSize != 0 {
		n++
	}
	if n > 2 {
		return bad(max(e.litOp, e.lastS), "invalid operand (violates constant bus restrictions): the sources may read "+scalarCount(2))
	}
	return true
}
