package bvh

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// leafNode is a compressed node of triangles before encoding.
type leafNode struct {
	zeros, prefix      int // common low zeros and high bits of coordinates
	vertices           []Vec
	pairs              []leafPair
	geometry           []uint32 // by triangle
	primitives         []uint32
	geoBits, primBits  int // of the first index
	geoShort, primRest int // of the others
}

type leafPair struct {
	corner         [2][3]int
	opaque, double [2]bool
	stop           bool
}

// encode writes the node bit by bit, in the order of Mesa's description.
func (x *leafNode) encode(d []byte) {
	size := 32 - x.zeros - x.prefix
	at := 0
	put := func(n int, v uint64) {
		putBits(d, at, n, v)
		at += n
	}
	for range 3 {
		put(5, uint64(size-1))
	}
	put(5, uint64(x.zeros))
	put(4, uint64(x.geoBits/2))
	put(4, uint64(x.geoShort/2))
	put(3, uint64(len(x.pairs)-1))
	put(1, 0)
	put(5, uint64(x.primBits))
	put(5, uint64(x.primRest))
	mid := 600
	put(10, uint64(mid))
	for k := range 3 {
		if x.prefix > 0 {
			put(x.prefix, uint64(math.Float32bits(x.vertices[0][k])>>(32-x.prefix)))
		}
	}
	for _, v := range x.vertices {
		for k := range 3 {
			put(size, uint64(math.Float32bits(v[k])>>x.zeros)&(1<<size-1))
		}
	}
	if at > mid {
		panic("the vertices leave no space")
	}
	up, down := mid, mid
	for i := range x.primitives {
		pn, gn := x.primRest, x.geoShort
		if i == 0 {
			pn, gn = x.primBits, x.geoBits
		}
		putBits(d, up, pn, uint64(x.primitives[i])&(1<<pn-1))
		up += pn
		down -= gn
		putBits(d, down, gn, uint64(x.geometry[i])&(1<<gn-1))
	}
	for i, p := range x.pairs {
		at = 1024 - 29*(i+1)
		flag := func(b bool) {
			v := uint64(0)
			if b {
				v = 1
			}
			put(1, v)
		}
		flag(p.stop)
		for _, k := range []int{1, 0} {
			flag(p.double[k])
			flag(p.opaque[k])
			for _, c := range p.corner[k] {
				put(4, uint64(c))
			}
		}
	}
}

// TestPrimitives compares compressed nodes with the model.
func TestPrimitives(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	hits := 0
	for range 3000 {
		x := leafNode{geoBits: 20, geoShort: 4, primBits: 17, primRest: 6}
		if rng.IntN(2) == 0 {
			x.zeros, x.prefix = 15, 6 // vertices between 1 and 2, in steps
		}
		for range 4 {
			v := randomVec(rng)
			if x.prefix > 0 {
				for k := range v {
					v[k] = 1 + float32(rng.IntN(256))/256
				}
			}
			x.vertices = append(x.vertices, v)
		}
		for range 1 + rng.IntN(3) {
			p := leafPair{stop: rng.IntN(2) == 0, opaque: [2]bool{rng.IntN(2) == 0, rng.IntN(2) == 0}}
			for k := range p.corner {
				c := rng.Perm(4)
				p.corner[k] = [3]int{c[0], c[1], c[2]}
			}
			if rng.IntN(4) == 0 {
				p.corner[1] = [3]int{}
			}
			x.pairs = append(x.pairs, p)
		}
		geo, prim := rng.Uint32N(1<<20), rng.Uint32N(1<<17)
		for range 2 * len(x.pairs) {
			x.geometry = append(x.geometry, geo&^15|rng.Uint32N(16))
			x.primitives = append(x.primitives, prim&^63|rng.Uint32N(64))
		}
		var d Data
		x.encode(d[:])
		pair := rng.IntN(len(x.pairs))
		y := randomRay(rng, randomVec)
		if x.prefix > 0 {
			y.Origin = Vec{1.5, 1.5, -3}
			y.Direction = Vec{float32(rng.NormFloat64() / 20), float32(rng.NormFloat64() / 20), 1}
		}
		r := DecodeResource(words(0, Closest, bitCompressed, bitFlags), rdna4)
		n := r.Node8(0, uint32(pair))
		q := Query{Ray: y}
		out := r.Eight(&q, &n, &d).Data
		p := &x.pairs[pair]
		nav := uint32(0)
		switch {
		case p.stop:
			nav = 3
		case pair == len(x.pairs)-1:
			nav = 1
		}
		for k := range 2 {
			if got := out[8+k]; got != x.geometry[2*pair+k]<<2|nav {
				t.Fatalf("geometry %#x, want %#x with %d", got, x.geometry[2*pair+k], nav)
			}
			got := out[4*k : 4*k+4]
			if k == 1 && p.corner[1] == [3]int{} {
				if !slices.Equal(got, []uint32{0x7f800000, 0x3f800000, 0x3f800000, 0}) {
					t.Fatalf("no second triangle: %#x", got)
				}
				continue
			}
			v := [3]Vec{x.vertices[p.corner[k][0]], x.vertices[p.corner[k][1]], x.vertices[p.corner[k][2]]}
			tt, u, w, hit := solveTriangle(&y, v[0], v[1], v[2])
			if got[3]>>1 != x.primitives[2*pair+k] {
				t.Fatalf("primitive %#x, want %#x", got[3]>>1, x.primitives[2*pair+k])
			}
			if (got[2]>>31 == 0) != p.opaque[k] {
				t.Fatalf("opaque %v: %#x", p.opaque[k], got)
			}
			if got[0] == 0x7f800000 || !hit {
				if hit != (got[0] != 0x7f800000) && edge(u, w) > 1e-5 {
					t.Fatalf("hit %v: %#x", hit, got)
				}
				continue
			}
			hits++
			near(t, "t", value(got[0]), tt)
			near(t, "i", math.Abs(value(got[1])), u)
			near(t, "j", math.Abs(value(got[2])), w)
			if front := got[3]&1 == 0; front != facesRay(&y, v[0], v[1], v[2]) {
				t.Fatalf("front %v", front)
			}
		}
	}
	if hits < 100 {
		t.Errorf("only %d hits", hits)
	}
}

// edge returns how far barycentrics are from an edge.
func edge(u, v *big.Rat) float64 {
	if u == nil {
		return 0
	}
	a, _ := u.Float64()
	b, _ := v.Float64()
	return min(math.Abs(a), math.Abs(b), math.Abs(1-a-b))
}

// TestProcedural tests compressed procedural primitives, and nodes with vertices
// of another format.
func TestProcedural(t *testing.T) {
	x := leafNode{vertices: []Vec{{1}, {2}, {3}}, geometry: []uint32{5, 6}, primitives: []uint32{77, 78}, geoBits: 4, geoShort: 4, primBits: 8, primRest: 8,
		pairs: []leafPair{{corner: [2][3]int{{15, 15, 0}, {}}, opaque: [2]bool{true, false}}}}
	var d Data
	x.encode(d[:])
	one := uint32(0x3f800000)
	for _, c := range []struct {
		base uint64
		want [4]uint32
	}{
		{0, [4]uint32{0, one | 1<<31, one, 154}},
		{1 << 63, [4]uint32{0x7f800000, one | 1<<31, one, 154}},
		{1 << 55, [4]uint32{0, one | 1<<31, one | 1<<31, 154}},
	} {
		r := DecodeResource(words(0, Closest, bitCompressed, bitFlags), rdna4)
		q := Query{Base: c.base}
		n := r.Node8(q.Base, 0)
		out := r.Eight(&q, &n, &d)
		if got := [4]uint32(out.Data[:4]); got != c.want {
			t.Errorf("base %#x: %#x, want %#x", c.base, got, c.want)
		}
		if !n.Known(&d) {
			t.Error("the format is not known")
		}
		other := d
		other[3] |= 0x80
		if n.Known(&other) {
			t.Error("16-bit vertices are known")
		}
	}
}

// TestTriangleFlags culls triangles by flags, in both formats.
func TestTriangleFlags(t *testing.T) {
	const opaqueBit, doubleBit, flipBit = 0x80, 0x10, 0x20
	ray := Ray{Direction: Vec{0, 0, 1}}
	front := [3]Vec{{-1, -1, 4}, {3, -1, 4}, {-1, 3, 4}}
	if !facesRay(&ray, front[0], front[1], front[2]) {
		front[1], front[2] = front[2], front[1]
	}
	for _, c := range []struct {
		flags  []int
		id     uint32
		back   bool
		culled bool
	}{
		{nil, 0, false, false},
		{[]int{59}, 0, false, true},
		{[]int{58}, 0, false, false},
		{[]int{58}, 0, true, true},
		{[]int{59}, 0, true, false},
		{[]int{58, 57}, 0, false, true},
		{[]int{58, 57}, 0, true, false},
		{[]int{58, 56}, 0, true, false},
		{[]int{58}, doubleBit, true, false},
		{[]int{58}, flipBit, false, true},
		{[]int{60}, opaqueBit, false, true},
		{[]int{60}, 0, false, false},
		{[]int{60, 54}, 0, false, true},
		{[]int{61}, 0, false, true},
		{[]int{61}, opaqueBit, false, false},
		{[]int{61, 55}, opaqueBit, false, true},
		{[]int{62}, 0, false, true},
		{[]int{63}, 0, false, false},
	} {
		v := front
		if c.back {
			v[1], v[2] = v[2], v[1]
		}
		var d Data
		for k := range v {
			putFloats(d[:], 12*k, v[k][:]...)
		}
		putDwords(d[:], 56, 1234, 1|2<<2|c.id)
		pointer := uint64(0)
		for _, f := range c.flags {
			pointer |= 1 << f
		}
		for _, f := range []Features{rdna3, rdna4} {
			r := DecodeResource(words(0, Closest, bitFlags, bitBarycentrics), f)
			n := r.Node4(pointer)
			out := r.Four(&n, &ray, &d)
			if got := out[0] == 0x7f800000; got != c.culled {
				t.Errorf("%+v: %#x", c, out)
			}
			if !c.culled {
				backs := c.back != (pointer>>57&1 != 0) != (c.id&flipBit != 0)
				if got := out[1]>>31 != 0; got != backs {
					t.Errorf("%+v: back %v", c, got)
				}
			}
		}
		r := DecodeResource(words(0, Closest, bitFlags, bitBarycentrics), rdna4)
		q := Query{Base: pointer, Ray: ray}
		n := r.Node8(q.Base, 1)
		out := r.Eight(&q, &n, &d)
		if out.Data[8] != 1234 || out.Data[9] != 1234 || (out.Data[0] == 0x7f800000) != c.culled {
			t.Errorf("%+v: pair %#x", c, out.Data)
		}
		opaque := (c.id&opaqueBit != 0 || pointer>>54&1 != 0) && pointer>>55&1 == 0
		if got := out.Data[3]>>31 == 0; got != opaque {
			t.Errorf("%+v: opaque %v", c, got)
		}
	}
}

// TestInstances compares the transformation of instances with the model.
func TestInstances(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for i := range 400 {
		compressed := i%2 == 0
		var d Data
		var m [3]Vec
		var shift Vec
		for k := range m {
			m[k], shift[k] = randomVec(rng), float32(rng.NormFloat64())
			putFloats(d[:], 16*k, m[k][0], m[k][1], m[k][2], shift[k])
		}
		child := rng.Uint64() &^ 7
		mask := rng.Uint32N(4)
		putDwords(d[:], 48, uint32(child), uint32(child>>32), 0x1235, mask<<24|uint32(i))
		x := randomWide(rng, 4)
		x.encode(d[:], 64, Vec{-8, -8, -8}, 131, 2) // an interval of 16
		set := []int{bitInstances, bitFlags}
		if compressed {
			set = append(set, bitCompressed)
		}
		r := DecodeResource(words(6, Closest, set...), rdna4)
		q := Query{Base: uint64(rng.IntN(4)) << 54, Mask: 1, Ray: randomRay(rng, randomVec)}
		if rng.IntN(3) == 0 {
			q.Base |= 1 << 62
		}
		n := r.Node8(q.Base, 0x86)
		if n.Kind != Instance || n.Place != 16 {
			t.Fatalf("%+v", n)
		}
		out := r.Eight(&q, &n, &d)
		culled := mask&1 == 0 || q.Base>>62&1 != 0 && child>>62&1 == 0
		origin, direction := q.Ray.Origin, q.Ray.Direction
		if !culled {
			for k := range 3 {
				o, dir := float64(shift[k]), 0.0
				for j := range 3 {
					o += float64(m[k][j]) * float64(q.Ray.Origin[j])
					dir += float64(m[k][j]) * float64(q.Ray.Direction[j])
				}
				origin[k], direction[k] = float32(o), float32(dir)
			}
		}
		for k := range 3 {
			if math.Abs(float64(out.Origin[k]-origin[k])) > 1e-5 || math.Abs(float64(out.Direction[k]-direction[k])) > 1e-5 {
				t.Fatalf("the ray is at %v to %v, want %v to %v", out.Origin, out.Direction, origin, direction)
			}
		}
		base := child | q.Base
		if q.Base>>54&3 != 0 {
			base = child&^(3<<54) | q.Base
		}
		if out.Data[2] != uint32(base) || out.Data[3] != uint32(base>>32) || out.Data[6] != uint32(i) {
			t.Fatalf("%#x, want the base %#x", out.Data, base)
		}
		switch next := out.Data[7]; {
		case culled && next != InvalidNode, !culled && !compressed && next != 0x1235:
			t.Fatalf("next %#x, culled %v", next, culled)
		case !culled && compressed:
			for at := range 4 {
				if b := next >> (8 * at) & 255; b != 255 && !slices.ContainsFunc(x.pointers(0, 0), func(p uint32) bool { return p&255 == b }) {
					t.Fatalf("child %#x of %#x", b, x.pointers(0, 0))
				}
			}
		}
		two := [2]Node{r.DualNode(q.Base, 0x86), r.DualNode(q.Base, 0x86)}
		if got := r.Dual(&q, &two, &[2]Data{d, d}); !compressed && got.Data != result(&q).Data {
			t.Fatalf("two instances: %#x", got.Data)
		}
		two[1] = r.DualNode(q.Base, 7)
		if got := r.Dual(&q, &two, &[2]Data{d, d}); got != out {
			t.Fatalf("dual %+v, want %+v", got, out)
		}
	}
}

// TestInstanceChildren enters the boxes in an instance.
func TestInstanceChildren(t *testing.T) {
	var x wideNode
	x.n = 3
	for i := range x.n {
		x.typ[i], x.length[i], x.mask[i] = 5, 1, 1
		x.lo[i], x.hi[i] = [3]uint32{0, 0, 1000 * uint32(3-i)}, [3]uint32{4095, 4095, 1000*uint32(3-i) + 10}
	}
	x.mask[1] = 2
	var d Data
	putFloats(d[:], 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
	putDwords(d[:], 60, 1<<24)
	x.encode(d[:], 64, Vec{-8, -8, -8}, 131, 2)
	r := DecodeResource(words(0, Closest, bitInstances, bitCompressed), rdna4)
	q := Query{Mask: 1, Ray: Ray{Extent: 100, Origin: Vec{0, 0, -20}, Direction: Vec{0, 0, 1}}}
	n := r.Node8(0, 6)
	if out := r.Eight(&q, &n, &d); out.Data[7] != 0xffff0525 {
		t.Errorf("children %#x", out.Data[7])
	}
}

// FuzzNodes tests arbitrary nodes, rays and resources: no input panics, and a
// box node returns its children only.
func FuzzNodes(f *testing.F) {
	f.Add(make([]byte, 400))
	seed := make([]byte, 600)
	rng := rand.New(rand.NewPCG(23, 24))
	for range 8 {
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		f.Add(slices.Clone(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(b, make([]byte, 700)...)
		var w [4]uint32
		for i := range w {
			w[i] = dword(b, 4*i)
		}
		q := Query{Base: uint64(dword(b, 16)) | uint64(dword(b, 20))<<32, Mask: b[24],
			Ray: Ray{Extent: math.Float32frombits(dword(b, 28)), Origin: readVec(b, 32), Direction: readVec(b, 44), Inverse: readVec(b, 56)}}
		var d [2]Data
		copy(d[0][:], b[80:])
		copy(d[1][:], b[80+MaxBytes:])
		for _, features := range []Features{rdna2, rdna3, rdna4} {
			r := DecodeResource(&w, features)
			for typ := range uint32(16) {
				pointer := dword(b, 68)&^15 | typ
				n := r.Node4(uint64(pointer))
				if n.Bytes > MaxBytes || r.Available(&n) > n.Bytes {
					t.Fatalf("%+v", n)
				}
				r.Four(&n, &q.Ray, &d[0])
				two := [2]Node{r.DualNode(q.Base, pointer), r.DualNode(q.Base, dword(b, 72))}
				r.Dual(&q, &two, &d)
				n = r.Node8(q.Base, pointer)
				r.Eight(&q, &n, &d[0])
			}
		}
	})
}
