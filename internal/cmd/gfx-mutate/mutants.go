package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change of a source file.
type mutant struct {
	file     string // slash-separated, from the module's root
	function string // or the variable whose initializer is changed
	operator string
	ordinal  int    // index among the mutants of this operator in the function
	line     int    // from 1
	text     string // of the line, trimmed
	edits    []edit // sorted, without overlap
	scope    *scope
	reach    int // offset of the innermost statement of a list that contains the change, or -1
}

// scope is the function or the initializer that contains a mutant.
type scope struct {
	from, to int    // offsets: a function's body with its braces, an initializer's expression
	results  string // of the function, as in the source
	function bool
	typ      string // of the variable, as in the source; "" if inferred from the initializer
}

// edit replaces the bytes from..to of a file.
type edit struct {
	from, to int
	text     string
}

// id returns the mutant's name. Edits of other functions do not affect it,
// changes of the mutated line do.
func (m *mutant) id() string {
	h := fnv.New32a()
	h.Write([]byte(m.text))
	return fmt.Sprintf("%s:%s:%s:%d:%08x", m.file, m.function, m.operator, m.ordinal, h.Sum32())
}

// applyEdits returns the bytes from..to of a file with the edits, which must be
// sorted, must not overlap and must be inside the range.
func applyEdits(src []byte, from, to int, edits []edit) []byte {
	var out []byte
	for _, e := range edits {
		out = append(append(out, src[from:e.from]...), e.text...)
		from = e.to
	}
	return append(out, src[from:to]...)
}

// change describes the edits for a reader.
func (m *mutant) change(src []byte) string {
	var parts []string
	for _, e := range m.edits {
		parts = append(parts, fmt.Sprintf("%s -> %s", quoted(src[e.from:e.to]), quoted([]byte(e.text))))
	}
	return strings.Join(parts, ", ")
}

// quoted returns a piece of code as one line of at most 60 bytes.
func quoted(code []byte) string {
	text := strings.Join(strings.Fields(string(code)), " ")
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return "`" + text + "`"
}

// swaps lists the operators that replace one token by another, by the
// operator's name. Swapping the + of strings yields a file that does not
// compile; such mutants are skipped.
var swaps = map[string]map[token.Token]token.Token{
	"comparison": {
		token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
	},
	"boundary": {token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR},
	"arithmetic": {
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL, token.AND: token.OR,
		token.OR: token.AND, token.XOR: token.OR, token.SHL: token.SHR, token.SHR: token.SHL, token.AND_NOT: token.AND,
		token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN,
		token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.XOR_ASSIGN: token.OR_ASSIGN,
		token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN, token.AND_NOT_ASSIGN: token.AND_ASSIGN,
		token.INC: token.DEC, token.DEC: token.INC,
	},
	"logic": {token.LAND: token.LOR, token.LOR: token.LAND},
}

// swapNames lists the keys of swaps in a fixed order for the mutants.
var swapNames = []string{"comparison", "boundary", "arithmetic", "logic"}

// messages lists the functions whose arguments are text for people, or sizes
// that affect only speed. Their arguments are not mutated.
var messages = map[string]bool{
	"panic": true, "Errorf": true, "Sprintf": true, "Fprintf": true, "errorf": true, "remark": true, "remarkf": true, "Remarkf": true,
	"unsupported": true, "unsupportedf": true, "fail": true, "failf": true, "fatalf": true, "make": true, "Grow": true,
}

// finder collects the mutants of a file.
type finder struct {
	fset     *token.FileSet
	src      []byte
	lines    []string
	file     string
	function string
	scope    *scope
	nodes    []ast.Node     // path from the scope's root to the visited node
	count    map[string]int // by operator, in the function
	list     []mutant
}

// findMutants lists the mutants of a file in source order.
func findMutants(file string, src []byte) ([]mutant, error) {
	f := finder{fset: token.NewFileSet(), src: src, lines: strings.Split(string(src), "\n"), file: file}
	tree, err := parser.ParseFile(f.fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name != "String" && d.Name.Name != "Error" && d.Body != nil {
				sc := scope{function: true}
				if d.Type.Results != nil {
					sc.results = f.code(d.Type.Results)
				}
				f.inside(functionName(d), d.Body, sc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					var sc scope
					if v.Type != nil {
						sc.typ = f.code(v.Type)
					}
					for _, x := range v.Values {
						f.inside(v.Names[0].Name, x, sc)
					}
				}
			}
		}
	}
	return f.list, nil
}

// functionName returns a function's name, prefixed with the type of its
// receiver.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		}
		return d.Name.Name
	}
}

// inside collects the mutants of a function or of an initializer.
func (f *finder) inside(name string, root ast.Node, sc scope) {
	sc.from, sc.to = f.offset(root.Pos()), f.offset(root.End())
	f.function, f.scope, f.count = name, &sc, make(map[string]int)
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			f.nodes = f.nodes[:len(f.nodes)-1]
			return true
		}
		if c, ok := n.(*ast.CallExpr); ok && messages[calledName(c)] {
			return false
		}
		f.nodes = append(f.nodes, n)
		switch n := n.(type) {
		case *ast.BinaryExpr:
			f.token(n.OpPos, n.Op)
		case *ast.IncDecStmt:
			f.token(n.TokPos, n.Tok)
		case *ast.AssignStmt:
			f.token(n.TokPos, n.Tok)
		case *ast.IfStmt:
			f.condition(n.Cond)
		case *ast.BasicLit:
			f.constant(n)
		case *ast.Ident:
			f.boolean(n)
		case *ast.BlockStmt:
			f.statements(n.List)
		case *ast.CaseClause:
			f.statements(n.Body)
		}
		return true
	})
}

// calledName returns the last part of a called function's name.
func calledName(c *ast.CallExpr) string {
	switch x := c.Fun.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// offset returns the offset of a position in the file.
func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// code returns the source of a node.
func (f *finder) code(n ast.Node) string { return string(f.src[f.offset(n.Pos()):f.offset(n.End())]) }

// add adds a mutant with the given edits.
func (f *finder) add(operator string, edits ...edit) {
	slices.SortFunc(edits, func(x, y edit) int { return x.from - y.from })
	line := 1 + strings.Count(string(f.src[:edits[0].from]), "\n")
	f.list = append(f.list, mutant{f.file, f.function, operator, f.count[operator], line, strings.TrimSpace(f.lines[line-1]), edits,
		f.scope, f.statementAt(edits[0].from)})
	f.count[operator]++
}

// statementAt returns the offset of the innermost statement of a list that
// contains an offset, or -1. It considers only nodes on the path to the visited
// one, and their statements.
func (f *finder) statementAt(at int) int {
	for _, n := range slices.Backward(f.nodes) {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for _, s := range list {
			switch s.(type) {
			case *ast.CaseClause, *ast.CommClause:
				continue // nothing can be inserted before a case
			}
			if from := f.offset(s.Pos()); from <= at && at < f.offset(s.End()) {
				return from
			}
		}
	}
	return -1
}

// replace adds a mutant that replaces a node.
func (f *finder) replace(operator string, n ast.Node, text string) {
	f.add(operator, edit{f.offset(n.Pos()), f.offset(n.End()), text})
}

func (f *finder) token(p token.Pos, t token.Token) {
	for _, name := range swapNames {
		if other, ok := swaps[name][t]; ok {
			at := f.offset(p)
			f.add(name, edit{at, at + len(t.String()), other.String()})
		}
	}
}

// condition negates a condition. Comparisons have their own mutants instead.
func (f *finder) condition(x ast.Expr) {
	if b, ok := x.(*ast.BinaryExpr); ok && b.Op != token.LAND && b.Op != token.LOR {
		return
	}
	f.replace("condition", x, "!("+f.code(x)+")")
}

// constant changes an integer by one.
func (f *finder) constant(x *ast.BasicLit) {
	if x.Kind != token.INT {
		return
	}
	n, err := strconv.ParseUint(x.Value, 0, 64)
	if err != nil {
		return
	}
	f.replace("constant", x, strconv.FormatUint(n+1, 10))
	if n > 0 {
		f.replace("constant", x, strconv.FormatUint(n-1, 10))
	}
}

func (f *finder) boolean(x *ast.Ident) {
	if other, ok := map[string]string{"true": "false", "false": "true"}[x.Name]; ok {
		f.replace("constant", x, other)
	}
}

// statements removes each statement of a list that can be removed, and swaps
// adjacent ones that call something.
func (f *finder) statements(list []ast.Stmt) {
	for i, s := range list {
		f.remove(s)
		if i > 0 && calls(list[i-1]) && calls(s) {
			before, after := list[i-1], s
			f.add("order", edit{f.offset(before.Pos()), f.offset(before.End()), f.code(after)},
				edit{f.offset(after.Pos()), f.offset(after.End()), f.code(before)})
		}
	}
}

// remove removes a statement. It keeps the right side of an assignment, so that
// the variables in it remain used.
func (f *finder) remove(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); !ok || !messages[calledName(c)] {
			f.replace("removal", s, "")
		}
	case *ast.IncDecStmt:
		f.replace("removal", s, "")
	case *ast.BranchStmt:
		if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
			f.replace("removal", s, "")
		}
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return
		}
		left := strings.Repeat("_, ", len(s.Lhs)-1) + "_ = "
		from := f.offset(s.Pos())
		f.add("removal", edit{from, f.offset(s.Rhs[0].Pos()), left})
	}
}

// calls reports whether a statement that declares nothing calls a function.
func calls(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		c, ok := s.X.(*ast.CallExpr)
		return ok && !messages[calledName(c)]
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || len(s.Rhs) != 1 {
			return false
		}
		_, ok := s.Rhs[0].(*ast.CallExpr)
		return ok
	}
	return false
}
