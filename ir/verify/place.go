package verify

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Diagnostics makes diagnostics of violations: at their places in the text that the module was read from, or, when places is
// nil, with function, block and the printed instruction.
func Diagnostics(m *ir.Module, list []Violation, places *text.Places) (out diag.List) {
	for _, v := range list {
		if places == nil {
			out = append(out, diag.Diagnostic{Message: v.Describe(m)})
			continue
		}
		d := diag.Diagnostic{Message: v.Message}
		if off, ok := v.offset(places); ok {
			d.Source, d.Off, d.End = places.Source, off, off
		} else {
			d.Message = v.Describe(m)
		}
		out = append(out, d)
	}
	return out
}

// offset gives where a violation is in the text.
func (v *Violation) offset(places *text.Places) (int, bool) {
	switch {
	case v.Function != nil && v.Value != ir.None:
		return places.Value(v.Function, v.Value)
	case v.Function != nil && v.Block != 0:
		return places.Value(v.Function, v.Block.Value())
	case v.Function != nil:
		return places.Global(v.Function.Global)
	case v.Global != nil:
		return places.Global(v.Global)
	case v.Node != 0:
		return places.Node(v.Node)
	}
	return 0, false
}

// Describe tells the violation with its place in the module, on several lines.
func (v *Violation) Describe(m *ir.Module) string {
	var b strings.Builder
	b.WriteString(v.String())
	if v.Function != nil && v.Value != ir.None {
		b.WriteString("\n    " + text.ValueString(v.Function, v.Value))
	}
	if v.Node != 0 {
		b.WriteString("\n    " + text.NodeString(m, v.Node))
	}
	return b.String()
}
