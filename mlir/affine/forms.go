package affine

import "github.com/gfx-toolchain/gfx/mlir"

// parseDimsAndSymbols reads "(%dims)[%symbols]" and adds them to the operands,
// which are all of type index.
func parseDimsAndSymbols(p *mlir.Parser, s *mlir.OpState) (dims, symbols int, err error) {
	d, err := p.OperandList('(', false)
	if err != nil {
		return 0, 0, err
	}
	y, err := p.OperandList('[', true)
	if err != nil {
		return 0, 0, err
	}
	return len(d), len(y), p.ResolveSame(s, append(d, y...), p.Context.Index())
}

func printDimsAndSymbols(p *mlir.Printer, dims int, operands []*mlir.Use) {
	dims = min(dims, len(operands))
	p.Str("(")
	p.Operands(operands[:dims])
	p.Str(")")
	if len(operands) > dims {
		p.Str("[")
		p.Operands(operands[dims:])
		p.Str("]")
	}
}

// parseMap reads the attribute of a map.
func parseMap(p *mlir.Parser) (*mlir.Attr, error) {
	pos := p.Pos()
	a, err := p.Attr()
	if err == nil && a.Kind != mlir.AffineMapAttr {
		err = p.Errorf(pos, "invalid kind of attribute specified")
	}
	return a, err
}

func parseApply(p *mlir.Parser, s *mlir.OpState) error {
	a, err := parseMap(p)
	if err != nil {
		return err
	}
	s.SetAttr("map", a)
	dims, symbols, err := parseDimsAndSymbols(p, s)
	if err == nil {
		err = p.OptionalAttrDict(s)
	}
	if err != nil {
		return err
	}
	if dims != a.Map.Dims || symbols != a.Map.Symbols {
		return p.Errorf(s.Pos, "dimension or symbol index mismatch")
	}
	for range a.Map.Results {
		s.Types = append(s.Types, p.Context.Index())
	}
	return nil
}

// parseMinMax reads affine.min and affine.max.
func parseMinMax(p *mlir.Parser, s *mlir.OpState) error {
	a, err := parseMap(p)
	if err != nil {
		return err
	}
	s.SetAttr("map", a)
	s.Types = []*mlir.Type{p.Context.Index()}
	d, err := p.OperandList('(', false)
	if err != nil {
		return err
	}
	y, err := p.OperandList('[', true)
	if err == nil {
		err = p.OptionalAttrDict(s)
	}
	if err != nil {
		return err
	}
	return p.ResolveSame(s, append(d, y...), p.Context.Index())
}

// printApplied writes a map and its operands.
func printApplied(p *mlir.Printer, o *mlir.Op) {
	a := o.Attr("map")
	p.Str(" ")
	p.Attr(a)
	printDimsAndSymbols(p, a.Map.Dims, o.Operands)
	p.OptionalAttrDict(o, "map")
}

// An access is what the custom forms of loads, stores and prefetches have in
// common: "%memref[%i + 3, %j]".
type access struct {
	memref mlir.Operand
	index  *mlir.OperandMap
}

func parseAccess(p *mlir.Parser, s *mlir.OpState) (a access, err error) {
	if a.memref, err = p.Operand(); err != nil {
		return a, err
	}
	if a.index, err = p.OperandMap('['); err != nil {
		return a, err
	}
	s.SetAttr("map", p.Context.MapAttr(a.index.Map))
	return a, nil
}

// resolve adds the operands of an access.
func (a *access) resolve(p *mlir.Parser, s *mlir.OpState, t *mlir.Type) error {
	if err := p.ResolveSame(s, []mlir.Operand{a.memref}, t); err != nil {
		return err
	}
	return p.ResolveSame(s, a.index.Operands(), p.Context.Index())
}

// memrefType reads ": memref<…>" after the attributes.
func memrefType(p *mlir.Parser, s *mlir.OpState) (*mlir.Type, error) {
	if err := p.OptionalAttrDict(s); err != nil {
		return nil, err
	}
	if err := p.Literal(":"); err != nil {
		return nil, err
	}
	return typeOfKind(p, mlir.MemRefKind)
}

func typeOfKind(p *mlir.Parser, kind mlir.TypeKind) (*mlir.Type, error) {
	pos := p.Pos()
	t, err := p.Type()
	if err == nil && t.Kind != kind {
		err = p.Errorf(pos, "invalid kind of type specified")
	}
	return t, err
}

// accessTypes reads the types of a memref and, for vectors, of the value.
func accessTypes(p *mlir.Parser, s *mlir.OpState, vector bool) (memref, value *mlir.Type, err error) {
	if memref, err = memrefType(p, s); err != nil {
		return nil, nil, err
	}
	if !vector {
		return memref, memref.Elem, nil
	}
	if err = p.Literal(","); err != nil {
		return nil, nil, err
	}
	value, err = typeOfKind(p, mlir.VectorKind)
	return memref, value, err
}

func parseLoad(p *mlir.Parser, s *mlir.OpState) error       { return loadForm(p, s, false) }
func parseVectorLoad(p *mlir.Parser, s *mlir.OpState) error { return loadForm(p, s, true) }

func loadForm(p *mlir.Parser, s *mlir.OpState, vector bool) error {
	a, err := parseAccess(p, s)
	if err != nil {
		return err
	}
	memref, value, err := accessTypes(p, s, vector)
	if err != nil {
		return err
	}
	s.Types = []*mlir.Type{value}
	return a.resolve(p, s, memref)
}

func parseStore(p *mlir.Parser, s *mlir.OpState) error       { return storeForm(p, s, false) }
func parseVectorStore(p *mlir.Parser, s *mlir.OpState) error { return storeForm(p, s, true) }

func storeForm(p *mlir.Parser, s *mlir.OpState, vector bool) error {
	u, err := p.Operand()
	if err == nil {
		err = p.Literal(",")
	}
	if err != nil {
		return err
	}
	a, err := parseAccess(p, s)
	if err != nil {
		return err
	}
	memref, value, err := accessTypes(p, s, vector)
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{u}, value)
	}
	if err != nil {
		return err
	}
	return a.resolve(p, s, memref)
}

// printAccess writes the memref, which is operand i, and the indices.
func printAccess(p *mlir.Printer, o *mlir.Op, i int) {
	p.Operand(o.Operand(i))
	p.Str("[")
	m := o.Attr("map").Map
	p.OperandExprs(m.Results, m.Dims, o.Operands[i+1:])
	p.Str("]")
}

func printLoad(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	printAccess(p, o, 0)
	p.OptionalAttrDict(o, "map")
	p.Str(" : ")
	p.Type(o.Operand(0).Type)
}

func printVectorLoad(p *mlir.Printer, o *mlir.Op) {
	printLoad(p, o)
	p.Str(", ")
	p.Type(o.Result(0).Type)
}

func printStore(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operand(o.Operand(0))
	p.Str(", ")
	printAccess(p, o, 1)
	p.OptionalAttrDict(o, "map")
	p.Str(" : ")
	p.Type(o.Operand(1).Type)
}

func printVectorStore(p *mlir.Printer, o *mlir.Op) {
	printStore(p, o)
	p.Str(", ")
	p.Type(o.Operand(0).Type)
}

func parsePrefetch(p *mlir.Parser, s *mlir.OpState) error {
	a, err := parseAccess(p, s)
	if err == nil {
		err = p.Prefetched(s)
	}
	if err != nil {
		return err
	}
	t, err := memrefType(p, s)
	if err != nil {
		return err
	}
	return a.resolve(p, s, t)
}

func printPrefetch(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	printAccess(p, o, 0)
	p.Prefetched(o)
	p.OptionalAttrDict(o, "map", "localityHint", "isDataCache", "isWrite")
	p.Str(" : ")
	p.Type(o.Operand(0).Type)
}

func parseIf(p *mlir.Parser, s *mlir.OpState) error {
	pos := p.Pos()
	a, err := p.Attr()
	if err != nil {
		return err
	}
	if a.Kind != mlir.IntegerSetAttr {
		return p.Errorf(pos, "invalid kind of attribute specified")
	}
	s.SetAttr("condition", a)
	dims, symbols, err := parseDimsAndSymbols(p, s)
	if err != nil {
		return err
	}
	if dims != a.Set.Dims {
		return p.Errorf(s.Pos, "dim operand count and integer set dim count must match")
	}
	if symbols != a.Set.Symbols {
		return p.Errorf(s.Pos, "symbol operand count and integer set symbol count must match")
	}
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if _, err := p.Region(s); err != nil {
		return err
	}
	if !p.OptionalLiteral("else") {
		s.EmptyRegion()
	} else if _, err := p.Region(s); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

func printIf(p *mlir.Printer, o *mlir.Op) {
	a := o.Attr("condition")
	p.Str(" ")
	p.Attr(a)
	printDimsAndSymbols(p, a.Set.Dims, o.Operands)
	p.OptionalResultTypes(o)
	p.Str(" ")
	results := len(o.Results) > 0
	p.Region(o.Regions[0], false, results, false)
	if len(o.Regions[1].Blocks) > 0 {
		p.Str(" else ")
		p.Region(o.Regions[1], false, results, false)
	}
	p.OptionalAttrDict(o, "condition")
}
