package lower_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
	"github.com/gfx-toolchain/gfx/mlir/translate"
)

// largeText is a size, in bytes, from which on functions are treated one after the other.
const largeText = 300 << 10

// moduleName matches the name of a module of kernels.
var moduleName = regexp.MustCompile(`gpu\.module @\w+`)

// repeated returns a text with copies of a text's modules, whose names differ.
func repeated(source string) string {
	var all strings.Builder
	for i := 0; all.Len() < largeText; i++ {
		all.WriteString(moduleName.ReplaceAllStringFunc(source, func(s string) string { return fmt.Sprintf("%s_%d", s, i) }))
	}
	return all.String()
}

// eachAndWhole returns the texts of a module that is changed by functions and as a whole; the
// former is "" if that is not possible.
func eachAndWhole(source string, process func(*mlir.Context, *mlir.Op) error) (each, whole string, err error) {
	src := &diag.Source{Name: "kernels.mlir", Text: []byte(source)}
	var out bytes.Buffer
	c := mlir.NewContext(mlir.Edition22, dialects.All()...)
	if _, err := c.PrintEach(&out, src, mlir.Part{End: len(source)}, process); err != nil {
		return "", "", err
	}
	c = mlir.NewContext(mlir.Edition22, dialects.All()...)
	top, err := c.Parse(src.Name, src.Text)
	if err == nil {
		err = c.Verify(top)
	}
	if err == nil {
		err = process(c, top)
	}
	if err != nil {
		return "", "", err
	}
	return out.String(), string(c.Print(top, mlir.PrintOptions{})), nil
}

// toLLVM returns a function that lowers modules for a processor.
func toLLVM(chipset string) func(*mlir.Context, *mlir.Op) error {
	return func(c *mlir.Context, module *mlir.Op) error {
		return lower.ToLLVM(c, module, lower.Options{Chipset: chipset})
	}
}

// TestPassesEach compares passes that run on functions one after the other with passes on a
// module as a whole, among them one that adds modules.
func TestPassesEach(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var source strings.Builder
	for i := 0; source.Len() < largeText; i++ {
		fmt.Fprintf(&source, `func.func @f%d(%%a: memref<64xf32>, %%n: index) {
  %%c1 = arith.constant 1 : index
  %%two = arith.addi %%c1, %%c1 : index
  gpu.launch blocks(%%bx, %%by, %%bz) in (%%gx = %%c1, %%gy = %%c1, %%gz = %%two) threads(%%tx, %%ty, %%tz) in (%%sx = %%n, %%sy = %%c1, %%sz = %%c1) {
    %%x = memref.load %%a[%%tx] : memref<64xf32>
    memref.store %%x, %%a[%%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
`, i)
	}
	for pipeline, byFunctions := range map[string]bool{"canonicalize,cse": true, "gpu-kernel-outlining": false} {
		p, err := rewrite.ParsePipeline(pipeline, lower.Lookup)
		if err != nil {
			t.Fatal(err)
		}
		each, whole, err := eachAndWhole(source.String(), func(c *mlir.Context, module *mlir.Op) error { return p.Execute(c, module, true) })
		switch {
		case err != nil:
			t.Errorf("%s: %v", pipeline, err)
		case (each != "") != byFunctions:
			t.Errorf("%s: by functions: %v", pipeline, each != "")
		case byFunctions && each != whole:
			t.Errorf("%s: the texts differ", pipeline)
		}
	}
}

// hostFunctions returns the text of n functions that are no kernels.
func hostFunctions(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "func.func @host%d(%%m: memref<64xf32>, %%i: index) -> f32 {\n%%x = memref.load %%m[%%i] : memref<64xf32>\nreturn %%x : f32\n}\n", i)
	}
	return s.String()
}

// TestLowerEach compares kernels that are lowered one after the other with what a module
// becomes as a whole.
func TestLowerEach(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	texts := map[string]string{"many": manyKernels(10_000), "host": hostFunctions(3000) + manyKernels(3000)}
	files, _ := filepath.Glob(filepath.Join(oracle.Shared(t, "mlir"), "kernels", "*.mlir"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = repeated(string(data))
	}
	done, valid := 0, 0
	for name, source := range texts {
		each, whole, err := eachAndWhole(source, toLLVM("gfx950"))
		if err != nil {
			continue // not for this processor
		}
		valid++
		if each == "" {
			t.Logf("%s is lowered as a whole", name)
			continue
		}
		done++
		if each != whole {
			t.Errorf("%s differs", name)
		}
	}
	t.Logf("%d of %d modules lowered by functions", done, valid)
	if done < 20 {
		t.Errorf("only %d modules are lowered by functions", done)
	}
}

// TestTranslateEach compares the LLVM IR of kernels that are lowered and translated one after the
// other with the translation of a whole module.
func TestTranslateEach(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	source := manyKernels(10_000)
	process := toLLVM("gfx942")
	lowered, _, err := eachAndWhole(source, process)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text    string
		process func(*mlir.Context, *mlir.Op) error
	}{{source, process}, {lowered, nil}} {
		src := &diag.Source{Name: "kernels.mlir", Text: []byte(test.text)}
		c := mlir.NewContext(mlir.Edition22, dialects.All()...)
		each := translate.Each(c, src, mlir.Part{End: len(test.text)}, test.process)
		if each == nil {
			t.Fatal("the module cannot be translated by functions")
		}
		top, err := c.Parse(src.Name, src.Text)
		if err == nil && test.process != nil {
			err = test.process(c, top)
		}
		if err != nil {
			t.Fatal(err)
		}
		whole, err := translate.Module(c, translate.OnlyGPUModule(top))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text.Print(each), text.Print(whole)) {
			t.Error("the texts of LLVM IR differ")
		}
	}
}
