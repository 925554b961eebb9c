package kernelrun

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
)

// imageIR maps processors to the folders of their IR.
var imageIR = [...]struct{ cpu, ir string }{{"gfx601", "gfx900"}, {"gfx700", "gfx900"}, {"gfx803", "gfx900"}, {"gfx900", "gfx900"},
	{"gfx90a", "gfx900"}, {"gfx1030", "gfx1030"}, {"gfx1100", "gfx1100"}, {"gfx1200", "gfx1200"}}

// TestImagesCompiled compiles the IR of the shared image kernels, and runs the
// code with all checks. In short mode, one of several combinations of kernel,
// processor and level runs.
func TestImagesCompiled(t *testing.T) {
	n := 0
	for _, x := range imageIR {
		for _, path := range corpus.Files(t, "images/manifests/*.json") {
			m := readManifest(t, path)
			for level := range 3 {
				n++
				if testing.Short() && n%13 != 0 {
					continue
				}
				name := fmt.Sprintf("%s/%s/O%d", x.cpu, m.Name, level)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					file := filepath.Join(filepath.Dir(path), "../ll", x.ir, corpus.Name(m.Source)+".ll")
					src, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					src = ofTarget.ReplaceAll(src, nil)
					if x.cpu == "gfx90a" { // ROCm's device library has another function for it
						src = bytes.ReplaceAll(src, []byte(".image.sample.lz."), []byte(".image.sample."))
					}
					in := []compile.Input{{Name: filepath.Base(file), Data: src}}
					r, err := compile.Compile(context.Background(), in, compile.Options{CPU: x.cpu, Level: level, Workers: 1})
					if err != nil {
						t.Fatal(err)
					}
					o := device.Options{Timeout: 5 * time.Minute, Checks: device.CheckAll, Workers: 1}
					if m.Name == "literal_sampler" && isa.HasUnifiedFormat(setOf(t, x.cpu)) {
						runOpaqueBorder(t, m.Name, r.Data, path, o)
						return
					}
					runWith(t, m.Name, r.Data, path, o)
				})
			}
		}
	}
}
