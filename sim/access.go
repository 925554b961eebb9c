package sim

import (
	"math/bits"
	"unsafe"
)

// Loads and stores of lanes at addresses of their own.

// loadLanes loads an element for each lane from its address in w.mem.addr.
func loadLanes(w *wave, m *memInfo, lanes uint64, d []uint32) {
	size := uint64(m.bytes)
	r := w.region(w.mem.addr[bits.TrailingZeros64(lanes)&63], size)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		addr := w.mem.addr[l]
		if r == nil || addr-r.Addr > uint64(len(r.mem))-size {
			if r = w.region(addr, size); r == nil {
				w.badAccess("load", l, addr, size)
				return
			}
		}
		m.load(r.at(addr), d[l:], w.lanes)
	}
}

// load loads a lane's element; the lane's registers are lanes dwords apart.
func (m *memInfo) load(p unsafe.Pointer, d []uint32, lanes int) {
	switch m.bytes {
	case 4:
		d[0] = load32(p)
	case 8:
		v := load64(p)
		d[0], d[lanes] = uint32(v), uint32(v>>32)
	case 16:
		v, u := load64(p), load64(unsafe.Add(p, 8))
		d[0], d[lanes], d[2*lanes], d[3*lanes] = uint32(v), uint32(v>>32), uint32(u), uint32(u>>32)
	case 12:
		d[0], d[lanes], d[2*lanes] = load32(p), load32(unsafe.Add(p, 4)), load32(unsafe.Add(p, 8))
	case 1:
		m.put(&d[0], load8(p))
	default:
		m.put(&d[0], load16(p))
	}
}

// put writes a value of 8 or 16 bits to a register, or to half of it.
func (m *memInfo) put(d *uint32, v uint32) {
	if m.signed {
		s := 32 - 8*uint32(m.bytes)
		v = uint32(int32(v<<(s&31)) >> (s & 31))
	}
	keep := *d
	if m.clear16 {
		keep = 0
	}
	switch m.d16 {
	case 1:
		v = v&0xffff | keep&0xffff0000
	case 2:
		v = v<<16 | keep&0xffff
	}
	*d = v
}

// storeLanes stores an element of each lane to its address in w.mem.addr.
func storeLanes(w *wave, m *memInfo, lanes uint64, d []uint32) {
	size := uint64(m.bytes)
	r := w.region(w.mem.addr[bits.TrailingZeros64(lanes)&63], size)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		addr := w.mem.addr[l]
		if r == nil || addr-r.Addr > uint64(len(r.mem))-size {
			if r = w.region(addr, size); r == nil {
				w.badAccess("store", l, addr, size)
				return
			}
		}
		m.save(r.at(addr), d[l:], w.lanes)
	}
}

// save stores a lane's element.
func (m *memInfo) save(p unsafe.Pointer, d []uint32, lanes int) {
	switch m.bytes {
	case 4:
		store32(p, d[0])
	case 8:
		store64(p, uint64(d[0])|uint64(d[lanes])<<32)
	case 16:
		store64(p, uint64(d[0])|uint64(d[lanes])<<32)
		store64(unsafe.Add(p, 8), uint64(d[2*lanes])|uint64(d[3*lanes])<<32)
	case 12:
		store32(p, d[0])
		store32(unsafe.Add(p, 4), d[lanes])
		store32(unsafe.Add(p, 8), d[2*lanes])
	case 1:
		store8(p, d[0]>>(m.d16&2*8))
	default:
		store16(p, d[0]>>(m.d16&2*8))
	}
}
