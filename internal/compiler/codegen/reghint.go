package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// maskHints selects the lane masks to keep in VCC, one at a time: those that
// vector instructions define and use within a block. The instructions' short
// encodings require the mask in VCC.
func (a *allocator) maskHints() {
	f := a.f
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
			if in == mir.NoReg && f.Info(i).Unit == mir.UnitVALU {
				in = a.maskHint(b, i)
			}
		}
	}
}

// isVCC reports whether an operand must be in VCC.
func (a *allocator) isVCC(i mir.Instr, n int) bool {
	s := a.f.SlotOf(i, n)
	return s != nil && s.Kind == mir.SlotFixed && s.Reg == mir.VCC
}

// maskHint sets the hint of the mask that an instruction defines, and returns
// the mask if it is only used in the block.
func (a *allocator) maskHint(b mir.Block, i mir.Instr) mir.Reg {
	f := a.f
	for n, o := range f.Defs(i) {
		if !o.IsVirtual() || f.File(o.Reg()) != mir.FileS || f.Hint(o.Reg()) != mir.NoReg {
			continue
		}
		s := f.SlotOf(i, n)
		if s == nil || s.Class&isa.Mask == 0 || hasBit(a.live.blockSet(a.live.out, b), o.Reg().Index()) {
			continue
		}
		f.SetHint(o.Reg(), mir.VCC)
		if o.Flags&mir.Dead == 0 {
			return o.Reg()
		}
	}
	return mir.NoReg
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
