package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Instructions that wait for counters.

// waits holds, for each counter, the number of events that may be outstanding.
type waits [numCounters]int16

// noWait means that no wait for a counter is needed.
const noWait = -1

func noWaits() (w waits) {
	for c := range w {
		w[c] = noWait
	}
	return w
}

func (w *waits) any() bool { return *w != noWaits() }

// add strengthens the waits to include v.
func (w *waits) add(v *waits) {
	for c, n := range v {
		if n != noWait && (w[c] == noWait || n < w[c]) {
			w[c] = n
		}
	}
}

// waitFields lists the counters in the operand of s_waitcnt.
var waitFields = [...]struct {
	c     counter
	field isa.WaitCounter
}{{cntLoad, isa.VMCnt}, {cntLDS, isa.LGKMCnt}, {cntExport, isa.ExpCnt}}

// singleWaits lists the gfx12 instructions that wait for one counter.
var singleWaits = [numCounters]mir.Op{cntLoad: mir.SWaitLoadcnt, cntStore: mir.SWaitStorecnt, cntLDS: mir.SWaitDscnt, cntScalar: mir.SWaitKmcnt,
	cntExport: mir.SWaitExpcnt}

// pairWaits lists the gfx12 instructions that wait for LDS, whose count is in
// the low bits, and another counter.
var pairWaits = [...]struct {
	c  counter
	op mir.Op
}{{cntLoad, mir.SWaitLoadcntDscnt}, {cntStore, mir.SWaitStorecntDscnt}}

// insertWaits inserts wait instructions before another instruction.
func insertWaits(f *mir.Func, w *waits, at mir.Instr, flags mir.Flags) {
	put := func(op mir.Op, operands ...mir.Operand) {
		i := f.NewInstr(op, 0, operands...)
		f.SetFlags(i, flags)
		f.SetLoc(i, f.Loc(at))
		f.InsertBefore(i, at)
	}
	s := f.M.Set
	if s.Gen() >= isa.Gen12 {
		left := *w
		for _, p := range pairWaits {
			if left[p.c] != noWait && left[cntLDS] != noWait {
				put(p.op, mir.Imm(int64(left[p.c])<<8|int64(left[cntLDS])))
				left[p.c], left[cntLDS] = noWait, noWait
			}
		}
		for c, op := range singleWaits {
			if left[c] != noWait && f.M.Has(op) { // without exports, their counter does not exist either
				put(op, mir.Imm(int64(left[c])))
			}
		}
		return
	}
	v, old := isa.WaitcntDefault(s), isa.WaitcntDefault(s)
	for _, x := range waitFields {
		if w[x.c] != noWait {
			v, _ = isa.EncodeWaitcnt(s, v, x.field, int64(w[x.c]), false)
		}
	}
	if v != old {
		put(mir.SWaitcnt, mir.Imm(int64(v)))
	}
	if w[cntStore] != noWait && s.Gen() >= isa.Gen10 {
		put(mir.SWaitcntVscnt, mir.Phys(mir.Null, 1), mir.Imm(int64(w[cntStore])))
	}
}

// waitsOf returns the waits of an instruction, or false if it is not a wait.
func waitsOf(f *mir.Func, i mir.Instr) (w waits, ok bool) {
	w = noWaits()
	op := f.Op(i)
	s := f.M.Set
	switch {
	case op == mir.SWaitcnt:
		v := uint32(f.Use(i, 0).Imm)
		for _, x := range waitFields {
			if n := isa.DecodeWaitcnt(s, v, x.field); n != isa.WaitcntMax(s, x.field) {
				w[x.c] = int16(n)
			}
		}
		return w, true
	case op == mir.SWaitcntVscnt && f.Use(i, 0).Reg() == mir.Null:
		w[cntStore] = int16(f.Use(i, 1).Imm)
		return w, true
	case s.Gen() < isa.Gen12 || f.Info(i).Unit != mir.UnitSALU:
		return w, false
	}
	for c, single := range singleWaits {
		if op == single {
			w[c] = int16(f.Use(i, 0).Imm)
			return w, true
		}
	}
	for _, p := range pairWaits {
		if op == p.op {
			w[p.c], w[cntLDS] = int16(f.Use(i, 0).Imm>>8&63), int16(f.Use(i, 0).Imm&63)
			return w, true
		}
	}
	return w, false
}
