package clrx

import (
	"bytes"
	"strconv"
)

// macro is a macro.
type macro struct {
	params []param
	body   body
}

// param is a parameter of a macro.
type param struct {
	name     string
	value    []byte // default
	required bool
	rest     bool // takes all further arguments
}

// macroResult is the result of callMacro.
type macroResult uint8

const (
	macroMissing macroResult = iota // no macro has that name
	macroCalled
	macroFailed // after an error
)

// macroName returns the key of a macro.
func (p *parser) macroName(name []byte) []byte {
	if p.exactMacros {
		return name
	}
	if lower := p.lower(name); lower != nil {
		return lower
	}
	return bytes.ToLower(name)
}

// callMacro calls the macro that the statement at a column names.
func (p *parser) callMacro(stmt int) macroResult {
	if len(p.macros) == 0 {
		return macroMissing
	}
	after := p.pos
	p.pos = stmt
	name := p.name()
	m := p.macros[string(p.macroName(name))]
	if m == nil || len(name) == 0 {
		p.pos = after
		return macroMissing
	}
	args := make([][]byte, len(m.params))
	good := true
	for i := range m.params {
		if p.peek() == ',' && i > 0 {
			p.pos++
			p.skipSpace()
		}
		value, ok := p.argument(&m.params[i])
		args[i] = value
		good = ok && good
	}
	if !good || !p.finish() {
		return macroFailed
	}
	f := &feed{kind: feedMacro, body: &m.body, args: args, count: p.macroCount, alt: p.altMacro, why: "while in macro instantiation"}
	p.macroCount++
	p.push(f, stmt)
	return macroCalled
}

// argument reads the argument for a parameter.
func (p *parser) argument(m *param) (value []byte, ok bool) {
	p.skipSpace()
	at := p.pos
	value, ok = p.macroText(nil)
	for ok && m.rest && !p.atEnd() {
		if !p.accept(',') {
			p.errorAt(p.pos, "unexpected text after the argument")
			return nil, false
		}
		p.skipSpace()
		value, ok = p.macroText(append(value, ','))
	}
	if !ok || len(value) > 0 {
		return value, ok
	}
	if m.required {
		p.errorAt(at, "macro parameter '%s' needs a value", m.name)
		return nil, false
	}
	return m.value, true
}

// macroText appends the text of an argument to value: a quoted text, the value
// of an expression after \%, or text up to a comma or a blank between words.
func (p *parser) macroText(value []byte) ([]byte, bool) {
	switch c := p.byteAt(p.pos); {
	case p.altMacro && c == '%':
		return p.evaluated(value, 1)
	case !p.altMacro && c == '\\' && p.byteAt(p.pos+1) == '%':
		return p.evaluated(value, 2)
	case p.altMacro && (c == '<' || c == '\'' || c == '"'):
		return p.altQuoted(value, c)
	case c == '"':
		return p.quoted(value)
	}
	var last byte
	blank := false
	for ; p.pos < p.end; p.pos++ {
		c := p.src[p.pos]
		if c == ',' || c == '"' {
			break
		}
		if isSpace(c) {
			blank = true
			continue
		}
		if blank && separate(last, c) {
			break
		}
		value = append(value, c)
		blank, last = false, c
	}
	return value, true
}

// evaluated appends the value of the expression n bytes further on.
func (p *parser) evaluated(value []byte, n int) ([]byte, bool) {
	p.pos += n
	v, ok := p.required()
	return strconv.AppendInt(value, int64(v), 10), ok
}

// altQuoted appends a text between < and >, or between quotes, in which an
// exclamation mark makes the next character an ordinary one.
func (p *parser) altQuoted(value []byte, open byte) ([]byte, bool) {
	closing := open
	if open == '<' {
		closing = '>'
	}
	for p.pos++; p.pos < p.end; p.pos++ {
		c := p.src[p.pos]
		if c == closing {
			p.pos++
			return value, true
		}
		if c == '!' && p.pos+1 < p.end {
			p.pos++
			c = p.src[p.pos]
		}
		value = append(value, c)
	}
	p.errorAt(p.pos, "quoted text is not closed")
	return nil, false
}

// quoted appends a text between double quotes as it is.
func (p *parser) quoted(value []byte) ([]byte, bool) {
	p.pos++
	start := p.pos
	for ; p.pos < p.end; p.pos++ {
		if p.src[p.pos] == '"' && !escaped(p.src[start:p.pos]) {
			value = append(value, p.src[start:p.pos]...)
			p.pos++
			return value, true
		}
	}
	p.errorAt(p.pos, "quoted text is not closed")
	return nil, false
}

// tokenClass returns the class of a character in texts that blanks separate,
// and whether characters of its class make up words. Blanks between a word and
// an operator do not separate.
func tokenClass(c byte) (class byte, word bool) {
	switch {
	case isNameByte(c):
		return 'a', true
	case c == '(' || c == ')':
		return '(', true
	case c == '%' || c == '*' || c == '-' || c == '[' || c == '\\' || c == ']' || c == '{' || c == '}':
		return c, true
	case c < ' ' || c > '~':
		return 0, false
	}
	return c, false
}

// separate reports whether blanks between two characters end an argument.
func separate(a, b byte) bool {
	classA, wordA := tokenClass(a)
	classB, wordB := tokenClass(b)
	if classA == classB {
		return wordA
	}
	return wordA == wordB
}

// defineMacro implements .macro.
func (p *parser) defineMacro(stmt int) {
	p.skipSpace()
	at := p.pos
	text := p.name()
	if len(text) == 0 {
		p.errorAt(at, "expected the name of a macro")
		return
	}
	name := string(p.macroName(text))
	good := true
	if p.macros[name] != nil {
		p.errorIn(at, p.pos, "macro '%s' is already defined", text)
		good = false
	}
	m := &macro{body: body{macro: true}}
	for p.pos < p.end {
		if p.peek() == ',' {
			p.pos++
			p.skipSpace()
		}
		ok, fatal := p.parameter(m)
		if fatal {
			return
		}
		good = good && ok
		p.skipSpace()
	}
	if !good {
		return
	}
	p.clauses = append(p.clauses, clause{kind: clauseMacro, at: p.locate(stmt)})
	if _, ok := operations.From(makeOperations)[string(bytes.ToLower([]byte(name[1:])))]; name[0] == '.' && ok {
		p.warnAt(stmt, "macro '%s' is ignored: it has the name of an operation", text)
		p.skipClauses(false)
		return
	}
	for _, a := range m.params {
		m.body.params = append(m.body.params, a.name)
	}
	if !p.recordBody(&m.body) {
		return
	}
	if p.macros == nil {
		p.macros = map[string]*macro{}
	}
	p.macros[name] = m
}

// parameter reads a parameter of a macro. fatal is set after an error that ends
// the statement.
func (p *parser) parameter(m *macro) (ok, fatal bool) {
	at := p.pos
	text := p.name()
	if len(text) == 0 {
		p.errorAt(at, "expected the name of a parameter")
		return false, true
	}
	if len(m.params) >= maxParams {
		p.errorAt(at, "macro has more than %d parameters", maxParams)
		return false, true
	}
	a := param{name: string(text)}
	ok = true
	for _, b := range m.params {
		if b.name == a.name {
			p.errorIn(at, p.pos, "parameter '%s' is already defined", a.name)
			ok = false
		}
	}
	if p.accept(':') {
		p.skipSpace()
		rest := p.src[p.pos:p.end]
		switch {
		case bytes.HasPrefix(rest, []byte("req")):
			a.required = true
			p.pos += 3
		case bytes.HasPrefix(rest, []byte("vararg")):
			a.rest = true
			p.pos += 6
		default:
			p.errorAt(p.pos, "expected 'req' or 'vararg'")
			ok = false
		}
		if ok && a.rest && p.accept(':') {
			p.skipSpace()
			if bytes.HasPrefix(p.src[p.pos:p.end], []byte("req")) {
				a.required = true
				p.pos += 3
			}
		}
	}
	if p.accept('=') {
		p.skipSpace()
		valueAt := p.pos
		var fine bool
		if a.value, fine = p.macroText(nil); !fine {
			return false, false
		}
		if a.required {
			p.warnAt(valueAt, "required parameter '%s' has a default value", a.name)
		}
	}
	if n := len(m.params); ok && n > 0 && m.params[n-1].rest {
		p.errorIn(at, at+len(a.name), "parameter '%s' after one with 'vararg'", a.name)
		ok = false
	}
	if ok {
		m.params = append(m.params, a)
	}
	return ok, false
}

// purgeMacro implements .purgem.
func (p *parser) purgeMacro(int) {
	p.skipSpace()
	at := p.pos
	text := p.name()
	if len(text) == 0 {
		p.errorAt(at, "expected the name of a macro")
		return
	}
	name := string(p.macroName(text))
	if !p.finish() {
		return
	}
	if p.macros[name] == nil {
		p.warnAt(at, "macro '%s' does not exist", name)
	}
	delete(p.macros, name)
}

// exitMacro implements .exitm.
func (p *parser) exitMacro(stmt int) {
	if !p.finish() {
		return
	}
	switch p.top.kind {
	case feedFile:
		p.warnAt(stmt, ".exitm outside macros is ignored")
		return
	case feedRepeat:
		p.warnAt(stmt, ".exitm ends the repetition")
	}
	p.skipClauses(true)
}

// recordBody reads the statements up to the end of the macro or repetition
// whose clause is the last one, and reports whether it was found.
func (p *parser) recordBody(b *body) bool {
	level := len(p.clauses)
	inMacro := p.clauses[level-1].kind == clauseMacro
	good := true
	for {
		if !p.nextStatement() {
			return false
		}
		o, at := p.blockAt()
		switch {
		case o.block == blockEndMacro && (inMacro || !o.long), o.block == blockEndRepeat && (inMacro || !o.long):
			p.pos = at
			good = p.endClause(at, o.block) && good
		case o.block == blockMacro:
			p.clauses = append(p.clauses, clause{kind: clauseMacro, at: p.locate(at)})
		case o.block == blockRepeat:
			p.clauses = append(p.clauses, clause{kind: clauseRepeat, at: p.locate(at)})
		}
		if len(p.clauses) < level {
			return good
		}
		p.record(b)
		if p.ended {
			return false
		}
	}
}

// loop decides about a further round of a repetition.
type loop interface {
	again(p *parser, f *feed) bool
}

// countLoop repeats a number of times.
type countLoop uint64

func (n countLoop) again(_ *parser, f *feed) bool {
	f.round++
	return f.round < uint64(n)
}

// valueLoop repeats for each value of a parameter.
type valueLoop [][]byte

func (v valueLoop) again(_ *parser, f *feed) bool {
	f.round++
	if f.round >= uint64(len(v)) {
		return false
	}
	f.args = v[f.round : f.round+1]
	return true
}

// conditionLoop repeats while a condition holds.
type conditionLoop struct {
	sym             *symbol // counter of .for, or nil
	condition, next *lateExpression
}

func (l *conditionLoop) again(p *parser, f *feed) bool {
	if l.sym != nil {
		v, sect, ok := p.nowValue(l.next)
		if !ok {
			return false
		}
		p.setSymbol(l.sym, v, int(sect))
	}
	v, sect, ok := p.nowValue(l.condition)
	if ok && sect != absolute {
		p.diagnose(errorSeverity, l.condition.at, 1, "expected a number, not a place in the code")
		return false
	}
	return ok && v != 0
}

// nowValue returns the value of an expression with the present values of its
// symbols.
func (p *parser) nowValue(e *lateExpression) (v uint64, sect int32, ok bool) {
	p.nodes = p.nodes[:0]
	if len(e.nodes) == 0 {
		return 0, absolute, true
	}
	var out parsed
	if !p.expandBase(&symbol{expr: e}, &out, p.start) {
		return 0, absolute, false
	}
	for _, n := range p.nodes {
		if n.op == opSymbol {
			p.diagnose(errorSeverity, e.at, 1, "undefined symbol '%s'", n.sym.name)
			return 0, absolute, false
		}
	}
	return p.evaluate(p.nodes, e.at)
}

// repeatBody records the body of a repetition and starts it, unless rounds is
// 0.
func (p *parser) repeatBody(stmt int, l loop, rounds uint64, params []string, args [][]byte) {
	if p.depth[feedRepeat] >= maxDepth[feedRepeat] {
		p.errorAt(stmt, "repetitions nested more than %d deep", maxDepth[feedRepeat])
		return
	}
	at := p.locate(stmt)
	p.clauses = append(p.clauses, clause{kind: clauseRepeat, at: at})
	if rounds == 0 {
		p.skipClauses(false)
		return
	}
	b := &body{params: params}
	if !p.recordBody(b) {
		return
	}
	f := &feed{kind: feedRepeat, body: b, args: args, loop: l, why: "while in repetition"}
	p.push(f, p.start)
	f.from = at
}

// repeat implements .rept.
func (p *parser) repeat(stmt int) {
	n, ok := p.required()
	if ok && p.finish() {
		p.repeatBody(stmt, countLoop(n), n, nil, nil)
	}
}

// repeatValues implements .irp, and with letters .irpc.
func (p *parser) repeatValues(stmt int, letters bool) {
	p.skipSpace()
	at := p.pos
	name := string(p.name())
	if name == "" {
		p.errorAt(at, "expected the name of a parameter")
		return
	}
	if p.peek() == ',' {
		p.pos++
		p.skipSpace()
	}
	var values valueLoop
	var text []byte
	for p.pos < p.end {
		if p.src[p.pos] == ',' {
			text = append(text, ',')
			p.pos++
			p.skipSpace()
		}
		value, ok := p.macroText(nil)
		if !ok {
			return
		}
		p.skipSpace()
		values = append(values, value)
		text = append(text, value...)
	}
	if letters {
		values = values[:0]
		for i := range text {
			values = append(values, text[i:i+1])
		}
	}
	if len(values) == 0 {
		values = valueLoop{nil}
	}
	p.repeatBody(stmt, values, uint64(len(values)), []string{name}, values[:1])
}

// repeatFor implements .for.
func (p *parser) repeatFor(stmt int) {
	p.skipSpace()
	at := p.pos
	name := append([]byte(nil), p.scopedName()...)
	if len(name) == 0 {
		p.errorAt(at, "expected the name of a symbol")
		return
	}
	if string(name) == "." || bytes.HasSuffix(name, []byte("::.")) {
		p.errorAt(at, "symbol '.' cannot be a counter")
		return
	}
	good := true
	if !p.accept('=') {
		p.errorAt(p.pos, "expected '='")
		good = false
		if p.pos < p.end {
			p.pos++
		}
	}
	p.skipSpace()
	valueAt := p.pos
	v, given, sect, ok := p.position()
	if ok && !given {
		p.errorAt(valueAt, "expected an expression")
		ok = false
	}
	l := &conditionLoop{}
	if good = good && ok; good {
		if l.sym = p.define(name, at, false); l.sym == nil {
			good = false
		} else {
			p.setSymbol(l.sym, v, int(sect))
		}
	}
	if !p.comma() {
		return
	}
	var ok2, ok3 bool
	l.condition, ok2 = p.namedExpression()
	if !p.comma() {
		return
	}
	l.next, ok3 = p.namedExpression()
	if good && ok2 && ok3 && p.finish() {
		p.repeatBody(stmt, l, 1, nil, nil)
	}
}

// repeatWhile implements .while.
func (p *parser) repeatWhile(stmt int) {
	l := &conditionLoop{}
	var ok bool
	if l.condition, ok = p.namedExpression(); ok && p.finish() {
		p.repeatBody(stmt, l, 1, nil, nil)
	}
}

// namedExpression reads an expression whose symbols have the values that they
// have at each use.
func (p *parser) namedExpression() (*lateExpression, bool) {
	at := p.pos // before blanks, as in the CLRX assembler
	out, ok := p.parse(parseLate)
	if !ok {
		return nil, false
	}
	return p.newLate(out, at), true
}
