package analysis

import "github.com/gfx-toolchain/gfx/ir"

// Ordering returns the ordering of an atomic operation: of a compare-and-swap,
// the weakest one that includes the orderings of success and failure. Source: LLVM,
// getMergedAtomicOrdering.
func Ordering(mi ir.MemInfo) ir.Ordering {
	switch s, f := mi.Ordering, mi.Failure; {
	case f == ir.SeqCst:
		return f
	case f == ir.Acquire && s == ir.Release:
		return ir.AcqRel
	default:
		return max(s, f)
	}
}
