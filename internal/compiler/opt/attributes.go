package opt

import "github.com/gfx-toolchain/gfx/ir"

// alignAttrs returns the attributes of a call whose first pointer arguments
// have the given alignments in bytes (0: unknown).
func alignAttrs(m *ir.Module, aligns ...uint32) ir.AttrList {
	sets := make([]ir.AttrSet, ir.AttrParams+len(aligns))
	for i, a := range aligns {
		if a > 1 {
			sets[ir.AttrParams+i] = m.AttrSet([]ir.Attr{{Kind: ir.AttrAlign, Int: uint64(a)}})
		}
	}
	return m.AttrList(sets)
}

// fnAttr reports whether a function has an attribute.
func fnAttr(f *ir.Function, k ir.AttrKind) bool {
	m := f.Module()
	return m.HasAttr(m.AttrsAt(f.Attributes, ir.AttrFunction), k)
}

// StringAttr returns a string attribute of a function, or "".
func StringAttr(f *ir.Function, key string) string {
	m := f.Module()
	s, _ := m.StringAttr(m.AttrsAt(f.Attributes, ir.AttrFunction), key)
	return s
}

// subprogram returns the DISubprogram of a function, or 0.
func subprogram(f *ir.Function) ir.Metadata {
	for _, a := range f.MD {
		if a.Kind == ir.MDDbg {
			return a.Node
		}
	}
	return 0
}
