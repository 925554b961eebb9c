package compile

import (
	"fmt"
	"strings"
	"testing"
)

// wideOps are operations on vectors, with the types of elements that are loaded and stored.
var wideOps = []struct{ from, to, text string }{
	{"i1", "i32", "%z = zext <N x i1> %v to <N x i32>"},
	{"i1", "i32", "%z = sext <N x i1> %v to <N x i32>"},
	{"i8", "i64", "%z = sext <N x i8> %v to <N x i64>"},
	{"i32", "i1", "%z = trunc <N x i32> %v to <N x i1>"},
	{"i32", "i8", "%z = trunc <N x i32> %v to <N x i8>"},
	{"i32", "i1", "%z = icmp slt <N x i32> %v, zeroinitializer"},
	{"i32", "i32", "%c = icmp slt <N x i32> %v, zeroinitializer\n %z = select <N x i1> %c, <N x i32> %v, <N x i32> zeroinitializer"},
	{"half", "half", "%z = fmul <N x half> %v, %v"},
	{"i32", "i32", "%z = insertelement <N x i32> %v, i32 %n, i32 %n"},
}

// TestWideVectors compiles operations on vectors that have more elements than
// there are registers, without optimization too.
func TestWideVectors(t *testing.T) {
	for i, x := range wideOps {
		for _, n := range []int{33, 64, 128, 200} {
			source := strings.ReplaceAll(fmt.Sprintf(`target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %%p, i32 %%n) {
 %%v = load <N x %s>, ptr addrspace(1) %%p
 %%cc = icmp eq i32 %%n, 0
 br i1 %%cc, label %%a, label %%b
a:
 %s
 br label %%b
b:
 %%y = phi <N x %s> [ zeroinitializer, %%0 ], [ %%z, %%a ]
 store <N x %[3]s> %%y, ptr addrspace(1) %%p
 ret void
}
`, x.from, x.text, x.to), "N x", fmt.Sprint(n, " x"))
			for k, cpu := range []string{"gfx900", "gfx1030", "gfx803", "gfx1100"} {
				o := Options{CPU: cpu, Level: (i + k) / 2 % 2 * 2, Workers: 1, Verify: n == 64}
				if _, err := compileText(source, o); err != nil {
					t.Errorf("%s -O%d: %.200v\n%s", cpu, o.Level, err, source)
				}
			}
		}
	}
}
