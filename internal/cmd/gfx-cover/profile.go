package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// modulePath precedes the paths of files in profiles.
const modulePath = "github.com/gfx-toolchain/gfx/"

// block is a part of a file without branches.
type block struct {
	file        string
	first, last position
	statements  int
}

// position is a place in a file.
type position struct{ line, column int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// total counts statements.
type total struct{ statements, covered int }

// readProfiles adds up profiles: the number of times that each block was run.
func readProfiles(names []string) (map[block]int, error) {
	counts := map[block]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := addProfile(counts, data); err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
	}
	return counts, nil
}

// addProfile adds a profile: lines "file:line.column,line.column statements
// count" after one with the mode.
func addProfile(counts map[block]int, data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, "mode:") || line == "" {
			continue
		}
		b, count, err := parseBlock(line)
		if err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
		counts[b] += count
	}
	return lines.Err()
}

func parseBlock(line string) (b block, count int, err error) {
	at := strings.LastIndexByte(line, ':')
	if at < 0 {
		return b, 0, fmt.Errorf("no file in %q", line)
	}
	b.file = strings.TrimPrefix(line[:at], modulePath)
	_, err = fmt.Sscanf(line[at+1:], "%d.%d,%d.%d %d %d", &b.first.line, &b.first.column, &b.last.line, &b.last.column, &b.statements, &count)
	if err != nil {
		return b, 0, fmt.Errorf("%q is not a block: %w", line, err)
	}
	return b, count, nil
}

// function is a function of a file and its blocks that no test runs, without guards.
type function struct {
	file, name  string
	first, last position
	uncovered   []block
}

// sourceFile is a parsed file.
type sourceFile struct {
	set       *token.FileSet
	lines     []string
	functions []*function
	lists     [][]ast.Stmt
}

func parseSource(root fs.FS, file string) (*sourceFile, error) {
	src, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	s := &sourceFile{set: token.NewFileSet(), lines: strings.Split(string(src), "\n")}
	tree, err := parser.ParseFile(s.set, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s.lists = lists(tree)
	for _, d := range tree.Decls {
		name := "(variables)" // functions in the values of variables
		if f, ok := d.(*ast.FuncDecl); ok {
			name = functionName(f)
		}
		s.functions = append(s.functions, &function{file: file, name: name, first: s.at(d.Pos()), last: s.at(d.End())})
	}
	return s, nil
}

func (s *sourceFile) at(p token.Pos) position {
	x := s.set.Position(p)
	return position{x.Line, x.Column}
}

// functionName returns "name" or "(*receiver).name".
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	star := ""
	if p, ok := t.(*ast.StarExpr); ok {
		t, star = p.X, "*"
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return "(" + star + id.Name + ")." + f.Name.Name
	}
	return f.Name.Name
}

// isGuard reports whether all statements of a block are guards.
func (s *sourceFile) isGuard(b block) bool {
	for _, list := range s.lists {
		var in []ast.Stmt
		for _, x := range list {
			if !s.at(x.Pos()).before(b.first) && !b.last.before(s.at(x.End())) {
				in = append(in, x)
			}
		}
		if len(in) > 0 {
			return len(in) == b.statements && isGuard(in)
		}
	}
	return false
}

// find returns the function that a block is in.
func (s *sourceFile) find(b block) *function {
	for _, f := range s.functions {
		if !b.first.before(f.first) && !f.last.before(b.last) {
			return f
		}
	}
	return nil
}

// measure adds up the blocks by package and by function.
func measure(root fs.FS, counts map[block]int) (map[string]*total, []*function, error) {
	totals := map[string]*total{}
	files := map[string]*sourceFile{}
	var all []*function
	for b, count := range counts {
		dir := path.Dir(b.file)
		if totals[dir] == nil {
			totals[dir] = &total{}
		}
		totals[dir].statements += b.statements
		if count > 0 {
			totals[dir].covered += b.statements
			continue
		}
		s := files[b.file]
		if s == nil {
			var err error
			if s, err = parseSource(root, b.file); err != nil {
				return nil, nil, err
			}
			files[b.file], all = s, append(all, s.functions...)
		}
		f := s.find(b)
		if f == nil {
			return nil, nil, fmt.Errorf("%s:%d: no function; the profile is of another version", b.file, b.first.line)
		}
		if b.statements > 0 && !s.isGuard(b) {
			f.uncovered = append(f.uncovered, b)
		}
	}
	return totals, all, nil
}

// listing returns the text of uncovered blocks, each after a line with its place.
func listing(root fs.FS, functions []*function) (string, error) {
	var blocks []block
	for _, f := range functions {
		blocks = append(blocks, f.uncovered...)
	}
	slices.SortFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.first.line, b.first.line), cmp.Compare(a.first.column, b.first.column))
	})
	var out strings.Builder
	for _, b := range blocks {
		s, err := parseSource(root, b.file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s:%d: %s\n%s\n", b.file, b.first.line, s.find(b).name, strings.Join(s.lines[b.first.line-1:b.last.line], "\n"))
	}
	return out.String(), nil
}

// number reads a count of statements.
func number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not a number of statements", s)
	}
	return n, nil
}
