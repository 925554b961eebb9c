package clrx

import (
	"encoding/binary"
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// A pattern is how the texts of many instructions are put together: from the
// mnemonic and parts that are looked up in tables, and perhaps a number. It
// needs no decision for an operand, and the sum of the weights of the parts
// shows whether the pattern applies at all. Instructions without a pattern, and
// those to which theirs does not apply, are printed operand by operand, by
// the functions that also fill the tables.
type pattern struct {
	mask, val uint64      // bits of the two dwords that have these values
	refused   weight      // weights with which the pattern does not apply
	size      int         // of the instruction in bytes, without a literal
	checks    []check     // of parts that may have weights
	extra     [2]*pattern // with an SDWA dword, and with a DPP dword
	parts     []part      // before the number
	number    number
	tail      []part // after the number
	lonely    *cell  // ends a text none of whose parts is marked
	counted   bool   // see countedWords
	textless  bool   // the text has another form; the pattern is for the size
}

// part is a part of a pattern.
type part struct {
	table []cell
	index index
	weigh weight // the weights that count
	sep   int    // length of the separator after it
}

// check has the weights of a part.
type check struct {
	weights []weight
	index   index
	weigh   weight
}

// index is put together from bits of the two dwords of an instruction.
type index struct {
	rotate [3]uint8
	masks  [3]uint16
}

// of returns the index of an instruction.
func (x *index) of(w uint64) uint64 {
	return bits.RotateLeft64(w, int(x.rotate[0]))&uint64(x.masks[0]) |
		bits.RotateLeft64(w, int(x.rotate[1]))&uint64(x.masks[1]) |
		bits.RotateLeft64(w, int(x.rotate[2]))&uint64(x.masks[2])
}

// weight is a property of a cell. The weights of the parts of a text are added:
// each has the bits for its largest sum.
type weight uint32

const (
	weighScalar  weight = 1 << 0  // an SGPR or VCC; an instruction reads one of them
	weighMark    weight = 1 << 2  // not to be followed by a pattern's lonely text
	weighShort   weight = 1 << 8  // a source that is no VGPR
	weighLiteral weight = 1 << 10 // the literal after the instruction
	weighLDS     weight = 1 << 12 // LDS as a source
	weighRefused weight = 1 << 14 // no operand
)

// Sums of weights.
const (
	marks    = 63 * weighMark
	shorts   = 3 * weighShort
	literals = 3 * weighLiteral
	refusals = ^(weighRefused - 1)
	unusual  = 2*weighScalar | literals | 3*weighLDS | refusals
)

// numberKind is how the number of a pattern is printed.
type numberKind uint8

const (
	noNumber     numberKind = iota
	hexNumber               // 0x1f
	offsetNumber            // offset:31, or nothing for 0
)

// number is the number in a pattern.
type number struct {
	kind  numberKind
	place isa.Place
}

// patternOf returns the pattern of an instruction, or nil.
func (d *decode) patternOf(w uint64) *pattern {
	code := d.code(w)
	if code >= uint32(len(d.patterns)) {
		return nil
	}
	t := d.patterns[code]
	if t == nil {
		return nil
	}
	if i := uint32(w)&(1<<9-1) - firstExtra; i < uint32(len(t.extra)) && t.extra[i] != nil {
		t = t.extra[i]
	}
	if w&t.mask != t.val {
		return nil
	}
	return t
}

// sizeOf returns the size of an instruction, or 0 if the pattern does not apply.
func (t *pattern) sizeOf(w uint64) int {
	if t.counted {
		w = countedWords(w)
	}
	sum := weight(0)
	for i := range t.checks {
		c := &t.checks[i]
		sum += c.weights[c.index.of(w)] & c.weigh
	}
	switch {
	case sum&t.refused != 0:
		return 0
	case sum&literals != 0:
		return t.size + 4
	}
	return t.size
}

// append appends the text of an instruction to dst, which has room, and returns
// the sum of the weights.
func (t *pattern) append(dst []byte, e *entry, w uint64) ([]byte, weight) {
	if t.counted {
		w = countedWords(w)
	}
	n := len(dst)
	text := (*[room]byte)(dst[n : n+room])
	*(*[nameSize]byte)(text[:]) = e.name
	at, sum := appendParts(text, int(e.length), t.parts, w)
	if t.number.kind != noNumber {
		at = t.number.putNumber(text, at, w)
		var more weight
		at, more = appendParts(text, at, t.tail, w)
		sum += more
	}
	if t.lonely != nil && sum&(marks|shorts) == 0 {
		*(*[cellSize]byte)(text[at:]) = t.lonely.text
		at += int(t.lonely.n)
	}
	return dst[:n+at], sum
}

// appendParts writes the texts of parts from an offset on. It returns the
// offset after them, and the sum of their weights.
func appendParts(text *[room]byte, at int, parts []part, w uint64) (int, weight) {
	sum := weight(0)
	for i := range parts {
		p := &parts[i]
		c := &p.table[p.index.of(w)]
		*(*[cellSize]byte)(text[at:]) = c.text
		at += int(c.n) + p.sep
		sum += c.weight & p.weigh
	}
	return at, sum
}

// putNumber writes the number from an offset on, and returns the offset after it.
func (n *number) putNumber(text *[room]byte, at int, w uint64) int {
	v := uint32(w>>(n.place.Shift&63)) & (1<<n.place.Width - 1)
	if n.kind == hexNumber {
		return len(appendHex(text[:at], uint64(v)))
	}
	const name = " offset:"
	digits, length := decimal(v)
	copy(text[at:], name)
	binary.LittleEndian.PutUint64(text[at+len(name):], digits)
	if v == 0 {
		return at
	}
	return at + len(name) + length
}

// decimal returns the digits of a number below 100,000 as the bytes of a number
// from the lowest on, and their count.
func decimal(v uint32) (digits uint64, count int) {
	high, low := v/100, v%100
	digits = uint64('0'+high/100) | twoDigits(high%100)<<8 | twoDigits(low)<<24
	count = bits.Len32(v|1) * 1233 >> 12 // a logarithm, at most 1 too small
	if v >= powers[count] {
		count++
	}
	count = max(count, 1)
	return digits >> (8 * (5 - count) & 63), count
}

// powers are the powers of ten.
var powers = [...]uint32{1, 10, 100, 1000, 10_000, 100_000}

// twoDigits returns the digits of a number below 100, the first one in the low
// byte.
func twoDigits(v uint32) uint64 { return uint64('0'+v/10) | uint64('0'+v%10)<<8 }

// countedWords returns an image instruction with the number of components of its
// data less 1 in place of the opcode.
func countedWords(w uint64) uint64 {
	dmask := uint8(w >> dmaskShift & 15)
	return w&^(3<<countShift) | uint64(bits.OnesCount8(dmask)-1)&3<<countShift
}

// Places in an image instruction of all architectures.
const (
	dmaskShift = 8
	countShift = 18
)
