package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// copyLowering lowers the pseudo operations that remain after register
// allocation to moves: parallel copies, tuples, and operations without an
// instruction.
//
// A parallel copy consists of paths and cycles among registers. Moves start at
// the ends of the paths. The remaining cycles are broken by swaps. (See F.
// Rastello et al., "SSA-based Compiler Design", chapter on the destruction of
// SSA form.)
type copyLowering struct {
	f     *mir.Func
	at    mir.Instr // insertion point
	todo  []dwordMove
	reads [mir.NumPhys]uint16 // number of pending moves that read a register
	scc   bool                // the scalar condition code is live at this point
}

// dwordMove is one dword of a parallel copy.
type dwordMove struct {
	to, from mir.Reg // from is NoReg for a constant
	src      mir.Operand
}

// lowerCopies lowers the pseudo operations of a function in StageAllocated.
func (c *copyLowering) lowerCopies(f *mir.Func) {
	c.f = f
	for _, b := range f.Layout {
		live := false // the condition code is not live across blocks
		for i := f.Last(b); i != 0; {
			prev := f.Prev(i)
			c.scc = live
			c.instr(i)
			live = sccBefore(f, i, live)
			i = prev
		}
	}
}

// sccBefore reports whether the condition code is live before an instruction;
// live is its state after the instruction.
func sccBefore(f *mir.Func, i mir.Instr, live bool) bool {
	for _, o := range f.Defs(i) {
		if o.Reg() == mir.SCC {
			live = false
		}
	}
	for _, o := range f.Uses(i) {
		if o.Reg() == mir.SCC {
			live = true
		}
	}
	return live
}

func (c *copyLowering) instr(i mir.Instr) {
	f := c.f
	switch f.Op(i) {
	case mir.Copy:
		c.gather(f.Defs(i), f.Uses(i))
	case mir.Vector:
		c.gatherParts(f.Defs(i)[0], f.Uses(i))
	case mir.GlobalAddr:
		c.globalAddr(i)
	case mir.Undefined, mir.LogicalEnd:
		c.todo = c.todo[:0]
	default:
		return
	}
	c.at = i
	c.emitMoves()
	f.Erase(i)
}

// gather splits a parallel copy into dwords.
func (c *copyLowering) gather(defs, uses []mir.Operand) {
	c.todo = c.todo[:0]
	for n := range defs {
		for k := range max(int(defs[n].N), 1) {
			c.addMove(defs[n].Reg()+mir.Reg(k), uses[n], k)
		}
	}
}

// gatherParts splits the parts of a tuple into dwords.
func (c *copyLowering) gatherParts(def mir.Operand, parts []mir.Operand) {
	c.todo = c.todo[:0]
	to := def.Reg()
	for _, o := range parts {
		n := 1
		if o.Kind == mir.KindReg {
			n = max(int(o.N), 1)
		}
		for k := range n {
			c.addMove(to, o, k)
			to++
		}
	}
}

// addMove adds dword k of a source.
func (c *copyLowering) addMove(to mir.Reg, src mir.Operand, k int) {
	m := dwordMove{to: to, src: src}
	if src.Kind == mir.KindReg {
		if src.Flags&mir.Undef != 0 {
			return
		}
		m.from = src.Reg() + mir.Reg(k)
		m.src = mir.Phys(m.from, 1)
	} else if src.Kind == mir.KindImm {
		m.src.Imm = int64(int32(src.Imm >> (32 * k)))
	}
	if m.from != to {
		c.todo = append(c.todo, m)
	}
}

// emitMoves emits the moves.
func (c *copyLowering) emitMoves() {
	for _, m := range c.todo {
		c.reads[m.from]++
	}
	for progress := true; progress; {
		progress = false
		for n := 0; n < len(c.todo); n++ {
			if m := c.todo[n]; c.reads[m.to] == 0 {
				if k := c.partner(n); k >= 0 {
					c.movePair(n, k)
					n = max(n-2, -1)
					progress = true
					continue
				}
				c.move(m)
				c.reads[m.from]--
				c.todo[n] = c.todo[len(c.todo)-1]
				c.todo = c.todo[:len(c.todo)-1]
				n--
				progress = true
			}
		}
	}
	for len(c.todo) > 0 {
		c.cycle()
	}
	c.reads[mir.NoReg] = 0
}

// partner returns the move of the other half of an aligned scalar register pair
// that can be combined with move n, or -1.
func (c *copyLowering) partner(n int) int {
	m := c.todo[n]
	if c.f.File(m.to) != mir.FileS || m.from != mir.NoReg && c.f.File(m.from) != mir.FileS || m.from == mir.NoReg && m.src.Kind != mir.KindImm {
		return -1
	}
	to, from := otherHalf(m.to), m.from
	if from != mir.NoReg {
		if from = otherHalf(from); from > m.from != (to > m.to) {
			return -1
		}
	}
	for k, x := range c.todo {
		if x.to == to && x.from == from && c.reads[to] == 0 && (from != mir.NoReg || c.isWide(m, x)) {
			return k
		}
	}
	return -1
}

// otherHalf returns the other register of a scalar register pair.
func otherHalf(r mir.Reg) mir.Reg { return mir.SGPR0 + ((r - mir.SGPR0) ^ 1) }

// isWide reports whether two constants are the halves of a 64-bit constant that
// needs no literal.
func (c *copyLowering) isWide(m, x dwordMove) bool {
	if m.to > x.to {
		m, x = x, m
	}
	return x.src.Kind == mir.KindImm && m.src.Imm >= -16 && m.src.Imm <= 64 && x.src.Imm == m.src.Imm>>63
}

// movePair executes two moves of halves at once.
func (c *copyLowering) movePair(n, k int) {
	m, x := c.todo[n], c.todo[k]
	if m.to > x.to {
		m, x = x, m
	}
	src := m.src
	if m.from != mir.NoReg {
		src = mir.Phys(m.from, 2)
	}
	c.insertInstr(mir.SMovB64, 1, mir.Phys(m.to, 2), src)
	c.reads[m.from]--
	c.reads[x.from]--
	for _, at := range [...]int{max(n, k), min(n, k)} {
		c.todo[at] = c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
	}
}

// cycle resolves a cycle with swaps. After the swap of a move's registers, its
// target has the right value, and the source has the target's old value.
func (c *copyLowering) cycle() {
	last := len(c.todo) - 1
	m := c.todo[last]
	c.todo = c.todo[:last]
	c.reads[m.from]--
	c.swap(m.to, m.from)
	for n := 0; n < len(c.todo); n++ {
		x := &c.todo[n]
		if x.from != m.to {
			continue
		}
		c.reads[x.from]--
		if x.from = m.from; x.from == x.to {
			c.todo[n] = c.todo[len(c.todo)-1]
			c.todo = c.todo[:len(c.todo)-1]
			n--
			continue
		}
		c.reads[x.from]++
		x.src = mir.Phys(x.from, 1)
	}
}

func (c *copyLowering) insertInstr(op mir.Op, defs int, operands ...mir.Operand) {
	i := c.f.NewInstr(op, defs, operands...)
	c.f.InsertBefore(i, c.at)
}

// move copies one dword.
func (c *copyLowering) move(m dwordMove) {
	f := c.f
	to := mir.Phys(m.to, 1)
	file, from := f.File(m.to), f.File(m.from)
	switch {
	case file == mir.FileS && (from == mir.FileV || from == mir.FileA):
		c.insertInstr(mir.VReadfirstlaneB32, 1, to, m.src)
	case file == mir.FileS:
		c.insertInstr(mir.SMovB32, 1, to, m.src)
	case file == mir.FileSCC:
		c.insertInstr(mir.SCmpLgU32, 1, to, m.src, mir.Imm(0))
	case file == mir.FileA && from != mir.FileA:
		c.insertInstr(mir.VAccvgprWriteB32, 1, to, m.src)
	case file == mir.FileV && from == mir.FileA:
		c.insertInstr(mir.VAccvgprReadB32, 1, to, m.src)
	case file == mir.FileA:
		c.insertInstr(mir.VAccvgprMovB32, 1, to, m.src)
	default:
		c.insertInstr(mir.VMovB32, 1, to, m.src)
	}
}

// swap exchanges two registers of one file.
func (c *copyLowering) swap(x, y mir.Reg) {
	a, b := mir.Phys(x, 1), mir.Phys(y, 1)
	switch f := c.f; {
	case f.File(x) == mir.FileS && !c.scc:
		scc := mir.Phys(mir.SCC, 1)
		scc.Flags = mir.Dead
		c.insertInstr(mir.SXorB32, 2, a, scc, a, b)
		c.insertInstr(mir.SXorB32, 2, b, scc, a, b)
		c.insertInstr(mir.SXorB32, 2, a, scc, a, b)
	case f.File(x) == mir.FileS: // M0 holds no value for longer than the next instruction
		t := mir.Phys(mir.M0, 1)
		c.insertInstr(mir.SMovB32, 1, t, a)
		c.insertInstr(mir.SMovB32, 1, a, b)
		c.insertInstr(mir.SMovB32, 1, b, t)
	case f.M.Has(mir.VSwapB32):
		c.insertInstr(mir.VSwapB32, 2, a, b, b, a)
	default:
		c.insertInstr(mir.VXorB32, 1, a, a, b)
		c.insertInstr(mir.VXorB32, 1, b, a, b)
		c.insertInstr(mir.VXorB32, 1, a, a, b)
	}
}

// globalAddr adds the distance of a symbol to the result of the preceding
// s_getpc_b64. Literals and the instruction words before them are 4 bytes each.
// From gfx12 on, the high half of the program counter has 16 bits and is
// sign-extended. An unused high half is removed later, so that no instruction for
// it may precede the low half.
func (c *copyLowering) globalAddr(i mir.Instr) {
	f := c.f
	d, sym := f.Def(i, 0), *f.Use(i, 0)
	lo, hi, scc := mir.Phys(d, 1), mir.Phys(d+1, 1), mir.R(mir.SCC)
	put := func(op mir.Op, defs int, operands ...mir.Operand) {
		n := f.NewInstr(op, defs, operands...)
		f.SetLoc(n, f.Loc(i))
		f.SetFlags(n, mir.NoReorder)
		f.InsertBefore(n, i)
	}
	half := func(k mir.SymbolHalf, addend int64) mir.Operand {
		o := mir.SymbolAddr(sym.Symbol(), sym.Half()+k, sym.Imm+addend)
		return o
	}
	between := int64(0)
	put(mir.SGetpcB64, 1, mir.Phys(d, 2))
	put(mir.SAddCoU32, 2, lo, scc, lo, half(0, 4))
	if f.M.Set.Has(isa.PropPcUnsigned) {
		put(mir.SSextI32I16, 1, hi, hi)
		between = 4
	}
	put(mir.SAddCoCiU32, 2, hi, scc, hi, half(1, between+12), scc)
}
