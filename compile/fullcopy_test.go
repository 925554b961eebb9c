package compile

import "testing"

// fullCopyIR has a function whose arguments occupy half of its available VGPRs
// and are all used later.
const fullCopyIR = `target triple = "amdgcn-amd-amdhsa"
define <16 x i64> @f(<16 x i64> %x, i64 %y) {
  %one = insertelement <16 x i64> poison, i64 %y, i64 0
  %all = shufflevector <16 x i64> %one, <16 x i64> poison, <16 x i32> zeroinitializer
  %c = icmp sgt <16 x i64> %all, %x
  %m = sext <16 x i1> %c to <16 x i64>
  %r = call <16 x i64> @select(<16 x i64> %x, <16 x i64> %all, <16 x i64> %m)
  ret <16 x i64> %r
}
declare <16 x i64> @select(<16 x i64>, <16 x i64>, <16 x i64>)
`

// TestCopyOfManyArguments compiles a function that copies its arguments, and
// needs the arguments' registers for the results.
func TestCopyOfManyArguments(t *testing.T) {
	for _, cpu := range []string{"gfx600", "gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1100"} {
		for level := range 3 {
			if _, err := compileText(fullCopyIR, Options{CPU: cpu, Level: level, Format: Object, Verify: true}); err != nil {
				t.Errorf("%s -O%d: %.200v", cpu, level, err)
			}
		}
	}
}
