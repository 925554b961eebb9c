package catalysthsa

import (
	"context"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
)

// compiled returns a code object of a module.
func compiled(t *testing.T, processor, module string) []byte {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte("target triple = \"amdgcn-amd-amdhsa\"\n" + module)}},
		compile.Options{CPU: processor, Level: 2, Verify: true})
	check(t, err)
	return res.Data
}

const intrinsicDeclarations = `
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare void @llvm.amdgcn.s.barrier()
`

// compiledKernels lists kernels k of LLVM IR.
var compiledKernels = map[string]struct {
	text string
	launch
}{
	"saxpy": {`
define amdgpu_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, float %a, i32 %n) {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %b = shl i32 %g, 6
  %i = add i32 %b, %l
  %in = icmp ult i32 %i, %n
  br i1 %in, label %then, label %end
then:
  %w = zext i32 %i to i64
  %px = getelementptr float, ptr addrspace(1) %x, i64 %w
  %py = getelementptr float, ptr addrspace(1) %y, i64 %w
  %vx = load float, ptr addrspace(1) %px
  %vy = load float, ptr addrspace(1) %py
  %m = fmul float %vx, %a
  %s = fadd float %m, %vy
  store float %s, ptr addrspace(1) %py
  br label %end
end:
  ret void
}`, launch{grid([3]uint32{192}, [3]uint16{64}), []any{floats(160, func(i int) float32 { return float32(i) }), floats(160, func(i int) float32 { return float32(3*i - 7) }), float32(0.5), uint32(150)}}},
	"values": {`
define amdgpu_kernel void @k(ptr addrspace(1) %p, i8 %a, i16 %b, i8 %c, i64 %d, <2 x float> %e, <4 x i8> %f, {i16, i8, i32, i16} %g) {
  %a32 = sext i8 %a to i64
  %b32 = zext i16 %b to i64
  %c32 = sext i8 %c to i64
  %e64 = bitcast <2 x float> %e to i64
  %f32 = bitcast <4 x i8> %f to i32
  %f64 = zext i32 %f32 to i64
  %g0 = extractvalue {i16, i8, i32, i16} %g, 0
  %g1 = extractvalue {i16, i8, i32, i16} %g, 1
  %g2 = extractvalue {i16, i8, i32, i16} %g, 2
  %g3 = extractvalue {i16, i8, i32, i16} %g, 3
  %g064 = zext i16 %g0 to i64
  %g164 = zext i8 %g1 to i64
  %g264 = zext i32 %g2 to i64
  %g364 = zext i16 %g3 to i64
  %v0 = insertelement <8 x i64> poison, i64 %a32, i32 0
  %v1 = insertelement <8 x i64> %v0, i64 %b32, i32 1
  %v2 = insertelement <8 x i64> %v1, i64 %c32, i32 2
  %v3 = insertelement <8 x i64> %v2, i64 %d, i32 3
  %v4 = insertelement <8 x i64> %v3, i64 %e64, i32 4
  %v5 = insertelement <8 x i64> %v4, i64 %f64, i32 5
  %h = or i64 %g064, %g264
  %v6 = insertelement <8 x i64> %v5, i64 %h, i32 6
  %h2 = shl i64 %g164, 32
  %h3 = or i64 %h2, %g364
  %v7 = insertelement <8 x i64> %v6, i64 %h3, i32 7
  store <8 x i64> %v7, ptr addrspace(1) %p
  ret void
}`, launch{grid([3]uint32{1}, [3]uint16{1}), []any{make([]byte, 64), int8(-3), uint16(0xfedc), int8(77), uint64(0x123456789abcdef0), [2]float32{1, 2},
		[4]int8{1, -2, 3, -4}, [12]byte{1, 2, 3, 0, 5, 6, 7, 8, 9, 10, 0, 0}}}},
	"sizes": {`
define amdgpu_kernel void @k(ptr addrspace(1) %p) "amdgpu-implicitarg-num-bytes"="256" {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %counts = load <2 x i32>, ptr addrspace(4) %i
  %ps = getelementptr i8, ptr addrspace(4) %i, i64 14
  %sy = load i16, ptr addrspace(4) %ps
  %pr = getelementptr i8, ptr addrspace(4) %i, i64 18
  %rx = load i16, ptr addrspace(4) %pr
  %po = getelementptr i8, ptr addrspace(4) %i, i64 48
  %oy = load i64, ptr addrspace(4) %po
  %pd = getelementptr i8, ptr addrspace(4) %i, i64 64
  %dims = load i16, ptr addrspace(4) %pd
  %pw = getelementptr i8, ptr addrspace(4) %d, i64 4
  %wx = load i16, ptr addrspace(4) %pw
  %pg = getelementptr i8, ptr addrspace(4) %d, i64 12
  %gx = load <2 x i32>, ptr addrspace(4) %pg
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %lx = call i32 @llvm.amdgcn.workitem.id.x()
  %ly = call i32 @llvm.amdgcn.workitem.id.y()
  %y3 = mul i32 %y, 3
  %g = add i32 %x, %y3
  %ly8 = shl i32 %ly, 3
  %l = add i32 %lx, %ly8
  %g16 = shl i32 %g, 4
  %at = add i32 %g16, %l
  %o = getelementptr <8 x i32>, ptr addrspace(1) %p, i32 %at
  %c0 = extractelement <2 x i32> %counts, i32 0
  %c1 = extractelement <2 x i32> %counts, i32 1
  %g0 = extractelement <2 x i32> %gx, i32 0
  %g1 = extractelement <2 x i32> %gx, i32 1
  %sy32 = zext i16 %sy to i32
  %rx32 = zext i16 %rx to i32
  %oy32 = trunc i64 %oy to i32
  %dims32 = zext i16 %dims to i32
  %wx32 = zext i16 %wx to i32
  %rd = add i32 %rx32, %dims32
  %v0 = insertelement <8 x i32> poison, i32 %c0, i32 0
  %v1 = insertelement <8 x i32> %v0, i32 %c1, i32 1
  %v2 = insertelement <8 x i32> %v1, i32 %sy32, i32 2
  %v3 = insertelement <8 x i32> %v2, i32 %rd, i32 3
  %v4 = insertelement <8 x i32> %v3, i32 %oy32, i32 4
  %v5 = insertelement <8 x i32> %v4, i32 %wx32, i32 5
  %v6 = insertelement <8 x i32> %v5, i32 %g0, i32 6
  %v7 = insertelement <8 x i32> %v6, i32 %g1, i32 7
  store <8 x i32> %v7, ptr addrspace(1) %o
  ret void
}`, launch{hsa.Grid{Size: [3]uint32{24, 4}, Group: [3]uint16{8, 2}, Offset: [3]uint64{5, 6, 0}}, []any{make([]byte, 32*16*6)}}},
	"local memory": {`
@own = internal addrspace(3) global [64 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %t) !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(3) %t, i32 %l
  %o = getelementptr [64 x i32], ptr addrspace(3) @own, i32 0, i32 %l
  %m = mul i32 %l, %l
  store i32 %m, ptr addrspace(3) %a
  store i32 %l, ptr addrspace(3) %o
  call void @llvm.amdgcn.s.barrier()
  %r = sub i32 63, %l
  %b = getelementptr i32, ptr addrspace(3) %t, i32 %r
  %q = getelementptr [64 x i32], ptr addrspace(3) @own, i32 0, i32 %r
  %v = load i32, ptr addrspace(3) %b
  %w = load i32, ptr addrspace(3) %q
  %s = add i32 %v, %w
  %x = getelementptr i32, ptr addrspace(1) %p, i32 %l
  store i32 %s, ptr addrspace(1) %x
  ret void
}
!0 = !{i32 1, i32 3}
!1 = !{!"none", !"none"}
!2 = !{!"uint*", !"uint*"}
!3 = !{!"restrict", !""}
`, launch{grid([3]uint32{64}, [3]uint16{64}), []any{make([]byte, 256), hsa.LDS(256)}}},
}

// TestCompiledFromHSA runs compiled kernels and their conversions on each
// processor.
func TestCompiledFromHSA(t *testing.T) {
	for name, k := range compiledKernels {
		for _, processor := range []string{"gfx600", "gfx601", "gfx700", "gfx701", "gfx704", "gfx801", "gfx802", "gfx803"} {
			t.Run(name+" "+processor, func(t *testing.T) {
				data := compiled(t, processor, intrinsicDeclarations+k.text)
				out, err := FromHSA(data, Options{Driver: catalyst.DriverOf(180005)})
				check(t, err)
				b, err := catalyst.Read(out)
				check(t, err)
				for _, err := range b.RecoverConfigs() {
					check(t, err)
				}
				m := newMachine(t, b.Device.Processor, device.CheckAll)
				same(t, k.launch, m.runHSA(data, "k", k.launch), m.runCatalyst(b, k.launch))
				again, err := ToHSA(b, "")
				check(t, err)
				same(t, k.launch, m.runHSA(data, "k", k.launch), m.runHSA(again, "k", k.launch))
			})
		}
	}
}
