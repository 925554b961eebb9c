package codegen

import (
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// runMoves executes moves and swaps on an array of registers.
func runMoves(t *testing.T, f *mir.Func, regs []int64) {
	value := func(o mir.Operand) int64 {
		if o.Kind == mir.KindImm {
			return o.Imm
		}
		return regs[o.Reg()]
	}
	for i := f.First(1); i != 0; i = f.Next(i) {
		defs, uses := f.Defs(i), f.Uses(i)
		switch f.Op(i) {
		case mir.End:
		case mir.VSwapB32:
			x, y := defs[0].Reg(), defs[1].Reg()
			regs[x], regs[y] = regs[y], regs[x]
		case mir.SXorB32, mir.VXorB32:
			regs[defs[0].Reg()] = value(uses[0]) ^ value(uses[1])
		case mir.SMovB64:
			r := defs[0].Reg()
			if r.Index()%2 != 0 || uses[0].Kind == mir.KindReg && uses[0].Reg().Index()%2 != 0 {
				t.Fatalf("%s is not a pair", f.AppendInstr(nil, i))
			}
			if uses[0].Kind == mir.KindReg {
				regs[r], regs[r+1] = regs[uses[0].Reg()], regs[uses[0].Reg()+1]
			} else {
				regs[r], regs[r+1] = int64(int32(uses[0].Imm)), uses[0].Imm>>32
			}
		case mir.SMovB32, mir.VMovB32, mir.VReadfirstlaneB32, mir.VAccvgprReadB32, mir.VAccvgprWriteB32, mir.VAccvgprMovB32:
			regs[defs[0].Reg()] = value(uses[0])
		default:
			t.Fatalf("%s in the result", f.AppendInstr(nil, i))
		}
	}
}

// TestLowerCopy lowers random parallel copies and executes the result.
func TestLowerCopy(t *testing.T) {
	var c copyLowering
	for _, m := range []*mir.Machine{mir.MachineOf(isa.GFX803, 64), mir.MachineOf(isa.GFX90A, 64)} {
		for seed := range uint64(2000) {
			rng := rand.New(rand.NewPCG(seed, 2))
			f := mir.NewFunc("f", m)
			b := f.NewBlock()
			regs, want := make([]int64, mir.NumPhys), make([]int64, mir.NumPhys)
			for r := range regs {
				regs[r] = int64(r) * 1000
			}
			copy(want, regs)
			var defs, uses []mir.Operand
			for _, first := range []mir.Reg{mir.SGPR(0), mir.VGPR(0)} {
				perm := rng.Perm(12)
				if seed%3 == 0 { // pairs stay together
					for k, pair := range rng.Perm(6) {
						perm[2*k], perm[2*k+1] = 2*pair, 2*pair+1
					}
				}
				for k := range rng.IntN(12) {
					to := first + mir.Reg(k)
					from := mir.Phys(first+mir.Reg(perm[k]), 1)
					switch rng.IntN(6) {
					case 0:
						from = mir.Imm(int64(rng.IntN(3) * rng.IntN(1000)))
						want[to] = from.Imm
					case 1:
						from = mir.Phys(first+mir.Reg(rng.IntN(12)), 1)
						fallthrough
					default:
						want[to] = regs[from.Reg()]
					}
					defs, uses = append(defs, mir.Phys(to, 1)), append(uses, from)
				}
			}
			f.Append(b, f.NewInstr(mir.Copy, len(defs), append(defs, uses...)...))
			scc := rng.IntN(2) == 0
			if scc {
				f.Append(b, f.NewInstr(mir.SCselectB32, 1, mir.Phys(mir.SGPR(40), 1), mir.Imm(1), mir.Imm(0), mir.Phys(mir.SCC, 1)))
			}
			c.lowerCopies(f)
			if last := f.Last(b); last != 0 && f.Op(last) == mir.SCselectB32 {
				f.Erase(last)
			}
			runMoves(t, f, regs)
			for r := range want {
				if regs[r] != want[r] && mir.Reg(r) != mir.M0 {
					t.Fatalf("seed %d: register %d: got %d, want %d after\n%s", seed, r, regs[r], want[r], f.AppendText(nil))
				}
			}
			for i := f.First(b); scc && i != 0; i = f.Next(i) {
				if f.Op(i) == mir.SXorB32 {
					t.Fatalf("seed %d: the condition code is overwritten", seed)
				}
			}
		}
	}
}
