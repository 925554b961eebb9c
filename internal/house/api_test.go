package house

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"

	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// apiFolder has a file for each package that programs can import, with its
// exported names, fields and methods.
const apiFolder = "testdata/api"

// TestAPI compares the exported API with the files of apiFolder, so that no name
// changes by accident. "go test ./internal/house -run TestAPI -update" rewrites them.
func TestAPI(t *testing.T) {
	root, loaded := publicPackages(t)
	names := 0
	var files []string
	for _, p := range loaded {
		// Export data of the build cache may be from another copy of the module, so
		// only the last element of a position's path counts.
		folder := filepath.Join(root, strings.TrimPrefix(p.PkgPath, module))
		list := apiOf(p.Types, func(o types.Object) bool {
			return fromTable(t, folder, filepath.Base(p.Fset.Position(o.Pos()).Filename))
		})
		if len(list) == 0 {
			continue
		}
		names += len(list)
		files = append(files, apiFile(p.PkgPath))
		checkAPI(t, apiFile(p.PkgPath), strings.Join(list, "\n")+"\n")
	}
	t.Logf("%d packages with %d exported names, fields and methods", len(files), names)
	checkAPIFiles(t, files)
}

// publicPackages loads the packages that programs can import, and returns them
// with the module's folder.
func publicPackages(t *testing.T) (root string, list []*packages.Package) {
	t.Helper()
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{
		Dir: root, Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile,
		Env: append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		t.Skipf("no go command to load the packages with: %v", err)
	}
	for _, p := range loaded {
		if p.Name == "main" || isInternal(p.PkgPath) {
			continue
		}
		for _, e := range p.Errors {
			t.Error(e)
		}
		list = append(list, p)
	}
	return root, list
}

// apiFile returns the file of a package.
func apiFile(path string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	if rest == "" {
		rest = "gfx"
	}
	return filepath.Join(apiFolder, strings.ReplaceAll(rest, "/", "-")+".txt")
}

// checkAPI compares a file with its expected contents, or writes them.
func checkAPI(t *testing.T, file, want string) {
	t.Helper()
	if filetest.Update() {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		have = nil
	}
	if diff := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("%s: the exported API differs; if this is intended, run \"go test ./internal/house -run TestAPI -update\" (-file +code)\n%s", file, diff)
	}
}

// checkAPIFiles checks that each file of apiFolder belongs to a package, or
// removes it.
func checkAPIFiles(t *testing.T, files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(apiFolder, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		switch {
		case slices.Contains(files, file):
		case !filetest.Update():
			t.Errorf("%s: the package does not exist; run the test with -update", file)
		default:
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// fromTables caches which files are generated.
var fromTables = map[string]bool{}

// fromTable reports whether a Go file in a folder is generated.
func fromTable(t *testing.T, folder, file string) bool {
	file = filepath.Join(folder, file)
	is, known := fromTables[file]
	if !known {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		is = generated.Match(text)
		fromTables[file] = is
	}
	return is
}

// apiOf returns the exported API of a package in alphabetical order, one line for a
// name, a field or a method. Constants of generated files have no values, as these
// change with each new row of a table.
func apiOf(p *types.Package, generated func(types.Object) bool) (list []string) {
	scope := p.Scope()
	q := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return strings.TrimPrefix(other.Path(), module+"/")
	}
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		switch c, constant := o.(*types.Const); {
		case !token.IsExported(name):
		case constant && generated(o):
			list = append(list, fmt.Sprintf("const %s %s", name, types.TypeString(c.Type(), q)))
		default:
			list = append(list, apiOfObject(o, q)...)
		}
	}
	slices.Sort(list)
	return list
}

// apiOfObject returns the lines of an object.
func apiOfObject(o types.Object, q types.Qualifier) (list []string) {
	switch o := o.(type) {
	case *types.Const:
		return []string{fmt.Sprintf("const %s %s = %s", o.Name(), types.TypeString(o.Type(), q), o.Val().ExactString())}
	case *types.Var:
		return []string{fmt.Sprintf("var %s %s", o.Name(), types.TypeString(o.Type(), q))}
	case *types.TypeName:
		return apiOfType(o, q)
	}
	return []string{types.ObjectString(o, q)}
}

// apiOfType returns the lines of a type: its kind, its exported fields and its
// exported methods.
func apiOfType(o *types.TypeName, q types.Qualifier) (list []string) {
	named, ok := o.Type().(*types.Named)
	if !ok || o.IsAlias() {
		return []string{types.ObjectString(o, q)}
	}
	name := o.Name() + apiParameters(named, q)
	switch u := named.Underlying().(type) {
	case *types.Struct:
		list = append(list, fmt.Sprintf("type %s struct", name))
		for f := range u.Fields() {
			if f.Exported() {
				list = append(list, fmt.Sprintf("type %s struct, %s %s", name, f.Name(), types.TypeString(f.Type(), q)))
			}
		}
	case *types.Interface:
		list = append(list, fmt.Sprintf("type %s interface", name))
		for m := range u.Methods() {
			if m.Exported() {
				list = append(list, fmt.Sprintf("type %s interface, %s%s", name, m.Name(), signature(m, q)))
			}
		}
	default:
		list = append(list, fmt.Sprintf("type %s %s", name, types.TypeString(u, q)))
	}
	for m := range named.Methods() {
		if m.Exported() {
			list = append(list, fmt.Sprintf("method (%s) %s%s", types.TypeString(m.Signature().Recv().Type(), q), m.Name(), signature(m, q)))
		}
	}
	return list
}

// apiParameters returns the type parameters of a type, such as "[T any]".
func apiParameters(named *types.Named, q types.Qualifier) string {
	var list []string
	for p := range named.TypeParams().TypeParams() {
		list = append(list, p.Obj().Name()+" "+types.TypeString(p.Constraint(), q))
	}
	if list == nil {
		return ""
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func signature(f *types.Func, q types.Qualifier) string {
	return strings.TrimPrefix(types.TypeString(f.Signature(), q), "func")
}
