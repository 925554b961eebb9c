package compile

import (
	"context"
	"fmt"
	"os"
	"strings"
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
declare double @llvm.exp.f64(double)
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i64 @__ockl_get_global_id(i32 0)
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %x = load float, ptr addrspace(1) %a
  %y = call float @__ocml_sin_f32(float %x)
  %d = fpext float %y to double
  %e = call double @llvm.exp.f64(double %d)
  %z = fptrunc double %e to float
  store float %z, ptr addrspace(1) %a
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

// TestMathNote checks that the error for a math intrinsic without instructions
// names the device libraries.
func TestMathNote(t *testing.T) {
	for _, x := range []struct {
		intrinsic string
		note      bool
	}{{"exp.f64", true}, {"tan.f64", true}, {"lround.i32.f64", false}} {
		result := "double"
		if strings.HasPrefix(x.intrinsic, "lround") {
			result = "i32"
		}
		source := fmt.Sprintf("declare %[2]s @llvm.%[1]s(double)\ndefine amdgpu_kernel void @k(ptr addrspace(1) %%p, double %%x) {\n"+
			" %%y = call %[2]s @llvm.%[1]s(double %%x)\n store %[2]s %%y, ptr addrspace(1) %%p\n ret void\n}", x.intrinsic, result)
		_, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(source)}}, Options{CPU: "gfx900"})
		if x.note && (err == nil || !strings.Contains(err.Error(), "a.ll:3:") || !strings.Contains(err.Error(), "--device-lib-path")) {
			t.Errorf("%s: error %v", x.intrinsic, err)
		}
		if !x.note && err != nil && strings.Contains(err.Error(), "--device-lib-path") {
			t.Errorf("%s: error %v", x.intrinsic, err)
		}
	}
}
