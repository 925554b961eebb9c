package bitcode

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// Bits of the calling convention operand of calls.
const (
	callTail       = 1 << 0
	callConvShift  = 1
	callMustTail   = 1 << 14
	callExplicit   = 1 << 15
	callNoTail     = 1 << 16
	callFast       = 1 << 17
	invokeExplicit = 1 << 13
	convMask       = uint64(ir.MaxCallConv)
)

// callee reads the callee and pushes it onto the operands. explicit reports
// that the record contains the function type.
func (b *body) callee(explicit bool) (t ir.Type, tid uint32) {
	if explicit {
		t, tid = b.popType()
	}
	ct, ctid := b.pushPair()
	b.wantPtr(ct)
	if !explicit {
		t, tid = b.pointee(ctid, "call")
	}
	if b.m.Kind(t) != ir.KindFunc {
		b.fail("type of the callee is not a function type")
	}
	return t, tid
}

// args reads the arguments and moves the callee after them. It returns the type
// numbers of the arguments.
func (b *body) args(t ir.Type, tid uint32) []uint32 {
	info := b.m.TypeInfo(t)
	var tids []uint32
	for i, pt := range info.Elems {
		ptid := b.sub(tid, i+1)
		if b.typed {
			tids = append(tids, ptid)
		}
		if pt == ir.Label {
			b.push(b.target(b.pop()))
		} else {
			b.pushTyped(pt, ptid)
		}
	}
	if b.more() && !info.VarArg {
		b.fail("call has more arguments than the function has parameters")
	}
	for b.more() {
		_, atid := b.pushPair()
		if b.typed {
			tids = append(tids, atid)
		}
	}
	return tids
}

// operandBundle: tag, values. It belongs to the next call.
func (b *body) operandBundle() {
	n := b.pop()
	if n >= uint64(len(b.tags)) {
		b.fail("reference to operand bundle tag %d, but only %d exist", n, len(b.tags))
	}
	for b.more() {
		b.pushValueOrMetadata()
	}
	b.bundles = append(b.bundles, bundle{b.tags[n], append([]ir.Value(nil), b.ops...), append([]uint32(nil), b.fwd...)})
}

// bundleMetadata marks metadata among the values of a bundle.
const bundleMetadata = 0x80000000

func (b *body) pushValueOrMetadata() {
	if b.rec[b.at] == bundleMetadata {
		b.at++
		b.pushMetadata(b.id(b.pop()))
		return
	}
	b.pushPair()
}

// pushBundles adds the operands of bundles after the arguments and returns
// their ranges.
func (b *body) pushBundles() []ir.Bundle {
	if b.bundles == nil {
		return nil
	}
	list := make([]ir.Bundle, len(b.bundles))
	for i, u := range b.bundles {
		list[i] = ir.Bundle{Tag: u.tag, First: uint32(len(b.ops)), N: uint32(len(u.ops))}
		b.ops, b.fwd = append(b.ops, u.ops...), append(b.fwd, u.fwd...)
		for _, id := range u.fwd {
			b.late = b.late || id != 0
		}
	}
	b.bundles = nil
	return list
}

// addCall creates a call, invoke or callbr. The callee is the first operand on
// entry; blocks are added after the other operands.
func (b *body) addCall(op ir.Op, t ir.Type, tid uint32, cc uint64, attrs uint64, blocks []ir.Value) {
	tids := b.args(t, tid)
	b.moveOp(0, len(b.ops)-1)
	last := len(b.ops) - 1
	callee, late := b.ops[last], b.fwd[last]
	b.ops, b.fwd = b.ops[:last], b.fwd[:last]
	bundles := b.pushBundles()
	for _, to := range blocks {
		b.push(to)
	}
	b.ops, b.fwd = append(b.ops, callee), append(b.fwd, late)
	list := b.attrsFor(attrs, func(param int) (ir.Type, uint32) {
		if param >= len(tids) {
			b.fail("attribute of parameter %d has no type", param)
		}
		return b.pointee(tids[param], "attribute")
	})
	if a := b.m.Asm(callee); a != nil && b.typed {
		list = b.withElementTypes(list, ir.IndirectArgs(a.Constraints), tids)
	}
	result := b.m.TypeInfo(t).Elem
	b.createInstr(op, result, b.sub(tid, 0)).X = uint32(t)
	v := b.last()
	b.f.SetCallConv(v, ir.CallConv(cc&convMask))
	b.f.SetCallAttrs(v, list)
	b.f.SetBundles(v, bundles)
}

// withElementTypes adds elementtype to inline assembly arguments that are
// addresses. LLVM before 14 does not write it.
func (b *body) withElementTypes(list ir.AttrList, args []int, tids []uint32) ir.AttrList {
	for _, i := range args {
		place := ir.AttrParams + i
		set := b.m.AttrsAt(list, place)
		if i >= len(tids) || b.m.HasAttr(set, ir.AttrElementType) {
			continue
		}
		to := b.sub(tids[i], 0)
		if to == noTid {
			continue
		}
		set = b.m.AddAttr(set, ir.Attr{Kind: ir.AttrElementType, Type: b.typ(uint64(to))})
		list = b.m.WithAttrsAt(list, place, set)
	}
	return list
}

// call: attributes, convention and flags [, fast-math flags] [, function type], callee, arguments.
func (b *body) call() {
	attrs, cc := b.pop(), b.pop()
	fast := ir.Flags(0)
	if cc&callFast != 0 {
		fast = fastFlags(b.pop())
	}
	t, tid := b.callee(cc&callExplicit != 0)
	b.addCall(ir.OpCall, t, tid, cc&(1<<11-1)>>callConvShift, attrs, nil)
	v := b.last()
	if fast != 0 && !b.m.IsFloatOrFloatVector(b.fastScalar(b.m.TypeInfo(t).Elem)) {
		b.fail("fast-math flags on a call without a floating-point result")
	}
	b.f.Instr(v).Flags = fast
	switch {
	case cc&callNoTail != 0:
		b.f.SetTailKind(v, ir.NoTail)
	case cc&callMustTail != 0:
		b.f.SetTailKind(v, ir.MustTail)
	case cc&callTail != 0:
		b.f.SetTailKind(v, ir.Tail)
	}
}

// fastScalar returns the element type of arrays and homogeneous structs, which
// allow fast-math flags as well.
func (b *body) fastScalar(t ir.Type) ir.Type {
	for b.m.Kind(t) == ir.KindArray {
		t = b.m.TypeInfo(t).Elem
	}
	if info := b.m.TypeInfo(t); info.Kind == ir.KindStruct && len(info.Elems) > 0 {
		return info.Elems[0]
	}
	return t
}

// invoke: attributes, convention and flags, normal block, unwind block [,
// function type], callee, arguments.
func (b *body) invoke() {
	attrs, cc := b.pop(), b.pop()
	blocks := []ir.Value{b.target(b.pop()), b.target(b.pop())}
	t, tid := b.callee(cc&invokeExplicit != 0)
	b.addCall(ir.OpInvoke, t, tid, cc, attrs, blocks)
}

// callBr: attributes, convention and flags, default block, number of blocks,
// blocks [, function type], callee, arguments.
func (b *body) callBr() {
	attrs, cc := b.pop(), b.pop()
	blocks := []ir.Value{b.target(b.pop())}
	for range b.pop() {
		blocks = append(blocks, b.target(b.pop()))
	}
	t, tid := b.callee(cc&callExplicit != 0)
	b.addCall(ir.OpCallBr, t, tid, cc&(1<<11-1)>>callConvShift, attrs, blocks)
}
