package mlir

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
)

// An OpState collects the parts of an operation while its custom form is read.
type OpState struct {
	Name       string
	Def        *OpDef
	Pos        int32 // of the name
	Attrs      []NamedAttr
	Operands   []*Value
	Types      []*Type // of the results
	Successors []Successor
	Regions    []*Region
	Named      int // results with names on the left
}

// SetAttr sets an attribute.
func (s *OpState) SetAttr(name string, a *Attr) {
	for i := range s.Attrs {
		if s.Attrs[i].Name == name {
			s.Attrs[i].Attr = a
			return
		}
	}
	s.Attrs = append(s.Attrs, NamedAttr{name, a})
}

// Attr returns an attribute, or nil.
func (s *OpState) Attr(name string) *Attr {
	for i := range s.Attrs {
		if s.Attrs[i].Name == name {
			return s.Attrs[i].Attr
		}
	}
	return nil
}

// A resultName is a name on the left of an operation, for a number of results.
type resultName struct {
	name  string
	count int
	pos   int32
}

// resultName reads "%name" or "%name:2".
func (p *Parser) resultName() (resultName, error) {
	if p.tok.kind != tokPercent {
		return resultName{}, p.wrongToken("expected valid ssa identifier")
	}
	r := resultName{name: p.text[p.tok.start+1 : p.tok.end], count: 1, pos: p.tok.start}
	p.next()
	if !p.optionalPunct(':') {
		return r, nil
	}
	if p.tok.kind != tokInt {
		return r, p.wrongToken("expected integer number of results")
	}
	n, err := strconv.ParseInt(p.tokText(), 0, 32)
	if err != nil || n < 1 || n > maxPack {
		return r, p.wrongHere("expected named operation to have at least 1 result")
	}
	p.next()
	r.count = int(n)
	return r, nil
}

// operation reads an operation with the names of its results.
func (p *Parser) operation() (*Op, error) {
	var buf [4]resultName
	names := buf[:0]
	start, total := p.tok.start, 0
	if p.tok.kind == tokPercent {
		for more := true; more; more = p.optionalPunct(',') {
			r, err := p.resultName()
			if err != nil {
				return nil, err
			}
			names = append(names, r)
			total += r.count
		}
		if !p.isPunct('=') {
			return nil, p.wrongToken("expected '=' after SSA name")
		}
		p.next()
	}
	var o *Op
	var err error
	switch kind := p.tok.kind; {
	case kind == tokBare && !isIntegerType(p.tokText()):
		o, err = p.customOp(total)
	case kind == tokString:
		o, err = p.genericOp()
	default:
		return nil, p.wrongToken("expected operation name in quotes")
	}
	if err != nil {
		return nil, err
	}
	return o, p.nameResults(o, names, total, start)
}

func (p *Parser) nameResults(o *Op, names []resultName, total int, start int32) error {
	if len(names) == 0 {
		return nil
	}
	if len(o.Results) == 0 {
		return p.PlainErrorf(start, "cannot name an operation with no results")
	}
	if total != len(o.Results) {
		return p.PlainErrorf(start, "operation defines %d results but was provided %d to bind", len(o.Results), total)
	}
	k := 0
	for _, r := range names {
		if err := p.defineValues(r.name, o.Results[k:k+r.count], r.pos); err != nil {
			return err
		}
		k += r.count
	}
	return nil
}

// genericOp reads the form that all operations have:
//
//	"name"(%operands) [^successors] <{properties}> ({regions}) {attributes} : type
func (p *Parser) genericOp() (*Op, error) {
	s := &OpState{Pos: p.tok.start}
	s.Name = p.Context.name(unquoted(p.tokText()))
	if s.Name == "" || strings.IndexByte(s.Name, 0) >= 0 {
		return nil, p.PlainErrorf(p.tok.start, "empty operation name is invalid")
	}
	p.next()
	s.Def = p.Context.OpDef(s.Name)
	if err := p.punctAs('(', " to start operand list"); err != nil {
		return nil, err
	}
	operands, err := p.Operands()
	if err == nil {
		err = p.punctAs(')', " to end operand list")
	}
	if err == nil && p.isPunct('[') {
		if s.Def != nil && !s.Def.Has(Terminator) {
			return nil, p.wrongHere("successors in non-terminator")
		}
		err = p.commaListIn('[', " in successor list", func() error {
			b, err := p.Successor()
			s.Successors = append(s.Successors, Successor{b})
			return err
		})
	}
	if err == nil && p.isPunct('<') {
		err = p.properties(s)
	}
	if err == nil && p.isPunct('(') {
		err = p.genericRegions(s)
	}
	if err == nil && p.isPunct('{') {
		err = p.attrDict(&s.Attrs)
	}
	if err == nil {
		err = p.punctAs(':', " followed by operation type")
	}
	if err != nil {
		return nil, err
	}
	pos := p.tok.start
	t, err := p.Type()
	if err != nil {
		return nil, err
	}
	if t.Kind != FunctionKind {
		return nil, p.PlainErrorf(pos, "expected function type")
	}
	if len(t.Ins) != len(operands) {
		plural := "s"
		if len(operands) == 1 {
			plural = ""
		}
		return nil, p.PlainErrorf(pos, "expected %d operand type%s but had %d", len(operands), plural, len(t.Ins))
	}
	for i, u := range operands {
		v, err := p.Resolve(u, t.Ins[i])
		if err != nil {
			return nil, err
		}
		s.Operands = append(s.Operands, v)
	}
	s.Types = t.Outs
	if err := p.setDefaults(s); err != nil {
		return nil, err
	}
	o := p.alloc.newOp(s, slab)
	return o, p.trailingLocation(&o.loc, o, nil)
}

// properties reads "<{name = attribute}>".
func (p *Parser) properties(s *OpState) error {
	p.next()
	if err := p.attrDict(&s.Attrs); err != nil {
		return err
	}
	return p.punctAs('>', " to close properties")
}

func (p *Parser) genericRegions(s *OpState) error {
	return p.commaListIn('(', " to end region list", func() error {
		r := &Region{}
		s.Regions = append(s.Regions, r)
		return p.region(r, nil, s.Def != nil && s.Def.Has(IsolatedFromAbove))
	})
}

// attrDict reads "{name = attribute, …}".
func (p *Parser) attrDict(list *[]NamedAttr) error {
	return p.commaListIn('{', " in attribute dictionary", func() error {
		pos := p.tok.start
		name, ok := p.keywordOrString()
		switch {
		case !ok:
			return p.wrongToken("expected attribute name")
		case name == "":
			return p.PlainErrorf(pos, "expected valid attribute name")
		}
		name = p.Context.name(name)
		for _, a := range *list {
			if a.Name == name {
				return p.PlainErrorf(pos, "duplicate key '%s' in dictionary attribute", name)
			}
		}
		a := p.Context.unit
		if p.optionalPunct('=') {
			var err error
			if a, err = p.Attr(); err != nil {
				return err
			}
		}
		*list = append(*list, NamedAttr{name, a})
		return nil
	})
}

// OptionalAttrDict reads a dictionary of attributes if there is one.
func (p *Parser) OptionalAttrDict(s *OpState) error {
	if !p.isPunct('{') {
		return nil
	}
	return p.attrDict(&s.Attrs)
}

// OptionalAttrDictWithKeyword reads "attributes {…}" if it is there.
func (p *Parser) OptionalAttrDictWithKeyword(s *OpState) error {
	if !p.OptionalLiteral("attributes") {
		return nil
	}
	return p.attrDict(&s.Attrs)
}

// customOp reads an operation in its custom form.
func (p *Parser) customOp(named int) (*Op, error) {
	pos, text := p.tok.start, p.tokText()
	name := text
	if strings.IndexByte(text, '.') < 0 {
		name = p.dialects[len(p.dialects)-1] + "." + text
	}
	def := p.Context.OpDef(name)
	if def == nil {
		return nil, p.unknownOp(pos, text, name)
	}
	p.next()
	state := p.newOpState(def, pos)
	s := &state.OpState
	s.Named = named
	outer := p.opName
	p.opName = def.Name
	err := p.customForm(s)
	p.opName = outer
	if err == nil {
		err = p.setDefaults(s)
	}
	if err != nil {
		return nil, err
	}
	o := p.alloc.newOp(s, slab)
	p.states = append(p.states, state)
	return o, p.trailingLocation(&o.loc, o, nil)
}

func (p *Parser) customForm(s *OpState) error {
	switch {
	case s.Def.Hooks.Parse != nil && s.Def.FormatText == "":
		return s.Def.Hooks.Parse(p, s)
	case s.Def.FormatText != "":
		return p.parseFormat(s)
	}
	return p.Errorf(s.Pos, "has no custom form here; use the generic form")
}

func (p *Parser) unknownOp(pos int32, text, name string) error {
	dialect, _, dotted := strings.Cut(text, ".")
	switch {
	case !dotted:
		return p.PlainErrorf(pos, "custom op '%s' is unknown (tried '%s' as well)", text, name)
	case p.Context.dialects[dialect] == nil:
		return p.PlainErrorf(pos, "Dialect `%s' not found for custom op '%s' ", dialect, text)
	}
	return p.PlainErrorf(pos, "custom op '%s' is unknown", text)
}

// setDefaults stores the default values of attributes that the text omits.
func (p *Parser) setDefaults(s *OpState) error {
	if s.Def == nil || !s.Def.completed {
		return nil
	}
	for i := range s.Def.Attrs {
		d := &s.Def.Attrs[i]
		if d.Constraint.Property {
			if a := s.Attr(d.Name); a != nil {
				s.SetAttr(d.Name, p.Context.property(a))
			}
		}
		if d.Printed && d.Default != "" && s.Attr(d.Name) == nil {
			if d.invalid != nil {
				return d.invalid
			}
			s.Attrs = append(s.Attrs, NamedAttr{d.Name, d.value})
		}
	}
	for _, g := range [...]struct {
		trait  Trait
		name   string
		groups int
	}{
		{AttrSizedOperandSegments, operandSegments, len(s.Def.Operands)}, {AttrSizedResultSegments, resultSegments, len(s.Def.Results)},
	} {
		if s.Def.Has(g.trait) && s.Attr(g.name) == nil {
			s.SetAttr(g.name, p.Context.DenseI32Array(make([]int64, g.groups)...))
		}
	}
	return nil
}

// property returns the form in which an attribute is kept if the row calls it a
// property: the value of an enumeration as an integer.
func (c *Context) property(a *Attr) *Attr {
	if a.Kind == EnumAttr {
		return c.I32Attr(a.Int)
	}
	return a
}

// A parsedState is an OpState with room for its parts. The memory of longer lists, and of
// lists that the custom form's reader has put there, is not used again.
type parsedState struct {
	OpState
	attrs      [8]NamedAttr
	operands   [8]*Value
	types      [4]*Type
	successors [2]Successor
	regions    [2]*Region
}

// newOpState returns a state, one that has been used if there is any.
func (p *Parser) newOpState(def *OpDef, pos int32) *parsedState {
	var s *parsedState
	if n := len(p.states) - 1; n >= 0 {
		s, p.states = p.states[n], p.states[:n]
	} else {
		s = new(parsedState)
	}
	s.OpState = OpState{Name: def.Name, Def: def, Pos: pos, Attrs: s.attrs[:0], Operands: s.operands[:0], Types: s.types[:0],
		Successors: s.successors[:0], Regions: s.regions[:0]}
	return s
}

// ParseAttr reads an attribute by itself.
func (c *Context) ParseAttr(text string) (*Attr, error) {
	p := newParser(c, &diag.Source{Name: "<attribute>", Text: []byte(text)})
	p.next()
	a, err := p.Attr()
	if err == nil && p.tok.kind != tokEOF {
		err = p.wrongToken("unexpected text after the attribute")
	}
	if err != nil {
		return nil, p.diags
	}
	return a, nil
}

// ParseType reads a type by itself.
func (c *Context) ParseType(text string) (*Type, error) {
	p := newParser(c, &diag.Source{Name: "<type>", Text: []byte(text)})
	p.next()
	t, err := p.Type()
	if err == nil && p.tok.kind != tokEOF {
		err = p.wrongToken("unexpected text after the type")
	}
	if err != nil {
		return nil, p.diags
	}
	return t, nil
}

// An Argument is an argument of a region as its operation's custom form names it.
type Argument struct {
	Name  string // without "%"
	Type  *Type
	Attrs *Attr // a dictionary, or nil
	Pos   int32

	loc     *Attr
	locName string
	locPos  int32
}

// Argument reads "%name", and with typed also ": type {attributes} loc(…)".
func (p *Parser) Argument(typed, attrs bool) (Argument, error) { return p.argument(typed, attrs, "") }

// argument is Argument with the end of the error about a colon that is missing.
func (p *Parser) argument(typed, attrs bool, colon string) (Argument, error) {
	a := Argument{Pos: p.tok.start}
	if p.tok.kind != tokPercent {
		return a, p.wrongToken("expected SSA operand")
	}
	a.Name = p.text[p.tok.start+1 : p.tok.end]
	p.next()
	if !typed {
		return a, nil
	}
	err := p.punctAs(':', colon)
	if err == nil {
		a.Type, err = p.Type()
	}
	if err == nil && attrs && p.isPunct('{') {
		a.Attrs, err = p.Attr()
	}
	if err == nil && p.isKeyword("loc") {
		a.locPos = p.tok.start
		a.loc, a.locName, err = p.location()
	}
	return a, err
}

// Region reads a region in braces with given arguments of its entry block.
func (p *Parser) Region(s *OpState, args ...Argument) (*Region, error) {
	r := &Region{}
	s.Regions = append(s.Regions, r)
	if p.isLater(s.Def, r, args, s.Pos) {
		return r, nil
	}
	if err := p.region(r, args, s.Def.Has(IsolatedFromAbove)); err != nil {
		return nil, err
	}
	p.completeRegion(s.Def, r, s.Pos)
	return r, nil
}

// EmptyRegion adds a region without blocks.
func (s *OpState) EmptyRegion() *Region {
	r := &Region{}
	s.Regions = append(s.Regions, r)
	return r
}

// defaultDialect returns the dialect whose operations need no prefix within an
// operation, or "".
func defaultDialect(name string) string {
	switch name {
	case "builtin.module":
		return "builtin"
	case "func.func":
		return "func"
	}
	return ""
}

func (p *Parser) region(r *Region, args []Argument, isolated bool) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	if err := p.punctAs('{', " to begin a region"); err != nil {
		return err
	}
	p.dialects = append(p.dialects, defaultDialect(p.opName))
	outer := p.opName
	p.opName = ""
	defer func() {
		p.opName = outer
		p.dialects = p.dialects[:len(p.dialects)-1]
	}()
	p.pushScope(isolated)
	p.blocks = append(p.blocks, &blockScope{region: r})
	if err := p.regionBody(r, args); err != nil {
		return err
	}
	if err := p.undefinedBlocks(); err != nil {
		return err
	}
	p.blocks = p.blocks[:len(p.blocks)-1]
	p.next() // the brace
	return p.popScope()
}

// regionBody reads blocks up to the closing brace.
func (p *Parser) regionBody(r *Region, args []Argument) error {
	if p.isPunct('}') && len(args) == 0 {
		return nil
	}
	if err := p.entryBlock(r, args); err != nil {
		return err
	}
	if len(args) > 0 && len(r.Entry().Args) > len(args) {
		return p.wrongHere("entry block arguments were already defined")
	}
	for !p.isPunct('}') {
		if err := p.labelled(r); err != nil {
			return err
		}
	}
	return nil
}

// entryBlock reads the first block of a region. It has a label only if the arguments
// have no names.
func (p *Parser) entryBlock(r *Region, args []Argument) error {
	named := len(args) > 0 && args[0].Name != ""
	if p.tok.kind == tokCaret {
		if named {
			return p.wrongHere("invalid block name in region with named arguments")
		}
		return p.labelled(r)
	}
	b := r.Entry() // of a body that is read later
	if b == nil {
		b = r.AddBlock()
	}
	for i := range args {
		if !named {
			break
		}
		a := &args[i]
		if n := p.scope().get(a.Name); n != nil && len(n.values) > 0 && n.values[0] != nil {
			p.report(a.Pos, "region entry argument '%"+a.Name+"' is already in use")
			p.diags = append(p.diags, note(p.src, n.pos, "previously referenced here"))
			return errReported
		}
		if err := p.addArgument(b, a); err != nil {
			return err
		}
	}
	return p.blockBody(b)
}

func (p *Parser) addArgument(b *Block, a *Argument) error {
	if a.Type == nil {
		return p.PlainErrorf(a.Pos, "argument '%%%s' has no type", a.Name)
	}
	v := b.AddArg(a.Type)
	v.pos, v.loc = a.Pos, a.loc
	if a.locName != "" {
		p.locUses = append(p.locUses, locUse{value: v, name: a.locName, pos: a.locPos})
	}
	return p.defineValues(a.Name, b.Args[len(b.Args)-1:], a.Pos)
}

// labelled reads "^name(%arg: type): operations".
func (p *Parser) labelled(r *Region) error {
	if p.tok.kind != tokCaret {
		return p.wrongToken("expected block name")
	}
	name, pos := p.text[p.tok.start:p.tok.end], p.tok.start
	p.next()
	b := p.blockNamed(name, pos)
	n := p.blocks[len(p.blocks)-1].blocks[name]
	if n.defined {
		p.report(pos, "redefinition of block '"+name+"'")
		return errReported
	}
	n.defined, n.pos = true, pos
	r.Blocks = append(r.Blocks, b)
	if p.isPunct('(') {
		err := p.CommaList('(', func() error {
			a, err := p.argument(true, false, " and type for SSA operand")
			if err != nil {
				return err
			}
			return p.addArgument(b, &a)
		})
		if err != nil {
			return err
		}
	}
	if err := p.punctAs(':', " after block name"); err != nil {
		return err
	}
	return p.blockBody(b)
}

// blockBody reads operations up to the next block or the end of the region.
func (p *Parser) blockBody(b *Block) error {
	for p.tok.kind != tokCaret && !p.isPunct('}') {
		o, err := p.operation()
		if err != nil {
			return err
		}
		b.Append(o)
	}
	return nil
}

func (p *Parser) undefinedBlocks() error {
	var first *namedBlock
	for _, n := range p.blocks[len(p.blocks)-1].blocks {
		if !n.defined && (first == nil || n.pos < first.pos) {
			first = n
		}
	}
	if first == nil {
		return nil
	}
	return p.PlainErrorf(first.pos, "reference to an undefined block")
}
