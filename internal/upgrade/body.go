package upgrade

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// body upgrades the instructions and attributes of a function.
func (u *Upgrader) body(f *ir.Function) {
	m := u.m
	set := m.AttrsAt(f.Attributes, ir.AttrFunction)
	unsafe, has := m.StringAttr(set, "amdgpu-unsafe-fp-atomics")
	if has {
		u.dropAttr(f, "amdgpu-unsafe-fp-atomics")
	}
	strict := m.HasAttr(set, ir.AttrStrictFP)
	u.look()
	if u.strip {
		u.stripGlobal(f.Global)
	}
	if unsafe != "true" && !f.MayAttach(u.isOld) && (!u.strip || !f.HasDebugInfo()) && (strict || !u.strictfp) && !u.oldAttrs {
		return // nothing to upgrade in the body
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if u.strip {
				u.stripInstr(f, v)
			}
			if f.HasAttachments(v) {
				u.attachments(f, v)
			}
			switch f.Op(v) {
			case ir.OpAtomicRMW:
				if unsafe == "true" && f.RMWOp(v).IsFloat() {
					u.unsafeAtomic(f, v)
				}
			case ir.OpCall, ir.OpInvoke, ir.OpCallBr:
				u.callAttrs(f, v)
				if !strict && f.CallAttrs(v) != 0 {
					u.notStrict(f, v)
				}
			}
		}
	}
}

// look checks the attribute sets added since the last call for strictfp and old
// attributes.
func (u *Upgrader) look() {
	m := u.m
	for ; u.sets < m.NumAttrSets(); u.sets++ {
		s := ir.AttrSet(u.sets)
		u.strictfp = u.strictfp || m.HasAttr(s, ir.AttrStrictFP)
		u.oldAttrs = u.oldAttrs || slices.ContainsFunc(m.Attrs(s), u.isOldAttr)
	}
}

// calls upgrades the calls of old intrinsic functions.
func (u *Upgrader) calls(f *ir.Function) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v, next := f.First(b), ir.None; v != ir.None; v = next {
			next = f.Next(v)
			if !f.Op(v).IsCall() {
				continue
			}
			if old := u.old[f.Callee(v)]; old != nil {
				old.call(call{f, v})
			}
		}
	}
}

// isOld reports whether an attachment may need to be upgraded or removed.
func (u *Upgrader) isOld(a ir.Attachment) bool {
	switch a.Kind {
	case ir.MDTBAA:
		if a.Node == u.present {
			return false
		}
		if !isOldTBAA(u.m, a.Node) {
			u.present = a.Node
			return false
		}
		return true
	case ir.MDLoop:
		return true
	}
	return u.strip && (a.Kind == ir.MDAssignID || a.Kind == u.heapAlloc)
}

func (u *Upgrader) attachments(f *ir.Function, v ir.Value) {
	for _, row := range [...]struct {
		kind ir.MDKind
		fn   func(m *ir.Module, md ir.Metadata) ir.Metadata
	}{{ir.MDTBAA, tbaa}, {ir.MDLoop, loopNode}} {
		if md := f.Attachment(v, row.kind); md != 0 {
			if to := row.fn(u.m, md); to != md {
				f.SetAttachment(v, row.kind, to)
			}
		}
	}
}

// dropAttr removes a string attribute from a function.
func (u *Upgrader) dropAttr(f *ir.Function, key string) {
	m := u.m
	var kept []ir.Attr
	for _, a := range m.Attrs(m.AttrsAt(f.Attributes, ir.AttrFunction)) {
		if a.Kind != ir.AttrString || m.Str(a.Key) != key {
			kept = append(kept, a)
		}
	}
	f.Attributes = m.WithAttrsAt(f.Attributes, ir.AttrFunction, m.AttrSet(kept))
}

// unsafeAtomic attaches metadata equivalent to the attribute
// amdgpu-unsafe-fp-atomics to an operation.
func (u *Upgrader) unsafeAtomic(f *ir.Function, v ir.Value) {
	empty := u.m.NewTuple()
	for _, kind := range [...]string{"amdgpu.no.fine.grained.host.memory", "amdgpu.no.remote.memory.access", "amdgpu.ignore.denormal.mode"} {
		f.SetAttachment(v, u.m.MDKind(kind), empty)
	}
}

// notStrict replaces strictfp by nobuiltin on a call in a function that is not
// strictfp.
func (u *Upgrader) notStrict(f *ir.Function, v ir.Value) {
	m := u.m
	list := f.CallAttrs(v)
	set := m.AttrsAt(list, ir.AttrFunction)
	if !m.HasAttr(set, ir.AttrStrictFP) || f.CalledIntrinsic(v) != ir.NoIntrinsic {
		return
	}
	set = m.AddAttr(m.RemoveAttr(set, ir.AttrStrictFP), ir.Attr{Kind: ir.AttrNoBuiltin})
	f.SetCallAttrs(v, m.WithAttrsAt(list, ir.AttrFunction, set))
}
