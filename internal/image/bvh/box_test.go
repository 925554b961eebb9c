package bvh

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// boxNode encodes four boxes.
func boxNode(d []byte, child [4]uint32, lo, hi [4]Vec, flags uint32) {
	putDwords(d, 0, child[:]...)
	for i := range 4 {
		putFloats(d, 16+24*i, lo[i][:]...)
		putFloats(d, 28+24*i, hi[i][:]...)
	}
	putDwords(d, 112, flags)
}

func randomBoxes(r *rand.Rand, vec func(*rand.Rand) Vec) (child [4]uint32, lo, hi [4]Vec) {
	for i := range 4 {
		a, b := vec(r), vec(r)
		for k := range 3 {
			lo[i][k], hi[i][k] = min(a[k], b[k]), max(a[k], b[k])
		}
		child[i] = uint32(i+1)<<3 | uint32(r.IntN(8))
	}
	return child, lo, hi
}

// modelKey returns the exact sorting key of a box.
func modelKey(h Heuristic, y *Ray, lo, hi Vec, in, out *big.Rat) *big.Rat {
	switch h {
	case Largest:
		return sub(in, out)
	case MidPoint: // without clipping
		var first, last *big.Rat
		for k := range 3 {
			if y.Direction[k] == 0 {
				continue
			}
			a := quo(sub(rat(lo[k]), rat(y.Origin[k])), rat(y.Direction[k]))
			b := quo(sub(rat(hi[k]), rat(y.Origin[k])), rat(y.Direction[k]))
			if a.Cmp(b) > 0 {
				a, b = b, a
			}
			if first == nil || a.Cmp(first) > 0 {
				first = a
			}
			if last == nil || b.Cmp(last) < 0 {
				last = b
			}
		}
		return add(first, last)
	}
	return in
}

// TestBoxes compares the children of box nodes with the model, in the order of
// each heuristic. Rays that nearly touch a box may enter it or not.
func TestBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	hits, orders := 0, 0
	for i := range 5000 {
		vec := randomVec
		if i%2 == 0 {
			vec = gridVec
		}
		child, lo, hi := randomBoxes(rng, vec)
		var d Data
		boxNode(d[:], child, lo, hi, 0)
		y := randomRay(rng, vec)
		if y.Direction == (Vec{}) {
			continue
		}
		h := Heuristic(i / 2 % 4)
		f := rdna3
		if h == Closest {
			f = rdna2
		}
		r := DecodeResource(words(0, h), f)
		n := r.Node4(5)
		out := r.Four(&n, &y, &d)
		var keys []*big.Rat
		for k, c := range child {
			in, outside, hit := enters(&y, lo[k], hi[k])
			margin := sub(outside, in)
			size, _ := margin.Float64()
			got := slices.Contains(out[:], c)
			if got != hit && math.Abs(size) > 1e-5 {
				t.Fatalf("box %v %v, ray %v: entered %v, want %v", lo[k], hi[k], y, got, hit)
			}
			if hit {
				hits++
			}
		}
		for _, c := range out {
			k := slices.Index(child[:], c)
			if k < 0 {
				if c != InvalidNode {
					t.Fatalf("child %#x", c)
				}
				keys = append(keys, nil)
				continue
			}
			if h == Unsorted {
				if out[k] != c {
					t.Fatalf("%#x is not at its place in %#x", c, out)
				}
				continue
			}
			in, outside, _ := enters(&y, lo[k], hi[k])
			key := modelKey(h, &y, lo[k], hi[k], in, outside)
			if len(keys) > 0 {
				last := keys[len(keys)-1]
				if last == nil {
					t.Fatalf("%#x follows no node in %#x", c, out)
				}
				if gap, _ := sub(last, key).Float64(); gap > 1e-4 {
					t.Fatalf("heuristic %d: %#x after a box with a larger key in %#x", h, c, out)
				}
				orders++
			}
			keys = append(keys, key)
		}
	}
	if hits < 200 || orders < 50 {
		t.Errorf("%d hits, %d ordered", hits, orders)
	}
}

// TestBoxSpecials tests planes and rays with NaN and infinities.
func TestBoxSpecials(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	y := Ray{Extent: 100, Origin: Vec{0, 0, 0}, Direction: Vec{0, 0, 1}}
	y.Invert()
	one, minus := Vec{1, 1, 1}, Vec{-1, -1, -1}
	for _, c := range []struct {
		lo, hi Vec
		hit    bool
	}{
		{minus, one, true},
		{Vec{nan, nan, nan}, Vec{nan, nan, nan}, false},
		{Vec{-inf, -inf, -inf}, Vec{inf, inf, inf}, true},
		{Vec{inf, inf, inf}, Vec{-inf, -inf, -inf}, false}, // inverted
		{Vec{0, 0, 1}, Vec{0, 0, 1}, true},                 // a point on the ray
		{Vec{0, -1, 1}, Vec{1, 1, 2}, true},                // the ray in a face
		{Vec{1, -1, 1}, Vec{2, 1, 2}, false},
		{Vec{-1, -1, 101}, Vec{1, 1, 102}, false}, // past the end
		{Vec{-1, -1, -3}, Vec{1, 1, -2}, false},   // before the origin
		{Vec{-1, -1, 100}, Vec{1, 1, 102}, true},
	} {
		b := box{child: 8, min: c.lo, max: c.hi}
		r := DecodeResource(words(0, Unsorted), rdna2)
		var e [1]entry
		r.hit(&y, []box{b}, &boxRules{}, e[:])
		if got := e[0].child == 8; got != c.hit {
			t.Errorf("%v %v: entered %v", c.lo, c.hi, got)
		}
	}
}

// TestBoxGrow extends the far plane: by as many halves of a unit in the last
// place of 1 as the resource specifies.
func TestBoxGrow(t *testing.T) {
	up := func(f float32, n int) float32 { return math.Float32frombits(math.Float32bits(f) + uint32(n)) }
	y := Ray{Extent: 100, Direction: Vec{1, 1, 1}}
	y.Invert()
	for _, c := range []struct {
		grow uint64
		gap  int // between the far and the near plane, in units in the last place
		hit  bool
	}{{0, 0, true}, {0, 1, false}, {6, 3, true}, {6, 4, false}, {254, 127, true}, {254, 128, false}} {
		b := box{child: 8, min: Vec{-1, up(1, c.gap), -1}, max: Vec{1, 2, 2}}
		r := DecodeResource(words(c.grow, Unsorted), rdna3)
		var e [1]entry
		r.hit(&y, []box{b}, &boxRules{}, e[:])
		if got := e[0].child == 8; got != c.hit {
			t.Errorf("grow %d, gap %d: entered %v", c.grow, c.gap, got)
		}
	}
}

// TestHalfBoxes compares a node of half precision with the same boxes in single
// precision.
func TestHalfBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	r := DecodeResource(words(6, Closest), rdna3)
	for range 2000 {
		child, lo, hi := randomBoxes(rng, gridVec) // exact in half precision
		var single, half Data
		boxNode(single[:], child, lo, hi, 0)
		putDwords(half[:], 0, child[:]...)
		for i := range 4 {
			six := append(lo[i][:], hi[i][:]...)
			for k := range 3 {
				putDwords(half[:], 16+12*i+4*k, uint32(toHalf(six[2*k]))|uint32(toHalf(six[2*k+1]))<<16)
			}
		}
		y := randomRay(rng, randomVec)
		a, b := r.Node4(5), r.Node4(4)
		if got, want := r.Four(&b, &y, &half), r.Four(&a, &y, &single); got != want {
			t.Fatalf("%#x, want %#x", got, want)
		}
	}
}

// toHalf encodes a small multiple of 1/2.
func toHalf(f float32) uint16 {
	if f == 0 {
		return 0
	}
	frac, exp := math.Frexp(math.Abs(float64(f)))
	h := uint16(exp+14)<<10 | uint16((frac*2-1)*1024)
	if f < 0 {
		h |= 1 << 15
	}
	return h
}

func TestHalfValue(t *testing.T) {
	for h := range 1 << 16 {
		got := HalfValue(uint16(h))
		sign := 1.0
		if h>>15 != 0 {
			sign = -1
		}
		e, m := h>>10&31, float64(h&1023)
		want := sign * math.Ldexp(m+1024, e-25)
		switch e {
		case 0:
			want = sign * math.Ldexp(m, -24)
		case 31:
			if want = sign * math.Inf(1); m != 0 {
				want = math.NaN()
			}
		}
		if float64(got) != want && !(math.IsNaN(want) && isNaN(got)) || math.Signbit(float64(got)) != (h>>15 != 0) {
			t.Fatalf("%#x is %v, want %v", h, got, want)
		}
	}
}

// TestBoxFlags culls children by the flags of pointers and boxes.
func TestBoxFlags(t *testing.T) {
	const f = 54
	for _, c := range []struct {
		pointer []int // bits
		box     uint8
		culled  bool
	}{
		{nil, 0xf, false},
		{[]int{60}, onlyOpaque, true},
		{[]int{60}, onlyNonOpaque, false},
		{[]int{60, 55}, onlyOpaque, false},
		{[]int{60, 54}, 0, true},
		{[]int{61}, onlyNonOpaque, true},
		{[]int{61, 55}, 0, true},
		{[]int{61, 54}, onlyNonOpaque, false},
		{[]int{62}, onlyTriangles, true},
		{[]int{62}, onlyProcedural, false},
		{[]int{63}, onlyProcedural, true},
	} {
		var d Data
		lo, hi := Vec{-1, -1, 1}, Vec{1, 1, 2}
		boxNode(d[:], [4]uint32{8, 16, 24, 32}, [4]Vec{lo, lo, lo, lo}, [4]Vec{hi, hi, hi, hi}, uint32(c.box)<<16)
		pointer := uint64(5)
		for _, b := range c.pointer {
			pointer |= 1 << b
		}
		y := Ray{Extent: 10, Direction: Vec{0, 0, 1}}
		y.Invert()
		for _, on := range []bool{true, false} {
			w := words(0, Unsorted)
			if on {
				w = words(0, Unsorted, bitFlags)
			}
			r := DecodeResource(w, rdna3)
			n := r.Node4(pointer)
			out := r.Four(&n, &y, &d)
			// Only the third child has flags; flags that force a property concern all.
			if got := out[2] == InvalidNode; got != (c.culled && on) {
				t.Errorf("flags %v, box %#x: culled %v", c.pointer, c.box, got)
			}
			if inPlace := n.Place != 0; inPlace != (pointer>>f != 0 && !on) {
				t.Errorf("flags %v: place %#x", c.pointer, n.Place)
			}
		}
	}
}
