package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/isa"
)

// Registers that instructions read and write, for the checks.

// reg numbers all registers of a wave: VGPRs, then AGPRs, then scalar registers by their
// encoding, then SCC.
type reg uint16

const (
	regAGPR   reg = numVGPRs
	regScalar reg = 2 * numVGPRs
	regVCC        = regScalar + sVCC
	regExec       = regScalar + sExec
	regSCC        = regScalar + 128
	numRegs       = regSCC + 1
)

// regHow says what an instruction does with registers.
type regHow uint8

const (
	regRead  regHow = 1 << iota
	regWrite        // VGPRs and AGPRs: in the lanes that are on
	regMerge        // the old value is read to keep a part of it, as a write of 16 bits does
)

// regRole is what registers are for an instruction.
type regRole uint8

const (
	roleDst    regRole = iota
	roleDst2           // mask result of VOP3B and VOPC, of SDWA
	roleSrc0           // sources of ALU operations
	roleSrc1           //
	roleSrc2           //
	roleIndex          // of v_smfmac
	roleAddr           // vector address of memory
	roleData           // data that is written to memory
	roleResult         // data that comes from memory, or old data of an atomic operation
	roleSBase          // scalar address, resource, sampler
	roleSOffset
	roleImplicit // what the instruction does not name: VCC, EXEC, M0, SCC, FLAT_SCRATCH
	numRoles
)

// regUse is a range of registers that an instruction reads or writes.
type regUse struct {
	first reg
	n     uint8
	how   regHow
	role  regRole
	half  uint8 // 1: the low half of a VGPR only, 2: the high half (gfx11)
	y     bool  // of the second half of a VOPD pair
}

// overlaps reports whether two ranges have a register in common, and the first one.
func (u *regUse) overlaps(first reg, n int) (reg, bool) {
	at := max(u.first, first)
	return at, at < u.first+reg(u.n) && at < first+reg(n)
}

// String names a register as the assembler does.
func (r reg) String() string {
	switch {
	case r < regAGPR:
		return fmt.Sprintf("v%d", uint16(r))
	case r < regScalar:
		return fmt.Sprintf("a%d", uint16(r-regAGPR))
	case r == regSCC:
		return "scc"
	}
	code := uint16(r - regScalar)
	if name, ok := scalarNames[code]; ok {
		return name
	}
	if code >= 108 && code < 124 {
		return fmt.Sprintf("ttmp%d", code-108)
	}
	return fmt.Sprintf("s%d", code)
}

// scalarNames has the encodings that are no SGPRs; M0 is 124 or 125.
var scalarNames = map[uint16]string{sVCC: "vcc_lo", sVCC + 1: "vcc_hi", sExec: "exec_lo", sExec + 1: "exec_hi", 124: "m0", 125: "m0"}

// regUses gives the registers that an instruction reads and writes. Null and constants are none.
// A destination that keeps a part of its old value is regWrite|regMerge, a tied source
// regWrite|regRead.
func regUses(in *isa.Inst) []regUse {
	c := &regCollector{in: in, traits: in.Enc.Traits()}
	switch in.Enc.Form() {
	case isa.VOPD:
		c.dual()
	case isa.EXP:
		c.export()
	default:
		if f := regForms[in.Enc.Form()]; f != nil {
			f(c)
		}
		c.operands()
		c.implicit(c.traits)
	}
	return c.list
}

// regCollector gathers the registers of an instruction.
type regCollector struct {
	in     *isa.Inst
	traits isa.Traits
	list   []regUse
	skip   func(*isa.OperandInfo) bool // operands that a form's own function has seen to
	half   uint8
	y      bool
}

func (c *regCollector) add(first reg, n int, how regHow, role regRole) {
	switch { // tuples may reach beyond the last register
	case first < regScalar:
		n = min(n, int(regScalar-first))
	case first < regSCC:
		n = min(n, int(regSCC-first))
	}
	if n > 0 {
		c.list = append(c.list, regUse{first: first, n: uint8(n), how: how, role: role, half: c.half, y: c.y})
	}
}

func (c *regCollector) vgprs(n uint32, dwords int, how regHow, role regRole) {
	c.add(reg(n&255), dwords, how, role)
}

// scalar adds scalar registers by their encoding.
func (c *regCollector) scalar(code, dwords int, how regHow, role regRole) {
	switch {
	case code == nullCode(c.in.Set):
	case code < 128:
		c.add(regScalar+reg(code), dwords, how, role)
	case code == encVCCZ:
		c.add(regVCC, c.maskDwords(), regRead, roleImplicit)
	case code == encExecZ:
		c.add(regExec, c.maskDwords(), regRead, roleImplicit)
	case code == encSCC:
		c.add(regSCC, 1, regRead, roleImplicit)
	}
}

func (c *regCollector) maskDwords() int { return int(c.in.Wave) / 32 }

func (c *regCollector) value(v isa.Value, how regHow, role regRole) {
	n := max(int(v.Dwords), 1)
	switch v.Kind {
	case isa.VGPRValue:
		c.vgprs(uint32(v.Num), n, how, role)
	case isa.AGPRValue:
		c.add(regAGPR+reg(v.Num), n, how, role)
	case isa.ScalarReg:
		c.scalar(int(v.Num), n, how, role)
	}
}

// operands adds the operands that stand in fields of their own.
func (c *regCollector) operands() {
	ops := c.in.Enc.Operands()
	for i := range ops {
		o := &ops[i]
		if o.Class == isa.ClassSdwam {
			c.sdwaMask()
			continue
		}
		if o.Class.Info().Files == 0 || c.skip != nil && c.skip(o) {
			continue
		}
		if n, dwords, ok := c.in.PlainVGPR(o); ok {
			how, role := c.use(o)
			c.vgprs(uint32(n), max(int(dwords), 1), how, role)
			continue
		}
		v := c.in.Operand(o)
		how, role := c.use(o)
		if c.half = v.Half; role == roleResult || role == roleData {
			c.half = dataHalf(c.in)
		}
		c.value(v, how, role)
		c.half = 0
	}
}

// sdwaMask adds the result of a comparison with SDWA: VCC or SGPRs.
func (c *regCollector) sdwaMask() {
	c.traits &^= isa.TraitDefVcc
	if c.traits.Any(isa.TraitDefExec) && c.in.Set.Gen() >= isa.Gen10 {
		return
	}
	n := c.maskDwords()
	if c.in.HasField(isa.FieldSd) && c.in.Field(isa.FieldSd) != 0 {
		c.scalar(int(c.in.Field(isa.FieldSdst))&^(n-1), n, regWrite, roleDst2)
	} else {
		c.add(regVCC, n, regWrite, roleDst2)
	}
}

// fieldUse says what the operand in a field is, in forms that do not say otherwise.
type fieldUse struct {
	how  regHow
	role regRole
}

var fieldUses = map[isa.Field]fieldUse{
	isa.FieldSdst: {regWrite, roleDst}, isa.FieldVdst: {regWrite, roleDst},
	isa.FieldSrc0: {regRead, roleSrc0}, isa.FieldSrc1: {regRead, roleSrc1}, isa.FieldSrc2: {regRead, roleSrc2},
	isa.FieldIdx: {regRead, roleIndex}, isa.FieldAddr: {regRead, roleAddr},
	isa.FieldData0: {regRead, roleData}, isa.FieldData1: {regRead, roleData}, isa.FieldVdata: {regRead, roleData},
	isa.FieldSdata: {regRead, roleData}, isa.FieldSbase: {regRead, roleSBase},
	isa.FieldSrsrc: {regRead, roleSBase}, isa.FieldSsamp: {regRead, roleSBase}, isa.FieldSoffset: {regRead, roleSOffset},
}

// use says what an operand of the instruction is.
func (c *regCollector) use(o *isa.OperandInfo) (regHow, regRole) {
	in, form := c.in, c.in.Enc.Form()
	u, ok := fieldUses[o.Field]
	if !ok {
		u = fieldUse{regRead, roleSrc0}
	}
	switch form {
	case isa.SOPK, isa.SOP1:
		if o.Field == isa.FieldSdst {
			u.how = scalarDstUse(in, c.traits)
		}
		return u.how, u.role
	case isa.SMEM:
		if o.Field == isa.FieldSdst {
			u.role = roleResult
			if c.traits.Any(isa.TraitRet) {
				u.how = regWrite | regRead
			}
		}
		if o.Field == isa.FieldSdata && c.traits.Has(isa.TraitLoad|isa.TraitStore) && givesOld(in) {
			return regWrite | regRead, roleResult
		}
		return u.how, u.role
	case isa.DS, isa.FLAT, isa.LDSDIR:
		if o.Field == isa.FieldVdst {
			u.role = roleResult
			if c.traits.Any(isa.TraitTied) || loadsHalf(in) {
				u.how |= regMerge
			}
		}
		return u.how, u.role
	}
	if o.Field == isa.FieldVdst || o.Field == isa.FieldSdst {
		return c.vectorDst(o, u)
	}
	if o.Field == isa.FieldSrc0 && in.Enc.Swaps() {
		u.how |= regWrite
	}
	return u.how, u.role
}

// mergingVectors are tied for what they keep of the old value, and do not compute with it.
var mergingVectors = map[string]bool{"v_writelane_b32": true, "v_permlane16_b32": true, "v_permlanex16_b32": true,
	"v_mad_mixhi_f16": true, "v_mad_mixlo_f16": true, "v_fma_mixhi_f16": true, "v_fma_mixlo_f16": true,
	"v_cvt_sr_fp8_f32": true, "v_cvt_sr_bf8_f32": true, "v_cvt_pk_fp8_f32": true, "v_cvt_pk_bf8_f32": true}

// vectorDst says what the destination of a vector ALU instruction is.
func (c *regCollector) vectorDst(o *isa.OperandInfo, u fieldUse) (regHow, regRole) {
	in := c.in
	files := o.Class.Info().Files
	if files&(isa.FileV|isa.FileA) == 0 { // a mask, or the scalar of v_readlane
		if o.Class.Info().Flags&isa.Mask != 0 {
			u.role = roleDst2
		}
		return u.how, u.role
	}
	switch {
	case c.traits.Any(isa.TraitTied) && mergingVectors[in.Enc.Name()]:
		u.how |= regMerge
	case c.traits.Any(isa.TraitTied):
		u.how |= regRead
	case in.Operand(o).Half != 0, in.Enc.Variant() == isa.SDWA && in.Field(isa.FieldDstUnused) == 2, keepsLanes(in):
		u.how |= regMerge
	case in.HasField(isa.FieldOpSel) && in.Set.Gen() < isa.Gen11 && c.traits.Any(isa.TraitOpsel) && in.NativeField(isa.FieldOpSel)&8 != 0:
		u.how |= regMerge
	}
	return u.how, u.role
}

// keepsLanes reports whether DPP may leave lanes of the destination alone that are on.
func keepsLanes(in *isa.Inst) bool {
	v := in.Enc.Variant()
	if v != isa.DPP && v != isa.DPP64 {
		return false
	}
	return in.Field(isa.FieldRowMask) != 15 || in.Field(isa.FieldBankMask) != 15 || in.Field(isa.FieldBoundCtrl) == 0
}

// loadsHalf reports whether a load writes half of its register only.
func loadsHalf(in *isa.Inst) bool {
	n, ok := parseMemName(in.Enc.Name())
	return ok && n.verb == "load" && n.bytes != 0 && (n.hi || n.d16)
}

// dataHalf gives the half of a register that a memory instruction of gfx11 reads or writes, 0 for all
// of it. Before, a half was a part of its register to those who wait.
func dataHalf(in *isa.Inst) uint8 {
	n, ok := parseMemName(in.Enc.Name())
	switch {
	case !ok || in.Set.Gen() < isa.Gen11 || n.verb == "atomic" || n.format:
		return 0
	case n.hi:
		return 2
	case n.d16, n.verb == "store" && n.bytes <= 2:
		return 1
	}
	return 0
}

func scalarDstUse(in *isa.Inst, t isa.Traits) regHow {
	name := in.Enc.Name()
	switch {
	case in.Enc.ReadsSdst():
		return regRead
	case t.Any(isa.TraitTied), name == "s_subvector_loop_end":
		return regRead | regWrite
	case in.Enc.KeepsSdst():
		return regWrite | regMerge
	}
	return regWrite
}

// implicit adds what an encoding reads and writes without an operand.
func (c *regCollector) implicit(t isa.Traits) {
	mask := c.maskDwords()
	m0 := regScalar + reg(m0Code(c.in.Set))
	for _, i := range [...]struct {
		trait isa.Traits
		first reg
		n     int
		how   regHow
	}{
		{isa.TraitUseVcc, regVCC, mask, regRead}, {isa.TraitDefVcc, regVCC, mask, regWrite},
		{isa.TraitUseExec, regExec, mask, regRead}, {isa.TraitDefExec, regExec, mask, regWrite},
		{isa.TraitUseM0, m0, 1, regRead}, {isa.TraitDefM0, m0, 1, regWrite},
		{isa.TraitUseScc, regSCC, 1, regRead}, {isa.TraitDefScc, regSCC, 1, regWrite},
	} {
		if t.Any(i.trait) {
			c.add(i.first, i.n, i.how, roleImplicit)
		}
	}
	if t.Any(isa.TraitUseFlatScr) && c.in.Set.Gen() < isa.Gen940 {
		c.add(regScalar+102, 2, regRead, roleImplicit)
	}
}

// dual adds the registers of both halves of a pair.
func (c *regCollector) dual() {
	for half, e := range [2]isa.Enc{c.in.Enc, c.in.DualY()} {
		if e == isa.NoEnc {
			continue
		}
		c.y = half == 1
		ops := e.Operands()
		for i := range ops {
			o := &ops[i]
			if o.Class.Info().Files == 0 {
				continue
			}
			u := fieldUses[o.Field]
			if o.Field == isa.FieldVdst && e.Traits().Any(isa.TraitTied) {
				u.how |= regRead
			}
			c.value(c.in.DualOperand(o, c.y), u.how, u.role)
		}
		c.implicit(e.Traits() | isa.TraitUseExec)
	}
	c.y = false
}

// export adds the sources of an export.
func (c *regCollector) export() {
	sources := [4]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc3}
	en, compressed := c.in.Field(isa.FieldEn), c.in.Field(isa.FieldCompr) != 0
	for i, f := range sources {
		if compressed {
			f = sources[i/2]
		}
		if en>>i&1 != 0 {
			c.vgprs(c.in.Field(f), 1, regRead, roleData)
		}
	}
	c.implicit(isa.TraitUseExec)
}
