package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// hoisting moves loop-invariant instructions before the outermost loop in which
// they are invariant. Each loop has a limit for the results that stay in
// registers while it runs.
type hoisting struct {
	*repeats
	room   []regLimits // by loop: remaining dwords of each file that may be hoisted
	joined bool        // a value was already computed before its loop, so its uses must be renamed
}

// Limits of the values hoisted from a loop, in dwords.
const hoistedVGPRs, hoistedSGPRs = 10, 20

// hoistRepeats hoists instructions, using the analysis of repeats.
func (h *hoisting) hoistRepeats(r *repeats) {
	h.repeats, h.joined = r, false
	if !r.pure || r.loops.N() == 0 {
		return
	}
	h.room = zeroed(h.room, r.loops.N()+1)
	for n := range h.room {
		h.room[n] = regLimits{mir.FileS: hoistedSGPRs, mir.FileV: hoistedVGPRs}
	}
	f := r.f
	for _, b := range r.dom.PreOrder() {
		if r.loops.Of(b) == 0 {
			continue
		}
		for i := f.First(mir.Block(b)); i != 0; {
			if h.joined {
				r.rename(i)
			}
			high := r.carry(i)
			next := f.Next(i)
			if high != 0 {
				next = f.Next(high)
			}
			if !f.Op(i).IsPhi() && (high != 0 || r.isPure(i)) {
				h.instr(i, high, b)
			}
			i = next
		}
	}
	if !h.joined {
		return
	}
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			r.rename(i)
		}
	}
}

// instr hoists an instruction of a block if possible, together with the
// instruction that computes the high dword of the same sum, if any.
func (h *hoisting) instr(i, high mir.Instr, b uint32) {
	f := h.f
	if high != 0 && h.joined {
		h.rename(high)
	}
	memory := f.Info(i).Flags&mir.MayLoad != 0
	var to mir.Block
	for loop := h.loops.Of(b); loop != 0; loop = h.loops.Parent(loop) {
		p := h.loops.Preheader(loop)
		if p == 0 || h.varies(i, loop) || high != 0 && h.varies(high, loop) || memory && h.loops.Header(loop) != b || !h.fits(i, high, loop) {
			break
		}
		to = mir.Block(p)
		if memory {
			break
		}
	}
	if to == 0 {
		return
	}
	for k := h.heads[h.hash(i)&uint32(len(h.heads)-1)]; k != 0; k = h.next[k] {
		if k != i && f.Parent(k) == to && h.equalWhole(k, i) { // it is already there
			h.replace(i, k)
			h.joined = true
			f.Erase(i)
			if high != 0 {
				f.Erase(high)
			}
			return
		}
	}
	h.move(i, to)
	if high != 0 {
		h.move(high, to)
	}
}

// move moves an instruction to the end of a block.
func (h *hoisting) move(i mir.Instr, to mir.Block) {
	h.f.Unlink(i)
	h.f.InsertBefore(i, h.f.FirstTerminator(to))
}

// varies reports whether an instruction reads a value computed in a loop.
func (h *hoisting) varies(i mir.Instr, loop uint32) bool {
	f := h.f
	for _, o := range f.Uses(i) {
		if o.IsVirtual() && f.File(o.Reg()) != mir.FileSCC && h.loops.Contains(loop, uint32(f.Parent(f.DefOf(o.Reg())))) {
			return true
		}
	}
	return false
}

// fits reserves space for the results of one or two instructions, and reports
// whether enough was left.
func (h *hoisting) fits(i, high mir.Instr, loop uint32) bool {
	f := h.f
	left := h.room[loop]
	for _, o := range f.Defs(i) {
		if file := f.File(o.Reg()); file != mir.FileSCC {
			if left[file] -= f.Dwords(o.Reg()); left[file] < 0 {
				return false
			}
		}
	}
	if high != 0 {
		if left[mir.FileS] -= f.Dwords(f.Def(high, 0)); left[mir.FileS] < 0 {
			return false
		}
	}
	h.room[loop] = left
	return true
}
