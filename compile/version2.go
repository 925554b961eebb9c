package compile

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// Code objects V2: the description of a kernel precedes its code, notes specify
// the target, and metadata are YAML.
//
// Source: user guide of 2018, "Code Object V2"; AMDGPU HSA ABI 0.40, "AMD
// Kernel Code"; LLVM 14.

// versionV2 is the version in the note of code objects V2.
var versionV2 = codeobject.CodeObjectVersion{Major: 2, Minor: 1}

// kernelCode writes the description of a kernel before its code, which is
// already placed.
func (p *program) kernelCode(fn *function, d *codeobject.KernelDescriptor) error {
	k := fn.kernel
	c := codeobject.NewKernelCode(p.target)
	c.ComputePgmRsrc1, c.ComputePgmRsrc2, c.CodeProperties = d.ComputePgmRsrc1, d.ComputePgmRsrc2, uint32(d.KernelCodeProperties)
	for name, v := range map[string]uint64{
		"private_element_size": 1, "is_ptr64": 1, // scratch memory is swizzled by dwords
		"is_dynamic_callstack":               uint64(boolInt(k.dynamicStack())),
		"is_xnack_enabled":                   uint64(boolInt(p.target.XNACK.OnOrAny())),
		"workitem_private_segment_byte_size": k.res.ScratchBytes,
		"workgroup_group_segment_byte_size":  k.res.LDSBytes,
		"kernarg_segment_byte_size":          k.args.size,
		"wavefront_sgpr_count":               uint64(k.sgprs()),
		"workitem_vgpr_count":                uint64(k.vgprs()),
		"kernarg_segment_alignment":          uint64(bits.Len64(max(k.args.align, 16)) - 1),
	} {
		codeobject.LookupKernelCodeField(name).Set(&c, v)
	}
	k.kernelCode = &c
	s := p.symbols[k.symbol]
	copy(p.sections[s.section].data[s.value:], c.Append(nil))
	return nil
}

// notesV2 builds the notes of V2.
func (c *compiled) notesV2(p *program, kernels []*kernel) error {
	isa, err := isaNameOf(c.t)
	if err != nil {
		return err
	}
	id, err := c.t.Format(c.t.COV)
	if err != nil {
		return err
	}
	md := metadataV2(c.printf, kernels)
	text, err := md.AppendYAML(nil)
	if err != nil {
		return err
	}
	p.metadataV2 = md
	v := codeobject.ISAVersion{Vendor: isa.Vendor, Architecture: isa.Arch, Major: isa.Major, Minor: isa.Minor, Stepping: isa.Stepping}
	note := func(t codeobject.NoteType, desc []byte) {
		p.meta = append(p.meta, codeobject.Note{Owner: codeobject.NoteOwnerV2, Type: t, Desc: desc})
	}
	note(codeobject.NT_AMD_HSA_CODE_OBJECT_VERSION, versionV2.Append(nil))
	note(codeobject.NT_AMD_HSA_ISA_VERSION, v.Append(nil))
	note(codeobject.NT_AMD_HSA_ISA_NAME, []byte(id))
	note(codeobject.NT_AMD_HSA_METADATA, text)
	return nil
}

// isaNameOf returns V2's name of the instruction set.
func isaNameOf(t *target.Target) (target.ISAName, error) {
	n, err := t.ISAName()
	if err != nil {
		return n, fmt.Errorf("code object version 2: %w", err)
	}
	return n, nil
}

// headerV2 writes the directives at the start of a text.
func (w *textWriter) headerV2() error {
	n, err := isaNameOf(w.p.target)
	if err != nil {
		return err
	}
	w.switchTo(textSection)
	w.printf("\t.hsa_code_object_version %d,%d\n", versionV2.Major, versionV2.Minor)
	w.printf("\t.hsa_code_object_isa %d,%d,%d,\"%s\",\"%s\"\n", n.Major, n.Minor, n.Stepping, n.Vendor, n.Arch)
	return nil
}

// kernelCodeText writes an .amd_kernel_code_t.
func (w *textWriter) kernelCodeText(k *kernel) {
	w.printf("\t.amd_kernel_code_t\n")
	for i := range codeobject.KernelCodeFields() {
		f := &codeobject.KernelCodeFields()[i]
		if !f.Ignored {
			w.printf("\t\t%s = %d\n", f.Name, int64(f.Get(k.kernelCode)))
		}
	}
	w.printf("\t.end_amd_kernel_code_t\n")
}

// footerV2 writes the directives at the end of a text.
func (w *textWriter) footerV2() error {
	id, err := w.p.target.Format(w.p.target.COV)
	if err != nil {
		return err
	}
	w.printf("\t.amd_amdgpu_isa \"%s\"\n", id)
	text, err := w.p.metadataV2.AppendYAML([]byte("\t.amd_amdgpu_hsa_metadata\n"))
	if err != nil {
		return err
	}
	w.out = append(w.out, text...)
	w.printf("\t.end_amd_amdgpu_hsa_metadata\n")
	return nil
}
