package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// isExprWord reports whether the current token begins a constant expression.
func (p *parser) isExprWord() bool {
	if p.tok != tWord {
		return false
	}
	op := dict.ops[p.kw]
	return op.IsCast() || op.IsBinary() || op == ir.OpGetElementPtr
}

// constExpr parses a constant expression.
func (p *parser) constExpr() ir.Value {
	op := ir.OpNone
	if p.tok == tWord {
		op = dict.ops[p.kw]
	}
	p.enter()
	var v ir.Value
	switch {
	case op.IsCast():
		v = p.castExpr(op)
	case op == ir.OpGetElementPtr:
		v = p.gepExpr()
	case op.IsBinary() || op == ir.OpFNeg:
		v = p.binaryExpr(op)
	case op == ir.OpICmp || op == ir.OpFCmp:
		v = p.compareExpr(op)
	case op == ir.OpSelect || op == ir.OpExtractElement || op == ir.OpInsertElement || op == ir.OpShuffleVector:
		v = p.vectorExpr(op)
	case op == ir.OpExtractValue || op == ir.OpInsertValue:
		v = p.aggregateExpr(op)
	default:
		p.fail("expected value token")
	}
	p.depth--
	if k := p.m.ConstKindOf(v); k == ir.ConstData || k == ir.ConstAggregate {
		p.useWords(p.m.TypeOfConst(v))
	}
	return v
}

// castExpr parses op (T c to T).
func (p *parser) castExpr(op ir.Op) ir.Value {
	p.scanToken()
	flags := p.flags(op)
	p.expect(tLParen, "expected '(' after constantexpr cast")
	off := p.from
	v := p.typedConstant()
	p.expectWord(kwTo, "expected 'to' in constantexpr cast")
	t := p.typ("expected type")
	p.expect(tRParen, "expected ')' at end of constantexpr cast")
	p.checkCast(op, p.m.TypeOfConst(v), t, off)
	return p.m.CastFlags(op, v, t, flags)
}

// checkCast reports an invalid conversion.
func (p *parser) checkCast(op ir.Op, from, to ir.Type, off int) {
	if !ir.CastIsValid(p.m, op, from, to) {
		failAt(off, p.prevEnd, "invalid cast opcode for cast from '%s' to '%s'", p.typeString(from), p.typeString(to))
	}
}

// constList parses (T c, T c, …). The constants are p.scratch.values from base
// on.
func (p *parser) constList(message string) []ir.Value {
	p.expect(tLParen, message)
	var list []ir.Value
	if p.tok != tRParen {
		for {
			p.acceptWord(kwInRange) // LLVM 18 and earlier: only restricts optimizations
			list = append(list, p.typedConstant())
			if !p.accept(tComma) {
				break
			}
		}
	}
	p.expect(tRParen, "expected ')' in constantexpr")
	return list
}

// gepExpr parses getelementptr flags inrange(a, b) (T, ptr c, …).
func (p *parser) gepExpr() ir.Value {
	p.scanToken()
	flags := p.gepFlags()
	from, to := ir.None, ir.None
	if p.acceptWord(kwInRange) {
		from, to = p.inRange()
	}
	if more := p.gepFlags(); more != 0 {
		flags |= more
	}
	p.expect(tLParen, "expected '(' in constantexpr")
	off := p.from
	source := p.typ("expected type")
	p.expect(tComma, "expected comma after getelementptr's type")
	var list []ir.Value
	for {
		p.acceptWord(kwInRange)
		list = append(list, p.typedConstant())
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRParen, "expected ')' in constantexpr")
	p.checkGEP(source, list, off, p.m.TypeOfConst)
	if from != ir.None {
		return p.m.NewGEPInRange(source, flags, from, to, list...)
	}
	return p.m.GEP(source, flags, list...)
}

// inRange parses (a, b) after inrange.
func (p *parser) inRange() (from, to ir.Value) {
	p.expect(tLParen, "expected '('")
	from = p.intConst(ir.I64)
	p.expect(tComma, "expected ','")
	to = p.intConst(ir.I64)
	p.expect(tRParen, "expected ')'")
	return from, to
}

// checkGEP reports a getelementptr whose indices do not match its type.
func (p *parser) checkGEP(source ir.Type, ops []ir.Value, off int, typeOf func(ir.Value) ir.Type) {
	fail := func(message string) { failAt(off, p.prevEnd, "%s", message) }
	if !p.m.IsPtrOrPtrVector(typeOf(ops[0])) {
		fail("base of getelementptr must be a pointer")
	}
	if len(ops) > 1 && !p.m.IsSized(source) {
		fail("base element of getelementptr must be sized")
	}
	lanes := uint64(0)
	for i, o := range ops {
		t := typeOf(o)
		if i > 0 && !p.m.IsIntOrIntVector(t) {
			fail("getelementptr index must be an integer")
		}
		if info := p.m.TypeInfo(t); info.Kind == ir.KindVector {
			if lanes != 0 && info.N != lanes {
				fail("getelementptr vector index has a wrong number of elements")
			}
			lanes = info.N
		}
	}
	t := source
	for _, o := range ops[min(2, len(ops)):] {
		if t = p.indexedType(t, o); t == ir.NoType {
			fail("invalid getelementptr indices")
		}
	}
}

// indexedType returns the element type that a getelementptr index selects in an
// aggregate.
func (p *parser) indexedType(t ir.Type, index ir.Value) ir.Type {
	if p.m.Kind(t) != ir.KindStruct {
		return p.m.ElementType(t, 0)
	}
	if !index.IsConst() {
		return ir.NoType
	}
	if s := p.m.SplatValue(index); s != ir.None {
		index = s
	}
	n, ok := p.m.IntValue(index)
	if !ok || p.m.TypeOfConst(index) != ir.I32 {
		return ir.NoType
	}
	return p.m.ElementType(t, n)
}

// binaryExpr parses op flags (T c, T c).
func (p *parser) binaryExpr(op ir.Op) ir.Value {
	p.scanToken()
	flags := p.flags(op)
	off := p.from
	list := p.constList("expected '(' in binary constantexpr")
	want := 2
	if op == ir.OpFNeg {
		want = 1
	}
	switch {
	case len(list) != want:
		failAt(off, p.prevEnd, "expected %d operands in constantexpr", want)
	case want == 2 && p.m.TypeOfConst(list[0]) != p.m.TypeOfConst(list[1]):
		failAt(off, p.prevEnd, "operands of constexpr must have same type")
	}
	p.checkArithmetic(op, p.m.TypeOfConst(list[0]), off)
	if want == 1 {
		return p.m.NewExpr(op, p.m.TypeOfConst(list[0]), flags, list...)
	}
	return p.m.Binary(op, list[0], list[1], flags)
}

// checkArithmetic reports an operation that is not defined for type t.
func (p *parser) checkArithmetic(op ir.Op, t ir.Type, off int) {
	ok := p.m.IsIntOrIntVector(t)
	if op.IsFloatOp() {
		ok = p.m.IsFloatOrFloatVector(t)
	}
	if !ok {
		failAt(off, p.prevEnd, "invalid operand type for instruction")
	}
}

// compareExpr parses icmp pred (T c, T c), which LLVM supported up to version
// 18.
func (p *parser) compareExpr(op ir.Op) ir.Value {
	p.scanToken()
	pred := p.predicate(op)
	off := p.from
	list := p.constList("expected '(' in compare constantexpr")
	if len(list) != 2 || p.m.TypeOfConst(list[0]) != p.m.TypeOfConst(list[1]) {
		failAt(off, p.prevEnd, "compare operands must have the same type")
	}
	t := p.m.WithScalar(p.m.TypeOfConst(list[0]), ir.I1)
	return p.m.Compare(pred, t, list[0], list[1])
}

// vectorExpr parses select, extractelement, insertelement or shufflevector of
// constants.
func (p *parser) vectorExpr(op ir.Op) ir.Value {
	p.scanToken()
	off := p.from
	list := p.constList("expected '(' in constantexpr")
	want := 3
	if op == ir.OpExtractElement {
		want = 2
	}
	if len(list) != want {
		failAt(off, p.prevEnd, "expected %d operands in constantexpr", want)
	}
	types := [3]ir.Type{}
	for i, v := range list {
		types[i] = p.m.TypeOfConst(v)
	}
	switch op {
	case ir.OpSelect:
		if types[1] != types[2] || p.m.Scalar(types[0]) != ir.I1 {
			failAt(off, p.prevEnd, "invalid operands of select")
		}
		return p.m.SelectConst(list[0], list[1], list[2])
	case ir.OpExtractElement:
		if !p.m.IsVector(types[0]) || !p.m.IsInt(types[1]) {
			failAt(off, p.prevEnd, "invalid extractelement operands")
		}
		return p.m.ExtractElementConst(list[0], list[1])
	case ir.OpInsertElement:
		if !p.m.IsVector(types[0]) || p.m.Scalar(types[0]) != types[1] || !p.m.IsInt(types[2]) {
			failAt(off, p.prevEnd, "invalid insertelement operands")
		}
		return p.m.InsertElementConst(list[0], list[1], list[2])
	}
	if !p.m.IsVector(types[0]) || types[0] != types[1] || p.m.Scalar(types[2]) != ir.I32 {
		failAt(off, p.prevEnd, "invalid operands to shufflevector")
	}
	return p.m.ShuffleConst(list[0], list[1], p.mask(list[2], types[0], off), list[2])
}

// mask returns the mask of a shufflevector from its constant vector.
func (p *parser) mask(v ir.Value, t ir.Type, off int) []uint32 {
	n, limit := p.m.NumElements(p.m.TypeOfConst(v)), 2*p.m.NumElements(t)
	if n > maxSplat {
		failAt(off, p.prevEnd, "vector is too long")
	}
	p.useWords(p.m.TypeOfConst(v))
	p.scratch.words = p.scratch.words[:0]
	for i := range n {
		e := p.m.Element(v, i)
		x, ok := uint64(ir.PoisonElement), true
		if k := p.m.ConstKindOf(e); k != ir.ConstUndef && k != ir.ConstPoison {
			x, ok = p.m.IntValue(e)
			ok = ok && x < limit
		}
		if !ok {
			failAt(off, p.prevEnd, "invalid shufflevector operands")
		}
		p.scratch.words = append(p.scratch.words, uint32(x))
	}
	return p.scratch.words
}

// aggregateExpr parses extractvalue (T c, 1) or insertvalue (T c, T c, 1),
// which LLVM supported up to version 14.
func (p *parser) aggregateExpr(op ir.Op) ir.Value {
	p.scanToken()
	p.expect(tLParen, "expected '(' in constantexpr")
	off := p.from
	agg := p.typedConstant()
	elem := ir.None
	if op == ir.OpInsertValue {
		p.expect(tComma, "expected comma in insertvalue constantexpr")
		elem = p.typedConstant()
	}
	var path []uint32
	for p.accept(tComma) {
		path = append(path, p.uint32())
	}
	p.expect(tRParen, "expected ')' in constantexpr")
	var v ir.Value
	if op == ir.OpExtractValue {
		v = p.m.ExtractConst(agg, path)
	} else {
		v = p.m.InsertConst(agg, elem, path)
	}
	if len(path) == 0 || v == ir.None {
		failAt(off, p.prevEnd, "invalid indices of %s", op)
	}
	return v
}

// blockAddress parses blockaddress(@f, %block).
func (p *parser) blockAddress() ir.Value {
	p.scanToken()
	p.expect(tLParen, "expected '(' in block address expression")
	if p.tok != tGlobal && p.tok != tGlobalID {
		p.fail("expected function name in blockaddress")
	}
	ref := p.globalEntry(p.m.Layout().ProgramAddrSpace)
	p.scanToken()
	p.expect(tComma, "expected comma in block address expression")
	if p.tok != tLocal && p.tok != tLocalID {
		p.fail("expected basic block name in blockaddress")
	}
	a := blockAddr{ref: ref, off: p.from, end: p.end, numbered: p.tok == tLocalID, num: p.num}
	if !a.numbered {
		a.name = p.name()
	}
	v := p.blockAddrValue(&a)
	p.expect(tRParen, "expected ')' in block address expression")
	return v
}

// blockAddr is a blockaddress that is resolved at the end of the input.
type blockAddr struct {
	ref      *globalRef
	v        ir.Value
	numbered bool
	num      uint64
	name     []byte
	off, end int
}

// addrKey identifies the target of a blockaddress.
type addrKey struct {
	ref  *globalRef
	name string // as written
}

// blockAddrValue parses the block and returns the constant of a blockaddress.
// The constant is final if the function has been parsed or is the current one,
// unless an earlier blockaddress for the same block created a placeholder.
func (p *parser) blockAddrValue(a *blockAddr) ir.Value {
	key := addrKey{a.ref, string(p.text())}
	if v, ok := p.md.addrs[key]; ok {
		if p.fn.f != nil && a.ref.g == p.fn.f.Global {
			p.local(ir.Label)
		} else {
			p.scanToken()
		}
		return v
	}
	if p.fn.f != nil && a.ref.g == p.fn.f.Global {
		return p.m.NewBlockAddress(a.ref.v, p.local(ir.Label).Block())
	}
	p.miss()
	if g := a.ref.g; g != nil && g.Func != nil && g.Func.Entry() != 0 {
		if b := findBlock(g.Func, a); b != 0 {
			p.scanToken()
			return p.m.NewBlockAddress(a.ref.v, b)
		}
	}
	a.v = p.m.NewPlaceholder(p.m.TypeOfConst(a.ref.v))
	if p.md.addrs == nil {
		p.md.addrs = map[addrKey]ir.Value{}
	}
	p.md.addrs[key] = a.v
	p.md.blockAddrs = append(p.md.blockAddrs, *a)
	p.scanToken()
	return a.v
}
