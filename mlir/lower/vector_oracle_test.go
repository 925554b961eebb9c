package lower_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
)

// restOfPipeline brings functions on static memrefs to the LLVM dialect after the vectors.
const restOfPipeline = "convert-scf-to-cf,expand-strided-metadata,lower-affine,finalize-memref-to-llvm," +
	"convert-arith-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,convert-math-to-llvm," +
	"convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-cf-to-llvm,reconcile-unrealized-casts"

// TestVectorsRun executes the functions of testdata/vector-*.txtar by lli, after this
// package's passes and after mlir-opt's: memory must be the same in the end. A line "mlir-opt runs: PIPELINE" of a
// file is mlir-opt's pipeline where it has another one.
func TestVectorsRun(t *testing.T) {
	files, err := filepath.Glob("testdata/vector-*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pipeline, notes, _ := strings.Cut(string(archive.Comment), "\n")
		if strings.Contains(notes, "does not run") {
			continue
		}
		theirs := pipeline
		if _, other, ok := strings.Cut(notes, "mlir-opt runs: "); ok {
			theirs, _, _ = strings.Cut(other, "\n")
		}
		input := archive.Files[0].Data
		for _, f := range archive.Files[1:] {
			edition := strings.TrimSuffix(strings.TrimPrefix(f.Name, "out-"), ".mlir")
			t.Run(filepath.Base(file)+"/"+edition, func(t *testing.T) {
				driver := drivers(t, editions[edition], input)
				reference := execute(t, edition, theirs+",", input, driver)
				got := execute(t, edition, "", []byte(runPasses(editions[edition], pipeline, input)), driver)
				if got != reference {
					t.Errorf("%s", firstDifference(got, reference))
				}
			})
		}
	}
}

// firstDifference describes the first line that differs.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %s, want %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// bufferWords is the size of a memref of a function that is executed.
const bufferWords = 256

// drivers returns LLVM IR of a main function that calls all functions of a module with
// memory that has contents, and prints each word of the memory afterwards.
func drivers(t *testing.T, edition mlir.Edition, input []byte) string {
	c := mlir.NewContext(edition, dialects.All()...)
	top, err := c.Parse("in.mlir", input)
	if err != nil {
		t.Fatal(err)
	}
	var globals, body strings.Builder
	n := 0
	for f := range top.Body(0).Ops {
		name := f.Attr("sym_name").Text
		var args, buffers []string
		for _, a := range f.Body(0).Args {
			switch {
			case a.Type.Kind == mlir.MemRefKind:
				buffer := fmt.Sprintf("@buffer%d", n)
				fmt.Fprintf(&globals, "%s = global [%d x i32] [%s], align 64\n", buffer, bufferWords, contents(a.Type.Elem, n))
				args, buffers = append(args, "ptr "+buffer), append(buffers, buffer)
			case a.Type.Kind == mlir.IndexKind:
				args = append(args, "i64 1")
			default:
				t.Fatalf("%s has an argument of type %s", name, a.Type)
			}
			n++
		}
		fmt.Fprintf(&body, "  call void @%s(%s)\n", name, strings.Join(args, ", "))
		for _, b := range buffers {
			fmt.Fprintf(&body, "  call void @show(ptr @name.%s, ptr %s)\n", name, b)
		}
		fmt.Fprintf(&globals, "@name.%s = constant [%d x i8] c\"%s\\00\"\n", name, len(name)+1, name)
	}
	return globals.String() + strings.ReplaceAll(`
@format = constant [14 x i8] c"%s %3d %08x\0A\00\00"
declare i32 @printf(ptr, ...)
define void @show(ptr %name, ptr %p) {
  br label %loop
loop:
  %i = phi i32 [0, %0], [%j, %loop]
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %q
  call i32 (ptr, ...) @printf(ptr @format, ptr %name, i32 %i, i32 %v)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, WORDS
  br i1 %c, label %loop, label %end
end:
  ret void
}
define i32 @main() {
`, "WORDS", fmt.Sprint(bufferWords)) + body.String() + "  ret i32 0\n}\n"
}

// contents returns words for a buffer of elements of a type: small numbers.
func contents(elem *mlir.Type, seed int) string {
	var list []string
	state := uint32(seed)*77 + 5
	for range bufferWords {
		state = state*1664525 + 1013904223
		v := state >> 9
		if elem.Kind == mlir.FloatKind {
			v = 0x3f000000 + v>>1&0xffffff // from 0.5 to 2
		}
		if elem.Kind == mlir.IndexKind || elem.IsInteger(64) {
			v = state >> 28
			if len(list)%2 == 1 {
				v = 0
			}
		}
		list = append(list, fmt.Sprintf("i32 %d", v))
	}
	return strings.Join(list, ", ")
}

// execute lowers a module by mlir-opt, with passes before the rest, translates it, adds a main function and returns
// its output.
func execute(t *testing.T, edition, first string, module []byte, driver string) string {
	opt, translate, lli := oracle.Tool(t, "mlir-opt-"+edition), oracle.Tool(t, "mlir-translate-"+edition), oracle.Tool(t, "lli-22")
	llvm, stderr, exit := oracle.Run(t, module, time.Minute, opt, "--pass-pipeline=builtin.module("+first+restOfPipeline+")", "-")
	if exit != 0 {
		t.Fatalf("mlir-opt: %s\n%s", stderr, module)
	}
	ir, stderr, exit := oracle.Run(t, llvm, time.Minute, translate, "--mlir-to-llvmir", "-")
	if exit != 0 {
		t.Fatalf("mlir-translate: %s\n%s", stderr, llvm)
	}
	out, stderr, exit := oracle.Run(t, append(ir, driver...), time.Minute, lli, "-O0", "-")
	if exit != 0 {
		t.Fatalf("lli: %s\n%s", stderr, ir)
	}
	return string(out)
}
