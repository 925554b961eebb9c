package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
)

// Check barrier reports waves of a work-group that wait at different barriers,
// or that end while others wait. The hardware only counts waves and releases
// them. High-level languages require all work-items of a group to reach the
// same barrier, so code that relies on the hardware's behavior is incorrect.

// barrierCheck is the per-wave part of the check, which has no state.
type barrierCheck struct{}

func newBarrierCheck(*wave) waveChecker { return barrierCheck{} }

func (barrierCheck) start(*wave)                     {}
func (barrierCheck) before(*wave, *op, []reguse.Use) {}
func (barrierCheck) after(*wave, *op, []reguse.Use)  {}
func (barrierCheck) end(*wave)                       {}

// compareBarriers compares the positions of a group's waves as they are about
// to leave a barrier. All waves that have not ended are waiting.
func (g *group) compareBarriers() {
	var first, gone *wave
	for _, w := range g.waves[:g.begun] {
		switch {
		case w.stop != atBarrier:
			gone = w
		case first == nil:
			first = w
		case w.address(w.at) != first.address(first.at):
			other := first
			w.report(found{check: device.CheckBarrier, kind: "different", other: other.address(other.at), lane: -1, text: func() (string, string) {
				return fmt.Sprintf("waves of a work-group wait at different barriers: wave %d here, wave %d at another", w.index, other.index),
					fmt.Sprintf("wave %d waits", other.index)
			}})
		}
	}
	if gone == nil || first == nil {
		return
	}
	g.reportEnded(first, gone)
}

// reportEnded reports that a wave has ended while another one waits at a
// barrier.
func (g *group) reportEnded(first, gone *wave) {
	first.report(found{check: device.CheckBarrier, kind: "ended", other: gone.address(gone.at), lane: -1, text: func() (string, string) {
		return fmt.Sprintf("wave %d waits at a barrier that wave %d never reaches: it has ended", first.index, gone.index),
			fmt.Sprintf("wave %d ended", gone.index)
	}})
}

// checkSignal compares the position of a wave that signals the work-group's
// split barrier with the position of the first wave that did.
func (g *group) checkSignal(w *wave, b *barrierState) {
	at := w.address(w.at)
	if b.first == 0 {
		b.first, b.by = at, w.index
	}
	if at == b.first || g.launch.dev.opts.Checks&device.CheckBarrier == 0 {
		return
	}
	by := b.by
	w.report(found{check: device.CheckBarrier, kind: "different", other: b.first, lane: -1, text: func() (string, string) {
		return fmt.Sprintf("waves of a work-group signal at different barriers: wave %d here, wave %d at another", w.index, by),
			fmt.Sprintf("wave %d signals", by)
	}})
}

// checkEnded reports a split barrier that completes although a wave of the
// work-group has ended.
func (g *group) checkEnded() {
	if g.launch.dev.opts.Checks&device.CheckBarrier == 0 {
		return
	}
	var first, gone *wave
	for _, w := range g.waves[:g.begun] {
		switch {
		case w.stop == ended:
			gone = w
		case first == nil && w.split.signaled:
			first = w
		}
	}
	if gone != nil && first != nil {
		g.reportEnded(first, gone)
	}
}

// checkSignal compares the position of a wave that signals the barrier of its
// cluster with the position of the first wave that did. It also reports a second
// signal of one work-group, because the hardware only counts signals.
func (c *cluster) checkSignal(w *wave) {
	if w.dev.opts.Checks&device.CheckBarrier == 0 {
		return
	}
	b, at, bit := &c.barrier, w.address(w.at), uint32(1)<<w.group.flatPlace()
	if b.first == 0 {
		b.first, b.by = at, int(w.group.flatPlace())
	}
	first, by, place := b.first, b.by, w.group.flatPlace()
	switch {
	case c.arrived&bit != 0:
		w.report(found{check: device.CheckBarrier, kind: "twice", other: first, lane: -1, text: func() (string, string) {
			return fmt.Sprintf("work-group %d of the cluster signals its barrier again before the barrier has completed", place), "the first signal"
		}})
	case at != first:
		w.report(found{check: device.CheckBarrier, kind: "different", other: first, lane: -1, text: func() (string, string) {
			return fmt.Sprintf("work-groups of a cluster signal at different barriers: work-group %d of the cluster here, work-group %d at another", place, by),
				fmt.Sprintf("work-group %d signals", by)
		}})
	}
	c.arrived |= bit
}

// checkEnded reports a work-group that has ended while others of its cluster
// wait at the barrier of the cluster.
func (c *cluster) checkEnded(g *group) {
	if c.launch.dev.opts.Checks&device.CheckBarrier == 0 || c.barrier.signals == 0 || c.arrived>>g.flatPlace()&1 != 0 {
		return
	}
	gone := g.waves[g.begun-1]
	for _, other := range c.groups {
		if c.arrived>>other.flatPlace()&1 == 0 {
			continue
		}
		for _, w := range other.waves[:other.begun] {
			if w.stop == atSplitBarrier && w.split.waits == bitCluster {
				w.report(found{check: device.CheckBarrier, kind: "ended", other: gone.address(gone.at), lane: -1, text: func() (string, string) {
					return fmt.Sprintf("work-group %d of the cluster waits at the barrier that work-group %d never reaches: it has ended", other.flatPlace(), g.flatPlace()),
						fmt.Sprintf("work-group %d ended", g.flatPlace())
				}})
				return
			}
		}
	}
}

// checkNamedSignal reports a signal at a named barrier without members, which
// completes at once.
func (w *wave) checkNamedSignal(n int) {
	if n <= noBarrier || w.dev.opts.Checks&device.CheckBarrier == 0 || w.group.barrier(n).members > 0 {
		return
	}
	w.report(found{check: device.CheckBarrier, kind: "no members", lane: -1, text: func() (string, string) {
		return fmt.Sprintf("named barrier %d has no members: s_barrier_init has not set their number", n), ""
	}})
}

// checkNamedWait reports a wait for a named barrier by a wave that has joined
// none, which does not wait.
func (w *wave) checkNamedWait() {
	if w.split.joined != noBarrier || w.group.begun == 1 || w.dev.opts.Checks&device.CheckBarrier == 0 {
		return
	}
	w.report(found{check: device.CheckBarrier, kind: "not joined", lane: -1, text: func() (string, string) {
		return "the wave waits for a named barrier but has joined none (s_barrier_join)", ""
	}})
}
