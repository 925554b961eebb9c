package litmus

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the test in the text form. Parse reads it back without a
// difference, except for positions.
func (t *Test) String() string {
	p := printer{test: t}
	p.line("litmus %s", t.Name)
	for i := range t.Variables {
		p.printVariable(&t.Variables[i])
	}
	for i := range t.Threads {
		p.printThread(&t.Threads[i])
	}
	if len(t.Observed) > 0 {
		var names []string
		for _, x := range t.Observed {
			names = append(names, t.TermName(x))
		}
		p.line("observe %s", strings.Join(names, ", "))
	}
	p.line("%s %s", t.Kind, p.text(t.Condition, lowestLevel))
	if t.Expected != Unknown {
		p.line("expect %s", t.Expected)
	}
	return p.b.String()
}

// A printer writes a test.
type printer struct {
	test      *Test
	registers []string // of the current thread
	b         strings.Builder
	indent    int
}

// line writes one line.
func (p *printer) line(format string, args ...any) {
	for range p.indent {
		p.b.WriteString("  ")
	}
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) printVariable(v *Variable) {
	generic, size := "", ""
	if v.Generic {
		generic = "generic "
	}
	if len(v.Init) > 1 {
		size = "[" + strconv.Itoa(len(v.Init)) + "]"
	}
	var values []string
	for _, x := range v.Init {
		values = append(values, strconv.Itoa(int(x)))
	}
	p.line("%s%s %s%s = %s", generic, v.Space, v.Name, size, strings.Join(values, ", "))
}

func (p *printer) printThread(t *Thread) {
	agent := ""
	if t.Agent > 0 {
		agent = fmt.Sprintf(" agent %d", t.Agent)
	}
	p.registers = t.Registers
	p.line("thread %s%s group %d wave %d {", t.Name, agent, t.Group, t.Wave)
	p.block(t.Body)
	p.line("}")
}

func (p *printer) block(list []Statement) {
	p.indent++
	for i := range list {
		p.statement(&list[i])
	}
	p.indent--
}

func (p *printer) statement(s *Statement) {
	if s.Action != If {
		p.line("%s", p.simple(s))
		return
	}
	p.line("if %s {", p.text(s.Value, lowestLevel))
	p.block(s.Then)
	if len(s.Else) > 0 {
		p.line("} else {")
		p.block(s.Else)
	}
	p.line("}")
}

// simple returns the text of a statement without nested ones.
func (p *printer) simple(s *Statement) string {
	var words []string
	if s.Polls > 0 {
		words = append(words, "poll", strconv.Itoa(s.Polls))
	}
	if s.Dest >= 0 {
		words = append(words, p.registers[s.Dest], "=")
	}
	words = append(words, p.operation(s))
	if s.Ordering != Plain {
		words = append(words, s.Ordering.String(), p.scope(s))
	}
	if s.Until != nil {
		words = append(words, "until", p.text(s.Until, lowestLevel))
	}
	return strings.Join(words, " ")
}

// operation returns a statement without its destination, ordering and loop.
func (p *printer) operation(s *Statement) string {
	value := func(e *Expr) string { return ", " + p.text(e, lowestLevel) }
	switch s.Action {
	case Load:
		return "load " + p.place(s)
	case Store:
		return "store " + p.place(s) + value(s.Value)
	case RMW:
		return s.Op.String() + " " + p.place(s) + value(s.Value)
	case CmpXchg:
		return "cmpxchg " + p.place(s) + value(s.Expected) + value(s.Value)
	case Fence:
		return "fence"
	case Barrier:
		return "barrier"
	}
	return p.text(s.Value, lowestLevel)
}

func (p *printer) scope(s *Statement) string {
	if name := s.ScopeName(); name != "" {
		return name
	}
	return "system"
}

// place returns the variable of an access.
func (p *printer) place(s *Statement) string {
	name := p.test.Variables[s.Variable].Name
	if s.Index != nil {
		name += "[" + p.text(s.Index, lowestLevel) + "]"
	}
	return name
}

// text returns an expression, in parentheses if its operator binds less than level.
func (p *printer) text(e *Expr, level int) string {
	switch e.Op {
	case OpConst:
		return strconv.Itoa(int(e.Value))
	case OpRegister:
		return p.registers[e.Register]
	case OpTerm:
		return p.test.TermName(e.Term)
	case OpNot:
		return "!" + p.text(e.X, unaryLevel)
	}
	o := &binaryOps[e.Op-opBinary]
	s := p.text(e.X, o.level) + " " + o.text + " " + p.text(e.Y, o.level+1)
	if o.level < level {
		return "(" + s + ")"
	}
	return s
}

// elementName returns the name of an element of a variable.
func elementName(v *Variable, element int) string {
	if len(v.Init) == 1 {
		return v.Name
	}
	return v.Name + "[" + strconv.Itoa(element) + "]"
}
