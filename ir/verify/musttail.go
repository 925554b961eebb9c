package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

const (
	ccTail      ir.CallConv = 18
	ccSwiftTail ir.CallConv = 20
)

// mustTail checks a musttail call (LangRef, "call").
func (c *checker) mustTail(v ir.Value) string {
	f := c.f
	if c.m.Asm(f.Callee(v)) != nil {
		return "cannot use musttail call with inline asm"
	}
	caller, callee := c.m.TypeInfo(f.Global.Type), c.m.TypeInfo(f.CallType(v))
	switch {
	case callee.Kind != ir.KindFunc:
		return ""
	case caller.VarArg != callee.VarArg:
		return "cannot guarantee tail call due to mismatched varargs"
	case caller.Elem != callee.Elem:
		return c.found("cannot guarantee tail call due to mismatched return types", caller.Elem, callee.Elem)
	case f.CC != f.CallConv(v):
		return "cannot guarantee tail call due to mismatched calling conv: " + f.CC.String() + ", " + f.CallConv(v).String()
	}
	if message := c.returnedAtOnce(v); message != "" {
		return message
	}
	if cc := f.CallConv(v); cc == ccTail || cc == ccSwiftTail {
		return c.tailConvention(v, cc, caller, callee)
	}
	if f.CalledIntrinsic(v) == ir.NoIntrinsic {
		if len(caller.Elems) != len(callee.Elems) {
			return "cannot guarantee tail call due to mismatched parameter counts"
		}
		for i, t := range caller.Elems {
			if callee.Elems[i] != t {
				return c.found("cannot guarantee tail call due to mismatched parameter types", t, callee.Elems[i])
			}
		}
	}
	for i := range caller.Elems {
		if !c.sameABI(c.m.AttrsAt(f.Attributes, ir.AttrParams+i), c.m.AttrsAt(f.CallAttrs(v), ir.AttrParams+i)) {
			return "cannot guarantee tail call due to mismatched ABI impacting function attributes"
		}
	}
	return ""
}

// returnedAtOnce checks that a ret of the call's result follows the call.
func (c *checker) returnedAtOnce(v ir.Value) string {
	result, next := v, c.f.Next(v)
	if next != ir.None && c.f.Op(next) == ir.OpBitCast {
		if c.f.Operand(next, 0) != result {
			return "bitcast following musttail call must use the call"
		}
		result, next = next, c.f.Next(next)
	}
	if next == ir.None || c.f.Op(next) != ir.OpRet {
		return "musttail call must precede a ret with an optional bitcast"
	}
	if c.f.NumOperands(next) == 0 {
		return ""
	}
	switch k := c.m.ConstKindOf(c.f.Operand(next, 0)); {
	case c.f.Operand(next, 0) == result, k == ir.ConstUndef, k == ir.ConstPoison:
		return ""
	}
	return "musttail call result must be returned"
}

// abiAttrs lists the parameter attributes that affect the ABI.
var abiAttrs = [...]ir.AttrKind{ir.AttrSRet, ir.AttrByVal, ir.AttrInAlloca, ir.AttrInReg, ir.AttrAlignStack, ir.AttrSwiftSelf,
	ir.AttrSwiftAsync, ir.AttrSwiftError, ir.AttrPreallocated, ir.AttrByRef}

// sameABI reports whether two attribute sets have the same effect on the ABI of
// a parameter.
func (c *checker) sameABI(a, b ir.AttrSet) bool {
	if a == b {
		return true
	}
	kinds := abiAttrs[:]
	if c.inMemory(a) || c.inMemory(b) {
		kinds = append(kinds[:len(kinds):len(kinds)], ir.AttrAlign)
	}
	for _, k := range kinds {
		x, hasX := c.m.Attr(a, k)
		y, hasY := c.m.Attr(b, k)
		if hasX != hasY || x != y {
			return false
		}
	}
	return true
}

// inMemory reports whether a parameter is passed by address, so that its
// alignment affects the ABI.
func (c *checker) inMemory(s ir.AttrSet) bool {
	return c.m.HasAttr(s, ir.AttrByVal) || c.m.HasAttr(s, ir.AttrByRef)
}

// tailConvention checks a musttail call with the convention tailcc or
// swifttailcc.
func (c *checker) tailConvention(v ir.Value, cc ir.CallConv, caller, callee *ir.TypeInfo) string {
	check := func(l ir.AttrList, n int, who string) string {
		for i := range n {
			set := c.m.AttrsAt(l, ir.AttrParams+i)
			for _, k := range [...]ir.AttrKind{ir.AttrInAlloca, ir.AttrInReg, ir.AttrSwiftError, ir.AttrPreallocated, ir.AttrByRef} {
				if c.m.HasAttr(set, k) {
					return k.String() + " attribute not allowed in " + cc.String() + " musttail " + who
				}
			}
		}
		return ""
	}
	if message := check(c.f.Attributes, len(caller.Elems), "caller"); message != "" {
		return message
	}
	if message := check(c.f.CallAttrs(v), len(callee.Elems), "callee"); message != "" {
		return message
	}
	if caller.VarArg {
		return "cannot guarantee " + cc.String() + " tail call for varargs function"
	}
	return ""
}
