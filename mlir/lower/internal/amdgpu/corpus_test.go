package amdgpu_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

var editions = map[string]mlir.Edition{"19": mlir.Edition19, "22": mlir.Edition22}

// expectations returns the texts of a .txtar file by name. It is nil if there
// is no such file.
func expectations(path string) map[string]string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	texts := map[string]string{}
	name, body := "", ""
	for line := range strings.Lines(string(data)) {
		if s, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(line, " --\n") {
			texts[name] = body
			name, body = strings.TrimSuffix(s, " --\n"), ""
			continue
		}
		body += line
	}
	texts[name] = body
	return texts
}

// lowered runs passes on a module.
func lowered(c *mlir.Context, name string, text []byte, passes string) (*mlir.Op, error) {
	top, err := c.Parse(name, text)
	if err == nil {
		err = c.Verify(top)
	}
	if err != nil {
		return nil, err
	}
	p, err := rewrite.ParsePipeline(passes, lower.Lookup)
	if err != nil {
		return nil, err
	}
	return top, p.Execute(c, top, true)
}

func newContext(e mlir.Edition) *mlir.Context { return mlir.NewContext(e, dialects.All()...) }

var (
	chipsetLine = regexp.MustCompile(`convert-amdgpu-to-rocdl=chipset=(\S*)`)
	passesLine  = regexp.MustCompile(`// passes: --(\S*)`)
)

// commandOf returns the passes that the first lines of a module name.
func commandOf(text []byte) (before, convert string) {
	if m := passesLine.FindSubmatch(text); m != nil {
		before = strings.Replace(string(m[1]), "=", "{", 1)
		if strings.Contains(before, "{") {
			before += "}"
		}
	}
	if m := chipsetLine.FindSubmatch(text); m != nil {
		convert = "convert-amdgpu-to-rocdl{chipset=" + string(m[1]) + "}"
	}
	return before, convert
}

// TestCorpus compares the conversion of each module of the corpus with
// mlir-opt's.
func TestCorpus(t *testing.T) {
	shared := oracle.Shared(t, "mlir")
	deviating := deviations(t, shared)
	for name, edition := range editions {
		t.Run(name, func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join(shared, "ops", name, "*.mlir"))
			if len(files) == 0 {
				t.Fatal("no modules")
			}
			for _, file := range files {
				base := strings.TrimSuffix(filepath.Base(file), ".mlir")
				if name == "19" && slices.Contains(deviating, base) {
					continue
				}
				want := expectations(filepath.Join(shared, "expected", name, base+".txtar"))
				t.Run(base, func(t *testing.T) { compareModule(t, edition, file, want) })
			}
		})
	}
}

// compareModule compares the conversion of a module, and the passes before it,
// with expected texts.
func compareModule(t *testing.T, edition mlir.Edition, file string, want map[string]string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, convert := commandOf(text)
	if convert == "" {
		t.Skip("no chipset")
	}
	if pass, _, _ := strings.Cut(before, "{"); pass != "" && lower.Lookup(pass) == nil {
		t.Skipf("there is no pass %s", pass)
	}
	if w, ok := want["passes.mlir"]; ok {
		if before == "" {
			before = strings.TrimPrefix(convert, "convert-amdgpu-to-rocdl")
			before = "amdgpu-emulate-atomics" + before
		}
		compareText(t, edition, text, before, w)
	}
	passes := convert
	if strings.HasPrefix(filepath.Base(file), "emulate") {
		passes = before + "," + convert
	}
	if w, ok := want["rocdl.mlir"]; ok {
		compareText(t, edition, text, passes, w)
	}
	if w, ok := want["rocdl.err"]; ok {
		_, err := lowered(newContext(edition), file, text, passes)
		got := unplaced.ReplaceAllString(errorLines(err), "")
		if got != strings.TrimRight(w, "\n") {
			t.Errorf("errors\n%s\nwant\n%s", got, w)
		}
	}
}

// unplaced are errors without a position, which the corpus has in rejects alone.
var unplaced = regexp.MustCompile(`(?m)^0:0: .*\n`)

func compareText(t *testing.T, edition mlir.Edition, text []byte, passes, want string) {
	t.Helper()
	c := newContext(edition)
	got, err := lowered(c, "module", text, passes)
	if err != nil {
		t.Fatalf("%s: %v", passes, err)
	}
	d := newContext(edition)
	w, err := d.Parse("want", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := firstDifference(normalForm(got, false), normalForm(w, false)); diff != "" {
		t.Errorf("%s: %s\n%s", passes, diff, c.Print(got, mlir.PrintOptions{}))
	}
}

// firstDifference returns the first line in which two texts differ, or "".
func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		var a, b string
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			return fmt.Sprintf("line %d:\ngot  %s\nwant %s", i+1, a, b)
		}
	}
	return ""
}

// errorLines returns errors as "line:column: message".
func errorLines(err error) string {
	var list diag.List
	if !errors.As(err, &list) {
		return fmt.Sprint(err)
	}
	var lines []string
	for _, d := range list {
		if d.Severity != diag.Error {
			continue
		}
		line, col := 0, 0
		if d.Source != nil {
			line, col = d.Source.Position(d.Off)
		}
		lines = append(lines, fmt.Sprintf("%d:%d: %s", line, col, d.Message))
	}
	return strings.Join(lines, "\n")
}

// TestRejects compares the errors about modules that are right, but not for their
// chipset, with mlir-opt's.
func TestRejects(t *testing.T) {
	shared := oracle.Shared(t, "mlir/rejects")
	data, err := os.ReadFile(filepath.Join(shared, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if row[5] != "lower" {
			continue
		}
		if want[row[0]] == "" {
			rows = append(rows, row)
		}
		want[row[0]] += fmt.Sprintf("%s:%s: %s\n", row[3], row[4], row[6])
	}
	if len(rows) < 40 {
		t.Fatalf("%d modules", len(rows))
	}
	for _, row := range rows {
		t.Run(row[0], func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(shared, row[0]+".mlir"))
			if err != nil {
				t.Fatal(err)
			}
			pass, chipset, _ := strings.Cut(strings.TrimPrefix(row[2], "--"), "=chipset=")
			c := newContext(editions[row[1]])
			c.Strict = true
			_, err = lowered(c, row[0], text, pass+"{chipset="+chipset+"}")
			if got := errorLines(err) + "\n"; got != want[row[0]] {
				t.Errorf("errors\n%swant\n%s", got, want[row[0]])
			}
		})
	}
}

// notIn22 are the deviating modules that cannot be compared with edition 22: with its syntax,
// its barriers, and its records in a memref without elements. They have the same operations
// of rocdl as in edition 19.
var notIn22 = map[string]bool{"mix-aliases": true, "mix-generic-in": true, "raw_buffer_load-layout-zero-dim-sgpr": true}

// compareOps compares the names and types of the operations of rocdl.
func compareOps(t *testing.T, file string, text []byte, passes, want string) {
	c, d := newContext(mlir.Edition19), newContext(mlir.Edition19)
	got, err := lowered(c, file, text, passes)
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Parse("want", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := firstDifference(rocdlOps(got), rocdlOps(w)); diff != "" {
		t.Error(diff)
	}
}

// rocdlOps returns the operations of rocdl with attributes and types.
func rocdlOps(top *mlir.Op) (list []string) {
	top.Walk(func(o *mlir.Op) bool {
		if o.DialectName() == "rocdl" {
			line := o.Name
			for _, a := range o.Attrs {
				line += " " + a.Name + "=" + a.Attr.String()
			}
			for _, u := range o.Operands {
				line += " " + u.Value.Type.String()
			}
			for _, r := range o.Results {
				line += " -> " + r.Type.String()
			}
			list = append(list, line)
		}
		return true
	})
	return list
}

// deviations returns the modules for which edition 19 contradicts its document.
func deviations(t *testing.T, shared string) []string {
	data, err := os.ReadFile(filepath.Join(shared, "expected/19-deviations.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	list := []string{"mix-generic-in"} // a scalar offset in elements, too
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		name, _, _ := strings.Cut(line, "\t")
		list = append(list, name)
	}
	return list
}

// refusedSpace returns the errors about a module with an address space that the pass does not
// know in edition 19.
func refusedSpace(t *testing.T, shared, base string) string {
	want := expectations(filepath.Join(shared, "expected/19", base+".txtar"))["rocdl.err"]
	if want == "" {
		t.Fatal("no errors expected")
	}
	return want
}

// TestDeviations compares the conversion of the modules for which edition 19 contradicts
// its document with edition 22's.
func TestDeviations(t *testing.T) {
	shared := oracle.Shared(t, "mlir")
	opt := oracle.Tool(t, "mlir-opt-22")
	for _, base := range deviations(t, shared) {
		t.Run(base, func(t *testing.T) {
			file := filepath.Join(shared, "ops/19", base+".mlir")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, convert := commandOf(text)
			if strings.HasPrefix(base, "emulate") {
				convert = strings.Replace(convert, "convert-amdgpu-to-rocdl", "amdgpu-emulate-atomics", 1) + "," + convert
			}
			if strings.Contains(base, "-layout-space-gpu") {
				compareModule(t, mlir.Edition19, file, map[string]string{"rocdl.err": refusedSpace(t, shared, base)})
				return
			}
			if notIn22[base] {
				compareOps(t, file, text, convert, expectations(filepath.Join(shared, "expected/19", base+".txtar"))["rocdl.mlir"])
				return
			}
			want, err := exec.Command(opt, "--pass-pipeline=builtin.module("+convert+")", file).Output()
			if err != nil {
				t.Fatal(err)
			}
			c, d := newContext(mlir.Edition19), newContext(mlir.Edition22)
			got, err := lowered(c, base, text, convert)
			if err != nil {
				t.Fatal(err)
			}
			w, err := d.Parse("want", want)
			if err != nil {
				t.Fatal(err)
			}
			a, b := newForms(normalForm(got, true)), newForms(normalForm(w, true))
			if diff := firstDifference(a, b); diff != "" {
				t.Errorf("%s\n%s", diff, c.Print(got, mlir.PrintOptions{}))
			}
		})
	}
}

var editionParts = regexp.MustCompile(` noWrapFlags=0 : i32|(:i64)|(:i32)|(-> i64)|(-> i32)`)

// newForms returns lines with what the editions write differently removed.
func newForms(lines []string) []string {
	var list []string
	for _, line := range lines {
		if line != "gpu.module_end" {
			list = append(list, editionParts.ReplaceAllString(line, ""))
		}
	}
	return list
}

// ours are the modules of package lower's test data whose results differ from mlir-opt's on purpose.
var ours = map[string]string{
	"amdgpu-buffer-gfx90a/19": "addresses as in edition 22",
	"amdgpu-odd/22":           "values that fill no whole word; a negative offset; bf16 where the intrinsic has i16; zeros that are not shifted",
	"amdgpu-floats-0d/22":     "mlir-opt makes invalid operations",
	"amdgpu-fold-dropped/22":  "mlir-opt takes the wrong dimension of a subview for the missing one",
	"amdgpu-odd-gfx1250/22":   "the same; the fourth size of a tile",
	"amdgpu-out-of-range/22":  "buffers with gaps between rows end after the last row",
}

// TestModules compares the modules of package lower's test data with mlir-opt.
func TestModules(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/amdgpu-*.txtar")
	if len(files) == 0 {
		t.Fatal("no test data")
	}
	for _, file := range files {
		texts := expectations(file)
		passes, _, _ := strings.Cut(texts[""], "\n")
		for name, edition := range editions {
			id := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + name
			if _, ok := texts["out-"+name+".mlir"]; !ok || ours[id] != "" {
				continue
			}
			t.Run(id, func(t *testing.T) {
				opt := oracle.Tool(t, "mlir-opt-"+name)
				c := newContext(edition)
				top, err := c.Parse("in.mlir", []byte(texts["in.mlir"]))
				if err != nil {
					t.Fatal(err)
				}
				in := c.Print(top, mlir.PrintOptions{})
				want, stderr, exit := oracle.Run(t, in, time.Minute, opt, "--pass-pipeline=builtin.module("+passes+")", "-")
				if exit != 0 {
					t.Fatalf("%s", stderr)
				}
				compareText(t, edition, []byte(texts["in.mlir"]), passes, string(want))
			})
		}
	}
}
