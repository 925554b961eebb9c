package kernelrun

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// dispatchOf returns a manifest with one dispatch and arguments in command-line
// syntax.
func dispatchOf(t *testing.T, kernel string, grid [3]uint32, args ...string) *manifest.Manifest {
	t.Helper()
	m := &manifest.Manifest{}
	d := manifest.Dispatch{Kernel: kernel, Dims: 3, Grid: grid}
	for _, a := range args {
		if err := m.AddArg(&d, a); err != nil {
			t.Fatal(err)
		}
	}
	m.Dispatches = []manifest.Dispatch{d}
	return m
}

// TestPackArgs lays out arguments without metadata.
func TestPackArgs(t *testing.T) {
	m := dispatchOf(t, "k", [3]uint32{1, 1, 1}, "u8:1", "u32:2", "u16:3", "buf:u8[1]", "local:20", "bytes:aabbcc@16", "local:8", "f64:1")
	info := &hsa.KernelInfo{KernargSegmentSize: 64, GroupSegmentSize: 100}
	var g hsa.Grid
	b, err := packArgs(info, &m.Dispatches[0], &addresses{buffers: []uint64{0x1122334455667788}}, &g)
	want := "01000000" + "02000000" + "0300000000000000" + "8877665544332211" + "70000000" + "00000000" + "aabbcc00" + "90000000" + "000000000000f03f"
	if got := hex.EncodeToString(b); err != nil || !strings.HasPrefix(got, want) || len(b) != 64 {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	// 100 bytes, up to 112; 20 bytes, up to 144; 8 bytes.
	if g.DynamicLDS != 152-100 {
		t.Errorf("dynamic LDS %d", g.DynamicLDS)
	}
	info.KernargSegmentSize = 8
	if _, err := packArgs(info, &m.Dispatches[0], &addresses{buffers: []uint64{1}}, &g); err == nil || err.Error() != "the arguments have 48 bytes, the kernel expects 8" {
		t.Error(err)
	}
}

func TestGroupSize(t *testing.T) {
	for _, c := range []struct {
		size uint32
		info hsa.KernelInfo
		want [3]uint16
	}{
		{1000, hsa.KernelInfo{}, [3]uint16{64, 1, 1}},
		{10, hsa.KernelInfo{}, [3]uint16{10, 1, 1}},
		{1000, hsa.KernelInfo{MaxFlatWorkgroupSize: 32}, [3]uint16{32, 1, 1}},
		{10, hsa.KernelInfo{ReqdWorkgroupSize: [3]uint64{32, 8, 1}}, [3]uint16{32, 8, 1}},
	} {
		if got := GroupSize(&c.info, c.size); got != c.want {
			t.Errorf("%+v: got %v, want %v", c, got, c.want)
		}
	}
}

// TestMachine runs kernels with the properties recorded in the code object, and
// checks the errors for mismatches.
func TestMachine(t *testing.T) {
	code, err := os.ReadFile(oracle.Shared(t, "kernels/hsaco/gfx900/transpose.hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	start := func(m *manifest.Manifest, o Options) (*Result, error) {
		return Run(context.Background(), "transpose.hsaco", code, m, nil, o)
	}
	// The only kernel, with its required work-group size.
	m := dispatchOf(t, "", [3]uint32{32, 8, 1}, "buf:out:f32[256]", "buf:in:f32[256]=iota", "i32:16", "i32:16")
	r, err := start(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Dispatches[0]; d.Kernel != "transpose" || d.Group != [3]uint16{32, 8, 1} || d.Stats.WaveSize != 64 || r.Target.String() != "amdgcn-amd-amdhsa--gfx900:xnack-" {
		t.Errorf("%+v on %v", d, r.Target)
	}
	f := manifest.LookupType("f32")
	for i := range uint64(256) {
		if got, want := f.Format(f.At(r.Contents[0], i)), f.Format(f.At(r.Contents[1], i%16*16+i/16)); got != want {
			t.Fatalf("out[%d] = %s, want %s", i, got, want)
		}
	}
	// A trace of an address range in ELF file addresses.
	var trace strings.Builder
	o := Options{Simulator: device.Options{Trace: &trace}, TracePC: &[2]uint64{0, 1}}
	if _, err := start(m, o); err != nil || trace.String() != "" {
		t.Errorf("%v, trace %q", err, trace.String())
	}
	o.TracePC[1] = 1 << 20
	if _, err := start(m, o); err != nil || !strings.HasSuffix(trace.String(), "  s_endpgm  exec=0\n") {
		t.Errorf("%v, trace %.1000q", err, trace.String())
	}
	for _, c := range []struct {
		m    *manifest.Manifest
		want string
	}{
		{dispatchOf(t, "none", [3]uint32{1, 1, 1}), "unknown kernel none; available: transpose"},
		{dispatchOf(t, "transpose", [3]uint32{1, 1, 1}, "i32:1"), "kernel transpose expects 4 arguments, got 1"},
		{dispatchOf(t, "transpose", [3]uint32{1, 1, 1}, "local:1", "buf:u8[1]", "i32:1", "i32:1"), "kernel transpose, argument 0: got dynamic LDS, the kernel expects a global_buffer"},
		{dispatchOf(t, "transpose", [3]uint32{1, 1, 1}, "buf:u8[1]", "buf:u8[1]", "i64:1", "i32:1"), "kernel transpose, argument 2: got 8 bytes, the kernel expects 4"},
	} {
		if _, err := start(c.m, Options{}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	other, err := target.New("", "gfx1030", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(m, Options{Target: other}); err == nil || !strings.Contains(err.Error(), "code for gfx900 does not run on gfx1030") {
		t.Error(err)
	}
	if _, err := Run(context.Background(), "cut", code[:200], m, nil, Options{}); err == nil || !strings.HasPrefix(err.Error(), "cut: at offset ") {
		t.Error(err)
	}
}

// TestPlain checks that runtime errors lose their status codes and that faults
// are returned unchanged.
func TestPlain(t *testing.T) {
	fault := &device.Fault{Kind: device.FaultTrap, Lane: -1}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&hsa.Error{Status: hsa.StatusError, Message: "a"}, "a"},
		{&hsa.Error{Status: hsa.StatusError, Message: "a", Err: errors.New("b")}, "a: b"},
		{&hsa.Error{Status: hsa.StatusError, Err: errors.New("b")}, "b"},
		{&hsa.Error{Status: hsa.StatusError, Message: "queue", Err: fault}, fault.Error()},
		{context.Canceled, context.Canceled.Error()},
	} {
		if got := plain(c.err); got.Error() != c.want {
			t.Errorf("%v: got %v, want %s", c.err, got, c.want)
		}
	}
}
