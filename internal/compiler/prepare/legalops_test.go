package prepare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

// legalCases are functions on two values of a type, built from four i64; the
// result is converted to i64. The evaluator runs want, and got after
// legalization. They differ if the evaluator does not support an intrinsic.
type legalCases struct {
	want, got strings.Builder
	decls     map[string]bool
	n, w      int // number of elements (0: scalar), bits
}

func (c *legalCases) typ() string {
	if c.n == 0 {
		return fmt.Sprintf("i%d", c.w)
	}
	return fmt.Sprintf("<%d x i%d>", c.n, c.w)
}

// suffix returns the type as spelled in intrinsic names.
func (c *legalCases) suffix() string {
	if c.n == 0 {
		return fmt.Sprintf("i%d", c.w)
	}
	return fmt.Sprintf("v%di%d", c.n, c.w)
}

func (c *legalCases) bits() int { return max(c.n, 1) * c.w }

// splat returns a constant of the type.
func (c *legalCases) splat(x string) string {
	if c.n == 0 {
		return x
	}
	return fmt.Sprintf("splat (i%d %s)", c.w, x)
}

// fn adds a function. In the bodies, T is the type, S its suffix, U an integer
// with all bits of T, B i1 or a vector of i1.
func (c *legalCases) fn(name, want, got string) {
	boolType := "i1"
	if c.n > 0 {
		boolType = fmt.Sprintf("<%d x i1>", c.n)
	}
	r := strings.NewReplacer("$T", c.typ(), "$S", c.suffix(), "$U", fmt.Sprintf("i%d", c.bits()), "$B", boolType, "$E", fmt.Sprintf("i%d", c.w))
	head := fmt.Sprintf("define i64 @%s_%s(i64 %%a, i64 %%b, i64 %%c, i64 %%d) {\n", strings.NewReplacer(".", "_", " ", "_").Replace(name), c.suffix())
	for _, v := range []struct{ to, lo, hi string }{{"x", "a", "b"}, {"y", "c", "d"}} {
		head += fmt.Sprintf("  %%l%s = zext i64 %%%s to i256\n  %%h%s = zext i64 %%%s to i256\n  %%s%s = shl i256 %%h%s, %d\n  %%o%s = xor i256 %%l%s, %%s%s\n  %%t%s = trunc i256 %%o%s to $U\n  %%%s = bitcast $U %%t%s to $T\n",
			v.to, v.lo, v.to, v.hi, v.to, v.to, max(c.bits()-64, 0), v.to, v.to, v.to, v.to, v.to, v.to, v.to)
	}
	tail := "  %u = bitcast $T %r to $U\n  %z = zext $U %u to i256\n  %z1 = lshr i256 %z, 64\n  %z2 = lshr i256 %z, 128\n  %z3 = xor i256 %z, %z1\n  %z4 = mul i256 %z2, 3\n  %z5 = xor i256 %z3, %z4\n  %q = trunc i256 %z5 to i64\n  ret i64 %q\n}\n"
	c.want.WriteString(r.Replace(head + want + tail))
	c.got.WriteString(r.Replace(head + got + tail))
}

func (c *legalCases) both(name, body string) { c.fn(name, body, body) }

// call adds a function that calls an intrinsic with one or both vectors,
// followed by more arguments.
func (c *legalCases) call(name string, args int, more ...string) {
	c.declare(name, args, more...)
	c.both(name, "  %r = "+c.callText(name, args, more...)+"\n")
}

func (c *legalCases) declare(name string, args int, more ...string) {
	types := strings.TrimSuffix(strings.Repeat(c.typ()+", ", args), ", ")
	for _, m := range more {
		t, _, _ := strings.Cut(m, " ")
		types += ", " + t
	}
	result := c.typ()
	if strings.HasSuffix(name, "overflow") {
		result = strings.NewReplacer("$T", c.typ(), "$B", strings.Replace(c.typ(), fmt.Sprintf("i%d", c.w), "i1", 1)).Replace("{ $T, $B }")
	}
	c.decls[fmt.Sprintf("declare %s @llvm.%s.%s(%s)\n", result, name, c.suffix(), types)] = true
}

func (c *legalCases) callText(name string, args int, more ...string) string {
	list := []string{"$T %x", "$T %y", "$T %y"}[:args]
	return fmt.Sprintf("call $T @llvm.%s.$S(%s)", name, strings.Join(append(append([]string(nil), list...), more...), ", "))
}

// all adds all cases for a type.
func (c *legalCases) all() {
	for _, op := range []string{"add", "sub", "mul", "and", "or", "xor", "add nuw", "sub nsw"} {
		if op == "add nuw" || op == "sub nsw" { // operands do not overflow
			if c.w > 2 {
				c.both(op, fmt.Sprintf("  %%p = lshr $T %%x, %s\n  %%o = lshr $T %%y, %s\n  %%r = %s $T %%p, %%o\n", c.splat("1"), c.splat("1"), op))
			}
			continue
		}
		c.both(op, fmt.Sprintf("  %%r = %s $T %%x, %%y\n", op))
	}
	for _, op := range []string{"udiv", "urem", "sdiv", "srem"} {
		if c.w > 2 {
			c.both(op, fmt.Sprintf("  %%p = lshr $T %%y, %s\n  %%o = or $T %%p, %s\n  %%r = %s $T %%x, %%o\n", c.splat("1"), c.splat("1"), op))
		}
	}
	for _, op := range []string{"shl", "lshr", "ashr"} {
		c.both(op, fmt.Sprintf("  %%n = urem $T %%y, %s\n  %%r = %s $T %%x, %%n\n", c.splat(fmt.Sprint(max(c.w-1, 1))), op))
	}
	for _, op := range []string{"slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne"} {
		c.both(op, fmt.Sprintf("  %%k = icmp %s $T %%x, %%y\n  %%r = select $B %%k, $T %%x, $T %s\n", op, c.splat("1")))
	}
	for _, op := range []string{"umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"} {
		c.call(op, 2)
	}
	for _, op := range []string{"ctpop", "bitreverse"} {
		c.call(op, 1)
	}
	for _, op := range []string{"abs", "ctlz", "cttz"} {
		c.call(op, 1, "i1 false")
	}
	if c.w%16 == 0 {
		c.call("bswap", 1)
	}
	for _, op := range []string{"fshl", "fshr"} {
		c.call(op, 3)
		if c.w > 3 {
			c.declare(op, 3)
			c.both(op+"5", fmt.Sprintf("  %%r = call $T @llvm.%s.$S($T %%x, $T %%y, $T %s)\n", op, c.splat("5")))
		}
	}
	c.shiftSat()
	c.overflow()
	c.fixed()
	c.vectors()
}

// shiftSat adds shifts by less than the width.
func (c *legalCases) shiftSat() {
	for _, op := range []string{"ushl.sat", "sshl.sat"} {
		c.declare(op, 2)
		n := c.splat(fmt.Sprint(max(c.w-1, 1)))
		c.both(op, fmt.Sprintf("  %%n = urem $T %%y, %s\n  %%r = call $T @llvm.%s.$S($T %%x, $T %%n)\n", n, op))
	}
}

func (c *legalCases) overflow() {
	for _, op := range []string{"uadd", "usub", "umul", "sadd", "ssub", "smul"} {
		name := op + ".with.overflow"
		c.declare(name, 2)
		c.both(name, "  %p = call { $T, $B } @llvm."+name+".$S($T %x, $T %y)\n  %v = extractvalue { $T, $B } %p, 0\n  %i = extractvalue { $T, $B } %p, 1\n  %n = xor $T %v, "+c.splat("-1")+"\n  %r = select $B %i, $T %n, $T %v\n")
	}
}

// fixed adds the operations on fixed-point numbers; expected values are
// computed in i256.
func (c *legalCases) fixed() {
	if c.n > 0 || c.w < 2 {
		return
	}
	for _, name := range []string{"smul", "umul", "sdiv", "udiv"} {
		for _, sat := range []string{"", ".sat"} {
			for _, scale := range []int{0, 1, c.w - 1} {
				if scale != 1 || c.w > 2 {
					c.fixedCase(name[1:], name[:1] == "s", sat, scale)
				}
			}
		}
	}
}

func (c *legalCases) fixedCase(op string, signed bool, sat string, scale int) {
	ext, shr, div, rem, s := "zext", "lshr", "udiv", "urem", "u"
	if signed {
		ext, shr, div, rem, s = "sext", "ashr", "sdiv", "srem", "s"
	}
	name := s + op + ".fix" + sat
	c.decls[fmt.Sprintf("declare i%d @llvm.%s.i%d(i%d, i%d, i32)\n", c.w, name, c.w, c.w, c.w)] = true
	want := fmt.Sprintf("  %%y1 = or $T %%y, 1\n  %%X = %s $T %%x to i256\n  %%Y = %s $T %%y1 to i256\n", ext, ext)
	if op == "mul" {
		want += fmt.Sprintf("  %%P = mul i256 %%X, %%Y\n  %%Q = %s i256 %%P, %d\n", shr, scale)
	} else {
		want += fmt.Sprintf("  %%P = shl i256 %%X, %d\n  %%D = %s i256 %%P, %%Y\n  %%R = %s i256 %%P, %%Y\n", scale, div, rem)
		if signed { // round down if the signs of remainder and divisor differ
			want += "  %m0 = icmp ne i256 %R, 0\n  %m1 = xor i256 %R, %Y\n  %m2 = icmp slt i256 %m1, 0\n  %m3 = and i1 %m0, %m2\n  %m4 = sext i1 %m3 to i256\n  %Q = add i256 %D, %m4\n"
		} else {
			want += "  %Q = add i256 %D, 0\n"
		}
	}
	switch {
	case sat == "":
		want += "  %r = trunc i256 %Q to $T\n"
	case signed:
		want += fmt.Sprintf("  %%one = shl i256 1, %d\n  %%hi = sub i256 %%one, 1\n  %%lo = sub i256 0, %%one\n  %%c1 = icmp sgt i256 %%Q, %%hi\n  %%q1 = select i1 %%c1, i256 %%hi, i256 %%Q\n  %%c2 = icmp slt i256 %%q1, %%lo\n  %%q2 = select i1 %%c2, i256 %%lo, i256 %%q1\n  %%r = trunc i256 %%q2 to $T\n", c.w-1)
	default:
		want += fmt.Sprintf("  %%one = shl i256 1, %d\n  %%hi = sub i256 %%one, 1\n  %%c1 = icmp ugt i256 %%Q, %%hi\n  %%q1 = select i1 %%c1, i256 %%hi, i256 %%Q\n  %%r = trunc i256 %%q1 to $T\n", c.w)
	}
	got := fmt.Sprintf("  %%y1 = or $T %%y, 1\n  %%r = call $T @llvm.%s.$S($T %%x, $T %%y1, i32 %d)\n", name, scale)
	c.fn(fmt.Sprintf("%s_%d", name, scale), want, got)
}

// vectors adds the vector intrinsics.
func (c *legalCases) vectors() {
	if c.n == 0 {
		return
	}
	for _, op := range []string{"add", "mul", "and", "or", "xor", "umin", "umax", "smin", "smax"} {
		c.decls[fmt.Sprintf("declare i%d @llvm.vector.reduce.%s.%s(%s)\n", c.w, op, c.suffix(), c.typ())] = true
		c.both("reduce."+op, "  %e = call $E @llvm.vector.reduce."+op+".$S($T %x)\n  %r = insertelement $T %y, $E %e, i32 1\n")
	}
	c.both("dynamic", fmt.Sprintf("  %%n = urem i64 %%b, %d\n  %%m = urem i64 %%d, %d\n  %%e = extractelement $T %%x, i64 %%n\n  %%r = insertelement $T %%y, $E %%e, i64 %%m\n", c.n, c.n))
	mask, reversed := make([]string, c.n), make([]string, c.n)
	for i := range mask {
		mask[i] = fmt.Sprintf("i32 %d", (i*3+1)%(2*c.n))
		reversed[i] = fmt.Sprintf("i32 %d", c.n-1-i)
	}
	masks := func(list []string) string { return fmt.Sprintf("<%d x i32> <%s>", c.n, strings.Join(list, ", ")) }
	c.both("shuffle", "  %r = shufflevector $T %x, $T %y, "+masks(mask)+"\n")
	c.decls[fmt.Sprintf("declare %s @llvm.vector.reverse.%s(%s)\n", c.typ(), c.suffix(), c.typ())] = true
	c.fn("reverse", "  %r = shufflevector $T %x, $T %x, "+masks(reversed)+"\n", "  %r = call $T @llvm.vector.reverse.$S($T %x)\n")
	c.both("memory", "  %s = alloca $T, addrspace(5)\n  store $T %x, ptr addrspace(5) %s\n  %r = load $T, ptr addrspace(5) %s\n")
	c.both("bytes", fmt.Sprintf("  %%s = alloca $T, addrspace(5)\n  store $T %%x, ptr addrspace(5) %%s\n  %%v = load i8, ptr addrspace(5) %%s\n  %%w = zext i8 %%v to i256\n  %%f = trunc i256 %%w to $U\n  %%r = bitcast $U %%f to $T\n"))
	c.masked()
}

// masked adds accesses to the vector elements that a mask selects.
func (c *legalCases) masked() {
	if c.w%8 != 0 {
		return
	}
	c.decls[fmt.Sprintf("declare %s @llvm.masked.load.%s.p5(ptr addrspace(5), <%d x i1>, %s)\n", c.typ(), c.suffix(), c.n, c.typ())] = true
	c.decls[fmt.Sprintf("declare void @llvm.masked.store.%s.p5(%s, ptr addrspace(5), <%d x i1>)\n", c.suffix(), c.typ(), c.n)] = true
	slot := "  %m = icmp ult $T %x, %y\n  %s = alloca $T, addrspace(5)\n  store $T %x, ptr addrspace(5) %s\n"
	c.fn("masked.load", slot+"  %r = select $B %m, $T %x, $T %y\n",
		slot+"  %r = call $T @llvm.masked.load.$S.p5(ptr addrspace(5) %s, $B %m, $T %y)\n")
	c.fn("masked.store", slot+"  %r = select $B %m, $T %y, $T %x\n",
		slot+"  call void @llvm.masked.store.$S.p5($T %y, ptr addrspace(5) %s, $B %m)\n  %r = load $T, ptr addrspace(5) %s\n")
}

const gpuHead = `target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
`

// TestLegalOperations legalizes every operation and intrinsic on integers of
// many widths and on vectors of them; on more with GFX_OPT_TRIES above 1.
func TestLegalOperations(t *testing.T) {
	c := legalCases{decls: map[string]bool{}}
	widths, counts := []int{1, 8, 16, 24, 32, 33, 64}, []int{0, 3}
	if passtest.Tries(1) > 1 {
		widths, counts = []int{1, 2, 3, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64}, []int{0, 2, 3}
	}
	for _, c.w = range widths {
		for _, c.n = range counts {
			c.all()
		}
	}
	for _, c.n = range []int{33, 40} { // through memory
		c.w = 1
		c.vectors()
	}
	c.w, c.n = 7, 36
	c.vectors()
	decls := ""
	for d := range c.decls {
		decls += d
	}
	before := parse(t, "want.ll", gpuHead+decls+c.want.String())
	for _, name := range []string{"gfx900", "gfx600"}[:min(passtest.Tries(1), 2)] {
		tgt := processor(t, name)
		after := parse(t, "got.ll", gpuHead+decls+c.got.String())
		if list := verify.Module(after); len(list) > 0 {
			t.Fatal(list[0].Describe(after))
		}
		if err := runLegal(legalPasses, tgt, after); err != nil {
			t.Fatal(err)
		}
		if err := illegal(after, legalPasses, tgt); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sameCalls(t, before, after)
	}
}

// sameCalls calls all functions of two modules with the same random arguments.
func sameCalls(t *testing.T, before, after *ir.Module) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	word := func() uint64 {
		x := rng.Uint64()
		switch rng.IntN(4) {
		case 0:
			return x >> rng.IntN(64)
		case 1:
			return 1<<rng.IntN(64) + uint64(rng.IntN(3)) - 1
		case 2:
			return -uint64(rng.IntN(3))
		}
		return x
	}
	failed := map[string]bool{}
	call := caller(t, before)
	callAfter := caller(t, after)
	for _, g := range before.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		for range passtest.Tries(4) {
			args := [4]uint64{word(), word(), word(), word()}
			want, got := call(g.Name(), args), callAfter(g.Name(), args)
			if !strings.HasPrefix(want, "[0x") {
				t.Errorf("%s(%#x): %s", g.Name(), args, want)
				break
			}
			if want != got && !failed[g.Name()] {
				failed[g.Name()] = true
				t.Errorf("%s(%#x) is %s, not %s", g.Name(), args, got, want)
			}
		}
	}
}

// caller returns a function that calls the functions of a module.
func caller(t *testing.T, m *ir.Module) func(name string, args [4]uint64) string {
	mc, err := ireval.New(m, ireval.Options{Steps: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	return func(name string, args [4]uint64) string {
		var list []ireval.Value
		for _, a := range args {
			list = append(list, ireval.Value{Words: []uint64{a}, Taint: []uint8{0}})
		}
		v, err := mc.Call(name, list...)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%#x %v", v.Words, v.Taint)
	}
}
