package verify

import (
	"iter"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// maxConstDepth limits the depth to which constants are traversed. Deeper
// constants are checked where they are used directly.
const maxConstDepth = 1000

// constTree checks a constant and its operands recursively.
func (c *checker) constTree(v ir.Value) string { return c.constPart(v, 0) }

func (c *checker) constPart(v ir.Value, depth int) string {
	i := v.Index()
	if !v.IsConst() || depth > maxConstDepth || i < uint32(len(c.consts)) && c.consts[i] == constPlain {
		return ""
	}
	if i >= uint32(len(c.consts)) {
		c.consts = append(c.consts, make([]uint8, c.m.NumConsts()-len(c.consts))...)
	}
	c.consts[i] = constPlain // valid for enclosing constants as well
	message := c.constContent(v, depth)
	if message != "" {
		c.consts[i] = constBad
	} else if k := c.m.ConstKindOf(v); k == ir.ConstGlobal || k == ir.ConstAsm {
		c.consts[i] = constNew // operands have additional rules
	}
	return message
}

// constContent checks a constant that has not been checked before.
func (c *checker) constContent(v ir.Value, depth int) string {
	k := c.m.Const(v)
	switch k.Kind {
	case ir.ConstNone:
		return "use of an undefined constant"
	case ir.ConstGlobal:
		g := c.m.ConstGlobal(v)
		switch {
		case g == nil:
			return "Referencing global in another module!"
		case g.Func != nil && isIntrinsicName(g.Name()):
			return "Invalid user of intrinsic instruction!: @" + g.Name()
		case g.Kind == ir.GlobalVar && isSpecialVariable(g.Name()):
			return "invalid uses of intrinsic global variable: @" + g.Name()
		}
		return ""
	case ir.ConstExpr:
		if k.Op.IsCast() {
			if message := c.castTypes(k.Op, c.m.TypeOfConst(c.m.ConstOperands(v)[0]), k.Type); message != "" {
				return message
			}
		}
	case ir.ConstPtrAuth:
		if message := c.ptrAuth(v); message != "" {
			return message
		}
	}
	for _, o := range c.m.ConstOperands(v) {
		if message := c.constPart(o, depth+1); message != "" {
			return message
		}
	}
	return ""
}

func (c *checker) ptrAuth(v ir.Value) string {
	ops := c.m.ConstOperands(v)
	t := func(i int) ir.Type {
		if i < len(ops) {
			return c.m.TypeOfConst(ops[i])
		}
		return ir.NoType
	}
	switch {
	case !c.m.IsPtr(t(0)):
		return "signed ptrauth constant base pointer must have pointer type"
	case c.m.TypeOfConst(v) != t(0):
		return "signed ptrauth constant must have same type as its base pointer"
	case len(ops) > 1 && t(1) != ir.I32:
		return "signed ptrauth constant key must be i32 constant integer"
	case len(ops) > 3 && !c.m.IsPtr(t(3)):
		return "signed ptrauth constant address discriminator must be a pointer"
	case len(ops) > 2 && t(2) != ir.I64:
		return "signed ptrauth constant discriminator must be i64 constant integer"
	case len(ops) > 4 && !c.m.IsPtr(t(4)):
		return "signed ptrauth constant deactivation symbol must be a pointer"
	}
	return ""
}

// stripCasts returns a constant pointer without conversions and getelementptrs
// with zero indices.
func (c *checker) stripCasts(v ir.Value) ir.Value {
	for range maxConstDepth {
		if !v.IsConst() || c.m.ConstKindOf(v) != ir.ConstExpr {
			return v
		}
		ops := c.m.ConstOperands(v)
		switch c.m.Const(v).Op {
		case ir.OpBitCast, ir.OpAddrSpaceCast:
		case ir.OpGetElementPtr:
			for _, o := range ops[1:] {
				if !c.m.IsZero(o) {
					return v
				}
			}
		default:
			return v
		}
		v = ops[0]
	}
	return v
}

// constraintsOf iterates over the constraints of inline assembly.
func constraintsOf(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			part := s
			if i := strings.IndexByte(s, ','); i >= 0 {
				part, s = s[:i], s[i+1:]
			} else {
				s = ""
			}
			if part != "" && !yield(part) {
				return
			}
		}
	}
}

// isIndirect reports whether a constraint is for a value in memory.
func isIndirect(constraint string) bool {
	return strings.HasPrefix(strings.TrimLeft(constraint, "=+&"), "*")
}
