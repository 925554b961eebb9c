package gpu

import "github.com/gfx-toolchain/gfx/mlir"

// The arguments of a launch's body: identifiers of block and thread, sizes of
// grid and block, and with clusters the identifier and size of the cluster.
const (
	plainArgs   = 12
	clusterArgs = 18
)

// A dimension is a part of a launch's head, such as
// "blocks(%x, %y, %z) in (%sx = %a, %sy = %b, %sz = %c)".
type dimension struct {
	word        string
	ids, sizes  int // the first arguments of the body for identifiers and sizes
	operands    int // the first size among the operands
	onlyCluster bool
}

var dimensions = [...]dimension{
	{"clusters", 12, 15, 6, true},
	{"blocks", 0, 6, 0, false},
	{"threads", 3, 9, 3, false},
}

func parseLaunch(p *mlir.Parser, s *mlir.OpState) error {
	c := p.Context
	var deps []mlir.Operand
	pos := p.Pos()
	if p.OptionalLiteral("async") {
		if s.Named == 0 {
			return p.Errorf(pos, "needs to be named when marked 'async'")
		}
		s.Types = []*mlir.Type{token(c)}
	}
	if p.AtLiteral("[") {
		err := p.CommaList('[', func() error {
			u, err := p.Operand()
			deps = append(deps, u)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := resolve(p, s, deps, token(c)); err != nil {
		return err
	}
	args, sizes, err := parseDimensions(p)
	if err != nil {
		return err
	}
	if err := resolve(p, s, sizes, c.Index()); err != nil {
		return err
	}
	shared := int64(0)
	if p.OptionalLiteral("dynamic_shared_memory_size") {
		shared = 1
		u, err := p.Operand()
		if err == nil {
			err = resolve(p, s, []mlir.Operand{u}, c.Integer(32))
		}
		if err != nil {
			return err
		}
	}
	if c.Edition == mlir.Edition22 {
		for _, name := range [...]string{"module", "function"} {
			if err := parseSymbol(p, s, name); err != nil {
				return err
			}
		}
	}
	workgroup, err := parseAttributions(p, s, "workgroup", "", false)
	if err != nil {
		return err
	}
	s.SetAttr("workgroup_attributions", c.I64Attr(int64(len(workgroup))))
	private, err := parseAttributions(p, s, "private", "", false)
	if err != nil {
		return err
	}
	if _, err := p.Region(s, append(append(args, workgroup...), private...)...); err != nil {
		return err
	}
	cluster := int64(0)
	if len(args) == clusterArgs {
		cluster = 1
	}
	if err := p.OptionalAttrDict(s); err != nil {
		return err
	}
	s.SetAttr("operandSegmentSizes", c.DenseI32Array(int64(len(deps)), 1, 1, 1, 1, 1, 1, cluster, cluster, cluster, shared))
	return nil
}

func resolve(p *mlir.Parser, s *mlir.OpState, uses []mlir.Operand, t *mlir.Type) error {
	for _, u := range uses {
		v, err := p.Resolve(u, t)
		if err != nil {
			return err
		}
		s.Operands = append(s.Operands, v)
	}
	return nil
}

// parseSymbol reads "module(@name)" if it is there.
func parseSymbol(p *mlir.Parser, s *mlir.OpState, name string) error {
	if !p.OptionalLiteral(name) {
		return nil
	}
	if err := p.Literal("("); err != nil {
		return err
	}
	pos := p.Pos()
	a, err := p.Attr()
	if err != nil {
		return err
	}
	if a.Kind != mlir.SymbolRefAttr || len(a.List) > 0 {
		return p.Errorf(pos, "invalid kind of attribute specified")
	}
	s.SetAttr(name, a)
	return p.Literal(")")
}

// parseDimensions reads the sizes of grid and blocks and the names of the body's
// arguments.
func parseDimensions(p *mlir.Parser) (args []mlir.Argument, sizes []mlir.Operand, err error) {
	args, sizes = make([]mlir.Argument, plainArgs), make([]mlir.Operand, 6)
	if p.AtLiteral("clusters") {
		args, sizes = make([]mlir.Argument, clusterArgs), make([]mlir.Operand, 9)
	}
	for i := range dimensions {
		d := &dimensions[i]
		if d.onlyCluster && len(args) == plainArgs {
			continue
		}
		if err := p.Literal(d.word); err != nil {
			return nil, nil, err
		}
		if err := parseDimension(p, args[d.ids:d.ids+3], args[d.sizes:d.sizes+3], sizes[d.operands:d.operands+3]); err != nil {
			return nil, nil, err
		}
	}
	for i := range args {
		args[i].Type = p.Context.Index()
	}
	return args, sizes, nil
}

func parseDimension(p *mlir.Parser, ids, sizes []mlir.Argument, operands []mlir.Operand) error {
	if err := p.Literal("("); err != nil {
		return err
	}
	err := separated(p, func(i int) (err error) {
		ids[i], err = p.Argument(false, false)
		return err
	})
	for _, word := range [...]string{")", "in", "("} {
		if err == nil {
			err = p.Literal(word)
		}
	}
	if err != nil {
		return err
	}
	err = separated(p, func(i int) (err error) {
		if sizes[i], err = p.Argument(false, false); err != nil {
			return err
		}
		if err = p.Literal("="); err != nil {
			return err
		}
		operands[i], err = p.Operand()
		return err
	})
	if err != nil {
		return err
	}
	return p.Literal(")")
}

// separated calls f for three elements with commas between them.
func separated(p *mlir.Parser, f func(i int) error) error {
	for i := range 3 {
		if i > 0 {
			if err := p.Literal(","); err != nil {
				return err
			}
		}
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

func printLaunch(p *mlir.Printer, o *mlir.Op) {
	if len(o.Results) > 0 {
		p.Str(" async")
		if deps := o.Named("asyncDependencies"); len(deps) > 0 {
			p.Str(" [")
			p.Values(deps)
			p.Str("]")
		}
	}
	args := o.Regions[0].Entry().Args
	sizes := o.Operands[len(o.Named("asyncDependencies")):]
	n := launchArgs(o)
	for i := range dimensions {
		if d := &dimensions[i]; !d.onlyCluster || n == clusterArgs {
			printDimension(p, d, args, sizes[d.operands:])
		}
	}
	if v := o.Named("dynamicSharedMemorySize"); len(v) > 0 {
		p.Str(" dynamic_shared_memory_size ")
		p.Operand(v[0])
	}
	for _, name := range [...]string{"module", "function"} {
		if a := o.Attr(name); a != nil {
			p.Str(" " + name + "(")
			p.Symbol(a.Text)
			p.Str(")")
		}
	}
	workgroup, private := attributions(o, n)
	printAttributions(p, " workgroup(", workgroup, nil)
	printAttributions(p, " private(", private, nil)
	p.Str(" ")
	p.Region(o.Regions[0], false, true, false)
	p.OptionalAttrDict(o, "operandSegmentSizes", "workgroup_attributions", "module", "function")
}

// launchArgs returns the number of arguments of the body before the buffers.
func launchArgs(o *mlir.Op) int {
	if len(o.Named("clusterSizeX")) > 0 && len(o.Named("clusterSizeY")) > 0 && len(o.Named("clusterSizeZ")) > 0 {
		return clusterArgs
	}
	return plainArgs
}

func printDimension(p *mlir.Printer, d *dimension, args []*mlir.Value, operands []*mlir.Use) {
	p.Str(" " + d.word + "(")
	p.Values(args[d.ids : d.ids+3])
	p.Str(") in (")
	for i := range 3 {
		if i > 0 {
			p.Str(", ")
		}
		p.Operand(args[d.sizes+i])
		p.Str(" = ")
		p.Operand(operands[i].Value)
	}
	p.Str(")")
}
