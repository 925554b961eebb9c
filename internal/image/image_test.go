package image

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/image/tiling"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestCompare filters the results of comparisons, and checks NaN.
func TestCompare(t *testing.T) {
	nan := float32(math.NaN())
	for fn, want := range []bool{false, false, false, false, false, true, false, true} {
		if got := compareFloats(uint8(fn), nan, 1); got != want {
			t.Errorf("function %d of NaN and 1 is %v", fn, got)
		}
	}
	_, tex := constantImage(t, isa.GFX900, Kind2D, func(x, y, z int) float32 { return float32(x) })
	tex.Sampler = Sampler{Unnormalized: true, Mag: FilterBilinear, Compare: 3, Clamp: [3]ClampMode{2, 2, 2}, MaxLOD: 4095}
	// Texels 1 and 2 with weights 3/4 and 1/4; 1.5 is at most the second one.
	got := tex.Sample(&Point{At: [3]float32{1.75, 1.5}, Ref: 1.5, Steps: 1}, true)
	if v := math.Float32frombits(got[0]); v != 0.25 {
		t.Errorf("the comparison is %v, want 0.25", v)
	}
	tex.Sampler.Reduce = ReduceMax
	if v := math.Float32frombits(tex.Sample(&Point{At: [3]float32{1.75, 1.5}, Steps: 1}, false)[0]); v != 2 {
		t.Errorf("the maximum is %v, want 2", v)
	}
	tex.Sampler.Reduce = ReduceMin
	if v := math.Float32frombits(tex.Sample(&Point{At: [3]float32{1.75, 1.5}, Steps: 1}, false)[0]); v != 1 {
		t.Errorf("the minimum is %v, want 1", v)
	}
}

// constantImage returns an image of one f32 component whose texels are values of
// a function: 8×8 texels, six layers of a cube map.
func constantImage(t *testing.T, s isa.Set, kind Kind, f func(x, y, z int) float32) (flatMemory, *Texture) {
	t.Helper()
	const n = 8
	number, _ := FormatsOf(s).Number("32", Float)
	res := Resource{Base: 1 << 12, Format: number, Kind: kind, Select: 4 | 1<<9, Width: n, Height: n, Depth: 1, Levels: 1, Tiling: LinearTiling(s)}
	layers := 1
	if kind == KindCube {
		layers = 6
	}
	res.LastLayer = uint32(layers - 1)
	words, err := res.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewView(s, tiling.ConfigOf(processorOf(t, s)), &words)
	if err != nil {
		t.Fatal(err)
	}
	_, slice := linearPlace(s, 4, n, n, layers)
	mem := make(flatMemory, int(res.Base)+slice*layers)
	tex := &Texture{View: v, Mem: mem}
	for z := range layers {
		for y := range n {
			for x := range n {
				tex.Store(&Position{X: uint32(x), Y: uint32(y), Z: uint32(z)}, &Texel{math.Float32bits(f(x, y, z))})
			}
		}
	}
	return mem, tex
}

// TestCube samples a cube map that holds a linear function of the position on
// the surface of the cube. Across an edge, the texels of two faces are half a
// texel from it, so the result is off by at most one texel. The function of the
// position is the one of the model: it does not use the tables of the package.
func TestCube(t *testing.T) {
	position := cubePosition
	value := func(p [3]float64) float64 { return p[0] + 3*p[1] + 9*p[2] }
	_, tex := constantImage(t, isa.GFX1100, KindCube, func(x, y, z int) float32 {
		return float32(value(position(z, (2*float64(x)+1)/8-1, (2*float64(y)+1)/8-1)))
	})
	tex.Sampler = Sampler{Mag: FilterBilinear, MaxLOD: 4095}
	r := rand.New(rand.NewPCG(3, 3))
	for range 5000 {
		face, u, v := r.IntN(6), r.Float64(), r.Float64()
		got := tex.Sample(&Point{At: [3]float32{float32(1 + u), float32(1 + v)}, Layer: float32(face), Steps: 1}, false)
		want := value(position(face, 2*u-1, 2*v-1))
		// Two texels of 2/8 in each direction, times the slopes.
		tolerance := 0.05
		if u < 1./16 || u > 15./16 || v < 1./16 || v > 15./16 {
			tolerance = (1 + 3 + 9) * 1. / 8
		}
		if d := math.Abs(float64(math.Float32frombits(got[0])) - want); d > tolerance {
			t.Fatalf("face %d at %v %v: off by %v", face, u, v, d)
		}
	}
	for face := range 6 { // on an edge, both faces agree
		for _, u := range []float32{1, 2} {
			a := tex.Sample(&Point{At: [3]float32{u, 1.4}, Layer: float32(face), Steps: 1}, false)
			sc := float64(u)*2 - 3
			p := position(face, sc, -0.2)
			for other := range 6 {
				for k := range 201 {
					w := float64(k)/100 - 1
					for _, q := range [][2]float64{{-1, w}, {1, w}, {w, -1}, {w, 1}} {
						if o := position(other, q[0], q[1]); other != face && o == p {
							b := tex.Sample(&Point{At: [3]float32{float32(q[0]/2 + 1.5), float32(q[1]/2 + 1.5)}, Layer: float32(other), Steps: 1}, false)
							x, y := math.Float32frombits(a[0]), math.Float32frombits(b[0])
							if math.Abs(float64(x-y)) > 0.05 {
								t.Errorf("face %d at %v: %v, face %d: %v", face, u, x, other, y)
							}
						}
					}
				}
			}
		}
	}
	for i := range 4 { // a gather inside a face, and one that crosses an edge
		at := float32(1 + 0.25*float64(i))
		c := tex.Gather(&Point{At: [3]float32{at, 1.5}, Layer: 4, Steps: 1}, 0, false, false)
		for _, v := range c {
			want := value(position(4, float64(at)*2-3, 0))
			if d := math.Abs(float64(math.Float32frombits(v)) - want); d > (1+3+9)*0.25 {
				t.Errorf("gather at %v: off by %v", at, d)
			}
		}
	}
}

// TestHalfBorder blends at most half of the border colour.
func TestHalfBorder(t *testing.T) {
	_, tex := constantImage(t, isa.GFX900, Kind2D, func(x, y, z int) float32 { return 0 })
	tex.Sampler = Sampler{Mag: FilterBilinear, Clamp: [3]ClampMode{ClampHalfBorder, ClampMirrorOnceHalfBorder}, MaxLOD: 4095, Border: BorderOpaqueWhite}
	tex.Border = tex.BorderColor(tex.Sampler.Border)
	for _, x := range []struct {
		u, v float32
		want float64
	}{{-5, 0.5, 0.5}, {7, 0.5, 0.5}, {0.5, 9, 0.5}, {0.5, -9, 0.5}, {0.5, 0.5, 0}, {0.5, 0, 0}, {-1, 7, 0.75}} {
		got := math.Float32frombits(tex.Sample(&Point{At: [3]float32{x.u, x.v}, Steps: 1}, false)[0])
		if float64(got) != x.want {
			t.Errorf("at %v %v: %v, want %v", x.u, x.v, got, x.want)
		}
	}
}

// TestLOD checks levels of detail that follow from the specification of Vulkan.
func TestLOD(t *testing.T) {
	_, tex := constantImage(t, isa.GFX900, Kind2D, func(x, y, z int) float32 { return 0 })
	s := &tex.Sampler
	s.MaxLOD = 4095
	g := &Gradients{X: [3]float32{0.5}, Y: [3]float32{0, 0.25}} // 4 and 2 texels
	if q := tex.Gradient(g); q.Raw != 2 || q.Steps != 1 {
		t.Errorf("isotropic: %+v", q)
	}
	s.MaxAniso, s.Min = 4, FilterAnisoBilinear
	if q := tex.Gradient(g); q.Raw != 1 || q.Steps != 2 || q.Major != g.X {
		t.Errorf("anisotropic: %+v", q)
	}
	s.Bias = 128
	for _, x := range []struct {
		lod         float64
		bias, clamp float32
		min, max    int32
		want        int32
	}{{2, 0, 0, 0, 4095, 640}, {2, 1, 0, 0, 4095, 896}, {2, 0, 4, 0, 4095, 1024}, {2, 0, 0, 0, 256, 256}, {-9, 0, 0, 300, 4095, 300}, {math.NaN(), 0, 0, 7, 4095, 7}, {math.Inf(1), 0, 0, 0, 4095, 4095}} {
		s.MinLOD, s.MaxLOD = x.min, x.max
		if got, _ := tex.Limit(x.lod, x.bias, x.clamp); got != x.want {
			t.Errorf("%+v: %d", x, got)
		}
	}
}

// TestResourceWords encodes and decodes random resources and samplers.
func TestResourceWords(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, s := range sets {
		for range 1000 {
			w := resourceWordsOf(s)
			res := Resource{Base: r.Uint64() & (1<<48 - 1) &^ 255, Kind: Kind(8 + r.IntN(8)), Width: 1 + r.Uint32N(1<<14), Height: 1 + r.Uint32N(1<<14), Depth: 1,
				Select: r.Uint32N(1 << 12), FirstLevel: r.Uint32N(8), LastLevel: 8 + r.Uint32N(8), MinLOD: r.Uint32N(1 << 12), Tiling: r.Uint32N(32), Format: r.Uint32N(256)}
			res.Levels = res.LastLevel + 1
			switch {
			case res.Kind.MSAA():
				res.Levels = 1
			case res.Kind.Dims() == 1:
				res.Height = 1
			}
			if res.Kind == Kind3D {
				res.Depth = 1 + r.Uint32N(1<<13)
			}
			if res.Kind.Layered() {
				res.FirstLayer, res.LastLayer = r.Uint32N(100), 100+r.Uint32N(1000)
			}
			if HasPitch(s, res.Kind) && res.Kind.flat() {
				res.Pitch = res.Width + r.Uint32N(2)
			}
			if res.Pitch > 0 && !w.pitch.fits(res.Pitch-1) {
				res.Pitch = 0
			}
			if w.number[0].width != 0 {
				res.Format = r.Uint32N(64)<<numberBits | r.Uint32N(16)
			}
			words, err := res.Encode(s)
			if err != nil {
				t.Fatalf("%v %+v: %v", s, res, err)
			}
			if got := DecodeResource(s, &words); got != res {
				t.Fatalf("%v\n got %+v\nwant %+v", s, got, res)
			}
			p := Sampler{Clamp: [3]ClampMode{ClampMode(r.IntN(8)), ClampMode(r.IntN(8)), ClampMode(r.IntN(8))}, MaxAniso: r.Uint32N(5), Compare: uint8(r.IntN(8)),
				Unnormalized: r.IntN(2) == 0, TruncCoord: r.IntN(2) == 0, NoCubeWrap: r.IntN(2) == 0, Reduce: Reduction(r.IntN(3)), MinLOD: r.Int32N(1 << 12),
				MaxLOD: r.Int32N(1 << 12), Bias: r.Int32N(1<<14) - 1<<13, Mag: Filter(r.IntN(4)), Min: Filter(r.IntN(4)), Z: MipFilter(r.IntN(3)), Mip: MipFilter(r.IntN(3)),
				Border: uint8(r.IntN(4)), BorderIndex: r.Uint32N(1 << 12)}
			sw := p.Encode(s)
			if got := DecodeSampler(s, &sw); got != p {
				t.Fatalf("%v\n got %+v\nwant %+v", s, got, p)
			}
		}
	}
	if _, err := (&Resource{Kind: Kind2D, Width: 1 << 20, Height: 1}).Encode(isa.GFX900); err == nil || err.Error() != "width 1048575 is too large for an image of gfx900" {
		t.Errorf("too wide: %v", err)
	}
}

// TestFormatNumbers checks numbers of formats that the documents of the
// generations list.
func TestFormatNumbers(t *testing.T) {
	for _, x := range []struct {
		data                string
		num                 Number
		split, gfx10, gfx11 int // -1: absent
	}{
		{"8", Unorm, 1 << 4, 1, 1}, {"8_8_8_8", Unorm, 10 << 4, 56, 42}, {"8_8_8_8", SRGB, 10<<4 | 9, 130, 66}, {"32_32_32_32", Float, 14<<4 | 7, 77, 63},
		{"16_16", Sint, 5<<4 | 5, 28, 28}, {"10_11_11", Float, 6<<4 | 7, 36, 30}, {"10_11_11", Unorm, 6 << 4, 30, -1}, {"5_9_9_9", Float, 34<<4 | 7, 132, 67},
		{"BC7", SRGB, 41<<4 | 9, 182, 122}, {"8_24", Unorm, 20 << 4, 141, 76}, {"32", Unorm, 4 << 4, -1, -1},
	} {
		for i, s := range []isa.Set{isa.GFX803, isa.GFX1030, isa.GFX1200} {
			want := []int{x.split, x.gfx10, x.gfx11}[i]
			n, ok := FormatsOf(s).Number(x.data, x.num)
			if ok != (want >= 0) || ok && int(n) != want {
				t.Errorf("%v %s number format %d: %d %v, want %d", s, x.data, x.num, n, ok, want)
			}
			if ok && FormatsOf(s).Get(n).Data != x.data {
				t.Errorf("%v: format %d is %v", s, n, FormatsOf(s).Get(n))
			}
		}
	}
}

// TestPackedFormats converts elements of formats that only images have. The
// results are computed by hand.
func TestPackedFormats(t *testing.T) {
	for _, x := range []struct {
		data string
		num  Number
		raw  uint32
		want [4]float32
	}{
		{"5_6_5", Unorm, 0xf81f, [4]float32{1, 0, 1}},
		{"1_5_5_5", Unorm, 0x801f, [4]float32{1, 0, 0, 1}},
		{"5_5_5_1", Unorm, 0xf801, [4]float32{1, 0, 0, 1}},
		{"4_4_4_4", Unorm, 0xf050, [4]float32{0, 5. / 15, 0, 1}},
		{"5_9_9_9", Float, 16<<27 | 256 | 128<<9 | 1<<18, [4]float32{1, 0.5, 1. / 256}},
		{"8_24", Unorm, 0x80ffffff, [4]float32{1, 128. / 255}},
		{"8_8_8_8", SRGB, 0xff0000ff, [4]float32{1, 0, 0, 1}},
		{"8_8_8_8", SRGB, 0x80808080, [4]float32{0.21586053, 0.21586053, 0.21586053, 128. / 255}},
	} {
		f := testFormat(t, x.data, x.num)
		raw := Raw{x.raw}
		c := f.Unpack(&raw)
		for i, want := range x.want {
			if got := math.Float32frombits(c[i]); math.Abs(float64(got-want)) > 1e-7 {
				t.Errorf("%v of %#x: component %d is %v, want %v", f, x.raw, i, got, want)
			}
		}
		if got := f.Pack(&c); got != raw {
			t.Errorf("%v: %#x is packed as %#x", f, raw, got)
		}
	}
	// The largest value, a value that rounds up to the next exponent, negative ones.
	f := testFormat(t, "5_9_9_9", Float)
	for _, x := range []struct {
		in   [3]float32
		want uint32
	}{{[3]float32{1e9, 0, -1}, 31<<27 | 511}, {[3]float32{1.9999, 0, 0}, 17<<27 | 256}, {[3]float32{float32(math.NaN()), 0, 0}, 0}} {
		c := Texel{math.Float32bits(x.in[0]), math.Float32bits(x.in[1]), math.Float32bits(x.in[2])}
		if got := f.Pack(&c); got[0] != x.want {
			t.Errorf("%v is packed as %#x, want %#x", x.in, got[0], x.want)
		}
	}
	if f := FormatsOf(isa.GFX1030).Get(140); !f.Clamp || f.Unpack(&Raw{math.Float32bits(7)})[0] != one || f.Pack(&Texel{math.Float32bits(-3)})[0] != 0 {
		t.Errorf("%v does not clamp", f)
	}
}

// TestBlocks reads texels of elements that hold several. The results are
// computed by hand.
func TestBlocks(t *testing.T) {
	for _, x := range []struct {
		data string
		num  Number
		raw  Raw
		x, y uint32
		want [4]float32
	}{
		{"BC1", Unorm, Raw{0xf800 | 0x001f<<16, 0b11100100}, 0, 0, [4]float32{1, 0, 0, 1}},
		{"BC1", Unorm, Raw{0xf800 | 0x001f<<16, 0b11100100}, 1, 0, [4]float32{0, 0, 1, 1}},
		{"BC1", Unorm, Raw{0xf800 | 0x001f<<16, 0b11100100}, 2, 0, [4]float32{2. / 3, 0, 1. / 3, 1}},
		{"BC1", Unorm, Raw{0x001f | 0xf800<<16, 0b11100100}, 2, 0, [4]float32{0.5, 0, 0.5, 1}},
		{"BC1", Unorm, Raw{0x001f | 0xf800<<16, 0b11100100}, 3, 0, [4]float32{}},
		{"BC2", Unorm, Raw{0xf0, 0, 0xf800 | 0x001f<<16}, 1, 0, [4]float32{1, 0, 0, 1}},
		{"BC3", Unorm, Raw{0x00ff | 2<<16, 0, 0xf800 | 0x001f<<16}, 0, 0, [4]float32{1, 0, 0, 6. / 7}},
		{"BC4", Unorm, Raw{0xff00 | 7<<16}, 0, 0, [4]float32{1, 0, 0, 1}},
		{"BC4", Unorm, Raw{0xff00 | 2<<16}, 0, 0, [4]float32{0.2, 0, 0, 1}},
		{"BC4", Snorm, Raw{0x807f | 1<<16}, 0, 0, [4]float32{-1, 0, 0, 1}},
		{"BC5", Unorm, Raw{0x00ff, 0, 0x0033}, 3, 3, [4]float32{1, 0.2, 0, 1}},
		{"GB_GR", Unorm, Raw{0x33ff6600}, 1, 0, [4]float32{0, 0.2, 1, 1}},
		{"GB_GR", Unorm, Raw{0x33ff6600}, 0, 0, [4]float32{0, 0.4, 1, 1}},
		{"BG_RG", Unorm, Raw{0xff330066}, 1, 0, [4]float32{0, 0.2, 1, 1}},
		{"1", Unorm, Raw{0x02}, 1, 0, [4]float32{1}},
		{"1_REVERSED", Unorm, Raw{0x02}, 6, 0, [4]float32{1}},
	} {
		f := testFormat(t, x.data, x.num)
		c := f.texelOf(&x.raw, x.x, x.y)
		for i, want := range x.want {
			if got := math.Float32frombits(c[i]); math.Abs(float64(got-want)) > 1e-6 {
				t.Errorf("%v of %#x at %d, %d: component %d is %v, want %v", f, x.raw, x.x, x.y, i, got, want)
			}
		}
	}
}

// TestLoadStore loads and stores texels inside and outside an image, converted
// and in memory format.
func TestLoadStore(t *testing.T) {
	_, tex := constantImage(t, isa.GFX803, Kind2D, func(x, y, z int) float32 { return float32(10*y + x) })
	if c := tex.Load(&Position{X: 3, Y: 2}); c != (Texel{math.Float32bits(23), 0, 0, one}) {
		t.Errorf("load: %#x", c)
	}
	if c := tex.Load(&Position{X: 8, Y: 2}); c != (Texel{0, 0, 0, one}) {
		t.Errorf("load outside: %#x", c)
	}
	if c := tex.LoadRaw(&Position{X: 3, Y: 2}, false); c != (Texel{math.Float32bits(23)}) {
		t.Errorf("raw load: %#x", c)
	}
	tex.StoreRaw(&Position{X: 1, Y: 1}, &Texel{5, 6, 7, 8})
	tex.Store(&Position{X: 1, Y: 1 << 31}, &Texel{9})
	if c := tex.LoadRaw(&Position{X: 1, Y: 1}, true); c != (Texel{5}) {
		t.Errorf("after a raw store: %#x", c)
	}
	if got := tex.Size(0); got != (Texel{8, 8, 1, 1}) {
		t.Errorf("size %v", got)
	}
	if got := tex.Size(1); got != (Texel{0, 0, 0, 1}) {
		t.Errorf("size of a level that does not exist: %v", got)
	}
	f := testFormat(t, "8_8_8_8", Unorm)
	if c := f.Unselect(&Texel{1, 2, 3, 4}, 6|5<<3|4<<6|7<<9); c != (Texel{3, 2, 1, 4}) {
		t.Errorf("inverse of zyxw: %v", c)
	}
}

// FuzzView samples and loads with any words of resources and samplers.
func FuzzView(f *testing.F) {
	f.Add(uint8(0), make([]byte, 48), float32(0), uint32(0))
	f.Add(uint8(7), []byte{0, 0, 0, 0, 0, 0, 0xa0, 0x02, 0x3f, 0xc0, 0x0f, 0, 0xac, 0x0f, 0, 0xb0}, float32(math.Inf(1)), uint32(1))
	f.Fuzz(func(t *testing.T, set uint8, data []byte, u float32, n uint32) {
		s := sets[int(set)%len(sets)]
		var words [12]uint32
		for i, b := range data {
			if i < 48 {
				words[i/4] |= uint32(b) << (i % 4 * 8)
			}
		}
		v, err := NewView(s, tiling.ConfigOf(processorOf(t, s)), (*[8]uint32)(words[:8]))
		if err != nil {
			return
		}
		tex := &Texture{View: v, Mem: make(flatMemory, 1<<16), Sampler: DecodeSampler(s, (*[4]uint32)(words[8:]))}
		lod, _ := tex.Limit(float64(u), u, u)
		q := tex.Gradient(&Gradients{X: [3]float32{u, 1, u}, Y: [3]float32{0, u}})
		p := &Point{At: [3]float32{u, -u, u / 3}, Layer: u, LOD: lod, Steps: q.Steps, Major: q.Major}
		tex.Sample(p, n&1 != 0)
		tex.Gather(p, int(n>>1&3), n&1 != 0, n&8 != 0)
		tex.Load(&Position{X: n, Y: n >> 3, Z: n >> 5, Level: n & 3})
		tex.Store(&Position{X: n & 7, Y: n >> 3 & 7}, &Texel{n, n, n, n})
		tex.Size(n)
	})
}

func BenchmarkSampleBilinear(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 5))
	number, _ := FormatsOf(isa.GFX1030).Number("8_8_8_8", Unorm)
	res := Resource{Base: 1 << 12, Format: number, Kind: Kind2D, Select: IdentitySelect, Width: 256, Height: 256, Depth: 1, Levels: 1}
	words, _ := res.Encode(isa.GFX1030)
	v, err := NewView(isa.GFX1030, nil, &words)
	if err != nil {
		b.Fatal(err)
	}
	tex := &Texture{View: v, Mem: make(flatMemory, 1<<12+256*1024), Sampler: Sampler{Mag: FilterBilinear, MaxLOD: 4095, Clamp: [3]ClampMode{2, 2, 2}}}
	p := &Point{Steps: 1}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.At = [3]float32{r.Float32(), r.Float32()}
		tex.Sample(p, false)
	}
}

// TestViewErrors checks the reports of images that are not simulated.
func TestViewErrors(t *testing.T) {
	for _, x := range []struct {
		set  isa.Set
		res  Resource
		want string
	}{
		{isa.GFX803, Resource{Format: 45 << 4, Kind: Kind2D}, "images of the places of samples (FMASK, format 720) are not simulated"},
		{isa.GFX1030, Resource{Format: 156, Kind: Kind2D}, "images of the places of samples (FMASK, format 156) are not simulated"},
		{isa.GFX900, Resource{Format: 48 << 4, Kind: Kind2D}, "format 768 of images is not simulated"},
		{isa.GFX1200, Resource{Format: 42, Kind: Kind2D, Tiling: 9}, "image of gfx1200 with mode 9: reserved swizzle mode"},
		{isa.GFX1100, Resource{Format: 42, Kind: Kind2D, FirstLevel: 3, LastLevel: 2, Levels: 3}, "the first level, 3, of an image is above the last level, 2"},
		{isa.GFX1100, Resource{Format: 60, Kind: Kind2D, Tiling: 6}, "tiled images of elements of 12 bytes do not exist"},
	} {
		x.res.Width, x.res.Height, x.res.Depth, x.res.Levels = 20, 20, 1, max(x.res.Levels, 1)
		words, err := x.res.Encode(x.set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewView(x.set, tiling.ConfigOf(processorOf(t, x.set)), &words); err == nil || err.Error() != x.want {
			t.Errorf("%v: %v, want %s", x.set, err, x.want)
		}
	}
	if v, err := NewView(isa.GFX900, nil, &[8]uint32{}); err != nil || v.Texels != nil {
		t.Errorf("no image: %v", err)
	}
}
