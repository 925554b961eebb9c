package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
)

// maxWideDwords is the largest size of an operand of a wide operation.
const maxWideDwords = 16

// prepareWide prepares an operation on operands of several dwords.
func prepareWide(o *op, row *sem.WideRow) bool {
	o.row, o.dtype = &untyped, sem.B32
	if !o.bindUntyped() || o.dst.kind != inVGPR {
		return false
	}
	sel := o.in.ScaleSel()
	o.run = func(w *wave, o *op) { w.wide(o, row, uint8(sel)) }
	return true
}

// wide executes an operation for each active lane. A lane writes its result
// after it has read its sources, and scales are read before any result is
// written.
func (w *wave) wide(o *op, row *sem.WideRow, sel uint8) {
	var dst [maxWideDwords]uint32
	var data [3][maxWideDwords]uint32
	var src [3][]uint32
	for i, n := range row.Src {
		src[i] = data[i][:n]
	}
	scales := &w.tmp[3]
	if row.Scaled != 0 {
		p := array(w.lanesOf(&o.src[1], &w.tmp[1]))
		for l := range w.lanes {
			from, part := sem.ScaleSource(row.Scaled, sel, l)
			scales[l] = p[from] >> (8 * part) & 0xff
		}
	}
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		for i := range o.src[:o.nsrc] {
			w.laneDwords(&o.src[i], l, src[i])
		}
		if row.Scaled != 0 {
			src[1][0] = scales[l]
		}
		row.Fn(&w.ctx, dst[:row.Dst], &src)
		for i := range row.Dst {
			w.v[int(o.dst.off)+i*w.lanes+l] = dst[i]
		}
	}
}

// laneDwords reads the dwords of one lane of a source.
func (w *wave) laneDwords(s *operand, l int, to []uint32) {
	for i := range to {
		to[i] = w.laneOf(s, i, l)
	}
}

// The lane permutations of gfx1250 operate on groups of lanes. Source 2 holds
// the number of lanes of a group, and source 1 the lane, distance or mask.
// Source: AMD's CDNA 5 ISA, V_PERMLANE_BCAST_B32 and its neighbours.

// groupLane returns the source lane of a lane, or -1 for none: the lane's
// position i in a group of n lanes, and source 1.
type groupLane func(i, n, sel int) int

func broadcastLane(_, n, sel int) int { return sel & (n - 1) }
func higherLane(i, n, sel int) int {
	if i+sel < n {
		return i + sel
	}
	return -1
}
func lowerLane(i, _, sel int) int { return max(i-sel, -1) }
func exclusiveLane(i, n, sel int) int {
	if j := i ^ sel; j < n {
		return j
	}
	return -1
}

// permutesGroups returns a preparer of a permutation of the lanes of groups. A
// lane without a source lane keeps its own value. Inactive lanes are read, too.
func permutesGroups(f groupLane) preparer {
	return runsVector(func(w *wave, o *op) {
		exec := w.exec()
		sel, n := int(w.scalar(&o.src[1])&63), groupLanes(w.scalar(&o.src[2]), w.lanes)
		src := w.lanesOf(&o.src[0], &w.tmp[0])
		var from [64]uint32
		for l := range w.lanes {
			from[l] = uint32(l)
			if j := f(l&(n-1), n, sel); j >= 0 {
				from[l] = uint32(l&^(n-1) | j)
			}
		}
		lanes.Take(&w.moved[0], src, &from, exec, w.lanes)
		lanes.Merge(&w.v[o.dst.off], &w.moved[0], exec, 0, 0, w.lanes)
	})
}

// groupLanes returns the number of lanes in a group, a power of two.
func groupLanes(n uint64, lanes int) int {
	if n = n & 63; n == 0 || n > uint64(lanes) {
		return lanes
	}
	return 1 << (bits.Len64(n) - 1)
}

// runIndexGen exclusive-ors a lane number with a mask.
func runIndexGen(w *wave, o *op) {
	p := array(w.lanesOf(&o.src[0], &w.tmp[0]))
	sel := uint32(w.scalar(&o.src[1]))
	d := array(&w.v[o.dst.off])
	for m := w.exec(); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		d[l] = p[l] ^ sel
	}
}
