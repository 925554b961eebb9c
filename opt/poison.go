package opt

import "github.com/gfx-toolchain/gfx/ir"

// poisonDepth bounds how far notPoison looks.
const poisonDepth = 6

// notPoison reports whether a value is sure not to be poison (LLVM's isGuaranteedNotToBePoison, without what follows
// from branches and undefined behaviour nearby).
func notPoison(f *ir.Function, v ir.Value) bool { return notPoisonAt(f, v, 0) }

func notPoisonAt(f *ir.Function, v ir.Value, depth int) bool {
	m := f.Module()
	switch {
	case v.IsConst():
		return constNotPoison(m, v, depth)
	case !v.IsLocal() || depth > poisonDepth:
		return false
	}
	op := f.Op(v)
	switch {
	case op == ir.OpArg:
		return saysDefined(m, m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X)))
	case op == ir.OpAlloca || op == ir.OpFreeze:
		return true
	case op == ir.OpLoad:
		return f.Attachment(v, ir.MDNoUndef) != 0 || f.Attachment(v, ir.MDDereferenceable) != 0 || f.Attachment(v, ir.MDDereferenceableOrNull) != 0
	case op.IsCall():
		if callee := f.CalledFunction(v); callee != nil && saysDefined(m, m.AttrsAt(callee.Attributes, ir.AttrResult)) {
			return true
		}
		return saysDefined(m, m.AttrsAt(f.CallAttrs(v), ir.AttrResult))
	case canCreatePoison(f, v):
		return false
	}
	for i, o := range f.Operands(v) {
		if op == ir.OpPhi && (i&1 == 1 || o.Value == v) {
			continue
		}
		if !notPoisonAt(f, o.Value, depth+1) {
			return false
		}
	}
	return true
}

// saysDefined reports whether attributes of an argument or result say that it is neither undef nor poison.
func saysDefined(m *ir.Module, s ir.AttrSet) bool {
	return m.HasAttr(s, ir.AttrNoUndef) || m.HasAttr(s, ir.AttrDereferenceable) || m.HasAttr(s, ir.AttrDereferenceableOrNull)
}

func constNotPoison(m *ir.Module, v ir.Value, depth int) bool {
	switch m.ConstKindOf(v) {
	case ir.ConstPoison, ir.ConstExpr:
		return false
	case ir.ConstAggregate:
		if depth > poisonDepth {
			return false
		}
		for _, e := range m.ConstOperands(v) {
			if !constNotPoison(m, e, depth+1) {
				return false
			}
		}
	}
	return true
}

// canCreatePoison reports whether an instruction may give poison though none of its operands is.
func canCreatePoison(f *ir.Function, v ir.Value) bool {
	in := f.Instr(v)
	if in.Flags&^(ir.Reassoc|ir.NoSignedZeros|ir.AllowReciprocal|ir.AllowContract|ir.ApproxFunc) != 0 {
		return true
	}
	switch op := in.Op; {
	case op == ir.OpShl || op == ir.OpLShr || op == ir.OpAShr:
		return !shiftInRange(f, v)
	case op == ir.OpFPToSI || op == ir.OpFPToUI:
		return true
	case op.IsBinary() || op.IsUnary() || op.IsCast():
		return false
	case op == ir.OpExtractElement || op == ir.OpInsertElement:
		return !elementInRange(f, v)
	}
	switch in.Op {
	case ir.OpICmp, ir.OpFCmp, ir.OpPhi, ir.OpSelect, ir.OpGetElementPtr, ir.OpExtractValue, ir.OpInsertValue:
		return false
	}
	return true
}

// shiftInRange reports whether the amount of a shift is a constant (or vector of equal ones) below the width.
func shiftInRange(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	amount := f.Operand(v, 1)
	if !amount.IsConst() {
		return false
	}
	if m.IsVector(f.TypeOf(v)) {
		if amount = m.SplatValue(amount); amount == ir.None {
			return false
		}
	}
	n, ok := m.IntValue(amount)
	return ok && n < uint64(m.ScalarBits(f.TypeOf(v)))
}

// elementInRange reports whether the index of an extractelement or insertelement is a constant within the vector.
func elementInRange(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	i := f.Operand(v, f.NumOperands(v)-1)
	if !i.IsConst() {
		return false
	}
	n, ok := m.IntValue(i)
	return ok && n < m.NumElements(f.TypeOf(f.Operand(v, 0)))
}
