package sem

import "github.com/gfx-toolchain/gfx/isa"

// tables lists the tables of rows.
func tables() [][]Row {
	return [][]Row{
		intRows,
		sadRows,
		bitRows,
		dotRows,
		cmpRows(),
		salu1Rows,
		salu2Rows,
		saluCmpRows(),
		salukRows(),
	}
}

// ExecOp: being written.
func ExecOp(op isa.Op) *struct{} { return nil }
