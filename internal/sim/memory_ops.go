package sim

import (
	"fmt"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
)

// memCache caches the regions last accessed by the instructions of a wave and of
// those before it that used the same storage, indexed by the low bits of the
// instruction's address. The other fields are temporary storage for the current
// instruction.
type memCache struct {
	last  [8]*device.Region
	addr  [64]uint64     // address of each lane
	off   [64]uint32     // offset of each lane in LDS, scratch memory or a buffer record
	index [64]uint32     // buffer record of each lane
	list  [64]uint8      // active lanes
	room  [64]uint8      // number of in-range parts of each lane's buffer access
	stage [4 * 64]uint32 // data in memory format that is not loaded to or stored from VGPRs directly
	conv  [4 * 64]uint32 // converted data
	ctx   sem.Ctx        // context of memory atomics
	raw   memInfo        // raw access of a converting instruction
	priv  privateBuffer
	odd   bool // the last buffer access had address bits set that the hardware ignores
}

// memInfo holds the properties of a memory instruction other than its operands.
type memInfo struct {
	bytes      uint8 // size of an element in memory
	signed     bool
	store      bool
	d16        uint8 // 1: low half of a register, 2: high half
	clear16    bool  // a 16-bit load clears the other half
	ret        bool  // the atomic returns the old value
	lds        bool  // data is transferred to or from LDS
	buffer     bool  // the scalar access uses a buffer resource
	tfe        bool  // a status register follows the data
	weak       bool  // global memory is weak
	segment    segment
	vdwords    uint8 // address size in VGPRs
	scale      uint8 // factor of an address register that holds an offset; 0 for 1
	signed32   bool  // an address register that holds an offset of a scalar address is signed
	low        uint8 // low bits of addresses that the hardware ignores
	offset     int32
	far        uint64 // literal offset of a scalar access in bytes
	vaddr      int32  // index of the vector address in wave.v, negative for none; for scalar accesses, index of the base in wave.s
	saddr      int32  // index of the scalar address or offset in wave.s; negative for none
	data       int32  // index of the data in wave.v; in wave.s for scalar accesses
	dst        int32  // index of the atomic's result in wave.v
	rmw        sem.AtomicKind
	atomic     *sem.AtomicRow
	buf        *bufferInfo
	async      *asyncInfo          // of an asynchronous transfer to or from LDS
	parts      *[blockRegs]memInfo // of a block transfer, one per register
	transposed *transposed
	wide       lanes.WideFunc
	mover      lanes.MoveFunc // mover of the fast path
	// access transfers the data of lanes whose addresses are in w.mem.addr to
	// or from registers at d.
	access func(w *wave, m *memInfo, lanes uint64, d []uint32)
	// slow executes the instruction for the given lanes.
	slow func(w *wave, m *memInfo, lanes uint64)
}

// segment selects a part of the address space.
type segment uint8

const (
	segGlobal segment = iota
	segFlat           // selected by aperture
	segScratch
)

// verb returns the verb that describes the access in messages.
func (m *memInfo) verb() string {
	switch {
	case m.atomic != nil:
		return "atomic"
	case m.store:
		return "store"
	}
	return "load"
}

// region returns the region that contains size bytes at addr, or nil if none
// does.
func (w *wave) region(addr, size uint64) *device.Region {
	slot := &w.mem.last[w.at>>1&7]
	if r := *slot; r != nil && addr-r.Addr <= uint64(len(r.Pages()))-size && !r.Freed() {
		return r
	}
	return w.findRegion(slot, addr, size)
}

func (w *wave) findRegion(slot **device.Region, addr, size uint64) *device.Region {
	r := w.dev.Memory.Find(addr)
	if r == nil || addr-r.Addr > uint64(len(r.Pages()))-size {
		return nil
	}
	*slot = r
	return r
}

// hostAt returns the host address of a byte, which must be in the region.
func hostAt(r *device.Region, addr uint64) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.Pages())), addr-r.Addr)
}

// badAccess ends the wave with a fault for an unmapped address.
func (w *wave) badAccess(what string, lane int, addr, size uint64) {
	w.failAt(device.FaultMemory, fmt.Sprintf("%d-byte %s at unmapped address %#x", size, what, addr), lane, addr)
}

// lanesAt returns the registers from an index of wave.v on. Element i*w.lanes+l
// is register i of lane l.
func (w *wave) lanesAt(at int32) []uint32 { return w.v[at:] }

// register returns the lanes of register i of a tuple.
func (w *wave) register(at int32, i int) *[64]uint32 {
	return (*[64]uint32)(w.v[int(at)+i*w.lanes:])
}
