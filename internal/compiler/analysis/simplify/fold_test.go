package simplify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// shape is a template for instructions. %T is a type of the first list and %U
// of the second; %V and %W are the same types as spelled in intrinsic names.
// $0, $1, … are constants with the types in args.
type shape struct {
	text  string
	types string
	other string
	args  string // one type each: T, U or a type
	decl  string
}

const (
	ints   = "i1 i5 i8 i16 i32 i33 i64 i65 i128 <2 x i8> <2 x i32> <3 x i16>"
	floats = "half bfloat float double <2 x half> <2 x float>"
)

var foldShapes = []shape{
	{text: "icmp PRED %T $0, $1", types: ints, args: "T T"},
	{text: "fcmp FPRED %T $0, $1", types: floats, args: "T T"},
	{text: "fneg %T $0", types: floats, args: "T"},
	{text: "select i1 $0, %T $1, %T $2", types: ints + " " + floats, args: "i1 T T"},
	{text: "freeze %T $0", types: ints + " " + floats, args: "T"},
	{text: "extractelement <3 x i8> $0, i32 $1", types: "i8", args: "<3 x i8> i32"},
	{text: "extractelement <2 x float> $0, i32 $1", types: "i8", args: "<2 x float> i32"},
	{text: "insertelement <3 x i8> $0, i8 $1, i32 $2", types: "i8", args: "<3 x i8> i8 i32"},
	{text: "shufflevector <3 x i8> $0, <3 x i8> $1, <4 x i32> <i32 5, i32 0, i32 poison, i32 2>", types: "i8", args: "<3 x i8> <3 x i8>"},
	{text: "bitcast <2 x i16> $0 to i32", types: "i8", args: "<2 x i16>"},
	{text: "bitcast i32 $0 to <2 x i16>", types: "i8", args: "i32"},
	{text: "bitcast <4 x i8> $0 to <2 x i16>", types: "i8", args: "<4 x i8>"},
	{text: "bitcast <2 x i16> $0 to <4 x i8>", types: "i8", args: "<2 x i16>"},
	{text: "bitcast <2 x half> $0 to i32", types: "i8", args: "<2 x half>"},
	{text: "bitcast float $0 to i32", types: "i8", args: "float"},
	{text: "bitcast i64 $0 to double", types: "i8", args: "i64"},
	{text: "bitcast i16 $0 to bfloat", types: "i8", args: "i16"},
	{text: "bitcast <2 x float> $0 to <4 x half>", types: "i8", args: "<2 x float>"},
}

func init() {
	for _, op := range strings.Fields("add sub mul shl and xor or udiv sdiv urem srem lshr ashr") {
		foldShapes = append(foldShapes, shape{text: op + " %T $0, $1", types: ints, args: "T T"})
	}
	for _, op := range []string{"add nuw", "sub nsw", "mul nuw nsw", "shl nuw", "shl nsw", "or disjoint", "udiv exact", "sdiv exact", "lshr exact", "ashr exact", "add nsw", "sub nuw", "mul nsw"} {
		foldShapes = append(foldShapes, shape{text: op + " %T $0, $1", types: ints, args: "T T"})
	}
	for _, op := range strings.Fields("fadd fsub fmul fdiv frem") {
		foldShapes = append(foldShapes, shape{text: op + " %T $0, $1", types: floats, args: "T T"})
		foldShapes = append(foldShapes, shape{text: op + " nnan %T $0, $1", types: floats, args: "T T"})
		foldShapes = append(foldShapes, shape{text: op + " ninf nsz %T $0, $1", types: floats, args: "T T"})
	}
	small, big := "i1 i5 i8 i16 i32", "i33 i64 i65 i128"
	for _, op := range []string{"zext", "sext", "zext nneg"} {
		foldShapes = append(foldShapes, shape{text: op + " %T $0 to %U", types: small, other: big, args: "T"})
	}
	for _, op := range []string{"trunc", "trunc nuw", "trunc nsw"} {
		foldShapes = append(foldShapes, shape{text: op + " %T $0 to %U", types: big, other: small, args: "T"})
	}
	for _, op := range []string{"fptoui", "fptosi"} {
		foldShapes = append(foldShapes, shape{text: op + " %T $0 to %U", types: "half bfloat float double", other: small + " " + big, args: "T"})
		foldShapes = append(foldShapes, shape{text: "call %U @llvm." + op + ".sat.%X.%V(%T $0)", types: "half bfloat float double", other: small + " " + big, args: "T",
			decl: "declare %U @llvm." + op + ".sat.%X.%V(%T)"})
	}
	for _, op := range []string{"uitofp", "sitofp", "uitofp nneg"} {
		foldShapes = append(foldShapes, shape{text: op + " %T $0 to %U", other: "half bfloat float double", types: small + " " + big, args: "T"})
	}
	foldShapes = append(foldShapes,
		shape{text: "fpext %T $0 to %U", types: "half bfloat", other: "float double", args: "T"},
		shape{text: "fptrunc %T $0 to %U", types: "float double", other: "half bfloat", args: "T"},
		shape{text: "fptrunc double $0 to float", types: "i8", args: "double"},
		shape{text: "fpext float $0 to double", types: "i8", args: "float"})
	addCall := func(name, types string, params ...string) {
		sig, args, call := []string{}, []string{}, []string{}
		n := 0
		for _, p := range params {
			t, imm, isImm := strings.Cut(p, " ")
			sig = append(sig, strings.Replace(t, "T", "%T", 1))
			if isImm {
				call = append(call, t+" "+imm)
				continue
			}
			call = append(call, fmt.Sprintf("%s $%d", strings.Replace(t, "T", "%T", 1), n))
			args = append(args, t)
			n++
		}
		foldShapes = append(foldShapes, shape{text: "call %T @llvm." + name + ".%V(" + strings.Join(call, ", ") + ")", types: types,
			args: strings.Join(args, " "), decl: "declare %T @llvm." + name + ".%V(" + strings.Join(sig, ", ") + ")"})
	}
	for _, name := range strings.Fields("smax smin umax umin sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat") {
		addCall(name, ints, "T", "T")
	}
	addCall("bswap", "i16 i32 i64 i128 <2 x i32>", "T")
	addCall("bitreverse", ints, "T")
	addCall("ctpop", ints, "T")
	addCall("fshl", ints, "T", "T", "T")
	addCall("fshr", ints, "T", "T", "T")
	for _, b := range []string{"i1 true", "i1 false"} {
		addCall("abs", ints, "T", b)
		addCall("ctlz", ints, "T", b)
		addCall("cttz", ints, "T", b)
	}
	for _, name := range strings.Fields("floor ceil trunc rint nearbyint round roundeven fabs canonicalize sqrt exp2 log2 sin") {
		addCall(name, floats, "T")
	}
	for _, name := range strings.Fields("minnum maxnum minimum maximum minimumnum maximumnum copysign pow") {
		addCall(name, floats, "T", "T")
	}
	addCall("fma", floats, "T", "T", "T")
	addCall("fmuladd", floats, "T", "T", "T")
	for _, op := range strings.Fields("sadd uadd ssub usub smul umul") {
		foldShapes = append(foldShapes, shape{text: "call {%T, i1} @llvm." + op + ".with.overflow.%V(%T $0, %T $1)", types: "i1 i5 i8 i32 i64 i65 i128", args: "T T",
			decl: "declare {%T, i1} @llvm." + op + ".with.overflow.%V(%T, %T)"})
	}
	for _, op := range strings.Fields("scmp ucmp") {
		foldShapes = append(foldShapes, shape{text: "call i8 @llvm." + op + ".i8.%V(%T $0, %T $1)", types: "i1 i5 i8 i32 i64 i65 i128", args: "T T",
			decl: "declare i8 @llvm." + op + ".i8.%V(%T, %T)"})
	}
	for _, op := range strings.Fields("add mul and or xor smax smin umax umin") {
		foldShapes = append(foldShapes, shape{text: "call i16 @llvm.vector.reduce." + op + ".v3i16(<3 x i16> $0)", types: "i8", args: "<3 x i16>",
			decl: "declare i16 @llvm.vector.reduce." + op + ".v3i16(<3 x i16>)"})
	}
	foldShapes = append(foldShapes,
		shape{text: "call i1 @llvm.is.fpclass.%V(%T $0, i32 MASK)", types: "half bfloat float double", args: "T", decl: "declare i1 @llvm.is.fpclass.%V(%T, i32)"},
		shape{text: "call %T @llvm.ldexp.%V.i32(%T $0, i32 $1)", types: floats[:24], args: "T i32", decl: "declare %T @llvm.ldexp.%V.i32(%T, i32)"},
		shape{text: "call {%T, i32} @llvm.frexp.%V.i32(%T $0)", types: "half bfloat float double", args: "T", decl: "declare {%T, i32} @llvm.frexp.%V.i32(%T)"},
		shape{text: "call <2 x half> @llvm.amdgcn.cvt.pkrtz(float $0, float $1)", types: "i8", args: "float float", decl: "declare <2 x half> @llvm.amdgcn.cvt.pkrtz(float, float)"},
		shape{text: "call i32 @llvm.amdgcn.perm(i32 $0, i32 $1, i32 $2)", types: "i8", args: "i32 i32 i32", decl: "declare i32 @llvm.amdgcn.perm(i32, i32, i32)"},
		shape{text: "call %T @llvm.amdgcn.fract.%V(%T $0)", types: "half float double", args: "T", decl: "declare %T @llvm.amdgcn.fract.%V(%T)"},
		shape{text: "call float @llvm.amdgcn.fmul.legacy(float $0, float $1)", types: "i8", args: "float float", decl: "declare float @llvm.amdgcn.fmul.legacy(float, float)"},
		shape{text: "call float @llvm.amdgcn.fma.legacy(float $0, float $1, float $2)", types: "i8", args: "float float float", decl: "declare float @llvm.amdgcn.fma.legacy(float, float, float)"},
		shape{text: "call %T @llvm.amdgcn.sin.%V(%T $0)", types: "half float", args: "T", decl: "declare %T @llvm.amdgcn.sin.%V(%T)"},
	)
	for _, op := range strings.Fields("cubeid cubema cubesc cubetc") {
		foldShapes = append(foldShapes, shape{text: "call float @llvm.amdgcn." + op + "(float $0, float $1, float $2)", types: "i8", args: "float float float",
			decl: "declare float @llvm.amdgcn." + op + "(float, float, float)"})
	}
}

var (
	intPreds   = strings.Fields("eq ne ugt uge ult ule sgt sge slt sle")
	floatPreds = strings.Fields("false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true")
)

// typeList splits a list of types, in which <n x t> contains blanks.
func typeList(s string) (list []string) {
	for s != "" {
		var t string
		if s[0] == '<' {
			t = s[:strings.IndexByte(s, '>')+1]
		} else {
			t, _, _ = strings.Cut(s, " ")
		}
		list = append(list, t)
		s = strings.TrimPrefix(s[len(t):], " ")
	}
	return list
}

// mangled returns a type as spelled in intrinsic names.
func mangled(t string) string {
	switch t {
	case "half":
		return "f16"
	case "bfloat":
		return "bf16"
	case "float":
		return "f32"
	case "double":
		return "f64"
	}
	if t[0] == '<' {
		return "v" + t[1:2] + mangled(strings.TrimSuffix(t[5:], ">"))
	}
	return t
}

// instance instantiates a shape and returns the instruction and the declaration
// that it needs.
func (g gen) instance(s *shape) (instr, decl string) {
	t := g.one(typeList(s.types))
	u := t
	if s.other != "" {
		u = g.one(typeList(s.other))
	}
	rep := strings.NewReplacer("%T", t, "%U", u, "%V", mangled(t), "%X", mangled(u), "PRED", "", "FPRED", "")
	instr = strings.Replace(s.text, "FPRED", g.one(floatPreds), 1)
	instr = strings.Replace(instr, "PRED", g.one(intPreds), 1)
	instr = strings.Replace(instr, "MASK", fmt.Sprint(g.IntN(1024)), 1)
	instr = rep.Replace(instr)
	for i, a := range typeList(s.args) {
		switch a {
		case "T":
			a = t
		case "U":
			a = u
		}
		instr = strings.Replace(instr, fmt.Sprintf("$%d", i), g.value(a), 1)
	}
	return instr, rep.Replace(s.decl)
}

// TestFoldOracle compares constant folding with LLVM's, on random constants for
// every operation and type.
func TestFoldOracle(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(1, 2))}
	total := cases(t, 2000)
	stats := map[string]int{}
	examples := map[string]string{}
	for done := 0; done < total; done += 2000 {
		foldBatch(t, g, min(2000, total-done), done, stats, examples)
	}
	report(t, stats, examples)
}

func foldBatch(t *testing.T, g gen, n, first int, stats map[string]int, examples map[string]string) {
	decls := map[string]bool{}
	instrs := make([]string, n)
	var src strings.Builder
	src.WriteString(header)
	for i := range instrs {
		s := &foldShapes[(first+i)%len(foldShapes)]
		instr, decl := g.instance(s)
		instrs[i] = instr
		if decl != "" {
			decls[decl] = true
		}
		rt := typeOf(instr)
		fmt.Fprintf(&src, "define %s @f%d() {\n  %%r = %s\n  ret %s %%r\n}\n", rt, i, instr, rt)
	}
	for d := range decls {
		src.WriteString(d + "\n")
	}
	ours, theirs := compare(t, src.String())
	for i, instr := range instrs {
		name := fmt.Sprint("f", i)
		verdict(ours[name], theirs[name], instr, stats, examples)
	}
}

// verdict records the comparison of two results.
func verdict(ours, theirs, instr string, stats map[string]int, examples map[string]string) {
	folded := func(s string) bool { return strings.HasPrefix(s, "  ret ") }
	op := strings.Join(strings.Fields(instr)[:1], " ")
	if op == "call" {
		op = instr[strings.IndexByte(instr, '@')+1 : strings.IndexByte(instr, '(')]
	}
	what := "same"
	switch {
	case ours == theirs || sameDouble(ours, theirs):
	case !folded(ours) && folded(theirs):
		what = "missed"
	case folded(ours) && !folded(theirs):
		what = "more"
	case strings.Contains(ours, "poison") && hasFlag(instr):
		what = "flag"
	case op == "shufflevector" && ours == strings.Replace(theirs, "i8 undef, i8", "i8 poison, i8", 1), // poison in the mask
		op == "shufflevector" && strings.Contains(theirs, "undef"),
		op == "bitcast" && (strings.ReplaceAll(ours, "poison", "undef") == strings.ReplaceAll(theirs, "poison", "undef") || strings.HasSuffix(theirs, "undef")),
		strings.Contains(op, "llvm.fm") && (strings.Contains(instr, "undef") || strings.Contains(instr, "poison")):
		what = "flag"
	default:
		what = "WRONG"
	}
	stats[what]++
	if what != "same" {
		stats[what+" "+op]++
		examples[what+" "+op] = instr + "\n\t\tours   " + ours + "\n\t\ttheirs " + theirs
	}
}

// sameDouble reports whether two results are the same double, one in decimal
// and one in hexadecimal: LLVM does not always find the shortest decimal.
func sameDouble(ours, theirs string) bool {
	x, ok := strings.CutPrefix(ours, "  ret double ")
	y, ok2 := strings.CutPrefix(theirs, "  ret double 0x")
	if !ok || !ok2 {
		return false
	}
	a, err := strconv.ParseFloat(x, 64)
	b, err2 := strconv.ParseUint(y, 16, 64)
	return err == nil && err2 == nil && math.Float64bits(a) == b
}

func hasFlag(instr string) bool {
	for _, f := range []string{" nuw", " nsw", " exact", " disjoint", " nneg", " nnan", " ninf"} {
		if strings.Contains(instr, f) {
			return true
		}
	}
	return false
}

// report fails the test for wrong results and logs the rest.
func report(t *testing.T, stats map[string]int, examples map[string]string) {
	t.Helper()
	t.Logf("same %d, more %d, missed %d, poison by flags %d, wrong %d", stats["same"], stats["more"], stats["missed"], stats["flag"], stats["WRONG"])
	var names []string
	for n := range examples {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if strings.HasPrefix(n, "WRONG") {
			t.Errorf("%s (%d): %s", n, stats[n], examples[n])
		} else if testing.Verbose() {
			t.Logf("%s (%d): %s", n, stats[n], examples[n])
		}
	}
}

// typeOf returns the result type of an instruction's text.
func typeOf(instr string) string {
	words := strings.Fields(instr)
	switch op := words[0]; op {
	case "icmp", "fcmp":
		rest := strings.TrimSpace(instr[strings.Index(instr, words[1])+len(words[1]):])
		if t := typeList(rest)[0]; t[0] == '<' {
			return "<" + t[1:2] + " x i1>"
		}
		return "i1"
	case "extractelement":
		t := typeList(strings.TrimPrefix(instr, op+" "))[0]
		return strings.TrimSuffix(t[5:], ">")
	case "shufflevector":
		return "<4 x i8>"
	case "select":
		_, rest, _ := strings.Cut(instr, ", ")
		return typeList(rest)[0]
	case "call":
		return strings.TrimSpace(instr[5:strings.IndexByte(instr, '@')])
	}
	if i := strings.LastIndex(instr, " to "); i >= 0 {
		return instr[i+4:]
	}
	rest := instr
	for {
		_, rest, _ = strings.Cut(rest, " ")
		t := typeList(rest)[0]
		if t[0] == '<' || mangled(t) != t || t[0] == 'i' && t[1] >= '1' && t[1] <= '9' {
			return t
		}
	}
}
