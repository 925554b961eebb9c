package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/target"
)

// isGPU reports whether the processor is known and of generation g or a
// successor.
func isGPU(ctx *opt.Context, g target.Generation) bool {
	return ctx.Target != nil && ctx.Target.Processor.Is(g)
}

// unaligned reports whether memory accesses may have any alignment.
func unaligned(ctx *opt.Context) bool {
	return isGPU(ctx, target.GFX9) && ctx.Target.Has(target.FeatureUnalignedAccessMode)
}

// accessBytes returns the maximum size in bytes of one access to an address
// space at an alignment: 1, 2, 4, 8 or 16. For an unknown processor it returns
// the size that all processors support.
func accessBytes(ctx *opt.Context, space uint32, align uint32) uint64 {
	if align == 2 { // the hardware would split a wider access at odd half-words into bytes
		return 2
	}
	if unaligned(ctx) && (space != addrspace.Private || ctx.Target.Has(target.FeatureEnableFlatScratch)) {
		align = max(align, 4)
	}
	switch {
	case align < 4:
		return uint64(align)
	case space == addrspace.Local || space == addrspace.Region:
		return 8 // ds_read2_b32 reads two words at any addresses
	case space == addrspace.Private && (ctx.Target == nil || !ctx.Target.Has(target.FeatureEnableFlatScratch)):
		return 4
	}
	return 16
}
