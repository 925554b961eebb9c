package analysis

import "github.com/gfx-toolchain/gfx/ir"

// CallEffects returns the memory that a call may access: the intersection of
// its attributes and the called function's.
func (a *Alias) CallEffects(v ir.Value) ir.MemoryEffects {
	f := a.f
	call, callee := callAttrs(f, v, ir.AttrFunction)
	function := a.effectsOf(callee)
	if f.CalledIntrinsic(v) != ir.IntrAssume {
		for _, b := range f.Bundles(v) {
			function |= bundleEffects(a.m.BundleTagName(b.Tag))
		}
	}
	return a.effectsOf(call) & function
}

// bundleEffects returns the memory effects of an operand bundle in addition to
// the called function's (LangRef, "Operand Bundles").
func bundleEffects(tag string) ir.MemoryEffects {
	switch tag {
	case "convergencectrl", "kcfi", "ptrauth":
		return ir.MemoryNone
	case "deopt", "funclet":
		return ir.MemoryRead
	}
	return ir.MemoryAny
}

func (a *Alias) effectsOf(s ir.AttrSet) ir.MemoryEffects {
	if attr, ok := a.m.Attr(s, ir.AttrMemory); ok {
		return ir.MemoryEffects(attr.Int) & ir.MemoryAny
	}
	return ir.MemoryAny
}

// PointsToConstant reports whether memory is never written while the function
// runs: a constant global, memory in a constant address space, or a noalias
// argument that is only read.
func (a *Alias) PointsToConstant(l Location) bool { return a.writable(l)&Mod == 0 }

// writable returns the effects that can occur on a location. Constant memory is
// not written, and its reads are unobservable. This function does not write the
// memory of a noalias argument that is only read.
func (a *Alias) writable(l Location) ModRef {
	if l.TBAA != 0 {
		if tag, ok := readTag(a.m, l.TBAA); ok && tag.immutable {
			return NoModRef
		}
	}
	if isConstantSpace(a.m.AddrSpace(a.f.TypeOf(l.Ptr))) {
		return NoModRef
	}
	return a.objectWritable(l.Ptr, 0)
}

// objectWritable is writable for the object that a pointer points into.
func (a *Alias) objectWritable(v ir.Value, depth int) ModRef {
	f := a.f
	o := UnderlyingObject(f, v)
	if o.IsConst() {
		g := a.m.ConstGlobal(o)
		if g != nil && (g.Kind == ir.GlobalFunc || g.Kind == ir.GlobalVar && g.Constant || isConstantSpace(g.AddrSpace)) {
			return NoModRef
		}
		return AnyRef
	}
	if !o.IsLocal() {
		return AnyRef
	}
	if isConstantSpace(a.m.AddrSpace(a.m.Scalar(f.TypeOf(o)))) {
		return NoModRef
	}
	r := AnyRef
	switch op := f.Op(o); {
	case op == ir.OpArg:
		if a.argHasAttr(o, ir.AttrNoAlias) && (a.argHasAttr(o, ir.AttrReadOnly) || a.argHasAttr(o, ir.AttrReadNone)) {
			return Ref
		}
	case depth >= 4:
	case op == ir.OpSelect:
		return a.objectWritable(f.Operand(o, 1), depth+1) | a.objectWritable(f.Operand(o, 2), depth+1)
	case op == ir.OpPhi && f.NumIncoming(o) <= 8:
		r = NoModRef
		for i := range f.NumIncoming(o) {
			if in, _ := f.Incoming(o, i); in != o {
				r |= a.objectWritable(in, depth+1)
			}
		}
	}
	return r
}

// IsInvariantLoad reports whether the loaded memory never changes: the load is
// marked invariant or reads constant memory.
func (a *Alias) IsInvariantLoad(v ir.Value) bool {
	if a.f.Attachment(v, ir.MDInvariantLoad) != 0 {
		return true
	}
	l, _ := a.LocationOf(v)
	return a.PointsToConstant(l)
}

// ModRef reports whether an instruction may write or read a location.
func (a *Alias) ModRef(v ir.Value, l Location) ModRef {
	f := a.f
	switch op := f.Op(v); op {
	case ir.OpLoad:
		return a.accessEffect(v, l, Ref, ir.Unordered)
	case ir.OpStore:
		return a.accessEffect(v, l, Mod, ir.Unordered) & a.writable(l)
	case ir.OpCmpXchg, ir.OpAtomicRMW:
		return a.accessEffect(v, l, AnyRef, ir.Monotonic)
	case ir.OpVAArg:
		return a.accessEffect(v, l, AnyRef, ir.Monotonic) & a.writable(l)
	case ir.OpFence:
		return a.writable(l)
	case ir.OpCall, ir.OpInvoke, ir.OpCallBr:
		return a.callModRef(v, l)
	case ir.OpCatchPad, ir.OpCatchRet, ir.OpCatchSwitch, ir.OpCleanupPad, ir.OpCleanupRet:
		return a.writable(l)
	}
	return NoModRef
}

// accessEffect is ModRef for one access. An ordering above limit makes the
// access a barrier for all memory.
func (a *Alias) accessEffect(v ir.Value, l Location, effect ModRef, limit ir.Ordering) ModRef {
	mi := a.f.MemInfo(v)
	if mi.Ordering > limit || mi.Failure > limit {
		return AnyRef
	}
	mine, _ := a.LocationOf(v)
	if a.Alias(mine, l) == NoAlias {
		return NoModRef
	}
	return effect
}

// accessOf returns the effect on one location kind as a ModRef, whose bits are
// the same.
func accessOf(e ir.MemoryEffects, location int) ModRef { return ModRef(e.At(location)) }

// callModRef is ModRef for calls.
func (a *Alias) callModRef(v ir.Value, l Location) ModRef {
	f := a.f
	e := a.CallEffects(v)
	other := accessOf(e, ir.OtherMem) | accessOf(e, ir.ErrnoMem)
	args := accessOf(e, ir.ArgMem)
	if other|args == NoModRef {
		return NoModRef
	}
	object := UnderlyingObject(f, l.Ptr)
	if tail := f.TailKind(v); a.isAlloca(object) && (tail == ir.Tail || tail == ir.MustTail) && !a.passesByVal(v) {
		return NoModRef // a tail call cannot access the caller's frame
	}
	if object != v && a.isUnescaped(object) {
		other = NoModRef
	}
	r := other
	if args&^other != 0 {
		r |= a.argModRef(v, l, args)
	}
	if r != NoModRef {
		r &= a.writable(l)
	}
	return r
}

func (a *Alias) passesByVal(call ir.Value) bool {
	for i := range a.f.Args(call) {
		if callHasAttr(a.f, call, ir.AttrParams+i, ir.AttrByVal) {
			return true
		}
	}
	return false
}

// argModRef returns the effects of a call on a location through its arguments.
func (a *Alias) argModRef(call ir.Value, l Location, allowed ModRef) ModRef {
	f := a.f
	r := NoModRef
	for i, o := range f.Args(call) {
		if !a.m.IsPtrOrPtrVector(f.TypeOf(o.Value)) {
			continue
		}
		access := AnyRef
		switch {
		case callHasAttr(f, call, ir.AttrParams+i, ir.AttrReadNone):
			continue
		case callHasAttr(f, call, ir.AttrParams+i, ir.AttrReadOnly), callHasAttr(f, call, ir.AttrParams+i, ir.AttrByVal):
			access = Ref
		case callHasAttr(f, call, ir.AttrParams+i, ir.AttrWriteOnly):
			access = Mod
		}
		if r|access == r || a.m.IsVector(f.TypeOf(o.Value)) {
			if a.m.IsVector(f.TypeOf(o.Value)) {
				r |= access
			}
			continue
		}
		if a.Alias(a.ArgLocation(call, i), l) != NoAlias {
			r |= access
		}
	}
	return r & allowed
}

// ArgLocation returns the memory that a call may access through pointer
// argument i. The location is exact for intrinsics that copy or set memory and
// intrinsics with a size.
func (a *Alias) ArgLocation(call ir.Value, i int) Location {
	f := a.f
	l := Location{Ptr: f.Operand(call, i), Size: AnySize}
	if f.HasAttachments(call) {
		l.TBAA, l.Scope, l.NoAlias = f.Attachment(call, ir.MDTBAA), f.Attachment(call, ir.MDAliasScope), f.Attachment(call, ir.MDNoAlias)
	}
	size := -1 // operand that holds the size in bytes
	switch f.CalledIntrinsic(call) {
	case ir.IntrMemcpy, ir.IntrMemcpyInline, ir.IntrMemmove, ir.IntrMemset, ir.IntrMemsetInline:
		size = 2
		l.Size = UnknownSize
	case ir.IntrInvariantStart:
		size = 0
	case ir.IntrLifetimeStart, ir.IntrLifetimeEnd:
		if n, ok := a.objectSize(UnderlyingObject(f, l.Ptr)); ok {
			l.Size = n
		}
	}
	if size >= 0 {
		if n, ok := a.m.IntValue(f.Operand(call, size)); ok && n < AnySize {
			l.Size = n
		}
	}
	return l
}
