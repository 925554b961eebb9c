package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

func rank(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Operand(0).Type
	if isUnranked(t) {
		l.Replace(o, newUnranked(l, t, l.Operand(o, 0)).rank())
		return nil
	}
	l.Replace(o, l.IndexInt(int64(len(t.Shape))))
	return nil
}

// dim converts memref.dim. An index that is not known selects among the sizes.
func dim(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Operand(0).Type
	if isUnranked(t) {
		u := newUnranked(l, t, l.Operand(o, 0))
		l.Replace(o, u.size(l.Operand(o, 1)))
		return nil
	}
	m := l.MemRefOperand(o, 0)
	if i, ok := knownIndex(o.Operand(1)); ok && i >= 0 && i < int64(len(t.Shape)) {
		l.Replace(o, m.Size(int(i)))
		return nil
	}
	at := l.Operand(o, 1)
	v := m.Size(0)
	for i := 1; i < len(t.Shape); i++ {
		is := l.Emit("llvm.icmp", l.Context.Integer(1), tollvm.Values(at, l.IndexInt(int64(i))), tollvm.Named("predicate", l.Context.I64Attr(0)))
		v = l.Emit("llvm.select", v.Type, tollvm.Values(is, m.Size(i), v))
	}
	l.Replace(o, v)
	return nil
}

// knownIndex returns the value of a constant, whether it has been converted or not.
func knownIndex(v *mlir.Value) (n int64, ok bool) {
	for v.Op != nil && v.Op.Name == rewrite.CastName {
		v = v.Op.Operand(0)
	}
	if v.Op == nil {
		return 0, false
	}
	switch v.Op.Name {
	case "arith.constant", "index.constant", "llvm.mlir.constant":
		a := v.Op.Attr("value")
		return a.Int, a.Kind == mlir.IntegerAttr && a.Big == nil
	}
	return 0, false
}
