package main

import (
	"bytes"
	"fmt"
	"strings"
)

// property is a row of properties.tsv.
type property struct {
	name, meaning string
	mask          uint // a bit for each set with the property
}

func (t *table) addProperty(_ string, c []string) error {
	own := map[string]bool{}
	for _, x := range strings.Fields(c[1]) {
		name, ends := strings.CutPrefix(x, "-")
		if t.setIndex(name) < 0 {
			return fmt.Errorf("no set %q", name)
		}
		own[name] = !ends
	}
	if last := len(t.properties) - 1; last >= 0 && t.properties[last].name >= c[0] {
		return fmt.Errorf("property %q is not in alphabetical order", c[0])
	}
	mask, err := t.inherit(own)
	if err != nil {
		return err
	}
	t.properties = append(t.properties, property{c[0], c[2], mask})
	return nil
}

// inherit returns the sets with a property. own holds whether a set has it, for
// the sets that differ from their parents.
func (t *table) inherit(own map[string]bool) (mask uint, err error) {
	for i, s := range t.sets {
		inherited := s.parent != "-" && mask>>t.setIndex(s.parent)&1 != 0
		has, listed := own[s.name]
		if listed && has == inherited {
			return 0, fmt.Errorf("set %q repeats its parent", s.name)
		}
		if has || inherited && !listed {
			mask |= 1 << i
		}
	}
	return mask, nil
}

// writeProperties writes the masks of the sets that descend from each set, and
// of the sets that have each property.
func (t *table) writeProperties(b *bytes.Buffer) {
	b.WriteString("// Each set with the sets that descend from it.\nconst (\n")
	for _, s := range t.sets {
		mask, _ := t.inherit(map[string]bool{s.name: true}) // no error: the set's parents do not have the mark
		fmt.Fprintf(b, "%s SetMask = %#x\n", constName("SinceGFX", s.name), mask)
	}
	b.WriteString(")\n\n// The properties of sets (isa/table/properties.tsv).\nconst (\n")
	for _, p := range t.properties {
		fmt.Fprintf(b, "%s SetMask = %#x // %s\n", goName("Prop", p.name), p.mask, p.meaning)
	}
	b.WriteString(")\n\n")
}
