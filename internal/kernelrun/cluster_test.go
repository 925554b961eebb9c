package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/link"
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

// groupsIR stores IDs of each work-item at its place in the grid, and exchanges a
// value with the next work-group of the cluster.
const groupsIR = `target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.cluster.id.x()
declare i32 @llvm.amdgcn.cluster.workgroup.id.y()
declare i32 @llvm.amdgcn.cluster.workgroup.flat.id()
declare i32 @llvm.amdgcn.cluster.workgroup.max.flat.id()
declare void @llvm.amdgcn.s.cluster.barrier()
define amdgpu_kernel void @groups(ptr addrspace(1) %out, ptr addrspace(1) %values) ATTR {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %cx = call i32 @llvm.amdgcn.cluster.id.x()
  %cy = call i32 @llvm.amdgcn.cluster.workgroup.id.y()
  %flat = call i32 @llvm.amdgcn.cluster.workgroup.flat.id()
  %last = call i32 @llvm.amdgcn.cluster.workgroup.max.flat.id()
  %zy = mul i32 %z, 4
  %r0 = add i32 %zy, %y
  %r1 = mul i32 %r0, 8
  %group = add i32 %r1, %x
  %i0 = mul i32 %group, 64
  %i = add i32 %i0, %t
  %v0 = shl i32 %cx, 4
  %v1 = add i32 %v0, %cy
  %v2 = shl i32 %v1, 8
  %v3 = add i32 %v2, %flat
  %v4 = shl i32 %v3, 4
  %v = add i32 %v4, %last
  %p = getelementptr i32, ptr addrspace(1) %values, i32 %i
  store i32 %v, ptr addrspace(1) %p
  fence syncscope("cluster") release
  call void @llvm.amdgcn.s.cluster.barrier()
  fence syncscope("cluster") acquire
  %other = xor i32 %i, 64
  %q = getelementptr i32, ptr addrspace(1) %values, i32 %other
  %w = load i32, ptr addrspace(1) %q
  %s = add i32 %w, %v
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %s, ptr addrspace(1) %o
  ret void
}
`

// TestWorkGroupsOfClusters runs a kernel with clusters of several work-groups,
// whose size the kernel or the launch determines, compiled by gfx and by llc.
func TestWorkGroupsOfClusters(t *testing.T) {
	llc, err := exec.LookPath("llc-22")
	for _, x := range []struct {
		attr    string
		cluster [3]uint8 // of the launch
		size    [3]uint32
	}{
		{`"amdgpu-cluster-dims"="4,2,1"`, [3]uint8{}, [3]uint32{4, 2, 1}},
		{`"amdgpu-cluster-dims"="2,2,2"`, [3]uint8{2, 2, 2}, [3]uint32{2, 2, 2}},
		{`"amdgpu-cluster-dims"="1024,1024,1024"`, [3]uint8{8, 1, 2}, [3]uint32{8, 1, 2}},
		{"", [3]uint8{2, 4, 1}, [3]uint32{2, 4, 1}},
	} {
		source := []byte(strings.Replace(groupsIR, "ATTR", x.attr, 1))
		for _, level := range []int{0, 2} {
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "groups.ll", Data: source}}, compile.Options{CPU: "gfx1250", Level: level, Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			runGroups(t, fmt.Sprintf("%s -O%d", x.attr, level), res.Data, x.cluster, x.size)
		}
		if err != nil {
			continue
		}
		in, out := filepath.Join(t.TempDir(), "in.ll"), filepath.Join(t.TempDir(), "out.o")
		if err := os.WriteFile(in, source, 0o666); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.Command(llc, "-mcpu=gfx1250", "-filetype=obj", "-o", out, in).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		code, err := link.Link([]link.Input{{Name: out}}, link.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runGroups(t, x.attr+" llc", code, x.cluster, x.size)
	}
}

// runGroups runs the code of groupsIR on 8×4×2 work-groups of 64 work-items.
func runGroups(t *testing.T, what string, code []byte, cluster [3]uint8, size [3]uint32) {
	const items = 8 * 4 * 2 * 64
	buffer := manifest.Buffer{Type: manifest.LookupType("u32"), Count: items, Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 4*items)}}
	out, values := buffer, buffer
	out.Name, values.Name = "out", "values"
	man := &manifest.Manifest{Name: "groups", Buffers: []manifest.Buffer{out, values}, Dispatches: []manifest.Dispatch{{Kernel: "groups", Dims: 3, Grid: [3]uint32{8 * 64, 4, 2},
		Group: [3]uint16{64, 1, 1}, Cluster: cluster, Args: []manifest.Arg{{Kind: manifest.ArgBuffer, Buffer: 0}, {Kind: manifest.ArgBuffer, Buffer: 1}}}}}
	var findings []string
	r, err := Run(context.Background(), "groups", code, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { findings = append(findings, findingText(f)) }}})
	if err != nil || len(findings) > 0 {
		t.Errorf("%s: %v %q", what, err, findings)
		return
	}
	value := func(g uint32) uint32 {
		x, y, z := g%8, g/8%4, g/32
		flat := x%size[0] + size[0]*(y%size[1]+size[1]*(z%size[2]))
		return ((x/size[0]<<4+y%size[1])<<8+flat)<<4 + size[0]*size[1]*size[2] - 1
	}
	for i := range uint32(items) {
		if got, want := binary.LittleEndian.Uint32(r.Contents[0][4*i:]), value(i/64)+value(i/64^1); got != want {
			t.Errorf("%s: word %d is %#x, want %#x", what, i, got, want)
			return
		}
	}
}
