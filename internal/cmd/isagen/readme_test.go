package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tableDir holds the tables of package isa.
const tableDir = "../../../isa/table"

var docRow = regexp.MustCompile("^\\| `([^`]+)` \\|")

// documented returns the first cells of the README's tables, by heading.
func documented(t *testing.T) map[string][]string {
	text, err := os.ReadFile(filepath.Join(tableDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	out, heading := map[string][]string{}, ""
	for l := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(l, "#") {
			heading = strings.TrimLeft(l, "# ")
		} else if m := docRow.FindStringSubmatch(l); m != nil {
			out[heading] = append(out[heading], m[1])
		}
	}
	return out
}

// occurring returns what the tables contain, by the README's headings.
func occurring(t *testing.T) map[string][]string {
	out := map[string][]string{}
	add := func(heading, s string) {
		list := out[heading]
		intern(&list, s)
		out[heading] = list
	}
	tab, err := read(tableDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tab.traits {
		add("Properties", x)
	}
	for _, x := range tab.kinds {
		add("Properties of instructions", "op."+x)
	}
	files, err := filepath.Glob(filepath.Join(tableDir, "*.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]string{"sets.tsv": "Columns of sets.tsv", "properties.tsv": "Columns of properties.tsv", "forms.tsv": "Columns of forms.tsv", "names.tsv": "Columns of names.tsv"}
	for _, f := range files {
		heading, special := headings[filepath.Base(f)]
		if !special {
			heading = "Columns of the instruction rows"
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		head := true
		for l := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n") {
			if strings.HasPrefix(l, "#") {
				continue
			}
			c := strings.Split(l, "\t")
			if head {
				head = false
				for _, x := range c {
					add(heading, x)
				}
			} else if !special {
				occurringRow(c, add)
			}
		}
	}
	return out
}

// occurringRow adds what one instruction row contains.
func occurringRow(c []string, add func(heading, s string)) {
	add("Variants", c[2])
	for o := range strings.FieldsSeq(c[4]) {
		if o == "-" {
			continue
		}
		_, class, typ, mods := split(o)
		if typ != "" {
			add("Types", typ)
		}
		if mods != 0 {
			add("Modifier suffixes", string(mods))
		}
		for i, p := range strings.Split(class, ".") {
			if i > 0 {
				add("Restrictions", "."+p)
			}
		}
	}
	for x := range strings.FieldsSeq(c[5]) {
		if key, _, ok := strings.Cut(x, "="); ok {
			add("Register counts of image instructions", key+"=")
		} else if x[0] == '+' {
			add("Derived encodings", x)
		}
	}
}

// TestReadme compares the README's tables with the columns, variants, suffixes
// and traits of the files, in both directions.
func TestReadme(t *testing.T) {
	doc, occ := documented(t), occurring(t)
	for heading := range doc {
		if occ[heading] == nil {
			t.Errorf("README section %q: the tables contain nothing of the kind", heading)
		}
	}
	for heading, want := range occ {
		for _, x := range want {
			if !slices.Contains(doc[heading], x) {
				t.Errorf("README section %q does not explain %q", heading, x)
			}
		}
		for _, x := range doc[heading] {
			if !slices.Contains(want, x) {
				t.Errorf("README section %q explains %q, which the tables do not contain", heading, x)
			}
		}
	}
}
