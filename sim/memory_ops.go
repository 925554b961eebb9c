package sim

import (
	"fmt"
	"unsafe"

	"github.com/gfx-toolchain/gfx/isa/sem"
)

// memCache remembers the regions that a wave's instructions met last, one for
// each instruction that shares its low bits of the address. The rest is room
// for an instruction while it runs.
type memCache struct {
	last  [8]*Region
	addr  [64]uint64     // addresses of lanes
	off   [64]uint32     // offsets of lanes in LDS, scratch memory or a buffer's record
	index [64]uint32     // records of lanes in a buffer
	list  [64]uint8      // lanes that are on
	room  [64]uint8      // how many dwords of a lane's access are in a buffer
	stage [4 * 64]uint32 // data that is not from or for VGPRs as it stands in memory
	conv  [4 * 64]uint32 // the same converted
	ctx   sem.Ctx        // under which the memory computes
	raw   memInfo        // a converting access to the memory
	priv  privateBuffer
}

// memInfo is what a memory instruction does, beside its operands.
type memInfo struct {
	bytes   uint8 // size of an element in memory
	signed  bool
	store   bool
	d16     uint8 // 1: the low half of a register, 2: the high one
	clear16 bool  // a 16-bit load clears the other half
	ret     bool  // an atomic gives the old value
	lds     bool  // data goes to LDS, or comes from there
	buffer  bool  // a scalar access goes through a buffer resource
	tfe     bool  // a register behind the data tells of failure
	segment segment
	vdwords uint8 // size of the address in VGPRs
	offset  int32
	vaddr   int32 // index of the vector address in wave.v, negative for none; of a scalar base in wave.s
	saddr   int32 // index of a scalar address or offset in wave.s, negative for none
	data    int32 // index of the data in wave.v, of a scalar access in wave.s
	dst     int32 // where an atomic gives the old value
	rmw     sem.AtomicKind
	atomic  *sem.AtomicRow
	buf     *bufferInfo
	wide    wideFunc
	mover   moverFunc // of a quick access
	// access moves the data of lanes whose addresses are in w.mem.addr to or from
	// registers at d.
	access func(w *wave, m *memInfo, lanes uint64, d []uint32)
	// slow carries out the instruction for some lanes.
	slow func(w *wave, m *memInfo, lanes uint64)
}

// segment is a part of the address space.
type segment uint8

const (
	segGlobal segment = iota
	segFlat           // any, by apertures
	segScratch
)

// verb names an access in messages.
func (m *memInfo) verb() string {
	switch {
	case m.atomic != nil:
		return "atomic"
	case m.store:
		return "store"
	}
	return "load"
}

// region gives the region that holds size bytes from addr on, nil when there is
// none.
func (w *wave) region(addr, size uint64) *Region {
	slot := &w.mem.last[w.at>>1&7]
	if r := *slot; r != nil && addr-r.Addr <= uint64(len(r.mem))-size && !r.freed.Load() {
		return r
	}
	return w.findRegion(slot, addr, size)
}

func (w *wave) findRegion(slot **Region, addr, size uint64) *Region {
	r := w.dev.Memory.Find(addr)
	if r == nil || addr-r.Addr > uint64(len(r.mem))-size {
		return nil
	}
	*slot = r
	return r
}

// at gives the host address of a byte of the region, which must be in it.
func (r *Region) at(addr uint64) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.mem)), addr-r.Addr)
}

// badAccess ends the wave: an address is not mapped.
func (w *wave) badAccess(what string, lane int, addr, size uint64) {
	w.failAt(FaultMemory, fmt.Sprintf("%s of %d bytes at %#x, which is not mapped", what, size, addr), lane, addr)
}

// lanesAt views the registers from an index of wave.v on; register i of lane l is element
// i*w.lanes+l.
func (w *wave) lanesAt(at int32) []uint32 { return w.v[at:] }

// register gives the lanes of register i of a tuple.
func (w *wave) register(at int32, i int) *[64]uint32 {
	return (*[64]uint32)(w.v[int(at)+i*w.lanes:])
}
