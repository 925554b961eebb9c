package verify

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// attrSite is an attribute list with its function or call.
type attrSite struct {
	fn             *ir.TypeInfo // function type
	list           ir.AttrList
	intrinsic, asm bool
	global         *ir.Global // the function, nil for a call
}

// functionAttrs checks the attributes of a function or call.
func (c *checker) functionAttrs(s attrSite) string {
	m := c.m
	if s.list == 0 {
		return ""
	}
	result := m.AttrsAt(s.list, ir.AttrResult)
	for _, a := range m.Attrs(result) {
		if !a.Kind.OnResult() {
			return "Attribute '" + a.Kind.String() + "' does not apply to function return values"
		}
	}
	if message := c.paramAttrs(result, s.fn.Elem); message != "" {
		return message
	}
	if message := c.paramLists(s); message != "" {
		return message
	}
	if fn := m.AttrsAt(s.list, ir.AttrFunction); fn != 0 {
		return c.fnAttrs(fn, s)
	}
	return ""
}

// onlyOnce lists the attributes that only one parameter of a function may have.
var onlyOnce = [...]struct {
	kind    ir.AttrKind
	message string
}{
	{ir.AttrNest, "More than one parameter has attribute nest!"},
	{ir.AttrReturned, "More than one parameter has attribute returned!"},
	{ir.AttrSRet, "Cannot have multiple 'sret' parameters!"},
	{ir.AttrSwiftSelf, "Cannot have multiple 'swiftself' parameters!"},
	{ir.AttrSwiftAsync, "Cannot have multiple 'swiftasync' parameters!"},
	{ir.AttrSwiftError, "Cannot have multiple 'swifterror' parameters!"},
}

// paramLists checks the attributes of the parameters.
func (c *checker) paramLists(s attrSite) string {
	m := c.m
	sets := m.AttrSets(s.list)
	seen := 0
	for i, t := range s.fn.Elems {
		set := setAt(sets, ir.AttrParams+i)
		if set == 0 {
			continue
		}
		switch {
		case !s.intrinsic && m.HasAttr(set, ir.AttrImmArg):
			return "immarg attribute only applies to intrinsics"
		case !s.intrinsic && !s.asm && m.HasAttr(set, ir.AttrElementType):
			return "Attribute 'elementtype' can only be applied to intrinsics and inline asm."
		}
		if message := c.paramAttrs(set, t); message != "" {
			return message
		}
		for j, row := range onlyOnce {
			if m.HasAttr(set, row.kind) {
				if seen>>j&1 != 0 {
					return row.message
				}
				seen |= 1 << j
			}
		}
		switch {
		case m.HasAttr(set, ir.AttrReturned) && !c.sameBits(t, s.fn.Elem):
			return c.found("Incompatible argument and return types for 'returned' attribute", t, s.fn.Elem)
		case m.HasAttr(set, ir.AttrSRet) && i > 1:
			return "Attribute 'sret' is not on first or second parameter!"
		case m.HasAttr(set, ir.AttrInAlloca) && i != len(s.fn.Elems)-1:
			return "inalloca isn't on the last parameter!"
		}
	}
	return ""
}

// sameBits reports whether a value of one type can be used as the other type
// without a conversion.
func (c *checker) sameBits(a, b ir.Type) bool {
	if a == b {
		return true
	}
	if !c.m.IsFirstClass(a) || !c.m.IsFirstClass(b) {
		return false
	}
	if c.m.IsVector(a) && c.m.IsVector(b) && c.m.PrimitiveBits(a) != 0 {
		return c.m.PrimitiveBits(a) == c.m.PrimitiveBits(b)
	}
	return false
}

// attrPair is a pair of mutually exclusive parameter attributes.
type attrPair struct {
	a, b    ir.AttrKind
	message string
}

var paramPairs = [...]attrPair{
	{ir.AttrInAlloca, ir.AttrReadOnly, "Attributes 'inalloca and readonly' are incompatible!"},
	{ir.AttrSRet, ir.AttrReturned, "Attributes 'sret and returned' are incompatible!"},
	{ir.AttrZeroExt, ir.AttrSignExt, "Attributes 'zeroext and signext' are incompatible!"},
	{ir.AttrReadNone, ir.AttrReadOnly, "Attributes 'readnone and readonly' are incompatible!"},
	{ir.AttrReadNone, ir.AttrWriteOnly, "Attributes 'readnone and writeonly' are incompatible!"},
	{ir.AttrReadOnly, ir.AttrWriteOnly, "Attributes 'readonly and writeonly' are incompatible!"},
	{ir.AttrWritable, ir.AttrReadNone, "Attributes writable and readnone are incompatible!"},
	{ir.AttrWritable, ir.AttrReadOnly, "Attributes writable and readonly are incompatible!"},
}

// paramAttrs checks the attributes of a parameter, argument or result of type
// t.
func (c *checker) paramAttrs(set ir.AttrSet, t ir.Type) string {
	if set == 0 {
		return ""
	}
	m := c.m
	for _, a := range m.Attrs(set) {
		switch {
		case !a.Kind.OnParam():
			return "Attribute '" + a.Kind.String() + "' does not apply to parameters"
		case a.Kind == ir.AttrString:
			if message := c.boolAttr(a); message != "" {
				return message
			}
		}
	}
	if m.HasAttr(set, ir.AttrImmArg) {
		n := len(m.Attrs(set))
		if m.HasAttr(set, ir.AttrRange) {
			n--
		}
		if n != 1 {
			return "Attribute 'immarg' is incompatible with other attributes except the 'range' attribute"
		}
	}
	if c.passings(set) > 1 {
		return "Attributes 'byval', 'inalloca', 'preallocated', 'inreg', 'nest', 'byref', and 'sret' are incompatible!"
	}
	for _, p := range paramPairs {
		if m.HasAttr(set, p.a) && m.HasAttr(set, p.b) {
			return p.message
		}
	}
	for _, a := range m.Attrs(set) {
		if !c.fitsType(a, t) {
			return c.found("Attribute '"+a.Kind.String()+"' applied to incompatible type!", t)
		}
	}
	return c.attrValues(set)
}

// passings counts the passing conventions that the attributes of a parameter
// request.
func (c *checker) passings(set ir.AttrSet) (n int) {
	for _, k := range [...]ir.AttrKind{ir.AttrByVal, ir.AttrInAlloca, ir.AttrPreallocated, ir.AttrNest, ir.AttrByRef} {
		if c.m.HasAttr(set, k) {
			n++
		}
	}
	if c.m.HasAttr(set, ir.AttrSRet) || c.m.HasAttr(set, ir.AttrInReg) {
		n++
	}
	return n
}

// fitsType reports whether an attribute is valid for values of type t.
func (c *checker) fitsType(a ir.Attr, t ir.Type) bool {
	m := c.m
	switch a.Kind {
	case ir.AttrAllocAlign, ir.AttrSignExt, ir.AttrZeroExt:
		return m.IsInt(t)
	case ir.AttrRange:
		return m.IsIntOrIntVector(t) && m.ScalarBits(t) == m.IntBits(a.Type)
	case ir.AttrNoAlias, ir.AttrNonNull, ir.AttrReadNone, ir.AttrReadOnly, ir.AttrDereferenceable,
		ir.AttrDereferenceableOrNull, ir.AttrWritable, ir.AttrDeadOnUnwind, ir.AttrDeadOnReturn, ir.AttrInitializes, ir.AttrCaptures,
		ir.AttrNest, ir.AttrSwiftError, ir.AttrPreallocated, ir.AttrInAlloca, ir.AttrByVal, ir.AttrSRet, ir.AttrByRef,
		ir.AttrElementType, ir.AttrAllocPtr:
		return m.IsPtr(t)
	case ir.AttrAlign:
		return m.IsPtrOrPtrVector(t)
	case ir.AttrNoFPClass:
		return m.IsFPMathType(t)
	case ir.AttrNoUndef:
		return t != ir.Void
	}
	return true
}

// attrValues checks the types and numbers of attributes.
func (c *checker) attrValues(set ir.AttrSet) string {
	m := c.m
	for _, a := range m.Attrs(set) {
		switch a.Kind {
		case ir.AttrByVal, ir.AttrByRef, ir.AttrInAlloca, ir.AttrPreallocated:
			name := a.Kind.String()
			switch {
			case !m.IsSized(a.Type):
				return c.found("Attribute '"+name+"' does not support unsized types!", a.Type)
			case a.Kind == ir.AttrByVal && c.containsNonLocal(a.Type):
				return c.found("'byval' argument has illegal target extension type", a.Type)
			case m.AllocSize(a.Type) >= 1<<32:
				return c.found("huge '"+name+"' arguments are unsupported", a.Type)
			}
		case ir.AttrInitializes:
			if a.Str == 0 {
				return "Attribute 'initializes' does not support empty list"
			}
		case ir.AttrNoFPClass:
			switch {
			case a.Int == 0:
				return "Attribute 'nofpclass' must have at least one test bit set"
			case a.Int&^0x3ff != 0:
				return "Invalid value for 'nofpclass' test mask"
			}
		}
	}
	return ""
}

// rangeBounds returns the bounds of a range with at most 64 bits.
func rangeBounds(m *ir.Module, a ir.Attr) (low, high uint64, ok bool) {
	l, h, _ := strings.Cut(m.Str(a.Str), ", ")
	x, errX := strconv.ParseInt(l, 10, 64)
	y, errY := strconv.ParseInt(h, 10, 64)
	return uint64(x), uint64(y), errX == nil && errY == nil && m.IntBits(a.Type) <= 64
}

// inRange reports whether n is in a range of integers with the given width. The
// range may wrap.
func inRange(n, low, high uint64, bits int) bool {
	mask := uint64(1)<<(bits%64) - 1
	if bits%64 == 0 {
		mask = 1<<64 - 1
	}
	return (n-low)&mask < (high-low)&mask || (high-low)&mask == 0
}
