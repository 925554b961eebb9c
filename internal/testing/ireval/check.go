package ireval

import (
	"math/big"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// check holds the guarantees of attributes or metadata for a value.
type check struct {
	words   int32
	bits    int32
	noUndef bool
	nonNull bool
	align   uint64
	ranges  [][2]*bigInt // pairs of inclusive lower and exclusive upper bounds; ranges may wrap
}

// apply checks the value at a slot of the current frame.
func (k *check) apply(l *lane, slot int32) {
	if k != nil {
		k.applyTo(l, l.v[slot:slot+k.words], l.t[slot:slot+k.words])
	}
}

// applyTo turns a value that violates a guarantee into poison. With noundef,
// poison is undefined behaviour.
func (k *check) applyTo(_ *lane, v []uint64, t []uint8) {
	if k == nil {
		return
	}
	if k.broken(v, t) {
		for i := range t {
			t[i] = poison
		}
	}
	if k.noUndef {
		for _, mark := range t {
			if mark&2 != 0 {
				panic(ub("poison violates noundef"))
			}
		}
	}
}

func (k *check) broken(v []uint64, t []uint8) bool {
	if k.bits == 0 || t[0]&2 != 0 {
		return false
	}
	if k.nonNull && v[0] == 0 || k.align > 1 && v[0]&(k.align-1) != 0 {
		return true
	}
	if len(k.ranges) == 0 {
		return false
	}
	x := bigOf(v)
	for _, r := range k.ranges {
		if inRange(x, r[0], r[1]) {
			return false
		}
	}
	return true
}

// inRange reports whether x is in [lo, hi), which wraps if hi <= lo.
func inRange(x, lo, hi *bigInt) bool {
	if lo.Cmp(hi) < 0 {
		return x.Cmp(lo) >= 0 && x.Cmp(hi) < 0
	}
	return x.Cmp(lo) >= 0 || x.Cmp(hi) < 0
}

func (mc *Machine) newCheck(t ir.Type) *check {
	lay := mc.layout(t)
	k := &check{words: lay.words}
	if lay.kind == ir.KindInt || lay.kind == ir.KindPtr {
		k.bits = lay.bits
	}
	return k
}

// attrCheck returns the guarantees of an attribute list at a place, or nil if
// it has none.
func (mc *Machine) attrCheck(list ir.AttrList, place int, t ir.Type) *check {
	m := mc.m
	set := m.AttrsAt(list, place)
	if set == 0 || t == ir.Void {
		return nil
	}
	k := mc.newCheck(t)
	k.noUndef = m.HasAttr(set, ir.AttrNoUndef)
	k.nonNull = m.HasAttr(set, ir.AttrNonNull)
	if a, ok := m.Attr(set, ir.AttrAlign); ok {
		k.align = a.Int
	}
	if a, ok := m.Attr(set, ir.AttrRange); ok && k.bits != 0 {
		k.addRange(m.Str(a.Str))
	}
	if !k.noUndef && !k.nonNull && k.align <= 1 && len(k.ranges) == 0 {
		return nil
	}
	return k
}

// addRange adds a range with decimal bounds, "-5, 10".
func (k *check) addRange(s string) {
	lo, hi, _ := strings.Cut(s, ",")
	a, ok := new(bigInt).SetString(strings.TrimSpace(lo), 10)
	b, ok2 := new(bigInt).SetString(strings.TrimSpace(hi), 10)
	if ok && ok2 {
		k.ranges = append(k.ranges, [2]*bigInt{wrap(a, k.bits), wrap(b, k.bits)})
	}
}

// loadCheck returns the guarantees in the metadata of a load.
func (mc *Machine) loadCheck(f *ir.Function, v ir.Value) *check {
	if !f.HasAttachments(v) {
		return nil
	}
	k := mc.newCheck(f.TypeOf(v))
	k.noUndef = f.Attachment(v, ir.MDNoUndef) != 0
	k.nonNull = f.Attachment(v, ir.MDNonNull) != 0
	if md := f.Attachment(v, ir.MDRange); md != 0 && k.bits != 0 {
		mc.mdRanges(k, md)
	}
	if !k.noUndef && !k.nonNull && len(k.ranges) == 0 {
		return nil
	}
	return k
}

// mdRanges adds the pairs of a !range node.
func (mc *Machine) mdRanges(k *check, md ir.Metadata) {
	var bounds []*big.Int
	for _, o := range mc.m.MDOperands(md) {
		v := mc.m.MDValue(o)
		bounds = append(bounds, bigOf(mc.m.Words(v)))
	}
	for i := 0; i+1 < len(bounds); i += 2 {
		k.ranges = append(k.ranges, [2]*bigInt{bounds[i], bounds[i+1]})
	}
}
