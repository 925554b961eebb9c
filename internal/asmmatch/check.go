package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// rules is the set of whole-instruction checks that a candidate needs. They
// correspond to LLVM's AMDGPUAsmParser::validateInstruction.
type rules uint32

const (
	ruleBus        rules = 1 << iota // number of scalar values that VALU sources read
	ruleLiteral                      // literals of SOP2, SOPC
	ruleOffset                       // range of an offset
	ruleImage                        // data, address and dmask of images
	ruleCPol                         // cache policy
	ruleDPP                          // dpp_ctrl of double-precision instructions
	ruleClamp                        // integer clamp where it does not exist
	ruleOpSel                        // op_sel of dot products and permlane
	ruleNeg                          // neg_lo and neg_hi of dot products and WMMA
	ruleMFMA                         // overlap of result and source 2, constants
	ruleAccWrite                     // source of v_accvgpr_write
	ruleBLGP                         // blgp or neg
	ruleAGPRs                        // data and result in one register file
	ruleGWS                          // even registers
	ruleGDS                          // no gds
	ruleDivScale                     // no abs
	ruleNullDst                      // s_waitcnt_vscnt null, 0
	ruleRev                          // no lds_direct
	ruleMovrels                      // sources of v_movrels with SDWA
	ruleMacSDWA                      // dst_sel of v_mac with SDWA on gfx8
	ruleMatrixSize                   // source sizes by matrix format
	ruleHalves                       // op_sel agrees with the named halves
	ruleTensor                       // no r128
)

// rulesOf determines the rules of the builder's candidate.
func (b *builder) rulesOf() {
	c, t, s := &b.c, b.c.traits, b.set
	on := func(r rules, cond bool) {
		if cond {
			c.rules |= r
		}
	}
	kinds := c.enc.Kinds()
	switch c.form {
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3, isa.VOP3P, isa.VOP3PX, isa.VOPD, isa.VOPD3, isa.MAI:
		c.rules |= ruleBus
		c.bus = 1
		if s.Has(isa.PropBus2) && !kinds.Any(isa.KindShift64) || s.Has(isa.PropShifts2) && kinds.Any(isa.KindShift64Right) {
			c.bus = 2
		}
	case isa.SOP2, isa.SOPC:
		c.rules |= ruleLiteral
	case isa.MIMG, isa.VIMAGE, isa.VSAMPLE:
		c.rules |= ruleImage
	}
	on(ruleOffset, c.form == isa.FLAT || c.form == isa.MUBUF || c.form == isa.MTBUF || c.form == isa.DS)
	on(ruleCPol, c.mods.Has(ModCPol))
	on(ruleDPP, c.mods.Has(ModDPPCtrl) && b.dpALU())
	on(ruleClamp, t.Any(isa.TraitIntclamp) && c.mods.Has(ModClamp) && !s.Has(isa.PropIntClamp))
	on(ruleOpSel, c.mods.Has(ModOpSel) && (t.Any(isa.TraitDot) || kinds.Any(isa.KindPermlane)))
	if c.form == isa.VOP3P && s.Has(isa.PropPkPairs) && b.singlePairs() {
		c.rules |= ruleOpSel
		c.scalarPair = true
	}
	on(ruleNeg, c.mods&(ModNegLo.Bit()|ModNegHi.Bit()) != 0 && t.Any(isa.TraitDot|isa.TraitWmma|isa.TraitSwmmac))
	on(ruleMFMA, t.Any(isa.TraitMai) && b.hasOperandIn(isa.FieldSrc2) && !b.f8f6f4())
	on(ruleAccWrite, kinds.Any(isa.KindAccWrite) && s == isa.GFX908)
	on(ruleBLGP, c.mods.Has(ModBLGP))
	on(ruleAGPRs, agprForms[c.form])
	on(ruleGWS, t.Any(isa.TraitGws) && b.alignedGWS())
	on(ruleGDS, c.mods.Has(ModGDS) && !s.Has(isa.PropGds) && !t.Any(isa.TraitGws))
	on(ruleDivScale, t.Any(isa.TraitVop3b) && b.floatSources())
	on(ruleNullDst, s.Has(isa.PropNullResult) && t.Any(isa.TraitNullresult))
	on(ruleRev, kinds.Any(isa.KindRev))
	on(ruleMovrels, c.vari == isa.SDWA && kinds.Any(isa.KindMovrels))
	on(ruleMacSDWA, c.vari == isa.SDWA && s.Gen() == isa.Gen8 && t.Any(isa.TraitTied))
	on(ruleMatrixSize, b.f8f6f4())
	on(ruleHalves, c.mods.Has(ModOpSel) && b.halved(c))
	on(ruleTensor, t.Any(isa.TraitTensor) && c.mods.Has(ModR128))
}

var agprForms = [...]bool{isa.DS: true, isa.FLAT: true, isa.MUBUF: true, isa.MTBUF: true, isa.MIMG: true, isa.VOP3PX: false, 63: false}

// alignedGWS reports whether global wave sync requires even registers.
func (b *builder) alignedGWS() bool {
	g := b.set.Gen()
	return (g == isa.Gen90A || g == isa.Gen940) && b.hasOperandIn(isa.FieldAddr)
}

// dpALU reports whether the encoding runs on the double-precision unit.
func (b *builder) dpALU() bool {
	return b.in.IsDPALU()
}

// floatSources reports whether the encoding is v_div_scale, the only
// instruction with a second, scalar result that has floating-point sources.
func (b *builder) floatSources() bool {
	for i := range b.c.specs {
		if b.c.specs[i].mods&Abs != 0 && b.c.specs[i].abs.width == 0 {
			return true
		}
	}
	return false
}

// singlePairs reports whether the sources are pairs of floats.
func (b *builder) singlePairs() bool {
	for i := range b.c.specs {
		if b.c.specs[i].src >= 0 && b.c.specs[i].typ.Base() == isa.V2F32 {
			return true
		}
	}
	return false
}

// f8f6f4 reports whether the encoding is a matrix instruction whose element
// size is selected by cbsz and blgp or by the matrix formats.
func (b *builder) f8f6f4() bool {
	const tail = "_f8f6f4"
	n := b.m.Text
	return len(n) > len(tail) && n[len(n)-len(tail):] == tail
}

// isChosen reports whether to use an encoding that fits the operands. If not, a
// later candidate may fit.
func (m *Matcher) isChosen(c *candidate) bool {
	mods := &m.stmt.Mods
	if c.rules&ruleMacSDWA != 0 && mods.Seen.Has(ModDstSel) && mods.Val[ModDstSel] != isa.SDWASelDWord {
		return false
	}
	if c.rules&ruleCPol != 0 && c.traits.Any(isa.TraitRet) != c.traits.Any(isa.TraitNoret) {
		return m.returnsAsAsked(c)
	}
	return true
}

// returnsAsAsked reports whether an atomic returns the old value if and only if
// the cache policy requests it. It matters where both encodings have the same
// operands.
func (m *Matcher) returnsAsAsked(c *candidate) bool {
	if c.form != isa.SMEM {
		return true
	}
	return m.returnsOldValue() == c.traits.Any(isa.TraitRet)
}

// returnsOldValue reports whether the cache policy requests the old value of an atomic.
func (m *Matcher) returnsOldValue() bool { return m.stmt.Mods.CPol&isa.CPolGLC != 0 }

// checkRules checks the whole instruction. It reports the first error and returns
// false, or returns true if the instruction is valid.
func (m *Matcher) checkRules(c *candidate, ops []Operand) bool {
	r := c.rules
	for i := range checks {
		if r&checks[i].rule != 0 && !checks[i].run(m, c, ops) {
			return false
		}
	}
	return true
}

// checks lists the checks in LLVM's order.
var checks = [...]struct {
	rule rules
	run  func(m *Matcher, c *candidate, ops []Operand) bool
}{
	{ruleBus, checkLDSDirect},
	{ruleLiteral, checkScalarLiteral},
	{ruleBus, checkBus},
	{ruleClamp, checkClamp},
	{ruleOpSel, checkOpSel},
	{ruleHalves, checkHalves},
	{ruleNeg, checkNeg},
	{ruleDPP, checkDPP},
	{ruleImage, checkImage},
	{ruleMovrels, checkMovrels},
	{ruleOffset, checkOffset},
	{ruleAccWrite, checkAccWrite},
	{ruleMFMA, checkMFMA},
	{ruleMatrixSize, checkMatrixSize},
	{ruleCPol, checkCPol},
	{ruleAGPRs, checkAGPRs},
	{ruleGWS, checkGWS},
	{ruleGDS, checkGDS},
	{ruleBLGP, checkBLGP},
	{ruleDivScale, checkDivScale},
	{ruleNullDst, checkNullDst},
	{ruleTensor, checkTensor},
}

func checkLDSDirect(m *Matcher, c *candidate, ops []Operand) bool {
	for i := range ops {
		o := &ops[i]
		if o.Kind != KindReg || o.File != isa.FileS || o.Reg != codeLDSDirect || c.specs[i].kind != specValue {
			continue
		}
		switch {
		case !m.set.Has(isa.PropLdsDirect):
			return m.errorAt(i, "lds_direct is not supported on %s", m.cpu())
		case c.rules&ruleRev != 0 || c.vari == isa.SDWA:
			return m.errorAt(i, "lds_direct cannot be used with this instruction")
		case c.specs[i].src != 0:
			return m.errorAt(i, "lds_direct may be used as src0 only")
		}
	}
	return true
}

func checkScalarLiteral(m *Matcher, _ *candidate, _ []Operand) bool {
	if m.enc.litDiff >= 0 {
		return m.errorAt(int(m.enc.litDiff), "only one unique literal operand is allowed")
	}
	return true
}

// checkBus checks that VALU sources read no more scalar values (registers and
// literals) than the constant bus transfers.
func checkBus(m *Matcher, c *candidate, ops []Operand) bool {
	e := &m.enc
	if e.LiteralSize == 0 && e.nsgpr == 0 {
		return true
	}
	if e.LiteralSize != 0 && !m.checkLiteral(c) {
		return false
	}
	n := int(e.nsgpr)
	if id := m.implicitScalar(c); id != 0 {
		known := false
		for _, x := range e.sgprs[:e.nsgpr] {
			known = known || x == id
		}
		if !known {
			n++
		}
	}
	switch e.litKinds {
	case 0:
	case 3: // shared by operands of different sizes
		n += 2
	default:
		n++
	}
	if n <= int(c.bus) || m.laneSelect(c, ops) {
		return true
	}
	at := max(e.litOp, e.lastS)
	return m.errorAt(int(at), "invalid operand (violates constant bus restrictions): the sources may read %s", scalarCount(c.bus))
}

func scalarCount(n uint8) string {
	if n == 1 {
		return "only one unique scalar register or literal"
	}
	return "only two unique scalar registers or literals"
}

// implicitScalar returns the scalar register that an instruction reads in
// addition to its operands, 0 for none.
func (m *Matcher) implicitScalar(c *candidate) uint32 {
	switch {
	case c.traits.Any(isa.TraitUseVcc):
		return codeVCC<<8 | 2
	case c.traits.Any(isa.TraitUseM0):
		return uint32(m.m0)<<8 | 1
	}
	return 0
}

// laneSelect reports whether the instruction is v_writelane_b32 with m0, which
// does not count towards the limit of the constant bus.
func (m *Matcher) laneSelect(c *candidate, ops []Operand) bool {
	return !m.set.Has(isa.PropBus2) && c.enc.Kinds().Any(isa.KindWritelane) && len(ops) == 3 && ops[2].Kind == KindReg && ops[2].Reg == m.m0
}

// checkLiteral checks the literal of a VALU instruction.
func (m *Matcher) checkLiteral(c *candidate) bool {
	e := &m.enc
	switch c.form {
	case isa.VOP3, isa.VOP3P, isa.VOP3PX, isa.MAI:
		if !m.set.Has(isa.PropVop3Literal) {
			return m.errorAt(int(e.litOp), "literal operands are not supported: an instruction with the e64 encoding takes none on %s", m.cpu())
		}
	}
	if e.litLong {
		return m.errorAt(int(e.litOp), "invalid operand for instruction: a literal of this encoding has 32 bits")
	}
	if e.litDiff >= 0 {
		return m.errorAt(int(e.litDiff), "only one unique literal operand is allowed")
	}
	return true
}

func checkClamp(m *Matcher, _ *candidate, _ []Operand) bool {
	if m.stmt.Mods.On.Has(ModClamp) {
		return m.errorAtModifier(ModClamp, "integer clamping is not supported on %s", m.cpu())
	}
	return true
}

func checkOpSel(m *Matcher, c *candidate, ops []Operand) bool {
	mods := &m.stmt.Mods
	v := mods.Val[ModOpSel]
	if !mods.Seen.Has(ModOpSel) {
		v = 0
	}
	if c.scalarPair {
		return m.checkScalarPairs(c, ops, v)
	}
	bad := false
	switch {
	case !c.traits.Any(isa.TraitDot):
		bad = v&^3 != 0
	case m.set.Gen() == isa.Gen940:
		bad = v != 0 || mods.Seen.Has(ModOpSelHi)
	case m.set.Has(isa.PropTrue16) && c.form == isa.VOP3:
		bad = v&3 != 0
	}
	if bad {
		return m.errorAtModifier(ModOpSel, "invalid op_sel operand")
	}
	return true
}

// checkScalarPairs checks the sources of packed single-precision instructions
// of gfx12.5, which read only the first of two SGPRs.
func (m *Matcher) checkScalarPairs(c *candidate, ops []Operand, sel int32) bool {
	mods := &m.stmt.Mods
	hi := int32(7)
	if mods.Seen.Has(ModOpSelHi) {
		hi = mods.Val[ModOpSelHi]
	}
	for i := range c.specs {
		o, k := &ops[i], c.specs[i].src
		if k >= 0 && o.Kind == KindReg && o.File == isa.FileS && !m.isTrap(o.Reg) && o.Reg != m.null && (sel|hi)>>k&1 != 0 {
			if !mods.Seen.Has(ModOpSel) {
				return m.errorAt(i, "invalid op_sel operand: an SGPR pair needs op_sel_hi 0")
			}
			return m.errorAtModifier(ModOpSel, "invalid op_sel operand")
		}
	}
	return true
}

// isTrap reports whether a scalar code is a trap handler register's.
func (m *Matcher) isTrap(code uint16) bool {
	first := uint16(isa.RegCode(m.set, isa.RegTTMP, 0))
	return code >= first && code < first+16
}

func checkNeg(m *Matcher, c *candidate, _ []Operand) bool {
	mods := &m.stmt.Mods
	for _, id := range [...]Modifier{ModNegLo, ModNegHi} {
		if mods.Seen.Has(id) && uint8(mods.Val[id])&7&^c.srcMods != 0 {
			return m.errorAtModifier(id, "invalid %s operand: a source takes no neg", modNames[id])
		}
	}
	return true
}

var modNames = [NumModifiers]string{ModNegLo: "neg_lo", ModNegHi: "neg_hi"}

func checkDPP(m *Matcher, _ *candidate, _ []Operand) bool {
	if problem := isa.CheckDPPCtrl(m.set, uint32(m.stmt.Mods.Val[ModDPPCtrl]), true); problem != "" {
		return m.errorAtModifier(ModDPPCtrl, "%s", problem)
	}
	return true
}

func checkMovrels(m *Matcher, _ *candidate, ops []Operand) bool {
	if o := &ops[1]; o.Kind != KindReg || o.File != isa.FileV {
		return m.errorAt(1, "source operand must be a VGPR")
	}
	return true
}

// checkOffset checks the offset of FLAT, buffer and DS instructions.
func checkOffset(m *Matcher, c *candidate, _ []Operand) bool {
	mods := &m.stmt.Mods
	if !mods.Seen.Has(ModOffset) {
		return true
	}
	v := mods.Val[ModOffset]
	bits, signed := m.offsetRange(c)
	switch {
	case bits == 0 && v != 0:
		return m.errorAtModifier(ModOffset, "flat offset modifier is not supported on %s", m.cpu())
	case bits == 0:
		return true
	case signed && (v < -1<<(bits-1) || v >= 1<<(bits-1)):
		return m.errorAtModifier(ModOffset, "expected a %d-bit signed offset", bits)
	case !signed && (v < 0 || v >= 1<<bits):
		return m.errorAtModifier(ModOffset, "expected a %d-bit unsigned offset%s", bits, [2]string{"", " for buffer ops"}[bit(bits == 23)])
	}
	return true
}

// offsetRange returns the width and signedness of an instruction's offset.
func (m *Matcher) offsetRange(c *candidate) (bits int, signed bool) {
	switch c.form {
	case isa.DS:
		return 16, false
	case isa.SMEM:
		bits = 21
		if m.set.Has(isa.PropSmemOffset24) {
			bits = 24
		}
		if c.buffer {
			return bits - 1, false
		}
		return bits, true
	case isa.FLAT:
		bits = 13
		switch {
		case !m.set.Has(isa.PropFlatOffset):
			return 0, false
		case m.set.Has(isa.PropOffset24):
			return 24, true
		case m.set.Gen() == isa.Gen10:
			bits = 12
		}
		if c.traits.Any(isa.TraitGlobal | isa.TraitScratch) {
			return bits, true
		}
		return bits - 1, false
	}
	if m.set.Has(isa.PropOffset24) {
		return 23, false
	}
	return 12, false
}

func checkAccWrite(m *Matcher, _ *candidate, ops []Operand) bool {
	if o := &ops[1]; o.Kind == KindReg && o.File == isa.FileS {
		return m.errorAt(1, "source operand must be either a VGPR or an inline constant")
	}
	return true
}

// checkMFMA checks source 2 of a matrix instruction.
func checkMFMA(m *Matcher, c *candidate, ops []Operand) bool {
	for i := range c.specs {
		if c.specs[i].src != 2 {
			continue
		}
		o, dst := &ops[i], &ops[0]
		if o.Kind == KindInt || o.Kind == KindReal {
			if m.target.Has(target.FeatureMFMAInlineLiteralBug) {
				return m.errorAt(i, "inline constants are not allowed for this operand")
			}
			return true
		}
		if o.Kind == KindReg && o.File == dst.File && o.Reg != dst.Reg && dst.Dwords > 4 &&
			o.Reg < dst.Reg+uint16(dst.Dwords) && dst.Reg < o.Reg+uint16(o.Dwords) {
			return m.errorAt(i, "source 2 operand must not partially overlap with dst")
		}
	}
	return true
}

// checkMatrixSize checks that the source sizes match the matrix formats: 8
// dwords for 8-bit elements, 6 for 6-bit and 4 for 4-bit elements.
func checkMatrixSize(m *Matcher, c *candidate, ops []Operand) bool {
	mods := &m.stmt.Mods
	ids, names, unit := [2]Modifier{ModCBSZ, ModBLGP}, [2]string{"cbsz", "blgp"}, uint8(1)
	if c.mods.Has(ModMatrixAFmt) {
		ids, names, unit = [2]Modifier{ModMatrixAFmt, ModMatrixBFmt}, [2]string{"matrix_a_fmt", "matrix_b_fmt"}, 2
	}
	for i, id := range ids {
		v := int32(0)
		if mods.Seen.Has(id) {
			v = mods.Val[id]
		}
		want := [...]uint8{8, 8, 6, 6, 4, 8, 8, 8}
		if ops[1+i].Dwords != want[v]*unit {
			return m.errorAt(1+i, "wrong register tuple size for %s value %d: expected %d registers", names[i], v, want[v]*unit)
		}
	}
	return true
}

// checkAGPRs checks that the data and the result of a memory instruction are
// either all VGPRs or all AGPRs.
func checkAGPRs(m *Matcher, c *candidate, ops []Operand) bool {
	var file isa.Files
	for i := range ops {
		switch c.specs[i].field {
		case isa.FieldVdst, isa.FieldVdata, isa.FieldData0, isa.FieldData1:
		default:
			continue
		}
		if ops[i].Kind != KindReg {
			continue
		}
		if file != 0 && file != ops[i].File {
			return m.errorAt(i, "invalid register class: data and dst should be all VGPR or AGPR")
		}
		file = ops[i].File
	}
	return true
}

func checkGWS(m *Matcher, c *candidate, ops []Operand) bool {
	for i := range ops {
		if c.specs[i].field == isa.FieldAddr && ops[i].Reg&1 != 0 {
			return m.errorAt(i, "vgpr must be even aligned")
		}
	}
	return true
}

func checkGDS(m *Matcher, _ *candidate, _ []Operand) bool {
	if m.stmt.Mods.On.Has(ModGDS) {
		return m.errorAtModifier(ModGDS, "gds modifier is not supported on %s", m.cpu())
	}
	return true
}

func checkBLGP(m *Matcher, c *candidate, _ []Operand) bool {
	mods := &m.stmt.Mods
	if !mods.Seen.Has(ModBLGP) || mods.NegBLGP == c.enc.NegBLGP(m.set) {
		return true
	}
	if mods.NegBLGP {
		return m.errorAtModifier(ModBLGP, "invalid modifier: neg is not supported")
	}
	return m.errorAtModifier(ModBLGP, "invalid modifier: blgp is not supported")
}

func checkDivScale(m *Matcher, _ *candidate, ops []Operand) bool {
	for i := range ops {
		if ops[i].Mods&Abs != 0 {
			return m.errorAt(i, "ABS not allowed in VOP3B instructions")
		}
	}
	return true
}

func checkNullDst(m *Matcher, _ *candidate, ops []Operand) bool {
	if ops[0].Reg != m.null {
		return m.errorAt(0, "src0 must be null")
	}
	return true
}

func checkTensor(m *Matcher, _ *candidate, _ []Operand) bool {
	if m.stmt.Mods.On.Has(ModR128) {
		return m.errorAtModifier(ModR128, "instruction must set modifier r128=0")
	}
	return true
}

// checkHalves checks that op_sel does not contradict the register halves named
// .l and .h. An op_sel of all zeros is allowed.
func checkHalves(m *Matcher, c *candidate, ops []Operand) bool {
	mods := &m.stmt.Mods
	if !mods.Seen.Has(ModOpSel) || mods.Val[ModOpSel] == 0 {
		return true
	}
	v, n := uint32(mods.Val[ModOpSel]), 0
	for i := range c.specs {
		if c.specs[i].src >= 0 {
			if !halfAgrees(&ops[i], v>>n) {
				return m.errorAtModifier(ModOpSel, "op_sel operand conflicts with 16-bit operand suffix")
			}
			n++
		}
	}
	if c.traits.Any(isa.TraitTied) { // the result is also the last source
		if !halfAgrees(&ops[0], v>>n) {
			return m.errorAtModifier(ModOpSel, "op_sel operand conflicts with 16-bit operand suffix")
		}
		n++
	}
	if c.specs[0].field == isa.FieldVdst && !halfAgrees(&ops[0], v>>n) {
		return m.errorAtModifier(ModOpSel, "op_sel operand conflicts with 16-bit operand suffix")
	}
	return true
}

// halfAgrees reports whether a bit of op_sel agrees with an operand.
func halfAgrees(o *Operand, bit uint32) bool {
	return o.Half == 0 || uint32(o.Half-1) == bit&1
}

// checkCPol checks the cache policy.
func checkCPol(m *Matcher, c *candidate, _ []Operand) bool {
	mods := &m.stmt.Mods
	if m.th {
		return m.checkCPol12(c)
	}
	switch {
	case c.form == isa.SMRD && mods.CPol != 0:
		return m.errorAtModifier(ModCPol, "cache policy is not supported for SMRD instructions")
	case c.form == isa.SMEM && mods.CPol&^(isa.CPolGLC|isa.CPolDLC) != 0:
		return m.errorAtModifier(ModCPol, "invalid cache policy for SMEM instruction")
	case c.form == isa.SMEM || c.form == isa.MIMG:
		return true
	}
	ret, noret := c.traits.Any(isa.TraitRet), c.traits.Any(isa.TraitNoret)
	name := "glc"
	if m.set.Gen() == isa.Gen940 {
		name = "sc0"
	}
	switch {
	case ret && !noret && !m.returnsOldValue():
		return m.errorAt(-1, "instruction must use %s", name)
	case noret && !ret && m.returnsOldValue():
		return m.errorAtModifier(ModCPol, "instruction must not use %s", name)
	}
	return true
}

// checkCPol12 checks the temporal hint and the scope of gfx12.
func (m *Matcher) checkCPol12(c *candidate) bool {
	mods := &m.stmt.Mods
	ret, noret := c.traits.Any(isa.TraitRet), c.traits.Any(isa.TraitNoret)
	if ret && !noret && (c.form == isa.FLAT || c.form == isa.MUBUF) && !m.returnsOldValue() {
		return m.errorAt(-1, "instruction must use th:TH_ATOMIC_RETURN")
	}
	if problem := isa.CheckTH(m.stmt.Mnemonic.CPolKind, mods.TH, mods.CPol&isa.CPolScope); problem != "" {
		return m.errorAtModifier(ModCPol, "%s", problem)
	}
	if mods.CPol&isa.CPolScale != 0 && !m.scalesOffset(c) {
		return m.errorAtModifier(ModCPol, "scale_offset is not supported for this instruction")
	}
	return true
}

// scalesOffset reports whether a candidate can scale its offset by the size of
// its data.
func (m *Matcher) scalesOffset(c *candidate) bool {
	if c.form == isa.SMEM {
		return !c.buffer
	}
	vaddr, saddr := false, false
	for i := range c.specs {
		vaddr = vaddr || c.specs[i].field == isa.FieldVaddr
		saddr = saddr || c.specs[i].field == isa.FieldSaddr
	}
	return c.form == isa.FLAT && vaddr && (saddr || c.traits.Any(isa.TraitScratch))
}
