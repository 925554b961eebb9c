package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// TestRow is a row of intrinsics.tsv, exported for tests.
type TestRow struct {
	ID      ir.Intrinsic
	Op      mir.Op // OpNone for rows with a Go function
	Go      bool
	Types   []TestType
	Uniform bool
	// Special and None mark rows that this package does not select by the
	// table.
	Special, None bool
	Image         bool
	Operands      []TestOperand
}

// TestType is the selector of an overloaded type.
type TestType struct {
	Elem    byte
	N, Bits int
}

// TestOperand is an argument operand of a row; Mod is set for modifiers.
type TestOperand struct {
	Arg, Slot int
	Mod       bool
}

// AllRows returns all rows.
func AllRows() (rows []TestRow) {
	for i := range intrinsicRows {
		r := &intrinsicRows[i]
		t := TestRow{ID: r.id, Op: r.op, Go: r.kind == kindGo, Uniform: r.uniform, Special: r.kind == kindSpecial, None: r.kind == kindNone, Image: r.kind == kindImage}
		for _, x := range r.types {
			t.Types = append(t.Types, TestType{x.elem, int(x.n), int(x.bits)})
		}
		slot := 0
		for _, o := range r.operands {
			switch {
			case o.kind >= modNeg0:
				t.Operands = append(t.Operands, TestOperand{Arg: int(o.n), Mod: true})
			case o.isArg:
				t.Operands = append(t.Operands, TestOperand{Arg: int(o.n), Slot: slot})
				slot++
			default:
				slot++
			}
		}
		rows = append(rows, t)
	}
	return rows
}

// OnMachine reports whether a machine has the operations of a row.
func OnMachine(n int, m *mir.Machine) bool {
	r := &intrinsicRows[n]
	s := Selector{out: mir.NewFunc("f", m), set: m.Set}
	return s.machineHas(r) && (r.handler == handlerNone || s.handlerFits(ir.None, r))
}
