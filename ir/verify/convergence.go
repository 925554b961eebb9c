package verify

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// convergence holds the state for the convergence control rules of a function
// (LangRef, "Convergence Control Semantics").
type convergence struct {
	seenOp       bool // a convergent operation precedes in the block
	controlled   bool
	uncontrolled bool
	tokens       map[ir.Value]ir.Value // maps operations to the tokens they use
	live         map[ir.Block][]ir.Value
}

func (g *convergence) reset() {
	g.seenOp, g.controlled, g.uncontrolled = false, false, false
	clear(g.tokens)
}

// isConvergent reports whether a call is convergent, by its own attributes or
// its callee's.
func (c *checker) isConvergent(s *callSite) bool {
	return c.m.HasAttr(c.m.AttrsAt(s.attrs, ir.AttrFunction), ir.AttrConvergent) ||
		s.callee != nil && c.m.HasAttr(c.m.AttrsAt(s.callee.Attributes, ir.AttrFunction), ir.AttrConvergent)
}

// isTokenSource reports whether an intrinsic function produces a convergence
// control token.
func isTokenSource(id ir.Intrinsic) bool {
	return id == ir.IntrExperimentalConvergenceEntry || id == ir.IntrExperimentalConvergenceAnchor || id == ir.IntrExperimentalConvergenceLoop
}

// convergent checks the token that a call uses.
func (c *checker) convergent(s *callSite) string {
	g := &c.convergence
	isConvergent := c.isConvergent(s)
	if !isConvergent && len(c.f.Bundles(s.v)) == 0 {
		return ""
	}
	token, message := c.usedToken(s)
	if message != "" {
		return message
	}
	id := ir.NoIntrinsic
	if s.callee != nil && isTokenSource(s.callee.Intrinsic) {
		id = s.callee.Intrinsic
	}
	if message := c.tokenSource(id, token); message != "" {
		return message
	}
	g.seenOp = g.seenOp || isConvergent
	switch {
	case token != ir.None || id != ir.NoIntrinsic:
		if g.uncontrolled {
			return "Cannot mix controlled and uncontrolled convergence in the same function."
		}
		g.controlled = true
	case isConvergent:
		if g.controlled {
			return "Cannot mix controlled and uncontrolled convergence in the same function."
		}
		g.uncontrolled = true
	}
	return ""
}

// usedToken returns the token of the bundle convergencectrl of a call, or None
// if it has none.
func (c *checker) usedToken(s *callSite) (token ir.Value, message string) {
	b := c.bundle(s.v, "convergencectrl")
	switch {
	case b == nil:
		return ir.None, ""
	case c.countBundles(s.v, "convergencectrl") > 1:
		return ir.None, "The 'convergencectrl' bundle can occur at most once on a call"
	case b.N != 1 || c.opType(s.v, int(b.First)) != ir.Token:
		return ir.None, "The 'convergencectrl' bundle requires exactly one token use."
	}
	token = c.f.Operand(s.v, int(b.First))
	if !token.IsLocal() || !isTokenSource(c.f.CalledIntrinsic(token)) {
		return ir.None, "Convergence control tokens can only be produced by calls to the convergence control intrinsics."
	}
	if c.convergence.tokens == nil {
		c.convergence.tokens = map[ir.Value]ir.Value{}
	}
	c.convergence.tokens[s.v] = token
	return token, ""
}

// tokenSource checks a call that produces a token.
func (c *checker) tokenSource(id ir.Intrinsic, token ir.Value) string {
	g := &c.convergence
	fn := c.m.AttrsAt(c.f.Attributes, ir.AttrFunction)
	switch id {
	case ir.IntrExperimentalConvergenceEntry:
		switch {
		case !c.m.HasAttr(fn, ir.AttrConvergent):
			return "Entry intrinsic can occur only in a convergent function."
		case c.b != c.f.Entry():
			return "Entry intrinsic can occur only in the entry block."
		case g.seenOp:
			return "Entry intrinsic cannot be preceded by a convergent operation in the same basic block."
		case token != ir.None:
			return "Entry or anchor intrinsic cannot have a convergencectrl token operand."
		}
	case ir.IntrExperimentalConvergenceAnchor:
		if token != ir.None {
			return "Entry or anchor intrinsic cannot have a convergencectrl token operand."
		}
	case ir.IntrExperimentalConvergenceLoop:
		switch {
		case token == ir.None:
			return "Loop intrinsic must have a convergencectrl token operand."
		case g.seenOp:
			return "Loop intrinsic cannot be preceded by a convergent operation in the same basic block."
		}
	}
	return ""
}

// convergenceTokens checks the uses of tokens: regions must nest, and cycles
// must have a single heart.
func (c *checker) convergenceTokens() {
	g := &c.convergence
	if len(g.tokens) == 0 {
		return
	}
	g.live = map[ir.Block][]ir.Value{}
	w := tokenWalk{c: c, hearts: map[*cycle]ir.Value{}}
	w.cycles = findCycles(c)
	for _, n := range c.dom.Graph().RPO() {
		w.block(ir.Block(n))
	}
	c.b, c.v = 0, ir.None
}

// tokenWalk visits the blocks in reverse postorder.
type tokenWalk struct {
	c      *checker
	cycles *cycle // cycle tree; the root represents the function
	hearts map[*cycle]ir.Value
}

func (w *tokenWalk) block(b ir.Block) {
	c, g := w.c, &w.c.convergence
	live := slices.Clone(g.live[b])
	for v := c.f.First(b); v != ir.None; v = c.f.Next(v) {
		if token := g.tokens[v]; token != ir.None {
			c.b, c.v = b, v
			if at := slices.Index(live, token); at >= 0 {
				live = live[:at+1]
			} else if c.dom.Dominates(uint32(c.f.Parent(token)), uint32(b)) {
				c.fail("Convergence region is not well-nested.")
				continue
			} else {
				c.fail("Convergence control token must dominate all its uses.")
				continue
			}
			c.checkMessage(w.cycleRules(token, v, b))
		}
		if isTokenSource(c.f.CalledIntrinsic(v)) {
			live = append(live, v)
		}
	}
	for _, o := range c.f.Successors(b) {
		if o.Value.IsBlock() {
			w.flow(live, o.Value.Block())
		}
	}
}

// flow propagates live tokens to a successor: the tokens that dominate it and
// are live at all its predecessors.
func (w *tokenWalk) flow(live []ir.Value, to ir.Block) {
	c, g := w.c, &w.c.convergence
	have, ok := g.live[to]
	if ok {
		g.live[to] = slices.DeleteFunc(slices.Clone(have), func(t ir.Value) bool { return !slices.Contains(live, t) })
		return
	}
	n := 0
	for n < len(live) && c.dom.Dominates(uint32(c.f.Parent(live[n])), uint32(to)) {
		n++
	}
	g.live[to] = slices.Clone(live[:n])
}

// cycleRules checks the use of a token in a cycle that does not contain its
// definition.
func (w *tokenWalk) cycleRules(token, user ir.Value, b ir.Block) string {
	c := w.c
	in := w.cycles.innermost(b)
	def := c.f.Parent(token)
	if in == nil || def == b || in.contains(def) {
		return ""
	}
	if c.f.CalledIntrinsic(user) != ir.IntrExperimentalConvergenceLoop {
		return "Convergence token used by an instruction other than llvm.experimental.convergence.loop in a cycle that does not contain the token's definition."
	}
	for in.parent != nil && in.parent.header != 0 && !in.parent.contains(def) {
		in = in.parent
	}
	if !in.reducible || in.header != b {
		return "Cycle heart must dominate all blocks in the cycle."
	}
	if w.hearts[in] != ir.None {
		return "Two static convergence token uses in a cycle that does not contain either token's definition."
	}
	w.hearts[in] = user
	return ""
}
