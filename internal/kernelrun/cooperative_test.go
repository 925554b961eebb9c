package kernelrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// cooperativeText copies 28 bytes a lane with cooperative accesses of 4, 8 and
// 16 bytes.
const cooperativeText = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p4 = getelementptr i32, ptr addrspace(1) %p, i32 %x
  %q4 = getelementptr i8, ptr addrspace(1) %p4, i32 896
  %b8 = getelementptr i8, ptr addrspace(1) %p, i32 128
  %p8 = getelementptr <2 x i32>, ptr addrspace(1) %b8, i32 %x
  %q8 = getelementptr i8, ptr addrspace(1) %p8, i32 896
  %b16 = getelementptr i8, ptr addrspace(1) %p, i32 384
  %p16 = getelementptr <4 x i32>, ptr addrspace(1) %b16, i32 %x
  %q16 = getelementptr i8, ptr addrspace(1) %p16, i32 896
  %f8 = addrspacecast ptr addrspace(1) %p8 to ptr
  %a = call i32 @llvm.amdgcn.cooperative.atomic.load.32x4B.p1(ptr addrspace(1) %p4, i32 0, metadata !0)
  %b = call <2 x i32> @llvm.amdgcn.cooperative.atomic.load.16x8B.p0(ptr %f8, i32 2, metadata !1)
  %c = call <4 x i32> @llvm.amdgcn.cooperative.atomic.load.8x16B.p1(ptr addrspace(1) %p16, i32 5, metadata !2)
  call void @llvm.amdgcn.cooperative.atomic.store.32x4B.p1(ptr addrspace(1) %q4, i32 %a, i32 0, metadata !0)
  call void @llvm.amdgcn.cooperative.atomic.store.16x8B.p1(ptr addrspace(1) %q8, <2 x i32> %b, i32 3, metadata !3)
  call void @llvm.amdgcn.cooperative.atomic.store.8x16B.p1(ptr addrspace(1) %q16, <4 x i32> %c, i32 0, metadata !1)
  ret void
}
!0 = !{!"wavefront"}
!1 = !{!"workgroup"}
!2 = !{!"agent"}
!3 = !{!""}
`

// TestCooperativeAccess runs cooperative accesses, each of which has the scope of
// the agent at least.
func TestCooperativeAccess(t *testing.T) {
	in := []compile.Input{{Name: "cooperative.ll", Data: []byte(cooperativeText)}}
	for level := range 3 {
		asm, err := compile.Compile(context.Background(), in, compile.Options{CPU: "gfx1250", Level: level, Format: compile.Assembly})
		if err != nil {
			t.Fatal(err)
		}
		if dev, sys := strings.Count(string(asm.Data), "scope:SCOPE_DEV"), strings.Count(string(asm.Data), "scope:SCOPE_SYS"); dev < 5 || sys < 1 {
			t.Errorf("-O%d: %d accesses at the scope of the agent, %d of the system", level, dev, sys)
		}
		code, err := compile.Compile(context.Background(), in, compile.Options{CPU: "gfx1250", Level: level})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 2*896)
		for i := range 896 / 4 {
			binary.LittleEndian.PutUint32(data[4*i:], uint32(i)*0x9e3779b1)
		}
		man := &manifest.Manifest{Name: "cooperative",
			Buffers:    []manifest.Buffer{{Name: "p", Type: manifest.LookupType("u8"), Count: uint64(len(data)), Fill: manifest.Fill{Kind: manifest.FillValues, Values: data}}},
			Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{32, 1, 1}, Group: [3]uint16{32, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
		r, err := Run(context.Background(), "cooperative", code.Data, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll,
			Finding: func(f *device.Finding) { t.Error(findingText(f)) }}})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Contents[0]; !bytes.Equal(got[896:], data[:896]) {
			t.Errorf("-O%d: the copy differs", level)
		}
	}
}
