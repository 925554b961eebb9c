package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// dse removes dead stores: stores overwritten in the same block before anything
// can read them, stores to local variables that are not read before the
// function returns, and stores of the value that memory already holds. LLVM's
// DSE also looks across blocks.
func dse(ctx *Context, f *ir.Function) bool {
	s := Scratch[storeEliminator](ctx)
	s.f = f
	s.alias.Reset(f)
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if f.Op(v) == ir.OpStore && f.IsSimple(v) && (s.isOverwritten(v) || s.isThere(v)) {
				value, addr := f.Operand(v, 0), f.Operand(v, 1)
				f.Erase(v)
				// The erased instructions precede the store.
				eraseDead(ctx, f, value)
				eraseDead(ctx, f, addr)
				changed = true
				if next != ir.None && f.Op(next) == ir.OpNone { // in unreachable code
					next = f.First(b)
				}
			}
			v = next
		}
	}
	return changed
}

// maxStoreScan bounds the number of instructions after a store that are
// examined.
const maxStoreScan = 100

// storeEliminator is the state of dse.
type storeEliminator struct {
	f     *ir.Function
	alias analysis.Alias
}

// isOverwritten reports whether the stored memory is overwritten, or its
// lifetime ends, before it can be read.
func (s *storeEliminator) isOverwritten(store ir.Value) bool {
	f := s.f
	l, ok := s.alias.LocationOf(store)
	if !ok {
		return false
	}
	base, _ := objectOf(f, l.Ptr)
	local := f.Op(base) == ir.OpAlloca && !s.alias.Captured(base)
	n := 0
	for v := f.Next(store); v != ir.None && n < maxStoreScan; v, n = f.Next(v), n+1 {
		if f.Op(v) == ir.OpStore && f.IsSimple(v) {
			if other, ok := s.alias.LocationOf(v); ok && other.Size >= l.Size && s.alias.Alias(l, other) == analysis.MustAlias {
				return true
			}
		}
		if f.Op(v) == ir.OpRet {
			return local
		}
		if f.Op(v).IsTerminator() || s.alias.ModRef(v, l)&analysis.Ref != 0 || !local && (analysis.MayThrow(f, v) || !analysis.WillReturn(f, v)) {
			return false
		}
	}
	return false
}

// isThere reports whether a store writes back a value loaded from the same
// address, with no change in between.
func (s *storeEliminator) isThere(store ir.Value) bool {
	f := s.f
	load := f.Operand(store, 0)
	if f.Op(load) != ir.OpLoad || !f.IsSimple(load) || f.Operand(load, 0) != f.Operand(store, 1) || f.Parent(load) != f.Parent(store) {
		return false
	}
	l, ok := s.alias.LocationOf(store)
	n := 0
	for v := f.Prev(store); ok && n < maxStoreScan; v, n = f.Prev(v), n+1 {
		if v == load {
			return true
		}
		if s.alias.ModRef(v, l)&analysis.Mod != 0 {
			return false
		}
	}
	return false
}
