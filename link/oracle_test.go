package link

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/ar"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

const toolTimeout = 300 * time.Second

// lld is ld.lld 22, the oracle of the tests.
type lld struct {
	path, ident string
}

var linkerIdent = regexp.MustCompile(`[^()]*LLD [0-9.]+`)

// newLLD finds ld.lld and its entry in .comment, which outputs must contain for
// a comparison.
func newLLD(t testing.TB) lld {
	t.Helper()
	l := lld{path: oracle.Tool(t, "ld.lld-22")}
	out, _, _ := oracle.Run(t, nil, toolTimeout, l.path, "--version")
	version := strings.TrimSpace(linkerIdent.FindString(string(out)))
	if version == "" {
		t.Fatalf("no version in %q", out)
	}
	l.ident = "Linker: " + version
	return l
}

// link links files and returns the output, or ld.lld's error messages.
func (l lld) link(t testing.TB, args ...string) (out []byte, problem string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lld.out")
	_, stderr, exit := oracle.Run(t, nil, toolTimeout, l.path, append([]string{"-o", path, "--error-limit=0"}, args...)...)
	if exit != 0 {
		return nil, string(stderr)
	}
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out, ""
}

// readInputs reads files to link.
func readInputs(t testing.TB, paths ...string) []Input {
	t.Helper()
	in := make([]Input, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in[i] = Input{Name: path, Data: data}
		if bytes.HasPrefix(data, []byte(ar.ThinMagic)) {
			in[i].Data = nil // a thin archive must be read from its file to find its members
		}
	}
	return in
}

// maxShown is the maximum number of differences shown for each side.
const maxShown = 12

// compareOutputs compares two code objects. It first compares their parts, so
// that a message can name the difference.
func compareOutputs(t testing.TB, ours, theirs []byte) bool {
	t.Helper()
	if bytes.Equal(ours, theirs) {
		return true
	}
	a, b := describe(t, ours), describe(t, theirs)
	shown := 0
	only := func(who string, list, other []string) {
		for _, line := range list {
			if !slices.Contains(other, line) && shown < maxShown {
				t.Errorf("only %s: %s", who, line)
				shown++
			}
		}
	}
	only("gfx", a, b)
	shown = 0
	only("lld", b, a)
	if shown == 0 {
		at := 0
		for at < min(len(ours), len(theirs)) && ours[at] == theirs[at] {
			at++
		}
		t.Errorf("the bytes differ at offset %#x", at)
	}
	return false
}

// describe lists the contents of an ELF file, one item per line.
func describe(t testing.TB, data []byte) (out []string) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out = append(out, fmt.Sprintf("header %+v flags %#x", f.FileHeader, data[48:52]))
	for i, p := range f.Progs {
		out = append(out, fmt.Sprintf("segment %d %+v", i, p.ProgHeader))
	}
	for i, s := range f.Sections {
		out = append(out, fmt.Sprintf("section %d %+v", i, s.SectionHeader))
	}
	symbols, _ := f.Symbols()
	for i, s := range symbols {
		out = append(out, fmt.Sprintf("symbol %d %+v", i+1, s))
	}
	dynamic, _ := f.DynamicSymbols()
	for i, s := range dynamic {
		out = append(out, fmt.Sprintf("dynamic symbol %d %+v", i+1, s))
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NULL {
			continue
		}
		b, _ := s.Data()
		for at := 0; at < len(b); at += 16 {
			out = append(out, fmt.Sprintf("%s+%#x: % x", s.Name, at, b[at:min(at+16, len(b))]))
		}
	}
	return out
}

// TestKernels links the objects that clang compiles from the corpus's kernels.
func TestKernels(t *testing.T) {
	clang, peer := oracle.Tool(t, "clang-22"), newLLD(t)
	dir := t.TempDir()
	count := 0
	for _, set := range []struct{ folder, cpu string }{
		{"ll/gfx900", "gfx900"}, {"ll/gfx90a", "gfx90a"}, {"ll/gfx1030", "gfx1030"}, {"ll-O0/gfx900", "gfx900"},
	} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+set.folder), "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no kernels in %s: %v", set.folder, err)
		}
		var objects []string
		for i, ll := range files {
			if testing.Short() && i%8 != 0 {
				continue
			}
			object := filepath.Join(dir, strings.ReplaceAll(set.folder, "/", "-")+filepath.Base(ll)+".o")
			opt := "-O2"
			if strings.HasPrefix(set.folder, "ll-O0") {
				opt = "-O0"
			}
			_, stderr, exit := oracle.Run(t, nil, toolTimeout, clang, "--target=amdgcn-amd-amdhsa", "-nogpulib", "-mcpu="+set.cpu, opt, "-c", ll, "-o", object)
			if exit != 0 {
				t.Fatalf("%s: %s", ll, stderr)
			}
			objects = append(objects, object)
			count++
			compareLinks(t, peer, Options{}, nil, object)
		}
		compareLinks(t, peer, Options{GCSections: true}, []string{"--gc-sections"}, objects[:1]...)
		compareLinks(t, peer, Options{Strip: StripAll}, []string{"-s"}, objects[:1]...)
	}
	t.Logf("%d objects linked", count)
}

// TestDebugInfo links the objects that clang compiles from the corpus's sources
// with debug information, together with stubs of the library that they call.
func TestDebugInfo(t *testing.T) {
	clang, peer := oracle.Tool(t, "clang-22"), newLLD(t)
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/src"), "*.cl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	dir := t.TempDir()
	var objects []string
	for i, source := range files {
		if i%6 != 0 && testing.Short() || i%2 != 0 {
			continue
		}
		object := filepath.Join(dir, filepath.Base(source)+".o")
		_, _, exit := oracle.Run(t, nil, toolTimeout, clang, "-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-nogpulib",
			"-mcpu=gfx900", "-Xclang", "-finclude-default-header", "-g", "-O1", "-ffunction-sections", "-fdata-sections", "-c", source, "-o", object)
		if exit != 0 {
			continue // compiling it requires the library
		}
		objects = append(objects, object)
		stubs := stubsFor(t, object)
		compareLinks(t, peer, Options{}, nil, object, stubs)
		compareLinks(t, peer, Options{GCSections: true}, []string{"--gc-sections"}, stubs, object)
		compareLinks(t, peer, Options{GCSections: true, Strip: StripDebug}, []string{"--gc-sections", "--strip-debug"}, object, stubs)
	}
	if len(objects) < 3 {
		t.Fatalf("only %d objects", len(objects))
	}
	t.Logf("%d objects", len(objects))
}

// stubsFor returns an object that defines the undefined symbols of another one.
func stubsFor(t *testing.T, object string) string {
	t.Helper()
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF && s.Name != "" {
			fmt.Fprintf(&text, "\t.section .text.%[1]s,\"ax\",@progbits\n\t.globl %[1]s\n\t.hidden %[1]s\n%[1]s:\n\ts_setpc_b64 s[30:31]\n", s.Name)
		}
	}
	in := assemble(t, "stubs.s", text.String())
	header, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	in.Data[8] = header[8] // the ABI version
	copy(in.Data[48:52], header[48:52])
	path := object + ".stubs.o"
	if err := os.WriteFile(path, in.Data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// compareLinks links objects with both linkers and requires equal results.
func compareLinks(t *testing.T, peer lld, opt Options, args []string, paths ...string) {
	t.Helper()
	opt.ident = peer.ident
	want, problem := peer.link(t, append(append([]string{"-shared", "--no-undefined", "-znodynamic-undefined-weak"}, args...), paths...)...)
	got, err := Link(readInputs(t, paths...), opt)
	switch {
	case problem != "" || err != nil:
		t.Errorf("%s: lld: %s\ngfx: %v", filepath.Base(paths[0]), problem, err)
	default:
		compareOutputs(t, got, want)
	}
	if t.Failed() {
		t.Fatalf("linking %s", strings.Join(paths, " "))
	}
}
