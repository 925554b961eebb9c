package house

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

const architecture = "../../docs/architecture.md"

// section returns the lines of a page from a heading to the next one of the
// same level.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", page, heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	rest, _, _ = strings.Cut(rest, "\n"+level+" ")
	return rest
}

var packageRow = regexp.MustCompile("(?m)^\\| `([^`]+)`.*\\|$")

// packageRows returns the packages of the tables in docs/architecture.md.
func packageRows(t *testing.T) (product, support []string) {
	t.Helper()
	tables := strings.SplitN(section(t, architecture, "## Packages"), "The product imports none", 2)
	if len(tables) != 2 {
		t.Fatal("docs/architecture.md has no table of packages that the product does not import")
	}
	rows := func(text string) (names []string) {
		for _, m := range packageRow.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		return names
	}
	return rows(tables[0]), rows(tables[1])
}

// TestPackageTables compares the tables of packages in docs/architecture.md
// with the layers and with the folders of test support and tools.
func TestPackageTables(t *testing.T) {
	product, supporting := packageRows(t)
	var want []string
	for _, l := range layers {
		want = append(want, l.path)
	}
	if diff := cmp.Diff(want, product); diff != "" {
		t.Errorf("docs/architecture.md, Packages: the rows differ from the layers of internal/house (-layers +page)\n%s", diff)
	}
	folders := map[string]bool{}
	goFiles(t, func(name string, _ []byte) {
		if dir := path.Dir(name); isSupport(dir) {
			folders[dir] = true
		}
	})
	for _, p := range supporting {
		if !folders[p] {
			t.Errorf("docs/architecture.md, Packages: %s does not exist", p)
		}
		delete(folders, p)
	}
	for p := range folders {
		t.Errorf("docs/architecture.md, Packages: no row for %s", p)
	}
}

// planned lists packages that documents mention and that do not exist yet.
var planned []string

// created matches the steps of docs/adding.md that create files.
var created = regexp.MustCompile("(?m)^Create `.*$")

var codeSpan = regexp.MustCompile("`([a-z][A-Za-z0-9_/.-]*)`")

// TestPathsInDocuments checks that the files and folders exist that Markdown
// files name by a path in a code span, such as `internal/house`.
func TestPathsInDocuments(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	folders := topFolders(t, root)
	paths := 0
	textFiles(t, func(name string, text []byte) {
		if !strings.HasSuffix(name, ".md") {
			return
		}
		for _, m := range codeSpan.FindAllSubmatch(created.ReplaceAll(text, nil), -1) {
			p := string(m[1])
			first, _, nested := strings.Cut(p, "/")
			if !nested || !slices.Contains(folders, first) || slices.Contains(planned, p) {
				continue
			}
			paths++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p))); err != nil {
				t.Errorf("%s: %s does not exist", name, p)
			}
		}
	})
	if paths < 50 {
		t.Errorf("only %d paths found", paths)
	}
}

// topFolders returns the names of the folders at the root of the module.
func topFolders(t *testing.T, root string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// example matches an example of a pass with the file that contains it.
var example = regexp.MustCompile("(?s)\nFrom \\[[^]]*\\]\\(([^)]*)\\):\n\n```[a-z]+\n(.*?)```")

// leftOut matches text of IR and machine IR that examples may leave out: comments,
// alignments, numbers of attributes, memory operands and edges.
var leftOut = regexp.MustCompile(`\s*;.*$|, align \d+|\balign \d+ | #\d+|\bvolatile | mem\([^)]*\)| no_reorder|^(bb\d+:).*$`)

// shortened returns a line of a file as examples show it.
func shortened(line string) string {
	return strings.Join(strings.Fields(leftOut.ReplaceAllString(strings.TrimSuffix(line, "\n"), "$1")), " ")
}

// TestPassExamples checks that the lines of each example in the descriptions of
// passes are lines of the file that the example names.
func TestPassExamples(t *testing.T) {
	for heading, least := range map[string]int{"## IR passes": 45, "## Machine passes": 18} {
		found := example.FindAllStringSubmatch(section(t, architecture, heading), -1)
		if len(found) < least {
			t.Errorf("%s: %d examples name a file, expected %d or more", heading, len(found), least)
		}
		for _, m := range found {
			checkExample(t, filepath.Join(filepath.Dir(architecture), filepath.FromSlash(m[1])), m[2])
		}
	}
}

// checkExample compares an example with a file. "…" matches any text in a line.
func checkExample(t *testing.T, path, lines string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	var file []string
	for line := range strings.Lines(string(text)) {
		file = append(file, shortened(line))
	}
	for line := range strings.Lines(lines) {
		line = shortened(line)
		pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
		whole := regexp.MustCompile("^" + strings.ReplaceAll(pattern, " .* ", " (.* )?") + "$")
		if line != "" && !slices.ContainsFunc(file, whole.MatchString) {
			t.Errorf("docs/architecture.md: %s has no line %q", path, line)
		}
	}
}

var passHeading = regexp.MustCompile(`(?m)^### (\S+)(?: \((?:-O([12]))?[^)]*\))?$`)

// notInPipeline lists the passes that only "gfx ir opt" runs.
var notInPipeline = []string{"internalize", "mem2reg"}

// TestPassHeadings checks that docs/architecture.md describes every pass in the
// order of its first run, with the lowest level that runs it.
func TestPassHeadings(t *testing.T) {
	var got, want []string
	for _, m := range passHeading.FindAllStringSubmatch(section(t, architecture, "## IR passes"), -1) {
		got = append(got, strings.TrimSpace(m[1]+" "+m[2]))
	}
	for _, p := range prepare.AllPasses() {
		if slices.Contains(pipeline.Names(), p.Name) == slices.Contains(notInPipeline, p.Name) {
			t.Errorf("the pipeline and notInPipeline disagree about %s", p.Name)
		}
	}
	for _, name := range pipeline.Names() {
		if opt.FindPass(prepare.AllPasses(), name) == nil {
			continue
		}
		level := math.MaxInt
		for i := range pipeline.Passes {
			if p := &pipeline.Passes[i]; p.Base() == name {
				level = min(level, p.Level)
			}
		}
		if level > 0 {
			name = fmt.Sprintf("%s %d", name, level)
		}
		want = append(want, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/architecture.md, IR passes: headings differ (-pipeline +page)\n%s", diff)
	}
	got = nil
	for _, m := range passHeading.FindAllStringSubmatch(section(t, architecture, "## Machine passes"), -1) {
		got = append(got, m[1])
	}
	if diff := cmp.Diff(pipeline.MachineNames()[1:], got); diff != "" {
		t.Errorf("docs/architecture.md, Machine passes: headings differ (-pipeline +page)\n%s", diff)
	}
}
