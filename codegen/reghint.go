package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// maskHints says which lane masks would best be in VCC: those that vector instructions make and use within a block, one at a time.
// Their short encodings have no other place for a mask.
func (a *allocator) maskHints() {
	f := a.f
	for _, b := range f.Layout {
		in := mir.NoReg // which is in VCC, as far as one can tell
		for i := f.First(b); i != 0; i = f.Next(i) {
			for n, o := range f.Uses(i) {
				switch {
				case o.Reg() == in && o.Flags&mir.Kill != 0:
					in = mir.NoReg
				case o.IsVirtual() && a.isVCC(i, len(f.Defs(i))+n):
					in = mir.NoReg // it will be moved there, and what was there goes
				}
			}
			if in == mir.NoReg && f.Info(i).Unit == mir.UnitVALU {
				in = a.maskHint(b, i)
			}
		}
	}
}

// isVCC reports whether an instruction has an operand in VCC and nowhere else.
func (a *allocator) isVCC(i mir.Instr, n int) bool {
	s := a.f.SlotOf(i, n)
	return s != nil && s.Kind == mir.SlotFixed && s.Reg == mir.VCC
}

// maskHint gives the mask that an instruction makes a hint, and gives it back when it is used in the block only.
func (a *allocator) maskHint(b mir.Block, i mir.Instr) mir.Reg {
	f := a.f
	for n, o := range f.Defs(i) {
		if !o.IsVirtual() || f.File(o.Reg()) != mir.FileS || f.Hint(o.Reg()) != mir.NoReg {
			continue
		}
		s := f.SlotOf(i, n)
		if s == nil || s.Class&isa.Mask == 0 || has(a.live.set(a.live.out, b), o.Reg().Index()) {
			continue
		}
		f.SetHint(o.Reg(), mir.VCC)
		if o.Flags&mir.Dead == 0 {
			return o.Reg()
		}
	}
	return mir.NoReg
}
