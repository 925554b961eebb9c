package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// atomicRow holds the operations of one kind of atomicrmw: global, flat,
// buffer, and LDS without and with the old value.
type atomicRow struct {
	global, flat, buffer, lds, ldsReturn mir.Op
}

// atomicKey is an operation and the type of its value. kind is the kind of the
// elements of a vector: two of the 16-bit types have 4 bytes.
type atomicKey struct {
	op    ir.RMWOp
	kind  ir.TypeKind // KindInt, KindHalf, KindBFloat, KindFloat, KindDouble
	bytes uint64
}

var atomicTable = lazy.Value[map[atomicKey]atomicRow]{Make: func() map[atomicKey]atomicRow {
	return map[atomicKey]atomicRow{
		{ir.RMWXchg, ir.KindInt, 4}:     {mir.GlobalAtomicSwapB32, mir.FlatAtomicSwapB32, mir.BufferAtomicSwapB32, mir.OpNone, mir.DsStorexchgRtnB32},
		{ir.RMWXchg, ir.KindInt, 8}:     {mir.GlobalAtomicSwapB64, mir.FlatAtomicSwapB64, mir.BufferAtomicSwapB64, mir.OpNone, mir.DsStorexchgRtnB64},
		{ir.RMWAdd, ir.KindInt, 4}:      {mir.GlobalAtomicAddU32, mir.FlatAtomicAddU32, mir.BufferAtomicAddU32, mir.DsAddU32, mir.DsAddRtnU32},
		{ir.RMWAdd, ir.KindInt, 8}:      {mir.GlobalAtomicAddU64, mir.FlatAtomicAddU64, mir.BufferAtomicAddU64, mir.DsAddU64, mir.DsAddRtnU64},
		{ir.RMWSub, ir.KindInt, 4}:      {mir.GlobalAtomicSubU32, mir.FlatAtomicSubU32, mir.BufferAtomicSubU32, mir.DsSubU32, mir.DsSubRtnU32},
		{ir.RMWSub, ir.KindInt, 8}:      {mir.GlobalAtomicSubU64, mir.FlatAtomicSubU64, mir.BufferAtomicSubU64, mir.DsSubU64, mir.DsSubRtnU64},
		{ir.RMWAnd, ir.KindInt, 4}:      {mir.GlobalAtomicAndB32, mir.FlatAtomicAndB32, mir.BufferAtomicAndB32, mir.DsAndB32, mir.DsAndRtnB32},
		{ir.RMWAnd, ir.KindInt, 8}:      {mir.GlobalAtomicAndB64, mir.FlatAtomicAndB64, mir.BufferAtomicAndB64, mir.DsAndB64, mir.DsAndRtnB64},
		{ir.RMWOr, ir.KindInt, 4}:       {mir.GlobalAtomicOrB32, mir.FlatAtomicOrB32, mir.BufferAtomicOrB32, mir.DsOrB32, mir.DsOrRtnB32},
		{ir.RMWOr, ir.KindInt, 8}:       {mir.GlobalAtomicOrB64, mir.FlatAtomicOrB64, mir.BufferAtomicOrB64, mir.DsOrB64, mir.DsOrRtnB64},
		{ir.RMWXor, ir.KindInt, 4}:      {mir.GlobalAtomicXorB32, mir.FlatAtomicXorB32, mir.BufferAtomicXorB32, mir.DsXorB32, mir.DsXorRtnB32},
		{ir.RMWXor, ir.KindInt, 8}:      {mir.GlobalAtomicXorB64, mir.FlatAtomicXorB64, mir.BufferAtomicXorB64, mir.DsXorB64, mir.DsXorRtnB64},
		{ir.RMWMax, ir.KindInt, 4}:      {mir.GlobalAtomicMaxI32, mir.FlatAtomicMaxI32, mir.BufferAtomicMaxI32, mir.DsMaxI32, mir.DsMaxRtnI32},
		{ir.RMWMax, ir.KindInt, 8}:      {mir.GlobalAtomicMaxI64, mir.FlatAtomicMaxI64, mir.BufferAtomicMaxI64, mir.DsMaxI64, mir.DsMaxRtnI64},
		{ir.RMWMin, ir.KindInt, 4}:      {mir.GlobalAtomicMinI32, mir.FlatAtomicMinI32, mir.BufferAtomicMinI32, mir.DsMinI32, mir.DsMinRtnI32},
		{ir.RMWMin, ir.KindInt, 8}:      {mir.GlobalAtomicMinI64, mir.FlatAtomicMinI64, mir.BufferAtomicMinI64, mir.DsMinI64, mir.DsMinRtnI64},
		{ir.RMWUMax, ir.KindInt, 4}:     {mir.GlobalAtomicMaxU32, mir.FlatAtomicMaxU32, mir.BufferAtomicMaxU32, mir.DsMaxU32, mir.DsMaxRtnU32},
		{ir.RMWUMax, ir.KindInt, 8}:     {mir.GlobalAtomicMaxU64, mir.FlatAtomicMaxU64, mir.BufferAtomicMaxU64, mir.DsMaxU64, mir.DsMaxRtnU64},
		{ir.RMWUMin, ir.KindInt, 4}:     {mir.GlobalAtomicMinU32, mir.FlatAtomicMinU32, mir.BufferAtomicMinU32, mir.DsMinU32, mir.DsMinRtnU32},
		{ir.RMWUMin, ir.KindInt, 8}:     {mir.GlobalAtomicMinU64, mir.FlatAtomicMinU64, mir.BufferAtomicMinU64, mir.DsMinU64, mir.DsMinRtnU64},
		{ir.RMWUIncWrap, ir.KindInt, 4}: {mir.GlobalAtomicIncU32, mir.FlatAtomicIncU32, mir.BufferAtomicIncU32, mir.DsIncU32, mir.DsIncRtnU32},
		{ir.RMWUIncWrap, ir.KindInt, 8}: {mir.GlobalAtomicIncU64, mir.FlatAtomicIncU64, mir.BufferAtomicIncU64, mir.DsIncU64, mir.DsIncRtnU64},
		{ir.RMWUDecWrap, ir.KindInt, 4}: {mir.GlobalAtomicDecU32, mir.FlatAtomicDecU32, mir.BufferAtomicDecU32, mir.DsDecU32, mir.DsDecRtnU32},
		{ir.RMWUDecWrap, ir.KindInt, 8}: {mir.GlobalAtomicDecU64, mir.FlatAtomicDecU64, mir.BufferAtomicDecU64, mir.DsDecU64, mir.DsDecRtnU64},
		{ir.RMWFAdd, ir.KindFloat, 4}:   {mir.GlobalAtomicAddF32, mir.FlatAtomicAddF32, mir.BufferAtomicAddF32, mir.DsAddF32, mir.DsAddRtnF32},
		{ir.RMWFAdd, ir.KindDouble, 8}:  {mir.GlobalAtomicAddF64, mir.FlatAtomicAddF64, mir.BufferAtomicAddF64, mir.DsAddF64, mir.DsAddRtnF64},
		{ir.RMWFAdd, ir.KindHalf, 4}:    {mir.GlobalAtomicPkAddF16, mir.FlatAtomicPkAddF16, mir.BufferAtomicPkAddF16, mir.DsPkAddF16, mir.DsPkAddRtnF16},
		{ir.RMWFAdd, ir.KindBFloat, 4}:  {mir.GlobalAtomicPkAddBf16, mir.FlatAtomicPkAddBf16, mir.BufferAtomicPkAddBf16, mir.DsPkAddBf16, mir.DsPkAddRtnBf16},
		{ir.RMWFMax, ir.KindFloat, 4}:   {mir.GlobalAtomicMaxNumF32, mir.FlatAtomicMaxNumF32, mir.BufferAtomicMaxNumF32, mir.DsMaxNumF32, mir.DsMaxNumRtnF32},
		{ir.RMWFMax, ir.KindDouble, 8}:  {mir.GlobalAtomicMaxF64, mir.FlatAtomicMaxF64, mir.BufferAtomicMaxF64, mir.DsMaxNumF64, mir.DsMaxNumRtnF64},
		{ir.RMWFMin, ir.KindFloat, 4}:   {mir.GlobalAtomicMinNumF32, mir.FlatAtomicMinNumF32, mir.BufferAtomicMinNumF32, mir.DsMinNumF32, mir.DsMinNumRtnF32},
		{ir.RMWFMin, ir.KindDouble, 8}:  {mir.GlobalAtomicMinF64, mir.FlatAtomicMinF64, mir.BufferAtomicMinF64, mir.DsMinNumF64, mir.DsMinNumRtnF64},
		{ir.RMWUSubCond, ir.KindInt, 4}: {mir.GlobalAtomicCondSubU32, mir.FlatAtomicCondSubU32, mir.BufferAtomicCondSubU32, mir.DsCondSubU32, mir.DsCondSubRtnU32},
		{ir.RMWUSubSat, ir.KindInt, 4}:  {mir.GlobalAtomicSubClampU32, mir.FlatAtomicSubClampU32, mir.BufferAtomicSubClampU32, mir.DsSubClampU32, mir.DsSubClampRtnU32},
	}
}}

type compareSwapOps struct {
	row            atomicRow
	newFirst, rtn2 mir.Op
}

// compareSwapTable holds the operations of cmpxchg of 4 and 8 bytes. The first
// LDS operations take the compared value first, the LDS operations of gfx11 and
// later the new value.
var compareSwapTable = lazy.Value[map[uint64]compareSwapOps]{Make: func() map[uint64]compareSwapOps {
	return map[uint64]compareSwapOps{
		4: {atomicRow{mir.GlobalAtomicCmpswapB32, mir.FlatAtomicCmpswapB32, mir.BufferAtomicCmpswapB32, mir.DsCmpstB32, mir.DsCmpstRtnB32}, mir.DsCmpstoreB32, mir.DsCmpstoreRtnB32},
		8: {atomicRow{mir.GlobalAtomicCmpswapB64, mir.FlatAtomicCmpswapB64, mir.BufferAtomicCmpswapB64, mir.DsCmpstB64, mir.DsCmpstRtnB64}, mir.DsCmpstoreB64, mir.DsCmpstoreRtnB64},
	}
}}

// operation chooses the instruction for a memory access path.
func (r *atomicRow) operation(p path, returns bool) mir.Op {
	switch {
	case p == pathGlobal:
		return r.global
	case p == pathFlat:
		return r.flat
	case p == pathBuffer:
		return r.buffer
	case p == pathLDS && (returns || r.lds == mir.OpNone):
		return r.ldsReturn
	case p == pathLDS:
		return r.lds
	}
	return mir.OpNone
}

// atomic selects atomicrmw and cmpxchg.
func (s *Selector) atomic(v ir.Value) {
	if s.f.Op(v) == ir.OpCmpXchg {
		s.compareSwap(v)
		return
	}
	f := s.f
	p, x := f.Operand(v, 0), f.Operand(v, 1)
	t := s.typeOf(x)
	kind := s.m.Kind(s.m.Scalar(t))
	if f.RMWOp(v) == ir.RMWXchg || kind == ir.KindPtr {
		kind = ir.KindInt
	}
	row, ok := atomicTable.Get()[atomicKey{f.RMWOp(v), kind, s.m.StoreSize(t)}]
	m := memAddress{}
	data := s.vgpr(x)
	if ok {
		m = s.memAddress(v, p)
	}
	returns := s.vals[v].wanted
	op := row.operation(m.path, returns)
	if !ok || op == mir.OpNone || !s.out.M.Has(op) {
		s.unsupported(v, "atomicrmw %v of %d bytes in this address space", f.RMWOp(v), s.m.StoreSize(t))
		return
	}
	s.atomicAccess(v, p, op, &m, returns, s.m.StoreSize(t), data)
}

// atomicAccess emits an atomic instruction. Buffer instructions return the old
// value in the data's registers.
func (s *Selector) atomicAccess(v, p ir.Value, op mir.Op, m *memAddress, returns bool, size uint64, data ...mir.Operand) {
	always := s.out.M.Info(op).Defs > 0
	var i mir.Instr
	switch {
	case !returns && always:
		i = s.access(op, m, 1, append([]mir.Operand{mir.R(s.newV(int(size / 4)))}, data...)...)
	case !returns:
		i = s.access(op, m, 0, data...)
	default:
		dst := mir.R(s.oldValue(v, size))
		if m.path == pathBuffer && s.out.OperandDwords(&data[0]) > s.out.OperandDwords(&dst) {
			whole := mir.R(s.newV(s.out.OperandDwords(&data[0])))
			i = s.access(op, m, 1, append([]mir.Operand{whole}, data...)...)
			s.putInstr(mir.Copy, 1, dst, mir.Part(whole.Reg(), 0, int(size/4)))
		} else {
			i = s.access(op, m, 1, append([]mir.Operand{dst}, data...)...)
		}
		if m.path != pathLDS && i != 0 {
			s.out.SetMods(i, s.out.Mods(i)|s.returnBit())
		}
	}
	s.setMem(i, s.memOf(v, p, size, mir.MemLoad|mir.MemStore))
}

// oldValue returns the register of the old value: the instruction's own, or a
// new one if the result is a struct.
func (s *Selector) oldValue(v ir.Value, size uint64) mir.Reg {
	if s.f.Op(v) == ir.OpCmpXchg {
		r := s.newV(int(size / 4))
		s.old = r
		return r
	}
	return s.regOf(v)
}

// returnBit returns the modifier that makes an atomic instruction return the
// old value: GLC or, from gfx12 on, TH_ATOMIC_RETURN, which has the same value.
func (s *Selector) returnBit() mir.Mods { return mir.Mods(isa.CPolGLC) }

// compareSwap selects cmpxchg. Its result is a struct whose parts are used by
// extractvalue. The instruction's registers hold the old value, and the flag is
// computed if it is used.
func (s *Selector) compareSwap(v ir.Value) {
	f := s.f
	p, cmp, val := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	size := s.m.StoreSize(s.typeOf(cmp))
	x, ok := compareSwapTable.Get()[size]
	if !ok {
		s.unsupported(v, "cmpxchg of %d bytes", size)
		return
	}
	m := s.memAddress(v, p)
	row := x.row
	a, b := s.vgpr(cmp), s.vgpr(val)
	returns := s.vals[v].wanted
	if m.path != pathLDS {
		pair := mir.R(s.newV(int(size / 2)))
		s.putInstr(mir.Vector, 1, pair, b, a)
		s.atomicAccess(v, p, row.operation(m.path, returns), &m, returns, size, pair)
	} else {
		if s.out.M.Has(x.newFirst) {
			row.lds, row.ldsReturn = x.newFirst, x.rtn2
			a, b = b, a
		}
		s.atomicAccess(v, p, row.operation(m.path, returns), &m, returns, size, a, b)
	}
	if !returns {
		return
	}
	s.swapResults(v, cmp)
}
