package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Buffer accesses with format conversion. The format is specified by the
// instruction (MTBUF) or by the resource.

// bindFormat records the register layout of a converting instruction's
// components.
func (o *op) bindFormat(d *Device, n *isa.Memory) {
	in, b := &o.in, o.mem.buf
	b.format, b.comps, b.regs = true, n.Comps, n.Comps
	b.formats = image.FormatsOf(in.Set)
	if p := reguse.FindOperand(in, isa.FieldVdata); p != nil {
		b.regs = max(in.Operand(p).Dwords, 1)
	}
	b.packed = n.D16 && b.regs < n.Comps
	if in.Enc.Form() == isa.MTBUF {
		b.typed = b.formatOf(in.Field(isa.FieldFormat))
	}
}

// formatOf returns the format with a number, which is a data format and a number
// format before gfx10.
func (b *bufferInfo) formatOf(v uint32) *image.Format {
	if b.rules <= rulesGFX9 {
		return b.formats.Split(v&15, v>>4&7)
	}
	return b.formats.Get(v & 127)
}

// resourceFormat returns the format specified by a resource's last dword.
func (b *bufferInfo) resourceFormat(word3 uint32) *image.Format {
	v := word3 >> 12 & 0x7f
	switch b.rules {
	case rulesGFX6, rulesGFX8, rulesGFX9:
		v = isa.EncodeDfmtNfmt(word3>>15&15, word3>>12&7)
	case rulesGFX11:
		v &= 0x3f
	}
	return b.formatOf(v)
}

// formatLanes executes an access with format conversion. A resource without a
// format is unbound: loads return 0 and stores are dropped.
func formatLanes(w *wave, m *memInfo, lanes uint64) {
	b := m.buf
	r := w.resource(m)
	f, sel := b.resourceFormat(r.word3), r.word3&0xfff
	bound := f.Bytes > 0
	if b.typed != nil {
		f, sel = b.typed, image.IdentitySelect
	}
	bound = bound && f.Bytes > 0
	w.mem.raw = memInfo{bytes: f.Bytes, store: m.store, buf: b, offset: m.offset, data: -1,
		vaddr: m.vaddr, vdwords: m.vdwords, saddr: -1, low: lowBits(b, f), weak: m.weak}
	raw := &w.mem.raw
	raw.bindAccess()
	if m.store {
		if bound {
			w.convertStore(m, f, sel, lanes)
			w.bufferMove(raw, &r, lanes, 1, uint32(f.Bytes), w.mem.stage[:])
		}
		return
	}
	clear(w.mem.stage[:])
	if bound {
		w.bufferMove(raw, &r, lanes, 1, uint32(f.Bytes), w.mem.stage[:])
	}
	if w.fault != nil {
		return
	}
	w.convertLoad(m, f, sel, lanes)
	if m.tfe {
		w.clearStatus(m, lanes)
	}
}

// lowBits returns the low bits of addresses that a conversion of format f
// ignores.
func lowBits(b *bufferInfo, f *image.Format) uint8 {
	if b.unaligned || f.Bytes == 0 {
		return 0
	}
	return min(f.Bytes, 4) - 1
}

// convertLoad converts the data in w.mem.stage and writes it to registers.
func (w *wave) convertLoad(m *memInfo, f *image.Format, sel uint32, lanes uint64) {
	b := m.buf
	d := w.lanesAt(m.data)
	if m.lds {
		d = w.mem.conv[:]
	}
	n := w.lanes
	rest := lanes
	if m.d16 == 0 && f.Widths[0] == 32 {
		w.selectDwords(m, f, sel, lanes, d)
		rest = 0
	}
	for ; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		raw := image.Raw{w.mem.stage[l], w.mem.stage[n+l], w.mem.stage[2*n+l], w.mem.stage[3*n+l]}
		c := f.Unpack(&raw)
		for i := range int(b.comps) {
			putComponent(f, m, d, i, l, n, f.Choose(&c, sel>>(3*i)&7))
		}
	}
	if m.lds {
		copy(w.mem.stage[:], w.mem.conv[:n])
		w.stageToLDS(m, lanes, lanes)
	}
}

// selectDwords implements convertLoad for 32-bit components, which need no
// conversion. Components that the format lacks are 0 in w.mem.stage.
func (w *wave) selectDwords(m *memInfo, f *image.Format, sel uint32, lanes uint64, d []uint32) {
	list := w.laneList(lanes)
	none := image.Texel{}
	for i := range int(m.buf.comps) {
		to := (*[64]uint32)(d[i*w.lanes:])
		k := sel >> (3 * i) & 7
		if k < 4 {
			v := f.Choose(&none, k)
			for _, l := range list {
				to[l&63] = v
			}
			continue
		}
		from := w.mem.stage[int(k-4)*w.lanes:]
		for _, l := range list {
			to[l&63] = from[l]
		}
	}
}

// putComponent writes component i of a lane to its register or to one half of
// it.
func putComponent(f *image.Format, m *memInfo, d []uint32, i, l, lanes int, v uint32) {
	if m.d16 == 0 {
		d[i*lanes+l] = v
		return
	}
	switch {
	case f.Num.Integer():
		v &= 0xffff
	case f.Num == image.Float && f.Widths[0] == 32:
		v = image.CutHalf(v)
	default:
		v = image.PackHalf(v)
	}
	b := m.buf
	reg := &d[i*lanes+l]
	if b.packed {
		reg = &d[i/2*lanes+l]
	}
	keep := *reg
	if m.clear16 && (i&1 == 0 || !b.packed) {
		keep = 0
	}
	switch {
	case m.d16 == 2 || b.packed && i&1 != 0:
		*reg = keep&0xffff | v<<16
	case b.comps > 1 && !b.packed:
		*reg = v
	default:
		*reg = keep&^0xffff | v
	}
}

// convertStore converts register data and writes it to w.mem.stage. It inverts
// the component selection. Components that the instruction lacks are copies of
// the first.
func (w *wave) convertStore(m *memInfo, f *image.Format, sel uint32, lanes uint64) {
	b := m.buf
	d := w.lanesAt(m.data)
	n := w.lanes
	var from [4]int8
	for i := range from {
		from[i] = -1
		for k := 3; k >= 0; k-- {
			if sel>>(3*k)&7 == uint32(i)+4 {
				from[i] = int8(k)
			}
		}
		if int(from[i]) >= int(b.comps) {
			from[i] = 0
		}
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		var c image.Texel
		for i, k := range from {
			if k >= 0 {
				c[i] = component(f, m, d, int(k), l, n)
			}
		}
		raw := f.Pack(&c)
		for i, v := range raw {
			w.mem.stage[i*n+l] = v
		}
	}
}

// component reads component i of a lane from its register or from one half of
// it.
func component(f *image.Format, m *memInfo, d []uint32, i, l, lanes int) uint32 {
	if m.d16 == 0 {
		return d[i*lanes+l]
	}
	v := d[i*lanes+l]
	if m.buf.packed {
		v = d[i/2*lanes+l] >> (i & 1 * 16)
	} else if m.d16 == 2 {
		v >>= 16
	}
	v &= 0xffff
	switch f.Num {
	case image.Uint:
		return v
	case image.Sint:
		return uint32(int32(int16(v)))
	}
	return image.UnpackHalf(v)
}
