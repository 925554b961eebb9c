package mlir

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// An AttrKind distinguishes attributes.
type AttrKind uint8

// The kinds of attributes. All but DialectAttr and OpaqueAttr are the builtin
// dialect's.
const (
	UnitAttr           AttrKind = iota
	IntegerAttr                 // Int or Big, Type; a bool is an integer of type i1
	FloatAttr                   // Bits, Type
	StringAttr                  // Text; Type or nil
	TypeAttr                    // Type
	ArrayAttr                   // List
	DictAttr                    // Dict
	SymbolRefAttr               // Text, and List for nested references
	DenseArrayAttr              // Type of the elements, Raw: the elements, little endian
	DenseElementsAttr           // Type, Raw: the elements, little endian, one if it is a splat; or List of strings
	SparseElementsAttr          // Type, List: indices, values
	DenseResourceAttr           // Text: the resource's name, Type
	AffineMapAttr               // Map
	IntegerSetAttr              // Set
	StridedLayoutAttr           // Ints: the strides, Int: the offset
	DistinctAttr                // Int, List: the attribute
	LocationAttr                // Loc
	EnumAttr                    // Enum, Int: the value, Text: its spelling
	DialectAttr                 // Dialect, Text: the mnemonic, Params
	OpaqueAttr                  // Dialect, Text
)

// An Attr is unique within its context. Its fields must not be changed; Kind
// records which are valid.
type Attr struct {
	Kind    AttrKind
	Splat   bool // of dense elements: Raw has one element
	Type    *Type
	Int     int64
	Big     *big.Int // an integer that does not fit into Int, otherwise nil
	Bits    [2]uint64
	Text    string
	Dialect string
	Enum    *Enum
	List    []*Attr
	Ints    []int64
	Dict    []NamedAttr
	Raw     []byte
	Map     *AffineMap
	Set     *IntegerSet
	Loc     *Location
	Params  []Param

	text    string // the spelling without aliases
	named   bool   // a dialect's attribute that gets an alias by its mnemonic
	aliased bool   // it or an attribute within it can have an alias
}

// A NamedAttr is an attribute with its name.
type NamedAttr struct {
	Name string
	Attr *Attr
}

// String returns the attribute's spelling in MLIR's syntax, without aliases.
func (a *Attr) String() string { return a.text }

// IsBool reports whether a is true or false.
func (a *Attr) IsBool() bool { return a.Kind == IntegerAttr && a.Type.IsInteger(1) }

// Integer returns the value of an integer attribute, whatever its size.
func (a *Attr) Integer() *big.Int {
	if a.Big != nil {
		return a.Big
	}
	return big.NewInt(a.Int)
}

// NumElements returns the number of elements of an array or of dense elements.
func (a *Attr) NumElements() int {
	switch a.Kind {
	case ArrayAttr:
		return len(a.List)
	case DenseArrayAttr:
		return len(a.Raw) / denseSize(a.Type)
	case DenseElementsAttr:
		return int(a.Type.NumElements())
	}
	return 0
}

// Element returns the bits of an element of a dense array or dense elements, and
// sign-extends integers.
func (a *Attr) Element(i int) int64 {
	t := a.Type
	if a.Kind == DenseElementsAttr {
		t = t.Elem
	}
	if a.Splat {
		i = 0
	}
	size := denseSize(t)
	var bits uint64
	for k := size*(i+1) - 1; k >= size*i; k-- {
		bits = bits<<8 | uint64(a.Raw[k])
	}
	if size < 8 {
		shift := 64 - 8*size
		if t.Kind == IntegerKind && t.Width < 64 {
			shift = 64 - t.Width
		}
		return int64(bits<<shift) >> shift
	}
	return int64(bits)
}

// denseSize returns the size in bytes of an element of type t in Attr.Raw. An
// index has eight.
func denseSize(t *Type) int {
	switch t.Kind {
	case IndexKind:
		return 8
	case ComplexKind:
		return 2 * denseSize(t.Elem)
	}
	return max(1, (t.BitWidth()+7)/8)
}

// Unit returns the attribute unit.
func (c *Context) Unit() *Attr { return c.unit }

// Bool returns true or false.
func (c *Context) Bool(v bool) *Attr {
	if v {
		return c.IntAttr(c.Integer(1), -1)
	}
	return c.IntAttr(c.Integer(1), 0)
}

// IntAttr returns an integer attribute of an integer type or index. Values are
// kept sign-extended from the type's width.
func (c *Context) IntAttr(t *Type, v int64) *Attr {
	if t.Kind == IntegerKind && t.Width < 64 {
		shift := 64 - t.Width
		if t.Sign == Unsigned {
			v = int64(uint64(v) << shift >> shift)
		} else {
			v = v << shift >> shift
		}
	}
	key := intKey{t, v}
	a := known(c, c.memo.intAttrs, c.intAttrs, key)
	if a == nil {
		a = c.internAttr(Attr{Kind: IntegerAttr, Type: t, Int: v})
		remember(c, c.intAttrs, key, a)
	}
	return a
}

// An intKey identifies an integer attribute.
type intKey struct {
	t *Type
	v int64
}

// BigIntAttr returns an integer attribute, whose value is taken modulo two to
// the power of the type's width.
func (c *Context) BigIntAttr(t *Type, v *big.Int) *Attr {
	if v.IsInt64() {
		return c.IntAttr(t, v.Int64())
	}
	width := uint(64)
	if t.Kind == IntegerKind {
		width = uint(t.Width)
	}
	one := big.NewInt(1)
	r := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(one, width), one))
	if t.Sign != Unsigned && width > 0 && r.Bit(int(width)-1) == 1 {
		r.Sub(r, new(big.Int).Lsh(one, width))
	}
	if r.IsInt64() {
		return c.IntAttr(t, r.Int64())
	}
	return c.internAttr(Attr{Kind: IntegerAttr, Type: t, Big: r})
}

// I32Attr returns an integer attribute of type i32.
func (c *Context) I32Attr(v int64) *Attr { return c.IntAttr(c.Integer(32), v) }

// I64Attr returns an integer attribute of type i64.
func (c *Context) I64Attr(v int64) *Attr { return c.IntAttr(c.Integer(64), v) }

// IndexAttr returns an integer attribute of type index.
func (c *Context) IndexAttr(v int64) *Attr { return c.IntAttr(c.index, v) }

// FloatBits returns a float attribute by its bits.
func (c *Context) FloatBits(t *Type, bits [2]uint64) *Attr {
	return c.internAttr(Attr{Kind: FloatAttr, Type: t, Bits: bits})
}

// FloatAttr returns a float attribute, rounded to the type's format to nearest
// even.
func (c *Context) FloatAttr(t *Type, v float64) *Attr { return c.FloatBits(t, t.Float.FromFloat64(v)) }

// String returns a string attribute.
func (c *Context) String(s string) *Attr { return c.TypedString(s, nil) }

// TypedString returns a string attribute with a type, or nil.
func (c *Context) TypedString(s string, t *Type) *Attr {
	return c.internAttr(Attr{Kind: StringAttr, Text: s, Type: t})
}

// TypeAttr returns the attribute that holds a type.
func (c *Context) TypeAttr(t *Type) *Attr { return c.internAttr(Attr{Kind: TypeAttr, Type: t}) }

// Array returns an array attribute.
func (c *Context) Array(list ...*Attr) *Attr {
	return c.internAttr(Attr{Kind: ArrayAttr, List: list})
}

// I64Array returns an array of integer attributes of type i64.
func (c *Context) I64Array(values []int64) *Attr {
	list := make([]*Attr, len(values))
	for i, v := range values {
		list[i] = c.I64Attr(v)
	}
	return c.Array(list...)
}

// Dict returns a dictionary attribute. The entries are sorted by name, and a
// name may occur only once.
func (c *Context) Dict(entries ...NamedAttr) *Attr {
	if len(entries) == 0 {
		return c.noAttrs
	}
	return c.internAttr(Attr{Kind: DictAttr, Dict: sortedAttrs(entries)})
}

// SymbolRef returns a reference to a symbol, or to a symbol nested in others.
func (c *Context) SymbolRef(root string, nested ...string) *Attr {
	var list []*Attr
	for _, n := range nested {
		list = append(list, c.SymbolRef(n))
	}
	return c.internAttr(Attr{Kind: SymbolRefAttr, Text: root, List: list})
}

// DenseArray returns an array of elements of one type: i1, an integer of whole
// bytes or a float.
func (c *Context) DenseArray(elem *Type, raw []byte) *Attr {
	return c.internAttr(Attr{Kind: DenseArrayAttr, Type: elem, Raw: raw})
}

// A rawKey identifies a dense array.
type rawKey struct {
	elem *Type
	raw  string
}

// denseRaw returns the array of some bytes, which it does not keep.
func (c *Context) denseRaw(elem *Type, raw []byte) *Attr {
	if a := c.memo.rawAttrs[rawKey{elem, string(raw)}]; a != nil {
		return a
	}
	c.mu.Lock()
	a := c.rawAttrs[rawKey{elem, string(raw)}]
	c.mu.Unlock()
	if a == nil {
		a = c.DenseArray(elem, slices.Clone(raw))
		remember(c, c.rawAttrs, rawKey{elem, string(raw)}, a)
	}
	if c.memo.rawAttrs != nil {
		c.memo.rawAttrs[rawKey{elem, string(raw)}] = a
	}
	return a
}

// DenseI32Array returns an array of i32.
func (c *Context) DenseI32Array(values ...int64) *Attr {
	var room [64]byte
	return c.denseRaw(c.Integer(32), appendRawInts(room[:0], values, 4))
}

// DenseI64Array returns an array of i64.
func (c *Context) DenseI64Array(values ...int64) *Attr {
	var room [64]byte
	return c.denseRaw(c.Integer(64), appendRawInts(room[:0], values, 8))
}

// Int64s returns the elements of a dense array of integers, or of an array of
// integer attributes.
func (a *Attr) Int64s() []int64 {
	return a.appendInts(make([]int64, 0, a.NumElements()))
}

func (a *Attr) appendInts(values []int64) []int64 {
	for i := range a.NumElements() {
		if a.Kind == ArrayAttr {
			values = append(values, a.List[i].Int)
		} else {
			values = append(values, a.Element(i))
		}
	}
	return values
}

func appendRawInts(raw []byte, values []int64, size int) []byte {
	for _, v := range values {
		raw = appendRaw(raw, [2]uint64{uint64(v), uint64(v >> 63)}, size)
	}
	return raw
}

// appendRaw appends the low bytes of an element. Bits beyond 128 are copies of the
// last one.
func appendRaw(raw []byte, bits [2]uint64, size int) []byte {
	for k := range min(size, 16) {
		raw = append(raw, byte(bits[k/8]>>(k%8*8)))
	}
	for range size - 16 {
		raw = append(raw, byte(int64(bits[1])>>63))
	}
	return raw
}

// DenseElements returns elements of a vector or tensor type. raw has one element
// for a splat.
func (c *Context) DenseElements(t *Type, raw []byte, splat bool) *Attr {
	if size := denseSize(t.Elem); !splat && len(raw) >= size && bytes.Equal(raw[size:], raw[:len(raw)-size]) {
		raw, splat = raw[:size], true
	}
	return c.internAttr(Attr{Kind: DenseElementsAttr, Type: t, Raw: raw, Splat: splat})
}

// DenseStrings returns string elements of a vector or tensor type; one for a splat.
func (c *Context) DenseStrings(t *Type, list []*Attr, splat bool) *Attr {
	if !splat && len(list) > 0 && !slices.ContainsFunc(list, func(a *Attr) bool { return a != list[0] }) {
		list, splat = list[:1], true
	}
	return c.internAttr(Attr{Kind: DenseElementsAttr, Type: t, List: list, Splat: splat})
}

// MapAttr returns the attribute that holds an affine map.
func (c *Context) MapAttr(m *AffineMap) *Attr {
	return c.internAttr(Attr{Kind: AffineMapAttr, Map: m, aliased: true})
}

// SetAttr returns the attribute that holds an integer set.
func (c *Context) SetAttr(s *IntegerSet) *Attr {
	return c.internAttr(Attr{Kind: IntegerSetAttr, Set: s, aliased: true})
}

// StridedLayout returns the layout of a memref, in elements.
func (c *Context) StridedLayout(strides []int64, offset int64) *Attr {
	return c.internAttr(Attr{Kind: StridedLayoutAttr, Ints: strides, Int: offset})
}

// DialectAttr returns an attribute of a dialect.
func (c *Context) DialectAttr(dialect, mnemonic string, params ...Param) *Attr {
	if d := c.dialects[dialect]; d != nil {
		if f := findForm(d.Forms, mnemonic, c.Edition); f != nil && f.Alias {
			return c.internAttr(Attr{Kind: DialectAttr, Dialect: dialect, Text: mnemonic, Params: params, aliased: true, named: true})
		}
	}
	return c.internAttr(Attr{Kind: DialectAttr, Dialect: dialect, Text: mnemonic, Params: params})
}

// EnumAttr returns an attribute with a value of an enumeration.
func (c *Context) EnumAttr(e *Enum, value int64) *Attr {
	key := enumKey{e, value}
	a := known(c, c.memo.enumAttrs, c.enumAttrs, key)
	if a == nil {
		a = c.internAttr(Attr{Kind: EnumAttr, Enum: e, Int: value, Text: e.Spelling(value)})
		remember(c, c.enumAttrs, key, a)
	}
	return a
}

// An enumKey identifies the value of an enumeration.
type enumKey struct {
	e *Enum
	v int64
}

// OpaqueAttr returns an attribute of an unknown dialect by its text.
func (c *Context) OpaqueAttr(dialect, text string, t *Type) *Attr {
	return c.internAttr(Attr{Kind: OpaqueAttr, Dialect: dialect, Text: text, Type: t})
}

// internAttr returns the attribute equal to a draft that the context knows.
func (c *Context) internAttr(draft Attr) *Attr {
	w := c.newWriter()
	defer c.releaseWriter(w)
	w.draftAttr = draft
	w.writeAttr(&w.draftAttr)
	if a := c.memo.attrs[string(w.buf)]; a != nil {
		return a
	}
	a := c.sharedAttr(&w.draftAttr, w.buf)
	if c.memo.attrs != nil && !a.aliased {
		c.memo.attrs[a.text] = a
	}
	return a
}

// sharedAttr returns the attribute like draft that all goroutines know, perhaps a new one.
func (c *Context) sharedAttr(draft *Attr, text []byte) *Attr {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.attrs[string(text)]; known != nil {
		if known.aliased {
			c.hasAliased.Store(true)
		}
		return known
	}
	a := new(Attr)
	*a = *draft
	a.Text, a.Dialect = strings.Clone(a.Text), strings.Clone(a.Dialect)
	a.text = string(text)
	a.aliased = a.aliased || a.findAliased()
	if a.aliased {
		c.hasAliased.Store(true)
	}
	c.attrs[a.text] = a
	return a
}

func (a *Attr) findAliased() bool {
	found := a.Type != nil && a.Type.aliased || anyAliased(a.Params)
	for _, e := range a.List {
		found = found || e.aliased
	}
	for _, e := range a.Dict {
		found = found || e.Attr.aliased
	}
	return found
}

// writeAttr writes the spelling of an attribute.
func (w *writer) writeAttr(a *Attr) {
	if a.text != "" && (!a.aliased || w.aliases == nil) {
		w.str(a.text)
		return
	}
	if aliasBase(a) != "" {
		if name, ok := w.alias(a); ok {
			w.str(name)
			return
		}
	}
	w.writeAttrBody(a)
}

// writeAttrBody writes an attribute that has no alias.
func (w *writer) writeAttrBody(a *Attr) {
	switch a.Kind {
	case UnitAttr:
		w.str("unit")
	case IntegerAttr:
		w.writeIntAttr(a)
	case FloatAttr:
		w.writeFloatAttr(a)
	case StringAttr:
		w.quoted(a.Text)
		if a.Type != nil {
			w.str(" : ")
			w.writeType(a.Type)
		}
	case TypeAttr:
		w.writeType(a.Type)
	case ArrayAttr:
		w.byte('[')
		w.writeAttrs(a.List)
		w.byte(']')
	case DictAttr:
		w.writeDict(a.Dict)
	case SymbolRefAttr:
		w.symbol(a.Text)
		for _, n := range a.List {
			w.str("::")
			w.symbol(n.Text)
		}
	case DenseArrayAttr:
		w.str("array<")
		w.writeType(a.Type)
		for i := range a.NumElements() {
			w.str([]string{": ", ", "}[min(i, 1)])
			w.writeRaw(a.Type, a.Raw, i)
		}
		w.byte('>')
	case DenseElementsAttr:
		w.writeDenseElements(a)
	case SparseElementsAttr:
		w.writeSparseElements(a)
	case DenseResourceAttr:
		w.str("dense_resource<")
		w.keywordOrString(a.Text)
		w.str("> : ")
		w.writeType(a.Type)
	case AffineMapAttr:
		w.str("affine_map<")
		w.str(a.Map.String())
		w.byte('>')
	case IntegerSetAttr:
		w.str("affine_set<")
		w.str(a.Set.String())
		w.byte('>')
	case StridedLayoutAttr:
		w.writeStridedLayout(a)
	case DistinctAttr:
		w.str("distinct[")
		w.int(w.distinctNumber(a))
		w.str("]<")
		if a.List[0].Kind != UnitAttr {
			w.writeAttrs(a.List)
		}
		w.byte('>')
	case LocationAttr:
		w.str("loc(")
		w.writeLocation(a.Loc)
		w.byte(')')
	case EnumAttr:
		w.writeEnum(a)
	case DialectAttr:
		w.byte('#')
		w.str(a.Dialect)
		w.byte('.')
		w.writeDialectAttrBody(a)
	case OpaqueAttr:
		w.byte('#')
		w.str(a.Dialect)
		w.opaqueBody(a.Text)
		if a.Type != nil {
			w.str(" : ")
			w.writeType(a.Type)
		}
	}
}

func (w *writer) writeAttrs(list []*Attr) {
	for i, e := range list {
		if i > 0 {
			w.str(", ")
		}
		w.writeMember(e)
	}
}

// writeMember writes an attribute in a list, where MLIR omits the types i64 and
// f64, the latter not after hexadecimal digits.
func (w *writer) writeMember(a *Attr) {
	switch {
	case a.Kind == IntegerAttr && a.Type.IsInteger(64):
		w.integer(a)
	case a.Kind == FloatAttr && a.Type.Float == &Float64 && !strings.HasPrefix(a.text, "0x"):
		w.buf = a.Type.Float.append(w.buf, a.Bits)
	default:
		w.writeAttr(a)
	}
}

func (w *writer) writeIntAttr(a *Attr) {
	if a.IsBool() {
		w.str([]string{"false", "true"}[a.Int&1])
		return
	}
	w.integer(a)
	w.str(" : ")
	w.writeType(a.Type)
}

// Digits returns the value of an integer attribute in decimal digits, as signed.
func (a *Attr) Digits() string {
	if a.Big != nil {
		return a.Big.String()
	}
	return strconv.FormatInt(a.Int, 10)
}

// integer writes the value of an integer attribute.
func (w *writer) integer(a *Attr) {
	switch {
	case a.Big != nil:
		w.str(a.Big.String())
	case a.Type.Sign == Unsigned:
		w.uint(uint64(a.Int))
	default:
		w.int(a.Int)
	}
}

// writeFloatAttr writes a float with its type.
func (w *writer) writeFloatAttr(a *Attr) {
	w.buf = a.Type.Float.append(w.buf, a.Bits)
	w.str(" : ")
	w.writeType(a.Type)
}

// writeUntyped writes an attribute without its type, where the type follows from
// the context.
func (w *writer) writeUntyped(a *Attr) {
	switch a.Kind {
	case IntegerAttr:
		if a.IsBool() {
			w.writeIntAttr(a)
			return
		}
		w.integer(a)
	case FloatAttr:
		w.buf = a.Type.Float.append(w.buf, a.Bits)
	case StringAttr:
		w.quoted(a.Text)
	case DenseElementsAttr:
		w.writeDenseBody(a)
	default:
		w.writeAttr(a)
	}
}

func (w *writer) writeDict(dict []NamedAttr) {
	w.byte('{')
	w.writeEntries(dict)
	w.byte('}')
}

func (w *writer) writeEntries(dict []NamedAttr) {
	for i, e := range dict {
		if i > 0 {
			w.str(", ")
		}
		w.keywordOrString(e.Name)
		if e.Attr.Kind != UnitAttr {
			w.str(" = ")
			w.writeAttr(e.Attr)
		}
	}
}

func (w *writer) writeStridedLayout(a *Attr) {
	w.str("strided<[")
	for i, s := range a.Ints {
		if i > 0 {
			w.str(", ")
		}
		w.dim(s)
	}
	w.byte(']')
	if a.Int != 0 {
		w.str(", offset: ")
		w.dim(a.Int)
	}
	w.byte('>')
}

// writeRaw writes element i of dense elements.
func (w *writer) writeRaw(t *Type, raw []byte, i int) {
	size := denseSize(t)
	e := raw[i*size : (i+1)*size]
	if t.Kind == ComplexKind {
		w.byte('(')
		w.writeRaw(t.Elem, e, 0)
		w.byte(',')
		w.writeRaw(t.Elem, e, 1)
		w.byte(')')
		return
	}
	if size > 16 { // a wide integer
		w.str(wideInteger(t, e).String())
		return
	}
	var bits [2]uint64
	for k, b := range e {
		bits[k/8] |= uint64(b) << (k % 8 * 8)
	}
	switch {
	case t.Kind == FloatKind:
		w.buf = t.Float.append(w.buf, bits)
	case t.IsInteger(1):
		w.str([]string{"false", "true"}[bits[0]&1])
	case size > 8:
		w.str(wideInteger(t, e).String())
	case t.Sign == Unsigned:
		w.uint(bits[0])
	default:
		shift := 64 - min(64, max(t.BitWidth(), 1))
		if t.Kind == IndexKind {
			shift = 0
		}
		w.int(int64(bits[0]<<shift) >> shift)
	}
}

func wideInteger(t *Type, raw []byte) *big.Int {
	reversed := make([]byte, len(raw))
	for i, b := range raw {
		reversed[len(raw)-1-i] = b
	}
	v := new(big.Int).SetBytes(reversed)
	if t.Sign != Unsigned && v.Bit(t.Width-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(t.Width)))
	}
	return v
}

// hexElements is the number of elements from which MLIR prints dense elements
// as hexadecimal digits.
const hexElements = 100

func (w *writer) writeDenseElements(a *Attr) {
	w.writeDenseBody(a)
	w.str(" : ")
	w.writeType(a.Type)
}

func (w *writer) writeDenseBody(a *Attr) {
	w.str("dense<")
	n := int(a.Type.NumElements())
	switch {
	case a.Splat:
		w.writeElement(a, 0)
	case n == 0:
	case n > hexElements && a.List == nil && a.Type.Elem.Kind != IndexKind && (a.Type.Elem.BitWidth() != 1):
		w.str(`"0x`)
		w.str(strings.ToUpper(hex.EncodeToString(a.Raw)))
		w.byte('"')
	default:
		i := 0
		w.writeNested(a.Type.Shape, func() {
			w.writeElement(a, i)
			i++
		})
	}
	w.byte('>')
}

func (w *writer) writeElement(a *Attr, i int) {
	if a.List != nil {
		w.quoted(a.List[i].Text)
		return
	}
	w.writeRaw(a.Type.Elem, a.Raw, i)
}

// writeNested writes elements in brackets as deep as the shape.
func (w *writer) writeNested(shape []int64, element func()) {
	if len(shape) == 0 {
		element()
		return
	}
	w.byte('[')
	for i := range shape[0] {
		if i > 0 {
			w.str(", ")
		}
		w.writeNested(shape[1:], element)
	}
	w.byte(']')
}

func (w *writer) writeSparseElements(a *Attr) {
	w.str("sparse<")
	if indices, values := a.List[0], a.List[1]; indices.Type.NumElements() > 0 {
		w.writeBracketed(indices)
		w.str(", ")
		w.writeBracketed(values)
	}
	w.str("> : ")
	w.writeType(a.Type)
}

// writeBracketed writes dense elements without "dense".
func (w *writer) writeBracketed(a *Attr) {
	start := len(w.buf)
	w.writeDenseBody(a)
	body := w.buf[start+len("dense<") : len(w.buf)-1]
	w.buf = append(w.buf[:start], body...)
}

// writeEnum writes an attribute that holds a value of an enumeration.
func (w *writer) writeEnum(a *Attr) {
	w.byte('#')
	w.str(a.Enum.Dialect)
	if a.Enum.Bare {
		w.byte('<')
		w.str(a.Enum.Mnemonic)
		w.byte(' ')
	} else {
		w.byte('.')
		w.str(a.Enum.Mnemonic)
		w.byte('<')
	}
	w.str(a.Text)
	w.byte('>')
}

func (w *writer) writeDialectAttrBody(a *Attr) {
	if d := w.ctx.dialects[a.Dialect]; d != nil {
		if f := findForm(d.Forms, a.Text, w.ctx.Edition); f != nil {
			w.writeForm(f, a)
			return
		}
		if d.WriteAttr != nil {
			d.WriteAttr(&Printer{writer: w}, a)
			return
		}
	}
	w.str(a.Text)
	w.writeParams(a.Params)
}
