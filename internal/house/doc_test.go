package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// documented lists the packages in which every exported name, field and method
// has a comment: all that programs can import.
var documented = []string{
	root, "asm", "codeobject", "compile", "device", "diag", "disasm", "hsa", "inspect", "ir", "ir/bitcode", "ir/linker", "ir/text", "ir/verify",
	"isa", "link", "litmus", "litmus/cycle", "litmus/kernel", "litmus/model", "target",
}

// TestDocComments checks the packages of documented.
func TestDocComments(t *testing.T) {
	names := 0
	goFiles(t, func(name string, text []byte) {
		if strings.HasSuffix(name, "_test.go") || generated.Match(text) || !slices.Contains(documented, path.Dir(name)) {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		for _, d := range file.Decls {
			for id, comment := range exportedNames(d) {
				names++
				if comment == "" {
					t.Errorf("%s: %s has no comment", fset.Position(id.Pos()), id.Name)
				}
			}
		}
	})
	if names < 100 {
		t.Errorf("%d exported names found", names)
	}
}

// TestCompatibility checks that the comment of each package of documented
// has a section on compatibility.
func TestCompatibility(t *testing.T) {
	missing := slices.Clone(documented)
	goFiles(t, func(name string, text []byte) {
		folder := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || !slices.Contains(missing, folder) {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
		} else if strings.Contains(file.Doc.Text(), "# Compatibility\n") {
			missing = slices.DeleteFunc(missing, func(p string) bool { return p == folder })
		}
	})
	for _, p := range missing {
		t.Errorf("package %s: its comment has no section \"# Compatibility\"", p)
	}
}

// exportedNames returns the exported names of a declaration, with their comments.
func exportedNames(d ast.Decl) map[*ast.Ident]string {
	found := map[*ast.Ident]string{}
	add := func(names []*ast.Ident, comments ...*ast.CommentGroup) {
		for _, id := range names {
			if id.IsExported() {
				for _, c := range comments {
					found[id] += c.Text()
				}
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || receiverExported(d.Recv.List[0].Type) {
			add([]*ast.Ident{d.Name}, d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				add(s.Names, s.Doc, s.Comment, d.Doc)
			case *ast.TypeSpec:
				add([]*ast.Ident{s.Name}, s.Doc, s.Comment, d.Doc)
				if fields, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
					for _, f := range fields.Fields.List {
						add(f.Names, f.Doc, f.Comment)
					}
				}
			}
		}
	}
	return found
}

// receiverExported reports whether the type of a receiver is exported.
func receiverExported(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverExported(e.X)
	case *ast.IndexExpr:
		return receiverExported(e.X)
	case *ast.Ident:
		return e.IsExported()
	}
	return false
}
