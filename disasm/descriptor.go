package disasm

import (
	"encoding/binary"
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// descriptors writes the kernel descriptors of an object as the assembler's
// .amdhsa_kernel directives, by section.
func descriptors(out *outBuffer, o *codeobject.Object, kernels []codeobject.KernelSymbol, t *target.Target) {
	section := codeobject.SectionIndex(0)
	for i := range kernels {
		k := &kernels[i]
		if k.Descriptor == nil {
			continue
		}
		if s := k.Symbol.Section; s != section {
			section = s
			out.buf = appendSection(out.buf, o.Sections[s])
		}
		out.buf = appendDescriptor(out.buf, k, t)
		out.flushFull()
	}
}

// kernelCodes gives the amd_kernel_code_t of a section by their offsets.
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

// appendDescriptor appends a kernel descriptor as llvm-objdump has it: fields
// without a directive are comments. A descriptor with bits that no directive sets
// is written as .long, as the assembler could not make it again.
func appendDescriptor(dst []byte, k *codeobject.KernelSymbol, t *target.Target) []byte {
	if problems := k.Descriptor.Check(t); len(problems) > 0 {
		dst = append(append(dst, k.Symbol.Name...), ":\n"...)
		b := k.Descriptor.Append(nil)
		for i := 0; i < len(b); i += 4 {
			dst = appendHex(append(dst, "\t.long "...), uint64(binary.LittleEndian.Uint32(b[i:])))
			if i == 0 {
				dst = append(append(dst, " // no kernel descriptor of this processor: "...), problems[0].Error()...)
			}
			dst = append(dst, '\n')
		}
		return dst
	}
	dst = append(append(append(dst, ".amdhsa_kernel "...), k.Name...), '\n')
	for f := range codeobject.DescriptorFields(t) {
		dst = appendField(dst, f, k.Descriptor, t)
	}
	return append(dst, ".end_amdhsa_kernel\n"...)
}

// appendField appends a field of a kernel descriptor. How many user SGPRs there
// are is left out when it follows from other directives; llvm-objdump always
// leaves it out.
func appendField(dst []byte, f *codeobject.DescriptorField, d *codeobject.KernelDescriptor, t *target.Target) []byte {
	comment := f.Directive == ""
	switch {
	case f.Zero, int(f.MinCOV) > t.COV, f.Directive == userSGPRCount && int(f.Bits(d)) == d.UserSGPRs(t):
		return dst
	case (f.When == codeobject.WhenKernargPreload || comment && f.Word == codeobject.WordRsrc2) && f.Bits(d) == 0:
		return dst
	case f.When == codeobject.WhenWave64 && d.WaveSize(t) == 32:
		comment = true
	}
	dst = append(dst, '\t')
	if comment {
		dst = append(append(append(dst, "; "...), f.Name...), ' ')
		return append(strconv.AppendUint(dst, uint64(f.Bits(d)), 10), '\n')
	}
	dst = append(append(dst, f.Directive...), ' ')
	return append(strconv.AppendInt(dst, int64(directiveValue(f, d, t)), 10), '\n')
}

const userSGPRCount = ".amdhsa_user_sgpr_count"

// directiveValue gives the value of a field's directive. The counts of registers
// include those that are reserved.
func directiveValue(f *codeobject.DescriptorField, d *codeobject.KernelDescriptor, t *target.Target) int {
	switch f.Unit {
	case codeobject.UnitVGPRs, codeobject.UnitSGPRs, codeobject.UnitAccumOffset:
		return f.Count(d, t)
	}
	if f.Word == codeobject.NoWord && f.Default == codeobject.DefaultXNACK && t.Has(target.FeatureXNACK) {
		return 1
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
