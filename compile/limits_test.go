package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// compileText compiles a module for one processor.
func compileText(source string, o Options) ([]byte, error) {
	r, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(source)}}, o)
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// frameOf is the format of a kernel with an alloca of a number of elements of a
// type.
const frameOf = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %%p, i32 %%n) {
  %%a = alloca [%s], addrspace(5)
  %%q = getelementptr i8, ptr addrspace(5) %%a, i32 %%n
  store volatile i32 7, ptr addrspace(5) %%q
  %%x = load volatile i32, ptr addrspace(5) %%q
  store i32 %%x, ptr addrspace(1) %%p
  ret void
}
`

// frameLimits lists the maximum scratch memory of a lane, in bytes: (2^n - 1)
// units of a wave, divided by its lanes (LLVM:
// GCNSubtarget::getMaxWaveScratchSize).
var frameLimits = []struct {
	cpu, features string
	bytes         uint64
}{
	{"gfx600", "", 131056},
	{"gfx703", "", 131056},
	{"gfx803", "", 131056},
	{"gfx900", "", 131056},
	{"gfx942", "", 131056},
	{"gfx1010", "", 262112},
	{"gfx1030", "+wavefrontsize64", 131056},
	{"gfx1100", "", 262136},
	{"gfx1100", "+wavefrontsize64", 131068},
	{"gfx1150", "", 262136},
	{"gfx1200", "", 2097144},
}

// TestFrameLimit compiles stack frames at the limit and beyond it, including
// sizes that exceed 32 and 64 bits.
func TestFrameLimit(t *testing.T) {
	for _, x := range frameLimits {
		for level := range 3 {
			o := Options{CPU: x.cpu, Features: x.features, Level: level, Workers: 1}
			for _, size := range []string{fmt.Sprintf("%d x i8", x.bytes+1), "100000000 x i8", "1073741825 x i32", "4611686018427387904 x i64", "9223372036854775807 x i8"} {
				_, err := compileText(fmt.Sprintf(frameOf, size), o)
				var frame *codegen.FrameError
				if !errors.As(err, &frame) || frame.Limit != x.bytes || frame.Function != "k" || !strings.HasPrefix(err.Error(), "a.ll:2:") {
					t.Errorf("%s%s -O%d: alloca [%s]: %v", x.cpu, x.features, level, size, err)
				}
			}
			if _, err := compileText(fmt.Sprintf(frameOf, fmt.Sprintf("%d x i8", x.bytes-16)), o); err != nil {
				t.Errorf("%s%s -O%d: %v", x.cpu, x.features, level, err)
			}
		}
	}
}

// TestFrameLimitOfCalls sums up the frames along calls with many joining paths.
func TestFrameLimitOfCalls(t *testing.T) {
	var b strings.Builder
	const depth = 60
	fmt.Fprintf(&b, frameOf, "1000 x i8")
	source := strings.Replace(b.String(), "  ret void", "  call void @f0(i32 %n)\n  call void @g0(i32 %n)\n  ret void", 1)
	b.Reset()
	for i := range depth {
		for _, name := range []string{"f", "g"} {
			next := fmt.Sprintf("  call void @f%d(i32 %%n)\n  call void @g%[1]d(i32 %%n)\n", i+1)
			if i == depth-1 {
				next = ""
			}
			fmt.Fprintf(&b, "define internal void @%s%d(i32 %%n) noinline {\n  %%a = alloca [4000 x i8], addrspace(5)\n  %%q = getelementptr i8, ptr addrspace(5) %%a, i32 %%n\n"+
				"  store volatile i32 7, ptr addrspace(5) %%q\n%s  ret void\n}\n", name, i, next)
		}
	}
	begin := time.Now()
	_, err := compileText(source+b.String(), Options{CPU: "gfx900", Level: 1, Workers: 1})
	var frame *codegen.FrameError
	if !errors.As(err, &frame) || frame.Size < 1000+depth*4000 || frame.Size > 1000+depth*4200 {
		t.Errorf("%v", err)
	}
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestFrameLimitLLC compares the limits with llc's.
func TestFrameLimitLLC(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	for _, x := range frameLimits {
		_, errs, _ := oracle.Run(t, fmt.Appendf(nil, frameOf, "100000000 x i8"), time.Minute, llc, "-mcpu="+x.cpu, "-mattr="+x.features, "-o", os.DevNull, "-")
		if want := fmt.Sprintf("exceeds limit (%d) in function 'k'", x.bytes); !strings.Contains(string(errs), want) {
			t.Errorf("%s%s: llc: %s", x.cpu, x.features, errs)
		}
	}
}
