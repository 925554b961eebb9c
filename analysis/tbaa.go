package analysis

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// scopesAlias asks metadata alias.scope and noalias: an access with noalias scopes is none to memory of accesses
// that are in these scopes. All scopes of a domain must be excluded (LangRef, "'noalias' and 'alias.scope' Metadata").
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

// scopeDomain gives the domain of a scope, 0 when it has none.
func scopeDomain(m *ir.Module, scope ir.Metadata) ir.Metadata {
	if ops := m.MDOperands(scope); len(ops) >= 2 {
		return ops[1]
	}
	return 0
}

// accessTag is metadata tbaa of an access (LangRef, "'tbaa' Metadata"): an object of type base is accessed at offset as access.
type accessTag struct {
	base, access ir.Metadata
	offset       uint64
	immutable    bool
}

// readTag reads a struct-path tag; ok is false for other forms.
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
	// type nodes of the newer format begin with their parent instead of a name: nothing is known of them
	if t := m.MDOperands(tag.access); len(t) >= 3 && m.IsNode(t[0]) {
		return tag, false
	}
	return tag, ok
}

// maxTypeDepth bounds walks through type nodes, which could have cycles.
const maxTypeDepth = 64

// typesAlias asks metadata tbaa.
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

// parentType gives the type around a type node; 0 for a root.
func parentType(m *ir.Module, t ir.Metadata) ir.Metadata {
	ops := m.MDOperands(t)
	if len(ops) < 2 || !m.IsNode(ops[1]) {
		return 0
	}
	return ops[1]
}

// commonType gives the innermost type around both, 0 when they have different roots.
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

// partOf tells whether the object of tag sub may be a part of that of tag whole; known is false when it is not.
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

// fieldType gives the field of a struct type that an offset is in and the offset in it; of a scalar type its parent.
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
