package sim

import (
	"sync/atomic"
	"unsafe"
)

// Words of memory shared by the GPU and the host. Aligned words are read and
// written as a whole, so that host threads and other work-groups never observe
// partial writes.

func load8(p unsafe.Pointer) uint32 { return uint32(*(*uint8)(p)) }

func load16(p unsafe.Pointer) uint32 {
	if plainStores || uintptr(p)&1 == 0 {
		return uint32(*(*uint16)(p))
	}
	return load8(p) | load8(unsafe.Add(p, 1))<<8
}

func load32(p unsafe.Pointer) uint32 {
	if plainStores || uintptr(p)&3 == 0 {
		return atomic.LoadUint32((*uint32)(p))
	}
	return loadBytes32(p)
}

func load64(p unsafe.Pointer) uint64 {
	if plainStores || uintptr(p)&7 == 0 {
		return atomic.LoadUint64((*uint64)(p))
	}
	return uint64(load32(p)) | uint64(load32(unsafe.Add(p, 4)))<<32
}

func loadBytes32(p unsafe.Pointer) uint32 {
	return load16(p) | load16(unsafe.Add(p, 2))<<16
}

func store8(p unsafe.Pointer, v uint32) { *(*uint8)(p) = uint8(v) }

func store16(p unsafe.Pointer, v uint32) {
	if plainStores || uintptr(p)&1 == 0 {
		*(*uint16)(p) = uint16(v)
		return
	}
	store8(p, v)
	store8(unsafe.Add(p, 1), v>>8)
}

func store32(p unsafe.Pointer, v uint32) {
	switch {
	case plainStores:
		*(*uint32)(p) = v
	case uintptr(p)&3 == 0:
		atomic.StoreUint32((*uint32)(p), v)
	default:
		store16(p, v)
		store16(unsafe.Add(p, 2), v>>16)
	}
}

func store64(p unsafe.Pointer, v uint64) {
	switch {
	case plainStores:
		*(*uint64)(p) = v
	case uintptr(p)&7 == 0:
		atomic.StoreUint64((*uint64)(p), v)
	default:
		store32(p, uint32(v))
		store32(unsafe.Add(p, 4), uint32(v>>32))
	}
}
