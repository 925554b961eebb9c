package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// trapNumbers maps intrinsics to trap numbers (AMDGPU user guide, "Trap Handler
// ABI").
var trapNumbers = lazy.Value[map[ir.Intrinsic]int64]{Make: func() map[ir.Intrinsic]int64 {
	return map[ir.Intrinsic]int64{ir.IntrTrap: 2, ir.IntrUbsantrap: 2, ir.IntrDebugtrap: 3}
}}

// trap selects llvm.trap, llvm.ubsantrap and llvm.debugtrap, and reports
// whether the intrinsic is one of them.
func (s *Selector) trap(v ir.Value, id ir.Intrinsic) bool {
	number, ok := trapNumbers.Get()[id]
	if !ok {
		return false
	}
	handler := s.env.ABI.TrapHandler(s.f)
	switch name, _ := s.m.StringAttr(s.m.AttrsAt(s.f.CallAttrs(v), ir.AttrFunction), "trap-func-name"); {
	case name != "":
		s.unsupported(v, "%v that calls the function %q (trap-func-name)", id, name)
	case id == ir.IntrDebugtrap:
		if handler { // LLVM omits it otherwise
			s.putInstr(mir.STrap, 0, mir.Imm(number))
		}
	case !handler:
		s.putInstr(mir.Trap, 0, mir.Imm(0))
	default:
		s.putInstr(mir.Trap, 0, append([]mir.Operand{mir.Imm(number)}, s.trapInput(v)...)...)
	}
	return true
}

// hiddenQueuePtr is the offset of the queue address in the implicit arguments,
// from code object V5 on, in bytes (AMDGPU user guide, "Code Object V5
// Metadata").
const hiddenQueuePtr = 200

// trapInput returns the address of the queue if the trap handler needs it.
func (s *Selector) trapInput(v ir.Value) []mir.Operand {
	switch in, ok := s.env.ABI.TrapInput(s.f); {
	case !ok:
		return nil
	case in == abi.QueuePtr:
		return []mir.Operand{mir.R(s.input(in))}
	}
	d := mir.R(s.newS(2))
	i := s.putInstr(mir.SLoadB64, 1, d, s.asReg(s.passed(abi.ImplicitArgPtr), mir.FileS, 2), mir.None, mir.Imm(hiddenQueuePtr))
	s.setMem(i, mir.Mem{Size: 8, Align: 8, AddrSpace: addrspace.Constant, Flags: mir.MemLoad | mir.MemInvariant, Instr: v})
	return []mir.Operand{d}
}
