package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Chains of functions: llvm.amdgcn.cs.chain sets EXEC and jumps to a function,
// whose arguments are in scalar registers from s0 and vector registers from v8
// on. The wave never returns.

// Operands of llvm.amdgcn.cs.chain. The last three exist with chainDynamic.
const (
	chainCallee = iota
	chainExec
	chainScalars
	chainVectors
	chainFlags
	chainVGPRs // number of VGPRs to allocate
	chainFallbackExec
	chainFallbackCallee
)

// chainDynamic is the flag of a chain call that allocates VGPRs, and calls
// another function if that fails.
const chainDynamic = 1

// isChainCall reports whether a block's instruction is a chain call.
func (s *Selector) isChainCall(v ir.Value) bool {
	return s.f.Op(v) == ir.OpCall && s.f.CalledIntrinsic(v) == ir.IntrAMDGCNCsChain
}

// findChains finds the blocks that end in a chain call.
func (s *Selector) findChains() {
	for _, n := range s.graph.RPO() {
		b := ir.Block(n)
		if v := s.f.Prev(s.f.Terminator(b)); v != ir.None && s.isChainCall(v) {
			s.tails[b] = v
		}
	}
}

// chain selects a chain call as the end of its block.
func (s *Selector) chain(v ir.Value) {
	flags, _ := s.m.IntValue(s.arg(v, chainFlags))
	switch {
	case s.env.Entry.Access == abi.ScratchBuffer:
		s.unsupported(v, "%v before gfx9", ir.IntrAMDGCNCsChain)
		return
	case s.m.IntBits(s.typeOf(s.arg(v, chainExec))) != s.out.M.Wave:
		s.unsupported(v, "%v with a mask for another wave size", ir.IntrAMDGCNCsChain)
		return
	case flags&chainDynamic != 0 && !s.env.Target.Processor.Is(target.GFX12):
		s.unsupported(v, "%v with dynamic VGPRs before gfx12", ir.IntrAMDGCNCsChain)
		return
	}
	to, from := s.chainArguments(v)
	mask := s.asReg(s.scalar(s.arg(v, chainExec)), mir.FileS, s.out.M.MaskDwords())
	address := s.asReg(s.scalar(s.arg(v, chainCallee)), mir.FileS, 2)
	var vgprs, otherMask, other mir.Operand
	if flags&chainDynamic != 0 {
		vgprs = s.asReg(s.scalar(s.arg(v, chainVGPRs)), mir.FileS, 1)
		otherMask = s.asReg(s.scalar(s.arg(v, chainFallbackExec)), mir.FileS, s.out.M.MaskDwords())
		other = s.asReg(s.scalar(s.arg(v, chainFallbackCallee)), mir.FileS, 2)
	}
	if len(to) > 0 {
		s.putInstr(mir.Copy, len(to), append(append([]mir.Operand{}, to...), from...)...)
	}
	if flags&chainDynamic != 0 {
		mask, address = s.allocateVGPRs(vgprs, mask, otherMask, address, other)
	}
	s.markEntry(s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, s.exec(), mask))
	s.putInstr(mir.Return, 0, append([]mir.Operand{address}, to...)...)
}

// allocateVGPRs allocates VGPRs and returns the mask and the address for success
// or failure.
func (s *Selector) allocateVGPRs(count, mask, otherMask, address, other mir.Operand) (newMask, newAddress mir.Operand) {
	scc := mir.R(s.newSCC())
	newMask, newAddress = mir.R(s.newS(s.out.M.MaskDwords())), mir.R(s.newS(2))
	s.putInstr(mir.SAllocVgpr, 1, scc, count)
	s.putInstr(s.byWave(mir.SCselectB32, mir.SCselectB64), 1, newMask, mask, otherMask, scc)
	s.putInstr(mir.SCselectB64, 1, newAddress, address, other, scc)
	return newMask, newAddress
}

// chainArguments returns the registers of a chain call's arguments, and the
// operands to copy to them.
func (s *Selector) chainArguments(v ir.Value) (to, from []mir.Operand) {
	for _, n := range [...]int{chainScalars, chainVectors} {
		a := s.arg(v, n)
		parts, err := s.env.ABI.ChainParts(s.typeOf(a), n == chainScalars)
		if err != nil {
			s.unsupported(v, "%v: %v", ir.IntrAMDGCNCsChain, err)
			return nil, nil
		}
		for k := range parts {
			p := &parts[k]
			to, from = append(to, mir.Phys(p.Reg, 1)), append(from, s.asReg(s.partOperand(a, p), s.out.File(p.Reg), 1))
		}
	}
	return to, from
}
