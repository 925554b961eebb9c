package kernelrun

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// weakAsCompiled lists the kernels whose code, compiled by clang 22, is wrong
// with weak memory, and the reasons.
var weakAsCompiled = map[string]string{
	"fft256": "the loop's stores to LDS are not waited for before the barrier that follows them on the back edge",
}

// TestKernelsWeak runs all shared manifests on all their code objects with weak
// memory.
func TestKernelsWeak(t *testing.T) {
	for i, path := range codeObjects(t, "kernels/hsaco") {
		name := corpus.Name(path)
		if weakAsCompiled[name] != "" {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(path))+"/"+name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runWith(t, filepath.Base(path), data, filepath.Join(filepath.Dir(path), "../../manifests", name+".json"),
				device.Options{Timeout: time.Minute, Memory: device.MemoryWeak, Seed: uint64(i)})
		})
	}
}

// TestWeakFound checks that weak memory reveals the missing wait of
// weakAsCompiled.
func TestWeakFound(t *testing.T) {
	for _, cpu := range []string{"gfx90a", "gfx942", "gfx1030", "gfx1100"} {
		path := filepath.Join(oracle.Shared(t, "kernels/hsaco"), cpu, "fft256.hsaco")
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(filepath.Dir(path), "../../manifests/fft256.json")
		r, err := Run(context.Background(), "fft256", code, readManifest(t, file), manifest.Folder(filepath.Dir(file)),
			Options{Repeat: 200, Simulator: device.Options{Timeout: time.Minute, Memory: device.MemoryWeak}})
		if err != nil || !r.Differs() {
			t.Errorf("%s: error %v, no difference with 200 seeds", cpu, err)
		}
	}
}

// TestBenchWeak runs the benchmark manifests with weak memory.
func TestBenchWeak(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, path := range codeObjects(t, "bench/hsaco") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range corpus.Files(t, "bench/manifests/*.json") {
			t.Run(filepath.Base(filepath.Dir(path))+"/"+corpus.Name(m), func(t *testing.T) {
				runWith(t, filepath.Base(path), data, m, device.Options{Timeout: 5 * time.Minute, Memory: device.MemoryWeak})
			})
		}
	}
}
