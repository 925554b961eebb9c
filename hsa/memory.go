package hsa

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gfx-toolchain/gfx/sim"
)

// Segment is a segment of memory, hsa_amd_segment_t.
type Segment uint8

const (
	SegmentGlobal   Segment = 0
	SegmentReadonly Segment = 1
	SegmentPrivate  Segment = 2
	SegmentGroup    Segment = 3
)

// String gives the name of the segment.
func (s Segment) String() string {
	return [...]string{"global", "readonly", "private", "group"}[s&3]
}

// PoolFlags are properties of a memory pool of the global segment,
// hsa_amd_memory_pool_global_flag_t.
type PoolFlags uint8

const (
	KernargInit   PoolFlags = 1 // kernel arguments may be there
	FineGrained   PoolFlags = 2 // agents see each other's writes at once
	CoarseGrained PoolFlags = 4 // they see them when a kernel begins and ends
)

// Pool is a memory pool of an agent, hsa_amd_memory_pool_t. The global pools of all
// agents are parts of one memory, which all agents may access.
type Pool struct {
	agent   *Agent
	Segment Segment
	Flags   PoolFlags
	Size    uint64 // bytes; for the group segment those of a work-group
}

// PoolGranule is what sizes are rounded up to in a pool, and what addresses are
// multiples of, in bytes.
const PoolGranule = sim.PageSize

// Agent gives the agent that the pool belongs to.
func (p *Pool) Agent() *Agent { return p.agent }

// AllocAllowed reports whether the pool has memory to allocate. The group segment has
// not: a dispatch says how much of it a work-group has.
func (p *Pool) AllocAllowed() bool { return p.Segment == SegmentGlobal }

// Allocate gives size bytes of zeros, hsa_amd_memory_pool_allocate.
func (p *Pool) Allocate(size uint64) (*Buffer, error) {
	return p.AllocateNamed(size, "buffer")
}

// AllocateNamed is Allocate with a name for reports about faults.
func (p *Pool) AllocateNamed(size uint64, name string) (*Buffer, error) {
	if !p.AllocAllowed() {
		return nil, errorf(StatusErrorInvalidAllocation, "nothing can be allocated in the %s segment of %s", p.Segment, p.agent.Name())
	}
	if size == 0 {
		return nil, errorf(StatusErrorInvalidArgument, "allocation of 0 bytes")
	}
	r, err := p.agent.sys.alloc(size, PoolGranule, name)
	if err != nil {
		return nil, err
	}
	return &Buffer{sys: p.agent.sys, r: r}, nil
}

// Pools gives the agent's memory pools. A GPU's first is its coarse-grained memory.
func (a *Agent) Pools() []*Pool { return append([]*Pool(nil), a.pools...) }

// Pool gives the agent's first pool of the global segment with all of the flags, nil when it
// has none.
func (a *Agent) Pool(flags PoolFlags) *Pool {
	for _, p := range a.pools {
		if p.Segment == SegmentGlobal && p.Flags&flags == flags {
			return p
		}
	}
	return nil
}

// Allocate gives size bytes of zeros from the agent's first pool.
func (a *Agent) Allocate(size uint64) (*Buffer, error) { return a.pools[0].Allocate(size) }

// alloc allocates memory; the error has a status.
func (s *System) alloc(size, align uint64, name string) (*sim.Region, error) {
	if s.down.Load() {
		return nil, errShutDown()
	}
	r, err := s.mem.Alloc(size, align, name)
	if errors.Is(err, sim.ErrOutOfMemory) {
		return nil, causedBy(StatusErrorOutOfResources, err, "allocate")
	}
	if err != nil {
		return nil, causedBy(StatusError, err, "allocate")
	}
	return r, nil
}

// Buffer is memory that was allocated from a pool. Kernels take its Addr.
type Buffer struct {
	sys *System
	r   *sim.Region
}

// Addr gives the address.
func (b *Buffer) Addr() uint64 { return b.r.Addr }

// Size gives the size in bytes.
func (b *Buffer) Size() uint64 { return b.r.Size }

// Bytes gives the memory itself, which kernels see as well. The host must not touch it
// while a kernel does, unless by sync/atomic.
func (b *Buffer) Bytes() []byte { return b.r.Bytes() }

// Free frees the memory. What Bytes gave stays valid for the host; a kernel that
// accesses it faults. The error is StatusErrorInvalidAllocation for memory that was freed
// before.
func (b *Buffer) Free() error { return b.sys.Free(b.r.Addr) }

// Free frees the memory that was allocated at an address, hsa_memory_free.
func (s *System) Free(addr uint64) error {
	if !s.mem.Free(addr) {
		return errorf(StatusErrorInvalidAllocation, "no allocation begins at %#x", addr)
	}
	return nil
}

// View gives size bytes of memory from an address on, as Buffer.Bytes does. The error is
// StatusErrorInvalidAllocation when they are not all in one allocation.
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

// Fill stores a value in count dwords from an address on that is a multiple of 4,
// hsa_amd_memory_fill.
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

// Slice gives the memory of a buffer as elements of a type, as many as fit. It
// panics for a type that has pointers.
func Slice[T any](b *Buffer) []T {
	s, err := sliceOf[T](b.Bytes())
	if err != nil {
		panic(err)
	}
	return s
}

// SliceAt gives count elements of a type from an address on, which must be
// aligned for the type.
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
		return nil, errorf(StatusErrorInvalidArgument, "memory cannot be seen as []%s", t)
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

// hasPointers reports whether values of a type have pointers to Go's memory.
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

// String gives the address and the size.
func (b *Buffer) String() string {
	return fmt.Sprintf("%s at %#x, %d bytes", b.r.Name, b.r.Addr, b.r.Size)
}
