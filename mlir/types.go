package mlir

import (
	"slices"
	"strconv"
	"strings"
)

// Dynamic is the size of a dimension, or a stride or offset, that is only known
// when the program runs. MLIR prints it as "?".
const Dynamic = -1 << 63

// MaxIntegerWidth is the largest width of an integer type, in bits.
const MaxIntegerWidth = 1<<24 - 1

// A TypeKind distinguishes types of the builtin dialect.
type TypeKind uint8

// The kinds of types.
const (
	NoneKind TypeKind = iota
	IndexKind
	IntegerKind
	FloatKind
	ComplexKind
	VectorKind
	TensorKind
	UnrankedTensorKind
	MemRefKind
	UnrankedMemRefKind
	FunctionKind
	TupleKind
	DialectKind // a type of another dialect
	OpaqueKind  // a type of an unknown dialect
)

// A Signedness belongs to an integer type.
type Signedness uint8

// The kinds of integers: most operations take signless ones.
const (
	Signless Signedness = iota
	Signed
	Unsigned
)

// A Type is unique within its context. Its fields must not be changed.
type Type struct {
	Kind     TypeKind
	Sign     Signedness   // of an integer
	Width    int          // of an integer, in bits
	Float    *FloatFormat // of a float
	Elem     *Type        // of a complex, vector, tensor or memref
	Shape    []int64      // of a vector, tensor or memref; Dynamic for "?"
	Scalable []bool       // of a vector: which dimensions are scalable; nil if none is
	Layout   *Attr        // of a memref; nil for the identity
	Space    *Attr        // of a memref; nil for the default memory space
	Encoding *Attr        // of a tensor, or nil
	Ins      []*Type      // arguments of a function, members of a tuple
	Outs     []*Type      // results of a function
	Dialect  string       // of a dialect's type
	Mnemonic string       // of a dialect's type; the text between the angle brackets, or after the dot, if the dialect is unknown
	Params   []Param      // of a dialect's type

	text    string  // the spelling without aliases
	single  []*Type // the type alone
	aliased bool    // an attribute within it can have an alias
}

// A Param is a parameter of a dialect's type or attribute: one of a type, an
// attribute, an integer, a keyword or a list of parameters.
type Param struct {
	Type *Type
	Attr *Attr
	Int  int64
	Word string
	List []Param
	Kind ParamKind
}

// A ParamKind selects the valid field of a Param.
type ParamKind uint8

// The kinds of parameters.
const (
	TypeParam ParamKind = iota
	AttrParam
	IntParam
	WordParam
	ListParam     // in square brackets
	SequenceParam // a list without brackets
	MapParam      // an affine map without "affine_map"
	NestedParam   // an attribute whose name is not written
	BraceParam    // a list in braces
	NoParam       // one that is missing
)

// String returns the type's spelling in MLIR's syntax, without aliases.
func (t *Type) String() string { return t.text }

// IsInteger reports whether t is a signless integer of the given width in bits.
func (t *Type) IsInteger(width int) bool {
	return t.Kind == IntegerKind && t.Sign == Signless && t.Width == width
}

// IsSignlessInteger reports whether t is a signless integer of any width.
func (t *Type) IsSignlessInteger() bool { return t.Kind == IntegerKind && t.Sign == Signless }

// IsIntOrIndex reports whether t is an integer or index.
func (t *Type) IsIntOrIndex() bool { return t.Kind == IntegerKind || t.Kind == IndexKind }

// IsShaped reports whether t is a vector, tensor or memref.
func (t *Type) IsShaped() bool { return t.Kind >= VectorKind && t.Kind <= UnrankedMemRefKind }

// IsRanked reports whether t is a vector, tensor or memref with a rank.
func (t *Type) IsRanked() bool {
	return t.Kind == VectorKind || t.Kind == TensorKind || t.Kind == MemRefKind
}

// IsDialect reports whether t is the given type of a dialect.
func (t *Type) IsDialect(dialect, mnemonic string) bool {
	return t.Kind == DialectKind && t.Dialect == dialect && t.Mnemonic == mnemonic
}

// IsScalable reports whether t is a vector with a scalable dimension.
func (t *Type) IsScalable() bool { return t.Scalable != nil }

// HasStaticShape reports whether t has a shape and each of its sizes is known.
func (t *Type) HasStaticShape() bool {
	if !t.IsRanked() {
		return false
	}
	for _, n := range t.Shape {
		if n == Dynamic {
			return false
		}
	}
	return true
}

// ElementOrSelf returns the element type of a shaped type, and t itself otherwise.
func (t *Type) ElementOrSelf() *Type {
	if t.IsShaped() {
		return t.Elem
	}
	return t
}

// NumElements returns the product of the sizes of a static shape.
func (t *Type) NumElements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// BitWidth returns the width of an integer or float in bits, and 0 for other
// types, index among them.
func (t *Type) BitWidth() int {
	switch t.Kind {
	case IntegerKind:
		return t.Width
	case FloatKind:
		return t.Float.Bits
	}
	return 0
}

// None returns the type none.
func (c *Context) None() *Type { return c.simpleType(Type{Kind: NoneKind}, "none") }

// Index returns the type index.
func (c *Context) Index() *Type { return c.index }

// Integer returns the signless integer type of a width in bits.
func (c *Context) Integer(width int) *Type {
	if width >= len(c.ints) {
		return c.newInteger(width, Signless)
	}
	t := c.ints[width].Load()
	if t == nil {
		t = c.newInteger(width, Signless)
		c.ints[width].Store(t)
	}
	return t
}

// SignedInteger returns the integer type of a width in bits and a signedness.
func (c *Context) SignedInteger(width int, sign Signedness) *Type {
	if sign == Signless && width < len(c.ints) {
		return c.Integer(width)
	}
	return c.newInteger(width, sign)
}

func (c *Context) newInteger(width int, sign Signedness) *Type {
	return c.simpleType(Type{Kind: IntegerKind, Width: width, Sign: sign}, [...]string{"i", "si", "ui"}[sign]+strconv.Itoa(width))
}

// FloatType returns the float type of a format.
func (c *Context) FloatType(f *FloatFormat) *Type {
	return c.simpleType(Type{Kind: FloatKind, Float: f}, f.Name)
}

// F32 returns the type f32.
func (c *Context) F32() *Type { return c.FloatType(&Float32) }

// ComplexType returns the complex type of an element type.
func (c *Context) ComplexType(elem *Type) *Type {
	return c.internType(Type{Kind: ComplexKind, Elem: elem})
}

// VectorType returns a vector type. scalable is nil, or records for each dimension
// whether it is scalable.
func (c *Context) VectorType(shape []int64, scalable []bool, elem *Type) *Type {
	return c.internType(Type{Kind: VectorKind, Shape: shape, Scalable: scalable, Elem: elem})
}

// Vector returns the vector type of fixed sizes.
func (c *Context) Vector(elem *Type, shape ...int64) *Type { return c.VectorType(shape, nil, elem) }

// TensorType returns a ranked tensor type; encoding may be nil.
func (c *Context) TensorType(shape []int64, elem *Type, encoding *Attr) *Type {
	return c.internType(Type{Kind: TensorKind, Shape: shape, Elem: elem, Encoding: encoding})
}

// UnrankedTensorType returns the tensor type of any rank.
func (c *Context) UnrankedTensorType(elem *Type) *Type {
	return c.internType(Type{Kind: UnrankedTensorKind, Elem: elem})
}

// MemRefType returns a memref type. A nil layout is the identity, a nil space the
// default memory space. An identity map as the layout, and memory space 0, are
// the same as nil.
func (c *Context) MemRefType(shape []int64, elem *Type, layout, space *Attr) *Type {
	return c.internType(Type{Kind: MemRefKind, Shape: shape, Elem: elem, Layout: normalLayout(layout, len(shape)), Space: normalSpace(space)})
}

// UnrankedMemRefType returns the memref type of any rank.
func (c *Context) UnrankedMemRefType(elem *Type, space *Attr) *Type {
	return c.internType(Type{Kind: UnrankedMemRefKind, Elem: elem, Space: normalSpace(space)})
}

func normalLayout(layout *Attr, rank int) *Attr {
	if layout != nil && layout.Kind == AffineMapAttr && layout.Map.IsIdentity() && layout.Map.Dims == rank {
		return nil
	}
	return layout
}

func normalSpace(space *Attr) *Attr {
	if space != nil && space.Kind == IntegerAttr && space.Int == 0 && space.Big == nil {
		return nil
	}
	return space
}

// FunctionType returns the type of functions with these arguments and results.
func (c *Context) FunctionType(ins, outs []*Type) *Type {
	return c.internType(Type{Kind: FunctionKind, Ins: ins, Outs: outs})
}

// TupleType returns the tuple type of its members.
func (c *Context) TupleType(members []*Type) *Type {
	return c.internType(Type{Kind: TupleKind, Ins: members})
}

// DialectType returns a type of a dialect.
func (c *Context) DialectType(dialect, mnemonic string, params ...Param) *Type {
	return c.internType(Type{Kind: DialectKind, Dialect: dialect, Mnemonic: mnemonic, Params: params})
}

// OpaqueType returns a type of an unknown dialect by its text.
func (c *Context) OpaqueType(dialect, text string) *Type {
	return c.internType(Type{Kind: OpaqueKind, Dialect: dialect, Mnemonic: text})
}

func (c *Context) simpleType(t Type, text string) *Type {
	if known := known(c, c.memo.types, c.types, text); known != nil {
		return known
	}
	return c.sharedType(&t, []byte(text))
}

// internType returns the type equal to a draft that the context knows.
func (c *Context) internType(draft Type) *Type {
	w := c.newWriter()
	defer c.releaseWriter(w)
	w.draftType = draft
	w.writeType(&w.draftType)
	if t := c.memo.types[string(w.buf)]; t != nil {
		return t
	}
	t := c.sharedType(&w.draftType, w.buf)
	if c.memo.types != nil {
		c.memo.types[t.text] = t
	}
	return t
}

// sharedType returns the type like draft that all goroutines know, perhaps a new one. The draft's
// lists of types stay the caller's.
func (c *Context) sharedType(draft *Type, text []byte) *Type {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.types[string(text)]; known != nil {
		return known
	}
	t := new(Type)
	*t = *draft
	t.Ins, t.Outs = slices.Clone(t.Ins), slices.Clone(t.Outs)
	t.Dialect, t.Mnemonic = strings.Clone(t.Dialect), strings.Clone(t.Mnemonic)
	t.text = string(text)
	t.single = []*Type{t}
	t.aliased = t.findAliased()
	c.types[t.text] = t
	return t
}

// findAliased reports whether an attribute within t can have an alias.
func (t *Type) findAliased() bool {
	found := t.Elem != nil && t.Elem.aliased
	for _, a := range []*Attr{t.Layout, t.Space, t.Encoding} {
		found = found || a != nil && a.aliased
	}
	for _, list := range [][]*Type{t.Ins, t.Outs} {
		for _, u := range list {
			found = found || u.aliased
		}
	}
	return found || anyAliased(t.Params)
}

func anyAliased(params []Param) bool {
	for _, p := range params {
		switch {
		case p.Type != nil && p.Type.aliased, p.Attr != nil && p.Attr.aliased, anyAliased(p.List):
			return true
		}
	}
	return false
}

// writeType writes the spelling of a type.
func (w *writer) writeType(t *Type) {
	if t.text != "" && (!t.aliased || w.aliases == nil) {
		w.str(t.text)
		return
	}
	switch t.Kind {
	case ComplexKind:
		w.str("complex<")
		w.writeType(t.Elem)
		w.byte('>')
	case VectorKind:
		w.str("vector<")
		w.writeShape(t.Shape, t.Scalable)
		w.writeType(t.Elem)
		w.byte('>')
	case TensorKind:
		w.str("tensor<")
		w.writeShape(t.Shape, nil)
		w.writeType(t.Elem)
		w.writeTail(t.Encoding)
		w.byte('>')
	case UnrankedTensorKind:
		w.str("tensor<*x")
		w.writeType(t.Elem)
		w.byte('>')
	case MemRefKind:
		w.str("memref<")
		w.writeShape(t.Shape, nil)
		w.writeType(t.Elem)
		w.writeTail(t.Layout)
		w.writeTail(t.Space)
		w.byte('>')
	case UnrankedMemRefKind:
		w.str("memref<*x")
		w.writeType(t.Elem)
		w.writeTail(t.Space)
		w.byte('>')
	case FunctionKind:
		w.writeFunctionType(t.Ins, t.Outs)
	case TupleKind:
		w.str("tuple<")
		w.writeTypes(t.Ins)
		w.byte('>')
	case DialectKind:
		w.byte('!')
		w.str(t.Dialect)
		w.byte('.')
		w.writeDialectTypeBody(t)
	case OpaqueKind:
		w.byte('!')
		w.str(t.Dialect)
		w.opaqueBody(t.Mnemonic)
	}
}

// opaqueBody writes the text of a type or attribute of an unknown dialect: after
// a dot if it is a word with or without a bracketed part, in angle brackets
// otherwise.
func (w *writer) opaqueBody(text string) {
	if isPrettyBody(text) {
		w.byte('.')
		w.str(text)
		return
	}
	w.byte('<')
	w.str(text)
	w.byte('>')
}

func isPrettyBody(text string) bool {
	n := 0
	for n < len(text) && isNameByte(text[n], n == 0) {
		n++
	}
	if n == 0 {
		return false
	}
	if n == len(text) {
		return true
	}
	return text[n] == '<' && strings.HasSuffix(text, ">")
}

func (w *writer) writeTail(a *Attr) {
	if a != nil {
		w.str(", ")
		w.writeMember(a)
	}
}

func (w *writer) writeShape(shape []int64, scalable []bool) {
	for i, n := range shape {
		open := scalable != nil && scalable[i]
		if open {
			w.byte('[')
		}
		w.dim(n)
		if open {
			w.byte(']')
		}
		w.byte('x')
	}
}

// dim writes a size, stride or offset.
func (w *writer) dim(n int64) {
	if n == Dynamic {
		w.byte('?')
		return
	}
	w.int(n)
}

func (w *writer) writeTypes(list []*Type) {
	for i, t := range list {
		if i > 0 {
			w.str(", ")
		}
		w.writeType(t)
	}
}

// writeFunctionType writes "(A, B) -> C", or "(A, B) -> (C, D)".
func (w *writer) writeFunctionType(ins, outs []*Type) {
	w.byte('(')
	w.writeTypes(ins)
	w.str(") -> ")
	w.writeResultTypes(outs)
}

// writeResultTypes writes results of a function: a single one that is no
// function type without parentheses.
func (w *writer) writeResultTypes(outs []*Type) {
	if len(outs) == 1 && outs[0].Kind != FunctionKind {
		w.writeType(outs[0])
		return
	}
	w.byte('(')
	w.writeTypes(outs)
	w.byte(')')
}

// writeDialectTypeBody writes what follows the dialect's name.
func (w *writer) writeDialectTypeBody(t *Type) {
	if d := w.ctx.dialects[t.Dialect]; d != nil && d.WriteType != nil {
		d.WriteType(&Printer{writer: w}, t)
		return
	}
	w.str(t.Mnemonic)
	w.writeParams(t.Params)
}

func (w *writer) writeParams(params []Param) {
	if len(params) == 0 {
		return
	}
	w.byte('<')
	for i := range params {
		if i > 0 {
			w.str(", ")
		}
		w.writeParam(&params[i])
	}
	w.byte('>')
}

func (w *writer) writeParam(p *Param) {
	switch p.Kind {
	case TypeParam:
		w.writeType(p.Type)
	case AttrParam:
		w.writeAttr(p.Attr)
	case IntParam:
		w.int(p.Int)
	case WordParam:
		w.str(p.Word)
	case ListParam:
		w.byte('[')
		w.writeParamList(p.List)
		w.byte(']')
	case MapParam:
		w.str(p.Attr.Map.String())
	case NestedParam:
		w.writeNestedForm(p.Attr)
	case BraceParam:
		w.byte('{')
		w.writeParamList(p.List)
		w.byte('}')
	case SequenceParam:
		w.writeParamList(p.List)
	}
}

func (w *writer) writeParamList(list []Param) {
	for i := range list {
		if i > 0 {
			w.str(", ")
		}
		w.writeParam(&list[i])
	}
}
