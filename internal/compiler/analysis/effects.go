package analysis

import "github.com/gfx-toolchain/gfx/ir"

// CallHas reports whether a call or the called function has a function
// attribute.
func CallHas(f *ir.Function, v ir.Value, k ir.AttrKind) bool {
	m := f.Module()
	if m.HasAttr(m.AttrsAt(f.CallAttrs(v), ir.AttrFunction), k) {
		return true
	}
	callee := f.CalledFunction(v)
	return callee != nil && m.HasAttr(m.AttrsAt(callee.Attributes, ir.AttrFunction), k)
}

// CallMemory returns the memory effects of a call.
func CallMemory(f *ir.Function, v ir.Value) ir.MemoryEffects {
	m := f.Module()
	e := ir.MemoryAny
	if a, ok := m.Attr(m.AttrsAt(f.CallAttrs(v), ir.AttrFunction), ir.AttrMemory); ok {
		e = ir.MemoryEffects(a.Int)
	}
	if callee := f.CalledFunction(v); callee != nil {
		if a, ok := m.Attr(m.AttrsAt(callee.Attributes, ir.AttrFunction), ir.AttrMemory); ok {
			e &= ir.MemoryEffects(a.Int)
		}
	}
	return bundleMemory(f, v, e)
}

// bundleMemory adds the effects of operand bundles. Unknown bundles may read
// and write.
func bundleMemory(f *ir.Function, v ir.Value, e ir.MemoryEffects) ir.MemoryEffects {
	if len(f.Bundles(v)) == 0 || f.CalledIntrinsic(v) == ir.IntrAssume {
		return e
	}
	return ir.MemoryAny
}

// MayWrite reports whether an instruction may write memory. As in LLVM, that
// includes volatile and ordered loads, which must keep their position among
// accesses.
func MayWrite(f *ir.Function, v ir.Value) bool {
	switch f.Op(v) {
	case ir.OpFence, ir.OpStore, ir.OpVAArg, ir.OpCatchPad, ir.OpCatchRet, ir.OpCmpXchg, ir.OpAtomicRMW:
		return true
	case ir.OpLoad:
		return !IsUnordered(f, v)
	case ir.OpCall, ir.OpInvoke, ir.OpCallBr:
		return CallMemory(f, v).Writes()
	}
	return false
}

// MayRead reports whether an instruction may read memory.
func MayRead(f *ir.Function, v ir.Value) bool {
	switch f.Op(v) {
	case ir.OpVAArg, ir.OpLoad, ir.OpFence, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpCatchPad, ir.OpCatchRet:
		return true
	case ir.OpStore:
		return !IsUnordered(f, v)
	case ir.OpCall, ir.OpInvoke, ir.OpCallBr:
		return CallMemory(f, v).Reads()
	}
	return false
}

// AccessesMemory reports whether an instruction may read or write memory.
func AccessesMemory(f *ir.Function, v ir.Value) bool { return MayRead(f, v) || MayWrite(f, v) }

// IsUnordered reports whether a load or store is not volatile and at most unordered.
func IsUnordered(f *ir.Function, v ir.Value) bool {
	mi := f.MemInfo(v)
	return !mi.Volatile && mi.Ordering <= ir.Unordered
}

// MayThrow reports whether an instruction may unwind.
func MayThrow(f *ir.Function, v ir.Value) bool {
	switch f.Op(v) {
	case ir.OpCall, ir.OpInvoke, ir.OpCallBr:
		return !CallHas(f, v, ir.AttrNoUnwind)
	case ir.OpResume:
		return true
	case ir.OpCleanupRet:
		return f.NumOperands(v) == 1
	case ir.OpCatchSwitch:
		return f.Instr(v).X == 0
	}
	return false
}

// WillReturn reports whether an instruction certainly completes. Calls that may
// loop or exit and volatile stores do not.
func WillReturn(f *ir.Function, v ir.Value) bool {
	switch f.Op(v) {
	case ir.OpStore:
		return !f.IsVolatile(v)
	case ir.OpCall, ir.OpInvoke, ir.OpCallBr:
		return CallHas(f, v, ir.AttrWillReturn)
	}
	return true
}

// HasSideEffects reports whether an instruction has any effect other than its
// result.
func HasSideEffects(f *ir.Function, v ir.Value) bool {
	return MayWrite(f, v) || MayThrow(f, v) || !WillReturn(f, v)
}

// IsDead reports whether an instruction can be removed: it has no uses and no
// effect. It is LLVM's isInstructionTriviallyDead.
func IsDead(f *ir.Function, v ir.Value) bool { return !f.HasUses(v) && isDeadIfUnused(f, v) }

// isDeadIfUnused reports whether an instruction can be removed once it has no
// uses.
func isDeadIfUnused(f *ir.Function, v ir.Value) bool {
	op := f.Op(v)
	if op.IsTerminator() || op.IsPad() || op == ir.OpArg || !WillReturn(f, v) {
		return false
	}
	if !HasSideEffects(f, v) {
		return true
	}
	if op != ir.OpCall {
		return false
	}
	switch f.CalledIntrinsic(v) {
	case ir.IntrStacksave, ir.IntrLaunderInvariantGroup:
		return true
	case ir.IntrLifetimeStart, ir.IntrLifetimeEnd:
		return isDeadLifetime(f, v)
	case ir.IntrAssume, ir.IntrExperimentalGuard:
		return len(f.Bundles(v)) == 0 && isTrue(f, f.Operand(v, 0))
	}
	return false
}

// isTrue reports whether a value is the constant true (or a constant with a
// nonzero integer element).
func isTrue(f *ir.Function, v ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	x, ok := f.Module().IntValue(v)
	return ok && x != 0
}

// LifetimePtr returns the pointer of a lifetime marker.
func LifetimePtr(f *ir.Function, v ir.Value) ir.Value {
	args := f.Args(v)
	return args[len(args)-1].Value
}

// IsLifetime reports whether an instruction is a lifetime marker.
func IsLifetime(f *ir.Function, v ir.Value) bool {
	id := f.CalledIntrinsic(v)
	return id == ir.IntrLifetimeStart || id == ir.IntrLifetimeEnd
}

// isDeadLifetime reports whether a lifetime marker is redundant because its
// object has no other uses.
func isDeadLifetime(f *ir.Function, v ir.Value) bool {
	p := LifetimePtr(f, v)
	if IsUndef(f, p) {
		return true
	}
	if op := f.Op(p); op != ir.OpAlloca && op != ir.OpArg {
		return false
	}
	for u := f.FirstUse(p); u != 0; u = f.NextUse(u) {
		if !IsLifetime(f, f.User(u)) {
			return false
		}
	}
	return true
}

// IsUndef reports whether a value is undef or poison.
func IsUndef(f *ir.Function, v ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	k := f.Module().ConstKindOf(v)
	return k == ir.ConstUndef || k == ir.ConstPoison
}

// IsPoison reports whether a value is poison.
func IsPoison(f *ir.Function, v ir.Value) bool {
	return v.IsConst() && f.Module().ConstKindOf(v) == ir.ConstPoison
}
