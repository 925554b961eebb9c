package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// sdwaInfo says which bytes of operands an SDWA instruction takes. Source: AMD's
// ISA documents, "SDWA".
type sdwaInfo struct {
	sel    [2]subDword
	dst    subDword
	half   bool  // the result has 16 bits
	unused uint8 // 0: the rest of the destination is 0, 1: its sign, 2: kept
}

// subDword is a byte, a word or the whole of a register.
type subDword struct {
	shift, bits uint8
	sext        bool
}

// sdwaSels are the selections by their number: BYTE_0 to BYTE_3, WORD_0, WORD_1, DWORD.
var sdwaSels = [8]subDword{{0, 8, false}, {8, 8, false}, {16, 8, false}, {24, 8, false}, {0, 16, false}, {16, 16, false}, {0, 32, false}, {0, 32, false}}

func (o *op) bindSDWA() {
	in := &o.in
	s := &sdwaInfo{dst: sdwaSels[6], unused: isa.SDWAUnusedPreserve}
	s.sel[0] = sdwaSels[in.Field(isa.FieldSrc0Sel)]
	s.sel[1] = sdwaSels[6]
	if in.HasField(isa.FieldSrc1Sel) {
		s.sel[1] = sdwaSels[in.Field(isa.FieldSrc1Sel)]
	}
	if o.dst.kind == inVGPR && in.HasField(isa.FieldDstSel) && in.Enc.Form() != isa.VOPC {
		s.dst, s.unused = sdwaSels[in.Field(isa.FieldDstSel)], uint8(in.Field(isa.FieldDstUnused))
	}
	for i := range s.sel {
		s.sel[i].sext = o.src[i].mods&modSext != 0
		o.src[i].mods &^= modSext
		o.src[i].shift = 0
	}
	o.flags &^= flagKeepHalf
	s.half = o.dtype.Bits() == 16
	o.sdwa = s
}

// selectSource takes the bytes of source i out of src.
func (s *sdwaInfo) selectSource(i int, t, src *[128]uint32, lanes int) {
	sel := s.sel[i]
	up := 32 - sel.bits
	for l := range lanes {
		v := src[l] >> sel.shift << up
		if sel.sext {
			t[l] = uint32(int32(v) >> up)
		} else {
			t[l] = v >> up
		}
	}
}

// writeResult puts results into their bytes of the destination.
func (s *sdwaInfo) writeResult(d, out *[128]uint32, exec uint64) {
	mask := uint32(1<<s.dst.bits - 1)
	if s.dst.bits == 32 {
		mask = ^uint32(0)
	}
	up := 32 - s.dst.bits
	for m := exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		r := out[l]
		if s.half {
			r &= 0xffff
		}
		v := r & mask << s.dst.shift
		switch s.unused {
		case 1:
			v |= uint32(int32(r<<up)>>up) << s.dst.shift
		case isa.SDWAUnusedPreserve:
			v |= d[l] &^ (mask << s.dst.shift)
		}
		d[l] = v
	}
}
