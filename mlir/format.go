package mlir

import (
	"fmt"
	"slices"
	"strings"
)

// An elemKind is the kind of an element of an assembly format.
type elemKind uint8

const (
	literalElem    elemKind = iota // `text`
	spaceElem                      // ` `
	operandElem                    // $name of an operand
	attrElem                       // $name of an attribute
	resultElem                     // $name of a result, within type(…)
	regionElem                     // $name of a region
	successorElem                  // $name of a successor
	operandsElem                   // operands
	resultsElem                    // results
	regionsElem                    // regions
	successorsElem                 // successors
	attrDictElem                   // attr-dict, attr-dict-with-keyword
	propDictElem                   // prop-dict
	typeElem                       // type(…)
	functionElem                   // functional-type(…, …)
	customElem                     // custom<Name>(…)
	optionalElem                   // (…)?
	choiceElem                     // oilist(…)
)

// A formatElem is an element of an assembly format.
type formatElem struct {
	kind      elemKind
	space     bool // a blank precedes it
	keyword   bool // of attr-dict
	qualified bool // of an attribute: written in full
	index     int  // of the operand, attribute, result, region or successor
	text      string
	args      []*formatElem // of a directive
	then      []*formatElem // of an optional group; of a choice: its clauses
	other     []*formatElem // of an optional group: what appears instead
	anchor    *formatElem   // decides whether an optional group is printed
	elided    bool          // the anchor is an attribute that the group alone expresses
	directive *Directive
	names     []string // of the arguments of a directive
}

// A format is a compiled assembly format.
type format struct {
	elems []*formatElem
	bound []string      // attributes that attr-dict omits
	typed []*formatElem // operands and results whose types are in the format
	props bool          // prop-dict has the attributes of the row
}

// A Directive is custom syntax within assembly formats, custom<Name>(…). It
// reads or writes its arguments by their names.
type Directive struct {
	Name string
	// Parse reads the syntax. With optional set, it may return false if nothing of
	// it follows.
	Parse func(f *FormatState, args []string) error
	Print func(p *Printer, o *Op, args []string)
	// Present reports whether the syntax follows, if it can begin an optional group.
	Present func(f *FormatState) bool
}

// directive returns the directive of a name, or nil.
func (d *Dialect) directive(name string) *Directive {
	for _, list := range [][]Directive{d.Directives, sharedDirectives[:]} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// A formatReader compiles an assembly format. Mistakes are errors of a table and
// panic.
type formatReader struct {
	def   *OpDef
	text  string
	pos   int
	bound []string
	typed []*formatElem
	props bool
}

func compileFormat(d *OpDef) *format {
	r := &formatReader{def: d, text: d.FormatText}
	f := &format{elems: r.list("")}
	f.bound, f.typed, f.props = r.bound, r.typed, r.props
	s := spacer{emit: true}
	s.place(f.elems)
	return f
}

func (r *formatReader) fail(what string) {
	panic(fmt.Sprintf("assembly format of %s: %s at %q", r.def.Name, what, r.text[r.pos:]))
}

func (r *formatReader) skip() {
	for r.pos < len(r.text) && (r.text[r.pos] == ' ' || r.text[r.pos] == '\n') {
		r.pos++
	}
}

func (r *formatReader) has(s string) bool {
	r.skip()
	if !strings.HasPrefix(r.text[r.pos:], s) {
		return false
	}
	r.pos += len(s)
	return true
}

func (r *formatReader) want(s string) {
	if !r.has(s) {
		r.fail("expected " + s)
	}
}

func (r *formatReader) word() string {
	r.skip()
	start := r.pos
	for r.pos < len(r.text) && (isNameByte(r.text[r.pos], false) || r.text[r.pos] == '-') {
		r.pos++
	}
	return r.text[start:r.pos]
}

// list reads elements up to one of the bytes of end.
func (r *formatReader) list(end string) []*formatElem {
	var list []*formatElem
	for {
		r.skip()
		if r.pos == len(r.text) || strings.IndexByte(end, r.text[r.pos]) >= 0 {
			return list
		}
		list = append(list, r.element())
	}
}

func (r *formatReader) element() *formatElem {
	switch {
	case r.has("`"):
		end := strings.IndexByte(r.text[r.pos:], '`')
		text := r.text[r.pos : r.pos+end]
		r.pos += end + 1
		if strings.TrimSpace(text) == "" || text == `\n` {
			return &formatElem{kind: spaceElem, text: text}
		}
		return &formatElem{kind: literalElem, text: text}
	case r.has("$"):
		return r.variable(r.word(), true)
	case r.has("("):
		return r.optional()
	}
	switch name := r.word(); name {
	case "attr-dict":
		return &formatElem{kind: attrDictElem}
	case "prop-dict":
		r.props = true
		return &formatElem{kind: propDictElem}
	case "attr-dict-with-keyword":
		return &formatElem{kind: attrDictElem, keyword: true}
	case "operands":
		return &formatElem{kind: operandsElem}
	case "results":
		return &formatElem{kind: resultsElem}
	case "regions":
		return &formatElem{kind: regionsElem}
	case "successors":
		return &formatElem{kind: successorsElem}
	case "type":
		e := &formatElem{kind: typeElem, args: r.args(1)}
		r.addTyped(e.args)
		return e
	case "functional-type":
		e := &formatElem{kind: functionElem, args: r.args(2)}
		r.addTyped(e.args)
		return e
	case "qualified":
		e := r.args(1)[0]
		e.qualified = true
		return e
	case "ref":
		return r.args(1)[0]
	case "custom":
		return r.custom()
	case "oilist":
		return r.choice()
	default:
		r.fail("unknown directive " + name)
	}
	return nil
}

// addTyped records groups whose types are in the format.
func (r *formatReader) addTyped(list []*formatElem) {
	for _, e := range list {
		if e.kind == operandElem || e.kind == resultElem {
			r.typed = append(r.typed, e)
		}
	}
}

// variable returns the element of a name. Attributes in the format are not part
// of attr-dict.
func (r *formatReader) variable(name string, bind bool) *formatElem {
	for i := range r.def.Operands {
		if r.def.Operands[i].Name == name {
			return &formatElem{kind: operandElem, index: i, text: name}
		}
	}
	for i := range r.def.Attrs {
		if r.def.Attrs[i].Name == name {
			if bind && !slices.Contains(r.bound, name) {
				r.bound = append(r.bound, name)
			}
			return &formatElem{kind: attrElem, index: i, text: name}
		}
	}
	for i := range r.def.Results {
		if r.def.Results[i].Name == name {
			return &formatElem{kind: resultElem, index: i, text: name}
		}
	}
	for i := range r.def.Regions {
		if r.def.Regions[i].Name == name {
			return &formatElem{kind: regionElem, index: i, text: name}
		}
	}
	for i := range r.def.Successors {
		if r.def.Successors[i].Name == name {
			return &formatElem{kind: successorElem, index: i, text: name}
		}
	}
	r.fail("unknown name " + name)
	return nil
}

func (r *formatReader) args(n int) []*formatElem {
	r.want("(")
	var list []*formatElem
	for len(list) < n {
		if len(list) > 0 {
			r.want(",")
		}
		list = append(list, r.element())
	}
	r.want(")")
	return list
}

// optional reads the rest of "(elements)?" or "(elements) : (elements)?".
func (r *formatReader) optional() *formatElem {
	e := &formatElem{kind: optionalElem}
	for !r.has(")") {
		k := r.element()
		e.then = append(e.then, k)
		if r.has("^") {
			e.anchor = k
		}
	}
	if r.has(":") {
		r.want("(")
		e.other = r.list(")")
		r.want(")")
	}
	r.want("?")
	if e.anchor == nil {
		e.anchor = e.then[0]
	}
	if a := e.anchor; a.kind == attrElem && a != e.then[0] && r.def.Attrs[a.index].isUnit() {
		e.elided = true
	}
	return e
}

func (r *formatReader) custom() *formatElem {
	r.want("<")
	e := &formatElem{kind: customElem, text: r.word()}
	r.want(">")
	r.want("(")
	for !r.has(")") {
		r.has(",")
		r.skip()
		if r.has(`"`) {
			end := strings.IndexByte(r.text[r.pos:], '"')
			e.args = append(e.args, &formatElem{kind: literalElem, text: r.text[r.pos : r.pos+end]})
			r.pos += end + 1
			continue
		}
		e.args = append(e.args, r.element())
	}
	for _, a := range e.args {
		if a.kind == typeElem {
			a = a.args[0]
		}
		e.names = append(e.names, a.text)
	}
	e.directive = r.def.Dialect.directive(e.text)
	if e.directive == nil {
		r.fail("unknown directive " + e.text)
	}
	return e
}

// choice reads "(clause | clause)", each a keyword and elements, in any order.
func (r *formatReader) choice() *formatElem {
	e := &formatElem{kind: choiceElem}
	r.want("(")
	for {
		e.then = append(e.then, &formatElem{kind: optionalElem, then: r.list("|)")})
		if !r.has("|") {
			break
		}
	}
	r.want(")")
	return e
}

func (d *AttrDef) isUnit() bool {
	return d.Constraint.Description == "unit attribute" || d.Constraint.Description == "unit property"
}

// A spacer decides before which elements a blank is printed.
type spacer struct {
	emit        bool // a blank precedes the next element, unless that is punctuation
	punctuation bool // the element before was punctuation
}

func (s *spacer) place(list []*formatElem) {
	for _, e := range list {
		s.placeOne(e)
	}
}

func (s *spacer) placeOne(e *formatElem) {
	switch e.kind {
	case literalElem:
		s.literal(e)
	case spaceElem:
		s.emit = false
		s.punctuation = e.text == "" || e.text == `\n`
	case attrDictElem, propDictElem:
		s.punctuation = false
	case optionalElem:
		for _, k := range e.then {
			if !e.elided || k != e.anchor {
				s.placeOne(k)
			}
		}
		s.place(e.other)
	case choiceElem:
		s.place(e.then)
	default:
		e.space = s.emit || !s.punctuation
		s.emit, s.punctuation = true, false
	}
}

func (s *spacer) literal(e *formatElem) {
	first := e.text[0]
	before := true
	if len(e.text) == 1 {
		if s.punctuation {
			before = strings.IndexByte(">)}],", first) < 0
		} else {
			before = strings.IndexByte("<>(){}[],", first) < 0
		}
	}
	e.space = s.emit && before
	s.emit = len(e.text) != 1 || strings.IndexByte("<({[", first) < 0
	s.punctuation = byteClass[first]&letterByte == 0
}
