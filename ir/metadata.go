package ir

import "slices"

// Metadata is the number of a metadata node, string or value of a module. 0 is null.
type Metadata uint32

// Value returns the metadata as an operand of a call.
func (md Metadata) Value() Value { return Value(md) | tagMeta }

// NodeKind is the kind of a metadata entry.
type NodeKind uint8

const (
	NodeNone   NodeKind = iota // null, or a node that is not defined yet
	NodeString                 // MDString
	NodeValue                  // MDValue: a constant
	NodeTuple                  // !{…}
	// The specialised nodes follow.
)

// mdEntry is the stored form of metadata. ops holds the number of a string, the
// Value of a value, or the locations of a node's operands and integers.
type mdEntry struct {
	kind      NodeKind
	distinct  bool
	nInts     uint16
	ops, nOps uint32
	ints      uint32
}

type mdTable struct {
	interner
	all  array[mdEntry]
	ops  array[Metadata]
	ints array[uint64]

	kinds     interner // of attachments
	kindNames array[string]
	big       array[[]uint64]
}

func (t *mdTable) init() { t.all.appendEntry(mdEntry{}) }

func (m *Module) mdAt(md Metadata) *mdEntry { return m.md.all.at(uint32(md)) }

// NodeKind returns the kind of md.
func (m *Module) NodeKind(md Metadata) NodeKind { return m.mdAt(md).kind }

// IsNode reports whether md is a node: not null, a string or a value.
func (m *Module) IsNode(md Metadata) bool { return m.mdAt(md).kind >= NodeTuple }

// NumMetadata returns the number of entries, an exclusive upper bound for their
// numbers.
func (m *Module) NumMetadata() int { return int(m.md.all.n) }

// NewMDString returns a string as metadata.
func (m *Module) NewMDString(s string) Metadata { return m.mdLeaf(NodeString, uint32(m.String(s))) }

// NewMDStringBytes is like NewMDString, but does not retain s.
func (m *Module) NewMDStringBytes(s []byte) Metadata {
	return m.mdLeaf(NodeString, uint32(m.strings.internBytes(s)))
}

// NewMDValue returns a constant as metadata.
func (m *Module) NewMDValue(v Value) Metadata {
	if v&tagMask != tagConst {
		panic("BUG: metadata of a value that is not a constant")
	}
	return m.mdLeaf(NodeValue, uint32(v))
}

func (m *Module) mdLeaf(kind NodeKind, x uint32) Metadata {
	t := &m.md
	h := fold(mix(hashSeed, uint64(kind)<<32|uint64(x)))
	return Metadata(t.intern(h, func(id uint32) bool {
		e := t.all.at(id)
		return e.kind == kind && e.ops == x
	}, func() uint32 { return t.all.appendEntry(mdEntry{kind: kind, ops: x}) }))
}

// MDString returns the text of a metadata string. ok is false for other
// metadata.
func (m *Module) MDString(md Metadata) (s string, ok bool) {
	e := m.mdAt(md)
	if e.kind != NodeString {
		return "", false
	}
	return m.Str(String(e.ops)), true
}

// MDValue returns the constant of a metadata value, or None for other metadata.
func (m *Module) MDValue(md Metadata) Value {
	if e := m.mdAt(md); e.kind == NodeValue {
		return Value(e.ops)
	}
	return None
}

// MDInt returns the value of metadata that is an integer constant.
func (m *Module) MDInt(md Metadata) (uint64, bool) { return m.IntValue(m.MDValue(md)) }

// IsDistinct reports whether a node is distinct, that is, equal only to itself.
func (m *Module) IsDistinct(md Metadata) bool { return m.mdAt(md).distinct }

// MDOperands returns the operands of a node. The caller must not modify the
// result.
func (m *Module) MDOperands(md Metadata) []Metadata {
	e := m.mdAt(md)
	if e.kind < NodeTuple {
		return nil
	}
	return m.md.ops.slice(e.ops, e.nOps)
}

// MDInts returns the integers of a specialised node (see [NodeKind.Fields]).
// The caller must not modify the result.
func (m *Module) MDInts(md Metadata) []uint64 {
	e := m.mdAt(md)
	if e.kind < NodeTuple {
		return nil
	}
	if e.nInts == manyInts {
		return *m.md.big.at(e.ints)
	}
	return m.md.ints.slice(e.ints, uint32(e.nInts))
}

// manyInts marks a node whose integers are in a separate slice.
const manyInts = 1<<16 - 1

// NewTuple returns the uniqued node !{…} with the given operands.
func (m *Module) NewTuple(ops ...Metadata) Metadata { return m.NewNode(NodeTuple, ops, nil) }

// NewNode returns the uniqued node with the given content. Fields of
// specialised nodes are in the order of their table.
func (m *Module) NewNode(kind NodeKind, ops []Metadata, ints []uint64) Metadata {
	m.guard.Check()
	t := &m.md
	return Metadata(t.intern(hashNode(kind, ops, ints),
		func(id uint32) bool { return m.sameNode(Metadata(id), kind, ops, ints) },
		func() uint32 {
			id := t.all.appendEntry(mdEntry{})
			t.fill(id, kind, false, ops, ints)
			return id
		}))
}

func hashNode(kind NodeKind, ops []Metadata, ints []uint64) uint32 {
	h := hashWords(mix(hashSeed, uint64(kind)), ops)
	for _, x := range ints {
		h = mix(h, x)
	}
	return fold(h)
}

func (m *Module) sameNode(md Metadata, kind NodeKind, ops []Metadata, ints []uint64) bool {
	e := m.mdAt(md)
	return e.kind == kind && !e.distinct && slices.Equal(m.MDOperands(md), ops) && slices.Equal(m.MDInts(md), ints)
}

// fill sets the content of an entry. The caller must hold mu.
func (t *mdTable) fill(id uint32, kind NodeKind, distinct bool, ops []Metadata, ints []uint64) {
	e := t.all.at(id)
	*e = mdEntry{kind: kind, distinct: distinct, nInts: uint16(len(ints)), ops: t.ops.addRange(ops), nOps: uint32(len(ops))}
	if len(ints) >= manyInts {
		e.nInts, e.ints = manyInts, t.big.appendEntry(slices.Clone(ints))
	} else {
		e.ints = t.ints.addRange(ints)
	}
}

// NewDistinct creates a distinct node.
func (m *Module) NewDistinct(kind NodeKind, ops []Metadata, ints []uint64) Metadata {
	m.guard.Check()
	t := &m.md
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.all.appendEntry(mdEntry{})
	t.fill(id, kind, true, ops, ints)
	return Metadata(id)
}

// ReserveNode creates an undefined node for forward references. DefineNode
// defines it.
func (m *Module) ReserveNode() Metadata {
	m.md.mu.Lock()
	defer m.md.mu.Unlock()
	return Metadata(m.md.all.appendEntry(mdEntry{}))
}

// DefineNode sets the content of a reserved node. As in LLVM, a node that
// refers to itself is distinct. Other nodes are not merged with equal nodes
// until UniqueNodes.
func (m *Module) DefineNode(md Metadata, kind NodeKind, distinct bool, ops []Metadata, ints []uint64) {
	distinct = distinct || slices.Contains(ops, md)
	m.md.mu.Lock()
	defer m.md.mu.Unlock()
	m.md.fill(uint32(md), kind, distinct, ops, ints)
}

// InternNode registers a reserved node that is defined and not distinct, so
// that NewNode returns it. It returns false if an equal node already exists;
// only UniqueNodes merges the two.
func (m *Module) InternNode(md Metadata) bool {
	kind, ops, ints := m.mdAt(md).kind, m.MDOperands(md), m.MDInts(md)
	return md == Metadata(m.md.intern(hashNode(kind, ops, ints),
		func(id uint32) bool { return m.sameNode(Metadata(id), kind, ops, ints) },
		func() uint32 { return uint32(md) }))
}

// SetMDOperand changes an operand of a distinct or reserved node. The caller
// must have exclusive access to the node.
func (m *Module) SetMDOperand(md Metadata, i int, op Metadata) { m.MDOperands(md)[i] = op }

// MDKind is the number of a kind of attachment, such as "tbaa". LLVM's fixed
// kinds have LLVM's numbers.
type MDKind uint32

// MDKind returns the kind of attachment with the given name, and creates it if
// necessary.
func (m *Module) MDKind(name string) MDKind {
	t := &m.md
	return MDKind(t.kinds.intern(fold(hashString(hashSeed, name)),
		func(id uint32) bool { return *t.kindNames.at(id) == name },
		func() uint32 { return t.kindNames.appendEntry(name) }))
}

// MDKindBytes is like MDKind, but does not retain name.
func (m *Module) MDKindBytes(name []byte) MDKind {
	if k, ok := m.FindMDKind(name); ok {
		return k
	}
	return m.MDKind(string(name))
}

// FindMDKind returns the kind of attachment with the given name, if it exists.
func (m *Module) FindMDKind(name []byte) (k MDKind, ok bool) {
	t := &m.md
	id, ok := t.kinds.findEntry(fold(hashString(hashSeed, bytesAsString(name))),
		func(id uint32) bool { return *t.kindNames.at(id) == string(name) })
	return MDKind(id), ok
}

// MDKindName returns the name of a kind of attachment.
func (m *Module) MDKindName(k MDKind) string { return *m.md.kindNames.at(uint32(k)) }

// Fixed kinds of attachments in LLVM 22.
const (
	MDDbg MDKind = iota
	MDTBAA
	MDProf
	MDFPMath
	MDRange
	MDTBAAStruct
	MDInvariantLoad
	MDAliasScope
	MDNoAlias
	MDNonTemporal
	MDParallelLoopAccess
	MDNonNull
	MDDereferenceable
	MDDereferenceableOrNull
	MDMakeImplicit
	MDUnpredictable
	MDInvariantGroup
	MDAlign
	MDLoop
	MDType
	MDSectionPrefix
	MDAbsoluteSymbol
	MDAssociated
	MDCallees
	MDIrrLoop
	MDAccessGroup
	MDCallback
	MDPreserveAccessIndex
	MDVCallVisibility
	MDNoUndef
	MDAnnotation
	MDNoSanitize
	MDFuncSanitize
	MDExclude
	MDMemProf
	MDCallsite
	MDKCFIType
	MDPCSections
	MDAssignID
	MDCoroOutsideFrame
	MDMMRA
	MDNoAliasAddrSpace
	MDCalleeType
	MDNoFree
	MDCaptures
	MDAllocToken
	MDImplicitRef

	numFixedMDKinds
)

var mdKindNames = [numFixedMDKinds]string{"dbg", "tbaa", "prof", "fpmath", "range", "tbaa.struct", "invariant.load", "alias.scope",
	"noalias", "nontemporal", "llvm.mem.parallel_loop_access", "nonnull", "dereferenceable", "dereferenceable_or_null",
	"make.implicit", "unpredictable", "invariant.group", "align", "llvm.loop", "type", "section_prefix", "absolute_symbol",
	"associated", "callees", "irr_loop", "llvm.access.group", "callback", "llvm.preserve.access.index", "vcall_visibility",
	"noundef", "annotation", "nosanitize", "func_sanitize", "exclude", "memprof", "callsite", "kcfi_type", "pcsections",
	"DIAssignID", "coro.outside.frame", "mmra", "noalias.addrspace", "callee_type", "nofree", "captures", "alloc_token",
	"implicit.ref"}

// NamedMD is named metadata: !name = !{…}.
type NamedMD struct {
	Name string     // name without "!"
	Ops  []Metadata // nodes
}

// NamedMetadata returns the named metadata with the given name, or nil.
func (m *Module) NamedMetadata(name string) *NamedMD {
	for _, n := range m.NamedMDs {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// AddNamedMetadata returns the named metadata with the given name, and creates
// it if necessary.
func (m *Module) AddNamedMetadata(name string) *NamedMD {
	n := m.NamedMetadata(name)
	if n == nil {
		n = &NamedMD{Name: name}
		m.NamedMDs = append(m.NamedMDs, n)
	}
	return n
}

// Attachment is metadata attached to an instruction or global.
type Attachment struct {
	Kind MDKind   // kind, such as dbg or tbaa
	Node Metadata // attached node
}
