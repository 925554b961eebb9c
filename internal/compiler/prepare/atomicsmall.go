package prepare

import "github.com/gfx-toolchain/gfx/ir"

// smallWord is the memory word that contains an i8 or i16.
type smallWord struct {
	p     ir.Value // address of the word
	shift ir.Value // offset of the value in the word, in bits
	mask  ir.Value // mask of the value's bits, i32
	inv   ir.Value // mask of the other bits
	t     ir.Type  // type of the value
	work  ir.Type  // integer type of the same width
}

// wordOf computes the word that contains a small value.
func (a *atomicExpander) wordOf(p ir.Value, t ir.Type, align uint32) smallWord {
	f, m := a.f, a.M
	bits := m.SizeInBits(t)
	w := smallWord{p: p, t: t, work: m.IntType(int(bits)), shift: m.NewInt(ir.I32, 0)}
	if align < 4 {
		index := m.IntType(int(m.Layout().Pointer(m.AddrSpace(f.TypeOf(p))).IndexBits))
		w.p = a.Call(m.DeclareIntrinsic(ir.IntrPtrmask, f.TypeOf(p), index), p, m.NewSigned(index, -4))
		low := a.FoldBinary(ir.OpAnd, a.FoldCast(ir.OpPtrToInt, p, index), m.NewInt(index, 3))
		w.shift = a.FoldCast(ir.OpTrunc, a.shiftBy(ir.OpShl, low, m.NewInt(index, 3)), ir.I32)
	}
	w.mask = a.shiftBy(ir.OpShl, m.NewInt(ir.I32, 1<<bits-1), w.shift)
	w.inv = a.FoldBinary(ir.OpXor, w.mask, m.NewSigned(ir.I32, -1))
	return w
}

// shiftBy shifts v and omits a shift by the constant zero.
func (a *atomicExpander) shiftBy(op ir.Op, v, by ir.Value) ir.Value {
	if c, ok := a.M.IntValue(by); ok && c == 0 {
		return v
	}
	return a.FoldBinary(op, v, by)
}

// extract extracts the value from a word.
func (a *atomicExpander) extract(w smallWord, word ir.Value) ir.Value {
	return a.Reinterpret(a.FoldCast(ir.OpTrunc, a.shiftBy(ir.OpLShr, word, w.shift), w.work), w.t)
}

// placeInWord shifts a value to its position in a word.
func (a *atomicExpander) placeInWord(w smallWord, v ir.Value) ir.Value {
	return a.shiftBy(ir.OpShl, a.FoldCast(ir.OpZExt, a.Reinterpret(v, w.work), ir.I32), w.shift)
}

// insert replaces the value in a word.
func (a *atomicExpander) insert(w smallWord, word, v ir.Value) ir.Value {
	return a.FoldBinary(ir.OpOr, a.FoldBinary(ir.OpAnd, word, w.inv), a.placeInWord(w, v))
}

// small expands an atomicrmw of less than 32 bits. And, or and xor become
// operations on the word, other operations loops.
func (a *atomicExpander) small(v, p, x ir.Value, t ir.Type) {
	f := a.f
	mi := f.MemInfo(v)
	w := a.wordOf(p, t, mi.Align)
	op := f.RMWOp(v)
	if op == ir.RMWAnd || op == ir.RMWOr || op == ir.RMWXor {
		word := a.placeInWord(w, x)
		if op == ir.RMWAnd {
			word = a.FoldBinary(ir.OpOr, word, w.inv)
		}
		n := a.Make(ir.OpAtomicRMW, ir.I32, w.p, word)
		f.Instr(n).Sub = uint8(op)
		mi.Align = max(mi.Align, 4)
		f.SetMemInfo(n, mi)
		f.CopyAttachments(n, v)
		f.SetAttachment(n, ir.MDTBAA, 0)
		a.list = append(a.list, n)
		a.replace(v, a.extract(w, n))
		return
	}
	old := a.loop(v, w.p, ir.I32, max(mi.Align, 4), func(old ir.Value) ir.Value {
		return a.insert(w, old, a.compute(op, a.extract(w, old), x))
	})
	a.replace(v, a.extract(w, old))
}

// cmpXchg expands a cmpxchg.
func (a *atomicExpander) cmpXchg(v ir.Value, plan atomicPlan) {
	switch plan {
	case atomicPlain:
		a.replace(v, a.plainCmpXchg(v, a.f.Operand(v, 0)))
	case atomicFlat64:
		a.byAddress(v, false)
	case atomicLoop:
		a.smallCmpXchg(v)
	}
}

// plainCmpXchg performs a cmpxchg non-atomically.
func (a *atomicExpander) plainCmpXchg(v, p ir.Value) ir.Value {
	f := a.f
	want, x := f.Operand(v, 1), f.Operand(v, 2)
	align := f.Align(v)
	old := a.access(a.Make(ir.OpLoad, f.TypeOf(x), p), v, align)
	same := a.Compare(ir.ICmpEQ, old, want)
	a.access(a.Make(ir.OpStore, ir.Void, a.Select(same, x, old), p), v, align)
	return a.pair(f.TypeOf(v), old, same)
}

// pair builds the result of a cmpxchg.
func (a *atomicExpander) pair(t ir.Type, old, same ir.Value) ir.Value {
	return a.InsertValue(a.InsertValue(a.M.Poison(t), old, 0), same, 1)
}

// smallCmpXchg expands a cmpxchg of less than 32 bits. It compares the whole
// word, with the other bits as last seen, and retries if only the other bits
// changed. A weak cmpxchg may fail in that case.
func (a *atomicExpander) smallCmpXchg(v ir.Value) {
	f, m := a.f, a.M
	p, want, x := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	mi := f.MemInfo(v)
	w := a.wordOf(p, f.TypeOf(x), mi.Align)
	align := max(mi.Align, 4)
	newWord, oldWord := a.placeInWord(w, x), a.placeInWord(w, want)
	end := a.split(v)
	before := a.Block()
	loop := a.newBlock(end, "partword.cmpxchg.loop")
	first := a.FoldBinary(ir.OpAnd, a.access(a.Make(ir.OpLoad, ir.I32, w.p), v, align), w.inv)
	a.Br(loop)
	a.AtEnd(loop)
	rest := a.Phi(ir.I32)
	f.AddIncoming(rest, first, before)
	c := a.Make(ir.OpCmpXchg, m.StructType([]ir.Type{ir.I32, ir.I1}, false), w.p, a.Or(rest, oldWord), a.Or(rest, newWord))
	wide := mi
	wide.Align = align
	f.SetMemInfo(c, wide)
	a.copyMetadata(c, v)
	old, same := a.ExtractValue(c, 0), a.ExtractValue(c, 1)
	if mi.Weak {
		a.Br(end)
	} else {
		failed := a.newBlock(end, "partword.cmpxchg.failure")
		a.CondBr(same, end, failed)
		a.AtEnd(failed)
		now := a.And(old, w.inv)
		a.CondBr(a.Compare(ir.ICmpNE, rest, now), loop, end)
		f.AddIncoming(rest, now, failed)
	}
	a.Before(v)
	a.replace(v, a.pair(f.TypeOf(v), a.extract(w, old), same))
}
