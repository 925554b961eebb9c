package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// records checks the debug records before an instruction.
func (c *checker) records(v ir.Value) {
	if c.f.Op(v) == ir.OpPhi {
		c.debug("PHI Node must not have any attached DbgRecords", 0)
		return
	}
	for r := c.f.FirstRecord(v); r != ir.None; r = c.f.NextRecord(r) {
		c.v = r
		if loc := c.f.Instr(r).Loc; c.m.NodeKind(loc) == ir.NodeLocation {
			c.node(loc, true)
		}
		if c.f.Op(r) == ir.OpDbgLabel {
			c.debug(c.labelRecord(r), 0)
			continue
		}
		c.debug(c.variableRecord(r), 0)
		c.recordExpression(r)
	}
}

func (c *checker) labelRecord(r ir.Value) string {
	in := c.f.Instr(r)
	label := ir.Metadata(in.X)
	if c.m.NodeKind(label) != ir.NodeLabel {
		return "invalid #dbg_label intrinsic variable"
	}
	c.node(label, false)
	if in.Loc == 0 {
		return "#dbg_label record requires a !dbg attachment"
	}
	if c.m.NodeKind(in.Loc) != ir.NodeLocation {
		return ""
	}
	a, b := c.subprogramOf(c.m.MDField(label, "scope")), c.subprogramOf(c.m.MDField(in.Loc, "scope"))
	if a != 0 && b != 0 && a != b {
		return "mismatched subprogram between #dbg_label label and !dbg attachment"
	}
	return ""
}

func (c *checker) variableRecord(r ir.Value) string {
	in := c.f.Instr(r)
	variable, expr := ir.Metadata(in.X), ir.Metadata(in.Y)
	if message := c.recordValue(r); message != "" {
		return message
	}
	if c.m.NodeKind(variable) != ir.NodeLocalVariable {
		return "invalid #dbg record variable"
	}
	c.node(variable, false)
	if c.m.NodeKind(expr) != ir.NodeExpression {
		return "invalid #dbg record expression"
	}
	c.node(expr, false)
	if in.Op == ir.OpDbgAssign {
		if message := c.assignRecord(r); message != "" {
			return message
		}
	}
	switch {
	case !c.isNullOr(variable, "type", isType):
		return "invalid type ref"
	case c.m.NodeKind(in.Loc) != ir.NodeLocation:
		return "invalid #dbg record DILocation"
	}
	a, b := c.subprogramOf(c.m.MDField(variable, "scope")), c.subprogramOf(c.m.MDField(in.Loc, "scope"))
	if a == 0 || b == 0 {
		return ""
	}
	if a != b {
		return "mismatched subprogram between #dbg record variable and DILocation"
	}
	return c.argument(variable, in.Loc)
}

// recordValue checks the value of a record.
func (c *checker) recordValue(r ir.Value) string {
	ops := c.f.Operands(r)
	isList := c.f.Instr(r).Sub == 1
	if c.f.Op(r) == ir.OpDbgAssign {
		ops = ops[:1]
	}
	for _, o := range ops {
		if o.Value.IsMetadata() && !isList {
			if md := o.Value.Metadata(); !c.m.IsNode(md) || len(c.m.MDOperands(md)) != 0 {
				return "invalid #dbg record address/value"
			}
			continue
		}
		if c.f.Op(r) == ir.OpDbgDeclare && !isList {
			if t := c.typeOf(o.Value); !c.m.IsPtr(t) && !c.m.IsInt(t) {
				return c.found("location of #dbg_declare must be a pointer or int", t)
			}
		}
	}
	return ""
}

// assignRecord checks the rules specific to #dbg_assign.
func (c *checker) assignRecord(r ir.Value) string {
	id, expr := c.f.AssignRecord(r)
	if c.m.NodeKind(id) != ir.NodeAssignID {
		return "invalid #dbg_assign DIAssignID"
	}
	c.node(id, false)
	if address := c.f.Operand(r, 1); address.IsMetadata() {
		if md := address.Metadata(); !c.m.IsNode(md) || len(c.m.MDOperands(md)) != 0 {
			return "invalid #dbg_assign address"
		}
	}
	if c.m.NodeKind(expr) != ir.NodeExpression {
		return "invalid #dbg_assign address expression"
	}
	c.node(expr, false)
	return ""
}

// argument checks that no two variables describe the same argument of the
// function.
func (c *checker) argument(variable, loc ir.Metadata) string {
	n := int(c.m.MDFieldInt(variable, "arg"))
	if n == 0 || c.subprogram == 0 || c.m.MDField(loc, "inlinedAt") != 0 {
		return ""
	}
	for len(c.argVars) < n {
		c.argVars = append(c.argVars, 0)
	}
	before := c.argVars[n-1]
	c.argVars[n-1] = variable
	if before != 0 && before != variable {
		return "conflicting debug info for argument"
	}
	return ""
}

const (
	flagArtificial = 0x40
	opLLVMEntry    = 0x1003 // DW_OP_LLVM_entry_value
)

// recordExpression checks the expression of a record against its variable and
// value.
func (c *checker) recordExpression(r ir.Value) {
	in := c.f.Instr(r)
	variable, expr := ir.Metadata(in.X), ir.Metadata(in.Y)
	if c.m.NodeKind(expr) != ir.NodeExpression || !ir.IsValidExpr(c.m.MDInts(expr)) {
		return
	}
	if c.m.NodeKind(variable) == ir.NodeLocalVariable && c.m.MDFieldInt(variable, "flags")&flagArtificial == 0 {
		c.debug(c.fragment(variable, expr), 0)
	}
	ints := c.m.MDInts(expr)
	if len(ints) == 0 || ints[0] != opLLVMEntry {
		return
	}
	if ops := c.f.Operands(r); len(ops) > 0 && in.Sub == 0 {
		switch v := ops[0].Value; {
		case v.IsConst() && (c.m.ConstKindOf(v) == ir.ConstUndef || c.m.ConstKindOf(v) == ir.ConstPoison):
			return
		case v.IsLocal() && c.f.Op(v) == ir.OpArg && c.paramHas(int(c.f.Instr(v).X), ir.AttrSwiftAsync):
			return
		}
	}
	c.debug("Entry values are only allowed in MIR unless they target a swiftasync Argument", 0)
}
