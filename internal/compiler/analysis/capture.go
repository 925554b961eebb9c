package analysis

import "github.com/gfx-toolchain/gfx/ir"

// maxCaptureUses is the number of uses of a pointer that Captured examines
// (LLVM's capture-tracking-max-uses-to-explore).
const maxCaptureUses = 100

// Captured reports whether a pointer, or a pointer derived from it, may escape
// while the function runs: it is stored, passed to a call that keeps it, or
// converted to an integer. Returning it does not count.
func (a *Alias) Captured(v ir.Value) bool {
	if int(v) >= len(a.captured) {
		return a.findCapture(v)
	}
	if a.captured[v] == 0 {
		a.captured[v] = 1
		if a.findCapture(v) {
			a.captured[v] = 2
		}
	}
	return a.captured[v] == 2
}

func (a *Alias) findCapture(object ir.Value) bool {
	f := a.f
	work, seen := append(a.work[:0], object), append(a.seen[:0], object)
	captured := false
	uses := 0
	for len(work) > 0 && !captured {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for e := f.FirstUse(v); e != 0; e = f.NextUse(e) {
			if uses++; uses > maxCaptureUses {
				captured = true
				break
			}
			user := f.User(e)
			how := a.useCaptures(user, f.UseIndex(e), v)
			if how == useIsCapture {
				captured = true
				break
			}
			if how == useDerivesPointer && !containsValue(seen, user) {
				seen, work = append(seen, user), append(work, user)
			}
		}
	}
	a.work, a.seen = work, seen
	return captured
}

func containsValue(list []ir.Value, v ir.Value) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

type captureKind uint8

const (
	useIsHarmless captureKind = iota
	useDerivesPointer
	useIsCapture
)

// useCaptures classifies the use of pointer v as operand i of user.
func (a *Alias) useCaptures(user ir.Value, i int, v ir.Value) captureKind {
	f := a.f
	switch op := f.Op(user); op {
	case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast, ir.OpPhi, ir.OpSelect:
		return useDerivesPointer
	case ir.OpLoad, ir.OpVAArg:
		if op == ir.OpLoad && f.IsVolatile(user) {
			return useIsCapture
		}
		return useIsHarmless
	case ir.OpStore:
		if i == 0 || f.IsVolatile(user) {
			return useIsCapture
		}
		return useIsHarmless
	case ir.OpAtomicRMW, ir.OpCmpXchg:
		if i != 0 || f.IsVolatile(user) {
			return useIsCapture
		}
		return useIsHarmless
	case ir.OpRet, ir.OpICmp: // a comparison reveals the address, but not the means to access it
		return useIsHarmless
	case ir.OpCall, ir.OpInvoke:
		return a.callCaptures(user, i)
	}
	return useIsCapture
}

func (a *Alias) callCaptures(call ir.Value, i int) captureKind {
	f := a.f
	if i >= len(f.Args(call)) {
		if i == f.NumOperands(call)-1 {
			return useIsHarmless // called, not passed
		}
		return useIsCapture
	}
	switch f.CalledIntrinsic(call) {
	case ir.IntrLaunderInvariantGroup, ir.IntrStripInvariantGroup, ir.IntrPtrmask, ir.IntrAMDGCNAddrspacecastNonnull:
		return useDerivesPointer
	}
	e := a.CallEffects(call)
	if !e.Writes() && f.TypeOf(call) == ir.Void && callHasAttr(f, call, ir.AttrFunction, ir.AttrNoUnwind) &&
		callHasAttr(f, call, ir.AttrFunction, ir.AttrWillReturn) {
		return useIsHarmless // the callee has no means to pass the pointer on
	}
	if callHasAttr(f, call, ir.AttrParams+i, ir.AttrByVal) {
		return useIsHarmless
	}
	attr, ok := callAttr(f, call, ir.AttrParams+i, ir.AttrCaptures)
	if !ok {
		return useIsCapture
	}
	switch c := ir.Captures(attr.Int); {
	case c.Other()&^ir.CaptureAddress != 0:
		return useIsCapture
	case c.Result()&^ir.CaptureAddress != 0:
		return useDerivesPointer
	}
	return useIsHarmless
}
