package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// sdwaInfo describes which bytes of its operands an SDWA instruction accesses.
// Source: AMD's ISA documents, "SDWA".
type sdwaInfo struct {
	sel    [2]subDword
	dst    subDword
	half   bool  // 16-bit result
	unused uint8 // rest of the destination: 0 zeroed, 1 sign-extended, 2 preserved
}

// subDword selects a byte, a word or all of a register.
type subDword struct {
	shift, bits uint8
	sext        bool
}

// sdwaSels lists the selections by number: BYTE_0 to BYTE_3, WORD_0, WORD_1,
// DWORD.
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

// selectSource extracts the selected bytes of source i from src to t and
// returns a pointer to the result.
func (s *sdwaInfo) selectSource(i int, t, src *uint32, n int) *uint32 {
	sel := s.sel[i]
	if sel.bits == 32 {
		return src
	}
	lanes.Field(t, src, 32-sel.shift-sel.bits, 32-sel.bits, sel.sext, n)
	return t
}

// writeResult writes results to the selected bytes of the destination.
func (s *sdwaInfo) writeResult(d, out *uint32, exec uint64, n int) {
	if s.half && s.dst.bits == 32 {
		lanes.Bits(out, out, 0, 0xffff, 0, n)
	}
	mask := ^uint32(0) >> (32 - s.dst.bits) << s.dst.shift
	switch s.unused {
	case isa.SDWAUnusedPreserve:
		lanes.Merge(d, out, exec, s.dst.shift, ^mask, n)
		return
	case 1:
		lanes.Field(out, out, 32-s.dst.bits, 32-s.dst.bits, true, n)
	default:
		lanes.Field(out, out, 32-s.dst.bits, 32-s.dst.bits, false, n)
	}
	lanes.Merge(d, out, exec, s.dst.shift, 0, n)
}
