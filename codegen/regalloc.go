package codegen

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Register allocation on SSA form.
//
// Blocks are walked in their order, with the contents of the register files. A register that is used for
// the last time is free for the results of the same instruction. When a tuple finds no place although
// enough registers are free, others are moved. So a function needs no more registers than are
// live at one time, but for alignment. This is how Mesa's ACO does it; the foundation is S. Hack, "Register
// Allocation for Programs in SSA Form" (2007).
//
// The first predecessor of a block that has been walked decides where values are at its start; the others
// copy theirs there at their ends, together with the sources of phis. Vector registers follow the
// logical edges: what a lane has in them when it leaves a block, it has when it enters the next one, whatever
// other lanes do in between.

// regLimits are how many registers of each file may be used.
type regLimits [mir.FileSCC + 1]int

// errNoRegisters is the error when the limits do not suffice.
type errNoRegisters struct {
	file mir.File
	f    *mir.Func
	i    mir.Instr
}

func (e *errNoRegisters) Error() string {
	return fmt.Sprintf("function %s: out of registers of file %v at %q", e.f.Name, e.file, e.f.AppendInstr(nil, e.i))
}

// place is where a virtual register is.
type place struct {
	v   int32   // index of the virtual register
	reg mir.Reg // first physical one
}

// group is which edges a register follows.
type group uint8

const (
	groupVector group = iota // vector registers: logical edges
	groupScalar              // linear edges
	numGroups
)

const (
	nobody   int32 = 0
	reserved int32 = -1 // for what is no virtual register
	held     int32 = -2 // for a source of the instruction at hand that is used last
	kept     int32 = -3 // for what the function keeps in a register all the time: the stack pointer, for example
)

// allocator allocates the registers of one function after the other in the same memory.
type allocator struct {
	f      *mir.Func
	at     mir.Block // the block at hand
	live   liveness
	limits regLimits
	max    regLimits // the highest registers that were used, plus 1

	keep     []regRange                  // registers with another use throughout the function
	clobbers func(call mir.Instr) RegSet // what calls change
	sets     []RegSet                    // sets of registers, the first one empty
	unions   map[[2]int32]int32          // of sets
	across   []int32                     // by virtual register: the number of the set that the calls change across which it lives

	owner [mir.FileSCC + 1][]int32 // who is in each physical register: a virtual register, nobody or reserved
	loc   []mir.Reg                // where each virtual register is, NoReg when it is nowhere
	hint  []affinity               // by virtual register

	entry, exit [numGroups][][]place   // by block: where values are at its start, and at its end before the copies for its successors
	aside       [numGroups][][]place   // by block: what those copies move away for other successors
	last        [numGroups][]mir.Instr // by block: those copies
	joined      []map[mir.Block]bool   // by block: the predecessors whose copies are made
	begun, done []bool                 // by block: entry and exit are known
	planned     []mir.Reg              // by virtual register: the place of a phi at the start of its block, and of a tuple of which parts have theirs

	moves  []move      // the parallel copy before the instruction at hand
	fresh  []int32     // virtual registers that the instruction at hand defines, or whose place it fixes
	killed []place     // those that it uses last
	copies []mir.Instr // what was inserted

	unsplit []edge // that must become blocks before control flow is linearized
}

// move is a part of a parallel copy.
type move struct {
	v        int32 // the virtual register that moves, 0 for a copy of source
	source   mir.Operand
	from, to mir.Reg
}

// regRange is n registers from one on.
type regRange struct {
	reg mir.Reg
	n   int
}

// affinity says which place would save a copy.
type affinity struct {
	same  int32 // a virtual register in whose place this one would best be, 0 for none
	whole int32 // a tuple of which this one becomes a part, 0 for none
	at    uint8 // the first dword in it
}

// run allocates the registers of a function in the stage StageLinearized. Afterwards the phis are there still, with
// physical results, for the checker; dropPhis takes them away.
func (a *allocator) run(f *mir.Func, limits regLimits) error {
	a.f, a.limits = f, limits
	a.live.run(f)
	a.live.mark()
	a.reset()
	a.affinities()
	a.maskHints()
	a.findAcross()
	for _, b := range slices.Clone(f.Layout) {
		if err := a.block(b); err != nil {
			return err
		}
	}
	if len(a.unsplit) > 0 {
		return errSplitEdges(a.unsplit)
	}
	return nil
}

func (a *allocator) reset() {
	f := a.f
	a.joined = make([]map[mir.Block]bool, f.NumBlocks())
	a.max, a.copies, a.unsplit = regLimits{}, a.copies[:0], nil
	sizes := [...]int{mir.FileS: 256, mir.FileV: mir.MaxVGPRs, mir.FileA: mir.MaxVGPRs, mir.FileSCC: 1}
	for file := mir.FileS; file <= mir.FileSCC; file++ {
		a.owner[file] = zeroed(a.owner[file], sizes[file])
	}
	a.loc = zeroed(a.loc, f.NumVirtual())
	a.hint = zeroed(a.hint, f.NumVirtual())
	a.planned = zeroed(a.planned, f.NumVirtual())
	a.begun = zeroed(a.begun, f.NumBlocks())
	a.done = zeroed(a.done, f.NumBlocks())
	for g := range numGroups {
		a.entry[g] = resized(a.entry[g], f.NumBlocks())
		a.exit[g] = resized(a.exit[g], f.NumBlocks())
		a.aside[g] = resized(a.aside[g], f.NumBlocks())
		a.last[g] = zeroed(a.last[g], f.NumBlocks())
	}
}

// resized gives n empty slices, with the memory that they had.
func resized[T any](old [][]T, n int) [][]T {
	for len(old) < n {
		old = append(old, nil)
	}
	old = old[:n]
	for i := range old {
		old[i] = old[i][:0]
	}
	return old
}

// affinities finds out which registers would best be in the same place.
func (a *allocator) affinities() {
	f := a.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			defs, uses := f.Defs(i), f.Uses(i)
			switch op := f.Op(i); {
			case op.IsPhi():
				for n := 0; n < len(uses); n += 2 {
					a.attract(uses[n], defs[0])
				}
			case op == mir.Copy:
				for n := range defs {
					a.attract(uses[n], defs[n])
					a.argumentHint(uses[n], defs[n])
				}
			case op == mir.Vector:
				a.parts(defs[0], uses)
			default:
				a.tiedHint(i)
			}
		}
	}
}

// attract notes that two operands would best be in the same place.
func (a *allocator) attract(x, y mir.Operand) {
	if !x.IsVirtual() || !y.IsVirtual() || x.N != 0 || y.N != 0 {
		return
	}
	p, q := &a.hint[x.Reg().Index()], &a.hint[y.Reg().Index()]
	if p.same == 0 {
		p.same = int32(y.Reg().Index())
	}
	if q.same == 0 {
		q.same = int32(x.Reg().Index())
	}
}

// argumentHint makes the place of an argument or a result the hint of the register that is copied there and not used any more.
func (a *allocator) argumentHint(x, y mir.Operand) {
	if x.IsVirtual() && x.N == 0 && x.Flags&mir.Kill != 0 && y.Reg().IsPhys() && a.f.Hint(x.Reg()) == mir.NoReg {
		a.f.SetHint(x.Reg(), y.Reg())
	}
}

// parts notes where in a tuple its parts go.
func (a *allocator) parts(def mir.Operand, uses []mir.Operand) {
	if !def.IsVirtual() {
		return
	}
	at := 0
	for _, o := range uses {
		n := 1
		if o.Kind == mir.KindReg {
			n = a.f.OperandDwords(&o)
		}
		if o.IsVirtual() && o.N == 0 {
			if h := &a.hint[o.Reg().Index()]; h.whole == 0 {
				h.whole, h.at = int32(def.Reg().Index()), uint8(at)
			}
		}
		at += n
	}
}

func (a *allocator) tiedHint(i mir.Instr) {
	first := len(a.f.Defs(i))
	for n := range a.f.Uses(i) {
		if s := a.f.SlotOf(i, first+n); s != nil && s.Tied {
			a.attract(*a.f.Use(i, n), a.f.Defs(i)[0])
		}
	}
}

// groupOf gives the group of a virtual register.
func (a *allocator) groupOf(v int32) group {
	if has(a.live.vector, int(v)) {
		return groupVector
	}
	return groupScalar
}

func (a *allocator) file(v int32) mir.File { return a.f.File(mir.Virtual(int(v))) }
func (a *allocator) size(v int32) int      { return a.f.Dwords(mir.Virtual(int(v))) }

// align gives the alignment of a virtual register in its file: tuples of SGPRs to 2 or 4, those of vector
// registers to 2 where the processor demands it (AMD's ISA documents of the MI200, "VGPR alignment").
func (a *allocator) align(file mir.File, n int) int {
	switch {
	case n == 1:
		return 1
	case file == mir.FileS:
		return min(n&^1, 4) // 2 for 2 and 3, 4 from 4 on
	case a.f.M.Set.Gen() == isa.Gen90A || a.f.M.Set.Gen() == isa.Gen940:
		return 2
	}
	return 1
}

// base gives the first register of a file.
func base(file mir.File) mir.Reg {
	return [...]mir.Reg{mir.FileS: mir.SGPR0, mir.FileV: mir.VGPR0, mir.FileA: mir.AGPR0, mir.FileSCC: mir.SCC}[file]
}

// put notes that a virtual register is in a place.
func (a *allocator) put(v int32, r mir.Reg) {
	file, n := a.file(v), a.size(v)
	at := int(r - base(file))
	for k := range n {
		a.owner[file][at+k] = v
	}
	a.loc[v] = r
	a.max[file] = max(a.max[file], at+n)
}

// take notes that a virtual register is nowhere any more.
func (a *allocator) take(v int32) {
	r := a.loc[v]
	if r == mir.NoReg {
		return
	}
	file := a.file(v)
	at := int(r - base(file))
	for k := range a.size(v) {
		if a.owner[file][at+k] == v {
			a.owner[file][at+k] = nobody
		}
	}
	a.loc[v] = mir.NoReg
}

// free reports whether n registers of a file from one on are free.
func (a *allocator) free(file mir.File, at, n int) bool {
	if at < 0 || at+n > len(a.owner[file]) {
		return false
	}
	for k := range n {
		if a.owner[file][at+k] != nobody {
			return false
		}
	}
	return true
}

// inLimit reports whether n registers of a file from one on may be used: those below the limit, and VCC.
func (a *allocator) inLimit(file mir.File, at, n int) bool {
	return at >= 0 && at+n <= a.limits[file] || file == mir.FileS && at >= vccIndex && at+n <= vccIndex+2
}

const vccIndex = int(mir.VCC - mir.SGPR0)

// choose finds a place for a virtual register, which may take moving others.
func (a *allocator) choose(v int32, i mir.Instr) (mir.Reg, error) {
	file, n := a.file(v), a.size(v)
	if file == mir.FileSCC {
		if a.owner[file][0] != nobody {
			return 0, fmt.Errorf("BUG: codegen: the scalar condition code is needed twice at %q", a.f.AppendInstr(nil, i))
		}
		return mir.SCC, nil
	}
	align := a.align(file, n)
	fits := func(at int) bool {
		return at%align == 0 && a.inLimit(file, at, n) && a.free(file, at, n) && a.survives(v, file, at, n)
	}
	if r := a.hinted(v, fits); r != mir.NoReg {
		return r, nil
	}
	if r := a.firstFreeFor(v); r != mir.NoReg {
		return r, nil
	}
	if at := a.makeRoom(file, n, align); at >= 0 {
		return base(file) + mir.Reg(at), nil
	}
	return 0, &errNoRegisters{file, a.f, i}
}

// hinted gives the place that saves a copy, if it is free.
func (a *allocator) hinted(v int32, fits func(at int) bool) mir.Reg {
	file := a.file(v)
	try := func(r mir.Reg, offset int) mir.Reg {
		if r == mir.NoReg || a.f.File(r) != file || !fits(int(r-base(file))+offset) {
			return mir.NoReg
		}
		return r + mir.Reg(offset)
	}
	h := a.hint[v]
	if r := try(a.f.Hint(mir.Virtual(int(v))), 0); r != mir.NoReg {
		return r
	}
	if r := try(a.planned[v], 0); r != mir.NoReg { // parts of it are there
		return r
	}
	if h.same != 0 {
		for _, r := range [...]mir.Reg{a.planned[h.same], a.loc[h.same], a.f.Hint(mir.Virtual(int(h.same)))} {
			if r = try(r, 0); r != mir.NoReg {
				return r
			}
		}
	}
	if h.whole != 0 && a.file(h.whole) == file {
		return a.inTuple(v, h, fits)
	}
	return mir.NoReg
}

// inTuple gives the place of a part in a tuple for which there is room: beside the parts that have
// a place already, or the first room for all of it.
func (a *allocator) inTuple(v int32, h affinity, fits func(at int) bool) mir.Reg {
	file, n := a.file(v), a.size(h.whole)
	if at := a.tupleBase(h.whole); at >= 0 {
		if fits(at + int(h.at)) {
			return base(file) + mir.Reg(at+int(h.at))
		}
		return mir.NoReg
	}
	align := a.align(file, n)
	try := func(at int) bool {
		return at >= 0 && at%align == 0 && at+n <= a.limits[file] && a.free(file, at, n) && fits(at+int(h.at)) &&
			a.survives(h.whole, file, at, n)
	}
	at := -1
	if same := a.hint[h.whole].same; same != 0 && a.file(same) == file {
		for _, r := range [...]mir.Reg{a.planned[same], a.loc[same]} {
			if r != mir.NoReg && at < 0 && (try(int(r-base(file))) || fits(int(r-base(file))+int(h.at)) && a.hasOnlyParts(r, n, same)) {
				at = int(r - base(file))
			}
		}
	}
	for k := 0; at < 0 && k+n <= a.limits[file]; k += align {
		if try(k) {
			at = k
		}
	}
	if at < 0 {
		return mir.NoReg
	}
	a.planned[h.whole] = base(file) + mir.Reg(at)
	return base(file) + mir.Reg(at+int(h.at))
}

// hasOnlyParts reports whether n registers from one on are free or hold copies of a tuple's dwords (split-parts made them): those are read, as a rule, until
// the parts of the tuple's next value come.
func (a *allocator) hasOnlyParts(r mir.Reg, n int, tuple int32) bool {
	f := a.f
	owner := a.owner[f.File(r)]
	for k := range n {
		v := owner[r.Index()+k]
		if v == nobody {
			continue
		}
		if v < 0 || f.Op(f.DefOf(mir.Virtual(int(v)))) != mir.Copy {
			return false
		}
		for _, o := range f.Uses(f.DefOf(mir.Virtual(int(v)))) {
			if o.Imm != int64(tuple) || o.Kind != mir.KindReg {
				return false
			}
		}
	}
	return true
}

// tupleBase gives where a tuple begins of which some part has a place, -1 when none has.
func (a *allocator) tupleBase(whole int32) int {
	if r := a.planned[whole]; r != mir.NoReg {
		return int(r - base(a.file(whole)))
	}
	return -1
}

// makeRoom moves virtual registers so that n others of a file are free, and gives the first one, or -1: the cheapest room for which all
// that has to move finds another place. What the instruction at hand defines is not moved.
func (a *allocator) makeRoom(file mir.File, n, align int) int {
	done := -1 // the cost of rooms that were tried
	for {
		best, bestCost := -1, int(^uint(0)>>1)
		for at := 0; at+n <= a.limits[file]; at += align {
			if cost := a.roomCost(file, at, n)<<16 | at; cost > done && cost < bestCost {
				best, bestCost = at, cost
			}
		}
		if best < 0 || a.clearRoom(file, best, n) {
			return best
		}
		done = bestCost
	}
}

// clearRoom moves virtual registers away from n registers of a file. When one finds no other place, all stay where they were.
func (a *allocator) clearRoom(file mir.File, at, n int) bool {
	before := slices.Clone(a.moves)
	var evicted []place
	for k := at; k < at+n; k++ {
		if v := a.owner[file][k]; v > 0 {
			evicted = append(evicted, place{v, a.loc[v]})
			a.evict(v)
		}
	}
	slices.SortStableFunc(evicted, func(x, y place) int { return a.size(y.v) - a.size(x.v) }) // what is small finds a place easily
	if a.relocateAll(file, at, n, evicted) {
		return true
	}
	for _, x := range evicted {
		a.take(x.v)
	}
	for _, x := range evicted {
		a.put(x.v, x.reg)
	}
	a.moves = append(a.moves[:0], before...)
	return false
}

// relocateAll finds new places for virtual registers that were evicted: not among n registers from one on,
// nor where a source of the instruction at hand still is.
func (a *allocator) relocateAll(file mir.File, at, n int, evicted []place) bool {
	for k := at; k < at+n; k++ {
		a.owner[file][k] = reserved
	}
	a.holdKilled(file, nobody, held)
	ok := true
	for _, x := range evicted {
		ok = ok && a.relocate(x.v)
	}
	a.holdKilled(file, held, nobody)
	for k := at; k < at+n; k++ {
		a.owner[file][k] = nobody
	}
	return ok
}

// holdKilled changes the owner of the places of sources that are used last, where it is from, into to.
func (a *allocator) holdKilled(file mir.File, from, to int32) {
	for _, x := range a.killed {
		if a.file(x.v) != file {
			continue
		}
		at := int(x.reg - base(file))
		for k := at; k < at+a.size(x.v); k++ {
			if a.owner[file][k] == from {
				a.owner[file][k] = to
			}
		}
	}
}

// roomCost gives how many registers would have to move to make room, -1 when that cannot be.
func (a *allocator) roomCost(file mir.File, at, n int) int {
	cost := 0
	for k := at; k < at+n; {
		v := a.owner[file][k]
		switch {
		case v == nobody:
			k++
		case v < 0 || a.isFresh(v):
			return -1
		default:
			cost += a.size(v)
			k = int(a.loc[v]-base(file)) + a.size(v)
		}
	}
	freeElsewhere := 0
	for k := range a.limits[file] {
		if (k < at || k >= at+n) && a.owner[file][k] == nobody {
			freeElsewhere++
		}
	}
	if freeElsewhere < cost {
		return -1
	}
	return cost
}

func (a *allocator) isFresh(v int32) bool {
	for _, x := range a.fresh {
		if x == v {
			return true
		}
	}
	return false
}

// evict begins a move of a virtual register whose new place is not known yet.
func (a *allocator) evict(v int32) {
	for n := range a.moves {
		if a.moves[n].v == v {
			a.take(v)
			return
		}
	}
	a.moves = append(a.moves, move{v: v, from: a.loc[v]})
	a.take(v)
}

// relocate finds a new place for a virtual register that was evicted.
func (a *allocator) relocate(v int32) bool {
	r := a.firstFree(a.file(v), a.size(v))
	if r == mir.NoReg {
		return false
	}
	a.put(v, r)
	for k := range a.moves {
		if a.moves[k].v == v {
			a.moves[k].to = r
		}
	}
	return true
}
