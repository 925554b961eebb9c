package sem

import "math"

// matDotExact adds c and j.step products exactly and rounds, then continues
// with the next products (gfx908). A zero sum is positive.
func matDotExact(j *matJob, v *matVec, c uint32) uint32 {
	sum := math.Float32frombits(c)
	var t [5]float64
	for k := 0; k < j.k; k += j.step {
		t[0] = float64(sum)
		for i := range j.step {
			t[i+1] = v.a[k+i] * v.b[k+i]
		}
		sum = matExactSum(t[:j.step+1])
	}
	return matBits(sum)
}

// matExactSum returns the sum of numbers rounded to f32 once.
func matExactSum(t []float64) float32 {
	sum := t[0]
	for _, x := range t[1:] {
		s, err := matTwoSum(sum, x)
		if err != 0 {
			return matLongSum(t)
		}
		sum = s
	}
	return float32(sum + 0) // -0 becomes +0
}

// matLongSum is matExactSum for sums that do not fit in an f64. It represents
// the sum as nonoverlapping numbers in increasing magnitude. Source: J. R.
// Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates", 1997 (GROW-EXPANSION, COMPRESS).
func matLongSum(t []float64) float32 {
	var e [matrixK + 2]float64
	var plain float64
	n := 0
	for _, x := range t {
		plain += x
		m := 0
		for _, y := range e[:n] {
			var err float64
			if x, err = matTwoSum(x, y); err != 0 {
				e[m] = err
				m++
			}
		}
		if x != 0 {
			e[m] = x
			m++
		}
		n = m
	}
	if math.IsInf(plain, 0) || plain != plain {
		return float32(plain)
	}
	if n == 0 {
		return 0
	}
	sum := e[n-1]
	for i := n - 2; i >= 0; i-- {
		s, err := matTwoSum(sum, e[i])
		if err != 0 {
			return float32(matOdd(s, err))
		}
		sum = s
	}
	return float32(sum)
}

// matDotOnce adds c and all products exactly and rounds once.
func matDotOnce(j *matJob, v *matVec, c uint32) uint32 {
	var t [matrixK + 1]float64
	t[0] = float64(math.Float32frombits(c))
	plain := t[0]
	for k := range j.k {
		t[k+1] = v.a[k] * v.b[k]
		plain += t[k+1]
	}
	if math.IsInf(plain, 0) || plain != plain {
		return matBits(float32(plain))
	}
	bits := math.Float32bits(matExactSum(t[:j.k+1]))
	if j.saturate && bits&0x7fffffff == 0x7f800000 {
		bits--
	}
	return bits
}

// matDotFlush multiplies and adds in f32 step by step and flushes denormals.
// The denormals of A, B and C become positive zeros (gfx90a).
func matDotFlush(j *matJob, v *matVec, c uint32) uint32 {
	sum := math.Float32frombits(c)
	if matFlush(sum) == 0 {
		sum = 0
	}
	small := math.Float64frombits(uint64(1023-126) << 52)
	if j.f16 {
		small = 1.0 / (1 << 14)
	}
	var p [4]float32
	for k := 0; k < j.k; k += j.step {
		for i := range j.step {
			x, y := v.a[k+i], v.b[k+i]
			if math.Abs(x) < small {
				x = 0
			}
			if math.Abs(y) < small {
				y = 0
			}
			p[i] = matFlush(float32(x * y))
		}
		s := matFlush(p[0] + p[1])
		if j.step == 4 {
			s = matFlush(s + matFlush(p[2]+p[3]))
		}
		sum = matFlush(sum + s)
	}
	return matBits(sum)
}

// matTerm is a sum of products: its value is sum·2^(exp-24).
type matTerm struct {
	sum int64
	exp int32
}

// matCut adds products of elements k, k+stride, … below end, each truncated to
// 24 bits below the largest exponent. ok is false if one is not finite in f32.
// The exponent of a product is the sum of its factors' exponents, or -126 for a
// zero.
func matCut(v *matVec, k, end, stride int) (t matTerm, ok bool) {
	var p [16]float64
	n := 0
	t.exp = math.MinInt32
	for ; k < end; k += stride {
		x, e := v.a[k]*v.b[k], v.ea[k]+v.eb[k]
		if x == 0 {
			e = -126
		}
		t.exp = max(t.exp, e)
		p[n] = x
		n++
	}
	if t.exp >= 127 && !matAllFinite(p[:n]) {
		return t, false
	}
	scale := matPow2(24 - t.exp)
	for _, x := range p[:n] {
		t.sum += int64(x * scale)
	}
	return t, true
}

// matAllFinite reports whether all numbers are smaller than 2^128.
func matAllFinite(p []float64) bool {
	for _, x := range p {
		if !(math.Abs(x) < 0x1p128) {
			return false
		}
	}
	return true
}

// matPow2 returns a power of two.
func matPow2(e int32) float64 { return math.Float64frombits(uint64(1023+e) << 52) }

// matDotCut adds j.step products and c like gfx942.
func matDotCut(j *matJob, v *matVec, c uint32) uint32 {
	for k := 0; k < j.k; k += j.step {
		end := min(k+j.step, j.k)
		t, ok := matCut(v, k, end, 1)
		if !ok || c&0x7f800000 == 0x7f800000 {
			c = matNotFinite(v, k, end, c)
			continue
		}
		m, ec := matSignificand(c)
		e := max(t.exp, ec)
		c = j.roundCut(matShift(t.sum, 7+t.exp-e)+matShift(m, 1+ec-e)<<7, e)
	}
	return c
}

// matDotF8 adds sixteen products of 8-bit floats and c.
func matDotF8(j *matJob, v *matVec, c uint32) uint32 {
	for k := 0; k < j.k; k += j.step {
		end := min(k+j.step, j.k)
		even, ok0 := matCut(v, k, end, 2)
		odd, ok1 := matCut(v, k+1, end, 2)
		if !ok0 || !ok1 || c&0x7f800000 == 0x7f800000 {
			c = matNotFinite(v, k, end, c)
			continue
		}
		ep := max(even.exp, odd.exp)
		sum := matShift(even.sum, even.exp-ep) + matShift(odd.sum, odd.exp-ep)
		m, ec := matSignificand(c)
		e := max(ep, ec)
		if ec < e-25 {
			m = 0
		}
		c = j.roundCut(matShift(sum, 7+ep-e)+matShift(m, 1+ec-e)<<7, e)
	}
	return c
}

// matSignificand returns an f32 as m·2^(e-23).
func matSignificand(c uint32) (m int64, e int32) {
	m, e = int64(c&0x7fffff), int32(c>>23&0xff)-127
	if e == -127 {
		e = -126
	} else {
		m |= 1 << 23
	}
	if c>>31 != 0 {
		m = -m
	}
	return m, e
}

// matShift shifts left, or right with rounding towards minus infinity.
func matShift(x int64, by int32) int64 {
	if by >= 0 {
		return x << by
	}
	return x >> min(-by, 63)
}

// roundCut returns sum·2^(e-31) as f32.
func (j *matJob) roundCut(sum int64, e int32) uint32 {
	bits := math.Float32bits(float32(float64(sum) * matPow2(e-31)))
	if j.saturate && bits&0x7fffffff == 0x7f800000 {
		bits--
	}
	return bits
}

// matNotFinite returns a sum with an infinity or a NaN. A product that
// overflows f32 is an infinity.
func matNotFinite(v *matVec, k, end int, c uint32) uint32 {
	sum := float64(math.Float32frombits(c))
	for ; k < end; k++ {
		x := v.a[k] * v.b[k]
		if math.Abs(x) >= 0x1p128 {
			x = math.Inf(int(math.Copysign(1, x)))
		}
		sum += x
	}
	return matBits(float32(sum))
}
