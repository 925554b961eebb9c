package mlir

// A Dominance answers which blocks of a region dominate others.
type Dominance struct{ tree *domTree }

// NewDominance computes the dominators of a region's blocks. It is valid until the
// blocks or their successors change.
func NewDominance(r *Region) *Dominance { return &Dominance{dominators(r)} }

// Dominates reports whether each path from the region's entry to b passes through a.
// A block dominates itself.
func (d *Dominance) Dominates(a, b *Block) bool { return d.tree.dominates(a, b) }

// Reachable reports whether a path leads from the region's entry to a block.
func (d *Dominance) Reachable(b *Block) bool { return d.tree.reachable(b) }
