package affine

import "github.com/gfx-toolchain/gfx/mlir"

// A bound describes the bounds at one end of a loop.
type bound struct {
	attr    string // the map of affine.for
	prefix  string // of several results
	message string // if the prefix is missing
	maps    string // the map of affine.parallel
	groups  string // how many results each bound has
}

var bounds = [...]bound{
	{"lowerBoundMap", "max", "lower loop bound affine map with multiple results requires 'max' prefix", "lowerBoundsMap", "lowerBoundsGroups"},
	{"upperBoundMap", "min", "upper loop bound affine map with multiple results requires 'min' prefix", "upperBoundsMap", "upperBoundsGroups"},
}

// parse reads a bound of affine.for: an operand, a constant, or a map with
// operands. It returns how many operands it added.
func (b *bound) parse(p *mlir.Parser, s *mlir.OpState) (int, error) {
	prefixed := p.OptionalLiteral(b.prefix)
	list, err := p.Operands()
	if err != nil {
		return 0, err
	}
	if len(list) > 1 {
		return 0, p.Errorf(s.Pos, "expected only one loop bound operand")
	}
	if len(list) == 1 {
		s.SetAttr(b.attr, p.Context.MapAttr(&mlir.AffineMap{Symbols: 1, Results: []*mlir.Expr{mlir.Symbol(0)}}))
		return 1, p.ResolveSame(s, list, p.Context.Index())
	}
	pos := p.Pos()
	a, err := p.AttrOfType(p.Context.Index())
	if err != nil {
		return 0, err
	}
	switch a.Kind {
	case mlir.IntegerAttr:
		s.SetAttr(b.attr, p.Context.MapAttr(&mlir.AffineMap{Results: []*mlir.Expr{mlir.Const(a.Int)}}))
		return 0, nil
	case mlir.AffineMapAttr:
		s.SetAttr(b.attr, a)
	default:
		return 0, p.Errorf(s.Pos, "expected valid affine map representation for loop bounds")
	}
	dims, symbols, err := parseDimsAndSymbols(p, s)
	switch {
	case err != nil:
		return 0, err
	case dims != a.Map.Dims:
		return 0, p.Errorf(s.Pos, "dim operand count and affine map dim count must match")
	case symbols != a.Map.Symbols:
		return 0, p.Errorf(s.Pos, "symbol operand count and affine map symbol count must match")
	case len(a.Map.Results) > 1 && !prefixed:
		return 0, p.Errorf(pos, "%s", b.message)
	}
	return dims + symbols, nil
}

func (b *bound) print(p *mlir.Printer, o *mlir.Op, operands []*mlir.Use) {
	a := o.Attr(b.attr)
	m := a.Map
	switch {
	case len(m.Results) != 1:
		p.Str(b.prefix)
		p.Str(" ")
	case m.Dims == 0 && m.Symbols == 0 && m.Results[0].Kind == mlir.ConstantExpr:
		p.Int(m.Results[0].Value)
		return
	case m.Dims == 0 && m.Symbols == 1 && m.Results[0].Kind == mlir.SymbolExpr:
		p.Operand(operands[0].Value)
		return
	}
	p.Attr(a)
	printDimsAndSymbols(p, m.Dims, operands)
}

func parseFor(p *mlir.Parser, s *mlir.OpState) error {
	iv, err := p.Argument(false, false)
	if err == nil {
		err = p.Literal("=")
	}
	if err != nil {
		return err
	}
	iv.Type = p.Context.Index()
	var sizes [3]int
	for i := range bounds {
		if i == 1 {
			if err := p.Literal("to"); err != nil {
				return err
			}
		}
		if sizes[i], err = bounds[i].parse(p, s); err != nil {
			return err
		}
	}
	if err := parseStep(p, s); err != nil {
		return err
	}
	args := []mlir.Argument{iv}
	if p.OptionalLiteral("iter_args") {
		more, err := parseIterArgs(p, s)
		if err != nil {
			return err
		}
		sizes[2] = len(more)
		args = append(args, more...)
	}
	s.SetSegments(p.Context, sizes[:]...)
	if _, err := p.Region(s, args...); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

func parseStep(p *mlir.Parser, s *mlir.OpState) error {
	step := p.Context.IndexAttr(1)
	if p.OptionalLiteral("step") {
		pos := p.Pos()
		var err error
		if step, err = p.AttrOfType(p.Context.Index()); err != nil {
			return err
		}
		if step.Kind != mlir.IntegerAttr {
			return p.Errorf(pos, "invalid kind of attribute specified")
		}
		if step.Integer().Sign() < 0 {
			return p.Errorf(pos, "expected step to be representable as a positive signed integer")
		}
	}
	s.SetAttr("step", step)
	return nil
}

// parseIterArgs reads "(%arg = %init, …) -> (types)".
func parseIterArgs(p *mlir.Parser, s *mlir.OpState) ([]mlir.Argument, error) {
	args, inits, err := p.Assignments()
	if err != nil {
		return nil, err
	}
	pos := p.Pos()
	if s.Types, err = p.ArrowTypes(); err != nil {
		return nil, err
	}
	if len(s.Types) != len(args) {
		return nil, p.Errorf(s.Pos, "mismatch between the number of loop-carried values and results")
	}
	for i := range args {
		args[i].Type = s.Types[i]
	}
	return args, p.ResolveAll(s, pos, inits, s.Types)
}

func printFor(p *mlir.Printer, o *mlir.Op) {
	args := o.Regions[0].Entry().Args
	p.Str(" ")
	p.BareArgument(args[0])
	p.Str(" = ")
	bounds[0].print(p, o, o.OperandGroup(0))
	p.Str(" to ")
	bounds[1].print(p, o, o.OperandGroup(1))
	if step := o.Attr("step"); step.Int != 1 {
		p.Str(" step ")
		p.Int(step.Int)
	}
	inits := o.OperandGroup(2)
	for i, u := range inits {
		p.Str([]string{" iter_args(", ", "}[min(i, 1)])
		p.Operand(args[i+1])
		p.Str(" = ")
		p.Operand(u.Value)
	}
	if len(inits) > 0 {
		p.Str(") -> (")
		p.ValueTypes(o.Results)
		p.Str(")")
	}
	p.Str(" ")
	p.Region(o.Regions[0], false, len(inits) > 0, false)
	p.OptionalAttrDict(o, "lowerBoundMap", "upperBoundMap", "step", "operandSegmentSizes")
}

// parseGroups reads the bounds of affine.parallel at one end: expressions of
// operands, and "min(…)" or "max(…)" of several.
func (b *bound) parseGroups(p *mlir.Parser, s *mlir.OpState) error {
	m := mlir.NewOperandMap()
	var sizes []int64
	err := p.CommaList('(', func() error {
		n := len(m.Map.Results)
		var err error
		if p.OptionalLiteral(b.prefix) {
			err = p.CommaList('(', func() error { return m.Add(p) })
		} else {
			err = m.Add(p)
		}
		sizes = append(sizes, int64(len(m.Map.Results)-n))
		return err
	})
	if err != nil {
		return err
	}
	c := p.Context
	s.SetAttr(b.maps, c.MapAttr(m.Map))
	s.SetAttr(b.groups, c.DenseIntsOf(c.TensorType([]int64{int64(len(sizes))}, c.Integer(32), nil), sizes))
	return p.ResolveSame(s, m.Operands(), c.Index())
}

func (b *bound) printGroups(p *mlir.Printer, o *mlir.Op, operands []*mlir.Use) {
	m, sizes := o.Attr(b.maps).Map, o.Attr(b.groups)
	p.Str("(")
	rest := m.Results
	for i := range sizes.NumElements() {
		if i > 0 {
			p.Str(", ")
		}
		n := min(max(int(sizes.Element(i)), 0), len(rest))
		if n != 1 {
			p.Str(b.prefix)
			p.Str("(")
		}
		p.OperandExprs(rest[:n], m.Dims, operands)
		if n != 1 {
			p.Str(")")
		}
		rest = rest[n:]
	}
	p.Str(")")
}

func parseParallel(p *mlir.Parser, s *mlir.OpState) error {
	args, err := p.ArgumentList(p.Context.Index())
	for i, word := range [...]string{"=", "to"} {
		if err == nil {
			err = p.Literal(word)
		}
		if err == nil {
			err = bounds[i].parseGroups(p, s)
		}
	}
	if err == nil {
		err = parseSteps(p, s, len(args))
	}
	if err == nil {
		err = parseReductions(p, s)
	}
	if err != nil {
		return err
	}
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if _, err := p.Region(s, args...); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

func parseSteps(p *mlir.Parser, s *mlir.OpState, n int) error {
	var steps []int64
	if !p.OptionalLiteral("step") {
		for range n {
			steps = append(steps, 1)
		}
		s.SetAttr("steps", p.Context.I64Array(steps))
		return nil
	}
	m, err := p.OperandMap('(')
	if err != nil {
		return err
	}
	for _, e := range m.Map.Results {
		if e.Kind != mlir.ConstantExpr {
			return p.Errorf(s.Pos, "steps must be constant integers")
		}
		steps = append(steps, e.Value)
	}
	s.SetAttr("steps", p.Context.I64Array(steps))
	return nil
}

// parseReductions reads `reduce ("addf", "maximumf")`.
func parseReductions(p *mlir.Parser, s *mlir.OpState) error {
	kinds := p.Context.Enum("arith", "AtomicRMWKind")
	var list []*mlir.Attr
	if p.OptionalLiteral("reduce") {
		err := p.CommaList('(', func() error {
			pos := p.Pos()
			a, err := p.AttrOfType(p.Context.None())
			if err != nil {
				return err
			}
			if a.Kind != mlir.StringAttr {
				return p.Errorf(pos, "invalid kind of attribute specified")
			}
			v, ok := kinds.Case(a.Text)
			if !ok {
				return p.Errorf(pos, "invalid reduction value: %s", a)
			}
			list = append(list, p.Context.I64Attr(v))
			return nil
		})
		if err != nil {
			return err
		}
	}
	s.SetAttr("reductions", p.Context.Array(list...))
	return nil
}

func printParallel(p *mlir.Printer, o *mlir.Op) {
	lower := o.Attr("lowerBoundsMap").Map
	n := min(lower.Dims+lower.Symbols, len(o.Operands))
	p.Str(" (")
	p.Values(o.Regions[0].Entry().Args)
	p.Str(") = ")
	bounds[0].printGroups(p, o, o.Operands[:n])
	p.Str(" to ")
	bounds[1].printGroups(p, o, o.Operands[n:])
	printSteps(p, o.Attr("steps").Int64s())
	if len(o.Results) > 0 {
		kinds := p.Enum("arith", "AtomicRMWKind")
		for i, v := range o.Attr("reductions").Int64s() {
			p.Str([]string{` reduce ("`, `", "`}[min(i, 1)])
			p.Str(kinds.Spelling(v))
		}
		p.Str(`") -> (`)
		p.ValueTypes(o.Results)
		p.Str(")")
	}
	p.Str(" ")
	p.Region(o.Regions[0], false, len(o.Results) > 0, false)
	p.OptionalAttrDict(o, "reductions", "lowerBoundsMap", "lowerBoundsGroups", "upperBoundsMap", "upperBoundsGroups", "steps")
}

func printSteps(p *mlir.Printer, steps []int64) {
	ones := true
	for _, v := range steps {
		ones = ones && v == 1
	}
	if ones {
		return
	}
	for i, v := range steps {
		p.Str([]string{" step (", ", "}[min(i, 1)])
		p.Int(v)
	}
	p.Str(")")
}
