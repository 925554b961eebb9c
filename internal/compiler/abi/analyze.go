package abi

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// functionInputs holds the inputs that functions can expect from their callers,
// in any register.
const functionInputs = 1<<DispatchPtr | 1<<QueuePtr | 1<<DispatchID | 1<<ImplicitArgPtr | 1<<LDSKernelID |
	workGroupIDs | workItemIDs

const (
	workGroupIDs = 1<<WorkGroupIDX | 1<<WorkGroupIDY | 1<<WorkGroupIDZ
	workItemIDs  = 1<<WorkItemIDX | 1<<WorkItemIDY | 1<<WorkItemIDZ
)

// Module holds the input and stack requirements of the functions in a module.
type Module struct {
	Target *target.Target
	m      *ir.Module
	need   map[*ir.Function]*needs
	addr   []addrUse // indexed by constant
}

// needs holds the requirements of a function with a body.
type needs struct {
	inputs  Inputs
	scratch bool // has allocas or calls: needs a stack even if selection adds no objects
	private bool // may access private memory with flat addresses
	unknown bool // calls an unknown function
	callees []*ir.Function
	callers []*ir.Function
	entry   *Entry
}

// addrUse is the set of apertures that the casts in a constant require.
type addrUse uint8

const (
	addrSeen addrUse = 1 << iota
	addrAperture
	addrPrivate
)

// absent maps the attributes of functions and calls that promise not to use an
// input, directly or through callees, to that input.
var absent = [...]struct {
	attr  string
	input Input
}{
	{"amdgpu-no-dispatch-ptr", DispatchPtr}, {"amdgpu-no-queue-ptr", QueuePtr}, {"amdgpu-no-dispatch-id", DispatchID},
	{"amdgpu-no-implicitarg-ptr", ImplicitArgPtr}, {"amdgpu-no-lds-kernel-id", LDSKernelID},
	{"amdgpu-no-workgroup-id-x", WorkGroupIDX}, {"amdgpu-no-workgroup-id-y", WorkGroupIDY}, {"amdgpu-no-workgroup-id-z", WorkGroupIDZ},
	{"amdgpu-no-workitem-id-x", WorkItemIDX}, {"amdgpu-no-workitem-id-y", WorkItemIDY}, {"amdgpu-no-workitem-id-z", WorkItemIDZ},
}

// byIntrinsic maps an intrinsic to the input that it returns.
var byIntrinsic = lazy.Value[map[ir.Intrinsic]Input]{Make: func() map[ir.Intrinsic]Input {
	return map[ir.Intrinsic]Input{
		ir.IntrAMDGCNDispatchPtr: DispatchPtr, ir.IntrAMDGCNQueuePtr: QueuePtr, ir.IntrAMDGCNDispatchId: DispatchID,
		ir.IntrAMDGCNKernargSegmentPtr: KernargSegmentPtr, ir.IntrAMDGCNImplicitargPtr: ImplicitArgPtr, ir.IntrAMDGCNLdsKernelId: LDSKernelID,
		ir.IntrAMDGCNWorkgroupIdX: WorkGroupIDX, ir.IntrAMDGCNWorkgroupIdY: WorkGroupIDY, ir.IntrAMDGCNWorkgroupIdZ: WorkGroupIDZ,
		ir.IntrAMDGCNClusterIdX: WorkGroupIDX, ir.IntrAMDGCNClusterIdY: WorkGroupIDY, ir.IntrAMDGCNClusterIdZ: WorkGroupIDZ,
		ir.IntrAMDGCNWorkitemIdX: WorkItemIDX, ir.IntrAMDGCNWorkitemIdY: WorkItemIDY, ir.IntrAMDGCNWorkitemIdZ: WorkItemIDZ,
	}
}}

// Analyze computes the requirements of each function with a body, including the
// requirements of its callees.
func Analyze(m *ir.Module, t *target.Target) *Module {
	a := &Module{Target: t, m: m, need: map[*ir.Function]*needs{}, addr: make([]addrUse, m.NumConsts())}
	var list []*ir.Function
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() {
			list = append(list, g.Func)
			a.need[g.Func] = new(needs)
		}
	}
	for _, f := range list {
		a.scan(f)
	}
	for _, f := range list {
		for _, c := range a.need[f].callees {
			a.need[c].callers = append(a.need[c].callers, f)
		}
	}
	a.propagate(list)
	for _, f := range list {
		a.need[f].entry = a.layOut(f, a.need[f])
	}
	return a
}

// Entry returns the locations of the inputs of a function with a body. A
// kernel's entry requests scratch memory if the function has stack objects or
// calls; later passes may override this with [Entry.WithScratch].
func (a *Module) Entry(f *ir.Function) *Entry { return a.need[f].entry }

// Inputs returns the inputs that a function requires. A function without a body
// requires all inputs that its attributes do not exclude.
func (a *Module) Inputs(f *ir.Function) Inputs {
	if n := a.need[f]; n != nil {
		return n.inputs
	}
	return functionInputs &^ a.excluded(f.Attributes) & receivable(a.Target, f.CC)
}

// CallInputs returns the inputs that the callee expects from its caller.
func (a *Module) CallInputs(f *ir.Function, call ir.Value) Inputs {
	out := a.excluded(f.CallAttrs(call)) | ^receivable(a.Target, f.CallConv(call))
	if c := a.callee(f, call); c != nil && !a.mayBeOther(c) {
		return a.Inputs(c) & functionInputs &^ out
	}
	if c := a.callee(f, call); c != nil {
		out |= a.excluded(c.Attributes)
	}
	return functionInputs &^ out
}

// Callees returns the functions with a body that f calls directly. others
// reports whether f calls any other function.
func (a *Module) Callees(f *ir.Function) (known []*ir.Function, others bool) {
	n := a.need[f]
	return n.callees, n.unknown
}

// callee returns the function that a call names, directly or through aliases,
// or nil if the callee is unknown.
func (a *Module) callee(f *ir.Function, call ir.Value) *ir.Function {
	for v, n := f.Callee(call), 0; n < 8; n++ {
		g := a.m.ConstGlobal(v)
		if g == nil {
			return nil
		}
		if g.Func != nil {
			return g.Func
		}
		if g.Kind != ir.GlobalAlias {
			return nil
		}
		v = g.Init
	}
	return nil
}

// mayBeOther reports whether the linker or loader may replace the function's
// definition.
func (a *Module) mayBeOther(f *ir.Function) bool {
	if f.IsDeclaration() {
		return true
	}
	switch f.Linkage {
	case ir.WeakAny, ir.LinkOnceAny, ir.ExternWeak, ir.AvailableExternally:
		return true
	}
	return false
}

// excluded returns the inputs that the attributes exclude.
func (a *Module) excluded(l ir.AttrList) (out Inputs) {
	set := a.m.AttrsAt(l, ir.AttrFunction)
	for _, x := range absent {
		if _, ok := a.m.StringAttr(set, x.attr); ok {
			out |= 1 << x.input
		}
	}
	return out
}

// scan records the requirements of a function's own instructions.
func (a *Module) scan(f *ir.Function) {
	n := a.need[f]
	for i := range f.NumArgs() {
		if f.CC.IsKernel() && f.HasUses(f.Arg(i)) {
			n.inputs |= 1 << KernargSegmentPtr
		}
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			a.instr(f, n, v)
		}
	}
	n.inputs &= a.receives(f)
}

func (a *Module) instr(f *ir.Function, n *needs, v ir.Value) {
	op := f.Op(v)
	switch {
	case op == ir.OpAlloca:
		n.scratch = true
	case op == ir.OpAddrSpaceCast:
		a.cast(n, castUse(a.m.AddrSpace(f.TypeOf(f.Operand(v, 0))), a.m.AddrSpace(f.TypeOf(v))))
	case op.IsCall():
		a.call(f, n, v)
	}
	for _, o := range f.Operands(v) {
		if o.Value.IsConst() {
			a.cast(n, a.constant(o.Value))
		}
	}
}

// castUse returns the apertures that a cast between address spaces requires.
func castUse(from, to uint32) addrUse {
	switch {
	case to != 0:
		return 0
	case from == addrspace.Private:
		return addrAperture | addrPrivate
	case from == addrspace.Local:
		return addrAperture
	}
	return 0
}

// constant returns the apertures that the casts in a constant require.
func (a *Module) constant(v ir.Value) (u addrUse) {
	i := int(v.Index())
	if a.addr[i]&addrSeen != 0 {
		return a.addr[i] &^ addrSeen
	}
	a.addr[i] = addrSeen
	if a.m.ConstKindOf(v) == ir.ConstExpr && a.m.Const(v).Op == ir.OpAddrSpaceCast {
		u = castUse(a.m.AddrSpace(a.m.TypeOfConst(a.m.ConstOperands(v)[0])), a.m.AddrSpace(a.m.TypeOfConst(v)))
	}
	for _, o := range a.m.ConstOperands(v) {
		u |= a.constant(o)
	}
	a.addr[i] = u | addrSeen
	return u
}

// cast records the requirements of casts.
func (a *Module) cast(n *needs, u addrUse) {
	if u&addrPrivate != 0 {
		n.private = true
	}
	if u&addrAperture != 0 {
		a.aperture(n)
	}
}

// aperture records that the function needs the apertures of private and local
// memory, their addresses in the flat address space. Before gfx9 they are read
// from the queue or, from code object version 5 on, through the implicit
// arguments.
func (a *Module) aperture(n *needs) {
	if a.Target.Processor.Is(target.GFX9) {
		return
	}
	n.inputs |= 1 << a.queueInput()
}

// queueInput returns the input that locates the queue's properties.
func (a *Module) queueInput() Input {
	if a.Target.COV >= 5 {
		return ImplicitArgPtr
	}
	return QueuePtr
}

// TrapHandler reports whether a trap handler is installed for a function's
// code: the target has one and the function's own features do not disable it.
func (a *Module) TrapHandler(f *ir.Function) bool {
	on := a.Target.Triple.OS == target.AMDHSA && a.Target.Has(target.FeatureTrapHandler)
	features, _ := a.m.StringAttr(a.m.AttrsAt(f.Attributes, ir.AttrFunction), "target-features")
	own := true
	for x := range strings.SplitSeq(features, ",") {
		if name := strings.TrimLeft(x, "+-"); name == target.FeatureTrapHandler.String() {
			own = !strings.HasPrefix(x, "-")
		}
	}
	return on && own
}

// TrapInput returns the input through which a function obtains the queue
// address for the trap handler. It is false if the handler does not need the
// address: from gfx9 on, it reads the wave's doorbell (AMDGPU user guide, "Trap
// Handler ABI").
func (a *Module) TrapInput(f *ir.Function) (Input, bool) {
	return a.queueInput(), !a.Target.Processor.Is(target.GFX9) && a.TrapHandler(f)
}

func (a *Module) call(f *ir.Function, n *needs, v ir.Value) {
	callee := a.callee(f, v)
	if callee != nil && callee.Intrinsic != ir.NoIntrinsic {
		a.intrinsic(f, n, callee.Intrinsic)
		return
	}
	if a.m.Asm(f.Callee(v)) != nil {
		return
	}
	n.scratch = true
	if callee == nil || a.mayBeOther(callee) {
		n.unknown, n.private = true, true
		n.inputs |= a.CallInputs(f, v) &^ a.excluded(f.Attributes)
		return
	}
	n.callees = append(n.callees, callee)
}

func (a *Module) intrinsic(f *ir.Function, n *needs, id ir.Intrinsic) {
	if in, ok := byIntrinsic.Get()[id]; ok {
		n.inputs |= 1 << in
		return
	}
	switch id {
	case ir.IntrStacksave:
		n.scratch = true
	case ir.IntrAMDGCNIsShared, ir.IntrAMDGCNIsPrivate, ir.IntrAMDGCNAddrspacecastNonnull:
		a.aperture(n)
	case ir.IntrTrap, ir.IntrUbsantrap:
		if in, ok := a.TrapInput(f); ok {
			n.inputs |= 1 << in
		}
	}
}

// receives returns the inputs that a function can have.
func (a *Module) receives(f *ir.Function) Inputs {
	if f.CC.IsKernel() {
		return 1<<NumInputs - 1
	}
	return receivable(a.Target, f.CC)
}

// propagate adds the requirements of functions to their callers.
func (a *Module) propagate(list []*ir.Function) {
	work := append([]*ir.Function(nil), list...)
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		n := a.need[f]
		up := n.inputs & functionInputs
		for _, c := range n.callers {
			x := a.need[c]
			in := x.inputs | up&^a.excluded(c.Attributes)&a.receives(c)
			if in == x.inputs && x.private == (x.private || n.private) {
				continue
			}
			x.inputs, x.private = in, x.private || n.private
			work = append(work, c)
		}
	}
}
