package image

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gfx-toolchain/gfx/internal/image/tiling"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
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

func (m flatMemory) Words(addr, bytes uint64) []uint32 {
	if addr&3 != 0 || addr+bytes > uint64(len(m)) {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&m[addr])), bytes/4)
}

// model is an image in double precision, computed from the random numbers that
// the memory was filled with, and not by reading the memory.
type model struct {
	kind    Kind
	levels  []modelLevel // of the view
	layers  int          // of the view
	samples int
	minLOD  float64 // least level of detail, counted from the first level of the view
	border  [4]float64
}

// modelLevel holds the texels of a level: the sample fastest, then x, y, and z
// or the layer, from the view's first layer on.
type modelLevel struct {
	size   [3]int
	texels [][4]float64
}

// at returns a texel, or the border colour outside of the level.
func (m *model) at(level, x, y, z, sample int) [4]float64 {
	l := &m.levels[level]
	if x < 0 || y < 0 || z < 0 || x >= l.size[0] || y >= l.size[1] {
		return m.border
	}
	return l.texels[((z*l.size[1]+y)*l.size[0]+x)*m.samples+sample]
}

// modelFormat is a format with the conversion of bits in memory to a value, which
// is nil for gamma-encoded components.
type modelFormat struct {
	data  string
	num   Number
	comps int
	bits  uint
	value func(v uint32) float64
}

// modelFormats lists the formats of the models.
var modelFormats = []modelFormat{
	{"8_8_8_8", Unorm, 4, 8, func(v uint32) float64 { return float64(v) / 255 }},
	{"8", Snorm, 1, 8, func(v uint32) float64 { return max(-1, float64(int8(v))/127) }},
	{"16_16", Unorm, 2, 16, func(v uint32) float64 { return float64(v) / 65535 }},
	{"32_32_32_32", Float, 4, 32, func(v uint32) float64 { return float64(math.Float32frombits(v)) }},
	{"32", Float, 1, 32, func(v uint32) float64 { return float64(math.Float32frombits(v)) }},
	{"8_8_8_8", SRGB, 4, 8, nil},
}

// processorOf returns a processor with an instruction set.
func processorOf(t testing.TB, s isa.Set) *target.Processor {
	t.Helper()
	p := target.Lookup(s.String())
	if p == nil {
		t.Fatalf("no processor %v", s)
	}
	return p
}

// linearPlace returns the bytes from row to row and from slice to slice of a
// linear image with one level, by the rules of the generations' documents.
func linearPlace(s isa.Set, bytes, width, height, slices int) (pitch, slice int) {
	align := 256 / bytes
	switch s.Gen() {
	case isa.Gen6, isa.Gen7, isa.Gen8:
		align = max(64/bytes, 8)
		pitch = (width + align - 1) / align * align
		for pitch*height%64 != 0 {
			pitch += align
		}
		return pitch * bytes, pitch * bytes * height
	case isa.Gen12:
		align = 128 / bytes
	}
	pitch = (width + align - 1) / align * align * bytes
	slice = pitch * height
	if s.Gen() == isa.Gen12 && slices > 1 {
		slice = (pitch + 255) / 256 * 256 * height
	}
	return pitch, slice
}

// modelTexel returns a random texel of a format: its bits and its value.
func modelTexel(r *rand.Rand, x *modelFormat) (raw Raw, c [4]float64) {
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
	return raw, c
}

// makeModel fills memory with a random image of a tiling, with up to a number of
// levels, and returns it with its texture. The texture is nil if the tiling does
// not exist for the image.
func makeModel(t *testing.T, s isa.Set, r *rand.Rand, kind Kind, mode uint32, most int) (*model, *Texture) {
	t.Helper()
	x := &modelFormats[r.IntN(len(modelFormats))]
	number, ok := FormatsOf(s).Number(x.data, x.num)
	if !ok {
		t.Fatalf("%v has no format %s", s, x.data)
	}
	f := FormatsOf(s).Get(number)
	m := &model{kind: kind, samples: 1}
	size := [3]int{1 + r.IntN(20), 1, 1}
	res := Resource{Base: 1 << 20, Format: number, Kind: kind, Select: IdentitySelect, Levels: 1, Depth: 1, Height: 1, Tiling: mode}
	layers := 1
	if kind.Dims() > 1 {
		size[1] = 1 + r.IntN(20)
	}
	switch {
	case kind == KindCube:
		size[1], layers = size[0], 6*(1+r.IntN(2))
	case kind.Layered():
		layers = 1 + r.IntN(5)
		res.FirstLayer = uint32(r.IntN(layers))
	case kind == Kind3D:
		size[2] = 1 + r.IntN(6)
	}
	res.Width, res.Height, res.Depth, res.LastLayer = uint32(size[0]), uint32(size[1]), uint32(size[2]), uint32(layers-1)
	res.Levels = uint32(1 + r.IntN(min(most, bits.Len(uint(max(size[0], size[1], size[2]))))))
	res.FirstLevel, res.LastLevel = uint32(r.IntN(int(res.Levels))), res.Levels-1
	if kind.MSAA() {
		res.FirstLevel, res.Levels, res.LastLevel = 0, 1, uint32(1+r.IntN(3))
		m.samples = 1 << res.LastLevel
	}
	if r.IntN(2) == 0 {
		res.MinLOD = uint32(r.IntN(256 * int(res.Levels)))
		m.minLOD = float64(res.MinLOD)/256 - float64(res.FirstLevel)
	}
	place, bytes := placeModel(t, s, r, &res, f, m.samples)
	if place == nil {
		return nil, nil
	}
	words, err := res.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewView(s, tiling.ConfigOf(processorOf(t, s)), &words)
	if err != nil {
		t.Fatalf("%v %v %v, tiling %d: %v", s, kind, size, mode, err)
	}
	mem := &basedMemory{base: 1 << 20, data: make(flatMemory, bytes)}
	m.layers = layers - int(res.FirstLayer)
	for level := range int(res.Levels) {
		l := modelLevel{size: [3]int{max(size[0]>>level, 1), max(size[1]>>level, 1), max(size[2]>>level, 1)}}
		slices := layers
		if kind == Kind3D {
			slices = l.size[2]
		}
		for z := range slices {
			for y := range l.size[1] {
				for px := range l.size[0] {
					for sample := range m.samples {
						raw, c := modelTexel(r, x)
						if z >= int(res.FirstLayer) {
							l.texels = append(l.texels, c)
						}
						mem.WriteElement(res.Base&^0xffff+place(px, y, z, sample, level), f.Bytes, &raw)
					}
				}
			}
		}
		if level >= int(res.FirstLevel) {
			m.levels = append(m.levels, l)
		}
	}
	return m, &Texture{View: v, Mem: mem}
}

// placeModel returns the function from a position to the offset in memory, and
// the bytes of memory. It returns nil if the tiling does not exist for the image.
// A random swizzle is added to the base address if the tiling has one.
func placeModel(t *testing.T, s isa.Set, r *rand.Rand, res *Resource, f *Format, samples int) (place func(x, y, z, sample, level int) uint64, bytes uint64) {
	slices := int(max(res.Depth, res.LastLayer+1))
	if res.Tiling == LinearTiling(s) && res.Levels == 1 && samples == 1 {
		pitch, slice := linearPlace(s, int(f.Bytes), int(res.Width), int(res.Height), slices)
		return func(x, y, z, _, _ int) uint64 { return uint64(z*slice + y*pitch + x*int(f.Bytes)) }, uint64(slice * slices)
	}
	surface := tiling.Surface{Mode: uint8(res.Tiling), Kind: tiling.Kind2D, Bytes: f.Bytes, Width: res.Width, Height: res.Height, Depth: uint32(slices),
		Levels: res.Levels, Samples: uint32(samples), Config: *tiling.ConfigOf(processorOf(t, s))}
	switch res.Kind {
	case Kind1D, Kind1DArray:
		surface.Kind = tiling.Kind1D
	case Kind3D:
		surface.Kind = tiling.Kind3D
	}
	l, err := tiling.New(s, surface)
	if err != nil {
		return nil, 0
	}
	if n := l.Alignment() / 256; n > 1 {
		surface.Swizzle = r.Uint32N(min(n, 256)) * 256
		if turned, err := tiling.New(s, surface); err == nil {
			l = turned
			res.Base |= uint64(surface.Swizzle)
		}
	}
	return func(x, y, z, sample, level int) uint64 {
		return l.Offset(uint32(x), uint32(y), uint32(z), uint32(sample), uint32(level))
	}, l.Size()
}

// basedMemory is memory from an address on.
type basedMemory struct {
	base uint64
	data flatMemory
}

func (m *basedMemory) ReadElement(addr uint64, bytes uint8, raw *Raw) bool {
	return addr >= m.base && m.data.ReadElement(addr-m.base, bytes, raw)
}

func (m *basedMemory) WriteElement(addr uint64, bytes uint8, raw *Raw) bool {
	return addr >= m.base && m.data.WriteElement(addr-m.base, bytes, raw)
}

func (m *basedMemory) Words(addr, bytes uint64) []uint32 {
	if addr < m.base {
		return nil
	}
	return m.data.Words(addr-m.base, bytes)
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

// modelRuns is the number of random accesses per generation.
func modelRuns(full int) int {
	if testing.Short() {
		return full / 20
	}
	return full
}

// forModels runs a test for each generation, on random images of kinds. perImage
// is the number of accesses of an image.
func forModels(t *testing.T, seed uint64, kinds []Kind, most, perImage int, access func(r *rand.Rand, m *model, tex *Texture) string) {
	for _, s := range sets {
		t.Run(s.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, uint64(s)))
			for n, tries := 0, 0; n < modelRuns(100_000); tries++ {
				mode := LinearTiling(s)
				if r.IntN(3) != 0 {
					mode = r.Uint32N(32)
				}
				kind := kinds[r.IntN(len(kinds))]
				m, tex := makeModel(t, s, r, kind, mode, most)
				if tex == nil {
					if tries > 1_000_000 {
						t.Fatal("no image")
					}
					continue
				}
				for range perImage {
					n++
					if why := access(r, m, tex); why != "" {
						t.Fatalf("%v %v %v, tiling %d, levels %d to %d of %d, %+v: %s", kind, tex.Texels, m.levels[0].size, mode, tex.FirstLevel, tex.LastLevel, tex.Levels, tex.Sampler, why)
					}
				}
			}
		})
	}
}

// modelKinds lists the kinds of images that are filtered.
var modelKinds = []Kind{Kind1D, Kind2D, Kind3D, KindCube, Kind1DArray, Kind2DArray}

// TestSampleModel samples images of all tilings with several levels.
func TestSampleModel(t *testing.T) { forModels(t, 1, modelKinds, 5, 250, samplePoint) }

// TestLoadModel loads texels and samples of images of all tilings.
func TestLoadModel(t *testing.T) {
	forModels(t, 6, append([]Kind{Kind2DMSAA, Kind2DMSAAArray}, modelKinds...), 5, 250, loadPoint)
}

// loadPoint loads a random texel and compares the result with the model's.
func loadPoint(r *rand.Rand, m *model, tex *Texture) string {
	p := Position{Level: uint32(r.IntN(len(m.levels) + 1)), Sample: uint32(r.IntN(m.samples + 1))}
	inside := int(p.Level) < len(m.levels) && int(p.Sample) < m.samples
	size := m.levels[min(int(p.Level), len(m.levels)-1)].size
	deep := size[2]
	if m.kind.Layered() {
		deep = m.layers
	}
	index := func(n int) uint32 {
		i := uint32(r.IntN(n + 1))
		if r.IntN(20) == 0 {
			i = []uint32{math.MaxUint32, 1 << 31, uint32(n) + 7}[r.IntN(3)]
		}
		inside = inside && i < uint32(n)
		return i
	}
	p.X = index(size[0])
	if m.kind.Dims() > 1 {
		p.Y = index(size[1])
	}
	if m.kind.Layered() || m.kind == Kind3D {
		p.Z = index(deep)
	}
	var want [4]float64
	if inside {
		want = m.at(int(p.Level), int(p.X), int(p.Y), int(p.Z), int(p.Sample))
	}
	got := tex.Load(&p)
	if tex.Failed() {
		return fmt.Sprintf("%+v reads outside the image", p)
	}
	for i, v := range got {
		if d := math.Abs(float64(math.Float32frombits(v)) - want[i]); d > 1e-6 {
			return fmt.Sprintf("at %+v: component %d is off by %v", p, i, d)
		}
	}
	return ""
}

// modelSampler returns a random sampler, and stores its border colour in the
// model.
func modelSampler(r *rand.Rand, m *model, tex *Texture) *Sampler {
	p := &tex.Sampler
	*p = Sampler{MaxLOD: 4095, Unnormalized: r.IntN(3) == 0 && m.kind != KindCube, TruncCoord: r.IntN(4) == 0, Mip: MipFilter(r.IntN(3)), Compare: uint8(r.IntN(8))}
	for i := range p.Clamp {
		p.Clamp[i] = modelModes[r.IntN(len(modelModes))]
	}
	p.Mag, p.Min = Filter(r.IntN(2)), Filter(r.IntN(2))
	p.Border = uint8(r.IntN(3))
	tex.Border = tex.BorderColor(p.Border)
	m.border = [3][4]float64{{}, {3: 1}, {1, 1, 1, 1}}[p.Border]
	if r.IntN(2) == 0 {
		p.MinLOD, p.MaxLOD, p.Bias = int32(r.IntN(1024)), int32(r.IntN(1024)), int32(r.IntN(1024)-512)
	}
	return p
}

// modelLOD returns a random level of detail, bias and clamp of an instruction,
// and the limited level of detail in double precision.
func modelLOD(r *rand.Rand, m *model, p *Sampler) (lod float64, bias, clamp float32, limited float64) {
	switch r.IntN(6) {
	case 0:
		lod = float64(r.IntN(6))
	case 1:
		lod = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30}[r.IntN(5)]
	default:
		lod = r.Float64()*7 - 1
	}
	if r.IntN(3) == 0 {
		bias = float32(r.Float64()*4 - 2)
	}
	least := max(float64(p.MinLOD)/256, m.minLOD)
	if r.IntN(3) == 0 {
		clamp = float32(r.IntN(1280)) / 256
		least = max(least, float64(clamp))
	}
	limited = lod + float64(bias) + float64(p.Bias)/256
	if !(limited >= least) { // or NaN
		limited = least
	}
	return lod, bias, clamp, max(min(limited, float64(p.MaxLOD)/256), least)
}

// samplePoint samples a random point and compares the result with the model's.
func samplePoint(r *rand.Rand, m *model, tex *Texture) string {
	p := modelSampler(r, m, tex)
	q := modelPoint{Point: Point{Steps: 1, Ref: float32(r.Float64()*2 - 0.5)}, compare: r.IntN(4) == 0}
	far := q.placePoint(r, m, p)
	lod, bias, clamp, limited := modelLOD(r, m, p)
	q.LOD, _ = tex.Limit(lod, bias, clamp)
	got := tex.Sample(&q.Point, q.compare)
	if tex.Failed() {
		return "reads outside the image"
	}
	if far {
		return "" // only that nothing is read outside
	}
	q.ref = float64(q.Ref)
	if tex.Texels.Num != Float {
		q.ref = min(max(q.ref, 0), 1)
	}
	lo, hi := m.levelBounds(p, &q, limited)
	for i := range got {
		v := float64(math.Float32frombits(got[i]))
		if !(v >= lo[i]-1e-5 && v <= hi[i]+1e-5) {
			return fmt.Sprintf("%+v, level of detail %v: component %d is %v, expected %v to %v", q, limited, i, v, lo[i], hi[i])
		}
	}
	return ""
}

// modelPoint is a point to sample. Coordinates in texels are of the view's first
// level.
type modelPoint struct {
	Point
	layer   int // of the view; of a cube map, the first layer of the cube
	face    int
	compare bool
	ref     float64
}

// placePoint chooses coordinates. It reports whether one is not a number, or so
// far away that its texel is not defined by it.
func (q *modelPoint) placePoint(r *rand.Rand, m *model, p *Sampler) (far bool) {
	if m.kind == KindCube {
		q.face = r.IntN(6)
		cube := r.IntN(m.layers/6 + 1)
		q.Layer = float32(q.face + 8*cube)
		q.layer = min(cube, m.layers/6-1) * 6
		for i := range 2 {
			q.At[i] = float32(1 + r.Float64())
			if r.IntN(8) == 0 {
				q.At[i] = float32(1 + r.IntN(2))
			}
		}
		return false
	}
	size := m.levels[0].size
	for i := range m.kind.Dims() {
		q.At[i] = coordinate(r, size[i], p.Unnormalized)
		_, ok := texelsOf(q.At[i], size[i], p.Unnormalized)
		far = far || !ok
		q.Offset[i] = int32(r.IntN(16) - 8)
	}
	if m.kind.Layered() {
		q.Layer = float32(r.IntN(9)-2) + float32(r.IntN(3)-1)*0.4
		q.layer = min(max(int(math.RoundToEven(float64(q.Layer))), 0), m.layers-1)
	}
	return far
}

// bounds are the least and the greatest values of the components of a result.
type bounds struct{ lo, hi [4]float64 }

// unite extends bounds to other ones.
func (b *bounds) unite(lo, hi [4]float64) {
	for i := range lo {
		b.lo[i], b.hi[i] = min(b.lo[i], lo[i]), max(b.hi[i], hi[i])
	}
}

func noBounds() (b bounds) {
	for i := range b.lo {
		b.lo[i], b.hi[i] = math.Inf(1), math.Inf(-1)
	}
	return b
}

// levelBounds returns the bounds of a result for a level of detail that is
// uncertain by half of 1/256.
func (m *model) levelBounds(p *Sampler, q *modelPoint, lod float64) (lo, hi [4]float64) {
	b := noBounds()
	last := float64(len(m.levels) - 1)
	lods := []float64{lod - slack, lod + slack}
	if n := math.Round(lod); math.Abs(n-lod) < slack {
		lods = append(lods, n)
	}
	for _, x := range lods {
		filters := []Filter{p.Min}
		if x <= slack {
			filters = append(filters, p.Mag)
		}
		if x < -slack {
			filters = filters[1:]
		}
		for _, f := range filters {
			x := min(max(x, 0), last)
			switch p.Mip {
			case MipNone:
				b.unite(m.pointBounds(p, q, 0, f.linear()))
			case MipPoint:
				b.unite(m.pointBounds(p, q, int(math.Floor(x+0.5)), f.linear()))
			case MipLinear:
				n := int(x)
				w := x - float64(n)
				lo0, hi0 := m.pointBounds(p, q, n, f.linear())
				if w > 0 {
					lo1, hi1 := m.pointBounds(p, q, n+1, f.linear())
					for i := range lo0 {
						lo0[i], hi0[i] = lo0[i]*(1-w)+lo1[i]*w, hi0[i]*(1-w)+hi1[i]*w
					}
				}
				b.unite(lo0, hi0)
			}
		}
	}
	return b.lo, b.hi
}

// pointBounds returns the bounds of the result in a level for coordinates that
// are uncertain by slack: of a point filter the texels, of a linear filter the
// exact interpolation.
func (m *model) pointBounds(p *Sampler, q *modelPoint, level int, linear bool) (lo, hi [4]float64) {
	b := noBounds()
	dims := m.kind.Dims()
	for k := range []int{1, 3, 9, 27}[dims] {
		var x [3]float64
		for i := range dims {
			if x[i], _ = texelsOf(q.At[i], m.levels[level].size[i], p.Unnormalized); m.kind == KindCube {
				x[i] -= float64(m.levels[level].size[i])
			}
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
		b.unite(m.filter(p, q, x, level, linear))
	}
	return b.lo, b.hi
}

// filter evaluates the filter in double precision. Results of comparisons are
// uncertain if a texel is near the reference value.
func (m *model) filter(p *Sampler, q *modelPoint, x [3]float64, level int, linear bool) (lo, hi [4]float64) {
	add := func(i [3]int, w float64) {
		c := m.texelOf(p, q, level, i)
		for n, v := range c {
			a, b := v, v
			if q.compare {
				a, b = compareBounds(p.Compare, q.ref, v)
			}
			lo[n], hi[n] = lo[n]+w*a, hi[n]+w*b
		}
	}
	dims := m.kind.Dims()
	if !linear {
		i := [3]int{0, 0, q.layer}
		for d := range dims {
			i[d] = int(math.Floor(x[d])) + int(q.Offset[d])
			if m.kind == KindCube {
				i[d] = min(max(i[d], 0), m.levels[level].size[d]-1)
			}
		}
		add(i, 1)
		return lo, hi
	}
	for k := range 1 << dims {
		w, i := 1.0, [3]int{0, 0, q.layer}
		for d := range dims {
			base := math.Floor(x[d] - 0.5)
			frac := x[d] - 0.5 - base
			if k>>d&1 == 0 {
				frac = 1 - frac
			}
			w *= frac
			i[d] = int(base) + k>>d&1 + int(q.Offset[d])
		}
		if w != 0 {
			add(i, w)
		}
	}
	return lo, hi
}

// compareBounds returns the bounds of a comparison's result.
func compareBounds(fn uint8, ref, v float64) (lo, hi float64) {
	if math.Abs(ref-v) < 1e-6 && fn != 0 && fn != 7 {
		return 0, 1
	}
	if [...]bool{false, ref < v, ref == v, ref <= v, ref > v, ref != v, ref >= v, true}[fn] {
		return 1, 1
	}
	return 0, 0
}

// texelOf returns the texel at a position that can be outside the image.
func (m *model) texelOf(p *Sampler, q *modelPoint, level int, i [3]int) [4]float64 {
	if m.kind == KindCube {
		return m.cubeTexel(level, q.layer, q.face, i[0], i[1])
	}
	for d := range m.kind.Dims() {
		i[d] = wrap(i[d], m.levels[level].size[d], p.Clamp[d])
	}
	return m.at(level, i[0], i[1], i[2], 0)
}

// cubeTexel returns the texel of a face, or across its edge, or the mean of the
// three texels at a corner.
func (m *model) cubeTexel(level, first, face, x, y int) (c [4]float64) {
	n := m.levels[level].size[0]
	outX, outY := x < 0 || x >= n, y < 0 || y >= n
	inX, inY := min(max(x, 0), n-1), min(max(y, 0), n-1)
	switch {
	case !outX && !outY:
		return m.at(level, x, y, first+face, 0)
	case outX && outY:
		a, b, d := m.cubeTexel(level, first, face, inX, inY), m.cubeTexel(level, first, face, x, inY), m.cubeTexel(level, first, face, inX, y)
		for i := range c {
			c[i] = (a[i] + b[i] + d[i]) / 3
		}
		return c
	}
	// The texel is folded around the edge: half a texel beyond it in the plane of
	// the face becomes half a texel below it on the other face.
	inner := cubePosition(face, (2*float64(inX)+1)/float64(n)-1, (2*float64(inY)+1)/float64(n)-1)
	outer := cubePosition(face, (2*float64(x)+1)/float64(n)-1, (2*float64(y)+1)/float64(n)-1)
	for i := range outer {
		switch {
		case math.Abs(outer[i]) > 1:
			outer[i] = math.Copysign(1, outer[i])
		case math.Abs(inner[i]) == 1:
			outer[i] = math.Copysign(1-1/float64(n), outer[i])
		}
	}
	for other := range 6 {
		if other == face {
			continue
		}
		for ty := range n {
			for tx := range n {
				if tx > 0 && tx < n-1 && ty > 0 && ty < n-1 {
					continue
				}
				p := cubePosition(other, (2*float64(tx)+1)/float64(n)-1, (2*float64(ty)+1)/float64(n)-1)
				if math.Abs(p[0]-outer[0])+math.Abs(p[1]-outer[1])+math.Abs(p[2]-outer[2]) < 1e-9 {
					return m.at(level, tx, ty, first+other, 0)
				}
			}
		}
	}
	panic("no texel across the edge")
}

// cubePosition returns the position on the surface of a cube for coordinates
// from -1 to 1 in a face. Source: Vulkan, "Cube map face selection".
func cubePosition(face int, sc, tc float64) [3]float64 {
	switch face {
	case 0:
		return [3]float64{1, -tc, -sc}
	case 1:
		return [3]float64{-1, -tc, sc}
	case 2:
		return [3]float64{sc, 1, tc}
	case 3:
		return [3]float64{sc, -1, -tc}
	case 4:
		return [3]float64{sc, -tc, 1}
	}
	return [3]float64{-sc, -tc, -1}
}

// TestGatherModel compares gathers with the model.
func TestGatherModel(t *testing.T) {
	forModels(t, 2, []Kind{Kind2D, Kind2DArray, KindCube}, 5, 250, gatherPoint)
}

// gatherPoint gathers at a random point and compares the result with the model's.
func gatherPoint(r *rand.Rand, m *model, tex *Texture) string {
	p := modelSampler(r, m, tex)
	if p.Mip == MipLinear {
		p.Mip = MipPoint
	}
	q := modelPoint{Point: Point{Steps: 1, Ref: float32(r.Float64())}, compare: r.IntN(3) == 0}
	far := q.placePoint(r, m, p)
	q.ref = float64(q.Ref)
	lod, bias, clamp, limited := modelLOD(r, m, p)
	q.LOD, _ = tex.Limit(lod, bias, clamp)
	comp := r.IntN(4)
	got := tex.Gather(&q.Point, comp, q.compare, false)
	if tex.Failed() {
		return "reads outside the image"
	}
	level, near := 0, false
	if p.Mip == MipPoint {
		x := min(max(limited, 0), float64(len(m.levels)-1)) + 0.5
		level = int(x)
		near = math.Abs(x-math.Round(x)) < slack
		level = min(level, len(m.levels)-1)
	}
	var base [2]int
	for i := range base {
		x, _ := texelsOf(q.At[i], m.levels[level].size[i], p.Unnormalized)
		if m.kind == KindCube {
			x -= float64(m.levels[level].size[i])
		}
		x -= 0.5
		near = near || math.Abs(x-math.Round(x)) < slack
		base[i] = int(math.Floor(x)) + int(q.Offset[i])
	}
	if far || near {
		return ""
	}
	for i, at := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		lo := m.texelOf(p, &q, level, [3]int{base[0] + at[0], base[1] + at[1], q.layer})[comp]
		hi := lo
		if q.compare {
			lo, hi = compareBounds(p.Compare, q.ref, lo)
		}
		if v := float64(math.Float32frombits(got[i])); !(v >= lo-1e-6 && v <= hi+1e-6) {
			return fmt.Sprintf("%+v, component %d: texel %d is %v, want %v to %v", q, comp, i, v, lo, hi)
		}
	}
	return ""
}

// TestLoadBlocks loads texels of images in levels whose elements are blocks of
// texels, and of the format with elements of 12 bytes.
func TestLoadBlocks(t *testing.T) {
	for _, s := range sets {
		r := rand.New(rand.NewPCG(7, uint64(s)))
		images := 0
		for n := 0; n < modelRuns(4000); n++ {
			data := []string{"BC1", "BC4", "BC7", "32_32_32"}[r.IntN(4)]
			num, side := Unorm, uint32(4)
			if data == "32_32_32" {
				num, side = Float, 1
			}
			number, ok := FormatsOf(s).Number(data, num)
			if !ok {
				t.Fatalf("%v has no format %s", s, data)
			}
			f := FormatsOf(s).Get(number)
			res := Resource{Base: 1 << 20, Format: number, Kind: Kind2DArray, Select: IdentitySelect, Width: 1 + r.Uint32N(60), Height: 1 + r.Uint32N(60), Depth: 1,
				LastLayer: r.Uint32N(3), Tiling: r.Uint32N(32)}
			res.Levels = 1 + r.Uint32N(uint32(bits.Len32(max(res.Width, res.Height))))
			res.LastLevel = res.Levels - 1
			up := func(texels uint32) uint32 { return (texels + side - 1) / side }
			surface := tiling.Surface{Mode: uint8(res.Tiling), Kind: tiling.Kind2D, Bytes: f.Bytes, Width: up(res.Width), Height: up(res.Height), Depth: res.LastLayer + 1,
				Levels: res.Levels, Block: uint8(side), TexelRows: res.Height, Config: *tiling.ConfigOf(processorOf(t, s))}
			each := uint32(1) // elements of the layout in an element
			if f.Bytes == 12 {
				surface.Bytes, each, surface.TexelRows = 4, 3, 0
				surface.Width *= each
			}
			l, err := tiling.New(s, surface)
			if err != nil || f.Bytes == 12 && !l.Linear() {
				continue
			}
			words, err := res.Encode(s)
			if err != nil {
				t.Fatal(err)
			}
			v, err := NewView(s, &surface.Config, &words)
			if err != nil {
				t.Fatalf("%v %s %+v: %v", s, data, res, err)
			}
			// The layout may count one of the three elements of 4 bytes in a level
			// that is one texel wide.
			mem := &basedMemory{base: 1 << 20, data: make(flatMemory, l.Size()+8)}
			for i := range mem.data {
				mem.data[i] = byte(r.Uint32())
			}
			tex := &Texture{View: v, Mem: mem}
			images++
			for range 50 {
				p := Position{Level: r.Uint32N(res.Levels), Z: r.Uint32N(res.LastLayer + 1)}
				p.X, p.Y = r.Uint32N(max(res.Width>>p.Level, 1)), r.Uint32N(max(res.Height>>p.Level, 1))
				var raw Raw
				if !mem.ReadElement(1<<20+l.Offset(p.X/side*each, p.Y/side, p.Z, 0, p.Level), f.Bytes, &raw) {
					t.Fatalf("%v %s %+v at %+v: the element at %d is outside of %d bytes", s, data, res, p, l.Offset(p.X/side*each, p.Y/side, p.Z, 0, p.Level), l.Size())
				}
				if got, want := tex.Load(&p), f.texelOf(&raw, p.X, p.Y); got != want || tex.Failed() {
					t.Fatalf("%v %s %+v at %+v: %v, want %v", s, data, res, p, got, want)
				}
			}
		}
		if images < 15 {
			t.Errorf("%v: %d images", s, images)
		}
	}
}
