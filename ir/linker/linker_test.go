package linker

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

const toolTime = time.Minute

// input is a module in textual form.
type input struct{ name, text string }

// options returns the options for flags of llvm-link.
func options(flags []string) Options {
	return Options{OnlyNeeded: slices.Contains(flags, "--only-needed"), Internalize: slices.Contains(flags, "--internalize")}
}

// linkTexts links modules as the command does: options do not apply to the
// first module. With --override, the last module overrides.
func linkTexts(t testing.TB, files []input, flags []string) (*Linker, error) {
	t.Helper()
	l := New("llvm-link")
	for i, f := range files {
		src := read(t, f)
		opt := Options{}
		switch {
		case i == len(files)-1 && slices.Contains(flags, "--override"):
			opt.Override = true
		case i > 0:
			opt = options(flags)
		}
		if err := l.Link(src, opt); err != nil {
			return l, err
		}
	}
	checkModule(t, l.Module())
	return l, nil
}

// read returns a source from text, or from bitcode without function bodies.
func read(t testing.TB, f input) Source {
	t.Helper()
	if bitcode.IsBitcode([]byte(f.text)) {
		file, err := bitcode.Open([]byte(f.text), bitcode.Options{Name: f.name, Lazy: true})
		if err != nil {
			t.Fatal(err)
		}
		return Source{Module: file.Module, File: file}
	}
	m, list := text.Parse(f.name, []byte(f.text))
	if err := list.Err(); err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return Source{Module: m}
}

// checkModule checks the lists of a module's functions and runs the verifier.
func checkModule(t testing.TB, m *ir.Module) {
	t.Helper()
	for _, v := range verify.Module(m) {
		t.Errorf("verifier: %v", v)
	}
	checkLinks(t, m)
}

func checkLinks(t testing.TB, m *ir.Module) {
	t.Helper()
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			if err := g.Func.CheckLinks(); err != nil {
				t.Fatalf("@%s: %v", g.Name(), err)
			}
		}
	}
}

// llvmLink runs llvm-link on modules. It returns its text and messages, and
// whether it accepts them.
func llvmLink(t testing.TB, files []input, flags []string) (out, messages string, ok bool) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-S", "-o", "-"}
	override := slices.Contains(flags, "--override")
	for _, f := range flags {
		if f != "--override" {
			args = append(args, f)
		}
	}
	for i, f := range files {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, []byte(f.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if override && i == len(files)-1 {
			path = "--override=" + path
		}
		args = append(args, path)
	}
	stdout, stderr, exit := oracle.Run(t, nil, toolTime, oracle.Tool(t, "llvm-link-22"), args...)
	return string(stdout), strings.ReplaceAll(string(stderr), dir+string(filepath.Separator), ""), exit == 0
}

var (
	// predecessors are listed in use order, which LLVM preserves when it moves
	// a body
	predsComment = regexp.MustCompile(`(?m) *; (preds = |No predecessors!).*$`)
	sourceName   = regexp.MustCompile(`(?m)^(; ModuleID|source_filename) = .*\n`)
)

// comparable removes parts of a text that may differ.
func comparable(text string) string {
	return sourceName.ReplaceAllString(predsComment.ReplaceAllString(text, ""), "")
}

// compare compares the result of linking with LLVM's.
func compare(t *testing.T, files []input, flags []string) {
	t.Helper()
	want, messages, ok := llvmLink(t, files, flags)
	l, err := linkTexts(t, files, flags)
	if strings.Contains(messages, "linked module is broken") { // fault in LLVM
		return
	}
	if err != nil || !ok {
		// reported by LLVM as well, which then continues
		const noClone = "non-variables in comdat nodeduplicate are not handled"
		if err != nil && strings.Contains(err.Error(), noClone) && strings.Contains(messages, noClone) {
			return
		}
		if ok != (err == nil) {
			t.Fatalf("error %v, LLVM: %s", err, messages)
		}
		return
	}
	got := text.Print(l.Module())
	if diff := cmp.Diff(comparable(want), comparable(string(got))); diff != "" {
		t.Errorf("differs from LLVM (-LLVM +gfx):\n%s", diff)
	}
	if warned := strings.Contains(messages, "warning"); warned != (len(l.Warnings()) > 0) {
		t.Errorf("warnings %q, LLVM: %s", l.Warnings(), messages)
	}
	if m, list := text.Parse("again.ll", got); list.HasErrors() {
		t.Errorf("the printed module has errors: %v", list.Err())
	} else if again := text.Print(m); !bytes.Equal(again[bytes.IndexByte(again, '\n'):], got[bytes.IndexByte(got, '\n'):]) {
		t.Errorf("the text differs after printing again:\n%s", cmp.Diff(string(got), string(again)))
	}
}

// cases returns the pairs in an archive. Files are named CASE.a.ll, CASE.b.ll
// and so on. A line "; flags: …" contains flags for llvm-link.
func cases(in map[string]string) (names []string, files map[string][]input, flags map[string][]string) {
	files, flags = map[string][]input{}, map[string][]string{}
	sorted := make([]string, 0, len(in))
	for name := range in {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		base, rest, _ := strings.Cut(name, ".")
		if files[base] == nil {
			names = append(names, base)
		}
		files[base] = append(files[base], input{rest, in[name]})
		for line := range strings.Lines(in[name]) {
			if words, ok := strings.CutPrefix(line, "; flags: "); ok {
				flags[base] = append(flags[base], strings.Fields(words)...)
			}
		}
	}
	return names, files, flags
}

// TestLink links the pairs of modules in testdata. The expected results are
// stored next to them and match LLVM's.
func TestLink(t *testing.T) {
	filetest.Archives(t, "testdata/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
		got := map[string]string{}
		names, files, flags := cases(in)
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				if _, found := oracle.Find("llvm-link-22"); found || os.Getenv("GFX_ORACLE") == "require" {
					compare(t, files[name], flags[name])
				}
				l, err := linkTexts(t, files[name], flags[name])
				var out strings.Builder
				for _, w := range l.Warnings() {
					out.WriteString("warning: " + w + "\n")
				}
				if err != nil {
					out.WriteString("error: " + err.Error() + "\n")
				} else {
					out.Write(text.Print(l.Module()))
				}
				got["want."+name] = out.String()
			})
		}
		return got
	})
}

var linkages = []string{"", "private", "internal", "available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr", "common", "extern_weak", "decl"}

// definition returns the text of a symbol with a linkage and its uses.
func definition(kind, linkage, value string) string {
	name := map[string]string{"": "strong"}[linkage]
	if name == "" {
		name = linkage
	}
	use := "\ndefine i32 @use_" + value + "_" + name
	switch {
	case kind == "function" && linkage == "decl":
		return "declare i32 @s()" + use + "() {\n %r = call i32 @s()\n ret i32 %r\n}\n"
	case kind == "function" && linkage == "extern_weak":
		return "declare extern_weak i32 @s()" + use + "() {\n %r = call i32 @s()\n ret i32 %r\n}\n"
	case kind == "function" && linkage == "common":
		return ""
	case kind == "function":
		return "define " + linkage + " i32 @s() {\n ret i32 " + value + "\n}" + use + "() {\n %r = call i32 @s()\n ret i32 %r\n}\n"
	case linkage == "decl":
		return "@s = external global i32" + use + "() {\n %r = load i32, ptr @s\n ret i32 %r\n}\n"
	case linkage == "extern_weak":
		return "@s = extern_weak global i32" + use + "() {\n %r = load i32, ptr @s\n ret i32 %r\n}\n"
	case linkage == "common":
		value = "0"
	}
	return "@s = " + linkage + " global i32 " + value + use + "() {\n %r = load i32, ptr @s\n ret i32 %r\n}\n"
}

// TestLinkages links symbols of every pair of linkages. By default it tests a
// quarter of the pairs with one set of flags each; with GFX_LINKER_KERNELS, all
// pairs with all sets.
func TestLinkages(t *testing.T) {
	all := [][]string{nil, {"--only-needed"}, {"--internalize"}}
	for _, kind := range []string{"variable", "function"} {
		for i, a := range linkages {
			for j, b := range linkages {
				x, y := definition(kind, a, "1"), definition(kind, b, "2")
				many := os.Getenv("GFX_LINKER_KERNELS") != ""
				if x == "" || y == "" || (i+j)%4 != 1 && !many {
					continue
				}
				t.Run(kind+"/"+a+"-"+b, func(t *testing.T) {
					t.Parallel()
					for n, flags := range all {
						if many || n == (i+2*j)%3 {
							compare(t, []input{{"a.ll", x}, {"b.ll", y}}, flags)
						}
					}
				})
			}
		}
	}
}
