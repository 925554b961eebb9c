package analysis

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// UnsignedRange returns the smallest and largest unsigned value of an integer
// of at most 64 bits. It uses known bits, metadata, attributes and the
// work-group size. For other values it returns the full range.
func UnsignedRange(f *ir.Function, v ir.Value) (lo, hi uint64) {
	b := KnownBits(f, v)
	lo, hi = b.Min(), b.Max()
	if first, last, ok := statedRange(f, v); ok && first <= hi && last >= lo {
		lo, hi = max(lo, first), min(hi, last)
	}
	return lo, hi
}

// SignedRange is UnsignedRange for signed numbers.
func SignedRange(f *ir.Function, v ir.Value) (lo, hi int64) {
	w := valueWidth(f.Module(), f.TypeOf(v))
	if w == 0 {
		return -1 << 63, 1<<63 - 1
	}
	sign := uint64(1) << (w - 1)
	first, last := UnsignedRange(f, v)
	if last < sign || first >= sign { // a single sign
		return num64(first, w), num64(last, w)
	}
	n := w - SignBits(f, v)
	return -1 << n, 1<<n - 1
}

// statedRange returns the range specified by metadata, an attribute or a
// work-item ID, if it is a single range that does not wrap.
func statedRange(f *ir.Function, v ir.Value) (lo, hi uint64, ok bool) {
	m := f.Module()
	w := valueWidth(m, f.TypeOf(v))
	if !v.IsLocal() || w == 0 {
		return 0, 0, false
	}
	var set ir.AttrSet
	switch op := f.Op(v); {
	case op == ir.OpArg:
		set = m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X))
	case op.IsCall():
		if id := f.CalledIntrinsic(v); id == ir.IntrAMDGCNWorkitemIdX || id == ir.IntrAMDGCNWorkitemIdY || id == ir.IntrAMDGCNWorkitemIdZ {
			wg := workGroupOf(f, 64)
			return 0, wg.maxID(int(id - ir.IntrAMDGCNWorkitemIdX)), true
		}
		a, ok := callAttr(f, v, ir.AttrResult, ir.AttrRange)
		if ok {
			return boundsOf(m.Str(a.Str), w)
		}
	}
	if a, ok := m.Attr(set, ir.AttrRange); ok {
		return boundsOf(m.Str(a.Str), w)
	}
	if f.Op(v) == ir.OpArg {
		return 0, 0, false
	}
	md := f.Attachment(v, ir.MDRange)
	if md == 0 {
		return 0, 0, false
	}
	ops := m.MDOperands(md)
	if len(ops) != 2 {
		return 0, 0, false
	}
	lo, ok1 := m.MDInt(ops[0])
	hi, ok2 := m.MDInt(ops[1])
	return plainRange(lo, hi, w, ok1 && ok2)
}

// boundsOf parses the text of a range attribute.
func boundsOf(text string, w int) (lo, hi uint64, ok bool) {
	first, second, _ := strings.Cut(text, ",")
	lo, hi, ok = parseBounds(first, second)
	return plainRange(lo, hi, w, ok)
}

// plainRange converts an exclusive range to an inclusive one. ok is false if the
// range wraps.
func plainRange(lo, end uint64, w int, valid bool) (first, last uint64, ok bool) {
	mask := lowMask(w)
	lo, last = lo&mask, (end-1)&mask
	return lo, last, valid && lo <= last
}
