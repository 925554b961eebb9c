package prepare

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// Fields of hardware registers, as operands of s_getreg and s_setreg: number,
// offset, and width less 1.
const (
	modeRounding   = 1 | (4-1)<<11  // of MODE: f32, then f64 and f16
	modeEnv        = 1 | (23-1)<<11 // of MODE: rounding, denormals, exceptions
	modeControl    = 1 | (19-1)<<11
	modeControl11  = 1 | (24-1)<<11 // with the fields of gfx11
	exceptionFlags = 3 | (5-1)<<11  // of TRAPSTS
	exceptionUser  = 18 | (5-1)<<11 // of EXCP_FLAG_USER
)

// The rounding modes of FLT_ROUNDS and of MODE, as tables of 4 bits. Modes
// that differ between f32 and f64 are AMDGPU's own: 8 to 19 in FLT_ROUNDS, 4 less in
// the tables (AMDGPU user guide, "AMDGPU Rounding Mode").
const (
	roundingOfMode = 0xc96f385eb24da71
	modeOfRounding = 0xb73e62d91c84a50f
	ownRoundings   = 4
)

// readMode reads a field of a register.
func (x *intrinsicExpander) readMode(field uint64) ir.Value {
	return x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNSGetreg), x.M.NewInt(ir.I32, field))
}

// writeMode writes a field of a register. The value is the first active lane's.
func (x *intrinsicExpander) writeMode(field uint64, v ir.Value) {
	if !v.IsConst() {
		v = x.call(ir.IntrAMDGCNReadfirstlane, v)
	}
	x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNSSetreg), x.M.NewInt(ir.I32, field), v)
}

// tableWord returns entry n of a table of 4-bit values.
func (x *intrinsicExpander) tableWord(table uint64, n ir.Value) ir.Value {
	at := x.FoldCast(ir.OpZExt, x.Op(ir.OpShl, n, x.M.NewInt(ir.I32, 2)), ir.I64)
	word := x.FoldCast(ir.OpTrunc, x.Op(ir.OpLShr, x.M.NewInt(ir.I64, table), at), ir.I32)
	return x.Op(ir.OpAnd, word, x.M.NewInt(ir.I32, 15))
}

// expandGetRounding reads the rounding mode.
func expandGetRounding(x *intrinsicExpander, _ ir.Intrinsic, _ ir.Value) ir.Value {
	n := x.tableWord(roundingOfMode, x.readMode(modeRounding))
	own := x.M.NewInt(ir.I32, ownRoundings)
	return x.Choose(x.FoldCompare(ir.ICmpULT, n, own), n, x.Op(ir.OpAdd, n, own))
}

// expandSetRounding writes the rounding mode.
func expandSetRounding(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	n := x.f.Operand(v, 0)
	other := x.Op(ir.OpSub, n, x.M.NewInt(ir.I32, ownRoundings))
	n = x.Choose(x.FoldCompare(ir.ICmpULT, n, other), n, other)
	x.writeMode(modeRounding, x.tableWord(modeOfRounding, n))
	return ir.None
}

// envFlags returns the field of the exceptions that occurred.
func (x *intrinsicExpander) envFlags() uint64 {
	if x.userFlags {
		return exceptionUser
	}
	return exceptionFlags
}

// expandGetEnv reads the environment: MODE, and the exceptions above it.
func expandGetEnv(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	if x.f.TypeOf(v) != ir.I64 {
		return v
	}
	mode := x.readMode(modeEnv)
	return x.join64(mode, x.readMode(x.envFlags()))
}

// expandSetEnv writes the environment.
func expandSetEnv(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	env := x.f.Operand(v, 0)
	if x.f.TypeOf(env) != ir.I64 {
		return v
	}
	x.writeMode(modeEnv, x.half64(env, 0))
	x.writeMode(x.envFlags(), x.half64(env, 1))
	return ir.None
}

// expandGetMode reads the control modes.
func expandGetMode(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	if x.f.TypeOf(v) != ir.I32 {
		return v
	}
	return x.readMode(x.control)
}

// setModeFields initializes the fields of registers for a processor.
func (x *intrinsicExpander) setModeFields(gfx11, gfx12 bool) {
	x.userFlags, x.control = gfx12, modeControl
	if gfx11 {
		x.control = modeControl11
	}
}
