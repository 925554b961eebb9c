package mlir

import "slices"

// printFormat writes an operation by its assembly format.
func (p *Printer) printFormat(o *Op) {
	p.elements(o, o.Def.format.elems)
}

func (p *Printer) elements(o *Op, list []*formatElem) {
	for _, e := range list {
		p.element(o, e)
	}
}

func (p *Printer) element(o *Op, e *formatElem) {
	if e.space {
		p.byte(' ')
	}
	switch e.kind {
	case literalElem:
		p.str(e.text)
	case spaceElem:
		switch e.text {
		case "":
		case `\n`:
			p.newLine()
		default:
			p.str(e.text)
		}
	case operandElem:
		p.operandElem(o, e.index)
	case attrElem:
		p.attrElem(o, e)
	case regionElem:
		p.regionElem(o, e.index)
	case successorElem, successorsElem:
		p.successorElem(o, e)
	case operandsElem:
		p.Operands(o.Operands)
	case attrDictElem, propDictElem:
		p.attrDictElem(o, e)
	case typeElem:
		p.typeElem(o, e.args[0], !e.qualified)
	case functionElem:
		p.writeFunctionType(p.typesOf(o, e.args[0]), p.typesOf(o, e.args[1]))
	case customElem:
		e.directive.Print(p, o, e.names)
	case optionalElem:
		p.optionalElem(o, e)
	case choiceElem:
		p.choiceElem(o, e)
	}
}

func (p *Printer) operandElem(o *Op, index int) {
	d := &o.Def.Operands[index]
	uses := o.OperandGroup(index)
	if !d.Nested {
		p.Operands(uses)
		return
	}
	for i, n := range o.nestedSizes(d) {
		if i > 0 {
			p.str(", ")
		}
		p.byte('(')
		p.Operands(uses[:n])
		p.byte(')')
		uses = uses[n:]
	}
}

func (o *Op) nestedSizes(d *ValueDef) []int64 {
	if a := o.Attr(d.Segments); a != nil {
		return a.Int64s()
	}
	return nil
}

func (p *Printer) attrElem(o *Op, e *formatElem) {
	d := &o.Def.Attrs[e.index]
	a := o.Attr(e.text)
	if a == nil && d.Default != "" {
		a = d.value
	}
	if a == nil {
		p.str("<<NULL ATTRIBUTE>>")
		return
	}
	en := d.Constraint.Enum
	switch {
	case en != nil && en.Mnemonic != "" && a.Kind == EnumAttr && !e.qualified:
		if en.Bare { // MLIR writes another blank
			p.byte(' ')
			p.str(a.Text)
			return
		}
		p.byte('<')
		p.str(a.Text)
		p.byte('>')
	case en != nil && en.Mnemonic != "" && a.Kind == IntegerAttr:
		p.str(en.Mnemonic)
		p.byte('<')
		p.str(en.Spelling(a.Int))
		p.byte('>')
	case en != nil && en.Mnemonic == "" && en.Bits:
		p.str(en.Spelling(a.Int))
	case en != nil && en.Mnemonic == "":
		p.keywordOrString(en.Spelling(a.Int))
	case a.Kind == DenseArrayAttr && p.ctx.denseElement(d.Constraint) != nil:
		p.denseList(a)
	case d.Constraint.SymbolName:
		p.symbol(a.Text)
	case !e.qualified && p.shortAttr(d, a):
	case d.Constraint.ValueType(p.ctx) != nil:
		p.writeUntyped(a)
	default:
		p.writeAttr(a)
	}
}

func (p *Printer) regionElem(o *Op, index int) {
	d := &o.Def.Regions[index]
	list := o.Regions[index:]
	if !d.Variadic {
		list = list[:1]
	}
	for i, r := range list {
		if i > 0 {
			p.str(", ")
		}
		p.Region(r, true, p.needsTerminator(o, r), false)
	}
}

// needsTerminator reports whether the terminator of a region is printed: it is
// omitted where the reader adds the same.
func (p *Printer) needsTerminator(o *Op, r *Region) bool {
	if o.Def.Terminator == "" || len(r.Blocks) != 1 {
		return true
	}
	t := r.Blocks[0].last
	return t == nil || t.Name != o.Def.Terminator || len(t.Attrs) > 0 || len(t.Operands) > 0 || len(t.Results) > 0
}

func (p *Printer) successorElem(o *Op, e *formatElem) {
	list := o.Successors
	if e.kind == successorElem {
		if o.Def.Successors[e.index].Variadic {
			list = list[e.index:]
		} else {
			list = list[e.index : e.index+1]
		}
	}
	for i, s := range list {
		if i > 0 {
			p.str(", ")
		}
		p.Successor(s.Block)
	}
}

// attrDictElem writes the attributes that have no place of their own: in attr-dict,
// or in prop-dict the row's.
func (p *Printer) attrDictElem(o *Op, e *formatElem) {
	if len(o.Attrs) == 0 {
		return
	}
	f := o.Def.format
	var buf [8]NamedAttr
	rest := buf[:0]
	for _, a := range o.Attrs {
		if slices.Contains(f.bound, a.Name) || a.Name == operandSegments || a.Name == resultSegments || p.isDefault(o, a) {
			continue
		}
		if f.props && o.Def.isInherent(a.Name) != (e.kind == propDictElem) {
			continue
		}
		rest = append(rest, a)
	}
	switch {
	case len(rest) == 0:
	case e.kind == propDictElem:
		p.str(" <")
		p.writeDict(rest)
		p.byte('>')
	case e.keyword:
		p.str(" attributes")
		p.attrDict(rest)
	default:
		p.attrDict(rest)
	}
}

// isDefault reports whether an attribute has its default value.
func (p *Printer) isDefault(o *Op, a NamedAttr) bool {
	for i := range o.Def.Attrs {
		d := &o.Def.Attrs[i]
		if d.Name != a.Name {
			continue
		}
		if d.Default == "" {
			return d.isNested(o.Def)
		}
		return d.value == a.Attr
	}
	return false
}

// isNested reports whether an attribute has the sizes of nested groups.
func (d *AttrDef) isNested(def *OpDef) bool {
	for i := range def.Operands {
		if def.Operands[i].Nested && def.Operands[i].Segments == d.Name {
			return true
		}
	}
	return false
}

func (p *Printer) typesOf(o *Op, e *formatElem) []*Type {
	switch e.kind {
	case operandElem:
		return useTypes(o.OperandGroup(e.index))
	case resultElem:
		return typesOf(o.ResultGroup(e.index))
	case operandsElem:
		return useTypes(o.Operands)
	}
	return typesOf(o.Results)
}

func (p *Printer) typeElem(o *Op, e *formatElem, short bool) {
	if short && p.shortType(o, e) {
		return
	}
	if e.kind == operandElem && o.Def.Operands[e.index].Nested {
		types := p.typesOf(o, e)
		for i, n := range o.nestedSizes(&o.Def.Operands[e.index]) {
			if i > 0 {
				p.str(", ")
			}
			p.byte('(')
			p.writeTypes(types[:n])
			p.byte(')')
			types = types[n:]
		}
		return
	}
	switch e.kind {
	case operandElem:
		p.useTypes(o.OperandGroup(e.index))
	case operandsElem:
		p.useTypes(o.Operands)
	case resultElem:
		p.valueTypes(o.ResultGroup(e.index))
	default:
		p.valueTypes(o.Results)
	}
}

func (p *Printer) useTypes(uses []*Use) {
	for i, u := range uses {
		if i > 0 {
			p.str(", ")
		}
		p.writeType(u.Value.Type)
	}
}

func (p *Printer) valueTypes(values []*Value) {
	for i, v := range values {
		if i > 0 {
			p.str(", ")
		}
		p.writeType(v.Type)
	}
}

func (p *Printer) optionalElem(o *Op, e *formatElem) {
	if !p.isPresent(o, e.anchor) {
		p.elements(o, e.other)
		return
	}
	for _, k := range e.then {
		if e.elided && k == e.anchor {
			continue
		}
		p.element(o, k)
	}
}

// isPresent reports whether an operation has what the anchor of an optional group
// refers to.
func (p *Printer) isPresent(o *Op, e *formatElem) bool {
	switch e.kind {
	case operandElem:
		return len(o.OperandGroup(e.index)) > 0
	case resultElem:
		return len(o.ResultGroup(e.index)) > 0
	case attrElem:
		a := o.Attr(e.text)
		return a != nil && !p.isDefault(o, NamedAttr{e.text, a})
	case regionElem:
		return e.index < len(o.Regions) && len(o.Regions[e.index].Blocks) > 0
	case successorElem:
		return e.index < len(o.Successors)
	case typeElem, functionElem:
		return p.isPresent(o, e.args[0])
	case customElem:
		for _, a := range e.args {
			if a.kind != literalElem && p.isPresent(o, a) {
				return true
			}
		}
	case operandsElem:
		return len(o.Operands) > 0
	case resultsElem:
		return len(o.Results) > 0
	}
	return false
}

// choiceElem writes the clauses that apply.
func (p *Printer) choiceElem(o *Op, e *formatElem) {
	for _, k := range e.then {
		present := false
		for _, m := range k.then[1:] {
			present = present || p.isPresent(o, m)
		}
		if !present {
			continue
		}
		for _, m := range k.then {
			if m.kind == attrElem && o.Def.Attrs[m.index].isUnit() {
				continue
			}
			p.element(o, m)
		}
	}
}
