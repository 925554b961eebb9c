package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Linearization: from the control flow of lanes to the control flow of the
// wave.
//
// A wave executes both sides of a divergent branch, with different active
// lanes. Blocks are ordered such that loops are contiguous and every block
// follows its predecessors, except for back edges to loop headers. At a
// divergent branch, the wave continues with the first of the targets; lanes
// wait for the others. The set of blocks with waiting lanes at the end of a
// block is called deferred. The wave branches to the first block among the
// deferred ones and the block's own targets, and defers the rest further. So it
// never skips a block with waiting lanes. Uniform branches remain branches if
// no lanes wait, or only for blocks that follow both targets. (S. Moll, S. Hack,
// "Partial Control-Flow Linearization", PLDI 2018.)
//
// A block with waiting lanes has a mask of them, which is a variable, and a
// gate: a block before it, which sets EXEC to the mask and skips to the next
// gate if the mask is empty. Edges to the block from branches that are not
// uniform add their lanes to the mask and lead to the gate. At a uniform
// branch, no lanes wait for the targets and EXEC is already right. If the block post-dominates
// a dominator in the same loop in each iteration, all lanes that leave the
// dominator arrive at the block. Then the mask is the dominator's EXEC, and no
// edge adds lanes.
//
// Input: virtual registers in SSA form and logical edges. Loops have one latch,
// functions one exit, and the control flow is reducible. Output: linear edges
// in addition, EXEC, and branches of the wave.
type linearizer struct {
	f     *mir.Func
	graph *analysis.Graph
	dom   *analysis.DomTree
	post  *analysis.DomTree
	loops *analysis.Loops

	order    []mir.Block   // blocks in linear order
	pos      []int32       // by block: position in the order
	deferred [][]mir.Block // by block: the blocks with waiting lanes when the wave enters it, in order
	waited   []bool        // by block: whether lanes may wait for it
	source   []mir.Block   // by block: the result of sourceOf, if it is in sought
	sought   []bool
}

// linearizeFunction linearizes a function.
func (l *linearizer) linearizeFunction(f *mir.Func) {
	l.f = f
	l.analyse()
	l.makeOrder()
	l.findDeferred()
	w := maskWriter{linearizer: l}
	w.writeMasks()
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

// makeOrder orders the blocks so that loops are contiguous, and in reverse
// postorder within a loop.
func (l *linearizer) makeOrder() {
	n := l.f.NumBlocks()
	l.order, l.pos = l.order[:0], zeroed(l.pos, n)
	members := make([][]uint32, l.loops.N()+1) // by loop: its own blocks and the headers of its inner loops
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

// childOf returns the loop directly inside outer that contains inner.
func (l *linearizer) childOf(outer, inner uint32) uint32 {
	for l.loops.Parent(inner) != outer {
		inner = l.loops.Parent(inner)
	}
	return inner
}

// isBack reports whether an edge is a back edge.
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

// findDeferred computes the deferred sets and the blocks with waiting lanes.
func (l *linearizer) findDeferred() {
	n := l.f.NumBlocks()
	l.deferred = resized(l.deferred, n)
	l.waited = zeroed(l.waited, n)
	l.source, l.sought = zeroed(l.source, n), zeroed(l.sought, n)
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

// ahead returns the forward targets of a block together with the deferred
// blocks at its end, in order. header is the target of the block's back edge,
// or 0.
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

// staysUniform reports whether the wave takes the same branch as its lanes: the
// branch is not divergent, and no lanes wait at the end of the block, except
// for blocks after the targets. A target with waiting lanes must not need a list
// of the lanes that arrive.
func (l *linearizer) staysUniform(b mir.Block) bool {
	waiting := l.deferredAtEnd(b)
	switch {
	case l.divergent(b):
		return false
	case len(waiting) == 0:
		return true
	case l.f.Op(l.f.Last(b)) != mir.BrSCC:
		return false
	}
	for _, s := range l.f.Succs(b) {
		if !l.isBack(b, s) && (l.pos[s] > l.pos[waiting[0]] || s == waiting[0] && l.sourceOf(s) == 0 && s != l.bareExit()) {
			return false
		}
	}
	return true
}

// bareExit returns the exit, if it only ends the program and ignores the active
// lanes, or 0.
func (l *linearizer) bareExit() mir.Block {
	if b := l.order[len(l.order)-1]; l.f.Op(l.f.First(b)) == mir.End {
		return b
	}
	return 0
}

func (l *linearizer) deferredAtEnd(b mir.Block) []mir.Block {
	return slices.DeleteFunc(slices.Clone(l.deferred[b]), func(x mir.Block) bool { return x == b })
}

// defer1 propagates the deferred blocks at the end of one block, and reports
// whether a set grew.
func (l *linearizer) defer1(b mir.Block) (grew bool) {
	if l.staysUniform(b) {
		waiting := l.deferredAtEnd(b)
		for _, s := range l.f.Succs(b) {
			for _, x := range waiting {
				grew = x != s && l.insert(&l.deferred[s], x) || grew
			}
		}
		return grew
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

// handOn propagates the blocks deferred with a block to the next block, which
// follows its gate.
func (l *linearizer) handOn(b mir.Block) (grew bool) {
	if d := l.deferredAtEnd(b); len(d) > 1 {
		return l.insert(&l.deferred[d[0]], d[1:]...)
	}
	return false
}

// sourceOf returns the dominator whose EXEC is the mask of a block, if lanes
// wait for the block: the nearest one in the same loop, if the block
// post-dominates it. Otherwise it returns 0.
func (l *linearizer) sourceOf(b mir.Block) mir.Block {
	if !l.sought[b] {
		l.sought[b] = true
		d := l.dom.IDom(uint32(b))
		for d != 0 && l.loops.Of(d) != l.loops.Of(uint32(b)) {
			d = l.dom.IDom(d)
		}
		if d != 0 && l.post.Dominates(uint32(b), d) && !l.avoidable(mir.Block(d), b) {
			l.source[b] = mir.Block(d)
		}
	}
	return l.source[b]
}

// avoidable reports whether a lane can reach the next iteration of a block's
// loop, or leave the loop, without passing through another block of the same
// loop.
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
