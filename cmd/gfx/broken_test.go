package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
)

// TestBrokenPass compiles with a pass that creates a load from a non-pointer.
// gfx compile names the pass, writes nothing and ends with status 1.
func TestBrokenPass(t *testing.T) {
	p := opt.FindPass(prepare.AllPasses(), "dce")
	right := *p
	t.Cleanup(func() { *p = right })
	p.Function = func(_ *opt.Context, f *ir.Function) bool {
		for v := f.First(f.Entry()); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpStore {
				f.SetOperand(v, 1, f.Operand(v, 0))
			}
		}
		return true
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.ll"), filepath.Join(dir, "k.hsaco")
	src := "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"
	if err := os.WriteFile(in, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status := runCommandLine([]string{"compile", "--mcpu=gfx1100", "-O2", "-o", out, in}, strings.NewReader(""), &stdout, &stderr)
	if status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if want := "BUG in pass 'dce' on function 'k': "; !strings.Contains(stderr.String(), want) || !strings.Contains(stderr.String(), "Store operand must be a pointer") {
		t.Errorf("standard error does not contain %q:\n%s", want, &stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is code")
	}
}
