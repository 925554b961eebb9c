package isel_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// discardSource samples an image without a result while eight loaded dwords are
// in registers. MASK and FUNCTION are parts of the call.
const discardSource = `
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(4) %image, ptr addrspace(4) %sampler)
  !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %r = load <8 x i32>, ptr addrspace(4) %image
  %s = load <4 x i32>, ptr addrspace(4) %sampler
  %p = getelementptr <8 x i32>, ptr addrspace(1) %out, i32 %t
  %v = load volatile <8 x i32>, ptr addrspace(1) %p
  %x = uitofp i32 %t to float
  call void @llvm.amdgcn.image.sample.FUNCTION(i32 MASK, float %x, float %x, EXTRA<8 x i32> %r, <4 x i32> %s, i1 false, i32 0, i32 0)
  %w = add <8 x i32> %v, splat (i32 5)
  store <8 x i32> %w, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 1, i32 4, i32 4}
!1 = !{!"none", !"read_only", !"none"}
!2 = !{!"int*", !"image2d_t", !"sampler_t"}
!3 = !{!"", !"", !""}
`

// TestDiscardedSamplesRun runs samples whose result nothing uses. They keep all
// values in registers.
func TestDiscardedSamplesRun(t *testing.T) {
	var ramp []byte
	for i := range uint32(512) {
		ramp = binary.LittleEndian.AppendUint32(ramp, 3*i)
	}
	samples := []struct{ function, extra string }{{"2d.nortn.f32.v8i32.v4i32", ""}, {"lz.2d.nortn.f32.v8i32.v4i32", ""}, {"l.2d.nortn.f32.v8i32.v4i32", "float %x, "}}
	for n, cpu := range []string{"gfx1010", "gfx1013", "gfx1030", "gfx1100", "gfx1151", "gfx1200"} {
		for level, mask := range []int{15, 5, 0} {
			c := samples[(n+level)%len(samples)]
			source := strings.NewReplacer("FUNCTION", c.function, "EXTRA", c.extra, "MASK", fmt.Sprint(mask)).Replace(discardSource)
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: cpu, Level: level, Verify: true})
			if err != nil {
				t.Fatalf("%s -O%d: %v", cpu, level, err)
			}
			u32, f32 := manifest.LookupType("u32"), manifest.LookupType("f32")
			man := &manifest.Manifest{Name: "k",
				Buffers: []manifest.Buffer{{Name: "out", Type: u32, Count: 512, Fill: manifest.Fill{Kind: manifest.FillValues, Values: ramp}}, {Name: "image", Type: f32, Count: 4 * 64,
					Image: &manifest.Image{Dim: "2d", Width: 8, Height: 8, Depth: 1, Layers: 1, Order: "rgba", Channel: "float", Access: "read_only"}}},
				Samplers: []manifest.Sampler{{Name: "s", Linear: true, Address: "clamp"}},
				Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{64, 1, 1}, Group: [3]uint16{64, 1, 1},
					Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgImage, Buffer: 1}, {Kind: manifest.ArgSampler}}}}}
			r, err := kernelrun.Run(context.Background(), "k", res.Data, man, nil, kernelrun.Options{Simulator: device.Options{Checks: device.CheckAll,
				Finding: func(f *device.Finding) { t.Errorf("%s -O%d: %s: %s", cpu, level, f.Text, f.Message) }}})
			if err != nil {
				t.Fatalf("%s -O%d: %v", cpu, level, err)
			}
			if s := r.Dispatches[0].Stats; s.Classes["vmem"] != 5*s.Waves { // loads and stores of four dwords, and the sample
				t.Errorf("%s -O%d: %d vector memory instructions in %d waves", cpu, level, s.Classes["vmem"], s.Waves)
			}
			for i := range 512 {
				if got := binary.LittleEndian.Uint32(r.Contents[0][4*i:]); got != uint32(3*i+5) {
					t.Fatalf("%s -O%d: dword %d is %d, want %d", cpu, level, i, got, 3*i+5)
				}
			}
		}
	}
}
