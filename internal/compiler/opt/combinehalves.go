package opt

import (
	"math"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// 16-bit results and addresses of image intrinsics, and components of stored data
// that need not be stored (LLVM, AMDGPUInstCombineIntrinsic.cpp).

// targetHas reports whether the target processor is known and has a property.
func (c *combiner) targetHas(p isa.SetMask) bool {
	if c.ctx.Target == nil {
		return false
	}
	s, ok := isa.SetOf(c.ctx.Target.Processor)
	return ok && s.Has(p)
}

// halfImage lets an image intrinsic return f16 if all users convert the result
// to f16 and permit an approximation: the hardware rounds texels of f32 toward
// zero, which LLVM ignores.
func (c *combiner) halfImage(v ir.Value) bool {
	f := c.f
	t := f.TypeOf(v)
	if !c.targetHas(isa.SinceGFX803) || c.m.Scalar(t) != ir.Float {
		return false
	}
	if u := f.FirstUse(v); f.HasOneUse(v) && c.isHalf(f.User(u)) {
		r := c.callImage(v, f.CalledIntrinsic(v), f.TypeOf(f.User(u)), c.arguments(v))
		if r != ir.None {
			c.replace(f.User(u), r)
		}
		return r != ir.None
	}
	var elements []ir.Value
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		e := f.User(u)
		if f.Op(e) != ir.OpExtractElement || f.UseIndex(u) != 0 || !f.HasOneUse(e) || !c.isHalf(f.User(f.FirstUse(e))) {
			return false
		}
		elements = append(elements, e)
	}
	if len(elements) == 0 {
		return false
	}
	r := c.callImage(v, f.CalledIntrinsic(v), c.m.WithScalar(t, ir.Half), c.arguments(v))
	if r == ir.None {
		return false
	}
	for _, e := range elements {
		user := f.User(f.FirstUse(e))
		c.b.Before(user)
		c.replace(user, c.b.ExtractElement(r, f.Operand(e, 1)))
	}
	return true
}

// isHalf reports whether an instruction converts to f16 without an exact rounding.
func (c *combiner) isHalf(v ir.Value) bool {
	return c.f.Op(v) == ir.OpFPTrunc && c.m.Scalar(c.f.TypeOf(v)) == ir.Half && c.f.Instr(v).Flags&ir.ApproxFunc != 0
}

// arguments returns a copy of a call's arguments.
func (c *combiner) arguments(v ir.Value) (args []ir.Value) {
	for _, o := range c.f.Args(v) {
		args = append(args, o.Value)
	}
	return args
}

// narrowAddress passes 16-bit coordinates to an image intrinsic if they are
// extended to 32 bits for it, or only gradients.
func (c *combiner) narrowAddress(v ir.Value, row *imageRow) bool {
	if !c.targetHas(isa.SinceGFX900) {
		return false
	}
	args := c.arguments(v)
	all := row.bias == 0 || c.fits16(args[row.bias], row.sampler)
	for n := row.gradient; n < row.end; n++ {
		if c.fits16(args[n], row.sampler) {
			continue
		}
		if n < row.coord || row.gradient == row.coord {
			return false
		}
		all = false
	}
	end := row.end
	if !all {
		if end = row.coord; row.gradient == row.coord || !c.targetHas(isa.SinceGFX1010) {
			return false
		}
	}
	for n := row.gradient; n < end; n++ {
		args[n] = c.narrow16(v, args[n])
	}
	if all && row.bias != 0 {
		args[row.bias] = c.narrow16(v, args[row.bias])
	}
	r := c.callImage(v, row.id, c.f.TypeOf(v), args)
	if r == ir.None {
		return false
	}
	c.pushUsers(v)
	if c.f.HasUses(v) {
		c.f.ReplaceUses(v, r)
	}
	c.erase(v)
	return true
}

// fits16 reports whether a 32-bit value is an extended 16-bit value, or a
// constant that 16 bits can hold.
func (c *combiner) fits16(v ir.Value, float bool) bool {
	if n, ok := c.m.IntValue(v); ok && c.f.TypeOf(v) == ir.I32 {
		return !float && n <= math.MaxUint16
	}
	if word, ok := c.m.FloatBits(v); ok && c.f.TypeOf(v) == ir.Float {
		return float && isHalfFloat(uint32(word))
	}
	if !v.IsLocal() {
		return false
	}
	op, from := ir.OpZExt, ir.I16
	if float {
		op, from = ir.OpFPExt, ir.Half
	}
	return c.f.Op(v) == op && c.f.TypeOf(v) != ir.I64 && c.f.TypeOf(v) != ir.Double && c.f.TypeOf(c.f.Operand(v, 0)) == from
}

// isHalfFloat reports whether an f16 has the same value as the f32 with the given
// bits, which is not NaN.
func isHalfFloat(word uint32) bool {
	x := math.Abs(float64(math.Float32frombits(word)))
	if x == 0 || math.IsInf(x, 0) {
		return true
	}
	frac, exp := math.Frexp(x)         // x = frac * 2**exp, frac in [0.5, 1)
	digits := 11 - max(0, -13-exp)     // of a normal or denormal f16
	scaled := math.Ldexp(frac, digits) // an integer if the digits suffice
	return exp <= 16 && digits > 0 && scaled == math.Trunc(scaled)
}

// narrow16 returns the 16-bit value of one for which fits16 is true.
func (c *combiner) narrow16(at, v ir.Value) ir.Value {
	switch {
	case v.IsLocal():
		return c.f.Operand(v, 0)
	case c.m.IsFloat(c.f.TypeOf(v)):
		c.b.Before(at)
		return c.b.Cast(ir.OpFPTrunc, v, ir.Half, 0)
	}
	c.b.Before(at)
	return c.b.Cast(ir.OpTrunc, v, ir.I16, 0)
}

// combineStoreFormat combines stores to buffers with a format, whose first
// argument is the data.
func combineStoreFormat(c *combiner, v ir.Value) ir.Value {
	c.trimStore(v, -1)
	return ir.None
}

// trimStore removes the last components of stored data that the hardware
// supplies itself: zeros, and from gfx12 on copies of the first component. mask
// is the argument for the mask of components, or negative.
func (c *combiner) trimStore(v ir.Value, mask int) {
	f := c.f
	data := f.Operand(v, 0)
	t := f.TypeOf(data)
	if c.ctx.Target == nil || !c.m.IsVector(t) {
		return
	}
	n := int(c.m.NumElements(t))
	left := c.neededElements(data, n)
	args := c.arguments(v)
	demanded := uint64(1)<<left - 1
	if mask >= 0 {
		have, ok := c.m.IntValue(args[mask])
		if have &= 15; !ok || have == 0 {
			return
		}
		demanded &= 1<<bits.OnesCount64(have) - 1
		if kept := keptBits(have, demanded); kept != have {
			args[mask] = c.m.NewInt(f.TypeOf(args[mask]), kept)
			f.SetOperand(v, mask, args[mask])
			c.changed = true
		}
	}
	count := bits.OnesCount64(demanded)
	if count >= n {
		return
	}
	c.b.Before(v)
	if count == 1 {
		args[0] = c.b.ExtractElement(data, c.m.NewInt(ir.I64, 0))
	} else {
		elements := make([]uint32, count)
		for k := range elements {
			elements[k] = uint32(k)
		}
		args[0] = c.b.Shuffle(data, c.m.Poison(t), elements)
	}
	if args[0].IsLocal() {
		c.push(args[0])
	}
	if r := c.callImage(v, f.CalledIntrinsic(v), ir.Void, args); r != ir.None {
		c.erase(v)
	}
}

// neededElements returns the number of elements of stored data without the last
// ones that the hardware supplies.
func (c *combiner) neededElements(data ir.Value, n int) int {
	for n > 1 && c.isSupplied(data, n-1) {
		n--
	}
	return n
}

// isSupplied reports whether the hardware supplies an element of stored data if
// it and the ones after it are left out.
func (c *combiner) isSupplied(data ir.Value, n int) bool {
	f := c.f
	broadcast := c.targetHas(isa.SinceGFX1200)
	if broadcast && data.IsLocal() && f.Op(data) == ir.OpShuffleVector {
		if mask := f.Mask(data); mask[n] == mask[0] { // of unknown vectors
			return true
		}
	}
	e := c.elementOf(data, n)
	switch {
	case e == ir.None:
		return false
	case e.IsLocal():
		return broadcast && e == c.elementOf(data, 0)
	}
	return analysis.IsUndef(f, e) || !broadcast && c.m.IsZero(e) || broadcast && e == c.elementOf(data, 0)
}

// maxElementSteps bounds the number of instructions that elementOf follows.
const maxElementSteps = 32

// elementOf returns an element of a vector, or None if it is not known.
func (c *combiner) elementOf(vec ir.Value, n int) ir.Value {
	f := c.f
	for range maxElementSteps {
		if !vec.IsLocal() {
			return c.m.Element(vec, uint64(n))
		}
		switch f.Op(vec) {
		case ir.OpInsertElement:
			at, ok := c.m.IntValue(f.Operand(vec, 2))
			if !ok {
				return ir.None
			}
			if at == uint64(n) {
				return f.Operand(vec, 1)
			}
			vec = f.Operand(vec, 0)
		case ir.OpShuffleVector:
			from := f.Mask(vec)[n]
			if from == ir.PoisonElement {
				return c.m.Poison(c.m.Scalar(f.TypeOf(vec)))
			}
			count := int(c.m.NumElements(f.TypeOf(f.Operand(vec, 0))))
			if n = int(from); n >= count {
				n -= count
				vec = f.Operand(vec, 1)
			} else {
				vec = f.Operand(vec, 0)
			}
		default:
			return ir.None
		}
	}
	return ir.None
}
