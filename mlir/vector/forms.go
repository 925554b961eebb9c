package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

func parseOuterProduct(p *mlir.Parser, s *mlir.OpState) error {
	uses, err := p.Operands()
	if err == nil {
		err = p.OptionalAttrDict(s)
	}
	if err != nil {
		return err
	}
	l, err := p.ColonType()
	if err == nil {
		err = p.Literal(",")
	}
	if err != nil {
		return err
	}
	r, err := p.Type()
	switch {
	case err != nil:
		return err
	case len(uses) < 2:
		return p.Errorf(s.Pos, "expected at least 2 operands")
	case l.Kind != mlir.VectorKind || len(l.Shape) == 0:
		return p.Errorf(s.Pos, "expected vector type for operand #1")
	}
	c := p.Context
	t := c.VectorType(l.Shape[:1], firstScalable(l), l.Elem)
	if r.Kind == mlir.VectorKind && len(r.Shape) > 0 {
		scalable := append(scalableDims(l)[:1:1], scalableDims(r)[0])
		t = c.VectorType([]int64{l.Shape[0], r.Shape[0]}, orNil(scalable), l.Elem)
	}
	s.Types = []*mlir.Type{t}
	if s.Attr("kind") == nil {
		s.SetAttr("kind", addKind(c))
	}
	types := []*mlir.Type{l, r, t}
	for i, u := range uses[:min(len(uses), len(types))] {
		if err := p.ResolveSame(s, []mlir.Operand{u}, types[i]); err != nil {
			return err
		}
	}
	return nil
}

// addKind is the kind of combination by default.
func addKind(c *mlir.Context) *mlir.Attr {
	e := c.Enum("vector", "kind")
	v, _ := e.Case("add")
	return c.EnumAttr(e, v)
}

// scalableDims returns for each size whether it is scalable.
func scalableDims(t *mlir.Type) []bool {
	if t.Scalable != nil {
		return t.Scalable
	}
	return make([]bool, len(t.Shape))
}

func firstScalable(t *mlir.Type) []bool { return orNil(scalableDims(t)[:1]) }

// orNil returns nil if no size is scalable.
func orNil(list []bool) []bool {
	if slices.Contains(list, true) {
		return list
	}
	return nil
}

func printOuterProduct(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operands(o.Operands)
	if len(o.Operands) > 2 {
		p.OptionalAttrDict(o)
	}
	p.Str(" : ")
	p.UseTypes(o.Operands[:2])
}

// contractAttrs are the attributes that vector.contract has before its operands.
var contractAttrs = [...]string{"indexing_maps", "iterator_types", "kind"}

func parseContract(p *mlir.Parser, s *mlir.OpState) error {
	pos := p.Pos()
	dict, err := p.Attr()
	if err != nil {
		return err
	}
	if dict.Kind != mlir.DictAttr {
		return p.Errorf(pos, "invalid kind of attribute specified")
	}
	uses, err := p.Operands()
	if err == nil {
		err = p.OptionalAttrDict(s)
	}
	if err != nil {
		return err
	}
	if len(uses) != 3 {
		return p.Errorf(pos, "%d operands present, but expected 3", len(uses))
	}
	types, err := p.ColonTypes()
	if err == nil {
		err = p.Literal("into")
	}
	if err != nil {
		return err
	}
	t, err := p.Type()
	if err != nil {
		return err
	}
	if len(types) != 2 {
		return p.Errorf(pos, "%d types present, but expected 2", len(types))
	}
	for i, want := range []*mlir.Type{types[0], types[1], t} {
		if err := p.ResolveSame(s, uses[i:i+1], want); err != nil {
			return err
		}
	}
	s.Types = []*mlir.Type{t}
	for _, a := range dict.Dict {
		s.SetAttr(a.Name, a.Attr)
	}
	return iteratorTypes(p, s, pos)
}

// iteratorTypes replaces the names of kinds of loops by attributes, and sets the
// kind of combination.
func iteratorTypes(p *mlir.Parser, s *mlir.OpState, pos int32) error {
	c := p.Context
	a := s.Attr("iterator_types")
	if a == nil || a.Kind != mlir.ArrayAttr {
		return p.Errorf(pos, "expected iterator_types array attribute")
	}
	e := c.Enum("vector", "iterator_type")
	list := make([]*mlir.Attr, 0, len(a.List))
	for _, word := range a.List {
		v, ok := e.Case(word.Text)
		if word.Kind != mlir.StringAttr || !ok {
			return p.Errorf(pos, "unexpected iterator_type (%s)", word.Text)
		}
		list = append(list, c.EnumAttr(e, v))
	}
	s.SetAttr("iterator_types", c.Array(list...))
	if s.Attr("kind") == nil {
		s.SetAttr("kind", addKind(c))
	}
	return nil
}

func printContract(p *mlir.Printer, o *mlir.Op) {
	var list []mlir.NamedAttr
	for _, name := range contractAttrs {
		a := o.Attr(name)
		if a != nil && name == "iterator_types" {
			a = p.Words(a)
		}
		if a != nil {
			list = append(list, mlir.NamedAttr{Name: name, Attr: a})
		}
	}
	p.AttrDict(list)
	p.Str(" ")
	p.Operands(o.Operands)
	p.OptionalAttrDict(o, contractAttrs[:]...)
	p.Str(" : ")
	p.UseTypes(o.Operands[:2])
	p.Str(" into ")
	p.Type(o.Result(0).Type)
}

func parseMask(p *mlir.Parser, s *mlir.OpState) error {
	uses := make([]mlir.Operand, 1, 2)
	var err error
	if uses[0], err = p.Operand(); err != nil {
		return err
	}
	if p.OptionalLiteral(",") {
		u, err := p.Operand()
		if err != nil {
			return err
		}
		uses = append(uses, u)
	}
	r, err := p.Region(s)
	if err == nil {
		yieldMasked(r)
		err = p.OptionalAttrDict(s)
	}
	if err != nil {
		return err
	}
	t, err := p.ColonType()
	if err != nil {
		return err
	}
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if err := p.ResolveSame(s, uses[:1], t); err != nil || len(uses) == 1 {
		return err
	}
	if len(s.Types) == 0 {
		return p.Errorf(s.Pos, "expects a result if passthru operand is provided")
	}
	return p.ResolveSame(s, uses[1:], s.Types[0])
}

// yieldMasked makes the terminator that the reader added yield the results of the
// masked operation.
func yieldMasked(r *mlir.Region) {
	b := r.Entry()
	first, last := b.First(), b.Last()
	if first == last || first.Next() != last || last.Name != "vector.yield" || len(last.Operands) > 0 {
		return
	}
	last.SetOperands(first.Results...)
}

func printMask(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operands(o.Operands)
	p.Str(" { ")
	if b := o.Regions[0].Entry(); b != nil && b.First() != nil {
		p.OpAlone(b.First())
	}
	p.Str(" }")
	p.OptionalAttrDict(o)
	p.Str(" : ")
	p.Type(o.Operand(0).Type)
	if len(o.Results) > 0 {
		p.Str(" -> ")
		p.ValueTypes(o.Results)
	}
}

func parseWarp(p *mlir.Parser, s *mlir.OpState) error {
	lane, err := p.OperandList('(', false)
	if err != nil {
		return err
	}
	if len(lane) != 1 {
		return p.Errorf(s.Pos, "expected one lane")
	}
	if err := p.Literal("["); err != nil {
		return err
	}
	n, err := p.Integer()
	if err == nil {
		err = p.Literal("]")
	}
	if err == nil {
		s.SetAttr("warp_size", p.Context.I64Attr(n))
		err = p.ResolveSame(s, lane, p.Context.Index())
	}
	if err == nil && p.OptionalLiteral("args") {
		err = parseWarpArgs(p, s)
	}
	if err != nil {
		return err
	}
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if _, err := p.Region(s); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

// parseWarpArgs reads "(%a, %b : t, u)".
func parseWarpArgs(p *mlir.Parser, s *mlir.OpState) error {
	if err := p.Literal("("); err != nil {
		return err
	}
	pos := p.Pos()
	uses, err := p.Operands()
	if err != nil {
		return err
	}
	types, err := p.ColonTypes()
	if err == nil {
		err = p.Literal(")")
	}
	if err != nil {
		return err
	}
	return p.ResolveAll(s, pos, uses, types)
}

func printWarp(p *mlir.Printer, o *mlir.Op) {
	p.Str("(")
	p.Operand(o.Operand(0))
	p.Str(")[")
	p.Int(o.Attr("warp_size").Int)
	p.Str("]")
	if args := o.Operands[1:]; len(args) > 0 {
		p.Str(" args(")
		p.Operands(args)
		p.Str(" : ")
		p.UseTypes(args)
		p.Str(")")
	}
	results := len(o.Results) > 0
	if results {
		p.Str(" -> (")
		p.ValueTypes(o.Results)
		p.Str(")")
	}
	p.Str(" ")
	p.Region(o.Regions[0], true, results, false)
	p.OptionalAttrDict(o, "warp_size")
}

// shuffleType has one element, or row, for each index of the mask.
func shuffleType(c *mlir.Context, s *mlir.OpState) ([]*mlir.Type, error) {
	t := s.Operands[0].Type
	shape := []int64{int64(s.Attr("mask").NumElements())}
	if len(t.Shape) > 1 {
		shape = append(shape, t.Shape[1:]...)
	}
	return []*mlir.Type{c.VectorType(shape, nil, t.Elem)}, nil
}

func vscaleName(*mlir.Op, int) string { return "vscale" }
