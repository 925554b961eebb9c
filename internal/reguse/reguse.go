// Package reguse determines the registers that an instruction reads and writes,
// and their roles, from the tables of package isa. The simulator's checks and
// compiler passes use it.
package reguse

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Reg numbers all registers of a wave: VGPRs, then AGPRs, then scalar registers
// by encoding, then SCC.
type Reg uint16

const (
	AGPR    Reg = 1024
	Scalar  Reg = AGPR + 256
	VCC         = Scalar + 106
	Exec        = Scalar + 126
	SCC         = Scalar + 128
	NumRegs     = SCC + 1
)

// How describes how an instruction uses registers.
type How uint8

const (
	Read  How = 1 << iota
	Write     // VGPRs and AGPRs: in the active lanes
	Merge     // part of the old value is preserved, as by a 16-bit write
)

// Role is the role of registers in an instruction.
type Role uint8

const (
	RoleDst    Role = iota
	RoleDst2        // mask result of VOP3B, VOPC and SDWA
	RoleSrc0        // sources of ALU operations
	RoleSrc1        //
	RoleSrc2        //
	RoleIndex       // index of v_smfmac
	RoleAddr        // vector address of a memory access
	RoleData        // data to store
	RoleResult      // loaded data, or the old value of an atomic operation
	RoleSBase       // scalar address, resource, sampler
	RoleSOffset
	RoleImplicit // implicit operands: VCC, EXEC, M0, SCC, FLAT_SCRATCH
	NumRoles
)

// Use is a range of registers that an instruction reads or writes.
type Use struct {
	First Reg
	N     uint8
	How   How
	Role  Role
	Half  uint8 // 1: only the low half of a VGPR, 2: only the high half (gfx11)
	Y     bool  // belongs to the second half of a VOPD pair
}

// Overlaps reports whether two ranges have a common register, and returns the
// first one.
func (u *Use) Overlaps(first Reg, n int) (Reg, bool) {
	at := max(u.First, first)
	return at, at < u.First+Reg(u.N) && at < first+Reg(n)
}

// String returns the register's name in assembler syntax.
func (r Reg) String() string {
	switch {
	case r < AGPR:
		return fmt.Sprintf("v%d", uint16(r))
	case r < Scalar:
		return fmt.Sprintf("a%d", uint16(r-AGPR))
	case r == SCC:
		return "scc"
	}
	code := uint16(r - Scalar)
	if name, ok := scalarNames.Get()[code]; ok {
		return name
	}
	if code >= 108 && code < 124 {
		return fmt.Sprintf("ttmp%d", code-108)
	}
	return fmt.Sprintf("s%d", code)
}

// scalarNames holds the names of scalar encodings that are not SGPRs. M0 is 124
// or 125.
var scalarNames = lazy.Value[map[uint16]string]{Make: func() map[uint16]string {
	return map[uint16]string{106: "vcc_lo", 107: "vcc_hi", 126: "exec_lo", 127: "exec_hi", 124: "m0", 125: "m0"}
}}

// Of returns the registers that an instruction reads and writes, without null
// and constants. A destination that preserves part of its old value is
// Write|Merge, a tied source Write|Read.
func Of(in *isa.Inst) []Use {
	var c Collector
	return c.Append(nil, in)
}

// Append appends the result of Of to list. Reusing a Collector avoids further
// allocations.
func (c *Collector) Append(list []Use, in *isa.Inst) []Use {
	*c = Collector{in: in, traits: in.Enc.Traits(), list: list}
	switch in.Enc.Form() {
	case isa.VOPD, isa.VOPD3:
		c.dual()
	case isa.EXP:
		c.export()
	default:
		if f := regForms.Get()[in.Enc.Form()]; f != nil {
			f(c)
		}
		c.operands()
		c.implicit(c.traits)
	}
	list = c.list
	*c = Collector{}
	return list
}

// A Collector collects the registers of an instruction.
type Collector struct {
	in     *isa.Inst
	traits isa.Traits
	list   []Use
	skip   func(*isa.OperandInfo) bool // operands already handled by a format's function
	half   uint8
	y      bool
}

func (c *Collector) addUse(first Reg, n int, how How, role Role) {
	switch { // a tuple may extend past the last register
	case first < Scalar:
		n = min(n, int(Scalar-first))
	case first < SCC:
		n = min(n, int(SCC-first))
	}
	if n > 0 {
		c.list = append(c.list, Use{First: first, N: uint8(n), How: how, Role: role, Half: c.half, Y: c.y})
	}
}

func (c *Collector) vgprs(n uint32, dwords int, how How, role Role) {
	c.addUse(Reg(n), dwords, how, role)
}

// scalar adds scalar registers by encoding.
func (c *Collector) scalar(code, dwords int, how How, role Role) {
	switch {
	case code == NullCode(c.in.Set):
	case code < 128:
		c.addUse(Scalar+Reg(code), dwords, how, role)
	case code == 251: // VCCZ
		c.addUse(VCC, c.maskDwords(), Read, RoleImplicit)
	case code == 252: // EXECZ
		c.addUse(Exec, c.maskDwords(), Read, RoleImplicit)
	case code == 253: // SCC
		c.addUse(SCC, 1, Read, RoleImplicit)
	}
}

func (c *Collector) maskDwords() int { return int(c.in.Wave) / 32 }

func (c *Collector) value(v isa.Value, how How, role Role) {
	n := max(int(v.Dwords), 1)
	switch v.Kind {
	case isa.VGPRValue:
		c.vgprs(uint32(v.Num), n, how, role)
	case isa.AGPRValue:
		c.addUse(AGPR+Reg(v.Num), n, how, role)
	case isa.ScalarReg:
		c.scalar(int(v.Num), n, how, role)
	}
}

// operands adds the operands that have separate fields.
func (c *Collector) operands() {
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
		if c.half = v.Half; role == RoleResult || role == RoleData {
			c.half = dataHalf(c.in)
		}
		c.value(v, how, role)
		c.half = 0
	}
}

// sdwaMask adds the result of an SDWA comparison: VCC or SGPRs.
func (c *Collector) sdwaMask() {
	c.traits &^= isa.TraitDefVcc
	if c.traits.Any(isa.TraitDefExec) && c.in.Set.Has(isa.PropCmpxExec) {
		return
	}
	n := c.maskDwords()
	if c.in.HasField(isa.FieldSd) && c.in.Field(isa.FieldSd) != 0 {
		code := int(c.in.Field(isa.FieldSdst))
		if code != NullCode(c.in.Set) {
			code &^= n - 1
		}
		c.scalar(code, n, Write, RoleDst2)
	} else {
		c.addUse(VCC, n, Write, RoleDst2)
	}
}

// fieldUse is the default use and role of the operand in a field.
type fieldUse struct {
	how  How
	role Role
}

var fieldUses = lazy.Value[map[isa.Field]fieldUse]{Make: func() map[isa.Field]fieldUse {
	return map[isa.Field]fieldUse{
		isa.FieldSdst: {Write, RoleDst}, isa.FieldVdst: {Write, RoleDst},
		isa.FieldSrc0: {Read, RoleSrc0}, isa.FieldSrc1: {Read, RoleSrc1}, isa.FieldSrc2: {Read, RoleSrc2},
		isa.FieldIdx: {Read, RoleIndex}, isa.FieldAddr: {Read, RoleAddr},
		isa.FieldData0: {Read, RoleData}, isa.FieldData1: {Read, RoleData}, isa.FieldVdata: {Read, RoleData},
		isa.FieldSdata: {Read, RoleData}, isa.FieldSbase: {Read, RoleSBase},
		isa.FieldSrsrc: {Read, RoleSBase}, isa.FieldRsrc: {Read, RoleSBase}, isa.FieldSsamp: {Read, RoleSBase}, isa.FieldSamp: {Read, RoleSBase},
		isa.FieldSoffset: {Read, RoleSOffset},
	}
}}

// use returns the use and role of an operand of the instruction.
func (c *Collector) use(o *isa.OperandInfo) (How, Role) {
	in, form := c.in, c.in.Enc.Form()
	u, ok := fieldUses.Get()[o.Field]
	if !ok {
		u = fieldUse{Read, RoleSrc0}
	}
	switch form {
	case isa.SOPK, isa.SOP1:
		if o.Field == isa.FieldSdst {
			u.how = scalarDstUse(in, c.traits)
		}
		return u.how, u.role
	case isa.SMEM, isa.SMRD:
		if o.Field == isa.FieldSdst {
			u.role = RoleResult
			if c.traits.Any(isa.TraitRet) {
				u.how = Write | Read
			}
		}
		if o.Field == isa.FieldSdata && c.traits.Has(isa.TraitLoad|isa.TraitStore) && GivesOld(in) {
			return Write | Read, RoleResult
		}
		return u.how, u.role
	case isa.DS, isa.FLAT, isa.LDSDIR:
		if c.traits.Any(isa.TraitAsync) && form == isa.FLAT { // the address in LDS
			return Read, RoleAddr
		}
		if o.Field == isa.FieldAddr && in.Enc.Kinds().Any(isa.KindBvh) { // the address of a stack
			u.how |= Write
		}
		if o.Field == isa.FieldVdst {
			u.role = RoleResult
			if c.traits.Any(isa.TraitTied) || loadsHalf(in) {
				u.how |= Merge
			}
		}
		return u.how, u.role
	}
	if o.Field == isa.FieldVdst || o.Field == isa.FieldSdst {
		return c.vectorDst(o, u)
	}
	if o.Field == isa.FieldSrc0 && in.Enc.Swaps() {
		u.how |= Write
	}
	return u.how, u.role
}

// vectorDst returns the use and role of a vector ALU instruction's destination.
func (c *Collector) vectorDst(o *isa.OperandInfo, u fieldUse) (How, Role) {
	in := c.in
	files := o.Class.Info().Files
	if files&(isa.FileV|isa.FileA) == 0 { // a mask, or the scalar result of v_readlane
		if o.Class.Info().Flags&isa.Mask != 0 {
			u.role = RoleDst2
		}
		return u.how, u.role
	}
	switch {
	case c.traits.Any(isa.TraitTied) && in.Enc.Kinds().Any(isa.KindMerge):
		u.how |= Merge
	case c.traits.Any(isa.TraitTied):
		u.how |= Read
	case in.Operand(o).Half != 0, in.Enc.Variant() == isa.SDWA && in.Field(isa.FieldDstUnused) == 2, keepsLanes(in):
		u.how |= Merge
	case in.HasField(isa.FieldOpSel) && !in.Set.Has(isa.PropTrue16) && c.traits.Any(isa.TraitOpsel) && in.NativeField(isa.FieldOpSel)&8 != 0:
		u.how |= Merge
	}
	return u.how, u.role
}

// keepsLanes reports whether DPP may leave active lanes of the destination
// unchanged.
func keepsLanes(in *isa.Inst) bool {
	v := in.Enc.Variant()
	if v != isa.DPP && v != isa.DPP64 {
		return false
	}
	return in.Field(isa.FieldRowMask) != 15 || in.Field(isa.FieldBankMask) != 15 || in.Field(isa.FieldBoundCtrl) == 0
}

// loadsHalf reports whether a load writes only half of its register. LDS loads
// that do have a tied result.
func loadsHalf(in *isa.Inst) bool {
	m := in.Enc.Op().Memory()
	return m.Space != isa.SpaceLDS && m.Access == isa.AccessLoad && m.Bytes != 0 && (m.Hi || m.D16)
}

// dataHalf returns the register half that a gfx11 memory instruction reads or
// writes: 1 for the low half, 2 for the high half, 0 for the whole register.
// Before gfx11, waits apply to whole registers.
func dataHalf(in *isa.Inst) uint8 {
	if !in.Set.Has(isa.PropTrue16) {
		return 0
	}
	switch m := in.Enc.Op().Memory(); {
	case m.Space == isa.SpaceLDS, m.Format:
		return 0
	case m.Hi:
		return 2
	case m.D16, m.Access == isa.AccessStore && m.Bytes <= 2:
		return 1
	}
	return 0
}

func scalarDstUse(in *isa.Inst, t isa.Traits) How {
	switch {
	case in.Enc.ReadsSdst():
		return Read
	case t.Any(isa.TraitTied), in.Enc.Kinds().Any(isa.KindSdstUpdate):
		return Read | Write
	case in.Enc.KeepsSdst():
		return Write | Merge
	}
	return Write
}

// implicit adds the registers that an encoding reads and writes implicitly.
func (c *Collector) implicit(t isa.Traits) {
	mask := c.maskDwords()
	m0 := Scalar + Reg(M0Code(c.in.Set))
	for _, i := range [...]struct {
		trait isa.Traits
		first Reg
		n     int
		how   How
	}{
		{isa.TraitUseVcc, VCC, mask, Read}, {isa.TraitDefVcc, VCC, mask, Write},
		{isa.TraitUseExec, Exec, mask, Read}, {isa.TraitDefExec, Exec, mask, Write},
		{isa.TraitUseM0, m0, 1, Read}, {isa.TraitDefM0, m0, 1, Write},
		{isa.TraitUseScc, SCC, 1, Read}, {isa.TraitDefScc, SCC, 1, Write},
	} {
		if t.Any(i.trait) {
			c.addUse(i.first, i.n, i.how, RoleImplicit)
		}
	}
	if t.Any(isa.TraitUseFlatScr) && c.in.Set.Has(isa.PropFlatScratchRead) {
		c.addUse(Scalar+Reg(FlatScratchCode(c.in.Set)), 2, Read, RoleImplicit)
	}
}

// dual adds the registers of both halves of a pair.
func (c *Collector) dual() {
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
			u := fieldUses.Get()[o.Field]
			if o.Field == isa.FieldVdst && e.Traits().Any(isa.TraitTied) {
				u.how |= Read
			}
			c.value(c.in.DualOperand(o, c.y), u.how, u.role)
		}
		c.implicit(e.Traits() | isa.TraitUseExec)
	}
	c.y = false
}

// export adds the sources of an export.
func (c *Collector) export() {
	sources := [4]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc3}
	en, compressed := c.in.Field(isa.FieldEn), c.in.Field(isa.FieldCompr) != 0
	for i, f := range sources {
		if compressed {
			f = sources[i/2]
		}
		if en>>i&1 != 0 {
			c.vgprs(c.in.Field(f), 1, Read, RoleData)
		}
	}
	t := isa.TraitUseExec
	if c.in.HasField(isa.FieldRowEn) && c.in.Field(isa.FieldRowEn) != 0 {
		t |= isa.TraitUseM0
	}
	c.implicit(t)
}

// FindOperand returns the operand in a field, or nil.
func FindOperand(in *isa.Inst, f isa.Field) *isa.OperandInfo {
	ops := in.Enc.Operands()
	for i := range ops {
		if ops[i].Field == f {
			return &ops[i]
		}
	}
	return nil
}

// NullCode returns the encoding of null, or -1 if it does not exist.
func NullCode(s isa.Set) int {
	switch {
	case s.Has(isa.PropM0125):
		return 124
	case s.Has(isa.PropNull):
		return 125
	}
	return -1
}

// FlatScratchCode returns the encoding of FLAT_SCRATCH's first SGPR, or -1 if it
// is no pair of SGPRs.
func FlatScratchCode(s isa.Set) int32 {
	switch {
	case s.Has(isa.PropFlatScratch104):
		return 104
	case s.Has(isa.PropFlatScratch102):
		return 102
	}
	return -1
}

// M0Code returns the encoding of M0.
func M0Code(s isa.Set) int32 {
	if s.Has(isa.PropM0125) {
		return 125
	}
	return 124
}
