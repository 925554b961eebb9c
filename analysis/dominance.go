package analysis

import "github.com/gfx-toolchain/gfx/ir"

// instrOrder numbers instructions in their blocks, block by block when it is asked for.
type instrOrder struct {
	blocks []uint32      // epoch of the block plus one when its instructions were numbered, 0 for never
	at     []instrNumber // by value
}

type instrNumber struct {
	block  ir.Block
	number uint32
}

// before reports whether a stands before b in their block.
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

// grow lengthens a slice to n with zeroes.
func grow[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}

// Before reports whether instruction a stands before b; both must be in the same block. The tree must be one of f's.
func (t *DomTree) Before(f *ir.Function, a, b ir.Value) bool { return t.order.before(f, a, b) }

// Dominates reports whether the value def is there whenever the instruction user begins: def is an argument or a
// constant, stands before user in its block, or its block dominates that of user. For a phi as user the answer
// is that for its block's begin; of values that flow into it ask DominatesUse. No instruction dominates
// itself. In unreachable code everything is dominated; unreachable definitions dominate nothing else.
//
// The tree must be a dominator tree made of f, whose blocks and edges must be as they were then. Instructions may have
// come, gone and moved: those of a block are numbered when two of one block are compared, and again after they
// changed. So it costs O(1) but for the first question after a change.
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

// DominatesUse is Dominates for one operand: that of a phi is used at the end of its incoming block.
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

// dominatesFrom reports whether the result of an invoke or callbr is there in a block. That of an invoke is only on its
// normal edge; that of a callbr on all edges.
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
