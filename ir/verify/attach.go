package verify

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// maxAlign is the largest alignment in LLVM, in bytes.
const maxAlign = 1 << 32

// attachRules holds the rule for each kind of instruction attachment.
var attachRules lazy.Value[*[ir.MDImplicitRef + 1]func(c *checker, v ir.Value, md ir.Metadata) string]

func makeAttachRules() *[ir.MDImplicitRef + 1]func(c *checker, v ir.Value, md ir.Metadata) string {
	return &[ir.MDImplicitRef + 1]func(c *checker, v ir.Value, md ir.Metadata) string{
		ir.MDFPMath: (*checker).fpMath, ir.MDRange: (*checker).rangeMD, ir.MDNoAliasAddrSpace: (*checker).noAliasSpace,
		ir.MDInvariantGroup: (*checker).invariantGroup, ir.MDNonNull: (*checker).nonNull, ir.MDDereferenceable: (*checker).dereferenceable,
		ir.MDDereferenceableOrNull: (*checker).dereferenceable, ir.MDTBAA: (*checker).tbaaMD, ir.MDNoAlias: (*checker).aliasScopes,
		ir.MDAliasScope: (*checker).aliasScopes, ir.MDAccessGroup: (*checker).accessGroup, ir.MDAlign: (*checker).alignMD,
		ir.MDProf: (*checker).prof, ir.MDMemProf: (*checker).memProf, ir.MDCallsite: (*checker).callsite,
		ir.MDCalleeType: (*checker).calleeType, ir.MDAssignID: (*checker).assignID, ir.MDMMRA: (*checker).mmra,
		ir.MDAnnotation: (*checker).annotation, ir.MDNoFree: (*checker).noFree, ir.MDCaptures: (*checker).capturesMD,
		ir.MDAllocToken: (*checker).allocToken, ir.MDLoop: (*checker).loop,
	}
}

// attachments checks the metadata of an instruction.
func (c *checker) attachments(v ir.Value) {
	c.atts = c.f.Attachments(v, c.atts[:0])
	for _, a := range c.atts {
		if rules := attachRules.From(makeAttachRules); int(a.Kind) < len(rules) && rules[a.Kind] != nil {
			c.checkMessage(rules[a.Kind](c, v, a.Node))
		}
		c.node(a.Node, a.Kind == ir.MDLoop)
		if a.Kind == ir.MDLoop && c.subprogram != 0 {
			for i, op := range c.m.MDOperands(a.Node) {
				if i > 0 {
					c.belongs(op)
				}
			}
		}
	}
}

func (c *checker) isOp(v ir.Value, ops ...ir.Op) bool {
	have := c.f.Op(v)
	for _, op := range ops {
		if op == have {
			return true
		}
	}
	return false
}

func (c *checker) fpMath(v ir.Value, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	switch {
	case !c.m.IsFloatOrFloatVector(c.f.Instr(v).Type):
		return c.found("fpmath requires a floating point result!", c.f.Instr(v).Type)
	case len(ops) != 1:
		return "fpmath takes one operand!"
	}
	value := c.m.MDValue(ops[0])
	if value == ir.None || !c.m.IsFloat(c.m.TypeOfConst(value)) ||
		c.m.ConstKindOf(value) != ir.ConstFloat && c.m.ConstKindOf(value) != ir.ConstWide {
		return "invalid fpmath accuracy!"
	}
	b, _ := c.m.FloatBits(value)
	switch {
	case c.m.TypeOfConst(value) != ir.Float:
		return c.found("fpmath accuracy must have float type", c.m.TypeOfConst(value))
	case b == 0 || b>>31 != 0 || b>>23 == 0xff:
		return "fpmath accuracy not a positive number!"
	}
	return ""
}

func (c *checker) rangeMD(v ir.Value, md ir.Metadata) string {
	if !c.isOp(v, ir.OpLoad, ir.OpCall, ir.OpInvoke) {
		return "Ranges are only for loads, calls and invokes!"
	}
	t := c.f.Instr(v).Type
	if n := int(md) + 1; n > len(c.rightRanges) {
		c.rightRanges = append(c.rightRanges, make([]ir.Type, max(n, c.m.NumMetadata())-len(c.rightRanges))...)
	}
	if c.rightRanges[md] == t {
		return ""
	}
	message := c.ranges(md, t, rangePlain)
	if message == "" {
		c.rightRanges[md] = t
	}
	return message
}

func (c *checker) noAliasSpace(v ir.Value, md ir.Metadata) string {
	if !c.isOp(v, ir.OpLoad, ir.OpStore, ir.OpAtomicRMW, ir.OpCmpXchg, ir.OpCall) {
		return "noalias.addrspace are only for memory operations!"
	}
	return c.ranges(md, c.f.Instr(v).Type, rangeSpace)
}

func (c *checker) invariantGroup(v ir.Value, _ ir.Metadata) string {
	if !c.isOp(v, ir.OpLoad, ir.OpStore) {
		return "invariant.group metadata is only for loads and stores"
	}
	return ""
}

func (c *checker) nonNull(v ir.Value, md ir.Metadata) string {
	switch {
	case !c.m.IsPtr(c.f.Instr(v).Type):
		return c.found("nonnull applies only to pointer types", c.f.Instr(v).Type)
	case !c.isOp(v, ir.OpLoad):
		return "nonnull applies only to load instructions, use attributes for calls or invokes"
	case len(c.m.MDOperands(md)) != 0:
		return "nonnull metadata must be empty"
	}
	return ""
}

func (c *checker) noFree(v ir.Value, md ir.Metadata) string {
	switch {
	case !c.m.IsPtr(c.f.Instr(v).Type):
		return c.found("nofree applies only to pointer types", c.f.Instr(v).Type)
	case !c.isOp(v, ir.OpIntToPtr):
		return "nofree applies only to inttoptr instruction"
	case len(c.m.MDOperands(md)) != 0:
		return "nofree metadata must be empty"
	}
	return ""
}

// int64Operand returns the value of metadata that is a constant i64.
func (c *checker) int64Operand(md ir.Metadata) (uint64, bool) {
	v := c.m.MDValue(md)
	if v == ir.None || c.m.TypeOfConst(v) != ir.I64 {
		return 0, false
	}
	return c.m.IntValue(v)
}

func (c *checker) dereferenceable(v ir.Value, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	switch {
	case !c.m.IsPtr(c.f.Instr(v).Type):
		return c.found("dereferenceable, dereferenceable_or_null apply only to pointer types", c.f.Instr(v).Type)
	case !c.isOp(v, ir.OpLoad, ir.OpIntToPtr):
		return "dereferenceable, dereferenceable_or_null apply only to load and inttoptr instructions, use attributes for calls or invokes"
	case len(ops) != 1:
		return "dereferenceable, dereferenceable_or_null take one operand!"
	}
	if _, ok := c.int64Operand(ops[0]); !ok {
		return "dereferenceable, dereferenceable_or_null metadata value must be an i64!"
	}
	return ""
}

func (c *checker) alignMD(v ir.Value, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	switch {
	case !c.m.IsPtr(c.f.Instr(v).Type):
		return c.found("align applies only to pointer types", c.f.Instr(v).Type)
	case !c.isOp(v, ir.OpLoad):
		return "align applies only to load instructions, use attributes for calls or invokes"
	case len(ops) != 1:
		return "align takes one operand!"
	}
	n, ok := c.int64Operand(ops[0])
	switch {
	case !ok:
		return "align metadata value must be an i64!"
	case bits.OnesCount64(n) != 1:
		return "align metadata value must be a power of 2!"
	case n > maxAlign:
		return "alignment is larger that implementation defined limit"
	}
	return ""
}

// aliasScopes checks a list of alias scopes.
func (c *checker) aliasScopes(_ ir.Value, md ir.Metadata) string {
	for _, op := range c.m.MDOperands(md) {
		if !c.m.IsNode(op) {
			return "scope list must consist of MDNodes"
		}
		if message := c.aliasScope(op); message != "" {
			return message
		}
	}
	return ""
}

func (c *checker) aliasScope(md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	isString := func(md ir.Metadata) bool { return c.m.NodeKind(md) == ir.NodeString }
	switch n := len(ops); {
	case n < 2 || n > 3:
		return "scope must have two or three operands"
	case ops[0] != md && !isString(ops[0]):
		return "first scope operand must be self-referential or string"
	case n == 3 && !isString(ops[2]):
		return "third scope operand must be string (if used)"
	case !c.m.IsNode(ops[1]):
		return "second scope operand must be MDNode"
	}
	domain := c.m.MDOperands(ops[1])
	switch n := len(domain); {
	case n < 1 || n > 2:
		return "domain must have one or two operands"
	case domain[0] != ops[1] && !isString(domain[0]):
		return "first domain operand must be self-referential or string"
	case n == 2 && !isString(domain[1]):
		return "second domain operand must be string (if used)"
	}
	return ""
}

func (c *checker) accessGroup(_ ir.Value, md ir.Metadata) string {
	isScope := func(md ir.Metadata) bool { return len(c.m.MDOperands(md)) == 0 && c.m.IsDistinct(md) }
	if isScope(md) {
		return ""
	}
	for _, op := range c.m.MDOperands(md) {
		switch {
		case !c.m.IsNode(op):
			return "Access scope list must consist of MDNodes"
		case !isScope(op):
			return "Access scope list contains invalid access scope"
		}
	}
	return ""
}

func (c *checker) assignID(v ir.Value, md ir.Metadata) string {
	ok := c.isOp(v, ir.OpAlloca, ir.OpStore)
	if callee := c.calledName(v); isIntrinsicName(callee) {
		ok = true
	}
	if !ok {
		c.debug("!DIAssignID attached to unexpected instruction kind", md)
	}
	return ""
}

// calledName returns the name of the function that an instruction calls, or ""
// if it calls none directly.
func (c *checker) calledName(v ir.Value) string {
	if !c.f.Op(v).IsCall() {
		return ""
	}
	if callee := c.f.CalledFunction(v); callee != nil {
		return callee.Name()
	}
	return ""
}

// isTag reports whether metadata is a memory model relaxation tag: two strings.
func (c *checker) isTag(md ir.Metadata) bool {
	ops := c.m.MDOperands(md)
	return c.m.NodeKind(md) == ir.NodeTuple && len(ops) == 2 && c.m.NodeKind(ops[0]) == ir.NodeString && c.m.NodeKind(ops[1]) == ir.NodeString
}

func (c *checker) mmra(v ir.Value, md ir.Metadata) string {
	if !c.isOp(v, ir.OpLoad, ir.OpStore, ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpFence, ir.OpCall, ir.OpInvoke, ir.OpCallBr) {
		return "!mmra metadata attached to unexpected instruction kind"
	}
	if c.isTag(md) {
		return ""
	}
	if c.m.NodeKind(md) != ir.NodeTuple {
		return "!mmra expected to be a metadata tuple"
	}
	for _, op := range c.m.MDOperands(md) {
		if !c.isTag(op) {
			return "!mmra metadata tuple operand is not an MMRA tag"
		}
	}
	return ""
}

func (c *checker) annotation(_ ir.Value, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	switch {
	case c.m.NodeKind(md) != ir.NodeTuple:
		return "annotation must be a tuple"
	case len(ops) == 0:
		return "annotation must have at least one operand"
	}
	for _, op := range ops {
		if !c.isStrings(op) {
			return "operands must be a string or a tuple of strings"
		}
	}
	return ""
}

// isStrings reports whether metadata is a string or a tuple of strings.
func (c *checker) isStrings(md ir.Metadata) bool {
	switch c.m.NodeKind(md) {
	case ir.NodeString:
		return true
	case ir.NodeTuple:
		for _, op := range c.m.MDOperands(md) {
			if c.m.NodeKind(op) != ir.NodeString {
				return false
			}
		}
		return true
	}
	return false
}

// captureWords lists the strings that !captures may contain.
var captureWords = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"address": true, "address_is_null": true, "provenance": true, "read_provenance": true}
}}

func (c *checker) capturesMD(v ir.Value, md ir.Metadata) string {
	switch {
	case !c.isOp(v, ir.OpStore):
		return "!captures metadata can only be applied to store instructions"
	case !c.m.IsPtr(c.opType(v, 0)):
		return "!captures metadata can only be applied to store with value operand of pointer type"
	case len(c.m.MDOperands(md)) == 0:
		return "!captures metadata cannot be empty"
	}
	for _, op := range c.m.MDOperands(md) {
		s, isString := c.m.MDString(op)
		switch {
		case !isString:
			return "!captures metadata must be a list of strings"
		case !captureWords.Get()[s]:
			return "invalid entry in !captures metadata: " + s
		}
	}
	return ""
}

func (c *checker) allocToken(v ir.Value, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	switch {
	case !c.f.Op(v).IsCall():
		return "!alloc_token should only exist on calls"
	case len(ops) != 2:
		return "!alloc_token must have 2 operands"
	case c.m.NodeKind(ops[0]) != ir.NodeString:
		return "expected string"
	case !c.isConstInt(ops[1]):
		return "expected integer constant"
	}
	return ""
}

// loop checks the loop properties that have a specific form.
func (c *checker) loop(_ ir.Value, md ir.Metadata) string {
	for _, op := range c.m.MDOperands(md) {
		ops := c.m.MDOperands(op)
		if len(ops) == 0 {
			continue
		}
		if name, _ := c.m.MDString(ops[0]); name != "llvm.loop.estimated_trip_count" {
			continue
		}
		switch {
		case len(ops) != 2:
			return "Expected two operands"
		case !c.isConstInt(ops[1]) || c.m.IntBits(c.m.TypeOfConst(c.m.MDValue(ops[1]))) > 32:
			return "Expected second operand to be an integer constant of type i32 or smaller"
		}
	}
	return ""
}
