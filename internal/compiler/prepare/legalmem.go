package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// checkAccess checks loads and stores: the type, the size, and any alignment
// that the hardware requires.
func checkAccess(c *legality, v ir.Value) {
	f, m := c.f, c.m
	t, p := f.TypeOf(v), f.Operand(v, 0)
	if f.Op(v) == ir.OpStore {
		t, p = f.TypeOf(p), f.Operand(v, 1)
	}
	if t == ir.I1 || !c.isValue(t) {
		c.reportType(LegalValues, v, t)
		return
	}
	size, align := m.StoreSize(t), uint64(f.MemInfo(v).Align)
	space := m.AddrSpace(f.TypeOf(p))
	rules := memRulesOf(&opt.Context{Target: c.t}, m)
	switch {
	case f.IsAtomic(v):
	case size == 32 || size == 64: // becomes scalar loads
		if f.Op(v) != ir.OpLoad || space != addrspace.Constant && f.Attachment(v, ir.MDInvariantLoad) == 0 && f.Attachment(v, m.MDKind(mdNoClobber)) == 0 || align < 4 {
			c.report(LegalMemory, v, "%s of %d bytes", f.Op(v), size)
		}
	case size > 16 || rules.widest(space, size, 16, 1) != size:
		c.report(LegalMemory, v, "%s of %d bytes", f.Op(v), size)
	case !rules.legal(space, size, align):
		c.report(LegalMemory, v, "%s of %d bytes aligned to %d in address space %d", f.Op(v), size, align, space)
	}
}

// checkAtomic checks atomicrmw and cmpxchg.
func checkAtomic(c *legality, v ir.Value) {
	f := c.f
	t := f.TypeOf(f.Operand(v, 1))
	if n := c.m.SizeInBits(t); n != 32 && n != 64 {
		c.reportType(LegalMemory, v, t)
	}
}

func checkAlloca(c *legality, v ir.Value) {
	if !isStaticAlloca(c.f, v) {
		c.report(LegalMemory, v, "alloca outside of the frame")
	}
}

// checkCall checks calls of intrinsics: intrinsics that passes expand are
// illegal.
func checkCall(c *legality, v ir.Value) {
	f, m := c.f, c.m
	id := f.CalledIntrinsic(v)
	if id == ir.NoIntrinsic {
		return
	}
	var t ir.Type = f.TypeOf(v)
	if f.NumOperands(v) > 1 && !f.Operand(v, 0).IsMetadata() {
		t = f.TypeOf(f.Operand(v, 0))
	}
	pairs, elementwise := elementwiseIntrinsics.Get()[id]
	_, isMem := memIntrinsics.Get()[id]
	_, isMasked := maskedIntrinsics.Get()[id]
	switch {
	case dropTable.From(makeDropTable)[id] != nil || vectorIntrinsics.From(makeVectorIntrinsics)[id] != nil || isMasked || id == ir.IntrExperimentalVectorCompress:
		c.report(LegalValues, v, "llvm.%s", intrinsicWord(id))
	case elementwise && m.IsVector(t) && !(pairs && c.isPair(t)):
		c.report(LegalValues, v, "llvm.%s of %s", intrinsicWord(id), c.typeName(t))
	case expandTable.From(makeExpandTable)[id] != nil && !c.isPair(t) && !c.keepsIntrinsic(id, t):
		c.report(LegalValues, v, "llvm.%s of %s", intrinsicWord(id), c.typeName(t))
	case isMem:
		c.report(LegalMemory, v, "llvm.%s", intrinsicWord(id))
	case (id == ir.IntrFptosiSat || id == ir.IntrFptouiSat) && f.TypeOf(v) == ir.I32 && (t == ir.Float || t == ir.Double):
	case (id == ir.IntrExp2 || id == ir.IntrLog2) && t == ir.Half && c.isFloat(t): // v_exp_f16 and v_log_f16 support these
	case floatIntrinsics.Get()[id] || elementwise && m.IsFloat(t) && !c.isFloat(t):
		c.report(LegalFloats, v, "llvm.%s of %s", intrinsicWord(id), c.typeName(t))
	}
}

// intrinsicWord returns the name of an intrinsic without "llvm.".
func intrinsicWord(id ir.Intrinsic) string {
	const prefix = "llvm."
	if s := id.String(); len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):]
	}
	return id.String()
}

// keepsIntrinsic reports whether selection supports an intrinsic of expandTable
// on integers of a type.
func (c *legality) keepsIntrinsic(id ir.Intrinsic, t ir.Type) bool {
	switch id {
	case ir.IntrCtpop, ir.IntrCtlz, ir.IntrCttz:
		return t == ir.I32 || t == ir.I64
	case ir.IntrUmin, ir.IntrUmax, ir.IntrSmin, ir.IntrSmax, ir.IntrAbs, ir.IntrBswap, ir.IntrBitreverse, ir.IntrFshr:
		return t == ir.I32
	case ir.IntrUaddSat, ir.IntrUsubSat:
		return t == ir.I32 && c.is(target.GFX9)
	}
	return false
}

// floatIntrinsics lists mathematical functions that no instruction computes
// with the required precision.
var floatIntrinsics = lazy.Value[map[ir.Intrinsic]bool]{Make: func() map[ir.Intrinsic]bool {
	return map[ir.Intrinsic]bool{
		ir.IntrPow: true, ir.IntrPowi: true, ir.IntrSin: true, ir.IntrCos: true, ir.IntrTan: true, ir.IntrAsin: true, ir.IntrAcos: true,
		ir.IntrAtan: true, ir.IntrAtan2: true, ir.IntrSinh: true, ir.IntrCosh: true, ir.IntrTanh: true, ir.IntrSincos: true,
		ir.IntrSincospi: true, ir.IntrExp: true, ir.IntrExp2: true, ir.IntrExp10: true, ir.IntrLog: true, ir.IntrLog2: true, ir.IntrLog10: true,
		ir.IntrModf: true, ir.IntrFrexp: true, ir.IntrSqrt: true, ir.IntrFmuladd: true, ir.IntrNearbyint: true, ir.IntrRoundeven: true,
		ir.IntrMinimumnum: true, ir.IntrMaximumnum: true,
		ir.IntrFptosiSat: true, ir.IntrFptouiSat: true, ir.IntrRound: true, ir.IntrLrint: true, ir.IntrLlrint: true, ir.IntrLround: true,
		ir.IntrLlround: true,
	}
}}
