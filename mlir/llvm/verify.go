package llvm

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/mlir"
)

// memberType returns the type of a member of an aggregate at a position.
func memberType(t *mlir.Type, position []int64) (*mlir.Type, error) {
	if !isCompatible(t) {
		return nil, fmt.Errorf("expected LLVM IR Dialect type, got '%s'", t)
	}
	for _, i := range position {
		switch {
		case t.IsDialect("llvm", "array"):
			if i < 0 || i >= t.Params[0].Int {
				return nil, fmt.Errorf("position out of bounds: %d", i)
			}
			t = t.Params[1].Type
		case t.IsDialect("llvm", "struct"):
			members := membersOf(t)
			if i < 0 || i >= int64(len(members)) {
				return nil, fmt.Errorf("position out of bounds: %d", i)
			}
			t = members[i].Type
		default:
			return nil, fmt.Errorf("expected LLVM IR structure/array type, got: '%s'", t)
		}
	}
	return t, nil
}

func verifyExtract(_ *mlir.Context, o *mlir.Op) error {
	from, got := o.Operand(0).Type, o.Result(0).Type
	t, err := memberType(from, o.Attr("position").Int64s())
	if err == nil && t != got {
		err = mlir.OpErrorf("Type mismatch: extracting from '%s' should produce '%s' but this op returns '%s'", from, t, got)
	}
	return err
}

func verifyInsert(_ *mlir.Context, o *mlir.Op) error {
	into, value := o.Operand(0).Type, o.Operand(1).Type
	t, err := memberType(into, o.Attr("position").Int64s())
	if err == nil && t != value {
		err = mlir.OpErrorf("Type mismatch: cannot insert '%s' into '%s'", value, into)
	}
	return err
}

func verifyPointerArithmetic(_ *mlir.Context, o *mlir.Op) error {
	indices := o.Attr("rawConstantIndices").Int64s()
	dynamic := 0
	for _, n := range indices {
		if n == dynamicIndex {
			dynamic++
		}
	}
	if dynamic != len(o.Operands)-1 {
		return errors.New("expected as many dynamic indices as specified in 'rawConstantIndices'")
	}
	if a := o.Attr("noWrapFlags"); a != nil && a.Int == 1 {
		return mlir.OpErrorf("%s", "'inbounds_flag' cannot be used directly.")
	}
	t := o.Attr("elem_type").Type
	for i := 1; i < len(indices); i++ {
		next, err := indexedType(t, i, indices[i])
		if err != nil {
			return err
		}
		t = next
	}
	return nil
}

// indexedType returns the type that index number i selects in a type.
func indexedType(t *mlir.Type, i int, index int64) (*mlir.Type, error) {
	switch {
	case t.IsDialect("llvm", "struct"):
		members := membersOf(t)
		switch {
		case index == dynamicIndex:
			return nil, fmt.Errorf("expected index %d indexing a struct to be constant", i)
		case index < 0 || index >= int64(len(members)):
			return nil, fmt.Errorf("index %d indexing a struct is out of bounds", i)
		}
		return members[index].Type, nil
	case t.IsDialect("llvm", "array"), t.IsDialect("llvm", "vec"):
		return t.Params[len(t.Params)-1].Type, nil
	case t.Kind == mlir.VectorKind:
		return t.Elem, nil
	}
	return nil, fmt.Errorf("type '%s' cannot be indexed (index #%d)", t, i)
}

// Orderings of atomic operations.
const (
	notAtomic = 0
	unordered = 1
	monotonic = 2
	acquire   = 4
	release   = 5
	acqRel    = 6
)

func verifyLoad(c *mlir.Context, o *mlir.Op) error {
	return verifyAtomic(c, o, o.Result(0).Type, release)
}

func verifyStore(c *mlir.Context, o *mlir.Op) error {
	return verifyAtomic(c, o, o.Operand(0).Type, acquire)
}

// verifyAtomic checks a load or store, which cannot have a certain ordering and
// acq_rel.
func verifyAtomic(c *mlir.Context, o *mlir.Op, t *mlir.Type, refused int64) error {
	ordering := o.Attr("ordering")
	if ordering == nil || ordering.Int == notAtomic {
		if o.Attr("syncscope") != nil {
			return errors.New("expected syncscope to be null for non-atomic access")
		}
		return nil
	}
	switch {
	case !isAtomicType(t):
		return fmt.Errorf("unsupported type '%s' for atomic access", t)
	case ordering.Int == refused || ordering.Int == acqRel:
		return fmt.Errorf("unsupported ordering '%s'", c.Enum("llvm", "AtomicOrdering").Spelling(ordering.Int))
	case o.Attr("alignment") == nil:
		return errors.New("expected alignment for atomic access")
	}
	return nil
}

// isAtomicType accepts integers, floats and pointers of a power of two of at least
// eight bits.
func isAtomicType(t *mlir.Type) bool {
	if t.IsDialect("llvm", "ptr") {
		return true
	}
	n := t.BitWidth()
	return (t.Kind == mlir.IntegerKind || t.Kind == mlir.FloatKind && t.Float.LLVM()) && n >= 8 && bits.OnesCount(uint(n)) == 1
}

func verifySwitch(_ *mlir.Context, o *mlir.Op) error {
	values, cases := o.Attr("case_values"), len(o.Successors)-1
	if values == nil && cases > 0 || values != nil && values.NumElements() != cases {
		return errors.New("expects number of case values to match number of case destinations")
	}
	if values != nil && values.Type.Elem != o.Operand(0).Type {
		return mlir.PlainErrorf("expects case value type to match condition value type")
	}
	return nil
}

func verifyShuffle(_ *mlir.Context, o *mlir.Op) error {
	if t := o.Operand(0).Type; !t.IsScalable() {
		return nil
	}
	for _, n := range o.Attr("mask").Int64s() {
		if n != 0 {
			return errors.New("expected a splat operation for scalable vectors")
		}
	}
	return nil
}

func verifyReturn(_ *mlir.Context, o *mlir.Op) error {
	f := o.Parent()
	for f != nil && f.Name != "llvm.func" {
		f = f.Parent()
	}
	if f == nil {
		return nil
	}
	result, _, _ := FunctionParts(f.Attr("function_type").Type)
	switch {
	case result.IsDialect("llvm", "void"):
		if len(o.Operands) > 0 {
			return errors.New("expected no operands")
		}
	case len(o.Operands) == 0:
		return errors.New("expected 1 operand")
	case o.Operand(0).Type != result:
		return errors.New("mismatching result types")
	}
	return nil
}

func verifyFunc(_ *mlir.Context, o *mlir.Op) error {
	linkage := o.Attr("linkage").Text
	if linkage == "common" {
		return errors.New("functions cannot have 'common' linkage")
	}
	if len(o.Regions[0].Blocks) == 0 {
		if linkage != "external" && linkage != "extern_weak" {
			return errors.New("external functions must have 'external' or 'extern_weak' linkage")
		}
		return nil
	}
	noInline := o.Attr("no_inline") != nil
	if noInline && o.Attr("always_inline") != nil {
		return mlir.PlainErrorf("no_inline and always_inline attributes are incompatible")
	}
	if o.Attr("optimize_none") != nil && !noInline {
		return errors.New("with optimize_none must also be no_inline")
	}
	_, args, _ := FunctionParts(o.Attr("function_type").Type)
	return mlir.VerifyEntry(o, args)
}

func verifyGlobal(_ *mlir.Context, o *mlir.Op) error {
	t, value, linkage := o.Attr("global_type").Type, o.Attr("value"), o.Attr("linkage").Text
	if !isCompatible(t) || !isMember(t) {
		return errors.New("expects type to be a valid element type for an LLVM global")
	}
	if value != nil && value.Kind == mlir.StringAttr && t != nil {
		if !t.IsDialect("llvm", "array") || !t.Params[1].Type.IsInteger(8) || t.Params[0].Int != int64(len(value.Text)) {
			return mlir.OpErrorf("requires an i8 array type of the length equal to that %s the string attribute", "of")
		}
	}
	if linkage == "appending" && !t.IsDialect("llvm", "array") {
		return errors.New("expected array type for 'appending' linkage")
	}
	if a := o.Attr("alignment"); a != nil && bits.OnesCount64(uint64(a.Int)) != 1 {
		return mlir.PlainErrorf("alignment attribute is not a power of 2")
	}
	return verifyInitializer(o, t, value)
}

func verifyInitializer(o *mlir.Op, t *mlir.Type, value *mlir.Attr) error {
	b := o.Regions[0].Entry()
	if b == nil {
		return nil
	}
	last := b.Last()
	if last == nil || len(last.Operands) == 0 {
		return errors.New("initializer region cannot return void")
	}
	if got := last.Operand(0).Type; got != t {
		return fmt.Errorf("initializer region type '%s' does not match global type '%s'", got, t)
	}
	if value != nil {
		return errors.New("cannot have both initializer value and region")
	}
	return nil
}

func verifyAddress(c *mlir.Context, o *mlir.Op) error {
	found := c.LookupSymbol(o, o.Attr("global_name"))
	if found == nil {
		return missingGlobal(c)
	}
	switch found.Name {
	case "llvm.mlir.global":
		a := found.Attr("addr_space")
		if a != nil && a.Int != pointerSpace(o.Result(0).Type) {
			if c.Edition == mlir.Edition19 {
				return errors.New("pointer address space must match address space of the referenced global")
			}
			return errors.New("pointer address space must match address space of the referenced global or alias")
		}
	case "llvm.func", "llvm.mlir.alias", "llvm.mlir.ifunc":
	default:
		return missingGlobal(c)
	}
	return nil
}

func missingGlobal(c *mlir.Context) error {
	if c.Edition == mlir.Edition19 {
		return errors.New("must reference a global defined by 'llvm.mlir.global' or 'llvm.func'")
	}
	return errors.New("must reference a global defined by 'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func' or 'llvm.mlir.ifunc'")
}

func pointerSpace(t *mlir.Type) int64 {
	if len(t.Params) == 0 {
		return 0
	}
	return t.Params[0].Int
}

func verifyCall(c *mlir.Context, o *mlir.Op) error {
	callee := o.Attr("callee")
	args := o.OperandGroup(0)
	if callee == nil {
		if len(args) == 0 {
			return errors.New("must have either a `callee` attribute or at least an operand")
		}
		if t := args[0].Value.Type; !t.IsDialect("llvm", "ptr") {
			return fmt.Errorf("indirect call expects a pointer as callee: '%s'", t)
		}
		return nil
	}
	f := c.LookupSymbol(o, callee)
	if f == nil {
		return fmt.Errorf("'%s' does not reference a symbol in the current scope", callee.Text)
	}
	var t *mlir.Type
	switch f.Name {
	case "llvm.func":
		t = f.Attr("function_type").Type
	case "llvm.mlir.ifunc":
		t = f.Attr("i_func_type").Type
	case "llvm.mlir.alias":
		return nil
	default:
		if c.Edition == mlir.Edition19 {
			return fmt.Errorf("'%s' does not reference a valid LLVM function", callee.Text)
		}
		return fmt.Errorf("'%s' does not reference a valid LLVM function or IFunc", callee.Text)
	}
	return verifyCallTypes(o, args, t)
}

func verifyCallTypes(o *mlir.Op, args []*mlir.Use, t *mlir.Type) error {
	result, params, variadic := FunctionParts(t)
	switch {
	case variadic && o.Attr("var_callee_type") == nil:
		return errors.New("missing var_callee_type attribute for vararg call")
	case !variadic && len(params) != len(args):
		return fmt.Errorf("incorrect number of operands (%d) for callee (expecting: %d)", len(args), len(params))
	case len(params) > len(args):
		return fmt.Errorf("incorrect number of operands (%d) for varargs callee (expecting at least: %d)", len(args), len(params))
	}
	for i, p := range params {
		if got := args[i].Value.Type; got != p {
			return fmt.Errorf("operand type mismatch for operand %d: '%s' != '%s'", i, got, p)
		}
	}
	void := result.IsDialect("llvm", "void")
	switch {
	case len(o.Results) == 0 && !void:
		return errors.New("expected function call to produce a value")
	case len(o.Results) > 0 && void:
		return errors.New("calling function with void result must not produce values")
	case len(o.Results) > 0 && o.Result(0).Type != result:
		return fmt.Errorf("result type mismatch: '%s' != '%s'", o.Result(0).Type, result)
	}
	return nil
}

func verifyConstant(c *mlir.Context, o *mlir.Op) error {
	a, t := o.Attr("value"), o.Result(0).Type
	if t.IsDialect("llvm", "struct") {
		return verifyStructConstant(c, a, structureOf(t).members)
	}
	switch a.Kind {
	case mlir.StringAttr:
		if !t.IsDialect("llvm", "array") || t.Params[0].Int != int64(len(a.Text)) || !t.Params[1].Type.IsInteger(8) {
			return fmt.Errorf("expected array type of %d i8 elements for the string constant", len(a.Text))
		}
	case mlir.IntegerAttr:
		if t.Kind != mlir.IntegerKind {
			return errors.New("expected integer type")
		}
	case mlir.FloatAttr:
		switch {
		case t.Kind == mlir.FloatKind && t.Float != a.Type.Float && c.Edition == mlir.Edition19:
			return fmt.Errorf("expected float type of width %d", a.Type.BitWidth())
		case t.Kind == mlir.FloatKind && t.Float != a.Type.Float:
			return errors.New("attribute and type have different float semantics")
		case t.Kind == mlir.IntegerKind && t.Width != a.Type.BitWidth():
			return fmt.Errorf("expected integer type of width %d", a.Type.BitWidth())
		}
	case mlir.DenseElementsAttr:
		if t.Kind != mlir.VectorKind && !t.IsDialect("llvm", "array") {
			return errors.New("expected vector or array type")
		}
	}
	return nil
}

// verifyStructConstant checks a constant structure. Edition 19 has only complex
// numbers: two members of the same type.
func verifyStructConstant(c *mlir.Context, a *mlir.Attr, members []*mlir.Type) error {
	if c.Edition == mlir.Edition19 && (len(members) != 2 || members[0] != members[1]) {
		return mlir.PlainErrorf("expected struct type with two elements of the same type, the type of a complex constant")
	}
	if a.Kind != mlir.ArrayAttr {
		if c.Edition == mlir.Edition19 {
			return mlir.PlainErrorf("expected array attribute with two elements, representing a complex constant")
		}
		return errors.New("expected array attribute for struct type")
	}
	if len(a.List) != len(members) {
		return fmt.Errorf("expected array attribute of size %d", len(members))
	}
	for i, e := range a.List {
		switch t := members[i]; {
		case t.Kind != mlir.FloatKind && t.Kind != mlir.IntegerKind:
			return errors.New("expected struct element types to be floating point type or integer type")
		case e.Kind != mlir.FloatAttr && e.Kind != mlir.IntegerAttr:
			return errors.New("expected element of array attribute to be floating point or integer")
		case e.Type != t:
			return fmt.Errorf("struct element at index %d is of wrong type", i)
		}
	}
	return nil
}

func verifyReadModifyWrite(c *mlir.Context, o *mlir.Op) error {
	op := c.Enum("llvm", "AtomicBinOp").Spelling(o.Attr("bin_op").Int)
	t := o.Operand(1).Type
	switch op {
	case "fadd", "fsub", "fmin", "fmax", "fminimum", "fmaximum":
		if t.Kind != mlir.FloatKind && t.Kind != mlir.VectorKind {
			return errors.New("expected LLVM IR floating point type")
		}
	case "xchg":
		if !isAtomicType(t) {
			return errors.New("unexpected LLVM IR type for 'xchg' bin_op")
		}
	default:
		if t.Kind != mlir.IntegerKind || !isAtomicType(t) {
			return errors.New("expected LLVM IR integer type")
		}
	}
	if o.Attr("ordering").Int < monotonic {
		return fmt.Errorf("expected at least '%s' ordering", c.Enum("llvm", "AtomicOrdering").Spelling(monotonic))
	}
	return nil
}

func verifyCompareExchange(c *mlir.Context, o *mlir.Op) error {
	if t := o.Operand(1).Type; !isAtomicType(t) {
		return errors.New("unexpected LLVM IR type")
	}
	success, failure := o.Attr("success_ordering").Int, o.Attr("failure_ordering").Int
	if success < monotonic || failure < monotonic {
		return errors.New("ordering must be at least 'monotonic'")
	}
	if failure == release || failure == acqRel {
		return errors.New("failure ordering cannot be 'release' or 'acq_rel'")
	}
	return nil
}

func verifyFence(_ *mlir.Context, o *mlir.Op) error {
	switch o.Attr("ordering").Int {
	case notAtomic, unordered, monotonic:
		return errors.New("can be given only acquire, release, acq_rel, and seq_cst orderings")
	}
	return nil
}

func verifyModuleFlags(_ *mlir.Context, o *mlir.Op) error {
	if p := o.Parent(); p == nil || p.Def == nil || !p.Def.Has(mlir.SymbolTable) || !p.Def.Has(mlir.IsolatedFromAbove) {
		return errors.New("must appear at the module level")
	}
	for _, a := range o.Attr("flags").List {
		if a.Kind != mlir.DialectAttr || a.Text != "mlir.module_flag" {
			return errors.New("expected a module flag attribute")
		}
	}
	return nil
}
