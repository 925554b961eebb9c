package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Clauses, from gfx10 on: consecutive memory instructions of one kind, which
// the hardware issues without interleaving instructions of other waves, so that
// accesses to the same cache lines coincide.
//
// Sources: RDNA ISA documents, "s_clause"; LLVM, SIInsertHardClauses.cpp, for
// the instructions allowed in a clause.

// clauseKind is a kind of instructions that can share a clause; 0 is for
// instructions in no clause.
type clauseKind uint8

const (
	clauseScalar clauseKind = 1 + iota
	clauseLoad
	clauseStore
	clauseAtomic
	clauseFlat clauseKind = 8 // combines with one of the others
)

// maxClause is the maximum number of instructions in a clause.
const maxClause = 63

// insertClauses inserts s_clause before groups of memory instructions.
func insertClauses(f *mir.Func) {
	if !f.M.Set.Has(isa.PropClause) {
		return
	}
	for _, b := range f.Layout {
		var first mir.Instr
		kind, n := clauseKind(0), 0
		for i := f.First(b); ; i = f.Next(i) {
			k := clauseKind(0)
			if i != 0 {
				k = clauseKindOf(f, i)
			}
			if k != 0 && k == kind && n < maxClause {
				n++
				continue
			}
			if n > 1 {
				c := f.NewInstr(mir.SClause, 0, mir.Imm(int64(n-1)))
				f.SetLoc(c, f.Loc(first))
				f.InsertBefore(c, first)
			}
			if first, kind, n = i, k, 1; k == 0 {
				n = 0
			}
			if i == 0 {
				break
			}
		}
	}
}

func clauseKindOf(f *mir.Func, i mir.Instr) (k clauseKind) {
	x := f.Info(i)
	load, store := x.Flags&mir.MayLoad != 0, x.Flags&mir.MayStore != 0
	old := f.M.Set.Gen() == isa.Gen10
	switch {
	case x.Traits.Any(isa.TraitLds), x.IsImage(): // image instructions do not mix with other memory instructions
		return 0
	case x.Unit == mir.UnitSMEM && load && !store:
		return clauseScalar
	case x.Unit != mir.UnitVMEM && x.Unit != mir.UnitFlat:
		return 0
	case load && (old || !store):
		k = clauseLoad
	case load && len(f.Defs(i)) > 0:
		k = clauseAtomic
	case store && !load && !old:
		k = clauseStore
	default:
		return 0
	}
	if x.Unit == mir.UnitFlat {
		k |= clauseFlat
	}
	return k
}
