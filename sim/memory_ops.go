package sim

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/gfx-toolchain/gfx/isa"
)

// memCache remembers the regions that a wave's instructions met last, one for
// each instruction that shares its low bits of the address.
type memCache struct {
	last [8]*Region
	addr [64]uint64 // of lanes, while an instruction runs
}

// memInfo is what a memory instruction does, beside its operands.
type memInfo struct {
	bytes   uint8 // size of an element in memory
	signed  bool
	store   bool
	d16     uint8 // 1: the low half of a register, 2: the high one
	ret     bool
	lds     bool
	segment segment
	vdwords uint8 // size of the address in VGPRs
	atomic  any
	offset  int32
	vaddr   int32 // index of the vector address in wave.v, of a scalar base in wave.s
	saddr   int32 // index of a scalar address or offset in wave.s, negative for none
	data    int32 // index of the data in wave.v, of a scalar access in wave.s
	// access moves the data of lanes whose addresses are in w.mem.addr.
	access func(w *wave, m *memInfo, lanes uint64)
}

// segment is a part of the address space.
type segment uint8

const (
	segGlobal segment = iota
	segFlat           // any, by apertures
	segScratch
)

// region gives the region that holds size bytes from addr on, nil when there is
// none.
func (w *wave) region(addr, size uint64) *Region {
	slot := &w.mem.last[w.at&7]
	if r := *slot; r != nil && addr-r.Addr <= uint64(len(r.mem))-size && !r.freed.Load() {
		return r
	}
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

// scratchBase is where a wave's scratch memory is. Dword i of lane l is dword
// i*lanes+l of it.
type scratchBase struct {
	base   uint64 // address
	offset uint64 // from the start of the dispatch's scratch memory
	size   uint32 // bytes of a work-item
	mem    []byte
}

// scratchResource makes the buffer resource of scratch memory for the private segment buffer.
// Source: HSA ABI, "Private segment buffer"; AMD's ISA documents, "Buffer resource".
func (w *wave) scratchResource() [4]uint32 {
	l := w.group.launch
	if l.scratch == nil {
		return [4]uint32{}
	}
	base := l.scratch.Addr
	g := w.dev.set.Gen()
	index := uint32(3) // stride of 64 lanes
	if w.lanes == 32 {
		index = 2
	}
	r := [4]uint32{uint32(base), uint32(base>>32) | 1<<31, uint32(min(uint64(len(l.scratch.mem)), 0xffffffff)), index<<21 | 1<<23}
	switch {
	case g < isa.Gen9:
		r[3] |= 1<<19 | 4<<15 | 7<<12 // element of 4 bytes
	case g < isa.Gen10:
		r[3] |= 1<<19 | 4<<15 | 7<<12
	case g == isa.Gen10:
		r[3] |= 22<<12 | 1<<24 | 3<<28
	default:
		r[1] = uint32(base>>32) | 1<<30 // swizzle of 4 bytes
		r[3] |= 20<<12 | 3<<28
	}
	return r
}

// flatScratchInit is what the user SGPRs for flat scratch hold: before gfx9 the offset of the
// dispatch's scratch memory and the size of a work-item's, then its address.
func (w *wave) flatScratchInit() uint64 {
	l := w.group.launch
	if l.scratch == nil {
		return 0
	}
	if w.dev.set.Gen() < isa.Gen9 {
		return uint64(l.kernel.private) << 32
	}
	return l.scratch.Addr
}

// setFlatScratch sets FLAT_SCRATCH, which is SGPRs before gfx10.
func (w *wave) setFlatScratch(v uint64) {
	if w.dev.set.Gen() >= isa.Gen10 {
		w.flatScratch = v
		return
	}
	w.s[102], w.s[103] = uint32(v), uint32(v>>32)
}

// flatBase gives the address of the scratch memory that FLAT_SCRATCH says.
func (w *wave) flatBase() uint64 {
	switch g := w.dev.set.Gen(); {
	case g >= isa.Gen10:
		return w.flatScratch
	case g == isa.Gen8:
		if l := w.group.launch; l.scratch != nil {
			return l.scratch.Addr + uint64(w.s[103])<<8
		}
		return 0
	}
	return uint64(w.s[102]) | uint64(w.s[103])<<32
}

var le = binary.LittleEndian
