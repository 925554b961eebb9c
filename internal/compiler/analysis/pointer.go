package analysis

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/ir"
)

// maxLookup is the maximum number of steps of the search for a pointer's
// object.
const maxLookup = 32

// ptrExpr is a uniform view of an instruction or constant expression that
// computes a pointer.
type ptrExpr struct {
	op     ir.Op
	flags  ir.Flags
	source ir.Type // getelementptr: source element type
	base   ir.Value
	v      ir.Value
	consts []ir.Value // operands of an expression
}

// pointerExpr returns the expression that computes a pointer; op is OpNone if
// it has no base.
func pointerExpr(f *ir.Function, v ir.Value) ptrExpr {
	if v.IsLocal() {
		switch op := f.Op(v); op {
		case ir.OpGetElementPtr:
			return ptrExpr{op: op, flags: f.Instr(v).Flags, source: f.GEPSource(v), base: f.Operand(v, 0), v: v}
		case ir.OpAddrSpaceCast, ir.OpBitCast:
			return ptrExpr{op: op, base: f.Operand(v, 0), v: v}
		}
		return ptrExpr{}
	}
	m := f.Module()
	if m.ConstKindOf(v) != ir.ConstExpr {
		return ptrExpr{}
	}
	switch c := m.Const(v); c.Op {
	case ir.OpGetElementPtr:
		source, flags, ops, _, _ := m.GEPExpr(v)
		return ptrExpr{op: c.Op, flags: flags, source: source, base: ops[0], v: v, consts: ops}
	case ir.OpAddrSpaceCast, ir.OpBitCast:
		return ptrExpr{op: c.Op, base: m.ConstOperands(v)[0], v: v}
	}
	return ptrExpr{}
}

// index returns operand i of a getelementptr, counted from the base. ok is
// false past the last operand.
func (e *ptrExpr) index(f *ir.Function, i int) (v ir.Value, ok bool) {
	if e.consts != nil {
		if i >= len(e.consts) {
			return ir.None, false
		}
		return e.consts[i], true
	}
	ops := f.Operands(e.v)
	if i >= len(ops) {
		return ir.None, false
	}
	return ops[i].Value, true
}

// offsets calls add for each part of a getelementptr offset in bytes: scale
// times an index, or scale alone if index is None. It returns false if an
// element type has no size.
func (e *ptrExpr) offsets(f *ir.Function, add func(scale int64, index ir.Value)) bool {
	m := f.Module()
	t := e.source
	for i := 1; ; i++ {
		x, ok := e.index(f, i)
		if !ok {
			return true
		}
		if i > 1 {
			if m.Kind(t) == ir.KindStruct {
				field, isConst := m.IntValue(x)
				if !isConst {
					if field, isConst = m.IntValue(m.SplatValue(x)); !isConst {
						return false
					}
				}
				add(int64(m.FieldOffset(t, int(field))), ir.None)
				t = m.ElementType(t, field)
				continue
			}
			t = m.ElementType(t, 0)
		}
		if !m.IsSized(t) {
			return false
		}
		scale := int64(m.AllocSize(t))
		if n, ok := m.SignedValue(x); ok {
			add(n*scale, ir.None)
		} else if scale != 0 && !(x.IsConst() && m.IsZero(x)) {
			add(scale, x)
		}
	}
}

// UnderlyingObject returns the object that a pointer points into. It follows
// getelementptr, address space casts, aliases and calls that return an
// argument. The result may be a phi or select, which can refer to several
// objects.
func UnderlyingObject(f *ir.Function, v ir.Value) ir.Value {
	m := f.Module()
	for range maxLookup {
		if e := pointerExpr(f, v); e.op != ir.OpNone {
			v = e.base
			continue
		}
		if v.IsLocal() && f.Op(v).IsCall() {
			if a := passedThrough(f, v); a != ir.None {
				v = a
				continue
			}
		}
		if g := m.ConstGlobal(v); g != nil && g.Kind == ir.GlobalAlias && !g.Linkage.IsInterposable() {
			v = g.Init
			continue
		}
		break
	}
	return v
}

// passedThrough returns the argument pointer that a call returns, possibly with
// a different address in the same object, or None.
func passedThrough(f *ir.Function, v ir.Value) ir.Value {
	switch f.CalledIntrinsic(v) {
	case ir.IntrLaunderInvariantGroup, ir.IntrStripInvariantGroup, ir.IntrPtrmask, ir.IntrAMDGCNAddrspacecastNonnull,
		ir.IntrThreadlocalAddress:
		return f.Operand(v, 0)
	}
	return returnedArg(f, v)
}

// ConstantOffset strips constant offsets from a pointer: v is base plus offset
// bytes. The offset wraps at the width of the pointer's index. Address space
// casts are followed only if through is set.
func ConstantOffset(f *ir.Function, v ir.Value, through bool) (base ir.Value, offset int64) {
	for range maxLookup {
		e := pointerExpr(f, v)
		switch e.op {
		case ir.OpBitCast:
		case ir.OpAddrSpaceCast:
			if !through {
				return v, offset
			}
		case ir.OpGetElementPtr:
			n, isConst := int64(0), true
			ok := e.offsets(f, func(scale int64, index ir.Value) {
				n += scale
				isConst = isConst && index == ir.None
			})
			if !ok || !isConst || f.Module().IsVector(f.TypeOf(v)) {
				return v, offset
			}
			offset = wrapIndex(f, v, offset+n)
		default:
			return v, offset
		}
		v = e.base
	}
	return v, offset
}

// wrapIndex sign-extends an offset from the width of a pointer's index.
func wrapIndex(f *ir.Function, ptr ir.Value, n int64) int64 {
	w := indexWidth(f, ptr)
	return n << (64 - w) >> (64 - w)
}

// indexWidth returns the width of a pointer's offsets, at most 64.
func indexWidth(f *ir.Function, ptr ir.Value) int {
	m := f.Module()
	return min(int(m.Layout().Pointer(m.AddrSpace(m.Scalar(f.TypeOf(ptr)))).IndexBits), 64)
}

// maxAlign is the largest valid alignment (LangRef: 1<<32).
const maxAlign = 1 << 32

// PointerAlign returns the known alignment of a pointer in bytes, a power of
// two.
func PointerAlign(f *ir.Function, v ir.Value) uint64 {
	align := uint64(maxAlign)
	for range maxLookup {
		e := pointerExpr(f, v)
		switch e.op {
		case ir.OpGetElementPtr:
			low := uint64(0)
			if !e.offsets(f, func(scale int64, _ ir.Value) { low |= uint64(scale) }) {
				return 1
			}
			if low != 0 {
				align = min(align, 1<<bits.TrailingZeros64(low))
			}
		case ir.OpNone:
			return min(align, objectAlign(f, v))
		case ir.OpAddrSpaceCast:
			if !sameAddress(f, e.base) || !sameAddress(f, v) { // null may be another number there
				return min(align, 1)
			}
		}
		v = e.base
	}
	return 1
}

// sameAddress reports whether addresses in a pointer's address space equal flat
// addresses.
func sameAddress(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	as := m.AddrSpace(m.Scalar(f.TypeOf(v)))
	return as == addrspace.Flat || as == addrspace.Global || as == addrspace.Constant
}

// objectAlign is PointerAlign for a pointer that is not derived from another
// one.
func objectAlign(f *ir.Function, v ir.Value) uint64 {
	m := f.Module()
	if v.IsConst() {
		if m.IsZero(v) {
			return maxAlign
		}
		if m.ConstKindOf(v) == ir.ConstExpr && m.Const(v).Op == ir.OpIntToPtr {
			if n, ok := m.IntValue(m.ConstOperands(v)[0]); ok && n != 0 {
				return min(n&-n, maxAlign)
			}
		}
		return globalAlign(m, m.ConstGlobal(v))
	}
	if !v.IsLocal() {
		return 1
	}
	switch f.Op(v) {
	case ir.OpAlloca:
		return max(uint64(f.Align(v)), 1)
	case ir.OpArg:
		return argAlign(f, v)
	case ir.OpLoad:
		if md := f.Attachment(v, ir.MDAlign); md != 0 {
			if ops := m.MDOperands(md); len(ops) == 1 {
				n, _ := m.MDInt(ops[0])
				return powerOr1(n)
			}
		}
	case ir.OpCall, ir.OpInvoke:
		if a, ok := callAttr(f, v, ir.AttrResult, ir.AttrAlign); ok {
			return powerOr1(a.Int)
		}
	}
	return 1
}

func powerOr1(n uint64) uint64 {
	if n == 0 || n&(n-1) != 0 {
		return 1
	}
	return n
}

func globalAlign(m *ir.Module, g *ir.Global) uint64 {
	switch {
	case g == nil || g.Kind != ir.GlobalVar:
		return 1
	case g.Align != 0:
		return uint64(g.Align)
	case m.IsSized(g.Type):
		return uint64(m.ABIAlign(g.Type))
	}
	return 1
}

func argAlign(f *ir.Function, v ir.Value) uint64 {
	m := f.Module()
	s := m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X))
	if a, ok := m.Attr(s, ir.AttrAlign); ok {
		return powerOr1(a.Int)
	}
	if a, ok := m.Attr(s, ir.AttrSRet); ok && m.IsSized(a.Type) {
		return uint64(m.ABIAlign(a.Type))
	}
	return 1
}
