package image

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// sets has one instruction set of each generation with images.
var sets = []isa.Set{isa.GFX600, isa.GFX700, isa.GFX803, isa.GFX900, isa.GFX90A, isa.GFX1010, isa.GFX1030, isa.GFX1100, isa.GFX1200}

// flatMemory is memory from address 0 on.
type flatMemory []byte

func (m flatMemory) ReadElement(addr uint64, bytes uint8, raw *Raw) bool {
	if addr+uint64(bytes) > uint64(len(m)) {
		return false
	}
	*raw = Raw{}
	for i := range uint64(bytes) {
		raw[i/4] |= uint32(m[addr+i]) << (i % 4 * 8)
	}
	return true
}

func (m flatMemory) WriteElement(addr uint64, bytes uint8, raw *Raw) bool {
	if addr+uint64(bytes) > uint64(len(m)) {
		return false
	}
	for i := range uint64(bytes) {
		m[addr+i] = byte(raw[i/4] >> (i % 4 * 8))
	}
	return true
}

// model is an image in double precision, computed from the random numbers that
// the memory was filled with, and not by reading the memory.
type model struct {
	kind   Kind
	size   [3]int // of a level-0 slice
	layers int
	texels [][4]float64 // x fastest, then y, then z or layer
	border [4]float64
}

func (m *model) at(x, y, z int) [4]float64 {
	if x < 0 || y < 0 || z < 0 || x >= m.size[0] || y >= m.size[1] {
		return m.border
	}
	return m.texels[(z*m.size[1]+y)*m.size[0]+x]
}

// modelFormats lists formats with the conversion of a random number to a value
// and to the bits in memory.
var modelFormats = []struct {
	data  string
	num   Number
	comps int
	bits  uint
	value func(v uint32) float64
}{
	{"8_8_8_8", Unorm, 4, 8, func(v uint32) float64 { return float64(v) / 255 }},
	{"8", Snorm, 1, 8, func(v uint32) float64 { return max(-1, float64(int8(v))/127) }},
	{"16_16", Unorm, 2, 16, func(v uint32) float64 { return float64(v) / 65535 }},
	{"32_32_32_32", Float, 4, 32, func(v uint32) float64 { return float64(math.Float32frombits(v)) }},
	{"32", Float, 1, 32, func(v uint32) float64 { return float64(math.Float32frombits(v)) }},
	{"8_8_8_8", SRGB, 4, 8, nil},
}

// newModel fills memory with a random image, and returns it with its texture.
func newModel(t *testing.T, s isa.Set, r *rand.Rand, kind Kind) (*model, *Texture) {
	t.Helper()
	x := &modelFormats[r.IntN(len(modelFormats))]
	formats := FormatsOf(s)
	number, ok := formats.Number(x.data, x.num)
	if !ok {
		t.Fatalf("%v has no format %s", s, x.data)
	}
	f := formats.Get(number)
	m := &model{kind: kind, size: [3]int{1 + r.IntN(20), 1, 1}, layers: 1}
	res := Resource{Base: 1 << 12, Format: number, Kind: kind, Select: IdentitySelect, Levels: 1, Depth: 1, Height: 1}
	if kind.Dims() > 1 {
		m.size[1] = 1 + r.IntN(20)
	}
	switch {
	case kind == KindCube:
		m.size[1], m.layers = m.size[0], 6
	case kind.Layered():
		m.layers = 1 + r.IntN(5)
	case kind == Kind3D:
		m.size[2] = 1 + r.IntN(6)
	}
	res.Width, res.Height, res.Depth, res.LastLayer = uint32(m.size[0]), uint32(m.size[1]), uint32(m.size[2]), uint32(m.layers-1)
	words, err := res.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewView(s, &words)
	if err != nil {
		t.Fatal(err)
	}
	pitch := RowPitch(s, f, res.Width)
	slices := m.layers * m.size[2]
	mem := make(flatMemory, int(res.Base)+int(pitch)*m.size[1]*slices)
	for z := range slices {
		for y := range m.size[1] {
			for px := range m.size[0] {
				var c [4]float64
				var raw Raw
				for i := range x.comps {
					bits, val := uint32(r.Uint64())&uint32(1<<x.bits-1), 0.0
					switch {
					case x.num == Float:
						bits = math.Float32bits(float32(r.Float64()*4 - 2))
						val = x.value(bits)
					case x.value == nil:
						val = float64(bits) / 255
						if i < 3 {
							if val <= 0.04045 {
								val /= 12.92
							} else {
								val = math.Pow((val+0.055)/1.055, 2.4)
							}
						}
					default:
						val = x.value(bits)
					}
					c[i] = val
					at := uint(i) * x.bits
					raw[at/32] |= bits << (at % 32)
				}
				m.texels = append(m.texels, c)
				mem.WriteElement(res.Base+uint64(z*m.size[1]+y)*pitch+uint64(px)*uint64(f.Bytes), f.Bytes, &raw)
			}
		}
	}
	tex := &Texture{View: v, Mem: mem}
	return m, tex
}

// wrap returns the texel of an index outside the image, or -1 for the border, by
// the formulas of Vulkan, "Wrapping operation".
func wrap(i, n int, c ClampMode) int {
	mod := func(a, b int) int { return ((a % b) + b) % b }
	mirror := func(i int) int {
		if i >= 0 {
			return i
		}
		return -(1 + i)
	}
	switch c {
	case ClampWrap:
		return mod(i, n)
	case ClampMirror:
		return (n - 1) - mirror(mod(i, 2*n)-n)
	case ClampLastTexel:
		return min(max(i, 0), n-1)
	case ClampMirrorOnceLastTexel:
		return min(max(mirror(i), 0), n-1)
	case ClampMirrorOnceBorder:
		i = mirror(i)
	}
	if i < 0 || i >= n {
		return -1
	}
	return i
}

// modelModes lists the clamp modes of the model.
var modelModes = []ClampMode{ClampWrap, ClampMirror, ClampLastTexel, ClampMirrorOnceLastTexel, ClampBorder, ClampMirrorOnceBorder}

// coordinate returns a random coordinate: near the image, at its edges, at texel
// edges, far away or special.
func coordinate(r *rand.Rand, n int, unnormalized bool) float32 {
	size := 1.0
	if unnormalized {
		size = float64(n)
	}
	switch r.IntN(8) {
	case 0:
		return float32(size * float64(r.IntN(3)-1))
	case 1:
		return float32(size * float64(r.IntN(2*n+1)) / float64(n))
	case 2:
		return float32(size * (r.Float64()*2000 - 1000))
	case 3:
		return []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 3e38, -3e38, 1e-40}[r.IntN(6)]
	}
	return float32(size * (r.Float64()*3 - 1))
}

// slack is the uncertainty of a coordinate in texels. Conversion to 1/256 of a texel moves a coordinate by at most half of that.
const slack = 1.0/512 + 1e-9

// texelsOf returns the coordinate in texels, or false if it is not a number, or
// so far away that its texel is not defined by it.
func texelsOf(u float32, n int, unnormalized bool) (x float64, ok bool) {
	x = float64(u)
	if !unnormalized {
		x *= float64(n)
	}
	return x, math.Abs(x) < 1<<19
}

func TestSampleModel(t *testing.T) {
	const samples = 100_000
	for _, s := range sets {
		t.Run(s.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(s)))
			for n := 0; n < samples; {
				kind := []Kind{Kind1D, Kind2D, Kind3D, Kind1DArray, Kind2DArray}[r.IntN(5)]
				m, tex := newModel(t, s, r, kind)
				for range 250 {
					n++
					if why := samplePoint(r, m, tex); why != "" {
						t.Fatalf("%v %v %v, %+v: %s", kind, tex.Texels, m.size, tex.Sampler, why)
					}
				}
			}
		})
	}
}

// samplePoint samples a random point and compares the result with the model's.
func samplePoint(r *rand.Rand, m *model, tex *Texture) string {
	p := &tex.Sampler
	*p = Sampler{MaxLOD: 4095, Unnormalized: r.IntN(3) == 0, TruncCoord: r.IntN(4) == 0}
	for i := range p.Clamp {
		p.Clamp[i] = modelModes[r.IntN(len(modelModes))]
	}
	if r.IntN(2) == 0 {
		p.Mag = FilterBilinear
	}
	p.Border = uint8(r.IntN(3))
	tex.Border = tex.BorderColor(p.Border)
	m.border = [3][4]float64{{}, {3: 1}, {1, 1, 1, 1}}[p.Border]
	pt := Point{Steps: 1}
	var at [3]float64
	far := false
	for i := range m.kind.Dims() {
		pt.At[i] = coordinate(r, m.size[i], p.Unnormalized)
		var ok bool
		at[i], ok = texelsOf(pt.At[i], m.size[i], p.Unnormalized)
		far = far || !ok
		pt.Offset[i] = int32(r.IntN(16) - 8)
	}
	layer := 0
	if m.kind.Layered() {
		pt.Layer = float32(r.IntN(9)-2) + float32(r.IntN(3)-1)*0.4
		layer = min(max(int(math.RoundToEven(float64(pt.Layer))), 0), m.layers-1)
	}
	got := tex.Sample(&pt, false)
	if tex.Failed() {
		return "reads outside the image"
	}
	if far {
		return "" // only that nothing is read outside
	}
	lo, hi := m.bounds(p, &pt, at, layer, p.Mag == FilterBilinear)
	for i := range got {
		v := float64(math.Float32frombits(got[i]))
		if v < lo[i]-1e-5 || v > hi[i]+1e-5 {
			return fmt.Sprintf("at %v offset %v layer %v: component %d is %v, expected %v to %v", pt.At, pt.Offset, pt.Layer, i, v, lo[i], hi[i])
		}
	}
	return ""
}

// bounds returns the least and the greatest result for a point whose coordinates
// are uncertain by slack: of a point filter the texels, of a linear filter the
// exact interpolation.
func (m *model) bounds(p *Sampler, pt *Point, at [3]float64, layer int, linear bool) (lo, hi [4]float64) {
	for i := range lo {
		lo[i], hi[i] = math.Inf(1), math.Inf(-1)
	}
	dims := m.kind.Dims()
	for k := range []int{1, 3, 9, 27}[dims] {
		x := at
		for i := range dims {
			d := slack
			if p.TruncCoord && !linear {
				d = 1e-9 * max(1, math.Abs(x[i]))
			}
			switch center := math.Floor(x[i]) + 0.5; k % 3 {
			case 0:
				x[i] -= d
			case 1:
				x[i] += d
			case 2: // a linear filter has its extremes at the centres of texels
				if math.Abs(center-x[i]) < d {
					x[i] = center
				}
			}
			k /= 3
		}
		c := m.sample(p, pt, x, layer, linear)
		for i := range c {
			lo[i], hi[i] = min(lo[i], c[i]), max(hi[i], c[i])
		}
	}
	return lo, hi
}

// sample evaluates the filter in double precision.
func (m *model) sample(p *Sampler, pt *Point, x [3]float64, layer int, linear bool) (c [4]float64) {
	dims := m.kind.Dims()
	if !linear {
		i := [3]int{0, 0, layer}
		for d := range dims {
			i[d] = wrap(int(math.Floor(x[d]))+int(pt.Offset[d]), m.size[d], p.Clamp[d])
		}
		return m.at(i[0], i[1], i[2])
	}
	for k := range 1 << dims {
		w, i := 1.0, [3]int{0, 0, layer}
		for d := range dims {
			base := math.Floor(x[d] - 0.5)
			frac := x[d] - 0.5 - base
			if k>>d&1 == 0 {
				frac = 1 - frac
			}
			w *= frac
			i[d] = wrap(int(base)+k>>d&1+int(pt.Offset[d]), m.size[d], p.Clamp[d])
		}
		for n, v := range m.at(i[0], i[1], i[2]) {
			c[n] += w * v
		}
	}
	return c
}
