package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// maskHints selects the lane masks to keep in VCC, one at a time: those that
// vector instructions define or use within a block. The instructions' short
// encodings require the mask in VCC, so a mask with more of them replaces
// another one.
func (a *allocator) maskHints() {
	f := a.f
	a.countShort()
	for _, b := range f.Layout {
		in := mir.NoReg // estimate of the mask in VCC
		for i := f.First(b); i != 0; i = f.Next(i) {
			for n, o := range f.Uses(i) {
				switch {
				case o.Reg() == in && o.Flags&mir.Kill != 0:
					in = mir.NoReg
				case o.IsVirtual() && a.isVCC(i, len(f.Defs(i))+n):
					in = mir.NoReg // the mask will be moved there, replacing the previous one
				}
			}
			if u := f.Info(i).Unit; u == mir.UnitVALU || u == mir.UnitSALU {
				in = a.maskHint(b, i, in)
			}
		}
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

// maskHint sets the hint of the mask that an instruction defines, and returns
// the mask that is then in VCC, if it is only used in the block.
func (a *allocator) maskHint(b mir.Block, i mir.Instr, in mir.Reg) mir.Reg {
	f := a.f
	for n, o := range f.Defs(i) {
		if !o.IsVirtual() || f.File(o.Reg()) != mir.FileS || f.Hint(o.Reg()) != mir.NoReg {
			continue
		}
		v := o.Reg().Index()
		if !a.isMask(i, n) || in != mir.NoReg && a.short[v] <= a.short[in.Index()] || hasBit(a.live.blockSet(a.live.out, b), v) {
			continue
		}
		if in != mir.NoReg {
			f.SetHint(in, mir.NoReg)
			in = mir.NoReg
		}
		f.SetHint(o.Reg(), mir.VCC)
		if o.Flags&mir.Dead == 0 {
			return o.Reg()
		}
	}
	return in
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
