package isel_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// loadSource loads parameters in divergent control flow, while the inactive
// lanes hold other values in registers: %n lanes of a quad are active.
const loadSource = `
@lds = internal addrspace(3) global [256 x float] poison, align 128

define float @away(float %i, float %j, i32 inreg %m0) noinline {
  %p = call float @llvm.amdgcn.lds.param.load(i32 3, i32 1, i32 %m0)
  %a = call float @llvm.amdgcn.interp.inreg.p10(float %p, float %i, float %p)
  %b = call float @llvm.amdgcn.interp.inreg.p2(float %p, float %j, float %a)
  ret float %b
}

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %fill
fill:
  %at = phi i32 [ %t, %0 ], [ %next, %fill ]
  %value = uitofp i32 %at to float
  %p = getelementptr float, ptr addrspace(3) @lds, i32 %at
  store float %value, ptr addrspace(3) %p
  %next = add i32 %at, 32
  %more = icmp ult i32 %next, 256
  br i1 %more, label %fill, label %filled
filled:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %addr = ptrtoint ptr addrspace(3) @lds to i32
  %m0 = or i32 %addr, 2752512
  %direct = or i32 %addr, 131072
  %d4 = add i32 %direct, 28
  %tf = uitofp i32 %t to float
  %i = fmul float %tf, 5.000000e-01
  %j = fadd float %tf, 1.000000e+00
  %v0 = mul i32 %t, 17
  %v1 = xor i32 %v0, 9029
  %v2 = mul i32 %v1, %v0
  %v3 = sub i32 %v2, %t
  %far = call float @llvm.amdgcn.lds.param.load(i32 1, i32 1, i32 %m0)
  %o0 = getelementptr float, ptr addrspace(1) %out, i32 %t
  %shifted = lshr i32 -1773790777, %t
  %bit = and i32 %shifted, 1
  %cond = icmp ne i32 %bit, 0
  br i1 %cond, label %then, label %else
then:
  %pa = call float @llvm.amdgcn.lds.param.load(i32 0, i32 0, i32 %m0)
  %a = call float @llvm.amdgcn.interp.inreg.p10(float %pa, float %i, float %pa)
  %b = call float @llvm.amdgcn.interp.inreg.p2(float %pa, float %j, float %a)
  %pb = call float @llvm.amdgcn.lds.param.load(i32 2, i32 1, i32 %m0)
  %c = call float @llvm.amdgcn.interp.inreg.p10(float %pb, float %i, float %pb)
  %d = call float @llvm.amdgcn.interp.inreg.p2(float %pb, float %j, float %c)
  %e = call float @llvm.amdgcn.interp.inreg.p10(float %far, float %i, float %far)
  %ff = call float @llvm.amdgcn.interp.inreg.p2(float %far, float %j, float %e)
  %bd = fadd float %b, %d
  %sum = fadd float %bd, %ff
  store float %sum, ptr addrspace(1) %o0
  %low = and i32 %t, 3
  br label %loop
loop:
  %n = phi i32 [ %low, %then ], [ %n1, %loop ]
  %acc = phi float [ %pb, %then ], [ %acc1, %loop ]
  %pl = call float @llvm.amdgcn.lds.param.load(i32 3, i32 0, i32 %m0)
  %dl = call float @llvm.amdgcn.lds.direct.load.f32(i32 %d4)
  %l0 = call float @llvm.amdgcn.interp.inreg.p10(float %pl, float %i, float %pl)
  %l1 = fadd float %l0, %dl
  %acc1 = fadd float %acc, %l1
  %n1 = add i32 %n, -1
  %on = icmp sgt i32 %n, 0
  br i1 %on, label %loop, label %done
done:
  %o2 = getelementptr float, ptr addrspace(1) %o0, i32 32
  store float %acc1, ptr addrspace(1) %o2
  %ca = call float @away(float %i, float %j, i32 inreg %m0)
  %o3 = getelementptr float, ptr addrspace(1) %o0, i32 64
  store float %ca, ptr addrspace(1) %o3
  br label %end
else:
  %w = add i32 %v3, %v1
  store i32 %w, ptr addrspace(1) %o0
  br label %end
end:
  %x = phi i32 [ %v2, %else ], [ %v1, %done ]
  %o4 = getelementptr i32, ptr addrspace(1) %o0, i32 96
  store i32 %x, ptr addrspace(1) %o4
  ret void
}
`

// loadParams returns P0, P10 and P20 of loadSource for a lane: LDS holds the
// number of each dword.
func loadParams(attr, channel, lane int) (p0, p10, p20 float32) {
	const starts = 2752512 >> 16
	quad := lane / 4
	prim, prims := bits.OnesCount(starts&(1<<quad-1)), bits.OnesCount(starts)+1
	at := 12*(attr*prims+prim) + channel
	return float32(at), float32(at + 4), float32(at + 8)
}

// TestParamLoadsRun compiles loads of parameters where some lanes of quads are
// inactive, and compares all results.
func TestParamLoadsRun(t *testing.T) {
	for _, cpu := range []string{"gfx1100", "gfx1150", "gfx1200"} {
		for _, wave := range []string{"32", "64"} {
			for level := range 4 {
				source := strings.Replace(loadSource, "@k(ptr addrspace(1) %out)", "@k(ptr addrspace(1) %out) #0", 1)
				source = strings.Replace(source, "noinline {", "noinline #0 {", 1)
				source += fmt.Sprintf("attributes #0 = { \"target-features\"=\"+wavefrontsize%s\" }\n", wave)
				words, _ := runExports(t, cpu, source, level)
				for l := range 32 {
					interpolate := func(attr, channel int) float32 {
						p0, p10, p20 := loadParams(attr, channel, l)
						return p20*(float32(l)+1) + (p10*(float32(l)/2) + p0)
					}
					v0 := uint32(l) * 17
					v1 := v0 ^ 9029
					v2 := v1 * v0
					want := [4]uint32{v2 - uint32(l) + v1, 0, 0, v2}
					var mask uint32 = 2521176519 // -1773790777
					if mask>>l&1 != 0 {
						b, c := interpolate(0, 0), interpolate(1, 2)
						far := interpolate(1, 1)
						own := [4]float32{}
						own[0], own[1], own[2] = loadParams(1, 2, l)
						acc := own[l&3]
						p0, p10, _ := loadParams(0, 3, l)
						for range l&3 + 1 {
							acc += p10*(float32(l)/2) + p0 + 7
						}
						want = [4]uint32{math.Float32bits(b + c + far), math.Float32bits(acc), math.Float32bits(interpolate(1, 3)), v1}
					}
					for k := range want {
						if got := words[32*k+l]; got != want[k] {
							t.Fatalf("%s wave%s -O%d: result %d of lane %d is %#x (%v), want %#x (%v)", cpu, wave, level, k, l, got, math.Float32frombits(got), want[k], math.Float32frombits(want[k]))
						}
					}
				}
			}
		}
	}
}

const pixelSource = `
target triple = "amdgcn--amdpal"
define amdgpu_ps float @f(float %i, float %j, i32 inreg %m0) #0 {
  %p = call float @llvm.amdgcn.lds.param.load(i32 0, i32 1, i32 %m0)
  %x = call float @llvm.amdgcn.interp.inreg.p10(float %p, float %i, float %p)
  %y = call float @llvm.amdgcn.interp.inreg.p2(float %p, float %j, float %x)
  %q = call float @llvm.amdgcn.lds.param.load(i32 2, i32 2, i32 %m0)
  %x1 = call float @llvm.amdgcn.interp.inreg.p10.f16(float %q, float %i, float %q, i1 true)
  %y1 = call half @llvm.amdgcn.interp.inreg.p2.f16(float %q, float %j, float %x1, i1 false)
  %w = fpext half %y1 to float
  %r = fadd float %y, %w
  ret float %r
}
define amdgpu_ps float @g(float %i, i32 inreg %m0) #0 {
  %p = call float @llvm.amdgcn.lds.direct.load.f32(i32 %m0)
  %k = fmul float %p, %i
  ret float %k
}
define amdgpu_gfx float @h(float %i, float %j, i32 inreg %m0) {
  %p = call float @llvm.amdgcn.lds.param.load(i32 0, i32 1, i32 %m0)
  %x = call float @llvm.amdgcn.interp.p10.rtz.f16(float %p, float %i, float %p, i1 false)
  ret float %x
}
attributes #0 = { "InitialPSInputAddr"="2" }
`

// TestParamLoadsLikeLLC compares the loads, interpolations and changes of EXEC
// with llc's, except for
// registers, order, and waits that depend on the order.
func TestParamLoadsLikeLLC(t *testing.T) {
	tool := oracle.Tool(t, "llc-22")
	register := regexp.MustCompile(`\b([sv]\d+|[sv]\[\d+:\d+\]|exec_lo|exec)\b`)
	modifier := regexp.MustCompile(`(wait_exp|op_sel):\S+`) // op_sel is also part of register names
	relevant := regexp.MustCompile(`^\s*((lds|ds)_(param|direct)|v_interp|s_wqm|s_mov_b(32|64) m0)`)
	lines := func(text string) (list []string) {
		for line := range strings.Lines(text) {
			if relevant.MatchString(line) {
				list = append(list, strings.Join(strings.Fields(modifier.ReplaceAllString(register.ReplaceAllString(line, "R"), "")), " "))
			}
		}
		slices.Sort(list)
		return list
	}
	for _, cpu := range []string{"gfx1100", "gfx1151", "gfx1200", "gfx1201"} {
		res, err := compile.Compile(context.Background(), []compile.Input{{Name: "p.ll", Data: []byte(pixelSource)}},
			compile.Options{CPU: cpu, Level: 2, Verify: true, Format: compile.Assembly})
		if err != nil {
			t.Fatal(err)
		}
		out, message, exit := oracle.Run(t, []byte(pixelSource), time.Minute, tool, "-mcpu="+cpu, "-o", "-")
		if exit != 0 {
			t.Fatalf("llc: %s", message)
		}
		got, want := lines(string(res.Data)), lines(string(out))
		if len(want) < 12 || !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nllc has\n%s", cpu, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
