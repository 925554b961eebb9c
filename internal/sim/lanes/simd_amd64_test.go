package lanes

import (
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/testing/lanetest"
	"github.com/gfx-toolchain/gfx/isa"
)

// polynomial matches the operations whose results depend on every source bit.
var polynomial = regexp.MustCompile("^v_(exp|log|sin|cos)_f")

// TestSIMD compares every SIMD implementation with the scalar function, for
// random lanes and masks, both wave sizes and both denormal modes. In many runs all
// lanes are active, a number of them with ordinary values, or the result replaces
// the first source.
func TestSIMD(t *testing.T) {
	if !HasSIMD {
		t.Skip("the host has no AVX2, FMA and F16C")
	}
	ops := map[string]isa.Op{}
	for e := range isa.Enc(isa.NumEncs()) {
		ops[e.Name()] = e.Op()
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, row := range implTable.Get() {
		t.Run(name, func(t *testing.T) {
			want := sem.Of(ops[name])
			if want == nil {
				t.Fatal("no semantics")
			}
			rounds := 400
			if polynomial.MatchString(name) {
				rounds = 4000
			}
			on, done := 0, 0
			for range rounds {
				s := checkSIMD(t, r, name, row, want)
				on, done = on+bits.OnesCount64(s.exec), done+bits.OnesCount64(s.exec&^s.left)
			}
			if done < on/20 {
				t.Errorf("%d of %d lanes are done", done, on)
			}
		})
	}
}

// simdModes lists MODE values that allow SIMD floating-point operations.
var simdModes = []uint32{0xf0, 0x3f0, 0, 0x300, 0xc0, 0x3c0}

// simdRun is one call of a SIMD implementation.
type simdRun struct {
	a, b, c, d, old [128]uint32
	exec, in        uint64
	left, out       uint64
	lanes           int
	replace         bool // d is a
}

func (s *simdRun) call(row *Impl, n int, compare bool) {
	first := &s.a[0]
	if s.replace {
		first = &s.d[0]
	}
	switch {
	case row.Mask != nil:
		m := s.in
		if row.NoInput {
			m = 0
		}
		x, y := first, &s.b[0]
		if row.Reversed {
			x, y = y, x
		}
		s.out = row.Mask(&s.d[0], x, y, s.exec, m, n)
	case compare:
		s.out = row.Run(nil, &s.a[0], &s.b[0], nil, s.exec, n)
	default:
		s.left = row.Run(&s.d[0], first, &s.b[0], &s.c[0], s.exec, n)
		if row.Sum {
			s.left, s.out = 0, s.left
		}
		if row.flag {
			s.in, s.out = 0, 0 // computes only lanes without an input flag
		}
	}
}

// value returns one lane of an operand of type t.
func (s *simdRun) value(p *[128]uint32, t sem.Type, l int) uint64 {
	v := uint64(p[l])
	if t.Bits() == 64 {
		v |= uint64(p[l+s.lanes]) << 32
	}
	return v
}

// halfEdges lists interesting f16 values.
var halfEdges = []uint32{0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x83ff, 0x8400, 0x401, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe55, 0x6400, 0x63ff, 0x1000, 0x9001}

// narrow reduces the lanes of a 16-bit source to the form that operand fetch
// produces, or to pairs.
func narrow(r *rand.Rand, p *[128]uint32, t sem.Type, pair bool) {
	if t.Bits() != 16 {
		return
	}
	for l := range p {
		if t == sem.F16 && r.IntN(2) == 0 { // of comparable magnitude
			p[l] = p[l]&0x83ff83ff + (0x3000+r.Uint32N(12)<<10)*0x10001
		}
		if t == sem.F16 && r.IntN(4) == 0 {
			p[l] = p[l]&0xffff0000 | halfEdges[r.IntN(len(halfEdges))]
		}
		if t == sem.F16 && r.IntN(4) == 0 {
			p[l] = p[l]&0xffff | halfEdges[r.IntN(len(halfEdges))]<<16
		}
		if !pair {
			p[l] &= 0xffff
		}
	}
}

// calmDown sets the sources of the first n lanes to positive numbers of one
// magnitude.
func (s *simdRun) calmDown(r *rand.Rand, want *sem.Row, pair bool, n int) {
	for i, p := range []*[128]uint32{&s.a, &s.b, &s.c} {
		for l := range n {
			switch t := want.Sig.Src[i]; {
			case t.Bits() == 64:
				p[l], p[l+s.lanes] = r.Uint32(), 0x3ff00000|r.Uint32()>>12
			case t.Bits() == 32:
				p[l] = 0x3f800000 | r.Uint32()>>9
			case pair:
				p[l] = 0x3c003c00 | r.Uint32()&0x03ff03ff
			default:
				p[l] = 0x3c00 | r.Uint32()&0x3ff
			}
		}
	}
}

func checkSIMD(t *testing.T, r *rand.Rand, name string, row *Impl, want *sem.Row) *simdRun {
	lanes := 32 << r.IntN(2)
	n, mode := 0, uint32(0)
	for n == 0 { // f16 requires a mode with denormals
		mode = simdModes[r.IntN(len(simdModes))]
		counts := CountsOf(mode, false, lanes)
		n = row.CountFor(lanes, &counts)
	}
	s := &simdRun{lanes: lanes, exec: r.Uint64() | r.Uint64()<<r.IntN(64), in: r.Uint64()}
	for _, p := range []*[128]uint32{&s.a, &s.b, &s.c, &s.old} {
		lanetest.Randomize(r, p)
	}
	for i, p := range []*[128]uint32{&s.a, &s.b, &s.c} {
		narrow(r, p, want.Sig.Src[i], row.Pair)
	}
	if r.IntN(2) == 0 {
		s.exec = ^uint64(0)
		s.calmDown(r, want, row.Pair, r.IntN(lanes+1))
	}
	if s.replace = r.IntN(3) == 0; s.replace {
		s.old = s.a
	}
	s.d = s.old
	s.exec &= ^uint64(0) >> (64 - lanes)
	s.call(row, n, want.Sig.Dst == sem.Bool)
	if s.left&^s.exec != 0 || s.out&^s.exec != 0 {
		t.Fatal("lanes outside of EXEC")
	}
	ctx := &sem.Ctx{Set: isa.GFX900, Mode: sem.Mode(mode)}
	for l := range lanes {
		s.checkLane(t, name, row, want, ctx, l)
	}
	return s
}

func (s *simdRun) checkLane(t *testing.T, name string, row *Impl, want *sem.Row, ctx *sem.Ctx, l int) {
	sig := &want.Sig
	if on := s.exec>>l&1 != 0; !on || s.left>>l&1 != 0 {
		if s.d[l] != s.old[l] {
			t.Fatalf("lane %d is off or left and was written", l)
		}
		return
	}
	x, y, z := s.value(&s.a, sig.Src[0], l), s.value(&s.b, sig.Src[1], l), s.value(&s.c, sig.Src[2], l)
	in, out := s.in>>l&1 != 0, s.out>>l&1 != 0
	if row.Pair {
		lo, hi := want.Fn(ctx, x&0xffff, y&0xffff, z&0xffff), want.Fn(ctx, uint64(s.a[l]>>16), uint64(s.b[l]>>16), uint64(s.c[l]>>16))
		if got, want := s.d[l], uint32(lo&0xffff|hi<<16); got != want {
			t.Fatalf("(%#x, %#x, %#x): got %#x, want %#x", s.a[l], s.b[l], s.c[l], got, want)
		}
		return
	}
	if want.Flag != nil {
		v, f := want.Flag(ctx, x, y, z, in)
		if got := s.value(&s.d, sig.Dst, l); got != v&(^uint64(0)>>(64-sig.Dst.Bits())) {
			t.Fatalf("(%#x, %#x, %#x, %v): got %#x, want %#x", x, y, z, in, got, v)
		}
		if (row.Mask != nil || row.Sum || row.flag) && f != out && !strings.HasPrefix(name, "v_cndmask") {
			t.Fatalf("(%#x, %#x, %v): carry %v", x, y, in, out)
		}
		return
	}
	v := want.Fn(ctx, x, y, z)
	if sig.Dst == sem.Bool {
		if out != (v&1 != 0) {
			t.Fatalf("(%#x, %#x) mode %#x: got %v, want %d", x, y, ctx.Mode, out, v)
		}
		return
	}
	if got := s.value(&s.d, sig.Dst, l); got != v&(^uint64(0)>>(64-sig.Dst.Bits())) {
		t.Fatalf("(%#x, %#x, %#x) mode %#x: got %#x, want %#x", x, y, z, ctx.Mode, got, v)
	}
}

// TestSIMDHalves compares single-operand f16 operations exhaustively.
func TestSIMDHalves(t *testing.T) {
	if !HasSIMD {
		t.Skip("the host has no AVX2, FMA and F16C")
	}
	const mode = 0x3f0
	counts := CountsOf(mode, false, 64)
	ctx := &sem.Ctx{Set: isa.GFX900, Mode: sem.Mode(mode)}
	tested := 0
	for e := range isa.Enc(isa.NumEncs()) {
		row, want := implTable.Get()[e.Name()], sem.Of(e.Op())
		if row == nil || want.Sig.Src[0] != sem.F16 || want.Sig.Src[1] != sem.None || row.Pair {
			continue
		}
		tested++
		for v := uint32(0); v < 1<<16; v += 64 {
			s := &simdRun{lanes: 64, exec: ^uint64(0)}
			for l := range uint32(64) {
				s.a[l] = v + l
			}
			s.call(row, row.CountFor(64, &counts), false)
			for l := range 64 {
				s.checkLane(t, e.Name(), row, want, ctx, l)
			}
		}
	}
	if tested < 10 {
		t.Errorf("%d operations", tested)
	}
}

// BenchmarkSIMD measures SIMD implementations with 64 lanes of ordinary floats.
func BenchmarkSIMD(b *testing.B) {
	if !HasSIMD {
		b.Skip("the host has no AVX2, FMA and F16C")
	}
	s := &simdRun{exec: ^uint64(0), lanes: 64}
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []*[128]uint32{&s.a, &s.b, &s.c} {
		for l := range p {
			p[l] = math.Float32bits(r.Float32()*2 + 1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(implTable.Get())) {
		row := implTable.Get()[name]
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.call(row, 64, strings.HasPrefix(name, "v_cmp"))
			}
		})
	}
}
