package kernelrun

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// TestKernels runs all shared manifests on all their code objects.
func TestKernels(t *testing.T) {
	for _, c := range []struct {
		folder string
		want   int // number of code objects
	}{
		{"hsaco", 727}, {"hsaco-14", 12}, {"hsaco-O0", 28},
	} {
		files := codeObjects(t, "kernels/"+c.folder)
		if len(files) != c.want {
			t.Errorf("%s: %d code objects, expected %d", c.folder, len(files), c.want)
		}
		for _, path := range files {
			name := corpus.Name(path)
			cpu := filepath.Base(filepath.Dir(path))
			t.Run(strings.Join([]string{c.folder, cpu, name}, "/"), func(t *testing.T) {
				runShared(t, path, filepath.Join(filepath.Dir(path), "../../manifests", name+".json"))
			})
		}
	}
}

// TestBench runs the benchmark manifests.
func TestBench(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, path := range codeObjects(t, "bench/hsaco") {
		for _, m := range corpus.Files(t, "bench/manifests/*.json") {
			t.Run(filepath.Base(filepath.Dir(path))+"/"+corpus.Name(m), func(t *testing.T) { runShared(t, path, m) })
		}
	}
}

// codeObjects returns the code objects in the directories of simulated targets.
func codeObjects(t *testing.T, folder string) []string {
	t.Helper()
	files := slices.DeleteFunc(allCodeObjects(t, folder), func(path string) bool { return !simulated(path) })
	if len(files) == 0 {
		t.Fatalf("no code objects in %s for a processor that is simulated", folder)
	}
	return files
}

// allCodeObjects returns the code objects in the target directories.
func allCodeObjects(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, folder), "*", "*.hsaco"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no code objects in %s: %v", folder, err)
	}
	return files
}

// simulated reports whether the processor in the path of a code object is
// simulated.
func simulated(path string) bool {
	set, ok := isa.SetOf(target.Lookup(filepath.Base(filepath.Dir(path))))
	return ok && sim.Supports(set)
}

func runShared(t *testing.T, code, path string) {
	t.Helper()
	data, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	runCode(t, filepath.Base(code), data, path)
}

// runCode runs the manifest at path on a code object.
func runCode(t *testing.T, name string, data []byte, path string) {
	t.Helper()
	runWith(t, name, data, path, device.Options{Timeout: 5 * time.Minute})
}

// runWith is runCode with simulator options.
func runWith(t *testing.T, name string, data []byte, path string, o device.Options) {
	t.Helper()
	m := readManifest(t, path)
	open := manifest.Folder(filepath.Dir(path))
	r, err := Run(context.Background(), name, data, m, open, Options{Simulator: o})
	if fault := faultAsCompiled[targetOf(t, data).Processor.Name+"/"+m.Name]; fault != "" {
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want one with %q", err, fault)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Compared) == 0 {
		t.Error("nothing was compared")
	}
	for i := range r.Compared {
		c := &r.Compared[i]
		if c.Differ == 0 || agreesAsCompiled(t, m, r, c, open) || agreesAsPromoted(t, data, m, r, c) {
			continue
		}
		var out strings.Builder
		c.WriteText(&out)
		t.Error(out.String())
	}
}

func readManifest(t *testing.T, path string) *manifest.Manifest {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, found := manifest.Read(&diag.Source{Name: filepath.Base(path), Text: text})
	if found != nil {
		t.Fatal(found)
	}
	return m
}

// asCompiled adjusts expected contents for kernels whose compiled code deviates
// from the source.
var asCompiled = map[string]func(want []byte){
	// The library computes abs_diff of longs as abs(x − y), which is undefined
	// if x − y does not fit in a long. The code then returns −|x − y|.
	"int64_math.out": func(want []byte) {
		for i := 13; i < len(want)/8; i += 16 {
			b := want[8*i : 8*i+8]
			if v := binary.LittleEndian.Uint64(b); v > 1<<63 {
				binary.LittleEndian.PutUint64(b, -v)
			}
		}
	},
}

// agreesAsCompiled compares with the contents adjusted by asCompiled.
func agreesAsCompiled(t *testing.T, m *manifest.Manifest, r *Result, c *manifest.Comparison, open manifest.Open) bool {
	t.Helper()
	change := asCompiled[m.Name+"."+c.Buffer.Name]
	if change == nil {
		return false
	}
	i := m.FindBuffer(c.Buffer.Name)
	want, err := m.Golden(&manifest.Expect{Buffer: i, Golden: c.Golden}, open)
	if err != nil {
		t.Fatal(err)
	}
	change(want)
	return c.Compare.Check(c.Buffer, r.Contents[i], want).Differ == 0
}

// faultAsCompiled lists code objects that LLVM miscompiled so that they fault:
// in code object V5, called functions for gfx7 read the aperture of scratch
// memory at address 0xc0.
var faultAsCompiled = map[string]string{"gfx700/noinline_calls": "4-byte scalar load at unmapped address 0xc0"}

// agreesAsPromoted compares with the contents that LLVM's code for gfx6 and gfx7
// computes: it does not round intermediate results to half precision.
func agreesAsPromoted(t *testing.T, data []byte, m *manifest.Manifest, r *Result, c *manifest.Comparison) bool {
	set, ok := isa.SetOf(targetOf(t, data).Processor)
	if !ok || set.Has(isa.PropF16) || m.Name+"."+c.Buffer.Name != "half_math.vo" {
		return false
	}
	at := func(buffer string, i int) float64 {
		return halfOf(binary.LittleEndian.Uint16(r.Contents[m.FindBuffer(buffer)][2*i:]))
	}
	for i := range int(c.Buffer.Count) {
		p, q := at("v", i), at("v", i^1)
		x := at([]string{"a", "b"}[i&1], i/2)
		if got, want := at("vo", i), roundHalf(float64(float32(p*x+q))); got != want {
			return false
		}
	}
	return true
}

// halfOf returns the value of a finite f16.
func halfOf(bits uint16) float64 {
	e, f := int(bits>>10&31), float64(bits&0x3ff)
	if e > 0 {
		e, f = e-1, f+0x400
	}
	return math.Copysign(math.Ldexp(f, e-24), float64(int16(bits)|1))
}

// roundHalf rounds to the nearest f16.
func roundHalf(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(math.RoundToEven(math.Ldexp(x, 11-max(e, -13))), max(e, -13)-11)
}
