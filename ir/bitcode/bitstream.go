package bitcode

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// A cursor reads a bit stream. The lowest bit of a byte is first.
type cursor struct {
	guard *ir.Guard // interrupts reading; may be nil
	data  []byte
	pos   uint64 // offset in bits
	end   uint64 // end of the block, or of the data

	width    uint // width of abbreviation IDs
	abbrevs  []*abbrev
	block    uint32 // block ID, noBlock outside blocks
	stack    []scope
	info     map[uint32][]*abbrev // abbreviations from BLOCKINFO, by block
	recordAt uint64               // start of the last record, for errors
	file     string
	base     uint64 // offset of data in the file, in bytes

	rec  []uint64 // operands of the last record
	blob []byte
}

// scope is the saved state of the enclosing block.
type scope struct {
	end     uint64
	width   uint
	abbrevs []*abbrev
	block   uint32
}

const (
	noBlock = 1<<32 - 1

	// Predefined abbreviation IDs.
	idEndBlock      = 0
	idEnterBlock    = 1
	idDefineAbbrev  = 2
	idUnabbreviated = 3
	firstAbbrev     = 4

	outerWidth = 2  // width of abbreviation IDs outside blocks
	maxWidth   = 32 // of abbreviation IDs and fields
)

// left returns the number of bits left in the block.
func (c *cursor) left() uint64 { return c.end - c.pos }

// read reads an n-bit number, n <= 64.
func (c *cursor) read(n uint) uint64 {
	if uint64(n) > c.end-c.pos {
		c.fail("data ends within a %d-bit number", n)
	}
	i, shift := int(c.pos>>3), uint(c.pos&7)
	c.pos += uint64(n)
	if i+8 > len(c.data) {
		return c.readTail(i, shift, n)
	}
	w := binary.LittleEndian.Uint64(c.data[i:]) >> shift
	if n+shift > 64 {
		w |= uint64(c.data[i+8]) << (64 - shift)
	}
	return w & (1<<n - 1)
}

// readTail is like read for the last bytes of the data.
func (c *cursor) readTail(i int, shift, n uint) uint64 {
	var word [16]byte
	copy(word[:], c.data[i:])
	w := binary.LittleEndian.Uint64(word[:]) >> shift
	if shift > 0 {
		w |= uint64(word[8]) << (64 - shift)
	}
	return w & (1<<n - 1)
}

// vbr reads a number in n-bit chunks. The highest bit of a chunk indicates that
// another chunk follows.
func (c *cursor) vbr(n uint) uint64 {
	x := c.read(n)
	more := uint64(1) << (n - 1)
	if x&more == 0 {
		return x
	}
	x &= more - 1
	for shift := n - 1; ; shift += n - 1 {
		chunk := c.read(n)
		if shift < 64 {
			x |= (chunk & (more - 1)) << shift
		} else if chunk&(more-1) != 0 {
			c.fail("number has more than 64 bits")
		}
		if chunk&more == 0 {
			return x
		}
	}
}

// align skips to the next multiple of 32 bits.
func (c *cursor) align() {
	c.pos = (c.pos + 31) &^ 31
	if c.pos > c.end {
		c.fail("data ends within a word")
	}
}

// entry is the kind of entry that advance found.
type entry uint8

const (
	entryEnd    entry = iota // end of the block; outside blocks, end of the data
	entryBlock               // start of a block: the caller enters or skips it
	entryRecord              // a record: the caller reads it with record
)

// advance moves to the next record or block and returns its kind and its
// abbreviation ID or block ID.
func (c *cursor) advance() (entry, uint32) {
	for {
		if c.block == noBlock && c.left() < 32 {
			return entryEnd, 0
		}
		c.recordAt = c.pos
		switch id := uint32(c.read(c.width)); id {
		case idEndBlock:
			if c.block == noBlock {
				c.fail("end of block outside any block")
			}
			c.leave()
			return entryEnd, 0
		case idEnterBlock:
			return entryBlock, uint32(c.vbr(8))
		case idDefineAbbrev:
			c.abbrevs = append(slices.Clip(c.abbrevs), c.defineAbbrev())
		default:
			return entryRecord, id
		}
	}
}

// nextEntry is like advance, but skips inner blocks. ok is false at the end.
func (c *cursor) nextEntry() (id uint32, ok bool) {
	for {
		switch e, id := c.advance(); e {
		case entryEnd:
			return 0, false
		case entryRecord:
			return id, true
		}
		c.skip()
	}
}

// header reads the rest of a block header and returns the width of the block's
// abbreviation IDs and its end.
func (c *cursor) header() (width uint, end uint64) {
	width = uint(c.vbr(4))
	c.align()
	words := c.read(32)
	if width < outerWidth || width > maxWidth {
		c.fail("invalid abbreviation ID width of %d bits", width)
	}
	if words > c.left()/32 {
		c.fail("block has %d words, but only %d bytes remain", words, c.left()/8)
	}
	return width, c.pos + words*32
}

// enter enters the block that advance found.
func (c *cursor) enter(block uint32) {
	width, end := c.header()
	c.stack = append(c.stack, scope{c.end, c.width, c.abbrevs, c.block})
	c.end, c.width, c.block, c.abbrevs = end, width, block, c.info[block]
}

// skip skips the block that advance found.
func (c *cursor) skip() { _, c.pos = c.header() }

// leave leaves a block at its end.
func (c *cursor) leave() {
	c.align()
	top := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	c.end, c.width, c.abbrevs, c.block = top.end, top.width, top.abbrevs, top.block
}

// fork returns a separate cursor for the block that advance found, and skips
// the block.
func (c *cursor) fork(block uint32) *cursor {
	width, end := c.header()
	f := &cursor{data: c.data, pos: c.pos, end: end, width: width, abbrevs: c.info[block], block: block, info: c.info,
		file: c.file, base: c.base, recordAt: c.pos}
	f.stack = append(f.stack, scope{end, outerWidth, nil, noBlock})
	c.pos = end
	return f
}

// record reads the record that advance found and returns its code. The operands
// are in rec and blob.
func (c *cursor) record(id uint32) uint64 {
	c.guard.Check()
	c.rec, c.blob = c.rec[:0], nil
	if id != idUnabbreviated {
		if id-firstAbbrev >= uint32(len(c.abbrevs)) {
			c.fail("abbreviation %d is not defined", id)
		}
		return c.abbreviated(c.abbrevs[id-firstAbbrev])
	}
	code, n := c.vbr(6), c.vbr(6)
	if n > c.left()/6 {
		c.fail("record has %d operands, but only %d bits remain", n, c.left())
	}
	c.rec = slices.Grow(c.rec, int(n))
	for range n {
		c.rec = append(c.rec, c.vbr(6))
	}
	return code
}
