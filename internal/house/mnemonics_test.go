package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// nameTables lists the files and folders that are tables of instruction names by
// nature, each with the reason.
var nameTables = map[string]string{
	"internal/sem":                                  "its rows define the semantics of operations by name",
	"internal/catalysthsa/names.go":                 "rows hold the reasons why instructions cannot be converted",
	"internal/testing":                              "part of tests",
	"internal/sim/ds.go":                            "rows map operations to functions that run them",
	"internal/sim/flatgfx12.go":                     "rows map operations to functions that run them",
	"internal/sim/flow.go":                          "rows map operations to functions that run them",
	"internal/sim/gws.go":                           "rows map operations to functions that run them",
	"internal/sim/interp.go":                        "rows map operations to functions that run them",
	"internal/sim/smem.go":                          "rows map operations to functions that run them",
	"internal/sim/special.go":                       "rows map operations to functions that run them",
	"internal/sim/lanes/simd_table_amd64.go":        "rows map operations to functions that run them",
	"internal/sim/weakmem/rules.go":                 "rows map cache operations to their effects",
	"internal/clrxsyntax/names.go":                  "rows hold CLRX's names where they differ",
	"internal/compiler/analysis/simplify/amdgpu.go": "rows map intrinsic functions to rows of internal/sem",
	"isa/image.go":                                  "parses names once, to describe image instructions for the other packages",
}

// fragmentFunctions lists the functions that search for a part of a string.
var fragmentFunctions = []string{
	"Contains", "Cut", "CutPrefix", "CutSuffix", "HasPrefix", "HasSuffix", "Index", "TrimPrefix", "TrimSuffix",
}

// mnemonics holds the names of instructions, and their parts.
type mnemonics struct {
	names map[string]bool // names with an underscore
	parts map[string]bool // prefixes and suffixes of names, at an underscore
}

func knownMnemonics() *mnemonics {
	m := &mnemonics{names: map[string]bool{}, parts: map[string]bool{}}
	for e := range isa.Enc(isa.NumEncs()) {
		m.addName(e.Name())
	}
	for o := range isa.Operations() {
		for _, n := range o.Names() {
			m.addName(n.Name)
		}
	}
	return m
}

// addName adds a name and its parts.
func (m *mnemonics) addName(name string) {
	if !strings.Contains(name, "_") {
		return
	}
	m.names[name] = true
	for i := range len(name) {
		if name[i] == '_' {
			m.parts[name[:i+1]], m.parts[name[i:]] = true, true
		}
	}
}

// contain reports whether a name contains a text.
func (m *mnemonics) contain(text string) bool {
	for n := range m.names {
		if strings.Contains(n, text) {
			return true
		}
	}
	return false
}

// isInstruction reports whether an expression is the name of an instruction: a
// call of Name, a mnemonic, or a variable of such a name.
func isInstruction(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		s, ok := x.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Name"
	case *ast.SelectorExpr:
		return slices.Contains([]string{"Mnemonic", "mnemonic"}, x.Sel.Name) || x.Sel.Name == "Text" && isInstruction(x.X)
	case *ast.Ident:
		return slices.Contains([]string{"mnemonic", "opname"}, x.Name)
	}
	return false
}

// problems returns the positions and texts of names in a file.
func (m *mnemonics) problems(fset *token.FileSet, file *ast.File) (list []string) {
	report := func(l *ast.BasicLit, what string) {
		list = append(list, fset.Position(l.Pos()).String()+": "+l.Value+" is "+what)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if s, ok := literal(n); ok && m.names[s] {
				report(n, "an instruction's name")
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) != 2 || !slices.Contains(fragmentFunctions, f.Sel.Name) {
				break
			}
			l, ok := n.Args[1].(*ast.BasicLit)
			if s, isText := literal(l); ok && isText && !m.names[s] && (m.parts[s] || isInstruction(n.Args[0]) && m.contain(s)) {
				report(l, "a part of instructions' names")
			}
		}
		return true
	})
	return list
}

// literal returns the value of a string literal.
func literal(l *ast.BasicLit) (s string, ok bool) {
	if l == nil || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

// TestMnemonics reports names of instructions, and searches for parts of them,
// in the product outside of nameTables. Packages distinguish instructions by
// properties of isa/table.
func TestMnemonics(t *testing.T) {
	m := knownMnemonics()
	if len(m.names) < 2000 {
		t.Errorf("%d names", len(m.names))
	}
	unused := maps.Clone(nameTables)
	goFiles(t, func(name string, text []byte) {
		if strings.HasSuffix(name, "_test.go") || generated.Match(text) || within("examples", name) {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, 0)
		if err != nil {
			t.Error(err)
			return
		}
		list := m.problems(fset, file)
		for table := range nameTables {
			if within(table, name) {
				if len(list) > 0 {
					delete(unused, table)
				}
				return
			}
		}
		for _, p := range list {
			t.Errorf("%s: use a property of isa/table instead", p)
		}
	})
	for table := range unused {
		if path.Base(table) != "testing" {
			t.Errorf("%s: has no name of an instruction; remove the row", table)
		}
	}
}

// TestMnemonicsFound checks that TestMnemonics finds names and parts of names.
func TestMnemonicsFound(t *testing.T) {
	m := knownMnemonics()
	for _, c := range []struct {
		code  string
		found int
	}{
		{`x.Name() == "v_add_f32"`, 1},
		{`strings.HasPrefix(x.Name(), "v_cndmask")`, 1},
		{`strings.Contains(x.Name(), "d16")`, 1},
		{`strings.HasPrefix(m.stmt.Mnemonic.Text, "msaa")`, 1},
		{`strings.HasSuffix(name, "_intersect_ray")`, 1},
		{`strings.HasPrefix(name, "s_cmpk_")`, 1},
		{`strings.HasPrefix(word, "bb")`, 0},
		{`f("missing")`, 0},
		{`x.Name() == y.Name()`, 0},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x.go", "package p\n\nvar _ = "+c.code+"\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		if list := m.problems(fset, file); len(list) != c.found {
			t.Errorf("%s: %q", c.code, list)
		}
	}
}
