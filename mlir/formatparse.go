package mlir

import (
	"strings"
)

// A FormatState is the state of reading an operation by its assembly format.
type FormatState struct {
	*Parser
	State    *OpState
	def      *OpDef
	operands []operandGroup
	all      []Operand // of all groups
	types    *GroupTypes
	regions  [][]*Region
	room     []*Type  // of the groups with several types
	raw      []byte   // of an array: sizes of groups, or elements
	after    []func() // what remains to be done after the text
}

// An operandGroup holds the operands of a group by name.
type operandGroup struct {
	uses []Operand
	pos  int32
	sub  []int64 // sizes of nested groups
}

// parseFormat reads an operation by its assembly format.
func (p *Parser) parseFormat(s *OpState) error {
	f := p.newFormatState(s)
	err := f.list(s.Def.format.elems)
	if err == nil {
		err = f.finish()
	}
	p.formats = append(p.formats, f)
	return err
}

// newFormatState returns a state, one that has been used if there is any.
func (p *Parser) newFormatState(s *OpState) *FormatState {
	var f *FormatState
	if n := len(p.formats) - 1; n >= 0 {
		f, p.formats = p.formats[n], p.formats[:n]
	} else {
		f = &FormatState{Parser: p, types: &GroupTypes{}}
		f.types.AttrType = f.attrType
	}
	f.State, f.def, f.after, f.room = s, s.Def, f.after[:0], f.room[:0]
	f.operands = resized(f.operands, len(s.Def.Operands))
	for i := range f.operands {
		g := &f.operands[i]
		g.uses, g.sub, g.pos = g.uses[:0], g.sub[:0], 0
	}
	f.regions = resized(f.regions, len(s.Def.Regions))
	for i := range f.regions {
		f.regions[i] = f.regions[i][:0]
	}
	f.types.reset(s.Def)
	return f
}

// resized returns a slice of a length. Its elements keep the values that they hold.
func resized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]T, n-cap(s))...)
}

func (f *FormatState) list(list []*formatElem) error {
	for _, e := range list {
		if err := f.element(e); err != nil {
			return err
		}
	}
	return nil
}

func (f *FormatState) element(e *formatElem) error {
	switch e.kind {
	case literalElem:
		return f.Literal(e.text)
	case spaceElem:
		return nil
	case operandElem:
		return f.operand(e.index)
	case attrElem:
		return f.attr(e)
	case regionElem:
		return f.regionElem(e.index)
	case successorElem:
		return f.successorElem(&f.def.Successors[e.index])
	case operandsElem:
		return f.allOperands()
	case successorsElem:
		return f.successorElem(&SuccessorDef{Variadic: true})
	case attrDictElem:
		return f.attrDictElem(e)
	case propDictElem:
		if !f.isPunct('<') {
			return nil
		}
		return f.properties(f.State)
	case typeElem:
		return f.typeElem(e.args[0], !e.qualified)
	case functionElem:
		return f.functionElem(e)
	case customElem:
		return e.directive.Parse(f, e.names)
	case optionalElem:
		return f.optional(e)
	case choiceElem:
		return f.choice(e)
	}
	return f.Errorf(f.tok.start, "has an assembly format that cannot be read")
}

func (f *FormatState) operand(i int) error {
	d := &f.def.Operands[i]
	g := &f.operands[i]
	g.pos = f.tok.start
	switch {
	case d.Nested:
		for f.isPunct('(') {
			n := len(g.uses)
			f.next()
			more, err := f.Operands()
			if err == nil {
				err = f.punct(')')
			}
			if err != nil {
				return err
			}
			g.uses = append(g.uses, more...)
			g.sub = append(g.sub, int64(len(g.uses)-n))
			if !f.optionalPunct(',') {
				break
			}
		}
		return nil
	case d.Variadic:
		var err error
		g.uses, err = f.appendOperands(g.uses)
		return err
	case d.Optional:
		if !f.isOperand() {
			return nil
		}
	}
	u, err := f.Operand()
	g.uses = append(g.uses, u)
	return err
}

func (f *FormatState) allOperands() error {
	list, err := f.appendOperands(f.all[:0])
	f.all = list
	if err != nil {
		return err
	}
	// The groups take the values that they need: every group but the variadic one has one.
	rest := len(list) - len(f.def.Operands) + 1
	for i := range f.def.Operands {
		n := 1
		if !f.def.Operands[i].Single() {
			n = rest
		}
		if n < 0 || n > len(list) {
			return f.Errorf(f.tok.start, "%d operands present, but expected %d", len(list), len(f.def.Operands))
		}
		f.operands[i].uses, list = append(f.operands[i].uses, list[:n]...), list[n:]
	}
	return nil
}

// attr reads an attribute.
func (f *FormatState) attr(e *formatElem) error {
	a, err := f.attrValue(e, &f.def.Attrs[e.index])
	if err != nil {
		return err
	}
	f.State.SetAttr(e.text, a)
	return nil
}

func (f *FormatState) attrValue(e *formatElem, d *AttrDef) (*Attr, error) {
	pos := f.tok.start
	en := d.Constraint.Enum
	switch {
	case en != nil && en.Mnemonic != "" && d.Constraint.Property:
		return f.enumProperty(en)
	case en != nil && en.Mnemonic != "" && !e.qualified:
		if f.tok.kind == tokHash {
			return f.Attr()
		}
		return f.EnumBody(en)
	case en != nil && en.Mnemonic == "":
		return f.integerCase(en, e.text)
	case d.Constraint.SymbolName:
		name, err := f.SymbolName()
		if err != nil {
			return nil, err
		}
		return f.Context.String(name), nil
	}
	if t := f.Context.denseElement(d.Constraint); t != nil {
		return f.denseList(t)
	}
	kind, oneKind := d.Constraint.Kind()
	if !e.qualified {
		if a, err := f.shortAttr(d); a != nil || err != nil {
			return a, err
		}
	}
	t := d.Constraint.ValueType(f.Context)
	if oneKind && kind == StringAttr {
		t = f.Context.None()
	}
	a, err := f.AttrOfType(t)
	if err != nil {
		return nil, err
	}
	if a.Kind == StringAttr && a.Type == f.Context.None() {
		a = f.Context.String(a.Text)
	}
	if oneKind && a.Kind != kind || d.Constraint.typed && !isTypedAttr(a) {
		return nil, f.Errorf(pos, "invalid kind of attribute specified")
	}
	return a, nil
}

// integerCase reads a case of an enumeration that an integer attribute holds.
func (f *FormatState) integerCase(e *Enum, name string) (*Attr, error) {
	start := f.tok.start
	value, err := f.cases(e, func(int32, bool) error {
		return f.Errorf(start, "expected string or keyword containing one of the following enum values for attribute '%s' [%s]", name, strings.Join(e.words(), ", "))
	})
	if err != nil {
		return nil, err
	}
	return f.Context.IntAttr(f.Context.Integer(e.Width), value), nil
}

func (f *FormatState) regionElem(i int) error {
	if f.def.Regions[i].Variadic && !f.isPunct('{') {
		return nil
	}
	for {
		if err := f.AddRegion(i); err != nil {
			return err
		}
		if !f.def.Regions[i].Variadic || !f.optionalPunct(',') {
			return nil
		}
	}
}

func (f *FormatState) successorElem(d *SuccessorDef) error {
	if !d.Variadic {
		b, err := f.Successor()
		f.State.Successors = append(f.State.Successors, Successor{b})
		return err
	}
	if f.tok.kind != tokCaret {
		return nil
	}
	return f.CommaList(0, func() error {
		b, err := f.Successor()
		f.State.Successors = append(f.State.Successors, Successor{b})
		return err
	})
}

func (f *FormatState) attrDictElem(e *formatElem) error {
	pos, known := f.tok.start, len(f.State.Attrs)
	if e.keyword {
		if err := f.OptionalAttrDictWithKeyword(f.State); err != nil {
			return err
		}
	} else if err := f.OptionalAttrDict(f.State); err != nil {
		return err
	}
	for _, a := range f.State.Attrs[known:] {
		if d := f.def.AttrDef(a.Name); d != nil {
			if err := d.verify(a.Attr); err != nil {
				return f.Errorf(pos, "'%s' op %s", f.def.Name, err)
			}
		}
	}
	return nil
}

// typeElem reads the types of operands or results; with short, a pointer of the
// dialect llvm may be written by its parameters alone.
func (f *FormatState) typeElem(of *formatElem, short bool) error {
	switch of.kind {
	case operandsElem, resultsElem:
		list, err := f.Types()
		if err != nil {
			return err
		}
		return f.spread(of, list)
	}
	d := f.valueDef(of)
	var list []*Type
	switch {
	case d.Nested:
		for f.isPunct('(') {
			more, err := f.typeList()
			if err != nil {
				return err
			}
			list = append(list, more...)
			if !f.optionalPunct(',') {
				break
			}
		}
	case d.Single():
		pos := f.tok.start
		t, err := f.typeOf(d.Constraint, short)
		if err != nil {
			return err
		}
		if k, ok := d.Constraint.Kind(); ok && t.Kind != k {
			return f.Errorf(pos, "invalid kind of type specified")
		}
		list = t.single
	default:
		t, err := f.OptionalType()
		if err != nil {
			return err
		}
		if t != nil {
			list = t.single[:1:1]
		}
		for t != nil && d.Variadic && f.optionalPunct(',') {
			if t, err = f.Type(); err != nil {
				return err
			}
			list = f.listTypes(list, t)
		}
	}
	f.setTypes(of, list)
	return nil
}

// listTypes appends a type to a list of one type, or to the last list in the state's room.
func (f *FormatState) listTypes(list []*Type, t *Type) []*Type {
	if len(list) == 1 {
		f.room = append(f.room, list[0])
	}
	f.room = append(f.room, t)
	n := len(f.room)
	return f.room[n-len(list)-1 : n : n]
}

// noTypes are the types of a group without values.
var noTypes = []*Type{}

// setTypes stores the types of a group, which may be empty.
func (f *FormatState) setTypes(of *formatElem, list []*Type) {
	if list == nil {
		list = noTypes
	}
	if of.kind == resultElem {
		f.types.Results[of.index] = list
		return
	}
	f.types.Operands[of.index] = list
}

func (f *FormatState) valueDef(e *formatElem) *ValueDef {
	if e.kind == resultElem {
		return &f.def.Results[e.index]
	}
	return &f.def.Operands[e.index]
}

// spread divides types of all operands or results among the groups.
func (f *FormatState) spread(of *formatElem, list []*Type) error {
	if list == nil {
		list = noTypes
	}
	if of.kind == operandsElem {
		n := 0
		for i := range f.operands {
			n += len(f.operands[i].uses)
		}
		if n != len(list) {
			return f.Errorf(f.State.Pos, "%d operands present, but expected %d", n, len(list))
		}
		for i := range f.operands {
			n := len(f.operands[i].uses)
			f.setTypes(&formatElem{kind: operandElem, index: i}, list[:n:n])
			list = list[n:]
		}
		return nil
	}
	single := f.def.leastResults
	groups := max(1, len(f.def.Results)-single)
	each := (len(list) - single) / groups
	for i := range f.types.Results {
		n := 1
		if !f.def.Results[i].Single() {
			n = each
		}
		if n < 0 || n > len(list) {
			return f.Errorf(f.State.Pos, "has %d result types, but expected %d", len(list), len(f.types.Results))
		}
		f.setTypes(&formatElem{kind: resultElem, index: i}, list[:n:n])
		list = list[n:]
	}
	return nil
}

func (f *FormatState) functionElem(e *formatElem) error {
	pos := f.tok.start
	t, err := f.Type()
	if err != nil {
		return err
	}
	if t.Kind != FunctionKind {
		return f.Errorf(pos, "invalid kind of type specified")
	}
	for i, list := range [][]*Type{t.Ins, t.Outs} {
		switch a := e.args[i]; a.kind {
		case operandsElem, resultsElem:
			if err := f.spread(a, list); err != nil {
				return err
			}
		default:
			f.setTypes(a, list)
		}
	}
	return nil
}

// optional reads an optional group if its first element follows.
func (f *FormatState) optional(e *formatElem) error {
	present, rest, err := f.begin(e.then)
	if err != nil {
		return err
	}
	if !present {
		return f.list(e.other)
	}
	if a := e.anchor; e.elided {
		f.State.SetAttr(a.text, f.Context.unit)
	} else if a.kind == attrElem && a == e.then[0] && f.def.Attrs[a.index].isUnit() {
		f.State.SetAttr(a.text, f.Context.unit)
	}
	for _, k := range rest {
		if e.elided && k == e.anchor {
			continue
		}
		if err := f.element(k); err != nil {
			return err
		}
	}
	return nil
}

// begin reads the first element of a group if it follows, and returns the rest.
func (f *FormatState) begin(list []*formatElem) (present bool, rest []*formatElem, err error) {
	e := list[0]
	for e.kind == spaceElem {
		list = list[1:]
		e = list[0]
	}
	switch e.kind {
	case literalElem:
		return f.OptionalLiteral(e.text), list[1:], nil
	case operandElem:
		f.operands[e.index].pos = f.tok.start
		present = f.isOperand() || f.def.Operands[e.index].Nested && f.isPunct('(')
	case regionElem:
		present = f.isPunct('{')
	case successorElem:
		present = f.tok.kind == tokCaret
	case attrElem:
		present = f.isAttr(&f.def.Attrs[e.index])
	case customElem:
		present = e.directive.Present == nil || e.directive.Present(f)
	case typeElem:
		t, err := f.OptionalType()
		if err != nil || t == nil {
			return false, nil, err
		}
		f.setTypes(e.args[0], t.single)
		return true, list[1:], nil
	}
	return present, list, nil
}

// isAttr reports whether a value of an attribute follows.
func (f *FormatState) isAttr(d *AttrDef) bool {
	switch e := d.Constraint.Enum; {
	case e != nil && e.Mnemonic == "":
		_, ok := e.Case(f.tokText())
		return ok && f.tok.kind == tokBare
	case e != nil && d.Constraint.Property:
		return f.isKeyword(e.Mnemonic)
	case e != nil && !e.Bare:
		return f.isPunct('<')
	case e != nil:
		_, ok := e.Case(f.tokText())
		return ok
	case d.Constraint.SymbolName:
		return f.tok.kind == tokAt
	}
	kind, one := d.Constraint.Kind()
	switch f.tok.kind {
	case tokInt, tokFloat:
		return !one || kind == IntegerAttr || kind == FloatAttr
	case tokString:
		return !one || kind == StringAttr
	case tokAt:
		return !one || kind == SymbolRefAttr
	case tokHash:
		return true
	case tokBang:
		return !one || kind == TypeAttr
	case tokPunct:
		switch f.text[f.tok.start] {
		case '[':
			return !one || kind == ArrayAttr || kind == DenseArrayAttr
		case '{':
			return !one || kind == DictAttr
		case '-':
			return !one || kind == IntegerAttr || kind == FloatAttr
		}
	case tokBare:
		return isTypeKeyword(f.tokText()) && (!one || kind == TypeAttr)
	}
	return false
}

// choice reads clauses in any order, each at most once.
func (f *FormatState) choice(e *formatElem) error {
	seen := make([]bool, len(e.then))
	for {
		found := -1
		for i, k := range e.then {
			if f.isLiteral(k.then[0].text) {
				found = i
				break
			}
		}
		if found < 0 {
			return nil
		}
		k := e.then[found]
		if seen[found] {
			return f.Errorf(f.State.Pos, "`%s` clause can appear at most once in the expansion of the oilist directive", k.then[0].text)
		}
		seen[found] = true
		f.next()
		for _, m := range k.then[1:] {
			if m.kind == attrElem && f.def.Attrs[m.index].isUnit() {
				f.State.SetAttr(m.text, f.Context.unit)
				continue
			}
			if err := f.element(m); err != nil {
				return err
			}
		}
	}
}

// finish finds the types that the text does not have and resolves the operands.
func (f *FormatState) finish() error {
	for i := range f.operands {
		f.types.Counts[i] = len(f.operands[i].uses)
	}
	f.setUntyped()
	for _, do := range f.after {
		do()
	}
	if err := f.def.inferTypes(f.Context, f.types); err != nil {
		return f.PlainErrorf(f.State.Pos, "'%s' op %s", f.State.Name, err)
	}
	for i := range f.operands {
		if err := f.resolveGroup(i); err != nil {
			return err
		}
	}
	f.setSegments()
	for _, list := range f.regions {
		f.State.Regions = append(f.State.Regions, list...)
	}
	return f.resultTypes()
}

// setUntyped marks groups as empty whose types the format has, but the text has
// not.
func (f *FormatState) setUntyped() {
	for _, e := range f.def.format.typed {
		list := f.types.Operands
		if e.kind == resultElem {
			list = f.types.Results
		}
		if list[e.index] == nil {
			list[e.index] = noTypes
		}
	}
}

// attrType returns the type of an attribute.
func (f *FormatState) attrType(name string) *Type {
	if a := f.State.Attr(name); a != nil {
		return a.Type
	}
	return nil
}

func (f *FormatState) resultTypes() error {
	for _, list := range f.types.Results {
		if list == nil {
			return f.hookTypes()
		}
	}
	for _, list := range f.types.Results {
		f.State.Types = append(f.State.Types, list...)
	}
	return nil
}

// hookTypes finds types of results by the operation's own rule.
func (f *FormatState) hookTypes() error {
	if f.def.Hooks.Infer == nil {
		return f.Errorf(f.State.Pos, "has results whose types are not known")
	}
	types, err := f.def.Hooks.Infer(f.Context, f.State)
	if err != nil {
		return f.Errorf(f.State.Pos, "%s", err)
	}
	f.State.Types = types
	return nil
}

func (f *FormatState) resolveGroup(i int) error {
	g, types := &f.operands[i], f.types.Operands[i]
	if types == nil && len(g.uses) > 0 {
		return f.Errorf(g.pos, "has operands whose types are not known")
	}
	if len(g.uses) != len(types) {
		return f.Errorf(g.pos, "%d operands present, but expected %d", len(g.uses), len(types))
	}
	for k, u := range g.uses {
		v, err := f.Resolve(u, types[k])
		if err != nil {
			return err
		}
		f.State.Operands = append(f.State.Operands, v)
	}
	return nil
}

// setSegments stores the sizes of groups.
func (f *FormatState) setSegments() {
	if f.def.Has(AttrSizedOperandSegments) {
		f.raw = f.raw[:0]
		for i := range f.operands {
			f.raw = appendRaw(f.raw, [2]uint64{uint64(len(f.operands[i].uses))}, 4)
		}
		f.State.SetAttr(operandSegments, f.Context.denseRaw(f.Context.Integer(32), f.raw))
	}
	if f.def.Has(AttrSizedResultSegments) {
		f.raw = f.raw[:0]
		for _, list := range f.types.Results {
			f.raw = appendRaw(f.raw, [2]uint64{uint64(len(list))}, 4)
		}
		f.State.SetAttr(resultSegments, f.Context.denseRaw(f.Context.Integer(32), f.raw))
	}
	for i := range f.def.Operands {
		if d := &f.def.Operands[i]; d.Nested {
			f.State.SetAttr(d.Segments, f.Context.DenseI32Array(f.operands[i].sub...))
		}
	}
}

// AddRegion reads a region of the operation's row.
func (f *FormatState) AddRegion(i int) error {
	r := &Region{}
	f.regions[i] = append(f.regions[i], r)
	if err := f.region(r, nil, f.def.Has(IsolatedFromAbove)); err != nil {
		return err
	}
	f.completeRegion(f.def, r, f.State.Pos)
	return nil
}

// After calls a function when the whole text of the operation has been read.
func (f *FormatState) After(do func()) { f.after = append(f.after, do) }

// AddOperand adds an operand to a group, for directives.
func (f *FormatState) AddOperand(name string, u Operand) {
	for i := range f.def.Operands {
		if f.def.Operands[i].Name == name {
			if len(f.operands[i].uses) == 0 {
				f.operands[i].pos = u.Pos
			}
			f.operands[i].uses = append(f.operands[i].uses, u)
		}
	}
}

// SetTypes sets the types of a group of operands or results, for directives.
func (f *FormatState) SetTypes(name string, types []*Type) {
	switch ref, _ := f.def.Value(name); ref.Kind {
	case OperandRef:
		f.setTypes(&formatElem{kind: operandElem, index: ref.Index}, types)
	case ResultRef:
		f.setTypes(&formatElem{kind: resultElem, index: ref.Index}, types)
	}
}

// NumOperands returns the number of operands of a group so far, for directives.
func (f *FormatState) NumOperands(name string) int {
	for i := range f.def.Operands {
		if f.def.Operands[i].Name == name {
			return len(f.operands[i].uses)
		}
	}
	return 0
}
