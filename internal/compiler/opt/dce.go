package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// deadWork is the list of instructions that may have become dead.
type deadWork struct{ list []ir.Value }

// dce removes trivially dead instructions and their operands that become dead.
func dce(ctx *Context, f *ir.Function) bool {
	w := Scratch[deadWork](ctx)
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if analysis.IsDead(f, v) {
				// an operand may follow it (phis), so next could be erased too
				w.erase(f, v)
				changed = true
				if next != ir.None && f.Op(next) == ir.OpNone {
					next = f.First(b)
				}
			}
			v = next
		}
	}
	return changed
}

// erase removes a dead instruction and the instructions that become dead.
func (w *deadWork) erase(f *ir.Function, v ir.Value) {
	w.list = append(w.list[:0], v)
	for len(w.list) > 0 {
		v := w.list[len(w.list)-1]
		w.list = w.list[:len(w.list)-1]
		if f.Op(v) == ir.OpNone || !analysis.IsDead(f, v) {
			continue
		}
		w.operands(f, v)
		f.Erase(v)
	}
}

// operands records the operands of an instruction that is about to be erased.
func (w *deadWork) operands(f *ir.Function, v ir.Value) {
	for _, o := range f.Operands(v) {
		if o.Value.IsLocal() && o.Value != v && f.Op(o.Value) != ir.OpLocalMetadata && f.Op(o.Value) != ir.OpArg {
			w.list = append(w.list, o.Value)
		}
	}
}

// eraseDead removes an instruction if it is dead, and the instructions that
// become dead.
func eraseDead(ctx *Context, f *ir.Function, v ir.Value) bool {
	if !v.IsLocal() || f.Op(v) == ir.OpNone || f.Op(v) == ir.OpArg || !analysis.IsDead(f, v) {
		return false
	}
	Scratch[deadWork](ctx).erase(f, v)
	return true
}
