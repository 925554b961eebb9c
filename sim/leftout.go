package sim

import (
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// leftOutRules are the instructions that are not simulated. Each stands with what it
// needs that no compute kernel here has.
var leftOutRules = []struct {
	name  string
	holds func(e isa.Enc, name string) bool
}{
	{"ray tracing", func(e isa.Enc, name string) bool {
		return strings.HasPrefix(name, "image_bvh") || strings.HasPrefix(name, "ds_bvh_stack")
	}},
	{"images and samplers", func(e isa.Enc, name string) bool { return e.Form() == isa.MIMG }},
	{"exports", func(e isa.Enc, name string) bool { return e.Form() == isa.EXP }},
	{"interpolation of parameters", func(e isa.Enc, name string) bool {
		return e.Form() == isa.VINTRP || e.Form() == isa.VOP3INTERP || name == "lds_param_load"
	}},
}

// LeftOut gives the name of the rule by which an instruction is not simulated on
// any processor; "" for the others.
func LeftOut(e isa.Enc) string {
	name := e.Name()
	for i := range leftOutRules {
		if leftOutRules[i].holds(e, name) {
			return leftOutRules[i].name
		}
	}
	return ""
}

// Supports reports whether processors with an instruction set are simulated.
func Supports(s isa.Set) bool { return simulated(s) }
