package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

const module = "github.com/gfx-toolchain/gfx"

// root is the path of the package at the root of the module.
const root = "."

// A layer is one row of the table of docs/architecture.md, Packages: a package
// and the packages below it in its folder.
type layer struct {
	path    string
	modules []string // other modules that it may import
	not     []string // excluded layers above it
}

// layers lists the packages in the order in which data flows: a package
// imports only from rows above its own.
var layers = []layer{
	{path: "diag"},
	{path: "internal/ar"},
	{path: "internal/lazy"},
	{path: "internal/parallel"},
	{path: "target"},
	{path: "device"},
	{path: "isa"},
	{path: "internal/image/tiling"},
	{path: "internal/sem"},
	{path: "internal/image/bvh"},
	{path: "internal/image"},
	{path: "internal/reguse"},
	{path: "internal/waitcnt"},
	{path: "internal/hazard"},
	{path: "codeobject", modules: []string{"go.yaml.in/yaml/v3"}},
	{path: "catalyst"},
	{path: "internal/asmcore"},
	{path: "internal/asmmachine"},
	{path: "internal/asmmatch"},
	{path: "internal/clrxsyntax"},
	{path: "disasm"},
	{path: "inspect", modules: []string{"github.com/klauspost/compress"}},
	{path: "asm"},
	{path: "link"},
	{path: "ir"},
	{path: "internal/upgrade"},
	{path: "ir/text"},
	{path: "ir/bitcode"},
	{path: "internal/compiler/addrspace"},
	{path: "internal/compiler/analysis"},
	{path: "ir/verify"},
	{path: "ir/linker"},
	{path: "internal/compiler/emit"},
	{path: "internal/compiler/opt"},
	{path: "internal/compiler/prepare"},
	{path: "mlir"},
	{path: "internal/compiler/mir"},
	{path: "internal/compiler/abi"},
	{path: "internal/compiler/isel"},
	{path: "internal/compiler/codegen"},
	{path: "internal/compiler/pipeline"},
	{path: "dwarf"},
	{path: "compile"},
	{path: "internal/sim/lanes"},
	{path: "internal/sim/weakmem"},
	{path: "internal/sim", not: []string{"internal/compiler/codegen", "internal/compiler/mir", "compile", "internal/compiler/opt", "internal/compiler/prepare", "asm"}},
	{path: "hsa"},
	{path: "internal/catalystabi"},
	{path: "internal/catalysthsa", not: []string{"hsa", "internal/sim", "compile"}},
	{path: "internal/catalystrun"},
	{path: "internal/manifest"},
	{path: "internal/kernelrun"},
	{path: root},
	{path: "litmus"},
	{path: "cmd/gfx", modules: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"}},
	{path: "examples"},
}

// everywhere lists the modules that any package may import.
var everywhere = []string{"golang.org/x/sys", "golang.org/x/sync", "golang.org/x/arch"}

// support lists test support and tools. They are not part of the product, so no
// product code imports them. They may import everything.
var support = []string{"internal/testing", "internal/house", "internal/cmd"}

// productNever lists standard packages that the product must not import: test
// support and cgo.
var productNever = []string{"C", "testing"}

// within reports whether a path is root or below it.
func within(root, p string) bool { return p == root || strings.HasPrefix(p, root+"/") }

// layerOf returns the index in layers of a package's path in the module, or -1.
// It selects the row with the longest path that contains the package.
func layerOf(pkg string) int {
	best := -1
	for i, l := range layers {
		if within(l.path, pkg) && (best < 0 || len(l.path) > len(layers[best].path)) {
			best = i
		}
	}
	return best
}

func isSupport(pkg string) bool {
	return slices.ContainsFunc(support, func(s string) bool { return within(s, pkg) })
}

// checkImport returns the rule that a product package's import of another
// package breaks, or "".
func checkImport(pkg, imported string) string {
	from := layerOf(pkg)
	if from < 0 {
		return "package is in no layer of internal/house (docs/architecture.md, Packages)"
	}
	l := &layers[from]
	in, ours := strings.CutPrefix(imported, module+"/")
	if imported == module {
		in, ours = root, true
	}
	switch {
	case ours && isSupport(in):
		return "product code must not import test support"
	case ours:
		to := layerOf(in)
		switch {
		case to < 0:
			return "imported package is in no layer of internal/house"
		case to > from:
			return "imports from a lower row; only rows above are allowed"
		case slices.Contains(l.not, layers[to].path):
			return "this import is excluded"
		}
	case slices.ContainsFunc(productNever, func(p string) bool { return within(p, imported) }):
		return "product code must not import this"
	case strings.Contains(strings.Split(imported, "/")[0], "."):
		allowed := func(m string) bool { return within(m, imported) }
		if !slices.ContainsFunc(l.modules, allowed) && !slices.ContainsFunc(everywhere, allowed) {
			return "module is not on this layer's list"
		}
	}
	return ""
}

// goFiles calls f with every Go file of the module: its path with slashes,
// relative to the root.
func goFiles(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	textFiles(t, func(name string, text []byte) {
		if strings.HasSuffix(name, ".go") {
			f(name, text)
		}
	})
}

// textFiles calls f with every file of the module outside of .git, bin and
// testdata folders.
func textFiles(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	tree := os.DirFS(root)
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "testdata"}, path.Base(name)):
			return fs.SkipDir
		case !d.Type().IsRegular() || name == ".git": // a file in a linked worktree
			return nil
		case path.Ext(name) == ".png":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err == nil {
			f(filepath.ToSlash(name), text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLayers(t *testing.T) {
	files := 0
	goFiles(t, func(name string, text []byte) {
		files++
		pkg := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || isSupport(pkg) {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Error(err)
			} else if problem := checkImport(pkg, imported); problem != "" {
				t.Errorf("%s: import %q: %s", name, imported, problem)
			}
		}
	})
	if files == 0 {
		t.Error("no Go files found")
	}
}

func TestCheckImport(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		ok            bool
	}{
		{"isa", module + "/target", true},
		{"target", module + "/isa", false},
		{"asm/clrx", module + "/asm", true},
		{"asm", module + "/asm/clrx", true},
		{"asm", module + "/internal/testing/oracle", false},
		{"asm", module + "/internal/nowhere", false},
		{"nowhere", "fmt", false},
		{"internal/sim", module + "/isa", true},
		{"internal/sim", module + "/internal/compiler/mir", false},
		{"isa", "fmt", true},
		{"isa", "testing", false},
		{"isa", "testing/iotest", false},
		{"isa", "C", false},
		{"isa", "github.com/spf13/cobra", false},
		{"cmd/gfx", "github.com/spf13/cobra", true},
		{"hsa", "golang.org/x/sys/unix", true},
		{"hsa", module, false},
		{"examples/vecadd", module, true},
		{root, module + "/hsa", true},
		{root, module + "/cmd/gfx", false},
	} {
		if problem := checkImport(c.pkg, c.imported); (problem == "") != c.ok {
			t.Errorf("%s imports %s: %q, want ok %v", c.pkg, c.imported, problem, c.ok)
		}
	}
}
