package kernelrun

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

const clusterIR = `target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [128 x i32] poison
define amdgpu_kernel void @ids(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %zz = mul i32 %z, 6
  %yy = mul i32 %y, 3
  %s = add i32 %zz, %yy
  %i = add i32 %s, %x
  %v = add i32 %i, 100
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @sized(ptr addrspace(1) %out) "amdgpu-cluster-dims"="1024,1024,1024" {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %v = add i32 %x, 100
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @barrier(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %v = add i32 %x, 100
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 %v, ptr addrspace(3) %p
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.cluster.barrier()
  fence syncscope("workgroup") acquire
  %y = xor i32 %x, 64
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %y
  %w = load i32, ptr addrspace(3) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %y
  store i32 %w, ptr addrspace(1) %o
  ret void
}
`

// TestClusters runs kernels that may be launched in clusters as work-groups
// without one: their IDs, and the barrier of a cluster between four waves.
func TestClusters(t *testing.T) {
	for _, x := range []struct {
		kernel string
		grid   [3]uint32
		group  [3]uint16
		count  int
	}{
		{"ids", [3]uint32{3, 2, 2}, [3]uint16{1, 1, 1}, 12},
		{"sized", [3]uint32{5, 1, 1}, [3]uint16{1, 1, 1}, 5},
		{"barrier", [3]uint32{128, 1, 1}, [3]uint16{128, 1, 1}, 128},
	} {
		man := &manifest.Manifest{Name: "clusters", Buffers: []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u32"), Count: 128,
			Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 512)}}},
			Dispatches: []manifest.Dispatch{{Kernel: x.kernel, Dims: 3, Grid: x.grid, Group: x.group, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
		for _, level := range []int{0, 2} {
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "clusters.ll", Data: []byte(clusterIR)}},
				compile.Options{CPU: "gfx1250", Level: level, Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			finding := ""
			r, err := Run(context.Background(), "clusters", res.Data, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
			if err != nil || finding != "" {
				t.Errorf("%s -O%d: %v %s", x.kernel, level, err, finding)
				continue
			}
			for i := range 128 {
				want := uint32(0)
				if i < x.count {
					want = uint32(i) + 100
				}
				if got := binary.LittleEndian.Uint32(r.Contents[0][4*i:]); got != want {
					t.Errorf("%s -O%d: word %d is %d, want %d", x.kernel, level, i, got, want)
				}
			}
		}
	}
}
