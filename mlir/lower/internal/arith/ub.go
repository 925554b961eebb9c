package arith

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// UBToLLVM converts the operations of dialect ub.
func UBToLLVM() []tollvm.Row {
	return []tollvm.Row{
		{Op: "ub.poison", To: "llvm.mlir.poison", Run: poison},
		{Op: "ub.unreachable", To: "llvm.unreachable", Run: unreachable},
	}
}

// poison converts ub.poison, which has no other value than its default one.
func poison(l *tollvm.Lowering, o *mlir.Op, to string) error {
	t := l.Convert(o.Result(0).Type)
	if a := o.Attr("value"); t == nil || a != nil && a.Text != "poison" {
		return rewrite.ErrNoMatch
	}
	l.Replace(o, l.Emit(to, t, nil))
	return nil
}

func unreachable(l *tollvm.Lowering, o *mlir.Op, to string) error {
	l.EmitVoid(to, nil)
	o.Erase()
	return nil
}
