package bitcode

import "slices"

// abbrev describes the encoding of a record's fields. The first field is the
// record's code.
type abbrev struct {
	fields []field
	array  *field // element of the trailing array
	blob   bool   // ends with a blob
}

// field is the encoding of one number.
type field struct {
	kind  fieldKind
	width uint
	value uint64 // of a literal
}

type fieldKind uint8

// Encodings in definitions of abbreviations.
const (
	fieldLiteral fieldKind = iota
	fieldFixed
	fieldVBR
	fieldArray
	fieldChar6
	fieldBlob
)

const char6 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"

// defineAbbrev reads the definition of an abbreviation.
func (c *cursor) defineAbbrev() *abbrev {
	n := c.vbr(5)
	if n > c.left() {
		c.fail("abbreviation has %d fields, but only %d bits remain", n, c.left())
	}
	a := &abbrev{}
	for i := uint64(0); i < n; i++ {
		f := c.defineField()
		switch f.kind {
		case fieldArray:
			if i+2 != n {
				c.fail("array is not the second to last field of the abbreviation")
			}
			e := c.defineField()
			if e.kind != fieldFixed && e.kind != fieldVBR && e.kind != fieldChar6 {
				c.fail("array elements must not be literals, arrays or blobs")
			}
			a.array = &e
			i++
		case fieldBlob:
			if i+1 != n {
				c.fail("blob is not the last field of the abbreviation")
			}
			a.blob = true
		default:
			a.fields = append(a.fields, f)
		}
	}
	if len(a.fields) == 0 {
		c.fail("abbreviation has no record code")
	}
	return a
}

func (c *cursor) defineField() field {
	if c.read(1) == 1 {
		return field{kind: fieldLiteral, value: c.vbr(8)}
	}
	f := field{kind: fieldKind(c.read(3))}
	switch f.kind {
	case fieldFixed, fieldVBR:
		w := c.vbr(5)
		if w > maxWidth {
			c.fail("invalid field width of %d bits", w)
		}
		if f.width = uint(w); w == 0 {
			return field{kind: fieldLiteral}
		}
		if f.kind == fieldVBR && w == 1 {
			c.fail("variable-width field has one-bit chunks")
		}
	case fieldChar6:
		f.width = 6
	case fieldArray, fieldBlob:
	default:
		c.fail("unknown field encoding %d", f.kind)
	}
	return f
}

// value reads one number.
func (c *cursor) value(f *field) uint64 {
	switch f.kind {
	case fieldFixed:
		return c.read(f.width)
	case fieldVBR:
		return c.vbr(f.width)
	case fieldChar6:
		return uint64(char6[c.read(6)])
	}
	return f.value
}

// abbreviated reads a record with an abbreviation and returns its code.
func (c *cursor) abbreviated(a *abbrev) uint64 {
	code := c.value(&a.fields[0])
	for i := range a.fields[1:] {
		c.rec = append(c.rec, c.value(&a.fields[1+i]))
	}
	switch {
	case a.array != nil:
		c.array(a.array)
	case a.blob:
		n := c.vbr(6)
		c.align()
		if n > c.left()/8 {
			c.fail("blob has %d bytes, but only %d remain", n, c.left()/8)
		}
		c.blob = c.data[c.pos/8:][:n:n]
		c.pos += n * 8
		c.align()
	}
	return code
}

func (c *cursor) array(e *field) {
	n := c.vbr(6)
	if n > c.left()/uint64(e.width) {
		c.fail("array has %d elements, but only %d bits remain", n, c.left())
	}
	c.rec = slices.Grow(c.rec, int(n))
	for range n {
		c.rec = append(c.rec, c.value(e))
	}
}

// readBlockInfo reads a BLOCKINFO block, which defines abbreviations of other
// blocks.
func (c *cursor) readBlockInfo() {
	c.enter(blockInfo)
	target := uint32(noBlock)
	for {
		c.recordAt = c.pos
		switch id := uint32(c.read(c.width)); id {
		case idEndBlock:
			c.leave()
			return
		case idEnterBlock:
			c.vbr(8)
			c.skip()
		case idDefineAbbrev:
			if target == noBlock {
				c.fail("abbreviation precedes the ID of its block")
			}
			c.info[target] = append(slices.Clip(c.info[target]), c.defineAbbrev())
		default:
			if c.record(id) == blockInfoSetBID && len(c.rec) > 0 {
				target = uint32(c.rec[0])
			}
		}
	}
}
