package text

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/irtest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
)

// TestParallel parses texts sequentially and in two steps with several readers.
// Both results must be the same.
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
		p := newParser("x", src, Options{})
		if !p.tryParallel(3) {
			continue // an entity is used before its definition
		}
		p.finish()
		two++
		whole := newParser("x", src, Options{})
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

// TestParallelFallback parses texts that only sequential parsing handles
// correctly.
func TestParallelFallback(t *testing.T) {
	wordsOnce.Do(buildTables)
	for name, text := range map[string]string{
		"error in a body":         "define void @f() {\n  ret i32\n}\n",
		"error outside":           "define void @f() {\n  ret void\n}\nnonsense\n",
		"body on one line":        "define void @f() { ret void }\ndefine void @g() {\n  ret void\n}\n",
		"brace in a string":       "define void @f() {\n  call void asm \"\n}\", \"\"()\n  ret void\n}\n",
		"layout after a body":     "define void @f() {\n  ret void\n}\ntarget datalayout = \"e-i64:32\"\n",
		"type after a body":       "define void @f() {\n  %a = alloca %t\n  ret void\n}\n%t = type i32\n",
		"unknown value":           "define ptr @f() {\n  ret ptr @g\n}\n",
		"intrinsic not declared":  "define void @f() {\n  call void @llvm.trap()\n  ret void\n}\n",
		"unknown metadata":        "define void @f() {\n  ret void, !a !7\n}\n",
		"unknown attribute group": "define void @f() {\n  call void @f() #3\n  ret void\n}\n",
		"kind in a comment":       "define void @f() {\n  ret void ; !a\n}\n",
		"kind in a string":        "define void @f() {\n  call void asm \"!a\", \"\"()\n  ret void\n}\n",
		"kind with an escape":     "define void @f() {\n  ret void, !\\41bc !0\n}\n!0 = !{}\n",
		"escaped argument":        "define i32 @f(i32 %\"a\\41\") {\n  ret i32 %aA\n}\n",
		"end is missing":          "define void @f() {\n  ret void\n",
		"block of another one": "define ptr @f() {\n  ret ptr blockaddress(@g, %b)\n}\ndefine void @g() {\n  br label %b\nb:\n" +
			"  ret void\n}\n",
	} {
		if newParser("x", []byte(text), Options{}).tryParallel(2) {
			t.Errorf("%s: read in two steps", name)
		}
		large := text + strings.Repeat(";\n", minParallel)
		_, small := Parse("x", []byte(text))
		if _, list := Parse("x", []byte(large)); list.HasErrors() != small.HasErrors() {
			t.Errorf("%s: errors %v, as a small text %v", name, list, small)
		}
	}
}

// TestParallelArguments parses all kinds of argument names in two steps.
func TestParallelArguments(t *testing.T) {
	wordsOnce.Do(buildTables)
	for _, text := range []string{
		"define i32 @f(i32 %0, i32 %1) {\n  ret i32 %1\n}\n",
		"define i32 @f(i32, i32) {\n  ret i32 %0\n}\n",
		"define i32 @f(i32 %a, i32 %\"b c\") {\n  %d = add i32 %a, %\"b c\"\n  ret i32 %d\n}\n",
		"define i32 @f(i32 %a, i32 %5, i32) {\n  %d = add i32 %5, %6\n  ret i32 %d\n}\n",
	} {
		p := newParser("x", []byte(text), Options{})
		if !p.tryParallel(2) {
			t.Errorf("not read in two steps: %s", text)
			continue
		}
		p.finish()
		whole := newParser("x", []byte(text), Options{})
		whole.module()
		whole.finish()
		if diff := irtest.Diff(whole.m, p.m); diff != "" || whole.list.HasErrors() {
			t.Errorf("%s: %s %v", text, diff, whole.list)
		}
	}
}

// TestParallelKinds parses new kinds of attachments in bodies and headers.
// Their numbers must follow textual order.
func TestParallelKinds(t *testing.T) {
	wordsOnce.Do(buildTables)
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "define void @f%d() !head%d !0 {\n  store i32 0, ptr null, !body%d !0, !tbaa !0 ; text\n  ret void, !dbg !DILocation(line: 1, scope: !0), !again%d !0\n}\n", i, i, i, i%7)
	}
	text.WriteString("!0 = !{}\n")
	for range 20 {
		p := newParser("x", []byte(text.String()), Options{})
		if !p.tryParallel(4) {
			t.Fatal("not read in two steps")
		}
		whole := newParser("x", []byte(text.String()), Options{})
		whole.module()
		for i := range 50 {
			for _, name := range []string{"head", "body", "again"} {
				name = fmt.Sprint(name, i)
				if got, want := p.m.MDKind(name), whole.m.MDKind(name); got != want {
					t.Fatalf("kind %s has the number %d, sequentially %d", name, got, want)
				}
			}
		}
	}
}

// TestIntegersWithSameLowBits parses constants with the same lowest 64 bits, with
// equal and with different types.
func TestIntegersWithSameLowBits(t *testing.T) {
	m, list := Parse("x", []byte("@a = global i128 -9999999999999999999\n@b = global i128 8446744073709551617\n"+
		"@c = global i64 -9999999999999999999\n@d = global i64 8446744073709551617\n@e = global i128 99999999999999999999\n@f = global i128 0\n"))
	if list.HasErrors() {
		t.Fatal(list)
	}
	init := func(name string) ir.Value { return m.Global(name).Init }
	if init("a") == init("b") || init("c") != init("d") || init("e") == init("f") {
		t.Errorf("read as %s", Print(m))
	}
}
