package bitcode

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/irtest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

const toolTime = 2 * time.Minute

// run runs a tool, which must succeed.
func run(t testing.TB, stdin []byte, tool string, args ...string) []byte {
	t.Helper()
	out, errs, exit := oracle.Run(t, stdin, toolTime, oracle.Tool(t, tool), args...)
	if exit != 0 {
		t.Fatalf("%s %s: %s", tool, strings.Join(args, " "), errs)
	}
	return out
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// corpusSize returns the number of files to read from a large corpus:
// GFX_IR_FILES, or few by default.
func corpusSize(few int) int {
	if n, err := strconv.Atoi(os.Getenv("GFX_IR_FILES")); err == nil {
		return n
	}
	return few
}

// compare reads bitcode and compares the printed module with the output of
// llvm-dis-22. It also checks that parsing the output yields the same module.
func compare(t *testing.T, data []byte) *ir.Module {
	t.Helper()
	m, err := Read(data, Options{Name: "<stdin>"})
	if err != nil {
		t.Fatal(err)
	}
	checkModule(t, m)
	printed := text.Print(m)
	want := run(t, data, "llvm-dis-22", "-o", "-", "-")
	if a, b := irtest.Comparable(want), irtest.Comparable(printed); a != b {
		t.Fatalf("differs from LLVM (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
	}
	again, list := text.Parse("<stdin>", printed)
	if err := list.Err(); err != nil {
		t.Fatalf("reading gfx's output: %v", err)
	}
	if diff := irtest.Diff(m, again); diff != "" {
		t.Errorf("bitcode and text are different modules: %s", diff)
	}
	compareWritten(t, m)
	return m
}

// compareTools checks that LLVM 22 accepts the printed module and prints it
// unchanged.
func compareTools(t *testing.T, m *ir.Module) {
	t.Helper()
	printed := text.Print(m)
	bc := run(t, printed, "llvm-as-22", "-o", "-")
	if a, b := irtest.Comparable(run(t, bc, "llvm-dis-22", "-o", "-")), irtest.Comparable(printed); a != b {
		t.Errorf("text differs after llvm-as-22 and llvm-dis-22 (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
	}
	if a, b := irtest.Comparable(run(t, printed, "opt-22", "-S", "-o", "-")), irtest.Comparable(printed); a != b {
		t.Errorf("text differs after opt-22 (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
	}
}

// deviceLibs is the directory of Debian's rocm-device-libs.
const deviceLibs = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"

// deviceLib returns the contents of a device library.
func deviceLib(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deviceLibs, name))
	if err != nil {
		if os.Getenv("GFX_ORACLE") == "require" {
			t.Fatalf("%v: install rocm-device-libs", err)
		}
		t.Skipf("%v: install rocm-device-libs", err)
	}
	return data
}

// TestDeviceLibs reads the device libraries, which LLVM 15 wrote with typed
// pointers.
func TestDeviceLibs(t *testing.T) {
	deviceLib(t, "ocml.bc")
	files, _ := filepath.Glob(filepath.Join(deviceLibs, "*.bc"))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data := readFile(t, file)
			if len(data) > 1<<20 && corpusSize(0) == 0 {
				t.Skip("long: set GFX_IR_FILES")
			}
			m := compare(t, data)
			if filepath.Base(file) == "ockl.bc" {
				compareTools(t, m)
			}
		})
	}
}

// TestKernels reads the kernels of the corpus as assembled by the LLVM version
// that printed them. Text and bitcode must yield the same module.
func TestKernels(t *testing.T) {
	for dir, tool := range map[string]string{"ll": "llvm-as-22", "ll-O0": "llvm-as-22", "ll-14": "llvm-as-14"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+dir), "*", "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no kernels in %s (%v)", dir, err)
		}
		step := max(1, len(files)/corpusSize(12))
		for i := 0; i < len(files); i += step {
			t.Run(dir+"/"+filepath.Base(filepath.Dir(files[i]))+"/"+filepath.Base(files[i]), func(t *testing.T) {
				t.Parallel()
				src := readFile(t, files[i])
				m := compare(t, run(t, src, tool, "-o", "-"))
				if tool == "llvm-as-22" {
					fromText, list := text.Parse("<stdin>", src)
					if err := list.Err(); err != nil {
						t.Fatal(err)
					}
					fromText.SourceFile = m.SourceFile
					if diff := irtest.Diff(m, fromText); diff != "" {
						t.Errorf("bitcode and text are different modules: %s", diff)
					}
				}
			})
		}
	}
}

// TestForms reads files with forms that are rare in kernels.
func TestForms(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.bc")
	if len(files) < 3 {
		t.Fatal("files are missing")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := compare(t, readFile(t, file))
			if strings.HasPrefix(filepath.Base(file), "forms") {
				compareTools(t, m)
			}
		})
	}
}

// TestTextForms reads the bitcode of package text's test modules.
func TestTextForms(t *testing.T) {
	files, _ := filepath.Glob("../text/testdata/llvm/*.ll")
	if len(files) == 0 {
		t.Fatal("no modules")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			tool := "llvm-as-22"
			if strings.Contains(file, "-noverify") {
				t.Skip("not valid")
			}
			compare(t, run(t, readFile(t, file), tool, "-o", "-"))
		})
	}
}

// clangCases returns the option sets for compiling kernel sources. Each source
// is compiled with some of them.
func clangCases() (list [][]string) {
	for _, debug := range []string{"-g0", "-g"} {
		for _, tool := range []string{"clang-22", "clang-14"} {
			for _, level := range []string{"-O0", "-O1", "-O3"} {
				list = append(list, []string{tool, level, debug})
			}
		}
	}
	return list
}

// TestClang reads clang's bitcode for the kernel sources, with and without
// debug information.
func TestClang(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/src"), "*.cl"))
	if len(files) == 0 {
		t.Fatal("no sources of kernels")
	}
	cases := clangCases()
	all := len(files) * len(cases)
	step := max(1, all/corpusSize(24))
	for i := 0; i < all; i += step {
		c, file := cases[i%len(cases)], files[i/len(cases)]
		t.Run(strings.Join(c, "")+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			args := []string{"-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx900", "-nogpulib", "-Xclang",
				"-finclude-default-header", "-emit-llvm", "-c", c[1], c[2], "-o", "-", file}
			data, msg, exit := oracle.Run(t, nil, toolTime, oracle.Tool(t, c[0]), args...)
			if exit != 0 {
				t.Skipf("%s: %.200s", c[0], msg)
			}
			compare(t, data)
		})
	}
}

// TestClangC reads bitcode of C, C++ and HIP sources for the host and the GPU.
func TestClangC(t *testing.T) {
	hip := []string{"-x", "hip", "--cuda-device-only", "--offload-arch=gfx90a", "-nogpulib", "-nogpuinc"}
	for _, c := range []struct {
		file string
		args []string
	}{
		{"host.c", []string{"--target=x86_64-linux-gnu", "-ffreestanding"}}, {"host.c", []string{"--target=aarch64-linux-gnu", "-ffreestanding"}},
		{"host.cpp", []string{"--target=x86_64-linux-gnu"}}, {"host.cpp", []string{"--target=x86_64-pc-windows-msvc"}},
		{"device.hip", hip},
	} {
		for _, how := range clangCases() {
			t.Run(fmt.Sprint(c.file, c.args[0], how), func(t *testing.T) {
				t.Parallel()
				args := append(append([]string{how[1], how[2]}, c.args...), "-emit-llvm", "-c", "-o", "-", "testdata/src/"+c.file)
				compare(t, run(t, nil, how[0], args...))
			})
		}
	}
}

// TestWrapper reads bitcode in clang's wrapper for Darwin, and in a wrapper
// followed by the rest of a file.
func TestWrapper(t *testing.T) {
	data := readFile(t, "testdata/forms-22.bc")
	wrapped := []byte{0xde, 0xc0, 0x17, 0x0b, 0, 0, 0, 0, 20, 0, 0, 0, byte(len(data)), byte(len(data) >> 8), byte(len(data) >> 16), 0, 7, 0, 0, 1}
	wrapped = append(append(wrapped, data...), "padding."...)
	compare(t, wrapped)
	m, err := Read(data, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(wrapped, Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text.Print(m), text.Print(again)) {
		t.Error("the wrapped module differs")
	}
}

// TestLazy reads the bodies of a library in an order different from the file's.
func TestLazy(t *testing.T) {
	data := deviceLib(t, "ockl.bc")
	whole, err := Read(data, Options{Name: "ockl"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(data, Options{Name: "ockl", Lazy: true})
	if err != nil {
		t.Fatal(err)
	}
	globals := f.Module.Globals()
	for i := len(globals) - 1; i >= 0; i -= 3 {
		if g := globals[i]; g != nil && g.Func != nil && f.HasBody(g.Func) {
			if err := f.ReadBody(g.Func); err != nil {
				t.Fatal(err)
			}
			if f.HasBody(g.Func) || g.Func.Entry() == 0 {
				t.Fatalf("@%s has no body", g.Name())
			}
		}
	}
	if err := f.ReadAll(); err != nil {
		t.Fatal(err)
	}
	checkModule(t, f.Module)
	if diff := irtest.Diff(whole, f.Module); diff != "" {
		t.Error(diff)
	}
}

func checkModule(t testing.TB, m *ir.Module) {
	t.Helper()
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			if err := g.Func.CheckLinks(); err != nil {
				t.Errorf("@%s: %v", g.Name(), err)
			}
		}
	}
}
