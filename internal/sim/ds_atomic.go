package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// atomic initializes x for the atomic described by row.
func (x *dsInfo) atomic(in *isa.Inst, row *sem.AtomicRow) bool {
	x.kind, x.fn, x.rtn, x.src2 = dsAtomic, row.Fn, row.Rtn, row.Src2
	x.bytes, x.dwords = row.Bits/8, row.Bits/32
	switch {
	case row.Pair:
		x.count = 2
		x.offsets(in, row.Stride64)
		x.run = runDSExchange2
	case row.Src2:
		x.run = runDSSrc2
	case row.Bits == 64:
		x.run = runDSAtomic64
	case row.Kind == sem.AtomicAdd:
		x.run = runDSAdd32
	default:
		x.run = runDSAtomic32
	}
	if quick := quickFloats.Get()[row.Kind][row.Bits/64]; quick != nil {
		x.fn = quick
	}
	if row.Kind == sem.AtomicCondXchg { // the address is aligned and truncated to 16 bits
		x.mask = 0xfff8
	}
	return true
}

// writeSrc2 returns the preparer of ds_write_src2, which copies an element.
func writeSrc2(bytes uint8) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.kind, x.bytes, x.dwords, x.src2 = dsAtomic, bytes, bytes/4, true
		x.fn = func(_ *sem.Ctx, _, data, _ uint64) uint64 { return data }
		x.run = runDSSrc2
		return true
	}
}

// runDSAdd32 adds dwords.
func runDSAdd32(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	addr, data := w.register(o.src[0].off, 0), w.register(o.src[1].off, 0)
	d, rtn := w.register(o.dst.off, 0), x.rtn
	off := x.off[0]
	for _, l := range w.active() {
		l &= 63
		a := addr[l] + off
		if a&3 != 0 {
			w.misalignedLDS(o, int(l), a)
			return
		}
		old := uint32(0)
		if a < top {
			q := dword(p, a)
			old = *q
			*q = old + data[l]
		}
		if rtn {
			d[l] = old
		}
	}
}

// runDSAtomic32 executes a 32-bit atomic lane by lane and returns the old
// values.
func runDSAtomic32(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 4)
	ctx := w.quietCtx()
	addr, d, rtn := w.register(o.src[0].off, 0), w.register(o.dst.off, 0), x.rtn
	data, data2 := w.register(o.src[1].off, 0), w.register(o.src[2].off, 0)
	off, fn := x.off[0], x.fn
	for _, l := range w.active() {
		l &= 63
		a := addr[l] + off
		if a&3 != 0 {
			w.misalignedLDS(o, int(l), a)
			return
		}
		old := uint32(0)
		if a < top {
			q := dword(p, a)
			old = *q
			*q = uint32(fn(ctx, uint64(old), uint64(data[l]), uint64(data2[l])))
		}
		if rtn {
			d[l] = old
		}
	}
}

// runDSAtomic64 executes a 64-bit atomic lane by lane and returns the old
// values.
func runDSAtomic64(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, 8)
	ctx := w.quietCtx()
	addr := w.register(o.src[0].off, 0)
	for _, lane := range w.active() {
		l := int(lane & 63)
		a := (addr[l] + x.off[0]) & x.mask
		if a&7 != 0 {
			w.misalignedLDS(o, l, a)
			return
		}
		old := uint64(0)
		if a < top {
			q := qword(p, a)
			old = *q
			*q = x.fn(ctx, old, w.element(&o.src[1], 2, l), w.element(&o.src[2], 2, l))
		}
		if x.rtn {
			w.setElement(&o.dst, 0, 2, l, old)
		}
	}
}

// quietCtx returns the context of atomics: MODE applies, but no exceptions are
// raised.
func (w *wave) quietCtx() *sem.Ctx {
	w.mem.ctx = w.ctx
	w.mem.ctx.Track, w.mem.ctx.Clamp = false, false
	return &w.mem.ctx
}

// element reads one or two registers of lane l.
func (w *wave) element(s *operand, dwords uint8, l int) uint64 {
	v := uint64(w.register(s.off, 0)[l])
	if dwords > 1 {
		v |= uint64(w.register(s.off, 1)[l]) << 32
	}
	return v
}

// setElement writes one or two registers of lane l, starting at register i of a
// tuple.
func (w *wave) setElement(d *operand, i int, dwords uint8, l int, v uint64) {
	w.register(d.off, i)[l] = uint32(v)
	if dwords > 1 {
		w.register(d.off, i+1)[l] = uint32(v >> 32)
	}
}

// runDSExchange2 exchanges two elements with memory.
func runDSExchange2(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	addr := w.register(o.src[0].off, 0)
	for _, lane := range w.active() {
		l := int(lane & 63)
		var a [2]uint32
		var data, old [2]uint64
		for e := range a {
			a[e] = addr[l] + x.off[e]
			if a[e]&uint32(x.bytes-1) != 0 {
				w.misalignedLDS(o, l, a[e])
				return
			}
			data[e] = w.element(&o.src[1+e], x.dwords, l)
			if a[e] >= top {
				continue
			}
			if old[e] = uint64(*dword(p, a[e])); x.dwords > 1 {
				old[e] = *qword(p, a[e])
			}
		}
		for e := range a {
			w.setElement(&o.dst, e*int(x.dwords), x.dwords, l, old[e])
			switch {
			case a[e] >= top:
			case x.dwords > 1:
				*qword(p, a[e]) = data[e]
			default:
				*dword(p, a[e]) = uint32(data[e])
			}
		}
	}
}

// src2Addresses returns the addresses of both operands of an instruction whose
// second operand is in memory. The distance in dwords is the offset field, or
// the upper bits of the address register if bit 15 of the offset is set.
func (x *dsInfo) src2Addresses(addr uint32) (a, b uint32) {
	off := x.off[0]
	dwords := int32(int16(off<<1)) >> 1
	if off&0x8000 != 0 {
		dwords = int32(addr) >> 17
		addr &= 0x1ffff
	}
	align := -uint32(x.bytes)
	a = addr & align
	return a, (a + uint32(dwords)*4) & align
}

// runDSSrc2 updates a value with another operand in memory.
func runDSSrc2(w *wave, o *op) {
	x := o.ds
	p, size := w.share(x)
	top := room(size, uint32(x.bytes))
	ctx := w.quietCtx()
	addr := w.register(o.src[0].off, 0)
	for _, l := range w.active() {
		a, b := x.src2Addresses(addr[l&63])
		if a >= top {
			continue
		}
		data := uint64(0)
		if x.bytes == 4 {
			if b < top {
				data = uint64(*dword(p, b))
			}
			*dword(p, a) = uint32(x.fn(ctx, uint64(*dword(p, a)), data, 0))
			continue
		}
		if b < top {
			data = *qword(p, b)
		}
		*qword(p, a) = x.fn(ctx, *qword(p, a), data, 0)
	}
}
