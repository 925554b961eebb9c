package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// conditionFix ensures that at most one value of the scalar condition code is
// live at a time, and none across blocks. A value that is used after another
// one has replaced it is recomputed: by its comparison, if that extends no live
// ranges, or from a scalar register in which it was saved. If the use only
// selects one of two constants, the selection moves to the definition instead.
type conditionFix struct {
	f        *mir.Func
	in       mir.Reg     // value in the condition code, NoReg for an unused one
	as       mir.Reg     // register that represents it since it was recomputed
	saved    []mir.Reg   // by virtual register: the register that saves it, or NoReg
	last     []mir.Instr // by virtual register: the instruction after which selections are inserted
	read     []bool      // by virtual register: whether it is read before another value replaces it
	repeated []mir.Reg
	moved    int // selections moved in the current block
}

func (c *conditionFix) fixConditions(f *mir.Func) {
	c.f = f
	n := f.NumVirtual()
	c.saved, c.last, c.read, c.repeated = zeroed(c.saved, n), zeroed(c.last, n), zeroed(c.read, n), c.repeated[:0]
	for _, b := range f.Layout {
		c.block(b)
	}
	for _, x := range c.repeated {
		if d := f.DefOf(x); d != 0 && f.Parent(d) != 0 && !c.read[x.Index()] {
			c.read[x.Index()] = true
			f.Erase(d)
		}
	}
}

func (c *conditionFix) block(b mir.Block) {
	f := c.f
	c.in, c.as, c.moved = mir.NoReg, mir.NoReg, 0
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		if x := c.conditionOf(i); x != mir.NoReg {
			c.use(x, i)
		}
		for _, o := range f.Defs(i) {
			if o.Kind == mir.KindReg && f.File(o.Reg()) == mir.FileSCC {
				c.in, c.as = o.Reg(), o.Reg()
			}
		}
		if f.Op(i) == mir.Call {
			c.in = mir.NoReg
		}
		i = next
	}
}

// use ensures that the condition code holds the value that an instruction
// reads.
func (c *conditionFix) use(x mir.Reg, i mir.Instr) {
	switch {
	case x != c.in && c.isChoice(i) && c.canMove(x, i):
		c.f.Unlink(i)
		c.putChoice(i, x)
		return
	case x != c.in:
		c.in, c.as = x, c.restore(x, i)
	}
	if c.as == x {
		c.read[x.Index()] = true
		return
	}
	uses := c.f.Uses(i)
	for n := range uses {
		if uses[n].Reg() == x {
			uses[n].SetReg(c.as)
		}
	}
}

// conditionOf returns the virtual register of the condition code that an
// instruction reads.
func (c *conditionFix) conditionOf(i mir.Instr) mir.Reg {
	if c.f.Op(i).IsPhi() {
		return mir.NoReg
	}
	for _, o := range c.f.Uses(i) {
		if o.IsVirtual() && o.Flags&mir.Undef == 0 && c.f.File(o.Reg()) == mir.FileSCC {
			return o.Reg()
		}
	}
	return mir.NoReg
}

// isChoice reports whether an instruction selects one of two constants.
func (c *conditionFix) isChoice(i mir.Instr) bool {
	if op := c.f.Op(i); op != mir.SCselectB32 && op != mir.SCselectB64 {
		return false
	}
	uses := c.f.Uses(i)
	return uses[0].Kind == mir.KindImm && uses[1].Kind == mir.KindImm
}

// maxMoved is the maximum number of selections in a block that move to their
// conditions although the conditions could be recomputed, since their results
// use registers.
const maxMoved = 8

// canMove reports whether to move a selection to the definition of its
// condition instead of recomputing the condition.
func (c *conditionFix) canMove(x mir.Reg, i mir.Instr) bool {
	d := c.f.DefOf(x)
	if !c.repeatable(d, i) {
		return true
	}
	c.moved++
	return c.f.Parent(d) == c.f.Parent(i) && c.moved <= maxMoved
}

// putChoice moves an instruction that reads a value to the value's definition.
func (c *conditionFix) putChoice(i mir.Instr, x mir.Reg) {
	f := c.f
	at := c.last[x.Index()]
	if at == 0 {
		at = f.DefOf(x)
	}
	f.InsertAfter(i, at)
	c.last[x.Index()], c.read[x.Index()] = i, true
}

// restore recomputes a value before an instruction that reads it.
func (c *conditionFix) restore(x mir.Reg, at mir.Instr) mir.Reg {
	f := c.f
	r := f.NewReg(mir.FileSCC, 1)
	d := f.DefOf(x)
	if !c.repeatable(d, at) {
		f.InsertBefore(f.NewInstr(mir.SCmpLgU32, 1, mir.R(r), mir.R(c.save(x)), mir.Imm(0)), at)
		return r
	}
	var operands [3]mir.Operand
	list := append(append(operands[:0], mir.R(r)), f.Uses(d)...)
	i := f.NewInstr(f.Op(d), 1, list...)
	f.SetLoc(i, f.Loc(d))
	f.InsertBefore(i, at)
	c.repeated = append(c.repeated, x)
	return r
}

// repeatable reports whether to recompute a value by repeating its definition:
// a comparison in the same block, or a comparison of a single register.
func (c *conditionFix) repeatable(d, at mir.Instr) bool {
	f := c.f
	if x := f.Info(d); x.Form != isa.SOPC && x.Form != isa.SOPK || x.Defs != 1 || f.File(f.Def(d, 0)) != mir.FileSCC {
		return false
	}
	regs := 0
	for _, o := range f.Uses(d) {
		switch {
		case o.IsVirtual() && f.File(o.Reg()) == mir.FileS:
			regs++
		case o.Kind == mir.KindReg:
			return false
		}
	}
	return regs <= 1 || f.Parent(d) == f.Parent(at)
}

// save returns the register in which a value is saved.
func (c *conditionFix) save(x mir.Reg) mir.Reg {
	f := c.f
	if r := c.saved[x.Index()]; r != mir.NoReg {
		return r
	}
	r := f.NewReg(mir.FileS, 1)
	c.putChoice(f.NewInstr(mir.SCselectB32, 1, mir.R(r), mir.Imm(1), mir.Imm(0), mir.R(x)), x)
	c.saved[x.Index()] = r
	return r
}
