package analysis

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// KnownBits returns the known bits of a value of integer, pointer or vector
// type. It examines up to maxDepth levels of the operations that compute the
// value. The bits of a pointer are the bits of its address.
func KnownBits(f *ir.Function, v ir.Value) Bits { return knownBits(f, v, 0) }

// KnownBitsWithin is KnownBits limited to depth levels of operations.
func KnownBitsWithin(f *ir.Function, v ir.Value, depth int) Bits {
	return knownBits(f, v, max(maxDepth-depth, 0))
}

// valueWidth returns the width of a type's integers or pointers, or 0 for other
// types and widths above 64 bits.
func valueWidth(m *ir.Module, t ir.Type) int {
	switch t { // the most common types
	case ir.I32:
		return 32
	case ir.I64:
		return 64
	}
	t = m.Scalar(t)
	n := 0
	switch m.Kind(t) {
	case ir.KindInt:
		n = m.IntBits(t)
	case ir.KindPtr:
		n = int(m.Layout().Pointer(m.AddrSpace(t)).Bits)
	}
	if n > 64 {
		return 0
	}
	return n
}

func knownBits(f *ir.Function, v ir.Value, depth int) Bits {
	m, t := f.Module(), f.TypeOf(v)
	width := valueWidth(m, t)
	if width == 0 {
		return Bits{}
	}
	if v.IsConst() {
		return constantBits(f, v, width)
	}
	unknown := Bits{Width: width}
	if !v.IsLocal() {
		return unknown
	}
	if t != ir.I32 && t != ir.I64 && m.IsPtr(t) {
		unknown.Zero = uint64(PointerAlign(f, v)-1) & unknown.mask()
	}
	if f.Op(v) == ir.OpArg {
		return unknown.join(argBits(f, v, width))
	}
	if depth >= maxDepth {
		return unknown
	}
	if row := knownTable.From(makeKnownTable)[f.Op(v)]; row != nil {
		if r := row(f, v, width, depth+1); r.Width == width {
			return unknown.join(r)
		}
	}
	return unknown
}

// constantBits is knownBits for constants.
func constantBits(f *ir.Function, v ir.Value, width int) Bits {
	m := f.Module()
	switch m.ConstKindOf(v) {
	case ir.ConstInt:
		x, _ := m.IntValue(v)
		return constBits(x, width)
	case ir.ConstZero:
		return constBits(0, width)
	case ir.ConstData, ir.ConstAggregate:
		n := m.NumElements(m.TypeOfConst(v))
		r, any := Bits{Width: width}, false
		for i := range n {
			e := m.Element(v, i)
			if k := m.ConstKindOf(e); k == ir.ConstPoison {
				continue
			} else if k != ir.ConstInt {
				return Bits{Width: width}
			}
			x, _ := m.IntValue(e)
			b := constBits(x, width)
			if any {
				b = r.meet(b)
			}
			r, any = b, true
		}
		return r
	case ir.ConstGlobal, ir.ConstExpr:
		if m.IsPtr(m.TypeOfConst(v)) {
			return Bits{Zero: uint64(PointerAlign(f, v)-1) & lowMask(width), Width: width}
		}
	}
	return Bits{Width: width}
}

func argBits(f *ir.Function, v ir.Value, width int) Bits {
	m := f.Module()
	return rangeAttrBits(m, m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X)), width)
}

// rangeAttrBits returns the bits implied by the range attribute.
func rangeAttrBits(m *ir.Module, s ir.AttrSet, width int) Bits {
	if a, ok := m.Attr(s, ir.AttrRange); ok {
		first, second, _ := strings.Cut(m.Str(a.Str), ",")
		if lo, hi, ok := parseBounds(first, second); ok {
			return boundsBits(lo, hi, width)
		}
	}
	return Bits{Width: width}
}

func parseBounds(first, second string) (lo, hi uint64, ok bool) {
	number := func(s string) (uint64, bool) {
		s = strings.TrimSpace(s)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return uint64(n), true
		}
		n, err := strconv.ParseUint(s, 10, 64)
		return n, err == nil
	}
	lo, ok1 := number(first)
	hi, ok2 := number(second)
	return lo, hi, ok1 && ok2
}

// boundsBits returns the known bits of a number in the range lo to hi-1, which
// may wrap.
func boundsBits(lo, hi uint64, width int) Bits {
	m := lowMask(width)
	lo, last := lo&m, (hi-1)&m
	if lo > last {
		return Bits{Width: width}
	}
	return inRange(lo, last, width)
}

// rangeMetadataBits returns the bits implied by !range metadata.
func rangeMetadataBits(f *ir.Function, v ir.Value, width int) Bits {
	md := f.Attachment(v, ir.MDRange)
	if md == 0 {
		return Bits{Width: width}
	}
	m := f.Module()
	ops := m.MDOperands(md)
	r, any := Bits{Width: width}, false
	for i := 0; i+1 < len(ops); i += 2 {
		lo, ok1 := m.MDInt(ops[i])
		hi, ok2 := m.MDInt(ops[i+1])
		if !ok1 || !ok2 {
			return Bits{Width: width}
		}
		b := boundsBits(lo, hi, width)
		if any {
			b = r.meet(b)
		}
		r, any = b, true
	}
	return r
}

type knownFunc func(f *ir.Function, v ir.Value, width, depth int) Bits

// knownTable holds the known-bits function of each operation.
var knownTable lazy.Value[*[ir.NumOps]knownFunc]

func makeKnownTable() *[ir.NumOps]knownFunc {
	return &[ir.NumOps]knownFunc{
		ir.OpAnd: binaryBits(func(a, c Bits) Bits { return Bits{a.Zero | c.Zero, a.One & c.One, a.Width} }),
		ir.OpOr:  binaryBits(func(a, c Bits) Bits { return Bits{a.Zero & c.Zero, a.One | c.One, a.Width} }),
		ir.OpXor: commonBits(func(a, c Bits) Bits {
			return Bits{a.Zero&c.Zero | a.One&c.One, a.Zero&c.One | a.One&c.Zero, a.Width}
		}),
		ir.OpAdd:  addSub,
		ir.OpSub:  addSub,
		ir.OpMul:  binaryBits(mulBits),
		ir.OpUDiv: binaryBits(divBits),
		ir.OpURem: binaryBits(remBits),
		ir.OpSDiv: binaryBits(signedAsUnsigned(divBits)),
		ir.OpSRem: signedRem,
		ir.OpShl:  shift, ir.OpLShr: shift, ir.OpAShr: shift,
		ir.OpTrunc: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			return knownBits(f, f.Operand(v, 0), depth).truncate(width)
		},
		ir.OpZExt: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			b := knownBits(f, f.Operand(v, 0), depth)
			if f.Instr(v).Flags&ir.NNeg != 0 && b.Width > 0 && !b.Negative() {
				b.Zero |= 1 << (b.Width - 1)
			}
			return b.extend(width, false)
		},
		ir.OpSExt: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			return knownBits(f, f.Operand(v, 0), depth).extend(width, true)
		},
		ir.OpPtrToInt: resize0, ir.OpPtrToAddr: resize0, ir.OpIntToPtr: resize0,
		ir.OpBitCast:       sameWidth,
		ir.OpSelect:        selectBits,
		ir.OpPhi:           phiBits,
		ir.OpFreeze:        freezeBits,
		ir.OpLoad:          func(f *ir.Function, v ir.Value, width, depth int) Bits { return rangeMetadataBits(f, v, width) },
		ir.OpCall:          callBits,
		ir.OpExtractValue:  extractBits,
		ir.OpGetElementPtr: gepBits,
		ir.OpExtractElement: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			return knownBits(f, f.Operand(v, 0), depth)
		},
		ir.OpInsertElement: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			if f.Module().ConstKindOf(f.Operand(v, 0)) == ir.ConstPoison {
				return knownBits(f, f.Operand(v, 1), depth)
			}
			return meetBits(f, f.Operand(v, 0), f.Operand(v, 1), depth)
		},
		ir.OpShuffleVector: shuffleBits,
	}
}

// both returns the known bits of two operands.
func both(f *ir.Function, v ir.Value, depth int) (a, c Bits) {
	a = knownBits(f, f.Operand(v, 0), depth)
	if f.Operand(v, 1) == f.Operand(v, 0) {
		return a, a
	}
	return a, knownBits(f, f.Operand(v, 1), depth)
}

// common is both for an operation whose result bits are known only where both
// operands' bits are known. If one operand has no known bits, ok is false, a
// and c are invalid and the other operand is not examined. Otherwise the time
// would double with each operation of a long sum, for example in a hash
// function.
func common(f *ir.Function, v ir.Value, depth int) (a, c Bits, ok bool) {
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	if a = knownBits(f, x, depth); a.Known() == 0 {
		return a, a, false
	}
	if x == y {
		return a, a, true
	}
	c = knownBits(f, y, depth)
	return a, c, c.Known() != 0
}

// commonBits is binaryBits for an operation whose result bits are known only
// where both operands' bits are known.
func commonBits(op func(a, c Bits) Bits) knownFunc {
	return func(f *ir.Function, v ir.Value, width, depth int) Bits {
		a, c, ok := common(f, v, depth)
		if !ok {
			return Bits{Width: width}
		}
		return op(a, c)
	}
}

// meetBits returns the bits that are known for both of two possible values.
func meetBits(f *ir.Function, x, y ir.Value, depth int) Bits {
	a := knownBits(f, x, depth)
	if a.Known() == 0 {
		return a
	}
	return a.meet(knownBits(f, y, depth))
}

func binaryBits(op func(a, c Bits) Bits) knownFunc {
	return func(f *ir.Function, v ir.Value, width, depth int) Bits {
		a, c := both(f, v, depth)
		return op(a, c)
	}
}

func addSub(f *ir.Function, v ir.Value, width, depth int) Bits {
	flags := f.Instr(v).Flags
	if flags&ir.NUW == 0 {
		a, c, ok := common(f, v, depth)
		if !ok {
			return Bits{Width: width}
		}
		return addSubOf(f, v, a, c)
	}
	a, c := both(f, v, depth)
	return addSubOf(f, v, a, c)
}

func addSubOf(f *ir.Function, v ir.Value, a, c Bits) Bits {
	flags, width := f.Instr(v).Flags, a.Width
	if f.Op(v) == ir.OpSub {
		r := addBits(a, c.not(), 1)
		if flags&ir.NUW != 0 { // the result does not exceed a
			r = r.join(Bits{Zero: below(a.Max(), width).Zero, Width: width})
		}
		return r
	}
	r := addBits(a, c, 0)
	if flags&ir.NSW != 0 && a.NonNegative() && c.NonNegative() && !r.Negative() {
		r.Zero |= 1 << (width - 1)
	}
	if flags&ir.NUW != 0 { // not less than either operand
		n := max(a.LeadingOnes(), c.LeadingOnes())
		r = r.join(Bits{One: lowMask(width) &^ lowMask(width-n), Width: width})
	}
	return r
}

// signedAsUnsigned adapts a function on unsigned numbers to signed numbers that
// are known to be non-negative.
func signedAsUnsigned(op func(a, c Bits) Bits) func(a, c Bits) Bits {
	return func(a, c Bits) Bits {
		if a.NonNegative() && c.NonNegative() {
			return op(a, c)
		}
		return Bits{Width: a.Width}
	}
}

func signedRem(f *ir.Function, v ir.Value, width, depth int) Bits {
	a, c := both(f, v, depth)
	if a.NonNegative() && c.NonNegative() {
		return remBits(a, c)
	}
	if n := c.TrailingZeros(); n > 0 { // the low bits below the divisor's lowest set bit are unchanged
		low := lowMask(n)
		return Bits{a.Zero & low, a.One & low, width}
	}
	return Bits{Width: width}
}

func shift(f *ir.Function, v ir.Value, width, depth int) Bits {
	a, n := both(f, v, depth)
	return shiftUnknown(f.Op(v), a, n)
}

// resize0 handles casts between pointers and integers.
func resize0(f *ir.Function, v ir.Value, width, depth int) Bits {
	b := knownBits(f, f.Operand(v, 0), depth)
	if b.Width > width {
		return b.truncate(width)
	}
	return b.extend(width, false)
}

func sameWidth(f *ir.Function, v ir.Value, width, depth int) Bits {
	if b := knownBits(f, f.Operand(v, 0), depth); b.Width == width {
		return b
	}
	return Bits{Width: width}
}

func selectBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	return meetBits(f, f.Operand(v, 1), f.Operand(v, 2), depth)
}

func phiBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	if f.NumIncoming(v) > 8 {
		return Bits{Width: width}
	}
	r, any := Bits{Width: width}, false
	for i := range f.NumIncoming(v) {
		in, _ := f.Incoming(v, i)
		if k := f.Module().ConstKindOf(in); in == v || k == ir.ConstPoison {
			continue
		}
		// Examine one operation only: the phis of a loop depend on each other.
		b := knownBits(f, in, max(depth, maxDepth-1))
		if any {
			b = r.meet(b)
		}
		if r, any = b, true; r.Known() == 0 {
			break
		}
	}
	return r
}

func freezeBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	if op := f.Operand(v, 0); notPoison(f, op, depth) {
		return knownBits(f, op, depth)
	}
	return Bits{Width: width}
}

func shuffleBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	n := f.Module().NumElements(f.TypeOf(f.Operand(v, 0)))
	var need [2]bool
	for _, i := range f.Mask(v) {
		if i != ir.PoisonElement {
			need[uint64(i)/n] = true
		}
	}
	switch a, c := f.Operand(v, 0), f.Operand(v, 1); {
	case need[0] && need[1]:
		return meetBits(f, a, c, depth)
	case need[0]:
		return knownBits(f, a, depth)
	case need[1]:
		return knownBits(f, c, depth)
	}
	return Bits{Width: width}
}

// gepBits returns the low zero bits of an address. PointerAlign also finds them
// if base and indices are simple.
func gepBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	m := f.Module()
	z := knownBits(f, f.Operand(v, 0), depth).TrailingZeros()
	t := f.GEPSource(v)
	for i, o := range f.Operands(v)[1:] {
		scale := uint64(0)
		if i > 0 && m.Kind(t) == ir.KindStruct {
			field, _ := constOrSplat(m, o.Value)
			scale = m.FieldOffset(t, int(field))
			if scale != 0 {
				z = min(z, bits.TrailingZeros64(scale))
			}
			t = m.ElementType(t, field)
			continue
		}
		if i > 0 {
			t = m.ElementType(t, 0)
		}
		if scale = m.AllocSize(t); scale == 0 {
			continue
		}
		if b := knownBits(f, o.Value, depth); !b.IsConst() || b.One != 0 {
			z = min(z, bits.TrailingZeros64(scale)+b.TrailingZeros())
		}
	}
	return Bits{Zero: lowMask(min(z, width)), Width: width}
}

// extractBits handles the results of arithmetic with overflow.
func extractBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	from, idx := f.Operand(v, 0), f.Indices(v)
	if f.Op(from) != ir.OpCall || len(idx) != 1 || idx[0] != 0 {
		return Bits{Width: width}
	}
	switch f.CalledIntrinsic(from) {
	case ir.IntrUaddWithOverflow, ir.IntrSaddWithOverflow:
		a, c := both(f, from, depth)
		return addBits(a, c, 0)
	case ir.IntrUsubWithOverflow, ir.IntrSsubWithOverflow:
		a, c := both(f, from, depth)
		return addBits(a, c.not(), 1)
	case ir.IntrUmulWithOverflow, ir.IntrSmulWithOverflow:
		a, c := both(f, from, depth)
		return mulBits(a, c)
	}
	return Bits{Width: width}
}
