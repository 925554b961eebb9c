package analysis

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// scopesAlias evaluates alias.scope and noalias metadata: an access with
// noalias scopes does not touch the memory of accesses in these scopes. All
// scopes of a domain must be excluded (LangRef, "'noalias' and 'alias.scope'
// Metadata").
func (a *Alias) scopesAlias(scopes, noalias ir.Metadata) bool {
	if scopes == 0 || noalias == 0 {
		return true
	}
	m := a.m
	list, not := m.MDOperands(scopes), m.MDOperands(noalias)
	for _, n := range not {
		domain := scopeDomain(m, n)
		if domain == 0 {
			continue
		}
		found, all := false, true
		for _, s := range list {
			if scopeDomain(m, s) == domain {
				found = true
				all = all && slices.Contains(not, s)
			}
		}
		if found && all {
			return false
		}
	}
	return true
}

// scopeDomain returns the domain of a scope, or 0.
func scopeDomain(m *ir.Module, scope ir.Metadata) ir.Metadata {
	if ops := m.MDOperands(scope); len(ops) >= 2 {
		return ops[1]
	}
	return 0
}

// accessTag is the tbaa metadata of an access (LangRef, "'tbaa' Metadata"): the
// access, of type access, is at offset in an object of type base.
type accessTag struct {
	base, access ir.Metadata
	offset       uint64
	immutable    bool
}

// readTag parses a struct-path tag. ok is false for other forms.
func readTag(m *ir.Module, md ir.Metadata) (tag accessTag, ok bool) {
	ops := m.MDOperands(md)
	if len(ops) < 3 || !m.IsNode(ops[0]) || !m.IsNode(ops[1]) {
		return tag, false
	}
	offset, ok := m.MDInt(ops[2])
	tag = accessTag{base: ops[0], access: ops[1], offset: offset}
	if len(ops) > 3 {
		n, isInt := m.MDInt(ops[3])
		tag.immutable = isInt && n&1 != 0
	}
	// Type nodes of the newer format start with their parent instead of a name
	// and are not supported.
	if t := m.MDOperands(tag.access); len(t) >= 3 && m.IsNode(t[0]) {
		return tag, false
	}
	return tag, ok
}

// maxTypeDepth bounds walks through type nodes, which may be cyclic.
const maxTypeDepth = 64

// typesAlias evaluates tbaa metadata.
func (a *Alias) typesAlias(x, y ir.Metadata) bool {
	if x == y || x == 0 || y == 0 {
		return true
	}
	m := a.m
	p, ok1 := readTag(m, x)
	q, ok2 := readTag(m, y)
	if !ok1 || !ok2 {
		return true
	}
	common := commonType(m, p.access, q.access)
	if common == 0 {
		return true // unrelated type systems
	}
	if may, known := partOf(m, p, q, common); known {
		return may
	}
	if may, known := partOf(m, q, p, common); known {
		return may
	}
	return false
}

// parentType returns the parent of a type node, or 0 for a root.
func parentType(m *ir.Module, t ir.Metadata) ir.Metadata {
	ops := m.MDOperands(t)
	if len(ops) < 2 || !m.IsNode(ops[1]) {
		return 0
	}
	return ops[1]
}

// commonType returns the innermost common ancestor of two types, or 0 if they
// have different roots.
func commonType(m *ir.Module, x, y ir.Metadata) ir.Metadata {
	for range maxTypeDepth {
		t := y
		for range maxTypeDepth {
			if t == x {
				return x
			}
			if t = parentType(m, t); t == 0 {
				break
			}
		}
		if x = parentType(m, x); x == 0 {
			break
		}
	}
	return 0
}

// partOf reports whether the object of tag sub may be part of the object of tag
// whole. known is false if the types do not determine that.
func partOf(m *ir.Module, whole, sub accessTag, common ir.Metadata) (may, known bool) {
	if whole.access == whole.base && whole.access == common {
		return true, true
	}
	t, offset := whole.base, whole.offset
	for range maxTypeDepth {
		if t == 0 {
			break
		}
		if t == sub.base {
			return offset == sub.offset, true
		}
		t, offset = fieldType(m, t, offset)
	}
	return false, false
}

// fieldType returns the field of a struct type at an offset and the offset
// inside the field. For a scalar type it returns the parent.
func fieldType(m *ir.Module, t ir.Metadata, offset uint64) (ir.Metadata, uint64) {
	ops := m.MDOperands(t)
	if len(ops) < 2 {
		return 0, 0
	}
	if len(ops) == 2 {
		return parentType(m, t), offset
	}
	field, begin := ir.Metadata(0), uint64(0)
	for i := 1; i+1 < len(ops); i += 2 {
		at, ok := m.MDInt(ops[i+1])
		if !ok || at > offset && i > 1 {
			break
		}
		field, begin = ops[i], at
	}
	if field == 0 || !m.IsNode(field) {
		return 0, 0
	}
	return field, offset - begin
}
