package ir

import (
	"encoding/binary"
	"math"
	"slices"
)

// ConstKind is the kind of a constant.
type ConstKind uint8

const (
	ConstNone               ConstKind = iota // entry 0, not a constant
	ConstInt                                 // integer of at most 64 bits: Bits, zero-extended
	ConstFloat                               // half, bfloat, float, double: Bits
	ConstWide                                // wider integer or floating-point number: Words
	ConstZero                                // null pointer, zeroinitializer, none of token; integers and floats have ConstInt and ConstFloat
	ConstUndef                               // undef
	ConstPoison                              // poison
	ConstData                                // array or vector of i8 … i64, half … double: Data
	ConstAggregate                           // array, vector or struct: Operands
	ConstExpr                                // Op, Flags and Operands
	ConstGlobal                              // Global
	ConstAsm                                 // Asm
	ConstBlockAddress                        // Operands: function; Block
	ConstDSOLocalEquivalent                  // Operands: global
	ConstNoCFI                               // Operands: global
	ConstPtrAuth                             // Operands: pointer, key, discriminator, address discriminator
)

// Const is the stored form of a constant of a module. The accessors of Module
// (IntBits64, Words, Operands …) interpret a and b.
type Const struct {
	Kind  ConstKind // kind
	Op    Op        // ConstExpr
	Flags Flags     // ConstExpr
	Type  Type      // type of the value
	a, b  uint32
}

// Bits returns the bits of a ConstInt or ConstFloat.
func (c *Const) Bits() uint64 { return uint64(c.a) | uint64(c.b)<<32 }

type constTable struct {
	interner
	all   array[Const]
	words array[[]uint64] // ConstWide: a is the index
	data  array[[]byte]   // ConstData
	ops   array[[]Value]  // ConstAggregate, ConstExpr and other kinds with operands
	asms  array[InlineAsm]
}

// InlineAsm is inline assembly as a callee.
type InlineAsm struct {
	Type         Type   // function type
	Asm          string // assembler text
	Constraints  string // constraints of operands and clobbers
	SideEffect   bool   // "sideeffect"
	AlignStack   bool   // "alignstack"
	IntelDialect bool   // "inteldialect"
	CanThrow     bool   // "unwind"
}

func (t *constTable) init() { t.all.appendEntry(Const{}) }

// Const returns the stored form of v, which must be a constant.
func (m *Module) Const(v Value) Const {
	if v&tagMask != tagConst {
		panic("BUG: value is not a constant")
	}
	return *m.consts.all.at(uint32(v & indexMask))
}

func (m *Module) constAt(v Value) *Const { return m.consts.all.at(uint32(v & indexMask)) }

// NumConsts returns the number of constants, an exclusive upper bound for their
// Index.
func (m *Module) NumConsts() int { return int(m.consts.all.n) }

// ConstKindOf returns the kind of a constant, or ConstNone if v is not a
// constant.
func (m *Module) ConstKindOf(v Value) ConstKind {
	if v&tagMask != tagConst {
		return ConstNone
	}
	return m.constAt(v).Kind
}

// simple interns a constant that a and b describe completely.
func (m *Module) simple(c Const) Value {
	h := fold(mix(mix(hashSeed, uint64(c.Kind)|uint64(c.Op)<<8|uint64(c.Flags)<<16|uint64(c.Type)<<32), c.Bits()))
	return constValue(m.consts.intern(h,
		func(id uint32) bool { return *m.consts.all.at(id) == c },
		func() uint32 { return m.consts.all.appendEntry(c) }))
}

// NewInt returns an integer constant. Excess bits of x are dropped and missing
// bits are zero. For a vector type NewInt returns a splat.
func (m *Module) NewInt(t Type, x uint64) Value {
	info := m.TypeInfo(t)
	switch {
	case info.Kind == KindVector:
		return m.Splat(t, m.NewInt(info.Elem, x))
	case info.Kind != KindInt:
		panic("BUG: integer constant of a type that is not an integer")
	case info.N > 64:
		return m.NewWide(t, []uint64{x})
	case info.N < 64:
		x &= 1<<info.N - 1
	}
	return m.simple(Const{Kind: ConstInt, Type: t, a: uint32(x), b: uint32(x >> 32)})
}

// NewSigned returns an integer constant, sign-extended to the width of t.
func (m *Module) NewSigned(t Type, x int64) Value {
	info := m.TypeInfo(m.Scalar(t))
	if info.N <= 64 || x >= 0 {
		return m.NewInt(t, uint64(x))
	}
	words := make([]uint64, (info.N+63)/64)
	for i := range words {
		words[i] = 1<<64 - 1
	}
	words[0] = uint64(x)
	v := m.NewWide(m.Scalar(t), words)
	if m.IsVector(t) {
		return m.Splat(t, v)
	}
	return v
}

// NewBool returns true or false.
func (m *Module) NewBool(x bool) Value {
	if x {
		return m.NewInt(I1, 1)
	}
	return m.NewInt(I1, 0)
}

// NewWide returns an integer or floating-point constant from its bits, lowest
// word first. Missing words are zero.
func (m *Module) NewWide(t Type, words []uint64) Value {
	width := m.ScalarBits(t)
	n := (width + 63) / 64
	words = words[:min(n, len(words))]
	if width <= 64 {
		word := uint64(0)
		if len(words) > 0 {
			word = words[0]
		}
		if m.IsFloat(t) {
			return m.NewFloatBits(t, word)
		}
		return m.NewInt(t, word)
	}
	words = slices.Clone(words)
	if len(words) == n && width%64 != 0 {
		words[n-1] &= 1<<(width%64) - 1
	}
	for len(words) > 0 && words[len(words)-1] == 0 { // stored without leading zero words
		words = words[:len(words)-1]
	}
	h := mix(hashSeed, uint64(ConstWide)|uint64(t)<<32)
	for _, w := range words {
		h = mix(h, w)
	}
	c := &m.consts
	return constValue(c.intern(fold(h), func(id uint32) bool {
		o := c.all.at(id)
		return o.Kind == ConstWide && o.Type == t && slices.Equal(*c.words.at(o.a), words)
	}, func() uint32 {
		return c.all.appendEntry(Const{Kind: ConstWide, Type: t, a: c.words.appendEntry(words)})
	}))
}

// NewFloatBits returns a half, bfloat, float or double with the given bits.
func (m *Module) NewFloatBits(t Type, bits uint64) Value {
	if t > Double || t < Half {
		panic("BUG: floating-point constant of a type that is not floating-point")
	}
	if n := floatBits[t]; n < 64 {
		bits &= 1<<n - 1
	}
	return m.simple(Const{Kind: ConstFloat, Type: t, a: uint32(bits), b: uint32(bits >> 32)})
}

// NewFloat returns a float or double constant, or a splat of it. A float is x
// rounded to nearest.
func (m *Module) NewFloat(t Type, x float64) Value {
	switch s := m.Scalar(t); {
	case s != t:
		return m.Splat(t, m.NewFloat(s, x))
	case t == Float:
		return m.NewFloatBits(t, uint64(math.Float32bits(float32(x))))
	case t == Double:
		return m.NewFloatBits(t, math.Float64bits(x))
	}
	panic("BUG: floating-point constant of a type that is not floating-point")
}

// Zero returns the zero value of a type: 0, 0.0, null, zeroinitializer or none.
func (m *Module) Zero(t Type) Value {
	switch info := m.TypeInfo(t); {
	case info.Kind == KindInt && info.N <= 64:
		return m.NewInt(t, 0)
	case t >= Half && t <= Double:
		return m.NewFloatBits(t, 0)
	case info.Kind == KindInt || m.IsFloat(t):
		return m.NewWide(t, nil)
	}
	return m.simple(Const{Kind: ConstZero, Type: t})
}

// Undef returns undef of a type.
func (m *Module) Undef(t Type) Value { return m.simple(Const{Kind: ConstUndef, Type: t}) }

// Poison returns poison of a type.
func (m *Module) Poison(t Type) Value { return m.simple(Const{Kind: ConstPoison, Type: t}) }

// IntValue returns the value of an integer constant of at most 64 bits,
// zero-extended.
func (m *Module) IntValue(v Value) (uint64, bool) {
	if v&tagMask != tagConst {
		return 0, false
	}
	c := m.constAt(v)
	return c.Bits(), c.Kind == ConstInt
}

// SignedValue returns the value of an integer constant of at most 64 bits,
// sign-extended.
func (m *Module) SignedValue(v Value) (int64, bool) {
	x, ok := m.IntValue(v)
	if !ok {
		return 0, false
	}
	shift := 64 - m.IntBits(m.constAt(v).Type)
	return int64(x<<shift) >> shift, true
}

// FloatBits returns the bits of a half, bfloat, float or double constant.
func (m *Module) FloatBits(v Value) (uint64, bool) {
	if v&tagMask != tagConst {
		return 0, false
	}
	c := m.constAt(v)
	return c.Bits(), c.Kind == ConstFloat
}

// Words returns the bits of a scalar integer or floating-point constant, lowest
// word first, all words of the type.
func (m *Module) Words(v Value) []uint64 {
	switch c := m.Const(v); c.Kind {
	case ConstInt, ConstFloat:
		return []uint64{c.Bits()}
	case ConstWide:
		words := make([]uint64, (m.ScalarBits(c.Type)+63)/64)
		copy(words, *m.consts.words.at(c.a))
		return words
	}
	return nil
}

// ConstOperands returns the operands of a constant that has some. The caller
// must not modify the result.
func (m *Module) ConstOperands(v Value) []Value {
	switch c := m.constAt(v); c.Kind {
	case ConstAggregate, ConstExpr, ConstBlockAddress, ConstDSOLocalEquivalent, ConstNoCFI, ConstPtrAuth:
		return *m.consts.ops.at(c.a)
	}
	return nil
}

// ConstBytes returns the bytes of a ConstData, elements little-endian. The
// caller must not modify the result.
func (m *Module) ConstBytes(v Value) []byte {
	if c := m.constAt(v); c.Kind == ConstData {
		return *m.consts.data.at(c.a)
	}
	return nil
}

// ConstGlobal returns the global of a constant, nil for other values.
func (m *Module) ConstGlobal(v Value) *Global {
	if v&tagMask != tagConst {
		return nil
	}
	if c := m.constAt(v); c.Kind == ConstGlobal {
		return m.globals[c.a]
	}
	return nil
}

// IsZero reports whether v is the constant that Zero returns for its type.
func (m *Module) IsZero(v Value) bool {
	switch c := m.Const(v); c.Kind {
	case ConstZero:
		return true
	case ConstInt, ConstFloat:
		return c.Bits() == 0
	case ConstWide:
		return len(*m.consts.words.at(c.a)) == 0
	}
	return false
}

// simpleElement returns the size in bytes of an element type that ConstData can
// hold, or 0 for other types.
func (m *Module) simpleElement(t Type) int {
	switch t {
	case I8:
		return 1
	case I16, Half, BFloat:
		return 2
	case I32, Float:
		return 4
	case I64, Double:
		return 8
	}
	return 0
}

// NewData returns an array or vector of i8, i16, i32, i64, half, bfloat, float
// or double from the little-endian bytes of its elements. The module retains
// data.
func (m *Module) NewData(t Type, data []byte) Value {
	if !slices.ContainsFunc(data, func(b byte) bool { return b != 0 }) {
		return m.Zero(t)
	}
	h := hashString(mix(hashSeed, uint64(ConstData)|uint64(t)<<32), bytesAsString(data))
	c := &m.consts
	return constValue(c.intern(fold(h), func(id uint32) bool {
		o := c.all.at(id)
		return o.Kind == ConstData && o.Type == t && bytesAsString(*c.data.at(o.a)) == bytesAsString(data)
	}, func() uint32 {
		return c.all.appendEntry(Const{Kind: ConstData, Type: t, a: c.data.appendEntry(data)})
	}))
}

// NewString returns the array of i8 with the given bytes. The module retains
// data.
func (m *Module) NewString(data []byte) Value {
	return m.NewData(m.ArrayType(I8, uint64(len(data))), data)
}

// NewAggregate returns an array, vector or struct. The number and types of
// elems must match t. The result is in LLVM's canonical form: elements that are
// all zero, undef or poison become one constant of that kind, and elements of
// simple types become ConstData.
func (m *Module) NewAggregate(t Type, elems []Value) Value {
	if len(elems) == 0 {
		return m.Zero(t)
	}
	first, isStruct := elems[0], m.Kind(t) == KindStruct
	zero, undef, poison, same := true, true, true, true
	for _, e := range elems {
		k := m.constAt(e).Kind
		zero = zero && m.IsZero(e)
		poison = poison && k == ConstPoison
		undef = undef && k == ConstUndef
		same = same && e == first
	}
	switch {
	case zero:
		return m.Zero(t)
	case poison:
		return m.Poison(t)
	case undef && (isStruct || same):
		return m.Undef(t)
	}
	if !isStruct {
		if v, ok := m.packData(t, elems); ok {
			return v
		}
	}
	return m.withOperands(Const{Kind: ConstAggregate, Type: t}, elems)
}

// packData returns elems as ConstData, if their types allow it.
func (m *Module) packData(t Type, elems []Value) (Value, bool) {
	size := m.simpleElement(m.TypeInfo(t).Elem)
	if size == 0 {
		return None, false
	}
	for _, e := range elems {
		if k := m.constAt(e).Kind; k != ConstInt && k != ConstFloat {
			return None, false
		}
	}
	data := make([]byte, 0, size*len(elems))
	var word [8]byte
	for _, e := range elems {
		binary.LittleEndian.PutUint64(word[:], m.constAt(e).Bits())
		data = append(data, word[:size]...)
	}
	return m.NewData(t, data), true
}

// withOperands interns a constant with a copy of ops.
func (m *Module) withOperands(c Const, ops []Value) Value {
	c.a = 0
	m.guard.Check()
	t := &m.consts
	return constValue(t.intern(hashOperands(&c, ops), func(id uint32) bool {
		o := *t.all.at(id)
		at := o.a
		o.a = 0
		return o == c && slices.Equal(*t.ops.at(at), ops)
	}, func() uint32 {
		c.a = t.ops.appendEntry(slices.Clone(ops))
		return t.all.appendEntry(c)
	}))
}

// hashOperands returns the hash of a constant with operands.
func hashOperands(c *Const, ops []Value) uint32 {
	h := mix(hashSeed, uint64(c.Kind)|uint64(c.Op)<<8|uint64(c.Flags)<<16|uint64(c.Type)<<32)
	return fold(hashWords(mix(h, uint64(c.b)), ops))
}

// Splat returns the vector of type t in which every element is elem.
func (m *Module) Splat(t Type, elem Value) Value {
	n := m.TypeInfo(t).N
	if m.IsZero(elem) {
		return m.Zero(t)
	}
	elems := make([]Value, n)
	for i := range elems {
		elems[i] = elem
	}
	return m.NewAggregate(t, elems)
}

// Element returns element i of a constant array, vector or struct. It returns
// None if the index is out of range or v is an expression.
func (m *Module) Element(v Value, i uint64) Value {
	c := m.constAt(v)
	if i >= m.NumElements(c.Type) {
		return None
	}
	t := m.ElementType(c.Type, i)
	switch c.Kind {
	case ConstZero:
		return m.Zero(t)
	case ConstUndef:
		return m.Undef(t)
	case ConstPoison:
		return m.Poison(t)
	case ConstAggregate:
		return (*m.consts.ops.at(c.a))[i]
	case ConstData:
		size := uint64(m.simpleElement(t))
		var word [8]byte
		copy(word[:], (*m.consts.data.at(c.a))[i*size:][:size])
		bits := binary.LittleEndian.Uint64(word[:])
		if m.IsFloat(t) {
			return m.NewFloatBits(t, bits)
		}
		return m.NewInt(t, bits)
	}
	return None
}

// SplatValue returns the common element of a constant vector, or None if v is
// not a splat.
func (m *Module) SplatValue(v Value) Value {
	if m.ConstKindOf(v) == ConstNone || !m.IsVector(m.constAt(v).Type) {
		return None
	}
	first := m.Element(v, 0)
	if first == None {
		return None
	}
	switch c := m.constAt(v); c.Kind {
	case ConstData:
		data := *m.consts.data.at(c.a)
		size := len(data) / int(m.TypeInfo(c.Type).N)
		if bytesAsString(data[size:]) != bytesAsString(data[:len(data)-size]) {
			return None
		}
	case ConstAggregate:
		for _, e := range *m.consts.ops.at(c.a) {
			if e != first {
				return None
			}
		}
	}
	return first
}
