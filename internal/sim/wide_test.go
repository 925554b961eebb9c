package sim

import "testing"

// TestGroupLanes compares the source lanes with the definitions of HIP's
// shuffles, for groups of all sizes.
func TestGroupLanes(t *testing.T) {
	for width := 1; width <= 32; width *= 2 {
		for lane := range 32 {
			for sel := range 64 {
				base := lane / width * width
				in := func(at int) int {
					if at < base || at >= base+width {
						return lane
					}
					return at
				}
				for _, x := range []struct {
					name string
					f    groupLane
					want int
				}{
					{"bcast", broadcastLane, base + sel%width},
					{"up", lowerLane, in(lane - sel)},
					{"down", higherLane, in(lane + sel)},
					{"xor", exclusiveLane, in(base + (lane - base ^ sel))},
				} {
					got := lane
					if j := x.f(lane-base, width, sel); j >= 0 {
						got = base + j
					}
					if got != x.want {
						t.Fatalf("%s: width %d, lane %d, selector %d: lane %d, want %d", x.name, width, lane, sel, got, x.want)
					}
				}
			}
		}
		if got := groupLanes(uint64(width), 32); got != width {
			t.Errorf("groups of %d lanes, want %d", got, width)
		}
	}
	if got := groupLanes(0, 32); got != 32 {
		t.Errorf("groups of %d lanes, want the wave's", got)
	}
}
