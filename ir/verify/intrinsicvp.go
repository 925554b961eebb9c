package verify

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// vpCast describes the type restrictions of a predicated conversion, such as
// llvm.vp.trunc.
type vpCast struct {
	from, to func(m *ir.Module, t ir.Type) bool
	message  string
	grows    string // message if the result is not wider
	shrinks  string
}

var vpCasts = lazy.Value[map[string]vpCast]{Make: func() map[string]vpCast {
	return map[string]vpCast{
		"trunc": {(*ir.Module).IsIntOrIntVector, (*ir.Module).IsIntOrIntVector, "llvm.vp.trunc intrinsic first argument and result element type must be integer",
			"", "llvm.vp.trunc intrinsic the bit size of first argument must be larger than the bit size of the return type"},
		"zext": {(*ir.Module).IsIntOrIntVector, (*ir.Module).IsIntOrIntVector, "llvm.vp.zext or llvm.vp.sext intrinsic first argument and result element type must be integer",
			"llvm.vp.zext or llvm.vp.sext intrinsic the bit size of first argument must be smaller than the bit size of the return type", ""},
		"fptoui": {(*ir.Module).IsFloatOrFloatVector, (*ir.Module).IsIntOrIntVector, "llvm.vp.fptoui, llvm.vp.fptosi, llvm.vp.lrint or llvm.vp.llrint" +
			"intrinsic first argument element type must be floating-point and result element type must be integer", "", ""},
		"uitofp": {(*ir.Module).IsIntOrIntVector, (*ir.Module).IsFloatOrFloatVector, "llvm.vp.uitofp or llvm.vp.sitofp intrinsic first argument element " +
			"type must be integer and result element type must be floating-point", "", ""},
		"fptrunc": {(*ir.Module).IsFloatOrFloatVector, (*ir.Module).IsFloatOrFloatVector, "llvm.vp.fptrunc intrinsic first argument and result element type must be floating-point",
			"", "llvm.vp.fptrunc intrinsic the bit size of first argument must be larger than the bit size of the return type"},
		"fpext": {(*ir.Module).IsFloatOrFloatVector, (*ir.Module).IsFloatOrFloatVector, "llvm.vp.fpext intrinsic first argument and result element type must be floating-point",
			"llvm.vp.fpext intrinsic the bit size of first argument must be smaller than the bit size of the return type", ""},
		"ptrtoint": {(*ir.Module).IsPtrOrPtrVector, (*ir.Module).IsIntOrIntVector, "llvm.vp.ptrtoint intrinsic first argument element type must be pointer " +
			"and result element type must be integer", "", ""},
		"inttoptr": {(*ir.Module).IsIntOrIntVector, (*ir.Module).IsPtrOrPtrVector, "llvm.vp.inttoptr intrinsic first argument element type must be integer " +
			"and result element type must be pointer", "", ""},
	}
}}

// vpAliases maps conversions to other conversions with the same rule.
var vpAliases = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{"sext": "zext", "fptosi": "fptoui", "lrint": "fptoui", "llrint": "fptoui", "sitofp": "uitofp"}
}}

// predicatedRules adds the rules of vector-predicated operations.
func predicatedRules(rules *ruleTable) {
	add := func(name, of string) {
		if id := ir.LookupIntrinsic("llvm.vp." + name); id != ir.NoIntrinsic && id.String() == "llvm.vp."+name {
			r := vpCasts.Get()[of]
			rules[id] = func(c *checker, s *callSite) string { return c.vpCast(s, &r) }
		}
	}
	for name := range vpCasts.Get() {
		add(name, name)
	}
	for name, of := range vpAliases.Get() {
		add(name, of)
	}
	rules[ir.IntrVpFcmp], rules[ir.IntrVpIcmp] = (*checker).vpCompare, (*checker).vpCompare
	rules[ir.IntrVpIsFpclass] = func(c *checker, s *callSite) string {
		if n, ok := c.constArg(s, 1); ok && n&^allFPClasses != 0 {
			return "unsupported bits for llvm.vp.is.fpclass test mask"
		}
		return ""
	}
}

func (c *checker) vpCast(s *callSite, r *vpCast) string {
	from, to := c.argType(s, 0), s.fn.Elem
	switch a, b := c.m.ScalarBits(from), c.m.ScalarBits(to); {
	case c.lanes(from) != c.lanes(to):
		return c.found("VP cast intrinsic first argument and result vector lengths must be equal", from, to)
	case !r.from(c.m, from) || !r.to(c.m, to):
		return c.found(r.message, from, to)
	case r.grows != "" && a >= b:
		return c.found(r.grows, from, to)
	case r.shrinks != "" && a <= b:
		return c.found(r.shrinks, from, to)
	}
	return ""
}

// vpCompare checks the predicate string of llvm.vp.icmp and llvm.vp.fcmp.
func (c *checker) vpCompare(s *callSite) string {
	word, _ := c.m.MDString(c.metadataArg(s, 2))
	if s.callee.Intrinsic == ir.IntrVpFcmp {
		if !isFloatPredicate(word) {
			return "invalid predicate for VP FP comparison intrinsic"
		}
		return ""
	}
	for p := ir.ICmpEQ; p <= ir.ICmpSLE; p++ {
		if p.String() == word {
			return ""
		}
	}
	return "invalid predicate for VP integer comparison intrinsic"
}
