package bvh

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// An independent model: exact rational arithmetic, with definitions of its own.

func rat(f float32) *big.Rat { return new(big.Rat).SetFloat64(float64(f)) }

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

// det3 returns the determinant of three columns.
func det3(a, b, c [3]*big.Rat) *big.Rat {
	d := new(big.Rat)
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		d.Add(d, mul(a[i], sub(mul(b[j], c[k]), mul(b[k], c[j]))))
	}
	return d
}

func ratVec(v Vec) [3]*big.Rat { return [3]*big.Rat{rat(v[0]), rat(v[1]), rat(v[2])} }

func diff(a, b [3]*big.Rat) (d [3]*big.Rat) {
	for i := range d {
		d[i] = sub(a[i], b[i])
	}
	return d
}

// solveTriangle solves origin + t*direction = v0 + u*(v1-v0) + v*(v2-v0) by
// Cramer's rule.
func solveTriangle(y *Ray, v0, v1, v2 Vec) (t, u, v *big.Rat, hit bool) {
	e1, e2 := diff(ratVec(v1), ratVec(v0)), diff(ratVec(v2), ratVec(v0))
	rhs := diff(ratVec(y.Origin), ratVec(v0))
	zero := [3]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat)}
	d := diff(zero, ratVec(y.Direction))
	det := det3(e1, e2, d)
	if det.Sign() == 0 {
		return nil, nil, nil, false
	}
	u, v, t = quo(det3(rhs, e2, d), det), quo(det3(e1, rhs, d), det), quo(det3(e1, e2, rhs), det)
	one := new(big.Rat).SetInt64(1)
	return t, u, v, u.Sign() >= 0 && v.Sign() >= 0 && add(u, v).Cmp(one) <= 0 && t.Sign() >= 0
}

// facesRay reports whether the corners of a triangle appear clockwise to the
// ray's observer, by the sign of the volume of the direction and the edges.
func facesRay(y *Ray, v0, v1, v2 Vec) bool {
	return det3(ratVec(y.Direction), diff(ratVec(v2), ratVec(v0)), diff(ratVec(v1), ratVec(v0))).Sign() >= 0
}

// enters reports whether a ray meets a closed box within [0, extent], and where
// it enters, in exact arithmetic. Directions may be 0.
func enters(y *Ray, lo, hi Vec) (in, out *big.Rat, hit bool) {
	in, out = new(big.Rat), rat(y.Extent)
	for k := range 3 {
		o, d := rat(y.Origin[k]), rat(y.Direction[k])
		if d.Sign() == 0 {
			if o.Cmp(rat(lo[k])) < 0 || o.Cmp(rat(hi[k])) > 0 {
				return in, out, false
			}
			continue
		}
		a, b := quo(sub(rat(lo[k]), o), d), quo(sub(rat(hi[k]), o), d)
		if a.Cmp(b) > 0 {
			a, b = b, a
		}
		if a.Cmp(in) > 0 {
			in = a
		}
		if b.Cmp(out) < 0 {
			out = b
		}
	}
	return in, out, in.Cmp(out) <= 0
}

func near(t *testing.T, what string, got float64, want *big.Rat) {
	t.Helper()
	w, _ := want.Float64()
	if math.Abs(got-w) > 1e-5*math.Abs(w)+1e-30 {
		t.Fatalf("%s is %v, want %v", what, got, w)
	}
}

// grid returns a small integer or half, so that edges and vertices are often
// met exactly.
func grid(r *rand.Rand) float32 { return float32(r.IntN(17)-8) / 2 }

func gridVec(r *rand.Rand) Vec { return Vec{grid(r), grid(r), grid(r)} }

func randomVec(r *rand.Rand) Vec {
	return Vec{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
}

func randomRay(r *rand.Rand, vec func(*rand.Rand) Vec) Ray {
	y := Ray{Extent: float32(r.Float64() * 10), Origin: vec(r), Direction: vec(r)}
	y.Invert()
	return y
}

func putFloats(d []byte, at int, v ...float32) {
	for i, f := range v {
		binary.LittleEndian.PutUint32(d[at+4*i:], math.Float32bits(f))
	}
}

func putDwords(d []byte, at int, v ...uint32) {
	for i, x := range v {
		binary.LittleEndian.PutUint32(d[at+4*i:], x)
	}
}

func value(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// words returns a resource descriptor with the given bits set.
func words(grow uint64, sort Heuristic, set ...int) *[4]uint32 {
	var w [4]uint32
	w[2], w[3] = ^uint32(0), 8<<28|0x3ff
	w[1] = uint32(grow << 23)
	if sort != Unsorted {
		w[1] |= 1<<31 | uint32(sort)<<21
	}
	for _, b := range set {
		w[b/32] |= 1 << (b % 32)
	}
	return &w
}

var rdna2, rdna3, rdna4 = Features{}, Features{PointerFlags: true}, Features{PointerFlags: true, Wide: true}

const (
	bitLeavesFirst, bitCompressed, bitTight, bitWideSort = 52, 115, 116, 117
	bitInstances, bitFlags, bitBarycentrics              = 118, 119, 120
)

// TestTriangles compares all four triangles of nodes with the model, for random
// rays and for rays through vertices and edges.
func TestTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for i := range 6000 {
		vec := randomVec
		if i%2 == 0 {
			vec = gridVec
		}
		var d Data
		var v [5]Vec
		for k := range v {
			v[k] = vec(rng)
			putFloats(d[:], 12*k, v[k][:]...)
		}
		typ := i / 2 % 4
		sources := [2]uint32{uint32(rng.IntN(3)), uint32(rng.IntN(3))}
		id := (sources[0] | sources[1]<<2) << (8 * typ)
		putDwords(d[:], 60, id)
		y := randomRay(rng, vec)
		c := [4][3]int{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}}[typ]
		tt, u, w, hit := solveTriangle(&y, v[c[0]], v[c[1]], v[c[2]])
		r := DecodeResource(words(0, Unsorted, bitBarycentrics), rdna2)
		n := r.Node4(uint64(typ))
		out := r.Four(&n, &y, &d)
		if i%2 == 0 && (out[0] != 0x7f800000) != hit {
			t.Fatalf("triangle %v %v %v, ray %v: %#x, hit %v", v[c[0]], v[c[1]], v[c[2]], y, out, hit)
		}
		if got := out[0] != 0x7f800000; got != hit {
			continue // a random ray that nearly touches an edge
		}
		if !hit {
			if out != [4]uint32{0x7f800000, 0x3f800000, 0, 0} {
				t.Fatalf("miss %#x", out)
			}
			continue
		}
		hits++
		den := value(out[1])
		if (den > 0) != facesRay(&y, v[c[0]], v[c[1]], v[c[2]]) {
			t.Fatalf("the denominator is %v", den)
		}
		near(t, "t", value(out[0])/den, tt)
		one := new(big.Rat).SetInt64(1)
		weights := [3]*big.Rat{sub(sub(one, u), w), u, w}
		for k, s := range sources {
			got := value(out[2+k]) / den
			want, _ := weights[s].Float64()
			if math.Abs(got-want) > 1e-5 {
				t.Fatalf("barycentric %d is %v, want %v", k, got, want)
			}
		}
		r = DecodeResource(words(0, Unsorted), rdna2)
		if out := r.Four(&n, &y, &d); out[2] != id || out[3] != 1 {
			t.Fatalf("%#x with number %#x", out, id)
		}
	}
	if hits < 200 {
		t.Errorf("only %d hits", hits)
	}
}

// TestWatertight aims at points of the edges of a fan of triangles. No ray may
// pass through.
func TestWatertight(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		const n = 7
		var rim [n]Vec
		for k := range rim {
			a := 2 * math.Pi * float64(k) / n
			rim[k] = Vec{float32(5*math.Cos(a) + rng.Float64()), float32(5*math.Sin(a) + rng.Float64()), float32(10 + rng.Float64())}
		}
		center := Vec{float32(rng.Float64()), float32(rng.Float64()), float32(10 + rng.Float64())}
		y := Ray{Origin: Vec{float32(rng.Float64()), float32(rng.Float64()), float32(-100 * rng.Float64())}}
		spoke, s := rim[rng.IntN(n)], float32(rng.Float64()*0.9)
		for k := range 3 {
			y.Direction[k] = center[k] + (spoke[k]-center[k])*s - y.Origin[k]
		}
		hit := false
		for k := range rim {
			m := y.meet(&center, &rim[k], &rim[(k+1)%n])
			hit = hit || m.hit
		}
		if !hit {
			t.Fatalf("the ray %v passes between the triangles", y)
		}
	}
}

// TestTriangleExtremes tests triangles and rays without a meeting: degenerate
// ones, NaN and infinities, and very large and small ones.
func TestTriangleExtremes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tri := [3]Vec{{-1, -1, 4}, {3, -1, 4}, {-1, 3, 4}}
	ray := Ray{Direction: Vec{0, 0, 2}}
	for k := range 9 {
		for _, bad := range []float32{nan, inf, -inf} {
			v := tri
			v[k/3][k%3] = bad
			if m := ray.meet(&v[0], &v[1], &v[2]); m.hit {
				t.Errorf("vertex %v: %+v", v[k/3], m)
			}
			y := ray
			if k < 3 {
				y.Origin[k] = bad
			} else if k < 6 {
				y.Direction[k-3] = bad
			}
			if m := y.meet(&tri[0], &tri[1], &tri[2]); m.hit && k < 6 {
				t.Errorf("ray %v: %+v", y, m)
			}
		}
	}
	if m := ray.meet(&tri[0], &tri[1], &tri[1]); m.hit {
		t.Errorf("a degenerate triangle: %+v", m)
	}
	flat := Ray{Origin: Vec{0, 0, 4}, Direction: Vec{1, 0, 0}}
	if m := flat.meet(&tri[0], &tri[1], &tri[2]); m.hit {
		t.Errorf("a ray in the plane: %+v", m)
	}
	for _, size := range []float32{1e-30, 1e30, 1e-15, 1e12} {
		var v [3]Vec
		for k := range v {
			for j := range 3 {
				v[k][j] = tri[k][j] * size
			}
		}
		m := ray.meet(&v[0], &v[1], &v[2])
		num, den := float32(m.t), float32(m.denominator)
		if got := float64(num / den); !m.hit || math.Abs(got/(2*float64(size))-1) > 1e-6 {
			t.Errorf("size %g: %+v", size, m)
		}
	}
}
