package device

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Layout of the address space. A single table maps the granule of an address to
// its region.
const (
	PageSize = 4096             // bytes; the rest of a region's last page is mapped as well, as on hardware
	Granule  = 1 << granuleBits // bytes; every region begins at a multiple

	granuleBits = 16
	spaceBits   = 40
	leafBits    = 12
	firstAddr   = 1 << 32
)

// Base addresses of the flat apertures, 4 GiB each. Kernels read the upper
// halves from src_shared_base and src_private_base, from the amd_queue_t and
// from hidden arguments. Source: User Guide for AMDGPU Backend, "Memory
// Spaces".
const (
	GroupAperture   uint64 = 0x0001_0000_0000_0000 // LDS
	PrivateAperture uint64 = 0x0002_0000_0000_0000 // scratch
)

// ErrOutOfMemory reports that an allocation does not fit in the address space
// or exceeds the limit of the memory.
var ErrOutOfMemory = errors.New("device: out of memory")

// Memory is the virtual memory shared by the GPU and its host: a set of regions
// at addresses from 4 GiB to 1 TiB. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	next  uint64
	used  uint64
	limit uint64
	free  map[uint64][]uint64 // freed address ranges for reuse, by size in granules
	gone  []FreedRegion       // most recently freed regions
	roots [1 << (spaceBits - granuleBits - leafBits)]atomic.Pointer[leaf]
}

type leaf [1 << leafBits]atomic.Pointer[Region]

// Region is one allocation. Its creator may set the fields after Name before
// kernels use the region; Alloc sets the others, which must not be modified.
type Region struct {
	Addr uint64 // address of the first byte
	Size uint64 // requested size in bytes
	Name string // description for reports, such as "buffer a" or "code vecadd.hsaco"
	Code bool   // contains machine code
	// FineGrained is set if the memory is coherent with other agents during a dispatch.
	FineGrained bool
	// ReadOnly and WriteOnly are the memory of an image with such an access. Checks
	// report other accesses of kernels, which are possible.
	ReadOnly, WriteOnly bool
	// Writable lists the parts of code that kernels may write, as start address
	// and exclusive end address.
	Writable [][2]uint64
	// Executable lists the parts that contain instructions, in the same form;
	// nil means all of the code.
	Executable [][2]uint64
	// Atomics lists the instructions that implement atomic accesses or follow fences,
	// by address, if the compiler has recorded them for all code of the region;
	// otherwise it is nil.
	Atomics map[uint64]Atomic
	// Symbol returns the symbolic name of an address in the region, such as
	// "vecadd+0x10". It may be nil.
	Symbol func(addr uint64) string
	// Line returns the source file and line of the instruction at an address,
	// or "" if they are unknown. It is nil without debug information.
	Line func(addr uint64) (file string, line int)

	// Derived holds values that devices compute from the contents of code, such
	// as decoded instructions. Each device uses keys of a type of its own.
	Derived sync.Map

	mem   []byte // Size, rounded up to whole pages
	freed atomic.Bool
}

// NewMemory returns an empty memory with a capacity of limit bytes, counted in
// whole pages. 0 means limited only by the address space.
func NewMemory(limit uint64) *Memory {
	if limit == 0 {
		limit = 1<<spaceBits - firstAddr
	}
	return &Memory{next: firstAddr, limit: limit, free: map[uint64][]uint64{}}
}

// Alloc maps size zeroed bytes at an address that is a multiple of align. align
// must be a power of two; the actual alignment is at least 64 KiB. An
// allocation of 0 bytes has a unique address. name describes the region in
// reports. The error wraps ErrOutOfMemory.
func (m *Memory) Alloc(size, align uint64, name string) (*Region, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pages := (max(size, 1) + PageSize - 1) &^ (PageSize - 1)
	if size > m.limit || pages > m.limit-m.used {
		return nil, fmt.Errorf("%w: cannot allocate %d bytes for %s, %d of %d bytes in use", ErrOutOfMemory, size, name, m.used, m.limit)
	}
	addr, ok := m.chooseAddress(pages, max(align, Granule))
	if !ok {
		return nil, fmt.Errorf("%w: %d bytes do not fit in the address space", ErrOutOfMemory, size)
	}
	words := make([]uint64, pages/8)
	r := &Region{Addr: addr, Size: size, Name: name, mem: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), pages)}
	m.used += pages
	m.enterRegion(r, r)
	return r, nil
}

// granules returns the number of granules to reserve for an allocation. It
// includes one unmapped guard granule at the end.
func granules(pages uint64) uint64 { return (pages+Granule-1)>>granuleBits + 1 }

// chooseAddress returns the address for a new allocation. Freed ranges are
// quarantined for some time before reuse.
func (m *Memory) chooseAddress(pages, align uint64) (uint64, bool) {
	n := granules(pages)
	addr := (m.next + align - 1) &^ (align - 1)
	full := addr < m.next || n<<granuleBits > 1<<spaceBits-addr
	list := m.free[n]
	if align == Granule && (len(list) > freedIdle || full && len(list) > 0) {
		addr := list[0]
		m.free[n] = list[1:]
		return addr, true
	}
	if full {
		return 0, false
	}
	m.next = addr + n<<granuleBits
	return addr, true
}

// enterRegion enters region r in the table, or removes it if to is nil.
func (m *Memory) enterRegion(r, to *Region) {
	for a := r.Addr; a < r.Addr+uint64(len(r.mem)); a += Granule {
		root := &m.roots[a>>(granuleBits+leafBits)]
		if root.Load() == nil {
			root.Store(new(leaf))
		}
		root.Load()[a>>granuleBits&(1<<leafBits-1)].Store(to)
	}
}

// Free unmaps the region that begins at addr and reports whether it existed.
// Its bytes remain valid for existing references.
func (m *Memory) Free(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.Find(addr)
	if r == nil || r.Addr != addr {
		return false
	}
	m.enterRegion(r, nil)
	r.freed.Store(true)
	m.used -= uint64(len(r.mem))
	n := granules(uint64(len(r.mem)))
	m.free[n] = append(m.free[n], addr)
	m.remember(r)
	return true
}

// Find returns the region whose pages contain addr, or nil if addr is not
// mapped.
func (m *Memory) Find(addr uint64) *Region {
	if addr >= 1<<spaceBits {
		return nil
	}
	l := m.roots[addr>>(granuleBits+leafBits)].Load()
	if l == nil {
		return nil
	}
	r := l[addr>>granuleBits&(1<<leafBits-1)].Load()
	if r == nil || addr-r.Addr >= uint64(len(r.mem)) {
		return nil
	}
	return r
}

// Bytes returns the size bytes at addr, which are shared with the GPU. It
// returns false if they are not all in one region. While a kernel accesses the
// bytes, host code must use sync/atomic.
func (m *Memory) Bytes(addr, size uint64) (b []byte, ok bool) {
	r := m.Find(addr)
	if r == nil || size > uint64(len(r.mem))-(addr-r.Addr) {
		return nil, false
	}
	off := addr - r.Addr
	return r.mem[off : off+size : off+size], true
}

// Bytes returns the Size bytes of the region, which are shared with the GPU.
func (r *Region) Bytes() []byte { return r.mem[:r.Size:r.Size] }

// Pages returns the bytes of the region's pages: Bytes and the rest of the last
// page.
func (r *Region) Pages() []byte { return r.mem }

// Freed reports whether the region has been freed.
func (r *Region) Freed() bool { return r.freed.Load() }

// Pointer returns the host address of a naturally aligned word for use with
// sync/atomic, or nil if the word is not mapped or not aligned. size is 4 or 8.
func (m *Memory) Pointer(addr, size uint64) unsafe.Pointer {
	b, ok := m.Bytes(addr, size)
	if !ok || addr&(size-1) != 0 {
		return nil
	}
	return unsafe.Pointer(&b[0])
}

// FreedRegion describes a region that has been freed, for reports.
type FreedRegion struct {
	Addr uint64 // address of the first byte
	Size uint64 // requested size in bytes
	Name string // description of the region

	pages uint64 // Size, rounded up to whole pages
}

// Limits of the memory of freed regions.
const (
	freedKept = 256 // regions to remember
	freedIdle = 8   // address ranges per size that are quarantined, so that an access to freed memory does not reach a new allocation
)

// remember records a freed region. m.mu must be locked.
func (m *Memory) remember(r *Region) {
	if len(m.gone) == freedKept {
		m.gone = append(m.gone[:0], m.gone[1:]...)
	}
	m.gone = append(m.gone, FreedRegion{r.Addr, r.Size, r.Name, uint64(len(r.mem))})
}

// FindFreed returns the most recently freed region whose pages contained addr.
// It returns false if addr is mapped. Only the last 256 freed regions are known.
func (m *Memory) FindFreed(addr uint64) (r FreedRegion, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Find(addr) != nil {
		return FreedRegion{}, false
	}
	for i := len(m.gone) - 1; i >= 0; i-- {
		if g := m.gone[i]; addr-g.Addr < g.pages {
			return g, true
		}
	}
	return FreedRegion{}, false
}
