package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
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

// readProfiles adds up profiles: how often each block was run.
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

// addProfile adds a profile: lines "file:line.column,line.column statements count" after one with the mode.
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
		return b, 0, fmt.Errorf("%q is no block: %w", line, err)
	}
	return b, count, nil
}

// function is a function of a file and the statements in it that nothing runs.
type function struct {
	file, name  string
	first, last position
	uncovered   int
	blocks      []string // text of the uncovered ones
}

// functionsOf returns the functions of a file.
func functionsOf(root fs.FS, file string) ([]*function, []string, error) {
	src, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	at := func(p token.Pos) position {
		x := set.Position(p)
		return position{x.Line, x.Column}
	}
	var list []*function
	for _, d := range tree.Decls {
		name := "(variables)" // functions in the values of variables
		if f, ok := d.(*ast.FuncDecl); ok {
			name = functionName(f)
		}
		list = append(list, &function{file: file, name: name, first: at(d.Pos()), last: at(d.End())})
	}
	return list, strings.Split(string(src), "\n"), nil
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

// measure adds up the blocks by package and by function.
func measure(root fs.FS, counts map[block]int) (map[string]*total, []*function, error) {
	totals := map[string]*total{}
	files := map[string][]*function{}
	lines := map[string][]string{}
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
		if files[b.file] == nil {
			list, text, err := functionsOf(root, b.file)
			if err != nil {
				return nil, nil, err
			}
			files[b.file], lines[b.file], all = list, text, append(all, list...)
		}
		f := find(files[b.file], b)
		if f == nil {
			return nil, nil, fmt.Errorf("%s:%d: no function; the profile is of another version", b.file, b.first.line)
		}
		f.uncovered += b.statements
		if b.last.line <= len(lines[b.file]) {
			f.blocks = append(f.blocks, strings.Join(lines[b.file][b.first.line-1:b.last.line], "\n"))
		}
	}
	return totals, all, nil
}

func find(list []*function, b block) *function {
	for _, f := range list {
		if !b.first.before(f.first) && !f.last.before(b.last) {
			return f
		}
	}
	return nil
}

// number reads a count of statements.
func number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is no number of statements", s)
	}
	return n, nil
}
