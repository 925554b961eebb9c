package compile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// fullText returns a kernel whose odd lanes call @full. @full keeps n values
// across a call of an unknown function, so that it uses all call-preserved
// VGPRs. @other overwrites all registers.
func fullText(n int) string {
	var b strings.Builder
	b.WriteString("target triple = \"amdgcn-amd-amdhsa\"\ndefine weak void @other() noinline {\n  call void asm sideeffect \"; $$ \", \"")
	for k := range 256 {
		fmt.Fprintf(&b, "~{v%d},", k)
	}
	for k := range 70 {
		if k < 30 || k > 33 {
			fmt.Fprintf(&b, "~{s%d},", k)
		}
	}
	b.WriteString("~{scc}\"()\n  ret void\n}\ndefine internal i32 @full(ptr addrspace(1) %p, i32 inreg %u) noinline {\n")
	for k := range n {
		fmt.Fprintf(&b, "  %%p%d = getelementptr i32, ptr addrspace(1) %%p, i32 %d\n  %%v%d = load volatile i32, ptr addrspace(1) %%p%d\n", k, 64+k, k, k)
	}
	b.WriteString("  call void @other()\n  %s0 = add i32 %u, 0\n")
	for k := range n {
		fmt.Fprintf(&b, "  %%m%d = mul i32 %%v%d, %d\n  %%s%d = add i32 %%s%d, %%m%d\n", k, k, 2*k+1, k+1, k, k)
	}
	fmt.Fprintf(&b, "  ret i32 %%s%d\n}\n", n)
	b.WriteString(`define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %u) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load volatile i32, ptr addrspace(1) %q
  %odd = trunc i32 %t to i1
  br i1 %odd, label %o, label %e
o:
  %r = call i32 @full(ptr addrspace(1) %p, i32 inreg %u)
  br label %e
e:
  %v = phi i32 [ 0, %0 ], [ %r, %o ]
  %s = add i32 %x, %v
  store i32 %s, ptr addrspace(1) %q
  ret void
}
`)
	return b.String()
}

// TestAllPreservedRegisters runs a function that uses all call-preserved VGPRs
// and saves scalar registers.
func TestAllPreservedRegisters(t *testing.T) {
	const n, count = 130, 64 + 130
	data := make([]byte, 0, 4*count)
	for k := range uint32(count) {
		data = binary.LittleEndian.AppendUint32(data, k*k+3)
	}
	sum := uint32(9)
	for k := range uint32(n) {
		sum += ((64+k)*(64+k) + 3) * (2*k + 1)
	}
	u32 := manifest.LookupType("u32")
	man := &manifest.Manifest{Name: "full", Buffers: []manifest.Buffer{{Name: "b", Type: u32, Count: count, Fill: manifest.Fill{Kind: manifest.FillValues, Values: data}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{64, 1, 1}, Group: [3]uint16{64, 1, 1},
			Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgScalar, Data: binary.LittleEndian.AppendUint32(nil, 9), Align: 4}}}}}
	open := func(string) (io.ReadCloser, error) { return nil, errors.New("no files") }
	for _, cpu := range []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100"} {
		for _, level := range []int{0, 2} {
			what := fmt.Sprintf("%s -O%d", cpu, level)
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "full.ll", Data: []byte(fullText(n))}}, compile.Options{CPU: cpu, Level: level, Verify: true})
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			got, err := kernelrun.Run(context.Background(), "full", res.Data, man, open, kernelrun.Options{})
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			for lane := range uint32(64) {
				if x, want := binary.LittleEndian.Uint32(got.Contents[0][4*lane:]), lane*lane+3+lane%2*sum; x != want {
					t.Errorf("%s: lane %d stored %d, want %d", what, lane, x, want)
					break
				}
			}
		}
	}
}
