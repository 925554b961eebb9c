package tollvm

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// IsMemRef reports whether t is a memref, of a known rank or any.
func IsMemRef(t *mlir.Type) bool {
	return t.Kind == mlir.MemRefKind || t.Kind == mlir.UnrankedMemRefKind
}

// ArgTypes returns the types of the arguments that an argument of type t becomes at the border
// of a function: one, or for a memref the members of its descriptor. With bare
// pointers a memref is one pointer. ok is false if the type cannot be an argument.
func (l *Lowering) ArgTypes(t *mlir.Type) (list []*mlir.Type, ok bool) {
	to := l.Convert(t)
	switch {
	case to == nil:
		return nil, false
	case !IsMemRef(t):
		return []*mlir.Type{to}, true
	case l.BarePointers:
		space, _ := l.Space(t)
		return []*mlir.Type{llvm.PointerType(l.Context, space)}, isStatic(t)
	}
	for _, p := range l.members(t) {
		list = append(list, p.t)
	}
	return list, true
}

// A member of a descriptor has a type and a position.
type member struct {
	t  *mlir.Type
	at []int64
}

// members lists the members of a memref's descriptor in the order of arguments.
func (l *Lowering) members(t *mlir.Type) []member {
	if t.Kind == mlir.UnrankedMemRefKind {
		return []member{{l.Index(), []int64{0}}, {l.PlainPointer(), []int64{1}}}
	}
	space, _ := l.Space(t)
	ptr := llvm.PointerType(l.Context, space)
	list := []member{{ptr, []int64{allocatedMember}}, {ptr, []int64{alignedMember}}, {l.Index(), []int64{offsetMember}}}
	for _, m := range [...]int64{sizesMember, stridesMember} {
		for i := range t.Shape {
			list = append(list, member{l.Index(), []int64{m, int64(i)}})
		}
	}
	return list
}

func isStatic(t *mlir.Type) bool {
	if t.Kind != mlir.MemRefKind {
		return false
	}
	strides, offset, ok := mlir.StridesAndOffset(t)
	for _, s := range strides {
		ok = ok && s != mlir.Dynamic
	}
	return ok && offset != mlir.Dynamic && t.HasStaticShape()
}

// FromArgs returns the converted value of type t made of arguments of the types
// that ArgTypes returns.
func (l *Lowering) FromArgs(t *mlir.Type, args []*mlir.Value) *mlir.Value {
	switch {
	case !IsMemRef(t):
		return args[0]
	case l.BarePointers:
		return l.StaticMemRef(t, args[0]).Value
	}
	v := l.Poison(l.Convert(t))
	for i, m := range l.members(t) {
		v = l.Insert(v, args[i], m.at...)
	}
	return v
}

// ToArgs appends the arguments that a converted value of type t becomes in a call.
func (l *Lowering) ToArgs(args []*mlir.Value, t *mlir.Type, v *mlir.Value) []*mlir.Value {
	switch {
	case !IsMemRef(t):
		return append(args, v)
	case l.BarePointers:
		return append(args, l.MemRef(t, v).Aligned())
	}
	for _, m := range l.members(t) {
		args = append(args, l.Extract(v, m.t, m.at...))
	}
	return args
}

// A FunctionBorder is the conversion of a function's type.
type FunctionBorder struct {
	Type *mlir.Type // of the LLVM function

	args [][]*mlir.Type // the new arguments for each old one
}

// Border returns the LLVM type of a function with arguments and results. Several
// results become a structure; a memref among them is its descriptor, or with bare
// pointers a pointer. ok is false if a type has no LLVM type.
func (l *Lowering) Border(ins, outs []*mlir.Type) (b FunctionBorder, ok bool) {
	var args []*mlir.Type
	for _, t := range ins {
		list, ok := l.ArgTypes(t)
		if !ok {
			return b, false
		}
		b.args = append(b.args, list)
		args = append(args, list...)
	}
	result, ok := l.ResultType(outs)
	if !ok {
		return b, false
	}
	b.Type = llvm.FunctionType(l.Context, result, args, false)
	return b, true
}

// ResultType returns the LLVM type of a function's results: void, their own, or a
// structure.
func (l *Lowering) ResultType(outs []*mlir.Type) (t *mlir.Type, ok bool) {
	members := make([]*mlir.Type, len(outs))
	for i, out := range outs {
		if members[i] = l.Convert(out); members[i] == nil {
			return nil, false
		}
		if IsMemRef(out) && l.BarePointers {
			if !isStatic(out) {
				return nil, false
			}
			space, _ := l.Space(out)
			members[i] = llvm.PointerType(l.Context, space)
		}
	}
	switch len(members) {
	case 0:
		return l.Context.DialectType("llvm", "void"), true
	case 1:
		return members[0], true
	}
	return llvm.StructType(l.Context, members...), true
}

// ConvertEntry replaces the arguments of a function's first block by the arguments of the
// border, and changes the types of the other blocks' arguments. The result is false if one has no LLVM type.
func (l *Lowering) ConvertEntry(r *mlir.Region, b FunctionBorder) bool {
	entry := r.Entry()
	old := entry.Args
	entry.Args = nil
	if !l.ConvertArgs(r) {
		return false
	}
	l.MoveToStart(entry)
	for i, a := range old {
		var args []*mlir.Value
		for _, t := range b.args[i] {
			args = append(args, entry.AddArg(t))
		}
		if a.HasUses() {
			l.ReplaceValue(a, l.FromArgs(a.Type, args))
		}
	}
	return true
}

// ArgAttrs returns the attributes of a function's arguments at the border: an
// argument that becomes several has none.
func (l *Lowering) ArgAttrs(attrs *mlir.Attr, b FunctionBorder) *mlir.Attr {
	if attrs == nil {
		return nil
	}
	var list []*mlir.Attr
	for i, types := range b.args {
		if len(types) == 1 {
			list = append(list, attrs.List[i])
			continue
		}
		for range types {
			list = append(list, l.Context.Dict())
		}
	}
	return l.Context.Array(list...)
}

// ReturnValues replaces the return of a function by an operation of at most one operand: several values
// become a structure.
func (l *Lowering) ReturnValues(o *mlir.Op, to string) error {
	types := make([]*mlir.Type, len(o.Operands))
	for i, u := range o.Operands {
		types[i] = u.Value.Type
	}
	t, ok := l.ResultType(types)
	if !ok {
		return rewrite.ErrNoMatch
	}
	values := l.Operands(o)
	for i, v := range values {
		if IsMemRef(types[i]) && l.BarePointers {
			values[i] = l.MemRef(types[i], v).Aligned()
		}
	}
	if len(values) > 1 {
		whole := l.Poison(t)
		for i, v := range values {
			whole = l.Insert(whole, v, int64(i))
		}
		values = Values(whole)
	}
	l.EmitVoid(to, values)
	o.Erase()
	return nil
}
