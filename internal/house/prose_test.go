package house

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

var listProse = flag.String("prose.list", "", "with -v, list the banned constructions of `folder`; \"all\" selects every folder")

// A construction is a turn of phrase that the repository's English avoids.
// A space in a pattern matches any white space. A match that except also
// matches is allowed.
type construction struct {
	pattern, except string
	advice          string
}

var constructions = []construction{
	{`behind`, ``, `write "after", "following" or "past the end of"`},
	{`gives?|gave`, ``, `write "returns", "yields" or "is"`},
	{`(makes?|making) [\w*'-]+( [\w*'-]+){0,4} of`, `sure|up|use of|cop(y|ies) of|part of|at|by|for|from`,
		`write "turns A into B", "lowers A to B" or "builds B from A"`},
	{`under way`, ``, `write "outstanding", "in flight" or "in progress"`},
	{`stands?|stood`, `stand-`, `write "is", "appears" or "precedes"`},
	{`lanes? (that|which) (is|are|was|were) (on|off)`, ``, `write "active lanes" or "inactive lanes"`},
	{`(that|those) of`, ``, `repeat the noun: "the operand's width"`},
	{`there (is|are|was|were) no [\w -]{1,30}(that|which)`, ``, `write "no X does …"`},
	{`(is|are|was|were) not there`, ``, `write "does not exist" or "is missing"`},
	{`goes|comes?|came`, `come from an alloca`, // in a message of LLVM's verifier
		`write "moves", "is placed", "follows" or "arrives"`},
	{`says?|said|saying|tells?|told|telling`, ``, `write "reports", "records", "specifies" or "defines"`},
	{`nobody`, ``, `name the actor: "the caller must not …"`},
	{`what (is|are|was|were|it|they)`, ``, `name the noun: "the live values"`},
}

// A proseKind is a kind of text, as in the second column of testdata/prose.tsv.
type proseKind string

const (
	messageText  proseKind = "message"  // string literals of files that are not tests
	docComment   proseKind = "doc"      // comments of packages, declarations and fields
	plainComment proseKind = "comment"  // all other comments
	markdownText proseKind = "markdown" // Markdown files
)

// A passage is a piece of text that is checked as a whole.
type passage struct {
	file string
	line int // of the first character
	kind proseKind
	text string
}

// A proseFinding is a banned construction in a passage.
type proseFinding struct {
	file   string
	line   int
	kind   proseKind
	phrase string
	advice string
}

func (f proseFinding) String() string {
	return fmt.Sprintf("%s:%d: %s: %q: %s", f.file, f.line, f.kind, f.phrase, f.advice)
}

// A compiledConstruction is a construction with its regular expressions.
type compiledConstruction struct {
	pattern, except *regexp.Regexp // except may be nil
	advice          string
}

func compileConstructions() []compiledConstruction {
	compile := func(s string) *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:` + strings.ReplaceAll(s, " ", `\s+`) + `)`)
	}
	var list []compiledConstruction
	for _, c := range constructions {
		x := compiledConstruction{pattern: compile("(?:" + c.pattern + `)\b`), advice: c.advice}
		if c.except != "" {
			x.except = compile(c.except)
		}
		list = append(list, x)
	}
	return list
}

// matches returns the ranges of text that hold the construction.
func (c *compiledConstruction) matches(text string) [][]int {
	found := c.pattern.FindAllStringIndex(text, -1)
	if c.except == nil {
		return found
	}
	return slices.DeleteFunc(found, func(at []int) bool {
		// An exception may extend past the match, by a few words.
		end := min(len(text), at[1]+20)
		m := c.except.FindStringIndex(text[at[0]:end])
		return m != nil && at[0]+m[0] < at[1]
	})
}

// findings returns the banned constructions of a passage in their order.
func (p *passage) findings(list []compiledConstruction) []proseFinding {
	var all []proseFinding
	for _, c := range list {
		for _, at := range c.matches(p.text) {
			line := p.line + strings.Count(p.text[:at[0]], "\n")
			phrase := strings.Join(strings.Fields(p.text[at[0]:at[1]]), " ")
			all = append(all, proseFinding{p.file, line, p.kind, phrase, c.advice})
		}
	}
	slices.SortStableFunc(all, func(a, b proseFinding) int { return cmp.Compare(a.line, b.line) })
	return all
}

// goPassages returns the comments of a Go file and, unless it is a test, its
// string literals.
func goPassages(name string, text []byte) ([]passage, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	at := func(n ast.Node) int { return files.Position(n.Pos()).Line }
	docs := map[*ast.CommentGroup]bool{file.Doc: true}
	skip := map[*ast.BasicLit]bool{} // import paths and field tags
	var list []passage
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			docs[n.Doc] = true
		case *ast.GenDecl:
			docs[n.Doc] = true
		case *ast.TypeSpec:
			docs[n.Doc], docs[n.Comment] = true, true
		case *ast.ValueSpec:
			docs[n.Doc], docs[n.Comment] = true, true
		case *ast.Field:
			docs[n.Doc], docs[n.Comment], skip[n.Tag] = true, true, true
		case *ast.ImportSpec:
			skip[n.Path] = true
		case *ast.BasicLit:
			if n.Kind == token.STRING && !skip[n] && !strings.HasSuffix(name, "_test.go") {
				value, _ := strconv.Unquote(n.Value) // ParseFile has checked it
				list = append(list, passage{name, at(n), messageText, value})
			}
		}
		return true
	})
	for _, group := range file.Comments {
		kind := plainComment
		if docs[group] {
			kind = docComment
		}
		list = append(list, passage{name, at(group), kind, commentText(group)})
	}
	return list, nil
}

// commentText returns a comment's text with its line breaks and without the
// comment markers, so that a construction that spans lines matches. The text of
// directives is left out.
func commentText(group *ast.CommentGroup) string {
	var lines []string
	for _, c := range group.List {
		if strings.HasPrefix(c.Text, "//go:") {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, strings.TrimPrefix(c.Text, "//"))
	}
	return strings.Join(lines, "\n")
}

// repositoryProse returns the findings of all files that are not generated.
func repositoryProse(t *testing.T) []proseFinding {
	t.Helper()
	list := compileConstructions()
	var all []proseFinding
	textFiles(t, func(name string, text []byte) {
		var passages []passage
		switch {
		case generated.Match(text):
		case strings.HasSuffix(name, ".go"):
			var err error
			if passages, err = goPassages(name, text); err != nil {
				t.Error(err)
			}
		case strings.HasSuffix(name, ".md"):
			passages = []passage{{name, 1, markdownText, string(text)}}
		}
		for _, p := range passages {
			all = append(all, p.findings(list)...)
		}
	})
	return all
}

// A proseKey is one row of testdata/prose.tsv.
type proseKey struct {
	folder string
	kind   proseKind
}

func (k proseKey) compare(o proseKey) int {
	return cmp.Or(cmp.Compare(k.folder, o.folder), cmp.Compare(k.kind, o.kind))
}

// countProse counts the findings by folder and kind.
func countProse(findings []proseFinding) map[proseKey]int {
	counts := map[proseKey]int{}
	for _, f := range findings {
		counts[proseKey{path.Dir(f.file), f.kind}]++
	}
	return counts
}

func formatProse(counts map[proseKey]int) string {
	var b strings.Builder
	for _, k := range slices.SortedFunc(maps.Keys(counts), proseKey.compare) {
		fmt.Fprintf(&b, "%s\t%s\t%d\n", k.folder, k.kind, counts[k])
	}
	return b.String()
}

func parseProse(text string) (map[proseKey]int, error) {
	counts := map[proseKey]int{}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%q: want a folder, a kind and a count", line)
		}
		n, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, err
		}
		counts[proseKey{fields[0], proseKind(fields[1])}] = n
	}
	return counts, nil
}

// TestProse counts banned constructions per folder and kind of text. It fails
// when a count is higher than testdata/prose.tsv allows.
func TestProse(t *testing.T) {
	findings := repositoryProse(t)
	for _, f := range findings {
		if *listProse == "all" || *listProse == path.Dir(f.file) {
			fmt.Println(f)
		}
	}
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	counts, table := countProse(findings), filepath.Join(root, "internal/house/testdata/prose.tsv")
	if filetest.Update() {
		if err := os.WriteFile(table, []byte(formatProse(counts)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := parseProse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range slices.SortedFunc(maps.Keys(counts), proseKey.compare) {
		if counts[k] > allowed[k] {
			t.Errorf("%s: %d banned constructions in %s text, at most %d allowed; list them with -v -prose.list %s",
				k.folder, counts[k], k.kind, allowed[k], k.folder)
		}
	}
}

// TestProseFindings checks the passages of a file and each construction.
func TestProseFindings(t *testing.T) {
	const file = `// Package a gives an a.
package a

import "behind"

// a stands for
// b. It makes a list
// of b.
type a struct {
	b int ` + "`that of:\"x\"`" + ` // that of c
}

// F may make a copy of x.
func F() {
	// there is no b
	// that fits
	print("nobody", "behind") // said
}
`
	passages, err := goPassages("a.go", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range passages {
		for _, f := range p.findings(compileConstructions()) {
			got = append(got, fmt.Sprintf("%d %s %s", f.line, f.kind, f.phrase))
		}
	}
	want := []string{
		"17 message nobody",
		"17 message behind",
		"1 doc gives",
		"6 doc stands",
		"7 doc makes a list of",
		"10 doc that of",
		"15 comment there is no b that",
		"17 comment said",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestConstructions(t *testing.T) {
	list := compileConstructions()
	for _, c := range []struct {
		text string
		n    int
	}{
		{"a given number", 0},
		{"it makes sure of nothing", 0},
		{"it makes an add of two subs", 1},
		{"stand-in for what follows", 0},
		{"X stands in memory", 1},
		{"lanes that are on", 1},
		{"There is no pass that needs it", 1},
		{"the outcome is not therefore wrong", 0},
		{"go vet", 0},
		{"Goes where it came from", 2},
		{"what it is", 1},
		{"at what rate", 0},
	} {
		n := 0
		for i := range list {
			n += len(list[i].matches(c.text))
		}
		if n != c.n {
			t.Errorf("%q: %d banned constructions, want %d", c.text, n, c.n)
		}
	}
}
