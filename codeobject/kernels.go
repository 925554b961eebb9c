package codeobject

import "strings"

// KernelSymbol is a kernel of a code object.
type KernelSymbol struct {
	Name    string  // of the kernel, without .kd
	Symbol  *Symbol // symbol of the descriptor or the amd_kernel_code_t
	Address uint64  // of the descriptor or the amd_kernel_code_t; in a relocatable object, the offset in the section
	// Exactly one of them is not nil: Descriptor from V3 on, Code for V2.
	Descriptor *KernelDescriptor
	Code       *KernelCode // amd_kernel_code_t
	// Off is its offset in the file.
	Off uint64
}

// kernelSuffix is the suffix of the symbol names of kernel descriptors.
const kernelSuffix = ".kd"

// Kernels returns the kernels of the object, in the order of the symbol table:
// its kernel descriptors, and the symbols with V2's symbol type. Without a
// symbol table it uses the dynamic one. Errors are of type *FormatError.
func (o *Object) Kernels() ([]KernelSymbol, error) {
	symbols := o.Symbols
	if len(symbols) == 0 {
		symbols = o.DynSymbols
	}
	var list []KernelSymbol
	for i := range symbols {
		s := &symbols[i]
		name, isDescriptor := strings.CutSuffix(s.Name, kernelSuffix)
		isDescriptor = isDescriptor && s.Type == STT_OBJECT
		if s.Section == SHN_UNDEF || !isDescriptor && s.Type != STT_AMDGPU_HSA_KERNEL {
			continue
		}
		size := uint64(KernelCodeSize)
		if isDescriptor {
			size = KernelDescriptorSize
		}
		b, off, err := o.symbolBytes(s, size)
		if err != nil {
			return nil, err
		}
		k := KernelSymbol{Name: name, Symbol: s, Address: s.Value, Off: off}
		if isDescriptor {
			d, err := DecodeKernelDescriptor(b)
			if err != nil {
				return nil, formatErrorf(off, "%s: %v", s.Name, err)
			}
			k.Descriptor = &d
		} else {
			c, err := DecodeKernelCode(b)
			if err != nil {
				return nil, formatErrorf(off, "%s: %v", s.Name, err)
			}
			k.Code = &c
		}
		list = append(list, k)
	}
	return list, nil
}

// symbolBytes returns size bytes from a symbol's address on, and their offset
// in the file.
func (o *Object) symbolBytes(s *Symbol, size uint64) ([]byte, uint64, error) {
	if s.Section.Reserved() || uint64(s.Section) >= uint64(len(o.Sections)) {
		return nil, 0, formatErrorf(0, "symbol %s is in no section", s.Name)
	}
	sec := o.Sections[s.Section]
	at := s.Value
	if o.Type != ET_REL {
		at -= sec.Addr
	}
	if at > uint64(len(sec.Data)) || size > uint64(len(sec.Data))-at {
		return nil, 0, formatErrorf(sec.Offset, "symbol %s reaches beyond section %s: %d bytes from %#x on of %d", s.Name, sec.Name, size, at, len(sec.Data))
	}
	return sec.Data[at:][:size], sec.Offset + at, nil
}

// Metadata reads the kernel metadata of a code object V3 to V6. It returns nil
// if there are none.
func (o *Object) Metadata() (*Metadata, error) {
	n, err := o.findNote(NoteOwner, NT_AMDGPU_METADATA)
	if n == nil {
		return nil, err
	}
	m, err := ReadMetadata(n.Desc)
	if fe, ok := err.(*FormatError); ok {
		return nil, &FormatError{n.descOffset() + fe.Offset, fe.Problem}
	}
	return m, err
}

// MetadataV2 reads the kernel metadata of a code object V2. It returns nil if
// there are none.
func (o *Object) MetadataV2() (*MetadataV2, error) {
	n, err := o.findNote(NoteOwnerV2, NT_AMD_HSA_METADATA)
	if n == nil {
		return nil, err
	}
	return ReadMetadataV2(n.NoteText())
}

func (o *Object) findNote(owner string, t NoteType) (*Note, error) {
	notes, err := o.Notes()
	for i := range notes {
		if notes[i].Is(owner, t) {
			return &notes[i], nil
		}
	}
	return nil, err
}

// descOffset returns the offset of the description, relative to the same start
// as Off.
func (n *Note) descOffset() uint64 {
	owner := uint64(len(n.Owner))
	if owner > 0 {
		owner++
	}
	return n.Off + noteHeader + alignUp(owner, noteAlign)
}
