package codegen

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// liveness computes the live virtual registers. Vector registers follow the
// logical edges, all others the linear edges. A phi source is live at the end
// of its predecessor. A liveness reuses its memory for the next function.
type liveness struct {
	f      *mir.Func
	words  int      // per set
	in     []uint64 // sets by block
	out    []uint64
	vector []uint64 // the set of vector registers
	work   []uint64
	home   []mir.Block // by virtual register: the block that defines it
	seen   []mir.Block // by virtual register: the block that defines it, once that block has been visited
}

// blockSet returns the set of a block.
func (l *liveness) blockSet(sets []uint64, b mir.Block) []uint64 {
	return sets[int(b)*l.words : (int(b)+1)*l.words]
}

func hasBit(set []uint64, n int) bool { return set[n>>6]>>(n&63)&1 != 0 }
func addBit(set []uint64, n int)      { set[n>>6] |= 1 << (n & 63) }
func dropBit(set []uint64, n int)     { set[n>>6] &^= 1 << (n & 63) }

// each calls f for each member of a set.
func each(set []uint64, f func(n int)) {
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			f(w<<6 + bits.TrailingZeros64(x))
		}
	}
}

// zeroed returns a slice of n zeros, reusing the memory of old if it is large
// enough.
func zeroed[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// computeLiveness computes the sets by walking from each use to the definition,
// so that the time is proportional to the live ranges.
func (l *liveness) computeLiveness(f *mir.Func) {
	l.f = f
	l.words = (f.NumVirtual() + 63) / 64
	f.Guard.Room(int64(f.NumBlocks()) * int64(l.words) * 16)
	l.in = zeroed(l.in, f.NumBlocks()*l.words)
	l.out = zeroed(l.out, f.NumBlocks()*l.words)
	l.vector = zeroed(l.vector, l.words)
	l.work = zeroed(l.work, l.words)
	l.home = zeroed(l.home, f.NumVirtual())
	l.seen = zeroed(l.seen, f.NumVirtual())
	for n := 1; n < f.NumVirtual(); n++ {
		if file := f.File(mir.Virtual(n)); file == mir.FileV || file == mir.FileA {
			addBit(l.vector, n)
		}
	}
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Defs(i) {
				if o.IsVirtual() {
					l.home[o.Reg().Index()] = b
				}
			}
		}
	}
	for _, b := range f.Layout {
		f.Guard.Check()
		l.block(b)
	}
}

// block marks as live the registers that a block uses before defining them.
func (l *liveness) block(b mir.Block) {
	f := l.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		if f.Op(i).IsPhi() {
			l.phi(i)
		} else {
			for _, o := range f.Uses(i) {
				if v := o.Reg().Index(); o.IsVirtual() && o.Flags&mir.Undef == 0 && l.seen[v] != b {
					l.liveIn(b, v)
				}
			}
		}
		for _, o := range f.Defs(i) {
			if o.IsVirtual() {
				l.seen[o.Reg().Index()] = b
			}
		}
	}
}

// phi marks the sources of a phi as live at the ends of the predecessors.
func (l *liveness) phi(i mir.Instr) {
	uses := l.f.Uses(i)
	for n := 0; n < len(uses); n += 2 {
		if uses[n].IsVirtual() && uses[n].Flags&mir.Undef == 0 {
			l.liveOut(uses[n+1].Block(), uses[n].Reg().Index())
		}
	}
}

// liveIn marks a register as live at the start of a block.
func (l *liveness) liveIn(b mir.Block, v int) {
	in := l.blockSet(l.in, b)
	if hasBit(in, v) {
		return
	}
	addBit(in, v)
	preds := l.f.LinearPreds(b)
	if hasBit(l.vector, v) {
		preds = l.f.Preds(b)
	}
	for _, p := range preds {
		l.liveOut(p, v)
	}
}

// liveOut marks a register as live at the end of a block.
func (l *liveness) liveOut(b mir.Block, v int) {
	out := l.blockSet(l.out, b)
	if hasBit(out, v) {
		return
	}
	addBit(out, v)
	if l.home[v] != b {
		l.liveIn(b, v)
	}
}

// mark sets Kill on the last use of each register in a block that is not live
// at its end, and Dead on unused results.
func (l *liveness) mark() {
	f := l.f
	for _, b := range f.Layout {
		live := l.work
		copy(live, l.blockSet(l.out, b))
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
		if o.Flags &^= mir.Dead; !hasBit(live, o.Reg().Index()) {
			o.Flags |= mir.Dead
		}
		dropBit(live, o.Reg().Index())
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
		if o.Flags &^= mir.Kill; !hasBit(live, o.Reg().Index()) {
			o.Flags |= mir.Kill
		}
	}
	for n := range uses {
		if o := &uses[n]; o.IsVirtual() && o.Flags&mir.Undef == 0 {
			addBit(live, o.Reg().Index())
		}
	}
}
