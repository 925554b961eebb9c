package opt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// patterns returns the shared kernels that tests compare with LLVM: the
// unoptimized ones of LLVM 22 and, with GFX_EXEC_KERNELS=full, also the
// optimized ones of LLVM 14.
func patterns() []string {
	if os.Getenv("GFX_EXEC_KERNELS") == "full" {
		return []string{"ll-O0/*/*.ll", "ll-14/*/*.ll"}
	}
	return []string{"ll-O0/*/*.ll"}
}

// kernels returns shared kernels in LLVM IR, without optnone.
func kernels(t testing.TB, patterns ...string) (names []string, sources [][]byte) {
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels"), pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no kernels in %s", pattern)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, file)
			sources = append(sources, bytes.ReplaceAll(src, []byte(" optnone"), nil))
		}
	}
	return names, sources
}

// TestMem2RegLLVM compares mem2reg with LLVM's: the text must be equal.
func TestMem2RegLLVM(t *testing.T) {
	names, sources := kernels(t, patterns()...)
	same := 0
	for i, src := range sources {
		up := sources[i]
		m := parse(t, "<stdin>", string(up))
		src = text.Print(m)
		run(t, "mem2reg", m)
		passtest.DropNames(m)
		want := passtest.WithoutPreds(passtest.LLVMOpt(t, "mem2reg", src))
		if diff := cmp.Diff(string(want), string(passtest.WithoutPreds(text.Print(m)))); diff != "" {
			t.Errorf("%s: (-LLVM +gfx)\n%s", names[i], diff)
			continue
		}
		same++
	}
	t.Logf("%d of %d kernels are the same", same, len(names))
}

// countLines counts the lines of a text that contain a word.
func countLines(text []byte, word string) (n int) {
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(word)) {
			n++
		}
	}
	return n
}

// TestSROALLVM compares the number of remaining allocas with LLVM's.
func TestSROALLVM(t *testing.T) {
	names, sources := kernels(t, patterns()...)
	ours, theirs := 0, 0
	for i, src := range sources {
		m := parse(t, "<stdin>", string(src))
		src = text.Print(m)
		run(t, "sroa", m)
		got, want := countLines(text.Print(m), " = alloca "), countLines(passtest.LLVMOpt(t, "sroa", src), " = alloca ")
		if got > want {
			t.Errorf("%s: %d allocas left, LLVM leaves %d", names[i], got, want)
		}
		ours, theirs = ours+got, theirs+want
	}
	t.Logf("%d allocas left, LLVM leaves %d", ours, theirs)
}

// countBlocks counts the blocks of a module's functions.
func countBlocks(m *ir.Module) (n int) {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			for b := g.Func.Entry(); b != 0; b = g.Func.NextBlock(b) {
				n++
			}
		}
	}
	return n
}

// TestSimplifyCFGLLVM compares the number of remaining blocks with LLVM's.
func TestSimplifyCFGLLVM(t *testing.T) {
	names, sources := kernels(t, patterns()...)
	const passes = "sroa,simplifycfg"
	before, ours, theirs := 0, 0, 0
	for i, src := range sources {
		m := parse(t, "<stdin>", string(src))
		src = text.Print(m)
		before += countBlocks(m)
		run(t, passes, m)
		passtest.VerifyLLVM(t, names[i], m)
		got, want := countBlocks(m), countBlocks(parse(t, "<stdin>", string(passtest.LLVMOpt(t, passes, src))))
		if got > want+want/20+1 {
			t.Errorf("%s: %d blocks left, LLVM leaves %d", names[i], got, want)
		}
		ours, theirs = ours+got, theirs+want
	}
	t.Logf("%d blocks, %d left, LLVM leaves %d", before, ours, theirs)
}
