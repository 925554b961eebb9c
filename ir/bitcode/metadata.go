package bitcode

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// mdState is the metadata of a module, followed by the metadata of the current
// function.
type mdState struct {
	all        []mdEntry
	kinds      map[uint64]ir.MDKind
	funcTid    map[*ir.Function]uint32
	oldUnits   []oldUnit
	described  []describedFunc
	units      []int // entry numbers of the DICompileUnits
	oldGlobals bool  // contains variables of LLVM 3.9 or older
	next       int   // number of the next entry
	equal      bool  // contains equal nodes to be merged

	// Nodes reserved for numbers that turned out to be strings or values: LLVM
	// 3.2 to 3.5 number a node before its operands.
	replaced map[ir.Metadata]ir.Metadata
}

// oldUnit is a DICompileUnit of LLVM 3.8 or older, which refers to its
// subprograms.
type oldUnit struct {
	unit int    // entry number
	list uint64 // number of the list plus one
}

// describedFunc is a function that a DISubprogram of LLVM 3.7 refers to.
type describedFunc struct {
	node int    // entry number of the DISubprogram
	fn   uint64 // entry number of the function's metadata plus one
}

// mdEntry is an entry of the metadata table.
type mdEntry struct {
	md       ir.Metadata
	known    bool     // false for a forward reference
	reserved bool     // md was created by a forward reference
	local    []uint32 // numbers of local values: metadata of a function
	list     bool     // local is a DIArgList of entry numbers
}

// readMetadataKinds: [number, name].
func (r *reader) readMetadataKinds() {
	r.enter(blockMetadataKind)
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		if r.record(id) == mdKind {
			r.metadataKind()
		}
	}
}

func (r *reader) metadataKind() {
	r.need(1, "metadata kind")
	if r.md.kinds == nil {
		r.md.kinds = map[uint64]ir.MDKind{}
	}
	r.md.kinds[r.rec[0]] = r.m.MDKind(r.text(1))
}

// kind returns the kind of attachment with number n. Files without a table use
// LLVM's numbers.
func (r *reader) kind(n uint64) ir.MDKind {
	k, ok := r.md.kinds[n]
	if !ok {
		r.fail("metadata kind %d is not defined", n)
	}
	return k
}

// readMetadata reads the rest of a metadata block.
func (r *reader) readMetadata() {
	name := ""
	first := len(r.md.all)
	r.md.next = first
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		switch code := r.record(id); code {
		case mdStrings:
			r.metadataStrings()
		case mdName:
			name = r.text(0)
		case mdNamedNode:
			r.namedNode(name)
		case mdKind:
			r.metadataKind()
		case mdGlobalDeclAttach:
			r.globalAttachment()
		case mdIndexOffset, mdIndex:
		default:
			r.defineMetadata(r.metadataRecord(code))
		}
	}
	for i, e := range r.md.all[first:] {
		if !e.known {
			r.fail("metadata %d is used, but not defined", first+i)
		}
	}
	if r.body.f == nil {
		if len(r.md.replaced) > 0 {
			r.mergeNodes()
		}
		r.upgradeUnits()
	}
	for _, e := range r.md.all[first:] {
		if e.reserved && !r.m.IsDistinct(e.md) && !r.m.InternNode(e.md) {
			r.md.equal = true
		}
	}
	if r.md.equal && r.body.f == nil {
		r.mergeNodes()
	}
}

// mergeNodes merges equal nodes.
func (r *reader) mergeNodes() {
	r.md.equal = false
	to := r.m.ReplaceAndUnique(r.md.replaced)
	r.md.replaced = nil
	for i := range r.md.all {
		if e := &r.md.all[i]; to != nil && e.local == nil {
			e.md = to[e.md]
		}
	}
}

// defineMetadata sets the next entry of the table.
func (r *reader) defineMetadata(e mdEntry) {
	n := r.md.next
	r.md.next++
	e.known = true
	if n >= len(r.md.all) {
		r.md.all = append(r.md.all, e)
		return
	}
	if old := r.md.all[n]; old.reserved && old.md != e.md {
		if r.body.f != nil || e.local != nil {
			r.fail("metadata %d is used before its definition, but is not a node", n)
		}
		if r.md.replaced == nil {
			r.md.replaced = map[ir.Metadata]ir.Metadata{}
		}
		r.md.replaced[old.md] = e.md
	}
	r.md.all[n] = e
}

// metadata returns the metadata with number n. It may be a forward reference to
// a node.
func (r *reader) metadata(n uint64) ir.Metadata {
	if n >= uint64(len(r.md.all)) {
		// each entry in between needs a record of more than one bit later
		if n-uint64(len(r.md.all)) > r.left() {
			r.fail("reference to metadata %d, but only %d exist and %d bits remain", n, len(r.md.all), r.left())
		}
		for uint64(len(r.md.all)) <= n {
			r.md.all = append(r.md.all, mdEntry{})
		}
	}
	e := &r.md.all[n]
	if !e.known && !e.reserved {
		e.md, e.reserved = r.m.ReserveNode(), true
	}
	if e.local != nil {
		r.fail("metadata %d belongs to a local value", n)
	}
	return e.md
}

// metadataOrNull returns the metadata with number n-1, or null for 0.
func (r *reader) metadataOrNull(n uint64) ir.Metadata {
	if n == 0 {
		return 0
	}
	return r.metadata(n - 1)
}

// metadataStrings reads all strings of a block: [count, offset of the
// characters] and a blob of their lengths (vbr6) and characters.
func (r *reader) metadataStrings() {
	r.need(2, "metadata strings")
	count, offset := r.rec[0], r.rec[1]
	if offset > uint64(len(r.blob)) || count > offset*8/6 {
		r.fail("%d metadata strings, but their lengths use %d of %d bytes", count, offset, len(r.blob))
	}
	lengths := cursor{data: r.blob[:offset], end: offset * 8, file: r.file, block: r.block, recordAt: r.recordAt, base: r.base}
	chars := r.blob[offset:]
	for range count {
		n := lengths.vbr(6)
		if n > uint64(len(chars)) {
			r.fail("metadata string has %d characters, but only %d remain", n, len(chars))
		}
		r.defineMetadata(mdEntry{md: r.m.NewMDStringBytes(chars[:n])})
		chars = chars[n:]
	}
}

// metadataRecord returns the entry that a record defines. A node keeps the
// number of earlier forward references.
func (r *reader) metadataRecord(code uint64) mdEntry {
	switch code {
	case mdStringOld:
		return mdEntry{md: r.m.NewMDStringBytes(r.bytes(0))}
	case mdValue:
		return r.metadataValue()
	case mdNode, mdDistinctNode:
		ops := make([]ir.Metadata, len(r.rec))
		for i, n := range r.rec {
			ops[i] = r.metadataOrNull(n)
		}
		return r.node(ir.NodeTuple, code == mdDistinctNode, ops, nil)
	case mdOldNode:
		return r.oldNode()
	case mdOldFnNode:
		return r.oldLocalNode()
	case mdArgList:
		e := mdEntry{local: make([]uint32, len(r.rec)), list: true}
		for i, n := range r.rec {
			if n >= uint64(len(r.md.all)) {
				r.fail("reference to metadata %d, but only %d exist", n, len(r.md.all))
			}
			e.local[i] = uint32(n)
		}
		return e
	}
	e, ok := r.diRecord(code)
	if !ok {
		r.fail("unknown metadata record %d", code)
	}
	return e
}

// node creates a node for the next entry of the table.
func (r *reader) node(kind ir.NodeKind, distinct bool, ops []ir.Metadata, ints []uint64) mdEntry {
	if n := r.md.next; n < len(r.md.all) && r.md.all[n].reserved {
		r.m.DefineNode(r.md.all[n].md, kind, distinct, ops, ints)
		return mdEntry{md: r.md.all[n].md, reserved: true}
	}
	if distinct {
		return mdEntry{md: r.m.NewDistinct(kind, ops, ints)}
	}
	return mdEntry{md: r.m.NewNode(kind, ops, ints)}
}

// metadataValue: type, value. Values of a function are not known yet.
func (r *reader) metadataValue() mdEntry {
	r.need(2, "metadata value")
	r.typ(r.rec[0])
	n := r.rec[1]
	if n > math.MaxUint32 {
		r.fail("invalid value %d", n)
	}
	if n < uint64(len(r.values)) && r.values[n].v.IsConst() {
		return mdEntry{md: r.m.NewMDValue(r.values[n].v)}
	}
	if r.body.f == nil {
		r.fail("value %d in metadata is not a constant of the module", n)
	}
	return mdEntry{local: []uint32{uint32(n)}}
}

func (r *reader) namedNode(name string) {
	n := r.m.AddNamedMetadata(name)
	for _, x := range r.rec {
		n.Ops = append(n.Ops, r.metadata(x))
	}
}

// globalAttachment: value, then kinds and nodes.
func (r *reader) globalAttachment() {
	r.need(1, "global metadata")
	if len(r.rec)%2 == 0 {
		r.fail("global metadata record has an invalid number of operands %d", len(r.rec))
	}
	if r.rec[0] >= uint64(len(r.values)) {
		r.fail("metadata for value %d, but only %d exist", r.rec[0], len(r.values))
	}
	g := r.m.ConstGlobal(r.values[r.rec[0]].v)
	if g == nil {
		r.fail("metadata for value %d, which is not a global", r.rec[0])
	}
	for i := 1; i < len(r.rec); i += 2 {
		g.MD = append(g.MD, ir.Attachment{Kind: r.kind(r.rec[i]), Node: r.metadata(r.rec[i+1])})
	}
}
