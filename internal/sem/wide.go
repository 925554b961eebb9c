package sem

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// WideFunc computes a result of any number of dwords. The slices hold the
// dwords of one lane. dst does not overlap the sources.
type WideFunc func(c *Ctx, dst []uint32, src *[3][]uint32)

// WideRow is an operation with an operand of more than two dwords, other than
// a matrix.
type WideRow struct {
	Name string
	Dst  int    // dwords of the result
	Src  [3]int // dwords of the sources
	Fn   WideFunc

	// Scaled is the size in bits of the elements of v_cvt_scale_pk, otherwise
	// 0. The second source of Fn is then the scale that ScaleSource selects.
	Scaled int
}

// WideOf returns the row of an instruction, or nil.
func WideOf(op isa.Op) *WideRow { return wideIndex.Get()[op] }

var wideIndex = lazy.Value[map[isa.Op]*WideRow]{Make: func() map[isa.Op]*WideRow {
	names := map[string]*WideRow{}
	rows := wideRows()
	for i := range rows {
		names[rows[i].Name] = &rows[i]
	}
	ops := map[isa.Op]*WideRow{}
	for e := range isa.Enc(isa.NumEncs()) {
		if r := names[e.Name()]; r != nil {
			ops[e.Op()] = r
		}
	}
	return ops
}}

// wideRows lists the operations of gfx1250.
func wideRows() []WideRow {
	rows := []WideRow{
		{Name: "v_perm_pk16_b4_u4", Dst: 2, Src: [3]int{1, 1, 2}, Fn: permute16(4)},
		{Name: "v_perm_pk16_b6_u4", Dst: 3, Src: [3]int{1, 2, 2}, Fn: permute16(6)},
		{Name: "v_perm_pk16_b8_u4", Dst: 4, Src: [3]int{2, 2, 2}, Fn: permute16(8)},
	}
	for small := range SmallE5M3 {
		for _, t := range []Type{F32, F16, BF16} {
			rows = append(rows, scaledRows(small, t)...)
		}
	}
	return rows
}

// scaledRows returns the conversions between a small format and a type.
func scaledRows(small Small, t Type) []WideRow {
	n, pack := 8, "pk8_"
	if small.Bits() == 6 {
		n, pack = 16, "pk16_"
	}
	s, w := ocpFormats[small].name, typeNames[t]
	few, many := n*small.Bits()/32, n*t.Bits()/32
	return []WideRow{
		{Name: "v_cvt_scale_" + pack + w + "_" + s, Dst: many, Src: [3]int{few, 1}, Fn: widenScaled(small, formatOf[t]), Scaled: small.Bits()},
		{Name: "v_cvt_scalef32_" + pack + s + "_" + w, Dst: few, Src: [3]int{many, 1}, Fn: narrowScaled(small, formatOf[t])},
		{Name: "v_cvt_scalef32_sr_" + pack + s + "_" + w, Dst: few, Src: [3]int{many, 1, 1}, Fn: narrowStochastic(small, formatOf[t])},
	}
}

// typeNames lists the names of float types in instruction names.
var typeNames = [...]string{F16: "f16", BF16: "bf16", F32: "f32"}

// ScaleSource returns the lane that holds the scale of a lane's elements of the
// given size, and the byte of its register. sel is the scale_sel modifier.
//
// The scales of lane n and of lane n+16 are in one lane, the n-th one of the
// half that the highest bit of sel selects, and the lowest bit selects blocks
// of 16 elements, otherwise of 32. Source: LLVM, the operation
// amdgpu.scaled_ext_packed_matrix and its conversion to ROCDL.
func ScaleSource(bits int, sel uint8, lane int) (from, part int) {
	upper := lane >> 4 & 1
	blocks16 := sel&1 != 0
	if bits == 8 {
		part = int(sel >> 1 & 3)
		if blocks16 {
			part += upper
		}
		return lane&15 | int(sel>>3&1)<<4, part & 3
	}
	part = int(sel>>1&1)*2 + upper
	if blocks16 {
		part = int(sel>>1&1) + 2*upper
	}
	return lane&15 | int(sel>>2&1)<<4, part
}

// packed returns element i of a list of elements with the given size.
func packed(v []uint32, size, i int) uint32 { return getBits(v, i*size, size) }

// putPacked sets element i.
func putPacked(v []uint32, size, i int, x uint32) { setBits(v, i*size, size, x) }

func widenScaled(small Small, f *format) WideFunc {
	size := f.typ.Bits()
	return func(c *Ctx, dst []uint32, src *[3][]uint32) {
		for i := range len(dst) * 32 / size {
			v := small.widen(c, f, uint8(packed(src[0], small.Bits(), i)), uint8(src[1][0]))
			putPacked(dst, size, i, uint32(v))
		}
	}
}

// exponent32 returns the exponent field of an f32, all that a scale consists of.
func exponent32(v uint32) uint8 { return uint8(v >> 23) }

func narrowScaled(small Small, f *format) WideFunc {
	size := f.typ.Bits()
	return func(c *Ctx, dst []uint32, src *[3][]uint32) {
		for i := range len(dst) * 32 / small.Bits() {
			v := uint64(packed(src[0], size, i))
			putPacked(dst, small.Bits(), i, uint32(small.narrow(c, f, v, exponent32(src[1][0]), smallRounding{})))
		}
	}
}

// narrowStochastic has a seed as the second source. Each element has a seed of
// its own. Source: CDNA 4 ISA, V_CVT_SCALEF32_SR_PK32_FP6_F32.
func narrowStochastic(small Small, f *format) WideFunc {
	size := f.typ.Bits()
	return func(c *Ctx, dst []uint32, src *[3][]uint32) {
		seed := src[1][0]
		for i := range len(dst) * 32 / small.Bits() {
			v := uint64(packed(src[0], size, i))
			putPacked(dst, small.Bits(), i, uint32(small.narrow(c, f, v, exponent32(src[2][0]), smallRounding{stochastic: true, seed: seed})))
			seed = nextSeed(seed)
		}
	}
}

// permute16 looks up sixteen 4-bit indices in a table of elements. The second
// source is the table's lower part. Source: AMD's CDNA 5 ISA,
// V_PERM_PK16_B4_U4.
func permute16(size int) WideFunc {
	return func(_ *Ctx, dst []uint32, src *[3][]uint32) {
		var table [5]uint32
		n := copy(table[:], src[1])
		copy(table[n:], src[0])
		for i := range 16 {
			putPacked(dst, size, i, packed(table[:], size, int(packed(src[2], 4, i))))
		}
	}
}
