package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// inliner replaces calls by copies of the called functions. It is reused
// between calls.
type inliner struct {
	m      *ir.Module
	f      *ir.Function // the caller
	callee *ir.Function
	call   ir.Value
	mp     ir.Mapper

	// tail marker of the current call
	tail     ir.TailKind
	nounwind bool
	token    ir.Value // token of the call's convergencectrl bundle, or None
	first    ir.Block // copy of the callee's entry
	last     ir.Block // last copied block
	allocas  []ir.Value
	returns  []ir.Value
	dynamic  bool // some copied allocas are dynamic and remain in place

	byVals []byValCopy
	calls  []ir.Value // calls in the copy, in order

	lines  lineMapper
	scopes scopeMapper
}

// byValCopy is a copy of a byval argument.
type byValCopy struct {
	slot, from ir.Value
	align      uint32 // alignment of from
}

// inline replaces a call by a copy of the called function. It returns "", or
// the reason why it cannot; in that case nothing is changed.
func (in *inliner) inline(f *ir.Function, call ir.Value) string {
	in.f, in.m, in.call = f, f.Module(), call
	in.callee = f.CalledFunction(call)
	if reason := in.refuse(); reason != "" {
		return reason
	}
	in.start()
	in.mapArguments()
	in.lines.start(f, call, in.callee)
	in.scopes.start(in)
	before := f.Parent(call)
	after := f.SplitBlock(call)
	in.copyBody(before, after)
	in.fixCopies()
	in.moveAllocas()
	in.fillByVals()
	in.markLifetimes()
	in.saveStack()
	in.scopes.finish(in)
	in.join(before, after)
	return ""
}

func (in *inliner) start() {
	f, call := in.f, in.call
	in.tail = f.TailKind(call)
	in.nounwind = analysis.CallHas(f, call, ir.AttrNoUnwind)
	in.allocas, in.returns, in.calls = in.allocas[:0], in.returns[:0], in.calls[:0]
	in.byVals = in.byVals[:0]
	in.dynamic = false
	in.mp.Values = Sized(in.mp.Values, in.callee.NumValues())
	in.mp.Blocks = Sized(in.mp.Blocks, in.callee.NumBlocks())
	in.mp.Metadata = nil
}

// refuse returns the reason why a call cannot be inlined, or "".
func (in *inliner) refuse() string {
	f, c, call := in.f, in.callee, in.call
	switch {
	case f.Op(call) != ir.OpCall:
		return f.Op(call).String() + " is not inlined"
	case c == nil:
		return "indirect call"
	case c.IsDeclaration():
		return "callee has no body in this module"
	case c == f:
		return "recursive call"
	case f.CallType(call) != c.Global.Type:
		return "call type differs from the function type"
	case in.m.TypeInfo(c.Global.Type).VarArg:
		return "varargs"
	case c.CC.IsEntry() || c.CC.IsChain():
		return "callee is an entry point"
	case c.GC != "" && f.GC != "" && c.GC != f.GC:
		return "incompatible GC"
	case c.Personality != ir.None && f.Personality != ir.None && c.Personality != f.Personality:
		return "incompatible personality"
	case fnAttr(c, ir.AttrStrictFP) != fnAttr(f, ir.AttrStrictFP):
		return "strictfp in only one of caller and callee"
	}
	if reason := in.refuseBundles(); reason != "" {
		return reason
	}
	return in.refuseBody()
}

// refuseBundles checks the operand bundles of the call.
func (in *inliner) refuseBundles() string {
	in.token = ir.None
	for _, b := range in.f.Bundles(in.call) {
		switch name := in.m.BundleTagName(b.Tag); name {
		case "convergencectrl":
			in.token = in.f.Operand(in.call, int(b.First))
		default:
			return "operand bundle '" + name + "'"
		}
	}
	return ""
}

// notInlined lists the intrinsics that depend on the frame of their function.
var notInlined = lazy.Value[map[ir.Intrinsic]string]{Make: func() map[ir.Intrinsic]string {
	return map[ir.Intrinsic]string{
		ir.IntrVaStart:           "callee uses llvm.va_start",
		ir.IntrLocalescape:       "callee uses llvm.localescape",
		ir.IntrIcallBranchFunnel: "callee uses llvm.icall.branch.funnel",

		ir.IntrExperimentalDeoptimize: "callee uses llvm.experimental.deoptimize", // its result must be returned by the function
	}
}}

// refuseBody checks the instructions of the callee.
func (in *inliner) refuseBody() string {
	c := in.callee
	for b := c.Entry(); b != 0; b = c.NextBlock(b) {
		for v := c.First(b); v != ir.None; v = c.Next(v) {
			switch op := c.Op(v); {
			case op == ir.OpIndirectBr || op == ir.OpCallBr || op == ir.OpInvoke || op.IsPad() || op == ir.OpResume:
				return "callee contains " + op.String()
			case op == ir.OpCall:
				if reason := in.refuseCall(v); reason != "" {
					return reason
				}
			}
		}
	}
	return ""
}

func (in *inliner) refuseCall(v ir.Value) string {
	c := in.callee
	g := c.CalledFunction(v)
	switch {
	case g == c:
		return "callee is recursive"
	case g == nil:
		return ""
	case g.Intrinsic == ir.IntrExperimentalConvergenceEntry && in.token == ir.None && analysis.CallHas(in.f, in.call, ir.AttrConvergent):
		return "convergent call needs convergencectrl operand"
	case g.Intrinsic != ir.NoIntrinsic:
		return notInlined.Get()[g.Intrinsic]
	case analysis.CallHas(c, v, ir.AttrReturnsTwice) && !fnAttr(c, ir.AttrReturnsTwice):
		return "callee exposes returns_twice"
	}
	return ""
}

// mapArguments records the values that replace the arguments.
func (in *inliner) mapArguments() {
	f, m := in.f, in.m
	for i, n := 0, in.callee.NumArgs(); i < n; i++ {
		v := f.Operand(in.call, i)
		set := m.AttrsAt(f.CallAttrs(in.call), ir.AttrParams+i)
		if !m.HasAttr(set, ir.AttrByVal) {
			set = m.AttrsAt(in.callee.Attributes, ir.AttrParams+i)
		}
		if a, ok := m.Attr(set, ir.AttrByVal); ok {
			v = in.copyByVal(v, a.Type, set)
		}
		in.mp.Values[in.callee.Arg(i)] = v
	}
}

// copyByVal creates the copy of a byval argument that the callee may change.
func (in *inliner) copyByVal(v ir.Value, t ir.Type, set ir.AttrSet) ir.Value {
	f, m := in.f, in.m
	align := uint32(1)
	if a, ok := m.Attr(set, ir.AttrAlign); ok {
		align = uint32(a.Int)
	}
	if a, ok := m.Attr(m.AttrsAt(in.callee.Attributes, ir.AttrFunction), ir.AttrMemory); ok && !ir.MemoryEffects(a.Int).Writes() && align <= 1 {
		return v
	}
	var b ir.Builder
	b.F = f
	b.Before(f.First(f.Entry()))
	b.Loc = 0
	slot := b.Alloca(t, max(align, m.PrefAlign(t)))
	in.byVals = append(in.byVals, byValCopy{slot, v, align})
	b.Before(in.call)
	return b.Cast(ir.OpAddrSpaceCast, slot, f.TypeOf(v), 0)
}

// fillByVals copies the byval arguments at the start of the copy.
func (in *inliner) fillByVals() {
	f, m := in.f, in.m
	var b ir.Builder
	b.F = f
	b.Before(f.First(in.first))
	for _, c := range in.byVals {
		fn := m.DeclareIntrinsic(ir.IntrMemcpy, f.TypeOf(c.slot), f.TypeOf(c.from), ir.I64)
		n := m.NewInt(ir.I64, m.AllocSize(f.AllocatedType(c.slot)))
		call := b.Call(fn, c.slot, c.from, n, m.NewBool(false))
		f.SetCallAttrs(call, alignAttrs(m, f.Align(c.slot), c.align))
		in.allocas = append(in.allocas, c.slot)
	}
}

// copyBody copies the blocks of the callee between two blocks of the caller.
func (in *inliner) copyBody(before, after ir.Block) {
	f := in.f
	if in.lines.active || in.scopes.cloning {
		in.mp.Metadata = in.mapMetadata
	}
	tail := f.LastBlock()
	in.first = f.CopyBody(in.callee, &in.mp)
	in.mergeLines()
	in.last = before
	for b := f.NextBlock(tail); b != 0; {
		next := f.NextBlock(b)
		f.MoveBlockAfter(b, in.last)
		in.last, b = b, next
	}
	f.SetName(after.Value(), []byte(in.callee.Name()+".exit"))
}

// mergeLines merges each copied block with its only successor if it is that
// block's only predecessor. The copy is at the end of the function.
func (in *inliner) mergeLines() {
	f := in.f
	for b := in.first; b != 0; {
		t := f.Terminator(b)
		if f.Op(t) != ir.OpBr || f.NumOperands(t) != 1 {
			b = f.NextBlock(b)
			continue
		}
		next := f.Operand(t, 0).Block()
		if next == b || f.SinglePred(next) == 0 {
			b = f.NextBlock(b)
			continue
		}
		for v := f.First(next); f.Op(v) == ir.OpPhi; v = f.First(next) {
			x, _ := f.Incoming(v, 0)
			f.ReplaceUses(v, x)
			f.Erase(v)
		}
		f.MoveRecords(t, f.First(next))
		f.Erase(t)
		f.MergeBlock(b, next)
	}
}

func (in *inliner) mapMetadata(md ir.Metadata) ir.Metadata {
	if in.m.NodeKind(md) == ir.NodeLocation {
		return in.lines.location(in.m, md)
	}
	if in.scopes.cloning {
		return in.scopes.clone(in.m, md)
	}
	return md
}

// fixCopies adapts the copied instructions to the caller, and records the
// allocas, calls and returns to process.
func (in *inliner) fixCopies() {
	f := in.f
	for b := in.first; ; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			in.fixCopy(b, v)
			v = next
		}
		if b == in.last {
			return
		}
	}
}

func (in *inliner) fixCopy(b ir.Block, v ir.Value) {
	f := in.f
	op := f.Op(v)
	in.lines.fix(f, v, op == ir.OpAlloca)
	in.lines.dropLost(f, v)
	switch op {
	case ir.OpAlloca:
		if _, constant := in.m.IntValue(f.Operand(v, 0)); b == in.first && constant && !f.MemInfo(v).InAlloca {
			in.allocas = append(in.allocas, v)
		} else {
			in.dynamic = true
		}
	case ir.OpCall:
		in.fixCall(v)
	case ir.OpRet:
		p := f.Prev(v)
		if p != ir.None && f.Op(p) == ir.OpCall && f.TailKind(p) == ir.MustTail {
			return // the call is musttail too, so the return remains
		}
		in.returns = append(in.returns, v)
	}
}

// fixCall sets the tail marker and attributes of a copied call in the caller.
func (in *inliner) fixCall(v ir.Value) {
	f, m := in.f, in.m
	if in.token != ir.None && f.CalledIntrinsic(v) == ir.IntrExperimentalConvergenceEntry {
		f.ReplaceUses(v, in.token)
		f.Erase(v)
		return
	}
	if kind := f.TailKind(v); kind != ir.NoTail {
		f.SetTailKind(v, min(kind, in.tail))
	}
	if in.nounwind && !analysis.CallHas(f, v, ir.AttrNoUnwind) {
		l := f.CallAttrs(v)
		set := m.AddAttr(m.AttrsAt(l, ir.AttrFunction), ir.Attr{Kind: ir.AttrNoUnwind})
		f.SetCallAttrs(v, m.WithAttrsAt(l, ir.AttrFunction, set))
	}
	in.calls = append(in.calls, v)
}

// moveAllocas moves the allocas of constant size to the start of the caller.
func (in *inliner) moveAllocas() {
	f := in.f
	at := f.First(f.Entry())
	n := 0
	for _, v := range in.allocas {
		if !f.HasUses(v) {
			f.Erase(v)
			continue
		}
		f.MoveBefore(v, at)
		in.allocas[n] = v
		n++
	}
	in.allocas = in.allocas[:n]
}

// markLifetimes marks the allocas as live from the start of the copy to its
// ends.
func (in *inliner) markLifetimes() {
	f, m := in.f, in.m
	var b ir.Builder
	b.F = f
	begin := f.First(in.first)
	for _, v := range in.allocas {
		if f.MemInfo(v).SwiftErr || hasLifetime(f, v) || m.AllocSize(f.AllocatedType(v)) == 0 {
			continue
		}
		b.Before(begin)
		b.Call(m.DeclareIntrinsic(ir.IntrLifetimeStart, f.TypeOf(v)), v)
		end := m.DeclareIntrinsic(ir.IntrLifetimeEnd, f.TypeOf(v))
		for _, r := range in.returns {
			b.Before(r)
			b.Call(end, v)
		}
	}
}

// hasLifetime reports whether an alloca has lifetime markers.
func hasLifetime(f *ir.Function, v ir.Value) bool {
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if id := f.CalledIntrinsic(f.User(u)); id == ir.IntrLifetimeStart || id == ir.IntrLifetimeEnd {
			return true
		}
	}
	return false
}

// saveStack releases the stack of the copy's dynamic allocas at the ends of the
// copy.
func (in *inliner) saveStack() {
	if !in.dynamic {
		return
	}
	f, m := in.f, in.m
	t := m.PtrType(m.Layout().AllocaAddrSpace)
	var b ir.Builder
	b.F = f
	b.Before(f.First(in.first))
	saved := b.Call(m.DeclareIntrinsic(ir.IntrStacksave, t))
	f.SetName(saved, []byte("savedstack"))
	restore := m.DeclareIntrinsic(ir.IntrStackrestore, t)
	for _, r := range in.returns {
		b.Before(r)
		b.Call(restore, saved)
	}
}

// join replaces the call by the copy: before branches to its first block, and
// its returns branch to after.
func (in *inliner) join(before, after ir.Block) {
	f := in.f
	f.Erase(f.Terminator(before))
	result := in.result(after)
	if f.HasUses(in.call) {
		f.ReplaceUses(in.call, result)
	} else if result != ir.None && f.FirstRecordUse(in.call) != 0 {
		f.ReplaceUses(in.call, result)
	}
	f.MoveRecords(in.call, f.First(in.first))
	f.Erase(in.call)
	oneReturn := len(in.returns) == 1
	for _, r := range in.returns {
		b := f.Parent(r)
		if oneReturn {
			f.MoveRecords(r, f.First(after))
			f.Erase(r)
			f.MergeBlock(b, after)
			continue
		}
		var bd ir.Builder
		bd.F = f
		bd.Before(r)
		bd.Br(after)
		f.Erase(r)
	}
	if in.tail == ir.MustTail && f.FirstPred(after) == 0 {
		EraseDeadBlock(f, after)
	}
	f.MergeBlock(before, in.first)
}

// result returns the value of the call: the operand of the only return, or a
// phi in after.
func (in *inliner) result(after ir.Block) ir.Value {
	f := in.f
	t := f.TypeOf(in.call)
	switch {
	case t == ir.Void:
		return ir.None
	case len(in.returns) == 0:
		return in.m.Poison(t)
	}
	v := f.Operand(in.returns[0], 0)
	same := true
	for _, r := range in.returns {
		same = same && f.Operand(r, 0) == v
	}
	if v == in.call { // in unreachable code
		v = in.m.Poison(t)
	}
	if len(in.returns) == 1 || same && !v.IsLocal() {
		return v
	}
	phi := f.NewInstr(ir.OpPhi, t)
	for _, r := range in.returns {
		f.AddIncoming(phi, f.Operand(r, 0), f.Parent(r))
	}
	f.Prepend(after, phi)
	if name := f.NameOf(in.call); name != nil {
		f.SetName(phi, name)
	}
	return phi
}
