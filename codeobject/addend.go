package codeobject

import (
	"encoding/binary"
	"sort"
)

// relocSizes lists the size in bytes of the field of each relocation type.
//
// Source: User Guide for AMDGPU Backend, table AMDGPU ELF Relocation Records.
var relocSizes = [...]uint8{
	R_AMDGPU_ABS32_LO: 4, R_AMDGPU_ABS32_HI: 4, R_AMDGPU_ABS64: 8,
	R_AMDGPU_REL32: 4, R_AMDGPU_REL64: 8, R_AMDGPU_ABS32: 4,
	R_AMDGPU_GOTPCREL: 4, R_AMDGPU_GOTPCREL32_LO: 4, R_AMDGPU_GOTPCREL32_HI: 4,
	R_AMDGPU_REL32_LO: 4, R_AMDGPU_REL32_HI: 4,
	R_AMDGPU_RELATIVE64: 8, R_AMDGPU_REL16: 2,
}

// Size returns the size in bytes of the field that a relocation of this type
// fills: 2, 4 or 8; 0 for R_AMDGPU_NONE and unknown types.
func (t RelocType) Size() int {
	if uint64(t) < uint64(len(relocSizes)) {
		return int(relocSizes[t])
	}
	return 0
}

// ImplicitAddend reads the addend of a relocation of an SHT_REL section from
// the bytes of the section that it applies to: the field at offset off as a
// signed number. The field of R_AMDGPU_REL16 counts words from the end of the
// branch; the result is in bytes from the branch, like the addends of SHT_RELA.
// The fields of R_AMDGPU_ABS32_HI and the other _HI types hold the low 32 bits
// of the addend, as LLVM's assembler writes them.
//
// It returns 0, false for a type without a field and for a field outside data.
func (t RelocType) ImplicitAddend(data []byte, off uint64) (int64, bool) {
	size := uint64(t.Size())
	if size == 0 || off > uint64(len(data)) || size > uint64(len(data))-off {
		return 0, false
	}
	switch field := data[off:]; size {
	case 2:
		return 4*int64(int16(binary.LittleEndian.Uint16(field))) + 4, true
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(field))), true
	default:
		return int64(binary.LittleEndian.Uint64(field)), true
	}
}

// RelocSectionType returns the type of the relocation sections that LLVM's
// assembler writes in an object with this header: SHT_RELA for amdhsa, whose
// relocations have addends, and SHT_REL otherwise, where the addends are in the
// bytes of the sections that the relocations apply to.
func (h *Header) RelocSectionType() SectionType {
	if h.OSABI == ELFOSABI_AMDGPU_HSA {
		return SHT_RELA
	}
	return SHT_REL
}

// addendReader finds the bytes that relocations without addend apply to.
type addendReader struct {
	o      *Object
	loaded []*Section // the ones with an address, ascending; built on demand
}

// read returns the addend of a relocation of section rel, 0 if the field is not
// within a section.
func (a *addendReader) read(rel *Section, r *Reloc) int64 {
	off := r.Offset
	to := a.section(rel, off)
	if to == nil {
		return 0
	}
	if a.o.Type != ET_REL {
		off -= to.Addr
	}
	addend, _ := r.Type.ImplicitAddend(to.Data, off)
	return addend
}

// section returns the section that an entry of a relocation section applies to.
// In a linked object, the entry has an address.
func (a *addendReader) section(rel *Section, off uint64) *Section {
	o := a.o
	if o.Type == ET_REL || rel.Info != 0 {
		if uint64(rel.Info) >= uint64(len(o.Sections)) {
			return nil
		}
		return o.Sections[rel.Info]
	}
	if a.loaded == nil {
		for _, s := range o.Sections {
			if s.Flags&SHF_ALLOC != 0 && len(s.Data) > 0 {
				a.loaded = append(a.loaded, s)
			}
		}
		sort.SliceStable(a.loaded, func(i, j int) bool { return a.loaded[i].Addr < a.loaded[j].Addr })
	}
	i := sort.Search(len(a.loaded), func(i int) bool { return a.loaded[i].Addr > off })
	if i == 0 {
		return nil
	}
	return a.loaded[i-1]
}
