package isa

// Effects of instructions on operands that follow from their properties.

// ReadsSdst reports whether sdst of a scalar instruction is a source and no
// result: of s_cmpk_*, s_setreg_b32, waits with a register.
func (e Enc) ReadsSdst() bool {
	compare := e.Form() == SOPK && e.Traits().Any(TraitDefScc) && !e.Traits().Any(TraitTied)
	return compare || e.Kinds().Any(KindSdstRead)
}

// KeepsSdst reports whether a scalar instruction that is not tied keeps a part
// of its result's old value, or all of it.
func (e Enc) KeepsSdst() bool { return e.Kinds().Any(KindSdstKeep) }

// Swaps reports whether a vector instruction writes its source as well.
func (e Enc) Swaps() bool { return e.Kinds().Any(KindSwap) }

// HasFormat reports whether a buffer instruction names the format of its data.
func (e Enc) HasFormat() bool { return e.hasOperand(FieldFormat) }
