package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// canSpeculate reports whether an instruction may be executed where it was not
// before: it has no effect and cannot be undefined behaviour (LLVM's
// isSafeToSpeculativelyExecute).
func canSpeculate(f *ir.Function, v ir.Value) bool {
	switch op := f.Op(v); op {
	case ir.OpUDiv, ir.OpURem, ir.OpSDiv, ir.OpSRem:
		return divisorIsSafe(f, v)
	case ir.OpLoad:
		return f.IsSimple(v) && canLoad(f, f.Operand(v, 0), f.Module().StoreSize(f.TypeOf(v)), f.Align(v))
	case ir.OpCall:
		return analysis.CallHas(f, v, ir.AttrSpeculatable) && !analysis.CallHas(f, v, ir.AttrConvergent) && !analysis.HasSideEffects(f, v) && !analysis.MayRead(f, v) && len(f.Bundles(v)) == 0
	case ir.OpICmp, ir.OpFCmp, ir.OpSelect, ir.OpFreeze, ir.OpGetElementPtr, ir.OpExtractElement, ir.OpInsertElement,
		ir.OpShuffleVector, ir.OpExtractValue, ir.OpInsertValue:
		return true
	default:
		return op.IsBinary() || op.IsUnary() || op.IsCast()
	}
}

// divisorIsSafe reports whether a division cannot trap: the divisor is a
// constant other than zero and, if signed, other than -1.
func divisorIsSafe(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	d := f.Operand(v, 1)
	if !d.IsConst() {
		return false
	}
	if m.IsVector(f.TypeOf(v)) {
		if d = m.SplatValue(d); d == ir.None {
			return false
		}
	}
	n, ok := m.SignedValue(d)
	if !ok || n == 0 {
		return false
	}
	return n != -1 || f.Op(v) == ir.OpUDiv || f.Op(v) == ir.OpURem
}

// Costs of instructions relative to a simple one.
const (
	costDear = 10
	costWide = 4
)

// costOf estimates the cost of an instruction: 0 if it generates no code, 1 for
// a simple one.
func costOf(f *ir.Function, v ir.Value) int {
	m := f.Module()
	switch f.Op(v) {
	case ir.OpBitCast, ir.OpFreeze, ir.OpIntToPtr, ir.OpPtrToInt, ir.OpExtractValue, ir.OpInsertValue, ir.OpPhi, ir.OpTrunc:
		return 0
	case ir.OpGetElementPtr:
		if _, ok := gepOffset(f, v); ok {
			return 0
		}
		return 1
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpFDiv, ir.OpFRem:
		return costDear * parts(m, f.TypeOf(v))
	case ir.OpMul:
		if m.ScalarBits(f.TypeOf(v)) > 32 {
			return costWide * parts(m, f.TypeOf(v))
		}
	case ir.OpExtractElement, ir.OpInsertElement:
		return 1
	}
	return parts(m, f.TypeOf(v))
}

// parts returns the number of 32-bit registers of a value, but 1 for a scalar
// of at most 64 bits.
func parts(m *ir.Module, t ir.Type) int {
	if !m.IsSized(t) {
		return 1
	}
	bits := m.SizeInBits(t)
	if bits <= 64 && !m.IsVector(t) {
		return 1
	}
	return int(min((bits+31)/32, 1<<16))
}

// dropUB removes the metadata about an instruction's result, which could be
// undefined behaviour where the instruction was not executed before, and its
// location.
func dropUB(f *ir.Function, v ir.Value) {
	for _, k := range [...]ir.MDKind{ir.MDNoUndef, ir.MDDereferenceable, ir.MDDereferenceableOrNull, ir.MDInvariantLoad,
		ir.MDNonNull, ir.MDAlign, ir.MDRange, ir.MDTBAA, ir.MDNoFree, ir.MDAccessGroup, ir.MDNoAliasAddrSpace} {
		f.SetAttachment(v, k, 0)
	}
	if f.Op(v) == ir.OpCall {
		dropResultAttrs(f, v)
		return
	}
	f.Instr(v).Loc = 0
}

// dropResultAttrs removes the attributes of a call's arguments and result whose
// violation is undefined behaviour.
func dropResultAttrs(f *ir.Function, v ir.Value) {
	m := f.Module()
	list := f.CallAttrs(v)
	for place := ir.AttrResult; place < ir.AttrParams+len(f.Args(v)); place++ {
		set := m.AttrsAt(list, place)
		for _, k := range [...]ir.AttrKind{ir.AttrNoUndef, ir.AttrDereferenceable, ir.AttrDereferenceableOrNull} {
			set = m.RemoveAttr(set, k)
		}
		if set != m.AttrsAt(list, place) {
			list = m.WithAttrsAt(list, place, set)
		}
	}
	f.SetCallAttrs(v, list)
}
