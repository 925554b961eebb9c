package verify

import (
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Diagnostics converts violations to diagnostics. They have locations in the
// text of the module, or, if places is nil, the function, block and printed
// instruction.
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

// offset returns the location of a violation in the text.
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

// Describe returns the violation and its location in the module as several
// lines.
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
