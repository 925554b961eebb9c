package mir

import "slices"

// CopyFrom makes f a copy of g, reusing the memory of f.
func (f *Func) CopyFrom(g *Func) {
	f.Name, f.M, f.free = g.Name, g.M, g.free
	f.Layout = append(f.Layout[:0], g.Layout...)
	f.Objects = append(f.Objects[:0], g.Objects...)
	f.Symbols = append(f.Symbols[:0], g.Symbols...)
	f.instrs = append(f.instrs[:0], g.instrs...)
	f.ops = append(f.ops[:0], g.ops...)
	f.vregs = append(f.vregs[:0], g.vregs...)
	f.mems = append(f.mems[:0], g.mems...)
	n := len(g.blocks)
	f.blocks = slices.Grow(f.blocks[:0], n)[:n]
	for i := range g.blocks {
		to, from := &f.blocks[i], &g.blocks[i]
		preds, succs := append(to.preds[:0], from.preds...), append(to.succs[:0], from.succs...)
		linearPreds, linearSuccs := append(to.linearPreds[:0], from.linearPreds...), append(to.linearSuccs[:0], from.linearSuccs...)
		*to = *from
		to.preds, to.succs, to.linearPreds, to.linearSuccs = preds, succs, linearPreds, linearSuccs
	}
}
