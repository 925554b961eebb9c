package disasm

import (
	"encoding/binary"
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// kernelCodes returns the amd_kernel_code_t of a section by offset.
func kernelCodes(kernels []codeobject.KernelSymbol, section int, o *codeobject.Object) map[uint64]*codeobject.KernelCode {
	var codes map[uint64]*codeobject.KernelCode
	for i := range kernels {
		k := &kernels[i]
		if k.Code == nil || int(k.Symbol.Section) != section {
			continue
		}
		if codes == nil {
			codes = map[uint64]*codeobject.KernelCode{}
		}
		codes[k.Off-o.Sections[section].Offset] = k.Code
	}
	return codes
}

// appendDescriptor appends a kernel descriptor in llvm-objdump's form: fields
// without a directive are comments. A descriptor that directives cannot
// reproduce is written as data.
func appendDescriptor(dst []byte, k *codeobject.KernelSymbol, t *target.Target, names *names) []byte {
	sgprs, problem := descriptorSGPRs(k.Descriptor, t)
	if problem == "" {
		problem = notMade(k.Descriptor, t)
	}
	if problem != "" {
		return appendRawDescriptor(dst, k, names, problem)
	}
	dst = append(append(append(dst, ".amdhsa_kernel "...), names.quoted(k.Name)...), '\n')
	for f := range codeobject.DescriptorFields(t) {
		dst = appendField(dst, f, k.Descriptor, t, &sgprs)
	}
	return append(dst, ".end_amdhsa_kernel\n"...)
}

// appendRawDescriptor appends a kernel descriptor as data. As with directives,
// a relocation refers to the code.
func appendRawDescriptor(dst []byte, k *codeobject.KernelSymbol, names *names, problem string) []byte {
	kd := names.quoted(k.Symbol.Name)
	dst = append(append(append(dst, "\t.type "...), kd...), ",@object\n\t.size "...)
	dst = append(append(append(dst, kd...), ", 64\n"...), kd...)
	dst = append(dst, ":\n"...)
	b := k.Descriptor.Append(nil)
	for i := 0; i < len(b); i += 4 {
		if i == codeobject.EntryOffset {
			dst = append(append(append(dst, "\t.quad "...), names.quoted(k.Name)...), '-')
			dst = append(append(dst, kd...), '\n')
			i += 4
			continue
		}
		dst = appendHex(append(dst, "\t.long "...), uint64(binary.LittleEndian.Uint32(b[i:])))
		if i == 0 {
			dst = append(append(dst, " // no kernel descriptor of this processor: "...), problem...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// sgprCount holds the values of the SGPR directives, whose sum is the number of
// SGPRs.
type sgprCount struct{ next, vcc, flat, xnack int }

// descriptorSGPRs returns directives that request as many SGPRs as a
// descriptor: llvm-objdump's, which count all SGPRs as the program's, unless
// the assembler rejects the number or reserves some SGPRs anyway.
func descriptorSGPRs(d *codeobject.KernelDescriptor, t *target.Target) (c sgprCount, problem string) {
	f, _ := codeobject.LookupDescriptorField(t, "GRANULATED_WAVEFRONT_SGPR_COUNT")
	granted := f.Count(d, t)
	if t.XNACK.OnOrAny() {
		c.xnack = 1
	}
	if t.Processor.Gen.Is(target.GFX10_1) {
		c.next = granted
		return c, ""
	}
	_, missing := codeobject.LookupDescriptorField(t, reserveFlat)
	for reserved := range 4 {
		c.vcc, c.flat = reserved&1, reserved>>1
		if missing != "" {
			c.flat = 1 // reserved by the assembler because no directive can disable it
		}
		again := *d
		c.next = granted - t.SpecialSGPRs(c.vcc != 0, c.flat != 0, c.xnack != 0)
		c.next = min(max(c.next, 0), t.Limits().AddressableSGPRs)
		if err := again.SetSGPRs(t, c.next, c.vcc != 0, c.flat != 0, c.xnack != 0); err == nil && f.Bits(&again) == f.Bits(d) {
			return c, ""
		}
	}
	return c, "no directives ask for " + strconv.Itoa(granted) + " SGPRs"
}

// notMade returns the reason why directives cannot reproduce a descriptor, or
// "".
func notMade(d *codeobject.KernelDescriptor, t *target.Target) string {
	if problems := d.Check(t); len(problems) > 0 {
		return problems[0].Error()
	}
	preset := codeobject.NewKernelDescriptor(t)
	for f := range codeobject.DescriptorFields(t) {
		if isComment(f, d, t) && f.Word != codeobject.NoWord && f.Bits(d) != f.Bits(&preset) {
			return "no directive sets " + f.Name
		}
	}
	return ""
}

// isComment reports whether a field is written as a comment.
func isComment(f *codeobject.DescriptorField, d *codeobject.KernelDescriptor, t *target.Target) bool {
	return f.Directive == "" || f.When == codeobject.WhenWave64 && d.WaveSize(t) == 32
}

// appendField appends a field of a kernel descriptor. It omits the number of
// user SGPRs if other directives imply it; llvm-objdump always omits it.
func appendField(dst []byte, f *codeobject.DescriptorField, d *codeobject.KernelDescriptor, t *target.Target, sgprs *sgprCount) []byte {
	comment := isComment(f, d, t)
	switch {
	case f.Zero, int(f.MinCOV) > t.COV, f.Directive == userSGPRCount && int(f.Bits(d)) == d.UserSGPRs(t):
		return dst
	case (f.When == codeobject.WhenKernargPreload || f.Directive == "" && f.Word == codeobject.WordRsrc2) && f.Bits(d) == 0:
		return dst
	}
	dst = append(dst, '\t')
	if comment {
		dst = append(append(append(dst, "; "...), f.Name...), ' ')
		return append(strconv.AppendUint(dst, uint64(f.Bits(d)), 10), '\n')
	}
	dst = append(append(dst, f.Directive...), ' ')
	dst = append(strconv.AppendInt(dst, int64(directiveValue(f, d, t, sgprs)), 10), '\n')
	if f.Directive == nextSGPR && t.Processor.Gen.Is(target.GFX10_1) && f.Bits(d) != 0 {
		dst = append(append(append(dst, '\t'), codeobject.GranulatedSGPRsDirective...), ' ')
		dst = append(strconv.AppendUint(dst, uint64(f.Bits(d)), 10), '\n')
	}
	return dst
}

const (
	userSGPRCount = ".amdhsa_user_sgpr_count"
	nextSGPR      = ".amdhsa_next_free_sgpr"
	reserveVCC    = ".amdhsa_reserve_vcc"
	reserveFlat   = ".amdhsa_reserve_flat_scratch"
	reserveXNACK  = ".amdhsa_reserve_xnack_mask"
)

// directiveValue returns the value of a field's directive.
func directiveValue(f *codeobject.DescriptorField, d *codeobject.KernelDescriptor, t *target.Target, sgprs *sgprCount) int {
	switch f.Directive {
	case nextSGPR:
		return sgprs.next
	case reserveVCC:
		return sgprs.vcc
	case reserveFlat:
		return sgprs.flat
	case reserveXNACK:
		return sgprs.xnack
	}
	if f.Unit == codeobject.UnitVGPRs || f.Unit == codeobject.UnitAccumOffset {
		return f.Count(d, t)
	}
	return int(f.Bits(d))
}

// appendKernelCode appends an amd_kernel_code_t with all keys.
func appendKernelCode(dst []byte, k *codeobject.KernelCode, t *target.Target) []byte {
	dst = append(dst, "\t.amd_kernel_code_t\n"...)
	fields := codeobject.KernelCodeFields()
	for i := range fields {
		f := &fields[i]
		if f.Ignored || f.Missing(t) != "" {
			continue
		}
		dst = append(append(append(dst, "\t\t"...), f.Name...), " = "...)
		if v := f.Get(k); f.Signed {
			dst = strconv.AppendInt(dst, int64(v), 10)
		} else {
			dst = strconv.AppendUint(dst, v, 10)
		}
		dst = append(dst, '\n')
	}
	return append(dst, "\t.end_amd_kernel_code_t\n"...)
}
