package codeobject

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/target"
)

// DescriptorError is a problem of a kernel descriptor.
type DescriptorError struct {
	Bit, Width int    // position in the descriptor's 512 bits, as in the user guides
	Problem    string // the violated rule
}

// Error returns the bits and the problem on one line.
func (e *DescriptorError) Error() string {
	if e.Width == 1 {
		return fmt.Sprintf("kernel descriptor: bit %d: %s", e.Bit, e.Problem)
	}
	return fmt.Sprintf("kernel descriptor: bits %d:%d: %s", e.Bit+e.Width-1, e.Bit, e.Problem)
}

// Check compares the descriptor with the user guides' requirements for a
// target: reserved bits, fields that must be 0, limits. It returns all
// problems, each a *DescriptorError. From gfx10 on,
// GRANULATED_WAVEFRONT_SGPR_COUNT may have any value: the hardware ignores it,
// and ROCm's compilers have set it.
func (d *KernelDescriptor) Check(t *target.Target) []error {
	var errs []error
	add := func(bit, width int, format string, args ...any) {
		errs = append(errs, &DescriptorError{bit, width, fmt.Sprintf(format, args...)})
	}
	if t.Processor.Arch() != target.AMDGCN {
		add(0, 8*KernelDescriptorSize, "processor %s has no kernel descriptors", t.Processor)
		return errs
	}
	for _, r := range []struct {
		offset int
		bytes  []byte
	}{{kdReserved0, d.Reserved0[:]}, {kdReserved1, d.Reserved1[:]}, {kdReserved3, d.Reserved3[:]}} {
		for _, b := range r.bytes {
			if b != 0 {
				add(8*r.offset, 8*len(r.bytes), "reserved bits are set")
				break
			}
		}
	}
	for w := WordRsrc3; w <= WordPreload; w++ {
		d.checkWord(t, w, add)
	}
	d.checkLimits(t, add)
	return errs
}

// checkWord checks the bits of a word outside all fields, and fields that must
// be 0.
func (d *KernelDescriptor) checkWord(t *target.Target, w Word, add func(bit, width int, format string, args ...any)) {
	base, known := 8*w.Offset(), uint32(0)
	for i := range descriptorFields {
		f := &descriptorFields[i]
		if f.Word != w || !f.has(t) {
			continue
		}
		known |= f.Mask()
		if v := f.Bits(d); v != 0 && f.Zero {
			add(base+int(f.Shift), int(f.Width), "%s is %d, must be 0 in a code object", f.Name, v)
		}
	}
	for rest := d.Word(w) &^ known; rest != 0; {
		shift := bits.TrailingZeros32(rest)
		width := bits.TrailingZeros32(^(rest >> shift))
		add(base+shift, width, "reserved bits of %s are set, must be 0 on %s", w, t.Processor)
		rest &^= uint32(1<<width-1) << shift
	}
}

// checkLimits checks numbers against each other and against the processor's
// limits.
func (d *KernelDescriptor) checkLimits(t *target.Target, add func(bit, width int, format string, args ...any)) {
	at := func(name string) (f *DescriptorField, bit, width int) {
		f, _ = LookupDescriptorField(t, name)
		return f, 8*f.Word.Offset() + int(f.Shift), int(f.Width)
	}
	limits := d.limits(t)
	f, bit, width := at("USER_SGPR_COUNT")
	count, need := int(f.Bits(d)), d.UserSGPRs(t)
	if count < need {
		add(bit, width, "USER_SGPR_COUNT is %d, but the enabled user data needs %d", count, need)
	}
	if count > limits.UserSGPRs {
		add(bit, width, "USER_SGPR_COUNT is %d, %s has at most %d", count, t.Processor, limits.UserSGPRs)
	}
	f, bit, width = at("ENABLE_VGPR_WORKITEM_ID")
	if int(f.Bits(d)) == len(workItemIDs)-1 {
		add(bit, width, "ENABLE_VGPR_WORKITEM_ID is %d, which is undefined", f.Bits(d))
	}
	_, bit, width = at("GRANULATED_WORKITEM_VGPR_COUNT")
	if n := d.VGPRs(t); n > alignUpInt(limits.AddressableVGPRs, limits.VGPREncodingGranule) {
		add(bit, width, "%d VGPRs, a work-item on %s can have %d", n, t.Processor, limits.AddressableVGPRs)
	}
	if t.Processor.Gen.Is(gfx90a) {
		if f, bit, width = at("ACCUM_OFFSET"); f.Count(d, t) > d.VGPRs(t) {
			add(bit, width, "ACCUM_OFFSET is %d, the kernel has %d VGPRs", f.Count(d, t), d.VGPRs(t))
		}
	}
	if int64(d.GroupSegmentFixedSize) > int64(limits.LDS) {
		add(8*kdGroupSegment, 32, "%d bytes of LDS, a work-group on %s can have %d", d.GroupSegmentFixedSize, t.Processor, limits.LDS)
	}
}

func alignUpInt(v, to int) int { return (v + to - 1) / to * to }
