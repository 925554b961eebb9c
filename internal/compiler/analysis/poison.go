package analysis

import "github.com/gfx-toolchain/gfx/ir"

// NotPoison reports whether a value is known to contain neither poison nor
// undef.
func NotPoison(f *ir.Function, v ir.Value) bool { return notPoison(f, v, 0) }

func notPoison(f *ir.Function, v ir.Value, depth int) bool {
	if v.IsConst() {
		return constNotPoison(f.Module(), v, depth)
	}
	if !v.IsLocal() {
		return true // blocks and metadata
	}
	m := f.Module()
	switch op := f.Op(v); {
	case op == ir.OpArg:
		s := m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X))
		for _, k := range []ir.AttrKind{ir.AttrNoUndef, ir.AttrDereferenceable, ir.AttrDereferenceableOrNull, ir.AttrByVal} {
			if m.HasAttr(s, k) {
				return true
			}
		}
		return false
	case op == ir.OpFreeze || op == ir.OpAlloca:
		return true
	case op.IsCall() && callHasAttr(f, v, ir.AttrResult, ir.AttrNoUndef):
		return true
	case op == ir.OpLoad:
		for _, k := range []ir.MDKind{ir.MDNoUndef, ir.MDDereferenceable, ir.MDDereferenceableOrNull} {
			if f.Attachment(v, k) != 0 {
				return true
			}
		}
		return false
	case depth >= maxDepth || makesPoison(f, v, depth):
		return false
	case op == ir.OpPhi:
		return phiNotPoison(f, v, depth)
	}
	for _, o := range f.Operands(v) {
		if !notPoison(f, o.Value, depth+1) {
			return false
		}
	}
	return true
}

func phiNotPoison(f *ir.Function, v ir.Value, depth int) bool {
	for i := range f.NumIncoming(v) {
		if in, _ := f.Incoming(v, i); in != v && !notPoison(f, in, depth+1) {
			return false
		}
	}
	return true
}

func constNotPoison(m *ir.Module, v ir.Value, depth int) bool {
	switch m.ConstKindOf(v) {
	case ir.ConstUndef, ir.ConstPoison, ir.ConstNone:
		return false
	case ir.ConstAggregate:
		for _, e := range m.ConstOperands(v) {
			if depth >= maxDepth || !constNotPoison(m, e, depth+1) {
				return false
			}
		}
	case ir.ConstExpr:
		c := m.Const(v)
		if c.Flags != 0 && c.Op != ir.OpGetElementPtr {
			return false
		}
		for _, e := range m.ConstOperands(v) {
			if depth >= maxDepth || !constNotPoison(m, e, depth+1) {
				return false
			}
		}
		// A getelementptr with flags is poison if it leaves its object. A
		// global with a constant offset inside it never does.
		return c.Op != ir.OpGetElementPtr || c.Flags == 0 || m.ConstGlobal(m.ConstOperands(v)[0]) != nil && inGlobal(m, v)
	}
	return true
}

// inGlobal reports whether a constant getelementptr of a global stays inside
// the global.
func inGlobal(m *ir.Module, v ir.Value) bool {
	source, _, ops, _, _ := m.GEPExpr(v)
	e := ptrExpr{op: ir.OpGetElementPtr, source: source, base: ops[0], v: v, consts: ops}
	g := m.ConstGlobal(ops[0])
	if g.Kind != ir.GlobalVar || !m.IsSized(g.Type) {
		return false
	}
	f := ir.Function{Global: g}
	n, isConst := int64(0), true
	ok := e.offsets(&f, func(scale int64, index ir.Value) {
		n += scale
		isConst = isConst && index == ir.None
	})
	return ok && isConst && n >= 0 && uint64(n) <= m.AllocSize(g.Type)
}

// MakesPoison reports whether an instruction can produce poison or undef
// although no operand is poison or undef: because of flags, operands out of
// range, or the memory it reads.
func MakesPoison(f *ir.Function, v ir.Value) bool { return makesPoison(f, v, 0) }

func makesPoison(f *ir.Function, v ir.Value, depth int) bool {
	m, in := f.Module(), f.Instr(v)
	const flags = ir.NUW | ir.NSW | ir.Exact | ir.Disjoint | ir.NNeg | ir.SameSign | ir.NoNaNs | ir.NoInfs | ir.InBounds | ir.NUSW
	if in.Flags&flags != 0 || f.Attachment(v, ir.MDRange) != 0 || f.Attachment(v, ir.MDNonNull) != 0 || f.Attachment(v, ir.MDAlign) != 0 {
		return true
	}
	switch op := in.Op; op {
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		return !shiftInRange(f, v, depth)
	case ir.OpExtractElement, ir.OpInsertElement:
		i := f.Operand(v, 1)
		if op == ir.OpInsertElement {
			i = f.Operand(v, 2)
		}
		n, ok := m.IntValue(i)
		return !ok || n >= m.NumElements(f.TypeOf(f.Operand(v, 0)))
	case ir.OpShuffleVector:
		for _, i := range f.Mask(v) {
			if i == ir.PoisonElement {
				return true
			}
		}
		return false
	case ir.OpFPToSI, ir.OpFPToUI, ir.OpVAArg, ir.OpLoad, ir.OpAtomicRMW, ir.OpCmpXchg, ir.OpLandingPad:
		return true
	case ir.OpCall, ir.OpInvoke, ir.OpCallBr:
		return !callHasAttr(f, v, ir.AttrFunction, ir.AttrNoCreateUndefOrPoison) || f.CalledIntrinsic(v) == ir.NoIntrinsic
	case ir.OpAddrSpaceCast, ir.OpIntToPtr:
		return false
	}
	return false
}

// shiftInRange reports whether a shift amount is known to be less than the
// width.
func shiftInRange(f *ir.Function, v ir.Value, depth int) bool {
	w := valueWidth(f.Module(), f.TypeOf(v))
	b := knownBits(f, f.Operand(v, 1), depth+1)
	return w != 0 && b.Width != 0 && b.Max() < uint64(w)
}
