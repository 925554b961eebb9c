package bitcode

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter writes a bit stream. The lowest bit of a byte is first.
type bitWriter struct {
	data []byte // complete 32-bit words
	word uint64 // the n bits that follow data, n < 32
	n    uint

	width   uint // width of abbreviation IDs
	abbrevs []*abbrev
	info    map[uint32][]*abbrev // abbreviations from BLOCKINFO, by block
}

// abbrevID is the number of an abbreviation in its block. 0 selects an
// unabbreviated record.
type abbrevID uint32

func newBitWriter() *bitWriter {
	w := &bitWriter{width: outerWidth, info: map[uint32][]*abbrev{}}
	w.fixed(magic, 32)
	return w
}

// pos returns the offset of the next bit.
func (w *bitWriter) pos() uint64 { return uint64(len(w.data))*8 + uint64(w.n) }

// fixed writes x as an n-bit number, n <= 64. Higher bits of x must be zero.
func (w *bitWriter) fixed(x uint64, n uint) {
	if n > 32 {
		w.fixed(x&(1<<32-1), 32)
		x, n = x>>32, n-32
	}
	w.word |= x << w.n
	if w.n += n; w.n >= 32 {
		w.data = binary.LittleEndian.AppendUint32(w.data, uint32(w.word))
		w.word >>= 32
		w.n -= 32
	}
}

// vbr writes a number in n-bit chunks. The highest bit of a chunk indicates
// that another chunk follows.
func (w *bitWriter) vbr(x uint64, n uint) {
	for more := uint64(1) << (n - 1); x >= more; x >>= n - 1 {
		w.fixed(x&(more-1)|more, n)
	}
	w.fixed(x, n)
}

// align writes zeros up to the next multiple of 32 bits.
func (w *bitWriter) align() {
	if w.n > 0 {
		w.fixed(0, 32-w.n)
	}
}

// patch sets the 32 bits at an offset. They must have been written as zeros.
func (w *bitWriter) patch(pos uint64, x uint32) {
	shifted := uint64(x) << (pos & 7)
	for i := pos / 8; shifted != 0; i++ {
		w.data[i] |= byte(shifted)
		shifted >>= 8
	}
}

// defaultWidth is the width of abbreviation IDs in blocks with few abbreviations.
const defaultWidth = 4

// block writes a block with 4-bit abbreviation IDs. write writes its contents.
func (w *bitWriter) block(id uint32, write func()) { w.wideBlock(id, defaultWidth, write) }

// wideBlock is like block, with abbreviation IDs of the given width.
func (w *bitWriter) wideBlock(id uint32, width uint, write func()) {
	w.fixed(idEnterBlock, w.width)
	w.vbr(uint64(id), 8)
	w.vbr(uint64(width), 4)
	w.align()
	size := len(w.data)
	w.fixed(0, 32)
	oldWidth, oldAbbrevs := w.width, w.abbrevs
	w.width, w.abbrevs = width, w.info[id]
	w.abbrevs = w.abbrevs[:len(w.abbrevs):len(w.abbrevs)]
	write()
	w.fixed(idEndBlock, width)
	w.align()
	w.width, w.abbrevs = oldWidth, oldAbbrevs
	binary.LittleEndian.PutUint32(w.data[size:], uint32(len(w.data)-size-4)/4)
}

// record writes a record without an abbreviation.
func (w *bitWriter) record(code uint64, ops ...uint64) {
	w.fixed(idUnabbreviated, w.width)
	w.vbr(code, 6)
	w.vbr(uint64(len(ops)), 6)
	for _, x := range ops {
		w.vbr(x, 6)
	}
}

// text writes a record of numbers followed by characters.
func (w *bitWriter) text(code uint64, s string, ops ...uint64) {
	w.fixed(idUnabbreviated, w.width)
	w.vbr(code, 6)
	w.vbr(uint64(len(ops)+len(s)), 6)
	for _, x := range ops {
		w.vbr(x, 6)
	}
	for i := range len(s) {
		w.vbr(uint64(s[i]), 6)
	}
}

// define writes the definition of an abbreviation for the current block.
func (w *bitWriter) define(a *abbrev) abbrevID {
	w.writeDefinition(a)
	w.abbrevs = append(w.abbrevs, a)
	if firstAbbrev+len(w.abbrevs) > 1<<w.width {
		panic("BUG: too many abbreviations for the width of their IDs")
	}
	return abbrevID(firstAbbrev + len(w.abbrevs) - 1)
}

// defineFor writes the definition of an abbreviation for blocks with the given
// ID, in the BLOCKINFO block. The record that selects the block must precede
// it.
func (w *bitWriter) defineFor(block uint32, a *abbrev) abbrevID {
	w.writeDefinition(a)
	w.info[block] = append(w.info[block], a)
	return abbrevID(firstAbbrev + len(w.info[block]) - 1)
}

func (w *bitWriter) writeDefinition(a *abbrev) {
	n := len(a.fields)
	switch {
	case a.array != nil:
		n += 2
	case a.blob:
		n++
	}
	w.fixed(idDefineAbbrev, w.width)
	w.vbr(uint64(n), 5)
	for i := range a.fields {
		w.writeField(&a.fields[i])
	}
	switch {
	case a.array != nil:
		w.writeField(&field{kind: fieldArray})
		w.writeField(a.array)
	case a.blob:
		w.writeField(&field{kind: fieldBlob})
	}
}

func (w *bitWriter) writeField(f *field) {
	if f.kind == fieldLiteral {
		w.fixed(1, 1)
		w.vbr(f.value, 8)
		return
	}
	w.fixed(0, 1)
	w.fixed(uint64(f.kind), 3)
	if f.kind == fieldFixed || f.kind == fieldVBR {
		w.vbr(uint64(f.width), 5)
	}
}

// value writes one number as a field of an abbreviation.
func (w *bitWriter) value(f *field, x uint64) {
	switch f.kind {
	case fieldFixed:
		w.fixed(x, f.width)
	case fieldVBR:
		w.vbr(x, f.width)
	case fieldChar6:
		w.fixed(uint64(char6Of(byte(x))), 6)
	}
}

// writeRecord writes a record with an abbreviation, or without one if id is 0.
func (w *bitWriter) writeRecord(id abbrevID, code uint64, ops ...uint64) {
	if id == 0 {
		w.record(code, ops...)
		return
	}
	a := w.begin(id, code)
	n := len(a.fields) - 1
	for i := range n {
		w.value(&a.fields[1+i], ops[i])
	}
	if a.array == nil {
		return
	}
	w.vbr(uint64(len(ops)-n), 6)
	for _, x := range ops[n:] {
		w.value(a.array, x)
	}
}

// begin writes the ID of an abbreviation and the code of a record.
func (w *bitWriter) begin(id abbrevID, code uint64) *abbrev {
	a := w.abbrevs[id-firstAbbrev]
	w.fixed(uint64(id), w.width)
	w.value(&a.fields[0], code)
	return a
}

// emitText writes a record with an abbreviation that ends with an array. The
// characters of s are its elements.
func (w *bitWriter) emitText(id abbrevID, code uint64, s []byte, ops ...uint64) {
	a := w.begin(id, code)
	for i, x := range ops {
		w.value(&a.fields[1+i], x)
	}
	w.vbr(uint64(len(s)), 6)
	for _, c := range s {
		w.value(a.array, uint64(c))
	}
}

// emitBlob writes a record with an abbreviation that ends with a blob.
func (w *bitWriter) emitBlob(id abbrevID, code uint64, blob []byte, ops ...uint64) {
	a := w.begin(id, code)
	for i, x := range ops {
		w.value(&a.fields[1+i], x)
	}
	w.vbr(uint64(len(blob)), 6)
	w.align()
	w.data = append(w.data, blob...)
	for len(w.data)%4 != 0 {
		w.data = append(w.data, 0)
	}
}

// Fields of abbreviations.
func literal(x uint64) field      { return field{kind: fieldLiteral, value: x} }
func fixedField(width uint) field { return field{kind: fieldFixed, width: width} }
func vbrField(width uint) field   { return field{kind: fieldVBR, width: width} }
func char6Field() field           { return field{kind: fieldChar6, width: 6} }

// numberField returns the field for numbers below bound.
func numberField(bound int) field { return fixedField(uint(max(1, bits.Len(uint(bound))))) }

// newAbbrev returns the abbreviation of records with the given code and fields.
func newAbbrev(code uint64, fields ...field) *abbrev {
	return &abbrev{fields: append([]field{literal(code)}, fields...)}
}

// withArray returns a with a trailing array of elements.
func (a *abbrev) withArray(element field) *abbrev {
	a.array = &element
	return a
}

// withBlob returns a with a trailing blob.
func (a *abbrev) withBlob() *abbrev {
	a.blob = true
	return a
}

// textKind is the narrowest encoding of a text's characters.
type textKind uint8

const (
	textChar6 textKind = iota // letters, digits, '.' and '_'
	text7                     // ASCII
	text8

	numTextKinds
)

// field returns the encoding of one character.
func (k textKind) field() field {
	switch k {
	case textChar6:
		return char6Field()
	case text7:
		return fixedField(7)
	}
	return fixedField(8)
}

// textKindOf returns the narrowest encoding of the characters of s.
func textKindOf(s []byte) textKind {
	kind := textChar6
	for _, c := range s {
		if c >= 0x80 {
			return text8
		}
		if char6Of(c) < 0 {
			kind = text7
		}
	}
	return kind
}

// char6Of returns the number of a character in the 6-bit encoding, or -1.
func char6Of(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return int(c - 'a')
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '.':
		return 62
	case c == '_':
		return 63
	}
	return -1
}

// unrotated encodes a number with its sign in the lowest bit. It is the inverse
// of rotated.
func unrotated(x uint64) uint64 {
	if int64(x) >= 0 {
		return x << 1
	}
	return -x<<1 | 1
}
