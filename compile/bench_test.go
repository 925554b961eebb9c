package compile

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// hashIR compiles one of the hash functions and ciphers of gfx-bench to LLVM IR.
func hashIR(b *testing.B, path string) Input {
	out, stderr, exit := oracle.Run(b, nil, time.Minute, "clang-22", "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header",
		"-target", "amdgcn-amd-amdhsa", "-nogpulib", "-mcpu=gfx900", "-O2", "-S", "-emit-llvm", "-o", "-", path)
	if exit != 0 {
		b.Fatalf("%s: %s", path, stderr)
	}
	return Input{Name: path, Data: out}
}

// BenchmarkHashes compiles hash functions and ciphers with unrolled rounds:
// long chains of additions and rotations.
func BenchmarkHashes(b *testing.B) {
	files, err := filepath.Glob("../internal/cmd/gfx-bench/testdata/hash/*.cl")
	if err != nil || len(files) == 0 {
		b.Fatalf("no kernels: %v", err)
	}
	for _, path := range files {
		b.Run(strings.TrimSuffix(filepath.Base(path), ".cl"), func(b *testing.B) {
			in := []Input{hashIR(b, path)}
			for b.Loop() {
				if _, err := Compile(context.Background(), in, Options{CPU: "gfx900", Level: 2, Workers: 1, Format: Object}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
