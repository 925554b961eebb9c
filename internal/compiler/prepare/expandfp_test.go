package prepare

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// fpTargets lists processors whose expansions differ; "" is none.
var fpTargets = []string{"", "gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1200"}

// fpCase is an IR function @f. T in its text is a floating-point type, and I is
// the type's name in intrinsic names.
type fpCase struct {
	name  string
	body  string // starts with "define"
	types string // values of T: h, b, f, d
	ulp   float64
	args  string  // the types of arguments: T, or bits of integers
	alt   string  // alternative body with valid results
	near  float64 // permitted error in addition to ulp, absolute or relative to the result
	mild  bool    // only for numbers of moderate magnitude
}

func fpUnary(name, types string, ulp float64) fpCase {
	return fpCase{name: name, types: types, ulp: ulp, args: "T", body: fmt.Sprintf("define T @f(T %%a) {\n  %%r = call T @llvm.%s.I(T %%a)\n  ret T %%r\n}\n"+
		"declare T @llvm.%s.I(T)\n", name, name)}
}

func fpBinary(name, types string, ulp float64) fpCase {
	return fpCase{name: name, types: types, ulp: ulp, args: "T T", body: fmt.Sprintf("define T @f(T %%a, T %%b) {\n  %%r = call T @llvm.%s.I(T %%a, T %%b)\n  ret T %%r\n}\n"+
		"declare T @llvm.%s.I(T, T)\n", name, name)}
}

func fpOp(op, types string) fpCase {
	return fpCase{name: op, types: types, args: "T T", body: fmt.Sprintf("define T @f(T %%a, T %%b) {\n  %%r = %s T %%a, %%b\n  ret T %%r\n}\n", op)}
}

func fpCompare(pred string) fpCase {
	return fpCase{name: "fcmp " + pred, types: "hbfd", args: "T T", body: fmt.Sprintf("define i1 @f(T %%a, T %%b) {\n  %%r = fcmp %s T %%a, %%b\n  ret i1 %%r\n}\n", pred)}
}

func fpFMA(name string) fpCase {
	return fpCase{name: name, types: "hbfd", args: "T T T", body: strings.ReplaceAll("define T @f(T %a, T %b, T %c) {\n  %r = call T @llvm.fma.I(T %a, T %b, T %c)\n  ret T %r\n}\n"+
		"declare T @llvm.fma.I(T, T, T)\n", "fma", name)}
}

// fpMulAddCase may be fused or not.
func fpMulAddCase() fpCase {
	c := fpFMA("fmuladd")
	c.alt = "define T @f(T %a, T %b, T %c) {\n  %p = fmul T %a, %b\n  %r = fadd T %p, %c\n  ret T %r\n}\n"
	return c
}

// fpNear sets a larger error for imprecise functions.
func fpNear(c fpCase, near float64) fpCase {
	c.near = near
	return c
}

func fpFrexpCase(part int) fpCase {
	result := [...]string{"T", "i32"}[part]
	return fpCase{name: fmt.Sprint("frexp ", part), types: "hbfd", args: "T", body: fmt.Sprintf("define %s @f(T %%a) {\n  %%s = call {T, i32} @llvm.frexp.I.i32(T %%a)\n"+
		"  %%r = extractvalue {T, i32} %%s, %d\n  ret %s %%r\n}\ndeclare {T, i32} @llvm.frexp.I.i32(T)\n", result, part, result)}
}

// fpFlags returns the case of an operation with reduced precision.
func fpFlags(op, flags, math string, ulp float64) fpCase {
	md, node := "", ""
	if math != "" {
		md, node = ", !fpmath !0", "!0 = !{ float "+math+" }\n"
	}
	return fpCase{name: op + " " + flags + math, types: "f", ulp: ulp, mild: flags != "", args: "T T", body: fmt.Sprintf("define T @f(T %%a, T %%b) {\n  %%r = %s %s T %%a, %%b%s\n  ret T %%r\n}\n%s", op, flags, md, node)}
}

func fpSqrtFlags(flags, math string, ulp float64) fpCase {
	c := fpUnary("sqrt", "f", ulp)
	c.name += " " + flags + math
	c.mild = flags != ""
	c.body = strings.Replace(c.body, "call T", "call "+flags+" T", 1)
	if math != "" {
		c.body = strings.Replace(c.body, "(T %a)\n", "(T %a), !fpmath !0\n", 1) + "!0 = !{ float " + math + " }\n"
	}
	return c
}

func fpToIntCase(op string, n int) fpCase {
	return fpCase{name: fmt.Sprint(op, n), types: "hbfd", args: "T",
		body: fmt.Sprintf("define i%d @f(T %%a) {\n  %%r = %s T %%a to i%d\n  ret i%d %%r\n}\n", n, op, n, n)}
}

func fpCallIntCase(op string, n int) fpCase {
	body := fmt.Sprintf("define iN @f(T %%a) {\n  %%r = call iN @llvm.%s.iN.I(T %%a)\n  ret iN %%r\n}\ndeclare iN @llvm.%s.iN.I(T)\n", op, op)
	return fpCase{name: fmt.Sprint(op, n), types: "hbfd", args: "T", body: strings.ReplaceAll(body, "iN", fmt.Sprint("i", n))}
}

func fpFromIntCase(op string, n int) fpCase {
	return fpCase{name: fmt.Sprint(op, n), types: "hbfd", args: fmt.Sprint(n),
		body: fmt.Sprintf("define T @f(i%d %%a) {\n  %%r = %s i%d %%a to T\n  ret T %%r\n}\n", n, op, n)}
}

func fpCastCase(op, from, types string) fpCase {
	return fpCase{name: op + " of " + from, types: types, args: from, body: fmt.Sprintf("define T @f(%s %%a) {\n  %%r = %s %s %%a to T\n  ret T %%r\n}\n", from, op, from)}
}

// fpCases returns the tested operations.
func fpCases() []fpCase {
	list := []fpCase{
		fpOp("fdiv", "hbfd"), fpOp("frem", "hbfd"), fpOp("fadd", "hbfd"), fpOp("fsub", "hbfd"), fpOp("fmul", "hbfd"), fpUnary("sqrt", "hbfd", 0),
		fpCompare("ogt"), fpCompare("ueq"), fpCompare("uno"),
		fpFMA("fma"), fpUnary("fabs", "hbfd", 0), fpBinary("copysign", "hbfd", 0), fpUnary("canonicalize", "hbfd", 0),
		fpCase{name: "fneg", types: "hbfd", args: "T", body: "define T @f(T %a) {\n  %r = fneg T %a\n  ret T %r\n}\n"},
	}
	for _, mask := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 3, 0x60, 0x3ff, 0x90, 0x204} {
		list = append(list, fpCase{name: fmt.Sprint("is.fpclass ", mask), types: "hbfd", args: "T", body: fmt.Sprintf("define i1 @f(T %%a) {\n"+
			"  %%r = call i1 @llvm.is.fpclass.I(T %%a, i32 %d)\n  ret i1 %%r\n}\ndeclare i1 @llvm.is.fpclass.I(T, i32)\n", mask)})
	}
	for _, op := range []string{"round", "roundeven", "nearbyint", "rint", "floor", "ceil", "trunc"} {
		list = append(list, fpUnary(op, "hbfd", 0))
	}
	for _, op := range []string{"minimum", "maximum", "minnum", "maxnum", "minimumnum", "maximumnum"} {
		list = append(list, fpBinary(op, "hbfd", 0))
	}
	list = append(list,
		fpUnary("exp2", "hf", 2), fpUnary("log2", "hf", 2), fpUnary("exp", "hf", 2), fpUnary("exp10", "hf", 2), fpUnary("log", "hf", 3), fpUnary("log10", "hf", 3),
		fpCastCase("fptrunc", "double", "hbf"), fpCastCase("fptrunc", "float", "hb"),
		fpCastCase("fpext", "half", "fd"), fpCastCase("fpext", "bfloat", "fd"),
		fpNear(fpUnary("sin", "hb", 0), 0x1p-4), fpNear(fpUnary("cos", "hb", 0), 0x1p-4), fpNear(fpUnary("sin", "f", 0), 0x1p-16), fpNear(fpUnary("cos", "f", 0), 0x1p-16),
		fpNear(fpBinary("pow", "f", 0), 0x1p-12), fpNear(fpBinary("pow", "b", 0), 0x1p-7),
		fpFrexpCase(0), fpFrexpCase(1), fpMulAddCase(), fpFlags("fdiv", "arcp", "", 0), fpFlags("fdiv", "afn", "", 3), fpFlags("fdiv", "", "2.5", 3), fpFlags("fdiv", "arcp", "1.0", 3),
		fpSqrtFlags("afn", "", 1), fpSqrtFlags("", "3.0", 2),
		fpCase{name: "x/4", types: "hfd", args: "T", body: "define T @f(T %a) {\n  %r = fdiv T %a, -4.0\n  ret T %r\n}\n"},
		fpCase{name: "1/x", types: "f", ulp: 1, args: "T", body: "define T @f(T %a) {\n  %r = fdiv T 1.0, %a, !fpmath !0\n  ret T %r\n}\n!0 = !{ float 1.0 }\n"},
		fpCase{name: "x/n", types: "f", ulp: 3, args: "T 32", body: "define T @f(T %a, i32 %b) {\n  %n = sitofp i32 %b to T\n  %m = fneg T %n\n  %r = fdiv T %a, %m, !fpmath !0\n  ret T %r\n}\n!0 = !{ float 2.5 }\n"},
		fpCase{name: "-1/n", types: "f", ulp: 1, args: "64", body: "define T @f(i64 %a) {\n  %n = uitofp i64 %a to T\n  %r = fdiv T -1.0, %n, !fpmath !0\n  ret T %r\n}\n!0 = !{ float 2.5 }\n"},
		fpCase{name: "rsq", types: "f", ulp: 2, args: "T", body: "define T @f(T %a) {\n  %s = call contract T @llvm.sqrt.I(T %a), !fpmath !0\n" +
			"  %r = fdiv contract T -1.0, %s, !fpmath !0\n  ret T %r\n}\ndeclare T @llvm.sqrt.I(T)\n!0 = !{ float 2.5 }\n"},
		fpNear(fpCase{name: "powi of a variable", types: "hbfd", args: "T 4", body: "define T @f(T %a, i4 %b) {\n  %n = sext i4 %b to i32\n  %r = call T @llvm.powi.I.i32(T %a, i32 %n)\n" +
			"  ret T %r\n}\ndeclare T @llvm.powi.I.i32(T, i32)\n"}, 0.04),
		fpNear(fpCase{name: "powi of a wide variable", types: "hbfd", args: "T 4", body: "define T @f(T %a, i4 %b) {\n  %n = sext i4 %b to i64\n  %r = call T @llvm.powi.I.i64(T %a, i64 %n)\n" +
			"  ret T %r\n}\ndeclare T @llvm.powi.I.i64(T, i64)\n"}, 0.04),
		fpCase{name: "powi", types: "f", ulp: 5, args: "T", body: "define T @f(T %a) {\n  %r = call T @llvm.powi.I.i32(T %a, i32 5)\n  ret T %r\n}\ndeclare T @llvm.powi.I.i32(T, i32)\n"},
	)
	for _, n := range []int{8, 16, 32, 64} {
		list = append(list, fpCase{name: fmt.Sprint("ldexp", n), types: "hbfd", args: fmt.Sprint("T ", n), body: strings.ReplaceAll("define T @f(T %a, iN %b) {\n"+
			"  %r = call T @llvm.ldexp.I.iN(T %a, iN %b)\n  ret T %r\n}\ndeclare T @llvm.ldexp.I.iN(T, iN)\n", "iN", fmt.Sprint("i", n))})
	}
	for _, n := range []int{1, 8, 16, 32, 33, 40, 64} {
		list = append(list, fpToIntCase("fptosi", n), fpToIntCase("fptoui", n), fpFromIntCase("sitofp", n), fpFromIntCase("uitofp", n),
			fpCallIntCase("fptosi.sat", n), fpCallIntCase("fptoui.sat", n))
	}
	for _, op := range []string{"lrint", "llrint", "lround", "llround"} {
		list = append(list, fpCallIntCase(op, 64), fpCallIntCase(op, 32))
	}
	return list
}

// fpTypes maps the letters of fpCase to types.
var fpTypes = map[rune]struct {
	name, intr string
	bits       int
	mant       int
}{'h': {"half", "f16", 16, 10}, 'b': {"bfloat", "bf16", 16, 7}, 'f': {"float", "f32", 32, 23}, 'd': {"double", "f64", 64, 52}}

func letterOf(t string) rune {
	for l, k := range fpTypes {
		if k.name == t {
			return l
		}
	}
	return 0
}

// fpValue returns the value of a number.
func fpValue(l rune, b uint64) float64 {
	switch l {
	case 'b':
		return float64(math.Float32frombits(uint32(b) << 16))
	case 'f':
		return float64(math.Float32frombits(uint32(b)))
	case 'd':
		return math.Float64frombits(b)
	}
	e, m := int(b>>10&31), float64(b&0x3ff)
	x := math.Ldexp(m+1024, e-25)
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(m, -24)
	}
	if b>>15 != 0 {
		return -x
	}
	return x
}

// pickFP returns a number with some random and some regular bits.
func pickFP(r *rand.Rand, l rune) uint64 {
	k := fpTypes[l]
	mask := uint64(1)<<(k.bits-1)*2 - 1
	mant := uint64(1)<<k.mant - 1
	sign := uint64(1) << (k.bits - 1)
	inf := sign - 1 - mant
	bias := (inf >> k.mant) / 2
	m := r.Uint64() & mant
	switch r.IntN(5) {
	case 0:
		m = 0
	case 1:
		m = mant &^ (r.Uint64() & (1<<r.IntN(k.mant) - 1) & 15)
	case 2:
		m &^= 1<<r.IntN(k.mant) - 1
	}
	e := r.Uint64() & (inf >> k.mant)
	switch r.IntN(6) {
	case 0:
		e = 0
	case 1:
		e = inf>>k.mant - uint64(r.IntN(3))
	case 2, 3:
		e = bias + uint64(r.IntN(70)) - 3
		if r.IntN(2) == 0 {
			e = bias + uint64(r.IntN(12)) - 6
		}
	case 4:
		e = uint64(r.IntN(40))
	}
	return (e<<k.mant&inf | m | r.Uint64()&sign) & mask
}

// pickArg returns a value of a type.
func pickArg(r *rand.Rand, typ string) uint64 {
	if l := letterOf(typ); l != 0 {
		return pickFP(r, l)
	}
	return pickInt(r, typeBits(typ))
}

// pickInt returns an integer of n bits.
func pickInt(r *rand.Rand, n int) uint64 {
	x := r.Uint64()
	switch r.IntN(4) {
	case 0:
		x >>= r.IntN(64)
	case 1:
		x = -(x >> r.IntN(64))
	case 2:
		x = uint64(1)<<r.IntN(64) + uint64(1)<<r.IntN(64) - uint64(r.IntN(3))
	}
	return x & (uint64(1)<<(n-1)*2 - 1)
}

// fpRun evaluates @f of a module.
type fpRun struct {
	mc *ireval.Machine
}

func newFPRun(t *testing.T, m *ir.Module, rough bool) fpRun {
	mc, err := ireval.New(m, ireval.Options{Rough: rough})
	if err != nil {
		t.Fatal(err)
	}
	return fpRun{mc}
}

func (r fpRun) call(t *testing.T, args []uint64) (uint64, uint8) {
	var list []ireval.Value
	for _, a := range args {
		list = append(list, ireval.Value{Words: []uint64{a}, Taint: []uint8{0}})
	}
	v, err := r.mc.Call("f", list...)
	if err != nil {
		t.Fatal(err)
	}
	return v.Words[0], v.Taint[0]
}

// sameFP reports whether a result is sufficiently close to another one.
func sameFP(l rune, got, want uint64, ulp float64) bool {
	x, y := fpValue(l, got), fpValue(l, want)
	switch {
	case got == want, x != x && y != y:
		return true
	case ulp == 0 || x != x || y != y || math.Signbit(x) != math.Signbit(y) && x != 0 && y != 0:
		return false
	}
	// numbers of equal sign are ordered like their bits
	return bits.Len64(got^want) < 64 && math.Abs(float64(got&^(1<<(fpTypes[l].bits-1)))-float64(want&^(1<<(fpTypes[l].bits-1)))) <= ulp
}

// TestExpandFP compares operations with their expansions, for reciprocals and
// similar operations of the minimum guaranteed precision.
func TestExpandFP(t *testing.T) {
	for _, c := range simCasesOf(fpCases()) {
		t.Run(c.name+"/"+fpTypes[c.letter].name, func(t *testing.T) { testFP(t, c) })
	}
}

func testFP(t *testing.T, c simCase) {
	before := c.reference(t)
	for _, cpu := range fpTargets {
		m := parse(t, "f.ll", c.text)
		expandFPFor(t, m, cpu)
		checkLegalFP(t, m, cpu)
		after := newFPRun(t, m, c.name != "sqrt" || c.letter != 'h')
		r := rand.New(rand.NewPCG(1, uint64(len(c.name))))
		for range passtest.Tries(5) * 10 {
			var args []uint64
			for _, a := range c.argTypes {
				args = append(args, pickArg(r, a))
			}
			got, bad := after.call(t, args)
			if problem := before.problem(t, args, got, bad); problem != "" {
				t.Fatalf("%s: %s\n%s", cpu, problem, text.Print(m))
			}
		}
	}
}

// reference evaluates the operation of a case directly.
type reference struct {
	simCase
	first, second fpRun
}

func (c simCase) reference(t *testing.T) *reference {
	r := &reference{simCase: c, first: newFPRun(t, parse(t, "f.ll", c.text), false)}
	if c.alt != "" {
		r.second = newFPRun(t, parse(t, "f.ll", c.altText), false)
	}
	return r
}

// problem describes the error in a result, or returns "".
func (r *reference) problem(t *testing.T, args []uint64, got uint64, unsure uint8) string {
	want, any := r.first.call(t, args)
	if any != 0 || r.fits(args, got, want) && unsure == 0 {
		return ""
	}
	if r.second.mc != nil {
		if other, _ := r.second.call(t, args); r.fits(args, got, other) {
			return ""
		}
	}
	return fmt.Sprintf("%s of %s: f(%#x) is %#x (%d), not %#x (%g, not %g)", r.name, fpTypes[r.letter].name, args, got, unsure, want,
		fpValue(r.letter, got), fpValue(r.letter, want))
}

// fits reports whether a result is correct.
func (r *reference) fits(args []uint64, got, want uint64) bool {
	if r.result == 0 {
		return got == want
	}
	if r.mild {
		for _, a := range append(args, want) {
			if x := math.Abs(fpValue(r.letter, a)); !(x > 0x1p-90 && x < 0x1p+90) {
				return true
			}
		}
	}
	if r.near != 0 {
		x, y := fpValue(r.result, got), fpValue(r.result, want)
		if math.Abs(x-y) <= r.near*max(1, math.Abs(y)) || len(args) == 1 && math.Abs(fpValue(r.letter, args[0])) > 100 {
			return true
		}
	}
	return sameFP(r.result, got, want, r.ulp)
}

// fpContext returns the context for a processor.
func fpContext(t *testing.T, cpu string) *opt.Context {
	t.Helper()
	ctx := &opt.Context{VerifyEach: passtest.VerifyModule, VerifyFunction: passtest.VerifyFunction}
	if cpu != "" {
		tg, err := target.New("", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		ctx.Target = tg
	}
	return ctx
}

// expandFPFor runs expand-fp for a processor.
func expandFPFor(t *testing.T, m *ir.Module, cpu string) {
	t.Helper()
	if err := pipeline(t, "expand-fp").Run(fpContext(t, cpu), m); err != nil {
		if e, ok := err.(*opt.Error); ok && e.Stack != nil {
			t.Logf("%s", e.Stack)
		}
		t.Fatal(err)
	}
}
