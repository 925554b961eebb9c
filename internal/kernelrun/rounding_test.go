package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// Offsets in the buffer of the kernel of roundingIR.
const (
	roundDoubles = 0    // 32 doubles
	roundFloats  = 256  // 32 floats
	roundVector  = 384  // 8 i16, then 8 i16 that follow the compressed ones
	roundMask    = 416  // 8 bits
	roundModes   = 420  // 4 i32, values of FLT_ROUNDS
	roundTrunc   = 448  // by mode: 32 floats, 32 halves
	roundSums    = 1216 // by mode: sum, mode, sum to nearest
	roundPacked  = 1264 // 8 i16
	roundSize    = 1280
)

// truncModes are the modes of llvm.fptrunc.round.
var truncModes = []string{"tonearest", "upward", "downward", "towardzero"}

// roundingIR returns a kernel that converts and adds with all rounding modes.
func roundingIR() string {
	var b strings.Builder
	b.WriteString(`target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) noalias %out) strictfp {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %pd = getelementptr double, ptr addrspace(1) %out, i32 %i
  %d = load double, ptr addrspace(1) %pd
  %bf = getelementptr i8, ptr addrspace(1) %out, i32 256
  %pf = getelementptr float, ptr addrspace(1) %bf, i32 %i
  %f = load float, ptr addrspace(1) %pf
  %neg = fneg float %f
`)
	for n, mode := range truncModes {
		fmt.Fprintf(&b, `  %%t%[1]d = call float @llvm.fptrunc.round.f32.f64(double %%d, metadata !"round.%[2]s")
  %%bt%[1]d = getelementptr i8, ptr addrspace(1) %%out, i32 %[3]d
  %%pt%[1]d = getelementptr float, ptr addrspace(1) %%bt%[1]d, i32 %%i
  store float %%t%[1]d, ptr addrspace(1) %%pt%[1]d
  %%h%[1]d = call half @llvm.fptrunc.round.f16.f32(float %%neg, metadata !"round.%[2]s")
  %%bh%[1]d = getelementptr i8, ptr addrspace(1) %%out, i32 %[4]d
  %%ph%[1]d = getelementptr half, ptr addrspace(1) %%bh%[1]d, i32 %%i
  store half %%h%[1]d, ptr addrspace(1) %%ph%[1]d
`, n, mode, roundTrunc+192*n, roundTrunc+192*n+128)
	}
	fmt.Fprintf(&b, `  %%first = icmp eq i32 %%i, 0
  br i1 %%first, label %%work, label %%end
work:
  %%p1 = getelementptr float, ptr addrspace(1) %%bf, i32 1
  %%f1 = load float, ptr addrspace(1) %%p1
  %%v2 = insertelement <2 x float> <float 1.0, float poison>, float %%f, i32 1
  %%w2 = insertelement <2 x float> <float 2.0, float poison>, float %%f1, i32 1
`)
	for n := range 4 {
		fmt.Fprintf(&b, `  %%bm%[1]d = getelementptr i8, ptr addrspace(1) %%out, i32 %[2]d
  %%m%[1]d = load i32, ptr addrspace(1) %%bm%[1]d
  call void @llvm.set.rounding(i32 %%m%[1]d) strictfp
  %%s%[1]d = call float @llvm.experimental.constrained.fadd.f32(float %%f, float %%f1, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %%g%[1]d = call i32 @llvm.get.rounding() strictfp
  call void @llvm.set.rounding(i32 1) strictfp
  %%z%[1]d = call <2 x float> @llvm.experimental.constrained.fadd.v2f32(<2 x float> %%v2, <2 x float> %%w2, metadata !"round.dynamic", metadata !"fpexcept.ignore") strictfp
  %%y%[1]d = extractelement <2 x float> %%z%[1]d, i32 1
  %%q%[1]d = getelementptr i8, ptr addrspace(1) %%out, i32 %[3]d
  store float %%s%[1]d, ptr addrspace(1) %%q%[1]d
  %%r%[1]d = getelementptr i8, ptr addrspace(1) %%out, i32 %[4]d
  store i32 %%g%[1]d, ptr addrspace(1) %%r%[1]d
  %%u%[1]d = getelementptr i8, ptr addrspace(1) %%out, i32 %[5]d
  store float %%y%[1]d, ptr addrspace(1) %%u%[1]d
`, n, roundModes+4*n, roundSums+12*n, roundSums+12*n+4, roundSums+12*n+8)
	}
	fmt.Fprintf(&b, `  %%env = call i64 @llvm.get.fpenv.i64() strictfp
  %%env.mode = trunc i64 %%env to i32
  %%mode = call i32 @llvm.get.fpmode.i32() strictfp
  %%diff = xor i32 %%env.mode, %%mode
  %%same = and i32 %%diff, 255
  %%up = or i64 %%env, 1
  call void @llvm.set.fpenv.i64(i64 %%up) strictfp
  %%e = call float @llvm.experimental.constrained.fadd.f32(float 1.0, float 0x3E00000000000000, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  call void @llvm.set.fpenv.i64(i64 %%env) strictfp
  %%less = call <2 x i1> @llvm.experimental.constrained.fcmps.v2f32(<2 x float> %%v2, <2 x float> %%w2, metadata !"olt", metadata !"fpexcept.strict") strictfp
  %%less0 = extractelement <2 x i1> %%less, i32 0
  %%e.kept = select i1 %%less0, float %%e, float 0.0
  %%e.zero = icmp eq i32 %%same, 0
  %%e.last = select i1 %%e.zero, float %%e.kept, float 0.0
  store float %%e.last, ptr addrspace(1) %%bm0
  %%bv = getelementptr i8, ptr addrspace(1) %%out, i32 %d
  %%v = load <8 x i16>, ptr addrspace(1) %%bv
  %%br = getelementptr i8, ptr addrspace(1) %%out, i32 %d
  %%rest = load <8 x i16>, ptr addrspace(1) %%br
  %%bk = getelementptr i8, ptr addrspace(1) %%out, i32 %d
  %%bits = load i8, ptr addrspace(1) %%bk
  %%mask = bitcast i8 %%bits to <8 x i1>
  %%packed = call <8 x i16> @llvm.experimental.vector.compress.v8i16(<8 x i16> %%v, <8 x i1> %%mask, <8 x i16> %%rest)
  %%zeros = call i32 @llvm.experimental.cttz.elts.i32.v8i1(<8 x i1> %%mask, i1 false)
  %%less.zeros = call i32 @llvm.experimental.cttz.elts.i32.v8i16(<8 x i16> zeroinitializer, i1 false)
  %%counts = shl i32 %%less.zeros, 8
  %%count = or i32 %%counts, %%zeros
  store i32 %%count, ptr addrspace(1) %%bm1
  %%bp = getelementptr i8, ptr addrspace(1) %%out, i32 %d
  store <8 x i16> %%packed, ptr addrspace(1) %%bp
  br label %%end
end:
  ret void
}
`, roundVector, roundVector+16, roundMask, roundPacked)
	return b.String()
}

// roundAs rounds a number to a multiple of a power of two that leaves bits
// significant bits, at least 2^least.
func roundAs(x float64, bits, least int, mode string) float64 {
	_, exp := math.Frexp(x)
	q := math.Ldexp(1, max(exp-bits, least))
	return map[string]func(float64) float64{"tonearest": math.RoundToEven, "upward": math.Ceil, "downward": math.Floor, "towardzero": math.Trunc}[mode](x/q) * q
}

// halfValue returns the number of finite bits of a half.
func halfValue(h uint16) float64 {
	m, e := float64(h&0x3ff), int(h>>10&31)
	if e > 0 {
		m, e = m+1024, e-1
	}
	x := math.Ldexp(m, e-24)
	if h>>15 != 0 {
		x = -x
	}
	return x
}

// TestRounding runs conversions and sums with all rounding modes.
func TestRounding(t *testing.T) {
	le := binary.LittleEndian
	rnd := rand.New(rand.NewPCG(3, 4))
	in := make([]byte, roundSize)
	doubles, floats := make([]float64, 32), make([]float32, 32)
	for i := range 32 {
		doubles[i] = math.Ldexp(rnd.Float64()-0.5, rnd.IntN(280)-150)
		floats[i] = float32(math.Ldexp(rnd.Float64()-0.5, rnd.IntN(40)-24))
		if i == 2 { // halfway
			doubles[i], floats[i] = 1+math.Ldexp(1, -24), 1+1.0/2048
		}
		if i < 2 {
			floats[i] = float32(1+i*1000) + rnd.Float32()
		}
		le.PutUint64(in[roundDoubles+8*i:], math.Float64bits(doubles[i]))
		le.PutUint32(in[roundFloats+4*i:], math.Float32bits(floats[i]))
	}
	for i := range 16 {
		le.PutUint16(in[roundVector+2*i:], uint16(rnd.Uint32()))
	}
	in[roundMask] = 0b10110010
	for i := range 4 {
		le.PutUint32(in[roundModes+4*i:], uint32(3-i))
	}
	for _, cpu := range []string{"gfx803", "gfx900", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"} {
		for _, level := range []int{0, 2} {
			got := runRounding(t, cpu, level, in)
			checkRounding(t, fmt.Sprintf("%s -O%d", cpu, level), in, got, doubles, floats)
		}
	}
}

func checkRounding(t *testing.T, name string, in, got []byte, doubles []float64, floats []float32) {
	t.Helper()
	le := binary.LittleEndian
	f32 := func(at int) float64 { return float64(math.Float32frombits(le.Uint32(got[at:]))) }
	for n, mode := range truncModes {
		for i := range 32 {
			if g, w := f32(roundTrunc+192*n+4*i), roundAs(doubles[i], 24, -149, mode); g != w {
				t.Errorf("%s: %g %s to float is %g, want %g", name, doubles[i], mode, g, w)
			}
			if g, w := halfValue(le.Uint16(got[roundTrunc+192*n+128+2*i:])), roundAs(-float64(floats[i]), 11, -24, mode); g != w {
				t.Errorf("%s: %g %s to half is %g, want %g", name, -floats[i], mode, g, w)
			}
		}
	}
	sum := float64(floats[0]) + float64(floats[1])
	for n := range 4 {
		at := roundSums + 12*n
		if g, w := f32(at), roundAs(sum, 24, -149, []string{"downward", "upward", "tonearest", "towardzero"}[n]); g != w {
			t.Errorf("%s: sum %d is %g, want %g", name, n, g, w)
		}
		if g := le.Uint32(got[at+4:]); g != uint32(3-n) {
			t.Errorf("%s: rounding mode %d, want %d", name, g, 3-n)
		}
		if g, w := f32(at+8), float64(float32(sum)); g != w {
			t.Errorf("%s: sum %d to nearest is %g, want %g", name, n, g, w)
		}
	}
	if g, w := f32(roundModes), 1+math.Ldexp(1, -23); g != w {
		t.Errorf("%s: the sum after set.fpenv is %g, want %g", name, g, w)
	}
	if g := le.Uint32(got[roundModes+4:]); g != 0x801 {
		t.Errorf("%s: elements before the first one that is not zero: %#x, want 0x801", name, g)
	}
	next, want := 0, append([]byte(nil), in[roundVector+16:roundVector+32]...)
	for i := range 8 {
		if in[roundMask]>>i&1 != 0 {
			copy(want[2*next:], in[roundVector+2*i:roundVector+2*i+2])
			next++
		}
	}
	if g := got[roundPacked : roundPacked+16]; string(g) != string(want) {
		t.Errorf("%s: compressed %x, want %x", name, g, want)
	}
}

func runRounding(t *testing.T, cpu string, level int, in []byte) []byte {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "rounding.ll", Data: []byte(roundingIR())}}, compile.Options{CPU: cpu, Level: level, Verify: true})
	if err != nil {
		t.Fatal(cpu, level, err)
	}
	man := &manifest.Manifest{Name: "rounding",
		Buffers:    []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u8"), Count: uint64(len(in)), Fill: manifest.Fill{Kind: manifest.FillValues, Values: in}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{32, 1, 1}, Group: [3]uint16{32, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
	finding := ""
	r, err := Run(context.Background(), "rounding", res.Data, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
	if err != nil || finding != "" {
		t.Fatal(cpu, level, err, finding)
	}
	return r.Contents[0]
}
