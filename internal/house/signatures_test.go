package house

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestSignatures checks that programs can name every type that the public
// packages mention: none is in an internal package.
func TestSignatures(t *testing.T) {
	_, list := publicPackages(t)
	for _, p := range list {
		for _, problem := range hiddenTypes(p.Types) {
			t.Errorf("%s: %s", p.PkgPath, problem)
		}
	}
	if len(list) < 10 {
		t.Errorf("%d public packages found", len(list))
	}
}

// isInternal reports whether programs of other modules cannot import a package.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// hiddenTypes returns the types of internal packages that the exported API of a
// package mentions, each with the exported name that leads to it.
func hiddenTypes(p *types.Package) []string {
	w := signatureWalk{pkg: p, seen: map[types.Type]bool{}}
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			w.name = name
			w.walk(p.Scope().Lookup(name).Type())
		}
	}
	return w.found
}

// A signatureWalk visits the types that programs can reach from the exported
// names of a package. It does not enter types of other packages, which have
// walks of their own.
type signatureWalk struct {
	pkg   *types.Package
	seen  map[types.Type]bool
	name  string // exported name, with the field or method below it
	found []string
}

// in visits a type below a field or method of the current name.
func (w *signatureWalk) in(name string, t types.Type) {
	outer := w.name
	w.name += "." + name
	w.walk(t)
	w.name = outer
}

// walk visits a type.
func (w *signatureWalk) walk(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		if w.named(t.Obj()) {
			w.walk(t.Rhs())
		}
		w.arguments(t.TypeArgs())
	case *types.Named:
		if w.named(t.Obj()) && !w.seen[t] {
			w.seen[t] = true
			w.methods(t)
			w.walk(t.Underlying())
			w.parameters(t.TypeParams())
		}
		w.arguments(t.TypeArgs())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.in(f.Name(), f.Type())
			} else if f.Embedded() {
				w.promoted(f)
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				w.in(m.Name(), m.Type())
			}
		}
		for e := range t.EmbeddedTypes() {
			w.walk(e)
		}
	case *types.Signature:
		w.parameters(t.TypeParams())
		w.tuple(t.Params())
		w.tuple(t.Results())
	case *types.Map:
		w.walk(t.Key())
		w.walk(t.Elem())
	case *types.Union:
		for e := range t.Terms() {
			w.walk(e.Type())
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.walk(t.Elem())
	}
}

// named records a type of an internal package. It reports whether the type is
// one of this package, whose declaration is part of the walk.
func (w *signatureWalk) named(o *types.TypeName) bool {
	if o.Pkg() == nil || o.Pkg() == w.pkg {
		return o.Pkg() != nil
	}
	if isInternal(o.Pkg().Path()) {
		w.found = append(w.found, w.name+" mentions "+o.Pkg().Path()+"."+o.Name())
	}
	return false
}

// promoted visits what an embedded field with an unexported name promotes. Its
// type is of this package: a type with an unexported name is of no other.
func (w *signatureWalk) promoted(f *types.Var) {
	t := f.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	w.walk(t)
}

func (w *signatureWalk) methods(t *types.Named) {
	for m := range t.Methods() {
		if m.Exported() {
			w.in(m.Name(), m.Type())
		}
	}
}

func (w *signatureWalk) tuple(list *types.Tuple) {
	for v := range list.Variables() {
		w.walk(v.Type())
	}
}

func (w *signatureWalk) parameters(list *types.TypeParamList) {
	for p := range list.TypeParams() {
		w.walk(p.Constraint())
	}
}

func (w *signatureWalk) arguments(list *types.TypeList) {
	for t := range list.Types() {
		w.walk(t)
	}
}

// TestHiddenTypes checks the walk on a package that mentions an internal one in
// each place.
func TestHiddenTypes(t *testing.T) {
	const hidden = `package x
type T struct{}
type G[A any] struct{}
`
	const public = `package p
import x "m/internal/x"
type private struct { At x.T; at x.T }
type Ok struct { a x.T; error }
func (Ok) hidden(x.T) {}
func ok() x.T { panic(nil) }
type Alias = x.T
type Field struct { A []*x.T }
type Embedded struct { private }
type Method struct{}
func (Method) M(map[string]x.T) {}
type Interface interface { M() x.T }
func Result() (chan x.T, error) { panic(nil) }
func Through() *private { panic(nil) }
func Generic[A interface{ ~int; M(x.T) }](A) {}
type Argument struct { A x.G[int] }
var Var func(...x.T)
`
	fset := token.NewFileSet()
	known := mapImporter{}
	check := func(path, text string) *types.Package {
		file, err := parser.ParseFile(fset, path+".go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&types.Config{Importer: known}).Check(path, fset, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	known["m/internal/x"] = check("m/internal/x", hidden)
	got := hiddenTypes(check("m/p", public))
	want := []string{
		"Alias mentions m/internal/x.T",
		"Argument.A mentions m/internal/x.G",
		"Embedded.At mentions m/internal/x.T",
		"Field.A mentions m/internal/x.T",
		"Generic.M mentions m/internal/x.T",
		"Interface.M mentions m/internal/x.T",
		"Method.M mentions m/internal/x.T",
		"Result mentions m/internal/x.T",
		"Var mentions m/internal/x.T",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A mapImporter imports the packages that it holds, and packages of the standard
// library.
type mapImporter map[string]*types.Package

func (m mapImporter) Import(path string) (*types.Package, error) {
	if p, ok := m[path]; ok {
		return p, nil
	}
	return importer.Default().Import(path)
}
