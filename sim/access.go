package sim

import (
	"math/bits"
	"unsafe"
)

// Loads and stores of lanes at addresses of their own.

// register gives the lanes of register i of a tuple.
func (w *wave) register(at int32, i int) *[64]uint32 {
	return (*[64]uint32)(unsafe.Pointer(&w.v[int(at)+i*w.lanes]))
}

// loadLanes loads an element for each lane from its address in w.mem.addr.
func loadLanes(w *wave, m *memInfo, lanes uint64) {
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
		w.loadElement(m, l, r.at(addr))
	}
}

// loadElement loads a lane's element.
func (w *wave) loadElement(m *memInfo, l int, p unsafe.Pointer) {
	d := &w.register(m.data, 0)[l]
	switch m.bytes {
	case 1:
		m.put(d, load8(p))
	case 2:
		m.put(d, load16(p))
	case 8, 16:
		for i := 0; i < int(m.bytes)/4; i += 2 {
			v := load64(unsafe.Add(p, i*4))
			w.register(m.data, i)[l], w.register(m.data, i+1)[l] = uint32(v), uint32(v>>32)
		}
	default:
		for i := range int(m.bytes) / 4 {
			w.register(m.data, i)[l] = load32(unsafe.Add(p, i*4))
		}
	}
}

// put writes a value of 8 or 16 bits to a register, or to half of it.
func (m *memInfo) put(d *uint32, v uint32) {
	if m.signed {
		s := 32 - 8*uint32(m.bytes)
		v = uint32(int32(v<<(s&31)) >> (s & 31))
	}
	switch m.d16 {
	case 1:
		v = v&0xffff | *d&0xffff0000
	case 2:
		v = v<<16 | *d&0xffff
	}
	*d = v
}

// storeLanes stores an element of each lane to its address in w.mem.addr.
func storeLanes(w *wave, m *memInfo, lanes uint64) {
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
		w.storeElement(m, l, r.at(addr))
	}
}

// storeElement stores a lane's element.
func (w *wave) storeElement(m *memInfo, l int, p unsafe.Pointer) {
	v := w.register(m.data, 0)[l]
	if m.d16 == 2 {
		v >>= 16
	}
	switch m.bytes {
	case 1:
		store8(p, v)
	case 2:
		store16(p, v)
	case 8, 16:
		for i := 0; i < int(m.bytes)/4; i += 2 {
			store64(unsafe.Add(p, i*4), uint64(w.register(m.data, i)[l])|uint64(w.register(m.data, i+1)[l])<<32)
		}
	default:
		for i := range int(m.bytes) / 4 {
			store32(unsafe.Add(p, i*4), w.register(m.data, i)[l])
		}
	}
}
