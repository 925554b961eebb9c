package memref

import (
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// resultName returns the name of a result: the operation's, or one of its own.
func resultName(o *mlir.Op, _ int) string {
	switch _, name, _ := strings.Cut(o.Name, "."); name {
	case "extract_aligned_pointer_as_index":
		return "intptr"
	case "memory_space_cast":
		return "memspacecast"
	case "assume_alignment":
		return "assume_align"
	default:
		return name
	}
}

// metadataName names the first result of each group.
func metadataName(o *mlir.Op, i int) string {
	at := 0
	for g := range o.Def.Results {
		if at == i && len(o.ResultGroup(g)) > 0 {
			return o.Def.Results[g].Name
		}
		at += len(o.ResultGroup(g))
	}
	return ""
}

func parseAtomic(p *mlir.Parser, s *mlir.OpState) error {
	u, err := p.Operand()
	if err != nil {
		return err
	}
	index, err := p.OperandList('[', false)
	if err != nil {
		return err
	}
	t, err := colonMemRef(p)
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{u}, t)
	}
	if err == nil {
		err = p.ResolveSame(s, index, p.Context.Index())
	}
	if err != nil {
		return err
	}
	s.Types = []*mlir.Type{t.Elem}
	if _, err := p.Region(s); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

func colonMemRef(p *mlir.Parser) (*mlir.Type, error) {
	if err := p.Literal(":"); err != nil {
		return nil, err
	}
	return memRef(p)
}

func memRef(p *mlir.Parser) (*mlir.Type, error) {
	pos := p.Pos()
	t, err := p.Type()
	if err == nil && t.Kind != mlir.MemRefKind {
		err = p.Errorf(pos, "invalid kind of type specified")
	}
	return t, err
}

func printAtomic(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operand(o.Operand(0))
	p.Str("[")
	p.Operands(o.Operands[1:])
	p.Str("] : ")
	p.Type(o.Operand(0).Type)
	p.Str(" ")
	p.Region(o.Regions[0], true, true, false)
	p.OptionalAttrDict(o)
}

func parseTranspose(p *mlir.Parser, s *mlir.OpState) error {
	u, err := p.Operand()
	if err != nil {
		return err
	}
	m, err := p.AffineMap()
	if err == nil {
		err = p.OptionalAttrDict(s)
	}
	if err != nil {
		return err
	}
	from, err := colonMemRef(p)
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{u}, from)
	}
	if err == nil {
		err = p.Literal("to")
	}
	if err != nil {
		return err
	}
	to, err := memRef(p)
	s.Types = []*mlir.Type{to}
	s.SetAttr("permutation", p.Context.MapAttr(m))
	return err
}

func printTranspose(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operand(o.Operand(0))
	p.Str(" ")
	p.Str(o.Attr("permutation").Map.String())
	p.OptionalAttrDict(o, "permutation")
	p.Str(" : ")
	p.Type(o.Operand(0).Type)
	p.Str(" to ")
	p.Type(o.Result(0).Type)
}

func parseScope(p *mlir.Parser, s *mlir.OpState) error {
	var err error
	if s.Types, err = p.OptionalArrowTypes(); err != nil {
		return err
	}
	if _, err := p.Region(s); err != nil {
		return err
	}
	return p.OptionalAttrDict(s)
}

func printScope(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	results := len(o.Results) > 0
	if results {
		p.Str(" -> (")
		p.ValueTypes(o.Results)
		p.Str(")")
	}
	p.Str(" ")
	p.Region(o.Regions[0], false, results, false)
	p.OptionalAttrDict(o)
}

func parsePrefetch(p *mlir.Parser, s *mlir.OpState) error {
	u, err := p.Operand()
	if err != nil {
		return err
	}
	index, err := p.OperandList('[', false)
	if err == nil {
		err = p.Prefetched(s)
	}
	if err != nil {
		return err
	}
	t, err := colonMemRef(p)
	if err == nil {
		err = p.ResolveSame(s, []mlir.Operand{u}, t)
	}
	if err != nil {
		return err
	}
	return p.ResolveSame(s, index, p.Context.Index())
}

func printPrefetch(p *mlir.Printer, o *mlir.Op) {
	p.Str(" ")
	p.Operand(o.Operand(0))
	p.Str("[")
	p.Operands(o.Operands[1:])
	p.Str("]")
	p.Prefetched(o)
	p.OptionalAttrDict(o, "localityHint", "isWrite", "isDataCache")
	p.Str(" : ")
	p.Type(o.Operand(0).Type)
}

// dmaParts are the operands of dma_start in order: whether indices follow.
var dmaParts = [...]bool{true, true, false, true}

func parseDMA(p *mlir.Parser, s *mlir.OpState) error {
	var memrefs []mlir.Operand
	var indices [len(dmaParts)][]mlir.Operand
	for i, indexed := range dmaParts {
		if i > 0 {
			if err := p.Literal(","); err != nil {
				return err
			}
		}
		u, err := p.Operand()
		if err == nil && indexed {
			indices[i], err = p.OperandList('[', false)
		}
		if err != nil {
			return err
		}
		memrefs = append(memrefs, u)
	}
	var stride []mlir.Operand
	for p.OptionalLiteral(",") {
		u, err := p.Operand()
		if err != nil {
			return err
		}
		stride = append(stride, u)
	}
	if len(stride) != 0 && len(stride) != 2 {
		return p.Errorf(s.Pos, "expected two stride related operands")
	}
	types, err := p.ColonTypes()
	if err != nil {
		return err
	}
	if len(types) != 3 {
		return p.Errorf(s.Pos, "fewer/more types expected")
	}
	index := p.Context.Index()
	for i, t := range []*mlir.Type{types[0], types[1], index, types[2]} {
		if err := p.ResolveSame(s, memrefs[i:i+1], t); err != nil {
			return err
		}
		if err := p.ResolveSame(s, indices[i], index); err != nil {
			return err
		}
	}
	return p.ResolveSame(s, stride, index)
}

// dmaGroups divides the operands of dma_start: source, target and tag with
// indices, the number of elements, and the strides. It is nil if they do not fit.
func dmaGroups(o *mlir.Op) [][]*mlir.Use {
	rest := o.Operands
	var groups [][]*mlir.Use
	for _, indexed := range dmaParts {
		n := 1
		if len(rest) > 0 && indexed {
			if rest[0].Value.Type.Kind != mlir.MemRefKind {
				return nil
			}
			n += len(rest[0].Value.Type.Shape)
		}
		if n > len(rest) {
			return nil
		}
		groups = append(groups, rest[:n])
		rest = rest[n:]
	}
	return append(groups, rest)
}

func printDMA(p *mlir.Printer, o *mlir.Op) {
	groups := dmaGroups(o)
	if groups == nil {
		return
	}
	for i, indexed := range dmaParts {
		p.Str([]string{" ", ", "}[min(i, 1)])
		p.Operand(groups[i][0].Value)
		if indexed {
			p.Str("[")
			p.Operands(groups[i][1:])
			p.Str("]")
		}
	}
	if stride := groups[len(dmaParts)]; len(stride) > 0 {
		p.Str(", ")
		p.Operands(stride)
	}
	p.OptionalAttrDict(o)
	for i, g := range []int{0, 1, 3} {
		p.Str([]string{" : ", ", "}[min(i, 1)])
		p.Type(groups[g][0].Value.Type)
	}
}

// parseGlobal reads the type of a global variable and "= " its value, or
// "= uninitialized".
func parseGlobal(f *mlir.FormatState, args []string) error {
	t, err := f.Type()
	if err != nil {
		return err
	}
	if t.Kind != mlir.MemRefKind || !t.HasStaticShape() {
		return f.Errorf(f.State.Pos, "type should be static shaped memref, but got %s", t)
	}
	c := f.Context
	f.State.SetAttr(args[0], c.TypeAttr(t))
	if !f.OptionalLiteral("=") {
		return nil
	}
	if f.OptionalLiteral("uninitialized") {
		f.State.SetAttr(args[1], c.Unit())
		return nil
	}
	a, err := f.AttrOfType(c.TensorType(t.Shape, t.Elem, nil))
	if err != nil {
		return err
	}
	switch a.Kind {
	case mlir.DenseElementsAttr, mlir.SparseElementsAttr, mlir.DenseResourceAttr:
		f.State.SetAttr(args[1], a)
		return nil
	}
	return f.Errorf(f.State.Pos, "initial value should be a unit or elements attribute")
}

func printGlobal(p *mlir.Printer, o *mlir.Op, args []string) {
	p.Type(o.Attr(args[0]).Type)
	switch a := o.Attr(args[1]); {
	case a == nil:
	case a.Kind == mlir.UnitAttr:
		p.Str(" = uninitialized")
	default:
		p.Str(" = ")
		p.Untyped(a)
	}
}

// sameTypes are the types of the operands.
func sameTypes(_ *mlir.Context, s *mlir.OpState) ([]*mlir.Type, error) {
	var list []*mlir.Type
	for _, v := range s.Operands {
		list = append(list, v.Type)
	}
	return list, nil
}
