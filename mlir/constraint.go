package mlir

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// A TypeConstraint specifies which types an operand or result may have. It is read
// from MLIR's description, a controlled English:
//
//	index | integer | signless integer | N-bit signless integer | N-bit float | bfloat16 type | f8E4M3FN type
//	A or B | vector of A or B values of length 2/4 | fixed-length vector of A values of ranks 1
//	memref of A values | strided memref of A values of rank 0 | ranked tensor of A values
//	floating-point-like | LLVM pointer in address space 3 | LLVM dialect-compatible vector of A
//
// Meanings (see Dialect) may also specify "of nonzero rank", and "!dialect.mnemonic"
// for a type of a dialect.
type TypeConstraint struct {
	Description string // MLIR's; of a variadic operand or result it starts with "variadic of"

	accepts typePredicate
	build   typeBuilder // nil if several types meet the constraint
	built   atomic.Pointer[Type]
	kinds   kindSet
	short   string // the mnemonic, if only pointers or only structures of the dialect llvm meet the constraint
}

// A kindSet is a set of kinds of types, by bits; 0 if it is not known.
type kindSet uint32

const severalKinds = 1<<NoneKind | 1<<OpaqueKind

type (
	typePredicate func(t *Type) bool
	typeBuilder   func(c *Context) *Type
)

// Kind returns the kind of the types that meet the constraint, and false if there
// are several kinds.
func (k *TypeConstraint) Kind() (TypeKind, bool) {
	if bits.OnesCount32(uint32(k.kinds)) != 1 {
		return 0, false
	}
	return TypeKind(bits.TrailingZeros32(uint32(k.kinds))), true
}

// Accepts reports whether a type meets the constraint.
func (k *TypeConstraint) Accepts(t *Type) bool { return k.accepts(t) }

// Buildable returns the only type that meets the constraint, or nil.
func (k *TypeConstraint) Buildable(c *Context) *Type {
	if k.build == nil {
		return nil
	}
	t := k.built.Load() // the constraint belongs to the context
	if t == nil {
		t = k.build(c)
		k.built.Store(t)
	}
	return t
}

// constraintCache holds the constraints that a context has read, by description
// and meaning.
type constraintCache struct {
	types map[[2]string]*TypeConstraint
	attrs map[[2]string]*AttrConstraint
}

// typeConstraint returns the constraint of a description and its meaning.
func (c *Context) typeConstraint(description, meaning string) (*TypeConstraint, error) {
	key := [2]string{description, meaning}
	if k := c.constraints.types[key]; k != nil {
		return k, nil
	}
	r := &phraseReader{rest: meaning}
	set, err := r.types()
	if err == nil && r.rest != "" {
		err = fmt.Errorf("unknown words %q in a constraint", r.rest)
	}
	if err != nil {
		return nil, err
	}
	k := &TypeConstraint{Description: description, accepts: set.accepts, build: set.build, kinds: set.kinds}
	switch {
	case strings.HasPrefix(meaning, "LLVM pointer") && !strings.Contains(meaning, " or "):
		k.short = "ptr"
	case strings.HasPrefix(meaning, "LLVM struct of"):
		k.short = "struct"
	}
	if c.constraints.types == nil {
		c.constraints.types = map[[2]string]*TypeConstraint{}
	}
	c.constraints.types[key] = k
	return k, nil
}

// A typeSet is a set of types: a phrase that has been read.
type typeSet struct {
	accepts typePredicate
	build   typeBuilder
	kinds   kindSet
}

// A phraseReader reads constraints. Phrases are tried in the order of tables,
// and each consumes its words.
type phraseReader struct {
	rest string
}

// take consumes a phrase if the rest starts with it, and the blank after it.
func (r *phraseReader) take(phrase string) bool {
	rest, ok := strings.CutPrefix(r.rest, phrase)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != ',' {
		return false
	}
	r.rest = strings.TrimPrefix(rest, " ")
	return true
}

// word consumes a word.
func (r *phraseReader) word() string {
	word, rest, _ := strings.Cut(r.rest, " ")
	r.rest = rest
	return word
}

// types reads "A or B or C" and "A, B or C".
func (r *phraseReader) types() (typeSet, error) {
	first, err := r.oneType()
	if err != nil {
		return first, err
	}
	all, kinds := []typePredicate{first.accepts}, first.kinds
	if kinds == 0 {
		kinds = severalKinds
	}
	for r.take("or") || r.take(",") {
		next, err := r.oneType()
		if err != nil {
			return next, err
		}
		all = append(all, next.accepts)
		if kinds |= next.kinds; next.kinds == 0 {
			kinds |= severalKinds
		}
	}
	if len(all) == 1 {
		return first, nil
	}
	return typeSet{accepts: anyOf(all), kinds: kinds}, nil
}

func anyOf(all []typePredicate) typePredicate {
	return func(t *Type) bool {
		for _, p := range all {
			if p(t) {
				return true
			}
		}
		return false
	}
}

// A typePhrase is a phrase for a fixed set of types.
type typePhrase struct {
	words   string
	accepts typePredicate
	build   typeBuilder
}

func isFloat(t *Type) bool           { return t.Kind == FloatKind }
func isInteger(t *Type) bool         { return t.Kind == IntegerKind }
func isIndex(t *Type) bool           { return t.Kind == IndexKind }
func isSignlessOrIndex(t *Type) bool { return t.IsSignlessInteger() || t.Kind == IndexKind }

// elementwise accepts what p accepts, and vectors and tensors of it.
func elementwise(p typePredicate) typePredicate {
	return func(t *Type) bool {
		switch t.Kind {
		case VectorKind, TensorKind, UnrankedTensorKind:
			t = t.Elem
		}
		return p(t)
	}
}

func either(a, b typePredicate) typePredicate {
	return func(t *Type) bool { return a(t) || b(t) }
}

// typePhrases are the phrases that need no grammar; longer ones are before those
// that start them.
var typePhrases = lazy.Value[[]typePhrase]{Make: func() []typePhrase {
	return []typePhrase{
		{"any type", func(*Type) bool { return true }, nil},
		{"index", isIndex, (*Context).Index},
		{"integer/index/float type", either(isFloat, isSignlessOrIndex), nil},
		{"integer", isInteger, nil},
		{"Integer", (*Type).IsSignlessInteger, nil},
		{"Float", isFloat, nil},
		{"signless integer", (*Type).IsSignlessInteger, nil},
		{"signed integer", func(t *Type) bool { return t.Kind == IntegerKind && t.Sign == Signed }, nil},
		{"floating-point", isFloat, nil},
		{"bfloat16 type", ofFormat(&BFloat16), buildFloat(&BFloat16)},
		{"function type", func(t *Type) bool { return t.Kind == FunctionKind }, nil},
		{"floating-point-like", elementwise(isFloat), nil},
		{"bool-like", elementwise(func(t *Type) bool { return t.IsInteger(1) }), nil},
		{"signless-integer-like", elementwise((*Type).IsSignlessInteger), nil},
		{"signless-fixed-width-integer-like", elementwise((*Type).IsSignlessInteger), nil},
		{"signless-integer-or-index-like", elementwise(isSignlessOrIndex), nil},
		{"signless-integer-or-float-like", elementwise(either((*Type).IsSignlessInteger, isFloat)), nil},
		{"signless-integer-or-index-or-float-like", elementwise(either(isSignlessOrIndex, isFloat)), nil},
		{"LLVM pointer type", isLLVMPointer, nil},
		{"LLVM token type", isLLVM("token"), func(c *Context) *Type { return c.DialectType("llvm", "token") }},
		{"LLVM structure type", isLLVM("struct"), nil},
		{"LLVM aggregate type", isLLVMAggregate, nil},
		{"LLVM dialect-compatible type", isLLVMType, nil},
		{"LLVM dialect-compatible vector type", isLLVMVector, nil},
		{"LLVM dialect-compatible fixed-length vector type", func(t *Type) bool { return isLLVMVector(t) && !t.IsScalable() }, nil},
		{"LLVM-compatible non-aggregate type", func(t *Type) bool { return isLLVMType(t) && !isLLVMAggregate(t) }, nil},
		{"floating point LLVM type", isLLVMFloat, nil},
		{"primitive LLVM type", isLLVMPrimitive, nil},
		{"LLVM type with size", func(t *Type) bool { return isLLVMPrimitive(t) && !isOpaqueStruct(t) }, nil},
	}
}}

func ofFormat(f *FloatFormat) typePredicate {
	return func(t *Type) bool { return t.Kind == FloatKind && t.Float == f }
}

func buildFloat(f *FloatFormat) typeBuilder {
	return func(c *Context) *Type { return c.FloatType(f) }
}

// containerKinds returns the kinds of types that a phrase for containers means.
func containerKinds(words string) kindSet {
	switch {
	case strings.HasSuffix(words, "vector of"):
		return 1 << VectorKind
	case strings.Contains(words, "unranked"), strings.HasPrefix(words, "Tensor"):
		return 0
	case strings.HasSuffix(words, "memref of"):
		return 1 << MemRefKind
	case words == "ranked tensor of":
		return 1 << TensorKind
	}
	return 0
}

func (r *phraseReader) oneType() (typeSet, error) {
	for _, p := range typePhrases.Get() {
		if r.take(p.words) {
			return typeSet{p.accepts, p.build, 0}, nil
		}
	}
	for i := range containerPhrases {
		if r.take(containerPhrases[i].words) {
			return r.container(&containerPhrases[i])
		}
	}
	switch {
	case r.take("LLVM pointer in address space"):
		return r.llvmPointer()
	case r.take("LLVM dialect-compatible vector of"):
		return r.llvmVector()
	case r.take("LLVM struct of"):
		return r.llvmStruct()
	case strings.HasPrefix(r.rest, "!"):
		return r.dialectType()
	case strings.HasPrefix(r.rest, "vector<"):
		return r.shapedVector()
	}
	return r.sized()
}

// sized reads "8-bit signless integer", "32-bit float", "f8E4M3FN type", "i32"
// and "f32".
func (r *phraseReader) sized() (typeSet, error) {
	word, _, _ := strings.Cut(r.rest, " ")
	word = strings.TrimSuffix(word, ",")
	if digits, ok := strings.CutSuffix(word, "-bit"); ok {
		width, err := strconv.Atoi(digits)
		if err == nil {
			r.take(word)
			return r.ofWidth(width)
		}
	}
	if digits, ok := strings.CutPrefix(word, "i"); ok {
		if width, err := strconv.Atoi(digits); err == nil {
			r.take(word)
			return integerSet(width, Signless), nil
		}
	}
	if f := FloatFormatNamed(word); f != nil {
		r.take(word)
		r.take("type")
		return typeSet{ofFormat(f), buildFloat(f), 1 << FloatKind}, nil
	}
	return typeSet{}, fmt.Errorf("unknown words %q in a constraint", r.rest)
}

func integerSet(width int, sign Signedness) typeSet {
	return typeSet{
		func(t *Type) bool { return t.Kind == IntegerKind && t.Width == width && t.Sign == sign },
		func(c *Context) *Type { return c.SignedInteger(width, sign) },
		1 << IntegerKind,
	}
}

// ofWidth reads what follows "N-bit".
func (r *phraseReader) ofWidth(width int) (typeSet, error) {
	for sign, phrase := range [...]string{"signless integer", "signed integer", "unsigned integer"} {
		if r.take(phrase) {
			return integerSet(width, Signedness(sign)), nil
		}
	}
	f := FloatFormatNamed("f" + strconv.Itoa(width))
	if f != nil && r.take("float") {
		return typeSet{ofFormat(f), buildFloat(f), 1 << FloatKind}, nil
	}
	return typeSet{}, fmt.Errorf("unknown words %q in a constraint", r.rest)
}

// A containerPhrase is a phrase for a set of shaped types, before "A values".
type containerPhrase struct {
	words   string
	accepts typePredicate
}

func isVector(t *Type) bool         { return t.Kind == VectorKind }
func isFixedVector(t *Type) bool    { return t.Kind == VectorKind && !t.IsScalable() }
func isScalableVector(t *Type) bool { return t.Kind == VectorKind && t.IsScalable() }
func isMemRef(t *Type) bool         { return t.Kind == MemRefKind }
func isAnyMemRef(t *Type) bool      { return t.Kind == MemRefKind || t.Kind == UnrankedMemRefKind }
func isRankedTensor(t *Type) bool   { return t.Kind == TensorKind }
func isStridedMemRef(t *Type) bool  { return t.Kind == MemRefKind && hasStrides(t.Layout) }
func isStaticMemRef(t *Type) bool   { return t.Kind == MemRefKind && t.HasStaticShape() }
func is1DMemRef(t *Type) bool       { return t.Kind == MemRefKind && len(t.Shape) == 1 }

var containerPhrases = [...]containerPhrase{
	{"vector of", isVector},
	{"fixed-length vector of", isFixedVector},
	{"scalable vector of", isScalableVector},
	{"memref of", isMemRef},
	{"ranked or unranked memref of", isAnyMemRef},
	{"unranked.memref of", func(t *Type) bool { return t.Kind == UnrankedMemRefKind }},
	{"non-0-ranked.memref of", func(t *Type) bool { return t.Kind == MemRefKind && len(t.Shape) > 0 }},
	{"strided memref of", isStridedMemRef},
	{"statically shaped memref of", isStaticMemRef},
	{"1D memref of", is1DMemRef},
	{"ranked tensor of", isRankedTensor},
	{"Tensor or MemRef of", func(t *Type) bool {
		return t.Kind == TensorKind || t.Kind == UnrankedTensorKind || t.Kind == MemRefKind
	}},
	{"shaped of", (*Type).IsShaped},
}

// hasStrides reports whether a layout is a strided one: nil for the identity.
func hasStrides(layout *Attr) bool {
	if layout == nil || layout.Kind == StridedLayoutAttr {
		return true
	}
	if layout.Kind != AffineMapAttr {
		return false
	}
	_, _, ok := layout.Map.Strides()
	return ok
}

// container reads the elements of shaped types, and what follows them.
func (r *phraseReader) container(p *containerPhrase) (typeSet, error) {
	elem, err := r.types()
	if err != nil {
		return elem, err
	}
	if !r.take("values") {
		return elem, fmt.Errorf(`no "values" in a constraint before %q`, r.rest)
	}
	all := []typePredicate{p.accepts}
	set := typeSet{kinds: containerKinds(p.words)}
	for r.take("of") {
		limit, length, err := r.limit()
		if err != nil {
			return set, err
		}
		all = append(all, limit)
		if length > 0 && elem.build != nil && strings.HasPrefix(p.words, "fixed-length") {
			set.build = func(c *Context) *Type { return c.Vector(elem.build(c), length) }
		}
	}
	set.accepts = func(t *Type) bool {
		for _, q := range all {
			if !q(t) {
				return false
			}
		}
		return elem.accepts(t.Elem)
	}
	return set, nil
}

// limit reads what follows "of" after "vector of A values": a limit of the rank
// or of the number of elements. The number of elements is returned if there is
// exactly one.
func (r *phraseReader) limit() (limit typePredicate, length int64, err error) {
	switch {
	case r.take("nonzero rank"):
		return func(t *Type) bool { return len(t.Shape) > 0 }, 0, nil
	case r.take("at least length"):
		n, err := r.numbers()
		return func(t *Type) bool { return len(t.Shape) > 0 && t.NumElements() >= n[0] }, 0, err
	case r.take("at most length"):
		n, err := r.numbers()
		return func(t *Type) bool { return len(t.Shape) > 0 && t.NumElements() <= n[0] }, 0, err
	case r.take("length"):
		n, err := r.numbers()
		if len(n) == 1 {
			length = n[0]
		}
		return func(t *Type) bool { return len(t.Shape) > 0 && slices.Contains(n, t.NumElements()) }, length, err
	case r.take("ranks"), r.take("rank"):
		n, err := r.numbers()
		return func(t *Type) bool { return slices.Contains(n, int64(len(t.Shape))) }, 0, err
	}
	return nil, 0, fmt.Errorf("unknown words %q in a constraint", r.rest)
}

// numbers reads "4" and "2/4/8".
func (r *phraseReader) numbers() ([]int64, error) {
	word := r.word()
	var list []int64
	for digits := range strings.SplitSeq(word, "/") {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return []int64{0}, fmt.Errorf("no number in a constraint: %q", word)
		}
		list = append(list, n)
	}
	return list, nil
}

// shapedVector reads "vector<8xF32> of 32-bit float values": MLIR writes the name
// of a definition between the brackets, whose element type follows.
func (r *phraseReader) shapedVector() (typeSet, error) {
	word := strings.TrimPrefix(r.word(), "vector<")
	var shape []int64
	for {
		size, rest, ok := strings.Cut(word, "x")
		n, err := strconv.ParseInt(size, 10, 64)
		if !ok || err != nil {
			break
		}
		shape = append(shape, n)
		word = rest
	}
	if !r.take("of") {
		return typeSet{}, fmt.Errorf("unknown words %q in a constraint", r.rest)
	}
	elem, err := r.oneType()
	if err != nil {
		return elem, err
	}
	r.take("values")
	set := typeSet{accepts: func(t *Type) bool {
		return isFixedVector(t) && slices.Equal(t.Shape, shape) && elem.accepts(t.Elem)
	}}
	if elem.build != nil {
		set.build = func(c *Context) *Type { return c.Vector(elem.build(c), shape...) }
	}
	return set, nil
}

// dialectType reads "!dialect.mnemonic".
func (r *phraseReader) dialectType() (typeSet, error) {
	dialect, mnemonic, _ := strings.Cut(r.word()[1:], ".")
	return typeSet{accepts: func(t *Type) bool { return t.IsDialect(dialect, mnemonic) },
		build: buildWithoutParams(dialect, mnemonic)}, nil
}

// buildWithoutParams builds a type that has no parameters: the only ones are
// tokens.
func buildWithoutParams(dialect, mnemonic string) typeBuilder {
	if !strings.HasSuffix(mnemonic, "token") {
		return nil
	}
	return func(c *Context) *Type { return c.DialectType(dialect, mnemonic) }
}

func isLLVM(mnemonic string) typePredicate {
	return func(t *Type) bool { return t.IsDialect("llvm", mnemonic) }
}

func isLLVMPointer(t *Type) bool { return t.IsDialect("llvm", "ptr") }

// isLLVMAggregate accepts structures and arrays.
func isLLVMAggregate(t *Type) bool {
	return t.IsDialect("llvm", "struct") || t.IsDialect("llvm", "array")
}

var llvmFloats = [...]*FloatFormat{&BFloat16, &Float16, &Float32, &Float64, &Float80, &Float128}

func isLLVMFloat(t *Type) bool {
	return t.Kind == FloatKind && slices.Contains(llvmFloats[:], t.Float) || t.IsDialect("llvm", "ppc_fp128")
}

// isLLVMVector accepts vectors of rank 1, and the LLVM dialect's own.
func isLLVMVector(t *Type) bool {
	if t.Kind == VectorKind {
		return len(t.Shape) == 1 && (t.Elem.IsSignlessInteger() || isLLVMFloat(t.Elem) || isLLVMPointer(t.Elem))
	}
	return t.IsDialect("llvm", "vec")
}

// isLLVMType accepts all types with a counterpart in LLVM IR.
func isLLVMType(t *Type) bool {
	return t.Kind == DialectKind && t.Dialect == "llvm" || t.IsSignlessInteger() || isLLVMFloat(t) || t.Kind == VectorKind && len(t.Shape) == 1
}

// isLLVMPrimitive accepts what a value can have: all but void and functions.
func isLLVMPrimitive(t *Type) bool {
	return isLLVMType(t) && !t.IsDialect("llvm", "void") && !t.IsDialect("llvm", "func")
}

// isOpaqueStruct accepts structures without a known body.
func isOpaqueStruct(t *Type) bool {
	return t.IsDialect("llvm", "struct") && slices.ContainsFunc(t.Params, func(p Param) bool {
		return p.Kind == WordParam && p.Word == "opaque"
	})
}

// llvmPointer reads the number of an address space.
func (r *phraseReader) llvmPointer() (typeSet, error) {
	n, err := r.numbers()
	space := n[0]
	return typeSet{
		func(t *Type) bool { return isLLVMPointer(t) && llvmAddressSpace(t) == space },
		func(c *Context) *Type {
			if space == 0 {
				return c.DialectType("llvm", "ptr")
			}
			return c.DialectType("llvm", "ptr", Param{Kind: IntParam, Int: space})
		},
		0,
	}, err
}

// llvmAddressSpace returns the address space of a pointer.
func llvmAddressSpace(t *Type) int64 {
	if len(t.Params) == 0 {
		return 0
	}
	return t.Params[0].Int
}

// llvmVector reads the element of an LLVM vector.
func (r *phraseReader) llvmVector() (typeSet, error) {
	elem, err := r.oneType()
	return typeSet{accepts: func(t *Type) bool { return isLLVMVector(t) && elem.accepts(llvmElement(t)) }}, err
}

// llvmElement returns the element type of a vector or of !llvm.vec.
func llvmElement(t *Type) *Type {
	if t.Kind == VectorKind {
		return t.Elem
	}
	for _, p := range t.Params {
		if p.Kind == TypeParam {
			return p.Type
		}
	}
	return t
}

// llvmStruct reads "A and B": a literal structure of two types.
func (r *phraseReader) llvmStruct() (typeSet, error) {
	first, err := r.oneType()
	if err != nil {
		return first, err
	}
	if !r.take("and") {
		return first, fmt.Errorf("unknown words %q in a constraint", r.rest)
	}
	second, err := r.oneType()
	if err != nil {
		return second, err
	}
	set := typeSet{accepts: func(t *Type) bool {
		members := llvmMembers(t)
		return len(members) == 2 && first.accepts(members[0].Type) && second.accepts(members[1].Type)
	}}
	if first.build != nil && second.build != nil {
		set.build = func(c *Context) *Type { return c.LLVMStruct(first.build(c), second.build(c)) }
	}
	return set, nil
}

// LLVMStruct returns the literal structure type of the LLVM dialect with the
// given members. Its only parameter is a list of types.
func (c *Context) LLVMStruct(members ...*Type) *Type {
	list := make([]Param, len(members))
	for i, m := range members {
		list[i] = Param{Kind: TypeParam, Type: m}
	}
	return c.DialectType("llvm", "struct", Param{Kind: ListParam, List: list})
}

// llvmMembers returns the members of a literal structure type that is not packed,
// and nil for other types.
func llvmMembers(t *Type) []Param {
	if !t.IsDialect("llvm", "struct") || len(t.Params) != 1 {
		return nil
	}
	return t.Params[0].List
}
