package kernelrun

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

const clockIR = `target triple = "amdgcn-amd-amdhsa"
define internal i64 @back() noinline {
  %p = call ptr @llvm.returnaddress(i32 0)
  %n = ptrtoint ptr %p to i64
  ret i64 %n
}
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %a = call i64 @llvm.readcyclecounter()
  %r = call i64 @back()
  %b = call i64 @llvm.readcyclecounter()
  %s = call i64 @llvm.readsteadycounter()
  %t = call i64 @llvm.readsteadycounter()
  %p = call ptr @llvm.returnaddress(i32 0)
  %n = ptrtoint ptr %p to i64
  store i64 %a, ptr addrspace(1) %out
  %p1 = getelementptr i64, ptr addrspace(1) %out, i64 1
  store i64 %b, ptr addrspace(1) %p1
  %p2 = getelementptr i64, ptr addrspace(1) %out, i64 2
  store i64 %s, ptr addrspace(1) %p2
  %p3 = getelementptr i64, ptr addrspace(1) %out, i64 3
  store i64 %t, ptr addrspace(1) %p3
  %p4 = getelementptr i64, ptr addrspace(1) %out, i64 4
  store i64 %r, ptr addrspace(1) %p4
  %p5 = getelementptr i64, ptr addrspace(1) %out, i64 5
  store i64 %n, ptr addrspace(1) %p5
  ret void
}
`

// TestClocks reads the counters of cycles and time, and the return address.
func TestClocks(t *testing.T) {
	man := &manifest.Manifest{Name: "clocks",
		Buffers:    []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u8"), Count: 48, Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 48)}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
	for _, cpu := range []string{"gfx700", "gfx900", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"} {
		for level := range 3 {
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "clocks.ll", Data: []byte(clockIR)}}, compile.Options{CPU: cpu, Level: level, Verify: true})
			if err != nil {
				t.Errorf("%s: %v", cpu, err)
				continue
			}
			finding := ""
			r, err := Run(context.Background(), "clocks", res.Data, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
			if err != nil || finding != "" {
				t.Errorf("%s: %v %s", cpu, err, finding)
				continue
			}
			word := func(i int) uint64 { return binary.LittleEndian.Uint64(r.Contents[0][8*i:]) }
			if word(0) >= word(1) {
				t.Errorf("%s -O%d: cycles %d, then %d", cpu, level, word(0), word(1))
			}
			if noTime := cpu == "gfx700"; word(2) > word(3) || noTime != (word(3) == 0) {
				t.Errorf("%s -O%d: time %d, then %d", cpu, level, word(2), word(3))
			}
			if word(4) == 0 || word(4)%4 != 0 || word(5) != 0 {
				t.Errorf("%s -O%d: return addresses %#x and %#x", cpu, level, word(4), word(5))
			}
		}
	}
}
