package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// partSplitting ends the live ranges of vector register tuples once only single
// dwords of them are read. A copy moves those dwords to separate registers,
// which register allocation puts in the same places. Each place is then free
// after the last use of its dword. Otherwise every dword would be live as long
// as any other dword of its tuple.
//
// Blocks are walked backwards from their ends. A walk ends where EXEC changes,
// because a copy after that point would miss some lanes. Values live in other
// blocks are unchanged.
type partSplitting struct {
	f      *mir.Func
	tuples []tupleParts // by virtual register
	uses   []partUse
	open   []int // tuples of the current block with reads of single dwords
	stamp  int32
}

// tupleParts describes the uses of a tuple, from the end of a block on.
type tupleParts struct {
	stamp  int32     // number of the walk; entries with another number are stale
	last   int32     // its single-dword uses (rejoin: all uses), linked in partSplitting.uses, counted from 1
	dwords uint64    // dwords that are read
	users  int32     // number of instructions that read them, -1 if the tuple must remain whole before them
	first  mir.Instr // first of these instructions in the block
}

// partUse is a source that reads one dword of a tuple.
type partUse struct {
	i    mir.Instr
	n    int // source number
	next int32
}

// splitTuples splits the tuples of a function. live holds the registers live at
// the ends of its blocks.
func (p *partSplitting) splitTuples(f *mir.Func, live *liveness) {
	p.f = f
	p.tuples, p.stamp = zeroed(p.tuples, f.NumVirtual()), 0
	for _, b := range f.Layout {
		p.rejoin(b, live.blockSet(live.out, b))
		p.block(b, live.blockSet(live.out, b))
	}
}

func (p *partSplitting) block(b mir.Block, out []uint64) {
	f := p.f
	p.stamp++
	p.uses, p.open = p.uses[:0], p.open[:0]
	for i := p.end(b); i != 0 && !f.Op(i).IsPhi() && p.keepsExec(i); {
		prev := f.Prev(i)
		for _, o := range f.Defs(i) {
			if o.IsVirtual() {
				p.finish(o.Reg(), i, f.Info(i).Flags&mir.MayLoad == 0)
			}
		}
		p.instr(i, out)
		i = prev
	}
	for _, v := range p.open {
		p.finish(mir.Virtual(v), 0, false)
	}
}

// instr records the sources of an instruction.
func (p *partSplitting) instr(i mir.Instr, out []uint64) {
	f := p.f
	for n, o := range f.Uses(i) {
		if o.IsVirtual() && o.Flags&mir.Undef == 0 && f.File(o.Reg()) == mir.FileV && f.Dwords(o.Reg()) > 1 && !p.isPart(i, n, &o) {
			p.finish(o.Reg(), i, true)
		}
	}
	for n, o := range f.Uses(i) {
		if !o.IsVirtual() || o.Flags&mir.Undef != 0 || f.File(o.Reg()) != mir.FileV || f.Dwords(o.Reg()) == 1 || hasBit(out, o.Reg().Index()) || !p.isPart(i, n, &o) {
			continue
		}
		v := o.Reg().Index()
		t := &p.tuples[v]
		if t.stamp != p.stamp {
			*t = tupleParts{stamp: p.stamp}
			p.open = append(p.open, v)
		}
		if t.users < 0 { // a later instruction needs the whole tuple
			continue
		}
		if t.first != i {
			t.first = i
			t.users++
		}
		t.dwords |= 1 << o.Sub
		p.uses = append(p.uses, partUse{i, n, t.last})
		t.last = int32(len(p.uses))
	}
}

// isPart reports whether a source reads a single dword of a tuple that may be
// in any register.
func (p *partSplitting) isPart(i mir.Instr, n int, o *mir.Operand) bool {
	f := p.f
	if f.OperandDwords(o) != 1 {
		return false
	}
	s := f.SlotOf(i, len(f.Defs(i))+n)
	return s == nil || !s.Tied && s.Kind != mir.SlotFixed
}

// finish splits a tuple of which only single dwords are read after an
// instruction i. i is the last one that reads more of it, or its definition; 0
// if the walk found none. The copy directly follows i if the tuple is available
// immediately. After a load, it would have to wait, so it precedes the first
// instruction that reads a dword.
func (p *partSplitting) finish(r mir.Reg, i mir.Instr, there bool) {
	f := p.f
	t := &p.tuples[r.Index()]
	if t.stamp != p.stamp {
		*t = tupleParts{stamp: p.stamp, users: -1}
		return
	}
	if t.users < 0 {
		return
	}
	users := t.users
	t.users = -1
	before := t.first
	if there {
		before = f.Next(i)
	}
	all := uint64(1)<<f.Dwords(r) - 1
	if users == 1 && (t.dwords == all || before == t.first) {
		return
	}
	if d := f.DefOf(r); t.dwords != all && f.Op(d).IsPhi() && f.Parent(d) == f.Parent(before) {
		return // a whole phi keeps its place for the value of the next iteration
	}
	var parts [64]mir.Reg
	var defs, uses []mir.Operand
	for k := range f.Dwords(r) {
		if t.dwords>>k&1 != 0 {
			parts[k] = f.NewReg(mir.FileV, 1)
			defs, uses = append(defs, mir.R(parts[k])), append(uses, mir.Part(r, k, 1))
		}
	}
	for u := t.last; u != 0; u = p.uses[u-1].next {
		o := f.Use(p.uses[u-1].i, p.uses[u-1].n)
		*o = mir.R(parts[o.Sub])
	}
	f.InsertBefore(f.NewInstr(mir.Copy, len(defs), append(defs, uses...)...), before)
}

// rejoin redirects reads of a tuple's part to the tuple itself, after the tuple
// is built. The part is then not live in addition to the tuple, and can be
// computed in its place.
func (p *partSplitting) rejoin(b mir.Block, out []uint64) {
	f := p.f
	p.stamp++
	p.uses = p.uses[:0]
	for i := p.end(b); i != 0 && !f.Op(i).IsPhi() && p.keepsExec(i); i = f.Prev(i) {
		at := 0
		for _, o := range f.Uses(i) {
			n := 1
			if o.Kind == mir.KindReg {
				n = f.OperandDwords(&o)
			}
			if f.Op(i) == mir.Vector && p.canRejoin(f.Def(i, 0), &o, at, out) {
				p.readFrom(f.Def(i, 0), o.Reg(), at)
			}
			at += n
		}
		for n, o := range f.Uses(i) {
			if !o.IsVirtual() || f.File(o.Reg()) != mir.FileV {
				continue
			}
			t := &p.tuples[o.Reg().Index()]
			if t.stamp != p.stamp {
				*t = tupleParts{stamp: p.stamp}
			}
			if s := f.SlotOf(i, len(f.Defs(i))+n); s != nil && (s.Tied || s.Kind == mir.SlotFixed) || o.Flags&mir.Undef != 0 {
				t.users = -1
			}
			p.uses = append(p.uses, partUse{i, n, t.last})
			t.last = int32(len(p.uses))
		}
	}
}

// end returns the last instruction of a block's logical code.
func (p *partSplitting) end(b mir.Block) mir.Instr {
	f := p.f
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		if f.Op(i) == mir.LogicalEnd {
			return i
		}
	}
	return f.Last(b)
}

// keepsExec reports whether the active lanes are the same before and after an
// instruction, or it ends the block.
func (p *partSplitting) keepsExec(i mir.Instr) bool {
	x := p.f.Info(i).Flags
	return x&mir.Terminator != 0 || x&mir.WritesExec == 0 && !slices.ContainsFunc(p.f.Defs(i), func(o mir.Operand) bool { return o.Reg() == mir.Exec || o.Reg() == mir.Exec+1 })
}

// canRejoin reports whether the uses of o after an instruction that makes it a
// part of a tuple, at a dword, can read the tuple. Reading more than one dword
// keeps the whole tuple live, which must not be much larger in this case.
func (p *partSplitting) canRejoin(tuple mir.Reg, o *mir.Operand, at int, out []uint64) bool {
	f := p.f
	if !o.IsVirtual() || o.Flags&mir.Undef != 0 || o.N != 0 || f.File(o.Reg()) != mir.FileV || f.File(tuple) != mir.FileV || hasBit(out, o.Reg().Index()) {
		return false
	}
	t := &p.tuples[o.Reg().Index()]
	n := f.Dwords(o.Reg())
	return t.stamp == p.stamp && t.last != 0 && t.users >= 0 && (n == 1 || at%2 == 0 && f.Dwords(tuple) <= 2*n)
}

// readFrom redirects all recorded uses of a register to a tuple.
func (p *partSplitting) readFrom(tuple, r mir.Reg, at int) {
	f := p.f
	t := &p.tuples[r.Index()]
	for u := t.last; u != 0; u = p.uses[u-1].next {
		o := f.Use(p.uses[u-1].i, p.uses[u-1].n)
		*o = mir.Part(tuple, at+int(o.Sub), f.OperandDwords(o))
	}
	t.last = 0
}
