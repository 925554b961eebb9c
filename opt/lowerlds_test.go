package opt

import (
	"errors"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/target"
)

func TestLDSRefused(t *testing.T) {
	tg, err := target.New("", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ src, want string }{
		{"@x = addrspace(3) global i32 7", "pass 'amdgpu-lower-module-lds': initializer of LDS variable @x is not supported"},
		{"@x = addrspace(3) global [70000 x i8] poison\n define amdgpu_kernel void @k() {\n store i8 0, ptr addrspace(3) @x\n ret void\n}",
			"pass 'amdgpu-lower-module-lds' on function 'k': kernel @k with 70000 bytes of LDS (at most 65536) is not supported"},
	} {
		m := parse(t, "x.ll", "target triple = \"amdgcn-amd-amdhsa\"\n"+c.src)
		err := pipeline(t, "amdgpu-lower-module-lds").Run(&Context{Target: tg}, m)
		var u *Unsupported
		if err == nil || !errors.As(err, &u) || strings.TrimSpace(err.Error()) != c.want {
			t.Errorf("expected %q, got %v", c.want, err)
		}
		var e *Error
		if errors.As(err, &e) && e.Stack != nil {
			t.Errorf("%v: with a stack", err)
		}
	}
}
