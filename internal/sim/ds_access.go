package sim

import (
	"math/bits"
	"unsafe"
)

// Accesses to words of LDS and GDS at arbitrary addresses. One goroutine owns
// this memory (GDS while it is locked).

func byteAt(p unsafe.Pointer, a uint32) *uint8  { return (*uint8)(unsafe.Add(p, a)) }
func wordAt(p unsafe.Pointer, a uint32) *uint16 { return (*uint16)(unsafe.Add(p, a)) }
func dword(p unsafe.Pointer, a uint32) *uint32  { return (*uint32)(unsafe.Add(p, a)) }
func qword(p unsafe.Pointer, a uint32) *uint64  { return (*uint64)(unsafe.Add(p, a)) }

// laneList caches the list of the lanes in a mask across instructions.
type laneList struct {
	mask uint64
	n    int
	list [64]uint8
}

// active returns the active lanes in ascending order.
func (w *wave) active() []uint8 {
	if mask := w.exec(); mask != w.listed.mask {
		w.listed.setLanes(mask)
	}
	return w.listed.list[:w.listed.n]
}

func (s *laneList) setLanes(mask uint64) {
	s.mask, s.n = mask, 0
	for ; mask != 0; mask &= mask - 1 {
		s.list[s.n&63] = uint8(bits.TrailingZeros64(mask))
		s.n++
	}
}

// runDSRead32 reads a dword.
func runDSRead32(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	addr, d := w.register(o.src[0].off, 0), w.register(o.dst.off, 0)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		v := uint32(0)
		if a < top {
			v = *dword(p, a)
		}
		d[l] = v
	}
}

// runDSRead64 reads two dwords.
func runDSRead64(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.register(o.src[0].off, 0)
	d := w.register(o.dst.off, 0)
	e := w.register(o.dst.off, 1)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		v := uint64(0)
		if a < top {
			v = *qword(p, a)
		}
		d[l], e[l] = uint32(v), uint32(v>>32)
	}
}

// runDSRead128 reads four dwords.
func runDSRead128(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 16)
	addr := w.register(o.src[0].off, 0)
	d0, d1 := w.register(o.dst.off, 0), w.register(o.dst.off, 1)
	d2, d3 := w.register(o.dst.off, 2), w.register(o.dst.off, 3)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		var u, v uint64
		if a < top {
			u, v = *qword(p, a), *qword(p, a+8)
		}
		d0[l], d1[l], d2[l], d3[l] = uint32(u), uint32(u>>32), uint32(v), uint32(v>>32)
	}
}

// runDSRead2 reads two dwords at separate addresses.
func runDSRead2(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	addr := w.register(o.src[0].off, 0)
	d, e := w.register(o.dst.off, 0), w.register(o.dst.off, 1)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for _, l := range w.active() {
		l &= 63
		a := addr[l]
		b := (a + off1) & mask
		a = (a + off0) & mask
		var u, v uint32
		if a < top {
			u = *dword(p, a)
		}
		if b < top {
			v = *dword(p, b)
		}
		d[l], e[l] = u, v
	}
}

// runDSRead2x64 reads two pairs of dwords at separate addresses.
func runDSRead2x64(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.register(o.src[0].off, 0)
	d0, d1 := w.register(o.dst.off, 0), w.register(o.dst.off, 1)
	d2, d3 := w.register(o.dst.off, 2), w.register(o.dst.off, 3)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for _, l := range w.active() {
		l &= 63
		a := addr[l]
		b := (a + off1) & mask
		a = (a + off0) & mask
		var u, v uint64
		if a < top {
			u = *qword(p, a)
		}
		if b < top {
			v = *qword(p, b)
		}
		d0[l], d1[l], d2[l], d3[l] = uint32(u), uint32(u>>32), uint32(v), uint32(v>>32)
	}
}

// runDSRead96 reads three dwords.
func runDSRead96(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 12)
	addr := w.register(o.src[0].off, 0)
	d0, d1, d2 := w.register(o.dst.off, 0), w.register(o.dst.off, 1), w.register(o.dst.off, 2)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		var u uint64
		var v uint32
		if a < top {
			u, v = *qword(p, a), *dword(p, a+8)
		}
		d0[l], d1[l], d2[l] = uint32(u), uint32(u>>32), v
	}
}

// runDSRead8 reads a byte.
func runDSRead8(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	addr, d := w.register(o.src[0].off, 0), w.register(o.dst.off, 0)
	off, up := x.off[0], x.up&31
	for _, l := range w.active() {
		l &= 63
		a := addr[l] + off
		v := uint32(0)
		if a < size {
			v = uint32(*byteAt(p, a))
		}
		d[l] = uint32(int32(v<<up) >> up)
	}
}

// runDSRead16 reads two bytes.
func runDSRead16(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 2)
	addr, d := w.register(o.src[0].off, 0), w.register(o.dst.off, 0)
	off, mask, up := x.off[0], x.mask, x.up&31
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		v := uint32(0)
		if a < top {
			v = uint32(*wordAt(p, a))
		}
		d[l] = uint32(int32(v<<up) >> up)
	}
}

// runDSReadHalf reads one or two bytes into half of a register.
func runDSReadHalf(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr, d := w.register(o.src[0].off, 0), w.register(o.dst.off, 0)
	off, up, half, keep := x.off[0], x.up&31, x.half&31, x.keep
	for _, l := range w.active() {
		l &= 63
		a := addr[l] + off
		v := uint32(0)
		if a < top {
			if v = uint32(*byteAt(p, a)); x.bytes == 2 {
				v = uint32(*wordAt(p, a))
			}
		}
		v = uint32(int32(v<<up) >> up)
		d[l] = d[l]&keep | v&0xffff<<half
	}
}

// runDSReadThread reads each lane's dword from an array indexed by lane number.
func runDSReadThread(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	d := w.register(o.dst.off, 0)
	base := x.off[0] + w.m0()&0xffff
	for _, l := range w.active() {
		l &= 63
		a := base + uint32(l)*4
		v := uint32(0)
		if a < top {
			v = *dword(p, a)
		}
		d[l] = v
	}
}

// runDSWrite32 writes a dword. If several lanes write to one address, the last
// lane wins.
func runDSWrite32(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	addr := w.register(o.src[0].off, 0)
	d := w.register(o.src[1].off, 0)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		if a < top {
			*dword(p, a) = d[l]
		}
	}
}

// runDSWrite64 writes two dwords.
func runDSWrite64(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.register(o.src[0].off, 0)
	d, e := w.register(o.src[1].off, 0), w.register(o.src[1].off, 1)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		if a < top {
			*qword(p, a) = uint64(d[l]) | uint64(e[l])<<32
		}
	}
}

// runDSWrite128 writes four dwords.
func runDSWrite128(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 16)
	addr := w.register(o.src[0].off, 0)
	d0, d1 := w.register(o.src[1].off, 0), w.register(o.src[1].off, 1)
	d2, d3 := w.register(o.src[1].off, 2), w.register(o.src[1].off, 3)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		if a < top {
			*qword(p, a) = uint64(d0[l]) | uint64(d1[l])<<32
			*qword(p, a+8) = uint64(d2[l]) | uint64(d3[l])<<32
		}
	}
}

// runDSWrite2 writes two dwords to separate addresses.
func runDSWrite2(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	addr := w.register(o.src[0].off, 0)
	d, e := w.register(o.src[1].off, 0), w.register(o.src[2].off, 0)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for _, l := range w.active() {
		l &= 63
		a := addr[l]
		b := (a + off1) & mask
		a = (a + off0) & mask
		if a < top {
			*dword(p, a) = d[l]
		}
		if b < top {
			*dword(p, b) = e[l]
		}
	}
}

// runDSWrite2x64 writes two pairs of dwords to separate addresses.
func runDSWrite2x64(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.register(o.src[0].off, 0)
	d0, d1 := w.register(o.src[1].off, 0), w.register(o.src[1].off, 1)
	d2, d3 := w.register(o.src[2].off, 0), w.register(o.src[2].off, 1)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for _, l := range w.active() {
		l &= 63
		a := addr[l]
		b := (a + off1) & mask
		a = (a + off0) & mask
		if a < top {
			*qword(p, a) = uint64(d0[l]) | uint64(d1[l])<<32
		}
		if b < top {
			*qword(p, b) = uint64(d2[l]) | uint64(d3[l])<<32
		}
	}
}

// runDSWrite96 writes three dwords.
func runDSWrite96(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 12)
	addr := w.register(o.src[0].off, 0)
	d0, d1, d2 := w.register(o.src[1].off, 0), w.register(o.src[1].off, 1), w.register(o.src[1].off, 2)
	off, mask := x.off[0], x.mask
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		if a < top {
			*qword(p, a) = uint64(d0[l]) | uint64(d1[l])<<32
			*dword(p, a+8) = d2[l]
		}
	}
}

// runDSWrite8 writes a byte from a register or from its high half.
func runDSWrite8(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	addr, d := w.register(o.src[0].off, 0), w.register(o.src[1].off, 0)
	off, half := x.off[0], x.half&31
	for _, l := range w.active() {
		l &= 63
		if a := addr[l] + off; a < size {
			*byteAt(p, a) = uint8(d[l] >> half)
		}
	}
}

// runDSWrite16 writes half of a register.
func runDSWrite16(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 2)
	addr, d := w.register(o.src[0].off, 0), w.register(o.src[1].off, 0)
	off, mask, half := x.off[0], x.mask, x.half&31
	for _, l := range w.active() {
		l &= 63
		a := (addr[l] + off) & mask
		if a < top {
			*wordAt(p, a) = uint16(d[l] >> half)
		}
	}
}

// runDSWriteThread writes each lane's dword to an array indexed by lane number.
func runDSWriteThread(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	d := w.register(o.src[1].off, 0)
	base := x.off[0] + w.m0()&0xffff
	for _, l := range w.active() {
		l &= 63
		if a := base + uint32(l)*4; a < top {
			*dword(p, a) = d[l]
		}
	}
}
