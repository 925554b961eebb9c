package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
)

// Memory accesses as observed by the checks of memory, races and
// initialization. Instructions call these functions, only for waves with
// checks, after the addresses are known and before data moves.

// space is an address space.
type space uint8

const (
	spaceGlobal  space = iota
	spaceLDS           // addresses are offsets in the work-group's allocation
	spaceScratch       // addresses are offsets in the work-item's allocation
)

// accessKind is the kind of a memory access.
type accessKind uint8

const (
	accessLoad accessKind = iota
	accessStore
	accessAtomic
)

var accessNames = [...]string{"load", "store", "atomic operation"}

// memAccess describes the access that the lanes of an instruction are about to
// perform. It is valid only during the call.
type memAccess struct {
	space  space
	kind   accessKind
	scalar bool // scalar instruction: lane 0 represents the wave
	odd    bool // addresses had low bits set that the hardware ignores
	signed bool // a small element is sign-extended
	part   bool // a small element is written to one half of its register, the other half is preserved
	shift  uint8
	piece  uint8  // part number, if the parts of an element are checked separately
	bytes  uint32 // per lane
	lanes  uint64
	addr   *[64]uint64
	data   int32 // index in wave.v (scalar: in wave.s) of the data; negative if not in registers
	result int32 // index of an atomic operation's result, like data
}

// accessChecker is a check that observes memory accesses.
type accessChecker interface {
	access(w *wave, a *memAccess)
}

// accessState holds the per-wave state of access checking.
type accessState struct {
	checks []accessChecker
	now    memAccess
	addr   [64]uint64
	quiet  bool  // a trial execution is running
	sgprs  int32 // number of SGPRs initialized by the launch
}

// notify reports an access to the checks.
func (c *waveCheck) notify(w *wave, a *memAccess) {
	if c.quiet || a.lanes == 0 || w.fault != nil {
		return
	}
	c.now = *a
	for _, x := range c.checks {
		x.access(w, &c.now)
	}
}

// vector returns the description of a vector memory instruction's access.
func (m *memInfo) vector(s space, lanes uint64) memAccess {
	a := memAccess{space: s, kind: m.kind(), signed: m.signed, bytes: uint32(m.bytes), lanes: lanes, data: m.data, result: -1}
	if m.d16 == 2 {
		a.shift = 16
	}
	a.part = m.d16 != 0 && !m.clear16
	if m.lds {
		a.data = -1
	}
	if m.atomic != nil && m.ret {
		a.result = m.dst
	}
	return a
}

func (m *memInfo) kind() accessKind {
	switch {
	case m.atomic != nil:
		return accessAtomic
	case m.store:
		return accessStore
	}
	return accessLoad
}

// lanes records an access by lanes to their addresses in w.mem.addr. For lanes
// of a flat instruction that access LDS, w.mem.off holds the LDS offset.
func (c *waveCheck) lanes(w *wave, m *memInfo, lanes uint64) {
	a := m.vector(spaceGlobal, lanes)
	a.addr = &w.mem.addr
	if m.segment == segFlat {
		a.lanes = c.flatLDS(w, m, lanes)
	}
	c.notify(w, &a)
	if m.lds && !m.store {
		c.direct(w, m, lanes, accessStore)
	}
}

// flatLDS records the LDS accesses of a flat instruction and returns the lanes
// that access global memory.
func (c *waveCheck) flatLDS(w *wave, m *memInfo, lanes uint64) (global uint64) {
	a := m.vector(spaceLDS, 0)
	a.addr = &c.addr
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		switch w.mem.addr[l] >> 32 {
		case device.GroupAperture >> 32:
			a.lanes |= 1 << l
			c.addr[l] = w.mem.addr[l] & (1<<32 - 1)
		case device.PrivateAperture >> 32: // scratch accesses are recorded by scratchLanes
		default:
			global |= 1 << l
		}
	}
	c.notify(w, &a)
	return global
}

// direct records the transfer of one dword per lane between memory and LDS.
func (c *waveCheck) direct(w *wave, m *memInfo, lanes uint64, kind accessKind) {
	base := w.ldsDirect(m)
	for l := range c.addr {
		c.addr[l] = base + uint64(l)*4
	}
	c.notify(w, &memAccess{space: spaceLDS, kind: kind, bytes: 4, lanes: lanes, addr: &c.addr, data: -1, result: -1})
}

// buffer records an access of n parts through a linear buffer resource to the
// addresses in w.mem.addr. whole holds the lanes with all parts in range, some
// the lanes with at least one.
func (c *waveCheck) buffer(w *wave, m *memInfo, whole, some uint64, n int) {
	if m.lds {
		kind := accessStore
		if m.store {
			kind = accessLoad
		}
		c.direct(w, m, whole, kind)
	}
	a := m.vector(spaceGlobal, whole)
	a.addr, a.odd = &w.mem.addr, w.mem.odd
	c.notify(w, &a)
	if some &^= whole; some == 0 {
		return
	}
	c.addr = w.mem.addr
	for i := range n {
		in := uint64(0)
		for rest := some; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest) & 63
			if int(w.mem.room[l]) > i {
				in |= 1 << l
			}
			w.mem.addr[l] = c.addr[l] + uint64(i)*4
		}
		c.piece(w, m, in, i)
	}
	w.mem.addr = c.addr
}

// piece records an access to dword i of an element.
func (c *waveCheck) piece(w *wave, m *memInfo, lanes uint64, i int) {
	a := m.vector(spaceGlobal, lanes)
	a.addr, a.bytes, a.piece, a.odd = &w.mem.addr, 4, uint8(i), w.mem.odd
	if a.data >= 0 {
		a.data += int32(i * w.lanes)
	}
	c.notify(w, &a)
}

// scratch records an access by lanes to their offsets in w.mem.off.
func (c *waveCheck) scratch(w *wave, m *memInfo, lanes uint64) {
	a := m.vector(spaceScratch, lanes)
	a.addr = &c.addr
	for l, off := range w.mem.off {
		c.addr[l] = uint64(off)
	}
	c.notify(w, &a)
}

// scalar records an access of a scalar instruction.
func (c *waveCheck) scalar(w *wave, m *memInfo, addr, bytes uint64) {
	a := memAccess{kind: m.kind(), scalar: true, bytes: uint32(bytes), lanes: 1, addr: &c.addr, data: m.data, result: -1}
	if m.atomic != nil && m.ret {
		a.result = m.data
	}
	a.odd = !m.buffer && w.s[m.vaddr]&uint32(m.low) != 0
	c.addr[0] = addr
	c.notify(w, &a)
}

// ldsWord records the load of one LDS value for all lanes.
func (c *waveCheck) ldsWord(w *wave, addr, bytes uint32) {
	c.addr[0] = uint64(addr)
	c.notify(w, &memAccess{space: spaceLDS, bytes: bytes, lanes: 1, addr: &c.addr, data: -1, result: -1})
}

// dsKinds maps the kinds of DS instructions to access kinds.
var dsKinds = [...]accessKind{dsRead: accessLoad, dsWrite: accessStore, dsAtomic: accessAtomic}

// ds records the LDS accesses of a DS instruction.
func (c *waveCheck) ds(w *wave, o *op) {
	x := o.ds
	if x.kind == dsNone || x.kind == dsStack || x.gds || c.quiet {
		return
	}
	a := memAccess{space: spaceLDS, kind: dsKinds[x.kind], signed: x.up != 0, part: x.keep != 0, shift: x.half,
		bytes: uint32(x.bytes), lanes: w.exec(), addr: &c.addr, data: -1, result: -1}
	switch {
	case x.uniform:
		c.addr[0] = uint64(w.uniformAddress(x))
		a.lanes = 1
		c.notify(w, &a)
	case x.src2:
		c.dsSrc2(w, o, &a)
	case x.addtid:
		for l := range c.addr {
			c.addr[l] = uint64(x.off[0] + w.m0()&0xffff + uint32(l)*4)
		}
		c.dsElement(w, o, &a, 0)
	default:
		addr := w.register(o.src[0].off, 0)
		for e := range int(x.count) {
			for l := range c.addr[:w.lanes] {
				at := addr[l] + x.off[e]
				a.odd = a.odd || at&^x.mask != 0 && a.lanes>>l&1 != 0
				c.addr[l] = uint64(at & x.mask)
			}
			c.dsElement(w, o, &a, e)
		}
	}
}

// dsOutside records accesses whose address registers are out of range, whatever
// the offset is.
func (c *waveCheck) dsOutside(w *wave, o *op, lanes uint64) {
	addr := w.register(o.src[0].off, 0)
	for l := range c.addr[:w.lanes] {
		c.addr[l] = uint64(addr[l])
	}
	c.notify(w, &memAccess{space: spaceLDS, kind: dsKinds[o.ds.kind], bytes: uint32(o.ds.bytes), lanes: lanes, addr: &c.addr, data: -1, result: -1})
}

// dsElement records the access to element e of each lane of a DS instruction.
func (c *waveCheck) dsElement(w *wave, o *op, a *memAccess, e int) {
	regs := int32(e*int(o.ds.dwords)) * int32(w.lanes)
	switch {
	case a.kind == accessLoad:
		a.data = o.dst.off + regs
	default:
		a.data = o.src[1+e].off
		if o.ds.rtn {
			a.result = o.dst.off + regs
		}
	}
	c.notify(w, a)
}

// dsSrc2 records the accesses of an instruction whose second operand is also in
// LDS.
func (c *waveCheck) dsSrc2(w *wave, o *op, a *memAccess) {
	addr := w.register(o.src[0].off, 0)
	var to [64]uint64
	for l := range c.addr[:w.lanes] {
		first, second := o.ds.src2Addresses(addr[l])
		to[l], c.addr[l] = uint64(first), uint64(second)
	}
	kind := a.kind
	a.kind = accessLoad
	c.notify(w, a)
	c.addr, a.kind = to, kind
	c.notify(w, a)
}
