package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Banks of VGPRs, from gfx12.5 on: operands name the low 8 bits of a number, and
// s_set_vgpr_msb sets the others for each of four groups of operands. Register
// allocation keeps each tuple in one bank, and the operands that the
// instruction does not reach, such as scales of matrices, in the first one. The
// same holds for the operands of inline assembly, whose code expects the first
// bank. [Passes.Banks] inserts the instructions.
//
// Sources: LLVM, AMDGPULowerVGPREncoding; AMD's CDNA 5 ISA, "VGPR MSBs".

// lowVGPRs is the number of VGPRs in a bank.
const lowVGPRs = 256

// bankOf returns the bank of a vector register.
func bankOf(r mir.Reg) int { return r.Index() / lowVGPRs }

// crossesBank reports whether n registers of a file are in different banks.
func crossesBank(file mir.File, at, n int) bool {
	return file == mir.FileV && at/lowVGPRs != (at+n-1)/lowVGPRs
}

// limit returns the number of registers of a file that the results of the
// current instruction may use.
func (a *allocator) limit(file mir.File) int {
	if a.low && file == mir.FileV {
		return min(a.limits[file], lowVGPRs)
	}
	return a.limits[file]
}

// lowUses moves sources to the first bank if the instruction reaches no other.
func (a *allocator) lowUses(i mir.Instr) error {
	f := a.f
	if a.limits[mir.FileV] <= lowVGPRs {
		return nil
	}
	first := len(f.Defs(i))
	for n, o := range f.Uses(i) {
		s := f.SlotOf(i, first+n)
		if !o.IsVirtual() || f.File(o.Reg()) != mir.FileV || f.Op(i) != mir.Asm && (s == nil || s.Class&isa.Lo256 == 0) {
			continue
		}
		if err := a.lowUse(int32(o.Reg().Index()), i); err != nil {
			return err
		}
	}
	return nil
}

// lowUse moves a source to the first bank unless it is there.
func (a *allocator) lowUse(v int32, i mir.Instr) error {
	if r := a.loc[v]; r == mir.NoReg || bankOf(r) == 0 {
		a.fresh = append(a.fresh, v)
		return nil
	}
	n := a.size(v)
	a.low = true
	defer func() { a.low = false }()
	r := a.firstFree(mir.FileV, n, a.limit(mir.FileV))
	if r == mir.NoReg {
		at := a.makeRoom(mir.FileV, n, a.align(mir.FileV, n))
		if at < 0 {
			return &errNoRegisters{mir.FileV, a.f, i}
		}
		r = mir.VGPR(at)
	}
	a.moveTo(v, r)
	a.fresh = append(a.fresh, v)
	return nil
}

// bankInsertion inserts the instructions that select banks.
type bankInsertion struct {
	f     *mir.Func
	banks bool          // the function uses another bank than the first one
	last  mir.Instr     // last s_set_vgpr_msb of the block
	now   isa.VGPRBanks // banks it selects
	used  isa.VGPRBanks // groups of operands since then
}

// everyBank selects all groups of operands.
const everyBank = ^isa.VGPRBanks(0)

// selectBanks selects the banks of a function's operands. At the start and end
// of each block and at calls, the first one is selected.
func (p *bankInsertion) selectBanks(f *mir.Func) error {
	if !f.M.Set.Has(isa.PropVgprs1024) {
		return nil
	}
	p.f, p.banks = f, usesBanks(f)
	for _, b := range f.Layout {
		p.last, p.now, p.used = 0, 0, 0
		for i := f.First(b); i != 0; i = nextWhole(f, i) {
			if err := p.instr(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// usesBanks reports whether a function uses another bank than the first one.
func usesBanks(f *mir.Func) bool {
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Operands(i) {
				if r := o.Reg(); r.IsPhys() && f.File(r) == mir.FileV && bankOf(r) != 0 {
					return true
				}
			}
		}
	}
	return false
}

// instr selects the banks of an instruction.
func (p *bankInsertion) instr(i mir.Instr) error {
	f := p.f
	switch op := f.Op(i); {
	case op == mir.SSetregImm32B32 && f.Use(i, 0).Imm&63 == hwregMode:
		p.choose(i, 0, everyBank)
		p.setMode(i)
		return nil
	case op == mir.End, op == mir.Unreachable:
		return nil
	case f.IsTerminator(i), op == mir.Call, op == mir.Asm, op == mir.SSwappcB64:
		p.choose(i, 0, everyBank)
		return nil
	case op.IsPseudo() || !p.banks:
		return nil
	}
	in, err := encodeAny(f, i)
	if err == nil {
		p.choose(i, in.Banks, in.BankedOperands())
	}
	return err
}

// choose selects banks for the groups of operands in a mask, before an
// instruction. If nothing since the last s_set_vgpr_msb depends on these
// groups, that one selects them.
func (p *bankInsertion) choose(at mir.Instr, banks, mask isa.VGPRBanks) {
	switch change := (p.now ^ banks) & mask; {
	case change == 0:
		p.used |= mask
		return
	case p.last != 0 && change&p.used == 0:
		p.now = p.now&^mask | banks
		p.used |= mask
		o := p.f.Use(p.last, 0)
		o.Imm = o.Imm&^int64(everyBank) | int64(p.now)
		return
	}
	i := p.f.NewInstr(mir.SSetVgprMsb, 0, mir.Imm(int64(banks)|int64(p.now)<<8)) // with the previous banks, as LLVM does
	p.f.SetLoc(i, p.f.Loc(at))
	p.f.InsertBefore(i, at)
	p.last, p.now, p.used = i, banks, mask
}

// hwregMode is the number of MODE as an operand of s_setreg, whose upper bits
// are the offset and the size minus 1 of a field.
const (
	hwregMode      = 1
	hwregSizeShift = 11
)

// setMode keeps the first bank selected after s_setreg with a constant for
// MODE. Whatever the field is, the hardware copies bits 19:12 of the constant to
// the field for the banks. Source: LLVM, FeatureSetregVGPRMSBFixup.
func (p *bankInsertion) setMode(i mir.Instr) {
	const banksShift = 12
	reg, value := p.f.Use(i, 0), p.f.Use(i, 1)
	overwrites := int64(everyBank) << banksShift
	switch {
	case value.Imm&overwrites == 0:
	case reg.Imm>>hwregSizeShift < banksShift: // the constant's other bits have no meaning
		value.Imm &^= overwrites
	default:
		x := p.f.NewInstr(mir.SSetVgprMsb, 0, mir.Imm(0))
		p.f.SetLoc(x, p.f.Loc(i))
		p.f.InsertAfter(x, i)
	}
}
