package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/mir"
)

// Calls and register allocation: what lives across a call must be in a register that functions preserve.

// findAcross finds out what lives across calls, and marks results of calls in registers that nobody reads.
func (a *allocator) findAcross() {
	f := a.f
	a.across = zeroed(a.across, a.live.words)
	for _, b := range f.Layout {
		live := a.live.work
		copy(live, a.live.set(a.live.out, b))
		var read [mir.NumPhys]bool
		for i := f.Last(b); i != 0 && !f.Op(i).IsPhi(); i = f.Prev(i) {
			for n := range f.Defs(i) {
				o := &f.Defs(i)[n]
				switch r := o.Reg(); {
				case r.IsVirtual():
					drop(live, r.Index())
				case f.Op(i) == mir.Call && !slices.Contains(read[r:int(r)+max(int(o.N), 1)], true):
					o.Flags |= mir.Dead
				}
				if r := o.Reg(); r.IsPhys() {
					clear(read[r : int(r)+max(int(o.N), 1)])
				}
			}
			if f.Op(i) == mir.Call {
				for w := range live {
					a.across[w] |= live[w]
				}
			}
			for _, o := range f.Uses(i) {
				if o.IsVirtual() && o.Flags&mir.Undef == 0 {
					add(live, o.Reg().Index())
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

// isPreserved reports whether calls leave n registers of a file from one on as they are. Those for the address to return to are
// the callee's to preserve, but the call itself writes them.
func isPreserved(file mir.File, at, n int) bool {
	for k := at; k < at+n; k++ {
		r := base(file) + mir.Reg(k)
		if !abi.Preserved(r) || r == abi.ReturnAddress || r == abi.ReturnAddress+1 {
			return false
		}
	}
	return true
}

// firstPreserved gives the first n free registers of a file that calls preserve, NoReg when there are none.
func (a *allocator) firstPreserved(file mir.File, n int) mir.Reg {
	align := a.align(file, n)
	for at := 0; at+n <= a.limits[file]; at += align {
		if a.free(file, at, n) && isPreserved(file, at, n) {
			return base(file) + mir.Reg(at)
		}
	}
	return mir.NoReg
}

// firstFreeFor gives a free place for a virtual register: one that calls preserve when it lives across one.
func (a *allocator) firstFreeFor(v int32) mir.Reg {
	file, n := a.file(v), a.size(v)
	if has(a.across, int(v)) {
		if r := a.firstPreserved(file, n); r != mir.NoReg {
			return r
		}
	}
	return a.firstFree(file, n)
}

// saveFromCall moves what lives across a call to registers that it preserves. When what is free does not suffice, all that
// is there already moves too, large tuples first.
func (a *allocator) saveFromCall(i mir.Instr) error {
	for file := mir.FileS; file <= mir.FileA; file++ {
		var in, all []int32
		for _, v := range a.owner[file] {
			if v > 0 && !slices.Contains(all, v) {
				all = append(all, v)
				if !isPreserved(file, int(a.loc[v]-base(file)), a.size(v)) {
					in = append(in, v)
				}
			}
		}
		a.holdKilled(file, nobody, held)
		ok := a.moveToPreserved(file, in) || a.moveToPreserved(file, all)
		a.holdKilled(file, held, nobody)
		if !ok {
			return &errNoRegisters{file, a.f, i}
		}
	}
	return nil
}

// moveToPreserved gives virtual registers new places that calls preserve.
func (a *allocator) moveToPreserved(file mir.File, list []int32) bool {
	slices.SortStableFunc(list, func(x, y int32) int { return a.size(y) - a.size(x) })
	for _, v := range list {
		a.evict(v)
	}
	ok := true
	for _, v := range list {
		r := a.firstPreserved(file, a.size(v))
		if r == mir.NoReg {
			ok = false
			r = a.firstFree(file, a.size(v)) // for now, so that it is somewhere
			if r == mir.NoReg {
				return false
			}
		}
		a.put(v, r)
		a.setMove(v, r)
	}
	return ok
}

// setMove says where a virtual register that was evicted goes.
func (a *allocator) setMove(v int32, r mir.Reg) {
	for k := range a.moves {
		if a.moves[k].v == v {
			a.moves[k].to = r
		}
	}
}
