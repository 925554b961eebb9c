package bitcode

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// mdState is what is known about the metadata of a module, and of the function at hand behind it.
type mdState struct {
	all        []mdEntry
	kinds      map[uint64]ir.MDKind
	funcTid    map[*ir.Function]uint32
	oldUnits   []oldUnit
	described  []describedFunc
	units      []int // numbers of the DICompileUnits
	oldGlobals bool  // there are variables of LLVM 3.9 or older
	next       int   // number of the next entry that a record defines
	equal      bool  // there are equal nodes that should be one

	// Nodes that were reserved for a number which a string or value then got: LLVM 3.2 to 3.5 number a node before its operands.
	replaced map[ir.Metadata]ir.Metadata
}

// oldUnit is a DICompileUnit of LLVM 3.8 or older, which names its subprograms.
type oldUnit struct {
	unit int    // its number
	list uint64 // number of the list plus one
}

// describedFunc is a function that a DISubprogram of LLVM 3.7 names.
type describedFunc struct {
	node int    // number of the DISubprogram
	fn   uint64 // number of the function's metadata plus one
}

// mdEntry is an entry of the table of metadata.
type mdEntry struct {
	md       ir.Metadata
	known    bool     // false: only named so far
	reserved bool     // md was made before it was known
	local    []uint32 // numbers of local values: metadata of a function
	list     bool     // local is a DIArgList, whose entries are numbers of metadata
}

// readMetadataKinds: [number, name].
func (r *reader) readMetadataKinds() {
	r.enter(blockMetadataKind)
	for id, ok := r.next(); ok; id, ok = r.next() {
		if r.record(id) == mdKind {
			r.metadataKind()
		}
	}
}

func (r *reader) metadataKind() {
	r.need(1, "kind of metadata")
	if r.md.kinds == nil {
		r.md.kinds = map[uint64]ir.MDKind{}
	}
	r.md.kinds[r.rec[0]] = r.m.MDKind(r.text(1))
}

// kind gives a kind of attachment. Files without a table have LLVM's numbers.
func (r *reader) kind(n uint64) ir.MDKind {
	k, ok := r.md.kinds[n]
	if !ok {
		r.fail("kind of metadata %d is not defined", n)
	}
	return k
}

// readMetadata reads the rest of a block of metadata.
func (r *reader) readMetadata() {
	name := ""
	first := len(r.md.all)
	r.md.next = first
	for id, ok := r.next(); ok; id, ok = r.next() {
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

// mergeNodes makes equal nodes one.
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

// defineMetadata puts an entry at the next place of the table.
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
			r.fail("metadata %d, which is no node, is used before it is defined", n)
		}
		if r.md.replaced == nil {
			r.md.replaced = map[ir.Metadata]ir.Metadata{}
		}
		r.md.replaced[old.md] = e.md
	}
	r.md.all[n] = e
}

// metadata gives the metadata of a number. Nodes may be named before they are known.
func (r *reader) metadata(n uint64) ir.Metadata {
	if n >= uint64(len(r.md.all)) {
		// every entry between is defined by a record of its own later, which takes more than a bit
		if n-uint64(len(r.md.all)) > r.left() {
			r.fail("metadata %d, there are %d and %d bits are left", n, len(r.md.all), r.left())
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
		r.fail("metadata %d is that of a local value", n)
	}
	return e.md
}

// metadataOrNull gives the metadata of a number plus one, 0 being null.
func (r *reader) metadataOrNull(n uint64) ir.Metadata {
	if n == 0 {
		return 0
	}
	return r.metadata(n - 1)
}

// metadataStrings reads all strings of a block: [count, offset of the characters] and a blob with their lengths (vbr6) and
// characters.
func (r *reader) metadataStrings() {
	r.need(2, "strings of metadata")
	count, offset := r.rec[0], r.rec[1]
	if offset > uint64(len(r.blob)) || count > offset*8/6 {
		r.fail("%d strings of metadata, their lengths have %d of %d bytes", count, offset, len(r.blob))
	}
	lengths := cursor{data: r.blob[:offset], end: offset * 8, file: r.file, block: r.block, recordAt: r.recordAt, base: r.base}
	chars := r.blob[offset:]
	for range count {
		n := lengths.vbr(6)
		if n > uint64(len(chars)) {
			r.fail("a string of metadata of %d characters, %d are left", n, len(chars))
		}
		r.defineMetadata(mdEntry{md: r.m.NewMDStringBytes(chars[:n])})
		chars = chars[n:]
	}
}

// metadataRecord makes what a record defines. A node gets the number that was given to it before, if any.
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
				r.fail("metadata %d, there are %d", n, len(r.md.all))
			}
			e.local[i] = uint32(n)
		}
		return e
	}
	e, ok := r.diRecord(code)
	if !ok {
		r.fail("unknown record %d of metadata", code)
	}
	return e
}

// node makes a node for the next entry of the table.
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
	r.need(2, "value as metadata")
	r.typ(r.rec[0])
	n := r.rec[1]
	if n > math.MaxUint32 {
		r.fail("value %d", n)
	}
	if n < uint64(len(r.values)) && r.values[n].v.IsConst() {
		return mdEntry{md: r.m.NewMDValue(r.values[n].v)}
	}
	if r.body.f == nil {
		r.fail("value %d as metadata is no constant of the module", n)
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
	r.need(1, "metadata of a global")
	if len(r.rec)%2 == 0 {
		r.fail("metadata of a global: a record of %d operands", len(r.rec))
	}
	if r.rec[0] >= uint64(len(r.values)) {
		r.fail("metadata of value %d, there are %d", r.rec[0], len(r.values))
	}
	g := r.m.ConstGlobal(r.values[r.rec[0]].v)
	if g == nil {
		r.fail("metadata of value %d, which is no global", r.rec[0])
	}
	for i := 1; i < len(r.rec); i += 2 {
		g.MD = append(g.MD, ir.Attachment{Kind: r.kind(r.rec[i]), Node: r.metadata(r.rec[i+1])})
	}
}
