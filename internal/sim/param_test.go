package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// paramScene is a wave's view of parameters: random attributes in LDS, and
// random coordinates.
type paramScene struct {
	cpu     string
	lanes   int
	mode    uint32
	base    int    // address of the attributes in LDS
	starts  uint32 // quads after the first one that begin a primitive
	exec    uint64
	lds     []byte
	i, acc  [64]uint32 // v4, v5
	old     uint32     // v8 before the instruction
	prims   int
	ordered bool // P0, P10, P20 in groups of four, as from gfx11 on
}

const paramAttrs = 5

// interestingFloat returns a random f32: often of moderate size, sometimes an
// extreme one.
func interestingFloat(r *rand.Rand) uint32 {
	switch r.IntN(8) {
	case 0:
		list := []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f7fffff, 0xff7fffff, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000}
		return list[r.IntN(len(list))]
	case 1:
		return r.Uint32()
	}
	return math.Float32bits(float32(r.NormFloat64()))
}

// pairOfHalves returns two random f16.
func pairOfHalves(r *rand.Rand) uint32 {
	one := func() uint32 {
		if r.IntN(8) == 0 {
			return []uint32{0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0x7bff, 0x0001, 0x83ff}[r.IntN(8)]
		}
		return r.Uint32()&0x83ff | uint32(10+r.IntN(10))<<10
	}
	return one() | one()<<16
}

func newParamScene(r *rand.Rand, cpu string, lanes int, half bool) *paramScene {
	s := &paramScene{cpu: cpu, lanes: lanes, base: 128 * r.IntN(3), starts: r.Uint32() & (1<<(lanes/4-1) - 1), exec: r.Uint64(), old: r.Uint32(), prims: 1}
	s.mode = 0xc0 | uint32(r.IntN(2))*0x30
	if lanes == 32 {
		s.exec &= math.MaxUint32
	}
	for q := range lanes / 4 {
		if q > 0 && s.starts>>(q-1)&1 != 0 {
			s.prims++
		}
	}
	s.lds = make([]byte, s.base+paramAttrs*s.prims*48)
	for i := 0; i < len(s.lds); i += 4 {
		v := interestingFloat(r)
		if half {
			v = pairOfHalves(r)
		}
		binary.LittleEndian.PutUint32(s.lds[i:], v)
	}
	for l := range s.i {
		s.i[l], s.acc[l] = interestingFloat(r), interestingFloat(r)
	}
	return s
}

// param returns parameter 0 (P0), 1 (P10) or 2 (P20) for a lane.
func (s *paramScene) param(attr, channel, p, lane int) uint32 {
	prim := 0
	for q := 1; q <= lane/4; q++ {
		prim += int(s.starts >> (q - 1) & 1)
	}
	index := p*4 + channel
	if !s.ordered && p < 2 {
		index = 2*channel + p
	}
	at := s.base + 4*(12*(attr*s.prims+prim)+index)
	return binary.LittleEndian.Uint32(s.lds[at:])
}

// run executes an instruction with the result v8.
func (s *paramScene) run(t *testing.T, text string) *kernelResult {
	t.Helper()
	m0 := uint32(s.base) | s.starts<<16
	return kernelTest{cpu: s.cpu, wave: s.lanes, lds: uint32(len(s.lds)), text: m0Text(m0) + text, setup: func(w *wave) {
		copy(w.group.lds, s.lds)
		w.setMode(w.mode&^0xff | s.mode)
		w.setMask(sExec, s.exec)
		for l := range s.lanes {
			w.v[4*s.lanes+l], w.v[5*s.lanes+l], w.v[8*s.lanes+l] = s.i[l], s.acc[l], s.old
		}
	}}.run(t)
}

// compare checks v8 of all lanes. A NaN equals every NaN.
func (s *paramScene) compare(t *testing.T, text string, res *kernelResult, want func(lane int) uint32, nan func(v uint32) bool) {
	t.Helper()
	for l := range s.lanes {
		exp := s.old
		if s.exec>>l&1 != 0 {
			exp = want(l)
		}
		if got := res.v(8, l); got != exp && !(nan != nil && nan(got) && nan(exp)) {
			t.Fatalf("%s, wave%d, mode %#x, mask %#x: %s: lane %d is %#x, want %#x", s.cpu, s.lanes, s.mode, s.starts, text, l, got, exp)
		}
	}
}

func isNaN32(v uint32) bool { return v&0x7fffffff > 0x7f800000 }
func isNaN16(v uint32) bool { return v&0x7fff > 0x7c00 }

// fuses reports whether the multiply-adds of a processor's interpolations are
// fused, as from gfx10.3 on.
func fuses(cpu string) bool { return cpu == "gfx1030" }

// exactMulAdd computes a*b + c in f32 by exact arithmetic, with one rounding or
// with two. small selects the rounding toward zero of the mode of f16.
func (s *paramScene) exactMulAdd(a, b, c float64) float64 {
	fused := fuses(s.cpu)
	flush := !fused || s.mode>>4&3 == 0
	in := func(f float64) float64 {
		if flush && f != 0 && math.Abs(f) < 0x1p-126 {
			return math.Copysign(0, f)
		}
		return f
	}
	out := func(f float32) float64 { return in(float64(f)) }
	a, b, c = in(a), in(b), in(c)
	for _, f := range []float64{a, b, c, a * b, a*b + c} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			if !fused {
				return float64(float32(out(float32(a*b)) + c))
			}
			return a*b + c
		}
	}
	if !fused {
		return out(float32(out(float32(a*b)) + c))
	}
	sum := new(big.Float).SetPrec(700).Mul(big.NewFloat(a), big.NewFloat(b))
	sum.Add(sum, big.NewFloat(c))
	if sum.Sign() == 0 {
		return float64(float32(a*b + c))
	}
	f, _ := sum.Float32()
	return out(f)
}

func f32Of(v uint32) float64 { return float64(math.Float32frombits(v)) }

// halfOf converts an f16.
func halfOf(v uint32) float64 {
	v &= 0xffff
	sign, exp, frac := 1-2*float64(v>>15), int(v>>10&31), float64(v&0x3ff)
	switch exp {
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	case 0:
		return math.Copysign(math.Ldexp(frac, -24), sign)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// toHalfExact rounds to the nearest f16, to even in a tie.
func toHalfExact(f float64) uint32 {
	sign := uint32(math.Float64bits(f) >> 63 << 15)
	f = math.Abs(f)
	switch {
	case math.IsNaN(f):
		return 0x7e00
	case f >= 65520:
		return sign | 0x7c00
	case f < 0x1p-14:
		return sign | uint32(math.RoundToEven(f*0x1p24))
	}
	frac, exp := math.Frexp(f) // f = frac * 2^exp, frac in [0.5, 1)
	n := uint32(math.RoundToEven(frac * 2048))
	return sign | uint32(exp+13)<<10 + n
}

// paramCPUs lists a processor of each generation with VINTRP.
var paramCPUs = []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx1010", "gfx1030"}

// eachParamScene calls f for random scenes of all processors and wave sizes.
func eachParamScene(t *testing.T, cpus []string, half bool, f func(r *rand.Rand, s *paramScene, attr, channel int)) {
	r := rand.New(rand.NewPCG(3, 4))
	forWaves(t, cpus, func(t *testing.T, cpu string, lanes int) {
		for range 25 {
			f(r, newParamScene(r, cpu, lanes, half), r.IntN(paramAttrs), r.IntN(4))
		}
	})
}

// TestInterpolate compares v_interp_p1_f32, v_interp_p2_f32 and v_interp_mov_f32
// with exact arithmetic.
func TestInterpolate(t *testing.T) {
	eachParamScene(t, paramCPUs, false, func(r *rand.Rand, s *paramScene, attr, channel int) {
		where := fmt.Sprintf("attr%d.%c", attr, "xyzw"[channel])
		text := "v_interp_p1_f32 v8, v4, " + where
		s.compare(t, text, s.run(t, text), func(l int) uint32 {
			p10, p0 := s.param(attr, channel, 1, l), s.param(attr, channel, 0, l)
			return math.Float32bits(float32(s.exactMulAdd(f32Of(p10), f32Of(s.i[l]), f32Of(p0))))
		}, isNaN32)
		text = "v_interp_p2_f32 v8, v4, " + where
		s.compare(t, text, s.run(t, text), func(l int) uint32 {
			return math.Float32bits(float32(s.exactMulAdd(f32Of(s.param(attr, channel, 2, l)), f32Of(s.i[l]), f32Of(s.old))))
		}, isNaN32)
		for p, name := range []string{"p0", "p10", "p20"} {
			text = "v_interp_mov_f32 v8, " + name + ", " + where
			s.compare(t, text, s.run(t, text), func(l int) uint32 { return s.param(attr, channel, p, l) }, nil)
		}
	})
}

// TestInterpolateModifiers tests the VOP3 forms of the f32 operations.
func TestInterpolateModifiers(t *testing.T) {
	eachParamScene(t, []string{"gfx803", "gfx900", "gfx1010", "gfx1030"}, false, func(r *rand.Rand, s *paramScene, attr, channel int) {
		where := fmt.Sprintf("attr%d.%c", attr, "xyzw"[channel])
		text := "v_interp_p1_f32_e64 v8, -|v4|, " + where + " clamp"
		s.compare(t, text, s.run(t, text), func(l int) uint32 {
			p10, p0 := s.param(attr, channel, 1, l), s.param(attr, channel, 0, l)
			f := s.exactMulAdd(f32Of(p10), -math.Abs(f32Of(s.i[l])), f32Of(p0))
			if math.IsNaN(f) {
				return 0
			}
			return math.Float32bits(float32(max(0, min(f, 1))))
		}, nil)
		text = "v_interp_p2_f32_e64 v8, -v4, " + where
		s.compare(t, text, s.run(t, text), func(l int) uint32 {
			return math.Float32bits(float32(s.exactMulAdd(f32Of(s.param(attr, channel, 2, l)), -f32Of(s.i[l]), f32Of(s.old))))
		}, isNaN32)
	})
}

// TestInterpolateHalf compares the operations with f16 parameters.
func TestInterpolateHalf(t *testing.T) {
	eachParamScene(t, []string{"gfx803", "gfx900", "gfx1010", "gfx1030"}, true, func(r *rand.Rand, s *paramScene, attr, channel int) {
		where := fmt.Sprintf("attr%d.%c", attr, "xyzw"[channel])
		high, shift := "", 0
		if r.IntN(2) == 0 {
			high, shift = " high", 16
		}
		half := func(p, l int) float64 { return halfOf(s.param(attr, channel, p, l) >> shift) }
		text := "v_interp_p1ll_f16 v8, v4, " + where + high
		s.compare(t, text, s.run(t, text), func(l int) uint32 {
			return math.Float32bits(float32(s.exactMulAdd(half(1, l), f32Of(s.i[l]), half(0, l))))
		}, isNaN32)
		text = "v_interp_p1lv_f16 v8, v4, " + where + ", v5" + high
		s.compare(t, text, s.run(t, text), func(l int) uint32 {
			return math.Float32bits(float32(s.exactMulAdd(half(1, l), f32Of(s.i[l]), halfOf(s.acc[l]>>shift))))
		}, isNaN32)
		names := []string{"v_interp_p2_f16"}
		if s.cpu == "gfx900" {
			names = append(names, "v_interp_p2_legacy_f16")
		}
		for _, name := range names {
			text = name + " v8, v4, " + where + ", v5" + high
			keep := uint32(0)
			if s.cpu != "gfx803" && !strings.Contains(name, "legacy") {
				keep = s.old & 0xffff0000
			}
			s.compare(t, text, s.run(t, text), func(l int) uint32 {
				return keep | toHalfExact(s.exactMulAdd(half(2, l), f32Of(s.i[l]), f32Of(s.acc[l])))
			}, func(v uint32) bool { return isNaN16(v) && v&0xffff0000 == keep })
		}
	})
}

// TestInterpolateHighResult writes the high half of the destination.
func TestInterpolateHighResult(t *testing.T) {
	eachParamScene(t, []string{"gfx900"}, true, func(r *rand.Rand, s *paramScene, attr, channel int) {
		text := fmt.Sprintf("v_interp_p2_f16 v8, -v4, attr%d.%c, v5 op_sel:[0,0,0,1]", attr, "xyzw"[channel])
		s.compare(t, text, s.run(t, text), func(l int) uint32 {
			f := s.exactMulAdd(halfOf(s.param(attr, channel, 2, l)), -f32Of(s.i[l]), f32Of(s.acc[l]))
			return s.old&0xffff | toHalfExact(f)<<16
		}, func(v uint32) bool { return isNaN16(v>>16) && v&0xffff == s.old&0xffff })
	})
}

// TestInterpolateRounding checks that f16 interpolations round in the mode of
// f16 and f64, and f32 interpolations in the mode of f32.
func TestInterpolateRounding(t *testing.T) {
	for _, cpu := range []string{"gfx803", "gfx1030"} {
		s := &paramScene{cpu: cpu, lanes: 64, exec: 1, prims: 1, lds: make([]byte, 48)}
		binary.LittleEndian.PutUint32(s.lds[0:], math.Float32bits(1))    // P0.x
		binary.LittleEndian.PutUint32(s.lds[4:], math.Float32bits(1))    // P10.x
		binary.LittleEndian.PutUint32(s.lds[12:], 0x3c003c00)            // P10.y: 1 in both halves
		s.i[0], s.acc[0] = math.Float32bits(0x1p-25+0x1p-26), 0x3c003c00 // less than half of the distance from 1 to the next number
		for _, c := range []struct {
			mode   uint32
			name   string
			result uint32
		}{
			{0xf0, "v_interp_p1_f32 v8, v4, attr0.x", 0x3f800000},
			{0xf1, "v_interp_p1_f32 v8, v4, attr0.x", 0x3f800001},
			{0xf4, "v_interp_p1_f32 v8, v4, attr0.x", 0x3f800000},
			{0xf0, "v_interp_p1lv_f16 v8, v4, attr0.y, v5 high", 0x3f800000},
			{0xf1, "v_interp_p1lv_f16 v8, v4, attr0.y, v5 high", 0x3f800000},
			{0xf4, "v_interp_p1lv_f16 v8, v4, attr0.y, v5 high", 0x3f800001},
		} {
			s.mode = c.mode
			if got := s.run(t, c.name).v(8, 0); got != c.result {
				t.Errorf("%s: mode %#x: %s is %#x, want %#x", cpu, c.mode, c.name, got, c.result)
			}
		}
	}
}

// TestParamLoad checks the data that lds_param_load and ds_param_load write to
// the lanes of each quad, and interpolates with them.
func TestParamLoad(t *testing.T) {
	eachParamScene(t, []string{"gfx1100", "gfx1150", "gfx1200"}, false, func(r *rand.Rand, s *paramScene, attr, channel int) {
		s.ordered = true
		text := fmt.Sprintf("lds_param_load v8, attr%d.%c\n", attr, "xyzw"[channel])
		if s.cpu == "gfx1200" {
			text = strings.Replace(text, "lds", "ds", 1)
		}
		res := s.run(t, text)
		quads := s.exec
		for q := range s.lanes / 4 {
			if s.exec>>(4*q)&15 != 0 {
				quads |= 15 << (4 * q)
			}
		}
		for l := range s.lanes {
			want := s.old
			switch {
			case quads>>l&1 == 0:
			case l%4 == 3:
				want = 0
			default:
				want = s.param(attr, channel, l%4, l)
			}
			if got := res.v(8, l); got != want {
				t.Fatalf("%s, wave%d: lane %d is %#x, want %#x", s.cpu, s.lanes, l, got, want)
			}
		}
		s.exec, s.mode = ^uint64(0)>>(64-s.lanes), 0xf0
		text += "v_interp_p10_f32 v9, v8, v4, v8 wait_exp:0\nv_interp_p2_f32 v9, v8, v5, v9 wait_exp:7\n"
		res = s.run(t, text)
		for l := range s.lanes {
			p := [3]float64{}
			for i := range p {
				p[i] = f32Of(s.param(attr, channel, i, l))
			}
			want := fma32(p[2], f32Of(s.acc[l]), fma32(p[1], f32Of(s.i[l]), p[0]))
			if got := res.v(9, l); got != math.Float32bits(float32(want)) && !(isNaN32(got) && math.IsNaN(want)) {
				t.Fatalf("%s, wave%d: lane %d is %#x, want %v", s.cpu, s.lanes, l, got, want)
			}
		}
	})
}

// fma32 computes a fused multiply-add of f32 exactly, and rounds to the nearest.
func fma32(a, b, c float64) float64 {
	return (&paramScene{cpu: "gfx1030", mode: 0xf0}).exactMulAdd(a, b, c)
}

// TestParamOutside reads parameters outside the allocation, which are 0, and
// checks the alignment of the address.
func TestParamOutside(t *testing.T) {
	for _, c := range []struct {
		cpu, text string
		m0        uint32
		fault     bool
	}{
		{"gfx900", "v_interp_mov_f32 v8, p0, attr3.x", 0, false},
		{"gfx900", "v_interp_mov_f32 v8, p0, attr0.x", 0xff00, false},
		{"gfx900", "v_interp_mov_f32 v8, p0, attr0.x", 2, true},
		{"gfx900", "v_interp_p1_f32 v8, v4, attr0.x", 2, true},
		{"gfx1100", "lds_param_load v8, attr3.x", 0x80, false},
		{"gfx1100", "lds_param_load v8, attr0.x", 64, true},
		{"gfx1200", "ds_param_load v8, attr0.x", 64, true},
	} {
		res := kernelTest{cpu: c.cpu, lds: 48, text: m0Text(c.m0) + c.text, setup: func(w *wave) { w.v[8*w.lanes] = 7 }}.try(t)
		switch f := res.fault(); {
		case c.fault && (f == nil || f.Kind != device.FaultAlignment):
			t.Errorf("%s: %s: fault %v", c.cpu, c.text, f)
		case !c.fault && (f != nil || res.v(8, 0) != 0):
			t.Errorf("%s: %s: %#x, %v", c.cpu, c.text, res.v(8, 0), f)
		}
	}
}
