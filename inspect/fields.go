package inspect

import (
	"fmt"
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// unitNames holds the units of counts.
var unitNames = lazy.Value[map[codeobject.Unit]string]{Make: func() map[codeobject.Unit]string {
	return map[codeobject.Unit]string{
		codeobject.UnitBytes: "bytes", codeobject.UnitVGPRs: "VGPRs", codeobject.UnitSGPRs: "SGPRs", codeobject.UnitAccumOffset: "VGPRs before the AGPRs",
		codeobject.UnitLDS: "bytes", codeobject.UnitSharedVGPRs: "VGPRs", codeobject.UnitCacheLines: "bytes of code",
		codeobject.UnitNamedBarriers: "named barriers", codeobject.UnitDwords: "bytes",
	}
}}

// descriptor returns the kernel's descriptor field by field.
func (c *checker) descriptor() *Descriptor {
	body := c.body
	d := &Descriptor{Kind: "kernel descriptor", Section: c.sectionOf(body.Symbol), Address: body.Address, Offset: body.Off, Entry: c.d.KernelCodeEntryByteOffset, Fields: []Field{}}
	if body.Code != nil {
		d.Kind = "amd_kernel_code_t"
	}
	// Overlapping descriptors could turn a small file into a large report.
	block := place{body.Symbol.Section, body.Address / codeobject.KernelDescriptorSize}
	if old := c.described[block]; old != nil {
		if old.Address == d.Address {
			d.Fields = old.Fields
		}
		return d
	}
	if c.described == nil {
		c.described = make(map[place]*Descriptor)
	}
	c.described[block] = d
	switch {
	case body.Code != nil:
		d.Fields = c.codeFields()
	case c.t != nil:
		d.Fields = c.descriptorFields()
	}
	return d
}

// descriptorFields returns the fields of a kernel descriptor.
func (c *checker) descriptorFields() []Field {
	list := []Field{}
	for f := range codeobject.DescriptorFields(c.t) {
		if f.Word == codeobject.NoWord {
			continue
		}
		out := Field{Name: f.Name, Value: int64(f.Bits(c.d)), Meaning: c.meaning(f)}
		if f.Word.String() != lower(f.Name) {
			out.Word, out.Bits = f.Word.String(), bitRange(f.Shift, f.Width)
		}
		list = append(list, out)
	}
	return list
}

// lower converts a name of upper-case letters, digits and _ to lower case.
func lower(s string) string {
	b := []byte(s)
	for i, ch := range b {
		if ch >= 'A' && ch <= 'Z' {
			b[i] = ch + 'a' - 'A'
		}
	}
	return string(b)
}

// bitRange returns "5:0", or "7" for a single bit.
func bitRange(shift, width uint8) string {
	if width == 1 {
		return strconv.Itoa(int(shift))
	}
	return fmt.Sprintf("%d:%d", shift+width-1, shift)
}

// meaning returns the meaning of a field's value, in words or as a count with a
// unit.
func (c *checker) meaning(f *codeobject.DescriptorField) string {
	if m := f.Meaning(f.Bits(c.d)); m != "" {
		return m
	}
	if unit := unitNames.Get()[f.Unit]; unit != "" {
		if f.Unit == codeobject.UnitSGPRs && c.d.SGPRs(c.t) != f.Count(c.d, c.t) {
			return fmt.Sprintf("all %d SGPRs", c.d.SGPRs(c.t))
		}
		return fmt.Sprintf("%d %s", f.Count(c.d, c.t), unit)
	}
	return ""
}

// codeFields returns the fields of an amd_kernel_code_t.
func (c *checker) codeFields() []Field {
	list := []Field{}
	all := codeobject.KernelCodeFields()
	for i := range all {
		f := &all[i]
		if c.t != nil && f.Missing(c.t) != "" {
			continue
		}
		out := Field{Name: f.Name, Value: int64(f.Get(c.body.Code)), Word: fmt.Sprintf("byte %d", f.Offset)}
		if f.Width < 8 || f.Width%8 != 0 {
			out.Bits = bitRange(f.Shift, f.Width)
		}
		if c.t != nil {
			out.Meaning = c.codeMeaning(f)
		}
		list = append(list, out)
	}
	return list
}

// codeMeaning returns the meaning of the value of an amd_kernel_code_t's field:
// a power of two, the meaning of a single bit, or the meaning of the kernel
// descriptor's field in the same bits.
func (c *checker) codeMeaning(f *codeobject.KernelCodeField) string {
	v := f.Get(c.body.Code)
	switch {
	case exponents.Get()[f.Name] && v < 63:
		return strconv.FormatUint(1<<v, 10)
	case rsrcNames.Get()[f.Name] != "":
		if d, missing := codeobject.LookupDescriptorField(c.t, rsrcNames.Get()[f.Name]); d != nil && missing == "" {
			return c.meaning(d)
		}
	case f.Width == 1:
		return [2]string{"no", "yes"}[v&1]
	}
	return ""
}

// exponents holds the fields whose value is the exponent of a power of two.
var exponents = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"kernarg_segment_alignment": true, "group_segment_alignment": true, "private_segment_alignment": true, "wavefront_size": true}
}}

// rsrcNames maps fields of amd_kernel_code_t to the fields of kernel
// descriptors with the same unit or the same words for their values.
var rsrcNames = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"granulated_workitem_vgpr_count": "GRANULATED_WORKITEM_VGPR_COUNT", "granulated_wavefront_sgpr_count": "GRANULATED_WAVEFRONT_SGPR_COUNT",
		"enable_vgpr_workitem_id": "ENABLE_VGPR_WORKITEM_ID", "granulated_lds_size": "GRANULATED_LDS_SIZE",
	}
}}
