package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// unordered lists the types whose numbers have an order without a meaning:
// instruction sets and generations form a DAG.
var unordered = []string{module + "/isa.Set", module + "/isa.Gen", module + "/target.Generation"}

// properties is the package whose constants Prop... are the properties of sets.
const properties = module + "/isa"

// TestOrder checks that no product code compares instruction sets or generations
// by order, and that code asks for every property of sets.
func TestOrder(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{
		Dir: root, Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedExportFile,
		Env: append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		t.Skipf("no go command to load the packages with: %v", err)
	}
	asked := map[string]bool{}
	var declared []string
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Error(e)
		}
		for _, at := range orderings(p.Fset, p.TypesInfo, p.Syntax, unordered) {
			t.Errorf("%s: compares instruction sets or generations by order: ask for a property of isa/table/properties.tsv, or use Is", at)
		}
		for _, o := range p.TypesInfo.Uses {
			if isProperty(o) {
				asked[o.Name()] = true
			}
		}
		if p.PkgPath == properties {
			for _, name := range p.Types.Scope().Names() {
				if isProperty(p.Types.Scope().Lookup(name)) {
					declared = append(declared, name)
				}
			}
		}
	}
	t.Logf("%d packages, %d properties of sets", len(loaded), len(declared))
	for _, name := range declared {
		if !asked[name] {
			t.Errorf("isa.%s: no code asks for the property: remove its row of isa/table/properties.tsv", name)
		}
	}
	if len(declared) == 0 {
		t.Error("package isa has no properties of sets")
	}
}

// isProperty reports whether an object is the constant of a property of sets.
func isProperty(o types.Object) bool {
	c, ok := o.(*types.Const)
	return ok && c.Pkg() != nil && c.Pkg().Path() == properties && strings.HasPrefix(c.Name(), "Prop")
}

// orderings returns the positions at which files compare values of some types
// with <, <=, > or >=, or select one with min or max.
func orderings(fset *token.FileSet, info *types.Info, files []*ast.File, names []string) (found []string) {
	listed := func(e ast.Expr) bool {
		n, ok := types.Unalias(info.TypeOf(e)).(*types.Named)
		return ok && n.Obj().Pkg() != nil && slices.Contains(names, n.Obj().Pkg().Path()+"."+n.Obj().Name())
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, n.Op) && (listed(n.X) || listed(n.Y)) {
					found = append(found, fset.Position(n.OpPos).String())
				}
			case *ast.CallExpr:
				if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && isMinOrMax(info.Uses[id]) && slices.ContainsFunc(n.Args, listed) {
					found = append(found, fset.Position(n.Pos()).String())
				}
			}
			return true
		})
	}
	return found
}

// isMinOrMax reports whether an object is one of the built-in functions.
func isMinOrMax(o types.Object) bool {
	b, ok := o.(*types.Builtin)
	return ok && (b.Name() == "min" || b.Name() == "max")
}

// TestOrderings checks orderings on a text: the marked lines, and no others.
func TestOrderings(t *testing.T) {
	const text = `package p

type Set uint8
type Alias = Set
type Other uint8

func f(a, b Set, c Alias, x, y Other) (bool, Set) {
	_ = a == b
	_ = x < y
	_ = a < b //
	_ = 3 >= c //
	switch {
	case a > 1, //
		b <= 2: //
	}
	_ = min(x, y)
	_ = max(a, b) //
	return a != 2, (min)(1, b) //
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	var conf types.Config
	if _, err := conf.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i, l := range strings.Split(text, "\n") {
		if strings.HasSuffix(l, "//") {
			want = append(want, fmt.Sprintf("p.go:%d", i+1))
		}
	}
	var got []string
	for _, at := range orderings(fset, info, []*ast.File{file}, []string{"p.Set"}) {
		got = append(got, at[:strings.LastIndexByte(at, ':')])
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
