package analysis

import "slices"

// Loops is the loop forest of a graph. NewLoops finds natural loops; NewCycles
// also finds irreducible cycles. Loops are numbered from 1, and an outer loop
// has a smaller number than its inner loops.
type Loops struct {
	g *Graph

	loopOf []uint32 // by node: innermost loop
	pos    []uint32 // by node: position in blocks

	// by loop; 0 represents the function
	header, parent, depth []uint32
	first, end            []uint32 // range of its nodes in blocks
	last                  []uint32 // last loop inside it
	entryAt               []uint32 // range of its entries
	entries               []uint32
	blocks                []uint32

	b     loopBuilder
	stamp uint32
	seen  []uint32 // by node: stamp
}

// loopBuilder is the state of the search for loops. Loops are numbered in the
// order of discovery, inner ones first.
type loopBuilder struct {
	dfs        cycleDFS
	in, out    []uint32 // by node: a loop's header is entered before and left after all nodes that may be in the loop
	unreached  uint32   // value of in for unreachable nodes
	candidates []uint32

	header, parent, top []uint32
	loopOf              []uint32    // by node
	items, lastItem     []uint32    // by loop: first and last item, a node or, above N, an inner loop
	next                []uint32    // by item
	entries             []loopEntry // entries of one loop are adjacent
	firstEntry          []uint32    // by loop
	work                []uint32
	number              []uint32 // by found loop: final number
	entryAt             []uint32
}

type loopEntry struct{ loop, node uint32 }

// NewLoops finds the natural loops of the graph of a dominator tree. An edge to
// a node that dominates the edge's source forms a loop with that node as header
// (A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers", section 9.6.6). A region
// with several entries is not a loop. Each node of a loop follows its
// predecessors, except across edges to headers, and the nodes of an inner loop
// are adjacent.
func NewLoops(t *DomTree) *Loops {
	l := &Loops{}
	l.Reset(t)
	return l
}

// Reset recomputes l for t, as NewLoops does, and reuses its memory.
func (l *Loops) Reset(t *DomTree) {
	l.g = t.g
	b := &l.b
	b.in, b.out, b.unreached = t.in, t.out, ^uint32(0)
	b.candidates = t.g.rpo
	b.findLoops(t.g)
	b.orderItems(t.g)
	l.finalizeLoops()
}

// NewCycles finds cycles, which are loops that may have several entries, as
// defined by LLVM (docs/CycleTerminology.rst). A cycle is a maximal strongly
// connected region whose header is the first node that a depth-first search
// finds. Its inner cycles are the cycles of the region without the header. In a
// reducible graph the cycles are the natural loops. The header of an
// irreducible cycle depends on the search, which follows LLVM's order: from the
// last successor to the first. The header is the first node of a cycle, and the
// nodes of inner cycles are adjacent; the order is otherwise unspecified.
func NewCycles(g *Graph) *Loops {
	l := &Loops{}
	l.ResetCycles(g)
	return l
}

// ResetCycles recomputes l for g, as NewCycles does, and reuses its memory.
func (l *Loops) ResetCycles(g *Graph) {
	l.g = g
	b := &l.b
	b.dfs.searchGraph(g)
	b.in, b.out, b.unreached = b.dfs.in, b.dfs.out, 0
	b.candidates = b.dfs.pre
	b.findLoops(g)
	l.finalizeLoops()
}

// cycleDFS is a depth-first search that follows a node's last edge first.
type cycleDFS struct {
	in, out []uint32
	pre     []uint32
	stack   []uint32
	open    []uint32 // stack length when the node was entered
}

func (d *cycleDFS) searchGraph(g *Graph) {
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

// within reports whether n is h or a descendant of h.
func (b *loopBuilder) within(h, n uint32) bool {
	return b.in[n] != b.unreached && b.in[h] <= b.in[n] && b.out[n] <= b.out[h]
}

func (b *loopBuilder) findLoops(g *Graph) {
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

// grow builds the loop of header h from the sources of its back edges.
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

// expand continues with the predecessors of a loop's node.
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

// outermost returns the outermost known loop around l.
func (b *loopBuilder) outermost(l uint32) uint32 {
	for b.top[l] != l {
		b.top[l] = b.top[b.top[l]]
		l = b.top[l]
	}
	return l
}

// addItem appends a node or an inner loop (loop number plus N) to a loop's
// list.
func (b *loopBuilder) addItem(l, item uint32) {
	if b.items[l] == 0 {
		b.items[l] = item
	} else {
		b.next[b.lastItem[l]] = item
	}
	b.lastItem[l] = item
}

// orderItems rebuilds the lists in reverse post order. An inner loop takes the
// position of its header.
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

// finalizeLoops computes the final numbers and slices.
func (l *Loops) finalizeLoops() {
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
			l.emitLoop(uint32(i), &count)
		}
	}
	l.end[0], l.last[0] = uint32(len(l.blocks)), count
	l.takeEntries()
}

// emitLoop numbers a loop and its inner loops and lists their nodes. The stack
// holds the next items of the enclosing loops.
func (l *Loops) emitLoop(root uint32, count *uint32) {
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

// N returns the number of loops.
func (l *Loops) N() int { return len(l.header) - 1 }

// Of returns the innermost loop that contains a node, or 0.
func (l *Loops) Of(n uint32) uint32 { return l.loopOf[n] }

// NodeDepth returns the number of loops that contain a node.
func (l *Loops) NodeDepth(n uint32) int { return int(l.depth[l.loopOf[n]]) }

// Header returns the entry of a loop, or the first entry of an irreducible
// loop.
func (l *Loops) Header(loop uint32) uint32 { return l.header[loop] }

// IsHeader reports whether a node is the header of a loop.
func (l *Loops) IsHeader(n uint32) bool { return l.loopOf[n] != 0 && l.header[l.loopOf[n]] == n }

// Parent returns the loop immediately around another one, or 0.
func (l *Loops) Parent(loop uint32) uint32 { return l.parent[loop] }

// Depth returns the nesting depth of a loop, 1 for an outermost loop.
func (l *Loops) Depth(loop uint32) int { return int(l.depth[loop]) }

// Last returns the last loop nested in a loop: the nested loops at any depth
// are loop+1 to Last.
func (l *Loops) Last(loop uint32) uint32 { return l.last[loop] }

// Blocks returns the nodes of a loop, including inner loops, with the header
// first. The caller must not modify the slice.
func (l *Loops) Blocks(loop uint32) []uint32 { return l.blocks[l.first[loop]:l.end[loop]] }

// Contains reports whether a node is in a loop.
func (l *Loops) Contains(loop, n uint32) bool {
	return l.first[loop] <= l.pos[n] && l.pos[n] < l.end[loop]
}

// ContainsLoop reports whether inner is loop or nested in it.
func (l *Loops) ContainsLoop(loop, inner uint32) bool { return loop <= inner && inner <= l.last[loop] }

// Entries returns the header and all nodes of a loop with predecessors outside.
// The caller must not modify the slice.
func (l *Loops) Entries(loop uint32) []uint32 { return l.entries[l.entryAt[loop]:l.entryAt[loop+1]] }

// Reducible reports whether a loop has a single entry.
func (l *Loops) Reducible(loop uint32) bool { return l.entryAt[loop+1]-l.entryAt[loop] == 1 }

// Latches appends the predecessors of the header inside the loop to a slice,
// each once.
func (l *Loops) Latches(loop uint32, to []uint32) []uint32 {
	first := len(to)
	for _, p := range l.g.Preds(l.header[loop]) {
		if l.Contains(loop, p) && !slices.Contains(to[first:], p) {
			to = append(to, p)
		}
	}
	return to
}

// Latch returns the only predecessor of the header inside the loop, or 0 if it
// has several.
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

// Exiting appends the nodes of a loop with successors outside to a slice, each
// once.
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

// Exits appends the nodes outside a loop with predecessors inside to a slice,
// each once.
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

// Predecessor returns the only predecessor of the header outside the loop, or 0
// if it has none or several.
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

// Preheader returns the Predecessor of a loop if the header is its only
// successor, or 0.
func (l *Loops) Preheader(loop uint32) uint32 {
	if p := l.Predecessor(loop); p != 0 && len(l.g.Succs(p)) == 1 {
		return p
	}
	return 0
}
