package analysis

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// ObjectFinder finds the objects that pointers are derived from.
type ObjectFinder struct {
	Objects []ir.Value
	seen    []ir.Value
	work    []ir.Value
}

// MaxObjects bounds the number of values that are examined for one pointer.
const MaxObjects = 32

// Find adds the objects that a pointer may be derived from to o.Objects. It
// returns false if there are too many.
func (o *ObjectFinder) Find(f *ir.Function, p ir.Value) bool {
	o.work, o.seen = append(o.work[:0], p), o.seen[:0]
	for len(o.work) > 0 {
		v := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		if slices.Contains(o.seen, v) {
			continue
		}
		if len(o.seen) >= MaxObjects {
			return false
		}
		o.seen = append(o.seen, v)
		switch f.Op(v) {
		case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast, ir.OpFreeze:
			o.work = append(o.work, f.Operand(v, 0))
		case ir.OpSelect:
			o.work = append(o.work, f.Operand(v, 1), f.Operand(v, 2))
		case ir.OpPhi:
			for i := range f.NumIncoming(v) {
				x, _ := f.Incoming(v, i)
				o.work = append(o.work, x)
			}
		default:
			if base := BaseOfConst(f.Module(), v); !slices.Contains(o.Objects, base) {
				o.Objects = append(o.Objects, base)
			}
		}
	}
	return true
}

// BaseOfConst returns the global that a constant pointer is derived from, or
// the pointer itself.
func BaseOfConst(m *ir.Module, v ir.Value) ir.Value {
	for v.IsConst() && m.ConstKindOf(v) == ir.ConstExpr {
		switch c := m.Const(v); c.Op {
		case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast:
			v = m.ConstOperands(v)[0]
		default:
			return v
		}
	}
	return v
}

// AccessPointer returns the address that a memory operation accesses.
func AccessPointer(f *ir.Function, v ir.Value) ir.Value {
	if f.Op(v) == ir.OpStore {
		return f.Operand(v, 1)
	}
	return f.Operand(v, 0)
}
