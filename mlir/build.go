package mlir

// A Build is an operation by the parts of its row, for Builder.Build. The typed
// builders of the dialects' packages fill it in.
type Build struct {
	Name       string
	Operands   []Group
	Results    []TypeGroup // groups whose types do not follow from other parts
	Attrs      []Field
	Regions    []*Region
	Successors []*Block
	More       []NamedAttr // attributes that are optional, or that the row does not have
}

// A Group is the values of an operand in a row: one, or any number if it is variadic.
type Group struct {
	Name   string
	Values []*Value
	Nested [][]*Value // of an operand that is several groups
}

// A TypeGroup is the types of a result in a row.
type TypeGroup struct {
	Name  string
	Types []*Type
}

// A Field is the value of an attribute: an *Attr, or its content where the row
// determines the rest: a string (also the word of an enumeration), int64, []int64,
// bool, *Type, *AffineMap or *IntegerSet.
type Field struct {
	Name  string
	Value any
}

// Single returns a list of one value, and of none for nil.
func Single(v *Value) []*Value {
	if v == nil {
		return nil
	}
	return []*Value{v}
}

// NewRegion returns a region of one block with arguments, for an operation that is
// built.
func NewRegion(args ...*Type) *Region {
	r := &Region{}
	b := r.AddBlock()
	for _, t := range args {
		b.AddArg(t)
	}
	return r
}

// Build creates an operation and inserts it. The types of results that are not given
// are inferred; they are none where the operands have wrong types. Rules are
// checked by Context.Verify alone.
func (b *Builder) Build(build Build) *Op {
	c := b.Context
	s := OpState{Name: build.Name, Def: c.OpDef(build.Name), Regions: build.Regions}
	for _, block := range build.Successors {
		s.Successors = append(s.Successors, Successor{Block: block})
	}
	for _, f := range build.Attrs {
		if a := c.fieldAttr(s.Def, f); a != nil {
			s.SetAttr(f.Name, a)
		}
	}
	for _, a := range build.More {
		s.SetAttr(a.Name, a.Attr)
	}
	if s.Def == nil { // an operation of another edition, which Verify refuses
		for _, g := range build.Operands {
			s.Operands = append(s.Operands, g.Values...)
		}
		for _, g := range build.Results {
			s.Types = append(s.Types, g.Types...)
		}
		return b.Create(s)
	}
	types := s.Def.NewGroupTypes()
	types.AttrType = func(name string) *Type {
		if a := s.Attr(name); a != nil {
			return a.Type
		}
		return nil
	}
	c.addOperands(&s, types, build.Operands)
	c.addResults(&s, types, build.Results)
	return b.Create(s)
}

// addOperands adds the operands in the order of the row, with the sizes of groups.
func (c *Context) addOperands(s *OpState, types *GroupTypes, groups []Group) {
	var sizes []int64
	for i := range s.Def.Operands {
		d := &s.Def.Operands[i]
		g := findGroup(groups, d.Name, i)
		if d.Nested {
			var lengths []int64
			for _, list := range g.Nested {
				g.Values = append(g.Values, list...)
				lengths = append(lengths, int64(len(list)))
			}
			s.SetAttr(d.Segments, c.DenseI32Array(lengths...))
		}
		types.Operands[i] = make([]*Type, len(g.Values))
		types.Counts[i] = len(g.Values)
		for k, v := range g.Values {
			types.Operands[i][k] = v.Type
		}
		s.Operands = append(s.Operands, g.Values...)
		sizes = append(sizes, int64(len(g.Values)))
	}
	if s.Def.Has(AttrSizedOperandSegments) {
		s.SetAttr(operandSegments, c.DenseI32Array(sizes...))
	}
}

// findGroup returns the group of a name, or of a position if it has no name.
func findGroup(groups []Group, name string, i int) Group {
	for _, g := range groups {
		if g.Name == name && name != "" {
			return g
		}
	}
	if name == "" && i < len(groups) {
		return groups[i]
	}
	return Group{}
}

// addResults adds the types of the results that are given or inferred.
func (c *Context) addResults(s *OpState, types *GroupTypes, groups []TypeGroup) {
	for i := range s.Def.Results {
		for k, g := range groups {
			if g.Name == s.Def.Results[i].Name && (g.Name != "" || k == i) {
				types.Results[i] = append([]*Type{}, g.Types...)
			}
		}
	}
	err := s.Def.inferTypes(c, types)
	if ref, unknown := types.Unknown(); unknown && ref.Kind == ResultRef && err == nil && s.Def.Hooks.Infer != nil && s.Def.acceptsAll(types) {
		if list, err := s.Def.Hooks.Infer(c, s); err == nil {
			s.Types = list
			return
		}
	}
	var sizes []int64
	for i, list := range types.Results {
		if list == nil && s.Def.Results[i].Single() {
			list = []*Type{c.None()}
		}
		s.Types = append(s.Types, list...)
		sizes = append(sizes, int64(len(list)))
	}
	if s.Def.Has(AttrSizedResultSegments) {
		s.SetAttr(resultSegments, c.DenseI32Array(sizes...))
	}
}

// acceptsAll reports whether the operands meet the constraints on their types.
func (d *OpDef) acceptsAll(g *GroupTypes) bool {
	for i, list := range g.Operands {
		for _, t := range list {
			if !d.Operands[i].Constraint.Accepts(t) {
				return false
			}
		}
	}
	return true
}

// InferableResults reports for each result of a row whether its type follows from the
// types of the operands and attributes.
func (d *OpDef) InferableResults(c *Context) []bool {
	known := make([]bool, len(d.Results))
	isKnown := func(ref ValueRef) bool { return ref.Kind != ResultRef || known[ref.Index] }
	for i := range d.Results {
		known[i] = d.Hooks.Infer != nil || d.Results[i].Single() && d.Results[i].Constraint.Buildable(c) != nil ||
			d.Has(SameOperandsAndResultType) && len(d.Operands) > 0
	}
	for changed := true; changed; {
		changed = false
		for _, r := range d.Rules {
			for i, ref := range r.Values {
				if isKnown(ref) || !d.impliedBy(r, i, isKnown) {
					continue
				}
				known[ref.Index], changed = true, true
			}
		}
	}
	return known
}

// impliedBy reports whether a rule implies the type of its value i.
func (d *OpDef) impliedBy(r Rule, i int, isKnown func(ValueRef) bool) bool {
	switch r.Name {
	case "AllTypesMatch":
		if !d.Results[r.Values[i].Index].Single() {
			return false
		}
		for _, other := range r.Values {
			if isKnown(other) {
				return true
			}
		}
	case "TypesMatchWith", "ShapedTypeMatchesElementCountAndTypes":
		return i == 1 && isKnown(r.Values[0])
	}
	return false
}

// fieldAttr returns the attribute of a field, or nil if it is not valid.
func (c *Context) fieldAttr(def *OpDef, f Field) *Attr {
	var k *AttrConstraint
	if def != nil {
		if d := def.AttrDef(f.Name); d != nil {
			k = d.Constraint
		}
	}
	switch v := f.Value.(type) {
	case *Attr:
		return v
	case *Type:
		return c.TypeAttr(v)
	case *AffineMap:
		return c.MapAttr(v)
	case *IntegerSet:
		return c.SetAttr(v)
	case bool:
		return c.Bool(v)
	case int64:
		return c.integerField(k, v)
	case []int64:
		return c.listField(k, v)
	case string:
		return c.wordField(k, v)
	}
	return nil
}

func (c *Context) integerField(k *AttrConstraint, v int64) *Attr {
	t := c.Integer(64)
	if k != nil && k.ValueType(c) != nil {
		t = k.ValueType(c)
	}
	return c.IntAttr(t, v)
}

// listField returns a dense array or an array of integers.
func (c *Context) listField(k *AttrConstraint, list []int64) *Attr {
	if k != nil {
		if kind, ok := k.Kind(); ok && kind == ArrayAttr {
			return c.I64Array(list)
		}
		if a := c.DenseI32Array(list...); k.Accepts(a) {
			return a
		}
	}
	return c.DenseI64Array(list...)
}

// wordField returns the attribute of a string, of a case of an enumeration, or of
// a symbol.
func (c *Context) wordField(k *AttrConstraint, word string) *Attr {
	switch {
	case k == nil:
		return c.String(word)
	case k.Enum != nil:
		v, ok := k.Enum.Case(word)
		switch {
		case !ok:
			return nil
		case k.Property:
			return c.I32Attr(v)
		case k.Enum.Mnemonic == "":
			return c.IntAttr(c.Integer(k.Enum.Width), v)
		}
		return c.EnumAttr(k.Enum, v)
	}
	if kind, ok := k.Kind(); ok && kind == SymbolRefAttr {
		return c.SymbolRef(word)
	}
	return c.String(word)
}
