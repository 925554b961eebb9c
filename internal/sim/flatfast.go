package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
)

// quickLimit is the size limit in bytes of regions on the fast path, which uses
// signed offsets.
const quickLimit = 1 << 31

// zeros provides the upper dwords of 32-bit addresses.
var zeros [128]uint32

// chooseMover selects the fast function that moves the data of a load or store,
// if one exists.
func (m *memInfo) chooseMover() {
	switch {
	case !lanes.HasSIMD || !plainStores || m.d16 != 0 || m.weak:
	case m.bytes == 4 || m.bytes == 12:
		m.mover = lanes.Gather
		if m.store {
			m.mover = lanes.Scatter
		}
	case m.bytes&7 == 0 && m.store:
		m.wide = lanes.WideMoves[1][m.bytes/8]
	case m.bytes&7 == 0:
		m.wide = lanes.WideMoves[0][m.bytes/8]
	}
}

// quick reports whether the function selected by chooseMover moves an entire
// element.
func (m *memInfo) quick() bool { return m.wide != nil || m.mover != nil && m.bytes == 4 }

// chooseGlobal selects the fastest implementation of a GLOBAL or FLAT
// instruction, or of a buffer instruction with a 64-bit address.
func (o *op) chooseGlobal() {
	m := o.mem
	if m.atomic != nil || m.vaddr < 0 || m.vdwords == 1 && m.signed32 {
		return
	}
	switch m.chooseMover(); {
	case m.mover != nil:
		o.run = runQuick
	case m.wide != nil:
		o.run = runWide
	}
}

// runWide loads or stores 8 or 16 bytes per lane if all lanes are active and
// their addresses are in one region. Remaining lanes take the slow path.
func runWide(w *wave, o *op) {
	exec := w.exec()
	m := o.mem
	if exec != w.all || w.chk != nil {
		if exec != 0 {
			m.slow(w, m, exec)
		}
		return
	}
	lo, hi := &w.v[m.vaddr], &zeros[0]
	base := w.addressBase(m)
	addr := base + uint64(*lo)
	if m.vdwords > 1 {
		hi = &w.v[int(m.vaddr)+w.lanes]
		addr += uint64(*hi) << 32
	}
	done := 0
	if r := w.region(addr, uint64(m.bytes)); r != nil {
		limit, host := uint64(len(r.Pages())-int(m.bytes)), unsafe.Pointer(unsafe.SliceData(r.Pages()))
		done = m.wide(&w.v[m.data], lo, hi, w.lanes, r.Addr-base, limit, host)
	}
	if left := exec >> done << done; left != 0 {
		m.slow(w, m, left)
	}
}

// runQuick loads or stores dwords of lanes whose addresses are in one region.
// Remaining lanes take the slow path.
func runQuick(w *wave, o *op) {
	exec := w.exec()
	m := o.mem
	if exec == 0 {
		return
	}
	if w.chk != nil {
		m.slow(w, m, exec)
		return
	}
	lo, hi := &w.v[m.vaddr], &zeros[0]
	base := w.addressBase(m)
	first := bits.TrailingZeros64(exec) & 63
	addr := base + uint64(*lane(lo, first))
	if m.vdwords > 1 {
		hi = &w.v[int(m.vaddr)+w.lanes]
		addr += uint64(*lane(hi, first)) << 32
	}
	r := w.region(addr, uint64(m.bytes))
	if r == nil || len(r.Pages()) > quickLimit {
		m.slow(w, m, exec)
		return
	}
	dwords := int(m.bytes) / 4
	saved := dwords > 1 && !m.store && m.overlaps(w.lanes)
	if saved { // the first result may overwrite an address
		*array(&w.tmp[0][0]), *array(&w.tmp[1][0]) = *array(lo), *array(hi)
		lo, hi = &w.tmp[0][0], &w.tmp[1][0]
	}
	left := uint64(0)
	limit, host := uint64(len(r.Pages())-4), unsafe.Pointer(unsafe.SliceData(r.Pages()))
	for k := range dwords {
		left |= m.mover(&w.v[int(m.data)+k*w.lanes], lo, hi, exec, w.lanes, r.Addr-base-uint64(k)*4, limit, host)
	}
	if left != 0 {
		if saved {
			w.restore(m, left, lo, hi)
		}
		m.slow(w, m, left)
	}
}

// overlaps reports whether the data registers overlap the address registers.
func (m *memInfo) overlaps(lanes int) bool {
	end := m.data + int32(m.bytes)/4*int32(lanes)
	return m.data < m.vaddr+int32(m.vdwords)*int32(lanes) && m.vaddr < end
}

// restore restores the address registers of the given lanes.
func (w *wave) restore(m *memInfo, lanes uint64, lo, hi *uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		w.v[int(m.vaddr)+l] = *lane(lo, l)
		if m.vdwords > 1 {
			w.v[int(m.vaddr)+w.lanes+l] = *lane(hi, l)
		}
	}
}
