package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// maskWriter emits EXEC, the masks of waiting lanes, gates and the branches of
// the wave.
type maskWriter struct {
	*linearizer
	gates []mir.Block // by block: its gate, or 0
	vars  []waveVar   // by block: the mask of the lanes waiting for it
	bare  mir.Block   // the exit, if it only ends the program and ignores the active lanes
	saved mir.Operand // EXEC at the end of the current block, None if unused
	save  mir.Instr   // the instruction that saves it
	adds  []mir.Instr // the instructions that add waiting lanes
	first []mir.Block // by block: first of the blocks whose mask is its EXEC
	next  []mir.Block // by block: next block with the same mask
}

func (w *maskWriter) writeMasks() {
	f := w.f
	n := f.NumBlocks()
	w.gates = make([]mir.Block, n)
	w.vars = make([]waveVar, n)
	w.bare = w.bareExit()
	for _, b := range w.order {
		if w.waited[b] {
			w.gates[b] = f.NewBlock()
			f.SetKind(w.gates[b], mir.Linear)
			f.SetLoopDepth(w.gates[b], f.LoopDepth(b))
			w.vars[b] = newWaveVar(f, mir.FileS, f.M.MaskDwords(), mir.Imm(0))
		}
	}
	w.first, w.next = make([]mir.Block, n), make([]mir.Block, n)
	for _, b := range w.order {
		if w.waited[b] && b != w.bare {
			if d := w.sourceOf(b); d != 0 {
				w.next[b], w.first[d] = w.first[d], b
			}
		}
	}
	f.Layout = f.Layout[:0]
	for _, b := range w.order {
		if g := w.gates[b]; g != 0 {
			f.Layout = append(f.Layout, g)
		}
		f.Layout = append(f.Layout, b)
	}
	for _, b := range w.order {
		w.block(b)
		if w.waited[b] {
			w.gate(b)
		}
	}
	for _, b := range w.order {
		if w.waited[b] {
			w.vars[b].resolve()
		}
	}
	w.dropZeros()
}

// dropZeros simplifies additions to an empty mask to copies.
func (w *maskWriter) dropZeros() {
	f := w.f
	for _, i := range w.adds {
		if lanes := *f.Use(i, 1); f.Use(i, 0).IsImm(0) {
			op := mir.Copy
			if lanes.Reg() == mir.Exec {
				op = w.op(mir.SMovB32, mir.SMovB64)
			}
			f.SetOp(i, op)
			f.SetOperands(i, 1, f.Defs(i)[0], lanes)
		}
	}
}

// op returns the mask operation for the wave size.
func (w *maskWriter) op(op32, op64 mir.Op) mir.Op {
	if w.f.M.Wave == 32 {
		return op32
	}
	return op64
}

func (w *maskWriter) exec() mir.Operand { return mir.Phys(mir.Exec, w.f.M.MaskDwords()) }

func (w *maskWriter) newMask() mir.Operand { return mir.R(w.f.NewReg(mir.FileS, w.f.M.MaskDwords())) }

// insertAtEnd inserts an instruction at the end of a block, before its
// terminator if it has one.
func (w *maskWriter) insertAtEnd(b mir.Block, op mir.Op, result mir.Operand, uses ...mir.Operand) mir.Instr {
	f := w.f
	operands := []mir.Operand{result}
	if x := f.M.Info(op); x.Defs == 2 {
		operands = append(operands, mir.R(f.NewReg(mir.FileSCC, 1)))
	}
	defs := len(operands)
	i := f.NewInstr(op, defs, append(operands, uses...)...)
	if at := f.FirstTerminator(b); at != 0 {
		f.InsertBefore(i, at)
	} else {
		f.Append(b, i)
	}
	return i
}

// block emits the end of a block.
func (w *maskWriter) block(b mir.Block) {
	f := w.f
	last := f.Last(b)
	f.InsertBefore(f.NewInstr(mir.LogicalEnd, 0), last)
	w.saved, w.save = mir.None, 0
	for s := w.first[b]; s != 0; s = w.next[s] {
		if w.save == 0 {
			w.saved = w.newMask()
			w.save = w.insertAtEnd(b, w.op(mir.SMovB32, mir.SMovB64), w.saved, w.exec())
		}
		w.vars[s].define(b, w.saved)
	}
	if w.staysUniform(b) {
		w.branch(b)
		return
	}
	targets, header := w.ahead(b)
	var mask mir.Operand
	switch f.Op(last) {
	case mir.Br:
		to := f.Use(last, 0).Block()
		w.lanes(b, to, w.exec())
		f.Erase(last)
		w.advance(b, targets, header, false)
		return
	case mir.BrSCC:
		mask = w.newMask()
		w.insertAtEnd(b, w.op(mir.SCselectB32, mir.SCselectB64), mask, mir.Imm(-1), mir.Imm(0), *f.Use(last, 0))
	case mir.BrMask:
		mask = *f.Use(last, 0)
	default: // the exit; no lane can wait
		return
	}
	yes, no := f.Use(last, 1).Block(), f.Use(last, 2).Block()
	w.divide(b, mask, yes, no, targets, header)
	f.Erase(last)
	w.advance(b, targets, header, true)
}

// branch completes a branch that the wave takes like its lanes. A target for
// which lanes wait is entered through its gate.
func (w *maskWriter) branch(b mir.Block) {
	waiting := w.deferredAtEnd(b)
	uses := w.f.Uses(w.f.Last(b))
	for n := range uses {
		if uses[n].Kind == mir.KindBlock && len(waiting) > 0 && uses[n].Block() == waiting[0] {
			uses[n] = mir.Target(w.entry(waiting[0]))
		}
	}
	for _, s := range w.f.Succs(b) {
		if len(waiting) > 0 && s == waiting[0] {
			s = w.entry(s)
		}
		w.f.AddLinearEdge(b, s)
	}
}

// divide adds lanes to the masks of a divergent branch's targets, and
// deactivates lanes that do not enter the next block.
func (w *maskWriter) divide(b mir.Block, mask mir.Operand, yes, no mir.Block, targets []mir.Block, header mir.Block) {
	and, andn2 := w.op(mir.SAndB32, mir.SAndB64), w.op(mir.SAndNot1B32, mir.SAndNot1B64)
	for _, x := range [...]struct {
		to mir.Block
		op mir.Op
	}{{yes, and}, {no, andn2}} {
		if w.addsLanes(b, x.to) {
			m := w.newMask()
			w.insertAtEnd(b, x.op, m, w.exec(), mask)
			w.lanes(b, x.to, m)
		}
	}
	first := header
	if first == 0 {
		first = targets[0]
	}
	switch {
	case first != header && w.waited[first]: // its gate sets EXEC
	case first == yes:
		w.restrict(b, and, w.op(mir.SAndSaveexecB32, mir.SAndSaveexecB64), mask)
	default:
		w.restrict(b, andn2, w.op(mir.SAndNot0SaveexecB32, mir.SAndNot0SaveexecB64), mask)
	}
}

// restrict removes lanes from EXEC. If EXEC must be saved as well, one
// instruction does both.
func (w *maskWriter) restrict(b mir.Block, op, saving mir.Op, mask mir.Operand) {
	if w.save == 0 || !w.f.M.Has(saving) {
		w.insertAtEnd(b, op, w.exec(), w.exec(), mask)
		return
	}
	w.f.Erase(w.save)
	w.insertAtEnd(b, saving, w.saved, mask)
}

// addsLanes reports whether an edge adds lanes to the mask of its target.
func (w *maskWriter) addsLanes(b, to mir.Block) bool {
	return w.waited[to] && to != w.bare && w.sourceOf(to) == 0 && !w.isBack(b, to)
}

// lanes adds lanes to the mask of a block, if the edge requires it.
func (w *maskWriter) lanes(b, to mir.Block, lanes mir.Operand) {
	if !w.addsLanes(b, to) {
		return
	}
	v := &w.vars[to]
	m := w.newMask()
	i := w.insertAtEnd(b, w.op(mir.SOrB32, mir.SOrB64), m, mir.None, lanes)
	v.use(b, i, 0)
	v.define(b, m)
	w.adds = append(w.adds, i)
}

// advance emits the branch of the wave at the end of a block: back to a loop
// header while lanes are active, otherwise to the first target, or around it if
// no lane may enter it.
func (w *maskWriter) advance(b mir.Block, targets []mir.Block, header mir.Block, divided bool) {
	switch {
	case header != 0 && len(targets) == 0:
		w.jump(b, header)
	case header != 0:
		w.fork(b, mir.BrExecNZ, header, w.entry(targets[0]))
	case w.waited[targets[0]] || len(targets) == 1 || !divided:
		w.jump(b, w.entry(targets[0]))
	default:
		w.fork(b, mir.BrExecZ, w.entry(targets[1]), targets[0])
	}
}

// entry returns the entry of a block: its gate, or the block itself.
func (w *maskWriter) entry(b mir.Block) mir.Block {
	if g := w.gates[b]; g != 0 {
		return g
	}
	return b
}

func (w *maskWriter) jump(b, to mir.Block) {
	w.f.Append(b, w.f.NewInstr(mir.Br, 0, mir.Target(to)))
	w.f.AddLinearEdge(b, to)
}

func (w *maskWriter) fork(b mir.Block, op mir.Op, yes, no mir.Block) {
	w.f.Append(b, w.f.NewInstr(op, 0, mir.Target(yes), mir.Target(no)))
	w.f.AddLinearEdge(b, yes)
	w.f.AddLinearEdge(b, no)
}

// gate emits the gate of a block.
func (w *maskWriter) gate(b mir.Block) {
	f := w.f
	g := w.gates[b]
	v := &w.vars[b]
	if b != w.bare {
		i := f.NewInstr(w.op(mir.SMovB32, mir.SMovB64), 1, w.exec(), mir.None)
		f.Append(g, i)
		v.use(g, i, 0)
		v.define(g, mir.Imm(0))
	}
	if rest := w.deferredAtEnd(b); len(rest) > 0 {
		w.fork(g, mir.BrExecZ, w.entry(rest[0]), b)
	} else {
		w.jump(g, b)
	}
}
