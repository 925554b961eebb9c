package analysis

import (
	"math/bits"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/ir"
)

// divergentIntrinsics lists name prefixes, without "llvm.amdgcn.", of
// intrinsics whose result differs between lanes for all operands; "$" matches
// the end of the name. The list is LLVM 22's, which a test checks, plus the
// atomics buffer.atomic.sub.clamp.u32 that LLVM omits: each lane gets a
// different old value from them.
var divergentIntrinsics = []string{
	"call.whole.wave", "dead$", "ds.load.tr", "ds.ordered.", "ds.read.tr", "ds.swizzle$", "else$", "flat.atomic.", "global.atomic.",
	"global.load.tr", "if$", "image.atomic.", "init.whole.wave$", "interp.mov$", "interp.p1$", "interp.p1.f16$", "interp.p2$", "interp.p2.f16$", "inverse.ballot$", "lds.direct.load$",
	"lds.param.load$", "live.mask$", "loop$", "mbcnt.", "mfma.", "mov.dpp", "permlane.", "permlane16", "permlane32", "permlanex16",
	"ps.live$", "raw.buffer.atomic.", "raw.ptr.buffer.atomic.", "smfmac.", "struct.buffer.atomic.", "struct.ptr.buffer.atomic.", "swmmac.",
	"update.dpp$", "wmma.", "workitem.id.", "writelane$",
}

// uniformIntrinsics lists intrinsics whose results are the same in all lanes
// for all operands.
var uniformIntrinsics = []string{"ballot$", "fcmp$", "icmp$", "if.break$", "readfirstlane$", "readlane$"}

// intrinsicDivergence classifies the divergence of an intrinsic's result.
type intrinsicDivergence uint32

const (
	notKnownYet intrinsicDivergence = iota
	followsOperands
	alwaysDivergent
	alwaysUniform
)

// intrinsicTable is indexed by intrinsic and filled on first use.
var intrinsicTable [ir.NumIntrinsics]atomic.Uint32

func matchesName(list []string, name string) bool {
	for _, p := range list {
		if strings.HasPrefix(name+"$", p) {
			return true
		}
	}
	return false
}

func divergenceOf(id ir.Intrinsic) intrinsicDivergence {
	known := intrinsicDivergence(intrinsicTable[id].Load())
	if known == notKnownYet {
		known = divergenceByName(id.String())
		intrinsicTable[id].Store(uint32(known))
	}
	return known
}

func divergenceByName(name string) intrinsicDivergence {
	name, ok := strings.CutPrefix(name, "llvm.amdgcn.")
	switch {
	case ok && matchesName(divergentIntrinsics, name):
		return alwaysDivergent
	case ok && matchesName(uniformIntrinsics, name):
		return alwaysUniform
	}
	return followsOperands
}

// workGroup holds the known size limits of a function's work-groups.
type workGroup struct {
	required [3]uint64 // reqd_work_group_size, or 0 if not specified
	flatMax  uint64    // maximum number of work-items
	waveSize uint64
}

// workGroupOf reads the reqd_work_group_size metadata and the
// amdgpu-flat-work-group-size attribute.
func workGroupOf(f *ir.Function, waveSize int) workGroup {
	m := f.Module()
	wg := workGroup{flatMax: 1024, waveSize: uint64(waveSize)}
	if f.CC.IsShader() {
		wg.flatMax = wg.waveSize
	}
	kind := m.MDKind("reqd_work_group_size")
	for _, a := range f.MD {
		if ops := m.MDOperands(a.Node); a.Kind == kind && len(ops) == 3 {
			for i, op := range ops {
				wg.required[i], _ = m.MDInt(op)
			}
		}
	}
	if s, ok := m.StringAttr(m.AttrsAt(f.Attributes, ir.AttrFunction), "amdgpu-flat-work-group-size"); ok {
		first, second, _ := strings.Cut(s, ",")
		lo, err1 := strconv.ParseUint(strings.TrimSpace(first), 10, 32)
		hi, err2 := strconv.ParseUint(strings.TrimSpace(second), 10, 32)
		if err1 == nil && err2 == nil && lo >= 1 && lo <= hi && hi <= 1024 {
			wg.flatMax = hi
		}
	}
	return wg
}

// OneWave reports whether each work-group of a kernel is a single wave,
// according to its attributes.
func OneWave(f *ir.Function, waveSize int) bool {
	if f.CC.IsShader() {
		return false
	}
	wg := workGroupOf(f, waveSize)
	if r := wg.required; r[0] != 0 && r[0]*r[1]*r[2] <= wg.waveSize {
		return true
	}
	return wg.flatMax <= wg.waveSize
}

// maxID returns the largest work-item ID in a dimension.
func (wg *workGroup) maxID(dim int) uint64 {
	if wg.required[0] != 0 {
		return wg.required[dim] - 1
	}
	return wg.flatMax - 1
}

// oneLane reports whether the work-group has one work-item only, so that no
// value can diverge.
func (wg *workGroup) oneLane() bool { return wg.maxID(0) == 0 && wg.maxID(1) == 0 && wg.maxID(2) == 0 }

// evenX reports whether x never restarts inside a wave: the work-group has one
// row, or the row length is a power of two. If full is set, rows must also fill
// whole waves, so that y and z are uniform in a wave.
func (wg *workGroup) evenX(full bool) bool {
	x := wg.required[0]
	if x == 0 {
		return false
	}
	oneRow := wg.required[1] <= 1 && wg.required[2] <= 1
	return oneRow || x&(x-1) == 0 && (!full || x >= wg.waveSize)
}

// idIsDivergent reports whether a work-item ID differs between lanes.
func (wg *workGroup) idIsDivergent(id ir.Intrinsic) bool {
	dim := 1
	switch id {
	case ir.IntrAMDGCNWorkitemIdX:
		return true
	case ir.IntrAMDGCNWorkitemIdZ:
		dim = 2
	}
	return !wg.evenX(true) && wg.required[dim] != 1
}

// argIsUniform reports whether an argument is passed in scalar registers.
func argIsUniform(f *ir.Function, i int) bool {
	if f.CC.IsKernel() {
		return true
	}
	m := f.Module()
	s := m.AttrsAt(f.Attributes, ir.AttrParams+i)
	if m.HasAttr(s, ir.AttrInReg) {
		return true
	}
	return f.CC.IsShader() && m.HasAttr(s, ir.AttrByVal)
}

// isSource reports whether the result of an instruction differs between lanes
// even when no operand does.
func (u *Uniformity) isSource(v ir.Value) bool {
	f := u.f
	if f.Op(v).IsCall() && callHasAttr(f, v, ir.AttrFunction, ir.AttrNoDivergenceSource) {
		return false
	}
	switch f.Op(v) {
	case ir.OpLoad:
		as := u.m.AddrSpace(f.TypeOf(f.Operand(v, 0)))
		return as == addrspace.Private || as == addrspace.Flat
	case ir.OpAtomicRMW, ir.OpCmpXchg, ir.OpInvoke:
		return true
	case ir.OpCall, ir.OpCallBr:
		if f.Op(v) == ir.OpCallBr && u.m.Asm(f.Callee(v)) == nil {
			return false
		}
		return u.callIsSource(v)
	}
	return false
}

func (u *Uniformity) callIsSource(v ir.Value) bool {
	switch id := u.f.CalledIntrinsic(v); id {
	case ir.NoIntrinsic:
		if asm := u.m.Asm(u.f.Callee(v)); asm != nil {
			return u.asmIsDivergent(v, asm, -1)
		}
		return true
	case ir.IntrReadRegister, ir.IntrReadVolatileRegister:
		return u.readsVectorRegister(v)
	case ir.IntrAMDGCNWorkitemIdX, ir.IntrAMDGCNWorkitemIdY, ir.IntrAMDGCNWorkitemIdZ:
		return u.wg.idIsDivergent(id)
	default:
		return divergenceOf(id) == alwaysDivergent
	}
}

// readsVectorRegister reports whether llvm.read_register reads a VGPR or AGPR.
func (u *Uniformity) readsVectorRegister(v ir.Value) bool {
	arg := u.f.Args(v)[0].Value
	if !arg.IsMetadata() {
		return true
	}
	ops := u.m.MDOperands(arg.Metadata())
	if len(ops) == 0 {
		return true
	}
	name, _ := u.m.MDString(ops[0])
	return !strings.HasPrefix(name, "vcc") && (strings.HasPrefix(name, "v") || strings.HasPrefix(name, "a"))
}

// isAlwaysUniform reports whether the result of an instruction is the same in
// all lanes even if its operands differ.
func (u *Uniformity) isAlwaysUniform(v ir.Value) bool {
	f := u.f
	switch f.Op(v) {
	case ir.OpCall:
		if id := f.CalledIntrinsic(v); id != ir.NoIntrinsic {
			return divergenceOf(id) == alwaysUniform
		}
		asm := u.m.Asm(f.Callee(v))
		return asm != nil && !u.asmIsDivergent(v, asm, -1)
	case ir.OpLShr, ir.OpAShr:
		n, ok := u.m.IntValue(f.Operand(v, 1))
		return ok && u.isIDX(f.Operand(v, 0)) && u.wg.wavesInRow() && 1<<min(n, 63) >= u.wg.waveSize
	case ir.OpAnd:
		mask := f.Operand(v, 1)
		if !u.isIDX(f.Operand(v, 0)) {
			if mask = f.Operand(v, 0); !u.isIDX(f.Operand(v, 1)) {
				return false
			}
		}
		return u.wg.wavesInRow() && KnownBits(f, mask).TrailingZeros() >= bits.Len64(u.wg.waveSize)-1
	case ir.OpExtractValue:
		return u.extractIsUniform(v)
	}
	return false
}

// wavesInRow reports whether the lanes of each wave have consecutive x, so that
// x divided by the wave size is uniform.
func (wg *workGroup) wavesInRow() bool {
	return wg.evenX(false) || wg.maxID(1) == 0 && wg.maxID(2) == 0
}

func (u *Uniformity) isIDX(v ir.Value) bool {
	return v.IsLocal() && u.f.CalledIntrinsic(v) == ir.IntrAMDGCNWorkitemIdX
}

// extractIsUniform is isAlwaysUniform for one part of a call's result.
func (u *Uniformity) extractIsUniform(v ir.Value) bool {
	from, idx := u.f.Operand(v, 0), u.f.Indices(v)
	if u.f.Op(from) != ir.OpCall || len(idx) != 1 {
		return false
	}
	switch id := u.f.CalledIntrinsic(from); id {
	case ir.IntrAMDGCNIf, ir.IntrAMDGCNElse:
		return idx[0] == 1 // the mask
	case ir.NoIntrinsic:
		asm := u.m.Asm(u.f.Callee(from))
		return asm != nil && !u.asmIsDivergent(from, asm, int(idx[0]))
	}
	return false
}

// asmIsDivergent reports whether an output of inline assembly is outside scalar
// registers. Output -1 means any output.
func (u *Uniformity) asmIsDivergent(v ir.Value, asm *ir.InlineAsm, output int) bool {
	n := 0
	rest := asm.Constraints
	for rest != "" {
		var c string
		c, rest = cutConstraint(rest)
		c, isOutput := strings.CutPrefix(c, "=")
		if !isOutput {
			continue
		}
		t := u.f.TypeOf(v)
		if u.m.Kind(t) == ir.KindStruct {
			t = u.m.ElementType(t, uint64(n))
		}
		if (output < 0 || output == n) && !u.isScalarConstraint(strings.TrimLeft(c, "&"), t) {
			return true
		}
		n++
	}
	return false
}

// cutConstraint splits off the first constraint, at a comma outside braces.
func cutConstraint(s string) (first, rest string) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

// isScalarConstraint reports whether a constraint requires scalar registers.
func (u *Uniformity) isScalarConstraint(c string, t ir.Type) bool {
	switch {
	case c == "s" || c == "r":
		bits := u.m.SizeInBits(t)
		return bits == 16 || bits%32 == 0 && bits >= 32 && bits <= 384 || bits == 512 || bits == 1024
	case strings.HasPrefix(c, "{s"), strings.HasPrefix(c, "{ttmp"), strings.HasPrefix(c, "{vcc"), strings.HasPrefix(c, "{exec"),
		strings.HasPrefix(c, "{m0"), strings.HasPrefix(c, "{flat_scratch"):
		return true
	}
	return false
}
