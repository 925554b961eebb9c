package mlir

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// A ruleKind specifies how a trait with arguments is read from a row.
type ruleKind struct {
	name   string
	quoted bool // a description is first
	read   func(r *rowReader, rule *Rule)
}

var ruleKinds = [...]ruleKind{
	{"AllTypesMatch", false, readAllMatch},
	{"AllElementTypesMatch", false, readAllMatch},
	{"AllRanksMatch", false, readAllMatch},
	{"AllShapesMatch", false, readAllMatch},
	{"TypesMatchWith", true, readTransform},
	{"OptionalTypesMatchWith", true, readTransform},
	{"BooleanConditionOrMatchingShape", true, readValues},
	{"ShapedTypeMatchesElementCountAndTypes", true, readValues},
	{"PredOpTrait", true, readPredicate},
	{"HasParent", false, readNothing},
	{"ImplicitTerminator", false, readTerminator},
	{"Effects", false, readEffects},
}

func ruleKindNamed(name string) *ruleKind {
	for i := range ruleKinds {
		if ruleKinds[i].name == name {
			return &ruleKinds[i]
		}
	}
	return nil
}

func readNothing(*rowReader, *Rule) {}

func readValues(r *rowReader, rule *Rule) { rule.Values = r.values(rule.Args) }

// matchWords are what the traits All…Match compare, in diagnostics.
var matchWords = [...][2]string{
	{"AllTypesMatch", "type"}, {"AllElementTypesMatch", "element type"}, {"AllRanksMatch", "rank"}, {"AllShapesMatch", "shape"},
}

func readAllMatch(r *rowReader, rule *Rule) {
	readValues(r, rule)
	for _, w := range matchWords {
		if w[0] == rule.Name {
			rule.Description = "all of {" + strings.Join(rule.Args, ", ") + "} have same " + w[1]
		}
	}
}

func readTransform(r *rowReader, rule *Rule) {
	if len(rule.Args) != 3 {
		r.bad("not two values and a transform")
	}
	rule.Values = r.values(rule.Args[:2])
	rule.Func = rule.Args[2]
	if rule.transform = transformNamed(rule.Func); rule.transform == nil {
		r.bad("unknown transform")
	}
}

func readPredicate(r *rowReader, rule *Rule) {
	rule.Func = rule.Args[0]
	rule.Values = r.values(rule.Args[1:])
	if rule.predicate = predicateNamed(rule.Func); rule.predicate == nil {
		r.bad("unknown predicate")
	}
}

func readTerminator(r *rowReader, rule *Rule) { r.def.Terminator = rule.Args[0] }

var effectWords = [...]string{"read", "write", "allocate", "free"}

func readEffects(r *rowReader, rule *Rule) {
	for _, arg := range rule.Args {
		effect, value, ok := strings.Cut(arg, ":")
		if !slices.Contains(effectWords[:], effect) {
			r.bad("unknown effect")
		}
		if ok {
			rule.Values = append(rule.Values, r.values([]string{value})...)
		}
	}
}

// A typeTransform is the function of a rule TypesMatchWith: the types of a group
// of values from the types of another, or nil if they are of the wrong kind.
type typeTransform struct {
	name  string
	types func(c *Context, from []*Type) []*Type
}

var typeTransforms = lazy.Value[[]typeTransform]{Make: func() []typeTransform {
	return []typeTransform{
		{"same", func(_ *Context, from []*Type) []*Type { return from }},
		{"element-type", one(elementType)},
		{"element-type-each", elementTypeEach},
		{"i1-same-shape", one((*Context).i1SameShape)},
		{"function-inputs", functionTypes(func(t *Type) []*Type { return t.Ins })},
		{"function-results", functionTypes(func(t *Type) []*Type { return t.Outs })},
		{"value-and-i1-struct", one(func(c *Context, t *Type) *Type { return c.LLVMStruct(t, c.Integer(1)) })},
		{"last-size-doubled", one(func(c *Context, t *Type) *Type { return c.scaleLastSize(t, 2, 1) })},
		{"last-size-halved", one(func(c *Context, t *Type) *Type { return c.scaleLastSize(t, 1, 2) })},
	}
}}

func transformNamed(name string) *typeTransform {
	all := typeTransforms.Get()
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// one builds a transform from a function on a single type.
func one(f func(c *Context, t *Type) *Type) func(*Context, []*Type) []*Type {
	return func(c *Context, from []*Type) []*Type {
		if len(from) != 1 {
			return nil
		}
		t := f(c, from[0])
		if t == nil {
			return nil
		}
		return t.single
	}
}

func elementType(_ *Context, t *Type) *Type {
	if t.IsDialect("llvm", "vec") {
		return llvmElement(t)
	}
	return t.Elem
}

func elementTypeEach(_ *Context, from []*Type) []*Type {
	if len(from) != 1 || !from[0].HasStaticShape() || from[0].NumElements() > maxElements {
		return nil
	}
	return slices.Repeat([]*Type{from[0].Elem}, int(from[0].NumElements()))
}

// maxElements limits the values that a type of a shape can represent.
const maxElements = 1 << 20

func functionTypes(f func(t *Type) []*Type) func(*Context, []*Type) []*Type {
	return func(_ *Context, from []*Type) []*Type {
		if len(from) != 1 || from[0].Kind != FunctionKind {
			return nil
		}
		return f(from[0])
	}
}

// i1SameShape returns i1, or the shaped type with elements i1.
func (c *Context) i1SameShape(t *Type) *Type {
	if t.IsDialect("llvm", "vec") {
		size := t.Params[len(t.Params)-2]
		if len(t.Params) > 2 {
			return c.VectorType([]int64{size.Int}, []bool{true}, c.Integer(1))
		}
		return c.Vector(c.Integer(1), size.Int)
	}
	return c.withElement(t, c.Integer(1))
}

// withElement returns the type with the shape of t and another element type, or
// the element type for a scalar.
func (c *Context) withElement(t, elem *Type) *Type {
	switch t.Kind {
	case VectorKind:
		return c.VectorType(t.Shape, t.Scalable, elem)
	case TensorKind:
		return c.TensorType(t.Shape, elem, t.Encoding)
	case UnrankedTensorKind:
		return c.UnrankedTensorType(elem)
	}
	return elem
}

// scaleLastSize multiplies the last size of a vector. A vector of rank 0 becomes
// one of rank 1.
func (c *Context) scaleLastSize(t *Type, times, by int64) *Type {
	if t.Kind != VectorKind {
		return nil
	}
	if len(t.Shape) == 0 {
		return c.Vector(t.Elem, times)
	}
	shape := slices.Clone(t.Shape)
	last := &shape[len(shape)-1]
	if *last = *last * times / by; *last <= 0 {
		return t
	}
	return c.VectorType(shape, t.Scalable, t.Elem)
}
