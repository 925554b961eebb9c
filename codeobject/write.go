package codeobject

import "encoding/binary"

// Bytes writes an object: every section at its Offset, the headers at ShOff and
// PhOff, the gaps, and zeros in between. The file extends to the end of the
// last of these. For an object that was read and not changed, Bytes returns the
// original bytes.
//
// Symbols and Relocs are not written: the Data of their sections are.
func (o *Object) Bytes() []byte {
	size := o.Class.ehSize()
	if n := uint64(o.sectionHeaders()); n > 0 {
		size = max(size, o.ShOff+n*o.Class.shSize())
	}
	if n := uint64(len(o.Segments)); n > 0 {
		size = max(size, o.PhOff+n*o.Class.phSize())
	}
	for _, s := range o.Sections {
		if len(s.Data) > 0 {
			size = max(size, s.Offset+uint64(len(s.Data)))
		}
	}
	for _, g := range o.Gaps {
		size = max(size, g.Offset+uint64(len(g.Data)))
	}
	out := make([]byte, size)
	for _, g := range o.Gaps {
		copy(out[g.Offset:], g.Data)
	}
	for _, s := range o.Sections {
		if len(s.Data) > 0 {
			copy(out[s.Offset:], s.Data)
		}
	}
	o.header(out)
	for i := range o.Segments {
		putSegment(out[o.PhOff+uint64(i)*o.Class.phSize():], o.Class, &o.Segments[i])
	}
	for i, s := range o.Sections[:o.sectionHeaders()] {
		if i == 0 {
			o.nullSection(out[o.ShOff:])
			continue
		}
		putSection(out[o.ShOff+uint64(i)*o.Class.shSize():], o.Class, s)
	}
	return out
}

const (
	maxShNum    = 0xff00 // from this number on, the null section's size holds e_shnum
	maxShStrNdx = 0xff00 // likewise e_shstrndx, in its link
)

func (o *Object) header(out []byte) {
	copy(out, "\x7fELF")
	out[4], out[5], out[6] = byte(o.Class), 1, 1
	out[7], out[8] = byte(o.OSABI), o.ABIVersion
	copy(out[9:16], o.Padding[:])
	binary.LittleEndian.PutUint16(out[16:], uint16(o.Type))
	binary.LittleEndian.PutUint16(out[18:], o.Machine)
	binary.LittleEndian.PutUint32(out[20:], 1)
	w := wordWriter{out[24:], o.Class}
	w.word(o.Entry)
	w.word(o.PhOff)
	w.word(o.ShOff)
	b := w.b
	binary.LittleEndian.PutUint32(b, o.Flags)
	binary.LittleEndian.PutUint16(b[4:], uint16(o.Class.ehSize()))
	phEntSize, shEntSize := o.entSizes()
	binary.LittleEndian.PutUint16(b[6:], phEntSize)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(o.Segments)))
	binary.LittleEndian.PutUint16(b[10:], shEntSize)
	if n := o.sectionHeaders(); n < maxShNum {
		binary.LittleEndian.PutUint16(b[12:], uint16(n))
	}
	if o.ShStrNdx < maxShStrNdx {
		binary.LittleEndian.PutUint16(b[14:], uint16(o.ShStrNdx))
	} else {
		binary.LittleEndian.PutUint16(b[14:], shnXIndex)
	}
}

// entSizes returns the sizes of program and section headers for the ELF header.
func (o *Object) entSizes() (ph, sh uint16) {
	ph, sh = o.PhEntSize, o.ShEntSize
	if len(o.Segments) > 0 {
		ph = uint16(o.Class.phSize())
	}
	if o.sectionHeaders() > 0 {
		sh = uint16(o.Class.shSize())
	}
	return ph, sh
}

// nullSection writes the null section's header, which holds the numbers that do
// not fit in the ELF header.
func (o *Object) nullSection(out []byte) {
	s := *o.Sections[0]
	if len(o.Sections) >= maxShNum {
		s.Size = uint64(len(o.Sections))
	}
	if o.ShStrNdx >= maxShStrNdx {
		s.Link = o.ShStrNdx
	}
	putSection(out, o.Class, &s)
}

// wordWriter writes words of the class's width.
type wordWriter struct {
	b     []byte
	class Class
}

func (w *wordWriter) word(v uint64) {
	if w.class == ELFCLASS32 {
		binary.LittleEndian.PutUint32(w.b, uint32(v))
		w.b = w.b[4:]
		return
	}
	binary.LittleEndian.PutUint64(w.b, v)
	w.b = w.b[8:]
}

func (w *wordWriter) half(v uint32) {
	binary.LittleEndian.PutUint32(w.b, v)
	w.b = w.b[4:]
}

func putSection(out []byte, c Class, s *Section) {
	w := wordWriter{out, c}
	w.half(s.NameOff)
	w.half(uint32(s.Type))
	w.word(uint64(s.Flags))
	w.word(s.Addr)
	w.word(s.Offset)
	w.word(s.Size)
	w.half(s.Link)
	w.half(s.Info)
	w.word(s.Align)
	w.word(s.EntSize)
}

func putSegment(out []byte, c Class, s *Segment) {
	w := wordWriter{out, c}
	w.half(s.Type)
	if c == ELFCLASS64 {
		w.half(s.Flags)
	}
	w.word(s.Offset)
	w.word(s.VAddr)
	w.word(s.PAddr)
	w.word(s.FileSize)
	w.word(s.MemSize)
	if c == ELFCLASS32 {
		w.half(s.Flags)
	}
	w.word(s.Align)
}

// extendedIndex returns the entry of .symtab_shndx for a section index.
func extendedIndex(i SectionIndex) uint32 {
	if i.Reserved() || i < maxShNum {
		return 0
	}
	return uint32(i)
}

// appendSymbol appends an entry of a symbol table.
func appendSymbol(dst []byte, c Class, s *Symbol, name uint32) []byte {
	info := byte(s.Bind)<<4 | byte(s.Type)&15
	other := s.Other | byte(s.Vis)
	shndx := uint16(s.Section)
	if extendedIndex(s.Section) != 0 {
		shndx = shnXIndex
	}
	dst = binary.LittleEndian.AppendUint32(dst, name)
	if c == ELFCLASS32 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Value))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Size))
		return binary.LittleEndian.AppendUint16(append(dst, info, other), shndx)
	}
	dst = binary.LittleEndian.AppendUint16(append(dst, info, other), shndx)
	dst = binary.LittleEndian.AppendUint64(dst, s.Value)
	return binary.LittleEndian.AppendUint64(dst, s.Size)
}

// appendReloc appends an entry of an SHT_RELA or SHT_REL section.
func appendReloc(dst []byte, c Class, t SectionType, r *Reloc) []byte {
	if c == ELFCLASS32 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(r.Offset))
		dst = binary.LittleEndian.AppendUint32(dst, r.Symbol<<8|uint32(r.Type)&0xff)
		if t == SHT_RELA {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(r.Addend))
		}
		return dst
	}
	dst = binary.LittleEndian.AppendUint64(dst, r.Offset)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.Symbol)<<32|uint64(r.Type))
	if t == SHT_RELA {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(r.Addend))
	}
	return dst
}
