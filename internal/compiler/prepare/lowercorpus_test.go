package prepare

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// TestLoweringOfKernels compares the output of passes for the unoptimized
// kernels with LLVM's, ignoring names. All must be equal.
func TestLoweringOfKernels(t *testing.T) {
	oracle.Tool(t, "opt-22")
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/ll-O0"), "*", "*.ll"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	passes := []string{"lower-switch", "function(infer-address-spaces),strip-dead-prototypes", "globaldce", "strip-dead-prototypes"}
	for i, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src = bytes.ReplaceAll(src, []byte(" optnone"), nil) // LLVM skips these functions
		for j, pass := range passes {
			if (i+j)%max(1, 24/max(1, passtest.Tries(3))) != 0 {
				continue
			}
			t.Run(filepath.Base(path)+"/"+pass, func(t *testing.T) {
				m := parse(t, "<stdin>", string(src))
				passtest.DropNames(m)
				before := text.Print(m)
				run(t, pass, m)
				passtest.DropNames(m)
				want := passtest.WithoutPreds(passtest.LLVMOpt(t, pass, before))
				if got := passtest.WithoutPreds(text.Print(m)); !bytes.Equal(got, want) {
					t.Errorf("differs from LLVM: %s", firstDifference(want, got))
				}
			})
		}
	}
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(a, b []byte) string {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return "\n-" + string(x[i]) + "\n+" + string(y[i])
		}
	}
	return "one is longer"
}
