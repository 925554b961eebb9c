package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
)

// mlirKernel returns a gpu.module with a kernel that stores to its argument.
func mlirKernel(module, kernel, attribute, store string) string {
	return "gpu.module @" + module + " {\n  llvm.func @" + kernel + "(%p: !llvm.ptr<1>) attributes {" + attribute + "} {\n" +
		"    %i = rocdl.workitem.id.x : i32\n    " + store + "\n    llvm.return\n  }\n}\n"
}

const storeID = "llvm.store %i, %p : i32, !llvm.ptr<1>"

func compileMLIR(source string, o Options) (*Result, error) {
	return Compile(context.Background(), []Input{{Name: "in.mlir", Data: []byte(source), MLIR: true}}, o)
}

// TestMLIR compiles the gpu.modules of a text, or the text if it has none.
func TestMLIR(t *testing.T) {
	both := mlirKernel("a", "k1", "rocdl.kernel", storeID) + mlirKernel("b", "k2", "gpu.kernel", storeID) + "func.func @host() { return }\n"
	plain := "llvm.func @k3(%p: !llvm.ptr<1>) attributes {rocdl.kernel, target_cpu = \"gfx900\"} {\n llvm.return\n}\n"
	target := strings.Replace(mlirKernel("c", "k4", "rocdl.kernel", storeID), "@c", "@c [#rocdl.target<chip = \"gfx942\">]", 1)
	for _, c := range []struct {
		name, source, cpu string
		want              []string
	}{
		{"two modules and a host", both, "gfx1100", []string{"k1", "k2"}},
		{"no gpu.module", plain, "", []string{"k3"}},
		{"the target of the module", target, "", []string{"k4"}},
	} {
		r, err := compileMLIR(c.source, Options{CPU: c.cpu, Level: 2})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var kernels []string
		for _, f := range r.Report.Functions {
			if f.Kernel {
				kernels = append(kernels, f.Name)
			}
		}
		slices.Sort(kernels)
		if !slices.Equal(kernels, c.want) {
			t.Errorf("%s: got the kernels %q, want %q", c.name, kernels, c.want)
		}
	}
}

// TestMLIRErrors checks the errors about MLIR and their places.
func TestMLIRErrors(t *testing.T) {
	const header = "in.mlir:1:1: error: "
	for _, c := range []struct{ source, want string }{
		{mlirKernel("a", "k", "rocdl.kernel", "%g = llvm.mlir.addressof @missing : !llvm.ptr"), "in.mlir:4:10: error: 'llvm.mlir.addressof' op"},
		{mlirKernel("a", "k", "rocdl.kernel", storeID) + mlirKernel("b", "k", "rocdl.kernel", storeID),
			"in.mlir:9:3: error: 'llvm.func' op redefinition of symbol named 'k', which another gpu.module defines"},
		{mlirKernel("a", "k", "rocdl.kernel", storeID) + "gpu.module @b {\n  llvm.mlir.global @k(1 : i32) : i32\n}\n",
			"in.mlir:9:3: error: 'llvm.mlir.global' op redefinition of symbol named 'k', which another gpu.module defines"},
		{mlirKernel("a", "k", "rocdl.kernel", "llvm.call_intrinsic \"llvm.amdgcn.s.sleep\"(%i) : (i32) -> ()"),
			"in.mlir:2:3: error: 'llvm.func' op is not valid as LLVM IR: in function @k, block %1: immarg operand has non-immediate parameter: argument 1"},
		{mlirKernel("a", "k", "rocdl.kernel", "llvm.inline_asm has_side_effects \"nonsense\", \"\" : () -> ()"), "in.mlir:2:3: error: "},
		{"x", header + "custom op 'x' is unknown"},
		{"\"arith.constant\"() : () -> ()", header + "'arith.constant' op requires one result"},
	} {
		_, err := compileMLIR(c.source, Options{CPU: "gfx900", Level: 2})
		var list diag.List
		if !errors.As(err, &list) || !strings.HasPrefix(list[0].Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.source, err, c.want)
		}
	}
}

// TestMLIRPrivate checks that private symbols of two modules may have one name.
func TestMLIRPrivate(t *testing.T) {
	global := "  llvm.mlir.global internal @x(N : i32) {addr_space = 1 : i32} : i32\n"
	use := "%x = llvm.mlir.addressof @x : !llvm.ptr<1>\n%v = llvm.load %x : !llvm.ptr<1> -> i32\nllvm.store %v, %p : i32, !llvm.ptr<1>"
	source := ""
	for _, n := range []string{"1", "2"} {
		source += strings.Replace(mlirKernel("m"+n, "k"+n, "rocdl.kernel", use), "{\n", "{\n"+strings.Replace(global, "N", n, 1), 1)
	}
	r, err := compileMLIR(source, Options{CPU: "gfx900", Format: Assembly})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(r.Data); !strings.Contains(text, "\nx:") || !strings.Contains(text, "\nx.1:") {
		t.Errorf("both variables should be there:\n%s", text)
	}
}

// TestMLIRCache checks that the cache distinguishes languages and editions.
func TestMLIRCache(t *testing.T) {
	o := Options{CPU: "gfx900", Cache: t.TempDir()}
	source := mlirKernel("a", "k", "rocdl.kernel", storeID)
	for i, want := range []bool{false, true} {
		r, err := compileMLIR(source, o)
		if err != nil || r.Cached != want {
			t.Errorf("compilation %d: error %v", i, err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(o.Cache, "*", "*"))
	in := []Input{{Name: "in.mlir", Data: []byte(source)}}
	if cacheKey(in, &o) == filepath.Base(files[0]) {
		t.Error("the same key for another language")
	}
	if _, err := os.Stat(files[0]); err != nil {
		t.Error(err)
	}
}

// FuzzMLIR checks that no text makes the compiler fail other than with an error about
// the text.
func FuzzMLIR(f *testing.F) {
	f.Add(mlirKernel("a", "k", "rocdl.kernel", storeID) + mlirKernel("b", "k2", "gpu.kernel", storeID))
	f.Add("llvm.func @k(%x: f32) attributes {rocdl.kernel} { llvm.return }")
	f.Fuzz(func(t *testing.T, source string) {
		_, err := compileMLIR(source, Options{CPU: "gfx900"})
		var panicked *PanicError
		if errors.As(err, &panicked) {
			t.Errorf("%v\n%s", err, panicked.Stack)
		}
	})
}
