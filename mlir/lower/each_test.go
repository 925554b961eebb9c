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

// eachAndWhole returns the results of lowering a text by functions and as a whole; the
// former is "" if that is not possible.
func eachAndWhole(source string, o lower.Options) (each, whole string, err error) {
	process := func(c *mlir.Context, module *mlir.Op) error { return lower.ToLLVM(c, module, o) }
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

// TestLowerEach compares kernels that are lowered one after the other with what a module
// becomes as a whole.
func TestLowerEach(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	texts := map[string]string{"many": manyKernels(10_000)}
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
		each, whole, err := eachAndWhole(source, lower.Options{Chipset: "gfx950"})
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
	process := func(c *mlir.Context, module *mlir.Op) error {
		return lower.ToLLVM(c, module, lower.Options{Chipset: "gfx942"})
	}
	lowered, _, err := eachAndWhole(source, lower.Options{Chipset: "gfx942"})
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
