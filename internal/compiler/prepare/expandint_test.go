package prepare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
)

// wideCases returns functions on two integers of W bits that are built from
// four i64. The result is converted to i64.
func wideCases(widths []int) string {
	var s strings.Builder
	decls := map[string]bool{}
	for _, w := range widths {
		t := fmt.Sprintf("i%d", w)
		fn := func(name, body string) {
			fmt.Fprintf(&s, "define i64 @%s_%s(i64 %%a, i64 %%b, i64 %%c, i64 %%d) {\n", name, t)
			for _, v := range []struct{ to, lo, hi string }{{"x", "a", "b"}, {"y", "c", "d"}} {
				fmt.Fprintf(&s, "  %%l%s = zext i64 %%%s to i256\n  %%h%s = zext i64 %%%s to i256\n  %%s%s = shl i256 %%h%s, %d\n  %%o%s = or i256 %%l%s, %%s%s\n  %%%s = trunc i256 %%o%s to %s\n",
					v.to, v.lo, v.to, v.hi, v.to, v.to, w-64, v.to, v.to, v.to, v.to, v.to, t)
			}
			s.WriteString(strings.ReplaceAll(body, "T", t))
			fmt.Fprintf(&s, "  %%z = zext %s %%r to i256\n  %%z1 = lshr i256 %%z, 64\n  %%z2 = lshr i256 %%z, 128\n  %%z3 = xor i256 %%z, %%z1\n  %%z4 = mul i256 %%z2, 3\n  %%z5 = xor i256 %%z3, %%z4\n  %%q = trunc i256 %%z5 to i64\n  ret i64 %%q\n}\n", t)
		}
		for _, op := range []string{"ctpop", "bitreverse"} {
			decls[fmt.Sprintf("declare %s @llvm.%s.%s(%s)\n", t, op, t, t)] = true
			fn(op, fmt.Sprintf("  %%r = call T @llvm.%s.T(T %%x)\n", op))
		}
		for _, op := range []string{"ctlz", "cttz", "abs"} {
			decls[fmt.Sprintf("declare %s @llvm.%s.%s(%s, i1)\n", t, op, t, t)] = true
			fn(op, fmt.Sprintf("  %%r = call T @llvm.%s.T(T %%x, i1 false)\n", op))
		}
		if w%16 == 0 {
			decls[fmt.Sprintf("declare %s @llvm.bswap.%s(%s)\n", t, t, t)] = true
			fn("bswap", "  %r = call T @llvm.bswap.T(T %x)\n")
		}
		for _, op := range []string{"umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"} {
			decls[fmt.Sprintf("declare %s @llvm.%s.%s(%s, %s)\n", t, op, t, t, t)] = true
			fn(strings.ReplaceAll(op, ".", "_"), fmt.Sprintf("  %%r = call T @llvm.%s.T(T %%x, T %%y)\n", op))
		}
		for _, op := range []string{"uadd", "usub", "umul", "sadd", "ssub", "smul"} {
			decls[fmt.Sprintf("declare { %s, i1 } @llvm.%s.with.overflow.%s(%s, %s)\n", t, op, t, t, t)] = true
			fn(op+"_over", fmt.Sprintf("  %%p = call { T, i1 } @llvm.%s.with.overflow.T(T %%x, T %%y)\n  %%v = extractvalue { T, i1 } %%p, 0\n  %%i = extractvalue { T, i1 } %%p, 1\n  %%n = xor T %%v, -1\n  %%r = select i1 %%i, T %%n, T %%v\n", op))
		}
		for _, op := range []string{"fshl", "fshr"} {
			decls[fmt.Sprintf("declare %s @llvm.%s.%s(%s, %s, %s)\n", t, op, t, t, t, t)] = true
			fn(op, fmt.Sprintf("  %%r = call T @llvm.%s.T(T %%x, T %%y, T 77)\n", op))
			if w&(w-1) == 0 {
				fn(op+"_by", fmt.Sprintf("  %%r = call T @llvm.%s.T(T %%x, T %%y, T %%y)\n", op))
			}
		}
		for _, op := range []string{"uitofp", "sitofp"} {
			for ft, it := range map[string]string{"half": "i16", "bfloat": "i16", "float": "i32", "double": "i64"} {
				fn(op+"_"+ft, fmt.Sprintf("  %%f = %s T %%x to %s\n  %%g = bitcast %s %%f to %s\n  %%r = zext %s %%g to T\n", op, ft, ft, it, it))
			}
		}
		for _, op := range []string{"fptoui", "fptosi"} {
			// a double from 2^0 to 2^63 with any mantissa, its negative, or a
			// small fraction
			fn(op, fmt.Sprintf("  %%e = and i64 %%c, 63\n  %%e1 = add i64 %%e, 1021\n  %%e2 = shl i64 %%e1, 52\n  %%m = and i64 %%a, 4503599627370495\n  %%u = or i64 %%e2, %%m\n  %%f = bitcast i64 %%u to double\n  %%fn = fneg double %%f\n  %%k = icmp slt i64 %%d, 0\n  %%fs = select i1 %%k, double %%fn, double %%f\n  %%r = %s double %%%s to T\n", op, map[string]string{"fptoui": "f", "fptosi": "fs"}[op]))
		}
		for _, op := range []string{"slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne"} {
			fn(op, fmt.Sprintf("  %%k = icmp %s T %%x, %%y\n  %%r = sext i1 %%k to T\n", op))
		}
		for _, op := range []string{"udiv", "urem", "sdiv", "srem"} {
			fn(op, fmt.Sprintf("  %%y1 = lshr T %%y, 33\n  %%y2 = or T %%y1, 2\n  %%r = %s T %%x, %%y2\n", op))
		}
		for _, op := range []string{"shl", "lshr", "ashr"} {
			fn(op, fmt.Sprintf("  %%n = urem T %%y, %d\n  %%r = %s T %%x, %%n\n", w, op))
		}
	}
	out := ""
	for d := range decls {
		out += d
	}
	return out + s.String()
}

func TestExpandLargeInts(t *testing.T) {
	src := wideCases([]int{65, 96, 100, 127, 128})
	before, after := parse(t, "wide.ll", src), parse(t, "wide.ll", src)
	run(t, "expand-large-ints,globaldce", after)
	rng := rand.New(rand.NewPCG(3, 4))
	word := func() uint64 {
		x := rng.Uint64()
		switch rng.IntN(5) {
		case 0:
			return x
		case 1:
			return x >> rng.IntN(64)
		case 2:
			return 1<<rng.IntN(64) + uint64(rng.IntN(3)) - 1
		case 3:
			return -uint64(rng.IntN(3))
		}
		return x << rng.IntN(64)
	}
	for _, g := range before.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		for range passtest.Tries(8) {
			args := [4]uint64{word(), word(), word(), word()}
			want, got := callText(t, before, g.Name(), args), callText(t, after, g.Name(), args)
			if !strings.HasPrefix(want, "[0x") {
				t.Fatalf("%s(%#x): %s", g.Name(), args, want)
			}
			if want != got {
				t.Fatalf("%s(%#x) is %s, not %s", g.Name(), args, got, want)
			}
		}
	}
	for _, g := range after.Globals() {
		if g != nil && g.Func != nil {
			checkNarrow(t, g.Func)
		}
	}
}

// checkNarrow fails the test if a function still has a value wider than 64
// bits.
func checkNarrow(t *testing.T, f *ir.Function) {
	t.Helper()
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Module().IntBits(f.TypeOf(v)) > 64 {
				t.Fatalf("%s has %s of a wide integer", f.Name(), f.Op(v))
			}
		}
	}
}

// callText is callWords that returns the result or the error as text.
func callText(t *testing.T, m *ir.Module, name string, args [4]uint64) string {
	t.Helper()
	v, err := passtest.CallWords(t, m, name, args[:]...)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%#x %v", v.Words, v.Taint)
}
