package compile

import "github.com/gfx-toolchain/gfx/ir"

// mathFunction is a function of ROCm's library ocml that implements an
// intrinsic.
type mathFunction struct {
	id     ir.Intrinsic
	name   string // without "__ocml_" and the type
	double bool   // only for double; code generation expands the other types
}

var mathFunctions = []mathFunction{
	{ir.IntrAcos, "acos", false}, {ir.IntrAsin, "asin", false}, {ir.IntrAtan, "atan", false}, {ir.IntrAtan2, "atan2", false},
	{ir.IntrCosh, "cosh", false}, {ir.IntrSinh, "sinh", false}, {ir.IntrTan, "tan", false}, {ir.IntrTanh, "tanh", false},
	{ir.IntrCos, "cos", true}, {ir.IntrSin, "sin", true}, {ir.IntrPow, "pow", true},
	{ir.IntrExp, "exp", true}, {ir.IntrExp2, "exp2", true}, {ir.IntrExp10, "exp10", true},
	{ir.IntrLog, "log", true}, {ir.IntrLog2, "log2", true}, {ir.IntrLog10, "log10", true},
}

// mathSuffix returns the end of the names of the library's functions of a type,
// or "".
func mathSuffix(t ir.Type) string {
	switch t {
	case ir.Half:
		return "_f16"
	case ir.Float:
		return "_f32"
	case ir.Double:
		return "_f64"
	}
	return ""
}

// mathFunctionOf returns the function for an intrinsic and a scalar type, or
// nil.
func mathFunctionOf(id ir.Intrinsic, t ir.Type) *mathFunction {
	for i := range mathFunctions {
		if x := &mathFunctions[i]; x.id == id && mathSuffix(t) != "" && (t == ir.Double || !x.double) {
			return x
		}
	}
	return nil
}

// callMathLibrary replaces intrinsics that no instructions implement with calls
// of ROCm's library, which the caller then links.
func callMathLibrary(m *ir.Module) {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() {
			replaceMath(g.Func)
		}
	}
}

// replaceMath replaces the intrinsics in a function.
func replaceMath(f *ir.Function) {
	var calls []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpCall && mathFunctionOf(f.CalledIntrinsic(v), f.Module().Scalar(f.TypeOf(v))) != nil {
				calls = append(calls, v)
			}
		}
	}
	for _, v := range calls {
		b := ir.NewBuilder(f, f.Parent(v))
		b.Before(v)
		f.ReplaceUses(v, mathCall(b, v))
		f.Erase(v)
	}
}

// mathCall calls the library instead of an intrinsic, once for each element of a
// vector.
func mathCall(b *ir.Builder, call ir.Value) ir.Value {
	f, m := b.F, b.F.Module()
	t := f.TypeOf(call)
	elem := m.Scalar(t)
	fn := declareMath(m, mathFunctionOf(f.CalledIntrinsic(call), elem), elem, len(f.Args(call)))
	if !m.IsVector(t) {
		return copyMath(b, call, fn, func(v ir.Value) ir.Value { return v })
	}
	sum := m.Poison(t)
	for i := range m.NumElements(t) {
		at := m.NewInt(ir.I32, i)
		r := copyMath(b, call, fn, func(v ir.Value) ir.Value { return b.ExtractElement(v, at) })
		sum = b.InsertElement(sum, r, at)
	}
	return sum
}

// copyMath calls a function with the arguments and the flags of another call.
func copyMath(b *ir.Builder, call ir.Value, fn *ir.Function, part func(ir.Value) ir.Value) ir.Value {
	var args []ir.Value
	for _, a := range b.F.Args(call) {
		args = append(args, part(a.Value))
	}
	n := b.Call(fn, args...)
	b.F.Instr(n).Flags = b.F.Instr(call).Flags
	return n
}

// declareMath returns a function of the library with n parameters.
func declareMath(m *ir.Module, x *mathFunction, t ir.Type, n int) *ir.Function {
	name := "__ocml_" + x.name + mathSuffix(t)
	if f := m.Function(name); f != nil {
		return f
	}
	params := make([]ir.Type, n)
	for i := range params {
		params[i] = t
	}
	return m.AddFunction(name, m.FuncType(t, params, false), 0, ir.None)
}
