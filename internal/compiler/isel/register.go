package isel

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// namedRegister is a register that llvm.read_register and llvm.write_register
// accept.
type namedRegister struct {
	specialRegister
	flat bool // part of FLAT_SCRATCH, whose location depends on the processor; reg is relative to it
}

// namedRegisters lists the registers of LLVM's AMDGPU target (LLVM,
// SITargetLowering::getRegisterByName).
var namedRegisters = lazy.Value[map[string]namedRegister]{Make: func() map[string]namedRegister {
	return map[string]namedRegister{"m0": {specialRegister{mir.M0, 1}, false}, "exec": {specialRegister{mir.Exec, 2}, false},
		"exec_lo": {specialRegister{mir.Exec, 1}, false}, "exec_hi": {specialRegister{mir.Exec + 1, 1}, false},
		"flat_scratch": {specialRegister{0, 2}, true}, "flat_scratch_lo": {specialRegister{0, 1}, true}, "flat_scratch_hi": {specialRegister{1, 1}, true}}
}}

// flatScratch returns the first scalar register of FLAT_SCRATCH, or NoReg on
// gfx6, which has no flat addresses, and from gfx10 on (AMD's ISA documents,
// "SGPR and VGPR Storage", "Hardware registers").
func (s *Selector) flatScratch() mir.Reg {
	switch {
	case s.set.Has(isa.PropFlatScratch104):
		return mir.SGPR(104)
	case s.set.Has(isa.PropFlatScratch102):
		return mir.SGPR(102)
	}
	return mir.NoReg
}

// registerName returns the name that the first argument of a call holds, or an
// empty string.
func (s *Selector) registerName(v ir.Value) (name string) {
	if md := s.f.Args(v)[0].Value; md.IsMetadata() {
		if list := s.m.MDOperands(md.Metadata()); len(list) == 1 {
			name, _ = s.m.MDString(list[0])
		}
	}
	return name
}

// namedRegister returns the register that the first argument of a call names,
// as an operand of the size of type t, and its name. It is false after an
// error.
func (s *Selector) namedRegister(v ir.Value, id ir.Intrinsic, t ir.Type) (mir.Operand, string, bool) {
	name := s.registerName(v)
	x, ok := namedRegisters.Get()[name]
	switch {
	case !ok:
		s.unsupported(v, "%v of register %q", id, name)
	case int(s.m.SizeInBits(t)) != 32*x.dwords:
		s.unsupported(v, "%v of %d bits of register %q, which has %d", id, s.m.SizeInBits(t), name, 32*x.dwords)
	case x.flat && s.flatScratch() == mir.NoReg:
		s.unsupported(v, "%v of register %q on %v", id, name, s.env.Target.Processor)
	default:
		if x.flat {
			x.reg += s.flatScratch()
		}
		return mir.Phys(x.reg, x.dwords), name, true
	}
	return mir.None, "", false
}

// hwregFlatScratch is the s_getreg operand for the low half of FLAT_SCRATCH from
// gfx10 on: register 20, 32 bits from bit 0 on. The high half is register 21.
const hwregFlatScratch = 20 | 31<<11

// readFlatScratch reads FLAT_SCRATCH where it is a hardware register, and
// reports whether the call names it.
func (s *Selector) readFlatScratch(v ir.Value) bool {
	x := namedRegisters.Get()[s.registerName(v)]
	if !x.flat || s.flatScratch() != mir.NoReg || !s.set.Has(isa.PropFlatScratchReg) || int(s.m.SizeInBits(s.f.TypeOf(v))) != 32*x.dwords {
		return false
	}
	parts := []mir.Operand{mir.R(s.regOf(v))}
	for k := range x.dwords {
		d := mir.R(s.newS(1))
		s.putInstr(mir.SGetregB32, 1, d, mir.Imm(int64(hwregFlatScratch+int(x.reg)+k)))
		parts = append(parts, d)
	}
	s.tuple(parts)
	return true
}

// readRegister selects llvm.read_register and llvm.read_volatile_register.
func (s *Selector) readRegister(v ir.Value, id ir.Intrinsic) {
	if s.readFlatScratch(v) {
		return
	}
	o, _, ok := s.namedRegister(v, id, s.f.TypeOf(v))
	if ok {
		s.putInstr(moveOps[o.N], 1, mir.R(s.regOf(v)), o)
	}
}

// moveOps holds the scalar moves, by dwords.
var moveOps = [...]mir.Op{1: mir.SMovB32, 2: mir.SMovB64}

// writeRegister selects llvm.write_register as inline assembly. No instruction
// moves across it, since others read EXEC and M0 implicitly.
func (s *Selector) writeRegister(v ir.Value, id ir.Intrinsic) {
	x := s.arg(v, 1)
	o, name, ok := s.namedRegister(v, id, s.typeOf(x))
	if !ok {
		return
	}
	from := s.asReg(s.scalar(x), mir.FileS, int(o.N))
	text := asmText(0, []string{mir.AsmAnywhere}, fmt.Sprintf("s_mov_b%d %s, $0", 32*o.N, name))
	s.putInstr(mir.Asm, 2, clobberedReg(mir.SCC), clobberedReg(mir.M0), mir.SymbolAddr(s.out.Symbol(text), mir.SymbolAbs32Lo, 0), from)
}
