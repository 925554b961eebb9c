package funcs

import "github.com/gfx-toolchain/gfx/mlir"

func parseFunc(p *mlir.Parser, s *mlir.OpState) error {
	p.Visibility(s)
	name, err := p.SymbolName()
	if err != nil {
		return err
	}
	s.SetAttr("sym_name", p.Context.String(name))
	sig, err := p.Signature(false)
	if err != nil {
		return err
	}
	s.SetAttr("function_type", p.Context.TypeAttr(p.Context.FunctionType(sig.ArgTypes(), sig.Results)))
	if err := p.OptionalAttrDictWithKeyword(s); err != nil {
		return err
	}
	sig.SetAttrs(p.Context, s)
	if !p.AtLiteral("{") {
		s.EmptyRegion()
		return nil
	}
	pos := p.Pos()
	r, err := p.Region(s, sig.Args...)
	if err == nil && len(r.Blocks) == 0 {
		err = p.Errorf(pos, "expected non-empty function body")
	}
	return err
}

func printFunc(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Visibility(o)
	p.Symbol(o.Attr("sym_name").Text)
	t := o.Attr("function_type").Type
	p.Signature(o, t.Ins, t.Outs, false)
	p.OptionalAttrDictWithKeyword(o, "sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs")
	if len(o.Regions[0].Blocks) > 0 {
		p.Str(" ")
		p.Region(o.Regions[0], false, true, true)
	}
}
