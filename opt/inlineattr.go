package opt

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// sameAttrs are the attributes that caller and callee must agree on (LLVM 22, Attributes.td, CompatRule isEqual).
var sameAttrs = [...]ir.AttrKind{ir.AttrSanitizeAddress, ir.AttrSanitizeThread, ir.AttrSanitizeMemory, ir.AttrSanitizeHWAddress,
	ir.AttrSanitizeMemTag, ir.AttrSanitizeType, ir.AttrSafeStack, ir.AttrShadowCallStack}

// inlineCompatible reports whether the attributes of two functions allow to inline one into the other: processor features,
// floating-point modes, sanitizers.
func inlineCompatible(caller, callee *ir.Function) bool {
	for _, k := range sameAttrs {
		if fnAttr(caller, k) != fnAttr(callee, k) {
			return false
		}
	}
	return !(fnAttr(callee, ir.AttrStrictFP) && !fnAttr(caller, ir.AttrStrictFP)) &&
		denormalsCompatible(caller, callee) && modesCompatible(caller, callee) && featuresCompatible(caller, callee)
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

// ignoredFeatures are those in which caller and callee may differ (AMDGPUTargetTransformInfo, InlineFeatureIgnoreList).
var ignoredFeatures = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{
		"promote-alloca": true, "unaligned-scratch-access": true, "load-store-opt": true, "enable-ds128": true, "sram-ecc": true,
		"sramecc": true, "enable-prt-strict-null": true, "trap-handler": true, "code-object-v3": true, "cumode": true, "fast-fmaf": true,
		"half-rate-64-ops": true, "xnack": true, "unaligned-access-mode": true, "auto-waitcnt-before-barrier": true, "sgpr-init-bug": true,
		"fast-denormal-f32": true, "flat-for-global": true, "max-private-element-size-4": true, "max-private-element-size-8": true,
		"max-private-element-size-16": true, "max-hard-clause-length-32": true, "max-hard-clause-length-63": true,
	}
}}

// featuresCompatible reports whether the caller has all features of the callee, which are compared when both are for one processor. A
// callee without a processor fits everywhere, as code for another one never does.
func featuresCompatible(caller, callee *ir.Function) bool {
	cpu, cpuC := fnString(caller, "target-cpu"), fnString(callee, "target-cpu")
	if cpuC != "" && cpuC != cpu {
		return false
	}
	features, featuresC := fnString(caller, "target-features"), fnString(callee, "target-features")
	if features == featuresC {
		return true
	}
	for _, want := range strings.Split(featuresC, ",") {
		if name, on := strings.CutPrefix(want, "+"); on && !ignoredFeatures.Get()[name] && !hasFeature(features, want) {
			return false
		}
	}
	return true
}

func hasFeature(list, feature string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if part == feature {
			return true
		}
	}
	return false
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
