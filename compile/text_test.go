package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/internal/corpus"
	"github.com/gfx-toolchain/gfx/internal/diag"
	"github.com/gfx-toolchain/gfx/target"
)

// TestAssemblyOfKernels compiles shared kernels to text and to objects: LLVM's assembler and ours make the same objects of the text.
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

// assembleKernel compares for one kernel. It reports whether it can be compiled.
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
	return true
}
