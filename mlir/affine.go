package mlir

import (
	"slices"
)

// An ExprKind distinguishes affine expressions.
type ExprKind uint8

// The kinds of affine expressions.
const (
	ConstantExpr ExprKind = iota
	DimExpr
	SymbolExpr
	AddExpr
	MulExpr
	ModExpr
	FloorDivExpr
	CeilDivExpr
)

// An Expr is an affine expression: a sum, product, quotient or remainder of
// dimensions, symbols and constants. Expressions must not be changed; the
// functions that build them simplify as MLIR does.
type Expr struct {
	Kind     ExprKind
	Value    int64 // of a constant; position of a dimension or symbol
	LHS, RHS *Expr // of the others
}

// An AffineMap maps dimensions and symbols to results.
type AffineMap struct {
	Dims, Symbols int
	Results       []*Expr
}

// An IntegerSet is the set of dimensions and symbols that meet constraints:
// each expression is zero, or not negative.
type IntegerSet struct {
	Dims, Symbols int
	Constraints   []*Expr
	Equalities    []bool // which constraints want zero
}

// Const returns a constant expression.
func Const(v int64) *Expr { return &Expr{Kind: ConstantExpr, Value: v} }

// Dim returns the expression of a dimension.
func Dim(i int) *Expr { return &Expr{Kind: DimExpr, Value: int64(i)} }

// Symbol returns the expression of a symbol.
func Symbol(i int) *Expr { return &Expr{Kind: SymbolExpr, Value: int64(i)} }

// Equal reports whether two expressions are the same in form.
func (e *Expr) Equal(f *Expr) bool {
	if e == f {
		return true
	}
	if e.Kind != f.Kind || e.Value != f.Value {
		return false
	}
	return e.Kind < AddExpr || e.LHS.Equal(f.LHS) && e.RHS.Equal(f.RHS)
}

func (e *Expr) isConst() bool { return e.Kind == ConstantExpr }

// IsConst reports whether e is a constant v.
func (e *Expr) IsConst(v int64) bool { return e.Kind == ConstantExpr && e.Value == v }

// IsSymbolic reports whether e has no dimension.
func (e *Expr) IsSymbolic() bool {
	switch e.Kind {
	case ConstantExpr, SymbolExpr:
		return true
	case DimExpr:
		return false
	}
	return e.LHS.IsSymbolic() && e.RHS.IsSymbolic()
}

// IsPureAffine reports whether e multiplies and divides by constants alone.
func (e *Expr) IsPureAffine() bool {
	switch e.Kind {
	case ConstantExpr, SymbolExpr, DimExpr:
		return true
	case AddExpr:
		return e.LHS.IsPureAffine() && e.RHS.IsPureAffine()
	case MulExpr:
		return e.LHS.IsPureAffine() && e.RHS.IsPureAffine() && (e.LHS.isConst() || e.RHS.isConst())
	}
	return e.LHS.IsPureAffine() && e.RHS.isConst()
}

// divisor returns the largest number known to divide e.
func (e *Expr) divisor() int64 {
	switch e.Kind {
	case ConstantExpr:
		return max(e.Value, -e.Value)
	case MulExpr:
		return e.LHS.divisor() * e.RHS.divisor()
	case AddExpr, ModExpr:
		return gcd(e.LHS.divisor(), e.RHS.divisor())
	case FloorDivExpr, CeilDivExpr:
		if c := e.RHS; c.isConst() && c.Value != 0 {
			if l := e.LHS.divisor(); l%c.Value == 0 {
				return max(l/c.Value, -(l / c.Value))
			}
		}
	}
	return 1
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Add returns the sum of two expressions.
func (e *Expr) Add(f *Expr) *Expr {
	switch {
	case e.isConst() && f.isConst():
		return Const(e.Value + f.Value)
	case e.isConst(), e.IsSymbolic() && !f.IsSymbolic():
		return f.Add(e)
	case f.IsConst(0):
		return e
	case f.isConst() && e.Kind == AddExpr && e.RHS.isConst():
		return e.LHS.Add(Const(e.RHS.Value + f.Value))
	}
	if a, n := e.factor(); true {
		if b, m := f.factor(); a.Equal(b) {
			return a.Mul(Const(n + m))
		}
	}
	if e.Kind == AddExpr && e.RHS.isConst() {
		return e.LHS.Add(f).Add(e.RHS)
	}
	if m := modulo(e, f); m != nil {
		return m
	}
	return &Expr{Kind: AddExpr, LHS: e, RHS: f}
}

// factor returns e as a product of an expression and a constant.
func (e *Expr) factor() (*Expr, int64) {
	if e.Kind == MulExpr && e.RHS.isConst() {
		return e.LHS, e.RHS.Value
	}
	return e, 1
}

// modulo returns x mod c for x + (x floordiv c) * -c, and nil for other sums.
func modulo(e, f *Expr) *Expr {
	if f.Kind != MulExpr || !f.RHS.isConst() || f.LHS.Kind != FloorDivExpr {
		return nil
	}
	div := f.LHS
	if div.RHS.isConst() && div.RHS.Value == -f.RHS.Value && div.RHS.Value > 0 && div.LHS.Equal(e) {
		return e.Mod(div.RHS)
	}
	return nil
}

// Sub returns the difference of two expressions.
func (e *Expr) Sub(f *Expr) *Expr { return e.Add(f.Mul(Const(-1))) }

// Mul returns the product of two expressions.
func (e *Expr) Mul(f *Expr) *Expr {
	switch {
	case e.isConst() && f.isConst():
		return Const(e.Value * f.Value)
	case e.isConst(), !f.IsSymbolic() && e.IsSymbolic():
		return f.Mul(e)
	case f.IsConst(1):
		return e
	case f.IsConst(0):
		return f
	case f.isConst() && e.Kind == MulExpr && e.RHS.isConst():
		return e.LHS.Mul(Const(e.RHS.Value * f.Value))
	case e.Kind == MulExpr && e.RHS.isConst():
		return e.LHS.Mul(f).Mul(e.RHS)
	}
	return &Expr{Kind: MulExpr, LHS: e, RHS: f}
}

// FloorDiv returns the quotient of two expressions, rounded down.
func (e *Expr) FloorDiv(f *Expr) *Expr {
	if f.isConst() && f.Value != 0 {
		c := f.Value
		switch {
		case e.isConst():
			return Const(floorDiv(e.Value, c))
		case c == 1:
			return e
		case e.Kind == MulExpr && e.RHS.isConst() && e.RHS.Value%c == 0 && c > 0:
			return e.LHS.Mul(Const(e.RHS.Value / c))
		case e.Kind == AddExpr && c > 0 && (e.LHS.divisor()%c == 0 || e.RHS.divisor()%c == 0):
			return e.LHS.FloorDiv(f).Add(e.RHS.FloorDiv(f))
		}
	}
	return &Expr{Kind: FloorDivExpr, LHS: e, RHS: f}
}

// CeilDiv returns the quotient of two expressions, rounded up.
func (e *Expr) CeilDiv(f *Expr) *Expr {
	if f.isConst() && f.Value != 0 {
		c := f.Value
		switch {
		case e.isConst():
			return Const(-floorDiv(-e.Value, c))
		case c == 1:
			return e
		case e.Kind == MulExpr && e.RHS.isConst() && e.RHS.Value%c == 0 && c > 0:
			return e.LHS.Mul(Const(e.RHS.Value / c))
		}
	}
	return &Expr{Kind: CeilDivExpr, LHS: e, RHS: f}
}

// Mod returns the remainder of two expressions, which is not negative.
func (e *Expr) Mod(f *Expr) *Expr {
	if f.isConst() && f.Value >= 1 {
		c := f.Value
		switch {
		case e.isConst():
			return Const(e.Value - floorDiv(e.Value, c)*c)
		case e.divisor()%c == 0:
			return Const(0)
		case e.Kind == AddExpr && e.LHS.divisor()%c == 0:
			return e.RHS.Mod(f)
		case e.Kind == AddExpr && e.RHS.divisor()%c == 0:
			return e.LHS.Mod(f)
		case e.Kind == ModExpr && e.RHS.isConst() && e.RHS.Value >= 1 && e.RHS.Value%c == 0:
			return e.LHS.Mod(f)
		}
	}
	return &Expr{Kind: ModExpr, LHS: e, RHS: f}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Replace returns e with dimensions and symbols replaced by expressions, and
// simplified.
func (e *Expr) Replace(dims, symbols []*Expr) *Expr {
	switch e.Kind {
	case ConstantExpr:
		return e
	case DimExpr:
		if int(e.Value) < len(dims) {
			return dims[e.Value]
		}
		return e
	case SymbolExpr:
		if int(e.Value) < len(symbols) {
			return symbols[e.Value]
		}
		return e
	}
	return affineBinary(e.Kind, e.LHS.Replace(dims, symbols), e.RHS.Replace(dims, symbols))
}

func affineBinary(kind ExprKind, l, r *Expr) *Expr {
	switch kind {
	case AddExpr:
		return l.Add(r)
	case MulExpr:
		return l.Mul(r)
	case ModExpr:
		return l.Mod(r)
	case FloorDivExpr:
		return l.FloorDiv(r)
	}
	return l.CeilDiv(r)
}

// String returns the expression's spelling.
func (e *Expr) String() string {
	var w writer
	w.expr(e, false)
	return string(w.buf)
}

var exprWords = [...]string{AddExpr: " + ", MulExpr: " * ", ModExpr: " mod ", FloorDivExpr: " floordiv ", CeilDivExpr: " ceildiv "}

// expr writes an expression, in parentheses if it is a sum and strong is set, or
// any operation within a product.
func (w *writer) expr(e *Expr, strong bool) {
	switch e.Kind {
	case ConstantExpr:
		w.int(e.Value)
		return
	case DimExpr, SymbolExpr:
		w.exprInput(e)
		return
	}
	if strong {
		w.byte('(')
	}
	switch {
	case e.Kind == MulExpr && e.RHS.IsConst(-1):
		w.byte('-')
		w.expr(e.LHS, true)
	case e.Kind == AddExpr:
		w.sum(e)
	default:
		w.expr(e.LHS, true)
		w.str(exprWords[e.Kind])
		w.expr(e.RHS, true)
	}
	if strong {
		w.byte(')')
	}
}

// exprInput writes a dimension or symbol.
func (w *writer) exprInput(e *Expr) {
	switch {
	case w.exprName != nil:
		w.exprName(e)
		return
	case e.Kind == DimExpr:
		w.byte('d')
	default:
		w.byte('s')
	}
	w.int(e.Value)
}

// sum writes a sum, with a minus before a negative second part.
func (w *writer) sum(e *Expr) {
	l, r := e.LHS, e.RHS
	w.expr(l, false)
	if r.Kind == MulExpr && r.RHS.isConst() {
		switch v := r.RHS.Value; {
		case v == -1:
			w.str(" - ")
			w.expr(r.LHS, r.LHS.Kind == AddExpr)
			return
		case v < -1:
			w.str(" - ")
			w.expr(r.LHS, true)
			w.str(" * ")
			w.int(-v)
			return
		}
	}
	if r.isConst() && r.Value < 0 {
		w.str(" - ")
		w.int(-r.Value)
		return
	}
	w.str(" + ")
	w.expr(r, false)
}

func (w *writer) mapInputs(dims, symbols int) {
	w.byte('(')
	w.numbered('d', dims)
	w.byte(')')
	if symbols > 0 {
		w.byte('[')
		w.numbered('s', symbols)
		w.byte(']')
	}
}

func (w *writer) numbered(letter byte, n int) {
	for i := range n {
		if i > 0 {
			w.str(", ")
		}
		w.byte(letter)
		w.int(int64(i))
	}
}

// String returns the map's spelling, "(d0)[s0] -> (d0 + s0)".
func (m *AffineMap) String() string {
	var w writer
	w.mapInputs(m.Dims, m.Symbols)
	w.str(" -> (")
	for i, e := range m.Results {
		if i > 0 {
			w.str(", ")
		}
		w.expr(e, false)
	}
	w.byte(')')
	return string(w.buf)
}

// String returns the set's spelling, "(d0)[s0] : (d0 - s0 >= 0)".
func (s *IntegerSet) String() string {
	var w writer
	w.mapInputs(s.Dims, s.Symbols)
	w.str(" : (")
	for i, e := range s.Constraints {
		if i > 0 {
			w.str(", ")
		}
		w.expr(e, false)
		w.str([]string{" >= 0", " == 0"}[count(s.Equalities[i])])
	}
	w.byte(')')
	return string(w.buf)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// IsIdentity reports whether the map's results are its dimensions in order.
func (m *AffineMap) IsIdentity() bool {
	if m.Symbols > 0 || len(m.Results) != m.Dims {
		return false
	}
	for i, e := range m.Results {
		if e.Kind != DimExpr || e.Value != int64(i) {
			return false
		}
	}
	return true
}

// Equal reports whether two maps are the same in form.
func (m *AffineMap) Equal(n *AffineMap) bool {
	return m.Dims == n.Dims && m.Symbols == n.Symbols && slices.EqualFunc(m.Results, n.Results, (*Expr).Equal)
}

// Strides returns the strides and the offset of a map from indices to one
// position, in elements; ok is false if it is not linear. Values that
// depend on symbols are Dynamic.
func (m *AffineMap) Strides() (strides []int64, offset int64, ok bool) {
	if len(m.Results) != 1 {
		return nil, 0, false
	}
	parts := make([]*Expr, m.Dims)
	for i := range parts {
		parts[i] = Const(0)
	}
	rest := Const(0)
	if !linear(m.Results[0], Const(1), parts, &rest) {
		return nil, 0, false
	}
	for _, e := range parts {
		strides = append(strides, constOrDynamic(e))
	}
	return strides, constOrDynamic(rest), true
}

func constOrDynamic(e *Expr) int64 {
	if e.isConst() {
		return e.Value
	}
	return Dynamic
}

// linear adds e times a factor to the strides and the offset.
func linear(e, by *Expr, strides []*Expr, offset **Expr) bool {
	switch e.Kind {
	case DimExpr:
		strides[e.Value] = strides[e.Value].Add(by)
		return true
	case ConstantExpr, SymbolExpr:
		*offset = (*offset).Add(e.Mul(by))
		return true
	case AddExpr:
		return linear(e.LHS, by, strides, offset) && linear(e.RHS, by, strides, offset)
	case MulExpr:
		if e.RHS.IsSymbolic() {
			return linear(e.LHS, by.Mul(e.RHS), strides, offset)
		}
	}
	if e.IsSymbolic() {
		*offset = (*offset).Add(e.Mul(by))
		return true
	}
	return false
}
