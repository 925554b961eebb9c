package text

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/irtest"
	"github.com/gfx-toolchain/gfx/internal/oracle"
)

// TestParallel reads texts in one go and in two steps with several readers: both give the same module.
func TestParallel(t *testing.T) {
	wordsOnce.Do(buildTables)
	files, _ := filepath.Glob("testdata/llvm/*.ll")
	kernels, _ := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/ll-O0/gfx900"), "*.ll"))
	two := 0
	for _, file := range append(files, kernels...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := newParser("x", src, nil)
		if !p.tryParallel(3) {
			continue // something is used before it is defined
		}
		p.finish()
		two++
		whole := newParser("x", src, nil)
		whole.module()
		whole.finish()
		if diff := irtest.Diff(whole.m, p.m); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
	if two < len(kernels) {
		t.Errorf("only %d of %d texts could be read in two steps", two, len(files)+len(kernels))
	}
}

// TestParallelGivesUp reads texts that only reading in one go gets right.
func TestParallelGivesUp(t *testing.T) {
	wordsOnce.Do(buildTables)
	for name, text := range map[string]string{
		"error in a body":         "define void @f() {\n  ret i32\n}\n",
		"error outside":           "define void @f() {\n  ret void\n}\nnonsense\n",
		"body on one line":        "define void @f() { ret void }\ndefine void @g() {\n  ret void\n}\n",
		"brace in a string":       "define void @f() {\n  call void asm \"\n}\", \"\"()\n  ret void\n}\n",
		"layout behind a body":    "define void @f() {\n  ret void\n}\ntarget datalayout = \"e-i64:32\"\n",
		"type behind a body":      "define void @f() {\n  %a = alloca %t\n  ret void\n}\n%t = type i32\n",
		"unknown value":           "define ptr @f() {\n  ret ptr @g\n}\n",
		"intrinsic not declared":  "define void @f() {\n  call void @llvm.trap()\n  ret void\n}\n",
		"unknown metadata":        "define void @f() {\n  ret void, !a !7\n}\n",
		"unknown attribute group": "define void @f() {\n  call void @f() #3\n  ret void\n}\n",
		"end is missing":          "define void @f() {\n  ret void\n",
		"block of another one": "define ptr @f() {\n  ret ptr blockaddress(@g, %b)\n}\ndefine void @g() {\n  br label %b\nb:\n" +
			"  ret void\n}\n",
	} {
		if newParser("x", []byte(text), nil).tryParallel(2) {
			t.Errorf("%s: read in two steps", name)
		}
		large := text + strings.Repeat(";\n", minParallel)
		_, small := Parse("x", []byte(text))
		if _, list := Parse("x", []byte(large)); list.HasErrors() != small.HasErrors() {
			t.Errorf("%s: errors %v, as a small text %v", name, list, small)
		}
	}
}
