package sem

import (
	"math"

	"github.com/gfx-toolchain/gfx/isa"
)

// AMD's documents define the result D = A·B + C, but neither the order of the
// additions nor the intermediate roundings. For CDNA this code follows the
// measurements of P. Xie, Y. Wang, F. Yang, M. Yang, "MMA-Sim: Bit-Accurate
// Reference Model of Tensor Cores and Matrix Cores" (arXiv:2511.10909), in
// increasing k:
//
//   - f32 and f64: one fused multiply-add after the other;
//   - f16 and bf16 on gfx908: C and four products (two of v_mfma_…bf16) are
//     added exactly, then rounded;
//   - f16 and bf16 on gfx90a: denormals are zeros everywhere; products and
//     sums are rounded one by one, the sum of two or four products in pairs
//     first, then C;
//   - f16, bf16 and xf32 on gfx942: products of eight places in k (four of
//     xf32) are cut to 24 bits below the largest exponent and added; their sum
//     meets C with 31 bits below the larger exponent, C itself with 24;
//   - fp8 and bf8: the same, sixteen places, even and odd ones first by
//     themselves.
//
// gfx950 is assumed to add like gfx942. The instructions that select their
// formats, and the FP4 instructions, have no documented intermediate rounding,
// with or without scales: C and all products are added exactly and rounded once.
//
// The documents imply: all round to nearest even, regardless of MODE.FP_ROUND;
// MODE's denormal bits of f32 apply to A and B of v_mfma_f32_…f32, on gfx908
// and gfx90a to C and D as well; exceptions are not raised. v_smfmac is assumed
// to add like v_mfma, over the stored elements of A. For v_wmma only the
// formula is known: this code uses fused multiply-adds in increasing k, with
// denormals, in f32, and rounds the final sum once for 16-bit results.
//
// A NaN result is the positive quiet NaN without a payload.

// matJob holds the arithmetic for the elements of D.
type matJob struct {
	dot      func(*matJob, *matVec, uint32) uint32
	k        int  // length of rows
	step     int  // number of products that are added at once
	saturate bool // integers saturate, float overflow yields the largest number
	f16      bool // A and B are f16
	flushC   bool // denormals of C are zeros of their sign
	flushD   bool // denormal sums are zeros of their sign
	half     int  // shift of 16-bit elements
	absC     uint32
	negC     uint32
	negC64   uint64
	vec      matVec
}

// matVec holds a row of A and a column of B: values and exponents, or integers.
type matVec struct {
	a, b   []float64
	ea, eb []int32
}

const matNaN = 0x7fc00000

// newMatJob selects the arithmetic.
func newMatJob(c *Ctx, m *Matrix, mods MatrixMods) matJob {
	gen := c.Set.Gen()
	j := matJob{k: m.aK(), dot: matDotFMA, f16: m.A == MatrixF16, saturate: mods.Clamp && (m.Wave || gen == isa.Gen940)}
	switch {
	case m.D == MatrixI32:
		j.dot = matDotInt
	case m.D == MatrixF64:
		if gen == isa.Gen940 {
			j.negC64 = uint64(mods.BLGP) >> 2 & 1 << 63
		}
	case m.Wave:
		j.saturate = false
		if m.mixed {
			j.dot = matDotOnce
		}
		j.half = int(mods.OpSel) >> 2 & 1 * 16
		j.absC = uint32(mods.NegHi) >> 2 & 1 << 31
		j.negC = uint32(mods.NegLo) >> 2 & 1 << 31
	case m.A == MatrixF32:
		j.flushC = gen != isa.Gen940 && c.Mode.FlushIn(F32)
		j.flushD = gen != isa.Gen940 && c.Mode.FlushOut(F32)
	case m.mixed:
		j.dot = matDotOnce
	case m.A.Bits() == 8:
		j.dot, j.step = matDotF8, 16
	case gen == isa.Gen940:
		j.dot, j.step = matDotCut, 8
		if m.A == MatrixXF32 {
			j.step = 4
		}
	default:
		j.dot, j.step = matDotExact, 4
		if m.Pairs {
			j.step = 2
		}
		if gen == isa.Gen90A {
			j.dot = matDotFlush
		}
	}
	return j
}

// multiply computes D of 32 and 16 bits into s.out.
func (s *MatrixScratch) multiply(m *Matrix, l matLayout, acc []uint32) {
	j := &s.job
	v, aK, narrow, widen := &j.vec, m.aK(), m.D.Bits() == 16, m.C.Bits() == 16
	for b := range m.Blocks {
		for i := range m.M {
			at := (b*m.M + i) * aK
			v.a, v.ea = s.a[at:at+aK], s.ea[at:at+aK]
			from, base, half := l.row(b, i, m.C), l.row(b, i, m.D), j.half
			if l.dense {
				half = i & 1 * 16
			}
			for col := range m.N {
				at := (b*m.N + col) * m.K
				v.b, v.eb = s.b[at:at+m.K], s.eb[at:at+m.K]
				if m.Sparse {
					s.meet(v, s.pick[i*aK:(i+1)*aK])
				}
				c, out := acc[from+col], &s.out[base+col]
				if widen {
					c = matWiden(m.C, c>>half&0xffff)
				}
				r := j.dot(j, v, j.signC(c))
				if narrow {
					r = *out&^(0xffff<<half) | matNarrow(m.D, r)<<half
				}
				*out = r
			}
		}
	}
}

// signC applies the modifiers of C.
func (j *matJob) signC(c uint32) uint32 { return c&^j.absC ^ j.negC }

// meet gathers the elements of B that correspond to a row of a sparse A.
func (s *MatrixScratch) meet(v *matVec, pick []uint16) {
	b, eb := s.pb[:len(pick)], s.peb[:len(pick)]
	for i, k := range pick {
		b[i], eb[i] = v.b[k], v.eb[k]
	}
	v.b, v.eb = b, eb
}

// multiply64 computes D of f64 into s.out.
func (s *MatrixScratch) multiply64(m *Matrix, l matLayout, acc []uint32) {
	for b := range m.Blocks {
		for i := range m.M {
			row := s.a[(b*m.M+i)*m.K:][:m.K]
			base := l.row(b, i, m.D)
			for col := range m.N {
				lo := base + col
				hi := lo + l.lanes
				d := math.Float64frombits((uint64(acc[lo]) | uint64(acc[hi])<<32) ^ s.job.negC64)
				for k, x := range s.b[(b*m.N+col)*m.K:][:m.K] {
					d = math.FMA(row[k], x, d)
				}
				bits := math.Float64bits(d)
				if d != d {
					bits = 0x7ff8 << 48
				}
				s.out[lo], s.out[hi] = uint32(bits), uint32(bits>>32)
			}
		}
	}
}

// matDotInt adds products of integers to c.
func matDotInt(j *matJob, v *matVec, c uint32) uint32 {
	sum := int64(int32(c))
	b := v.eb[:len(v.ea)]
	for k, x := range v.ea {
		sum += int64(x * b[k])
	}
	if j.saturate {
		sum = max(min(sum, math.MaxInt32), math.MinInt32)
	}
	return uint32(sum)
}

// matDotFMA adds products one by one to an f32, each rounded once.
func matDotFMA(j *matJob, v *matVec, c uint32) uint32 {
	sum := math.Float32frombits(c)
	if j.flushC {
		sum = matFlush(sum)
	}
	b := v.b[:j.k]
	for k, x := range v.a[:j.k] {
		sum = matFMA(x, b[k], float64(sum))
		if j.flushD {
			sum = matFlush(sum)
		}
		if j.saturate {
			sum = matFinite(sum, x, b[k], c)
		}
	}
	return matBits(sum)
}

// matFMA returns x*y + c rounded to f32 once. The product is exact in f64
// because x and y have at most 24 bits. An inexact f64 sum is rounded to odd,
// so that rounding it again is harmless.
func matFMA(x, y, c float64) float32 {
	p := float64(x * y)
	sum, err := matTwoSum(p, c)
	if err != 0 {
		sum = matOdd(sum, err)
	}
	return float32(sum)
}

// matTwoSum returns the sum of two numbers and its error (Knuth). The error is
// a NaN if the sum is not finite.
func matTwoSum(x, y float64) (sum, err float64) {
	sum = x + y
	v := sum - x
	return sum, (x - (sum - v)) + (y - v)
}

// matOdd rounds an inexact sum to odd: it truncates towards zero and sets the
// last bit. Sums that are not finite are returned unchanged.
func matOdd(sum, err float64) float64 {
	if err != err {
		return sum
	}
	bits := math.Float64bits(sum)
	bits -= (bits ^ math.Float64bits(err)) >> 63
	return math.Float64frombits(bits | 1)
}

// matFlush replaces a denormal by a zero of its sign.
func matFlush(x float32) float32 {
	if bits := math.Float32bits(x); bits&0x7f800000 == 0 {
		return math.Float32frombits(bits & 0x80000000)
	}
	return x
}

// matFinite replaces an infinity that results from finite numbers by the
// largest number.
func matFinite(sum float32, x, y float64, c uint32) float32 {
	if math.IsInf(float64(sum), 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) && c&0x7f800000 != 0x7f800000 {
		return float32(math.Copysign(math.MaxFloat32, float64(sum)))
	}
	return sum
}

// matBits returns the bits of a result.
func matBits(x float32) uint32 {
	if x != x {
		return matNaN
	}
	return math.Float32bits(x)
}
