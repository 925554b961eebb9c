package sim

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
)

// Check memory reports invalid accesses:
//   - outside an allocation's exact size, and to freed allocations;
//   - stores to code and to the kernarg segment;
//   - stores to read-only images, and loads of write-only ones;
//   - past the end of a work-group's LDS or a work-item's scratch memory;
//   - to addresses whose low bits the hardware ignores.
//
// An access to unmapped memory is also a fault.

// memoryCheck observes the accesses of a wave.
type memoryCheck struct {
	last  *device.Region // region of the last access
	write *device.Region // region of the last access that may be written
}

func newMemoryCheck(*wave) waveChecker { return &memoryCheck{} }

func (c *memoryCheck) start(*wave)                     { *c = memoryCheck{} }
func (c *memoryCheck) before(*wave, *op, []reguse.Use) {}
func (c *memoryCheck) after(*wave, *op, []reguse.Use)  {}
func (c *memoryCheck) end(*wave)                       {}

func (c *memoryCheck) access(w *wave, a *memAccess) {
	if a.odd {
		c.found(w, a, "odd", bits.TrailingZeros64(a.lanes), func() string {
			return "the address is not aligned, and its low bits do not count"
		})
	}
	switch a.space {
	case spaceGlobal:
		c.global(w, a)
	case spaceLDS:
		c.lds(w, a)
	}
}

// found reports a lane's access.
func (c *memoryCheck) found(w *wave, a *memAccess, kind string, l int, text func() string) {
	lane := l
	if a.scalar {
		lane = -1
	}
	w.report(found{check: device.CheckMemory, kind: kind, lane: lane, addr: a.addr[l&63], text: func() (string, string) { return text(), "" }})
}

// lds checks offsets in LDS.
func (c *memoryCheck) lds(w *wave, a *memAccess) {
	size := uint64(len(w.group.lds))
	for rest := a.lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		if at := a.addr[l]; at+uint64(a.bytes) > size {
			c.found(w, a, "lds", l, func() string {
				return fmt.Sprintf("%d-byte %s at LDS address %#x is outside the work-group's LDS (%d bytes)", a.bytes, accessNames[a.kind], at, size)
			})
			return
		}
	}
}

// global checks addresses in global memory.
func (c *memoryCheck) global(w *wave, a *memAccess) {
	known := c.last
	if a.kind != accessLoad {
		known = c.write
	}
	size := uint64(a.bytes)
	for rest := a.lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		addr := a.addr[l]
		if known != nil && addr-known.Addr < known.Size && size <= known.Size-(addr-known.Addr) {
			continue
		}
		if !c.slow(w, a, l) {
			return
		}
		if known = c.last; a.kind != accessLoad {
			known = c.write
		}
	}
}

// slow checks an address in an unknown region. It returns false after reporting
// a finding.
func (c *memoryCheck) slow(w *wave, a *memAccess, l int) bool {
	addr, size := a.addr[l], uint64(a.bytes)
	r := w.dev.Memory.Find(addr)
	switch {
	case r == nil || addr-r.Addr >= r.Size || size > r.Size-(addr-r.Addr) && !overRead(r, a, addr):
		c.found(w, a, "outside", l, func() string { return outside(w.dev.Memory, accessNames[a.kind], addr, size) })
		return false
	case r == w.group.launch.scratch:
		return c.swizzled(w, a, l)
	case r.WriteOnly && a.kind != accessStore, r.ReadOnly && a.kind != accessLoad:
		c.found(w, a, "access", l, func() string { return qualifierText(r, a) })
		return false
	case a.kind == accessLoad:
		c.last = nil
		if !r.Freed() {
			c.last = r
		}
		return true
	case r.Code && !writable(r, addr):
		c.found(w, a, "code", l, func() string { return accessNames[a.kind] + " to code: " + r.Name })
		return false
	case w.inKernarg(addr, size):
		c.found(w, a, "kernarg", l, func() string { return accessNames[a.kind] + " to the kernarg segment" })
		return false
	case r.Code, holds(r, w.group.launch.disp.Kernarg): // not cached: only a part may be writable
		return true
	}
	c.write = r
	if !r.WriteOnly {
		c.last = r
	}
	return true
}

// qualifierText describes an access that an image does not allow.
func qualifierText(r *device.Region, a *memAccess) string {
	what := "read-only "
	if r.WriteOnly {
		what = "write-only "
	}
	return accessNames[a.kind] + " of " + what + r.Name
}

// overRead reports whether a scalar load that begins in a region reads past its
// end within the same 64-byte cache line. Such loads are allowed: compilers use
// them to load more dwords at once than they need.
func overRead(r *device.Region, a *memAccess, addr uint64) bool {
	return a.scalar && a.kind == accessLoad && addr+uint64(a.bytes) <= (r.Addr+r.Size+63)&^63
}

// holds reports whether an address is in the pages of a region.
func holds(r *device.Region, addr uint64) bool { return addr-r.Addr < uint64(len(r.Pages())) }

// writable reports whether an address in code may be written.
func writable(r *device.Region, addr uint64) bool { return inRanges(r.Writable, addr) }

// inKernarg reports whether an access overlaps the dispatch's kernarg segment.
func (w *wave) inKernarg(addr, size uint64) bool {
	l := w.group.launch
	return addr+size > l.disp.Kernarg && addr < l.disp.Kernarg+uint64(l.kernel.KernargSize)
}

// swizzled checks a computed address in scratch memory. Dword i of lane l is
// dword i*lanes+l of the wave's allocation.
func (c *memoryCheck) swizzled(w *wave, a *memAccess, l int) bool {
	if off, lane, ok := w.scratchPlace(a.addr[l]); ok && lane == l && off+uint64(a.bytes) <= uint64(w.scratch.size) {
		return true
	} else if ok && lane == l {
		c.found(w, a, "scratch", l, func() string {
			return fmt.Sprintf("%d-byte %s at offset %#x is outside the work-item's scratch memory (%d bytes)", a.bytes, accessNames[a.kind], off, w.scratch.size)
		})
		return false
	}
	c.found(w, a, "scratch", l, func() string {
		return accessNames[a.kind] + " in another work-item's scratch memory"
	})
	return false
}

// scratchPlace returns the lane and the offset in its scratch memory for an
// address. ok is false outside the wave's allocation.
func (w *wave) scratchPlace(addr uint64) (off uint64, lane int, ok bool) {
	at := addr - w.scratch.base
	if at >= uint64(len(w.scratch.mem)) {
		return 0, 0, false
	}
	row := uint64(w.lanes) * 4
	return at/row*4 + at&3, int(at % row / 4), true
}

// outside describes an access that is not contained in one allocation, relative
// to the nearest allocation.
func outside(m *device.Memory, what string, addr, size uint64) string {
	s := fmt.Sprintf("%d-byte %s", size, what)
	if g, ok := m.FindFreed(addr); ok {
		return fmt.Sprintf("use after free: %s at offset %d of %s (%d bytes)", s, addr-g.Addr, g.Name, g.Size)
	}
	if r := before(m, addr); r != nil {
		end := r.Addr + r.Size
		switch {
		case addr < end:
			return fmt.Sprintf("%s extends %d bytes past the end of %s (%d bytes)", s, addr+size-end, r.Name, r.Size)
		case addr == end:
			return fmt.Sprintf("%s past the end of %s (%d bytes)", s, r.Name, r.Size)
		case addr-end < near:
			return fmt.Sprintf("%s %d bytes past the end of %s (%d bytes)", s, addr-end, r.Name, r.Size)
		}
	}
	if r := m.Find((addr + near) &^ (device.Granule - 1)); r != nil && addr < r.Addr {
		return fmt.Sprintf("%s %d bytes before %s (%d bytes)", s, r.Addr-addr, r.Name, r.Size)
	}
	return fmt.Sprintf("%s at %#x, outside all allocations", s, addr)
}

// near is the maximum distance in bytes at which an address is reported
// relative to an allocation.
const near = device.Granule

// before returns the region that contains an address or ends at most near bytes
// before it.
func before(m *device.Memory, addr uint64) *device.Region {
	if r := m.Find(addr); r != nil {
		return r
	}
	for i := range uint64(near/device.PageSize + 1) {
		if r := m.Find(addr - i*device.PageSize); r != nil {
			return r
		}
	}
	return nil
}
