package irrandom

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

var plainInts = [...]int{1, 8, 16, 32, 32, 32, 64, 64}
var oddInts = [...]int{2, 3, 5, 7, 9, 13, 17, 24, 31, 33, 48, 63}
var wideInts = [...]int{65, 96, 100, 128, 128, 128}
var hugeInts = [...]int{129, 160, 191, 192, 224, 255, 256, 256}

// intType returns a random integer type.
func (g *gen) intType() ir.Type {
	switch {
	case g.has(Odd) && g.chance(6):
		return g.m.IntType(oddInts[g.IntN(len(oddInts))])
	case g.has(Wide) && g.chance(10):
		return g.wideType()
	}
	return g.m.IntType(plainInts[g.IntN(len(plainInts))])
}

func (g *gen) wideType() ir.Type {
	if !g.has(Odd) {
		return ir.I128
	}
	if g.o.Profile == AMDGPU && g.chance(4) { // x86 has no division for them
		return g.m.IntType(hugeInts[g.IntN(len(hugeInts))])
	}
	return g.m.IntType(wideInts[g.IntN(len(wideInts))])
}

func (g *gen) floatType() ir.Type {
	if g.o.Profile == AMDGPU && g.chance(3) { // x86 has no operations for them
		return [...]ir.Type{ir.Half, ir.Half, ir.BFloat}[g.IntN(3)]
	}
	if g.chance(2) {
		return ir.Float
	}
	return ir.Double
}

func (g *gen) scalarType() ir.Type {
	if g.has(Floats) && g.chance(5) {
		return g.floatType()
	}
	return g.intType()
}

// randType returns a type for computations.
func (g *gen) randType() ir.Type {
	if g.has(Vectors) && g.chance(8) {
		return g.vectorType()
	}
	return g.scalarType()
}

func (g *gen) vectorType() ir.Type {
	t := g.scalarType()
	for g.m.ScalarBits(t) > 64 {
		t = g.scalarType()
	}
	return g.m.VectorType(t, uint64(vectorLengths[g.IntN(len(vectorLengths))]))
}

// vectorLengths lists the numbers of vector elements.
var vectorLengths = [...]int{1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8, 9, 16}

// constant returns a constant of type t, often with few bits set or a boundary
// value.
func (g *gen) constant(t ir.Type) ir.Value {
	m := g.m
	info := m.TypeInfo(t)
	switch {
	case info.Kind == ir.KindVector:
		if g.chance(2) {
			return m.Splat(t, g.constant(info.Elem))
		}
		elems := make([]ir.Value, info.N)
		for i := range elems {
			elems[i] = g.constant(info.Elem)
		}
		return m.NewAggregate(t, elems)
	case m.IsFloat(t):
		return g.floatConst(t)
	case m.IsAggregate(t):
		elems := make([]ir.Value, m.NumElements(t))
		for i := range elems {
			elems[i] = g.constant(m.ElementType(t, uint64(i)))
		}
		return m.NewAggregate(t, elems)
	}
	return g.intConst(t, int(info.N))
}

func (g *gen) intConst(t ir.Type, n int) ir.Value {
	m := g.m
	switch g.IntN(7) {
	case 0:
		return m.NewInt(t, 0)
	case 1:
		return m.NewInt(t, 1)
	case 2:
		return m.NewSigned(t, -1)
	case 3: // power of two, including the sign bit
		return m.NewBig(t, bit(g.IntN(n)))
	case 4:
		return m.NewSigned(t, int64(g.IntN(40))-20)
	}
	words := make([]uint64, (n+63)/64)
	for i := range words {
		words[i] = g.Uint64()
	}
	return m.NewWide(t, words)
}

var floatConsts = [...]float64{0, 1, -1, 0.5, 2, -3, 10, 1e10, 0.1, math.Inf(1), math.Inf(-1), 1e-30}

func (g *gen) floatConst(t ir.Type) ir.Value {
	x := floatConsts[g.IntN(len(floatConsts))]
	if g.chance(2) {
		x = float64(g.IntN(2000)-1000) / 16
	}
	switch {
	case t == ir.Half || t == ir.BFloat || g.chance(8):
		return g.m.NewFloatBits(t, specialFloat(t, g.Rand))
	case g.chance(20):
		return g.m.NewFloat(t, math.Copysign(0, -1))
	}
	return g.m.NewFloat(t, x)
}
