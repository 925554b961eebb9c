package main

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapFile returns the contents of a regular file of a size as memory that reads
// the file when it is used, for as long as the command runs. Copying a large file
// would cost a page fault for every page, many times the time of reading. Writing
// to the memory leaves the file unchanged.
func mapFile(f *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
}

// hugePage is the size of a huge page in bytes.
const hugePage = 2 << 20

// hugeHeap asks the system to back the next n bytes of the heap with huge pages: a
// command that fills as much memory once spends a third of its time on the faults of
// ordinary pages. The memory is only used as far as the command allocates it. The
// call collects garbage, so it belongs to the start of a command.
func hugeHeap(n int) {
	adviseHuge(make([]byte, n+2*hugePage))
	runtime.GC()
}

// adviseHuge asks for huge pages within b.
func adviseHuge(b []byte) {
	if len(b) < 2*hugePage {
		return
	}
	skip := (hugePage - int(uintptr(unsafe.Pointer(&b[0]))%hugePage)) % hugePage
	// The call is only an optimization: ignore errors.
	_ = unix.Madvise(b[skip:skip+(len(b)-skip)&^(hugePage-1)], unix.MADV_HUGEPAGE)
}
