package compile

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// memoryReason is a row of the differences from LLVM in docs/memorymodel.md.
type memoryReason struct {
	verdict                   string // "stronger" or "weaker"
	processors, cases, effect *regexp.Regexp
	text                      string
	used                      bool
}

// memoryReasons reads the rows under a heading of docs/memorymodel.md.
func memoryReasons(t *testing.T, heading string) (list []*memoryReason) {
	t.Helper()
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "docs", "memorymodel.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("docs/memorymodel.md has no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(line, `\|`, "\x00")
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || strings.Contains(line, "---") {
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.Trim(strings.TrimSpace(cells[i]), "`"), "\x00", "|")
		}
		if cells[0] != "stronger" && cells[0] != "weaker" && cells[0] != "row" {
			continue
		}
		full := func(s string) *regexp.Regexp { return regexp.MustCompile("^(?:" + s + ")$") }
		list = append(list, &memoryReason{verdict: cells[0], processors: full(cells[1]), cases: full(cells[2]), effect: full(cells[3]), text: cells[4]})
	}
	if len(list) == 0 {
		t.Fatalf("docs/memorymodel.md has no rows in section %q", heading)
	}
	return list
}

// explained reports whether a row explains a difference.
func explained(list []*memoryReason, verdict string, p memoryProcessor, name, effect string) bool {
	for _, r := range list {
		if r.verdict == verdict && r.processors.MatchString(p.String()) && r.cases.MatchString(name) && r.effect.MatchString(effect) {
			r.used = true
			return true
		}
	}
	return false
}

// memorySample returns the processors to test: a sample, or all with
// GFX_MEMORY_MODEL=full.
func memorySample() (list []memoryProcessor, full bool) {
	if os.Getenv("GFX_MEMORY_MODEL") == "full" {
		return memoryProcessors, true
	}
	return memoryProcessors[:4], false
}

// casesFor returns the cases that a processor has instructions for.
func casesFor(t *testing.T, p memoryProcessor) (list []memoryCase) {
	t.Helper()
	s := setOf(memoryTarget(t, p))
	for _, c := range memoryCases() {
		if c.has(s) {
			list = append(list, c)
		}
	}
	return list
}

// TestMemoryStrength compares the code of the whole matrix of atomic operations
// with llc's. Cache policies, waits and cache instructions are at least as strong
// at each point, or the difference has a reason.
func TestMemoryStrength(t *testing.T) {
	processors, full := memorySample()
	reasons := memoryReasons(t, "Differences from LLVM 22")
	cases, effects, stronger, weaker, errs := 0, 0, 0, 0, 0
	for _, p := range processors {
		tg := memoryTarget(t, p)
		list := casesFor(t, p)
		ours := memoryPoints(t, tg, compileMemory(t, context.Background(), p, list), list)
		theirs := memoryPoints(t, tg, llcMemory(t, p, list), list)
		for i := range list {
			name := list[i].name()
			a, b := ours[name], theirs[name]
			if a == nil || b == nil {
				t.Fatalf("%v %s: the function is missing", p, name)
			}
			cases++
			effects += len(b.effects) + len(b.caches) + len(policyParts(setOf(tg)))
			s, w := compareStrength(setOf(tg), a, b)
			stronger, weaker = stronger+len(s), weaker+len(w)
			for verdict, what := range map[string][]string{"stronger": s, "weaker": w} {
				for _, e := range what {
					if !explained(reasons, verdict, p, name, e) {
						if errs++; errs <= 20 {
							t.Errorf("%v %s: %s: %s\ngfx:\n%s\nllc:\n%s", p, name, verdict, e, strings.Join(a.text, "\n"), strings.Join(b.text, "\n"))
						}
					}
				}
			}
		}
	}
	t.Logf("%d processors, %d operations, %d effects; stronger in %d, weaker in %d, without a reason %d", len(processors), cases, effects, stronger, weaker, errs)
	for _, r := range reasons {
		if full && !r.used {
			t.Errorf("docs/memorymodel.md: no difference has the reason %q", r.text)
		}
	}
}

// TestMemoryCells removes effects of the tables, one at a time. The code of an
// operation is weaker without any of them.
func TestMemoryCells(t *testing.T) {
	processors, full := memorySample()
	total, tested := 0, 0
	for n, p := range processors {
		tg, list := memoryTarget(t, p), casesFor(t, p)
		cells := new(codegen.MemoryCells)
		all := memoryPoints(t, tg, compileMemory(t, codegen.WithMemoryCells(context.Background(), cells), p, list), list)
		for i, cell := range cells.List() {
			if total++; !full && (i+n)%9 != 0 || cell.Effect == "kmcnt" { // the background has no scalar loads
				continue
			}
			var some []memoryCase
			for _, c := range list {
				if op := strings.TrimSuffix(c.op, "-noret"); op == cell.Op || op == "cmpxchg" && cell.Op == "atomicrmw" || c.space == "buffer" && cell.Op == "fence" {
					some = append(some, c)
				}
			}
			tested++
			without := memoryPoints(t, tg, compileMemory(t, codegen.WithMemoryCells(context.Background(), &codegen.MemoryCells{Without: cell}), p, some), some)
			if !slices.ContainsFunc(some, func(c memoryCase) bool {
				_, weaker := compareStrength(setOf(tg), without[c.name()], all[c.name()])
				return len(weaker) > 0
			}) {
				t.Errorf("%v: nothing is weaker without %v", p, cell)
			}
		}
	}
	t.Logf("%d processors, %d cells, %d removed", len(processors), total, tested)
}
