package analysis

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// callAttrs returns the attributes at a place (the call itself, its result or
// an argument) of a call and of the called function.
func callAttrs(f *ir.Function, v ir.Value, place int) (call, callee ir.AttrSet) {
	m := f.Module()
	call = m.AttrsAt(f.CallAttrs(v), place)
	if g := f.CalledFunction(v); g != nil {
		callee = m.AttrsAt(g.Attributes, place)
	}
	return call, callee
}

// callHasAttr reports whether a call or the called function has an attribute.
func callHasAttr(f *ir.Function, v ir.Value, place int, k ir.AttrKind) bool {
	call, callee := callAttrs(f, v, place)
	return f.Module().HasAttr(call, k) || f.Module().HasAttr(callee, k)
}

// callAttr returns an attribute of a call or of the called function.
func callAttr(f *ir.Function, v ir.Value, place int, k ir.AttrKind) (ir.Attr, bool) {
	call, callee := callAttrs(f, v, place)
	if a, ok := f.Module().Attr(call, k); ok {
		return a, true
	}
	return f.Module().Attr(callee, k)
}

// callBits handles calls: range attributes and metadata, intrinsics, and
// returned arguments.
func callBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	m := f.Module()
	r := rangeMetadataBits(f, v, width)
	if call := m.AttrsAt(f.CallAttrs(v), ir.AttrResult); call != 0 {
		r = r.join(rangeAttrBits(m, call, width))
	}
	id := ir.NoIntrinsic
	if g := f.CalledFunction(v); g != nil {
		id = g.Intrinsic
		if callee := m.AttrsAt(g.Attributes, ir.AttrResult); callee != 0 {
			r = r.join(rangeAttrBits(m, callee, width))
		}
	}
	if row := knownIntrinsic(id); row != nil {
		if b := row(f, v, width, depth); b.Width == width {
			r = r.join(b)
		}
	} else if a := returnedArg(f, v); a != ir.None {
		if b := knownBits(f, a, depth); b.Width == width {
			r = r.join(b)
		}
	}
	return r
}

// returnedArg returns the argument that is the result of a call (attribute
// returned), or None.
func returnedArg(f *ir.Function, v ir.Value) ir.Value {
	args := f.Args(v)
	for i, o := range args {
		if callHasAttr(f, v, ir.AttrParams+i, ir.AttrReturned) && f.TypeOf(o.Value) == f.TypeOf(v) {
			return o.Value
		}
	}
	return ir.None
}

// knownRows lists the functions for intrinsics and the index of each
// intrinsic's function. Index 0 holds nil, for intrinsics without a function.
type knownRows struct {
	at   [ir.NumIntrinsics]uint8
	rows []knownFunc
}

var knownIntrinsics lazy.Value[*knownRows]

// knownIntrinsic returns the known-bits function of an intrinsic, or nil.
func knownIntrinsic(id ir.Intrinsic) knownFunc {
	k := knownIntrinsics.From(makeKnownIntrinsics)
	return k.rows[k.at[id]]
}

func makeKnownIntrinsics() *knownRows {
	k := &knownRows{rows: []knownFunc{nil}}
	for id, row := range intrinsicBits() {
		k.at[id] = uint8(len(k.rows))
		k.rows = append(k.rows, row)
	}
	return k
}

func intrinsicBits() map[ir.Intrinsic]knownFunc {
	return map[ir.Intrinsic]knownFunc{
		ir.IntrCtpop: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			b := knownBits(f, f.Operand(v, 0), depth)
			return inRange(uint64(bits.OnesCount64(b.One)), uint64(width-bits.OnesCount64(b.Zero)), width)
		},
		ir.IntrCtlz: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			b := knownBits(f, f.Operand(v, 0), depth)
			return inRange(uint64(b.LeadingZeros()), uint64(min(width, width-bits.Len64(b.One))), width)
		},
		ir.IntrCttz: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			b := knownBits(f, f.Operand(v, 0), depth)
			return inRange(uint64(b.TrailingZeros()), uint64(min(width, bits.TrailingZeros64(b.One))), width)
		},
		ir.IntrBitreverse: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			b := knownBits(f, f.Operand(v, 0), depth)
			s := 64 - width
			return Bits{bits.Reverse64(b.Zero) >> s, bits.Reverse64(b.One) >> s, width}
		},
		ir.IntrBswap: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			b := knownBits(f, f.Operand(v, 0), depth)
			s := 64 - width
			return Bits{bits.ReverseBytes64(b.Zero) >> s, bits.ReverseBytes64(b.One) >> s, width}
		},
		ir.IntrUmin: binaryBits(func(a, c Bits) Bits {
			return a.meet(c).join(inRange(min(a.Min(), c.Min()), min(a.Max(), c.Max()), a.Width))
		}),
		ir.IntrUmax: binaryBits(func(a, c Bits) Bits {
			return a.meet(c).join(inRange(max(a.Min(), c.Min()), max(a.Max(), c.Max()), a.Width))
		}),
		ir.IntrSmin:    binaryBits(Bits.meet),
		ir.IntrSmax:    binaryBits(smaxBits),
		ir.IntrUsubSat: binaryBits(func(a, c Bits) Bits { return below(a.Max(), a.Width) }),
		ir.IntrAbs:     absBits,
		ir.IntrFshl:    funnelBits, ir.IntrFshr: funnelBits,
		ir.IntrPtrmask: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			a, c := both(f, v, depth)
			return Bits{a.Zero | c.Zero, a.One & c.One, width}
		},
		ir.IntrAMDGCNWorkitemIdX: workitemBits, ir.IntrAMDGCNWorkitemIdY: workitemBits, ir.IntrAMDGCNWorkitemIdZ: workitemBits,
		ir.IntrAMDGCNWavefrontsize: func(f *ir.Function, v ir.Value, width, depth int) Bits {
			return Bits{Zero: lowMask(width) &^ 0x60, Width: width}
		},
		ir.IntrAMDGCNMbcntLo: mbcntBits, ir.IntrAMDGCNMbcntHi: mbcntBits,
		ir.IntrAMDGCNUbfe: bitfieldBits,
		// These move a value between lanes, so the bits known in all lanes are
		// preserved.
		ir.IntrAMDGCNReadfirstlane: sameWidth, ir.IntrAMDGCNReadlane: sameWidth, ir.IntrAMDGCNPermlane64: sameWidth,
		ir.IntrAMDGCNWqm: sameWidth, ir.IntrAMDGCNStrictWwm: sameWidth, ir.IntrAMDGCNStrictWqm: sameWidth,
		ir.IntrAMDGCNMulU24: binaryBits(func(a, c Bits) Bits {
			return mulBits(a.truncate(24).extend(a.Width, false), c.truncate(24).extend(c.Width, false))
		}),
	}
}

func smaxBits(a, c Bits) Bits {
	r := a.meet(c)
	if a.NonNegative() || c.NonNegative() {
		r = r.join(Bits{Zero: 1 << (a.Width - 1), Width: a.Width})
	}
	return r
}

func absBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	b := knownBits(f, f.Operand(v, 0), depth)
	if b.NonNegative() {
		return b
	}
	r := Bits{Zero: lowMask(b.TrailingZeros()), Width: width}
	if x, ok := f.Module().IntValue(f.Operand(v, 1)); ok && x != 0 {
		r.Zero |= 1 << (width - 1)
	}
	return r
}

// workitemBits uses that a work-item ID is less than the work-group size.
func workitemBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	dim := int(f.CalledIntrinsic(v) - ir.IntrAMDGCNWorkitemIdX)
	wg := workGroupOf(f, 64)
	return below(wg.maxID(dim), width)
}

// mbcntBits uses that at most 32 is added to the second operand.
func mbcntBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	b := knownBits(f, f.Operand(v, 1), depth)
	if most := b.Max() + 32; most <= lowMask(width) {
		return inRange(b.Min(), most, width)
	}
	return Bits{Width: width}
}

// bitfieldBits uses the length of the extracted field.
func bitfieldBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	n := knownBits(f, f.Operand(v, 2), depth)
	if !n.IsConst() || width != 32 {
		return Bits{Width: width}
	}
	return below(lowMask(int(n.One&31)), width)
}

// funnelBits handles llvm.fshl and llvm.fshr by a constant amount.
func funnelBits(f *ir.Function, v ir.Value, width, depth int) Bits {
	n := knownBits(f, f.Operand(v, 2), depth)
	if !n.IsConst() {
		return Bits{Width: width}
	}
	a, c := both(f, v, depth)
	s := int(n.One % uint64(width))
	if f.CalledIntrinsic(v) == ir.IntrFshr {
		if s == 0 {
			return c
		}
		s = width - s
	}
	if s == 0 {
		return a
	}
	hi, lo := shiftBits(ir.OpShl, a, s), shiftBits(ir.OpLShr, c, width-s)
	return Bits{hi.Zero & lo.Zero, hi.One | lo.One, width}
}
