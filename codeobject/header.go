package codeobject

import "github.com/gfx-toolchain/gfx/target"

// NewHeader returns the ELF header fields of an object for a target.
func NewHeader(t *target.Target, typ FileType) Header {
	class := ELFCLASS64
	if t.Processor.Arch() == target.R600Arch {
		class = ELFCLASS32
	}
	os := t.Triple.OS
	return Header{Class: class, OSABI: OSABI(os.ELFOSABI()), ABIVersion: os.ELFABIVersion(t.COV),
		Type: typ, Machine: EM_AMDGPU, Flags: t.EFlags()}
}

// Target reads the target from the header. If the header of a code object V2
// names no processor, Target reads it from the note NT_AMD_HSA_ISA_VERSION.
// With an error it returns the parts that are known; without one the Processor
// can still be nil.
func (o *Object) Target() (target.Header, error) {
	if o.Machine != EM_AMDGPU {
		return target.Header{}, formatErrorf(18, "ELF machine %d, expected %d, AMDGPU", o.Machine, EM_AMDGPU)
	}
	h, err := target.DecodeHeader(o.Class == ELFCLASS64, uint8(o.OSABI), o.ABIVersion, o.Flags)
	if err != nil || h.Processor != nil || h.COV != 2 {
		return h, err
	}
	n, err := o.findNote(NoteOwnerV2, NT_AMD_HSA_ISA_VERSION)
	if n == nil {
		return h, err
	}
	v, err := ReadISAVersion(n.Desc)
	if err != nil {
		return h, err
	}
	id, err := v.ISAName().ID()
	if err == nil {
		h.ID = id
	}
	return h, err
}
