package bitcode

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// oldNode reads a node of LLVM 3.5 or older: types and values. Values of type
// metadata are entry numbers.
func (r *reader) oldNode() mdEntry {
	if len(r.rec)%2 != 0 {
		r.fail("old metadata node record has an odd number of operands %d", len(r.rec))
	}
	ops := make([]ir.Metadata, len(r.rec)/2)
	for i := range ops {
		n := r.rec[2*i+1]
		switch t := r.typ(r.rec[2*i]); {
		case t == ir.MD:
			ops[i] = r.metadata(n)
		case t == ir.Void:
		case n >= uint64(len(r.values)) || !r.values[n].v.IsConst():
			r.fail("value %d in metadata is not a constant of the module", n)
		default:
			ops[i] = r.m.NewMDValue(r.values[n].v)
		}
	}
	return r.node(ir.NodeTuple, false, ops, nil)
}

// oldLocalNode reads a function-local node of LLVM 3.5 or older: type and
// value. As in LLVM, all other forms are dropped.
func (r *reader) oldLocalNode() mdEntry {
	if len(r.rec) == 2 {
		if t := r.typ(r.rec[0]); t != ir.MD && t != ir.Void {
			return r.metadataValue()
		}
	}
	return r.node(ir.NodeTuple, false, nil, nil)
}

// oldVariable returns the node of a DIGlobalVariable of LLVM 3.9 or older,
// which refers to the described variable, number or expression. The node
// becomes an operand of a DIGlobalVariableExpression. The latter is attached to
// the variable or replaces the node.
func (r *reader) oldVariable(n *diNode) mdEntry {
	r.md.oldGlobals = true
	expr, g := r.describedBy(n.rec[9])
	if expr == 0 {
		return r.node(n.kind, n.distinct, n.ops, n.ints)
	}
	if g == nil {
		variable := ir.Metadata(0)
		if n.distinct {
			variable = r.m.NewDistinct(n.kind, n.ops, n.ints)
		} else {
			variable = r.m.NewNode(n.kind, n.ops, n.ints)
		}
		return r.node(ir.NodeGlobalVariableExpression, true, []ir.Metadata{variable, expr}, nil)
	}
	e := r.node(n.kind, n.distinct, n.ops, n.ints)
	both := r.m.NewDistinct(ir.NodeGlobalVariableExpression, []ir.Metadata{e.md, expr}, nil)
	g.MD = append(g.MD, ir.Attachment{Kind: ir.MDDbg, Node: both})
	return e
}

// describedBy returns the expression for the entity that an old variable
// describes, and the global if it is a variable.
func (r *reader) describedBy(n uint64) (expr ir.Metadata, g *ir.Global) {
	if n == 0 {
		return 0, nil
	}
	if n > uint64(len(r.md.all)) || !r.md.all[n-1].known {
		return 0, nil
	}
	md := r.md.all[n-1].md
	v := r.m.MDValue(md)
	if v == ir.None {
		if r.m.NodeKind(md) == ir.NodeExpression {
			return md, nil
		}
		return 0, nil
	}
	if g := r.m.ConstGlobal(v); g != nil && g.Kind == ir.GlobalVar {
		return r.m.NewExpression(), g
	}
	if x, ok := r.m.IntValue(v); ok {
		return r.m.NewExpression(exprConstu, x, exprStackValue), nil
	}
	return 0, nil
}

// typeNames replaces type identifiers by types. LLVM 3.8 and older refer to C++
// types by identifier.
func (r *reader) typeNames() {
	byName := map[ir.Metadata]ir.Metadata{}
	const forward = 4 // DIFlagFwdDecl
	for _, e := range r.md.all {
		if e.local == nil && r.m.NodeKind(e.md) == ir.NodeCompositeType {
			id := r.m.MDField(e.md, "identifier")
			if id != 0 && (byName[id] == 0 || r.m.MDFieldInt(e.md, "flags")&forward == 0) {
				byName[id] = e.md
			}
		}
	}
	if len(byName) == 0 {
		return
	}
	replace := func(md ir.Metadata, slot int) {
		if to := byName[r.m.MDOperands(md)[slot]]; to != 0 {
			r.m.SetMDOperand(md, slot, to)
			r.md.equal = true
		}
	}
	for _, e := range r.md.all {
		if e.local != nil {
			continue
		}
		kind := r.m.NodeKind(e.md)
		for _, f := range kind.Fields() {
			if f.Form == ir.FieldNode {
				replace(e.md, int(f.Slot))
			}
		}
		if kind == ir.NodeSubroutineType {
			types := r.m.MDField(e.md, "types")
			for i := range r.m.MDOperands(types) {
				replace(types, i)
			}
		}
	}
}

// upgradeUnits sets the units of subprograms and the subprograms of functions,
// and resolves other references by name in old units.
func (r *reader) upgradeUnits() {
	unit := ir.NodeSubprogram.FieldByName([]byte("unit")).Slot
	for _, o := range r.md.oldUnits {
		for _, op := range r.m.MDOperands(r.metadata(o.list - 1)) {
			if r.m.NodeKind(op) == ir.NodeSubprogram {
				r.m.SetMDOperand(op, int(unit), r.md.all[o.unit].md)
				r.md.equal = true
			}
		}
	}
	if len(r.md.oldUnits) > 0 {
		r.typeNames()
	}
	for _, o := range r.md.described {
		fn, md := r.m.ConstGlobal(r.m.MDValue(r.metadataOrNull(o.fn))), r.md.all[o.node].md
		if fn != nil && fn.Func != nil && slices.Contains(r.defined, fn.Func) {
			fn.MD = append(fn.MD, ir.Attachment{Kind: ir.MDDbg, Node: md})
		}
	}
	r.md.oldUnits, r.md.described = nil, nil
	if r.md.oldGlobals {
		r.upgradeVariables()
	}
}

// upgradeVariables inserts expressions into the units' lists of variables.
func (r *reader) upgradeVariables() {
	for _, i := range r.md.units {
		list := r.m.MDField(r.md.all[i].md, "globals")
		for j, op := range r.m.MDOperands(list) {
			if r.m.NodeKind(op) == ir.NodeGlobalVariable {
				expr := []ir.Metadata{op, r.m.NewExpression()}
				r.m.SetMDOperand(list, j, r.m.NewDistinct(ir.NodeGlobalVariableExpression, expr, nil))
				r.md.equal = true
			}
		}
	}
}
