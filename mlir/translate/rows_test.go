package translate_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/rocdl"
)

// mlirType spells a type of LLVM IR in MLIR.
func mlirType(m *ir.Module, u ir.Type) string {
	s := string(text.TypeString(m, u))
	for _, r := range [][2]string{{"bfloat", "bf16"}, {"half", "f16"}, {"float", "f32"}, {"double", "f64"}} {
		s = strings.ReplaceAll(s, r[0], r[1])
	}
	info := m.TypeInfo(u)
	switch info.Kind {
	case ir.KindVector:
		return fmt.Sprintf("vector<%dx%s>", info.N, mlirType(m, info.Elem))
	case ir.KindPtr:
		return fmt.Sprintf("!llvm.ptr<%d>", info.N)
	case ir.KindStruct:
		var fields []string
		for _, e := range info.Elems {
			fields = append(fields, mlirType(m, e))
		}
		return "!llvm.struct<(" + strings.Join(fields, ", ") + ")>"
	}
	return s
}

// candidates are the overloaded types that a row is tried with.
var candidates = []ir.Type{ir.I32, ir.Float, ir.I64, ir.I16, ir.Half, ir.Ptr, ir.Ptr + 1, ir.Ptr + 3, ir.Ptr + 8, ir.BFloat, ir.I1}

// typesFor returns function types of an intrinsic that its table allows.
func typesFor(m *ir.Module, id ir.Intrinsic, limit int) (list []ir.Type) {
	if u := m.IntrinsicType(id); u != ir.NoType {
		return []ir.Type{u}
	}
	all := append([]ir.Type{}, candidates...)
	for _, n := range []uint64{4, 8, 2, 16} {
		for _, e := range []ir.Type{ir.I32, ir.Float, ir.Half, ir.BFloat, ir.I16, ir.I1} {
			all = append(all, m.VectorType(e, n))
		}
	}
	for n := 1; n <= 3 && len(list) == 0; n++ {
		over := make([]ir.Type, n)
		var fill func(i int)
		fill = func(i int) {
			if len(list) >= limit {
				return
			}
			if i == n {
				if u := m.IntrinsicType(id, over...); u != ir.NoType {
					list = append(list, u)
				}
				return
			}
			for _, c := range all {
				over[i] = c
				fill(i + 1)
			}
		}
		fill(0)
	}
	return list
}

// rowModule returns a module in generic form with one operation of a row, whose
// intrinsic has the function type u.
func rowModule(m *ir.Module, id ir.Intrinsic, name string, args []string, u ir.Type) string {
	info := *m.TypeInfo(u)
	if len(args) > 0 && args[0] == "=$" {
		info.Elem = ir.Void
	}
	places := m.IntrinsicAttrs(id, u)
	var constants, all, params, operands, types, given []string
	for i, p := range info.Elems {
		attr := ""
		if i < len(args) {
			attr = strings.TrimLeft(args[i], "=")
		}
		s := mlirType(m, p)
		switch attr {
		case "", "$", "i64":
			operands = append(operands, fmt.Sprintf("%%a%d", i))
			all = append(all, s)
			if m.HasAttr(m.AttrsAt(places, 2+i), ir.AttrImmArg) {
				constants = append(constants, fmt.Sprintf("  %%a%d = \"llvm.mlir.constant\"() <{value = %s}> : () -> %s\n", i, oneOf(s, "0", "false"), s))
				continue
			}
			params = append(params, fmt.Sprintf("%%a%d: %s", i, s))
			types = append(types, s)
		default:
			given = append(given, attr+" = "+oneOf(s, "1", "true"))
		}
	}
	result, ret := "()", "()"
	head := ""
	if info.Elem != ir.Void {
		result = mlirType(m, info.Elem)
		head = "%r = "
		ret = "(%r) : (" + result + ") -> ()"
	} else {
		ret = "() : () -> ()"
	}
	voidless := result
	if voidless == "()" {
		voidless = "void"
	}
	short := func(s string) string { return strings.ReplaceAll(s, "!llvm.", "") }
	return fmt.Sprintf("\"builtin.module\"() ({\n\"llvm.func\"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<%s (%s)>, linkage = #llvm.linkage<external>, sym_name = \"f\", visibility_ = 0 : i64}> ({\n^bb0(%s):\n%s  %s\"%s\"(%s)%s : (%s) -> %s\n  \"llvm.return\"%s\n}) : () -> ()\n}) : () -> ()\n",
		short(voidless), short(strings.Join(types, ", ")), strings.Join(params, ", "), strings.Join(constants, ""), head, name, strings.Join(operands, ", "), properties(given), strings.Join(all, ", "), result, ret)
}

// oneOf writes an integer, or a word of type i1, or a float, as an attribute.
func oneOf(u, number, truth string) string {
	switch u {
	case "i1":
		return truth
	case "f64":
		return number + ".0 : f64"
	}
	return number + " : " + u
}

// properties writes attributes in angle brackets, unless there are none.
func properties(attrs []string) string {
	if len(attrs) == 0 {
		return ""
	}
	return " <{" + strings.Join(attrs, ", ") + "}>"
}

// rowArgs returns the arguments that intrinsics.txt has for operations.
func rowArgs(t *testing.T) (args map[string][]string, names map[string]string) {
	data, err := os.ReadFile("intrinsics.txt")
	if err != nil {
		t.Fatal(err)
	}
	args, names = map[string][]string{}, map[string]string{}
	for line := range strings.Lines(string(data)) {
		if line[0] == '#' {
			continue
		}
		line, name, _ := strings.Cut(strings.TrimSpace(line), " = ")
		fields := strings.Fields(line)
		args[fields[0]], names[fields[0]] = fields[1:], name
	}
	return args, names
}

// ownForm reports whether it is one of the operations whose translation needs more than a call.
func ownForm(name string) bool {
	for _, s := range []string{"rocdl.barrier", ".dim.", "masked.", "intr.assume", "noalias.scope.decl", "coro", "dbg", "vp."} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

// intrinsicOps returns the operations of llvm and rocdl that are calls of intrinsics,
// with the names of these.
func intrinsicOps(names map[string]string) (list [][2]string) {
	for _, d := range []*mlir.Dialect{&rocdl.Dialect, &llvm.Dialect} {
		for op := range d.OpNames(mlir.Edition22) {
			name := d.Name + "." + op
			if ownForm(name) || d.Name == "llvm" && !strings.HasPrefix(op, "intr.") {
				continue
			}
			intrinsic := names[name]
			switch {
			case intrinsic != "":
			case d.Name == "llvm":
				intrinsic = "llvm." + strings.TrimPrefix(op, "intr.")
			default:
				intrinsic = "llvm.amdgcn." + strings.ReplaceAll(op, "_", ".")
			}
			list = append(list, [2]string{name, intrinsic})
		}
	}
	slices.SortFunc(list, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return list
}

// TestIntrinsics compares operations of llvm.intr.* and rocdl.* with mlir-translate.
func TestIntrinsics(t *testing.T) {
	tool := oracle.Tool(t, "mlir-translate-22")
	args, names := rowArgs(t)
	list := intrinsicOps(names)
	if !everything() {
		list = sample(list)
	}
	tested := 0
	for _, op := range list {
		switch known, err := compareOp(t, tool, op[0], ir.LookupIntrinsic(op[1]), args[op[0]]); {
		case err != nil:
			t.Error(err)
		case known:
			tested++
		}
	}
	t.Logf("%d operations compared, %d not", tested, len(list)-tested)
	if tested < len(list)*9/10 {
		t.Error("too few operations compared")
	}
}

// compareOp compares an operation on the first types that mlir-translate accepts, if
// there are any.
func compareOp(t *testing.T, tool, name string, id ir.Intrinsic, args []string) (known bool, err error) {
	const tries = 12
	m := ir.NewModule("")
	types := typesFor(m, id, 400)
	for k := range min(tries, len(types)) {
		source := []byte(rowModule(m, id, name, args, types[k*len(types)/min(tries, len(types))]))
		want, _, exit := oracle.Run(t, source, toolTime, tool, "--mlir-to-llvmir")
		if exit != 0 {
			continue
		}
		got, err := translated(mlir.Edition22, source)
		if err == nil {
			_, err = compareModules(t, got, want)
		}
		if err != nil {
			err = fmt.Errorf("%s: %v\n%s", name, err, source)
		}
		return true, err
	}
	return false, nil
}
