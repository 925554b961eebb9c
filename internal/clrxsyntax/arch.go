// Package clrxsyntax holds the tables of CLRX's instruction syntax for GCN 1.0
// to 1.4, which the CLRX assembler and disassembler share: the instructions of
// each architecture with CLRX's names and operand sizes, and the names of
// special operands and modifiers.
//
// Instructions, opcodes and operand sizes follow from package isa. The tables
// of this package list what CLRX has in addition, leaves out or names
// differently. The facts are from the documentation of CLRX
// (https://github.com/CLRX/CLRX-mirror, doc).
package clrxsyntax

import (
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Arch is an architecture of CLRX.
type Arch uint8

// Architectures.
const (
	GCN10   Arch = iota // GCN 1.0 (gfx6)
	GCN11               // GCN 1.1 (gfx7)
	GCN12               // GCN 1.2 (gfx8)
	GCN14               // GCN 1.4 (gfx9)
	numArch = iota
)

// archs describes the architectures: CLRX's name and the processor whose
// instruction set it has.
var archs = [numArch]struct{ name, processor string }{
	GCN10: {"GCN1.0", "gfx600"},
	GCN11: {"GCN1.1", "gfx700"},
	GCN12: {"GCN1.2", "gfx803"},
	GCN14: {"GCN1.4", "gfx900"},
}

// Archs returns all architectures.
func Archs() []Arch { return []Arch{GCN10, GCN11, GCN12, GCN14} }

// String returns CLRX's name of an architecture, such as "GCN1.2".
func (a Arch) String() string { return archs[a].name }

// Set returns the architecture's instruction set.
func (a Arch) Set() isa.Set {
	s, _ := isa.SetOf(target.Lookup(archs[a].processor))
	return s
}

var tables [numArch]lazy.Value[*Table]

// ArchOf returns the architecture whose syntax the code of another package's
// architecture has. ok is false for GCN 1.5.
func ArchOf(a catalyst.Arch) (arch Arch, ok bool) {
	return min(Arch(a), GCN14), a != catalyst.GCN15
}

// TableOf returns the instructions of an architecture.
func TableOf(a Arch) *Table {
	return tables[a].From(func() *Table { return newTable(a) })
}
