package prepare

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// memModule returns a module with one function for each memory intrinsic:
// f(dst, src, n), for known and unknown sizes.
func memModule(sizes []int) string {
	var s strings.Builder
	s.WriteString(`
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare void @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare void @llvm.memset.element.unordered.atomic.p0.i64(ptr, i8, i64, i32)
declare void @llvm.experimental.memset.pattern.p0.i32.i64(ptr, i32, i64, i1)
`)
	fn := func(name, call string) {
		fmt.Fprintf(&s, "define void @%s(ptr %%d, ptr %%s, i64 %%n, i8 %%b) {\n  %%n32 = trunc i64 %%n to i32\n  %%w = zext i8 %%b to i32\n  %%q = lshr i64 %%n, 2\n  %%n4 = shl i64 %%q, 2\n  call void @llvm.%s\n  ret void\n}\n", name, call)
	}
	for _, align := range []int{1, 2, 4, 16} {
		fn(fmt.Sprintf("copy_a%d", align), fmt.Sprintf("memcpy.p0.p0.i64(ptr align %d %%d, ptr align %d %%s, i64 %%n, i1 false)", align, align))
		fn(fmt.Sprintf("move_a%d", align), fmt.Sprintf("memmove.p0.p0.i64(ptr align %d %%d, ptr align %d %%s, i64 %%n, i1 true)", align, align))
		fn(fmt.Sprintf("move32_a%d", align), fmt.Sprintf("memmove.p0.p0.i32(ptr align %d %%d, ptr align %d %%s, i32 %%n32, i1 false)", align, align))
		fn(fmt.Sprintf("set_a%d", align), fmt.Sprintf("memset.p0.i64(ptr align %d %%d, i8 %%b, i64 %%n, i1 false)", align))
		for _, n := range sizes {
			fn(fmt.Sprintf("copy%d_a%d", n, align), fmt.Sprintf("memcpy.p0.p0.i64(ptr align %d %%d, ptr align %d %%s, i64 %d, i1 false)", align, align, n))
			fn(fmt.Sprintf("move%d_a%d", n, align), fmt.Sprintf("memmove.p0.p0.i64(ptr align %d %%d, ptr align %d %%s, i64 %d, i1 false)", align, align, n))
			fn(fmt.Sprintf("set%d_a%d", n, align), fmt.Sprintf("memset.inline.p0.i64(ptr align %d %%d, i8 %%b, i64 %d, i1 false)", align, n))
		}
	}
	fn("atomiccopy_a16", "memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 %n4, i32 4)")
	fn("atomicmove_a16", "memmove.element.unordered.atomic.p0.p0.i64(ptr align 4 %d, ptr align 4 %s, i64 %n4, i32 4)")
	fn("atomicset_a16", "memset.element.unordered.atomic.p0.i64(ptr align 4 %d, i8 %b, i64 %n4, i32 4)")
	fn("pattern_a16", "experimental.memset.pattern.p0.i32.i64(ptr align 4 %d, i32 %w, i64 %q, i1 false)")
	return s.String()
}

// callMem runs a function of memModule in a buffer and returns the resulting
// buffer.
func callMem(t *testing.T, m *ir.Module, name string, buffer []byte, dst, src, n int, b byte) []byte {
	t.Helper()
	mc, err := ireval.New(m, ireval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := mc.Alloc(uint64(len(buffer)), 16)
	if err != nil {
		t.Fatal(err)
	}
	copy(mc.Bytes(at, uint64(len(buffer))), buffer)
	word := func(x uint64) ireval.Value { return ireval.Value{Words: []uint64{x}, Taint: []uint8{0}} }
	if _, err := mc.Call(name, word(at+uint64(dst)), word(at+uint64(src)), word(uint64(n)), word(uint64(b))); err != nil {
		t.Fatalf("%s(%d, %d, %d): %v", name, dst, src, n, err)
	}
	return bytes.Clone(mc.Bytes(at, uint64(len(buffer))))
}

// wantMem returns the expected result of callMem.
func wantMem(name string, buffer []byte, dst, src, n int, b byte) []byte {
	out := bytes.Clone(buffer)
	switch {
	case strings.HasPrefix(name, "atomic"):
		n &^= 3
		fallthrough
	case !strings.HasPrefix(name, "pattern"):
		if strings.Contains(name, "set") {
			copy(out[dst:], bytes.Repeat([]byte{b}, n))
		} else {
			copy(out[dst:dst+n], buffer[src:src+n])
		}
	default:
		copy(out[dst:], bytes.Repeat([]byte{b, 0, 0, 0}, n/4))
	}
	return out
}

func TestLowerMem(t *testing.T) {
	sizes := []int{0, 1, 7, 8, 31, 67, 300, 1100}
	for _, cpu := range []string{"", "gfx803", "gfx942"} {
		ctx := &opt.Context{VerifyEach: passtest.CheckModule}
		if cpu != "" {
			tg, err := target.New("", cpu, "")
			if err != nil {
				t.Fatal(err)
			}
			ctx.Target = tg
		}
		m := parse(t, "mem.ll", memModule(sizes))
		if err := pipeline(t, "lower-mem-intrinsics").Run(ctx, m); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, g := range m.Globals() {
			if g == nil || g.Func == nil || g.IsDeclaration() {
				continue
			}
			for range 4 {
				checkMem(t, m, g.Name(), rng)
			}
		}
	}
}

// checkMem runs one function at random addresses.
func checkMem(t *testing.T, m *ir.Module, name string, rng *rand.Rand) {
	t.Helper()
	n, align := rng.IntN(200), 1
	kind, tail, _ := strings.Cut(name, "_a")
	fmt.Sscan(tail, &align)
	if digits := strings.TrimLeft(kind, "copymvesti"); digits != "" && kind != "move32" {
		fmt.Sscan(digits, &n)
	}
	buffer := make([]byte, 4096)
	for i := range buffer {
		buffer[i] = byte(rng.Uint32())
	}
	dst := rng.IntN(1024) / align * align
	src := max(0, dst+(rng.IntN(3)-1)*rng.IntN(40)) / align * align
	if strings.Contains(name, "copy") {
		src = (dst + n + 16) / align * align
		if src < dst+n {
			src += align
		}
	}
	b := byte(rng.Uint32())
	got := callMem(t, m, name, buffer, dst, src, n, b)
	if want := wantMem(name, buffer, dst, src, n, b); !bytes.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s(%d, %d, %d): byte %d is %#x, want %#x", name, dst, src, n, i, got[i], want[i])
			}
		}
	}
}
