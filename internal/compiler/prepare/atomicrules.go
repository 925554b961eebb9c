package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// atomicFeature is a capability of a processor's atomic operations.
type atomicFeature uint8

const (
	atomicRemote             atomicFeature = iota // fine-grained remote memory at device scope
	atomicSystem                                  // all operations at system scope
	atomicAddDenormals                            // f32 add in memory follows the denormal mode
	atomicLocalAddF32                             // ds_add_f32
	atomicLocalAddF64                             // ds_add_f64
	atomicLocalPkAdd                              // ds_pk_add_f16, ds_pk_add_bf16
	atomicFlatPkAdd                               // flat_atomic_pk_add_f16, flat_atomic_pk_add_bf16
	atomicGlobalPkAddF16                          // global_atomic_pk_add_f16
	atomicGlobalPkAddF16Drop                      // global_atomic_pk_add_f16 without result
	atomicGlobalPkAddBF16                         // global_atomic_pk_add_bf16
	atomicBufferPkAddBF16                         // buffer_atomic_pk_add_bf16
	atomicAddF64                                  // flat and global f64 add
	atomicAddF32                                  // global_atomic_add_f32
	atomicAddF32Drop                              // global_atomic_add_f32 without result
	atomicFlatAddF32                              // flat_atomic_add_f32
	atomicMinMaxF32                               // global_atomic_fmin, global_atomic_fmax
	atomicFlatMinMaxF32                           // flat_atomic_fmin, flat_atomic_fmax
	atomicMinMaxF64                               // global_atomic_fmin_f64 and fmax, flat_atomic likewise
	atomicFlatMinMaxF64
	atomicCondSub        // global_atomic_cond_sub_u32, ds_cond_sub_u32
	atomicGlobalSubClamp // global_atomic_csub
	atomicSubClamp       // flat_atomic_sub_clamp_u32, ds_sub_clamp_u32

	numAtomicFeatures
)

// atomicFeatures lists the processors with each feature: the generation in from
// and its successors, except the generation in not and its successors, and
// processors with a target feature (LLVM 22, AMDGPU.td).
var atomicFeatures = [numAtomicFeatures]struct {
	from, not []target.Generation
	feature   []target.Feature
}{
	atomicRemote:             {from: []target.Generation{target.GFX940, target.GFX12}},
	atomicSystem:             {from: []target.Generation{target.GFX12_5}},
	atomicAddDenormals:       {from: []target.Generation{target.GFX940, target.GFX11}},
	atomicLocalAddF32:        {from: []target.Generation{target.GFX8}},
	atomicLocalAddF64:        {from: []target.Generation{target.GFX90A, target.GFX12_5}},
	atomicLocalPkAdd:         {from: []target.Generation{target.GFX940, target.GFX12}},
	atomicFlatPkAdd:          {from: []target.Generation{target.GFX940, target.GFX12}},
	atomicGlobalPkAddF16:     {from: []target.Generation{target.GFX90A, target.GFX12}},
	atomicGlobalPkAddF16Drop: {from: []target.Generation{target.GFX90A, target.GFX12}, feature: []target.Feature{target.FeatureAtomicPkAddF16}},
	atomicGlobalPkAddBF16:    {from: []target.Generation{target.GFX940, target.GFX12}},
	atomicBufferPkAddBF16:    {from: []target.Generation{target.GFX950, target.GFX12}},
	atomicAddF64:             {from: []target.Generation{target.GFX90A, target.GFX12_5}},
	atomicAddF32:             {from: []target.Generation{target.GFX90A, target.GFX11}},
	atomicAddF32Drop:         {from: []target.Generation{target.GFX90A, target.GFX11}, feature: []target.Feature{target.FeatureAtomicFAddNoRtn}},
	atomicFlatAddF32:         {from: []target.Generation{target.GFX940, target.GFX11}},
	atomicMinMaxF32:          {from: []target.Generation{target.GFX6, target.GFX10_1}, not: []target.Generation{target.GFX8}},
	atomicFlatMinMaxF32:      {from: []target.Generation{target.GFX7, target.GFX10_1}, not: []target.Generation{target.GFX8}},
	atomicMinMaxF64:          {from: []target.Generation{target.GFX6, target.GFX90A, target.GFX10_1, target.GFX12_5}, not: []target.Generation{target.GFX8, target.GFX11}},
	atomicFlatMinMaxF64:      {from: []target.Generation{target.GFX7, target.GFX90A, target.GFX10_1, target.GFX12_5}, not: []target.Generation{target.GFX8, target.GFX11}},
	atomicCondSub:            {from: []target.Generation{target.GFX12}},
	atomicGlobalSubClamp:     {from: []target.Generation{target.GFX10_3}},
	atomicSubClamp:           {from: []target.Generation{target.GFX12}},
}

// hasAtomic reports whether the processor has a feature of atomic operations.
// An unknown processor has none.
func hasAtomic(ctx *opt.Context, f atomicFeature) bool {
	if ctx.Target == nil {
		return false
	}
	row, p := &atomicFeatures[f], ctx.Target.Processor
	for _, feature := range row.feature {
		if ctx.Target.Has(feature) {
			return true
		}
	}
	// the newest matching generation determines the result
	best, has := uint8(0), false
	look := func(list []target.Generation, value bool) {
		for _, g := range list {
			if p.Is(g) && uint8(g) >= best {
				best, has = uint8(g), value
			}
		}
	}
	look(row.from, true)
	look(row.not, false)
	return has
}

// atomicPlan is the lowering of an atomic operation.
type atomicPlan uint8

const (
	atomicKeep     atomicPlan = iota // keep: the hardware supports it
	atomicLoop                       // cmpxchg loop
	atomicPlain                      // non-atomic: no other lane sees private memory
	atomicFlat64                     // branch on private memory, which 64-bit flat atomics ignore
	atomicFlatFAdd                   // branches on LDS, private and global memory
	atomicAddZero                    // sub, or and xor of zero become add, which PCIe supports
	atomicToFlat                     // private memory that other lanes can access: flat operation
	atomicRefused                    // too wide: rejected
)

// planRMW selects the lowering of an atomicrmw
// (SITargetLowering::shouldExpandAtomicRMWInIR of LLVM 22).
func (a *atomicExpander) planRMW(v ir.Value) atomicPlan {
	f, m := a.f, a.M
	t := f.TypeOf(v)
	space := m.AddrSpace(f.TypeOf(f.Operand(v, 0)))
	bits := m.SizeInBits(t)
	switch {
	case space == addrspace.Private:
		return planPrivate(a.ctx)
	case bits > 64:
		return atomicRefused
	case space == addrspace.Flat && bits == 64 && a.mayBePrivate(v):
		if f.RMWOp(v) == ir.RMWFAdd && t == ir.Double && hasAtomic(a.ctx, atomicAddF64) {
			return atomicFlatFAdd
		}
		return atomicFlat64
	}
	switch op := f.RMWOp(v); op {
	case ir.RMWXchg:
		return loopUnless(bits >= 32)
	case ir.RMWAdd:
		return loopUnless(bits >= 32)
	case ir.RMWFAdd:
		return a.planFAdd(v, t, space)
	case ir.RMWFMin, ir.RMWFMax:
		return a.planMinMax(v, t, space)
	case ir.RMWNand, ir.RMWFSub, ir.RMWFMaximum, ir.RMWFMinimum:
		return atomicLoop
	default:
		return a.planInt(v, op, space, bits)
	}
}

// planPrivate selects the lowering for private memory, which has global
// addresses from gfx12.5 on.
func planPrivate(ctx *opt.Context) atomicPlan {
	if isGPU(ctx, target.GFX12_5) {
		return atomicToFlat
	}
	return atomicPlain
}

func loopUnless(legal bool) atomicPlan {
	if legal {
		return atomicKeep
	}
	return atomicLoop
}

// atSystem reports whether an operation must be visible to the host or other
// devices.
func (a *atomicExpander) atSystem(v ir.Value) bool {
	s := a.f.MemInfo(v).Scope
	return s == ir.System || s == ir.SystemOneAS
}

func (a *atomicExpander) has(v ir.Value, kind string) bool {
	return a.f.Attachment(v, a.M.MDKind(kind)) != 0
}

// planInt selects the lowering of integer operations other than xchg and add.
// PCIe supports only xchg and add, which matters for memory of the host and of
// other devices.
func (a *atomicExpander) planInt(v ir.Value, op ir.RMWOp, space uint32, bits uint64) atomicPlan {
	ctx := a.ctx
	if op == ir.RMWUSubCond && (!hasAtomic(ctx, atomicCondSub) || bits != 32) ||
		op == ir.RMWUSubSat && (!hasSubClamp(ctx, space) || bits != 32) || bits < 32 {
		return atomicLoop
	}
	if space != addrspace.Flat && space != addrspace.Global && space != 7 || hasAtomic(ctx, atomicSystem) ||
		a.has(v, "amdgpu.no.remote.memory") || !a.atSystem(v) && hasAtomic(ctx, atomicRemote) || a.has(v, "amdgpu.no.fine.grained.memory") {
		return atomicKeep
	}
	if op == ir.RMWSub || op == ir.RMWOr || op == ir.RMWXor {
		if c, ok := a.M.IntValue(a.f.Operand(v, 1)); ok && c == 0 {
			return atomicAddZero
		}
	}
	return atomicLoop
}

// hasSubClamp reports whether the processor has a saturating subtraction in
// memory of an address space.
func hasSubClamp(ctx *opt.Context, space uint32) bool {
	inGlobal := space == addrspace.Global || space == addrspace.Buffer
	return hasAtomic(ctx, atomicSubClamp) || inGlobal && hasAtomic(ctx, atomicGlobalSubClamp)
}

// memoryAllows reports whether a floating-point operation works in the memory
// that it may access.
func (a *atomicExpander) memoryAllows(v ir.Value) bool {
	ctx := a.ctx
	if a.atSystem(v) {
		if hasAtomic(ctx, atomicRemote) && a.has(v, "amdgpu.no.remote.memory") || hasAtomic(ctx, atomicSystem) {
			return true
		}
	} else if hasAtomic(ctx, atomicRemote) {
		return true
	}
	return a.has(v, "amdgpu.no.fine.grained.memory")
}

// mayFlush reports whether denormals may be flushed.
func (a *atomicExpander) mayFlush(v ir.Value) bool {
	if a.has(v, "amdgpu.ignore.denormal.mode") || opt.StringAttr(a.f, "amdgpu-unsafe-fp-atomics") == "true" {
		return true
	}
	mode := opt.StringAttr(a.f, "denormal-fp-math-f32")
	if mode == "" {
		mode = opt.StringAttr(a.f, "denormal-fp-math")
	}
	out, in := opt.DenormalMode(mode, "ieee")
	return out == "preserve-sign" && in == "preserve-sign"
}

// isPair reports whether t is a vector of two elements of type elem.
func (a *atomicExpander) isPair(t, elem ir.Type) bool {
	return a.M.IsVector(t) && a.M.NumElements(t) == 2 && a.M.Scalar(t) == elem
}

// fAddRow describes an instruction that adds floating-point numbers in memory.
type fAddRow struct {
	elem  ir.Type // scalar type, or the element type of a pair
	pair  bool
	flat  bool // for flat pointers; otherwise for global ones
	drop  bool // without result
	instr atomicFeature
}

// fAddRows lists the instructions for global and flat memory.
var fAddRows = [...]fAddRow{
	{elem: ir.Half, pair: true, flat: true, instr: atomicFlatPkAdd},
	{elem: ir.BFloat, pair: true, flat: true, instr: atomicFlatPkAdd},
	{elem: ir.Half, pair: true, instr: atomicGlobalPkAddF16},
	{elem: ir.Half, pair: true, drop: true, instr: atomicGlobalPkAddF16Drop},
	{elem: ir.BFloat, pair: true, instr: atomicGlobalPkAddBF16},
	{elem: ir.Double, flat: true, instr: atomicAddF64},
	{elem: ir.Double, instr: atomicAddF64},
	{elem: ir.Float, instr: atomicAddF32},
	{elem: ir.Float, drop: true, instr: atomicAddF32Drop},
	{elem: ir.Float, flat: true, instr: atomicFlatAddF32},
}

func (a *atomicExpander) planFAdd(v ir.Value, t ir.Type, space uint32) atomicPlan {
	ctx := a.ctx
	if space == addrspace.Local {
		return loopUnless(t == ir.Float && hasAtomic(ctx, atomicLocalAddF32) || t == ir.Double && hasAtomic(ctx, atomicLocalAddF64) ||
			(a.isPair(t, ir.Half) || a.isPair(t, ir.BFloat)) && hasAtomic(ctx, atomicLocalPkAdd))
	}
	if space == addrspace.Buffer && a.isPair(t, ir.BFloat) && !hasAtomic(ctx, atomicBufferPkAddBF16) {
		return atomicLoop
	}
	if t == ir.Float && !hasAtomic(ctx, atomicAddDenormals) && !a.mayFlush(v) || !a.memoryAllows(v) {
		return atomicLoop
	}
	used := a.f.HasUses(v)
	flat := space == addrspace.Flat
	for _, r := range fAddRows {
		fits := t == r.elem && !r.pair || r.pair && a.isPair(t, r.elem)
		if fits && r.flat == flat && !(r.drop && used) && hasAtomic(ctx, r.instr) {
			return atomicKeep
		}
	}
	if flat && t == ir.Float && hasAtomic(ctx, atomicLocalAddF32) &&
		(hasAtomic(ctx, atomicAddF32) || !used && hasAtomic(ctx, atomicAddF32Drop)) {
		return atomicFlatFAdd
	}
	return atomicLoop
}

func (a *atomicExpander) planMinMax(v ir.Value, t ir.Type, space uint32) atomicPlan {
	if space == addrspace.Local {
		return loopUnless(t == ir.Float || t == ir.Double)
	}
	if !a.memoryAllows(v) {
		return atomicLoop
	}
	f32, f64 := atomicMinMaxF32, atomicMinMaxF64
	if space == addrspace.Flat {
		f32, f64 = atomicFlatMinMaxF32, atomicFlatMinMaxF64
	}
	return loopUnless(t == ir.Float && hasAtomic(a.ctx, f32) || t == ir.Double && hasAtomic(a.ctx, f64))
}

// mayBePrivate reports whether a flat atomic operation may access private memory.
func (a *atomicExpander) mayBePrivate(v ir.Value) bool {
	m := a.M
	md := a.f.Attachment(v, ir.MDNoAliasAddrSpace)
	if md == 0 {
		return true
	}
	ops := m.MDOperands(md)
	for i := 0; i+1 < len(ops); i += 2 {
		low, ok1 := m.MDInt(ops[i])
		high, ok2 := m.MDInt(ops[i+1])
		if ok1 && ok2 && low <= addrspace.Private && addrspace.Private < high {
			return false
		}
	}
	return true
}
