package ir

// UniqueNodes merges equal nodes that are not distinct. NewNode uniques the
// nodes it creates, but readers define nodes one by one before their operands
// are known. It returns the replacement of each metadata number, or nil if
// nothing changed. It needs exclusive access to the module.
func (m *Module) UniqueNodes() []Metadata { return m.ReplaceAndUnique(nil) }

// ReplaceAndUnique replaces reserved nodes that were never defined by other
// metadata, and then works like UniqueNodes.
func (m *Module) ReplaceAndUnique(reserved map[Metadata]Metadata) []Metadata {
	u := uniquer{m: m, to: make([]Metadata, m.md.all.n), state: make([]uint8, m.md.all.n), changed: len(reserved) > 0}
	m.md.interner = interner{}
	for i := range u.to {
		u.to[i] = Metadata(i)
	}
	for from, to := range reserved {
		u.to[from] = to
	}
	for i := range u.to {
		u.uniqueNode(Metadata(i))
	}
	if !u.changed {
		return nil
	}
	m.replaceMetadata(u.to)
	return u.to
}

type uniquer struct {
	m       *Module
	to      []Metadata // replacement of each node
	state   []uint8
	stack   []Metadata
	changed bool
}

const (
	mdNew uint8 = iota
	mdOpen
	mdDone
)

// uniqueNode uniques a node after its operands. Nodes that reach themselves are
// unchanged.
func (u *uniquer) uniqueNode(root Metadata) {
	u.stack = append(u.stack[:0], root)
	for len(u.stack) > 0 {
		md := u.stack[len(u.stack)-1]
		switch u.state[md] {
		case mdNew:
			u.state[md] = mdOpen
			for _, op := range u.m.MDOperands(md) {
				if u.state[op] == mdNew {
					u.stack = append(u.stack, op)
				}
			}
		case mdOpen:
			u.state[md] = mdDone
			u.finish(md)
			u.stack = u.stack[:len(u.stack)-1]
		default:
			u.stack = u.stack[:len(u.stack)-1]
		}
	}
}

func (u *uniquer) finish(md Metadata) {
	m, e := u.m, u.m.mdAt(md)
	t := &m.md
	switch {
	case e.kind == NodeNone:
		return
	case e.kind < NodeTuple:
		h := fold(mix(hashSeed, uint64(e.kind)<<32|uint64(e.ops)))
		t.insert(h, uint32(md))
		return
	}
	ops := m.MDOperands(md)
	for i, op := range ops {
		ops[i] = u.to[op]
	}
	if e.distinct {
		return
	}
	ints := m.MDInts(md)
	h := hashNode(e.kind, ops, ints)
	if id, ok := t.findEntry(h, func(id uint32) bool { return m.sameNode(Metadata(id), e.kind, ops, ints) }); ok {
		u.to[md], u.changed = Metadata(id), true
		return
	}
	t.insert(h, uint32(md))
}

// replaceMetadata replaces metadata numbers everywhere in the module.
func (m *Module) replaceMetadata(to []Metadata) {
	for i := range m.md.all.n {
		for j, op := range m.MDOperands(Metadata(i)) {
			m.SetMDOperand(Metadata(i), j, to[op])
		}
	}
	for _, n := range m.NamedMDs {
		for i, op := range n.Ops {
			n.Ops[i] = to[op]
		}
	}
	for _, g := range m.globals {
		if g == nil {
			continue
		}
		for i := range g.MD {
			g.MD[i].Node = to[g.MD[i].Node]
		}
		if g.Func != nil {
			g.Func.replaceMetadata(to)
		}
	}
}

func (f *Function) replaceMetadata(to []Metadata) {
	for i := range f.instrs {
		in := &f.instrs[i]
		in.Loc = to[in.Loc]
		if in.Op.IsRecord() {
			in.X, in.Y = uint32(to[in.X]), uint32(to[in.Y])
			if in.Op == OpDbgAssign {
				f.aux[in.md], f.aux[in.md+1] = uint32(to[f.aux[in.md]]), uint32(to[f.aux[in.md+1]])
			}
		}
	}
	for i := range f.atts {
		f.atts[i].Node = to[f.atts[i].Node]
	}
	for i := range f.pool {
		if o := &f.pool[i]; o.Value.IsMetadata() {
			o.Value = to[o.Value.Metadata()].Value()
		}
	}
}
