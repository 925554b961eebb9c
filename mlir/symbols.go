package mlir

// LookupSymbol returns the operation that a reference means at an operation: the
// symbol of that name in the closest symbol table around it, or in the tables
// outside of that. It is nil if there is none.
func (c *Context) LookupSymbol(from *Op, ref *Attr) *Op {
	for o := from.Parent(); o != nil; o = o.Parent() {
		if o.Def == nil || !o.Def.Has(SymbolTable) {
			continue
		}
		found := c.symbolsOf(o)[ref.Text]
		if found == nil && c.copies[o] != nil {
			found = c.symbolsOf(c.copies[o])[ref.Text]
		}
		for _, n := range ref.List {
			if found == nil {
				break
			}
			found = c.symbolsOf(found)[n.Text]
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// symbolsOf returns the symbols in the table of an operation. While a module is
// verified, tables are kept, but not of copies, which change.
func (c *Context) symbolsOf(o *Op) map[string]*Op {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.symbols[o]; ok {
		return known
	}
	table := map[string]*Op{}
	if b := o.Body(0); b != nil {
		for p := range b.Ops {
			if a := p.Attr("sym_name"); a != nil && a.Kind == StringAttr && table[a.Text] == nil {
				table[a.Text] = p
			}
		}
	}
	if c.symbols != nil && c.copies[o] == nil {
		c.symbols[o] = table
	}
	return table
}
