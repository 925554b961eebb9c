package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Resources holds the machine resources that a function needs, excluding its
// callees.
type Resources struct {
	SGPRs           int    // one more than the highest, without VCC and other special registers
	VGPRs           int    // one more than the highest
	AGPRs           int    // one more than the highest
	ScratchBytes    uint64 // per lane
	CallArgBytes    uint64 // maximum stack size of a call's arguments, per lane, at the stack pointer
	LDSBytes        uint64
	UsesVCC         bool
	UsesFlatScratch bool
	DynamicStack    bool // size unknown at compile time
	HasRecursion    bool
	HasCalls        bool     // indirect calls, which Callees does not list
	Callees         []string // called functions, without duplicates
	SpilledSGPRs    int
	SpilledVGPRs    int

	addressable int
}

// firstSpecial is the index of VCC, the first scalar register that is not a
// general one on any processor.
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

// countShift allocates one more VGPR for 64-bit shifts on gfx90a that would
// otherwise fail, because the register of their amount is the last one
// allocated. (LLVM: Shift64HighRegBug.)
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
		r.UsesFlatScratch = true // its base, which follows the general registers
	case first < firstSpecial:
		r.SGPRs = max(r.SGPRs, first+n)
	}
}
