package llvm

import (
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/mlir"
)

// withoutFastMath returns the attributes of o but the ones of the given names, and
// fast math flags that permit nothing.
func withoutFastMath(o *mlir.Op, names ...string) []mlir.NamedAttr {
	var rest []mlir.NamedAttr
	for _, a := range o.Attrs {
		none := a.Name == "fastmathFlags" && a.Attr.Kind == mlir.EnumAttr && a.Attr.Int == 0
		if !none && !slices.Contains(names, a.Name) {
			rest = append(rest, a)
		}
	}
	return rest
}

func parseICmp(p *mlir.Parser, s *mlir.OpState) error { return parseCompare(p, s, "ICmpPredicate") }
func parseFCmp(p *mlir.Parser, s *mlir.OpState) error { return parseCompare(p, s, "FCmpPredicate") }
func printICmp(p *mlir.Printer, o *mlir.Op)           { printCompare(p, o, "ICmpPredicate") }
func printFCmp(p *mlir.Printer, o *mlir.Op)           { printCompare(p, o, "FCmpPredicate") }

// parseCompare reads a comparison, whose predicate is a string.
func parseCompare(p *mlir.Parser, s *mlir.OpState, enum string) error {
	pos := p.Pos()
	word, err := p.StringLiteral()
	if err != nil {
		return err
	}
	var uses [2]mlir.Operand
	if uses[0], err = p.Operand(); err == nil {
		err = p.Literal(",")
	}
	if err != nil {
		return err
	}
	if uses[1], err = p.Operand(); err != nil {
		return err
	}
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	if err := p.Literal(":"); err != nil {
		return err
	}
	typePos := p.Pos()
	t, err := p.Type()
	if err != nil {
		return err
	}
	if err := p.ResolveAll(s, s.Pos, uses[:], []*mlir.Type{t, t}); err != nil {
		return err
	}
	v, ok := p.Context.Enum("llvm", enum).Case(word)
	if !ok {
		return p.Errorf(pos, "'%s' is an incorrect value of the 'predicate' attribute", word)
	}
	s.SetAttr("predicate", p.Context.I64Attr(v))
	if !isCompatible(t) {
		return p.Errorf(typePos, "expected LLVM dialect-compatible type")
	}
	s.Types = []*mlir.Type{boolOfShape(p.Context, t)}
	return nil
}

// boolOfShape returns i1, or the vector of i1 with the length of t.
func boolOfShape(c *mlir.Context, t *mlir.Type) *mlir.Type {
	switch {
	case t.Kind == mlir.VectorKind:
		return c.VectorType(t.Shape, t.Scalable, c.Integer(1))
	case t.IsDialect("llvm", "vec") && t.Params[0].Kind == mlir.WordParam:
		return c.VectorType([]int64{t.Params[1].Int}, []bool{true}, c.Integer(1))
	case t.IsDialect("llvm", "vec"):
		return c.Vector(c.Integer(1), t.Params[0].Int)
	}
	return c.Integer(1)
}

func printCompare(p *mlir.Printer, o *mlir.Op, enum string) {
	p.Str(" ")
	p.Quoted(p.Enum("llvm", enum).Spelling(o.Attr("predicate").Int))
	p.Str(" ")
	p.Operands(o.Operands)
	p.AttrDict(withoutFastMath(o, "predicate"))
	p.Str(" : ")
	p.Type(o.Operand(0).Type)
}

func parseAlloca(p *mlir.Parser, s *mlir.OpState) error {
	if p.OptionalLiteral("inalloca") {
		s.SetAttr("inalloca", p.Context.Unit())
	}
	u, err := p.Operand()
	if err == nil {
		err = p.Literal("x")
	}
	if err != nil {
		return err
	}
	elem, err := p.Type()
	if err != nil {
		return err
	}
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	if err := p.Literal(":"); err != nil {
		return err
	}
	pos := p.Pos()
	t, err := p.Type()
	if err != nil {
		return err
	}
	if a := s.Attr("alignment"); a != nil {
		if a.Kind != mlir.IntegerAttr {
			return p.Errorf(s.Pos, "expected integer alignment")
		}
		if a.Int == 0 {
			s.RemoveAttr("alignment")
		}
	}
	if t.Kind != mlir.FunctionKind || len(t.Ins) != 1 || len(t.Outs) != 1 {
		return p.Errorf(pos, "expected trailing function type with one argument and one result")
	}
	if t.Outs[0].IsDialect("llvm", "ptr") {
		s.SetAttr("elem_type", p.Context.TypeAttr(elem))
	}
	s.Types = t.Outs
	return p.ResolveAll(s, s.Pos, []mlir.Operand{u}, t.Ins)
}

func printAlloca(p *mlir.Printer, o *mlir.Op) {
	if o.Attr("inalloca") != nil {
		p.Str(" inalloca")
	}
	p.Str(" ")
	p.Operand(o.Operand(0))
	p.Str(" x ")
	p.Type(o.Attr("elem_type").Type)
	if a := o.Attr("alignment"); a != nil && a.Int != 0 {
		p.OptionalAttrDict(o, "elem_type", "inalloca")
	} else {
		p.OptionalAttrDict(o, "elem_type", "inalloca", "alignment")
	}
	p.Str(" : ")
	p.FunctionalType(o)
}

// dynamicIndex appears for an index that is an operand.
const dynamicIndex = -1 << 31

// parseIndices reads "%a, 4": operands, and constants in an array that has
// dynamicIndex in place of the operands.
func parseIndices(f *mlir.FormatState, args []string) error {
	var static []int64
	err := f.CommaList(0, func() error {
		if f.AtInteger() || f.AtLiteral("-") {
			n, err := f.Integer()
			static = append(static, n)
			return err
		}
		u, err := f.Operand()
		static = append(static, dynamicIndex)
		f.AddOperand(args[0], u)
		return err
	})
	f.State.SetAttr(args[1], f.Context.DenseI32Array(static...))
	return err
}

func printIndices(p *mlir.Printer, o *mlir.Op, args []string) {
	values := o.Named(args[0])
	for i, n := range o.Attr(args[1]).Int64s() {
		if i > 0 {
			p.Str(", ")
		}
		if n == dynamicIndex && len(values) > 0 {
			p.Operand(values[0])
			values = values[1:]
			continue
		}
		p.Int(n)
	}
}

// parseLinkage reads a linkage if it follows; "external" is the default.
func parseLinkage(f *mlir.FormatState, args []string) error {
	f.State.SetAttr(args[0], enumKeyword(f.Parser, "linkage", "external"))
	return nil
}

func printLinkage(p *mlir.Printer, o *mlir.Op, args []string) { p.Str(o.Attr(args[0]).Text) }

// parseAttrs reads attributes. Edition 19 has a directive for them, which does
// not print fast math flags that permit nothing, and prints another blank.
func parseAttrs(f *mlir.FormatState, _ []string) error { return f.OptionalAttrDict(f.State) }

func printAttrs(p *mlir.Printer, o *mlir.Op, _ []string) {
	p.AttrDict(withoutFastMath(o, "overflowFlags"))
}

// parseOverflow reads "overflow<nsw>" if it is there.
func parseOverflow(f *mlir.FormatState, args []string) error {
	e := f.Context.Enum("llvm", "overflow")
	a := f.Context.EnumAttr(e, 0)
	if f.OptionalLiteral("overflow") {
		var err error
		if a, err = f.EnumBody(e); err != nil {
			return err
		}
	}
	f.State.SetAttr(args[0], a)
	return nil
}

func printOverflow(p *mlir.Printer, o *mlir.Op, args []string) {
	if a := o.Attr(args[0]); a != nil && a.Int != 0 {
		p.Str(" overflow<" + a.Text + ">")
	}
}

// parseSwitchCases reads "[1: ^a, 5: ^b(%x : i32)]".
func parseSwitchCases(f *mlir.FormatState, args []string) error {
	if err := f.Literal("["); err != nil {
		return err
	}
	if f.OptionalLiteral("]") {
		return nil
	}
	var values []int64
	err := f.CommaList(0, func() error {
		n, err := f.Integer()
		if err == nil {
			err = f.Literal(":")
		}
		if err != nil {
			return err
		}
		values = append(values, n)
		return parseSuccessor(f, args[3])
	})
	if err != nil {
		return err
	}
	types := f.GroupTypes(args[0])
	if len(types) == 1 && types[0].Kind == mlir.IntegerKind {
		f.State.SetAttr(args[1], f.Context.DenseInts(types[0], values))
	}
	return f.Literal("]")
}

// parseSuccessor reads a block with the operands passed to it, which are added to a
// nested group.
func parseSuccessor(f *mlir.FormatState, name string) error {
	b, err := f.Successor()
	if err != nil {
		return err
	}
	f.State.Successors = append(f.State.Successors, mlir.Successor{Block: b})
	var uses []mlir.Operand
	var types []*mlir.Type
	if f.OptionalLiteral("(") {
		if uses, err = f.Operands(); err != nil {
			return err
		}
		if types, err = f.ColonTypes(); err != nil {
			return err
		}
		if err := f.Literal(")"); err != nil {
			return err
		}
	}
	f.AddNested(name, uses, types)
	return nil
}

func printSwitchCases(p *mlir.Printer, o *mlir.Op, args []string) {
	p.Str("[")
	p.NewLine()
	values := o.Attr(args[1])
	if values == nil {
		p.Str("]")
		return
	}
	groups := o.NestedGroups(args[3])
	for i := range values.NumElements() {
		if i > 0 {
			p.Str(",")
			p.NewLine()
		}
		p.Str("  ")
		p.Str(caseValue(values, i, p.Edition()))
		p.Str(": ")
		p.SuccessorAndUses(o.Successors[i+1].Block, groups[i])
	}
	p.NewLine()
	p.Str("]")
}

// caseValue returns the value of a case, which edition 19 prints as unsigned.
func caseValue(values *mlir.Attr, i int, e mlir.Edition) string {
	n := values.Element(i)
	if w := values.Type.Elem.Width; e == mlir.Edition19 && w < 64 {
		n &= 1<<w - 1
	}
	if e == mlir.Edition19 {
		return strconv.FormatUint(uint64(n), 10)
	}
	return strconv.FormatInt(n, 10)
}

// parseTargets reads "[^a, ^b(%x : i32)]" of indirectbr.
func parseTargets(f *mlir.FormatState, args []string) error {
	if err := f.Literal("["); err != nil {
		return err
	}
	if f.OptionalLiteral("]") {
		return nil
	}
	err := f.CommaList(0, func() error { return parseSuccessor(f, args[2]) })
	if err != nil {
		return err
	}
	return f.Literal("]")
}

func printTargets(p *mlir.Printer, o *mlir.Op, args []string) {
	p.Str("[")
	groups := o.NestedGroups(args[2])
	for i, s := range o.Successors {
		if i > 0 {
			p.Str(",")
		}
		p.NewLine()
		var uses []*mlir.Use
		if i < len(groups) {
			uses = groups[i]
		}
		p.SuccessorAndUses(s.Block, uses)
	}
	p.NewLine()
	p.Str("]")
}

// parseMemberType finds the type of a member of an aggregate; args are the value
// that has it, the aggregate and the position.
func parseMemberType(f *mlir.FormatState, args []string) error {
	t, err := memberType(f.GroupTypes(args[1])[0], f.State.Attr(args[2]).Int64s())
	if err != nil {
		return f.Errorf(f.Pos(), "%s", err)
	}
	f.SetTypes(args[0], []*mlir.Type{t})
	return nil
}

// parseShuffleType finds the type of a shuffle: the element type of the first
// vector and the length of the mask.
func parseShuffleType(f *mlir.FormatState, args []string) error {
	t, mask := f.GroupTypes(args[0])[0], f.State.Attr(args[2])
	if !isVector(t) {
		return f.Errorf(f.Pos(), "expected an LLVM compatible vector type")
	}
	f.SetTypes(args[1], []*mlir.Type{vectorLike(f.Context, t, int64(mask.NumElements()))})
	return nil
}

func isVector(t *mlir.Type) bool {
	return t.Kind == mlir.VectorKind && len(t.Shape) == 1 || t.IsDialect("llvm", "vec")
}

// vectorLike returns the vector type of n elements of a vector's element type.
func vectorLike(c *mlir.Context, t *mlir.Type, n int64) *mlir.Type {
	if t.Kind == mlir.VectorKind {
		return c.VectorType([]int64{n}, t.Scalable, t.Elem)
	}
	params := slices.Clone(t.Params)
	params[len(params)-2].Int = n
	return c.DialectType("llvm", "vec", params...)
}

func printNothing(*mlir.Printer, *mlir.Op, []string) {}
