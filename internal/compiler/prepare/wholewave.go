package prepare

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// Attributes of calls of llvm.amdgcn.strict.wwm that access a whole-wave
// variable: registers that hold a value of all lanes until the function ends.
// The attribute's value is the first register's number.
const (
	WholeWrite  = "whole-wave-write"  // writes all lanes; the result is the value
	ActiveWrite = "whole-wave-active" // writes the active lanes
	WholeRead   = "whole-wave-read"   // returns the variable; ignores the operand
)

// WholeAccess is the access of a call to a whole-wave variable.
type WholeAccess struct {
	Kind string // one of the attributes, or empty
	At   int    // number of the first register
}

// AccessOf returns the access of an instruction to a whole-wave variable.
func AccessOf(f *ir.Function, v ir.Value) WholeAccess {
	if !f.Op(v).IsCall() || !isWholeWave(f, v) {
		return WholeAccess{}
	}
	m := f.Module()
	attrs := m.AttrsAt(f.CallAttrs(v), ir.AttrFunction)
	for _, kind := range [...]string{WholeWrite, ActiveWrite, WholeRead} {
		if s, ok := m.StringAttr(attrs, kind); ok {
			at, _ := strconv.Atoi(s)
			return WholeAccess{kind, at}
		}
	}
	return WholeAccess{}
}

// gatherWholeWave prepares the computations of operands of
// llvm.amdgcn.strict.wwm and llvm.amdgcn.strict.wqm for selection, which
// executes the instructions directly before the call with more lanes active.
//
// The pass copies instructions of the same block there, back to
// llvm.amdgcn.set.inactive. Other values are computed in place: phis, values of
// other blocks, and loads that may not move. A whole-wave variable transports
// them. LLVM's si-wqm instead marks machine instructions in all blocks.
func gatherWholeWave(ctx *opt.Context, f *ir.Function) bool {
	w := &wholeWave{f: f, vars: map[wholeKey]ir.Value{}}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if isWholeWave(f, v) {
				w.roots = append(w.roots, v)
			}
		}
	}
	w.F, w.M = f, f.Module()
	changed := w.widenBools()
	changed = gatherParams(f) || changed
	if len(w.roots) == 0 {
		return changed
	}
	g := analysis.CFG(f)
	w.dom, w.known = analysis.NewDomTree(g), f.NumValues()
	w.cycles = analysis.NewCycles(g)
	w.uniform = &analysis.Uniformity{ByWaves: true}
	wave := 64
	if ctx.Target != nil {
		wave = ctx.Target.WaveSize()
	}
	w.uniform.Reset(f, w.dom, w.cycles, wave)
	for n := 0; n < len(w.roots); n++ { // the list grows
		s := wholeWaveSlice{w: w, f: f, root: w.roots[n], members: map[ir.Value]bool{}, from: map[ir.Value]ir.Value{}}
		s.addValue(f.Args(s.root)[0].Value)
		s.copy()
	}
	return true
}

// isWholeWave reports whether an instruction's result is computed with all
// lanes active, or all lanes of active quads.
func isWholeWave(f *ir.Function, v ir.Value) bool {
	id := f.CalledIntrinsic(v)
	return id == ir.IntrAMDGCNStrictWwm || id == ir.IntrAMDGCNWwm || id == ir.IntrAMDGCNStrictWqm
}

// wholeKey is a value that is computed by calls of an intrinsic.
type wholeKey struct {
	v  ir.Value
	id ir.Intrinsic
}

// wholeWave is the state of the pass in a function.
type wholeWave struct {
	emitter
	f       *ir.Function
	roots   []ir.Value // calls whose operands are still to be gathered
	dom     *analysis.DomTree
	cycles  *analysis.Loops
	uniform *analysis.Uniformity
	known   int                   // number of values that the analyses know
	vars    map[wholeKey]ir.Value // by value: the call that returns its variable
	next    int                   // number of the next register for variables
}

// widenBools replaces i1 by i32 in whole-wave calls and set.inactive.
func (w *wholeWave) widenBools() (changed bool) {
	f := w.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if id := f.CalledIntrinsic(v); f.TypeOf(v) == ir.I1 && (isWholeWave(f, v) || id == ir.IntrAMDGCNSetInactive) {
				w.widenBool(v, id)
				changed = true
			}
			v = next
		}
	}
	return changed
}

func (w *wholeWave) widenBool(v ir.Value, id ir.Intrinsic) {
	f := w.f
	w.at(v, v)
	var args []ir.Value
	for _, a := range f.Args(v) {
		args = append(args, w.FoldCast(ir.OpZExt, a.Value, ir.I32))
	}
	wide := w.Call(w.M.DeclareIntrinsic(id, ir.I32), args...)
	f.ReplaceUses(v, w.Compare(ir.ICmpNE, wide, w.M.Zero(ir.I32)))
	for n, r := range w.roots {
		if r == v {
			w.roots[n] = wide
		}
	}
	f.Erase(v)
}

// at sets the insertion point, and the source location of an instruction.
func (w *wholeWave) at(before, loc ir.Value) {
	w.Before(before)
	w.Loc = w.f.Instr(loc).Loc
}

// variable returns the call that returns the variable for a value, or None
// for a value that needs none or cannot have one.
func (w *wholeWave) variable(v ir.Value, id ir.Intrinsic) ir.Value {
	f := w.f
	if k, ok := w.vars[wholeKey{v, id}]; ok {
		return k
	}
	t := f.TypeOf(v)
	if w.sameInAllLanes(v) || w.M.IsAggregate(t) || !w.M.IsFirstClass(t) {
		return ir.None
	}
	if f.Op(v) == ir.OpPhi {
		return w.phi(v, id)
	}
	after := f.First(f.Entry())
	if f.Parent(v) != 0 {
		after = f.Next(v)
	}
	w.Before(after)
	w.Loc = f.Instr(after).Loc
	kind := ActiveWrite
	if f.Parent(v) != 0 && runsTwice(f, v) {
		kind = WholeWrite
	}
	k := w.access(id, kind, w.widened(v), w.allot(t))
	w.vars[wholeKey{v, id}] = k
	if kind == WholeWrite {
		w.roots = append(w.roots, k)
	}
	return k
}

// sameInAllLanes reports whether a value is uniform whichever lanes are
// active, so that selection can use it from scalar registers.
func (w *wholeWave) sameInAllLanes(v ir.Value) bool {
	return int(v) < w.known && w.f.TypeOf(v) != ir.I1 && !w.uniform.Divergent(v) && !analysis.CrossesLanes(w.f, v)
}

// widened returns a value, i1 as i32.
func (w *wholeWave) widened(v ir.Value) ir.Value {
	if w.f.TypeOf(v) == ir.I1 {
		return w.FoldCast(ir.OpZExt, v, ir.I32)
	}
	return v
}

// allot returns the number of a new variable's first register.
func (w *wholeWave) allot(t ir.Type) int {
	n := max(int(w.M.SizeInBits(t)+31)/32, 1)
	if n > 1 {
		w.next = (w.next + 1) &^ 1
	}
	at := w.next
	w.next += n
	return at
}

// access creates a call that accesses a variable.
func (w *wholeWave) access(id ir.Intrinsic, kind string, x ir.Value, at int) ir.Value {
	m := w.M
	k := w.Call(m.DeclareIntrinsic(id, w.f.TypeOf(x)), x)
	list := w.f.CallAttrs(k)
	attrs := m.AddAttr(m.AttrsAt(list, ir.AttrFunction), m.NewStringAttr(kind, strconv.Itoa(at)))
	w.f.SetCallAttrs(k, m.WithAttrsAt(list, ir.AttrFunction, attrs))
	return k
}

// phi returns a variable for a phi. The predecessors write their values to a
// first variable, which is copied to the second one in the phi's block, since
// all phis of a block change at once.
//
// Where lanes join from several sides, each side writes its own lanes only.
// Everywhere else, the last write determines all lanes, also those that have
// left a loop.
func (w *wholeWave) phi(v ir.Value, id ir.Intrinsic) ir.Value {
	f, b := w.f, w.f.Parent(v)
	t := f.TypeOf(v)
	if t == ir.I1 {
		t = ir.I32
	}
	from, to := w.allot(t), w.allot(t)
	first := f.First(b)
	for f.Op(first) == ir.OpPhi {
		first = f.Next(first)
	}
	w.at(first, v)
	k := w.access(id, WholeWrite, w.access(id, WholeRead, w.M.Poison(t), from), to)
	w.vars[wholeKey{v, id}] = k
	w.roots = append(w.roots, k)
	joins := w.joinsLanes(b)
	seen := map[ir.Block]bool{}
	ops := f.Operands(v)
	for n := 0; n < len(ops); n += 2 {
		x, pred := f.Operand(v, n), f.Operand(v, n+1).Block()
		if seen[pred] || analysis.IsUndef(f, x) {
			continue
		}
		seen[pred] = true
		w.at(f.Terminator(pred), v)
		x = w.widened(x)
		if !joins {
			w.roots = append(w.roots, w.access(id, WholeWrite, x, from))
			continue
		}
		own := w.Call(w.M.DeclareIntrinsic(id, t), x)
		w.roots = append(w.roots, own)
		w.access(id, ActiveWrite, own, from)
	}
	return k
}

// joinsLanes reports whether lanes may enter a block from different sides,
// apart from a loop header.
func (w *wholeWave) joinsLanes(b ir.Block) bool {
	if w.cycles.IsHeader(uint32(b)) {
		return false
	}
	top := ir.Block(w.dom.IDom(uint32(b)))
	seen := map[ir.Block]bool{b: true}
	work := []ir.Block{b}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range w.dom.Graph().Preds(uint32(x)) {
			from := ir.Block(p)
			if seen[from] {
				continue
			}
			seen[from] = true
			if w.uniform.DivergentBranch(from) {
				return true
			}
			if from != top {
				work = append(work, from)
			}
		}
	}
	return false
}

// wholeWaveSlice is the computation of a call's operand.
type wholeWaveSlice struct {
	w       *wholeWave
	f       *ir.Function
	root    ir.Value
	members map[ir.Value]bool
	outside []ir.Value            // values computed elsewhere
	from    map[ir.Value]ir.Value // their variables
}

// addValue adds a value and its operands.
func (g *wholeWaveSlice) addValue(v ir.Value) {
	f := g.f
	if !v.IsLocal() || g.members[v] || g.from[v] != ir.None || AccessOf(f, v).Kind != "" {
		return
	}
	if f.Parent(v) != f.Parent(g.root) || !g.movable(v) {
		if k := g.w.variable(v, f.CalledIntrinsic(g.root)); k != ir.None && k != g.root {
			g.from[v] = k
			g.outside = append(g.outside, v)
		}
		return
	}
	g.members[v] = true
	for n, o := range f.Operands(v) {
		if n > 0 || f.CalledIntrinsic(v) != ir.IntrAMDGCNSetInactive {
			g.addValue(o.Value)
		}
	}
}

// runsTwice reports whether an instruction may be executed again.
func runsTwice(f *ir.Function, v ir.Value) bool {
	switch op := f.Op(v); {
	case op == ir.OpPhi || op == ir.OpAlloca || analysis.MayWrite(f, v) || !f.IsSimple(v) && op == ir.OpLoad || f.TypeOf(v) == ir.Void:
		return false
	case op.IsCall() && f.CalledIntrinsic(v) == ir.NoIntrinsic:
		return false
	}
	id := f.CalledIntrinsic(v) // the inputs of a function are copied once, for the active lanes
	return id != ir.IntrAMDGCNWorkitemIdX && id != ir.IntrAMDGCNWorkitemIdY && id != ir.IntrAMDGCNWorkitemIdZ
}

// movable reports whether an instruction may be executed again before the root.
func (g *wholeWaveSlice) movable(v ir.Value) bool {
	f := g.f
	if !runsTwice(f, v) {
		return false
	}
	if !analysis.MayRead(f, v) {
		return true
	}
	for i := f.Next(v); i != g.root; i = f.Next(i) {
		if analysis.MayWrite(f, i) {
			return false
		}
	}
	return true
}

// copy creates the copies, and removes originals that become unused.
func (g *wholeWaveSlice) copy() {
	if len(g.members)+len(g.from) == 0 {
		return
	}
	f := g.f
	mp := ir.NewMapper(f)
	g.mapVariables(mp)
	var list []ir.Value
	for v := f.First(f.Parent(g.root)); v != g.root; v = f.Next(v) {
		if g.members[v] {
			list = append(list, v)
		}
	}
	for _, v := range list {
		n := f.CopyInstr(f, v, mp)
		if f.CalledIntrinsic(v) == ir.IntrAMDGCNSetInactive {
			f.SetOperand(n, 0, f.Operand(v, 0))
		}
		f.InsertBefore(n, g.root)
	}
	f.SetOperand(g.root, 0, mp.Value(f.Operand(g.root, 0)))
	for n := len(list) - 1; n >= 0; n-- {
		if v := list[n]; !f.HasUses(v) {
			f.Erase(v)
		}
	}
}

// mapVariables maps values to their variables; i1 values become comparisons.
func (g *wholeWaveSlice) mapVariables(mp *ir.Mapper) {
	g.w.at(g.root, g.root)
	for _, v := range g.outside {
		k := g.from[v]
		if g.f.TypeOf(v) == ir.I1 {
			k = g.w.Compare(ir.ICmpNE, k, g.w.M.Zero(ir.I32))
		}
		mp.Values[v] = k
	}
}
