package asmcore

import (
	"bytes"
	"strconv"

	"github.com/gfx-toolchain/gfx/diag"
)

// macroParam is a formal parameter of a macro.
type macroParam struct {
	name     string
	value    []byte // default; nil for none
	required bool
	vararg   bool // takes the rest of the statement
}

// macroDef is a macro.
type macroDef struct {
	name   string
	params []macroParam
	body   []byte
	count  int // calls so far
}

// macros is the state of macros of a Parser.
type macros struct {
	macroDefs  map[string]*macroDef
	macrosOff  bool
	altMacro   bool
	depth      int // nested expansions
	expansions int // of all macros so far
}

// macroName is the name of expanded text in diagnostics.
const macroName = "<instantiation>"

// expansionCost is the cost of an expansion, counted towards Limits.Expansion
// in addition to its text.
const expansionCost = 64

// dirMacro handles .macro name[,] [parameter[:req|:vararg][=default]] ….
func dirMacro(p *Parser, d *directive, start int) {
	name := p.Name()
	if name == nil {
		p.Errorf(p.Pos, p.Pos+1, "expected identifier in '.macro' directive, found %s", p.found())
		return
	}
	m := &macroDef{name: string(name)}
	p.Accept(',')
	for !p.AtEnd() {
		if !p.macroParameter(m) {
			return
		}
		p.Accept(',')
	}
	p.nextStatement()
	body, ok := p.macroBody()
	switch {
	case !ok:
		p.Errorf(start, start+6, "no matching '.endmacro' in definition of macro '%s'", m.name)
		return
	case p.stmtFailed:
		return
	case p.macroDefs[m.name] != nil:
		p.Errorf(start, start+6, "macro '%s' is already defined", m.name)
		return
	}
	m.body = body
	p.warnPositional(m, start)
	if p.macroDefs == nil {
		p.macroDefs = make(map[string]*macroDef)
	}
	p.macroDefs[m.name] = m
	p.endLoose()
	p.endStatement()
}

// macroParameter reads one formal parameter.
func (p *Parser) macroParameter(m *macroDef) bool {
	p.SkipSpace()
	at := p.Pos
	if n := len(m.params); n > 0 && m.params[n-1].vararg {
		p.Errorf(at, at+1, "vararg parameter '%s' should be the last parameter", m.params[n-1].name)
		return false
	}
	name := p.Name()
	if name == nil {
		p.Errorf(at, at+1, "expected identifier in '.macro' directive, found %s", p.found())
		return false
	}
	param := macroParam{name: string(name)}
	for i := range m.params {
		if m.params[i].name == param.name {
			p.Errorf(p.Pos, p.Pos+1, "macro '%s' has multiple parameters named '%s'", m.name, param.name)
			return false
		}
	}
	if p.Accept(':') && !p.macroQualifier(m, &param) {
		return false
	}
	if p.Peek() == '=' {
		p.Pos++
		p.SkipSpace()
		at = p.Pos
		var ok bool
		if param.value, ok = p.macroArgument(param.vararg); !ok {
			return false
		}
		if param.required {
			p.Warnf(at, p.Pos, "pointless default value for required parameter '%s' in macro '%s'", param.name, m.name)
		}
	}
	m.params = append(m.params, param)
	return true
}

func (p *Parser) macroQualifier(m *macroDef, param *macroParam) bool {
	p.SkipSpace()
	at := p.Pos
	switch q := p.Name(); {
	case q == nil:
		p.Errorf(at, at+1, "missing parameter qualifier for '%s' in macro '%s'", param.name, m.name)
		return false
	case string(q) == "req":
		param.required = true
	case string(q) == "vararg":
		param.vararg = true
	default:
		p.Errorf(at, p.Pos, "%s is not a valid parameter qualifier for '%s' in macro '%s', expected req or vararg", q, param.name, m.name)
		return false
	}
	return true
}

// bodyWord skips to the first word of the next collected statement and returns
// it.
func (p *Parser) bodyWord() []byte {
	for p.Pos < len(p.Src) {
		switch {
		case p.atEndQuiet():
			p.nextStatement()
		case p.Src[p.Pos] == '#' && p.syntax.HashComment:
			p.skipLineComment()
			p.nextStatement()
		default:
			i := p.Pos
			for p.class[p.Src[i]]&classIdent != 0 {
				i++
			}
			return p.Src[p.Pos:i]
		}
	}
	return nil
}

// macroBody collects a body up to the matching .endm or .endmacro, and leaves
// the cursor after it. ok is false if the text ends before.
func (p *Parser) macroBody() (body []byte, ok bool) {
	from, depth := p.Pos, 0
	for {
		w := p.bodyWord()
		if p.Pos >= len(p.Src) {
			p.Pos = len(p.Src) - 1
			return nil, false
		}
		switch string(w) {
		case ".endm", ".endmacro":
			if depth == 0 {
				end := p.Pos
				p.Pos += len(w)
				if !p.AtEnd() {
					p.Errorf(p.Pos, p.Pos+1, "unexpected token in '%s' directive: %s", w, p.found())
				}
				return p.Src[from:end], true
			}
			depth--
		case ".macro":
			depth++
		}
		p.SkipStatement()
		p.nextStatement()
	}
}

// repeatBody collects the body of .rept, .irp or .irpc up to the matching
// .endr. It moves the cursor from the end of the directive's statement past the
// .endr.
func (p *Parser) repeatBody(start int) (body []byte, ok bool) {
	p.nextStatement()
	from, depth := p.Pos, 0
	for {
		w := p.bodyWord()
		if p.Pos >= len(p.Src) {
			p.Pos = len(p.Src) - 1
			p.Errorf(start, start+4, "no matching '.endr' in definition")
			return nil, false
		}
		switch string(w) {
		case ".endr":
			if depth == 0 {
				end := p.Pos
				p.Pos += len(w)
				if !p.AtEnd() {
					p.Errorf(p.Pos, p.Pos+1, "unexpected token in '.endr' directive: %s", p.found())
					return nil, false
				}
				return p.Src[from:end], true
			}
			depth--
		case ".rep", ".rept", ".irp", ".irpc":
			depth++
		}
		p.SkipStatement()
		p.nextStatement()
	}
}

// warnPositional warns of a macro that has named parameters, uses none, and has
// $0, $1 … in its body.
func (p *Parser) warnPositional(m *macroDef, start int) {
	if len(m.params) == 0 {
		return
	}
	positional := false
	for i := 0; i+1 < len(m.body); i++ {
		switch c := m.body[i+1]; m.body[i] {
		case '$':
			positional = positional || c == 'n' || isDigit(c)
			i++
		case '\\':
			end := i + 1
			for end < len(m.body) && isMacroIdent(m.body[end]) {
				end++
			}
			if m.param(m.body[i+1:end]) >= 0 {
				return
			}
			i = end - 1
		}
	}
	if positional {
		p.Warnf(start, start+6, "macro defined with named parameters which are not used in macro body, possible positional parameter found in body which will have no effect")
	}
}

// param returns the index of a parameter, -1 if it does not exist.
func (m *macroDef) param(name []byte) int {
	for i := range m.params {
		if m.params[i].name == string(name) {
			return i
		}
	}
	return -1
}

// isMacroIdent reports whether a byte may appear in a parameter's name in a
// macro body.
func isMacroIdent(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c == '_' || c == '$' || c == '.'
}

// callMacro expands the macro named Src[start:end], if it exists.
func (p *Parser) callMacro(start, end int) bool {
	m := p.macroDefs[string(p.Src[start:end])]
	if m == nil || p.macrosOff {
		return false
	}
	p.Pos = end
	if !p.mayExpand() {
		p.endStatement()
		return true
	}
	args, ok := p.macroArguments(m)
	if ok && len(args) != len(m.params) {
		p.Errorf(p.Pos, p.Pos, "wrong number of arguments for macro '%s': expected %d, found %d", m.name, len(m.params), len(args))
		ok = false
	}
	if !ok {
		p.endStatement()
		return true
	}
	text := p.substitute(nil, m, args, true)
	m.count++
	p.expansions++
	p.expand(text, start)
	return true
}

// mayExpand checks the nesting depth of expansions.
func (p *Parser) mayExpand() bool {
	if p.depth < p.opts.Limits.MacroDepth {
		return true
	}
	p.SkipSpace()
	p.Errorf(p.Pos, p.Pos+1, "macros cannot be nested more than %d levels deep", p.opts.Limits.MacroDepth)
	return false
}

// expand starts reading text. The cursor is at the end of the statement that
// caused the expansion, which began at start.
func (p *Parser) expand(text []byte, start int) {
	p.nextStatement()
	p.depth++
	p.enter(&diag.Source{Name: macroName, Text: text, Why: "while in macro instantiation"}, start, true)
}

// grow accounts for n bytes of expanded text. If they exceed the limit, it
// reports an error and returns false.
func (p *Parser) grow(n int) bool {
	p.expanded += int64(n) + expansionCost
	if p.expanded <= p.opts.Limits.Expansion {
		return true
	}
	p.Errorf(p.Pos, p.Pos, "macros and repetitions produce more than %d bytes of text", p.opts.Limits.Expansion)
	p.stop = true
	return false
}

// substitute appends a body with its parameters replaced. counters enables the
// pseudo-variable \@.
func (p *Parser) substitute(dst []byte, m *macroDef, args [][]byte, counters bool) []byte {
	body := m.body
	from := len(dst)
	for i := 0; i < len(body); {
		// Arguments can be repeated many times: stop when the text gets too
		// long.
		if int64(len(dst)-from)+p.expanded > p.opts.Limits.Expansion {
			break
		}
		c := body[i]
		switch {
		case c == '\\' && i+1 < len(body):
			dst, i = p.escapeInBody(dst, m, args, i, counters)
		case p.altMacro && isMacroIdent(c):
			end := identEnd(body, i)
			if k := m.param(body[i:end]); k >= 0 {
				dst = append(dst, args[k]...)
				if end < len(body) && body[end] == '&' {
					end++
				}
			} else {
				dst = append(dst, body[i:end]...)
			}
			i = end
		case p.altMacro:
			dst = append(dst, c)
			i++
		default:
			n := bytes.IndexByte(body[i+1:], '\\') + 1
			if n == 0 {
				n = len(body) - i
			}
			dst = append(dst, body[i:i+n]...)
			i += n
		}
	}
	p.grow(len(dst) - from)
	return dst
}

func identEnd(b []byte, i int) int {
	for i < len(b) && isMacroIdent(b[i]) {
		i++
	}
	return i
}

// escapeInBody replaces the sequence after the backslash at body[i].
func (p *Parser) escapeInBody(dst []byte, m *macroDef, args [][]byte, i int, counters bool) ([]byte, int) {
	body := m.body
	switch next := body[i+1]; {
	case next == '@' && counters:
		return strconv.AppendInt(dst, int64(p.expansions), 10), i + 2
	case next == '+':
		return strconv.AppendInt(dst, int64(m.count), 10), i + 2
	case next == '(' && i+2 < len(body) && body[i+2] == ')':
		return dst, i + 3
	}
	end := identEnd(body, i+1)
	k := m.param(body[i+1 : end])
	if k < 0 {
		return append(dst, body[i:end]...), end
	}
	if p.altMacro && end < len(body) && body[end] == '&' {
		end++
	}
	return append(dst, args[k]...), end
}

// macroArguments reads the arguments of a call up to the end of the statement.
// m is nil for the values of .irp. An omitted value is nil, or the parameter's
// default.
func (p *Parser) macroArguments(m *macroDef) (args [][]byte, ok bool) {
	var params []macroParam
	if m != nil {
		params = m.params
	}
	args = make([][]byte, len(params))
	named := false
	for i := 0; len(params) == 0 || i < len(params); i++ {
		p.SkipSpace()
		at := p.Pos
		k := i
		if name := p.keyword(); name != nil {
			named = true
			if k = m.paramOf(name); k < 0 {
				p.Errorf(at, at+len(name), "parameter named '%s' does not exist for macro '%s'", name, m.nameOf())
				return nil, false
			}
		} else if named {
			if p.AtEnd() {
				return args, p.defaults(m, args)
			}
			p.Errorf(at, at+1, "cannot mix positional and keyword arguments")
			return nil, false
		}
		value, ok := p.actualArgument(i < len(params) && i == len(params)-1 && params[i].vararg)
		if !ok {
			return nil, false
		}
		if len(value) > 0 {
			for len(args) <= k {
				args = append(args, nil)
			}
			args[k] = value
		}
		if p.AtEnd() {
			return args, p.defaults(m, args)
		}
		p.Accept(',')
	}
	p.SkipSpace()
	p.Errorf(p.Pos, p.Pos+1, "too many positional arguments")
	return nil, false
}

func (m *macroDef) paramOf(name []byte) int {
	if m == nil {
		return -1
	}
	return m.param(name)
}

func (m *macroDef) nameOf() string {
	if m == nil {
		return ".irp"
	}
	return m.name
}

// keyword reads the name= of a named argument. For anything else it returns nil
// without moving the cursor.
func (p *Parser) keyword() []byte {
	at := p.Pos
	start, end := p.Ident()
	if start < end {
		p.SkipSpace()
		if p.Src[p.Pos] == '=' && p.Src[p.Pos+1] != '=' {
			p.Pos++
			return p.Src[start:end]
		}
	}
	p.Pos = at
	return nil
}

// defaults fills in the omitted arguments.
func (p *Parser) defaults(m *macroDef, args [][]byte) bool {
	if m == nil {
		return true
	}
	good := true
	for i := range m.params {
		if len(args[i]) > 0 {
			continue
		}
		if m.params[i].required {
			p.Errorf(p.Pos, p.Pos, "missing value for required parameter '%s' in macro '%s'", m.params[i].name, m.name)
			good = false
		}
		args[i] = m.params[i].value
	}
	return good
}

// actualArgument reads one argument, including the syntax of .altmacro.
func (p *Parser) actualArgument(vararg bool) ([]byte, bool) {
	p.SkipSpace()
	if !p.altMacro {
		return p.macroArgument(vararg)
	}
	switch p.Src[p.Pos] {
	case '%':
		p.Pos++
		v, ok := p.AbsExpr()
		return strconv.AppendInt(nil, v, 10), ok
	case '<':
		if text, ok := p.angleString(); ok {
			return text, true
		}
	}
	return p.macroArgument(vararg)
}

// angleString reads <text>, in which ! escapes the next character.
func (p *Parser) angleString() ([]byte, bool) {
	var text []byte
	for i := p.Pos + 1; i < len(p.Src); i++ {
		switch c := p.Src[i]; c {
		case '>':
			p.Pos = i + 1
			return text, true
		case '\n', '\r', 0:
			return nil, false
		case '!':
			i++
			if i == len(p.Src) {
				return nil, false
			}
			text = append(text, p.Src[i])
		default:
			text = append(text, c)
		}
	}
	return nil, false
}

// macroArgument reads one argument, with the cursor at its first character. A
// blank ends it, except next to an operator or between parentheses. Strings
// lose their quotes. A vararg consists of the raw rest of the statement.
func (p *Parser) macroArgument(vararg bool) (text []byte, ok bool) {
	if vararg {
		start, end := p.StatementText()
		return p.Src[start:end], true
	}
	parens := 0
	for {
		if parens == 0 {
			if p.Src[p.Pos] == ',' {
				break
			}
			at := p.Pos
			p.SkipSpace()
			space := p.Pos > at
			if n := p.operatorLength(); n > 0 && !p.atEndQuiet() {
				text = append(text, p.Src[p.Pos:p.Pos+n]...)
				p.Pos += n
				p.SkipSpace()
				continue
			}
			if space {
				break
			}
		}
		if p.atEndHere() {
			break
		}
		if p.Src[p.Pos] == '=' && p.Src[p.Pos+1] != '=' {
			p.Errorf(p.Pos, p.Pos+1, "unexpected token in macro instantiation: '='")
			return nil, false
		}
		text, parens = p.argumentToken(text, parens)
	}
	if parens != 0 {
		p.Errorf(p.Pos, p.Pos+1, "unbalanced parentheses in macro argument")
		return nil, false
	}
	return text, true
}

// atEndHere is AtEnd without skipping blanks.
func (p *Parser) atEndHere() bool {
	k := p.class[p.Src[p.Pos]]
	return k&classEnd != 0 || k&classSlash != 0 && p.Src[p.Pos+1] == '/'
}

// argumentToken appends the token at the cursor to an argument.
func (p *Parser) argumentToken(text []byte, parens int) ([]byte, int) {
	at := p.Pos
	switch c := p.Src[at]; {
	case c == '"':
		p.skipString()
		end := p.Pos
		if p.Src[end-1] == '"' && end-1 > at {
			end--
		}
		return append(text, p.Src[at+1:end]...), parens
	case c == '\'':
		p.skipCharLiteral()
	case p.class[c]&classIdent != 0:
		for p.class[p.Src[p.Pos]]&classIdent != 0 {
			p.Pos++
		}
		// the sign of an exponent belongs to the number
		if last := p.Src[p.Pos-1]; isDigit(c) && last|0x20 == 'e' && (p.Src[p.Pos] == '-' || p.Src[p.Pos] == '+') && p.Src[at+1]|0x20 != 'x' {
			p.Pos++
		}
	default:
		p.Pos++
		if c == '(' {
			parens++
		} else if c == ')' && parens > 0 {
			parens--
		}
	}
	return append(text, p.Src[at:p.Pos]...), parens
}

// operatorLength returns the length of the operator at the cursor, 0 for none.
// Operators may have blanks around them within an argument.
func (p *Parser) operatorLength() int {
	c, next := p.Src[p.Pos], byte('\n')
	if p.Pos+1 < len(p.Src) {
		next = p.Src[p.Pos+1]
	}
	switch c {
	case '+', '~', '*', '^':
		return 1
	case '-':
		return int(truth(next != '>', 1))
	case '/':
		return int(truth(next != '/' && next != '*', 1))
	case '.':
		return int(truth(p.class[next]&classIdent == 0, 1))
	case '=':
		return 2 * int(truth(next == '=', 1))
	case '|', '&', '!', '<', '>':
		_, n := compareOrLogic(c, next)
		return n
	}
	return 0
}

// dirEndMacro handles a .endm or .endmacro that ends no definition. It ends the
// innermost expansion.
func dirEndMacro(p *Parser, d *directive, start int) {
	if !p.AtEnd() {
		p.Errorf(p.Pos, p.Pos+1, "unexpected token in '%s' directive: %s", d.name, p.found())
		return
	}
	if p.depth == 0 {
		p.Errorf(p.Pos, p.Pos, "unexpected '%s' in file, no current macro definition", d.name)
		return
	}
	p.leaveMacro()
}

// dirExitMacro handles .exitm: it ends the expansion and the conditionals begun
// in it.
func dirExitMacro(p *Parser, d *directive, start int) {
	if !p.eol() {
		return
	}
	if p.depth == 0 {
		p.Errorf(start, p.Pos, "unexpected '%s' in file, no current macro definition", d.name)
		return
	}
	depth := p.leaveMacro()
	if n := len(p.condStack); n > depth {
		p.condState = p.condStack[depth]
		p.condStack = p.condStack[:depth]
	}
}

// leaveMacro returns to the caller of the innermost expansion. condDepth is the
// number of conditionals that were open there.
func (p *Parser) leaveMacro() (condDepth int) {
	for {
		f := p.frames[len(p.frames)-1]
		p.leave()
		if f.macro {
			p.depth--
			return f.condDepth
		}
	}
}

// endOfExpansion is called at the end of an expansion's text.
func (p *Parser) endOfExpansion(f *frame) {
	p.depth--
	if p.ignore && len(p.condStack) > f.condDepth {
		p.Errorf(len(p.Src)-1, len(p.Src)-1, "unmatched .ifs or .elses at the end of a macro")
		p.condState = p.condStack[f.condDepth]
		p.condStack = p.condStack[:f.condDepth]
	}
}

func dirPurgeMacro(p *Parser, d *directive, start int) {
	end := p.Pos
	name := p.needName()
	if name == nil || !p.eol() {
		return
	}
	if p.macroDefs[string(name)] == nil {
		p.Errorf(start, end, "macro '%s' is not defined", name)
		return
	}
	delete(p.macroDefs, string(name))
}

func dirMacrosOnOff(p *Parser, d *directive, start int) {
	if p.eol() {
		p.macrosOff = d.name == ".macros_off"
	}
}

func dirAltMacro(p *Parser, d *directive, start int) {
	if p.eol() {
		p.altMacro = d.name == ".altmacro"
	}
}

// dirRept handles .rept count.
func dirRept(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	count, ok := p.AbsExpr()
	switch {
	case !ok:
		return
	case count < 0:
		p.Errorf(at, p.Pos, "count is negative")
		return
	case !p.eol() || !p.mayExpand():
		return
	}
	body, ok := p.repeatBody(start)
	if !ok {
		return
	}
	m := &macroDef{body: body}
	if over := int64(len(body)) * count; len(body) > 0 && (over/int64(len(body)) != count || over > p.opts.Limits.Expansion) {
		p.Errorf(at, at+1, "repetition produces more than %d bytes of text", p.opts.Limits.Expansion)
		return
	}
	var text []byte
	for ; count > 0 && len(body) > 0 && !p.stop; count-- {
		text = p.substitute(text, m, nil, false)
		m.count++
	}
	p.expand(text, start)
}

// dirIrp handles .irp name,value,….
func dirIrp(p *Parser, d *directive, start int) {
	m, ok := p.repeatParam()
	if !ok {
		return
	}
	args, ok := p.macroArguments(nil)
	if !ok {
		return
	}
	p.repeatWith(m, start, args)
}

// dirIrpc handles .irpc name,characters.
func dirIrpc(p *Parser, d *directive, start int) {
	m, ok := p.repeatParam()
	if !ok {
		return
	}
	p.SkipSpace()
	at := p.Pos
	args, ok := p.macroArguments(nil)
	if !ok {
		return
	}
	if len(args) != 1 {
		p.Errorf(at, p.Pos, "unexpected token in '.irpc' directive: expected one list of characters")
		return
	}
	var chars [][]byte
	for i := range args[0] {
		chars = append(chars, args[0][i:i+1])
	}
	p.repeatWith(m, start, chars)
}

// repeatParam reads the parameter of .irp and .irpc and the comma after it.
func (p *Parser) repeatParam() (*macroDef, bool) {
	name := p.needName()
	if name == nil || !p.needComma() || !p.mayExpand() {
		return nil, false
	}
	return &macroDef{params: []macroParam{{name: string(name)}}}, true
}

func (p *Parser) needComma() bool {
	if p.Accept(',') {
		return true
	}
	p.Errorf(p.Pos, p.Pos+1, "expected comma, found %s", p.found())
	return false
}

func (p *Parser) repeatWith(m *macroDef, start int, args [][]byte) {
	// The arguments may be slices of Src, which is not modified.
	body, ok := p.repeatBody(start)
	if !ok {
		return
	}
	m.body = body
	var text []byte
	for i := 0; i < len(args) && !p.stop; i++ {
		text = p.substitute(text, m, args[i:i+1], true)
		m.count++
	}
	p.expand(text, start)
}

// dirEndRepeat handles a .endr that ends no repetition.
func dirEndRepeat(p *Parser, d *directive, start int) {
	if p.depth == 0 {
		p.SkipSpace()
		p.Errorf(p.Pos, p.Pos, "unmatched '.endr' directive")
		return
	}
	p.leaveMacro()
}
