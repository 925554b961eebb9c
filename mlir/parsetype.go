package mlir

import (
	"slices"
	"strconv"
	"strings"
)

// Type reads a type.
func (p *Parser) Type() (*Type, error) {
	if p.isPunct('(') {
		return p.functionType()
	}
	return p.nonFunctionType()
}

// OptionalType reads a type if one follows.
func (p *Parser) OptionalType() (*Type, error) {
	switch p.tok.kind {
	case tokBang:
	case tokPunct:
		if !p.isPunct('(') {
			return nil, nil
		}
	case tokBare:
		if !isTypeKeyword(p.tokText()) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	return p.Type()
}

func isTypeKeyword(word string) bool {
	switch word {
	case "index", "none", "complex", "vector", "tensor", "memref", "tuple":
		return true
	}
	return FloatFormatNamed(word) != nil || isIntegerType(word)
}

// isIntegerType reports whether a word is "i", "si" or "ui" and digits.
func isIntegerType(word string) bool {
	w := word
	if w != "" && (w[0] == 's' || w[0] == 'u') {
		w = w[1:]
	}
	if len(w) < 2 || w[0] != 'i' {
		return false
	}
	for i := 1; i < len(w); i++ {
		if byteClass[w[i]]&digitByte == 0 {
			return false
		}
	}
	return true
}

// Types reads types separated by commas.
func (p *Parser) Types() ([]*Type, error) {
	var list []*Type
	err := p.CommaList(0, func() error {
		t, err := p.Type()
		list = append(list, t)
		return err
	})
	return list, err
}

func (p *Parser) functionType() (*Type, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	start := len(p.typeRoom)
	defer func() { p.typeRoom = p.typeRoom[:start] }()
	if err := p.CommaList('(', p.roomType); err != nil {
		return nil, err
	}
	middle := len(p.typeRoom)
	if p.tok.kind != tokArrow {
		return nil, p.wrongToken("expected '->' in function type")
	}
	p.next()
	if p.isPunct('(') {
		if err := p.CommaList('(', p.roomType); err != nil {
			return nil, err
		}
	} else {
		t, err := p.nonFunctionType()
		if err != nil {
			return nil, err
		}
		p.typeRoom = append(p.typeRoom, t)
	}
	t := p.Context.FunctionType(p.typeRoom[start:middle:middle], p.typeRoom[middle:])
	return t, p.spell(t.text)
}

// roomType reads a type and appends it to the parser's typeRoom.
func (p *Parser) roomType() error {
	t, err := p.Type()
	p.typeRoom = append(p.typeRoom, t)
	return err
}

// typeList reads types in parentheses.
func (p *Parser) typeList() ([]*Type, error) {
	var list []*Type
	err := p.CommaList('(', func() error {
		t, err := p.Type()
		list = append(list, t)
		return err
	})
	return list, err
}

// resultTypes reads a type, or types in parentheses.
func (p *Parser) resultTypes() ([]*Type, error) {
	if p.isPunct('(') {
		return p.typeList()
	}
	t, err := p.nonFunctionType()
	return []*Type{t}, err
}

// OptionalArrowTypes reads "-> types" if it is there.
func (p *Parser) OptionalArrowTypes() ([]*Type, error) {
	if p.tok.kind != tokArrow {
		return nil, nil
	}
	p.next()
	return p.resultTypes()
}

// ArrowTypes reads "-> types".
func (p *Parser) ArrowTypes() ([]*Type, error) {
	if p.tok.kind != tokArrow {
		return nil, p.wrongToken("expected '->'")
	}
	p.next()
	return p.resultTypes()
}

// ColonTypes reads ": A, B" if it is there.
func (p *Parser) ColonTypes() ([]*Type, error) {
	if !p.optionalPunct(':') {
		return nil, nil
	}
	return p.Types()
}

// ColonType reads ": type".
func (p *Parser) ColonType() (*Type, error) {
	if err := p.punct(':'); err != nil {
		return nil, err
	}
	return p.Type()
}

func (p *Parser) nonFunctionType() (*Type, error) {
	switch p.tok.kind {
	case tokBare:
		return p.builtinType()
	case tokBang:
		return p.dialectType()
	}
	return nil, p.wrongToken("expected non-function type")
}

// builtinType reads a type that begins with a keyword. A text read before is
// not read again.
func (p *Parser) builtinType() (*Type, error) {
	start := p.tok.start
	end := p.typeEnd("\"\n-(#!")
	if t := p.knownType(p.text[start:end]); t != nil {
		p.reset(end)
		return t, nil
	}
	word := p.tokText()
	p.next()
	t, err := p.keywordType(word, start)
	if err != nil {
		return nil, err
	}
	if p.lastEnd == end && !t.aliased {
		p.spellings[p.text[start:end]] = t
	}
	return t, p.spell(t.text)
}

// A spelling is a type with its text.
type spelling struct {
	text string
	t    *Type
}

// knownType returns the type that has been read from a text before, or nil. A few short texts
// recur most: recent ones are found without hashing.
func (p *Parser) knownType(text string) *Type {
	last := len(text) - 1
	if last < 0 {
		return nil
	}
	recent := &p.recent[(last*8+int(text[0])+int(text[last/2])+int(text[last]))%len(p.recent)]
	if recent.text == text {
		return recent.t
	}
	t := p.spellings[text]
	if t != nil {
		*recent = spelling{text, t}
	}
	return t
}

// reset continues after a position.
func (p *Parser) reset(pos int32) {
	p.tok.end = pos
	p.next()
}

// typeEnd guesses the end of the type at the current token: after the keyword
// and the part in angle brackets, if one follows directly and has none of some characters.
func (p *Parser) typeEnd(not string) int32 {
	end := p.tok.end
	if p.at(end) != '<' {
		return end
	}
	depth := 0
	for i := end; int(i) < len(p.text) && i < end+maxSpelling; i++ {
		switch b := p.text[i]; {
		case b == '<':
			depth++
		case b == '>':
			if depth--; depth == 0 {
				return i + 1
			}
		case b > '-':
		case strings.IndexByte(not, b) >= 0 && !strings.HasPrefix(p.text[i:], "#gpu."):
			return end
		}
	}
	return end
}

func (p *Parser) keywordType(word string, pos int32) (*Type, error) {
	c := p.Context
	if f := FloatFormatNamed(word); f != nil {
		return c.FloatType(f), nil
	}
	if isIntegerType(word) {
		sign := Signless
		switch word[0] {
		case 's':
			sign = Signed
		case 'u':
			sign = Unsigned
		}
		width, err := strconv.ParseUint(strings.TrimLeft(word, "sui"), 10, 32)
		switch {
		case err != nil:
			return nil, p.PlainErrorf(pos, "invalid integer width")
		case width > MaxIntegerWidth:
			return nil, p.PlainErrorf(pos, "integer bitwidth is limited to %d bits", MaxIntegerWidth)
		}
		if sign == Signless {
			return c.Integer(int(width)), nil
		}
		return c.SignedInteger(int(width), sign), nil
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch word {
	case "index":
		return c.index, nil
	case "none":
		return c.None(), nil
	case "complex":
		return p.complexType()
	case "vector":
		return p.vectorType(pos)
	case "tensor":
		return p.tensorType()
	case "memref":
		return p.memrefType(pos)
	case "tuple":
		var list []*Type
		err := p.commaListIn('<', " in tuple type", func() error {
			t, err := p.Type()
			list = append(list, t)
			return err
		})
		if err != nil {
			return nil, err
		}
		return c.TupleType(list), nil
	}
	if p.tok.kind == tokError {
		return nil, errReported
	}
	return nil, p.PlainErrorf(pos, "expected non-function type")
}

func (p *Parser) complexType() (*Type, error) {
	const where = " in complex type"
	if err := p.punctAs('<', where); err != nil {
		return nil, err
	}
	pos := p.tok.start
	elem, err := p.Type()
	if err != nil {
		return nil, err
	}
	if elem.Kind != FloatKind && elem.Kind != IntegerKind {
		return nil, p.PlainErrorf(pos, "invalid element type for complex")
	}
	return p.Context.ComplexType(elem), p.punctAs('>', where)
}

// dimensions reads sizes, each followed by "x". Brackets around a size are for
// vectors.
func (p *Parser) dimensions(dynamic, brackets bool) (shape []int64, scalable []bool, err error) {
	any := false
	for {
		open := brackets && p.optionalPunct('[')
		switch {
		case p.tok.kind == tokInt:
			n, err := p.dimension()
			if err != nil {
				return nil, nil, err
			}
			shape = append(shape, n)
		case dynamic && p.isPunct('?'):
			p.next()
			shape = append(shape, Dynamic)
		case open:
			return nil, nil, p.wrongToken("expected integer value")
		default:
			if !any {
				scalable = nil
			}
			return shape, scalable, nil
		}
		any = any || open
		scalable = append(scalable, open)
		if open && !p.optionalPunct(']') {
			return nil, nil, p.wrongToken("missing ']' closing scalable dimension")
		}
		if err := p.cross(); err != nil {
			return nil, nil, err
		}
	}
}

// Dimensions reads sizes, perhaps none, separated by "x", as in "4x?x8". Sizes may be dynamic if
// dynamic is set.
func (p *Parser) Dimensions(dynamic bool) ([]int64, error) {
	var list []int64
	for {
		switch {
		case dynamic && p.optionalPunct('?'):
			list = append(list, Dynamic)
		case p.tok.kind == tokInt:
			n, err := p.dimension()
			if err != nil {
				return nil, err
			}
			list = append(list, n)
		default:
			return list, nil
		}
		if p.tok.kind != tokBare || p.text[p.tok.start] != 'x' {
			return list, nil
		}
		p.reset(p.tok.start + 1)
	}
}

// cross skips the "x" after a size, with which the next token may begin.
func (p *Parser) cross() error {
	if p.tok.kind != tokBare || p.text[p.tok.start] != 'x' {
		return p.wrongToken("expected 'x' in dimension list")
	}
	p.reset(p.tok.start + 1)
	return nil
}

// dimension reads a size. The text "0x8" is a size 0 and an "x".
func (p *Parser) dimension() (int64, error) {
	if s := p.tokText(); len(s) > 1 && s[1] == 'x' {
		p.reset(p.tok.start + 1)
		return 0, nil
	}
	n, err := strconv.ParseInt(p.tokText(), 10, 64)
	if err != nil {
		return 0, p.PlainErrorf(p.tok.start, "invalid dimension")
	}
	p.next()
	return n, nil
}

// isVectorElement reports whether vectors of the edition can have elements of a type.
func (p *Parser) isVectorElement(t *Type) bool {
	return t.Kind == FloatKind || t.IsIntOrIndex() || p.Context.Edition != Edition19 && t.IsDialect("llvm", "ptr")
}

// vectorType reads a vector type after the word at start.
func (p *Parser) vectorType(start int32) (*Type, error) {
	const where = " in vector type"
	if err := p.punctAs('<', where); err != nil {
		return nil, err
	}
	shape, scalable, err := p.dimensions(false, true)
	if err != nil {
		return nil, err
	}
	pos := p.tok.start
	if p.Context.Edition == Edition19 && slices.Contains(shape, 0) {
		return nil, p.PlainErrorf(pos, "vector types must have positive constant sizes")
	}
	elem, err := p.Type()
	if err != nil {
		return nil, err
	}
	if !p.isVectorElement(elem) {
		if p.Context.Edition == Edition19 {
			return nil, p.PlainErrorf(pos, "vector elements must be int/index/float type")
		}
		return nil, p.PlainErrorf(start, "failed to verify 'elementType': VectorElementTypeInterface instance")
	}
	if err := p.punctAs('>', where); err != nil {
		return nil, err
	}
	if slices.Contains(shape, 0) {
		return nil, p.PlainErrorf(start, "vector types must have positive constant sizes but got %s", strings.Trim(shapeText(shape), "[]"))
	}
	return p.Context.VectorType(shape, scalable, elem), nil
}

func (p *Parser) tensorType() (*Type, error) {
	const where = " in tensor type"
	if err := p.punctAs('<', where); err != nil {
		return nil, err
	}
	unranked := p.optionalPunct('*')
	var shape []int64
	var err error
	if unranked {
		err = p.cross()
	} else {
		shape, _, err = p.dimensions(true, false)
	}
	if err != nil {
		return nil, err
	}
	pos := p.tok.start
	elem, err := p.Type()
	if err != nil {
		return nil, err
	}
	switch elem.Kind {
	case TensorKind, UnrankedTensorKind, MemRefKind, UnrankedMemRefKind, FunctionKind, TupleKind, NoneKind:
		return nil, p.PlainErrorf(pos, "invalid tensor element type")
	}
	if unranked {
		return p.Context.UnrankedTensorType(elem), p.punctAs('>', where)
	}
	var encoding *Attr
	if p.optionalPunct(',') {
		if encoding, err = p.Attr(); err != nil {
			return nil, err
		}
	}
	return p.Context.TensorType(shape, elem, encoding), p.punctAs('>', where)
}

func (p *Parser) memrefType(pos int32) (*Type, error) {
	if err := p.punctAs('<', " in memref type"); err != nil {
		return nil, err
	}
	unranked := p.isPunct('*')
	var shape []int64
	var err error
	if unranked {
		p.next()
		err = p.cross()
	} else {
		shape, _, err = p.dimensions(true, false)
	}
	if err != nil {
		return nil, err
	}
	elemPos := p.tok.start
	elem, err := p.Type()
	if err != nil {
		return nil, err
	}
	switch elem.Kind {
	case TensorKind, UnrankedTensorKind, FunctionKind, TupleKind, NoneKind, DialectKind, OpaqueKind:
		return nil, p.PlainErrorf(elemPos, "invalid memref element type")
	}
	var layout, space *Attr
	for p.optionalPunct(',') {
		a, err := p.Attr()
		if err != nil {
			return nil, err
		}
		switch {
		case a.Kind == AffineMapAttr || a.Kind == StridedLayoutAttr:
			if unranked {
				return nil, p.wrongHere("cannot have affine map for unranked memref type")
			}
			if space != nil {
				return nil, p.wrongHere("expected memory space to be last in memref type")
			}
			layout = a
		case space != nil:
			return nil, p.wrongHere("multiple memory spaces specified in memref type")
		default:
			space = a
		}
	}
	if err := p.punct('>'); err != nil {
		return nil, err
	}
	if unranked {
		return p.Context.UnrankedMemRefType(elem, space), nil
	}
	if err := p.checkLayout(pos, layout, len(shape)); err != nil {
		return nil, err
	}
	return p.Context.MemRefType(shape, elem, layout, space), nil
}

func (p *Parser) checkLayout(pos int32, layout *Attr, rank int) error {
	switch {
	case layout == nil:
	case layout.Kind == StridedLayoutAttr && len(layout.Ints) != rank:
		return p.PlainErrorf(pos, "expected the number of strides to match the rank")
	case layout.Kind == AffineMapAttr && layout.Map.Dims != rank:
		return p.PlainErrorf(pos, "memref layout mismatch between rank and affine map: %d != %d", rank, layout.Map.Dims)
	}
	return nil
}

// dialectType reads "!alias", "!dialect.mnemonic<…>" or "!dialect<…>".
func (p *Parser) dialectType() (*Type, error) {
	start, end := p.tok.start, p.typeEnd("\"\n-#")
	if t := p.knownType(p.text[start:end]); t != nil {
		p.reset(end)
		return t, p.spell(t.text)
	}
	t, err := p.newDialectType()
	if err == nil && p.lastEnd == end && !t.aliased {
		p.spellings[p.text[start:end]] = t
	}
	return t, err
}

// namespace checks the name of an unknown dialect at a position.
func (p *Parser) namespace(dialect string, dotted bool, pos int32) error {
	if dialect != "" && byteClass[dialect[0]]&letterByte != 0 && !strings.Contains(dialect, "-") {
		return nil
	}
	return p.PlainErrorf(afterNamespace(dialect, dotted, pos), "invalid dialect namespace '\"%s\"'", dialect)
}

// afterNamespace returns where MLIR reports errors of a dialect's name at pos: after the dot if
// there is one.
func afterNamespace(dialect string, dotted bool, pos int32) int32 {
	if dotted {
		return pos + int32(len(dialect)) + 2
	}
	return pos
}

func (p *Parser) newDialectType() (*Type, error) {
	pos, name := p.tok.start, p.text[p.tok.start+1:p.tok.end]
	p.next()
	dialect, rest, dotted := strings.Cut(name, ".")
	if !dotted && !p.isPunct('<') {
		if t := p.typeAliases[name]; t != nil {
			return t, p.spell(t.text)
		}
		return nil, p.wrongToken("undefined symbol alias id '" + name + "'")
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	bodyPos := pos + int32(len(dialect)) + 2
	d := p.Context.dialects[dialect]
	if d == nil {
		if err := p.namespace(dialect, dotted, pos); err != nil {
			return nil, err
		}
		text, err := p.opaque(rest, dotted)
		if err != nil {
			return nil, err
		}
		if !p.Context.AllowUnregistered {
			return nil, p.PlainErrorf(afterNamespace(dialect, dotted, pos), "`!\"%s\"<\"%s\">` type created with unregistered dialect. If this is intended, "+
				"please call allowUnregisteredDialects() on the MLIRContext, or use -allow-unregistered-dialect with the MLIR opt tool used", dialect, text)
		}
		return p.Context.OpaqueType(dialect, text), nil
	}
	if d.ParseType == nil {
		return nil, p.PlainErrorf(bodyPos, "dialect '%s' provides no type parsing hook", dialect)
	}
	outer := p.opName
	p.opName = ""
	defer func() { p.opName = outer }()
	if dotted {
		return d.ParseType(p, rest, bodyPos)
	}
	p.next() // the angle bracket
	word, err := p.Keyword()
	if err != nil {
		return nil, err
	}
	t, err := d.ParseType(p, word, bodyPos)
	if err != nil {
		return nil, err
	}
	return t, p.punct('>')
}

// opaque reads the body of a type or attribute of an unknown dialect: the text
// between angle brackets, or a word and, after it, brackets.
func (p *Parser) opaque(word string, dotted bool) (string, error) {
	if !p.isPunct('<') {
		if !dotted {
			return "", p.wrongToken("expected '<'")
		}
		return word, nil
	}
	if dotted && p.tok.start != p.lastEnd {
		return word, nil
	}
	start := p.tok.start
	end, err := p.bracketed()
	if err != nil {
		return "", err
	}
	if dotted {
		return word + p.text[start:end], nil
	}
	return p.text[start+1 : end-1], nil
}

// bracketed skips a text in balanced brackets and returns its end.
func (p *Parser) bracketed() (int32, error) {
	var open []byte
	start := p.tok.start
	for i := start; int(i) < len(p.text); i++ {
		switch b := p.text[i]; b {
		case '<', '(', '[', '{':
			open = append(open, b)
		case '-':
			if p.at(i+1) == '>' {
				i++
			}
		case '"':
			t := p.lexString(i, i)
			if t.kind == tokError {
				return 0, errReported
			}
			i = t.end - 1
		case '>', ')', ']', '}':
			if b != closing[open[len(open)-1]] {
				return 0, p.PlainErrorf(start, "unbalanced '%c' character in pretty dialect name", open[len(open)-1])
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				p.reset(i + 1)
				return i + 1, nil
			}
		case 0:
			return 0, p.PlainErrorf(i, "unexpected nul or EOF in pretty dialect name")
		}
	}
	return 0, p.PlainErrorf(int32(len(p.text)), "unexpected nul or EOF in pretty dialect name")
}

// Params reads the parameters of a dialect's type or attribute in angle brackets:
// types, attributes and integers.
func (p *Parser) Params() ([]Param, error) {
	if !p.isPunct('<') {
		return nil, nil
	}
	var list []Param
	err := p.CommaList('<', func() error {
		t, err := p.OptionalType()
		if err != nil {
			return err
		}
		if t != nil {
			list = append(list, Param{Kind: TypeParam, Type: t})
			return nil
		}
		if p.tok.kind == tokInt || p.isPunct('-') {
			n, err := p.Integer()
			list = append(list, Param{Kind: IntParam, Int: n})
			return err
		}
		a, err := p.Attr()
		list = append(list, Param{Kind: AttrParam, Attr: a})
		return err
	})
	return list, err
}
