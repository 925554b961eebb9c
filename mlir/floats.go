package mlir

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A FloatFormat is the format of a float type.
type FloatFormat struct {
	Name     string
	Bits     int // the width
	Mantissa int // bits of the significand that are stored
	Bias     int
	NoInf    bool // the largest exponent has finite numbers
	NanZero  bool // the only NaN is the negative zero (FNUZ): there is no negative zero
	NoNaN    bool // there are no NaNs: every pattern is a number
	NoZero   bool // there is no zero and no sign: f8E8M0FNU
	NaNOnes  bool // the only NaNs have all bits but the sign set (FN)
	Explicit bool // the integer bit is stored: f80
}

// The float formats of the builtin dialect.
var (
	Float16         = FloatFormat{Name: "f16", Bits: 16, Mantissa: 10, Bias: 15}
	BFloat16        = FloatFormat{Name: "bf16", Bits: 16, Mantissa: 7, Bias: 127}
	Float32         = FloatFormat{Name: "f32", Bits: 32, Mantissa: 23, Bias: 127}
	Float64         = FloatFormat{Name: "f64", Bits: 64, Mantissa: 52, Bias: 1023}
	TFloat32        = FloatFormat{Name: "tf32", Bits: 19, Mantissa: 10, Bias: 127}
	Float80         = FloatFormat{Name: "f80", Bits: 80, Mantissa: 63, Bias: 16383, Explicit: true}
	Float128        = FloatFormat{Name: "f128", Bits: 128, Mantissa: 112, Bias: 16383}
	Float8E5M2      = FloatFormat{Name: "f8E5M2", Bits: 8, Mantissa: 2, Bias: 15}
	Float8E4M3      = FloatFormat{Name: "f8E4M3", Bits: 8, Mantissa: 3, Bias: 7}
	Float8E3M4      = FloatFormat{Name: "f8E3M4", Bits: 8, Mantissa: 4, Bias: 3}
	Float8E4M3FN    = FloatFormat{Name: "f8E4M3FN", Bits: 8, Mantissa: 3, Bias: 7, NoInf: true, NaNOnes: true}
	Float8E5M2FNUZ  = FloatFormat{Name: "f8E5M2FNUZ", Bits: 8, Mantissa: 2, Bias: 16, NoInf: true, NanZero: true}
	Float8E4M3FNUZ  = FloatFormat{Name: "f8E4M3FNUZ", Bits: 8, Mantissa: 3, Bias: 8, NoInf: true, NanZero: true}
	Float8E4M3B11   = FloatFormat{Name: "f8E4M3B11FNUZ", Bits: 8, Mantissa: 3, Bias: 11, NoInf: true, NanZero: true}
	Float8E8M0FNU   = FloatFormat{Name: "f8E8M0FNU", Bits: 8, Mantissa: 0, Bias: 127, NoInf: true, NoZero: true}
	Float6E2M3FN    = FloatFormat{Name: "f6E2M3FN", Bits: 6, Mantissa: 3, Bias: 1, NoInf: true, NoNaN: true}
	Float6E3M2FN    = FloatFormat{Name: "f6E3M2FN", Bits: 6, Mantissa: 2, Bias: 3, NoInf: true, NoNaN: true}
	Float4E2M1FN    = FloatFormat{Name: "f4E2M1FN", Bits: 4, Mantissa: 1, Bias: 1, NoInf: true, NoNaN: true}
	allFloatFormats = [...]*FloatFormat{&Float32, &Float16, &Float64, &BFloat16, &TFloat32, &Float80, &Float128, &Float8E5M2, &Float8E4M3, &Float8E3M4,
		&Float8E4M3FN, &Float8E5M2FNUZ, &Float8E4M3FNUZ, &Float8E4M3B11, &Float8E8M0FNU, &Float6E2M3FN, &Float6E3M2FN, &Float4E2M1FN}
)

// FloatFormatNamed returns the format of a float type's name, or nil.
func FloatFormatNamed(name string) *FloatFormat {
	for _, f := range allFloatFormats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// A floatClass distinguishes values.
type floatClass uint8

const (
	finite floatClass = iota
	infinite
	notANumber
)

func (f *FloatFormat) maxExponent() int {
	bits := f.Bits - f.Mantissa - 1
	if f.NoZero {
		bits++
	}
	if f.Explicit {
		bits--
	}
	return 1<<bits - 1
}

// split returns the class of a pattern and, if it is finite, its sign and its
// value as significand times 2 to the power of exp.
func (f *FloatFormat) split(bits [2]uint64) (class floatClass, negative bool, significand *big.Int, exp int) {
	v := new(big.Int).SetUint64(bits[1])
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(bits[0]))
	one := big.NewInt(1)
	stored := f.Mantissa
	if f.Explicit {
		stored++
	}
	m := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(one, uint(stored)), one))
	e := int(new(big.Int).Rsh(v, uint(stored)).Uint64()) & f.maxExponent()
	if !f.NoZero {
		negative = v.Bit(f.Bits-1) == 1
	}
	switch {
	case f.NoZero:
		if e == f.maxExponent() {
			return notANumber, false, nil, 0
		}
		return finite, false, one, e - f.Bias
	case f.NanZero && negative && e == 0 && m.Sign() == 0:
		return notANumber, negative, nil, 0
	case f.NaNOnes && e == f.maxExponent() && m.Cmp(new(big.Int).Sub(new(big.Int).Lsh(one, uint(f.Mantissa)), one)) == 0:
		return notANumber, negative, nil, 0
	case !f.NoInf && e == f.maxExponent():
		if m.Sign() == 0 || f.Explicit && new(big.Int).SetBit(m, f.Mantissa, 0).Sign() == 0 {
			return infinite, negative, nil, 0
		}
		return notANumber, negative, nil, 0
	}
	if e == 0 {
		return finite, negative, m, 1 - f.Bias - f.Mantissa
	}
	if !f.Explicit {
		m.SetBit(m, f.Mantissa, 1)
	}
	return finite, negative, m, e - f.Bias - f.Mantissa
}

// FromFloat64 rounds a number to nearest even. A number that is too large
// becomes infinite, or NaN, or the largest number in formats without either.
func (f *FloatFormat) FromFloat64(v float64) [2]uint64 {
	switch {
	case f == &Float64:
		return [2]uint64{math.Float64bits(v)}
	case math.IsNaN(v):
		return f.nan()
	case math.IsInf(v, 0):
		return f.overflow(v < 0)
	}
	r := new(big.Rat)
	r.SetFloat64(v)
	return f.fromRat(r, math.Signbit(v))
}

// Float64 returns the value of a pattern, rounded to a float64 if it has more
// bits.
func (f *FloatFormat) Float64(bits [2]uint64) float64 {
	if f == &Float64 {
		return math.Float64frombits(bits[0])
	}
	class, negative, m, exp := f.split(bits)
	v := math.NaN()
	switch class {
	case finite:
		v, _ = new(big.Float).SetMantExp(new(big.Float).SetInt(m), exp).Float64()
	case infinite:
		v = math.Inf(1)
	}
	if negative {
		v = math.Copysign(v, -1)
	}
	return v
}

func (f *FloatFormat) sign(negative bool) *big.Int {
	v := new(big.Int)
	if negative && !f.NoZero {
		v.SetBit(v, f.Bits-1, 1)
	}
	return v
}

func words(v *big.Int) [2]uint64 {
	low := new(big.Int).SetUint64(math.MaxUint64)
	return [2]uint64{low.And(low, v).Uint64(), new(big.Int).Rsh(v, 64).Uint64()}
}

// nan returns the quiet NaN, or 0 in formats without one.
func (f *FloatFormat) nan() [2]uint64 {
	v := new(big.Int)
	switch {
	case f.NoNaN:
	case f.NanZero:
		v.SetBit(v, f.Bits-1, 1)
	case f.NoZero:
		v.SetInt64(int64(f.maxExponent()))
	case f.NaNOnes:
		v.SetInt64(1<<(f.Bits-1) - 1)
	default:
		v.SetInt64(int64(f.maxExponent()))
		v.Lsh(v, uint(f.Mantissa))
		if f.Explicit {
			v.Lsh(v, 1)
			v.SetBit(v, f.Mantissa, 1)
		}
		v.SetBit(v, f.Mantissa-1, 1)
	}
	return words(v)
}

func (f *FloatFormat) overflow(negative bool) [2]uint64 {
	v := f.sign(negative)
	switch {
	case f.NoNaN:
		return words(v.Or(v, big.NewInt(1<<(f.Bits-1)-1)))
	case f.NanZero, f.NoZero:
		return f.nan()
	case f.NaNOnes:
		return words(v.Or(v, big.NewInt(1<<(f.Bits-1)-1)))
	}
	e := big.NewInt(int64(f.maxExponent()))
	shift := f.Mantissa
	if f.Explicit {
		shift++
	}
	v.Or(v, e.Lsh(e, uint(shift)))
	if f.Explicit {
		v.SetBit(v, f.Mantissa, 1)
	}
	return words(v)
}

// fromRat rounds the magnitude of r to nearest even.
func (f *FloatFormat) fromRat(r *big.Rat, negative bool) [2]uint64 {
	r = new(big.Rat).Abs(r)
	if r.Sign() == 0 {
		if f.NanZero {
			negative = false
		}
		return words(f.sign(negative))
	}
	// The exponent of the leading bit, and from it the one of the last bit kept.
	lead := r.Num().BitLen() - r.Denom().BitLen()
	if scaled(r, -lead).Cmp(big.NewRat(1, 1)) < 0 {
		lead--
	}
	last := max(lead, 1-f.Bias) - f.Mantissa
	if f.NoZero {
		last = max(lead, -f.Bias)
	}
	m := roundEven(scaled(r, -last))
	if m.BitLen() > f.Mantissa+1 {
		m.Rsh(m, 1)
		last++
	}
	e := last + f.Mantissa + f.Bias
	if m.BitLen() <= f.Mantissa && !f.NoZero {
		e = 0 // denormal or zero
	}
	limit := f.maxExponent()
	if !f.NoInf || f.NoZero {
		limit--
	}
	if e > limit {
		return f.overflow(negative)
	}
	v := f.sign(negative)
	if f.NanZero && m.Sign() == 0 {
		v.SetInt64(0)
	}
	if !f.Explicit {
		m.SetBit(m, f.Mantissa, 0)
		v.Or(v, m).Or(v, new(big.Int).Lsh(big.NewInt(int64(e)), uint(f.Mantissa)))
	} else {
		v.Or(v, m).Or(v, new(big.Int).Lsh(big.NewInt(int64(e)), uint(f.Mantissa+1)))
	}
	if f.NaNOnes && new(big.Int).SetBit(v, f.Bits-1, 0).Int64() == 1<<(f.Bits-1)-1 {
		return f.overflow(negative)
	}
	return words(v)
}

// scaled returns r times 2 to the power of exp.
func scaled(r *big.Rat, exp int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(exp, -exp))))
	if exp < 0 {
		return p.Quo(r, p)
	}
	return p.Mul(r, p)
}

func roundEven(r *big.Rat) *big.Int {
	q, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(r.Denom()) {
	case 1:
		q.Add(q, big.NewInt(1))
	case 0:
		q.Add(q, big.NewInt(int64(q.Bit(0))))
	}
	return q
}

// Parse returns the pattern nearest to a decimal number.
func (f *FloatFormat) Parse(s string) ([2]uint64, bool) {
	negative := strings.HasPrefix(s, "-")
	magnitude := strings.TrimPrefix(s, "-")
	if f == &Float64 {
		v, err := strconv.ParseFloat(s, 64)
		return [2]uint64{math.Float64bits(v)}, err == nil || math.IsInf(v, 0)
	}
	if i := strings.IndexAny(magnitude, "eE"); i >= 0 {
		if e, err := strconv.Atoi(magnitude[i+1:]); err != nil || e > 20000 {
			return f.overflow(negative), err == nil || !strings.HasPrefix(magnitude[i+1:], "-")
		} else if e < -20000 {
			return words(f.sign(negative && !f.NanZero)), true
		}
	}
	r, ok := new(big.Rat).SetString(magnitude)
	if !ok {
		return [2]uint64{}, false
	}
	return f.fromRat(r, negative), true
}

// append writes a number as MLIR does: in six digits if these are the number,
// else in as many as the format needs, else in hexadecimal digits.
func (f *FloatFormat) append(buf []byte, bits [2]uint64) []byte {
	class, negative, m, exp := f.split(bits)
	if class == finite {
		short := decimal(negative, m, exp, 6, 0, f)
		if back, ok := f.Parse(short); ok && back == bits {
			return append(buf, short...)
		}
		long := decimal(negative, m, exp, 0, 3, f)
		if strings.Contains(long, ".") {
			return append(buf, long...)
		}
	}
	v := new(big.Int).SetUint64(bits[1])
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(bits[0]))
	return append(append(buf, "0x"...), strings.ToUpper(v.Text(16))...)
}

// decimal converts significand times 2 to the power of exp as LLVM's APFloat
// does. With no padding, the result is in scientific form with at least
// precision digits after the point; otherwise numbers of up to padding
// leading or trailing zeros are written without exponent, and trailing zeros
// are cut. Precision 0 means as many digits as the format has.
func decimal(negative bool, m *big.Int, exp, precision, padding int, f *FloatFormat) string {
	var out strings.Builder
	if negative {
		out.WriteByte('-')
	}
	if m.Sign() == 0 {
		if padding == 0 {
			out.WriteString("0." + strings.Repeat("0", max(precision, 1)) + "e+00")
		} else {
			out.WriteString("0")
		}
		return out.String()
	}
	keep := precision
	if keep == 0 {
		keep = 2 + (f.Mantissa+1)*59/196
	}
	digits, exp10 := roundedDigits(m, exp, keep)
	n := len(digits)
	scientific := padding == 0
	switch {
	case scientific:
	case exp10 >= 0:
		scientific = exp10 > padding || exp10+n > keep
	case exp10+n-1 < 0:
		scientific = -(exp10 + n - 1) > padding
	}
	if scientific {
		writeScientific(&out, digits, exp10+n-1, padding == 0, keep)
		return out.String()
	}
	switch {
	case exp10 >= 0:
		out.WriteString(digits + strings.Repeat("0", exp10))
	case n+exp10 > 0:
		out.WriteString(digits[:n+exp10] + "." + digits[n+exp10:])
	default:
		out.WriteString("0." + strings.Repeat("0", -(n+exp10)) + digits)
	}
	return out.String()
}

func writeScientific(out *strings.Builder, digits string, exp int, padded bool, precision int) {
	out.WriteString(digits[:1] + ".")
	rest := digits[1:]
	if rest == "" && !padded {
		rest = "0"
	}
	if padded && len(rest) < precision {
		rest += strings.Repeat("0", precision-len(rest))
	}
	out.WriteString(rest)
	mark := "E"
	if padded {
		mark = "e"
	}
	out.WriteString(mark)
	if exp < 0 {
		out.WriteByte('-')
		exp = -exp
	} else {
		out.WriteByte('+')
	}
	if s := strconv.Itoa(exp); padded && len(s) < 2 {
		out.WriteString("0" + s)
	} else {
		out.WriteString(s)
	}
}

// roundedDigits returns at most keep decimal digits of m times 2 to the power
// of exp, without trailing zeros, and the power of ten of the last of them.
func roundedDigits(m *big.Int, exp, keep int) (string, int) {
	v, exp10 := new(big.Int).Set(m), 0
	if tz := int(v.TrailingZeroBits()); tz > 0 {
		v.Rsh(v, uint(tz))
		exp += tz
	}
	if exp >= 0 {
		v.Lsh(v, uint(exp))
	} else { // m/2^n is m*5^n/10^n
		v.Mul(v, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-exp)), nil))
		exp10 = exp
	}
	v, cut := truncated(v, keep)
	exp10 += cut
	digits := v.String()
	digits, cut = trimZeros(digits)
	exp10 += cut
	if len(digits) <= keep {
		return digits, exp10
	}
	exp10 += len(digits) - keep
	up := digits[keep] >= '5'
	digits = digits[:keep]
	if up {
		n, _ := new(big.Int).SetString(digits, 10)
		digits = n.Add(n, big.NewInt(1)).String()
	}
	digits, cut = trimZeros(digits)
	return digits, exp10 + cut
}

// truncated removes decimal digits that the precision surely does not need.
func truncated(v *big.Int, keep int) (*big.Int, int) {
	required := (keep*196 + 58) / 59
	if v.BitLen() <= required {
		return v, 0
	}
	n := (v.BitLen() - required) * 59 / 196
	return v.Quo(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)), n
}

func trimZeros(digits string) (string, int) {
	trimmed := strings.TrimRight(digits, "0")
	return trimmed, len(digits) - len(trimmed)
}
