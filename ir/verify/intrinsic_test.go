package verify

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// TestRuleOf checks that each rule is found where the name of its intrinsic function leads.
func TestRuleOf(t *testing.T) {
	for name, rules := range map[string]map[ir.Intrinsic]intrinsicRule{
		"amdgpu": amdgpuRules(), "predicated": predicatedRules(), "float": floatRules(), "common": commonRules(),
	} {
		for id := range rules {
			if ruleOf(id) == nil {
				t.Errorf("%v is not found: it is among the %s rules", id, name)
			}
		}
	}
	if ruleOf(ir.IntrDonothing) != nil {
		t.Error("llvm.donothing has a rule")
	}
}
