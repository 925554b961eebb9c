package abi

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Registers with a fixed meaning in functions (user guide, "Non-Kernel Functions").
const (
	ScratchResource = mir.SGPR0      // s4, before gfx9, in kernels as well: scratch buffer resource
	ReturnAddress   = mir.SGPR0 + 30 // s2
	StackPointer    = mir.SGPR0 + 32 // in bytes per lane; before gfx9 in bytes per wave, 64 times as much
	FramePointer    = mir.SGPR0 + 33
	BasePointer     = mir.SGPR0 + 34
	WorkItemIDs     = mir.VGPR0 + 31 // all three IDs, packed
)

// ScratchAccess is the method of accessing private memory.
type ScratchAccess uint8

const (
	ScratchBuffer      ScratchAccess = iota // MUBUF with the resource in ScratchResource
	ScratchFlat                             // scratch_* instructions with FLAT_SCRATCH set by the kernel
	ScratchArchitected                      // scratch_* instructions with FLAT_SCRATCH set by the hardware
)

// ScratchAccessOf returns the method by which code for a target accesses
// private memory.
func ScratchAccessOf(t *target.Target) ScratchAccess {
	switch {
	case !t.Processor.Is(target.GFX9):
		return ScratchBuffer
	case t.Has(target.FeatureArchitectedFlatScratch):
		return ScratchArchitected
	}
	return ScratchFlat
}

// Entry describes the contents of registers at a function's entry.
type Entry struct {
	Inputs Inputs
	At     [NumInputs]Place

	Convention  Convention // of a function other than a kernel
	Kernel      bool
	Scratch     bool // a kernel requests scratch memory
	FlatPrivate bool // private memory may be accessed with flat addresses
	Access      ScratchAccess
	Dynamic     int // block size of a kernel's dynamically allocated VGPRs, or 0

	Shader     *ShaderEntry // of a shader or a chain function
	Descriptor mir.Reg      // two scalar registers for the scratch descriptor's address, or NoReg
	moved      []Move

	t       *target.Target
	preload int // number of dwords of the kernarg segment in registers

	user int // number of user SGPRs, including padding that the hardware requires
	end  int // number of SGPRs that the hardware initializes
}

// layOut assigns locations to the inputs of a function.
func (a *Module) layOut(f *ir.Function, n *needs) *Entry {
	if f.CC.IsKernel() && HasDescriptors(a.Target) {
		e := NewKernelEntry(a.Target, n.inputs, n.scratch, n.private)
		e.Dynamic = DynamicVGPRs(a.m, f, a.Target)
		return e
	}
	if f.CC.IsShader() || f.CC.IsKernel() {
		e := NewShaderEntry(a.Target, *a.shaderEntry(f), n.inputs, n.scratch, n.private)
		e.Dynamic = DynamicVGPRs(a.m, f, a.Target)
		return e
	}
	e := CalleePlaces(a.Target, n.inputs)
	e.FlatPrivate = n.private
	e.Convention, _ = ConventionOf(f.CC)
	return e
}

// HasDescriptors reports whether a kernel's descriptor states the inputs that the
// hardware provides. Elsewhere they follow from the kernel's attributes.
func HasDescriptors(t *target.Target) bool {
	return t.Triple.OS == target.AMDHSA || t.Triple.OS == target.Mesa3D
}

// DynamicVGPRs returns the size of the blocks in which the hardware allocates
// VGPRs to a function's waves while they run, or 0 if it does not: 16 or 32, as in the
// attribute amdgpu-dynamic-vgpr-block-size. Only gfx12 has them.
func DynamicVGPRs(m *ir.Module, f *ir.Function, t *target.Target) int {
	n, ok := intAttr(m, m.AttrsAt(f.Attributes, ir.AttrFunction), "amdgpu-dynamic-vgpr-block-size")
	if !ok || n != 16 && n != 32 || !t.Processor.Is(target.GFX12) {
		return 0
	}
	return n
}

// DynamicBlocks is the maximum number of blocks of dynamically allocated VGPRs
// of a wave.
const DynamicBlocks = 8

// TrapArea returns the size in bytes per lane of the memory at the start of a
// wave's private memory in which the trap handler saves dynamically allocated
// VGPRs. It exists in queues of compute only.
func (e *Entry) TrapArea() int64 { return int64(4 * e.Dynamic * (DynamicBlocks - 1)) }

// NewKernelEntry returns the entry of a kernel that requests inputs and, if
// scratch is set, scratch memory. flatPrivate states that it may access private
// memory with flat addresses.
func NewKernelEntry(t *target.Target, in Inputs, scratch, flatPrivate bool) *Entry {
	e := &Entry{Inputs: in, Kernel: true, Scratch: scratch, FlatPrivate: flatPrivate, Access: ScratchAccessOf(t), t: t}
	if e.Inputs.Has(ImplicitArgPtr) {
		e.Inputs |= 1 << KernargSegmentPtr
	}
	e.Inputs &^= 1<<ImplicitArgPtr | 1<<LDSKernelID
	e.placeKernel()
	return e
}

// WithScratch returns the entry of the same kernel with or without scratch
// memory. Other functions' entries are returned unchanged.
func (e *Entry) WithScratch(on bool) *Entry {
	if e.Scratch == on || !e.Kernel {
		return e
	}
	x := *e
	x.Scratch = on
	x.placeKernel()
	return &x
}

// WithPreload returns the entry of the same kernel with the first dwords of the
// kernarg segment in registers.
func (e *Entry) WithPreload(dwords int) *Entry {
	if e.preload == dwords || !e.Kernel || e.Shader != nil {
		return e
	}
	x := *e
	x.preload = dwords
	x.placeKernel()
	return &x
}

// Preload returns the number of dwords of the kernarg segment in registers.
func (e *Entry) Preload() int { return e.preload }

// FreeUserSGPRs returns the number of registers that the kernel can preload with
// or without scratch memory.
func (e *Entry) FreeUserSGPRs() int {
	x := *e
	x.Inputs |= 1 << KernargSegmentPtr
	x.Scratch, x.preload = true, 0
	x.placeKernel()
	return max(x.t.Limits().UserSGPRs-x.user, 0)
}

const scratchInputs = 1<<PrivateSegmentBuffer | 1<<FlatScratchInit | 1<<PrivateSegmentWaveOffset

// scratchInputs returns the inputs that a kernel needs to set up scratch
// memory.
func (e *Entry) scratchInputs() Inputs {
	switch {
	case !e.Scratch || e.Access == ScratchArchitected:
		return 0
	case e.Access == ScratchFlat:
		return 1<<FlatScratchInit | 1<<PrivateSegmentWaveOffset
	case e.FlatPrivate && e.t.Processor.Is(target.GFX7): // gfx6 has no flat instructions
		return 1<<PrivateSegmentBuffer | 1<<FlatScratchInit | 1<<PrivateSegmentWaveOffset
	}
	return 1<<PrivateSegmentBuffer | 1<<PrivateSegmentWaveOffset
}

// sizes holds the size of each SGPR input in dwords.
var sizes = [NumInputs]uint8{PrivateSegmentBuffer: 4, DispatchPtr: 2, QueuePtr: 2, KernargSegmentPtr: 2, DispatchID: 2, FlatScratchInit: 2,
	PrivateSegmentSize: 1, WorkGroupIDX: 1, WorkGroupIDY: 1, WorkGroupIDZ: 1, PrivateSegmentWaveOffset: 1, ImplicitArgPtr: 2, LDSKernelID: 1}

// placeKernel assigns SGPRs and VGPRs to a kernel's inputs in hardware order
// (user guide, "Initial Kernel Execution State").
func (e *Entry) placeKernel() {
	if e.Shader != nil {
		e.placeShader()
		return
	}
	e.Inputs = e.Inputs&^scratchInputs | e.scratchInputs()
	e.Inputs &^= 1 << KernargPreload
	if e.preload > 0 {
		e.Inputs |= 1<<KernargPreload | 1<<KernargSegmentPtr
	}
	e.At = [NumInputs]Place{}
	n := 0
	put := func(in Input) {
		if e.Inputs.Has(in) {
			e.At[in] = Place{Reg: mir.SGPR(n), Dwords: sizes[in]}
			if in == KernargPreload {
				e.At[in].Dwords = uint8(e.preload)
			}
			n += int(e.At[in].Dwords)
		}
	}
	for in := PrivateSegmentBuffer; in <= KernargPreload; in++ {
		put(in)
	}
	e.pad(n)
	n = e.user
	if e.t.Has(target.FeatureArchitectedSGPRs) {
		e.placeArchitected()
	} else {
		for in := WorkGroupIDX; in <= WorkGroupIDZ; in++ {
			put(in)
		}
	}
	put(PrivateSegmentWaveOffset)
	e.end = n
	e.placeWorkItemIDs(mir.VGPR(0), e.t.Has(target.FeaturePackedTID))
}

// pad sets the number of user SGPRs, at least n. Some processors need 16 SGPRs with
// the IDs of the work-group.
func (e *Entry) pad(n int) {
	e.user = n
	if !e.t.Has(target.FeatureUserSGPRInit16Bug) {
		return
	}
	e.user = max(n, 16-bits.OnesCount32(uint32(e.Inputs&workGroupIDs)))
}

// placeArchitected assigns trap temporary registers to the work-group IDs. A
// kernel that does not request Z finds 0 in its place, so Y is the whole
// register.
func (e *Entry) placeArchitected() {
	ttmp := func(n int) mir.Reg { return mir.TTMP0 + mir.Reg(n) }
	for in, p := range map[Input]Place{WorkGroupIDX: {Reg: ttmp(9), Dwords: 1}, WorkGroupIDY: {Reg: ttmp(7), Dwords: 1, Bits: 16},
		WorkGroupIDZ: {Reg: ttmp(7), Dwords: 1, Shift: 16, Bits: 16}} {
		if e.Inputs.Has(in) {
			e.At[in] = p
		}
	}
	if y := &e.At[WorkGroupIDY]; e.Kernel && y.Reg != mir.NoReg && !e.Inputs.Has(WorkGroupIDZ) {
		y.Bits = 0
	}
}

// placeWorkItemIDs assigns the work-item IDs to registers from r on or, if
// packed is true, all to r.
func (e *Entry) placeWorkItemIDs(r mir.Reg, packed bool) {
	for k, in := range [...]Input{WorkItemIDX, WorkItemIDY, WorkItemIDZ} {
		switch {
		case !e.Inputs.Has(in):
		case packed:
			e.At[in] = Place{Reg: r, Dwords: 1, Shift: uint8(10 * k), Bits: 10}
		default:
			e.At[in] = Place{Reg: r + mir.Reg(k), Dwords: 1}
		}
	}
}

// inFunctions lists the SGPRs of function inputs.
var inFunctions = [...]struct {
	in  Input
	reg int
}{{DispatchPtr, 4}, {QueuePtr, 6}, {ImplicitArgPtr, 8}, {DispatchID, 10}, {WorkGroupIDX, 12}, {WorkGroupIDY, 13}, {WorkGroupIDZ, 14}, {LDSKernelID, 15}}

func (e *Entry) placeFunction() {
	if e.Access == ScratchBuffer {
		e.Inputs |= 1 << PrivateSegmentBuffer
		e.At[PrivateSegmentBuffer] = Place{Reg: ScratchResource, Dwords: 4}
	}
	for _, x := range inFunctions {
		if e.Inputs.Has(x.in) {
			e.At[x.in] = Place{Reg: mir.SGPR(x.reg), Dwords: sizes[x.in]}
		}
	}
	if e.t.Has(target.FeatureArchitectedSGPRs) {
		e.placeArchitected()
	}
	e.placeWorkItemIDs(WorkItemIDs, true)
}

// CalleePlaces returns the input locations of a callee that expects a set of
// inputs.
func CalleePlaces(t *target.Target, in Inputs) *Entry {
	e := &Entry{Inputs: in & functionInputs, Access: ScratchAccessOf(t), t: t}
	e.placeFunction()
	return e
}

// UserSGPRs returns the number of user SGPRs of a kernel.
func (e *Entry) UserSGPRs() int { return e.user }

// InputSGPRs returns the number of SGPRs, from s0 on, that the hardware
// initializes for a kernel.
func (e *Entry) InputSGPRs() int { return e.end }

// InputVGPRs returns the number of VGPRs, from v0 on, that the hardware
// initializes for a kernel.
func (e *Entry) InputVGPRs() int {
	if e.Shader != nil && !e.Shader.CC.IsKernel() {
		return e.Shader.VGPRs
	}
	if e.t.Has(target.FeaturePackedTID) {
		return 1
	}
	return e.WorkItemIDs() + 1
}

// WorkItemIDs returns ENABLE_VGPR_WORKITEM_ID of the kernel descriptor: the
// number of work-item IDs in addition to X that the hardware provides.
func (e *Entry) WorkItemIDs() int {
	switch {
	case e.Inputs.Has(WorkItemIDZ):
		return 2
	case e.Inputs.Has(WorkItemIDY):
		return 1
	}
	return 0
}

// PgmRsrc2 returns the fields of the kernel descriptor's compute_pgm_rsrc2 that
// depend on the inputs: ENABLE_PRIVATE_SEGMENT, USER_SGPR_COUNT,
// ENABLE_SGPR_WORKGROUP_ID_X, Y and Z, and ENABLE_VGPR_WORKITEM_ID.
func (e *Entry) PgmRsrc2() uint32 {
	x := uint32(e.user)<<1 | uint32(e.WorkItemIDs())<<11
	if e.Scratch {
		x |= 1
	}
	for k := range Input(3) {
		if e.Inputs.Has(WorkGroupIDX + k) {
			x |= 1 << (7 + k)
		}
	}
	return x
}

// CodeProperties returns the bits of the kernel descriptor's
// kernel_code_properties that enable user SGPRs.
func (e *Entry) CodeProperties() uint16 {
	return uint16(e.Inputs & (1<<(PrivateSegmentSize+1) - 1))
}
