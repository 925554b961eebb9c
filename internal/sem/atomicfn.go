package sem

import "github.com/gfx-toolchain/gfx/internal/lazy"

// atomicNames maps the middle of an instruction's name to the operation, with
// the letters of the type added where the middle is ambiguous.
var atomicNames = lazy.Value[map[string]atomicName]{Make: func() map[string]atomicName {
	return map[string]atomicName{
		"swap":        {AtomicSwap, false},
		"wrxchg":      {AtomicSwap, false},
		"storexchg":   {AtomicSwap, false},
		"cmpswap":     {AtomicCmpSwap, false},
		"cmpst":       {AtomicCmpSwap, true},
		"cmpstore":    {AtomicCmpSwap, false},
		"add":         {AtomicAdd, false},
		"sub":         {AtomicSub, false},
		"rsub":        {AtomicRSub, false},
		"csub":        {AtomicCSub, false},
		"inc":         {AtomicInc, false},
		"dec":         {AtomicDec, false},
		"smin":        {AtomicSMin, false},
		"smax":        {AtomicSMax, false},
		"umin":        {AtomicUMin, false},
		"umax":        {AtomicUMax, false},
		"min i":       {AtomicSMin, false},
		"max i":       {AtomicSMax, false},
		"min u":       {AtomicUMin, false},
		"max u":       {AtomicUMax, false},
		"and":         {AtomicAnd, false},
		"or":          {AtomicOr, false},
		"xor":         {AtomicXor, false},
		"mskor":       {AtomicMskOr, false},
		"wrap":        {AtomicWrap, false},
		"condxchg32":  {AtomicCondXchg, false},
		"add f":       {AtomicFAdd, false},
		"min f":       {AtomicFMin, false},
		"min_num f":   {AtomicFMinNum, false},
		"max_num f":   {AtomicFMaxNum, false},
		"cond_sub":    {AtomicCondSub, false},
		"sub_clamp":   {AtomicCSub, false},
		"ordered_add": {AtomicOrderedAdd, false},
		"max f":       {AtomicFMax, false},
		"fmin":        {AtomicFMin, false},
		"fmax":        {AtomicFMax, false},
		"fcmpswap":    {AtomicFCmpSwap, false},
		"cmpswap f":   {AtomicFCmpSwap, false},
		"cmpst f":     {AtomicFCmpSwap, true},
		"cmpstore f":  {AtomicFCmpSwap, false},
		"pk_add f":    {AtomicPkAddF16, false},
		"pk_add bf":   {AtomicPkAddBF16, false},
	}
}}

type atomicName struct {
	kind    AtomicKind
	swapped bool // the first data operand is the comparand
}

type atomicFunc = func(c *Ctx, old, data, data2 uint64) uint64

// atomicKindFns holds the functions of a kind, for 32 and 64 bits.
type atomicKindFns struct {
	fn32, fn64 atomicFunc
	data       uint8 // number of data operands if not 1
}

// atomicFns lists the functions of the kinds. Source: AMD's ISA documents, "LDS
// & GDS Instructions" and "MUBUF Instructions"; the later documents define each
// by an expression.
var atomicFns = lazy.Value[*[numAtomicKinds]atomicKindFns]{Make: func() *[numAtomicKinds]atomicKindFns {
	return &[numAtomicKinds]atomicKindFns{
		AtomicSwap:       {fn32: atomicSwap, fn64: atomicSwap},
		AtomicCmpSwap:    {fn32: atomicCmpSwap, fn64: atomicCmpSwap, data: 2},
		AtomicAdd:        {fn32: atomicAdd[uint32], fn64: atomicAdd[uint64]},
		AtomicSub:        {fn32: atomicSub[uint32], fn64: atomicSub[uint64]},
		AtomicRSub:       {fn32: atomicRSub[uint32], fn64: atomicRSub[uint64]},
		AtomicCSub:       {fn32: atomicCSub},
		AtomicCondSub:    {fn32: atomicCondSub},
		AtomicInc:        {fn32: atomicInc, fn64: atomicInc},
		AtomicDec:        {fn32: atomicDec, fn64: atomicDec},
		AtomicSMin:       {fn32: atomicSMin[int32], fn64: atomicSMin[int64]},
		AtomicSMax:       {fn32: atomicSMax[int32], fn64: atomicSMax[int64]},
		AtomicUMin:       {fn32: atomicUMin, fn64: atomicUMin},
		AtomicUMax:       {fn32: atomicUMax, fn64: atomicUMax},
		AtomicAnd:        {fn32: atomicAnd, fn64: atomicAnd},
		AtomicOr:         {fn32: atomicOr, fn64: atomicOr},
		AtomicXor:        {fn32: atomicXor, fn64: atomicXor},
		AtomicMskOr:      {fn32: atomicMskOr, fn64: atomicMskOr, data: 2},
		AtomicWrap:       {fn32: atomicWrap, data: 2},
		AtomicCondXchg:   {fn64: atomicCondXchg},
		AtomicFAdd:       {fn32: ofFloat(AddF32), fn64: ofFloat(AddF64)},
		AtomicFMin:       {fn32: ofFloat(MinF32), fn64: ofFloat(MinF64)},
		AtomicFMax:       {fn32: ofFloat(MaxF32), fn64: ofFloat(MaxF64)},
		AtomicFMinNum:    {fn32: ofNumber(F32, false), fn64: ofNumber(F64, false)},
		AtomicFMaxNum:    {fn32: ofNumber(F32, true), fn64: ofNumber(F64, true)},
		AtomicFCmpSwap:   {fn32: atomicCmpSwapF32, fn64: atomicCmpSwapF64, data: 2},
		AtomicPkAddF16:   {fn32: ofFloat(PkAddF16)},
		AtomicPkAddBF16:  {fn32: ofFloat(PkAddBF16)},
		AtomicOrderedAdd: {fn64: atomicOrderedAdd},
	}
}}

func atomicSwap(_ *Ctx, _, data, _ uint64) uint64 { return data }

func atomicCmpSwap(_ *Ctx, old, data, cmp uint64) uint64 {
	if old == cmp {
		return data
	}
	return old
}

func atomicAdd[T uint32 | uint64](_ *Ctx, old, data, _ uint64) uint64  { return uint64(T(old + data)) }
func atomicSub[T uint32 | uint64](_ *Ctx, old, data, _ uint64) uint64  { return uint64(T(old - data)) }
func atomicRSub[T uint32 | uint64](_ *Ctx, old, data, _ uint64) uint64 { return uint64(T(data - old)) }

func atomicCSub(_ *Ctx, old, data, _ uint64) uint64 { return old - min(old, data) }

// atomicCondSub subtracts if the result is not negative.
func atomicCondSub(_ *Ctx, old, data, _ uint64) uint64 {
	if old >= data {
		return old - data
	}
	return old
}

func atomicInc(_ *Ctx, old, data, _ uint64) uint64 {
	if old >= data {
		return 0
	}
	return old + 1
}

func atomicDec(_ *Ctx, old, data, _ uint64) uint64 {
	if old == 0 || old > data {
		return data
	}
	return old - 1
}

func atomicSMin[T int32 | int64](_ *Ctx, old, data, _ uint64) uint64 {
	if T(data) < T(old) {
		return data
	}
	return old
}

func atomicSMax[T int32 | int64](_ *Ctx, old, data, _ uint64) uint64 {
	if T(data) > T(old) {
		return data
	}
	return old
}

func atomicUMin(_ *Ctx, old, data, _ uint64) uint64 { return min(old, data) }
func atomicUMax(_ *Ctx, old, data, _ uint64) uint64 { return max(old, data) }
func atomicAnd(_ *Ctx, old, data, _ uint64) uint64  { return old & data }
func atomicOr(_ *Ctx, old, data, _ uint64) uint64   { return old | data }
func atomicXor(_ *Ctx, old, data, _ uint64) uint64  { return old ^ data }

func atomicMskOr(_ *Ctx, old, mask, data uint64) uint64 { return old&^mask | data }

// atomicWrap operates on 32 bits.
func atomicWrap(_ *Ctx, old, data, data2 uint64) uint64 {
	if old >= data {
		return old - data
	}
	return uint64(uint32(old + data2))
}

// atomicCondXchg treats each of two dwords separately.
func atomicCondXchg(_ *Ctx, old, data, _ uint64) uint64 {
	mask := data >> 31 & 0x0000000100000001 * 0xffffffff
	return old&^mask | data&mask&0x7fffffff7fffffff
}

// atomicOrderedAdd adds to a sum, in the order of the numbers of waves. The
// number in memory wraps at 2^32; a graphics pipeline may have a lower limit.
// Source: RDNA 4 ISA, GLOBAL_ATOMIC_ORDERED_ADD_B64.
func atomicOrderedAdd(_ *Ctx, old, data, _ uint64) uint64 {
	if uint32(old) != uint32(data) {
		return old
	}
	return uint64(uint32(old)+1) | (old>>32+data>>32)<<32
}

// ofFloat turns a sum or a selection of floats into an atomic.
func ofFloat(f func(c *Ctx, old, src uint64) uint64) atomicFunc {
	return func(c *Ctx, old, data, _ uint64) uint64 { return f(c, old, data) }
}

// ofNumber turns minimumNumber or maximumNumber of a type into an atomic.
func ofNumber(t Type, larger bool) atomicFunc {
	return func(c *Ctx, old, data, _ uint64) uint64 { return c.atomicNumber(t, old, data, larger) }
}

// atomicCmpSwapF32 compares zeros of both signs as equal and NaNs as unequal to
// everything; it keeps denormals. Source: AMD's ISA documents, DS_CMPST_F32.
func atomicCmpSwapF32(_ *Ctx, old, data, cmp uint64) uint64 {
	if equalFloats(old, cmp, 0x7fffffff, 0x7f800000) {
		return data
	}
	return old
}

func atomicCmpSwapF64(_ *Ctx, old, data, cmp uint64) uint64 {
	if equalFloats(old, cmp, 1<<63-1, 0x7ff<<52) {
		return data
	}
	return old
}

// equalFloats compares two floats by their bits. abs masks all bits except the
// sign; inf is the encoding of infinity.
func equalFloats(a, b, abs, inf uint64) bool {
	if a&abs > inf || b&abs > inf {
		return false
	}
	return a == b || (a|b)&abs == 0
}
