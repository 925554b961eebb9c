package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// memRules describes the memory access instructions of a target. Without a
// target, it describes the subset that all targets support.
type memRules struct {
	gfx7, gfx9  bool
	unaligned   bool // the hardware accepts any alignment
	flatScratch bool // scratch instructions access up to 16 bytes
}

// memRulesOf returns the rules for a module.
func memRulesOf(ctx *opt.Context, m *ir.Module) memRules {
	r := memRules{gfx7: isGPU(ctx, target.GFX7), gfx9: isGPU(ctx, target.GFX9)}
	if t := ctx.Target; t != nil {
		r.unaligned = osOf(ctx, m) == target.AMDHSA || t.Has(target.FeatureUnalignedAccessMode)
		r.flatScratch = r.gfx9 && (t.Has(target.FeatureEnableFlatScratch) || t.Has(target.FeatureArchitectedFlatScratch))
	}
	return r
}

// legal reports whether one instruction can access a number of bytes (1, 2, 4,
// 8, 12 or 16) in an address space at an alignment, at least as fast as several
// instructions.
func (r *memRules) legal(space uint32, bytes, align uint64) bool {
	natural := align >= min(bytes, 4)
	switch space {
	case addrspace.Private:
		if !r.flatScratch && bytes > 4 {
			return false
		}
		return natural || r.gfx9 && r.unaligned
	case addrspace.Flat: // may be scratch memory
		if !r.gfx9 && bytes > 4 {
			return false
		}
		return natural || r.gfx9 && r.unaligned
	case addrspace.Local, addrspace.Region:
		return r.legalLDS(bytes, align)
	}
	if bytes == 12 && !r.gfx7 {
		return false
	}
	return natural || r.gfx7 && r.unaligned
}

// legalLDS is legal for LDS, where memory that is aligned to 4 bytes is best
// read as two dwords, and memory aligned to 8 as two pairs.
func (r *memRules) legalLDS(bytes, align uint64) bool {
	anywhere := r.gfx9 && r.unaligned
	switch {
	case bytes <= 4:
		return align >= bytes || anywhere
	case bytes == 8:
		return align >= 8 || r.gfx7 && align >= 4 || anywhere
	case !r.gfx7:
		return false
	case align >= 16:
		return true
	}
	return anywhere && (align < 4 || bytes == 16 && align >= 8)
}

// widest returns the largest legal access of at most left bytes that is a
// multiple of unit (1, 2, 4 or 8), or 0.
func (r *memRules) widest(space uint32, left, align, unit uint64) uint64 {
	for _, w := range [...]uint64{16, 12, 8, 4, 2, 1} {
		if w <= left && w%unit == 0 && r.legal(space, w, align) {
			return w
		}
	}
	return 0
}
