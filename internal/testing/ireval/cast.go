package ireval

import (
	"math"
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

func (c *compiler) emitCast(v ir.Value) {
	f := c.f
	in := f.Instr(v)
	x := f.Operand(v, 0)
	c.cast(v, in.Op, in.Flags, x, f.TypeOf(x), in.Type)
}

type castOp struct {
	fast func(o *op, x, y, z uint64) (uint64, uint8)
	wide func(o *op, x, y, z *bigInt) (*bigInt, uint8)
}

func castTrunc(o *op, x, _, _ uint64) (uint64, uint8) {
	r := x & o.mask
	if o.flags&ir.NUW != 0 && r != x || o.flags&ir.NSW != 0 && sx(r, o.rbits) != sx(x, o.bits) {
		return r, poison
	}
	return r, 0
}

func castTruncWide(o *op, x, _, _ *bigInt) (*bigInt, uint8) {
	if o.flags&ir.NUW != 0 && !fitsU(x, o.rbits) || o.flags&ir.NSW != 0 && !fitsS(sbig(x, o.bits), o.rbits) {
		return x, poison
	}
	return x, 0
}

func castZExt(o *op, x, _, _ uint64) (uint64, uint8) {
	if o.flags&ir.NNeg != 0 && sx(x, o.bits) < 0 {
		return x, poison
	}
	return x, 0
}

func castZExtWide(o *op, x, _, _ *bigInt) (*bigInt, uint8) {
	if o.flags&ir.NNeg != 0 && x.Bit(int(o.bits-1)) != 0 {
		return x, poison
	}
	return x, 0
}

// toInt converts a floating-point number to an integer. An out-of-range value
// is poison.
func toInt(signed bool) castOp {
	conv := func(o *op, x uint64) (*bigInt, uint8) {
		n := toBig(math.Trunc(value(o.kind, x)))
		if n == nil || signed && !fitsS(n, o.rbits) || !signed && !fitsU(n, o.rbits) {
			return new(bigInt), poison
		}
		return n, 0
	}
	return castOp{func(o *op, x, _, _ uint64) (uint64, uint8) {
		f := math.Trunc(value(o.kind, x))
		if math.Abs(f) < 1<<31 && o.rbits >= 32 && (signed || f >= 0) {
			return uint64(int64(f)), 0
		}
		n, p := conv(o, x)
		return wrap(n, 64).Uint64(), p
	}, func(o *op, x, _, _ *bigInt) (*bigInt, uint8) { return conv(o, x.Uint64()) }}
}

// resultKind returns the kind of a floating-point result, which is stored in
// o.sub.
func resultKind(o *op) ir.TypeKind { return ir.TypeKind(o.sub) }

func fromInt(signed bool) castOp {
	return castOp{func(o *op, x, _, _ uint64) (uint64, uint8) {
		s := sx(x, o.bits)
		if o.flags&ir.NNeg != 0 && s < 0 {
			return 0, poison
		}
		if signed && s > -1<<24 && s < 1<<24 {
			return round(resultKind(o), float64(s)), 0
		}
		n := new(bigInt).SetUint64(x)
		if signed {
			n = big.NewInt(s)
		}
		return fromBig(resultKind(o), n), 0
	}, func(o *op, x, _, _ *bigInt) (*bigInt, uint8) {
		if o.flags&ir.NNeg != 0 && x.Bit(int(o.bits-1)) != 0 {
			return x, poison
		}
		if signed {
			x = sbig(x, o.bits)
		}
		return new(bigInt).SetUint64(fromBig(resultKind(o), x)), 0
	}}
}

func castFloat(o *op, x, _, _ uint64) (uint64, uint8) {
	f := value(o.kind, x)
	r := round(resultKind(o), f)
	if breaks(o.flags, f) || breaks(o.flags, value(resultKind(o), r)) {
		return r, poison
	}
	return r, 0
}

var castOps = map[ir.Op]castOp{
	ir.OpTrunc: {castTrunc, castTruncWide}, ir.OpZExt: {castZExt, castZExtWide},
	ir.OpSExt: {func(o *op, x, _, _ uint64) (uint64, uint8) { return uint64(sx(x, o.bits)), 0 },
		func(o *op, x, _, _ *bigInt) (*bigInt, uint8) { return sbig(x, o.bits), 0 }},
	ir.OpFPToSI: toInt(true), ir.OpFPToUI: toInt(false), ir.OpSIToFP: fromInt(true), ir.OpUIToFP: fromInt(false),
	ir.OpFPTrunc: {castFloat, nil}, ir.OpFPExt: {castFloat, nil},
	ir.OpPtrToInt: {castZExt, castZExtWide}, ir.OpIntToPtr: {castZExt, castZExtWide}, ir.OpPtrToAddr: {castZExt, castZExtWide},
}

// cast compiles a conversion of x from type from to type t.
func (c *compiler) cast(v ir.Value, op ir.Op, flags ir.Flags, x ir.Value, from, t ir.Type) {
	m := c.mc.m
	switch op {
	case ir.OpBitCast:
		c.bitcast(v, x, from, t)
		return
	case ir.OpAddrSpaceCast:
		c.spaceCast(v, x, from, t)
		return
	}
	o := c.op(v, runElements)
	re, n := c.mc.layout(t).scalarOf()
	se, _ := c.mc.layout(from).scalarOf()
	o.n, o.rbits, o.words, o.mask = n, re.bits, re.words, maskOf(re.bits)
	o.bits, o.kind, o.sub, o.flags = se.bits, se.kind, uint8(re.kind), flags
	o.a = c.slot(x)
	o.b, o.c = o.a, o.a
	if m.IsVector(from) {
		o.step = [3]int32{se.words, se.words, se.words}
	}
	k := castOps[op]
	o.f = k.fast
	if re.words > 1 || se.words > 1 {
		o.run = runWide
		o.x = &extra{bins: k.wide, args: []arg{{0, se.words}}}
	}
}

// bitcast copies words if the elements have the same width, and otherwise bits.
func (c *compiler) bitcast(v, x ir.Value, from, t ir.Type) {
	src, dst := c.mc.layout(from), c.mc.layout(t)
	se, _ := src.scalarOf()
	de, _ := dst.scalarOf()
	if se.bits == de.bits {
		o := c.op(v, runCopy)
		o.a, o.words = c.slot(x), dst.words
		return
	}
	o := c.op(v, runBitCast)
	o.x = &extra{lay: dst, src: src}
	o.a = c.slot(x)
}

func runBitCast(l *lane, o *op) {
	de, n := o.x.lay.scalarOf()
	se, _ := o.x.src.scalarOf()
	pos := int32(0)
	for i := range n {
		for w := range de.words {
			mark, x := uint8(0), uint64(0)
			for b := int32(0); b < min(64, de.bits-64*w); {
				e, off := pos/se.bits, pos%se.bits
				word := o.a + e*se.words + off/64
				k := min(min(64, de.bits-64*w)-b, 64-off%64, se.bits-off)
				x |= l.v[word] >> (off % 64) & maskOf(k) << b
				mark |= l.t[word]
				b, pos = b+k, pos+k
			}
			at := o.dst + i*de.words + w
			l.v[at], l.t[at] = x, mark
		}
		spread(l.t[o.dst+i*de.words:][:de.words])
	}
}

// spread propagates marks to all words of an element.
func spread(t []uint8) {
	mark := uint8(0)
	for _, x := range t {
		mark |= x
	}
	for i := range t {
		t[i] = mark
	}
}

// spaceCast converts addresses between address spaces. Null maps to null; other
// addresses add or drop the aperture.
func (c *compiler) spaceCast(v, x ir.Value, from, t ir.Type) {
	m := c.mc.m
	to, of := m.AddrSpace(t), m.AddrSpace(from)
	o := c.op(v, runElements)
	e, n := c.mc.layout(t).scalarOf()
	o.n, o.mask, o.rbits, o.bits = n, maskOf(e.bits), e.bits, int32(m.Layout().Pointer(of).Bits)
	o.a = c.slot(x)
	o.b, o.c = o.a, o.a
	if m.IsVector(from) {
		o.step = [3]int32{1, 1, 1}
	}
	local := func(s uint32) bool { return s == spaceLDS || s == spaceStack }
	switch {
	case c.mc.host || local(to) == local(of):
		o.f = castZExt
	case local(of):
		o.imm = apertureOf(of)
		o.f = func(o *op, x, _, _ uint64) (uint64, uint8) {
			if x == lowHalf {
				return 0, 0
			}
			return x | o.imm, 0
		}
	default:
		o.f = func(o *op, x, _, _ uint64) (uint64, uint8) {
			if x == 0 {
				return lowHalf, 0
			}
			return x, 0
		}
	}
}

func apertureOf(space uint32) uint64 {
	if space == spaceLDS {
		return ldsAperture
	}
	return stackAperture
}
