package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// TestMathLibrary runs intrinsics on double that functions of ROCm's library
// implement.
func TestMathLibrary(t *testing.T) {
	const libs = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
	if _, err := os.Stat(libs); err != nil {
		t.Skipf("no device libraries (Debian package rocm-device-libs): %v", err)
	}
	in := []float64{0.5, -0.25, 0.75, 0.0625}
	for name, want := range map[string]func(float64) float64{
		"acos": math.Acos, "asin": math.Asin, "atan": math.Atan, "cos": math.Cos, "cosh": math.Cosh, "exp": math.Exp, "exp2": math.Exp2,
		"log": math.Log, "log10": math.Log10, "log2": math.Log2, "sin": math.Sin, "sinh": math.Sinh, "tan": math.Tan, "tanh": math.Tanh,
		"exp10": func(x float64) float64 { return math.Pow(10, x) },
		"pow":   func(x float64) float64 { return math.Pow(x, x) },
		"atan2": func(x float64) float64 { return math.Atan2(x, x) },
	} {
		params, args := "<4 x double>", "<4 x double> %x"
		if name == "pow" || name == "atan2" {
			params, args = params+", "+params, args+", "+args
		}
		source := fmt.Sprintf(`target triple = "amdgcn-amd-amdhsa"
declare <4 x double> @llvm.%[1]s.v4f64(%[2]s)
define amdgpu_kernel void @k(ptr addrspace(1) %%p) {
  %%x = load <4 x double>, ptr addrspace(1) %%p
  %%y = call <4 x double> @llvm.%[1]s.v4f64(%[3]s)
  store <4 x double> %%y, ptr addrspace(1) %%p
  ret void
}`, name, params, args)
		res, err := compile.Compile(context.Background(), []compile.Input{{Name: name, Data: []byte(source)}},
			compile.Options{CPU: "gfx900", Level: 1, DeviceLibs: libs})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var data []byte
		for _, x := range in {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
		man := &manifest.Manifest{Name: name,
			Buffers:    []manifest.Buffer{{Name: "p", Type: manifest.LookupType("f64"), Count: uint64(len(in)), Fill: manifest.Fill{Kind: manifest.FillValues, Values: data}}},
			Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
		r, err := Run(context.Background(), name, res.Data, man, nil, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, x := range in {
			got := math.Float64frombits(binary.LittleEndian.Uint64(r.Contents[0][8*i:]))
			if w := want(x); !(math.Abs(got-w) <= 4e-16*math.Abs(w)) && !(math.IsNaN(got) && math.IsNaN(w)) {
				t.Errorf("%s(%v) = %v, want %v", name, x, got, w)
			}
		}
	}
}
