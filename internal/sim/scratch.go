package sim

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Scratch memory: dword i of lane l is dword i*lanes+l of the wave's
// allocation. Sources: User Guide for AMDGPU Backend, "Flat Scratch" and
// "Private Segment Buffer"; AMD's ISA documents, "Scratch".

// scratchBase describes the location of a wave's scratch memory.
type scratchBase struct {
	base   uint64 // address
	offset uint64 // offset from the start of the dispatch's scratch memory
	size   uint32 // bytes per work-item
	mem    []byte
}

// scratchResource returns the private segment buffer: the buffer resource of
// scratch memory. Source: HSA ABI, "Private segment buffer"; AMD's ISA
// documents, "Buffer resource".
func (l *launch) scratchResource() [4]uint32 {
	if l.scratch == nil {
		return [4]uint32{}
	}
	base := l.scratch.Addr
	index := uint32(3) // index stride: 64 lanes
	if l.kernel.lanes == 32 {
		index = 2
	}
	r := [4]uint32{uint32(base), uint32(base>>32) | 1<<31, uint32(min(uint64(len(l.scratch.Pages())), 0xffffffff)), index<<21 | 1<<23}
	switch s := l.dev.set; {
	case !isa.HasUnifiedFormat(s):
		r[3] |= 1<<19 | 4<<15 | 7<<12 // 4-byte elements
	case s.Gen() == isa.Gen10:
		r[3] |= 22<<12 | 1<<24 | 3<<28
	default:
		r[1] = uint32(base>>32) | 1<<30 // 4-byte swizzle
		r[3] |= 20<<12 | 3<<28
	}
	return r
}

// flatScratchInit returns the value of the flat scratch user SGPRs. Before gfx9
// it is the offset of the dispatch's scratch memory and the size per work-item;
// later it is the memory's address.
func (w *wave) flatScratchInit() uint64 {
	l := w.group.launch
	if l.scratch == nil {
		return 0
	}
	if !w.dev.set.Has(isa.PropFlatScratchAddress) {
		return uint64(l.kernel.private) << 32
	}
	return l.scratch.Addr
}

// setFlatScratch sets FLAT_SCRATCH, which is in SGPRs before gfx10.
func (w *wave) setFlatScratch(v uint64) {
	if w.dev.set.Has(isa.PropFlatScratchReg) {
		w.flatScratch = v
		return
	}
	if at := reguse.FlatScratchCode(w.dev.set); at >= 0 {
		w.setPair(at, v)
	}
}

// flatBase returns the address of the scratch memory that FLAT_SCRATCH selects.
func (w *wave) flatBase() uint64 {
	switch s := w.dev.set; {
	case s.Has(isa.PropFlatScratchReg):
		return w.flatScratch
	case !s.Has(isa.PropFlatScratchAddress):
		if l := w.group.launch; l.scratch != nil {
			return l.scratch.Addr + uint64(w.s[reguse.FlatScratchCode(s)+1])<<8
		}
		return 0
	}
	return w.pair(reguse.FlatScratchCode(w.dev.set))
}

// overrun ends the wave with a fault for a lane's access outside its scratch
// memory.
func (w *wave) overrun(m *memInfo, lane int, off uint32) {
	w.failAt(device.FaultStack, fmt.Sprintf("%d-byte %s at offset %#x is outside the work-item's scratch memory (%d bytes)",
		m.bytes, m.verb(), off, w.scratch.size), lane, device.PrivateAperture|uint64(off))
}

// runScratch executes a scratch instruction.
func runScratch(w *wave, o *op) {
	exec := w.exec()
	if exec == 0 {
		return
	}
	m := o.mem
	if m.vaddr < 0 && exec == w.all && w.chk == nil && w.scratchLine(m, w.scratchOffset(m), w.flatBase()) {
		return
	}
	w.scratchOffsets(m)
	w.scratchLanes(m, exec, w.flatBase())
}

// scratchOffset returns the part of the offset that all lanes share.
func (w *wave) scratchOffset(m *memInfo) uint32 {
	off := uint32(m.offset)
	if m.saddr >= 0 {
		off += w.s[m.saddr]
	}
	return off
}

// scratchOffsets sets w.mem.off to the offsets of all lanes.
func (w *wave) scratchOffsets(m *memInfo) {
	off := w.scratchOffset(m)
	if m.vaddr < 0 {
		for l := range w.mem.off {
			w.mem.off[l] = off
		}
		return
	}
	v, scale := w.register(m.vaddr, 0), uint32(max(m.scale, 1))
	for l := range w.lanes {
		w.mem.off[l&63] = off + v[l&63]*scale
	}
}

// scratchLine transfers whole registers to or from an offset shared by all
// lanes. It returns false if this fast path does not apply.
func (w *wave) scratchLine(m *memInfo, off uint32, base uint64) bool {
	n := uint64(m.bytes)
	if base != w.scratch.base || n&3 != 0 || m.lds || off&3 != 0 || uint64(off)+n > uint64(w.scratch.size) {
		return false
	}
	row := w.lanes * 4
	mem := w.scratch.mem[int(off/4)*row:][:int(n/4)*row]
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), len(mem)/4)
	d := w.lanesAt(m.data)[:len(words)]
	if m.store {
		copy(words, d)
	} else {
		copy(d, words)
	}
	return true
}

// scratchLanes transfers the data of lanes whose offsets are in w.mem.off.
func (w *wave) scratchLanes(m *memInfo, lanes uint64, base uint64) {
	list := w.laneList(lanes)
	far, low := uint32(0), uint32(0)
	for _, l := range list {
		off := w.mem.off[l&63]
		far, low = max(far, off), low|off
	}
	if uint64(far)+uint64(m.bytes) > uint64(w.scratch.size) {
		w.findOverrun(m, list)
		return
	}
	if w.chk != nil {
		w.chk.scratch(w, m, lanes)
	}
	switch {
	case m.atomic != nil:
		w.scratchAtomics(m, lanes, base)
	case m.lds:
		w.scratchMove(m, lanes, base, w.mem.stage[:])
		w.stageToLDS(m, lanes, lanes)
	case base == w.scratch.base && m.bytes >= 4 && low&3 == 0:
		w.scratchDwords(m, list)
	default:
		w.scratchMove(m, lanes, base, w.lanesAt(m.data))
	}
}

// findOverrun ends the wave with a fault for the first lane outside its scratch
// memory.
func (w *wave) findOverrun(m *memInfo, list []uint8) {
	for _, l := range list {
		if off := w.mem.off[l&63]; uint64(off)+uint64(m.bytes) > uint64(w.scratch.size) {
			w.overrun(m, int(l), off)
			return
		}
	}
}

// scratchDwords transfers aligned dwords to or from the wave's own scratch
// memory.
func (w *wave) scratchDwords(m *memInfo, list []uint8) {
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&w.scratch.mem[0])), len(w.scratch.mem)/4)
	n := w.lanes
	for i := range int(m.bytes) / 4 {
		d := w.register(m.data, i)
		row := words[i*n:]
		if m.store {
			for _, l := range list {
				row[int(w.mem.off[l&63]>>2)*n+int(l)] = d[l&63]
			}
			continue
		}
		for _, l := range list {
			d[l&63] = row[int(w.mem.off[l&63]>>2)*n+int(l)]
		}
	}
}

// dwordAccess holds a load and a store of one dword.
var dwordAccess = [2]memInfo{{bytes: 4, access: loadDword}, {bytes: 4, store: true, access: storeDword}}

// dword returns the access to a single dword in the same direction.
func (m *memInfo) dword() *memInfo {
	if m.store {
		return &dwordAccess[1]
	}
	return &dwordAccess[0]
}

// scratchMove transfers data to or from registers at d, dword by dword, or byte
// by byte if misaligned.
func (w *wave) scratchMove(m *memInfo, lanes uint64, base uint64, d []uint32) {
	unaligned := uint64(0)
	align := uint32(min(m.bytes, 4)) - 1
	n := uint64(w.lanes) * 4
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		off := w.mem.off[l]
		if off&align != 0 {
			unaligned |= 1 << l
		}
		w.mem.addr[l] = w.scratchAddress(base, off, l)
	}
	lanes &^= unaligned
	if unaligned != 0 {
		w.scratchBytes(m, unaligned, base, d)
	}
	if lanes == 0 {
		return
	}
	if m.bytes < 4 {
		accessOf(m)(w, m, lanes, d)
		return
	}
	part := m.dword()
	for i := range int(m.bytes) / 4 {
		if i > 0 {
			for l := range w.mem.addr {
				w.mem.addr[l] += n
			}
		}
		part.access(w, part, lanes, d[i*w.lanes:])
	}
}

// scratchAddress returns the address of a byte of a lane's scratch memory.
func (w *wave) scratchAddress(base uint64, off uint32, l int) uint64 {
	return base + uint64(off&^3)*uint64(w.lanes) + uint64(l)*4 + uint64(off&3)
}

// scratchBytes transfers lanes' data byte by byte.
func (w *wave) scratchBytes(m *memInfo, lanes uint64, base uint64, d []uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		var b [16]byte
		if m.store {
			m.pack(&b, d, l, w.lanes)
		}
		for i := range int(m.bytes) {
			addr := w.scratchAddress(base, w.mem.off[l]+uint32(i), l)
			r := w.region(addr, 1)
			if r == nil {
				w.badAccess(m.verb(), l, addr, 1)
				return
			}
			if p := (*byte)(hostAt(r, addr)); m.store {
				*p = b[i]
			} else {
				b[i] = *p
			}
		}
		if !m.store {
			m.unpack(&b, d, l, w.lanes)
		}
	}
}

// pack stores a lane's element from registers to bytes. unpack is the inverse.
func (m *memInfo) pack(b *[16]byte, d []uint32, l, lanes int) {
	if m.bytes < 4 {
		binary.LittleEndian.PutUint32(b[:], d[l]>>(m.d16&2*8))
		return
	}
	for i := range int(m.bytes) / 4 {
		binary.LittleEndian.PutUint32(b[i*4:], d[i*lanes+l])
	}
}

func (m *memInfo) unpack(b *[16]byte, d []uint32, l, lanes int) {
	if m.bytes < 4 {
		m.writeSubword(&d[l], binary.LittleEndian.Uint32(b[:])&(1<<(m.bytes*8)-1))
		return
	}
	for i := range int(m.bytes) / 4 {
		d[i*lanes+l] = binary.LittleEndian.Uint32(b[i*4:])
	}
}
