package sim

import (
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Asynchronous transfers between memory and LDS (gfx12.5). A VGPR holds each
// lane's LDS address, and the instruction's offset is added to both addresses.
// Like all memory operations, they execute immediately. Source: AMD's CDNA 5
// ISA, GLOBAL_LOAD_ASYNC_TO_LDS; LLVM, llvm.amdgcn.global.load.async.to.lds.

// asyncInfo describes the LDS side of a transfer.
type asyncInfo struct {
	addr  int32    // index in wave.v of the LDS addresses
	local *memInfo // access to LDS, in the other direction
}

// prepareAsync prepares a transfer of the given number of bytes per lane.
func prepareAsync(d *Device, o *op, access isa.Access, bytes uint8) bool {
	n := isa.Memory{Space: isa.SpaceGlobal, Access: access, Bytes: bytes}
	m := d.newMemInfo(&n, &o.in)
	field := isa.FieldVdst
	if m.store {
		field = isa.FieldVdata
	}
	p := reguse.FindOperand(&o.in, field)
	if p == nil {
		return false
	}
	v, ok := o.read(p, 0)
	if !ok || v.kind != inVGPR {
		return false
	}
	m.bindFlatAddress(&o.in)
	local := *m
	local.store, local.data = !m.store, -1
	m.async = &asyncInfo{addr: v.off, local: &local}
	m.data = -1
	o.mem, o.class, o.run, m.slow = m, m.class(), runGlobal, asyncLanes
	return true
}

// asyncLanes executes a transfer.
func asyncLanes(w *wave, m *memInfo, lanes uint64) {
	addr := w.register(m.async.addr, 0)
	for l := range w.lanes {
		w.mem.off[l] = addr[l] + uint32(m.offset)
	}
	stage := w.mem.stage[:]
	w.globalAddresses(m, lanes)
	if w.chk != nil {
		w.chk.async(w, m, lanes)
	}
	if m.store {
		clear(stage)
		w.ldsMove(m.async.local, lanes, stage)
		m.access(w, m, lanes, stage)
		return
	}
	m.access(w, m, lanes, stage)
	if w.fault == nil {
		w.ldsMove(m.async.local, lanes, stage)
	}
}

// async records the accesses of an asynchronous transfer to memory and to LDS.
func (c *waveCheck) async(w *wave, m *memInfo, lanes uint64) {
	a := m.vector(spaceGlobal, lanes)
	a.addr, a.data = &w.mem.addr, -1
	c.notify(w, &a)
	for l := range c.addr[:w.lanes] {
		c.addr[l] = uint64(w.mem.off[l])
	}
	c.notify(w, &memAccess{space: spaceLDS, kind: m.async.local.kind(), bytes: uint32(m.bytes), lanes: lanes, addr: &c.addr, data: -1, result: -1})
}

// Barriers in LDS (gfx12.5) are quadwords: the number of pending arrivals minus
// 1 in bits 28:0, the phase in bits 31:29, and the number that the next phase
// begins with in bits 60:32. Source: LLVM, lowering of amdgpu.ds_barrier_init.
const (
	ldsPending    = 1<<29 - 1
	ldsPhaseShift = 29
	ldsInitShift  = 32
)

// arriveLDS returns the state of a barrier in LDS after n arrivals. The arrival
// that finds no pending ones completes the phase.
func arriveLDS(state, n uint64) uint64 {
	pending, phase, first := state&ldsPending, state>>ldsPhaseShift&7, state>>ldsInitShift&ldsPending
	if n <= pending {
		return state - n
	}
	n -= pending + 1
	phase -= 1 + n/(first+1)
	return state&^(1<<ldsInitShift-1) | phase&7<<ldsPhaseShift | first - n%(first+1)
}

// prepareArrive returns the preparer of an arrival at a barrier in LDS: of the
// number in the data operand if the old state is returned, otherwise of one.
func prepareArrive(rtn bool) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.kind, x.bytes, x.dwords, x.rtn, x.run = dsAtomic, 8, 2, rtn, runDSAtomic64
		x.fn = func(_ *sem.Ctx, old, data, _ uint64) uint64 { return arriveLDS(old, data) }
		if !rtn {
			x.fn = func(_ *sem.Ctx, old, _, _ uint64) uint64 { return arriveLDS(old, 1) }
			o.src[1] = o.src[0]
		}
		return true
	}
}

// prepareCluster prepares a load for the work-groups of a cluster. Each cluster
// has one work-group, for which it is a plain load.
func prepareCluster(d *Device, o *op, bytes uint8) bool {
	n := isa.Memory{Space: isa.SpaceGlobal, Access: isa.AccessLoad, Bytes: bytes}
	m := d.newMemInfo(&n, &o.in)
	o.mem, o.class = m, m.class()
	if !o.bindMemData() {
		return false
	}
	m.bindFlatAddress(&o.in)
	o.run, m.slow = runGlobal, globalLanes
	return true
}
