package hsa

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
)

// Segment is a memory segment, hsa_amd_segment_t.
type Segment uint8

// Segments of memory. Values: hsa_ext_amd.h.
const (
	SegmentGlobal   Segment = 0
	SegmentReadonly Segment = 1
	SegmentPrivate  Segment = 2
	SegmentGroup    Segment = 3
)

// String returns the name of the segment.
func (s Segment) String() string {
	return [...]string{"global", "readonly", "private", "group"}[s&3]
}

// PoolFlags is a set of properties of a global memory pool,
// hsa_amd_memory_pool_global_flag_t.
type PoolFlags uint8

const (
	KernargInit   PoolFlags = 1 // may hold kernel arguments
	FineGrained   PoolFlags = 2 // writes are immediately visible to other agents
	CoarseGrained PoolFlags = 4 // writes become visible at kernel boundaries
)

// Pool is a memory pool of an agent, hsa_amd_memory_pool_t. The global pools of
// all agents are parts of one memory that all agents can access.
type Pool struct {
	agent   *Agent
	Segment Segment   // segment of the memory
	Flags   PoolFlags // properties of a global pool; 0 for other segments
	Size    uint64    // bytes; per work-group for the group segment
}

// PoolGranule is the granularity in bytes of sizes and addresses in a pool.
const PoolGranule = device.PageSize

// Agent returns the agent that owns the pool.
func (p *Pool) Agent() *Agent { return p.agent }

// AllocAllowed reports whether memory can be allocated from the pool. It is
// false for the group segment, whose allocation a dispatch specifies.
func (p *Pool) AllocAllowed() bool { return p.Segment == SegmentGlobal }

// Allocate allocates size zeroed bytes, hsa_amd_memory_pool_allocate.
func (p *Pool) Allocate(size uint64) (*Buffer, error) {
	return p.AllocateNamed(size, "buffer")
}

// AllocateNamed is like Allocate with a name for fault reports.
func (p *Pool) AllocateNamed(size uint64, name string) (*Buffer, error) {
	if !p.AllocAllowed() {
		return nil, errorf(StatusErrorInvalidAllocation, "cannot allocate memory in the %s segment of %s", p.Segment, p.agent.Name())
	}
	if size == 0 {
		return nil, errorf(StatusErrorInvalidArgument, "allocation of 0 bytes")
	}
	r, err := p.agent.sys.alloc(size, PoolGranule, name)
	if err != nil {
		return nil, err
	}
	r.FineGrained = p.Flags&FineGrained != 0
	return &Buffer{sys: p.agent.sys, r: r}, nil
}

// Pools returns the agent's memory pools. A GPU's first pool is its
// coarse-grained memory.
func (a *Agent) Pools() []*Pool { return append([]*Pool(nil), a.pools...) }

// Pool returns the agent's first global pool with all of the flags, or nil.
func (a *Agent) Pool(flags PoolFlags) *Pool {
	for _, p := range a.pools {
		if p.Segment == SegmentGlobal && p.Flags&flags == flags {
			return p
		}
	}
	return nil
}

// Allocate allocates size zeroed bytes from the agent's first pool.
func (a *Agent) Allocate(size uint64) (*Buffer, error) { return a.pools[0].Allocate(size) }

// alloc allocates memory. Errors have a status.
func (s *System) alloc(size, align uint64, name string) (*device.Region, error) {
	if s.down.Load() {
		return nil, errShutDown()
	}
	r, err := s.mem.Alloc(size, align, name)
	if errors.Is(err, device.ErrOutOfMemory) {
		return nil, causedBy(StatusErrorOutOfResources, err, "allocate")
	}
	if err != nil {
		return nil, causedBy(StatusError, err, "allocate")
	}
	return r, nil
}

// Buffer is memory allocated from a pool. Pass its Addr to kernels.
type Buffer struct {
	sys *System
	r   *device.Region
}

// Addr returns the address.
func (b *Buffer) Addr() uint64 { return b.r.Addr }

// Size returns the size in bytes.
func (b *Buffer) Size() uint64 { return b.r.Size }

// Bytes returns the memory itself, which is shared with kernels. While a kernel
// accesses it, the host must use sync/atomic.
func (b *Buffer) Bytes() []byte { return b.r.Bytes() }

// Free frees the memory. Slices returned by Bytes remain valid for the host;
// kernels that access the memory fault. The error is
// StatusErrorInvalidAllocation if the memory has already been freed.
func (b *Buffer) Free() error { return b.sys.Free(b.r.Addr) }

// Free frees the allocation at an address, hsa_memory_free.
func (s *System) Free(addr uint64) error {
	if !s.mem.Free(addr) {
		return errorf(StatusErrorInvalidAllocation, "%#x is not the start of an allocation", addr)
	}
	return nil
}

// View returns size bytes of memory at an address, as Buffer.Bytes does. The
// error is StatusErrorInvalidAllocation if they are not contained in one
// allocation.
func (s *System) View(addr, size uint64) ([]byte, error) {
	if b, ok := s.mem.Bytes(addr, size); ok {
		return b, nil
	}
	return nil, errorf(StatusErrorInvalidAllocation, "%d bytes at %#x are not in one allocation", size, addr)
}

// Copy copies memory, hsa_memory_copy. The areas may overlap.
func (s *System) Copy(dst, src, size uint64) error {
	from, err := s.View(src, size)
	if err != nil {
		return err
	}
	to, err := s.View(dst, size)
	if err != nil {
		return err
	}
	copy(to, from)
	return nil
}

// Fill stores a value to count consecutive dwords, hsa_amd_memory_fill. addr
// must be a multiple of 4.
func (s *System) Fill(addr uint64, value uint32, count uint64) error {
	if addr%4 != 0 || count >= 1<<62 {
		return errorf(StatusErrorInvalidArgument, "fill of %d dwords at %#x: the address must be a multiple of 4", count, addr)
	}
	b, err := s.View(addr, 4*count)
	if err != nil {
		return err
	}
	words, err := sliceOf[uint32](b)
	if err != nil {
		return err
	}
	for i := range words {
		words[i] = value
	}
	return nil
}

// Slice returns the memory of a buffer as a slice of T, with as many elements
// as fit. It panics if T contains pointers.
func Slice[T any](b *Buffer) []T {
	s, err := sliceOf[T](b.Bytes())
	if err != nil {
		panic(err)
	}
	return s
}

// SliceAt returns count elements of type T at an address, which must be aligned
// for T.
func SliceAt[T any](s *System, addr, count uint64) ([]T, error) {
	var zero T
	size := uint64(unsafe.Sizeof(zero))
	if size > 0 && count > (1<<62)/size {
		return nil, errorf(StatusErrorInvalidArgument, "%d elements of %d bytes", count, size)
	}
	b, err := s.View(addr, count*size)
	if err != nil {
		return nil, err
	}
	return sliceOf[T](b)
}

func sliceOf[T any](b []byte) ([]T, error) {
	var zero T
	t := reflect.TypeFor[T]()
	if hasPointers(t) || t.Size() == 0 {
		return nil, errorf(StatusErrorInvalidArgument, "memory cannot be viewed as []%s", t)
	}
	n := len(b) / int(t.Size())
	if n == 0 {
		return nil, nil
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%unsafe.Alignof(zero) != 0 {
		return nil, errorf(StatusErrorInvalidArgument, "address is not aligned for %s", t)
	}
	return unsafe.Slice((*T)(p), n), nil
}

// hasPointers reports whether values of a type contain pointers to Go memory.
func hasPointers(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k >= reflect.Bool && k <= reflect.Complex128:
		return k == reflect.Uintptr
	case k == reflect.Array:
		return hasPointers(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}

// String returns the address and the size.
func (b *Buffer) String() string {
	return fmt.Sprintf("%s at %#x, %d bytes", b.r.Name, b.r.Addr, b.r.Size)
}
