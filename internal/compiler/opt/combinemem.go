package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/ir"
)

// combineGEP converts constant indices to byte offsets and merges two constant
// steps. For other indices it removes leading zeros and moves a constant addend
// of an index to a separate step.
func combineGEP(c *combiner, v ir.Value) ir.Value {
	f := c.f
	ops := f.Operands(v)
	if c.m.IsVector(f.TypeOf(v)) {
		return ir.None
	}
	var room [8]ir.Value
	indices := room[:0]
	for _, o := range ops[1:] {
		if !o.Value.IsConst() {
			return c.variableGEP(v)
		}
		indices = append(indices, o.Value)
	}
	bytes, ok := simplify.Offset(c.m, f.GEPSource(v), indices)
	if !ok {
		return ir.None
	}
	base, flags := ops[0].Value, f.Instr(v).Flags
	merged := false
	if base.IsLocal() && f.Op(base) == ir.OpGetElementPtr && f.NumOperands(base) == 2 && f.GEPSource(base) == ir.I8 {
		if off, isConst := c.m.SignedValue(f.Operand(base, 1)); isConst {
			bytes += off
			flags = simplify.GEPFlags(flags, f.Instr(base).Flags)
			base, merged = f.Operand(base, 0), true
		}
	}
	width := int(c.m.Layout().Pointer(c.m.AddrSpace(f.TypeOf(v))).IndexBits)
	if !merged && f.GEPSource(v) == ir.I8 && len(indices) == 1 && f.TypeOf(indices[0]) == c.m.IntType(width) {
		return ir.None
	}
	index := c.m.NewSigned(c.m.IntType(width), bytes)
	if c.m.IsZero(index) {
		return base
	}
	if flags&(ir.InBounds|ir.NUSW) != 0 && bytes >= 0 {
		flags |= ir.NUW
	}
	return c.gep(ir.I8, flags, base, index)
}

// variableGEP is combineGEP for addresses with a variable index.
func (c *combiner) variableGEP(v ir.Value) ir.Value {
	f := c.f
	source := c.m.TypeInfo(f.GEPSource(v))
	first := f.Operand(v, 1)
	if source.Kind == ir.KindArray && f.NumOperands(v) > 2 && first.IsConst() && c.m.IsZero(first) {
		var room [8]ir.Value
		ops := append(room[:0], f.Operand(v, 0))
		for _, o := range f.Operands(v)[2:] {
			ops = append(ops, o.Value)
		}
		return c.gep(source.Elem, f.Instr(v).Flags, ops...)
	}
	if r := c.splitIndex(v); r != ir.None {
		return r
	}
	in := f.Instr(v)
	if in.Flags&(ir.InBounds|ir.NUSW) == 0 || in.Flags&ir.NUW != 0 {
		return ir.None
	}
	for _, o := range f.Operands(v)[1:] {
		if !known.NonNegative(f, o.Value) {
			return ir.None
		}
	}
	f.Instr(v).Flags |= ir.NUW // non-negative steps that stay in the object
	return v
}

func (c *combiner) gep(source ir.Type, flags ir.Flags, ops ...ir.Value) ir.Value {
	r := c.b.GEP(source, flags, ops...)
	if r.IsLocal() {
		c.push(r)
	}
	return r
}

// splitIndex splits an index with a constant addend into two steps, so that the
// constant can be folded into an access.
func (c *combiner) splitIndex(v ir.Value) ir.Value {
	f := c.f
	if f.NumOperands(v) != 2 {
		return ir.None
	}
	index, source := f.Operand(v, 1), f.GEPSource(v)
	width := c.m.Layout().Pointer(c.m.AddrSpace(f.TypeOf(v))).IndexBits
	if !index.IsLocal() || c.m.IntBits(f.TypeOf(index)) != int(width) || !f.HasOneUse(index) {
		return ir.None
	}
	if op := f.Op(index); op != ir.OpAdd && (op != ir.OpOr || f.Instr(index).Flags&ir.Disjoint == 0) {
		return ir.None
	}
	n := f.Operand(index, 1)
	if !n.IsConst() {
		return ir.None
	}
	bytes, ok := simplify.Offset(c.m, source, []ir.Value{n})
	if !ok {
		return ir.None
	}
	base := c.gep(source, 0, f.Operand(v, 0), f.Operand(index, 0))
	return c.gep(ir.I8, 0, base, c.m.NewSigned(c.m.IntType(int(width)), bytes))
}

// combineStore removes stores of undef.
func combineStore(c *combiner, v ir.Value) ir.Value {
	if x := c.f.Operand(v, 0); c.f.IsSimple(v) && analysis.IsUndef(c.f, x) {
		c.erase(v)
	}
	return ir.None
}

// combineExtractElement looks through inserts of other elements and through
// shuffles.
func combineExtractElement(c *combiner, v ir.Value) ir.Value {
	f := c.f
	vec, at := f.Operand(v, 0), f.Operand(v, 1)
	i, ok := c.splat(at)
	if !ok || !vec.IsLocal() {
		return ir.None
	}
	switch f.Op(vec) {
	case ir.OpInsertElement:
		if n, isConst := c.splat(f.Operand(vec, 2)); isConst && n != i {
			return c.b.ExtractElement(f.Operand(vec, 0), at)
		}
	case ir.OpShuffleVector:
		mask := f.Mask(vec)
		if i >= uint64(len(mask)) || mask[i] == ir.PoisonElement {
			return ir.None
		}
		n := c.m.NumElements(f.TypeOf(f.Operand(vec, 0)))
		from, k := f.Operand(vec, 0), uint64(mask[i])
		if k >= n {
			from, k = f.Operand(vec, 1), k-n
		}
		return c.b.ExtractElement(from, c.m.NewInt(f.TypeOf(at), k))
	}
	return ir.None
}

// combineShuffle merges two shuffles of a single vector.
func combineShuffle(c *combiner, v ir.Value) ir.Value {
	f := c.f
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	if !x.IsLocal() || f.Op(x) != ir.OpShuffleVector || !analysis.IsPoison(f, y) || !analysis.IsPoison(f, f.Operand(x, 1)) || !f.HasOneUse(x) {
		return ir.None
	}
	outer, inner := f.Mask(v), f.Mask(x)
	mask := make([]uint32, len(outer))
	for i, e := range outer {
		mask[i] = ir.PoisonElement
		if e < uint32(len(inner)) {
			mask[i] = inner[e]
		}
	}
	from := f.Operand(x, 0)
	return c.b.Shuffle(from, c.m.Poison(f.TypeOf(from)), mask)
}

// maxLoadScan bounds the number of instructions before a load that are searched
// for the memory's contents.
const maxLoadScan = 8

// combineLoad returns the value that was recently stored or loaded in the same
// block.
func combineLoad(c *combiner, v ir.Value) ir.Value {
	f := c.f
	if !f.IsSimple(v) {
		return ir.None
	}
	p, t := f.Operand(v, 0), f.TypeOf(v)
	at := f.Prev(v)
	for n := 0; at != ir.None && n < maxLoadScan; n, at = n+1, f.Prev(at) {
		switch f.Op(at) {
		case ir.OpLoad:
			if f.Operand(at, 0) == p && f.TypeOf(at) == t && f.IsSimple(at) {
				dropMetadata(f, at, v)
				return at
			}
		case ir.OpStore:
			q := f.Operand(at, 1)
			if q == p && f.TypeOf(f.Operand(at, 0)) == t && f.IsSimple(at) {
				return f.Operand(at, 0)
			}
			if f.IsSimple(at) && apart(f, p, q) {
				continue
			}
		}
		if analysis.MayWrite(f, at) {
			return ir.None
		}
	}
	return ir.None
}

// apart reports whether two addresses are in different stack variables, or one
// in a stack variable and the other in a global.
func apart(f *ir.Function, p, q ir.Value) bool {
	a, b := analysis.UnderlyingObject(f, p), analysis.UnderlyingObject(f, q)
	local := func(v ir.Value) bool { return v.IsLocal() && f.Op(v) == ir.OpAlloca }
	global := func(v ir.Value) bool { return v.IsConst() && f.Module().ConstGlobal(v) != nil }
	return a != b && (local(a) && (local(b) || global(b)) || global(a) && local(b))
}
