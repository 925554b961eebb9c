package clrx

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
)

// noKernel is the kernel of sections of the file itself.
const noKernel = -1

// noSection is the index of a section that does not exist.
const noSection = -2

// sectionKind is the kind of a section.
type sectionKind uint8

const (
	globalSection   sectionKind = iota // constant data of all kernels
	codeSection                        // .text of a kernel
	dataSection                        // .data of a kernel
	configSection                      // .config: settings instead of bytes
	metadataSection                    // .metadata
	headerSection                      // .header
	noteSection                        // a note
	extraSection                       // any other
)

// section is a section of the output.
type section struct {
	name   string
	kind   sectionKind
	kernel int
	note   catalyst.NoteType // of a noteSection
	typ    codeobject.SectionType
	flags  codeobject.SectionFlags
	align  uint64
	data   []byte
}

// registers is the number of registers that code uses.
type registers struct{ sgprs, vgprs uint32 }

// kernel is a kernel of the source.
type kernel struct {
	name     string
	code     int // sections, noSection if they do not exist
	data     int
	config   int
	metadata int
	header   int
	notes    []int
	extra    map[string]int
	last     int // section to which .kernel returns
	regs     registers
	settings catalyst.Config
	args     map[string]bool // names of arguments
}

// noteSGPR records the use of scalar registers below end.
func (p *parser) noteSGPR(end int) { p.regs.sgprs = max(p.regs.sgprs, uint32(end)) }

// noteVGPR records the use of vector registers below end.
func (p *parser) noteVGPR(end int) { p.regs.vgprs = max(p.regs.vgprs, uint32(end)) }

// prepare creates the first section, before the first statement that needs the
// output format. Afterwards the format cannot change.
func (p *parser) prepare() {
	if p.ready {
		return
	}
	p.ready = true
	p.sections = append(p.sections, section{kind: globalSection, kernel: noKernel})
	p.enter(0)
}

// enter makes a section the current one.
func (p *parser) enter(id int) {
	if p.cur != nil {
		p.leave()
	}
	p.section, p.cur = id, &p.sections[id]
	p.kernel = p.cur.kernel
	p.regs = &p.unused
	if p.cur.kind == codeSection {
		p.regs = &p.kernels[p.kernel].regs
	}
}

// leave remembers the current section for the return to its kernel or the file.
func (p *parser) leave() {
	if p.kernel == noKernel {
		p.mainSec = p.section
	} else {
		p.kernels[p.kernel].last = p.section
	}
}

// addSection creates a section and enters it.
func (p *parser) addSection(s section) int {
	id := len(p.sections)
	p.sections = append(p.sections, s)
	if p.cur != nil {
		p.cur = &p.sections[p.section] // the array may have moved
	}
	p.enter(id)
	return id
}

// writable reports whether the current section can hold bytes.
func (p *parser) writable() bool { return p.cur != nil && p.cur.kind != configSection }

// addressable reports whether the current section has an output counter.
func (p *parser) addressable() bool { return p.cur == nil || p.cur.kind != configSection }

// needWritable reports an error if the current section cannot hold bytes.
func (p *parser) needWritable(stmt int) bool {
	p.prepare()
	if !p.writable() {
		p.errorAt(stmt, "data in a section without contents")
		return false
	}
	return true
}

// needAddressable reports an error if the current section has no output
// counter.
func (p *parser) needAddressable(stmt int) bool {
	p.prepare()
	if !p.addressable() {
		p.errorAt(stmt, "space in a section without contents")
		return false
	}
	return true
}

// counter returns the output counter.
func (p *parser) counter() uint64 {
	if p.cur == nil {
		return p.absPos
	}
	return uint64(len(p.cur.data))
}

// room counts n more bytes of output, and reports an error if the limit does
// not allow them.
func (p *parser) room(n uint64) bool {
	if n <= uint64(p.opt.MaxOutput-p.written) {
		p.written += int64(n)
		return true
	}
	if !p.ended {
		p.ended = true
		p.errorAt(p.start, "the output exceeds %d bytes", p.opt.MaxOutput)
	}
	return false
}

// emitBytes appends bytes to the current section.
func (p *parser) emitBytes(b []byte) {
	if p.room(uint64(len(b))) {
		p.cur.data = append(p.cur.data, b...)
	}
}

// emitInt appends the low size bytes of v to the current section.
func (p *parser) emitInt(v uint64, size int) {
	if p.room(uint64(size)) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		p.cur.data = append(p.cur.data, b[:size]...)
	}
}

// emit32 appends a word to the current section.
func (p *parser) emit32(v uint32) {
	if p.room(4) {
		p.cur.data = binary.LittleEndian.AppendUint32(p.cur.data, v)
	}
}

// reserve appends n bytes with a value, or moves the output counter of the
// absolute section.
func (p *parser) reserve(n uint64, fill byte) []byte {
	if p.cur == nil {
		p.absPos += n
		return nil
	}
	if !p.room(n) {
		return nil
	}
	old := len(p.cur.data)
	p.cur.data = slices.Grow(p.cur.data, int(n))[:old+int(n)]
	added := p.cur.data[old:]
	if fill == 0 {
		clear(added)
	} else {
		copy(added, bytes.Repeat([]byte{fill}, len(added)))
	}
	return added
}

// moveTo moves the output counter. at is the column that errors point to.
func (p *parser) moveTo(at int, to uint64, sect int, fill byte) {
	p.prepare()
	from := p.counter()
	switch {
	case sect != absolute && sect != p.section:
		p.errorAt(at, "the output counter cannot move to another section")
	case p.cur != nil && int64(from) > int64(to):
		p.errorAt(at, "the output counter cannot move backwards")
	case !p.addressable():
		p.errorAt(at, "space in a section without contents")
	case p.cur == nil:
		if fill != 0 {
			p.warnAt(at, "the absolute section ignores the value of filling")
		}
		p.absPos = to
	default:
		p.reserve(to-from, fill)
	}
}

// enterKernel implements .kernel.
func (p *parser) enterKernel(int) {
	p.prepare()
	word, ok := p.word("the name of a kernel", true)
	if !ok || !p.finish() {
		return
	}
	if i, ok := p.names[string(word)]; ok {
		p.enter(p.kernels[i].last)
		return
	}
	k := &kernel{name: string(word), code: len(p.sections), data: noSection, config: noSection, metadata: noSection, header: noSection}
	k.last = k.code
	if p.names == nil {
		p.names = map[string]int{}
	}
	p.names[k.name] = len(p.kernels)
	p.kernels = append(p.kernels, k)
	p.room(lineCost)
	p.addSection(section{name: ".text", kind: codeSection, kernel: len(p.kernels) - 1})
}

// enterMain implements .main.
func (p *parser) enterMain(int) {
	p.prepare()
	if p.finish() {
		p.enter(p.mainSec)
	}
}

// enterAbsolute implements .offset and .struct.
func (p *parser) enterAbsolute(int) {
	p.prepare()
	v, ok := p.required()
	if !ok || !p.finish() {
		return
	}
	if p.cur != nil {
		p.leave()
	}
	p.section, p.cur, p.absPos = absolute, nil, v
	p.regs = &p.unused
}

// enterNamed implements .text, .data and .rodata, whose name is the section's.
func (p *parser) enterNamed(stmt int, name string) {
	p.prepare()
	if p.finish() {
		p.enterSection(stmt, name, nil)
	}
}

// attributes are the arguments of .section after the name.
type attributes struct {
	given bool // flags and type
	typ   codeobject.SectionType
	flags codeobject.SectionFlags
	align uint64
}

// enterOther implements .section.
func (p *parser) enterOther(stmt int) {
	p.prepare()
	word, ok := p.word("the name of a section", true)
	if !ok {
		return
	}
	name := string(word)
	a := attributes{typ: codeobject.SHT_PROGBITS}
	good := true
	if p.accept(',') {
		a.given = true
		good = p.sectionFlags(&a)
		found, ok := p.optionalComma2()
		if !ok {
			return
		}
		if found {
			good = p.sectionType(&a) && good
		}
	}
	good = p.sectionAlign(&a) && good
	if good && p.finish() {
		p.enterSection(stmt, name, &a)
	}
}

// optionalComma2 is optionalComma, but the word align may follow instead.
func (p *parser) optionalComma2() (found, ok bool) {
	if p.isAlign() {
		return false, true
	}
	return p.optionalComma()
}

func (p *parser) isAlign() bool {
	p.skipSpace()
	rest := p.src[p.pos:p.end]
	return len(rest) > 6 && bytes.EqualFold(rest[:5], []byte("align")) && !isAlnum(rest[5])
}

func (p *parser) sectionFlags(a *attributes) bool {
	p.skipSpace()
	at := p.pos
	text, ok := p.stringLiteral()
	for _, c := range text {
		switch c {
		case 'a':
			a.flags |= codeobject.SHF_ALLOC
		case 'w':
			a.flags |= codeobject.SHF_WRITE
		case 'x':
			a.flags |= codeobject.SHF_EXECINSTR
		default:
			p.errorIn(at, p.pos, "section flag '%c' does not exist: expected 'a', 'w' or 'x'", c)
			return false
		}
	}
	return ok
}

func (p *parser) sectionType(a *attributes) bool {
	p.skipSpace()
	at := p.pos
	if !p.accept('@') {
		p.errorAt(at, "expected '@' before the type of the section")
		return false
	}
	word, ok := p.word("the type of the section", true)
	if !ok {
		return false
	}
	switch string(p.lower(word)) {
	case "progbits":
		a.typ = codeobject.SHT_PROGBITS
	case "note":
		a.typ = codeobject.SHT_NOTE
	case "nobits":
		a.typ = codeobject.SHT_NOBITS
	default:
		p.errorIn(at, p.pos, "unknown section type '%s': expected progbits, note or nobits", word)
		return false
	}
	return true
}

func (p *parser) sectionAlign(a *attributes) bool {
	if !p.isAlign() {
		return true
	}
	p.pos += 5
	if !p.accept('=') {
		p.errorAt(p.pos, "expected '=' after 'align'")
		return false
	}
	p.skipSpace()
	at := p.pos
	v, ok := p.required()
	if ok && v&(v-1) != 0 {
		p.errorIn(at, p.pos, "alignment is not a power of two")
		ok = false
	}
	a.align = v
	return ok
}

// enterSection enters the section with a name of the current kernel or of the
// file. It creates the section with the attributes, if they are not nil.
func (p *parser) enterSection(stmt int, name string, a *attributes) {
	if a == nil {
		a = &attributes{typ: codeobject.SHT_PROGBITS}
	}
	extra, builtin := &p.mainMap, noSection
	kind := extraSection
	if p.kernel != noKernel {
		k := p.kernels[p.kernel]
		extra = &k.extra
		switch name {
		case ".text":
			builtin, kind = k.code, codeSection
		case ".data":
			builtin, kind = k.data, dataSection
		}
	} else if name == ".data" {
		p.errorAt(stmt, "section '.data' outside kernels")
		return
	}
	id := builtin
	if kind == extraSection {
		var ok bool
		if id, ok = (*extra)[name]; !ok {
			id = noSection
		}
	}
	if id != noSection {
		if a.given || a.align != 0 {
			p.warnAt(stmt, "type, flags and alignment of a section that exists are ignored")
		}
		p.enter(id)
		return
	}
	s := section{name: name, kind: kind, kernel: p.kernel, typ: a.typ, flags: a.flags, align: a.align}
	if kind == dataSection {
		if a.given {
			p.warnAt(stmt, "type and flags of section '.data' are ignored")
		}
		p.kernels[p.kernel].data = p.addSection(s)
		return
	}
	if *extra == nil {
		*extra = map[string]int{}
	}
	p.room(lineCost)
	(*extra)[name] = p.addSection(s)
}
