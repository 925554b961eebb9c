package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Clusters of work-groups, asynchronous transfers and scalar prefetches of
// gfx12.5.

// bitsOf is a field of a trap temporary that the hardware sets.
type bitsOf struct{ ttmp, first, bits int }

// clusterFields maps intrinsics to fields. Source: LLVM, as observed.
var clusterFields = lazy.Value[map[ir.Intrinsic]bitsOf]{Make: func() map[ir.Intrinsic]bitsOf {
	return map[ir.Intrinsic]bitsOf{
		ir.IntrAMDGCNClusterIdX: {9, 0, 32}, ir.IntrAMDGCNClusterIdY: {7, 0, 16}, ir.IntrAMDGCNClusterIdZ: {7, 16, 16},
		ir.IntrAMDGCNClusterWorkgroupIdX: {6, 0, 4}, ir.IntrAMDGCNClusterWorkgroupIdY: {6, 4, 4}, ir.IntrAMDGCNClusterWorkgroupIdZ: {6, 8, 4},
		ir.IntrAMDGCNClusterWorkgroupMaxIdX: {6, 12, 4}, ir.IntrAMDGCNClusterWorkgroupMaxIdY: {6, 16, 4}, ir.IntrAMDGCNClusterWorkgroupMaxIdZ: {6, 20, 4},
		ir.IntrAMDGCNClusterWorkgroupMaxFlatId: {6, 24, 4},
	}
}}

// clusterID selects the intrinsics of clusterFields.
func (s *Selector) clusterID(v ir.Value, r *intrinsicRow) {
	f := clusterFields.Get()[r.id]
	t := mir.Phys(mir.TTMP0+mir.Reg(f.ttmp), 1)
	if at := s.env.Entry.At[abi.WorkGroupIDY]; r.id == ir.IntrAMDGCNClusterIdY && at.Reg != mir.NoReg && at.Bits == 0 {
		f.bits = 32
	}
	s.scalarField(s.regOf(v), t, f.first, f.bits)
}

// scalarField extracts bits of a scalar register.
func (s *Selector) scalarField(to mir.Reg, o mir.Operand, first, bits int) {
	switch {
	case bits == 32:
		s.putInstr(mir.Copy, 1, mir.R(to), o)
	case first == 0:
		s.salu(mir.SAndB32, to, o, mir.Imm(1<<bits-1))
	case first+bits == 32:
		s.salu(mir.SLshrB32, to, o, mir.Imm(int64(first)))
	default:
		s.salu(mir.SBfeU32, to, o, mir.Imm(int64(first|bits<<16)))
	}
}

// clusterFlatID selects cluster.workgroup.flat.id: bits 21 to 24 of the hardware
// register IB_STS2.
func (s *Selector) clusterFlatID(v ir.Value, r *intrinsicRow) {
	const field = 28 | 21<<6 | (4-1)<<11
	s.putInstr(mir.SGetregB32, 1, mir.R(s.regOf(v)), mir.Imm(field))
}

// asyncOps maps intrinsics to asynchronous transfers between global memory and
// LDS.
var asyncOps = lazy.Value[map[ir.Intrinsic]mir.Op]{Make: func() map[ir.Intrinsic]mir.Op {
	return map[ir.Intrinsic]mir.Op{
		ir.IntrAMDGCNGlobalLoadAsyncToLdsB8: mir.GlobalLoadAsyncToLdsB8, ir.IntrAMDGCNGlobalLoadAsyncToLdsB32: mir.GlobalLoadAsyncToLdsB32,
		ir.IntrAMDGCNGlobalLoadAsyncToLdsB64: mir.GlobalLoadAsyncToLdsB64, ir.IntrAMDGCNGlobalLoadAsyncToLdsB128: mir.GlobalLoadAsyncToLdsB128,
		ir.IntrAMDGCNClusterLoadAsyncToLdsB8: mir.ClusterLoadAsyncToLdsB8, ir.IntrAMDGCNClusterLoadAsyncToLdsB32: mir.ClusterLoadAsyncToLdsB32,
		ir.IntrAMDGCNClusterLoadAsyncToLdsB64: mir.ClusterLoadAsyncToLdsB64, ir.IntrAMDGCNClusterLoadAsyncToLdsB128: mir.ClusterLoadAsyncToLdsB128,
		ir.IntrAMDGCNGlobalStoreAsyncFromLdsB8: mir.GlobalStoreAsyncFromLdsB8, ir.IntrAMDGCNGlobalStoreAsyncFromLdsB32: mir.GlobalStoreAsyncFromLdsB32,
		ir.IntrAMDGCNGlobalStoreAsyncFromLdsB64: mir.GlobalStoreAsyncFromLdsB64, ir.IntrAMDGCNGlobalStoreAsyncFromLdsB128: mir.GlobalStoreAsyncFromLdsB128,
	}
}}

// asyncLDS selects an asynchronous transfer. The constant offset applies to both
// addresses, so no other one may be part of it. M0 holds the mask of the
// work-groups of a cluster.
func (s *Selector) asyncLDS(v ir.Value, r *intrinsicRow) {
	op := asyncOps.Get()[r.id]
	offset := s.constArg(v, 2)
	if offset < s.mem.globalMin || offset > s.mem.globalMax {
		s.unsupported(v, "%v with an offset of %d bytes", r.id, offset)
		return
	}
	global, local := s.vgpr(s.arg(v, 0)), s.vgpr(s.arg(v, 1))
	uses := []mir.Operand{global, mir.None, mir.Imm(offset), local}
	if s.out.M.Info(op).Slots[0].Field == isa.FieldVdst { // a load
		uses = []mir.Operand{local, global, mir.None, mir.Imm(offset)}
	}
	if args := s.f.Args(v); len(args) == 5 {
		uses = append(uses, s.inM0(s.scalar(args[4].Value)))
	}
	i := s.putInstr(op, 0, uses...)
	s.out.SetMods(i, s.bufferPolicy(s.constArg(v, 3)))
	s.bufferMem(i, v, mir.MemLoad|mir.MemStore)
}

// prefetchData selects s.prefetch.data and s.buffer.prefetch.data. The length is
// a constant of the instruction or in a register. A divergent address is not
// prefetched.
func (s *Selector) prefetchData(v ir.Value, r *intrinsicRow) {
	op, offset, length := mir.SPrefetchData, int64(0), s.arg(v, 1)
	if r.id == ir.IntrAMDGCNSBufferPrefetchData {
		op, offset, length = mir.SBufferPrefetchData, s.constArg(v, 1), s.arg(v, 2)
	}
	p := s.arg(v, 0)
	if space := s.m.AddrSpace(s.typeOf(p)); space == addrspace.Local || space == addrspace.Private {
		s.unsupported(v, "%v of address space %d", r.id, space)
	}
	if s.err != nil || p.IsLocal() && s.uniform.Divergent(p) {
		return
	}
	base := s.asReg(s.scalar(p), mir.FileS, s.dwords(s.typeOf(p)))
	register, n := mir.None, mir.Imm(0)
	if c, ok := s.intValue(length); ok {
		n = mir.Imm(int64(c & 31))
	} else {
		register = s.asReg(s.scalar(length), mir.FileS, 1)
	}
	s.out.SetFlags(s.putInstr(op, 0, base, register, mir.Imm(offset), n), mir.NoReorder)
}

// cooperativeScopes maps the names of synchronization scopes to the scopes of
// accesses, which several lanes make as one: agent or system, as in LLVM.
var cooperativeScopes = lazy.Value[map[string]ir.SyncScope]{Make: func() map[string]ir.SyncScope {
	return map[string]ir.SyncScope{"": ir.System, "agent": ir.Agent, "cluster": ir.Agent, "workgroup": ir.Agent, "wavefront": ir.Agent,
		"singlethread": ir.Agent}
}}

// cooperativeOrderings lists the orderings of C, which an argument selects.
var cooperativeOrderings = [...]ir.Ordering{ir.Monotonic, ir.Acquire, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}

// cooperativeAccess selects cooperative.atomic.load and cooperative.atomic.store:
// an atomic access of each lane, which the memory model orders. The arguments
// are the pointer, the value to store, the ordering and the name of the scope.
func (s *Selector) cooperativeAccess(v ir.Value, r *intrinsicRow) {
	args := s.f.Args(v)
	store := len(args) == 4
	ordering := s.constArg(v, len(args)-2)
	name, _ := s.metadataName(args[len(args)-1].Value)
	scope, ok := cooperativeScopes.Get()[name]
	p := s.arg(v, 0)
	m := s.memAddress(v, p)
	switch {
	case s.err != nil:
		return
	case !ok:
		s.unsupported(v, "%v with the scope %q", r.id, name)
		return
	case ordering < 0 || int(ordering) >= len(cooperativeOrderings):
		s.unsupported(v, "%v with the ordering %d", r.id, ordering)
		return
	case m.path != pathGlobal && m.path != pathFlat:
		s.unsupported(v, "%v with a pointer of address space %d", r.id, s.m.AddrSpace(s.typeOf(p)))
		return
	}
	flags, table, t := mir.MemLoad, &loadTable, s.f.TypeOf(v)
	if store {
		flags, table, t = mir.MemStore, &storeTable, s.typeOf(args[1].Value)
	}
	size := uint64(s.dwords(t)) * 4
	op := table[accessRow(size, false)][m.path]
	var i mir.Instr
	if store {
		i = s.putInstr(op, 0, append(m.operands, s.vgpr(args[1].Value))...)
	} else {
		i = s.putInstr(op, 1, append([]mir.Operand{mir.R(s.regOf(v))}, m.operands...)...)
	}
	mem := s.memOf(v, p, size, flags)
	mem.Ordering, mem.Scope, mem.Align = cooperativeOrderings[ordering], scope, uint32(size)
	s.setMem(i, mem)
}

// metadataName returns the string in a metadata node with one operand.
func (s *Selector) metadataName(x ir.Value) (string, bool) {
	if !x.IsMetadata() {
		return "", false
	}
	list := s.m.MDOperands(x.Metadata())
	if len(list) != 1 {
		return "", false
	}
	return s.m.MDString(list[0])
}

// tensorTransfer selects tensor.load.to.lds and tensor.store.from.lds. The
// arguments are two or four groups of the descriptor in scalar registers, and
// the cache policy.
func (s *Selector) tensorTransfer(v ir.Value, r *intrinsicRow) {
	op := mir.TensorLoadToLds
	if r.id == ir.IntrAMDGCNTensorStoreFromLds || r.id == ir.IntrAMDGCNTensorStoreFromLdsD2 {
		op = mir.TensorStoreFromLds
	}
	args := s.f.Args(v)
	uses := []mir.Operand{mir.None, mir.None, mir.None, mir.None}
	for n, a := range args[:len(args)-1] {
		uses[n] = s.asReg(s.scalar(a.Value), mir.FileS, s.dwords(s.typeOf(a.Value)))
	}
	i := s.putInstr(op, 0, uses...)
	s.out.SetMods(i, s.bufferPolicy(s.constArg(v, len(args)-1)))
	s.out.SetFlags(i, mir.NoReorder)
}
