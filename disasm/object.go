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
// no instruction are written as .long. Kernel descriptors are written as
// .amdhsa_kernel, and an amd_kernel_code_t in front of a kernel's code as
// .amd_kernel_code_t.
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
	kernels, err := o.Kernels()
	if err != nil {
		return err
	}
	out := &outBuffer{w: w, buf: make([]byte, 0, outSize+1<<13)}
	texts, branches := newTexts(d), branchOpcodes(d)
	for i, s := range o.Sections {
		if s.Flags&codeobject.SHF_EXECINSTR == 0 || s.Type == codeobject.SHT_NOBITS || len(s.Data) == 0 {
			continue
		}
		c := newCode(texts, branches, o, i)
		c.target, c.kernels = t, kernelCodes(kernels, i, o)
		c.write(out)
	}
	descriptors(out, o, kernels, t)
	return out.flush()
}

// objectTarget gives the target that an object's header names.
func objectTarget(o *codeobject.Object) (*target.Target, error) {
	h, err := o.Target()
	if err != nil {
		return nil, err
	}
	if h.Processor == nil {
		return nil, fmt.Errorf("the object does not say for which processor it is; name one with --mcpu")
	}
	t, err := target.New(h.Triple.String(), h.Processor.Name, "")
	if err == nil {
		t.COV = h.COV
	}
	return t, err
}

// label is a name at an address.
type label struct {
	addr uint64
	name string
}

// code is one executable section.
type code struct {
	texts    *texts
	branches *[128]bool // see branchOpcodes
	section  *codeobject.Section
	labels   []label // sorted by address
	relocs   []reloc // sorted by offset
	target   *target.Target
	kernels  map[uint64]*codeobject.KernelCode // by offset
}

// reloc is a relocation of the section, as text.
type reloc struct {
	off  uint64
	text string
}

func newCode(texts *texts, branches *[128]bool, o *codeobject.Object, index int) *code {
	s := o.Sections[index]
	c := &code{texts: texts, branches: branches, section: s}
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

// relocsOf gives the relocations of a section, in the order of their offsets. The
// addends of SHT_REL are in the words that are shown, and are left out as
// llvm-objdump does.
func relocsOf(o *codeobject.Object, index int) []reloc {
	var list []reloc
	for _, s := range o.Sections {
		if s.Type != codeobject.SHT_RELA && s.Type != codeobject.SHT_REL || int(s.Info) != index {
			continue
		}
		for _, r := range s.Relocs {
			text := r.Type.String()
			if i := int(r.Symbol) - 1; i >= 0 && i < len(o.Symbols) {
				text += " " + symbolName(o, &o.Symbols[i])
			}
			if r.Addend != 0 && s.Type == codeobject.SHT_RELA {
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

// branchOpcodes tells which opcodes of SOPP jump by a 16-bit offset.
func branchOpcodes(d *isa.Decoder) *[128]bool {
	var is [128]bool
	for op := range is {
		in, _, err := d.Decode(binary.LittleEndian.AppendUint32(nil, soppPrefix<<23|uint32(op)<<16))
		is[op] = err == nil && isBranch(&in)
	}
	return &is
}

// addBranchTargets gives every address that a branch leads to a label. Words
// that only look like branches (literals) may add a label that none leads to.
func (c *code) addBranchTargets() {
	data := c.section.Data
	known := len(c.labels)
	slices.SortStableFunc(c.labels, func(a, b label) int { return compareAddr(a.addr, b.addr) })
	var targets []uint64
	for i := 0; i+4 <= len(data); i += 4 {
		w := binary.LittleEndian.Uint32(data[i:])
		if !c.isBranch(w) {
			continue
		}
		if t := branchTarget(w, uint64(i)); t < uint64(len(data)) {
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

// isBranch reports whether a word is an instruction that jumps by its 16-bit
// offset.
func (c *code) isBranch(w uint32) bool { return w>>23 == soppPrefix && c.branches[w>>16&127] }

// isBranch reports whether an instruction jumps by its 16-bit offset.
func isBranch(in *isa.Inst) bool {
	ops := in.Enc.Operands()
	return in.Enc.Form() == isa.SOPP && len(ops) == 1 && ops[0].Class == isa.ClassBr
}

// branchTarget gives the offset in the section that a branch at off leads to.
func branchTarget(w uint32, off uint64) uint64 {
	return off + 4 + uint64(int64(int16(w)))*4
}

// commentColumn is where the comment with address and words begins, counted
// without the tab before the instruction.
const commentColumn = 59

func (c *code) write(out *outBuffer) {
	s := c.section
	out.buf = appendSection(out.buf, s)
	next, rel := 0, 0
	for off := 0; off < len(s.Data); {
		addr := s.Addr + uint64(off)
		for ; next < len(c.labels) && c.labels[next].addr <= addr; next++ {
			if c.labels[next].addr == addr {
				out.buf = append(append(out.buf, c.labels[next].name...), ":\n"...)
			}
		}
		n := codeobject.KernelCodeSize
		if k := c.kernels[uint64(off)]; k != nil {
			out.buf = appendKernelCode(out.buf, k, c.target)
		} else {
			n = c.instruction(out, off)
		}
		for ; rel < len(c.relocs) && c.relocs[rel].off < addr+uint64(n); rel++ {
			out.buf = append(out.buf, "\t\t// "...)
			out.buf = appendAddr(out.buf, c.relocs[rel].off)
			out.buf = append(append(append(out.buf, ": "...), c.relocs[rel].text...), '\n')
		}
		off += n
		out.flushFull()
	}
}

// appendSection appends the directive of a section.
func appendSection(dst []byte, s *codeobject.Section) []byte {
	if s.Name == ".text" {
		return append(dst, "\t.text\n"...)
	}
	dst = strconv.AppendQuote(append(dst, "\t.section\t"...), s.Name)
	dst = append(dst, ",\"a"...)
	if s.Flags&codeobject.SHF_WRITE != 0 {
		dst = append(dst, 'w')
	}
	if s.Flags&codeobject.SHF_EXECINSTR != 0 {
		dst = append(dst, 'x')
	}
	return append(dst, "\",@progbits\n"...)
}

// instruction appends the line of the instruction at an offset and gives its
// size.
func (c *code) instruction(out *outBuffer, off int) int {
	data := c.section.Data[off:]
	var words dwords
	words.load(data)
	dst := append(out.buf, '\t')
	start := len(dst)
	dst, n, note := c.decode(dst, data, &words, off)
	dst = appendComment(dst, len(dst)-start, c.section.Addr+uint64(off), data[:n])
	out.buf = append(append(dst, note...), '\n')
	return n
}

// appendComment appends an instruction's address and dwords, behind its text of
// width columns.
func appendComment(dst []byte, width int, addr uint64, code []byte) []byte {
	dst = slices.Grow(dst, commentRoom)
	buf := dst[len(dst):][:commentRoom]
	n := 0
	if width < commentColumn {
		copy(buf, blanks)
		n = commentColumn - width
	}
	buf[n], buf[n+1], buf[n+2] = '/', '/', ' '
	n += 3
	n += putAddr(buf[n:], addr)
	buf[n] = ':'
	n++
	for ; len(code) >= 4; code = code[4:] {
		buf[n] = ' '
		putHex(buf[n+1:], binary.LittleEndian.Uint32(code))
		n += 9
	}
	return dst[:len(dst)+n]
}

// commentRoom is enough for a comment.
const commentRoom = commentColumn + 3 + 16 + 1 + 5*9

// putHex writes a dword in eight digits.
func putHex(b []byte, w uint32) {
	x := uint64(w)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f // one digit in each byte
	letters := (x + 0x0606060606060606) >> 4 & 0x0101010101010101
	binary.BigEndian.PutUint64(b, x+0x3030303030303030+letters*('A'-'0'-10))
}

const blanks = "                                                           " // commentColumn of them

// decode appends the text of the instruction that data begins with.
func (c *code) decode(dst, data []byte, words *dwords, off int) (out []byte, n int, note string) {
	if len(data) >= 4 && c.isBranch(words[0]) {
		return c.branch(dst, data, words[0], uint64(off)), 4, ""
	}
	dst, n, err := c.texts.append(dst, data, words)
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
	}
	return dst, n, ""
}

// branch appends a branch with its label.
func (c *code) branch(dst, data []byte, w uint32, off uint64) []byte {
	in, _, _ := c.texts.d.Decode(data)
	name, ok := c.labelAt(c.section.Addr+branchTarget(w, off), len(c.labels))
	if !ok {
		return Inst(dst, &in)
	}
	dst = append(append(dst, in.Enc.Name()...), ' ')
	return append(dst, name...)
}

// appendAddr appends an address in twelve digits or more.
func appendAddr(dst []byte, addr uint64) []byte {
	dst = slices.Grow(dst, 16)
	return dst[:len(dst)+putAddr(dst[len(dst):][:16], addr)]
}

// putAddr writes an address in twelve digits or more and gives how many. b has
// room for 16.
func putAddr(b []byte, addr uint64) int {
	if addr>>48 != 0 {
		putHex(b, uint32(addr>>32))
		putHex(b[8:], uint32(addr))
		return 16
	}
	putHex(b, uint32(addr>>16)) // all but the last four digits, which follow
	putHex(b[4:], uint32(addr))
	return 12
}
