package analysis

import "slices"

// Loops is a forest of loops of a graph. NewLoops finds natural loops, NewCycles
// those of irreducible regions too. Loops have numbers from 1 on, and an outer one
// has a smaller number than those inside of it.
type Loops struct {
	g *Graph

	loopOf []uint32 // by node: innermost loop
	pos    []uint32 // by node: place in blocks

	// by loop; 0 stands for the function
	header, parent, depth []uint32
	first, end            []uint32 // of its nodes in blocks
	last                  []uint32 // the last loop inside of it
	entryAt               []uint32 // of entries
	entries               []uint32
	blocks                []uint32

	b     loopBuilder
	stamp uint32
	seen  []uint32 // by node: stamp
}

// loopBuilder is what the search for loops needs. Loops have numbers in the order in which they are found, inner ones first.
type loopBuilder struct {
	dfs        cycleDFS
	in, out    []uint32 // by node: a loop's header comes before and ends after what may be in it
	unreached  uint32   // in of unreachable nodes
	candidates []uint32

	header, parent, top []uint32
	loopOf              []uint32    // by node
	items, lastItem     []uint32    // by loop: first and last item, a node or, above N, an inner loop
	next                []uint32    // by item
	entries             []loopEntry // those of a loop are next to each other
	firstEntry          []uint32    // by loop
	work                []uint32
	number              []uint32 // by found loop: final number
	entryAt             []uint32
}

type loopEntry struct{ loop, node uint32 }

// NewLoops finds the natural loops of the graph of a dominator tree: an edge to a node that dominates its origin makes a
// loop with that header (A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers", section 9.6.6). A region with
// several entries is no loop. Nodes of a loop are in an order in which each stands behind its predecessors
// but for edges to headers, and those of inner loops are next to each other.
func NewLoops(t *DomTree) *Loops {
	l := &Loops{}
	l.Reset(t)
	return l
}

// Reset makes it what NewLoops gives.
func (l *Loops) Reset(t *DomTree) {
	l.g = t.g
	b := &l.b
	b.in, b.out, b.unreached = t.in, t.out, ^uint32(0)
	b.candidates = t.g.rpo
	b.find(t.g)
	b.orderItems(t.g)
	l.take()
}

// NewCycles finds cycles, which are loops that may have several entries, as LLVM
// defines them (docs/CycleTerminology.rst): of a depth-first search a maximal strongly connected region is a
// cycle with the first node found as its header, and those inside are the cycles of the region without the
// header. In a reducible graph they are the natural loops. Which node of an irreducible cycle is its header depends on the
// search; this one is LLVM's: from the last successor to the first. Nodes of a cycle are in no particular order
// but that the header is the first, and that those of inner cycles are next to each other.
func NewCycles(g *Graph) *Loops {
	l := &Loops{}
	l.ResetCycles(g)
	return l
}

// ResetCycles makes it what NewCycles gives.
func (l *Loops) ResetCycles(g *Graph) {
	l.g = g
	b := &l.b
	b.dfs.run(g)
	b.in, b.out, b.unreached = b.dfs.in, b.dfs.out, 0
	b.candidates = b.dfs.pre
	b.find(g)
	l.take()
}

// cycleDFS is a depth-first search that follows the last edge first.
type cycleDFS struct {
	in, out []uint32
	pre     []uint32
	stack   []uint32
	open    []uint32 // length of the stack when a node was entered
}

func (d *cycleDFS) run(g *Graph) {
	d.in, d.out = zeroed(d.in, g.n+1), zeroed(d.out, g.n+1)
	d.pre = d.pre[:0]
	if g.entry == 0 {
		return
	}
	stack, open := append(d.stack[:0], g.entry), d.open[:0]
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		if d.in[n] == 0 {
			open = append(open, uint32(len(stack)))
			d.pre = append(d.pre, n)
			d.in[n] = uint32(len(d.pre))
			stack = append(stack, g.Succs(n)...)
			continue
		}
		if open[len(open)-1] == uint32(len(stack)) {
			d.out[n] = uint32(len(d.pre))
			open = open[:len(open)-1]
		}
		stack = stack[:len(stack)-1]
	}
	d.stack, d.open = stack, open
}

// within reports whether n is h or comes below it.
func (b *loopBuilder) within(h, n uint32) bool {
	return b.in[n] != b.unreached && b.in[h] <= b.in[n] && b.out[n] <= b.out[h]
}

func (b *loopBuilder) find(g *Graph) {
	b.loopOf = zeroed(b.loopOf, g.n+1)
	b.header, b.parent, b.top = append(b.header[:0], 0), append(b.parent[:0], 0), append(b.top[:0], 0)
	b.items, b.lastItem = append(b.items[:0], 0), append(b.lastItem[:0], 0)
	b.next = zeroed(b.next, 2*g.n+2)
	b.entries, b.firstEntry = b.entries[:0], append(b.firstEntry[:0], 0)
	for i := len(b.candidates) - 1; i >= 0; i-- {
		h := b.candidates[i]
		b.work = b.work[:0]
		for _, p := range g.Preds(h) {
			if b.within(h, p) {
				b.work = append(b.work, p)
			}
		}
		if len(b.work) > 0 {
			b.grow(g, h)
		}
	}
}

// grow makes the loop of a header from the origins of edges back to it.
func (b *loopBuilder) grow(g *Graph, h uint32) {
	l := uint32(len(b.header))
	b.header, b.parent, b.top = append(b.header, h), append(b.parent, 0), append(b.top, l)
	b.items, b.lastItem = append(b.items, 0), append(b.lastItem, 0)
	b.addItem(l, h)
	b.loopOf[h] = l
	b.firstEntry = append(b.firstEntry, uint32(len(b.entries)))
	b.entries = append(b.entries, loopEntry{l, h})
	for len(b.work) > 0 {
		n := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		if n == h {
			continue
		}
		if b.loopOf[n] == 0 {
			b.loopOf[n] = l
			b.addItem(l, n)
			b.expand(g, l, n)
			continue
		}
		inner := b.outermost(b.loopOf[n])
		if inner == l {
			continue
		}
		b.parent[inner], b.top[inner] = l, l
		b.addItem(l, uint32(g.n)+inner)
		for i := b.firstEntry[inner]; b.entries[i].loop == inner; i++ {
			b.expand(g, l, b.entries[i].node)
		}
	}
}

// expand goes on with the predecessors of a node of a loop.
func (b *loopBuilder) expand(g *Graph, l, n uint32) {
	entered := false
	for _, p := range g.Preds(n) {
		switch {
		case b.within(b.header[l], p):
			b.work = append(b.work, p)
		case b.in[p] != b.unreached:
			entered = true
		}
	}
	if entered {
		b.entries = append(b.entries, loopEntry{l, n})
	}
}

// outermost gives the outermost known loop around another one.
func (b *loopBuilder) outermost(l uint32) uint32 {
	for b.top[l] != l {
		b.top[l] = b.top[b.top[l]]
		l = b.top[l]
	}
	return l
}

// addItem puts a node or an inner loop (its number and that of nodes) at the end of a loop's list.
func (b *loopBuilder) addItem(l, item uint32) {
	if b.items[l] == 0 {
		b.items[l] = item
	} else {
		b.next[b.lastItem[l]] = item
	}
	b.lastItem[l] = item
}

// orderItems makes the lists anew in reverse post order; an inner loop stands where its header does.
func (b *loopBuilder) orderItems(g *Graph) {
	clear(b.items)
	for _, n := range g.rpo {
		l := b.loopOf[n]
		b.next[n] = 0
		if l == 0 {
			continue
		}
		if b.header[l] == n && b.parent[l] != 0 {
			b.next[uint32(g.n)+l] = 0
			b.addItem(b.parent[l], uint32(g.n)+l)
		}
		b.addItem(l, n)
	}
}

// take makes the final numbers and slices.
func (l *Loops) take() {
	b, n := &l.b, len(l.b.header)
	l.header, l.parent, l.depth = zeroed(l.header, n), zeroed(l.parent, n), zeroed(l.depth, n)
	l.first, l.end, l.last = zeroed(l.first, n), zeroed(l.end, n), zeroed(l.last, n)
	l.loopOf, l.pos = zeroed(l.loopOf, l.g.n+1), resize(l.pos, l.g.n+1)
	for i := range l.pos {
		l.pos[i] = ^uint32(0)
	}
	b.number = resize(b.number, n)
	b.number[0] = 0
	l.blocks = l.blocks[:0]
	count := uint32(0)
	for i := n - 1; i > 0; i-- {
		if b.parent[i] == 0 {
			l.emit(uint32(i), &count)
		}
	}
	l.end[0], l.last[0] = uint32(len(l.blocks)), count
	l.takeEntries()
}

// emit numbers a loop and those inside, and lists their nodes. The stack holds the next items of the loops around.
func (l *Loops) emit(root uint32, count *uint32) {
	b, limit := &l.b, uint32(l.g.n)
	stack := b.work[:0]
	open := func(old uint32) {
		*count++
		k := *count
		b.number[old] = k
		l.header[k], l.parent[k] = b.header[old], b.number[b.parent[old]]
		l.depth[k] = l.depth[l.parent[k]] + 1
		l.first[k] = uint32(len(l.blocks))
		stack = append(stack, k, b.items[old])
	}
	open(root)
	for len(stack) > 0 {
		k, item := stack[len(stack)-2], stack[len(stack)-1]
		if item == 0 {
			l.end[k], l.last[k] = uint32(len(l.blocks)), *count
			stack = stack[:len(stack)-2]
			continue
		}
		stack[len(stack)-1] = b.next[item]
		if item > limit {
			open(item - limit)
			continue
		}
		l.loopOf[item], l.pos[item] = k, uint32(len(l.blocks))
		l.blocks = append(l.blocks, item)
	}
	b.work = stack
}

func (l *Loops) takeEntries() {
	b, n := &l.b, len(l.b.header)
	l.entryAt = zeroed(l.entryAt, n+1)
	for _, e := range b.entries {
		l.entryAt[b.number[e.loop]+1]++
	}
	for i := 1; i <= n; i++ {
		l.entryAt[i] += l.entryAt[i-1]
	}
	l.entries = resize(l.entries, len(b.entries))
	b.entryAt = append(b.entryAt[:0], l.entryAt...)
	for _, e := range b.entries {
		at := &b.entryAt[b.number[e.loop]]
		l.entries[*at] = e.node
		*at++
	}
}

// N gives the number of loops.
func (l *Loops) N() int { return len(l.header) - 1 }

// Of gives the innermost loop that a node is in, 0 when it is in none.
func (l *Loops) Of(n uint32) uint32 { return l.loopOf[n] }

// NodeDepth gives how many loops a node is in.
func (l *Loops) NodeDepth(n uint32) int { return int(l.depth[l.loopOf[n]]) }

// Header gives the entry of a loop; of an irreducible one the first.
func (l *Loops) Header(loop uint32) uint32 { return l.header[loop] }

// IsHeader reports whether a node is the header of a loop.
func (l *Loops) IsHeader(n uint32) bool { return l.loopOf[n] != 0 && l.header[l.loopOf[n]] == n }

// Parent gives the loop directly around another one, 0 for none.
func (l *Loops) Parent(loop uint32) uint32 { return l.parent[loop] }

// Depth gives how many loops there are around a node that is directly in a loop: 1 for an outermost loop.
func (l *Loops) Depth(loop uint32) int { return int(l.depth[loop]) }

// Last gives the last loop inside of a loop: those inside, at any depth, are loop+1 to Last.
func (l *Loops) Last(loop uint32) uint32 { return l.last[loop] }

// Blocks gives the nodes of a loop with those of inner ones, the header first. It must not be changed.
func (l *Loops) Blocks(loop uint32) []uint32 { return l.blocks[l.first[loop]:l.end[loop]] }

// Contains reports whether a node is in a loop.
func (l *Loops) Contains(loop, n uint32) bool {
	return l.first[loop] <= l.pos[n] && l.pos[n] < l.end[loop]
}

// ContainsLoop reports whether a loop is another one or around it.
func (l *Loops) ContainsLoop(loop, inner uint32) bool { return loop <= inner && inner <= l.last[loop] }

// Entries gives the nodes of a loop that have predecessors outside, and the header. It must not be changed.
func (l *Loops) Entries(loop uint32) []uint32 { return l.entries[l.entryAt[loop]:l.entryAt[loop+1]] }

// Reducible reports whether a loop has one entry only.
func (l *Loops) Reducible(loop uint32) bool { return l.entryAt[loop+1]-l.entryAt[loop] == 1 }

// Latches appends the predecessors of the header that are in the loop to a slice, each once.
func (l *Loops) Latches(loop uint32, to []uint32) []uint32 {
	first := len(to)
	for _, p := range l.g.Preds(l.header[loop]) {
		if l.Contains(loop, p) && !slices.Contains(to[first:], p) {
			to = append(to, p)
		}
	}
	return to
}

// Latch gives the only predecessor of the header that is in the loop, 0 when there are several.
func (l *Loops) Latch(loop uint32) uint32 {
	latch := uint32(0)
	for _, p := range l.g.Preds(l.header[loop]) {
		if l.Contains(loop, p) {
			if latch != 0 && latch != p {
				return 0
			}
			latch = p
		}
	}
	return latch
}

// Exiting appends the nodes of a loop that have successors outside to a slice, each once.
func (l *Loops) Exiting(loop uint32, to []uint32) []uint32 {
	for _, n := range l.Blocks(loop) {
		for _, s := range l.g.Succs(n) {
			if !l.Contains(loop, s) {
				to = append(to, n)
				break
			}
		}
	}
	return to
}

// Exits appends the nodes outside of a loop that have predecessors in it to a slice, each once.
func (l *Loops) Exits(loop uint32, to []uint32) []uint32 {
	if len(l.seen) <= l.g.n {
		l.seen, l.stamp = zeroed(l.seen, l.g.n+1), 0
	}
	l.stamp++
	for _, n := range l.Blocks(loop) {
		for _, s := range l.g.Succs(n) {
			if !l.Contains(loop, s) && l.seen[s] != l.stamp {
				l.seen[s] = l.stamp
				to = append(to, s)
			}
		}
	}
	return to
}

// Predecessor gives the only node outside of a loop that goes to its header, 0 when there are none or several.
func (l *Loops) Predecessor(loop uint32) uint32 {
	from := uint32(0)
	for _, p := range l.g.Preds(l.header[loop]) {
		if !l.Contains(loop, p) {
			if from != 0 && from != p {
				return 0
			}
			from = p
		}
	}
	return from
}

// Preheader gives the Predecessor of a loop if the header is its only successor, 0 when there is none.
func (l *Loops) Preheader(loop uint32) uint32 {
	if p := l.Predecessor(loop); p != 0 && len(l.g.Succs(p)) == 1 {
		return p
	}
	return 0
}
