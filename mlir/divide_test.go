package mlir_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

// printedEach counts the modules that PrintEach prints.
var printedEach atomic.Int64

// readAndPrint returns the print of a text, or its errors. Work on texts
// of at least divide bytes is divided.
func readAndPrint(text []byte, edition mlir.Edition, divide int) string {
	c := mlir.NewContext(edition, dialects...)
	c.Divide(divide)
	top, err := c.Parse("test.mlir", text)
	if err == nil {
		err = c.Verify(top)
	}
	var list diag.List
	if errors.As(err, &list) {
		var out bytes.Buffer
		list.Print(&out, false)
		return out.String()
	}
	printed := c.Print(top, mlir.PrintOptions{})
	var each bytes.Buffer
	done, err := c.PrintEach(&each, &diag.Source{Name: "test.mlir", Text: text}, mlir.Part{End: len(text)}, nil)
	if done {
		printedEach.Add(1)
		if err != nil || !bytes.Equal(each.Bytes(), printed) {
			return "PrintEach differs from Print\n" + each.String()
		}
	}
	var out bytes.Buffer
	if err := c.PrintTo(&out, top, mlir.PrintOptions{}); err != nil || !bytes.Equal(out.Bytes(), printed) {
		return "PrintTo differs from Print\n" + out.String()
	}
	return string(printed)
}

// dividedTexts are modules whose functions cannot all be read in any order, or have
// errors in several functions.
var dividedTexts = []string{
	// Of two errors the first is reported, whichever is found first.
	"func.func @a() {\n  x.y\n}\nfunc.func @b() {\n  z.w\n}\n",
	"func.func @a() {\n  return %x : i32\n}\nfunc.func @b() -> i32 {\n  return\n}\n",
	"func.func @a() -> i32 {\n  return\n}\nfunc.func @b() -> i32 {\n  return\n}\n",
	// Aliases must be defined before they are used, apart from locations.
	"func.func @a(%m: memref<4xf32>) {\n  \"x.y\"() {m = #map} : () -> ()\n  return\n}\n#map = affine_map<(d0) -> (d0)>\n",
	"#map = affine_map<(d0) -> (d0 * 2)>\nfunc.func @a() {\n  return\n}\nfunc.func private @b() attributes {m = #map}\n",
	"func.func @a() {\n  return loc(#l)\n}\nfunc.func @b() {\n  return loc(#l)\n}\n#l = loc(\"f\":1:2)\n",
	"func.func @a() {\n  return loc(#l)\n}\n",
	"func.func @a(%x: !t) {\n  return\n}\n!t = i32\n",
	"func.func @a() {\n  return\n}\n!t = i32\nfunc.func @b(%x: !t) {\n  return\n}\n",
	// The first body of a structure counts.
	"llvm.func @a(%p: !llvm.ptr) {\n  %0 = llvm.load %p : !llvm.ptr -> !llvm.struct<\"s\", (i32)>\n  llvm.return\n}\nllvm.func @b(%p: !llvm.ptr) {\n  %0 = llvm.load %p : !llvm.ptr -> !llvm.struct<\"s\", (i64)>\n  llvm.return\n}\n",
	// Braces in strings and comments, and bodies that are empty or have labels.
	"func.func @a() attributes {s = \"}\"} {\n  // }\n  %0 = arith.constant {s = \"}\\\"}\"} 1 : i32\n  return\n}\nfunc.func @b() {\n  return // {\n}\n",
	"func.func @a() {\n}\n", "func.func @a() {}\nfunc.func @b() {\n^bb0:\n  return\n}\n",
	"func.func @a() {\n  cf.br ^bb1\n^bb1:\n  return\n}\nfunc.func @b(%x: i32) {\n}\n",
	"func.func @a() {\n  return // }", "func.func @a() {\n  return \"\\", "func.func @a() {\n  return }}\n", "func.func @a() { ~\n",
	// Where lines begin does not show where bodies end.
	"func.func @a(%c: i1) {\n  scf.if %c {\n} else {\n}\n  return\n}\nfunc.func @b() {\n  return\n}\n",
	"  func.func @a(%c: i1,\n               %d: i1) {\n    return\n  }\n\tfunc.func @b() {\n\t  return }\n",
	"func.func @a() {\n  return\n  }\n  func.func @b() {\n  return\n}\n", "func.func @a() { return }  func.func @b() {\n  return\n}\n",
	strings.Repeat(" ", 300) + "func.func @a() {\n  return\n}\n", "func.func @a() {\n  return\n  }",
	// Values of the module have names that functions must not use.
	"%c1_i32 = arith.constant 1 : i32\nfunc.func @a() -> i32 {\n  %0 = arith.constant 1 : i32\n  return %0 : i32\n}\n",
	"gpu.module @g {\n  gpu.func @a() kernel {\n    gpu.return\n  }\n  gpu.func @b() kernel {\n    gpu.return\n  }\n}\nfunc.func @c() {\n  call @d() : () -> ()\n  return\n}\nfunc.func private @d()\n",
}

// nestedTables returns functions that contain symbol tables. Each table has a function and a call
// of it, the last one of another function, missing.
func nestedTables(missing string) string {
	var b strings.Builder
	for i := range 32 {
		name, callee := "x", "x"
		if i == 31 {
			name, callee = "z", missing
		}
		fmt.Fprintf(&b, "func.func @f%d() {\n  builtin.module {\n    func.func private @%s() -> i32\n", i, name)
		fmt.Fprintf(&b, "    func.func @y() -> i32 {\n      %%0 = call @%s() : () -> i32\n      return %%0 : i32\n    }\n  }\n  return\n}\n", callee)
	}
	return b.String()
}

// TestNestedTables checks that a symbol table is not taken for one of an earlier function.
func TestNestedTables(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for missing, want := range map[string]bool{"z": true, "x": false} {
		text := []byte(nestedTables(missing))
		c := mlir.NewContext(mlir.Edition22, dialects...)
		c.Divide(0)
		done, err := c.PrintEach(io.Discard, &diag.Source{Name: "test.mlir", Text: text}, mlir.Part{End: len(text)}, nil)
		if done != want || err != nil {
			t.Errorf("a call of @%s: %v, %v; want %v", missing, done, err, want)
		}
	}
}

// TestDivided compares modules whose functions several goroutines read, check and
// print with what one goroutine does.
func TestDivided(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	texts := append([]string{string(largeModule(2000)), string(largeModule(20000)), nestedTables("z")}, dividedTexts...)
	texts = append(texts, seeds...)
	for n := range 16 { // the body ends at any place within a word of the text
		texts = append(texts, "func.func @a() {\n"+strings.Repeat(" ", n))
	}
	shared := oracle.Shared(t, "mlir")
	for _, dir := range []string{"ops/19", "ops/22", "dialects/src", "rejects"} {
		files, _ := filepath.Glob(filepath.Join(shared, dir, "*.mlir"))
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(data))
		}
	}
	for name, edition := range editions {
		for _, text := range texts {
			want, got := readAndPrint([]byte(text), edition, math.MaxInt), readAndPrint([]byte(text), edition, 0)
			if diff := firstDifference(got, want); diff != "" {
				t.Errorf("edition %s: %s\nof\n%s", name, diff, text[:min(len(text), 1000)])
			}
		}
	}
	t.Logf("%d modules printed by functions", printedEach.Load())
	if n := printedEach.Load(); n < 1000 {
		t.Errorf("only %d modules are printed by functions", n)
	}
}

// A shortWriter fails after a number of bytes.
type shortWriter struct{ rest int }

func (w *shortWriter) Write(b []byte) (int, error) {
	if w.rest -= len(b); w.rest < 0 {
		return 0, errors.New("no room")
	}
	return len(b), nil
}

// TestPrintToErrors prints to writers that fail at once, later and at the end.
func TestPrintToErrors(t *testing.T) {
	for _, divide := range []int{0, math.MaxInt} {
		c := mlir.NewContext(mlir.Edition22, dialects...)
		c.Divide(divide)
		top, err := c.Parse("test.mlir", largeModule(10000))
		if err != nil {
			t.Fatal(err)
		}
		size := len(c.Print(top, mlir.PrintOptions{}))
		for _, room := range []int{0, 200_000, size - 1} {
			if err := c.PrintTo(&shortWriter{room}, top, mlir.PrintOptions{}); err == nil || !strings.Contains(err.Error(), "no room") {
				t.Errorf("room for %d bytes of %d: error %v", room, size, err)
			}
		}
		if err := c.PrintTo(&shortWriter{size}, top, mlir.PrintOptions{}); err != nil {
			t.Error(err)
		}
	}
}
