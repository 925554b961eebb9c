package opt

import "github.com/gfx-toolchain/gfx/ir"

// loopSimplify adds a preheader, a single latch and dedicated exits to each
// natural loop. Unlike LLVM's LoopSimplify, it does not convert loops with
// several latches to nested loops. A loop is unchanged if one of the blocks to
// redirect ends in indirectbr or a similar terminator.
func loopSimplify(ctx *Context, f *ir.Function) bool {
	changed := EraseUnreachable(ctx, f)
	n := nestOf(ctx, f)
	for loop := uint32(n.loops.N()); loop > 0; loop-- {
		changed = n.addPreheader(loop) || changed
		changed = n.splitExits(loop) || changed
		changed = n.joinLatches(loop) || changed
	}
	return changed
}

// addPreheader inserts a preheader.
func (n *loopNest) addPreheader(loop uint32) bool {
	f, h := n.f, n.header(loop)
	if n.preheader(loop) != 0 || h == f.Entry() {
		return false
	}
	n.preds = n.preds[:0]
	for u := f.FirstPred(h); u != 0; u = f.NextUse(u) {
		if b := f.PredOf(u); !n.contains(loop, b) {
			n.addPred(b)
		}
	}
	p := n.splitPreds(h, ".preheader")
	if p == 0 {
		return false
	}
	n.putBlock(p, n.loops.Parent(loop))
	return true
}

// splitExits adds dedicated exits to a loop.
func (n *loopNest) splitExits(loop uint32) bool {
	f := n.f
	changed := false
	n.list = n.loops.Exits(loop, n.list[:0])
	for _, x := range n.list {
		exit := ir.Block(x)
		n.preds = n.preds[:0]
		outside := false
		for u := f.FirstPred(exit); u != 0; u = f.NextUse(u) {
			if b := f.PredOf(u); n.contains(loop, b) {
				n.addPred(b)
			} else {
				outside = true
			}
		}
		if !outside || len(n.preds) == 0 || f.Op(f.FirstNonPhi(exit)).IsPad() {
			continue
		}
		if p := n.splitPreds(exit, ".loopexit"); p != 0 {
			n.putBlock(p, n.common(loop, exit))
			changed = true
		}
	}
	return changed
}

// joinLatches merges the latches of a loop into a single one.
func (n *loopNest) joinLatches(loop uint32) bool {
	f, h := n.f, n.header(loop)
	n.preds = n.preds[:0]
	for u := f.FirstPred(h); u != 0; u = f.NextUse(u) {
		if b := f.PredOf(u); n.contains(loop, b) {
			n.addPred(b)
		}
	}
	if len(n.preds) < 2 || n.preheader(loop) == 0 {
		return false
	}
	md := f.Attachment(f.Terminator(n.preds[0]), ir.MDLoop)
	for _, p := range n.preds {
		if f.Attachment(f.Terminator(p), ir.MDLoop) != md {
			md = 0
		}
	}
	latch := n.splitPreds(h, ".backedge")
	if latch == 0 {
		return false
	}
	for _, p := range n.preds {
		f.SetAttachment(f.Terminator(p), ir.MDLoop, 0)
	}
	f.SetAttachment(f.Terminator(latch), ir.MDLoop, md)
	f.MoveBlockAfter(latch, n.preds[0])
	n.putBlock(latch, loop)
	return true
}
