package lower_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
	"github.com/gfx-toolchain/gfx/mlir/translate"
)

// The reasons for which the lowering of a module differs from the oracle's.
const (
	folded   = "mlir-opt folds operations and merges blocks in passes that only rewrite others"
	single   = "edition 19 stores the element of a vector that has one"
	division = "edition 19 expands the division in another way"
	initial  = "edition 19 inserts the rows into zeros"
)

// dialectsKnown are the modules of the corpus of dialects whose lowering differs, with
// reasons.
var dialectsKnown = map[string]string{
	"19/arith-ceildivsi":   division,
	"19/llvm-switch":       folded,
	"19/memref-casts":      folded,
	"19/vector-load-store": single,
	"19/vector-multi-dim":  initial,
	"22/llvm-switch":       folded,
	"22/memref-casts":      folded,
}

// TestDialects lowers the shared modules of the dialects around amdgpu by the
// oracle's passes and compares what the LLVM IR computes with the oracle's.
func TestDialects(t *testing.T) {
	shared := oracle.Shared(t, "mlir")
	opt := oracle.Tool(t, "opt-22")
	pipeline := dialectsPipeline(t, shared)
	for name, edition := range editions {
		files, err := filepath.Glob(filepath.Join(shared, "dialects", name, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatal("no modules", err)
		}
		compared := 0
		for i, file := range files {
			if i%everyNth != 0 && os.Getenv("GFX_MLIR") != "full" {
				continue
			}
			base := strings.TrimSuffix(filepath.Base(file), ".txtar")
			want := oracleIR(file)
			if want == "" {
				continue
			}
			source := filepath.Join(shared, "dialects", "src", base+".mlir")
			data, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			got, err := throughPipeline(edition, source, data, pipeline)
			if err == nil {
				err = compareEffects(t, opt, got, want)
			}
			reason, known := dialectsKnown[name+"/"+base]
			switch {
			case err != nil && !known:
				t.Errorf("%s/%s: %v", name, base, err)
			case err == nil && known:
				t.Errorf("%s/%s is the same, although %s", name, base, reason)
			}
		}
		t.Logf("edition %s: %d modules compared", name, compared)
	}
}

// dialectsPipeline returns the pipeline by which the corpus was lowered.
func dialectsPipeline(t *testing.T, shared string) string {
	data, err := os.ReadFile(filepath.Join(shared, "dialects", "pipeline.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "--pass-pipeline='")
	pipeline, _, ok := strings.Cut(rest, "'")
	if !ok {
		t.Fatal("no pipeline in", string(data))
	}
	return pipeline
}

// throughPipeline returns the LLVM IR of a module after a pipeline of passes.
func throughPipeline(edition mlir.Edition, name string, data []byte, pipeline string) (string, error) {
	c := mlir.NewContext(edition, dialects.All()...)
	top, err := c.Parse(name, data)
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
		return "", err
	}
	m, err := translate.Module(c, translate.OnlyGPUModule(top))
	if err != nil {
		return "", err
	}
	return string(text.Print(m)), nil
}
