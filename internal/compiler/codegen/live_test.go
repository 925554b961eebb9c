package codegen

import (
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// slowLiveness computes the sets by iterating their equations.
type slowLiveness struct {
	f       *mir.Func
	in, out map[mir.Block]map[mir.Reg]bool
}

func newSlowLiveness(f *mir.Func) *slowLiveness {
	l := &slowLiveness{f, map[mir.Block]map[mir.Reg]bool{}, map[mir.Block]map[mir.Reg]bool{}}
	for _, b := range f.Layout {
		l.in[b], l.out[b] = map[mir.Reg]bool{}, map[mir.Reg]bool{}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(f.Layout) {
			changed = l.block(b) || changed
		}
	}
	return l
}

func (l *slowLiveness) block(b mir.Block) bool {
	f := l.f
	out := map[mir.Reg]bool{}
	for s := range l.in {
		for r := range l.in[s] {
			succs := f.LinearSuccs(b)
			if file := f.File(r); file == mir.FileV || file == mir.FileA {
				succs = f.Succs(b)
			}
			if slices.Contains(succs, s) {
				out[r] = true
			}
		}
		for i := f.First(s); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
			for uses := f.Uses(i); len(uses) > 0; uses = uses[2:] {
				if uses[1].Block() == b && uses[0].IsVirtual() && uses[0].Flags&mir.Undef == 0 {
					out[uses[0].Reg()] = true
				}
			}
		}
	}
	in := map[mir.Reg]bool{}
	for r := range out {
		in[r] = true
	}
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		for _, o := range f.Defs(i) {
			delete(in, o.Reg())
		}
		if f.Op(i).IsPhi() {
			continue
		}
		for _, o := range f.Uses(i) {
			if o.IsVirtual() && o.Flags&mir.Undef == 0 {
				in[o.Reg()] = true
			}
		}
	}
	changed := len(in) != len(l.in[b]) || len(out) != len(l.out[b])
	l.in[b], l.out[b] = in, out
	return changed
}

func TestLiveness(t *testing.T) {
	var l liveness
	for seed := range uint64(tries(100)) {
		f := newMIRGen(seed, mir.MachineOf(isa.GFX1030, 32)).generate()
		l.computeLiveness(f)
		want := newSlowLiveness(f)
		for _, b := range f.Layout {
			for n := 1; n < f.NumVirtual(); n++ {
				r := mir.Virtual(n)
				if in, out := hasBit(l.blockSet(l.in, b), n), hasBit(l.blockSet(l.out, b), n); in != want.in[b][r] || out != want.out[b][r] {
					t.Fatalf("seed %d: %%%d is live at the start of bb%d: %v, at its end: %v\n%s", seed, n, b, in, out, f.AppendText(nil))
				}
			}
		}
	}
}
