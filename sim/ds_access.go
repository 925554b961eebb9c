package sim

import (
	"math/bits"
	"unsafe"
)

// Words of LDS and GDS. They belong to one goroutine (GDS while it is locked) and may be at any
// address.

func byteAt(p unsafe.Pointer, a uint32) *uint8 { return (*uint8)(unsafe.Add(p, a)) }
func dword(p unsafe.Pointer, a uint32) *uint32 { return (*uint32)(unsafe.Add(p, a)) }
func qword(p unsafe.Pointer, a uint32) *uint64 { return (*uint64)(unsafe.Add(p, a)) }

// runDSRead32 reads a dword.
func runDSRead32(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.readShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 4)
	addr := w.ldsLanes(o.src[0].off)
	d := w.ldsLanes(o.dst.off)[:len(addr)]
	off, mask := x.off[0], x.mask
	for l, a := range addr {
		a = (a + off) & mask
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
	exec := w.exec()
	if exec != w.all {
		w.readShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.ldsLanes(o.src[0].off)
	d := w.register(o.dst.off, 0)
	e := w.register(o.dst.off, 1)
	off, mask := x.off[0], x.mask
	for l, a := range addr {
		a = (a + off) & mask
		v := uint64(0)
		if a < top {
			v = *qword(p, a)
		}
		d[l&63], e[l&63] = uint32(v), uint32(v>>32)
	}
}

// runDSRead128 reads four dwords.
func runDSRead128(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.readShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 16)
	addr := w.ldsLanes(o.src[0].off)
	d0, d1 := w.register(o.dst.off, 0), w.register(o.dst.off, 1)
	d2, d3 := w.register(o.dst.off, 2), w.register(o.dst.off, 3)
	off, mask := x.off[0], x.mask
	for l, a := range addr {
		a = (a + off) & mask
		var u, v uint64
		if a < top {
			u, v = *qword(p, a), *qword(p, a+8)
		}
		l &= 63
		d0[l], d1[l], d2[l], d3[l] = uint32(u), uint32(u>>32), uint32(v), uint32(v>>32)
	}
}

// runDSRead2 reads two dwords at addresses of their own.
func runDSRead2(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.readShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 4)
	addr := w.ldsLanes(o.src[0].off)
	d, e := w.register(o.dst.off, 0), w.register(o.dst.off, 1)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for l, a := range addr {
		b := (a + off1) & mask
		a = (a + off0) & mask
		var u, v uint32
		if a < top {
			u = *dword(p, a)
		}
		if b < top {
			v = *dword(p, b)
		}
		d[l&63], e[l&63] = u, v
	}
}

// runDSRead2x64 reads two pairs of dwords at addresses of their own.
func runDSRead2x64(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.readShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.ldsLanes(o.src[0].off)
	d0, d1 := w.register(o.dst.off, 0), w.register(o.dst.off, 1)
	d2, d3 := w.register(o.dst.off, 2), w.register(o.dst.off, 3)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for l, a := range addr {
		b := (a + off1) & mask
		a = (a + off0) & mask
		var u, v uint64
		if a < top {
			u = *qword(p, a)
		}
		if b < top {
			v = *qword(p, b)
		}
		l &= 63
		d0[l], d1[l], d2[l], d3[l] = uint32(u), uint32(u>>32), uint32(v), uint32(v>>32)
	}
}

func runDSReadWide(w *wave, o *op) { w.readShare(o, w.exec()) }

// readShare reads elements of whole dwords for some lanes.
func (w *wave) readShare(o *op, lanes uint64) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr := w.register(o.src[0].off, 0)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		base := addr[l]
		for e := range int(x.count) {
			a := (base + x.off[e]) & x.mask
			for i := range int(x.dwords) {
				v := uint32(0)
				if a < top {
					v = *dword(p, a+uint32(i)*4)
				}
				w.register(o.dst.off, e*int(x.dwords)+i)[l] = v
			}
		}
	}
}

// runDSReadSmall reads a byte or two, into a register or half of it.
func runDSReadSmall(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr, d := w.register(o.src[0].off, 0), w.register(o.dst.off, 0)
	up := x.up & 31
	for lanes := w.exec(); lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		a := (addr[l] + x.off[0]) & x.mask
		v := uint32(0)
		if a < top {
			if q := unsafe.Add(p, a); x.bytes == 1 {
				v = uint32(*(*uint8)(q))
			} else {
				v = uint32(*(*uint16)(q))
			}
		}
		v = uint32(int32(v<<up) >> up)
		if x.keep != 0 {
			v = d[l]&x.keep | v&0xffff<<(x.half&31)
		}
		d[l] = v
	}
}

// runDSReadThread reads the lane's dword of a row of them.
func runDSReadThread(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	d := w.register(o.dst.off, 0)
	base := x.off[0] + w.m0()&0xffff
	for lanes := w.exec(); lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		a := base + uint32(l)*4
		v := uint32(0)
		if a < top {
			v = *dword(p, a)
		}
		d[l] = v
	}
}

// runDSWrite32 writes a dword. Where lanes write to one place, the last one's stays.
func runDSWrite32(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.writeShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 4)
	addr := w.ldsLanes(o.src[0].off)
	d := w.ldsLanes(o.src[1].off)[:len(addr)]
	off, mask := x.off[0], x.mask
	for l, a := range addr {
		a = (a + off) & mask
		if a < top {
			*dword(p, a) = d[l]
		}
	}
}

// runDSWrite64 writes two dwords.
func runDSWrite64(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.writeShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.ldsLanes(o.src[0].off)
	d, e := w.register(o.src[1].off, 0), w.register(o.src[1].off, 1)
	off, mask := x.off[0], x.mask
	for l, a := range addr {
		a = (a + off) & mask
		if a < top {
			*qword(p, a) = uint64(d[l&63]) | uint64(e[l&63])<<32
		}
	}
}

// runDSWrite128 writes four dwords.
func runDSWrite128(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.writeShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 16)
	addr := w.ldsLanes(o.src[0].off)
	d0, d1 := w.register(o.src[1].off, 0), w.register(o.src[1].off, 1)
	d2, d3 := w.register(o.src[1].off, 2), w.register(o.src[1].off, 3)
	off, mask := x.off[0], x.mask
	for l, a := range addr {
		a = (a + off) & mask
		if a < top {
			l &= 63
			*qword(p, a) = uint64(d0[l]) | uint64(d1[l])<<32
			*qword(p, a+8) = uint64(d2[l]) | uint64(d3[l])<<32
		}
	}
}

// runDSWrite2 writes two dwords to addresses of their own.
func runDSWrite2(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.writeShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 4)
	addr := w.ldsLanes(o.src[0].off)
	d, e := w.register(o.src[1].off, 0), w.register(o.src[2].off, 0)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for l, a := range addr {
		b := (a + off1) & mask
		a = (a + off0) & mask
		if a < top {
			*dword(p, a) = d[l&63]
		}
		if b < top {
			*dword(p, b) = e[l&63]
		}
	}
}

// runDSWrite2x64 writes two pairs of dwords to addresses of their own.
func runDSWrite2x64(w *wave, o *op) {
	x := o.ds
	exec := w.exec()
	if exec != w.all {
		w.writeShare(o, exec)
		return
	}
	p, size := w.share(x)
	top := room(size, 8)
	addr := w.ldsLanes(o.src[0].off)
	d0, d1 := w.register(o.src[1].off, 0), w.register(o.src[1].off, 1)
	d2, d3 := w.register(o.src[2].off, 0), w.register(o.src[2].off, 1)
	off0, off1, mask := x.off[0], x.off[1], x.mask
	for l, a := range addr {
		b := (a + off1) & mask
		a = (a + off0) & mask
		l &= 63
		if a < top {
			*qword(p, a) = uint64(d0[l]) | uint64(d1[l])<<32
		}
		if b < top {
			*qword(p, b) = uint64(d2[l]) | uint64(d3[l])<<32
		}
	}
}

func runDSWriteWide(w *wave, o *op) { w.writeShare(o, w.exec()) }

// writeShare writes elements of whole dwords of some lanes.
func (w *wave) writeShare(o *op, lanes uint64) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr := w.register(o.src[0].off, 0)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		for e := range int(x.count) {
			a := (addr[l] + x.off[e]) & x.mask
			if a >= top {
				continue
			}
			for i := range int(x.dwords) {
				*dword(p, a+uint32(i)*4) = w.register(o.src[1+e].off, i)[l]
			}
		}
	}
}

// runDSWriteSmall writes a byte or two of a register or of its high half.
func runDSWriteSmall(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr, d := w.register(o.src[0].off, 0), w.register(o.src[1].off, 0)
	for lanes := w.exec(); lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		a := (addr[l] + x.off[0]) & x.mask
		if a >= top {
			continue
		}
		v := d[l] >> (x.half & 31)
		if q := unsafe.Add(p, a); x.bytes == 1 {
			*(*uint8)(q) = uint8(v)
		} else {
			*(*uint16)(q) = uint16(v)
		}
	}
}

// runDSWriteThread writes the lane's dword of a row of them.
func runDSWriteThread(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	d := w.register(o.src[1].off, 0)
	base := x.off[0] + w.m0()&0xffff
	for lanes := w.exec(); lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		if a := base + uint32(l)*4; a < top {
			*dword(p, a) = d[l]
		}
	}
}
