package isa

import "github.com/gfx-toolchain/gfx/internal/lazy"

// Effects of instructions on operands that follow neither from the form nor
// from the traits. Source: AMD's ISA documents.

var sdstReaders = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"s_setreg_b32": true, "s_cbranch_i_fork": true, "s_waitcnt_vscnt": true,
		"s_waitcnt_vmcnt": true, "s_waitcnt_expcnt": true, "s_waitcnt_lgkmcnt": true}
}}

// ReadsSdst reports whether sdst of a scalar instruction is a source and no
// result: of s_cmpk_*, s_setreg_b32, waits with a register.
func (e Enc) ReadsSdst() bool {
	compare := e.Form() == SOPK && e.Traits().Any(TraitDefScc) && !e.Traits().Any(TraitTied)
	return compare || sdstReaders.Get()[e.Name()]
}

var sdstKeepers = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"s_bitset0_b32": true, "s_bitset0_b64": true, "s_bitset1_b32": true, "s_bitset1_b64": true,
		"s_cmov_b32": true, "s_cmov_b64": true, "s_cmovk_i32": true}
}}

// KeepsSdst reports whether a scalar instruction that is not tied keeps a part
// of its result's old value, or all of it.
func (e Enc) KeepsSdst() bool { return sdstKeepers.Get()[e.Name()] }

var swaps = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"v_swap_b32": true, "v_swap_b16": true, "v_swaprel_b32": true,
		"v_permlane16_swap_b32": true, "v_permlane32_swap_b32": true}
}}

// Swaps reports whether a vector instruction writes its source as well.
func (e Enc) Swaps() bool { return swaps.Get()[e.Name()] }

// HasFormat reports whether a buffer instruction names the format of its data.
func (e Enc) HasFormat() bool { return e.hasOperand(FieldFormat) }
