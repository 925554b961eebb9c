package opt

import "github.com/gfx-toolchain/gfx/target"

// isGPU reports whether the processor is known and of a generation or one of its successors.
func (ctx *Context) isGPU(g target.Generation) bool {
	return ctx.Target != nil && ctx.Target.Processor.Is(g)
}

// unaligned reports whether memory accesses may have any alignment.
func (ctx *Context) unaligned() bool {
	return ctx.isGPU(target.GFX9) && ctx.Target.Has(target.FeatureUnalignedAccessMode)
}

// accessBytes gives how many bytes, at most 16, one access to an address space may have at an alignment in bytes: 1, 2, 4, 8 or 16. When
// the processor is not known it is what all can do.
func (ctx *Context) accessBytes(space uint32, align uint32) uint64 {
	if align == 2 { // the hardware would split a wider access at odd halves of a word into bytes
		return 2
	}
	if ctx.unaligned() && (space != spacePrivate || ctx.Target.Has(target.FeatureEnableFlatScratch)) {
		align = max(align, 4)
	}
	switch {
	case align < 4:
		return uint64(align)
	case space == spaceLocal || space == spaceRegion:
		return 8 // ds_read2_b32 takes two words anywhere
	case space == spacePrivate && (ctx.Target == nil || !ctx.Target.Has(target.FeatureEnableFlatScratch)):
		return 4
	}
	return 16
}
