package sim

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// traversal is a kernel of gfx11 that finds the nearest triangle of each lane's
// ray: nodes wait on a stack in LDS. v10 is the node, v11 the nearest distance,
// v12 to v20 are the ray, v31 is the stack's address, v32 the nearest triangle.
const traversal = `
loop:
image_bvh_intersect_ray v[24:27], v[10:20], s[8:11]
v_and_b32_e32 v33, 7, v10
v_mov_b32_e32 v34, -1
v_cmp_eq_u32_e32 vcc_lo, 0, v33
s_and_saveexec_b32 s12, vcc_lo
s_waitcnt vmcnt(0)
v_rcp_f32_e32 v35, v25
v_mov_b32_e32 v34, -2
s_waitcnt_depctr 0xfff
v_mul_f32_e32 v35, v24, v35
v_cmp_lt_f32_e32 vcc_lo, v35, v11
v_cndmask_b32_e32 v11, v11, v35, vcc_lo
v_cndmask_b32_e32 v32, v32, v10, vcc_lo
s_mov_b32 exec_lo, s12
s_waitcnt vmcnt(0)
ds_bvh_stack_rtn_b32 v10, v31, v34, v[24:27] offset:0x2000
s_waitcnt lgkmcnt(0)
v_cmp_ne_u32_e32 vcc_lo, -2, v10
s_and_b32 exec_lo, exec_lo, vcc_lo
s_cbranch_execnz loop
s_mov_b32 exec_lo, -1
`

// treeBuilder writes a hierarchy of triangles.
type treeBuilder struct {
	b         []byte
	triangles [][3][3]float32
}

func (x *treeBuilder) reserve(n int) int {
	at := len(x.b)
	x.b = append(x.b, make([]byte, n)...)
	return at
}

// build writes the hierarchy of triangles by number and returns its pointer and
// bounds.
func (x *treeBuilder) build(list []int, axis int) (pointer uint32, lo, hi [3]float32) {
	if len(list) == 1 {
		at := x.reserve(64)
		t := x.triangles[list[0]]
		lo, hi = t[0], t[0]
		for k, v := range t {
			copy(x.b[at+12*k:], floats(v[:]...))
			for j := range 3 {
				lo[j], hi[j] = min(lo[j], v[j]), max(hi[j], v[j])
			}
		}
		binary.LittleEndian.PutUint32(x.b[at+60:], 1|2<<2)
		return uint32(at / 8), lo, hi
	}
	slices.SortFunc(list, func(a, b int) int {
		return int(1000 * (x.triangles[a][0][axis] - x.triangles[b][0][axis]))
	})
	at := x.reserve(128)
	lo, hi = [3]float32{1e30, 1e30, 1e30}, [3]float32{-1e30, -1e30, -1e30}
	for i := range 4 {
		part := list[i*len(list)/4 : (i+1)*len(list)/4]
		if len(part) == 0 {
			binary.LittleEndian.PutUint32(x.b[at+4*i:], ^uint32(0))
			copy(x.b[at+16+24*i:], dwords(0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000))
			continue
		}
		p, a, b := x.build(part, (axis+1)%3)
		binary.LittleEndian.PutUint32(x.b[at+4*i:], p)
		copy(x.b[at+16+24*i:], floats(append(a[:], b[:]...)...))
		for j := range 3 {
			lo[j], hi[j] = min(lo[j], a[j]), max(hi[j], b[j])
		}
	}
	return uint32(at/8 + 5), lo, hi
}

// distance returns how far a triangle is along a ray, or infinity.
func distance(o, d [3]float32, t [3][3]float32) float64 {
	var e1, e2, r, dir [3]float64
	for k := range 3 {
		e1[k], e2[k] = float64(t[1][k])-float64(t[0][k]), float64(t[2][k])-float64(t[0][k])
		r[k], dir[k] = float64(o[k])-float64(t[0][k]), float64(d[k])
	}
	cross := func(a, b [3]float64) [3]float64 {
		return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	}
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	p, q := cross(dir, e2), cross(r, e1)
	det := dot(e1, p)
	u, v, at := dot(r, p)/det, dot(dir, q)/det, dot(e2, q)/det
	if !(u >= 0 && v >= 0 && u+v <= 1 && at >= 0) {
		return math.Inf(1)
	}
	return at
}

// TestTraversal compares the nearest triangles that the kernel finds with all
// triangles.
func TestTraversal(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	hits := 0
	for range 20 {
		x := treeBuilder{}
		number := func(scale float64) float32 { return float32(rng.NormFloat64() * scale) }
		var list []int
		for i := range 2 + rng.IntN(100) {
			c := [3]float32{number(3), number(3), number(3)}
			var tri [3][3]float32
			for k := range tri {
				for j := range 3 {
					tri[k][j] = c[j] + number(1)
				}
			}
			x.triangles, list = append(x.triangles, tri), append(list, i)
		}
		root, _, _ := x.build(list, 0)
		owner := map[uint32]int{}
		for at := 0; at < len(x.b); at += 64 {
			for i, tri := range x.triangles {
				if slices.Equal(x.b[at:at+12], floats(tri[0][:]...)) {
					owner[uint32(at/8)] = i
				}
			}
		}
		var origin, direction [32][3]float32
		k := kernelTest{cpu: "gfx1100", wave: 32, lds: 32 * 32 * 4, buffers: [][]byte{x.b}, text: traversal}
		k.setup = func(w *wave) {
			copy(w.s[8:], resourceWords(argument(w, 0)))
			for l := range w.lanes {
				put := func(reg int, v uint32) { w.v[reg*w.lanes+l] = v }
				for j := range 3 {
					origin[l][j], direction[l][j] = number(8), number(1)
					if rng.IntN(8) == 0 {
						direction[l][j] = 0
					}
					put(12+j, math.Float32bits(origin[l][j]))
					put(15+j, math.Float32bits(direction[l][j]))
					put(18+j, math.Float32bits(1/direction[l][j]))
				}
				put(10, root)
				put(11, math.Float32bits(1e30))
				put(31, uint32(l)<<18)
				put(32, ^uint32(0))
			}
		}
		r := k.run(t)
		for l := range 32 {
			best, which := math.Inf(1), -1
			for i, tri := range x.triangles {
				if at := distance(origin[l], direction[l], tri); at < best {
					best, which = at, i
				}
			}
			got := r.v(32, l)
			if which < 0 != (got == ^uint32(0)) {
				t.Fatalf("lane %d: node %#x, nearest triangle %d", l, got, which)
			}
			if which < 0 {
				continue
			}
			hits++
			if at := math.Float32frombits(r.v(11, l)); owner[got] != which || math.Abs(float64(at)/best-1) > 1e-4 {
				t.Fatalf("lane %d: triangle %d at %v, want %d at %v", l, owner[got], at, which, best)
			}
		}
	}
	if hits < 20 {
		t.Errorf("only %d hits", hits)
	}
}
