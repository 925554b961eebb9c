package opt

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// sameAttrs are the attributes that caller and callee must agree on (LLVM 22, Attributes.td, CompatRule isEqual).
var sameAttrs = [...]ir.AttrKind{ir.AttrSanitizeAddress, ir.AttrSanitizeThread, ir.AttrSanitizeMemory, ir.AttrSanitizeHWAddress,
	ir.AttrSanitizeMemTag, ir.AttrSanitizeType, ir.AttrSafeStack, ir.AttrShadowCallStack}

// inlineCompatible reports whether the attributes of two functions allow to inline one into the other: processor features,
// floating-point modes, sanitizers.
func inlineCompatible(ctx *Context, caller, callee *ir.Function) bool {
	for _, k := range sameAttrs {
		if fnAttr(caller, k) != fnAttr(callee, k) {
			return false
		}
	}
	return !(fnAttr(callee, ir.AttrStrictFP) && !fnAttr(caller, ir.AttrStrictFP)) &&
		denormalsCompatible(caller, callee) && modesCompatible(caller, callee) && featuresCompatible(ctx, caller, callee)
}

// denormalMode gives the modes of outputs and inputs in an attribute denormal-fp-math, "" standing for def.
func denormalMode(s, def string) (output, input string) {
	if s == "" {
		s = def
	}
	output, input, both := strings.Cut(s, ",")
	if !both {
		input = output
	}
	return output, input
}

func denormalsCompatible(caller, callee *ir.Function) bool {
	all, allC := fnString(caller, "denormal-fp-math"), fnString(callee, "denormal-fp-math")
	f32, f32C := fnString(caller, "denormal-fp-math-f32"), fnString(callee, "denormal-fp-math-f32")
	if all == "" {
		all = "ieee,ieee"
	}
	if allC == "" {
		allC = "ieee,ieee"
	}
	return denormalFits(all, allC, "") && denormalFits(f32, f32C, all+";"+allC)
}

// denormalFits reports whether code for one mode works in another one. defaults are those of both, behind each other.
func denormalFits(caller, callee, defaults string) bool {
	def, defC, _ := strings.Cut(defaults, ";")
	out, in := denormalMode(caller, def)
	outC, inC := denormalMode(callee, defC)
	return (out == outC || outC == "dynamic") && (in == inC || inC == "dynamic")
}

// modesCompatible compares the bits of the MODE register that functions are compiled for (SIModeRegisterDefaults).
func modesCompatible(caller, callee *ir.Function) bool {
	for _, key := range [...]string{"amdgpu-ieee", "amdgpu-dx10-clamp"} {
		if (fnString(caller, key) == "false") != (fnString(callee, key) == "false") {
			return false
		}
	}
	return true
}

// ignoredFeatures are those in which caller and callee may differ (AMDGPUTargetTransformInfo, InlineFeatureIgnoreList), of those that change
// code here.
const ignoredFeatures = 1<<target.FeatureXNACK | 1<<target.FeatureSRAMECC | 1<<target.FeatureCUMode | 1<<target.FeatureTrapHandler |
	1<<target.FeatureUnalignedAccessMode | 1<<target.FeatureFlatForGlobal | 1<<target.FeaturePRTStrictNull |
	1<<target.FeatureAutoWaitcntBeforeBarrier | 1<<target.FeatureSGPRInitBug | 1<<target.FeatureFastFMA | 1<<target.FeatureHalfRate64

// featuresCompatible reports whether the caller has all features of the callee: those of its processor, and those that
// target-features adds. Features that package target does not keep track of follow from the processor. A callee without a
// processor takes the caller's; code for another processor never fits.
func featuresCompatible(ctx *Context, caller, callee *ir.Function) bool {
	cpu, cpuC := ctx.processorOf(caller), ctx.processorOf(callee)
	features, featuresC := fnString(caller, "target-features"), fnString(callee, "target-features")
	if fnString(callee, "target-cpu") == "" {
		if featuresC == "" {
			return true
		}
		cpuC = cpu
	}
	if cpuC != cpu {
		return false
	}
	return features == featuresC || featureSet(cpu, features).Contains(featureSet(cpu, featuresC)&^ignoredFeatures)
}

// processorOf returns the processor that a function is for, nil when none is known.
func (ctx *Context) processorOf(f *ir.Function) *target.Processor {
	if p := target.Lookup(fnString(f, "target-cpu")); p != nil || ctx.Target == nil {
		return p
	}
	return ctx.Target.Processor
}

// waves are the features of wave sizes, of which one holds.
const waves = 1<<target.FeatureWave16 | 1<<target.FeatureWave32 | 1<<target.FeatureWave64

// featureSet returns the features of a processor, nil for an unknown one, with a list of changes to them.
func featureSet(p *target.Processor, list string) (set target.FeatureSet) {
	if p != nil {
		set = p.Default
	}
	for item := range strings.SplitSeq(list, ",") {
		name, on := strings.CutPrefix(item, "+")
		f, known := target.LookupFeature(strings.TrimPrefix(name, "-"))
		switch {
		case !known:
		case !on:
			set = set.Without(f)
		default:
			if waves>>f&1 != 0 {
				set &^= waves
			}
			set = set.With(f)
		}
	}
	return set
}

// Attributes that a caller has after inlining only when both had them, or when one had them (LLVM 22, Attributes.td, MergeRule).
var (
	andStrings = [...]string{"less-precise-fpmad", "no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math", "unsafe-fp-math",
		"approx-func-fp-math"}
	orStrings = [...]string{"no-jump-tables", "profile-sample-accurate"}
	orAttrs   = [...]ir.AttrKind{ir.AttrNoImplicitFloat, ir.AttrSpeculativeLoadHardening, ir.AttrNullPointerIsValid}
)

// mergeInlined corrects the attributes of a function into which another one was inlined.
func mergeInlined(caller, callee *ir.Function) {
	m := caller.Module()
	set := m.AttrsAt(caller.Attributes, ir.AttrFunction)
	old := set
	for _, key := range andStrings {
		if v, ok := m.StringAttr(set, key); ok && v == "true" && fnString(callee, key) != "true" {
			set = m.AddAttr(set, m.NewStringAttr(key, "false"))
		}
	}
	for _, key := range orStrings {
		if fnString(callee, key) == "true" && fnString(caller, key) != "true" {
			set = m.AddAttr(set, m.NewStringAttr(key, "true"))
		}
	}
	for _, k := range orAttrs {
		if fnAttr(callee, k) && !m.HasAttr(set, k) {
			set = m.AddAttr(set, ir.Attr{Kind: k})
		}
	}
	if !fnAttr(callee, ir.AttrMustProgress) {
		set = m.RemoveAttr(set, ir.AttrMustProgress)
	}
	if set != old {
		caller.Attributes = m.WithAttrsAt(caller.Attributes, ir.AttrFunction, set)
	}
}
