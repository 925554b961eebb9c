package clrx

// absolute is the section of values that are plain numbers.
const absolute = -1

// opcode is an operand or operator of an expression.
type opcode uint8

const (
	opNone   opcode = iota
	opNumber        // node.num, in node.sect
	opSymbol        // the value of node.sym, when it has one
	opNegate
	opInvert
	opNot
	opPlus
	opAdd
	opSub
	opMul
	opDiv  // signed
	opDivU // unsigned
	opMod
	opModU
	opAnd
	opOr
	opXor
	opOrNot
	opShl
	opShr // unsigned
	opSar // signed
	opLogAnd
	opLogOr
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
	opLtU
	opLeU
	opGtU
	opGeU
	opQuestion // the first half of opChoice, while it is read
	opChoice   // condition ? a : b
)

// precedence holds the binding strength of operators. Unary operators bind
// most tightly.
var precedence = [...]int{
	opNegate: 6, opInvert: 6, opNot: 6, opPlus: 6,
	opMul: 5, opDiv: 5, opDivU: 5, opMod: 5, opModU: 5, opShl: 5, opShr: 5, opSar: 5,
	opAnd: 4, opOr: 4, opXor: 4, opOrNot: 4,
	opAdd: 3, opSub: 3,
	opEq: 2, opNe: 2, opLt: 2, opLe: 2, opGt: 2, opGe: 2, opLtU: 2, opLeU: 2, opGtU: 2, opGeU: 2,
	opLogAnd: 1, opLogOr: 1,
	opQuestion: 0, opChoice: 0,
}

func (o opcode) unary() bool { return opNegate <= o && o <= opPlus }

// node is an operand or operator of an expression in postfix order.
type node struct {
	op   opcode
	sect int32   // of opNumber: absolute, or a section with code
	num  uint64  // of opNumber
	sym  *symbol // of opSymbol
	at   place   // of operators that can fail, and of opSymbol: its expression
}

// pendingOp is an operator whose right operand is being read.
type pendingOp struct {
	op   opcode
	prec int
	pos  int
}

// A value is the result of an expression.
type value struct {
	num   uint64
	sect  int32           // absolute, or the section with code that num is an offset in
	late  *lateExpression // the value is not known yet
	empty bool            // no expression
}

// expression reads an expression. Symbols without a value make it late: the
// caller passes it to deferTo, or reports an error. ok is false after an error.
func (p *parser) expression() (v value, ok bool) {
	if n, ok := p.quickNumber(); ok {
		return value{num: n, sect: absolute}, true
	}
	p.skipSpace()
	at := p.pos
	x, ok := p.parse(0)
	switch {
	case !ok:
		return v, false
	case len(p.nodes) == 0:
		return value{sect: absolute, empty: true}, true
	case x.pending > 0 || x.endless:
		return value{sect: absolute, late: p.newLate(x, at)}, true
	}
	v.num, v.sect, ok = p.evaluate(p.nodes, p.locate(at))
	return v, ok
}

// constant reads an expression whose symbols must have values. The result must
// be a number. Without an expression, it reports an error if one is required;
// otherwise given is false.
func (p *parser) constant(required bool) (v uint64, given, ok bool) {
	p.skipSpace()
	at := p.pos
	n, given, sect, ok := p.position()
	switch {
	case !ok:
		return 0, given, false
	case !given && required:
		p.errorAt(at, "expected an expression")
		return 0, false, false
	case sect != absolute:
		p.errorIn(at, p.pos, "expected a number, not a place in the code")
		return 0, true, false
	}
	return n, given, true
}

// required reads a required constant.
func (p *parser) required() (uint64, bool) {
	v, _, ok := p.constant(true)
	return v, ok
}

// position reads an expression whose symbols must have values. The result is a
// number or a place in code.
func (p *parser) position() (v uint64, given bool, sect int32, ok bool) {
	if n, ok := p.quickNumber(); ok {
		return n, true, absolute, true
	}
	p.skipSpace()
	at := p.pos
	_, ok = p.parse(parseNow)
	if !ok {
		return 0, true, absolute, false
	}
	if len(p.nodes) == 0 {
		return 0, false, absolute, true
	}
	v, sect, ok = p.evaluate(p.nodes, p.locate(at))
	return v, true, sect, ok
}

// quickNumber reads a decimal or hexadecimal number, with a minus sign or
// without, that is a whole expression. Otherwise it stays and ok is false.
func (p *parser) quickNumber() (v uint64, ok bool) {
	start := p.pos
	p.skipSpace()
	i, src, end := p.pos, p.src, p.end
	negative := i < end && src[i] == '-'
	if negative {
		i++
	}
	if i >= end || !isDigit(src[i]) {
		p.pos = start
		return 0, false
	}
	first := i
	if src[i] == '0' && i+1 < end && src[i+1]|0x20 == 'x' {
		i += 2
		first = i
		for i < end && hexDigit(src[i]) < 16 {
			v = v<<4 | uint64(hexDigit(src[i]))
			i++
		}
		ok = i > first && i-first <= 16
	} else {
		for i < end && isDigit(src[i]) {
			v = v*10 + uint64(src[i]-'0')
			i++
		}
		ok = i-first <= 18 && (src[first] != '0' || i-first == 1) && (i == end || !isNameByte(src[i]))
	}
	for i < end && isSpace(src[i]) {
		i++
	}
	if !ok || i < end && continues(src[i]) {
		p.pos = start
		return 0, false
	}
	p.pos = i
	if negative {
		v = -v
	}
	return v, true
}

// continues reports whether an expression continues with c after an operand.
func continues(c byte) bool {
	switch c {
	case '~', '^', '|', '!', '%', '&', '*', '+', '-', '/', '<', '=', '>', '?':
		return true
	}
	return false
}

// parseMode is a set of flags of parse.
type parseMode uint8

const (
	parseNow  parseMode = 1 << iota // symbols must have values
	parseLate                       // symbols keep their names, for .eqv
)

// parsed is a fact about the expression in p.nodes.
type parsed struct {
	pending int  // operands without a value
	endless bool // .eqv symbols refer to each other in a circle
}

// exprParser is the state of parse.
type exprParser struct {
	*parser
	mode   parseMode
	out    parsed
	start  int
	parens int
	good   bool
	want   want
}

// want is what can follow in an expression.
type want uint8

const (
	wantFirst    want = iota // an operand, or the end
	wantOperator             // an operator, or the end
	wantOperand              // an operand
)

// parse reads an expression into p.nodes. It stops before text that cannot
// belong to the expression. ok is false after an error.
func (p *parser) parse(mode parseMode) (out parsed, ok bool) {
	p.nodes, p.ops = p.nodes[:0], p.ops[:0]
	x := exprParser{parser: p, mode: mode, start: p.pos, good: true}
	for x.token() {
		if len(p.nodes)+len(p.ops) > maxNodes {
			p.errorAt(x.start, "expression has more than %d operands and operators", maxNodes)
			return x.out, false
		}
	}
	x.finish()
	return x.out, x.good
}

// fail reports an error of the expression.
func (x *exprParser) fail(pos int, format string, args ...any) {
	x.errorAt(pos, format, args...)
	x.good = false
}

// token reads an operand or operator and reports whether the expression
// continues.
func (x *exprParser) token() bool {
	if x.atEnd() {
		return false
	}
	at, c := x.pos, x.src[x.pos]
	switch c {
	case '(':
		x.pos++
		if x.want == wantOperator {
			x.fail(at, "expected an operator")
			return true
		}
		x.want = wantFirst
		x.parens++
		return true
	case ')':
		if x.want == wantOperator && x.parens == 0 {
			return false
		}
		x.pos++
		if x.want != wantOperator {
			x.fail(at, "expected an operand")
			return true
		}
		x.parens--
		return true
	}
	op, n := operatorAt(x.src[at:x.end], x.want == wantOperator)
	if n == 0 {
		return x.operand(at)
	}
	x.pos += n
	switch {
	case op == opNone || !op.unary() && x.want != wantOperator:
		x.fail(at, "expected an operand before the operator")
	case op == opInvert && x.want == wantOperator:
		x.fail(at, "expected a binary operator")
	case op == opChoice:
		return x.colon(at)
	default:
		if !op.unary() {
			x.want = wantOperand
		}
		x.push(op, at)
	}
	return true
}

// operatorAt returns the operator at the start of text and its length, 0 if
// there is none. after is set after an operand. opNone is a lone equals sign.
func operatorAt(text []byte, after bool) (op opcode, n int) {
	second, third := byte(0), byte(0)
	if len(text) > 1 {
		second = text[1]
	}
	if len(text) > 2 {
		third = text[2]
	}
	switch text[0] {
	case '+':
		return pick(after, opAdd, opPlus), 1
	case '-':
		return pick(after, opSub, opNegate), 1
	case '*':
		return opMul, 1
	case '/':
		if second == '/' {
			return opDivU, 2
		}
		return opDiv, 1
	case '%':
		if second == '%' {
			return opModU, 2
		}
		return opMod, 1
	case '&':
		if second == '&' {
			return opLogAnd, 2
		}
		return opAnd, 1
	case '|':
		if second == '|' {
			return opLogOr, 2
		}
		return opOr, 1
	case '!':
		if after && second == '=' {
			return opNe, 2
		}
		return pick(after, opOrNot, opNot), 1
	case '~':
		return opInvert, 1
	case '^':
		return opXor, 1
	case '<':
		switch {
		case second == '<':
			return opShl, 2
		case second == '>':
			return opNe, 2
		}
		return comparison(second, third, opLt)
	case '>':
		switch {
		case second == '>' && third == '>':
			return opSar, 3
		case second == '>':
			return opShr, 2
		}
		return comparison(second, third, opGt)
	case '=':
		if second == '=' {
			return opEq, 2
		}
		return opNone, 1
	case '?':
		return opQuestion, 1
	case ':':
		if second != ':' {
			return opChoice, 1
		}
	}
	return opNone, 0
}

func pick(first bool, a, b opcode) opcode {
	if first {
		return a
	}
	return b
}

// comparison returns the operator that begins with < or >, whose plain form is
// op: = after it includes equality, and @ makes it unsigned.
func comparison(second, third byte, op opcode) (opcode, int) {
	n := 1
	if second == '=' {
		op++
		n++
		second = third
	}
	if second == '@' {
		return op + opLtU - opLt, n + 1
	}
	return op, n
}

// operand reads a symbol or number. It reports whether the expression continues.
func (x *exprParser) operand(at int) bool {
	if x.want == wantOperator {
		if x.parens == 0 {
			return false
		}
		x.pos++
		x.fail(x.pos, "unexpected text in the expression")
		return true
	}
	if name := x.localReference(); name != nil {
		x.want = wantOperator
		x.localLabel(name, at)
		return true
	}
	if name := x.scopedName(); name != nil {
		x.want = wantOperator
		x.symbol(name, at)
		return true
	}
	if c := x.src[at]; x.parens == 0 && !isDigit(c) && c != '\'' {
		return false
	}
	x.want = wantOperator
	v, ok := x.literal()
	if !ok {
		x.good = false
		if x.pos == at && x.pos < x.end {
			x.pos++
		}
	}
	x.nodes = append(x.nodes, node{op: opNumber, num: v, sect: absolute})
	return true
}

// localLabel adds a reference to a numeric label.
func (x *exprParser) localLabel(name []byte, at int) {
	s := x.global.ownSymbol(name)
	if name[len(name)-1] == 'b' && !s.has(hasValue) {
		x.errorIn(at, x.pos, "no label '%s:' before this reference", name[:len(name)-1])
		x.good = false
		return
	}
	x.addOperand(s, name, at)
}

// symbol adds a reference to a symbol.
func (x *exprParser) symbol(name []byte, at int) {
	var s *symbol
	if len(name) == 1 && name[0] == '.' {
		x.prepare()
		s = x.dot
	} else {
		found, home, simple := x.findSymbol(name, false)
		if simple == "." {
			x.errorIn(at, x.pos, "symbol '.' exists only in the global scope")
			x.good = false
			return
		}
		s = found
		if s == nil && x.mode&parseNow == 0 {
			s = home.addSymbol(simple)
		}
	}
	x.addOperand(s, name, at)
}

// addOperand adds an operand with the value of a symbol.
func (x *exprParser) addOperand(s *symbol, name []byte, at int) {
	switch {
	case s != nil && s.has(isRegister):
		x.errorIn(at, at+len(name), "register symbol '%s' in an expression", name)
		x.good = false
	case s != nil && x.mode&parseLate != 0:
		x.out.pending++
		x.nodes = append(x.nodes, node{op: opSymbol, sym: s, at: x.locate(x.start)})
	case s != nil && s.has(isBase):
		x.inline(s, at)
	case s != nil && s.has(hasValue):
		num, sect := x.valueOf(s)
		x.nodes = append(x.nodes, node{op: opNumber, num: num, sect: sect})
	case x.mode&parseNow != 0 || s == nil:
		x.errorIn(at, at+len(name), "undefined symbol '%s'", name)
		x.good = false
	default:
		x.out.pending++
		x.nodes = append(x.nodes, node{op: opSymbol, sym: s, at: x.locate(x.start)})
	}
}

// inline adds the expression of an .eqv symbol with the values that its symbols
// have now.
func (x *exprParser) inline(s *symbol, at int) {
	first := len(x.nodes)
	out := parsed{}
	if !x.expandBase(s, &out, at) {
		x.good = false
		return
	}
	x.out.pending += out.pending
	x.out.endless = x.out.endless || out.endless
	if out.endless && x.mode&parseNow != 0 {
		x.fail(at, "symbol '%s' is defined by itself", s.name)
		return
	}
	if out.pending > 0 && x.mode&parseNow != 0 {
		for _, n := range x.nodes[first:] {
			if n.op == opSymbol {
				x.fail(at, "undefined symbol '%s'", n.sym.name)
				return
			}
		}
	}
}

// expandBase appends the expression of an .eqv symbol to p.nodes, with the
// values that symbols have now. It counts the operands without a value. It
// returns false after an error at the column at.
func (p *parser) expandBase(s *symbol, out *parsed, at int) bool {
	if s.has(isExpanding) {
		out.endless = true
		p.nodes = append(p.nodes, node{op: opNumber, sect: absolute})
		return true
	}
	s.flags |= isExpanding
	defer func() { s.flags &^= isExpanding }()
	p.baseDepth++
	defer func() { p.baseDepth-- }()
	first := len(p.nodes)
	before := out.pending
	for _, n := range s.expr.nodes {
		p.steps++
		if p.steps > maxSteps || len(p.nodes) > maxNodes || p.baseDepth > maxBaseDepth {
			p.errorAt(at, "expression of .eqv symbols is too large")
			return false
		}
		if n.op == opSymbol {
			switch t := n.sym; {
			case t.has(isRegister):
				p.diagnose(errorSeverity, n.at, 1, "register symbol '%s' in an expression", t.name)
				return false
			case t.has(isBase):
				if !p.expandBase(t, out, at) {
					return false
				}
				continue
			case t.has(hasValue):
				n.op = opNumber
				n.num, n.sect = p.valueOf(t)
			default:
				out.pending++
			}
		}
		p.nodes = append(p.nodes, n)
	}
	if out.pending == before && !out.endless {
		// Known values need no more room than a number.
		num, sect, ok := p.evaluate(p.nodes[first:], s.expr.at)
		if !ok {
			return false
		}
		p.nodes = append(p.nodes[:first], node{op: opNumber, num: num, sect: sect})
	}
	return true
}

// colon reads the second half of a choice. Without a first half, the expression
// ends before it.
func (x *exprParser) colon(at int) bool {
	prec := x.parens << 3
	x.reduce(func(o pendingOp) bool { return o.prec > prec || o.prec == prec && o.op != opQuestion })
	n := len(x.ops)
	if n == 0 {
		x.pos = at
		return false
	}
	if x.ops[n-1].op != opQuestion || x.ops[n-1].prec != prec {
		x.fail(at, "expected '?' before ':'")
		return true
	}
	x.ops[n-1].op = opChoice
	x.want = wantOperand
	return true
}

// push adds an operator after those before it that bind at least as tightly.
func (x *exprParser) push(op opcode, at int) {
	prec := x.parens<<3 + precedence[op]
	least := prec
	if op.unary() || op == opQuestion {
		least++ // these group from right to left
	}
	for n := len(x.ops); n > 0 && x.ops[n-1].prec >= least; n = len(x.ops) {
		o := x.ops[n-1]
		x.ops = x.ops[:n-1]
		if o.op == opQuestion {
			x.fail(o.pos, "expected ':' for '?'")
			break
		}
		x.applyOp(o)
	}
	x.ops = append(x.ops, pendingOp{op, prec, at})
}

// reduce moves operators from the stack to the output while cond holds.
func (x *exprParser) reduce(cond func(pendingOp) bool) {
	for n := len(x.ops); n > 0 && cond(x.ops[n-1]); n = len(x.ops) {
		o := x.ops[n-1]
		x.ops = x.ops[:n-1]
		x.applyOp(o)
	}
}

// applyOp adds an operator to the output.
func (x *exprParser) applyOp(o pendingOp) {
	if o.op == opPlus {
		return
	}
	n := node{op: o.op, sect: absolute}
	if opDiv <= o.op && o.op <= opModU || opShl <= o.op && o.op <= opSar {
		n.at = x.locate(o.pos)
	}
	x.nodes = append(x.nodes, n)
}

// finish completes the expression at its end.
func (x *exprParser) finish() {
	if x.parens > 0 {
		x.fail(x.pos, "expected ')'")
	}
	if x.want != wantOperator {
		if len(x.nodes) > 0 || len(x.ops) > 0 {
			x.fail(x.pos, "expression is not complete")
		}
		return
	}
	for n := len(x.ops); n > 0; n = len(x.ops) {
		o := x.ops[n-1]
		if o.op == opQuestion {
			x.fail(o.pos, "expected ':' for '?'")
			return
		}
		x.ops = x.ops[:n-1]
		x.applyOp(o)
	}
}
