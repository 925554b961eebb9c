package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// ret parses ret void or ret T v.
func (p *parser) ret() ir.Value {
	off := p.from
	p.scanToken()
	t := p.typOrVoid("expected type")
	want := p.fn.f.ReturnType()
	if t == ir.Void {
		if want != ir.Void {
			failAt(off, p.prevEnd, "value doesn't match function result type '%s'", p.typeString(want))
		}
		return p.make(ir.OpRet, ir.Void)
	}
	v := p.value(t)
	if t != want {
		failAt(off, p.prevEnd, "value doesn't match function result type '%s'", p.typeString(want))
	}
	return p.make(ir.OpRet, ir.Void, v)
}

// br parses br label %b or br i1 c, label %b, label %c.
func (p *parser) br() ir.Value {
	p.scanToken()
	off := p.from
	t := p.typ("expected type")
	if t == ir.Label {
		return p.make(ir.OpBr, ir.Void, p.blockRef().Value())
	}
	cond := p.value(t)
	if t != ir.I1 {
		failAt(off, p.prevEnd, "branch condition must have 'i1' type")
	}
	p.expect(tComma, "expected ',' after branch condition")
	yes := p.labelRef()
	p.expect(tComma, "expected ',' after true destination")
	return p.make(ir.OpBr, ir.Void, cond, yes, p.labelRef())
}

// switch_ parses switch T v, label %d [ T c, label %b … ].
func (p *parser) switch_() ir.Value {
	p.scanToken()
	off := p.from
	cond, t := p.typedValue()
	p.expect(tComma, "expected ',' after switch condition")
	def := p.labelRef()
	p.expect(tLSquare, "expected '[' with switch table")
	if !p.m.IsInt(t) {
		failAt(off, p.prevEnd, "switch condition must have integer type")
	}
	base := len(p.scratch.values)
	p.scratch.values = append(p.scratch.values, cond, def)
	seen := map[ir.Value]bool{}
	for p.tok != tRSquare {
		at := p.from
		ct := p.typ("expected type")
		c := p.value(ct)
		p.expect(tComma, "expected ',' after case value")
		dest := p.labelRef()
		switch {
		case p.m.ConstKindOf(c) != ir.ConstInt && p.m.ConstKindOf(c) != ir.ConstWide:
			failAt(at, p.prevEnd, "case value is not a constant integer")
		case ct != t:
			failAt(at, p.prevEnd, "case value must have the type of the condition")
		case seen[c]:
			failAt(at, p.prevEnd, "duplicate case value in switch")
		}
		seen[c] = true
		p.scratch.values = append(p.scratch.values, c, dest)
	}
	p.scanToken()
	ops := p.scratch.values[base:]
	p.scratch.values = p.scratch.values[:base]
	return p.make(ir.OpSwitch, ir.Void, ops...)
}

// blockList parses [ label %b, … ].
func (p *parser) blockList(ops []ir.Value, message string) []ir.Value {
	p.expect(tLSquare, message)
	if p.tok != tRSquare {
		for {
			ops = append(ops, p.labelRef())
			if !p.accept(tComma) {
				break
			}
		}
	}
	p.expect(tRSquare, "expected ']' at end of block list")
	return ops
}

// indirectBr parses indirectbr T a, [ label %b … ].
func (p *parser) indirectBr() ir.Value {
	p.scanToken()
	off := p.from
	a, t := p.typedValue()
	p.expect(tComma, "expected ',' after indirectbr address")
	if p.m.Kind(t) != ir.KindPtr {
		failAt(off, p.prevEnd, "indirectbr address must have pointer type")
	}
	return p.make(ir.OpIndirectBr, ir.Void, p.blockList([]ir.Value{a}, "expected '[' with indirectbr")...)
}

// resume parses resume T v.
func (p *parser) resume() ir.Value {
	p.scanToken()
	v, _ := p.typedValue()
	return p.make(ir.OpResume, ir.Void, v)
}

func (p *parser) unreachable() ir.Value {
	p.scanToken()
	return p.make(ir.OpUnreachable, ir.Void)
}

// pad parses the token of another pad, or none.
func (p *parser) pad() ir.Value {
	if p.tok != tLocal && p.tok != tLocalID && !p.isWord(kwNone_) {
		p.fail("expected scope value for catchswitch or pad")
	}
	return p.value(ir.Token)
}

// cleanupRet parses cleanupret from %pad unwind label %b or unwind to caller.
func (p *parser) cleanupRet() ir.Value {
	p.scanToken()
	p.expectWord(kwFrom, "expected 'from' after cleanupret")
	pad := p.value(ir.Token)
	p.expectWord(kwUnwind, "expected 'unwind' in cleanupret")
	if p.acceptWord(kwTo) {
		p.expectWord(kwCaller, "expected 'caller' in cleanupret")
		return p.make(ir.OpCleanupRet, ir.Void, pad)
	}
	return p.make(ir.OpCleanupRet, ir.Void, pad, p.labelRef())
}

// catchRet parses catchret from %pad to label %b.
func (p *parser) catchRet() ir.Value {
	p.scanToken()
	p.expectWord(kwFrom, "expected 'from' after catchret")
	pad := p.value(ir.Token)
	p.expectWord(kwTo, "expected 'to' in catchret")
	return p.make(ir.OpCatchRet, ir.Void, pad, p.labelRef())
}

// catchSwitch parses catchswitch within %pad [label %b, …] unwind label %c or
// unwind to caller.
func (p *parser) catchSwitch() ir.Value {
	p.scanToken()
	p.expectWord(kwWithin, "expected 'within' after catchswitch")
	pad := p.pad()
	handlers := p.blockList(nil, "expected '[' with catchswitch labels")
	p.expectWord(kwUnwind, "expected 'unwind' after catchswitch scope")
	ops := []ir.Value{pad}
	hasUnwind := uint32(0)
	if p.acceptWord(kwTo) {
		p.expectWord(kwCaller, "expected 'caller' in catchswitch")
	} else {
		ops, hasUnwind = append(ops, p.labelRef()), 1
	}
	v := p.make(ir.OpCatchSwitch, ir.Token, append(ops, handlers...)...)
	p.fn.f.Instr(v).X = hasUnwind
	return v
}

// funcletPad parses catchpad within %cs [T v, …] and cleanuppad.
func (p *parser) funcletPad() ir.Value {
	op := p.op()
	p.expectWord(kwWithin, "expected 'within' after catchpad or cleanuppad")
	ops := []ir.Value{p.pad()}
	p.expect(tLSquare, "expected '[' in catchpad/cleanuppad")
	for p.tok != tRSquare {
		v, _ := p.typedValue()
		ops = append(ops, v)
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRSquare, "expected ']' here")
	return p.make(op, ir.Token, ops...)
}

// landingPad parses landingpad T cleanup catch T v filter T v ….
func (p *parser) landingPad() ir.Value {
	p.scanToken()
	t := p.typ("expected type")
	flags := ir.Flags(0)
	if p.acceptWord(kwCleanup) {
		flags = ir.Cleanup
	}
	var ops []ir.Value
	for p.isWord(kwCatch) || p.isWord(kwFilter) {
		filter := p.kw == kwFilter
		p.scanToken()
		off := p.from
		v, vt := p.typedValue()
		if isArray := p.m.Kind(vt) == ir.KindArray; isArray != filter {
			if filter {
				failAt(off, p.prevEnd, "'filter' clause has an invalid type")
			}
			failAt(off, p.prevEnd, "'catch' clause has an invalid type")
		}
		if !v.IsConst() {
			failAt(off, p.prevEnd, "clause argument must be a constant")
		}
		ops = append(ops, v)
	}
	v := p.make(ir.OpLandingPad, t, ops...)
	p.fn.f.Instr(v).Flags = flags
	return v
}
