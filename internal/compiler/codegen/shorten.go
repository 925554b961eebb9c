package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Short forms of multiply-adds. The three-source instructions have 8 bytes, and
// 12 with a literal. If the addend is in the register of the result, the
// accumulating form has 4; if a source is a literal, the forms with a constant
// have 8.
//
// Sources: RDNA 3 ISA, "VOP2"; LLVM, SIShrinkInstructions.cpp, for the choice.

// shortForms lists the operations that compute the same as a multiply-add:
// accumulating to the result, adding a constant, and multiplying by a constant.
// OpNone is a form that does not exist.
type shortForms struct{ accumulate, addConstant, mulConstant mir.Op }

// shortOf holds the short forms of the multiply-adds. A fused one never becomes
// an unfused one, whose rounding and denormals differ.
var shortOf = [mir.NumOps]shortForms{
	mir.VFmaF16:        {mir.VFmacF16, mir.VFmaakF16, mir.VFmamkF16},
	mir.VFmaF32:        {mir.VFmacF32, mir.VFmaakF32, mir.VFmamkF32},
	mir.VFmaF64:        {accumulate: mir.VFmacF64},
	mir.VFmaDx9ZeroF32: {accumulate: mir.VFmacDx9ZeroF32},
	mir.VMadF32:        {mir.VMacF32, mir.VMadakF32, mir.VMadmkF32},
}

// accumulates reports whether an operation is an accumulating form, whose first
// two sources are factors.
func accumulates(op mir.Op) bool { return accumulating.Get()[op] }

var accumulating = lazy.Value[map[mir.Op]bool]{Make: func() map[mir.Op]bool {
	m := map[mir.Op]bool{}
	for _, forms := range shortOf {
		if forms.accumulate != mir.OpNone {
			m[forms.accumulate] = true
		}
	}
	return m
}}

// formShortening replaces instructions by shorter ones.
type formShortening struct{ f *mir.Func }

// shortenForms changes a function with physical registers.
func (p *formShortening) shortenForms(f *mir.Func) {
	p.f = f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if isMultiplyAdd(f, i) {
				p.shorten(i)
			}
		}
	}
}

// isMultiplyAdd reports whether an instruction is a multiply-add with short
// forms, without modifiers.
func isMultiplyAdd(f *mir.Func, i mir.Instr) bool {
	return shortOf[f.Op(i)] != shortForms{} && f.Mods(i) == 0 && f.Ext(i) == 0
}

// shorten replaces a multiply-add by the first short form that fits.
func (p *formShortening) shorten(i mir.Instr) {
	f := p.f
	forms := shortOf[f.Op(i)]
	d, x, y, z := f.Defs(i)[0], *f.Use(i, 0), *f.Use(i, 1), *f.Use(i, 2)
	switch {
	case z.Kind == mir.KindReg && z.Reg() == d.Reg():
		_ = p.replace(i, forms.accumulate, d, x, y, z) || p.replace(i, forms.accumulate, d, y, x, z)
	case z.Kind == mir.KindImm:
		_ = p.replace(i, forms.addConstant, d, x, y, z) || p.replace(i, forms.addConstant, d, y, x, z)
	case y.Kind == mir.KindImm:
		p.replace(i, forms.mulConstant, d, x, y, z)
	case x.Kind == mir.KindImm:
		p.replace(i, forms.mulConstant, d, y, x, z)
	}
}

// replace replaces an instruction if the new operands fit and make it shorter,
// and reports whether it did.
func (p *formShortening) replace(i mir.Instr, op mir.Op, operands ...mir.Operand) bool {
	f := p.f
	if op == mir.OpNone || !f.M.Has(op) || !p.accepts(op, operands[1:]) {
		return false
	}
	before, err := f.Encode(i)
	if err != nil {
		return false
	}
	oldOp := f.Op(i)
	old := [...]mir.Operand{f.Defs(i)[0], *f.Use(i, 0), *f.Use(i, 1), *f.Use(i, 2)}
	f.SetOp(i, op)
	f.SetOperands(i, 1, operands...)
	if after, err := f.Encode(i); err == nil && after.Size < before.Size {
		return true
	}
	f.SetOp(i, oldOp)
	f.SetOperands(i, 1, old[:]...)
	return false
}

// accepts reports whether the slots of an operation accept the kinds and files
// of sources. The second source of VOP2 is a vector register.
func (p *formShortening) accepts(op mir.Op, uses []mir.Operand) bool {
	f := p.f
	x := f.M.Info(op)
	for n := range uses {
		s, o := &x.Slots[x.Defs+n], &uses[n]
		switch {
		case s.Kind == mir.SlotImm:
			if o.Kind != mir.KindImm {
				return false
			}
		case o.Kind == mir.KindReg:
			if !s.Takes(f.File(o.Reg())) {
				return false
			}
		case s.Kind != mir.SlotSource || s.Tied:
			return false
		}
	}
	return true
}

// accumulated returns the addend of a multiply-add that may become its
// accumulating form: a vector register that ends here, or nil.
func accumulated(f *mir.Func, i mir.Instr) *mir.Operand {
	if !isMultiplyAdd(f, i) {
		return nil
	}
	op := shortOf[f.Op(i)].accumulate
	z := f.Use(i, 2)
	if op == mir.OpNone || !f.M.Has(op) || !z.IsVirtual() || z.N != 0 || z.Flags&mir.Kill == 0 || z.Flags&mir.Undef != 0 || f.File(z.Reg()) != mir.FileV {
		return nil
	}
	for n := range 2 {
		if o := f.Use(i, n); o.Kind == mir.KindReg && f.File(o.Reg()) == mir.FileV {
			return z
		}
	}
	return nil
}
