package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// amdgpuRules adds the rules of AMDGPU's intrinsic functions.
func amdgpuRules(rules *ruleTable) {
	rules.addRules([]ruleOf{
		{ir.IntrAMDGCNCsChain, (*checker).csChain},
		{ir.IntrAMDGCNInitExecFromInput, (*checker).initExecFromInput},
		{ir.IntrAMDGCNSetInactiveChainArg, (*checker).setInactiveChainArg},
		{ir.IntrAMDGCNCallWholeWave, (*checker).callWholeWave},
		{ir.IntrAMDGCNSPrefetchData, (*checker).sPrefetch},
		{ir.IntrAMDGCNMfmaScaleF3216x16x128F8f6f4, (*checker).mfmaScale},
		{ir.IntrAMDGCNMfmaScaleF3232x32x64F8f6f4, (*checker).mfmaScale},
		{ir.IntrAMDGCNWmmaF3216x16x128F8f6f4, (*checker).wmmaScale},
		{ir.IntrAMDGCNWmmaScaleF3216x16x128F8f6f4, (*checker).wmmaScale},
		{ir.IntrAMDGCNWmmaScale16F3216x16x128F8f6f4, (*checker).wmmaScale},
		{ir.IntrAMDGCNCooperativeAtomicLoad32x4B, (*checker).cooperativeAtomic},
		{ir.IntrAMDGCNCooperativeAtomicLoad16x8B, (*checker).cooperativeAtomic},
		{ir.IntrAMDGCNCooperativeAtomicLoad8x16B, (*checker).cooperativeAtomic},
		{ir.IntrAMDGCNCooperativeAtomicStore32x4B, (*checker).cooperativeAtomic},
		{ir.IntrAMDGCNCooperativeAtomicStore16x8B, (*checker).cooperativeAtomic},
		{ir.IntrAMDGCNCooperativeAtomicStore8x16B, (*checker).cooperativeAtomic},
	})
}

// Address spaces of AMDGPU.
const (
	spaceFlat       = 0
	spaceGlobal     = 1
	spaceConstant   = 4
	spaceConstant32 = 6
)

func (c *checker) csChain(s *callSite) string {
	switch c.f.CC {
	case ir.CCAMDGPUCS, ir.CCAMDGPUCSChain, ir.CCAMDGPUCSChainPreserv, ir.CCAMDGPUES, ir.CCAMDGPUGS, ir.CCAMDGPUHS, ir.CCAMDGPULS, ir.CCAMDGPUVS:
	default:
		return "Intrinsic cannot be called from functions with this calling convention: " + c.f.CC.String()
	}
	switch {
	case !c.argHas(s.v, 2, ir.AttrInReg):
		return "SGPR arguments must have the `inreg` attribute"
	case c.argHas(s.v, 3, ir.AttrInReg):
		return "VGPR arguments must not have the `inreg` attribute"
	}
	next := c.f.Next(s.v)
	if next == ir.None || c.f.Op(next) != ir.OpUnreachable && c.f.CalledIntrinsic(next) != ir.IntrAMDGCNUnreachable {
		return "llvm.amdgcn.cs.chain must be followed by unreachable"
	}
	return ""
}

// isArg reports whether v is an argument of the function, and whether the
// argument is inreg.
func (c *checker) isArg(v ir.Value) (ok, inReg bool) {
	if !v.IsLocal() || c.f.Op(v) != ir.OpArg {
		return false, false
	}
	return true, c.paramHas(int(c.f.Instr(v).X), ir.AttrInReg)
}

func (c *checker) initExecFromInput(s *callSite) string {
	if _, inReg := c.isArg(s.arg(0)); !inReg {
		return "only inreg arguments to the parent function are valid as inputs to this intrinsic"
	}
	return ""
}

func (c *checker) setInactiveChainArg(s *callSite) string {
	if c.f.CC != ir.CCAMDGPUCSChain && c.f.CC != ir.CCAMDGPUCSChainPreserv {
		return "Intrinsic can only be used from functions with the amdgpu_cs_chain or amdgpu_cs_chain_preserve calling conventions"
	}
	ok, inReg := c.isArg(s.arg(1))
	switch {
	case c.argHas(s.v, 1, ir.AttrInReg):
		return "Value for inactive lanes must not have the `inreg` attribute"
	case !ok:
		return "Value for inactive lanes must be a function argument"
	case inReg:
		return "Value for inactive lanes must be a VGPR function argument"
	}
	return ""
}

func (c *checker) callWholeWave(s *callSite) string {
	g := c.m.ConstGlobal(s.arg(0))
	if g == nil || g.Func == nil {
		return "Indirect whole wave calls are not allowed"
	}
	f := g.Func
	fn := c.m.TypeInfo(f.Global.Type)
	switch {
	case f.CC != ir.CCAMDGPUGfxWholeWave:
		return "Callee must have the amdgpu_gfx_whole_wave calling convention: " + f.CC.String()
	case fn.VarArg:
		return "Variadic whole wave calls are not allowed"
	case len(s.args) != len(fn.Elems):
		return "Call argument count must match callee argument count"
	case len(fn.Elems) == 0 || fn.Elems[0] != ir.I1:
		return "Callee must have i1 as its first argument"
	}
	for i := 1; i < len(s.args); i++ {
		if c.argType(s, i) != fn.Elems[i] {
			return c.found("Argument types must match", c.argType(s, i), fn.Elems[i])
		}
		if c.argHas(s.v, i, ir.AttrInReg) != c.m.HasAttr(c.m.AttrsAt(f.Attributes, ir.AttrParams+i), ir.AttrInReg) {
			return "Argument inreg attributes must match"
		}
	}
	return ""
}

func (c *checker) sPrefetch(s *callSite) string {
	switch c.m.AddrSpace(c.argType(s, 0)) {
	case spaceFlat, spaceGlobal, spaceConstant, spaceConstant32:
		return ""
	}
	return c.found("llvm.amdgcn.s.prefetch.data only supports global or constant memory", c.argType(s, 0))
}

// matrixFormat describes the operands of a matrix operation with formats.
type matrixFormat struct {
	sources  [2]int // argument indices
	formats  [2]int
	names    [2]string // names of the formats
	elements string    // message for operands of a wrong type
	sizes    [3]uint64 // number of elements for formats 0 and 1, 2 and 3, 4
}

func (c *checker) mfmaScale(s *callSite) string {
	return c.matrix(s, &matrixFormat{sources: [2]int{0, 1}, formats: [2]int{3, 4}, elements: "4, 6 or 8 element i32 vector",
		names: [2]string{"invalid value for cbsz format", "invalid value for blgp format"}, sizes: [3]uint64{8, 6, 4}})
}

func (c *checker) wmmaScale(s *callSite) string {
	return c.matrix(s, &matrixFormat{sources: [2]int{1, 3}, formats: [2]int{0, 2}, elements: "8, 12 or 16 element i32 vector",
		names: [2]string{"invalid value for matrix format", "invalid value for matrix format"}, sizes: [3]uint64{16, 12, 8}})
}

func (c *checker) matrix(s *callSite, f *matrixFormat) string {
	var format [2]uint64
	for i := range 2 {
		n, ok := c.constArg(s, f.formats[i])
		if !ok {
			return ""
		}
		if n > 4 {
			return f.names[i]
		}
		format[i] = n
	}
	for i, arg := range f.sources {
		t := c.argType(s, arg)
		n := c.lanes(t)
		if c.m.Scalar(t) != ir.I32 || n != f.sizes[0] && n != f.sizes[1] && n != f.sizes[2] {
			return c.found("operand "+string(rune('0'+f.sources[i]))+" must be "+f.elements, t)
		}
	}
	for i, arg := range f.sources {
		if c.lanes(c.argType(s, arg)) < f.sizes[format[i]/2] {
			return c.found("invalid vector type for format", c.argType(s, arg))
		}
	}
	return ""
}

func (c *checker) cooperativeAtomic(s *callSite) string {
	if as := c.m.AddrSpace(c.argType(s, 0)); as != spaceFlat && as != spaceGlobal {
		return c.found("cooperative atomic intrinsics require a generic or global pointer", c.argType(s, 0))
	}
	ops := c.m.MDOperands(c.metadataArg(s, len(s.args)-1))
	if len(ops) != 1 || c.m.NodeKind(ops[0]) != ir.NodeString {
		return "cooperative atomic intrinsics require that the last argument is a metadata string"
	}
	return ""
}
