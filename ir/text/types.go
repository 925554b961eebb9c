package text

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// structTable maps the names and numbers of a text's identified structs.
type structTable struct {
	named    map[string]*structRef
	numbered map[uint64]*structRef
	next     uint64
}

// structRef is an identified struct, which may not be defined yet.
type structRef struct {
	t        ir.Type
	defined  bool
	uses     int // including the definition
	off, end int // first use
}

func (t *structTable) init() {
	t.named, t.numbered = map[string]*structRef{}, map[uint64]*structRef{}
}

// typeName parses %name or %7 and returns its entry.
func (p *parser) typeName() *structRef {
	var r *structRef
	if p.tok == tLocal {
		name := p.name()
		if r = p.types.named[string(name)]; r == nil {
			p.miss()
			r = &structRef{t: p.m.NewStruct(string(name)), off: p.from, end: p.end}
			p.types.named[string(name)] = r
		}
	} else if r = p.types.numbered[p.num]; r == nil {
		p.miss()
		r = &structRef{t: p.m.NewStruct(""), off: p.from, end: p.end}
		p.types.numbered[p.num] = r
	}
	if !p.inBody {
		r.uses++
	}
	p.scanToken()
	return r
}

// typeDef parses %name = type ….
func (p *parser) typeDef() {
	off, end, number, numbered := p.from, p.end, p.num, p.tok == tLocalID
	name := p.src[p.start:p.end]
	r := p.typeName()
	p.expect(tEqual, "expected '=' after name")
	p.expectWord(kwType, "expected 'type' after '='")
	if r.defined {
		failAt(off, end, "redefinition of type")
	}
	if numbered {
		p.types.next = max(p.types.next, number+1)
	}
	r.defined = true
	if p.acceptWord(kwOpaque) {
		return
	}
	packed := p.accept(tLess)
	if p.tok != tLBrace {
		p.typeAlias(r, packed)
		return
	}
	fields := p.structBody()
	if packed {
		p.expect(tGreater, "expected '>' at end of packed struct")
	}
	if r.uses > 1 {
		for _, t := range fields {
			if p.m.Contains(t, r.t) {
				failAt(off, end, "identified structure type '%s' is recursive", name)
			}
		}
	}
	p.m.SetStructBody(r.t, fields, packed)
}

// typeAlias parses %name = type T for a type that is not a struct, which old
// texts may contain.
func (p *parser) typeAlias(r *structRef, less bool) {
	if r.uses > 1 {
		p.fail("forward references to non-struct type")
	}
	if less {
		r.t = p.vectorType()
	} else {
		r.t = p.typ("expected type")
	}
}

// structBody parses { T, … }.
func (p *parser) structBody() []ir.Type {
	p.expect(tLBrace, "expected '{' here")
	base := len(p.scratch.types)
	if p.tok != tRBrace {
		for {
			off := p.from
			t := p.typ("expected type")
			if !p.isElement(t) {
				failAt(off, p.prevEnd, "invalid element type for struct")
			}
			p.scratch.types = append(p.scratch.types, t)
			if !p.accept(tComma) {
				break
			}
		}
	}
	p.expect(tRBrace, "expected '}' at end of struct")
	fields := slices.Clone(p.scratch.types[base:])
	p.scratch.types = p.scratch.types[:base]
	return fields
}

// isElement reports whether structs and arrays may contain elements of type t.
func (p *parser) isElement(t ir.Type) bool {
	switch p.m.Kind(t) {
	case ir.KindVoid, ir.KindLabel, ir.KindMetadata, ir.KindFunc, ir.KindToken:
		return false
	}
	return true
}

// typ parses a type other than void.
func (p *parser) typ(message string) ir.Type {
	off := p.from
	t := p.typOrVoid(message)
	if t == ir.Void {
		failAt(off, p.prevEnd, "void type only allowed for function results")
	}
	return t
}

// typOrVoid parses a type. It sets pointee to the pointee of a typed pointer,
// otherwise to NoType.
func (p *parser) typOrVoid(message string) ir.Type {
	t := p.baseType(message)
	p.pointee = ir.NoType
	for {
		switch p.tok {
		case tStar:
			t = p.pointerTo(t, 0)
			p.scanToken()
		case tLParen:
			t = p.funcType(t)
			p.pointee = ir.NoType
		case tWord:
			if p.kw != kwAddrSpace || t == ir.Label || t == ir.Void || p.m.Kind(t) == ir.KindPtr && !p.typedNext() {
				return t
			}
			as := p.addrSpace()
			if p.tok != tStar {
				p.fail("expected '*' in address space")
			}
			t = p.pointerTo(t, as)
			p.scanToken()
		default:
			return t
		}
	}
}

// typedNext reports whether addrspace(n)* follows, which denotes a pointer to a
// pointer.
func (p *parser) typedNext() bool {
	saved := p.lexer
	defer func() { p.lexer = saved }()
	p.addrSpace()
	return p.tok == tStar
}

// pointerTo returns the pointer to type t. The star is the current token.
func (p *parser) pointerTo(t ir.Type, addrSpace uint32) ir.Type {
	switch {
	case t == ir.Label:
		p.fail("basic block pointers are invalid")
	case t == ir.Void:
		p.fail("pointers to void are invalid - use i8* instead")
	case t == ir.MD || t == ir.Token:
		p.fail("pointer to this type is invalid")
	case p.pointee == ir.NoType && p.m.Kind(t) == ir.KindPtr:
		p.fail("ptr* is invalid - use ptr instead")
	}
	p.pointee = t
	return p.m.PtrType(addrSpace)
}

// addrSpace parses addrspace(n). n may also be "A", "G" or "P" for the data
// layout's address spaces.
func (p *parser) addrSpace() uint32 {
	if at := p.pos; p.isWord(kwAddrSpace) && at+3 < len(p.src) && p.src[at] == '(' && class[p.src[at+1]]&cDigit != 0 && p.src[at+2] == ')' {
		n := uint32(p.src[at+1] - '0') // the common case
		p.skipTo(at + 3)
		return n
	}
	p.expectWord(kwAddrSpace, "expected 'addrspace'")
	p.expect(tLParen, "expected '(' in address space")
	var n uint32
	if p.tok == tString {
		l := p.m.Layout()
		switch string(p.name()) {
		case "A":
			n = l.AllocaAddrSpace
		case "G":
			n = l.GlobalAddrSpace
		case "P":
			n = l.ProgramAddrSpace
		default:
			p.fail("invalid symbolic addrspace '%s'", p.name())
		}
		p.scanToken()
	} else {
		off := p.from
		if n = p.uint32(); n >= 1<<24 {
			failAt(off, p.prevEnd, "invalid address space, must be a 24-bit integer")
		}
	}
	p.expect(tRParen, "expected ')' in address space")
	return n
}

// baseType parses a type without its suffixes.
func (p *parser) baseType(message string) ir.Type {
	switch p.tok {
	case tIntType:
		n := p.num
		if n < 1 || n > ir.MaxIntBits {
			p.fail("bitwidth for integer type out of range")
		}
		p.scanToken()
		return p.m.IntType(int(n))
	case tWord:
		return p.wordType(message)
	case tLocal, tLocalID:
		return p.typeName().t
	case tLBrace, tLSquare, tLess:
		p.enter()
		t := p.bracketType()
		p.depth--
		return t
	}
	p.fail("%s", message)
	return ir.NoType
}

func (p *parser) wordType(message string) ir.Type {
	if t := dict.types[p.kw]; t != ir.NoType {
		p.scanToken()
		if t == ir.Ptr && p.isWord(kwAddrSpace) {
			return p.m.PtrType(p.addrSpace())
		}
		return t
	}
	switch p.kw {
	case kwTarget:
		return p.targetType()
	case kwX86MMX, kwX86AMX:
		p.fail("type %s is not supported", p.text())
	}
	p.fail("%s", message)
	return ir.NoType
}

// bracketType parses a struct, array or vector type.
func (p *parser) bracketType() ir.Type {
	switch p.tok {
	case tLBrace:
		return p.m.StructType(p.structBody(), false)
	case tLSquare:
		p.scanToken()
		n, elem := p.count()
		p.expect(tRSquare, "expected end of sequential type")
		return p.m.ArrayType(elem, n)
	}
	p.scanToken()
	if p.tok == tLBrace {
		fields := p.structBody()
		p.expect(tGreater, "expected '>' at end of packed struct")
		return p.m.StructType(fields, true)
	}
	return p.vectorType()
}

// vectorType parses a vector type after the <.
func (p *parser) vectorType() ir.Type {
	if p.isWord(kwVScale) {
		p.fail("scalable vectors are not supported")
	}
	off := p.from
	n, elem := p.count()
	switch k := p.m.Kind(elem); {
	case n == 0:
		failAt(off, p.prevEnd, "zero element vector is illegal")
	case n > 1<<32-1:
		failAt(off, p.prevEnd, "size too large for vector")
	case k != ir.KindInt && k != ir.KindPtr && !p.m.IsFloat(elem):
		failAt(off, p.prevEnd, "invalid vector element type")
	}
	p.expect(tGreater, "expected end of sequential type")
	return p.m.VectorType(elem, n)
}

// count parses n x T.
func (p *parser) count() (n uint64, elem ir.Type) {
	if p.tok != tInt {
		p.fail("expected number in address space")
	}
	n = p.uint64()
	p.expectWord(kwX, "expected 'x' after element count")
	off := p.from
	elem = p.typ("expected type")
	if !p.isElement(elem) {
		failAt(off, p.prevEnd, "invalid array element type")
	}
	return n, elem
}

// targetType parses target("name", T…, n…).
func (p *parser) targetType() ir.Type {
	p.scanToken()
	p.expect(tLParen, "expected '(' in target extension type")
	name := string(p.str())
	var types []ir.Type
	var ints []uint32
	for p.accept(tComma) {
		switch {
		case p.tok == tInt:
			ints = append(ints, p.uint32())
		case ints != nil:
			p.fail("expected uint32 param")
		default:
			p.enter()
			types = append(types, p.typOrVoid("expected type"))
			p.depth--
		}
	}
	p.expect(tRParen, "expected ')' in target extension type")
	return p.m.TargetType(name, types, ints)
}

// funcType parses the parameters of a function type with the given result type.
func (p *parser) funcType(result ir.Type) ir.Type {
	switch p.m.Kind(result) {
	case ir.KindFunc, ir.KindLabel, ir.KindMetadata:
		p.fail("invalid function return type")
	}
	p.enter()
	p.scanToken()
	base := len(p.scratch.types)
	varArg := false
	for p.tok != tRParen {
		if p.accept(tDots) {
			varArg = true
			break
		}
		off := p.from
		t := p.typ("expected type")
		if !p.isArgument(t) {
			failAt(off, p.prevEnd, "invalid type for function argument")
		}
		if p.tok == tLocal || p.tok == tLocalID {
			p.fail("argument name invalid in function type")
		}
		p.scratch.types = append(p.scratch.types, t)
		if !p.accept(tComma) {
			break
		}
		if p.tok == tRParen {
			p.fail("expected type")
		}
	}
	p.expect(tRParen, "expected ')' at end of argument list")
	t := p.m.FuncType(result, p.scratch.types[base:], varArg)
	p.scratch.types = p.scratch.types[:base]
	p.depth--
	return t
}

// isArgument reports whether functions may have parameters of type t.
func (p *parser) isArgument(t ir.Type) bool {
	return p.m.IsFirstClass(t) && t != ir.Label || p.m.Kind(t) == ir.KindStruct
}

// checkTypes reports identified structs that are used but not defined.
func (p *parser) checkTypes() {
	for name, r := range p.types.named {
		if !r.defined {
			p.list.Errorf(p.file, r.off, r.end, "use of undefined type named '%s'", name)
		}
	}
	for n, r := range p.types.numbered {
		if !r.defined {
			p.list.Errorf(p.file, r.off, r.end, "use of undefined type '%%%d'", n)
		}
	}
}

// typeString returns a type in LLVM's syntax, for messages.
func (p *parser) typeString(t ir.Type) string { return string(TypeString(p.m, t)) }
