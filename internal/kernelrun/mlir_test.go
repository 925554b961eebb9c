package kernelrun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

var mlirChipset = regexp.MustCompile(`gfx[0-9a-f]+`)

// TestMLIRKernels compiles the shared kernels from MLIR for each processor that they
// name and runs them against their golden results, with all checks.
func TestMLIRKernels(t *testing.T) {
	dir := oracle.Shared(t, "mlir/kernels")
	files, err := filepath.Glob(filepath.Join(dir, "*.mlir"))
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(string(data), "\n", 3)
		for _, cpu := range mlirChipset.FindAllString(lines[1], -1) {
			for _, level := range []int{0, 2} {
				name := strings.TrimSuffix(filepath.Base(file), ".mlir")
				t.Run(fmt.Sprintf("%s/%s/O%d", name, cpu, level), func(t *testing.T) {
					o := compile.Options{CPU: cpu, Level: level, Verify: true, MLIR: mlirOptions(lines[0])}
					in := compile.Input{Name: file, Data: data, MLIR: true}
					res, err := compile.Compile(context.Background(), []compile.Input{in}, o)
					if err != nil {
						t.Fatal(err)
					}
					runWith(t, name, res.Data, filepath.Join(dir, "manifests", name+".json"), device.Options{Checks: device.CheckAll})
				})
			}
		}
	}
}

// mlirOptions returns the settings in a kernel's first line, which is the oracle's
// command.
func mlirOptions(line string) compile.MLIROptions {
	o := compile.MLIROptions{Edition: mlir.Edition22, BarePointers: strings.Contains(line, "use-bare-ptr-memref-call-conv=1")}
	if strings.Contains(line, "mlir-opt-19") {
		o.Edition = mlir.Edition19
	}
	if strings.Contains(line, "index-bitwidth=32") {
		o.IndexBits = 32
	}
	return o
}
