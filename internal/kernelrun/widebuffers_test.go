package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// wideBufferIR converts resources to integers of 128 bits and back, and loads
// and stores such integers through them. FLAGS is the last word of a resource.
const wideBufferIR = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %%p, i32 %%zero) {
  %%r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %%p, i16 0, i64 64, i32 %d)
  %%n = ptrtoint ptr addrspace(8) %%r to i128
  %%z = zext i32 %%zero to i128
  %%m = add i128 %%n, %%z
  %%q = inttoptr i128 %%m to ptr addrspace(8)
  %%x = call i128 @llvm.amdgcn.raw.ptr.buffer.load.i128(ptr addrspace(8) %%q, i32 0, i32 0, i32 0)
  %%y = add i128 %%x, %%x
  call void @llvm.amdgcn.raw.ptr.buffer.store.i128(i128 %%y, ptr addrspace(8) %%r, i32 16, i32 0, i32 0)
  %%w = bitcast i128 %%x to <4 x i32>
  %%h = extractelement <4 x i32> %%w, i32 3
  %%o = getelementptr i8, ptr addrspace(1) %%p, i64 32
  store i32 %%h, ptr addrspace(1) %%o
  %%o2 = getelementptr i8, ptr addrspace(1) %%p, i64 48
  %%s = lshr i128 %%n, 64
  %%t = trunc i128 %%s to i32
  store i32 %%t, ptr addrspace(1) %%o2
  ret void
}
`

// TestWideBuffers runs a kernel with buffers' resources and elements of 128
// bits.
func TestWideBuffers(t *testing.T) {
	le := binary.LittleEndian
	before := make([]byte, 64)
	le.PutUint64(before, 0x8123456789abcdef)
	le.PutUint64(before[8:], 0x0123456776543210)
	for cpu, flags := range map[string]uint32{"gfx600": 0x27000, "gfx900": 0x27000, "gfx1100": 0x31016000, "gfx1200": 0x31016000} {
		want := append([]byte(nil), before...)
		le.PutUint64(want[16:], 0x02468acf13579bde)
		le.PutUint64(want[24:], 0x0123456776543210<<1|1)
		le.PutUint32(want[32:], 0x01234567)
		le.PutUint32(want[48:], 64) // the number of records
		man := &manifest.Manifest{Name: "wide", Buffers: []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u8"), Count: 64,
			Fill: manifest.Fill{Kind: manifest.FillValues, Values: append([]byte(nil), before...)}}},
			Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
		if err := man.AddArg(&man.Dispatches[0], "i32:0"); err != nil {
			t.Fatal(err)
		}
		for _, level := range []int{0, 2} {
			name := fmt.Sprintf("%s -O%d", cpu, level)
			input := []compile.Input{{Name: "wide.ll", Data: fmt.Appendf(nil, wideBufferIR, flags)}}
			res, err := compile.Compile(context.Background(), input, compile.Options{CPU: cpu, Level: level, Verify: true})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			finding := ""
			o := device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}
			r, err := Run(context.Background(), "wide", res.Data, man, nil, Options{Simulator: o})
			if err != nil || finding != "" {
				t.Errorf("%s: %v %s", name, err, finding)
				continue
			}
			for i, got := range r.Contents[0] {
				if got != want[i] {
					t.Errorf("%s: byte %d is %#x, want %#x", name, i, got, want[i])
				}
			}
		}
	}
}
