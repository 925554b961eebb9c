package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// maskMerge emits the updates of a mask variable at the predecessors of its
// phi: the bits of the predecessor's own lanes are set to the source's, and the
// other bits are preserved. Known properties of both allow shorter forms.
type maskMerge struct {
	*repair
	b     mir.Block   // block of the phi
	at    mir.Instr   // insertion point
	clean []bool      // by predecessor: sets no bits of lanes that are inactive in it
	seen  []mir.Block // scratch
}

// merge emits the merging at all predecessors with forward edges.
func (m *maskMerge) merge(r *repair, b mir.Block) {
	m.repair, m.b = r, b
	m.clean = zeroed(m.clean, len(r.preds))
	inner := r.loops.Of(uint32(b))
	for n, p := range r.preds { // loops are queried before their phis are created
		if r.forward(p, b) && r.vals[n].Kind != mir.KindNone && r.loops.Of(uint32(p)) != inner {
			r.v.define(p, mir.R(r.v.newReg()))
		}
	}
	for n, p := range r.preds {
		if r.forward(p, b) && r.vals[n].Kind != mir.KindNone {
			m.pred(n, p)
		}
	}
}

// pred emits the merging at one predecessor.
func (m *maskMerge) pred(n int, p mir.Block) {
	in := m.resolved(m.vals[n])
	old := m.v.begin(p)
	inClean := in.IsImm(0) || m.isCompare(in, p)
	m.chooseInsertionPoint(in, p)
	var result mir.Operand
	if m.v.defined[p] == m.v.stamp {
		result = m.v.ends[p]
	}
	if old.Kind == mir.KindNone { // no lanes can wait
		m.clean[n] = inClean
		if result.Kind == mir.KindReg {
			m.emitMaskOp(mir.Copy, result, in)
			in = result
		}
		m.v.define(p, in)
		return
	}
	oldClean := m.oldClean(n, old)
	m.clean[n] = oldClean
	kept := old.IsImm(0) || oldClean && !m.ranBefore(n)
	m.v.define(p, m.combine(result, old, in, kept, inClean))
}

// oldClean reports whether, at the start of a predecessor, the variable only
// has bits of lanes that were in an earlier one.
func (m *maskMerge) oldClean(n int, old mir.Operand) bool {
	if old.IsImm(0) {
		return true
	}
	for k, c := range m.clean[:n] {
		if !c && m.vals[k].Kind != mir.KindNone {
			return false
		}
	}
	return !m.maybeUndefined(old, 0)
}

// maybeUndefined reports whether a value of the variable may be undefined on
// some path.
func (m *maskMerge) maybeUndefined(o mir.Operand, depth int) bool {
	if !o.IsVirtual() {
		return false
	}
	d := m.f.DefOf(o.Reg())
	if d == 0 || m.f.Op(d) != mir.LinearPhi {
		return d == 0
	}
	if depth == 4 {
		return true
	}
	for n, uses := 0, m.f.Uses(d); n < len(uses); n += 2 {
		if uses[n].Flags&mir.Undef != 0 || m.maybeUndefined(uses[n], depth+1) {
			return true
		}
	}
	return false
}

const maxMergeSearch = 32

// ranBefore reports whether lanes in a predecessor may already have been in a
// predecessor since the loop around the phi began its iteration. It returns
// true if the search takes too long.
func (m *maskMerge) ranBefore(n int) bool {
	low, inner := m.flow.pos[m.preds[0]], m.loops.Of(uint32(m.b))
	for _, q := range m.preds {
		if m.loops.Of(uint32(q)) != inner { // cycles in its loop begin before it
			low = 0
		}
	}
	p := m.preds[n]
	if m.loops.Of(uint32(p)) != inner {
		return true
	}
	m.seen = append(m.seen[:0], p)
	for at := 0; at < len(m.seen); at++ {
		b := m.seen[at]
		if len(m.seen) > maxMergeSearch {
			return true
		}
		if b == m.v.stop {
			continue
		}
		for _, q := range m.f.Preds(b) {
			if containsBlock(m.preds, q) {
				return true
			}
			if m.flow.pos[q] >= low && !containsBlock(m.seen, q) {
				m.seen = append(m.seen, q)
			}
		}
	}
	return false
}

func containsBlock(list []mir.Block, b mir.Block) bool {
	for _, x := range list {
		if x == b {
			return true
		}
	}
	return false
}

// isCompare reports whether a mask is the result of a comparison in the same
// block, which clears the bits of other lanes.
func (m *maskMerge) isCompare(o mir.Operand, b mir.Block) bool {
	if !o.IsVirtual() || o.N != 0 {
		return false
	}
	d := m.f.DefOf(o.Reg())
	if d == 0 || m.f.Parent(d) != b {
		return false
	}
	x := m.f.Info(d)
	return x.Unit == mir.UnitVALU && x.Defs == 1 && x.Slots[0].Class&isa.Mask != 0
}

// chooseInsertionPoint chooses the insertion point of the merging in a block:
// at the end of its logical code, but preferably before the definition of the
// branch's condition code, to avoid clobbering it.
func (m *maskMerge) chooseInsertionPoint(in mir.Operand, b mir.Block) {
	f := m.f
	end := f.Last(b)
	for f.Op(end) != mir.LogicalEnd {
		end = f.Prev(end)
	}
	m.at = end
	scc := mir.Instr(0)
	for i := f.Next(end); i != 0; i = f.Next(i) {
		for _, o := range f.Uses(i) {
			if o.IsVirtual() && f.File(o.Reg()) == mir.FileSCC {
				scc = f.DefOf(o.Reg())
			}
		}
	}
	if scc == 0 || f.Parent(scc) != b {
		return
	}
	def := mir.Instr(0)
	if in.IsVirtual() {
		def = f.DefOf(in.Reg())
	}
	for i := f.Prev(end); i != 0 && i != def && f.Info(i).Flags&mir.WritesExec == 0; i = f.Prev(i) {
		if i == scc {
			m.at = scc
			return
		}
	}
}

// combine emits the new value of the variable.
func (m *maskMerge) combine(result, old, in mir.Operand, kept, inClean bool) mir.Operand {
	exec := mir.Phys(mir.Exec, m.f.M.MaskDwords())
	switch {
	case in == old && result.Kind == mir.KindNone:
		return old
	case in.IsImm(0) && kept:
		return m.result(result, old)
	case in.IsImm(0) && old.IsImm(-1):
		return m.op(mir.SNotB32, mir.SNotB64, result, exec)
	case in.IsImm(0):
		return m.op(mir.SAndNot1B32, mir.SAndNot1B64, result, old, exec)
	case in.IsImm(-1) && old.IsImm(0):
		return m.op(mir.SMovB32, mir.SMovB64, result, exec)
	case in.IsImm(-1):
		return m.op(mir.SOrB32, mir.SOrB64, result, old, exec)
	case old.IsImm(-1):
		return m.op(mir.SOrNot1B32, mir.SOrNot1B64, result, in, exec)
	}
	if !inClean {
		none := mir.None
		if old.IsImm(0) {
			none = result
		}
		in = m.op(mir.SAndB32, mir.SAndB64, none, in, exec)
		if old.IsImm(0) {
			return in
		}
	}
	if old.IsImm(0) {
		return m.result(result, in)
	}
	if !kept {
		old = m.op(mir.SAndNot1B32, mir.SAndNot1B64, mir.None, old, exec)
	}
	return m.op(mir.SOrB32, mir.SOrB64, result, old, in)
}

// result returns a value, in a specific register if one is given.
func (m *maskMerge) result(result, o mir.Operand) mir.Operand {
	if result.Kind == mir.KindNone {
		return o
	}
	return m.emitMaskOp(mir.Copy, result, o)
}

// op emits an operation on masks.
func (m *maskMerge) op(op32, op64 mir.Op, result mir.Operand, uses ...mir.Operand) mir.Operand {
	if m.f.M.Wave == 64 {
		op32 = op64
	}
	return m.emitMaskOp(op32, result, uses...)
}

// emitMaskOp emits an instruction with a specific result register or, for None,
// a new one.
func (m *maskMerge) emitMaskOp(op mir.Op, result mir.Operand, uses ...mir.Operand) mir.Operand {
	f := m.f
	if result.Kind == mir.KindNone {
		result = mir.R(f.NewMask())
	}
	var operands [4]mir.Operand
	list := append(operands[:0], result)
	if f.M.Info(op).Defs == 2 {
		list = append(list, mir.R(f.NewReg(mir.FileSCC, 1)))
	}
	defs := len(list)
	f.InsertBefore(f.NewInstr(op, defs, append(list, uses...)...), m.at)
	return result
}
