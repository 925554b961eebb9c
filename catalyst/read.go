package catalyst

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// Read reads a binary. It refers to data, which must not change. Errors about
// the contents are of type *codeobject.FormatError, with offsets in data.
//
// The result has metadata, headers and notes but no configurations; see
// Binary.RecoverConfig. Bytes returns the same bytes for a file with the layout
// of this package. A file of another layout is read if its parts are found;
// symbols in other places than the places of a Symbol are left out.
func Read(data []byte) (*Binary, error) {
	o, err := codeobject.Read(data)
	if err != nil {
		return nil, err
	}
	devices := devicesOf(o.Machine)
	if len(devices) == 0 {
		return nil, formatErrorf(18, "machine %#x is not a device of AMD Catalyst", o.Machine)
	}
	r := &reader{o: o, b: &Binary{Device: devices[0], Wide: o.Class == codeobject.ELFCLASS64}, parts: map[string]*codeobject.Symbol{}}
	for _, step := range []func() error{r.readSections, r.readSymbols, r.readComment, r.readGlobalData, r.readKernels} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, d := range devices {
		if r.b.mentions(d) {
			r.b.Device = d
			break
		}
	}
	return r.b, nil
}

// IsBinary reports whether data begin like a binary for a device of AMD
// Catalyst.
func IsBinary(data []byte) bool {
	return len(data) >= 20 && string(data[:4]) == "\x7fELF" && data[5] == 1 && IsMachine(binary.LittleEndian.Uint16(data[18:]))
}

// IsMachine reports whether an ELF file's e_machine is a device of AMD Catalyst.
func IsMachine(machine uint16) bool { return machine != 0 && len(devicesOf(machine)) > 0 }

// mentions reports whether the metadata of a kernel name a device.
func (b *Binary) mentions(d *Device) bool {
	for i := range b.Kernels {
		if bytes.Contains(b.Kernels[i].Metadata, []byte("\n;device:"+d.metadataName()+"\n")) {
			return true
		}
	}
	return false
}

// reader reads the file around the kernels.
type reader struct {
	o *codeobject.Object
	b *Binary

	rodata, text, comment uint32                        // section indices, or 0
	extra                 []SectionIndex                // by section index: place in Binary.Sections, or none
	parts                 map[string]*codeobject.Symbol // symbols that describe kernels and data, by name
	kernels               []*codeobject.Symbol          // the ones of the kernels, which are files
}

// none is not a place of a symbol.
const none SectionIndex = -4

// readSections finds the sections of every file, and copies the headers of the
// others.
func (r *reader) readSections() error {
	found := map[string]*uint32{
		".shstrtab": new(uint32), ".strtab": new(uint32), ".symtab": new(uint32), ".comment": &r.comment,
	}
	// A file without kernels does not have these; sections of their names are others.
	if slices.ContainsFunc(r.o.Symbols, isKernel) {
		found[".rodata"], found[".text"] = &r.rodata, &r.text
	}
	r.b.Sections, r.extra = furtherSections(r.o, found)
	return nil
}

// isKernel reports whether a symbol is the file of a kernel.
func isKernel(s codeobject.Symbol) bool {
	return s.Bind == codeobject.STB_LOCAL && s.Type == codeobject.STT_FUNC && strings.HasPrefix(s.Name, symbolPrefix) &&
		strings.HasSuffix(s.Name, kernelSuffix)
}

// furtherSections returns the sections of an object besides the first of each
// name in found, whose indices it sets. places maps section indices to places
// in the list.
func furtherSections(o *codeobject.Object, found map[string]*uint32) (list []Section, places []SectionIndex) {
	places = make([]SectionIndex, len(o.Sections))
	for i, s := range o.Sections {
		places[i] = none
		if at := found[s.Name]; i == 0 || at != nil && *at == 0 {
			if at != nil {
				*at = uint32(i)
			}
			continue
		}
		places[i] = SectionIndex(len(list))
		e := Section{Name: s.Name, Type: s.Type, Flags: s.Flags, Align: s.Align, Data: s.Data}
		if s.Type == codeobject.SHT_NOBITS {
			e.Size = s.Size
		}
		list = append(list, e)
	}
	return list, places
}

// readSymbols sorts the symbols into those that describe kernels and data, and
// others.
func (r *reader) readSymbols() error {
	for i := range r.o.Symbols {
		s := &r.o.Symbols[i]
		own := s.Bind == codeobject.STB_LOCAL && strings.HasPrefix(s.Name, symbolPrefix)
		switch {
		case isKernel(*s):
			r.kernels = append(r.kernels, s)
		case own && s.Type == codeobject.STT_OBJECT && r.parts[s.Name] == nil:
			r.parts[s.Name] = s
		default:
			r.b.Symbols = appendSymbol(r.b.Symbols, s, r.place(s.Section))
		}
	}
	return nil
}

// place returns the place of a section in Binary.Sections.
func (r *reader) place(i codeobject.SectionIndex) SectionIndex {
	switch {
	case i == codeobject.SHN_ABS:
		return AbsoluteSymbol
	case i.Reserved() || int(i) >= len(r.extra):
		return none
	}
	return r.extra[i]
}

// appendSymbol appends a symbol unless its place is none.
func appendSymbol(list []Symbol, s *codeobject.Symbol, place SectionIndex) []Symbol {
	if place == none {
		return list
	}
	return append(list, Symbol{s.Name, place, s.Bind, s.Type, s.Value, s.Size})
}

// contents returns the bytes of a symbol in the section with an index, and
// their offset in the file.
func (r *reader) contents(s *codeobject.Symbol, section uint32) (data []byte, off uint64, err error) {
	sec := r.o.Sections[section]
	if section == 0 || uint32(s.Section) != section {
		return nil, 0, formatErrorf(sec.Offset, "symbol %s is in section %s, not where its data belong", s.Name, s.Section)
	}
	if n := uint64(len(sec.Data)); s.Value > n || s.Size > n-s.Value {
		return nil, 0, formatErrorf(sec.Offset, "symbol %s has %#x bytes at %#x of section %s, which has %#x", s.Name, s.Size, s.Value, sec.Name, n)
	}
	return sec.Data[s.Value : s.Value+s.Size], sec.Offset + s.Value, nil
}

// readComment reads the compile options and the driver's text.
func (r *reader) readComment() error {
	var text []byte
	if r.comment != 0 {
		text = r.o.Sections[r.comment].Data
	}
	if s := r.parts[optionsSymbol]; s != nil {
		options, _, err := r.contents(s, r.comment)
		if err != nil {
			return err
		}
		r.b.CompileOptions = string(options)
		text = text[s.Value+s.Size:]
	}
	r.b.Driver = ParseDriver(string(text))
	return nil
}

// readGlobalData reads the global data. Files without kernels do not have the
// bytes.
func (r *reader) readGlobalData() error {
	s := r.parts[globalSymbol]
	if s == nil {
		s = r.parts[globalSymbol2]
	}
	if s == nil {
		return nil
	}
	if len(r.kernels) == 0 {
		r.b.MissingData = uint32(s.Size)
		return nil
	}
	data, _, err := r.contents(s, r.rodata)
	r.b.GlobalData = data
	return err
}

// readKernels reads the kernels.
func (r *reader) readKernels() error {
	total := uint64(0)
	for _, s := range r.kernels {
		name := strings.TrimSuffix(strings.TrimPrefix(s.Name, symbolPrefix), kernelSuffix)
		k := Kernel{Name: name}
		file, off, err := r.contents(s, r.text)
		if err != nil {
			return err
		}
		if total += s.Size; total > uint64(len(r.o.Sections[r.text].Data)) {
			return formatErrorf(off, "kernel %s overlaps another one", name)
		}
		if k.Metadata, err = r.part(name, metadataSuffix, off); err != nil {
			return err
		}
		if k.Header, err = r.part(name, headerSuffix, off); err != nil {
			return err
		}
		if err := readKernelFile(&k, file); err != nil {
			return shiftError(err, off, name)
		}
		k.CodeOff += off
		for i := range k.Notes {
			k.Notes[i].Off += off
		}
		r.b.Kernels = append(r.b.Kernels, k)
	}
	return nil
}

// part returns the metadata or the header of a kernel whose file is at off.
func (r *reader) part(name, suffix string, off uint64) ([]byte, error) {
	s := r.parts[symbolPrefix+name+suffix]
	if s == nil {
		return nil, formatErrorf(off, "kernel %s has no symbol %s%s%s", name, symbolPrefix, name, suffix)
	}
	data, _, err := r.contents(s, r.rodata)
	return data, err
}

// shiftError moves the offset of an error about a kernel's ELF file at off to
// the whole file.
func shiftError(err error, off uint64, kernel string) error {
	var f *codeobject.FormatError
	if errors.As(err, &f) {
		return formatErrorf(off+f.Offset, "kernel %s: %s", kernel, f.Problem)
	}
	return formatErrorf(off, "kernel %s: %v", kernel, err)
}

// readKernelFile reads the ELF file of a kernel.
func readKernelFile(k *Kernel, file []byte) error {
	o, err := codeobject.Read(file)
	if err != nil {
		return err
	}
	if o.Class != codeobject.ELFCLASS32 || o.Machine != kernelMachine {
		return formatErrorf(18, "ELF class %d and machine %#x, expected 1 and %#x", o.Class, o.Machine, kernelMachine)
	}
	var text, data uint32
	places := []SectionIndex(nil)
	k.Sections, places = furtherSections(o, map[string]*uint32{
		".shstrtab": new(uint32), ".strtab": new(uint32), ".symtab": new(uint32), ".text": &text, ".data": &data,
	})
	if text == 0 {
		return formatErrorf(o.ShOff, "section .text is missing")
	}
	k.Code, k.CodeOff = o.Sections[text].Data, o.Sections[text].Offset
	places[text] = CodeSection
	if data != 0 {
		s := o.Sections[data]
		k.Data, places[data] = s.Data, DataSection
		k.DataGiven = s.EntSize != 0 || len(s.Data) != defaultDataSize || !zero(s.Data)
		if !k.DataGiven {
			k.Data = nil
		}
	}
	for i := range o.Symbols {
		s := &o.Symbols[i]
		place := AbsoluteSymbol
		if s.Section != codeobject.SHN_ABS {
			place = none
			if int(s.Section) < len(places) {
				place = places[s.Section]
			}
		}
		k.Symbols = appendSymbol(k.Symbols, s, place)
	}
	return readNoteSegments(k, o, file)
}

// readNoteSegments reads the notes of a kernel.
func readNoteSegments(k *Kernel, o *codeobject.Object, file []byte) error {
	for i := range o.Segments {
		s := &o.Segments[i]
		if s.Type != codeobject.PT_NOTE {
			continue
		}
		if n := uint64(len(file)); s.Offset > n || s.FileSize > n-s.Offset {
			return formatErrorf(o.PhOff+32*uint64(i), "%#x bytes of notes at %#x of a file of %#x", s.FileSize, s.Offset, n)
		}
		notes, err := readNotes(file[s.Offset:s.Offset+s.FileSize], s.Offset)
		k.Notes = notes
		return err
	}
	return formatErrorf(o.PhOff, "the program header of the notes is missing")
}

// readNotes reads notes that are at an offset of a kernel's ELF file.
func readNotes(b []byte, off uint64) (list []Note, err error) {
	const header = 12 + len(noteOwner)
	le := binary.LittleEndian
	for len(b) > 0 {
		if len(b) < header {
			return nil, formatErrorf(off, "%d bytes after the last note", len(b))
		}
		size := uint64(le.Uint32(b[4:]))
		if le.Uint32(b) != uint32(len(noteOwner)) || string(b[12:header]) != noteOwner {
			return nil, formatErrorf(off, "the owner of the note is not %q", noteOwner)
		}
		if n := uint64(len(b) - header); size > n {
			return nil, formatErrorf(off+4, "a note of %#x bytes, but only %#x follow", size, n)
		}
		list = append(list, Note{NoteType(le.Uint32(b[8:])), b[header : uint64(header)+size], off})
		off += uint64(header) + size
		b = b[uint64(header)+size:]
	}
	return list, nil
}

// zero reports whether all bytes are 0.
func zero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}
