package opt

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// sameAttrs lists the attributes that must be equal in caller and callee (LLVM
// 22, Attributes.td, CompatRule isEqual).
var sameAttrs = [...]ir.AttrKind{ir.AttrSanitizeAddress, ir.AttrSanitizeThread, ir.AttrSanitizeMemory, ir.AttrSanitizeHWAddress,
	ir.AttrSanitizeMemTag, ir.AttrSanitizeType, ir.AttrSafeStack, ir.AttrShadowCallStack}

// inlineCompatible reports whether the attributes of two functions permit
// inlining: processor features, floating-point modes, sanitizers.
func inlineCompatible(ctx *Context, caller, callee *ir.Function) bool {
	for _, k := range sameAttrs {
		if fnAttr(caller, k) != fnAttr(callee, k) {
			return false
		}
	}
	return !(fnAttr(callee, ir.AttrStrictFP) && !fnAttr(caller, ir.AttrStrictFP)) &&
		denormalsCompatible(caller, callee) && modesCompatible(caller, callee) && featuresCompatible(ctx, caller, callee)
}

// DenormalMode returns the modes of outputs and inputs in a denormal-fp-math
// attribute; "" represents def.
func DenormalMode(s, def string) (output, input string) {
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
	all, allC := StringAttr(caller, "denormal-fp-math"), StringAttr(callee, "denormal-fp-math")
	f32, f32C := StringAttr(caller, "denormal-fp-math-f32"), StringAttr(callee, "denormal-fp-math-f32")
	if all == "" {
		all = "ieee,ieee"
	}
	if allC == "" {
		allC = "ieee,ieee"
	}
	return denormalFits(all, allC, "") && denormalFits(f32, f32C, all+";"+allC)
}

// denormalFits reports whether code for the callee's mode works in the caller's
// mode. defaults holds both defaults in one string.
func denormalFits(caller, callee, defaults string) bool {
	def, defC, _ := strings.Cut(defaults, ";")
	out, in := DenormalMode(caller, def)
	outC, inC := DenormalMode(callee, defC)
	return (out == outC || outC == "dynamic") && (in == inC || inC == "dynamic")
}

// modesCompatible compares the bits of the MODE register that functions are
// compiled for (SIModeRegisterDefaults).
func modesCompatible(caller, callee *ir.Function) bool {
	for _, key := range [...]string{"amdgpu-ieee", "amdgpu-dx10-clamp"} {
		if (StringAttr(caller, key) == "false") != (StringAttr(callee, key) == "false") {
			return false
		}
	}
	return true
}

// ignoredFeatures are the features in which caller and callee may differ
// (AMDGPUTargetTransformInfo, InlineFeatureIgnoreList), limited to features
// that affect code generation here.
const ignoredFeatures = 1<<target.FeatureXNACK | 1<<target.FeatureSRAMECC | 1<<target.FeatureCUMode | 1<<target.FeatureTrapHandler |
	1<<target.FeatureUnalignedAccessMode | 1<<target.FeatureFlatForGlobal | 1<<target.FeaturePRTStrictNull |
	1<<target.FeatureAutoWaitcntBeforeBarrier | 1<<target.FeatureSGPRInitBug | 1<<target.FeatureFastFMA | 1<<target.FeatureHalfRate64

// featuresCompatible reports whether the caller has all features of the callee:
// the features of its processor and of target-features. Features that package
// target does not track follow from the processor. A callee without a processor
// uses the caller's; code for another processor is never compatible.
func featuresCompatible(ctx *Context, caller, callee *ir.Function) bool {
	cpu, cpuC := ctx.ProcessorOf(caller), ctx.ProcessorOf(callee)
	features, featuresC := StringAttr(caller, "target-features"), StringAttr(callee, "target-features")
	if StringAttr(callee, "target-cpu") == "" {
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

// ProcessorOf returns the processor of a function, or nil if unknown.
func (ctx *Context) ProcessorOf(f *ir.Function) *target.Processor {
	if p := target.Lookup(StringAttr(f, "target-cpu")); p != nil || ctx.Target == nil {
		return p
	}
	return ctx.Target.Processor
}

// waves are the features of the wave sizes, of which exactly one is set.
const waves = 1<<target.FeatureWave16 | 1<<target.FeatureWave32 | 1<<target.FeatureWave64

// featureSet returns the features of a processor, or none for an unknown one,
// with a list of changes applied.
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

// Attributes that a caller keeps after inlining only if both functions have
// them, or if at least one has them (LLVM 22, Attributes.td, MergeRule).
var (
	andStrings = [...]string{"less-precise-fpmad", "no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math", "unsafe-fp-math",
		"approx-func-fp-math"}
	orStrings = [...]string{"no-jump-tables", "profile-sample-accurate"}
	orAttrs   = [...]ir.AttrKind{ir.AttrNoImplicitFloat, ir.AttrSpeculativeLoadHardening, ir.AttrNullPointerIsValid}
)

// mergeInlined adjusts the attributes of a function into which another one was
// inlined.
func mergeInlined(caller, callee *ir.Function) {
	m := caller.Module()
	set := m.AttrsAt(caller.Attributes, ir.AttrFunction)
	old := set
	for _, key := range andStrings {
		if v, ok := m.StringAttr(set, key); ok && v == "true" && StringAttr(callee, key) != "true" {
			set = m.AddAttr(set, m.NewStringAttr(key, "false"))
		}
	}
	for _, key := range orStrings {
		if StringAttr(callee, key) == "true" && StringAttr(caller, key) != "true" {
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
