package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// Addresses of buffer instructions. Sources: AMD's ISA documents, "Buffer
// addressing", "Range checking", "Swizzled buffer addressing", "Buffer
// resource"; CLRX, GcnMemHandling, for gfx6 and gfx7; Mesa, ac_descriptors.c (OOB_SELECT). ROCm, rocjitsu's
// addr_calc_buffer.h, is the source of measured behavior: which index takes
// part in the range check, and how the scalar offset affects the range.

// bufferRules identifies generations with identical address rules.
type bufferRules uint8

const (
	rulesGFX6 bufferRules = iota // and gfx7
	rulesGFX8
	rulesGFX9 // and CDNA
	rulesGFX10
	rulesGFX11
)

func rulesOf(s isa.Set) bufferRules {
	switch g := s.Gen(); {
	case s.Has(isa.PropAddr64):
		return rulesGFX6
	case g == isa.Gen8:
		return rulesGFX8
	case !isa.HasUnifiedFormat(s):
		return rulesGFX9
	case g == isa.Gen10:
		return rulesGFX10
	}
	return rulesGFX11
}

// resource is a decoded buffer resource descriptor together with the
// instruction's scalar offset.
type resource struct {
	base    uint64 // includes the scalar offset
	stride  uint32
	records uint64
	element uint32 // size of a swizzled element in bytes; 0 for a linear buffer
	group   uint32 // number of interleaved indices: INDEX_STRIDE
	soff    uint32
	word3   uint32
	tid     bool // the lane number is added to the index
	addTID  bool // ADD_TID_ENABLE
	oob     uint8
	rules   bufferRules
}

// resource reads an instruction's resource and scalar offset.
func (w *wave) resource(m *memInfo) (r resource) {
	b := m.buf
	s := (*[4]uint32)(w.s[b.rsrc:])
	r.rules = b.rules
	r.soff = uint32(w.scalar(&b.soff))
	if b.large {
		w.largeResource(&r, s)
		return r
	}
	r.base = (uint64(s[0]) | uint64(s[1]&0xffff)<<32) + uint64(r.soff)
	r.stride = s[1] >> 16 & 0x3fff
	r.records, r.word3 = uint64(s[2]), s[3]
	r.addTID = s[3]>>23&1 != 0
	r.group = 8 << (s[3] >> 21 & 3)
	r.oob = uint8(s[3] >> 28 & 3)
	idxen := b.index >= 0
	swizzle := s[1] >> 31 & 1
	r.tid = r.addTID
	switch b.rules {
	case rulesGFX6, rulesGFX8:
		if !b.addr64 {
			r.element = swizzle * (2 << (s[3] >> 19 & 3))
		}
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
	if (b.rules == rulesGFX8 || b.rules == rulesGFX9) && r.tid && !b.format { // DATA_FORMAT holds the stride's upper bits
		r.stride |= s[3] >> 15 & 15 << 14
	}
	return r
}

// Fields of the large resources of gfx12.5: 57 bits of base, 45 bits with the
// number of records, 16 bits of stride, of which the upper two enable swizzling,
// and OOB_SELECT. Source: LLVM, lowering of make.buffer.rsrc.
const (
	largeAddress  = 1<<57 - 1
	largeRecords  = 1<<45 - 1
	largeStride   = 12 // shift in the last dword
	largeSwizzle  = 26
	largeBaseBits = 25 // bits of the base in the second dword
)

// largeResource decodes a large resource. Its swizzled form is not documented.
func (w *wave) largeResource(r *resource, s *[4]uint32) {
	r.base = largeBase(s) + uint64(r.soff)
	r.stride = s[3] >> largeStride & 0x3fff
	r.records, r.word3 = largeSize(s), s[3]
	r.oob = uint8(s[3] >> 28 & 3)
	if s[3]>>largeSwizzle&3 != 0 {
		w.fail(device.FaultUnsupported, "swizzled buffers are not simulated on "+w.dev.set.String())
	}
}

func largeBase(s *[4]uint32) uint64 { return (uint64(s[0]) | uint64(s[1])<<32) & largeAddress }

func largeSize(s *[4]uint32) uint64 {
	return (uint64(s[1])>>largeBaseBits | uint64(s[2])<<7 | uint64(s[3])<<39) & largeRecords
}

// swizzleElements maps gfx11's SWIZZLE_ENABLE to element sizes in bytes.
var swizzleElements = [4]uint32{0, 4, 4, 16}

// bufferOperands reads each lane's index and offset.
func (w *wave) bufferOperands(m *memInfo, r *resource) {
	b := m.buf
	index, off := &w.mem.index, &w.mem.off
	*index = [64]uint32{}
	if b.index >= 0 {
		copy(index[:w.lanes], w.v[b.index:])
	}
	if r.tid {
		for l := range index {
			index[l] += uint32(l)
		}
	}
	imm := uint32(m.offset)
	if b.off < 0 {
		for l := range off {
			off[l] = imm
		}
		return
	}
	for l, v := range w.v[b.off:][:w.lanes] {
		off[l&63] = v + imm
	}
}

// checked returns the index that is compared with the number of records.
func (r *resource) checked(index uint32, l int) uint32 {
	if r.rules == rulesGFX9 && r.tid {
		return index - uint32(l)
	}
	return index
}

// byteOffset returns the byte offset of an access from the resource's base.
func (r *resource) byteOffset(index, off uint32) uint64 {
	if r.element == 0 {
		return uint64(index)*uint64(r.stride) + uint64(off)
	}
	g, e := uint64(r.group), uint64(r.element)
	i, o := uint64(index), uint64(off)
	return (i/g*uint64(r.stride)+o/e*e)*g + i%g*e + o%e
}

// bufferAddresses computes each lane's address and the number of its n parts of
// size bytes that are in range. It returns the lanes with all parts in range
// and the lanes with at least one.
func (w *wave) bufferAddresses(m *memInfo, r *resource, lanes uint64, n int, size uint32) (whole, some uint64) {
	w.mem.odd = false
	if m.buf.addr64 {
		w.wideAddresses(m, lanes, n)
		return lanes, lanes
	}
	w.bufferOperands(m, r)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		index, off := w.mem.index[l], w.mem.off[l]
		at := r.byteOffset(index, off)
		w.mem.addr[l] = w.aligned(m, r.base+at)
		room := r.room(m.buf, r.checked(index, l), off, at, n, size)
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

// wideAddresses computes each lane's address for an instruction with addr64. No
// range is checked.
func (w *wave) wideAddresses(m *memInfo, lanes uint64, n int) {
	w.globalAddresses(m, lanes)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		w.mem.addr[l] = w.aligned(m, w.mem.addr[l])
		w.mem.room[l] = uint8(n)
	}
}

// aligned returns an address of the size of resources without the low bits that the hardware
// ignores.
func (w *wave) aligned(m *memInfo, addr uint64) uint64 {
	low := uint64(m.low)
	w.mem.odd = w.mem.odd || addr&low != 0
	return addr & m.buf.mask &^ low
}

// room returns how many of n parts of size bytes are in range. at is the offset
// of the first part from the base.
func (r *resource) room(b *bufferInfo, index, off uint32, at uint64, n int, size uint32) int {
	idxen := b.index >= 0
	records, o, soff := r.records, uint64(off), uint64(r.soff)
	outside := uint64(index) >= records
	switch b.rules {
	case rulesGFX6:
		switch {
		case r.stride == 0:
			return partsIn(at+soff, records, n, size)
		case outside:
			return 0
		case idxen || r.addTID:
			return partsFrom(o, uint64(r.stride), n, size)
		}
		return n
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
	if r.oob == oobRaw { // excludes the records before the scalar offset
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

// end returns the exclusive end of the in-range offsets for unindexed accesses
// to a linear buffer with parts of size bytes. It agrees with room.
func (r *resource) end(size uint32) uint64 {
	const all = 1 << 46
	end := r.records
	switch {
	case r.rules == rulesGFX6 && r.stride != 0 && end > 0:
		return all
	case r.rules <= rulesGFX9 || r.oob == oobRaw:
		end -= min(end, uint64(r.soff))
	case end == 0:
		return 0
	case r.oob == oobStructured:
		end = uint64(r.stride)
	default:
		return all
	}
	if r.rules == rulesGFX10 && end > 0 { // only the last part's first byte is checked
		end += uint64(size) - 1
	}
	return end
}

// Values of OOB_SELECT, which selects the range check since gfx10. The comments
// list the out-of-range accesses.
const (
	oobStructured = iota // index ≥ records, or offset ≥ stride
	oobIndex             // index ≥ records
	oobEmpty             // everything if there are no records, otherwise nothing
	oobRaw               // offset ≥ records, in bytes
)

// partsIn returns how many of n consecutive parts from start end at or below
// limit. partsFrom returns how many begin below it.
func partsIn(start, limit uint64, n int, size uint32) int {
	if start >= limit {
		return 0
	}
	return int(min(uint64(n), (limit-start)/uint64(size)))
}

func partsFrom(start, limit uint64, n int, size uint32) int {
	return partsIn(start, limit+uint64(size)-1, n, size)
}
