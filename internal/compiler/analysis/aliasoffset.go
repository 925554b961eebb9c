package analysis

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// linearOffset represents a pointer as base + offset + the sum of terms, in
// bytes modulo the width of the pointer's index.
type linearOffset struct {
	base   ir.Value
	offset int64
	terms  []offsetTerm
}

// offsetTerm is a scale times a value that is extended to the index width.
type offsetTerm struct {
	v     ir.Value
	scale int64
	ext   extension
	exact bool // scale times the value does not wrap around
}

// extension is the conversion that widens a value to the index width.
type extension uint8

const (
	asItIs extension = iota
	bySign
	byZeroes
)

// decompose splits pointer v into its base and linear offset.
func (a *Alias) decompose(v ir.Value, to *linearOffset) {
	f := a.f
	to.offset, to.terms = 0, to.terms[:0]
	width := indexWidth(f, v)
	for range maxLookup {
		e := pointerExpr(f, v)
		if e.op == ir.OpNone {
			if w := stripCasts(f, v); w != v {
				v = w
				continue
			}
			break
		}
		if a.m.IsVector(f.TypeOf(v)) || indexWidth(f, e.base) != width {
			break // an offset of another width wraps at a different boundary
		}
		if e.op == ir.OpGetElementPtr {
			n := len(to.terms)
			offset := to.offset
			ok := e.offsets(f, func(scale int64, index ir.Value) {
				if index == ir.None {
					to.offset += scale
				} else {
					a.addIndex(to, offsetTerm{index, scale, asItIs, e.flags&(ir.InBounds|ir.NUSW) != 0}, width)
				}
			})
			if !ok {
				to.offset, to.terms = offset, to.terms[:n]
				break
			}
		}
		v = e.base
	}
	to.base, to.offset = v, to.offset<<(64-width)>>(64-width)
}

// addIndex adds a term whose value is a getelementptr index. It follows
// additions, multiplications and shifts by constants while they commute with
// the extension.
func (a *Alias) addIndex(to *linearOffset, t offsetTerm, width int) {
	f, m := a.f, a.m
	switch w := m.IntBits(f.TypeOf(t.v)); {
	case w < width:
		t.ext = bySign
	case w > width:
		t.exact = false
		to.addTerm(t)
		return
	}
	for range maxDepth {
		if !t.v.IsLocal() || !a.linearStep(to, &t) {
			break
		}
	}
	to.addTerm(t)
}

// linearStep follows one operation of an index and reports whether it did.
func (a *Alias) linearStep(to *linearOffset, t *offsetTerm) bool {
	f, m := a.f, a.m
	flags, op := f.Instr(t.v).Flags, f.Op(t.v)
	switch op {
	case ir.OpSExt:
		if t.ext == byZeroes {
			return false
		}
		t.v, t.ext = f.Operand(t.v, 0), bySign
		return true
	case ir.OpZExt: // the sign bit is zero, so the bits above do not matter
		t.v, t.ext = f.Operand(t.v, 0), byZeroes
		return true
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl, ir.OpOr:
	default:
		return false
	}
	commutes := t.ext == asItIs || t.ext == bySign && flags&ir.NSW != 0 || t.ext == byZeroes && flags&ir.NUW != 0
	if op == ir.OpOr {
		commutes = flags&ir.Disjoint != 0
	}
	c, ok := signedOrZero(m, f.Operand(t.v, 1), t.ext)
	if !ok || !commutes {
		return false
	}
	switch op {
	case ir.OpAdd, ir.OpOr:
		to.offset += t.scale * c
	case ir.OpSub:
		to.offset -= t.scale * c
	case ir.OpMul:
		t.scale *= c
	default:
		if c < 0 || c > 62 {
			return false
		}
		t.scale <<= c
	}
	t.exact = t.exact && flags&ir.NSW != 0
	t.v = f.Operand(t.v, 0)
	return true
}

// signedOrZero returns a constant after the extension.
func signedOrZero(m *ir.Module, v ir.Value, ext extension) (int64, bool) {
	if ext == byZeroes {
		n, ok := m.IntValue(v)
		return int64(n), ok
	}
	return m.SignedValue(v)
}

// addTerm adds n to the term with the same value, or appends it to the list.
func (l *linearOffset) addTerm(n offsetTerm) {
	for i := range l.terms {
		if t := &l.terms[i]; t.v == n.v && t.ext == n.ext {
			t.exact = false
			if t.scale += n.scale; t.scale == 0 {
				l.terms = append(l.terms[:i], l.terms[i+1:]...)
			}
			return
		}
	}
	if n.scale != 0 {
		l.terms = append(l.terms, n)
	}
}

// aliasOffsets compares two pointers by their offsets from a common base.
func (a *Alias) aliasOffsets(x ir.Value, xs uint64, y ir.Value, ys uint64) AliasResult {
	one, two := &a.one, &a.two
	a.decompose(x, one)
	a.decompose(y, two)
	if one.base != two.base || !a.sameMoment(one.base) {
		if one.base == x && two.base == y || a.joinDepth >= maxDepth {
			return MayAlias
		}
		// Different parts of different objects are different.
		bx, by := one.base, two.base
		a.joinDepth++
		r := a.alias(bx, AnySize, by, AnySize)
		a.joinDepth--
		if r == NoAlias {
			return NoAlias
		}
		if r != MustAlias || !a.sameMoment(bx) || !a.sameMoment(by) {
			return MayAlias
		}
		a.decompose(x, one)
		a.decompose(y, two)
	}
	width := min(indexWidth(a.f, x), indexWidth(a.f, y))
	for _, t := range two.terms {
		if t.scale = -t.scale; a.sameMoment(t.v) {
			one.addTerm(t)
		} else {
			one.terms = append(one.terms, t) // the value may differ from the first pointer's
		}
	}
	off := (one.offset - two.offset) << (64 - width) >> (64 - width)
	if len(one.terms) == 0 {
		return constantDistance(off, xs, ys)
	}
	if xs >= AnySize || ys >= AnySize {
		return MayAlias
	}
	if a.apartModulo(one.terms, off, xs, ys) || a.apartByRange(one.terms, off, xs, ys, width) || a.apartByStep(one.terms, off, xs, ys, width) {
		return NoAlias
	}
	return MayAlias
}

// constantDistance compares two accesses; x starts off bytes after y.
func constantDistance(off int64, xs, ys uint64) AliasResult {
	switch {
	case xs == AnySize || ys == AnySize:
		return MayAlias
	case off == 0:
		return MustAlias
	}
	size := ys // size of the access that starts first
	if off < 0 {
		off, size = -off, xs
	}
	switch {
	case size == UnknownSize:
		return MayAlias
	case uint64(off) >= size:
		return NoAlias
	}
	return PartialAlias
}

// apartModulo reports whether the accesses are disjoint for every distance that
// is off plus a multiple of the greatest common divisor of the scales.
func (a *Alias) apartModulo(terms []offsetTerm, off int64, xs, ys uint64) bool {
	gcd := uint64(0)
	for _, t := range terms {
		s := uint64(max(t.scale, -t.scale))
		b := KnownBits(a.f, t.v)
		if n := b.TrailingZeros(); n < b.Width && n <= bits.LeadingZeros64(s)-2 {
			s <<= n
		}
		if !t.exact { // when it wraps, it remains a multiple of a power of two
			s = 1 << min(bits.TrailingZeros64(s), 62)
		}
		for s != 0 {
			gcd, s = s, gcd%s
		}
	}
	if gcd == 0 || gcd > 1<<62 {
		return false
	}
	mod := off % int64(gcd)
	if mod < 0 {
		mod += int64(gcd)
	}
	return uint64(mod) >= ys && xs <= gcd-uint64(mod)
}

// apartByRange reports whether the ranges of the terms prove the accesses
// disjoint.
func (a *Alias) apartByRange(terms []offsetTerm, off int64, xs, ys uint64, width int) bool {
	const limit = 1 << 60
	lo, hi := off, off
	for _, t := range terms {
		b := KnownBits(a.f, t.v)
		if b.Width == 0 {
			return false
		}
		first, last := int64(0), b.Max()
		if last > limit || t.ext == bySign && !b.NonNegative() || t.ext == asItIs && b.Width == width && !b.NonNegative() {
			n := b.Width - SignBits(a.f, t.v) // congruent to the unsigned value
			first, last = -1<<n, 1<<n-1
		} else {
			first = int64(b.Min())
		}
		if last > limit || first < -limit || t.scale > limit || t.scale < -limit {
			return false
		}
		h1, l1 := bits.Mul64(last, uint64(max(t.scale, -t.scale)))
		h2, l2 := bits.Mul64(uint64(max(first, -first)), uint64(max(t.scale, -t.scale)))
		if h1 != 0 || h2 != 0 || l1 > limit || l2 > limit {
			return false
		}
		p, q := first*t.scale, int64(last)*t.scale
		lo, hi = lo+min(p, q), hi+max(p, q)
		if lo < -limit || hi > limit {
			return false
		}
	}
	if top := int64(1) << min(width-1, 61); lo < -top || hi+int64(min(xs, limit)) > top {
		return false // may wrap
	}
	return xs < limit && ys < limit && (lo >= int64(ys) || hi+int64(xs) <= 0)
}

// apartByStep reports whether one nonzero term, or two unequal terms, prove the
// accesses disjoint.
func (a *Alias) apartByStep(terms []offsetTerm, off int64, xs, ys uint64, width int) bool {
	const limit = 1 << 60
	t := terms[0]
	noWrap := func(t offsetTerm) bool {
		w := valueWidth(a.m, a.f.TypeOf(t.v))
		return w != 0 && w <= width && (t.exact || bits.Len64(uint64(max(t.scale, -t.scale))) <= width-w)
	}
	switch {
	case len(terms) > 2 || a.crossesLoops || xs > limit || ys > limit || !noWrap(t) || t.scale < -limit || t.scale > limit:
		return false
	case len(terms) == 1:
		if !NonZero(a.f, t.v) {
			return false
		}
	case t.scale != -terms[1].scale || t.ext != terms[1].ext || !noWrap(terms[1]) || !NotEqual(a.f, t.v, terms[1].v):
		return false
	}
	step := max(t.scale, -t.scale)
	return off-step < 0 && uint64(step-off) >= xs && off+step >= 0 && uint64(off+step) >= ys
}

// aliasJoin combines the results for all values of a phi or select.
func (a *Alias) aliasJoin(x ir.Value, xs uint64, y ir.Value, ys uint64) AliasResult {
	f := a.f
	if !x.IsLocal() || a.joinDepth >= 3 {
		return MayAlias
	}
	switch f.Op(x) {
	case ir.OpSelect:
		c := f.Operand(x, 0)
		if y.IsLocal() && f.Op(y) == ir.OpSelect && f.Operand(y, 0) == c && a.sameMoment(c) {
			return a.merge(a.deeper(f.Operand(x, 1), xs, f.Operand(y, 1), ys), func() AliasResult {
				return a.deeper(f.Operand(x, 2), xs, f.Operand(y, 2), ys)
			})
		}
		return a.merge(a.deeper(f.Operand(x, 1), xs, y, ys), func() AliasResult { return a.deeper(f.Operand(x, 2), xs, y, ys) })
	case ir.OpPhi:
		return a.aliasPhi(x, xs, y, ys)
	}
	return MayAlias
}

// deeper makes a sub-query.
func (a *Alias) deeper(x ir.Value, xs uint64, y ir.Value, ys uint64) AliasResult {
	a.joinDepth++
	r := a.alias(x, xs, y, ys)
	a.joinDepth--
	return r
}

// merge returns the result that covers both alternatives.
func (a *Alias) merge(r AliasResult, other func() AliasResult) AliasResult {
	if r == MayAlias {
		return r
	}
	switch o := other(); {
	case o == r:
		return r
	case r != NoAlias && o >= PartialAlias:
		return PartialAlias
	}
	return MayAlias
}

// aliasPhi compares a phi with a pointer. Two phis of one block are compared
// edge by edge.
func (a *Alias) aliasPhi(x ir.Value, xs uint64, y ir.Value, ys uint64) AliasResult {
	f := a.f
	if n := f.NumIncoming(x); n > 8 || n == 0 {
		return MayAlias
	}
	samePhis := !a.crossesLoops && y.IsLocal() && f.Op(y) == ir.OpPhi && f.Parent(y) == f.Parent(x)
	if samePhis {
		r := a.mergeIncoming(x, func(in ir.Value, from ir.Block) (AliasResult, bool) {
			other := f.PhiValue(y, from)
			if other == ir.None || in == x && other == y { // nothing changes along this edge
				return MayAlias, other != ir.None
			}
			return a.deeper(in, xs, other, ys), false
		})
		if r != MayAlias {
			return r
		}
	}
	saved := a.crossesLoops
	a.crossesLoops = true
	defer func() { a.crossesLoops = saved }()
	if !a.moves(x) {
		if samePhis {
			return MayAlias
		}
		return a.mergeIncoming(x, func(in ir.Value, _ ir.Block) (AliasResult, bool) {
			if in == x {
				return MayAlias, true
			}
			return a.deeper(in, xs, y, ys), false
		})
	}
	// Only the objects that the phi moves through matter.
	r := a.mergeIncoming(x, func(in ir.Value, _ ir.Block) (AliasResult, bool) {
		if UnderlyingObject(f, in) == x {
			return MayAlias, true
		}
		return a.deeper(in, AnySize, y, ys), false
	})
	if r != NoAlias {
		return MayAlias
	}
	return r
}

// mergeIncoming merges the results for the incoming values of a phi, except
// values for which ask returns skip.
func (a *Alias) mergeIncoming(phi ir.Value, ask func(in ir.Value, from ir.Block) (r AliasResult, skip bool)) AliasResult {
	result, first := MayAlias, true
	for i := range a.f.NumIncoming(phi) {
		in, from := a.f.Incoming(phi, i)
		r, skip := ask(in, from)
		if skip {
			continue
		}
		if first {
			result, first = r, false
		} else {
			result = a.merge(result, func() AliasResult { return r })
		}
		if result == MayAlias {
			break
		}
	}
	return result
}

// moves reports whether a phi's pointer changes in each iteration. The initial
// value of such a phi determines only the object that it points into.
func (a *Alias) moves(phi ir.Value) bool {
	f := a.f
	for i := range f.NumIncoming(phi) {
		if in, _ := f.Incoming(phi, i); in != phi && UnderlyingObject(f, in) == phi {
			return true
		}
	}
	return false
}
