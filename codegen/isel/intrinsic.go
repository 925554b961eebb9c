package isel

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// targetCallBank decides about a uniform call of an intrinsic of the target whose arguments are all scalar.
func (s *Selector) targetCallBank(v ir.Value, id ir.Intrinsic) bank {
	return bankV
}

// targetIntrinsic selects the intrinsics of the target.
func (s *Selector) targetIntrinsic(v ir.Value, id ir.Intrinsic) bool {
	f := s.f
	args := s.args(v)
	switch id {
	case ir.IntrAMDGCNSBarrier:
		s.put(mir.SBarrier, 0)
	case ir.IntrAMDGCNReadfirstlane:
		s.put(mir.Copy, 1, mir.R(s.regOf(v)), s.firstLane(s.vgpr(args[0])))
	default:
		_ = f
		return false
	}
	return true
}
