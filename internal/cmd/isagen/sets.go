package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// setColumns is the number of columns of sets.tsv.
const setColumns = 6

// set is a row of sets.tsv.
type set struct {
	name, parent string // "-": no parent
	gen          int    // index of gens
	generation   string // of package target
	simulated    bool
	procs        []string
}

func (t *table) addSet(_ string, c []string) error {
	if c[1] != "-" && t.setIndex(c[1]) < 0 {
		return fmt.Errorf("parent %q does not precede set %q", c[1], c[0])
	}
	g := slices.Index(t.gens, c[2])
	if g < 0 {
		g = len(t.gens)
		t.gens = append(t.gens, c[2])
	}
	if c[4] != "yes" && c[4] != "-" {
		return fmt.Errorf("simulated %q, want yes or -", c[4])
	}
	t.sets = append(t.sets, set{c[0], c[1], g, c[3], c[4] == "yes", strings.Fields(c[5])})
	return nil
}

// setIndex returns the index of a set, or -1.
func (t *table) setIndex(name string) int {
	return slices.IndexFunc(t.sets, func(s set) bool { return s.name == name })
}

// constName returns the Go name of a set or a generation: "9-generic" with
// prefix GFX becomes GFX9Generic.
func constName(prefix, name string) string {
	name = strings.Replace(name, "-generic", "Generic", 1)
	name = strings.ReplaceAll(name, "-", "_")
	if i := len(name) - 1; name[i] == 'a' {
		name = name[:i] + "A"
	}
	return prefix + name
}

// writeSets writes the constants of the sets and generations and the array
// sets.
func (t *table) writeSets(b *bytes.Buffer) {
	var sets []string
	for _, s := range t.sets {
		sets = append(sets, constName("GFX", s.name))
	}
	var gens []string
	for _, g := range t.gens {
		gens = append(gens, constName("Gen", g))
	}
	constants(b, "Set", "The instruction sets, each after its parent.", sets, "NumSets")
	constants(b, "Gen", "The layout generations.", gens, "NumGens")
	b.WriteString("var sets = [NumSets]setInfo{\n")
	for i, s := range t.sets {
		parent := i // a root is its own parent
		if s.parent != "-" {
			parent = t.setIndex(s.parent)
		}
		fmt.Fprintf(b, "%s: {%q, %s, %s, []string{", sets[i], "gfx"+s.name, sets[parent], gens[s.gen])
		for _, p := range s.procs {
			fmt.Fprintf(b, "%q, ", p)
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n\n")
	var simulated uint
	for i, s := range t.sets {
		if s.simulated {
			simulated |= 1 << i
		}
	}
	fmt.Fprintf(b, "// Simulated holds the sets that package sim executes.\nconst Simulated SetMask = %#x\n\n", simulated)
}

// constants writes numbered constants of a type, and their number.
func constants(b *bytes.Buffer, typ, doc string, names []string, count string) {
	fmt.Fprintf(b, "// %s\nconst (\n", doc)
	for i, n := range names {
		if i == 0 {
			n += " " + typ + " = iota"
		}
		fmt.Fprintln(b, n)
	}
	fmt.Fprintf(b, "%s = iota\n)\n\n", count)
}
