package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/hazard"
	"github.com/gfx-toolchain/gfx/internal/reguse"
)

// Check hazard reports instructions that follow another too closely, according
// to package hazard.

// hazardCheck observes the instructions of one wave.
type hazardCheck struct {
	c     hazard.Checker
	state *hazard.State
	w     *wave
}

func newHazardCheck(w *wave) waveChecker {
	c := &hazardCheck{w: w}
	c.c.Report = c.report
	if hazard.HasState(w.dev.set, w.lanes) {
		c.state = &hazard.State{}
	}
	return c
}

func (c *hazardCheck) start(w *wave) {
	c.c.Reset(w.dev.set, w.lanes)
	if c.state != nil {
		c.state.Reset(w.dev.set, w.lanes)
	}
}

func (c *hazardCheck) end(w *wave) {}

func (c *hazardCheck) before(w *wave, o *op, uses []reguse.Use) {
	f := &o.facts.hazard
	id := w.address(w.at)
	c.c.Check(id, f, uses)
	if c.state != nil {
		c.state.Step(&c.c, id, f, uses)
	}
	c.c.Enter(id, f, uses)
}

func (c *hazardCheck) after(w *wave, o *op, uses []reguse.Use) {}

func (c *hazardCheck) report(x *hazard.Found) {
	f := *x
	c.w.report(found{check: device.CheckHazard, kind: f.Name, other: f.Other, lane: -1, text: func() (string, string) { return f.Message(), "" }})
}
