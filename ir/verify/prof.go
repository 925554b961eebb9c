package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// numWeights returns the number of branch weights of an instruction, or 0 if it
// has none.
func (c *checker) numWeights(v ir.Value) int {
	switch c.f.Op(v) {
	case ir.OpBr:
		return (c.f.NumOperands(v) + 1) / 2
	case ir.OpSwitch:
		return c.f.NumCases(v) + 1
	case ir.OpCall:
		return 1
	case ir.OpIndirectBr:
		return c.f.NumOperands(v) - 1
	case ir.OpSelect:
		return 2
	case ir.OpCallBr:
		return len(c.f.CallSuccessors(v))
	}
	return 0
}

// prof checks !prof of an instruction.
func (c *checker) prof(v ir.Value, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	if len(ops) == 0 {
		return "!prof annotations should have at least 1 operand"
	}
	name, isString := c.m.MDString(ops[0])
	switch {
	case ops[0] == 0:
		return "first operand should not be null"
	case !isString:
		return "expected string with name of the !prof annotation"
	case name == "unknown":
		if c.numWeights(v) == 0 && !c.isOp(v, ir.OpInvoke) {
			return "'unknown' !prof should only appear on instructions on which 'branch_weights' would"
		}
		return c.unknownProf(ops)
	case len(ops) < 2:
		return "!prof annotations should have no less than 2 operands"
	case name == "branch_weights":
		return c.branchWeights(v, ops)
	case name == "VP":
		return c.valueProfile(v, ops)
	}
	return "expected either branch_weights or VP profile name"
}

// unknownProf checks !{!"unknown", !"pass"}.
func (c *checker) unknownProf(ops []ir.Metadata) string {
	if len(ops) != 2 {
		return "'unknown' !prof should have a single additional operand"
	}
	pass, isString := c.m.MDString(ops[1])
	switch {
	case !isString:
		return "'unknown' !prof should have an additional operand of type string"
	case pass == "":
		return "the 'unknown' !prof operand should not be an empty string"
	}
	return ""
}

func (c *checker) branchWeights(v ir.Value, ops []ir.Metadata) string {
	weights := ops[1:]
	if c.m.NodeKind(weights[0]) == ir.NodeString { // origin of the weights: "expected"
		weights = weights[1:]
	}
	n := c.numWeights(v)
	switch {
	case c.isOp(v, ir.OpInvoke):
		if len(weights) != 1 && len(weights) != 2 {
			return "Wrong number of InvokeInst branch_weights operands"
		}
	case n == 0:
		return "!prof branch_weights are not allowed for this instruction"
	case len(weights) != n:
		return "Wrong number of operands"
	}
	for _, w := range weights {
		switch {
		case w == 0:
			return "second operand should not be null"
		case !c.isConstInt(w):
			return "!prof brunch_weights operand is not a const int"
		}
	}
	return ""
}

// Kinds of value profiles.
const (
	profileIndirectCalls = 0
	profileMemOpSizes    = 1
	lastProfile          = 2
)

func (c *checker) valueProfile(v ir.Value, ops []ir.Metadata) string {
	if len(ops) < 5 {
		return "invalid value profiling metadata"
	}
	kind, ok := c.m.MDInt(ops[1])
	switch {
	case !ok:
		return "VP !prof missing kind argument"
	case kind > lastProfile:
		return "Invalid VP !prof kind"
	case len(ops)%2 != 1:
		return "VP !prof should have an even number of arguments after 'VP'"
	case (kind == profileIndirectCalls || kind == profileMemOpSizes) && !c.f.Op(v).IsCall():
		return "VP !prof indirect call or memop size expected to be applied to CallBase instructions only"
	}
	return ""
}

// callStack checks a list of location hashes.
func (c *checker) callStack(md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	if len(ops) == 0 {
		return "call stack metadata should have at least 1 operand"
	}
	for _, op := range ops {
		if !c.isConstInt(op) {
			return "call stack metadata operand should be constant integer"
		}
	}
	return ""
}

func (c *checker) memProf(v ir.Value, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	switch {
	case !c.f.Op(v).IsCall():
		return "!memprof metadata should only exist on calls"
	case len(ops) == 0:
		return "!memprof annotations should have at least 1 metadata operand (MemInfoBlock)"
	}
	for _, op := range ops {
		if message := c.memInfoBlock(c.m.MDOperands(op)); message != "" {
			return message
		}
	}
	return ""
}

func (c *checker) memInfoBlock(ops []ir.Metadata) string {
	switch {
	case len(ops) < 2:
		return "Each !memprof MemInfoBlock should have at least 2 operands"
	case ops[0] == 0:
		return "!memprof MemInfoBlock first operand should not be null"
	case !c.m.IsNode(ops[0]):
		return "!memprof MemInfoBlock first operand should be an MDNode"
	}
	if message := c.callStack(ops[0]); message != "" {
		return message
	}
	i := 1
	for i < len(ops) && c.m.NodeKind(ops[i]) == ir.NodeString {
		i++
	}
	if i == 1 {
		return "!memprof MemInfoBlock second operand should be an MDString"
	}
	for _, op := range ops[i:] {
		pair := c.m.MDOperands(op)
		switch {
		case !c.m.IsNode(op):
			return "Not all !memprof MemInfoBlock operands 2 to N are MDNode"
		case len(pair) != 2:
			return "Not all !memprof MemInfoBlock operands 2 to N are MDNode with 2 operands"
		case !c.isConstInt(pair[0]) || !c.isConstInt(pair[1]):
			return "Not all !memprof MemInfoBlock operands 2 to N are MDNode with ConstantInt operands"
		}
	}
	return ""
}

func (c *checker) callsite(v ir.Value, md ir.Metadata) string {
	if !c.f.Op(v).IsCall() {
		return "!callsite metadata should only exist on calls"
	}
	return c.callStack(md)
}

func (c *checker) calleeType(v ir.Value, md ir.Metadata) string {
	if !c.f.Op(v).IsCall() {
		return "!callee_type metadata should only exist on calls"
	}
	for _, op := range c.m.MDOperands(md) {
		ops := c.m.MDOperands(op)
		switch {
		case !c.m.IsNode(op):
			return "The callee_type metadata must be a list of type metadata nodes"
		case len(ops) != 2:
			return "Well-formed generalized type metadata must contain exactly two operands"
		}
		if n, ok := c.m.MDInt(ops[0]); !ok || n != 0 {
			return "The first operand of type metadata for functions must be zero"
		}
		if s, _ := c.m.MDString(ops[1]); len(s) < len(".generalized") || s[len(s)-len(".generalized"):] != ".generalized" {
			return "Only generalized type metadata can be part of the callee_type metadata list"
		}
	}
	return ""
}
