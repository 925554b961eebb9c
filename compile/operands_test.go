package compile

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestManyOperands compiles phis with many predecessors, and parallel copies of
// many values.
func TestManyOperands(t *testing.T) {
	var preds, values strings.Builder
	preds.WriteString("define amdgpu_kernel void @preds(ptr addrspace(1) %p, i32 %n) {\n  %id = call i32 @llvm.amdgcn.workitem.id.x()\n  switch i32 %id, label %end [\n")
	for i := range 300 {
		fmt.Fprintf(&preds, "    i32 %d, label %%b%d\n", 3*i, i)
	}
	preds.WriteString("  ]\n")
	for i := range 300 {
		fmt.Fprintf(&preds, "b%d:\n  store volatile i32 %d, ptr addrspace(1) %%p\n  br label %%end\n", i, i)
	}
	preds.WriteString("end:\n  %v = phi i32 [ %n, %0 ]")
	for i := range 300 {
		fmt.Fprintf(&preds, ", [ %d, %%b%d ]", i*i*7, i)
	}
	preds.WriteString("\n  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n")

	const many = 140
	values.WriteString("define amdgpu_kernel void @values(ptr addrspace(1) %p) {\nentry:\n  %id = call i32 @llvm.amdgcn.workitem.id.x()\n")
	for i := range many {
		fmt.Fprintf(&values, "  %%x%d = load volatile i32, ptr addrspace(1) %%p\n", i)
	}
	values.WriteString("  br label %loop\nloop:\n")
	for i := range many {
		fmt.Fprintf(&values, "  %%v%d = phi i32 [ %%x%d, %%entry ], [ %%v%d, %%loop ]\n", i, i, (i+1)%many)
	}
	values.WriteString("  store volatile i32 %v0, ptr addrspace(1) %p\n  %c = icmp eq i32 %v0, %id\n  br i1 %c, label %end, label %loop\nend:\n")
	for i := range many {
		fmt.Fprintf(&values, "  store volatile i32 %%v%d, ptr addrspace(1) %%p\n", i)
	}
	values.WriteString("  ret void\n}\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n")

	for _, source := range []string{preds.String(), values.String()} {
		for _, cpu := range []string{"gfx803", "gfx90a", "gfx1100"} {
			for level := range 3 {
				in := []Input{{Name: "many.ll", Data: []byte("target triple = \"amdgcn-amd-amdhsa\"\n" + source)}}
				if _, err := Compile(context.Background(), in, Options{CPU: cpu, Level: level, Workers: 1, Verify: true}); err != nil {
					t.Errorf("%s -O%d: %v", cpu, level, err)
				}
			}
		}
	}
}
