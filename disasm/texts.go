package disasm

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/isa"
)

// texts disassembles the instructions of one decoder and remembers the pieces
// of their texts, so that an instruction like one that was seen before is
// neither decoded nor printed anew.
//
// A shape is what instructions have in common that differ in some fields only:
// the mnemonic and everything else that those fields do not change. The text of
// such a field (a register, an offset, a modifier) is found in a table by its
// bits. The printer says which piece of a text comes from which field, and a
// piece enters a table only from an instruction that was decoded; so a table
// also tells which values are valid. All bits that belong to no such piece are
// compared with those of the instruction from which the shape was taken.
//
// It is not safe for concurrent use.
type texts struct {
	d          *isa.Decoder
	encode     Encode     // nil without Options.Encoder
	groups     [512]group // by the top nine bits of the first dword
	shapes     []shape
	steps      []step
	keys       map[pieceKey]uint16 // indices of tables
	plain      []plain             // by table: the values that need no place in it
	tables     []table
	leads      []cell
	leadAt     map[string]uint16 // indices in leads
	others     [][3]isa.Place
	quickAt    map[quickKey]uint16 // indices in quick
	quick      [][]quickCell
	ahead      ahead
	long       []string // texts that do not fit in a cell
	whole      map[wholeWords]*wholeText
	wholeSizes [512]uint8 // by the top nine bits of the first dword: the sizes in dwords of texts in whole, as bits
	rec        recorder
	cells      int // how many there are in all tables
}

// group is the shapes of instructions with the same top nine bits: lists by a
// hash of the bits of the first two dwords that no shape of the group varies.
type group struct {
	mask  [2]uint32
	shift uint8
	slots []uint32 // indices in texts.shapes of the first ones, 0 for none
	num   int
}

// shape is what instructions with the same bits outside some fields have in
// common. Those with one hash are linked, those that compare more bits first:
// of two shapes that fit, the one that varies less is the right one.
//
// A shape is all in one place, as most of the time goes into waiting for memory.
type shape struct {
	mask, val [3]uint32 // the bits that are compared
	next      uint32    // index in texts.shapes, 0 for none
	quietMask [3]uint32 // when these bits are 0, the last steps have no text
	num       uint8     // how many steps there are
	quiet     uint8     // how many there are when the bits of quietMask are 0
	size      uint8     // of the instruction, in bytes
	guard     guard     // 0 without texts.encode
	scalars   uint8     // so many different scalar values may the guard's sources be
	head      cell      // the text before the first piece
	tail      uint16    // the text behind the last piece: index in texts.leads
	enc       isa.Enc
	more      uint32 // index in texts.steps of the steps that have no place here
	steps     [shapeSteps]step
}

// shapeSteps is how many steps a shape has place for.
const shapeSteps = 5

// step is a piece of text that comes from fields, with the text before it.
type step struct {
	table  uint16
	lead   uint16    // the text before: index in texts.leads
	first  isa.Place // the first field
	others uint8     // further fields, that stand above the first in the index: index in texts.others, 0 for none
	quick  uint16    // index in texts.quick, 0 for none
}

// quickCell is the text of a field's value with the lead before it.
// Its last byte is the text's length + 1, 0 for a text that is not known.
type quickCell [maxQuick + 1]byte

// quickKey names what the texts of a quick table depend on besides the value.
type quickKey struct {
	plain plain  // of a table that has only plain values
	table uint16 // else the table with the texts
	lead  uint16
	width uint8
}

const (
	maxQuick  = 15 // bytes of a text
	quickBits = 9  // of a value
	maxQuicks = 1 << 10
)

// ahead is the first shape to compare with an instruction that begins with two
// dwords.
type ahead struct {
	words [2]uint32
	shape uint32 // index in texts.shapes, 0 for none or not known
}

// cell is a text of up to maxCell bytes with its length.
type cell struct {
	text [maxCell]byte
	n    uint8  // length of the text + 1; 0: not known; cellLong
	v    uint32 // the value of the fields whose text this is
}

const (
	maxCell  = 27
	cellLong = 255 // text begins with an index in texts.long
)

// table gives texts by the bits of fields. It is a hash table with open
// addressing, half full at most.
type table struct {
	cells []cell
	num   int32
	shift uint8
}

// Bounds of what is remembered: past them instructions are decoded and printed
// anew.
const (
	maxAlike  = 24      // shapes with the same hash
	maxShapes = 1 << 15 // 4 MiB
	maxWhole  = 1 << 14 // texts, 4 MiB at most
	maxCells  = 1 << 17 // 4 MiB
	maxLeads  = 1<<16 - maxPieces - 2
	maxIndex  = 32  // bits of a table's index
	maxSize   = 12  // bytes of an instruction
	maxText   = 256 // bytes of its text
	maxPieces = 14

	// textRoom is enough for a text of pieces of any length.
	textRoom = maxPieces*(maxText+maxCell) + 2*maxText
)

func newTexts(d *isa.Decoder) *texts {
	t := &texts{d: d, keys: map[pieceKey]uint16{}, leadAt: map[string]uint16{}, whole: map[wholeWords]*wholeText{}, quickAt: map[quickKey]uint16{}, quick: make([][]quickCell, 1), others: make([][3]isa.Place, 1), shapes: make([]shape, 1)}
	t.lead(nil) // at index 0, as the steps expect
	for i := range t.groups {
		t.groups[i].mask = [2]uint32{^uint32(0), ^uint32(0)}
	}
	return t
}

// reserve makes room for the shapes of so many bytes of code, as each growth
// copies them all.
func (t *texts) reserve(code int) {
	if n := min(code/bytesPerShape, maxReserve); n > cap(t.shapes) {
		t.shapes = append(make([]shape, 0, n), t.shapes...)
	}
}

const (
	bytesPerShape = 64 // of code with many different instructions
	maxReserve    = 1 << 13
)

// dwords are the first three dwords of an instruction, 0 behind the end of the
// code. There are four, so that an index of two bits needs no check.
type dwords [4]uint32

func (w *dwords) load(src []byte) {
	if len(src) >= 12 {
		w[0], w[1], w[2] = binary.LittleEndian.Uint32(src), binary.LittleEndian.Uint32(src[4:]), binary.LittleEndian.Uint32(src[8:])
		return
	}
	*w = dwords{}
	for i := 0; i+4 <= len(src); i += 4 {
		w[i/4] = binary.LittleEndian.Uint32(src[i:])
	}
}

// append appends the text of the instruction that src begins with. words are
// the dwords that src begins with. n is the instruction's size in bytes; with an
// error it is the number of bytes to skip. exact is false when an assembler is
// known to give other bytes for the text; without texts.encode it is always true.
func (t *texts) append(dst, src []byte, words *dwords) (text []byte, n int, exact bool, err error) {
	i := t.ahead.shape
	if i == 0 || t.ahead.words != [2]uint32(words[:2]) {
		i = t.first(words[0], words[1])
	}
	for i != 0 {
		s := &t.shapes[i]
		if s.fits(words) {
			if int(s.size)+8 <= len(src) {
				t.ahead.shape = 0
				t.expect(src[s.size:][:8])
			}
			if out, ok := t.print(dst, s, words); ok && int(s.size) <= len(src) {
				return out, int(s.size), true, nil
			}
		}
		i = s.next
	}
	t.ahead.shape = 0
	return t.learn(dst, src, words)
}

// first returns the index of the first shape to compare with an instruction that
// begins with two dwords, or 0.
func (t *texts) first(w0, w1 uint32) uint32 {
	g := &t.groups[w0>>23]
	if g.num == 0 {
		return 0
	}
	return g.slots[g.slot(w0, w1)]
}

// expect finds and prefetches the first shape for the dwords that the next
// instruction begins with: most of the time is spent waiting for memory.
func (t *texts) expect(src []byte) {
	w0, w1 := binary.LittleEndian.Uint32(src), binary.LittleEndian.Uint32(src[4:])
	i := t.first(w0, w1)
	t.ahead = ahead{[2]uint32{w0, w1}, i}
	prefetch(&t.shapes[i])
}

// slot gives the index of the slot for the first two dwords. In the VOP forms,
// whose first bit is 0, src0 tells by some values that a dword with DPP or SDWA
// fields follows; no shape varies it then.
func (g *group) slot(w0, w1 uint32) uint32 {
	h := w0&g.mask[0] ^ hash(w1&g.mask[1])
	if src0 := w0 & 511; int32(w0) >= 0 && (src0-0xe9 < 2 || src0-0xf9 < 2) {
		h ^= src0 << 23
	}
	return hash(h) >> (g.shift & 31)
}

// fits reports whether an instruction has the bits that a shape compares.
func (s *shape) fits(w *dwords) bool {
	return (w[0]^s.val[0])&s.mask[0]|(w[1]^s.val[1])&s.mask[1]|(w[2]^s.val[2])&s.mask[2] == 0
}

// hash spreads values over 32 bits; the upper ones are the better ones.
func hash(v uint32) uint32 { return v * 0x9e3779b1 }

// index gives the value of a step's fields.
func (t *texts) index(p *step, words *dwords) uint32 {
	v := words[p.first.Shift>>5&3] >> (p.first.Shift & 31) & (1<<p.first.Width - 1)
	if p.others == 0 {
		return v
	}
	at := p.first.Width
	for _, f := range &t.others[p.others] {
		v |= words[f.Shift>>5] >> (f.Shift & 31) & (1<<f.Width - 1) << at
		at += f.Width
	}
	return v
}

// print appends the text of an instruction of a shape; ok is false when the
// text of a field is not known.
func (t *texts) print(dst []byte, s *shape, words *dwords) (out []byte, ok bool) {
	if s.guard != 0 && s.guard.mayClash(words) {
		if k, _ := s.guard.scalars(words); k > s.scalars {
			return dst, false
		}
	}
	num := int(s.num)
	if words[0]&s.quietMask[0]|words[1]&s.quietMask[1]|words[2]&s.quietMask[2] == 0 {
		num = int(s.quiet)
	}
	dst = slices.Grow(dst, textRoom)
	buf := dst[len(dst):][:textRoom]
	n := t.putCell(buf, &s.head)
	for i := range num {
		p := t.stepAt(s, i)
		v := t.index(p, words)
		if q := t.quick[p.quick]; v < uint32(len(q)) {
			if c := &q[v]; c[maxQuick] != 0 {
				*(*quickCell)(buf[n:]) = *c
				n += int(c[maxQuick]) - 1
				continue
			}
		}
		k := t.printStep(buf[n:], p, v)
		if k < 0 {
			return dst, false
		}
		n += k
	}
	n += t.putCell(buf[n:], &t.leads[s.tail])
	return dst[:len(dst)+n], true
}

// printStep writes the text of a step for a value of its fields and returns its
// length, -1 when it is not known.
func (t *texts) printStep(buf []byte, p *step, v uint32) int {
	n := 0
	if p.lead != 0 {
		n = t.putCell(buf, &t.leads[p.lead])
	}
	k, plain := t.plain[p.table].put(buf[n:], v)
	if !plain {
		c := t.tables[p.table].find(v)
		if c == nil {
			return -1
		}
		k = t.putCell(buf[n:], c)
	}
	n += k
	if v < uint32(len(t.quick[p.quick])) && n <= maxQuick && plain == t.plain[p.table].any() {
		c := &t.quick[p.quick][v]
		c[maxQuick] = uint8(copy(c[:], buf[:n])) + 1
	}
	return n
}

// stepAt gives a step of a shape.
func (t *texts) stepAt(s *shape, i int) *step {
	if i < len(s.steps) {
		return &s.steps[i]
	}
	return &t.steps[int(s.more)+i-len(s.steps)]
}

// putCell writes the text of a cell and gives its length.
func (t *texts) putCell(b []byte, c *cell) int {
	if c.n == cellLong {
		return copy(b, t.long[binary.LittleEndian.Uint32(c.text[:])])
	}
	*(*[maxCell]byte)(b) = c.text
	return int(c.n) - 1
}

// find gives the text of a value, or nil if it is not known.
func (t *table) find(v uint32) *cell {
	for i := hash(v) >> (t.shift & 31); ; i++ {
		c := &t.cells[i&uint32(len(t.cells)-1)]
		if c.v == v && c.n != 0 {
			return c
		}
		if c.n == 0 {
			return nil
		}
	}
}
