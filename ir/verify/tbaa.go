package verify

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// tbaaNode caches the results for a node of type-based alias analysis.
type tbaaNode struct {
	tag    uint8 // result as an access tag: tbaaUnknown …
	scalar uint8 // result as a scalar type
	base   uint8 // result as a base type
	bits   int32 // width of the offsets of a base type, -1 if it has none
}

const (
	tbaaUnknown uint8 = iota
	tbaaRight
	tbaaWrong
)

// tbaaAt returns the cached results for a node.
func (c *checker) tbaaAt(md ir.Metadata) *tbaaNode {
	if int(md) >= len(c.tbaaNodes) {
		c.tbaaNodes = append(c.tbaaNodes, make([]tbaaNode, max(int(md)+1, c.m.NumMetadata())-len(c.tbaaNodes))...)
	}
	return &c.tbaaNodes[md]
}

// tbaaMD checks !tbaa of an instruction.
func (c *checker) tbaaMD(v ir.Value, md ir.Metadata) string {
	if len(c.m.MDOperands(md)) == 0 {
		return "TBAA metadata cannot have 0 operands"
	}
	if !c.isOp(v, ir.OpLoad, ir.OpStore, ir.OpCall, ir.OpVAArg, ir.OpAtomicRMW, ir.OpCmpXchg) {
		return "This instruction shall not have a TBAA access tag!"
	}
	return c.tbaaTag(md)
}

// tbaaTag checks an access tag.
func (c *checker) tbaaTag(md ir.Metadata) string {
	n := c.tbaaAt(md)
	if n.tag == tbaaRight {
		return ""
	}
	message := c.accessTag(md)
	n = c.tbaaAt(md)
	n.tag = tbaaRight
	if message != "" {
		n.tag = tbaaWrong
	}
	return message
}

// accessTag checks the operands of an access tag: base type, access type,
// offset, and a size in the new form.
func (c *checker) accessTag(md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	if len(ops) < 3 || !c.m.IsNode(ops[0]) {
		return "Old-style TBAA is no longer allowed, use struct-path TBAA instead"
	}
	base, access := ops[0], ops[1]
	isNew := c.isNewType(access)
	flagAt := 3
	switch {
	case isNew && len(ops) != 4 && len(ops) != 5:
		return "Access tag metadata must have either 4 or 5 operands"
	case !isNew && len(ops) >= 5:
		return "Struct tag metadata must have either 3 or 4 operands"
	case isNew && !c.isConstInt(ops[3]):
		return "Access size field must be a constant"
	}
	if isNew {
		flagAt = 4
	}
	if len(ops) == flagAt+1 {
		if !c.isConstInt(ops[flagAt]) {
			return "Immutability tag on struct tag metadata must be a constant"
		}
		if n, ok := c.m.MDInt(ops[flagAt]); !ok || n > 1 {
			return "Immutability part of the struct tag metadata must be either 0 or 1"
		}
	}
	switch {
	case !c.m.IsNode(access):
		return "Malformed struct tag metadata: base and access-type should be non-null and point to Metadata nodes"
	case !isNew && !c.isScalarType(access):
		return "Access type node must be a valid scalar type"
	case !c.isConstInt(ops[2]):
		return "Offset must be constant integer"
	}
	return c.accessPath(base, access, ops[2], isNew)
}

// isNewType reports whether a type node has the form with sizes, in which the
// first operand is the parent.
func (c *checker) isNewType(md ir.Metadata) bool {
	ops := c.m.MDOperands(md)
	return len(ops) >= 3 && c.m.IsNode(ops[0])
}

// accessPath follows the fields of the base type to the access type.
func (c *checker) accessPath(base, access, offsetMD ir.Metadata, isNew bool) string {
	width := int32(c.m.IntBits(c.m.TypeOfConst(c.m.MDValue(offsetMD))))
	offset := c.bigValue(offsetMD)
	seen := false
	for steps := 0; len(c.m.MDOperands(base)) >= 2; steps++ {
		if steps > c.m.NumMetadata() {
			return "Cycle detected in struct path"
		}
		bits, message := c.baseType(base, isNew)
		if message != "" || bits == noBase {
			return message
		}
		seen = seen || base == access
		if (base == access || c.isScalarType(base)) && offset.Sign() != 0 {
			return "Offset not zero at the point of scalar access"
		}
		if bits != width && (bits != 0 || offset.Sign() != 0) && (!isNew || bits != -1) {
			return "Access bit-width not the same as description bit-width"
		}
		if isNew && seen {
			break
		}
		next, message := c.fieldAt(base, offset, isNew)
		if message != "" {
			return message
		}
		base = next
	}
	if !seen {
		return "Did not see access type in access path!"
	}
	return ""
}

// isScalarType reports whether a node is a scalar type: a name, a parent that
// is a scalar type or a root, and an offset of 0.
func (c *checker) isScalarType(md ir.Metadata) bool {
	if n := c.tbaaAt(md); n.scalar != tbaaUnknown {
		return n.scalar == tbaaRight
	}
	result := tbaaWrong
	at := md
	for range c.m.NumMetadata() {
		ops := c.m.MDOperands(at)
		if len(ops) != 2 && len(ops) != 3 || c.m.NodeKind(ops[0]) != ir.NodeString {
			break
		}
		if len(ops) == 3 {
			if n, ok := c.m.MDInt(ops[2]); !ok || n != 0 {
				break
			}
		}
		if !c.m.IsNode(ops[1]) {
			break
		}
		at = ops[1]
		if len(c.m.MDOperands(at)) < 2 {
			result = tbaaRight
			break
		}
	}
	c.tbaaAt(md).scalar = result
	return result == tbaaRight
}

// noBase is the offset width of a node that is not a base type, for which LLVM
// reports nothing.
const noBase = -2

// baseType checks a node as a base type. It returns the width of its offsets: 0
// for a scalar, or -1 if it has no fields.
func (c *checker) baseType(md ir.Metadata, isNew bool) (bits int32, message string) {
	if n := c.tbaaAt(md); n.base == tbaaRight {
		return n.bits, ""
	}
	bits, message = c.baseFields(md, isNew)
	if message == "" {
		n := c.tbaaAt(md)
		n.base, n.bits = tbaaRight, bits
	}
	return bits, message
}

func (c *checker) baseFields(md ir.Metadata, isNew bool) (bits int32, message string) {
	ops := c.m.MDOperands(md)
	if len(ops) == 2 {
		if !c.isScalarType(md) {
			return noBase, ""
		}
		return 0, ""
	}
	first, step := 1, 2
	switch {
	case isNew && len(ops)%3 != 0:
		return 0, "Access tag nodes must have the number of operands that is a multiple of 3!"
	case !isNew && len(ops)%2 != 1:
		return 0, "Struct tag nodes must have an odd number of operands!"
	case isNew && !c.isConstInt(ops[1]):
		return 0, "Type size nodes must be constants!"
	case !isNew && c.m.NodeKind(ops[0]) != ir.NodeString:
		return 0, "Struct tag nodes have a string as their first operand"
	}
	if isNew {
		first, step = 3, 3
	}
	bits = -1
	var last *big.Int
	for i := first; i < len(ops); i += step {
		switch {
		case !c.m.IsNode(ops[i]):
			return 0, "Incorrect field entry in struct type node!"
		case !c.isConstInt(ops[i+1]):
			return 0, "Offset entries must be constants!"
		case isNew && !c.isConstInt(ops[i+2]):
			return 0, "Member size entries must be constants!"
		}
		width := int32(c.m.IntBits(c.m.TypeOfConst(c.m.MDValue(ops[i+1]))))
		if bits >= 0 && width != bits {
			return 0, "Bitwidth between the offsets and struct type entries must match"
		}
		bits = width
		offset := c.bigValue(ops[i+1])
		if last != nil && offset.Cmp(last) < 0 {
			return 0, "Offsets must be increasing!"
		}
		last = offset
	}
	return bits, ""
}

// fieldAt returns the field of a base type that contains an offset, and makes
// the offset relative to the field.
func (c *checker) fieldAt(md ir.Metadata, offset *big.Int, isNew bool) (field ir.Metadata, message string) {
	ops := c.m.MDOperands(md)
	if len(ops) == 2 {
		return ops[1], ""
	}
	first, step := 1, 2
	if isNew {
		first, step = 3, 3
	}
	found := -1
	for i := first; i < len(ops); i += step {
		if c.bigValue(ops[i+1]).Cmp(offset) > 0 {
			break
		}
		found = i
	}
	if found < 0 {
		return 0, "Could not find TBAA parent in struct type node"
	}
	offset.Sub(offset, c.bigValue(ops[found+1]))
	return ops[found], ""
}
