package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/isa/reguse"
)

// Check barrier: the waves of a work-group that wait at different barriers, or that end while others
// wait. The hardware counts waves and lets them go on; the languages above say that all work-items of
// a group come to the same barrier, and code that relies on it is wrong then.

// barrierCheck does nothing for a wave by itself.
type barrierCheck struct{}

func newBarrierCheck(*wave) waveChecker { return barrierCheck{} }

func (barrierCheck) start(*wave)                     {}
func (barrierCheck) before(*wave, *op, []reguse.Use) {}
func (barrierCheck) after(*wave, *op, []reguse.Use)  {}
func (barrierCheck) end(*wave)                       {}

// compareBarriers looks at where the waves of a group are that are about to leave a barrier: all
// those that have not ended wait.
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
			w.report(found{check: CheckBarrier, kind: "different", other: other.address(other.at), lane: -1, text: func() (string, string) {
				return fmt.Sprintf("waves of a work-group wait at different barriers: wave %d here, wave %d at another one", w.index, other.index),
					fmt.Sprintf("wave %d waits", other.index)
			}})
		}
	}
	if gone == nil || first == nil {
		return
	}
	first.report(found{check: CheckBarrier, kind: "ended", other: gone.address(gone.at), lane: -1, text: func() (string, string) {
		return fmt.Sprintf("wave %d waits at a barrier that wave %d never comes to: it has ended", first.index, gone.index),
			fmt.Sprintf("wave %d ended", gone.index)
	}})
}
