package clrx

import (
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// small returns a number as text.
func small(n int) string { return strconv.Itoa(n) }

const hexDigits = "0123456789abcdef"

// appendHex appends a number in hexadecimal: 0x1f.
func appendHex(dst []byte, v uint64) []byte {
	dst = append(dst, "0x"...)
	return strconv.AppendUint(dst, v, 16)
}

// appendHex8 appends a dword in hexadecimal with all its digits.
func appendHex8(dst []byte, v uint32) []byte {
	dst = append(dst, "0x"...)
	for i := 28; i >= 0; i -= 4 {
		dst = append(dst, hexDigits[v>>i&15])
	}
	return dst
}

// cell is a short text, followed by a separator. Its bytes are copied all at
// once, which is faster than an append of its length.
type cell struct {
	text   [cellSize]byte
	n      uint32 // length without the separator
	weight weight
}

// cellSize is the size of the longest text of a cell with its separator.
const cellSize = 24

// separator separates operands.
const separator = ", "

// maxCell is the maximum length of a cell's text: pops_exiting_wave_id and
// quad_perm:[0,1,2,3] after a blank have 20 bytes.
const maxCell = cellSize - len(separator)

// room is the free space for the text of an instruction that putCell needs.
const room = 512

// withRoom returns dst with room.
func withRoom(dst []byte) []byte {
	if cap(dst)-len(dst) < room {
		return slices.Grow(dst, room)
	}
	return dst
}

func newCell(s string) (c cell) {
	c.n = uint32(copy(c.text[:maxCell], s))
	copy(c.text[c.n:], separator)
	return c
}

// putCell appends a short text. dst must have room.
func putCell(dst []byte, c *cell) []byte {
	n := len(dst)
	dst = dst[:n+cellSize]
	*(*[cellSize]byte)(dst[n:]) = c.text
	return dst[:n+int(c.n)]
}

// comma appends a comma and a blank. dst must have room.
func comma(dst []byte) []byte {
	n := len(dst)
	dst = dst[:n+2]
	dst[n], dst[n+1] = ',', ' '
	return dst
}

// numbers are the texts of numbers and VGPRs.
type numbers struct {
	decimals [512]cell
	vgprs    [vgprCounts << 8]cell // by number, and above it the count - 1
}

// vgprCounts is the number of counts of VGPRs whose texts are in a table.
const vgprCounts = 5

var numberTexts = lazy.Value[*numbers]{Make: func() *numbers {
	t := new(numbers)
	for i := range t.decimals {
		t.decimals[i] = newCell(small(i))
	}
	for i := range t.vgprs {
		first, more := i&255, i>>8
		if more == 0 {
			t.vgprs[i] = newCell("v" + small(first))
		} else {
			t.vgprs[i] = newCell("v[" + small(first) + ":" + small(first+more) + "]")
		}
		if first+more > 255 {
			t.vgprs[i].weight = weighRefused
		}
	}
	return t
}}

// number appends a number in decimal.
func (p *Printer) number(dst []byte, v uint32) []byte {
	if v < uint32(len(p.text.decimals)) {
		return putCell(dst, &p.text.decimals[v])
	}
	return strconv.AppendUint(dst, uint64(v), 10)
}

// tuple appends v[4:7].
func (p *Printer) tuple(dst []byte, file string, first, n uint32) []byte {
	dst = append(append(dst, file...), '[')
	dst = append(p.number(dst, first), ':')
	return append(p.number(dst, first+n-1), ']')
}

// vector appends VGPRs. It returns false for a range past the last
// one.
func (p *Printer) vector(dst []byte, first, n uint32) ([]byte, bool) {
	if n-1 < vgprCounts {
		return putCell(dst, &p.text.vgprs[(n-1)<<8|first&255]), first+n <= 256
	}
	return p.tuple(dst, "v", first, n), first+n <= 256
}
