// Package control converts control flow: cf and func to the LLVM dialect.
package control

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// CF converts the operations of dialect cf.
func CF() []tollvm.Row {
	return []tollvm.Row{
		{Op: "cf.br", To: "llvm.br", Run: branch},
		{Op: "cf.cond_br", To: "llvm.cond_br", Run: branch},
		{Op: "cf.switch", To: "llvm.switch", Run: branch},
	}
}

// branch replaces a terminator by one with the same attributes and successors,
// whose blocks get arguments of converted types.
func branch(l *tollvm.Lowering, o *mlir.Op, to string) error {
	for _, s := range o.Successors {
		for _, a := range s.Block.Args {
			t := l.Convert(a.Type)
			if t == nil {
				return mlir.OpErrorf("has a successor with an argument of type '%s', which has no LLVM type", a.Type)
			}
			l.RetypeArg(a, t)
		}
	}
	l.Create(mlir.OpState{Name: to, Operands: l.Operands(o), Attrs: o.Attrs, Successors: o.Successors})
	o.Erase()
	return nil
}
