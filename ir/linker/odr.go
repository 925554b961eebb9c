package linker

import "github.com/gfx-toolchain/gfx/ir"

// odrTypes holds the debug types with an identifier. By the one definition
// rule, two types with the same identifier are equal, and LLVM keeps one
// distinct node for both. Members and member function declarations of such
// types are equal if their names are.
type odrTypes struct {
	types   map[string]ir.Metadata // destination's types
	is      map[ir.Metadata]bool   // set of such types
	members map[odrMember]ir.Metadata
}

// odrMember identifies a member of a type.
type odrMember struct {
	scope, name, params ir.Metadata
	function            bool
}

const (
	tagMember        = 0x0d // DW_TAG_member
	flagFwdDecl      = 1 << 2
	spFlagDefinition = 1 << 3
)

func (o *odrTypes) init() {
	o.types, o.is, o.members = map[string]ir.Metadata{}, map[ir.Metadata]bool{}, map[odrMember]ir.Metadata{}
}

// note adds the types of a module that have identifiers.
func (o *odrTypes) note(m *ir.Module) {
	for md := range ir.Metadata(m.NumMetadata()) {
		if id := identifier(m, md); id != "" && o.types[id] == 0 {
			o.types[id], o.is[md] = md, true
		}
	}
}

// identifier returns the identifier of a composite type, or "" for other nodes.
func identifier(m *ir.Module, md ir.Metadata) string {
	if m.NodeKind(md) != ir.NodeCompositeType {
		return ""
	}
	id, _ := m.MDString(m.MDField(md, "identifier"))
	return id
}

func (mv *mover) isODR(md ir.Metadata) bool { return identifier(mv.src, md) != "" }

// enterODR maps a type with an identifier to the destination's type. If the
// latter is only a declaration, the source provides the definition.
func (mv *mover) enterODR(md ir.Metadata) {
	t, types := &mv.md, mv.l.odr.types
	id := identifier(mv.src, md)
	old := types[id]
	switch {
	case old == 0:
		t.to[md] = mv.dst.ReserveNode()
		types[id] = t.to[md]
		mv.l.odr.is[t.to[md]] = true
	case mv.dst.NodeKind(old) == ir.NodeNone: // under construction
		t.to[md] = old
		return
	case mv.dst.MDFieldInt(old, "tag") != mv.src.MDFieldInt(md, "tag"):
		t.to[md] = mv.dst.ReserveNode()
	case mv.dst.MDFieldInt(old, "flags")&flagFwdDecl == 0 || mv.src.MDFieldInt(md, "flags")&flagFwdDecl != 0:
		t.to[md] = old
		return
	default:
		t.to[md] = old
	}
	t.distinct = append(t.distinct, md)
}

// unique creates a uniqued node, or returns the existing member with the same
// name.
func (o *odrTypes) unique(m *ir.Module, kind ir.NodeKind, ops []ir.Metadata, ints []uint64) ir.Metadata {
	md := m.NewNode(kind, ops, ints)
	key, ok := o.memberKey(m, md)
	if !ok {
		return md
	}
	if old, ok := o.members[key]; ok {
		return old
	}
	o.members[key] = md
	return md
}

// memberKey returns the key of a member of a type that has an identifier.
func (o *odrTypes) memberKey(m *ir.Module, md ir.Metadata) (key odrMember, ok bool) {
	scope := ir.Metadata(0)
	switch m.NodeKind(md) {
	case ir.NodeDerivedType:
		if m.MDFieldInt(md, "tag") != tagMember {
			return
		}
		scope = m.MDField(md, "scope")
		key = odrMember{scope: scope, name: m.MDField(md, "name")}
	case ir.NodeSubprogram:
		if m.MDFieldInt(md, "spFlags")&spFlagDefinition != 0 {
			return
		}
		scope = m.MDField(md, "scope")
		key = odrMember{scope: scope, name: m.MDField(md, "linkageName"), params: m.MDField(md, "templateParams"), function: true}
	}
	return key, scope != 0 && key.name != 0 && o.is[scope]
}
