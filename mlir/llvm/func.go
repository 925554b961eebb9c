package llvm

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// keyword reads a case of an enumeration of this dialect that has a case without
// a word.
func keyword(p *mlir.Parser, enum string) int64 {
	return p.OptionalCase(p.Context.Enum("llvm", enum), "")
}

func enumKeyword(p *mlir.Parser, enum, otherwise string) *mlir.Attr {
	e := p.Context.Enum("llvm", enum)
	return p.Context.EnumAttr(e, p.OptionalCase(e, otherwise))
}

// printWord writes the word of an integer attribute of an enumeration and a blank,
// unless it has none.
func printWord(p *mlir.Printer, o *mlir.Op, attr, enum string) {
	a := o.Attr(attr)
	if a == nil {
		return
	}
	if word := p.Enum("llvm", enum).Spelling(a.Int); word != "" {
		p.Str(word + " ")
	}
}

// printCase writes the word of an enumeration's attribute and a blank, unless it
// is the default.
func printCase(p *mlir.Printer, o *mlir.Op, attr, otherwise string) {
	if a := o.Attr(attr); a != nil && a.Text != otherwise {
		p.Str(a.Text + " ")
	}
}

func parseFunc(p *mlir.Parser, s *mlir.OpState) error {
	c := p.Context
	s.SetAttr("linkage", enumKeyword(p, "linkage", "external"))
	s.SetAttr("visibility_", c.I64Attr(keyword(p, "Visibility")))
	s.SetAttr("unnamed_addr", c.I64Attr(keyword(p, "UnnamedAddr")))
	s.SetAttr("CConv", enumKeyword(p, "cconv", "ccc"))
	pos := p.Pos()
	name, err := p.SymbolName()
	if err != nil {
		return err
	}
	s.SetAttr("sym_name", c.String(name))
	sig, err := p.Signature(true)
	if err != nil {
		return err
	}
	t, err := signatureType(p, pos, sig)
	if err != nil {
		return err
	}
	s.SetAttr("function_type", c.TypeAttr(t))
	if err := parseVScale(p, s); err != nil {
		return err
	}
	if err := parseComdat(p, s); err != nil {
		return err
	}
	if err := p.OptionalAttrDictWithKeyword(s); err != nil {
		return err
	}
	sig.SetAttrs(c, s)
	if !p.AtLiteral("{") {
		s.EmptyRegion()
		return nil
	}
	_, err = p.Region(s, sig.Args...)
	return err
}

// signatureType builds a function type from a signature.
func signatureType(p *mlir.Parser, pos int32, sig *mlir.Signature) (*mlir.Type, error) {
	const failed = "failed to construct function type: expected "
	if len(sig.Results) > 1 {
		return nil, p.Errorf(pos, failed+"zero or one function result")
	}
	for _, t := range sig.ArgTypes() {
		if !isCompatible(t) {
			return nil, p.Errorf(pos, failed+"LLVM type for function arguments")
		}
	}
	result := p.Context.DialectType("llvm", "void")
	if len(sig.Results) == 1 {
		result = sig.Results[0]
	}
	if !isCompatible(result) {
		return nil, p.Errorf(pos, failed+"LLVM type for function results'%s'", result)
	}
	return FunctionType(p.Context, result, sig.ArgTypes(), sig.Variadic), nil
}

// parseVScale reads "vscale_range(1, 16)" if it is there.
func parseVScale(p *mlir.Parser, s *mlir.OpState) error {
	if !p.OptionalLiteral("vscale_range") {
		return nil
	}
	var bounds [2]*mlir.Attr
	for i, before := range [...]string{"(", ","} {
		if err := p.Literal(before); err != nil {
			return err
		}
		n, err := p.Integer()
		if err != nil {
			return err
		}
		bounds[i] = p.Context.I32Attr(n)
	}
	s.SetAttr("vscale_range", p.Context.DialectAttr("llvm", "vscale_range", attrParam(bounds[0]), attrParam(bounds[1])))
	return p.Literal(")")
}

// parseComdat reads "comdat(@a::@b)" if it is there.
func parseComdat(p *mlir.Parser, s *mlir.OpState) error {
	if !p.OptionalLiteral("comdat") {
		return nil
	}
	if err := p.Literal("("); err != nil {
		return err
	}
	a, err := parseSymbolRef(p)
	if err != nil {
		return err
	}
	s.SetAttr("comdat", a)
	return p.Literal(")")
}

func parseSymbolRef(p *mlir.Parser) (*mlir.Attr, error) {
	pos := p.Pos()
	a, err := p.Attr()
	if err == nil && a.Kind != mlir.SymbolRefAttr {
		err = p.Errorf(pos, "invalid kind of attribute specified")
	}
	return a, err
}

func printComdat(p *mlir.Printer, o *mlir.Op) {
	if a := o.Attr("comdat"); a != nil {
		p.Str(" comdat(")
		p.Attr(a)
		p.Str(")")
	}
}

func printFunc(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	printCase(p, o, "linkage", "external")
	printWord(p, o, "visibility_", "Visibility")
	printWord(p, o, "unnamed_addr", "UnnamedAddr")
	printCase(p, o, "CConv", "ccc")
	p.Symbol(o.Attr("sym_name").Text)
	result, args, variadic := FunctionParts(o.Attr("function_type").Type)
	results := []*mlir.Type{result}
	if result.IsDialect("llvm", "void") {
		results = nil
	}
	p.Signature(o, args, results, variadic)
	if a := o.Attr("vscale_range"); a != nil {
		p.Str(" vscale_range(")
		p.Int(a.Params[0].Attr.Int)
		p.Str(", ")
		p.Int(a.Params[1].Attr.Int)
		p.Str(")")
	}
	printComdat(p, o)
	p.OptionalAttrDictWithKeyword(o, "sym_name", "function_type", "arg_attrs", "res_attrs", "linkage", "CConv", "visibility_", "comdat",
		"unnamed_addr", "vscale_range")
	if len(o.Regions[0].Blocks) > 0 {
		p.Str(" ")
		p.Region(o.Regions[0], false, true, false)
	}
}

// parseGlobalHead reads what globals and aliases have before their names.
func parseGlobalHead(p *mlir.Parser, s *mlir.OpState) {
	c := p.Context
	s.SetAttr("linkage", enumKeyword(p, "linkage", "external"))
	s.SetAttr("visibility_", c.I64Attr(keyword(p, "Visibility")))
	if p.OptionalLiteral("thread_local") {
		s.SetAttr("thread_local_", c.Unit())
	}
	s.SetAttr("unnamed_addr", c.I64Attr(keyword(p, "UnnamedAddr")))
}

func printGlobalHead(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Str(o.Attr("linkage").Text)
	p.Str(" ")
	printWord(p, o, "visibility_", "Visibility")
	if o.Attr("thread_local_") != nil {
		p.Str("thread_local ")
	}
	printWord(p, o, "unnamed_addr", "UnnamedAddr")
}

func parseGlobal(p *mlir.Parser, s *mlir.OpState) error {
	c := p.Context
	parseGlobalHead(p, s)
	if p.OptionalLiteral("constant") {
		s.SetAttr("constant", c.Unit())
	}
	name, err := p.SymbolName()
	if err == nil {
		err = p.Literal("(")
	}
	if err != nil {
		return err
	}
	s.SetAttr("sym_name", c.String(name))
	var value *mlir.Attr
	if !p.OptionalLiteral(")") {
		if value, err = p.Attr(); err != nil {
			return err
		}
		s.SetAttr("value", value)
		if err := p.Literal(")"); err != nil {
			return err
		}
	}
	if err := parseComdat(p, s); err != nil {
		return err
	}
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	if !p.OptionalLiteral(":") {
		if value == nil || value.Kind != mlir.StringAttr {
			return p.Errorf(s.Pos, "type can only be omitted for string globals")
		}
		s.SetAttr("global_type", c.TypeAttr(ArrayType(c, int64(len(value.Text)), c.Integer(8))))
		s.EmptyRegion()
		return nil
	}
	types, err := p.Types()
	if err != nil {
		return err
	}
	if len(types) > 1 {
		return p.Errorf(s.Pos, "expected zero or one type")
	}
	s.SetAttr("global_type", c.TypeAttr(types[0]))
	if !p.AtLiteral("{") {
		s.EmptyRegion()
		return nil
	}
	_, err = p.Region(s)
	return err
}

func printGlobal(p *mlir.Printer, o *mlir.Op) {
	printGlobalHead(p, o)
	if o.Attr("constant") != nil {
		p.Str("constant ")
	}
	p.Symbol(o.Attr("sym_name").Text)
	value := o.Attr("value")
	p.Str("(")
	if value != nil {
		p.Attr(value)
	}
	p.Str(")")
	printComdat(p, o)
	p.OptionalAttrDict(o, "sym_name", "global_type", "constant", "value", "linkage", "unnamed_addr", "thread_local_", "visibility_", "comdat")
	if value != nil && value.Kind == mlir.StringAttr {
		return
	}
	p.Str(" : ")
	p.Type(o.Attr("global_type").Type)
	if len(o.Regions[0].Blocks) > 0 {
		p.Str(" ")
		p.Region(o.Regions[0], false, true, false)
	}
}

func parseAlias(p *mlir.Parser, s *mlir.OpState) error {
	parseGlobalHead(p, s)
	name, err := p.SymbolName()
	if err != nil {
		return err
	}
	s.SetAttr("sym_name", p.Context.String(name))
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	types, err := p.ColonTypes()
	if err != nil {
		return err
	}
	if len(types) > 1 {
		return p.Errorf(s.Pos, "expected zero or one type")
	}
	s.SetAttr("alias_type", p.Context.TypeAttr(types[0]))
	_, err = p.Region(s)
	return err
}

func printAlias(p *mlir.Printer, o *mlir.Op) {
	printGlobalHead(p, o)
	p.Symbol(o.Attr("sym_name").Text)
	p.OptionalAttrDict(o, "sym_name", "alias_type", "linkage", "unnamed_addr", "thread_local_", "visibility_")
	p.Str(" : ")
	p.Type(o.Attr("alias_type").Type)
	p.Str(" ")
	p.Region(o.Regions[0], false, true, false)
}
