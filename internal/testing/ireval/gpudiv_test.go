package ireval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/ir"
)

// TestDivSteps compares the steps of a division with the simulator.
func TestDivSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []ir.TypeKind{ir.KindFloat, ir.KindDouble} {
		name := map[ir.TypeKind]string{ir.KindFloat: "_f32", ir.KindDouble: "_f64"}[k]
		width := map[ir.TypeKind]int{ir.KindFloat: 32, ir.KindDouble: 64}[k]
		pick := func() uint64 {
			x := r.Uint64() >> (64 - width)
			if r.IntN(4) == 0 {
				x &^= round(k, math.Inf(1)) // denormal
			}
			if r.IntN(4) == 0 {
				x &= r.Uint64() & r.Uint64()
			}
			return x
		}
		ctx := &sem.Ctx{Mode: 0x3f0}
		scale, fixup, fmas := sem.ByName("v_div_scale"+name), sem.ByName("v_div_fixup"+name), sem.ByName("v_div_fmas"+name)
		for range 20000 {
			a, b, c := pick(), pick(), pick()
			d, n, back := scalings[k].scaleFor(k, b, c)
			_, wantBack := scale.Flag(ctx, b, b, c, false)
			sd, _ := scale.Flag(ctx, b, b, c, false)
			sn, _ := scale.Flag(ctx, c, b, c, false)
			if value(k, b) != 0 && value(k, c) != 0 && b != c {
				gd, gn := round(k, math.Ldexp(value(k, b), d)), round(k, math.Ldexp(value(k, c), n))
				if back != wantBack || !same(k, gd, sd) || !same(k, gn, sn) {
					t.Fatalf("scale %s %#x / %#x: %#x %#x %v, not %#x %#x %v", name, c, b, gd, gn, back, sd, sn, wantBack)
				}
			}
			if got, want := divFixup(k, a, b, c), fixup.Fn(ctx, a, b, c); !same(k, got, want) {
				t.Fatalf("fixup %s %#x %#x %#x: %#x, not %#x", name, a, b, c, got, want)
			}
			n = 0
			if r.IntN(2) == 0 {
				n = -scalings[k].by
				if math.Abs(value(k, c)) >= 2 {
					n = -n
				}
			}
			// near the result of a division: a small correction
			if r.IntN(2) == 0 {
				p := value(k, c) / value(k, b) * math.Ldexp(r.Float64()-0.5, -50)
				a = round(k, p)
			}
			got := fmaScaled(k, value(k, a), value(k, b), value(k, c), n)
			want, _ := fmas.Flag(ctx, a, b, c, n != 0)
			if !same(k, got, want) {
				t.Fatalf("fmas %s %#x %#x %#x %d: %#x, not %#x", name, a, b, c, n, got, want)
			}
		}
	}
}

func same(k ir.TypeKind, x, y uint64) bool {
	return x == y || value(k, x) != value(k, x) && value(k, y) != value(k, y)
}
