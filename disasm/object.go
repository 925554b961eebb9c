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

// Object disassembles a relocatable object or code object. The text begins with
// its target, so that an assembler needs no flags. Symbols and branch targets
// are labels; each instruction has its address and words in a comment, as in
// llvm-objdump. Kernel descriptors are written as .amdhsa_kernel, an
// amd_kernel_code_t before a kernel's code as .amd_kernel_code_t, and other
// data of loaded sections as .long and .byte. Of other sections, only
// codeobject.AtomicsSection is written.
//
// Words that are not an instruction are written as .long, and 8 or more zero
// bytes, which llvm-objdump shows as "...", as .zero. With Options.Encoder, so
// are instructions whose text assembles to other bytes; the text is a comment
// then.
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
	out := &outBuffer{w: w, buf: make([]byte, 0, min(outSize, textPerByte*len(obj))+1<<13)}
	if out.buf, err = appendTarget(out.buf, t); err != nil {
		return err
	}
	texts, branches, names := newTexts(d), branchOpcodes(d), newNames(o, d.Set())
	texts.encode = opt.encoder(t)
	for i, s := range o.Sections {
		if s.Flags&codeobject.SHF_EXECINSTR == 0 || s.Type == codeobject.SHT_NOBITS || len(s.Data) == 0 {
			continue
		}
		c := newCode(texts, branches, o, i, names)
		c.target, c.kernels = t, kernelCodes(kernels, i, o)
		texts.reserve(len(s.Data))
		c.write(out)
	}
	writeData(out, o, kernels, t, names)
	writeAtomics(out, o, names)
	return out.flush()
}

// appendTarget appends the directives that specify the target and the code
// object version.
func appendTarget(dst []byte, t *target.Target) ([]byte, error) {
	cov := t.COV
	if cov == 0 { // not amdhsa
		cov = target.DefaultCOV
	}
	id, err := t.Format(cov)
	if err != nil {
		return dst, err
	}
	dst = append(append(append(dst, "\t.amdgcn_target \""...), id...), "\"\n"...)
	switch {
	case t.Triple.OS != target.AMDHSA:
	case cov == 2:
		dst = append(dst, "\t.hsa_code_object_version 2,1\n\t.hsa_code_object_isa\n"...)
	default:
		dst = append(dst, "\t.amdhsa_code_object_version "...)
		dst = append(strconv.AppendInt(dst, int64(cov), 10), '\n')
	}
	return dst, nil
}

// objectTarget returns the target in an object's header: the processor with its
// feature settings, and the code object version.
func objectTarget(o *codeobject.Object) (*target.Target, error) {
	h, err := o.Target()
	if err != nil {
		return nil, err
	}
	if h.Processor == nil {
		return nil, fmt.Errorf("the object's header specifies no processor; specify one with --mcpu")
	}
	t, err := h.ID.Target("")
	if err == nil {
		t.COV = h.COV
	}
	return t, err
}

// code is an executable section being written.
type code struct {
	texts    *texts
	branches *[128]bool // see branchOpcodes
	section  *codeobject.Section
	labels   []label // sorted by address
	relocs   []reloc // sorted by offset
	target   *target.Target
	kernels  map[uint64]*codeobject.KernelCode // by offset

	longBranch bool // see branchBug
	next       int  // index of the next label
	end        int  // offset of the next symbol
	pass       int  // offset of the next label
}

// reloc is a relocation of the section, as text.
type reloc struct {
	off  uint64
	text string
}

func newCode(texts *texts, branches *[128]bool, o *codeobject.Object, index int, names *names) *code {
	c := &code{texts: texts, branches: branches, section: o.Sections[index]}
	c.labels = slices.Clone(names.labels(index))
	c.relocs = relocsOf(o, index)
	c.longBranch = branchBug[texts.d.Set()]
	c.addBranchTargets(names)
	return c
}

// relocsOf returns the relocations of a section, sorted by offset. Like
// llvm-objdump, it omits the addends of SHT_REL, which are visible in the
// words.
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

// symbolName returns a symbol's name, or its section's for a section symbol.
func symbolName(o *codeobject.Object, s *codeobject.Symbol) string {
	if s.Type == codeobject.STT_SECTION && int(s.Section) < len(o.Sections) {
		return o.Sections[s.Section].Name
	}
	return s.Name
}

// soppPrefix is the top nine bits of SOPP, the format of branches.
const soppPrefix = 0xbf80 >> 7

// branchOpcodes reports which opcodes of SOPP jump by a 16-bit offset.
func branchOpcodes(d *isa.Decoder) *[128]bool {
	var is [128]bool
	for op := range is {
		in, _, err := d.Decode(binary.LittleEndian.AppendUint32(nil, soppPrefix<<23|uint32(op)<<16))
		is[op] = err == nil && isBranch(&in)
	}
	return &is
}

// addBranchTargets adds a label at every branch target. Words that only look
// like branches (literals) may add unused labels.
func (c *code) addBranchTargets(names *names) {
	data := c.section.Data
	known := len(c.labels)
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
	for _, t := range slices.Compact(targets) {
		if c.labelAt(t, known) == nil {
			c.labels = append(c.labels, label{addr: t, name: names.branchTarget()})
		}
	}
	sortLabels(c.labels)
}

// labelAt returns the first of the first n labels at an address, or nil.
func (c *code) labelAt(addr uint64, n int) *label {
	i := sort.Search(n, func(i int) bool { return c.labels[i].addr >= addr })
	if i < n && c.labels[i].addr == addr {
		return &c.labels[i]
	}
	return nil
}

// isBranch reports whether a word is an instruction that jumps by its 16-bit
// offset.
func (c *code) isBranch(w uint32) bool { return w>>23 == soppPrefix && c.branches[w>>16&127] }

// isBranch reports whether an instruction jumps by its 16-bit offset.
func isBranch(in *isa.Inst) bool {
	ops := in.Enc.Operands()
	return in.Enc.Form() == isa.SOPP && len(ops) == 1 && ops[0].Class == isa.ClassBr
}

// branchTarget returns the offset in the section of the target of a branch at
// off.
func branchTarget(w uint32, off uint64) uint64 {
	return off + 4 + uint64(int64(int16(w)))*4
}

// commentColumn is the column of the comment with address and words, not
// counting the tab before the instruction.
const commentColumn = 59

func (c *code) write(out *outBuffer) {
	s := c.section
	out.buf = appendSection(out.buf, s)
	rel := 0
	for off := 0; off < len(s.Data); {
		if off >= c.pass {
			c.passLabels(out, off)
		}
		n := c.item(out, off)
		for ; rel < len(c.relocs) && c.relocs[rel].off < s.Addr+uint64(off+n); rel++ {
			out.buf = appendReloc(out.buf, &c.relocs[rel])
		}
		off += n
		out.flushFull()
	}
	c.passLabels(out, len(s.Data))
}

// passLabels writes the labels up to an offset, and finds the next label and
// the next symbol. The label of a branch target within an instruction is
// written as an expression.
func (c *code) passLabels(out *outBuffer, off int) {
	addr := c.section.Addr + uint64(off)
	for ; c.next < len(c.labels) && c.labels[c.next].addr <= addr; c.next++ {
		switch l := &c.labels[c.next]; {
		case l.addr == addr:
			out.buf = append(append(out.buf, l.name...), ":\n"...)
			l.written = true
		case l.used && l.addr >= c.section.Addr:
			out.buf = append(append(append(out.buf, "\t.set "...), l.name...), ", .-"...)
			out.buf = append(strconv.AppendUint(out.buf, addr-l.addr, 10), '\n')
			l.written = true
		}
	}
	if off >= c.end {
		i := slices.IndexFunc(c.labels[c.next:], func(l label) bool { return l.symbol })
		c.end = len(c.section.Data)
		if i >= 0 {
			c.end = int(min(c.labels[c.next+i].addr-c.section.Addr, uint64(c.end)))
		}
	}
	c.pass = c.end
	if c.next < len(c.labels) {
		c.pass = int(min(c.labels[c.next].addr-c.section.Addr, uint64(c.end)))
	}
}

// item writes the item at an offset and returns its size: an instruction,
// zeros, or an amd_kernel_code_t.
func (c *code) item(out *outBuffer, off int) int {
	if c.kernels != nil && c.kernels[uint64(off)] != nil {
		out.buf = appendKernelCode(out.buf, c.kernels[uint64(off)], c.target)
		return codeobject.KernelCodeSize
	}
	data := c.section.Data[off:c.end]
	if len(data) >= minZeros && binary.LittleEndian.Uint64(data) == 0 {
		n := zeros(data)
		if c.next < len(c.labels) {
			n = int(min(uint64(n), c.labels[c.next].addr-c.section.Addr-uint64(off)))
		}
		if n >= minZeros {
			out.buf = appendZeros(out.buf, uint64(n)&^3, c.section.Addr+uint64(off))
			return n &^ 3
		}
	}
	return c.instruction(out, data, off)
}

// minZeros is the number of zero bytes that llvm-objdump treats as padding.
const minZeros = 8

// zeros returns the number of zero bytes at the beginning of data.
func zeros(data []byte) (n int) {
	for n+8 <= len(data) && binary.LittleEndian.Uint64(data[n:]) == 0 {
		n += 8
	}
	for n < len(data) && data[n] == 0 {
		n++
	}
	return n
}

// appendZeros appends a directive for zero bytes at an address.
func appendZeros(dst []byte, n, addr uint64) []byte {
	start := len(dst) + 1
	dst = strconv.AppendUint(append(dst, "\t.zero "...), n, 10)
	return append(appendComment(dst, len(dst)-start, addr, nil), '\n')
}

func appendReloc(dst []byte, r *reloc) []byte {
	dst = appendAddr(append(dst, "\t\t// "...), r.off)
	return append(append(append(dst, ": "...), r.text...), '\n')
}

// instruction appends the line of the instruction at an offset and returns its
// size.
func (c *code) instruction(out *outBuffer, data []byte, off int) int {
	var words dwords
	words.load(data)
	dst := append(out.buf, '\t')
	start := len(dst)
	dst, n, note := c.decode(dst, data, &words, off)
	dst = appendComment(dst, len(dst)-start, c.section.Addr+uint64(off), data[:n])
	out.buf = append(append(dst, note...), '\n')
	return n
}

// appendComment appends an instruction's address and dwords after its text,
// which is width columns wide.
func appendComment(dst []byte, width int, addr uint64, code []byte) []byte {
	dst = slices.Grow(dst, commentRoom)
	buf := dst[len(dst):][:commentRoom]
	n := 0
	if width < commentColumn {
		*(*[len(blanks)]byte)(buf) = blanks
		n = commentColumn - width
	}
	binary.LittleEndian.PutUint32(buf[n:], '/'|'/'<<8|' '<<16)
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

// commentRoom is the maximum size of a comment.
const commentRoom = len(blanks) + 3 + 16 + 1 + 5*9

// putHex writes a dword in eight digits.
func putHex(b []byte, w uint32) {
	x := uint64(w)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f // one digit in each byte
	letters := (x + 0x0606060606060606) >> 4 & 0x0101010101010101
	binary.BigEndian.PutUint64(b, x+0x3030303030303030+letters*('A'-'0'-10))
}

// blanks are at least commentColumn blanks.
var blanks = [64]byte{
	' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
	' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
	' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
	' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
}

// decode appends the text of the instruction that data begins with.
func (c *code) decode(dst, data []byte, words *dwords, off int) (out []byte, n int, note string) {
	if len(data) >= 4 && c.isBranch(words[0]) {
		return c.branch(dst, data, words[0], uint64(off)), 4, ""
	}
	start := len(dst)
	dst, n, exact, err := c.texts.append(dst, data, words)
	switch {
	case err == nil && !exact:
		return asData(dst, start, data[:n]), n, ""
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

// asData inserts the words of an instruction before its text, which begins at
// start and becomes a comment because the assembler encodes it differently.
func asData(dst []byte, start int, code []byte) []byte {
	text := string(dst[start:])
	dst = append(dst[:start], ".long"...)
	for i := 0; i < len(code); i += 4 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendHex(append(dst, ' '), uint64(binary.LittleEndian.Uint32(code[i:])))
	}
	return append(append(append(dst, " // "...), text...), ' ')
}

// branch appends a branch with its label. If a label at the target is no longer
// possible, within an instruction, it appends a number.
func (c *code) branch(dst, data []byte, w uint32, off uint64) []byte {
	in, _, _ := c.texts.d.Decode(data)
	to := branchTarget(w, off)
	l := c.labelAt(c.section.Addr+to, len(c.labels))
	if l == nil || to <= off && !l.written || c.longBranch && w&0xffff == bugOffset {
		return Inst(dst, &in)
	}
	l.used = true
	dst = append(append(dst, in.Enc.Name()...), ' ')
	return append(dst, l.name...)
}

// branchBug lists the sets with the hardware bug of branches with offset 0x3f.
// Assemblers change the offset of a branch to a label, but not a number.
var branchBug = [isa.NumSets]bool{isa.GFX1010: true, isa.GFX1012: true, isa.GFX1013: true}

const bugOffset = 0x3f

// appendAddr appends an address in twelve digits or more.
func appendAddr(dst []byte, addr uint64) []byte {
	dst = slices.Grow(dst, 16)
	return dst[:len(dst)+putAddr(dst[len(dst):][:16], addr)]
}

// putAddr writes an address in twelve digits or more and returns their number.
// b must have room for 16.
func putAddr(b []byte, addr uint64) int {
	if addr>>48 != 0 {
		putHex(b, uint32(addr>>32))
		putHex(b[8:], uint32(addr))
		return 16
	}
	if addr>>32 == 0 {
		copy(b, "0000")
	} else {
		putHex(b, uint32(addr>>16)) // its last four digits are written again
	}
	putHex(b[4:], uint32(addr))
	return 12
}
