package asm

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// Diagnoses of instructions that no encoding fits. Valid instructions never
// reach this code.

// printable returns text for a message, cut at 40 bytes.
func printable(b []byte) string {
	s := []byte(b[:min(len(b), 40):min(len(b), 40)])
	out := make([]byte, len(s))
	for i, c := range s {
		if c < ' ' || c >= 0x7f {
			c = '?'
		}
		out[i] = c
	}
	return string(out)
}

// mnemonicText returns the mnemonic as written.
func (d *dialect) mnemonicText() string { return printable(d.p.Src[d.stmt.start:d.stmt.end]) }

// unknown reports a mnemonic that no processor has.
func (d *dialect) unknown(name, base []byte) bool {
	s := &d.stmt
	d.p.Errorf(s.start, s.end, "invalid instruction '%s'%s", printable(name), d.suggest(base))
	return false
}

// notHere reports an instruction that only other processors have.
func (d *dialect) notHere(base []byte, id int) bool {
	s := &d.stmt
	if d.waves == wave64 && d.set.Gen() >= isa.Gen10 && tableOf(d.set, wave32).mnemonic(id, false) != nil {
		d.p.Errorf(s.start, s.end, "instruction requires wavesize=32")
		return false
	}
	d.p.Errorf(s.start, s.end, "instruction not supported on %s: %s", d.cpu(), d.whoHas(id))
	return false
}

// whoHas lists the processors that have an instruction.
func (d *dialect) whoHas(id int) string {
	var with []string
	for s := range isa.Set(isa.NumSets) {
		if d.names.hasIn(id, s) {
			with = append(with, s.String())
		}
	}
	if len(with) == 0 {
		return d.names.list[id].text + " is an alias that only other processors have"
	}
	if len(with) > 4 {
		with = append(with[:2:2], "…", with[len(with)-1])
	}
	return d.names.list[id].text + " is supported on " + strings.Join(with, ", ")
}

// hasIn reports whether a set has a name.
func (n *names) hasIn(id int, s isa.Set) bool {
	for e := n.list[id].first; e < n.list[id].last; e++ {
		if e.Sets().Has(s) {
			return true
		}
	}
	return false
}

// noVariant reports a suffix that the instruction has no encoding for.
func (d *dialect) noVariant(forced encoding) bool {
	s := &d.stmt
	d.p.Errorf(s.start, s.end, "%s variant of this instruction is not supported on %s", forced, d.cpu())
	return false
}

// suggest returns "; did you mean …?" with the processor's mnemonic nearest to
// a misspelt one, or "" if none is near.
func (d *dialect) suggest(name []byte) string {
	text := strings.ToLower(string(name))
	best, dist := "", min(len(text)/3, 3)+1
	row := make([]int, len(text)+1)
	for i := range d.names.list {
		e := &d.names.list[i]
		if abs(len(e.text)-len(text)) >= dist || !d.tab.has(int(d.tab.means[i])) {
			continue
		}
		if n := distance(text, e.text, row, dist); n < dist {
			best, dist = e.text, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// distance returns the edit distance of two words, or a number of at least
// limit.
func distance(a, b string, row []int, limit int) int {
	for i := range row {
		row[i] = i
	}
	for j := 1; j <= len(b); j++ {
		diag, least := row[0], j
		row[0] = j
		for i := 1; i <= len(a); i++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost = 1 + min(diag, row[i-1], row[i])
			}
			diag, row[i] = row[i], cost
			least = min(least, cost)
		}
		if least >= limit {
			return limit
		}
	}
	return row[len(a)]
}

// explain reports why no candidate fits the operands, based on the candidate
// that fits most of them.
func (d *dialect) explain(ops []operand) {
	m := d.stmt.m
	var best *cand
	bestScore := -1
	for i := range m.cands {
		c := &m.cands[i]
		if allowed[d.stmt.forced]>>c.variant&1 == 0 {
			continue
		}
		if score := d.score(c, ops); score > bestScore {
			best, bestScore = c, score
		}
	}
	if best == nil {
		d.at(-1, "invalid operand for instruction")
		return
	}
	d.explainCand(best, ops)
}

// score rates how well operands fit a candidate: by the number of operands
// before the first mismatch.
func (d *dialect) score(c *cand, ops []operand) int {
	m := &d.stmt.mods
	n := 0
	for n < len(ops) && n < len(c.specs) && d.fits(&ops[n], &c.specs[n]) {
		n++
	}
	score := n * 4
	if n == len(ops) && n == len(c.specs) {
		score += 3
	}
	if m.seen&^(c.mods|c.need) == 0 {
		score += 2
	}
	if c.need&^m.on == 0 {
		score++
	}
	return score
}

// explainCand reports why a candidate does not fit.
func (d *dialect) explainCand(c *cand, ops []operand) {
	m := &d.stmt.mods
	for i := range min(len(ops), len(c.specs)) {
		if !d.fits(&ops[i], &c.specs[i]) {
			d.at(i, "invalid operand for instruction: %s", d.wants(&ops[i], &c.specs[i]))
			return
		}
	}
	switch {
	case c.pair:
		d.at(-1, "too few operands for instruction: expected :: and the second half of a pair")
		return
	case len(ops) < len(c.specs):
		d.at(-1, "too few operands for instruction: expected %d, found %d", len(c.specs), len(ops))
		return
	case len(ops) > len(c.specs):
		d.at(len(c.specs), "invalid operand for instruction: expected %d operands, found %d", len(c.specs), len(ops))
		return
	}
	for id := range numMods {
		if m.seen.has(id) && !(c.mods | c.need).has(id) {
			d.atMod(id, "invalid operand for instruction: this form does not accept the modifier")
			return
		}
		if c.need.has(id) && !m.on.has(id) {
			d.at(-1, "missing %s operand", neededNames[id])
			return
		}
	}
	d.at(-1, "operands are not valid for %s", d.cpu())
}

// neededNames describes the modifiers that an encoding may require.
var neededNames = [numMods]string{
	mDPPCtrl: "dpp_ctrl (such as row_shl:1)", mDPP8: "dpp8", mDim: "dim", mOffset: "offset",
	mGDS: "gds", mOffen: "offen", mIdxen: "idxen", mAddr64: "addr64", mLDS: "lds", mTFE: "tfe",
}

// wants describes the expected operand and the reason why o does not match.
func (d *dialect) wants(o *operand, s *spec) string {
	switch s.kind {
	case specVCC:
		if d.waves&wave64 == 0 {
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
	return d.wantsValue(o, s)
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
func (d *dialect) wantsValue(o *operand, s *spec) string {
	switch {
	case o.kind == opReg && o.file&s.files == 0 || o.kind == opOff:
		return "expected " + d.valueText(s)
	case o.kind == opReg && o.dwords != s.dwords && s.flags&isa.Mask == 0:
		return "expected " + d.valueText(s)
	case o.mods&modAbs != 0 && s.mods == modNeg:
		return "ABS not allowed in VOPD3 instructions"
	case o.kind == opReg && o.mods&^s.mods != 0:
		return "no modifiers are allowed here"
	case o.kind == opReg && o.file != isa.FileS && s.flags&isa.Half != 0 && o.half == 0:
		return "expected half of a VGPR, such as v0.l"
	case o.kind == opReg && o.half != 0 && s.flags&isa.Half == 0:
		return "expected a whole register, not half of one"
	case o.kind == opReg && s.flags&isa.Lo128 != 0 && o.reg >= 128:
		return "expected one of v0 to v127"
	case o.kind == opReg && d.alignVGPRs && o.dwords > 1 && o.reg&1 != 0:
		return "vgpr tuples must be 64 bit aligned"
	case o.kind == opReg:
		return "this register is not allowed here"
	case s.files&isa.FileC == 0:
		return "expected " + d.valueText(s)
	case s.typ.InlineOnly():
		return "expected a register or an inline constant"
	case o.kind == opExpr:
		return "a symbol's value is not allowed here"
	}
	return fmt.Sprintf("the number does not fit in a %d-bit operand", s.typ.Bits())
}

// valueText describes the values that a spec accepts.
func (d *dialect) valueText(s *spec) string {
	text := filesText(s.files)
	n := s.dwords
	if s.flags&isa.Mask != 0 {
		n = uint8(d.waves.size() / 32)
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
func (d *dialect) explainPair(xs, ys []operand) bool {
	s := &d.stmt
	for half, ops := range [2][]operand{xs, ys} {
		m, base := s.m, 0
		if half == 1 {
			m, base = s.y, s.nx
		}
		best, bestScore := (*cand)(nil), -1
		ok := false
		for i := range m.cands {
			c := &m.cands[i]
			if !c.pair {
				continue
			}
			n := 0
			for n < len(ops) && n < len(c.specs) && d.fits(&ops[n], &c.specs[n]) {
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
			return d.at(base+bestScore, "invalid operand for instruction: %s", d.wants(&ops[bestScore], &best.specs[bestScore]))
		case len(ops) < len(best.specs):
			return d.at(-1, "too few operands for instruction")
		default:
			return d.at(base+len(best.specs), "invalid operand for instruction")
		}
	}
	return d.at(-1, "invalid operand for instruction: the halves cannot be combined")
}
