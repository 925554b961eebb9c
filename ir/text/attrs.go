package text

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// attrGroup is an attribute group, which may not be defined yet. A group that
// is never defined is empty, as in LLVM.
type attrGroup struct {
	attrs   []ir.Attr
	defined bool
	n       int // number in order of first use
}

// groupMerge caches the attribute list that resulted from the last merge with a
// group, and the group's own attribute set.
type groupMerge struct {
	from, to ir.AttrList
	set      ir.AttrSet
}

// groupUse is a function or call that refers to attribute groups. Their
// attributes are added at the end of the input.
type groupUse struct {
	f *ir.Function
	v ir.Value // None for the function itself
	g *attrGroup
}

// attrList holds the attributes of a function: its own attributes and its
// groups.
type attrList struct {
	attrs  []ir.Attr
	groups []*attrGroup
}

// attributes parses attributes #7 = { … }.
func (p *parser) attributes() {
	if p.tok != tAttrGroup {
		p.fail("expected attribute group id")
	}
	g, off := p.group(p.num), p.from
	p.scanToken()
	p.expect(tEqual, "expected '=' here")
	p.expect(tLBrace, "expected '{' here")
	var list attrList
	p.funcAttrs(&list, true)
	p.expect(tRBrace, "expected end of attribute group")
	if len(list.attrs) == 0 && len(g.attrs) == 0 {
		failAt(off, p.prevEnd, "attribute group has no attributes")
	}
	g.attrs, g.defined = append(g.attrs, list.attrs...), true
}

func (p *parser) group(n uint64) *attrGroup {
	g := p.groups[n]
	if g == nil {
		p.miss()
		g = &attrGroup{n: len(p.groups)}
		p.groups[n] = g
	}
	return g
}

// funcAttrs parses the attributes of a function or call, or the body of a
// group.
func (p *parser) funcAttrs(list *attrList, inGroup bool) {
	for {
		switch p.tok {
		case tAttrGroup:
			if inGroup {
				p.fail("cannot have an attribute group reference in an attribute group")
			}
			list.groups = append(list.groups, p.group(p.num))
			p.scanToken()
			continue
		case tString:
			list.attrs = append(list.attrs, p.stringAttr())
			continue
		case tWord:
			if p.kw == kwAlign && !inGroup || !p.funcAttr(list, inGroup) {
				return
			}
			continue
		}
		return
	}
}

// stringAttr parses "key" or "key"="value".
func (p *parser) stringAttr() ir.Attr {
	a := ir.Attr{Kind: ir.AttrString, Key: p.m.StringBytes(p.name())}
	p.scanToken()
	if p.accept(tEqual) {
		a.Str = p.m.StringBytes(p.str())
	}
	return a
}

// legacyMemory lists the keywords for memory effects that preceded memory(),
// with the effects that they allow.
var legacyMemory = [...]struct {
	name string
	mask ir.MemoryEffects
}{
	{"readnone", ir.MemoryNone},
	{"readonly", ir.MemoryRead},
	{"writeonly", ir.MemoryWrite},
	{"argmemonly", 3 << (2 * ir.ArgMem)},
	{"inaccessiblememonly", 3 << (2 * ir.InaccessibleMem)},
	{"inaccessiblemem_or_argmemonly", 3<<(2*ir.InaccessibleMem) | 3<<(2*ir.ArgMem)},
}

// funcAttr parses one keyword attribute. It reports whether the current token
// is one.
func (p *parser) funcAttr(list *attrList, inGroup bool) bool {
	for _, row := range legacyMemory {
		if row.name == string(p.text()) {
			list.attrs = restrictMemory(list.attrs, row.mask)
			p.scanToken()
			return true
		}
	}
	k := dict.attrs[p.kw]
	if k == 0 {
		return inGroup && p.unknownAttr(list)
	}
	off, end := p.from, p.end
	a := p.attr(k, inGroup, ir.NoType)
	if !k.OnFunction() && k != ir.AttrAlign {
		failAt(off, end, "this attribute does not apply to functions")
	}
	list.attrs = append(list.attrs, a)
	return true
}

// unknownAttr parses an attribute of a group that LLVM 22 does not know, and
// keeps its text.
func (p *parser) unknownAttr(list *attrList) bool {
	off, end := p.from, p.end
	p.scanToken()
	if p.tok == tLParen {
		p.parens()
		end = p.prevEnd
	}
	p.list.Warnf(p.file, off, end, "unknown attribute '%s' is kept", p.src[off:end])
	list.attrs = append(list.attrs, ir.Attr{Kind: ir.AttrUnknown, Key: p.m.StringBytes(p.src[off:end])})
	return true
}

// restrictMemory applies the effects of a legacy keyword to the existing
// effects of a function.
func restrictMemory(attrs []ir.Attr, mask ir.MemoryEffects) []ir.Attr {
	for i := range attrs {
		if attrs[i].Kind == ir.AttrMemory {
			attrs[i].Int &= uint64(mask)
			return attrs
		}
	}
	return append(attrs, ir.Attr{Kind: ir.AttrMemory, Int: uint64(mask)})
}

// paramAttrs parses the attributes of a parameter, argument or result and
// appends them to p.scratch.attrs. pointee is the pointee type of a typed
// pointer.
func (p *parser) paramAttrs(pointee ir.Type, isParam bool) {
	for {
		switch p.tok {
		case tString:
			p.scratch.attrs = append(p.scratch.attrs, p.stringAttr())
			continue
		case tWord:
			if p.kw == kwNoCapture {
				p.scratch.attrs = append(p.scratch.attrs, ir.Attr{Kind: ir.AttrCaptures})
				p.scanToken()
				continue
			}
			if k := dict.attrs[p.kw]; k != 0 {
				switch {
				case isParam && !k.OnParam():
					p.fail("this attribute does not apply to parameters")
				case !isParam && !k.OnResult():
					p.fail("this attribute does not apply to return values")
				}
				p.scratch.attrs = append(p.scratch.attrs, p.attr(k, false, pointee))
				continue
			}
		}
		return
	}
}

// paramSet parses the attributes of a parameter, argument or result and returns
// them as a set.
func (p *parser) paramSet(pointee ir.Type, isParam bool) ir.AttrSet {
	base := len(p.scratch.attrs)
	p.paramAttrs(pointee, isParam)
	attrs := p.scratch.attrs[base:]
	p.scratch.attrs = p.scratch.attrs[:base]
	return p.m.AttrSet(attrs)
}

// attr parses an attribute. The current token is its keyword.
func (p *parser) attr(k ir.AttrKind, inGroup bool, pointee ir.Type) ir.Attr {
	a := ir.Attr{Kind: k}
	off := p.from
	p.scanToken()
	switch k.Form() {
	case ir.AttrFormType:
		a.Type = p.typeAttr(k, pointee)
	case ir.AttrFormInt:
		a.Int = p.intAttr(k, inGroup, off)
	case ir.AttrFormRange:
		p.rangeAttr(&a)
	case ir.AttrFormRangeList:
		a.Str = p.rangeList()
	}
	return a
}

// typeAttr parses the type of byval(T) and similar attributes. Before LLVM 12
// the type was implied by the pointer type.
func (p *parser) typeAttr(k ir.AttrKind, pointee ir.Type) ir.Type {
	if p.tok != tLParen {
		if pointee == ir.NoType {
			p.fail("expected '(' after %s", k)
		}
		return pointee
	}
	p.scanToken()
	t := p.typ("expected type")
	p.expect(tRParen, "expected ')'")
	return t
}

// intAttr parses the value of an integer attribute.
func (p *parser) intAttr(k ir.AttrKind, inGroup bool, off int) uint64 {
	switch k {
	case ir.AttrAlign, ir.AttrAlignStack:
		return p.alignAttr(k, inGroup)
	case ir.AttrDereferenceable, ir.AttrDereferenceableOrNull:
		return p.bytesAttr(inGroup)
	case ir.AttrAllocSize, ir.AttrVScaleRange:
		return p.pairAttr(k)
	case ir.AttrUWTable:
		return p.uwtableAttr()
	}
	text, at := p.parens()
	v, err := parseEffects(k, text)
	if err != nil {
		failAt(at, at+len(text), "%s", err.Error())
	}
	return v
}

// parseEffects parses the value of an attribute that consists of words.
func parseEffects(k ir.AttrKind, text []byte) (uint64, error) {
	switch k {
	case ir.AttrMemory:
		v, err := ir.ParseMemoryEffects(string(text))
		return uint64(v), err
	case ir.AttrCaptures:
		v, err := ir.ParseCaptures(string(text))
		return uint64(v), err
	case ir.AttrNoFPClass:
		v, err := ir.ParseFPClass(string(text))
		return uint64(v), err
	}
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	v, err := ir.ParseAllocKind(string(text))
	return uint64(v), err
}

// parens parses (…) and returns the text between the parentheses and its
// offset.
func (p *parser) parens() (text []byte, at int) {
	if p.tok != tLParen {
		p.fail("expected '('")
	}
	at = p.end
	level := 0
	for {
		switch p.tok {
		case tLParen:
			level++
		case tRParen:
			level--
		case tEOF:
			p.fail("expected ')'")
		}
		end := p.from
		p.scanToken()
		if level == 0 {
			return p.src[at:end], at
		}
	}
}

// alignAttr parses align 8, align(8), align=8 and the same forms of alignstack.
// The result is in bytes.
func (p *parser) alignAttr(k ir.AttrKind, inGroup bool) uint64 {
	paren := false
	if inGroup {
		p.expect(tEqual, "expected '=' here")
	} else if paren = p.tok == tLParen; paren {
		p.scanToken()
	} else if k == ir.AttrAlignStack {
		p.fail("expected '('")
	}
	n := p.alignValue()
	if paren {
		p.expect(tRParen, "expected ')'")
	}
	return n
}

// alignValue parses an alignment in bytes.
func (p *parser) alignValue() uint64 {
	off := p.from
	n := p.uint64()
	switch {
	case bits.OnesCount64(n) != 1:
		failAt(off, p.prevEnd, "alignment is not a power of two")
	case n > 1<<32:
		failAt(off, p.prevEnd, "huge alignments are not supported yet")
	}
	return n
}

// bytesAttr parses (8), or =8 in a group.
func (p *parser) bytesAttr(inGroup bool) uint64 {
	if inGroup && p.accept(tEqual) {
		return p.uint64()
	}
	p.expect(tLParen, "expected '('")
	off := p.from
	n := p.uint64()
	if n == 0 {
		failAt(off, p.prevEnd, "dereferenceable bytes must be non-zero")
	}
	p.expect(tRParen, "expected ')'")
	return n
}

// pairAttr parses (1) or (1, 2) of allocsize and vscale_range.
func (p *parser) pairAttr(k ir.AttrKind) uint64 {
	p.expect(tLParen, "expected '('")
	first := p.uint32()
	second := first
	if k == ir.AttrAllocSize {
		second = 1<<32 - 1
	}
	if p.accept(tComma) {
		off := p.from
		second = p.uint32()
		if k == ir.AttrAllocSize && second == first {
			failAt(off, p.prevEnd, "'allocsize' indices can't refer to the same parameter")
		}
	}
	p.expect(tRParen, "expected ')'")
	return uint64(first)<<32 | uint64(second)
}

// uwtableAttr parses an optional (sync) or (async).
func (p *parser) uwtableAttr() uint64 {
	const sync, async = 1, 2
	if p.tok != tLParen {
		return async
	}
	text, at := p.parens()
	switch string(text) {
	case "sync":
		return sync
	case "async":
		return async
	}
	failAt(at, at+len(text), "expected unwind table kind")
	return 0
}

// rangeAttr parses (i32 0, 10).
func (p *parser) rangeAttr(a *ir.Attr) {
	p.expect(tLParen, "expected '('")
	off := p.from
	a.Type = p.typ("expected type")
	bits := p.m.IntBits(a.Type)
	if bits == 0 {
		failAt(off, p.prevEnd, "the range must have integer type!")
	}
	off = p.from
	lo := p.rangeBound(bits)
	p.expect(tComma, "expected ','")
	hi := p.rangeBound(bits)
	if lo == hi && lo != "0" {
		failAt(off, p.prevEnd, "the range represent the empty set!")
	}
	p.expect(tRParen, "expected ')'")
	a.Str = p.m.String(lo + ", " + hi)
}

// rangeBound parses a bound of a range of integers with the given width and
// returns it as a signed decimal number.
func (p *parser) rangeBound(bits int) string {
	if p.tok != tInt {
		p.fail("expected integer")
	}
	n := p.bigInt()
	if n.BitLen() > bits {
		p.fail("integer is too large for the bit width of specified type")
	}
	p.scanToken()
	return signed(n, bits).String()
}

// rangeList parses ((0, 4), (8, 12)).
func (p *parser) rangeList() ir.String {
	p.expect(tLParen, "expected '('")
	out := []byte{}
	last, ordered := int64(math.MinInt64), true
	for {
		p.expect(tLParen, "expected '('")
		lo := p.rangeBound(64)
		p.expect(tComma, "expected ','")
		hi := p.rangeBound(64)
		if lo == hi {
			p.fail("the range should not represent the full or empty set!")
		}
		p.expect(tRParen, "expected ')'")
		low, _ := strconv.ParseInt(string(lo), 10, 64)
		high, _ := strconv.ParseInt(string(hi), 10, 64)
		ordered = ordered && low < high && (len(out) == 0 || last < low)
		last = high
		if len(out) > 0 {
			out = append(out, ", "...)
		}
		out = append(append(append(append(append(out, '('), lo...), ", "...), hi...), ')')
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRParen, "expected ')'")
	if !ordered {
		p.fail("Invalid (unordered or overlapping) range list")
	}
	return p.m.StringBytes(out)
}

// useGroups adds the attributes of groups to a function or call. The first step
// of a parallel read only records the use.
func (p *parser) useGroups(f *ir.Function, v ir.Value, groups []*attrGroup) {
	for _, g := range groups {
		if u := (groupUse{f, v, g}); p.inBody && g.defined {
			p.applyGroup(u)
		} else {
			p.globals.groupUses = append(p.globals.groupUses, u)
		}
	}
}

// resolveGroups adds the attributes of groups to the functions and calls that
// refer to them.
func (p *parser) resolveGroups() {
	for _, u := range p.globals.groupUses {
		if u.g.defined {
			p.applyGroup(u)
		}
	}
}

// applyGroup adds the attributes of a group to a function or call.
func (p *parser) applyGroup(u groupUse) {
	switch {
	case u.v == ir.None:
		u.f.Attributes = p.withGroup(u.f.Attributes, u.g)
	case u.f.Op(u.v).IsCall(): // otherwise the function was dropped after an error
		u.f.SetCallAttrs(u.v, p.withGroup(u.f.CallAttrs(u.v), u.g))
	}
}

// withGroup returns a list with the attributes of a group added to the
// function's attributes. It caches the last result for each group.
func (p *parser) withGroup(list ir.AttrList, g *attrGroup) ir.AttrList {
	if n := g.n + 1; n > len(p.merges) {
		p.merges = append(p.merges, make([]groupMerge, max(n, len(p.groups))-len(p.merges))...)
	}
	m := &p.merges[g.n]
	if m.to != 0 && m.from == list {
		return m.to
	}
	own := p.m.AttrsAt(list, ir.AttrFunction)
	set := m.set
	if own != 0 || set == 0 {
		set = p.m.AttrSet(append(slices.Clone(p.m.Attrs(own)), g.attrs...))
	}
	if own == 0 {
		m.set = set
	}
	m.from, m.to = list, p.m.WithAttrsAt(list, ir.AttrFunction, set)
	return m.to
}
