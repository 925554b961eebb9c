package mlir

import "slices"

// Replace replaces the results of an operation with values, one for each, and
// erases it.
func (o *Op) Replace(values ...*Value) {
	for i, r := range o.Results {
		r.ReplaceUses(values[i])
	}
	o.Erase()
}

// SplitBefore moves an operation and those after it into a new block, which
// follows their old one in its region.
func (b *Block) SplitBefore(o *Op) *Block {
	n := &Block{Region: b.Region}
	b.Region.Blocks = slices.Insert(b.Region.Blocks, b.index()+1, n)
	n.first, n.last = o, b.last
	b.last = o.prev
	if o.prev != nil {
		o.prev.next = nil
	} else {
		b.first = nil
	}
	o.prev = nil
	for p := o; p != nil; p = p.next {
		p.Block = n
	}
	return n
}

func (b *Block) index() int { return slices.Index(b.Region.Blocks, b) }

// AddAfter adds a block to the region of b, after it.
func (b *Block) AddAfter() *Block {
	n := &Block{Region: b.Region, ordered: true}
	b.Region.Blocks = slices.Insert(b.Region.Blocks, b.index()+1, n)
	return n
}

// TakeBlocks moves all blocks of a region into the region of b, after b.
func (b *Block) TakeBlocks(from *Region) {
	for _, moved := range from.Blocks {
		moved.Region = b.Region
	}
	b.Region.Blocks = slices.Insert(b.Region.Blocks, b.index()+1, from.Blocks...)
	from.Blocks = nil
}

// MoveOps moves all operations of another block to the end of b.
func (b *Block) MoveOps(from *Block) {
	for o := range from.Ops {
		o.Unlink()
		b.Append(o)
	}
}

// Erase removes a block without uses of its arguments and values from its region.
func (b *Block) Erase() {
	for o := range b.Ops {
		o.Erase()
	}
	b.Region.Blocks = slices.Delete(b.Region.Blocks, b.index(), b.index()+1)
}

// EraseArg removes an argument without uses from a block.
func (b *Block) EraseArg(i int) {
	b.Args = slices.Delete(b.Args, i, i+1)
	for ; i < len(b.Args); i++ {
		b.Args[i].Index = i
	}
}

// Clone returns a copy of an operation that is in no block, with copies of the
// regions. Values and blocks that are keys of the maps are replaced; the results,
// arguments and blocks that are copied are added to the maps.
func (c *Context) Clone(o *Op, values map[*Value]*Value, blocks map[*Block]*Block) *Op {
	n := &Op{Name: o.Name, Def: o.Def, Attrs: slices.Clone(o.Attrs), loc: o.loc, pos: o.pos}
	operands := make([]*Value, len(o.Operands))
	for i, u := range o.Operands {
		operands[i] = u.Value
		if v := values[u.Value]; v != nil {
			operands[i] = v
		}
	}
	n.SetOperands(operands...)
	for _, s := range o.Successors {
		if b := blocks[s.Block]; b != nil {
			s.Block = b
		}
		n.Successors = append(n.Successors, s)
	}
	for i, r := range o.Results {
		v := &Value{Type: r.Type, Op: n, Index: i}
		n.Results = append(n.Results, v)
		values[r] = v
	}
	for _, r := range o.Regions {
		n.Regions = append(n.Regions, c.cloneRegion(r, n, values, blocks))
	}
	return n
}

func (c *Context) cloneRegion(r *Region, parent *Op, values map[*Value]*Value, blocks map[*Block]*Block) *Region {
	n := &Region{Parent: parent}
	for _, b := range r.Blocks {
		copied := n.AddBlock()
		blocks[b] = copied
		for _, a := range b.Args {
			v := copied.AddArg(a.Type)
			v.loc, v.pos = a.loc, a.pos
			values[a] = v
		}
	}
	for _, b := range r.Blocks {
		for o := range b.Ops {
			blocks[b].Append(c.Clone(o, values, blocks))
		}
	}
	return n
}
