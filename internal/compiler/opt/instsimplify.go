package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/ir"
)

// simplifyWork is the state of instsimplify.
type simplifyWork struct {
	again []bool // by value: an operand changed, so visit it again
}

// instSimplify replaces instructions by existing values until nothing changes
// (LLVM's instsimplify).
func instSimplify(ctx *Context, f *ir.Function) bool {
	w := Scratch[simplifyWork](ctx)
	w.again = Sized(w.again, f.NumValues())
	changed := false
	for first, more := true, true; more; first = false {
		more = false
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; {
				next := f.Next(v)
				if first || w.again[v] {
					w.again[v] = false
					if w.instr(ctx, f, v) {
						changed, more = true, true
					}
					if next != ir.None && f.Op(next) == ir.OpNone {
						next = f.First(b) // next was erased with v
					}
				}
				v = next
			}
		}
	}
	return changed
}

// instr simplifies one instruction.
func (w *simplifyWork) instr(ctx *Context, f *ir.Function, v ir.Value) bool {
	if eraseDead(ctx, f, v) {
		return true
	}
	if !f.HasUses(v) {
		return false
	}
	r := simplify.Instr(f, v)
	if r == ir.None || r == v {
		return false
	}
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		w.again[f.User(u)] = true
	}
	f.ReplaceUses(v, r)
	eraseDead(ctx, f, v)
	return true
}
