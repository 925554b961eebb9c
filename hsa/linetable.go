package hsa

import (
	"bytes"
	"encoding/binary"
)

// The header of a DWARF 5 line table contains the numbers of directories and
// files. debug/dwarf allocates tables of these sizes even if the section is
// shorter. Therefore the numbers are checked first. Source: DWARF Debugging
// Information Format, version 5, section 6.2.4.

// Forms of directory and file entries, and the sizes in bytes of the fixed-size
// forms.
const (
	formBlock   = 0x09
	formString  = 0x08
	formUdata   = 0x0f
	formStrx    = 0x1a
	formStrp    = 0x0e
	formStrpSup = 0x1d
	formLineStr = 0x1f
)

var fixedForms = [256]uint8{0x05: 2, 0x06: 4, 0x07: 8, 0x0b: 1, 0x1e: 16, 0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4}

// tableReader reads the header of a line table. Reads past the end return
// zeros.
type tableReader struct {
	data []byte
	wide bool // 64-bit DWARF
}

func (r *tableReader) skip(n uint64) { r.data = r.data[min(n, uint64(len(r.data))):] }

func (r *tableReader) uint(size int) uint64 {
	var b [8]byte
	copy(b[:size], r.data)
	r.skip(uint64(size))
	return binary.LittleEndian.Uint64(b[:])
}

// uleb reads a number like debug/dwarf: the low bits of an overlong one.
func (r *tableReader) uleb() (x uint64) {
	for i, b := range r.data {
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.skip(uint64(i) + 1)
			return x
		}
	}
	r.data = nil
	return 0
}

// offset skips an offset into another section.
func (r *tableReader) offset() {
	if r.wide {
		r.skip(8)
	} else {
		r.skip(4)
	}
}

// plausible reports whether the numbers of directories and files of the line
// table at an offset do not exceed the remaining bytes.
func plausible(lines []byte, at int64) bool {
	if at < 0 || at > int64(len(lines)) {
		return true // no table
	}
	r := &tableReader{data: lines[at:]}
	if r.uint(4) == 0xffffffff {
		r.wide = true
		r.skip(8)
	}
	if version := r.uint(2); version != 5 {
		return true // lists with their own terminators
	}
	r.skip(2) // address size and segment selector size
	r.offset()
	r.skip(5)
	if opcodes := r.uint(1); opcodes > 0 {
		r.skip(opcodes - 1)
	}
	for range 2 { // directories, then files
		if !r.entries() {
			return false
		}
	}
	return true
}

// entries skips a list of directories or files.
func (r *tableReader) entries() bool {
	forms := make([]uint64, r.uint(1))
	for i := range forms {
		r.uleb()
		forms[i] = r.uleb()
	}
	n := r.uleb()
	if n > uint64(len(r.data)) {
		return false
	}
	for ; n > 0 && len(r.data) > 0; n-- {
		for _, form := range forms {
			r.value(form)
		}
	}
	return true
}

func (r *tableReader) value(form uint64) {
	switch form {
	case formString:
		end := bytes.IndexByte(r.data, 0)
		if end < 0 {
			end = len(r.data)
		}
		r.skip(uint64(end) + 1)
	case formStrp, formStrpSup, formLineStr:
		r.offset()
	case formUdata, formStrx:
		r.uleb()
	case formBlock:
		r.skip(r.uleb())
	default:
		if form < uint64(len(fixedForms)) {
			r.skip(uint64(fixedForms[form]))
		}
	}
}
