package opt

import "github.com/gfx-toolchain/gfx/ir"

const (
	dwOpDeref        = 0x06
	dwOpLLVMFragment = 0x1000
)

// collectRecords notes the debug records that use an alloca.
func (p *promoter) collectRecords(a ir.Value) {
	f := p.f
	p.records = p.records[:0]
	for u := f.FirstRecordUse(a); u != 0; u = f.NextUse(u) {
		if r := f.User(u); f.Op(r).IsRecord() {
			p.records = append(p.records, r)
		}
	}
}

// recordStore says in debug records that the variables of an alloca get the value of a store, which is about to go.
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
			// only where there is one store is it known that the record is of its value
			if startsWithDeref(f, r) && len(p.defs) == 1 && p.onlyStore == store {
				f.AttachRecord(p.valueRecord(r, v), store)
			}
		case ir.OpDbgAssign:
			if of, _ := f.AssignRecord(r); of == id && id != 0 {
				// it is where the assignment was: now a value
				f.RemoveOperands(r, f.NumOperands(r)-1, 1)
				f.SetOp(r, ir.OpDbgValue)
			}
		}
	}
}

// newValue puts a dbg_value for a declaration before a store of v; it says poison if v is only a part of the variable.
func (p *promoter) newValue(declare, store, v ir.Value) {
	f := p.f
	expr := f.Module().MDInts(ir.Metadata(f.Instr(declare).Y))
	whole := len(expr) == 1 && expr[0] == dwOpDeref || !startsWithDeref(f, declare) && coversVariable(f, f.TypeOf(v), declare)
	if !whole {
		v = f.Module().Poison(f.TypeOf(v))
	}
	f.AttachRecord(p.valueRecord(declare, v), store)
}

// valueRecord makes a dbg_value of v for the variable of another record.
func (p *promoter) valueRecord(of, v ir.Value) ir.Value {
	f := p.f
	in := f.Instr(of)
	return f.NewRecord(ir.OpDbgValue, ir.Metadata(in.X), ir.Metadata(in.Y), lineZero(f.Module(), in.Loc), v)
}

// recordPhi says in debug records that the variables of an alloca get the value of a phi.
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

// hasValue reports whether a phi is the value of a record's variable already.
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

// eraseRecords removes the records of an alloca that goes: declarations, and those that say what is in it.
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

// startsWithDeref reports whether the expression of a record takes what is at the address.
func startsWithDeref(f *ir.Function, r ir.Value) bool {
	expr := f.Module().MDInts(ir.Metadata(f.Instr(r).Y))
	return len(expr) > 0 && expr[0] == dwOpDeref
}

// coversVariable reports whether a value of a type is the whole of a record's variable, or of the fragment of it.
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

// variableSize gives the size of a DILocalVariable in bits, 0 when it is not known.
func variableSize(m *ir.Module, variable ir.Metadata) uint64 {
	t := mdField(m, variable, "type")
	for range 64 { // types may be circular in wrong metadata
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

// mdField gives a field of a node that is an operand, 0 when it has none of that name.
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

// newLoc gives a DILocation.
func newLoc(m *ir.Module, line, column uint64, scope, inlinedAt ir.Metadata) ir.Metadata {
	ints := [locInts]uint64{locLine: line, locColumn: column}
	return m.NewNode(ir.NodeLocation, []ir.Metadata{scope, inlinedAt}, ints[:])
}

// lineZero gives a location without line in the scope of another one.
func lineZero(m *ir.Module, loc ir.Metadata) ir.Metadata {
	if loc == 0 || m.NodeKind(loc) != ir.NodeLocation {
		return loc
	}
	ops := m.MDOperands(loc)
	return newLoc(m, 0, 0, ops[locScope], ops[locInlinedAt])
}

// mergeLocs gives the location of an instruction that stands for two: what both have in common. As in LLVM that is the
// nearest common scope, and line and column as far as they are the same.
func mergeLocs(m *ir.Module, a, b ir.Metadata) ir.Metadata {
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

// commonScope gives the innermost scope that holds both, 0 when there is none.
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

// outerScope gives the scope around a block of code, 0 for a subprogram.
func outerScope(m *ir.Module, s ir.Metadata) ir.Metadata {
	if k := m.NodeKind(s); k != ir.NodeLexicalBlock && k != ir.NodeLexicalBlockFile {
		return 0
	}
	return mdField(m, s, "scope")
}
