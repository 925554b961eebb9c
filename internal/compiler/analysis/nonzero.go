package analysis

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// NonZero reports whether an integer or pointer is known not to be zero (null).
// For a vector, all elements must be nonzero.
func NonZero(f *ir.Function, v ir.Value) bool { return nonZero(f, v, 0) }

func nonZero(f *ir.Function, v ir.Value, depth int) bool {
	if knownBits(f, v, depth).NonZero() {
		return true
	}
	if !v.IsLocal() {
		return false
	}
	m := f.Module()
	if m.IsPtr(f.TypeOf(v)) && nonNull(f, v) {
		return true
	}
	if rangeExcludesZero(f, v) {
		return true
	}
	if depth >= maxDepth {
		return false
	}
	of := func(i int) bool { return nonZero(f, f.Operand(v, i), depth+1) }
	flags := f.Instr(v).Flags
	switch f.Op(v) {
	case ir.OpZExt, ir.OpSExt:
		return of(0)
	case ir.OpOr:
		return of(0) || of(1)
	case ir.OpAdd:
		return flags&ir.NUW != 0 && (of(0) || of(1))
	case ir.OpMul:
		return flags&(ir.NUW|ir.NSW) != 0 && of(0) && of(1)
	case ir.OpShl:
		return flags&(ir.NUW|ir.NSW) != 0 && of(0)
	case ir.OpLShr, ir.OpAShr, ir.OpUDiv, ir.OpSDiv:
		return flags&ir.Exact != 0 && of(0)
	case ir.OpSelect:
		return of(1) && of(2)
	case ir.OpSub, ir.OpXor:
		return notEqual(f, f.Operand(v, 0), f.Operand(v, 1), depth+1)
	}
	return false
}

// nonNull reports whether a pointer points to an object that is not at null.
// Null may be a valid address in address spaces other than flat.
func nonNull(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	switch op := f.Op(v); {
	case op == ir.OpArg:
		s := m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X))
		return m.HasAttr(s, ir.AttrNonNull)
	case op == ir.OpLoad:
		return f.Attachment(v, ir.MDNonNull) != 0
	case op.IsCall():
		return callHasAttr(f, v, ir.AttrResult, ir.AttrNonNull)
	}
	return false
}

// rangeExcludesZero reports whether range metadata or a range attribute
// excludes zero, which known bits may not express.
func rangeExcludesZero(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	if md := f.Attachment(v, ir.MDRange); md != 0 {
		ops := m.MDOperands(md)
		for i := 0; i+1 < len(ops); i += 2 {
			lo, ok1 := m.MDInt(ops[i])
			hi, ok2 := m.MDInt(ops[i+1])
			if !ok1 || !ok2 || rangeHasZero(m, f.TypeOf(v), lo, hi) {
				return false
			}
		}
		return len(ops) > 1
	}
	sets := [2]ir.AttrSet{}
	switch op := f.Op(v); {
	case op == ir.OpArg:
		sets[0] = m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X))
	case op.IsCall():
		sets[0], sets[1] = callAttrs(f, v, ir.AttrResult)
	default:
		return false
	}
	for _, s := range sets {
		if a, ok := m.Attr(s, ir.AttrRange); ok {
			first, second, _ := strings.Cut(m.Str(a.Str), ",")
			if lo, hi, ok := parseBounds(first, second); ok && !rangeHasZero(m, f.TypeOf(v), lo, hi) {
				return true
			}
		}
	}
	return false
}

// rangeHasZero reports whether zero is in the range lo to hi-1, which may wrap.
func rangeHasZero(m *ir.Module, t ir.Type, lo, hi uint64) bool {
	mask := lowMask(valueWidth(m, t))
	lo, hi = lo&mask, hi&mask
	return lo == 0 || hi != 0 && lo >= hi || mask == 0
}

// NotEqual reports whether two integers of the same type are known to differ.
func NotEqual(f *ir.Function, x, y ir.Value) bool { return notEqual(f, x, y, 0) }

func notEqual(f *ir.Function, x, y ir.Value, depth int) bool {
	if x == y || f.TypeOf(x) != f.TypeOf(y) || depth >= maxDepth {
		return false
	}
	a, b := knownBits(f, x, depth), knownBits(f, y, depth)
	if a.One&b.Zero != 0 || a.Zero&b.One != 0 {
		return true
	}
	if differsByNonZero(f, x, y, depth) || differsByNonZero(f, y, x, depth) {
		return true
	}
	if !x.IsLocal() || !y.IsLocal() || f.Op(x) != f.Op(y) {
		return false
	}
	return sameChange(f, x, y, depth+1)
}

// differsByNonZero reports whether x is y with a nonzero value added,
// subtracted or xored.
func differsByNonZero(f *ir.Function, x, y ir.Value, depth int) bool {
	if !x.IsLocal() {
		return false
	}
	switch f.Op(x) {
	case ir.OpAdd, ir.OpXor:
		return f.Operand(x, 0) == y && nonZero(f, f.Operand(x, 1), depth+1) || f.Operand(x, 1) == y && nonZero(f, f.Operand(x, 0), depth+1)
	case ir.OpSub:
		return f.Operand(x, 0) == y && nonZero(f, f.Operand(x, 1), depth+1)
	case ir.OpOr:
		return f.Instr(x).Flags&ir.Disjoint != 0 &&
			(f.Operand(x, 0) == y && nonZero(f, f.Operand(x, 1), depth+1) || f.Operand(x, 1) == y && nonZero(f, f.Operand(x, 0), depth+1))
	}
	return false
}

// sameChange reports whether x and y apply the same injective operation to
// values that differ.
func sameChange(f *ir.Function, x, y ir.Value, depth int) bool {
	p, q := f.Operands(x), f.Operands(y)
	flags := f.Instr(x).Flags & f.Instr(y).Flags
	switch f.Op(x) {
	case ir.OpAdd, ir.OpXor:
		for i := range 2 {
			for j := range 2 {
				if p[i].Value == q[j].Value && notEqual(f, p[1-i].Value, q[1-j].Value, depth) {
					return true
				}
			}
		}
	case ir.OpSub:
		return p[0].Value == q[0].Value && notEqual(f, p[1].Value, q[1].Value, depth) ||
			p[1].Value == q[1].Value && notEqual(f, p[0].Value, q[0].Value, depth)
	case ir.OpMul, ir.OpShl:
		return flags&(ir.NUW|ir.NSW) != 0 && p[1].Value == q[1].Value &&
			(f.Op(x) == ir.OpShl || nonZero(f, p[1].Value, depth)) && notEqual(f, p[0].Value, q[0].Value, depth)
	case ir.OpZExt, ir.OpSExt:
		return f.TypeOf(p[0].Value) == f.TypeOf(q[0].Value) && notEqual(f, p[0].Value, q[0].Value, depth)
	}
	return false
}
