package opt

import "github.com/gfx-toolchain/gfx/target"

// isGPU reports whether the processor is known and of generation g or a
// successor.
func (ctx *Context) isGPU(g target.Generation) bool {
	return ctx.Target != nil && ctx.Target.Processor.Is(g)
}

// unaligned reports whether memory accesses may have any alignment.
func (ctx *Context) unaligned() bool {
	return ctx.isGPU(target.GFX9) && ctx.Target.Has(target.FeatureUnalignedAccessMode)
}

// accessBytes returns the maximum size in bytes of one access to an address
// space at an alignment: 1, 2, 4, 8 or 16. For an unknown processor it returns
// the size that all processors support.
func (ctx *Context) accessBytes(space uint32, align uint32) uint64 {
	if align == 2 { // the hardware would split a wider access at odd half-words into bytes
		return 2
	}
	if ctx.unaligned() && (space != spacePrivate || ctx.Target.Has(target.FeatureEnableFlatScratch)) {
		align = max(align, 4)
	}
	switch {
	case align < 4:
		return uint64(align)
	case space == spaceLocal || space == spaceRegion:
		return 8 // ds_read2_b32 reads two words at any addresses
	case space == spacePrivate && (ctx.Target == nil || !ctx.Target.Has(target.FeatureEnableFlatScratch)):
		return 4
	}
	return 16
}
