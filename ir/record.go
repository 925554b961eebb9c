package ir

// Debug records hang on the instruction before which they stand: its rec is the first, they are chained by
// next and prev, and the rec of each is the instruction.

// FirstRecord gives the first debug record before an instruction, None when there is none. NextRecord gives those behind it.
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

// NextRecord gives the debug record behind another one before the same instruction, None at the end.
func (f *Function) NextRecord(rec Value) Value { return f.instrs[rec].next }

// RecordOwner gives the instruction before which a record stands.
func (f *Function) RecordOwner(rec Value) Value { return f.instrs[rec].rec }

// NewRecord makes a debug record: OpDbgValue, OpDbgDeclare, OpDbgDeclareValue or OpDbgLabel. It stands nowhere yet.
func (f *Function) NewRecord(op Op, variable, expr, loc Metadata, ops ...Value) Value {
	v := f.NewInstr(op, Void, ops...)
	in := &f.instrs[v]
	in.X, in.Y, in.Loc = uint32(variable), uint32(expr), loc
	return v
}

// NewAssignRecord makes an OpDbgAssign of a value to an address; id is a DIAssignID.
func (f *Function) NewAssignRecord(variable, expr, loc, id, addrExpr Metadata, value, address Value) Value {
	v := f.NewRecord(OpDbgAssign, variable, expr, loc, value, address)
	f.instrs[v].md = f.addAux([]uint32{uint32(id), uint32(addrExpr)})
	return v
}

// AssignRecord gives ID and address expression of an OpDbgAssign.
func (f *Function) AssignRecord(rec Value) (id, addrExpr Metadata) {
	at := f.instrs[rec].md
	return Metadata(f.aux[at]), Metadata(f.aux[at+1])
}

// AttachRecord puts a record behind those that stand before an instruction.
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

// PrependRecord puts a record before those that stand before an instruction.
func (f *Function) PrependRecord(rec, before Value) {
	first := f.instrs[before].rec
	in := &f.instrs[rec]
	in.rec, in.block, in.next = before, f.instrs[before].block, first
	if first != None {
		f.instrs[first].prev = rec
	}
	f.instrs[before].rec = rec
}

// MoveRecords puts the debug records of an instruction before those of another one.
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

// moveRecords puts the records of one instruction before those of another one.
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

// passRecords gives the records of an instruction that leaves its block to the next one, or removes them.
func (f *Function) passRecords(v Value) {
	if next := f.instrs[v].next; next != None {
		f.moveRecords(v, next)
		return
	}
	f.dropRecords(v)
}

// FirstRecordUse gives the first use of a local value by a debug record or local metadata, 0 when there is none;
// NextUse gives the others.
func (f *Function) FirstRecordUse(v Value) Use { return f.recordUses[v] }

// NewLocalMetadata makes a local value an operand of type metadata: "metadata i32 %x".
func (f *Function) NewLocalMetadata(v Value) Value { return f.NewInstr(OpLocalMetadata, MD, v) }

// NewLocalArgList makes a DIArgList of values.
func (f *Function) NewLocalArgList(ops ...Value) Value {
	v := f.NewInstr(OpLocalMetadata, MD, ops...)
	f.instrs[v].Sub = 1
	return v
}

// NewVariableRecord makes an OpDbgValue, OpDbgDeclare or OpDbgDeclareValue of a value. A list (local metadata with several
// operands) gives a record with these operands.
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
