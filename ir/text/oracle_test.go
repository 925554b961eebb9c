package text

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/irtest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
)

const toolTime = 2 * time.Minute

// llvmText returns the output of llvm-dis for a text after llvm-as. If LLVM's
// verifier rejects the text, opt prints it.
func llvmText(t *testing.T, src []byte, noVerify bool) []byte {
	t.Helper()
	if noVerify {
		out, errs, exit := oracle.Run(t, src, toolTime, oracle.Tool(t, "opt-22"), "-S", "--disable-verify", "-o", "-", "-")
		if exit != 0 {
			t.Fatalf("opt-22: %s", errs)
		}
		return out
	}
	as, dis := oracle.Tool(t, "llvm-as-22"), oracle.Tool(t, "llvm-dis-22")
	bc, errs, exit := oracle.Run(t, src, toolTime, as, "-o", "-")
	if exit != 0 {
		t.Fatalf("llvm-as-22: %s", errs)
	}
	out, errs, exit := oracle.Run(t, bc, toolTime, dis, "-o", "-")
	if exit != 0 {
		t.Fatalf("llvm-dis-22: %s", errs)
	}
	return out
}

// read parses a valid text and checks the lists of its functions.
func read(t testing.TB, name string, src []byte) *ir.Module {
	t.Helper()
	m, list := Parse(name, src)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			if err := g.Func.CheckLinks(); err != nil {
				t.Fatalf("%s: %v", g.Name(), err)
			}
		}
	}
	return m
}

// compare checks that a text is printed as LLVM prints it, and that parsing the
// output yields the same text.
func compare(t *testing.T, src []byte, noVerify bool) {
	t.Helper()
	got := Print(read(t, "<stdin>", src))
	if diff := cmp.Diff(irtest.Comparable(llvmText(t, src, noVerify)), irtest.Comparable(got)); diff != "" {
		t.Errorf("differs from LLVM (-LLVM +gfx):\n%.4000s", diff)
	}
	if again := Print(read(t, "<stdin>", got)); !bytes.Equal(again, got) {
		t.Errorf("the text differs after printing again:\n%.4000s", cmp.Diff(string(got), string(again)))
	}
}

// TestCorpus compares the printed modules of the shared corpus with LLVM 22:
// modules of LLVM 22 and, after the upgrade, of LLVM 14.
func TestCorpus(t *testing.T) {
	for _, pattern := range []string{"kernels/ll/*/*.ll", "kernels/ll-O0/*/*.ll", "kernels/ll-14/*/*.ll", "bench/ll/*/*.ll"} {
		dir, _, _ := strings.Cut(pattern, "/*")
		root := oracle.Shared(t, dir)
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(pattern, dir+"/"))))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			t.Run(strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(root)+"/"), func(t *testing.T) {
				t.Parallel()
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				compare(t, src, false)
			})
		}
	}
}

// TestLLVM compares the modules in testdata/llvm with LLVM 22. They contain all
// kinds of globals, types, constants, instructions, attributes and metadata,
// and old forms.
func TestLLVM(t *testing.T) {
	files, err := filepath.Glob("testdata/llvm/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, src, strings.Contains(file, "-noverify"))
		})
	}
}
