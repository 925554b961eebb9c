package codegen

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// regChecker replays the result of register allocation. It tracks the contents
// of each physical register along all edges, and checks that every source holds
// the virtual register that it read before. It shares nothing with the
// allocator except the virtual registers recorded in Imm and Sub of operands.
type regChecker struct {
	f      *mir.Func
	copies map[mir.Instr]bool // the allocator's copies, which preserve names
	state  []held32           // by physical register
	in     [numGroups][][]held32
	errs   []error

	clobbers func(call mir.Instr) RegSet
}

// held32 is the contents of a register's dword: a dword of a virtual register,
// an unknown value, or nothing before the first visit.
type held32 struct {
	v   int32
	sub uint8
}

const (
	holdsAnything int32 = 0
	holdsUnseen   int32 = -1
)

// checkRegs checks a function after register allocation.
func checkRegs(a *allocator) []error {
	f := a.f
	c := &regChecker{f: f, copies: map[mir.Instr]bool{}, state: make([]held32, mir.NumPhys), clobbers: a.clobbers}
	for _, i := range a.copies {
		c.copies[i] = true
	}
	for g := range numGroups {
		c.in[g] = make([][]held32, f.NumBlocks())
		for _, b := range f.Layout {
			c.in[g][b] = make([]held32, mir.NumPhys)
			for r := range c.in[g][b] {
				c.in[g][b][r].v = holdsUnseen
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Layout {
			c.errs = c.errs[:0]
			if c.block(b) {
				changed = true
			}
		}
	}
	c.errs = c.errs[:0]
	for _, b := range f.Layout {
		c.block(b)
	}
	return c.errs
}

func groupOfReg(r int) group {
	if r >= int(mir.VGPR0) {
		return groupVector
	}
	return groupScalar
}

// block replays a block, and reports whether the state passed to its successors
// changed.
func (c *regChecker) block(b mir.Block) (changed bool) {
	f := c.f
	for r := range c.state {
		c.state[r] = c.in[groupOfReg(r)][b][r]
		if b == f.Layout[0] {
			c.state[r] = held32{}
		}
	}
	for i := f.First(b); i != 0; i = f.Next(i) {
		if !f.Op(i).IsPhi() {
			c.instr(i, b)
		}
	}
	for g, succs := range [numGroups][]mir.Block{f.Succs(b), f.LinearSuccs(b)} {
		for _, s := range succs {
			if c.merge(b, s, group(g)) {
				changed = true
			}
		}
	}
	return changed
}

func (c *regChecker) instr(i mir.Instr, b mir.Block) {
	f := c.f
	defs, uses := f.Defs(i), f.Uses(i)
	for n := range uses {
		c.use(&uses[n], i, b)
	}
	if c.copies[i] {
		c.copy(defs, uses)
		return
	}
	if f.Op(i) == mir.Call {
		c.call(i)
	}
	for n := range defs {
		o := &defs[n]
		for k := range max(int(o.N), 1) {
			c.state[int(o.Reg())+k] = held32{int32(o.Imm), uint8(k)}
		}
	}
}

// call forgets the contents of registers that a call clobbers.
func (c *regChecker) call(i mir.Instr) {
	set := c.clobbers(i)
	for r := range c.state {
		if set.Has(mir.Reg(r)) {
			c.state[r] = held32{}
		}
	}
}

// use checks that a source holds its virtual register.
func (c *regChecker) use(o *mir.Operand, i mir.Instr, b mir.Block) {
	if o.Kind != mir.KindReg || o.Imm == 0 || o.Flags&mir.Undef != 0 {
		return
	}
	for k := range max(int(o.N), 1) {
		got := c.state[int(o.Reg())+k]
		if want := (held32{int32(o.Imm), o.Sub + uint8(k)}); got != want && got.v != holdsUnseen {
			c.errs = append(c.errs, fmt.Errorf("@%s, bb%d, %q: a source is %%%d[%d], but the register holds %%%d[%d]",
				c.f.Name, b, c.f.AppendInstr(nil, i), want.v, want.sub, got.v, got.sub))
			return
		}
	}
}

// copy executes a parallel copy.
func (c *regChecker) copy(defs, uses []mir.Operand) {
	var values []held32
	for n := range uses {
		for k := range max(int(defs[n].N), 1) {
			x := held32{}
			if uses[n].Kind == mir.KindReg {
				x = c.state[int(uses[n].Reg())+k]
			} else if k == 0 {
				x = held32{v: constantName(&uses[n])}
			}
			values = append(values, x)
		}
	}
	at := 0
	for n := range defs {
		for k := range max(int(defs[n].N), 1) {
			c.state[int(defs[n].Reg())+k] = values[at]
			at++
		}
	}
}

// constantName returns a number for a constant that no virtual register has.
func constantName(o *mir.Operand) int32 { return -2 - int32(uint32(o.Imm)&0x3fffffff) }

// merge merges the register contents at the end of a block with a successor's.
func (c *regChecker) merge(p, s mir.Block, g group) (changed bool) {
	in := c.in[g][s]
	phi := c.phiResults(p, s, g)
	for r := range in {
		if groupOfReg(r) != g {
			continue
		}
		x := c.state[r]
		if y, ok := phi[r]; ok {
			x = y
		}
		switch old := in[r]; {
		case x.v == holdsUnseen, old == x, old.v == holdsAnything:
		case old.v == holdsUnseen:
			in[r], changed = x, true
		default:
			in[r], changed = held32{}, true
		}
	}
	return changed
}

// phiResults returns the contents of the places of a block's phis for an edge:
// the phi's virtual register if the place holds its source.
func (c *regChecker) phiResults(p, s mir.Block, g group) map[int]held32 {
	f := c.f
	out := map[int]held32{}
	for i := f.First(s); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		def := f.Defs(i)[0]
		if groupOfReg(int(def.Reg())) != g {
			continue
		}
		uses := f.Uses(i)
		for n := 0; n < len(uses); n += 2 {
			if uses[n+1].Block() == p {
				c.phiSource(&def, &uses[n], i, s, out)
			}
		}
	}
	return out
}

func (c *regChecker) phiSource(def, src *mir.Operand, i mir.Instr, s mir.Block, out map[int]held32) {
	for k := range max(int(def.N), 1) {
		r := int(def.Reg()) + k
		got := c.state[r]
		want := held32{v: constantName(src)}
		if src.IsVirtual() {
			want = held32{int32(src.Reg().Index()), src.Sub + uint8(k)}
		}
		if got != want && got.v != holdsUnseen && src.Flags&mir.Undef == 0 && (src.IsVirtual() || k == 0) {
			c.errs = append(c.errs, fmt.Errorf("@%s, bb%d, %q: the place of the phi holds %%%d[%d], want %%%d[%d]",
				c.f.Name, s, c.f.AppendInstr(nil, i), got.v, got.sub, want.v, want.sub))
		}
		out[r] = held32{int32(def.Imm), uint8(k)}
	}
}
