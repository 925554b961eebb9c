package opt

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// fpOps and fpIntrinsics are the operations that expand-fp knows.
var fpOps [ir.NumOps]*fpRule
var fpIntrinsics map[ir.Intrinsic]*fpRule

// fpSmallOps and fpSmallIntrinsics take precedence for types that have no instructions of their own.
var fpSmallOps [ir.NumOps]*fpRule
var fpSmallIntrinsics map[ir.Intrinsic]*fpRule

// The rules call each other through the tables.
func init() {
	fpOps = [ir.NumOps]*fpRule{
		ir.OpFDiv: {want: wantFP, expand: fpDivide}, ir.OpFRem: {want: wantFP, expand: fpRemainder},
		ir.OpFPToSI: {want: wantToInt, expand: fpToInt}, ir.OpFPToUI: {want: wantToInt, expand: fpToInt},
		ir.OpSIToFP: {want: wantFromInt, expand: fpFromInt}, ir.OpUIToFP: {want: wantFromInt, expand: fpFromInt},
		ir.OpFPTrunc: {want: wantTrunc, expand: fpTrunc}, ir.OpFPExt: {want: wantExt, expand: fpExt},
	}
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
	onlyFloat := func(expand func(x *fpExpander, v, a ir.Value) ir.Value) *fpRule {
		r := floatRule(expand)
		r.want = wantFloatOnly
		return r
	}
	fpIntrinsics = map[ir.Intrinsic]*fpRule{
		ir.IntrSqrt: {want: wantFP, expand: fpSquareRoot}, ir.IntrFmuladd: {want: wantFP, expand: fpMulAdd, vector: true},
		ir.IntrExp2: onlyFloat(fpExp2), ir.IntrExp: floatRule(expE.expand), ir.IntrExp10: floatRule(exp10.expand),
		ir.IntrLog2: onlyFloat(fpLog2), ir.IntrLog: fpLog(math.Ln2), ir.IntrLog10: fpLog(math.Ln2 / math.Ln10),
		ir.IntrSin: trig, ir.IntrCos: trig, ir.IntrSincos: sinCos, ir.IntrSincospi: sinCos,
		ir.IntrPow: floatRule(fpPow), ir.IntrPowi: {want: wantPowi, expand: fpPowi},
		ir.IntrNearbyint: even, ir.IntrRoundeven: even, ir.IntrRound: {want: wantFP, expand: fpRound},
		ir.IntrTrunc: whole(fpWholeTrunc), ir.IntrFloor: whole(fpWholeFloor), ir.IntrCeil: whole(fpWholeCeil), ir.IntrRint: whole(fpWholeRint),
		ir.IntrFptosiSat: toIntSat, ir.IntrFptouiSat: toIntSat,
		ir.IntrLrint: toInt, ir.IntrLlrint: toInt, ir.IntrLround: toInt, ir.IntrLlround: toInt,
		ir.IntrMinnum: minMax, ir.IntrMaxnum: minMax, ir.IntrMinimumnum: minMaxNum, ir.IntrMaximumnum: minMaxNum,
		ir.IntrMinimum: minimum, ir.IntrMaximum: minimum,
	}
	small()
}

// small fills the tables for bfloat and, where it has no instructions, half.
func small() {
	promote, onBits := &fpRule{expand: fpPromote}, &fpRule{expand: fpSmallBits}
	fpSmallOps = [ir.NumOps]*fpRule{
		ir.OpFAdd: promote, ir.OpFSub: promote, ir.OpFMul: promote, ir.OpFDiv: promote, ir.OpFRem: promote, ir.OpFCmp: promote, ir.OpFNeg: onBits,
	}
	fpSmallIntrinsics = map[ir.Intrinsic]*fpRule{
		ir.IntrFabs: onBits, ir.IntrCopysign: onBits, ir.IntrFma: {expand: fpSmallFMA}, ir.IntrFmuladd: {expand: fpSmallMulAdd},
		ir.IntrIsFpclass: {expand: fpSmallClass},
	}
	for _, id := range [...]ir.Intrinsic{ir.IntrSqrt, ir.IntrExp, ir.IntrExp2, ir.IntrExp10, ir.IntrLog, ir.IntrLog2, ir.IntrLog10, ir.IntrSin, ir.IntrCos,
		ir.IntrPow, ir.IntrPowi, ir.IntrFloor, ir.IntrCeil, ir.IntrTrunc, ir.IntrRint, ir.IntrNearbyint, ir.IntrRoundeven, ir.IntrRound,
		ir.IntrMinnum, ir.IntrMaxnum, ir.IntrMinimum, ir.IntrMaximum, ir.IntrMinimumnum, ir.IntrMaximumnum, ir.IntrCanonicalize, ir.IntrLdexp} {
		fpSmallIntrinsics[id] = promote
	}
}
