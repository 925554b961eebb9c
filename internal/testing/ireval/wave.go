package ireval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// wave is a set of lanes that execute cross-lane operations together.
type wave struct {
	mc    *Machine
	lanes []*lane
	made  []*lane // includes lanes of earlier groups for reuse
	size  int     // 32 or 64
	group *group
}

// group is a work-group.
type group struct {
	lds   arena
	waves []*wave
	all   []*wave // includes waves of earlier groups for reuse
	id    [3]uint32

	*dispatched
}

// prepare creates a fresh LDS, including dynamic LDS. If the kernel specifies
// the size of its variables, their addresses start at 0 and dynamic LDS follows
// directly.
func (g *group) prepare(mc *Machine, d *dispatched) {
	g.lds.budget, g.lds.fill = &mc.budget, mc.opts.Undef
	dynamic, base := d.dynamic, mc.dynamicLDS(d.fn.f)
	size := max(base, mc.ldsTop) + dynamic + redZone
	if uint64(len(g.lds.data)) < size {
		g.lds.data, g.lds.shadow = make([]byte, size+8), make([]byte, size+8)
	}
	clear(g.lds.data)
	clear(g.lds.shadow)
	if static, fixed := mc.staticLDS(d.fn.f); fixed {
		g.lds.mark(0, static, shClean|shUndef)
	} else {
		for _, v := range mc.lds {
			n := dynamic
			if mc.m.IsSized(v.Type) && mc.m.AllocSize(v.Type) > 0 {
				n = mc.m.AllocSize(v.Type)
			}
			g.lds.mark(mc.addrs[v], n, shClean|shUndef)
		}
	}
	g.lds.mark(base, dynamic, shClean|shUndef)
}

// staticLDS returns the size in bytes of a kernel's LDS variables, if an
// attribute specifies it.
func (mc *Machine) staticLDS(f *ir.Function) (size uint64, fixed bool) {
	s, ok := mc.m.StringAttr(mc.m.AttrsAt(f.Attributes, ir.AttrFunction), "amdgpu-lds-size")
	if !ok {
		return 0, false
	}
	s, _, _ = strings.Cut(s, ",")
	size, err := strconv.ParseUint(s, 10, 32)
	return size, err == nil
}

// dynamicLDS returns the offset of dynamic LDS.
func (mc *Machine) dynamicLDS(f *ir.Function) uint64 {
	if size, fixed := mc.staticLDS(f); fixed {
		return (size + 15) &^ 15
	}
	return (mc.ldsTop + 63) &^ 63
}

// quantum is the number of steps that a lane executes before it yields.
const quantum = 1 << 16

// run runs the lanes until all are at a barrier or finished. It reports whether
// all are finished. A lane that spins on the progress of others yields to them.
func (w *wave) run() bool {
	for {
		for _, l := range w.lanes {
			w.mc.current(l)
			l.run(quantum)
		}
		busy, wait, barrier := w.count()
		switch {
		case busy > 0:
			if w.group != nil && len(w.group.waves) > 1 {
				return false
			}
		case wait > 0:
			w.together()
		case barrier > 0:
			return false
		default:
			return true
		}
	}
}

func (w *wave) count() (busy, wait, barrier int) {
	for _, l := range w.lanes {
		switch l.state {
		case running:
			busy++
		case waiting:
			wait++
		case atBarrier:
			barrier++
		}
	}
	return
}

// together executes the operation of the first set of lanes that wait at the
// same operation.
func (w *wave) together() {
	var first *lane
	for _, l := range w.lanes {
		if l.state == waiting && (first == nil || l.comparePlace(first) < 0) {
			first = l
		}
	}
	set := make([]*lane, 0, len(w.lanes))
	for _, l := range w.lanes {
		if l.state == waiting && l.comparePlace(first) == 0 {
			set = append(set, l)
		}
	}
	w.mc.current(first)
	o := &first.fn.code[first.pc-1]
	for _, l := range set {
		l.state = running
	}
	o.x.cross(w, set, o)
}

// comparePlace orders lanes by location: calls from outermost to innermost,
// then the position in the function.
func (l *lane) comparePlace(o *lane) int {
	n := min(len(l.calls), len(o.calls))
	for i := range n {
		a, b := &l.calls[i], &o.calls[i]
		if c := compareIn(a.fn, a.pc-1, b.pc-1, l.trips[a.trip:], o.trips[b.trip:]); c != 0 {
			return c
		}
	}
	f, p, t := l.placeAt(n)
	g, q, u := o.placeAt(n)
	if f != g { // different functions called by the same instruction
		return int(l.mc.addrs[f.f.Global]>>20) - int(l.mc.addrs[g.f.Global]>>20)
	}
	if c := compareIn(f, p, q, t, u); c != 0 {
		return c
	}
	return len(l.calls) - len(o.calls)
}

// placeAt returns the function, op and counters of call n of a lane.
func (l *lane) placeAt(n int) (*cfunc, int32, []uint32) {
	if n < len(l.calls) {
		return l.calls[n].fn, l.calls[n].pc - 1, l.trips[l.calls[n].trip:]
	}
	return l.fn, l.pc - 1, l.trips[l.trip:]
}

// compareIn orders positions in a function. Within a common loop the earlier
// iteration is first; otherwise the block order applies.
func compareIn(fn *cfunc, p, q int32, t, u []uint32) int {
	a, b := fn.loops[fn.blocks[p]], fn.loops[fn.blocks[q]]
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if t[i] != u[i] {
			return int(t[i]) - int(u[i])
		}
	}
	return int(fn.order[p] - fn.order[q])
}

// run runs the waves of a group in turns until all are finished.
func (g *group) run() {
	done := make([]bool, len(g.waves))
	for {
		left, blocked := 0, 0
		for i, w := range g.waves {
			if done[i] {
				continue
			}
			if done[i] = w.run(); done[i] {
				continue
			}
			left++
			if busy, _, _ := w.count(); busy == 0 {
				blocked++
			}
		}
		if left == 0 {
			return
		}
		if blocked == left {
			g.release()
		}
	}
}

// release releases all lanes from the barrier.
func (g *group) release() {
	for _, w := range g.waves {
		for _, l := range w.lanes {
			if l.state == atBarrier {
				l.state = running
			}
		}
	}
}

// findOrder assigns each op its position in the order in which waiting lanes
// are served. The order is a weak topological order of the blocks, in which the
// blocks of a loop are contiguous.
func (c *compiler) findOrder() {
	f, fn := c.f, c.fn
	n := f.NumBlocks()
	succs := make([][]int32, n)
	live := c.live
	var nodes []int32
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !live[b] {
			continue
		}
		nodes = append(nodes, int32(b))
		for _, s := range f.Successors(b) {
			if s.Value.IsBlock() {
				succs[b] = append(succs[b], int32(s.Value.Block()))
			}
		}
	}
	o := &orderer{succs: succs, index: make([]int32, n), low: make([]int32, n), region: make([]int32, n), loops: make([][]int32, n)}
	o.visit(nodes)
	fn.loops = o.loops
	fn.order, fn.blocks = make([]int32, len(fn.code)), make([]int32, len(fn.code))
	rank := make([]int32, n)
	for i, b := range o.out {
		rank[b] = int32(i)
	}
	slices.SortFunc(nodes, func(a, b int32) int { return int(rank[a] - rank[b]) })
	at := int32(0)
	for _, b := range nodes {
		fn.depth = max(fn.depth, int32(len(o.loops[b])))
		for i := c.starts[b]; int(i) < len(fn.code) && f.Parent(fn.code[i].v) == ir.Block(b); i++ {
			fn.order[i], fn.blocks[i] = at, b
			at++
		}
	}
	for i := range fn.code {
		if x := fn.code[i].x; x != nil {
			for j := range x.edges {
				x.edges[j].loop = edgeLoop(o.loops[fn.blocks[i]], o.loops[x.edges[j].target], int32(x.edges[j].target))
			}
		}
	}
}

// edgeLoop returns the loop that an edge affects: positive for the outermost
// loop of the target that does not contain the source, negative for the loop
// whose header is the target.
func edgeLoop(from, to []int32, target int32) int32 {
	n := int32(0)
	for int(n) < len(from) && int(n) < len(to) && from[n] == to[n] {
		n++
	}
	switch {
	case int(n) < len(to):
		return n + 1
	case n > 0 && to[n-1] == target:
		return -n
	}
	return 0
}

// orderer computes a weak topological order: strongly connected components in
// topological order, each starting with its first block and ordered recursively
// without the edges back to that block.
type orderer struct {
	succs      [][]int32
	index, low []int32
	region     []int32 // current region of each node; -1: not in the region
	stack      []int32
	comps      [][]int32
	next       int32
	out        []int32
	loops      [][]int32 // headers of the loops around each node
	level      int32
}

// visit appends nodes in order. The first node is the header.
func (o *orderer) visit(nodes []int32) {
	o.level++
	level := o.level
	for _, n := range nodes {
		o.region[n], o.index[n] = level, 0
	}
	o.next, o.comps = 0, nil
	for _, n := range nodes {
		if o.index[n] == 0 {
			o.connect(n, level)
		}
	}
	comps := o.comps
	slices.Reverse(comps)
	for _, comp := range comps {
		head := o.header(comp, nodes)
		if len(comp) > 1 || slices.Contains(o.succs[head], head) {
			for _, n := range comp {
				o.loops[n] = append(o.loops[n], head)
			}
		}
		if len(comp) == 1 {
			o.out = append(o.out, head)
			continue
		}
		o.out = append(o.out, head)
		rest := make([]int32, 0, len(comp))
		for _, n := range nodes { // preserves textual order
			if n != head && slices.Contains(comp, n) {
				rest = append(rest, n)
			}
		}
		for _, n := range comp {
			o.region[n] = -1
		}
		o.visit(rest)
	}
}

// header returns the block of a component that is first in textual order.
func (o *orderer) header(comp, nodes []int32) int32 {
	for _, n := range nodes {
		if slices.Contains(comp, n) {
			return n
		}
	}
	return comp[0]
}

// connect is Tarjan's algorithm. It produces components in reverse topological
// order.
func (o *orderer) connect(n, level int32) {
	o.next++
	o.index[n], o.low[n] = o.next, o.next
	o.stack = append(o.stack, n)
	for _, s := range o.succs[n] {
		if o.region[s] != level {
			continue
		}
		if o.index[s] == 0 {
			o.connect(s, level)
			o.low[n] = min(o.low[n], o.low[s])
		} else if slices.Contains(o.stack, s) {
			o.low[n] = min(o.low[n], o.index[s])
		}
	}
	if o.low[n] != o.index[n] {
		return
	}
	i := slices.Index(o.stack, n)
	o.comps = append(o.comps, slices.Clone(o.stack[i:]))
	o.stack = o.stack[:i]
}
