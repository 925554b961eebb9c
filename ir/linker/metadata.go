package linker

import "github.com/gfx-toolchain/gfx/ir"

// mdMap maps metadata of the source to the destination.
type mdMap struct {
	to       []ir.Metadata
	reserved []bool // nodes under construction that already have a number
	open     []bool // uniqued nodes under construction
	distinct []ir.Metadata
	stack    []mdPlace
}

// mdPlace is the next operand of a node to visit.
type mdPlace struct {
	md   ir.Metadata
	next int
}

// metadata returns the destination's metadata for md. It returns null for the
// value of a global that is not linked.
func (mv *mover) metadata(md ir.Metadata) ir.Metadata {
	if md == 0 {
		return 0
	}
	t := &mv.md
	if n := mv.src.NumMetadata(); len(t.to) < n {
		t.to, t.open = grow(t.to, n), grow(t.open, n)
	}
	if to := t.to[md]; to != 0 {
		return to
	}
	if !mv.src.IsNode(md) {
		return mv.leaf(md)
	}
	mv.node(md)
	for len(t.distinct) > 0 {
		d := t.distinct[len(t.distinct)-1]
		t.distinct = t.distinct[:len(t.distinct)-1]
		mv.fillDistinct(d)
	}
	return t.to[md]
}

// leaf maps a string or a value.
func (mv *mover) leaf(md ir.Metadata) ir.Metadata {
	if s, ok := mv.src.MDString(md); ok {
		mv.md.to[md] = mv.dst.NewMDString(s)
		return mv.md.to[md]
	}
	v := mv.src.MDValue(md)
	if v == ir.None {
		return 0
	}
	if v = mv.value(forUse, v); v == ir.None {
		return 0
	}
	return mv.dst.NewMDValue(v)
}

// node maps a node and the uniqued nodes reachable from it. Distinct nodes only
// get a number.
func (mv *mover) node(root ir.Metadata) {
	t := &mv.md
	base := len(t.stack)
	mv.enter(root)
	for len(t.stack) > base {
		top := &t.stack[len(t.stack)-1]
		ops := mv.src.MDOperands(top.md)
		if top.next == len(ops) {
			md := top.md
			t.stack = t.stack[:len(t.stack)-1]
			mv.finishNode(md)
			continue
		}
		op := ops[top.next]
		top.next++
		if op != 0 && t.to[op] == 0 && mv.src.IsNode(op) {
			mv.enter(op)
		}
	}
}

// enter starts a node that is not mapped yet.
func (mv *mover) enter(md ir.Metadata) {
	t := &mv.md
	switch {
	case t.open[md]: // cycle
		t.to[md] = mv.dst.ReserveNode()
		t.reserved = grow(t.reserved, int(md)+1)
		t.reserved[md] = true
	case mv.isODR(md):
		mv.enterODR(md)
	case mv.src.IsDistinct(md):
		t.to[md] = mv.dst.ReserveNode()
		t.distinct = append(t.distinct, md)
	default:
		t.open[md] = true
		t.stack = append(t.stack, mdPlace{md, 0})
	}
}

// operands maps the operands of a node. Nodes among them must already be
// mapped.
func (mv *mover) operands(md ir.Metadata) []ir.Metadata {
	ops := mv.src.MDOperands(md)
	to := make([]ir.Metadata, len(ops))
	for i, op := range ops {
		if op == 0 {
			continue
		}
		if to[i] = mv.md.to[op]; to[i] == 0 && !mv.src.IsNode(op) {
			to[i] = mv.leaf(op)
		}
	}
	return to
}

// finishNode creates a uniqued node with mapped operands.
func (mv *mover) finishNode(md ir.Metadata) {
	t := &mv.md
	t.open[md] = false
	kind, ops, ints := mv.src.NodeKind(md), mv.operands(md), mv.src.MDInts(md)
	if int(md) < len(t.reserved) && t.reserved[md] {
		mv.dst.DefineNode(t.to[md], kind, false, ops, ints)
		return
	}
	t.to[md] = mv.l.odr.unique(mv.dst, kind, ops, ints)
}

// fillDistinct sets the content of a distinct node that already has a number.
func (mv *mover) fillDistinct(md ir.Metadata) {
	for _, op := range mv.src.MDOperands(md) {
		if op != 0 && mv.md.to[op] == 0 && mv.src.IsNode(op) {
			mv.node(op)
		}
	}
	mv.dst.DefineNode(mv.md.to[md], mv.src.NodeKind(md), true, mv.operands(md), mv.src.MDInts(md))
}

func (mv *mover) attachments(list []ir.Attachment) []ir.Attachment {
	var to []ir.Attachment
	for _, a := range list {
		if node := mv.metadata(a.Node); node != 0 {
			to = append(to, ir.Attachment{Kind: mv.kind(a.Kind), Node: node})
		}
	}
	return to
}

// kind returns the destination's kind of attachment for k.
func (mv *mover) kind(k ir.MDKind) ir.MDKind { return mv.dst.MDKind(mv.src.MDKindName(k)) }

// linkNamed appends the named metadata of the source to the destination's,
// without duplicates.
func (mv *mover) linkNamed() {
	for _, n := range mv.src.NamedMDs {
		if n.Name == moduleFlags {
			continue
		}
		to := mv.dst.AddNamedMetadata(n.Name)
		seen := mv.l.named[to]
		if len(seen) == 0 {
			seen = map[ir.Metadata]bool{}
			for _, op := range to.Ops {
				seen[op] = true
			}
			mv.l.named[to] = seen
		}
		for _, op := range n.Ops {
			if md := mv.metadata(op); !seen[md] {
				seen[md] = true
				to.Ops = append(to.Ops, md)
			}
		}
	}
}
