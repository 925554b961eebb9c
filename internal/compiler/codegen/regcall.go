package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Register allocation across calls: a value that is live across a call must be
// in a register that the call preserves.

// findAcross computes the values that are live across each call, and marks
// unused results of calls and of inline assembly in fixed registers.
func (a *allocator) findAcross() {
	f := a.f
	a.across = zeroed(a.across, f.NumVirtual())
	a.sets, a.unions = append(a.sets[:0], RegSet{}), map[[2]int32]int32{}
	for _, b := range f.Layout {
		live := a.live.work
		copy(live, a.live.blockSet(a.live.out, b))
		var read [mir.NumPhys]bool
		for i := f.Last(b); i != 0 && !f.Op(i).IsPhi(); i = f.Prev(i) {
			for n := range f.Defs(i) {
				o := &f.Defs(i)[n]
				switch r := o.Reg(); {
				case r.IsVirtual():
					dropBit(live, r.Index())
				case (f.Op(i) == mir.Call || f.Op(i) == mir.Asm) && !slices.Contains(read[r:int(r)+max(int(o.N), 1)], true):
					o.Flags |= mir.Dead
				}
				if r := o.Reg(); r.IsPhys() {
					clear(read[r : int(r)+max(int(o.N), 1)])
				}
			}
			if f.Op(i) == mir.Call {
				set := a.setOf(a.clobbers(i))
				each(live, func(v int) { a.across[v] = a.union(a.across[v], set) })
			}
			for _, o := range f.Uses(i) {
				if o.IsVirtual() && o.Flags&mir.Undef == 0 {
					addBit(live, o.Reg().Index())
				}
				if r := o.Reg(); r.IsPhys() {
					for k := range max(int(o.N), 1) {
						read[int(r)+k] = true
					}
				}
			}
		}
	}
}

// setOf returns the number of a register set.
func (a *allocator) setOf(s RegSet) int32 {
	if n := slices.Index(a.sets, s); n >= 0 {
		return int32(n)
	}
	a.sets = append(a.sets, s)
	return int32(len(a.sets) - 1)
}

// union returns the number of the union of two sets.
func (a *allocator) union(x, y int32) int32 {
	if x == y || y == 0 {
		return x
	}
	n, known := a.unions[[2]int32{x, y}]
	if !known {
		s := a.sets[x]
		s.addAll(&a.sets[y])
		n = a.setOf(s)
		a.unions[[2]int32{x, y}] = n
	}
	return n
}

// survives reports whether no call across which a virtual register is live
// clobbers any of n registers of a file.
func (a *allocator) survives(v int32, file mir.File, at, n int) bool {
	return a.across[v] == 0 || !a.sets[a.across[v]].hasAny(file, at, n)
}

// firstOutside returns the first n free registers of a file below a limit that
// are not in a set, or NoReg.
func (a *allocator) firstOutside(s *RegSet, file mir.File, n, limit int) mir.Reg {
	align := a.align(file, n)
	for at := 0; at+n <= limit; at += align {
		if a.free(file, at, n) && !s.hasAny(file, at, n) {
			return base(file) + mir.Reg(at)
		}
	}
	return mir.NoReg
}

// firstFreeFor returns a free place for a virtual register that the calls
// across which it is live preserve, or NoReg.
func (a *allocator) firstFreeFor(v int32) mir.Reg {
	file, n := a.file(v), a.size(v)
	if a.across[v] != 0 {
		if r := a.firstOutside(&a.sets[a.across[v]], file, n, a.limit(file)); r != mir.NoReg {
			return r
		}
	}
	return a.firstFree(file, n, a.limit(file))
}

// saveFromCall moves values that are live across a call to registers that the
// call preserves. If the free registers do not suffice, it also moves the
// values already in preserved registers, large tuples first. The moves precede
// the call, so they must not overwrite arguments.
func (a *allocator) saveFromCall(i mir.Instr) error {
	set := a.clobbers(i)
	for file := mir.FileS; file <= mir.FileA; file++ {
		var in, all []int32
		for _, v := range a.owner[file] {
			if v > 0 && !slices.Contains(all, v) {
				all = append(all, v)
				if set.hasAny(file, int(a.loc[v]-base(file)), a.size(v)) {
					in = append(in, v)
				}
			}
		}
		a.holdKilled(file, noOwner, held)
		ok := a.moveOutside(&set, file, in) || a.moveOutside(&set, file, all)
		a.holdKilled(file, held, noOwner)
		if !ok {
			return &errNoRegisters{file, a.f, i}
		}
	}
	return nil
}

// moveOutside moves virtual registers to places that are not in a set, and
// preferably survive later calls as well.
func (a *allocator) moveOutside(set *RegSet, file mir.File, list []int32) bool {
	slices.SortStableFunc(list, func(x, y int32) int { return a.size(y) - a.size(x) })
	for _, v := range list {
		a.evict(v)
	}
	ok := true
	for _, v := range list {
		later := a.sets[a.across[v]]
		later.addAll(set)
		r := a.firstOutside(&later, file, a.size(v), a.limits[file])
		if r == mir.NoReg {
			r = a.firstOutside(set, file, a.size(v), a.limits[file])
		}
		if r == mir.NoReg {
			ok = false
			r = a.firstFree(file, a.size(v), a.limits[file]) // a temporary place
			if r == mir.NoReg {
				return false
			}
		}
		a.settle(v, r)
	}
	return ok
}
