package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// row is a row of the list: the maximum number of statements of a function that
// no test runs, and the reason.
type row struct {
	file, name string
	statements int
	reason     string
}

// key names a function. Functions of one name in a file, as in init, share a row.
type key struct{ file, name string }

const header = "# Functions with statements that no test runs: file, function, statements, reason. Written by \"make coverage UPDATE=1\".\n"

// parseList reads the list.
func parseList(text string) ([]row, error) {
	var list []row
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		col := strings.Split(line, "\t")
		if len(col) != 4 {
			return nil, fmt.Errorf("%s:%d: %d columns, not 4", listFile, i+1, len(col))
		}
		n, err := number(col[2])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", listFile, i+1, err)
		}
		list = append(list, row{col[0], col[1], n, col[3]})
	}
	return list, nil
}

// formatList writes the list, sorted.
func formatList(list []row) string {
	slices.SortFunc(list, func(a, b row) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.name, b.name)) })
	var b strings.Builder
	b.WriteString(header)
	for _, r := range list {
		fmt.Fprintf(&b, "%s\t%s\t%d\t%s\n", r.file, r.name, r.statements, r.reason)
	}
	return b.String()
}

// unknown is the reason of a new row, to be replaced by hand.
const unknown = "?"

// options selects the action for a measurement.
type options struct {
	update, blocks bool // rewrite the list, print the uncovered blocks
	percent        bool // check the percentages only
	more           bool // the profiles cover more tests than the list, so listed functions may be covered
}

// run measures and compares, or updates the list, or prints the uncovered blocks.
func run(root fs.FS, profiles []string, o options) error {
	counts, err := readProfiles(profiles)
	if err != nil {
		return err
	}
	totals, functions, err := measure(root, counts)
	if err != nil {
		return err
	}
	if o.blocks {
		text, err := listing(root, functions)
		fmt.Print(text)
		return err
	}
	text, problems := summary(totals)
	fmt.Print(text)
	if o.percent {
		return failed(problems)
	}
	data, err := fs.ReadFile(root, listFile)
	if err != nil && !(o.update && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	list, err := parseList(string(data))
	if err != nil {
		return err
	}
	found := uncovered(functions)
	if o.update {
		return os.WriteFile(listFile, []byte(formatList(merge(list, found))), 0o666)
	}
	return failed(append(problems, compare(list, found, o.more)...))
}

func failed(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(problems, "\n"))
}

// uncovered returns rows for functions with uncovered statements.
func uncovered(functions []*function) map[key]row {
	found := map[key]row{}
	for _, f := range functions {
		for _, b := range f.uncovered {
			k := key{f.file, f.name}
			found[k] = row{f.file, f.name, found[k].statements + b.statements, unknown}
		}
	}
	return found
}

// merge keeps the reasons of rows for functions that still have uncovered statements.
func merge(list []row, found map[key]row) []row {
	var out []row
	reasons := map[key]string{}
	for _, r := range list {
		reasons[key{r.file, r.name}] = r.reason
	}
	for k, r := range found {
		if old := reasons[k]; old != "" && old != unknown {
			r.reason = old
		}
		out = append(out, r)
	}
	return out
}

// compare returns the errors in the list. With more, listed functions may be
// covered.
func compare(list []row, found map[key]row, more bool) (problems []string) {
	listed := map[key]bool{}
	for _, r := range list {
		k := key{r.file, r.name}
		listed[k] = true
		switch now := found[k].statements; {
		case r.reason == "" || r.reason == unknown:
			problems = append(problems, fmt.Sprintf("%s: %s: %d uncovered statements without a reason", r.file, r.name, r.statements))
		case now == 0 && !more:
			problems = append(problems, fmt.Sprintf("%s: %s: does not exist or is covered; remove its row (make coverage UPDATE=1)", r.file, r.name))
		case now > r.statements:
			problems = append(problems, fmt.Sprintf("%s: %s: %d uncovered statements, the list has %d", r.file, r.name, now, r.statements))
		}
	}
	for k, r := range found {
		if !listed[k] {
			problems = append(problems, fmt.Sprintf("%s: %s: %d uncovered statements, not in the list", r.file, r.name, r.statements))
		}
	}
	slices.Sort(problems)
	return problems
}
