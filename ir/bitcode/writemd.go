package bitcode

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// mdNumbers holds the numbers of metadata: strings, then constants, distinct
// nodes and uniqued nodes.
type mdNumbers struct {
	of    []uint32 // number plus one, or mdSeen before numbers are assigned
	lists [numMDGroups][]ir.Metadata
	count int
	stack []mdFrame
}

const mdSeen = 1<<32 - 1

// mdGroup is the range of numbers in which metadata is placed. Uniqued nodes
// are last because LLVM's reader is fastest when their operands are known.
type mdGroup uint8

const (
	mdGroupString mdGroup = iota
	mdGroupValue
	mdGroupDistinct
	mdGroupUniqued

	numMDGroups
)

// mdFrame is a node on the stack. Operands from next on have not been visited.
type mdFrame struct {
	md   ir.Metadata
	next int
}

// enumMetadata collects metadata. Where possible, each node follows its
// operands.
func (w *moduleWriter) enumMetadata(md ir.Metadata) {
	n := &w.md
	if !w.collectNode(md) {
		return
	}
	for len(n.stack) > 0 {
		top := &n.stack[len(n.stack)-1]
		ops := w.m.MDOperands(top.md)
		if top.next == len(ops) {
			group := mdGroupUniqued
			if w.m.IsDistinct(top.md) {
				group = mdGroupDistinct
			}
			n.lists[group] = append(n.lists[group], top.md)
			n.stack = n.stack[:len(n.stack)-1]
			continue
		}
		i := top.next
		top.next++
		if !isInline(w.m.NodeKind(top.md), i) {
			w.collectNode(ops[i])
		}
	}
}

// collectNode collects metadata that has not been visited. Strings and values
// are numbered immediately, and nodes are pushed onto the stack. collectNode
// reports whether it pushed a node.
func (w *moduleWriter) collectNode(md ir.Metadata) bool {
	n := &w.md
	if md == 0 {
		return false
	}
	if int(md) >= len(n.of) {
		n.of = append(n.of, make([]uint32, max(int(md)+1, w.m.NumMetadata())-len(n.of))...)
	}
	if n.of[md] != 0 {
		return false
	}
	n.of[md] = mdSeen
	switch w.m.NodeKind(md) {
	case ir.NodeNone:
		w.fail("undefined metadata")
	case ir.NodeString:
		n.lists[mdGroupString] = append(n.lists[mdGroupString], md)
	case ir.NodeValue:
		n.lists[mdGroupValue] = append(n.lists[mdGroupValue], md)
		w.enumConst(w.m.MDValue(md))
	default:
		n.stack = append(n.stack, mdFrame{md: md})
		return true
	}
	return false
}

// numberMetadata assigns the numbers of the module's metadata.
func (w *moduleWriter) numberMetadata() {
	for _, list := range w.md.lists {
		for _, md := range list {
			w.md.count++
			w.md.of[md] = uint32(w.md.count)
		}
	}
}

// mdID returns the number of metadata of the module.
func (w *moduleWriter) mdID(md ir.Metadata) uint64 {
	if md == 0 {
		w.fail("unexpected null metadata")
	}
	return w.mdOrNull(md) - 1
}

// mdOrNull returns the number of metadata plus one, or 0 for null.
func (w *moduleWriter) mdOrNull(md ir.Metadata) uint64 {
	if md == 0 {
		return 0
	}
	if int(md) >= len(w.md.of) || w.md.of[md] == 0 || w.md.of[md] == mdSeen {
		panic("BUG: metadata has no number")
	}
	return uint64(w.md.of[md])
}

// metadataKinds writes the module's kinds of attachments.
func (w *moduleWriter) metadataKinds() {
	if len(w.kinds.list) == 0 {
		return
	}
	w.wideBlock(blockMetadataKind, narrowWidth, func() {
		for i, k := range w.kinds.list {
			w.text(mdKind, w.m.MDKindName(k), uint64(i))
		}
	})
}

// kindID returns the number of a kind of attachment.
func (w *moduleWriter) kindID(k ir.MDKind) uint64 {
	n, ok := w.kinds.number(k)
	if !ok {
		panic("BUG: kind of attachment has no number")
	}
	return uint64(n)
}

// moduleMetadata writes all metadata except metadata of local values.
func (w *moduleWriter) moduleMetadata() {
	if w.md.count == 0 && len(w.m.NamedMDs) == 0 {
		return
	}
	w.block(blockMetadata, func() {
		w.metadataBlob(w.md.lists[mdGroupString])
		for _, md := range w.md.lists[mdGroupValue] {
			v := w.m.MDValue(md)
			w.record(mdValue, w.typeID(w.m.TypeOfConst(v)), w.constID(v))
		}
		w.nodes()
		w.namedMetadata()
		w.globalAttachments()
	})
}

// metadataBlob writes strings as a blob of lengths and characters.
func (w *moduleWriter) metadataBlob(list []ir.Metadata) {
	if len(list) == 0 {
		return
	}
	lengths := bitWriter{}
	size := 0
	for _, md := range list {
		s, _ := w.m.MDString(md)
		lengths.vbr(uint64(len(s)), 6)
		size += len(s)
	}
	lengths.align()
	blob := slices.Grow(lengths.data, size)
	for _, md := range list {
		s, _ := w.m.MDString(md)
		blob = append(blob, s...)
	}
	id := w.define(newAbbrev(mdStrings, vbrField(6), vbrField(6)).withBlob())
	w.emitBlob(id, mdStrings, blob, uint64(len(list)), uint64(len(lengths.data)))
}

// nodes writes the nodes.
func (w *moduleWriter) nodes() {
	loc := abbrevID(0)
	for _, group := range [...]mdGroup{mdGroupDistinct, mdGroupUniqued} {
		for _, md := range w.md.lists[group] {
			w.rec = w.rec[:0]
			switch w.m.NodeKind(md) {
			case ir.NodeTuple:
				for _, op := range w.m.MDOperands(md) {
					w.push(w.mdOrNull(op))
				}
				code := uint64(mdNode)
				if w.m.IsDistinct(md) {
					code = mdDistinctNode
				}
				w.record(code, w.rec...)
			case ir.NodeLocation:
				if loc == 0 {
					loc = w.define(newAbbrev(mdLocation, fixedField(1), vbrField(6), vbrField(8), vbrField(6), vbrField(6),
						fixedField(1), vbrField(6), vbrField(6)))
				}
				w.push(bit(w.m.IsDistinct(md)))
				w.pushLocation(md)
				w.writeRecord(loc, mdLocation, w.rec...)
			default:
				w.diNode(md)
			}
		}
	}
}

// pushLocation adds the fields of a DILocation.
func (w *moduleWriter) pushLocation(md ir.Metadata) {
	ops, ints := w.m.MDOperands(md), w.m.MDInts(md)
	w.push(ints[0], ints[1], w.mdID(ops[0]), w.mdOrNull(ops[1]), ints[2], ints[3], ints[4])
}

func (w *moduleWriter) namedMetadata() {
	for _, n := range w.m.NamedMDs {
		name := []byte(n.Name)
		w.emitText(w.define(newAbbrev(mdName).withArray(textKindOf(name).field())), mdName, name)
		w.rec = w.rec[:0]
		for _, md := range n.Ops {
			w.push(w.mdID(md))
		}
		w.record(mdNamedNode, w.rec...)
	}
}

// globalAttachments writes the attachments of globals, except functions with
// bodies, whose function blocks contain them.
func (w *moduleWriter) globalAttachments() {
	for _, list := range w.byKind {
		for _, g := range list {
			if len(g.MD) == 0 || g.Func != nil && g.Func.Entry() != 0 {
				continue
			}
			w.rec = append(w.rec[:0], w.constID(g.Value()))
			w.pushAttachments(g.MD)
			w.record(mdGlobalDeclAttach, w.rec...)
		}
	}
}

// pushAttachments adds the kinds and nodes of attachments in printing order,
// which is the order of the kinds' numbers in package ir.
func (w *moduleWriter) pushAttachments(list []ir.Attachment) {
	byKind := func(a, b ir.Attachment) int { return int(a.Kind) - int(b.Kind) }
	if !slices.IsSortedFunc(list, byKind) {
		list = slices.Clone(list)
		slices.SortStableFunc(list, byKind)
	}
	for _, a := range list {
		w.push(w.kindID(a.Kind), w.mdID(a.Node))
	}
}
