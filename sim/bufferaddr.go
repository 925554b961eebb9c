package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// Addresses of buffer instructions. Sources: AMD's ISA documents, "Buffer
// addressing", "Range checking", "Swizzled buffer addressing", "Buffer resource";
// Mesa, ac_descriptors.c (OOB_SELECT); ROCm, rocjitsu's addr_calc_buffer.h, for
// what was measured: which index source counts, and what the scalar offset
// has to do with the range.

// bufferRules are the generations that compute addresses alike.
type bufferRules uint8

const (
	rulesGFX8 bufferRules = iota
	rulesGFX9             // CDNA as well
	rulesGFX10
	rulesGFX11
)

func rulesOf(s isa.Set) bufferRules {
	switch g := s.Gen(); {
	case g == isa.Gen8:
		return rulesGFX8
	case g < isa.Gen10:
		return rulesGFX9
	case g == isa.Gen10:
		return rulesGFX10
	}
	return rulesGFX11
}

// resource is a buffer resource as an instruction takes it.
type resource struct {
	base    uint64 // with the scalar offset
	stride  uint32
	records uint32
	element uint32 // size of a swizzled element, 0 for a linear buffer
	group   uint32 // indices that stand together: INDEX_STRIDE
	soff    uint32
	word3   uint32
	tid     bool // the lane's number is (part of) the index
	addTID  bool // ADD_TID_ENABLE
	oob     uint8
}

// resource reads an instruction's resource and scalar offset.
func (w *wave) resource(m *memInfo) (r resource) {
	b := m.buf
	s := (*[4]uint32)(w.s[b.rsrc:])
	r.soff = uint32(w.scalar(&b.soff))
	r.base = (uint64(s[0]) | uint64(s[1]&0xffff)<<32) + uint64(r.soff)
	r.stride = s[1] >> 16 & 0x3fff
	r.records, r.word3 = s[2], s[3]
	r.addTID = s[3]>>23&1 != 0
	r.group = 8 << (s[3] >> 21 & 3)
	r.oob = uint8(s[3] >> 28 & 3)
	idxen := b.index >= 0
	swizzle := s[1] >> 31 & 1
	r.tid = r.addTID
	switch b.rules {
	case rulesGFX8:
		r.element = swizzle * (2 << (s[3] >> 19 & 3))
	case rulesGFX9:
		r.tid = r.addTID && (swizzle != 0 || !idxen)
		if r.addTID {
			r.element = swizzle * 4
		}
	case rulesGFX10:
		if idxen || r.addTID {
			r.element = swizzle * 4
		}
	case rulesGFX11:
		r.tid = r.addTID && !idxen
		if kind := s[1] >> 30; kind != 0 && (idxen || r.addTID) {
			r.element = swizzleElements[kind]
		}
	}
	if b.rules <= rulesGFX9 && r.tid && !b.format { // DATA_FORMAT is more of the stride
		r.stride |= s[3] >> 15 & 15 << 14
	}
	return r
}

// swizzleElements are the element sizes of gfx11's SWIZZLE_ENABLE.
var swizzleElements = [4]uint32{0, 4, 4, 16}

// indexOf and offsetOf give a lane's index and offset.
func (w *wave) indexOf(b *bufferInfo, r *resource, l int) (index, fromVGPR uint32) {
	if b.index >= 0 {
		fromVGPR = w.v[int(b.index)+l]
	}
	if r.tid {
		return fromVGPR + uint32(l), fromVGPR
	}
	return fromVGPR, fromVGPR
}

func (w *wave) offsetOf(m *memInfo, l int) uint32 {
	off := uint32(m.offset)
	if m.buf.off >= 0 {
		off += w.v[int(m.buf.off)+l]
	}
	return off
}

// place gives where an offset in the record of an index is, from the base.
func (r *resource) place(index, off uint32) uint64 {
	if r.element == 0 {
		return uint64(index)*uint64(r.stride) + uint64(off)
	}
	g, e := uint64(r.group), uint64(r.element)
	i, o := uint64(index), uint64(off)
	return (i/g*uint64(r.stride)+o/e*e)*g + i%g*e + o%e
}

// bufferAddresses computes the address of each lane and how many of its n parts of size
// bytes are in range. It gives the lanes all or some of whose parts are.
func (w *wave) bufferAddresses(m *memInfo, r *resource, lanes uint64, n int, size uint32) (whole, some uint64) {
	b := m.buf
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		index, vindex := w.indexOf(b, r, l)
		off := w.offsetOf(m, l)
		at := r.place(index, off)
		w.mem.addr[l] = (r.base + at) & (1<<48 - 1)
		if b.rules == rulesGFX9 {
			index = vindex
		}
		room := r.room(b, index, off, at, n, size)
		w.mem.room[l] = uint8(room)
		if room > 0 {
			some |= 1 << l
		}
		if room == n {
			whole |= 1 << l
		}
	}
	return whole, some
}

// bufferAt computes the address of each lane at an offset from that of its access.
func (w *wave) bufferAt(m *memInfo, r *resource, lanes uint64, by uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		index, _ := w.indexOf(m.buf, r, l)
		w.mem.addr[l] = (r.base + r.place(index, w.offsetOf(m, l)+by)) & (1<<48 - 1)
	}
}

// room gives how many of n parts of size bytes are in range. at is where the first is,
// from the base.
func (r *resource) room(b *bufferInfo, index, off uint32, at uint64, n int, size uint32) int {
	idxen := b.index >= 0
	records, o, soff := uint64(r.records), uint64(off), uint64(r.soff)
	outside := uint64(index) >= records
	switch b.rules {
	case rulesGFX8:
		switch {
		case r.stride == 0 || r.element == 0:
			return partsIn(at+soff, records, n, size)
		case outside || (idxen || r.addTID) && off >= r.stride:
			return 0
		}
		return n
	case rulesGFX9:
		switch {
		case r.addTID && !idxen: // scratch memory
			return n
		case !idxen || r.stride == 0:
			return partsIn(o+soff, records, n, size)
		case outside:
			return 0
		}
		return n
	}
	if r.oob == oobRaw { // without those before the scalar offset
		records -= min(records, soff)
		outside = uint64(index) >= records
	}
	parts := partsIn
	if b.rules == rulesGFX10 {
		parts = partsFrom
	}
	switch {
	case r.oob == oobEmpty:
		if records == 0 {
			return 0
		}
		return n
	case r.oob == oobRaw && b.rules == rulesGFX10 && r.element != 0:
		return parts(at, records, n, size)
	case r.oob == oobRaw && (r.element == 0 || r.stride == 0):
		return parts(o, records, n, size)
	case outside:
		return 0
	case r.oob == oobIndex:
		return n
	}
	return parts(o, uint64(r.stride), n, size)
}

// Values of OOB_SELECT, which says what is out of range from gfx10 on.
const (
	oobStructured = iota // the index behind the records, or the offset behind the record
	oobIndex             // the index behind the records
	oobEmpty             // nothing, unless there are no records
	oobRaw               // the offset behind the records, which are bytes
)

// partsIn gives how many of n parts from start on end below a limit, partsFrom how many begin
// below it.
func partsIn(start, limit uint64, n int, size uint32) int {
	if start >= limit {
		return 0
	}
	return int(min(uint64(n), (limit-start)/uint64(size)))
}

func partsFrom(start, limit uint64, n int, size uint32) int {
	return partsIn(start, limit+uint64(size)-1, n, size)
}
