package clean

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// simplifyBlocks removes the blocks of a region that are never reached and joins a
// block with its only predecessor.
func simplifyBlocks(r *mlir.Region) (changed bool) {
	if len(r.Blocks) < 2 {
		return false
	}
	changed = removeUnreachable(r)
	preds := predecessors(r)
	for i := 1; i < len(r.Blocks); i++ {
		if b := r.Blocks[i]; joinWithPredecessor(preds[b], b) {
			changed = true
			i--
		}
	}
	return changed
}

// predecessors returns the terminators that pass control to each block.
func predecessors(r *mlir.Region) map[*mlir.Block][]*mlir.Op {
	preds := map[*mlir.Block][]*mlir.Op{}
	for _, b := range r.Blocks {
		if last := b.Last(); last != nil {
			for _, s := range last.Successors {
				preds[s.Block] = append(preds[s.Block], last)
			}
		}
	}
	return preds
}

func removeUnreachable(r *mlir.Region) bool {
	d := mlir.NewDominance(r)
	var dead []*mlir.Block
	for _, b := range r.Blocks[1:] {
		if !d.Reachable(b) {
			dead = append(dead, b)
		}
	}
	for _, b := range dead { // they may use each other's values
		for o := range b.Ops {
			o.SetOperands()
		}
	}
	for _, b := range dead {
		b.Erase()
	}
	return len(dead) > 0
}

// joinWithPredecessor moves the operations of b to the end of its predecessor, if that
// is the only one and ends with a branch.
func joinWithPredecessor(preds []*mlir.Op, b *mlir.Block) bool {
	if len(preds) != 1 || preds[0].Name != "cf.br" && preds[0].Name != "llvm.br" || preds[0].Block == b {
		return false
	}
	pred := preds[0]
	for i, a := range b.Args {
		a.ReplaceUses(pred.Operand(i))
	}
	to := pred.Block
	pred.Erase()
	to.MoveOps(b)
	b.Erase()
	return true
}
