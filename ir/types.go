package ir

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Type is the number of a type of a module. Equal types have equal numbers. The
// constants below are valid in every module.
type Type uint32

// Predefined types of every module.
const (
	NoType   Type = iota
	Void          // no value
	Label         // basic blocks
	MD            // metadata as a value
	Token         // token
	Half          // IEEE 754 binary16
	BFloat        // bfloat16
	Float         // binary32
	Double        // binary64
	X86FP80       // 80-bit extended, only as data
	FP128         // binary128
	PPCFP128      // pair of doubles, only as data
	I1
	I8
	I16
	I32
	I64
	I128
	Ptr // pointer to address space 0; Ptr+n for address spaces up to 9 ([Module.PtrType])

	numFixedTypes = Ptr + 10
)

// MaxIntBits is the widest integer type, in bits (LangRef, "Integer Type").
const MaxIntBits = 1 << 23

// TypeKind is the kind of a type.
type TypeKind uint8

// Kinds of types. Source: LLVM Language Reference, Type System.
const (
	KindNone TypeKind = iota
	KindVoid
	KindLabel
	KindMetadata
	KindToken
	KindHalf
	KindBFloat
	KindFloat
	KindDouble
	KindX86FP80
	KindFP128
	KindPPCFP128
	KindInt
	KindPtr
	KindVector
	KindArray
	KindStruct
	KindFunc
	KindTarget // target("…")
)

// TypeInfo describes a type.
type TypeInfo struct {
	Kind    TypeKind // kind; decides which of the other fields are valid
	Packed  bool     // struct: <{ … }>
	Named   bool     // struct: identified, equal only to itself
	Opaque  bool     // identified struct without a body
	VarArg  bool     // function
	Elem    Type     // element of an array or vector, result of a function
	N       uint64   // width of an integer in bits, address space of a pointer, or number of elements of an array or vector
	Elems   []Type   // fields of a struct, parameters of a function or target type; read-only
	Ints    []uint32 // integer parameters of a target type
	Name    string   // identified struct ("" if numbered), target type
	layouts atomic.Pointer[structLayout]
	sized   atomic.Bool // struct: cached result of IsSized
}

type typeTable struct {
	interner
	all   array[TypeInfo]
	named map[string]Type // identified structs, guarded by mu
}

// fixedTypes lists the types below numFixedTypes.
var fixedTypes = [numFixedTypes]struct {
	kind TypeKind
	n    uint64
}{
	Void: {KindVoid, 0}, Label: {KindLabel, 0}, MD: {KindMetadata, 0}, Token: {KindToken, 0},
	Half: {KindHalf, 0}, BFloat: {KindBFloat, 0}, Float: {KindFloat, 0}, Double: {KindDouble, 0},
	X86FP80: {KindX86FP80, 0}, FP128: {KindFP128, 0}, PPCFP128: {KindPPCFP128, 0},
	I1: {KindInt, 1}, I8: {KindInt, 8}, I16: {KindInt, 16}, I32: {KindInt, 32}, I64: {KindInt, 64}, I128: {KindInt, 128},
	Ptr: {KindPtr, 0}, Ptr + 1: {KindPtr, 1}, Ptr + 2: {KindPtr, 2}, Ptr + 3: {KindPtr, 3}, Ptr + 4: {KindPtr, 4},
	Ptr + 5: {KindPtr, 5}, Ptr + 6: {KindPtr, 6}, Ptr + 7: {KindPtr, 7}, Ptr + 8: {KindPtr, 8}, Ptr + 9: {KindPtr, 9},
}

func (t *typeTable) init() {
	t.all.buckets[0] = make([]TypeInfo, 1<<firstBucketLog)
	for i := range fixedTypes {
		info := &t.all.buckets[0][i]
		info.Kind, info.N = fixedTypes[i].kind, fixedTypes[i].n
	}
	t.all.n = uint32(numFixedTypes)
	t.named = map[string]Type{}
}

// TypeInfo returns the description of a type. The caller must not modify the
// result.
func (m *Module) TypeInfo(t Type) *TypeInfo { return m.types.all.at(uint32(t)) }

// Kind returns the kind of a type.
func (m *Module) Kind(t Type) TypeKind { return m.types.all.at(uint32(t)).Kind }

// NumTypes returns the number of types, an exclusive upper bound for their
// numbers.
func (m *Module) NumTypes() int { return int(m.types.all.n) }

func (t *TypeInfo) hash() uint32 {
	var flags uint64
	if t.Packed {
		flags |= 1
	}
	if t.VarArg {
		flags |= 2
	}
	h := mix(hashSeed, uint64(t.Kind)|flags<<8|uint64(t.Elem)<<32)
	h = mix(h, t.N)
	h = hashWords(h, t.Elems)
	if t.Kind == KindTarget {
		h = hashString(hashWords(h, t.Ints), t.Name)
	}
	return fold(h)
}

func (t *TypeInfo) equal(o *TypeInfo) bool {
	return t.Kind == o.Kind && t.Packed == o.Packed && t.Named == o.Named && t.VarArg == o.VarArg && t.Elem == o.Elem &&
		t.N == o.N && slices.Equal(t.Elems, o.Elems) && slices.Equal(t.Ints, o.Ints) && t.Name == o.Name
}

// intern returns the type with the given description. It copies the slices of
// info if the type is new.
func (t *typeTable) intern(info *TypeInfo) Type {
	return Type(t.interner.intern(info.hash(),
		func(id uint32) bool { return t.all.at(id).equal(info) },
		func() uint32 { return t.addType(info) }))
}

func (t *typeTable) addType(info *TypeInfo) uint32 {
	id := t.all.appendEntry(TypeInfo{})
	n := t.all.at(id)
	n.Kind, n.Packed, n.Named, n.Opaque, n.VarArg = info.Kind, info.Packed, info.Named, info.Opaque, info.VarArg
	n.Elem, n.N, n.Name = info.Elem, info.N, info.Name
	n.Elems, n.Ints = slices.Clone(info.Elems), slices.Clone(info.Ints)
	return id
}

// IntType returns the integer type of the given width, 1 to MaxIntBits.
func (m *Module) IntType(bits int) Type {
	switch bits {
	case 1:
		return I1
	case 8:
		return I8
	case 16:
		return I16
	case 32:
		return I32
	case 64:
		return I64
	case 128:
		return I128
	}
	if bits < 1 || bits > MaxIntBits {
		panic(fmt.Sprintf("BUG: integer type of %d bits", bits))
	}
	return m.types.intern(&TypeInfo{Kind: KindInt, N: uint64(bits)})
}

// PtrType returns the pointer type of an address space, below 2^24.
func (m *Module) PtrType(addrSpace uint32) Type {
	if addrSpace < uint32(numFixedTypes-Ptr) {
		return Ptr + Type(addrSpace)
	}
	return m.types.intern(&TypeInfo{Kind: KindPtr, N: uint64(addrSpace)})
}

// VectorType returns the type of vectors with n elements, n > 0.
func (m *Module) VectorType(elem Type, n uint64) Type {
	return m.types.intern(&TypeInfo{Kind: KindVector, Elem: elem, N: n})
}

// ArrayType returns the type of arrays with n elements.
func (m *Module) ArrayType(elem Type, n uint64) Type {
	return m.types.intern(&TypeInfo{Kind: KindArray, Elem: elem, N: n})
}

// StructType returns the literal struct type with the given fields.
func (m *Module) StructType(fields []Type, packed bool) Type {
	return m.types.intern(&TypeInfo{Kind: KindStruct, Elems: fields, Packed: packed})
}

// FuncType returns a function type.
func (m *Module) FuncType(result Type, params []Type, varArg bool) Type {
	return m.types.intern(&TypeInfo{Kind: KindFunc, Elem: result, Elems: params, VarArg: varArg})
}

// TargetType returns the type target("name", types…, ints…).
func (m *Module) TargetType(name string, types []Type, ints []uint32) Type {
	return m.types.intern(&TypeInfo{Kind: KindTarget, Name: name, Elems: types, Ints: ints})
}

// NewStruct creates an identified struct without a body. If the name is in use,
// a dot and a number are appended as in LLVM. A struct with an empty name is
// numbered when it is printed.
func (m *Module) NewStruct(name string) Type {
	t := &m.types
	t.mu.Lock()
	defer t.mu.Unlock()
	unique := name
	for i := 0; name != ""; i++ {
		if _, taken := t.named[unique]; !taken {
			break
		}
		unique = fmt.Sprintf("%s.%d", name, i)
	}
	id := Type(t.addType(&TypeInfo{Kind: KindStruct, Named: true, Opaque: true, Name: unique}))
	if name != "" {
		t.named[unique] = id
	}
	return id
}

// NamedStruct returns the identified struct with the given name, or NoType.
func (m *Module) NamedStruct(name string) Type {
	m.types.mu.Lock()
	defer m.types.mu.Unlock()
	return m.types.named[name]
}

// SetStructBody sets the fields of an identified struct. The caller must have
// exclusive access to the type.
func (m *Module) SetStructBody(t Type, fields []Type, packed bool) {
	info := m.TypeInfo(t)
	if !info.Named {
		panic("BUG: body for a type that is not an identified struct")
	}
	info.Elems, info.Packed, info.Opaque = slices.Clone(fields), packed, false
	info.layouts.Store(nil)
}

// Contains reports whether values of type t contain values of type part. No
// type may contain itself.
func (m *Module) Contains(t, part Type) bool {
	seen := map[Type]bool{}
	stack := []Type{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if t == part {
			return true
		}
		info := m.TypeInfo(t)
		if info.Kind == KindFunc || info.Kind == KindTarget || seen[t] {
			continue
		}
		seen[t] = true
		stack = append(stack, info.Elems...)
		if info.Elem != NoType {
			stack = append(stack, info.Elem)
		}
	}
	return false
}

// IntBits returns the width of an integer type, or 0 for other types.
func (m *Module) IntBits(t Type) int {
	if info := m.TypeInfo(t); info.Kind == KindInt {
		return int(info.N)
	}
	return 0
}

// AddrSpace returns the address space of a pointer or vector of pointers.
func (m *Module) AddrSpace(t Type) uint32 {
	if t >= Ptr && t < numFixedTypes {
		return uint32(t - Ptr)
	}
	return uint32(m.TypeInfo(m.Scalar(t)).N)
}

// Scalar returns the element type of a vector, or t itself for other types.
func (m *Module) Scalar(t Type) Type {
	if info := m.TypeInfo(t); info.Kind == KindVector {
		return info.Elem
	}
	return t
}

// WithScalar returns t with its scalar type replaced: a vector stays a vector.
func (m *Module) WithScalar(t, scalar Type) Type {
	if info := m.TypeInfo(t); info.Kind == KindVector {
		return m.VectorType(scalar, info.N)
	}
	return scalar
}

// IsInt reports whether t is an integer type.
func (m *Module) IsInt(t Type) bool { return m.Kind(t) == KindInt }

// IsPtr reports whether t is a pointer type.
func (m *Module) IsPtr(t Type) bool { return m.Kind(t) == KindPtr }

// IsFloat reports whether t is a floating-point type.
func (m *Module) IsFloat(t Type) bool { return t >= Half && t <= PPCFP128 }

// IsVector reports whether t is a vector type.
func (m *Module) IsVector(t Type) bool { return m.Kind(t) == KindVector }

// IsIntOrIntVector reports whether t is an integer or a vector of integers.
func (m *Module) IsIntOrIntVector(t Type) bool { return m.IsInt(m.Scalar(t)) }

// IsFloatOrFloatVector reports whether t is a floating-point type or a vector
// of floating-point elements.
func (m *Module) IsFloatOrFloatVector(t Type) bool { return m.IsFloat(m.Scalar(t)) }

// IsPtrOrPtrVector reports whether t is a pointer or a vector of pointers.
func (m *Module) IsPtrOrPtrVector(t Type) bool { return m.IsPtr(m.Scalar(t)) }

// IsAggregate reports whether t is an array or a struct.
func (m *Module) IsAggregate(t Type) bool {
	k := m.Kind(t)
	return k == KindArray || k == KindStruct
}

// IsFirstClass reports whether values may have the type.
func (m *Module) IsFirstClass(t Type) bool {
	switch info := m.TypeInfo(t); info.Kind {
	case KindNone, KindVoid, KindFunc:
		return false
	case KindStruct:
		return !info.Opaque
	}
	return true
}

// ElementType returns the type of element i of an array, vector or struct, or
// NoType if it does not exist.
func (m *Module) ElementType(t Type, i uint64) Type {
	info := m.TypeInfo(t)
	switch info.Kind {
	case KindArray, KindVector:
		return info.Elem
	case KindStruct:
		if i < uint64(len(info.Elems)) {
			return info.Elems[i]
		}
	}
	return NoType
}

// NumElements returns the number of elements of an array, vector or struct, or
// 0 for other types.
func (m *Module) NumElements(t Type) uint64 {
	info := m.TypeInfo(t)
	switch info.Kind {
	case KindArray, KindVector:
		return info.N
	case KindStruct:
		return uint64(len(info.Elems))
	}
	return 0
}

// floatBits holds the widths of the floating-point types.
var floatBits = [...]int{Half: 16, BFloat: 16, Float: 32, Double: 64, X86FP80: 80, FP128: 128, PPCFP128: 128}

// ScalarBits returns the width of an integer or floating-point type, or of a
// vector's elements. It returns 0 for other types.
func (m *Module) ScalarBits(t Type) int {
	t = m.Scalar(t)
	if t < Type(len(floatBits)) && floatBits[t] != 0 {
		return floatBits[t]
	}
	return m.IntBits(t)
}

// PrimitiveBits returns the size in bits of an integer or floating-point type
// or a vector of them, or 0 for other types (LLVM's getPrimitiveSizeInBits).
func (m *Module) PrimitiveBits(t Type) uint64 {
	n := uint64(m.ScalarBits(t))
	if info := m.TypeInfo(t); info.Kind == KindVector {
		return n * info.N
	}
	return n
}

// IsFPMathType reports whether instructions of type t allow fast-math flags:
// floating-point types, vectors of them, arrays of such types and literal
// structs with fields of one such type.
func (m *Module) IsFPMathType(t Type) bool {
	info := m.TypeInfo(t)
	for info.Kind == KindArray {
		t = info.Elem
		info = m.TypeInfo(t)
	}
	if info.Kind == KindStruct && !info.Named && len(info.Elems) > 0 {
		t = info.Elems[0]
		for _, e := range info.Elems {
			if e != t {
				return false
			}
		}
	}
	return m.IsFloatOrFloatVector(t)
}

// HasNamedStructs reports whether the module has identified structs.
func (m *Module) HasNamedStructs() bool {
	for i := range m.types.all.n {
		if m.types.all.at(i).Named {
			return true
		}
	}
	return false
}
