package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Repair of scalar values after linearization. Phis of scalar registers still
// follow the control flow of lanes, and scalar registers are used where the
// wave may arrive without having executed their definition.
//
// A block runs only if lanes are active in it, and those lanes executed the
// definitions that dominate it. So the last value that the wave assigned to a
// register is the one that the block needs. Only SSA form on the linear edges
// is missing, with undefined values where the wave arrives from elsewhere.
//
// A phi of a uniform value becomes a variable of the wave that each predecessor
// sets. Other lanes cannot set it to a different value in between: that would
// require two paths from a divergent branch, and the value would not be
// uniform. This does not hold for undefined values, which therefore set
// nothing.
//
// A phi of a lane mask also becomes a variable. A predecessor changes only the
// bits of its own lanes, since other lanes may be waiting with theirs. The
// value of the variable before lanes of this iteration of the phi's loop set it
// is irrelevant.
//
// If the wave arrives at a block from its logical predecessors and no lanes
// wait, a phi simply becomes one on linear edges.
type repair struct {
	f     *mir.Func
	loops *analysis.Loops // on the logical edges
	flow  linearFlow
	v     waveFlow

	renamed []mir.Operand // by virtual register: its replacement, or None
	renames bool
	mask    maskMerge

	preds []mir.Block   // scratch: predecessors of a phi in layout order,
	vals  []mir.Operand // and their values
	uses  []brokenUse
	first []int32 // by virtual register: its first broken use, counted from 1
	regs  []mir.Reg
}

// brokenUse is a source whose definition does not dominate it on linear edges.
type brokenUse struct {
	at   mir.Block
	i    mir.Instr
	n    uint16 // source number
	end  bool   // the value at the end of the block, for a phi source
	next int32  // next use of the same register, counted from 1
}

// phis replaces the phis of scalar registers. loops are the loops of the
// logical edges.
func (r *repair) phis(f *mir.Func, loops *analysis.Loops) {
	r.f, r.loops = f, loops
	r.flow.reset(f)
	r.v.reset(&r.flow)
	r.renamed, r.renames = zeroed(r.renamed, f.NumVirtual()), false
	for _, b := range f.Layout {
		for i := f.First(b); i != 0 && f.Op(i).IsPhi(); {
			next := f.Next(i)
			if f.Op(i) == mir.Phi && f.File(f.Def(i, 0)) == mir.FileS {
				r.phi(b, i)
			}
			i = next
		}
	}
	if r.renames {
		r.rename()
	}
}

// phi replaces one phi.
func (r *repair) phi(b mir.Block, i mir.Instr) {
	f := r.f
	if r.sameEdges(b) {
		f.SetOp(i, mir.LinearPhi)
		return
	}
	result := f.Def(i, 0)
	r.collect(b, i)
	header := r.flow.isHeader(b)
	r.v.newVar(result, r.stopOf(b, header))
	if f.IsMask(result) {
		r.mask.merge(r, b)
	} else {
		r.defineAll(b, result)
	}
	if header {
		r.headerPhi(b, i)
	} else {
		r.replace(b, i, r.v.begin(b))
	}
	r.dropRedundant()
}

// sameEdges reports whether the logical predecessors of a block are also its
// linear ones.
func (r *repair) sameEdges(b mir.Block) bool {
	logical, linear := r.f.Preds(b), r.f.LinearPreds(b)
	if len(logical) != len(linear) {
		return false
	}
	for _, p := range logical {
		n := 0
		for _, q := range linear {
			if p == q {
				n++
			}
		}
		if n != 1 {
			return false
		}
	}
	return true
}

// stopOf returns the header of the loop whose iteration contains a phi's block.
// For a header this is the enclosing loop.
func (r *repair) stopOf(b mir.Block, header bool) mir.Block {
	loop := r.loops.Of(uint32(b))
	if header && loop != 0 {
		loop = r.loops.Parent(loop)
	}
	if loop == 0 {
		return 0
	}
	return mir.Block(r.loops.Header(loop))
}

// collect records the sources of a phi in layout order.
func (r *repair) collect(b mir.Block, i mir.Instr) {
	r.preds, r.vals = r.preds[:0], r.vals[:0]
	for n, uses := 0, r.f.Uses(i); n < len(uses); n += 2 {
		p, o := uses[n+1].Block(), uses[n]
		if r.isUndefined(&o) {
			o = mir.None
		}
		at := len(r.preds)
		r.preds, r.vals = append(r.preds, p), append(r.vals, o)
		for ; at > 0 && r.flow.pos[r.preds[at-1]] > r.flow.pos[p]; at-- {
			r.preds[at], r.vals[at] = r.preds[at-1], r.vals[at-1]
		}
		r.preds[at], r.vals[at] = p, o
	}
}

// isUndefined reports whether a value is arbitrary.
func (r *repair) isUndefined(o *mir.Operand) bool {
	if o.Kind != mir.KindReg {
		return o.Kind == mir.KindNone
	}
	if o.Flags&mir.Undef != 0 {
		return true
	}
	d := mir.Instr(0)
	if o.IsVirtual() {
		d = r.f.DefOf(o.Reg())
	}
	return d != 0 && r.f.Op(d) == mir.Undefined
}

// forward reports whether the edge from a phi's predecessor is not a back edge.
func (r *repair) forward(p, b mir.Block) bool { return r.flow.pos[p] < r.flow.pos[b] }

// defineAll sets the variable of a uniform value in each predecessor.
func (r *repair) defineAll(b mir.Block, result mir.Reg) {
	for n, p := range r.preds {
		if o := r.resolved(r.vals[n]); o.Kind != mir.KindNone && o.Reg() != result && r.forward(p, b) {
			r.v.define(p, o)
		}
	}
}

// headerPhi converts the phi of a loop header to linear edges. All lanes take
// the back edge together, so no values need merging.
func (r *repair) headerPhi(b mir.Block, i mir.Instr) {
	f := r.f
	phi := mir.R(f.Def(i, 0))
	linear := f.LinearPreds(b)
	for _, p := range linear { // may create phis, which need the operands below
		if r.forward(p, b) {
			r.v.end(p)
		}
	}
	r.v.operand = append(r.v.operand[:0], phi)
	for _, p := range linear {
		var o mir.Operand
		if r.forward(p, b) {
			o = r.v.end(p)
		} else {
			o = r.valueFrom(p)
		}
		r.v.operand = append(r.v.operand, r.v.orUndefined(o, phi), mir.Target(p))
	}
	f.SetOp(i, mir.LinearPhi)
	f.SetOperands(i, 1, r.v.operand...)
}

// valueFrom returns the source of a phi for a predecessor.
func (r *repair) valueFrom(p mir.Block) mir.Operand {
	for n, q := range r.preds {
		if p == q {
			return r.resolved(r.vals[n])
		}
	}
	panic("BUG: codegen: linear back edge without a logical back edge")
}

// replace replaces a phi by a value.
func (r *repair) replace(b mir.Block, i mir.Instr, o mir.Operand) {
	f := r.f
	result := f.Def(i, 0)
	if o.Kind == mir.KindReg && o.Reg() != result {
		f.Erase(i)
		r.renameTo(result, o)
		return
	}
	at := i
	for at != 0 && f.Op(at).IsPhi() {
		at = f.Next(at)
	}
	f.Unlink(i)
	if o.Kind == mir.KindReg || o.Kind == mir.KindNone {
		f.SetOp(i, mir.Undefined)
		f.SetOperands(i, 1, mir.R(result))
	} else {
		f.SetOp(i, mir.Copy)
		f.SetOperands(i, 1, mir.R(result), o)
	}
	f.InsertBefore(i, at)
}

// dropRedundant removes phis that turned out to be redundant after the loop was
// closed.
func (r *repair) dropRedundant() {
	if r.v.loops == 0 {
		return
	}
	for {
		phi, o := r.v.redundant()
		if phi == 0 {
			return
		}
		result := r.f.Def(phi, 0)
		for n, i := range r.v.phis {
			switch i {
			case 0:
			case phi:
				r.v.phis[n] = 0
			default:
				replaceSource(r.f.Uses(i), result, o)
			}
		}
		if r.flow.isHeader(r.f.Parent(phi)) {
			r.v.loops--
		}
		r.f.Erase(phi)
		r.renameTo(result, o)
	}
}

// replaceSource replaces sources that read a whole register by a value.
func replaceSource(uses []mir.Operand, from mir.Reg, to mir.Operand) {
	for n := range uses {
		if o := &uses[n]; o.Reg() == from && o.Kind == mir.KindReg {
			*o = to
		}
	}
}

func (r *repair) renameTo(from mir.Reg, to mir.Operand) {
	for len(r.renamed) <= from.Index() {
		r.renamed = append(r.renamed, mir.None)
	}
	r.renamed[from.Index()], r.renames = to, true
}

// resolved returns the final replacement of a register, of which a source may
// be a part.
func (r *repair) resolved(o mir.Operand) mir.Operand {
	for o.IsVirtual() && o.Reg().Index() < len(r.renamed) {
		to := r.renamed[o.Reg().Index()]
		switch {
		case to.Kind == mir.KindNone:
			return o
		case o.N != 0: // a part of a value that may itself be a part
			to.Sub += o.Sub
			to.N = o.N
		}
		to.Flags |= o.Flags
		o = to
	}
	return o
}

// rename applies the replacements to all sources.
func (r *repair) rename() {
	f := r.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			uses := f.Uses(i)
			for n := range uses {
				if o := &uses[n]; o.IsVirtual() && o.Reg().Index() < len(r.renamed) && r.renamed[o.Reg().Index()].Kind != mir.KindNone {
					*o = r.resolved(*o)
				}
			}
		}
	}
}

// registers repairs the uses of scalar registers whose definition does not
// dominate them on linear edges.
func (r *repair) registers(f *mir.Func, loops *analysis.Loops) {
	r.f, r.loops = f, loops
	r.findBroken()
	for _, reg := range r.regs {
		r.register(reg)
	}
	if r.renames {
		r.rename()
	}
}

func (r *repair) findBroken() {
	f := r.f
	r.renamed, r.renames = r.renamed[:0], false
	r.first = zeroed(r.first, f.NumVirtual())
	r.uses, r.regs = r.uses[:0], r.regs[:0]
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			phi := f.Op(i).IsPhi()
			uses := f.Uses(i)
			for n := range uses {
				o := &uses[n]
				if !o.IsVirtual() || f.File(o.Reg()) != mir.FileS || o.Flags&mir.Undef != 0 {
					continue
				}
				u := brokenUse{at: b, i: i, n: uint16(n), end: phi}
				if phi {
					u.at = uses[n+1].Block()
				}
				r.recordIfBroken(o.Reg(), u)
			}
		}
	}
}

// recordIfBroken records a use if the definition does not dominate it.
func (r *repair) recordIfBroken(reg mir.Reg, u brokenUse) {
	d := r.f.DefOf(reg)
	if d == 0 || r.flow.dom.Dominates(uint32(r.f.Parent(d)), uint32(u.at)) {
		return
	}
	first := &r.first[reg.Index()]
	if *first == 0 {
		r.regs = append(r.regs, reg)
	}
	u.next = *first
	r.uses = append(r.uses, u)
	*first = int32(len(r.uses))
}

// register repairs the uses of one register.
func (r *repair) register(reg mir.Reg) {
	f := r.f
	def := f.Parent(f.DefOf(reg))
	loop := r.loopOf(def)
	for n := r.first[reg.Index()]; n != 0; n = r.uses[n-1].next {
		for at := r.uses[n-1].at; loop != 0 && !r.inLoop(loop, at); {
			loop = r.loops.Parent(loop)
		}
	}
	stop := mir.Block(0)
	if loop != 0 {
		stop = mir.Block(r.loops.Header(loop))
	}
	r.v.newVar(reg, stop)
	r.v.define(def, mir.R(reg))
	for n := r.first[reg.Index()]; n != 0; n = r.uses[n-1].next {
		u := &r.uses[n-1]
		var o mir.Operand
		if u.end {
			o = r.v.end(u.at)
		} else {
			o = r.v.begin(u.at)
		}
		use := f.Use(u.i, int(u.n))
		if o.Kind == mir.KindNone {
			use.Flags |= mir.Undef
			continue
		}
		o.Sub, o.N, o.Flags = use.Sub, use.N, use.Flags
		*use = o
	}
	r.dropRedundant()
}

// loopOf returns the innermost loop of a block. For a block without logical
// edges, this is the loop whose blocks surround it.
func (r *repair) loopOf(b mir.Block) uint32 {
	at := r.flow.pos[b]
	for n := at; int(n) < len(r.f.Layout); n++ {
		if x := r.f.Layout[n]; r.f.Kind(x)&mir.Linear == 0 {
			loop := r.loops.Of(uint32(x))
			if x != b && loop != 0 && mir.Block(r.loops.Header(loop)) == x { // before the header is outside the loop
				loop = r.loops.Parent(loop)
			}
			return loop
		}
	}
	return 0
}

// inLoop reports whether a block is in a loop.
func (r *repair) inLoop(loop uint32, b mir.Block) bool {
	h := r.loops.Header(loop)
	return r.flow.pos[b] >= r.flow.pos[h] && r.flow.pos[b] <= r.flow.last[h]
}
