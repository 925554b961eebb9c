package mlir

import "slices"

// A Builder creates operations and puts them at a place of a block.
type Builder struct {
	Context *Context

	block *Block
	next  *Op // operations are inserted before it; nil for the end of the block
	from  *Op // whose location new operations get, or nil
}

// From sets the origin of operations that are created from now on: they get its
// location.
func (b *Builder) From(o *Op) *Builder {
	b.from = o
	return b
}

// MoveBefore makes the builder insert operations before o.
func (b *Builder) MoveBefore(o *Op) { b.block, b.next = o.Block, o }

// MoveToEnd makes the builder append operations to a block.
func (b *Builder) MoveToEnd(at *Block) { b.block, b.next = at, nil }

// MoveToStart makes the builder insert operations at the start of a block.
func (b *Builder) MoveToStart(at *Block) { b.block, b.next = at, at.first }

// Block returns the block to which the builder adds operations.
func (b *Builder) Block() *Block { return b.block }

// AtEnd returns a builder that appends operations to a block.
func (c *Context) AtEnd(b *Block) *Builder { return &Builder{Context: c, block: b} }

// Before returns a builder that inserts operations before another one.
func (c *Context) Before(o *Op) *Builder { return &Builder{Context: c, block: o.Block, next: o} }

// Create creates an operation and inserts it. Attributes with default values that
// are stored are added where they are missing. Rules are checked by
// Context.Verify alone.
func (b *Builder) Create(s OpState) *Op {
	o := b.Context.NewOp(s)
	if b.from != nil {
		o.loc, o.pos = b.from.loc, b.from.pos
	}
	if b.next != nil {
		o.InsertBefore(b.next)
	} else {
		b.block.Append(o)
	}
	return o
}

// NewOp creates an operation that is in no block. The latter of two attributes of one
// name counts.
func (c *Context) NewOp(s OpState) *Op {
	if s.Def == nil {
		s.Def = c.OpDef(s.Name)
	}
	c.addDefaults(&s)
	o := c.alloc.newOp(&s, builderChunk)
	o.Attrs = lastOfEach(o.Attrs)
	return o
}

// builderChunk is the number of operations for which a context allocates memory at
// once.
const builderChunk = 64

// lastOfEach removes entries of sorted attributes without a value, and those that
// later ones of the same name replace.
func lastOfEach(attrs []NamedAttr) []NamedAttr {
	kept := attrs[:0]
	for i, a := range attrs {
		if a.Attr != nil && (i+1 == len(attrs) || attrs[i+1].Name != a.Name) {
			kept = append(kept, a)
		}
	}
	return kept
}

// addDefaults adds the default values of missing attributes. Defaults are text
// of the tables and valid.
func (c *Context) addDefaults(s *OpState) {
	if s.Def == nil || !s.Def.completed {
		return
	}
	s.Attrs = slices.Clip(s.Attrs)
	for i := range s.Def.Attrs {
		d := &s.Def.Attrs[i]
		a := s.Attr(d.Name)
		switch {
		case a != nil && d.Constraint.Property:
			if p := c.property(a); p != a {
				s.Attrs = append(s.Attrs, NamedAttr{d.Name, p})
			}
		case a == nil && d.Printed && d.Default != "" && d.invalid == nil:
			s.Attrs = append(s.Attrs, NamedAttr{d.Name, d.value})
		}
	}
}

// NewModule returns an empty module.
func (c *Context) NewModule() *Op {
	r := &Region{}
	r.AddBlock()
	return c.NewOp(OpState{Name: "builtin.module", Regions: []*Region{r}})
}

// newOp builds an operation from its parts. Memory is taken in pieces of chunk elements.
func (a *arena) newOp(s *OpState, chunk int) *Op {
	o := &a.ops.take(1, chunk, a.reused)[0]
	*o = Op{Name: s.Name, Def: s.Def, pos: s.Pos}
	a.tables = a.tables || s.Def != nil && s.Def.Has(SymbolTable)
	if n := len(s.Attrs); n > 0 {
		o.Attrs = a.attrs.take(n, chunk, a.reused)
		copy(o.Attrs, s.Attrs)
		sortNames(o.Attrs)
	}
	if len(s.Successors) > 0 {
		o.Successors = slices.Clone(s.Successors)
	}
	if len(s.Regions) > 0 {
		o.Regions = slices.Clone(s.Regions)
	}
	if n := len(s.Operands); n > 0 {
		uses := a.uses.take(n, chunk, a.reused)
		o.Operands = a.refs.take(n, chunk, a.reused)
		for i, v := range s.Operands {
			uses[i].Owner = o
			uses[i].link(v)
			o.Operands[i] = &uses[i]
		}
	}
	if n := len(s.Types); n > 0 {
		values := a.values.take(n, chunk, a.reused)
		o.Results = a.vals.take(n, chunk, a.reused)
		for i, t := range s.Types {
			values[i] = Value{Type: t, Op: o, Index: i, pos: s.Pos}
			o.Results[i] = &values[i]
		}
	}
	for _, r := range s.Regions {
		r.Parent = o
	}
	return o
}
