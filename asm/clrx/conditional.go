package clrx

import (
	"bytes"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
)

// clauseKind is the kind of a clause.
type clauseKind uint8

const (
	clauseIf     clauseKind = iota // after .if
	clauseElseIf                   // after .elseif
	clauseElse                     // after .else
	clauseMacro                    // the body of a macro
	clauseRepeat                   // the body of a repetition
)

// clause is an open block.
type clause struct {
	kind  clauseKind
	taken bool  // a branch has been assembled
	at    place // statement that opened the clause
	first place // .if of an .elseif or .else
}

func (c *clause) conditional() bool { return c.kind <= clauseElse }

// blockKind is the effect of an operation on blocks.
type blockKind uint8

const (
	blockNone blockKind = iota
	blockIf
	blockElse // .else and .elseif
	blockEndIf
	blockMacro
	blockEndMacro
	blockRepeat
	blockEndRepeat
)

// clauseNames names the blocks of clauses in messages.
var clauseNames = [...]string{clauseIf: ".if", clauseElseIf: ".elseif", clauseElse: ".else", clauseMacro: ".macro", clauseRepeat: "repetition"}

// openIf opens a clause for a condition, and skips the branch if it does not
// hold.
func (p *parser) openIf(stmt int, holds bool) {
	p.clauses = append(p.clauses, clause{kind: clauseIf, taken: holds, at: p.locate(stmt)})
	if !holds {
		p.skipClauses(false)
	}
}

// openElse opens the next branch of a conditional block.
func (p *parser) openElse(stmt int, kind clauseKind, holds bool) {
	if take, ok := p.elseClause(stmt, kind, holds); ok && !take {
		p.skipClauses(false)
	}
}

// elseClause makes the last clause an .elseif or .else, and returns whether its
// branch is to be assembled. ok is false after an error.
func (p *parser) elseClause(stmt int, kind clauseKind, holds bool) (take, ok bool) {
	n := len(p.clauses)
	name := clauseNames[kind]
	if n == 0 || !p.clauses[n-1].conditional() {
		p.errorAt(stmt, "'%s' without '.if'", name)
		return false, false
	}
	c := &p.clauses[n-1]
	if c.kind == clauseElse {
		p.errorAt(stmt, "'%s' after '.else'", name)
		p.diagnose(diag.Error, c.at, len(".else"), "the previous '.else' is here")
		p.diagnose(diag.Error, c.first, len(".if"), "the conditional block begins here")
		return false, false
	}
	take = holds && !c.taken
	c.taken = c.taken || take
	if c.kind == clauseIf {
		c.first = c.at
	}
	c.kind, c.at = kind, p.locate(stmt)
	return take, true
}

// endClause closes the last clause by an operation at a column.
func (p *parser) endClause(at int, by blockKind) bool {
	n := len(p.clauses)
	var ok bool
	switch by {
	case blockEndIf:
		ok = n > 0 && p.clauses[n-1].conditional()
	case blockEndMacro:
		ok = n > 0 && p.clauses[n-1].kind == clauseMacro
	default:
		ok = n > 0 && p.clauses[n-1].kind == clauseRepeat
	}
	switch {
	case ok:
		p.clauses = p.clauses[:n-1]
	case n == 0:
		p.errorAt(at, "end of a block that is not open")
	default:
		p.errorAt(at, "end of another block inside %s", clauseNames[p.clauses[n-1].kind])
	}
	return ok
}

// closeClauses reports the clauses that are open at the end.
func (p *parser) closeClauses() {
	for n := len(p.clauses) - 1; n >= 0; n-- {
		c := &p.clauses[n]
		p.diagnose(diag.Error, c.at, 1, "%s is not closed", clauseNames[c.kind])
		if c.kind == clauseElseIf || c.kind == clauseElse {
			p.diagnose(diag.Error, c.first, len(".if"), "the conditional block begins here")
		}
	}
	p.clauses = nil
}

// blockAt returns the operation of the current statement, as far as blocks are
// concerned, and its column. The cursor is after its name.
func (p *parser) blockAt() (o *operation, at int) {
	text := p.src[p.start:p.end]
	at = p.start + skipLabels(text)
	p.pos = at
	if p.byteAt(at) != '.' {
		return &noOperation, at
	}
	name := p.name()
	lower := p.lower(name[1:])
	if o, ok := operations.From(makeOperations)[string(lower)]; ok {
		return o, at
	}
	return &noOperation, at
}

// skipClauses skips statements up to the end of the last clause, or its next
// branch. With exit set, it skips the rest of the current macro instead.
func (p *parser) skipClauses(exit bool) {
	level, depth := len(p.clauses), len(p.feeds)
	branches := level == 0 || p.clauses[level-1].conditional()
	for exit || len(p.clauses) >= level {
		if p.ended || !p.nextStatement() {
			return
		}
		if exit && len(p.feeds) < depth {
			p.reread = true
			return
		}
		o, at := p.blockAt()
		if o.block == blockNone {
			continue
		}
		n := len(p.clauses)
		body := n > 0 && !p.clauses[n-1].conditional()
		switch o.block {
		case blockEndMacro, blockEndRepeat:
			if p.finish() {
				p.endClause(at, o.block)
			}
		case blockMacro:
			p.clauses = append(p.clauses, clause{kind: clauseMacro, at: p.locate(at)})
		case blockRepeat:
			p.clauses = append(p.clauses, clause{kind: clauseRepeat, at: p.locate(at)})
		}
		if body {
			continue
		}
		switch o.block {
		case blockIf:
			p.clauses = append(p.clauses, clause{kind: clauseIf, at: p.locate(at)})
		case blockEndIf:
			if p.finish() {
				p.endClause(at, o.block)
			}
		case blockElse:
			if o.plainElse && !p.finish() {
				continue
			}
			if !exit && n == level && branches {
				p.reread = true
				return
			}
			kind := clauseElseIf
			if o.plainElse {
				kind = clauseElse
			}
			p.elseClause(at, kind, false)
		}
	}
}

// elseBranch implements .else.
func (p *parser) elseBranch(stmt int) {
	if p.finish() {
		p.openElse(stmt, clauseElse, true)
	}
}

// condition is the form of a conditional operation.
type condition struct {
	name string
	// test reads the arguments and returns whether the condition holds.
	test func(p *parser) (holds, ok bool)
}

// conditions lists the conditional operations: .if and .elseif before each
// name.
func conditions() []condition {
	list := []condition{
		{"", numberTest(func(v int64) bool { return v != 0 })},
		{"eq", numberTest(func(v int64) bool { return v == 0 })},
		{"ne", numberTest(func(v int64) bool { return v != 0 })},
		{"lt", numberTest(func(v int64) bool { return v < 0 })},
		{"le", numberTest(func(v int64) bool { return v <= 0 })},
		{"gt", numberTest(func(v int64) bool { return v > 0 })},
		{"ge", numberTest(func(v int64) bool { return v >= 0 })},
		{"32", func(p *parser) (bool, bool) { return !p.bits64, p.finish() }},
		{"64", func(p *parser) (bool, bool) { return p.bits64, p.finish() }},
	}
	for _, c := range []struct {
		name, negated string
		test          func(p *parser) (holds, ok bool)
	}{
		{"arch", "narch", (*parser).isArch},
		{"gpu", "ngpu", (*parser).isDevice},
		{"fmt", "nfmt", (*parser).isFormat},
		{"b", "nb", func(p *parser) (bool, bool) { return p.atEnd(), true }},
		{"c", "nc", (*parser).sameText},
		{"eqs", "nes", (*parser).sameStrings},
		{"def", "ndef", (*parser).isDefined},
		{"", "notdef", (*parser).isDefined},
	} {
		if c.name != "" {
			list = append(list, condition{c.name, c.test})
		}
		list = append(list, condition{c.negated, func(p *parser) (bool, bool) {
			holds, ok := c.test(p)
			return !holds, ok
		}})
	}
	return list
}

// numberTest returns the test of a number.
func numberTest(cond func(v int64) bool) func(p *parser) (bool, bool) {
	return func(p *parser) (bool, bool) {
		v, ok := p.required()
		return cond(int64(v)), ok && p.finish()
	}
}

func (p *parser) isArch() (holds, ok bool) {
	a, ok := p.archName()
	return ok && a == p.device.Arch, ok
}

func (p *parser) isDevice() (holds, ok bool) {
	d, ok := p.deviceName()
	return ok && d.ID == p.device.ID, ok
}

func (p *parser) isFormat() (holds, ok bool) {
	f, ok := p.formatName()
	return f == p.format, ok && p.finish()
}

// archName reads the name of an architecture at the end of a statement.
func (p *parser) archName() (a catalyst.Arch, ok bool) {
	p.skipSpace()
	at := p.pos
	word, ok := p.word("the name of an architecture", true)
	if !ok {
		return 0, false
	}
	a, ok = catalyst.ParseArch(string(word))
	if !ok {
		p.errorIn(at, p.pos, "unknown architecture '%s'", word)
		return 0, false
	}
	return a, p.finish()
}

// deviceName reads the name of a device at the end of a statement.
func (p *parser) deviceName() (d *catalyst.Device, ok bool) {
	p.skipSpace()
	at := p.pos
	word, ok := p.word("the name of a device", true)
	if !ok {
		return nil, false
	}
	if d = catalyst.LookupDevice(string(word)); d == nil {
		p.errorIn(at, p.pos, "unknown device '%s'", word)
		return nil, false
	}
	return d, p.finish()
}

// sameText compares two texts without quotes around them.
func (p *parser) sameText() (holds, ok bool) {
	p.skipSpace()
	rest := p.src[p.pos:p.end]
	i := bytes.IndexByte(rest, ',')
	if i < 0 {
		p.errorAt(p.end, "expected ',' and a second text")
		return false, false
	}
	return bytes.Equal(squeeze(rest[:i]), squeeze(rest[i+1:])), true
}

// squeeze returns a text without the blanks that do not separate words.
func squeeze(text []byte) []byte {
	var out []byte
	blank := true // blanks at the start, and more than one of them, do not count
	var quote, last byte
	for _, c := range text {
		if isSpace(c) {
			if !blank || quote != 0 {
				out = append(out, c)
			}
			blank = true
			continue
		}
		blank = false
		switch {
		case quote == c:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		}
		n := len(out)
		if quote == 0 && n > 0 && isSpace(out[n-1]) && last != 0 {
			a, word := tokenClass(last)
			if b, _ := tokenClass(c); a != b || !word {
				out = out[:n-1]
			}
		}
		out = append(out, c)
		last = c
	}
	if n := len(out); n > 0 && isSpace(out[n-1]) {
		out = out[:n-1]
	}
	return out
}

// sameStrings compares two strings.
func (p *parser) sameStrings() (holds, ok bool) {
	p.skipSpace()
	text, ok := p.stringLiteral()
	first := bytes.Clone(text)
	if !p.comma() {
		return false, false
	}
	p.skipSpace()
	second, ok2 := p.stringLiteral()
	return bytes.Equal(first, second), ok && ok2 && p.finish()
}

// isDefined tests whether a symbol is defined.
func (p *parser) isDefined() (holds, ok bool) {
	p.skipSpace()
	at := p.pos
	name := p.scopedName()
	if len(name) == 0 {
		p.errorAt(at, "expected a symbol")
		return false, false
	}
	if string(name) == "." {
		return true, p.finish()
	}
	s, _, _ := p.findSymbol(name, false)
	return s != nil && s.defined(), p.finish()
}
