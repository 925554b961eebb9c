package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Removal of scalar instructions with unused results, after register
// allocation, based on liveness along the linear edges. Most of them are masks
// saved to be restored where the program ends.

// scalarSet is a set of scalar registers by number.
type scalarSet [4]uint64

func (s *scalarSet) has(r mir.Reg) bool     { return s[r>>6]>>(r&63)&1 != 0 }
func (s *scalarSet) addRegister(r mir.Reg)  { s[r>>6] |= 1 << (r & 63) }
func (s *scalarSet) dropRegister(r mir.Reg) { s[r>>6] &^= 1 << (r & 63) }

var allScalars = scalarSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// alwaysLive reports whether instructions read a register implicitly, or may do
// so: FLAT_SCRATCH and other registers after the SGPRs, except VCC, EXEC and
// M0.
func alwaysLive(r mir.Reg) bool {
	return r >= mir.SGPR(102) && r != mir.VCC && r != mir.VCC+1 && r != mir.SCC
}

// deadScalars removes them in functions.
type deadScalars struct {
	f    *mir.Func
	in   []scalarSet // by block: live at its start
	done []bool      // by block: nothing has changed in its successors
	live scalarSet
}

// anyReaders lists the instructions that may read any scalar register.
var anyReaders = []mir.Op{mir.Call, mir.Asm, mir.Return, mir.Exit, mir.SSwappcB64, mir.SSetpcB64, mir.STrap}

func (p *deadScalars) removeDeadScalars(f *mir.Func) {
	p.f = f
	p.in = zeroed(p.in, f.NumBlocks())
	p.done = zeroed(p.done, f.NumBlocks())
	for changed := true; changed; {
		changed = false
		for n := len(f.Layout) - 1; n >= 0; n-- {
			b := f.Layout[n]
			if p.done[b] {
				continue
			}
			p.done[b] = true
			if p.block(b, false); p.in[b] == p.live {
				continue
			}
			p.in[b], changed = p.live, true
			for _, q := range f.LinearPreds(b) {
				p.done[q] = false
			}
		}
	}
	for _, b := range f.Layout {
		p.block(b, true)
	}
}

// block walks backwards through a block.
func (p *deadScalars) block(b mir.Block, remove bool) {
	f := p.f
	p.startAtEnd(b)
	for i := f.Last(b); i != 0; {
		prev := f.Prev(i)
		if p.dead(i) {
			if remove {
				f.Erase(i)
			}
		} else {
			p.instr(i)
		}
		i = prev
	}
}

// startAtEnd sets the live registers to those at the end of a block.
func (p *deadScalars) startAtEnd(b mir.Block) {
	p.live = scalarSet{}
	for _, s := range p.f.LinearSuccs(b) {
		for w := range p.live {
			p.live[w] |= p.in[s][w]
		}
	}
}

// dead reports whether an instruction only computes unused scalar values.
func (p *deadScalars) dead(i mir.Instr) bool {
	f := p.f
	if !computes(f, i) {
		return false
	}
	for _, o := range f.Defs(i) {
		r := o.Reg()
		for k := range mir.Reg(max(int(o.N), 1)) {
			if r >= mir.VGPR0 || alwaysLive(r+k) || p.live.has(r+k) {
				return false
			}
		}
	}
	return f.Info(i).Flags&mir.WritesExec == 0
}

// instr marks the registers that an instruction reads as live.
func (p *deadScalars) instr(i mir.Instr) {
	f := p.f
	if slices.Contains(anyReaders, f.Op(i)) {
		p.live = allScalars
		return
	}
	for _, o := range f.Defs(i) {
		if r := o.Reg(); r < mir.VGPR0 {
			for k := range mir.Reg(max(int(o.N), 1)) {
				p.live.dropRegister(r + k)
			}
		}
	}
	for _, o := range f.Uses(i) {
		if r := o.Reg(); r != mir.NoReg && r < mir.VGPR0 {
			for k := range mir.Reg(max(int(o.N), 1)) {
				p.live.addRegister(r + k)
			}
		}
	}
}

// saveWindow is the maximum distance between a copy of EXEC and the instruction
// that reduces EXEC.
const saveWindow = 4

// fuseSaveExec merges a copy of EXEC and the instruction that removes lanes
// from it.
func fuseSaveExec(f *mir.Func) {
	move, and, save := mir.SMovB64, mir.SAndB64, mir.SAndSaveexecB64
	if f.M.Wave == 32 {
		move, and, save = mir.SMovB32, mir.SAndB32, mir.SAndSaveexecB32
	}
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; {
			next := f.Next(i)
			if f.Op(i) == move && f.Use(i, 0).Reg() == mir.Exec && f.Def(i, 0) < mir.SGPR(102) {
				fuseSave(f, i, and, save)
			}
			i = next
		}
	}
}

func fuseSave(f *mir.Func, i mir.Instr, and, save mir.Op) {
	d := f.Defs(i)[0]
	k := f.Next(i)
	for n := 0; k != 0 && n < saveWindow && !touches(f, k, d) && f.Info(k).Flags&(mir.Terminator|mir.WritesExec) == 0 && !slices.Contains(anyReaders, f.Op(k)); n++ {
		if f.Op(k) == and && f.Def(k, 0) == mir.Exec {
			break
		}
		if len(f.Defs(k)) > 0 && f.Def(k, 0) == mir.Exec {
			return
		}
		k = f.Next(k)
	}
	if k == 0 || f.Op(k) != and || f.Def(k, 0) != mir.Exec || touches(f, k, d) {
		return
	}
	mask := *f.Use(k, 0)
	if mask.Reg() == mir.Exec {
		mask = *f.Use(k, 1)
	} else if f.Use(k, 1).Reg() != mir.Exec {
		return
	}
	scc := f.Defs(k)[1]
	f.SetOp(k, save)
	f.SetOperands(k, 2, d, scc, mask)
	f.Erase(i)
}

// touches reports whether an instruction names registers of an operand.
func touches(f *mir.Func, i mir.Instr, d mir.Operand) bool {
	for _, o := range f.Operands(i) {
		if r := o.Reg(); r != mir.NoReg && r < d.Reg()+mir.Reg(max(int(d.N), 1)) && d.Reg() < r+mir.Reg(max(int(o.N), 1)) {
			return true
		}
	}
	return false
}
