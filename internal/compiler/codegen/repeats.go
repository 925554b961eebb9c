package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// repeats eliminates instructions that compute the same value as a dominating
// instruction, by redirecting their users. A value computed in a loop is not
// read outside it, because lanes leave loops at different times. Constants are
// recomputed in other blocks, which costs no more than keeping them.
type repeats struct {
	f     *mir.Func
	graph analysis.Graph
	dom   analysis.DomTree
	loops analysis.Loops
	heads []mir.Instr // by hash: the last instruction with it
	next  []mir.Instr // by instruction: the previous one in the same chain of heads
	same  []mir.Reg   // by virtual register: an earlier one with the same value
	read  []uint8     // by virtual register: uses of a condition, at most 2
	found bool
	pure  bool // no instruction changes the mode or EXEC
}

func (r *repeats) mergeRepeats(f *mir.Func) {
	r.f = f
	r.same, r.read = zeroed(r.same, f.NumVirtual()), zeroed(r.read, f.NumVirtual())
	r.found = false
	if r.pure = r.prepare(); !r.pure {
		return
	}
	r.graph.Reset(f.NumBlocks()-1, uint32(f.Layout[0]), func(n uint32, to []uint32) []uint32 {
		for _, s := range f.Succs(mir.Block(n)) {
			to = append(to, uint32(s))
		}
		return to
	})
	r.dom.Reset(&r.graph)
	r.loops.Reset(&r.dom)
	size := 64
	for size < f.NumInstrs() {
		size *= 2
	}
	r.heads, r.next = zeroed(r.heads, size), zeroed(r.next, f.NumInstrs())
	for _, b := range r.dom.PreOrder() {
		for i := f.First(mir.Block(b)); i != 0; i = f.Next(i) {
			f.Guard.Check()
			if !f.Op(i).IsPhi() {
				r.rename(i)
				r.instr(i)
			}
		}
	}
	if r.found {
		r.renameAll()
	}
}

// prepare finds the conditions that are used. It reports whether the results of
// instructions depend only on their sources: a function may change the
// floating-point mode or EXEC.
func (r *repeats) prepare() bool {
	f := r.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if x := f.Info(i); x.Traits.Any(isa.TraitDefMode) || x.Flags&mir.WritesExec != 0 || f.Op(i) == mir.Asm {
				return false
			}
			for _, o := range f.Defs(i) {
				if o.Reg() == mir.Exec {
					return false
				}
			}
			for _, o := range f.Uses(i) {
				if o.IsVirtual() && f.File(o.Reg()) == mir.FileSCC {
					n := &r.read[o.Reg().Index()]
					*n = min(*n+1, 2)
				}
			}
		}
	}
	return true
}

func (r *repeats) rename(i mir.Instr) {
	uses := r.f.Uses(i)
	for n := range uses {
		o := &uses[n]
		if !o.IsVirtual() {
			continue
		}
		if to := r.same[o.Reg().Index()]; to != mir.NoReg {
			sub, dwords := o.Sub, o.N
			o.SetReg(to)
			o.Sub, o.N = sub, dwords
		}
	}
}

// renameAll renames phi sources that were visited before their replacement was
// known.
func (r *repeats) renameAll() {
	f := r.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
			r.rename(i)
		}
	}
}

// maxOutOfReach is the maximum number of equal instructions without readable
// results that the search examines.
const maxOutOfReach = 64

// instr searches for an equal instruction.
func (r *repeats) instr(i mir.Instr) {
	if !r.isPure(i) && r.carry(i) == 0 {
		return
	}
	head := &r.heads[r.hash(i)&uint32(len(r.heads)-1)]
	for k, far := *head, 0; k != 0 && far < maxOutOfReach; k = r.next[k] {
		switch {
		case !r.equalWhole(k, i):
		case !r.reaches(k, i):
			far++
		default:
			r.replace(i, k)
			r.found = true
			return
		}
	}
	r.next[i], *head = *head, i
}

// replace redirects the users of an instruction, or of a sum of two dwords, to
// an earlier one.
func (r *repeats) replace(i, by mir.Instr) {
	f := r.f
	if high := r.carry(i); high != 0 {
		r.rename(high)
		r.same[f.Def(high, 0).Index()] = f.Def(r.carry(by), 0)
	}
	for n, o := range f.Defs(i) {
		if f.File(o.Reg()) != mir.FileSCC {
			r.same[o.Reg().Index()] = f.Def(by, n)
		}
	}
}

// carry returns the instruction that computes the high dword of a sum or
// difference whose low dword i computes, or 0. It follows i and is the only
// reader of the condition.
func (r *repeats) carry(i mir.Instr) mir.Instr {
	f := r.f
	high := f.Next(i)
	if high == 0 || len(f.Defs(i)) != 2 || len(f.Defs(high)) != 2 || f.Info(i).Unit != mir.UnitSALU || f.Info(high).Unit != mir.UnitSALU {
		return 0
	}
	c, last := f.Def(i, 1), f.Def(high, 1)
	if !c.IsVirtual() || f.File(c) != mir.FileSCC || r.read[c.Index()] != 1 || !last.IsVirtual() || f.File(last) != mir.FileSCC || r.read[last.Index()] != 0 ||
		!r.computes(i, mir.NoReg) || !r.computes(high, c) {
		return 0
	}
	for _, o := range f.Uses(high) {
		if o.IsVirtual() && o.Reg() == c {
			return high
		}
	}
	return 0
}

// equalWhole reports whether two instructions, or sums of two dwords, compute
// the same.
func (r *repeats) equalWhole(x, y mir.Instr) bool {
	if !r.equal(x, y) {
		return false
	}
	high := r.carry(y)
	if high == 0 {
		return r.carry(x) == 0
	}
	first := r.carry(x)
	if first == 0 {
		return false
	}
	r.rename(high)
	return r.equal(first, high)
}

// isPure reports whether an instruction's results depend only on its sources
// and are not conditions.
func (r *repeats) isPure(i mir.Instr) bool {
	f := r.f
	defs := f.Defs(i)
	for _, o := range defs {
		if o.IsVirtual() && f.File(o.Reg()) == mir.FileSCC && (len(defs) == 1 || r.read[o.Reg().Index()] != 0) {
			return false
		}
	}
	return r.computes(i, mir.NoReg)
}

// computes reports whether an instruction's results depend only on its sources.
// It reads no condition but c.
func (r *repeats) computes(i mir.Instr, c mir.Reg) bool {
	f := r.f
	x := f.Info(i)
	defs := f.Defs(i)
	switch op := f.Op(i); {
	case len(defs) == 0 || f.Ext(i) != 0 || f.Flags(i) != 0 || x.Flags&(mir.Effects|mir.MayStore|mir.WritesExec|mir.Terminator) != 0:
		return false
	case op == mir.Vector:
	case x.Unit == mir.UnitSMEM:
		if m := f.Mem(i); m == nil || m.Flags&(mir.MemInvariant|mir.MemVolatile) != mir.MemInvariant {
			return false
		}
	case x.Unit == mir.UnitVALU:
		if s := &x.Slots[0]; s.Files&isa.FileV == 0 && s.Class&isa.Mask == 0 { // reads an active lane
			return false
		}
	case x.Unit != mir.UnitSALU || x.Flags&mir.MayLoad != 0:
		return false
	}
	for _, o := range defs {
		if !o.IsVirtual() {
			return false
		}
	}
	for _, o := range f.Uses(i) {
		if o.Kind == mir.KindReg && (!o.IsVirtual() || o.Flags&mir.Undef != 0 || f.File(o.Reg()) == mir.FileSCC && o.Reg() != c) {
			return false
		}
	}
	return true
}

func (r *repeats) hash(i mir.Instr) uint32 {
	f := r.f
	h := uint32(f.Op(i))*0x9e3779b1 ^ uint32(f.Mods(i))
	for _, o := range f.Uses(i) {
		h = (h ^ uint32(o.Kind) ^ uint32(o.Reg())<<8 ^ uint32(o.Sub)<<4 ^ uint32(o.Imm) ^ uint32(o.Imm>>32)) * 0x01000193
		h ^= h >> 15
	}
	return h
}

func (r *repeats) equal(x, y mir.Instr) bool {
	f := r.f
	a, b := f.Uses(x), f.Uses(y)
	if f.Op(x) != f.Op(y) || f.Mods(x) != f.Mods(y) || len(a) != len(b) || len(f.Defs(x)) != len(f.Defs(y)) {
		return false
	}
	for n := range a {
		o, p := a[n], b[n]
		if o.IsVirtual() && p.IsVirtual() && f.File(o.Reg()) == mir.FileSCC && f.File(p.Reg()) == mir.FileSCC {
			continue // the carries of equal low dwords
		}
		if o.Flags, p.Flags = 0, 0; o != p {
			return false
		}
	}
	for n, o := range f.Defs(x) {
		p := f.Defs(y)[n]
		if f.File(o.Reg()) != f.File(p.Reg()) || f.Dwords(o.Reg()) != f.Dwords(p.Reg()) || f.IsMask(o.Reg()) != f.IsMask(p.Reg()) {
			return false
		}
	}
	return true
}

// reaches reports whether the results of an instruction can be read at another
// one.
func (r *repeats) reaches(x, y mir.Instr) bool {
	f := r.f
	from, to := f.Parent(x), f.Parent(y)
	if from == to {
		return true
	}
	switch f.Op(x) {
	case mir.SMovB32, mir.SMovB64, mir.VMovB32, mir.Vector:
		return false
	}
	loop := r.loops.Of(uint32(from))
	return r.dom.Dominates(uint32(from), uint32(to)) && (loop == 0 || r.loops.Contains(loop, uint32(to)))
}
