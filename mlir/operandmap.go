package mlir

// An OperandMap is an affine map that a text writes with operands in place of
// dimensions and symbols: "[%i + symbol(%n), 4]".
type OperandMap struct {
	Map     *AffineMap
	Dims    []Operand
	Symbols []Operand

	scope *affineScope
}

// NewOperandMap returns an empty map, to which Add appends results.
func NewOperandMap() *OperandMap {
	m := &OperandMap{Map: &AffineMap{}, scope: &affineScope{names: map[string]*Expr{}}}
	m.scope.ssa = m.operand
	return m
}

// operand returns the dimension or symbol of an operand, a new one at its first
// use.
func (m *OperandMap) operand(u Operand, symbol bool) (*Expr, error) {
	key := u.spelling()
	if e := m.scope.names[key]; e != nil {
		return e, nil
	}
	var e *Expr
	if symbol {
		e = Symbol(m.Map.Symbols)
		m.Map.Symbols++
		m.Symbols = append(m.Symbols, u)
	} else {
		e = Dim(m.Map.Dims)
		m.Map.Dims++
		m.Dims = append(m.Dims, u)
	}
	m.scope.names[key] = e
	return e, nil
}

// Add reads one result of the map.
func (m *OperandMap) Add(p *Parser) error {
	e, err := p.affineExpr(m.scope)
	m.Map.Results = append(m.Map.Results, e)
	return err
}

// Operands returns the operands of the dimensions and after them the ones of the
// symbols.
func (m *OperandMap) Operands() []Operand {
	return append(append([]Operand(nil), m.Dims...), m.Symbols...)
}

// OperandMap reads results of a map in brackets.
func (p *Parser) OperandMap(open byte) (*OperandMap, error) {
	m := NewOperandMap()
	return m, p.CommaList(open, func() error { return m.Add(p) })
}

// AffineMap reads a map without "affine_map<" before it.
func (p *Parser) AffineMap() (*AffineMap, error) {
	pos := p.tok.start
	m, s, err := p.affine()
	if s != nil {
		err = p.PlainErrorf(pos, "expected AffineMap, but got IntegerSet")
	}
	return m, err
}

// OperandExprs writes results of a map with the names of operands: first
// of dimensions, of which there are dims, then of symbols.
func (p *Printer) OperandExprs(list []*Expr, dims int, operands []*Use) {
	outer := p.exprName
	p.exprName = func(e *Expr) {
		if e.Kind == DimExpr {
			p.Operand(operands[e.Value].Value)
			return
		}
		p.str("symbol(")
		p.Operand(operands[dims+int(e.Value)].Value)
		p.byte(')')
	}
	for i, e := range list {
		if i > 0 {
			p.str(", ")
		}
		p.expr(e, false)
	}
	p.exprName = outer
}

// BareArgument writes the name of an argument, and its location if these are
// printed.
func (p *Printer) BareArgument(v *Value) {
	p.Operand(v)
	if p.Options.DebugInfo {
		p.argLocation(v)
	}
}

// OpAlone writes an operation without names of its results and without location.
func (p *Printer) OpAlone(o *Op) { p.customOrGeneric(o) }

// OptionalResultTypes writes " -> " and the types of the results, if there are
// any.
func (p *Printer) OptionalResultTypes(o *Op) {
	if len(o.Results) > 0 {
		p.str(" -> ")
		p.ResultTypes(o)
	}
}

// OperandList reads operands in brackets; optional brackets may be missing.
func (p *Parser) OperandList(open byte, optional bool) (list []Operand, err error) {
	if optional && !p.isPunct(open) {
		return nil, nil
	}
	err = p.CommaList(open, func() error {
		u, err := p.Operand()
		list = append(list, u)
		return err
	})
	return list, err
}

// ResolveSame resolves and adds operands of one type to an operation.
func (p *Parser) ResolveSame(s *OpState, list []Operand, t *Type) error {
	for _, u := range list {
		v, err := p.Resolve(u, t)
		if err != nil {
			return err
		}
		s.Operands = append(s.Operands, v)
	}
	return nil
}

// ArgumentList reads "(%a, %b)": arguments of a region, all of type t.
func (p *Parser) ArgumentList(t *Type) (list []Argument, err error) {
	err = p.CommaList('(', func() error {
		a, err := p.Argument(false, false)
		a.Type = t
		list = append(list, a)
		return err
	})
	return list, err
}

// StaticOrOperands reads constants and operands in brackets: operands, and the
// constants with Dynamic in place of the operands.
func (p *Parser) StaticOrOperands(open byte) (static []int64, dynamic []Operand, err error) {
	err = p.CommaList(open, func() error {
		if p.isOperand() {
			u, err := p.Operand()
			static, dynamic = append(static, Dynamic), append(dynamic, u)
			return err
		}
		n, err := p.Integer()
		static = append(static, n)
		return err
	})
	return static, dynamic, err
}

// SetSegments stores the sizes of the groups of operands.
func (s *OpState) SetSegments(c *Context, sizes ...int) {
	list := make([]int64, len(sizes))
	for i, n := range sizes {
		list[i] = int64(n)
	}
	s.SetAttr(operandSegments, c.DenseI32Array(list...))
}

// DenseIntsOf returns integers as dense elements of a shaped type of rank 1.
func (c *Context) DenseIntsOf(t *Type, values []int64) *Attr {
	splat := len(values) > 0
	for _, v := range values {
		splat = splat && v == values[0]
	}
	if splat {
		values = values[:1]
	}
	return c.DenseElements(t, appendRawInts(nil, values, denseSize(t.Elem)), splat)
}

// AddSuccessor reads the name of a block and adds it to the successors, for
// directives.
func (f *FormatState) AddSuccessor() error {
	b, err := f.Successor()
	f.State.Successors = append(f.State.Successors, Successor{b})
	return err
}

// Assignments reads "(%arg = %init, …)".
func (p *Parser) Assignments() (args []Argument, inits []Operand, err error) {
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

// Words returns an array of enumerations as an array of their words.
func (p *Printer) Words(a *Attr) *Attr {
	list := make([]*Attr, len(a.List))
	for i, e := range a.List {
		list[i] = p.ctx.String(e.Text)
	}
	return p.ctx.Array(list...)
}

// Uint writes an unsigned integer.
func (p *Printer) Uint(v uint64) { p.uint(v) }
