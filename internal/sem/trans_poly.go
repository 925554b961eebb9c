package sem

import "math"

// TransTable holds the coefficients of the polynomials that approximate powers,
// logarithms and trigonometric functions, the lowest power first. They
// interpolate at Chebyshev's nodes. A vector implementation that evaluates them
// by Horner's scheme, with a fused multiply-add at each step, yields the same
// bits as the row.
type TransTable struct {
	Exp2 [11]float64 // 2^f for f in [-1/2, 1/2], to 2^-49
	Log2 [8]float64  // log2((1+s)/(1-s))/s, of s² for |s| up to (√2-1)/(√2+1), to 2^-55
	Sin  [7]float64  // sin(2πt)/t, of t² for |t| up to 1/8, to 2^-54
	Cos  [8]float64  // cos(2πt), of t² for the same, to 2^-53
}

// TransCoefficients returns the coefficients.
func TransCoefficients() TransTable { return transTable }

var transTable = TransTable{
	Exp2: [...]float64{
		1,
		0x1.62e42fefa39f7p-1, 0x1.ebfbdff82c590p-3, 0x1.c6b08d7044119p-5, 0x1.3b2ab6fba385fp-7, 0x1.5d87fe908f88ap-10,
		0x1.4309130378460p-13, 0x1.ffcb76789860fp-17, 0x1.62bfe46117445p-20, 0x1.b6571de2f2351p-24, 0x1.e5e9f548e5725p-28,
	},
	Log2: [...]float64{
		0x1.71547652b82fep+1, 0x1.ec709dc3a047dp-1, 0x1.2776c50ee39a4p-1, 0x1.a61762d699b46p-2,
		0x1.484afb77d8796p-2, 0x1.0ca160eda209ep-2, 0x1.c46df723fc71cp-3, 0x1.b594042f5fbe8p-3,
	},
	Sin: [...]float64{
		0x1.921fb54442d18p+2, -0x1.4abbce625be41p+5, 0x1.466bc677587f8p+6, -0x1.32d2cce2e5b19p+6,
		0x1.50782fda12d96p+5, -0x1.e30071afc3e11p+3, 0x1.e3f3839953bd3p+1,
	},
	Cos: [...]float64{
		1,
		-0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ac0p+6, -0x1.55d3c7e3cb241p+6, 0x1.e1f5068688d5bp+5,
		-0x1.a6d1eef479be0p+4, 0x1.f9ce245cad9d3p+2, -0x1.b2f3eb0549e91p+0,
	},
}

// horner returns a polynomial of x.
func horner(c []float64, x float64) float64 {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = math.FMA(y, x, c[i])
	}
	return y
}

// expLimit is an exponent beyond which its power of 2 is 0 or infinite in f32
// and f16.
const expLimit = 200

// exp2Of returns 2^x, clamped to 2^±expLimit except for infinities.
func exp2Of(_ *Ctx, x float64) (float64, Exceptions) {
	switch {
	case math.IsInf(x, 1):
		return x, 0
	case math.IsInf(x, -1):
		return 0, 0
	}
	x = max(-expLimit, min(x, expLimit))
	n := math.RoundToEven(x)
	y := horner(transTable.Exp2[:], x-n)
	return math.Float64frombits(math.Float64bits(y) + uint64(int64(n))<<52), 0
}

// rootHalf is √½ rounded to f32. log2Of reduces numbers to the range from
// rootHalf to twice rootHalf.
const rootHalf = 0x3fe6a09e60000000

// log2Of decomposes a number into 2^e·(1+s)/(1-s).
func log2Of(_ *Ctx, x float64) (float64, Exceptions) {
	switch {
	case x == 0:
		return math.Inf(-1), DivideByZero
	case x < 0:
		return math.NaN(), 0
	case math.IsInf(x, 1):
		return x, 0
	}
	v := math.Float64bits(x)
	e := int64(v-rootHalf) >> 52
	m := math.Float64frombits(v - uint64(e)<<52)
	s := (m - 1) / (m + 1)
	return math.FMA(horner(transTable.Log2[:], float64(s*s)), s, float64(e)), 0
}

// quarterSine returns the sine of quarter turns plus t. A zero is positive.
func quarterSine(t float64, quarter int) float64 {
	square := float64(t * t)
	y := horner(transTable.Sin[:], square) * t
	if quarter&1 != 0 {
		y = horner(transTable.Cos[:], square)
	}
	if quarter&2 != 0 {
		y = -y
	}
	return y + 0
}

// Arguments of the hyperbolic tangent: up to tanhSmall a series is exact enough,
// from tanhLimit on the result is 1 in f32.
const (
	tanhSmall = 0x1p-6
	tanhLimit = 16
)

// tanhOf returns the hyperbolic tangent, to 2^-43.
func tanhOf(_ *Ctx, x float64) (float64, Exceptions) {
	mag := math.Abs(x)
	switch {
	case mag <= tanhSmall:
		square := float64(x * x)
		return x * horner(tanhSeries[:], square), 0
	case mag >= tanhLimit:
		return math.Copysign(1, x), 0
	}
	e, _ := exp2Of(nil, float64(mag*(2*math.Log2E)))
	return math.Copysign(float64(e-1)/float64(e+1), x), 0
}

// tanhSeries holds the first coefficients of tanh(x)/x, of x².
var tanhSeries = [...]float64{1, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835}
