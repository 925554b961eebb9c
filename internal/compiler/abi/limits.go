package abi

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Registers holds a number of registers in each file.
type Registers struct{ SGPRs, VGPRs, AGPRs int }

// Limits returns the number of registers that a function may use. It is bounded
// by the number of waves that amdgpu-flat-work-group-size and
// amdgpu-waves-per-eu require, and by amdgpu-num-sgpr and amdgpu-num-vgpr.
// SGPRs exclude VCC and other special registers. AGPRs is 0 on processors
// without them.
func Limits(m *ir.Module, f *ir.Function, t *target.Target) Registers {
	l := t.Limits()
	set := m.AttrsAt(f.Attributes, ir.AttrFunction)
	waves := minWaves(m, set, &l)
	r := Registers{SGPRs: l.AddressableSGPRs, VGPRs: min(vgprsFor(&l, waves), l.AddressableVGPRs)}
	special := t.SpecialSGPRs(true, true, t.XNACK.OnOrAny())
	if !t.Processor.Gen.Is(target.GFX8) { // the special registers are among the addressable ones
		r.SGPRs -= special
	}
	if l.SGPRs > 0 {
		most := l.SGPRs / waves &^ (max(l.SGPRGranule, 1) - 1)
		r.SGPRs = min(r.SGPRs, most-special)
	}
	if t.Has(target.FeatureSGPRInitBug) {
		r.SGPRs = min(r.SGPRs, target.FixedSGPRs-special)
	}
	if n, ok := intAttr(m, set, "amdgpu-num-sgpr"); ok && n > special {
		r.SGPRs = min(r.SGPRs, n-special)
	}
	if n, ok := intAttr(m, set, "amdgpu-num-vgpr"); ok && n > 0 {
		r.VGPRs = min(r.VGPRs, n)
	}
	if n := DynamicVGPRs(m, f, t); n > 0 {
		r.VGPRs = min(r.VGPRs, DynamicBlocks*n)
	}
	splitAGPRs(&r, &l)
	return r
}

// splitAGPRs divides a unified register file between VGPRs and AGPRs.
func splitAGPRs(r *Registers, l *target.Limits) {
	switch {
	case l.UnifiedVGPRs:
		all := r.VGPRs
		r.VGPRs = min(all, l.ArchVGPRs)
		r.AGPRs = min(all-r.VGPRs, l.AGPRs)
	case l.AGPRs > 0:
		r.AGPRs = min(r.VGPRs, l.AGPRs)
	}
	r.VGPRs = min(r.VGPRs, l.ArchVGPRs)
}

// minWaves returns the number of waves that must fit on an execution unit.
func minWaves(m *ir.Module, set ir.AttrSet, l *target.Limits) int {
	size := 1024
	if s, ok := m.StringAttr(set, "amdgpu-flat-work-group-size"); ok {
		if _, most, ok := strings.Cut(s, ","); ok {
			if n, ok := Number(most); ok && n > 0 {
				size = int(min(n, 1024))
			}
		}
	}
	ofGroup := (size + l.WaveSize - 1) / l.WaveSize
	waves := (ofGroup + l.EUsPerCU - 1) / l.EUsPerCU
	if n, ok := intAttr(m, set, "amdgpu-waves-per-eu"); ok {
		waves = max(waves, n)
	}
	return min(max(waves, 1), l.WavesPerEU)
}

// vgprsFor returns the number of VGPRs of each wave if the given number of
// waves shares an execution unit.
func vgprsFor(l *target.Limits, waves int) int {
	return l.VGPRs / waves / l.VGPRGranule * l.VGPRGranule
}

// intAttr returns the first number in an attribute's value.
func intAttr(m *ir.Module, set ir.AttrSet, key string) (int, bool) {
	s, ok := m.StringAttr(set, key)
	if !ok {
		return 0, false
	}
	first, _, _ := strings.Cut(s, ",")
	n, ok := Number(first)
	return int(n), ok
}
