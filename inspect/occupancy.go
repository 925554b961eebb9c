package inspect

import (
	"github.com/gfx-toolchain/gfx/target"
)

// Occupancy is the number of a kernel's waves that an execution unit (SIMD) can
// hold at a time.
//
// The waves of an execution unit share its registers, which are allocated in
// granules. All waves of a work-group are on one CU (or on the two of a
// work-group processor) and share its LDS, which is allocated in granules as
// well. Sources: AMD's ISA documents, chapter Program Organization and the
// granules of package target. Work-groups are counted as in LLVM, with the
// largest size that the metadata allow, or the processor's if the metadata have
// none.
type Occupancy struct {
	WavesPerEU int    `json:"wavesPerEU"` // the least of the limits below; 0 if a work-group of the largest size does not fit
	Limit      string `json:"limit"`      // the limiting resource: "VGPRs", "SGPRs", "LDS", "work-groups", "hardware"

	// The limit of each resource alone, or 0 if it is not a limit.
	Hardware   int `json:"hardware"`
	VGPRs      int `json:"vgprs,omitempty"`      // waves
	SGPRs      int `json:"sgprs,omitempty"`      // waves
	LDS        int `json:"lds,omitempty"`        // waves
	WorkGroups int `json:"workGroups,omitempty"` // only whole work-groups of the largest size, at most as many as the CU has barriers

	// The allocated resources, in whole granules.
	AllocatedVGPRs int `json:"allocatedVGPRs"`           // with AGPRs where they share one file
	AllocatedSGPRs int `json:"allocatedSGPRs,omitempty"` // per wave
	AllocatedLDS   int `json:"allocatedLDS"`             // bytes per work-group
	WavesPerGroup  int `json:"wavesPerGroup"`            // in the largest work-group
}

func alignUp(n, granule int) int {
	if granule <= 0 {
		return n
	}
	return (n + granule - 1) / granule * granule
}

// occupancy returns the occupancy of a kernel, or nil if its registers are
// unknown.
func (b *builder) occupancy(k *Kernel) *Occupancy {
	if b.t == nil || k.VGPRs.Granted == nil {
		return nil
	}
	l := b.limits(k)
	if l.WavesPerEU == 0 || l.VGPRs == 0 {
		return nil
	}
	vgprs := *k.VGPRs.Granted
	if k.UnifiedVGPRs {
		vgprs += valueOf(k.AGPRs.Granted)
	}
	o := &Occupancy{Hardware: l.WavesPerEU, AllocatedVGPRs: alignUp(vgprs, l.VGPRGranule)}
	o.VGPRs = l.VGPRs / max(o.AllocatedVGPRs, l.VGPRGranule)
	if l.SGPRs > 0 {
		o.AllocatedSGPRs = alignUp(valueOf(k.SGPRs.Granted), l.SGPRGranule)
		if b.t.Has(target.FeatureTrapHandler) {
			o.AllocatedSGPRs += target.TrapSGPRs
		}
		o.SGPRs = l.SGPRs / max(o.AllocatedSGPRs, l.SGPRGranule)
	}
	o.groups(k, &l)
	return o
}

// limits returns the processor's limits in the kernel's modes.
func (b *builder) limits(k *Kernel) target.Limits {
	f := b.t.Features.Without(target.FeatureWave32).Without(target.FeatureWave64)
	if k.WaveSize == 32 {
		f = f.With(target.FeatureWave32)
	} else {
		f = f.With(target.FeatureWave64)
	}
	if k.WGPMode != nil {
		f = f.Without(target.FeatureCUMode)
		if !*k.WGPMode {
			f = f.With(target.FeatureCUMode)
		}
	}
	return b.t.Processor.Limits(f)
}

// groups applies the limits of whole work-groups and finds the least limit.
func (o *Occupancy) groups(k *Kernel, l *target.Limits) {
	waves, limit := o.Hardware, "hardware"
	lower := func(n int, what string) {
		if n < waves {
			waves, limit = n, what
		}
	}
	lower(o.VGPRs, "VGPRs")
	if l.SGPRs > 0 {
		lower(o.SGPRs, "SGPRs")
	}
	size := int(min(k.MaxFlatWorkGroup, uint64(l.WorkGroupSize)))
	if size == 0 {
		size = l.WorkGroupSize
	}
	o.WavesPerGroup = (size + l.WaveSize - 1) / l.WaveSize
	perEU := func(groups int) int { return (groups*o.WavesPerGroup + l.EUsPerCU - 1) / l.EUsPerCU }
	registers := waves * l.EUsPerCU / o.WavesPerGroup // groups that registers and wave slots allow
	barriers := registers
	if o.WavesPerGroup > 1 && l.BarriersPerCU > 0 {
		barriers = min(registers, l.BarriersPerCU)
	}
	o.AllocatedLDS = alignUp(int(min(k.LDS, 1<<30)), l.LDSGranule)
	if o.AllocatedLDS > 0 {
		groups := l.LDSPerCU / o.AllocatedLDS
		o.LDS = min(perEU(groups), o.Hardware)
		lower(o.LDS, "LDS")
	}
	if registers == 0 {
		waves = 0
	} else if n := min(perEU(barriers), o.Hardware); n < waves {
		o.WorkGroups = n
		lower(n, "work-groups")
	}
	o.WavesPerEU, o.Limit = waves, limit
}
