package translate

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// typeOf returns the translation of a type.
func (t *translator) typeOf(u *mlir.Type) ir.Type {
	known, ok := t.types[u]
	if !ok {
		known = t.makeType(u)
		t.types[u] = known
	}
	return known
}

func (t *translator) makeType(u *mlir.Type) ir.Type {
	r := &typeReader{t: t, text: u.String()}
	result := r.typ()
	if r.text != "" || result == ir.NoType {
		t.refuse("has the type %s, which LLVM IR does not have", u)
	}
	return result
}

// A typeReader reads the spelling of a type: builtin ones, and types of the
// dialect llvm with or without "!llvm." before them. Package mlir limits their depth.
type typeReader struct {
	t    *translator
	text string
}

// accept skips a text if it follows, and blanks before it.
func (r *typeReader) accept(s string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(r.text, " "), s)
	if ok {
		r.text = rest
	}
	return ok
}

func (r *typeReader) word() string {
	r.text = strings.TrimLeft(r.text, " ")
	n := 0
	for n < len(r.text) && (r.text[n] == '_' || r.text[n]|32 >= 'a' && r.text[n]|32 <= 'z' || r.text[n] >= '0' && r.text[n] <= '9') {
		n++
	}
	w := r.text[:n]
	r.text = r.text[n:]
	return w
}

func (r *typeReader) number() (uint64, bool) {
	r.text = strings.TrimLeft(r.text, " ")
	n := 0
	for n < len(r.text) && r.text[n] >= '0' && r.text[n] <= '9' {
		n++
	}
	v, err := strconv.ParseUint(r.text[:n], 10, 64)
	r.text = r.text[n:]
	return v, err == nil
}

// quoted reads a string in quotes.
func (r *typeReader) quoted() string {
	r.text = strings.TrimLeft(r.text, " ")
	for i := 1; i < len(r.text); i++ {
		switch r.text[i] {
		case '\\':
			i++
		case '"':
			s := unescape(r.text[1:i])
			r.text = r.text[i+1:]
			return s
		}
	}
	r.text = ""
	return ""
}

// simpleTypes are the types that are one word. The width of integers follows "i".
var simpleTypes = [...]struct {
	word string
	t    ir.Type
}{
	{"f16", ir.Half}, {"bf16", ir.BFloat}, {"f32", ir.Float}, {"f64", ir.Double}, {"f80", ir.X86FP80}, {"f128", ir.FP128},
	{"ppc_fp128", ir.PPCFP128}, {"void", ir.Void}, {"token", ir.Token}, {"label", ir.Label}, {"metadata", ir.MD},
}

// typ reads a type, or returns NoType.
func (r *typeReader) typ() ir.Type {
	r.accept("!llvm.")
	w := r.word()
	for i := range simpleTypes {
		if simpleTypes[i].word == w {
			return simpleTypes[i].t
		}
	}
	switch w {
	case "ptr":
		return r.pointer()
	case "struct":
		return r.structure()
	case "array", "vec", "vector":
		return r.sequence(w)
	case "func":
		return r.function()
	case "target":
		return r.target()
	}
	if digits, ok := strings.CutPrefix(w, "i"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n > 0 && n <= ir.MaxIntBits {
			return r.t.m.IntType(n)
		}
	}
	return ir.NoType
}

func (r *typeReader) pointer() ir.Type {
	if !r.accept("<") {
		return ir.Ptr
	}
	n, ok := r.number()
	if !ok || n >= 1<<24 || !r.accept(">") {
		return ir.NoType
	}
	return r.t.m.PtrType(uint32(n))
}

// sequence reads what follows "array", "vec" or "vector".
func (r *typeReader) sequence(kind string) ir.Type {
	if !r.accept("<") {
		return ir.NoType
	}
	n, ok := r.number()
	if !ok || !r.accept("x") {
		return ir.NoType
	}
	elem := r.typ()
	if elem == ir.NoType || !r.accept(">") {
		return ir.NoType
	}
	if kind == "array" {
		return r.t.m.ArrayType(elem, n)
	}
	if n == 0 {
		return ir.NoType
	}
	return r.t.m.VectorType(elem, n)
}

// types reads types in parentheses. open is false if one is wrong.
func (r *typeReader) types() (list []ir.Type, varArg, ok bool) {
	if !r.accept("(") {
		return nil, false, false
	}
	for !r.accept(")") {
		if len(list) > 0 && !r.accept(",") {
			return nil, false, false
		}
		if r.accept("...") {
			return list, true, r.accept(")")
		}
		e := r.typ()
		if e == ir.NoType {
			return nil, false, false
		}
		list = append(list, e)
	}
	return list, false, true
}

func (r *typeReader) structure() ir.Type {
	if !r.accept("<") {
		return ir.NoType
	}
	m := r.t.m
	if !strings.HasPrefix(r.text, `"`) {
		packed := r.accept("packed")
		fields, _, ok := r.types()
		if !ok || !r.accept(">") {
			return ir.NoType
		}
		return m.StructType(fields, packed)
	}
	name := r.quoted()
	named := m.NamedStruct(name)
	if r.accept(">") { // within its own body
		return named
	}
	fresh := named == ir.NoType
	if fresh {
		named = m.NewStruct(name)
	}
	if !r.accept(",") {
		return ir.NoType
	}
	if r.accept("opaque") {
		return r.closed(named)
	}
	packed := r.accept("packed")
	fields, _, ok := r.types()
	if !ok {
		return ir.NoType
	}
	if fresh {
		m.SetStructBody(named, fields, packed)
	}
	return r.closed(named)
}

// closed returns a type if the closing bracket follows.
func (r *typeReader) closed(t ir.Type) ir.Type {
	if !r.accept(">") {
		return ir.NoType
	}
	return t
}

func (r *typeReader) function() ir.Type {
	if !r.accept("<") {
		return ir.NoType
	}
	result := r.typ()
	params, varArg, ok := r.types()
	if result == ir.NoType || !ok {
		return ir.NoType
	}
	return r.closed(r.t.m.FuncType(result, params, varArg))
}

func (r *typeReader) target() ir.Type {
	if !r.accept("<") || !strings.HasPrefix(r.text, `"`) {
		return ir.NoType
	}
	name := r.quoted()
	var types []ir.Type
	var numbers []uint32
	for r.accept(",") {
		if n, ok := r.number(); ok {
			numbers = append(numbers, uint32(n))
			continue
		}
		e := r.typ()
		if e == ir.NoType {
			return ir.NoType
		}
		types = append(types, e)
	}
	return r.closed(r.t.m.TargetType(name, types, numbers))
}

// functionType returns the type of functions with the operands o.Operands[from:to]
// and o's result.
func (t *translator) functionType(o *mlir.Op, from, to int) ir.Type {
	t.params = t.params[:0]
	for _, u := range o.Operands[from:to] {
		t.params = append(t.params, t.typeOf(u.Value.Type))
	}
	return t.m.FuncType(t.resultType(o), t.params, false)
}
