package opt_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
)

// arrayTypes lists types of accesses and their sizes in bytes.
var arrayTypes = []struct {
	name  string
	bytes int
}{{"i8", 1}, {"i16", 2}, {"half", 2}, {"i32", 4}, {"float", 4}, {"<4 x i8>", 4}, {"i64", 8}, {"<2 x i32>", 8}}

// arrayFunction returns a function that stores to and loads from an array in
// private memory, at constant and variable indices.
func arrayFunction(rng *rand.Rand, name string) string {
	var b strings.Builder
	words := 2 + rng.IntN(14)
	fmt.Fprintf(&b, "define i32 @%s(i32 %%x0, i32 %%x1, i32 %%x2) {\n  %%a = alloca [%d x i8], align 8, addrspace(5)\n", name, 4*words-rng.IntN(4))
	for k := range words - 1 {
		fmt.Fprintf(&b, "  %%w%d = getelementptr i32, ptr addrspace(5) %%a, i32 %d\n  store i32 %[3]d, ptr addrspace(5) %%w%[1]d\n", k, k, int32(rng.Uint32()))
	}
	sum := "%x0"
	for k := range 3 + rng.IntN(8) {
		t := arrayTypes[rng.IntN(len(arrayTypes))]
		room := 4*(words-1) - t.bytes
		if room < 0 {
			continue
		}
		scale := max(t.bytes, 1<<rng.IntN(4))
		if t.bytes > 4 {
			scale = 4
		}
		n := room/scale + 1
		at := 0
		kind := rng.IntN(4)
		arg := rng.IntN(3)
		switch kind {
		case 0: // constant
			fmt.Fprintf(&b, "  %%i%d = add i32 %d, 0\n", k, rng.IntN(n))
		case 1:
			fmt.Fprintf(&b, "  %%i%d = urem i32 %%x%d, %d\n", k, arg, n)
		case 2: // from -n/2 to n/2
			n = (n-1)/2 + 1
			fmt.Fprintf(&b, "  %%i%d = srem i32 %%x%d, %d\n", k, arg, n)
			at = scale * (n - 1)
		case 3:
			for n&(n-1) != 0 {
				n &= n - 1
			}
			fmt.Fprintf(&b, "  %%i%d = and i32 %%x%d, %d\n", k, arg, n-1)
			at = rng.IntN(room/scale-n+2) * scale
		}
		fmt.Fprintf(&b, "  %%p%d = getelementptr i8, ptr addrspace(5) %%a, i32 %d\n  %%q%[1]d = getelementptr [%[3]d x i8], ptr addrspace(5) %%p%[1]d, i32 %%i%[1]d\n", k, at, scale)
		if rng.IntN(2) == 0 {
			bits := 8 * t.bytes
			fmt.Fprintf(&b, "  %%z%d = zext i32 %s to i64\n  %%m%[1]d = mul i64 %%z%[1]d, %[3]d\n  %%n%[1]d = lshr i64 %%m%[1]d, 9\n", k, sum, rng.Uint64()>>1)
			fmt.Fprintf(&b, "  %%t%d = %s i64 %%n%[1]d to i%[3]d\n  %%v%[1]d = bitcast i%[3]d %%t%[1]d to %[4]s\n", k, castTo(bits), bits, t.name)
			fmt.Fprintf(&b, "  store %s %%v%d, ptr addrspace(5) %%q%[2]d, align 1\n", t.name, k)
			continue
		}
		fmt.Fprintf(&b, "  %%v%[1]d = load %[2]s, ptr addrspace(5) %%q%[1]d, align 1\n  %%t%[1]d = bitcast %[2]s %%v%[1]d to i%[3]d\n", k, t.name, 8*t.bytes)
		fmt.Fprintf(&b, "  %%z%d = %s i%[3]d %%t%[1]d to i64\n  %%n%[1]d = mul i64 %%z%[1]d, 2862933555777941757\n  %%m%[1]d = lshr i64 %%n%[1]d, 32\n", k, castFrom(8*t.bytes), 8*t.bytes)
		fmt.Fprintf(&b, "  %%c%d = trunc i64 %%m%[1]d to i32\n  %%s%[1]d = add i32 %%c%[1]d, %[2]s\n", k, sum)
		sum = fmt.Sprintf("%%s%d", k)
	}
	fmt.Fprintf(&b, "  ret i32 %s\n}\n", sum)
	return b.String()
}

func castTo(bits int) string {
	if bits == 64 {
		return "bitcast"
	}
	return "trunc"
}

func castFrom(bits int) string {
	if bits == 64 {
		return "bitcast"
	}
	return "zext"
}

// TestPromoteArrays promotes arrays and compares the functions' results before
// and after.
func TestPromoteArrays(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const count = 300
	var b strings.Builder
	b.WriteString("target datalayout = \"e-p:64:64-p5:32:32-A5\"\n")
	for k := range count {
		b.WriteString(arrayFunction(rng, fmt.Sprintf("f%d", k)))
	}
	before, after := parse(t, "arrays.ll", b.String()), parse(t, "arrays.ll", b.String())
	if err := pipeline(t, "amdgpu-promote-alloca").Run(&opt.Context{VerifyEach: passtest.CheckModule}, after); err != nil {
		t.Fatal(err)
	}
	left := 0
	for k := range count {
		name := fmt.Sprintf("f%d", k)
		f := after.Function(name)
		if f.Op(f.First(f.Entry())) == ir.OpAlloca {
			left++
		}
		for range 12 {
			args := []uint64{uint64(rng.Uint32()), uint64(rng.Uint32()), uint64(rng.Uint32() >> rng.IntN(32))}
			want, got := callInts(t, before, name, args), callInts(t, after, name, args)
			if want != got {
				t.Fatalf("%s(%d) is %#x instead of %#x\n%s", name, args, got, want, b.String()[strings.Index(b.String(), "@"+name+"("):][:3000])
			}
		}
	}
	if left > count/10 {
		t.Errorf("%d of %d arrays are still in memory", left, count)
	}
}

// callInts calls a function on i32.
func callInts(t *testing.T, m *ir.Module, name string, args []uint64) uint64 {
	t.Helper()
	v, err := passtest.CallWords(t, m, name, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v.Words[0]
}
