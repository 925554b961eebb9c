package mlir

import "strings"

// Attributes and types of a single kind are written in assembly formats without
// their kind: an attribute of a dialect, and a pointer or structure of the dialect llvm, by
// their parameters, as in "<3>".

// shortAttr reads an attribute in its short form if that follows.
func (f *FormatState) shortAttr(d *AttrDef) (*Attr, error) {
	if d.Constraint.Mnemonic != "" && f.isPunct('<') {
		if form := f.Context.form(d.Constraint); form != nil {
			return f.formAttr(d.Constraint.Dialect, form)
		}
	}
	return nil, nil
}

// form returns the form of the only attribute that meets a constraint, or nil.
func (c *Context) form(k *AttrConstraint) *AttrForm {
	d := c.dialects[k.Dialect]
	if d == nil {
		return nil
	}
	return findForm(d.Forms, k.Mnemonic, c.Edition)
}

// shortAttr writes an attribute in its short form if it has one.
func (p *Printer) shortAttr(d *AttrDef, a *Attr) bool {
	if a.Kind == DialectAttr && d.Constraint.Mnemonic != "" {
		if form := p.ctx.form(d.Constraint); form != nil {
			n := len(p.buf)
			p.writeFormBody(form, a)
			return len(p.buf) > n
		}
	}
	return false
}

// typeOf reads a type that meets a constraint: a pointer or structure of the
// dialect llvm in full or by its parameters, if short is set.
func (f *FormatState) typeOf(k *TypeConstraint, short bool) (*Type, error) {
	if !short || k.short == "" {
		return f.Type()
	}
	t, err := f.OptionalType()
	if t != nil || err != nil {
		return t, err
	}
	return f.Context.dialects["llvm"].ParseType(f.Parser, k.short, f.tok.start)
}

// shortType writes the parameters of a pointer or structure of a single value.
func (p *Printer) shortType(o *Op, e *formatElem) bool {
	var d *ValueDef
	switch e.kind {
	case operandElem:
		d = &o.Def.Operands[e.index]
	case resultElem:
		d = &o.Def.Results[e.index]
	default:
		return false
	}
	if !d.Single() || d.Constraint.short == "" {
		return false
	}
	types := p.typesOf(o, e)
	if len(types) != 1 {
		return false
	}
	params, ok := strings.CutPrefix(types[0].text, "!llvm."+d.Constraint.short)
	if !ok || params == "" {
		return false
	}
	p.str(params)
	return true
}

// enumProperty reads a property that holds a value of an enumeration: the name of
// the enumeration and cases in angle brackets.
func (f *FormatState) enumProperty(e *Enum) (*Attr, error) {
	if err := f.Literal(e.Mnemonic); err != nil {
		return nil, err
	}
	if err := f.punct('<'); err != nil {
		return nil, err
	}
	v, err := f.EnumCases(e)
	if err != nil {
		return nil, err
	}
	return f.Context.I32Attr(v), f.punct('>')
}
