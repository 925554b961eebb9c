package cf

import "github.com/gfx-toolchain/gfx/mlir"

// The arguments of the directive SwitchOpCases.
const (
	flagArg            = 0
	defaultOperandsArg = 2
	caseValuesArg      = 4
	caseOperandsArg    = 6
)

// parseCases reads "default: ^bb1, 4: ^bb2(%a : i32)".
func parseCases(f *mlir.FormatState, args []string) error {
	if err := f.Literal("default"); err != nil {
		return err
	}
	uses, types, err := parseTarget(f)
	if err != nil {
		return err
	}
	for _, u := range uses {
		f.AddOperand(args[defaultOperandsArg], u)
	}
	f.SetTypes(args[defaultOperandsArg], types)
	f.SetTypes(args[caseOperandsArg], nil)
	var values []int64
	for f.OptionalLiteral(",") {
		v, err := f.Integer()
		if err != nil {
			return err
		}
		values = append(values, v)
		if uses, types, err = parseTarget(f); err != nil {
			return err
		}
		f.AddNested(args[caseOperandsArg], uses, types)
	}
	if flag := f.GroupTypes(args[flagArg]); len(values) > 0 && len(flag) == 1 {
		f.State.SetAttr(args[caseValuesArg], f.Context.DenseInts(flag[0], values))
	}
	return nil
}

// parseTarget reads ": ^block(%a : type)".
func parseTarget(f *mlir.FormatState) (uses []mlir.Operand, types []*mlir.Type, err error) {
	if err = f.Literal(":"); err != nil {
		return nil, nil, err
	}
	if err = f.AddSuccessor(); err != nil || !f.OptionalLiteral("(") {
		return nil, nil, err
	}
	pos := f.Pos()
	if uses, err = f.Operands(); err != nil {
		return nil, nil, err
	}
	if types, err = f.ColonTypes(); err != nil {
		return nil, nil, err
	}
	if len(uses) != len(types) {
		return nil, nil, f.Errorf(pos, "%d operands present, but expected %d", len(uses), len(types))
	}
	return uses, types, f.Literal(")")
}

func printCases(p *mlir.Printer, o *mlir.Op, args []string) {
	p.Str("  default: ")
	p.SuccessorAndUses(o.Successors[0].Block, o.OperandGroup(1))
	values := o.Attr(args[caseValuesArg])
	if values == nil {
		return
	}
	groups := o.NestedGroups(args[caseOperandsArg])
	for i, s := range o.Successors[1:] {
		p.Str(",")
		p.NewLine()
		p.Str("  ")
		p.Uint(unsigned(values, i))
		p.Str(": ")
		var uses []*mlir.Use
		if i < len(groups) {
			uses = groups[i]
		}
		p.SuccessorAndUses(s.Block, uses)
	}
	p.NewLine()
}

// unsigned returns a case's value as an unsigned integer of the flag's width.
func unsigned(values *mlir.Attr, i int) uint64 {
	v := uint64(values.Element(i))
	if w := values.Type.Elem.Width; w > 0 && w < 64 {
		v &= 1<<w - 1
	}
	return v
}
