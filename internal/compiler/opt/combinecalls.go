package opt

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// callCombines holds the rewrites of intrinsics that are not patterns.
var callCombines = lazy.Value[map[ir.Intrinsic]func(c *combiner, v ir.Value) ir.Value]{Make: func() map[ir.Intrinsic]func(c *combiner, v ir.Value) ir.Value {
	return map[ir.Intrinsic]func(c *combiner, v ir.Value) ir.Value{
		ir.IntrMemcpy:              combineMemcpy,
		ir.IntrMemmove:             combineMemcpy,
		ir.IntrMemset:              combineMemset,
		ir.IntrAMDGCNUbfe:          combineBitField,
		ir.IntrAMDGCNSbfe:          combineBitField,
		ir.IntrAMDGCNMulU24:        combineMul24,
		ir.IntrAMDGCNMulI24:        combineMul24,
		ir.IntrAMDGCNReadfirstlane: combineFirstLane,
		ir.IntrAMDGCNReadlane:      combineFirstLane,
		ir.IntrAMDGCNFmed3:         combineMed3,
		ir.IntrAMDGCNCos:           combineEven,
		ir.IntrCos:                 combineEven,
		ir.IntrAMDGCNClass:         combineClass,
		ir.IntrAMDGCNWavefrontsize: combineWaveSize,

		ir.IntrAMDGCNRawBufferStoreFormat:       combineStoreFormat,
		ir.IntrAMDGCNRawPtrBufferStoreFormat:    combineStoreFormat,
		ir.IntrAMDGCNStructBufferStoreFormat:    combineStoreFormat,
		ir.IntrAMDGCNStructPtrBufferStoreFormat: combineStoreFormat,
		ir.IntrAMDGCNRawTbufferStore:            combineStoreFormat,
		ir.IntrAMDGCNRawPtrTbufferStore:         combineStoreFormat,
		ir.IntrAMDGCNStructTbufferStore:         combineStoreFormat,
		ir.IntrAMDGCNStructPtrTbufferStore:      combineStoreFormat,
	}
}}

func combineCall(c *combiner, v ir.Value) ir.Value {
	if len(c.f.Bundles(v)) > 0 || c.f.Op(v) != ir.OpCall {
		return ir.None
	}
	if fn := callCombines.Get()[c.f.CalledIntrinsic(v)]; fn != nil {
		return fn(c, v)
	}
	return combineImage(c, v)
}

// paramAlign returns the alignment in bytes that a call specifies for a pointer
// argument, at least 1.
func (c *combiner) paramAlign(v ir.Value, i int) uint32 {
	if a, ok := c.m.Attr(c.m.AttrsAt(c.f.CallAttrs(v), ir.AttrParams+i), ir.AttrAlign); ok && a.Int > 0 {
		return uint32(a.Int)
	}
	return 1
}

// smallCopy returns the type that moves a constant number of bytes in one
// access, or NoType. It erases the call if the size is zero.
func (c *combiner) smallCopy(v ir.Value) ir.Type {
	n, ok := c.splat(c.f.Operand(v, 2))
	volatile, _ := c.splat(c.f.Operand(v, 3))
	if !ok || volatile != 0 {
		return ir.NoType
	}
	switch n {
	case 0:
		c.erase(v)
	case 1, 2, 4, 8:
		return c.m.IntType(int(n) * 8)
	}
	return ir.NoType
}

// combineMemcpy replaces a copy of 1, 2, 4 or 8 bytes by a load and a store.
func combineMemcpy(c *combiner, v ir.Value) ir.Value {
	t := c.smallCopy(v)
	if t == ir.NoType {
		return ir.None
	}
	f := c.f
	x := c.b.Load(t, f.Operand(v, 1), c.paramAlign(v, 1))
	s := c.b.Store(x, f.Operand(v, 0), c.paramAlign(v, 0))
	c.push(x)
	c.push(s)
	c.erase(v)
	return ir.None
}

// combineMemset replaces a fill of 1, 2, 4 or 8 bytes with a constant by a
// store.
func combineMemset(c *combiner, v ir.Value) ir.Value {
	b, ok := c.splat(c.f.Operand(v, 1))
	if !ok {
		return ir.None
	}
	t := c.smallCopy(v)
	if t == ir.NoType {
		return ir.None
	}
	s := c.b.Store(c.m.NewInt(t, b*0x0101010101010101), c.f.Operand(v, 0), c.paramAlign(v, 0))
	c.push(s)
	c.erase(v)
	return ir.None
}

// combineBitField replaces the extraction of a bit field at a constant offset
// by shifts.
func combineBitField(c *combiner, v ir.Value) ir.Value {
	f, t := c.f, c.f.TypeOf(v)
	bits := uint64(c.m.IntBits(t))
	offset, ok := c.splat(f.Operand(v, 1))
	width, ok2 := c.splat(f.Operand(v, 2))
	if !ok || !ok2 || bits != 32 && bits != 64 {
		return ir.None
	}
	offset, width = offset&(bits-1), width&(bits-1)
	shift := ir.OpLShr
	if f.CalledIntrinsic(v) == ir.IntrAMDGCNSbfe {
		shift = ir.OpAShr
	}
	n := func(x uint64) ir.Value { return c.m.NewInt(t, x) }
	x := f.Operand(v, 0)
	switch {
	case width == 0:
		return n(0)
	case offset+width < bits:
		x = c.make(ir.OpShl, 0, 0, 0, t, []ir.Value{x, n(bits - offset - width)})
		return c.make(shift, 0, 0, 0, t, []ir.Value{x, n(bits - width)})
	}
	return c.make(shift, 0, 0, 0, t, []ir.Value{x, n(offset)})
}

// combineMul24 removes masks that preserve the low 24 bits of the operands.
func combineMul24(c *combiner, v ir.Value) ir.Value {
	changed := false
	for i := range 2 {
		x := c.f.Operand(v, i)
		if !x.IsLocal() || c.f.Op(x) != ir.OpAnd {
			continue
		}
		if mask, ok := c.splat(c.f.Operand(x, 1)); ok && mask&0xffffff == 0xffffff {
			c.f.SetOperand(v, i, c.f.Operand(x, 0))
			c.released(x)
			changed = true
		}
	}
	if changed {
		return v
	}
	return ir.None
}

// combineFirstLane removes a broadcast of a value that was broadcast in the
// same block.
func combineFirstLane(c *combiner, v ir.Value) ir.Value {
	x := c.f.Operand(v, 0)
	if !x.IsLocal() || c.f.Parent(x) != c.f.Parent(v) {
		return ir.None
	}
	if id := c.f.CalledIntrinsic(x); id == ir.IntrAMDGCNReadfirstlane || id == ir.IntrAMDGCNReadlane {
		return x
	}
	return ir.None
}

// combineMed3 moves the constants of a median to the end.
func combineMed3(c *combiner, v ir.Value) ir.Value {
	changed := false
	for i := range 2 {
		for j := i; j >= 0; j-- {
			x, y := c.f.Operand(v, j), c.f.Operand(v, j+1)
			if x.IsConst() && !y.IsConst() {
				c.f.SetOperand(v, j, y)
				c.f.SetOperand(v, j+1, x)
				changed = true
			}
		}
	}
	if changed {
		return v
	}
	return ir.None
}

// combineEven removes the sign of an even function's argument.
func combineEven(c *combiner, v ir.Value) ir.Value {
	x := c.f.Operand(v, 0)
	if x.IsLocal() && (c.f.Op(x) == ir.OpFNeg || c.f.CalledIntrinsic(x) == ir.IntrFabs) {
		c.f.SetOperand(v, 0, c.f.Operand(x, 0))
		c.released(x)
		return v
	}
	return ir.None
}

// combineWaveSize folds the wave size, which depends on the function's features
// or the processor.
func combineWaveSize(c *combiner, v ir.Value) ir.Value {
	features, _ := c.m.StringAttr(c.m.AttrsAt(c.f.Attributes, ir.AttrFunction), "target-features")
	size := 0
	for word := range strings.SplitSeq(features, ",") {
		switch word {
		case "+wavefrontsize32":
			size = 32
		case "+wavefrontsize64":
			size = 64
		}
	}
	if size == 0 && c.ctx.Target != nil {
		size = c.ctx.Target.WaveSize()
	}
	if size == 0 {
		return ir.None
	}
	return c.m.NewInt(c.f.TypeOf(v), uint64(size))
}

// combineClass folds class tests that no value or every value passes.
func combineClass(c *combiner, v ir.Value) ir.Value {
	mask, ok := c.splat(c.f.Operand(v, 1))
	switch {
	case !ok:
		return ir.None
	case mask&0x3ff == 0:
		return c.m.NewBool(false)
	case mask&0x3ff == 0x3ff:
		return c.m.NewBool(true)
	case mask&^uint64(0x3ff) != 0:
		c.f.SetOperand(v, 1, c.m.NewInt(ir.I32, mask&0x3ff))
		return v
	}
	return ir.None
}
