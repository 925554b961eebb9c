package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/codegen/mir"
)

// Linearization: from what each lane does to what the wave does.
//
// A wave goes through both sides of a divergent branch, with other lanes on. Blocks are put into an order in
// which loops are contiguous and every block follows its predecessors but for the edges back to the headers
// of loops. Where a branch is divergent, the wave goes to the first one of its targets; for the others lanes
// wait. Which blocks may have waiting lanes at the end of a block is a set (deferred): the wave goes to the first block among
// those and the block's own targets, and the rest is deferred further. So no block with waiting lanes is jumped over. Uniform
// branches stay branches where no lanes wait. (S. Moll, S. Hack, "Partial Control-Flow Linearization", PLDI 2018.)
//
// A block for which lanes wait has a mask of them, a variable, and a gate: a block before it, in which EXEC becomes the mask, and
// which goes on to the next gate when there is no lane. Edges to the block from branches that are not uniform
// add their lanes to the mask and go to the gate; where a uniform branch comes from no lanes wait, and EXEC is right as it is. When
// a dominator of the block in the same loop is post-dominated by it in each iteration, all lanes that leave the dominator come to
// the block: then the mask is the dominator's EXEC, and no edge adds anything.
//
// What comes in: virtual registers in SSA form and logical edges; loops have one latch, functions one exit, and the control
// flow is reducible. What comes out: linear edges besides, EXEC, and branches of the wave.
type linearizer struct {
	f     *mir.Func
	graph *analysis.Graph
	dom   *analysis.DomTree
	post  *analysis.DomTree
	loops *analysis.Loops

	order    []mir.Block   // the linear order
	pos      []int32       // by block: its place in the order
	deferred [][]mir.Block // by block: the blocks for which lanes may wait when the wave comes to it, in order
	waited   []bool        // by block: whether lanes may wait for it
	source   []mir.Block   // by block: the dominator whose EXEC is its mask, 0 for none
}

// run linearizes a function.
func (l *linearizer) run(f *mir.Func) {
	l.f = f
	l.analyse()
	l.makeOrder()
	l.findDeferred()
	l.findSources()
	w := maskWriter{linearizer: l}
	w.run()
}

func (l *linearizer) analyse() {
	f := l.f
	l.graph = analysis.NewGraph(f.NumBlocks()-1, uint32(f.Layout[0]), func(n uint32, to []uint32) []uint32 {
		for _, s := range f.Succs(mir.Block(n)) {
			to = append(to, uint32(s))
		}
		return to
	})
	l.dom = analysis.NewDomTree(l.graph)
	l.post = analysis.NewPostDomTree(l.graph)
	l.loops = analysis.NewLoops(l.dom)
}

// makeOrder orders the blocks: those of a loop one behind the other, by their reverse postorder.
func (l *linearizer) makeOrder() {
	n := l.f.NumBlocks()
	l.order, l.pos = l.order[:0], zeroed(l.pos, n)
	members := make([][]uint32, l.loops.N()+1) // by loop: its own blocks and the headers of the loops in it
	for _, b := range l.graph.RPO() {
		loop := l.loops.Of(b)
		members[loop] = append(members[loop], b)
		if loop != 0 && l.loops.Header(loop) == b {
			members[l.loops.Parent(loop)] = append(members[l.loops.Parent(loop)], b)
		}
	}
	var emit func(loop uint32)
	emit = func(loop uint32) {
		for _, b := range members[loop] {
			if inner := l.loops.Of(b); inner != loop && l.loops.Header(inner) == b {
				emit(l.childOf(loop, inner))
				continue
			}
			l.pos[b] = int32(len(l.order))
			l.order = append(l.order, mir.Block(b))
		}
	}
	emit(0)
}

// childOf gives the loop directly inside of an outer one that holds an inner one.
func (l *linearizer) childOf(outer, inner uint32) uint32 {
	for l.loops.Parent(inner) != outer {
		inner = l.loops.Parent(inner)
	}
	return inner
}

// isBack reports whether an edge goes back to the header of a loop.
func (l *linearizer) isBack(from, to mir.Block) bool { return l.pos[to] <= l.pos[from] }

// divergent reports whether a block ends with a divergent branch.
func (l *linearizer) divergent(b mir.Block) bool { return l.f.Op(l.f.Last(b)) == mir.BrMask }

// insert adds blocks to a set in order, and reports whether it grew.
func (l *linearizer) insert(set *[]mir.Block, blocks ...mir.Block) (grew bool) {
	for _, b := range blocks {
		at, found := slices.BinarySearchFunc(*set, b, func(x, y mir.Block) int { return int(l.pos[x] - l.pos[y]) })
		if !found {
			*set = slices.Insert(*set, at, b)
			grew = true
		}
	}
	return grew
}

// findDeferred computes the deferred sets, and which blocks are waited for.
func (l *linearizer) findDeferred() {
	n := l.f.NumBlocks()
	l.deferred = resized(l.deferred, n)
	l.waited = zeroed(l.waited, n)
	for changed := true; changed; {
		changed = false
		for _, b := range l.order {
			if l.defer1(b) {
				changed = true
			}
			if l.handOn(b) {
				changed = true
			}
		}
	}
	for _, b := range l.order {
		for _, s := range l.deferred[b] {
			l.waited[s] = true
		}
	}
}

// ahead gives the targets of a block that are no back edges together with what is deferred at its end, in order,
// and the header to which its back edge goes, 0 when it has none.
func (l *linearizer) ahead(b mir.Block) (targets []mir.Block, header mir.Block) {
	for _, s := range l.deferred[b] {
		if s != b {
			l.insert(&targets, s)
		}
	}
	for _, s := range l.f.Succs(b) {
		if l.isBack(b, s) {
			header = s
		} else {
			l.insert(&targets, s)
		}
	}
	return targets, header
}

// staysUniform reports whether the wave takes the same branch as its lanes: when no lanes wait at the end of a block whose
// branch is not divergent.
func (l *linearizer) staysUniform(b mir.Block) bool {
	return !l.divergent(b) && len(l.deferredAtEnd(b)) == 0
}

func (l *linearizer) deferredAtEnd(b mir.Block) []mir.Block {
	return slices.DeleteFunc(slices.Clone(l.deferred[b]), func(x mir.Block) bool { return x == b })
}

// defer1 hands on what is deferred at the end of one block, and reports whether a set grew.
func (l *linearizer) defer1(b mir.Block) (grew bool) {
	if l.staysUniform(b) {
		return false
	}
	targets, header := l.ahead(b)
	if len(targets) > 0 {
		grew = l.insert(&l.deferred[targets[0]], targets[1:]...)
	}
	if header != 0 && l.insert(&l.deferred[header], targets...) {
		grew = true
	}
	return grew
}

// handOn says that who is deferred with a block is deferred at the next one as well, to which the gate goes on.
func (l *linearizer) handOn(b mir.Block) (grew bool) {
	if d := l.deferredAtEnd(b); len(d) > 1 {
		return l.insert(&l.deferred[d[0]], d[1:]...)
	}
	return false
}

// findSources finds the dominator whose EXEC is the mask of a waited block: the nearest one in the same loop, if the
// block post-dominates it.
func (l *linearizer) findSources() {
	l.source = zeroed(l.source, l.f.NumBlocks())
	for _, b := range l.order {
		if !l.waited[b] {
			continue
		}
		d := l.dom.IDom(uint32(b))
		for d != 0 && l.loops.Of(d) != l.loops.Of(uint32(b)) {
			d = l.dom.IDom(d)
		}
		if d != 0 && l.post.Dominates(uint32(b), d) && !l.avoidable(mir.Block(d), b) {
			l.source[b] = mir.Block(d)
		}
	}
}

// avoidable reports whether a lane can go from a block to the next iteration of its loop, or out of it, without coming to another block
// of the same loop.
func (l *linearizer) avoidable(from, block mir.Block) bool {
	loop := l.loops.Of(uint32(block))
	if loop == 0 {
		return false
	}
	seen := make([]bool, l.f.NumBlocks())
	seen[block] = true
	work := []mir.Block{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, s := range l.f.Succs(b) {
			if uint32(s) == l.loops.Header(loop) || !l.loops.Contains(loop, uint32(s)) {
				return true
			}
			work = append(work, s)
		}
	}
	return false
}
