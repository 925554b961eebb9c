package codeobject

import (
	"fmt"
	"iter"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/target"
)

// DescriptorFields returns the fields of a kernel descriptor for a target, in
// the order in which llvm-objdump shows them, including those without a word.
func DescriptorFields(t *target.Target) iter.Seq[*DescriptorField] {
	return func(yield func(*DescriptorField) bool) {
		for i := range descriptorFields {
			if f := &descriptorFields[i]; f.has(t) && !yield(f) {
				return
			}
		}
	}
}

// AllDescriptorFields returns all rows of the table. The caller must not modify
// the returned slice.
func AllDescriptorFields() []DescriptorField { return descriptorFields[:] }

// LookupDescriptorField returns the field with a name (such as "MEM_ORDERED")
// or a directive (such as ".amdhsa_memory_ordered") on a target. If only other
// targets have it, it returns one of their fields and the missing requirement:
// "requires gfx10+". For an unknown name it returns nil.
func LookupDescriptorField(t *target.Target, name string) (f *DescriptorField, missing string) {
	for _, row := range descriptorFieldsByName.Get()[name] {
		why := row.Missing(t)
		if why == "" {
			return row, ""
		}
		f, missing = row, why
	}
	return f, missing
}

// descriptorFieldsByName lists the rows of the table by name and by directive.
var descriptorFieldsByName = lazy.Value[map[string][]*DescriptorField]{Make: func() map[string][]*DescriptorField {
	rows := map[string][]*DescriptorField{}
	for i := range descriptorFields {
		row := &descriptorFields[i]
		rows[row.Name] = append(rows[row.Name], row)
		if row.Directive != "" && row.Directive != row.Name {
			rows[row.Directive] = append(rows[row.Directive], row)
		}
	}
	return rows
}}

// has reports whether a target has the field.
func (f *DescriptorField) has(t *target.Target) bool {
	c := &conditions[f.When]
	return t.Processor.Arch() == target.AMDGCN && f.inGeneration(t) && (c.holds == nil || c.holds(t))
}

func (f *DescriptorField) inGeneration(t *target.Target) bool {
	gen := t.Processor.Gen
	return (f.from == target.NoGeneration || gen.Is(f.from)) && (f.before == target.NoGeneration || !gen.Is(f.before))
}

// Missing returns the reason why a target does not have the field, such as
// "requires gfx10+", or "" if it has the field.
func (f *DescriptorField) Missing(t *target.Target) string {
	switch {
	case f.has(t):
		return ""
	case t.Processor.Arch() != target.AMDGCN:
		return "requires an amdgcn processor"
	case !f.inGeneration(t):
		return f.generationText()
	}
	return conditions[f.When].missing
}

// conditions has a row for each Condition. A condition without a function is
// true on every target.
var conditions = [...]struct {
	holds   func(*target.Target) bool
	missing string
}{
	WhenFlatScratchByProgram:  {func(t *target.Target) bool { return !t.Has(target.FeatureArchitectedFlatScratch) }, "is not supported with architected flat scratch"},
	WhenFlatScratchByHardware: {func(t *target.Target) bool { return t.Has(target.FeatureArchitectedFlatScratch) }, "is not supported without architected flat scratch"},
	WhenKernargPreload:        {func(t *target.Target) bool { return t.Has(target.FeatureKernargPreload) }, "requires gfx90a+"},
	WhenWave64:                {},
}

// generationText describes the generations that have the field.
func (f *DescriptorField) generationText() string {
	from, before := generationNames.Get()[f.from], generationNames.Get()[f.before]
	switch {
	case f.before == target.NoGeneration:
		return "requires " + from + "+"
	case f.from == target.NoGeneration:
		return "is unsupported on " + before + "+"
	}
	return "requires " + from + " or later, before " + before
}

// generationNames lists the names of the generations at which fields are added
// and removed, as in LLVM's messages.
var generationNames = lazy.Value[map[target.Generation]string]{Make: func() map[target.Generation]string {
	return map[target.Generation]string{
		gfx7: "gfx7", gfx8: "gfx8", gfx9: "gfx9", gfx90a: "gfx90a",
		gfx10: "gfx10", gfx11: "gfx11", gfx12: "gfx12", gfx12_5: "gfx1250",
	}
}}

// Required reports whether the directive has no default.
func (f *DescriptorField) Required() bool { return f.initial == defaultRequired }

// DefaultFor returns the bits of the field if the directive is absent; 0 if the
// directive is required.
func (f *DescriptorField) DefaultFor(t *target.Target) uint32 {
	on := false
	switch f.initial {
	case defaultWave32:
		on = t.WaveSize() == 32
	case defaultWGP:
		on = !t.Has(target.FeatureCUMode)
	case defaultTgSplit:
		on = t.Has(target.FeatureTgSplit)
	case defaultXNACK:
		on = t.XNACK.OnOrAny()
	case defaultRequired:
	default:
		return uint32(f.initial)
	}
	if on {
		return 1
	}
	return 0
}

// Max returns the largest number that fits in the field.
func (f *DescriptorField) Max() uint32 { return uint32(1<<f.Width - 1) }

// Mask returns the mask of the field in the word.
func (f *DescriptorField) Mask() uint32 { return f.Max() << f.Shift }

// Bits returns the field's bits.
func (f *DescriptorField) Bits(d *KernelDescriptor) uint32 {
	return d.Word(f.Word) >> f.Shift & f.Max()
}

// SetBits sets the field's bits. It truncates a value that does not fit.
func (f *DescriptorField) SetBits(d *KernelDescriptor, v uint32) {
	if f.Word != NoWord {
		d.setWord(f.Word, d.Word(f.Word)&^f.Mask()|v<<f.Shift&f.Mask())
	}
}

// Meaning returns a short description of a value of the field's bits, or "".
func (f *DescriptorField) Meaning(bits uint32) string {
	if uint64(bits) < uint64(len(f.Values)) {
		return f.Values[bits]
	}
	return ""
}

// Count returns the field's value in its unit: registers, bytes; the bits
// themselves for fields without a unit. d determines the wavefront size. For
// VGPRs and SGPRs it is the largest number that the bits allow.
func (f *DescriptorField) Count(d *KernelDescriptor, t *target.Target) int {
	g, bias := f.granule(d, t)
	return (int(f.Bits(d)) + bias) * g
}

// SetCount sets the bits from a value in the field's unit, rounded up to a
// granule. It returns an error if the value does not fit in the field.
func (f *DescriptorField) SetCount(d *KernelDescriptor, t *target.Target, n int) error {
	g, bias := f.granule(d, t)
	blocks := n/g - bias
	if n%g != 0 {
		blocks++
	}
	blocks = max(blocks, 0)
	if n < 0 || uint64(blocks) > uint64(f.Max()) {
		return fmt.Errorf("%s of %d is out of range, expected 0 to %d", f.Name, n, (int(f.Max())+bias)*g)
	}
	f.SetBits(d, uint32(blocks))
	return nil
}

// Granules of fields that are the same on all processors.
const (
	accumGranule      = 4   // VGPRs
	sharedVGPRGranule = 8   // VGPRs
	cacheLine         = 128 // bytes
	barrierGranule    = 4   // named barriers
	dword             = 4   // bytes
)

// granule returns the size of the field's blocks, and the number of blocks that
// the bits 0 represent.
func (f *DescriptorField) granule(d *KernelDescriptor, t *target.Target) (size, bias int) {
	switch f.Unit {
	case UnitVGPRs:
		return d.limits(t).VGPREncodingGranule, 1
	case UnitSGPRs:
		return d.limits(t).SGPREncodingGranule, 1
	case UnitLDS:
		return d.limits(t).LDSGranule, 0
	case UnitAccumOffset:
		return accumGranule, 1
	case UnitSharedVGPRs:
		return sharedVGPRGranule, 0
	case UnitCacheLines:
		return cacheLine, 0
	case UnitNamedBarriers:
		return barrierGranule, 0
	case UnitDwords:
		return dword, 0
	}
	return 1, 0
}

// WaveSize returns the wavefront size of the kernel: 32 or 64.
func (d *KernelDescriptor) WaveSize(t *target.Target) int {
	if f, missing := LookupDescriptorField(t, "ENABLE_WAVEFRONT_SIZE32"); missing == "" && f.Bits(d) == 1 {
		return 32
	}
	return 64
}

// limits returns the processor's limits for the wavefront size of the kernel.
func (d *KernelDescriptor) limits(t *target.Target) target.Limits {
	features := t.Features.Without(target.FeatureWave32).With(target.FeatureWave64)
	if d.WaveSize(t) == 32 {
		features = t.Features.Without(target.FeatureWave64).With(target.FeatureWave32)
	}
	return t.Processor.Limits(features)
}

// VGPRs returns the number of VGPRs per work-item of the kernel.
func (d *KernelDescriptor) VGPRs(t *target.Target) int {
	return d.count(t, "GRANULATED_WORKITEM_VGPR_COUNT")
}

// SGPRs returns the number of SGPRs that the descriptor requests, including VCC
// and other special registers. From gfx10 on every wave has all SGPRs.
func (d *KernelDescriptor) SGPRs(t *target.Target) int {
	if t.Processor.Gen.Is(gfx10) {
		return d.limits(t).AddressableSGPRs
	}
	return d.count(t, "GRANULATED_WAVEFRONT_SGPR_COUNT")
}

// SetSGPRs sets the SGPR fields for a kernel whose highest SGPR is n-1 and that
// uses VCC, the flat scratch base and the XNACK mask as given, by LLVM's
// formula. The assembler assumes that the first two are used unless a directive
// specifies otherwise, on gfx6 as well. SetSGPRs returns an error if the
// processor has too few SGPRs.
func (d *KernelDescriptor) SetSGPRs(t *target.Target, n int, vcc, flatScratch, xnack bool) error {
	f, missing := LookupDescriptorField(t, "GRANULATED_WAVEFRONT_SGPR_COUNT")
	if missing != "" {
		return fmt.Errorf("%s %s", f.Name, missing)
	}
	if t.Processor.Gen.Is(gfx10) {
		f.SetBits(d, 0)
		return nil
	}
	limit, bug := d.limits(t).AddressableSGPRs, t.Has(target.FeatureSGPRInitBug)
	all := n + t.SpecialSGPRs(vcc, flatScratch, xnack)
	check := n // from gfx8 on, the special registers follow the addressable ones
	if bug || !t.Processor.Gen.Is(gfx8) {
		check = all
	}
	if n < 0 || check > limit {
		return fmt.Errorf("%d SGPRs, %s has %d", check, t.Processor, limit)
	}
	if bug {
		all = target.FixedSGPRs
	}
	return f.SetCount(d, t, all)
}

func (d *KernelDescriptor) count(t *target.Target, name string) int {
	f, missing := LookupDescriptorField(t, name)
	if missing != "" {
		return 0
	}
	return f.Count(d, t)
}

// UserSGPRs returns the number of SGPRs of the enabled user data, the minimum
// of USER_SGPR_COUNT.
func (d *KernelDescriptor) UserSGPRs(t *target.Target) int {
	n := 0
	for f := range DescriptorFields(t) {
		n += int(f.sgprs) * int(f.Bits(d))
	}
	return n
}
