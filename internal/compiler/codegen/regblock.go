package codegen

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// block allocates the registers of a block.
func (a *allocator) block(b mir.Block) error {
	f := a.f
	a.at = b
	for file := mir.FileS; file <= mir.FileSCC; file++ {
		clear(a.owner[file])
	}
	clear(a.loc)
	for _, x := range a.keep {
		a.own(x.reg, x.n, noOwner, kept)
	}
	a.reservePhys(b)
	for g := range numGroups {
		a.enter(b, g)
	}
	if err := a.phis(b); err != nil {
		return err
	}
	a.begun[b] = true
	for g := range numGroups {
		for _, p := range slices.Clone(a.preds(b, g)) {
			if a.done[p] {
				if err := a.join(p, b); err != nil {
					return err
				}
			}
		}
	}
	for i := f.First(b); i != 0; i = f.Next(i) {
		if !f.Op(i).IsPhi() {
			if err := a.instr(i); err != nil {
				return err
			}
		}
	}
	return a.leave(b)
}

func (a *allocator) preds(b mir.Block, g group) []mir.Block {
	if g == groupVector {
		return a.f.Preds(b)
	}
	return a.f.LinearPreds(b)
}

func (a *allocator) succs(b mir.Block, g group) []mir.Block {
	if g == groupVector {
		return a.f.Succs(b)
	}
	return a.f.LinearSuccs(b)
}

// reservePhys reserves physical registers that a block uses before it defines
// them: arguments.
func (a *allocator) reservePhys(b mir.Block) {
	f := a.f
	if b != f.Layout[0] {
		return
	}
	var defined [mir.NumPhys]bool
	for i := f.First(b); i != 0; i = f.Next(i) {
		for _, o := range f.Uses(i) {
			if r := o.Reg(); r.IsPhys() {
				for k := range max(int(o.N), 1) {
					if !defined[int(r)+k] && a.owner[f.File(r)][r.Index()+k] == noOwner {
						a.owner[f.File(r)][r.Index()+k] = reserved
					}
				}
			}
		}
		for _, o := range f.Defs(i) {
			if r := o.Reg(); r.IsPhys() {
				for k := range max(int(o.N), 1) {
					defined[int(r)+k] = true
				}
			}
		}
	}
}

// enter chooses the places of values at the start of a block: their places at
// the end of a visited predecessor, preferably one with several successors,
// where copies may conflict.
func (a *allocator) enter(b mir.Block, g group) {
	var from mir.Block
	for _, p := range a.preds(b, g) {
		if a.done[p] && (from == 0 || len(a.succs(p, g)) > 1 && len(a.succs(from, g)) == 1) {
			from = p
		}
	}
	in := a.live.blockSet(a.live.in, b)
	if from != 0 {
		for _, x := range a.exit[g][from] {
			if hasBit(in, int(x.v)) {
				x = a.after(from, g, x)
				a.entry[g][b] = append(a.entry[g][b], x)
				a.assignPlace(x.v, x.reg)
			}
		}
	}
}

// phis assigns places to the results of a block's phis.
func (a *allocator) phis(b mir.Block) error {
	f := a.f
	a.fresh, a.killed, a.moves = a.fresh[:0], a.killed[:0], a.moves[:0]
	for g := range numGroups {
		a.avoidOthers(b, g, noOwner, held)
	}
	defer func() {
		for g := range numGroups {
			a.avoidOthers(b, g, held, noOwner)
		}
	}()
	for i := f.First(b); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) { // phis that need no copy have priority
		v := int32(f.Def(i, 0).Index())
		if r := a.phiSourcePlace(v, i); r != mir.NoReg {
			a.putPhi(v, i, r)
		}
	}
	for i := f.First(b); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		if !f.Defs(i)[0].IsVirtual() {
			continue
		}
		v := int32(f.Def(i, 0).Index())
		r, err := a.choose(v, i)
		if err != nil { // copies for several successors conflict, so some edges become blocks
			for g := range numGroups {
				a.avoidOthers(b, g, held, noOwner)
			}
			if r, err = a.choose(v, i); err != nil {
				return err
			}
		}
		a.putPhi(v, i, r)
	}
	for _, m := range a.moves { // predecessors copy displaced values to their new places
		entry := a.entry[a.groupOf(m.v)][b]
		for n := range entry {
			if entry[n].v == m.v {
				entry[n].reg = m.to
			}
		}
	}
	return nil
}

// putPhi assigns a place to the result of a phi.
func (a *allocator) putPhi(v int32, i mir.Instr, r mir.Reg) {
	a.assignPlace(v, r)
	a.fresh = append(a.fresh, v)
	a.planned[v] = r
	a.f.Defs(i)[0] = a.physical(v, r, 0)
}

// phiSourcePlace returns the place of one of the phi's sources for the phi, or
// NoReg if none is free.
func (a *allocator) phiSourcePlace(v int32, i mir.Instr) mir.Reg {
	f := a.f
	file, n := a.file(v), a.size(v)
	uses := f.Uses(i)
	for k := 0; k < len(uses); k += 2 {
		p := uses[k+1].Block()
		if !a.done[p] || !uses[k].IsVirtual() || uses[k].Flags&mir.Undef != 0 || f.File(uses[k].Reg()) != file {
			continue
		}
		r := a.exitPlace(p, int32(uses[k].Reg().Index())) + mir.Reg(uses[k].Sub)
		at := int(r - base(file))
		if at%a.align(file, n) == 0 && a.inLimit(file, at, n) && (a.free(file, at, n) || a.sharesPlace(i, v, r)) {
			return r
		}
	}
	return mir.NoReg
}

// sharesPlace reports whether a phi can use a place that other successors of
// its predecessors need: this is possible if they need the phi's source there,
// so that no copy is required.
func (a *allocator) sharesPlace(i mir.Instr, v int32, r mir.Reg) bool {
	f := a.f
	file, n := a.file(v), a.size(v)
	at := int(r - base(file))
	for k := at; k < at+n; k++ {
		if k < 0 || k >= len(a.owner[file]) || a.owner[file][k] != noOwner && a.owner[file][k] != held {
			return false
		}
	}
	b, g := f.Parent(i), a.groupOf(v)
	fits := true
	for k, uses := 0, f.Uses(i); k < len(uses); k += 2 {
		p := uses[k+1].Block()
		if !a.done[p] || len(a.succs(p, g)) == 1 {
			continue
		}
		src := int32(0)
		if o := &uses[k]; o.IsVirtual() && o.Flags&mir.Undef == 0 && o.N == 0 && a.exitPlace(p, int32(o.Reg().Index())) == r {
			src = int32(o.Reg().Index())
		}
		a.eachNeeded(p, b, g, func(x need) {
			if x.reg < r+mir.Reg(n) && r < x.reg+mir.Reg(a.size(x.v)) {
				fits = fits && src != 0 && a.isNeeded(p, src, x) && x.reg == r && a.size(x.v) == n
			}
		})
	}
	return fits
}

// isPhiOf reports whether a virtual register is the result of a placed phi that
// takes src from a predecessor.
func (a *allocator) isPhiOf(v int32, p mir.Block, src int32) bool {
	f := a.f
	d := f.DefOf(mir.Virtual(int(v)))
	if d == 0 || f.Parent(d) == 0 || !f.Op(d).IsPhi() || f.Defs(d)[0].Imm != int64(v) {
		return false
	}
	for k, uses := 0, f.Uses(d); k < len(uses); k += 2 {
		if uses[k+1].Block() == p {
			return uses[k].IsVirtual() && uses[k].N == 0 && uses[k].Flags&mir.Undef == 0 && int32(uses[k].Reg().Index()) == src
		}
	}
	return false
}

// exitPlace returns the place of a virtual register at the end of a block.
func (a *allocator) exitPlace(p mir.Block, v int32) mir.Reg {
	for _, x := range a.exit[a.groupOf(v)][p] {
		if x.v == v {
			return x.reg
		}
	}
	panic(fmt.Sprintf("BUG: codegen: %%%d is not live at the end of bb%d", v, p))
}

// avoidOthers changes the owner, if it equals from, of the registers that other
// successors of the block's predecessors need: a copy at the end of the
// predecessor would overwrite them.
func (a *allocator) avoidOthers(b mir.Block, g group, from, to int32) {
	for _, p := range a.preds(b, g) {
		if !a.done[p] || len(a.succs(p, g)) == 1 {
			continue
		}
		a.eachNeeded(p, b, g, func(x need) { a.own(x.reg, a.size(x.v), from, to) })
	}
}

// need is a value that a successor expects in a place at the end of a block.
type need struct {
	place
	fixed bool // the successor is already allocated, so the value cannot be moved aside
	phi   bool // the place holds the source of the successor's phi
}

// eachNeeded calls f for each value that successors other than b need at the
// end of p.
func (a *allocator) eachNeeded(p, b mir.Block, g group, f func(need)) {
	for _, t := range a.succs(p, g) {
		if t == b {
			continue
		}
		if a.begun[t] {
			a.eachRequired(t, g, f)
			continue
		}
		for _, x := range a.exit[g][p] {
			if a.isLiveOn(t, p, x.v) {
				f(need{place: a.after(p, g, x)})
			}
		}
	}
}

// after returns the place of a value after the copies at the end of a block.
func (a *allocator) after(p mir.Block, g group, x place) place {
	for _, y := range a.aside[g][p] {
		if y.v == x.v {
			return y
		}
	}
	return x
}

// leave records the places of values at the end of a block, and copies them to
// the places that allocated successors expect.
func (a *allocator) leave(b mir.Block) error {
	out := a.live.blockSet(a.live.out, b)
	each(out, func(v int) {
		if a.loc[v] != mir.NoReg {
			g := a.groupOf(int32(v))
			a.exit[g][b] = append(a.exit[g][b], place{int32(v), a.loc[v]})
		}
	})
	a.done[b] = true
	for g := range numGroups {
		for _, s := range slices.Clone(a.succs(b, g)) {
			if a.begun[s] {
				if err := a.join(b, s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// join copies values at the end of a block to the places that a successor
// expects, once for each edge. If copies for different successors conflict, the
// edge becomes a block.
func (a *allocator) join(p, s mir.Block) error {
	f := a.f
	if a.joined[s] == nil {
		a.joined[s] = map[mir.Block]bool{}
	}
	if a.joined[s][p] {
		return nil
	}
	a.joined[s][p] = true
	if a.collides(p, s) {
		e := f.SplitEdge(p, s)
		if e == 0 {
			a.unsplit = append(a.unsplit, edge{p, s}) // there may be more conflicting edges
			return nil
		}
		a.joined[s][e] = true
		a.addBlock(p, s, e)
		p = e
	}
	for g := range numGroups {
		if slices.Contains(a.succs(p, g), s) {
			if err := a.connect(p, s, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// errSplitEdges is the error if copies for edges need separate blocks, but the
// edges are only logical: lanes move from one block to the other while the wave
// does not. Those blocks must exist before linearization.
type errSplitEdges []edge

type edge struct{ from, to mir.Block }

func (e errSplitEdges) Error() string {
	return fmt.Sprintf("BUG: codegen: the edge from bb%d to bb%d must be split, but it is only logical", e[0].from, e[0].to)
}

// addBlock records that values keep their places at the end of p in a new block
// e on the edge from p to s.
func (a *allocator) addBlock(p, s, e mir.Block) {
	a.begun, a.done = append(a.begun, true), append(a.done, true)
	a.joined = append(a.joined, nil)
	for g := range numGroups {
		var places []place
		for _, x := range a.exit[g][p] {
			if a.isLiveOn(s, e, x.v) {
				places = append(places, a.after(p, g, x))
			}
		}
		a.entry[g], a.exit[g] = append(a.entry[g], places), append(a.exit[g], slices.Clone(places)) // reused separately
		a.aside[g], a.last[g] = append(a.aside[g], nil), append(a.last[g], 0)
	}
}

// isLiveOn reports whether a value is live at the start of a block, or is the
// source of a phi for a predecessor.
func (a *allocator) isLiveOn(s, pred mir.Block, v int32) bool {
	f := a.f
	if hasBit(a.live.blockSet(a.live.in, s), int(v)) {
		return true
	}
	for i := f.First(s); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		uses := f.Uses(i)
		for n := 0; n < len(uses); n += 2 {
			if uses[n+1].Block() == pred && uses[n].IsVirtual() && int32(uses[n].Reg().Index()) == v {
				return true
			}
		}
	}
	return false
}

// collides reports whether the copies for the edge from p to s and the copies
// for other successors of p would overwrite each other's values.
func (a *allocator) collides(p, s mir.Block) bool {
	f := a.f
	for g := range numGroups {
		if len(a.succs(p, g)) == 1 || !slices.Contains(a.succs(p, g), s) {
			continue
		}
		defs, uses := a.edgeCopies(p, s, g)
		hit := false
		a.eachNeeded(p, s, g, func(x need) {
			hit = hit || (x.fixed || p != a.at) && a.overwrites(p, defs, uses, x)
		})
		if i := a.last[g][p]; i != 0 && !hit {
			a.eachRequired(s, g, func(x need) {
				for k, d := range f.Defs(i) {
					aside := slices.Contains(a.aside[g][p], place{int32(d.Imm), d.Reg()})
					hit = hit || !aside && a.overwrites(p, f.Defs(i)[k:k+1], f.Uses(i)[k:k+1], x)
				}
			})
		}
		if hit {
			return true
		}
	}
	return false
}

// eachRequired calls f with the places of values and phi results at the start
// of an allocated block.
func (a *allocator) eachRequired(s mir.Block, g group, f func(need)) {
	for _, x := range a.entry[g][s] {
		f(need{place: x, fixed: true})
	}
	for i := a.f.First(s); i != 0 && a.f.Op(i).IsPhi(); i = a.f.Next(i) {
		if def := a.f.Defs(i)[0]; a.groupOf(int32(def.Imm)) == g {
			f(need{place: place{int32(def.Imm), def.Reg()}, fixed: true, phi: true})
		}
	}
}

// edgeCopies returns the parallel copy that an edge needs.
func (a *allocator) edgeCopies(p, s mir.Block, g group) (defs, uses []mir.Operand) {
	f := a.f
	for _, x := range a.entry[g][s] {
		if r := a.exitPlace(p, x.v); r != x.reg {
			defs = append(defs, a.physical(x.v, x.reg, 0))
			uses = append(uses, a.physical(x.v, r, 0))
		}
	}
	for i := f.First(s); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		def := f.Defs(i)[0]
		if a.groupOf(int32(def.Imm)) != g {
			continue
		}
		in := f.Uses(i)
		for n := 0; n < len(in); n += 2 {
			if in[n+1].Block() != p || in[n].Flags&mir.Undef != 0 {
				continue
			}
			src := in[n]
			if src.IsVirtual() {
				v, sub := int32(src.Reg().Index()), src.Sub
				src = a.physical(v, a.exitPlace(p, v)+mir.Reg(sub), src.N)
				src.Sub = sub
			}
			if src.Kind != mir.KindReg || src.Reg() != def.Reg() {
				defs, uses = append(defs, def), append(uses, src)
			}
		}
	}
	return defs, uses
}

// connect inserts the parallel copy for an edge at the end of the predecessor.
func (a *allocator) connect(p, s mir.Block, g group) error {
	defs, uses := a.edgeCopies(p, s, g)
	aside := a.aside[g][p] // for s, which now takes its values from their previous places
	a.aside[g][p] = nil
	if len(defs) == 0 && len(aside) == 0 {
		return nil
	}
	defs, uses, err := a.sidestep(p, s, g, defs, uses)
	if err != nil {
		return err
	}
	a.endCopy(p, g, defs, uses, aside)
	return nil
}

// endCopy extends the single parallel copy at the end of a block, so that all
// its sources have their places at the block's end. It removes the copies that
// moved values aside.
func (a *allocator) endCopy(p mir.Block, g group, defs, uses []mir.Operand, aside []place) {
	f := a.f
	i := a.last[g][p]
	if i == 0 {
		a.last[g][p] = a.insertCopy(a.endOf(p, g), defs, uses)
		return
	}
	n := len(defs)
	for k, d := range f.Defs(i) {
		same := func(o mir.Operand) bool { return o.Reg() == d.Reg() }
		if !slices.ContainsFunc(defs[:n], same) && !slices.Contains(aside, place{int32(d.Imm), d.Reg()}) {
			defs, uses = append(defs, d), append(uses, *f.Use(i, k))
		}
	}
	f.SetOperands(i, len(defs), append(defs, uses...)...)
}

// sidestep finds the values needed by successors other than s that copies at
// the end of p would overwrite. At the end of the current block, the same
// parallel copy moves them aside; otherwise the edge would have to become a
// block.
func (a *allocator) sidestep(p, s mir.Block, g group, defs, uses []mir.Operand) ([]mir.Operand, []mir.Operand, error) {
	if len(a.succs(p, g)) == 1 {
		return defs, uses, nil
	}
	var inTheWay []place
	split := false
	a.eachNeeded(p, s, g, func(x need) {
		if a.overwrites(p, defs, uses, x) && !slices.Contains(inTheWay, x.place) {
			inTheWay = append(inTheWay, x.place)
			split = split || x.fixed
		}
	})
	if len(inTheWay) == 0 {
		return defs, uses, nil
	}
	if split || p != a.at {
		return nil, nil, fmt.Errorf("BUG: codegen: the edge from bb%d to bb%d of %s is not split", p, s, a.f.Name)
	}
	for _, d := range defs {
		a.own(d.Reg(), int(d.N), noOwner, held)
	}
	for _, x := range inTheWay {
		if to := a.copiedTo(defs, uses, x.v); to != mir.NoReg {
			a.aside[g][p] = append(a.aside[g][p], place{x.v, to})
			continue
		}
		n := a.size(x.v)
		file := a.file(x.v)
		to := a.firstFree(file, n, a.limits[file])
		if to == mir.NoReg {
			return nil, nil, &errNoRegisters{file, a.f, a.f.Last(p)}
		}
		defs = append(defs, a.physical(x.v, to, 0))
		uses = append(uses, a.physical(x.v, a.exitPlace(p, x.v), 0))
		a.own(to, n, noOwner, held)
		a.aside[g][p] = append(a.aside[g][p], place{x.v, to})
	}
	return defs, uses, nil
}

// copiedTo returns the place to which a copy moves a virtual register for a
// phi, or NoReg. A value that a loop passes to its next iteration is often also
// live after the loop. Copies that restore a register's place for one successor
// do not count, because the copies for another successor would remove them,
// like copies of values moved aside.
func (a *allocator) copiedTo(defs, uses []mir.Operand, v int32) mir.Reg {
	for k := range uses {
		if u := &uses[k]; u.Kind == mir.KindReg && int32(u.Imm) == v && defs[k].Imm != int64(v) && u.Sub == 0 && int(defs[k].N) == a.size(v) {
			return defs[k].Reg()
		}
	}
	return mir.NoReg
}

// overwrites reports whether a copy at the end of a block overwrites a needed
// place with a different value.
func (a *allocator) overwrites(p mir.Block, defs, uses []mir.Operand, x need) bool {
	n := a.size(x.v)
	for k, d := range defs {
		if d.Reg() < x.reg+mir.Reg(n) && x.reg < d.Reg()+mir.Reg(d.N) && !a.provides(p, &defs[k], &uses[k], x) {
			return true
		}
	}
	return false
}

// provides reports whether a copy at the end of a block moves a value or a phi's
// source to the place where a successor expects it.
func (a *allocator) provides(p mir.Block, d, u *mir.Operand, x need) bool {
	n := a.size(x.v)
	src := int32(u.Imm)
	if d.Reg() != x.reg || int(d.N) != n || u.Kind != mir.KindReg || src == 0 || u.Sub != 0 || a.size(src) != n {
		return false
	}
	return a.isNeeded(p, src, x)
}

// isNeeded reports whether a virtual register is the value that a successor
// needs at the end of a block.
func (a *allocator) isNeeded(p mir.Block, v int32, x need) bool {
	if x.phi {
		return a.isPhiOf(x.v, p, v)
	}
	return v == x.v
}

// own changes the owner of n registers, if it equals from, to to.
func (a *allocator) own(r mir.Reg, n int, from, to int32) {
	file := a.f.File(r)
	at := int(r - base(file))
	for k := at; k < at+n; k++ {
		if a.owner[file][k] == from {
			a.owner[file][k] = to
		}
	}
}

// firstFree returns the first n free registers of a file below a limit, or
// NoReg.
func (a *allocator) firstFree(file mir.File, n, limit int) mir.Reg {
	align := a.align(file, n)
	for at := 0; at+n <= limit; at += align {
		if a.free(file, at, n) {
			return base(file) + mir.Reg(at)
		}
	}
	return mir.NoReg
}

// endOf returns the insertion point for copies at the end of a block. Vector
// registers are copied while the block's lanes are active.
func (a *allocator) endOf(b mir.Block, g group) mir.Instr {
	f := a.f
	at := f.FirstTerminator(b)
	if g == groupScalar {
		return at
	}
	for i := f.Prev(at); i != 0; i = f.Prev(i) {
		if f.Op(i) == mir.LogicalEnd {
			return i
		}
	}
	return at
}

// insertCopy inserts a parallel copy before an instruction.
func (a *allocator) insertCopy(at mir.Instr, defs, uses []mir.Operand) mir.Instr {
	i := a.f.NewInstr(mir.Copy, len(defs), append(defs, uses...)...)
	a.f.InsertBefore(i, at)
	a.copies = append(a.copies, i)
	return i
}

// physical returns an operand for the place of a virtual register, or for n
// dwords from a place on. For the checker, Imm holds the virtual register, and
// the caller sets Sub to the part.
func (a *allocator) physical(v int32, r mir.Reg, n uint8) mir.Operand {
	if n == 0 {
		n = uint8(a.size(v))
	}
	o := mir.Phys(r, int(n))
	o.Imm = int64(v)
	return o
}

// dropPhis removes the phis, which copies have replaced.
func (a *allocator) dropPhis() {
	f := a.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0 && f.Op(i).IsPhi(); {
			next := f.Next(i)
			f.Erase(i)
			i = next
		}
	}
}
