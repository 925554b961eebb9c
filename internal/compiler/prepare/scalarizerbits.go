package prepare

import "github.com/gfx-toolchain/gfx/ir"

// wordsOfWhole returns the 32-bit words of a value in n registers.
func (x *vectorScalarizer) wordsOfWhole(v ir.Value, n int) []ir.Value {
	if n == 1 {
		return []ir.Value{x.note(x.FoldCast(ir.OpBitCast, v, ir.I32))}
	}
	w := x.note(x.FoldCast(ir.OpBitCast, v, x.M.VectorType(ir.I32, uint64(n))))
	if w.IsConst() {
		return x.constElems(w, n)
	}
	out := make([]ir.Value, n)
	for i := range out {
		out[i] = x.note(x.ExtractElement(w, x.index(i)))
	}
	return out
}

// bitPacker packs integers consecutively into 32-bit words.
type bitPacker struct {
	e     *emitter
	words []ir.Value
	at    int // bits packed so far
}

// addBits appends the lowest n bits, at most 32, of an i32 whose other bits are
// clear.
func (p *bitPacker) addBits(v ir.Value, n int) {
	e := p.e
	k := p.at % 32
	if k == 0 {
		p.words = append(p.words, v)
	} else {
		last := len(p.words) - 1
		p.words[last] = e.Op(ir.OpOr, p.words[last], e.Shift(ir.OpShl, v, uint64(k)))
		if k+n > 32 {
			p.words = append(p.words, e.Shift(ir.OpLShr, v, uint64(32-k)))
		}
	}
	p.at += n
}

// addScalar appends an integer or float scalar.
func (p *bitPacker) addScalar(v ir.Value) {
	e := p.e
	t := e.F.TypeOf(v)
	n := int(e.M.SizeInBits(t))
	if e.M.IsFloat(t) {
		t = e.M.IntType(n)
		v = e.FoldCast(ir.OpBitCast, v, t)
	}
	switch {
	case n <= 32:
		p.addBits(e.FoldCast(ir.OpZExt, v, ir.I32), n)
	case n < 64:
		v = e.FoldCast(ir.OpZExt, v, ir.I64)
		fallthrough
	case n == 64:
		p.addBits(e.half64(v, 0), 32)
		p.addBits(e.half64(v, 1), n-32)
	default:
		for at := 0; at < n; at += 32 {
			k := min(32, n-at)
			p.addBits(e.FoldCast(ir.OpZExt, e.FoldCast(ir.OpTrunc, e.Shift(ir.OpLShr, v, uint64(at)), e.M.IntType(k)), ir.I32), k)
		}
	}
}

// bitsFrom returns n bits of words, at most 32, starting at a bit position. The
// bits above are undefined.
func (e *emitter) bitsFrom(words []ir.Value, at, n int) ir.Value {
	k := at % 32
	v := e.Shift(ir.OpLShr, words[at/32], uint64(k))
	if k+n > 32 {
		v = e.Op(ir.OpOr, v, e.Shift(ir.OpShl, words[at/32+1], uint64(32-k)))
	}
	return v
}

// scalarFrom returns a scalar of type t from the bits of words.
func (e *emitter) scalarFrom(words []ir.Value, at int, t ir.Type) ir.Value {
	n := int(e.M.SizeInBits(t))
	it := e.M.IntType(n)
	var v ir.Value
	switch {
	case n <= 32:
		v = e.FoldCast(ir.OpTrunc, e.bitsFrom(words, at, n), it)
	case n <= 64:
		v = e.FoldCast(ir.OpTrunc, e.join64(e.bitsFrom(words, at, 32), e.bitsFrom(words, at+32, n-32)), it)
	default:
		v = e.M.NewInt(it, 0)
		for i := 0; i < n; i += 32 {
			k := min(32, n-i)
			part := e.FoldCast(ir.OpTrunc, e.bitsFrom(words, at+i, k), e.M.IntType(k))
			v = e.Op(ir.OpOr, v, e.Shift(ir.OpShl, e.FoldCast(ir.OpZExt, part, it), uint64(i)))
		}
	}
	return e.FoldCast(ir.OpBitCast, v, t)
}

// words returns the bits of a vector, integer or float as 32-bit words. Unused
// bits of the last word are clear.
func (x *vectorScalarizer) words(v ir.Value) []ir.Value {
	t := x.f.TypeOf(v)
	p := bitPacker{e: &x.emitter}
	if !x.M.IsVector(t) {
		p.addScalar(v)
		return p.words
	}
	if bits := x.M.SizeInBits(t); v.IsLocal() && x.form(v).elems == 0 && bits%32 == 0 && x.isWords(t) && x.wholeForm(v) != ir.None {
		return x.wordsOfWhole(x.wholeForm(v), int(bits/32))
	}
	for _, e := range x.elems(v) {
		p.addScalar(e)
	}
	return p.words
}

// fromWords returns the elements of a vector of type t from its bits.
func (x *vectorScalarizer) fromWords(words []ir.Value, t ir.Type) []ir.Value {
	elem := x.M.Scalar(t)
	n := int(x.M.SizeInBits(elem))
	out := make([]ir.Value, x.M.NumElements(t))
	for i := range out {
		out[i] = x.note(x.scalarFrom(words, i*n, elem))
	}
	return out
}

// isWords reports whether a type consists of whole registers, none of which is
// part of a pointer, so that a bitcast is free.
func (x *vectorScalarizer) isWords(t ir.Type) bool { return isWordType(x.M, t) }

func isWordType(m *ir.Module, t ir.Type) bool {
	elem := m.Scalar(t)
	if m.IsPtr(elem) {
		return false
	}
	n := m.SizeInBits(elem)
	if !m.IsVector(t) {
		return n == 32 || n == 64
	}
	return isFriendlyVector(m, t) && n <= 64
}

// vectorBitCast keeps bitcasts between types that consist of whole registers.
func vectorBitCast(x *vectorScalarizer, v ir.Value) bool {
	f, m := x.f, x.M
	src := f.Operand(v, 0)
	from, to := f.TypeOf(src), f.TypeOf(v)
	fv, tv := m.IsVector(from), m.IsVector(to)
	if fv && tv && m.NumElements(from) == m.NumElements(to) {
		return x.castElements(v, src, m.Scalar(to))
	}
	if (x.isWords(from) || x.isOpaque(src)) && (x.isWords(to) || fv && x.feedsOpaque(v)) || x.isPtrWords(v) {
		if fv {
			src = x.whole(src)
		}
		n := x.FoldCast(ir.OpBitCast, src, to)
		if !tv {
			return x.replace(v, n)
		}
		x.setCast(v, n)
		return true
	}
	if !tv {
		return x.replace(v, x.scalarFrom(x.words(src), 0, to))
	}
	x.setElems(v, x.fromWords(x.words(src), to))
	return true
}

// isPtrWords reports whether a bitcast converts between a long pointer's integer
// and its words. Selection accepts it.
func (x *vectorScalarizer) isPtrWords(v ir.Value) bool {
	f, m := x.f, x.M
	src := f.Operand(v, 0)
	if m.IsVector(f.TypeOf(v)) {
		return x.isWords(f.TypeOf(v)) && src.IsLocal() && f.Op(src) == ir.OpPtrToInt && isLongPtr(m, f.TypeOf(f.Operand(src, 0))) &&
			m.SizeInBits(f.TypeOf(f.Operand(src, 0))) == m.SizeInBits(f.TypeOf(src))
	}
	u := f.FirstUse(v)
	return x.isWords(f.TypeOf(src)) && u != 0 && f.NextUse(u) == 0 && f.Op(f.User(u)) == ir.OpIntToPtr && isLongPtr(m, f.TypeOf(f.User(u))) &&
		m.SizeInBits(f.TypeOf(f.User(u))) == m.SizeInBits(f.TypeOf(v))
}

// isOpaque reports whether a value is an integer of several words that no other
// pass takes apart: the result of an intrinsic.
func (x *vectorScalarizer) isOpaque(v ir.Value) bool {
	return x.f.Op(v) == ir.OpCall && x.isLargeWords(x.f.TypeOf(v))
}

// feedsOpaque reports whether a cast to an integer of several words is only an
// argument of intrinsics.
func (x *vectorScalarizer) feedsOpaque(v ir.Value) bool {
	f := x.f
	if !x.isLargeWords(f.TypeOf(v)) {
		return false
	}
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if f.Op(f.User(u)) != ir.OpCall {
			return false
		}
	}
	return true
}

// isLargeWords reports whether a type is an integer of several words of 64 bits.
func (x *vectorScalarizer) isLargeWords(t ir.Type) bool {
	n := x.M.IntBits(t)
	return n > wordBits && n%wordBits == 0
}

// setCast records that a vector equals another whole value, which may be a
// constant.
func (x *vectorScalarizer) setCast(v, n ir.Value) {
	x.setWhole(v, n)
	if n.IsConst() {
		x.setElems(v, x.constElems(n, x.count(v)))
	}
}

// castElements casts to a vector with the same number of elements.
func (x *vectorScalarizer) castElements(v, src ir.Value, elem ir.Type) bool {
	f := x.f
	cast := func(e ir.Value) ir.Value {
		return x.note(x.FoldCast(ir.OpBitCast, e, x.M.WithScalar(f.TypeOf(e), elem)))
	}
	switch {
	case src.IsLocal() && x.form(src).elems == 0 && x.form(src).pairs == 0 && x.wholeForm(src) != ir.None:
		x.setCast(v, x.FoldCast(ir.OpBitCast, x.wholeForm(src), f.TypeOf(v)))
	case x.isPair(elem) && x.isPair(x.M.Scalar(f.TypeOf(src))):
		var out []ir.Value
		for _, p := range x.pairs(src) {
			out = append(out, cast(p))
		}
		x.setPairs(v, out)
	default:
		var out []ir.Value
		for _, e := range x.elems(src) {
			out = append(out, cast(e))
		}
		x.setElems(v, out)
	}
	return true
}

// vectorLoad keeps loads of vectors that consist of whole registers. Other
// vectors are loaded as words.
func vectorLoad(x *vectorScalarizer, v ir.Value) bool {
	f, m := x.f, x.M
	t := f.TypeOf(v)
	if f.IsAtomic(v) || !m.IsVector(t) || x.isFriendly(t) {
		return false
	}
	p := f.Operand(v, 0)
	if isLongPtr(m, m.Scalar(t)) {
		var elems []ir.Value
		for i := range m.NumElements(t) {
			at := i * m.SizeInBits(m.Scalar(t)) / 8
			elems = append(elems, x.accessLike(x.Make(ir.OpLoad, m.Scalar(t), x.offsetPtr(p, at)), v, at))
		}
		x.setElems(v, elems)
		return true
	}
	bytes := m.StoreSize(t)
	var words []ir.Value
	if n := bytes / 4; n > 0 {
		wt := ir.I32
		if n > 1 {
			wt = m.VectorType(ir.I32, n)
		}
		words = x.wordsOfWhole(x.accessLike(x.Make(ir.OpLoad, wt, p), v, 0), int(n))
	}
	rest := bitPacker{e: &x.emitter}
	for _, c := range x.pieces(nil, bytes%4, anyBytes) {
		n := x.accessLike(x.Make(ir.OpLoad, c.t, x.offsetPtr(p, bytes&^3+c.offset)), v, bytes&^3+c.offset)
		rest.addBits(x.FoldCast(ir.OpZExt, n, ir.I32), m.IntBits(c.t))
	}
	x.setElems(v, x.fromWords(append(words, rest.words...), t))
	return true
}

func anyBytes(uint64) uint64 { return 4 }

// vectorStore keeps stores of vectors that consist of whole registers. Other
// vectors are stored as words.
func vectorStore(x *vectorScalarizer, v ir.Value) bool {
	f, m := x.f, x.M
	val, p := f.Operand(v, 0), f.Operand(v, 1)
	t := f.TypeOf(val)
	if f.IsAtomic(v) || !m.IsVector(t) || x.isFriendly(t) {
		return false
	}
	if isLongPtr(m, m.Scalar(t)) {
		for i, e := range x.elems(val) {
			at := uint64(i) * m.SizeInBits(m.Scalar(t)) / 8
			x.accessLike(x.Make(ir.OpStore, ir.Void, e, x.offsetPtr(p, at)), v, at)
		}
		return true
	}
	bytes := m.StoreSize(t)
	words := x.words(val)
	if n := bytes / 4; n > 0 {
		w := words[0]
		if n > 1 {
			w = x.gather(m.VectorType(ir.I32, n), words[:n])
		}
		x.accessLike(x.Make(ir.OpStore, ir.Void, w, p), v, 0)
	}
	for _, c := range x.pieces(nil, bytes%4, anyBytes) {
		part := x.FoldCast(ir.OpTrunc, x.Shift(ir.OpLShr, words[bytes/4], 8*c.offset), c.t)
		at := bytes&^3 + c.offset
		x.accessLike(x.Make(ir.OpStore, ir.Void, part, x.offsetPtr(p, at)), v, at)
	}
	return true
}
