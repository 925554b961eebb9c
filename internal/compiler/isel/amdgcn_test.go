package isel_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// rowCase is a kernel that calls an intrinsic.
type rowCase struct {
	name    string
	row     *isel.TestRow
	text    string
	anyData bool // the text of llc has another number of data registers than the encoding
}

// signatures returns the columns of the intrinsics table: result, parameters,
// classes of overloaded types.
func signatures(t *testing.T) map[string][]string {
	data, err := os.ReadFile("../../../ir/table/intrinsics.tsv")
	if err != nil {
		t.Fatal(err)
	}
	sigs := map[string][]string{}
	for _, line := range strings.Split(string(data), "\n") {
		if col := strings.Split(line, "\t"); len(col) == 5 && strings.HasPrefix(line, "llvm.amdgcn.") {
			sigs[col[0]] = col[1:4]
		}
	}
	return sigs
}

// caseWriter writes a row's kernel for a machine.
type caseWriter struct {
	m       *mir.Machine
	row     *isel.TestRow
	over    []string // overloaded types
	b       strings.Builder
	tmp     int
	offset  int
	imms    []string
	variant int     // selects the values of constant arguments
	sources sources // of the other arguments
	args    int     // number of arguments written
}

// sources is the kind of an argument's value.
type sources int

const (
	fromLanes   sources = iota // values that differ between lanes
	withSigns                  // the same, with negated and absolute floating-point values
	fromScalars                // uniform values
	fromNumbers                // constants
	numSources
)

// argument returns an argument of type t.
func (w *caseWriter) argument(t string, uniform bool) string {
	w.args++
	switch {
	case w.sources == fromNumbers && numbers[t] != nil:
		return numbers[t][w.args%len(numbers[t])]
	case w.sources == fromScalars:
		return w.value(t, true)
	}
	v := w.value(t, uniform)
	if w.sources == withSigns && (t == "float" || t == "double" || t == "half" || t == "<2 x half>") {
		if w.args%3 != 0 {
			v = w.line("call %s @llvm.fabs.%s(%s %s)", t, mangled(t), t, v)
		}
		if w.args%3 != 1 {
			v = w.line("fneg %s %s", t, v)
		}
	}
	return v
}

// numbers lists constants, some of which instructions can encode and some not.
var numbers = map[string][]string{"i32": {"7", "305419896", "-3", "65535"}, "float": {"1.0", "0x400921FB60000000", "-4.0"}, "half": {"2.0", "0xH3333"},
	"double": {"0.5", "0x3FF123456789ABCD"}, "i64": {"12", "81985529216486895"}, "i16": {"3", "4660"}}

func (w *caseWriter) next() string {
	w.tmp++
	return fmt.Sprintf("%%t%d", w.tmp)
}

func (w *caseWriter) line(format string, args ...any) string {
	r := w.next()
	fmt.Fprintf(&w.b, "  %s = "+format+"\n", append([]any{r}, args...)...)
	return r
}

func (w *caseWriter) do(format string, args ...any) { fmt.Fprintf(&w.b, "  "+format+"\n", args...) }

// typeName returns the type that a selector in the table matches.
func typeName(x isel.TestType) string {
	if x.N == 0 {
		switch x.Bits {
		case 8, 16, 32:
			return fmt.Sprintf("i%d", x.Bits)
		}
		return fmt.Sprintf("<%d x i32>", x.Bits/32)
	}
	elem := map[string]string{"f16": "half", "f32": "float", "f64": "double", "b16": "bfloat"}[string(x.Elem)+strconv.Itoa(x.Bits)]
	switch x.Elem {
	case 0:
		elem = map[int]string{16: "half", 32: "float"}[x.Bits]
	case 'i':
		elem = fmt.Sprintf("i%d", x.Bits)
	}
	if x.N > 1 {
		return fmt.Sprintf("<%d x %s>", x.N, elem)
	}
	return elem
}

// defaultType chooses an overloaded type that the table does not specify, based
// on an operand's size and the intrinsic's name.
func (w *caseWriter) defaultType(k int, class string, dwords int, name string, result bool) string {
	vec := func(n int, elem string) string {
		if n == 1 {
			return elem
		}
		return fmt.Sprintf("<%d x %s>", n, elem)
	}
	switch parts := strings.Split(name, "."); {
	case strings.HasSuffix(name, "ballot") || strings.HasSuffix(name, "cmp") && result:
		return fmt.Sprintf("i%d", w.m.Wave)
	case strings.Contains(name, "tr16.b64"):
		return "<4 x i16>"
	case strings.Contains(name, "global.load.tr.b128"), strings.Contains(name, "tr16.b128"):
		return vec(2*dwords, "i16")
	case strings.Contains(name, "mma") && k == 3 && w.m.Set.Has(isa.SinceGFX1250): // the index
		return fmt.Sprintf("i%d", 32*dwords)
	case strings.Contains(name, "mma") && k == 3:
		return "i16"
	case class == "vec":
		return "<8 x i32>"
	case strings.HasSuffix(name, "make.buffer.rsrc") && result:
		return "ptr addrspace(8)"
	case strings.HasSuffix(name, "make.buffer.rsrc"), strings.HasSuffix(name, "prefetch.data"), strings.HasSuffix(name, "load.to.lds"):
		return "ptr addrspace(1)"
	case strings.HasSuffix(name, "nonnull") && result, strings.Contains(name, "flat.atomic") && class == "ptr":
		return "ptr"
	case strings.Contains(name, "global.atomic") && class == "ptr":
		return "ptr addrspace(1)"
	case strings.Contains(name, ".atomic.fm") && k == 2:
		return w.over[0]
	case class == "ptr":
		return "ptr addrspace(3)"
	case class == "any" && dwords > 0:
		return vec(dwords, "i32")
	case strings.Contains(name, "f8f6f4") && dwords == 0: // 8 bits, by the formats of the first constants
		return "<16 x i32>"
	case strings.Contains(name, "mma"): // wmma.f32.16x16x16.f16: result and source types
		elem := parts[len(parts)-1]
		switch {
		case result && strings.HasPrefix(parts[3], "scale"):
			elem = parts[4]
		case result:
			elem = parts[3]
		case len(parts) > 6 && !strings.HasPrefix(parts[3], "scale"):
			elem = parts[5]
		}
		switch {
		case elem == "bf16f32" && parts[2] == "wmma":
			return vec(2*dwords, "bfloat")
		case elem == "bf16f32" || parts[3] == "bf16f32" && k == 2 && parts[2] == "wmma":
			return vec(dwords, "float")
		case elem == "bf16" && class == "float":
			return vec(2*dwords, "bfloat")
		case elem == "f16":
			return vec(2*dwords, "half")
		case elem == "bf16":
			return vec(2*dwords, "i16")
		case elem == "f32":
			return vec(dwords, "float")
		}
		return vec(dwords, "i32")
	case class == "float":
		return "float"
	}
	return "i32"
}

// typeBits returns the size of a type in bits.
func typeBits(t string) int {
	var n int
	var elem string
	if k, _ := fmt.Sscanf(t, "<%d x %s", &n, &elem); k == 2 {
		return n * typeBits(strings.TrimSuffix(elem, ">"))
	}
	switch {
	case t == "half" || t == "bfloat":
		return 16
	case t == "float" || t == "ptr addrspace(3)" || t == "ptr addrspace(2)":
		return 32
	case t == "double" || t == "ptr" || t == "ptr addrspace(1)":
		return 64
	case t == "ptr addrspace(8)":
		return 128
	case strings.HasPrefix(t, "i"):
		n, _ := strconv.Atoi(t[1:])
		return n
	}
	panic("no size of " + t)
}

// value emits a divergent or uniform value of a type.
func (w *caseWriter) value(t string, uniform bool) string {
	base, space := "%in", 1
	if uniform {
		base, space = "%kernarg", 4
	}
	load := func(t string) string {
		w.offset += 16
		p := w.line("getelementptr i8, ptr addrspace(%d) %s, i64 %d", space, base, w.offset)
		return w.line("load %s, ptr addrspace(%d) %s, align 16", t, space, p)
	}
	bits := typeBits(t)
	switch {
	case t == "i1":
		return w.line("icmp eq i32 %s, 7", load("i32"))
	case bits <= 128 && bits%32 == 0 && !(bits == 96 && w.m.Set == isa.GFX600), bits == 16, bits == 8:
		return load(t)
	case bits == 48:
		v := "poison"
		elem := strings.TrimSuffix(t[strings.LastIndex(t, " ")+1:], ">")
		for k := range 3 {
			v = w.line("insertelement %s %s, %s %s, i32 %d", t, v, elem, load(elem), k)
		}
		return v
	}
	v := "poison"
	for k := range bits / 32 {
		v = w.line("insertelement <%d x i32> %s, i32 %s, i32 %d", bits/32, v, load("i32"), k)
	}
	if whole := fmt.Sprintf("<%d x i32>", bits/32); t != whole {
		v = w.line("bitcast %s %s to %s", whole, v, t)
	}
	return v
}

// store emits a use of a value.
func (w *caseWriter) store(t, v string) {
	put := func(t, v string) {
		w.offset += 16
		p := w.line("getelementptr i8, ptr addrspace(1) %%in, i64 %d", w.offset)
		w.do("store %s %s, ptr addrspace(1) %s, align 16", t, v, p)
	}
	switch bits := typeBits(t); {
	case t == "i1":
		put("i32", w.line("select i1 %s, i32 3, i32 5", v))
	case bits <= 128 && bits != 48 && bits != 96:
		put(t, v)
	case bits == 48:
		elem := strings.TrimSuffix(t[strings.LastIndex(t, " ")+1:], ">")
		for k := range 3 {
			put(elem, w.line("extractelement %s %s, i32 %d", t, v, k))
		}
	default:
		whole := fmt.Sprintf("<%d x i32>", bits/32)
		if t != whole {
			v = w.line("bitcast %s %s to %s", t, v, whole)
		}
		for k := range bits / 32 {
			put("i32", w.line("extractelement %s %s, i32 %d", whole, v, k))
		}
	}
}

// mangled returns the suffix of an overloaded type in a name.
func mangled(t string) string {
	var n int
	var elem string
	if k, _ := fmt.Sscanf(t, "<%d x %s", &n, &elem); k == 2 {
		return fmt.Sprintf("v%d%s", n, mangled(strings.TrimSuffix(elem, ">")))
	}
	switch t {
	case "half":
		return "f16"
	case "bfloat":
		return "bf16"
	case "float":
		return "f32"
	case "double":
		return "f64"
	case "ptr":
		return "p0"
	}
	if s, ok := strings.CutPrefix(t, "ptr addrspace("); ok {
		return "p" + strings.TrimSuffix(s, ")")
	}
	return t
}

// constants holds the values of constant arguments in a first and a second call
// if 0 and 1 are invalid, by intrinsic and parameter.
var constants = map[string]map[int][2]string{
	"mov.dpp": {1: {"273", "303"}, 2: {"15", "7"}, 3: {"15", "3"}}, "update.dpp": {2: {"273", "303"}, 3: {"15", "7"}, 4: {"15", "3"}},
	"mov.dpp8": {1: {"16434824", "342391"}}, "ds.swizzle": {1: {"32773", "4111"}}, "icmp": {2: {"32", "40"}}, "fcmp": {2: {"1", "12"}},
	"s.sendmsg": {0: {"3", "3"}}, "s.sendmsghalt": {0: {"3", "3"}}, "s.sendmsg.rtn": {0: {"128", "131"}}, "s.getreg": {0: {"63493", "2177"}},
	"s.setreg": {0: {"2177", "2049"}}, "s.barrier.signal": {0: {"-1", "-1"}}, "s.barrier.signal.isfirst": {0: {"-1", "-1"}}, "s.barrier.wait": {0: {"-1", "-1"}},
	"global.load.lds": {2: {"4", "1"}}, "load.to.lds": {2: {"4", "2"}}, "raw.buffer.load.lds": {2: {"4", "1"}}, "raw.ptr.buffer.load.lds": {2: {"4", "2"}},
	"struct.buffer.load.lds": {2: {"4", "4"}}, "struct.ptr.buffer.load.lds": {2: {"4", "4"}}, "s.waitcnt": {0: {"127", "0"}}, "bitop3": {3: {"202", "5"}},
	"sched.group.barrier": {0: {"8", "8"}}, "s.setprio": {0: {"1", "3"}}, "s.sleep": {0: {"1", "5"}}, "inverse.ballot": {},
	"ds.ordered.add": {5: {"16777217", "16777234"}, 6: {"true", "true"}}, "ds.ordered.swap": {5: {"16777217", "16777234"}, 6: {"true", "true"}},
	"ds.add.gs.reg.rtn": {1: {"16", "32"}}, "ds.sub.gs.reg.rtn": {1: {"16", "32"}},
}

// immediate returns an argument that must be a constant.
func (w *caseWriter) immediate(name string, n int, t string) string {
	if c, ok := constants[name][n]; ok {
		n := c[w.variant]
		if strings.HasPrefix(name, "ds.ordered") && w.m.Set.Gen() < isa.Gen10 { // the index holds no number of dwords
			n = strings.NewReplacer("16777217", "1", "16777234", "18").Replace(n)
		}
		return n
	}
	if strings.Contains(name, "tbuffer") && n == len(w.imms) {
		return "22"
	}
	if t == "i1" {
		return []string{"false", "true"}[w.variant]
	}
	return strconv.Itoa(w.variant)
}

// uniformArg reports whether an argument must be uniform.
func uniformArg(name string, n int, t string, params []string) bool {
	switch {
	case strings.Contains(name, "buffer") && !strings.Contains(name, ".lds"): // the scalar offset precedes the constants
		last := len(params) - 1
		for last > 0 && strings.Contains(params[last], "immarg") {
			last--
		}
		return n == last
	case strings.Contains(name, "buffer.load.lds"):
		return t == "ptr addrspace(3)" || n == len(params)-3
	}
	switch name {
	case "readlane", "writelane", "permlane16", "permlanex16":
		return t == "i32" && n > 0 && !(strings.HasPrefix(name, "perm") && n < 2) && !(name == "writelane" && n == 2)
	case "s.sendmsg", "s.sendmsghalt", "s.setreg", "s.ttracedata", "s.sleep.var", "inverse.ballot", "s.bitreplicate", "s.wqm", "s.quadmask", "ds.append", "ds.consume", "s.prefetch.data",
		"s.get.barrier.state":
		return true
	case "global.load.lds", "load.to.lds":
		return n == 1
	}
	return strings.HasPrefix(name, "ds.gws") || strings.HasPrefix(name, "ds.ordered") && n == 0 || strings.Contains(name, "barrier")
}

// write returns the kernel, or "" if the row does not support such a call.
func (w *caseWriter) write(kernel string, sig []string) string {
	name := strings.TrimPrefix(w.row.ID.String(), "llvm.amdgcn.")
	params := splitParams(sig[1])
	w.overTypes(name, sig, params)
	fmt.Fprintf(&w.b, "define amdgpu_kernel void @%s(%s) {\n", kernel, kernelParams)
	w.do("%%kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()")
	w.do("%%tid = call i32 @llvm.amdgcn.workitem.id.x()")
	w.do("%%base = load ptr addrspace(1), ptr addrspace(4) %%kernarg, align 16")
	w.do("%%wide = zext i32 %%tid to i64")
	w.do("%%far = mul i64 %%wide, 2048")
	w.do("%%in = getelementptr i8, ptr addrspace(1) %%base, i64 %%far")
	w.offset = 32
	var args []string
	for n, p := range params {
		t := w.pattern(p)
		switch {
		case t == "metadata" || t == "...":
			return ""
		case strings.Contains(p, "immarg"):
			args = append(args, t+" "+w.immediate(name, n, t))
		case isResource(name, t) && !(n == 0 && typeOfData(name)):
			p := w.line("getelementptr i8, ptr addrspace(4) %%kernarg, i64 8")
			args = append(args, t+" "+w.line("load %s, ptr addrspace(4) %s, align 8", t, p))
		case t == "i32" && strings.Contains(name, "buffer") && !(n == 0 && typeOfData(name)): // small offsets and indexes
			args = append(args, t+" "+w.line("and i32 %s, 24", w.argument(t, w.row.Uniform || uniformArg(name, n, t, params))))
		default:
			args = append(args, t+" "+w.argument(t, w.row.Uniform || uniformArg(name, n, t, params)))
		}
	}
	result := w.pattern(strings.TrimPrefix(strings.TrimPrefix(sig[0], "noundef "), "range(i32 32, 65) "))
	full := w.row.ID.String()
	for _, t := range w.over {
		full += "." + mangled(t)
	}
	call := fmt.Sprintf("call %s @%s(%s)", result, full, strings.Join(args, ", "))
	switch {
	case result == "void":
		w.b.WriteString("  " + call + "\n")
	case result[0] == '{':
		r := w.next()
		w.b.WriteString("  " + r + " = " + call + "\n")
		for n, t := range splitParams(strings.Trim(result, "{}")) {
			w.store(t, w.line("extractvalue %s %s, %d", result, r, n))
		}
	default:
		r := w.next()
		w.b.WriteString("  " + r + " = " + call + "\n")
		if !w.noReturn() {
			w.store(result, r)
		}
	}
	w.b.WriteString("  ret void\n}\n")
	return w.b.String()
}

// kernelParams declares the parameters of all kernels: memory for each lane, a
// resource, and uniform numbers.
const kernelParams = "ptr addrspace(1) %p, ptr addrspace(1) %b, i32 %records, i32 %flags, [160 x i32] %u"

// isResource reports whether an argument is a buffer resource.
func isResource(name, t string) bool {
	return t == "ptr addrspace(8)" || t == "<4 x i32>" && (strings.Contains(name, "buffer.") && !strings.Contains(name, "rsrc") || strings.Contains(name, "intersect"))
}

// typeOfData reports whether the first argument of a buffer intrinsic is data.
func typeOfData(name string) bool {
	return strings.Contains(name, ".store") || strings.Contains(name, "buffer.atomic.")
}

// noReturn reports whether the operation is an atomic one that cannot return
// the old value.
func (w *caseWriter) noReturn() bool {
	info := w.m.Info(w.row.Op)
	return w.row.Op != mir.OpNone && info.Unit == mir.UnitVMEM && info.Defs == 0 && info.Return == isa.NoEnc
}

func (w *caseWriter) overTypes(name string, sig, params []string) {
	for k, class := range strings.Fields(sig[2]) {
		if k < len(w.row.Types) {
			w.over = append(w.over, typeName(w.row.Types[k]))
			continue
		}
		dollar := fmt.Sprintf("$%d", k)
		dwords, result := 0, sig[0] == dollar
		if w.row.Op != mir.OpNone && w.m.Has(w.row.Op) {
			info := w.m.Info(w.row.Op)
			if result && info.Defs > 0 {
				dwords = int(info.Slots[0].Dwords)
			}
			for _, o := range w.row.Operands {
				if !o.Mod && o.Arg < len(params) && strings.HasPrefix(params[o.Arg], dollar) && info.Defs+o.Slot < len(info.Slots) {
					dwords = int(info.Slots[info.Defs+o.Slot].Dwords)
				}
			}
		}
		w.over = append(w.over, w.defaultType(k, class, dwords, w.row.ID.String(), result))
	}
	_ = name
}

// pattern returns the type of a parameter.
func (w *caseWriter) pattern(p string) string {
	t := p
	switch {
	case strings.HasPrefix(p, "<"):
		t = p[:strings.Index(p, ">")+1]
	case strings.HasPrefix(p, "{"):
		t = p[:strings.Index(p, "}")+1]
	case strings.HasPrefix(p, "ptr addrspace("):
		t = p[:strings.Index(p, ")")+1]
	case strings.Contains(p, " "):
		t = p[:strings.Index(p, " ")]
	}
	for k, o := range w.over {
		t = strings.ReplaceAll(t, fmt.Sprintf("$%d", k), o)
	}
	return t
}

func splitParams(s string) (parts []string) {
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case strings.ContainsRune("<{(", c):
			depth++
		case strings.ContainsRune(">})", c):
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if s = strings.TrimSpace(s[start:]); s != "" {
		parts = append(parts, s)
	}
	return parts
}

// casesOf returns kernels for all rows that a machine supports: with arguments
// of the first kind for all constants, and with each other kind for one.
func casesOf(t *testing.T, m *mir.Machine, kinds ...sources) (cases []rowCase) {
	sigs := signatures(t)
	rows := isel.AllRows()
	for i := range rows {
		r := &rows[i]
		if r.None || r.Special || r.Image || !isel.OnMachine(i, m) {
			continue
		}
		if i > 0 && rows[i-1].ID == r.ID && slices.Equal(rows[i-1].Types, r.Types) && m.Has(rows[i-1].Op) && rows[i-1].Uniform == r.Uniform && !rows[i-1].Go {
			continue // the preceding row is selected
		}
		sig := sigs[r.ID.String()]
		for _, from := range kinds[1:] {
			w := caseWriter{m: m, row: r, sources: from}
			if from == withSigns && strings.HasSuffix(r.ID.String(), "fdot2.f16.f16") {
				continue // llc applies one sign to both halves, although the source does not require equal signs
			}
			name := fmt.Sprintf("k%d_s%d", i, from)
			if s := w.write(name, sig); s != "" {
				cases = append(cases, rowCase{name: name, row: r, text: s})
			}
		}
		for variant := range 2 {
			w := caseWriter{m: m, row: r, variant: variant, sources: kinds[0]}
			if variant == 1 && (!strings.Contains(sig[1], "immarg") || m.Set.Gen() >= isa.Gen12 && strings.Contains(r.ID.String(), ".wmma.") && strings.Contains(r.ID.String(), "f16.16x16x16")) {
				continue // the constant of wmma has no meaning from gfx12 on
			}
			name := fmt.Sprintf("k%d_%d", i, variant)
			if s := w.write(name, sig); s != "" {
				cases = append(cases, rowCase{name: name, row: r, text: s})
			}
		}
	}
	return cases
}

// header defines the sizes of pointers.
const header = `target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
`

// compiled is our code for a kernel.
type compiled struct {
	err  error
	text []string // instructions
}

// compileCase selects a kernel and runs it through the pipeline.
func compileCase(name, src string, tgt *target.Target, m *mir.Machine) (c compiled) {
	mod, errs := text.Parse("case.ll", []byte(header+src))
	if len(errs) > 0 {
		c.err = fmt.Errorf("%v\n%s", errs, src)
		return c
	}
	entries := abi.Analyze(mod, tgt)
	f := mod.Function(name)
	out := mir.NewFunc(f.Name(), m)
	var s isel.Selector
	entry := entries.Entry(f)
	if c.err = s.Select(f, isel.Env{Target: tgt, Entry: entry}, out); c.err != nil {
		return c
	}
	if errs := out.Verify(mir.StageSelected); len(errs) > 0 {
		c.err = fmt.Errorf("BUG: %w\n%s", errs[0], out.AppendText(nil))
		return c
	}
	before := string(out.AppendText(nil))
	p := pipeline.Runner{Passes: new(codegen.Passes), Options: pipeline.Options{Verify: true, StartAfter: pipeline.Selector}}
	res, err := p.Run(&codegen.Job{F: out, Target: tgt, Kernel: true, Entry: entry}, nil)
	if err != nil {
		c.err = fmt.Errorf("BUG: %w\n%s", err, before)
		return c
	}
	d := isa.NewDecoder(m.Set, m.Wave)
	for code := res.Code.Bytes; len(code) > 0; {
		in, n, err := d.Decode(code)
		if err != nil {
			c.err = fmt.Errorf("BUG: decoding: %w", err)
			return c
		}
		c.text = append(c.text, string(disasm.Inst(nil, &in)))
		code = code[n:]
	}
	return c
}

var (
	modifier = regexp.MustCompile(`\b(op_sel|op_sel_hi|neg_lo|neg_hi|neg|cbsz|abid|blgp|byte_sel|row_[a-z_]+|row_mask|bank_mask|wave_[a-z]+|quad_perm|dpp8|bound_ctrl|fi|src0_sel|dst_sel|bitop3|format|offset|th|scope|matrix_[a-z_]+)(:[^ ]+)|\b(clamp|matrix_[ab]_reuse|offen|idxen|glc|slc|dlc|sc0|sc1|nt|lds|gds)\b`)
	suffix   = regexp.MustCompile(`_(e32|e64|dpp|sdwa|e64_dpp)$`)
)

// same maps operations to equivalents that llc prefers. They differ only in
// register constraints.
var same = map[string]string{"v_mac_f32": "v_mad_f32", "v_mac_f16": "v_mad_f16", "v_dot2c_f32_f16": "v_dot2_f32_f16", "v_dot2acc_f32_f16": "v_dot2_f32_f16",
	"v_dot2c_i32_i16": "v_dot2_i32_i16", "v_dot4c_i32_i8": "v_dot4_i32_i8", "v_dot8c_i32_i4": "v_dot8_i32_i4", "v_dot2c_f32_bf16": "v_dot2_f32_bf16",
	"v_fmac_legacy_f32": "v_fma_legacy_f32", "v_fmac_dx9_zero_f32": "v_fma_dx9_zero_f32"}

// refused lists calls that we can select and llc cannot, or not for all
// processors.
var refused = map[string]string{
	"fdot2c.f32.bf16":      "llc has no pattern for it",
	"s.buffer.load":        "llc does not support 16 bits before gfx12",
	"init.exec.from.input": "its input is an inreg argument, which kernels lack; TestWholeWave runs it",
}

// wider maps three-dword operations to the four-dword ones that llc uses on
// gfx6.
var wider = map[mir.Op]string{mir.BufferLoadB96: "buffer_load_dwordx4", mir.BufferStoreB96: "buffer_store_dwordx2"}

// halfName matches the name of one half of a VGPR.
var halfName = regexp.MustCompile(`\bv[0-9]+\.[hl]\b`)

// shape returns the mnemonic of an instruction without its encoding suffix, and
// its sorted modifiers.
func shape(line string) (mnemonic, mods string) {
	line, _, _ = strings.Cut(line, ";")
	line, _, _ = strings.Cut(line, "//")
	mnemonic, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if strings.HasPrefix(mnemonic, "s_buffer_load") { // it has no glc before gfx8, but llc prints one
		rest = strings.TrimSuffix(rest, " glc")
	}
	halves := halfName.MatchString(rest) // the disassembler prints op_sel beside the halves, llc does not
	list := slices.DeleteFunc(modifier.FindAllString(rest, -1), func(s string) bool {
		return s == "offset:0x0" || s == "offset:0" || s == "src0_sel:BYTE_0" || halves && strings.HasPrefix(s, "op_sel:")
	})
	slices.Sort(list)
	mnemonic = suffix.ReplaceAllString(mnemonic, "")
	if m, ok := same[mnemonic]; ok {
		mnemonic = m
	}
	return mnemonic, strings.Join(list, " ")
}

// intrinsicsEnv selects all processors for the tests of intrinsics if it is
// "all".
const intrinsicsEnv = "GFX_INTRINSICS"

// machines lists the processors and wave sizes of the test. By default, each
// one tests the rows with Go functions, which differ most between generations,
// and a sample of the others.
var machines = []struct {
	cpu    string
	wave   int
	sample int
}{{"gfx600", 64, 16}, {"gfx700", 64, 16}, {"gfx803", 64, 16}, {"gfx900", 64, 16}, {"gfx906", 64, 16}, {"gfx908", 64, 16}, {"gfx90a", 64, 16},
	{"gfx942", 64, 16}, {"gfx950", 64, 16}, {"gfx1010", 32, 16}, {"gfx1030", 32, 16}, {"gfx1100", 32, 4}, {"gfx1100", 64, 16}, {"gfx1150", 32, 16},
	{"gfx1200", 32, 16}, {"gfx1200", 64, 16}, {"gfx1250", 32, 16}, {"gfx1251", 32, 64}, {"gfx9-generic", 64, 64}, {"gfx9-4-generic", 64, 64},
	{"gfx10-1-generic", 32, 64}, {"gfx10-3-generic", 32, 64}, {"gfx11-generic", 32, 64}, {"gfx12-generic", 32, 64}}

// TestRowsLikeLLC selects a call for every row of the intrinsics table on every
// processor that has the operation, and runs it through the pipeline. llc's
// code for the same function must contain the operation with the same
// modifiers.
func TestRowsLikeLLC(t *testing.T) {
	for _, x := range machines {
		t.Run(fmt.Sprintf("%s-wave%d", x.cpu, x.wave), func(t *testing.T) {
			t.Parallel()
			mattr := ""
			if x.wave != 64 || x.cpu >= "gfx1000" && x.cpu < "gfx2" {
				mattr = fmt.Sprintf("+wavefrontsize%d", x.wave)
			}
			tgt, err := target.New("amdgcn-amd-amdhsa", x.cpu, mattr)
			if err != nil {
				t.Fatal(err)
			}
			tgt.COV = 4 // before gfx9 the apertures are in the queue
			set, _ := isa.SetOf(tgt.Processor)
			m := mir.MachineOf(set, x.wave)
			cases := casesOf(t, m, fromLanes)
			if os.Getenv(intrinsicsEnv) == "" {
				cases = slices.DeleteFunc(cases, func(c rowCase) bool { return c.row.Op != mir.OpNone && len(c.text)%x.sample != 0 })
			}
			theirs := llcCode(t, cases, x.cpu, mattr)
			n := 0
			for i := range cases {
				if checkCase(t, &cases[i], theirs, tgt, m) {
					n++
				}
			}
			t.Logf("%d calls, %d as llc", len(cases), n)
		})
	}
}

func checkCase(t *testing.T, c *rowCase, theirs map[string][]string, tgt *target.Target, m *mir.Machine) bool {
	ours := compileCase(c.name, c.text, tgt, m)
	want := theirs[c.name]
	if ours.err != nil {
		t.Errorf("%v %v: %v", c.row.ID, c.row.Op, ours.err)
		return false
	}
	id := strings.TrimPrefix(c.row.ID.String(), "llvm.amdgcn.")
	if want == nil && refused[id] != "" {
		return false
	}
	if want == nil {
		t.Errorf("%v %v: llc does not select it\n%s\nours:\n%s", c.row.ID, c.row.Op, c.text, strings.Join(ours.text, "\n"))
		return false
	}
	if c.row.Op == mir.OpNone {
		return checkHandler(t, c, ours.text, want)
	}
	var got []string
	name, _ := shape(m.Info(c.row.Op).Encs[0].Name())
	for _, line := range ours.text {
		if mn, mods := shape(line); mn == suffix.ReplaceAllString(name, "") && (mods != "" || c.row.Op != mir.VMovB32) {
			got = append(got, mn+" "+mods)
		}
	}
	if m.Set == isa.GFX600 && (wider[c.row.Op] != "" || strings.Contains(name, "format_xyz")) {
		return wider[c.row.Op] == "" || strings.Contains(strings.Join(ours.text, "\n"), wider[c.row.Op])
	}
	if len(got) == 0 {
		t.Errorf("%v: no %s in our code\n%s", c.row.ID, name, strings.Join(ours.text, "\n"))
		return false
	}
	for _, g := range got {
		found := slices.ContainsFunc(want, func(line string) bool {
			mn, mods := shape(line)
			return mn+" "+mods == g || m.Set == isa.GFX908 && mn+strings.TrimPrefix(" "+mods, " glc") == g // for an atomic operation without a result
		})
		if !found {
			t.Errorf("%v: %q is not in llc's code:\n%s\nours:\n%s", c.row.ID, g, strings.Join(want, "\n"), strings.Join(ours.text, "\n"))
			return false
		}
	}
	return true
}

// frame matches the instructions around the call: addresses, loads, stores,
// copies, waits.
var frame = regexp.MustCompile(`^(s_load|global_|flat_|buffer_(load|store)|v_mov|s_mov|s_wait|s_endpgm|v_add|s_add|v_mul_|v_mad_((co|nc)_)?u64|v_mad_u32|v_lshl|s_nop|s_clause|s_delay|v_readfirstlane|v_accvgpr|v_cndmask|s_lshl|s_and|v_cmp_eq_u32|s_cmp|s_bfe|s_or_b|v_and|v_or|s_code|v_nop|v_bfe|s_cselect|s_mul)`)

// otherwise lists intrinsics for which llc emits different but equivalent
// instructions.
var otherwise = map[string]string{
	"s.setreg": "llc drops it before s_endpgm", "fdiv.fast": "llc swaps the comparison", "rsq.clamp": "llc combines two instructions into one minmax",
	"mfma.scale.f32.16x16x128.f8f6f4": "the disassembler shows two instructions", "mfma.scale.f32.32x32x64.f8f6f4": "the same",
	"image.bvh.intersect.ray": "llc packs halves of 16 bits by other instructions",
}

// checkHandler compares the instructions that a Go function selected, except
// those matched by frame, with llc's.
func checkHandler(t *testing.T, c *rowCase, ours, want []string) bool {
	for _, line := range ours {
		got, mods := shape(line)
		if frame.MatchString(got) {
			continue
		}
		if otherwise[strings.TrimPrefix(c.row.ID.String(), "llvm.amdgcn.")] != "" {
			continue
		}
		if !slices.ContainsFunc(want, func(line string) bool { mn, m := shape(line); return mn == got && m == mods }) {
			t.Errorf("%v: %s %s is not in llc's code:\n%s\nours:\n%s", c.row.ID, got, mods, strings.Join(want, "\n"), strings.Join(ours, "\n"))
			return false
		}
	}
	return true
}

// llcCode returns the instructions that llc generates for each kernel. It omits
// kernels that llc rejects.
func llcCode(t *testing.T, cases []rowCase, cpu, mattr string) map[string][]string {
	tool := oracle.Tool(t, "llc-22")
	out := map[string][]string{}
	var run func(list []rowCase)
	run = func(list []rowCase) {
		var src strings.Builder
		declared := map[string]bool{} // a second declaration of a function is an error
		for _, c := range list {
			for line := range strings.Lines(c.text) {
				if !declared[line] {
					src.WriteString(line)
				}
				if strings.HasPrefix(line, "declare ") {
					declared[line] = true
				}
			}
		}
		args := []string{"-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + cpu, "-o", "-", "-"}
		if mattr != "" {
			args = append(args, "-mattr="+mattr)
		}
		// llc never ends for some calls, and the machine may be busy.
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute+time.Duration(len(list))*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, tool, args...)
		cmd.Env = append(os.Environ(), "LLVM_DISABLE_SYMBOLIZATION=1")
		cmd.Stdin = strings.NewReader(src.String())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.Output()
		if err != nil {
			if len(list) == 1 {
				t.Logf("llc %s: %s", list[0].row.ID, firstLine(stderr.String()))
				return
			}
			run(list[:len(list)/2])
			run(list[len(list)/2:])
			return
		}
		splitAsm(string(stdout), out)
	}
	// A call that llc refuses costs further runs of its batch only.
	for batch := range slices.Chunk(cases, 64) {
		run(batch)
	}
	return out
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// splitAsm collects the instructions of each kernel in assembly text.
func splitAsm(asm string, out map[string][]string) {
	name := ""
	for _, line := range strings.Split(asm, "\n") {
		if k, ok := strings.CutSuffix(strings.Fields(line + " x:")[0], ":"); ok && strings.HasPrefix(k, "k") {
			name = k
			out[name] = []string{}
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "s_endpgm") {
			out[name] = append(out[name], strings.TrimSpace(line))
			name = ""
		}
		if name != "" && strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "\t.") && !strings.HasPrefix(line, "\t;") {
			out[name] = append(out[name], strings.TrimSpace(line))
		}
	}
}
