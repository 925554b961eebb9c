package mlir

// VerifyRow checks an operation against its row.
func (d *OpDef) VerifyRow(c *Context, o *Op) error { return d.verifyRow(c, o) }

// VerifyRegionTraits checks what a row requires of the operations within o.
func (d *OpDef) VerifyRegionTraits(o *Op) (*Op, error) { return d.verifyRegionTraits(o) }

// InferTypes fills types that follow from others.
func (d *OpDef) InferTypes(c *Context, g *GroupTypes) error { return d.inferTypes(c, g) }

// TypeConstraint returns the constraint of a description.
func (c *Context) TypeConstraint(description string) (*TypeConstraint, error) {
	return c.typeConstraint(description, description)
}

// AttrConstraint returns the constraint of a description in a dialect.
func (c *Context) AttrConstraint(dialect, description string) (*AttrConstraint, error) {
	return c.attrConstraint(dialect, description, description)
}

// Divide sets the size of a text from which on the work is divided.
func (c *Context) Divide(size int) { c.divide = size }
