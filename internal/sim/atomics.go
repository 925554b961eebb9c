package sim

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Atomic operations on memory. They are atomic for other work-groups and for
// host threads as well.

type atomicFn = func(c *sem.Ctx, old, data, data2 uint64) uint64

// bindAtomic looks up the semantics of an atomic instruction. It returns false
// if the instruction has none.
func (m *memInfo) bindAtomic(in *isa.Inst) (ok bool) {
	row := sem.AtomicOf(in.Enc.Op())
	if row == nil {
		return false
	}
	m.atomic, m.rmw, m.bytes, m.access = row, row.Kind, row.Bits/8, atomicLanes
	if m.weak {
		m.access = weakAtomics
	}
	m.ret = returnsOld(in)
	return true
}

// returnsOld reports whether an atomic returns the old value. Some encodings
// always do; encodings with and without return are distinguished by GLC (SC0 on
// gfx940).
func returnsOld(in *isa.Inst) bool {
	t := in.Enc.Traits()
	return t.Any(isa.TraitRet) && !t.Any(isa.TraitNoret) || in.CPol()&isa.CPolGLC != 0
}

// misaligned ends the wave with an alignment fault.
func (w *wave) misaligned(m *memInfo, lane int, addr uint64) {
	w.failAt(device.FaultAlignment, fmt.Sprintf("%d-byte %s at %#x", m.bytes, m.verb(), addr), lane, addr)
}

// memoryMode returns the floating-point mode of memory atomics. Denormals are
// preserved, except by f32 additions on gfx908 and gfx90a. Source: CDNA ISA,
// "Denormal handling"; LLVM, feature MemoryAtomicFAddF32DenormalSupport.
func (w *wave) memoryMode(m *memInfo) sem.Mode {
	mode := w.ctx.Mode | 0xf0
	if s := w.dev.set; m.rmw == sem.AtomicFAdd && m.bytes == 4 && (s == isa.GFX908 || s == isa.GFX90A) {
		mode &^= 0x30
	}
	return mode
}

// atomicData returns a lane's data operands.
func (m *memInfo) atomicData(d []uint32, l, lanes int) (data, data2 uint64) {
	if m.bytes == 4 {
		data = uint64(d[l])
		if m.atomic.Data > 1 {
			data2 = uint64(d[l+lanes])
		}
		return data, data2
	}
	data = uint64(d[l]) | uint64(d[l+lanes])<<32
	if m.atomic.Data > 1 {
		data2 = uint64(d[l+2*lanes]) | uint64(d[l+3*lanes])<<32
	}
	return data, data2
}

// setOld writes the old value to a lane's result register.
func (w *wave) setOld(m *memInfo, l int, old uint64) {
	if !m.ret {
		return
	}
	d := w.lanesAt(m.dst)
	d[l] = uint32(old)
	if m.bytes == 8 {
		d[l+w.lanes] = uint32(old >> 32)
	}
}

// atomicLanes executes an atomic for each lane at its address in w.mem.addr.
func atomicLanes(w *wave, m *memInfo, lanes uint64, d []uint32) {
	size := uint64(m.bytes)
	a := &w.mem.addr
	first := bits.TrailingZeros64(lanes) & 63
	w.mem.ctx = sem.Ctx{Mode: w.memoryMode(m), Set: w.ctx.Set}
	r := w.region(a[first], size)
	if r != nil && m.rmw == sem.AtomicAdd && a[first]&(size-1) == 0 && sameAddress(a, lanes) {
		w.addUniform(m, lanes, d, hostAt(r, a[first]))
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		addr := a[l]
		if r == nil || addr-r.Addr > uint64(len(r.Pages()))-size {
			if r = w.region(addr, size); r == nil {
				w.badAccess("atomic", l, addr, size)
				return
			}
		}
		if addr&(size-1) != 0 {
			w.misaligned(m, l, addr)
			return
		}
		data, data2 := m.atomicData(d, l, w.lanes)
		w.setOld(m, l, w.rmw(m, hostAt(r, addr), data, data2))
	}
}

// sameAddress reports whether all lanes have the same address.
func sameAddress(a *[64]uint64, lanes uint64) bool {
	first := a[bits.TrailingZeros64(lanes)&63]
	for lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1 {
		if a[bits.TrailingZeros64(lanes)&63] != first {
			return false
		}
	}
	return true
}

// addUniform performs the additions of lanes that share one address in a single
// atomic operation, as if no other operation had intervened.
func (w *wave) addUniform(m *memInfo, lanes uint64, d []uint32, p unsafe.Pointer) {
	sum := uint64(0)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		data, _ := m.atomicData(d, bits.TrailingZeros64(rest)&63, w.lanes)
		sum += data
	}
	old := w.rmw(m, p, sum, 0)
	if !m.ret {
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		data, _ := m.atomicData(d, l, w.lanes)
		w.setOld(m, l, old)
		old += data
	}
}

// rmw atomically replaces an aligned word of memory and returns the old value.
func (w *wave) rmw(m *memInfo, p unsafe.Pointer, data, data2 uint64) uint64 {
	if m.bytes == 4 {
		return uint64(w.rmw32(m, (*uint32)(p), uint32(data), data2))
	}
	return w.rmw64(m, (*uint64)(p), data, data2)
}

func (w *wave) rmw32(m *memInfo, p *uint32, data uint32, data2 uint64) uint32 {
	switch m.rmw {
	case sem.AtomicAdd:
		return atomic.AddUint32(p, data) - data
	case sem.AtomicSub:
		return atomic.AddUint32(p, -data) + data
	case sem.AtomicSwap:
		return atomic.SwapUint32(p, data)
	case sem.AtomicAnd:
		return atomic.AndUint32(p, data)
	case sem.AtomicOr:
		return atomic.OrUint32(p, data)
	}
	for {
		old := atomic.LoadUint32(p)
		v := uint32(m.atomic.Fn(&w.mem.ctx, uint64(old), uint64(data), data2))
		if v == old || atomic.CompareAndSwapUint32(p, old, v) {
			return old
		}
	}
}

func (w *wave) rmw64(m *memInfo, p *uint64, data, data2 uint64) uint64 {
	switch m.rmw {
	case sem.AtomicAdd:
		return atomic.AddUint64(p, data) - data
	case sem.AtomicSub:
		return atomic.AddUint64(p, -data) + data
	case sem.AtomicSwap:
		return atomic.SwapUint64(p, data)
	case sem.AtomicAnd:
		return atomic.AndUint64(p, data)
	case sem.AtomicOr:
		return atomic.OrUint64(p, data)
	}
	for {
		old := atomic.LoadUint64(p)
		v := m.atomic.Fn(&w.mem.ctx, old, data, data2)
		if v == old || atomic.CompareAndSwapUint64(p, old, v) {
			return old
		}
	}
}

// scratchAtomics executes the atomics of flat instructions in scratch memory,
// which is private to the wave.
func (w *wave) scratchAtomics(m *memInfo, lanes uint64, base uint64) {
	w.mem.ctx = sem.Ctx{Mode: w.memoryMode(m), Set: w.ctx.Set}
	d := w.lanesAt(m.data)
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		off := w.mem.off[l]
		if off&uint32(m.bytes-1) != 0 {
			w.misaligned(m, l, device.PrivateAperture|uint64(off))
			return
		}
		var p [2]unsafe.Pointer
		old := uint64(0)
		for i := range int(m.bytes) / 4 {
			addr := w.scratchAddress(base, off+uint32(i)*4, l)
			r := w.region(addr, 4)
			if r == nil {
				w.badAccess("atomic", l, addr, 4)
				return
			}
			p[i] = hostAt(r, addr)
			old |= uint64(load32(p[i])) << (i * 32)
		}
		data, data2 := m.atomicData(d, l, w.lanes)
		v := m.atomic.Fn(&w.mem.ctx, old, data, data2)
		store32(p[0], uint32(v))
		if m.bytes == 8 {
			store32(p[1], uint32(v>>32))
		}
		w.setOld(m, l, old)
	}
}
