package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// operation is an operation with several names: one of the rows that a row of
// names.tsv abbreviates.
type operation struct {
	where string
	names []opName // the first one names the operation
}

// opName is a name of an operation, with masks that hold a bit for each set.
type opName struct {
	text    string
	denotes uint32 // sets on which the name denotes the operation
	sets    uint32 // the sets among them that have an instruction of the name
	aliases uint32 // the sets among them whose instruction has another name
}

// addOperations reads a row of names.tsv.
func (t *table) addOperations(where string, c []string) error {
	rows, err := expand(slices.Concat(c[:1], strings.Fields(c[1])))
	if err != nil {
		return err
	}
	for _, row := range rows {
		o := operation{where: where}
		for _, s := range row {
			text, gens, limited := strings.Cut(s, "@")
			n := opName{text: text}
			if limited {
				if n.denotes, err = t.setsOfGens(gens); err != nil {
					return err
				}
			}
			o.names = append(o.names, n)
		}
		t.operations = append(t.operations, o)
	}
	return nil
}

// setsOfGens reads generations, such as 6-8,10, and returns the mask of their
// sets.
func (t *table) setsOfGens(list string) (mask uint32, err error) {
	for part := range strings.SplitSeq(list, ",") {
		gens, err := t.genRange(part)
		if err != nil {
			return 0, err
		}
		for i, s := range t.sets {
			if slices.Contains(gens, s.gen) {
				mask |= 1 << i
			}
		}
	}
	return mask, nil
}

// pattern is a name with groups: the texts around them and the alternatives of
// each.
type pattern struct {
	texts  []string
	groups [][]string
}

func readPattern(s string) (p pattern, err error) {
	for {
		text, rest, found := strings.Cut(s, "(")
		p.texts = append(p.texts, text)
		if !found {
			return p, nil
		}
		group, rest, closed := strings.Cut(rest, ")")
		if !closed {
			return p, fmt.Errorf("%q has no )", s)
		}
		p.groups = append(p.groups, strings.Split(group, "|"))
		s = rest
	}
}

// name returns the name with one alternative of each group.
func (p *pattern) name(choice []int) string {
	var b strings.Builder
	for i, c := range choice {
		b.WriteString(p.texts[i] + p.groups[i][c])
	}
	return b.String() + p.texts[len(choice)]
}

// expand returns the rows that a row abbreviates: one for each choice of
// alternatives in the groups of the first name. A group of another name lists
// its alternatives in the same order; () repeats the group of the first name.
func expand(row []string) ([][]string, error) {
	var patterns []pattern
	for _, s := range row {
		p, err := readPattern(s)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, p)
		first := patterns[0].groups
		if len(p.groups) != len(first) {
			return nil, fmt.Errorf("%q has %d groups, want %d", s, len(p.groups), len(first))
		}
		for i, g := range p.groups {
			if len(g) == 1 && g[0] == "" {
				p.groups[i] = first[i]
			} else if len(g) != len(first[i]) {
				return nil, fmt.Errorf("group %d of %q has %d alternatives, want %d", i+1, s, len(g), len(first[i]))
			}
		}
	}
	var rows [][]string
	for _, choice := range choices(patterns[0].groups) {
		var names []string
		for i := range patterns {
			names = append(names, patterns[i].name(choice))
		}
		rows = append(rows, names)
	}
	return rows, nil
}

// choices returns all choices of one alternative from each group.
func choices(groups [][]string) [][]int {
	all := [][]int{nil}
	for _, g := range groups {
		var longer [][]int
		for _, c := range all {
			for i := range g {
				longer = append(longer, append(slices.Clip(c), i))
			}
		}
		all = longer
	}
	return all
}

// resolveNames computes the masks of the operations' names from the
// instructions, and checks that the names are useful and unambiguous.
func (t *table) resolveNames() error {
	having := map[string]uint32{} // the sets that have an instruction of a name
	for i := range t.rows {
		for _, c := range t.distinctCodes(&t.rows[i]) {
			having[t.rows[i].name] |= c.mask
		}
	}
	slices.SortFunc(t.operations, func(a, b operation) int { return cmp.Compare(a.names[0].text, b.names[0].text) })
	denoted := map[string]uint32{} // the sets on which a name denotes one of the operations
	for i := range t.operations {
		o := &t.operations[i]
		if err := o.resolve(t, having); err != nil {
			return fmt.Errorf("%s: %w", o.where, err)
		}
		for _, n := range o.names {
			if denoted[n.text]&(n.sets|n.aliases) != 0 {
				return fmt.Errorf("%s: %q denotes two operations on one set", o.where, n.text)
			}
			denoted[n.text] |= n.sets | n.aliases
		}
	}
	return nil
}

// resolve computes the masks of an operation's names. A name without explicit
// generations denotes the operation on the sets that have an instruction of
// the name and on their descendants.
func (o *operation) resolve(t *table, having map[string]uint32) error {
	var performing uint32 // the sets with an instruction that performs the operation
	for i := range o.names {
		n := &o.names[i]
		if n.denotes == 0 {
			n.denotes = t.withDescendants(having[n.text])
		}
		n.sets = n.denotes & having[n.text]
		if performing&n.sets != 0 {
			return fmt.Errorf("%q is on a set that has another name of the operation already", n.text)
		}
		performing |= n.sets
	}
	for i := range o.names {
		n := &o.names[i]
		n.aliases = n.denotes & performing &^ having[n.text]
		if n.sets|n.aliases == 0 {
			return fmt.Errorf("%q denotes the operation on no set that has it", n.text)
		}
	}
	return nil
}

// withDescendants adds the descendants of the sets of a mask.
func (t *table) withDescendants(mask uint32) uint32 {
	for i, s := range t.sets {
		if p := t.setIndex(s.parent); p >= 0 && mask>>p&1 != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// writeOperations writes the operations with several names.
func (t *table) writeOperations(b *bytes.Buffer) {
	b.WriteString("var operations = [...][]OperationName{\n")
	for _, o := range t.operations {
		b.WriteByte('{')
		for _, n := range o.names {
			fmt.Fprintf(b, "{%q, %#x, %#x}, ", n.text, n.sets, n.aliases)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
}
