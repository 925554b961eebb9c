package isel_test

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// raySource tests the rays of 32 work-items. Even ones test the boxes of node 0,
// odd ones the triangle of node 16. The resource is divergent: the number of
// nodes differs. ADDRESS and DIRECTION are types.
const raySource = `
define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %scene) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %t to i1
  %base = ptrtoint ptr addrspace(1) %scene to i64
  %w0l = lshr i64 %base, 8
  %w0 = trunc i64 %w0l to i32
  %w1l = lshr i64 %base, 40
  %w1t = trunc i64 %w1l to i32
  %w1 = or i32 %w1t, -2147483648
  %w2 = select i1 %odd, i32 1048576, i32 1048575
  %r0 = insertelement <4 x i32> <i32 0, i32 0, i32 0, i32 -2130706432>, i32 %w0, i32 0
  %r1 = insertelement <4 x i32> %r0, i32 %w1, i32 1
  %r = insertelement <4 x i32> %r1, i32 %w2, i32 2
  %node = select i1 %odd, ADDRESS 16, ADDRESS 5
  %d = call <4 x i32> @llvm.amdgcn.image.bvh.intersect.ray.ADDRESS.DIRECTION(ADDRESS %node, float 1.000000e+02,
    <3 x float> <float 2.500000e-01, float 5.000000e-01, float 0.000000e+00>, <3 x TYPE> <TYPE 0.000000e+00, TYPE 0.000000e+00, TYPE 2.000000e+00>,
    <3 x TYPE> <TYPE INF, TYPE INF, TYPE 5.000000e-01>, <4 x i32> %r)
  %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  store <4 x i32> %d, ptr addrspace(1) %p
  ret void
}
`

// rayScene returns a box node of 128 bytes and a triangle. Box 1 is entered at
// distance 1, box 0 at 2.5; the triangle is met at 2.5.
func rayScene() []byte {
	b := make([]byte, 4096)
	for i, child := range []uint32{16, 0x28, 0xffffffff, 0x35} {
		binary.LittleEndian.PutUint32(b[4*i:], child)
	}
	floats := func(at int, list ...float32) {
		for i, f := range list {
			binary.LittleEndian.PutUint32(b[at+4*i:], math.Float32bits(f))
		}
	}
	floats(16, -1, -1, 5, 1, 1, 6, -1, -1, 2, 1, 1, 3, 0, 0, 0, 0, 0, 0, 10, 10, 10, 11, 11, 11)
	floats(128, -1, -1, 5, 3, -1, 5, -1, 3, 5)
	binary.LittleEndian.PutUint32(b[128+60:], 1|2<<2)
	return b
}

// runRays compiles and runs a kernel k with 32 work-items, a buffer of 512 dwords
// and the scene. It returns the buffer.
func runRays(t *testing.T, cpu, source string, level int) []uint32 {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte("target triple = \"amdgcn-amd-amdhsa\"\n" + source)}},
		compile.Options{CPU: cpu, Level: level, Verify: true})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	u32 := manifest.LookupType("u32")
	man := &manifest.Manifest{Name: "k", Buffers: []manifest.Buffer{{Name: "out", Type: u32, Count: 512}, {Name: "scene", Type: u32, Count: 1024, Fill: manifest.Fill{Kind: manifest.FillValues, Values: rayScene()}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{32, 1, 1}, Group: [3]uint16{32, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgBuffer, Buffer: 1}}}}}
	r, err := kernelrun.Run(context.Background(), "k", res.Data, man, nil, kernelrun.Options{Simulator: device.Options{Checks: device.CheckAll,
		Finding: func(f *device.Finding) { t.Errorf("%s -O%d: %s: %s", cpu, level, f.Text, f.Message) }}})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	words := make([]uint32, 512)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(r.Contents[0][4*i:])
	}
	return words
}

// TestRays runs intersections with addresses of 32 and 64 bits and directions of
// 16 and 32 bits, compiled for each generation.
func TestRays(t *testing.T) {
	for _, cpu := range []string{"gfx1013", "gfx1030", "gfx1100", "gfx1200"} {
		for i := range 4 {
			address, direction, kind, inf := "i32", "v3f32", "float", "0x7FF0000000000000"
			if i&1 != 0 {
				address = "i64"
			}
			if i&2 != 0 {
				direction, kind, inf = "v3f16", "half", "0xH7C00"
			}
			source := strings.NewReplacer("ADDRESS", address, "DIRECTION", direction, "TYPE", kind, "INF", inf).Replace(raySource)
			words := runRays(t, cpu, source, i)
			for lane := range 32 {
				v := [4]uint32(words[4*lane:])
				if lane&1 == 0 {
					if v != [4]uint32{0x28, 16, ^uint32(0), ^uint32(0)} {
						t.Errorf("%s %s %s: boxes %#x", cpu, address, kind, v)
					}
					continue
				}
				f := func(n int) float32 { return math.Float32frombits(v[n]) }
				if f(0)/f(1) != 2.5 || f(2)/f(1) != 1.25/4 || f(3)/f(1) != 1.5/4 {
					t.Errorf("%s %s %s: triangle %v", cpu, address, kind, v)
				}
			}
		}
	}
}

const stackSource = `
@lds = internal addrspace(3) global [1024 x i32] poison, align 128

define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %scene) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %offset = shl i32 %t, 2
  %lds = ptrtoint ptr addrspace(3) @lds to i32
  %at = add i32 %lds, %offset
  %index = shl i32 %at, SHIFT
  %top = add i32 %t, 100
  %c0 = insertelement <4 x i32> <i32 0, i32 7, i32 -1, i32 9>, i32 %top, i32 0
  %s = call { i32, i32 } @llvm.amdgcn.ds.bvh.stack.NAME(i32 %index, i32 -1, <4 x i32> %c0, i32 OFFSET)
  %node = extractvalue { i32, i32 } %s, 0
  %next = extractvalue { i32, i32 } %s, 1
  %s2 = call { i32, i32 } @llvm.amdgcn.ds.bvh.stack.NAME(i32 %next, i32 -1, <4 x i32> splat (i32 -1), i32 OFFSET)
  %node2 = extractvalue { i32, i32 } %s2, 0
  %next2 = extractvalue { i32, i32 } %s2, 1
  %changed = icmp ne i32 %next2, %index
  %change = zext i1 %changed to i32
  %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  %v0 = insertelement <4 x i32> zeroinitializer, i32 %node, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %node2, i32 1
  %v2 = insertelement <4 x i32> %v1, i32 %change, i32 2
  store <4 x i32> %v2, ptr addrspace(1) %p
  ret void
}
`

// TestStacks pushes two children of a node on a traversal stack and pops one of
// them.
func TestStacks(t *testing.T) {
	for _, c := range []struct{ cpu, name, offset, shift string }{{"gfx1100", "rtn", "8192", "16"}, {"gfx1151", "push4.pop1.rtn", "8192", "16"}, {"gfx1200", "rtn", "16", "13"}} {
		source := strings.NewReplacer("NAME", c.name, "OFFSET", c.offset, "SHIFT", c.shift).Replace(stackSource)
		words := runRays(t, c.cpu, source, 2)
		for lane := range uint32(32) {
			if got := [3]uint32(words[4*lane:]); got != [3]uint32{100 + lane, 7, 1} {
				t.Errorf("%s lane %d: %d", c.cpu, lane, got)
			}
		}
	}
}
