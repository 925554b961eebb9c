package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// combineRules holds the rewrites of instcombine that are patterns.
var combineRules = lazy.Value[*pattern.Set]{Make: func() *pattern.Set {
	return pattern.Compile(addCombines, subCombines, mulCombines, shiftCombines, logicCombines, compareCombines, selectCombines,
		extremumCombines, castCombines, floatCombines)
}}

var addCombines = []pattern.Rules{
	{Op: ir.OpAdd, List: []pattern.Rule{
		{From: "(add x y)", To: "(xor x y)", If: "(isbool x)"},
		{From: "(add (add x C) D)", To: "(add x (add C D))"},
		{From: "(add (sub C x) D)", To: "(sub (add C D) x)"},
		{From: "(add (xor x -1) C)", To: "(sub (add C -1) x)", Why: "~x is -1-x"},
		{From: "(add x x)", To: "(shl= x 1)", If: "(wide x)", Why: "a sum of undef is any number"},
		{From: "(add x (sub 0 y))", To: "(sub x y)"},
		{From: "(add x (sub y x))", To: "y"},
		{From: "(add (mul! x C) x)", To: "(mul x (add C 1))"},
		{From: "(add (mul! x z) (mul! y z))", To: "(mul (add x y) z)"},
		{From: "(add (and x y) (or x y))", To: "(add x y)"},
		{From: "(add (and x y) (xor x y))", To: "(or x y)"},
		{From: "(add.nuw x smin)", To: "(or x smin)", Why: "the highest bit of x is 0"},
		{From: "(add x smin)", To: "(xor x smin)", If: "(notconst x)", Why: "the carry out of the highest bit is lost"},
		{From: "(add (sub! x y) (sub! y z))", To: "(sub x z)"},
		{From: "(add (xor! x -1) (xor! y -1))", To: "(sub -2 (add x y))", If: "(wide x)"},
	}},
}

var subCombines = []pattern.Rules{
	{Op: ir.OpSub, List: []pattern.Rule{
		{From: "(sub x y)", To: "(xor x y)", If: "(isbool x)"},
		{From: "(sub.nsw x C)", To: "(add.nsw x (sub 0 C))", If: "(icmp.ne C smin)"},
		{From: "(sub x C)", To: "(add x (sub 0 C))"},
		{From: "(sub -1 x)", To: "(xor x -1)"},
		{From: "(sub C (add x D))", To: "(sub (sub C D) x)"},
		{From: "(sub C (sub D x))", To: "(add x (sub C D))"},
		{From: "(sub C (xor x -1))", To: "(add x (add C 1))"},
		{From: "(sub x (sub 0 y))", To: "(add x y)"},
		{From: "(sub 0 (sub x y))", To: "(sub y x)"},
		{From: "(sub x (sub! y z))", To: "(add x (sub z y))"},
		{From: "(sub 0 (mul! x C))", To: "(mul x (sub 0 C))"},
		{From: "(sub x (add x y))", To: "(sub 0 y)"},
		{From: "(sub (sub x y) x)", To: "(sub 0 y)"},
		{From: "(sub (add x y) (add x z))", To: "(sub y z)"},
		{From: "(sub (or x y) (and x y))", To: "(xor x y)"},
		{From: "(sub (or x y) (xor x y))", To: "(and x y)"},
		{From: "(sub (xor x y) (or x y))", To: "(sub 0 (and x y))"},
		{From: "(sub x (and! x y))", To: "(and x (xor y -1))"},
		{From: "(sub (or! x y) x)", To: "(and (xor x -1) y)"},
		{From: "(sub (add x y) (or x y))", To: "(and x y)"},
		{From: "(sub (add x y) (and x y))", To: "(or x y)"},
		{From: "(sub (xor x -1) (xor y -1))", To: "(sub y x)"},
		{From: "(sub (mul! x z) (mul! y z))", To: "(mul (sub x y) z)"},
		{From: "(sub (mul! x C) x)", To: "(mul x (add C -1))"},
	}},
}

var mulCombines = []pattern.Rules{
	{Op: ir.OpMul, List: []pattern.Rule{
		{From: "(mul x y)", To: "(and x y)", If: "(isbool x)"},
		{From: "(mul x -1)", To: "(sub 0 x)"},
		{From: "(mul.nuw.nsw x C)", To: "(shl.nuw.nsw x (log2 C))", If: "(pow2 C) (icmp.ne C smin)"},
		{From: "(mul.nsw x C)", To: "(shl.nsw x (log2 C))", If: "(pow2 C) (icmp.ne C smin)"},
		{From: "(mul.nuw x C)", To: "(shl.nuw x (log2 C))", If: "(pow2 C)"},
		{From: "(mul x C)", To: "(shl x (log2 C))", If: "(pow2 C)"},
		{From: "(mul (mul x C) D)", To: "(mul x (mul C D))"},
		{From: "(mul (shl x C) D)", To: "(mul x (shl D C))", If: "(icmp.ult C (width C))"},
		{From: "(mul (add! x C) D)", To: "(add (mul x D) (mul C D))"},
		{From: "(mul (sub 0 x) C)", To: "(mul x (sub 0 C))"},
		{From: "(mul (sub 0 x) (sub 0 y))", To: "(mul x y)"},
		{From: "(mul (zext x) y)", To: "(select x y 0)", If: "(isbool x)"},
		{From: "(mul (sext x) (sext x))", To: "(zext x)", If: "(isbool x)"},
	}},
	{Op: ir.OpUDiv, List: []pattern.Rule{
		{From: "(udiv x C)", To: "(lshr= x (log2 C))", If: "(pow2 C)"},
		{From: "(udiv (udiv x C) D)", To: "(udiv x (mul C D))", If: "(icmp.eq (udiv (mul C D) D) C)"},
		{From: "(udiv (lshr x C) D)", To: "(udiv x (shl D C))", If: "(icmp.ult C (width C)) (icmp.eq (lshr (shl D C) C) D)"},
		{From: "(udiv x C)", To: "(zext (icmp.uge x C))", If: "(icmp.slt C 0) (wide C)", Why: "less than half of x is left"},
		{From: "(udiv 1 x)", To: "(zext (icmp.eq x 1))", If: "(wide x)"},
	}},
	{Op: ir.OpURem, List: []pattern.Rule{
		{From: "(urem 1 x)", To: "(zext (icmp.ne x 1))", If: "(wide x)"},
		{From: "(urem x C)", To: "(and x (add C -1))", If: "(pow2 C)"},
		{From: "(urem (zext x) (zext y))", To: "(zext (urem x y))", If: "(oneuse x)"},
	}},
	{Op: ir.OpSDiv, List: []pattern.Rule{
		{From: "(sdiv x -1)", To: "(sub 0 x)", If: "(wide x)"},
		{From: "(sdiv x smin)", To: "(zext (icmp.eq x smin))", If: "(wide x)"},
		{From: "(sdiv.exact x C)", To: "(ashr.exact x (log2 C))", If: "(pow2 C) (icmp.sgt C 0)"},
		{From: "(sdiv x y)", To: "(udiv= x y)", If: "(nonneg x) (nonneg y)"},
		{From: "(sdiv (sub.nsw 0 x) C)", To: "(sdiv x (sub 0 C))", If: "(icmp.ne C smin) (icmp.ne C 0) (icmp.ne C 1) (icmp.ne C -1)"},
	}},
	{Op: ir.OpSRem, List: []pattern.Rule{
		{From: "(srem x y)", To: "(urem x y)", If: "(nonneg x) (nonneg y)"},
		{From: "(srem x C)", To: "(srem x (sub 0 C))", If: "(icmp.slt C 0) (icmp.ne C smin) (icmp.ne C -1)", Why: "the sign is x's"},
	}},
}

var shiftCombines = []pattern.Rules{
	{Op: ir.OpShl, List: []pattern.Rule{
		{From: "(shl (shl x C) D)", To: "(shl x (add C D))", If: "(icmp.ult C (width C)) (icmp.ult D (width D)) (icmp.ult (add C D) (width C))"},
		{From: "(shl (shl x C) D)", To: "0", If: "(icmp.ult C (width C)) (icmp.ult D (width D)) (icmp.uge (add C D) (width C))"},
		{From: "(shl (lshr x C) C)", To: "(and x (shl -1 C))", If: "(icmp.ult C (width C))"},
		{From: "(shl (ashr x C) C)", To: "(and x (shl -1 C))", If: "(icmp.ult C (width C))"},
		{From: "(shl (lshr! x C) D)", To: "(and (shl x (sub D C)) (shl -1 D))", If: "(icmp.ult C D) (icmp.ult D (width D))"},
		{From: "(shl (lshr! x C) D)", To: "(and (lshr x (sub C D)) (shl -1 D))", If: "(icmp.ult D C) (icmp.ult C (width C))"},
		{From: "(shl (and! x C) D)", To: "(and (shl x D) (shl C D))", If: "(icmp.ult D (width D))"},
		{From: "(shl (or! x C) D)", To: "(or (shl x D) (shl C D))", If: "(icmp.ult D (width D))"},
		{From: "(shl (xor! x C) D)", To: "(xor (shl x D) (shl C D))", If: "(icmp.ult D (width D))"},
		{From: "(shl (add! x C) D)", To: "(add (shl x D) (shl C D))", If: "(icmp.ult D (width D))"},
		{From: "(shl (mul x C) D)", To: "(mul x (shl C D))", If: "(icmp.ult D (width D))"},
	}},
	{Op: ir.OpLShr, List: []pattern.Rule{
		{From: "(lshr (lshr x C) D)", To: "(lshr x (add C D))", If: "(icmp.ult C (width C)) (icmp.ult D (width D)) (icmp.ult (add C D) (width C))"},
		{From: "(lshr (lshr x C) D)", To: "0", If: "(icmp.ult C (width C)) (icmp.ult D (width D)) (icmp.uge (add C D) (width C))"},
		{From: "(lshr (shl x C) C)", To: "(and x (lshr -1 C))", If: "(icmp.ult C (width C))"},
		{From: "(lshr (shl! x C) D)", To: "(and (lshr x (sub D C)) (lshr -1 D))", If: "(icmp.ult C D) (icmp.ult D (width D))"},
		{From: "(lshr (shl! x C) D)", To: "(and (shl x (sub C D)) (lshr -1 D))", If: "(icmp.ult D C) (icmp.ult C (width C))"},
		{From: "(lshr (and! x C) D)", To: "(and (lshr x D) (lshr C D))", If: "(icmp.ult D (width D))"},
		{From: "(lshr (or! x C) D)", To: "(or (lshr x D) (lshr C D))", If: "(icmp.ult D (width D))"},
		{From: "(lshr (xor! x C) D)", To: "(xor (lshr x D) (lshr C D))", If: "(icmp.ult D (width D))"},
		{From: "(lshr (ashr x C) D)", To: "(lshr x D)", If: "(icmp.ult C (width C)) (icmp.eq D (add (width D) -1))", Why: "the sign stays where it is"},
	}},
	{Op: ir.OpAShr, List: []pattern.Rule{
		{From: "(ashr (ashr x C) D)", To: "(ashr x (add C D))", If: "(icmp.ult C (width C)) (icmp.ult D (width D)) (icmp.ult (add C D) (width C))"},
		{From: "(ashr (ashr x C) D)", To: "(ashr x (add (width C) -1))", If: "(icmp.ult C (width C)) (icmp.ult D (width D)) (icmp.uge (add C D) (width C))"},
		{From: "(ashr (and! x C) D)", To: "(and (ashr x D) (ashr C D))", If: "(icmp.ult D (width D))"},
		{From: "(ashr (or! x C) D)", To: "(or (ashr x D) (ashr C D))", If: "(icmp.ult D (width D))"},
		{From: "(ashr (xor! x C) D)", To: "(xor (ashr x D) (ashr C D))", If: "(icmp.ult D (width D))"},
		{From: "(ashr x y)", To: "(lshr= x y)", If: "(nonneg x)"},
		{From: "(ashr (xor! x -1) y)", To: "(xor (ashr x y) -1)"},
	}},
}

var logicCombines = []pattern.Rules{
	{Op: ir.OpAnd, List: []pattern.Rule{
		{From: "(and (and x C) D)", To: "(and x (and C D))"},
		{From: "(and (and! x C) y)", To: "(and (and x y) C)", If: "(notconst y)"},
		{From: "(and (or x C) D)", To: "(and x D)", If: "(icmp.eq (and C D) 0)"},
		{From: "(and (or x C) D)", To: "D", If: "(icmp.eq (and C D) D)"},
		{From: "(and (or! x C) D)", To: "(or (and x (and D (xor C -1))) (and C D))", If: "(icmp.ne (and C D) 0)"},
		{From: "(and (xor! x C) D)", To: "(xor (and x D) (and C D))", If: "(icmp.ne C -1)"},
		{From: "(and (xor! x -1) (xor! y -1))", To: "(xor (or x y) -1)"},
		{From: "(and x (xor! x y))", To: "(and x (xor y -1))"},
		{From: "(and x (or (xor x -1) y))", To: "(and x y)"},
		{From: "(and (or x y) (xor (and x y) -1))", To: "(xor x y)"},
		{From: "(and (or x (xor y -1)) (or (xor x -1) y))", To: "(xor (xor x y) -1)"},
		{From: "(and (or! x y) (or! x z))", To: "(or x (and y z))"},
		{From: "(and (sext x) y)", To: "(select x y 0)", If: "(isbool x)"},
		{From: "(and (zext x) 1)", To: "(zext x)", If: "(isbool x)"},
	}},
	{Op: ir.OpOr, List: []pattern.Rule{
		{From: "(or (or x C) D)", To: "(or x (or C D))"},
		{From: "(or (or! x C) y)", To: "(or (or x y) C)", If: "(notconst y)"},
		{From: "(or (and x C) D)", To: "(or x D)", If: "(icmp.eq (or C D) -1)"},
		{From: "(or (xor! x C) D)", To: "(xor (or x D) (and C (xor D -1)))", If: "(icmp.ne (and C D) 0)"},
		{From: "(or (xor! x -1) (xor! y -1))", To: "(xor (and x y) -1)"},
		{From: "(or x (and (xor x -1) y))", To: "(or x y)"},
		{From: "(or x (xor x y))", To: "(or x y)"},
		{From: "(or x (xor (and x y) -1))", To: "-1"},
		{From: "(or (and x y) (xor x y))", To: "(or x y)"},
		{From: "(or (and x (xor y -1)) (and (xor x -1) y))", To: "(xor x y)"},
		{From: "(or (and x y) (xor (or x y) -1))", To: "(xor (xor x y) -1)"},
		{From: "(or (and! x y) (and! x z))", To: "(and x (or y z))"},
	}},
	{Op: ir.OpXor, List: []pattern.Rule{
		{From: "(xor (xor x C) D)", To: "(xor x (xor C D))"},
		{From: "(xor (xor! x C) y)", To: "(xor (xor x y) C)", If: "(notconst y)"},
		{From: "(xor (xor x -1) (xor y -1))", To: "(xor x y)"},
		{From: "(xor x (and! x y))", To: "(and x (xor y -1))"},
		{From: "(xor x (or! x y))", To: "(and y (xor x -1))"},
		{From: "(xor (and x y) (or x y))", To: "(xor x y)"},
		{From: "(xor (and x y) (xor x y))", To: "(or x y)"},
		{From: "(xor (or x y) (xor x y))", To: "(and x y)"},
		{From: "(xor (and! x y) (and! x z))", To: "(and x (xor y z))"},
		{From: "(xor (icmp.P! x y) -1)", To: "(icmp.P~ x y)"},
		{From: "(xor (fcmp.P! x y) -1)", To: "(fcmp.P~ x y)"},
		{From: "(xor (add x C) -1)", To: "(sub (xor C -1) x)"},
		{From: "(xor (sub C x) -1)", To: "(add x (xor C -1))"},
		{From: "(xor (sub! x y) -1)", To: "(add (xor x -1) y)"},
	}},
}

var extremumCombines = []pattern.Rules{
	{Intr: ir.IntrSmax, List: []pattern.Rule{
		{From: "(smax (smax x C) D)", To: "(smax x (smax C D))"},
		{From: "(smax (xor! x -1) (xor! y -1))", To: "(xor (smin x y) -1)"},
		{From: "(smax (xor! x -1) C)", To: "(xor (smin x (xor C -1)) -1)"},
		{From: "(smax x y)", To: "(and x y)", If: "(isbool x)"},
	}},
	{Intr: ir.IntrSmin, List: []pattern.Rule{
		{From: "(smin (smin x C) D)", To: "(smin x (smin C D))"},
		{From: "(smin (xor! x -1) (xor! y -1))", To: "(xor (smax x y) -1)"},
		{From: "(smin (xor! x -1) C)", To: "(xor (smax x (xor C -1)) -1)"},
		{From: "(smin x y)", To: "(or x y)", If: "(isbool x)"},
	}},
	{Intr: ir.IntrUmax, List: []pattern.Rule{
		{From: "(umax (umax x C) D)", To: "(umax x (umax C D))"},
		{From: "(umax (xor! x -1) (xor! y -1))", To: "(xor (umin x y) -1)"},
		{From: "(umax (xor! x -1) C)", To: "(xor (umin x (xor C -1)) -1)"},
		{From: "(umax x y)", To: "(or x y)", If: "(isbool x)"},
	}},
	{Intr: ir.IntrUmin, List: []pattern.Rule{
		{From: "(umin (umin x C) D)", To: "(umin x (umin C D))"},
		{From: "(umin (xor! x -1) (xor! y -1))", To: "(xor (umax x y) -1)"},
		{From: "(umin (xor! x -1) C)", To: "(xor (umax x (xor C -1)) -1)"},
		{From: "(umin x y)", To: "(and x y)", If: "(isbool x)"},
	}},
	{Op: ir.OpSub, List: []pattern.Rule{
		{From: "(sub x (umin x y))", To: "(usub_sat x y)"},
		{From: "(sub (umax x y) y)", To: "(usub_sat x y)"},
	}},
	{Intr: ir.IntrUaddSat, List: []pattern.Rule{
		{From: "(uadd_sat (uadd_sat x C) D)", To: "(uadd_sat x (uadd_sat C D))"},
	}},
	{Intr: ir.IntrUsubSat, List: []pattern.Rule{
		{From: "(usub_sat (usub_sat x C) D)", To: "(usub_sat x (uadd_sat C D))"},
	}},
	{Op: ir.OpAdd, List: []pattern.Rule{
		{From: "(add (usub_sat x y) y)", To: "(umax x y)"},
	}},
}

var castCombines = []pattern.Rules{
	{Op: ir.OpZExt, List: []pattern.Rule{
		{From: "(zext (zext x))", To: "(zext x)"},
	}},
	{Op: ir.OpSExt, List: []pattern.Rule{
		{From: "(sext (sext x))", To: "(sext x)"},
		{From: "(sext (zext x))", To: "(zext x)"},
		{From: "(sext x)", To: "(zext.nneg x)", If: "(nonneg x)"},
	}},
	{Op: ir.OpTrunc, List: []pattern.Rule{
		{From: "(trunc (trunc x))", To: "(trunc x)"},
	}},
	{Op: ir.OpSIToFP, List: []pattern.Rule{
		{From: "(sitofp x)", To: "(uitofp.nneg x)", If: "(nonneg x)"},
		{From: "(sitofp (sext x))", To: "(sitofp x)"},
	}},
	{Op: ir.OpUIToFP, List: []pattern.Rule{
		{From: "(uitofp (zext x))", To: "(uitofp x)"},
	}},
	{Op: ir.OpFPExt, List: []pattern.Rule{
		{From: "(fpext (fpext x))", To: "(fpext x)"},
	}},
	{Op: ir.OpBitCast, List: []pattern.Rule{
		{From: "(bitcast (bitcast x))", To: "(bitcast x)"},
	}},
	{Op: ir.OpAddrSpaceCast, List: []pattern.Rule{
		{From: "(addrspacecast (addrspacecast x))", To: "(addrspacecast x)"},
	}},
}
