package llvm

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// The parameters of types are:
//
//	ptr      the address space, unless it is 0
//	array    the number of elements, and their type
//	vec      "?" if scalable, the number of elements, and their type
//	func     the result, a list of arguments, and "..." if variadic
//	struct   the name if identified; "opaque", or "packed" if it is, and the members;
//	         only the name for a reference to a structure around it
//	target   the name, types and integers

// plainTypes are the types without parameters, with the editions that have them.
var plainTypes = [...]struct {
	name string
	in   mlir.EditionSet
}{
	{"void", mlir.EveryEdition}, {"ppc_fp128", mlir.EveryEdition}, {"token", mlir.EveryEdition}, {"label", mlir.EveryEdition},
	{"metadata", mlir.EveryEdition}, {"x86_mmx", mlir.Only19}, {"x86_amx", mlir.Only22},
}

func isPlain(name string, e mlir.Edition) bool {
	for _, t := range plainTypes {
		if t.name == name {
			return t.in.Has(e)
		}
	}
	return false
}

func typeParam(t *mlir.Type) mlir.Param { return mlir.Param{Kind: mlir.TypeParam, Type: t} }
func intParam(n int64) mlir.Param       { return mlir.Param{Kind: mlir.IntParam, Int: n} }
func wordParam(s string) mlir.Param     { return mlir.Param{Kind: mlir.WordParam, Word: s} }
func attrParam(a *mlir.Attr) mlir.Param { return mlir.Param{Kind: mlir.AttrParam, Attr: a} }

func listParam(types []*mlir.Type) mlir.Param {
	list := make([]mlir.Param, len(types))
	for i, t := range types {
		list[i] = typeParam(t)
	}
	return mlir.Param{Kind: mlir.ListParam, List: list}
}

func parseType(p *mlir.Parser, mnemonic string, _ int32) (*mlir.Type, error) {
	return typeBody(p, mnemonic, p.Pos(), nil)
}

// typeBody reads the parameters of a type. around are the names of the identified
// structures around it.
func typeBody(p *mlir.Parser, mnemonic string, pos int32, around []string) (*mlir.Type, error) {
	c := p.Context
	switch mnemonic {
	case "ptr":
		return parsePointer(p)
	case "array":
		return parseArray(p, around)
	case "func":
		return parseFunctionType(p, around)
	case "struct":
		return parseStruct(p, around)
	case "target":
		return parseTarget(p, around)
	case "vec":
		if c.Edition == mlir.Edition19 {
			return parseVector(p, around)
		}
	}
	if isPlain(mnemonic, c.Edition) {
		return c.DialectType("llvm", mnemonic), nil
	}
	return nil, p.Errorf(pos, "unknown LLVM type: %s", mnemonic)
}

// parseInner reads a type within another: without "!llvm." or in full.
func parseInner(p *mlir.Parser, around []string) (*mlir.Type, error) {
	pos := p.Pos()
	t, err := p.OptionalType()
	if t != nil || err != nil {
		return t, err
	}
	word, err := p.Keyword()
	if err != nil {
		return nil, err
	}
	return typeBody(p, word, pos, around)
}

// PointerType returns the pointer type of an address space.
func PointerType(c *mlir.Context, space int64) *mlir.Type {
	if space == 0 {
		return c.DialectType("llvm", "ptr")
	}
	return c.DialectType("llvm", "ptr", intParam(space))
}

func parsePointer(p *mlir.Parser) (*mlir.Type, error) {
	if !p.OptionalLiteral("<") {
		return PointerType(p.Context, 0), nil
	}
	n, err := p.Integer()
	if err != nil {
		return nil, p.Errorf(p.Pos(), "failed to parse LLVMPointerType parameter 'addressSpace' which is to be a `unsigned`")
	}
	return PointerType(p.Context, int64(uint32(n))), p.Literal(">")
}

// isMember reports whether structures and arrays can have members of a type.
func isMember(t *mlir.Type) bool {
	for _, name := range [...]string{"void", "label", "metadata", "func", "token"} {
		if t.IsDialect("llvm", name) {
			return false
		}
	}
	return true
}

// ArrayType returns an array type.
func ArrayType(c *mlir.Context, n int64, elem *mlir.Type) *mlir.Type {
	return c.DialectType("llvm", "array", intParam(n), typeParam(elem))
}

func parseArray(p *mlir.Parser, around []string) (*mlir.Type, error) {
	start := p.Pos()
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	n, err := p.Integer()
	if err != nil {
		return nil, p.Errorf(p.Pos(), "failed to parse LLVMArrayType parameter 'numElements' which is to be a `uint64_t`")
	}
	if err := p.Literal("x"); err != nil {
		return nil, err
	}
	elem, err := parseInner(p, around)
	if err == nil {
		err = p.Literal(">")
	}
	if err == nil && !isMember(elem) {
		err = p.Errorf(start, "invalid array element type: '%s'", elem)
	}
	if err != nil {
		return nil, err
	}
	return ArrayType(p.Context, n, elem), nil
}

// FunctionType returns a function type.
func FunctionType(c *mlir.Context, result *mlir.Type, args []*mlir.Type, variadic bool) *mlir.Type {
	params := []mlir.Param{typeParam(result), listParam(args)}
	if variadic {
		params = append(params, wordParam("..."))
	}
	return c.DialectType("llvm", "func", params...)
}

// FunctionParts returns the result and arguments of a function type.
func FunctionParts(t *mlir.Type) (result *mlir.Type, args []*mlir.Type, variadic bool) {
	return t.Params[0].Type, typesOf(t.Params[1].List), len(t.Params) > 2
}

func typesOf(list []mlir.Param) []*mlir.Type {
	types := make([]*mlir.Type, len(list))
	for i := range list {
		types[i] = list[i].Type
	}
	return types
}

func isFunctionArg(t *mlir.Type) bool {
	return !t.IsDialect("llvm", "void") && !t.IsDialect("llvm", "func")
}

func isFunctionResult(t *mlir.Type) bool {
	return !t.IsDialect("llvm", "func") && !t.IsDialect("llvm", "metadata") && !t.IsDialect("llvm", "label")
}

func parseFunctionType(p *mlir.Parser, around []string) (*mlir.Type, error) {
	start := p.Pos()
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	result, err := parseInner(p, around)
	if err != nil {
		return nil, err
	}
	var args []*mlir.Type
	variadic := false
	err = p.CommaList('(', func() error {
		if p.OptionalLiteral("...") {
			variadic = true
			if p.AtLiteral(",") {
				return p.Expected("expected ')'")
			}
			return nil
		}
		t, err := parseInner(p, around)
		args = append(args, t)
		return err
	})
	if err == nil {
		err = p.Literal(">")
	}
	if err == nil && !isFunctionResult(result) {
		err = p.Errorf(start, "invalid function result type: '%s'", result)
	}
	for _, t := range args {
		if err == nil && !isFunctionArg(t) {
			err = p.Errorf(start, "invalid function argument type: '%s'", t)
		}
	}
	if err != nil {
		return nil, err
	}
	return FunctionType(p.Context, result, args, variadic), nil
}

func parseVector(p *mlir.Parser, around []string) (*mlir.Type, error) {
	start := p.Pos()
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	pos := p.Pos()
	dims, err := p.SizesBefore(true)
	if err != nil {
		return nil, err
	}
	elemPos := p.Pos()
	elem, err := parseInner(p, around)
	if err == nil {
		err = p.Literal(">")
	}
	if err != nil {
		return nil, err
	}
	scalable := len(dims) == 2 && dims[0] == mlir.Dynamic && dims[1] != mlir.Dynamic
	switch {
	case !scalable && (len(dims) != 1 || dims[0] == mlir.Dynamic):
		return nil, p.Errorf(pos, "expected '? x <integer> x <type>' or '<integer> x <type>'")
	case !scalable && (elem.IsSignlessInteger() || elem.Kind == mlir.FloatKind):
		return nil, p.Errorf(elemPos, "cannot use !llvm.vec for built-in primitives, use 'vector' instead")
	case !elem.IsDialect("llvm", "ptr") && !elem.IsDialect("llvm", "ppc_fp128") && !(scalable && (elem.IsSignlessInteger() || elem.Kind == mlir.FloatKind)):
		return nil, p.Errorf(start, "invalid vector element type")
	case scalable:
		return p.Context.DialectType("llvm", "vec", wordParam("?"), intParam(dims[1]), typeParam(elem)), nil
	}
	return p.Context.DialectType("llvm", "vec", intParam(dims[0]), typeParam(elem)), nil
}

func parseTarget(p *mlir.Parser, around []string) (*mlir.Type, error) {
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	name, err := p.StringLiteral()
	if err != nil {
		return nil, err
	}
	params := []mlir.Param{attrParam(p.Context.String(name))}
	for p.OptionalLiteral(",") {
		if p.AtInteger() {
			n, err := p.Integer()
			if err != nil {
				return nil, err
			}
			params = append(params, intParam(int64(uint32(n))))
			continue
		}
		if last := params[len(params)-1]; last.Kind == mlir.IntParam {
			return nil, p.Expected("expected integer value")
		}
		t, err := parseInner(p, around)
		if err != nil {
			return nil, err
		}
		params = append(params, typeParam(t))
	}
	return p.Context.DialectType("llvm", "target", params...), p.Literal(">")
}

func parseStruct(p *mlir.Parser, around []string) (*mlir.Type, error) {
	start := p.Pos()
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	name, identified := p.OptionalString()
	var params []mlir.Param
	if identified {
		params = append(params, attrParam(p.Context.String(name)))
		for _, n := range around {
			if n == name { // a reference to a structure around this one
				return p.Context.DialectType("llvm", "struct", params...), p.Literal(">")
			}
		}
		if p.AtLiteral(">") {
			return nil, p.Expected("struct without a body only allowed in a recursive struct")
		}
		if err := p.Literal(","); err != nil {
			return nil, err
		}
		around = append(around[:len(around):len(around)], name)
	}
	pos := p.Pos()
	if p.OptionalLiteral("opaque") {
		if !identified {
			return nil, p.Errorf(pos, "only identified structs can be opaque")
		}
		if err := p.Literal(">"); err != nil {
			return nil, err
		}
		t := p.Context.DialectType("llvm", "struct", append(params, wordParam("opaque"))...)
		if p.Context.NamedType("llvm", name, t) != t {
			return nil, p.Errorf(pos, "redeclaring defined struct as opaque")
		}
		return t, nil
	}
	if p.OptionalLiteral("packed") {
		params = append(params, wordParam("packed"))
	}
	membersPos := pos
	var members []*mlir.Type
	err := p.CommaList('(', func() error {
		if members == nil {
			membersPos = p.Pos()
		}
		t, err := parseInner(p, around)
		members = append(members, t)
		return err
	})
	if err == nil {
		err = p.Literal(">")
	}
	if err != nil {
		return nil, err
	}
	if !identified {
		membersPos = start
	}
	for _, t := range members {
		if !isMember(t) {
			return nil, p.Errorf(membersPos, "invalid LLVM structure element type: '%s'", t)
		}
	}
	t := p.Context.DialectType("llvm", "struct", append(params, listParam(members))...)
	if identified && p.Context.NamedType("llvm", name, t) != t {
		return nil, p.Errorf(membersPos, "identified type already used with a different body")
	}
	return t, nil
}

// A structure's parts.
type structure struct {
	name    *mlir.Attr // nil if it is not identified
	opaque  bool
	packed  bool
	body    bool // false for an opaque one and for a reference
	members []*mlir.Type
}

func structureOf(t *mlir.Type) structure {
	var s structure
	for _, p := range t.Params {
		switch {
		case p.Kind == mlir.AttrParam:
			s.name = p.Attr
		case p.Kind == mlir.WordParam && p.Word == "opaque":
			s.opaque = true
		case p.Kind == mlir.WordParam:
			s.packed = true
		case p.Kind == mlir.ListParam:
			s.body, s.members = true, typesOf(p.List)
		}
	}
	return s
}

// membersOf returns the members of a structure, or nil if it has no body.
func membersOf(t *mlir.Type) []mlir.Param {
	for i := range t.Params {
		if t.Params[i].Kind == mlir.ListParam {
			return t.Params[i].List
		}
	}
	return nil
}

// writeType writes a type without "!llvm.".
func writeType(p *mlir.Printer, t *mlir.Type) {
	p.Str(t.Mnemonic)
	switch t.Mnemonic {
	case "ptr", "target":
		writeParams(p, t.Params)
	case "array":
		p.Str("<")
		p.Int(t.Params[0].Int)
		p.Str(" x ")
		writeInner(p, t.Params[1].Type)
		p.Str(">")
	case "vec":
		writeVector(p, t.Params)
	case "func":
		writeFunctionType(p, t)
	case "struct":
		writeStruct(p, structureOf(t))
	}
}

// writeInner writes a type within another.
func writeInner(p *mlir.Printer, t *mlir.Type) {
	if t.Kind == mlir.DialectKind && t.Dialect == "llvm" && isCompatible(t) {
		writeType(p, t)
		return
	}
	p.Type(t)
}

// isCompatible reports whether LLVM IR has a type, and all types within it.
func isCompatible(t *mlir.Type) bool {
	switch t.Kind {
	case mlir.IntegerKind:
		return t.Sign == mlir.Signless
	case mlir.FloatKind:
		return t.Float.LLVM()
	case mlir.VectorKind:
		return len(t.Shape) == 1 && isCompatible(t.Elem)
	case mlir.DialectKind:
		return t.Dialect == "llvm" && areCompatible(t.Params)
	}
	return false
}

func areCompatible(params []mlir.Param) bool {
	for i := range params {
		p := &params[i]
		if p.Kind == mlir.TypeParam && !isCompatible(p.Type) || p.Kind == mlir.ListParam && !areCompatible(p.List) {
			return false
		}
	}
	return true
}

func writeParams(p *mlir.Printer, params []mlir.Param) {
	if len(params) == 0 {
		return
	}
	p.Str("<")
	for i := range params {
		if i > 0 {
			p.Str(", ")
		}
		switch q := &params[i]; q.Kind {
		case mlir.IntParam:
			p.Int(q.Int)
		case mlir.AttrParam:
			p.Attr(q.Attr)
		default:
			writeInner(p, q.Type)
		}
	}
	p.Str(">")
}

func writeVector(p *mlir.Printer, params []mlir.Param) {
	p.Str("<")
	if params[0].Kind == mlir.WordParam {
		p.Str("? x ")
		p.Int(params[1].Int)
		p.Str(" x  ") // MLIR writes another blank
	} else {
		p.Int(params[0].Int)
		p.Str(" x ")
	}
	writeInner(p, params[len(params)-1].Type)
	p.Str(">")
}

func writeFunctionType(p *mlir.Printer, t *mlir.Type) {
	result, args, variadic := FunctionParts(t)
	p.Str("<")
	writeInner(p, result)
	p.Str(" (")
	for i, a := range args {
		if i > 0 {
			p.Str(", ")
		}
		writeInner(p, a)
	}
	if variadic {
		if len(args) > 0 {
			p.Str(", ")
		}
		p.Str("...")
	}
	p.Str(")>")
}

func writeStruct(p *mlir.Printer, s structure) {
	p.Str("<")
	if s.name != nil {
		p.Str(`"` + s.name.Text + `"`)
		if !s.body && !s.opaque {
			p.Str(">")
			return
		}
		p.Str(", ")
	}
	if s.opaque {
		p.Str("opaque>")
		return
	}
	if s.packed {
		p.Str("packed ")
	}
	p.Str("(")
	for i, t := range s.members {
		if i > 0 {
			p.Str(", ")
		}
		writeInner(p, t)
	}
	p.Str(")>")
}

// StructType returns the literal structure type of members.
func StructType(c *mlir.Context, members ...*mlir.Type) *mlir.Type {
	return c.DialectType("llvm", "struct", listParam(members))
}

// StructMembers returns the types of a structure's members.
func StructMembers(t *mlir.Type) []*mlir.Type { return structureOf(t).members }

// ArrayParts returns the number and the type of an array's elements; ok is false for
// another type.
func ArrayParts(t *mlir.Type) (n int64, elem *mlir.Type, ok bool) {
	if !t.IsDialect("llvm", "array") {
		return 0, nil, false
	}
	return t.Params[0].Int, t.Params[1].Type, true
}
