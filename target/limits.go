package target

// Limits holds the hardware limits that apply to a program. Values that neither
// LLVM nor the guides specify (most of r600) are 0.
type Limits struct {
	// Scalar registers, 32 bits each.
	SGPRs               int `json:"sgprs"`               // per execution unit; 0 from gfx10 on: each wave has all addressable ones
	AddressableSGPRs    int `json:"addressableSGPRs"`    // addressable, without VCC and other special registers
	SGPRGranule         int `json:"sgprGranule"`         // allocation granule
	SGPREncodingGranule int `json:"sgprEncodingGranule"` // granule of the count in kernel descriptors

	// Vector registers: 32 bits for each lane of a wave; 128 bits on r600.
	VGPRs               int  `json:"vgprs"`               // per execution unit and lane, shared by its waves
	AddressableVGPRs    int  `json:"addressableVGPRs"`    // available to a wave, including AGPRs if they share one file
	ArchVGPRs           int  `json:"archVGPRs"`           // addressable as v0, v1 and so on
	AGPRs               int  `json:"agprs"`               // accumulation registers, addressable as a0, a1 and so on
	UnifiedVGPRs        bool `json:"unifiedVGPRs"`        // VGPRs and AGPRs share one allocation
	VGPRGranule         int  `json:"vgprGranule"`         // allocation granule
	VGPREncodingGranule int  `json:"vgprEncodingGranule"` // granule of the count in kernel descriptors

	// Local memory in bytes. CU means the unit that the waves of a work-group
	// share: a compute unit or, on gfx10 to gfx12 without cumode, the two of a
	// work-group processor.
	LDS        int `json:"lds"`        // per work-group
	LDSPerCU   int `json:"ldsPerCU"`   // per CU
	LDSGranule int `json:"ldsGranule"` // granule of the size in kernel descriptors
	LDSBanks   int `json:"ldsBanks"`   // number of banks

	// Waves and work-groups.
	WaveSize       int `json:"waveSize"`       // work-items in a wave
	WavesPerEU     int `json:"wavesPerEU"`     // maximum number of waves on an execution unit (SIMD)
	EUsPerCU       int `json:"eusPerCU"`       // execution units shared by a work-group
	WorkGroupSize  int `json:"workGroupSize"`  // maximum number of work-items in a work-group
	BarriersPerCU  int `json:"barriersPerCU"`  // maximum number of work-groups of two or more waves on a CU
	UserSGPRs      int `json:"userSGPRs"`      // maximum number of SGPRs initialized from the kernel descriptor
	ScratchPerWave int `json:"scratchPerWave"` // maximum scratch memory of a wave, in bytes
	ScratchGranule int `json:"scratchGranule"` // granule of a wave's scratch memory, in bytes
}

// SGPRs of a wave that are reserved or fixed by the hardware.
const (
	TrapSGPRs       = 16 // for the trap handler, if one is installed
	FixedSGPRs      = 96 // required allocation with FeatureSGPRInitBug
	specialVCCSGPRs = 2
)

// limitRow holds the limits of a generation, for wave64 and CU mode.
type limitRow struct {
	sgprs, sgprsAddr, sgprGranule  uint16
	vgprs, vgprsAddr, vgprGranule  uint16
	vgprEncoding                   uint16
	lds, ldsGranule                uint32 // bytes
	wavesPerEU, eusPerCU, barriers uint8
	wgp                            bool // without cumode, a work-group uses two CUs
	userSGPRs                      uint8
	flatSGPRs, xnackSGPRs          uint8 // special SGPRs with flat scratch, with the XNACK mask; both include VCC
	scratchBits, scratchGranule    uint16
}

// limitRows holds the limits of each generation. Source: the values that LLVM
// 22 applies (AMDGPU::IsaInfo, GCNSubtarget), except sgprs from gfx10 on. The
// VGPRs of r600 are the 128 names of its register file.
var limitRows = [numGenerations]limitRow{
	R600:            {vgprsAddr: 128},
	R700:            {vgprsAddr: 128},
	Evergreen:       {vgprsAddr: 128, lds: 32 << 10},
	NorthernIslands: {vgprsAddr: 128, lds: 32 << 10},

	GFX6:    {512, 104, 8, 256, 256, 4, 4, 32 << 10, 256, 10, 4, 16, false, 16, 4, 0, 13, 1024},
	GFX7:    {512, 104, 8, 256, 256, 4, 4, 64 << 10, 512, 10, 4, 16, false, 16, 4, 0, 13, 1024},
	GFX8:    {800, 102, 16, 256, 256, 4, 4, 64 << 10, 512, 10, 4, 16, false, 16, 6, 4, 13, 1024},
	GFX9:    {800, 102, 16, 256, 256, 4, 4, 64 << 10, 512, 10, 4, 16, false, 16, 6, 4, 13, 1024},
	GFX90A:  {800, 102, 16, 512, 512, 8, 8, 64 << 10, 512, 8, 4, 16, false, 16, 6, 4, 13, 1024},
	GFX940:  {800, 102, 16, 512, 512, 8, 8, 64 << 10, 512, 8, 4, 16, false, 16, 6, 4, 13, 1024},
	GFX950:  {800, 102, 16, 512, 512, 8, 8, 160 << 10, 1280, 8, 4, 16, false, 16, 6, 4, 13, 1024},
	GFX10_1: {0, 106, 106, 512, 256, 4, 4, 64 << 10, 512, 20, 2, 16, true, 16, 0, 0, 13, 1024},
	GFX10_3: {0, 106, 106, 512, 256, 8, 4, 64 << 10, 512, 16, 2, 16, true, 16, 0, 0, 13, 1024},
	GFX11:   {0, 106, 106, 512, 256, 8, 4, 64 << 10, 512, 16, 2, 16, true, 16, 0, 0, 15, 256},
	GFX11_5: {0, 106, 106, 512, 256, 8, 4, 64 << 10, 512, 16, 2, 16, true, 16, 0, 0, 15, 256},
	GFX12:   {0, 106, 106, 512, 256, 8, 4, 64 << 10, 512, 16, 2, 16, true, 16, 0, 0, 18, 256},
	GFX12_5: {0, 106, 106, 512, 512, 8, 8, 320 << 10, 2048, 16, 4, 16, false, 32, 0, 0, 18, 256},
}

// Limits returns the limits of the target with its features.
func (t *Target) Limits() Limits { return t.Processor.Limits(t.Features) }

// Limits returns the limits of the processor with a set of features. The
// wavefront size, cumode and the width of the VGPR file affect the limits.
func (p *Processor) Limits(features FeatureSet) Limits {
	r := &limitRows[p.Gen]
	l := Limits{
		SGPRs: int(r.sgprs), AddressableSGPRs: int(r.sgprsAddr), SGPRGranule: int(r.sgprGranule),
		SGPREncodingGranule: 8,
		VGPRs:               int(r.vgprs), AddressableVGPRs: int(r.vgprsAddr), ArchVGPRs: int(r.vgprsAddr),
		VGPRGranule: int(r.vgprGranule), VGPREncodingGranule: int(r.vgprEncoding),
		LDS: int(r.lds), LDSPerCU: int(r.lds), LDSGranule: int(r.ldsGranule),
		WaveSize:   (&Target{Features: features}).WaveSize(),
		WavesPerEU: int(r.wavesPerEU), EUsPerCU: int(r.eusPerCU), BarriersPerCU: int(r.barriers),
		WorkGroupSize: 1024, UserSGPRs: int(r.userSGPRs),
		ScratchPerWave: (1<<r.scratchBits - 1) * int(r.scratchGranule), ScratchGranule: int(r.scratchGranule),
	}
	if p.Arch() == R600Arch {
		l.SGPREncodingGranule, l.WorkGroupSize = 0, 0
		return l
	}
	l.adjust(p, r, features)
	return l
}

// adjust applies the effects of features.
func (l *Limits) adjust(p *Processor, r *limitRow, features FeatureSet) {
	if features.Has(FeatureVGPRs1_5x) {
		l.VGPRs += l.VGPRs / 2
		l.VGPRGranule += l.VGPRGranule / 2
	}
	// A wave32 uses half as much of the file: counted in registers, all sizes
	// double.
	if l.WaveSize == 32 {
		l.VGPRs *= 2
		l.VGPRGranule *= 2
		l.VGPREncodingGranule *= 2
		if p.Gen.Is(GFX12_5) {
			l.AddressableVGPRs *= 2
			l.ArchVGPRs *= 2
		}
	}
	if features.Has(FeatureMAI) {
		l.AGPRs = 256
		l.ArchVGPRs = 256
		l.UnifiedVGPRs = p.Gen.Is(GFX90A)
	}
	if features.Has(FeatureSGPRInitBug) {
		l.AddressableSGPRs = FixedSGPRs
	}
	if r.wgp && !features.Has(FeatureCUMode) {
		l.LDSPerCU *= 2
		l.EUsPerCU *= 2
		l.BarriersPerCU *= 2
	}
	switch {
	case features.Has(FeatureLDSBanks32):
		l.LDSBanks = 32
	case features.Has(FeatureLDSBanks16):
		l.LDSBanks = 16
	}
}

// SpecialSGPRs returns the number of SGPRs that a wave needs in addition to
// those that its program names: for VCC, the flat scratch base and the XNACK
// mask, if used. They occupy the end of the allocation in this order from the
// top, so a lower one also reserves the space of those above it (2019 guide,
// "compute_pgm_rsrc1", GRANULATED_WAVEFRONT_SGPR_COUNT).
func (t *Target) SpecialSGPRs(vcc, flatScratch, xnack bool) int {
	r := &limitRows[t.Processor.Gen]
	n := 0
	if vcc {
		n = specialVCCSGPRs
	}
	if xnack {
		n = max(n, int(r.xnackSGPRs))
	}
	if flatScratch || t.Features.Has(FeatureArchitectedFlatScratch) {
		n = max(n, int(r.flatSGPRs))
	}
	return n
}
