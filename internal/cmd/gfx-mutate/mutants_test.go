package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

const sampleSource = `package sample

var table = []int{7}

func (p *pass) run(a, b int) (bool, error) {
	if a < b && p.ready() {
		a += b << 1
		p.first()
		p.second()
	}
	for range a {
		if !p.ready() {
			continue
		}
		p.n, b = f(a)
	}
	x := make([]int, 0, 16)
	if a == 3 {
		return false, fmt.Errorf("%d", a+1)
	}
	return x == nil, nil
}

func (p *pass) String() string { return fmt.Sprint(1 + p.n) }
`

// TestFindMutants lists all changes of a small file, and compiles each.
func TestFindMutants(t *testing.T) {
	list, err := findMutants("internal/compiler/opt/sample.go", []byte(sampleSource))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprintf("%s:%d %s %s", m.function, m.line, m.operator, m.change([]byte(sampleSource))))
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", applyEdits([]byte(sampleSource), 0, len(sampleSource), m.edits), 0); err != nil {
			t.Errorf("%s: %v", got[len(got)-1], err)
		}
	}
	want := []string{
		"table:3 constant `7` -> `8`", "table:3 constant `7` -> `6`",
		"pass.run:6 condition `a < b && p.ready()` -> `!(a < b && p.ready())`",
		"pass.run:6 logic `&&` -> `||`", "pass.run:6 comparison `<` -> `>=`", "pass.run:6 boundary `<` -> `<=`",
		"pass.run:7 removal `a +=` -> `_ =`", "pass.run:7 arithmetic `+=` -> `-=`", "pass.run:7 arithmetic `<<` -> `>>`",
		"pass.run:7 constant `1` -> `2`", "pass.run:7 constant `1` -> `0`",
		"pass.run:8 removal `p.first()` -> ``", "pass.run:9 removal `p.second()` -> ``",
		"pass.run:8 order `p.first()` -> `p.second()`, `p.second()` -> `p.first()`",
		"pass.run:12 condition `!p.ready()` -> `!(!p.ready())`", "pass.run:13 removal `continue` -> ``",
		"pass.run:15 removal `p.n, b =` -> `_, _ =`",
		"pass.run:18 comparison `==` -> `!=`", "pass.run:18 constant `3` -> `4`", "pass.run:18 constant `3` -> `2`",
		"pass.run:19 constant `false` -> `true`", "pass.run:21 comparison `==` -> `!=`",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestIDs checks that names are unique, and that they stay the same when
// another function is edited.
func TestIDs(t *testing.T) {
	ids := func(src string) map[string]bool {
		list, err := findMutants("internal/compiler/opt/sample.go", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[string]bool)
		for _, m := range list {
			if all[m.id()] {
				t.Errorf("%s twice", m.id())
			}
			all[m.id()] = true
		}
		return all
	}
	before := ids(sampleSource)
	after := ids(strings.Replace(sampleSource, "var table", "func other(x int) int {\n\treturn x + 1\n}\n\nvar table", 1))
	for id := range before {
		if !after[id] {
			t.Errorf("%s is gone", id)
		}
	}
	if len(after) != len(before)+3 {
		t.Errorf("%d mutants, %d without the function, want 3 more", len(after), len(before))
	}
	for id := range ids(strings.Replace(sampleSource, "a == 3", "a == 4", 1)) {
		if strings.Contains(id, ":comparison:1:") && before[id] {
			t.Errorf("%s stays although its line changes", id)
		}
	}
}

func TestQuota(t *testing.T) {
	for n := range 160 {
		sum := 0
		for i := range groups {
			sum += quota(groups, i, n)
		}
		if sum != n {
			t.Errorf("the quotas of %d mutants add up to %d", n, sum)
		}
	}
	if got := []int{quota(groups, 0, 150), quota(groups, 1, 150), quota(groups, 2, 150), quota(groups, 3, 150)}; !slices.Equal(got, []int{60, 45, 30, 15}) {
		t.Errorf("quotas %v", got)
	}
}
