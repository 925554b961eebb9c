package disasm

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// appendSection appends the directives that begin a section.
func appendSection(dst []byte, s *codeobject.Section) []byte {
	if s.Name == ".text" {
		dst = append(dst, "\t.text\n"...)
	} else {
		dst = strconv.AppendQuote(append(dst, "\t.section\t"...), s.Name)
		dst = appendSectionFlags(append(dst, ",\""...), s)
		dst = append(dst, '\n')
	}
	if s.Align > 4 && s.Align&(s.Align-1) == 0 {
		dst = append(dst, "\t.p2align "...)
		dst = append(strconv.AppendInt(dst, int64(bits.TrailingZeros64(s.Align)), 10), '\n')
	}
	return dst
}

// sectionFlags lists the letters of section flags.
var sectionFlags = [...]struct {
	flag   codeobject.SectionFlags
	letter byte
}{{codeobject.SHF_WRITE, 'w'}, {codeobject.SHF_EXECINSTR, 'x'}, {codeobject.SHF_MERGE, 'M'}, {codeobject.SHF_STRINGS, 'S'}}

// sectionTypes lists the names of the types of data sections.
var sectionTypes = [...]struct {
	typ  codeobject.SectionType
	name string
}{
	{codeobject.SHT_PROGBITS, "progbits"}, {codeobject.SHT_NOBITS, "nobits"}, {codeobject.SHT_INIT_ARRAY, "init_array"},
	{codeobject.SHT_FINI_ARRAY, "fini_array"}, {codeobject.SHT_PREINIT_ARRAY, "preinit_array"},
}

func sectionType(t codeobject.SectionType) string {
	for _, x := range sectionTypes {
		if x.typ == t {
			return x.name
		}
	}
	return ""
}

// appendSectionFlags appends a section's flags, the closing quote, its type and
// the size of its entries.
func appendSectionFlags(dst []byte, s *codeobject.Section) []byte {
	dst = append(dst, 'a')
	for _, f := range sectionFlags {
		if s.Flags&f.flag != 0 {
			dst = append(dst, f.letter)
		}
	}
	dst = append(append(dst, "\",@"...), cmp.Or(sectionType(s.Type), "progbits")...)
	if s.Flags&codeobject.SHF_MERGE != 0 {
		dst = strconv.AppendUint(append(dst, ','), s.EntSize, 10)
	}
	return dst
}

// linkedSections lists the data sections that a linker creates.
var linkedSections = [...]string{".got", ".got.plt", ".relro_padding"}

// isData reports whether a section has data from a program or an assembler: it
// is loaded and contains no code.
func isData(o *codeobject.Object, s *codeobject.Section) bool {
	return s.Flags&codeobject.SHF_ALLOC != 0 && s.Flags&codeobject.SHF_EXECINSTR == 0 && sectionType(s.Type) != "" &&
		(o.Type == codeobject.ET_REL || !slices.Contains(linkedSections[:], s.Name))
}

// data is a data section being written.
type data struct {
	out     *outBuffer
	section *codeobject.Section
	labels  []label // sorted by address
	relocs  []reloc // sorted by offset
	kernels []*codeobject.KernelSymbol
	target  *target.Target
	names   *names
}

// writeData writes the data sections, with kernel descriptors as directives.
func writeData(out *outBuffer, o *codeobject.Object, kernels []codeobject.KernelSymbol, t *target.Target, names *names) {
	bySection := map[codeobject.SectionIndex][]*codeobject.KernelSymbol{}
	for i := range kernels {
		if k := &kernels[i]; k.Descriptor != nil {
			bySection[k.Symbol.Section] = append(bySection[k.Symbol.Section], k)
		}
	}
	for i, s := range o.Sections {
		if !isData(o, s) || s.Size == 0 {
			continue
		}
		d := data{out, s, names.labels(i), relocsOf(o, i), bySection[codeobject.SectionIndex(i)], t, names}
		slices.SortStableFunc(d.kernels, func(x, y *codeobject.KernelSymbol) int { return compareAddr(x.Off, y.Off) })
		d.write()
	}
}

func (d *data) write() {
	d.out.buf = appendSection(d.out.buf, d.section)
	next := 0
	for off := uint64(0); off < d.section.Size; {
		for len(d.kernels) > 0 && d.kernelAt() < off { // a second name of the last descriptor, or one that overlaps it
			d.kernels = d.kernels[1:]
		}
		if len(d.kernels) > 0 && d.kernelAt() == off {
			d.out.buf = appendDescriptor(d.out.buf, d.kernels[0], d.target, d.names)
			off += codeobject.KernelDescriptorSize
			continue
		}
		for next < len(d.labels) && d.labels[next].addr < d.section.Addr+off {
			next++
		}
		for ; next < len(d.labels) && d.labels[next].addr == d.section.Addr+off; next++ {
			d.out.buf = append(append(d.out.buf, d.labels[next].name...), ":\n"...)
		}
		end := d.section.Size
		if next < len(d.labels) {
			end = min(end, d.labels[next].addr-d.section.Addr)
		}
		if len(d.kernels) > 0 {
			end = min(end, d.kernelAt())
		}
		d.bytes(off, end)
		off = end
	}
}

// kernelAt returns the offset of the next kernel descriptor in the section.
func (d *data) kernelAt() uint64 { return d.kernels[0].Off - d.section.Offset }

// dataLine is the number of bytes per line of data.
const dataLine = 16

// bytes writes the section's bytes from off to end.
func (d *data) bytes(off, end uint64) {
	if d.section.Type == codeobject.SHT_NOBITS {
		d.zeros(off, end-off)
		return
	}
	for off < end {
		b := d.section.Data[off:end]
		n := uint64(zeros(b))
		if n < dataLine && n < uint64(len(b)) {
			n = min(dataLine, uint64(len(b)))
			d.line(b[:n], d.section.Addr+off)
		} else {
			d.zeros(off, n)
		}
		off += n
		for ; len(d.relocs) > 0 && d.relocs[0].off < d.section.Addr+off; d.relocs = d.relocs[1:] {
			d.out.buf = appendReloc(d.out.buf, &d.relocs[0])
		}
		d.out.flushFull()
	}
}

func (d *data) zeros(off, n uint64) {
	d.out.buf = appendZeros(d.out.buf, n, d.section.Addr+off)
}

// line writes some bytes as one directive.
func (d *data) line(b []byte, addr uint64) {
	dst := append(d.out.buf, '\t')
	start, size, directive := len(dst), 4, ".long"
	if len(b)%4 != 0 {
		size, directive = 1, ".byte"
	}
	dst = append(dst, directive...)
	for i := 0; i < len(b); i += size {
		if i > 0 {
			dst = append(dst, ',')
		}
		v := uint64(b[i])
		if size == 4 {
			v = uint64(binary.LittleEndian.Uint32(b[i:]))
		}
		dst = appendHex(append(dst, ' '), v)
	}
	d.out.buf = append(appendComment(dst, len(dst)-start, addr, nil), '\n')
}
