package irrandom

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

func bit(i int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(i)) }

// minObject is the smallest size in bytes of an object that may be accessed as
// any type.
const minObject = 8

// memory is an object that statements may access.
type memory struct {
	ptr      ir.Value
	size     int // at least minObject
	align    int
	readOnly bool
	shared   bool    // may alias another object
	only     ir.Type // only access type, NoType for any
}

// body generates the body of a function. The values in pool dominate the
// builder's insertion point.
type body struct {
	*gen
	f    *ir.Function
	b    *ir.Builder
	pool []ir.Value
	mems []memory
	cost int // approximate number of steps so far
	mult int // approximate execution count of the insertion point

	returns bool // a return precedes the insertion point

	// Kernels only.
	item       ir.Value // work-item number
	itemOffset ir.Value // offset of the work-item's part of a buffer, in bytes
	sum        ir.Value // counters
	sumOffset  int      // offset of their pointer
	counted    [len(counters)]int
}

func newBody(g *gen, f *ir.Function) *body {
	entry := f.NewBlock()
	f.SetName(entry.Value(), []byte("entry"))
	return &body{gen: g, f: f, b: ir.NewBuilder(f, entry), mult: 1}
}

// inputs loads the initial values.
func (b *body) inputs() {
	if b.has(Adjacent) {
		for range b.IntN(3) {
			b.adjacent(0)
		}
	}
	var list []memory
	for _, x := range b.mems {
		if x.size >= 16 {
			list = append(list, x)
		}
	}
	for range 2 + b.IntN(4) {
		in := list[b.IntN(len(list))]
		t := b.randType()
		size := int(b.m.StoreSize(t))
		if !b.inMemory(t) || size > in.size/2 {
			t, size = ir.I32, 4
		}
		p := b.b.PtrAdd(in.ptr, b.m.NewInt(b.indexType(in.ptr), uint64(b.IntN(in.size-size+1))), 0)
		b.add(b.canonical(b.b.Load(t, p, 1)))
	}
}

// indexType returns the type of a pointer's offsets.
func (b *body) indexType(p ir.Value) ir.Type {
	return b.m.IntType(int(b.m.Layout().Pointer(b.m.AddrSpace(b.typeOf(p))).IndexBits))
}

// inMemory reports whether values of type t consist of whole bytes, so that
// they may be accessed as other types.
func (b *body) inMemory(t ir.Type) bool {
	return b.m.ScalarBits(t)%8 == 0 && b.m.SizeInBits(t)%8 == 0 && !b.m.IsAggregate(t)
}

// add adds a value to the pool.
func (b *body) add(v ir.Value) ir.Value {
	b.pool = append(b.pool, v)
	b.cost += b.mult
	return v
}

// typeOf returns the type of a value.
func (b *body) typeOf(v ir.Value) ir.Type { return b.f.TypeOf(v) }

// pick returns a value of type t: an existing one, a constant, or a conversion.
func (b *body) pick(t ir.Type) ir.Value {
	if b.chance(6) {
		return b.constant(t)
	}
	for range 6 {
		if n := len(b.pool); n > 0 {
			i := n - 1 - b.IntN(min(n, 4+b.IntN(n)))
			if v := b.pool[i]; b.typeOf(v) == t {
				return v
			}
		}
	}
	var same []ir.Value
	for _, v := range b.pool {
		if b.typeOf(v) == t {
			same = append(same, v)
		}
	}
	if len(same) > 0 && !b.chance(5) {
		return same[b.IntN(len(same))]
	}
	if v := b.convert(t); v != ir.None {
		return v
	}
	return b.constant(t)
}

// convert creates a value of type t from another value.
func (b *body) convert(t ir.Type) ir.Value {
	m := b.m
	if len(b.pool) == 0 {
		return ir.None
	}
	x := b.pool[b.IntN(len(b.pool))]
	from := b.typeOf(x)
	switch {
	case m.IsVector(t) && !m.IsVector(from):
		e := b.convertScalar(x, m.Scalar(t))
		if e == ir.None {
			return ir.None
		}
		v := b.b.InsertElement(b.constant(t), e, m.NewInt(ir.I32, uint64(b.IntN(int(m.NumElements(t))))))
		if b.chance(2) {
			return v
		}
		mask := make([]uint32, m.NumElements(t))
		for i := range mask {
			mask[i] = uint32(b.IntN(len(mask)))
		}
		return b.b.Shuffle(v, v, mask)
	case m.IsVector(from) && !m.IsVector(t):
		return b.convertScalar(b.b.ExtractElement(x, m.NewInt(ir.I32, uint64(b.IntN(int(m.NumElements(from)))))), t)
	case m.IsVector(from) && m.NumElements(from) != m.NumElements(t), m.IsAggregate(from):
		return ir.None
	}
	return b.convertScalar(x, t)
}

// convertScalar converts a scalar, or a vector elementwise, if a conversion
// exists.
func (b *body) convertScalar(x ir.Value, t ir.Type) ir.Value {
	m := b.m
	from := b.typeOf(x)
	fb, tb := m.ScalarBits(from), m.ScalarBits(t)
	if fb == 0 || tb == 0 {
		return ir.None
	}
	fi, ti := m.IsIntOrIntVector(from), m.IsIntOrIntVector(t)
	switch {
	case from == t:
		return x
	case fi && ti && fb > tb:
		return b.b.Cast(ir.OpTrunc, x, t, 0)
	case fi && ti && b.chance(2):
		return b.b.Cast(ir.OpZExt, x, t, 0)
	case fi && ti:
		return b.b.Cast(ir.OpSExt, x, t, 0)
	case fi && fb == tb && b.chance(2):
		return b.canonical(b.b.Cast(ir.OpBitCast, x, t, 0))
	case fb == tb && from != t && !fi && !ti: // half and bfloat
		return ir.None
	case fi:
		return b.b.Cast([2]ir.Op{ir.OpSIToFP, ir.OpUIToFP}[b.IntN(2)], x, t, 0)
	case ti && fb == tb:
		return b.b.Cast(ir.OpBitCast, b.canonical(x), t, 0)
	case ti && tb > 1 && (tb <= 64 || b.o.Profile == AMDGPU): // x86 handles i1 differently from the reference
		id := [2]ir.Intrinsic{ir.IntrFptosiSat, ir.IntrFptouiSat}[b.IntN(2)]
		return b.call(id, []ir.Type{t, from}, x)
	case ti:
		return ir.None
	case fb > tb:
		return b.b.Cast(ir.OpFPTrunc, x, t, 0)
	case fb < tb:
		return b.b.Cast(ir.OpFPExt, x, t, 0)
	}
	return ir.None
}

// canonical replaces NaNs by a number, so that the bits of the result are well
// defined.
func (b *body) canonical(x ir.Value) ir.Value {
	t := b.typeOf(x)
	if !b.m.IsFloatOrFloatVector(t) {
		return x
	}
	nan := b.b.Compare(ir.FCmpUNO, x, x)
	one := b.m.Scalar(t)
	c := b.m.NewFloatBits(one, oneBits(one))
	if one != t {
		c = b.m.Splat(t, c)
	}
	return b.b.Select(nan, c, x)
}

func oneBits(t ir.Type) uint64 { return floatFormats[t].one() }

// call creates a call of an intrinsic.
func (b *body) call(id ir.Intrinsic, over []ir.Type, args ...ir.Value) ir.Value {
	return b.b.Call(b.m.DeclareIntrinsic(id, over...), args...)
}

// intPick returns an integer value of a random type, scalar or vector.
func (b *body) intPick() ir.Value {
	for {
		if t := b.randType(); b.m.IsIntOrIntVector(t) {
			return b.pick(t)
		}
	}
}

// splat returns an integer constant, or a vector with this value in all
// elements.
func (b *body) splat(t ir.Type, x int64) ir.Value {
	s := b.m.NewSigned(b.m.Scalar(t), x)
	if s != ir.None && b.m.IsVector(t) {
		return b.m.Splat(t, s)
	}
	return s
}

// below creates a value less than n from an integer.
func (b *body) below(x ir.Value, n int) ir.Value {
	t := b.typeOf(x)
	switch w := b.m.ScalarBits(t); {
	case w < 31 && 1<<w <= n:
		return x
	case n&(n-1) == 0:
		return b.b.And(x, b.splat(t, int64(n-1)))
	default:
		return b.b.Binary(ir.OpURem, x, b.splat(t, int64(n)), 0)
	}
}

// amount creates a shift amount for type t.
func (b *body) amount(t ir.Type) ir.Value {
	w := b.m.ScalarBits(t)
	if b.chance(2) {
		return b.splat(t, int64(b.IntN(w)))
	}
	return b.below(b.pick(t), w)
}

// checksum combines the values in the pool into 64 bits.
func (b *body) checksum() ir.Value {
	m := b.m
	sum := b.b.Xor(m.NewInt(ir.I64, 1), m.NewInt(ir.I64, 0))
	for i, v := range b.pool {
		if i < len(b.pool)-12 && !b.chance(3) {
			continue
		}
		if x := b.bits64(v); x != ir.None {
			sum = b.b.Add(b.b.Mul(sum, m.NewInt(ir.I64, 0x100000001b3)), x)
		}
	}
	return sum
}

// bits64 converts a value to 64 bits.
func (b *body) bits64(v ir.Value) ir.Value {
	m := b.m
	t := b.typeOf(v)
	switch {
	case m.IsVector(t):
		v = b.b.ExtractElement(v, m.NewInt(ir.I32, uint64(b.IntN(int(m.NumElements(t))))))
		return b.bits64(v)
	case m.IsFloat(t):
		return b.bits64(b.b.Cast(ir.OpBitCast, b.canonical(v), m.IntType(m.ScalarBits(t)), 0))
	case m.IsInt(t):
		return b.convertScalar(v, ir.I64)
	}
	return ir.None
}
