package scf

import "github.com/gfx-toolchain/gfx/mlir"

func parseParallel(p *mlir.Parser, s *mlir.OpState) error {
	index := p.Context.Index()
	args, err := p.ArgumentList(index)
	if err != nil {
		return err
	}
	sizes := make([]int, 4)
	for i, word := range [...]string{"=", "to", "step"} {
		if err := p.Literal(word); err != nil {
			return err
		}
		pos := p.Pos()
		list, err := p.OperandList('(', false)
		if err != nil {
			return err
		}
		if len(list) != len(args) {
			return p.Errorf(pos, "expected %d operands", len(args))
		}
		if err := p.ResolveSame(s, list, index); err != nil {
			return err
		}
		sizes[i] = len(list)
	}
	var inits []mlir.Operand
	pos := p.Pos()
	if p.OptionalLiteral("init") {
		pos = p.Pos()
		if inits, err = p.OperandList('(', false); err != nil {
			return err
		}
	}
	sizes[3] = len(inits)
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if _, err := p.Region(s, args...); err != nil {
		return err
	}
	s.SetSegments(p.Context, sizes...)
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	return p.ResolveAll(s, pos, inits, s.Types)
}

func printParallel(p *mlir.Printer, o *mlir.Op) {
	p.Str(" (")
	p.Values(o.Regions[0].Entry().Args)
	for i, word := range [...]string{") = (", ") to (", ") step ("} {
		p.Str(word)
		p.Operands(o.OperandGroup(i))
	}
	p.Str(")")
	if inits := o.OperandGroup(3); len(inits) > 0 {
		p.Str(" init (")
		p.Operands(inits)
		p.Str(")")
	}
	p.OptionalResultTypes(o)
	p.Str(" ")
	p.Region(o.Regions[0], false, true, false)
	p.OptionalAttrDict(o, "operandSegmentSizes")
}

// forallBounds are the attributes of scf.forall with its bounds, and the words
// before them.
var forallBounds = [...]struct{ attr, word, printed string }{
	{"staticLowerBound", "=", " = "}, {"staticUpperBound", "to", " to "}, {"staticStep", "step", " step "},
}

func parseForall(p *mlir.Parser, s *mlir.OpState) error {
	c := p.Context
	args, err := p.ArgumentList(c.Index())
	if err != nil {
		return err
	}
	sizes := make([]int, 4)
	var static [3][]int64
	list := func(i int) error {
		values, dynamic, err := p.StaticOrOperands('(')
		if err != nil {
			return err
		}
		static[i], sizes[i] = values, len(dynamic)
		return p.ResolveSame(s, dynamic, c.Index())
	}
	if p.OptionalLiteral("in") {
		if err := list(1); err != nil {
			return err
		}
		for range static[1] {
			static[0], static[2] = append(static[0], 0), append(static[2], 1)
		}
	} else {
		for i := range forallBounds {
			if err := p.Literal(forallBounds[i].word); err != nil {
				return err
			}
			if err := list(i); err != nil {
				return err
			}
		}
	}
	for i := range static {
		s.SetAttr(forallBounds[i].attr, c.DenseI64Array(static[i]...))
	}
	if p.OptionalLiteral("shared_outs") {
		outs, err := parseOuts(p, s)
		if err != nil {
			return err
		}
		sizes[3] = len(outs)
		args = append(args, outs...)
	}
	s.SetSegments(c, sizes...)
	r, err := p.Region(s, args...)
	if err != nil {
		return err
	}
	addInParallel(r)
	return p.OptionalAttrDict(s)
}

// parseOuts reads "(%arg = %init, …) -> (types)".
func parseOuts(p *mlir.Parser, s *mlir.OpState) ([]mlir.Argument, error) {
	pos := p.Pos()
	args, inits, err := parseInits(p)
	if err != nil {
		return nil, err
	}
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return nil, err
	}
	if len(s.Types) != len(inits) {
		return nil, p.Errorf(pos, "mismatch between out operands and types")
	}
	for i := range args {
		args[i].Type = s.Types[i]
	}
	return args, p.ResolveAll(s, pos, inits, s.Types)
}

// addInParallel assigns the terminator that the reader added its empty region.
func addInParallel(r *mlir.Region) {
	last := r.Entry().Last()
	if last.Name == "scf.forall.in_parallel" && len(last.Regions) == 0 {
		body := &mlir.Region{Parent: last}
		body.AddBlock()
		last.Regions = []*mlir.Region{body}
	}
}

// isNormal reports whether all loops begin at 0 and have steps of 1.
func isNormal(o *mlir.Op) bool {
	for i, want := range map[int]int64{0: 0, 2: 1} {
		for _, v := range o.Attr(forallBounds[i].attr).Int64s() {
			if v != want {
				return false
			}
		}
	}
	return true
}

func printForall(p *mlir.Printer, o *mlir.Op) {
	args := o.Regions[0].Entry().Args
	outs := o.OperandGroup(3)
	n := max(0, len(args)-len(outs))
	p.Str(" (")
	p.Values(args[:n])
	p.Str(")")
	normal := isNormal(o)
	for i, b := range forallBounds {
		switch {
		case normal && i != 1:
			continue
		case normal:
			p.Str(" in ")
		default:
			p.Str(b.printed)
		}
		p.Str("(")
		p.IndexList(valuesOf(o.OperandGroup(i)), o.Attr(b.attr).Int64s())
		p.Str(")")
	}
	printInits(p, " shared_outs", args[n:], outs)
	p.Str(" ")
	if len(outs) > 0 {
		p.Str("-> (")
		p.ValueTypes(o.Results)
		p.Str(") ")
	}
	p.Region(o.Regions[0], false, len(o.Results) > 0, false)
	p.OptionalAttrDict(o, "operandSegmentSizes", "staticLowerBound", "staticUpperBound", "staticStep")
}

func valuesOf(uses []*mlir.Use) []*mlir.Value {
	list := make([]*mlir.Value, len(uses))
	for i, u := range uses {
		list[i] = u.Value
	}
	return list
}

func parseInParallel(p *mlir.Parser, s *mlir.OpState) error {
	r, err := p.Region(s)
	if err != nil {
		return err
	}
	if len(r.Blocks) == 0 {
		r.AddBlock()
	}
	return p.OptionalAttrDict(s)
}

func printInParallel(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Region(o.Regions[0], false, false, false)
	p.OptionalAttrDict(o)
}
