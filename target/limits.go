package target

// Limits are the sizes of the machine that a program must keep to. What
// neither LLVM nor the guides tell (most of r600) is 0.
type Limits struct {
	// Scalar registers, 32 bits each.
	SGPRs               int `json:"sgprs"`               // in an execution unit, shared by its waves; 0 from gfx10, where each wave has all it can name
	AddressableSGPRs    int `json:"addressableSGPRs"`    // that a program can name, without VCC and other special registers
	SGPRGranule         int `json:"sgprGranule"`         // they are allocated in multiples of this
	SGPREncodingGranule int `json:"sgprEncodingGranule"` // kernel descriptors count them in multiples of this

	// Vector registers: 32 bits for each lane of a wave; 128 bits on r600.
	VGPRs               int  `json:"vgprs"`               // in an execution unit, for each lane, shared by its waves
	AddressableVGPRs    int  `json:"addressableVGPRs"`    // that a wave can have, AGPRs included where they share one file
	ArchVGPRs           int  `json:"archVGPRs"`           // that a program can name as v0, v1 and so on
	AGPRs               int  `json:"agprs"`               // accumulation registers that a program can name as a0, a1 and so on
	UnifiedVGPRs        bool `json:"unifiedVGPRs"`        // VGPRs and AGPRs are parts of one allocation
	VGPRGranule         int  `json:"vgprGranule"`         // they are allocated in multiples of this
	VGPREncodingGranule int  `json:"vgprEncodingGranule"` // kernel descriptors count them in multiples of this

	// Local memory in bytes. The CU is what the waves of a work-group share:
	// a compute unit, or the two of a work-group processor on gfx10 to gfx12
	// unless cumode is on.
	LDS        int `json:"lds"` // that a work-group can have
	LDSPerCU   int `json:"ldsPerCU"`
	LDSGranule int `json:"ldsGranule"` // kernel descriptors count it in multiples of this
	LDSBanks   int `json:"ldsBanks"`

	// Waves and work-groups.
	WaveSize       int `json:"waveSize"`       // work-items in a wave
	WavesPerEU     int `json:"wavesPerEU"`     // most waves on an execution unit (SIMD)
	EUsPerCU       int `json:"eusPerCU"`       // execution units that a work-group is spread over
	WorkGroupSize  int `json:"workGroupSize"`  // most work-items in a work-group
	BarriersPerCU  int `json:"barriersPerCU"`  // most work-groups of two or more waves on a CU
	UserSGPRs      int `json:"userSGPRs"`      // most SGPRs that the dispatch sets up from the kernel descriptor
	ScratchPerWave int `json:"scratchPerWave"` // most scratch memory of a wave, in bytes
	ScratchGranule int `json:"scratchGranule"` // scratch memory of a wave is a multiple of this, in bytes
}

// Registers that the system takes from a wave's SGPRs.
const (
	TrapSGPRs       = 16 // for the trap handler, when there is one
	FixedSGPRs      = 96 // what must be allocated with FeatureSGPRInitBug
	specialVCCSGPRs = 2
)

// limitRow is what the processors of one generation have in common, for waves
// of 64 and in CU mode.
type limitRow struct {
	sgprs, sgprsAddr, sgprGranule  uint16
	vgprs, vgprsAddr, vgprGranule  uint16
	vgprEncoding                   uint16
	lds, ldsGranule                uint32 // bytes
	wavesPerEU, eusPerCU, barriers uint8
	wgp                            bool // without cumode, a work-group has two CUs
	userSGPRs                      uint8
	flatSGPRs, xnackSGPRs          uint8 // SGPRs below VCC and VCC itself when flat scratch, the XNACK mask are used
	scratchBits, scratchGranule    uint16
}

// Source: what LLVM 22 applies (AMDGPU::IsaInfo, GCNSubtarget), except
// sgprs from gfx10. Registers of r600: its register file of 128 names.
var limitRows = [NumGenerations]limitRow{
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

// Limits gives the limits of the target with the features in effect.
func (t *Target) Limits() Limits { return t.Processor.Limits(t.Features) }

// Limits gives the limits of the processor with a set of features, of which
// the wavefront size, cumode and the width of the VGPR file count.
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

// adjust applies what features change.
func (l *Limits) adjust(p *Processor, r *limitRow, features FeatureSet) {
	if features.Has(FeatureVGPRs1_5x) {
		l.VGPRs += l.VGPRs / 2
		l.VGPRGranule += l.VGPRGranule / 2
	}
	// A wave of 32 takes half as much of the file: counted in registers,
	// everything doubles.
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

// SpecialSGPRs gives the number of SGPRs that a wave needs beyond those that
// its program names: for VCC, the flat scratch base and the XNACK mask, when
// they are used. They lie in this order from the end of the allocation, so a
// lower one takes the place of those above it as well (2019 guide,
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
