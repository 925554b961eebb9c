package ir

// Builder inserts instructions in sequence at a point of a function.
type Builder struct {
	F *Function // function in which instructions are created
	// Loc is the debug location of new instructions.
	Loc Metadata
	// Fast holds the fast-math flags of new floating-point instructions.
	Fast Flags
	// Fold, if not nil, is called before an instruction without side effects is
	// created. It returns the value that replaces the instruction, or None.
	// Fold must not retain ops.
	Fold func(f *Function, op Op, sub uint8, flags Flags, t Type, ops []Value) Value

	block  Block
	before Value // None at the end of block
}

// NewBuilder creates a builder that appends to a block.
func NewBuilder(f *Function, b Block) *Builder { return &Builder{F: f, block: b} }

// AtEnd sets the insertion point to the end of a block.
func (b *Builder) AtEnd(block Block) { b.block, b.before = block, None }

// Before sets the insertion point before v. New instructions get v's debug
// location.
func (b *Builder) Before(v Value) {
	b.block, b.before = b.F.Parent(v), v
	b.Loc = b.F.Instr(v).Loc
}

// Block returns the block of the insertion point.
func (b *Builder) Block() Block { return b.block }

// Make inserts an instruction without folding it.
func (b *Builder) Make(op Op, t Type, ops ...Value) Value {
	v := b.F.NewInstr(op, t, ops...)
	b.F.instrs[v].Loc = b.Loc
	if b.before != None {
		b.F.InsertBefore(v, b.before)
	} else {
		b.F.Append(b.block, v)
	}
	return v
}

// fold inserts an instruction unless Fold returns its value.
func (b *Builder) fold(op Op, sub uint8, flags Flags, t Type, ops ...Value) Value {
	if b.Fold != nil {
		if v := b.Fold(b.F, op, sub, flags, t, ops); v != None {
			return v
		}
	}
	v := b.Make(op, t, ops...)
	in := &b.F.instrs[v]
	in.Sub, in.Flags = sub, flags
	return v
}

// fastFor returns the fast-math flags of an operation with result type t.
func (b *Builder) fastFor(op Op, t Type) Flags {
	if b.Fast != 0 && op.has(opFastOp) && b.F.m.IsFloatOrFloatVector(t) {
		return b.Fast
	}
	return 0
}

// Binary creates a binary operation with the given flags in addition to the
// builder's fast-math flags.
func (b *Builder) Binary(op Op, x, y Value, flags Flags) Value {
	t := b.F.TypeOf(x)
	return b.fold(op, 0, flags|b.fastFor(op, t), t, x, y)
}

// Add creates an add without flags.
func (b *Builder) Add(x, y Value) Value { return b.Binary(OpAdd, x, y, 0) }

// Sub creates a sub without flags.
func (b *Builder) Sub(x, y Value) Value { return b.Binary(OpSub, x, y, 0) }

// Mul creates a mul without flags.
func (b *Builder) Mul(x, y Value) Value { return b.Binary(OpMul, x, y, 0) }

// And creates an and.
func (b *Builder) And(x, y Value) Value { return b.Binary(OpAnd, x, y, 0) }

// Or creates an or without flags.
func (b *Builder) Or(x, y Value) Value { return b.Binary(OpOr, x, y, 0) }

// Xor creates a xor.
func (b *Builder) Xor(x, y Value) Value { return b.Binary(OpXor, x, y, 0) }

// Shl creates a shl without flags.
func (b *Builder) Shl(x, y Value) Value { return b.Binary(OpShl, x, y, 0) }

// LShr creates an lshr without flags.
func (b *Builder) LShr(x, y Value) Value { return b.Binary(OpLShr, x, y, 0) }

// FNeg creates an fneg.
func (b *Builder) FNeg(x Value) Value {
	t := b.F.TypeOf(x)
	return b.fold(OpFNeg, 0, b.fastFor(OpFNeg, t), t, x)
}

// Freeze creates a freeze.
func (b *Builder) Freeze(x Value) Value { return b.fold(OpFreeze, 0, 0, b.F.TypeOf(x), x) }

// Cast creates a conversion to t. A bitcast or addrspacecast of a value of type
// t returns the value itself.
func (b *Builder) Cast(op Op, x Value, t Type, flags Flags) Value {
	if (op == OpBitCast || op == OpAddrSpaceCast) && b.F.TypeOf(x) == t {
		return x
	}
	return b.fold(op, 0, flags|b.fastFor(op, t), t, x)
}

// boolLike returns i1, or a vector of i1 with as many elements as the vector
// type t.
func (b *Builder) boolLike(t Type) Type { return b.F.m.WithScalar(t, I1) }

// Compare creates an icmp or an fcmp, depending on the predicate.
func (b *Builder) Compare(p Pred, x, y Value) Value {
	t := b.F.TypeOf(x)
	if p >= ICmpEQ {
		return b.fold(OpICmp, uint8(p), 0, b.boolLike(t), x, y)
	}
	return b.fold(OpFCmp, uint8(p), b.Fast, b.boolLike(t), x, y)
}

// Select creates a select.
func (b *Builder) Select(cond, x, y Value) Value {
	t := b.F.TypeOf(x)
	return b.fold(OpSelect, 0, b.fastFor(OpSelect, t), t, cond, x, y)
}

// ExtractElement creates an extractelement.
func (b *Builder) ExtractElement(vec, index Value) Value {
	return b.fold(OpExtractElement, 0, 0, b.F.m.Scalar(b.F.TypeOf(vec)), vec, index)
}

// InsertElement creates an insertelement.
func (b *Builder) InsertElement(vec, elem, index Value) Value {
	return b.fold(OpInsertElement, 0, 0, b.F.TypeOf(vec), vec, elem, index)
}

// Shuffle creates a shufflevector.
func (b *Builder) Shuffle(x, y Value, mask []uint32) Value {
	t := b.F.m.VectorType(b.F.m.Scalar(b.F.TypeOf(x)), uint64(len(mask)))
	v := b.Make(OpShuffleVector, t, x, y)
	b.F.SetIndices(v, mask)
	return v
}

// ExtractValue creates an extractvalue.
func (b *Builder) ExtractValue(agg Value, indices ...uint32) Value {
	t := b.F.TypeOf(agg)
	for _, i := range indices {
		t = b.F.m.ElementType(t, uint64(i))
	}
	v := b.Make(OpExtractValue, t, agg)
	b.F.SetIndices(v, indices)
	return v
}

// InsertValue creates an insertvalue.
func (b *Builder) InsertValue(agg, elem Value, indices ...uint32) Value {
	v := b.Make(OpInsertValue, b.F.TypeOf(agg), agg, elem)
	b.F.SetIndices(v, indices)
	return v
}

// Alloca creates an alloca of one value of type t in the data layout's alloca
// address space. align is in bytes; 0 selects the preferred alignment.
func (b *Builder) Alloca(t Type, align uint32) Value {
	m := b.F.m
	if align == 0 {
		align = m.PrefAlign(t)
	}
	v := b.Make(OpAlloca, m.PtrType(m.layout.AllocaAddrSpace), m.NewInt(I32, 1))
	b.F.instrs[v].X = uint32(t)
	b.F.SetMemInfo(v, MemInfo{Align: align})
	return v
}

// Load creates a load. align is in bytes; 0 selects the data layout's ABI
// alignment.
func (b *Builder) Load(t Type, addr Value, align uint32) Value {
	if align == 0 {
		align = b.F.m.ABIAlign(t)
	}
	v := b.Make(OpLoad, t, addr)
	b.F.SetMemInfo(v, MemInfo{Align: align})
	return v
}

// Store creates a store. align is in bytes; 0 selects the data layout's ABI
// alignment.
func (b *Builder) Store(x, addr Value, align uint32) Value {
	if align == 0 {
		align = b.F.m.ABIAlign(b.F.TypeOf(x))
	}
	v := b.Make(OpStore, Void, x, addr)
	b.F.SetMemInfo(v, MemInfo{Align: align})
	return v
}

// GEP creates a getelementptr.
func (b *Builder) GEP(source Type, flags Flags, ops ...Value) Value {
	m := b.F.m
	t := b.F.TypeOf(ops[0])
	if !m.IsVector(t) {
		for _, o := range ops[1:] {
			if info := m.TypeInfo(b.F.TypeOf(o)); info.Kind == KindVector {
				t = m.VectorType(t, info.N)
				break
			}
		}
	}
	v := b.Make(OpGetElementPtr, t, ops...)
	in := &b.F.instrs[v]
	in.X, in.Flags = uint32(source), flags
	return v
}

// PtrAdd creates a getelementptr with an offset in bytes.
func (b *Builder) PtrAdd(base, offset Value, flags Flags) Value {
	return b.GEP(I8, flags, base, offset)
}

// Phi creates a phi without incoming values.
func (b *Builder) Phi(t Type) Value { return b.Make(OpPhi, t) }

// Call creates a call of f with f's calling convention.
func (b *Builder) Call(f *Function, args ...Value) Value {
	v := b.CallValue(f.Global.Type, f.Value(), args...)
	b.F.SetCallConv(v, f.CC)
	return v
}

// CallValue creates a call of the value callee with function type t.
func (b *Builder) CallValue(t Type, callee Value, args ...Value) Value {
	var few [8]Value
	ops := append(append(few[:0], args...), callee)
	result := b.F.m.TypeInfo(t).Elem
	v := b.Make(OpCall, result, ops...)
	in := &b.F.instrs[v]
	in.X, in.Flags = uint32(t), b.fastFor(OpCall, result)
	return v
}

// Ret creates a ret of v, or a ret void if v is None.
func (b *Builder) Ret(v Value) Value {
	if v == None {
		return b.Make(OpRet, Void)
	}
	return b.Make(OpRet, Void, v)
}

// Br creates an unconditional br.
func (b *Builder) Br(to Block) Value { return b.Make(OpBr, Void, to.Value()) }

// CondBr creates a conditional br.
func (b *Builder) CondBr(cond Value, yes, no Block) Value {
	return b.Make(OpBr, Void, cond, yes.Value(), no.Value())
}

// Switch creates a switch without cases. AddOperands(v, constant, block) adds
// one.
func (b *Builder) Switch(v Value, def Block) Value { return b.Make(OpSwitch, Void, v, def.Value()) }

// Unreachable creates an unreachable.
func (b *Builder) Unreachable() Value { return b.Make(OpUnreachable, Void) }
