package sim

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// leftOutRules lists the instructions that are not simulated, with the feature
// that they require.
var leftOutRules = []struct {
	name  string
	holds func(e isa.Enc) bool
}{
	{"saving of tensor transfers", func(e isa.Enc) bool {
		return e.Form() == isa.FLAT && e.Traits().Any(isa.TraitTensor)
	}},
	{"transposing loads in wave64", func(e isa.Enc) bool {
		return e.Kinds().Any(isa.KindTranspose) && e.Traits().Any(isa.TraitW64)
	}},
}

// LeftOut returns the name of the feature because of which an instruction is
// not simulated on any processor. It returns "" for simulated instructions.
func LeftOut(e isa.Enc) string {
	for i := range leftOutRules {
		if leftOutRules[i].holds(e) {
			return leftOutRules[i].name
		}
	}
	return ""
}

// Supports reports whether processors with instruction set s are simulated.
func Supports(s isa.Set) bool { return s.Has(isa.Simulated) }
