package bitcode

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// operand returns metadata for use as a node operand.
func (g *moduleGen) operand() ir.Metadata {
	switch g.IntN(6) {
	case 0:
		return 0
	case 1:
		return g.text()
	case 2:
		return g.m.NewMDValue(g.constant(g.scalar())) // text does not define structs that only attachments of globals use
	}
	return g.node()
}

// text returns a nonempty string.
func (g *moduleGen) text() ir.Metadata { return g.m.NewMDString(g.name("text") + "!") }

// node returns a non-null node.
func (g *moduleGen) node() ir.Metadata {
	if len(g.nodes) == 0 {
		return g.m.NewTuple()
	}
	return pick(g, g.nodes...)
}

// addNode adds a node of a random kind.
func (g *moduleGen) addNode() {
	var md ir.Metadata
	switch kind := ir.NodeTuple + ir.NodeKind(g.IntN(int(ir.NodeImportedEntity-ir.NodeTuple)+1)); {
	case g.chance(8):
		md = g.cycle()
	case kind == ir.NodeTuple:
		ops := make([]ir.Metadata, g.IntN(5))
		for i := range ops {
			ops[i] = g.operand()
		}
		md = g.make(kind, g.chance(3), ops, nil)
	case kind == ir.NodeAssignID:
		md = g.m.NewDistinct(kind, nil, nil)
	case kind == ir.NodeExpression:
		return
	default:
		md = g.special(kind)
	}
	g.nodes = append(g.nodes, md)
}

func (g *moduleGen) make(kind ir.NodeKind, distinct bool, ops []ir.Metadata, ints []uint64) ir.Metadata {
	if distinct {
		return g.m.NewDistinct(kind, ops, ints)
	}
	return g.m.NewNode(kind, ops, ints)
}

// cycle returns a node that reaches itself.
func (g *moduleGen) cycle() ir.Metadata {
	a, b := g.m.ReserveNode(), g.m.ReserveNode()
	g.m.DefineNode(a, ir.NodeTuple, g.chance(2), []ir.Metadata{b, g.operand(), g.text()}, nil)
	g.m.DefineNode(b, ir.NodeTuple, true, []ir.Metadata{a, b}, nil)
	return a
}

// special returns a specialised node with random fields.
func (g *moduleGen) special(kind ir.NodeKind) ir.Metadata {
	nOps, nInts := kind.FieldCounts()
	ops, ints := make([]ir.Metadata, nOps), make([]uint64, nInts)
	fields := kind.Fields()
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Form == ir.FieldList:
			for range g.IntN(4) {
				ops = append(ops, g.node())
			}
		case f.Form.IsOperand():
			ops[f.Slot] = g.field(f)
		default:
			ints[f.Slot] = g.number(f)
		}
	}
	distinct := g.fix(kind, ops, ints) || g.chance(3)
	trial := g.m.NewDistinct(kind, ops, ints)
	for i := range fields { // fields that are not printed must have their default
		if f := &fields[i]; g.m.IsPrinted(trial, f) {
			continue
		} else if f.Form.IsOperand() {
			ops[f.Slot] = 0
		} else {
			ints[f.Slot] = f.Default
		}
	}
	return g.make(kind, distinct, ops, ints)
}

// field returns an operand for a field.
func (g *moduleGen) field(f *ir.Field) ir.Metadata {
	needed := f.Flags&(ir.NotNull|ir.NotEmpty|ir.Required) != 0 || f.Form == ir.FieldWide
	if !needed && g.chance(3) {
		return 0
	}
	switch f.Form {
	case ir.FieldString:
		return g.text()
	case ir.FieldIntOrNode, ir.FieldSize:
		if g.chance(2) {
			return g.m.NewMDValue(g.m.NewInt(ir.I64, uint64(1+g.IntN(1<<40))))
		}
	case ir.FieldExpr:
		if g.chance(2) {
			return g.m.NewExpression(0x11, uint64(1+g.IntN(1000)))
		}
	case ir.FieldWide:
		x := new(big.Int).SetUint64(g.Uint64() >> 1)
		if g.chance(2) {
			x.Lsh(x, uint(g.IntN(100)))
		}
		return g.m.NewMDValue(g.m.NewBig(g.m.IntType(max(x.BitLen()+1, 64)), x))
	}
	return g.node()
}

// ptrAuthType is DW_TAG_LLVM_ptrauth_type.
const ptrAuthType = 0x4300

// number returns an integer for a field.
func (g *moduleGen) number(f *ir.Field) uint64 {
	limit := f.Max
	if f.Name == "atomRank" {
		limit = 7 // LLVM uses 3 bits
	}
	if limit == 0 {
		limit = 1 << 40
	}
	switch f.Form {
	case ir.FieldBool:
		return uint64(g.IntN(2))
	case ir.FieldEnum:
		x := uint64(pick(g, f.Names...).Value)
		if x == ptrAuthType {
			x-- // changes the contents of types: see fix
		}
		return x
	case ir.FieldOptEnum:
		return uint64(g.IntN(len(f.Names) + 1))
	case ir.FieldFlags, ir.FieldSPFlags:
		return 3 << g.IntN(9)
	case ir.FieldOptUint:
		return uint64(g.Int64N(int64(limit)))
	case ir.FieldInt:
		return uint64(int64(g.IntN(2000) - 1000))
	}
	if f.Flags&ir.Required != 0 && f.Flags&ir.AlwaysPrinted == 0 {
		return 1 + uint64(g.Int64N(int64(limit))) // LLVM does not print a zero, but requires the field
	}
	return pick(g, 0, 1, limit, uint64(g.Int64N(int64(limit))))
}

// fix sets fields that depend on other fields, and reports whether the node
// must be distinct.
func (g *moduleGen) fix(kind ir.NodeKind, ops []ir.Metadata, ints []uint64) (distinct bool) {
	n := diNode{kind: kind, ops: ops, ints: ints}
	switch kind {
	case ir.NodeCompileUnit:
		n.setInt(pick(g, "language", "sourceLanguageName"), 0)
		return true
	case ir.NodeSubprogram:
		const definition = 8
		return n.getInt("spFlags")&definition != 0
	case ir.NodeDerivedType: // LLVM stores the alignment and ptrAuth in the same place
		if n.setInt("ptrAuthKey", uint64(g.IntN(8))); n.getInt("ptrAuthKey") != 0 {
			n.setInt("tag", ptrAuthType)
			n.setInt("align", 0)
		}
	case ir.NodeFixedPointType:
		const rational = 2
		if n.getInt("kind") == rational { // llvm-as-22 loses the sign of numerators
			n.setInt("kind", 0)
		}
	case ir.NodeFile:
		n.setNode("checksum", g.text())
		if g.chance(2) {
			n.setInt("checksumkind", 0)
		}
	}
	return false
}

// attach attaches metadata to globals and instructions and adds it to named
// lists.
func (g *moduleGen) attach() {
	for _, v := range g.m.Globals() {
		if v == nil || g.chance(2) || v.Kind == ir.GlobalAlias || v.Kind == ir.GlobalIFunc {
			continue
		}
		for range g.IntN(3) {
			v.MD = append(v.MD, ir.Attachment{Kind: g.kind(), Node: g.node()})
		}
		if f := v.Func; f != nil && f.Entry() != 0 {
			g.attachToCode(f)
		}
	}
	for i := range g.IntN(4) {
		n := g.m.AddNamedMetadata(pick(g, "list", "odd name", "x-y") + string(rune('a'+i)))
		for range g.IntN(10) {
			n.Ops = append(n.Ops, g.node())
		}
	}
}

// kind returns a kind of attachment whose nodes LLVM does not check.
func (g *moduleGen) kind() ir.MDKind {
	return pick(g, g.m.MDKind("mine too"), ir.MDAnnotation, ir.MDUnpredictable, ir.MDPCSections)
}

// attachToCode adds attachments, locations and debug records to instructions.
func (g *moduleGen) attachToCode(f *ir.Function) {
	scope := g.scope()
	var args []ir.Value
	for i := range f.NumArgs() {
		args = append(args, f.Arg(i))
	}
	seen := args
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for range g.IntN(3) {
				f.SetAttachment(v, g.kind(), g.node())
			}
			if g.chance(2) {
				f.Instr(v).Loc = g.location(scope)
			}
			if g.chance(4) && f.Op(v) != ir.OpPhi {
				g.record(f, v, scope, seen)
			}
			if t := f.TypeOf(v); t != ir.Void && t != ir.Token {
				seen = append(seen, v)
			}
		}
	}
}

// scope returns a subprogram.
func (g *moduleGen) scope() ir.Metadata {
	md := g.special(ir.NodeSubprogram)
	g.nodes = append(g.nodes, md)
	return md
}

func (g *moduleGen) location(scope ir.Metadata) ir.Metadata {
	at := ir.Metadata(0)
	if g.chance(4) {
		at = g.m.NewDistinct(ir.NodeLocation, []ir.Metadata{scope, 0}, []uint64{9, 0, 0, 0, 0})
	}
	return g.m.NewNode(ir.NodeLocation, []ir.Metadata{scope, at},
		[]uint64{uint64(g.IntN(5000)), uint64(g.IntN(100)), uint64(g.IntN(2)), uint64(g.IntN(3)), uint64(g.IntN(3))})
}

// record inserts a debug record for values before an instruction.
func (g *moduleGen) record(f *ir.Function, before ir.Value, scope ir.Metadata, values []ir.Value) {
	variable := g.m.NewNode(ir.NodeLocalVariable, []ir.Metadata{scope, g.text(), 0, 0, 0}, []uint64{0, uint64(g.IntN(9)), 0, 0})
	expr := g.m.NewExpression([]uint64{0x23, 8, 0x9f}[:pick(g, 0, 2, 3)]...)
	loc := g.location(scope)
	value := func() ir.Value {
		if len(values) == 0 || g.chance(3) {
			return g.constant(g.scalar())
		}
		return pick(g, values...)
	}
	var r ir.Value
	switch op := pick(g, ir.OpDbgValue, ir.OpDbgValue, ir.OpDbgDeclare, ir.OpDbgDeclareValue, ir.OpDbgAssign, ir.OpDbgLabel); op {
	case ir.OpDbgLabel:
		r = f.NewRecord(op, g.special(ir.NodeLabel), 0, loc)
	case ir.OpDbgAssign:
		r = f.NewAssignRecord(variable, expr, loc, g.m.NewDistinct(ir.NodeAssignID, nil, nil), expr, value(), value())
	case ir.OpDbgValue:
		if g.chance(2) {
			r = f.NewRecord(op, variable, g.m.NewExpression(0x1005, 0, 0x1005, 1, 0x22, 0x9f), loc, value(), value())
			f.Instr(r).Sub = 1
			break
		}
		r = f.NewRecord(op, variable, expr, loc, value())
	default:
		r = f.NewRecord(op, variable, expr, loc, value())
	}
	f.AttachRecord(r, before)
}
