package kernelrun

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// manyVGPRs returns a module whose kernel keeps n values of 32 bits and n
// vectors of four such values in registers: across loops and, if calls is set,
// a call of a function.
func manyVGPRs(n int, calls bool) string {
	var b strings.Builder
	b.WriteString(`target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @step(i32 %x, i32 %y) noinline {
  %m = mul i32 %x, 5
  %s = xor i32 %m, %y
  ret i32 %s
}
define amdgpu_kernel void @test_many(ptr addrspace(1) %out) "amdgpu-flat-work-group-size"="1,64" "amdgpu-waves-per-eu"="1,1" {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 3
  %p = getelementptr double, ptr addrspace(1) %out, i32 %at
`)
	for k := range n {
		fmt.Fprintf(&b, "  store volatile i32 %d, ptr addrspace(1) %%p\n  %%v%d = load volatile i32, ptr addrspace(1) %%p\n", 3*k+1, k)
		fmt.Fprintf(&b, "  store volatile <4 x i32> <i32 %d, i32 7, i32 %d, i32 9>, ptr addrspace(1) %%p\n  %%w%d = load volatile <4 x i32>, ptr addrspace(1) %%p\n", k, 5*k, k)
	}
	b.WriteString("  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]\n  %sum = phi i32 [ %x, %entry ], [ %last, %loop ]\n")
	last := "%sum"
	for k := n - 1; k >= 0; k-- {
		fmt.Fprintf(&b, "  %%a%d = mul i32 %s, 3\n  %%b%d = add i32 %%a%d, %%v%d\n", k, last, k, k, k)
		fmt.Fprintf(&b, "  %%c%d = extractelement <4 x i32> %%w%d, i32 %d\n  %%s%d = xor i32 %%b%d, %%c%d\n", k, k, k%4, k, k, k)
		last = fmt.Sprintf("%%s%d", k)
		if calls && k%16 == 0 {
			fmt.Fprintf(&b, "  %%d%d = call i32 @step(i32 %s, i32 %%v%d)\n", k, last, k)
			last = fmt.Sprintf("%%d%d", k)
		}
	}
	fmt.Fprintf(&b, "  %%last = add i32 %s, %%i\n  %%i.next = add i32 %%i, 1\n  %%more = icmp ult i32 %%i.next, 3\n  br i1 %%more, label %%loop, label %%store\nstore:\n", last)
	for k := range n {
		fmt.Fprintf(&b, "  store volatile <4 x i32> %%w%d, ptr addrspace(1) %%p\n", k)
	}
	b.WriteString("  store volatile i32 %last, ptr addrspace(1) %p\n  ret void\n}\n")
	return b.String()
}

// TestManyVGPRs runs kernels of gfx12.5 that need more than 256 VGPRs and do not
// spill.
func TestManyVGPRs(t *testing.T) {
	for _, cpu := range []string{"gfx1250", "gfx1251"} {
		for _, calls := range []bool{false, true} {
			for level := range 3 {
				source := []byte(manyVGPRs(120, calls))
				r := randomRun{cpu: cpu, level: level, checks: device.CheckAll}
				if r.compare(source); r.reason != "" {
					t.Errorf("%s -O%d, calls %v: %s: %s", cpu, level, calls, r.reason, r.detail)
				}
				res, err := compile.Compile(context.Background(), []compile.Input{{Name: "many.ll", Data: source}}, compile.Options{CPU: cpu, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range res.Report.Functions {
					if f.Kernel && (f.VGPRs <= 512 || f.SpilledVGPRs > 0) {
						t.Errorf("%s -O%d, calls %v: %d VGPRs, %d spilled", cpu, level, calls, f.VGPRs, f.SpilledVGPRs)
					}
				}
			}
		}
	}
}

// TestLowVGPRs runs a kernel of gfx12.5 in which assembly, which reaches only
// the first 256 VGPRs, has operands that are live beside 600 others.
func TestLowVGPRs(t *testing.T) {
	source := manyVGPRs(120, false)
	const end = "  store volatile i32 %last"
	asm := `  %half = extractelement <4 x i32> %w119, i32 1
  %first = call i32 asm "v_mad_u32_u24 $0, $1, $2, $3", "=v,v,v,v"(i32 %v119, i32 %half, i32 %v118)
  %asm = call i32 asm "v_not_b32 $0, $1", "=v,v"(i32 %first)
  %result = add i32 %last, %asm
`
	plain := `  %half = extractelement <4 x i32> %w119, i32 1
  %product = mul i32 %v119, %half
  %first = add i32 %product, %v118
  %asm = xor i32 %first, -1
  %result = add i32 %last, %asm
`
	with := func(text string) string {
		s := strings.Replace(source, "br label %loop\n", text[:strings.Index(text, "  %result")]+"  br label %loop\n", 1)
		return strings.Replace(s, end, "  %result = add i32 %last, %asm\n  store volatile i32 %result", 1)
	}
	m, errs := text.Parse("plain.ll", []byte(with(plain)))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	want := irrandom.Run(m)
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "asm.ll", Data: []byte(with(asm))}}, compile.Options{CPU: "gfx1250", Level: 2, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	r := randomRun{cpu: "gfx1250", checks: device.CheckAll}
	if err := r.simulate(res.Data, want); err != nil {
		t.Error(err)
	}
}
