package prepare

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// checkedFeature is a feature that functions may require only if the processor
// has it.
type checkedFeature struct {
	name string
	has  func(p *target.Processor) bool
}

// checkedFeatures lists the features that LLVM checks (LLVM,
// AMDGPURemoveIncompatibleFunctions). From gfx11 on LLVM also removes functions
// with dot products, which ROCm's libraries call there. Other instructions
// implement some of these products; selecting the rest is an error.
var checkedFeatures = lazy.Value[[]checkedFeature]{Make: func() []checkedFeature {
	return []checkedFeature{
		{"gfx8-insts", since(target.GFX8)}, {"gfx9-insts", since(target.GFX9)}, {"gfx10-insts", since(target.GFX10_1)}, {"gfx11-insts", since(target.GFX11)},
		{"dpp", since(target.GFX8)}, {"16-bit-insts", since(target.GFX8)},
		{"dot1-insts", dot(target.FeatureDot1)}, {"dot2-insts", dot(target.FeatureDot2)}, {"dot3-insts", dot(target.FeatureDot3)},
		{"dot4-insts", dot(target.FeatureDot4)}, {"dot5-insts", dot(target.FeatureDot5)}, {"dot6-insts", dot(target.FeatureDot6)},
		{"dot7-insts", dot(target.FeatureDot7)}, {"dot8-insts", since(target.GFX11)},
		{"extended-image-insts", func(p *target.Processor) bool { return !p.Is(target.GFX90A) && !p.Is(target.GFX12_5) }},
		{"s-memrealtime", func(p *target.Processor) bool { return p.Is(target.GFX8) && !p.Is(target.GFX11) }},
		{"s-memtime-inst", func(p *target.Processor) bool { return !p.Is(target.GFX11) }},
		{"gws", func(p *target.Processor) bool { return !p.Is(target.GFX12) }},
		{"wavefrontsize32", since(target.GFX10_1)}, {"wavefrontsize64", func(p *target.Processor) bool { return !p.Is(target.GFX12_5) }},
	}
}}

// since returns a function that reports whether a processor is of a generation or a later one.
func since(g target.Generation) func(p *target.Processor) bool {
	return func(p *target.Processor) bool { return p.Is(g) }
}

// dot returns a function that reports whether a processor has a kind of dot
// product, or may have it.
func dot(f target.Feature) func(p *target.Processor) bool {
	return func(p *target.Processor) bool { return p.Default.Has(f) || p.Is(target.GFX11) }
}

// removeIncompatible removes functions that require features that the processor
// lacks. Libraries contain versions for several processors and test the
// processor before they call them. Calls get declarations with the attribute
// MissingFeature as the callees, so that an error can name the feature if
// a call remains. Other uses become null.
func removeIncompatible(ctx *opt.Context, m *ir.Module) (changed bool) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		p := ctx.ProcessorOf(g.Func) // usually its own processor, which has all required features
		if p == nil || strings.HasPrefix(p.Name, "generic") {
			continue
		}
		feature := lacks(p, opt.StringAttr(g.Func, "target-features"))
		if feature == "" {
			continue
		}
		dropAliases(m, g)
		m.DropBlockAddresses(g.Value())
		g.Func.Discard()
		calls, name := callsOf(m, g.Func), g.Name()
		var stub *ir.Function
		if len(calls) > 0 {
			stub = missing(m, g, feature)
		}
		for _, c := range calls {
			c.f.SetOperand(c.v, c.f.NumOperands(c.v)-1, stub.Value())
		}
		replaceByNull(m, g)
		if stub != nil {
			m.Rename(stub.Global, name)
		}
		changed = true
	}
	return changed
}

// MissingFeature is the attribute of a declaration that replaces a removed
// function in calls. Its value is the feature that the processor lacks.
const MissingFeature = "gfx-missing-feature"

// missing declares a function without a name that replaces a removed one.
func missing(m *ir.Module, g *ir.Global, feature string) *ir.Function {
	f := m.AddFunction("", g.Type, g.AddrSpace, ir.None)
	f.CC = g.Func.CC
	f.Attributes = m.WithAttrsAt(f.Attributes, ir.AttrFunction, m.AddAttr(0, m.NewStringAttr(MissingFeature, feature)))
	return f
}

// directCall is a call in a function.
type directCall struct {
	f *ir.Function
	v ir.Value
}

// callsOf returns the direct calls of a function in a module.
func callsOf(m *ir.Module, of *ir.Function) (list []directCall) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if f.Op(v) == ir.OpCall && f.CalledFunction(v) == of {
					list = append(list, directCall{f, v})
				}
			}
		}
	}
	return list
}

// lacks returns the first checked feature in a list that a processor lacks, or
// "".
func lacks(p *target.Processor, features string) string {
	for _, x := range checkedFeatures.Get() {
		on := false
		for f := range strings.SplitSeq(features, ",") {
			if name := strings.TrimLeft(f, "+-"); name == x.name {
				on = !strings.HasPrefix(f, "-")
			}
		}
		if on && !x.has(p) {
			return x.name
		}
	}
	return ""
}

// dropAliases removes the aliases of a function.
func dropAliases(m *ir.Module, of *ir.Global) {
	for _, g := range m.Globals() {
		if g != nil && g.Kind == ir.GlobalAlias && (g.Init == of.Value() || m.Reaches(g.Init, of.Value())) {
			dropAliases(m, g)
			replaceByNull(m, g)
		}
	}
}

// replaceByNull removes a global and replaces its uses by null.
func replaceByNull(m *ir.Module, g *ir.Global) {
	null := m.Zero(m.TypeOfConst(g.Value()))
	m.RemoveGlobal(g)
	m.ResolveAs(g.Value(), null)
}
