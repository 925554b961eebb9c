package sim

import "math/bits"

// touchDS tells the checks what a DS instruction is about to touch: the one place where lane, address, size
// and kind of each access are known.
func (w *wave) touchDS(o *op) {
	x := o.ds
	if x.kind == dsNone || x.gds {
		return
	}
	if x.uniform {
		w.touchLDS(-1, w.uniformAddress(x), uint32(x.bytes), x.kind)
		return
	}
	addr := w.register(o.src[0].off, 0)
	for lanes := w.exec(); lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		switch {
		case x.src2:
			a, b := x.src2Addresses(addr[l])
			w.touchLDS(l, b, uint32(x.bytes), dsRead)
			w.touchLDS(l, a, uint32(x.bytes), x.kind)
		case x.addtid:
			w.touchLDS(l, x.off[0]+w.m0()&0xffff+uint32(l)*4, 4, x.kind)
		default:
			for e := range int(x.count) {
				w.touchLDS(l, (addr[l]+x.off[e])&x.mask, uint32(x.bytes), x.kind)
			}
		}
	}
}

// touchLDS is where checks of LDS accesses go: a lane touches some bytes of its work-group's
// LDS, which may be out of range; lane is -1 for an access of the whole wave.
func (w *wave) touchLDS(lane int, addr, size uint32, kind dsKind) {}
