package gpu

import "github.com/gfx-toolchain/gfx/mlir"

// parseFunc reads a function: its signature, the buffers that it has in LDS and
// in private memory, and whether it is a kernel.
func parseFunc(p *mlir.Parser, s *mlir.OpState) error {
	name, err := p.SymbolName()
	if err != nil {
		return err
	}
	c := p.Context
	s.SetAttr("sym_name", c.String(name))
	pos := p.Pos()
	sig, err := p.Signature(false)
	if err != nil {
		return err
	}
	if len(sig.Args) > 0 && sig.Args[0].Name == "" {
		return p.Errorf(pos, "gpu.func requires named arguments")
	}
	s.SetAttr("function_type", c.TypeAttr(c.FunctionType(sig.ArgTypes(), sig.Results)))
	sig.SetAttrs(c, s)
	args := sig.Args
	workgroup, err := parseAttributions(p, s, "workgroup", "workgroup_attrib_attrs", true)
	if err != nil {
		return err
	}
	s.SetAttr("workgroup_attributions", c.I64Attr(int64(len(workgroup))))
	private, err := parseAttributions(p, s, "private", "private_attrib_attrs", true)
	if err != nil {
		return err
	}
	if p.OptionalLiteral("kernel") {
		s.SetAttr("gpu.kernel", c.Unit())
	}
	if err := p.OptionalAttrDictWithKeyword(s); err != nil {
		return err
	}
	_, err = p.Region(s, append(append(args, workgroup...), private...)...)
	return err
}

// parseAttributions reads "workgroup(%a: type {attributes}, …)" if it is there.
func parseAttributions(p *mlir.Parser, s *mlir.OpState, word, name string, attrs bool) ([]mlir.Argument, error) {
	if !p.OptionalLiteral(word) {
		return nil, nil
	}
	var args []mlir.Argument
	var dicts []*mlir.Attr
	found := false
	err := p.CommaList('(', func() error {
		a, err := p.Argument(true, attrs)
		args = append(args, a)
		d := a.Attrs
		if d == nil {
			d = p.Context.Dict()
		}
		found = found || len(d.Dict) > 0
		dicts = append(dicts, d)
		return err
	})
	if found {
		s.SetAttr(name, p.Context.Array(dicts...))
	}
	return args, err
}

func printFunc(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Symbol(o.Attr("sym_name").Text)
	t := o.Attr("function_type").Type
	p.Signature(o, t.Ins, t.Outs, false)
	workgroup, private := attributions(o, len(t.Ins))
	printAttributions(p, " workgroup(", workgroup, o.Attr("workgroup_attrib_attrs"))
	printAttributions(p, " private(", private, o.Attr("private_attrib_attrs"))
	if o.Attr("gpu.kernel") != nil {
		p.Str(" kernel")
	}
	p.OptionalAttrDictWithKeyword(o, "sym_name", "workgroup_attributions", "gpu.kernel", "function_type", "arg_attrs", "res_attrs",
		"workgroup_attrib_attrs", "private_attrib_attrs")
	p.Str(" ")
	p.Region(o.Regions[0], false, true, false)
}

// attributions returns the arguments of the body, after the first n, that are
// buffers in LDS and in private memory.
func attributions(o *mlir.Op, n int) (workgroup, private []*mlir.Value) {
	entry := o.Regions[0].Entry()
	if entry == nil || len(entry.Args) < n {
		return nil, nil
	}
	rest := entry.Args[n:]
	k := 0
	if a := o.Attr("workgroup_attributions"); a != nil && a.Kind == mlir.IntegerAttr {
		k = int(min(max(a.Int, 0), int64(len(rest))))
	}
	return rest[:k], rest[k:]
}

func printAttributions(p *mlir.Printer, head string, values []*mlir.Value, attrs *mlir.Attr) {
	if len(values) == 0 {
		return
	}
	p.Str(head)
	for i, v := range values {
		if i > 0 {
			p.Str(", ")
		}
		p.Operand(v)
		p.Str(" : ")
		p.Type(v.Type)
		if attrs != nil && i < len(attrs.List) {
			p.AttrDict(attrs.List[i].Dict)
		}
	}
	p.Str(")")
}
