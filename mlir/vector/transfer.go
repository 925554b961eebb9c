package vector

import "github.com/gfx-toolchain/gfx/mlir"

// A transfer is the custom form of transfer_read or transfer_write while it is
// read: a shaped value in memory or registers, indices, and a vector.
type transfer struct {
	base    mlir.Operand
	indices []mlir.Operand
	mask    []mlir.Operand // one or none

	typesPos       int32
	shaped, vector *mlir.Type
	perm           *mlir.AffineMap
}

func (t *transfer) parseBase(p *mlir.Parser) (err error) {
	if t.base, err = p.Operand(); err != nil {
		return err
	}
	t.indices, err = p.OperandList('[', false)
	return err
}

// parseRest reads the mask, the attributes and the types; the vector's follows
// first if vectorFirst is set.
func (t *transfer) parseRest(p *mlir.Parser, s *mlir.OpState, vectorFirst bool) error {
	if p.OptionalLiteral(",") {
		u, err := p.Operand()
		if err != nil {
			return err
		}
		t.mask = []mlir.Operand{u}
	}
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	t.typesPos = p.Pos()
	types, err := p.ColonTypes()
	if err != nil {
		return err
	}
	if len(types) != 2 {
		return p.Errorf(t.typesPos, "requires two types")
	}
	t.shaped, t.vector = types[0], types[1]
	if vectorFirst {
		t.vector, t.shaped = types[0], types[1]
		if t.vector.Kind != mlir.VectorKind {
			return p.Errorf(t.typesPos, "requires vector type")
		}
	}
	if t.shaped.Kind != mlir.MemRefKind && t.shaped.Kind != mlir.TensorKind {
		return p.Errorf(t.typesPos, "requires memref or ranked tensor type")
	}
	if t.vector.Kind != mlir.VectorKind {
		return p.Errorf(t.typesPos, "requires vector type")
	}
	return t.setAttrs(p, s)
}

// setAttrs sets the attributes that the text may omit.
func (t *transfer) setAttrs(p *mlir.Parser, s *mlir.OpState) error {
	c := p.Context
	if a := s.Attr("permutation_map"); a != nil && a.Kind == mlir.AffineMapAttr {
		t.perm = a.Map
	} else {
		rank := len(t.vector.Shape) - elementRank(t.shaped)
		zero := len(t.shaped.Shape) == 0 && rank == 1 && t.vector.Shape[0] == 1
		if len(t.shaped.Shape) < rank && !zero {
			return p.Errorf(t.typesPos, "expected a custom permutation_map when rank(source) != rank(destination)")
		}
		t.perm = minorIdentity(len(t.shaped.Shape), rank)
		if zero {
			t.perm = &mlir.AffineMap{Results: []*mlir.Expr{mlir.Const(0)}}
		}
		s.SetAttr("permutation_map", c.MapAttr(t.perm))
	}
	if s.Attr("in_bounds") == nil {
		list := make([]*mlir.Attr, len(t.perm.Results))
		for i := range list {
			list[i] = c.Bool(false)
		}
		s.SetAttr("in_bounds", c.Array(list...))
	}
	return nil
}

// elementRank is the rank of the elements, if these are vectors.
func elementRank(t *mlir.Type) int {
	if t.Elem.Kind == mlir.VectorKind {
		return len(t.Elem.Shape)
	}
	return 0
}

// minorIdentity returns the map of dims dimensions to the last of them.
func minorIdentity(dims, results int) *mlir.AffineMap {
	m := &mlir.AffineMap{Dims: dims}
	for i := range max(results, 0) {
		m.Results = append(m.Results, mlir.Dim(dims-results+i))
	}
	return m
}

// resolveMask adds the mask, whose type follows from the map and the vector.
func (t *transfer) resolveMask(p *mlir.Parser, s *mlir.OpState) error {
	if len(t.mask) == 0 {
		return nil
	}
	if t.shaped.Elem.Kind == mlir.VectorKind {
		return p.Errorf(t.mask[0].Pos, "does not support masks with vector element type")
	}
	if len(t.vector.Shape) != len(t.perm.Results) {
		return p.Errorf(t.typesPos, "expected the same rank for the vector and the results of the permutation map")
	}
	return p.ResolveSame(s, t.mask, maskType(p.Context, t.vector, t.perm))
}

// maskType has the sizes of the vector, in the order of the dimensions to which
// they belong.
func maskType(c *mlir.Context, vector *mlir.Type, perm *mlir.AffineMap) *mlir.Type {
	var shape []int64
	var scalable []bool
	of := make([]int, perm.Dims)
	for i, e := range perm.Results {
		if e.Kind == mlir.DimExpr && of[e.Value] == 0 {
			of[e.Value] = i + 1
		}
	}
	for _, i := range of {
		if i > 0 {
			shape = append(shape, vector.Shape[i-1])
			scalable = append(scalable, scalableDims(vector)[i-1])
		}
	}
	if len(shape) == 0 {
		shape, scalable = []int64{1}, []bool{false}
	}
	return c.VectorType(shape, orNil(scalable), c.Integer(1))
}

func parseRead(p *mlir.Parser, s *mlir.OpState) error {
	var t transfer
	err := t.parseBase(p)
	if err == nil {
		err = p.Literal(",")
	}
	if err != nil {
		return err
	}
	padding, err := p.Operand()
	if err == nil {
		err = t.parseRest(p, s, false)
	}
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{t.base}, t.shaped)
	}
	if err == nil {
		err = p.ResolveSame(s, t.indices, p.Context.Index())
	}
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{padding}, t.shaped.Elem)
	}
	if err == nil {
		err = t.resolveMask(p, s)
	}
	s.SetSegments(p.Context, 1, len(t.indices), 1, len(t.mask))
	s.Types = []*mlir.Type{t.vector}
	return err
}

func parseWrite(p *mlir.Parser, s *mlir.OpState) error {
	var t transfer
	value, err := p.Operand()
	if err == nil {
		err = p.Literal(",")
	}
	if err == nil {
		err = t.parseBase(p)
	}
	if err == nil {
		err = t.parseRest(p, s, true)
	}
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{value}, t.vector)
	}
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{t.base}, t.shaped)
	}
	if err == nil {
		err = p.ResolveSame(s, t.indices, p.Context.Index())
	}
	if err == nil {
		err = t.resolveMask(p, s)
	}
	if err != nil {
		return err
	}
	s.SetSegments(p.Context, 1, 1, len(t.indices), len(t.mask))
	if t.shaped.Kind == mlir.TensorKind {
		s.Types = []*mlir.Type{t.shaped}
	}
	return nil
}

func printRead(p *mlir.Printer, o *mlir.Op) {
	base := o.OperandGroup(0)[0].Value
	p.Str(" ")
	p.Operand(base)
	p.Str("[")
	p.Operands(o.OperandGroup(1))
	p.Str("], ")
	p.Operands(o.OperandGroup(2))
	printMaskOperand(p, o)
	printTransferAttrs(p, o)
	p.Str(" : ")
	p.Type(base.Type)
	p.Str(", ")
	p.Type(o.Result(0).Type)
}

func printWrite(p *mlir.Printer, o *mlir.Op) {
	value, base := o.OperandGroup(0)[0].Value, o.OperandGroup(1)[0].Value
	p.Str(" ")
	p.Operand(value)
	p.Str(", ")
	p.Operand(base)
	p.Str("[")
	p.Operands(o.OperandGroup(2))
	p.Str("]")
	printMaskOperand(p, o)
	printTransferAttrs(p, o)
	p.Str(" : ")
	p.Type(value.Type)
	p.Str(", ")
	p.Type(base.Type)
}

// printMaskOperand writes the last operand, if it is a mask.
func printMaskOperand(p *mlir.Printer, o *mlir.Op) {
	for _, u := range o.OperandGroup(3) {
		p.Str(", ")
		p.Operand(u.Value)
	}
}

// printTransferAttrs writes the attributes that the reader would not set.
func printTransferAttrs(p *mlir.Printer, o *mlir.Op) {
	elided := []string{"operandSegmentSizes"}
	m := o.Attr("permutation_map").Map
	if m.Symbols == 0 && len(m.Results) <= m.Dims && m.Equal(minorIdentity(m.Dims, len(m.Results))) {
		elided = append(elided, "permutation_map")
	}
	any := false
	for _, a := range o.Attr("in_bounds").List {
		any = any || a.Int != 0
	}
	if !any {
		elided = append(elided, "in_bounds")
	}
	p.OptionalAttrDict(o, elided...)
}
