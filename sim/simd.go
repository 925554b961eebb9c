package sim

import (
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// simdFunc computes an operation on whole registers of n lanes: for the lanes of
// exec it writes results to d, but for those that it leaves to the operation's
// own function, whose bits it gives. Of a comparison it gives the result. With
// simdFlush added to n denormals are flushed.
type simdFunc func(d, a, b, c *uint32, exec uint64, n int) (left uint64)

// maskedFunc does so for an operation that takes a lane mask and gives one.
type maskedFunc func(d, a, b *uint32, exec, in uint64, n int) (out uint64)

const simdFlush = 1 << 8

// simdRow is the quick version of operations.
type simdRow struct {
	run   simdFunc
	mask  maskedFunc
	float simdFloat
	rev   bool         // sources exchanged
	noIn  bool         // no mask goes in
	sum   bool         // what it leaves are carries: all lanes are done
	flag  bool         // the lanes that it does give no flag; those that a flag goes in for are left
	signs *[4]simdFunc // instead of run, by bits 0 and 1 of neg_lo
	below isa.Gen      // the first generation for which it is not right, 0 for none
	pair  bool         // it computes pairs of 16 bits
}

// simdFloat says under which modes a float operation may run quickly.
type simdFloat uint8

const (
	notFloat simdFloat = iota
	followMode
	followDouble
	followHalf
	alwaysFlush // no denormals whatever the mode: v_mad and v_mac, powers and logarithms
	mixed       // f32 sources and an f16 result
	mixedFlush  // the same without denormals of f32
)

// simdOf gives the quick version of an operation, nil when it has none.
func simdOf(o *op) *simdRow {
	if !hasSIMD {
		return nil
	}
	name := o.name
	if rest, ok := strings.CutPrefix(name, "v_cmpx_"); ok {
		name = "v_cmp_" + rest
	}
	if rest, ok := strings.CutPrefix(name, "v_dual_"); ok {
		name = "v_" + rest
	}
	if o.in.Set.Gen() == isa.Gen8 && (name == "v_max_f32" || name == "v_min_f32") {
		return nil // they keep denormals
	}
	r := simdTable.Get()[name]
	if r == nil || r.below != 0 && o.in.Set.Gen() >= r.below || (r.mask != nil || r.sum || r.flag) != (o.flag != nil) {
		return nil
	}
	return r
}

// signed gives the version for the signs of sources that neg_lo says.
func (r *simdRow) signed(negLo uint8) *simdRow {
	if r == nil || r.signs == nil {
		return r
	}
	return &simdRow{run: r.signs[negLo&3]}
}

// floatLanes gives the number of lanes as float operations of a wave with a MODE take it, 0
// when they may not run quickly.
func floatLanes(mode uint32, lanes int) int {
	switch {
	case mode&3 != 0 || mode>>12&0x7f != 0:
		return 0
	case mode&0x30 == 0x30:
		return lanes
	case mode&0x30 == 0:
		return lanes | simdFlush
	}
	return 0
}

// halfLanes does so for operations of f16 from what it is for f64: they keep denormals.
func halfLanes(double int, mode uint32) int {
	if double&simdFlush != 0 || mode&fp16Overflow != 0 {
		return 0
	}
	return double
}

// n gives the number of lanes to pass to the operation, 0 when the mode does not
// allow it.
func (r *simdRow) n(w *wave) int {
	switch r.float {
	case notFloat:
		return w.lanes
	case followDouble:
		return w.doubleN
	case followHalf:
		return w.halfN
	}
	n := w.floatN
	if n == 0 || r.float >= mixed && w.halfN == 0 {
		return 0
	}
	if r.float == alwaysFlush || r.float == mixedFlush {
		return w.lanes | simdFlush
	}
	return n
}
