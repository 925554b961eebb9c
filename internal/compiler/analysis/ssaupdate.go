package analysis

import "github.com/gfx-toolchain/gfx/ir"

// SSAUpdater restores SSA form for a value with several definitions, for
// instance after a block was copied. The caller defines the value at the end of
// some blocks. SSAUpdater then returns the value elsewhere and inserts only the
// necessary phis: a phi is placed only where different values meet and flow to
// a queried block. It needs no dominator tree of the function, so edges may
// change between queries, provided that no answer depends on them.
//
//	u.Begin(f, t, name)
//	u.Define(b1, v1)
//	u.Define(b2, v2)
//	for each use outside of b1 and b2 { u.RewriteUse(use) }
type SSAUpdater struct {
	f    *ir.Function
	t    ir.Type
	name []byte

	ends    []ir.Value // by block: value at its end, None if unknown
	origin  []ir.Block // by block: block that defines the value at its end
	touched []ir.Block // blocks with a value
	phis    []ir.Value

	// the region of the function that a query examines
	local   []uint32 // by block: its node, 0 for none
	entered []ir.Block
	next    []uint32     // by entered block: next block of its node, plus one
	nodes   []regionNode // 1 is a virtual entry
	g       Graph
	d       DomTree
	fr      Frontiers
	defs    []uint32
	joins   []uint32
}

// regionNode is a block whose value is sought, or all blocks found so far that
// share one definition's value.
type regionNode struct {
	block ir.Block // the defining block
	inner bool     // its value is sought
	first uint32   // in entered, plus one
}

// Begin starts with a value of type t without definitions. New phis get the
// name, which may be nil.
func (u *SSAUpdater) Begin(f *ir.Function, t ir.Type, name []byte) {
	for _, b := range u.touched {
		u.ends[b] = ir.None
	}
	u.f, u.t, u.name = f, t, name
	u.touched, u.phis = u.touched[:0], u.phis[:0]
}

// Define sets the value at the end of a block.
func (u *SSAUpdater) Define(b ir.Block, v ir.Value) {
	u.ends, u.origin = grow(u.ends, u.f.NumBlocks()), grow(u.origin, u.f.NumBlocks())
	if u.ends[b] == ir.None {
		u.touched = append(u.touched, b)
	}
	u.ends[b], u.origin[b] = v, b
}

// Defined returns the known value at the end of a block, or None.
func (u *SSAUpdater) Defined(b ir.Block) ir.Value {
	if int(b) < len(u.ends) {
		return u.ends[b]
	}
	return ir.None
}

// Phis returns the phis inserted since Begin. The caller must not modify the
// slice.
func (u *SSAUpdater) Phis() []ir.Value { return u.phis }

// AtEnd returns the value at the end of a block, or poison if no definition
// reaches it.
func (u *SSAUpdater) AtEnd(b ir.Block) ir.Value {
	if v := u.Defined(b); v != ir.None {
		return v
	}
	u.collect(b)
	u.solve()
	return u.ends[b]
}

// AtBegin returns the value at the start of a block, before any definition in
// it.
func (u *SSAUpdater) AtBegin(b ir.Block) ir.Value {
	if u.Defined(b) == ir.None {
		return u.AtEnd(b)
	}
	same, differ := ir.None, false
	for e := u.f.FirstPred(b); e != 0; e = u.f.NextUse(e) {
		v := u.AtEnd(u.f.PredOf(e))
		differ = differ || same != ir.None && same != v
		same = v
	}
	switch {
	case same == ir.None:
		return u.f.Module().Poison(u.t)
	case !differ:
		return same
	}
	phi := u.newPhi(b)
	u.fill(phi)
	return phi
}

// RewriteUse replaces a use by the value at the start of the user's block. For
// a phi it uses the value at the end of the incoming block. The user must not
// follow a definition in its own block.
func (u *SSAUpdater) RewriteUse(use ir.Use) {
	user := u.f.User(use)
	if u.f.Op(user) == ir.OpPhi {
		_, from := u.f.Incoming(user, u.f.UseIndex(use)/2)
		u.f.SetUse(use, u.AtEnd(from))
		return
	}
	v := u.AtBegin(u.f.Parent(user))
	u.f.SetUse(use, v)
}

// collect finds the blocks on paths from the definitions to b.
func (u *SSAUpdater) collect(b ir.Block) {
	u.ends, u.origin = grow(u.ends, u.f.NumBlocks()), grow(u.origin, u.f.NumBlocks())
	u.local = grow(u.local, u.f.NumBlocks())
	u.entered, u.next = u.entered[:0], u.next[:0]
	u.nodes = append(u.nodes[:0], regionNode{}, regionNode{})
	u.defs = u.defs[:0]
	u.enter(b)
	for i := 0; i < len(u.entered); i++ {
		at := u.entered[i]
		node := u.local[at]
		if !u.nodes[node].inner {
			continue
		}
		if u.f.FirstPred(at) == 0 {
			u.Define(at, u.f.Module().Poison(u.t))
			u.nodes[node].inner = false
			u.defs = append(u.defs, node)
			continue
		}
		for e := u.f.FirstPred(at); e != 0; e = u.f.NextUse(e) {
			u.enter(u.f.PredOf(e))
		}
	}
}

// enter adds a block to the region. Blocks that share one definition's value
// form one node.
func (u *SSAUpdater) enter(b ir.Block) {
	if u.local[b] != 0 {
		return
	}
	inner := u.ends[b] == ir.None
	origin := b
	if !inner {
		origin = u.origin[b]
	}
	if u.local[origin] == 0 {
		n := uint32(len(u.nodes))
		u.nodes = append(u.nodes, regionNode{block: origin, inner: inner})
		if !inner {
			u.defs = append(u.defs, n)
		}
		u.local[origin] = n
		u.addTo(n, origin)
	}
	if b != origin {
		u.local[b] = u.local[origin]
		u.addTo(u.local[b], b)
	}
}

// addTo adds a block to node n.
func (u *SSAUpdater) addTo(n uint32, b ir.Block) {
	u.entered = append(u.entered, b)
	u.next = append(u.next, u.nodes[n].first)
	u.nodes[n].first = uint32(len(u.entered))
}

// successors defines the graph of the region: the virtual entry has edges to
// all definitions, and all other edges lead to inner blocks.
func (u *SSAUpdater) successors(n uint32, to []uint32) []uint32 {
	if n == 1 {
		return append(to, u.defs...)
	}
	for i := u.nodes[n].first; i != 0; i = u.next[i-1] {
		for _, o := range u.f.Successors(u.entered[i-1]) {
			if !o.Value.IsBlock() {
				continue
			}
			if s := u.local[o.Value.Block()]; s != 0 && u.nodes[s].inner {
				to = append(to, s)
			}
		}
	}
	return to
}

// solve computes the values of all blocks of the region.
func (u *SSAUpdater) solve() {
	n := len(u.nodes) - 1
	u.g.Reset(n, 1, u.successors)
	u.d.Reset(&u.g)
	u.fr.Reset(&u.d)
	u.joins = u.fr.Iterated(u.defs, nil, u.joins[:0])
	first := len(u.phis)
	for _, j := range u.joins {
		u.Define(u.nodes[j].block, u.newPhi(u.nodes[j].block))
	}
	for i := 2; i <= n; i++ {
		if !u.d.Contains(uint32(i)) { // a loop that is never entered
			u.Define(u.nodes[i].block, u.f.Module().Poison(u.t))
		}
	}
	for _, i := range u.d.PreOrder()[1:] {
		b := u.nodes[i].block
		if u.ends[b] == ir.None {
			from := u.nodes[u.d.IDom(i)].block
			u.Define(b, u.ends[from])
			u.origin[b] = u.origin[from]
		}
	}
	for _, b := range u.entered {
		u.local[b] = 0
	}
	for _, phi := range u.phis[first:] {
		u.fill(phi)
	}
}

func (u *SSAUpdater) newPhi(b ir.Block) ir.Value {
	phi := u.f.NewInstr(ir.OpPhi, u.t)
	if len(u.name) > 0 {
		u.f.SetName(phi, u.name)
	}
	u.f.Prepend(b, phi)
	u.phis = append(u.phis, phi)
	return phi
}

// fill adds a phi's incoming values.
func (u *SSAUpdater) fill(phi ir.Value) {
	b := u.f.Parent(phi)
	for e := u.f.FirstPred(b); e != 0; e = u.f.NextUse(e) {
		from := u.f.PredOf(e)
		u.f.AddIncoming(phi, u.AtEnd(from), from)
	}
}
