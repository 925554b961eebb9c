package pattern

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// Rule is one rewrite rule.
type Rule struct {
	From, To string
	If       string // conditions
	Why      string // justification, where not obvious
}

// Rules holds the rules for one operation or one intrinsic.
type Rules struct {
	Op   ir.Op        // 0 for an intrinsic
	Intr ir.Intrinsic // NoIntrinsic for an operation
	List []Rule
}

// Compiled returns the compiled rule.
func (r *Rule) Compiled() *Compiled { return compile(r) }

// Kind is the kind of an expression node.
type Kind uint8

// Kinds of nodes.
const (
	Var      Kind = iota // any value
	Const                // constant
	Int                  // number Lit
	SignMin              // smallest signed integer
	SignMax              // largest signed integer
	Float                // floating-point number Num
	Poison               //
	Undef                //
	Op                   // operation
	Func                 // predicate or function of a condition, Fn
	AnyConst             // the largest kind
)

// Node is a node of an expression.
type Node struct {
	Kind   Kind
	Op     ir.Op
	Pred   ir.Pred // of a comparison; AnyPred, or InversePred or SwappedPred in To
	Fn     uint8   // index in functions
	OneUse bool
	Same   bool // copy the matched instruction's flags
	Flags  ir.Flags
	Intr   ir.Intrinsic // OpCall
	Name   int8         // number of the variable or named operation; -1: none
	Kids   []int16
	Lit    int64
	Num    float64
}

// Predicate placeholders.
const (
	AnyPred     = ir.NumPreds + iota // binds P
	InversePred                      // P~
	SwappedPred                      // P^
)

// Compiled is a rule that is ready to be matched.
type Compiled struct {
	Rule
	Nodes    []Node
	From, To int16
	Cond     []int16
	Names    []string // of variables and named operations
}

// flagNames maps the suffixes of operation names to flags.
var flagNames = lazy.Value[map[string]ir.Flags]{Make: func() map[string]ir.Flags {
	return map[string]ir.Flags{"nuw": ir.NUW, "nsw": ir.NSW, "exact": ir.Exact, "disjoint": ir.Disjoint, "nneg": ir.NNeg,
		"samesign": ir.SameSign, "nnan": ir.NoNaNs, "ninf": ir.NoInfs, "nsz": ir.NoSignedZeros, "reassoc": ir.Reassoc,
		"arcp": ir.AllowReciprocal, "contract": ir.AllowContract, "afn": ir.ApproxFunc}
}}

// parser parses the expressions of one rule.
type parser struct {
	c    *Compiled
	s    string
	from bool
	kids []int16 // children of nodes
}

// compile parses a rule. It panics on errors, which are bugs.
func compile(r *Rule) *Compiled {
	c := &Compiled{Rule: *r, Nodes: make([]Node, 0, 8)}
	p := parser{c: c, s: r.From, from: true, kids: make([]int16, 0, 8)}
	c.From = p.expr()
	p.end()
	p.from, p.s = false, r.To
	c.To = p.expr()
	p.end()
	p.s = r.If
	for p.space(); p.s != ""; p.space() {
		c.Cond = append(c.Cond, p.expr())
	}
	return c
}

func (p *parser) bug(what string) { panic("BUG: rule " + p.c.Rule.From + ": " + what) }

func (p *parser) space() { p.s = strings.TrimLeft(p.s, " \t\n") }

func (p *parser) end() {
	if p.space(); p.s != "" {
		p.bug("text after the expression: " + p.s)
	}
}

func (p *parser) word() string {
	p.space()
	n := strings.IndexAny(p.s, " ()\t\n")
	if n < 0 {
		n = len(p.s)
	}
	w := p.s[:n]
	p.s = p.s[n:]
	return w
}

func (p *parser) addNode(n Node) int16 {
	p.c.Nodes = append(p.c.Nodes, n)
	return int16(len(p.c.Nodes) - 1)
}

func (p *parser) name(s string) int8 {
	for i, n := range p.c.Names {
		if n == s {
			return int8(i)
		}
	}
	if !p.from {
		p.bug("unknown name " + s)
	}
	p.c.Names = append(p.c.Names, s)
	if len(p.c.Names) > maxNames {
		p.bug("too many names")
	}
	return int8(len(p.c.Names) - 1)
}

// literals holds the words that represent numbers.
var literals = lazy.Value[map[string]Node]{Make: func() map[string]Node {
	return map[string]Node{"smin": {Kind: SignMin}, "smax": {Kind: SignMax}, "poison": {Kind: Poison}, "undef": {Kind: Undef}}
}}

func (p *parser) expr() int16 {
	p.space()
	if strings.HasPrefix(p.s, "(") {
		return p.operation(-1)
	}
	w := p.word()
	if label, ok := strings.CutSuffix(w, ":"); ok {
		return p.operation(p.name(label))
	}
	if w == "" {
		p.bug("missing expression")
	}
	n := atom(w)
	if n.Kind <= Const {
		n.Name = p.name(w)
	}
	return p.addNode(n)
}

// atom returns the node of a word that is not an operation. The caller sets the
// name of a variable or constant.
func atom(w string) Node {
	if n, ok := literals.Get()[w]; ok {
		n.Name = -1
		return n
	}
	if isNumber(w) {
		if n, err := strconv.ParseInt(w, 0, 64); err == nil {
			return Node{Kind: Int, Lit: n, Name: -1}
		}
		if x, err := strconv.ParseFloat(w, 64); err == nil {
			return Node{Kind: Float, Num: x, Name: -1}
		}
	}
	if w[0] >= 'A' && w[0] <= 'Z' {
		return Node{Kind: Const}
	}
	return Node{Kind: Var}
}

// isNumber reports whether a word is a number rather than a name.
func isNumber(w string) bool {
	return w != "" && (w[0] >= '0' && w[0] <= '9' || w[0] == '-') || w == "inf"
}

// maxKids is the maximum number of operands of an operation.
const maxKids = 4

// operation parses "(op …)".
func (p *parser) operation(label int8) int16 {
	p.space()
	if !strings.HasPrefix(p.s, "(") {
		p.bug("missing ( at " + p.s)
	}
	p.s = p.s[1:]
	n := Node{Kind: Op, Name: label}
	p.head(&n, p.word())
	var kids [maxKids]int16
	count := 0
	for p.space(); !strings.HasPrefix(p.s, ")"); p.space() {
		if p.s == "" {
			p.bug("missing )")
		}
		if count == maxKids {
			p.bug("too many operands")
		}
		kids[count] = p.expr()
		count++
	}
	p.s = p.s[1:]
	first := len(p.kids)
	p.kids = append(p.kids, kids[:count]...)
	n.Kids = p.kids[first:len(p.kids):len(p.kids)]
	return p.addNode(n)
}

// head parses the name of an operation with its predicate and flags.
func (p *parser) head(n *Node, w string) {
	w, n.OneUse = strings.CutSuffix(w, "!")
	w, n.Same = strings.CutSuffix(w, "=")
	parts := strings.Split(w, ".")
	if fn := funcNumber(parts[0]); fn >= 0 {
		n.Kind, n.Fn = Func, uint8(fn)
		return
	}
	n.Op, n.Intr = operationNamed(parts[0])
	rest := parts[1:]
	switch {
	case n.Op == ir.OpCall && n.Intr == ir.NoIntrinsic:
		p.bug("unknown operation " + parts[0])
	case n.Op == ir.OpICmp || n.Op == ir.OpFCmp:
		n.Pred = p.pred(n.Op, rest[0])
		rest = rest[1:]
	}
	for _, f := range rest {
		if flagNames.Get()[f] == 0 {
			p.bug("unknown flag " + f)
		}
		n.Flags |= flagNames.Get()[f]
	}
}

func (p *parser) pred(op ir.Op, w string) ir.Pred {
	switch w {
	case "P":
		return AnyPred
	case "P~":
		return InversePred
	case "P^":
		return SwappedPred
	}
	lo, hi := ir.FCmpFalse, ir.FCmpTrue
	if op == ir.OpICmp {
		lo, hi = ir.ICmpEQ, ir.ICmpSLE
	}
	for pred := lo; pred <= hi; pred++ {
		if pred.String() == w {
			return pred
		}
	}
	p.bug("unknown predicate " + w)
	return 0
}

// wants returns the shapes that a rule requires of the first two operands.
func (r *Rule) wants() (want [2]uint8) {
	_, text, _ := strings.Cut(r.From, "(")
	p := parser{s: text}
	p.word()
	for i := range want {
		if p.space(); p.s == "" || p.s[0] == ')' {
			break
		}
		want[i] = p.skipOperand()
	}
	return want
}

// skipOperand skips an operand and returns its shape.
func (p *parser) skipOperand() uint8 {
	if p.s[0] != '(' {
		w := p.word()
		if !strings.HasSuffix(w, ":") {
			n := atom(w)
			return n.shape()
		}
	}
	_, w, _ := strings.Cut(p.s, "(")
	if n := strings.IndexAny(w, " .!=)"); n >= 0 {
		w = w[:n]
	}
	op, ok := opNames.Get()[w]
	if !ok {
		op = ir.OpCall
	}
	for depth := 0; p.s != ""; {
		c := p.s[0]
		p.s = p.s[1:]
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return uint8(op)
			}
		}
	}
	return uint8(op)
}

// operationNamed returns the operation with a name in rules, or OpCall and
// NoIntrinsic if none exists.
func operationNamed(s string) (ir.Op, ir.Intrinsic) {
	if op, ok := opNames.Get()[s]; ok {
		return op, ir.NoIntrinsic
	}
	s = strings.TrimSuffix(s, "_") // trunc_ is llvm.trunc, not the conversion
	return ir.OpCall, ir.LookupIntrinsic("llvm." + strings.ReplaceAll(s, "_", "."))
}

var opNames = lazy.Value[map[string]ir.Op]{Make: func() map[string]ir.Op {
	m := make(map[string]ir.Op, ir.NumOps)
	for op := ir.Op(1); op < ir.NumOps; op++ {
		if op != ir.OpCall {
			m[op.String()] = op
		}
	}
	return m
}}
