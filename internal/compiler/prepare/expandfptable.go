package prepare

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// fpOps holds the rules of operations.
var fpOps = [ir.NumOps]*fpRule{
	ir.OpFDiv: {want: wantFP, expand: fpDivide}, ir.OpFRem: {want: wantFP, expand: fpRemainder},
	ir.OpFPToSI: {want: wantToInt, expand: fpToInt}, ir.OpFPToUI: {want: wantToInt, expand: fpToInt},
	ir.OpSIToFP: {want: wantFromInt, expand: fpFromInt}, ir.OpUIToFP: {want: wantFromInt, expand: fpFromInt},
	ir.OpFPTrunc: {want: wantTrunc, expand: fpTrunc}, ir.OpFPExt: {want: wantExt, expand: fpExt},
}

// fpIntrinsics holds the rules of intrinsics.
var fpIntrinsics = lazy.Value[map[ir.Intrinsic]*fpRule]{Make: fpIntrinsicRules}

// fpIntrinsicRules returns the rules of intrinsics.
func fpIntrinsicRules() map[ir.Intrinsic]*fpRule {
	toIntSat := &fpRule{want: wantToIntSat, expand: fpToIntSat}
	toInt := &fpRule{want: wantRoundToInt, expand: fpRoundToInt}
	minMax := &fpRule{want: wantMinMax, expand: fpMinMax, vector: true}
	minMaxNum := &fpRule{want: wantFP, expand: fpMinMax, vector: true}
	minimum := &fpRule{want: wantMinimum, expand: fpMinimum}
	even := &fpRule{want: wantFP, expand: fpNearbyint, vector: true}
	trig := &fpRule{want: wantFloat, expand: fpTrig}
	sinCos := &fpRule{want: wantSinCos, expand: fpSinCos}
	whole := func(expand func(x *fpExpander, v ir.Value) ir.Value) *fpRule {
		return &fpRule{want: wantWhole, expand: expand}
	}
	return map[ir.Intrinsic]*fpRule{
		ir.IntrSqrt: {want: wantFP, expand: fpSquareRoot}, ir.IntrFmuladd: {want: wantFP, expand: fpMulAdd, vector: true},
		ir.IntrExp2: orHalf(floatRule(fpExp2), ir.IntrAMDGCNExp2), ir.IntrExp: floatRule(expE.expand), ir.IntrExp10: floatRule(exp10.expand),
		ir.IntrLog2: orHalf(floatRule(fpLog2), ir.IntrAMDGCNLog), ir.IntrLog: fpLog(math.Ln2), ir.IntrLog10: fpLog(math.Ln2 / math.Ln10),
		ir.IntrSin: trig, ir.IntrCos: trig, ir.IntrSincos: sinCos, ir.IntrSincospi: sinCos,
		ir.IntrPow: floatRule(fpPow), ir.IntrPowi: {want: wantPowi, expand: fpPowi},
		ir.IntrNearbyint: even, ir.IntrRoundeven: even, ir.IntrRound: {want: wantFP, expand: fpRound},
		ir.IntrTrunc: whole(fpWholeTrunc), ir.IntrFloor: whole(fpWholeFloor), ir.IntrCeil: whole(fpWholeCeil), ir.IntrRint: whole(fpWholeRint),
		ir.IntrFptosiSat: toIntSat, ir.IntrFptouiSat: toIntSat,
		ir.IntrLrint: toInt, ir.IntrLlrint: toInt, ir.IntrLround: toInt, ir.IntrLlround: toInt,
		ir.IntrMinnum: minMax, ir.IntrMaxnum: minMax, ir.IntrMinimumnum: minMaxNum, ir.IntrMaximumnum: minMaxNum,
		ir.IntrMinimum: minimum, ir.IntrMaximum: minimum,
		ir.IntrLdexp: {want: wantLdexp, expand: fpLdexp}, ir.IntrFrexp: {want: wantFrexp, expand: fpFrexp}, ir.IntrModf: {want: wantFrexp, expand: fpModf},
		ir.IntrConvertFromFp16: {expand: fpFromHalf}, ir.IntrConvertToFp16: {expand: fpToHalf},
		ir.IntrAMDGCNFdivFast: {expand: fpDivFast}, ir.IntrAMDGCNRsqClamp: {want: wantClamp, expand: fpRsqClamp},
		ir.IntrIsFpclass: {want: wantFrexp, expand: fpClass},
	}
}

// constrainedRule is the rule of constrained operations.
var constrainedRule = fpRule{expand: fpConstrained, vector: true}

// fpTable holds the rules of operations and intrinsics.
type fpTable struct {
	ops        [ir.NumOps]*fpRule
	intrinsics map[ir.Intrinsic]*fpRule
}

// fpSmall holds the rules for bfloat and, without half instructions, half.
var fpSmall = lazy.Value[*fpTable]{Make: func() *fpTable {
	t := &fpTable{}
	promote, onBits := &fpRule{expand: fpPromote}, &fpRule{expand: fpSmallBits}
	t.ops = [ir.NumOps]*fpRule{
		ir.OpFAdd: promote, ir.OpFSub: promote, ir.OpFMul: promote, ir.OpFCmp: promote, ir.OpFNeg: onBits,
	}
	t.intrinsics = map[ir.Intrinsic]*fpRule{
		ir.IntrFabs: onBits, ir.IntrCopysign: onBits, ir.IntrFma: {expand: fpSmallFMA}, ir.IntrFmuladd: {expand: fpSmallMulAdd},
		ir.IntrAMDGCNFdivFast: {expand: fpDivFast}, ir.IntrAMDGCNRsqClamp: {want: wantClamp, expand: fpRsqClamp},
		ir.IntrIsFpclass: {expand: fpSmallClass},
	}
	for _, id := range [...]ir.Intrinsic{ir.IntrPowi, ir.IntrFloor, ir.IntrCeil, ir.IntrTrunc, ir.IntrRint, ir.IntrNearbyint, ir.IntrRoundeven, ir.IntrRound,
		ir.IntrMinnum, ir.IntrMaxnum, ir.IntrMinimum, ir.IntrMaximum, ir.IntrMinimumnum, ir.IntrMaximumnum, ir.IntrCanonicalize, ir.IntrLdexp} {
		t.intrinsics[id] = promote
	}
	bfloats := &fpRule{expand: fpPromote, bfloat: true}
	for _, id := range [...]ir.Intrinsic{ir.IntrExp, ir.IntrExp2, ir.IntrExp10, ir.IntrLog, ir.IntrLog2, ir.IntrLog10, ir.IntrSin, ir.IntrCos, ir.IntrPow} {
		t.intrinsics[id] = bfloats
	}
	t.ops[ir.OpFDiv] = &fpRule{expand: fpBFloatDivide, bfloat: true}
	t.ops[ir.OpFRem] = bfloats
	t.intrinsics[ir.IntrSqrt] = &fpRule{expand: fpBFloatSquareRoot, bfloat: true}
	return t
}}
