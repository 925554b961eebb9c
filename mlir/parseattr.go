package mlir

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Attr reads an attribute.
func (p *Parser) Attr() (*Attr, error) { return p.AttrOfType(nil) }

// AttrOfType reads an attribute whose type follows from the context, so that the
// text does not have it; t may be nil.
func (p *Parser) AttrOfType(t *Type) (*Attr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	a, err := p.attrOfType(t)
	p.leave()
	if err != nil {
		return nil, err
	}
	return a, p.spell(a.text)
}

func (p *Parser) attrOfType(t *Type) (*Attr, error) {
	c := p.Context
	switch p.tok.kind {
	case tokInt:
		return p.intAttr(t, false)
	case tokFloat:
		return p.floatAttr(t, false)
	case tokString:
		s := unquoted(p.tokText())
		p.next()
		if t == nil && p.optionalPunct(':') {
			var err error
			if t, err = p.Type(); err != nil {
				return nil, err
			}
		}
		return c.TypedString(s, t), nil
	case tokAt:
		return p.symbolRef()
	case tokHash:
		return p.extendedAttr(t)
	case tokPunct:
		switch p.text[p.tok.start] {
		case '-':
			p.next()
			switch p.tok.kind {
			case tokInt:
				return p.intAttr(t, true)
			case tokFloat:
				return p.floatAttr(t, true)
			}
			return nil, p.wrongToken("expected constant integer or floating point value")
		case '[':
			var list []*Attr
			err := p.CommaList('[', func() error {
				a, err := p.Attr()
				list = append(list, a)
				return err
			})
			if err != nil {
				return nil, err
			}
			return c.Array(list...), nil
		case '{':
			var list []NamedAttr
			if err := p.attrDict(&list); err != nil {
				return nil, err
			}
			return c.Dict(list...), nil
		}
	case tokBare:
		if a, err := p.keywordAttr(t); a != nil || err != nil {
			return a, err
		}
	case tokError:
		return nil, errReported
	}
	u, err := p.OptionalType()
	if err != nil {
		return nil, err
	}
	if u == nil {
		return nil, p.wrongToken("expected attribute value")
	}
	return c.TypeAttr(u), nil
}

// keywordAttr reads an attribute that begins with a keyword, or returns nil.
func (p *Parser) keywordAttr(t *Type) (*Attr, error) {
	c := p.Context
	switch p.tokText() {
	case "unit":
		p.next()
		return c.unit, nil
	case "true", "false":
		v := p.tokText() == "true"
		p.next()
		return c.Bool(v), nil
	case "affine_map":
		p.next()
		m, _, err := p.affineInBrackets(false)
		if err != nil {
			return nil, err
		}
		return c.MapAttr(m), nil
	case "affine_set":
		p.next()
		_, s, err := p.affineInBrackets(true)
		if err != nil {
			return nil, err
		}
		return c.SetAttr(s), nil
	case "array":
		p.next()
		return p.denseArray()
	case "dense":
		start := p.tok.start
		p.next()
		return p.denseElements(start, t)
	case "dense_resource":
		p.next()
		return p.denseResource(t)
	case "sparse":
		start := p.tok.start
		p.next()
		return p.sparseElements(start, t)
	case "strided":
		p.next()
		return p.stridedLayout()
	case "distinct":
		p.next()
		return p.distinctAttr()
	case "loc":
		a, name, err := p.location()
		if err == nil && a == nil {
			return nil, p.PlainErrorf(p.tok.start, "undefined symbol alias id '%s'", name)
		}
		return a, err
	}
	return nil, nil
}

func (p *Parser) symbolRef() (*Attr, error) {
	root := p.symbolName()
	var nested []string
	for p.tok.kind == tokColons {
		p.next()
		if p.tok.kind != tokAt {
			return nil, p.wrongToken("expected nested symbol reference identifier")
		}
		nested = append(nested, p.symbolName())
	}
	return p.Context.SymbolRef(root, nested...), nil
}

// symbolName reads the name of a tokAt.
func (p *Parser) symbolName() string {
	s := p.tokText()[1:]
	p.next()
	if s[0] == '"' {
		return unquoted(s)
	}
	return s
}

// SymbolName reads "@name".
func (p *Parser) SymbolName() (string, error) {
	if p.tok.kind != tokAt {
		return "", p.wrongToken("expected valid '@'-identifier for symbol name")
	}
	return p.symbolName(), nil
}

// intAttr reads an integer, or the hexadecimal bits of a float, with its type.
func (p *Parser) intAttr(t *Type, negative bool) (*Attr, error) {
	pos, text := p.tok.start, p.tokText()
	p.next()
	if t == nil {
		if p.optionalPunct(':') {
			var err error
			if t, err = p.Type(); err != nil {
				return nil, err
			}
		} else {
			t = p.Context.Integer(64)
		}
	}
	if t.Kind == FloatKind {
		bits, err := p.hexFloat(text, pos, t, negative)
		if err != nil {
			return nil, err
		}
		return p.Context.FloatBits(t, bits), nil
	}
	switch {
	case !t.IsIntOrIndex():
		return nil, p.PlainErrorf(pos, "integer literal not valid for specified type")
	case negative && t.Sign == Unsigned:
		return nil, p.PlainErrorf(pos, "negative integer literal not valid for unsigned integer type")
	}
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && t.Kind == IntegerKind && t.Sign == Signless && t.Width >= 32 && !negative {
		return p.Context.IntAttr(t, int64(n)), nil // the usual case
	}
	v, ok := integerOfType(t, text, negative)
	if !ok {
		return nil, p.PlainErrorf(pos, "integer constant out of range for attribute")
	}
	return p.Context.BigIntAttr(t, v), nil
}

// integerOfType returns the value of digits as an integer of a type; ok is false
// if it does not fit. A signless type takes unsigned numbers as well.
func integerOfType(t *Type, text string, negative bool) (v *big.Int, ok bool) {
	width := 64
	if t.Kind == IntegerKind {
		width = t.Width
	}
	if v, err := strconv.ParseUint(text, 0, 63); err == nil && width >= 64 {
		if negative {
			return big.NewInt(-int64(v)), v != 0
		}
		return big.NewInt(int64(v)), true
	}
	v = new(big.Int)
	if strings.HasPrefix(text, "0x") {
		v.SetString(text[2:], 16)
	} else {
		v.SetString(text, 10)
	}
	if v.BitLen() > width {
		return nil, false
	}
	switch {
	case negative:
		top := new(big.Int).Lsh(big.NewInt(1), uint(max(width-1, 0)))
		return new(big.Int).Neg(v), v.Sign() > 0 && v.Cmp(top) <= 0
	case t.Kind == IndexKind || t.Sign == Signed:
		return v, v.BitLen() < width
	}
	return v, true
}

// hexFloat returns the bits of a float that is written in hexadecimal digits.
func (p *Parser) hexFloat(text string, pos int32, t *Type, negative bool) (bits [2]uint64, err error) {
	if negative || !strings.HasPrefix(text, "0x") {
		if negative && strings.HasPrefix(text, "0x") {
			return bits, p.PlainErrorf(pos, "hexadecimal float literal should not have a leading minus")
		}
		err := p.PlainErrorf(pos, "unexpected decimal integer literal for a floating point value")
		p.diags = append(p.diags, note(p.src, pos, "add a trailing dot to make the literal a float"))
		return bits, err
	}
	v, _ := new(big.Int).SetString(text[2:], 16)
	if v.BitLen() > t.Float.Bits {
		return bits, p.PlainErrorf(pos, "hexadecimal float constant out of range for type")
	}
	return words(v), nil
}

func (p *Parser) floatAttr(t *Type, negative bool) (*Attr, error) {
	text := p.tokText()
	p.next()
	if t == nil {
		if p.optionalPunct(':') {
			var err error
			if t, err = p.Type(); err != nil {
				return nil, err
			}
		} else {
			t = p.Context.FloatType(&Float64)
		}
	}
	if t.Kind != FloatKind {
		return nil, p.wrongHere("floating point value not valid for specified type")
	}
	return p.Context.FloatBits(t, floatBits(t, text, negative)), nil
}

// floatBits rounds decimal digits to a double first, as MLIR does.
func floatBits(t *Type, text string, negative bool) [2]uint64 {
	v, _ := strconv.ParseFloat(strings.TrimSuffix(text, "."), 64)
	if negative {
		v = -v
	}
	return t.Float.FromFloat64(v)
}

// extendedAttr reads "#alias", "#dialect.mnemonic<…>" or "#dialect<…>".
func (p *Parser) extendedAttr(t *Type) (*Attr, error) {
	pos, name := p.tok.start, p.text[p.tok.start+1:p.tok.end]
	p.next()
	dialect, rest, dotted := strings.Cut(name, ".")
	if !dotted && !p.isPunct('<') {
		if a := p.attrAliases[name]; a != nil {
			return a, p.spell(a.text)
		}
		return nil, p.wrongToken("undefined symbol alias id '" + name + "'")
	}
	d := p.Context.dialects[dialect]
	if d == nil {
		if err := p.namespace(dialect, dotted, pos); err != nil {
			return nil, err
		}
		text, err := p.opaque(rest, dotted)
		if err != nil {
			return nil, err
		}
		if t == nil && p.optionalPunct(':') {
			if t, err = p.Type(); err != nil {
				return nil, err
			}
		}
		if !p.Context.AllowUnregistered {
			return nil, p.PlainErrorf(pos, "#%s<\"%s\"> : %s attribute created with unregistered dialect", dialect, text, typeOrNone(t))
		}
		return p.Context.OpaqueAttr(dialect, text, t), nil
	}
	outer := p.opName
	p.opName = ""
	defer func() { p.opName = outer }()
	word, wordPos := rest, pos+int32(len(dialect))+2
	if !dotted {
		p.next() // the angle bracket
		wordPos = p.tok.start
		var err error
		if word, err = p.Keyword(); err != nil {
			return nil, err
		}
	}
	a, err := p.dialectAttr(d, word, wordPos, dotted)
	if err != nil {
		return nil, err
	}
	if !dotted {
		if err := p.punct('>'); err != nil {
			return nil, err
		}
	}
	if t == nil && p.optionalPunct(':') { // MLIR reads and ignores a type
		if _, err := p.Type(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func typeOrNone(t *Type) string {
	if t == nil {
		return "none"
	}
	return t.String()
}

// dialectAttr reads the body of a dialect's attribute after its mnemonic.
func (p *Parser) dialectAttr(d *Dialect, word string, pos int32, dotted bool) (*Attr, error) {
	if e := p.Context.Enum(d.Name, word); e != nil && e.Mnemonic != "" {
		return p.EnumBody(e)
	}
	if f := findForm(d.Forms, word, p.Context.Edition); f != nil {
		return p.formAttr(d.Name, f)
	}
	if d.ParseAttr == nil {
		return nil, p.PlainErrorf(pos, "unknown attribute `%s` in dialect `%s`", word, d.Name)
	}
	return d.ParseAttr(p, word, pos)
}

// EnumBody reads the value of an enumeration's attribute: "<case>", or for a bare
// one "case", which is accepted in angle brackets as well.
func (p *Parser) EnumBody(e *Enum) (*Attr, error) {
	angle := p.isPunct('<')
	if angle && e.Bare && p.Context.Strict {
		return nil, p.badParameter(e, p.tok.start, p.Errorf(p.tok.start, "expected valid keyword"))
	}
	if !angle && !e.Bare {
		return nil, p.wrongToken("expected '<'")
	}
	if angle {
		p.next()
	}
	v, err := p.enumValue(e)
	if err != nil {
		return nil, err
	}
	if angle {
		if err := p.punct('>'); err != nil {
			return nil, err
		}
	}
	return p.Context.EnumAttr(e, v), nil
}

// enumValue reads a case, or several of an enumeration of bits.
func (p *Parser) enumValue(e *Enum) (int64, error) {
	return p.cases(e, func(pos int32, isWord bool) error {
		switch {
		case isWord:
			return p.badParameter(e, p.tok.start, p.wrongCase(e, pos))
		case p.tok.kind == tokError:
			return errReported
		}
		return p.badParameter(e, pos, p.Errorf(pos, "expected valid keyword"))
	})
}

// wrongCase reports a word that is no case.
func (p *Parser) wrongCase(e *Enum, pos int32) error {
	return p.Errorf(pos, "expected %s to be one of: %s", e.Class, strings.Join(e.words(), ", "))
}

// cases reads a case of an enumeration, or several of an enumeration of bits.
// wrong reports anything else at a position: another word, or no word.
func (p *Parser) cases(e *Enum, wrong func(pos int32, isWord bool) error) (int64, error) {
	var value int64
	for {
		pos := p.tok.start
		word, ok := p.keywordOrString()
		if !ok {
			return 0, wrong(pos, false)
		}
		v, ok := e.Case(word)
		if !ok {
			return 0, wrong(pos, true)
		}
		value |= v
		if !e.Bits || !p.OptionalLiteral(strings.TrimSpace(e.Separator)) {
			return value, nil
		}
	}
}

// badParameter adds the second error that MLIR reports for a wrong case.
func (p *Parser) badParameter(e *Enum, pos int32, err error) error {
	return p.Errorf(pos, "failed to parse %s parameter 'value' which is to be a `%s`", e.Def, e.Class)
}

func (e *Enum) words() []string {
	var words []string
	for _, c := range e.Cases {
		words = append(words, c.Word)
	}
	return words
}

// denseArray reads "<i32: 1, 2>".
func (p *Parser) denseArray() (*Attr, error) {
	if err := p.punctAs('<', " after 'array'"); err != nil {
		return nil, err
	}
	pos := p.tok.start
	t, err := p.Type()
	if err != nil {
		return nil, err
	}
	switch {
	case t.Kind != IntegerKind && t.Kind != FloatKind:
		return nil, p.PlainErrorf(pos, "expected integer or float type, got: %s", t)
	case t.BitWidth() != 1 && t.BitWidth()%8 != 0:
		return nil, p.PlainErrorf(pos, "element type bitwidth must be a multiple of 8")
	}
	if p.optionalPunct('>') {
		return p.Context.DenseArray(t, nil), nil
	}
	if err := p.punctAs(':', " after dense array type"); err != nil {
		return nil, err
	}
	var raw []byte
	err = p.CommaList(0, func() error {
		raw, err = p.arrayElement(raw, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.Context.DenseArray(t, raw), p.punctAs('>', " to close an array attribute")
}

// arrayElement reads an element of a dense array of type t and appends its bytes.
func (p *Parser) arrayElement(raw []byte, t *Type) ([]byte, error) {
	isBool := p.isKeyword("true") || p.isKeyword("false")
	if t.Kind == FloatKind {
		if isBool || p.tok.kind != tokInt && p.tok.kind != tokFloat && !p.isPunct('-') {
			return nil, p.wrongHere("expected floating point literal")
		}
		return p.element(raw, t)
	}
	if isBool && !t.IsInteger(1) {
		return nil, p.wrongHere("expected i1 type for 'true' or 'false' values")
	}
	if isBool {
		return p.element(raw, t)
	}
	negative := p.optionalPunct('-')
	if p.tok.kind != tokInt {
		return nil, p.wrongHere("expected integer literal")
	}
	v, ok := integerOfType(t, p.tokText(), negative)
	p.next()
	switch {
	case t.IsInteger(1) && p.Context.Edition != Edition19:
		return nil, p.wrongHere("expected 'true' or 'false' values for i1 type")
	case !ok || negative && t.Sign == Unsigned:
		return nil, p.wrongHere("integer constant out of range")
	}
	return appendBig(raw, v, denseSize(t)), nil
}

// element reads an element of type t and appends its bytes.
func (p *Parser) element(raw []byte, t *Type) ([]byte, error) {
	if most := maxAnyRaw + maxRaw*len(p.text); len(raw) > most {
		return nil, p.PlainErrorf(p.tok.start, "dense elements have more than %d bytes", most)
	}
	if t.Kind == ComplexKind {
		err := p.punct('(')
		if err == nil {
			raw, err = p.element(raw, t.Elem)
		}
		if err == nil {
			err = p.punctAs(',', " between complex elements")
		}
		if err == nil {
			raw, err = p.element(raw, t.Elem)
		}
		if err != nil {
			return nil, err
		}
		return raw, p.punctAs(')', " after complex elements")
	}
	pos := p.tok.start
	if p.isKeyword("true") || p.isKeyword("false") {
		if !t.IsInteger(1) {
			return nil, p.PlainErrorf(pos, "expected i1 type for 'true' or 'false' values")
		}
		v := byte(count(p.isKeyword("true")))
		p.next()
		return append(raw, v), nil
	}
	negative := p.optionalPunct('-')
	pos = p.tok.start
	text := p.tokText()
	switch kind := p.tok.kind; {
	case kind == tokInt && t.Kind != FloatKind:
		p.next()
		v, ok := integerOfType(t, text, negative)
		switch {
		case negative && t.Sign == Unsigned:
			return nil, p.PlainErrorf(pos, "expected unsigned integer elements, but parsed negative value")
		case !ok:
			return nil, p.PlainErrorf(pos, "integer constant out of range for type")
		}
		return appendBig(raw, v, denseSize(t)), nil
	case kind == tokInt:
		p.next()
		bits, err := p.hexFloat(text, pos, t, negative)
		return appendRaw(raw, bits, denseSize(t)), err
	case kind == tokFloat && t.Kind == FloatKind:
		p.next()
		return appendRaw(raw, floatBits(t, text, negative), denseSize(t)), nil
	case kind == tokFloat:
		return nil, p.PlainErrorf(pos, "expected integer elements, but parsed floating-point")
	}
	return nil, p.wrongHere("expected element literal of primitive type")
}

// appendBig appends an integer in two's complement.
func appendBig(raw []byte, v *big.Int, size int) []byte {
	if v.IsInt64() {
		return appendRaw(raw, [2]uint64{uint64(v.Int64()), uint64(v.Int64() >> 63)}, size)
	}
	m := new(big.Int).Set(v)
	if m.Sign() < 0 {
		m.Add(m, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	bytes := m.FillBytes(make([]byte, size))
	slices.Reverse(bytes)
	return append(raw, bytes...)
}

// literal is the text written between the angle brackets of dense elements.
type literal struct {
	raw   []byte
	list  []*Attr
	shape []int64
	splat bool // one element without brackets
	hex   bool
	pos   int32
}

// denseElements reads "<[1, 2]> : type" after the keyword at start.
func (p *Parser) denseElements(start int32, t *Type) (*Attr, error) {
	if err := p.punctAs('<', " after 'dense'"); err != nil {
		return nil, err
	}
	// The elements' type follows the elements.
	body := p.tok
	if t == nil {
		if err := p.skipLiteral(); err != nil {
			return nil, err
		}
		if err := p.punct('>'); err != nil {
			return nil, err
		}
		var err error
		if t, start, err = p.literalType(start); err != nil {
			return nil, err
		}
		after := p.tok
		end := p.lastEnd
		p.tok = body
		a, err := p.literalOfType(t, start)
		p.tok, p.lastEnd = after, end
		return a, err
	}
	if err := p.checkDenseType(t, start); err != nil {
		return nil, err
	}
	a, err := p.literalOfType(t, start)
	if err != nil {
		return nil, err
	}
	return a, p.punct('>')
}

// literalType reads ": type" after the elements of the attribute at start, and returns the position
// of errors about the elements.
func (p *Parser) literalType(start int32) (*Type, int32, error) {
	typePos := start
	if p.Context.Edition == Edition19 {
		start = p.tok.start
	}
	if err := p.punct(':'); err != nil {
		return nil, 0, err
	}
	t, err := p.Type()
	if err != nil {
		return nil, 0, err
	}
	if p.Context.Edition == Edition19 {
		typePos = p.tok.start
	}
	return t, start, p.checkDenseType(t, typePos)
}

func (p *Parser) checkDenseType(t *Type, pos int32) error {
	switch t.Kind {
	case VectorKind, TensorKind, MemRefKind, UnrankedTensorKind, UnrankedMemRefKind:
	default:
		return p.PlainErrorf(pos, "elements literal must be a shaped type")
	}
	if !t.HasStaticShape() {
		return p.PlainErrorf(pos, "elements literal type must have static shape")
	}
	n := int64(1)
	for _, d := range t.Shape {
		if n *= d; n > 1<<28 {
			return p.PlainErrorf(pos, "elements literal has more than 2^28 elements")
		}
	}
	return nil
}

// skipLiteral skips the elements of a literal up to the closing angle bracket.
func (p *Parser) skipLiteral() error {
	depth := 0
	for {
		switch {
		case p.tok.kind == tokEOF:
			return p.wrongToken("expected '>'")
		case p.tok.kind == tokError:
			return errReported
		case p.isPunct('['), p.isPunct('('):
			depth++
		case p.isPunct(']'), p.isPunct(')'):
			depth--
		case p.isPunct('>') && depth <= 0:
			return nil
		}
		p.next()
	}
}

// literalOfType reads elements of a type for the attribute at start.
func (p *Parser) literalOfType(t *Type, start int32) (*Attr, error) {
	l := literal{pos: p.tok.start}
	if !p.isPunct('>') {
		if err := p.readLiteral(&l, t, true); err != nil {
			return nil, err
		}
	}
	return p.literalAttr(&l, t, start)
}

// readLiteral reads elements of the type of t's elements, or their bytes as a string if allowHex
// is set.
func (p *Parser) readLiteral(l *literal, t *Type, allowHex bool) error {
	if !allowHex || p.tok.kind != tokString || !t.Elem.isNumber() {
		var err error
		l.shape, err = p.elements(l, t, 0)
		return err
	}
	if !isHexString(p.tokText()) {
		return p.PlainErrorf(p.tok.start, "expected string containing hex digits starting with `0x`")
	}
	l.hex = true
	l.raw, _ = hex.DecodeString(p.tokText()[3 : len(p.tokText())-1])
	p.next()
	return nil
}

// literalAttr returns the attribute of elements that have been read.
func (p *Parser) literalAttr(l *literal, t *Type, start int32) (*Attr, error) {
	want := t.NumElements()
	size := int64(denseSize(t.Elem))
	n := int64(len(l.raw)) / size
	if l.list != nil {
		n = int64(len(l.list))
	}
	switch {
	case l.hex && n != want && n != 1 || l.hex && int64(len(l.raw))%size != 0:
		return nil, p.PlainErrorf(start, "elements hex data size is invalid for provided type: '%s'", t)
	case l.hex:
		l.splat = n == 1
	case len(l.shape) > 0 && !slices.Equal(l.shape, t.Shape):
		return nil, p.PlainErrorf(start, "inferred shape of elements literal (%s) does not match type (%s)", shapeText(l.shape), shapeText(t.Shape))
	case n == 0 && want != 0:
		return nil, p.PlainErrorf(start, "parsed zero elements, but type ('%s') expected at least 1", t)
	}
	if l.list != nil {
		return p.Context.DenseStrings(t, l.list, l.splat), nil
	}
	return p.Context.DenseElements(t, l.raw, l.splat), nil
}

func isHexString(s string) bool {
	return strings.HasPrefix(s, `"0x`) && len(s)%2 == 0 && isHex(s[3:len(s)-1])
}

func isHex(s string) bool {
	for i := range len(s) {
		if !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

func shapeText(shape []int64) string {
	var w writer
	w.byte('[')
	for i, n := range shape {
		if i > 0 {
			w.str(", ")
		}
		w.int(n)
	}
	w.byte(']')
	return string(w.buf)
}

// isNumber reports whether elements of a type are written as numbers.
func (t *Type) isNumber() bool {
	return t.IsIntOrIndex() || t.Kind == FloatKind || t.Kind == ComplexKind
}

// elements reads nested lists of elements, or one element, and returns their shape.
func (p *Parser) elements(l *literal, t *Type, depth int) ([]int64, error) {
	if !p.isPunct('[') {
		l.splat = depth == 0
		isString := p.tok.kind == tokString
		switch {
		case isString && t.Elem.IsIntOrIndex():
			return nil, p.wrongHere("integer constant out of range for type")
		case isString && t.Elem.isNumber():
			return nil, p.wrongHere("expected floating point literal")
		case isString:
			l.list = append(l.list, p.Context.String(unquoted(p.tokText())))
			p.next()
			return nil, nil
		case !t.Elem.isNumber():
			return nil, p.PlainErrorf(l.pos, "expected element type to be integer, index, float or complex")
		}
		var err error
		l.raw, err = p.element(l.raw, t.Elem)
		return nil, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	shape := []int64{0}
	err := p.CommaList('[', func() error {
		inner, err := p.elements(l, t, depth+1)
		if err != nil {
			return err
		}
		if shape[0]++; shape[0] == 1 {
			shape = append(shape, inner...)
		} else if !slices.Equal(shape[1:], inner) {
			return p.wrongHere("tensor literal is invalid; ranks are not consistent between elements")
		}
		return nil
	})
	return shape, err
}

// denseResource reads "<name> : type".
func (p *Parser) denseResource(t *Type) (*Attr, error) {
	if err := p.punct('<'); err != nil {
		return nil, err
	}
	name, ok := p.keywordOrString()
	if !ok {
		return nil, p.wrongToken("expected identifier key for 'resource' entry")
	}
	if err := p.punct('>'); err != nil {
		return nil, err
	}
	if t == nil {
		var err error
		if t, err = p.ColonType(); err != nil {
			return nil, err
		}
	}
	return p.Context.internAttr(Attr{Kind: DenseResourceAttr, Text: name, Type: t}), nil
}

// stridedLayout reads "<[4, 1], offset: ?>".
func (p *Parser) stridedLayout() (*Attr, error) {
	if err := p.punctAs('<', " after 'strided'"); err != nil {
		return nil, err
	}
	var strides []int64
	err := p.CommaList('[', func() error {
		n, err := p.dim()
		strides = append(strides, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	offset := int64(0)
	if !p.isPunct('>') {
		if err := p.punct(','); err != nil {
			return nil, err
		}
		if !p.OptionalLiteral("offset") {
			return nil, p.wrongToken("expected 'offset' after comma")
		}
		if err := p.punctAs(':', " after 'offset'"); err != nil {
			return nil, err
		}
		if offset, err = p.dim(); err != nil {
			return nil, err
		}
	}
	return p.Context.StridedLayout(strides, offset), p.punct('>')
}

// dim reads an integer or "?".
func (p *Parser) dim() (int64, error) {
	if p.optionalPunct('?') {
		return Dynamic, nil
	}
	if p.tok.kind != tokInt && !p.isPunct('-') {
		return 0, p.wrongHere("expected a 64-bit signed integer or '?'")
	}
	return p.Integer()
}

// distinctAttr reads "[1]<attribute>".
func (p *Parser) distinctAttr() (*Attr, error) {
	if err := p.punct('['); err != nil {
		return nil, err
	}
	id, err := p.Integer()
	if err == nil {
		err = p.punct(']')
	}
	if err == nil {
		err = p.punct('<')
	}
	if err != nil {
		return nil, err
	}
	a := p.Context.unit
	if !p.isPunct('>') {
		if a, err = p.Attr(); err != nil {
			return nil, err
		}
	}
	return p.Context.internAttr(Attr{Kind: DistinctAttr, Int: id, List: []*Attr{a}, aliased: true}), p.punct('>')
}

// fileMetadata reads "{-# … #-}". Resources are kept by name for printing.
func (p *Parser) fileMetadata() error {
	p.next()
	for p.tok.kind != tokFileEnd {
		name, ok := p.keywordOrString()
		if !ok {
			return p.wrongToken("expected identifier key in file metadata dictionary")
		}
		if err := p.punct(':'); err != nil {
			return err
		}
		start := p.tok.start
		if !p.isPunct('{') {
			return p.wrongToken("expected '{'")
		}
		end, err := p.bracketed()
		if err != nil {
			return err
		}
		if name != "dialect_resources" && name != "external_resources" {
			return p.PlainErrorf(start, "unknown key '%s' in file metadata dictionary", name)
		}
		p.Context.resources = append(p.Context.resources, fmt.Sprintf("%s: %s", name, p.text[start:end]))
		if !p.optionalPunct(',') {
			break
		}
	}
	if p.tok.kind != tokFileEnd {
		return p.wrongToken("expected '#-}' to end file metadata dictionary")
	}
	p.next()
	return nil
}
