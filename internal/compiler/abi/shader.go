package abi

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Shaders and chain functions. The driver fills the first SGPRs with the
// arguments that have inreg, and the hardware the VGPRs. Neither have a caller.
// Sources: AMDGPU user guide, "AMDPAL"; LLVM's AMDGPUCallingConv.td.

// Kernels on systems without descriptors start like shaders. Their first SGPRs
// contain the inputs that their attributes do not exclude, and the IDs of the
// work-group.

// ShaderEntry describes the arguments of a shader or a chain function, or the
// inputs of a kernel without a descriptor, and how it finds scratch memory.
type ShaderEntry struct {
	CC    ir.CallConv
	User  Inputs // of a kernel: the inputs in SGPRs, whether it uses them or not
	SGPRs int    // number of SGPRs with arguments, from s0 on
	VGPRs int    // one more than the highest VGPR with an argument

	// GIT is the upper half of the address of PAL's global information table,
	// which contains the scratch descriptor. Without it, the table is in the
	// same 4 GiB as the code.
	GIT    uint32
	HasGIT bool
}

// IsChain reports whether a shader jumps to the function.
func (s *ShaderEntry) IsChain() bool { return s.CC.IsChain() }

// gitAttribute is the attribute with the upper half of the table's address, and
// gitOfCode its value that selects the code's own upper half.
const (
	gitAttribute = "amdgpu-git-ptr-high"
	gitOfCode    = 0xffffffff
)

// shaderEntry returns the description of a function's entry.
func (a *Module) shaderEntry(f *ir.Function) *ShaderEntry {
	s := &ShaderEntry{CC: f.CC}
	if f.CC.IsKernel() {
		s.User = a.bareInputsOf(f)
	} else if sig, err := a.Signature(f); err == nil { // selection reports the error
		s.count(sig)
	}
	if text, ok := a.m.StringAttr(a.m.AttrsAt(f.Attributes, ir.AttrFunction), gitAttribute); ok {
		n, ok := Number(text)
		s.GIT, s.HasGIT = n, ok && n != gitOfCode
	}
	if s.CC == ir.CCAMDGPUPS {
		s.VGPRs = max(s.VGPRs, a.PixelInputs(f).unused())
	}
	return s
}

// bareInputs are the inputs that a kernel without a descriptor can have in SGPRs.
const bareInputs = 1<<DispatchPtr | 1<<QueuePtr | 1<<KernargSegmentPtr | 1<<DispatchID | workGroupIDs

// bareInputsOf returns the inputs in the SGPRs of a kernel without a descriptor.
// (LLVM: GCNUserSGPRUsageInfo, SIMachineFunctionInfo.)
func (a *Module) bareInputsOf(f *ir.Function) Inputs {
	out := a.excluded(f.Attributes)
	if f.NumArgs() > 0 {
		out &^= 1 << ImplicitArgPtr
	}
	if out.Has(ImplicitArgPtr) {
		out |= 1 << KernargSegmentPtr
	}
	out &^= 1 << WorkGroupIDX
	set := a.m.AttrsAt(f.Attributes, ir.AttrFunction)
	for in, attr := range map[Input]string{WorkGroupIDY: "amdgpu-no-cluster-id-y", WorkGroupIDZ: "amdgpu-no-cluster-id-z"} {
		if _, ok := a.m.StringAttr(set, attr); !ok {
			out &^= 1 << in
		}
	}
	return bareInputs &^ out
}

// count counts the registers of arguments.
func (s *ShaderEntry) count(sig *Signature) {
	for _, p := range sig.Args {
		switch {
		case p.Reg >= mir.VGPR0:
			s.VGPRs = max(s.VGPRs, p.Reg.Index()+1)
		default:
			s.SGPRs = max(s.SGPRs, p.Reg.Index()+1)
		}
	}
}

// StartsProgram reports whether nothing ran in the wave before the function: it
// is a kernel or a shader.
func (e *Entry) StartsProgram() bool { return e.Kernel && (e.Shader == nil || !e.Shader.IsChain()) }

// isMerged reports whether the hardware runs two stages as one shader, whose
// first eight SGPRs have fixed contents.
func (s *ShaderEntry) isMerged(t *target.Target) bool {
	return (s.CC == ir.CCAMDGPUHS || s.CC == ir.CCAMDGPUGS) && t.Processor.Is(target.GFX9)
}

// GITLow returns the register with the lower half of the address of the global
// information table.
func (e *Entry) GITLow() mir.Reg {
	if e.Shader.isMerged(e.t) {
		return mir.SGPR(8)
	}
	return mir.SGPR(0)
}

// GITOffset returns the offset of the scratch descriptor in the global
// information table. Graphics shaders share one.
func (e *Entry) GITOffset() int64 {
	if e.Shader.CC == ir.CCAMDGPUCS {
		return 16
	}
	return 0
}

// NewShaderEntry returns the entry of a shader or a chain function that requests
// inputs and, if scratch is set, scratch memory.
func NewShaderEntry(t *target.Target, s ShaderEntry, in Inputs, scratch, flatPrivate bool) *Entry {
	if s.CC.IsKernel() {
		if in.Has(ImplicitArgPtr) {
			in |= 1 << KernargSegmentPtr
		}
		s.User |= in & bareInputs
		in |= s.User & workGroupIDs
	}
	e := &Entry{Inputs: in &^ (1<<ImplicitArgPtr | 1<<LDSKernelID), Kernel: true, Shader: &s, Scratch: scratch, FlatPrivate: flatPrivate, Access: ScratchAccessOf(t), t: t}
	e.Convention, _ = ConventionOf(s.CC)
	e.placeKernel()
	return e
}

// setsUpScratch reports whether a shader computes the address of its scratch
// memory. Chain functions continue with the address of the first shader.
func (e *Entry) setsUpScratch() bool {
	return e.Scratch && e.Access != ScratchArchitected && !e.Shader.IsChain()
}

// PassesScratch reports whether a shader sets up scratch memory for the chain
// functions to which it jumps.
func (e *Entry) PassesScratch() bool {
	return e.Kernel && e.Shader != nil && e.Access == ScratchFlat && !e.Shader.IsChain()
}

// placeShader assigns registers to a shader's inputs: the offset of the wave's
// scratch memory follows the arguments. The arguments in registers that the
// prologue overwrites are moved.
func (e *Entry) placeShader() {
	e.Inputs &^= scratchInputs | 1<<KernargPreload
	e.At = [NumInputs]Place{}
	e.moved, e.Descriptor = nil, mir.NoReg
	if e.Shader.CC.IsKernel() {
		e.placeBare()
	} else {
		e.Inputs &^= 1 << KernargSegmentPtr
		e.user = e.Shader.SGPRs
	}
	n := e.Shader.SGPRs
	if e.t.Has(target.FeatureArchitectedSGPRs) {
		e.placeArchitected()
	}
	if e.setsUpScratch() {
		at := n
		if e.Shader.isMerged(e.t) {
			at = 5
			n = max(n, e.GITLow().Index())
		}
		e.Inputs |= 1 << PrivateSegmentWaveOffset
		e.At[PrivateSegmentWaveOffset] = Place{Reg: mir.SGPR(at), Dwords: 1}
		n = max(n, at+1, e.GITLow().Index()+1)
	}
	if e.Scratch {
		n = e.placeMoved(n)
	}
	e.end = n
	for in := range NumInputs {
		if p := &e.At[in]; p.Reg != mir.NoReg && in != PrivateSegmentWaveOffset && in < WorkItemIDX {
			p.Reg = e.ArgumentReg(p.Reg)
		}
	}
}

// placeBare assigns registers to the inputs of a kernel without a descriptor.
func (e *Entry) placeBare() {
	n := 0
	put := func(in Input) {
		e.At[in] = Place{Reg: mir.SGPR(n), Dwords: sizes[in]}
		n += int(sizes[in])
	}
	for in := DispatchPtr; in <= DispatchID; in++ {
		if e.Shader.User.Has(in) {
			put(in)
		}
	}
	e.pad(n)
	n = e.user
	if !e.t.Has(target.FeatureArchitectedSGPRs) {
		for in := WorkGroupIDX; in <= WorkGroupIDZ; in++ {
			if e.Shader.User.Has(in) {
				put(in)
			}
		}
	}
	e.placeWorkItemIDs(mir.VGPR(0), e.t.Has(target.FeaturePackedTID))
	s := *e.Shader
	s.SGPRs = n
	e.Shader = &s
}

// placeMoved assigns registers from n on to moved arguments and to the scratch
// descriptor, and returns the number of the next one.
func (e *Entry) placeMoved(n int) int {
	move := func(from, to int) {
		for k := from; k < to; k++ {
			e.moved = append(e.moved, Move{mir.SGPR(k), mir.SGPR(n)})
			n++
		}
	}
	if e.Access == ScratchBuffer { // the scratch resource is in s[0:3]
		n = (max(n, 4) + 1) &^ 1 // inputs of two dwords keep their alignment
		used := max(e.Shader.SGPRs, 1)
		if e.setsUpScratch() {
			used = max(used, e.At[PrivateSegmentWaveOffset].Reg.Index()+1)
		}
		move(0, min(used, 4))
	}
	if most := e.Shader.SGPRs; most > StackPointer.Index() {
		move(StackPointer.Index(), min(most, FramePointer.Index()+1))
	}
	if e.setsUpScratch() && e.Access == ScratchFlat {
		n = (n + 1) &^ 1
		e.Descriptor = mir.SGPR(n)
		n += 2
	}
	return n
}

// Move is a register whose contents the prologue moves to another one.
type Move struct{ From, To mir.Reg }

// Moved lists the registers of arguments that the prologue moves. It must do so
// in the list's order.
func (e *Entry) Moved() []Move { return e.moved }

// ArgumentReg returns the register of an argument after the prologue.
func (e *Entry) ArgumentReg(r mir.Reg) mir.Reg {
	for _, m := range e.moved {
		if m.From == r {
			return m.To
		}
	}
	return r
}

// PixelInputs describes the inputs of a pixel shader, which the hardware
// computes on request. The first 16 arguments without inreg are the inputs in
// their order.
type PixelInputs struct {
	Address uint32 // inputs that have registers (SPI_PS_INPUT_ADDR)
	Enable  uint32 // inputs that the hardware writes (SPI_PS_INPUT_ENA)

	number []int // by argument: its input, or -1
	empty  bool  // the first two registers hold an input without an argument that is used
}

// numPixelInputs is the number of inputs of a pixel shader.
const numPixelInputs = 16

// Sets of inputs of a pixel shader.
const (
	perspectiveInputs = 0xf
	interpolateInputs = 0x7f // one of them must be enabled
	positionW         = 1 << 11
)

// skips reports whether an argument has no registers.
func (p *PixelInputs) skips(arg int) bool {
	n := p.number[arg]
	return n >= 0 && p.Address>>n&1 == 0 || p.empty && n == 0
}

// unused returns the number of the first VGPRs that hold no argument.
func (p *PixelInputs) unused() int {
	if p.empty {
		return 2
	}
	return 0
}

// PixelInputs returns the inputs of a pixel shader: those that its body uses, and
// those that the attribute InitialPSInputAddr requests. At least one kind of
// interpolation is enabled, since the hardware hangs otherwise.
func (a *Module) PixelInputs(f *ir.Function) *PixelInputs {
	p := &PixelInputs{number: make([]int, f.NumArgs())}
	if n, ok := intAttr(a.m, a.m.AttrsAt(f.Attributes, ir.AttrFunction), "InitialPSInputAddr"); ok {
		p.Address = uint32(n)
	}
	next := 0
	for i := range f.NumArgs() {
		p.number[i] = -1
		if a.m.HasAttr(a.m.AttrsAt(f.Attributes, ir.AttrParams+i), ir.AttrInReg) || next >= numPixelInputs {
			continue
		}
		p.number[i] = next
		if f.HasUses(f.Arg(i)) {
			p.Address |= 1 << next
			p.Enable |= 1 << next
		}
		next++
	}
	if lacksInterpolation(p.Address) {
		p.empty = true
		p.Address |= 1
		p.Enable |= 1
	}
	if bits := p.Address & p.Enable; a.Target.Triple.OS == target.AMDPAL && lacksInterpolation(bits) {
		p.Enable |= p.Address & -p.Address
	}
	return p
}

// lacksInterpolation reports whether the hardware rejects a set of inputs.
func lacksInterpolation(set uint32) bool {
	return set&interpolateInputs == 0 || set&perspectiveInputs == 0 && set&positionW != 0
}
