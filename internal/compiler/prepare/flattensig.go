package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// signatureFlattener rewrites functions and calls so that each parameter and
// result occupies whole registers. The types then express the calling
// convention's splitting of values into several registers and the padding of
// partial registers.
type signatureFlattener struct {
	emitter
	f       *ir.Function
	types   map[ir.Type][]ir.Type // by type: how it is passed
	calls   []ir.Value
	results map[ir.Type]ir.Value // by type: memory in the current function for call results
	pairs   bool                 // two 16-bit elements share a register
	gpu     bool
	cc      ir.CallConv // of the current function or call
}

// flattenSignatures replaces parameters that are aggregates, or vectors whose
// elements have separate registers, by consecutive scalars. Vectors of 16, 32
// and 64-bit elements are kept. Such a result becomes a flat struct. Integers
// of odd widths are passed as i32 and i64. The calling convention assigns the
// same registers as before. Kernels and variadic functions keep their
// parameters.
func flattenSignatures(ctx *opt.Context, m *ir.Module) bool {
	x := opt.Scratch[signatureFlattener](ctx)
	x.M, x.types, x.results = m, map[ir.Type][]ir.Type{}, map[ir.Type]ir.Value{}
	x.gpu, x.pairs = isGPU(ctx, target.GFX6), isGPU(ctx, target.GFX8)
	changed := x.dropActiveParams()
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.Func.Intrinsic != ir.NoIntrinsic {
			continue
		}
		x.cc = g.Func.CC
		if !g.Func.CC.IsKernel() && x.concerns(g.Type) {
			replaceFunction(m, g, x.funcType(g.Type), x.attributes(g.Func.Attributes, g.Type), x.moveBody)
			changed = true
		}
		if !g.Func.IsDeclaration() {
			changed = x.function(g.Func) || changed
		}
	}
	return changed
}

// passed returns the types of the registers that pass a value of type t.
func (x *signatureFlattener) passed(t ir.Type) []ir.Type {
	list, known := x.types[t]
	if !known {
		list = x.addPassed(nil, t)
		x.types[t] = list
	}
	return list
}

func (x *signatureFlattener) addPassed(to []ir.Type, t ir.Type) []ir.Type {
	m := x.M
	switch {
	case m.IsAggregate(t):
		for i := range m.NumElements(t) {
			to = x.addPassed(to, m.ElementType(t, i))
		}
		return to
	case x.isScattered(t):
		step := x.sharing(t)
		for i := uint64(0); i < m.NumElements(t); i += step {
			switch bits := m.IntBits(m.Scalar(t)); {
			case min(step, m.NumElements(t)-i) > 1:
				to = append(to, m.VectorType(m.Scalar(t), step))
			case bits > 0 && bits <= wordBits:
				to = append(to, x.passedInt(m.Scalar(t)))
			default:
				to = x.addPassed(to, m.Scalar(t))
			}
		}
		return to
	case x.isFatVector(t):
		for range m.NumElements(t) {
			to = append(to, m.PtrType(addrspace.Resource))
		}
		for range m.NumElements(t) {
			to = append(to, ir.I32)
		}
		return to
	case isFat(m, t):
		return append(to, m.PtrType(addrspace.Resource), ir.I32)
	case x.isLong(t):
		for range m.IntBits(t) / wordBits {
			to = append(to, ir.I64)
		}
		return append(to, x.passedInt(m.IntType(m.IntBits(t)%wordBits)))
	case isOddInt(m, t) && t != ir.I8 && t != ir.I16:
		return append(to, x.passedInt(t))
	}
	return append(to, t)
}

// isLong reports whether a type is an integer of more than 64 bits that does not
// occupy whole words of 64 bits.
func (x *signatureFlattener) isLong(t ir.Type) bool {
	n := x.M.IntBits(t)
	return n > wordBits && n%wordBits != 0
}

// isFatVector reports whether a type is a vector of pointers to buffers, which
// is passed as all resources and then all offsets.
func (x *signatureFlattener) isFatVector(t ir.Type) bool {
	return x.M.IsVector(t) && isFat(x.M, x.M.Scalar(t))
}

// sharing returns the number of elements of a vector that share a register.
func (x *signatureFlattener) sharing(t ir.Type) uint64 {
	if x.pairs && x.M.SizeInBits(x.M.Scalar(t)) == 16 {
		return 2
	}
	return 1
}

// widestWhole is the number of registers of the widest vector that remains whole. The
// registers of a function may not have room for two wider ones.
const widestWhole = 32

// isScattered reports whether a type is a vector whose elements are passed
// separately: integers that each occupy a separate register, or the elements of
// a wide vector.
func (x *signatureFlattener) isScattered(t ir.Type) bool {
	m := x.M
	if !m.IsVector(t) || x.isFatVector(t) {
		return false
	}
	n := m.IntBits(m.Scalar(t))
	return n > 0 && n < 64 && n != 16 && n != 32 || x.isLong(m.Scalar(t)) || x.gpu && x.registers(t) > widestWhole
}

// passedInt returns the type that passes an integer whose register has padding
// bits.
func (x *signatureFlattener) passedInt(t ir.Type) ir.Type {
	if x.M.IntBits(t) <= 32 {
		return ir.I32
	}
	return ir.I64
}

// changes reports whether a type is passed as other types.
func (x *signatureFlattener) changes(t ir.Type) bool {
	if t == ir.Void {
		return false
	}
	list := x.passed(t)
	return len(list) != 1 || list[0] != t
}

// resultRegisters is the maximum number of registers for a result (user guide,
// "Non-Kernel Functions").
const resultRegisters = 32

// graphicsResultRegisters is the maximum for functions of the convention
// amdgpu_gfx.
const graphicsResultRegisters = 136

// inMemory reports whether a result of a type does not fit into registers.
func (x *signatureFlattener) inMemory(t ir.Type) bool {
	most := uint64(resultRegisters)
	if x.cc == ir.CCAMDGPUGfx {
		most = graphicsResultRegisters
	}
	return x.gpu && t != ir.Void && !x.cc.IsShader() && x.registers(t) > most
}

// registers returns the number of registers of a value of type t. It stops
// counting above the maximum.
func (x *signatureFlattener) registers(t ir.Type) (n uint64) {
	m := x.M
	if m.IsAggregate(t) {
		for i := range m.NumElements(t) {
			if n += x.registers(m.ElementType(t, i)); n > graphicsResultRegisters {
				break
			}
		}
		return n
	}
	elems := uint64(1)
	if m.IsVector(t) {
		elems = m.NumElements(t)
	}
	bits := m.SizeInBits(m.Scalar(t))
	if bits == 16 && m.IsVector(t) && x.pairs {
		return (elems + 1) / 2
	}
	return elems * max((bits+31)/32, 1)
}

// resultPtr returns the type of the address of a result in memory.
func (x *signatureFlattener) resultPtr() ir.Type { return x.M.PtrType(x.M.Layout().AllocaAddrSpace) }

// concerns reports whether a function type changes.
func (x *signatureFlattener) concerns(t ir.Type) bool {
	info := x.M.TypeInfo(t)
	if info.VarArg {
		return false
	}
	changes := x.inMemory(info.Elem) || x.changes(info.Elem) && x.result(info.Elem) != info.Elem
	for _, p := range info.Elems {
		changes = changes || x.changes(p)
	}
	return changes
}

// result returns the type of a result: void, one register, or a struct of
// several.
func (x *signatureFlattener) result(t ir.Type) ir.Type {
	if x.inMemory(t) {
		return ir.Void
	}
	if !x.changes(t) {
		return t
	}
	switch list := x.passed(t); len(list) {
	case 0:
		return ir.Void
	case 1:
		return list[0]
	default:
		return x.M.StructType(list, false)
	}
}

// funcType returns the type of a function with flat parameters.
func (x *signatureFlattener) funcType(t ir.Type) ir.Type {
	info := x.M.TypeInfo(t)
	var params []ir.Type
	if x.inMemory(info.Elem) {
		params = append(params, x.resultPtr())
	}
	for _, p := range info.Elems {
		params = append(params, x.passed(p)...)
	}
	return x.M.FuncType(x.result(info.Elem), params, false)
}

// attributes returns the attributes of a function or call with flat parameters.
func (x *signatureFlattener) attributes(l ir.AttrList, t ir.Type) ir.AttrList {
	m := x.M
	info := m.TypeInfo(t)
	sets := []ir.AttrSet{m.AttrsAt(l, ir.AttrFunction), m.AttrsAt(l, ir.AttrResult)}
	if x.changes(info.Elem) || x.inMemory(info.Elem) {
		sets[ir.AttrResult] = 0
	}
	if x.inMemory(info.Elem) {
		sets[ir.AttrFunction] = m.RemoveAttr(sets[ir.AttrFunction], ir.AttrMemory) // the function writes the result to memory
		sets = append(sets, 0)
	}
	for i, p := range info.Elems {
		set := m.AttrsAt(l, ir.AttrParams+i)
		if x.changes(p) {
			inReg := m.HasAttr(set, ir.AttrInReg)
			if set = 0; inReg {
				set = m.AddAttr(0, ir.Attr{Kind: ir.AttrInReg})
			}
		}
		for range x.passed(p) {
			sets = append(sets, set)
		}
	}
	return m.AttrList(sets)
}

// moveBody copies the body of a function to one with flat parameters and
// rebuilds the old parameters at its start. Results are unchanged; function
// flattens them.
func (x *signatureFlattener) moveBody(f, old *ir.Function) {
	mp := ir.NewMapper(old)
	var stands []ir.Value
	first := 0 // first of the original arguments
	if x.inMemory(old.ReturnType()) {
		first = 1
	}
	next := first
	for i := range old.NumArgs() {
		a := old.Arg(i)
		t := old.TypeOf(a)
		n := len(x.passed(t))
		if x.changes(t) {
			mp.Values[a] = f.NewInstr(ir.OpFreeze, t, x.M.Poison(t))
			stands = append(stands, mp.Values[a])
		} else {
			mp.Values[a] = f.Arg(next)
			if name := old.NameOf(a); name != nil {
				f.SetName(f.Arg(next), name)
			}
		}
		next += n
	}
	f.CopyBody(old, mp)
	x.f, x.F = f, f
	next = first
	for i := range old.NumArgs() {
		t := old.TypeOf(old.Arg(i))
		n := len(x.passed(t))
		if x.changes(t) {
			parts := make([]ir.Value, n)
			for j := range parts {
				parts[j] = f.Arg(next + j)
			}
			x.Before(f.FirstNonPhi(f.Entry()))
			x.Loc = 0
			f.ReplaceUses(stands[0], x.join(t, &parts))
			f.Erase(stands[0])
			stands = stands[1:]
		}
		next += n
	}
}

// join builds a value of type t from its parts and removes them from the list.
func (x *signatureFlattener) join(t ir.Type, parts *[]ir.Value) ir.Value {
	m := x.M
	take := func(t ir.Type) ir.Value {
		p := (*parts)[0]
		*parts = (*parts)[1:]
		if x.f.TypeOf(p) != t && m.IntBits(t) < m.IntBits(x.f.TypeOf(p)) {
			p = x.FoldCast(ir.OpTrunc, p, t)
		}
		return p
	}
	switch {
	case m.IsAggregate(t):
		v := m.Poison(t)
		for i := range m.NumElements(t) {
			v = x.InsertValue(v, x.join(m.ElementType(t, i), parts), uint32(i))
		}
		return v
	case x.isScattered(t):
		return x.joinElements(t, parts)
	case x.isFatVector(t):
		n := int(m.NumElements(t))
		v, list := m.Poison(t), *parts
		for i := range n {
			base := x.FoldCast(ir.OpAddrSpaceCast, list[i], m.Scalar(t))
			v = x.InsertElement(v, x.PtrAdd(base, list[n+i], 0), m.NewInt(ir.I32, uint64(i)))
		}
		*parts = list[2*n:]
		return v
	case isFat(m, t):
		base := x.FoldCast(ir.OpAddrSpaceCast, take(m.PtrType(addrspace.Resource)), t)
		return x.PtrAdd(base, take(ir.I32), 0)
	case x.isLong(t):
		v := x.FoldCast(ir.OpZExt, take(ir.I64), t)
		for at := uint64(wordBits); at < uint64(m.IntBits(t)); at += wordBits {
			v = x.Op(ir.OpOr, v, x.Op(ir.OpShl, x.FoldCast(ir.OpZExt, take(ir.I64), t), m.NewInt(t, at)))
		}
		return v
	}
	return take(t)
}

// joinElements builds a vector from its parts and removes them from the list.
func (x *signatureFlattener) joinElements(t ir.Type, parts *[]ir.Value) ir.Value {
	m := x.M
	v := m.Poison(t)
	for i := uint64(0); i < m.NumElements(t); {
		p := (*parts)[0]
		if pt := x.f.TypeOf(p); !m.IsVector(pt) {
			v = x.InsertElement(v, x.join(m.Scalar(t), parts), m.NewInt(ir.I32, i))
			i++
			continue
		}
		*parts = (*parts)[1:]
		for k := range m.NumElements(x.f.TypeOf(p)) {
			v = x.InsertElement(v, x.ExtractElement(p, m.NewInt(ir.I32, k)), m.NewInt(ir.I32, i))
			i++
		}
	}
	return v
}

// split appends the parts that pass a value. Integers are extended as specified
// by an attribute.
func (x *signatureFlattener) split(to []ir.Value, v ir.Value, extend ir.Op) []ir.Value {
	f, m := x.f, x.M
	t := f.TypeOf(v)
	widen := func(v ir.Value) ir.Value {
		if t := f.TypeOf(v); m.IsInt(t) && m.IntBits(t) < 64 {
			return x.FoldCast(extend, v, x.passedInt(t))
		}
		return v
	}
	switch {
	case m.IsAggregate(t):
		for i := range m.NumElements(t) {
			var e ir.Value
			if v.IsConst() {
				e = m.Element(v, i)
			} else {
				e = x.ExtractValue(v, uint32(i))
			}
			to = x.split(to, e, extend)
		}
		return to
	case x.isScattered(t):
		return x.splitElements(to, v, extend)
	case x.isFatVector(t):
		var offsets []ir.Value
		for i := range m.NumElements(t) {
			e := x.ExtractElement(v, m.NewInt(ir.I32, i))
			to = append(to, x.Make(ir.OpAddrSpaceCast, m.PtrType(addrspace.Resource), e))
			offsets = append(offsets, x.Make(ir.OpPtrToInt, ir.I32, e))
		}
		return append(to, offsets...)
	case x.isLong(t):
		whole := m.IntType((m.IntBits(t) + 31) / 32 * 32)
		v = x.FoldCast(extend, v, whole)
		for i, p := range x.passed(t) {
			to = append(to, x.FoldCast(ir.OpTrunc, x.Op(ir.OpLShr, v, m.NewInt(whole, uint64(i*wordBits))), p))
		}
		return to
	case isFat(m, t):
		return append(to, x.Make(ir.OpAddrSpaceCast, m.PtrType(addrspace.Resource), v), x.Make(ir.OpPtrToInt, ir.I32, v))
	case x.changes(t):
		return append(to, widen(v))
	}
	return append(to, v)
}

// splitElements appends the parts that pass a vector.
func (x *signatureFlattener) splitElements(to []ir.Value, v ir.Value, extend ir.Op) []ir.Value {
	m := x.M
	t := x.f.TypeOf(v)
	at := uint64(0)
	for at < m.NumElements(t) {
		e := x.ExtractElement(v, m.NewInt(ir.I32, at))
		if step := min(x.sharing(t), m.NumElements(t)-at); step > 1 {
			pair := x.InsertElement(m.Poison(m.VectorType(m.Scalar(t), step)), e, m.NewInt(ir.I32, 0))
			to = append(to, x.InsertElement(pair, x.ExtractElement(v, m.NewInt(ir.I32, at+1)), m.NewInt(ir.I32, 1)))
			at += step
			continue
		}
		if bits := m.IntBits(m.Scalar(t)); bits > 0 && bits <= wordBits {
			e = x.FoldCast(extend, e, x.passedInt(m.Scalar(t)))
			to = append(to, e)
		} else {
			to = x.split(to, e, extend)
		}
		at++
	}
	return to
}

// function flattens the calls and returns of a function.
func (x *signatureFlattener) function(f *ir.Function) bool {
	x.f, x.F = f, f
	x.calls = x.calls[:0]
	clear(x.results)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch f.Op(v) {
			case ir.OpCall:
				x.cc = f.CallConv(v)
				if f.CalledIntrinsic(v) == ir.NoIntrinsic && x.M.Asm(f.Callee(v)) == nil && x.concerns(f.CallType(v)) {
					x.calls = append(x.calls, v)
				}
			case ir.OpRet:
				if f.NumOperands(v) > 0 && f.TypeOf(f.Operand(v, 0)) != f.ReturnType() {
					x.calls = append(x.calls, v)
				}
			}
		}
	}
	for _, v := range x.calls {
		switch f.Op(v) {
		case ir.OpRet:
			x.cc = f.CC
			x.Before(v)
			x.ret(v)
		case ir.OpCall:
			x.cc = f.CallConv(v)
			x.Before(v)
			x.call(v)
		}
	}
	return len(x.calls) > 0
}

// ret returns a flat result.
func (x *signatureFlattener) ret(v ir.Value) {
	f := x.f
	if r := f.Operand(v, 0); x.inMemory(f.TypeOf(r)) {
		x.Store(r, f.Arg(0), 0)
		x.Ret(ir.None)
		f.Erase(v)
		return
	}
	parts := x.split(nil, f.Operand(v, 0), ir.OpZExt)
	switch t := f.ReturnType(); {
	case t == ir.Void:
		x.Ret(ir.None)
	case len(parts) == 1:
		x.Ret(parts[0])
	default:
		sum := x.M.Poison(t)
		for i, p := range parts {
			sum = x.InsertValue(sum, p, uint32(i))
		}
		x.Ret(sum)
	}
	f.Erase(v)
}

// call flattens a call.
func (x *signatureFlattener) call(v ir.Value) {
	f, m := x.f, x.M
	t := f.CallType(v)
	args := append([]ir.Operand(nil), f.Args(v)...)
	var ops []ir.Value
	result := m.TypeInfo(t).Elem
	if x.inMemory(result) {
		ops = append(ops, x.resultMemory(v, result))
	}
	for i, o := range args {
		extend := ir.OpZExt
		if m.HasAttr(m.AttrsAt(f.CallAttrs(v), ir.AttrParams+i), ir.AttrSignExt) {
			extend = ir.OpSExt
		}
		ops = x.split(ops, o.Value, extend)
	}
	n := callWith(&x.Builder, v, x.funcType(t), ops, x.attributes(f.CallAttrs(v), t))
	if x.inMemory(result) && !isLast(f, n) {
		f.SetTailKind(n, ir.NoTail)
	}
	x.finishCall(v, n, result)
}

// isLast reports whether a call is a musttail call, whose result is the
// caller's result.
func isLast(f *ir.Function, v ir.Value) bool { return f.TailKind(v) == ir.MustTail || IsTailCall(f, v) }

// resultMemory returns the address of memory for the result of a call. Calls
// can share it, because results are loaded immediately.
func (x *signatureFlattener) resultMemory(v ir.Value, t ir.Type) ir.Value {
	f := x.f
	if isLast(f, v) {
		return f.Arg(0)
	}
	if _, known := x.results[t]; !known {
		b := ir.NewBuilder(f, f.Entry())
		b.Before(f.FirstNonPhi(f.Entry()))
		x.results[t] = b.Alloca(t, 0)
	}
	return x.results[t]
}

// finishCall replaces the uses of a call with the result of the flat call.
func (x *signatureFlattener) finishCall(v, n ir.Value, t ir.Type) {
	f := x.f
	if ret := f.Next(v); isLast(f, v) && f.Op(ret) == ir.OpRet && x.result(t) != t {
		// the result of a musttail call is returned unchanged
		if f.TypeOf(n) == ir.Void {
			x.Ret(ir.None)
		} else {
			x.Ret(n)
		}
		f.Erase(ret)
		f.Erase(v)
		return
	}
	switch {
	case t == ir.Void:
	case x.inMemory(t):
		x.replace(v, x.Load(t, f.Operand(n, 0), 0))
	case !x.changes(t):
		x.replace(v, n)
	default:
		var parts []ir.Value
		switch k := len(x.passed(t)); k {
		case 0:
		case 1:
			parts = []ir.Value{n}
		default:
			for i := range k {
				parts = append(parts, x.ExtractValue(n, uint32(i)))
			}
		}
		x.replace(v, x.join(t, &parts))
	}
	f.Erase(v)
}
