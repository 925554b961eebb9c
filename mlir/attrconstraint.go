package mlir

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// An AttrConstraint specifies which attributes an operation accepts under a name. It
// is read from MLIR's description, a controlled English:
//
//	32-bit signless integer attribute whose value is one of {4, 16, 32} | bool attribute | string attribute
//	i64 dense array attribute | 64-bit integer array attribute | type attribute of function type
//	A or B | array of A with at least 1 elements | any attribute
//
// Meanings (see Dialect) may also specify "enum NAME", "property enum NAME" (which is
// stored as an integer of 32 bits), "symbol name", and "#dialect.mnemonic" for an
// attribute of a dialect.
type AttrConstraint struct {
	Description string // MLIR's
	Enum        *Enum  // whose value the attribute holds, or nil
	Property    bool   // an integer of type i32 holds the value of the enumeration, or false the absence of a unit
	SymbolName  bool   // a string that is written like a reference to a symbol
	Dialect     string // of the only attribute of a dialect that is accepted, or ""
	Mnemonic    string // the same

	accepts   attrPredicate
	valueType typeBuilder
	kind      AttrKind
	oneKind   bool // kind is valid
	typed     bool // the attribute has a type
}

type attrPredicate func(a *Attr) bool

// Accepts reports whether an attribute meets the constraint.
func (k *AttrConstraint) Accepts(a *Attr) bool { return k.accepts(a) }

// ValueType returns the type of the attributes that meet the constraint, which
// assembly formats do not write: i32 of a 32-bit integer attribute, for example.
// It is nil if attributes have no type or several ones.
func (k *AttrConstraint) ValueType(c *Context) *Type {
	if k.valueType == nil {
		return nil
	}
	return k.valueType(c)
}

// Kind returns the kind of the attributes that meet the constraint, and false if
// there are several.
func (k *AttrConstraint) Kind() (AttrKind, bool) { return k.kind, k.oneKind }

// attrConstraint returns the constraint of a description and its meaning, within
// the rows of a dialect.
func (c *Context) attrConstraint(dialect, description, meaning string) (*AttrConstraint, error) {
	key := [2]string{description, meaning}
	if strings.Contains(meaning, "enum ") {
		key[1] = dialect + ": " + meaning
	}
	if k := c.constraints.attrs[key]; k != nil {
		return k, nil
	}
	r := &attrReader{phraseReader{meaning}, c, dialect}
	k, err := r.attrs()
	if err == nil && r.rest != "" {
		err = fmt.Errorf("unknown words %q in a constraint", r.rest)
	}
	if err != nil {
		return nil, err
	}
	if k.Description == "" {
		k.Description = description
	}
	if c.constraints.attrs == nil {
		c.constraints.attrs = map[[2]string]*AttrConstraint{}
	}
	c.constraints.attrs[key] = k
	return k, nil
}

type attrReader struct {
	phraseReader
	c       *Context
	dialect string
}

// attrs reads "A or B".
func (r *attrReader) attrs() (*AttrConstraint, error) {
	k, err := r.limited()
	if err != nil {
		return nil, err
	}
	for r.take("or") {
		next, err := r.limited()
		if err != nil {
			return nil, err
		}
		a, b := k.accepts, next.accepts
		k = &AttrConstraint{accepts: func(x *Attr) bool { return a(x) || b(x) }}
	}
	return k, nil
}

// limited reads an attribute and conditions.
func (r *attrReader) limited() (*AttrConstraint, error) {
	k, err := r.one()
	if err != nil {
		return nil, err
	}
	for {
		start := r.rest
		limit, err := r.condition()
		if err != nil {
			return nil, err
		}
		if limit == nil {
			return k, nil
		}
		if k.Enum != nil { // the description is the enumeration's and the condition
			k.Description += " " + strings.TrimSuffix(strings.TrimSuffix(start, r.rest), " ")
		}
		accepts := k.accepts
		k.accepts = func(a *Attr) bool { return accepts(a) && limit(a) }
	}
}

// condition reads a condition, and returns nil if there is none.
func (r *attrReader) condition() (attrPredicate, error) {
	start := r.rest
	r.take("and")
	switch {
	case r.take("whose value is non-negative"):
		return func(a *Attr) bool { return a.Int >= 0 && a.Big == nil }, nil
	case r.take("whose value is positive"):
		return func(a *Attr) bool { return a.Int > 0 && a.Big == nil }, nil
	case r.take("whose value is a power of two > 0"):
		return func(a *Attr) bool { return a.Int > 0 && bits.OnesCount64(uint64(a.Int)) == 1 && a.Big == nil }, nil
	case r.take("whose maximum value is"):
		n, err := r.numbers()
		return func(a *Attr) bool { return a.Int <= n[0] }, err
	case r.take("whose minimum value is"):
		n, err := r.numbers()
		return func(a *Attr) bool { return a.Int >= n[0] }, err
	case r.take("whose value is one of"):
		list, err := r.braces()
		return func(a *Attr) bool { return slices.Contains(list, a.Int) && a.Big == nil }, err
	case r.take("with at least"):
		n, err := r.numbers()
		r.take("elements")
		return func(a *Attr) bool { return int64(a.NumElements()) >= n[0] }, err
	case r.take("with"):
		n, err := r.numbers()
		r.take("elements")
		return func(a *Attr) bool { return int64(a.NumElements()) == n[0] }, err
	}
	r.rest = start
	return nil, nil
}

// braces reads "{4, 16, 32}".
func (r *attrReader) braces() ([]int64, error) {
	body, rest, ok := strings.Cut(strings.TrimPrefix(r.rest, "{"), "}")
	r.rest = strings.TrimPrefix(rest, " ")
	var list []int64
	for digits := range strings.SplitSeq(body, ", ") {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || !ok {
			return nil, fmt.Errorf("no numbers in a constraint: %q", body)
		}
		list = append(list, n)
	}
	return list, nil
}

// An attrPhrase is a phrase for a fixed set of attributes.
type attrPhrase struct {
	words     string
	kind      AttrKind
	accepts   attrPredicate // nil for all of the kind
	valueType typeBuilder
}

func isArrayOf(p attrPredicate) attrPredicate {
	return func(a *Attr) bool {
		for _, e := range a.List {
			if !p(e) {
				return false
			}
		}
		return true
	}
}

func isIntegerAttr(width int) attrPredicate {
	return func(a *Attr) bool { return a.Kind == IntegerAttr && a.Type.IsInteger(width) }
}

// attrPhrase returns the phrase that the rest starts with, or nil.
func (r *attrReader) phrase() *attrPhrase {
	phrases := [...]attrPhrase{
		{"unit attribute", UnitAttr, nil, nil},
		{"bool attribute", IntegerAttr, (*Attr).IsBool, buildInteger(1)},
		{"string attribute", StringAttr, nil, nil},
		{"symbol name", StringAttr, nil, nil},
		{"index attribute", IntegerAttr, func(a *Attr) bool { return a.Type.Kind == IndexKind }, (*Context).Index},
		{"arbitrary integer attribute", IntegerAttr, nil, nil},
		{"64-bit float attribute", FloatAttr, func(a *Attr) bool { return a.Type.Float == &Float64 }, buildFloat(&Float64)},
		{"any type attribute", TypeAttr, nil, nil},
		{"memref type attribute", TypeAttr, func(a *Attr) bool { return a.Type.Kind == MemRefKind }, nil},
		{"type attribute of function type", TypeAttr, func(a *Attr) bool { return a.Type.Kind == FunctionKind }, nil},
		{"type attribute of !llvm.func", TypeAttr, func(a *Attr) bool { return a.Type.IsDialect("llvm", "func") }, nil},
		{"symbol reference attribute", SymbolRefAttr, nil, nil},
		{"flat symbol reference attribute", SymbolRefAttr, isFlatSymbol, nil},
		{"flat symbol ref array attribute", ArrayAttr, isArrayOf(isFlatSymbol), nil},
		{"array attribute", ArrayAttr, nil, nil},
		{"1-bit boolean array attribute", ArrayAttr, isArrayOf((*Attr).IsBool), nil},
		{"32-bit integer array attribute", ArrayAttr, isArrayOf(isIntegerAttr(32)), nil},
		{"64-bit integer array attribute", ArrayAttr, isArrayOf(isIntegerAttr(64)), nil},
		{"string array attribute", ArrayAttr, isArrayOf(func(a *Attr) bool { return a.Kind == StringAttr }), nil},
		{"Array of dictionary attributes", ArrayAttr, isArrayOf(func(a *Attr) bool { return a.Kind == DictAttr }), nil},
		{"Array of 64-bit integer array attributes", ArrayAttr, isArrayOf(func(a *Attr) bool {
			return a.Kind == ArrayAttr && isArrayOf(isIntegerAttr(64))(a)
		}), nil},
		{"i32 dense array attribute", DenseArrayAttr, func(a *Attr) bool { return a.Type.IsInteger(32) }, nil},
		{"i64 dense array attribute", DenseArrayAttr, func(a *Attr) bool { return a.Type.IsInteger(64) }, nil},
		{"AffineMap attribute", AffineMapAttr, nil, nil},
		{"IntegerSet attribute", IntegerSetAttr, nil, nil},
		{"integer elements attribute", DenseElementsAttr, func(a *Attr) bool { return a.Type.Elem.IsIntOrIndex() }, nil},
		{"32-bit signless integer elements attribute", DenseElementsAttr, func(a *Attr) bool { return a.Type.Elem.IsInteger(32) }, nil},
	}
	for i := range phrases {
		if r.take(phrases[i].words) {
			return &phrases[i]
		}
	}
	return nil
}

// isFlatSymbol accepts references to symbols that are not nested.
func isFlatSymbol(a *Attr) bool { return a.Kind == SymbolRefAttr && len(a.List) == 0 }

// isTypedAttr accepts attributes that have a type; strings have the type none
// unless another is written.
func isTypedAttr(a *Attr) bool {
	switch a.Kind {
	case IntegerAttr, FloatAttr, StringAttr, DenseElementsAttr, SparseElementsAttr, DenseResourceAttr:
		return true
	}
	return false
}

func buildInteger(width int) typeBuilder {
	return func(c *Context) *Type { return c.Integer(width) }
}

func (r *attrReader) one() (*AttrConstraint, error) {
	if p := r.phrase(); p != nil {
		k := &AttrConstraint{kind: p.kind, oneKind: true, valueType: p.valueType, SymbolName: p.words == "symbol name"}
		k.accepts = func(a *Attr) bool { return a.Kind == p.kind && (p.accepts == nil || p.accepts(a)) }
		if k.SymbolName {
			k.Description = "string attribute"
		}
		return k, nil
	}
	switch {
	case r.take("any attribute"):
		return &AttrConstraint{accepts: func(*Attr) bool { return true }}, nil
	case r.take("typed attribute"):
		return &AttrConstraint{typed: true, accepts: isTypedAttr}, nil
	case r.take("unit property"):
		return &AttrConstraint{Property: true, accepts: func(a *Attr) bool { return a.Kind == UnitAttr || a.IsBool() }}, nil
	case r.take("property enum"):
		return r.property()
	case r.take("enum"):
		return r.enum()
	case r.take("array of"):
		return r.array()
	case strings.HasPrefix(r.rest, "#"):
		return r.dialectAttr()
	}
	digits, rest, ok := strings.Cut(r.rest, "-bit ")
	width, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return nil, fmt.Errorf("unknown words %q in a constraint", r.rest)
	}
	r.rest = rest
	if !r.take("signless integer attribute") {
		return nil, fmt.Errorf("unknown words %q in a constraint", rest)
	}
	return &AttrConstraint{kind: IntegerAttr, oneKind: true, accepts: isIntegerAttr(width), valueType: buildInteger(width)}, nil
}

// enumNamed reads the name of an enumeration.
func (r *attrReader) enumNamed() (*Enum, error) {
	dialect, name, ok := strings.Cut(r.word(), ".")
	if !ok {
		dialect, name = r.dialect, dialect
	}
	e := r.c.Enum(dialect, name)
	if e == nil {
		return nil, fmt.Errorf("no enumeration %s of dialect %s", name, dialect)
	}
	return e, nil
}

func (r *attrReader) enum() (*AttrConstraint, error) {
	e, err := r.enumNamed()
	if err != nil {
		return nil, err
	}
	k := &AttrConstraint{Description: e.Description, Enum: e, oneKind: true}
	if e.Mnemonic != "" {
		k.kind = EnumAttr
		k.accepts = func(a *Attr) bool { return a.Kind == EnumAttr && a.Enum == e }
		return k, nil
	}
	k.kind = IntegerAttr
	k.valueType = buildInteger(e.Width)
	integer := isIntegerAttr(e.Width)
	k.accepts = func(a *Attr) bool { return integer(a) && e.Valid(a.Int) }
	return k, nil
}

// property reads an enumeration whose values are stored as integers. MLIR reads
// the enumeration's attribute, too.
func (r *attrReader) property() (*AttrConstraint, error) {
	e, err := r.enumNamed()
	if err != nil {
		return nil, err
	}
	return &AttrConstraint{Description: e.Description, Enum: e, Property: true, valueType: buildInteger(32), accepts: func(a *Attr) bool {
		return a.Kind == IntegerAttr && a.Type.IsInteger(32) && e.Valid(a.Int) || a.Kind == EnumAttr && a.Enum == e
	}}, nil
}

func (r *attrReader) array() (*AttrConstraint, error) {
	k, err := r.one()
	if err != nil {
		return nil, err
	}
	elements := isArrayOf(k.accepts)
	return &AttrConstraint{kind: ArrayAttr, oneKind: true, accepts: func(a *Attr) bool { return a.Kind == ArrayAttr && elements(a) }}, nil
}

func (r *attrReader) dialectAttr() (*AttrConstraint, error) {
	dialect, mnemonic, _ := strings.Cut(r.word()[1:], ".")
	return &AttrConstraint{Dialect: dialect, Mnemonic: mnemonic, kind: DialectAttr, oneKind: true, accepts: func(a *Attr) bool {
		return a.Kind == DialectAttr && a.Dialect == dialect && a.Text == mnemonic
	}}, nil
}
