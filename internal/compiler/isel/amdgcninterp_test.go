package isel_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// runExports compiles and runs the kernel k with 32 work-items and a buffer of
// 128 dwords. It returns the buffer and the exports.
func runExports(t *testing.T, cpu, source string, level int) ([]uint32, []device.Export) {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte("target triple = \"amdgcn-amd-amdhsa\"\n" + source)}},
		compile.Options{CPU: cpu, Level: level, Verify: true})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	man := &manifest.Manifest{Name: "k", Buffers: []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u32"), Count: 128}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{32, 1, 1}, Group: [3]uint16{32, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
	var list []device.Export
	r, err := kernelrun.Run(context.Background(), "k", res.Data, man, nil, kernelrun.Options{Simulator: device.Options{Checks: device.CheckAll,
		Finding: func(f *device.Finding) { t.Errorf("%s -O%d: %s: %s", cpu, level, f.Text, f.Message) },
		Export:  func(e *device.Export) { list = append(list, *e) }}})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	words := make([]uint32, 128)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(r.Contents[0][4*i:])
	}
	return words, list
}

const paramSource = `
@lds = internal addrspace(3) global [64 x float] poison
@halves = internal addrspace(3) global [64 x i32] poison

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %u = add i32 %t, 32
  %tf = uitofp i32 %t to float
  %uf = uitofp i32 %u to float
  %p = getelementptr float, ptr addrspace(3) @lds, i32 %t
  %q = getelementptr float, ptr addrspace(3) @lds, i32 %u
  store float %tf, ptr addrspace(3) %p
  store float %uf, ptr addrspace(3) %q
  %hp = getelementptr i32, ptr addrspace(3) @halves, i32 %t
  %hq = getelementptr i32, ptr addrspace(3) @halves, i32 %u
  store i32 1006649344, ptr addrspace(3) %hp
  store i32 1006649344, ptr addrspace(3) %hq
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %at = ptrtoint ptr addrspace(3) @lds to i32
  %m0 = or i32 %at, 131072
  %i = fmul float %tf, 5.000000e-01
  %j = fadd float %tf, 1.000000e+00
  %a = call float @llvm.amdgcn.interp.p1(float %i, i32 1, i32 1, i32 %m0)
  %b = call float @llvm.amdgcn.interp.p2(float %a, float %j, i32 1, i32 1, i32 %m0)
  %c = call float @llvm.amdgcn.interp.mov(i32 2, i32 1, i32 1, i32 %m0)
  %o0 = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %b, ptr addrspace(1) %o0
  %o1 = getelementptr float, ptr addrspace(1) %o0, i32 32
  store float %c, ptr addrspace(1) %o1
  HALF
  call void @llvm.amdgcn.exp.f32(i32 33, i32 13, float %a, float poison, float %b, float %c, i1 true, i1 false)
  %a2 = fadd float %a, 1.000000e+00
  call void @llvm.amdgcn.exp.i32(i32 0, i32 15, i32 %t, i32 %t, i32 7, i32 poison, i1 false, i1 true)
  %o3 = getelementptr float, ptr addrspace(1) %o0, i32 96
  store float %a2, ptr addrspace(1) %o3
  %cond = icmp ult i32 %t, 5
  br i1 %cond, label %then, label %end
then:
  %h = bitcast i32 %t to <2 x i16>
  call void @llvm.amdgcn.exp.compr.v2i16(i32 12, i32 15, <2 x i16> %h, <2 x i16> <i16 1, i16 2>, i1 false, i1 false)
  br label %end
end:
  ret void
}
`

const halfParams = `%hat = ptrtoint ptr addrspace(3) @halves to i32
  %ha = call float @llvm.amdgcn.interp.p1.f16(float %i, i32 0, i32 0, i1 true, i32 %hat)
  %hb = call half @llvm.amdgcn.interp.p2.f16(float %ha, float %j, i32 0, i32 0, i1 false, i32 %hat)
  %hc = fpext half %hb to float
  %o2 = getelementptr float, ptr addrspace(1) %o0, i32 64
  store float %hc, ptr addrspace(1) %o2`

// TestInterpolationRuns compiles interpolations and exports for processors with
// VINTRP and compares their results with the formula.
func TestInterpolationRuns(t *testing.T) {
	for _, cpu := range []string{"gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx1010", "gfx1030"} {
		for _, level := range []int{0, 2} {
			half := cpu != "gfx600" && cpu != "gfx700"
			source := strings.Replace(paramSource, "HALF", map[bool]string{true: halfParams}[half], 1)
			words, list := runExports(t, cpu, source, level)
			if len(list) != 3 || list[0].Name != "param1" || list[0].Enabled != 13 || !list[0].Done || list[1].Name != "mrt0" || !list[1].ValidMask ||
				list[2].Name != "pos0" || !list[2].Compressed || list[2].Exec != 31 {
				t.Fatalf("%s -O%d: %d exports: %+v", cpu, level, len(list), list)
			}
			for l := range 32 {
				prim := l / 8
				if prim > 1 {
					prim = 1
				}
				base, i, j := float32(12*(2+prim)), float32(l)/2, float32(l)+1
				a := base + 2 + i*(base+3)
				b := a + j*(base+9)
				want := [4]uint32{math.Float32bits(b), math.Float32bits(base + 2), 0, math.Float32bits(a + 1)}
				if half {
					want[2] = math.Float32bits(1 + i + j*2) // exact in f16
				}
				for k := range want {
					if got := words[32*k+l]; got != want[k] {
						t.Fatalf("%s -O%d: result %d of lane %d is %#x, want %#x", cpu, level, k, l, got, want[k])
					}
				}
				e := &list[0]
				if got, exp := [3]uint32{e.Data[0][l], e.Data[2][l], e.Data[3][l]}, [3]uint32{math.Float32bits(a), want[0], want[1]}; got != exp {
					t.Fatalf("%s -O%d: lane %d exports %#x, want %#x", cpu, level, l, got, exp)
				}
				if e := &list[1]; e.Data[0][l] != uint32(l) || e.Data[1][l] != uint32(l) || e.Data[2][l] != 7 {
					t.Fatalf("%s -O%d: lane %d exports %d, %d, %d", cpu, level, l, e.Data[0][l], e.Data[1][l], e.Data[2][l])
				}
			}
			if e := &list[2]; e.Data[0][3] != 3 || e.Data[1][3] != 0 || e.Data[2][3] != 1 || e.Data[3][3] != 2 || e.Data[2][5] != 0 {
				t.Errorf("%s -O%d: %+v", cpu, level, e)
			}
		}
	}
}

const quadSource = `
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %tf = uitofp i32 %t to float
  %a = fmul float %tf, 3.000000e+00
  %i = fadd float %tf, 1.000000e+00
  %b = call float @llvm.amdgcn.interp.inreg.p10(float %a, float %i, float %a)
  %c = call float @llvm.amdgcn.interp.inreg.p2(float %a, float %tf, float %b)
  %lo = fptrunc float %a to half
  %hi = fptrunc float %i to half
  %v0 = insertelement <2 x half> poison, half %lo, i32 0
  %v = insertelement <2 x half> %v0, half %hi, i32 1
  %packed = bitcast <2 x half> %v to float
  %d = call float @llvm.amdgcn.interp.inreg.p10.f16(float %packed, float %i, float %packed, i1 true)
  %e = call half @llvm.amdgcn.interp.inreg.p2.f16(float %packed, float 2.0, float 1.0, i1 false)
  %f = call float @llvm.amdgcn.interp.p10.rtz.f16(float %packed, float %i, float %packed, i1 false)
  %g = call half @llvm.amdgcn.interp.p2.rtz.f16(float %packed, float 2.0, float 1.0, i1 true)
  %ef = fpext half %e to float
  %gf = fpext half %g to float
  %eg = fmul float %ef, 1024.0
  %s = fadd float %eg, %gf
  %o0 = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %c, ptr addrspace(1) %o0
  %o1 = getelementptr float, ptr addrspace(1) %o0, i32 32
  store float %d, ptr addrspace(1) %o1
  %o2 = getelementptr float, ptr addrspace(1) %o0, i32 64
  store float %f, ptr addrspace(1) %o2
  %o3 = getelementptr float, ptr addrspace(1) %o0, i32 96
  store float %s, ptr addrspace(1) %o3
  call void @llvm.amdgcn.exp.row.i32(i32 12, i32 3, i32 %t, i32 9, i32 poison, i32 poison, i1 true, i32 77)
  %x = add i32 %t, 1
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %x, i32 poison, i32 poison, i32 poison, i1 true, i1 true)
  ret void
}
`

// TestQuadInterpolationRuns does the same with the instructions of gfx11 and
// gfx12.
func TestQuadInterpolationRuns(t *testing.T) {
	for _, cpu := range []string{"gfx1100", "gfx1150", "gfx1200"} {
		for _, level := range []int{0, 2} {
			words, list := runExports(t, cpu, quadSource, level)
			if len(list) != 2 || list[0].Name != "pos0" || !list[0].HasRow || list[0].Row != 77 || !list[0].Done || list[1].Name != "prim" || list[1].Data[0][30] != 31 ||
				list[0].Data[0][30] != 30 || list[0].Data[1][30] != 9 {
				t.Fatalf("%s -O%d: %d exports: %+v", cpu, level, len(list), list)
			}
			for l := range 32 {
				q, x := float32(l&^3), float32(l)
				p := [3]float32{3 * q, 3 * (q + 1), 3 * (q + 2)}
				h := [3]float32{q + 1, q + 2, q + 3}
				want := [4]float32{p[2]*x + p[1]*(x+1) + p[0], h[1]*(x+1) + h[0], p[1]*(x+1) + p[0], (p[2]*2+1)*1024 + h[2]*2 + 1}
				for k := range want {
					if got := math.Float32frombits(words[32*k+l]); got != want[k] {
						t.Fatalf("%s -O%d: result %d of lane %d is %v, want %v", cpu, level, k, l, got, want[k])
					}
				}
			}
		}
	}
}

// TestExportsMissing checks the errors for exports that a processor lacks.
func TestExportsMissing(t *testing.T) {
	for _, c := range []struct{ cpu, call, want string }{
		{"gfx1100", "call void @llvm.amdgcn.exp.compr.v2i16(i32 0, i32 15, <2 x i16> zeroinitializer, <2 x i16> zeroinitializer, i1 true, i1 false)", "llvm.amdgcn.exp.compr on gfx1100"},
		{"gfx1030", "call void @llvm.amdgcn.exp.row.i32(i32 12, i32 1, i32 0, i32 0, i32 0, i32 0, i1 true, i32 0)", "llvm.amdgcn.exp.row on gfx1030"},
		{"gfx90a", "call void @llvm.amdgcn.exp.i32(i32 12, i32 1, i32 0, i32 0, i32 0, i32 0, i1 true, i1 true)", "llvm.amdgcn.exp on gfx90a"},
		{"gfx1100", "%a = call float @llvm.amdgcn.interp.p2(float 1.0, float 1.0, i32 0, i32 0, i32 0)\n  store float %a, ptr addrspace(1) null", "llvm.amdgcn.interp.p2 on gfx1100"},
		{"gfx1030", "%a = call float @llvm.amdgcn.interp.inreg.p2(float 1.0, float 1.0, float 1.0)\n  store float %a, ptr addrspace(1) null", "llvm.amdgcn.interp.inreg.p2 on gfx1030"},
		{"gfx700", "%a = call half @llvm.amdgcn.interp.p2.f16(float 1.0, float 1.0, i32 0, i32 0, i1 true, i32 0)\n  store half %a, ptr addrspace(1) null", "llvm.amdgcn.interp.p2.f16 on gfx700"},
	} {
		source := fmt.Sprintf("target triple = \"amdgcn-amd-amdhsa\"\ndefine amdgpu_kernel void @k() {\n  %s\n  ret void\n}\n", c.call)
		_, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: c.cpu})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.call, err, c.want)
		}
	}
}
