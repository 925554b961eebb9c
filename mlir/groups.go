package mlir

import "encoding/binary"

// segmentAttrs are the attributes with the sizes of groups of operands and
// results.
const (
	operandSegments = "operandSegmentSizes"
	resultSegments  = "resultSegmentSizes"
)

// OperandGroup returns the operands that group i of the operation's row
// describes: one, unless the row specifies variadic or optional. It is empty if the
// sizes of groups are not known or wrong.
func (o *Op) OperandGroup(i int) []*Use {
	if o.Def == nil {
		return nil
	}
	start, end := o.groupRange(OperandRef, i)
	return o.Operands[start:end]
}

// ResultGroup returns the results that group i of the operation's row describes.
func (o *Op) ResultGroup(i int) []*Value {
	if o.Def == nil {
		return nil
	}
	start, end := o.groupRange(ResultRef, i)
	return o.Results[start:end]
}

// Named returns the operands or results that have a name in the operation's row,
// or nil.
func (o *Op) Named(name string) []*Value {
	if o.Def == nil {
		return nil
	}
	ref, ok := o.Def.Value(name)
	if !ok {
		return nil
	}
	switch ref.Kind {
	case ResultRef:
		return o.ResultGroup(ref.Index)
	case OperandRef:
		uses := o.OperandGroup(ref.Index)
		values := make([]*Value, len(uses))
		for i, u := range uses {
			values[i] = u.Value
		}
		return values
	}
	return nil
}

// CountNamed returns the number of operands or results of a name in the
// operation's row.
func (o *Op) CountNamed(name string) int {
	if o.Def == nil {
		return 0
	}
	ref, ok := o.Def.Value(name)
	if !ok {
		return 0
	}
	start, end := o.groupRange(ref.Kind, ref.Index)
	return end - start
}

// NamedType returns the type of the first operand or result of a name in the
// operation's row, or nil.
func (o *Op) NamedType(name string) *Type {
	if o.Def == nil {
		return nil
	}
	ref, ok := o.Def.Value(name)
	if !ok {
		return nil
	}
	start, end := o.groupRange(ref.Kind, ref.Index)
	switch {
	case start == end || ref.Kind == AttrRef:
		return nil
	case ref.Kind == ResultRef:
		return o.Results[start].Type
	}
	return o.Operands[start].Value.Type
}

// groupRange returns the bounds of a group among all operands or results.
func (o *Op) groupRange(kind RefKind, i int) (start, end int) {
	defs, total, segments, sized, single := o.Def.Operands, len(o.Operands), operandSegments, o.Def.Has(AttrSizedOperandSegments), o.Def.singleOperands
	if kind == ResultRef {
		defs, total, segments, sized, single = o.Def.Results, len(o.Results), resultSegments, o.Def.Has(AttrSizedResultSegments), o.Def.singleResults
	}
	if single && !sized {
		return min(i, total), min(i+1, total)
	}
	if sized {
		return segmentRange(o.Attr(segments), len(defs), total, i)
	}
	return variadicRange(defs, total, i)
}

// segmentRange returns the bounds of a group whose size is in an attribute.
func segmentRange(sizes *Attr, groups, total, i int) (start, end int) {
	const size = 4 // bytes of an i32
	if !isSegmentSizes(sizes) || len(sizes.Raw) != size*groups {
		return 0, 0
	}
	for raw := sizes.Raw[:size*(i+1)]; len(raw) > 0; raw = raw[size:] {
		start, end = end, end+int(max(0, int32(binary.LittleEndian.Uint32([]byte(raw[:size])))))
	}
	if end > total {
		return 0, 0
	}
	return start, end
}

func isSegmentSizes(a *Attr) bool {
	return a != nil && a.Kind == DenseArrayAttr && a.Type.IsInteger(32)
}

// variadicRange returns the bounds of a group where all groups of a variable
// number of values have the same size, usually since there is only one.
func variadicRange(defs []ValueDef, total, i int) (start, end int) {
	variable, before := 0, 0
	for k := range defs {
		if !defs[k].Single() {
			variable++
			if k < i {
				before++
			}
		}
	}
	size := max(0, total-(len(defs)-variable)) / variable
	start = i - before + before*size
	end = start + 1
	if !defs[i].Single() {
		end = start + size
	}
	return min(start, total), min(end, total)
}

// types returns the types of a group, appended to a list.
func (o *Op) types(ref ValueRef, list []*Type) []*Type {
	switch ref.Kind {
	case OperandRef:
		for _, u := range o.OperandGroup(ref.Index) {
			list = append(list, u.Value.Type)
		}
	case ResultRef:
		for _, v := range o.ResultGroup(ref.Index) {
			list = append(list, v.Type)
		}
	case AttrRef:
		if a := o.Attr(o.Def.Attrs[ref.Index].Name); a != nil && a.Type != nil {
			list = append(list, a.Type)
		}
	}
	return list
}

// allTypes returns the types of several groups, appended to a list.
func (o *Op) allTypes(list []*Type, refs []ValueRef) []*Type {
	for _, ref := range refs {
		list = o.types(ref, list)
	}
	return list
}
