package codegen

import (
	"slices"
	"sort"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// maskLife is a lane mask that is only used in its block.
type maskLife struct {
	reg        mir.Reg
	start, end int // positions of its definition and its last use
	worth      int // benefit of VCC
	best       int // highest benefit of masks up to this one
	last       int // 1 plus the index of the last earlier mask that can precede it in VCC
}

// maskHints selects the lane masks to keep in VCC, one at a time: those that
// vector instructions define or use within a block. The instructions' short
// encodings require the mask in VCC. The choice has the most short encodings: a
// weighted interval schedule (J. Kleinberg and E. Tardos, "Algorithm Design",
// section 6.1).
func (a *allocator) maskHints() {
	a.countShort()
	for _, b := range a.f.Layout {
		a.findMasks(b)
		a.chooseMasks()
	}
}

// findMasks lists the masks of a block that VCC can hold, by their ends. It
// leaves out masks that are live where another one must be in VCC.
func (a *allocator) findMasks(b mir.Block) {
	f := a.f
	a.masks = a.masks[:0]
	fixed, at := -1, 0
	for i := f.First(b); i != 0; i = f.Next(i) {
		at++
		for n, o := range f.Uses(i) {
			if !o.IsVirtual() || f.File(o.Reg()) != mir.FileS {
				continue
			}
			if a.isVCC(i, len(f.Defs(i))+n) {
				fixed = at
			}
			if o.Flags&mir.Kill != 0 {
				a.endMask(o.Reg(), at, fixed)
			}
		}
		if u := f.Info(i).Unit; u != mir.UnitVALU && u != mir.UnitSALU {
			continue
		}
		for n, o := range f.Defs(i) {
			if !o.IsVirtual() || f.File(o.Reg()) != mir.FileS || f.Hint(o.Reg()) != mir.NoReg || !a.isMask(i, n) || hasBit(a.live.blockSet(a.live.out, b), o.Reg().Index()) {
				continue
			}
			a.masks = append(a.masks, maskLife{reg: o.Reg(), start: at, worth: 16*int(a.short[o.Reg().Index()]) + 1})
			if o.Flags&mir.Dead != 0 {
				a.endMask(o.Reg(), at+1, fixed)
			}
		}
	}
	a.masks = slices.DeleteFunc(a.masks, func(x maskLife) bool { return x.end == 0 })
	slices.SortStableFunc(a.masks, func(x, y maskLife) int { return x.end - y.end })
}

// endMask ends a mask. fixed is the last position where a mask must be in VCC.
func (a *allocator) endMask(r mir.Reg, at, fixed int) {
	for n := len(a.masks) - 1; n >= 0; n-- {
		if x := &a.masks[n]; x.reg == r {
			if fixed <= x.start || fixed == at {
				x.end = at
			}
			return
		}
	}
}

// chooseMasks sets the hints of the masks whose total benefit is highest.
func (a *allocator) chooseMasks() {
	list := a.masks
	for n := range list {
		x := &list[n]
		x.last = sort.Search(n, func(k int) bool { return list[k].end > x.start })
		x.best = x.worth
		if x.last > 0 {
			x.best += list[x.last-1].best
		}
		if n > 0 && list[n-1].best >= x.best {
			x.best, x.worth = list[n-1].best, 0
		}
	}
	for n := len(list); n > 0; {
		x := &list[n-1]
		if x.worth == 0 { // not chosen
			n--
			continue
		}
		a.f.SetHint(x.reg, mir.VCC)
		n = x.last
	}
}

// countShort counts the operands of vector instructions that must be in VCC for
// the short encoding.
func (a *allocator) countShort() {
	f := a.f
	a.short = zeroed(a.short, f.NumVirtual())
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if x := f.Info(i); x.Unit != mir.UnitVALU || x.Short == isa.NoEnc {
				continue
			}
			defs := len(f.Defs(i))
			for n, o := range f.Defs(i) {
				a.countMask(i, n, o)
			}
			for n, o := range f.Uses(i) {
				a.countMask(i, defs+n, o)
			}
		}
	}
}

func (a *allocator) countMask(i mir.Instr, n int, o mir.Operand) {
	if !o.IsVirtual() || a.f.File(o.Reg()) != mir.FileS {
		return
	}
	if s := a.f.SlotOf(i, n); s != nil && s.Class&isa.Mask != 0 {
		a.short[o.Reg().Index()]++
	}
}

// isVCC reports whether an operand must be in VCC.
func (a *allocator) isVCC(i mir.Instr, n int) bool {
	s := a.f.SlotOf(i, n)
	return s != nil && s.Kind == mir.SlotFixed && s.Reg == mir.VCC
}

// isMask reports whether a result is a mask of a vector instruction, or the
// mask of a scalar instruction for vector instructions.
func (a *allocator) isMask(i mir.Instr, n int) bool {
	f := a.f
	if r := f.Def(i, n); f.Info(i).Unit == mir.UnitSALU {
		return f.IsMask(r) && a.short[r.Index()] > 0
	}
	s := f.SlotOf(i, n)
	return s != nil && s.Class&isa.Mask != 0
}

// accumulatorPlace returns the place of the addend that the result of a
// multiply-add replaces, if it is free, or NoReg.
func (a *allocator) accumulatorPlace(i mir.Instr, fits func(at int) bool) mir.Reg {
	if z := accumulated(a.f, i); z != nil {
		if r := a.sourcePlace(z); r != mir.NoReg && fits(int(r-base(mir.FileV))) {
			return r
		}
	}
	return mir.NoReg
}
