package mlir

import (
	"fmt"
	"slices"
)

// AtOperand reports whether the name of a value follows.
func (p *Parser) AtOperand() bool { return p.isOperand() }

// AtSymbol reports whether "@name" follows.
func (p *Parser) AtSymbol() bool { return p.tok.kind == tokAt }

// AtKeyword reports whether a keyword follows.
func (p *Parser) AtKeyword() bool { return p.tok.kind == tokBare }

// Expected records an error about the current token, whose position is the end of
// the token before, and returns it.
func (p *Parser) Expected(message string) error { return p.wrongToken(message) }

// StringLiteral reads a string in quotes.
func (p *Parser) StringLiteral() (string, error) {
	s, ok := p.OptionalString()
	if !ok {
		return "", p.wrongToken("expected string")
	}
	return s, nil
}

// OptionalString reads a string in quotes if it is there.
func (p *Parser) OptionalString() (s string, ok bool) {
	if p.tok.kind != tokString {
		return "", false
	}
	s = unquoted(p.tokText())
	p.next()
	return s, true
}

// TypeList reads types in parentheses.
func (p *Parser) TypeList() ([]*Type, error) { return p.typeList() }

// Results reads a type, or types in parentheses.
func (p *Parser) Results() ([]*Type, error) { return p.resultTypes() }

// FunctionTypeAfter reads a function type, and reports anything else at its
// position.
func (p *Parser) FunctionTypeAfter(message string) (*Type, error) {
	pos := p.Pos()
	t, err := p.Type()
	if err == nil && t.Kind != FunctionKind {
		err = p.Errorf(pos, "%s", message)
	}
	return t, err
}

// SizesBefore reads sizes such as "4x?x", each with the "x" after it.
func (p *Parser) SizesBefore(dynamic bool) ([]int64, error) {
	shape, _, err := p.dimensions(dynamic, false)
	return shape, err
}

// Quoted writes a string in double quotes.
func (p *Printer) Quoted(s string) { p.quoted(s) }

// KeywordOrString writes s, in quotes if it is no keyword.
func (p *Printer) KeywordOrString(s string) { p.keywordOrString(s) }

// AttrDict writes " {…}" unless the list is empty.
func (p *Printer) AttrDict(list []NamedAttr) { p.attrDict(list) }

// AttrsWithout returns the attributes of o but the ones of the given names and those
// with default values.
func (p *Printer) AttrsWithout(o *Op, names ...string) []NamedAttr {
	var rest []NamedAttr
	for _, a := range o.Attrs {
		if !slices.Contains(names, a.Name) && !p.isDefault(o, a) {
			rest = append(rest, a)
		}
	}
	return rest
}

// NeedsTerminator reports whether the terminator of a region must be
// written, since the reader would not add the same.
func (p *Printer) NeedsTerminator(o *Op, r *Region) bool { return p.needsTerminator(o, r) }

// Pos returns the position of an operation in the text.
func (o *Op) Pos() int32 { return o.pos }

// Values writes names of values separated by commas.
func (p *Printer) Values(values []*Value) {
	for i, v := range values {
		if i > 0 {
			p.str(", ")
		}
		p.Operand(v)
	}
}

// IsDialect reports whether a is the given attribute of a dialect.
func (a *Attr) IsDialect(dialect, mnemonic string) bool {
	return a.Kind == DialectAttr && a.Dialect == dialect && a.Text == mnemonic
}

// PlainErrorf returns an error of an operation that is reported without
// "'name' op " before it.
func PlainErrorf(format string, args ...any) error { return PlainError(fmt.Sprintf(format, args...)) }

// An OpError is an error about another operation than the one that was verified.
type OpError struct {
	Op  *Op
	Err error
}

// Error returns the message.
func (e *OpError) Error() string { return e.Err.Error() }

// Unwrap returns the error that is reported at Op.
func (e *OpError) Unwrap() error { return e.Err }

// ErrorAt returns an error that is reported at another operation.
func ErrorAt(o *Op, err error) error { return &OpError{o, err} }

// CompatibleShape reports whether two types can have the same shape when the
// program runs.
func CompatibleShape(a, b *Type) bool { return compatibleShape(a, b) }

// NamedType records the type that a name of a dialect belongs to, unless it
// belongs to one already, and returns that.
func (c *Context) NamedType(dialect, name string, t *Type) *Type {
	key := dialect + "." + name
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.named[key]; known != nil {
		return known
	}
	if c.named == nil {
		c.named = map[string]*Type{}
	}
	c.named[key] = t
	return t
}

// LLVM reports whether LLVM IR has a float format.
func (f *FloatFormat) LLVM() bool { return slices.Contains(llvmFloats[:], f) }

// PeekKeyword returns the keyword that follows, or "".
func (p *Parser) PeekKeyword() string {
	if p.tok.kind != tokBare {
		return ""
	}
	return p.tokText()
}

// OptionalCase reads a case of an enumeration if its word follows, and returns
// its value, or otherwise the one of the word given.
func (p *Parser) OptionalCase(e *Enum, otherwise string) int64 {
	v, ok := e.Case(p.PeekKeyword())
	if !ok || p.tok.kind != tokBare {
		v, _ = e.Case(otherwise)
		return v
	}
	p.next()
	return v
}

// ResolveAll resolves operands of given types, and adds them to the operation.
// There must be as many types as operands.
func (p *Parser) ResolveAll(s *OpState, pos int32, uses []Operand, types []*Type) error {
	if len(uses) != len(types) {
		return p.Errorf(pos, "number of operands and types do not match: got %d operands and %d types", len(uses), len(types))
	}
	for i, u := range uses {
		v, err := p.Resolve(u, types[i])
		if err != nil {
			return err
		}
		s.Operands = append(s.Operands, v)
	}
	return nil
}

// AddNested adds a group of operands with their types to nested groups, for
// directives.
func (f *FormatState) AddNested(name string, uses []Operand, types []*Type) {
	for i := range f.def.Operands {
		if f.def.Operands[i].Name != name {
			continue
		}
		g := &f.operands[i]
		if len(g.uses) == 0 && len(uses) > 0 {
			g.pos = uses[0].Pos
		}
		g.uses = append(g.uses, uses...)
		g.sub = append(g.sub, int64(len(uses)))
		all := f.types.Operands[i]
		f.types.Operands[i] = append(all[:len(all):len(all)], types...)
	}
}

// GroupTypes returns the types of a group of operands or results that have been
// read, for directives.
func (f *FormatState) GroupTypes(name string) []*Type {
	ref, ok := f.def.Value(name)
	switch {
	case !ok:
		return nil
	case ref.Kind == ResultRef:
		return f.types.Results[ref.Index]
	}
	return f.types.Operands[ref.Index]
}

// NestedGroups returns the operands of nested groups: one list for each.
func (o *Op) NestedGroups(name string) [][]*Use {
	for i := range o.Def.Operands {
		d := &o.Def.Operands[i]
		if d.Name != name {
			continue
		}
		uses := o.OperandGroup(i)
		var groups [][]*Use
		for _, n := range o.nestedSizes(d) {
			if n < 0 || int(n) > len(uses) {
				return groups
			}
			groups = append(groups, uses[:n])
			uses = uses[n:]
		}
		return groups
	}
	return nil
}

// SuccessorAndUses writes a block and the values passed to it, as in
// "^bb1(%a, %b : i32, f32)".
func (p *Printer) SuccessorAndUses(b *Block, uses []*Use) {
	p.Successor(b)
	if len(uses) == 0 {
		return
	}
	p.byte('(')
	p.Operands(uses)
	p.str(" : ")
	p.UseTypes(uses)
	p.byte(')')
}

// RemoveAttr removes an attribute.
func (s *OpState) RemoveAttr(name string) {
	s.Attrs = slices.DeleteFunc(s.Attrs, func(a NamedAttr) bool { return a.Name == name })
}

// Enum returns an enumeration of a dialect.
func (p *Printer) Enum(dialect, name string) *Enum { return p.ctx.Enum(dialect, name) }

// DenseInts returns a vector of integers as dense elements.
func (c *Context) DenseInts(elem *Type, values []int64) *Attr {
	size := denseSize(elem)
	splat := len(values) > 0
	for _, v := range values {
		splat = splat && v == values[0]
	}
	t := c.Vector(elem, int64(len(values)))
	if splat {
		values = values[:1]
	}
	var raw []byte
	for _, v := range values {
		raw = appendRaw(raw, [2]uint64{uint64(v), uint64(v >> 63)}, size)
	}
	return c.DenseElements(t, raw, splat)
}

// SetDicts stores dictionaries of arguments or results unless all are empty.
func SetDicts(c *Context, o *OpState, name string, list []*Attr) { c.setDicts(o, name, list) }

// ArgDicts returns the dictionaries of the arguments, nil without attributes.
func (s *Signature) ArgDicts() []*Attr {
	list := make([]*Attr, len(s.Args))
	for i := range s.Args {
		list[i] = s.Args[i].Attrs
	}
	return list
}

// TypeSignature reads "(i32 {attributes}, …) -> (f32 {attributes})".
func (p *Parser) TypeSignature() (*Signature, error) {
	s := &Signature{}
	err := p.CommaList('(', func() error {
		a := Argument{Pos: p.tok.start}
		var err error
		if a.Type, err = p.Type(); err == nil && p.isPunct('{') {
			a.Attrs, err = p.Attr()
		}
		s.Args = append(s.Args, a)
		return err
	})
	if err != nil || p.tok.kind != tokArrow {
		return s, err
	}
	p.next()
	return s, p.signatureResults(s)
}

// TypeSignature writes the types of operands and results with the attributes of
// each.
func (p *Printer) TypeSignature(args []*Use, results []*Value, argAttrs, resAttrs *Attr) {
	p.byte('(')
	for i, u := range args {
		if i > 0 {
			p.str(", ")
		}
		p.writeType(u.Value.Type)
		p.dictOf(argAttrs, i)
	}
	p.str(") -> ")
	if len(results) == 0 {
		p.str("()")
		return
	}
	p.signatureResults(typesOf(results), resAttrs)
}

// OpErrorf returns an error that is reported after "'name' op ". Its words are
// MLIR's, which may begin with a capital letter or end with a full stop.
func OpErrorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// VerifyCast returns the error of a cast between types that cannot be converted, unless ok is set.
func VerifyCast(o *Op, ok bool) error {
	if ok {
		return nil
	}
	plural := ""
	if len(o.Operands) != 1 {
		plural = "s"
	}
	return fmt.Errorf("operand type%s %s and result type %s are cast incompatible", plural, quotedTypes(operandTypes(o)), quotedTypes(resultTypes(o)))
}

// quotedTypes writes "'A', 'B'".
func quotedTypes(list []*Type) string {
	var w writer
	for i, t := range list {
		if i > 0 {
			w.str(", ")
		}
		w.byte('\'')
		w.writeType(t)
		w.byte('\'')
	}
	return string(w.buf)
}

// VerifyInferred returns the error of an operation whose results have other types than the
// ones that follow from its operands and attributes.
func VerifyInferred(o *Op, types ...*Type) error {
	results := resultTypes(o)
	if slices.Equal(types, results) {
		return nil
	}
	return fmt.Errorf("inferred type(s) %s are incompatible with return type(s) of operation %s", quotedTypes(types), quotedTypes(results))
}
