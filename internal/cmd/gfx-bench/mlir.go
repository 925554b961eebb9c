package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// The required figures of MLIR: how many times as fast as the peer, and the maximum fraction of
// its peak memory.
const (
	wantMLIR       = 5.0
	wantMLIRMemory = 0.5
)

const (
	mlirOperations = 100_000
	mlirChipset    = "gfx942"
	// mlirPasses lower mlirText with mlir-opt.
	mlirPasses = "builtin.module(gpu.module(convert-amdgpu-to-rocdl{chipset=" + mlirChipset + "},convert-vector-to-llvm," +
		"convert-gpu-to-rocdl{chipset=" + mlirChipset + "},convert-arith-to-llvm,reconcile-unrealized-casts))"
)

// mlirText returns a module of kernels with about n operations: buffer accesses, matrix
// instructions, arithmetic and barriers.
func mlirText(n int) string {
	const groups = 100 // of six operations in a kernel
	var s strings.Builder
	s.WriteString("gpu.module @kernels {\n")
	for k := range n / (6 * groups) {
		fmt.Fprintf(&s, "  gpu.func @kernel%d(%%a: memref<64x64xf32>, %%b: memref<64x64xf32>, %%i: i32, %%j: i32, %%x: f32, %%acc: vector<4xf32>) kernel {\n", k)
		for i := range groups {
			fmt.Fprintf(&s, `    %%l%[1]d = amdgpu.raw_buffer_load {boundsCheck = true} %%a[%%i, %%j] : memref<64x64xf32>, i32, i32 -> f32
    %%s%[1]d = arith.addf %%l%[1]d, %%x : f32
    %%m%[1]d = amdgpu.mfma 16x16x4 %%s%[1]d * %%x + %%acc blgp = none : f32, f32, vector<4xf32>
    %%e%[1]d = vector.extract %%m%[1]d[0] : f32 from vector<4xf32>
    amdgpu.raw_buffer_store {boundsCheck = true} %%e%[1]d -> %%b[%%i, %%j] : f32 -> memref<64x64xf32>, i32, i32
    amdgpu.lds_barrier
`, i)
		}
		s.WriteString("    gpu.return\n  }\n")
	}
	return s.String() + "}\n"
}

// mlir measures reading and printing, lowering and translating a module, each with any
// number of threads.
func (b *bench) mlir() (bool, error) {
	opt, hasOpt := oracle.Find("mlir-opt-22")
	translate, hasTranslate := oracle.Find("mlir-translate-22")
	if !hasOpt || !hasTranslate {
		return false, missingError("no mlir-opt-22 and mlir-translate-22 to compare with (Debian package " + oracle.Package("mlir-opt-22") + ")")
	}
	file := func(name string) string { return filepath.Join(b.dir, name) }
	source, lowered := file("kernels.mlir"), file("lowered.mlir")
	if err := os.WriteFile(source, []byte(mlirText(mlirOperations)), 0o600); err != nil {
		return false, err
	}
	if _, err := run("", true, opt, "--pass-pipeline="+mlirPasses, source, "-o", lowered); err != nil {
		return false, err
	}
	if err := withoutGPUModule(lowered); err != nil {
		return false, err
	}
	fmt.Printf("\nMLIR, %d operations, whole processes with any number of threads\n", mlirOperations)
	printHeader()
	reached := true
	for _, job := range []struct {
		name         string
		ours, theirs []string
	}{
		{"read, print", []string{b.gfx, "mlir", source}, []string{opt, source}},
		{"lower", []string{b.gfx, "mlir", "--to=llvm", "--mcpu=" + mlirChipset, source}, []string{opt, "--pass-pipeline=" + mlirPasses, source}},
		{"translate", []string{b.gfx, "mlir", "--mlir-to-llvmir", lowered}, []string{translate, "--mlir-to-llvmir", lowered}},
	} {
		gfx := &side{name: "gfx", output: file("gfx.out"), threads: true, command: job.ours}
		peer := &side{name: "LLVM", output: file("llvm.out"), threads: true, command: job.theirs}
		if err := b.compare(gfx, peer); err != nil {
			return false, err
		}
		ok := printRatios(job.name, "Mops/s", mlirOperations/1e6, gfx, peer, wantMLIR, wantMLIRMemory)
		reached = reached && ok
	}
	return reached, nil
}

// withoutGPUModule replaces the gpu.module in a file by its contents, for mlir-translate.
func withoutGPUModule(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	kept := lines[:0]
	for _, line := range lines {
		if bytes.HasPrefix(line, []byte("  gpu.module ")) || bytes.Equal(line, []byte("  }\n")) {
			continue
		}
		kept = append(kept, line)
	}
	return os.WriteFile(name, bytes.Join(kept, nil), 0o600)
}
