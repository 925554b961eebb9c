package verify

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// checker checks one function at a time and reuses its slices.
type checker struct {
	*shared
	f     *ir.Function
	b     ir.Block
	v     ir.Value
	g     *ir.Global
	out   []Violation
	nodes []Violation // violations in metadata nodes

	graph analysis.Graph
	dom   *analysis.DomTree
	order []uint32 // position of an instruction in its function, by number; 0 if it is in no block
	phis  phiScratch
	site  callSite // current call
	atts  []ir.Attachment
	stack []nodeVisit

	consts   []uint8 // cached state of constants, by number
	constSet []ir.Value

	subprogram  ir.Metadata // !dbg of the function
	argVars     []ir.Metadata
	seenScopes  []uint32 // bits of locations and scopes that belong to the subprogram
	seenNodes   []ir.Metadata
	padType     ir.Type // type of landingpad and resume
	siblings    []sibling
	escapes     int // number of arguments of llvm.localescape plus one
	convergence convergence
	tbaaNodes   []tbaaNode     // indexed by node
	rightRanges []ir.Type      // by node: a type for which the node is a valid !range
	rightLists  []*ir.TypeInfo // by attribute list: a function type of calls for which the list is valid
}

func newChecker(s *shared) *checker {
	return &checker{shared: s, consts: make([]uint8, s.m.NumConsts()), dom: &analysis.DomTree{}}
}

// takeViolations returns the accumulated violations and clears them.
func (c *checker) takeViolations() []Violation {
	out := c.out
	c.out = nil
	return out
}

func (c *checker) addViolation(v Violation) { c.out = append(c.out, v) }

// fail records a violation at the current location.
func (c *checker) fail(message string) {
	c.addViolation(Violation{Message: message, Function: c.f, Block: c.b, Value: c.v, Global: c.g})
}

// checkMessage records a violation if message is not empty. It reports whether
// message is empty.
func (c *checker) checkMessage(message string) bool {
	if message != "" {
		c.fail(message)
	}
	return message == ""
}

// debug records a debug info violation if message is not empty. It reports
// whether message is empty.
func (c *checker) debug(message string, md ir.Metadata) bool {
	if message != "" {
		c.addViolation(Violation{Message: message, Function: c.f, Block: c.b, Value: c.v, Global: c.g, Node: md, DebugInfo: true})
	}
	return message == ""
}

// typ returns a type in LLVM's syntax, in quotes.
func (c *checker) typ(t ir.Type) string { return "'" + string(text.TypeString(c.m, t)) + "'" }

// found appends the given types to a message.
func (c *checker) found(message string, types ...ir.Type) string {
	for i, t := range types {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		message += sep + c.typ(t)
	}
	return message
}

func (c *checker) typeOf(v ir.Value) ir.Type { return c.f.TypeOf(v) }

// opType returns the type of operand i of an instruction.
func (c *checker) opType(v ir.Value, i int) ir.Type { return c.f.TypeOf(c.f.Operand(v, i)) }

// lanes returns the number of elements of a vector, or 0 for other types.
func (c *checker) lanes(t ir.Type) uint64 {
	if info := c.m.TypeInfo(t); info.Kind == ir.KindVector {
		return info.N
	}
	return 0
}

// function checks a function including its body.
func (c *checker) function(f *ir.Function) {
	c.f, c.b, c.v, c.g = f, 0, ir.None, nil
	c.begin()
	c.header()
	if f.Entry() == 0 || !c.terminated() {
		return
	}
	if c.links {
		if err := f.CheckLinks(); err != nil {
			c.fail("broken links: " + err.Error())
			return
		}
	}
	c.number()
	c.graph.ResetCFG(f)
	c.dom.Reset(&c.graph)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		c.block(b)
	}
	c.b, c.v = 0, ir.None
	c.siblingUnwinds()
	c.convergenceTokens()
}

// begin clears the state of the previous function.
func (c *checker) begin() {
	c.subprogram, c.padType, c.escapes = 0, ir.NoType, 0
	c.argVars, c.siblings = c.argVars[:0], c.siblings[:0]
	for _, md := range c.seenNodes {
		c.seenScopes[md/32] &^= 1 << (md % 32)
	}
	c.seenNodes = c.seenNodes[:0]
	c.convergence.reset()
}

// terminated reports whether each block ends with a terminator, which the other
// checks require.
func (c *checker) terminated() bool {
	ok := true
	for b := c.f.Entry(); b != 0; b = c.f.NextBlock(b) {
		if c.f.Terminator(b) == ir.None {
			c.b, ok = b, false
			c.fail(fmt.Sprintf("Basic Block in function '%s' does not have terminator!", c.f.Name()))
		}
	}
	c.b = 0
	return ok
}

// number assigns each instruction its position in the function.
func (c *checker) number() {
	n := c.f.NumValues()
	if cap(c.order) < n {
		c.order = make([]uint32, n+n/4)
	}
	c.order = c.order[:n]
	clear(c.order)
	at := uint32(1)
	for b := c.f.Entry(); b != 0; b = c.f.NextBlock(b) {
		for v := c.f.First(b); v != ir.None; v = c.f.Next(v) {
			c.order[v] = at
			at++
		}
	}
}

// block checks a block and its instructions.
func (c *checker) block(b ir.Block) {
	c.b, c.v = b, ir.None
	c.convergence.seenOp = false
	if first := c.f.First(b); c.f.Op(first) == ir.OpPhi {
		c.phiEntries(b)
	}
	list, last := rules.From(makeRules), c.f.Last(b)
	for v := c.f.First(b); v != ir.None; v = c.f.Next(v) {
		c.m.Guard().Check()
		c.v = v
		if c.f.FirstRecord(v) != ir.None {
			c.records(v)
			c.v = v
		}
		in := c.f.Instr(v)
		if in.Op.IsTerminator() && v != last {
			c.fail("Terminator found in the middle of a basic block!")
		}
		if rule := list[in.Op]; rule != nil {
			c.checkMessage(rule(c, v))
		}
		c.instruction(v)
	}
}

// phiScratch holds slices for the entries of phis.
type phiScratch struct {
	preds  []ir.Block
	counts []int32 // by block: number of missing entries
	values []ir.Value
}

// phiEntries checks that the phis of a block have an entry for each predecessor.
func (c *checker) phiEntries(b ir.Block) {
	p := &c.phis
	if n := c.f.NumBlocks(); len(p.counts) < n {
		p.counts = make([]int32, n+n/4)
		p.values = make([]ir.Value, n+n/4)
	}
	p.preds = p.preds[:0]
	for u := c.f.FirstPred(b); u != 0; u = c.f.NextUse(u) {
		pred := c.f.PredOf(u)
		if pred == 0 || !c.f.User(u).IsLocal() || !c.f.Op(c.f.User(u)).IsTerminator() {
			continue
		}
		p.preds = append(p.preds, pred)
	}
	for v := c.f.First(b); c.f.Op(v) == ir.OpPhi; v = c.f.Next(v) {
		c.v = v
		c.checkMessage(c.phiEntry(v))
	}
	c.v = ir.None
}

// phiEntry checks the entries of a phi against the predecessors.
func (c *checker) phiEntry(v ir.Value) string {
	p := &c.phis
	n := c.f.NumIncoming(v)
	if n != len(p.preds) {
		return fmt.Sprintf("PHINode should have one entry for each predecessor of its parent basic block!: %d entries, %d predecessors", n, len(p.preds))
	}
	for _, pred := range p.preds {
		p.counts[pred]++
		p.values[pred] = ir.None
	}
	message := ""
	for i := range n {
		value, from := c.f.Incoming(v, i)
		p.counts[from]--
		switch {
		case message != "":
		case p.counts[from] < 0:
			message = "PHI node entries do not match predecessors!: " + c.block2(from) + " is none"
		case p.values[from] != ir.None && p.values[from] != value:
			message = "PHI node has multiple entries for the same basic block with different incoming values!: " + c.block2(from)
		}
		p.values[from] = value
	}
	for i := range n {
		_, from := c.f.Incoming(v, i)
		p.counts[from] = 0
	}
	for _, pred := range p.preds {
		p.counts[pred] = 0
	}
	return message
}

// block2 returns the name of a block.
func (c *checker) block2(b ir.Block) string { return text.LocalName(c.f, b.Value()) }
