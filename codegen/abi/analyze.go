package abi

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// functionInputs are what functions can expect from their callers, wherever they are.
const functionInputs = 1<<DispatchPtr | 1<<QueuePtr | 1<<DispatchID | 1<<ImplicitArgPtr | 1<<LDSKernelID |
	workGroupIDs | workItemIDs

const (
	workGroupIDs = 1<<WorkGroupIDX | 1<<WorkGroupIDY | 1<<WorkGroupIDZ
	workItemIDs  = 1<<WorkItemIDX | 1<<WorkItemIDY | 1<<WorkItemIDZ
)

// Module says what the functions of a module need.
type Module struct {
	Target *target.Target
	m      *ir.Module
	need   map[*ir.Function]*needs
	addr   []addrUse // by the index of a constant
}

// needs is what is known about a function with a body.
type needs struct {
	inputs  Inputs
	scratch bool // there are stack objects or calls: it needs a stack whatever selection finds
	private bool // it may access private memory by flat addresses
	unknown bool // it calls what is not known
	callees []*ir.Function
	callers []*ir.Function
	entry   *Entry
}

// addrUse is what was found out about a constant: which apertures casts in it need.
type addrUse uint8

const (
	addrSeen addrUse = 1 << iota
	addrAperture
	addrPrivate
)

// absent are the attributes by which a function or a call promises that nothing behind it needs an input.
var absent = [...]struct {
	attr  string
	input Input
}{
	{"amdgpu-no-dispatch-ptr", DispatchPtr}, {"amdgpu-no-queue-ptr", QueuePtr}, {"amdgpu-no-dispatch-id", DispatchID},
	{"amdgpu-no-implicitarg-ptr", ImplicitArgPtr}, {"amdgpu-no-lds-kernel-id", LDSKernelID},
	{"amdgpu-no-workgroup-id-x", WorkGroupIDX}, {"amdgpu-no-workgroup-id-y", WorkGroupIDY}, {"amdgpu-no-workgroup-id-z", WorkGroupIDZ},
	{"amdgpu-no-workitem-id-x", WorkItemIDX}, {"amdgpu-no-workitem-id-y", WorkItemIDY}, {"amdgpu-no-workitem-id-z", WorkItemIDZ},
}

// byIntrinsic says which input an intrinsic gives.
var byIntrinsic = lazy.Value[map[ir.Intrinsic]Input]{Make: func() map[ir.Intrinsic]Input {
	return map[ir.Intrinsic]Input{
		ir.IntrAMDGCNDispatchPtr: DispatchPtr, ir.IntrAMDGCNQueuePtr: QueuePtr, ir.IntrAMDGCNDispatchId: DispatchID,
		ir.IntrAMDGCNKernargSegmentPtr: KernargSegmentPtr, ir.IntrAMDGCNImplicitargPtr: ImplicitArgPtr, ir.IntrAMDGCNLdsKernelId: LDSKernelID,
		ir.IntrAMDGCNWorkgroupIdX: WorkGroupIDX, ir.IntrAMDGCNWorkgroupIdY: WorkGroupIDY, ir.IntrAMDGCNWorkgroupIdZ: WorkGroupIDZ,
		ir.IntrAMDGCNWorkitemIdX: WorkItemIDX, ir.IntrAMDGCNWorkitemIdY: WorkItemIDY, ir.IntrAMDGCNWorkitemIdZ: WorkItemIDZ,
	}
}}

// Analyze finds out what each function of a module with a body needs, what it calls included.
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

// Entry gives where a function with a body finds its inputs. That of a kernel asks for scratch memory when
// the function has stack objects or calls; when it turns out later that it does or does not need any, Entry.WithScratch
// tells what changes.
func (a *Module) Entry(f *ir.Function) *Entry { return a.need[f].entry }

// Inputs gives what a function needs: of one without a body, all that its attributes do not exclude.
func (a *Module) Inputs(f *ir.Function) Inputs {
	if n := a.need[f]; n != nil {
		return n.inputs
	}
	return functionInputs &^ a.excluded(f.Attributes)
}

// CallInputs gives what the callee of a call expects from its caller.
func (a *Module) CallInputs(f *ir.Function, call ir.Value) Inputs {
	out := a.excluded(f.CallAttrs(call))
	if c := a.callee(f, call); c != nil && !a.mayBeOther(c) {
		return a.Inputs(c) & functionInputs &^ out
	}
	if c := a.callee(f, call); c != nil {
		out |= a.excluded(c.Attributes)
	}
	return functionInputs &^ out
}

// Callees gives the functions with a body that a function calls directly, and whether it calls others, too.
func (a *Module) Callees(f *ir.Function) (known []*ir.Function, others bool) {
	n := a.need[f]
	return n.callees, n.unknown
}

// callee gives the function that a call names, if need be by an alias, nil for another callee.
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

// mayBeOther reports whether another function may be in a function's place when the program runs.
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

// excluded gives the inputs that attributes promise not to need.
func (a *Module) excluded(l ir.AttrList) (out Inputs) {
	set := a.m.AttrsAt(l, ir.AttrFunction)
	for _, x := range absent {
		if _, ok := a.m.StringAttr(set, x.attr); ok {
			out |= 1 << x.input
		}
	}
	return out
}

// scan looks at the instructions of a function.
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

// Address spaces of private and of local memory.
const (
	spaceLocal   = 3
	spacePrivate = 5
)

// castUse says what a cast between address spaces needs.
func castUse(from, to uint32) addrUse {
	switch {
	case to != 0:
		return 0
	case from == spacePrivate:
		return addrAperture | addrPrivate
	case from == spaceLocal:
		return addrAperture
	}
	return 0
}

// constant gives what the casts in a constant need.
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

// cast notes what casts need.
func (a *Module) cast(n *needs, u addrUse) {
	if u&addrPrivate != 0 {
		n.private = true
	}
	if u&addrAperture != 0 {
		a.aperture(n)
	}
}

// aperture notes that the addresses at which private and local memory are in the flat address space are needed. Before gfx9 they are
// in memory that the queue or, from code object version 5 on, the implicit arguments tell of.
func (a *Module) aperture(n *needs) {
	if a.Target.Processor.Is(target.GFX9) {
		return
	}
	n.inputs |= 1 << a.queueInput()
}

// queueInput gives the input by which what belongs to the queue is found.
func (a *Module) queueInput() Input {
	if a.Target.COV >= 5 {
		return ImplicitArgPtr
	}
	return QueuePtr
}

// TrapHandler reports whether a trap handler is installed for the code of a function: the target has one, and the function's own features do not
// switch it off.
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

// TrapInput returns the input through which a function finds the address of the queue for the trap handler. It is false where the handler does not
// need that: from gfx9 on it asks for the wave's doorbell (AMDGPU user guide, "Trap Handler ABI").
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

// propagate takes the needs of functions to their callers.
func (a *Module) propagate(list []*ir.Function) {
	work := append([]*ir.Function(nil), list...)
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		n := a.need[f]
		up := n.inputs & functionInputs
		for _, c := range n.callers {
			x := a.need[c]
			in := x.inputs | up&^a.excluded(c.Attributes)
			if in == x.inputs && x.private == (x.private || n.private) {
				continue
			}
			x.inputs, x.private = in, x.private || n.private
			work = append(work, c)
		}
	}
}
