package bvh

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// putBits writes n bits of a node.
func putBits(d []byte, at, n int, v uint64) {
	for i := range n {
		d[(at+i)/8] &^= 1 << ((at + i) % 8)
		d[(at+i)/8] |= byte(v>>i&1) << ((at + i) % 8)
	}
}

// TestTightValues checks the planes of boxes of high precision: m units, rounded
// away from the box by less than a unit.
func TestTightValues(t *testing.T) {
	for _, exp := range []int{30, 127, 200} {
		unit := math.Ldexp(1, exp-143)
		for m := 0; m < 1<<17; m += 1 + m/50 {
			for i := range 4 {
				sign, up := i&1, i&2 != 0
				got := float64(tightValue(uint32(m|sign<<17), uint32(exp), up))
				size := math.Abs(got) / unit
				away := up == (sign == 0)
				if !away && size != float64(m) || away && (size <= float64(m) && m != 0 || size >= float64(m)+1) || size != 0 && math.Signbit(got) != (sign == 1) {
					t.Fatalf("%d units, exponent %d, sign %d, up %v: %v units", m, exp, sign, up, size)
				}
			}
		}
	}
}

// TestTightBoxes decodes a node whose planes are multiples of 1/2.
func TestTightBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 500 {
		var d Data
		types := [4]uint32{}
		want := [4]uint32{}
		base := uint32(rng.IntN(1 << 28))
		putBits(d[:], 0, 29, uint64(base))
		next := base
		flags := rng.Uint32N(1 << 15)
		putBits(d[:], 41, 15, uint64(flags))
		putBits(d[:], 56, 24, 0x828282) // 2^(130-127-16) = 1/8192
		for i := range types {
			types[i] = rng.Uint32N(8)
			putBits(d[:], 29+3*i, 3, uint64(types[i]))
			want[i] = next<<3 | types[i]
			if next++; types[i] == 6 || types[i] == 3 {
				next++
			}
			if types[i] == 2 {
				want[i] = InvalidNode
			}
		}
		_, lo, hi := randomBoxes(rng, gridVec)
		for i := range 4 {
			for k := range 3 {
				for j, v := range [2]float32{lo[i][k], hi[i][k]} {
					sign := uint64(0)
					if v < 0 {
						sign = 1
					}
					putBits(d[:], 80+18*(6*i+3*j+k), 18, sign<<17|uint64(math.Abs(float64(v))*8192))
				}
			}
		}
		var boxes [4]box
		readTightBoxes(d[:64], boxes[:])
		for i, b := range boxes {
			if b.child != want[i] || uint32(b.flags) != flags>>(4*i)&15 {
				t.Fatalf("child %d is %#x with flags %#x, want %#x of %#x", i, b.child, b.flags, want[i], flags)
			}
			for k := range 3 {
				if b.min[k] > lo[i][k] || b.max[k] < hi[i][k] || lo[i][k]-b.min[k] > 1.0/8192 || b.max[k]-hi[i][k] > 1.0/8192 {
					t.Fatalf("box %d is %v to %v, want %v to %v", i, b.min, b.max, lo[i], hi[i])
				}
			}
		}
	}
}

// TestPlanes compares quantized planes with their exact values.
func TestPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 5000 {
		q := quantum{origin: randomVec(rng), exp: [3]uint32{uint32(14 + rng.IntN(200))}}
		n := rng.Uint32N(4097)
		step := new(big.Rat).SetFloat64(math.Ldexp(1, int(q.exp[0])-127-12))
		exact, _ := add(rat(q.origin[0]), mul(step, new(big.Rat).SetInt64(int64(n)))).Float32()
		if got := q.plane(0, n); got != exact {
			t.Fatalf("plane %d of exponent %d at %v is %v, want %v", n, q.exp[0], q.origin[0], got, exact)
		}
	}
	small := quantum{origin: Vec{2}, exp: [3]uint32{5}}
	if got := small.plane(0, 1); got != 2 {
		t.Errorf("a plane below the normal numbers is %v", got)
	}
}

// TestOrientations checks that the matrices are rotations.
func TestOrientations(t *testing.T) {
	seen := map[[3]Vec]bool{}
	for n := range uint32(128) {
		m, ok := orientationOf(n)
		if ok != (n < 104) {
			t.Fatalf("orientation %d: %v", n, ok)
		}
		if !ok {
			continue
		}
		if seen[m] {
			t.Errorf("orientation %d occurs twice", n)
		}
		seen[m] = true
		for i := range 3 {
			for j := range 3 {
				dot, want := 0.0, 0.0
				if i == j {
					want = 1
				}
				for k := range 3 {
					dot += float64(m[i][k]) * float64(m[j][k])
				}
				if math.Abs(dot-want) > 1e-6 {
					t.Errorf("orientation %d: rows %d and %d have the product %v", n, i, j, dot)
				}
			}
		}
		det, _ := det3(ratVec(m[0]), ratVec(m[1]), ratVec(m[2])).Float64()
		if math.Abs(det-1) > 1e-6 {
			t.Errorf("orientation %d has the determinant %v", n, det)
		}
	}
}

// TestFMA compares with exact arithmetic.
func TestFMA(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 50000 {
		a, b := math.Float32frombits(rng.Uint32()&0x807fffff|uint32(110+rng.IntN(30))<<23), math.Float32frombits(rng.Uint32()&0x807fffff|uint32(110+rng.IntN(30))<<23)
		c := math.Float32frombits(rng.Uint32()&0x807fffff | uint32(90+rng.IntN(60))<<23)
		if rng.IntN(4) == 0 {
			c = float32(-float64(a) * float64(b))
		}
		want, _ := add(mul(rat(a), rat(b)), rat(c)).Float32()
		if got := fma(a, b, c); got != want {
			t.Fatalf("%v*%v+%v is %v, want %v", a, b, c, got, want)
		}
	}
}

// wideNode is a node of quantized boxes before encoding.
type wideNode struct {
	typ, length, mask, flags [8]uint32
	lo, hi                   [8][3]uint32
	n                        int
}

func (x *wideNode) encode(d []byte, at int, origin Vec, exp uint32, countBits int) {
	putFloats(d, at, origin[:]...)
	putDwords(d, at+12, exp|exp<<8|exp<<16|uint32(x.n-1)<<28)
	at += 16
	if countBits == 3 {
		at += 4
	}
	for i := range x.n {
		lo, hi := x.lo[i], x.hi[i]
		putDwords(d, at+12*i, lo[0]|lo[1]<<12|x.flags[i]<<24, lo[2]|hi[0]<<12|x.mask[i]<<24, hi[1]|hi[2]<<12|x.typ[i]<<24|x.length[i]<<28)
	}
}

func randomWide(r *rand.Rand, most int) (x wideNode) {
	x.n = 1 + r.IntN(most)
	for i := range x.n {
		x.typ[i], x.length[i], x.mask[i] = []uint32{5, 0, 1, 2, 3, 8, 11, 6}[r.IntN(8)], r.Uint32N(3), r.Uint32N(4)
		x.flags[i] = r.Uint32N(16)
		for k := range 3 {
			a, b := r.Uint32N(4096), r.Uint32N(4096)
			x.lo[i][k], x.hi[i][k] = min(a, b), max(a, b)
		}
	}
	return x
}

// pointers returns the pointers to the children.
func (x *wideNode) pointers(boxes, leaves uint32) (p []uint32) {
	for i := range x.n {
		if x.typ[i] == 5 {
			p = append(p, boxes+5)
			boxes += x.length[i] * 16
		} else {
			p = append(p, leaves+x.typ[i])
			leaves += x.length[i] * 16
		}
	}
	return p
}

// TestWideBoxes compares nodes of eight boxes, also rotated ones, with the model.
func TestWideBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	entered := 0
	for i := range 1500 {
		x := randomWide(rng, 8)
		var d Data
		origin := Vec{-2, -2, -2}
		boxes, leaves := uint32(1<<12), uint32(1<<16)
		putDwords(d[:], 0, boxes, leaves, 0)
		x.encode(d[:], 12, origin, 129, 3) // an interval of 4
		turn := uint32(127)
		if i%2 == 0 {
			turn = rng.Uint32N(104)
		}
		putDwords(d[:], 28, turn)
		y := randomRay(rng, randomVec)
		set := []int{bitCompressed}
		ordered, wide := i&4 != 0, i&8 != 0
		if ordered {
			set = append(set, bitLeavesFirst)
		}
		if wide {
			set = append(set, bitWideSort)
		}
		r := DecodeResource(words(0, Closest, set...), rdna4)
		q := Query{Mask: 1, Ray: y}
		n := r.Node8(q.Base, 5)
		out := r.Eight(&q, &n, &d)
		local := y
		if m, ok := orientationOf(turn); ok {
			for k := range 3 {
				local.Origin[k], local.Direction[k] = 0, 0
				o, dir := 0.0, 0.0
				for j := range 3 {
					o += float64(m[k][j]) * float64(y.Origin[j])
					dir += float64(m[k][j]) * float64(y.Direction[j])
				}
				local.Origin[k], local.Direction[k] = float32(o), float32(dir)
			}
		}
		var want []uint32
		unsure := false
		last := uint32(0)
		for k, p := range x.pointers(boxes, leaves) {
			lo, hi := Vec{}, Vec{}
			for j := range 3 {
				lo[j] = -2 + float32(x.lo[k][j])/1024
				hi[j] = -2 + float32(x.hi[k][j]+1)/1024
			}
			in, outside, hit := enters(&local, lo, hi)
			if gap, _ := sub(outside, in).Float64(); math.Abs(gap) < 1e-4 {
				unsure = true
			}
			if hit = hit && x.mask[k]&1 != 0; hit && p != last {
				want = append(want, p)
			}
			last = 0
			if hit {
				last = p
			}
		}
		if unsure {
			continue
		}
		var got []uint32
		for _, p := range out.Data[:8] {
			if p != InvalidNode {
				got = append(got, p)
			}
		}
		checkLeafOrder(t, &r, out.Data[:8])
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("children %#x, want %#x", got, want)
		}
		entered += len(want)
		if out.Origin != y.Origin || out.Direction != y.Direction {
			t.Fatal("a box node moved the ray")
		}
	}
	if entered < 200 {
		t.Errorf("only %d boxes entered", entered)
	}
}

// checkLeafOrder checks that no node follows an invalid one, and that leaves precede
// boxes if the resource requires it.
func checkLeafOrder(t *testing.T, r *Resource, out []uint32) {
	t.Helper()
	groups := [][]uint32{out[:4], out[4:]}
	if r.WideSort {
		groups = [][]uint32{out}
	}
	for _, g := range groups {
		rank := 0
		for _, p := range g {
			now := 0
			switch {
			case p == InvalidNode:
				now = 3
			case r.LeavesFirst && p&7 > 3:
				now = 2
			case r.LeavesFirst && p&7 != 1:
				now = 1
			}
			if now < rank {
				t.Fatalf("order %#x", g)
			}
			rank = now
		}
	}
}

// TestWideCulling removes children by the flags of the base pointer.
func TestWideCulling(t *testing.T) {
	var x wideNode
	x.n = 4
	for i := range x.n {
		x.typ[i], x.length[i], x.mask[i], x.flags[i] = 0, 1, 255, 1<<i
		x.hi[i] = [3]uint32{4095, 4095, 4095}
	}
	var d Data
	x.encode(d[:], 12, Vec{-2, -2, -2}, 129, 3)
	putDwords(d[:], 28, 127)
	y := Ray{Extent: 10, Direction: Vec{0, 0, 1}}
	y.Invert()
	r := DecodeResource(words(0, Unsorted, bitCompressed, bitFlags), rdna4)
	for i, flag := range []int{60, 61, 62, 63} {
		q := Query{Base: 1 << flag, Mask: 1, Ray: y}
		n := r.Node8(q.Base, 5)
		out := r.Eight(&q, &n, &d)
		for k := range 4 {
			if got := out.Data[k] == InvalidNode; got != (k == i) {
				t.Errorf("flag %d, child %d: culled %v", flag, k, got)
			}
		}
	}
}

// TestBoxPairs compares the nodes of eight boxes without compression with two
// tests of four.
func TestBoxPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 500 {
		var d Data
		for i := range 2 {
			child, lo, hi := randomBoxes(rng, gridVec)
			for k := range child {
				child[k] += uint32(i) << 10
			}
			boxNode(d[128*i:], child, lo, hi, 0)
		}
		q := Query{Ray: randomRay(rng, randomVec)}
		r := DecodeResource(words(6, Closest), rdna4)
		n := r.Node8(0, 2)
		if n.Bytes != 256 {
			t.Fatalf("%d bytes", n.Bytes)
		}
		out := r.Eight(&q, &n, &d)
		// The dual test of the same nodes has the same results.
		pair := [2]Node{r.DualNode(0, 5), r.DualNode(0, 21)}
		data := [2]Data{d}
		copy(data[1][:], d[128:])
		if dual := r.Dual(&q, &pair, &data); dual.Data != out.Data {
			t.Fatalf("%#x, dual %#x", out.Data, dual.Data)
		}
		one := r.Node4(5)
		if four := r.Four(&one, &q.Ray, &data[0]); [4]uint32(out.Data[:4]) != four {
			t.Fatalf("%#x, first four %#x", out.Data, four)
		}
		// Sorted together, the same children.
		r = DecodeResource(words(6, Closest, bitWideSort), rdna4)
		dual, eight := r.Dual(&q, &pair, &data), r.Eight(&q, &n, &d)
		a, b, c := slices.Clone(dual.Data[:]), slices.Clone(eight.Data[:]), slices.Clone(out.Data[:])
		if !slices.Equal(a, b) {
			t.Fatalf("%#x, dual %#x", b, a)
		}
		checkLeafOrder(t, &r, a[:8])
		slices.Sort(a)
		slices.Sort(c)
		if !slices.Equal(a, c) {
			t.Fatalf("%#x, want %#x", a, c)
		}
	}
}
