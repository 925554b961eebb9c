package inspect

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// place is an address in a section.
type place struct {
	section codeobject.SectionIndex
	addr    uint64
}

// kernels merges the descriptor and the metadata of each kernel, and checks it.
func (b *builder) kernels() {
	b.r.Kernels = []Kernel{}
	bodies, err := b.o.Kernels()
	if err != nil {
		b.unreadable(badDescriptor, err)
	}
	mds := b.kernelMetadata()
	bySymbol := make(map[string]int, len(mds))
	for i := range mds {
		if _, twice := bySymbol[mds[i].symbol]; twice {
			b.addf(kernelTwice, mds[i].kernel.Name, mds[i].place, "another kernel of the metadata has the same symbol %s", mds[i].symbol)
			continue
		}
		bySymbol[mds[i].symbol] = i
	}
	found := make(map[string]bool, len(bodies))
	for i := range bodies {
		body := &bodies[i]
		found[body.Symbol.Name] = true
		var md *kernelMetadata
		if m, ok := bySymbol[body.Symbol.Name]; ok {
			md = &mds[m]
		} else if b.meta != nil || b.v2 != nil {
			b.addf(mdMissing, body.Name, fileOffset(body.Off), "%s is in no metadata", body.Symbol.Name)
		}
		b.kernel(body, md)
	}
	for i := range mds {
		md := &mds[i]
		if !found[md.symbol] && bySymbol[md.symbol] == i {
			if err == nil {
				b.addf(noDescriptor, md.kernel.Name, md.place, "symbol %s is not defined", md.symbol)
			}
			b.kernel(nil, md)
		}
	}
	b.verifyMetadata()
}

// verifyMetadata compares the metadata with the specification and with the
// header.
func (b *builder) verifyMetadata() {
	var errs []error
	switch {
	case b.meta != nil:
		errs = b.meta.Verify(b.head.COV)
		if id := b.meta.Target; id != "" && b.t != nil && id != b.r.Target.ID {
			parsed, err := target.ParseID(id, max(b.head.COV, 3))
			if err != nil || parsed.String() != b.head.ID.String() {
				b.addf(mdTarget, "", "metadata amdhsa.target", "%q, the ELF header has %q", id, b.r.Target.ID)
			}
		}
		b.r.Printf = b.meta.Printf
	case b.v2 != nil:
		errs = b.v2.Verify()
		b.r.Printf = b.v2.Printf
	}
	for _, err := range errs {
		var me *codeobject.MetadataError
		if !errors.As(err, &me) {
			b.addf(mdInvalid, "", "metadata", "%v", err)
			continue
		}
		c := mdInvalid
		if me.Lax {
			c = mdOdd
		}
		b.addf(c, "", "metadata "+me.Path, "%s", me.Problem)
	}
}

// kernel adds a kernel, whose body or metadata may be missing.
func (b *builder) kernel(body *codeobject.KernelSymbol, md *kernelMetadata) {
	b.r.Kernels = append(b.r.Kernels, Kernel{})
	k := &b.r.Kernels[len(b.r.Kernels)-1]
	if md != nil {
		*k = md.kernel
		k.HasMetadata = true
	}
	if b.ctx.Err() != nil { // the report is not returned
		return
	}
	if body != nil {
		c := b.checker(k, body, md)
		c.describe()
		c.code()
		c.checkKernel()
	}
	k.Occupancy = b.occupancy(k)
	if k.Args == nil {
		k.Args = []Arg{}
	}
	if md != nil {
		b.checkArgs(k, md)
	}
	if o := k.Occupancy; o != nil && o.WavesPerEU == 0 {
		b.addf(groupTooLarge, k.Name, "", "a work-group of %d work-items has no place on a CU: %s", k.MaxFlatWorkGroup, o.Limit)
	}
}

// checker checks one kernel.
type checker struct {
	*builder
	k    *Kernel
	body *codeobject.KernelSymbol
	md   *kernelMetadata
	d    *codeobject.KernelDescriptor
	at   string // location of the descriptor
}

func (b *builder) checker(k *Kernel, body *codeobject.KernelSymbol, md *kernelMetadata) *checker {
	c := &checker{builder: b, k: k, body: body, md: md, d: body.Descriptor}
	if k.Name == "" {
		k.Name = body.Name
	}
	k.Symbol = body.Symbol.Name
	c.at = fmt.Sprintf("%s, %s", body.Symbol.Name, fileOffset(body.Off))
	if body.Code != nil {
		d := asDescriptor(body.Code)
		c.d = &d
	}
	return c
}

// asDescriptor returns the parts of an amd_kernel_code_t that kernel
// descriptors have in the same bits.
func asDescriptor(k *codeobject.KernelCode) codeobject.KernelDescriptor {
	return codeobject.KernelDescriptor{
		GroupSegmentFixedSize: k.WorkgroupGroupSegmentByteSize, PrivateSegmentFixedSize: k.WorkitemPrivateSegmentByteSize,
		KernargSize: uint32(min(k.KernargSegmentByteSize, 1<<32-1)), KernelCodeEntryByteOffset: k.KernelCodeEntryByteOffset,
		ComputePgmRsrc1: k.ComputePgmRsrc1, ComputePgmRsrc2: k.ComputePgmRsrc2, KernelCodeProperties: uint16(k.CodeProperties),
	}
}

// describe adds the facts in the descriptor to the report.
func (c *checker) describe() {
	k, d := c.k, c.d
	if !c.brief {
		k.Descriptor = c.descriptor()
	}
	if c.md == nil {
		k.LDS, k.Scratch, k.KernargSize = uint64(d.GroupSegmentFixedSize), uint64(d.PrivateSegmentFixedSize), uint64(d.KernargSize)
	}
	if c.t == nil || c.t.Processor.Arch() != target.AMDGCN {
		return
	}
	if c.md == nil || k.WaveSize == 0 {
		k.WaveSize = d.WaveSize(c.t)
		k.DynamicStack = k.DynamicStack || c.bit("USES_DYNAMIC_STACK")
	}
	if k.WGPMode == nil && c.t.Processor.Is(target.GFX10_1) {
		on := c.bit("WGP_MODE")
		k.WGPMode = &on
	}
	vgprs, sgprs := d.VGPRs(c.t), d.SGPRs(c.t)
	k.SGPRs.Granted = &sgprs
	limits := c.t.Limits()
	switch {
	case limits.UnifiedVGPRs && c.body.Code == nil:
		f, _ := codeobject.LookupDescriptorField(c.t, "ACCUM_OFFSET")
		arch := min(f.Count(d, c.t), vgprs)
		acc := vgprs - arch
		k.VGPRs.Granted, k.AGPRs.Granted, k.UnifiedVGPRs = &arch, &acc, true
	case limits.AGPRs > 0:
		acc := vgprs
		k.VGPRs.Granted, k.AGPRs.Granted = &vgprs, &acc
	default:
		k.VGPRs.Granted = &vgprs
	}
}

// bit reports whether the descriptor has the field and its value is not 0.
func (c *checker) bit(name string) bool {
	f, missing := codeobject.LookupDescriptorField(c.t, name)
	return f != nil && missing == "" && f.Bits(c.d) != 0
}

// entry returns the section of the kernel's code and its address there. ok is
// false if they are unknown.
func (c *checker) entry() (sec codeobject.SectionIndex, addr uint64, ok bool) {
	body := c.body
	if c.o.Type == codeobject.ET_REL && body.Descriptor != nil {
		return c.relocatedEntry()
	}
	addr = body.Address + uint64(c.d.KernelCodeEntryByteOffset)
	if c.o.Type == codeobject.ET_REL {
		return body.Symbol.Section, addr, true
	}
	return c.sectionAt(addr), addr, true
}

// entryOffset is the offset of kernel_code_entry_byte_offset in a descriptor.
const entryOffset = 16

// relocatedEntry returns the entry of the kernel from the relocation of the
// descriptor's entry offset, S + A − P.
func (c *checker) relocatedEntry() (codeobject.SectionIndex, uint64, bool) {
	r, ok := c.entryRelocs()[place{c.body.Symbol.Section, c.body.Address + entryOffset}]
	if ok && r.symbol.Section != codeobject.SHN_UNDEF && !r.symbol.Section.Reserved() {
		return r.symbol.Section, r.symbol.Value + uint64(r.addend) - entryOffset, true
	}
	addr := c.body.Address + uint64(c.d.KernelCodeEntryByteOffset) // the same section
	return c.body.Symbol.Section, addr, !ok && c.d.KernelCodeEntryByteOffset != 0
}

// code finds the kernel's instructions and their registers.
func (c *checker) code() {
	index, addr, ok := c.entry()
	if !ok {
		return
	}
	if addr%256 != 0 {
		c.addf(entryAlign, c.k.Name, c.at, "the entry at %#x is not aligned to 256 bytes", addr)
	}
	if uint64(index) >= uint64(len(c.o.Sections)) || c.o.Sections[index].Flags&codeobject.SHF_EXECINSTR == 0 {
		c.addf(entryOutside, c.k.Name, c.at, "the entry at %#x is in no section with code", addr)
		return
	}
	sec := c.o.Sections[index]
	base := sec.Addr
	if c.o.Type == codeobject.ET_REL {
		base = 0
	}
	off := addr - base
	if off >= uint64(len(sec.Data)) {
		c.addf(entryOutside, c.k.Name, c.at, "the entry at %#x is beyond section %s of %d bytes", addr, sec.Name, len(sec.Data))
		return
	}
	size := c.codeSize(index, sec, addr, uint64(len(sec.Data))-off)
	code := Code{Section: sec.Name, Address: addr, Offset: sec.Offset + off, Size: size}
	c.k.Code = &code
	if c.t == nil {
		return
	}
	s, done := scannerFor(c.t, c.d.WaveSize(c.t))
	if s == nil {
		return
	}
	defer done()
	u, ok := c.decode(s, place{index, addr}, sec.Data[off:][:size])
	if !ok {
		c.addf(codeOverlap, c.k.Name, c.at, "the code at %#x overlaps other kernels' code and is not checked", addr)
		return
	}
	c.used(&code, u)
}

// used adds the registers of the code to the report.
func (c *checker) used(code *Code, u use) {
	code.Instructions, code.Undecodable, code.UsesVCC, code.UsesFlatScr = u.instructions, u.undecodable, u.vcc, u.flatScratch
	c.k.VGPRs.Used, c.k.SGPRs.Used = &u.vgprs, &u.sgprs
	if c.k.AGPRs.Granted != nil {
		c.k.AGPRs.Used = &u.agprs
	}
}

// codeSize returns the size of the code at an entry: the size of the symbol of
// the kernel's name, else the distance to the next symbol. It adds a finding if
// the kernel's symbol has another address.
func (c *checker) codeSize(index codeobject.SectionIndex, sec *codeobject.Section, addr, rest uint64) uint64 {
	for _, s := range c.byAddr[place{index, addr}] {
		if s.Size > 0 && s.Size <= rest {
			return s.Size
		}
	}
	if c.body.Code != nil { // the symbol of V2 is the address of the amd_kernel_code_t
		if head := addr - c.body.Address; c.body.Symbol.Size > head && addr >= c.body.Address && c.body.Symbol.Size-head <= rest {
			return c.body.Symbol.Size - head
		}
	} else if len(c.byAddr[place{index, addr}]) == 0 {
		c.addf(entrySymbol, c.k.Name, c.at, "no symbol is at the entry, %#x in %s", addr, sec.Name)
	}
	return c.toNextSymbol(place{index, addr}, rest)
}
