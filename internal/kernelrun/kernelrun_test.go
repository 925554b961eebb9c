package kernelrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/target"
)

// fake is a machine with two kernels: "inc" adds its scalar argument to each
// element of its buffer, and "fault" faults.
type fake struct {
	mem      map[uint64][]byte
	waveSize int
	wrong    int // number of the dispatch whose results are off by one
	ran      int
	seeds    []uint64
	refused  string // name of the buffer whose allocation fails
}

func (f *fake) setSeed(seed uint64) { f.seeds = append(f.seeds, seed) }

func (f *fake) target() target.ID { return target.NewID(target.HSA, target.Lookup("gfx900")) }
func (f *fake) close()            {}

func (f *fake) alloc(name string, size uint64) (uint64, []byte, error) {
	if name == f.refused {
		return 0, nil, device.ErrOutOfMemory
	}
	addr := uint64(0x1000 * (len(f.mem) + 1))
	f.mem[addr] = make([]byte, size)
	return addr, f.mem[addr], nil
}

func (f *fake) newImage(*manifest.Buffer) (*hsa.Image, error) { return nil, errors.New("no images") }

func (f *fake) newSampler(*manifest.Sampler) (uint64, error) { return 0, errors.New("no samplers") }

func (f *fake) dispatch(ctx context.Context, d *manifest.Dispatch, addrs *addresses) (*device.Stats, []byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if d.Kernel == "fault" {
		return nil, nil, &device.Fault{Kind: device.FaultTrap, Lane: -1}
	}
	f.ran++
	data, add := f.mem[addrs.of(&d.Args[0])], binary.LittleEndian.Uint32(d.Args[1].Data)
	if f.ran == f.wrong {
		add++
	}
	for i := 0; i < len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], binary.LittleEndian.Uint32(data[i:])+add)
	}
	d.Group = [3]uint16{64, 1, 1}
	return &device.Stats{WaveSize: f.waveSize, Duration: time.Duration(f.ran), SGPRs: 16}, nil, nil
}

const manifestText = `{"format": 1, "buffers": {
	"a": {"type": "u32", "count": 3, "fill": {"kind": "iota"}},
	"b": {"type": "u32", "count": 1, "fill": {"kind": "zero"}}},
	"dispatches": [
		{"kernel": "inc", "global": [3], "local": [3], "args": [{"buffer": "a"}, {"scalar": "u32", "value": 5}]},
		{"kernel": "inc", "global": [3], "local": [3], "args": [{"buffer": "b"}, {"scalar": "u32", "value": 1}]}],
	"expect": [
		{"buffer": "a", "golden": "a.bin", "compare": {"mode": "exact"}},
		{"buffer": "b", "golden": "b.bin", "compare": {"mode": "exact"}, "wave": 32},
		{"buffer": "b", "golden": "b.bin", "compare": {"mode": "exact"}, "wave": 64}]}`

func open(name string) (io.ReadCloser, error) {
	files := map[string]string{"a.bin": "\x05\x00\x00\x00\x06\x00\x00\x00\x07\x00\x00\x00", "b.bin": "\x01\x00\x00\x00"}
	text, ok := files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func read(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	m, found := manifest.Read(&diag.Source{Name: "m.json", Text: []byte(text)})
	if found != nil {
		t.Fatal(found)
	}
	return m
}

func runFake(t *testing.T, f *fake, text string, o Options) (*Result, error) {
	t.Helper()
	f.mem = map[uint64][]byte{}
	r := runner{machine: f, m: read(t, text), open: open, opts: o}
	return r.run(context.Background())
}

func TestRun(t *testing.T) {
	var starts, ends [][2]int
	f := &fake{waveSize: 64}
	r, err := runFake(t, f, manifestText, Options{Repeat: 3, Simulator: device.Options{Seed: 7}, Starting: func(run, dispatch int) { starts = append(starts, [2]int{run, dispatch}) },
		Finished: func(run, dispatch int) { ends = append(ends, [2]int{run, dispatch}) }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Differs() || len(r.Compared) != 2 || len(r.Skipped) != 1 || r.Skipped[0].Wave != 32 {
		t.Errorf("compared %+v, skipped %+v", r.Compared, r.Skipped)
	}
	if f.ran != 6 || len(starts) != 6 || starts[5] != [2]int{2, 1} || !slices.Equal(starts, ends) || len(r.Times) != 3 || r.Times[2] != 5+6 {
		t.Errorf("ran %d, starts %v, times %v", f.ran, starts, r.Times)
	}
	if fmt.Sprint(f.seeds) != "[7 8 9]" || r.Seed != 9 {
		t.Errorf("seeds %v, last %d", f.seeds, r.Seed)
	}
	if len(r.Dispatches) != 2 || r.Dispatches[1].Group[0] != 64 || r.Dispatches[1].Stats.SGPRs != 16 {
		t.Errorf("dispatches %+v", r.Dispatches)
	}
	if want := []byte{1, 0, 0, 0}; len(r.Contents) != 2 || !bytes.Equal(r.Contents[1], want) {
		t.Errorf("contents %v", r.Contents)
	}
}

// TestRunDiffers checks that a run stops after a repetition that differs.
func TestRunDiffers(t *testing.T) {
	f := &fake{waveSize: 32, wrong: 4}
	r, err := runFake(t, f, manifestText, Options{Repeat: 5})
	if err != nil || !r.Differs() || f.ran != 4 || len(r.Times) != 2 {
		t.Fatalf("%v, differs %v, ran %d, times %v", err, r.Differs(), f.ran, r.Times)
	}
	if c := r.Compared[1]; c.Differ != 1 || c.First[0] != (manifest.Difference{Index: 0, Got: 2, Want: 1}) || c.Golden != "b.bin" {
		t.Errorf("%+v", c)
	}
}

func TestRunFails(t *testing.T) {
	// After a fault, the result describes the completed dispatches.
	r, err := runFake(t, &fake{waveSize: 32}, strings.Replace(manifestText, `{"kernel": "inc", "global": [3], "local": [3], "args": [{"buffer": "b"}`, `{"kernel": "fault", "global": [3], "local": [3], "args": [{"buffer": "b"}`, 1), Options{})
	var fault *device.Fault
	if !errors.As(err, &fault) || fault.Kind != device.FaultTrap || r == nil || len(r.Dispatches) != 1 || r.Contents != nil {
		t.Errorf("%v, %+v", err, r)
	}
	// Missing files are reported before the first dispatch.
	f := &fake{waveSize: 32}
	if _, err := runFake(t, f, strings.Replace(manifestText, "a.bin", "c.bin", 1), Options{}); err == nil || !strings.Contains(err.Error(), "m.json:8:29: error: expected contents of a: ") || f.ran != 0 {
		t.Errorf("%v, ran %d", err, f.ran)
	}
	if _, err := runFake(t, &fake{waveSize: 32}, strings.Replace(manifestText, `{"kind": "zero"}`, `{"kind": "file", "path": "a.bin"}`, 1), Options{}); err == nil || !strings.Contains(err.Error(), "a.bin has more than the expected 4 bytes") {
		t.Error(err)
	}
	if _, err := runFake(t, &fake{refused: "b"}, manifestText, Options{}); !errors.Is(err, device.ErrOutOfMemory) {
		t.Error(err)
	}
	// The end of the context ends the run.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	runner := runner{machine: &fake{mem: map[uint64][]byte{}}, m: read(t, manifestText), open: open}
	if _, err := runner.run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Run(ctx, "x", []byte("no ELF"), read(t, manifestText), open, Options{}); err == nil || !strings.HasPrefix(err.Error(), "x: not an ELF file") {
		t.Error(err)
	}
}
