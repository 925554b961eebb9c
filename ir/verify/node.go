package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// nodeVisit is a node that remains to be checked.
type nodeVisit struct {
	md        ir.Metadata
	allowLocs bool // it may refer to a DILocation
}

// node checks a metadata node and the nodes reachable from it, once per module.
func (c *checker) node(md ir.Metadata, allowLocs bool) {
	if !c.m.IsNode(md) || !c.claim(md, allowLocs) {
		return
	}
	c.stack = append(c.stack[:0], nodeVisit{md, allowLocs})
	for len(c.stack) > 0 {
		n := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		c.m.Guard().Check()
		c.oneNode(n)
	}
}

func (c *checker) oneNode(n nodeVisit) {
	m := c.m
	first := n.allowLocs || !c.visitedBoth(n.md)
	if first {
		if k := m.NodeKind(n.md); k != ir.NodeTuple {
			c.debugNode(n.md, k)
		}
	}
	for _, op := range m.MDOperands(n.md) {
		switch k := m.NodeKind(op); {
		case k == ir.NodeValue:
			if first {
				c.nodeValue(n.md, m.MDValue(op))
			}
		case k == ir.NodeLocation && !n.allowLocs && m.NodeKind(n.md) != ir.NodeLocation:
			c.badNode("DILocation not allowed within this metadata node", n.md)
		case k == ir.NodeNone && op != 0:
			c.nodes = append(c.nodes, Violation{Message: "Expected no forward declarations!", Node: n.md})
		}
		if m.IsNode(op) && c.claim(op, n.allowLocs) {
			c.stack = append(c.stack, nodeVisit{op, n.allowLocs})
		}
	}
}

// visitedBoth reports whether a node was visited where locations are allowed.
func (s *shared) visitedBoth(md ir.Metadata) bool {
	bit := 2 * uint32(md)
	return bit/32 < uint32(len(s.visited)) && s.visited[bit/32].Load()>>(bit%32)&1 != 0
}

// nodeValue checks a constant in metadata.
func (c *checker) nodeValue(md ir.Metadata, v ir.Value) {
	if c.m.TypeOfConst(v) == ir.MD {
		c.nodes = append(c.nodes, Violation{Message: "Unexpected metadata round-trip through values", Node: md})
	}
}

// badNode records a debug info violation in a node.
func (c *checker) badNode(message string, md ir.Metadata) {
	c.nodes = append(c.nodes, Violation{Message: message, Node: md, DebugInfo: true})
}

// metadataOperand checks a metadata argument of a call.
func (c *checker) metadataOperand(md ir.Metadata) {
	if c.m.IsNode(md) {
		c.node(md, false)
	}
}

// location checks the location of an instruction.
func (c *checker) location(loc ir.Metadata) {
	if c.m.NodeKind(loc) != ir.NodeLocation {
		c.debug("invalid !dbg metadata attachment", loc)
		return
	}
	c.node(loc, true)
	if c.m.MDFieldInt(loc, "atomGroup") != 0 {
		sp := c.subprogramOf(c.m.MDField(loc, "scope"))
		if sp != 0 && c.m.MDFieldInt(sp, "keyInstructions") == 0 {
			c.debug("DbgLoc uses atomGroup but DISubprogram doesn't have Key Instructions enabled", loc)
		}
	}
	c.belongs(loc)
}

// belongs checks that a location belongs to the subprogram of the function.
func (c *checker) belongs(loc ir.Metadata) {
	if c.subprogram == 0 || c.m.NodeKind(loc) != ir.NodeLocation || !c.see(loc) {
		return
	}
	at := loc
	for range c.m.NumMetadata() {
		in := c.m.MDField(at, "inlinedAt")
		if c.m.NodeKind(in) != ir.NodeLocation {
			break
		}
		at = in
	}
	if scope := c.m.MDField(loc, "scope"); !isLocalScope(c.m.NodeKind(scope)) {
		c.debug("DILocation's scope must be a DILocalScope", loc)
		return
	}
	scope := c.m.MDField(at, "scope")
	if !isLocalScope(c.m.NodeKind(scope)) {
		c.debug("Failed to find DILocalScope", loc)
		return
	}
	if !c.see(scope) {
		return
	}
	sp := c.subprogramOf(scope)
	if sp == 0 || sp != scope && !c.see(sp) {
		return
	}
	if sp != c.subprogram {
		c.debug("!dbg attachment points at wrong subprogram for function", loc)
	}
}

// see marks a location or scope as seen. It reports whether it is new in this
// function.
func (c *checker) see(md ir.Metadata) bool {
	if n := int(md)/32 + 1; n > len(c.seenScopes) {
		c.seenScopes = append(c.seenScopes, make([]uint32, max(n, c.m.NumMetadata()/32+1)-len(c.seenScopes))...)
	}
	if c.seenScopes[md/32]>>(md%32)&1 != 0 {
		return false
	}
	c.seenScopes[md/32] |= 1 << (md % 32)
	c.seenNodes = append(c.seenNodes, md)
	return true
}

// subprogramOf returns the subprogram that contains a local scope, or 0 if the
// chain of scopes is broken.
func (c *checker) subprogramOf(scope ir.Metadata) ir.Metadata {
	for range c.m.NumMetadata() {
		switch c.m.NodeKind(scope) {
		case ir.NodeSubprogram:
			return scope
		case ir.NodeLexicalBlock, ir.NodeLexicalBlockFile:
			scope = c.m.MDField(scope, "scope")
		default:
			return 0
		}
	}
	return 0
}
