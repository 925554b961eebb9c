package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

const source = `package opt

func covered() {}

func (x *pass) partly(n int) int {
	if n < 0 {
		n++
	}
	return n
}

func (x *pass) guarded(n int) (int, error) {
	switch n {
	case 0:
		panic("BUG: none")
	case 1:
		return 0, err
	case 2:
		return n, fmt.Errorf("%d: %w", n, err)
	case 3:
		return x.n, nil
	case 4:
		return f(), nil
	case 5:
		return 0, fmt.Errorf("too small")
	case 6:
		n = 7
		return 0, err
	}
	for {
		break
	}
}
`

// profile covers the function except for a statement of partly, and guarded
// except for blocks that need no row.
const profile = `mode: set
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:3.16,3.17 0 1
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:5.34,6.11 1 2
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:6.11,8.3 1 0
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:9.2,9.10 8 1
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:12.60,13.11 1 1
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:14.9,15.21 1 0
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:16.9,17.16 1 0
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:18.9,19.41 1 0
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:20.9,21.18 1 0
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:22.9,23.18 1 1
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:24.9,25.37 1 1
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:26.9,28.16 2 1
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:30.2,30.6 1 1
github.com/gfx-toolchain/gfx/internal/compiler/opt/a.go:30.6,31.8 1 0
`

// TestGuards checks which blocks need a row.
func TestGuards(t *testing.T) {
	text := strings.NewReplacer("22.9,23.18 1 1", "22.9,23.18 1 0", "24.9,25.37 1 1", "24.9,25.37 1 0", "26.9,28.16 2 1", "26.9,28.16 2 0").Replace(profile)
	_, found := measured(t, text)
	if got := found[key{"internal/compiler/opt/a.go", "(*pass).guarded"}].statements; len(found) != 2 || got != 4 { // a call, an error of its own, an assignment before a return
		t.Errorf("%v", found)
	}
}

func measured(t *testing.T, profiles ...string) (map[string]*total, map[key]row) {
	t.Helper()
	counts := map[block]int{}
	for _, p := range profiles {
		if err := addProfile(counts, []byte(p)); err != nil {
			t.Fatal(err)
		}
	}
	totals, functions, err := measure(fstest.MapFS{"internal/compiler/opt/a.go": {Data: []byte(source)}}, counts)
	if err != nil {
		t.Fatal(err)
	}
	return totals, uncovered(functions)
}

func TestMeasure(t *testing.T) {
	totals, found := measured(t, profile)
	if x := totals["internal/compiler/opt"]; x.statements != 21 || x.covered != 15 {
		t.Errorf("%+v", *x)
	}
	want := row{"internal/compiler/opt/a.go", "(*pass).partly", 1, unknown}
	if len(found) != 1 || found[key{want.file, want.name}] != want {
		t.Errorf("%v", found)
	}
	// a second profile, in which the rest runs
	if _, found = measured(t, profile, strings.Replace(profile, "8.3 1 0\n", "8.3 1 3\n", 1)); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

func TestSummary(t *testing.T) {
	totals := map[string]*total{"internal/compiler/emit": {100, 95}, "internal/compiler/opt": {100, 95}, "internal/compiler/prepare": {100, 95}, "internal/compiler/codegen": {1000, 900}, "internal/compiler/isel": {1000, 899}}
	_, problems := summary(totals)
	if got := strings.Join(problems, "\n"); got != "package internal/compiler/isel: 89.90 % of the statements are covered, fewer than 90 %\npackage compile is not in the profiles" {
		t.Error(got)
	}
}

func TestCompare(t *testing.T) {
	_, found := measured(t, profile)
	for _, c := range []struct{ list, want string }{
		{"internal/compiler/opt/a.go\t(*pass).partly\t1\tnever\n", ""},
		{"internal/compiler/opt/a.go\t(*pass).partly\t2\tnever\n", ""},
		{"", "1 uncovered statements, not in the list"},
		{"internal/compiler/opt/a.go\t(*pass).partly\t1\t?\n", "without a reason"},
		{"internal/compiler/opt/a.go\t(*pass).partly\t1\tnever\ninternal/compiler/opt/a.go\tgone\t1\tx\n", "or is covered"},
	} {
		list, err := parseList(c.list)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(compare(list, found, false), "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q", c.list, got)
		}
	}
	if got := compare([]row{{"internal/compiler/opt/a.go", "covered", 1, "x"}}, nil, true); len(got) != 0 {
		t.Errorf("a row that more tests cover: %v", got)
	}
	more := map[key]row{{"internal/compiler/opt/a.go", "f"}: {"internal/compiler/opt/a.go", "f", 3, unknown}}
	if got := compare([]row{{"internal/compiler/opt/a.go", "f", 2, "x"}}, more, true); len(got) != 1 || !strings.Contains(got[0], "3 uncovered statements, the list has 2") {
		t.Error(got)
	}
}

func TestMergeKeepsReasons(t *testing.T) {
	_, found := measured(t, profile)
	list := merge([]row{{"internal/compiler/opt/a.go", "(*pass).partly", 7, "mine"}, {"internal/compiler/opt/a.go", "gone", 1, "x"}}, found)
	if got, want := formatList(list), header+"internal/compiler/opt/a.go\t(*pass).partly\t1\tmine\n"; got != want {
		t.Error(got)
	}
}

func TestErrors(t *testing.T) {
	for _, text := range []string{"a\tb\tc\n", "a\tb\t0\tr\n", "a\tb\tx\tr\n"} {
		if _, err := parseList(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	for _, text := range []string{"nothing", "a.go:1.2 1 1", "a.go:x"} {
		if err := addProfile(map[block]int{}, []byte("mode: set\n"+text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// FuzzProfile reads arbitrary bytes.
func FuzzProfile(f *testing.F) {
	f.Add([]byte(profile))
	f.Fuzz(func(t *testing.T, data []byte) { addProfile(map[block]int{}, data) })
}

// TestListNamesFunctions checks that the list names only functions that exist,
// with a reason for each.
func TestListNamesFunctions(t *testing.T) {
	root := os.DirFS("../../..")
	data, err := os.ReadFile("uncovered.tsv")
	if err != nil {
		t.Fatal(err)
	}
	list, err := parseList(string(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]map[string]bool{}
	for _, r := range list {
		if files[r.file] == nil {
			s, err := parseSource(root, r.file)
			if err != nil {
				t.Errorf("%s: %v", r.file, err)
				continue
			}
			files[r.file] = map[string]bool{}
			for _, f := range s.functions {
				files[r.file][f.name] = true
			}
		}
		if !files[r.file][r.name] {
			t.Errorf("%s: no function %s; remove its row or run make coverage UPDATE=1", r.file, r.name)
		}
		if r.reason == "" || r.reason == unknown {
			t.Errorf("%s: %s: no reason", r.file, r.name)
		}
	}
}
