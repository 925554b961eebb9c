package mlir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

// TestFormsLikeOracle compares the prints of testdata/forms with the ones of
// mlir-opt. A file's name ends in the edition if only one reads it.
func TestFormsLikeOracle(t *testing.T) {
	files, _ := filepath.Glob("testdata/forms/*.mlir")
	if len(files) == 0 {
		t.Fatal("no modules")
	}
	for name, edition := range editions {
		tool := oracle.Tool(t, "mlir-opt-"+name)
		for _, file := range files {
			base := strings.TrimSuffix(filepath.Base(file), ".mlir")
			if strings.HasSuffix(base, "-19") && name != "19" || strings.HasSuffix(base, "-22") && name != "22" {
				continue
			}
			t.Run(base+"/"+name, func(t *testing.T) { comparePrintsWithTool(t, edition, tool, file) })
		}
	}
}

func comparePrintsWithTool(t *testing.T, edition mlir.Edition, tool, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range []string{"", "--mlir-print-op-generic", "--mlir-print-debuginfo"} {
		args := []string{"-"}
		if option != "" {
			args = append(args, option)
		}
		want, stderr, exit := oracle.Run(t, text, time.Minute, tool, args...)
		if exit != 0 {
			t.Fatalf("%s: %s", tool, stderr)
		}
		c := mlir.NewContext(edition, dialects...)
		top, err := c.Parse("<stdin>", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Verify(top); err != nil {
			t.Error(err)
		}
		got := string(c.Print(top, mlir.PrintOptions{Generic: option == "--mlir-print-op-generic", DebugInfo: option == "--mlir-print-debuginfo"}))
		if diff := firstDifference(got, string(want)); diff != "" {
			t.Errorf("%s: %s", option, diff)
		}
	}
}
