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

// bareNames lists verbs that occur as words everywhere.
var bareNames = []string{
	"add", "apply", "build", "check", "do", "emit", "find", "get", "handle", "next", "place", "process", "put", "run",
	"set", "take", "visit",
}

// searchable lists the folders whose functions have names that a search finds.
var searchable = []string{
	"asm", "cmd/gfx", "codeobject", "compile", "device", "disasm", "hsa", "inspect", "internal/asmcore", "internal/asmmachine",
	"internal/asmmatch", "internal/compiler", "internal/hazard", "internal/lazy", "internal/reguse", "internal/sim",
	"internal/upgrade", "internal/waitcnt", "ir", "isa", "link", "target",
}

// TestFunctionNames reports functions and methods with a bare verb as a name.
func TestFunctionNames(t *testing.T) {
	functions := 0
	goFiles(t, func(name string, text []byte) {
		inside := func(folder string) bool { return within(folder, path.Dir(name)) }
		if strings.HasSuffix(name, "_test.go") || !slices.ContainsFunc(searchable, inside) {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Error(err)
			return
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			functions++
			if slices.Contains(bareNames, fn.Name.Name) {
				t.Errorf("%s: function %s: the name is a bare verb; add the object, as in %sOperand", name, fn.Name.Name, fn.Name.Name)
			}
		}
	})
	if functions < 1000 {
		t.Errorf("%d functions", functions)
	}
}
