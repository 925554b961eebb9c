package mlir

import "slices"

// A Signature is the list of arguments and results of a function as its custom
// form has it.
type Signature struct {
	Args     []Argument // Name is "" in declarations
	Results  []*Type
	ResAttrs []*Attr // dictionaries, nil without attributes
	Variadic bool
}

// Signature reads "(%a: i32 {attributes}, …) -> (f32 {attributes})". With
// variadic, "..." may end the arguments.
func (p *Parser) Signature(variadic bool) (*Signature, error) {
	s := &Signature{}
	err := p.CommaList('(', func() error {
		if variadic && p.tok.kind == tokEllipsis {
			p.next()
			s.Variadic = true
			return nil
		}
		a, err := p.signatureArg()
		if err == nil && len(s.Args) > 0 && (s.Args[0].Name == "") != (a.Name == "") {
			err = p.Errorf(a.Pos, "expected %s", [...]string{"SSA identifier", "type instead of SSA identifier"}[count(a.Name != "")])
		}
		s.Args = append(s.Args, a)
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokArrow {
		return s, nil
	}
	p.next()
	return s, p.signatureResults(s)
}

func (p *Parser) signatureArg() (Argument, error) {
	if p.isOperand() {
		return p.Argument(true, true)
	}
	a := Argument{Pos: p.tok.start}
	var err error
	if a.Type, err = p.Type(); err == nil && p.isPunct('{') {
		a.Attrs, err = p.Attr()
	}
	return a, err
}

func (p *Parser) signatureResults(s *Signature) error {
	if !p.isPunct('(') {
		t, err := p.nonFunctionType()
		s.Results, s.ResAttrs = []*Type{t}, []*Attr{nil}
		return err
	}
	return p.CommaList('(', func() error {
		t, err := p.Type()
		var a *Attr
		if err == nil && p.isPunct('{') {
			a, err = p.Attr()
		}
		s.Results, s.ResAttrs = append(s.Results, t), append(s.ResAttrs, a)
		return err
	})
}

// ArgTypes returns the types of the arguments.
func (s *Signature) ArgTypes() []*Type {
	list := make([]*Type, len(s.Args))
	for i := range s.Args {
		list[i] = s.Args[i].Type
	}
	return list
}

// SetAttrs stores the attributes of arguments and results.
func (s *Signature) SetAttrs(c *Context, o *OpState) {
	args := make([]*Attr, len(s.Args))
	for i := range s.Args {
		args[i] = s.Args[i].Attrs
	}
	c.setDicts(o, "arg_attrs", args)
	c.setDicts(o, "res_attrs", s.ResAttrs)
}

func (c *Context) setDicts(o *OpState, name string, list []*Attr) {
	any := slices.ContainsFunc(list, func(a *Attr) bool { return a != nil && len(a.Dict) > 0 })
	if !any {
		return
	}
	dicts := make([]*Attr, len(list))
	for i, a := range list {
		if a == nil {
			a = c.Dict()
		}
		dicts[i] = a
	}
	o.SetAttr(name, c.Array(dicts...))
}

// Signature writes the arguments and results of a function: with names if it has
// a body.
func (p *Printer) Signature(o *Op, args, results []*Type, variadic bool) {
	p.byte('(')
	argAttrs, resAttrs := o.Attr("arg_attrs"), o.Attr("res_attrs")
	var body *Block
	if len(o.Regions) > 0 {
		body = o.Regions[0].Entry()
	}
	for i, t := range args {
		if i > 0 {
			p.str(", ")
		}
		if body != nil && i < len(body.Args) {
			v := body.Args[i]
			p.Operand(v)
			p.str(": ")
			p.writeType(t)
			p.dictOf(argAttrs, i)
			if p.Options.DebugInfo {
				p.argLocation(v)
			}
			continue
		}
		p.writeType(t)
		p.dictOf(argAttrs, i)
	}
	if variadic {
		if len(args) > 0 {
			p.str(", ")
		}
		p.str("...")
	}
	p.byte(')')
	if len(results) > 0 {
		p.str(" -> ")
		p.signatureResults(results, resAttrs)
	}
}

func (p *Printer) signatureResults(results []*Type, attrs *Attr) {
	bare := len(results) == 1 && results[0].Kind != FunctionKind && (attrs == nil || len(attrs.List[0].Dict) == 0)
	if bare {
		p.writeType(results[0])
		return
	}
	p.byte('(')
	for i, t := range results {
		if i > 0 {
			p.str(", ")
		}
		p.writeType(t)
		p.dictOf(attrs, i)
	}
	p.byte(')')
}

// dictOf writes the dictionary of an argument or result.
func (p *Printer) dictOf(a *Attr, i int) {
	if a != nil && i < len(a.List) && len(a.List[i].Dict) > 0 {
		p.byte(' ')
		p.writeDict(a.List[i].Dict)
	}
}

// Visibility reads "private", "public" or "nested" if it is there.
func (p *Parser) Visibility(s *OpState) {
	for _, word := range [...]string{"private", "public", "nested"} {
		if p.OptionalLiteral(word) {
			s.SetAttr("sym_visibility", p.Context.String(word))
			return
		}
	}
}

// Visibility writes the visibility of a symbol and a blank, if it has one.
func (p *Printer) Visibility(o *Op) {
	if a := o.Attr("sym_visibility"); a != nil {
		p.str(a.Text)
		p.byte(' ')
	}
}

// VerifyEntry checks the arguments of a function's body, unless it has none, against the types of
// its arguments.
func VerifyEntry(o *Op, args []*Type) error {
	entry := o.Regions[0].Entry()
	switch {
	case entry == nil:
		return nil
	case len(entry.Args) != len(args):
		return OpErrorf("entry block must have %d arguments to match function signature", len(args))
	}
	for i, t := range args {
		if got := entry.Args[i].Type; got != t {
			return OpErrorf("type of entry block argument #%d('%s') must match the type of the corresponding argument in function signature('%s')", i, got, t)
		}
	}
	return nil
}

// VerifyDeclaration checks that a symbol without a definition is not public.
func VerifyDeclaration(o *Op, isDeclaration bool) error {
	v := o.Attr("sym_visibility")
	if isDeclaration && (v == nil || v.Text == "public") {
		return OpErrorf("symbol declaration cannot have public visibility")
	}
	return nil
}
