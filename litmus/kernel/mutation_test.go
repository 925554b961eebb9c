package kernel_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

var (
	update    = flag.Bool("update", false, "search for tests that notice missing cells")
	onlyCells = flag.String("cells", "", "regular expression for the processors and cells of the search")
)

// A machine has one of the memory model's tables.
type machine struct{ processor, features string }

// machines has a processor for each table.
var machines = []machine{
	{"gfx600", ""}, {"gfx900", ""}, {"gfx90a", ""}, {"gfx90a", "+tgsplit"}, {"gfx942", ""}, {"gfx942", "+tgsplit"},
	{"gfx1030", "+cumode"}, {"gfx1030", ""}, {"gfx1100", "+cumode"}, {"gfx1100", ""}, {"gfx1200", "+cumode"}, {"gfx1200", ""},
	{"gfx1250", ""},
}

// A judgedTest is a litmus test with its allowed outcomes.
type judgedTest struct {
	*litmus.Test
	allowed *model.Result
}

// judgedTests returns the written tests without data races by their names.
func judgedTests(t *testing.T) map[string]*judgedTest {
	t.Helper()
	list := map[string]*judgedTest{}
	for _, x := range writtenTests(t) {
		allowed, err := model.Check(x)
		if err != nil {
			t.Fatal(err)
		}
		if allowed.Racy == "" {
			list[x.Name] = &judgedTest{x, allowed}
		}
	}
	return list
}

// isCaught reports whether a test, compiled without a cell, has a forbidden outcome in one of some
// executions.
func (x *judgedTest) isCaught(ctx context.Context, m machine, seed uint64, executions int) (bool, error) {
	r, err := kernel.Run(ctx, x.Test, kernel.Options{
		Processor: m.processor, Features: m.features, Executions: executions,
		Device: gfx.DeviceOptions{Memory: device.MemoryWeak, Seed: seed},
	})
	if err != nil {
		return false, err
	}
	return len(forbidden(x.allowed, r)) > 0, nil
}

// usedCells returns the cells that the code of each test has, with the tests.
func usedCells(t *testing.T, m machine, tests map[string]*judgedTest) map[string][]*judgedTest {
	t.Helper()
	users := map[string][]*judgedTest{}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		if m.processor == "gfx600" && hasGeneric(tests[name].Test) || m.features == "+tgsplit" && hasLDS(tests[name].Test) {
			continue
		}
		cells := new(codegen.MemoryCells)
		if _, err := kernel.Compile(codegen.WithMemoryCells(t.Context(), cells), tests[name].Test, m.processor, m.features); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range cells.List() {
			users[c.String()] = append(users[c.String()], tests[name])
		}
	}
	return users
}

// cellOf returns the cell with a name.
func cellOf(name string) codegen.MemoryCell {
	f := strings.Split(name, "/")
	return codegen.MemoryCell{Table: f[0], Op: f[1], Scope: f[2], Place: f[3], Effect: f[4]}
}

// rounds are the numbers of executions of a test that must have a forbidden outcome, until it has
// one.
var rounds = [...]int{500, 5000, 40000, 300000}

// isCaughtSoon tries a test without a cell with more and more executions.
func (x *judgedTest) isCaughtSoon(ctx context.Context, m machine, cell string, rounds []int) (bool, error) {
	without := codegen.WithMemoryCells(ctx, &codegen.MemoryCells{Without: cellOf(cell)})
	for i, n := range rounds {
		if caught, err := x.isCaught(without, m, uint64(i), n); caught || err != nil {
			return caught, err
		}
	}
	return false, nil
}

// mostUsers is the number of tests that are tried with the executions of a round.
var mostUsers = [len(rounds)]int{1000, 1000, 24, 6}

// catcher returns the name of a test that notices a missing cell, or "". Tests that are likely to
// are tried first, and before them the ones that notice cells of other tables for the same purpose.
func catcher(t *testing.T, m machine, cell string, users []*judgedTest, elsewhere map[string]bool) string {
	for _, x := range users {
		if !elsewhere[x.Name] {
			continue
		}
		caught, err := x.isCaughtSoon(t.Context(), m, cell, rounds[:3])
		if err != nil {
			t.Fatalf("%s: %s: %v", cell, x.Name, err)
		}
		if caught {
			return x.Name
		}
	}
	effect := cellOf(cell).Effect
	concernsLDS := effect == "lgkmcnt" || effect == "dscnt"
	rank := func(x *judgedTest) (n int) {
		if hasLDS(x.Test) != concernsLDS {
			n += 2
		}
		short := strings.HasPrefix(x.Name, "MP-") || strings.HasPrefix(x.Name, "SB-") || strings.HasPrefix(x.Name, "ISA2-")
		if !short { // the others need more effects
			n++
		}
		return n
	}
	slices.SortStableFunc(users, func(a, b *judgedTest) int { return rank(a) - rank(b) })
	for i := range rounds {
		for _, x := range users[:min(len(users), mostUsers[i])] {
			caught, err := x.isCaughtSoon(t.Context(), m, cell, rounds[i:i+1])
			if err != nil {
				t.Fatalf("%s: %s: %v", cell, x.Name, err)
			}
			if caught {
				return x.Name
			}
		}
	}
	return ""
}

// scopeInName matches the scope in the name of a test.
var scopeInName = regexp.MustCompile(`\+(system|agent|wg)\b`)

// similar returns the tests that notice cells for the same purpose in any table and scope, and their
// variants with the cell's scope.
func similar(cell string, known map[mutation]string) map[string]bool {
	c := cellOf(cell)
	suffix := "+" + strings.Replace(c.Scope, "workgroup", "wg", 1)
	list := map[string]bool{}
	for x, name := range known {
		if y := cellOf(x.cell); y.Op == c.Op && y.Place == c.Place {
			list[scopeInName.ReplaceAllLiteralString(name, suffix)] = true
			if y.Scope == c.Scope {
				list[name] = true
			}
		}
	}
	return list
}

// hasLDS reports whether a test has a variable in LDS.
func hasLDS(x *litmus.Test) bool {
	return slices.ContainsFunc(x.Variables, func(v litmus.Variable) bool { return v.Space == litmus.Local })
}

// mutationsFile lists the cells of the memory model's tables: processor, features, cell, and the name of a
// test that notices if the cell is missing, or in parentheses why there is none.
const mutationsFile = "testdata/mutations.tsv"

type mutation struct {
	machine
	cell, catcher string
}

func readMutations(t *testing.T) (list []mutation) {
	t.Helper()
	text, err := os.ReadFile(mutationsFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 4 {
			list = append(list, mutation{machine{f[0], f[1]}, f[2], f[3]})
		}
	}
	return list
}

// TestMutations removes each cell from the tables of the memory model. The code without it must have a
// forbidden outcome in the litmus test that mutationsFile has for the cell. Of the cells, a part is
// tried, or all with GFX_MUTATION=full.
func TestMutations(t *testing.T) {
	tests := judgedTests(t)
	if *update {
		updateMutations(t, tests)
		return
	}
	every := 8
	if os.Getenv("GFX_MUTATION") == "full" {
		every = 1
	}
	list := readMutations(t)
	caught, tried := 0, 0
	for i, x := range list {
		if strings.HasPrefix(x.catcher, "(") || (i+int(x.cell[len(x.cell)-1]))%every != 0 {
			continue
		}
		tried++
		test := tests[x.catcher]
		if test == nil {
			t.Errorf("%s: there is no test %s", x.cell, x.catcher)
			continue
		}
		ok, err := test.isCaughtSoon(t.Context(), x.machine, x.cell, rounds[:])
		switch {
		case err != nil:
			t.Errorf("%s: %s: %v", x.cell, x.catcher, err)
		case !ok:
			t.Errorf("%s %s: %s does not notice that the cell is missing", x.processor, x.cell, x.catcher)
		default:
			caught++
		}
	}
	t.Logf("%d of %d cells are caught", caught, tried)
	if tried == 0 {
		t.Error("no cell is tried")
	}
}

// TestMutationsComplete checks that mutationsFile has all cells that the code of the written tests has, for
// two of the tables, or all with GFX_MUTATION=full.
func TestMutationsComplete(t *testing.T) {
	tests := judgedTests(t)
	listed := map[mutation]bool{}
	for _, x := range readMutations(t) {
		listed[mutation{x.machine, x.cell, ""}] = true
	}
	some := []machine{{"gfx900", ""}, {"gfx1100", ""}}
	if os.Getenv("GFX_MUTATION") == "full" {
		some = machines
	}
	for _, m := range some {
		for cell := range usedCells(t, m, tests) {
			if !listed[mutation{m, cell, ""}] {
				t.Errorf("%s lacks %s %s %s", mutationsFile, m.processor, m.features, cell)
			}
		}
	}
}

// updateMutations writes mutationsFile. Cells that a test still notices, and reasons, are kept.
func updateMutations(t *testing.T, tests map[string]*judgedTest) {
	known := map[mutation]string{}
	if _, err := os.Stat(mutationsFile); err == nil {
		for _, x := range readMutations(t) {
			known[mutation{x.machine, x.cell, ""}] = x.catcher
		}
	}
	only := regexp.MustCompile(*onlyCells)
	users := map[machine]map[string][]*judgedTest{}
	for _, m := range machines {
		users[m] = usedCells(t, m, tests)
	}
	for _, m := range machines {
		for cell, list := range users[m] {
			name := known[mutation{m, cell, ""}]
			if only.MatchString(m.processor+m.features+" "+cell) && (name == "" || tests[name] == nil) {
				name = cmp.Or(catcher(t, m, cell, list, similar(cell, known)), name)
			}
			known[mutation{m, cell, ""}] = cmp.Or(name, "(no test)")
			writeMutations(t, users, known) // the search takes minutes
		}
	}
}

// writeMutations writes mutationsFile with the cells that tests use.
func writeMutations(t *testing.T, users map[machine]map[string][]*judgedTest, catchers map[mutation]string) {
	var out strings.Builder
	for _, m := range machines {
		for _, cell := range slices.Sorted(maps.Keys(users[m])) {
			fmt.Fprintf(&out, "%s\t%s\t%s\t%s\n", m.processor, m.features, cell, catchers[mutation{m, cell, ""}])
		}
	}
	if err := os.WriteFile(mutationsFile, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
