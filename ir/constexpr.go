package ir

import "unsafe"

// bytesAsString returns b as a string without copying. The caller must not
// modify b while the string is in use.
func bytesAsString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// exprInRange marks a getelementptr expression with inrange. The last two
// operands are the bounds.
const exprInRange = Cleanup

// NewExpr returns a constant expression without folding it: a binary operation,
// a conversion, extractelement, insertelement, or shufflevector with its mask
// as third operand.
func (m *Module) NewExpr(op Op, t Type, flags Flags, ops ...Value) Value {
	switch op {
	case OpAdd, OpSub, OpXor, OpTrunc, OpPtrToInt, OpPtrToAddr, OpIntToPtr, OpBitCast, OpAddrSpaceCast, OpExtractElement,
		OpInsertElement, OpShuffleVector:
	default:
		m.oldExprs.Store(true)
	}
	return m.withOperands(Const{Kind: ConstExpr, Op: op, Flags: flags, Type: t}, ops)
}

// HasOldExprs reports whether the module contains a constant expression that
// LLVM 22 does not have: a comparison, a select or most arithmetic. Readers
// create such expressions for old inputs and expand them immediately.
func (m *Module) HasOldExprs() bool { return m.oldExprs.Load() }

// NewGEPExpr returns a getelementptr expression without folding it. Its type is
// a pointer, or a vector of pointers if the base or an index is a vector.
func (m *Module) NewGEPExpr(source Type, flags Flags, ops ...Value) Value {
	return m.withOperands(Const{Kind: ConstExpr, Op: OpGetElementPtr, Flags: flags, Type: m.gepType(ops), b: uint32(source)}, ops)
}

// NewGEPInRange is like NewGEPExpr with inrange(from, to). Both bounds are
// integer constants.
func (m *Module) NewGEPInRange(source Type, flags Flags, from, to Value, ops ...Value) Value {
	all := append(append(make([]Value, 0, len(ops)+2), ops...), from, to)
	return m.withOperands(Const{Kind: ConstExpr, Op: OpGetElementPtr, Flags: flags | exprInRange, Type: m.gepType(ops), b: uint32(source)}, all)
}

// gepType returns the type of a getelementptr of constants.
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

// GEPExpr returns the source element type, flags and operands of a
// getelementptr expression, and the bounds of inrange or None.
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

// NewAsm returns inline assembly as a callable value.
func (m *Module) NewAsm(a InlineAsm) Value {
	h := mix(hashSeed, uint64(ConstAsm)|uint64(a.Type)<<32)
	h = hashString(hashString(h, a.Asm), a.Constraints)
	t := &m.consts
	return constValue(t.intern(fold(h), func(id uint32) bool {
		o := t.all.at(id)
		return o.Kind == ConstAsm && *t.asms.at(o.a) == a
	}, func() uint32 {
		return t.all.appendEntry(Const{Kind: ConstAsm, Type: Ptr, a: t.asms.appendEntry(a)})
	}))
}

// Asm returns the inline assembly of v, or nil for other values. The caller
// must not modify the result.
func (m *Module) Asm(v Value) *InlineAsm {
	if v&tagMask == tagConst {
		if c := m.constAt(v); c.Kind == ConstAsm {
			return m.consts.asms.at(c.a)
		}
	}
	return nil
}

// NewBlockAddress returns the address of a block of fn, which must not be the
// entry block.
func (m *Module) NewBlockAddress(fn Value, b Block) Value {
	return m.withOperands(Const{Kind: ConstBlockAddress, Type: m.constAt(fn).Type, b: uint32(b)}, []Value{fn})
}

// BlockAddresses calls do for each block address among the constants with
// number from or higher. It returns the value of from for a later call that
// visits only new constants.
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

// ConstBlock returns the block of a ConstBlockAddress.
func (m *Module) ConstBlock(v Value) Block { return Block(m.constAt(v).b) }

// NewDSOLocalEquivalent returns the dso_local_equivalent of a function, alias
// or ifunc.
func (m *Module) NewDSOLocalEquivalent(global Value) Value {
	return m.withOperands(Const{Kind: ConstDSOLocalEquivalent, Type: m.constAt(global).Type}, []Value{global})
}

// NewNoCFI returns the no_cfi of a function.
func (m *Module) NewNoCFI(global Value) Value {
	return m.withOperands(Const{Kind: ConstNoCFI, Type: m.constAt(global).Type}, []Value{global})
}

// NewPtrAuth returns a ptrauth constant. Its operands are pointer, key,
// discriminator, address discriminator and, optionally, LLVM 22's deactivation
// symbol.
func (m *Module) NewPtrAuth(ops ...Value) Value {
	return m.withOperands(Const{Kind: ConstPtrAuth, Type: m.constAt(ops[0]).Type}, ops)
}

// A placeholder is a constant whose value is not known yet. Its number is valid
// immediately, so other constants may refer to it.

// NewPlaceholder creates a placeholder of type t, which ResolveAs or
// ResolveBlockAddress resolves.
func (m *Module) NewPlaceholder(t Type) Value {
	m.consts.mu.Lock()
	defer m.consts.mu.Unlock()
	return constValue(m.consts.all.appendEntry(Const{Type: t}))
}

// IsPlaceholder reports whether a constant has not been resolved yet.
func (m *Module) IsPlaceholder(v Value) bool { return m.constAt(v).Kind == ConstNone }

// ResolveBlockAddress turns a placeholder into the address of a block, which
// NewBlockAddress then returns. No other constant may exist for this address.
func (m *Module) ResolveBlockAddress(placeholder, fn Value, b Block) {
	c := Const{Kind: ConstBlockAddress, Type: m.constAt(fn).Type, b: uint32(b)}
	h := hashOperands(&c, []Value{fn})
	m.consts.mu.Lock()
	defer m.consts.mu.Unlock()
	c.a = m.consts.ops.appendEntry([]Value{fn})
	*m.constAt(placeholder) = c
	m.consts.insert(h, placeholder.Index())
}

// ResolveAs sets the content of a placeholder, or of a removed global's
// constant, to the content of another constant. Both keep their numbers.
func (m *Module) ResolveAs(placeholder, v Value) {
	m.consts.mu.Lock()
	defer m.consts.mu.Unlock()
	*m.constAt(placeholder) = *m.constAt(v)
}
