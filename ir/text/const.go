package text

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// value parses a value of type t, without the type: a local value, a constant
// or metadata.
func (p *parser) value(t ir.Type) ir.Value {
	switch {
	case t == ir.MD: // %t %x begins like a local value
		return p.metadataValue()
	case p.tok == tLocal || p.tok == tLocalID:
		return p.local(t)
	case p.tok == tInt:
		return p.intConst(t)
	case t == ir.Label:
		p.fail("expected a basic block")
	}
	return p.constant(t)
}

// typedValue parses T v.
func (p *parser) typedValue() (ir.Value, ir.Type) {
	t := p.typ("expected type")
	return p.value(t), t
}

// typedConstant parses T c.
func (p *parser) typedConstant() ir.Value {
	t := p.typ("expected type")
	return p.constant(t)
}

// constant parses a constant of type t, without the type.
func (p *parser) constant(t ir.Type) ir.Value {
	switch p.tok {
	case tInt:
		return p.intConst(t)
	case tFloat, tHexFloat:
		return p.floatConst(t)
	case tGlobal, tGlobalID:
		return p.globalValue(t)
	case tWord:
		return p.wordConstant(t)
	case tCString:
		return p.cString(t)
	case tLBrace, tLSquare, tLess:
		p.enter()
		v := p.aggregate(t)
		p.depth--
		return v
	case tLocal, tLocalID:
		p.fail("invalid use of function-local name")
	}
	p.fail("expected value token")
	return ir.None
}

// wordConstant parses a constant that begins with a keyword.
func (p *parser) wordConstant(t ir.Type) ir.Value {
	off, end := p.from, p.end
	switch k := p.kw; k {
	case kwTrue, kwFalse:
		if t != ir.I1 {
			p.fail("constant expression type mismatch: got type 'i1' but expected '%s'", p.typeString(t))
		}
		p.scanToken()
		return p.m.NewBool(k == kwTrue)
	case kwNull:
		if p.m.Kind(t) != ir.KindPtr {
			p.fail("null must be a pointer type")
		}
		p.scanToken()
		return p.m.Zero(t)
	case kwUndef, kwPoison, kwZeroInitializer:
		p.scanToken()
		return p.emptyConstant(k, t, off, end)
	case kwNone_:
		if t != ir.Token {
			p.fail("invalid type for none constant")
		}
		p.scanToken()
		return p.m.Zero(t)
	}
	v := p.compoundConstant(t)
	if have := p.m.TypeOfConst(v); have != t {
		failAt(off, end, "constant expression type mismatch: got type '%s' but expected '%s'", p.typeString(have), p.typeString(t))
	}
	return v
}

// emptyConstant returns undef, poison or zeroinitializer.
func (p *parser) emptyConstant(k keyword, t ir.Type, off, end int) ir.Value {
	what := map[keyword]string{kwUndef: "undef", kwPoison: "poison", kwZeroInitializer: "null"}[k]
	if !p.m.IsFirstClass(t) || t == ir.Label || t == ir.MD {
		failAt(off, end, "invalid type for %s constant", what)
	}
	switch k {
	case kwUndef:
		return p.m.Undef(t)
	case kwPoison:
		return p.m.Poison(t)
	}
	return p.m.Zero(t)
}

// compoundConstant parses a constant that begins with a keyword and has
// operands.
func (p *parser) compoundConstant(t ir.Type) ir.Value {
	switch p.kw {
	case kwSplat:
		return p.splat(t)
	case kwBlockAddress:
		return p.blockAddress()
	case kwDSOLocalEquivalent:
		p.scanToken()
		return p.m.NewDSOLocalEquivalent(p.globalOperand(t, "expected global value name in dso_local_equivalent"))
	case kwNoCFI:
		p.scanToken()
		return p.m.NewNoCFI(p.globalOperand(t, "expected global value name in no_cfi"))
	case kwPtrAuth:
		return p.ptrAuth()
	case kwAsm:
		p.fail("inline asm can only be called")
	}
	return p.constExpr()
}

// globalOperand parses @name as an operand of a constant of type t.
func (p *parser) globalOperand(t ir.Type, message string) ir.Value {
	if p.tok != tGlobal && p.tok != tGlobalID {
		p.fail("%s", message)
	}
	return p.globalValue(t)
}

// splat parses splat (T c).
func (p *parser) splat(t ir.Type) ir.Value {
	p.scanToken()
	p.expect(tLParen, "expected '(' after vector splat")
	off := p.from
	p.enter()
	v := p.typedConstant()
	p.depth--
	p.expect(tRParen, "expected ')' at end of vector splat")
	if !p.m.IsVector(t) {
		failAt(off, p.prevEnd, "vector constant must have vector type")
	}
	if have, want := p.m.TypeOfConst(v), p.m.Scalar(t); have != want {
		failAt(off, p.prevEnd, "constant expression type mismatch: got type '%s' but expected '%s'", p.typeString(have), p.typeString(want))
	}
	if p.m.TypeInfo(t).N > maxSplat && !p.m.IsZero(v) {
		failAt(off, p.prevEnd, "vector is too long")
	}
	if !p.m.IsZero(v) {
		p.useWords(t)
	}
	return p.m.Splat(t, v)
}

// maxSplat limits the number of elements of a splat, so that a short input
// cannot allocate much memory.
const maxSplat = 1 << 20

// ptrAuth parses ptrauth (ptr c, i32 key, i64 discriminator, ptr address
// discriminator).
func (p *parser) ptrAuth() ir.Value {
	p.scanToken()
	p.expect(tLParen, "expected '(' in constant ptrauth expression")
	p.enter()
	ops := []ir.Value{p.typedConstant()}
	for p.accept(tComma) {
		ops = append(ops, p.typedConstant())
	}
	p.depth--
	p.expect(tRParen, "expected ')' in constant ptrauth expression")
	defaults := []ir.Value{0: p.m.Zero(ir.Ptr), 1: p.m.NewInt(ir.I32, 0), 2: p.m.NewInt(ir.I64, 0), 3: p.m.Zero(ir.Ptr), 4: p.m.Zero(ir.Ptr)}
	if len(ops) < 2 || len(ops) > len(defaults) {
		p.fail("expected 2 to 5 operands of constant ptrauth expression")
	}
	for i := len(ops); i < len(defaults); i++ {
		ops = append(ops, defaults[i])
	}
	for i, want := range [...]ir.Type{1: ir.I32, 2: ir.I64} {
		if i > 0 && p.m.TypeOfConst(ops[i]) != want {
			p.fail("operand %d of constant ptrauth expression must have type '%s'", i, p.typeString(want))
		}
	}
	return p.m.NewPtrAuth(ops...)
}

// cString parses c"…".
func (p *parser) cString(t ir.Type) ir.Value {
	data := slices.Clone(p.name())
	want := p.m.ArrayType(ir.I8, uint64(len(data)))
	if t != want {
		p.fail("constant expression type mismatch: got type '%s' but expected '%s'", p.typeString(want), p.typeString(t))
	}
	p.scanToken()
	return p.m.NewData(t, data)
}

// aggregate parses a bracketed constant.
func (p *parser) aggregate(t ir.Type) ir.Value {
	off := p.from
	open := p.tok
	p.scanToken()
	packed := open == tLess && p.accept(tLBrace)
	if open == tLBrace || packed {
		v := p.structConst(t, off, packed)
		if packed {
			p.expect(tGreater, "expected end of packed struct")
		}
		return v
	}
	info := p.m.TypeInfo(t)
	end, kind, what := tRSquare, ir.KindArray, "array"
	if open == tLess {
		end, kind, what = tGreater, ir.KindVector, "vector"
	}
	if info.Kind != kind {
		failAt(off, p.end, "constant expression type mismatch: got %s but expected '%s'", what, p.typeString(t))
	}
	if p.tok == end && info.Kind == ir.KindArray && info.N == 0 {
		p.scanToken()
		return p.m.Poison(t)
	}
	v, n := p.elements(t, info.Elem)
	p.expect(end, "expected end of "+what+" constant")
	if n != info.N {
		failAt(off, p.prevEnd, "constant expression type mismatch: got %d elements but expected '%s'", n, p.typeString(t))
	}
	return v
}

// structConst parses the fields of a struct including the closing brace.
func (p *parser) structConst(t ir.Type, off int, packed bool) ir.Value {
	info := p.m.TypeInfo(t)
	if info.Kind != ir.KindStruct {
		failAt(off, p.end, "constant expression type mismatch: got a struct but expected '%s'", p.typeString(t))
	}
	base := len(p.scratch.values)
	if p.tok != tRBrace {
		for {
			at := p.from
			v := p.typedConstant()
			i := len(p.scratch.values) - base
			if i < len(info.Elems) && p.m.TypeOfConst(v) != info.Elems[i] {
				failAt(at, p.prevEnd, "element %d of struct initializer doesn't match struct element type", i)
			}
			p.scratch.values = append(p.scratch.values, v)
			if !p.accept(tComma) {
				break
			}
		}
	}
	p.expect(tRBrace, "expected end of struct constant")
	fields := p.scratch.values[base:]
	p.scratch.values = p.scratch.values[:base]
	switch {
	case len(fields) != len(info.Elems):
		failAt(off, p.prevEnd, "initializer with struct type has wrong # elements")
	case info.Packed != packed:
		failAt(off, p.prevEnd, "packed'ness of initializer and type don't match")
	}
	return p.m.NewAggregate(t, fields)
}

// simpleSize returns the size in bytes of an element type whose arrays are
// stored as bytes.
func (p *parser) simpleSize(t ir.Type) int {
	switch t {
	case ir.I8, ir.I16, ir.I32, ir.I64, ir.Half, ir.BFloat, ir.Float, ir.Double:
		return p.m.ScalarBits(t) / 8
	}
	return 0
}

// elements parses the elements of an array or vector. It returns the constant
// and the number of elements. The constant is None if the number does not match
// the type.
func (p *parser) elements(t, elem ir.Type) (ir.Value, uint64) {
	size := p.simpleSize(elem)
	var data []byte
	if size > 0 {
		ended := false
		if data, ended = p.simpleElements(t, elem, size); ended {
			n := uint64(len(data) / size)
			if n != p.m.TypeInfo(t).N {
				return ir.None, n
			}
			return p.m.NewData(t, data), n
		}
	}
	base := len(p.scratch.values)
	for i := 0; i < len(data); i += size {
		p.scratch.values = append(p.scratch.values, p.simpleValue(elem, data[i:i+size]))
	}
	for {
		at := p.from
		v := p.typedConstant()
		if p.m.TypeOfConst(v) != elem {
			failAt(at, p.prevEnd, "%s element #%d is not of type '%s'", p.sequence(t), len(p.scratch.values)-base, p.typeString(elem))
		}
		p.scratch.values = append(p.scratch.values, v)
		if !p.accept(tComma) {
			break
		}
	}
	elems := p.scratch.values[base:]
	p.scratch.values = p.scratch.values[:base]
	n := uint64(len(elems))
	if n != p.m.TypeInfo(t).N {
		return ir.None, n
	}
	return p.m.NewAggregate(t, elems), n
}

// simpleElements parses elements up to the first one that is not a literal and
// returns their bytes. ended reports whether the list ended; otherwise the
// element that is not a literal is the current token.
func (p *parser) simpleElements(of, elem ir.Type, size int) (data []byte, ended bool) {
	var word [8]byte
	for {
		at := p.from
		if t := p.typ("expected type"); t != elem {
			failAt(at, p.prevEnd, "%s element #%d is not of type '%s'", p.sequence(of), len(data)/size, p.typeString(elem))
		}
		bits, ok := p.literalBits(elem)
		if !ok {
			p.pos = at
			p.scanToken()
			return data, false
		}
		binary.LittleEndian.PutUint64(word[:], bits)
		data = append(data, word[:size]...)
		if !p.accept(tComma) {
			return data, true
		}
	}
}

// sequence returns "array" or "vector" for messages.
func (p *parser) sequence(t ir.Type) string {
	if p.m.IsVector(t) {
		return "vector"
	}
	return "array"
}

// literalBits parses a literal of a simple type and returns its bits.
func (p *parser) literalBits(t ir.Type) (uint64, bool) {
	switch p.tok {
	case tInt:
		if n, neg, ok := p.smallInt(); ok && p.m.IsInt(t) {
			if neg {
				n = -n
			}
			p.scanToken()
			return n, true
		}
	case tFloat, tHexFloat:
		bits, _ := p.floatBits(t)
		p.scanToken()
		return bits, true
	}
	return 0, false
}

// simpleValue returns an element as a constant, from its bytes.
func (p *parser) simpleValue(t ir.Type, b []byte) ir.Value {
	var word [8]byte
	copy(word[:], b)
	bits := binary.LittleEndian.Uint64(word[:])
	if p.m.IsFloat(t) {
		return p.m.NewFloatBits(t, bits)
	}
	return p.m.NewInt(t, bits)
}
