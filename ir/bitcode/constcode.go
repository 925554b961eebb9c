package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// expand makes instructions of a constant that LLVM 22 has no expression for, at the end of the current block.
func (b *body) expand(id uint32) ir.Value {
	p := b.pending[id]
	if p == nil {
		b.fail("value %d is not known", id)
	}
	b.fail("a constant expression %s, which LLVM 22 does not have", p.op)
	return ir.None
}
