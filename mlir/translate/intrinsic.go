package translate

import (
	_ "embed" // of the rows
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

//go:embed intrinsics.txt
var intrinsicRows string

// addIntrinsics adds the rows of intrinsics.txt.
func addIntrinsics(all map[string]*opRow) {
	for line := range strings.Lines(intrinsicRows) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		line, name, _ := strings.Cut(line, " = ")
		fields := strings.Fields(line)
		if name == "" {
			name = intrinsicName(fields[0])
		}
		row := &opRow{name: fields[0], emit: emitIntrinsic, id: ir.LookupIntrinsic(name), args: fields[1:]}
		if row.result = len(row.args) > 0 && row.args[0] == "=$"; row.result {
			row.args[0] = "$"
		}
		all[fields[0]] = row
	}
}

// intrinsicName returns the name of an operation's intrinsic, without the types of
// an overloaded one, or "" if the operation is none.
func intrinsicName(op string) string {
	if rest, ok := strings.CutPrefix(op, "rocdl."); ok {
		return "llvm.amdgcn." + strings.ReplaceAll(rest, "_", ".")
	}
	if rest, ok := strings.CutPrefix(op, "llvm.intr."); ok {
		return "llvm." + rest
	}
	return ""
}

// intrinsicRow returns a row for an operation whose arguments are its operands in
// order, or nil if it is no intrinsic.
func (t *translator) intrinsicRow(op string) *opRow {
	if known, ok := t.plain[op]; ok {
		return known
	}
	name := intrinsicName(op)
	var row *opRow
	if id := ir.LookupIntrinsic(name); id != ir.NoIntrinsic && id.String() == name {
		row = &opRow{name: op, emit: emitIntrinsic, id: id}
	}
	t.plain[op] = row
	return row
}

// A callee is an intrinsic with a function type.
type callee struct {
	id ir.Intrinsic
	u  ir.Type
}

// intrinsic returns the declaration of an intrinsic whose function type has the
// parameters t.params.
func (t *translator) intrinsic(id ir.Intrinsic, result ir.Type) *ir.Function {
	u := t.m.FuncType(result, t.params, false)
	key := callee{id, u}
	if f := t.callees[key]; f != nil {
		return f
	}
	over, ok := t.m.MatchIntrinsic(id, u)
	if !ok {
		t.refuse("has operands or results that the intrinsic %s does not have", id)
	}
	f := t.m.DeclareIntrinsic(id, over...)
	t.callees[key] = f
	return f
}

// call calls an intrinsic with the arguments t.ops.
func (t *translator) call(o *mlir.Op, id ir.Intrinsic, result ir.Type) ir.Value {
	t.params = t.params[:0]
	for _, v := range t.ops {
		t.params = append(t.params, t.f.TypeOf(v))
	}
	f := t.intrinsic(id, result)
	return t.callFunction(o, f)
}

// callFunction calls a function with the arguments t.ops.
func (t *translator) callFunction(o *mlir.Op, f *ir.Function) ir.Value {
	t.ops = append(t.ops, f.Value())
	v := t.make(o, ir.OpCall, f.ReturnType(), t.ops...)
	t.f.Instr(v).X = uint32(f.Type)
	return v
}

func emitIntrinsic(t *translator, o *mlir.Op, row *opRow) ir.Value {
	if len(row.args) == 0 {
		t.operands(o, 0, len(o.Operands))
	} else {
		t.arguments(o, row.args)
	}
	args, result := len(t.ops), t.resultType(o)
	if result == ir.Void && row.result && args > 0 {
		result = t.f.TypeOf(t.ops[0])
	}
	v := t.call(o, row.id, result)
	t.intrinsicAttrs(v, o, args)
	return v
}

// arguments puts the arguments of an intrinsic into t.ops.
func (t *translator) arguments(o *mlir.Op, args []string) {
	t.ops = t.ops[:0]
	next := 0
	for _, name := range args {
		if name[0] == '-' {
			continue
		}
		if a := o.Attr(name); a != nil && a.Type != nil {
			t.ops = append(t.ops, t.constant(t.typeOf(a.Type), a))
			continue
		}
		v := t.operand(o, next)
		if name == "i64" && t.m.IsInt(t.f.TypeOf(v)) {
			v = t.widened(v, ir.I64)
		}
		t.ops = append(t.ops, v)
		next++
	}
	if next != len(o.Operands) {
		t.refuse("has too many operands")
	}
}

// widened returns an integer with zeros to the width of a type, unless it has
// that width.
func (t *translator) widened(v ir.Value, u ir.Type) ir.Value {
	if t.m.IntBits(t.f.TypeOf(v)) >= t.m.IntBits(u) {
		return v
	}
	if n, ok := t.m.IntValue(v); ok {
		return t.m.NewInt(u, n)
	}
	return t.b.Cast(ir.OpZExt, v, u, 0)
}

// intrinsicAttrs sets the attributes of the call of an intrinsic: the range of its
// result, and those that the operation lists.
func (t *translator) intrinsicAttrs(v ir.Value, o *mlir.Op, args int) {
	limits := o.Attr("range")
	if limits == nil && o.Attr("arg_attrs") == nil && o.Attr("res_attrs") == nil {
		return
	}
	sets := make([]ir.AttrSet, 2+args)
	t.valueAttrs(sets, o)
	if limits != nil {
		sets[1] = t.m.AddAttr(sets[1], t.rangeAttr(limits, t.f.TypeOf(v)))
	}
	t.f.SetCallAttrs(v, t.m.AttrList(sets))
}

func emitCallIntrinsic(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	name := t.text(o, "intrin")
	id := ir.LookupIntrinsic(name)
	if id == ir.NoIntrinsic {
		t.refuse("calls %s, which is no intrinsic", name)
	}
	sizes, bundled := t.bundleOperands(o)
	n := len(o.Operands) - bundled
	t.params = t.params[:0]
	for _, u := range o.Operands[:n] {
		t.params = append(t.params, t.typeOf(u.Value.Type))
	}
	f := t.intrinsic(id, t.resultType(o))
	t.operands(o, 0, len(o.Operands))
	v := t.callFunction(o, f)
	t.setBundles(v, o, n, sizes)
	t.intrinsicAttrs(v, o, n)
	return v
}

func emitAssume(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	sizes, _ := t.bundleOperands(o)
	t.params = append(t.params[:0], ir.I1)
	f := t.intrinsic(ir.IntrAssume, ir.Void)
	t.operands(o, 0, len(o.Operands))
	v := t.callFunction(o, f)
	t.setBundles(v, o, 1, sizes)
	return v
}

// roundings and exceptions are the words of LLVM IR for the rounding of a constrained
// operation and its handling of floating-point exceptions, by MLIR's numbers.
var (
	roundings  = [...]string{0: "towardzero", 1: "tonearest", 2: "upward", 3: "downward", 4: "tonearestaway", 7: "dynamic"}
	exceptions = [...]string{"ignore", "maytrap", "strict"}
)

// emitConstrained translates a conversion with a mode of rounding, if it rounds, and
// of exceptions.
func emitConstrained(t *translator, o *mlir.Op, row *opRow) ir.Value {
	t.operands(o, 0, len(o.Operands))
	args := len(t.ops)
	if o.Attr("roundingmode") != nil {
		t.ops = append(t.ops, t.mode(o, "roundingmode", "round.", roundings[:]))
	}
	t.ops = append(t.ops, t.mode(o, "fpExceptionBehavior", "fpexcept.", exceptions[:]))
	v := t.call(o, row.id, t.resultType(o))
	sets := make([]ir.AttrSet, 2+args)
	sets[0] = t.m.AttrSet([]ir.Attr{{Kind: ir.AttrStrictFP}})
	t.f.SetCallAttrs(v, t.m.AttrList(sets))
	return v
}

// mode returns the argument for a mode of a constrained operation.
func (t *translator) mode(o *mlir.Op, name, prefix string, words []string) ir.Value {
	n := t.number(o, name)
	if n < 0 || n >= int64(len(words)) || words[n] == "" {
		t.refuse("has a %s that LLVM IR does not have", name)
	}
	return t.m.NewMDString(prefix + words[n]).Value()
}

func emitScopeDecl(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	a := o.Attr("scope")
	if a == nil {
		t.refuse("has no scope")
	}
	t.ops = append(t.ops[:0], t.scopes(a).Value())
	return t.call(o, ir.IntrExperimentalNoaliasScopeDecl, ir.Void)
}

// emitMaskedRead translates a masked load or gather, which in LLVM IR has the
// alignment on the pointer, and always a vector for the other elements.
func emitMaskedRead(t *translator, o *mlir.Op, row *opRow) ir.Value {
	t.operands(o, 0, len(o.Operands))
	if len(t.ops) == 2 {
		t.ops = append(t.ops, t.m.Poison(t.theType(o)))
	}
	return t.masked(o, row, 0)
}

func emitMaskedWrite(t *translator, o *mlir.Op, row *opRow) ir.Value {
	t.operands(o, 0, len(o.Operands))
	return t.masked(o, row, 1)
}

// masked calls the intrinsic of a masked access. The argument pointer gets the
// alignment.
func (t *translator) masked(o *mlir.Op, row *opRow, pointer int) ir.Value {
	sets := make([]ir.AttrSet, 2+len(t.ops))
	if align := t.alignment(o); align != 0 {
		sets[2+pointer] = t.m.AttrSet([]ir.Attr{{Kind: ir.AttrAlign, Int: uint64(align)}})
	}
	v := t.call(o, ir.LookupIntrinsic(intrinsicName(row.name)), t.resultType(o))
	t.f.SetCallAttrs(v, t.m.AttrList(sets))
	return v
}

// emitBarrier emits a barrier between fences of the work-group.
func emitBarrier(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	t.fence(ir.Release)
	t.ops = t.ops[:0]
	v := t.call(o, ir.IntrAMDGCNSBarrier, ir.Void)
	t.fence(ir.Acquire)
	return v
}

func (t *translator) fence(ordering ir.Ordering) {
	v := t.b.Make(ir.OpFence, ir.Void)
	t.f.SetMemInfo(v, ir.MemInfo{Ordering: ordering, Scope: ir.Workgroup})
}

// emitLibrary calls a function of the device libraries that returns a size of a
// dimension as an i64.
func emitLibrary(t *translator, o *mlir.Op, row *opRow) ir.Value {
	u := t.m.FuncType(ir.I64, []ir.Type{ir.I32}, false)
	f := t.m.Function(row.library)
	if f == nil {
		f = t.m.AddFunction(row.library, u, 0, ir.None)
		f.Attributes = t.m.AttrList(t.libraryAttrs())
	}
	if f.Type != u {
		t.refuse("calls %s, which the module declares with another type", row.library)
	}
	t.ops = append(t.ops[:0], t.m.NewInt(ir.I32, row.index))
	v := t.callFunction(o, f)
	if a := o.Attr("range"); a != nil && a.Kind != mlir.DenseArrayAttr { // edition 19 ignores it
		t.intrinsicAttrs(v, o, 1)
	}
	return t.resized(v, t.theType(o))
}

// resized returns a size, which is less than 2^31, as an integer of another width.
func (t *translator) resized(v ir.Value, u ir.Type) ir.Value {
	switch bits := t.m.IntBits(u); {
	case bits == 0:
		t.refuse("has a result that is no integer")
	case bits < 64:
		return t.b.Cast(ir.OpTrunc, v, u, ir.NUW|ir.NSW)
	case bits > 64:
		return t.b.Cast(ir.OpZExt, v, u, 0)
	}
	return v
}

func (t *translator) libraryAttrs() []ir.AttrSet {
	return slices.Repeat([]ir.AttrSet{0}, 3)
}
