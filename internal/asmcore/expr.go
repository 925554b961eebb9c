package asmcore

// A Value is an expression: the number Const if Node is 0, else a node of the
// Parser's arena. Arithmetic is in 64 bits and wraps around.
type Value struct {
	Const int64
	Node  Node
}

// IsConst reports whether the value is a plain number.
func (v Value) IsConst() bool { return v.Node == 0 }

// Node is an index in the arena of expression nodes; 0 is none.
type Node uint32

// op is the operation of a node. The binary operators have LLVM's GNU
// precedences.
type op uint8

const (
	opNone  op = iota
	opConst    // val
	opSym      // symbol a with specifier aux
	opMinus    // − a
	opPlus     // + a
	opNot      // ~ a
	opLNot     // ! a
	opAdd      // a + b, and so on
	opSub
	opMul
	opDiv
	opMod
	opShl
	opShr // logical
	opAnd
	opOr
	opXor
	opOrNot
	opEQ
	opNE
	opLT
	opLE
	opGT
	opGE
	opLAnd
	opLOr
	opCall // function aux with the arguments of the opArg chain a
	opArg  // argument a, next opArg b
)

// opInfo lists the text and the precedence (low binds loosely) of the binary
// operators.
var opInfo = [...]struct {
	text string
	prec uint8
}{
	opAdd: {"+", 4}, opSub: {"-", 4},
	opMul: {"*", 6}, opDiv: {"/", 6}, opMod: {"%", 6}, opShl: {"<<", 6}, opShr: {">>", 6},
	opAnd: {"&", 5}, opOr: {"|", 5}, opXor: {"^", 5}, opOrNot: {"!", 5},
	opEQ: {"==", 3}, opNE: {"!=", 3}, opLT: {"<", 3}, opLE: {"<=", 3}, opGT: {">", 3}, opGE: {">=", 3},
	opLAnd: {"&&", 2}, opLOr: {"||", 1},
	opArg: {},
}

// node is a node of the expression arena.
type node struct {
	op   op
	aux  uint16 // specifier of opSym, function of opCall
	a, b Node   // operands; a is a symbol's index in opSym
	pos  uint32 // offset in its text, for messages
	val  int64  // of opConst
}

func (p *Parser) newNode(n node) Value {
	p.nodes = append(p.nodes, n)
	return Value{Node: Node(len(p.nodes) - 1)}
}

// node returns a value as a node.
func (p *Parser) node(v Value) Node {
	if v.Node == 0 {
		v = p.newNode(node{op: opConst, val: v.Const})
	}
	return v.Node
}

// NewConst returns a number as a value.
func NewConst(c int64) Value { return Value{Const: c} }

// NewSym returns a reference to a symbol.
func (p *Parser) NewSym(s *Symbol, spec Spec) Value {
	return p.newNode(node{op: opSym, aux: uint16(spec), a: Node(s.index), pos: uint32(p.Pos)})
}

// NewCall returns a call of the dialect's function fn.
func (p *Parser) NewCall(fn uint16, args ...Value) Value {
	var chain Node
	for i := len(args) - 1; i >= 0; i-- {
		chain = p.newNode(node{op: opArg, a: p.node(args[i]), b: chain}).Node
	}
	return p.fold(p.newNode(node{op: opCall, aux: fn, a: chain}))
}

// NewCallAt is NewCall with an offset in Src for errors of the call.
func (p *Parser) NewCallAt(at int, fn uint16, args ...Value) Value {
	v := p.NewCall(fn, args...)
	if !v.IsConst() {
		p.nodes[v.Node].pos = uint32(at)
	}
	return v
}

// NewBinary returns a operator b. operator is written as in the source: "+",
// "<<" …
func (p *Parser) NewBinary(operator string, a, b Value) Value {
	for o := opAdd; o <= opLOr; o++ {
		if opInfo[o].text == operator {
			return p.fold(p.binaryOp(o, a, b, p.Pos))
		}
	}
	panic("BUG: no operator " + operator)
}

// NewAdd returns v + c.
func (p *Parser) NewAdd(v Value, c int64) Value {
	if v.IsConst() {
		return Value{Const: v.Const + c}
	}
	if c == 0 {
		return v
	}
	return p.binaryNode(opAdd, v, Value{Const: c}, p.Pos)
}

// maxNodes bounds the nodes of one expression, and thereby the recursion depth.
const maxNodes = 1 << 17

// Expr skips blanks and reads an expression. It reports errors itself and
// returns ok = false after one.
func (p *Parser) Expr() (v Value, ok bool) {
	if p.exprDepth >= p.opts.Limits.ExprDepth {
		p.Errorf(p.Pos, p.Pos+1, "expression is nested too deeply")
		return Value{}, false
	}
	if p.exprDepth == 0 {
		p.exprStart = len(p.nodes)
	}
	p.exprDepth++
	v, ok = p.primary()
	if ok {
		v, ok = p.operators(1, v)
	}
	p.exprDepth--
	if ok && p.Src[p.Pos] == '@' {
		v, ok = p.lateSpecifier(v)
	}
	if ok && v.Node != 0 {
		v = p.fold(v)
	}
	return v, ok
}

// AbsExpr reads an expression whose value must be known.
func (p *Parser) AbsExpr() (c int64, ok bool) {
	p.SkipSpace()
	start := p.Pos
	v, ok := p.Expr()
	if !ok {
		return 0, false
	}
	if v.IsConst() {
		return v.Const, true
	}
	c, ok = p.absolute(v)
	if !ok {
		p.Errorf(start, p.Pos, "expected absolute expression")
	}
	return c, ok
}

// fold converts a value that is known without the layout to a plain number.
func (p *Parser) fold(v Value) Value {
	if v.Node == 0 {
		return v
	}
	e := evaluator{p: p}
	if c, ok := e.constant(v); ok {
		return Value{Const: c}
	}
	return v
}

// operators reads the operators of precedence ≥ prec after left, with their
// right operands.
//
// Like LLVM it uses the position of the first operator for all of them in
// messages.
func (p *Parser) operators(prec uint8, left Value) (Value, bool) {
	p.SkipSpace()
	at := p.Pos
	for {
		p.SkipSpace()
		o, n := p.operator()
		if opInfo[o].prec < prec || o == opNone {
			return left, true
		}
		if len(p.nodes)-p.exprStart > maxNodes {
			p.Errorf(p.Pos, p.Pos+n, "expression is too long")
			return Value{}, false
		}
		p.Pos += n
		right, ok := p.primary()
		if !ok {
			return Value{}, false
		}
		p.SkipSpace()
		if next, _ := p.operator(); opInfo[o].prec < opInfo[next].prec {
			if right, ok = p.operators(opInfo[o].prec+1, right); !ok {
				return Value{}, false
			}
		}
		left = p.binaryOp(o, left, right, at)
	}
}

// operator returns the binary operator at the cursor and its length.
func (p *Parser) operator() (op, int) {
	c := p.Src[p.Pos]
	if p.class[c]&(classIdent|classEnd) != 0 {
		return opNone, 0
	}
	next := byte('\n')
	if p.Pos+1 < len(p.Src) {
		next = p.Src[p.Pos+1]
	}
	switch c {
	case '+':
		return opAdd, 1
	case '-':
		if next == '>' {
			return opNone, 0
		}
		return opSub, 1
	case '*':
		return opMul, 1
	case '/':
		if next == '/' {
			return opNone, 0
		}
		return opDiv, 1
	case '%':
		return opMod, 1
	case '^':
		return opXor, 1
	}
	return compareOrLogic(c, next)
}

func compareOrLogic(c, next byte) (op, int) {
	switch c {
	case '<':
		switch next {
		case '<':
			return opShl, 2
		case '=':
			return opLE, 2
		case '>':
			return opNE, 2
		}
		return opLT, 1
	case '>':
		switch next {
		case '>':
			return opShr, 2
		case '=':
			return opGE, 2
		}
		return opGT, 1
	case '&':
		if next == '&' {
			return opLAnd, 2
		}
		return opAnd, 1
	case '|':
		if next == '|' {
			return opLOr, 2
		}
		return opOr, 1
	case '=':
		if next == '=' {
			return opEQ, 2
		}
	case '!':
		if next == '=' {
			return opNE, 2
		}
		return opOrNot, 1
	}
	return opNone, 0
}

// binaryOp returns a o b, folded if both are numbers. The listing prints
// expressions as written and therefore folds only complete ones.
func (p *Parser) binaryOp(o op, a, b Value, pos int) Value {
	if a.IsConst() && b.IsConst() && !p.list.on {
		if c, problem := applyOp(o, a.Const, b.Const); problem == "" {
			return Value{Const: c}
		}
	}
	return p.binaryNode(o, a, b, pos)
}

func (p *Parser) binaryNode(o op, a, b Value, pos int) Value {
	na, nb := p.node(a), p.node(b)
	return p.newNode(node{op: o, a: na, b: nb, pos: uint32(pos)})
}

// primary reads a primary expression.
func (p *Parser) primary() (Value, bool) {
	p.SkipSpace()
	c := p.Src[p.Pos]
	switch k := p.class[c]; {
	case k&classDigit != 0 || c == '\'':
		return p.numberPrimary()
	case c == '.' && !(p.class[p.Src[p.Pos+1]]&classIdent != 0):
		return p.dotPrimary()
	case c == '.' && isDigit(p.Src[p.Pos+1]):
		return p.numberPrimary()
	case k&classIdentStart != 0:
		return p.identPrimary()
	}
	switch c {
	case '(':
		return p.bracketed(')')
	case '[':
		return p.bracketed(']')
	case '-':
		return p.unary(opMinus)
	case '+':
		return p.unary(opPlus)
	case '~':
		return p.unary(opNot)
	case '!':
		return p.unary(opLNot)
	case '"', '@', '$':
		return p.namePrimary()
	}
	p.Errorf(p.Pos, p.Pos+1, "unknown token in expression: expected a number, a symbol or '(', found %s", p.found())
	return Value{}, false
}

func (p *Parser) bracketed(close byte) (Value, bool) {
	p.Pos++
	v, ok := p.Expr()
	if !ok {
		return Value{}, false
	}
	return v, p.Expect(close)
}

func (p *Parser) unary(o op) (Value, bool) {
	if p.exprDepth >= p.opts.Limits.ExprDepth {
		p.Errorf(p.Pos, p.Pos+1, "expression is nested too deeply")
		return Value{}, false
	}
	p.exprDepth++
	at := p.Pos
	p.Pos++
	v, ok := p.primary()
	p.exprDepth--
	if !ok {
		return Value{}, false
	}
	if v.IsConst() && !p.list.on {
		return Value{Const: applyUnary(o, v.Const)}, true
	}
	return p.newNode(node{op: o, a: p.node(v), pos: uint32(at)}), true
}

// numberPrimary reads a number, or a reference to a numeric label such as 1b.
func (p *Parser) numberPrimary() (Value, bool) {
	n := p.Number()
	switch n.Kind {
	case NotNumber:
		if !p.stmtFailed {
			p.Errorf(n.Start, n.Start+1, "unknown token in expression")
		}
		return Value{}, false
	case BigInteger:
		p.Errorf(n.Start, n.End, "literal value out of range for directive: more than 64 bits")
		return Value{}, false
	case Real:
		f, err := p.RealValue(n, 64)
		if err != nil && f == 0 {
			p.Errorf(n.Start, n.End, "invalid floating point literal")
			return Value{}, false
		}
		return Value{Const: floatBits(f)}, true
	}
	if c := p.Src[n.End]; c == 'b' || c == 'f' {
		return p.numericLabel(n)
	}
	return Value{Const: int64(n.Lo)}, true
}

// numericLabel reads the b or f after the number of a local label, and its
// specifier. Without b or f, it returns the number.
func (p *Parser) numericLabel(n Number) (Value, bool) {
	start := n.End
	end := start + 1
	for p.class[p.Src[end]]&classIdent != 0 {
		end++
	}
	name, spec, ok := p.splitSpecifier(start, end)
	if !ok {
		return Value{}, false
	}
	if len(name) != 1 {
		return Value{Const: int64(n.Lo)}, true
	}
	sym := p.numericLabelRef(int64(n.Lo), name[0] == 'b', n.Start)
	if sym == nil {
		p.Errorf(n.Start, end, "directional label undefined")
		return Value{}, false
	}
	p.Pos = end
	return p.NewSym(sym, spec), true
}

// dotPrimary returns the current address.
func (p *Parser) dotPrimary() (Value, bool) {
	p.Pos++
	sym := p.newTemp()
	p.placeLabel(sym)
	if p.list.on {
		p.listLabel(sym)
	}
	return p.NewSym(sym, 0), true
}

// identPrimary reads a symbol with an optional specifier, or a primary
// expression of the dialect.
func (p *Parser) identPrimary() (Value, bool) {
	start, end := p.Ident()
	if v, handled := p.dialect.Primary(p, start, end); handled {
		return v, !p.stmtFailed
	}
	p.Pos = end
	name, spec, ok := p.splitSpecifier(start, end)
	if !ok {
		return Value{}, false
	}
	return p.symbolValue(p.symbol(name), spec, start, end)
}

// namePrimary reads a quoted symbol, or one after '$' or '@'.
func (p *Parser) namePrimary() (Value, bool) {
	start := p.Pos
	quoted := p.Src[start] == '"'
	name := p.Name()
	if len(name) == 0 {
		if !p.stmtFailed {
			p.Errorf(start, start+1, "expected a symbol reference, found %s", p.found())
		}
		return Value{}, false
	}
	var spec Spec
	if quoted && p.Src[p.Pos] == '@' {
		var ok bool
		p.Pos++
		at, end := p.Ident()
		if spec, ok = p.machine.Specifier(p.Src[at:end]); !ok {
			p.Errorf(at, end, "invalid variant '%s'", p.Src[at:end])
			return Value{}, false
		}
	}
	return p.symbolValue(p.symbol(name), spec, start, p.Pos)
}

// symbolValue returns a reference to a symbol. If the symbol currently has a
// constant value, it returns that value, so that a later redefinition does not
// change it.
func (p *Parser) symbolValue(sym *Symbol, spec Spec, start, end int) (Value, bool) {
	if sym.kind == symVariable && sym.value.IsConst() && spec == 0 {
		return Value{Const: sym.value.Const}, true
	}
	v := p.NewSym(sym, spec)
	p.nodes[v.Node].pos = uint32(start)
	return v, true
}

// splitSpecifier splits the identifier sym@spec at its first '@'.
func (p *Parser) splitSpecifier(start, end int) (name []byte, spec Spec, ok bool) {
	for i := start + 1; i < end; i++ {
		if p.Src[i] != '@' || i+1 == end {
			continue
		}
		spec, ok = p.machine.Specifier(p.Src[i+1 : end])
		if !ok {
			p.Errorf(i+1, end, "invalid variant '%s'", printable(p.Src[i+1:end]))
		}
		return p.Src[start:i], spec, ok
	}
	return p.Src[start:end], 0, true
}

// lateSpecifier reads the specifier of (expr)@spec and applies it to the
// symbols of the expression.
func (p *Parser) lateSpecifier(v Value) (Value, bool) {
	at := p.Pos
	p.Pos++
	start, end := p.Ident()
	if start == end {
		p.Errorf(start, end, "unexpected symbol modifier following '@'")
		return Value{}, false
	}
	spec, ok := p.machine.Specifier(p.Src[start:end])
	if !ok {
		p.Errorf(start, end, "invalid variant '%s'", printable(p.Src[start:end]))
		return Value{}, false
	}
	n, problem := p.withSpecifier(v.Node, spec)
	switch {
	case problem != "":
		p.Errorf(at, end, "invalid modifier '%s' (%s)", p.Src[start:end], problem)
		return Value{}, false
	case n == 0:
		p.Errorf(at, end, "invalid modifier '%s' (no symbols present)", p.Src[start:end])
		return Value{}, false
	}
	return Value{Node: n}, true
}

// withSpecifier copies an expression with a specifier on its symbols. It
// returns 0 for an expression without symbols.
func (p *Parser) withSpecifier(i Node, spec Spec) (Node, string) {
	n := p.nodes[i]
	switch {
	case n.op == opSym:
		if n.aux != 0 {
			return 0, "already modified"
		}
		n.aux = uint16(spec)
	case n.op >= opMinus && n.op <= opLNot:
		a, problem := p.withSpecifier(n.a, spec)
		if a == 0 {
			return 0, problem
		}
		n.a = a
	case n.op >= opAdd && n.op <= opLOr:
		a, problem := p.withSpecifier(n.a, spec)
		if problem != "" {
			return 0, problem
		}
		b, problem := p.withSpecifier(n.b, spec)
		if problem != "" || a == 0 && b == 0 {
			return 0, problem
		}
		if a != 0 {
			n.a = a
		}
		if b != 0 {
			n.b = b
		}
	default:
		return 0, ""
	}
	return p.newNode(n).Node, ""
}

// AnyAddend reports whether f returns true for the specifier of one of an
// expression's symbols. The operands of differences are left out.
func (p *Parser) AnyAddend(v Value, f func(Spec) bool) bool {
	if v.IsConst() {
		return false
	}
	switch n := p.nodes[v.Node]; {
	case n.op == opSym:
		return f(Spec(n.aux))
	case n.op >= opMinus && n.op <= opLNot:
		return p.AnyAddend(Value{Node: n.a}, f)
	case n.op >= opAdd && n.op <= opLOr && n.op != opSub:
		return p.AnyAddend(Value{Node: n.a}, f) || p.AnyAddend(Value{Node: n.b}, f)
	}
	return false
}
