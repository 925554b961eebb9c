package analysis

import "github.com/gfx-toolchain/gfx/ir"

// instrOrder numbers the instructions of a block on demand.
type instrOrder struct {
	blocks []uint32      // epoch of the block at its last numbering plus one, 0 if never numbered
	at     []instrNumber // by value
}

type instrNumber struct {
	block  ir.Block
	number uint32
}

// before reports whether a precedes b in their block.
func (o *instrOrder) before(f *ir.Function, a, b ir.Value) bool {
	block := f.Parent(a)
	if !o.valid(f, block, a) || !o.valid(f, block, b) {
		o.number(f, block)
	}
	return o.at[a].number < o.at[b].number
}

func (o *instrOrder) valid(f *ir.Function, b ir.Block, v ir.Value) bool {
	return int(v) < len(o.at) && int(b) < len(o.blocks) && o.blocks[b] == f.Epoch(b)+1 && o.at[v].block == b
}

func (o *instrOrder) number(f *ir.Function, b ir.Block) {
	o.blocks = grow(o.blocks, f.NumBlocks())
	o.at = grow(o.at, f.NumValues())
	o.blocks[b] = f.Epoch(b) + 1
	n := uint32(0)
	for v := f.First(b); v != ir.None; v = f.Next(v) {
		o.at[v] = instrNumber{b, n}
		n++
	}
}

// grow extends a slice to length n with zeros.
func grow[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}

// Before reports whether instruction a precedes b. Both must be in the same
// block, and the tree must be one of f's.
func (t *DomTree) Before(f *ir.Function, a, b ir.Value) bool { return t.order.before(f, a, b) }

// Dominates reports whether the value def is available whenever the instruction
// user begins. def is available if it is an argument or a constant, precedes
// user in its block, or is in a block that dominates user's block. For a phi as
// user, the result applies to the start of its block; use DominatesUse for its
// incoming values. No instruction dominates itself. Every value dominates
// unreachable code; unreachable definitions dominate nothing else.
//
// The tree must be a dominator tree of f, and f's blocks and edges must not
// have changed since. Instructions may have been added, removed and moved. The
// instructions of a block are numbered when two of them are compared, and again
// after a change. Every query but the first after a change takes O(1) time.
func Dominates(t *DomTree, f *ir.Function, def, user ir.Value) bool {
	if !def.IsLocal() || f.Op(def) == ir.OpArg {
		return true
	}
	in := f.Parent(user)
	if !t.Contains(uint32(in)) {
		return true
	}
	from := f.Parent(def)
	if from == 0 || !t.Contains(uint32(from)) || def == user {
		return false
	}
	switch op := f.Op(def); {
	case op == ir.OpInvoke || op == ir.OpCallBr:
		return dominatesFrom(t, f, def, in)
	case from != in:
		return t.Dominates(uint32(from), uint32(in))
	case f.Op(user) == ir.OpPhi:
		return false
	}
	return t.order.before(f, def, user)
}

// DominatesUse is Dominates for one operand. An operand of a phi is used at the
// end of its incoming block.
func DominatesUse(t *DomTree, f *ir.Function, def ir.Value, u ir.Use) bool {
	user := f.User(u)
	if f.Op(user) != ir.OpPhi {
		return Dominates(t, f, def, user)
	}
	if !def.IsLocal() || f.Op(def) == ir.OpArg {
		return true
	}
	_, in := f.Incoming(user, f.UseIndex(u)/2)
	from := f.Parent(def)
	switch op := f.Op(def); {
	case !t.Contains(uint32(in)):
		return true
	case from == 0 || !t.Contains(uint32(from)):
		return false
	case op == ir.OpInvoke && in == from && f.Parent(user) == normalSuccessor(f, def):
		return true
	case op == ir.OpInvoke || op == ir.OpCallBr:
		return dominatesFrom(t, f, def, in)
	}
	return t.Dominates(uint32(from), uint32(in))
}

// dominatesFrom reports whether the result of an invoke or callbr is available
// in block b. The result of an invoke is available only along its normal edge;
// the result of a callbr is available along all edges.
func dominatesFrom(t *DomTree, f *ir.Function, def ir.Value, b ir.Block) bool {
	from := uint32(f.Parent(def))
	if f.Op(def) == ir.OpInvoke {
		return t.DominatesEdge(from, uint32(normalSuccessor(f, def)), uint32(b))
	}
	return t.StrictlyDominates(from, uint32(b))
}

func normalSuccessor(f *ir.Function, invoke ir.Value) ir.Block {
	return f.CallSuccessors(invoke)[0].Value.Block()
}
