package ir

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

//go:generate go run ../internal/cmd/irgen -table table/intrinsics.tsv -out intrinsic_gen.go

// Intrinsic is the number of a target-independent or AMDGPU intrinsic function.
// The constants are named after LLVM's intrinsics: IntrAMDGCNWorkitemIdX is
// llvm.amdgcn.workitem.id.x. The number does not include overloaded types:
// IntrFma is every llvm.fma.
type Intrinsic uint16

// NoIntrinsic is the number of functions that are not intrinsics, or whose
// intrinsic is not in the table.
const NoIntrinsic Intrinsic = 0

// String returns the name without overloaded types.
func (id Intrinsic) String() string { return intrinsicNames[id] }

// IsAMDGPU reports whether the intrinsic is one of AMDGPU's.
func (id Intrinsic) IsAMDGPU() bool {
	return strings.HasPrefix(intrinsicNames[id], "llvm.amdgcn.") || strings.HasPrefix(intrinsicNames[id], "llvm.r600.")
}

// sig returns the columns of the table: result, parameters, classes,
// attributes.
func (id Intrinsic) sig() (result, params, classes, attrs string) {
	result, rest, _ := strings.Cut(intrinsicSigs[id], "\t")
	params, rest, _ = strings.Cut(rest, "\t")
	classes, attrs, _ = strings.Cut(rest, "\t")
	return
}

// IsOverloaded reports whether names of the intrinsic end with type suffixes.
func (id Intrinsic) IsOverloaded() bool {
	_, _, classes, _ := id.sig()
	return classes != ""
}

// LookupIntrinsic returns the intrinsic with the given function name, or
// NoIntrinsic if the table does not list it.
func LookupIntrinsic(name string) Intrinsic {
	if !strings.HasPrefix(name, "llvm.") {
		return NoIntrinsic
	}
	for end := len(name); end > len("llvm."); end = strings.LastIndexByte(name[:end], '.') {
		i := 1 + sort.SearchStrings(intrinsicNames[1:], name[:end])
		if i < int(NumIntrinsics) && intrinsicNames[i] == name[:end] {
			if id := Intrinsic(i); end == len(name) || id.IsOverloaded() {
				return id
			}
			return NoIntrinsic
		}
	}
	return NoIntrinsic
}

// splitTop splits s at commas outside brackets.
func splitTop(s string) (parts []string) {
	depth, start := 0, 0
	parts = make([]string, 0, strings.Count(s, ",")+1)
	for i := range len(s) {
		switch s[i] {
		case '<', '{', '(', '[':
			depth++
		case '>', '}', ')', ']':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		parts = append(parts, rest)
	}
	return parts
}

// cutType splits a parameter into its type pattern and the attributes that
// follow.
func cutType(s string) (pattern, attrs string) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<', '{', '(':
			depth++
		case '>', '}', ')':
			depth--
		case ' ':
			if depth == 0 && !strings.HasPrefix(s[i:], " addrspace(") {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

// cutResult splits a result into the leading attributes and its type pattern.
func cutResult(s string) (attrs, pattern string) {
	if strings.IndexByte(s, ' ') < 0 {
		return "", s
	}
	words := splitWords(s)
	n := 0
	for n < len(words) && AttrKindByName(attrWord(words[n])) != 0 {
		n++
		if words[n-1] == "align" {
			n++
		}
	}
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

// splitWords splits s at spaces outside brackets.
func splitWords(s string) (words []string) {
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '<', '{':
			depth++
		case ')', '>', '}':
			depth--
		case ' ':
			if depth == 0 {
				words = append(words, s[start:i])
				start = i + 1
			}
		}
	}
	if start < len(s) {
		words = append(words, s[start:])
	}
	return words
}

// attrWord returns the keyword of "keyword(value)".
func attrWord(s string) string {
	word, _, _ := strings.Cut(s, "(")
	return word
}

// patternType returns the type of a pattern, with overloaded types from over.
// It returns NoType if the pattern does not fit them.
func (m *Module) patternType(p string, over []Type) Type {
	switch {
	case p[0] == '$':
		if k := int(p[1] - '0'); k < len(over) {
			return over[k]
		}
		return NoType
	case p[0] == '{':
		var fields []Type
		for _, f := range splitTop(p[1 : len(p)-1]) {
			t := m.patternType(f, over)
			if t == NoType {
				return NoType
			}
			fields = append(fields, t)
		}
		return m.StructType(fields, false)
	case p[0] == '<':
		n, elem, _ := strings.Cut(p[1:len(p)-1], " x ")
		count, _ := strconv.Atoi(n)
		return m.VectorType(m.patternType(elem, over), uint64(count))
	case p[len(p)-1] == ')':
		name, arg, _ := strings.Cut(p[:len(p)-1], "(")
		return m.derivedType(name, arg, over)
	}
	return m.wordType(p)
}

// typeWords holds the types with their own keywords.
var typeWords = [...]string{Void: "void", MD: "metadata", Token: "token", Half: "half", BFloat: "bfloat", Float: "float",
	Double: "double", FP128: "fp128", Ptr: "ptr"}

func (m *Module) wordType(p string) Type {
	if i := index(typeWords[:], p); i >= 0 {
		return Type(i)
	}
	if bits, err := strconv.Atoi(strings.TrimPrefix(p, "i")); err == nil && p[0] == 'i' {
		return m.IntType(bits)
	}
	panic("BUG: invalid type in the table of intrinsics: " + p)
}

// derivedType returns the type of the pattern name(arg).
func (m *Module) derivedType(name, arg string, over []Type) Type {
	if name == "ptr addrspace" {
		n, _ := strconv.Atoi(arg)
		return m.PtrType(uint32(n))
	}
	of, scalar, _ := strings.Cut(arg, ",")
	t := m.patternType(of, over)
	if t == NoType {
		return NoType
	}
	info := m.TypeInfo(t)
	switch {
	case name == "elem":
		if info.Kind == KindVector {
			return info.Elem
		}
	case name == "width":
		return m.WithScalar(t, m.wordType(scalar))
	default:
		n, _ := strconv.Atoi(strings.TrimPrefix(name, "part"))
		if info.Kind == KindVector && info.N%uint64(n) == 0 {
			return m.VectorType(info.Elem, info.N/uint64(n))
		}
	}
	return NoType
}

// IntrinsicType returns the function type of an intrinsic for its overloaded
// types, or NoType if they do not fit.
func (m *Module) IntrinsicType(id Intrinsic, over ...Type) Type {
	result, list, classes, _ := id.sig()
	want := strings.Fields(classes)
	if len(want) != len(over) {
		return NoType
	}
	for i, c := range want {
		if !m.inClass(over[i], c) {
			return NoType
		}
	}
	_, pattern := cutResult(result)
	ret := m.patternType(pattern, over)
	var params []Type
	varArg := false
	for _, p := range splitTop(list) {
		if p == "..." {
			varArg = true
			continue
		}
		pattern, _ := cutType(p)
		t := m.patternType(pattern, over)
		if t == NoType {
			return NoType
		}
		params = append(params, t)
	}
	if ret == NoType {
		return NoType
	}
	return m.FuncType(ret, params, varArg)
}

func (m *Module) inClass(t Type, class string) bool {
	switch class {
	case "int":
		return m.IsIntOrIntVector(t)
	case "float":
		return m.IsFloatOrFloatVector(t)
	case "ptr":
		return m.IsPtr(t)
	case "vec":
		return m.IsVector(t)
	case "ptrvec":
		return m.IsVector(t) && m.IsPtrOrPtrVector(t)
	}
	return t != Void
}

// MatchIntrinsic returns the overloaded types for which an intrinsic has the
// function type t. ok is false if none exist.
func (m *Module) MatchIntrinsic(id Intrinsic, t Type) (over []Type, ok bool) {
	if id == NoIntrinsic {
		return nil, false
	}
	result, list, classes, _ := id.sig()
	over = make([]Type, len(strings.Fields(classes)))
	info := m.TypeInfo(t)
	_, pattern := cutResult(result)
	m.bindTypes(pattern, info.Elem, over)
	params := splitTop(list)
	for i, p := range params {
		if i < len(info.Elems) {
			pattern, _ := cutType(p)
			m.bindTypes(pattern, info.Elems[i], over)
		}
	}
	for _, o := range over {
		if o == NoType {
			return nil, false
		}
	}
	return over, m.IntrinsicType(id, over...) == t
}

// bindTypes records the overloaded types that appear directly or as elements of
// a struct.
func (m *Module) bindTypes(pattern string, t Type, over []Type) {
	switch {
	case pattern[0] == '$':
		if k := pattern[1] - '0'; over[k] == NoType {
			over[k] = t
		}
	case pattern[0] == '{':
		for i, p := range splitTop(pattern[1 : len(pattern)-1]) {
			if e := m.ElementType(t, uint64(i)); e != NoType && m.Kind(t) == KindStruct {
				m.bindTypes(p, e, over)
			}
		}
	}
}

// IntrinsicName returns the full name of an intrinsic, including its overloaded
// types.
func (m *Module) IntrinsicName(id Intrinsic, over ...Type) string {
	if len(over) == 0 {
		return intrinsicNames[id]
	}
	name := []byte(intrinsicNames[id])
	for _, t := range over {
		name = m.appendMangled(append(name, '.'), t)
	}
	return string(name)
}

var mangledNames = [...]string{Void: "isVoid", MD: "Metadata", Half: "f16", BFloat: "bf16", Float: "f32", Double: "f64", X86FP80: "f80",
	FP128: "f128", PPCFP128: "ppcf128", Token: "token", Label: "label"}

// appendMangled appends a type in the mangling of intrinsic names.
func (m *Module) appendMangled(b []byte, t Type) []byte {
	info := m.TypeInfo(t)
	list := func(types []Type) {
		for _, e := range types {
			b = m.appendMangled(b, e)
		}
	}
	switch info.Kind {
	case KindInt:
		return fmt.Appendf(b, "i%d", info.N)
	case KindPtr:
		return fmt.Appendf(b, "p%d", info.N)
	case KindVector:
		return m.appendMangled(fmt.Appendf(b, "v%d", info.N), info.Elem)
	case KindArray:
		return m.appendMangled(fmt.Appendf(b, "a%d", info.N), info.Elem)
	case KindStruct:
		if info.Named {
			return append(append(append(b, "s_"...), info.Name...), 's')
		}
		b = append(b, "sl_"...)
		list(info.Elems)
		return append(b, 's')
	case KindFunc:
		b = m.appendMangled(append(b, "f_"...), info.Elem)
		list(info.Elems)
		if info.VarArg {
			b = append(b, "vararg"...)
		}
		return append(b, 'f')
	case KindTarget:
		b = append(append(b, 't'), info.Name...)
		for _, e := range info.Elems {
			b = m.appendMangled(append(b, '_'), e)
		}
		for _, n := range info.Ints {
			b = fmt.Appendf(b, "_%d", n)
		}
		return append(b, 't')
	}
	return append(b, mangledNames[t]...)
}

// IntrinsicAttrs returns LLVM's attributes of an intrinsic with function type
// t.
func (m *Module) IntrinsicAttrs(id Intrinsic, t Type) AttrList {
	result, list, _, attrs := id.sig()
	params := splitTop(list)
	sets := make([]AttrSet, AttrParams+len(params))
	sets[AttrFunction] = m.tableAttrs(attrs)
	ret, _ := cutResult(result)
	sets[AttrResult] = m.ofWidth(m.tableAttrs(ret), m.TypeInfo(t).Elem)
	for i, p := range params {
		if p != "..." {
			_, a := cutType(p)
			sets[AttrParams+i] = m.tableAttrs(a)
		}
	}
	return m.AttrList(sets)
}

// ofWidth converts a range in s, which the table specifies for i32, to the
// width of the overloaded type t.
func (m *Module) ofWidth(s AttrSet, t Type) AttrSet {
	a, ok := m.Attr(s, AttrRange)
	n := m.IntBits(m.Scalar(t))
	if !ok || n == 0 || n == m.IntBits(a.Type) {
		return s
	}
	low, high, _ := strings.Cut(m.Str(a.Str), ", ")
	cut := func(s string) string {
		x, _ := strconv.ParseInt(s, 10, 64)
		if n < 64 {
			x = x << (64 - n) >> (64 - n)
		}
		return strconv.FormatInt(x, 10)
	}
	return m.AddAttr(s, Attr{Kind: AttrRange, Type: m.Scalar(t), Str: m.String(cut(low) + ", " + cut(high))})
}

// tableAttrs returns the attribute set of an entry in the table of intrinsics.
// Many intrinsics share the same set.
func (m *Module) tableAttrs(s string) AttrSet {
	if s == "" {
		return 0
	}
	t := &m.attrs
	t.mu.Lock()
	set, ok := t.ofTable[s]
	t.mu.Unlock()
	if ok {
		return set
	}
	set = m.parseTableAttrs(s)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ofTable == nil {
		t.ofTable = map[string]AttrSet{}
	}
	t.ofTable[s] = set
	return set
}

func (m *Module) parseTableAttrs(s string) AttrSet {
	var attrs []Attr
	words := splitWords(s)
	for i := 0; i < len(words); i++ {
		name, value, _ := strings.Cut(strings.TrimSuffix(words[i], ")"), "(")
		a := Attr{Kind: AttrKindByName(name)}
		switch a.Kind {
		case AttrAlign:
			i++
			a.Int, _ = strconv.ParseUint(words[i], 10, 32)
		case AttrMemory:
			e, _ := ParseMemoryEffects(value)
			a.Int = uint64(e)
		case AttrCaptures:
			c, _ := ParseCaptures(value)
			a.Int = uint64(c)
		case AttrRange:
			t, bounds, _ := strings.Cut(value, " ")
			a.Type, a.Str = m.wordType(t), m.String(bounds)
		case 0:
			panic("BUG: invalid attribute in the table of intrinsics: " + words[i])
		}
		attrs = append(attrs, a)
	}
	return m.AttrSet(attrs)
}

// DeclareIntrinsic returns the function of an intrinsic for its overloaded
// types, and declares it if necessary. The types must fit.
func (m *Module) DeclareIntrinsic(id Intrinsic, over ...Type) *Function {
	name := m.IntrinsicName(id, over...)
	t := m.IntrinsicType(id, over...)
	if t == NoType {
		panic("BUG: types do not fit " + name)
	}
	if f := m.Function(name); f != nil && f.Global.Type == t {
		return f
	}
	f := m.AddFunction(name, t, 0, None)
	f.Attributes = m.IntrinsicAttrs(id, t)
	return f
}
