// Command gfx-cover checks the test coverage of the optimizer and the compiler.
// It reads profiles that "go test" wrote (-coverprofile), adds them up, and
// compares the functions that have statements which no test runs with a list of
// reasons:
//
//	go run ./internal/cmd/gfx-cover [-update|-blocks|-percent|-more] profile...
//
// It fails if a package is below the required percentage, if a function has
// more uncovered statements than listed, if a listed function no longer exists
// or is covered, or if a row has no reason. Blocks that only report an error of
// a callee or a broken invariant, and blocks that only leave a function or a
// loop, need no row. With -update it rewrites the list and keeps the reasons.
// With -percent it checks the packages only, for profiles of tests without a
// corpus or an oracle; with -more listed functions may be covered, for profiles
// of all tests.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// listFile is the list of uncovered functions, relative to the root of the module.
const listFile = "internal/cmd/gfx-cover/uncovered.tsv"

// required is the percentage of statements that the tests of a package's users must cover.
const required = 90

// packages lists the measured packages.
var packages = []string{"internal/compiler/emit", "internal/compiler/opt", "internal/compiler/prepare", "internal/compiler/codegen", "internal/compiler/isel", "compile"}

func main() {
	var o options
	flag.BoolVar(&o.update, "update", false, "rewrite "+listFile)
	flag.BoolVar(&o.blocks, "blocks", false, "print the uncovered blocks")
	flag.BoolVar(&o.percent, "percent", false, "check the percentages only")
	flag.BoolVar(&o.more, "more", false, "allow listed functions to be covered")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: gfx-cover [-update|-blocks|-percent|-more] profile...")
		os.Exit(2)
	}
	if err := run(os.DirFS("."), flag.Args(), o); err != nil {
		fmt.Fprintln(os.Stderr, "gfx-cover:", err)
		os.Exit(1)
	}
}

// summary returns a line for each package, and a problem for each package with
// too little coverage.
func summary(totals map[string]*total) (text string, problems []string) {
	var b strings.Builder
	for _, p := range packages {
		t := totals[p]
		if t == nil {
			problems = append(problems, fmt.Sprintf("package %s is not in the profiles", p))
			continue
		}
		percent := 100 * float64(t.covered) / float64(t.statements)
		fmt.Fprintf(&b, "%-14s %6d statements %6.2f %%\n", p, t.statements, percent)
		if percent < required {
			problems = append(problems, fmt.Sprintf("package %s: %.2f %% of the statements are covered, fewer than %d %%", p, percent, required))
		}
	}
	return b.String(), problems
}
