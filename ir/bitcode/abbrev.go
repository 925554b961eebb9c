package bitcode

import "slices"

// abbrev says how the fields of a record are encoded. The first field is the record's code.
type abbrev struct {
	fields []field
	array  *field // element of an array behind the fields
	blob   bool   // a blob behind the fields
}

// field is how one number is encoded.
type field struct {
	kind  fieldKind
	width uint
	value uint64 // of a literal
}

type fieldKind uint8

// The numbers of encodings in definitions of abbreviations.
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
		c.fail("an abbreviation of %d fields, %d bits are left", n, c.left())
	}
	a := &abbrev{}
	for i := uint64(0); i < n; i++ {
		f := c.defineField()
		switch f.kind {
		case fieldArray:
			if i+2 != n {
				c.fail("an array that is not the last field but one")
			}
			e := c.defineField()
			if e.kind != fieldFixed && e.kind != fieldVBR && e.kind != fieldChar6 {
				c.fail("an array of literals, arrays or blobs")
			}
			a.array = &e
			i++
		case fieldBlob:
			if i+1 != n {
				c.fail("a blob that is not the last field")
			}
			a.blob = true
		default:
			a.fields = append(a.fields, f)
		}
	}
	if len(a.fields) == 0 {
		c.fail("an abbreviation without a record code")
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
			c.fail("a field of %d bits", w)
		}
		if f.width = uint(w); w == 0 {
			return field{kind: fieldLiteral}
		}
		if f.kind == fieldVBR && w == 1 {
			c.fail("a variable-width field of chunks of one bit")
		}
	case fieldChar6:
		f.width = 6
	case fieldArray, fieldBlob:
	default:
		c.fail("a field of unknown encoding %d", f.kind)
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

// abbreviated reads a record with an abbreviation and gives its code.
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
			c.fail("a blob of %d bytes, %d are left", n, c.left()/8)
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
		c.fail("an array of %d elements, %d bits are left", n, c.left())
	}
	c.rec = slices.Grow(c.rec, int(n))
	for range n {
		c.rec = append(c.rec, c.value(e))
	}
}

// readBlockInfo reads a BLOCKINFO block: abbreviations of other blocks.
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
				c.fail("an abbreviation before the block that it is for")
			}
			c.info[target] = append(slices.Clip(c.info[target]), c.defineAbbrev())
		default:
			if c.record(id) == blockInfoSetBID && len(c.rec) > 0 {
				target = uint32(c.rec[0])
			}
		}
	}
}
