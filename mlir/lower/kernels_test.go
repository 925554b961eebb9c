package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
)

// kernelOps are operations of a kernel with arguments %a to %d, and what its LLVM IR contains, or
// the error if the text begins with "error: ".
var kernelOps = []struct{ args, op, want string }{
	{"%a: f32", "%0 = arith.truncf %a toward_zero : f32 to f16", "call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %0, float %0)"},
	{"%a: f32", "%0 = arith.truncf %a to_nearest_even : f32 to f16", "fptrunc float %0 to half"},
	{"%a: f64", "%0 = arith.truncf %a upward : f64 to f16",
		"error: 'arith.truncf' op rounds upward, in which code generation does not convert 'f64' to 'f16'"},
}

// TestKernelOps converts operations for code generation, where a wrong result is no choice.
func TestKernelOps(t *testing.T) {
	for _, test := range kernelOps {
		_, types, _ := strings.Cut(test.op, " : ")
		if _, to, ok := strings.Cut(types, " to "); ok {
			types = to
		}
		text := fmt.Sprintf("gpu.module @m {\n  gpu.func @f(%s) -> %s {\n    %s\n    gpu.return %%0 : %[2]s\n  }\n}\n", test.args, types, test.op)
		got, err := lowered(mlir.Edition22, "in.mlir", []byte(text), "gfx90a")
		want, isError := strings.CutPrefix(test.want, "error: ")
		switch {
		case isError && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %q", test.op, err, want)
		case !isError && (err != nil || !strings.Contains(got, want)):
			t.Errorf("%s: error %v\n%s\nwant %q", test.op, err, got, want)
		}
	}
}
