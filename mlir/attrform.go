package mlir

import (
	"slices"
	"strings"
)

// An AttrForm is the syntax of an attribute of a dialect with parameters:
//
//	#dialect.mnemonic<value, value>
//	#dialect.mnemonic<name = value, name = value>
type AttrForm struct {
	Mnemonic string
	Class    string // in C++, which diagnostics mention
	Keyed    bool   // parameters have names and any order
	Bare     bool   // without parameters there are no angle brackets
	Alias    bool   // it gets an alias by its mnemonic
	Editions EditionSet
	// Separator is between parameters without names; "" for ", ".
	Separator string
	Fields    []FormField
}

// An EditionSet specifies in which editions something exists.
type EditionSet uint8

// The sets of editions.
const (
	EveryEdition EditionSet = iota
	Only19
	Only22
)

// Has reports whether an edition belongs to the set.
func (s EditionSet) Has(e Edition) bool {
	return s == EveryEdition || (s == Only19) == (e == Edition19)
}

// A FormField is a parameter of an attribute.
type FormField struct {
	Name     string
	Kind     FormKind
	Class    string // in C++, which diagnostics mention
	Enum     string // of WordForm: the enumeration, within the dialect; "" for any keyword
	Nested   string // of ValueForm and ListForm: the mnemonic of the only attribute, which needs not be written
	Words    string // of WordForm without an enumeration: the keywords, separated by ", "; "" for any
	Optional bool
	Default  string // of WordForm and StringForm: not printed
	Number   int64  // the default of IntForm, if it is optional
}

// A FormKind specifies what a parameter holds.
type FormKind uint8

// The kinds of parameters.
const (
	IntForm     FormKind = iota // an integer, or true and false
	BoolForm                    // true or false
	StringForm                  // a string in quotes
	WordForm                    // a keyword
	ValueForm                   // an attribute
	TypeForm                    // a type
	ListForm                    // attributes separated by commas, to the end
	MapForm                     // an affine map without "affine_map"
	BracketForm                 // attributes in square brackets
	BraceForm                   // attributes in braces
)

// findForm returns the form of a mnemonic in an edition, or nil.
func findForm(forms []AttrForm, mnemonic string, e Edition) *AttrForm {
	for i := range forms {
		if f := &forms[i]; f.Mnemonic == mnemonic && f.Editions.Has(e) {
			return f
		}
	}
	return nil
}

// formAttr reads the parameters of an attribute.
func (p *Parser) formAttr(dialect string, f *AttrForm) (*Attr, error) {
	params := make([]Param, len(f.Fields))
	for i := range params {
		params[i].Kind = NoParam
	}
	if !p.isPunct('<') && f.Bare {
		return p.Context.DialectAttr(dialect, f.Mnemonic, params...), nil
	}
	if err := p.punct('<'); err != nil {
		return nil, err
	}
	read := p.positional
	if f.Keyed {
		read = p.keyed
	}
	if f.Bare && p.isPunct('>') {
		read = func(string, *AttrForm, []Param) error { return nil }
	}
	if err := read(dialect, f, params); err != nil {
		return nil, err
	}
	return p.Context.DialectAttr(dialect, f.Mnemonic, params...), p.punct('>')
}

func (p *Parser) positional(dialect string, f *AttrForm, params []Param) error {
	for i := range f.Fields {
		if f.Fields[i].Optional && p.isPunct('>') {
			return nil
		}
		if i > 0 {
			if err := p.separator(f); err != nil {
				return err
			}
		}
		if err := p.formField(dialect, f, i, params); err != nil {
			return err
		}
	}
	return nil
}

func (p *Parser) separator(f *AttrForm) error {
	if f.Separator == "" {
		return p.punct(',')
	}
	return p.Literal(strings.TrimSpace(f.Separator))
}

func (p *Parser) keyed(dialect string, f *AttrForm, params []Param) error {
	last := len(f.Fields) - 1
	for n := 0; n == 0 || p.optionalPunct(','); n++ {
		name, err := p.Keyword()
		if err != nil {
			return p.Errorf(p.tok.start, "expected a parameter name in struct")
		}
		if err := p.punct('='); err != nil {
			return err
		}
		at := -1
		for i := range f.Fields {
			if f.Fields[i].Name == name && params[i].Kind == NoParam {
				at = i
			}
		}
		if at < 0 {
			return p.Errorf(p.tok.start, "duplicate or unknown struct parameter name: %s", name)
		}
		if err := p.formField(dialect, f, at, params); err != nil {
			return err
		}
		if n < last && !f.Fields[last].Optional && !p.isPunct(',') {
			return p.wrongToken("expected ','")
		}
	}
	for i := range f.Fields {
		if !f.Fields[i].Optional && params[i].Kind == NoParam {
			return p.Errorf(p.tok.start, "struct is missing required parameter: %s", f.Fields[i].Name)
		}
	}
	return nil
}

// formField reads a parameter. One with its default value is the same as one that
// is missing.
func (p *Parser) formField(dialect string, f *AttrForm, i int, params []Param) error {
	d := &f.Fields[i]
	pos := p.tok.start
	v, err := p.formValue(dialect, d)
	if err == nil && !d.accepts(&v) {
		err = p.Errorf(pos, "invalid kind of attribute specified")
	}
	if err != nil && (d.Kind == BracketForm || d.Kind == BraceForm) && p.tok.start == pos {
		return err
	}
	if err != nil {
		return p.Errorf(p.tok.start, "failed to parse %s parameter '%s' which is to be a `%s`", f.Class, d.Name, d.Class)
	}
	if !d.isDefault(&v) {
		params[i] = v
	}
	return nil
}

// formClasses are the kinds of attributes of classes in C++.
var formClasses = [...]struct {
	class string
	kind  AttrKind
}{
	{"StringAttr", StringAttr}, {"DistinctAttr", DistinctAttr}, {"DictionaryAttr", DictAttr}, {"ArrayAttr", ArrayAttr},
	{"FlatSymbolRefAttr", SymbolRefAttr}, {"IntegerAttr", IntegerAttr}, {"BoolAttr", IntegerAttr}, {"FloatAttr", FloatAttr},
}

// accepts reports whether an attribute is of the parameter's class.
func (d *FormField) accepts(v *Param) bool {
	switch {
	case v.Kind == NestedParam:
		return v.Attr.Kind == DialectAttr && v.Attr.Text == d.Nested
	case d.Kind != ValueForm:
		return true
	case d.Class == "BoolAttr":
		return v.Attr.IsBool()
	}
	for _, c := range formClasses {
		if c.class == d.Class {
			return v.Attr.Kind == c.kind
		}
	}
	return true
}

func (d *FormField) isDefault(v *Param) bool {
	switch {
	case !d.Optional:
		return false
	case v.Kind == IntParam:
		return v.Int == d.Number
	case v.Kind == AttrParam && v.Attr.Kind == StringAttr && d.Kind == StringForm:
		return v.Attr.Text == d.Default
	case v.Kind == WordParam:
		return v.Word == d.Default
	}
	return false
}

func (p *Parser) formValue(dialect string, d *FormField) (v Param, err error) {
	switch d.Kind {
	case IntForm:
		v.Kind = IntParam
		v.Int, err = p.Integer()
	case BoolForm:
		v.Kind = WordParam
		for _, word := range [...]string{"true", "false"} {
			if p.OptionalLiteral(word) {
				v.Word = word
				return v, nil
			}
		}
		err = p.Errorf(p.tok.start, "expected string or keyword containing one of the following enum values for attribute '%s' [%s]", "true", "false")
	case StringForm:
		v.Kind = AttrParam
		if p.tok.kind != tokString {
			return v, p.wrongToken("expected string")
		}
		v.Attr = p.Context.String(unquoted(p.tokText()))
		p.next()
	case WordForm:
		v.Kind = WordParam
		v.Word, err = p.formWord(dialect, d)
	case ValueForm:
		v.Kind = AttrParam
		v.Attr, err = p.nestedForm(dialect, d)
		if d.Nested != "" {
			v.Kind = NestedParam
		}
	case TypeForm:
		v.Kind = TypeParam
		v.Type, err = p.Type()
	case MapForm:
		var m *AffineMap
		if m, err = p.AffineMap(); err == nil {
			v = Param{Kind: MapParam, Attr: p.Context.MapAttr(m)}
		}
	case ListForm:
		v.Kind = SequenceParam
		err = p.formList(dialect, d, 0, &v)
	case BracketForm:
		v.Kind = ListParam
		err = p.formList(dialect, d, '[', &v)
	case BraceForm:
		v.Kind = BraceParam
		err = p.formList(dialect, d, '{', &v)
	}
	return v, err
}

// nestedForm reads an attribute, without its name if it can only be one.
func (p *Parser) nestedForm(dialect string, d *FormField) (*Attr, error) {
	if d.Nested != "" && p.tok.kind != tokHash {
		return p.formAttr(dialect, findForm(p.Context.dialects[dialect].Forms, d.Nested, p.Context.Edition))
	}
	return p.Attr()
}

func (p *Parser) formList(dialect string, d *FormField, open byte, v *Param) error {
	kind := AttrParam
	if d.Nested != "" {
		kind = NestedParam
	}
	return p.CommaList(open, func() error {
		a, err := p.nestedForm(dialect, d)
		v.List = append(v.List, Param{Kind: kind, Attr: a})
		return err
	})
}

func (p *Parser) formWord(dialect string, d *FormField) (string, error) {
	if d.Enum == "" {
		pos := p.tok.start
		word, ok := p.keywordOrString()
		switch {
		case !ok:
			return "", p.Errorf(pos, "expected valid keyword or string")
		case d.Words != "" && !slices.Contains(strings.Split(d.Words, ", "), word):
			return "", p.Errorf(pos, "expected ::mlir::LLVM::%s to be one of: %s", d.Class, d.Words)
		}
		return word, nil
	}
	e := p.Context.Enum(dialect, d.Enum)
	v, err := p.EnumCases(e)
	return e.Spelling(v), err
}

// EnumCases reads a case of an enumeration, or several of an enumeration of bits.
func (p *Parser) EnumCases(e *Enum) (int64, error) {
	return p.cases(e, func(pos int32, isWord bool) error {
		switch {
		case isWord:
			return p.wrongCase(e, pos)
		case p.tok.kind == tokError:
			return errReported
		}
		return p.Errorf(pos, "expected valid keyword or string")
	})
}

// writeForm writes the mnemonic and the parameters.
func (w *writer) writeForm(f *AttrForm, a *Attr) {
	w.str(f.Mnemonic)
	w.writeFormBody(f, a)
}

func (w *writer) writeFormBody(f *AttrForm, a *Attr) {
	any := !f.Bare
	for i := range a.Params {
		any = any || a.Params[i].Kind != NoParam
	}
	if !any {
		return
	}
	between := f.Separator
	if between == "" {
		between = ", "
	}
	w.byte('<')
	first := true
	for i := range a.Params {
		v := &a.Params[i]
		if v.Kind == NoParam {
			continue
		}
		if !first {
			w.str(between)
		}
		first = false
		if f.Keyed {
			w.str(f.Fields[i].Name)
			w.str(" = ")
		}
		if v.Kind == WordParam {
			w.keywordOrString(v.Word)
			continue
		}
		w.writeParam(v)
	}
	w.byte('>')
}

// writeNestedForm writes an attribute by its alias, or without its name.
func (w *writer) writeNestedForm(a *Attr) {
	if name, ok := w.alias(a); ok {
		w.str(name)
		return
	}
	n := len(w.buf)
	if d := w.ctx.dialects[a.Dialect]; d != nil {
		if f := findForm(d.Forms, a.Text, w.ctx.Edition); f != nil {
			w.writeFormBody(f, a)
		}
	}
	if len(w.buf) == n {
		w.writeAttr(a)
	}
}
