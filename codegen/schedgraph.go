package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// What has to stay in order among the instructions of a region: schedGraph finds it in one walk. Edges go from earlier to later
// instructions of the order that there is.

// schedNode is an instruction of a region.
type schedNode struct {
	i      mir.Instr
	preds  int32                  // edges to it from instructions that are not issued yet
	succ   int32                  // its first edge, counted from 1
	height int32                  // latency of the longest path from it to the end
	ready  int32                  // when its sources are there
	delta  [mir.FileSCC + 1]int16 // by how much the number of live registers grows behind it
	unit   mir.Unit
	flags  schedFlags
}

type schedFlags uint8

const (
	schedLoad      schedFlags = 1 << iota // gives a result from memory
	schedLeads                            // a load needs its result
	schedMask                             // gives a lane mask
	schedAfterSMEM                        // needs the result of a scalar load
	schedEndsMask                         // uses a lane mask of the region that nothing else needs any more
)

// schedEdge says that an instruction comes behind another one.
type schedEdge struct {
	to      int32
	next    int32 // of the same node, counted from 1
	latency int32
	data    bool
}

// schedVal is what is known in a region about a virtual register.
type schedVal struct {
	stamp  int32 // the region's, or this is of an earlier one
	def    int32 // the node that defines it, -1 for none here
	user   int32 // the last user in schedGraph.users, counted from 1
	left   int32 // users that are not issued yet
	sum    int32 // their exclusive or: the last one of them
	last   int32 // the one of them that was issued last, counted from 1
	used   bool
	single bool // there is only one of them
	dies   bool // it is not live at the end
}

// schedUser is a node that uses a register, chained by register.
type schedUser struct{ node, next int32 }

// schedGraph is the order among the instructions of a region.
type schedGraph struct {
	f       *mir.Func
	latency *[numUnits]int32
	stamp   int32
	vals    []schedVal // by virtual register
	read    []bool     // by virtual register: whether a condition is used at all
	nodes   []schedNode
	edges   []schedEdge
	users   []schedUser

	special  [mir.NumPhys]int32 // by physical register: the node that wrote it last, counted from 1
	readers  []schedPhys        // of special registers, since they were written
	written  []mir.Reg
	memory   []int32 // accesses behind the last one that all others keep to
	fence    int32   // that one, counted from 1
	lastUses []int32 // of the last condition that is used
	unused   []int32 // conditions that nobody uses, behind that one
}

type schedPhys struct {
	reg  mir.Reg
	node int32
}

const numUnits = int(mir.UnitOther) + 1

// unitLatencies are cycles until a result is there, in instructions that the wave issues in that time, by unit. The first row is for
// what came before gfx10, the second for what came from then on. They are of the order that LLVM's scheduling models
// have; what memory takes depends on more than anybody knows here.
var unitLatencies = [2][numUnits]int32{
	{mir.UnitNone: 0, mir.UnitSALU: 1, mir.UnitVALU: 1, mir.UnitMatrix: 8, mir.UnitSMEM: 40, mir.UnitVMEM: 100, mir.UnitFlat: 110, mir.UnitDS: 32, mir.UnitOther: 100},
	{mir.UnitNone: 0, mir.UnitSALU: 2, mir.UnitVALU: 5, mir.UnitMatrix: 16, mir.UnitSMEM: 40, mir.UnitVMEM: 200, mir.UnitFlat: 210, mir.UnitDS: 40, mir.UnitOther: 200},
}

// val gives what is known about a register, new for each region.
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

// build finds the edges of the nodes.
func (g *schedGraph) build() {
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

// use notes that a node reads a virtual register.
func (g *schedGraph) use(n int32, r mir.Reg) {
	v := g.val(r)
	if v.user != 0 && g.users[v.user-1].node == n {
		return
	}
	v.left++
	v.sum ^= n
	if v.def >= 0 {
		g.edge(v.def, n, g.latency[g.nodes[v.def].unit], true)
	}
	g.users = append(g.users, schedUser{n, v.user})
	v.user = int32(len(g.users))
	if g.f.File(r) == mir.FileSCC {
		g.lastUses = append(g.lastUses, n)
	}
}

// condition keeps one condition alive at a time: all uses of one come before the next one, and those that nobody uses do
// not come in between.
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
	g.lastUses = append(g.lastUses[:0], n) // its uses are added as they come
}

// tied keeps an instruction that overwrites a source behind the other users of the source, as it is.
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

// touchesMemory reports whether an instruction takes part in the order of memory accesses.
func (g *schedGraph) touchesMemory(i mir.Instr) bool {
	x := g.f.Info(i)
	return x.Flags&(mir.MayLoad|mir.MayStore) != 0 || g.f.Flags(i)&mir.NoReorder != 0
}

// maxTracked is how many accesses are compared with each other before one of them becomes one that all others keep to.
const maxTracked = 48

// access keeps memory accesses in order that may be to the same place.
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

// isFence reports whether all memory accesses stay on their sides of an instruction.
func (g *schedGraph) isFence(i mir.Instr, m *mir.Mem) bool {
	return m == nil || m.Flags&mir.MemVolatile != 0 || m.Ordering > ir.Monotonic || g.f.Flags(i)&mir.NoReorder != 0
}

// spaceKind says which memory an address space of LLVM IR is, as bits: flat addresses may be of several.
var spaceKind = [16]uint8{0: 7, 1: 1, 2: 8, 3: 2, 4: 1, 5: 4, 6: 1, 7: 1, 8: 1, 9: 1}

// mayOverlap reports whether two accesses may be to the same place.
func mayOverlap(x, y *mir.Mem) bool {
	if x.AddrSpace < 16 && y.AddrSpace < 16 && spaceKind[x.AddrSpace]&spaceKind[y.AddrSpace] == 0 {
		return false
	}
	if x.Value == ir.None || x.Value != y.Value || x.Size == 0 || y.Size == 0 {
		return true
	}
	return x.Offset < y.Offset+int64(y.Size) && y.Offset < x.Offset+int64(x.Size)
}

// measure computes what depends on the nodes behind a node.
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

// count finds by how much the number of live registers grows behind a node.
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

// lastUser notes that a node is the only one left that uses a register.
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

// isMask reports whether a register is a lane mask that the region makes.
func (g *schedGraph) isMask(v *schedVal, file mir.File) bool {
	return file == mir.FileS && v.def >= 0 && g.nodes[v.def].flags&schedMask != 0
}

// isDead reports whether a result of the region is not used.
func (g *schedGraph) isDead(r mir.Reg) bool {
	v := &g.vals[r.Index()]
	return v.dies && v.user == 0
}
