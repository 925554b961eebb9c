package ir

import "fmt"

// CheckLinks checks the consistency of a function's lists of blocks,
// instructions and uses. It is for tests and the verifier: no function of this
// package breaks the lists.
func (f *Function) CheckLinks() error {
	if f.entry == 0 {
		return nil
	}
	c := linkCheck{f: f, uses: make([]bool, len(f.pool))}
	var prev Block
	for b := f.entry; b != 0; b = f.blocks[b].next {
		if d := &f.blocks[b]; d.prev != prev || !d.alive {
			return fmt.Errorf("block %d: previous block is %d, expected %d", b, d.prev, prev)
		}
		if err := c.block(b); err != nil {
			return err
		}
		prev = b
	}
	if f.last != prev {
		return fmt.Errorf("last block is %d, expected %d", f.last, prev)
	}
	return c.lists()
}

type linkCheck struct {
	f    *Function
	uses []bool // operands that must be in a use list
	n    int    // number of operands in uses
}

func (c *linkCheck) block(b Block) error {
	f := c.f
	prev := None
	for v := f.First(b); v != None; v = f.Next(v) {
		in := &f.instrs[v]
		if in.prev != prev || in.block != b || in.Op == OpNone {
			return fmt.Errorf("value %d (%s): prev %d, block %d, expected %d, %d", v, in.Op, in.prev, in.block, prev, b)
		}
		if err := c.operands(v); err != nil {
			return err
		}
		for r := f.FirstRecord(v); r != None; r = f.NextRecord(r) {
			if f.instrs[r].rec != v || !f.instrs[r].Op.IsRecord() || f.instrs[r].block != b {
				return fmt.Errorf("record %d: does not belong to value %d", r, v)
			}
			if err := c.operands(r); err != nil {
				return err
			}
		}
		prev = v
	}
	if f.Last(b) != prev {
		return fmt.Errorf("block %d: last instruction is %d, expected %d", b, f.Last(b), prev)
	}
	return nil
}

func (c *linkCheck) operands(v Value) error {
	f := c.f
	for i, o := range f.Operands(v) {
		u := f.UseOf(v, i)
		if o.user != v {
			return fmt.Errorf("value %d: operand %d belongs to %d", v, i, o.user)
		}
		if c.uses[u] {
			return fmt.Errorf("value %d: operand %d is in two use lists", v, i)
		}
		if f.isUse(u) {
			c.uses[u] = true
			c.n++
		}
		if f.Op(o.Value) == OpLocalMetadata {
			if err := c.operands(o.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// lists checks all lists of uses.
func (c *linkCheck) lists() error {
	f := c.f
	seen := 0
	chain := func(v Value, head Use) error {
		prev := Use(0)
		for u := head; u != 0; u = f.pool[u].next {
			o := &f.pool[u]
			if o.prev != prev || o.Value != v || !c.uses[u] {
				return fmt.Errorf("value %#x: use %d: value %#x, prev %d, expected %d, counted %v", v, u, o.Value, o.prev, prev, c.uses[u])
			}
			c.uses[u] = false
			seen++
			prev = u
		}
		return nil
	}
	for i := range f.instrs {
		if err := chain(Value(i), f.instrs[i].firstUse); err != nil {
			return err
		}
	}
	for i := range f.blocks {
		if err := chain(Block(i).Value(), f.blocks[i].firstUse); err != nil {
			return err
		}
	}
	for v, head := range f.recordUses {
		if err := chain(v, head); err != nil {
			return err
		}
	}
	if seen != c.n {
		return fmt.Errorf("%d uses in lists, %d operands", seen, c.n)
	}
	return nil
}
