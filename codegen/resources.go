package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Resources are what a function needs of the machine, without those that it calls.
type Resources struct {
	SGPRs           int    // one more than the highest, without VCC and other special ones
	VGPRs           int    // one more than the highest
	AGPRs           int    // one more than the highest
	ScratchBytes    uint64 // of a lane
	CallArgBytes    uint64 // of a lane, at the stack pointer: the most that a call passes on the stack
	LDSBytes        uint64
	UsesVCC         bool
	UsesFlatScratch bool
	DynamicStack    bool // a size that is known when it runs only
	HasRecursion    bool
	HasCalls        bool     // of functions that are not named here: indirect ones
	Callees         []string // the functions that it calls, once each
	SpilledSGPRs    int
	SpilledVGPRs    int

	addressable int
}

// firstSpecial is the first scalar register that no processor lets a program use as any other one: VCC.
const firstSpecial = int(mir.VCC - mir.SGPR0)

// count adds the registers that a function uses.
func (r *Resources) count(f *mir.Func, addressableSGPRs int) {
	r.addressable = addressableSGPRs
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			r.countShift(f, i)
			for _, o := range f.Operands(i) {
				if o.Kind == mir.KindReg {
					r.countReg(f, o.Reg(), max(int(o.N), 1))
				}
			}
		}
	}
}

// countShift sees to 64-bit shifts of gfx90a, which go wrong when the register of their amount is the last one of those that
// are allocated: there is to be one more. (LLVM: Shift64HighRegBug.)
func (r *Resources) countShift(f *mir.Func, i mir.Instr) {
	if f.M.Set.Gen() != isa.Gen90A {
		return
	}
	switch f.Op(i) {
	case mir.VLshlrevB64, mir.VLshrrevB64, mir.VAshrrevI64:
		if a := f.Use(i, 0).Reg(); f.File(a) == mir.FileV && a.Index()%8 == 7 && a.Index() < 255 {
			r.VGPRs = max(r.VGPRs, a.Index()+2)
		}
	}
}

func (r *Resources) countReg(f *mir.Func, reg mir.Reg, n int) {
	last := reg.Index() + n
	switch f.File(reg) {
	case mir.FileV:
		r.VGPRs = max(r.VGPRs, last)
	case mir.FileA:
		r.AGPRs = max(r.AGPRs, last)
	case mir.FileS:
		r.countScalar(reg.Index(), n)
	}
}

func (r *Resources) countScalar(first, n int) {
	switch {
	case first == firstSpecial || first == firstSpecial+1:
		r.UsesVCC = true
	case first >= r.addressable && first < firstSpecial:
		r.UsesFlatScratch = true // its base, behind those that all programs may use
	case first < firstSpecial:
		r.SGPRs = max(r.SGPRs, first+n)
	}
}
