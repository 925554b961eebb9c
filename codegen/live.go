package codegen

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/codegen/mir"
)

// liveness says which virtual registers are live where. Vector registers follow the logical
// edges, all others the linear ones; a source of a phi is live at the end of its predecessor. Its memory is
// used again for the next function.
type liveness struct {
	f      *mir.Func
	words  int      // of one set
	in     []uint64 // sets by block
	out    []uint64
	vector []uint64 // the vector registers
	work   []uint64
}

// set gives the set of a block.
func (l *liveness) set(sets []uint64, b mir.Block) []uint64 {
	return sets[int(b)*l.words : (int(b)+1)*l.words]
}

func has(set []uint64, n int) bool { return set[n>>6]>>(n&63)&1 != 0 }
func add(set []uint64, n int)      { set[n>>6] |= 1 << (n & 63) }
func drop(set []uint64, n int)     { set[n>>6] &^= 1 << (n & 63) }

// each calls f with the members of a set.
func each(set []uint64, f func(n int)) {
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			f(w<<6 + bits.TrailingZeros64(x))
		}
	}
}

// zeroed gives a slice of n zeros, in the memory of an old one when that is large enough.
func zeroed[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// run computes the sets.
func (l *liveness) run(f *mir.Func) {
	l.f = f
	l.words = (f.NumVirtual() + 63) / 64
	l.in = zeroed(l.in, f.NumBlocks()*l.words)
	l.out = zeroed(l.out, f.NumBlocks()*l.words)
	l.vector = zeroed(l.vector, l.words)
	l.work = zeroed(l.work, l.words)
	for n := 1; n < f.NumVirtual(); n++ {
		if file := f.File(mir.Virtual(n)); file == mir.FileV || file == mir.FileA {
			add(l.vector, n)
		}
	}
	for changed := true; changed; {
		changed = false
		for n := len(f.Layout) - 1; n >= 0; n-- {
			if l.block(f.Layout[n]) {
				changed = true
			}
		}
	}
}

// block computes the sets of a block from those of its successors, and reports whether what is live at its start changed.
func (l *liveness) block(b mir.Block) bool {
	f := l.f
	out := l.set(l.out, b)
	l.fromSuccs(b, out, f.Succs(b), 0)
	l.fromSuccs(b, out, f.LinearSuccs(b), ^uint64(0))
	live := l.work
	copy(live, out)
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		for _, o := range f.Defs(i) {
			if o.IsVirtual() {
				drop(live, o.Reg().Index())
			}
		}
		if f.Op(i).IsPhi() {
			continue
		}
		for _, o := range f.Uses(i) {
			if o.IsVirtual() && o.Flags&mir.Undef == 0 {
				add(live, o.Reg().Index())
			}
		}
	}
	in := l.set(l.in, b)
	changed := false
	for w := range in {
		if in[w] != live[w] {
			in[w], changed = live[w], true
		}
	}
	return changed
}

// fromSuccs adds what is live at the starts of successors: vector registers, or with scalar all ones the others.
func (l *liveness) fromSuccs(b mir.Block, out []uint64, succs []mir.Block, scalar uint64) {
	f := l.f
	for _, s := range succs {
		in := l.set(l.in, s)
		for w := range out {
			out[w] |= in[w] & (l.vector[w] ^ scalar)
		}
		for i := f.First(s); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
			if has(l.vector, f.Def(i, 0).Index()) != (scalar == 0) {
				continue
			}
			uses := f.Uses(i)
			for n := 0; n < len(uses); n += 2 {
				if uses[n+1].Block() == b && uses[n].IsVirtual() && uses[n].Flags&mir.Undef == 0 {
					add(out, uses[n].Reg().Index())
				}
			}
		}
	}
}

// mark sets Kill on the last use of each register in a block behind which it is not live, and Dead on
// results that are not used.
func (l *liveness) mark() {
	f := l.f
	for _, b := range f.Layout {
		live := l.work
		copy(live, l.set(l.out, b))
		for i := f.Last(b); i != 0; i = f.Prev(i) {
			l.markInstr(i, live)
		}
	}
}

func (l *liveness) markInstr(i mir.Instr, live []uint64) {
	f := l.f
	defs := f.Defs(i)
	for n := range defs {
		o := &defs[n]
		if !o.IsVirtual() {
			continue
		}
		if o.Flags &^= mir.Dead; !has(live, o.Reg().Index()) {
			o.Flags |= mir.Dead
		}
		drop(live, o.Reg().Index())
	}
	if f.Op(i).IsPhi() {
		return
	}
	uses := f.Uses(i)
	for n := range uses {
		o := &uses[n]
		if !o.IsVirtual() || o.Flags&mir.Undef != 0 {
			continue
		}
		if o.Flags &^= mir.Kill; !has(live, o.Reg().Index()) {
			o.Flags |= mir.Kill
		}
	}
	for n := range uses {
		if o := &uses[n]; o.IsVirtual() && o.Flags&mir.Undef == 0 {
			add(live, o.Reg().Index())
		}
	}
}
