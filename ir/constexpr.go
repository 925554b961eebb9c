package ir

import "unsafe"

// bytesAsString looks at bytes as a string, which lives no longer than they stay as they are.
func bytesAsString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// exprInRange marks a getelementptr expression with inrange: its last two operands are the bounds.
const exprInRange = Cleanup

// NewExpr gives a constant expression as it stands, unfolded: a binary operation, a conversion, extractelement,
// insertelement, or shufflevector with its mask as third operand.
func (m *Module) NewExpr(op Op, t Type, flags Flags, ops ...Value) Value {
	switch op {
	case OpAdd, OpSub, OpXor, OpTrunc, OpPtrToInt, OpPtrToAddr, OpIntToPtr, OpBitCast, OpAddrSpaceCast, OpExtractElement,
		OpInsertElement, OpShuffleVector:
	default:
		m.oldExprs.Store(true)
	}
	return m.withOperands(Const{Kind: ConstExpr, Op: op, Flags: flags, Type: t}, ops)
}

// HasOldExprs reports whether an expression was made that LLVM 22 does not have (a comparison, a select, most arithmetic). Readers
// make them of old texts and expand them at once.
func (m *Module) HasOldExprs() bool { return m.oldExprs.Load() }

// NewGEPExpr gives a getelementptr expression, unfolded. Its type is a pointer, or a vector of them when the base or
// an index is one.
func (m *Module) NewGEPExpr(source Type, flags Flags, ops ...Value) Value {
	return m.withOperands(Const{Kind: ConstExpr, Op: OpGetElementPtr, Flags: flags, Type: m.gepType(ops), b: uint32(source)}, ops)
}

// NewGEPInRange is NewGEPExpr with inrange(from, to), both integer constants.
func (m *Module) NewGEPInRange(source Type, flags Flags, from, to Value, ops ...Value) Value {
	all := append(append(make([]Value, 0, len(ops)+2), ops...), from, to)
	return m.withOperands(Const{Kind: ConstExpr, Op: OpGetElementPtr, Flags: flags | exprInRange, Type: m.gepType(ops), b: uint32(source)}, all)
}

// gepType gives the type of a getelementptr of constants.
func (m *Module) gepType(ops []Value) Type {
	t := m.constAt(ops[0]).Type
	if m.IsVector(t) {
		return t
	}
	for _, o := range ops[1:] {
		if info := m.TypeInfo(m.constAt(o).Type); info.Kind == KindVector {
			return m.VectorType(t, info.N)
		}
	}
	return t
}

// GEPExpr gives source element type, flags and operands of a getelementptr expression, and the bounds of inrange or None.
func (m *Module) GEPExpr(v Value) (source Type, flags Flags, ops []Value, from, to Value) {
	c := m.constAt(v)
	if c.Kind != ConstExpr || c.Op != OpGetElementPtr {
		return
	}
	source, flags, ops = Type(c.b), c.Flags, *m.consts.ops.at(c.a)
	if flags&exprInRange != 0 {
		n := len(ops) - 2
		return source, flags &^ exprInRange, ops[:n], ops[n], ops[n+1]
	}
	return
}

// NewAsm gives inline assembly as a value that can be called.
func (m *Module) NewAsm(a InlineAsm) Value {
	h := mix(hashSeed, uint64(ConstAsm)|uint64(a.Type)<<32)
	h = hashString(hashString(h, a.Asm), a.Constraints)
	t := &m.consts
	return constValue(t.intern(fold(h), func(id uint32) bool {
		o := t.all.at(id)
		return o.Kind == ConstAsm && *t.asms.at(o.a) == a
	}, func() uint32 {
		return t.all.add(Const{Kind: ConstAsm, Type: Ptr, a: t.asms.add(a)})
	}))
}

// Asm gives the inline assembly that a value is, nil for other values. It must not be changed.
func (m *Module) Asm(v Value) *InlineAsm {
	if v&tagMask == tagConst {
		if c := m.constAt(v); c.Kind == ConstAsm {
			return m.consts.asms.at(c.a)
		}
	}
	return nil
}

// NewBlockAddress gives the address of a block of a function, which must not be its entry.
func (m *Module) NewBlockAddress(fn Value, b Block) Value {
	return m.withOperands(Const{Kind: ConstBlockAddress, Type: m.constAt(fn).Type, b: uint32(b)}, []Value{fn})
}

// BlockAddresses calls do for the addresses of blocks among the constants from number from on, and gives the number to go on
// from for those that are made later.
func (m *Module) BlockAddresses(from int, do func(fn Value, b Block)) int {
	n := m.NumConsts()
	for i := from; i < n; i++ {
		v := constValue(uint32(i))
		if c := m.constAt(v); c.Kind == ConstBlockAddress {
			do(m.ConstOperands(v)[0], Block(c.b))
		}
	}
	return n
}

// ConstBlock gives the block of a ConstBlockAddress.
func (m *Module) ConstBlock(v Value) Block { return Block(m.constAt(v).b) }

// NewDSOLocalEquivalent gives dso_local_equivalent of a function, alias or ifunc.
func (m *Module) NewDSOLocalEquivalent(global Value) Value {
	return m.withOperands(Const{Kind: ConstDSOLocalEquivalent, Type: m.constAt(global).Type}, []Value{global})
}

// NewNoCFI gives no_cfi of a function.
func (m *Module) NewNoCFI(global Value) Value {
	return m.withOperands(Const{Kind: ConstNoCFI, Type: m.constAt(global).Type}, []Value{global})
}

// NewPtrAuth gives ptrauth (ptr, key, discriminator, address discriminator) with all operands, and LLVM 22's
// deactivation symbol as fifth one when there is one.
func (m *Module) NewPtrAuth(ops ...Value) Value {
	return m.withOperands(Const{Kind: ConstPtrAuth, Type: m.constAt(ops[0]).Type}, ops)
}

// A Placeholder is a constant that is not known yet. It has a number at once, so that others may refer to it.

// NewPlaceholder makes a constant of a type that Resolve will say.
func (m *Module) NewPlaceholder(t Type) Value {
	m.consts.mu.Lock()
	defer m.consts.mu.Unlock()
	return constValue(m.consts.all.add(Const{Type: t}))
}

// IsPlaceholder reports whether a constant has not been resolved yet.
func (m *Module) IsPlaceholder(v Value) bool { return m.constAt(v).Kind == ConstNone }

// ResolveBlockAddress makes a placeholder the address of a block, which NewBlockAddress gives then. There must be no other constant for it.
func (m *Module) ResolveBlockAddress(placeholder, fn Value, b Block) {
	c := Const{Kind: ConstBlockAddress, Type: m.constAt(fn).Type, b: uint32(b)}
	h := hashOperands(&c, []Value{fn})
	m.consts.mu.Lock()
	defer m.consts.mu.Unlock()
	c.a = m.consts.ops.add([]Value{fn})
	*m.constAt(placeholder) = c
	m.consts.insert(h, placeholder.Index())
}

// ResolveAs makes a placeholder, or what was a global that is removed, say what another constant says. Both keep their numbers.
func (m *Module) ResolveAs(placeholder, v Value) {
	m.consts.mu.Lock()
	defer m.consts.mu.Unlock()
	*m.constAt(placeholder) = *m.constAt(v)
}
