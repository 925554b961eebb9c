package compile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/target"
)

// rareKernel uses constructs that no front end of a compute language emits. %p
// points to 64 bytes of input, %o to the output.
const rareKernel = `target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [8 x i32] poison
@used = internal ifunc void (), ptr @resolver
define internal ptr @resolver() {
  ret ptr null
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %a = alloca i32, addrspace(5)
  call void (...) @llvm.localescape(ptr addrspace(5) %a)
  ; 0: a pointer to a buffer with an index, at an unaligned address, and through LDS
  %p1 = getelementptr i8, ptr addrspace(1) %p, i32 1
  %w = load ptr addrspace(9), ptr addrspace(1) %p1, align 1
  store ptr addrspace(9) %w, ptr addrspace(3) @lds, align 4
  fence syncscope("workgroup") seq_cst
  %x = load volatile ptr addrspace(9), ptr addrspace(3) @lds, align 4
  store ptr addrspace(9) %x, ptr addrspace(1) %o, align 4
  ; 24: orders of pointers to a buffer
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p, i16 0, i64 64, i32 0)
  %b = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %n = load i32, ptr addrspace(1) %p
  %c = getelementptr i8, ptr addrspace(7) %b, i32 %n
  %lt = icmp ult ptr addrspace(7) %b, %c
  %gt = icmp ugt ptr addrspace(7) %b, %c
  %ge = icmp sge ptr addrspace(7) %c, %b
  %lt4 = select i1 %lt, i32 1, i32 0
  %gt4 = select i1 %gt, i32 2, i32 0
  %ge4 = select i1 %ge, i32 4, i32 0
  %s1 = or i32 %lt4, %gt4
  %s2 = or i32 %s1, %ge4
  %o24 = getelementptr i8, ptr addrspace(1) %o, i32 24
  store i32 %s2, ptr addrspace(1) %o24
  ; 28: null pointers
  %o28 = getelementptr i8, ptr addrspace(1) %o, i32 28
  store ptr addrspace(7) addrspacecast (ptr addrspace(8) null to ptr addrspace(7)), ptr addrspace(1) %o28, align 4
  %o48 = getelementptr i8, ptr addrspace(1) %o, i32 48
  store ptr addrspace(7) addrspacecast (ptr null to ptr addrspace(7)), ptr addrspace(1) %o48, align 4
  ; 68: the sign of fp128
  %q = load fp128, ptr addrspace(1) %p, align 4
  %d = fptrunc fp128 %q to double
  %e = call double @llvm.copysign.f64(double 1.5, double %d)
  %o68 = getelementptr i8, ptr addrspace(1) %o, i32 68
  store double %e, ptr addrspace(1) %o68, align 4
  %h = fptrunc fp128 %q to float
  %g = call float @llvm.copysign.f32(float 1.0, float %h)
  %o76 = getelementptr i8, ptr addrspace(1) %o, i32 76
  store float %g, ptr addrspace(1) %o76
  ret void
}`

// rareSize is the size of the output in bytes.
const rareSize = 80

// rareResult returns the output for an input.
func rareResult(in []byte) []byte {
	out := make([]byte, rareSize)
	copy(out, in[1:25])
	bits := uint32(0)
	if n := binary.LittleEndian.Uint32(in); n > 0 {
		bits = 1
		if int32(n) >= 0 {
			bits |= 4
		}
	} else {
		bits = 4
	}
	binary.LittleEndian.PutUint32(out[24:], bits)
	sign := in[15] >> 7
	binary.LittleEndian.PutUint64(out[68:], math.Float64bits(1.5)|uint64(sign)<<63)
	binary.LittleEndian.PutUint32(out[76:], math.Float32bits(1)|uint32(sign)<<31)
	return out
}

// runBytes compiles a kernel @k and runs it on one lane with buffers of bytes, the
// last of which it returns.
func runBytes(t *testing.T, cpu string, level int, source string, buffers ...[]byte) []byte {
	t.Helper()
	return runLanes(t, cpu, level, 1, source, buffers...)
}

// runLanes does the same on several lanes.
func runLanes(t *testing.T, cpu string, level, lanes int, source string, buffers ...[]byte) []byte {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: cpu, Level: level, Verify: true})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	man := &manifest.Manifest{Name: "k"}
	d := manifest.Dispatch{Kernel: "k", Dims: 1, Grid: [3]uint32{uint32(lanes), 1, 1}, Group: [3]uint16{uint16(lanes), 1, 1}}
	for i, data := range buffers {
		man.Buffers = append(man.Buffers, manifest.Buffer{Name: string(rune('a' + i)), Type: manifest.LookupType("u8"), Count: uint64(len(data)),
			Fill: manifest.Fill{Kind: manifest.FillValues, Values: data}})
		d.Args = append(d.Args, manifest.Arg{Kind: manifest.ArgBuffer, Buffer: i})
	}
	man.Dispatches = []manifest.Dispatch{d}
	got, err := kernelrun.Run(context.Background(), "k", res.Data, man, func(string) (io.ReadCloser, error) { return nil, errors.New("no files") }, kernelrun.Options{})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	return got.Contents[len(buffers)-1]
}

// rareProcessors are processors of most generations.
var rareProcessors = []string{"gfx601", "gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1200", "gfx1250"}

// TestRareConstructs runs rareKernel.
func TestRareConstructs(t *testing.T) {
	for _, cpu := range rareProcessors {
		for _, level := range []int{0, 2} {
			for _, first := range []byte{0, 7, 0x80} {
				in := make([]byte, 64)
				for i := range in {
					in[i] = byte(i*37) + first
				}
				in[0], in[1], in[2], in[3] = first, 0, 0, first&0x80
				got, want := runBytes(t, cpu, level, rareKernel, in, make([]byte, rareSize)), rareResult(in)
				if !bytes.Equal(got, want) {
					t.Errorf("%s -O%d, %#x: got\n%x, want\n%x", cpu, level, first, got, want)
				}
			}
		}
	}
}

// distances has a table with distances of variables from itself.
const distances = `target triple = "amdgcn-amd-amdhsa"
@a = internal addrspace(4) constant [4 x i32] [i32 11, i32 12, i32 13, i32 14]
@b = internal addrspace(1) constant [2 x i32] [i32 21, i32 22]
@t = internal addrspace(4) constant [3 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr addrspace(4) @a to i64), i64 ptrtoint (ptr addrspace(4) @t to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @a, i64 8) to i64), i64 ptrtoint (ptr addrspace(4) @t to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr addrspace(1) @b to i64), i64 ptrtoint (ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @t, i64 4) to i64)) to i32)]
@u = internal addrspace(4) constant [2 x i64] [i64 7, i64 sub (i64 ptrtoint (ptr addrspace(1) @b to i64), i64 ptrtoint (ptr addrspace(4) @u to i64))]
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %n = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(4) @t, i32 %n
  %d = load i32, ptr addrspace(4) %q
  %x = getelementptr i8, ptr addrspace(4) @t, i32 %d
  %v = load i32, ptr addrspace(4) %x
  store i32 %v, ptr addrspace(1) %o
  %s = getelementptr i64, ptr addrspace(4) @u, i32 %n
  %e = load i64, ptr addrspace(4) %s
  %y = getelementptr i8, ptr addrspace(4) @u, i64 %e
  %c = icmp eq i32 %n, 1
  br i1 %c, label %last, label %end
last:
  %w = load i32, ptr addrspace(4) %y
  %z = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %w, ptr addrspace(1) %z
  br label %end
end:
  ret void
}`

// TestDistances reads variables at their distances from a table. The object and
// the text have the same relocations.
func TestDistances(t *testing.T) {
	for _, cpu := range rareProcessors {
		for _, level := range []int{0, 2} {
			for n, want := range [][]byte{{11, 0, 0, 0, 0, 0, 0, 0}, {13, 0, 0, 0, 21, 0, 0, 0}} {
				if got := runBytes(t, cpu, level, distances, []byte{byte(n), 0, 0, 0}, make([]byte, 8)); !bytes.Equal(got, want) {
					t.Errorf("%s -O%d: %d: got %x, want %x", cpu, level, n, got, want)
				}
			}
		}
	}
	text := assembledText(t, "gfx900", 0, distances)
	for _, want := range []string{"\t.long\ta-.\n", "\t.long\ta-.+12\n", "\t.long\tb-.+4\n", "\t.quad\tb-.+8\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// between has distances between variables: of the section, of another section,
// and one that follows the table.
const between = `target triple = "amdgcn-amd-amdhsa"
@a = addrspace(1) global [4 x i32] [i32 11, i32 12, i32 13, i32 14]
@b = addrspace(1) global [2 x i32] [i32 21, i32 22]
@z = hidden addrspace(1) global [2 x i32] zeroinitializer
@t = addrspace(1) global [3 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @b, i64 4) to i64), i64 ptrtoint (ptr addrspace(1) @a to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr addrspace(1) @a to i64), i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @c, i64 8) to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr addrspace(1) @c to i64), i64 ptrtoint (ptr addrspace(1) @b to i64)) to i32)]
@u = addrspace(1) global i64 sub (i64 ptrtoint (ptr addrspace(1) @z to i64), i64 ptrtoint (ptr addrspace(1) @a to i64))
@c = addrspace(1) global i32 31
@w = addrspace(1) global i64 sub (i64 ptrtoint (ptr addrspace(1) @b to i64), i64 ptrtoint (ptr addrspace(1) @c to i64))
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %n = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) @t, i32 %n
  %d = load i32, ptr addrspace(1) %q
  %e = load i64, ptr addrspace(1) @u
  %y = getelementptr i8, ptr addrspace(1) @a, i64 %e
  %same = icmp eq ptr addrspace(1) %y, @z
  %one = zext i1 %same to i32
  store i32 %d, ptr addrspace(1) %o
  %z = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %one, ptr addrspace(1) %z
  ret void
}`

// TestDistancesBetween reads distances between other variables than the
// initialized one, and refuses those that no relocation expresses.
func TestDistancesBetween(t *testing.T) {
	for _, cpu := range rareProcessors {
		for n, want := range []int32{20, -56, 32} {
			got := runBytes(t, cpu, 2, between, []byte{byte(n), 0, 0, 0}, make([]byte, 8))
			if !bytes.Equal(got, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(want)), 1)) {
				t.Errorf("%s: %d: got %x, want %d and 1", cpu, n, got, want)
			}
		}
	}
	text := assembledText(t, "gfx900", 0, between)
	for _, want := range []string{"\t.quad\t0xffffffc800000014\n", "\t.quad\tz-.+40\n", "\t.quad\t0xffffffffffffffe0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, from := range []string{"@z = addrspace(1) global i32 0", "@z = weak addrspace(1) global i32 5", "@z = external addrspace(1) global i32"} {
		source := `target triple = "amdgcn-amd-amdhsa"
@a = addrspace(1) global i32 1
` + from + `
@u = addrspace(1) global i64 sub (i64 ptrtoint (ptr addrspace(1) @a to i64), i64 ptrtoint (ptr addrspace(1) @z to i64))
`
		_, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: "gfx900", Format: compile.Object})
		if err == nil || !strings.Contains(err.Error(), "variable u: the initializer has a distance from @z") {
			t.Errorf("%s: %v", from, err)
		}
	}
}

// assembledText compiles a module to text, which it assembles.
func assembledText(t *testing.T, cpu string, level int, source string) string {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: cpu, Level: level, Format: compile.Assembly, Verify: true})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, list := asm.Assemble(&diag.Source{Name: "k.s", Text: res.Data}, asm.Options{Target: tgt}); list.HasErrors() {
		t.Errorf("%v in\n%s", list.Err(), res.Data)
	}
	return string(res.Data)
}

// TestIFuncs writes an unused ifunc as a symbol, and refuses a used one.
func TestIFuncs(t *testing.T) {
	const unused = "target triple = \"amdgcn-amd-amdhsa\"\n@i = ifunc void (), ptr @r\ndefine internal ptr @r() {\n  ret ptr null\n}\n"
	o := compile.Options{CPU: "gfx900", Format: compile.Assembly}
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "i.ll", Data: []byte(unused)}}, o)
	if err != nil || !strings.Contains(string(res.Data), "\t.type\ti,@gnu_indirect_function\n\t.set i, r\n") {
		t.Errorf("%v\n%s", err, res.Data)
	}
	used := unused + "define amdgpu_kernel void @k() {\n  call void @i()\n  ret void\n}\n"
	if _, err := compile.Compile(context.Background(), []compile.Input{{Name: "i.ll", Data: []byte(used)}}, o); err == nil || !strings.Contains(err.Error(), "ifunc i: uses of ifuncs are not supported") {
		t.Errorf("%v", err)
	}
}

// TestNullCasts casts null to pointers to buffers, in instructions and constants.
// Casts of pointers to buffers to other address spaces have no value.
func TestNullCasts(t *testing.T) {
	const source = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %o) {
  %a = addrspacecast ptr addrspace(8) null to ptr addrspace(7)
  store ptr addrspace(7) %a, ptr addrspace(1) %o, align 4
  %b = addrspacecast ptr null to ptr addrspace(7)
  %o1 = getelementptr i8, ptr addrspace(1) %o, i32 20
  store ptr addrspace(7) %b, ptr addrspace(1) %o1, align 4
  %c = addrspacecast ptr addrspace(7) null to ptr
  %d = icmp eq ptr %c, addrspacecast (ptr addrspace(7) null to ptr)
  %e = select i1 %d, i8 0, i8 0
  %o2 = getelementptr i8, ptr addrspace(1) %o, i32 40
  store i8 %e, ptr addrspace(1) %o2
  %f = freeze ptr %c
  %g = ptrtoint ptr %f to i8
  %h = and i8 %g, 0
  %o3 = getelementptr i8, ptr addrspace(1) %o, i32 41
  store i8 %h, ptr addrspace(1) %o3
  store volatile ptr addrspacecast (ptr addrspace(7) null to ptr), ptr addrspace(3) @lds
  ret void
}
@lds = internal addrspace(3) global ptr poison`
	for _, cpu := range rareProcessors {
		for _, level := range []int{0, 2} {
			if got := runBytes(t, cpu, level, source, bytes.Repeat([]byte{0xee}, 42)); !bytes.Equal(got, make([]byte, 42)) {
				t.Errorf("%s -O%d: %x", cpu, level, got)
			}
		}
	}
}

// TestTiedResults compiles a compare-and-swap whose result takes the registers of
// its data, which is used later: register allocation makes room for the result
// without the registers of the address. The verifier checks the allocation.
func TestTiedResults(t *testing.T) {
	source, err := os.ReadFile("testdata/tied.ll")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile.Compile(context.Background(), []compile.Input{{Name: "tied.ll", Data: source}}, compile.Options{CPU: "gfx601", Level: 2, Verify: true}); err != nil {
		t.Error(err)
	}
}
