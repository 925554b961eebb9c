package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// sibling is a pad that unwinds to another pad with the same parent, through an
// instruction.
type sibling struct{ pad, by ir.Value }

func (c *checker) isPad(v ir.Value) bool { return v != ir.None && c.f.Op(v).IsPad() }

// isFuncletPad reports whether v is a catchpad or cleanuppad.
func (c *checker) isFuncletPad(v ir.Value) bool {
	return v.IsLocal() && (c.f.Op(v) == ir.OpCatchPad || c.f.Op(v) == ir.OpCleanupPad)
}

// isNone reports whether v is the constant none.
func (c *checker) isNone(v ir.Value) bool {
	return v.IsConst() && c.m.ConstKindOf(v) == ir.ConstZero && c.m.TypeOfConst(v) == ir.Token
}

// parentPad returns the parent of a funclet pad, or None for other values.
func (c *checker) parentPad(v ir.Value) ir.Value {
	if c.isFuncletPad(v) || v.IsLocal() && c.f.Op(v) == ir.OpCatchSwitch {
		return c.f.Operand(v, 0)
	}
	return ir.None
}

// unwindDest returns the unwind destination of a terminator, or 0 if it does
// not unwind or unwinds to the caller.
func (c *checker) unwindDest(v ir.Value) ir.Block {
	in := c.f.Instr(v)
	switch {
	case in.Op == ir.OpInvoke:
		return c.f.CallSuccessors(v)[1].Value.Block()
	case in.Op == ir.OpCatchSwitch && in.X == 1, in.Op == ir.OpCleanupRet && c.f.NumOperands(v) == 2:
		return c.f.Operand(v, 1).Block()
	}
	return 0
}

func (c *checker) resume(v ir.Value) string {
	t := c.opType(v, 0)
	if c.f.Personality == ir.None {
		return "ResumeInst needs to be in a function with a personality."
	}
	if c.padType == ir.NoType {
		c.padType = t
	}
	if c.padType != t {
		return c.found("The resume instruction should have a consistent result type inside a function.", t, c.padType)
	}
	return ""
}

func (c *checker) landingPad(v ir.Value) string {
	in := c.f.Instr(v)
	if c.f.NumOperands(v) == 0 && in.Flags&ir.Cleanup == 0 {
		return "LandingPadInst needs at least one clause or to be a cleanup."
	}
	c.checkMessage(c.landingPadPreds())
	if c.padType == ir.NoType {
		c.padType = in.Type
	}
	switch {
	case c.padType != in.Type:
		return c.found("The landingpad instruction should have a consistent result type inside a function.", in.Type, c.padType)
	case c.f.Personality == ir.None:
		return "LandingPadInst needs to be in a function with a personality."
	case c.f.FirstNonPhi(c.b) != v:
		return "LandingPadInst not the first non-PHI instruction in the block."
	}
	for _, o := range c.f.Operands(v) {
		t := c.typeOf(o.Value)
		if c.m.Kind(t) != ir.KindArray {
			if !c.m.IsPtr(t) {
				return c.found("Catch operand does not have pointer type!", t)
			}
			continue
		}
		switch c.m.ConstKindOf(o.Value) {
		case ir.ConstAggregate, ir.ConstZero:
		default:
			return "Filter operand is not an array of constants!"
		}
	}
	return ""
}

// landingPadPreds checks that only the unwind edges of invokes reach the block
// of a landingpad.
func (c *checker) landingPadPreds() string {
	if c.b == c.f.Entry() {
		return "EH pad cannot be in entry block."
	}
	for u := c.f.FirstPred(c.b); u != 0; u = c.f.NextUse(u) {
		t := c.f.User(u)
		if c.f.Op(t) != ir.OpInvoke || c.unwindDest(t) != c.b || c.f.CallSuccessors(t)[0].Value.Block() == c.b {
			return "Block containing LandingPadInst must be jumped to only by the unwind edge of an invoke."
		}
	}
	return ""
}

func (c *checker) catchPad(v ir.Value) string {
	parent := c.f.Operand(v, 0)
	switch {
	case c.f.Personality == ir.None:
		return "CatchPadInst needs to be in a function with a personality."
	case !parent.IsLocal() || c.f.Op(parent) != ir.OpCatchSwitch:
		return "CatchPadInst needs to be directly nested in a CatchSwitchInst."
	case c.f.FirstNonPhi(c.b) != v:
		return "CatchPadInst not the first non-PHI instruction in the block."
	case c.b == c.f.Entry():
		return "EH pad cannot be in entry block."
	}
	for u := c.f.FirstPred(c.b); u != 0; u = c.f.NextUse(u) {
		if c.f.User(u) != parent {
			return "Block containg CatchPadInst must be jumped to only by its catchswitch."
		}
	}
	if c.unwindDest(parent) == c.b {
		return "Catchswitch cannot unwind to one of its catchpads"
	}
	return c.funcletPad(v)
}

func (c *checker) catchRet(v ir.Value) string {
	ops := c.f.Operands(v)
	if pad := ops[0].Value; !pad.IsLocal() || c.f.Op(pad) != ir.OpCatchPad {
		return "CatchReturnInst needs to be provided a CatchPad"
	}
	return c.blocks(ops[1:])
}

func (c *checker) cleanupPad(v ir.Value) string {
	parent := c.f.Operand(v, 0)
	switch {
	case c.f.Personality == ir.None:
		return "CleanupPadInst needs to be in a function with a personality."
	case c.f.FirstNonPhi(c.b) != v:
		return "CleanupPadInst not the first non-PHI instruction in the block."
	case !c.isNone(parent) && !c.isFuncletPad(parent):
		return "CleanupPadInst has an invalid parent."
	}
	if message := c.padPreds(v, parent); message != "" {
		return message
	}
	return c.funcletPad(v)
}

func (c *checker) cleanupRet(v ir.Value) string {
	ops := c.f.Operands(v)
	if pad := ops[0].Value; !pad.IsLocal() || c.f.Op(pad) != ir.OpCleanupPad {
		return "CleanupReturnInst needs to be provided a CleanupPad"
	}
	if message := c.blocks(ops[1:]); message != "" {
		return message
	}
	if to := c.unwindDest(v); to != 0 && !c.isFuncletEntry(to) {
		return "CleanupReturnInst must unwind to an EH block which is not a landingpad."
	}
	return ""
}

// isFuncletEntry reports whether a block begins with a pad other than a
// landingpad.
func (c *checker) isFuncletEntry(b ir.Block) bool {
	first := c.f.FirstNonPhi(b)
	return c.isPad(first) && c.f.Op(first) != ir.OpLandingPad
}

func (c *checker) catchSwitch(v ir.Value) string {
	ops := c.f.Operands(v)
	parent := ops[0].Value
	switch {
	case c.f.Personality == ir.None:
		return "CatchSwitchInst needs to be in a function with a personality."
	case c.f.FirstNonPhi(c.b) != v:
		return "CatchSwitchInst not the first non-PHI instruction in the block."
	case !c.isNone(parent) && !c.isFuncletPad(parent):
		return "CatchSwitchInst has an invalid parent."
	}
	if message := c.blocks(ops[1:]); message != "" {
		return message
	}
	handlers := ops[1:]
	if to := c.unwindDest(v); to != 0 {
		handlers = ops[2:]
		if !c.isFuncletEntry(to) {
			return "CatchSwitchInst must unwind to an EH block which is not a landingpad."
		}
		if c.parentPad(c.f.FirstNonPhi(to)) == parent {
			c.siblings = append(c.siblings, sibling{v, v})
		}
	}
	if len(handlers) == 0 {
		return "CatchSwitchInst cannot have empty handler list"
	}
	for _, h := range handlers {
		if c.f.Op(c.f.FirstNonPhi(h.Value.Block())) != ir.OpCatchPad {
			return "CatchSwitchInst handlers must be catchpads"
		}
	}
	return c.padPreds(v, parent)
}

// padPreds checks that only unwind edges from pads inside the parent reach a
// cleanuppad or catchswitch.
func (c *checker) padPreds(pad, parent ir.Value) string {
	if c.b == c.f.Entry() {
		return "EH pad cannot be in entry block."
	}
	for u := c.f.FirstPred(c.b); u != 0; u = c.f.NextUse(u) {
		from := c.f.User(u)
		source := ir.None // None represents the constant none
		switch c.f.Op(from) {
		case ir.OpInvoke:
			if c.unwindDest(from) != c.b || c.f.CallSuccessors(from)[0].Value.Block() == c.b {
				return "EH pad must be jumped to via an unwind edge"
			}
			if b := c.bundle(from, "funclet"); b != nil && b.N > 0 {
				source = c.f.Operand(from, int(b.First))
			}
		case ir.OpCleanupRet:
			if source = c.f.Operand(from, 0); source == parent {
				return "A cleanupret must exit its cleanup"
			}
		case ir.OpCatchSwitch:
			source = from
		default:
			return "EH pad must be jumped to via an unwind edge"
		}
		if message := c.exits(source, pad, parent); message != "" {
			return message
		}
	}
	return ""
}

// exits checks that an unwind edge leaves no pads beyond the parent of its
// destination.
func (c *checker) exits(from, pad, parent ir.Value) string {
	none := func(v ir.Value) bool { return v == ir.None || c.isNone(v) }
	for steps := 0; ; steps++ {
		switch {
		case from == pad:
			return "EH pad cannot handle exceptions raised within it"
		case from == parent || none(from) && none(parent):
			return ""
		case none(from):
			return "A single unwind edge may only enter one EH pad"
		case steps > c.f.NumValues():
			return "EH pad jumps through a cycle of pads"
		}
		next := c.parentPad(from)
		if next == ir.None {
			return "Parent pad must be catchpad/cleanuppad/catchswitch"
		}
		from = next
	}
}

// funcletPad checks that all unwind edges that leave a funclet have the same
// destination.
func (c *checker) funcletPad(v ir.Value) string {
	w := funcletWalk{c: c, pad: v, to: ir.None}
	if message := w.walk(); message != "" {
		return message
	}
	parent := c.f.Operand(v, 0)
	if w.found && parent.IsLocal() && c.f.Op(parent) == ir.OpCatchSwitch {
		to := ir.None
		if b := c.unwindDest(parent); b != 0 {
			to = c.f.FirstNonPhi(b)
		}
		if to != w.to {
			return "Unwind edges out of a catch must have the same unwind dest as the parent catchswitch"
		}
	}
	return ""
}

// funcletWalk finds the destination of the unwind edges that leave a funclet.
type funcletWalk struct {
	c     *checker
	pad   ir.Value
	to    ir.Value // destination pad, None for the caller
	found bool     // such an edge exists
	work  []ir.Value
	seen  map[ir.Value]bool
}

func (w *funcletWalk) walk() string {
	w.work, w.seen = append(w.work, w.pad), map[ir.Value]bool{}
	for len(w.work) > 0 {
		pad := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		if w.seen[pad] {
			return "FuncletPadInst must not be nested within itself"
		}
		w.seen[pad] = true
		resolved, message := w.users(pad)
		if message != "" {
			return message
		}
		if resolved != ir.None && resolved != pad {
			w.dropResolved(pad, resolved)
		}
	}
	return ""
}

// users visits the users of a pad. It returns the innermost ancestor of the pad
// that is not known to be exited by an unwind edge.
func (w *funcletWalk) users(pad ir.Value) (resolved ir.Value, message string) {
	c, f := w.c, w.c.f
	for u := f.FirstUse(pad); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		switch f.Op(user) {
		case ir.OpCleanupRet, ir.OpInvoke:
		case ir.OpCatchSwitch:
			if c.unwindDest(user) == 0 {
				continue
			}
		case ir.OpCall, ir.OpCatchRet, ir.OpLocalMetadata:
			continue
		case ir.OpCleanupPad:
			w.work = append(w.work, user)
			continue
		default:
			return ir.None, "Bogus funclet pad use"
		}
		to, exits, skip := ir.None, true, false
		if b := c.unwindDest(user); b != 0 {
			to = f.FirstNonPhi(b)
			exits, resolved, skip = w.exited(pad, to)
			if skip {
				continue
			}
		} else {
			resolved = w.pad
		}
		if exits {
			if message := w.edge(user, to); message != "" {
				return ir.None, message
			}
		}
		if pad != w.pad {
			break
		}
	}
	return resolved, ""
}

// exited reports whether an unwind edge from a pad inside w.pad leaves w.pad.
func (w *funcletWalk) exited(pad, to ir.Value) (exits bool, resolved ir.Value, skip bool) {
	c := w.c
	if !c.isPad(to) || c.f.Op(to) == ir.OpLandingPad {
		return false, ir.None, true
	}
	parent := c.parentPad(to)
	if parent == pad {
		return false, ir.None, true
	}
	for at, steps := pad, 0; steps <= c.f.NumValues(); steps++ {
		if at == w.pad {
			return true, w.pad, false
		}
		up := c.parentPad(at)
		if up == parent {
			return false, up, false
		}
		if up == ir.None || c.isNone(up) {
			break
		}
		at = up
	}
	return false, ir.None, false
}

// edge records an unwind edge that leaves w.pad.
func (w *funcletWalk) edge(user, to ir.Value) string {
	if w.found {
		if to != w.to {
			return "Unwind edges out of a funclet pad must have the same unwind dest"
		}
		return ""
	}
	w.found, w.to = true, to
	c := w.c
	if c.f.Op(w.pad) == ir.OpCleanupPad && to != ir.None && c.parentPad(to) == c.parentPad(w.pad) {
		c.siblings = append(c.siblings, sibling{w.pad, user})
	}
	return ""
}

// dropResolved removes pads from the list whose unwind destination follows from
// a pad nested in their parent.
func (w *funcletWalk) dropResolved(pad, unresolved ir.Value) {
	c := w.c
	at := pad
	for len(w.work) > 0 {
		ancestor := c.parentPad(w.work[len(w.work)-1])
		for steps := 0; at != ancestor && steps <= c.f.NumValues(); steps++ {
			up := c.parentPad(at)
			if up == unresolved || up == ir.None || c.isNone(up) {
				break
			}
			at = up
		}
		if at != ancestor {
			return
		}
		w.work = w.work[:len(w.work)-1]
	}
}

// siblingUnwinds checks that pads do not handle each other's exceptions.
func (c *checker) siblingUnwinds() {
	if len(c.siblings) == 0 {
		return
	}
	by := map[ir.Value]ir.Value{}
	for _, s := range c.siblings {
		if _, ok := by[s.pad]; !ok {
			by[s.pad] = s.by
		}
	}
	visited := map[ir.Value]int{}
	for i, s := range c.siblings {
		pad := s.pad
		for {
			if visited[pad] == i+1 {
				c.b, c.v = c.f.Parent(pad), pad
				c.fail("EH pads can't handle each other's exceptions")
			}
			next, ok := by[pad]
			if visited[pad] != 0 || !ok {
				break
			}
			visited[pad] = i + 1
			pad = c.f.FirstNonPhi(c.unwindDest(next))
		}
	}
	c.b, c.v = 0, ir.None
}
