package prepare

import (
	"errors"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/target"
)

// TestRefused checks the errors of passes for unsupported code.
func TestRefused(t *testing.T) {
	tg, err := target.New("", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ passes, src, want string }{
		{"amdgpu-lower-module-lds", "@x = addrspace(3) global i32 7", "pass 'amdgpu-lower-module-lds': initializer of LDS variable @x is not supported"},
		{"amdgpu-lower-module-lds", "@x = addrspace(3) global [17 x target(\"amdgcn.named.barrier\", 0)] poison\n define amdgpu_kernel void @k() {\n store ptr addrspace(3) @x, ptr null\n ret void\n}",
			"pass 'amdgpu-lower-module-lds': named barrier @x (a work-group has at most 16) is not supported"},
		{"amdgpu-lower-module-lds", "@x = addrspace(3) global [70000 x i8] poison\n define amdgpu_kernel void @k() {\n store i8 0, ptr addrspace(3) @x\n ret void\n}",
			"pass 'amdgpu-lower-module-lds' on function 'k': kernel @k with 70000 bytes of LDS (at most 65536) is not supported"},
		{"expand-variadics", "declare void @llvm.va_start.p5(ptr addrspace(5))\n define void @f(ptr addrspace(5) %p) {\n call void @llvm.va_start.p5(ptr addrspace(5) %p)\n ret void\n}",
			"pass 'expand-variadics' on function 'f': llvm.va_start in a function without variable arguments is not supported"},
	} {
		m := parse(t, "x.ll", "target triple = \"amdgcn-amd-amdhsa\"\n"+c.src)
		err := pipeline(t, c.passes).Run(&opt.Context{Target: tg}, m)
		var u *opt.Unsupported
		if err == nil || !errors.As(err, &u) || strings.TrimSpace(err.Error()) != c.want {
			t.Errorf("expected %q, got %v", c.want, err)
		}
		var e *opt.Error
		if errors.As(err, &e) && e.Stack != nil {
			t.Errorf("%v: with a stack", err)
		}
	}
}
