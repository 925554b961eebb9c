package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// dppInfo describes the lane permutation of source 0. Source: AMD's ISA
// documents, "DPP".
type dppInfo struct {
	from  [64]uint32 // source lane of each lane
	has   uint64     // lanes with a valid source lane
	write uint64     // lanes enabled by row_mask and bank_mask
	zero  bool       // bound_ctrl: a lane without a source reads 0 (otherwise it is not written)
	fetch bool       // fi: inactive lanes can be read
	eight bool       // DPP8: an inactive lane reads as 0
}

// bindDPP decodes a DPP16 or DPP8 dword.
func (o *op) bindDPP() {
	d := &dppInfo{write: ^uint64(0)}
	o.dpp = d
	in := &o.in
	lanes := int(in.Wave)
	d.fetch = in.FetchInactive() != 0
	if v := in.Enc.Variant(); v == isa.DPP8 || v == isa.DPP864 {
		sel := in.Field(isa.FieldDpp8)
		d.eight, d.zero = true, true
		for l := range lanes {
			d.setSource(l, l&^7|int(sel>>(l&7*3)&7))
		}
		return
	}
	d.zero = in.BoundCtrl() != 0
	ctrl := in.Field(isa.FieldDppCtrl)
	row, bank := in.Field(isa.FieldRowMask), in.Field(isa.FieldBankMask)
	for l := range lanes {
		if row>>(l/16&3)&1 == 0 || bank>>(l/4&3)&1 == 0 {
			d.write &^= 1 << l
		}
		d.setSource(l, dppLane(ctrl, l, lanes))
	}
}

// dppLane returns the source lane of lane l for a dpp_ctrl value, or -1 for
// none.
func dppLane(ctrl uint32, l, lanes int) int {
	row, i := l&^15, l&15
	n := int(ctrl & 15)
	inRow := func(j int) int {
		if j < 0 || j > 15 {
			return -1
		}
		return row | j
	}
	switch {
	case ctrl <= 0xff: // quad_perm
		return l&^3 | int(ctrl>>(l&3*2)&3)
	case ctrl >= 0x101 && ctrl <= 0x10f: // row_shl
		return inRow(i + n)
	case ctrl >= 0x111 && ctrl <= 0x11f: // row_shr
		return inRow(i - n)
	case ctrl >= 0x121 && ctrl <= 0x12f: // row_ror
		return row | (i-n)&15
	case ctrl == 0x130: // wave_shl
		if l+1 < lanes {
			return l + 1
		}
		return -1
	case ctrl == 0x134: // wave_rol
		return (l + 1) & (lanes - 1)
	case ctrl == 0x138: // wave_shr
		return l - 1
	case ctrl == 0x13c: // wave_ror
		return (l - 1) & (lanes - 1)
	case ctrl == 0x140: // row_mirror
		return row | 15 - i
	case ctrl == 0x141: // row_half_mirror
		return l&^7 | 7 - l&7
	case ctrl == 0x142: // row_bcast:15: the last lane of each row to the next row
		if l < 16 {
			return -1
		}
		return row - 1
	case ctrl == 0x143: // row_bcast:31
		if l < 32 {
			return -1
		}
		return 31
	case ctrl >= 0x150 && ctrl <= 0x15f: // row_share, row_newbcast
		return row | n
	case ctrl >= 0x160 && ctrl <= 0x16f: // row_xmask
		return row | i ^ n
	}
	return -1
}

// setSource sets the source lane of lane l; -1 means none.
func (d *dppInfo) setSource(l, from int) {
	if from >= 0 {
		d.from[l] = uint32(from)
		d.has |= 1 << l
	}
}

// permute applies the lane permutation to source 0. It returns the lanes to
// write and the permuted source.
func (w *wave) permute(o *op, p *uint32, exec uint64) (write uint64, moved *uint32) {
	d, n := o.dpp, w.lanes
	write = exec & d.write
	valid := write & d.has
	if !d.fetch && exec != w.all {
		for m := valid; m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m) & 63
			if exec>>d.from[l]&1 == 0 {
				valid &^= 1 << l
			}
		}
	}
	if !d.zero {
		write = valid
	}
	moved = &w.moved[0]
	lanes.Take(moved, p, &d.from, valid, n)
	if o.src[0].dwords > 1 {
		lanes.Take(lane(moved, n), lane(p, n), &d.from, valid, n)
	}
	return write, moved
}
