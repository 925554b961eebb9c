package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// instrTable maps operations to the parsers of instructions. The current token
// is the operation's keyword.
var instrTable [ir.NumOps]func(p *parser) ir.Value

// buildInstrTable fills instrTable, which cannot be a literal because its
// functions refer to it.
func buildInstrTable() {
	for op := ir.OpRet; op <= ir.OpFreeze; op++ {
		switch {
		case op.IsBinary():
			instrTable[op] = (*parser).binary
		case op.IsCast():
			instrTable[op] = (*parser).cast
		}
	}
	for op, f := range map[ir.Op]func(p *parser) ir.Value{
		ir.OpRet: (*parser).ret, ir.OpBr: (*parser).br, ir.OpSwitch: (*parser).switch_, ir.OpIndirectBr: (*parser).indirectBr,
		ir.OpInvoke: (*parser).invoke, ir.OpResume: (*parser).resume, ir.OpUnreachable: (*parser).unreachable,
		ir.OpCleanupRet: (*parser).cleanupRet, ir.OpCatchRet: (*parser).catchRet, ir.OpCatchSwitch: (*parser).catchSwitch,
		ir.OpCallBr: (*parser).callBr, ir.OpFNeg: (*parser).fneg,
		ir.OpAlloca: (*parser).alloca, ir.OpLoad: (*parser).load, ir.OpStore: (*parser).store,
		ir.OpGetElementPtr: (*parser).gep, ir.OpFence: (*parser).fence, ir.OpCmpXchg: (*parser).cmpXchg,
		ir.OpAtomicRMW:  (*parser).atomicRMW,
		ir.OpCleanupPad: (*parser).funcletPad, ir.OpCatchPad: (*parser).funcletPad,
		ir.OpICmp: (*parser).compare, ir.OpFCmp: (*parser).compare, ir.OpPhi: (*parser).phi, ir.OpCall: (*parser).call,
		ir.OpSelect: (*parser).select_, ir.OpVAArg: (*parser).vaArg, ir.OpExtractElement: (*parser).extractElement,
		ir.OpInsertElement: (*parser).insertElement, ir.OpShuffleVector: (*parser).shuffle,
		ir.OpExtractValue: (*parser).extractValue, ir.OpInsertValue: (*parser).insertValue,
		ir.OpLandingPad: (*parser).landingPad, ir.OpFreeze: (*parser).freeze,
	} {
		instrTable[op] = f
	}
}

// tailHandler returns the parser of an instruction that begins with tail,
// musttail or notail.
func tailHandler(k keyword) func(p *parser) ir.Value {
	switch k {
	case kwTail, kwMustTail, kwNoTail:
		return (*parser).call
	}
	return nil
}

// op parses the keyword of an operation.
func (p *parser) op() ir.Op {
	op := dict.ops[p.kw]
	p.scanToken()
	return op
}

// comma parses a comma between operands.
func (p *parser) comma() { p.expect(tComma, "expected ',' here") }

// fast parses fast-math flags.
func (p *parser) fast() (f ir.Flags) {
	for p.tok == tWord && p.kw >= kwFast && p.kw <= kwAFn {
		if p.kw == kwFast {
			f |= ir.FastMath
		} else {
			f |= ir.Reassoc << (p.kw - kwReassoc)
		}
		p.scanToken()
	}
	return f
}

// flags parses the flags that an operation allows.
func (p *parser) flags(op ir.Op) (f ir.Flags) {
	for p.tok == tWord {
		bit := ir.Flags(0)
		switch p.kw {
		case kwNUW, kwNSW:
			if op.HasWrapFlags() {
				bit = ir.NUW << (p.kw - kwNUW)
			}
		case kwExact:
			if op.HasExact() {
				bit = ir.Exact
			}
		case kwDisjoint:
			if op == ir.OpOr {
				bit = ir.Disjoint
			}
		case kwNNeg:
			if op == ir.OpZExt || op == ir.OpUIToFP {
				bit = ir.NNeg
			}
		default:
			if op.HasFastFlags() {
				if fast := p.fast(); fast != 0 {
					f |= fast
					continue
				}
			}
		}
		if bit == 0 || f&bit != 0 {
			return f
		}
		f |= bit
		p.scanToken()
	}
	return f
}

// binary parses op T a, b.
func (p *parser) binary() ir.Value {
	op := p.op()
	flags := p.flags(op)
	off := p.from
	a, t := p.typedValue()
	p.comma()
	b := p.value(t)
	if t != ir.I32 && t != ir.Float && t != ir.I64 {
		p.checkArithmetic(op, t, off)
	} else if op.IsFloatOp() != (t == ir.Float) {
		failAt(off, p.prevEnd, "invalid operand type for instruction")
	}
	v := p.make(op, t, a, b)
	p.fn.f.Instr(v).Flags = flags
	return v
}

// fneg parses fneg T a.
func (p *parser) fneg() ir.Value {
	op := p.op()
	flags := p.flags(op)
	off := p.from
	a, t := p.typedValue()
	p.checkArithmetic(op, t, off)
	v := p.make(op, t, a)
	p.fn.f.Instr(v).Flags = flags
	return v
}

// freeze parses freeze T a.
func (p *parser) freeze() ir.Value {
	p.scanToken()
	a, t := p.typedValue()
	return p.make(ir.OpFreeze, t, a)
}

// cast parses op T a to T.
func (p *parser) cast() ir.Value {
	op := p.op()
	flags := p.flags(op)
	off := p.from
	a, from := p.typedValue()
	p.expectWord(kwTo, "expected 'to' after cast value")
	t := p.typ("expected type")
	p.checkCast(op, from, t, off)
	v := p.make(op, t, a)
	p.fn.f.Instr(v).Flags = flags
	return v
}

// predicate parses the predicate of a comparison.
func (p *parser) predicate(op ir.Op) ir.Pred {
	table := dict.preds[0]
	what := "expected fcmp predicate (e.g. 'oeq')"
	if op == ir.OpICmp {
		table, what = dict.preds[1], "expected icmp predicate (e.g. 'eq')"
	}
	if p.tok != tWord || table[p.kw] == 0 {
		p.fail("%s", what)
	}
	pred := ir.Pred(table[p.kw] - 1)
	p.scanToken()
	return pred
}

// compare parses icmp pred T a, b and fcmp.
func (p *parser) compare() ir.Value {
	op := p.op()
	flags := p.fast()
	if p.acceptWord(kwSameSign) {
		flags |= ir.SameSign
	}
	pred := p.predicate(op)
	off := p.from
	a, t := p.typedValue()
	p.comma()
	b := p.value(t)
	switch {
	case op == ir.OpFCmp && !p.m.IsFloatOrFloatVector(t):
		failAt(off, p.prevEnd, "fcmp requires floating point operands")
	case op == ir.OpICmp && !p.m.IsIntOrIntVector(t) && !p.m.IsPtrOrPtrVector(t):
		failAt(off, p.prevEnd, "icmp requires integer operands")
	case op == ir.OpICmp && flags&ir.FastMath != 0:
		failAt(off, p.prevEnd, "icmp has no fast-math flags")
	}
	result := ir.I1
	if p.m.IsVector(t) {
		result = p.m.WithScalar(t, ir.I1)
	}
	v := p.make(op, result, a, b)
	in := p.fn.f.Instr(v)
	in.Sub, in.Flags = uint8(pred), flags
	return v
}

// checkFast reports fast-math flags on an instruction whose type is not
// floating-point.
func (p *parser) checkFast(flags ir.Flags, t ir.Type, what string, off int) {
	if flags != 0 && !p.m.IsFPMathType(t) {
		failAt(off, p.prevEnd, "fast-math-flags specified for %s without floating-point scalar or vector return type", what)
	}
}

// select_ parses select T c, T a, T b.
func (p *parser) select_() ir.Value {
	off := p.from
	p.scanToken()
	flags := p.fast()
	cond, ct := p.typedValue()
	p.comma()
	a, t := p.typedValue()
	p.comma()
	b, bt := p.typedValue()
	switch {
	case t != bt:
		failAt(off, p.prevEnd, "both values to select must have same type")
	case ct != ir.I1 && p.m.Scalar(ct) != ir.I1:
		failAt(off, p.prevEnd, "select condition must be i1 or <n x i1>")
	case p.m.IsVector(ct) && (!p.m.IsVector(t) || p.m.NumElements(t) != p.m.NumElements(ct)):
		failAt(off, p.prevEnd, "vector select requires selected vectors to have the same vector length as select condition")
	case t == ir.Token:
		failAt(off, p.prevEnd, "select values cannot have token type")
	}
	p.checkFast(flags, t, "select", off)
	v := p.make(ir.OpSelect, t, cond, a, b)
	p.fn.f.Instr(v).Flags = flags
	return v
}

// phi parses phi T [a, %b], ….
func (p *parser) phi() ir.Value {
	off := p.from
	p.scanToken()
	flags := p.fast()
	t := p.typ("expected type")
	if !p.m.IsFirstClass(t) {
		failAt(off, p.prevEnd, "phi node must have first class type")
	}
	p.checkFast(flags, t, "phi", off)
	base := len(p.scratch.values)
	for {
		p.expect(tLSquare, "expected '[' in phi value list")
		a := p.value(t)
		p.expect(tComma, "expected ',' after value of phi")
		b := p.blockRef()
		p.expect(tRSquare, "expected ']' in phi value list")
		p.scratch.values = append(p.scratch.values, a, b.Value())
		if p.tok != tComma {
			break
		}
		if p.scanToken(); p.tok == tMDName {
			break
		}
	}
	ops := p.scratch.values[base:]
	p.scratch.values = p.scratch.values[:base]
	v := p.make(ir.OpPhi, t, ops...)
	p.fn.f.Instr(v).Flags = flags
	return v
}

// vaArg parses va_arg T list, T.
func (p *parser) vaArg() ir.Value {
	p.scanToken()
	a, _ := p.typedValue()
	p.expect(tComma, "expected ',' after vaarg operand")
	off := p.from
	t := p.typ("expected type")
	if !p.m.IsFirstClass(t) {
		failAt(off, p.prevEnd, "va_arg requires operand with first class type")
	}
	return p.make(ir.OpVAArg, t, a)
}

// extractElement parses extractelement T a, T i.
func (p *parser) extractElement() ir.Value {
	off := p.from
	p.scanToken()
	a, t := p.typedValue()
	p.expect(tComma, "expected ',' after extract value")
	i, it := p.typedValue()
	if !p.m.IsVector(t) || !p.m.IsInt(it) {
		failAt(off, p.prevEnd, "invalid extractelement operands")
	}
	return p.make(ir.OpExtractElement, p.m.Scalar(t), a, i)
}

// insertElement parses insertelement T a, T e, T i.
func (p *parser) insertElement() ir.Value {
	off := p.from
	p.scanToken()
	a, t := p.typedValue()
	p.expect(tComma, "expected ',' after insertelement value")
	e, et := p.typedValue()
	p.expect(tComma, "expected ',' after insertelement value")
	i, it := p.typedValue()
	if !p.m.IsVector(t) || p.m.Scalar(t) != et || !p.m.IsInt(it) {
		failAt(off, p.prevEnd, "invalid insertelement operands")
	}
	return p.make(ir.OpInsertElement, t, a, e, i)
}

// shuffle parses shufflevector T a, T b, T mask.
func (p *parser) shuffle() ir.Value {
	off := p.from
	p.scanToken()
	a, t := p.typedValue()
	p.expect(tComma, "expected ',' after shuffle mask")
	b, bt := p.typedValue()
	p.expect(tComma, "expected ',' after shuffle value")
	mask := p.typedConstant()
	if mt := p.m.TypeOfConst(mask); !p.m.IsVector(t) || t != bt || !p.m.IsVector(mt) || p.m.Scalar(mt) != ir.I32 {
		failAt(off, p.prevEnd, "invalid shufflevector operands")
	}
	indices := p.mask(mask, t, off)
	v := p.make(ir.OpShuffleVector, p.m.VectorType(p.m.Scalar(t), uint64(len(indices))), a, b)
	p.fn.f.SetIndices(v, indices)
	return v
}

// indices parses , n, n … of extractvalue and insertvalue.
func (p *parser) indices() []uint32 {
	p.scratch.words = p.scratch.words[:0]
	if p.tok != tComma {
		p.fail("expected ',' as start of index list")
	}
	for p.accept(tComma) {
		if p.tok == tMDName {
			break
		}
		p.scratch.words = append(p.scratch.words, p.uint32())
	}
	return p.scratch.words
}

// pathType returns the type of the element at the given indices.
func (p *parser) pathType(t ir.Type, path []uint32, off int, what string) ir.Type {
	for _, i := range path {
		if !p.m.IsAggregate(t) {
			failAt(off, p.prevEnd, "invalid indices for %s", what)
		}
		if n := p.m.NumElements(t); uint64(i) >= n {
			failAt(off, p.prevEnd, "invalid indices for %s", what)
		}
		t = p.m.ElementType(t, uint64(i))
	}
	return t
}

// extractValue parses extractvalue T a, n ….
func (p *parser) extractValue() ir.Value {
	p.scanToken()
	off := p.from
	a, t := p.typedValue()
	if !p.m.IsAggregate(t) {
		failAt(off, p.prevEnd, "extractvalue operand must be aggregate type")
	}
	path := p.indices()
	v := p.make(ir.OpExtractValue, p.pathType(t, path, off, "extractvalue"), a)
	p.fn.f.SetIndices(v, path)
	return v
}

// insertValue parses insertvalue T a, T e, n ….
func (p *parser) insertValue() ir.Value {
	p.scanToken()
	off := p.from
	a, t := p.typedValue()
	if !p.m.IsAggregate(t) {
		failAt(off, p.prevEnd, "insertvalue operand must be aggregate type")
	}
	p.expect(tComma, "expected comma after insertvalue operand")
	at := p.from
	e, et := p.typedValue()
	path := p.indices()
	if want := p.pathType(t, path, off, "insertvalue"); want != et {
		failAt(at, p.prevEnd, "insertvalue operand and field disagree in type: '%s' instead of '%s'", p.typeString(et), p.typeString(want))
	}
	v := p.make(ir.OpInsertValue, t, a, e)
	p.fn.f.SetIndices(v, path)
	return v
}
