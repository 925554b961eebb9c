package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// LDS accesses by flat instructions through the LDS aperture, and by loads from
// memory to LDS. Reads outside the work-group's allocation return 0, writes are
// dropped.

// ldsAt returns the host address of size bytes of LDS, or nil if they are not
// all allocated.
func (g *group) ldsAt(off uint64, size int) unsafe.Pointer {
	if off+uint64(size) > uint64(len(g.lds)) {
		return nil
	}
	return unsafe.Pointer(&g.lds[off])
}

var zeroDword uint32

// ldsMove transfers the data of lanes whose offsets are in w.mem.off, one dword
// at a time.
func (w *wave) ldsMove(m *memInfo, lanes uint64, d []uint32) {
	part, n := m, 1
	if m.bytes > 4 {
		part, n = m.dword(), int(m.bytes)/4
	}
	size := int(part.bytes)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		for i := range n {
			p := w.group.ldsAt(uint64(w.mem.off[l])+uint64(i)*4, size)
			switch {
			case p != nil && m.store:
				part.save(p, d[i*w.lanes+l:], 0)
			case p != nil:
				part.load(p, d[i*w.lanes+l:], 0)
			case !m.store:
				part.load(unsafe.Pointer(&zeroDword), d[i*w.lanes+l:], 0)
			}
		}
	}
}

// ldsDirect returns lane 0's LDS offset for instructions that transfer data
// between memory and LDS. It is computed from M0 and the instruction's offset.
// Lanes follow each other, with all their dwords. Source: AMD's ISA documents, "Memory Buffer Load to
// LDS".
func (w *wave) ldsDirect(m *memInfo) uint64 {
	mask := uint32(0xffff)
	if w.dev.set.Gen() == isa.Gen940 {
		mask = 0x3fffc
	}
	return uint64(uint32(int32(w.m0()&mask) + m.offset))
}

// ldsDwords returns the number of dwords that an instruction transfers between
// memory and LDS for each lane.
func (m *memInfo) ldsDwords() int { return max(int(m.bytes)/4, 1) }

// stageToLDS stores the dwords in w.mem.stage to LDS. Lanes not in ok store 0.
func (w *wave) stageToLDS(m *memInfo, lanes, ok uint64) {
	base := w.ldsDirect(m)
	n := m.ldsDwords()
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		for i := range n {
			p := w.group.ldsAt(base+uint64(l*n+i)*4, 4)
			if p == nil {
				continue
			}
			v := w.mem.stage[i*w.lanes+l]
			if ok>>l&1 == 0 && n == 1 {
				v = 0
			}
			store32(p, v)
		}
	}
}

// ldsToStage loads dwords from LDS to w.mem.stage.
func (w *wave) ldsToStage(m *memInfo, lanes uint64) {
	base := w.ldsDirect(m)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		w.mem.stage[l] = 0
		if p := w.group.ldsAt(base+uint64(l)*4, 4); p != nil {
			w.mem.stage[l] = load32(p)
		}
	}
}

// ldsAtomics executes the atomics of flat instructions whose offsets are in
// w.mem.off. The waves of a group take turns, so plain accesses are atomic.
func (w *wave) ldsAtomics(m *memInfo, lanes uint64, d []uint32) {
	w.mem.ctx = w.ctx
	w.mem.ctx.Track = false
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		off := uint64(w.mem.off[l])
		if off&uint64(m.bytes-1) != 0 {
			w.misaligned(m, l, device.GroupAperture|off)
			return
		}
		old := uint64(0)
		if p := w.group.ldsAt(off, int(m.bytes)); p != nil {
			data, data2 := m.atomicData(d, l, w.lanes)
			old = plainRMW(p, m.bytes, m.atomic.Fn, &w.mem.ctx, data, data2)
		}
		w.setOld(m, l, old)
	}
}

// plainRMW replaces a word that no other goroutine accesses and returns the old
// value.
func plainRMW(p unsafe.Pointer, bytes uint8, fn atomicFn, ctx *sem.Ctx, data, data2 uint64) uint64 {
	if bytes == 4 {
		old := load32(p)
		store32(p, uint32(fn(ctx, uint64(old), data, data2)))
		return uint64(old)
	}
	old := load64(p)
	store64(p, fn(ctx, old, data, data2))
	return old
}
