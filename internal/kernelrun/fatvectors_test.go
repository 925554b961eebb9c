package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// fatVectorIR compares pointers to buffers, converts them from and to integers,
// and passes and stores vectors of them.
const fatVectorIR = `target triple = "amdgcn-amd-amdhsa"

define internal <2 x ptr addrspace(7)> @step(<2 x ptr addrspace(7)> %p, <2 x i32> %n) noinline {
  %q = getelementptr i32, <2 x ptr addrspace(7)> %p, <2 x i32> %n
  ret <2 x ptr addrspace(7)> %q
}

define internal i32 @count(<2 x ptr addrspace(7)> %a, <2 x ptr addrspace(7)> %b) noinline {
  %c = icmp eq <2 x ptr addrspace(7)> %a, %b
  %z = zext <2 x i1> %c to <2 x i32>
  %z0 = extractelement <2 x i32> %z, i32 0
  %z1 = extractelement <2 x i32> %z, i32 1
  %z2 = shl i32 %z1, 1
  %r = or i32 %z0, %z2
  ret i32 %r
}

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %p = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %out, i16 0, TYPE 256, i32 FLAGS)
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %out, i16 0, TYPE 256, i32 FLAGS)
  %q = getelementptr i32, ptr addrspace(7) %p, i32 4
  %back = getelementptr i32, ptr addrspace(7) %q, i32 -4
  %c0 = icmp eq ptr addrspace(7) %p, %q
  %c1 = icmp ne ptr addrspace(7) %p, %q
  %c2 = icmp eq ptr addrspace(7) %p, %back
  %c3 = icmp ne ptr addrspace(7) %p, null
  %z0 = zext i1 %c0 to i32
  %z1 = select i1 %c1, i32 2, i32 0
  %z2 = select i1 %c2, i32 4, i32 0
  %z3 = select i1 %c3, i32 8, i32 0
  %y0 = or i32 %z0, %z1
  %y1 = or i32 %y0, %z2
  %y2 = or i32 %y1, %z3
  %o0 = getelementptr i32, ptr addrspace(7) %p, i32 32
  store i32 %y2, ptr addrspace(7) %o0

  %n = ptrtoint ptr addrspace(7) %q to i160
  %m = add i160 %n, 4
  %f = inttoptr i160 %m to ptr addrspace(7)
  %x1 = load i32, ptr addrspace(7) %f
  %o1 = getelementptr i32, ptr addrspace(7) %p, i32 33
  store i32 %x1, ptr addrspace(7) %o1

  %rn = ptrtoint ptr addrspace(8) %r to i128
  %rx = xor i128 %rn, 16
  %ry = xor i128 %rx, 16
  %rp = inttoptr i128 %ry to ptr addrspace(8)
  %rf = addrspacecast ptr addrspace(8) %rp to ptr addrspace(7)
  %rg = getelementptr i32, ptr addrspace(7) %rf, i32 7
  %x2 = load i32, ptr addrspace(7) %rg
  %o2 = getelementptr i32, ptr addrspace(7) %p, i32 34
  store i32 %x2, ptr addrspace(7) %o2

  %v0 = insertelement <2 x ptr addrspace(7)> poison, ptr addrspace(7) %p, i32 0
  %v1 = insertelement <2 x ptr addrspace(7)> %v0, ptr addrspace(7) %q, i32 1
  %w = call <2 x ptr addrspace(7)> @step(<2 x ptr addrspace(7)> %v1, <2 x i32> <i32 4, i32 5>)
  %memory = alloca <2 x ptr addrspace(7)>, addrspace(5)
  store volatile <2 x ptr addrspace(7)> %w, ptr addrspace(5) %memory
  %u = load volatile <2 x ptr addrspace(7)>, ptr addrspace(5) %memory
  %u0 = extractelement <2 x ptr addrspace(7)> %u, i32 0
  %u1 = extractelement <2 x ptr addrspace(7)> %u, i32 1
  %x3 = load i32, ptr addrspace(7) %u0
  %x4 = load i32, ptr addrspace(7) %u1
  %o3 = getelementptr i32, ptr addrspace(7) %p, i32 35
  store i32 %x3, ptr addrspace(7) %o3
  %o4 = getelementptr i32, ptr addrspace(7) %p, i32 36
  store i32 %x4, ptr addrspace(7) %o4
  %x5 = call i32 @count(<2 x ptr addrspace(7)> %u, <2 x ptr addrspace(7)> %v1)
  %s0 = insertelement <2 x ptr addrspace(7)> %v1, ptr addrspace(7) %u0, i32 0
  %x6 = call i32 @count(<2 x ptr addrspace(7)> %s0, <2 x ptr addrspace(7)> splat (ptr addrspace(7) null))
  %x7 = call i32 @count(<2 x ptr addrspace(7)> %s0, <2 x ptr addrspace(7)> %u)
  %o5 = getelementptr i32, ptr addrspace(7) %p, i32 37
  %x56 = shl i32 %x6, 4
  %x57 = shl i32 %x7, 8
  %x58 = or i32 %x5, %x56
  %x59 = or i32 %x58, %x57
  store i32 %x59, ptr addrspace(7) %o5

  %o6 = getelementptr i32, ptr addrspace(7) %p, i32 38
  store ptr addrspace(7) %u1, ptr addrspace(7) %o6
  %loaded = load ptr addrspace(7), ptr addrspace(7) %o6
  %x8 = load i32, ptr addrspace(7) %loaded
  %o7 = getelementptr i32, ptr addrspace(7) %p, i32 44
  store i32 %x8, ptr addrspace(7) %o7
  ret void
}
`

// TestFatVectors runs a kernel with comparisons, conversions and vectors of
// pointers to buffers.
func TestFatVectors(t *testing.T) {
	le := binary.LittleEndian
	in := make([]byte, 256)
	for i := range 64 {
		le.PutUint32(in[4*i:], uint32(1000+i))
	}
	want := map[int]uint32{32: 14, 33: 1005, 34: 1007, 35: 1004, 36: 1009, 37: 1 << 8, 44: 1009}
	man := &manifest.Manifest{Name: "buffers",
		Buffers:    []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u8"), Count: 256, Fill: manifest.Fill{Kind: manifest.FillValues, Values: in}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
	for cpu, flags := range map[string]uint32{"gfx600": 0x27000, "gfx803": 0x27000, "gfx900": 0x27000, "gfx942": 0x27000, "gfx1030": 0x31016000, "gfx1200": 0x31016000} {
		for level := range 3 {
			name := fmt.Sprintf("%s -O%d", cpu, level)
			src := strings.NewReplacer("TYPE", "i64", "FLAGS", fmt.Sprint(flags)).Replace(fatVectorIR)
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "buffers.ll", Data: []byte(src)}}, compile.Options{CPU: cpu, Level: level, Verify: true})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			finding := ""
			r, err := Run(context.Background(), "buffers", res.Data, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
			if err != nil || finding != "" {
				t.Errorf("%s: %v %s", name, err, finding)
				continue
			}
			for i := range 45 {
				w, known := want[i]
				if i < 32 {
					w, known = uint32(1000+i), true
				}
				if got := le.Uint32(r.Contents[0][4*i:]); known && got != w {
					t.Errorf("%s: dword %d is %d, want %d", name, i, got, w)
				}
			}
		}
	}
}
