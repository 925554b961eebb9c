package sim

import (
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// simdFunc computes an operation on registers of n lanes. It writes the results
// of the lanes in exec to d, except for the lanes in left, which the caller
// must compute with the operation's scalar function. Both compute the same
// bits. For a comparison, left is the result mask. If n includes simdFlush,
// denormals are flushed.
type simdFunc func(d, a, b, c *uint32, exec uint64, n int) (left uint64)

// maskedFunc is like simdFunc for an operation with a lane mask as input and
// output.
type maskedFunc func(d, a, b *uint32, exec, in uint64, n int) (out uint64)

const simdFlush = 1 << 8

// simdRow describes the SIMD implementation of an operation.
type simdRow struct {
	run   simdFunc
	mask  maskedFunc
	float simdFloat
	rev   bool         // the sources are exchanged
	noIn  bool         // the mask input is unused
	sum   bool         // the returned lanes are carries; all lanes are computed
	flag  bool         // computed lanes produce no flag; lanes with an input flag are left to the scalar function
	signs *[4]simdFunc // replaces run, indexed by bits 0 and 1 of neg_lo
	below isa.Gen      // first generation for which the implementation is wrong; 0 for none
	pair  bool         // operates on pairs of 16-bit elements
}

// simdFloat specifies the floating-point modes that an implementation supports.
type simdFloat uint8

const (
	notFloat simdFloat = iota
	followMode
	followDouble
	followHalf
	alwaysFlush // flushes denormals in any mode: v_mad and v_mac, powers and logarithms
	mixed       // f32 sources and f16 result
	mixedFlush  // like mixed, with f32 denormals flushed
)

// simdOf returns the SIMD implementation of an operation, or nil.
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
		return nil // these preserve denormals
	}
	r := simdTable.Get()[name]
	if r == nil || r.below != 0 && o.in.Set.Gen() >= r.below || (r.mask != nil || r.sum || r.flag) != (o.flag != nil) {
		return nil
	}
	return r
}

// signed returns the implementation for the source signs in negLo.
func (r *simdRow) signed(negLo uint8) *simdRow {
	if r == nil || r.signs == nil {
		return r
	}
	return &simdRow{run: r.signs[negLo&3]}
}

// floatLanes returns the lane count to pass to a floating-point implementation
// in a given MODE, or 0 if the mode is not supported.
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

// halfLanes is floatLanes for f16 operations, derived from the value for f64.
// Their denormals must be enabled.
func halfLanes(double int, mode uint32) int {
	if double&simdFlush != 0 || mode&fp16Overflow != 0 {
		return 0
	}
	return double
}

// n returns the lane count to pass to the implementation, or 0 if the mode is
// not supported.
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
