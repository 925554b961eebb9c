package inspect

import (
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// checkKernel compares the descriptor of a kernel with its metadata and its
// code.
func (c *checker) checkKernel() {
	c.checkDescriptor()
	if c.t != nil && c.t.Processor.Arch() == target.AMDGCN {
		c.checkGranted()
		c.checkCode()
	}
	if c.md != nil && c.md.props {
		c.checkSizes()
	}
}

// checkDescriptor checks the descriptor alone.
func (c *checker) checkDescriptor() {
	if c.body.Descriptor == nil {
		if c.body.Address%codeobject.KernelCodeSize != 0 {
			c.addf(descAlign, c.k.Name, c.at, "address %#x is not aligned to %d bytes", c.body.Address, codeobject.KernelCodeSize)
		}
		return
	}
	if c.body.Address%codeobject.KernelDescriptorSize != 0 {
		c.addf(descAlign, c.k.Name, c.at, "address %#x is not aligned to %d bytes", c.body.Address, codeobject.KernelDescriptorSize)
	}
	if c.t == nil {
		return
	}
	for _, err := range c.d.Check(c.t) {
		text := err.Error()
		if e, ok := err.(*codeobject.DescriptorError); ok {
			text = e.Error()
		}
		c.addf(descReserved, c.k.Name, c.at, "%s", text)
	}
}

// checkGranted compares the registers in the metadata with the registers that
// the descriptor grants. From gfx10 on a wave has all SGPRs.
func (c *checker) checkGranted() {
	k := c.k
	all := valueOf(k.VGPRs.Granted)
	if k.UnifiedVGPRs {
		all += valueOf(k.AGPRs.Granted)
	}
	over := func(kind *check, what string, told *int, granted int) {
		if told != nil && *told > granted {
			c.addf(kind, k.Name, c.at, "the metadata have %d %s, the descriptor grants %d", *told, what, granted)
		}
	}
	over(vgprMetadata, "VGPRs", k.VGPRs.Metadata, all)
	if k.AGPRs.Granted != nil {
		over(agprMetadata, "AGPRs", k.AGPRs.Metadata, *k.AGPRs.Granted)
	}
	if !c.t.Processor.Is(target.GFX10_1) {
		over(sgprMetadata, "SGPRs", k.SGPRs.Metadata, valueOf(k.SGPRs.Granted))
	}
}

// checkCode compares the registers in the code with the registers that the
// descriptor grants.
func (c *checker) checkCode() {
	k := c.k
	if k.Code == nil || k.VGPRs.Used == nil {
		return
	}
	at := c.at
	if k.Code.Undecodable > 0 {
		c.addf(undecodable, k.Name, fileOffset(k.Code.Offset), "%d of its words are no instruction of %s", k.Code.Undecodable, c.t.Processor)
	}
	over := func(kind *check, letter string, used *int, granted int) {
		if used != nil && *used > granted {
			c.addf(kind, k.Name, at, "the code uses %s%d, the descriptor grants %s0 to %s%d", letter, *used-1, letter, letter, granted-1)
		}
	}
	over(vgprCode, "v", k.VGPRs.Used, valueOf(k.VGPRs.Granted))
	if k.AGPRs.Granted != nil {
		over(agprCode, "a", k.AGPRs.Used, *k.AGPRs.Granted)
	}
	if c.t.Processor.Is(target.GFX10_1) {
		return
	}
	granted := valueOf(k.SGPRs.Granted)
	over(sgprCode, "s", k.SGPRs.Used, granted)
	special := c.t.SpecialSGPRs(k.Code.UsesVCC, k.Code.UsesFlatScr, false)
	if used := valueOf(k.SGPRs.Used); used <= granted && used+special > granted && special > 0 {
		c.addf(sgprSpecial, k.Name, at, "the code uses s%d, the last %d of %d SGPRs are VCC and other special registers that it uses", used-1, special, granted)
	}
}

// checkSizes compares the sizes that descriptor and metadata both record.
func (c *checker) checkSizes() {
	k, d, m := c.k, c.d, &c.md.kernel
	differ := func(kind *check, what string, told, has uint64) {
		if told != has {
			c.addf(kind, k.Name, c.at, "%s: %d in the metadata, %d in the descriptor", what, told, has)
		}
	}
	differ(ldsSize, "bytes of LDS", m.LDS, uint64(d.GroupSegmentFixedSize))
	differ(scratchSize, "bytes of scratch memory", m.Scratch, uint64(d.PrivateSegmentFixedSize))
	if d.KernargSize != 0 || c.head.COV > 3 { // 0 in V3 does not mean none
		differ(kernargSize, "bytes of arguments", m.KernargSize, uint64(d.KernargSize))
	}
	if c.t == nil || c.t.Processor.Arch() != target.AMDGCN {
		return
	}
	differ(waveSize, "wave size", uint64(m.WaveSize), uint64(d.WaveSize(c.t)))
	if c.body.Code != nil {
		return
	}
	has := c.bit("USES_DYNAMIC_STACK")
	if told := c.md.stack; told != nil && *told != has {
		c.addf(dynamicStack, k.Name, c.at, ".uses_dynamic_stack is %v, USES_DYNAMIC_STACK is %v", *told, has)
	}
	if told := c.md.wgp; told != nil && c.t.Processor.Is(target.GFX10_1) && *told != c.bit("WGP_MODE") {
		c.addf(wgpMode, k.Name, c.at, ".workgroup_processor_mode is %v, WGP_MODE is %v", *told, c.bit("WGP_MODE"))
	}
}

// checkArgs checks that the arguments do not overlap and are inside the kernarg
// segment.
func (b *builder) checkArgs(k *Kernel, md *kernelMetadata) {
	order := make([]int, len(k.Args))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case k.Args[x].Offset < k.Args[y].Offset:
			return -1
		case k.Args[x].Offset > k.Args[y].Offset:
			return 1
		}
		return 0
	})
	end := uint64(0)
	for _, i := range order {
		a := &k.Args[i]
		switch {
		case md.props && (a.Offset > k.KernargSize || a.Size > k.KernargSize-a.Offset):
			b.addf(argOutside, k.Name, md.place, "argument %d (%s) takes %d bytes from offset %d on, there are %d", i, a.label(), a.Size, a.Offset, k.KernargSize)
		case a.Offset < end && a.Size > 0:
			b.addf(argOverlap, k.Name, md.place, "argument %d (%s) at offset %d overlaps the one before, which ends at %d", i, a.label(), a.Offset, end)
		}
		if a.Size > 0 {
			end = max(end, a.Offset+min(a.Size, 1<<63))
		}
	}
}

// label returns the name of an argument, or its kind.
func (a *Arg) label() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Kind
}
