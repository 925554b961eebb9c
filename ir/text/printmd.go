package text

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// namedMetadata prints the named metadata of the module.
func (w *printer) namedMetadata() {
	if len(w.m.NamedMDs) > 0 {
		w.byte('\n')
	}
	for _, n := range w.m.NamedMDs {
		w.byte('!')
		w.out = appendMDName(w.out, n.Name)
		w.str(" = !{")
		for i, md := range n.Ops {
			if i > 0 {
				w.str(", ")
			}
			w.metadata(md)
		}
		w.str("}\n")
	}
}

// metadataNodes prints the numbered nodes, followed by nodes that get their
// numbers only when a printed node refers to them.
func (w *printer) metadataNodes() {
	if len(w.nodes) > 0 {
		w.byte('\n')
	}
	for i := 0; i < len(w.nodes); i++ {
		w.byte('!')
		w.int(i)
		w.str(" = ")
		w.nodeBody(w.nodes[i])
		w.byte('\n')
	}
}

// metadata prints metadata as an operand: !7, !"s", T c, null. Expressions are
// printed inline.
func (w *printer) metadata(md ir.Metadata) {
	switch k := w.m.NodeKind(md); {
	case md == 0:
		w.str("null")
	case k == ir.NodeString:
		s, _ := w.m.MDString(md)
		w.byte('!')
		w.quoted(s)
	case k == ir.NodeValue:
		w.typed(w.m.MDValue(md))
	case k == ir.NodeExpression:
		w.nodeBody(md)
	default:
		w.byte('!')
		w.int(w.nodeNumber(md))
	}
}

// nodeNumber returns the number of a node. A node without a number gets the
// next one, because printing a self-referential node in place would not
// terminate.
func (w *printer) nodeNumber(md ir.Metadata) int {
	if w.shared && (int(md) >= len(w.nodeOf) || w.nodeOf[md] == 0) {
		w.unnumbered = true
		return 0
	}
	if int(md) >= len(w.nodeOf) {
		w.nodeOf = append(w.nodeOf, make([]int32, w.m.NumMetadata()-len(w.nodeOf))...)
	}
	w.nodeSlot(md)
	return int(w.nodeOf[md]) - 1
}

// localMetadata prints a local value as metadata, or a list of values.
func (w *printer) localMetadata(v ir.Value) {
	ops := w.f.Operands(v)
	if w.f.Instr(v).Sub == 0 {
		w.typed(ops[0].Value)
		return
	}
	w.argList(ops)
}

func (w *printer) argList(ops []ir.Operand) {
	w.str("!DIArgList(")
	for i, o := range ops {
		if i > 0 {
			w.str(", ")
		}
		w.typed(o.Value)
	}
	w.byte(')')
}

// nodeBody prints the definition of a node.
func (w *printer) nodeBody(md ir.Metadata) {
	if w.m.IsDistinct(md) {
		w.str("distinct ")
	}
	kind := w.m.NodeKind(md)
	if kind == ir.NodeTuple {
		w.str("!{")
		for i, op := range w.m.MDOperands(md) {
			if i > 0 {
				w.str(", ")
			}
			w.metadata(op)
		}
		w.byte('}')
		return
	}
	w.str("!" + kind.String() + "(")
	if kind == ir.NodeExpression {
		w.expression(w.m.MDInts(md))
	} else {
		w.fields(md, kind)
	}
	w.byte(')')
}

// expression prints the operations of a DIExpression.
func (w *printer) expression(ints []uint64) {
	const convert = 0x1001 // DW_OP_LLVM_convert
	sep := ""
	number := func(n uint64) {
		w.str(sep)
		w.out = strconv.AppendUint(w.out, n, 10)
		sep = ", "
	}
	if !ir.IsValidExpr(ints) {
		for _, n := range ints {
			number(n)
		}
		return
	}
	for at := 0; at < len(ints); {
		args, _ := ir.ExprStep(ints[at:])
		w.str(sep + ir.DwarfOps.Name(ints[at]))
		sep = ", "
		for i, n := range ints[at+1 : at+1+args] {
			if name := ir.DwarfEncodings.Name(n); ints[at] == convert && i == 1 && name != "" {
				w.str(sep + name)
			} else {
				number(n)
			}
		}
		at += 1 + args
	}
}

// fields prints the fields of a specialised node.
func (w *printer) fields(md ir.Metadata, kind ir.NodeKind) {
	start := len(w.out)
	table := kind.Fields()
	ops, ints := w.m.MDOperands(md), w.m.MDInts(md)
	for i := range table {
		f := &table[i]
		if !w.m.IsPrinted(md, f) {
			continue
		}
		at := len(w.out)
		if at > start {
			w.str(", ")
		}
		w.str(f.Name + ": ")
		written := false
		if f.Form.IsOperand() {
			written = w.operandField(f, ops, md)
		} else {
			written = w.intField(f, ints[f.Slot])
		}
		if !written {
			w.out = w.out[:at]
		}
	}
}

// operandField prints the value of a field stored in the operands. It reports
// whether the field is printed.
func (w *printer) operandField(f *ir.Field, ops []ir.Metadata, md ir.Metadata) bool {
	if f.Form == ir.FieldList {
		return w.listField(ops[f.Slot:])
	}
	op := ops[f.Slot]
	always := f.Flags&ir.AlwaysPrinted != 0
	switch f.Form {
	case ir.FieldString:
		s, _ := w.m.MDString(op)
		w.quoted(s)
		return s != "" || always
	case ir.FieldIntOrNode, ir.FieldSize, ir.FieldWide:
		if v := w.m.MDValue(op); v != ir.None && f.Flags&ir.PrintedTyped == 0 {
			if f.Form == ir.FieldWide && w.m.MDFieldInt(md, "isUnsigned") != 0 {
				w.unsignedConst(v)
			} else {
				w.constant(v)
			}
			return f.Form != ir.FieldSize || !w.m.IsZero(v)
		}
	case ir.FieldExpr:
		if ints := w.m.MDInts(op); w.m.NodeKind(op) == ir.NodeExpression && len(ints) == 2 && ints[0] == 0x11 {
			w.out = strconv.AppendInt(w.out, int64(ints[1]), 10)
			return true
		}
	}
	w.metadata(op)
	return op != 0 || always
}

// unsignedConst prints an integer constant as an unsigned number.
func (w *printer) unsignedConst(v ir.Value) {
	if x, ok := w.m.IntValue(v); ok {
		w.out = strconv.AppendUint(w.out, x, 10)
		return
	}
	w.constant(v)
}

func (w *printer) listField(ops []ir.Metadata) bool {
	w.byte('{')
	for i, op := range ops {
		if i > 0 {
			w.str(", ")
		}
		w.metadata(op)
	}
	w.byte('}')
	return len(ops) > 0
}

// intField prints the value of a field stored in the integers. It reports
// whether the field is printed.
func (w *printer) intField(f *ir.Field, x uint64) bool {
	always := f.Flags&ir.AlwaysPrinted != 0
	switch f.Form {
	case ir.FieldBool:
		w.out = strconv.AppendBool(w.out, x != 0)
	case ir.FieldInt:
		w.out = strconv.AppendInt(w.out, int64(x), 10)
	case ir.FieldUint:
		w.out = strconv.AppendUint(w.out, x, 10)
	case ir.FieldOptUint, ir.FieldOptEnum:
		if x == 0 {
			return false
		}
		w.enum(f.Names, x-1)
		return true
	case ir.FieldEnum:
		w.enum(f.Names, x)
	case ir.FieldFlags:
		w.diFlags(x)
	case ir.FieldSPFlags:
		w.bits(x, ir.DISPFlags, "")
		if x == 0 {
			w.byte('0')
		}
	}
	return x != f.Default || always
}

func (w *printer) enum(names ir.NameTable, x uint64) {
	if name := names.Name(x); name != "" {
		w.str(name)
		return
	}
	w.out = strconv.AppendUint(w.out, x, 10)
}

// Multi-bit flags.
const (
	accessMask          = 3
	inheritanceMask     = 0x30000
	indirectVirtualBase = 0x24
)

// diFlags prints flags of types and variables, multi-bit flags first.
func (w *printer) diFlags(x uint64) {
	sep := ""
	for _, mask := range [...]uint64{accessMask, inheritanceMask} {
		if bits := x & mask; bits != 0 {
			w.str(sep + ir.DIFlags.Name(bits))
			sep = " | "
			x &^= bits
		}
	}
	if x&indirectVirtualBase == indirectVirtualBase {
		w.str(sep + ir.DIFlags.Name(indirectVirtualBase))
		sep = " | "
		x &^= indirectVirtualBase
	}
	w.bits(x, ir.DIFlags, sep)
}

// bits prints the names of single bits, and the remaining bits as a number.
func (w *printer) bits(x uint64, names ir.NameTable, sep string) {
	for bit := uint64(1); bit != 0 && bit <= x; bit <<= 1 {
		if name := names.Name(bit); x&bit != 0 && name != "" {
			w.str(sep + name)
			sep = " | "
			x &^= bit
		}
	}
	if x != 0 {
		w.str(sep)
		w.out = strconv.AppendUint(w.out, x, 10)
	}
}

// record prints a debug record.
func (w *printer) record(r ir.Value) {
	f := w.f
	in := f.Instr(r)
	w.str(in.Op.String() + "(")
	if in.Op == ir.OpDbgLabel {
		w.metadata(ir.Metadata(in.X))
		w.str(", ")
		w.metadata(in.Loc)
		w.byte(')')
		return
	}
	ops := f.Operands(r)
	addr := ir.None
	if in.Op == ir.OpDbgAssign {
		addr = ops[len(ops)-1].Value
		ops = ops[:len(ops)-1]
	}
	if in.Sub != 0 {
		w.argList(ops)
	} else {
		w.recordOperand(ops[0].Value)
	}
	w.str(", ")
	w.metadata(ir.Metadata(in.X))
	w.str(", ")
	w.metadata(ir.Metadata(in.Y))
	w.str(", ")
	if in.Op == ir.OpDbgAssign {
		id, expr := f.AssignRecord(r)
		w.metadata(id)
		w.str(", ")
		w.recordOperand(addr)
		w.str(", ")
		w.metadata(expr)
		w.str(", ")
	}
	w.metadata(in.Loc)
	w.byte(')')
}

// recordOperand prints the value operand of a record.
func (w *printer) recordOperand(v ir.Value) {
	if v.IsMetadata() {
		w.metadata(v.Metadata())
		return
	}
	w.typed(v)
}
