package arith

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// constantName names constants by their value: c4, c-1_i32, true; others cst.
func constantName(o *mlir.Op, _ int) string {
	a := o.Attr("value")
	if a == nil || a.Kind != mlir.IntegerAttr {
		return "cst"
	}
	if a.IsBool() {
		return a.String()
	}
	name := "c" + a.Digits()
	if a.Type.Kind == mlir.IndexKind {
		return name
	}
	return name + "_" + a.Type.String()
}

// constantType is the type of the attribute. A string without a type, which is no constant, has none.
func constantType(c *mlir.Context, s *mlir.OpState) ([]*mlir.Type, error) {
	t := s.Attr("value").Type
	if t == nil {
		t = c.None()
	}
	return []*mlir.Type{t}, nil
}

func parseSelect(p *mlir.Parser, s *mlir.OpState) error {
	uses, err := p.Operands()
	if err != nil {
		return err
	}
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	pos := p.Pos()
	t, err := p.ColonType()
	if err != nil {
		return err
	}
	cond := p.Context.Integer(1)
	if p.OptionalLiteral(",") {
		cond = t
		if t, err = p.Type(); err != nil {
			return err
		}
	}
	if len(uses) != 3 {
		return p.Errorf(pos, "%d operands present, but expected 3", len(uses))
	}
	s.Types = []*mlir.Type{t}
	for i, want := range []*mlir.Type{cond, t, t} {
		v, err := p.Resolve(uses[i], want)
		if err != nil {
			return err
		}
		s.Operands = append(s.Operands, v)
	}
	return nil
}

func printSelect(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operands(o.Operands)
	p.OptionalAttrDict(o)
	p.Str(" : ")
	if cond := o.Operand(0).Type; cond.IsShaped() {
		p.Type(cond)
		p.Str(", ")
	}
	p.Type(o.Result(0).Type)
}
