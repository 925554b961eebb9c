package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// ldsLoads maps sizes in bytes to loads into LDS: from global memory and
// through a resource.
var ldsLoads = lazy.Value[map[int64][2]mir.Op]{Make: func() map[int64][2]mir.Op {
	return map[int64][2]mir.Op{
		1: {mir.GlobalLoadLdsUbyte, mir.BufferLoadLdsU8}, 2: {mir.GlobalLoadLdsUshort, mir.BufferLoadLdsU16}, 4: {mir.GlobalLoadLdsDword, mir.BufferLoadLdsB32},
		12: {mir.GlobalLoadLdsDwordx3, mir.BufferLoadLdsB96}, 16: {mir.GlobalLoadLdsDwordx4, mir.BufferLoadLdsB128},
	}
}}

// ldsLoad returns the load into LDS for a size.
func (s *Selector) ldsLoad(v ir.Value, n, which int) mir.Op {
	size := s.constArg(v, n)
	op := ldsLoads.Get()[size][which]
	if op == mir.OpNone || !s.out.M.Has(op) {
		s.unsupported(v, "%v of %d bytes on %v", s.f.CalledIntrinsic(v), size, s.out.M.Set)
		return mir.OpNone
	}
	return op
}

// bufferLoadLDS selects raw.buffer.load.lds and similar intrinsics. M0 holds
// the LDS address.
func (s *Selector) bufferLoadLDS(v ir.Value, r *intrinsicRow) {
	op := s.ldsLoad(v, 2, 1)
	a := bufferArgs{data: -1, compare: -1, rsrc: 0, index: -1, offset: 3, soffset: 4, immOffset: 5, format: -1, aux: 6}
	if isStructured(r.id) {
		a.index, a.offset, a.soffset, a.immOffset, a.aux = 3, 4, 5, 6, 7
	}
	x := s.resourceAddress(v, &a)
	if s.err != nil {
		return
	}
	m0 := s.inM0(s.scalar(s.arg(v, 1)))
	i := s.putInstr(op, 0, x.ops[0], x.ops[1], x.ops[2], x.ops[3], m0)
	s.out.SetMods(i, x.mods)
	s.bufferMem(i, v, mir.MemLoad|mir.MemStore)
}

// globalLoadLDS selects global.load.lds, and load.to.lds from global memory.
func (s *Selector) globalLoadLDS(v ir.Value, r *intrinsicRow) {
	op := s.ldsLoad(v, 2, 0)
	p := s.arg(v, 0)
	if space := s.m.AddrSpace(s.typeOf(p)); space != addrspace.Global && space != addrspace.Constant {
		s.unsupported(v, "%v from address space %d", r.id, space)
	}
	if s.err != nil {
		return
	}
	m := s.memAddress(v, p)
	m.operands[2].Imm += s.constArg(v, 3)
	if off := m.operands[2].Imm; off < s.mem.globalMin || off > s.mem.globalMax {
		s.unsupported(v, "%v with an offset of %d bytes", r.id, off)
		return
	}
	m0 := s.inM0(s.scalar(s.arg(v, 1)))
	i := s.putInstr(op, 0, m.operands[0], m.operands[1], m.operands[2], m0)
	s.out.SetMods(i, s.bufferPolicy(s.constArg(v, 4)))
	s.bufferMem(i, v, mir.MemLoad|mir.MemStore)
}

// appendConsume selects ds.append and ds.consume. M0 holds the address of the
// counter.
func (s *Selector) appendConsume(v ir.Value, r *intrinsicRow) {
	op := mir.DsAppend
	if r.id == ir.IntrAMDGCNDsConsume {
		op = mir.DsConsume
	}
	p := s.arg(v, 0)
	space := s.m.AddrSpace(s.typeOf(p))
	if space != addrspace.Local && (space != addrspace.Region || !s.set.Has(isa.PropGds)) {
		s.unsupported(v, "%v in address space %d", r.id, space)
		return
	}
	a := s.address(p)
	off := splitOffset(&a, 0, 65535)
	base := s.sum32(s.base32(&a), a.terms, a.offset)
	if base.Kind == mir.KindReg {
		base = s.asReg(base, mir.FileS, 1)
	}
	i := s.putInstr(op, 1, mir.R(s.regOf(v)), mir.Imm(off), s.inM0(base))
	if space == addrspace.Region {
		s.out.SetMods(i, mir.GDS)
	}
	s.out.SetMem(i, s.memOf(v, p, 4, mir.MemLoad|mir.MemStore))
}

// gwsOps maps intrinsics to the operations of global wave sync.
var gwsOps = lazy.Value[map[ir.Intrinsic]mir.Op]{Make: func() map[ir.Intrinsic]mir.Op {
	return map[ir.Intrinsic]mir.Op{
		ir.IntrAMDGCNDsGwsInit: mir.DsGwsInit, ir.IntrAMDGCNDsGwsBarrier: mir.DsGwsBarrier, ir.IntrAMDGCNDsGwsSemaBr: mir.DsGwsSemaBr,
		ir.IntrAMDGCNDsGwsSemaP: mir.DsGwsSemaP, ir.IntrAMDGCNDsGwsSemaV: mir.DsGwsSemaV, ir.IntrAMDGCNDsGwsSemaReleaseAll: mir.DsGwsSemaReleaseAll,
	}
}}

// gws selects global wave sync. The resource number is the offset plus bits 16
// to 21 of M0. The wave then waits for the instruction: this synchronizes it.
func (s *Selector) gws(v ir.Value, r *intrinsicRow) {
	op := gwsOps.Get()[r.id]
	if !s.out.M.Has(op) {
		s.unsupported(v, "%v on %v", r.id, s.out.M.Set)
		return
	}
	args := s.f.Args(v)
	var uses []mir.Operand
	if len(args) == 2 {
		uses = append(uses, s.gwsValue(args[0].Value))
	}
	id := args[len(args)-1].Value
	if n, ok := s.intValue(id); ok {
		uses = append(uses, mir.Imm(int64(n)), s.inM0(mir.Imm(0)))
	} else {
		d := s.newS(1)
		s.salu(mir.SLshlB32, d, s.sgpr(id), mir.Imm(16))
		uses = append(uses, mir.Imm(0), s.inM0(mir.R(d)))
	}
	i := s.putInstr(op, 0, uses...)
	s.out.SetMods(i, mir.GDS)
	s.out.SetFlags(i, mir.NoReorder)
	s.out.SetFlags(s.putInstr(mir.SWaitcnt, 0, mir.Imm(0)), mir.NoReorder) // all counters of every generation that has the instructions
}

// gwsValue returns the number of waves for global wave sync. Where registers of
// tuples are even, its register is, too: the hardware reads two.
func (s *Selector) gwsValue(x ir.Value) mir.Operand {
	o := s.vgpr(x)
	if !s.set.Has(isa.PropEvenTuples) {
		return o
	}
	even := mir.Phys(mir.VGPR0, 1)
	s.putInstr(mir.Copy, 1, even, o)
	return even
}
