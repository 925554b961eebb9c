package translate_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/translate"
)

// TestModules compares the modules in testdata with mlir-translate.
func TestModules(t *testing.T) {
	tool := oracle.Tool(t, "mlir-translate-22")
	files, _ := filepath.Glob("testdata/*.mlir")
	if len(files) == 0 {
		t.Fatal("no modules")
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, errs, exit := oracle.Run(t, source, toolTime, tool, "--mlir-to-llvmir")
		if exit != 0 {
			t.Fatalf("%s: %s", file, errs)
		}
		got, err := translated(mlir.Edition22, source)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		direct, err := compareModules(t, got, want)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		t.Logf("%s: equal without optimization: %v", file, direct)
	}
}

var update = flag.Bool("update", false, "rewrite the expected texts in testdata")

// TestTexts compares the LLVM IR of the modules in testdata with the texts beside
// them, which TestModules compares with mlir-translate's.
func TestTexts(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.mlir")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := translated(mlir.Edition22, source)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, golden := text.Print(m), strings.TrimSuffix(file, ".mlir")+".ll"
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
}

func generic(name string, attrs string) string {
	return fmt.Sprintf("\"builtin.module\"() ({\n  %q() <{%s}> : () -> ()\n}) : () -> ()\n", name, attrs)
}

func inFunction(body string) string {
	return "llvm.func @f(%a: i32, %p: !llvm.ptr, %x: f32) {\n" + body + "\n  llvm.return\n}\n"
}

// TestRefused checks the errors about what has no translation.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{inFunction("  %0 = rocdl.exp %x f32 -> f32"), "test.mlir:2:8: error: 'rocdl.exp' op has operands or results that the intrinsic llvm.amdgcn.exp does not have"},
		{inFunction("  %0 = llvm.call_intrinsic \"llvm.nothing\"(%a) : (i32) -> i32"), "test.mlir:2:8: error: 'llvm.call_intrinsic' op calls llvm.nothing, which is no intrinsic"},
		{inFunction("  %0 = llvm.mlir.zero : vector<[4]xi32>"), "test.mlir:2:8: error: 'llvm.mlir.zero' op has the type vector<[4]xi32>, which LLVM IR does not have"},
		{"gpu.module @m {\n}\nllvm.func @f()\n", "test.mlir:1:1: error: 'gpu.module' op cannot be translated to LLVM IR in a module"},
	} {
		c2 := newContext(mlir.Edition22)
		top, err := c2.Parse("test.mlir", []byte(c.source))
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		_, err = translate.Module(c2, top)
		var list diag.List
		if !errors.As(err, &list) || list[0].Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestNoModule checks that only modules are translated.
func TestNoModule(t *testing.T) {
	c := newContext(mlir.Edition22)
	top, err := c.Parse("test.mlir", []byte("llvm.func @f()\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := translate.Module(c, top.Body(0).First()); err == nil || !strings.Contains(err.Error(), "is no module") {
		t.Errorf("got %v", err)
	}
}

// bigModule returns a module of about n operations.
func bigModule(n int) []byte {
	var b strings.Builder
	b.WriteString("llvm.func @f(%p: !llvm.ptr<8>, %x: f32, %i: i32) attributes {rocdl.kernel} {\n  %aux = llvm.mlir.constant(0 : i32) : i32\n")
	last := "%x"
	for k := 0; k < n; k += 5 {
		fmt.Fprintf(&b, "  %%a%d = llvm.add %%i, %%aux overflow<nsw> : i32\n  %%l%d = rocdl.raw.ptr.buffer.load %%p, %%a%d, %%aux, %%aux : f32\n", k, k, k)
		fmt.Fprintf(&b, "  %%m%d = llvm.fmul %%l%d, %s {fastmathFlags = #llvm.fastmath<contract>} : f32\n  %%s%d = llvm.intr.fma(%%m%d, %%x, %s) : (f32, f32, f32) -> f32\n", k, k, last, k, k, last)
		fmt.Fprintf(&b, "  rocdl.raw.ptr.buffer.store %%s%d, %%p, %%a%d, %%aux, %%aux : f32\n", k, k)
		last = fmt.Sprintf("%%s%d", k)
	}
	b.WriteString("  llvm.return\n}\n")
	return []byte(b.String())
}

// BenchmarkModule translates 100,000 operations.
func BenchmarkModule(b *testing.B) {
	c := newContext(mlir.Edition22)
	top, err := c.Parse("big.mlir", bigModule(100000))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := translate.Module(c, top); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzModule checks that no module that is read and valid makes the translation
// fail other than with an *Error.
func FuzzModule(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.mlir")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	f.Add([]byte(generic("llvm.linker_options", `options = ["a"]`)))
	f.Fuzz(func(t *testing.T, source []byte) {
		c := newContext(mlir.Edition22)
		top, err := c.Parse("fuzz.mlir", source)
		if err != nil || c.Verify(top) != nil {
			return
		}
		var list diag.List
		if _, err := translate.Module(c, top); err != nil && !errors.As(err, &list) {
			t.Errorf("%v", err)
		}
	})
}
