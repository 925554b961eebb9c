package simplify

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/ir"
)

// amdgpuIntrinsics returns the rows of the AMDGPU intrinsics. Package sem
// defines the results of machine instructions.
func amdgpuIntrinsics() []intrinsicRow {
	return []intrinsicRow{
		ir.IntrAMDGCNPerm:       {fold: machine("v_perm_b32"), keepsPoison: true},
		ir.IntrAMDGCNAlignbyte:  {fold: machine("v_alignbyte_b32")},
		ir.IntrAMDGCNLerp:       {fold: machine("v_lerp_u8")},
		ir.IntrAMDGCNSadU8:      {fold: machine("v_sad_u8")},
		ir.IntrAMDGCNSadHiU8:    {fold: machine("v_sad_hi_u8")},
		ir.IntrAMDGCNSadU16:     {fold: machine("v_sad_u16")},
		ir.IntrAMDGCNMsadU8:     {fold: machine("v_msad_u8")},
		ir.IntrAMDGCNCubeid:     {fold: machine("v_cubeid_f32")},
		ir.IntrAMDGCNCubema:     {fold: machine("v_cubema_f32")},
		ir.IntrAMDGCNCubesc:     {fold: machine("v_cubesc_f32")},
		ir.IntrAMDGCNCubetc:     {fold: machine("v_cubetc_f32")},
		ir.IntrAMDGCNSffbh:      {fold: machine("v_ffbh_i32")},
		ir.IntrAMDGCNUbfe:       {fold: bitField(ir.OpLShr)},
		ir.IntrAMDGCNSbfe:       {fold: bitField(ir.OpAShr)},
		ir.IntrAMDGCNMulU24:     {fold: mul24(false, false)},
		ir.IntrAMDGCNMulI24:     {fold: mul24(true, false)},
		ir.IntrAMDGCNMulhiU24:   {fold: mul24(false, true)},
		ir.IntrAMDGCNMulhiI24:   {fold: mul24(true, true)},
		ir.IntrAMDGCNFract:      {fold: foldFract},
		ir.IntrAMDGCNFrexpMant:  {fold: foldFrexpMant},
		ir.IntrAMDGCNFrexpExp:   {fold: foldFrexpExp},
		ir.IntrAMDGCNClass:      {fold: foldClass},
		ir.IntrAMDGCNCvtPkrtz:   {fold: foldPkRTZ, whole: true},
		ir.IntrAMDGCNFmulLegacy: {fold: foldMulLegacy},
		ir.IntrAMDGCNFmaLegacy:  {fold: foldFMALegacy},
		ir.IntrAMDGCNFmed3:      {fold: foldMed3},
		ir.IntrAMDGCNRcp:        {fold: foldRcp},
		ir.IntrAMDGCNSin:        {fold: turns(0, math.Sin)},
		ir.IntrAMDGCNCos:        {fold: turns(1, math.Cos)},

		ir.IntrAMDGCNReadfirstlane:  {fold: firstArg, whole: true},
		ir.IntrAMDGCNReadlane:       {fold: firstArg, whole: true},
		ir.IntrAMDGCNPermlane64:     {fold: firstArg, whole: true},
		ir.IntrAMDGCNWaveReduceUmin: {fold: firstArg, whole: true},
		ir.IntrAMDGCNWaveReduceUmax: {fold: firstArg, whole: true},
		ir.IntrAMDGCNWaveReduceMin:  {fold: firstArg, whole: true},
		ir.IntrAMDGCNWaveReduceMax:  {fold: firstArg, whole: true},
		ir.IntrAMDGCNWaveReduceAnd:  {fold: firstArg, whole: true},
		ir.IntrAMDGCNWaveReduceOr:   {fold: firstArg, whole: true},
		ir.IntrAMDGCNWqm:            {fold: firstArg, whole: true},
		ir.IntrAMDGCNStrictWwm:      {fold: firstArg, whole: true},
		ir.IntrAMDGCNStrictWqm:      {fold: firstArg, whole: true},
		ir.IntrAMDGCNBallot:         {fold: foldBallot, whole: true},
	}
}

// ieeeMode preserves denormals, rounds to nearest and quiets signaling NaNs.
const ieeeMode sem.Mode = 0xf0 | 1<<8 | 1<<9

// machine folds an instruction on 32-bit values by executing it. Operations on
// NaNs and denormals are not folded.
func machine(name string) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		row := sem.ByName(name)
		if q.m.ScalarBits(t) != 32 || row == nil {
			return ir.None
		}
		var s [3]uint64
		for i, v := range a {
			c := q.m.Const(v)
			if c.Kind != ir.ConstInt && c.Kind != ir.ConstFloat || c.Kind == ir.ConstFloat && isOdd(c.Type, c.Bits()) {
				return ir.None
			}
			s[i] = c.Bits()
		}
		return q.m.NewWide(t, []uint64{row.Fn(&sem.Ctx{Mode: ieeeMode}, s[0], s[1], s[2])})
	}
}

// isOdd reports whether a number is a NaN or a denormal.
func isOdd(t ir.Type, b uint64) bool { return formats[t].isNaN(b) || formats[t].isDenormal(b) }

// bitField folds ubfe and sbfe, which extract width bits starting at an offset.
func bitField(shift ir.Op) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		m := q.m
		bits := uint64(m.IntBits(t))
		offset, ok := m.IntValue(a[1])
		width, ok2 := m.IntValue(a[2])
		if bits != 32 && bits != 64 || !ok || !ok2 || !q.known(a[0]) {
			return ir.None
		}
		offset, width = offset&(bits-1), width&(bits-1)
		n := func(x uint64) ir.Value { return m.NewInt(t, x) }
		switch {
		case width == 0:
			return n(0)
		case offset+width < bits:
			v := m.FoldInts(ir.OpShl, t, a[0], n(bits-offset-width))
			return m.FoldInts(shift, t, v, n(bits-width))
		}
		return m.FoldInts(shift, t, a[0], n(offset))
	}
}

// mul24 folds products of the low 24 bits of the operands.
func mul24(signed, high bool) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		x, ok := q.m.IntValue(a[0])
		y, ok2 := q.m.IntValue(a[1])
		if !ok || !ok2 {
			return ir.None
		}
		p := int64(x&0xffffff) * int64(y&0xffffff)
		if signed {
			p = signExtend(x, 24) * signExtend(y, 24)
		}
		if high {
			p >>= 32
		}
		return q.m.NewSigned(t, p)
	}
}

// foldFract folds fract: x - floor(x), below 1.
func foldFract(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	switch {
	case !ok:
		return ir.None
	case f.isNaN(b):
		return q.m.NewFloatBits(t, b|f.quiet())
	}
	x := f.value(b)
	r := f.round(x - math.Floor(x))
	almost := uint64(f.bias)<<f.mant - 1
	return q.m.NewFloatBits(t, f.minimum(r, almost))
}

func foldFrexpMant(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	switch {
	case !ok:
		return ir.None
	case f.isNaN(b):
		return q.m.NewFloatBits(t, b|f.quiet())
	case f.isInf(b):
		return a[0]
	}
	frac, _ := math.Frexp(f.value(b))
	return q.m.NewFloatBits(t, f.round(frac))
}

func foldFrexpExp(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	switch {
	case !ok:
		return ir.None
	case f.mag(b) >= f.inf():
		return q.m.Zero(t)
	}
	_, exp := math.Frexp(f.value(b))
	return q.m.NewSigned(t, int64(exp))
}

func foldClass(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	mask, ok2 := q.m.IntValue(a[1])
	if !ok || !ok2 {
		return ir.None
	}
	return q.m.NewBool(f.class(b)&mask != 0)
}

// foldPkRTZ folds the conversion of two floats to half, rounded toward zero.
func foldPkRTZ(q *folder, t ir.Type, a []ir.Value) ir.Value {
	var elems [2]ir.Value
	for i, v := range a {
		switch b, _, ok := q.number(v); {
		case ok:
			elems[i] = q.m.NewFloatBits(ir.Half, towardZero(&formats[ir.Float], &formats[ir.Half], b))
		case isUndef(q.m, v):
			elems[i] = q.m.Undef(ir.Half)
		default:
			return ir.None
		}
	}
	return q.m.NewAggregate(t, elems[:])
}

// towardZero converts a number to a smaller type, rounding toward zero.
func towardZero(from, to *format, b uint64) uint64 {
	r := convertFloat(from, to, b)
	if !from.isNaN(b) && math.Abs(to.value(r)) > math.Abs(from.value(b)) {
		r-- // next smaller magnitude
	}
	return r
}

// isZeroFloat reports whether v is zero, of either sign.
func (q *folder) isZeroFloat(v ir.Value) bool {
	b, f, ok := q.number(v)
	return ok && f.isZero(b)
}

// foldMulLegacy folds the multiplication in which 0 times any value is +0.
func foldMulLegacy(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if q.isZeroFloat(a[0]) || q.isZeroFloat(a[1]) {
		return q.m.Zero(t)
	}
	o := folder{f: q.f, m: q.m, op: ir.OpFMul, t: t}
	return o.foldFloat(t, a[0], a[1])
}

func foldFMALegacy(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if q.isZeroFloat(a[0]) || q.isZeroFloat(a[1]) {
		o := folder{f: q.f, m: q.m, op: ir.OpFAdd, t: t}
		return o.foldFloat(t, q.m.Zero(t), a[2])
	}
	return foldFMA(q, t, a)
}

// foldMed3 folds the median of three numbers. Operations on NaNs are not
// folded.
func foldMed3(q *folder, t ir.Type, a []ir.Value) ir.Value {
	x, f, ok := q.number(a[0])
	y, _, ok2 := q.number(a[1])
	z, _, ok3 := q.number(a[2])
	if !ok || !ok2 || !ok3 || f.isNaN(x) || f.isNaN(y) || f.isNaN(z) {
		return ir.None
	}
	greater := mirrored((*format).lesser)
	lo, hi := f.lesser(x, y), greater(f, x, y)
	return q.m.NewFloatBits(t, greater(f, lo, f.lesser(hi, z)))
}

// foldRcp folds 1/x with a more precise result than the instruction guarantees.
func foldRcp(q *folder, t ir.Type, a []ir.Value) ir.Value {
	b, f, ok := q.number(a[0])
	if !ok || f.isNaN(b) {
		return ir.None
	}
	return q.m.NewFloatBits(t, f.round(1/f.value(b)))
}

// turns folds sine and cosine of an angle in turns; quarter turns are exact.
// Processors differ beyond 256 turns, so these are not folded.
func turns(first int, fn func(float64) float64) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		b, f, ok := q.number(a[0])
		if !ok || f.isNaN(b) {
			return ir.None
		}
		x := f.value(b)
		if math.Abs(x) > 256 || f.size == 64 {
			return ir.None
		}
		r := fn(x * 2 * math.Pi)
		if quarter := x * 4; quarter == math.Floor(quarter) {
			r = [...]float64{0, 1, 0, -1}[(int(quarter)+first)&3]
		}
		return q.m.NewFloatBits(t, f.round(r))
	}
}

// firstArg folds cross-lane operations that return their operand if it is
// uniform.
func firstArg(_ *folder, _ ir.Type, a []ir.Value) ir.Value { return a[0] }

// foldBallot folds the lane mask of a false condition. The mask of a true
// condition is the set of active lanes, which is unknown.
func foldBallot(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if n, ok := q.m.IntValue(a[0]); ok && n == 0 {
		return q.m.Zero(t)
	}
	return ir.None
}
