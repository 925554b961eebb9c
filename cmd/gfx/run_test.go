package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// outputOf returns the output of a run with a buffer of two floats.
func outputOf(t *testing.T) *runOutput {
	t.Helper()
	m := &manifest.Manifest{}
	d := manifest.Dispatch{Kernel: "k", Dims: 2, Grid: [3]uint32{8, 4, 1}, Group: [3]uint16{4, 2, 1}}
	if err := m.AddArg(&d, "buf:out:f32[2]=values(nan,1.5)"); err != nil {
		t.Fatal(err)
	}
	m.Dispatches = []manifest.Dispatch{d}
	stats := device.Stats{Waves: 4, Instructions: 40, SGPRs: 16, VGPRs: 8, AGPRs: 4, LDS: 512, Scratch: 16, WaveSize: 64,
		Duration: 1234567 * time.Nanosecond, Classes: map[string]uint64{"valu": 30, "salu": 10}}
	return &runOutput{
		cmd: &runCommand{stats: true}, m: m, code: &loadable{name: "code.hsaco"},
		prints: []bufferPrint{{0, 2}},
		result: &kernelrun.Result{
			Dispatches: []kernelrun.Dispatch{{Dispatch: d, Stats: stats}, {Dispatch: d, Stats: stats}},
			Times:      []time.Duration{3 * time.Second, time.Second, 2 * time.Second},
			Contents:   [][]byte{{0, 0, 0xc0, 0x7f, 0, 0, 0xc0, 0x3f}},
			Skipped:    []manifest.Expect{{Golden: "g.bin", Wave: 32}},
		},
	}
}

func TestRunText(t *testing.T) {
	var out bytes.Buffer
	if err := outputOf(t).writeText(&out); err != nil {
		t.Fatal(err)
	}
	want := `KERNEL  GRID  GROUP  WAVE  SGPR  VGPR  AGPR  LDS  SCRATCH  WAVES  INSTRUCTIONS  TIME
k       8,4   4,2    64    16    8     4     512  16       4      40            1.235ms
k       8,4   4,2    64    16    8     4     512  16       4      40            1.235ms
KERNEL  SALU  VALU
k       20    60
3 repetitions: best 1s, median 2s
out: not compared with g.bin, which is for wave size 32
out: f32[2]
  0: NaN 1.5
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRunJSON(t *testing.T) {
	o := outputOf(t)
	o.fault = &device.Fault{Kind: device.FaultTrap, Message: "why", PC: 16, Lane: -1}
	o.found(&device.Finding{Check: device.CheckRace, Message: "two", Addr: 8, Other: "that"})
	c := manifest.Compare{Float: true, Abs: 1e-3}.Check(&o.m.Buffers[0], o.result.Contents[0], make([]byte, 8))
	o.result.Compared = []manifest.Comparison{*c}
	var out bytes.Buffer
	if err := o.writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	var doc runDocument
	var buffers struct {
		Buffers []struct{ Values []any }
		Expect  []struct{ First []struct{ Got, Want any } }
	}
	if err := json.Unmarshal(bytes.ReplaceAll(out.Bytes(), []byte(`"first"`), []byte(`"-"`)), new(any)); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &buffers); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(buffers); got != "{[{[nan 1.5]}] [{[{nan 0} {1.5 0}]} {[]}]}" {
		t.Errorf("values %s", got)
	}
	o.prints, o.result.Compared[0].First = nil, nil // values cannot be read back
	out.Reset()
	if err := o.writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if want := o.document(); !reflect.DeepEqual(want, &doc) {
		t.Errorf("document %+v\nread %+v", want, &doc)
	}
	if f := doc.Fault; f == nil || f.Kind != "trap" || f.PC != 16 || f.Lane != -1 || doc.Findings[0].Check != "race" || doc.Expect[0].Differ != 2 {
		t.Errorf("%+v", doc)
	}
}

// TestRunStatus checks that findings take precedence over differing results in
// the exit status, and that the output has both.
func TestRunStatus(t *testing.T) {
	o := outputOf(t)
	if err := o.status(nil); err != nil {
		t.Error(err)
	}
	o.result.Compared = []manifest.Comparison{{Differ: 3}, {}}
	var differs *differsError
	if err := o.status(nil); !errors.As(err, &differs) || err.Error() != "code.hsaco: 1 of 2 results differ" {
		t.Error(err)
	}
	for range maxFindings + 5 {
		o.found(&device.Finding{Check: device.CheckHazard, Message: "too early", PC: 16, Where: "k+0x10", Text: "s_nop 0", Source: "k.cl:3", Group: [3]uint32{1, 2, 3}, Wave: 4, Lane: 5, Addr: 256, Other: "that"})
	}
	o.fault = &device.Fault{Kind: device.FaultMemory, Message: "load", Kernel: "k", PC: 32, Where: "k+0x20", Text: "s_endpgm", Lane: -1}
	err := o.status(fmt.Errorf("dispatch 2: %w", o.fault))
	var found *findingError
	if !errors.As(err, &found) {
		t.Fatal(err)
	}
	text := err.Error()
	for _, want := range []string{
		"error: hazard: too early\n  at 0x10 (k+0x10): s_nop 0, k.cl:3\n  work-group 1,2,3 wave 4 lane 5, address 0x100\n  the other access: that\n",
		"\nerror: and 5 more findings\n",
		"\nerror: dispatch 2: k: memory access fault: load\n  at 0x20 (k+0x20): s_endpgm\n  work-group 0,0,0 wave 0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "hazard: "); n != maxFindings {
		t.Errorf("%d findings are shown, want %d", n, maxFindings)
	}
}

func TestRunProgress(t *testing.T) {
	p := &runProgress{m: &manifest.Manifest{Dispatches: []manifest.Dispatch{{Kernel: "a"}, {Kernel: "b"}}}, repeat: 3}
	p.starting(1, 1)
	p.groups(5, 20)
	if got, want := p.text(), "running b (repetition 2 of 3), dispatch 2 of 2: 5 of 20 work-groups"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.starting(2, 0)
	if got, want := p.text(), "running a (repetition 3 of 3), dispatch 1 of 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRunBundle runs code objects of an offload bundle, which are relocatable here.
func TestRunBundle(t *testing.T) {
	t.Chdir(t.TempDir())
	const source = ".p2align 8\nk:\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n.end_amdhsa_kernel\n"
	for name, processors := range map[string][]string{"one": {"gfx1100"}, "three": {"gfx900", "gfx906", "gfx1100"}, "none": nil} {
		bundle, _ := bundleOf(t, source, processors...)
		if err := os.WriteFile(name, bundle, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"one", 0, `"target": "amdgcn-amd-amdhsa--gfx1100"`},
		{"three --target=gfx906", 0, `"target": "amdgcn-amd-amdhsa--gfx906:`},
		{"three --target=gfx1100", 0, `"target": "amdgcn-amd-amdhsa--gfx1100"`},
		{"three", 2, "three has several code objects; select one with --target: gfx900, gfx906, gfx1100"},
		{"three --target=gfx908", 1, "three: no code object for target gfx908; available: gfx900, gfx906, gfx1100"},
		{"none", 1, "none: offload bundle: no code objects found"},
	} {
		var out bytes.Buffer
		args := append([]string{"run", "--json", "--grid=1"}, strings.Fields(c.args)...)
		if got := runCommandLine(args, strings.NewReader(""), &out, &out); got != c.status || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: exit status %d, want %d and %s\n%s", c.args, got, c.status, c.want, &out)
		}
	}
}
