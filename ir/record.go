package ir

// Debug records are attached to the instruction that follows them. The
// instruction's rec field is the first record, next and prev link the records,
// and the rec field of each record is the instruction.

// FirstRecord returns the first debug record before an instruction, or None.
// NextRecord returns the following ones.
func (f *Function) FirstRecord(v Value) Value {
	if f.instrs[v].Op.IsRecord() {
		return None
	}
	return f.instrs[v].rec
}

// HasDebugInfo reports whether an instruction has a location or debug records.
func (f *Function) HasDebugInfo() bool {
	for i := range f.instrs {
		if in := &f.instrs[i]; in.Loc != 0 || in.rec != None {
			return true
		}
	}
	return false
}

// NextRecord returns the debug record after rec that precedes the same
// instruction, or None at the end.
func (f *Function) NextRecord(rec Value) Value { return f.instrs[rec].next }

// RecordOwner returns the instruction that follows a record.
func (f *Function) RecordOwner(rec Value) Value { return f.instrs[rec].rec }

// NewRecord creates a detached debug record: OpDbgValue, OpDbgDeclare,
// OpDbgDeclareValue or OpDbgLabel.
func (f *Function) NewRecord(op Op, variable, expr, loc Metadata, ops ...Value) Value {
	v := f.NewInstr(op, Void, ops...)
	in := &f.instrs[v]
	in.X, in.Y, in.Loc = uint32(variable), uint32(expr), loc
	return v
}

// NewAssignRecord creates an OpDbgAssign for the assignment of value to
// address. id is a DIAssignID.
func (f *Function) NewAssignRecord(variable, expr, loc, id, addrExpr Metadata, value, address Value) Value {
	v := f.NewRecord(OpDbgAssign, variable, expr, loc, value, address)
	f.instrs[v].md = f.addAux([]uint32{uint32(id), uint32(addrExpr)})
	return v
}

// AssignRecord returns the DIAssignID and the address expression of an
// OpDbgAssign.
func (f *Function) AssignRecord(rec Value) (id, addrExpr Metadata) {
	at := f.instrs[rec].md
	return Metadata(f.aux[at]), Metadata(f.aux[at+1])
}

// AttachRecord adds a record after the existing records of an instruction.
func (f *Function) AttachRecord(rec, before Value) {
	f.instrs[rec].rec = before
	f.instrs[rec].block = f.instrs[before].block
	last := f.instrs[before].rec
	if last == None {
		f.instrs[before].rec = rec
		return
	}
	for f.instrs[last].next != None {
		last = f.instrs[last].next
	}
	f.instrs[last].next, f.instrs[rec].prev = rec, last
}

// PrependRecord adds a record before the existing records of an instruction.
func (f *Function) PrependRecord(rec, before Value) {
	first := f.instrs[before].rec
	in := &f.instrs[rec]
	in.rec, in.block, in.next = before, f.instrs[before].block, first
	if first != None {
		f.instrs[first].prev = rec
	}
	f.instrs[before].rec = rec
}

// MoveRecords moves the debug records of an instruction before the records of
// another one.
func (f *Function) MoveRecords(from, to Value) {
	if from != to {
		f.moveRecords(from, to)
	}
}

// EraseRecord removes a debug record.
func (f *Function) EraseRecord(rec Value) {
	in := &f.instrs[rec]
	if in.prev != None {
		f.instrs[in.prev].next = in.next
	} else if in.rec != None {
		f.instrs[in.rec].rec = in.next
	}
	if in.next != None {
		f.instrs[in.next].prev = in.prev
	}
	f.dropOperands(rec)
	f.instrs[rec] = Instr{}
	f.holes++
}

func (f *Function) dropRecords(v Value) {
	for r := f.FirstRecord(v); r != None; r = f.FirstRecord(v) {
		f.EraseRecord(r)
	}
}

// moveRecords moves the debug records of an instruction before the records of
// another one.
func (f *Function) moveRecords(from, to Value) {
	first := f.instrs[from].rec
	if first == None {
		return
	}
	f.instrs[from].rec = None
	last := first
	for r := first; r != None; r = f.instrs[r].next {
		f.instrs[r].rec, f.instrs[r].block = to, f.instrs[to].block
		last = r
	}
	if rest := f.instrs[to].rec; rest != None {
		f.instrs[last].next, f.instrs[rest].prev = rest, last
	}
	f.instrs[to].rec = first
}

// passRecords moves the records of an instruction that leaves its block to the
// next instruction, or removes them at the end of the block.
func (f *Function) passRecords(v Value) {
	if next := f.instrs[v].next; next != None {
		f.moveRecords(v, next)
		return
	}
	f.dropRecords(v)
}

// FirstRecordUse returns the first use of a local value by a debug record or
// local metadata, or 0 if it has none. NextUse returns the others.
func (f *Function) FirstRecordUse(v Value) Use { return f.recordUses[v] }

// NewLocalMetadata creates an operand of type metadata from a local value:
// "metadata i32 %x".
func (f *Function) NewLocalMetadata(v Value) Value { return f.NewInstr(OpLocalMetadata, MD, v) }

// NewLocalArgList creates a DIArgList.
func (f *Function) NewLocalArgList(ops ...Value) Value {
	v := f.NewInstr(OpLocalMetadata, MD, ops...)
	f.instrs[v].Sub = 1
	return v
}

// NewVariableRecord creates an OpDbgValue, OpDbgDeclare or OpDbgDeclareValue of
// v. If v is a list (local metadata with several operands), its elements become
// the operands of the record.
func (f *Function) NewVariableRecord(op Op, variable, expr, loc Metadata, v Value) Value {
	if !v.IsLocal() || f.instrs[v].Op != OpLocalMetadata {
		return f.NewRecord(op, variable, expr, loc, v)
	}
	var ops []Value
	for _, o := range f.Operands(v) {
		ops = append(ops, o.Value)
	}
	isList := f.instrs[v].Sub
	f.Erase(v)
	r := f.NewRecord(op, variable, expr, loc, ops...)
	f.instrs[r].Sub = isList
	return r
}
