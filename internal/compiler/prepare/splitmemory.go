package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// memSplitter splits loads and stores into legal accesses.
type memSplitter struct {
	emitter
	f     *ir.Function
	rules memRules
	list  []ir.Value

	// instruction of the current access
	v      ir.Value
	ptr    ir.Value
	space  uint32
	align  uint64
	pieces []memPiece
	path   []uint32
	words  []ir.Value // dwords of a value
	elems  []ir.Value // elements of a vector

	pairWord, pair ir.Value // last dword converted to a vector of two elements, and that vector
}

// memPiece is a part of an access.
type memPiece struct{ offset, bytes uint64 }

// splitMemory splits loads and stores into accesses with sizes, alignments and
// types that the processor supports: 1, 2, 4, 8, 12 or 16 bytes, of scalars or
// vectors of dwords (or the two halves of one). Atomic accesses are unchanged,
// as are volatile ones that are legal as one access.
func splitMemory(ctx *opt.Context, f *ir.Function) bool {
	s := opt.Scratch[memSplitter](ctx)
	s.f, s.M, s.F, s.Fold = f, f.Module(), f, simplify.Fold
	s.rules = memRulesOf(ctx, s.M)
	s.list = s.list[:0]
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if op := f.Op(v); op == ir.OpLoad || op == ir.OpStore {
				changed = s.raiseAlign(v) || changed
				if !f.IsAtomic(v) && !s.isLegal(s.typeOf(v), s.alignOf(v)) {
					s.list = append(s.list, v)
				}
			}
		}
	}
	for _, v := range s.list {
		s.split(v)
	}
	return changed || len(s.list) > 0
}

// raiseAlign raises the alignment of an access to the known alignment of its
// pointer.
func (s *memSplitter) raiseAlign(v ir.Value) bool {
	mi := s.f.MemInfo(v)
	if mi.Align >= 16 {
		return false
	}
	known := min(analysis.PointerAlign(s.f, analysis.AccessPointer(s.f, v)), 16)
	if known <= uint64(mi.Align) {
		return false
	}
	mi.Align = uint32(known)
	s.f.SetMemInfo(v, mi)
	return true
}

// typeOf returns the accessed type and records the address space.
func (s *memSplitter) typeOf(v ir.Value) ir.Type {
	s.space = s.M.AddrSpace(s.f.TypeOf(analysis.AccessPointer(s.f, v)))
	if s.f.Op(v) == ir.OpStore {
		return s.f.TypeOf(s.f.Operand(v, 0))
	}
	return s.f.TypeOf(v)
}

func (s *memSplitter) alignOf(v ir.Value) uint64 { return uint64(s.f.Align(v)) }

// isLegal reports whether a type can be accessed without change.
func (s *memSplitter) isLegal(t ir.Type, align uint64) bool {
	m := s.M
	switch {
	case m.IsAggregate(t):
		return false
	case m.Kind(t) == ir.KindTarget || m.IsVector(t) && s.isWidePointer(m.Scalar(t)):
		return true // not a type of memory instructions
	case s.isWidePointer(t):
	case m.IsVector(t):
		n, bits := m.NumElements(t), m.SizeInBits(m.Scalar(t))
		if n < 2 || bits != 32 && bits != 64 && (bits != 16 || n%2 != 0) {
			return false
		}
	default:
		if bits := m.SizeInBits(t); bits != 8 && bits != 16 && bits != 32 && bits != 64 {
			return false
		}
	}
	size := m.StoreSize(t)
	return size <= 16 && s.rules.widest(s.space, size, align, 1) == size
}

// isWidePointer reports whether a type is a buffer resource or contains one. Its
// words are accessed.
func (s *memSplitter) isWidePointer(t ir.Type) bool { return s.M.IsPtr(t) && s.M.SizeInBits(t) > 64 }

// wideWords returns the integer and the vector of words of a wide pointer.
func (s *memSplitter) wideWords(t ir.Type) (whole, words ir.Type) {
	bits := s.M.SizeInBits(t)
	return s.M.IntType(int(bits)), s.M.VectorType(ir.I64, bits/64)
}

// split replaces an access.
func (s *memSplitter) split(v ir.Value) {
	f := s.f
	t := s.typeOf(v)
	s.v, s.ptr, s.align = v, analysis.AccessPointer(f, v), s.alignOf(v)
	s.Before(v)
	s.path = s.path[:0]
	s.pairWord, s.pair = ir.None, ir.None
	if f.Op(v) == ir.OpStore {
		s.storeParts(f.Operand(v, 0), t, 0)
	} else {
		x := s.loadParts(ir.None, t, t, 0)
		s.forward(v, x)
		f.ReplaceUses(v, x)
		if f.HasName(v) && x.IsLocal() && !f.HasName(x) {
			f.SetName(x, f.NameOf(v))
		}
	}
	f.Erase(v)
}

// forward replaces extractions of elements of a loaded vector by the elements.
func (s *memSplitter) forward(v, x ir.Value) {
	f := s.f
	if !s.M.IsVector(f.TypeOf(v)) || f.Op(x) != ir.OpInsertElement {
		return
	}
	s.replaceExtracts(v, s.elems)
	for u := f.FirstUse(v); u != 0; {
		user := f.User(u)
		u = f.NextUse(u)
		if f.Op(user) == ir.OpBitCast && s.pairWords() && s.M.Scalar(f.TypeOf(user)) == ir.I32 {
			s.replaceExtracts(user, s.words)
		}
	}
}

// replaceExtracts replaces extractions of elements at constant indices by the
// elements.
func (s *memSplitter) replaceExtracts(v ir.Value, elems []ir.Value) {
	f := s.f
	for u := f.FirstUse(v); u != 0; {
		user := f.User(u)
		u = f.NextUse(u)
		if f.Op(user) != ir.OpExtractElement || f.Operand(user, 0) != v {
			continue
		}
		if i, ok := s.M.IntValue(f.Operand(user, 1)); ok && i < uint64(len(elems)) {
			f.ReplaceUses(user, elems[i])
			f.Erase(user)
		}
	}
}

// pairWords fills s.words with the dwords that s.elems were extracted from, two
// elements each. It reports whether that succeeded for all.
func (s *memSplitter) pairWords() bool {
	f := s.f
	s.words = s.words[:0]
	for i := 0; i+1 < len(s.elems); i += 2 {
		pair := s.sourceOf(s.elems[i : i+2])
		if pair == ir.None || f.Op(pair) != ir.OpBitCast || f.TypeOf(f.Operand(pair, 0)) != ir.I32 {
			return false
		}
		s.words = append(s.words, f.Operand(pair, 0))
	}
	return len(s.elems)%2 == 0
}

// loadParts loads the value at an offset. An aggregate is loaded leaf by leaf,
// and the leaves are inserted at s.path.
func (s *memSplitter) loadParts(whole ir.Value, t, wholeType ir.Type, offset uint64) ir.Value {
	m := s.M
	if !m.IsAggregate(t) {
		x := s.loadLeaf(t, offset)
		if len(s.path) == 0 {
			return x
		}
		return s.InsertValue(whole, x, s.path...)
	}
	if whole == ir.None {
		whole = m.Poison(wholeType)
	}
	for i := range m.NumElements(t) {
		s.path = append(s.path, uint32(i))
		whole = s.loadParts(whole, m.ElementType(t, i), wholeType, offset+s.elementOffset(t, i))
		s.path = s.path[:len(s.path)-1]
	}
	return whole
}

// storeParts is loadParts for a store.
func (s *memSplitter) storeParts(x ir.Value, t ir.Type, offset uint64) {
	m := s.M
	if !m.IsAggregate(t) {
		if len(s.path) > 0 {
			x = s.ExtractValue(x, s.path...)
		}
		s.storeLeaf(x, t, offset)
		return
	}
	for i := range m.NumElements(t) {
		s.path = append(s.path, uint32(i))
		s.storeParts(x, m.ElementType(t, i), offset+s.elementOffset(t, i))
		s.path = s.path[:len(s.path)-1]
	}
}

func (s *memSplitter) elementOffset(t ir.Type, i uint64) uint64 {
	if s.M.Kind(t) == ir.KindStruct {
		return s.M.FieldOffset(t, int(i))
	}
	return i * s.M.AllocSize(s.M.ElementType(t, 0))
}

// address returns a pointer to an offset, and its alignment.
func (s *memSplitter) address(offset uint64) (ir.Value, uint32) {
	align := analysis.AlignAt(uint32(min(s.align, 16)), offset)
	if offset == 0 {
		return s.ptr, align
	}
	as := s.M.AddrSpace(s.f.TypeOf(s.ptr))
	index := s.M.IntType(int(s.M.Layout().Pointer(as).IndexBits))
	return s.PtrAdd(s.ptr, s.M.NewInt(index, offset), ir.InBounds|ir.NUW), align
}

// keptMetadata lists the metadata that also applies to parts of an access.
var keptMetadata = [...]ir.MDKind{ir.MDInvariantLoad, ir.MDNonTemporal, ir.MDAliasScope, ir.MDNoAlias, ir.MDAccessGroup, ir.MDParallelLoopAccess,
	ir.MDNoAliasAddrSpace}

// like copies the properties of the current access other than type, address and
// alignment.
func (s *memSplitter) like(n ir.Value) {
	f := s.f
	mi := f.MemInfo(n)
	mi.Volatile = f.IsVolatile(s.v)
	f.SetMemInfo(n, mi)
	for _, k := range keptMetadata {
		if md := f.Attachment(s.v, k); md != 0 {
			f.SetAttachment(n, k, md)
		}
	}
}

func (s *memSplitter) loadPiece(t ir.Type, offset uint64) ir.Value {
	p, align := s.address(offset)
	n := s.Load(t, p, align)
	s.like(n)
	return n
}

func (s *memSplitter) storePiece(x ir.Value, offset uint64) {
	p, align := s.address(offset)
	s.like(s.Store(x, p, align))
}

// cut fills s.pieces with legal accesses for some bytes at an offset, whose
// sizes are multiples of unit. It returns false if none exist. Pieces of bytes
// (unit 1) do not cross dwords of the value: the start of the value may be less
// aligned than the rest.
func (s *memSplitter) cut(offset, size, unit uint64) bool {
	s.pieces = s.pieces[:0]
	base := offset
	for end := offset + size; offset < end; {
		align := uint64(analysis.AlignAt(uint32(min(s.align, 16)), offset))
		if at := offset - base; unit == 1 && at%4 != 0 {
			align = min(align, at&-at)
		}
		w := s.rules.widest(s.space, end-offset, align, unit)
		if w == 0 {
			return false
		}
		s.pieces = append(s.pieces, memPiece{offset, w})
		offset += w
	}
	return true
}

// natural fills s.pieces with accesses of whole vector elements.
func (s *memSplitter) natural(t ir.Type, offset uint64) bool {
	m := s.M
	if !m.IsVector(t) {
		return false
	}
	bits := m.SizeInBits(m.Scalar(t))
	return (bits == 16 || bits == 32 || bits == 64) && s.cut(offset, m.StoreSize(t), bits/8)
}

// loadLeaf loads a scalar or vector.
func (s *memSplitter) loadLeaf(t ir.Type, offset uint64) ir.Value {
	m := s.M
	if s.isLegal(t, uint64(analysis.AlignAt(uint32(min(s.align, 16)), offset))) {
		return s.loadPiece(t, offset)
	}
	if s.isWidePointer(t) {
		whole, words := s.wideWords(t)
		return s.Make(ir.OpIntToPtr, t, s.Make(ir.OpBitCast, whole, s.loadLeaf(words, offset)))
	}
	s.elems = s.elems[:0]
	if s.natural(t, offset) {
		for _, p := range s.pieces {
			s.loadElements(m.Scalar(t), p)
		}
		return s.vectorOf(t, s.elems)
	}
	s.cut(offset, m.StoreSize(t), 1)
	s.loadWords(offset)
	return s.fromWords(t)
}

// loadElements loads the vector elements in a piece.
func (s *memSplitter) loadElements(elem ir.Type, p memPiece) {
	m := s.M
	size := m.SizeInBits(elem) / 8
	n := p.bytes / size
	switch {
	case n == 1:
		s.elems = append(s.elems, s.loadPiece(elem, p.offset))
	case size == 2 && n > 2:
		words := s.loadPiece(m.VectorType(ir.I32, n/2), p.offset)
		for i := range n / 2 {
			pair := s.Cast(ir.OpBitCast, s.elementOf(words, i), m.VectorType(elem, 2), 0)
			s.elems = append(s.elems, s.elementOf(pair, 0), s.elementOf(pair, 1))
		}
	default:
		x := s.loadPiece(m.VectorType(elem, n), p.offset)
		for i := range n {
			s.elems = append(s.elems, s.elementOf(x, i))
		}
	}
}

// elementOf returns an element of a vector. It follows insertions of other
// elements to the inserted value, so that a vector that is accessed in pieces
// is never needed as a whole.
func (s *memSplitter) elementOf(v ir.Value, i uint64) ir.Value {
	for s.f.Op(v) == ir.OpInsertElement {
		n, known := s.M.IntValue(s.f.Operand(v, 2))
		if !known {
			break
		}
		if n == i {
			return s.f.Operand(v, 1)
		}
		v = s.f.Operand(v, 0)
	}
	if v.IsConst() {
		if c := s.M.ExtractElementConst(v, s.M.NewInt(ir.I32, i)); c != ir.None {
			return c
		}
	}
	if s.isPairs(v) {
		word := s.elementOf(s.f.Operand(v, 0), i/2)
		if word != s.pairWord {
			s.pairWord, s.pair = word, s.Cast(ir.OpBitCast, word, s.M.VectorType(s.M.Scalar(s.f.TypeOf(v)), 2), 0)
		}
		v, i = s.pair, i%2
	}
	return s.ExtractElement(v, s.M.NewInt(ir.I32, i))
}

// isPairs reports whether a vector of 16-bit elements consists of several
// dwords.
func (s *memSplitter) isPairs(v ir.Value) bool {
	if s.f.Op(v) != ir.OpBitCast || s.M.SizeInBits(s.M.Scalar(s.f.TypeOf(v))) != 16 {
		return false
	}
	from := s.f.TypeOf(s.f.Operand(v, 0))
	return s.M.IsVector(from) && s.M.Scalar(from) == ir.I32
}

// vectorOf returns a vector of elements: the vector that they were extracted
// from, or a new one.
func (s *memSplitter) vectorOf(t ir.Type, elems []ir.Value) ir.Value {
	if v := s.sourceOf(elems); v != ir.None && s.f.TypeOf(v) == t {
		return v
	}
	v := s.M.Poison(t)
	for i, e := range elems {
		v = s.InsertElement(v, e, s.M.NewInt(ir.I32, uint64(i)))
	}
	return v
}

// sourceOf returns the vector whose first elements are elems in order, or None.
func (s *memSplitter) sourceOf(elems []ir.Value) ir.Value {
	f, from := s.f, ir.None
	for i, e := range elems {
		if f.Op(e) != ir.OpExtractElement || i > 0 && f.Operand(e, 0) != from {
			return ir.None
		}
		from = f.Operand(e, 0)
		if n, ok := s.M.IntValue(f.Operand(e, 1)); !ok || n != uint64(i) {
			return ir.None
		}
	}
	return from
}

// loadWords loads the pieces and assembles dwords; the last one is padded with
// zeros.
func (s *memSplitter) loadWords(base uint64) {
	m := s.M
	s.words = s.words[:0]
	put := func(at uint64, v ir.Value) {
		v = s.Shift(ir.OpShl, v, 8*(at%4))
		if i := int(at / 4); i < len(s.words) {
			s.words[i] = s.FoldBinary(ir.OpOr, s.words[i], v)
		} else {
			s.words = append(s.words, v)
		}
	}
	for _, p := range s.pieces {
		at := p.offset - base
		switch {
		case p.bytes < 4:
			put(at, s.FoldCast(ir.OpZExt, s.loadPiece(m.IntType(int(8*p.bytes)), p.offset), ir.I32))
		case at%4 != 0:
			panic("BUG: a dword after a partial dword")
		case p.bytes == 4:
			put(at, s.loadPiece(ir.I32, p.offset))
		default:
			x := s.loadPiece(m.VectorType(ir.I32, p.bytes/4), p.offset)
			for i := range p.bytes / 4 {
				put(at+4*i, s.elementOf(x, i))
			}
		}
	}
}

// fromWords assembles a value from s.words and records the elements of a vector
// in s.elems.
func (s *memSplitter) fromWords(t ir.Type) ir.Value {
	m := s.M
	elem := m.Scalar(t)
	bits := m.SizeInBits(elem)
	if bits > 64 || bits < 32 && 32%bits != 0 && m.IsVector(t) || bits > 32 && bits < 64 {
		return s.Reinterpret(s.wide(int(m.SizeInBits(t))), t)
	}
	if !m.IsVector(t) {
		return s.scalarAt(elem, 0)
	}
	for i := range m.NumElements(t) {
		s.elems = append(s.elems, s.scalarAt(elem, i*bits))
	}
	return s.vectorOf(t, s.elems)
}

// scalarAt extracts a scalar of at most 32 bits, or of 64 bits, from s.words.
func (s *memSplitter) scalarAt(t ir.Type, bit uint64) ir.Value {
	m := s.M
	bits := m.SizeInBits(t)
	v := s.words[bit/32]
	if bits == 64 {
		pair := s.vectorOf(m.VectorType(ir.I32, 2), s.words[bit/32:bit/32+2])
		return s.Reinterpret(s.Cast(ir.OpBitCast, pair, ir.I64, 0), t)
	}
	v = s.Shift(ir.OpLShr, v, bit%32)
	return s.Reinterpret(s.FoldCast(ir.OpTrunc, v, m.IntType(int(bits))), t)
}

// wide assembles an integer of any width from s.words.
func (s *memSplitter) wide(bits int) ir.Value {
	t := s.M.IntType(32 * len(s.words))
	v := s.FoldCast(ir.OpZExt, s.words[0], t)
	for i, w := range s.words[1:] {
		v = s.FoldBinary(ir.OpOr, v, s.Shift(ir.OpShl, s.FoldCast(ir.OpZExt, w, t), uint64(32*(i+1))))
	}
	return s.FoldCast(ir.OpTrunc, v, s.M.IntType(bits))
}

// storeLeaf stores a scalar or vector.
func (s *memSplitter) storeLeaf(x ir.Value, t ir.Type, offset uint64) {
	m := s.M
	if s.isLegal(t, uint64(analysis.AlignAt(uint32(min(s.align, 16)), offset))) {
		s.storePiece(x, offset)
		return
	}
	if s.isWidePointer(t) {
		whole, words := s.wideWords(t)
		s.storeLeaf(s.Make(ir.OpBitCast, words, s.Make(ir.OpPtrToInt, whole, x)), words, offset)
		return
	}
	if s.natural(t, offset) {
		first := uint64(0)
		for _, p := range s.pieces {
			first = s.storeElements(x, m.Scalar(t), first, p)
		}
		return
	}
	s.toWords(x, t)
	s.cut(offset, m.StoreSize(t), 1)
	s.storeWords(offset)
}

// storeElements stores the vector elements in a piece, starting at index first,
// and returns the next index.
func (s *memSplitter) storeElements(x ir.Value, elem ir.Type, first uint64, p memPiece) uint64 {
	m := s.M
	size := m.SizeInBits(elem) / 8
	n := p.bytes / size
	s.elems = s.elems[:0]
	for i := range n {
		s.elems = append(s.elems, s.elementOf(x, first+i))
	}
	switch {
	case n == 1:
		s.storePiece(s.elems[0], p.offset)
	case size == 2 && n > 2:
		s.words = s.words[:0]
		for i := uint64(0); i < n; i += 2 {
			pair := s.vectorOf(m.VectorType(elem, 2), s.elems[i:i+2])
			s.words = append(s.words, s.Cast(ir.OpBitCast, pair, ir.I32, 0))
		}
		s.storePiece(s.vectorOf(m.VectorType(ir.I32, n/2), s.words), p.offset)
	default:
		s.storePiece(s.vectorOf(m.VectorType(elem, n), s.elems), p.offset)
	}
	return first + n
}

// toWords fills s.words with the dwords of a value, the last one padded with
// zeros.
func (s *memSplitter) toWords(x ir.Value, t ir.Type) {
	m := s.M
	s.words = s.words[:0]
	elem := m.Scalar(t)
	bits, total := m.SizeInBits(elem), m.SizeInBits(t)
	switch {
	case bits > 64 || bits < 32 && 32%bits != 0 && m.IsVector(t) || bits > 32 && bits < 64:
		words := int(total+31) / 32
		v := s.FoldCast(ir.OpZExt, s.Reinterpret(x, m.IntType(int(total))), m.IntType(32*words))
		for i := range words {
			s.words = append(s.words, s.FoldCast(ir.OpTrunc, s.Shift(ir.OpLShr, v, uint64(32*i)), ir.I32))
		}
	case !m.IsVector(t):
		s.putScalar(x, 0)
	default:
		for i := range m.NumElements(t) {
			s.putScalar(s.elementOf(x, i), i*bits)
		}
	}
}

// putScalar inserts a scalar of at most 32 bits, or of 64 bits, into s.words.
func (s *memSplitter) putScalar(x ir.Value, bit uint64) {
	m := s.M
	bits := int(m.SizeInBits(s.f.TypeOf(x)))
	v := s.Reinterpret(x, m.IntType(bits))
	if bits == 64 {
		pair := s.FoldCast(ir.OpBitCast, v, m.VectorType(ir.I32, 2))
		s.words = append(s.words, s.elementOf(pair, 0), s.elementOf(pair, 1))
		return
	}
	v = s.Shift(ir.OpShl, s.FoldCast(ir.OpZExt, v, ir.I32), bit%32)
	if i := int(bit / 32); i < len(s.words) {
		s.words[i] = s.FoldBinary(ir.OpOr, s.words[i], v)
	} else {
		s.words = append(s.words, v)
	}
}

// storeWords stores s.words in pieces.
func (s *memSplitter) storeWords(base uint64) {
	m := s.M
	for _, p := range s.pieces {
		at := p.offset - base
		switch {
		case p.bytes < 4:
			v := s.Shift(ir.OpLShr, s.words[at/4], 8*(at%4))
			s.storePiece(s.FoldCast(ir.OpTrunc, v, m.IntType(int(8*p.bytes))), p.offset)
		case p.bytes == 4:
			s.storePiece(s.words[at/4], p.offset)
		default:
			s.storePiece(s.vectorOf(m.VectorType(ir.I32, p.bytes/4), s.words[at/4:at/4+p.bytes/4]), p.offset)
		}
	}
}
