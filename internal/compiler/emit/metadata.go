package emit

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// NewSelfNode returns a distinct node whose first operand is the node itself.
func NewSelfNode(m *ir.Module, ops ...ir.Metadata) ir.Metadata {
	n := m.NewDistinct(ir.NodeTuple, append([]ir.Metadata{0}, ops...), nil)
	m.SetMDOperand(n, 0, n)
	return n
}

// Concatenate returns a tuple with the operands of two tuples; either may be 0.
func Concatenate(m *ir.Module, a, b ir.Metadata) ir.Metadata {
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	list := slices.Clone(m.MDOperands(a))
	for _, o := range m.MDOperands(b) {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return m.NewTuple(list...)
}
