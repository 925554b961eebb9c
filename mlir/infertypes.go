package mlir

import (
	"fmt"
	"slices"
)

// GroupTypes are the types of an operation's operands and results, as far as they
// are known, by the groups of its row. A nil slice is unknown, an empty one that
// is not nil a group without values.
type GroupTypes struct {
	Operands, Results [][]*Type
	// Counts has the number of operands of each group, -1 if it is not known.
	Counts []int
	// AttrType returns the type of an attribute, or nil. It may be nil.
	AttrType func(name string) *Type
}

// reset forgets all types and takes the groups of another operation.
func (g *GroupTypes) reset(d *OpDef) {
	g.Operands = resized(g.Operands, len(d.Operands))
	clear(g.Operands)
	g.Results = resized(g.Results, len(d.Results))
	clear(g.Results)
	g.Counts = resized(g.Counts, len(d.Operands))
}

// NewGroupTypes returns the types of an operation of which nothing is known.
func (d *OpDef) NewGroupTypes() *GroupTypes {
	g := &GroupTypes{Operands: make([][]*Type, len(d.Operands)), Results: make([][]*Type, len(d.Results)), Counts: make([]int, len(d.Operands))}
	for i := range g.Counts {
		g.Counts[i] = -1
		if d.Operands[i].Single() {
			g.Counts[i] = 1
		}
	}
	return g
}

// Unknown returns the first group whose types are not known; results are first.
func (g *GroupTypes) Unknown() (ref ValueRef, found bool) {
	for i, list := range g.Results {
		if list == nil {
			return ValueRef{ResultRef, i}, true
		}
	}
	for i, list := range g.Operands {
		if list == nil {
			return ValueRef{OperandRef, i}, true
		}
	}
	return ValueRef{}, false
}

// get returns the types of a group, or nil.
func (g *GroupTypes) get(d *OpDef, ref ValueRef) []*Type {
	switch ref.Kind {
	case OperandRef:
		return g.Operands[ref.Index]
	case ResultRef:
		return g.Results[ref.Index]
	}
	if g.AttrType == nil {
		return nil
	}
	t := g.AttrType(d.Attrs[ref.Index].Name)
	if t == nil {
		return nil
	}
	return t.single
}

// set stores the types of a group that is unknown, and reports whether it did.
func (g *GroupTypes) set(ref ValueRef, list []*Type) bool {
	at := g.Operands
	switch ref.Kind {
	case AttrRef:
		return false
	case ResultRef:
		at = g.Results
	}
	if at[ref.Index] != nil || list == nil {
		return false
	}
	at[ref.Index] = list
	return true
}

// fill stores one type for all values of a group that is unknown.
func (g *GroupTypes) fill(d *OpDef, ref ValueRef, t *Type) bool {
	if ref.Kind == AttrRef || g.get(d, ref) != nil {
		return false
	}
	n := 1
	if ref.Kind == OperandRef {
		n = g.Counts[ref.Index]
	} else if !d.Results[ref.Index].Single() {
		return false
	}
	if n < 0 {
		return false
	}
	if n == 1 {
		return g.set(ref, t.single)
	}
	return g.set(ref, slices.Repeat(t.single, n))
}

// inferTypes fills groups whose types follow from others: since only one type
// meets the constraint, or by a trait. The error specifies that a type from which
// others follow does not meet its constraint; MLIR reports it at the name of the
// operation.
func (d *OpDef) inferTypes(c *Context, g *GroupTypes) error {
	if _, unknown := g.Unknown(); !unknown {
		return nil
	}
	d.inferBuildable(c, g)
	for changed := true; changed; {
		if _, unknown := g.Unknown(); !unknown {
			return nil
		}
		changed = false
		for i := range d.Rules {
			did, err := d.inferRule(c, g, &d.Rules[i])
			if err != nil {
				return err
			}
			changed = changed || did
		}
		changed = d.inferSame(g) || changed
	}
	return nil
}

func (d *OpDef) inferBuildable(c *Context, g *GroupTypes) {
	for i := range d.Operands {
		ref := ValueRef{OperandRef, i}
		if g.Counts[i] == 0 {
			g.set(ref, []*Type{})
		} else if g.Operands[i] == nil {
			if t := d.Operands[i].Constraint.Buildable(c); t != nil {
				g.fill(d, ref, t)
			}
		}
	}
	for i := range d.Results {
		if g.Results[i] != nil {
			continue
		}
		if t := d.Results[i].Constraint.Buildable(c); t != nil {
			g.fill(d, ValueRef{ResultRef, i}, t)
		}
	}
}

// inferRule fills groups by a trait with arguments.
func (d *OpDef) inferRule(c *Context, g *GroupTypes, r *Rule) (changed bool, err error) {
	switch r.Name {
	case "AllTypesMatch":
		return d.inferAll(g, r.Values), nil
	case "TypesMatchWith", "OptionalTypesMatchWith":
		return d.inferTransform(c, g, r)
	case "ShapedTypeMatchesElementCountAndTypes":
		if g.get(d, r.Values[1]) != nil {
			return false, nil
		}
		return g.set(r.Values[1], elementTypeEach(c, g.get(d, r.Values[0]))), nil
	}
	return false, nil
}

// inferAll sets the type of all groups to the one of the first value that is known.
func (d *OpDef) inferAll(g *GroupTypes, refs []ValueRef) (changed bool) {
	for _, ref := range refs {
		list := g.get(d, ref)
		if len(list) == 0 {
			continue
		}
		for _, other := range refs {
			changed = g.fill(d, other, list[0]) || changed
		}
		return changed
	}
	return false
}

func (d *OpDef) inferTransform(c *Context, g *GroupTypes, r *Rule) (changed bool, err error) {
	from := g.get(d, r.Values[0])
	if from == nil || g.get(d, r.Values[1]) != nil {
		return false, nil
	}
	if r.Name == "OptionalTypesMatchWith" {
		return len(from) == 1 && g.fill(d, r.Values[1], from[0]), nil
	}
	if r.Values[0].Kind != AttrRef {
		def := d.valueDef(r.Values[0])
		for _, t := range from {
			if !def.Constraint.Accepts(t) {
				return false, fmt.Errorf("'%s' must be %s, but got '%s'", def.Name, def.Constraint.Description, t)
			}
		}
	}
	return g.set(r.Values[1], r.transform.types(c, from)), nil
}

// inferSame fills groups by the traits that all operands, or all operands and
// results, have the same type.
func (d *OpDef) inferSame(g *GroupTypes) bool {
	return d.inferAll(g, d.same)
}

// valueRefs refers to all operands, and to all results if results is set.
func (d *OpDef) valueRefs(results bool) []ValueRef {
	refs := make([]ValueRef, 0, len(d.Operands)+len(d.Results))
	for i := range d.Operands {
		refs = append(refs, ValueRef{OperandRef, i})
	}
	for i := range d.Results {
		if results {
			refs = append(refs, ValueRef{ResultRef, i})
		}
	}
	return refs
}
