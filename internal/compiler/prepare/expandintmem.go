package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// bytesOf returns the size of a leaf in memory, in bytes.
func (x *intExpander) bytesOf(l leaf) uint64 {
	if l.bits == 0 {
		return x.M.StoreSize(l.t)
	}
	return uint64(l.bits+7) / 8
}

// after returns an address offset bytes after p.
func (x *intExpander) after(p ir.Value, offset uint64) ir.Value {
	if offset == 0 {
		return p
	}
	index := x.M.IntType(int(x.M.Layout().Pointer(x.M.AddrSpace(x.f.TypeOf(p))).IndexBits))
	return x.PtrAdd(p, x.M.NewInt(index, offset), ir.InBounds|ir.NUSW)
}

// access finishes a load or store of a leaf: alignment, volatile, and the
// metadata that applies to a part.
func (x *intExpander) access(n, v ir.Value, offset uint64) ir.Value {
	f := x.f
	mi := f.MemInfo(v)
	mi.Align = analysis.AlignAt(mi.Align, offset)
	f.SetMemInfo(n, mi)
	for _, k := range [...]ir.MDKind{ir.MDAliasScope, ir.MDNoAlias, ir.MDInvariantLoad, ir.MDNonTemporal, ir.MDAccessGroup} {
		if md := f.Attachment(v, k); md != 0 {
			f.SetAttachment(n, k, md)
		}
	}
	return n
}

func wideLoad(x *intExpander, v ir.Value) bool {
	f := x.f
	if f.IsAtomic(v) {
		return false
	}
	p := f.Operand(v, 0)
	var out []ir.Value
	for _, l := range x.leavesOf(f.TypeOf(v)) {
		if l.bits == 0 {
			n := x.Make(ir.OpLoad, l.t, x.after(p, l.offset))
			out = append(out, x.access(n, v, l.offset))
			continue
		}
		out = append(out, x.loadPart(v, p, l))
	}
	return x.done(v, out)
}

// loadPart loads a part of a wide integer, in pieces if its size is not a power
// of two.
func (x *intExpander) loadPart(v, p ir.Value, l leaf) ir.Value {
	sum := x.i64(0)
	for at, left := uint64(0), x.bytesOf(l); left > 0; {
		w := floorPower(left)
		n := x.Make(ir.OpLoad, x.M.IntType(int(8*w)), x.after(p, l.offset+at))
		x.access(n, v, l.offset+at)
		sum = x.Op(ir.OpOr, sum, x.Shift(ir.OpShl, x.FoldCast(ir.OpZExt, n, ir.I64), 8*at))
		at, left = at+w, left-w
	}
	if l.bits%8 != 0 {
		sum = x.Op(ir.OpAnd, sum, x.i64(1<<l.bits-1))
	}
	return sum
}

// floorPower returns the largest power of two that does not exceed n.
func floorPower(n uint64) uint64 {
	w := uint64(1)
	for 2*w <= n {
		w *= 2
	}
	return w
}

func wideStore(x *intExpander, v ir.Value) bool {
	f := x.f
	if f.IsAtomic(v) {
		return false
	}
	p := f.Operand(v, 1)
	parts := x.parts(f.Operand(v, 0))
	for i, l := range x.leavesOf(f.TypeOf(f.Operand(v, 0))) {
		if l.bits == 0 {
			x.access(x.Make(ir.OpStore, ir.Void, parts[i], x.after(p, l.offset)), v, l.offset)
			continue
		}
		for at, left := uint64(0), x.bytesOf(l); left > 0; {
			w := floorPower(left)
			piece := x.FoldCast(ir.OpTrunc, x.Shift(ir.OpLShr, parts[i], 8*at), x.M.IntType(int(8*w)))
			x.access(x.Make(ir.OpStore, ir.Void, piece, x.after(p, l.offset+at)), v, l.offset+at)
			at, left = at+w, left-w
		}
	}
	return true
}

// wideGEP narrows indices to their significant bits.
func wideGEP(x *intExpander, v ir.Value) bool {
	f := x.f
	index := x.M.IntType(int(x.M.Layout().Pointer(x.M.AddrSpace(f.TypeOf(v))).IndexBits))
	for i, o := range f.Operands(v) {
		if t := f.TypeOf(o.Value); x.isWide(t) {
			if x.M.IsVector(t) {
				return false
			}
			f.SetOperand(v, i, x.FoldCast(ir.OpTrunc, x.parts(o.Value)[0], index))
		}
	}
	n := f.CopyInstr(f, v, &ir.Mapper{})
	f.InsertBefore(n, v)
	return x.done(v, []ir.Value{n})
}

func widePtrToInt(x *intExpander, v ir.Value) bool {
	f := x.f
	p := f.Operand(v, 0)
	t := f.TypeOf(p)
	if x.M.IsVector(t) {
		return false
	}
	bits := int(x.M.SizeInBits(t))
	n := x.FoldCast(f.Op(v), p, x.M.IntType(bits))
	parts := []ir.Value{n}
	if bits > wordBits { // selection knows the words of such an integer as elements
		words := x.Make(ir.OpBitCast, x.wordVector(bits), n)
		parts = parts[:0]
		for i := range bits / wordBits {
			parts = append(parts, x.ExtractElement(words, x.M.NewInt(ir.I32, uint64(i))))
		}
	}
	return x.done(v, x.resizeParts(ir.OpZExt, parts, bits, x.M.IntBits(f.TypeOf(v))))
}

// wordVector returns the vector of the words of an integer.
func (x *intExpander) wordVector(bits int) ir.Type {
	return x.M.VectorType(ir.I64, uint64(bits/wordBits))
}

func wideIntToPtr(x *intExpander, v ir.Value) bool {
	f := x.f
	t := f.TypeOf(v)
	if x.M.IsVector(t) {
		return false
	}
	bits := int(x.M.SizeInBits(t))
	parts := x.parts(f.Operand(v, 0))
	if bits > wordBits {
		words := x.M.Poison(x.wordVector(bits))
		for i, p := range x.resizeParts(ir.OpZExt, parts, x.M.IntBits(f.TypeOf(f.Operand(v, 0))), bits) {
			words = x.InsertElement(words, p, x.M.NewInt(ir.I32, uint64(i)))
		}
		return x.done(v, []ir.Value{x.Make(ir.OpIntToPtr, t, x.Make(ir.OpBitCast, x.M.IntType(bits), words))})
	}
	n := x.FoldCast(ir.OpTrunc, parts[0], x.M.IntType(bits))
	return x.done(v, []ir.Value{x.FoldCast(ir.OpIntToPtr, n, t)})
}

// bitsAt returns n bits of an integer, at most 64, starting at a bit position,
// as an integer of n bits.
func (x *intExpander) bitsAt(p []ir.Value, at, n int) ir.Value {
	i, k := at/wordBits, at%wordBits
	v := x.Shift(ir.OpLShr, p[i], uint64(k))
	if k+n > wordBits {
		v = x.Op(ir.OpOr, v, x.Shift(ir.OpShl, p[i+1], uint64(wordBits-k)))
	}
	return x.FoldCast(ir.OpTrunc, v, x.M.IntType(n))
}

// putBits inserts the n bits of an integer, at most 64, at a bit position.
func (x *intExpander) putBits(p []ir.Value, v ir.Value, at, n int) {
	i, k := at/wordBits, at%wordBits
	v = x.FoldCast(ir.OpZExt, v, ir.I64)
	p[i] = x.Op(ir.OpOr, p[i], x.Shift(ir.OpShl, v, uint64(k)))
	if k+n > wordBits {
		p[i+1] = x.Op(ir.OpOr, p[i+1], x.Shift(ir.OpLShr, v, uint64(wordBits-k)))
	}
}

// wideBitCast converts between wide numbers, or vectors of them, and vectors of
// small elements, or wide numbers of another width.
func wideBitCast(x *intExpander, v ir.Value) bool {
	f, m := x.f, x.M
	from, to := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	if from == to || x.isDense(from) && x.isDense(to) {
		return x.done(v, x.parts(f.Operand(v, 0)))
	}
	narrow := func(t ir.Type) bool {
		return m.IsVector(t) && !x.isWide(t) && m.SizeInBits(m.Scalar(t)) <= wordBits && !m.IsPtr(m.Scalar(t))
	}
	switch {
	case x.isDense(from) && narrow(to):
		parts := x.parts(f.Operand(v, 0))
		elem := m.Scalar(to)
		n := int(m.SizeInBits(elem))
		out := make([]ir.Value, m.NumElements(to))
		for i := range out {
			out[i] = x.FoldCast(ir.OpBitCast, x.bitsAt(parts, i*n, n), elem)
		}
		return x.done(v, []ir.Value{x.vectorOf(to, out)})
	case narrow(from) && x.isDense(to):
		out := make([]ir.Value, len(x.leavesOf(to)))
		for i := range out {
			out[i] = x.i64(0)
		}
		n := int(m.SizeInBits(m.Scalar(from)))
		for i := range int(m.NumElements(from)) {
			x.putBits(out, x.FoldCast(ir.OpBitCast, x.element(f.Operand(v, 0), i), m.IntType(n)), i*n, n)
		}
		return x.done(v, out)
	}
	return false
}

// isDense reports whether the leaves of a type are its bits in order: one wide
// number, or a vector of numbers of whole words.
func (x *intExpander) isDense(t ir.Type) bool {
	return x.isWide(t) && (x.isNumber(t) || x.M.IsVector(t) && x.M.SizeInBits(x.M.Scalar(t))%wordBits == 0)
}

// leavesAt returns the first leaf of the part of an aggregate that the indices
// select, and the number of its leaves.
func (x *intExpander) leavesAt(t ir.Type, indices []uint32) (at, n int, part ir.Type) {
	for _, i := range indices {
		for j := range uint64(i) {
			at += len(x.leavesOf(x.M.ElementType(t, j)))
		}
		t = x.M.ElementType(t, uint64(i))
		if !x.isWide(t) {
			break // the rest is inside one leaf
		}
	}
	return at, len(x.leavesOf(t)), t
}

// restOf returns the indices that are inside one leaf.
func (x *intExpander) restOf(t ir.Type, indices []uint32) []uint32 {
	for k, i := range indices {
		if t = x.M.ElementType(t, uint64(i)); !x.isWide(t) {
			return indices[k+1:]
		}
	}
	return nil
}

func wideExtractValue(x *intExpander, v ir.Value) bool {
	f := x.f
	agg := f.Operand(v, 0)
	indices := f.Indices(v)
	at, n, _ := x.leavesAt(f.TypeOf(agg), indices)
	parts := x.parts(agg)[at : at+n]
	if rest := x.restOf(f.TypeOf(agg), indices); len(rest) > 0 {
		parts = []ir.Value{x.ExtractValue(parts[0], rest...)}
	}
	return x.done(v, parts)
}

func wideInsertValue(x *intExpander, v ir.Value) bool {
	f := x.f
	agg, elem := f.Operand(v, 0), f.Operand(v, 1)
	indices := f.Indices(v)
	at, n, _ := x.leavesAt(f.TypeOf(agg), indices)
	out := append([]ir.Value(nil), x.parts(agg)...)
	if rest := x.restOf(f.TypeOf(agg), indices); len(rest) > 0 {
		out[at] = x.InsertValue(out[at], elem, rest...)
	} else {
		copy(out[at:at+n], x.parts(elem))
	}
	return x.done(v, out)
}

// wideExtractElement extracts an element of a vector of wide integers.
func wideExtractElement(x *intExpander, v ir.Value) bool {
	f := x.f
	vec, index := f.Operand(v, 0), f.Operand(v, 1)
	_, n, elems := x.scalar(f.TypeOf(vec))
	index = x.indexOf(index)
	if !x.isWide(f.TypeOf(vec)) { // only the index type is wide
		return x.done(v, []ir.Value{x.ExtractElement(vec, index)})
	}
	parts := x.parts(vec)
	if c, ok := x.M.IntValue(index); ok {
		if c >= uint64(elems) {
			c = 0 // poison
		}
		return x.done(v, parts[int(c)*n:(int(c)+1)*n])
	}
	out := append([]ir.Value(nil), parts[:n]...)
	for i := 1; i < elems; i++ {
		is := x.Compare(ir.ICmpEQ, index, x.M.NewInt(f.TypeOf(index), uint64(i)))
		for j := range out {
			out[j] = x.Choose(is, parts[i*n+j], out[j])
		}
	}
	return x.done(v, out)
}

// indexOf converts an element index, which may be a wide integer, to a narrow
// type.
func (x *intExpander) indexOf(index ir.Value) ir.Value {
	if !x.isWide(x.f.TypeOf(index)) {
		return index
	}
	p := x.parts(index)
	big := x.i64(0)
	for _, q := range p[1:] {
		big = x.Op(ir.OpOr, big, q)
	}
	return x.Choose(x.FoldCompare(ir.ICmpNE, big, x.i64(0)), x.i64(1<<32), p[0])
}

func wideInsertElement(x *intExpander, v ir.Value) bool {
	f := x.f
	vec, elem, index := f.Operand(v, 0), f.Operand(v, 1), x.indexOf(f.Operand(v, 2))
	if !x.isWide(f.TypeOf(vec)) {
		return x.done(v, []ir.Value{x.InsertElement(vec, elem, index)})
	}
	_, n, elems := x.scalar(f.TypeOf(vec))
	out := append([]ir.Value(nil), x.parts(vec)...)
	e := x.parts(elem)
	for i := range elems {
		is := x.FoldCompare(ir.ICmpEQ, index, x.M.NewInt(f.TypeOf(index), uint64(i)))
		for j := range n {
			out[i*n+j] = x.Choose(is, e[j], out[i*n+j])
		}
	}
	return x.done(v, out)
}

func wideShuffle(x *intExpander, v ir.Value) bool {
	f := x.f
	_, n, elems := x.scalar(f.TypeOf(f.Operand(v, 0)))
	a, b := x.parts(f.Operand(v, 0)), x.parts(f.Operand(v, 1))
	var out []ir.Value
	for _, i := range f.Mask(v) {
		switch {
		case i == ir.PoisonElement:
			for range n {
				out = append(out, x.M.Poison(ir.I64))
			}
		case int(i) < elems:
			out = append(out, a[int(i)*n:(int(i)+1)*n]...)
		default:
			out = append(out, b[(int(i)-elems)*n:(int(i)-elems+1)*n]...)
		}
	}
	return x.done(v, out)
}
