package clrx

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
)

// Style is the way in which the setup of a kernel is written.
type Style uint8

// Styles.
const (
	Auto   Style = iota // a configuration where one makes the same bytes, else notes
	Config              // a configuration; a kernel that has none is an error
	Notes               // metadata, header and notes
)

// BinaryOptions configures the text of a binary.
type BinaryOptions struct {
	Style   Style
	Offsets bool // write the offset of each instruction as a comment
	Words   bool // write its dwords, too
}

// Binary writes a binary as text that assembles to the same file. A binary with
// symbols of its own needs the assembler's option to add symbols. Errors name a
// part that the text cannot express, such as a kernel whose name is no symbol.
//
// The text has all options of the file; the assembler needs none.
func Binary(w io.Writer, b *catalyst.Binary, o BinaryOptions) error {
	copied := *b
	copied.Kernels = slices.Clone(b.Kernels)
	t := binaryText{b: &copied, o: o, w: bufio.NewWriterSize(w, 1<<16)}
	if err := t.configure(); err != nil {
		return err
	}
	if err := t.file(); err != nil {
		return err
	}
	t.w.Write(t.out)
	return t.w.Flush()
}

// HasSymbols reports whether a binary or a kernel has symbols of its own.
func HasSymbols(b *catalyst.Binary) bool {
	return len(b.Symbols) > 0 || slices.ContainsFunc(b.Kernels, func(k catalyst.Kernel) bool { return len(k.Symbols) > 0 })
}

// binaryText is the text of a binary.
type binaryText struct {
	b       *catalyst.Binary
	o       BinaryOptions
	printer *Printer
	w       *bufio.Writer
	out     []byte // text that is not yet written to w
}

// line appends a line.
func (t *binaryText) line(format string, args ...any) {
	t.out = fmt.Appendf(t.out, format, args...)
	t.out = append(t.out, '\n')
}

// configure decides which kernels are written as configurations.
func (t *binaryText) configure() error {
	if t.o.Style == Notes {
		for i := range t.b.Kernels {
			k := &t.b.Kernels[i]
			if k.Config != nil {
				return fmt.Errorf("kernel %s has a configuration and no notes", k.Name)
			}
		}
		return nil
	}
	read := false // a binary that was built has its configurations already
	for i := range t.b.Kernels {
		read = read || t.b.Kernels[i].Config == nil
	}
	if !read {
		return nil
	}
	for i, reason := range t.b.RecoverConfigs() {
		if reason != nil && t.o.Style == Config {
			return fmt.Errorf("kernel %s has no configuration: %w", t.b.Kernels[i].Name, reason)
		}
	}
	return nil
}

// file appends the whole text.
func (t *binaryText) file() error {
	b := t.b
	if b.Device == nil || b.Device.Machine == 0 {
		return fmt.Errorf("binaries of this format exist for devices of GCN 1.0 to 1.2 only")
	}
	var err error
	if t.printer, err = NewPrinter(b.Device.Arch, true); err != nil {
		return err
	}
	t.line(".amd\n.gpu %s", b.Device.Name)
	if b.Wide {
		t.line(".64bit")
	} else {
		t.line(".32bit")
	}
	t.line(".compile_options %s", quoted(b.CompileOptions))
	t.line(".driver_info %s", quoted(b.Driver.Info))
	if b.Driver.Info == "" { // both operations together leave the text empty
		t.out = t.out[:len(t.out)-len("\"\"\n")]
		t.line("\"-\"\n.driver_version 1")
	}
	t.globalData()
	if err := t.sections(b.Sections, b.Symbols, nil, ""); err != nil {
		return err
	}
	for i := range b.Kernels {
		if err := t.kernel(i); err != nil {
			return err
		}
	}
	return nil
}

// globalData appends the constant data of all kernels.
func (t *binaryText) globalData() {
	switch n := t.b.MissingData; {
	case len(t.b.GlobalData) > 0:
		t.line(".globaldata")
		t.data(t.b.GlobalData, "    ")
	case n > 0:
		t.line(".globaldata\n    .skip %d", n)
	}
}

// kernel appends a kernel.
func (t *binaryText) kernel(i int) error {
	k := &t.b.Kernels[i]
	if !isSymbol(k.Name) {
		return fmt.Errorf("kernel name %q is no symbol", k.Name)
	}
	for j := range t.b.Kernels[:i] {
		if t.b.Kernels[j].Name == k.Name {
			return fmt.Errorf("two kernels are named %s", k.Name)
		}
	}
	t.line(".kernel %s", k.Name)
	if k.Config != nil {
		if err := t.config(k.Config); err != nil {
			return fmt.Errorf("kernel %s: %w", k.Name, err)
		}
	} else {
		t.notes(k)
	}
	if k.DataGiven {
		t.line("    .data")
		if err := t.contents(k.Data, uint64(len(k.Data)), k.Symbols, catalyst.DataSection, "        "); err != nil {
			return fmt.Errorf("kernel %s: %w", k.Name, err)
		}
	}
	t.line("    .text")
	suffix := "_" + strconv.Itoa(i)
	t.w.Write(t.out)
	t.w.Flush()
	t.out = t.out[:0]
	t.printer.pieces(k.Code, CodeOptions{
		Offsets: t.o.Offsets, Words: t.o.Words, Indent: t.indent(), Suffix: suffix, Local: HasSymbols(t.b),
	}, func(text []byte) { t.w.Write(text) })
	if err := t.sections(k.Sections, k.Symbols, k, "    "); err != nil {
		return fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	return nil
}

// indent returns the blanks before an instruction: none before comments.
func (t *binaryText) indent() string {
	if t.o.Offsets || t.o.Words {
		return ""
	}
	return "        "
}

// sectionTypes are the names of types of sections.
var sectionTypes = [...]string{
	codeobject.SHT_PROGBITS: "progbits", codeobject.SHT_NOTE: "note", codeobject.SHT_NOBITS: "nobits",
}

// sections appends further sections and symbols of the file, or of a kernel
// whose code is the current section.
func (t *binaryText) sections(list []catalyst.Section, symbols []catalyst.Symbol, k *catalyst.Kernel, indent string) error {
	for _, s := range symbols {
		if s.Section != catalyst.AbsoluteSymbol && s.Section != catalyst.CodeSection && s.Section != catalyst.DataSection &&
			(s.Section < 0 || int(s.Section) >= len(list)) {
			return fmt.Errorf("symbol %s is in no section", s.Name)
		}
		if !isSymbol(s.Name) {
			return fmt.Errorf("name %q is no symbol", s.Name)
		}
	}
	t.absolute(symbols, indent)
	if k != nil {
		t.codeSymbols(symbols, uint64(len(k.Code)), indent)
	}
	for i := range list {
		s := &list[i]
		name := ""
		if int64(s.Type) < int64(len(sectionTypes)) {
			name = sectionTypes[s.Type]
		}
		if name == "" || !isSymbol(s.Name) {
			return fmt.Errorf("section %q of type %#x cannot be written", s.Name, uint32(s.Type))
		}
		align := ""
		if s.Align > 1 {
			align = fmt.Sprintf(" align=%d", s.Align)
		}
		t.line("%s.section %s, %s, @%s%s", indent, s.Name, sectionFlags(s.Flags), name, align)
		size := uint64(len(s.Data))
		if s.Type == codeobject.SHT_NOBITS {
			size = s.Size
		}
		if err := t.contents(s.Data, size, symbols, catalyst.SectionIndex(i), indent+"    "); err != nil {
			return err
		}
	}
	return nil
}

// contents appends the contents of a section, data or as many bytes of space,
// with labels for its symbols.
func (t *binaryText) contents(data []byte, size uint64, symbols []catalyst.Symbol, section catalyst.SectionIndex, indent string) error {
	var labels []catalyst.Symbol
	for _, s := range symbols {
		if s.Section != section {
			continue
		}
		if s.Value > size {
			return fmt.Errorf("symbol %s is past the end of its section", s.Name)
		}
		labels = append(labels, s)
	}
	slices.SortStableFunc(labels, func(a, b catalyst.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	at := uint64(0)
	for _, s := range append(labels, catalyst.Symbol{Value: size}) {
		switch n := s.Value - at; {
		case n == 0:
		case data == nil:
			t.line("%s.skip %d", indent, n)
		default:
			t.data(data[at:s.Value], indent)
		}
		at = s.Value
		if s.Name != "" {
			t.line("%s:", s.Name)
			t.binding(&s, indent)
		}
	}
	return nil
}

// sectionFlags returns the letters of a section's flags in quotes.
func sectionFlags(f codeobject.SectionFlags) string {
	s := "\""
	for _, x := range []struct {
		flag   codeobject.SectionFlags
		letter string
	}{{codeobject.SHF_ALLOC, "a"}, {codeobject.SHF_WRITE, "w"}, {codeobject.SHF_EXECINSTR, "x"}} {
		if f&x.flag != 0 {
			s += x.letter
		}
	}
	return s + "\""
}

// absolute appends the symbols that are numbers.
func (t *binaryText) absolute(list []catalyst.Symbol, indent string) {
	for i := range list {
		if s := &list[i]; s.Section == catalyst.AbsoluteSymbol {
			t.line("%s%s = 0x%x", indent, s.Name, s.Value)
			t.binding(s, indent)
		}
	}
}

// codeSymbols appends the symbols of a kernel's code after the code of a size.
func (t *binaryText) codeSymbols(list []catalyst.Symbol, size uint64, indent string) {
	for i := range list {
		if s := &list[i]; s.Section == catalyst.CodeSection {
			t.line("%s%s = .-%d", indent, s.Name, int64(size-s.Value))
			t.binding(s, indent)
		}
	}
}

// binding appends the binding and the size of a symbol.
func (t *binaryText) binding(s *catalyst.Symbol, indent string) {
	if s.Bind == codeobject.STB_WEAK {
		t.line("%s.weak %s", indent, s.Name)
	} else {
		t.line("%s.global %s", indent, s.Name)
	}
	if s.Size != 0 {
		t.line("%s.size %s, %d", indent, s.Name, s.Size)
	}
}

// isSymbol reports whether a name can be written as a symbol without scopes.
func isSymbol(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '.' || c == '$'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && name != "."
}

// Bytes with escape sequences, and the letters of these.
const (
	escapedBytes  = "\a\b\r\n\f\v\t\\\""
	escapeLetters = "abrnfvt\\\""
)

// quoted returns a string in double quotes.
func quoted(s string) string {
	out := []byte{'"'}
	for i := range len(s) {
		c := s[i]
		switch e := strings.IndexByte(escapedBytes, c); {
		case e >= 0:
			out = append(out, '\\', escapeLetters[e])
		case c < ' ' || c > '~':
			out = fmt.Appendf(out, "\\%03o", c)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// runLength is the length of a run of equal bytes that becomes .fill.
const runLength = 16

// data appends bytes, eight in a line.
func (t *binaryText) data(b []byte, indent string) {
	for len(b) > 0 {
		n := runOf(b)
		if n >= runLength {
			t.line("%s.fill %d, 1, 0x%02x", indent, n, b[0])
			b = b[n:]
			continue
		}
		t.out = append(append(t.out, indent...), ".byte "...)
		for i := 0; i < 8 && len(b) > 0 && (i == 0 || runOf(b) < runLength); i++ {
			if i > 0 {
				t.out = append(t.out, ", "...)
			}
			t.out = fmt.Appendf(t.out, "0x%02x", b[0])
			b = b[1:]
		}
		t.out = append(t.out, '\n')
	}
}

// runOf returns the number of equal bytes at the start of b.
func runOf(b []byte) int {
	n := 1
	for n < len(b) && b[n] == b[0] {
		n++
	}
	return n
}
