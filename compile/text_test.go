package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// TestAssemblyOfKernels compiles shared kernels to text and to objects. LLVM's
// assembler and gfx's assemble the text to the same objects; LLVM's
// disassembler reads these, and its linker links them like gfx's.
func TestAssemblyOfKernels(t *testing.T) {
	part := 29
	if os.Getenv("GFX_CODEGEN_KERNELS") == "full" {
		part = 1
	}
	n, compiled := 0, 0
	for _, dir := range []string{"ll/gfx900", "ll/gfx90a", "ll/gfx1030", "ll-O0/gfx900"} {
		for _, file := range corpus.Files(t, "kernels/"+dir+"/*.ll") {
			if n++; n%part != 0 {
				continue
			}
			cpu := filepath.Base(dir)
			if cpu == "gfx1030" && n%2 == 0 {
				cpu = "gfx1100"
			}
			t.Run(fmt.Sprintf("%s/%s", dir, corpus.Name(file)), func(t *testing.T) {
				if assembleKernel(t, file, cpu, n%3) {
					compiled++
				}
			})
		}
	}
	if want := n / part * 3 / 4; compiled < want {
		t.Errorf("%d kernels were compiled, expected %d or more", compiled, want)
	}
}

// assembleKernel runs the comparison for one kernel. It reports whether the
// kernel can be compiled.
func assembleKernel(t *testing.T, file, cpu string, level int) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	check(t, err)
	compiled := func(format Format) ([]byte, error) {
		r, err := Compile(context.Background(), []Input{{Name: file, Data: data}}, Options{CPU: cpu, Level: level, Format: format})
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	}
	obj, err := compiled(Object)
	if err != nil {
		t.Skip(err)
	}
	text, err := compiled(Assembly)
	check(t, err)
	tgt, err := target.New("", cpu, "")
	check(t, err)
	tgt.COV = 5
	r, found := asm.Assemble(&diag.Source{Name: "a.s", Text: text}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatal(found)
	}
	if string(r.Object) != string(obj) {
		t.Errorf("the object differs from the assembled text %s", firstDifference(obj, r.Object))
	}
	assembleWithLLVM(t, tgt, text, obj)
	disassembleWithLLVM(t, obj)
	linked, err := compiled(Linked)
	check(t, err)
	linkWithLLD(t, obj, linked)
	return true
}

// disassembleWithLLVM checks that llvm-objdump decodes every instruction.
func disassembleWithLLVM(t *testing.T, obj []byte) {
	t.Helper()
	out, errs, exit := oracle.Run(t, obj, time.Minute, oracle.Tool(t, "llvm-objdump-22"), "-d", "-")
	if exit != 0 || len(errs) > 0 {
		t.Errorf("llvm-objdump: %s", errs)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "<unknown>") || strings.HasPrefix(strings.TrimSpace(line), ".long") {
			t.Errorf("llvm-objdump: %s", line)
		}
	}
}

// linkWithLLD links an object with ld.lld and compares the loaded sections with
// Compile's.
func linkWithLLD(t *testing.T, obj, linked []byte) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.o"), filepath.Join(dir, "a.hsaco")
	check(t, os.WriteFile(in, obj, 0o600))
	if _, errs, exit := oracle.Run(t, nil, time.Minute, oracle.Tool(t, "ld.lld-22"), "-shared", "-o", out, in); exit != 0 {
		t.Fatalf("ld.lld: %s", errs)
	}
	data, err := os.ReadFile(out)
	check(t, err)
	if diff := cmp.Diff(loaded(t, data), loaded(t, linked)); diff != "" {
		t.Errorf("ld.lld (-) links otherwise: %s", diff)
	}
}

// loaded returns the sections of a code object that are loaded into memory.
func loaded(t *testing.T, data []byte) (list []codeobject.Section) {
	t.Helper()
	o, err := codeobject.Read(data)
	check(t, err)
	for _, s := range o.Sections {
		if s.Flags&codeobject.SHF_ALLOC != 0 {
			s.NameOff = 0
			list = append(list, *s)
		}
	}
	return list
}
