package bitcode

import (
	"math/big"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// attrGroup is the set of attributes at one place of a list.
type attrGroup struct {
	place    uint32 // ir.AttrFunction, …
	set      ir.AttrSet
	typeless bool // contains byval, sret or inalloca without a type
}

// attrList is a list of attributes.
type attrList struct {
	list     ir.AttrList
	typeless bool
}

// functionIndex is the place of a function's own attributes in records. The
// result has the place 0, parameter i has 1+i.
const functionIndex = 1<<32 - 1

// maxAttrPlace limits the places of a list.
const maxAttrPlace = 1 << 16

// Kinds of attributes in group records.
const (
	attrIsEnum      = 0
	attrIsInt       = 1
	attrIsKey       = 3
	attrIsKeyValue  = 4
	attrIsTypeless  = 5
	attrIsType      = 6
	attrIsRange     = 7
	attrIsRangeList = 8
)

func (r *reader) readAttrGroups() {
	r.enter(blockParamAttrGroup)
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		if r.record(id) == attrGroupEntry {
			r.need(3, "attribute group")
			g := groupReader{r: r, index: uint32(r.rec[1]), rec: r.rec[2:], memory: ir.MemoryAny}
			r.groups[r.rec[0]] = g.read()
		}
	}
}

// groupReader reads one group.
type groupReader struct {
	r        *reader
	index    uint32
	rec      []uint64
	attrs    []ir.Attr
	memory   ir.MemoryEffects // effects that old attributes allow
	typeless bool
}

func (g *groupReader) read() attrGroup {
	place := g.index + 1
	if place >= maxAttrPlace {
		g.r.fail("attributes for invalid parameter %d", g.index-1)
	}
	for len(g.rec) > 0 {
		g.attr()
	}
	if g.memory != ir.MemoryAny {
		g.attrs = append(g.attrs, ir.Attr{Kind: ir.AttrMemory, Int: uint64(g.memory)})
	}
	return attrGroup{place, g.r.m.AttrSet(g.attrs), g.typeless}
}

// nextOperand returns the next operand.
func (g *groupReader) nextOperand() uint64 {
	if len(g.rec) == 0 {
		g.r.fail("attribute group ends within an attribute")
	}
	x := g.rec[0]
	g.rec = g.rec[1:]
	return x
}

// kind reads the number of an attribute that must have one of two forms.
func (g *groupReader) kind(code uint64, form, other ir.AttrForm) ir.AttrKind {
	if code >= uint64(len(attrKinds)) || attrKinds[code] == 0 {
		g.r.fail("unknown attribute %d", code)
	}
	k := attrKinds[code]
	if f := k.Form(); f != form && f != other {
		g.r.fail("invalid kind of value for attribute %s", k)
	}
	return k
}

func (g *groupReader) attr() {
	switch what := g.nextOperand(); what {
	case attrIsEnum:
		g.enum(g.nextOperand())
	case attrIsInt:
		k := g.kind(g.nextOperand(), ir.AttrFormInt, ir.AttrFormEnum)
		g.attrs = append(g.attrs, g.intAttr(k, g.nextOperand()))
	case attrIsKey, attrIsKeyValue:
		a := ir.Attr{Kind: ir.AttrString, Key: g.r.m.String(g.text())}
		if what == attrIsKeyValue {
			a.Str = g.r.m.String(g.text())
		}
		g.attrs = append(g.attrs, a)
	case attrIsTypeless, attrIsType:
		a := ir.Attr{Kind: g.kind(g.nextOperand(), ir.AttrFormType, ir.AttrFormType)}
		if what == attrIsType {
			a.Type = g.r.typ(g.nextOperand())
		} else {
			g.typeless = true
		}
		g.attrs = append(g.attrs, a)
	case attrIsRange:
		k := g.kind(g.nextOperand(), ir.AttrFormRange, ir.AttrFormRange)
		width := g.width()
		lo, hi := g.bounds(width)
		g.attrs = append(g.attrs, ir.Attr{Kind: k, Type: g.r.m.IntType(width), Str: g.r.m.String(lo + ", " + hi)})
	case attrIsRangeList:
		g.rangeList()
	default:
		g.r.fail("unknown attribute kind %d", what)
	}
}

// enum adds an attribute without a value, or the replacement of an old
// attribute.
func (g *groupReader) enum(code uint64) {
	if e, old := oldMemory.Get()[code]; old && g.index == functionIndex {
		g.memory &= e
		return
	}
	if code == attrNoCapture {
		g.attrs = append(g.attrs, ir.Attr{Kind: ir.AttrCaptures})
		return
	}
	if code < uint64(len(attrKinds)) && attrKinds[code] == ir.AttrUWTable {
		g.attrs = append(g.attrs, ir.Attr{Kind: ir.AttrUWTable, Int: uwtableAsync})
		return
	}
	k := g.kind(code, ir.AttrFormEnum, ir.AttrFormType)
	g.typeless = g.typeless || k.Form() == ir.AttrFormType
	g.attrs = append(g.attrs, ir.Attr{Kind: k})
}

// memoryVersion is the bit position of the version in the value of memory.
const memoryVersion = 56

func (g *groupReader) intAttr(k ir.AttrKind, x uint64) ir.Attr {
	switch {
	case k.Form() == ir.AttrFormEnum:
		x = 0
	case k == ir.AttrMemory && x>>memoryVersion == 0:
		// errno was part of the other memory, and target memory did not exist
		e := ir.MemoryEffects(x & 0xf)
		other := uint8(x >> 4 & 3)
		x = uint64(e.With(ir.ErrnoMem, other).With(ir.OtherMem, other))
	case k == ir.AttrMemory:
		x &= uint64(ir.MemoryAny)
	case k == ir.AttrNoFPClass:
		x &= 0x3ff
	case k == ir.AttrAlign || k == ir.AttrAlignStack:
		if x == 0 || x&(x-1) != 0 || x > 1<<32 {
			g.r.fail("%s(%d) is not a power of two", k, x)
		}
	}
	return ir.Attr{Kind: k, Int: x}
}

// text reads characters up to a zero.
func (g *groupReader) text() string {
	var b strings.Builder
	for c := g.nextOperand(); c != 0; c = g.nextOperand() {
		b.WriteByte(byte(c))
	}
	return b.String()
}

func (g *groupReader) width() int {
	w := g.nextOperand()
	if w < 1 || w > ir.MaxIntBits {
		g.r.fail("range with invalid width of %d bits", w)
	}
	return int(w)
}

// bounds reads the bounds of a range as decimal numbers.
func (g *groupReader) bounds(width int) (lo, hi string) {
	if width <= 64 {
		return signedText([]uint64{rotated(g.nextOperand())}, width), signedText([]uint64{rotated(g.nextOperand())}, width)
	}
	n := g.nextOperand()
	return signedText(g.words(n&(1<<32-1)), width), signedText(g.words(n>>32), width)
}

func (g *groupReader) words(n uint64) []uint64 {
	if n > uint64(len(g.rec)) {
		g.r.fail("bound has %d words, but only %d operands remain", n, len(g.rec))
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = rotated(g.rec[i])
	}
	g.rec = g.rec[n:]
	return words
}

func (g *groupReader) rangeList() {
	k := g.kind(g.nextOperand(), ir.AttrFormRangeList, ir.AttrFormRangeList)
	n, width := g.nextOperand(), g.width()
	if n > uint64(len(g.rec)) {
		g.r.fail("record has %d ranges, but only %d operands remain", n, len(g.rec))
	}
	var parts []string
	for range n {
		lo, hi := g.bounds(width)
		parts = append(parts, "("+lo+", "+hi+")")
	}
	g.attrs = append(g.attrs, ir.Attr{Kind: k, Str: g.r.m.String(strings.Join(parts, ", "))})
}

// bigOf returns the lowest width bits of words as a signed or unsigned number.
func bigOf(words []uint64, width int, signed bool) *big.Int {
	x := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		x.Or(x.Lsh(x, 64), new(big.Int).SetUint64(words[i]))
	}
	one := big.NewInt(1)
	if x.BitLen() > width {
		x.And(x, new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one))
	}
	if signed && x.Bit(width-1) == 1 {
		x.Sub(x, new(big.Int).Lsh(one, uint(width)))
	}
	return x
}

// signedText returns the lowest width bits of words as a signed decimal number.
func signedText(words []uint64, width int) string { return bigOf(words, width, true).String() }

// rotated decodes a number whose sign is in the lowest bit.
func rotated(x uint64) uint64 {
	switch {
	case x&1 == 0:
		return x >> 1
	case x == 1:
		return 1 << 63
	}
	return -(x >> 1)
}

func (r *reader) readAttrLists() {
	r.enter(blockParamAttr)
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		switch r.record(id) {
		case attrEntry:
			groups := make([]attrGroup, 0, len(r.rec))
			for _, n := range r.rec {
				g, ok := r.groups[n]
				if !ok {
					r.fail("attribute group %d is not defined", n)
				}
				groups = append(groups, g)
			}
			r.addAttrList(groups)
		case attrEntryOld:
			var groups []attrGroup
			for i := 0; i+1 < len(r.rec); i += 2 {
				groups = append(groups, r.rawGroup(uint32(r.rec[i]), r.rec[i+1]))
			}
			r.addAttrList(groups)
		}
	}
}

func (r *reader) addAttrList(groups []attrGroup) {
	n := uint32(0)
	for _, g := range groups {
		n = max(n, g.place+1)
	}
	if r.attrRoom -= int(n); r.attrRoom < 0 {
		r.fail("attribute lists are too large for the size of the file")
	}
	sets := make([]ir.AttrSet, n)
	l := attrList{}
	for _, g := range groups {
		sets[g.place] = g.set
		l.typeless = l.typeless || g.typeless
	}
	l.list = r.m.AttrList(sets)
	r.attrs = append(r.attrs, l)
}

// rawGroup decodes the attributes of LLVM before 3.3. Bits 16 to 31 are the
// alignment; bits of rawAttrs from 21 on are shifted left by 11.
func (r *reader) rawGroup(index uint32, x uint64) attrGroup {
	g := groupReader{r: r, index: index, memory: ir.MemoryAny}
	if align := x >> 16 & 0xffff; align != 0 {
		g.attrs = append(g.attrs, g.intAttr(ir.AttrAlign, align))
	}
	bits := x>>32<<21 | x&0xffff
	if s := bits >> 26 & 7; s != 0 {
		g.attrs = append(g.attrs, ir.Attr{Kind: ir.AttrAlignStack, Int: 1 << (s - 1)})
	}
	for i, k := range rawAttrs {
		e, memory := rawMemory.Get()[i]
		switch {
		case bits>>i&1 == 0:
		case i == rawNoCapture:
			g.attrs = append(g.attrs, ir.Attr{Kind: ir.AttrCaptures})
		case memory && index == functionIndex:
			g.memory &= e
		case k == ir.AttrUWTable:
			g.attrs = append(g.attrs, ir.Attr{Kind: k, Int: uwtableSync}) // LLVM uses the bit as the value
		case k != 0:
			g.typeless = g.typeless || k.Form() == ir.AttrFormType
			g.attrs = append(g.attrs, ir.Attr{Kind: k})
		}
	}
	return g.read()
}

// attrListAt returns the attribute list with number n, counted from 1.
func (r *reader) attrListAt(n uint64) attrList {
	if n > uint64(len(r.attrs)) {
		return attrList{} // as in LLVM: an out-of-range number is the empty list
	}
	return r.attrs[n-1]
}

// attrsFor returns the attributes of a function or call. It completes byval,
// sret and inalloca without a type with the pointee type of the parameter.
func (r *reader) attrsFor(n uint64, pointee func(param int) (ir.Type, uint32)) ir.AttrList {
	if n == 0 {
		return 0
	}
	l := r.attrListAt(n)
	if !l.typeless {
		return l.list
	}
	list := l.list
	for place, set := range r.m.AttrSets(l.list) {
		for _, a := range r.m.Attrs(set) {
			if a.Kind.Form() == ir.AttrFormType && a.Type == ir.NoType && place >= ir.AttrParams {
				a.Type, _ = pointee(place - ir.AttrParams)
				set = r.m.AddAttr(set, a)
			}
		}
		list = r.m.WithAttrsAt(list, place, set)
	}
	return list
}
