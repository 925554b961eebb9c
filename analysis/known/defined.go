package known

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// NonNegative reports whether the sign bit of an integer is known to be 0.
func NonNegative(f *ir.Function, v ir.Value) bool {
	width := f.Module().ScalarBits(f.TypeOf(v))
	zero, _ := Bits(f, v, MaxDepth)
	return width > 0 && width <= 64 && zero>>(width-1)&1 != 0
}

// NonZero reports whether an integer is known not to be 0 in any element.
func NonZero(f *ir.Function, v ir.Value) bool {
	_, one := Bits(f, v, MaxDepth)
	return one != 0
}

// NotUndefOrPoison reports whether a value is sure to be neither undef nor poison in any part.
func NotUndefOrPoison(f *ir.Function, v ir.Value) bool { return defined(f, v, MaxDepth) }

func defined(f *ir.Function, v ir.Value, depth int) bool {
	m := f.Module()
	switch {
	case v.IsConst():
		return constDefined(m, v)
	case !v.IsLocal() || depth <= 0:
		return false
	}
	op := f.Op(v)
	switch {
	case op == ir.OpArg:
		set := m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X))
		return m.HasAttr(set, ir.AttrNoUndef)
	case op == ir.OpFreeze || op == ir.OpAlloca:
		return true
	case op == ir.OpLoad:
		return f.Attachment(v, ir.MDNoUndef) != 0
	case op.IsCall():
		return callDefined(f, v)
	case !keepsDefined(f, v):
		return false
	}
	for i, o := range f.Operands(v) {
		if op == ir.OpPhi && (i&1 == 1 || o.Value == v) {
			continue
		}
		if !defined(f, o.Value, depth-1) {
			return false
		}
	}
	return true
}

func callDefined(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	if m.HasAttr(m.AttrsAt(f.CallAttrs(v), ir.AttrResult), ir.AttrNoUndef) {
		return true
	}
	callee := f.CalledFunction(v)
	return callee != nil && m.HasAttr(m.AttrsAt(callee.Attributes, ir.AttrResult), ir.AttrNoUndef)
}

// constDefined reports whether a constant has neither undef nor poison in it.
func constDefined(m *ir.Module, v ir.Value) bool {
	switch m.ConstKindOf(v) {
	case ir.ConstInt, ir.ConstFloat, ir.ConstWide, ir.ConstZero, ir.ConstData, ir.ConstGlobal:
		return true
	case ir.ConstAggregate:
		for _, e := range m.ConstOperands(v) {
			if !constDefined(m, e) {
				return false
			}
		}
		return true
	}
	return false
}

// poisonFlags are the flags whose violation gives poison.
const poisonFlags = ir.NUW | ir.NSW | ir.Exact | ir.Disjoint | ir.NNeg | ir.SameSign | ir.InBounds | ir.NUSW | ir.NoNaNs | ir.NoInfs

// keepsDefined reports whether an instruction of defined operands gives a defined value.
func keepsDefined(f *ir.Function, v ir.Value) bool {
	in := f.Instr(v)
	if in.Flags&poisonFlags != 0 {
		return false
	}
	switch op := in.Op; op {
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		n, ok := splatInt(f.Module(), f.Operand(v, 1))
		return ok && n < uint64(f.Module().ScalarBits(in.Type))
	case ir.OpFPToSI, ir.OpFPToUI:
		return false
	case ir.OpICmp, ir.OpFCmp, ir.OpPhi, ir.OpSelect, ir.OpGetElementPtr:
		return true
	default:
		return op.IsBinary() || op.IsUnary() || op.IsCast()
	}
}
