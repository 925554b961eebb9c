package mir

import "github.com/gfx-toolchain/gfx/isa"

// ldsForm states that an operation has the encodings of another one that load
// into LDS.
type ldsForm struct {
	op Op
	of string
}

// encodings returns the encodings of an operation on a set.
func (op Op) encodings(s isa.Set) []isa.Enc {
	encs := appendEncs(nil, op.String(), s, false)
	for _, f := range ldsForms {
		if f.op == op {
			encs = appendEncs(encs, f.of, s, true)
		}
	}
	return encs
}

// appendEncs appends the encodings that a set has of an operation: the ones that
// load into LDS, or the others.
func appendEncs(encs []isa.Enc, name string, s isa.Set, lds bool) []isa.Enc {
	if o, several := isa.OperationNamed(name); several {
		name = o.On(s)
	}
	for e, end := isa.EncsNamed(name); e < end; e++ {
		if e.Sets().Has(s) && intoLDS(e) == lds {
			encs = append(encs, e)
		}
	}
	return encs
}

// intoLDS reports whether an encoding is the one that loads into LDS, of an
// instruction that has others as well.
func intoLDS(e isa.Enc) bool {
	return (e.Form() == isa.MUBUF || e.Form() == isa.FLAT) && e.Traits().Any(isa.TraitLds) && !e.Traits().Any(isa.TraitLdsonly|isa.TraitAsync)
}
