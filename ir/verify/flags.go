package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// namedMetadata checks the nodes of named metadata.
func (c *checker) namedMetadata(n *ir.NamedMD) {
	if strings.HasPrefix(n.Name, "llvm.dbg.") && n.Name != "llvm.dbg.cu" {
		c.debug("unrecognized named metadata node in the llvm.dbg namespace: !"+n.Name, 0)
	}
	for _, md := range n.Ops {
		if n.Name == "llvm.dbg.cu" && c.m.NodeKind(md) != ir.NodeCompileUnit {
			c.debug("invalid compile unit", md)
		}
		if md != 0 {
			c.node(md, true)
		}
	}
}

// strings checks named metadata whose nodes contain one string each.
func (c *checker) strings(name string) {
	n := c.m.NamedMetadata(name)
	if n == nil {
		return
	}
	for _, md := range n.Ops {
		ops := c.m.MDOperands(md)
		switch {
		case len(ops) != 1:
			c.failNode("incorrect number of operands in "+name+" metadata", md)
		case c.m.NodeKind(ops[0]) != ir.NodeString:
			c.failNode("invalid value for "+name+" metadata entry operand(the operand should be a string)", md)
		}
	}
}

// failNode records a violation in a metadata node.
func (c *checker) failNode(message string, md ir.Metadata) {
	c.addViolation(Violation{Message: message, Node: md})
}

// Behaviours of module flags (LangRef, "Module Flags Metadata").
const (
	flagError = 1 + iota
	flagWarning
	flagRequire
	flagOverride
	flagAppend
	flagAppendUnique
	flagMax
	flagMin
)

// moduleFlags checks llvm.module.flags.
func (c *checker) moduleFlags() {
	flags := c.m.NamedMetadata("llvm.module.flags")
	if flags == nil {
		return
	}
	byID := map[ir.Metadata]ir.Metadata{}
	var requires []ir.Metadata
	platform, version := false, false
	for _, md := range flags.Ops {
		behaviour, message := c.moduleFlag(md, byID)
		if message != "" {
			c.failNode(message, md)
		}
		ops := c.m.MDOperands(md)
		if len(ops) != 3 {
			continue
		}
		if behaviour == flagRequire && message == "" {
			requires = append(requires, ops[2])
		}
		_, isInt := c.m.MDInt(ops[2])
		name, _ := c.m.MDString(ops[1])
		platform = platform || isInt && name == "aarch64-elf-pauthabi-platform"
		version = version || isInt && name == "aarch64-elf-pauthabi-version"
	}
	if platform != version {
		c.fail("either both or no 'aarch64-elf-pauthabi-platform' and 'aarch64-elf-pauthabi-version' module flags must be present")
	}
	for _, r := range requires {
		ops := c.m.MDOperands(r)
		flag, ok := byID[ops[0]]
		switch {
		case !ok:
			c.failNode("invalid requirement on flag, flag is not present in module", r)
		case c.m.MDOperands(flag)[2] != ops[1]:
			c.failNode("invalid requirement on flag, flag does not have the required value", r)
		}
	}
}

// isConstInt reports whether metadata is an integer constant.
func (c *checker) isConstInt(md ir.Metadata) bool {
	v := c.m.MDValue(md)
	if v == ir.None {
		return false
	}
	k := c.m.ConstKindOf(v)
	return (k == ir.ConstInt || k == ir.ConstWide) && c.m.IsInt(c.m.TypeOfConst(v))
}

// moduleFlag checks one flag and returns its behaviour.
func (c *checker) moduleFlag(md ir.Metadata, byID map[ir.Metadata]ir.Metadata) (behaviour uint64, message string) {
	ops := c.m.MDOperands(md)
	if len(ops) != 3 {
		return 0, fmt.Sprintf("incorrect number of operands in module flag: %d", len(ops))
	}
	behaviour, ok := c.m.MDInt(ops[0])
	if !ok || behaviour < flagError || behaviour > flagMin {
		if !c.isConstInt(ops[0]) {
			return 0, "invalid behavior operand in module flag (expected constant integer)"
		}
		return 0, "invalid behavior operand in module flag (unexpected constant)"
	}
	id, isString := c.m.MDString(ops[1])
	if !isString {
		return 0, "invalid ID operand in module flag (expected metadata string)"
	}
	if message := c.flagValue(behaviour, ops[2]); message != "" {
		return 0, message
	}
	if behaviour != flagRequire {
		if _, again := byID[ops[1]]; again {
			return 0, "module flag identifiers must be unique (or of 'require' type): " + id
		}
		byID[ops[1]] = md
	}
	return behaviour, c.knownFlag(id, ops[2])
}

// flagValue checks the value of a flag against its behaviour.
func (c *checker) flagValue(behaviour uint64, value ir.Metadata) string {
	switch behaviour {
	case flagMin:
		if n, ok := c.m.SignedValue(c.m.MDValue(value)); !c.isConstInt(value) || ok && n < 0 {
			return "invalid value for 'min' module flag (expected constant non-negative integer)"
		}
	case flagMax:
		if !c.isConstInt(value) {
			return "invalid value for 'max' module flag (expected constant integer)"
		}
	case flagRequire:
		ops := c.m.MDOperands(value)
		if !c.m.IsNode(value) || len(ops) != 2 {
			return "invalid value for 'require' module flag (expected metadata pair)"
		}
		if c.m.NodeKind(ops[0]) != ir.NodeString {
			return "invalid value for 'require' module flag (first value operand should be a string)"
		}
	case flagAppend, flagAppendUnique:
		if !c.m.IsNode(value) {
			return "invalid value for 'append'-type module flag (expected a metadata node)"
		}
	}
	return ""
}

// knownFlag checks the values of predefined flags.
func (c *checker) knownFlag(id string, value ir.Metadata) string {
	switch id {
	case "wchar_size", "SemanticInterposition":
		if !c.isConstInt(value) {
			return id + " metadata requires constant integer argument"
		}
	case "Linker Options":
		if c.m.NamedMetadata("llvm.linker.options") == nil {
			return "'Linker Options' named metadata no longer supported"
		}
	case "CG Profile":
		for _, entry := range c.m.MDOperands(value) {
			if message := c.profileEntry(entry); message != "" {
				return message
			}
		}
	}
	return ""
}

// profileEntry checks an entry of the flag "CG Profile": caller, callee, count.
func (c *checker) profileEntry(md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	if len(ops) != 3 {
		return "expected a MDNode triple"
	}
	for _, op := range ops[:2] {
		if op == 0 {
			continue
		}
		if g := c.m.ConstGlobal(c.stripCasts(c.m.MDValue(op))); g == nil || g.Func == nil {
			return "expected a Function or null"
		}
	}
	if !c.isConstInt(ops[2]) {
		return "expected an integer constant"
	}
	return ""
}

// deoptimize checks that all declarations of llvm.experimental.deoptimize have
// the same calling convention.
func (c *checker) deoptimize() {
	var first *ir.Function
	for _, g := range c.m.Globals() {
		if g == nil || g.Func == nil || g.Func.Intrinsic != ir.IntrExperimentalDeoptimize {
			continue
		}
		if first == nil {
			first = g.Func
		}
		if g.Func.CC != first.CC {
			c.g = g
			c.fail("All llvm.experimental.deoptimize declarations must have the same calling convention")
		}
	}
	c.g = nil
}

// attachments2 checks that no two functions share a DISubprogram.
func (c *checker) attachments2() {
	attached := make([]ir.Metadata, 0, 16)
	for _, g := range c.m.Globals() {
		if g == nil || g.Func == nil || g.Func.Entry() == 0 {
			continue
		}
		for _, a := range g.MD {
			if a.Kind == ir.MDDbg && c.m.NodeKind(a.Node) == ir.NodeSubprogram {
				attached = append(attached, a.Node)
			}
		}
	}
	slices.Sort(attached)
	for i, md := range attached {
		if i > 0 && md == attached[i-1] {
			c.debug("DISubprogram attached to more than one function", md)
		}
	}
}

// compileUnits checks that llvm.dbg.cu lists each reachable compile unit.
func (c *checker) compileUnits() {
	listed := c.m.NamedMetadata("llvm.dbg.cu")
	for i := range c.m.NumMetadata() {
		md := ir.Metadata(i)
		if c.m.NodeKind(md) != ir.NodeCompileUnit || !c.wasVisited(md) {
			continue
		}
		if listed == nil || !slices.Contains(listed.Ops, md) {
			c.debug("DICompileUnit not listed in llvm.dbg.cu", md)
		}
	}
}

func (s *shared) wasVisited(md ir.Metadata) bool {
	bit := 2 * uint32(md)
	return bit/32 < uint32(len(s.visited)) && s.visited[bit/32].Load()>>(bit%32)&3 != 0
}
