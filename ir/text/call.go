package text

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// callSite holds the parts common to call, invoke and callbr.
type callSite struct {
	off, end int // range of the callee
	tail     ir.TailKind
	flags    ir.Flags
	cc       ir.CallConv
	ret      ir.AttrSet
	t        ir.Type // function type
	callee   ir.Value
	asm      *ir.InlineAsm
	indirect []int // inline assembly arguments that are addresses
	base     int   // index of the first argument in p.scratch.values
	sets     []ir.AttrSet
	attrs    attrList
	bundles  []ir.Bundle
	ellipsis bool
}

// call parses tail call flags cc attrs T @f(…) attrs [bundles].
func (p *parser) call() ir.Value {
	c := callSite{}
	off := p.from
	if p.kw != dict.call {
		c.tail = ir.Tail + ir.TailKind(p.kw-kwTail)
		p.scanToken()
		if !p.isWord(dict.call) {
			p.fail("expected 'tail call', 'musttail call', or 'notail call'")
		}
	}
	p.scanToken()
	c.flags = p.fast()
	p.callHead(&c)
	p.checkFast(c.flags, p.m.TypeInfo(c.t).Elem, "call", off)
	v := p.finishCall(&c, ir.OpCall)
	if c.tail != ir.NoMarker {
		p.fn.f.SetTailKind(v, c.tail)
	}
	return v
}

// callHead parses calling convention, result, callee, arguments, attributes and
// bundles.
func (p *parser) callHead(c *callSite) {
	c.sets, c.attrs.groups = p.scratch.callSets[:0], p.scratch.groups[:0]
	c.cc = p.callConv()
	c.ret = p.paramSet(ir.NoType, false)
	as := p.m.Layout().ProgramAddrSpace
	if p.isWord(kwAddrSpace) {
		as = p.addrSpace()
	}
	off := p.from
	t := p.typOrVoid("expected type")
	c.off = p.from
	p.calleeOf(c, t, as)
	c.end = p.prevEnd
	p.callArgs(c)
	p.callType(c, t, off)
	p.funcAttrs(&c.attrs, false)
	p.scratch.callSets, p.scratch.groups = c.sets, c.attrs.groups
	if p.tok == tLSquare {
		p.callBundles(c)
	}
}

// calleeOf parses the callee.
func (p *parser) calleeOf(c *callSite, t ir.Type, addrSpace uint32) {
	ptr := p.m.PtrType(addrSpace)
	switch {
	case p.tok == tGlobal || p.tok == tGlobalID:
		r := p.globalEntry(addrSpace)
		if have := p.m.TypeOfConst(r.v); have != ptr {
			p.fail("'%s' defined with type '%s' but expected '%s'", p.src[p.from:p.pos], p.typeString(have), p.typeString(ptr))
		}
		c.callee = r.v
		p.scanToken()
	case p.isWord(kwAsm):
		c.asm = p.inlineAsm()
		c.indirect = ir.IndirectArgs(c.asm.Constraints)
	default:
		c.callee = p.value(ptr)
	}
}

// inlineAsm parses asm sideeffect alignstack inteldialect unwind "…", "…".
func (p *parser) inlineAsm() *ir.InlineAsm {
	p.scanToken()
	a := &ir.InlineAsm{}
	a.SideEffect = p.acceptWord(kwSideEffect)
	a.AlignStack = p.acceptWord2("alignstack")
	a.IntelDialect = p.acceptWord(kwIntelDialect)
	a.CanThrow = p.acceptWord(kwUnwind)
	a.Asm = string(p.str())
	p.expect(tComma, "expected comma in inline asm expression")
	a.Constraints = string(p.str())
	return a
}

// callArgs parses (T attrs v, …).
func (p *parser) callArgs(c *callSite) {
	p.expect(tLParen, "expected '(' in call")
	c.base = len(p.scratch.values)
	for p.tok != tRParen {
		if p.accept(tDots) {
			c.ellipsis = true
			break
		}
		t := p.typ("expected type")
		pointee := p.pointee
		set := p.paramSet(pointee, true)
		if pointee != ir.NoType && c.indirect != nil && slices.Contains(c.indirect, len(p.scratch.values)-c.base) &&
			!p.m.HasAttr(set, ir.AttrElementType) {
			set = p.m.AddAttr(set, ir.Attr{Kind: ir.AttrElementType, Type: pointee}) // implied before LLVM 14
		}
		v := p.value(t)
		p.scratch.values = append(p.scratch.values, v)
		for set != 0 && len(c.sets) < len(p.scratch.values)-c.base-1 {
			c.sets = append(c.sets, 0)
		}
		if set != 0 {
			c.sets = append(c.sets, set)
		}
		if !p.accept(tComma) {
			break
		}
		if p.tok == tRParen {
			p.fail("expected type")
		}
	}
	p.expect(tRParen, "expected ')' at end of argument list")
}

// callType determines the function type of a call. t is the type in the text: a
// function type or the result type.
func (p *parser) callType(c *callSite, t ir.Type, off int) {
	args := p.scratch.values[c.base:]
	f := p.fn.f
	if c.t = p.calledType(c, t, args); c.t != ir.NoType {
		// as declared
	} else if p.m.Kind(t) != ir.KindFunc {
		base := len(p.scratch.types)
		for _, a := range args {
			p.scratch.types = append(p.scratch.types, f.TypeOf(a))
		}
		switch p.m.Kind(t) {
		case ir.KindLabel, ir.KindMetadata:
			failAt(off, c.off, "Invalid result type for LLVM function")
		}
		c.t = p.m.FuncType(t, p.scratch.types[base:], false)
		p.scratch.types = p.scratch.types[:base]
	} else {
		c.t = t
		p.checkArgs(c, args)
	}
	if c.ellipsis && !p.m.TypeInfo(f.Global.Type).VarArg {
		p.fail("unexpected ellipsis in argument list for non-varargs call")
	}
	if c.asm != nil {
		c.asm.Type = c.t
		if message := ir.CheckConstraints(p.m, c.asm); message != "" {
			failAt(c.off, c.end, "%s", message)
		}
		c.callee = p.m.NewAsm(*c.asm)
	}
}

// calledType returns the type of the called function if result and arguments
// match it, which avoids a lookup of the type.
func (p *parser) calledType(c *callSite, result ir.Type, args []ir.Value) ir.Type {
	if !c.callee.IsConst() {
		return ir.NoType
	}
	g := p.m.ConstGlobal(c.callee)
	if g == nil || g.Func == nil {
		return ir.NoType
	}
	info := p.m.TypeInfo(g.Type)
	if info.Elem != result || info.VarArg || len(info.Elems) != len(args) {
		return ir.NoType
	}
	for i, a := range args {
		if p.fn.f.TypeOf(a) != info.Elems[i] {
			return ir.NoType
		}
	}
	return g.Type
}

// checkArgs reports arguments that do not match the function type.
func (p *parser) checkArgs(c *callSite, args []ir.Value) {
	info := p.m.TypeInfo(c.t)
	for i, a := range args {
		switch {
		case i >= len(info.Elems) && !info.VarArg:
			failAt(c.off, p.prevEnd, "too many arguments specified")
		case i < len(info.Elems) && p.fn.f.TypeOf(a) != info.Elems[i]:
			failAt(c.off, p.prevEnd, "argument is not of expected type '%s'", p.typeString(info.Elems[i]))
		}
	}
	if len(args) < len(info.Elems) {
		failAt(c.off, p.prevEnd, "not enough parameters specified for call")
	}
}

// callBundles parses [ "tag"(T v, …), … ].
func (p *parser) callBundles(c *callSite) {
	p.scanToken()
	if p.tok == tRSquare {
		p.fail("expected operand bundle")
	}
	for {
		tag := p.m.BundleTag(string(p.str()))
		p.expect(tLParen, "expected '(' in operand bundle")
		first := len(p.scratch.values) - c.base
		for p.tok != tRParen {
			v, _ := p.typedValue()
			p.scratch.values = append(p.scratch.values, v)
			if !p.accept(tComma) {
				break
			}
		}
		p.expect(tRParen, "expected ')' in operand bundle")
		c.bundles = append(c.bundles, ir.Bundle{Tag: tag, First: uint32(first), N: uint32(len(p.scratch.values) - c.base - first)})
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRSquare, "expected ']' at end of operand bundles")
}

// finishCall creates the instruction. The successors are operands between the
// arguments and the callee.
func (p *parser) finishCall(c *callSite, op ir.Op, successors ...ir.Value) ir.Value {
	p.scratch.values = append(append(p.scratch.values, successors...), c.callee)
	ops := p.scratch.values[c.base:]
	p.scratch.values = p.scratch.values[:c.base]
	f := p.fn.f
	v := p.make(op, p.m.TypeInfo(c.t).Elem, ops...)
	in := f.Instr(v)
	in.X, in.Flags = uint32(c.t), c.flags
	f.SetCallConv(v, c.cc)
	if len(c.attrs.attrs) > 0 || c.ret != 0 || len(c.sets) > 0 {
		f.SetCallAttrs(v, p.attrLists(c.attrs.attrs, c.ret, c.sets))
	}
	p.useGroups(f, v, c.attrs.groups)
	f.SetBundles(v, c.bundles)
	return v
}

// invoke parses invoke … to label %a unwind label %b.
func (p *parser) invoke() ir.Value {
	p.scanToken()
	c := callSite{}
	p.callHead(&c)
	p.expectWord(kwTo, "expected 'to' in invoke")
	normal := p.labelRef()
	p.expectWord(kwUnwind, "expected 'unwind' in invoke")
	return p.finishCall(&c, ir.OpInvoke, normal, p.labelRef())
}

// callBr parses callbr … to label %a [label %b, …].
func (p *parser) callBr() ir.Value {
	p.scanToken()
	c := callSite{}
	p.callHead(&c)
	p.expectWord(kwTo, "expected 'to' in callbr")
	ops := []ir.Value{p.labelRef()}
	return p.finishCall(&c, ir.OpCallBr, p.blockList(ops, "expected '[' in callbr")...)
}
