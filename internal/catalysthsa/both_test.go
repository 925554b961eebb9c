package catalysthsa

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/catalystrun"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// corpus returns a binary of the corpus.
func corpus(t *testing.T, name string) *catalyst.Binary {
	t.Helper()
	data, err := os.ReadFile(oracle.Shared(t, "catalyst/bin/"+name+".bin"))
	check(t, err)
	b, err := catalyst.Read(data)
	check(t, err)
	return b
}

// machine is a simulated GPU.
type machine struct {
	t     *testing.T
	agent *hsa.Agent
	queue *hsa.Queue
}

func newMachine(t *testing.T, processor string, checks device.Checks) *machine {
	t.Helper()
	gpu, err := target.New("", processor, "")
	check(t, err)
	s := hsa.NewSystem(hsa.Options{Simulator: device.Options{Checks: checks, Finding: func(f *device.Finding) {
		t.Errorf("finding: %v", f)
	}}})
	t.Cleanup(func() { s.Shutdown() })
	m := &machine{t: t}
	m.agent, err = s.NewGPU(gpu)
	check(t, err)
	m.queue, err = m.agent.NewQueue(hsa.QueueOptions{})
	check(t, err)
	return m
}

// launch is a dispatch: a []byte among the arguments is a buffer with these
// contents.
type launch struct {
	grid hsa.Grid
	args []any
}

// allocate replaces contents by buffers, which it also returns.
func (m *machine) allocate(args []any) (list []any, buffers []*hsa.Buffer) {
	m.t.Helper()
	for _, a := range args {
		if data, ok := a.([]byte); ok {
			b, err := m.agent.Allocate(uint64(len(data)))
			check(m.t, err)
			copy(b.Bytes(), data)
			buffers = append(buffers, b)
			a = b
		}
		list = append(list, a)
	}
	return list, buffers
}

func contents(buffers []*hsa.Buffer) (list [][]byte) {
	for _, b := range buffers {
		list = append(list, bytes.Clone(b.Bytes()))
	}
	return list
}

// runCatalyst runs the first kernel of a binary.
func (m *machine) runCatalyst(b *catalyst.Binary, l launch) [][]byte {
	m.t.Helper()
	k, err := catalystrun.Load(m.agent, b, 0)
	check(m.t, err)
	args, buffers := m.allocate(l.args)
	_, err = k.Dispatch(context.Background(), m.queue, l.grid, args...)
	check(m.t, err)
	return contents(buffers)
}

// runHSA runs a kernel of a code object.
func (m *machine) runHSA(data []byte, name string, l launch) [][]byte {
	m.t.Helper()
	e, err := m.agent.Load(data, name)
	check(m.t, err)
	k, err := e.Kernel(name)
	check(m.t, err)
	args, buffers := m.allocate(l.args)
	_, err = m.queue.Dispatch(context.Background(), k, l.grid, args...)
	check(m.t, err)
	return contents(buffers)
}

// words returns n dwords.
func words(n int, f func(i int) uint32) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, f(i))
	}
	return b
}

func floats(n int, f func(i int) float32) []byte {
	return words(n, func(i int) uint32 { return math.Float32bits(f(i)) })
}

func doubles(n int, f func(i int) float64) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f(i)))
	}
	return b
}

func grid(size [3]uint32, group [3]uint16) hsa.Grid { return hsa.Grid{Size: size, Group: group} }

// corpusKernels lists the kernels of the corpus that both formats express.
var corpusKernels = []struct {
	name  string
	files []string
	launch
}{
	{"k-vecadd", []string{"Pitcairn-170203", "Tahiti-64-180005", "Tonga-180005"}, launch{grid([3]uint32{1024}, [3]uint16{128}), []any{
		floats(1000, func(i int) float32 { return float32(i) }), floats(1000, func(i int) float32 { return 1000 - 3*float32(i) }), make([]byte, 4000), uint32(990)}}},
	{"k-vecadd64", []string{"Bonaire-170203", "Hawaii-64-180005"}, launch{grid([3]uint32{256}, [3]uint16{64}), []any{
		words(256, func(i int) uint32 { return uint32(7 * i) }), make([]byte, 1024), int32(-5)}}},
	{"k-reduce", []string{"Pitcairn-170203", "Tahiti-64-180005"}, launch{grid([3]uint32{1280}, [3]uint16{256}), []any{
		make([]byte, 20), words(1280, func(i int) uint32 { return uint32(i*i + 3) })}}},
	{"k-histogram", []string{"Pitcairn-170203", "Tahiti-64-180005"}, launch{grid([3]uint32{768}, [3]uint16{256}), []any{
		make([]byte, 1024), words(768, func(i int) uint32 { return uint32(i*0x01030507 + 11) })}}},
	{"k-transpose", []string{"Pitcairn-170203", "Tahiti-64-180005"}, launch{grid([3]uint32{48, 32}, [3]uint16{16, 16}), []any{
		make([]byte, 4*48*32), words(48*32, func(i int) uint32 { return uint32(3 * i) }), uint32(48), uint32(32)}}},
	{"k-double", []string{"Pitcairn-170203", "Tahiti-64-180005", "Tonga-180005"}, launch{grid([3]uint32{128}, [3]uint16{64}), []any{
		doubles(128, func(i int) float64 { return 5 - float64(i) }), doubles(128, func(i int) float64 { return float64(i) / 3 }), float64(1.25)}}},
	{"k-dct8x8", []string{"Pitcairn-170203", "Tahiti-64-180005", "Tonga-180005"}, launch{grid([3]uint32{16, 8}, [3]uint16{8, 8}), []any{
		make([]byte, 512), floats(128, func(i int) float32 { return float32(i%7) - float32(i%5) }),
		floats(64, func(i int) float32 { return float32(math.Cos(float64(i/8) * (float64(i%8) + 0.5) * math.Pi / 8)) }), hsa.LDS(256), uint32(16), uint32(0)}}},
	{"k-wavesum", []string{"Tonga-180005", "Fiji-64-191205"}, launch{grid([3]uint32{256}, [3]uint16{64}), []any{
		make([]byte, 16), words(256, func(i int) uint32 { return uint32(i*i + 1) })}}},
	{"k-mandel", []string{"Pitcairn-170203", "Tahiti-64-180005"}, launch{grid([3]uint32{32, 16}, [3]uint16{8, 8}), []any{
		make([]byte, 4*32*16), uint32(32), float32(-2), float32(-1), float32(0.09), uint32(50)}}},
	{"k-flatcopy", []string{"Fiji-64-191205"}, launch{grid([3]uint32{128}, [3]uint16{64}), []any{
		make([]byte, 2048), words(512, func(i int) uint32 { return uint32(5*i + 1) })}}},
}

// TestCorpusToHSA runs kernels of the corpus in both forms: the buffers end with
// the same contents.
func TestCorpusToHSA(t *testing.T) {
	for _, k := range corpusKernels {
		for _, file := range k.files {
			t.Run(k.name+"."+file, func(t *testing.T) {
				b := corpus(t, k.name+"."+file)
				data, err := ToHSA(b, "")
				check(t, err)
				m := newMachine(t, b.Device.Processor, device.CheckAll)
				same(t, k.launch, m.runCatalyst(b, k.launch), m.runHSA(data, b.Kernels[0].Name, k.launch))
			})
		}
	}
}

// TestSourcesToHSA runs the sources of these kernels in both forms on two devices
// of each instruction set, where they assemble.
func TestSourcesToHSA(t *testing.T) {
	runs := map[catalyst.Arch]int{}
	for _, k := range corpusKernels {
		text, err := os.ReadFile(oracle.Shared(t, "catalyst/src/"+k.name+".s"))
		check(t, err)
		for _, d := range []struct {
			name string
			wide bool
		}{{"Pitcairn", false}, {"Tahiti", true}, {"Bonaire", false}, {"Hawaii", true}, {"Tonga", false}, {"Fiji", true}} {
			gpu := catalyst.LookupDevice(d.name)
			r, found := clrx.Assemble(&diag.Source{Name: k.name, Text: text}, clrx.Options{Device: gpu, Wide: d.wide, DriverVersion: 180005})
			if found.HasErrors() || k.name == "k-flatcopy" && gpu.Arch != catalyst.GCN12 { // its offsets are in bytes
				continue
			}
			t.Run(k.name+"."+d.name, func(t *testing.T) {
				b, err := catalyst.Read(r.Binary)
				check(t, err)
				data, err := ToHSA(b, "")
				check(t, err)
				m := newMachine(t, gpu.Processor, device.CheckAll)
				want := m.runCatalyst(b, k.launch)
				same(t, k.launch, want, m.runHSA(data, b.Kernels[0].Name, k.launch))
				back, err := FromHSA(data, Options{Device: gpu, Driver: catalyst.DriverOf(180005)})
				check(t, err)
				b, err = catalyst.Read(back)
				check(t, err)
				same(t, k.launch, want, m.runCatalyst(b, k.launch))
				runs[gpu.Arch]++
			})
		}
	}
	t.Logf("runs by architecture: %v", runs)
}

// same compares the contents of buffers, which the kernel must have changed.
func same(t *testing.T, l launch, want, got [][]byte) {
	t.Helper()
	_, before := []any(nil), [][]byte(nil)
	for _, a := range l.args {
		if data, ok := a.([]byte); ok {
			before = append(before, data)
		}
	}
	changed := false
	for i := range want {
		changed = changed || !bytes.Equal(before[i], want[i])
		if !bytes.Equal(want[i], got[i]) {
			t.Errorf("buffer %d differs", i)
		}
	}
	if !changed {
		t.Error("the kernel changed no buffer")
	}
}
