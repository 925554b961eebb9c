package asmmatch

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// Diagnoses of instructions that no encoding fits. Valid instructions never
// reach this code.

// explainMismatch reports why no candidate fits the operands, based on the candidate
// that fits most of them.
func (m *Matcher) explainMismatch(ops []Operand) {
	mn := m.stmt.Mnemonic
	var best *candidate
	bestScore := -1
	for i := range mn.cands {
		c := &mn.cands[i]
		if allowed[m.stmt.Encoding]>>c.variant&1 == 0 {
			continue
		}
		if score := m.scoreOf(c, ops); score > bestScore {
			best, bestScore = c, score
		}
	}
	if best == nil {
		m.errorAt(-1, "invalid operand for instruction")
		return
	}
	m.explainCand(best, ops)
}

// scoreOf rates how well operands fit a candidate: by the number of operands
// before the first mismatch.
func (m *Matcher) scoreOf(c *candidate, ops []Operand) int {
	mods := &m.stmt.Mods
	n := 0
	for n < len(ops) && n < len(c.specs) && m.fitsSpec(&ops[n], &c.specs[n]) {
		n++
	}
	score := n * 4
	if n == len(ops) && n == len(c.specs) {
		score += 3
	}
	if mods.Seen&^(c.mods|c.need) == 0 {
		score += 2
	}
	if c.need&^mods.On == 0 {
		score++
	}
	return score
}

// explainCand reports why a candidate does not fit.
func (m *Matcher) explainCand(c *candidate, ops []Operand) {
	mods := &m.stmt.Mods
	for i := range min(len(ops), len(c.specs)) {
		if !m.fitsSpec(&ops[i], &c.specs[i]) {
			m.errorAt(i, "invalid operand for instruction: %s", m.describeWanted(&ops[i], &c.specs[i]))
			return
		}
	}
	switch {
	case c.pair:
		m.errorAt(-1, "too few operands for instruction: expected :: and the second half of a pair")
		return
	case len(ops) < len(c.specs):
		m.errorAt(-1, "too few operands for instruction: expected %d, found %d", len(c.specs), len(ops))
		return
	case len(ops) > len(c.specs):
		m.errorAt(len(c.specs), "invalid operand for instruction: expected %d operands, found %d", len(c.specs), len(ops))
		return
	}
	for id := range NumModifiers {
		if mods.Seen.Has(id) && !(c.mods | c.need).Has(id) {
			m.errorAtModifier(id, "invalid operand for instruction: this form does not accept the modifier")
			return
		}
		if c.need.Has(id) && !mods.On.Has(id) {
			m.errorAt(-1, "missing %s operand", neededNames[id])
			return
		}
	}
	m.errorAt(-1, "operands are not valid for %s", m.cpu())
}

// neededNames describes the modifiers that an encoding may require.
var neededNames = [NumModifiers]string{
	ModDPPCtrl: "dpp_ctrl (such as row_shl:1)", ModDPP8: "dpp8", ModDim: "dim", ModOffset: "offset",
	ModGDS: "gds", ModOffen: "offen", ModIdxen: "idxen", ModAddr64: "addr64", ModLDS: "lds", ModTFE: "tfe",
}

// describeWanted describes the expected operand and the reason why o does not match.
func (m *Matcher) describeWanted(o *Operand, s *spec) string {
	switch s.kind {
	case specVCC:
		if m.waves&Wave64 == 0 {
			return "expected vcc_lo"
		}
		return "expected vcc"
	case specM0:
		return "expected m0"
	case specOff:
		return "expected off"
	case specExport:
		return "expected a VGPR or off"
	case specImm:
		if s.lo == -1<<20 || s.lo == -1<<23 || s.hi == 1<<20-1 || s.hi == 1<<23-1 {
			return "expected " + offsetText(s)
		}
		return fmt.Sprintf("expected a number from %d to %d", s.lo, s.hi)
	case specBranch:
		return "expected a label or a 16-bit offset"
	case specK:
		return fmt.Sprintf("expected a %d-bit literal", s.typ.Bits())
	case specAddr:
		return "expected VGPRs"
	case specData:
		return "expected " + filesText(s.files)
	case specCustom, specAttr:
		return "expected an operand with special syntax"
	}
	return m.wantsValue(o, s)
}

// offsetText describes the offset of a scalar memory instruction.
func offsetText(s *spec) string {
	switch {
	case s.lo == -1<<20:
		return "a 21-bit signed offset"
	case s.lo == -1<<23:
		return "a 24-bit signed offset"
	case s.hi == 1<<20-1:
		return "a 20-bit unsigned offset"
	}
	return "a 23-bit unsigned offset for buffer ops"
}

// wantsValue describes the registers and constants that an operand accepts.
func (m *Matcher) wantsValue(o *Operand, s *spec) string {
	switch {
	case o.Kind == KindReg && o.File&s.files == 0 || o.Kind == KindOff:
		return "expected " + m.valueText(s)
	case o.Kind == KindReg && o.Dwords != s.dwords && s.flags&isa.Mask == 0:
		return "expected " + m.valueText(s)
	case o.Mods&Abs != 0 && s.mods == Neg:
		return "ABS not allowed in VOPD3 instructions"
	case o.Kind == KindReg && o.Mods&^s.mods != 0:
		return "no modifiers are allowed here"
	case o.Kind == KindReg && o.File != isa.FileS && s.flags&isa.Half != 0 && o.Half == 0:
		return "expected half of a VGPR, such as v0.l"
	case o.Kind == KindReg && o.Half != 0 && s.flags&isa.Half == 0:
		return "expected a whole register, not half of one"
	case o.Kind == KindReg && s.flags&isa.Lo128 != 0 && o.Reg >= 128:
		return "expected one of v0 to v127"
	case o.Kind == KindReg && m.alignVGPRs && o.Dwords > 1 && o.Reg&1 != 0:
		return "vgpr tuples must be 64 bit aligned"
	case o.Kind == KindReg:
		return "this register is not allowed here"
	case s.files&isa.FileC == 0:
		return "expected " + m.valueText(s)
	case s.typ.InlineOnly():
		return "expected a register or an inline constant"
	case o.Kind == KindExpr:
		return "a symbol's value is not allowed here"
	}
	return fmt.Sprintf("the number does not fit in a %d-bit operand", s.typ.Bits())
}

// valueText describes the values that a spec accepts.
func (m *Matcher) valueText(s *spec) string {
	text := filesText(s.files)
	n := s.dwords
	if s.flags&isa.Mask != 0 {
		n = uint8(m.waves.size() / 32)
	}
	if n > 1 {
		text = fmt.Sprintf("%d-dword %s", n, text)
	}
	return text
}

// filesText describes register files.
func filesText(f isa.Files) string {
	var parts []string
	for _, x := range [...]struct {
		f    isa.Files
		text string
	}{{isa.FileV, "VGPR"}, {isa.FileA, "AGPR"}, {isa.FileS, "SGPR"}, {isa.FileC, "constant"}} {
		if f&x.f != 0 {
			parts = append(parts, x.text)
		}
	}
	return strings.Join(parts, " or ")
}

// explainPair reports why no candidates fit a VOPD pair.
func (m *Matcher) explainPair(xs, ys []Operand) bool {
	s := m.stmt
	for half, ops := range [2][]Operand{xs, ys} {
		mn, base := s.Mnemonic, 0
		if half == 1 {
			mn, base = s.Second, s.NumFirst
		}
		best, bestScore := (*candidate)(nil), -1
		ok := false
		for i := range mn.cands {
			c := &mn.cands[i]
			if !c.pair {
				continue
			}
			n := 0
			for n < len(ops) && n < len(c.specs) && m.fitsSpec(&ops[n], &c.specs[n]) {
				n++
			}
			ok = ok || n == len(ops) && n == len(c.specs)
			if n > bestScore {
				best, bestScore = c, n
			}
		}
		switch {
		case ok || best == nil:
		case bestScore < len(ops) && bestScore < len(best.specs):
			return m.errorAt(base+bestScore, "invalid operand for instruction: %s", m.describeWanted(&ops[bestScore], &best.specs[bestScore]))
		case len(ops) < len(best.specs):
			return m.errorAt(-1, "too few operands for instruction")
		default:
			return m.errorAt(base+len(best.specs), "invalid operand for instruction")
		}
	}
	return m.errorAt(-1, "invalid operand for instruction: the halves cannot be combined")
}
