package bvh

import (
	"math"
	"math/bits"
)

// Quantized boxes of compressed nodes. Their planes are fractions of an
// interval at an origin, whose size is a power of 2.

const (
	planeBits = 12
	wideType  = 5 // of the pointer to a box node
)

// quantum is the origin and the exponents of the intervals of a node.
type quantum struct {
	origin Vec
	exp    [3]uint32
}

// readQuantum decodes 16 bytes, and the number of children in the bits from 28
// of the last dword.
func readQuantum(d []byte) (q quantum, last uint32) {
	last = dword(d, 12)
	for k := range 3 {
		q.origin[k] = math.Float32frombits(dword(d, 4*k))
		q.exp[k] = last >> (8 * k) & 255
	}
	return q, last
}

// plane returns a coordinate. Fractions below the smallest normal number are 0.
func (q *quantum) plane(k int, n uint32) float32 {
	offset := float32(0)
	if n != 0 {
		high := bits.Len32(n) - 1
		if exp := int(q.exp[k]) + high - planeBits; exp > 0 {
			frac := n << (23 - high) & (1<<23 - 1)
			offset = math.Float32frombits(uint32(exp)<<23&(1<<31-1) | frac)
		}
	}
	return offset + q.origin[k]
}

// readChild decodes a child of 12 bytes and returns its type and the number of
// nodes of 128 bytes to the next child of its class.
func (q *quantum) readChild(d []byte, b *box) (typ, length uint32) {
	x, y, z := dword(d, 0), dword(d, 4), dword(d, 8)
	const m = 1<<planeBits - 1
	lo := [3]uint32{x & m, x >> 12 & m, y & m}
	hi := [3]uint32{y >> 12 & m, z & m, z >> 12 & m}
	for k := range 3 {
		b.min[k], b.max[k] = q.plane(k, lo[k]), q.plane(k, hi[k]+1)
	}
	b.flags, b.mask = uint8(x>>24&15), uint8(y>>24)
	return z >> 24 & 15, z >> 28
}

// readChildren decodes n children. Boxes and primitives follow each other from
// the two offsets on.
func (q *quantum) readChildren(d []byte, to []box, n int, boxes, leaves uint32) {
	for i := range to {
		b := &to[i]
		*b = box{child: InvalidNode}
		if i >= n {
			nan := float32(math.NaN())
			b.min, b.max = Vec{nan, nan, nan}, Vec{nan, nan, nan}
			continue
		}
		typ, length := q.readChild(d[12*i:], b)
		next := &leaves
		if typ == wideType {
			next = &boxes
		}
		b.child = *next | typ
		*next += length << 4
	}
}

// readWideBoxes decodes a node of eight boxes and returns the number of its
// orientation.
func readWideBoxes(d []byte, to []box) (orientation uint32) {
	q, last := readQuantum(d[12:])
	q.readChildren(d[32:], to, int(last>>28&7)+1, dword(d, 0), dword(d, 4))
	return dword(d, 28) & 127
}
