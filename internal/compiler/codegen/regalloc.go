package codegen

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Register allocation on SSA form.
//
// Blocks are visited in order, tracking the contents of the register files. A
// register that is used for the last time is free for the results of the same
// instruction. If a tuple does not fit although enough registers are free,
// others are moved. A function therefore needs no more registers than are live
// at once, except for alignment. Mesa's ACO uses this method; its foundation is
// S. Hack, "Register Allocation for Programs in SSA Form" (2007).
//
// The first visited predecessor of a block determines the places of values at
// its start. The others copy their values there at their ends, together with
// the sources of phis. Vector registers follow the logical edges: a lane finds
// in them the values that it had when it left the previous block, regardless of
// other lanes.

// regLimits holds a number of registers for each file.
type regLimits [mir.FileSCC + 1]int

// errNoRegisters is the error if the limits are insufficient.
type errNoRegisters struct {
	file mir.File
	f    *mir.Func
	i    mir.Instr
}

func (e *errNoRegisters) Error() string {
	return fmt.Sprintf("function %s: out of registers of file %v at %q", e.f.Name, e.file, e.f.AppendInstr(nil, e.i))
}

// place is the location of a virtual register.
type place struct {
	v   int32   // virtual register index
	reg mir.Reg // first physical register
}

// group selects the edges that a register follows.
type group uint8

const (
	groupVector group = iota // vector registers: logical edges
	groupScalar              // linear edges
	numGroups
)

const (
	noOwner  int32 = 0
	reserved int32 = -1 // not a virtual register
	held     int32 = -2 // source of the current instruction at its last use
	kept     int32 = -3 // used throughout the function, such as the stack pointer
)

// allocator allocates the registers of functions, reusing its memory.
type allocator struct {
	f      *mir.Func
	at     mir.Block // current block
	live   liveness
	limits regLimits
	max    regLimits // highest used registers plus 1
	low    bool      // the current instruction takes only VGPRs below lowVGPRs

	keep     []regRange                  // registers reserved throughout the function
	clobbers func(call mir.Instr) RegSet // registers that a call clobbers
	sets     []RegSet                    // register sets, the first one empty
	unions   map[[2]int32]int32          // of pairs of sets
	across   []int32                     // by virtual register: the set clobbered by the calls that it is live across

	owner [mir.FileSCC + 1][]int32 // owner of each physical register: a virtual register, noOwner or reserved
	loc   []mir.Reg                // place of each virtual register, or NoReg
	hint  []affinity               // by virtual register
	short []int32                  // by virtual register: operands that VCC makes short
	masks []maskLife               // of the current block

	entry, exit [numGroups][][]place   // by block: places at its start, and at its end before the edge copies
	aside       [numGroups][][]place   // by block: places that those copies vacate for other successors
	last        [numGroups][]mir.Instr // by block: those copies
	joined      []map[mir.Block]bool   // by block: the predecessors whose copies exist
	begun, done []bool                 // by block: entry and exit are known
	planned     []mir.Reg              // by virtual register: the place of a phi, or of a tuple with placed parts

	moves   []move      // parallel copy before the current instruction
	fresh   []int32     // virtual registers that the current instruction defines or whose places it fixes
	killed  []place     // virtual registers at their last use in it
	holding bool        // the places of killed sources are reserved
	copies  []mir.Instr // inserted copies

	unsplit []edge // edges to split before linearization
}

// move is a part of a parallel copy.
type move struct {
	v        int32 // the moved virtual register, 0 for a copy of source
	source   mir.Operand
	from, to mir.Reg
}

// regRange is a range of n registers.
type regRange struct {
	reg mir.Reg
	n   int
}

// affinity describes the place that saves a copy.
type affinity struct {
	same  int32 // a virtual register whose place is preferable, 0 for none
	whole int32 // a tuple of which this register becomes a part, 0 for none
	at    uint8 // first dword in the tuple
}

// allocateRegisters allocates the registers of a function in StageLinearized.
// Phis remain, with physical results, for the checker; dropPhis removes them.
func (a *allocator) allocateRegisters(f *mir.Func, limits regLimits) error {
	a.f, a.limits = f, limits
	a.live.computeLiveness(f)
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

// resized returns n empty slices, reusing their memory.
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

// affinities computes the preferred places of registers.
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

// attract records that two operands should share a place.
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

// argumentHint sets the hint of a register to the argument or result to which
// its last use copies it.
func (a *allocator) argumentHint(x, y mir.Operand) {
	if x.IsVirtual() && x.N == 0 && x.Flags&mir.Kill != 0 && y.Reg().IsPhys() && a.f.Hint(x.Reg()) == mir.NoReg {
		a.f.SetHint(x.Reg(), y.Reg())
	}
}

// parts records the positions of a tuple's parts.
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

// groupOf returns the group of a virtual register.
func (a *allocator) groupOf(v int32) group {
	if hasBit(a.live.vector, int(v)) {
		return groupVector
	}
	return groupScalar
}

func (a *allocator) file(v int32) mir.File { return a.f.File(mir.Virtual(int(v))) }
func (a *allocator) size(v int32) int      { return a.f.Dwords(mir.Virtual(int(v))) }

// align returns the alignment of a virtual register in its file: 2 or 4 for
// SGPR tuples; 2 for tuples of vector registers on processors that require it
// (AMD's ISA documents of the MI200, "VGPR alignment"; gfx12.5 does, too).
func (a *allocator) align(file mir.File, n int) int {
	switch {
	case n == 1:
		return 1
	case file == mir.FileS:
		return min(n&^1, 4) // 2 for sizes 2 and 3, otherwise 4
	case a.f.M.Set.Has(isa.PropEvenTuples):
		return 2
	}
	return 1
}

// base returns the first register of a file.
func base(file mir.File) mir.Reg {
	return [...]mir.Reg{mir.FileS: mir.SGPR0, mir.FileV: mir.VGPR0, mir.FileA: mir.AGPR0, mir.FileSCC: mir.SCC}[file]
}

// assignPlace records the place of a virtual register.
func (a *allocator) assignPlace(v int32, r mir.Reg) {
	file, n := a.file(v), a.size(v)
	at := int(r - base(file))
	for k := range n {
		a.owner[file][at+k] = v
	}
	a.loc[v] = r
	a.max[file] = max(a.max[file], at+n)
}

// removePlace records that a virtual register has no place.
func (a *allocator) removePlace(v int32) {
	r := a.loc[v]
	if r == mir.NoReg {
		return
	}
	file := a.file(v)
	at := int(r - base(file))
	for k := range a.size(v) {
		if a.owner[file][at+k] == v {
			a.owner[file][at+k] = noOwner
		}
	}
	a.loc[v] = mir.NoReg
}

// free reports whether n registers of a file, starting at at, are free and can
// be a tuple.
func (a *allocator) free(file mir.File, at, n int) bool {
	if at < 0 || at+n > len(a.owner[file]) || crossesBank(file, at, n) {
		return false
	}
	for k := range n {
		if a.owner[file][at+k] != noOwner {
			return false
		}
	}
	return true
}

// inLimit reports whether n registers of a file, starting at at, may be used:
// those below the limit, and VCC.
func (a *allocator) inLimit(file mir.File, at, n int) bool {
	return at >= 0 && at+n <= a.limit(file) || file == mir.FileS && at >= vccIndex && at+n <= vccIndex+2
}

const vccIndex = int(mir.VCC - mir.SGPR0)

// choose returns a place for a virtual register. It may move others.
func (a *allocator) choose(v int32, i mir.Instr) (mir.Reg, error) {
	file, n := a.file(v), a.size(v)
	if file == mir.FileSCC {
		if a.owner[file][0] != noOwner {
			return 0, fmt.Errorf("BUG: codegen: two values of the scalar condition code are live at %q", a.f.AppendInstr(nil, i))
		}
		return mir.SCC, nil
	}
	align := a.align(file, n)
	fits := func(at int) bool {
		return at%align == 0 && a.inLimit(file, at, n) && a.free(file, at, n) && a.survives(v, file, at, n)
	}
	if r := a.hinted(v, i, fits); r != mir.NoReg {
		return r, nil
	}
	if r := a.accumulatorPlace(i, fits); r != mir.NoReg {
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

// hinted returns a free place for a result of an instruction that saves a copy,
// or NoReg.
func (a *allocator) hinted(v int32, i mir.Instr, fits func(at int) bool) mir.Reg {
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
	if r := try(a.planned[v], 0); r != mir.NoReg { // parts of it are already there
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
		return a.inTuple(v, i, h, fits)
	}
	return mir.NoReg
}

// inTuple returns the place of a part in a tuple for which there is room: next
// to parts that have a place already, in the place of sources that end where the
// parts are defined, or in the first space that fits the whole tuple.
func (a *allocator) inTuple(v int32, i mir.Instr, h affinity, fits func(at int) bool) mir.Reg {
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
	if at < 0 {
		at = a.replacedBase(i, h, fits)
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

// replacedBase returns the start of a tuple if the part that an instruction
// defines replaces a source of it, and the other parts replace values that end
// where they are defined, otherwise -1. Operations on the elements of vectors
// then need no further registers.
func (a *allocator) replacedBase(i mir.Instr, h affinity, fits func(at int) bool) int {
	f := a.f
	file, n := a.file(h.whole), a.size(h.whole)
	tuple := f.DefOf(mir.Virtual(int(h.whole)))
	if tuple == 0 || f.Op(tuple) != mir.Vector || f.Parent(tuple) != f.Parent(i) {
		return -1
	}
	for _, x := range a.killed {
		if a.file(x.v) != file || a.size(x.v) != 1 {
			continue
		}
		at := int(x.reg-base(file)) - int(h.at)
		if at >= 0 && at%a.align(file, n) == 0 && at+n <= a.limits[file] && a.survives(h.whole, file, at, n) && fits(at+int(h.at)) && a.isReplaced(tuple, file, at) {
			return at
		}
	}
	return -1
}

// isReplaced reports whether the registers from a place on are free or hold
// values that end where the tuple's parts are defined.
func (a *allocator) isReplaced(tuple mir.Instr, file mir.File, at int) bool {
	f := a.f
	for _, o := range f.Uses(tuple) {
		n := 1
		if o.Kind == mir.KindReg {
			n = f.OperandDwords(&o)
		}
		for k := at; k < at+n; k++ {
			if w := a.owner[file][k]; w != noOwner && (w < 0 || n > 1 || !a.endsAtPart(w, o)) {
				return false
			}
		}
		at += n
	}
	return true
}

// endsAtPart reports whether a virtual register is a part of a tuple or a source
// of the part's definition, and ends there.
func (a *allocator) endsAtPart(w int32, part mir.Operand) bool {
	f := a.f
	ends := func(o mir.Operand) bool { return o.Reg() == mir.Virtual(int(w)) && o.Flags&mir.Kill != 0 }
	if !part.IsVirtual() || part.N != 0 {
		return false
	}
	if ends(part) {
		return true
	}
	d := f.DefOf(part.Reg())
	if d == 0 || f.Parent(d) != a.at || a.loc[part.Reg().Index()] != mir.NoReg {
		return false
	}
	return slices.ContainsFunc(f.Uses(d), ends)
}

// hasOnlyParts reports whether n registers are free or hold copies of a tuple's
// dwords made by split-parts. Those are usually read before the parts of the
// tuple's next value are defined.
func (a *allocator) hasOnlyParts(r mir.Reg, n int, tuple int32) bool {
	f := a.f
	owner := a.owner[f.File(r)]
	for k := range n {
		v := owner[r.Index()+k]
		if v == noOwner {
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

// tupleBase returns the start of a tuple that has a placed part, or -1.
func (a *allocator) tupleBase(whole int32) int {
	if r := a.planned[whole]; r != mir.NoReg {
		return int(r - base(a.file(whole)))
	}
	return -1
}

// makeRoom moves virtual registers to free n consecutive registers of a file.
// It returns the first one, or -1. It chooses the cheapest range whose
// registers all fit elsewhere. Results of the current instruction are not
// moved.
func (a *allocator) makeRoom(file mir.File, n, align int) int {
	done := -1 // cost of the ranges already tried
	for {
		best, bestCost := -1, int(^uint(0)>>1)
		for at := 0; at+n <= a.limit(file); at += align {
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

// clearRoom moves virtual registers out of a range of n registers. If one does
// not fit elsewhere, all keep their places.
func (a *allocator) clearRoom(file mir.File, at, n int) bool {
	before := slices.Clone(a.moves)
	var evicted []place
	for k := at; k < at+n; k++ {
		if v := a.owner[file][k]; v > 0 {
			evicted = append(evicted, place{v, a.loc[v]})
			a.evict(v)
		}
	}
	slices.SortStableFunc(evicted, func(x, y place) int { return a.size(y.v) - a.size(x.v) }) // small ones fit easily
	if a.relocateAll(file, at, n, evicted) {
		return true
	}
	for _, x := range evicted {
		a.removePlace(x.v)
	}
	for _, x := range evicted {
		a.assignPlace(x.v, x.reg)
	}
	a.moves = append(a.moves[:0], before...)
	return false
}

// relocateAll finds new places for evicted virtual registers, outside of a
// range of n registers and of the places of the current instruction's sources.
func (a *allocator) relocateAll(file mir.File, at, n int, evicted []place) bool {
	for k := at; k < at+n; k++ {
		a.owner[file][k] = reserved
	}
	if !a.holding {
		a.holdKilled(file, noOwner, held)
	}
	ok := true
	for _, x := range evicted {
		ok = ok && a.relocate(x.v)
	}
	if !a.holding {
		a.holdKilled(file, held, noOwner)
	}
	for k := at; k < at+n; k++ {
		a.owner[file][k] = noOwner
	}
	return ok
}

// holdKilled changes the owner of the places of killed sources from one value
// to another.
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

// roomCost returns the number of registers to move to clear a range, or -1 if
// that is impossible.
func (a *allocator) roomCost(file mir.File, at, n int) int {
	if crossesBank(file, at, n) {
		return -1
	}
	cost, freeElsewhere := 0, 0
	for k := at; k < at+n; {
		v := a.owner[file][k]
		switch {
		case v == noOwner:
			k++
		case v < 0 || a.isFresh(v):
			return -1
		default:
			first := int(a.loc[v] - base(file))
			end := first + a.size(v)
			cost += end - first
			freeElsewhere += max(at-first, 0) + max(end-at-n, 0) // the parts outside of the range
			k = end
		}
	}
	for k := range a.limits[file] {
		if (k < at || k >= at+n) && a.owner[file][k] == noOwner {
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

// evict starts a move of a virtual register to a place that is chosen later.
func (a *allocator) evict(v int32) {
	for n := range a.moves {
		if a.moves[n].v == v {
			a.removePlace(v)
			return
		}
	}
	a.moves = append(a.moves, move{v: v, from: a.loc[v]})
	a.removePlace(v)
}

// relocate finds a new place for an evicted virtual register.
func (a *allocator) relocate(v int32) bool {
	r := a.firstFree(a.file(v), a.size(v), a.limits[a.file(v)])
	if r == mir.NoReg {
		return false
	}
	a.settle(v, r)
	return true
}

// settle ends the move of an evicted virtual register at a place.
func (a *allocator) settle(v int32, r mir.Reg) {
	a.assignPlace(v, r)
	for k := range a.moves {
		if a.moves[k].v == v {
			a.moves[k].to = r
		}
	}
}
