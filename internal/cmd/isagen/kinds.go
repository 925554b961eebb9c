package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// checkKinds checks that the rows of each instruction have the same properties of
// the instruction.
func (t *table) checkKinds() error {
	first := map[string]*row{}
	for i := range t.rows {
		r := &t.rows[i]
		switch f := first[r.name]; {
		case f == nil:
			first[r.name] = r
		case !slices.Equal(f.kinds, r.kinds):
			return fmt.Errorf("%s: %s has the traits op.%v, but %s has op.%v", r.where, r.name, r.kinds, f.where, f.kinds)
		}
	}
	return nil
}

// writeKinds writes the properties of instructions.
func (t *table) writeKinds(b *bytes.Buffer) error {
	if len(t.kinds) > 64 {
		return fmt.Errorf("%d properties of instructions, more than 64", len(t.kinds))
	}
	b.WriteString("// The properties of instructions.\nconst (\n")
	for i, n := range t.kinds {
		if i == 0 {
			fmt.Fprintf(b, "%s Kinds = 1 << iota\n", goName("Kind", n))
		} else {
			fmt.Fprintf(b, "%s\n", goName("Kind", n))
		}
	}
	b.WriteString(")\n\nvar opKinds = [numOp]Kinds{\n")
	last := ""
	for _, r := range t.rows {
		if r.name == last || len(r.kinds) == 0 {
			continue
		}
		last = r.name
		var list []string
		for _, x := range r.kinds {
			list = append(list, goName("Kind", x))
		}
		fmt.Fprintf(b, "%s: %s,\n", goName("op", "_"+r.name), strings.Join(list, " | "))
	}
	b.WriteString("}\n\n")
	return nil
}
