package sim

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Sizes of the simulated address space. Allocations start on a granule, so that
// one look-up table leads from an address to its region; what a region has
// beyond its size up to the next page is mapped as well, as on hardware.
const (
	PageSize    = 4096
	granuleBits = 16
	granule     = 1 << granuleBits
	spaceBits   = 40
	leafBits    = 12
	firstAddr   = 1 << 32
)

// ErrOutOfMemory tells that an allocation does not fit the simulated address
// space or the limit of the memory.
var ErrOutOfMemory = errors.New("sim: out of memory")

// Memory is the virtual memory that the GPU and its host share: a set of regions
// at addresses below 1 TiB. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	next  uint64
	used  uint64
	limit uint64
	free  map[uint64][]uint64 // freed address ranges by size in granules, to be used again
	gone  []freedRegion       // what was freed last
	roots [1 << (spaceBits - granuleBits - leafBits)]atomic.Pointer[leaf]
	epoch atomic.Uint64 // counts Free calls: cached regions are to be looked up again
}

type leaf [1 << leafBits]atomic.Pointer[Region]

// Region is one allocation.
type Region struct {
	Addr uint64 // of the first byte
	Size uint64 // in bytes, as asked for
	Name string // what it is, for reports: "buffer a", "code vecadd.hsaco"
	Code bool   // holds machine code
	// Writable are the first address of, and that behind, the parts of code that kernels may write.
	Writable [][2]uint64
	// Executable are those that hold instructions; nil is all of the code.
	Executable [][2]uint64
	// Symbol names an address within the region, such as "vecadd+0x10"; nil when nothing is known.
	Symbol func(addr uint64) string
	// Line gives the source file and line of the instruction at an address, "" when it is not known;
	// nil without debug information.
	Line func(addr uint64) (file string, line int)

	mem   []byte // Size, rounded up to whole pages
	freed atomic.Bool
	prog  [2]atomic.Pointer[program] // decoded code, by wave size
}

// NewMemory makes an empty memory that holds at most limit bytes; 0 is no limit
// but the address space.
func NewMemory(limit uint64) *Memory {
	if limit == 0 {
		limit = 1<<spaceBits - firstAddr
	}
	return &Memory{next: firstAddr, limit: limit, free: map[uint64][]uint64{}}
}

// Alloc maps size bytes of zeros at an address that is a multiple of align (a
// power of two; 64 KiB at least are given anyway). An allocation of 0 bytes
// gets an address of its own. The error is ErrOutOfMemory.
func (m *Memory) Alloc(size, align uint64, name string) (*Region, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pages := (max(size, 1) + PageSize - 1) &^ (PageSize - 1)
	if size > m.limit || pages > m.limit-m.used {
		return nil, fmt.Errorf("%w: %d bytes asked for %s, %d of %d in use", ErrOutOfMemory, size, name, m.used, m.limit)
	}
	addr, ok := m.place(pages, max(align, granule))
	if !ok {
		return nil, fmt.Errorf("%w: no room for %d bytes in the address space", ErrOutOfMemory, size)
	}
	words := make([]uint64, pages/8)
	r := &Region{Addr: addr, Size: size, Name: name, mem: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), pages)}
	m.used += pages
	m.set(r, r)
	return r, nil
}

// granules gives how many granules an allocation takes: one more than it fills,
// so that running over its end meets nothing.
func granules(pages uint64) uint64 { return (pages+granule-1)>>granuleBits + 1 }

// place finds an address. Ranges that were freed lie idle for a while.
func (m *Memory) place(pages, align uint64) (uint64, bool) {
	n := granules(pages)
	addr := (m.next + align - 1) &^ (align - 1)
	full := addr < m.next || n<<granuleBits > 1<<spaceBits-addr
	list := m.free[n]
	if align == granule && (len(list) > freedIdle || full && len(list) > 0) {
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

// set enters a region in the table, or takes it out (to is nil).
func (m *Memory) set(r, to *Region) {
	for a := r.Addr; a < r.Addr+uint64(len(r.mem)); a += granule {
		root := &m.roots[a>>(granuleBits+leafBits)]
		if root.Load() == nil {
			root.Store(new(leaf))
		}
		root.Load()[a>>granuleBits&(1<<leafBits-1)].Store(to)
	}
}

// Free unmaps the region that begins at addr. Its bytes stay valid for those who
// hold them. It reports whether there was such a region.
func (m *Memory) Free(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.Find(addr)
	if r == nil || r.Addr != addr {
		return false
	}
	m.set(r, nil)
	r.freed.Store(true)
	m.used -= uint64(len(r.mem))
	n := granules(uint64(len(r.mem)))
	m.free[n] = append(m.free[n], addr)
	m.remember(r)
	m.epoch.Add(1)
	return true
}

// Find gives the region that holds an address, or whose last page does; nil when
// the address is not mapped.
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

// Bytes gives the size bytes from addr on, which the GPU sees as well; ok is
// false when they are not all in one region. Host code must not touch them
// while a kernel does, unless it uses sync/atomic.
func (m *Memory) Bytes(addr, size uint64) (b []byte, ok bool) {
	r := m.Find(addr)
	if r == nil || size > uint64(len(r.mem))-(addr-r.Addr) {
		return nil, false
	}
	off := addr - r.Addr
	return r.mem[off : off+size : off+size], true
}

// Bytes gives the region's memory.
func (r *Region) Bytes() []byte { return r.mem[:r.Size:r.Size] }

// Pointer gives the host address of a naturally aligned word of the memory, for
// sync/atomic; nil when it is not mapped or not aligned. size is 4 or 8.
func (m *Memory) Pointer(addr, size uint64) unsafe.Pointer {
	b, ok := m.Bytes(addr, size)
	if !ok || addr&(size-1) != 0 {
		return nil
	}
	return unsafe.Pointer(&b[0])
}
