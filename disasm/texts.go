package disasm

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/isa"
)

// texts disassembles the instructions of one decoder and caches the pieces of
// their texts, so that similar instructions are neither decoded nor printed
// again.
//
// A shape is the common part of instructions that differ only in some fields:
// the mnemonic and everything else that those fields do not affect. The text of
// such a field (a register, an offset, a modifier) is looked up in a table by
// its bits. The printer records the field of each piece of a text. A piece is
// added to a table only from a decoded instruction, so a table also defines the
// valid values. All bits outside such pieces are compared with the instruction
// from which the shape was created.
//
// It is not safe for concurrent use.
type texts struct {
	d          *isa.Decoder
	encode     Encode     // nil without Options.Encoder
	groups     [512]group // by the top nine bits of the first dword
	shapes     []shape
	steps      []step
	keys       map[pieceKey]uint16 // indices of tables
	plain      []plain             // by table: the values that are not stored in it
	tables     []table
	leads      []cell
	leadAt     map[string]uint16 // indices in leads
	others     []otherFields
	quickAt    map[quickKey]uint16 // indices in quick
	quick      [][]quickCell
	ahead      ahead
	long       []string // texts that do not fit in a cell
	whole      map[wholeWords]*wholeText
	wholeSizes [512]uint8 // by the top nine bits of the first dword: bit set of the sizes in dwords of whole texts
	rec        recorder
	cells      int // total number in all tables
}

// group holds the shapes of instructions with the same top nine bits: lists by
// a hash of the bits of the first two dwords that no shape of the group varies.
type group struct {
	mask  [2]uint32
	shift uint8
	slots []uint32 // indices in texts.shapes of the first ones, 0 for none
	num   int
}

// shape is the common part of instructions with the same bits outside some
// fields. Shapes with the same hash are linked, the ones that compare more bits
// first: of two shapes that fit, the one that varies less is right.
//
// A shape is contiguous because memory latency dominates the run time.
type shape struct {
	mask, val [3]uint32 // the bits that are compared
	next      uint32    // index in texts.shapes, 0 for none
	quietMask [3]uint32 // if these bits are 0, the last steps have no text
	num       uint8     // number of steps
	quiet     uint8     // number of steps if the bits of quietMask are 0
	size      uint8     // of the instruction, in bytes
	guard     guard     // 0 without texts.encode
	scalars   uint8     // maximum number of different scalar values of the guard's sources
	head      cell      // the text before the first piece
	tail      uint16    // the text after the last piece: index in texts.leads
	enc       isa.Enc
	more      uint32 // index in texts.steps of the steps that do not fit here
	steps     [shapeSteps]step
}

// shapeSteps is the number of steps that fit in a shape.
const shapeSteps = 5

// step is a piece of text that depends on fields, with the text before it.
type step struct {
	table  uint16
	lead   uint16 // the text before: index in texts.leads
	quick  uint16 // index in texts.quick, 0 for none
	first  bitField
	others uint8 // further fields, in higher bits of the index: index in texts.others, 0 for none
}

// bitField is where a field of 1 to 32 bits is: shifting the dword by left and
// then by right leaves the field.
type bitField struct{ dword, left, right uint8 }

func newBitField(p isa.Place) bitField {
	return bitField{p.Shift >> 5, 32 - p.Width - p.Shift&31, 32 - p.Width}
}

func (f bitField) of(words *dwords) uint32 {
	return words[f.dword&3] << (f.left & 31) >> (f.right & 31)
}

// otherFields are the fields of a step after the first, with their positions in
// the index.
type otherFields struct {
	num    int
	fields [3]bitField
	at     [3]uint8
}

// quickCell is the text of a field's value with the lead before it. Its last
// byte is the text's length + 1, or 0 for an unknown text.
type quickCell [maxQuick + 1]byte

// quickKey holds everything other than the value that the texts of a quick
// table depend on.
type quickKey struct {
	plain plain  // of a table with plain values only
	table uint16 // otherwise the table with the texts
	lead  uint16
	width uint8
}

const (
	maxQuick  = 15 // bytes of a text
	quickBits = 9  // of a value
	maxQuicks = 1 << 10
)

// ahead is the first shape to compare with an instruction that begins with two
// given dwords.
type ahead struct {
	words [2]uint32
	shape uint32 // index in texts.shapes, 0 for none or unknown
}

// cell is a text of up to maxCell bytes with its length.
type cell struct {
	text [maxCell]byte
	n    uint8  // length of the text + 1; 0: unknown; cellLong
	v    uint32 // the value of the fields with this text
}

const (
	maxCell  = 27
	cellLong = 255 // text begins with an index in texts.long
)

// table maps the bits of fields to texts. It is a hash table with open
// addressing, at most half full.
type table struct {
	cells []cell
	num   int32
	shift uint8
}

// Bounds of the cache. Beyond them, instructions are decoded and printed again.
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

	// textRoom is sufficient for a text of pieces of any length.
	textRoom = maxPieces*(maxText+maxCell) + 2*maxText
)

func newTexts(d *isa.Decoder) *texts {
	t := &texts{d: d, keys: map[pieceKey]uint16{}, leadAt: map[string]uint16{}, whole: map[wholeWords]*wholeText{}, quickAt: map[quickKey]uint16{}, quick: make([][]quickCell, 1), others: make([]otherFields, 1), shapes: make([]shape, 1)}
	t.lead(nil) // at index 0, as the steps expect
	for i := range t.groups {
		t.groups[i].mask = [2]uint32{^uint32(0), ^uint32(0)}
	}
	return t
}

// reserve allocates space for the shapes of code bytes of code, because each
// growth copies them all.
func (t *texts) reserve(code int) {
	if n := min(code/bytesPerShape, maxReserve); n > cap(t.shapes) {
		t.shapes = append(make([]shape, 0, n), t.shapes...)
	}
}

const (
	bytesPerShape = 64 // of code with many different instructions
	maxReserve    = 1 << 13
)

// dwords holds the first three dwords of an instruction, 0 past the end of the
// code. It has four elements, so that a two-bit index needs no bounds check.
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
// the first dwords of src. n is the instruction's size in bytes, or with an
// error the number of bytes to skip. exact is false if an assembler is known to
// encode the text differently; without texts.encode it is always true.
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

// first returns the index of the first shape to compare with an instruction
// that begins with the given dwords, or 0.
func (t *texts) first(w0, w1 uint32) uint32 {
	g := &t.groups[w0>>23]
	if g.num == 0 {
		return 0
	}
	return g.slots[g.slot(w0, w1)]
}

// expect finds and prefetches the first shape for the next instruction's
// dwords, because memory latency dominates the run time.
func (t *texts) expect(src []byte) {
	w0, w1 := binary.LittleEndian.Uint32(src), binary.LittleEndian.Uint32(src[4:])
	i := t.first(w0, w1)
	t.ahead = ahead{[2]uint32{w0, w1}, i}
	prefetch(&t.shapes[i])
}

// slot returns the index of the slot for the first two dwords. In the VOP
// forms, whose first bit is 0, some values of src0 mean that a dword with DPP
// or SDWA fields follows; no shape varies src0 then.
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

// hash spreads values over 32 bits. The upper bits are better distributed.
func hash(v uint32) uint32 { return v * 0x9e3779b1 }

// index returns the value of a step's fields.
func (t *texts) index(p *step, words *dwords) uint32 {
	v := p.first.of(words)
	if p.others != 0 {
		o := &t.others[p.others]
		for i := range o.num {
			v |= o.fields[i].of(words) << (o.at[i] & 31)
		}
	}
	return v
}

// print appends the text of an instruction of a shape. ok is false if the text
// of a field is not cached.
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
		v := p.first.of(words)
		if p.others != 0 {
			v = t.index(p, words)
		}
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
// length, or -1 if the text is unknown.
func (t *texts) printStep(buf []byte, p *step, v uint32) int {
	n := 0
	if p.lead != 0 {
		n = t.putCell(buf, &t.leads[p.lead])
	}
	k, plain := t.plain[p.table].putPlain(buf[n:], v)
	if !plain {
		c := t.tables[p.table].findText(v)
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

// stepAt returns a step of a shape.
func (t *texts) stepAt(s *shape, i int) *step {
	if i < len(s.steps) {
		return &s.steps[i]
	}
	return &t.steps[int(s.more)+i-len(s.steps)]
}

// putCell writes the text of a cell and returns its length.
func (t *texts) putCell(b []byte, c *cell) int {
	if c.n == cellLong {
		return copy(b, t.long[binary.LittleEndian.Uint32(c.text[:])])
	}
	*(*[maxCell]byte)(b) = c.text
	return int(c.n) - 1
}

// findText returns the text of a value, or nil if it is not cached.
func (t *table) findText(v uint32) *cell {
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
