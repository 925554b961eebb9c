package image

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestPlane compares planes with textures on random images, samplers and
// coordinates. The results must have the same bits.
func TestPlane(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 24))
	specials := []float32{0, 1, -1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e30, -3e9, 0.5}
	for _, set := range sets {
		for range 60 {
			numbers := FormatsOf(set)
			number := uint32(rng.IntN(512))
			f := numbers.Get(number)
			if f.Bytes == 0 || !f.Texel() {
				continue
			}
			sel := uint32(IdentitySelect)
			if rng.IntN(3) == 0 {
				sel = SelX | Sel0<<selBits | (SelX+1)<<(2*selBits) | Sel1<<(3*selBits)
			}
			res := Resource{Base: 4096, Format: number, Kind: Kind2D, Select: sel, Width: 1 + rng.Uint32N(70), Height: 1 + rng.Uint32N(9), Depth: 1, Levels: 1, Tiling: LinearTiling(set)}
			words, err := res.Encode(set)
			if err != nil {
				t.Fatal(err)
			}
			v, err := NewView(set, nil, &words)
			if err != nil {
				continue
			}
			mem := make(flatMemory, 4096+(int(v.levels[0].pitch)*int(res.Height)+67)&^3)
			for i := 0; i < len(mem); i += 4 {
				binary.LittleEndian.PutUint32(mem[i:], math.Float32bits(rng.Float32()*4-1))
			}
			filter := Filter(rng.IntN(2))
			tex := &Texture{View: v, Mem: mem, Sampler: Sampler{Mag: filter, Min: filter, MaxLOD: 4095, Unnormalized: rng.IntN(2) == 0, TruncCoord: rng.IntN(2) == 0,
				Mip: MipFilter(rng.IntN(3)), Clamp: [3]ClampMode{ClampMode(rng.IntN(8)), ClampMode(rng.IntN(8))}}}
			tex.Border = tex.BorderColor(uint8(rng.IntN(3)))
			p := Plane{SIMD: hasSIMD && rng.IntN(4) != 0}
			if !tex.BindPlane(&p) {
				t.Fatalf("%v %v: no plane", set, f)
			}
			checkPlane(t, rng, tex, &p, specials)
		}
	}
}

func checkPlane(t *testing.T, rng *rand.Rand, tex *Texture, p *Plane, specials []float32) {
	t.Helper()
	coord := func() float32 {
		c := rng.Float32()*3 - 1
		if rng.IntN(6) == 0 {
			c = specials[rng.IntN(len(specials))]
		}
		if tex.Sampler.Unnormalized {
			c *= 40
		}
		return c
	}
	for range 4 {
		n := 32 << rng.IntN(2)
		exec := rng.Uint64() | rng.Uint64()
		if rng.IntN(3) == 0 {
			exec = 1<<64 - 1
		}
		exec &= 1<<n - 1
		checkPlaneSample(t, tex, p, exec, n, coord, rng)
		checkPlaneAccess(t, tex, p, exec, n, rng)
	}
}

// checkPlaneSample samples in the lanes of exec.
func checkPlaneSample(t *testing.T, tex *Texture, p *Plane, exec uint64, n int, coord func() float32, rng *rand.Rand) {
	t.Helper()
	var u, v [64]float32
	var rows Rows
	for l := range n {
		u[l], v[l] = coord(), coord()
	}
	p.Sample(&u, &v, exec, n, &rows)
	for l := range n {
		if exec>>l&1 == 0 {
			continue
		}
		at := Point{At: [3]float32{u[l], v[l]}, LOD: int32(rng.IntN(1000)) - 300, Steps: 1}
		want := tex.Sample(&at, false)
		if got := (Texel{rows[0][l], rows[1][l], rows[2][l], rows[3][l]}); got != want {
			t.Fatalf("%v at %v with %+v: %#x, want %#x (lane %d)", tex.Texels, at.At, tex.Sampler, got, want, l)
		}
	}
}

// checkPlaneAccess loads and stores in the lanes of exec.
func checkPlaneAccess(t *testing.T, tex *Texture, p *Plane, exec uint64, n int, rng *rand.Rand) {
	t.Helper()
	var x, y [64]uint32
	var raw, rows, packed Rows
	var at [64]int32
	for l := range n {
		x[l], y[l] = rng.Uint32N(90), rng.Uint32N(12)
	}
	in := p.Locate(&x, &y, exec, n, &at)
	for l := range n {
		if in>>l&1 != 0 {
			putLane(&raw, l, Texel(planeRaw(p, at[l])))
		}
	}
	p.Unpack(&raw, &rows, exec, in, n)
	for l := range n {
		pos := Position{X: x[l], Y: y[l]}
		if _, ok := tex.Address(&pos); exec>>l&1 != 0 && ok != (in>>l&1 != 0) {
			t.Fatalf("%v: inside %v", pos, !ok)
		}
		if want := tex.Load(&pos); exec>>l&1 != 0 && laneOf(&rows, l) != want {
			t.Fatalf("%v at %v: loaded %#x, want %#x", tex.Texels, pos, laneOf(&rows, l), want)
		}
		putLane(&rows, l, Texel{rng.Uint32(), rng.Uint32(), math.Float32bits((float32(rng.IntN(600)) - 40) / 510), math.Float32bits(rng.Float32()*1.5 - 0.25)})
	}
	p.Pack(&rows, &packed, exec, n)
	for l := range n {
		if in>>l&1 == 0 {
			continue
		}
		pos := Position{X: x[l], Y: y[l]}
		c := laneOf(&rows, l)
		tex.Store(&pos, &c)
		raw := planeRaw(p, at[l])
		for k, got := range raw[:(p.Step+3)/4] {
			if want := packed[k][l]; got != want {
				t.Fatalf("%v: stored dword %d is %#x, want %#x", tex.Texels, k, got, want)
			}
		}
	}
}

func laneOf(r *Rows, l int) Texel { return Texel{r[0][l], r[1][l], r[2][l], r[3][l]} }

func putLane(r *Rows, l int, c Texel) { r[0][l], r[1][l], r[2][l], r[3][l] = c[0], c[1], c[2], c[3] }

// planeRaw reads the element at an offset in bytes.
func planeRaw(p *Plane, at int32) (raw Raw) {
	for k := range p.Step {
		raw[k/4] |= p.Words[(at+k)/4] >> ((at + k) & 3 * 8) & 255 << (k & 3 * 8)
	}
	return raw
}

// TestPlaneOctets samples all values of 8 bits in the middle of texels.
func TestPlaneOctets(t *testing.T) {
	number, _ := FormatsOf(isa.GFX1030).Number("8_8_8_8", Unorm)
	res := Resource{Base: 4096, Format: number, Kind: Kind2D, Select: IdentitySelect, Width: 256, Height: 2, Depth: 1, Levels: 1}
	words, err := res.Encode(isa.GFX1030)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewView(isa.GFX1030, nil, &words)
	if err != nil {
		t.Fatal(err)
	}
	mem := make(flatMemory, 4096+2*1024)
	for i := range mem[4096:] {
		mem[4096+i] = byte(i/4 ^ i%4*85)
	}
	tex := &Texture{View: v, Mem: mem, Sampler: Sampler{Mag: FilterBilinear, Min: FilterBilinear, Clamp: [3]ClampMode{2, 2, 2}, Unnormalized: true}}
	for _, simd := range []bool{false, hasSIMD} {
		p := Plane{SIMD: simd}
		if !tex.BindPlane(&p) {
			t.Fatal("no plane")
		}
		checkPlaneOctets(t, &p)
	}
}

// checkPlaneOctets samples the middles of the texels of the first row.
func checkPlaneOctets(t *testing.T, p *Plane) {
	t.Helper()
	for first := 0; first < 256; first += 64 {
		var x, y [64]float32
		var rows Rows
		for l := range x {
			x[l], y[l] = float32(first+l)+0.5, 0.5
		}
		p.Sample(&x, &y, 1<<64-1, 64, &rows)
		for l := range x {
			for i, row := range rows {
				if want := unorm8.Get()[byte(first+l)^byte(i*85)]; row[l] != want {
					t.Fatalf("component %d at %d is %#x, want %#x (SIMD %v)", i, first+l, row[l], want, p.SIMD)
				}
			}
		}
	}
}

// TestNoPlane checks the images that planes do not read.
func TestNoPlane(t *testing.T) {
	number, _ := FormatsOf(isa.GFX1030).Number("8_8_8_8", Unorm)
	for _, x := range []struct {
		name string
		res  Resource
		mem  int
	}{
		{"levels", Resource{Format: number, Kind: Kind2D, Levels: 2, LastLevel: 1}, 1 << 16},
		{"layers", Resource{Format: number, Kind: Kind2DArray, Levels: 1}, 1 << 16},
		{"memory", Resource{Format: number, Kind: Kind2D, Levels: 1}, 64},
	} {
		x.res.Select, x.res.Width, x.res.Height, x.res.Depth = IdentitySelect, 16, 16, 1
		words, err := x.res.Encode(isa.GFX1030)
		if err != nil {
			t.Fatal(err)
		}
		v, err := NewView(isa.GFX1030, nil, &words)
		if err != nil {
			t.Fatal(err)
		}
		tex := &Texture{View: v, Mem: make(flatMemory, x.mem)}
		if tex.BindPlane(new(Plane)) {
			t.Errorf("%s: a plane", x.name)
		}
	}
}

func BenchmarkPlaneBilinear(b *testing.B) {
	number, _ := FormatsOf(isa.GFX1030).Number("8_8_8_8", Unorm)
	res := Resource{Base: 1 << 12, Format: number, Kind: Kind2D, Select: IdentitySelect, Width: 256, Height: 256, Depth: 1, Levels: 1}
	words, _ := res.Encode(isa.GFX1030)
	v, err := NewView(isa.GFX1030, nil, &words)
	if err != nil {
		b.Fatal(err)
	}
	tex := &Texture{View: v, Mem: make(flatMemory, 1<<12+256*1024), Sampler: Sampler{Mag: FilterBilinear, Min: FilterBilinear, Clamp: [3]ClampMode{2, 2, 2}}}
	var p Plane
	tex.BindPlane(&p)
	p.SIMD = hasSIMD
	var rows Rows
	var u, y [64]float32
	for l := range u {
		u[l], y[l] = float32(l)*(1.0/80)+0.01, float32(l)*(1.0/90)+0.02
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Sample(&u, &y, 1<<64-1, 64, &rows)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(64*b.N), "ns/texel")
}
