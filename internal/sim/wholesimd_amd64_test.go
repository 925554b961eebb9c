package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/internal/testing/lanetest"
	"github.com/gfx-toolchain/gfx/isa"
)

// wholeTest runs vector instructions with and without SIMD implementations.
type wholeTest struct {
	r   *rand.Rand
	w   *wave
	dec *isa.Decoder
	v   [len(wave{}.v)]uint32 // registers before the instruction
	s   [numScalar]uint32
}

func newWholeTest(t *testing.T, cpu string, lanes int) *wholeTest {
	k := kernelTest{cpu: cpu, wave: lanes, text: "s_nop 0", lds: 1024}
	x := &wholeTest{r: rand.New(rand.NewPCG(1, uint64(lanes))), w: k.run(t).waves[0]}
	x.dec = isa.NewDecoder(x.w.dev.set, lanes)
	var some [128]uint32
	for i := range x.v {
		if i%128 == 0 {
			lanetest.Randomize(x.r, &some)
			for l := range some {
				if i/128%3 == 0 {
					some[l] = halfLane(x.r)
				}
			}
		}
		x.v[i] = some[i%128]
	}
	return x
}

// variant returns an instruction of the same operation with other operands and
// modifiers.
func (x *wholeTest) variant(in *isa.Inst) (isa.Inst, bool) {
	b := isa.Encode(nil, in)
	for len(b) < 16 {
		b = append(b, byte(x.r.Uint32()))
	}
	for range 100 {
		c := append([]byte(nil), b...)
		for i := range c {
			c[i] ^= byte(x.r.Uint32() & x.r.Uint32() >> (8 * x.r.UintN(2)))
		}
		if v, _, err := x.dec.DecodeAsHardware(c); err == nil && v.Enc.Op() == in.Enc.Op() {
			return v, true
		}
	}
	return *in, false
}

// run executes an instruction and returns the resulting registers.
func (x *wholeTest) run(in *isa.Inst, mode uint32) (v [len(wave{}.v)]uint32, s [numScalar]uint32) {
	w := x.w
	*w.v, w.s, w.fault, w.stop, w.scc = x.v, x.s, nil, running, false
	w.setMode(mode)
	if o := prepare(w.dev, in); !isUnsupported(o) && o.class == classVALU && (o.pair == nil || !isUnsupported(o.pair)) {
		o.run(w, o)
	}
	return *w.v, w.s
}

func (x *wholeTest) check(t *testing.T, in *isa.Inst) {
	for i := range x.s {
		x.s[i] = lanetest.Edges[x.r.IntN(len(lanetest.Edges))]
		if x.r.IntN(2) == 0 {
			x.s[i] = x.r.Uint32()
		}
	}
	if x.r.IntN(2) == 0 {
		x.s[sExec], x.s[sExec+1] = ^uint32(0), ^uint32(0)
	}
	mode := []uint32{0x3f0, 0x3c0, 0xc0, 0x1c0, 0x0, 0xf5, 0x2f0, 0x100, 0x3ca}[x.r.IntN(9)]
	v, s := x.run(in, mode)
	defer func(quick bool) { lanes.HasSIMD = quick }(lanes.HasSIMD)
	lanes.HasSIMD = false
	plainV, plainS := x.run(in, mode)
	if v == plainV && s == plainS {
		return
	}
	n := x.w.lanes
	for i := range v {
		if v[i] != plainV[i] {
			t.Fatalf("%s %x mode %#x: v%d lane %d is %#x, want %#x", in.Enc.Name(), isa.Encode(nil, in), mode, i/n, i%n, v[i], plainV[i])
		}
	}
	t.Fatalf("%s %x mode %#x: scalars differ", in.Enc.Name(), isa.Encode(nil, in), mode)
}

// TestSIMDWhole compares the results of vector instructions, with random
// operands and modifiers, with and without SIMD implementations.
func TestSIMDWhole(t *testing.T) {
	if !lanes.HasSIMD {
		t.Skip("the host has no AVX2, FMA and F16C")
	}
	variants := 2
	if testing.Short() {
		variants = 1
	}
	for _, c := range []struct {
		cpu   string
		lanes int
	}{{"gfx600", 64}, {"gfx803", 64}, {"gfx900", 64}, {"gfx90a", 64}, {"gfx1030", 32}, {"gfx1100", 64}, {"gfx1100", 32}} {
		t.Run(fmt.Sprint(c.cpu, "-w", c.lanes), func(t *testing.T) {
			x := newWholeTest(t, c.cpu, c.lanes)
			tested := 0
			for e := range isa.Enc(isa.NumEncs()) {
				switch e.Form() {
				case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3, isa.VOP3P, isa.VOPD, isa.VINTERP:
				default:
					continue
				}
				in, ok := isa.Sample(e, x.w.dev.set, c.lanes)
				if !ok {
					continue
				}
				for range variants {
					if v, ok := x.variant(&in); ok {
						x.check(t, &v)
						tested++
					}
				}
			}
			t.Log(tested, "instructions")
			if tested < 450 {
				t.Error("too few")
			}
		})
	}
}
