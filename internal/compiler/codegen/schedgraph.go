package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// schedGraph computes the dependencies among the instructions of a region in
// one walk. Edges lead from earlier to later instructions of the original
// order.

// schedNode is an instruction of a region.
type schedNode struct {
	i      mir.Instr
	preds  int32                  // incoming edges from instructions that are not issued yet
	succ   int32                  // first outgoing edge, counted from 1
	height int32                  // latency of the longest path from it to the end
	ready  int32                  // cycle in which its sources are available
	delta  [mir.FileSCC + 1]int16 // change of the number of live registers
	unit   mir.Unit
	flags  schedFlags
}

type schedFlags uint8

const (
	schedLoad      schedFlags = 1 << iota // loads a result from memory
	schedLeads                            // a load needs its result
	schedMask                             // defines a lane mask
	schedAfterSMEM                        // needs the result of a scalar load
	schedEndsMask                         // last use of a lane mask defined in the region
)

// schedEdge is a dependency of an instruction on another one.
type schedEdge struct {
	to      int32
	next    int32 // next edge of the same node, counted from 1
	latency int32
	data    bool
}

// schedVal is the state of a virtual register in a region.
type schedVal struct {
	stamp  int32 // number of the region; entries with another number are stale
	def    int32 // defining node, -1 if outside the region
	user   int32 // last user in schedGraph.users, counted from 1
	left   int32 // number of users that are not issued yet
	sum    int32 // their exclusive or, which identifies the last one
	last   int32 // last issued user, counted from 1
	used   bool
	single bool // only one use remains
	dies   bool // not live at the end of the region
}

// schedUser is a node that uses a register, linked by register.
type schedUser struct{ node, next int32 }

// schedGraph holds the dependencies among the instructions of a region.
type schedGraph struct {
	f       *mir.Func
	latency *[numUnits]int32
	waits   bool // the processor has isa.PropSgprWait
	stamp   int32
	vals    []schedVal // by virtual register
	read    []bool     // by virtual register: whether a condition is used
	nodes   []schedNode
	edges   []schedEdge
	users   []schedUser

	special  [mir.NumPhys]int32 // by physical register: the last node that wrote it, counted from 1
	readers  []schedPhys        // readers of special registers since they were written
	written  []mir.Reg
	memory   []int32 // accesses after the last fence
	fence    int32   // last memory fence, counted from 1
	lastUses []int32 // uses of the last used condition
	unused   []int32 // unused conditions after it
}

type schedPhys struct {
	reg  mir.Reg
	node int32
}

const numUnits = int(mir.UnitOther) + 1

// unitLatencies holds result latencies by unit, in cycles that each issue one
// instruction of the wave. The first row applies before gfx10, the second from
// gfx10 on. They approximate LLVM's scheduling models; the actual latency of
// memory is unpredictable.
var unitLatencies = [2][numUnits]int32{
	{mir.UnitNone: 0, mir.UnitSALU: 1, mir.UnitVALU: 1, mir.UnitMatrix: 8, mir.UnitSMEM: 40, mir.UnitVMEM: 100, mir.UnitFlat: 110, mir.UnitDS: 32, mir.UnitOther: 100},
	{mir.UnitNone: 0, mir.UnitSALU: 2, mir.UnitVALU: 5, mir.UnitMatrix: 16, mir.UnitSMEM: 40, mir.UnitVMEM: 200, mir.UnitFlat: 210, mir.UnitDS: 40, mir.UnitOther: 200},
}

// val returns the state of a register, reset for each region.
func (g *schedGraph) val(r mir.Reg) *schedVal {
	v := &g.vals[r.Index()]
	if v.stamp != g.stamp {
		*v = schedVal{stamp: g.stamp, def: -1}
	}
	return v
}

func (g *schedGraph) edge(from, to, latency int32, data bool) {
	g.edges = append(g.edges, schedEdge{to: to, next: g.nodes[from].succ, latency: latency, data: data})
	g.nodes[from].succ = int32(len(g.edges))
	g.nodes[to].preds++
}

// buildEdges computes the edges of the nodes.
func (g *schedGraph) buildEdges() {
	g.edges, g.users = g.edges[:0], g.users[:0]
	g.memory, g.fence = g.memory[:0], 0
	g.lastUses, g.unused = g.lastUses[:0], g.unused[:0]
	g.readers = g.readers[:0]
	for _, r := range g.written {
		g.special[r] = 0
	}
	g.written = g.written[:0]
	for n := range g.nodes {
		g.node(int32(n))
	}
	for n := len(g.nodes) - 1; n >= 0; n-- {
		g.measure(&g.nodes[n])
	}
	for n := range g.nodes {
		g.count(int32(n))
	}
}

func (g *schedGraph) node(n int32) {
	f := g.f
	i := g.nodes[n].i
	for _, o := range f.Uses(i) {
		switch {
		case o.Flags&mir.Undef != 0:
		case o.IsVirtual():
			g.use(n, o.Reg())
		case o.Reg().IsPhys():
			g.readSpecial(n, &o)
		}
	}
	g.tied(n, i)
	for _, o := range f.Defs(i) {
		switch {
		case !o.IsVirtual():
			g.writeSpecial(n, &o)
		case f.File(o.Reg()) == mir.FileSCC:
			g.condition(n, o.Reg())
			g.val(o.Reg()).def = n
		default:
			g.val(o.Reg()).def = n
		}
	}
	if g.touchesMemory(i) {
		g.access(n)
	}
}

// use records that a node reads a virtual register.
func (g *schedGraph) use(n int32, r mir.Reg) {
	v := g.val(r)
	if v.user != 0 && g.users[v.user-1].node == n {
		return
	}
	v.left++
	v.sum ^= n
	if v.def >= 0 {
		g.edge(v.def, n, g.latencyOf(v.def, n, g.f.File(r)), true)
	}
	g.users = append(g.users, schedUser{n, v.user})
	v.user = int32(len(g.users))
	if g.f.File(r) == mir.FileSCC {
		g.lastUses = append(g.lastUses, n)
	}
}

// latencyOf returns the latency of a register between its definition and a
// user. It includes the wait states between VALU instructions, which would
// otherwise be filled with s_nop.
func (g *schedGraph) latencyOf(def, user int32, file mir.File) int32 {
	l := g.latency[g.nodes[def].unit]
	if !g.waits || g.nodes[def].unit != mir.UnitVALU || g.nodes[user].unit != mir.UnitVALU {
		return l
	}
	switch {
	case file == mir.FileS:
		return max(l, 1+scalarStates)
	case g.f.Info(g.nodes[def].i).Traits.Any(isa.TraitTrans):
		return max(l, 1+transStates)
	}
	return l
}

// Wait states on processors with isa.PropSgprWait, as in package hazard:
// between an SGPR that a VALU instruction writes and one that reads it, and
// after a transcendental result.
const (
	scalarStates = 2
	transStates  = 1
)

// condition keeps at most one condition live at a time: all uses of a condition
// precede the next one, and unused conditions do not clobber it in between.
func (g *schedGraph) condition(n int32, r mir.Reg) {
	for _, u := range g.lastUses {
		if u != n {
			g.edge(u, n, 0, false)
		}
	}
	if !g.read[r.Index()] {
		g.unused = append(g.unused, n)
		return
	}
	for _, u := range g.unused {
		g.edge(u, n, 0, false)
	}
	g.unused = g.unused[:0]
	g.lastUses = append(g.lastUses[:0], n) // its uses are added later
}

// tied orders an instruction that overwrites a source after the other users of
// the source.
func (g *schedGraph) tied(n int32, i mir.Instr) {
	f := g.f
	defs := len(f.Defs(i))
	for k, o := range f.Uses(i) {
		s := f.SlotOf(i, defs+k)
		if s == nil || !s.Tied || !o.IsVirtual() || o.Flags&mir.Undef != 0 {
			continue
		}
		v := g.val(o.Reg())
		if !v.dies {
			continue
		}
		for u := v.user; u != 0; u = g.users[u-1].next {
			if other := g.users[u-1].node; other != n {
				g.edge(other, n, 0, false)
			}
		}
	}
}

func (g *schedGraph) readSpecial(n int32, o *mir.Operand) {
	for k := range max(int(o.N), 1) {
		r := o.Reg() + mir.Reg(k)
		if d := g.special[r]; d != 0 {
			g.edge(d-1, n, 1, true)
		}
		g.readers = append(g.readers, schedPhys{r, n})
	}
}

func (g *schedGraph) writeSpecial(n int32, o *mir.Operand) {
	for k := range max(int(o.N), 1) {
		r := o.Reg() + mir.Reg(k)
		if d := g.special[r]; d != 0 {
			g.edge(d-1, n, 0, false)
		}
		left := g.readers[:0]
		for _, x := range g.readers {
			switch {
			case x.reg != r:
				left = append(left, x)
			case x.node != n:
				g.edge(x.node, n, 0, false)
			}
		}
		g.readers = left
		g.special[r] = n + 1
		g.written = append(g.written, r)
	}
}

// touchesMemory reports whether an instruction is part of the order of memory
// accesses.
func (g *schedGraph) touchesMemory(i mir.Instr) bool {
	x := g.f.Info(i)
	return x.Flags&(mir.MayLoad|mir.MayStore) != 0 || g.f.Flags(i)&mir.NoReorder != 0
}

// maxTracked is the maximum number of accesses compared with each other before
// one is treated as a fence.
const maxTracked = 48

// access orders memory accesses that may overlap.
func (g *schedGraph) access(n int32) {
	f := g.f
	i := g.nodes[n].i
	m := f.Mem(i)
	stores := f.Info(i).Flags&mir.MayStore != 0
	if m != nil && m.Flags&(mir.MemInvariant|mir.MemVolatile) == mir.MemInvariant && !stores && f.Flags(i)&mir.NoReorder == 0 {
		return
	}
	if g.fence != 0 {
		g.edge(g.fence-1, n, 0, false)
	}
	if g.isFence(i, m) || len(g.memory) == maxTracked {
		for _, x := range g.memory {
			g.edge(x, n, 0, false)
		}
		g.memory, g.fence = g.memory[:0], n+1
		return
	}
	for _, x := range g.memory {
		other := g.nodes[x].i
		if (stores || f.Info(other).Flags&mir.MayStore != 0) && mayOverlap(m, f.Mem(other)) {
			g.edge(x, n, 0, false)
		}
	}
	g.memory = append(g.memory, n)
}

// isFence reports whether no memory access may move across an instruction.
func (g *schedGraph) isFence(i mir.Instr, m *mir.Mem) bool {
	return m == nil || m.Flags&mir.MemVolatile != 0 || m.Ordering > ir.Monotonic || g.f.Flags(i)&mir.NoReorder != 0
}

// spaceKind maps address spaces of LLVM IR to memories, as bits: flat addresses
// may be in several.
var spaceKind = [16]uint8{0: 7, 1: 1, 2: 8, 3: 2, 4: 1, 5: 4, 6: 1, 7: 1, 8: 1, 9: 1}

// mayOverlap reports whether two accesses may be to the same memory.
func mayOverlap(x, y *mir.Mem) bool {
	if x.AddrSpace < 16 && y.AddrSpace < 16 && spaceKind[x.AddrSpace]&spaceKind[y.AddrSpace] == 0 {
		return false
	}
	if x.Value == ir.None || x.Value != y.Value || x.Size == 0 || y.Size == 0 {
		return true
	}
	return x.Offset < y.Offset+int64(y.Size) && y.Offset < x.Offset+int64(x.Size)
}

// measure computes the properties of a node that depend on its successors.
func (g *schedGraph) measure(n *schedNode) {
	f := g.f
	x := f.Info(n.i)
	n.height = g.latency[n.unit]
	if x.Unit >= mir.UnitSMEM && x.Flags&mir.MayLoad != 0 && len(f.Defs(n.i)) > 0 {
		n.flags |= schedLoad
	}
	if defs := f.Defs(n.i); len(defs) > 0 && defs[0].IsVirtual() && x.Unit == mir.UnitVALU && f.File(defs[len(defs)-1].Reg()) == mir.FileS &&
		x.Slots[min(len(defs), len(x.Slots))-1].Class&isa.Mask != 0 {
		n.flags |= schedMask
	}
	for e := n.succ; e != 0; e = g.edges[e-1].next {
		to := &g.nodes[g.edges[e-1].to]
		n.height = max(n.height, to.height+g.edges[e-1].latency)
		if g.edges[e-1].data && to.flags&(schedLoad|schedLeads) != 0 {
			n.flags |= schedLeads
		}
	}
}

// count computes the change of the number of live registers at a node.
func (g *schedGraph) count(n int32) {
	f := g.f
	node := &g.nodes[n]
	for _, o := range f.Defs(node.i) {
		if o.IsVirtual() && !g.isDead(o.Reg()) {
			node.delta[f.File(o.Reg())] += int16(f.Dwords(o.Reg()))
		}
	}
	for _, o := range f.Uses(node.i) {
		if o.IsVirtual() && o.Flags&mir.Undef == 0 {
			if v := g.val(o.Reg()); v.left == 1 && !v.single {
				v.single = true
				g.lastUser(n, o.Reg(), v)
			}
		}
	}
}

// lastUser records that a node is the only remaining user of a register.
func (g *schedGraph) lastUser(n int32, r mir.Reg, v *schedVal) {
	if !v.dies {
		return
	}
	f := g.f
	file := f.File(r)
	g.nodes[n].delta[file] -= int16(f.Dwords(r))
	if g.isMask(v, file) {
		g.nodes[n].flags |= schedEndsMask
	}
}

// isMask reports whether a register is a lane mask defined in the region.
func (g *schedGraph) isMask(v *schedVal, file mir.File) bool {
	return file == mir.FileS && v.def >= 0 && g.nodes[v.def].flags&schedMask != 0
}

// isDead reports whether a result of the region is unused.
func (g *schedGraph) isDead(r mir.Reg) bool {
	v := &g.vals[r.Index()]
	return v.dies && v.user == 0
}
