package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Instructions that wait for counters.

// singleWaits lists the gfx12 instructions that wait for one counter.
var singleWaits = [...]struct {
	c  waitcnt.Counter
	op mir.Op
}{
	{waitcnt.Load, mir.SWaitLoadcnt}, {waitcnt.Store, mir.SWaitStorecnt}, {waitcnt.LDS, mir.SWaitDscnt}, {waitcnt.Scalar, mir.SWaitKmcnt},
	{waitcnt.Export, mir.SWaitExpcnt}, {waitcnt.Sample, mir.SWaitSamplecnt},
	{waitcnt.BVH, mir.SWaitBvhcnt}, {waitcnt.Translation, mir.SWaitXcnt},
}

// pairWaits lists the gfx12 instructions that wait for LDS and another counter.
var pairWaits = [...]struct {
	c  waitcnt.Counter
	op mir.Op
}{{waitcnt.Load, mir.SWaitLoadcntDscnt}, {waitcnt.Store, mir.SWaitStorecntDscnt}}

// waitInside moves a wait to a field of the instruction that needs it, if it has
// one: interpolations wait for parameters.
func waitInside(f *mir.Func, w *waitcnt.Limits, at mir.Instr) {
	if f.Info(at).Form != isa.VINTERP || w[waitcnt.Export] == waitcnt.None {
		return
	}
	field := f.Use(at, len(f.Uses(at))-1)
	field.Imm = min(field.Imm, int64(w[waitcnt.Export]))
	w[waitcnt.Export] = waitcnt.None
}

// insertWaits inserts wait instructions before another instruction.
func insertWaits(f *mir.Func, w *waitcnt.Limits, at mir.Instr, flags mir.Flags) {
	put := func(op mir.Op, operands ...mir.Operand) {
		i := f.NewInstr(op, 0, operands...)
		f.SetFlags(i, flags)
		f.SetLoc(i, f.Loc(at))
		f.InsertBefore(i, at)
	}
	s := f.M.Set
	if s.Has(isa.PropSplitWaits) {
		left := *w
		for _, p := range pairWaits {
			if left[p.c] != waitcnt.None && left[waitcnt.LDS] != waitcnt.None {
				put(p.op, mir.Imm(waitcnt.Pair(left[p.c], left[waitcnt.LDS])))
				left[p.c], left[waitcnt.LDS] = waitcnt.None, waitcnt.None
			}
		}
		for _, x := range singleWaits {
			if left[x.c] != waitcnt.None {
				put(x.op, mir.Imm(int64(left[x.c])))
			}
		}
		return
	}
	if v, waits := waitcnt.Packed(s, w); waits {
		put(mir.SWaitcnt, mir.Imm(int64(v)))
	}
	if w[waitcnt.Store] != waitcnt.None && s.Has(isa.PropVscnt) {
		put(mir.SWaitcntVscnt, mir.Phys(mir.Null, 1), mir.Imm(int64(w[waitcnt.Store])))
	}
}

// waitsOf returns the waits of an instruction, or false if it is not a wait.
func waitsOf(f *mir.Func, i mir.Instr) (w waitcnt.Limits, ok bool) {
	x := f.Info(i)
	if x.Unit != mir.UnitSALU || len(x.Encs) == 0 {
		return w, false
	}
	k := x.Encs[0].Kinds()
	if !k.Any(isa.KindWait) {
		return w, false
	}
	v := uint32(0)
	for _, o := range f.Uses(i) {
		switch {
		case o.Kind == mir.KindImm:
			v = uint32(o.Imm)
		case o.Reg() != mir.Null: // added to the count
			return w, false
		}
	}
	return waitcnt.Decode(f.M.Set, k, v)
}
