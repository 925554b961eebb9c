package gpu

import "github.com/gfx-toolchain/gfx/mlir"

// parseReduction reads the name of a reduction if it is there.
func parseReduction(f *mlir.FormatState, args []string) error {
	if !f.AtKeyword() {
		return nil
	}
	word, err := f.Keyword()
	if err != nil {
		return err
	}
	e := f.Context.Enum("gpu", "all_reduce_op")
	v, ok := e.Case(word)
	if !ok {
		return f.Errorf(f.Pos(), "invalid op kind")
	}
	f.State.SetAttr(args[0], f.Context.EnumAttr(e, v))
	return nil
}

func printReduction(p *mlir.Printer, o *mlir.Op, args []string) {
	if a := o.Attr(args[0]); a != nil {
		p.Str(" ") // MLIR writes another blank
		p.Str(a.Text)
	}
}

// parseAsync reads "async [%token, …]": whether a token is the result, and on
// which tokens the operation depends.
func parseAsync(f *mlir.FormatState, args []string) error {
	var types []*mlir.Type
	pos := f.Pos()
	if f.OptionalLiteral("async") {
		if f.State.Named == 0 {
			return f.Errorf(pos, "needs to be named when marked 'async'")
		}
		types = []*mlir.Type{token(f.Context)}
	}
	f.SetTypes(args[0], types)
	if !f.AtLiteral("[") {
		return nil
	}
	return f.CommaList('[', func() error {
		u, err := f.Operand()
		f.AddOperand(args[1], u)
		return err
	})
}

func token(c *mlir.Context) *mlir.Type { return c.DialectType("gpu", "async.token") }

func printAsync(p *mlir.Printer, o *mlir.Op, args []string) {
	async := len(o.Named(args[0])) > 0
	if async {
		p.Str("async")
	}
	deps := o.Named(args[1])
	if len(deps) == 0 {
		return
	}
	if async {
		p.Str(" ")
	}
	p.Str("[")
	p.Values(deps)
	p.Str("]")
}

// parseDimType reads the type of the sizes of grid, blocks and clusters.
func parseDimType(f *mlir.FormatState, args []string) error {
	t := f.Context.Index()
	if f.OptionalLiteral(":") {
		var err error
		if t, err = f.Type(); err != nil {
			return err
		}
	}
	f.SetTypes(args[0], []*mlir.Type{t})
	var cluster []*mlir.Type
	if f.NumOperands(args[1]) > 0 {
		cluster = []*mlir.Type{t}
	}
	for _, name := range args[2:] {
		f.SetTypes(name, cluster)
	}
	return nil
}

func printDimType(p *mlir.Printer, o *mlir.Op, args []string) {
	if t := o.Named(args[0])[0].Type; t.Kind != mlir.IndexKind {
		p.Str(": ")
		p.Type(t)
	}
}

// parseKernelArgs reads "args(%a : type, …)" if it is there.
func parseKernelArgs(f *mlir.FormatState, args []string) error {
	var types []*mlir.Type
	if f.OptionalLiteral("args") {
		err := f.CommaList('(', func() error {
			u, err := f.Operand()
			if err != nil {
				return err
			}
			t, err := f.ColonType()
			f.AddOperand(args[0], u)
			types = append(types, t)
			return err
		})
		if err != nil {
			return err
		}
	}
	f.SetTypes(args[1], types)
	return nil
}

func printKernelArgs(p *mlir.Printer, o *mlir.Op, args []string) {
	values := o.Named(args[0])
	if len(values) == 0 {
		return
	}
	p.Str("args(")
	for i, v := range values {
		if i > 0 {
			p.Str(", ")
		}
		p.Operand(v)
		p.Str(" : ")
		p.Type(v.Type)
	}
	p.Str(")")
}

// parseHandler reads "<attribute>" if it is there; without it any object is
// selected.
func parseHandler(f *mlir.FormatState, args []string) error {
	a := selectObject(f.Context)
	if f.OptionalLiteral("<") {
		var err error
		if a, err = f.Attr(); err == nil {
			err = f.Literal(">")
		}
		if err != nil {
			return err
		}
	}
	f.State.SetAttr(args[0], a)
	return nil
}

func selectObject(c *mlir.Context) *mlir.Attr {
	return c.DialectAttr("gpu", "select_object", mlir.Param{Kind: mlir.NoParam})
}

func printHandler(p *mlir.Printer, o *mlir.Op, args []string) {
	a := o.Attr(args[0])
	if a == nil || a.Params[0].Kind == mlir.NoParam && a.IsDialect("gpu", "select_object") {
		return
	}
	p.Str("<")
	p.Attr(a)
	p.Str(">")
}

// parseModule reads edition 19's gpu.module.
func parseModule(p *mlir.Parser, s *mlir.OpState) error {
	name, err := p.SymbolName()
	if err != nil {
		return err
	}
	s.SetAttr("sym_name", p.Context.String(name))
	if p.OptionalLiteral("<") {
		a, err := p.Attr()
		if err == nil {
			err = p.Literal(">")
		}
		if err != nil {
			return err
		}
		s.SetAttr("offloadingHandler", a)
	}
	if p.AtLiteral("[") {
		a, err := p.Attr()
		if err != nil {
			return err
		}
		s.SetAttr("targets", a)
	}
	if err := p.OptionalAttrDictWithKeyword(s); err != nil {
		return err
	}
	_, err = p.Region(s)
	return err
}

func printModule(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Symbol(o.Attr("sym_name").Text)
	if a := o.Attr("offloadingHandler"); a != nil {
		p.Str(" <")
		p.Attr(a)
		p.Str(">")
	}
	if a := o.Attr("targets"); a != nil {
		p.Str(" ")
		p.Attr(a)
		p.Str(" ") // MLIR writes another blank
	}
	p.OptionalAttrDictWithKeyword(o, "sym_name", "offloadingHandler", "targets")
	p.Str(" ")
	p.Region(o.Regions[0], false, false, true)
}
