package verify

import (
	"math/big"

	"github.com/gfx-toolchain/gfx/ir"
)

// rangeKind is the purpose of ranges.
type rangeKind uint8

const (
	rangePlain    rangeKind = iota // !range
	rangeAbsolute                  // !absolute_symbol: may be full
	rangeSpace                     // !noalias.addrspace: of i32
)

// interval is a range of integers of a given width, from low up to but not
// including high. It may wrap.
type interval struct{ low, high, size *big.Int }

// isFull and isEmpty interpret equal bounds: all ones is full, zero is empty.
func (r interval) isFull() bool {
	return r.low.Cmp(r.high) == 0 && r.low.Sign() != 0
}

func (r interval) isEmpty() bool { return r.low.Cmp(r.high) == 0 && r.low.Sign() == 0 }

// length returns the number of integers in the interval.
func (r interval) length() *big.Int {
	if r.isFull() {
		return r.size
	}
	n := new(big.Int).Sub(r.high, r.low)
	return n.Mod(n, r.size)
}

// overlaps reports whether two intervals intersect.
func (r interval) overlaps(o interval) bool {
	if r.isEmpty() || o.isEmpty() {
		return false
	}
	starts := func(a, b interval) bool { // a contains the first integer of b
		d := new(big.Int).Sub(b.low, a.low)
		return d.Mod(d, a.size).Cmp(a.length()) < 0
	}
	return starts(r, o) || starts(o, r)
}

func (r interval) touches(o interval) bool { return r.high.Cmp(o.low) == 0 || r.low.Cmp(o.high) == 0 }

// signed returns the lower bound as a signed number.
func (r interval) signed() *big.Int {
	half := new(big.Int).Rsh(r.size, 1)
	if r.low.Cmp(half) >= 0 {
		return new(big.Int).Sub(r.low, r.size)
	}
	return r.low
}

// bigValue returns the value of metadata that is an integer constant.
func (c *checker) bigValue(md ir.Metadata) *big.Int {
	n := new(big.Int)
	words := c.m.Words(c.m.MDValue(md))
	for i := len(words) - 1; i >= 0; i-- {
		n.Lsh(n, 64)
		n.Or(n, new(big.Int).SetUint64(words[i]))
	}
	return n
}

// ranges checks pairs of bounds.
func (c *checker) ranges(md ir.Metadata, t ir.Type, kind rangeKind) string {
	ops := c.m.MDOperands(md)
	switch {
	case len(ops)%2 != 0:
		return "Unfinished range!"
	case len(ops) == 0:
		return "It should have at least one range!"
	}
	var first, last interval
	for i := 0; i < len(ops); i += 2 {
		r, message := c.rangePair(ops[i], ops[i+1], t, kind)
		if message != "" {
			return message
		}
		if i > 0 {
			switch {
			case r.overlaps(last):
				return "Intervals are overlapping"
			case r.signed().Cmp(last.signed()) <= 0:
				return "Intervals are not in order"
			case r.touches(last):
				return "Intervals are contiguous"
			}
		} else {
			first = r
		}
		last = r
	}
	if len(ops) > 4 {
		switch {
		case first.overlaps(last):
			return "Intervals are overlapping"
		case first.touches(last):
			return "Intervals are contiguous"
		}
	}
	return ""
}

// rangePair checks one pair of bounds.
func (c *checker) rangePair(low, high ir.Metadata, t ir.Type, kind rangeKind) (r interval, message string) {
	switch {
	case !c.isConstInt(low):
		return r, "The lower limit must be an integer!"
	case !c.isConstInt(high):
		return r, "The upper limit must be an integer!"
	}
	lt, ht := c.m.TypeOfConst(c.m.MDValue(low)), c.m.TypeOfConst(c.m.MDValue(high))
	switch {
	case lt != ht:
		return r, c.found("Range pair types must match!", lt, ht)
	case kind == rangeSpace && ht != ir.I32:
		return r, c.found("noalias.addrspace type must be i32!", ht)
	case kind != rangeSpace && ht != c.m.Scalar(t):
		return r, c.found("Range types must match instruction type!", ht, t)
	}
	r = interval{c.bigValue(low), c.bigValue(high), new(big.Int).Lsh(big.NewInt(1), uint(c.m.IntBits(lt)))}
	top := new(big.Int).Sub(r.size, big.NewInt(1))
	switch {
	case r.low.Cmp(r.high) == 0 && r.low.Cmp(top) != 0 && r.low.Sign() != 0:
		return r, "The upper and lower limits cannot be the same value"
	case r.isEmpty() || kind != rangeAbsolute && r.isFull():
		return r, "Range must not be empty!"
	}
	return r, ""
}
