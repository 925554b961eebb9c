package mlir

// affineScope holds the names of dimensions and symbols of a map or set.
type affineScope struct {
	names         map[string]*Expr
	dims, symbols int
	// ssa resolves the name of a value in a map written with operands, or is nil.
	ssa func(u Operand, symbol bool) (*Expr, error)
}

// affineInBrackets reads "<(d0)[s0] -> (d0 + s0)>" or "<(d0) : (d0 >= 0)>".
func (p *Parser) affineInBrackets(set bool) (*AffineMap, *IntegerSet, error) {
	if err := p.punct('<'); err != nil {
		return nil, nil, err
	}
	pos := p.tok.start
	if !set {
		m, err := p.AffineMap()
		if err != nil {
			return nil, nil, err
		}
		return m, nil, p.punct('>')
	}
	m, s, err := p.affine()
	switch {
	case err != nil:
		return nil, nil, err
	case m != nil:
		return nil, nil, p.PlainErrorf(pos, "expected IntegerSet, but got AffineMap")
	}
	return nil, s, p.punct('>')
}

// affine reads a map, or a set.
func (p *Parser) affine() (*AffineMap, *IntegerSet, error) {
	a := &affineScope{names: map[string]*Expr{}}
	err := p.commaListIn('(', " in dimensional identifier list", func() error {
		a.dims++
		return p.affineName(a, Dim(a.dims-1))
	})
	if err == nil && p.isPunct('[') {
		err = p.commaListIn('[', " in symbol list", func() error {
			a.symbols++
			return p.affineName(a, Symbol(a.symbols-1))
		})
	}
	if err != nil {
		return nil, nil, err
	}
	if p.optionalPunct(':') {
		s, err := p.constraints(a)
		return nil, s, err
	}
	if p.tok.kind != tokArrow {
		return nil, nil, p.wrongToken("expected '->' or ':'")
	}
	p.next()
	m := &AffineMap{Dims: a.dims, Symbols: a.symbols}
	err = p.commaListIn('(', " in affine map range", func() error {
		e, err := p.affineExpr(a)
		m.Results = append(m.Results, e)
		return err
	})
	return m, nil, err
}

func (p *Parser) affineName(a *affineScope, e *Expr) error {
	if p.tok.kind != tokBare {
		return p.wrongToken("expected bare identifier")
	}
	name := p.tokText()
	if a.names[name] != nil {
		return p.PlainErrorf(p.tok.start, "redefinition of identifier '%s'", name)
	}
	a.names[name] = e
	p.next()
	return nil
}

func (p *Parser) constraints(a *affineScope) (*IntegerSet, error) {
	s := &IntegerSet{Dims: a.dims, Symbols: a.symbols}
	err := p.commaListIn('(', " in integer set constraint list", func() error {
		l, err := p.affineExpr(a)
		if err != nil {
			return err
		}
		mark := p.at(p.tok.start)
		if p.tok.kind != tokPunct || mark != '>' && mark != '<' && mark != '=' {
			return p.wrongToken("expected '== affine-expr' or '>= affine-expr' at end of affine constraint")
		}
		p.next()
		if !p.optionalPunct('=') {
			return p.wrongHere("expected '== affine-expr' or '>= affine-expr' at end of affine constraint")
		}
		r, err := p.affineExpr(a)
		if err != nil {
			return err
		}
		if mark == '<' {
			l, r = r, l
		}
		s.Constraints = append(s.Constraints, l.Sub(r))
		s.Equalities = append(s.Equalities, mark == '=')
		return nil
	})
	if len(s.Constraints) == 0 { // all values are in the set
		s.Constraints, s.Equalities = []*Expr{Const(0)}, []bool{true}
	}
	return s, err
}

// affineExpr reads a sum.
func (p *Parser) affineExpr(a *affineScope) (*Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	l, err := p.affineProduct(a, false)
	for err == nil {
		minus := p.isPunct('-')
		if !minus && !p.isPunct('+') {
			return l, nil
		}
		p.next()
		var r *Expr
		if r, err = p.affineProduct(a, true); err != nil {
			break
		}
		if minus {
			l = l.Sub(r)
		} else {
			l = l.Add(r)
		}
	}
	return nil, err
}

// affineProduct reads a product or quotient, on the right of a sign if right is set.
func (p *Parser) affineProduct(a *affineScope, right bool) (*Expr, error) {
	l, err := p.affineOperand(a, right)
	for err == nil {
		var kind ExprKind
		switch {
		case p.isPunct('*'):
			kind = MulExpr
		case p.isKeyword("floordiv"):
			kind = FloorDivExpr
		case p.isKeyword("ceildiv"):
			kind = CeilDivExpr
		case p.isKeyword("mod"):
			kind = ModExpr
		default:
			return l, nil
		}
		pos, word := p.tok.start, p.tokText()
		p.next()
		var r *Expr
		if r, err = p.affineOperand(a, true); err != nil {
			break
		}
		if kind == MulExpr && !l.IsSymbolic() && !r.IsSymbolic() {
			return nil, p.PlainErrorf(pos, "non-affine expression: at least one of the multiply operands has to be either a constant or symbolic")
		}
		if kind != MulExpr && !r.IsSymbolic() {
			return nil, p.PlainErrorf(pos, "non-affine expression: right operand of %s has to be either a constant or symbolic", word)
		}
		l = affineBinary(kind, l, r)
	}
	return nil, err
}

// affineOperand reads an operand, on the right of a sign or keyword if right is set.
func (p *Parser) affineOperand(a *affineScope, right bool) (*Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch {
	case p.tok.kind == tokInt:
		pos := p.tok.start
		v, err := p.uint64()
		if err == nil && int64(v) < 0 {
			err = p.PlainErrorf(pos, "constant too large for index")
		}
		return Const(int64(v)), err
	case p.optionalPunct('-'):
		e, err := p.affineOperand(a, right)
		if err != nil {
			return nil, err
		}
		return Const(-1).Mul(e), nil
	case p.optionalPunct('('):
		if p.isPunct(')') {
			return nil, p.wrongToken("no expression inside parentheses")
		}
		e, err := p.affineExpr(a)
		if err != nil {
			return nil, err
		}
		return e, p.punct(')')
	case p.tok.kind == tokPercent && a.ssa != nil:
		u, err := p.Operand()
		if err != nil {
			return nil, err
		}
		return a.ssa(u, false)
	case p.isKeyword("symbol") && a.ssa != nil:
		p.next()
		if err := p.punct('('); err != nil {
			return nil, err
		}
		u, err := p.Operand()
		if err != nil {
			return nil, err
		}
		e, err := a.ssa(u, true)
		if err != nil {
			return nil, err
		}
		return e, p.punct(')')
	case p.tok.kind == tokBare && !isAffineWord(p.tokText()):
		e := a.names[p.tokText()]
		if e == nil {
			return nil, p.wrongToken("use of undeclared identifier")
		}
		p.next()
		return e, nil
	}
	switch {
	case right:
		return nil, p.wrongHere("missing right operand of binary operator")
	case p.isPunct('+'), p.isPunct('*'), p.tok.kind == tokBare:
		return nil, p.wrongHere("missing left operand of binary operator")
	}
	return nil, p.wrongHere("expected affine expression")
}

// isAffineWord reports whether a word is an operator in affine expressions.
func isAffineWord(word string) bool { return word == "floordiv" || word == "ceildiv" || word == "mod" }
