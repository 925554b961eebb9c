package text

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// benchFile returns a module: the file in the environment variable
// GFX_BENCH_IR, or 250 KB of unrolled code of one kernel.
func benchFile(b *testing.B) []byte {
	b.Helper()
	if name := os.Getenv("GFX_BENCH_IR"); name != "" {
		src, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		return src
	}
	src, err := os.ReadFile(filepath.Join(oracle.Shared(b, "kernels/ll/gfx900"), "private_array.ll"))
	if err != nil {
		b.Fatal(err)
	}
	return src
}

func BenchmarkParse(b *testing.B) {
	src := benchFile(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, list := Parse("bench.ll", src); list.HasErrors() {
			b.Fatal(list)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	m, list := Parse("bench.ll", benchFile(b))
	if list.HasErrors() {
		b.Fatal(list)
	}
	b.SetBytes(int64(len(Print(m))))
	b.ReportAllocs()
	for b.Loop() {
		Print(m)
	}
}

// BenchmarkLLVM runs llvm-as-22 on the same file as a process whose output is
// discarded.
func BenchmarkLLVM(b *testing.B) {
	src := benchFile(b)
	as := oracle.Tool(b, "llvm-as-22")
	file := filepath.Join(b.TempDir(), "bench.ll")
	if err := os.WriteFile(file, src, 0o666); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if out, err := exec.Command(as, "-o", os.DevNull, file).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
