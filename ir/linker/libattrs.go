package linker

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Library functions are not compiled for a specific processor. Clang adds the
// unit's code generation attributes to code that it links with
// -mlink-builtin-bitcode, because callers and callees must agree in them.

// attrMerge defines the merged value of a string attribute of a library
// function. own is its value and has reports whether it exists; unit and
// unitHas are the same for the unit's functions. ok reports whether the result
// has the attribute.
type attrMerge struct {
	key   string
	merge func(own string, has bool, unit string, unitHas bool) (value string, ok bool)
}

var attrMerges = []attrMerge{
	{"target-cpu", unitsElseOwn},
	{"tune-cpu", unitsElseOwn},
	{"frame-pointer", unitsElseOwn},
	{"target-features", func(own string, has bool, unit string, unitHas bool) (string, bool) {
		return mergeFeatures(own, unit), has || unitHas
	}},
	{"denormal-fp-math", func(own string, has bool, unit string, unitHas bool) (string, bool) {
		if own == dynamicDenormals {
			return unit, unitHas
		}
		return own, has
	}},
	{denormalsF32, func(own string, has bool, unit string, unitHas bool) (string, bool) {
		if !has || own == dynamicDenormals {
			return unit, unitHas
		}
		return own, has
	}},
}

const denormalsF32 = "denormal-fp-math-f32"

// dynamicDenormals is the attribute value of functions that support all
// denormal modes.
const dynamicDenormals = "dynamic,dynamic"

func unitsElseOwn(own string, has bool, unit string, unitHas bool) (string, bool) {
	if unitHas {
		return unit, true
	}
	return own, has
}

// mergeFeatures returns the union of two feature lists. own takes precedence in
// conflicts.
func mergeFeatures(own, unit string) string {
	var all []string
	seen := map[string]bool{}
	for _, list := range [...]string{own, unit} {
		for f := range strings.SplitSeq(list, ",") {
			if len(f) > 1 && !seen[f[1:]] {
				seen[f[1:]] = true
				all = append(all, f)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// spreadAttributes adds the unit's attributes to the linked functions, which
// follow the first own globals. A unit without a processor uses cpu.
func spreadAttributes(m *ir.Module, own int, cpu string) {
	unit := unitAttributes(m, own)
	if unit == 0 {
		unit = m.AttrSet([]ir.Attr{m.NewStringAttr("target-cpu", cpu)})
	}
	done := map[ir.AttrSet]ir.AttrSet{}
	for _, g := range m.Globals()[own:] {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		old := m.AttrsAt(g.Func.Attributes, ir.AttrFunction)
		set, ok := done[old]
		if !ok {
			set = mergeAttributes(m, old, unit)
			done[old] = set
		}
		g.Func.Attributes = m.WithAttrsAt(g.Func.Attributes, ir.AttrFunction, set)
	}
}

// unitAttributes returns the attributes of the first function with a target
// processor among the first n globals, or the empty set.
func unitAttributes(m *ir.Module, n int) ir.AttrSet {
	for _, g := range m.Globals()[:n] {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		set := m.AttrsAt(g.Func.Attributes, ir.AttrFunction)
		if _, ok := m.StringAttr(set, "target-cpu"); ok {
			return set
		}
	}
	return 0
}

// mergeAttributes returns the merged attribute set of a library function.
func mergeAttributes(m *ir.Module, old, unit ir.AttrSet) ir.AttrSet {
	var attrs []ir.Attr
	for _, a := range m.Attrs(old) {
		merged := slices.ContainsFunc(attrMerges, func(am attrMerge) bool { return a.Kind == ir.AttrString && m.Str(a.Key) == am.key })
		if !merged {
			attrs = append(attrs, a)
		}
	}
	for _, am := range attrMerges {
		own, has := m.StringAttr(old, am.key)
		units, unitHas := m.StringAttr(unit, am.key)
		if value, ok := am.merge(own, has, units, unitHas); ok {
			attrs = append(attrs, m.NewStringAttr(am.key, value))
		}
	}
	return m.AttrSet(attrs)
}
