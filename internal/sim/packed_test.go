package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// halfLane returns a random pair of f16 values of all classes.
func halfLane(r *rand.Rand) uint32 {
	one := func() uint32 {
		if r.IntN(8) == 0 {
			return []uint32{0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0x7c01, 0x03ff, 0x8001}[r.IntN(8)]
		}
		return r.Uint32N(0x2000) + 0x3000 | r.Uint32N(2)<<15
	}
	return one() | one()<<16
}

// runHalves runs text with random pairs of f16 in v3, v4 and v9 and returns the
// sources and the resulting v9.
func runHalves(t *testing.T, r *rand.Rand, cpu, text string) (src [3][64]uint32, got [64]uint32) {
	t.Helper()
	for i := range src {
		for l := range src[i] {
			src[i][l] = halfLane(r)
		}
	}
	k := kernelTest{cpu: cpu, text: text, setup: func(w *wave) {
		copy(w.v[3*64:], src[0][:])
		copy(w.v[4*64:], src[1][:])
		copy(w.v[9*64:], src[2][:])
		w.s[20] = src[0][5]
		w.setMask(sExec, someLanes)
		w.setMode(w.mode&^0xff | 0xf0)
	}}
	res := k.run(t)
	copy(got[:], res.waves[0].v[9*64:])
	return src, got
}

// packedFlags holds the modifiers of a packed operation: the half and the sign
// of each source, for both elements.
type packedFlags struct{ sel, neg [2][3]int }

func randomFlags(r *rand.Rand, sources int) (f packedFlags) {
	for e := range 2 {
		for i := range sources {
			f.sel[e][i], f.neg[e][i] = r.IntN(2), r.IntN(2)
		}
	}
	return f
}

func (f packedFlags) text(sources int) string {
	list := func(v [3]int) string {
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(v[:sources]), "[]"), " ", ",")
	}
	return fmt.Sprintf(" op_sel:[%s] op_sel_hi:[%s] neg_lo:[%s] neg_hi:[%s]", list(f.sel[0]), list(f.sel[1]), list(f.neg[0]), list(f.neg[1]))
}

// TestPackedHalves compares packed f16 operations, for all halves and signs,
// with the function of one element.
func TestPackedHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"v_pk_add_f16", "v_pk_mul_f16", "v_pk_fma_f16", "v_pk_min_f16", "v_pk_max_f16"} {
		fn := rowNamed(name).Fn
		for i := range 40 {
			cpu, sources, text := "gfx900", 2, name+" v9, v3, v4"
			if name == "v_pk_fma_f16" {
				sources, text = 3, name+" v9, v3, v4, v9"
			}
			first := func(src *[3][64]uint32, l int) uint32 { return src[0][l] }
			if i%4 == 3 {
				text = strings.Replace(text, "v3", "s20", 1)
				first = func(src *[3][64]uint32, l int) uint32 { return src[0][5] }
			}
			f := randomFlags(r, sources)
			text += f.text(sources)
			src, got := runHalves(t, r, cpu, text)
			c := &sem.Ctx{Mode: 0x3f0, Set: isa.GFX900}
			for l := range got {
				want := src[2][l]
				if uint64(someLanes)>>l&1 != 0 {
					s := [3]uint32{first(&src, l), src[1][l], src[2][l]}
					element := func(e int) uint32 {
						var v [3]uint64
						for i := range sources {
							v[i] = uint64(s[i]>>(16*f.sel[e][i])&0xffff) ^ uint64(f.neg[e][i]<<15)
						}
						return uint32(fn(c, v[0], v[1], v[2])) & 0xffff
					}
					want = element(0) | element(1)<<16
				}
				if got[l] != want {
					t.Fatalf("%s: lane %d: (%#x, %#x, %#x): got %#x, want %#x", text, l, src[0][l], src[1][l], src[2][l], got[l], want)
				}
			}
		}
	}
}

// TestMixed tests v_fma_mix with f16 and f32 sources and all signs.
func TestMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"} {
		fn := rowNamed(name).Fn
		for range 60 {
			f := randomFlags(r, 3)
			var names [3]string
			for i, n := range []string{"v3", "v4", "v9"} {
				if f.neg[1][i] != 0 {
					n = "|" + n + "|"
				}
				if f.neg[0][i] != 0 {
					n = "-" + n
				}
				names[i] = n
			}
			flags := f.text(3)
			text := name + " v9, " + strings.Join(names[:], ", ") + flags[:strings.Index(flags, " neg_lo")]
			src, got := runHalves(t, r, "gfx1030", text)
			c := &sem.Ctx{Mode: 0x3f0, Set: isa.GFX1030}
			for l := range got {
				want := src[2][l]
				if uint64(someLanes)>>l&1 != 0 {
					var v [3]uint64
					for i := range v {
						v[i] = uint64(src[i][l])
						if f.sel[1][i] != 0 {
							v[i] = sem.MixF16(c, v[i]>>(16*f.sel[0][i])&0xffff)
						}
						if f.neg[1][i] != 0 {
							v[i] &^= 1 << 31
						}
						v[i] ^= uint64(f.neg[0][i]) << 31
					}
					d := uint32(fn(c, v[0], v[1], v[2]))
					switch name {
					case "v_fma_mixlo_f16":
						want = want&0xffff0000 | d&0xffff
					case "v_fma_mixhi_f16":
						want = want&0xffff | d<<16
					default:
						want = d
					}
				}
				if got[l] != want {
					t.Fatalf("%s: lane %d: (%#x, %#x, %#x): got %#x, want %#x", text, l, src[0][l], src[1][l], src[2][l], got[l], want)
				}
			}
		}
	}
}

// TestDots tests dot products of pairs and of bytes.
func TestDots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		cpu        string
		set        isa.Set
		text, name string
	}{
		{"gfx90a", isa.GFX90A, "v_dot2_f32_f16 v9, v3, v4, v9", "v_dot2_f32_f16"},
		{"gfx1030", isa.GFX1030, "v_dot2c_f32_f16 v9, v3, v4", "v_dot2_f32_f16"},
		{"gfx1100", isa.GFX1100, "v_dot2_f32_f16 v9, v3, v4, v9", "v_dot2_f32_f16"},
		{"gfx90a", isa.GFX90A, "v_dot4_i32_i8 v9, v3, v4, v9", "v_dot4_i32_i8"},
		{"gfx90a", isa.GFX90A, "v_dot4_i32_i8 v9, v3, v4, v9 clamp", "v_dot4_i32_i8"},
		{"gfx1030", isa.GFX1030, "v_dot4_u32_u8 v9, v3, v4, v9", "v_dot4_u32_u8"},
		{"gfx1100", isa.GFX1100, "v_dot4_i32_iu8 v9, v3, v4, v9", "v_dot4_i32_iu8"},
		{"gfx1100", isa.GFX1100, "v_dot4_i32_iu8 v9, v3, v4, v9 neg_lo:[1,0,0]", "v_dot4_i32_iu8"},
		{"gfx1100", isa.GFX1100, "v_dot4_i32_iu8 v9, v3, v4, v9 neg_lo:[0,1,0]", "v_dot4_i32_iu8"},
		{"gfx1100", isa.GFX1100, "v_dot4_i32_iu8 v9, v3, v4, v9 neg_lo:[1,1,0]", "v_dot4_i32_iu8"},
		{"gfx90a", isa.GFX90A, "v_dot2_i32_i16 v9, v3, v4, v9", "v_dot2_i32_i16"},
	} {
		src, got := runHalves(t, r, c.cpu, c.text)
		ctx := &sem.Ctx{Mode: 0x3f0, Set: c.set, Clamp: strings.HasSuffix(c.text, "clamp")}
		if _, neg, ok := strings.Cut(c.text, "neg_lo:["); ok {
			ctx.NegLo = neg[0] - '0' + (neg[2]-'0')*2
		}
		for l := range got {
			want := src[2][l]
			if uint64(someLanes)>>l&1 != 0 {
				want = uint32(rowNamed(c.name).Fn(ctx, uint64(src[0][l]), uint64(src[1][l]), uint64(src[2][l])))
			}
			if got[l] != want {
				t.Fatalf("%s: lane %d: (%#x, %#x, %#x): got %#x, want %#x", c.text, l, src[0][l], src[1][l], src[2][l], got[l], want)
			}
		}
	}
}
