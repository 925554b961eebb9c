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
			if f.Bytes == 0 || !f.Texel() || f.Bytes%4 != 0 {
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
			mem := make(flatMemory, 4096+int(v.levels[0].pitch)*int(res.Height)+64)
			for i := 0; i < len(mem); i += 4 {
				binary.LittleEndian.PutUint32(mem[i:], math.Float32bits(rng.Float32()*4-1))
			}
			filter := Filter(rng.IntN(2))
			tex := &Texture{View: v, Mem: mem, Sampler: Sampler{Mag: filter, Min: filter, MaxLOD: 4095, Unnormalized: rng.IntN(2) == 0, TruncCoord: rng.IntN(2) == 0,
				Mip: MipFilter(rng.IntN(3)), Clamp: [3]ClampMode{ClampMode(rng.IntN(8)), ClampMode(rng.IntN(8))}}}
			tex.Border = tex.BorderColor(uint8(rng.IntN(3)))
			var p Plane
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
	for range 200 {
		at := Point{At: [3]float32{coord(), coord()}, LOD: int32(rng.IntN(1000)) - 300, Steps: 1}
		want := tex.Sample(&at, false)
		var got Texel
		if p.Sample(at.At[0], at.At[1], &got); got != want {
			t.Fatalf("%v at %v with %+v: %#x, want %#x", tex.Texels, at.At, tex.Sampler, got, want)
		}
		pos := Position{X: rng.Uint32N(90), Y: rng.Uint32N(12)}
		want = tex.Load(&pos)
		if p.Load(pos.X, pos.Y, &got); got != want {
			t.Fatalf("%v at %v: loaded %#x, want %#x", tex.Texels, pos, got, want)
		}
		i := p.Index(pos.X, pos.Y)
		for n := range 4 {
			if p.Direct(n+1) && i >= 0 && p.Words[i+n] != got[n] {
				t.Fatalf("%v: component %d is not direct", tex.Texels, n)
			}
		}
		if _, ok := tex.Address(&pos); ok != (i >= 0) {
			t.Fatalf("%v: index %d", pos, i)
		}
		if i < 0 {
			continue
		}
		c := Texel{rng.Uint32(), rng.Uint32(), math.Float32bits((float32(rng.IntN(600)) - 40) / 510), math.Float32bits(rng.Float32()*1.5 - 0.25)}
		packed := p.Pack(&c)
		tex.Store(&pos, &c)
		for k := range p.Step {
			if p.Words[i+int(k)] != packed[k] {
				t.Fatalf("%v: stored %#x, want %#x", tex.Texels, packed, p.Words[i:i+int(p.Step)])
			}
		}
	}
}

// TestNoPlane checks the images that planes do not read.
func TestNoPlane(t *testing.T) {
	number, _ := FormatsOf(isa.GFX1030).Number("8_8_8_8", Unorm)
	narrow, _ := FormatsOf(isa.GFX1030).Number("8", Unorm)
	for _, x := range []struct {
		name string
		res  Resource
		mem  int
	}{
		{"levels", Resource{Format: number, Kind: Kind2D, Levels: 2, LastLevel: 1}, 1 << 16},
		{"layers", Resource{Format: number, Kind: Kind2DArray, Levels: 1}, 1 << 16},
		{"bytes", Resource{Format: narrow, Kind: Kind2D, Levels: 1}, 1 << 16},
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
	var c Texel
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Sample(float32(i&1023)*(1.0/1024), float32(i>>3&511)*(1.0/512), &c)
	}
}
