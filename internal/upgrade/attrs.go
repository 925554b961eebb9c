package upgrade

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// Old string attributes.
const (
	noFramePointerElim     = "no-frame-pointer-elim"
	noFramePointerElimLeaf = "no-frame-pointer-elim-non-leaf"
	nullPointerIsValid     = "null-pointer-is-valid"
)

// isOldAttr reports whether an attribute has a different form in LLVM 22.
func (u *Upgrader) isOldAttr(a ir.Attr) bool {
	if a.Kind != ir.AttrString {
		return false
	}
	switch u.m.Str(a.Key) {
	case noFramePointerElim, noFramePointerElimLeaf, nullPointerIsValid:
		return true
	}
	return false
}

// attrSet returns a set with its old attributes upgraded (LLVM's
// UpgradeAttributes, which llvm-dis applies to every set).
func (u *Upgrader) attrSet(s ir.AttrSet) ir.AttrSet {
	m := u.m
	if !slices.ContainsFunc(m.Attrs(s), u.isOldAttr) {
		return s
	}
	attrs := slices.DeleteFunc(slices.Clone(m.Attrs(s)), u.isOldAttr)
	if pointer := u.framePointer(s); pointer != "" {
		attrs = append(attrs, m.NewStringAttr("frame-pointer", pointer))
	}
	if valid, _ := m.StringAttr(s, nullPointerIsValid); valid == "true" {
		attrs = append(attrs, ir.Attr{Kind: ir.AttrNullPointerIsValid})
	}
	return m.AttrSet(attrs)
}

// framePointer returns the value of "frame-pointer" that corresponds to the old
// attributes of a set, or "" if it has none. The value of
// "no-frame-pointer-elim-non-leaf" is irrelevant.
func (u *Upgrader) framePointer(s ir.AttrSet) string {
	elim, has := u.m.StringAttr(s, noFramePointerElim)
	_, leaf := u.m.StringAttr(s, noFramePointerElimLeaf)
	switch {
	case has && elim == "true":
		return "all"
	case leaf:
		return "non-leaf"
	case has:
		return "none"
	}
	return ""
}

// attrList returns a list with its sets upgraded.
func (u *Upgrader) attrList(list ir.AttrList) ir.AttrList {
	if !u.oldAttrs || list == 0 {
		return list
	}
	for place, s := range u.m.AttrSets(list) {
		if to := u.attrSet(s); to != s {
			list = u.m.WithAttrsAt(list, place, to)
		}
	}
	return list
}

// globalAttrs upgrades the attributes of a global.
func (u *Upgrader) globalAttrs(g *ir.Global) {
	if !u.oldAttrs {
		return
	}
	g.Attrs = u.attrSet(g.Attrs)
	if g.Func != nil {
		g.Func.Attributes = u.attrList(g.Func.Attributes)
	}
}

// callAttrs upgrades the attributes of a call.
func (u *Upgrader) callAttrs(f *ir.Function, v ir.Value) {
	if list := f.CallAttrs(v); list != 0 {
		if to := u.attrList(list); to != list {
			f.SetCallAttrs(v, to)
		}
	}
}
