package litmus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
)

// Parse reads a test. The error is a diag.List with one error.
func Parse(src *diag.Source) (*Test, error) {
	p := &parser{s: scanner{src: src}, test: &Test{}}
	if len(src.Text) > MaxText {
		return nil, diag.List{{Source: src, Message: "the text has more than " + strconv.Itoa(MaxText) + " bytes"}}
	}
	if p.parseTest(); p.found == nil {
		p.checkTest()
	}
	if p.found != nil {
		return nil, p.found
	}
	return p.test, nil
}

// A parser reads one test. After an error all its methods return at once, because
// the current token is the end of the text.
type parser struct {
	s          scanner
	tok        token // the current token
	end        int   // end of the previous token
	test       *Test
	thread     *Thread // nil outside of threads
	statements int     // of the thread
	depth      int     // of expressions and conditional statements
	found      diag.List
}

// advance reads the next token.
func (p *parser) advance() {
	if p.found == nil {
		p.end = p.tok.at.End
		p.tok = p.s.token()
	}
}

// fail records the first error.
func (p *parser) fail(at Span, format string, args ...any) {
	if p.found == nil {
		errorAt(&p.found, p.s.src, at, format, args...)
	}
	p.tok = token{kind: tokenEnd, at: at}
}

// unexpected reports the current token.
func (p *parser) unexpected(want string) {
	found := strconv.Quote(p.tok.text)
	if p.tok.kind == tokenEnd {
		found = "the end of the text"
	}
	p.fail(p.tok.at, "expected %s, found %s", want, found)
}

// accept reads a mark or word if it is next.
func (p *parser) accept(text string) bool {
	if p.found == nil && p.tok.kind != tokenEnd && p.tok.text == text {
		p.advance()
		return true
	}
	return false
}

// expect reads a mark or word.
func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected(strconv.Quote(text))
	}
}

// reserved lists the words that are not names.
var reserved = [...]string{
	"load", "store", "cmpxchg", "fence", "barrier", "if", "else", "poll", "until", "thread", "agent", "group", "wave", "global", "local",
	"generic", "observe", "exists", "forall", "expect", "litmus",
}

// isReserved reports whether a word has a meaning in the language.
func isReserved(word string) bool {
	return slices.Contains(reserved[:], word) || slices.Contains(orderingNames[:], word) || slices.Contains(scopeNames[:], word) || rmwOf(word) >= 0
}

// rmwOf returns the index of an operation in rmwOps, or -1.
func rmwOf(word string) int {
	for i := range rmwOps {
		if rmwOps[i].name == word {
			return i
		}
	}
	return -1
}

// ident reads a name that is not reserved.
func (p *parser) ident(what string) token {
	t := p.tok
	if t.kind != tokenWord || isReserved(t.text) {
		p.unexpected(what)
		return t
	}
	p.advance()
	return t
}

// integer reads a number without a sign, at most limit.
func (p *parser) integer(what string, least, limit int) int {
	v, err := strconv.ParseInt(p.tok.text, 0, 64)
	if p.tok.kind != tokenDigit || err != nil || v < int64(least) || v > int64(limit) {
		p.unexpected(what + " of " + strconv.Itoa(least) + " to " + strconv.Itoa(limit))
		return least
	}
	p.advance()
	return int(v)
}

// number reads a 32-bit number, with or without a sign.
func (p *parser) number() int32 {
	at, sign := p.tok.at, ""
	if p.accept("-") {
		sign = "-"
	}
	v, err := strconv.ParseInt(sign+p.tok.text, 0, 64)
	at.End = p.tok.at.End
	switch {
	case p.tok.kind != tokenDigit:
		p.unexpected("a number")
	case err != nil || v < -1<<31 || v >= 1<<32:
		p.fail(at, "%s%s is not a number of 32 bits", sign, p.tok.text)
	}
	p.advance()
	return int32(v)
}

func (p *parser) parseTest() {
	p.advance()
	if p.tok.text != "litmus" {
		p.unexpected(`"litmus"`)
		return
	}
	name := p.s.name()
	if name.text == "" || strings.ContainsFunc(name.text, func(r rune) bool { return r >= 0x80 || !isNameByte(byte(r)) }) {
		p.fail(name.at, `expected a name of letters, digits and "_+-.", found %q`, name.text)
	}
	p.test.Name = name.text
	p.advance()
	for p.found == nil && (p.tok.text == "global" || p.tok.text == "local" || p.tok.text == "generic") {
		p.parseVariable()
	}
	for p.found == nil && p.tok.text == "thread" {
		p.parseThread()
	}
	if p.accept("observe") {
		p.test.Observed = append(p.test.Observed, p.term())
		for p.accept(",") {
			p.test.Observed = append(p.test.Observed, p.term())
		}
	}
	p.parseCondition()
	if p.found == nil && p.tok.kind != tokenEnd {
		p.unexpected("the end of the text")
	}
}

func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("+-.", c) >= 0 }

func (p *parser) parseVariable() {
	v := Variable{}
	v.Generic = p.accept("generic")
	if p.accept("local") {
		v.Space = Local
	} else {
		p.expect("global")
	}
	name := p.ident("the name of a variable")
	v.Name, v.At = name.text, name.at
	n := 1
	if p.accept("[") {
		n = p.integer("a number of elements", 1, MaxElements)
		p.expect("]")
	}
	p.expect("=")
	v.Init = append(v.Init, p.number())
	for p.accept(",") && len(v.Init) <= MaxElements {
		v.Init = append(v.Init, p.number())
	}
	switch {
	case len(v.Init) != n:
		p.fail(v.At, "variable %s has %d initial values, expected %d", v.Name, len(v.Init), n)
	case p.variable(v.Name) >= 0:
		p.fail(v.At, "variable %s is declared twice", v.Name)
	case len(p.test.Variables) == MaxVariables:
		p.fail(v.At, "more than %d variables", MaxVariables)
	}
	p.test.Variables = append(p.test.Variables, v)
}

// variable returns the index of a variable, or -1.
func (p *parser) variable(name string) int {
	return slices.IndexFunc(p.test.Variables, func(v Variable) bool { return v.Name == name })
}

// threadOf returns the index of a thread, or -1.
func (p *parser) threadOf(name string) int {
	return slices.IndexFunc(p.test.Threads, func(t Thread) bool { return t.Name == name })
}

func (p *parser) parseThread() {
	p.expect("thread")
	name := p.ident("the name of a thread")
	t := Thread{Name: name.text, At: name.at}
	for _, part := range []struct {
		word string
		to   *int
	}{{"agent", &t.Agent}, {"group", &t.Group}, {"wave", &t.Wave}} {
		if p.accept(part.word) {
			*part.to = p.integer("the number of a "+part.word, 0, MaxPlace)
		}
	}
	switch {
	case p.threadOf(t.Name) >= 0:
		p.fail(t.At, "thread %s is declared twice", t.Name)
	case p.variable(t.Name) >= 0:
		p.fail(t.At, "%s is a variable already", t.Name)
	case len(p.test.Threads) == MaxThreads:
		p.fail(t.At, "more than %d threads", MaxThreads)
	}
	p.thread, p.statements = &t, 0
	t.Body = p.block()
	p.thread = nil
	p.test.Threads = append(p.test.Threads, t)
}

// block reads statements in braces.
func (p *parser) block() (list []Statement) {
	p.expect("{")
	for p.found == nil && p.tok.kind != tokenEnd && p.tok.text != "}" {
		list = append(list, p.statement())
	}
	p.expect("}")
	return list
}

func (p *parser) statement() Statement {
	s := Statement{Dest: -1, At: p.tok.at}
	if p.statements++; p.statements > MaxStatements {
		p.fail(s.At, "more than %d statements in a thread", MaxStatements)
	}
	switch {
	case p.accept("if"):
		p.parseIf(&s)
	case p.accept("fence"):
		s.Action = Fence
		p.order(&s)
	case p.accept("barrier"):
		s.Action = Barrier
	default:
		p.parseValue(&s)
	}
	s.At.End = p.end
	return s
}

func (p *parser) parseIf(s *Statement) {
	s.Action = If
	if p.depth++; p.depth > MaxNesting {
		p.fail(s.At, "more than %d nested statements", MaxNesting)
	}
	s.Value = p.expr(lowestLevel)
	s.Then = p.block()
	if p.accept("else") {
		s.Else = p.block()
	}
	p.depth--
}

// parseValue reads an access or an assignment.
func (p *parser) parseValue(s *Statement) {
	if p.accept("poll") {
		s.Polls = p.integer("a number of accesses", 1, MaxPolls)
	}
	dest := token{}
	if p.tok.kind == tokenWord && !isReserved(p.tok.text) {
		dest = p.ident("a register")
		p.expect("=")
	}
	p.access(s)
	if dest.text != "" {
		s.Dest = p.define(dest)
	}
	p.until(s)
	switch {
	case p.found != nil:
	case s.Action == Store && s.Dest >= 0:
		p.fail(dest.at, "a store has no result")
	case s.Dest < 0 && (s.Action == Load || s.Action == CmpXchg || s.Action == Assign):
		p.fail(s.At, "the result needs a register")
	case s.Dest < 0 && s.Polls > 0:
		p.fail(s.At, "a polling loop needs a register for its condition")
	}
}

// until reads the end of a polling loop.
func (p *parser) until(s *Statement) {
	if s.Polls == 0 {
		return
	}
	if s.Action != Load && s.Action != RMW && s.Action != CmpXchg {
		p.fail(s.At, "expected a load, read-modify-write or cmpxchg after poll")
		return
	}
	p.expect("until")
	s.Until = p.expr(lowestLevel)
}

// access reads a statement after its destination.
func (p *parser) access(s *Statement) {
	op := -1
	if p.tok.kind == tokenWord {
		op = rmwOf(p.tok.text)
	}
	switch {
	case p.accept("load"):
		s.Action = Load
		p.place(s)
	case p.accept("store"):
		s.Action = Store
		p.place(s)
		s.Value = p.operand()
	case p.accept("cmpxchg"):
		s.Action = CmpXchg
		p.place(s)
		s.Expected = p.operand()
		s.Value = p.operand()
	case op >= 0:
		p.advance()
		s.Action, s.Op = RMW, RMWOp(op)
		p.place(s)
		s.Value = p.operand()
	default:
		s.Action = Assign
		s.Value = p.expr(lowestLevel)
		return
	}
	p.order(s)
}

// operand reads a comma and an expression.
func (p *parser) operand() *Expr {
	p.expect(",")
	return p.expr(lowestLevel)
}

// place reads the variable of an access.
func (p *parser) place(s *Statement) {
	name := p.ident("the name of a variable")
	if s.Variable = p.variable(name.text); s.Variable < 0 {
		p.fail(name.at, "%s is not a variable", name.text)
		return
	}
	if p.accept("[") {
		s.Index = p.expr(lowestLevel)
		p.expect("]")
	}
}

// orderings lists the orderings of each kind of statement, as LLVM allows them.
var orderings = [...][]Ordering{
	Load:    {Plain, Monotonic, Acquire, SeqCst},
	Store:   {Plain, Monotonic, Release, SeqCst},
	RMW:     {Monotonic, Acquire, Release, AcqRel, SeqCst},
	CmpXchg: {Monotonic, Acquire, Release, AcqRel, SeqCst},
	Fence:   {Acquire, Release, AcqRel, SeqCst},
}

// order reads the ordering and the scope.
func (p *parser) order(s *Statement) {
	at := p.tok.at
	if i := slices.Index(orderingNames[1:], p.tok.text); i >= 0 && p.tok.kind == tokenWord {
		s.Ordering = Ordering(i + 1)
		p.advance()
		p.scope(s)
	}
	switch {
	case p.found != nil || slices.Contains(orderings[s.Action], s.Ordering):
	case s.Ordering == Plain:
		p.unexpected("an ordering")
	default:
		p.fail(at, "ordering %s does not exist for this statement", s.Ordering)
	}
}

// scope reads a scope, with the suffix of the one-as form or only that.
func (p *parser) scope(s *Statement) {
	at := p.tok.at
	if p.tok.text == "one" {
		s.Scope, s.OneAS = System, true
		p.advance()
		p.expect("-")
		p.suffix(at)
		return
	}
	i := slices.Index(scopeNames[:], p.tok.text)
	if i < 0 || p.tok.kind != tokenWord {
		p.unexpected("a scope")
		return
	}
	s.Scope = Scope(i)
	p.advance()
	if p.accept("-") {
		if s.OneAS = true; s.Scope == System {
			p.fail(at, `the one-as form of scope system is "one-as"`)
		}
		p.expect("one")
		p.expect("-")
		p.suffix(at)
	}
}

// suffix reads the last word of a scope's one-as form.
func (p *parser) suffix(at Span) {
	if p.tok.text != "as" {
		p.fail(Span{at.Off, p.tok.at.End}, "unknown scope")
	}
	p.advance()
}

// define returns the index of a register, which it creates.
func (p *parser) define(name token) int {
	if i := slices.Index(p.thread.Registers, name.text); i >= 0 {
		return i
	}
	switch {
	case p.variable(name.text) >= 0:
		p.fail(name.at, "%s is a variable; memory is written by store", name.text)
	case len(p.thread.Registers) == MaxRegisters:
		p.fail(name.at, "more than %d registers in a thread", MaxRegisters)
	}
	p.thread.Registers = append(p.thread.Registers, name.text)
	return len(p.thread.Registers) - 1
}

// expr reads an expression with operators of a level or higher.
func (p *parser) expr(level int) *Expr {
	if p.depth++; p.depth > MaxNesting {
		p.fail(p.tok.at, "more than %d nested expressions", MaxNesting)
	}
	defer func() { p.depth-- }()
	x := p.primary()
	for n := 0; p.found == nil; n++ {
		op := p.operator()
		if op < 0 || binaryOps[op].level < level {
			break
		}
		if n == MaxNesting {
			p.fail(p.tok.at, "more than %d operators in a row", MaxNesting)
		}
		p.advance()
		y := p.expr(binaryOps[op].level + 1)
		x = Binary(OpOrElse+Op(op), x, y)
	}
	return x
}

// operator returns the index of the current token in binaryOps, or -1.
func (p *parser) operator() int {
	for i := range binaryOps {
		if p.tok.kind == tokenMark && binaryOps[i].text == p.tok.text {
			return i
		}
	}
	return -1
}

func (p *parser) primary() *Expr {
	switch {
	case p.accept("("):
		x := p.expr(lowestLevel)
		p.expect(")")
		return x
	case p.tok.text == "!":
		if p.depth++; p.depth > MaxNesting {
			p.fail(p.tok.at, "more than %d nested expressions", MaxNesting)
		}
		p.advance()
		x := &Expr{Op: OpNot, X: p.primary()}
		p.depth--
		return x
	case p.tok.kind == tokenDigit || p.tok.text == "-":
		return Number(p.number())
	case p.thread == nil:
		return Final(p.term())
	}
	name := p.ident("an expression")
	i := slices.Index(p.thread.Registers, name.text)
	if i < 0 {
		p.fail(name.at, "register %s has no value here", name.text)
	}
	return Reg(i)
}

// term reads the name of a final value.
func (p *parser) term() Term {
	name := p.ident("a register or a variable")
	x := Term{Thread: p.threadOf(name.text)}
	if x.Thread >= 0 {
		p.expect(".")
		reg := p.ident("a register")
		list := p.test.Threads[x.Thread].Registers
		if x.Register = slices.Index(list, reg.text); x.Register < 0 {
			p.fail(reg.at, "thread %s has no register %s", name.text, reg.text)
		}
		return x
	}
	if x.Variable = p.variable(name.text); x.Variable < 0 {
		p.fail(name.at, "%s is neither a thread nor a variable", name.text)
		return x
	}
	n := len(p.test.Variables[x.Variable].Init)
	if n > 1 {
		p.expect("[")
		x.Element = p.integer("an element", 0, n-1)
		p.expect("]")
	}
	return x
}

// parseCondition reads the condition and the expected verdict.
func (p *parser) parseCondition() {
	switch {
	case p.accept("exists"):
		p.test.Kind = Exists
	case p.accept("forall"):
		p.test.Kind = ForAll
	case p.accept("~"):
		p.expect("exists")
		p.test.Kind = NotExists
	default:
		p.unexpected("thread, exists, ~exists or forall")
		return
	}
	p.test.Condition = p.expr(lowestLevel)
	if p.accept("expect") {
		i := slices.Index(verdictNames[1:], p.tok.text)
		if i < 0 {
			p.unexpected("holds, fails or racy")
			return
		}
		p.test.Expected = Verdict(i + 1)
		p.advance()
	}
}
