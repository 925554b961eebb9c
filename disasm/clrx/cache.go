package clrx

import (
	"encoding/binary"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
)

// cache holds the texts of instructions that were printed before. Programs
// repeat most of their instructions, and a copy takes a fraction of the time.
// When the cache is full, it starts afresh.
type cache struct {
	slots []slot // by the hash of their keys
	shift uint8  // from a hash to a slot
	free  int    // slots that may still be used
	texts []byte
	end   int // of the last text
	fills int // how often the cache was full
}

// slot is the place of a text.
type slot struct {
	key   uint64
	place uint32 // 1 + the offset of the text, 0 in an empty slot
	size  uint32 // of the instruction in bytes
}

// A text follows its length in lengthSize bytes. The first copySize bytes of a
// text are copied at once.
const (
	lengthSize = 2
	copySize   = 64
)

// Limits of a cache, which holds the texts of 28,000 instructions.
const (
	maxSlots = 1 << 15
	maxTexts = 1 << 21
)

// newCache returns a cache for code of a size in bytes.
func newCache(size int) *cache {
	n := bits.Len(uint(min(max(size/4, 16), maxSlots-1)))
	c := &cache{slots: make([]slot, 1<<n), shift: uint8(64 - n), texts: make([]byte, min(16*size+4*room, maxTexts))}
	c.free = len(c.slots) * 7 / 8
	return c
}

// findSlot returns the slot of a key, or the empty slot for it.
func (c *cache) findSlot(key uint64) *slot {
	for i := key * 0x9e3779b97f4a7c15 >> c.shift; ; i++ {
		s := &c.slots[i&(uint64(len(c.slots))-1)]
		if s.place == 0 || s.key == key {
			return s
		}
	}
}

// fillSlot prints the instruction at the start of src, which a key identifies, and
// fills its slot.
func (c *cache) fillSlot(p *Printer, key uint64, src []byte) *slot {
	if c.free == 0 || len(c.texts)-c.end < 2*room {
		clear(c.slots)
		c.end, c.free = 0, len(c.slots)*7/8
		c.fills++
	}
	t := c.texts[c.end:]
	text, size, _ := p.inst(t[:lengthSize], src, nil)
	binary.LittleEndian.PutUint16(t, uint16(len(text)-lengthSize))
	s := c.findSlot(key)
	*s = slot{key: key, place: uint32(c.end) + 1, size: uint32(size)}
	c.free--
	c.end += len(text)
	return s
}

// placeOf returns the place of the text of the instruction at the start of src
// and its size. The place is 0 if the text depends on the place of the
// instruction in its code.
func (c *cache) placeOf(p *Printer, src []byte) (place uint32, size int) {
	if len(src) < 8 {
		return 0, 0
	}
	key, size := p.key(binary.LittleEndian.Uint64(src))
	if size == 0 {
		return 0, 0
	}
	s := c.findSlot(key)
	if s.place == 0 {
		s = c.fillSlot(p, key, src)
	}
	// A predicted branch, so that the next instruction, whose place depends on
	// the size, does not wait for the slot.
	if n := int(s.size); n != size {
		return s.place, n
	}
	return s.place, size
}

// appendText appends the text at a place.
func (c *cache) appendText(dst []byte, place uint32) []byte {
	dst = withRoom(dst)
	t := c.texts[place-1:]
	n, at := int(binary.LittleEndian.Uint16(t)), len(dst)
	dst = dst[:at+max(n, copySize)]
	*(*[copySize]byte)(dst[at:]) = *(*[copySize]byte)(t[lengthSize:])
	if n > copySize {
		copy(dst[at+copySize:], t[lengthSize+copySize:lengthSize+n])
	}
	return dst[:at+n]
}

// key returns the part of the two dwords at an instruction that its text
// depends on, the first one or both, and its probable size. The size is 0 for a
// branch, whose text depends on its place.
func (p *Printer) key(w uint64) (key uint64, size int) {
	d := &p.tops[uint32(w)>>23]
	if d.two {
		return w, 8
	}
	if code := uint32(w) >> d.op.Shift & (1<<d.op.Width - 1); code < uint32(len(d.marks)) {
		switch d.marks[code] {
		case markBranch:
			return 0, 0
		case markMore:
			return w, 8
		}
	}
	// a field of a source that refers to the second dword
	if uint8(w) >= clrxsyntax.SrcSDWA || uint8(w>>8) == clrxsyntax.SrcLiteral {
		return w, 8
	}
	return uint64(uint32(w)), 4
}
