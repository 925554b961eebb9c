package sim

import (
	"math/bits"
	"unsafe"
)

// Per-lane loads and stores at arbitrary addresses. loadLanes and storeLanes
// handle every case; the other functions handle accesses that lie within one
// region.

// accessOf returns the function that moves the data of an access.
func accessOf(m *memInfo) func(w *wave, m *memInfo, lanes uint64, d []uint32) {
	table := &loaders
	if m.store {
		table = &storers
	}
	if f := table[m.bytes]; f != nil {
		return f
	}
	if m.store {
		return storeLanes
	}
	return loadLanes
}

// bindAccess selects the function that moves the data of an access.
func (m *memInfo) bindAccess() {
	if m.access = accessOf(m); m.weak {
		m.access = weakAccess
	}
}

// part returns the access to a dword of a larger element in global memory.
func (m *memInfo) part() *memInfo {
	p := m.dword()
	if m.weak {
		p = &weakDwords[m.direction()]
	}
	return p
}

// direction returns 1 for stores and 0 for loads.
func (m *memInfo) direction() int {
	if m.store {
		return 1
	}
	return 0
}

// loaders and storers hold the fast paths, indexed by element size in bytes.
var (
	loaders = [17]func(w *wave, m *memInfo, lanes uint64, d []uint32){1: loadSmall, 2: loadSmall, 4: loadDword, 8: loadPair, 16: loadQuad}
	storers = [17]func(w *wave, m *memInfo, lanes uint64, d []uint32){1: storeByte, 2: storeShort, 4: storeDword, 8: storePair, 16: storeQuad}
)

// everyLane lists all lanes in ascending order.
var everyLane = [64]uint8{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
}

// laneList returns the lanes set in the mask, in ascending order. The slice is
// valid until the next call.
func (w *wave) laneList(lanes uint64) []uint8 {
	if lanes == w.all {
		return everyLane[:w.lanes]
	}
	n := 0
	list := &w.mem.list
	for ; lanes != 0; lanes &= lanes - 1 {
		list[n&63] = uint8(bits.TrailingZeros64(lanes))
		n++
	}
	return list[:n]
}

// oneRegion returns the host memory and the base address of the region that
// contains every listed lane's element of size bytes. It returns nil if no
// single region contains them all.
func (w *wave) oneRegion(list []uint8, size uint64) (host unsafe.Pointer, base uint64) {
	a := &w.mem.addr
	r := w.region(a[list[0]&63], size)
	if r == nil {
		return nil, 0
	}
	far := uint64(0)
	base = r.Addr
	for _, l := range list {
		far = max(far, a[l&63]-base)
	}
	if far > uint64(len(r.Pages()))-size {
		return nil, 0
	}
	return unsafe.Pointer(unsafe.SliceData(r.Pages())), base
}

func loadDword(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 4)
	if host == nil {
		loadLanes(w, m, lanes, d)
		return
	}
	to := (*[64]uint32)(d)
	for _, l := range list {
		to[l&63] = load32(unsafe.Add(host, w.mem.addr[l&63]-base))
	}
}

func loadPair(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 8)
	if host == nil {
		loadLanes(w, m, lanes, d)
		return
	}
	lo, hi := (*[64]uint32)(d), (*[64]uint32)(d[w.lanes:])
	for _, l := range list {
		v := load64(unsafe.Add(host, w.mem.addr[l&63]-base))
		lo[l&63], hi[l&63] = uint32(v), uint32(v>>32)
	}
}

func loadQuad(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 16)
	if host == nil {
		loadLanes(w, m, lanes, d)
		return
	}
	n := w.lanes
	x, y, z, t := (*[64]uint32)(d), (*[64]uint32)(d[n:]), (*[64]uint32)(d[2*n:]), (*[64]uint32)(d[3*n:])
	for _, l := range list {
		p := unsafe.Add(host, w.mem.addr[l&63]-base)
		v, u := load64(p), load64(unsafe.Add(p, 8))
		x[l&63], y[l&63] = uint32(v), uint32(v>>32)
		z[l&63], t[l&63] = uint32(u), uint32(u>>32)
	}
}

// loadSmall loads 8-bit or 16-bit elements.
func loadSmall(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, uint64(m.bytes))
	if host == nil {
		loadLanes(w, m, lanes, d)
		return
	}
	to := (*[64]uint32)(d)
	switch {
	case m.d16 != 0:
		for _, l := range list {
			m.load(unsafe.Add(host, w.mem.addr[l&63]-base), to[l&63:], 0)
		}
	case m.bytes == 1 && m.signed:
		for _, l := range list {
			to[l&63] = uint32(int32(int8(load8(unsafe.Add(host, w.mem.addr[l&63]-base)))))
		}
	case m.bytes == 1:
		for _, l := range list {
			to[l&63] = load8(unsafe.Add(host, w.mem.addr[l&63]-base))
		}
	case m.signed:
		for _, l := range list {
			to[l&63] = uint32(int32(int16(load16(unsafe.Add(host, w.mem.addr[l&63]-base)))))
		}
	default:
		for _, l := range list {
			to[l&63] = load16(unsafe.Add(host, w.mem.addr[l&63]-base))
		}
	}
}

func storeByte(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 1)
	if host == nil {
		storeLanes(w, m, lanes, d)
		return
	}
	from, shift := (*[64]uint32)(d), m.d16&2*8
	for _, l := range list {
		store8(unsafe.Add(host, w.mem.addr[l&63]-base), from[l&63]>>shift)
	}
}

func storeShort(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 2)
	if host == nil {
		storeLanes(w, m, lanes, d)
		return
	}
	from, shift := (*[64]uint32)(d), m.d16&2*8
	for _, l := range list {
		store16(unsafe.Add(host, w.mem.addr[l&63]-base), from[l&63]>>shift)
	}
}

func storeDword(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 4)
	if host == nil {
		storeLanes(w, m, lanes, d)
		return
	}
	from := (*[64]uint32)(d)
	for _, l := range list {
		store32(unsafe.Add(host, w.mem.addr[l&63]-base), from[l&63])
	}
}

func storePair(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 8)
	if host == nil {
		storeLanes(w, m, lanes, d)
		return
	}
	lo, hi := (*[64]uint32)(d), (*[64]uint32)(d[w.lanes:])
	for _, l := range list {
		store64(unsafe.Add(host, w.mem.addr[l&63]-base), uint64(lo[l&63])|uint64(hi[l&63])<<32)
	}
}

func storeQuad(w *wave, m *memInfo, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	host, base := w.oneRegion(list, 16)
	if host == nil {
		storeLanes(w, m, lanes, d)
		return
	}
	n := w.lanes
	x, y, z, t := (*[64]uint32)(d), (*[64]uint32)(d[n:]), (*[64]uint32)(d[2*n:]), (*[64]uint32)(d[3*n:])
	for _, l := range list {
		p := unsafe.Add(host, w.mem.addr[l&63]-base)
		store64(p, uint64(x[l&63])|uint64(y[l&63])<<32)
		store64(unsafe.Add(p, 8), uint64(z[l&63])|uint64(t[l&63])<<32)
	}
}

// loadLanes loads one element per lane from the addresses in w.mem.addr.
func loadLanes(w *wave, m *memInfo, lanes uint64, d []uint32) {
	size := uint64(m.bytes)
	r := w.region(w.mem.addr[bits.TrailingZeros64(lanes)&63], size)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		addr := w.mem.addr[l]
		if r == nil || addr-r.Addr > uint64(len(r.Pages()))-size {
			if r = w.region(addr, size); r == nil {
				w.badAccess("load", l, addr, size)
				return
			}
		}
		m.load(hostAt(r, addr), d[l:], w.lanes)
	}
}

// load loads one lane's element. The lane's registers are lanes dwords apart in
// d.
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
		m.writeSubword(&d[0], load8(p))
	default:
		m.writeSubword(&d[0], load16(p))
	}
}

// writeSubword writes an 8-bit or 16-bit value to a register or to one half of
// it.
func (m *memInfo) writeSubword(d *uint32, v uint32) {
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

// storeLanes stores one element per lane to the addresses in w.mem.addr.
func storeLanes(w *wave, m *memInfo, lanes uint64, d []uint32) {
	size := uint64(m.bytes)
	r := w.region(w.mem.addr[bits.TrailingZeros64(lanes)&63], size)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		addr := w.mem.addr[l]
		if r == nil || addr-r.Addr > uint64(len(r.Pages()))-size {
			if r = w.region(addr, size); r == nil {
				w.badAccess("store", l, addr, size)
				return
			}
		}
		m.save(hostAt(r, addr), d[l:], w.lanes)
	}
}

// save stores one lane's element.
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
