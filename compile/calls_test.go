package compile

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const stackIR = `target triple = "amdgcn-amd-amdhsa"
declare void @unknown()
define internal void @again() noinline {
  %a = alloca [10 x i32], addrspace(5)
  store volatile i32 1, ptr addrspace(5) %a
  call void @again()
  ret void
}
define amdgpu_kernel void @dynamic(i32 %n) {
  %a = alloca i32, i32 %n, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %a
  ret void
}
define amdgpu_kernel void @fixed(i32 %n) {
  %a = alloca i32, i32 3, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %a
  ret void
}
define amdgpu_kernel void @recursive() {
  call void @again()
  ret void
}
define amdgpu_kernel void @outside() {
  call void @unknown()
  ret void
}
`

// TestDynamicStack checks the metadata of kernels whose stack has no known
// size. Before code object V5 LLVM assumes sizes.
func TestDynamicStack(t *testing.T) {
	for _, x := range []struct {
		kernel     string
		cov        int
		dynamic    bool
		least, end uint64 // bytes of scratch memory
	}{
		{"dynamic", 5, true, 0, 64}, {"fixed", 5, false, 12, 64}, {"recursive", 5, true, 4, 128}, {"outside", 5, true, 0, 1024},
		{"dynamic", 4, true, 4096, 4096 + 64}, {"fixed", 4, false, 12, 64}, {"recursive", 4, true, 16384, 16384 + 128}, {"outside", 4, true, 16384, 16384 + 64},
	} {
		r, err := Compile(context.Background(), []Input{{Name: "stack.ll", Data: []byte(stackIR)}}, Options{CPU: "gfx900", COV: x.cov, Level: 2, Format: Object})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Report.Functions {
			if f.Name == x.kernel && (f.DynamicStack != x.dynamic || f.ScratchBytes < x.least || f.ScratchBytes >= x.end) {
				t.Errorf("%s, code object V%d: dynamic stack %v, %d bytes; want %v, %d to %d", x.kernel, x.cov, f.DynamicStack, f.ScratchBytes, x.dynamic, x.least, x.end)
			}
		}
	}
}

// TestCallsOfOneAddress compiles a loop that calls a function pointer in each
// iteration: the pointer's registers outlive the calls.
func TestCallsOfOneAddress(t *testing.T) {
	const src = `target triple = "amdgcn-amd-amdhsa"
declare void @a(double)
declare void @b(double)
define amdgpu_kernel void @k(i1 inreg %which, i32 inreg %n) {
entry:
  %f = select i1 %which, ptr @a, ptr @b
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void %f(double 0.0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
`
	for _, cpu := range []string{"gfx803", "gfx942", "gfx1100"} {
		if _, err := Compile(context.Background(), []Input{{Name: "calls.ll", Data: []byte(src)}}, Options{CPU: cpu, Level: 2, Format: Object, Verify: true}); err != nil {
			t.Error(err)
		}
	}
}

const missingFeatureIR = `target triple = "amdgcn-amd-amdhsa"
@version = internal addrspace(4) constant i32 7000
@table = addrspace(1) constant ptr @needs
define half @needs(half %x) noinline "target-features"="+16-bit-insts" {
  %r = fadd half %x, %x
  ret half %r
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(4) @version
  %c = icmp uge i32 %v, VERSION
  br i1 %c, label %yes, label %no
yes:
  %x = load half, ptr addrspace(1) %p
  %r = call half @needs(half %x)
  store half %r, ptr addrspace(1) %p
  br label %no
no:
  ret void
}
`

// TestCallOfMissing compiles calls of a function that is removed because
// gfx700 lacks a feature. A call that never runs is no error.
func TestCallOfMissing(t *testing.T) {
	const message = "function @k: call of @needs, which requires 16-bit-insts: gfx700 lacks this feature"
	for _, x := range []struct {
		cpu, version string
		level        int
		want         string
	}{
		{"gfx700", "8000", 0, ""}, {"gfx700", "8000", 1, ""}, {"gfx700", "8000", 2, ""}, {"gfx700", "7000", 0, ""},
		{"gfx700", "7000", 1, message}, {"gfx700", "7000", 2, message}, {"gfx803", "7000", 2, ""},
	} {
		src := strings.ReplaceAll(missingFeatureIR, "VERSION", x.version)
		_, err := Compile(context.Background(), []Input{{Name: "missing.ll", Data: []byte(src)}}, Options{CPU: x.cpu, Level: x.level})
		if got := fmt.Sprint(err); x.want == "" && err != nil || !strings.Contains(got, x.want) {
			t.Errorf("%s -O%d, from version %s: %v, want %q", x.cpu, x.level, x.version, err, x.want)
		}
	}
}
