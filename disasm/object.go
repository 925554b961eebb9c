package disasm

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Object disassembles the executable sections of a relocatable object or code
// object. Symbols and the targets of branches are labels; each instruction has
// its address and words in a comment, as llvm-objdump has them. Words that are
// no instruction are written as .long.
func Object(w io.Writer, obj []byte, opt Options) error {
	o, err := codeobject.Read(obj)
	if err != nil {
		return err
	}
	t := opt.Target
	if t == nil {
		if t, err = objectTarget(o); err != nil {
			return err
		}
	}
	d, err := decoder(t)
	if err != nil {
		return err
	}
	out := &outBuffer{w: w}
	for i, s := range o.Sections {
		if s.Flags&codeobject.SHF_EXECINSTR == 0 || s.Type == codeobject.SHT_NOBITS || len(s.Data) == 0 {
			continue
		}
		c := newCode(d, o, i)
		c.write(out)
	}
	return out.flush()
}

// objectTarget gives the target that an object's header names.
func objectTarget(o *codeobject.Object) (*target.Target, error) {
	h, err := target.DecodeHeader(o.Class == codeobject.ELFCLASS64, uint8(o.OSABI), o.ABIVersion, o.Flags)
	if err != nil {
		return nil, err
	}
	if h.Processor == nil {
		return nil, fmt.Errorf("the object does not say for which processor it is; name one with --mcpu")
	}
	return target.New(h.Triple.String(), h.Processor.Name, "")
}

// label is a name at an address.
type label struct {
	addr uint64
	name string
}

// code is one executable section.
type code struct {
	d       *isa.Decoder
	section *codeobject.Section
	labels  []label // sorted by address
	relocs  []reloc // sorted by offset
}

// reloc is a relocation of the section, as text.
type reloc struct {
	off  uint64
	text string
}

func newCode(d *isa.Decoder, o *codeobject.Object, index int) *code {
	s := o.Sections[index]
	c := &code{d: d, section: s}
	symbols := o.Symbols
	if len(symbols) == 0 {
		symbols = o.DynSymbols
	}
	base := uint64(0)
	if o.Type == codeobject.ET_REL {
		base = s.Addr
	}
	for _, sym := range symbols {
		if int(sym.Section) == index && sym.Name != "" && sym.Type != codeobject.STT_SECTION && sym.Type != codeobject.STT_FILE {
			c.labels = append(c.labels, label{sym.Value + base, sym.Name})
		}
	}
	c.relocs = relocsOf(o, index)
	c.addBranchTargets()
	return c
}

// relocsOf gives the relocations of a section, in the order of their offsets.
func relocsOf(o *codeobject.Object, index int) []reloc {
	var list []reloc
	for _, s := range o.Sections {
		if s.Type != codeobject.SHT_RELA || int(s.Info) != index {
			continue
		}
		for _, r := range s.Relocs {
			text := r.Type.String()
			if i := int(r.Symbol) - 1; i >= 0 && i < len(o.Symbols) {
				text += " " + symbolName(o, &o.Symbols[i])
			}
			if r.Addend != 0 {
				text += fmt.Sprintf("%+#x", r.Addend)
			}
			list = append(list, reloc{r.Offset, text})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].off < list[j].off })
	return list
}

// symbolName gives a symbol's name; a section symbol has that of its section.
func symbolName(o *codeobject.Object, s *codeobject.Symbol) string {
	if s.Type == codeobject.STT_SECTION && int(s.Section) < len(o.Sections) {
		return o.Sections[s.Section].Name
	}
	return s.Name
}

// soppPrefix is the top nine bits of SOPP, which holds the branches.
const soppPrefix = 0xbf80 >> 7

// addBranchTargets gives every address that a branch leads to a label. Words
// that only look like branches (literals) may add a label that none leads to.
func (c *code) addBranchTargets() {
	data := c.section.Data
	known := len(c.labels)
	slices.SortStableFunc(c.labels, func(a, b label) int { return compareAddr(a.addr, b.addr) })
	var targets []uint64
	for i := 0; i+4 <= len(data); i += 4 {
		w := binary.LittleEndian.Uint32(data[i:])
		if w>>23 != soppPrefix {
			continue
		}
		in, _, err := c.d.Decode(data[i : i+4])
		if err != nil || !isBranch(&in) {
			continue
		}
		if t := branchTarget(&in, uint64(i)); t < uint64(len(data)) {
			targets = append(targets, c.section.Addr+t)
		}
	}
	slices.Sort(targets)
	for i, t := range slices.Compact(targets) {
		if _, found := c.labelAt(t, known); !found {
			c.labels = append(c.labels, label{t, "L" + strconv.Itoa(i)})
		}
	}
	slices.SortStableFunc(c.labels, func(a, b label) int { return compareAddr(a.addr, b.addr) })
}

func compareAddr(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// labelAt gives the first of the first n labels at an address.
func (c *code) labelAt(addr uint64, n int) (string, bool) {
	i := sort.Search(n, func(i int) bool { return c.labels[i].addr >= addr })
	if i < n && c.labels[i].addr == addr {
		return c.labels[i].name, true
	}
	return "", false
}

// isBranch reports whether an instruction jumps by its 16-bit offset.
func isBranch(in *isa.Inst) bool {
	ops := in.Enc.Operands()
	return in.Enc.Form() == isa.SOPP && len(ops) == 1 && ops[0].Class == isa.ClassBr
}

// branchTarget gives the offset in the section that a branch at off leads to.
func branchTarget(in *isa.Inst, off uint64) uint64 {
	return off + 4 + uint64(int64(int16(in.Field(isa.FieldSimm16))))*4
}

// commentColumn is where the comment with address and words begins, counted
// without the tab before the instruction.
const commentColumn = 59

func (c *code) write(out *outBuffer) {
	s := c.section
	if s.Name == ".text" {
		out.buf = append(out.buf, "\t.text\n"...)
	} else {
		out.buf = append(out.buf, "\t.section\t"...)
		out.buf = strconv.AppendQuote(out.buf, s.Name)
		out.buf = append(out.buf, ",\"ax\",@progbits\n"...)
	}
	next, rel := 0, 0
	for off := 0; off < len(s.Data); {
		addr := s.Addr + uint64(off)
		for ; next < len(c.labels) && c.labels[next].addr <= addr; next++ {
			if c.labels[next].addr == addr {
				out.buf = append(append(out.buf, c.labels[next].name...), ":\n"...)
			}
		}
		n := c.instruction(out, off)
		for ; rel < len(c.relocs) && c.relocs[rel].off < addr+uint64(n); rel++ {
			out.buf = append(out.buf, "\t\t// "...)
			out.buf = appendAddr(out.buf, c.relocs[rel].off)
			out.buf = append(append(append(out.buf, ": "...), c.relocs[rel].text...), '\n')
		}
		off += n
		out.flushFull()
	}
}

// instruction appends the line of the instruction at an offset and gives its
// size.
func (c *code) instruction(out *outBuffer, off int) int {
	data := c.section.Data[off:]
	words := firstWords(data)
	dst := append(out.buf, '\t')
	start := len(dst)
	dst, n, note := c.decode(dst, data, &words, off)
	if pad := commentColumn - (len(dst) - start); pad > 0 {
		dst = append(dst, blanks[:pad]...)
	}
	dst = append(dst, "// "...)
	dst = appendAddr(dst, c.section.Addr+uint64(off))
	dst = append(dst, ':')
	for i := range n / 4 {
		dst = appendWord(append(dst, ' '), words[i])
	}
	out.buf = append(append(dst, note...), '\n')
	return n
}

const blanks = "                                                            "

// firstWords gives the dwords that data begins with, 0 behind its end.
func firstWords(data []byte) (w [5]uint32) {
	if len(data) >= 20 {
		for i := range w {
			w[i] = binary.LittleEndian.Uint32(data[i*4:])
		}
		return w
	}
	for i := 0; i+4 <= len(data); i += 4 {
		w[i/4] = binary.LittleEndian.Uint32(data[i:])
	}
	return w
}

// decode appends the text of the instruction that data begins with.
func (c *code) decode(dst, data []byte, words *[5]uint32, off int) (out []byte, n int, note string) {
	in, n, err := c.d.Decode(data)
	switch {
	case err != nil && len(data) < 4:
		dst = append(dst, ".byte"...)
		for i, b := range data {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendHex(append(dst, ' '), uint64(b))
		}
		return dst, len(data), " no instruction"
	case err != nil:
		dst = appendHex(append(dst, ".long "...), uint64(words[0]))
		return dst, 4, " no instruction: " + reason(err)
	case isBranch(&in):
		return c.branch(dst, &in, uint64(off)), n, ""
	}
	return Inst(dst, &in), n, ""
}

// branch appends a branch with its label.
func (c *code) branch(dst []byte, in *isa.Inst, off uint64) []byte {
	name, ok := c.labelAt(c.section.Addr+branchTarget(in, off), len(c.labels))
	if !ok {
		return Inst(dst, in)
	}
	dst = append(append(dst, in.Enc.Name()...), ' ')
	return append(dst, name...)
}

// hexPairs has the two digits of every byte.
const hexPairs = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F" +
	"202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F" +
	"404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F" +
	"606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F" +
	"808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9F" +
	"A0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF" +
	"C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF" +
	"E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"

// appendAddr appends an address in twelve digits or more.
func appendAddr(dst []byte, addr uint64) []byte {
	if addr>>48 != 0 {
		dst = appendWord(dst, uint32(addr>>48))
	}
	a, b := addr>>40&255*2, addr>>32&255*2
	dst = append(dst, hexPairs[a], hexPairs[a+1], hexPairs[b], hexPairs[b+1])
	return appendWord(dst, uint32(addr))
}

// appendWord appends a dword in eight digits.
func appendWord(dst []byte, w uint32) []byte {
	a, b, c, d := w>>24*2, w>>16&255*2, w>>8&255*2, w&255*2
	return append(dst, hexPairs[a], hexPairs[a+1], hexPairs[b], hexPairs[b+1], hexPairs[c], hexPairs[c+1], hexPairs[d], hexPairs[d+1])
}
