package text

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// funcDef is the header of a function.
type funcDef struct {
	link    linkage
	cc      ir.CallConv
	ret     ir.AttrSet
	result  ir.Type
	sym     symbol
	params  []ir.Type
	sets    []ir.AttrSet // parameter attributes
	args    []result     // argument names
	attrs   attrList
	varArg  bool
	as      uint32
	retFrom int
	retEnd  int
}

// declare parses a declaration. Metadata may precede the type.
func (p *parser) declare() {
	var md []ir.Attachment
	for p.tok == tMDName {
		md = append(md, p.attachment())
	}
	f := p.header(false)
	f.MD = append(f.MD, md...)
}

// define parses a function with its body.
func (p *parser) define() {
	f := p.header(true)
	for p.tok == tMDName {
		f.MD = append(f.MD, p.attachment())
	}
	if p.split {
		p.deferBody(f)
		return
	}
	p.blocks(f)
	p.scanToken()
}

// callConv parses a calling convention.
func (p *parser) callConv() ir.CallConv {
	if p.tok != tWord {
		return ir.CC
	}
	if cc := dict.ccs[p.kw]; cc != 0 {
		p.scanToken()
		return cc - 1
	}
	text := p.text()
	switch {
	case p.kw == kwCC:
		p.scanToken()
		off := p.from
		n := p.uint64()
		if n > uint64(ir.MaxCallConv) {
			failAt(off, p.prevEnd, "calling convention is too large")
		}
		return ir.CallConv(n)
	case p.kw == kwNone && len(text) > 2 && text[0] == 'c' && text[1] == 'c':
		cc, ok := ir.CallConvByName(string(text))
		if !ok {
			p.fail("calling convention is too large")
		}
		p.scanToken()
		return cc
	case string(text) == "riscv_vls_cc":
		return p.vlsConv()
	}
	return ir.CC
}

// vlsConv parses riscv_vls_cc(n).
func (p *parser) vlsConv() ir.CallConv {
	p.scanToken()
	bits := "128"
	if p.tok == tLParen {
		text, _ := p.parens()
		bits = string(text)
	}
	cc, ok := ir.CallConvByName("riscv_vls_cc(" + bits + ")")
	if !ok {
		p.fail("unknown RISC-V ABI VLEN")
	}
	return cc
}

// header parses a function up to its metadata or body.
func (p *parser) header(isDefine bool) *ir.Function {
	d := &p.def
	*d = funcDef{link: p.linkage(), params: d.params[:0], sets: d.sets[:0], args: d.args[:0],
		attrs: attrList{d.attrs.attrs[:0], d.attrs.groups[:0]}}
	d.cc = p.callConv()
	d.ret = p.paramSet(ir.NoType, false)
	d.retFrom = p.from
	d.result = p.typOrVoid("expected type")
	d.retEnd = p.prevEnd
	p.checkHeader(d, isDefine)
	if p.tok != tGlobal && p.tok != tGlobalID {
		p.fail("expected function name")
	}
	d.sym = p.takeSymbol("function", func() uint32 { return p.m.Layout().ProgramAddrSpace })
	p.args(d)
	d.link.unnamed = p.unnamedAddr()
	d.as = p.m.Layout().ProgramAddrSpace
	if p.isWord(kwAddrSpace) {
		d.as = p.addrSpace()
	}
	p.funcAttrs(&d.attrs, false)
	f := p.makeFunction(d)
	p.funcProperties(f)
	return f
}

// checkHeader reports a linkage or a result type that a function cannot have.
func (p *parser) checkHeader(d *funcDef, isDefine bool) {
	l := &d.link
	switch l.link {
	case ir.External:
	case ir.ExternWeak:
		if isDefine {
			failAt(l.off, l.end, "invalid linkage for function definition")
		}
	case ir.Appending, ir.Common:
		failAt(l.off, l.end, "invalid function linkage type")
	default:
		if !isDefine {
			failAt(l.off, l.end, "invalid linkage for function declaration")
		}
	}
	l.checkProperties()
	switch k := p.m.Kind(d.result); {
	case k == ir.KindFunc || k == ir.KindLabel || k == ir.KindMetadata:
		failAt(d.retFrom, d.retEnd, "invalid function return type")
	}
}

// args parses the parameters of a function with their attributes and names.
func (p *parser) args(d *funcDef) {
	p.expect(tLParen, "expected '(' in function argument list")
	next := uint64(0)
	for p.tok != tRParen {
		if p.accept(tDots) {
			d.varArg = true
			break
		}
		off := p.from
		t := p.typ("expected type")
		if !p.isArgument(t) {
			failAt(off, p.prevEnd, "invalid type for function argument")
		}
		d.params = append(d.params, t)
		d.sets = append(d.sets, p.paramSet(p.pointee, true))
		r := result{tok: p.tok, off: p.from, end: p.end}
		switch p.tok {
		case tLocal:
			r.name = p.name()
			p.scanToken()
		case tLocalID:
			if p.num < next {
				p.fail("argument expected to be numbered '%%%d' or greater", next)
			}
			r.num = p.num
			next = r.num + 1
			p.scanToken()
		default:
			r.tok, r.num = tLocalID, next
			next++
		}
		d.args = append(d.args, r)
		if !p.accept(tComma) {
			break
		}
		if p.tok == tRParen {
			p.fail("expected type")
		}
	}
	p.expect(tRParen, "expected ')' at end of argument list")
}

// makeFunction creates the function that a header declares.
func (p *parser) makeFunction(d *funcDef) *ir.Function {
	t := p.m.FuncType(d.result, d.params, d.varArg)
	g := p.defineGlobal(d.sym, ir.GlobalFunc, t, d.as)
	f := g.Func
	d.link.applyTo(g)
	f.CC = d.cc
	f.Attributes = p.attrLists(d.attrs.attrs, d.ret, d.sets)
	p.useGroups(f, ir.None, d.attrs.groups)
	return f
}

// attrLists returns the attribute list of a function or call, its result and
// its parameters.
func (p *parser) attrLists(attrs []ir.Attr, ret ir.AttrSet, params []ir.AttrSet) ir.AttrList {
	sets := append(p.scratch.sets[:0], p.m.AttrSet(attrs), ret)
	sets = append(sets, params...)
	p.scratch.sets = sets[:0]
	return p.m.AttrList(sets)
}

// funcProperties parses the properties that follow the attributes of a
// function.
func (p *parser) funcProperties(f *ir.Function) {
	if p.acceptWord(kwSection) {
		f.Section = string(p.str())
	}
	if p.acceptWord(kwPartition) {
		f.Partition = string(p.str())
	}
	if p.isWord(kwComdat) {
		p.comdatRef(f.Global)
	}
	if p.acceptWord(kwAlign) {
		parens := p.accept(tLParen)
		f.Global.Align = uint32(min(p.alignValue(), 1<<31))
		if parens {
			p.expect(tRParen, "expected ')'")
		}
	}
	if p.acceptWord(kwGC) {
		f.GC = string(p.str())
	}
	if p.acceptWord(kwPrefix) {
		f.Prefix = p.typedConstant()
	}
	if p.acceptWord(kwPrologue) {
		f.Prologue = p.typedConstant()
	}
	if p.acceptWord(kwPersonality) {
		f.Personality = p.typedConstant()
	}
}

// blocks parses the body of a function including the closing brace.
func (p *parser) blocks(f *ir.Function) {
	p.fn.begin(f)
	f.Borrow(&p.fn.scratch)
	p.bindArgs(p.def.args)
	p.expect(tLBrace, "expected '{' in function body")
	if p.tok == tRBrace || p.isWord(kwUseListOrder) {
		p.fail("function body requires at least one basic block")
	}
	for p.tok != tRBrace && !p.isWord(kwUseListOrder) && !p.isWord(kwUseListOrderBB) {
		p.blockBody()
	}
	for p.tok != tRBrace {
		p.useListOrder()
	}
	p.checkForward()
	p.fn.leave()
}

// bindArgs sets the names of the arguments.
func (p *parser) bindArgs(args []result) {
	fn := &p.fn
	for i, a := range args {
		v := fn.f.Arg(i)
		if a.tok == tLocalID {
			fn.setID(a.num, v)
			fn.nextID = a.num + 1
			continue
		}
		s := fn.names.findOrCreate(a.name)
		if s.v != ir.None {
			failAt(a.off, a.end, "redefinition of argument '%%%s'", a.name)
		}
		s.v = v
		fn.f.SetName(v, a.name)
	}
}

// blockBody parses a block.
func (p *parser) blockBody() {
	p.blockLabel()
	for {
		for p.tok == tHash {
			p.record()
		}
		v := p.instruction()
		if p.fn.f.Op(v).IsTerminator() {
			return
		}
	}
}

// blockLabel parses the optional label of a block and starts the block.
func (p *parser) blockLabel() {
	fn := &p.fn
	if p.tok == tLabel && !p.isNumberLabel() {
		name := p.name()
		s := fn.names.findOrCreate(name)
		switch {
		case s.v == ir.None:
			s.v = fn.f.DetachedBlock().Value()
		case !s.v.IsBlock() || !fn.isForward(s.v):
			p.fail("unable to create block named '%s'", name)
		}
		fn.f.SetName(s.v, name)
		p.startBlock(s.v)
		p.scanToken()
		return
	}
	n := fn.nextID
	if p.tok == tLabel {
		n = p.labelNumber()
		p.checkLabel(n)
	}
	v := fn.idValue(n)
	switch {
	case v == ir.None:
		v = fn.f.DetachedBlock().Value()
	case !v.IsBlock() || !fn.isForward(v):
		p.fail("unable to create block numbered '%d'", n)
	}
	fn.setID(n, v)
	fn.nextID = n + 1
	p.startBlock(v)
	if p.tok == tLabel {
		p.scanToken()
	}
}

func (p *parser) checkLabel(n uint64) {
	if n < p.fn.nextID {
		p.fail("label expected to be numbered '%d' or greater", p.fn.nextID)
	}
}

func (p *parser) startBlock(v ir.Value) {
	p.fn.block = v.Block()
	p.places.value(p.fn.f, v, p.from)
	p.fn.f.PlaceBlock(p.fn.block)
}

// isNumberLabel reports whether the current token is a label that consists of a
// number without quotes.
func (p *parser) isNumberLabel() bool {
	return p.src[p.from] != '"' && p.end-p.start <= 10 && !slices.ContainsFunc(p.text(), func(c byte) bool { return class[c]&cDigit == 0 })
}

func (p *parser) labelNumber() (n uint64) {
	for _, c := range p.text() {
		n = n*10 + uint64(c-'0')
	}
	return n
}

// make appends the current instruction to the block. If the value was used
// before its definition, the instruction becomes the reserved value.
func (p *parser) make(op ir.Op, t ir.Type, ops ...ir.Value) ir.Value {
	fn := &p.fn
	v := fn.reserved
	if v == ir.None {
		v = fn.f.NewInstr(op, t, ops...)
	} else {
		if have := fn.f.TypeOf(v); have != t {
			failAt(fn.at, p.prevEnd, "instruction forward referenced with type '%s'", p.typeString(have))
		}
		fn.f.Fill(v, op, ops...)
		fn.reserved = ir.None
	}
	fn.f.Append(fn.block, v)
	for _, r := range fn.records {
		fn.f.AttachRecord(r, v)
	}
	fn.records = fn.records[:0]
	return v
}

// instruction parses one instruction with its name and metadata.
func (p *parser) instruction() ir.Value {
	p.fn.at = p.from
	r := p.takeResult()
	if p.tok != tWord {
		p.fail("expected instruction opcode")
	}
	handler := instrTable[dict.ops[p.kw]]
	if handler == nil {
		if handler = tailHandler(p.kw); handler == nil {
			p.fail("expected instruction opcode")
		}
	}
	uses := len(p.globals.groupUses)
	made := handler(p)
	v := p.named(made, r)
	if v != made {
		for i := range p.globals.groupUses[uses:] {
			p.globals.groupUses[uses+i].v = v
		}
	}
	p.places.value(p.fn.f, v, p.fn.at)
	if p.tok == tMDName || p.tok == tComma {
		p.instrMetadata(p.fn.f, v)
	}
	return v
}
