package opt

import (
	"math"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// allocaPromoter converts small arrays in private memory to vectors, and
// thereby to values.
type allocaPromoter struct {
	emit.Emitter
	f        *ir.Function
	accesses []privateAccess
	terms    []privateTerm
	dead     []ir.Value // addresses and markers, users before their operands
	dynamic  bool

	alloca, vector ir.Value // old alloca and new one
	elem           ir.Type
	unit           uint64 // bytes per element
	base, end      uint64 // used elements of the alloca
	parts          []ir.Value
}

// privateAccess is a load or store at an offset plus terms[first:first+n].
type privateAccess struct {
	v        ir.Value
	offset   int64
	first, n int
	bytes    uint64
	lo, hi   uint64 // elements that it may access
}

// privateTerm is an index times a number of bytes.
type privateTerm struct {
	index ir.Value
	scale int64
}

// Limits for arrays that become vectors: a variable index costs two
// instructions per element.
const (
	maxDynamicElems = 16
	maxStaticElems  = 64
)

// wordBytes is the element size if bytes and half-words are accessed at
// variable indices.
const wordBytes = 4

// promotePrivate promotes small arrays in private memory that are only loaded
// and stored, possibly at variable indices. They become vectors, whose elements
// are later selected by comparisons (part of LLVM's amdgpu-promote-alloca). At
// variable indices, bytes and half-words are accessed as parts of dwords, which
// reduces the number of elements.
func promotePrivate(ctx *Context, f *ir.Function) bool {
	p := Scratch[allocaPromoter](ctx)
	p.f, p.M, p.F = f, f.Module(), f
	values := Scratch[promoter](ctx)
	values.allocas = values.allocas[:0]
	for v := f.First(f.Entry()); v != ir.None; {
		next := f.Next(v)
		if f.Op(v) == ir.OpAlloca && p.understand(v) {
			p.rewrite()
			values.allocas = append(values.allocas, p.vector)
		}
		v = next
	}
	if len(values.allocas) == 0 {
		return false
	}
	values.promoteAllocas(f, cfgOf(ctx, f))
	return true
}

// understand reports whether an alloca can become a vector, and collects its
// accesses.
func (p *allocaPromoter) understand(a ir.Value) bool {
	f, m := p.f, p.M
	mi := f.MemInfo(a)
	count, known := m.IntValue(f.Operand(a, 0))
	t := f.AllocatedType(a)
	if !known || count != 1 || mi.InAlloca || mi.SwiftErr || !m.IsSized(t) {
		return false
	}
	size := m.AllocSize(t)
	if size == 0 || size > 8*maxStaticElems {
		return false
	}
	p.alloca, p.unit, p.dynamic = a, 8, false
	p.accesses, p.terms, p.dead = p.accesses[:0], p.terms[:0], p.dead[:0]
	p.elem = ir.NoType
	if !p.uses(a, 0, 0, 0) || len(p.accesses) == 0 {
		return false
	}
	p.meet(size)
	if p.dynamic && p.unit < wordBytes && p.inWords() {
		p.unit = wordBytes
	}
	if p.elem == ir.NoType || m.SizeInBits(p.elem) != 8*p.unit {
		p.elem = m.IntType(int(8 * p.unit))
	}
	p.findElements((size + p.unit - 1) / p.unit)
	n := p.end - p.base
	if p.dynamic {
		return n > 1 && n*max(p.unit, 4)/4 <= maxDynamicElems
	}
	return n <= maxStaticElems
}

// inWords reports whether each access is of whole words or of a part of one
// word.
func (p *allocaPromoter) inWords() bool {
	for i := range p.accesses {
		a := &p.accesses[i]
		step := min(a.bytes, wordBytes)
		if a.bytes != 1 && a.bytes != 2 && a.bytes%wordBytes != 0 || a.offset%int64(step) != 0 {
			return false
		}
		for _, t := range p.terms[a.first : a.first+a.n] {
			if t.scale%int64(step) != 0 {
				return false
			}
		}
	}
	return true
}

// findElements determines which of n elements each access may use, and which
// are used at all.
func (p *allocaPromoter) findElements(n uint64) {
	p.base, p.end = n, 0
	for i := range p.accesses {
		a := &p.accesses[i]
		lo, hi := p.rangeOf(a)
		a.lo, a.hi = 0, n
		if lo >= 0 && lo <= hi && uint64(hi)+a.bytes <= n*p.unit {
			a.lo, a.hi = uint64(lo)/p.unit, (uint64(hi)+a.bytes-1)/p.unit+1
		}
		p.base, p.end = min(p.base, a.lo), max(p.end, a.hi)
	}
	for i := range p.accesses {
		if a := &p.accesses[i]; a.n == 0 { // constant offset: one element
			a.lo, a.hi = p.base, p.end
		}
	}
}

// rangeOf returns the offsets at which an access may start: offsets inside the
// alloca, because accesses outside are invalid. The range is empty if nothing
// is known, because addresses may wrap.
func (p *allocaPromoter) rangeOf(a *privateAccess) (lo, hi int64) {
	lo, hi = a.offset, a.offset
	for _, t := range p.terms[a.first : a.first+a.n] {
		first, last := analysis.SignedRange(p.f, t.index)
		if first < math.MinInt32 || last > math.MaxInt32 || t.scale < math.MinInt32/2 || t.scale > math.MaxInt32/2 {
			return 0, -1
		}
		x, y := first*t.scale, last*t.scale
		lo, hi = lo+min(x, y), hi+max(x, y)
	}
	if lo < math.MinInt32 || hi > math.MaxInt32 {
		return 0, -1
	}
	size := int64(p.M.AllocSize(p.f.AllocatedType(p.alloca)))
	return max(lo, 0), min(hi, size-int64(a.bytes))
}

// meet reduces the unit to a divisor of a number of bytes.
func (p *allocaPromoter) meet(bytes uint64) {
	for bytes%p.unit != 0 {
		p.unit /= 2
	}
}

// uses collects the uses of a pointer into the alloca. It returns false for
// uses other than loads and stores.
func (p *allocaPromoter) uses(ptr ir.Value, offset int64, first, n int) bool {
	f := p.f
	for u := f.FirstUse(ptr); u != 0; u = f.NextUse(u) {
		v := f.User(u)
		switch f.Op(v) {
		case ir.OpLoad, ir.OpStore:
			if f.Op(v) == ir.OpStore && f.UseIndex(u) != 1 || !f.IsSimple(v) || !p.access(privateAccess{v: v, offset: offset, first: first, n: n}) {
				return false
			}
		case ir.OpGetElementPtr:
			if f.UseIndex(u) != 0 || !p.address(v, offset, first, n) {
				return false
			}
			p.dead = append(p.dead, v)
		case ir.OpCall:
			if !analysis.IsLifetime(f, v) {
				return false
			}
			p.dead = append(p.dead, v)
		default:
			return false
		}
	}
	return true
}

// access records a load or store, and the requirements of its type on the
// elements.
func (p *allocaPromoter) access(a privateAccess) bool {
	f, m := p.f, p.M
	t := f.TypeOf(a.v)
	if f.Op(a.v) == ir.OpStore {
		t = f.TypeOf(f.Operand(a.v, 0))
	}
	elem := m.Scalar(t)
	if m.IsAggregate(t) || m.Kind(elem) == ir.KindTarget {
		return false
	}
	bits := m.SizeInBits(elem)
	if bits%8 != 0 || bits&(bits-1) != 0 {
		return false
	}
	a.bytes = m.StoreSize(t)
	p.meet(bits / 8)
	p.meet(uint64(a.offset))
	switch {
	case len(p.accesses) == 0:
		p.elem = elem
	case p.elem != elem:
		p.elem = ir.NoType
	}
	p.accesses = append(p.accesses, a)
	return true
}

// address continues with a getelementptr.
func (p *allocaPromoter) address(v ir.Value, offset int64, first, n int) bool {
	f, m := p.f, p.M
	if m.IsVector(f.TypeOf(v)) {
		return false
	}
	at := len(p.terms)
	p.terms = append(p.terms, p.terms[first:first+n]...)
	t := f.GEPSource(v)
	for i := 1; i < f.NumOperands(v); i++ {
		o := f.Operand(v, i)
		if i > 1 {
			if m.Kind(t) == ir.KindStruct {
				k, _ := m.IntValue(o)
				offset += int64(m.FieldOffset(t, int(k)))
				t = m.ElementType(t, k)
				continue
			}
			t = m.ElementType(t, 0)
		}
		scale := int64(m.AllocSize(t))
		if c, known := m.SignedValue(o); known {
			offset += c * scale
			continue
		}
		if o.IsConst() || scale == 0 || m.IntBits(f.TypeOf(o)) > 64 {
			return false
		}
		p.meet(uint64(scale))
		p.dynamic = true
		p.terms = append(p.terms, privateTerm{o, scale})
	}
	return p.uses(v, offset, at, len(p.terms)-at)
}

// rewrite creates the vector, and replaces partial accesses by accesses of the
// whole vector.
func (p *allocaPromoter) rewrite() {
	f, m := p.f, p.M
	t := m.VectorType(p.elem, p.end-p.base)
	p.Before(p.alloca)
	p.vector = p.Alloca(t, 0)
	f.SetName(p.vector, f.NameOf(p.alloca))
	for i := range p.accesses {
		a := &p.accesses[i]
		p.Before(a.v)
		vec := p.Load(t, p.vector, 0)
		part := p.extractPart(vec, a)
		index, shift := p.indexOf(a)
		switch {
		case f.Op(a.v) == ir.OpLoad && a.bytes < p.unit:
			p.replaceLoad(a.v, p.readPart(part, index, shift, f.TypeOf(a.v)))
		case f.Op(a.v) == ir.OpLoad:
			p.replaceLoad(a.v, p.read(part, index, f.TypeOf(a.v)))
		case a.bytes < p.unit:
			p.Store(p.insertPart(vec, p.writePart(part, index, shift, f.Operand(a.v, 0)), a), p.vector, 0)
		default:
			p.Store(p.insertPart(vec, p.write(part, index, f.Operand(a.v, 0)), a), p.vector, 0)
		}
		f.Erase(a.v)
	}
	for _, v := range p.dead {
		f.Erase(v)
	}
	if f.FirstRecordUse(p.alloca) != 0 {
		f.ReplaceUses(p.alloca, p.vector)
	}
	f.Erase(p.alloca)
}

// replaceLoad replaces the uses of a load, which may be an index of other
// accesses.
func (p *allocaPromoter) replaceLoad(old, v ir.Value) {
	p.f.ReplaceUses(old, v)
	for i := range p.terms {
		if p.terms[i].index == old {
			p.terms[i].index = v
		}
	}
}

// extractPart extracts the elements that an access may use, as a vector.
func (p *allocaPromoter) extractPart(vec ir.Value, a *privateAccess) ir.Value {
	if a.hi-a.lo == 1 {
		a.lo, a.hi = p.base, p.end
	}
	return p.ExtractElements(vec, a.lo-p.base, a.hi-p.base)
}

// insertPart inserts the elements that extractPart extracted.
func (p *allocaPromoter) insertPart(vec, part ir.Value, a *privateAccess) ir.Value {
	return p.InsertElements(vec, part, a.lo-p.base)
}

// indexOf returns the index of the first accessed element among those that the
// access may use. For a part of an element it also returns the part's shift
// amount in bits.
func (p *allocaPromoter) indexOf(a *privateAccess) (index, shift ir.Value) {
	m := p.M
	size := bits.TrailingZeros64(p.unit)
	offset := a.offset - int64(a.lo*p.unit)
	for _, t := range p.terms[a.first : a.first+a.n] {
		if t.scale%int64(p.unit) != 0 { // the position in the element is variable
			bytes := p.sumOf(a, 0, offset)
			low := p.FoldBinary(ir.OpAnd, bytes, m.NewInt(ir.I32, p.unit-1))
			return p.Shift(ir.OpLShr, bytes, uint64(size)), p.Shift(ir.OpShl, low, 3)
		}
	}
	return p.sumOf(a, size, offset), m.NewInt(ir.I32, uint64(offset)%p.unit*8)
}

// sumOf returns the sum of the terms of an access and an offset, shifted right.
func (p *allocaPromoter) sumOf(a *privateAccess, shift int, offset int64) ir.Value {
	m := p.M
	sum := m.NewSigned(ir.I32, offset>>shift)
	for _, t := range p.terms[a.first : a.first+a.n] {
		x := t.index
		if bits := m.IntBits(p.f.TypeOf(x)); bits > 32 {
			x = p.FoldCast(ir.OpTrunc, x, ir.I32)
		} else if bits < 32 {
			x = p.FoldCast(ir.OpSExt, x, ir.I32)
		}
		if k := t.scale >> shift; k != 1 {
			x = p.FoldBinary(ir.OpMul, x, m.NewSigned(ir.I32, k))
		}
		sum = p.FoldBinary(ir.OpAdd, x, sum)
	}
	return sum
}

// plus returns the index of a later element.
func (p *allocaPromoter) plus(index ir.Value, k uint64) ir.Value {
	if k == 0 {
		return index
	}
	return p.FoldBinary(ir.OpAdd, index, p.M.NewInt(ir.I32, k))
}

// read extracts a value of type t from a vector.
func (p *allocaPromoter) read(vec, index ir.Value, t ir.Type) ir.Value {
	m := p.M
	p.parts = p.parts[:0]
	for k := range m.StoreSize(t) / p.unit {
		p.parts = append(p.parts, p.ExtractElement(vec, p.plus(index, k)))
	}
	if len(p.parts) == 1 && m.SizeInBits(m.Scalar(t)) != 8*p.unit || !m.IsVector(t) && len(p.parts) == 1 {
		return p.Reinterpret(p.parts[0], t)
	}
	if m.IsVector(t) && m.SizeInBits(m.Scalar(t)) == 8*p.unit {
		for k := range p.parts {
			p.parts[k] = p.Reinterpret(p.parts[k], m.Scalar(t))
		}
		return p.gather(t)
	}
	return p.Reinterpret(p.gather(m.VectorType(p.elem, uint64(len(p.parts)))), t)
}

// readPart extracts a value that is part of an element from a vector.
func (p *allocaPromoter) readPart(vec, index, shift ir.Value, t ir.Type) ir.Value {
	m := p.M
	word := p.Op(ir.OpLShr, p.ExtractElement(vec, index), shift)
	return p.Reinterpret(p.FoldCast(ir.OpTrunc, word, m.IntType(int(m.SizeInBits(t)))), t)
}

// writePart replaces a part of a vector element. Poison bits must not affect
// the other bits.
func (p *allocaPromoter) writePart(vec, index, shift, x ir.Value) ir.Value {
	m := p.M
	n := m.SizeInBits(p.f.TypeOf(x))
	x = p.FoldCast(ir.OpZExt, p.Reinterpret(p.Freeze(x), m.IntType(int(n))), p.elem)
	old := p.Freeze(p.ExtractElement(vec, index))
	mask := p.FoldBinary(ir.OpXor, p.Op(ir.OpShl, m.NewInt(p.elem, 1<<n-1), shift), m.NewSigned(p.elem, -1))
	word := p.FoldBinary(ir.OpOr, p.FoldBinary(ir.OpAnd, old, mask), p.Op(ir.OpShl, x, shift))
	return p.InsertElement(vec, word, index)
}

// gather builds a vector from p.parts.
func (p *allocaPromoter) gather(t ir.Type) ir.Value {
	v := p.M.Poison(t)
	for k, part := range p.parts {
		v = p.InsertElement(v, part, p.M.NewInt(ir.I32, uint64(k)))
	}
	return v
}

// write inserts a value into a vector.
func (p *allocaPromoter) write(vec, index, x ir.Value) ir.Value {
	m := p.M
	t := p.f.TypeOf(x)
	n := m.StoreSize(t) / p.unit
	elems := m.IsVector(t) && m.SizeInBits(m.Scalar(t)) == 8*p.unit
	if n > 1 && !elems {
		x, elems = p.Reinterpret(x, m.VectorType(p.elem, n)), true
	}
	for k := range n {
		e := x
		if elems {
			e = p.ExtractElement(x, m.NewInt(ir.I32, k))
		}
		vec = p.InsertElement(vec, p.Reinterpret(e, p.elem), p.plus(index, k))
	}
	return vec
}
