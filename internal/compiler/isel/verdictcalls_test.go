package isel_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// candidates lists the types that calls are tried with, by the class of an
// overloaded type.
var candidates = map[string][]string{
	"int":   {"i1", "i8", "i16", "i32", "i64", "i128", "<2 x i16>", "<2 x i32>", "<4 x i16>"},
	"float": {"half", "bfloat", "float", "double", "<2 x half>", "<2 x bfloat>", "<2 x float>", "<4 x half>", "<3 x float>", "<4 x float>"},
	"vec":   {"<2 x half>", "<4 x i32>", "<6 x i32>", "<8 x i32>"},
	"ptr":   {"ptr", "ptr addrspace(1)", "ptr addrspace(2)", "ptr addrspace(3)", "ptr addrspace(4)", "ptr addrspace(5)", "ptr addrspace(7)", "ptr addrspace(8)"},
	"any": {"i1", "i8", "i16", "i32", "i64", "i128", "half", "bfloat", "float", "double", "ptr", "ptr addrspace(3)", "ptr addrspace(8)",
		"<2 x i16>", "<3 x i16>", "<4 x i16>", "<8 x i16>", "<2 x half>", "<3 x half>", "<4 x half>", "<8 x half>", "<2 x bfloat>", "<4 x bfloat>", "<8 x bfloat>",
		"<2 x i32>", "<3 x i32>", "<4 x i32>", "<6 x i32>", "<8 x i32>", "<2 x float>", "<3 x float>", "<4 x float>", "<2 x i64>", "<2 x double>"},
}

// withStatus lists the types of buffer loads that report faults (TFE).
var withStatus = []string{"{ i8, i32 }", "{ i16, i32 }", "{ half, i32 }", "{ i32, i32 }", "{ float, i32 }", "{ i64, i32 }", "{ <2 x half>, i32 }", "{ <4 x half>, i32 }",
	"{ <2 x float>, i32 }", "{ <3 x i32>, i32 }", "{ <4 x i32>, i32 }"}

// fewer replaces the candidates of a class for names with a part.
var fewer = []struct {
	part, class string
	types       []string
}{
	{"s.quadmask", "int", []string{"i32", "i64"}},
	{"s.wqm", "int", []string{"i32", "i64"}},
	{"exp", "any", []string{"i16", "i32", "half", "float", "<2 x half>", "<2 x i16>", "<2 x i32>"}},
	{".atomic.fm", "float", []string{"half", "bfloat", "<2 x half>", "<2 x bfloat>", "float", "double"}},
	{".atomic.fadd", "float", []string{"half", "bfloat", "<2 x half>", "<2 x bfloat>", "float", "double"}},
	{".buffer.atomic.", "any", []string{"i16", "i32", "i64", "float", "double", "<2 x half>", "<2 x i16>", "<2 x i32>"}},
	{".buffer.atomic.", "int", []string{"i16", "i32", "i64", "<2 x i16>", "<2 x i32>"}},
	{"wave.reduce", "any", []string{"i1", "i16", "i32", "i64", "i128", "half", "bfloat", "float", "double", "ptr", "<2 x i16>", "<2 x float>"}},
	{"dead", "any", []string{"i1", "i16", "i32", "i64", "half", "ptr", "<2 x half>", "<3 x i32>", "<8 x i32>", "{ i32, i32 }"}},
	{".load.tr", "any", wholeLoads}, {".read.tr", "any", wholeLoads}, {"load.monitor", "any", wholeLoads}, {"cluster.load.b", "any", wholeLoads},
	{"lds.direct.load", "any", wholeLoads},
}

// wholeLoads lists types of results that are registers.
var wholeLoads = []string{"i16", "i32", "i64", "float", "double", "ptr", "<2 x half>", "<4 x i16>", "<8 x i16>", "<4 x half>", "<8 x half>", "<8 x bfloat>", "<2 x i32>", "<3 x i32>", "<4 x i32>", "<2 x i64>"}

// legacy matches intrinsics with a resource as a vector, which are selected as
// those with a pointer.
var legacy = regexp.MustCompile(`^(raw|struct)\.(t?buffer|atomic)`)

// legacyTypes lists the candidates of the matched intrinsics by class.
var legacyTypes = map[string][]string{
	"any":   {"i32", "float", "half", "<2 x half>", "<2 x i32>", "<3 x float>", "<4 x i32>"},
	"int":   {"i16", "i32", "i64"},
	"float": {"half", "<2 x half>", "float", "double"},
}

// notTried lists prefixes of intrinsics without calls here: images have tests of
// their own, LLVM's passes generate those for control flow, and chains and whole
// waves need functions of their own.
var notTried = []string{"image.", "if", "if.break", "else", "end.cf", "loop", "unreachable", "cs.chain", "call.whole.wave", "init.whole.wave", "set.inactive.chain.arg"}

// typesOf returns the candidates of the k-th of an intrinsic's overloaded types.
func typesOf(name string, classes []string, k int) []string {
	class := classes[k]
	switch {
	case k == 0 && len(classes) > 1 && class == "int":
		return []string{"i16", "i32", "i64"}
	case k == 0 && len(classes) > 1 && class == "ptr":
		return []string{"ptr", "ptr addrspace(7)", "ptr addrspace(8)"}
	case k == 1 && class == "ptr":
		return []string{"ptr", "ptr addrspace(1)", "ptr addrspace(3)", "ptr addrspace(4)", "ptr addrspace(5)"}
	case legacy.MatchString(name):
		return withFaults(name, legacyTypes[class], "{ <4 x i32>, i32 }")
	}
	for _, f := range fewer {
		if strings.Contains(name, f.part) && class == f.class {
			return f.types
		}
	}
	return withFaults(name, candidates[class], withStatus...)
}

// withFaults adds the types of loads with a status to types.
func withFaults(name string, types []string, more ...string) []string {
	switch {
	case strings.HasPrefix(name, "s.") || strings.Contains(name, "lds") || !strings.Contains(name, "buffer.load"):
		return types
	case strings.Contains(name, "atomic"):
		more = more[len(more)-1:]
	}
	return slices.Concat(types, more)
}

// tuples returns the combinations of overloaded types that an intrinsic's calls
// are tried with.
func tuples(name string, classes []string) [][]string {
	list := [][]string{nil}
	for k := range classes {
		var next [][]string
		for _, tuple := range list {
			for _, t := range typesOf(name, classes, k) {
				if strings.Contains(name, ".atomic.fm") && k == 2 && t != tuple[0] {
					continue // the type of the old value is the operand's
				}
				next = append(next, append(slices.Clone(tuple), t))
			}
		}
		list = next
	}
	return list
}

// relatives returns the tuples that differ from one in the elements of one type.
func relatives(tuple, classes []string) [][]string {
	list := [][]string{tuple}
	for k, t := range tuple {
		var n int
		var elem string
		if got, _ := fmt.Sscanf(t, "<%d x %s", &n, &elem); got != 2 {
			continue
		}
		elem = strings.TrimSuffix(elem, ">")
		for _, other := range []string{"half", "bfloat", "i16", "i32", "float", "i64"} {
			count := n * typeBits(elem) / typeBits(other)
			if other == elem || count < 2 || classes[k] == "float" && other[0] == 'i' || classes[k] == "int" && other[0] != 'i' {
				continue
			}
			r := slices.Clone(tuple)
			r[k] = fmt.Sprintf("<%d x %s>", count, other)
			list = append(list, r)
		}
	}
	return list
}

// attempt is a call that is tried on all processors.
type attempt struct {
	id     string // the intrinsic's name without its prefix, and the types
	kernel string
	text   string
}

// attempts returns calls of all intrinsics but notTried.
func attempts(t *testing.T) (list []attempt) {
	sigs := signatures(t)
	var names []string
	for name := range sigs {
		names = append(names, name)
	}
	slices.Sort(names)
	known := mmaTuples(t, sigs)
	for _, full := range names {
		name := strings.TrimPrefix(full, "llvm.amdgcn.")
		if slices.ContainsFunc(notTried, func(p string) bool { return name == p || strings.HasSuffix(p, ".") && strings.HasPrefix(name, p) }) {
			continue
		}
		sig := sigs[full]
		over := tuples(name, strings.Fields(sig[2]))
		if strings.Contains(name, "mma") && !strings.HasPrefix(name, "mfma.scale") && sig[2] != "" {
			over = known[name]
		}
		for _, tuple := range over {
			w := attemptWriter{name: name, over: tuple}
			id := name
			for _, o := range tuple {
				id += " " + strings.ReplaceAll(o, " ", "")
			}
			a := attempt{id: id, kernel: fmt.Sprintf("k%d", len(list))}
			if a.text = w.write(a.kernel, sig); a.text != "" {
				list = append(list, a)
			}
		}
	}
	return list
}

// mmaTuples returns the types of matrix operations: the types of the table's
// rows, and relatives.
func mmaTuples(t *testing.T, sigs map[string][]string) map[string][][]string {
	out := map[string][][]string{}
	seen := map[string]bool{}
	rows := isel.AllRows()
	for _, machine := range machines {
		set, _ := isa.SetOf(processorOf(t, machine.cpu))
		m := mir.MachineOf(set, machine.wave)
		for i := range rows {
			r := &rows[i]
			name := strings.TrimPrefix(r.ID.String(), "llvm.amdgcn.")
			if !strings.Contains(name, "mma") || r.None || !isel.OnMachine(i, m) {
				continue
			}
			w := caseWriter{m: m, row: r, sources: fromLanes}
			if w.write("k", sigs[r.ID.String()]) == "" {
				continue
			}
			for _, tuple := range relatives(w.over, strings.Fields(sigs[r.ID.String()][2])) {
				if key := name + strings.Join(tuple, " "); !seen[key] {
					seen[key] = true
					out[name] = append(out[name], tuple)
				}
			}
		}
	}
	return out
}

// processorOf returns the processor with a name.
func processorOf(t *testing.T, name string) *target.Processor {
	p := target.Lookup(name)
	if p == nil {
		t.Fatalf("no processor %s", name)
	}
	return p
}

// attemptWriter writes the kernel of an attempt: operands from memory, results
// to memory.
type attemptWriter struct {
	name string
	over []string
	b    strings.Builder
	n    int
}

func (w *attemptWriter) line(format string, args ...any) string {
	w.n++
	fmt.Fprintf(&w.b, "  %%t%d = "+format+"\n", append([]any{w.n}, args...)...)
	return fmt.Sprintf("%%t%d", w.n)
}

// value returns an operand of a type, uniform or different in each lane.
func (w *attemptWriter) value(t string, uniform bool) string {
	switch t {
	case "i1":
		return w.line("icmp eq i32 %s, 7", w.value("i32", uniform))
	case "metadata":
		return "!0"
	case "ptr addrspace(7)":
		return w.line("addrspacecast ptr addrspace(8) %s to ptr addrspace(7)", w.value("ptr addrspace(8)", true))
	}
	base, space := "%in", 1
	if uniform {
		base, space = "%kernarg", 4
	}
	p := w.line("getelementptr i8, ptr addrspace(%d) %s, i64 %d", space, base, 32+16*w.n)
	return w.line("load %s, ptr addrspace(%d) %s, align 16", t, space, p)
}

// use stores a result.
func (w *attemptWriter) use(t, v string) {
	switch {
	case t == "i1":
		t, v = "i32", w.line("select i1 %s, i32 3, i32 5", v)
	case t == "ptr addrspace(7)":
		t, v = "i32", w.line("load i32, ptr addrspace(7) %s", v)
	case t == "ptr addrspace(8)":
		t, v = "i128", w.line("ptrtoint ptr addrspace(8) %s to i128", v)
	case t[0] == '{':
		for k, field := range splitParams(strings.Trim(t, "{} ")) {
			w.use(field, w.line("extractvalue %s %s, %d", t, v, k))
		}
		return
	}
	p := w.line("getelementptr i8, ptr addrspace(1) %%in, i64 %d", 16*w.n)
	fmt.Fprintf(&w.b, "  store %s %s, ptr addrspace(1) %s, align 16\n", t, v, p)
}

// resultAttribute matches the attributes of an intrinsic's result.
var resultAttribute = regexp.MustCompile(`noundef |range\([^)]*\) `)

// write returns the kernel, or "" if an operand cannot have one of the types.
func (w *attemptWriter) write(kernel string, sig []string) string {
	patterns := caseWriter{over: w.over}
	fmt.Fprintf(&w.b, "define amdgpu_kernel void @%s(ptr addrspace(1) %%p, [64 x i32] %%u) {\n", kernel)
	w.b.WriteString("  %kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()\n  %tid = call i32 @llvm.amdgcn.workitem.id.x()\n" +
		"  %wide = zext i32 %tid to i64\n  %far = mul i64 %wide, 2048\n  %in = getelementptr i8, ptr addrspace(1) %p, i64 %far\n")
	params := splitParams(sig[1])
	constant := caseWriter{m: new(mir.Machine)}
	*constant.m = mir.Machine{Set: isa.GFX1100}
	var args []string
	for n, p := range params {
		t := patterns.pattern(p)
		switch {
		case t == "..." || t[0] == '{':
			return ""
		case strings.Contains(p, "immarg") && (w.name == "exp" || w.name == "exp.compr" || w.name == "exp.row") && n == 1:
			args = append(args, t+" 15")
		case strings.Contains(p, "immarg"):
			args = append(args, t+" "+constant.immediate(w.name, n, t))
		case isResource(w.name, t) && !(n == 0 && typeOfData(w.name)):
			args = append(args, t+" "+w.value(t, true))
		default:
			args = append(args, t+" "+w.value(t, uniformArg(w.name, n, t, params)))
		}
	}
	result := patterns.pattern(resultAttribute.ReplaceAllString(sig[0], ""))
	full := "llvm.amdgcn." + w.name
	for _, t := range w.over {
		full += "." + mangledAny(t)
	}
	call := fmt.Sprintf("call %s @%s(%s)", result, full, strings.Join(args, ", "))
	if result == "void" {
		w.b.WriteString("  " + call + "\n")
	} else {
		w.use(result, w.line("%s", call))
	}
	w.b.WriteString("  ret void\n}\n")
	return w.b.String()
}

// mangledAny is mangled for structures, too.
func mangledAny(t string) string {
	if t[0] != '{' {
		return mangled(t)
	}
	s := "sl_"
	for _, field := range splitParams(strings.Trim(t, "{} ")) {
		s += mangled(field)
	}
	return s + "s"
}
