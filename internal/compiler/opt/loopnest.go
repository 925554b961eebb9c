package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// loopNest holds the loops of a function while passes add blocks: it tracks the
// loops of new blocks.
type loopNest struct {
	f     *ir.Function
	c     *cfg
	loops analysis.Loops
	of    []uint32 // by block: innermost loop, or 0
	list  []uint32
	preds []ir.Block
	name  []byte
}

// nestOf computes the loops of a function.
func nestOf(ctx *Context, f *ir.Function) *loopNest {
	n := Scratch[loopNest](ctx)
	n.f, n.c = f, cfgOf(ctx, f)
	n.loops.Reset(&n.c.dom)
	n.of = Sized(n.of, f.NumBlocks())
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		n.of[b] = n.loops.Of(uint32(b))
	}
	return n
}

// loopOf returns the innermost loop of a block, including new blocks.
func (n *loopNest) loopOf(b ir.Block) uint32 {
	if int(b) < len(n.of) {
		return n.of[b]
	}
	return 0
}

// putBlock records the loop of a new block.
func (n *loopNest) putBlock(b ir.Block, loop uint32) {
	for len(n.of) <= int(b) {
		n.of = append(n.of, 0)
	}
	n.of[b] = loop
}

// contains reports whether a block is in a loop or in a nested loop.
func (n *loopNest) contains(loop uint32, b ir.Block) bool {
	for l := n.loopOf(b); l != 0; l = n.loops.Parent(l) {
		if l == loop {
			return true
		}
	}
	return false
}

// common returns the innermost loop that contains both a loop and a block.
func (n *loopNest) common(loop uint32, b ir.Block) uint32 {
	for ; loop != 0; loop = n.loops.Parent(loop) {
		if n.contains(loop, b) {
			return loop
		}
	}
	return 0
}

// header returns the header of a loop.
func (n *loopNest) header(loop uint32) ir.Block { return ir.Block(n.loops.Header(loop)) }

// preheader returns the only block outside the loop that branches to the
// header, if the header is its only successor. Otherwise it returns 0.
func (n *loopNest) preheader(loop uint32) ir.Block {
	f, h := n.f, n.header(loop)
	p := ir.Block(0)
	for u := f.FirstPred(h); u != 0; u = f.NextUse(u) {
		if b := f.PredOf(u); !n.contains(loop, b) {
			if p != 0 {
				return 0
			}
			p = b
		}
	}
	if p != 0 && onlySuccessor(f, p) == h {
		return p
	}
	return 0
}

// splitPreds inserts a new block before b, redirects the blocks in n.preds to
// it, and returns it. A phi of b with different values for these blocks gets a
// phi in the new block. If a predecessor cannot be redirected, splitPreds
// changes nothing and returns 0.
func (n *loopNest) splitPreds(b ir.Block, suffix string) ir.Block {
	f := n.f
	for _, p := range n.preds {
		if op := f.Op(f.Terminator(p)); op != ir.OpBr && op != ir.OpSwitch {
			return 0
		}
	}
	to := f.NewBlockAfter(f.PrevBlock(b))
	n.name = append(append(n.name[:0], f.NameOf(b.Value())...), suffix...)
	f.SetName(to.Value(), n.name)
	for phi := f.First(b); f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		n.splitPhi(phi, to)
	}
	loc := ir.Metadata(0)
	for i, p := range n.preds {
		t := f.Terminator(p)
		if i == 0 {
			loc = f.Instr(t).Loc
		} else {
			loc = MergeLocs(f.Module(), loc, f.Instr(t).Loc)
		}
		for k, o := range f.Operands(t) {
			if o.Value == b.Value() {
				f.SetOperand(t, k, to.Value())
			}
		}
	}
	br := f.NewInstr(ir.OpBr, ir.Void, b.Value())
	f.Instr(br).Loc = loc
	f.Append(to, br)
	return to
}

// splitPhi moves the incoming values of a phi for the blocks in n.preds to the
// new block.
func (n *loopNest) splitPhi(phi ir.Value, to ir.Block) {
	f := n.f
	v, same := ir.None, true
	for _, p := range n.preds {
		if x := f.PhiValue(phi, p); v == ir.None {
			v = x
		} else if x != v {
			same = false
		}
	}
	if !same {
		v = f.NewInstr(ir.OpPhi, f.TypeOf(phi))
		f.Instr(v).Flags, f.Instr(v).Loc = f.Instr(phi).Flags, f.Instr(phi).Loc
		n.name = append(append(n.name[:0], f.NameOf(phi)...), ".ph"...)
		f.SetName(v, n.name)
		f.Append(to, v)
	}
	for _, p := range n.preds {
		for i := f.PhiIndex(phi, p); i >= 0; i = f.PhiIndex(phi, p) {
			if !same {
				f.AddIncoming(v, f.Operand(phi, 2*i), p)
			}
			f.RemoveOperands(phi, 2*i, 2)
		}
	}
	f.AddIncoming(phi, v, to)
}

// addPred adds a predecessor to n.preds unless present.
func (n *loopNest) addPred(b ir.Block) {
	for _, p := range n.preds {
		if p == b {
			return
		}
	}
	n.preds = append(n.preds, b)
}
