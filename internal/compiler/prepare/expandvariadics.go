package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// variadicExpander converts variadic functions and their calls.
type variadicExpander struct {
	emitter
	pointer ir.Type  // of the arguments in memory; a va_list has the same type
	memory  ir.Value // for the arguments of all calls of the current function
	work    []ir.Value
}

// slotAlign is the alignment of variable arguments in memory, in bytes.
const slotAlign = 4

// expandVariadics converts variadic functions to functions with one more
// parameter: the address of the variable arguments, which the caller stores in
// its private memory. Each argument starts at the next multiple of 4 bytes,
// whatever its type. A va_list is the address of the next argument. The pass also
// copies arguments for which a calling convention passes addresses.
//
// Source: LLVM 22's pass of the same name.
func expandVariadics(ctx *opt.Context, m *ir.Module) bool {
	x := opt.Scratch[variadicExpander](ctx)
	x.M, x.pointer = m, m.PtrType(0)
	changed := false
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.Func.Intrinsic != ir.NoIntrinsic {
			continue
		}
		variadic := m.TypeInfo(g.Type).VarArg
		if variadic {
			replaceFunction(m, g, x.typeWithPointer(g.Type), x.attributes(g.Func.Attributes, g.Type), copyBodyWithArgs)
			changed = true
		}
		if !g.Func.IsDeclaration() {
			changed = x.convertBody(g.Func, variadic) || changed
		}
		changed = x.passCopies(g.Func) || changed
	}
	return changed
}

// typeWithPointer returns the type of a variadic function after the
// conversion.
func (x *variadicExpander) typeWithPointer(t ir.Type) ir.Type {
	info := x.M.TypeInfo(t)
	params := append(append([]ir.Type(nil), info.Elems...), x.pointer)
	return x.M.FuncType(info.Elem, params, false)
}

// attributes returns the attributes of a function or call after the conversion
// of its type. It reads the arguments from memory.
func (x *variadicExpander) attributes(l ir.AttrList, t ir.Type) ir.AttrList {
	m := x.M
	sets := []ir.AttrSet{m.RemoveAttr(m.AttrsAt(l, ir.AttrFunction), ir.AttrMemory), m.AttrsAt(l, ir.AttrResult)}
	for i := range m.TypeInfo(t).Elems {
		sets = append(sets, m.AttrsAt(l, ir.AttrParams+i))
	}
	return m.AttrList(sets)
}

// copyBodyWithArgs copies the body of a function to one with additional
// parameters.
func copyBodyWithArgs(f, old *ir.Function) {
	mp := ir.NewMapper(old)
	for i := range old.NumArgs() {
		mp.Values[old.Arg(i)] = f.Arg(i)
		if name := old.NameOf(old.Arg(i)); name != nil {
			f.SetName(f.Arg(i), name)
		}
	}
	f.CopyBody(old, mp)
}

// convertBody converts calls and va_lists in a function. If the function was
// variadic, the address of its variable arguments is the last parameter.
func (x *variadicExpander) convertBody(f *ir.Function, variadic bool) bool {
	x.F, x.work, x.memory = f, x.work[:0], ir.None
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpVAArg || f.Op(v).IsCall() && x.concerns(v) {
				x.work = append(x.work, v)
			}
		}
	}
	x.allocateMemory()
	for _, v := range x.work {
		x.Before(v)
		switch f.CalledIntrinsic(v) {
		case ir.IntrVaStart:
			if !variadic {
				opt.Refuse(f, v, "llvm.va_start in a function without variable arguments")
			}
			x.Store(f.Arg(f.NumArgs()-1), f.Operand(v, 0), 0)
		case ir.IntrVaCopy:
			x.Store(x.Load(x.pointer, f.Operand(v, 1), 0), f.Operand(v, 0), 0)
		case ir.IntrVaEnd:
		default:
			if f.Op(v) == ir.OpVAArg {
				x.replace(v, x.nextArgument(f.Operand(v, 0), f.TypeOf(v)))
			} else {
				x.convertCall(v)
			}
		}
		f.Erase(v)
	}
	return len(x.work) > 0
}

// concerns reports whether a call changes.
func (x *variadicExpander) concerns(v ir.Value) bool {
	switch x.F.CalledIntrinsic(v) {
	case ir.NoIntrinsic:
		return x.M.TypeInfo(x.F.CallType(v)).VarArg && x.M.Asm(x.F.Callee(v)) == nil
	case ir.IntrVaStart, ir.IntrVaCopy, ir.IntrVaEnd:
		return true
	}
	return false
}

// nextArgument loads the next argument of a va_list and advances the list.
func (x *variadicExpander) nextArgument(list ir.Value, t ir.Type) ir.Value {
	at := x.Load(x.pointer, list, 0)
	x.Store(x.PtrAdd(at, x.M.NewInt(ir.I64, alignUp(x.M.AllocSize(t), slotAlign)), ir.InBounds), list, 0)
	return x.Load(t, at, slotAlign)
}

// allocateMemory allocates the memory for the arguments of calls. They share it:
// a callee that returns has read its arguments.
func (x *variadicExpander) allocateMemory() {
	f := x.F
	size := uint64(0)
	for _, v := range x.work {
		if f.Op(v).IsCall() && f.CalledIntrinsic(v) == ir.NoIntrinsic && f.TailKind(v) != ir.MustTail {
			size = max(size, x.frameSize(v), slotAlign)
		}
	}
	if size > 0 {
		b := ir.NewBuilder(f, f.Entry())
		b.Before(f.FirstNonPhi(f.Entry()))
		x.memory = b.Alloca(x.M.ArrayType(ir.I8, size), slotAlign)
	}
}

// frameSize returns the size of the variable arguments of a call in memory, in
// bytes.
func (x *variadicExpander) frameSize(v ir.Value) (n uint64) {
	for i := len(x.M.TypeInfo(x.F.CallType(v)).Elems); i < len(x.F.Args(v)); i++ {
		t, _ := x.argumentType(v, i)
		n = alignUp(n, slotAlign) + x.M.AllocSize(t)
	}
	return n
}

// argumentType returns the type of an argument of a call in memory, and whether
// the call passes the address of a value of this type.
func (x *variadicExpander) argumentType(v ir.Value, i int) (t ir.Type, byVal bool) {
	if a, ok := x.M.Attr(x.M.AttrsAt(x.F.CallAttrs(v), ir.AttrParams+i), ir.AttrByVal); ok {
		return a.Type, true
	}
	return x.F.TypeOf(x.F.Args(v)[i].Value), false
}

// convertCall stores the variable arguments of a call and passes their address.
func (x *variadicExpander) convertCall(v ir.Value) {
	f, m := x.F, x.M
	t := f.CallType(v)
	fixed := len(m.TypeInfo(t).Elems)
	var args []ir.Value
	for _, a := range f.Args(v) {
		args = append(args, a.Value)
	}
	if f.TailKind(v) == ir.MustTail { // passes on the arguments of the function itself
		args = append(args[:fixed], f.Arg(f.NumArgs()-1))
		n := callWith(&x.Builder, v, x.typeWithPointer(t), args, x.attributes(f.CallAttrs(v), t))
		if f.TypeOf(v) != ir.Void {
			x.replace(v, n)
		}
		return
	}
	offset := uint64(0)
	for i, a := range args[fixed:] {
		elem, byVal := x.argumentType(v, fixed+i)
		to := x.memory
		if offset = alignUp(offset, slotAlign); offset > 0 {
			to = x.PtrAdd(to, m.NewInt(ir.I32, offset), ir.InBounds)
		}
		x.storeArgument(a, to, elem, byVal)
		offset += m.AllocSize(elem)
	}
	args = append(args[:fixed], x.Cast(ir.OpAddrSpaceCast, x.memory, x.pointer, 0))
	n := callWith(&x.Builder, v, x.typeWithPointer(t), args, x.attributes(f.CallAttrs(v), t))
	if f.TailKind(n) == ir.Tail {
		f.SetTailKind(n, ir.NoMarker) // the callee reads the caller's memory
	}
	if f.TypeOf(v) != ir.Void {
		x.replace(v, n)
	}
}

// storeArgument stores an argument, or copies it from its address.
func (x *variadicExpander) storeArgument(a, to ir.Value, t ir.Type, byVal bool) {
	if !byVal {
		x.Store(a, to, slotAlign)
		return
	}
	x.copyBytes(to, a, t, 1)
}
