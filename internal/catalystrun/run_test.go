package catalystrun

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

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
	gpu, err := target.New("", b.Device.Processor, "")
	check(t, err)
	s := hsa.NewSystem(hsa.Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) {
		t.Errorf("finding: %v", f)
	}}})
	t.Cleanup(func() { s.Shutdown() })
	a, err := s.NewGPU(gpu)
	check(t, err)
	return a
}

func newMachine(t *testing.T, b *catalyst.Binary) *machine {
	t.Helper()
	m := &machine{t: t, agent: newAgent(t, b)}
	var err error
	m.queue, err = m.agent.NewQueue(hsa.QueueOptions{})
	check(t, err)
	m.kernel, err = Load(m.agent, b, 0)
	check(t, err)
	return m
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

// kernels lists the kernels of the corpus with their tests.
var kernels = []struct {
	name  string
	files []string
	run   func(m *machine)
}{
	{"k-vecadd", []string{"Pitcairn-170203", "Tahiti-64-180005", "Tonga-180005"}, vectorAdd},
	{"k-vecadd64", []string{"Bonaire-170203", "Hawaii-64-180005"}, addNumber},
	{"k-reduce", []string{"Pitcairn-170203", "Tahiti-64-180005"}, reduction},
	{"k-histogram", []string{"Pitcairn-170203", "Tahiti-64-180005"}, histogram},
	{"k-transpose", []string{"Pitcairn-170203", "Tahiti-64-180005"}, transpose},
	{"k-double", []string{"Pitcairn-170203", "Tahiti-64-180005", "Tonga-180005"}, double},
	{"k-dct8x8", []string{"Pitcairn-170203", "Tahiti-64-180005", "Tonga-180005"}, cosine},
	{"k-wavesum", []string{"Tonga-180005", "Fiji-64-191205"}, waveSum},
	{"k-mandel", []string{"Pitcairn-170203", "Tahiti-64-180005"}, escapeTimes},
}

// TestKernels runs kernels on the device of their binaries, with all checks of
// the simulator.
func TestKernels(t *testing.T) {
	for _, k := range kernels {
		for _, file := range k.files {
			t.Run(k.name+"."+file, func(t *testing.T) { k.run(newMachine(t, read(t, k.name+"."+file))) })
		}
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

// TestUnsupported checks the errors about what does not exist.
func TestUnsupported(t *testing.T) {
	for name, want := range map[string]string{
		"k-imagecopy.Pitcairn-170203": "type image2d is not supported",
		"k-sampler.Pitcairn-170203":   "not supported",
		"k-printf.Pitcairn-170203":    "printf is not supported",
		"k-scratch.Pitcairn-170203":   "scratch memory is not supported",
		"note-min.Pitcairn-170203":    "the metadata do not begin with ;",
	} {
		b := read(t, name)
		if _, err := Load(newAgent(t, b), b, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
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
