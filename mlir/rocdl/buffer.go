package rocdl

import "github.com/gfx-toolchain/gfx/mlir"

// Raw buffer operations have the operands data (unless they load), resource,
// offset, scalar offset and auxiliary; the text has the type of the data alone.

func parseLoad(p *mlir.Parser, s *mlir.OpState) error  { return parseBuffer(p, s, true) }
func parseStore(p *mlir.Parser, s *mlir.OpState) error { return parseBuffer(p, s, false) }

func parseBuffer(p *mlir.Parser, s *mlir.OpState, load bool) error {
	c := p.Context
	i32 := c.Integer(32)
	types := []*mlir.Type{c.Vector(i32, 4), i32, i32, i32}
	n := len(types)
	if !load {
		n++
	}
	pos := p.Pos()
	uses, err := p.Operands()
	if err != nil {
		return err
	}
	if len(uses) != n {
		return p.Errorf(pos, "expected %d operands", n)
	}
	t, err := p.ColonType()
	if err != nil {
		return err
	}
	if load {
		s.Types = []*mlir.Type{t}
	} else {
		types = append([]*mlir.Type{t}, types...)
	}
	return p.ResolveAll(s, s.Pos, uses, types)
}

func printLoad(p *mlir.Printer, o *mlir.Op) { printBuffer(p, o, o.Result(0).Type) }

func printStore(p *mlir.Printer, o *mlir.Op) { printBuffer(p, o, o.Operand(0).Type) }

func printBuffer(p *mlir.Printer, o *mlir.Op, t *mlir.Type) {
	p.Str(" ")
	p.Operands(o.Operands)
	p.Str(" : ")
	p.Type(t)
}
