package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// debugLoc: line, column, scope, inlined at [, is implicit, atom group, atom
// rank]: the location of the last instruction.
func (b *body) debugLoc() {
	v := b.last()
	b.need(4, "location")
	scope, at := b.metadataOrNull(b.rec[2]), b.metadataOrNull(b.rec[3])
	if !b.m.IsNode(scope) || at != 0 && !b.m.IsNode(at) {
		b.fail("scope of a location is not a node")
	}
	ints := []uint64{b.rec[0], b.rec[1], b.optional(4) & 1, 0, 0}
	if len(b.rec) >= 7 {
		ints[3], ints[4] = b.rec[5], b.rec[6]
	}
	b.loc = b.m.NewNode(ir.NodeLocation, []ir.Metadata{scope, at}, ints)
	b.f.Instr(v).Loc = b.loc
}

func (b *body) debugLocAgain() { b.f.Instr(b.last()).Loc = b.loc }

// popNode reads metadata that must be a node.
func (b *body) popNode() ir.Metadata {
	md := b.metadata(b.pop())
	if !b.m.IsNode(md) {
		b.fail("metadata of a debug record is not a node")
	}
	return md
}

// popLocation reads the value operand of a debug record: values of the
// function, constants or an empty node. It reports whether the operand is a
// list.
func (b *body) popLocation() bool {
	n := b.pop()
	if n >= uint64(len(b.md.all)) {
		b.fail("reference to metadata %d, but only %d exist", n, len(b.md.all))
	}
	e := b.md.all[n]
	if e.local == nil {
		if v := b.m.MDValue(e.md); v != ir.None {
			b.push(v)
		} else {
			b.push(e.md.Value())
		}
		return false
	}
	for _, id := range b.localValues(&e) {
		switch {
		case id.v != ir.None:
			b.push(id.v)
		case id.id < uint32(len(b.values)):
			b.push(b.values[id.id].v)
		default:
			b.ops, b.fwd = append(b.ops, ir.None), append(b.fwd, id.id+1)
		}
	}
	return e.list
}

// dbgRecord: location, variable, expression, value. For an assignment, ID,
// expression and address follow. The record precedes the last instruction.
func (b *body) dbgRecord(op ir.Op, simple bool) {
	before := b.last()
	loc, variable, expr := b.popNode(), b.popNode(), b.popNode()
	list := false
	if simple {
		b.pushPair()
	} else {
		list = b.popLocation()
	}
	var v ir.Value
	if op == ir.OpDbgAssign {
		id, addrExpr := b.popNode(), b.popNode()
		b.popLocation()
		n := len(b.ops)
		v = b.f.NewAssignRecord(variable, expr, loc, id, addrExpr, b.ops[0], b.ops[n-1])
		if n != 2 {
			b.fail("#dbg_assign does not support a DIArgList")
		}
	} else {
		v = b.f.NewRecord(op, variable, expr, loc, b.ops...)
	}
	if list {
		b.f.Instr(v).Sub = 1
	}
	for i, id := range b.fwd {
		if id != 0 {
			b.uses = append(b.uses, lateUse{b.f.UseOf(v, i), id - 1, ir.NoType})
		}
	}
	b.f.AttachRecord(v, before)
}

// dbgLabel: location, label.
func (b *body) dbgLabel() {
	before := b.last()
	loc, label := b.popNode(), b.popNode()
	b.f.AttachRecord(b.f.NewRecord(ir.OpDbgLabel, label, 0, loc), before)
}
