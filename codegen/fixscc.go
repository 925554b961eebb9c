package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// conditionFix sees to it that of all values of the scalar condition code that selection made, one is alive at a time, and none at the ends of
// blocks. A value that is asked for when another one has taken its place is made again: by its comparison, when that
// needs nothing that would have to be kept for it, or of a scalar register in which it was saved.
// Where it only chooses between two constants, the choice moves to where the value is made.
type conditionFix struct {
	f        *mir.Func
	in       mir.Reg     // the value that the condition code has, NoReg for one that nobody asks for
	as       mir.Reg     // the register that stands for it since it was made again
	saved    []mir.Reg   // by virtual register: where it was saved, NoReg when it was not
	last     []mir.Instr // by virtual register: behind which choices were put
	read     []bool      // by virtual register: whether it is read where it was made
	repeated []mir.Reg
	moved    int // choices of the block at hand
}

func (c *conditionFix) run(f *mir.Func) {
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

// use sees to it that an instruction finds the value that it reads.
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

// conditionOf gives the virtual register of the condition code that an instruction reads.
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

// isChoice reports whether an instruction chooses one of two constants.
func (c *conditionFix) isChoice(i mir.Instr) bool {
	if op := c.f.Op(i); op != mir.SCselectB32 && op != mir.SCselectB64 {
		return false
	}
	uses := c.f.Uses(i)
	return uses[0].Kind == mir.KindImm && uses[1].Kind == mir.KindImm
}

// maxMoved is how many choices of a block move to where their conditions are made, when the conditions could be made again: their results
// take registers.
const maxMoved = 8

// canMove reports whether to put a choice where the condition is made rather than to make the condition again.
func (c *conditionFix) canMove(x mir.Reg, i mir.Instr) bool {
	d := c.f.DefOf(x)
	if !c.repeatable(d, i) {
		return true
	}
	c.moved++
	return c.f.Parent(d) == c.f.Parent(i) && c.moved <= maxMoved
}

// putChoice puts an instruction that reads a value where the value is made.
func (c *conditionFix) putChoice(i mir.Instr, x mir.Reg) {
	f := c.f
	at := c.last[x.Index()]
	if at == 0 {
		at = f.DefOf(x)
	}
	f.InsertAfter(i, at)
	c.last[x.Index()], c.read[x.Index()] = i, true
}

// restore makes a value again before an instruction that reads it.
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

// repeatable reports whether to make a value again by the instruction that made it: a comparison in the
// same block, or one of a single register.
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

// save gives the register in which a value is saved.
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
