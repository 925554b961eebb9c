package isel

import (
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
	if f.bits == 32 {
		s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), t)
		return
	}
	s.salu(mir.SBfeU32, s.regOf(v), t, mir.Imm(int64(f.first|f.bits<<16)))
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
