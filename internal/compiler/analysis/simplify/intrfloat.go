package simplify

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// floatIntrinsics returns the rows of the floating-point intrinsics.
func floatIntrinsics() []intrinsicRow {
	return []intrinsicRow{
		ir.IntrFloor:     {fold: whole(math.Floor)},
		ir.IntrCeil:      {fold: whole(math.Ceil)},
		ir.IntrTrunc:     {fold: whole(math.Trunc)},
		ir.IntrRint:      {fold: whole(math.RoundToEven)},
		ir.IntrNearbyint: {fold: whole(math.RoundToEven)},
		ir.IntrRoundeven: {fold: whole(math.RoundToEven)},
		ir.IntrRound:     {fold: whole(math.Round)},

		ir.IntrFabs:         {fold: foldFabs},
		ir.IntrCopysign:     {fold: foldCopySign},
		ir.IntrCanonicalize: {fold: foldCanonicalize},
		ir.IntrFma:          {fold: foldFMA},
		ir.IntrFmuladd:      {fold: foldFMA},
		ir.IntrSqrt:         {fold: math1(math.Sqrt, true)},

		ir.IntrMinnum:     {fold: extremum((*format).minnum), keepsPoison: true},
		ir.IntrMaxnum:     {fold: extremum(mirrored((*format).minnum)), keepsPoison: true},
		ir.IntrMinimum:    {fold: extremum((*format).minimum), keepsPoison: true},
		ir.IntrMaximum:    {fold: extremum(mirrored((*format).minimum)), keepsPoison: true},
		ir.IntrMinimumnum: {fold: extremum((*format).minimumnum), keepsPoison: true},
		ir.IntrMaximumnum: {fold: extremum(mirrored((*format).minimumnum)), keepsPoison: true},

		ir.IntrLdexp:           {fold: foldLdexp, keepsPoison: true},
		ir.IntrFrexp:           {fold: foldFrexp},
		ir.IntrIsFpclass:       {fold: foldIsFPClass, scalar: 2},
		ir.IntrFptosiSat:       {fold: foldSatInt(true), keepsPoison: true},
		ir.IntrFptouiSat:       {fold: foldSatInt(false), keepsPoison: true},
		ir.IntrConvertToFp16:   {fold: foldToFP16},
		ir.IntrConvertFromFp16: {fold: foldFromFP16},

		ir.IntrExp:   {fold: math1(math.Exp, false)},
		ir.IntrExp2:  {fold: math1(math.Exp2, false)},
		ir.IntrExp10: {fold: math1(func(x float64) float64 { return math.Pow(10, x) }, false)},
		ir.IntrLog:   {fold: math1(math.Log, false)},
		ir.IntrLog2:  {fold: math1(math.Log2, false)},
		ir.IntrLog10: {fold: math1(math.Log10, false)},
		ir.IntrSin:   {fold: math1(math.Sin, false)},
		ir.IntrCos:   {fold: math1(math.Cos, false)},
		ir.IntrPow:   {fold: foldPow},
		ir.IntrPowi:  {fold: foldPowi, scalar: 2},
	}
}

// number returns the bits and layout of a floating-point constant.
func (q *folder) number(v ir.Value) (uint64, *format, bool) {
	b, ok := q.m.FloatBits(v)
	f := formatOf(q.m.TypeOfConst(v))
	return b, f, ok && f != nil
}

// whole folds rounding to an integral value.
func whole(round func(float64) float64) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		b, f, ok := q.number(a[0])
		switch {
		case !ok:
			return q.undefOperand(t, a)
		case f.isNaN(b):
			return q.checked(f, t, b|f.quiet(), b)
		}
		return q.checked(f, t, f.round(round(f.value(b))), b)
	}
}

// undefOperand folds a floating-point function with an undef argument, which
// may be any NaN. If an earlier argument is a NaN, it is the result.
func (q *folder) undefOperand(t ir.Type, a []ir.Value) ir.Value {
	f := formatOf(t)
	for _, v := range a {
		if b, _, ok := q.number(v); ok && f.isNaN(b) {
			return q.checked(f, t, b|f.quiet(), b)
		}
		if isUndef(q.m, v) && f != nil {
			if q.flags&ir.NoNaNs != 0 {
				return q.m.Poison(t)
			}
			return q.m.NewFloatBits(t, f.nan())
		}
	}
	return ir.None
}

// math1 folds a function that is computed in float64. exactly means that the
// final rounding is correct for all types.
func math1(fn func(float64) float64, exactly bool) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		b, f, ok := q.number(a[0])
		if !ok || f.isNaN(b) {
			return ir.None
		}
		x := f.value(b)
		y := fn(x)
		if !exactly && (f.size == 64 && x != 0 && x != 1 || math.IsInf(x, 0) || y != y) {
			return ir.None
		}
		_, in := denormals(q.f, t)
		if in != ieee && f.isDenormal(b) {
			return ir.None
		}
		return q.checked(f, t, f.round(y), b)
	}
}

func foldPow(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	c, _, ok2 := q.number(a[1])
	if !ok || !ok2 || f.isNaN(b) || f.isNaN(c) {
		return ir.None
	}
	return q.power(f, t, b, f.value(c))
}

// power folds a power. For double it is folded only if exact, because it is not
// correctly rounded.
func (q *folder) power(f *format, t ir.Type, b uint64, y float64) ir.Value {
	x := f.value(b)
	r := math.Pow(x, y)
	if f.size == 64 && !(y == 0 || y == 1 || y == 2 || y == -1 || x == 1) || r != r || math.IsInf(r, 0) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return ir.None
	}
	return q.checked(f, t, f.round(r), b)
}

func foldPowi(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	n, ok2 := q.m.SignedValue(a[1])
	if !ok || !ok2 || f.isNaN(b) {
		return ir.None
	}
	return q.power(f, t, b, float64(n))
}

func foldFabs(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if isUndef(q.m, a[0]) {
		return q.m.Zero(t)
	}
	if b, f, ok := q.number(a[0]); ok {
		return q.m.NewFloatBits(t, f.mag(b))
	}
	return ir.None
}

func foldCopySign(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	s, _, ok2 := q.number(a[1])
	switch {
	case isUndef(q.m, a[0]) && isUndef(q.m, a[1]):
		return a[0]
	case !ok || !ok2:
		return ir.None
	}
	return q.m.NewFloatBits(t, f.mag(b)|s&f.sign())
}

// foldCanonicalize folds canonicalize: NaNs become quiet, and denormals follow
// the function's mode. LLVM does not fold NaNs.
func foldCanonicalize(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if isUndef(q.m, a[0]) {
		return q.m.Zero(t)
	}
	b, f, ok := q.number(a[0])
	if !ok || f.isNaN(b) {
		return ir.None
	}
	out, in := denormals(q.f, t)
	if b, ok = in.flush(f, b); !ok {
		return ir.None
	}
	if b, ok = out.flush(f, b); !ok {
		return ir.None
	}
	return q.m.NewFloatBits(t, b)
}

func foldFMA(q *folder, t ir.Type, a []ir.Value) ir.Value {
	x, f, ok := q.number(a[0])
	y, _, ok2 := q.number(a[1])
	z, _, ok3 := q.number(a[2])
	if !ok || !ok2 || !ok3 {
		return q.undefOperand(t, a)
	}
	out, in := denormals(q.f, t)
	if r := f.fma(x, y, z); out == ieee && in == ieee || !f.isDenormal(r) && !f.isDenormal(x) && !f.isDenormal(y) && !f.isDenormal(z) {
		return q.checked(f, t, r, x, y, z)
	}
	return ir.None
}

// extremum folds minimum and maximum.
func extremum(fn func(f *format, a, b uint64) uint64) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		switch {
		case isUndef(q.m, a[0]):
			return a[1]
		case isUndef(q.m, a[1]):
			return a[0]
		}
		x, f, ok := q.number(a[0])
		y, _, ok2 := q.number(a[1])
		if !ok || !ok2 {
			return ir.None
		}
		return q.checked(f, t, fn(f, x, y), x, y)
	}
}

// mirrored derives a maximum from a minimum.
func mirrored(min func(f *format, a, b uint64) uint64) func(f *format, a, b uint64) uint64 {
	return func(f *format, a, b uint64) uint64 {
		r := min(f, a^f.sign(), b^f.sign())
		return r ^ f.sign()
	}
}

// lesser returns the smaller of two numbers; -0 is less than +0.
func (f *format) lesser(a, b uint64) uint64 {
	x, y := f.value(a), f.value(b)
	if x < y || x == y && f.isNeg(a) {
		return a
	}
	return b
}

// minnum is minNum of IEEE 754-2008: a quiet NaN loses, a signaling NaN is the
// result.
func (f *format) minnum(a, b uint64) uint64 {
	switch {
	case f.isSNaN(a):
		return a | f.quiet()
	case f.isSNaN(b):
		return b | f.quiet()
	}
	return f.minimumnum(a, b)
}

// minimum is minimum of IEEE 754-2019: a NaN is the result.
func (f *format) minimum(a, b uint64) uint64 {
	switch {
	case f.isNaN(a):
		return a | f.quiet()
	case f.isNaN(b):
		return b | f.quiet()
	}
	return f.lesser(a, b)
}

// minimumnum is minimumNumber of IEEE 754-2019: a NaN loses.
func (f *format) minimumnum(a, b uint64) uint64 {
	switch {
	case f.isNaN(a) && f.isNaN(b):
		return b | f.quiet()
	case f.isNaN(a):
		return b
	case f.isNaN(b):
		return a
	}
	return f.lesser(a, b)
}

func foldLdexp(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	switch {
	case isPoison(q.m, a[0]):
		return a[0]
	case isUndef(q.m, a[1]): // treated as 0
		return a[0]
	case !ok || !q.known(a[1]):
		return q.undefOperand(t, a[:1])
	}
	if f.isNaN(b) {
		return q.checked(f, t, b|f.quiet(), b)
	}
	n := 4096 // equivalent to any larger number
	if e := q.m.BigSigned(a[1]); e.IsInt64() && e.Int64() < 4096 && e.Int64() > -4096 {
		n = int(e.Int64())
	} else if e.Sign() < 0 {
		n = -4096
	}
	return q.checked(f, t, f.scale(b, n), b)
}

// scale returns v·2^n, rounded once.
func (f *format) scale(v uint64, n int) uint64 {
	x := math.Ldexp(f.value(v), n)
	if f.size == 64 {
		return math.Float64bits(x)
	}
	if frac, exp := math.Frexp(f.value(v)); exp+n < -300 && frac != 0 { // avoid a first rounding to a float64 denormal
		return f.round(math.Ldexp(frac, -300))
	}
	return f.round(x)
}

func foldFrexp(q *folder, t ir.Type, a []ir.Value) ir.Value {
	m := q.m
	b, f, ok := q.number(a[0])
	if !ok {
		return ir.None
	}
	ft, it := m.ElementType(t, 0), m.ElementType(t, 1)
	if m.IsVector(ft) {
		return ir.None
	}
	mant, exp := b, 0
	switch {
	case f.isNaN(b):
		mant = b | f.quiet()
	case !f.isInf(b):
		frac, e := math.Frexp(f.value(b))
		mant, exp = f.round(frac), e
	}
	return m.NewAggregate(t, []ir.Value{m.NewFloatBits(ft, mant), m.NewSigned(it, int64(exp))})
}

// class returns the class bit of a value, with the numbering of llvm.is.fpclass
// and the AMDGPU class instructions.
func (f *format) class(v uint64) uint64 {
	n := 0
	switch {
	case f.isSNaN(v):
		return 1
	case f.isNaN(v):
		return 2
	case f.isInf(v):
		n = 0
	case f.isZero(v):
		n = 3
	case f.isDenormal(v):
		n = 2
	default:
		n = 1
	}
	if f.isNeg(v) {
		return 4 << n
	}
	return 0x200 >> n
}

func foldIsFPClass(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	mask, _ := q.m.IntValue(a[1])
	switch {
	case isUndef(q.m, a[0]):
		return q.m.Undef(t)
	case !ok:
		return ir.None
	}
	return q.m.NewBool(f.class(b)&mask != 0)
}

func foldSatInt(signed bool) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		if isUndef(q.m, a[0]) {
			return q.m.Zero(t)
		}
		return foldToInt(q.m, t, a[0], signed, true)
	}
}

func foldToFP16(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if b, f, ok := q.number(a[0]); ok {
		return q.m.NewInt(t, convertFloat(f, &formats[ir.Half], b))
	}
	return ir.None
}

func foldFromFP16(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if b, ok := q.m.IntValue(a[0]); ok && formatOf(t) != nil {
		return q.m.NewFloatBits(t, convertFloat(&formats[ir.Half], formatOf(t), b))
	}
	return ir.None
}
