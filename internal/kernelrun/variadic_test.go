package kernelrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/link"
)

// Arguments of the kernel in testdata/variadic.
const (
	variadicA = int64(0x123456789ab)
	variadicB = int64(-321)
)

// variadicResults returns what the kernel stores.
func variadicResults() []int64 {
	a, b := variadicA, variadicB
	mix := a + b
	for _, x := range []int64{b, b, a, a, a >> 1, b, 0} {
		mix = 31*mix + x
	}
	return []int64{mix, 1000 - b, a}
}

// TestVariadic runs calls with variable arguments, also of functions compiled by
// llc.
func TestVariadic(t *testing.T) {
	source, err := os.ReadFile("testdata/variadic/mixed.ll")
	if err != nil {
		t.Fatal(err)
	}
	kernels := functionBody.ReplaceAll(source, []byte("declare $1$2\n"))
	functions := kernelBody.ReplaceAll(source, nil)
	for _, cpu := range []string{"gfx803", "gfx900", "gfx942", "gfx1030", "gfx1100"} {
		for level := range 3 {
			o := compile.Options{CPU: cpu, Level: level, Format: compile.Object, Verify: true}
			runVariadic(t, cpu, compileVariadic(t, source, o))
		}
	}
	llc := oracle.Tool(t, "llc-22")
	for _, cpu := range []string{"gfx942", "gfx1100"} { // with LLVM's calling convention
		o := compile.Options{CPU: cpu, Level: 2, Format: compile.Object, Verify: true}
		for _, x := range []struct{ ours, theirs []byte }{{kernels, functions}, {functions, kernels}} {
			cmd := exec.Command(llc, "-mcpu="+cpu, "-filetype=obj", "-o", "-")
			cmd.Stdin = bytes.NewReader(x.theirs)
			theirs, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			runVariadic(t, cpu, compileVariadic(t, x.ours, o), theirs)
		}
	}
}

func compileVariadic(t *testing.T, source []byte, o compile.Options) []byte {
	t.Helper()
	r, err := compile.Compile(context.Background(), []compile.Input{{Name: "mixed.ll", Data: source}}, o)
	if err != nil {
		t.Fatal(o.CPU, err)
	}
	return r.Data
}

// runVariadic links objects, runs the kernel and compares its results.
func runVariadic(t *testing.T, cpu string, objects ...[]byte) {
	t.Helper()
	var inputs []link.Input
	for _, data := range objects {
		inputs = append(inputs, link.Input{Name: "a.o", Data: data})
	}
	code, err := link.Link(inputs, link.Options{})
	if err != nil {
		t.Fatal(cpu, err)
	}
	want := variadicResults()
	number := func(x int64, size int) manifest.Arg {
		return manifest.Arg{Kind: manifest.ArgScalar, Data: binary.LittleEndian.AppendUint64(nil, uint64(x))[:size], Align: size}
	}
	man := &manifest.Manifest{Name: "variadic",
		Buffers: []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u64"), Count: uint64(len(want)), Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 8*len(want))}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1},
			Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, number(variadicA, 8), number(variadicB, 4), number(0, 4)}}}}
	finding := ""
	r, err := Run(context.Background(), "variadic", code, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
	if err != nil || finding != "" {
		t.Fatal(cpu, err, finding)
	}
	for i, w := range want {
		if got := int64(binary.LittleEndian.Uint64(r.Contents[0][8*i:])); got != w {
			t.Errorf("%s, %d objects: result %d is %d, want %d", cpu, len(objects), i, got, w)
		}
	}
}
