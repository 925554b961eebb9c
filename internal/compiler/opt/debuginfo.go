package opt

import "github.com/gfx-toolchain/gfx/ir"

const (
	dwOpDeref        = 0x06
	dwOpLLVMFragment = 0x1000
)

// collectRecords collects the debug records that use an alloca.
func (p *promoter) collectRecords(a ir.Value) {
	f := p.f
	p.records = p.records[:0]
	for u := f.FirstRecordUse(a); u != 0; u = f.NextUse(u) {
		if r := f.User(u); f.Op(r).IsRecord() {
			p.records = append(p.records, r)
		}
	}
}

// recordStore inserts debug records that assign the value of a store to the
// variables of an alloca. The store is about to be erased.
func (p *promoter) recordStore(store ir.Value, records []ir.Value) {
	if len(records) == 0 {
		return
	}
	f := p.f
	v := f.Operand(store, 0)
	id := f.Attachment(store, ir.MDAssignID)
	for _, r := range records {
		switch f.Op(r) {
		case ir.OpDbgDeclare:
			p.newValue(r, store, v)
		case ir.OpDbgValue:
			// the record is certain to refer to the stored value only if the
			// alloca has a single store
			if startsWithDeref(f, r) && len(p.defs) == 1 && p.onlyStore == store {
				f.AttachRecord(p.valueRecord(r, v), store)
			}
		case ir.OpDbgAssign:
			if of, _ := f.AssignRecord(r); of == id && id != 0 {
				// The record is at the assignment and now holds a value.
				f.RemoveOperands(r, f.NumOperands(r)-1, 1)
				f.SetOp(r, ir.OpDbgValue)
			}
		}
	}
}

// newValue inserts a dbg_value for a declaration before a store of v. The value
// is poison if v is only a part of the variable.
func (p *promoter) newValue(declare, store, v ir.Value) {
	f := p.f
	expr := f.Module().MDInts(ir.Metadata(f.Instr(declare).Y))
	whole := len(expr) == 1 && expr[0] == dwOpDeref || !startsWithDeref(f, declare) && coversVariable(f, f.TypeOf(v), declare)
	if !whole {
		v = f.Module().Poison(f.TypeOf(v))
	}
	f.AttachRecord(p.valueRecord(declare, v), store)
}

// valueRecord creates a dbg_value of v for the variable of another record.
func (p *promoter) valueRecord(of, v ir.Value) ir.Value {
	f := p.f
	in := f.Instr(of)
	return f.NewRecord(ir.OpDbgValue, ir.Metadata(in.X), ir.Metadata(in.Y), lineZero(f.Module(), in.Loc), v)
}

// recordPhi inserts debug records that assign the value of a phi to the
// variables of an alloca.
func (p *promoter) recordPhi(phi ir.Value, records []ir.Value) {
	f := p.f
	for _, r := range records {
		if f.Op(r) != ir.OpDbgDeclare || !coversVariable(f, f.TypeOf(phi), r) {
			continue
		}
		at := f.FirstNonPhi(f.Parent(phi))
		if at == ir.None || p.hasValue(phi, r) {
			continue
		}
		f.PrependRecord(p.valueRecord(r, phi), at)
	}
}

// hasValue reports whether a phi already is the value of a record's variable.
func (p *promoter) hasValue(phi, r ir.Value) bool {
	f := p.f
	for u := f.FirstRecordUse(phi); u != 0; u = f.NextUse(u) {
		x := f.User(u)
		if f.Op(x) == ir.OpDbgValue && f.Instr(x).X == f.Instr(r).X && f.Instr(x).Y == f.Instr(r).Y {
			return true
		}
	}
	return false
}

// eraseRecords removes the records of a removed alloca: declarations, and
// records of its contents.
func (p *promoter) eraseRecords() {
	f := p.f
	for _, r := range p.records {
		switch f.Op(r) {
		case ir.OpDbgDeclare, ir.OpDbgAssign:
			f.EraseRecord(r)
		case ir.OpDbgValue:
			if startsWithDeref(f, r) {
				f.EraseRecord(r)
			}
		}
	}
}

// startsWithDeref reports whether the expression of a record dereferences the
// address.
func startsWithDeref(f *ir.Function, r ir.Value) bool {
	expr := f.Module().MDInts(ir.Metadata(f.Instr(r).Y))
	return len(expr) > 0 && expr[0] == dwOpDeref
}

// coversVariable reports whether a value of type t covers a record's whole
// variable, or its fragment.
func coversVariable(f *ir.Function, t ir.Type, r ir.Value) bool {
	m := f.Module()
	size := m.AllocSize(t) * 8
	expr := m.MDInts(ir.Metadata(f.Instr(r).Y))
	if n := len(expr); n >= 3 && expr[n-3] == dwOpLLVMFragment {
		return size >= expr[n-1]
	}
	if n := variableSize(m, ir.Metadata(f.Instr(r).X)); n != 0 {
		return size >= n
	}
	if a := f.Operand(r, 0); f.Op(r) == ir.OpDbgDeclare && f.Op(a) == ir.OpAlloca {
		n, ok := m.IntValue(f.Operand(a, 0))
		return ok && size >= m.AllocSize(f.AllocatedType(a))*8*n
	}
	return false
}

// variableSize returns the size of a DILocalVariable in bits, or 0 if unknown.
func variableSize(m *ir.Module, variable ir.Metadata) uint64 {
	t := mdField(m, variable, "type")
	for range 64 { // types may be circular in invalid metadata
		if t == 0 || !m.IsNode(t) {
			return 0
		}
		if n, ok := m.MDInt(mdField(m, t, "size")); ok && n != 0 {
			return n
		}
		if m.NodeKind(t) != ir.NodeDerivedType {
			return 0
		}
		t = mdField(m, t, "baseType")
	}
	return 0
}

// mdField returns a named operand field of a node, or 0.
func mdField(m *ir.Module, node ir.Metadata, name string) ir.Metadata {
	if node == 0 || m.NodeKind(node) <= ir.NodeTuple {
		return 0
	}
	field := m.NodeKind(node).FieldByName([]byte(name))
	ops := m.MDOperands(node)
	if field == nil || !field.Form.IsOperand() || int(field.Slot) >= len(ops) {
		return 0
	}
	return ops[field.Slot]
}

// Operands and integers of a DILocation.
const (
	locScope, locInlinedAt = 0, 1
	locLine, locColumn     = 0, 1
	locInts                = 5
)

// newLoc returns a DILocation.
func newLoc(m *ir.Module, line, column uint64, scope, inlinedAt ir.Metadata) ir.Metadata {
	ints := [locInts]uint64{locLine: line, locColumn: column}
	return m.NewNode(ir.NodeLocation, []ir.Metadata{scope, inlinedAt}, ints[:])
}

// lineZero returns a location with line 0 in the scope of another location.
func lineZero(m *ir.Module, loc ir.Metadata) ir.Metadata {
	if loc == 0 || m.NodeKind(loc) != ir.NodeLocation {
		return loc
	}
	ops := m.MDOperands(loc)
	return newLoc(m, 0, 0, ops[locScope], ops[locInlinedAt])
}

// MergeLocs returns the location of an instruction that replaces two. As in
// LLVM, it is in their nearest common scope, with the line and column if these
// are equal.
func MergeLocs(m *ir.Module, a, b ir.Metadata) ir.Metadata {
	if a == b {
		return a
	}
	if a == 0 || b == 0 || m.NodeKind(a) != ir.NodeLocation || m.NodeKind(b) != ir.NodeLocation {
		return 0
	}
	ao, bo := m.MDOperands(a), m.MDOperands(b)
	if ao[locInlinedAt] != bo[locInlinedAt] {
		return 0
	}
	scope := commonScope(m, ao[locScope], bo[locScope])
	if scope == 0 {
		return 0
	}
	ai, bi := m.MDInts(a), m.MDInts(b)
	line, column := uint64(0), uint64(0)
	if ai[locLine] == bi[locLine] {
		line = ai[locLine]
		if ai[locColumn] == bi[locColumn] {
			column = ai[locColumn]
		}
	}
	return newLoc(m, line, column, scope, ao[locInlinedAt])
}

// commonScope returns the innermost common scope, or 0.
func commonScope(m *ir.Module, a, b ir.Metadata) ir.Metadata {
	for range 256 {
		for s, n := b, 0; s != 0 && n < 256; s, n = outerScope(m, s), n+1 {
			if s == a {
				return a
			}
		}
		if a = outerScope(m, a); a == 0 {
			return 0
		}
	}
	return 0
}

// outerScope returns the scope around a lexical block, or 0 for a subprogram.
func outerScope(m *ir.Module, s ir.Metadata) ir.Metadata {
	if k := m.NodeKind(s); k != ir.NodeLexicalBlock && k != ir.NodeLexicalBlockFile {
		return 0
	}
	return mdField(m, s, "scope")
}
