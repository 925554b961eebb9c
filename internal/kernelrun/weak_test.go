package kernelrun

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// TestKernelsWeak runs all shared manifests on all their code objects with weak
// memory.
func TestKernelsWeak(t *testing.T) {
	for i, path := range codeObjects(t, "kernels/hsaco") {
		name := corpus.Name(path)
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
