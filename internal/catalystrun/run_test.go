package catalystrun

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// machine is a simulated GPU with a loaded kernel.
type machine struct {
	t      *testing.T
	agent  *hsa.Agent
	queue  *hsa.Queue
	kernel *Kernel
}

// read returns a binary of the corpus.
func read(t *testing.T, name string) *catalyst.Binary {
	t.Helper()
	data, err := os.ReadFile(oracle.Shared(t, "catalyst/bin/"+name+".bin"))
	check(t, err)
	b, err := catalyst.Read(data)
	check(t, err)
	return b
}

// newAgent returns a simulated GPU of a binary's device, with all checks.
func newAgent(t *testing.T, b *catalyst.Binary) *hsa.Agent {
	t.Helper()
	return newAgentWith(t, b, func(f *device.Finding) { t.Errorf("finding: %v", f) })
}

func newAgentWith(t *testing.T, b *catalyst.Binary, finding func(*device.Finding)) *hsa.Agent {
	t.Helper()
	gpu, err := target.New("", b.Device.Processor, "")
	check(t, err)
	s := hsa.NewSystem(hsa.Options{Simulator: device.Options{Checks: device.CheckAll, Finding: finding}})
	t.Cleanup(func() { s.Shutdown() })
	a, err := s.NewGPU(gpu)
	check(t, err)
	return a
}

func newMachine(t *testing.T, b *catalyst.Binary) *machine {
	t.Helper()
	m := &machine{t: t, agent: newAgent(t, b)}
	m.load(b)
	return m
}

// load makes the queue and loads the kernel.
func (m *machine) load(b *catalyst.Binary) {
	m.t.Helper()
	var err error
	m.queue, err = m.agent.NewQueue(hsa.QueueOptions{})
	check(m.t, err)
	m.kernel, err = Load(m.agent, b, 0)
	check(m.t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// buffer returns memory with values.
func buffer[T any](m *machine, values []T) *hsa.Buffer {
	m.t.Helper()
	size := uint64(4)
	if _, ok := any(values).([]float64); ok {
		size = 8
	}
	b, err := m.agent.Allocate(uint64(len(values)) * size)
	check(m.t, err)
	copy(hsa.Slice[T](b), values)
	return b
}

// dispatch runs the kernel.
func (m *machine) dispatch(size [3]uint32, group [3]uint16, args ...any) {
	m.t.Helper()
	_, err := m.kernel.Dispatch(context.Background(), m.queue, hsa.Grid{Size: size, Group: group}, args...)
	check(m.t, err)
}

// equal compares the contents of a buffer.
func equal[T comparable](t *testing.T, b *hsa.Buffer, want func(i int) T) {
	t.Helper()
	for i, v := range hsa.Slice[T](b) {
		if w := want(i); v != w {
			t.Fatalf("element %d is %v, want %v", i, v, w)
		}
	}
}

// ramp returns n numbers.
func ramp[T any](n int, f func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

// devices lists the devices on which kernels run: two of each instruction set,
// one with 32-bit and one with 64-bit binaries.
var devices = []struct {
	name string
	wide bool
}{{"Pitcairn", false}, {"Tahiti", true}, {"Bonaire", false}, {"Hawaii", true}, {"Tonga", false}, {"Fiji", true}}

// assemble returns the binary of a source for a device.
func assemble(t *testing.T, file, device string, wide bool) *catalyst.Binary {
	t.Helper()
	return assembleText(t, contents(t, file), clrx.Options{Device: catalyst.LookupDevice(device), Wide: wide, DriverVersion: 180005})
}

// Sets of instruction sets.
var (
	first = []catalyst.Arch{catalyst.GCN10, catalyst.GCN11}
	last  = []catalyst.Arch{catalyst.GCN12}
	flat  = []catalyst.Arch{catalyst.GCN11, catalyst.GCN12}
)

// kernelFile is a source with its test.
type kernelFile struct {
	name string
	arch []catalyst.Arch // instruction sets that have its instructions, nil for all
	run  func(m *machine)
}

// corpus lists the sources of the corpus.
var corpus = []kernelFile{
	{"k-vecadd", nil, vectorAdd},
	{"k-vecadd64", first, addNumber}, // buffers with addr64
	{"k-reduce", nil, reduction},
	{"k-histogram", nil, histogram},
	{"k-transpose", nil, transpose},
	{"k-double", nil, double},
	{"k-dct8x8", nil, cosine},
	{"k-wavesum", last, waveSum}, // DPP
	{"k-mandel", nil, escapeTimes},
	{"k-flatcopy", last, flatCopy}, // on GCN 1.1 it reads its second argument at offset 64 instead of 16
	{"k-imagecopy", nil, imageCopy},
	{"k-sampler", nil, zoom},
	{"k-scratch", flat, turned}, // on GCN 1.0 it overwrites data of stores, see TestScratchHazard
	{"k-printf", nil, record},
}

// samples lists the sources of testdata.
var samples = []kernelFile{
	{"scratch", nil, turned},
	{"stack", nil, tickets},
	{"counters", nil, compact},
	{"slices", nil, slicesOfImages},
	{"shapes", nil, shapes},
	{"samplers", nil, blend},
	{"immediates", nil, immediates},
	{"formats", nil, formats},
	{"scan", nil, scan},
	{"extremes", nil, extremes},
	{"constants", nil, constants},
	{"wavesum", nil, waveSum},
	{"flatcopy", flat, flatCopy},
	{"groups", nil, groups},
	{"record", nil, record},
}

// TestSamples runs the kernels of testdata on all devices with their
// instructions.
func TestSamples(t *testing.T) { runSources(t, samples, "testdata/") }

// TestCorpus does the same with the kernels of the corpus.
func TestCorpus(t *testing.T) { runSources(t, corpus, oracle.Shared(t, "catalyst/src")+"/") }

func runSources(t *testing.T, list []kernelFile, folder string) {
	for _, k := range list {
		for _, d := range devices {
			if k.arch != nil && !slices.Contains(k.arch, catalyst.LookupDevice(d.name).Arch) {
				continue
			}
			t.Run(k.name+"."+d.name, func(t *testing.T) {
				k.run(newMachine(t, assemble(t, folder+k.name+".s", d.name, d.wide)))
			})
		}
	}
}

// image returns an image with texels.
func image(m *machine, d hsa.ImageDescriptor, texel func(x, y, z int) [4]float32) *hsa.Image {
	m.t.Helper()
	img, err := m.agent.NewImage(d, "image")
	check(m.t, err)
	check(m.t, img.ImportTexels(floats(&d, texel), 0, 0, hsa.ImageRegion{}))
	return img
}

// floats returns the texels of an image of four 32-bit components, packed.
func floats(d *hsa.ImageDescriptor, texel func(x, y, z int) [4]float32) (data []byte) {
	for z := range max(int(d.Depth), int(d.ArraySize), 1) {
		for y := range max(int(d.Height), 1) {
			for x := range int(d.Width) {
				for _, v := range texel(x, y, z) {
					data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
				}
			}
		}
	}
	return data
}

// equalImage compares the texels of an image.
func equalImage(m *machine, img *hsa.Image, want func(x, y, z int) [4]float32) {
	m.t.Helper()
	expected := floats(&img.Descriptor, want)
	got := make([]byte, len(expected))
	check(m.t, img.ExportTexels(got, 0, 0, hsa.ImageRegion{}))
	for i := 0; i < len(got); i += 4 {
		g, w := math.Float32frombits(binary.LittleEndian.Uint32(got[i:])), math.Float32frombits(binary.LittleEndian.Uint32(expected[i:]))
		if g != w {
			m.t.Fatalf("component %d of texel %d is %v, want %v", i/4%4, i/16, g, w)
		}
	}
}

// picture describes a two-dimensional image.
func picture(width, height uint32, a hsa.ImageAccess) hsa.ImageDescriptor {
	return hsa.ImageDescriptor{Geometry: hsa.Image2D, Width: width, Height: height, Type: hsa.ChannelFloat, Order: hsa.OrderRGBA, Access: a}
}

// pattern is the contents of images.
func pattern(x, y, z int) [4]float32 {
	return [4]float32{float32(x), float32(16 * y), float32(x*x + 5*y), float32(1000*z + 7*x + y)}
}

func blank(int, int, int) [4]float32 { return [4]float32{} }

func imageCopy(m *machine) {
	src, dst := image(m, picture(20, 18, hsa.AccessRO), pattern), image(m, picture(20, 18, hsa.AccessWO), blank)
	m.dispatch([3]uint32{32, 32}, [3]uint16{16, 16}, src, dst)
	equalImage(m, dst, pattern)
}

// zoom reads a picture of 8 x 8 texels at multiples of half a texel and of an
// eighth of the size.
func zoom(m *machine) {
	src, dst := image(m, picture(8, 8, hsa.AccessRO), pattern), image(m, picture(16, 16, hsa.AccessWO), blank)
	smp, err := m.agent.NewSampler(hsa.SamplerDescriptor{Addressing: hsa.AddressRepeat}, "nearest")
	check(m.t, err)
	m.dispatch([3]uint32{16, 16}, [3]uint16{8, 8}, src, dst, smp, float32(0.5), float32(0.25))
	clamp := func(i int) int { return min(max(i, 0), 7) }
	equalImage(m, dst, func(x, y, _ int) (out [4]float32) {
		// Normalized: whole texels with repetition.
		a := pattern(x*4%8, y*2%8, 0)
		// In texels: between the four nearest texels, in 1/4 steps.
		u, v := float64(x)*0.5-0.5, float64(y)*0.25-0.5
		x0, y0 := math.Floor(u), math.Floor(v)
		for i := range out {
			at := func(dx, dy int) float64 { return float64(pattern(clamp(int(x0)+dx), clamp(int(y0)+dy), 0)[i]) }
			fx, fy := u-x0, v-y0
			b := (at(0, 0)*(1-fx)+at(1, 0)*fx)*(1-fy) + (at(0, 1)*(1-fx)+at(1, 1)*fx)*fy
			out[i] = float32((float64(a[i]) + b) / 2)
		}
		return out
	})
}

func turned(m *machine) {
	const n, pick = 256, 5
	out := buffer(m, make([]uint32, n))
	m.dispatch([3]uint32{n}, [3]uint16{64}, out, uint32(pick))
	equal(m.t, out, func(i int) uint32 { return uint32(3 * ((i + pick) & 15)) })
}

func flatCopy(m *machine) {
	const n = 4 * 128
	src := ramp(n, func(i int) uint32 { return uint32(i*i + 9) })
	out := buffer(m, make([]uint32, n))
	m.dispatch([3]uint32{n / 4}, [3]uint16{64}, out, buffer(m, src))
	equal(m.t, out, func(i int) uint32 { return src[i] })
}

// TestBinaries runs the kernels' binaries of the corpus on their devices.
func TestBinaries(t *testing.T) {
	files, err := filepath.Glob(oracle.Shared(t, "catalyst/bin") + "/k-*.bin")
	check(t, err)
	n := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bin")
		kernel, _, _ := strings.Cut(name, ".")
		i := slices.IndexFunc(corpus, func(k kernelFile) bool { return k.name == kernel })
		if i < 0 {
			t.Errorf("%s has no test", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := read(t, name)
			if k := &corpus[i]; k.arch == nil || slices.Contains(k.arch, b.Device.Arch) {
				k.run(newMachine(t, b))
				n++
			}
		})
	}
	if n < 29 {
		t.Errorf("%d binaries ran", n)
	}
}

func vectorAdd(m *machine) {
	const n, count = 1000, 990
	x := ramp(n, func(i int) float32 { return float32(i) })
	y := ramp(n, func(i int) float32 { return 1000 - 3*float32(i) })
	out := buffer(m, make([]float32, n))
	m.dispatch([3]uint32{1024}, [3]uint16{128}, buffer(m, x), buffer(m, y), out, uint32(count))
	equal(m.t, out, func(i int) float32 {
		if i < count {
			return x[i] + y[i]
		}
		return 0
	})
}

func addNumber(m *machine) {
	const n = 256
	out := buffer(m, make([]int32, n))
	m.dispatch([3]uint32{n}, [3]uint16{64}, buffer(m, ramp(n, func(i int) int32 { return int32(7 * i) })), out, int32(-5))
	equal(m.t, out, func(i int) int32 { return int32(7*i - 5) })
}

func reduction(m *machine) {
	const groups = 5
	data := ramp(256*groups, func(i int) uint32 { return uint32(i*i + 3) })
	out := buffer(m, make([]uint32, groups))
	m.dispatch([3]uint32{256 * groups}, [3]uint16{256}, out, buffer(m, data))
	equal(m.t, out, func(i int) (sum uint32) {
		for _, v := range data[256*i:][:256] {
			sum += v
		}
		return sum
	})
}

func histogram(m *machine) {
	const groups = 3
	data := ramp(256*groups, func(i int) uint32 { return uint32(i*0x01030507 + 11) })
	var want [256]uint32
	for _, v := range data {
		for ; ; v >>= 8 {
			want[v&0xff]++
			if v>>8 == 0 {
				break
			}
		}
	}
	// Upper zero bytes count as well.
	total := uint32(0)
	for _, n := range want {
		total += n
	}
	want[0] += 4*256*groups - total
	out := buffer(m, make([]uint32, 256))
	m.dispatch([3]uint32{256 * groups}, [3]uint16{256}, out, buffer(m, data))
	equal(m.t, out, func(i int) uint32 { return want[i] })
}

func transpose(m *machine) {
	const width, height = 48, 32
	src := ramp(width*height, func(i int) uint32 { return uint32(i) * 3 })
	out := buffer(m, make([]uint32, width*height))
	m.dispatch([3]uint32{width, height}, [3]uint16{16, 16}, out, buffer(m, src), uint32(width), uint32(height))
	equal(m.t, out, func(i int) uint32 { return src[i%height*width+i/height] })
}

func double(m *machine) {
	const n, a = 128, 1.25
	x := ramp(n, func(i int) float64 { return float64(i) / 3 })
	y := ramp(n, func(i int) float64 { return 5 - float64(i) })
	out := buffer(m, y)
	m.dispatch([3]uint32{n}, [3]uint16{64}, out, buffer(m, x), float64(a))
	equal(m.t, out, func(i int) float64 { return math.FMA(a, x[i], y[i]) })
}

// cosine transforms blocks of 8x8 numbers.
func cosine(m *machine) {
	const width, height = 16, 8
	src := ramp(width*height, func(i int) float32 { return float32(i%7) - float32(i%5) })
	matrix := ramp(64, func(i int) float32 { return float32(math.Cos(float64(i/8) * (float64(i%8) + 0.5) * math.Pi / 8)) })
	out := buffer(m, make([]float32, width*height))
	m.dispatch([3]uint32{width, height}, [3]uint16{8, 8}, out, buffer(m, src), buffer(m, matrix), hsa.LDS(256), uint32(width), uint32(0))
	for i, v := range hsa.Slice[float32](out) {
		row, column, first := i/width, i%width%8, i%width/8*8
		want := 0.0
		for y := range 8 {
			for x := range 8 {
				want += float64(matrix[8*row+y]) * float64(src[y*width+first+x]) * float64(matrix[8*column+x])
			}
		}
		if math.Abs(float64(v)-want) > 1e-4 {
			m.t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
}

func waveSum(m *machine) {
	const groups = 4
	data := ramp(64*groups, func(i int) uint32 { return uint32(i*i + 1) })
	out := buffer(m, make([]uint32, groups))
	m.dispatch([3]uint32{64 * groups}, [3]uint16{64}, out, buffer(m, data))
	equal(m.t, out, func(i int) (sum uint32) {
		for _, v := range data[64*i:][:64] {
			sum += v
		}
		return sum
	})
}

func escapeTimes(m *machine) {
	const width, height, limit = 32, 16, 50
	const x0, y0, scale = float32(-2), float32(-1), float32(0.09)
	out := buffer(m, make([]uint32, width*height))
	m.dispatch([3]uint32{width, height}, [3]uint16{8, 8}, out, uint32(width), x0, y0, scale, uint32(limit))
	equal(m.t, out, func(i int) (n uint32) {
		cx, cy := x0+float32(scale*float32(i%width)), y0+float32(scale*float32(i/width))
		for x, y := float32(0), float32(0); n < limit && float32(x*x)+float32(y*y) <= 4; n++ {
			xx, yy, xy := float32(x*x), float32(y*y), float32(x*y)
			x, y = float32(xx-yy)+cx, float32(xy+xy)+cy
		}
		return n
	})
}
