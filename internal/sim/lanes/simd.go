package lanes

import (
	"unsafe"

	"github.com/gfx-toolchain/gfx/isa"
)

// Func computes an operation on registers of n lanes. It writes the results
// of the lanes in exec to d, except for the lanes in left, which the caller
// must compute with the operation's scalar function. Both compute the same
// bits. For a comparison, left is the result mask. If n includes Flush,
// denormals are flushed.
type Func func(d, a, b, c *uint32, exec uint64, n int) (left uint64)

// MaskFunc is like Func for an operation with a lane mask as input and
// output.
type MaskFunc func(d, a, b *uint32, exec, in uint64, n int) (out uint64)

// Flush is a flag of lane counts: denormals are flushed.
const Flush = 1 << 8

// MoveFunc loads or stores one dword for each lane of exec: see Gather.
type MoveFunc func(d, lo, hi *uint32, exec uint64, n int, base, limit uint64, host unsafe.Pointer) (left uint64)

// WideFunc loads or stores 8 or 16 bytes for each of n lanes: see WideMoves.
type WideFunc func(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int

// Impl describes the SIMD implementation of an operation: Run or Mask.
type Impl struct {
	Run      Func
	Mask     MaskFunc
	Plain    Func // replaces Mask where no mask is written
	Reversed bool // the sources are exchanged
	NoInput  bool // the mask input is unused
	Sum      bool // the returned lanes are carries; all lanes are computed
	Pair     bool // operates on pairs of 16-bit elements

	float floatModes
	flag  bool        // computed lanes produce no flag; lanes with an input flag are left to the scalar function
	signs *[4]Func    // replaces Run, indexed by bits 0 and 1 of neg_lo
	wrong isa.SetMask // sets for which the implementation is wrong
}

// floatModes specifies the floating-point modes that an implementation supports.
type floatModes uint8

const (
	notFloat floatModes = iota
	followMode
	followDouble
	followHalf
	alwaysFlush // flushes denormals in any mode: v_mad and v_mac, powers and logarithms
	mixed       // f32 sources and f16 result
	mixedFlush  // like mixed, with f32 denormals flushed
)

// Find returns the SIMD implementation of an instruction's operation in a set,
// or nil. hasFlag specifies that the operation reads or writes a lane mask in
// addition to its operands.
func Find(op isa.Op, set isa.Set, hasFlag bool) *Impl {
	if !HasSIMD {
		return nil
	}
	r := implTable.Get()[op.Base().Name()]
	if r == nil || set.Has(r.wrong) || (r.Mask != nil || r.Sum || r.flag) != hasFlag {
		return nil
	}
	return r
}

// Signed returns the implementation for the source signs in negLo.
func (r *Impl) Signed(negLo uint8) *Impl {
	if r == nil || r.signs == nil {
		return r
	}
	return &Impl{Run: r.signs[negLo&3]}
}

// Counts holds the lane counts to pass to floating-point implementations in
// a given MODE, or 0 where they do not support it.
type Counts struct {
	Float, Double, Half int
}

// CountsOf returns the lane counts for a MODE register. overflow is
// MODE.FP16_OVFL.
func CountsOf(mode uint32, overflow bool, lanes int) Counts {
	double := floatLanes(mode&^0xff|mode>>2&0x33, lanes)
	c := Counts{Float: floatLanes(mode, lanes), Double: double, Half: double}
	if double&Flush != 0 || overflow { // f16 denormals must be enabled
		c.Half = 0
	}
	return c
}

// floatLanes returns the lane count for f32 implementations, or 0 if the mode is
// not supported.
func floatLanes(mode uint32, lanes int) int {
	switch {
	case mode&3 != 0 || mode>>12&0x7f != 0:
		return 0
	case mode&0x30 == 0x30:
		return lanes
	case mode&0x30 == 0:
		return lanes | Flush
	}
	return 0
}

// CountFor returns the lane count to pass to the implementation, or 0 if it does
// not support the mode.
func (r *Impl) CountFor(lanes int, c *Counts) int {
	switch r.float {
	case notFloat:
		return lanes
	case followDouble:
		return c.Double
	case followHalf:
		return c.Half
	}
	n := c.Float
	if n == 0 || r.float >= mixed && c.Half == 0 {
		return 0
	}
	if r.float == alwaysFlush || r.float == mixedFlush {
		return lanes | Flush
	}
	return n
}
