package prepare

import (
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// legalCalls lists the intrinsics that expand-fp leaves, with the letters of
// their valid types; h requires half instructions.
var legalCalls = map[string]string{
	"llvm.fabs": "hfd", "llvm.copysign": "hfd", "llvm.canonicalize": "hfd", "llvm.fma": "hfd", "llvm.floor": "hfd", "llvm.ceil": "hfd",
	"llvm.trunc": "hfd", "llvm.rint": "hfd", "llvm.minnum": "hfd", "llvm.maxnum": "hfd", "llvm.minimum": "hfd", "llvm.maximum": "hfd",
	"llvm.ldexp": "hfd", "llvm.amdgcn.frexp.mant": "hfd", "llvm.amdgcn.frexp.exp": "hfd", "llvm.amdgcn.class": "hfd", "llvm.amdgcn.rcp": "hfd",
	"llvm.amdgcn.rsq": "fd", "llvm.amdgcn.div.scale": "fd", "llvm.amdgcn.div.fmas": "fd", "llvm.amdgcn.div.fixup": "hfd",
	"llvm.fptosi.sat": "fd", "llvm.fptoui.sat": "fd", "llvm.amdgcn.sqrt": "hf", "llvm.amdgcn.exp2": "hf", "llvm.amdgcn.log": "hf",
	"llvm.amdgcn.sin": "hf", "llvm.amdgcn.cos": "hf", "llvm.amdgcn.fract": "hf", "llvm.amdgcn.fmul.legacy": "f",
}

// legalOps lists the floating-point instructions that expand-fp leaves.
var legalOps = []ir.Op{ir.OpFNeg, ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFCmp}

// movingOps only move values.
var movingOps = []ir.Op{ir.OpRet, ir.OpLoad, ir.OpStore, ir.OpPhi, ir.OpSelect, ir.OpBitCast, ir.OpExtractElement, ir.OpInsertElement,
	ir.OpExtractValue, ir.OpInsertValue, ir.OpFreeze, ir.OpShuffleVector}

// checkLegalFP fails the test if selection does not support a remaining
// instruction.
func checkLegalFP(t *testing.T, m *ir.Module, cpu string) {
	t.Helper()
	var x fpExpander
	ctx := fpContext(t, cpu)
	for _, g := range m.Globals() {
		if g.Func == nil || g.IsDeclaration() {
			continue
		}
		f := g.Func
		x.reset(ctx, f)
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if !x.legal(v) {
					t.Fatalf("%s: %s is left\n%s", cpu, f.Op(v), text.PrintFunction(f))
				}
			}
		}
	}
}

// legal reports whether selection supports an instruction.
func (x *fpExpander) legal(v ir.Value) bool {
	f, m := x.f, x.M
	op := f.Op(v)
	if slices.Contains(movingOps, op) || f.NumOperands(v) == 0 {
		return true
	}
	from, to := m.Scalar(f.TypeOf(f.Operand(v, 0))), m.Scalar(f.TypeOf(v))
	switch op {
	case ir.OpFPToSI, ir.OpFPToUI:
		return hasCvt(from) && f.TypeOf(v) == ir.I32
	case ir.OpSIToFP, ir.OpUIToFP:
		n := f.TypeOf(f.Operand(v, 0))
		return hasCvt(to) && n == ir.I32 || n == ir.I1 && !x.isSmall(to)
	case ir.OpFPExt:
		return from == ir.Half && to == ir.Float || from == ir.Float
	case ir.OpFPTrunc:
		return to == ir.Half && from == ir.Float || to == ir.Float || to == ir.BFloat && from == ir.Float && x.cvtBF16
	case ir.OpCall:
		return x.legalCall(v)
	}
	if !m.IsFloat(from) {
		return true
	}
	return slices.Contains(legalOps, op) && !x.isSmall(from) && (!m.IsVector(f.TypeOf(v)) || from == ir.Half && x.packed)
}

func (x *fpExpander) legalCall(v ir.Value) bool {
	f, m := x.f, x.M
	t := m.Scalar(f.TypeOf(f.Operand(v, 0)))
	if !m.IsFloat(t) {
		return true
	}
	id := f.CalledIntrinsic(v)
	letter := string(letterOf(map[ir.Type]string{ir.Half: "half", ir.BFloat: "bfloat", ir.Float: "float", ir.Double: "double"}[t]))
	switch {
	case x.isSmall(t), !strings.Contains(legalCalls[id.String()], letter):
		return false
	case id == ir.IntrMinimum || id == ir.IntrMaximum:
		return x.minimum
	case id == ir.IntrLdexp:
		return f.TypeOf(f.Operand(v, 1)) == ldexpExponent(t)
	case id == ir.IntrFptosiSat || id == ir.IntrFptouiSat:
		return f.TypeOf(v) == ir.I32
	case id == ir.IntrFloor || id == ir.IntrCeil || id == ir.IntrTrunc || id == ir.IntrRint:
		return !x.gfx6 || t != ir.Double
	}
	return true
}
