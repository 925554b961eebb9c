package mlir

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

// NewOp creates an operation that is in no block.
func (c *Context) NewOp(s OpState) *Op {
	if s.Def == nil {
		s.Def = c.OpDef(s.Name)
	}
	o := &Op{Name: s.Name, Def: s.Def, pos: s.Pos, Successors: s.Successors, Regions: s.Regions}
	o.SetOperands(s.Operands...)
	for i, t := range s.Types {
		o.Results = append(o.Results, &Value{Type: t, Op: o, Index: i})
	}
	for _, r := range s.Regions {
		r.Parent = o
	}
	for _, a := range s.Attrs {
		o.SetAttr(a.Name, a.Attr)
	}
	c.addDefaults(o)
	return o
}

// addDefaults stores the default values of missing attributes. Defaults are text
// of the tables and valid.
func (c *Context) addDefaults(o *Op) {
	if o.Def == nil {
		return
	}
	for i := range o.Def.Attrs {
		d := &o.Def.Attrs[i]
		if a := o.Attr(d.Name); a != nil && d.Constraint.Property {
			o.SetAttr(d.Name, c.property(a))
		}
		if d.Printed && d.Default != "" && o.Attr(d.Name) == nil {
			o.SetAttr(d.Name, d.value)
		}
	}
}

// NewModule returns an empty module.
func (c *Context) NewModule() *Op {
	r := &Region{}
	r.AddBlock()
	return c.NewOp(OpState{Name: "builtin.module", Regions: []*Region{r}})
}
