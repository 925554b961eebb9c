package opt

import (
	"math"
	"math/bits"
	"sort"

	"github.com/gfx-toolchain/gfx/ir"
)

// imageRow describes an image intrinsic.
type imageRow struct {
	id      ir.Intrinsic
	load    bool // a load or sample; its first argument is the mask of components
	store   bool // its first argument is the data, the second one the mask of components
	sampler bool // coordinates are floats, not unsigned integers
	half    bool // the result may be f16
	// The arguments from gradient to coord are gradients, those from coord to
	// end coordinates. bias is an argument, or 0.
	gradient, coord, end, bias int8
	extras                     []imageExtra
}

// imageExtra is an argument that has no effect for some constants. Another
// intrinsic has the other arguments only.
type imageExtra struct {
	kind imageExtraKind
	arg  int8
	to   ir.Intrinsic
}

// imageExtraKind is the meaning of an argument.
type imageExtraKind uint8

const (
	extraLevel  imageExtraKind = iota // a level of detail: the first level is the least
	extraMip                          // a level
	extraOffset                       // offsets in texels
	extraBias                         // a number added to the level of detail
)

// combineImage removes arguments of an image intrinsic that have no effect, and
// components of its result that are unused (LLVM,
// AMDGPUInstCombineIntrinsic.cpp).
func combineImage(c *combiner, v ir.Value) ir.Value {
	id := c.f.CalledIntrinsic(v)
	n := sort.Search(len(imageRows), func(n int) bool { return imageRows[n].id >= id })
	if n == len(imageRows) || imageRows[n].id != id {
		return ir.None
	}
	row := &imageRows[n]
	for _, x := range row.extras {
		if c.hasNoEffect(x.kind, c.f.Operand(v, int(x.arg))) {
			return c.withoutArgument(v, x.to, int(x.arg))
		}
	}
	if row.half && c.halfImage(v) || c.narrowAddress(v, row) {
		return ir.None
	}
	switch {
	case row.load:
		return c.shrinkImage(v, id)
	case row.store:
		c.trimStore(v, 1)
	}
	return ir.None
}

// hasNoEffect reports whether an argument is a constant without effect.
func (c *combiner) hasNoEffect(kind imageExtraKind, v ir.Value) bool {
	if n, ok := c.m.IntValue(v); ok {
		return n == 0 && (kind == extraMip || kind == extraOffset)
	}
	word, ok := c.m.FloatBits(v)
	width := c.m.ScalarBits(c.f.TypeOf(v))
	if !ok || width != 16 && width != 32 {
		return false
	}
	sign := word >> (width - 1) & 1
	zero := word&^(1<<(width-1)) == 0
	isNaN := width == 32 && math.IsNaN(float64(math.Float32frombits(uint32(word)))) || width == 16 && word&0x7fff > 0x7c00
	switch kind {
	case extraBias:
		return zero
	case extraLevel:
		return zero || sign != 0 && !isNaN
	}
	return false
}

// withoutArgument calls an intrinsic with all arguments of a call but one.
func (c *combiner) withoutArgument(v ir.Value, id ir.Intrinsic, arg int) ir.Value {
	var args []ir.Value
	for n, o := range c.f.Args(v) {
		if n != arg {
			args = append(args, o.Value)
		}
	}
	r := c.callImage(v, id, c.f.TypeOf(v), args)
	if r != ir.None && c.f.TypeOf(v) == ir.Void {
		c.erase(v)
		return ir.None
	}
	return r
}

// callImage calls an image intrinsic in place of another call, or returns None if
// it has no such types.
func (c *combiner) callImage(v ir.Value, id ir.Intrinsic, result ir.Type, args []ir.Value) ir.Value {
	types := make([]ir.Type, len(args))
	for n, a := range args {
		types[n] = c.f.TypeOf(a)
	}
	over, ok := c.m.MatchIntrinsic(id, c.m.FuncType(result, types, false))
	if !ok {
		return ir.None
	}
	c.b.Before(v)
	r := c.b.Call(c.m.DeclareIntrinsic(id, over...), args...)
	c.f.Instr(r).Flags = c.f.Instr(v).Flags
	c.f.CopyAttachments(r, v)
	c.push(r)
	return r
}

// shrinkImage removes components from the mask of a load or sample whose result
// is only used as single elements.
func (c *combiner) shrinkImage(v ir.Value, id ir.Intrinsic) ir.Value {
	f := c.f
	t := f.TypeOf(v)
	mask, ok := c.m.IntValue(f.Operand(v, 0))
	if !ok || !c.m.IsVector(t) || mask&^0xf != 0 {
		return ir.None
	}
	have := bits.OnesCount64(mask)
	used := uint64(0) // by element
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		if f.Op(user) != ir.OpExtractElement || f.UseIndex(u) != 0 {
			return ir.None
		}
		n, ok := c.m.IntValue(f.Operand(user, 1))
		if !ok || n >= uint64(have) || n >= c.m.NumElements(t) {
			return ir.None
		}
		used |= 1 << n
	}
	n := bits.OnesCount64(used)
	if n == 0 || n == have && n == int(c.m.NumElements(t)) {
		return ir.None
	}
	result := c.m.Scalar(t)
	if n > 1 {
		result = c.m.VectorType(result, uint64(n))
	}
	args := []ir.Value{c.m.NewInt(f.TypeOf(f.Operand(v, 0)), keptBits(mask, used))}
	for _, o := range f.Args(v)[1:] {
		args = append(args, o.Value)
	}
	r := c.callImage(v, id, result, args)
	if r != ir.None {
		c.useElements(v, r, used)
	}
	return ir.None
}

// keptBits returns the bits of a mask whose numbers among its bits are in used.
func keptBits(mask, used uint64) (kept uint64) {
	for ; mask != 0; mask &= mask - 1 {
		if used&1 != 0 {
			kept |= mask & -mask
		}
		used >>= 1
	}
	return kept
}

// useElements replaces the elements of a vector by the elements of a vector that
// has the used ones only, or by a scalar.
func (c *combiner) useElements(v, by ir.Value, used uint64) {
	f := c.f
	var users []ir.Value
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		users = append(users, f.User(u))
	}
	for _, user := range users {
		e := by
		if bits.OnesCount64(used) > 1 {
			n, _ := c.m.IntValue(f.Operand(user, 1))
			c.b.Before(user)
			e = c.b.ExtractElement(by, c.m.NewInt(f.TypeOf(f.Operand(user, 1)), uint64(bits.OnesCount64(used&(1<<n-1)))))
		}
		c.replace(user, e)
	}
}
