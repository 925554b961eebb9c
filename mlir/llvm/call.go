package llvm

import "github.com/gfx-toolchain/gfx/mlir"

// A callState collects the parts of a call while it is read.
type callState struct {
	operands         []mlir.Operand
	types            []*mlir.Type
	indirect         bool
	argDicts, resDic []*mlir.Attr
	bundles          []bundle
	bundlePos        int32
}

// A bundle is a group of operands with a tag.
type bundle struct {
	tag   string
	uses  []mlir.Operand
	types []*mlir.Type
	pos   int32
}

func parseCall(p *mlir.Parser, s *mlir.OpState) error {
	c := p.Context
	s.SetAttr("CConv", enumKeyword(p, "cconv", "ccc"))
	s.SetAttr("TailCallKind", enumKeyword(p, "tailcallkind", "none"))
	st := &callState{indirect: p.AtOperand()}
	if st.indirect {
		u, err := p.Operand()
		if err != nil {
			return err
		}
		st.operands = append(st.operands, u)
	} else {
		a, err := parseSymbolRef(p)
		if err != nil {
			return err
		}
		s.SetAttr("callee", a)
	}
	err := p.CommaList('(', func() error {
		u, err := p.Operand()
		st.operands = append(st.operands, u)
		return err
	})
	if err != nil {
		return err
	}
	if err := parseVarArg(p, s); err != nil {
		return err
	}
	if c.Edition == mlir.Edition22 {
		st.bundlePos = p.Pos()
		if st.bundles, err = parseBundles(p); err != nil {
			return err
		}
		setBundleTags(c, s, st.bundles)
	}
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	if err := parseCallTypes(p, s, st); err != nil {
		return err
	}
	if c.Edition == mlir.Edition19 {
		return nil
	}
	mlir.SetDicts(c, s, "arg_attrs", st.argDicts)
	mlir.SetDicts(c, s, "res_attrs", st.resDic)
	return resolveBundles(p, s, st.bundlePos, st.bundles, len(st.operands))
}

// parseVarArg reads "vararg(type)" if it is there.
func parseVarArg(p *mlir.Parser, s *mlir.OpState) error {
	if !p.OptionalLiteral("vararg") {
		return nil
	}
	if err := p.Literal("("); err != nil {
		return err
	}
	t, err := p.Type()
	if err != nil {
		return err
	}
	s.SetAttr("var_callee_type", p.Context.TypeAttr(t))
	return p.Literal(")")
}

// parseBundles reads "["tag"(%a : i32), …]" if it is there.
func parseBundles(p *mlir.Parser) ([]bundle, error) {
	if !p.AtLiteral("[") {
		return nil, nil
	}
	var list []bundle
	err := p.CommaList('[', func() error {
		b, err := parseBundle(p)
		list = append(list, b)
		return err
	})
	return list, err
}

func parseBundle(p *mlir.Parser) (b bundle, err error) {
	b.pos = p.Pos()
	if b.tag, err = p.StringLiteral(); err != nil {
		return b, p.Errorf(b.pos, "expect operand bundle tag")
	}
	if err := p.Literal("("); err != nil || p.OptionalLiteral(")") {
		return b, err
	}
	if b.uses, err = p.Operands(); err != nil {
		return b, err
	}
	if b.types, err = p.ColonTypes(); err != nil {
		return b, err
	}
	return b, p.Literal(")")
}

func setBundleTags(c *mlir.Context, s *mlir.OpState, bundles []bundle) {
	if len(bundles) == 0 {
		return
	}
	tags := make([]*mlir.Attr, len(bundles))
	for i := range bundles {
		tags[i] = c.String(bundles[i].tag)
	}
	s.SetAttr("op_bundle_tags", c.Array(tags...))
}

// resolveBundles adds the operands of bundles after others, and the sizes of the
// groups.
func resolveBundles(p *mlir.Parser, s *mlir.OpState, pos int32, bundles []bundle, others int) error {
	sizes := make([]int64, len(bundles))
	total := int64(0)
	for i := range bundles {
		b := &bundles[i]
		if len(b.uses) != len(b.types) {
			return p.Errorf(pos, "expected %d types for operand bundle operands for operand bundle #%d, but actually got %d", len(b.uses), i, len(b.types))
		}
		if err := p.ResolveAll(s, b.pos, b.uses, b.types); err != nil {
			return err
		}
		sizes[i] = int64(len(b.uses))
		total += sizes[i]
	}
	s.SetAttr("op_bundle_sizes", p.Context.DenseI32Array(sizes...))
	s.SetAttr("operandSegmentSizes", p.Context.DenseI32Array(int64(others), total))
	return nil
}

// parseCallTypes reads the types after a call, and resolves its operands.
func parseCallTypes(p *mlir.Parser, s *mlir.OpState, st *callState) error {
	pos := p.Pos()
	if err := p.Literal(":"); err != nil {
		return err
	}
	if p.Context.Edition == mlir.Edition19 {
		return parsePlainTypes(p, s, st, pos)
	}
	if st.indirect {
		t, err := p.Type()
		if err != nil {
			return err
		}
		st.types = append(st.types, t)
		if !p.OptionalLiteral(",") {
			return p.Errorf(pos, "expected indirect call to have 2 trailing types")
		}
	}
	sig, err := p.TypeSignature()
	if err != nil {
		if st.indirect {
			return p.Errorf(pos, "expected trailing function type")
		}
		return p.Errorf(pos, "expected direct call to have 1 trailing types")
	}
	switch {
	case len(sig.Results) > 1:
		return p.Errorf(pos, "expected function with 0 or 1 result")
	case len(sig.Results) == 1 && sig.Results[0].IsDialect("llvm", "void"):
		return p.Errorf(pos, "expected a non-void result type")
	}
	st.types = append(st.types, sig.ArgTypes()...)
	st.argDicts, st.resDic = sig.ArgDicts(), sig.ResAttrs
	s.Types = sig.Results
	return p.ResolveAll(s, s.Pos, st.operands, st.types)
}

// parsePlainTypes reads edition 19's types after a call: the callee's, if it is a
// value, and the function's.
func parsePlainTypes(p *mlir.Parser, s *mlir.OpState, st *callState, pos int32) error {
	types, err := p.Types()
	if err != nil {
		return err
	}
	last := types[len(types)-1]
	switch {
	case st.indirect && len(types) != 2:
		return p.Errorf(pos, "expected indirect call to have 2 trailing types")
	case !st.indirect && len(types) != 1:
		return p.Errorf(pos, "expected direct call to have 1 trailing types")
	case last.Kind != mlir.FunctionKind:
		return p.Errorf(pos, "expected trailing function type")
	case len(last.Outs) > 1:
		return p.Errorf(pos, "expected function with 0 or 1 result")
	case len(last.Outs) == 1 && last.Outs[0].IsDialect("llvm", "void"):
		return p.Errorf(pos, "expected a non-void result type")
	}
	s.Types = append(s.Types, last.Outs...)
	return p.ResolveAll(s, s.Pos, st.operands, append(types[:len(types)-1:len(types)-1], last.Ins...))
}

func printCall(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	printCase(p, o, "CConv", "ccc")
	printCase(p, o, "TailCallKind", "none")
	args := o.OperandGroup(0)
	callee := o.Attr("callee")
	if callee != nil {
		p.Symbol(callee.Text)
	} else {
		p.Operand(args[0].Value)
		args = args[1:]
	}
	p.Str("(")
	p.Operands(args)
	p.Str(")")
	if a := o.Attr("var_callee_type"); a != nil {
		p.Str(" vararg(")
		p.Type(a.Type)
		p.Str(")")
	}
	if groups := o.NestedGroups("op_bundle_operands"); len(groups) > 0 {
		p.Str(" ")
		writeBundles(p, groups, o.Attr("op_bundle_tags"))
	}
	p.AttrDict(withoutFastMath(o, "callee", "TailCallKind", "var_callee_type", "CConv", "operandSegmentSizes", "op_bundle_sizes",
		"op_bundle_tags", "arg_attrs", "res_attrs"))
	p.Str(" : ")
	if callee == nil {
		p.Type(o.Operand(0).Type)
		p.Str(", ")
	}
	p.TypeSignature(args, o.Results, o.Attr("arg_attrs"), o.Attr("res_attrs"))
}

func writeBundles(p *mlir.Printer, groups [][]*mlir.Use, tags *mlir.Attr) {
	p.Str("[")
	for i, uses := range groups {
		if i > 0 {
			p.Str(", ")
		}
		if tags != nil && i < len(tags.List) {
			p.Quoted(tags.List[i].Text)
		}
		p.Str("(")
		if len(uses) > 0 {
			p.Operands(uses)
			p.Str(" : ")
			p.UseTypes(uses)
		}
		p.Str(")")
	}
	p.Str("]")
}

// parseOpBundles reads bundles in an assembly format; args are the operands, their
// types and the tags.
func parseOpBundles(f *mlir.FormatState, args []string) error {
	bundles, err := parseBundles(f.Parser)
	if err != nil {
		return err
	}
	for i := range bundles {
		f.AddNested(args[0], bundles[i].uses, bundles[i].types)
	}
	setBundleTags(f.Context, f.State, bundles)
	return nil
}

func printOpBundles(p *mlir.Printer, o *mlir.Op, args []string) {
	if groups := o.NestedGroups(args[0]); len(groups) > 0 {
		writeBundles(p, groups, o.Attr(args[2]))
	}
}

// parseIntrinsic reads edition 22's call_intrinsic.
func parseIntrinsic(p *mlir.Parser, s *mlir.OpState) error {
	c := p.Context
	pos := p.Pos()
	name, err := p.StringLiteral()
	if err != nil {
		return err
	}
	s.SetAttr("intrin", c.String(name))
	if err := p.Literal("("); err != nil {
		return err
	}
	var operands []mlir.Operand
	if operands, err = p.Operands(); err == nil {
		err = p.Literal(")")
	}
	if err != nil {
		return err
	}
	bundlePos := p.Pos()
	bundles, err := parseBundles(p)
	if err != nil {
		return err
	}
	setBundleTags(c, s, bundles)
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	if err := p.Literal(":"); err != nil {
		return err
	}
	sig, err := p.TypeSignature()
	if err != nil {
		return err
	}
	if len(sig.Results) > 1 {
		return p.Errorf(pos, "expected zero or one result")
	}
	mlir.SetDicts(c, s, "arg_attrs", sig.ArgDicts())
	mlir.SetDicts(c, s, "res_attrs", sig.ResAttrs)
	s.Types = sig.Results
	if err := p.ResolveAll(s, s.Pos, operands, sig.ArgTypes()); err != nil {
		return err
	}
	return resolveBundles(p, s, bundlePos, bundles, len(operands))
}

func printIntrinsic(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Quoted(o.Attr("intrin").Text)
	args := o.OperandGroup(0)
	p.Str("(")
	p.Operands(args)
	p.Str(")")
	if groups := o.NestedGroups("op_bundle_operands"); len(groups) > 0 {
		p.Str(" ")
		writeBundles(p, groups, o.Attr("op_bundle_tags"))
	}
	p.AttrDict(withoutFastMath(o, "operandSegmentSizes", "op_bundle_sizes", "intrin", "op_bundle_tags", "arg_attrs", "res_attrs"))
	p.Str(" : ")
	p.TypeSignature(args, o.Results, o.Attr("arg_attrs"), o.Attr("res_attrs"))
}
