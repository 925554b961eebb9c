package mlir

import (
	"sort"

	"github.com/gfx-toolchain/gfx/diag"
)

// A LocationKind distinguishes locations.
type LocationKind uint8

// The kinds of locations.
const (
	UnknownLoc  LocationKind = iota
	FileLoc                  // Name, Line, Col
	NameLoc                  // Name, List: the location that it names, if it is known
	CallSiteLoc              // List: callee, caller
	FusedLoc                 // List, Meta
)

// A Location is the origin of an operation.
type Location struct {
	Kind      LocationKind
	Name      string
	Line, Col int64
	// The end of a range of the file, if HasEnd is set.
	EndLine, EndCol int64
	HasEnd          bool
	List            []*Attr
	Meta            *Attr
}

// LocationAttr returns the attribute of a location.
func (c *Context) LocationAttr(l Location) *Attr {
	return c.internAttr(Attr{Kind: LocationAttr, Loc: &l, aliased: true})
}

// location reads "loc(…)". An alias that is not defined yet is returned by name.
func (p *Parser) location() (*Attr, string, error) { return p.locationIn(" in inline location") }

// locationIn is location with the end of errors about the parentheses.
func (p *Parser) locationIn(where string) (*Attr, string, error) {
	p.next()
	if err := p.punctAs('(', where); err != nil {
		return nil, "", err
	}
	if p.tok.kind == tokHash {
		name := p.text[p.tok.start+1 : p.tok.end]
		if a := p.attrAliases[name]; a == nil && p.lex(p.tok.end).kind == tokPunct && p.text[p.lex(p.tok.end).start] == ')' {
			p.next()
			return nil, name, p.punctAs(')', where)
		}
	}
	a, err := p.locationBody()
	if err != nil {
		return nil, "", err
	}
	return a, "", p.punctAs(')', where)
}

// locationBody reads the text between the parentheses of a location.
func (p *Parser) locationBody() (*Attr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	c := p.Context
	switch {
	case p.tok.kind == tokHash:
		pos := p.tok.start
		a, err := p.extendedAttr(nil)
		if err == nil && a.Kind != LocationAttr {
			err = p.PlainErrorf(pos, "expected location attribute, but got %s", a)
		}
		return a, err
	case p.tok.kind == tokString:
		return p.namedLocation()
	case p.isKeyword("unknown"):
		p.next()
		return c.LocationAttr(Location{}), nil
	case p.isKeyword("loc"):
		a, name, err := p.location()
		if err == nil && a == nil {
			err = p.PlainErrorf(p.tok.start, "undefined symbol alias id '%s'", name)
		}
		return a, err
	case p.isKeyword("callsite"):
		p.next()
		return p.callSite()
	case p.isKeyword("fused"):
		p.next()
		return p.fused()
	}
	return nil, p.wrongToken("expected location instance")
}

func (p *Parser) namedLocation() (*Attr, error) {
	l := Location{Kind: NameLoc, Name: unquoted(p.tokText())}
	p.next()
	if p.optionalPunct('(') {
		a, err := p.locationBody()
		if err != nil {
			return nil, err
		}
		l.List = []*Attr{a}
		return p.Context.LocationAttr(l), p.punctAs(')', " after child location of NameLoc")
	}
	if !p.optionalPunct(':') {
		return p.Context.LocationAttr(l), nil
	}
	l.Kind = FileLoc
	class := "FileLineColRange"
	if p.Context.Edition == Edition19 {
		class = "FileLineColLoc"
	}
	var err error
	if l.Line, err = p.number("expected integer line number in " + class); err != nil {
		return nil, err
	}
	switch {
	case p.optionalPunct(':'):
	case p.Context.Edition == Edition19:
		return nil, p.wrongToken("expected ':' in FileLineColLoc")
	default:
		return p.Context.LocationAttr(l), nil
	}
	if l.Col, err = p.number("expected integer column number in " + class); err != nil {
		return nil, err
	}
	if p.Context.Edition == Edition19 || !p.OptionalLiteral("to") {
		return p.Context.LocationAttr(l), nil
	}
	l.HasEnd, l.EndLine = true, l.Line
	if p.tok.kind == tokInt {
		if l.EndLine, err = p.number(""); err != nil {
			return nil, err
		}
	}
	if !p.optionalPunct(':') {
		return nil, p.wrongToken("expected either integer or `:` post `to` in FileLineColRange")
	}
	if l.EndCol, err = p.number("expected integer column number in FileLineColRange"); err != nil {
		return nil, err
	}
	if l.EndLine == l.Line && l.EndCol == l.Col {
		l.HasEnd, l.EndLine, l.EndCol = false, 0, 0
	}
	return p.Context.LocationAttr(l), nil
}

func (p *Parser) number(message string) (int64, error) {
	if p.tok.kind != tokInt {
		return 0, p.wrongToken(message)
	}
	v, err := p.uint64()
	return int64(v), err
}

func (p *Parser) callSite() (*Attr, error) {
	const where = " in callsite location"
	if err := p.punctAs('(', where); err != nil {
		return nil, err
	}
	callee, err := p.locationBody()
	if err != nil {
		return nil, err
	}
	if !p.OptionalLiteral("at") {
		return nil, p.wrongToken("expected 'at' in callsite location")
	}
	caller, err := p.locationBody()
	if err != nil {
		return nil, err
	}
	return p.Context.LocationAttr(Location{Kind: CallSiteLoc, List: []*Attr{callee, caller}}), p.punctAs(')', where)
}

func (p *Parser) fused() (*Attr, error) {
	l := Location{Kind: FusedLoc}
	var err error
	if p.optionalPunct('<') {
		if l.Meta, err = p.Attr(); err != nil {
			return nil, err
		}
		if err := p.punctAs('>', " after fused location metadata"); err != nil {
			return nil, err
		}
	}
	err = p.commaListIn('[', " in fused location", func() error {
		a, err := p.locationBody()
		l.List = append(l.List, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p.Context.LocationAttr(l), nil
}

// trailingLocation reads "loc(…)" after an operation, if it is there.
func (p *Parser) trailingLocation(place **Attr, o *Op, v *Value) error {
	if !p.isKeyword("loc") {
		return nil
	}
	pos := p.lex(p.lex(p.tok.end).end).start // of an alias
	a, name, err := p.locationIn(" in location")
	if err != nil {
		return err
	}
	if a == nil {
		p.locUses = append(p.locUses, locUse{op: o, value: v, name: name, pos: pos})
		return nil
	}
	*place = a
	return nil
}

// writeLocation writes a location without "loc(" and ")".
func (w *writer) writeLocation(l *Location) {
	switch l.Kind {
	case UnknownLoc:
		w.str("unknown")
	case FileLoc:
		w.quoted(l.Name)
		w.byte(':')
		w.int(l.Line)
		w.byte(':')
		w.int(l.Col)
		if l.HasEnd {
			w.str(" to ")
			if l.EndLine != l.Line {
				w.int(l.EndLine)
			}
			w.byte(':')
			w.int(l.EndCol)
		}
	case NameLoc:
		w.quoted(l.Name)
		if len(l.List) > 0 && l.List[0].Loc.Kind != UnknownLoc {
			w.byte('(')
			w.innerLocation(l.List[0])
			w.byte(')')
		}
	case CallSiteLoc:
		w.str("callsite(")
		w.innerLocation(l.List[0])
		w.str(" at ")
		w.innerLocation(l.List[1])
		w.byte(')')
	case FusedLoc:
		w.str("fused")
		if l.Meta != nil {
			w.byte('<')
			w.writeAttr(l.Meta)
			w.byte('>')
		}
		w.byte('[')
		for i, a := range l.List {
			if i > 0 {
				w.str(", ")
			}
			w.innerLocation(a)
		}
		w.byte(']')
	}
}

// innerLocation writes a location within another one, by its alias if it has one.
func (w *writer) innerLocation(a *Attr) {
	if alias, ok := w.alias(a); ok {
		w.str(alias)
		return
	}
	w.writeLocation(a.Loc)
}

// Location returns the location of an operation: the one written after it, or
// its place in the text.
func (c *Context) Location(o *Op) *Attr {
	if o.loc != nil {
		return o.loc
	}
	return c.locationAt(o.pos)
}

func (c *Context) locationAt(pos int32) *Attr {
	if c.source == nil {
		return c.LocationAttr(Location{})
	}
	line, col := c.position(pos)
	return c.LocationAttr(Location{Kind: FileLoc, Name: c.source.Name, Line: int64(line), Col: int64(col)})
}

// position returns the line and the column of an offset, from 1. The offsets of
// lines are found once for a text.
func (c *Context) position(pos int32) (line, col int) {
	if c.lines == nil {
		c.lines = append(c.lines, 0)
		for i, b := range c.source.Text {
			if b == '\n' {
				c.lines = append(c.lines, int32(i)+1)
			}
		}
	}
	line = sort.Search(len(c.lines), func(i int) bool { return c.lines[i] > pos })
	return line, int(pos-c.lines[line-1]) + 1
}

func note(src *diag.Source, pos int32, message string) diag.Diagnostic {
	return diag.Diagnostic{Source: src, Off: int(pos), End: int(pos), Severity: diag.Note, Message: message}
}
