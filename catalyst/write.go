package catalyst

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// Fixed numbers of a kernel's ELF file.
const (
	kernelOSABI      = 0x64
	kernelABIVersion = 1
	kernelMachine    = 0x7d
	kernelFlags      = 1

	dictionaryType   = 0x70000002 // type of the program header of the dictionary
	dictionaryOffset = 0x94
	dictionarySize   = 20
	dictionaryKind   = 4     // second word of the dictionary
	namesOffset      = 0xa8  // of .shstrtab
	notesOffset      = 0x1c0 // of the notes in a file without further sections

	defaultDataSize = 4736 // bytes of .data of a kernel without data
)

// Fixed section indices of a kernel's ELF file.
const (
	kernelText   = 2
	kernelData   = 3
	kernelStrtab = 5
	kernelExtra  = 6 // first further section
)

// noteOwner is the owner of a kernel's notes, with its zero byte.
const noteOwner = "ATI CAL\x00"

// Bytes returns the file. Errors are of type *WriteError.
func (b *Binary) Bytes() ([]byte, error) {
	if err := b.checkDevice(); err != nil {
		return nil, err
	}
	kernels, err := b.generated()
	if err != nil {
		return nil, err
	}
	w := outerWriter{b: b, kernels: kernels}
	for i := range kernels {
		file, err := b.kernelFile(&kernels[i])
		if err != nil {
			return nil, b.kernelErrorf(i, TooLarge, "%v", err)
		}
		w.files = append(w.files, file)
	}
	return w.object()
}

// checkDevice returns an error unless there are binaries for the device.
func (b *Binary) checkDevice() error {
	name := "this device"
	if b.Device != nil {
		name = "device " + b.Device.Name
		if b.Device.Machine != 0 {
			return nil
		}
	}
	return &WriteError{NoDevice, "", -1, -1, "there are no AMD Catalyst binaries for " + name}
}

// generated returns the kernels with metadata, headers and notes made from
// their configurations.
func (b *Binary) generated() ([]Kernel, error) {
	kernels := make([]Kernel, len(b.Kernels))
	ids := b.newUniqueIDs()
	for i := range b.Kernels {
		kernels[i] = b.Kernels[i]
		k := &kernels[i]
		switch {
		case k.Config != nil:
			if err := b.configureKernel(i, k, ids.newID()); err != nil {
				return nil, err
			}
		case len(k.Metadata) == 0 || len(k.Header) == 0:
			return nil, b.kernelErrorf(i, IncompleteKernel, "metadata or header is missing, and there is no configuration")
		}
	}
	return kernels, nil
}

func (b *Binary) kernelErrorf(i int, p Problem, format string, args ...any) *WriteError {
	return &WriteError{p, b.Kernels[i].Name, i, -1, fmt.Sprintf(format, args...)}
}

// layout places sections one after the other.
type layout struct {
	o       *codeobject.Object
	off     uint64
	padding uint64 // bytes for alignment so far
}

// Limits of files, so that no number in a file or source decides about the use
// of memory. The fields of 32-bit files cannot hold more than maxFile.
const (
	maxFile    = math.MaxUint32 // bytes
	maxPadding = 64 << 20       // bytes of padding for alignment
)

// placeSection adds a section at the next multiple of its alignment.
func (l *layout) placeSection(s *codeobject.Section) {
	l.alignTo(s.Align)
	s.Offset = l.off
	if s.Type != codeobject.SHT_NOBITS {
		s.Size = uint64(len(s.Data))
		l.off += s.Size
	}
	l.o.Sections = append(l.o.Sections, s)
}

func (l *layout) alignTo(n uint64) {
	if n <= 1 || l.padding > maxPadding {
		return
	}
	fill := -l.off & (n - 1)
	if l.padding += fill; l.padding <= maxPadding {
		l.off += fill
	}
}

// placeExtra adds the further sections of a file or a kernel. Those without
// alignment have 1.
func (l *layout) placeExtra(list []Section) {
	for i := range list {
		s := &list[i]
		l.placeSection(&codeobject.Section{
			Name: s.Name, Type: s.Type, Flags: s.Flags, Align: max(s.Align, 1), Size: s.Size, Data: s.Data,
		})
	}
}

// sectionNames returns the contents of .shstrtab: the names in the order of the
// sections.
func sectionNames(names []string) []byte {
	b := []byte{0}
	for _, n := range names {
		b = append(append(b, n...), 0)
	}
	return b
}

// nameSections sets the offsets of the names in .shstrtab.
func nameSections(sections []*codeobject.Section) {
	off := uint32(1)
	for _, s := range sections[1:] {
		s.NameOff = off
		off += uint32(len(s.Name)) + 1
	}
}

func extraNames(names []string, extra []Section) []string {
	for i := range extra {
		names = append(names, extra[i].Name)
	}
	return names
}

// finish returns the bytes of an object whose sections are placed, with zeros
// up to the end of the last one.
func (l *layout) finish() ([]byte, error) {
	switch {
	case l.off > maxFile:
		return nil, fmt.Errorf("the file would have %d bytes, more than its fields can hold", l.off)
	case l.padding > maxPadding:
		return nil, fmt.Errorf("alignment would need more than %d bytes of padding", maxPadding)
	}
	out := l.o.Bytes()
	if n := l.off - uint64(len(out)); n > 0 {
		out = append(out, make([]byte, n)...)
	}
	return out, nil
}

// symbolTable is the contents of .symtab and .strtab.
type symbolTable struct {
	class          codeobject.Class
	symbols, names []byte
	locals         uint32 // index of the last local symbol + 1
	count          uint32
}

// newSymbolTable returns a table with the empty symbol.
func newSymbolTable(class codeobject.Class) *symbolTable {
	t := &symbolTable{class: class}
	t.addSymbol("", 0, 0, 0, 0)
	return t
}

// addSymbol appends a symbol. section is its index in the file.
func (t *symbolTable) addSymbol(name string, info byte, section uint16, value, size uint64) {
	off := uint32(len(t.names))
	t.names = append(append(t.names, name...), 0)
	le := binary.LittleEndian
	b := le.AppendUint32(t.symbols, off)
	if t.class == codeobject.ELFCLASS32 {
		b = le.AppendUint32(le.AppendUint32(b, uint32(value)), uint32(size))
		b = le.AppendUint16(append(b, info, 0), section)
	} else {
		b = le.AppendUint16(append(b, info, 0), section)
		b = le.AppendUint64(le.AppendUint64(b, value), size)
	}
	t.symbols = b
	if t.count++; codeobject.SymBind(info>>4) == codeobject.STB_LOCAL {
		t.locals = t.count
	}
}

// addExtra appends the further symbols of a file or a kernel. section returns
// the index of a symbol's section.
func (t *symbolTable) addExtra(list []Symbol, section func(SectionIndex) uint16) {
	for i := range list {
		s := &list[i]
		t.addSymbol(s.Name, byte(s.Bind)<<4|byte(s.Type), section(s.Section), s.Value, s.Size)
	}
}

// kernelFile returns the ELF file of a kernel.
func (b *Binary) kernelFile(k *Kernel) ([]byte, error) {
	l := &layout{o: &codeobject.Object{
		Header: codeobject.Header{
			Class: codeobject.ELFCLASS32, OSABI: kernelOSABI, ABIVersion: kernelABIVersion,
			Type: codeobject.ET_EXEC, Machine: kernelMachine, Flags: kernelFlags,
		},
		PhOff: 52, ShStrNdx: 1, Sections: []*codeobject.Section{{}},
	}, off: namesOffset}
	o := l.o
	names := sectionNames(extraNames([]string{".shstrtab", ".text", ".data", ".symtab", ".strtab"}, k.Sections))
	l.placeSection(&codeobject.Section{Name: ".shstrtab", Type: codeobject.SHT_STRTAB, Data: names})
	l.alignTo(4)
	o.Sections[1].Size = l.off - namesOffset // with the padding
	o.ShOff = l.off
	l.off += 40 * uint64(kernelExtra+len(k.Sections))

	notes := appendNotes(nil, k.Notes)
	notesAt := l.off
	l.off += uint64(len(notes))
	textAt := l.off
	l.placeSection(&codeobject.Section{Name: ".text", Type: codeobject.SHT_PROGBITS, Data: k.Code})
	data := &codeobject.Section{Name: ".data", Type: codeobject.SHT_PROGBITS, Data: k.Data, EntSize: uint64(len(k.Data))}
	if !k.DataGiven {
		data.Data, data.EntSize = make([]byte, defaultDataSize), 0
	}
	l.placeSection(data)

	symbols := newSymbolTable(codeobject.ELFCLASS32)
	symbols.addExtra(k.Symbols, kernelSection)
	if len(k.Symbols) == 0 {
		symbols.names = append(symbols.names, 0)
	}
	l.placeSection(&codeobject.Section{
		Name: ".symtab", Type: codeobject.SHT_SYMTAB, Link: kernelStrtab, Info: symbols.locals, EntSize: 16, Data: symbols.symbols,
	})
	l.placeSection(&codeobject.Section{Name: ".strtab", Type: codeobject.SHT_STRTAB, Data: symbols.names})
	loadEnd := l.off
	l.placeExtra(k.Sections)
	if len(k.Sections) > 0 { // the padding after .strtab belongs to it
		s := o.Sections[kernelStrtab]
		s.Size = o.Sections[kernelExtra].Offset - s.Offset
	}
	nameSections(o.Sections)

	le := binary.LittleEndian
	dictionary := le.AppendUint32(nil, b.Device.Encoding)
	for _, v := range []uint32{dictionaryKind, notesOffset, uint32(l.off - notesOffset), 0} {
		dictionary = le.AppendUint32(dictionary, v)
	}
	o.Gaps = []codeobject.Gap{{Offset: dictionaryOffset, Data: dictionary}, {Offset: notesAt, Data: notes}}
	o.Segments = []codeobject.Segment{
		{Type: dictionaryType, Offset: dictionaryOffset, FileSize: dictionarySize},
		{Type: codeobject.PT_NOTE, Offset: notesAt, FileSize: uint64(len(notes))},
		{Type: codeobject.PT_LOAD, Offset: textAt, FileSize: loadEnd - textAt, MemSize: loadEnd - textAt},
	}
	return l.finish()
}

// appendNotes appends notes in the form of a kernel's ELF file.
func appendNotes(b []byte, notes []Note) []byte {
	le := binary.LittleEndian
	for i := range notes {
		n := &notes[i]
		b = le.AppendUint32(b, uint32(len(noteOwner)))
		b = le.AppendUint32(b, uint32(len(n.Desc)))
		b = le.AppendUint32(b, uint32(n.Type))
		b = append(append(b, noteOwner...), n.Desc...)
	}
	return b
}

// kernelSection returns the index of a symbol's section in a kernel's ELF file.
func kernelSection(s SectionIndex) uint16 {
	switch s {
	case AbsoluteSymbol:
		return shnAbs
	case CodeSection:
		return kernelText
	case DataSection:
		return kernelData
	}
	return uint16(kernelExtra + s)
}

const shnAbs = uint16(codeobject.SHN_ABS & 0xffff)

// outerWriter writes the file around the kernels.
type outerWriter struct {
	b       *Binary
	kernels []Kernel
	files   [][]byte // ELF files of the kernels
}

// Names of symbols. A kernel's symbols have its name between prefix and suffix.
const (
	symbolPrefix   = "__OpenCL_"
	optionsSymbol  = "__OpenCL_compile_options"
	globalSymbol   = "__OpenCL_0_global"
	globalSymbol2  = "__OpenCL_2_global" // before 1348.5
	metadataSuffix = "_metadata"
	kernelSuffix   = "_kernel"
	headerSuffix   = "_header"
)

// Section indices of the file.
const (
	outerRodata = 4
	outerText   = 5
)

// comment returns the index of .comment.
func (w *outerWriter) comment() int {
	if len(w.kernels) == 0 {
		return 4
	}
	return 6
}

func (w *outerWriter) section(s SectionIndex) uint16 {
	if s < 0 {
		return shnAbs
	}
	return uint16(w.comment() + 1 + int(s))
}

// contents returns the symbols of the file, and the contents of .rodata and
// .text.
func (w *outerWriter) contents(class codeobject.Class) (t *symbolTable, rodata, text []byte) {
	const object, function = byte(codeobject.STT_OBJECT), byte(codeobject.STT_FUNC)
	t = newSymbolTable(class)
	if n := len(w.b.CompileOptions); n > 0 {
		t.addSymbol(optionsSymbol, object, uint16(w.comment()), 0, uint64(n))
	}
	if n := w.b.globalSize(); n > 0 {
		name := globalSymbol
		if w.b.Driver.Version < version1348 {
			name = globalSymbol2
		}
		t.addSymbol(name, object, outerRodata, 0, uint64(n))
	}
	rodata = append(rodata, w.b.GlobalData...)
	for i := range w.kernels {
		k := &w.kernels[i]
		name := symbolPrefix + k.Name
		t.addSymbol(name+metadataSuffix, object, outerRodata, uint64(len(rodata)), uint64(len(k.Metadata)))
		t.addSymbol(name+kernelSuffix, function, outerText, uint64(len(text)), uint64(len(w.files[i])))
		rodata = append(rodata, k.Metadata...)
		t.addSymbol(name+headerSuffix, object, outerRodata, uint64(len(rodata)), uint64(len(k.Header)))
		rodata = append(rodata, k.Header...)
		text = append(text, w.files[i]...)
	}
	t.addExtra(w.b.Symbols, w.section)
	return t, rodata, text
}

// object returns the bytes of the file.
func (w *outerWriter) object() ([]byte, error) {
	class, start, header, word, entry := codeobject.ELFCLASS32, uint64(52), uint64(40), uint64(4), uint64(16)
	if w.b.Wide {
		class, start, header, word, entry = codeobject.ELFCLASS64, 64, 64, 8, 24
	}
	l := &layout{o: &codeobject.Object{
		Header:   codeobject.Header{Class: class, Type: codeobject.ET_EXEC, Machine: w.b.Device.Machine},
		ShStrNdx: 1, Sections: []*codeobject.Section{{}},
	}, off: start}
	names := []string{".shstrtab", ".strtab", ".symtab"}
	if len(w.kernels) > 0 {
		names = append(names, ".rodata", ".text")
	}
	names = extraNames(append(names, ".comment"), w.b.Sections)
	symbols, rodata, text := w.contents(class)
	l.placeSection(&codeobject.Section{
		Name: names[0], Type: codeobject.SHT_STRTAB, Flags: codeobject.SHF_STRINGS, Align: 1, Data: sectionNames(names),
	})
	l.placeSection(&codeobject.Section{
		Name: names[1], Type: codeobject.SHT_STRTAB, Flags: codeobject.SHF_STRINGS, Align: 1, Data: symbols.names,
	})
	l.placeSection(&codeobject.Section{
		Name: names[2], Type: codeobject.SHT_SYMTAB, Link: 2, Align: 8, EntSize: entry, Data: symbols.symbols,
	})
	if len(w.kernels) > 0 {
		l.placeSection(&codeobject.Section{
			Name: names[3], Type: codeobject.SHT_PROGBITS, Flags: codeobject.SHF_ALLOC, Align: 1, Data: rodata,
		})
		l.placeSection(&codeobject.Section{
			Name: names[4], Type: codeobject.SHT_PROGBITS, Flags: codeobject.SHF_ALLOC | codeobject.SHF_EXECINSTR, Align: 1, Data: text,
		})
	}
	l.placeSection(&codeobject.Section{
		Name: ".comment", Type: codeobject.SHT_PROGBITS, Align: 1, Data: []byte(w.b.CompileOptions + w.b.Driver.Info),
	})
	l.placeExtra(w.b.Sections)
	nameSections(l.o.Sections)
	l.alignTo(word)
	l.o.ShOff = l.off
	l.off += header * uint64(len(l.o.Sections))
	out, err := l.finish()
	if err != nil {
		return nil, &WriteError{TooLarge, "", -1, -1, err.Error()}
	}
	return out, nil
}

// globalSize returns the size of the global data in bytes.
func (b *Binary) globalSize() int {
	if n := len(b.GlobalData); n > 0 {
		return n
	}
	return int(b.MissingData)
}
