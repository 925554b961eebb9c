package bitcode

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// mdLocation is the code of a DILocation.
const mdLocation = 7

// isInline reports whether an operand of a node is a number stored in the
// record.
func isInline(kind ir.NodeKind, slot int) bool {
	switch kind {
	case ir.NodeEnumerator:
		return slot == 1
	case ir.NodeFixedPointType:
		return slot >= 2
	}
	return false
}

// diWriter describes how nodes of a kind are written.
type diWriter struct {
	code  uint64
	flags uint64 // flags of operand 0, in addition to "distinct"
	slots []*ir.Field
	// extra adds everything that the fields do not describe
	extra func(w *moduleWriter, n *diNode)
}

// diForms lists the kinds of nodes whose LLVM 22 records differ from diRecords:
// flags of operand 0 that mark LLVM 22's form, fields, and additional operands.
var diForms = lazy.Value[map[ir.NodeKind]diWriter]{Make: func() map[ir.NodeKind]diWriter {
	const sizes, noTypeRefs = 2, 2
	return map[ir.NodeKind]diWriter{
		ir.NodeSubrange:       {flags: 2 << 1, slots: fieldsNamed(ir.NodeSubrange, "count lowerBound upperBound stride")},
		ir.NodeEnumerator:     {extra: (*moduleWriter).enumerator},
		ir.NodeBasicType:      {flags: sizes},
		ir.NodeFixedPointType: {flags: sizes, extra: (*moduleWriter).fixedPoint},
		ir.NodeStringType: {flags: sizes, slots: fieldsNamed(ir.NodeStringType, "tag name stringLength stringLengthExpression "+
			"stringLocationExpression size align encoding")},
		ir.NodeSubrangeType:   {flags: sizes},
		ir.NodeDerivedType:    {flags: sizes, extra: (*moduleWriter).ptrAuth},
		ir.NodeCompositeType:  {flags: sizes<<1 | noTypeRefs, extra: (*moduleWriter).enumKind},
		ir.NodeSubroutineType: {flags: noTypeRefs},
		ir.NodeFile:           {extra: (*moduleWriter).noSource},
		ir.NodeCompileUnit:    {extra: (*moduleWriter).unitLanguage},
		ir.NodeSubprogram: {flags: subprogramHasUnit | subprogramHasFlags, slots: fieldsNamed(ir.NodeSubprogram,
			"scope name linkageName file line type scopeLine containingType spFlags virtualIndex flags unit templateParams declaration "+
				"retainedNodes thisAdjustment thrownTypes annotations targetFuncName keyInstructions")},
		ir.NodeNamespace:      {extra: func(w *moduleWriter, n *diNode) { w.rec[0] |= n.ints[0] << 1 }},
		ir.NodeGlobalVariable: {flags: 2 << 1},
		ir.NodeLocalVariable: {flags: 2, slots: fieldsNamed(ir.NodeLocalVariable,
			"scope name file line type arg flags align annotations")},
		ir.NodeLabel: {extra: (*moduleWriter).labelSuspend},
	}
}}

// diWriters maps kinds of specialised nodes to their writers, built from
// diRecords and diForms.
var diWriters = lazy.Value[map[ir.NodeKind]*diWriter]{Make: func() map[ir.NodeKind]*diWriter {
	all := map[ir.NodeKind]*diWriter{}
	for code, r := range diRecords.Get() {
		d := diForms.Get()[r.kind]
		d.code = code
		if d.slots == nil {
			d.slots = r.slots
		}
		all[r.kind] = &d
	}
	return all
}}

// diNode writes the record of a specialised node.
func (w *moduleWriter) diNode(md ir.Metadata) {
	kind := w.m.NodeKind(md)
	n := &diNode{kind: kind, ops: w.m.MDOperands(md), ints: w.m.MDInts(md)}
	distinct := bit(w.m.IsDistinct(md))
	switch kind {
	case ir.NodeExpression:
		const version = 3
		w.push(distinct | version<<exprVersionShft)
		w.push(n.ints...)
		w.record(mdExpression, w.rec...)
		return
	case ir.NodeGeneric:
		w.push(distinct, n.ints[0], 0)
		for _, op := range n.ops {
			w.push(w.mdOrNull(op))
		}
		w.record(mdGenericDebug, w.rec...)
		return
	}
	d := diWriters.Get()[kind]
	if d == nil {
		w.fail("metadata of unknown kind %d", kind)
	}
	w.push(distinct | d.flags)
	for _, f := range d.slots {
		switch {
		case f == nil:
			w.push(0)
		case f.Form.IsOperand():
			w.push(w.mdOrNull(n.ops[f.Slot]))
		default:
			w.push(n.ints[f.Slot])
		}
	}
	if d.extra != nil {
		d.extra(w, n)
	}
	w.record(d.code, w.rec...)
}

func (n *diNode) getInt(name string) uint64 { return n.ints[n.slot(name).Slot] }

// enumerator writes the value as words, the form that LLVM always uses.
func (w *moduleWriter) enumerator(n *diNode) {
	const isUnsigned, isWide = 2, 4
	v := w.m.MDValue(n.ops[n.slot("value").Slot])
	words := w.m.Words(vOrNone(w, v))
	w.rec[0] |= isWide | n.getInt("isUnsigned")*isUnsigned
	w.rec[1] = uint64(w.m.IntBits(w.m.TypeOfConst(v)))
	w.pushWords(activeWords(words))
}

// vOrNone returns v, which must be an integer constant.
func vOrNone(w *moduleWriter, v ir.Value) ir.Value {
	if k := w.m.ConstKindOf(v); k != ir.ConstInt && k != ir.ConstWide {
		w.fail("metadata node has an operand that is not an integer constant")
	}
	return v
}

// fixedPoint adds numerator and denominator: bit width, number of words in the
// upper half, words.
func (w *moduleWriter) fixedPoint(n *diNode) {
	for _, name := range [...]string{"numerator", "denominator"} {
		v := w.m.MDValue(n.ops[n.slot(name).Slot])
		if v == ir.None {
			w.push(1<<32|1, 0) // one-bit zero, as in LLVM
			continue
		}
		words := activeWords(w.m.Words(vOrNone(w, v)))
		w.push(uint64(len(words))<<32 | uint64(w.m.IntBits(w.m.TypeOfConst(v))))
		w.pushWords(words)
	}
}

// ptrAuth adds the parts of the last operand.
func (w *moduleWriter) ptrAuth(n *diNode) {
	x := uint64(0)
	if key := n.getInt("ptrAuthKey"); key != 0 {
		x = key | n.getInt("ptrAuthIsAddressDiscriminated")<<4 | n.getInt("ptrAuthExtraDiscriminator")<<5 |
			n.getInt("ptrAuthIsaPointer")<<21 | n.getInt("ptrAuthAuthenticatesNullValues")<<22
	}
	w.push(x)
}

// enumKind sets the operand of the kind of an enumeration.
func (w *moduleWriter) enumKind(n *diNode) {
	const place, none = 24, 1<<32 - 1
	w.rec[place] = none
	if k := n.getInt("enumKind"); k != 0 {
		w.rec[place] = k - 1
	}
}

// noSource omits the source if it is empty.
func (w *moduleWriter) noSource(n *diNode) {
	if n.ops[n.slot("source").Slot] == 0 {
		w.rec = w.rec[:len(w.rec)-1]
	}
}

// unitLanguage sets the language operand, which may be a name of DWARF 6. Units
// are always distinct.
func (w *moduleWriter) unitLanguage(n *diNode) {
	const versioned = 1 << 63
	w.rec[0] = 1
	if name := n.getInt("sourceLanguageName"); name != 0 {
		w.rec[1] = name | versioned
	}
}

// labelSuspend writes the label properties that the fields do not describe.
func (w *moduleWriter) labelSuspend(n *diNode) {
	w.rec[0] |= n.getInt("isArtificial") << 1
	w.push(n.getInt("coroSuspendIdx") - 1) // all bits set if absent
}

// fieldsNamed returns the named fields of a kind of node.
func fieldsNamed(kind ir.NodeKind, names string) (slots []*ir.Field) {
	return (&diRecord{kind: kind, fields: names}).named()
}
