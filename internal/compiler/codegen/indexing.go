package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// indexing lowers IndexRead and IndexWrite to moves with the index in M0. gfx9
// lacks such moves, and uses plain moves in a mode that adds an index to
// register numbers. The pass runs after the insertion of waits, which must know
// all registers that may be accessed. Sources: AMD's ISA documents, "VGPR
// Indexing", V_MOVRELS_B32.
func indexing(f *mir.Func) {
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; {
			next := f.Next(i)
			if op := f.Op(i); op == mir.IndexRead || op == mir.IndexWrite {
				replaceIndexed(f, i, op == mir.IndexWrite)
			}
			i = next
		}
	}
}

// Modes of s_set_gpr_idx_on: the operand to whose number the index is added.
const (
	indexSrc0 = 1
	indexDst  = 8
)

func replaceIndexed(f *mir.Func, i mir.Instr, write bool) {
	n := mir.Reg(f.Use(i, 2).Imm)
	index := *f.Use(i, 1)
	to, from, op, mode := mir.Phys(f.Def(i, 0), 1), mir.Phys(f.Use(i, 0).Reg()+n, 1), mir.VMovrelsB32, int64(indexSrc0)
	if write {
		to, from, op, mode = mir.Phys(f.Def(i, 0)+n, 1), *f.Use(i, 3), mir.VMovreldB32, indexDst
	}
	put := func(op mir.Op, defs int, operands ...mir.Operand) {
		x := f.NewInstr(op, defs, operands...)
		f.SetLoc(x, f.Loc(i))
		f.SetFlags(x, mir.NoReorder)
		f.InsertBefore(x, i)
	}
	m0 := mir.Phys(mir.M0, 1)
	if f.M.Has(op) {
		put(mir.SMovB32, 1, m0, index)
		put(op, 1, to, from, m0)
	} else {
		put(mir.SSetGprIdxOn, 0, index, mir.Imm(mode), m0)
		put(mir.VMovB32, 1, to, from)
		put(mir.SSetGprIdxOff, 0)
	}
	f.Erase(i)
}
