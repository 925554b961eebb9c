package scf

import "github.com/gfx-toolchain/gfx/mlir"

// parseInits reads "(%arg = %init, …)".
func parseInits(p *mlir.Parser) (args []mlir.Argument, inits []mlir.Operand, err error) {
	err = p.CommaList('(', func() error {
		a, err := p.Argument(false, false)
		if err == nil {
			err = p.Literal("=")
		}
		if err != nil {
			return err
		}
		u, err := p.Operand()
		args, inits = append(args, a), append(inits, u)
		return err
	})
	return args, inits, err
}

func printInits(p *mlir.Printer, prefix string, args []*mlir.Value, inits []*mlir.Use) {
	if len(inits) == 0 {
		return
	}
	p.Str(prefix)
	p.Str("(")
	for i, u := range inits {
		if i > 0 {
			p.Str(", ")
		}
		p.Operand(args[i])
		p.Str(" = ")
		p.Operand(u.Value)
	}
	p.Str(")")
}

// resolve sets the operands' types.
func resolve(p *mlir.Parser, s *mlir.OpState, uses []mlir.Operand, types []*mlir.Type) error {
	for i, u := range uses {
		v, err := p.Resolve(u, types[i])
		if err != nil {
			return err
		}
		s.Operands = append(s.Operands, v)
	}
	return nil
}

func parseFor(p *mlir.Parser, s *mlir.OpState) error {
	if p.OptionalLiteral("unsigned") {
		s.SetAttr("unsignedCmp", p.Context.Unit())
	}
	iv, err := p.Argument(false, false)
	if err != nil {
		return err
	}
	var bounds [3]mlir.Operand
	for i, word := range [...]string{"=", "to", "step"} {
		if err := p.Literal(word); err != nil {
			return err
		}
		if bounds[i], err = p.Operand(); err != nil {
			return err
		}
	}
	var args []mlir.Argument
	var inits []mlir.Operand
	hasArgs := p.OptionalLiteral("iter_args")
	if hasArgs {
		if args, inits, err = parseInits(p); err != nil {
			return err
		}
		pos := p.Pos()
		if s.Types, err = p.ArrowTypes(); err != nil {
			return err
		}
		if len(s.Types) != len(args) {
			return p.Errorf(pos, "mismatch in number of loop-carried values and defined values")
		}
	}
	iv.Type = p.Context.Index()
	if p.OptionalLiteral(":") {
		if iv.Type, err = p.Type(); err != nil {
			return err
		}
	}
	if err := resolve(p, s, bounds[:], []*mlir.Type{iv.Type, iv.Type, iv.Type}); err != nil {
		return err
	}
	if err := resolve(p, s, inits, s.Types); err != nil {
		return err
	}
	for i := range args {
		args[i].Type = s.Types[i]
	}
	if _, err := p.Region(s, append([]mlir.Argument{iv}, args...)...); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

func printFor(p *mlir.Printer, o *mlir.Op) {
	if o.Attr("unsignedCmp") != nil {
		p.Str(" unsigned")
	}
	args := o.Regions[0].Entry().Args
	p.Str(" ")
	p.Operand(args[0])
	p.Str(" = ")
	p.Operand(o.Operand(0))
	p.Str(" to ")
	p.Operand(o.Operand(1))
	p.Str(" step ")
	p.Operand(o.Operand(2))
	inits := o.Operands[3:]
	printInits(p, " iter_args", args[1:], inits)
	if len(inits) > 0 {
		p.Str(" -> (")
		p.UseTypes(inits)
		p.Str(")")
	}
	p.Str(" ")
	if t := args[0].Type; t.Kind != mlir.IndexKind {
		p.Str(" : ")
		p.Type(t)
		p.Str(" ")
	}
	p.Region(o.Regions[0], false, len(inits) > 0, false)
	p.OptionalAttrDict(o, "unsignedCmp")
}

func parseIf(p *mlir.Parser, s *mlir.OpState) error {
	u, err := p.Operand()
	if err != nil {
		return err
	}
	v, err := p.Resolve(u, p.Context.Integer(1))
	if err != nil {
		return err
	}
	s.Operands = []*mlir.Value{v}
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if _, err := p.Region(s); err != nil {
		return err
	}
	if p.OptionalLiteral("else") {
		if _, err := p.Region(s); err != nil {
			return err
		}
	} else {
		s.EmptyRegion()
	}
	return p.OptionalAttrDict(s)
}

func printIf(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operand(o.Operand(0))
	results := len(o.Results) > 0
	if results {
		p.Str(" -> (")
		p.ValueTypes(o.Results)
		p.Str(")")
	}
	p.Str(" ")
	p.Region(o.Regions[0], false, results, false)
	if len(o.Regions[1].Blocks) > 0 {
		p.Str(" else ")
		p.Region(o.Regions[1], false, results, false)
	}
	p.OptionalAttrDict(o)
}

func parseWhile(p *mlir.Parser, s *mlir.OpState) error {
	var args []mlir.Argument
	var inits []mlir.Operand
	var err error
	if p.AtLiteral("(") {
		if args, inits, err = parseInits(p); err != nil {
			return err
		}
	}
	if err := p.Literal(":"); err != nil {
		return err
	}
	pos := p.Pos()
	t, err := p.Type()
	if err != nil {
		return err
	}
	if t.Kind != mlir.FunctionKind {
		return p.Errorf(pos, "expected function type")
	}
	if len(t.Ins) != len(inits) {
		return p.Errorf(pos, "expected as many input types as operands (expected %d got %d)", len(inits), len(t.Ins))
	}
	s.Types = t.Outs
	if err := resolve(p, s, inits, t.Ins); err != nil {
		return err
	}
	for i := range args {
		args[i].Type = t.Ins[i]
	}
	if _, err := p.Region(s, args...); err != nil {
		return err
	}
	if err := p.Literal("do"); err != nil {
		return err
	}
	if _, err := p.Region(s); err != nil {
		return err
	}
	return p.OptionalAttrDictWithKeyword(s)
}

func printWhile(p *mlir.Printer, o *mlir.Op) {
	printInits(p, " ", o.Regions[0].Entry().Args, o.Operands)
	p.Str(" : ")
	p.FunctionalType(o)
	p.Str(" ")
	p.Region(o.Regions[0], false, true, false)
	p.Str(" do ")
	p.Region(o.Regions[1], true, true, false)
	p.OptionalAttrDictWithKeyword(o)
}

func parseExecuteRegion(p *mlir.Parser, s *mlir.OpState) error {
	var err error
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if p.OptionalLiteral("no_inline") {
		s.SetAttr("no_inline", p.Context.Unit())
	}
	if _, err := p.Region(s); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

func printExecuteRegion(p *mlir.Printer, o *mlir.Op) {
	if len(o.Results) > 0 {
		p.Str(" -> ")
		p.ResultTypes(o)
	}
	if o.Attr("no_inline") != nil {
		p.Str(" no_inline")
	}
	p.Str(" ")
	p.Region(o.Regions[0], false, true, false)
	p.OptionalAttrDict(o, "no_inline")
}

// parseCases reads the cases of index_switch: "case 1 {…}".
func parseCases(f *mlir.FormatState, args []string) error {
	var values []int64
	for f.OptionalLiteral("case") {
		n, err := f.Integer()
		if err != nil {
			return err
		}
		values = append(values, n)
		if err := f.AddRegion(1); err != nil {
			return err
		}
	}
	f.State.SetAttr(args[0], f.Context.DenseI64Array(values...))
	return nil
}

func printCases(p *mlir.Printer, o *mlir.Op, args []string) {
	for i, n := range o.Attr(args[0]).Int64s() {
		p.NewLine()
		p.Str("case ")
		p.Int(n)
		p.Str(" ")
		p.Region(o.Regions[i+1], false, true, false)
	}
}
