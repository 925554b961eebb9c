package compile

import (
	"context"
	"os"
	"testing"
)

// TestDeviceLibraries compiles a call of a library function for code object
// versions and processors with and without controls in the libraries.
func TestDeviceLibraries(t *testing.T) {
	const libs = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
	if _, err := os.Stat(libs); err != nil {
		t.Skipf("no device libraries (Debian package rocm-device-libs): %v", err)
	}
	in := []Input{{Name: "a.ll", Data: []byte(`
declare float @__ocml_sin_f32(float)
declare i64 @__ockl_get_global_id(i32)
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i64 @__ockl_get_global_id(i32 0)
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %x = load float, ptr addrspace(1) %a
  %y = call float @__ocml_sin_f32(float %x)
  store float %y, ptr addrspace(1) %a
  ret void
}`)}}
	for _, cpu := range []string{"gfx600", "gfx900", "gfx942", "gfx1030", "gfx1201"} {
		for _, cov := range []int{4, 5, 6} {
			if _, err := Compile(context.Background(), in, Options{CPU: cpu, COV: cov, Level: 2, DeviceLibs: libs}); err != nil {
				t.Errorf("%s, code object version %d: %v", cpu, cov, err)
			}
		}
	}
}
