package irrefine

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
)

// TestWrongRules checks that wrong rules are detected.
func TestWrongRules(t *testing.T) {
	for _, r := range []pattern.Rule{
		{From: "(add x 1)", To: "x"},
		{From: "(sub x y)", To: "(add y x)"},
		{From: "(select c x undef)", To: "x"},              // x may be poison
		{From: "(select c 0 y)", To: "(and (xor c -1) y)"}, // y may be poison
		{From: "(mul x 2)", To: "(add x x)"},               // x may be undef: not every sum is even
		{From: "(add x y)", To: "(add.nsw x y)"},           //
		{From: "(udiv x y)", To: "(udiv y x)"},             //
		{From: "(and x y)", To: "(udiv x y)"},              // undefined behaviour
		{From: "(sdiv x x)", To: "-1", If: "(wide x)"},     //
		{From: "(fadd x 0.0)", To: "x"},                    // -0.0
		{From: "(fmul x 0.0)", To: "0.0"},                  // NaN, -0.0
		{From: "(fcmp.P x y)", To: "(fcmp.P~ x y)"},        //
		{From: "(icmp.P x y)", To: "(icmp.P y x)"},         //
		{From: "(shl (lshr x y) y)", To: "x"},              //
		{From: "(lshr (shl x C) C)", To: "x"},              //
		{From: "(freeze x)", To: "x"},                      //
		{From: "(xor x x)", To: "undef"},                   //
		{From: "(sext (zext x))", To: "(sext x)"},          //
		{From: "(fsub x y)", To: "(fadd x (fneg= y))", If: "(isint x)"},
	} {
		c := r.Compiled()
		n, err := Check(c)
		if err == nil && (n > 0 || r.If != "(isint x)") {
			t.Errorf("wrong rule %s -> %s was not detected in %d tries", r.From, r.To, n)
		}
	}
}
