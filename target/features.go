package target

import (
	"math/bits"
	"slices"
	"strings"
)

// Feature is a property of a processor, or a mode of generating code for it. A
// property common to all processors of a generation is not a feature: see
// [Generation.Is].
type Feature uint8

const (
	// Modes and settings that are part of the target ID or of the kernel ABI.

	FeatureXNACK                    Feature = iota // code can be replayed after a page fault
	FeatureXNACKSupport                            // the hardware has XNACK replay
	FeatureSRAMECC                                 // SRAM ECC is on: 16-bit loads clear the other half of the register
	FeatureSRAMECCSupport                          // the hardware has SRAM ECC
	FeatureWave16                                  // wavefronts of 16 work-items (rs880)
	FeatureWave32                                  // wavefronts of 32 work-items
	FeatureWave64                                  // wavefronts of 64 work-items
	FeatureCUMode                                  // the waves of a work-group share one CU, not one WGP
	FeatureTgSplit                                 // the waves of a work-group may be on different CUs
	FeatureArchitectedFlatScratch                  // the flat scratch base is set up by hardware
	FeatureArchitectedSGPRs                        // work-group IDs are in trap temporary registers (TTMP)
	FeaturePackedTID                               // work-item IDs are packed into v0
	FeatureKernargPreload                          // kernel arguments can be preloaded into SGPRs
	FeatureTrapHandler                             // a trap handler is installed
	FeatureUnalignedAccessMode                     // misaligned memory accesses are allowed
	FeaturePreciseMemory                           // memory faults are reported at the instruction
	FeatureEnableFlatScratch                       // scratch is accessed by scratch_ instructions
	FeaturePRTStrictNull                           // sparse texture fetches clear their results first
	FeatureRelaxedBufferOOB                        // out-of-bounds buffer rules may be relaxed
	FeaturePermissiveWaveSize                      // the assembler accepts wave32 and wave64 forms
	FeatureFlatForGlobal                           // flat instructions are used for global memory
	FeatureAutoWaitcntBeforeBarrier                // the barrier itself waits for memory accesses
	FeatureRequiresCOV6                            // needs code object version 6 (generic processors)
	FeatureTrue16                                  // has instructions that access halves of VGPRs
	FeatureRealTrue16                              // code uses registers such as v0.l and v0.h

	// Instructions of only some processors of a generation.

	FeatureMadMix           // v_mad_mix_f32, v_mad_mixlo_f16, v_mad_mixhi_f16
	FeatureFmaMix           // v_fma_mix_f32, v_fma_mixlo_f16, v_fma_mixhi_f16
	FeatureDLInsts          // v_fmac_f32, v_xnor_b32
	FeatureDot1             // v_dot4_i32_i8, v_dot8_i32_i4
	FeatureDot2             // v_dot2_i32_i16, v_dot2_u32_u16
	FeatureDot3             // v_dot8c_i32_i4
	FeatureDot4             // v_dot2c_i32_i16
	FeatureDot5             // v_dot2c_f32_f16
	FeatureDot6             // v_dot4c_i32_i8
	FeatureDot7             // v_dot4_u32_u8, v_dot8_u32_u4
	FeatureDot10            // v_dot2_f32_f16
	FeatureMAI              // matrix instructions and AGPRs
	FeaturePkFmacF16        // v_pk_fmac_f16
	FeatureAtomicFAddNoRtn  // buffer and global f32 atomic add without result
	FeatureAtomicPkAddF16   // buffer and global packed f16 atomic add without result
	FeatureFP8              // FP8 and BF8 instructions
	FeatureFP8Conversion    // FP8 and BF8 conversions
	FeatureXF32             // matrix instructions on xf32
	FeatureGFX10A           // image_bvh_intersect_ray on gfx10.1
	FeatureDPP64            // DPP on double-precision instructions
	FeaturePointSampleAccel // acceleration of point-sampled images
	FeatureUnpackedD16VMem  // 16-bit buffer and image data takes one VGPR per element

	// Properties that change limits or require workarounds.

	FeatureVGPRs1_5x              // 1.5 times as many VGPRs, with a larger granule
	FeatureSGPRInitBug            // SGPRs must be allocated in one fixed number
	FeatureUserSGPRInit16Bug      // at least 16 user and system SGPRs must be enabled
	FeatureLDSBanks16             // the LDS has 16 banks
	FeatureLDSBanks32             // the LDS has 32 banks
	FeatureFastFMA                // single-precision FMA is as fast as mul and add
	FeatureHalfRate64             // most double-precision operations have half rate
	FeatureCvtFP8Bug              // the VOP1 form of FP8 to f32 conversion is unreliable
	FeatureMFMAInlineLiteralBug   // SrcC of a matrix instruction cannot be an inline constant
	FeatureImageGather4D16Bug     // image_gather4 with d16 is broken
	FeatureImageStoreD16Bug       // image_store with d16 is broken
	FeatureRequiredExportPriority // the program must set the export priority
	FeatureSetregVGPRMSBFixup     // s_setreg on MODE disturbs the VGPR index bits

	numFeatures = iota // number of Feature values
)

// featureNames holds the -mattr names.
var featureNames = [numFeatures]string{
	FeatureXNACK:                    "xnack",
	FeatureXNACKSupport:             "xnack-support",
	FeatureSRAMECC:                  "sramecc",
	FeatureSRAMECCSupport:           "sramecc-support",
	FeatureWave16:                   "wavefrontsize16",
	FeatureWave32:                   "wavefrontsize32",
	FeatureWave64:                   "wavefrontsize64",
	FeatureCUMode:                   "cumode",
	FeatureTgSplit:                  "tgsplit",
	FeatureArchitectedFlatScratch:   "architected-flat-scratch",
	FeatureArchitectedSGPRs:         "architected-sgprs",
	FeaturePackedTID:                "packed-tid",
	FeatureKernargPreload:           "kernarg-preload",
	FeatureTrapHandler:              "trap-handler",
	FeatureUnalignedAccessMode:      "unaligned-access-mode",
	FeaturePreciseMemory:            "precise-memory",
	FeatureEnableFlatScratch:        "enable-flat-scratch",
	FeaturePRTStrictNull:            "enable-prt-strict-null",
	FeatureRelaxedBufferOOB:         "relaxed-buffer-oob-mode",
	FeaturePermissiveWaveSize:       "assembler-permissive-wavesize",
	FeatureFlatForGlobal:            "flat-for-global",
	FeatureAutoWaitcntBeforeBarrier: "auto-waitcnt-before-barrier",
	FeatureRequiresCOV6:             "requires-cov6",
	FeatureTrue16:                   "true16",
	FeatureRealTrue16:               "real-true16",
	FeatureMadMix:                   "mad-mix-insts",
	FeatureFmaMix:                   "fma-mix-insts",
	FeatureDLInsts:                  "dl-insts",
	FeatureDot1:                     "dot1-insts",
	FeatureDot2:                     "dot2-insts",
	FeatureDot3:                     "dot3-insts",
	FeatureDot4:                     "dot4-insts",
	FeatureDot5:                     "dot5-insts",
	FeatureDot6:                     "dot6-insts",
	FeatureDot7:                     "dot7-insts",
	FeatureDot10:                    "dot10-insts",
	FeatureMAI:                      "mai-insts",
	FeaturePkFmacF16:                "pk-fmac-f16-inst",
	FeatureAtomicFAddNoRtn:          "atomic-fadd-no-rtn-insts",
	FeatureAtomicPkAddF16:           "atomic-buffer-global-pk-add-f16-no-rtn-insts",
	FeatureFP8:                      "fp8-insts",
	FeatureFP8Conversion:            "fp8-conversion-insts",
	FeatureXF32:                     "xf32-insts",
	FeatureGFX10A:                   "gfx10_a-encoding",
	FeatureDPP64:                    "dpp-64bit",
	FeaturePointSampleAccel:         "point-sample-accel",
	FeatureUnpackedD16VMem:          "unpacked-d16-vmem",
	FeatureVGPRs1_5x:                "allocate1_5xvgprs",
	FeatureSGPRInitBug:              "sgpr-init-bug",
	FeatureUserSGPRInit16Bug:        "user-sgpr-init16-bug",
	FeatureLDSBanks16:               "ldsbankcount16",
	FeatureLDSBanks32:               "ldsbankcount32",
	FeatureFastFMA:                  "fast-fmaf",
	FeatureHalfRate64:               "half-rate-64-ops",
	FeatureCvtFP8Bug:                "cvt-fp8-vop1-bug",
	FeatureMFMAInlineLiteralBug:     "mfma-inline-literal-bug",
	FeatureImageGather4D16Bug:       "image-gather4-d16-bug",
	FeatureImageStoreD16Bug:         "image-store-d16-bug",
	FeatureRequiredExportPriority:   "required-export-priority",
	FeatureSetregVGPRMSBFixup:       "setreg-vgpr-msb-fixup",
}

// optionalFeatures holds the features that can be enabled only on processors
// that support them. LLVM accepts all others on every processor.
const optionalFeatures FeatureSet = 1<<FeatureXNACK | 1<<FeatureSRAMECC | waveFeatures |
	1<<FeatureCUMode | 1<<FeatureTgSplit

const waveFeatures FeatureSet = 1<<FeatureWave16 | 1<<FeatureWave32 | 1<<FeatureWave64

// String returns the feature's -mattr name.
func (f Feature) String() string { return featureNames[f] }

// LookupFeature returns the feature with an -mattr name. It accepts "sram-ecc",
// the spelling of code objects V2 and V3, for "sramecc".
func LookupFeature(name string) (Feature, bool) {
	if name == "sram-ecc" {
		return FeatureSRAMECC, true
	}
	i := slices.Index(featureNames[:], name)
	return Feature(max(i, 0)), i >= 0
}

// String returns the names of the features, separated by commas.
func (s FeatureSet) String() string {
	var b strings.Builder
	for f := range s.All() {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// FeatureSet is a set of features.
type FeatureSet uint64

// Features returns the set of the given features.
func Features(fs ...Feature) FeatureSet {
	var s FeatureSet
	for _, f := range fs {
		s |= 1 << f
	}
	return s
}

// Has reports whether s contains f.
func (s FeatureSet) Has(f Feature) bool { return s>>f&1 != 0 }

// With returns the set with f added.
func (s FeatureSet) With(f Feature) FeatureSet { return s | 1<<f }

// Without returns the set with f removed.
func (s FeatureSet) Without(f Feature) FeatureSet { return s &^ (1 << f) }

// Contains reports whether s contains every feature of t.
func (s FeatureSet) Contains(t FeatureSet) bool { return t&^s == 0 }

// Len returns the number of features in the set.
func (s FeatureSet) Len() int { return bits.OnesCount64(uint64(s)) }

// All returns an iterator over the features in numeric order.
func (s FeatureSet) All() func(yield func(Feature) bool) {
	return func(yield func(Feature) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(Feature(bits.TrailingZeros64(uint64(s)))) {
				return
			}
		}
	}
}
