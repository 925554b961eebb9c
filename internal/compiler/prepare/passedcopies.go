package prepare

import "github.com/gfx-toolchain/gfx/ir"

// passCopies copies byval arguments of graphics functions, which
// get the address of the argument in a register. A function may change the
// memory, so its caller copies it; LLVM passes the address of the original. The
// attribute is removed.
func (x *variadicExpander) passCopies(f *ir.Function) bool {
	x.F, x.work = f, x.work[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v).IsCall() && isGraphicsFunc(f.CallConv(v)) && x.withoutCopies(f.CallAttrs(v), len(f.Args(v))) != f.CallAttrs(v) {
				x.work = append(x.work, v)
			}
		}
	}
	for _, v := range x.work {
		x.copyArguments(v)
	}
	changed := len(x.work) > 0
	if isGraphicsFunc(f.CC) {
		own := x.withoutCopies(f.Attributes, f.NumArgs())
		changed = changed || own != f.Attributes
		f.Attributes = own
	}
	return changed
}

// isGraphicsFunc reports whether functions of a calling convention get the
// addresses of byval arguments.
func isGraphicsFunc(cc ir.CallConv) bool {
	return cc == ir.CCAMDGPUGfx || cc == ir.CCAMDGPUGfxWholeWave
}

// withoutCopies returns the attributes of a function or call with n arguments
// without byval.
func (x *variadicExpander) withoutCopies(l ir.AttrList, n int) ir.AttrList {
	for i := range n {
		if set := x.M.AttrsAt(l, ir.AttrParams+i); x.M.HasAttr(set, ir.AttrByVal) {
			l = x.M.WithAttrsAt(l, ir.AttrParams+i, x.M.RemoveAttr(set, ir.AttrByVal))
		}
	}
	return l
}

// copyArguments copies the byval arguments of a call to memory of the function.
// For a tail call, which releases this memory, it copies them from there to the
// function's own arguments of the same types.
func (x *variadicExpander) copyArguments(v ir.Value) {
	f, m := x.F, x.M
	must := f.TailKind(v) == ir.MustTail
	var owned []int
	for i, a := range f.Args(v) {
		set := m.AttrsAt(f.CallAttrs(v), ir.AttrParams+i)
		t, ok := m.Attr(set, ir.AttrByVal)
		if !ok || must && a.Value == f.Arg(i) {
			continue
		}
		align, known := m.ABIAlign(t.Type), uint32(1)
		if a, ok := m.Attr(set, ir.AttrAlign); ok {
			align, known = uint32(a.Int), uint32(a.Int)
		}
		x.Before(f.FirstNonPhi(f.Entry()))
		slot := x.Alloca(t.Type, align)
		x.Before(v)
		x.copyBytes(slot, a.Value, t.Type, known)
		f.SetOperand(v, i, x.Cast(ir.OpAddrSpaceCast, slot, f.TypeOf(a.Value), 0))
		owned = append(owned, i)
	}
	if must {
		for _, i := range owned {
			t, _ := m.Attr(m.AttrsAt(f.CallAttrs(v), ir.AttrParams+i), ir.AttrByVal)
			x.Before(v)
			x.copyBytes(f.Arg(i), f.Args(v)[i].Value, t.Type, 1)
			f.SetOperand(v, i, f.Arg(i))
		}
	} else if f.TailKind(v) == ir.Tail {
		f.SetTailKind(v, ir.NoMarker)
	}
	f.SetCallAttrs(v, x.withoutCopies(f.CallAttrs(v), len(f.Args(v))))
}

// copyBytes copies a value of a type between addresses with an alignment in
// bytes.
func (x *variadicExpander) copyBytes(to, from ir.Value, t ir.Type, align uint32) {
	m := x.M
	fn := m.DeclareIntrinsic(ir.IntrMemcpy, x.F.TypeOf(to), x.F.TypeOf(from), ir.I64)
	call := x.Call(fn, to, from, m.NewInt(ir.I64, m.AllocSize(t)), m.NewBool(false))
	if align > 1 {
		set := m.AttrSet([]ir.Attr{{Kind: ir.AttrAlign, Int: uint64(align)}})
		x.F.SetCallAttrs(call, m.AttrList([]ir.AttrSet{0, 0, set, set}))
	}
}
