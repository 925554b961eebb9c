package lower_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

var update = flag.Bool("update", false, "write the outputs into testdata")

var editions = map[string]mlir.Edition{"19": mlir.Edition19, "22": mlir.Edition22}

// TestPasses runs the pipelines of testdata/*.txtar. A file has the pipeline in the text
// before the first section, the module in "in.mlir", and the results in "out-19.mlir" and
// "out-22.mlir", of which one may be missing. With the oracle the results are
// mlir-opt's as well, unless the first text has a line that begins with "differs:".
func TestPasses(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testFile(t, file) })
	}
}

func testFile(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pipeline, notes, _ := strings.Cut(string(archive.Comment), "\n")
	input := archive.Files[0].Data
	for i := range archive.Files[1:] {
		f := &archive.Files[i+1]
		edition := strings.TrimSuffix(strings.TrimPrefix(f.Name, "out-"), ".mlir")
		got := runPasses(editions[edition], pipeline, input)
		if *update {
			f.Data = []byte(got)
		}
		if got != string(f.Data) {
			t.Errorf("edition %s:\n%s\nwant:\n%s", edition, got, f.Data)
		}
		if !strings.Contains(notes, "differs:") {
			compareWithOracle(t, edition, pipeline, input, got)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runPasses returns the module after a pipeline, or the errors, one on each line.
func runPasses(edition mlir.Edition, pipeline string, input []byte) string {
	c := mlir.NewContext(edition, dialects.All()...)
	top, err := c.Parse("in.mlir", input)
	if err == nil {
		err = c.Verify(top)
	}
	var p rewrite.Pipeline
	if err == nil {
		p, err = rewrite.ParsePipeline(pipeline, lower.Lookup)
	}
	if err == nil {
		err = p.Execute(c, top, true)
	}
	if err != nil {
		return errorText(err)
	}
	return string(c.Print(top, mlir.PrintOptions{}))
}

func errorText(err error) string {
	var list diag.List
	if !errors.As(err, &list) {
		return err.Error() + "\n"
	}
	var text strings.Builder
	for _, d := range list {
		if d.Severity == diag.Error {
			text.WriteString(d.Error() + "\n")
		}
	}
	return text.String()
}

func compareWithOracle(t *testing.T, edition, pipeline string, input []byte, got string) {
	tool := oracle.Tool(t, "mlir-opt-"+edition)
	if !strings.HasPrefix(pipeline, "builtin.module(") {
		pipeline = "builtin.module(" + pipeline + ")"
	}
	stdout, stderr, exit := oracle.Run(t, input, time.Minute, tool, "--pass-pipeline="+pipeline, "-")
	want := string(stdout)
	if exit != 0 {
		want = errorLines(string(stderr))
	}
	if strings.TrimSpace(want) != strings.TrimSpace(got) {
		t.Errorf("edition %s:\n%s\nmlir-opt:\n%s", edition, got, want)
	}
}

// errorLines returns the lines of the oracle's errors, with the name of the file
// that the test has.
func errorLines(stderr string) string {
	var text strings.Builder
	for line := range strings.Lines(stderr) {
		if rest, ok := strings.CutPrefix(line, "<stdin>"); ok && strings.Contains(rest, ": error: ") {
			text.WriteString("in.mlir" + rest)
		}
	}
	return text.String()
}
