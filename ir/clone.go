package ir

// Mapper maps the entities that a copied instruction refers to. Nil functions
// are the identity, which is correct within one module. The slices Values and
// Blocks map local values and blocks by number. Entries that are 0 or out of
// range leave the value or block unchanged.
type Mapper struct {
	Values []Value // indexed by local value
	Blocks []Block // indexed by block

	Const    func(Value) Value         // constants and globals
	Type     func(Type) Type           // types; nil leaves them unchanged, as for the functions below
	Metadata func(Metadata) Metadata   // metadata nodes
	Attrs    func(AttrList) AttrList   // attribute lists of calls
	Scope    func(SyncScope) SyncScope // synchronization scopes
	Kind     func(MDKind) MDKind       // kinds of metadata attachments
	Tag      func(uint32) uint32       // maps bundle tags
}

// NewMapper creates an empty mapper for copies from a function.
func NewMapper(from *Function) *Mapper {
	return &Mapper{Values: make([]Value, len(from.instrs)), Blocks: make([]Block, len(from.blocks))}
}

// Value maps the operand v.
func (mp *Mapper) Value(v Value) Value {
	switch v & tagMask {
	case 0:
		if int(v) < len(mp.Values) && mp.Values[v] != None {
			return mp.Values[v]
		}
	case tagBlock:
		if b := v & indexMask; int(b) < len(mp.Blocks) && mp.Blocks[b] != 0 {
			return mp.Blocks[b].Value()
		}
	case tagConst:
		if mp.Const != nil {
			return mp.Const(v)
		}
	case tagMeta:
		return mp.metadata(v.Metadata()).Value()
	}
	return v
}

func (mp *Mapper) metadata(md Metadata) Metadata {
	if mp.Metadata != nil && md != 0 {
		return mp.Metadata(md)
	}
	return md
}

func (mp *Mapper) typ(t Type) Type {
	if mp.Type != nil {
		return mp.Type(t)
	}
	return t
}

// CopyInstr creates a copy of an instruction of another function, or of f
// itself. The copy is in no block. Operands that mp does not map stay unchanged
// until Remap; local values of another function become None. CopyRecords copies
// the debug records before the instruction.
func (f *Function) CopyInstr(from *Function, v Value, mp *Mapper) Value {
	var few [8]Value
	ops := few[:0]
	for _, o := range from.Operands(v) {
		ops = append(ops, f.mapOperand(from, o.Value, mp))
	}
	in := from.instrs[v]
	n := f.NewInstr(in.Op, mp.typ(in.Type), ops...)
	to := &f.instrs[n]
	to.Sub, to.Flags, to.X, to.Y, to.Loc = in.Sub, in.Flags, in.X, in.Y, mp.metadata(in.Loc)
	f.copySide(from, v, n, mp)
	if name := from.NameOf(v); name != nil {
		f.SetName(n, name)
	}
	if int(v) < len(mp.Values) {
		mp.Values[v] = n
	}
	return n
}

// mapOperand maps an operand. Local metadata is copied together with its user.
func (f *Function) mapOperand(from *Function, o Value, mp *Mapper) Value {
	if o.IsLocal() && from.instrs[o].Op == OpLocalMetadata && mp.Value(o) == o {
		return f.CopyInstr(from, o, mp)
	}
	if o.IsLocal() && f != from && (int(o) >= len(mp.Values) || mp.Values[o] == None) {
		return None
	}
	return mp.Value(o)
}

// copySide copies the data that is not part of the instruction itself.
func (f *Function) copySide(from *Function, v, n Value, mp *Mapper) {
	to := &f.instrs[n]
	switch op := to.Op; {
	case op == OpAlloca || op == OpGetElementPtr:
		to.X = uint32(mp.typ(Type(to.X)))
	case op.IsCall():
		to.X = uint32(mp.typ(Type(to.X)))
		if mp.Attrs != nil {
			f.SetCallAttrs(n, mp.Attrs(from.CallAttrs(v)))
		}
		f.copyBundles(from, v, n, mp)
	case op == OpExtractValue || op == OpInsertValue || op == OpShuffleVector:
		f.SetIndices(n, from.Indices(v))
	case op.IsRecord():
		to.X, to.Y = uint32(mp.metadata(Metadata(to.X))), uint32(mp.metadata(Metadata(to.Y)))
		if op == OpDbgAssign {
			id, expr := from.AssignRecord(v)
			to.md = f.addAux([]uint32{uint32(mp.metadata(id)), uint32(mp.metadata(expr))})
		}
		return
	}
	if mp.Scope != nil && to.Op >= OpLoad && to.Op <= OpAtomicRMW && to.Op != OpGetElementPtr {
		mi := from.MemInfo(v)
		mi.Scope = mp.Scope(mi.Scope)
		f.SetMemInfo(n, mi)
	}
	for i := from.instrs[v].md; i != 0; i = from.atts[i-1].next {
		a := from.atts[i-1]
		if mp.Kind != nil {
			a.Kind = mp.Kind(a.Kind)
		}
		f.SetAttachment(n, a.Kind, mp.metadata(a.Node))
	}
}

func (f *Function) copyBundles(from *Function, v, n Value, mp *Mapper) {
	if list := from.Bundles(v); list != nil {
		copied := make([]Bundle, len(list))
		for i, b := range list {
			if mp.Tag != nil {
				b.Tag = mp.Tag(b.Tag)
			}
			copied[i] = b
		}
		f.SetBundles(n, copied)
	}
}

// CopyRecords copies the debug records before v to before another instruction.
func (f *Function) CopyRecords(from *Function, v, before Value, mp *Mapper) {
	for r := from.FirstRecord(v); r != None; r = from.NextRecord(r) {
		f.AttachRecord(f.CopyInstr(from, r, mp), before)
	}
}

// Remap maps the operands of v again, for values that were copied after v.
func (f *Function) Remap(v Value, mp *Mapper) {
	for i := range f.instrs[v].nOps {
		u := Use(f.instrs[v].ops + i)
		if o := f.pool[u].Value; mp.Value(o) != o {
			f.SetUse(u, mp.Value(o))
		}
	}
}

// CopyBody appends copies of all blocks of a function, which may be f itself,
// and returns the first copy. On entry mp maps the arguments; on return it maps
// all values and blocks. Copied values keep their name hints.
func (f *Function) CopyBody(from *Function, mp *Mapper) Block {
	f.startBody()
	stop := from.last // from may be f itself, which grows below
	for b := from.entry; b != 0; b = from.blocks[b].next {
		mp.Blocks[b] = f.NewBlock()
		if name := from.NameOf(b.Value()); name != nil {
			f.SetName(mp.Blocks[b].Value(), name)
		}
		if b == stop {
			break
		}
	}
	f.copyInto(from, mp)
	return mp.Blocks[from.entry]
}

// copyInto copies the instructions of all blocks that mp maps to the
// corresponding blocks of f.
func (f *Function) copyInto(from *Function, mp *Mapper) {
	pending := make([]pendingUse, 0, 16)
	stop := from.last
	if f == from {
		stop = from.blocks[mp.Blocks[from.entry]].prev
	}
	for b := from.entry; b != 0; b = from.blocks[b].next {
		for v := from.First(b); v != None; v = from.Next(v) {
			n := f.CopyInstr(from, v, mp)
			pending = f.notePending(pending, from, v, n, mp)
			f.Append(mp.Blocks[b], n)
			if from.instrs[v].rec != None {
				f.CopyRecords(from, v, n, mp)
				for r, c := from.FirstRecord(v), f.FirstRecord(n); r != None; r, c = from.NextRecord(r), f.NextRecord(c) {
					pending = f.notePending(pending, from, r, c, mp)
				}
			}
		}
		if b == stop {
			break
		}
	}
	for _, p := range pending {
		f.SetUse(p.use, mp.Value(p.old))
	}
}

// pendingUse is an operand of a copy whose value has not been copied yet.
type pendingUse struct {
	use Use
	old Value
}

// notePending appends the operands of the copy n that mp did not map to list,
// and sets them to None.
func (f *Function) notePending(list []pendingUse, from *Function, v, n Value, mp *Mapper) []pendingUse {
	for i, o := range from.Operands(v) {
		if from.Op(o.Value) == OpLocalMetadata {
			list = f.notePending(list, from, o.Value, f.Operand(n, i), mp)
		}
		if !o.Value.IsLocal() || int(o.Value) < len(mp.Values) && mp.Values[o.Value] != None && mp.Values[o.Value] != n {
			continue
		}
		u := f.UseOf(n, i)
		f.SetUse(u, None)
		list = append(list, pendingUse{u, o.Value})
	}
	return list
}
