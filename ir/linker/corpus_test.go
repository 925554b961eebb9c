package linker

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// some returns an evenly spaced selection of files: as many as
// GFX_LINKER_KERNELS specifies, or n by default.
func some(t *testing.T, n int, root, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, root), filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s/%s: %v", root, pattern, err)
	}
	if s := os.Getenv("GFX_LINKER_KERNELS"); s != "" {
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	n = min(n, len(files))
	out := make([]string, n)
	for i := range out {
		out[i] = files[i*len(files)/n]
	}
	return out
}

// accepted checks that LLVM accepts a text.
func accepted(t *testing.T, src []byte) {
	t.Helper()
	if _, errs, exit := oracle.Run(t, src, toolTime, oracle.Tool(t, "llvm-as-22"), "-o", os.DevNull); exit != 0 {
		t.Fatalf("llvm-as-22: %s", errs)
	}
}

// TestKernels links each kernel of the shared corpus with an empty module,
// which moves its whole contents, and with the device libraries.
func TestKernels(t *testing.T) {
	for _, file := range some(t, 6, "kernels/ll", "*/*.ll") {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files := []input{{"a.ll", string(src)}}
			compare(t, files, nil)
			l, err := linkTexts(t, files, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := devLibs(t, filepath.Base(filepath.Dir(file))).Link(l.Module()); err != nil {
				t.Fatal(err)
			}
			accepted(t, text.Print(l.Module()))
		})
	}
}

// libFiles lists the device libraries for gfx90a in link order.
var libFiles = []string{"opencl.bc", "ocml.bc", "ockl.bc", "oclc_unsafe_math_off.bc", "oclc_finite_only_off.bc", "oclc_daz_opt_off.bc",
	"oclc_correctly_rounded_sqrt_off.bc", "oclc_wavefrontsize64_on.bc", "oclc_isa_version_90a.bc", "oclc_abi_version_500.bc"}

// clangKernel compiles a kernel without device libraries.
func clangKernel(t *testing.T, file string) []byte {
	t.Helper()
	out, errs, exit := oracle.Run(t, nil, toolTime, oracle.Tool(t, "clang-22"), "-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa",
		"-mcpu=gfx90a", "-nogpulib", "-mcode-object-version=5", "-Xclang", "-finclude-default-header", "-O1", "-S", "-emit-llvm", "-o", "-", file)
	if exit != 0 {
		t.Fatalf("clang-22: %.300s", errs)
	}
	return out
}

// TestLibraries links clang's output for kernels with the device libraries:
// with all of them as llvm-link does, and with the required ones.
func TestLibraries(t *testing.T) {
	devLibs(t, "gfx90a")
	for _, file := range some(t, 4, "kernels/src", "*.cl") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			kernel := clangKernel(t, file)
			l := New("llvm-link")
			if err := l.Link(Source{Module: parse(t, string(kernel))}, Options{}); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "a.ll")
			if err := os.WriteFile(path, kernel, 0o666); err != nil {
				t.Fatal(err)
			}
			args := []string{"-S", "--only-needed", "--internalize", "-o", "-", path}
			for _, name := range libFiles {
				lib := filepath.Join(libFolder, name)
				args = append(args, lib)
				if err := linkLibrary(l, lib); err != nil {
					t.Fatal(err)
				}
			}
			checkModule(t, l.Module())
			want, errs, exit := oracle.Run(t, nil, toolTime, oracle.Tool(t, "llvm-link-22"), args...)
			if exit != 0 {
				t.Fatalf("llvm-link-22: %s", errs)
			}
			if diff := cmp.Diff(comparable(string(want)), comparable(string(text.Print(l.Module())))); diff != "" {
				t.Errorf("differs from LLVM (-LLVM +gfx):\n%.4000s", diff)
			}
			if strings.Contains(string(errs), "warning") != (len(l.Warnings()) > 0) {
				t.Errorf("warnings %q, LLVM: %s", l.Warnings(), errs)
			}
			m := parse(t, string(kernel))
			if _, err := devLibs(t, "gfx90a").Link(m); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(functions(l.Module()), functions(m)); diff != "" {
				t.Errorf("functions differ with DeviceLibs (-all +needed):\n%s", diff)
			}
			accepted(t, text.Print(m))
		})
	}
}

func linkLibrary(l *Linker, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := bitcode.Open(data, bitcode.Options{Name: path, Lazy: true})
	if err != nil {
		return err
	}
	return l.Link(Source{Module: f.Module, File: f}, Options{OnlyNeeded: true, Internalize: true})
}

// TestDeviceLibErrors checks the errors about missing libraries.
func TestDeviceLibErrors(t *testing.T) {
	d := devLibs(t, "gfx900")
	for _, c := range []struct {
		path string
		want []string
	}{
		{"", []string{"@_Z3sinf", "opencl.bc", "no directory"}},
		{"/nowhere", []string{"@_Z3sinf", "opencl.bc", "/nowhere or", "bitcode"}},
	} {
		d.Path = c.path
		_, err := d.Link(parse(t, callsMath))
		if err == nil || slices.ContainsFunc(c.want, func(s string) bool { return !strings.Contains(filepath.ToSlash(err.Error()), s) }) {
			t.Errorf("path %q: %v", c.path, err)
		}
	}
	d = devLibs(t, "gfx1100")
	if _, err := d.Link(parse(t, callsMath)); err == nil || !strings.Contains(err.Error(), "oclc_isa_version_1100.bc, required by @__oclc_ISA_version,") {
		t.Errorf("gfx1100: %v", err)
	}
}
