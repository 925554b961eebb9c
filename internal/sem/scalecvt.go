package sem

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// ScaleConvert is a conversion between floats of 4, 6 or 8 bits and wider ones,
// with a scale: v_cvt_scalef32_*. The scale is the exponent of an f32. A wide
// number is the small one times the scale.
//
// The numbers of a register are packed from bit 0 on. Numbers of 4 and 6 bits
// have no infinities and NaNs: larger numbers, infinities and NaNs become the
// largest number. 8-bit and f16 results obey MODE.FP16_OVFL. Results are rounded
// to nearest even. Stochastic rounding adds the highest bits of a seed below the
// last bit kept, and truncates.
//
// Sources: CDNA 4 ISA, the descriptions of the instructions; for rounding and
// special values, AMD's emulation of the instructions in HIP's headers
// (amd_hip_ocp_host.hpp).
type ScaleConvert struct {
	Name       string
	Count      int  // numbers converted
	Widen      bool // from the small format
	Stochastic bool // a seed follows the data
	Pair       bool // the wide numbers are in two sources, alternating
	Part       bool // the result replaces a part of the destination
	WideBits   int  // size of a wide number
	SmallBits  int  // size of a small number

	wide  *format
	small Small
}

// wideFormat returns the format of a name in instruction names, or nil.
func wideFormat(name string) *format {
	switch name {
	case "f16":
		return &half
	case "bf16":
		return &bfloat
	case "f32":
		return &single
	}
	return nil
}

// ScaleConvertOf returns the conversion of an instruction, or nil.
func ScaleConvertOf(op isa.Op) *ScaleConvert { return scaleConverts.Get()[op] }

var scaleConverts = lazy.Value[map[isa.Op]*ScaleConvert]{Make: func() map[isa.Op]*ScaleConvert {
	ops := map[isa.Op]*ScaleConvert{}
	for e := range isa.Enc(isa.NumEncs()) {
		if x := parseScaleConvert(e.Name()); x != nil {
			ops[e.Op()] = x
		}
	}
	return ops
}}

// parseScaleConvert parses a name: v_cvt_scalef32, sr for stochastic rounding,
// the packing, and the types of the result and of the source.
func parseScaleConvert(name string) *ScaleConvert {
	rest, ok := strings.CutPrefix(name, "v_cvt_scalef32_")
	if !ok {
		return nil
	}
	x := &ScaleConvert{Name: name, Count: 1}
	rest, x.Stochastic = strings.CutPrefix(rest, "sr_")
	for _, p := range [...]struct {
		prefix string
		count  int
	}{{"2xpk16_", 32}, {"pk32_", 32}, {"pk_", 2}} {
		if rest, ok = strings.CutPrefix(rest, p.prefix); ok {
			x.Count = p.count
			x.Pair = p.prefix == "2xpk16_"
			break
		}
	}
	to, from, _ := strings.Cut(rest, "_")
	x.wide = wideFormat(from)
	if x.Widen = x.wide == nil; x.Widen {
		to, from = from, to
		x.wide = wideFormat(from)
	}
	if x.small, ok = smallNamed(to); !ok || x.wide == nil {
		return nil
	}
	x.WideBits, x.SmallBits = x.wide.typ.Bits(), x.small.Bits()
	x.Pair = x.Pair || !x.Widen && !x.Stochastic && x.Count == 2 && x.WideBits == 32
	resultBits := x.Count * x.SmallBits
	if x.Widen {
		resultBits = x.Count * x.WideBits
	}
	x.Part = resultBits < 32
	return x
}

// Run converts the numbers of one lane. dst holds the old value of the
// destination. a is the data; with Pair, b holds every second number. c.OpSel
// selects the part of a register that holds small numbers or a single wide one.
// The slices have at least the lengths of the operands.
func (x *ScaleConvert) Run(c *Ctx, dst, a, b []uint32, seed, scale uint32) {
	e := exponent32(scale)
	if x.Widen {
		from := x.source(c) // in bits
		to := 0
		if x.Part {
			to = int(c.OpSel>>3&1) * 16
		}
		for i := range x.Count {
			v := getBits(a, from+i*x.SmallBits, x.SmallBits)
			setBits(dst, to+i*x.WideBits, x.WideBits, uint32(x.small.widen(c, x.wide, uint8(v), e)))
		}
		return
	}
	to := x.target(c)
	from := 0
	if x.Count == 1 && x.WideBits == 16 {
		from = int(c.OpSel&1) * 16
	}
	for i := range x.Count {
		data, at := a, i
		if x.Pair {
			at = i / 2
			if i&1 != 0 {
				data = b
			}
		}
		v := uint64(getBits(data, from+at*x.WideBits, x.WideBits))
		setBits(dst, to+i*x.SmallBits, x.SmallBits, uint32(x.small.narrow(c, x.wide, v, e, smallRounding{x.Stochastic, seed})))
		seed = nextSeed(seed)
	}
}

// source returns the bit at which the small numbers begin: op_sel selects a
// half for a pair of bytes, otherwise a byte.
func (x *ScaleConvert) source(c *Ctx) int {
	switch x.Count * x.SmallBits {
	case 8:
		return int(c.OpSel&3) * 8
	case 16:
		return int(c.OpSel&1) * 16
	}
	return 0
}

// target returns the bit at which small results begin.
func (x *ScaleConvert) target(c *Ctx) int {
	switch x.Count * x.SmallBits {
	case 8:
		return int(c.OpSel>>2&3) * 8
	case 16:
		return int(c.OpSel>>3&1) * 16
	}
	return 0
}

// getBits returns n bits from a bit of a sequence of dwords on.
func getBits(v []uint32, at, n int) uint32 {
	x := uint64(v[at/32])
	if at%32+n > 32 {
		x |= uint64(v[at/32+1]) << 32
	}
	return uint32(x >> (at % 32) & (1<<n - 1))
}

// setBits replaces n bits from a bit of a sequence of dwords on.
func setBits(v []uint32, at, n int, x uint32) {
	mask, val := uint64(1<<n-1)<<(at%32), uint64(x)<<(at%32)
	v[at/32] = v[at/32]&^uint32(mask) | uint32(val)
	if mask>>32 != 0 {
		v[at/32+1] = v[at/32+1]&^uint32(mask>>32) | uint32(val>>32)
	}
}

// smallNamed returns the format of a name.
func smallNamed(name string) (t Small, ok bool) {
	for i := range ocpFormats {
		if ocpFormats[i].name == name && name != "" {
			return Small(i), true
		}
	}
	return 0, false
}

// stochasticRows lists conversions to 16-bit floats with stochastic rounding,
// whose last source is the destination's old value, and conversions of bf16.
func stochasticRows() []Row {
	return []Row{
		{Name: "v_cvt_sr_f16_f32", Sig: sig(B32, F32, B32, B32), Fn: cvtSr16(F16)},
		{Name: "v_cvt_sr_bf16_f32", Sig: sig(B32, F32, B32, B32), Fn: cvtSr16(BF16)},
		{Name: "v_cvt_f32_bf16", Sig: sig(F32, BF16), Fn: func(_ *Ctx, s0, _, _ uint64) uint64 { return s0 & 0xffff << 16 }},
		{Name: "v_cvt_pk_f16_f32", Sig: sig(B32, F32, F32), Fn: cvtPkNearest(&half)},
		{Name: "v_cvt_pk_bf16_f32", Sig: sig(B32, F32, F32), Fn: cvtPkNearest(&bfloat)},
	}
}

// cvtPkNearest converts two f32, in all modes to the nearest even.
func cvtPkNearest(f *format) Func {
	return func(c *Ctx, s0, s1, _ uint64) uint64 {
		r := c.convertRules(F32, f.typ)
		r.rnd = RoundNearestEven
		return c.convert(&single, f, r, s0) | c.convert(&single, f, r, s1)<<16
	}
}

// cvtSr16 writes the half of the destination that op_sel[3] selects.
func cvtSr16(t Type) Func {
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		shift := c.OpSel >> 3 & 1 * 16
		return s2&^(0xffff<<shift) | c.stochastic(t, s0, uint32(s1))<<shift
	}
}
